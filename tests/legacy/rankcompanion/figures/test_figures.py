"""Every kind of figure with names and values that are hard to draw: what is asked for is drawn.

Places, looks and words of what is drawn are those kept in `kept.json`.
"""

import importlib
import inspect
import io
import pkgutil
import re
from html import unescape
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import kept
from figure_faults import faults, written
from companion.legacy.rankcompanion import figures as plot
from companion.legacy.rankcompanion.figures import (
    changes,
    common,
    documents,
    lines,
    relative_ranking,
    simulation,
    srp,
    tournament,
)
from companion.legacy.rankcompanion.figures import judges as judge_models
from companion.legacy.rankcompanion.figures.relative_ranking import LABELS
from companion.legacy.rankstability.rank.ranking import CLUSTER_RULES, rank
from companion.legacy.rankstability.score.rr import METHODS

NAMES = [
    "ariel197197.512", r"$\frac{1$", "<img src=x onerror=alert(1)>", "UNI-Transformer2018.1",
    "Übersetzer № 7 “ß” Жλ", "0.025", "a_b^c", "UEDIN-SYSTEM-COMBINATION-WITH-A-LONG-NAME.6813",
]  # fmt: skip
TITLE = r"wmt& cs-en $\frac{1$ <b>"
N = len(NAMES)
RNG = np.random.default_rng(7)
START = RNG.bit_generator.state  # of each figure
FILE = Path(__file__).with_name("kept.json")
RANKS = np.arange(1, N + 1)
TASKS = NAMES[:4]
SPAN = np.linspace(0.131, -0.025, N)


def frame(**columns):
    return pd.DataFrame(columns)


def grid(**values):
    """A row for every combination of the values."""
    return pd.DataFrame(product(*values.values()), columns=list(values))


def ranges(**names):
    """Systems with scores, intervals, rank ranges and rank sets."""
    made = frame(rank=RANKS, system=NAMES, cluster=[1, 1, 1, 2, 2, 3, 3, 3])
    for name, value in names.items():
        made = made.assign(**{name: value})
    made["mean_low"], made["mean_high"] = SPAN - 0.02, SPAN + 0.02
    made["rank_low"], made["rank_high"] = (RANKS - 1).clip(1), (RANKS + 1).clip(1, N)
    return made.rename(columns={"mean_low": "low", "mean_high": "high"} if "score" in names else {})


def places(columns, **names):
    """A place for every system in every column."""
    made = grid(ranking=columns, system=NAMES)
    made["place"] = np.concatenate([RNG.permutation(N) + 1 for _ in columns])
    return made.rename(columns=names)


def matrix(low, high):
    return pd.DataFrame(RNG.uniform(low, high, (N, N)), NAMES, NAMES)


def lines_of(**more):
    made = frame(below=[2, 3, 5, 7], claimed=[1, 1, 0, 1], held=[1.0, 0, 1, np.nan])
    return made.assign(**more)


def bump():
    rows = places([f"without {n}" for n in TASKS]).assign(line="kept")
    rows.loc[::3, "line"], rows.loc[1::5, "line"] = "appeared", "vanished"
    return common.bump(rows, title=TITLE, ordered=True)


def moves():
    made = grid(removed=NAMES, system=NAMES)
    move = RNG.integers(-2, 3, len(made)).astype(float)
    return made.assign(move=np.where(made["removed"] == made["system"], np.nan, move))


def fractions():
    made = grid(style=["SR-DC", "SR+DC"], divisor=[1.25, 1.5, 2.0, 10.0])
    return made.assign(pairs=12, d_rank=0.025, d_cluster=0.5, d_both=1.0)


def studies():
    names = ["ESA-1", *NAMES[:3]]
    made = pd.DataFrame(
        [(a, b) for a in names for b in names if a < b], columns=["first", "second"]
    )
    made = made.assign(kind=["within", "between"] * 3, tau=0.7, difference=-0.025)
    return relative_ranking.protocols_figure(
        made.assign(low=0.6, high=0.9), made[:3].assign(low=-0.1, high=0.1), TITLE, "document"
    )


def sets():
    rows = frame(label=NAMES, tau=0.5, low=0.3, high=0.8, random_low=0.4, random_high=0.9)
    rows.loc[::2, "random_low"] = np.nan
    return relative_ranking.sets_figure(rows, TITLE)


def company(**more):
    made = frame(system=NAMES, human=[1, *[0] * (N - 1)], mean_z=SPAN, z_without=SPAN - 0.01)
    return made.assign(company_z=0.01, luck_raw=SPAN, luck_low=SPAN - 0.1, luck_high=SPAN + 0.1)


def balance():
    rows = frame(pair=TASKS, explained=[0.1, 0.3, 0.2, 0.4], share_median=0.5, share_min=0.025)
    systems = grid(pair=TASKS, system=NAMES).assign(company_z=0.025)
    return documents.balance(rows, systems, TITLE)


def shares():
    made = grid(pair=TASKS, score=["raw", "z"], component=list(documents.PARTS))
    return documents.variance_bars(made.assign(share=1 / len(documents.PARTS)), TITLE)


def hard():
    made = frame(document=NAMES, difficulty=SPAN, low=SPAN - 0.1, high=SPAN + 0.01)
    return documents.difficulty(made, TITLE)


def held():
    table = ranges(score=SPAN, unit="worker x document")
    return lines.standing(table, lines_of(), TITLE, "mean z-score")


def counts():
    made = grid(pair=TASKS, unit=["segment", "document", "worker x document"])
    held = [3.0, 1, 0] * 3 + [1, np.nan, np.nan]
    return lines.counts_figure(made.assign(claimed=3, held=held, claimed_and_held=held), TITLE)


def false_lines():
    made = grid(pair=TASKS, recipe=["wmt17", "wmt24"], unit=["document", "worker", "block"])
    made = made.assign(campaigns_with_line=RNG.uniform(0, 1, len(made)), campaigns_low=0.1)
    return lines.false_lines_figure(made.assign(campaigns_high=0.9), TITLE)


def five_recipes():
    table = places(["wmt17", "wmt23"], ranking="recipe", place="rank").sort_values(
        ["recipe", "rank"]
    )
    years = ["wmt17\n2017 to 2021", "wmt23\n2023, DA+SQM"]
    held = pd.concat([lines_of(recipe=name) for name in ("wmt17", "wmt23")])
    return lines.recipes(table, held, TITLE, years)


def p_values():
    lead = np.sign(np.subtract.outer(-RANKS, -RANKS))
    p = np.where(lead == 0, np.nan, RNG.uniform(0, 0.1, (N, N)))
    lead[0, 3], lead[3, 0] = -1, 1
    return lines.p_figure(rank(frame(system=NAMES, mean_z=SPAN), p, lead), TITLE)


def variants():
    made = grid(test=["scipy<1.7", "two-sided"], correction=["none", "holm"], rule=CLUSTER_RULES)
    made = made.merge(frame(system=NAMES, rank=RANKS, cluster=ranges()["cluster"]), how="cross")
    return lines.variants_figure(made, TITLE)


def rules():
    made = grid(pair=TASKS, test=["scipy<1.7", "two-sided"], correction=["none", "holm"])
    made = made.assign(**{rule: RNG.integers(1, 9, len(made)) for rule in CLUSTER_RULES})
    return lines.rules_figure(made, TITLE)


def found():
    one = {"part": 3.0, "whole": 9.0, "value": 1 / 3, "low": 0.025, "high": 0.9, "units": 2}
    one["each"] = [(0.025, 4.0), (0.9, 5.0)]
    rows = [{"campaign": name, "unit": "worker x document", **one} for name in NAMES]
    return changes.finding({"key": "lines", "rows": rows})


def kappas(by, groups, **more):
    made = grid(**{by: groups}, kind=["intra", "inter"], reference=["included", "excluded"])
    for k, name in enumerate(relative_ranking.MEASURE_NAMES):
        value = (
            0.4
            + 0.05 * k
            + 0.1 * (made["kind"] == "intra")
            - 0.02 * (made["reference"] == "excluded")
        )
        made[name], made[f"{name}_low"], made[f"{name}_high"] = value, value - 0.1, value + 0.1
    return made.assign(**more)


def judges():
    made = kappas("judge", range(20), pairs=np.geomspace(30, 900, 80).astype(int))
    return relative_ranking.judges_figure(made, "pi", 30, TITLE)


def points(**more):
    return frame(system=NAMES, x=RNG.uniform(130, 170, N), y=RNG.uniform(0, 1, N)).assign(**more)


def panels():
    made = pd.concat([points(task=task) for task in TASKS])
    return relative_ranking.scatter_panels(made, "x", "y", xlabel="X", ylabel="≥", title=TITLE)


def by_method():
    assert set(METHODS) < set(LABELS)
    orders = {name: RNG.permutation(N) + 1 for name in LABELS}
    return relative_ranking.methods_figure(frame(task="x", system=NAMES, **orders), TITLE)


def pairs():
    tests = frame(system=NAMES[:4], other=NAMES[4:], p=0.01, p_holm=[0.01, 0.9, 0.01, 0.9])
    return relative_ranking.pairs_figure(matrix(0, 100), tests, TITLE)


def drawn_ranges():
    made = grid(task=TASKS, drawn=["block", "judgment"]).merge(ranges(), how="cross")
    made = made.rename(columns={"rank_low": "first", "rank_high": "last"})
    return relative_ranking.ranges_figure(made, TITLE)


def removals():
    made = grid(task=TASKS, method=["better_or_equal_others", "bojar", "expected_win"])
    return relative_ranking.removal_figure(made.assign(d_rank=4, d_cluster=1, removals=8), TITLE)


def win_ratios():
    made = grid(task=TASKS, rank=RANKS)
    ratio = 0.6 - made["rank"] / 20
    return simulation.win_ratios(made.assign(win_ratio=ratio, straight=ratio + 0.01), TITLE)


def growth():
    made = grid(task=TASKS, judgments=[1000, 12_500]).assign(share=0.4, fitted=0.5)
    fits = frame(task=TASKS, spread=7.0)
    return simulation.growth(made.assign(share_low=0.3, share_high=0.5), fits, TITLE)


def errors():
    made = grid(spread=[10**0.5, 10.0], ranker=["BOJAR", "EXPECTED", "LOPEZ"], judgments=[1e4, 5e4])
    made = made.assign(error=0.1, error_se=0.01)
    return simulation.ranking_errors(made, frame(judgments=[1e4], value=0.132), TITLE)


def advice(**rows):
    made = grid(**rows, share=[0.5, 0.7, 0.9])
    made = made.assign(judgments=RNG.uniform(1e3, 4e5, len(made)))
    return made.assign(fewer=made["judgments"] / 2, more=made["judgments"] * 2)


def raters():
    made = grid(rater=NAMES[1:3], score=["0", "to 0.5", "above"]).assign(segments=10, share=0.3)
    return srp.rater_distribution(made.assign(mean=10.96), TITLE)


def stability(by, **more):
    made = grid(**{by: NAMES[:5]}, documents=[6, 13, 38]).assign(studies=250, empty_share=0.1)
    made.loc[::3, "empty_share"] = 0.9
    values = {k: RNG.uniform(0, 1, len(made)) for k in ("srp", "srp_equal_claims", "kendall")}
    values |= {f"se{k}": 0.02 for k in ("", "_equal_claims", "_kendall")}
    return made.assign(significant_pairs=9.0, **values, **more)


def effort():
    made = stability("label", level=1.0)
    made["effort"], made["level"] = 10.0 * made["documents"], made["documents"]
    return srp.effort(pd.concat([made.assign(task=task) for task in TASKS]), TITLE)


def cycles():
    rows = [
        {"over": NAMES[b], "under": NAMES[a], "rank_over": b + 1, "rank_under": a + 1, "weight": w,
         "violated": 1, "in_triangle": 0, "in_cycle": 1}
        for a, b, w in ((0, 2, 5), (3, 7, 12), (2, 7, 1), (1, 6, 3), (0, 7, 2))
    ]  # fmt: skip
    rows += [{**rows[0], "rank_over": 1, "rank_under": 2, "violated": 0, "in_triangle": 1}]
    return tournament.tournament_figure(pd.DataFrame(rows), NAMES, TITLE)


def costs(tasks):
    return frame(task=tasks, **{name: RNG.integers(0, 99) for name in tournament.COSTS.values()})


def tournament_methods():
    orders = {name: RNG.permutation(N) + 1 for name in tournament.HEADINGS}
    return tournament.rankings_figure(frame(system=NAMES, **orders), costs(["x"]), TITLE)


def divisors():
    rows = places(["original", "d-1.25"], place="rank").sort_values(["ranking", "rank"])
    return changes.divisor_bump(rows.assign(cluster=rows["rank"]), TITLE)


VENDOR = "a-vendor/of-judge-models-with-a-long-name-2026-02-29-preview-instruct, prompt v3"


def judges_and_people():
    names = ["GPT-4", VENDOR, *NAMES[:2], "people: another annotator", "people: a perfect judge"]
    made = frame(judge=names, alike=[27, 20.0, 14, 8, 25, np.nan], pairs=[28.0] * 5 + [np.nan])
    worth = np.array([0.07, 0.2, 0.0, 0.01, 0.1, 0.4])
    return made.assign(worth=worth, worth_low=worth / 2, worth_high=worth * 1.5)


def finding_of_judges():
    rows = judges_and_people()[:5].to_dict("records")
    return judge_models.finding({"key": "judges", "rows": rows}, narrow=True)


ANY = [TITLE]  # what every figure with a title says
SYSTEMS, ROWS = [TITLE, *NAMES], [TITLE, *TASKS]
KINDS = {  # every drawing function of `plot`: how it is called here, and what it must then say
    relative_ranking.protocols_figure: (studies, [*ANY, *NAMES[:3]]),
    relative_ranking.sets_figure: (sets, SYSTEMS),
    judge_models.beside_people: (
        lambda: judge_models.beside_people(judges_and_people(), TITLE),
        [*ANY, "GPT-4", "another annotator"],
    ),
    judge_models.finding: (finding_of_judges, ["GPT-4", "another annotator"]),
    changes.divisor_bump: (divisors, SYSTEMS),
    changes.fractions_by_style: (lambda: changes.fractions_by_style(fractions(), TITLE), ANY),
    changes.who_moves_whom: (lambda: changes.who_moves_whom(moves(), TITLE), SYSTEMS),
    common.bump: (bump, SYSTEMS),
    common.heatmap: (
        lambda: common.heatmap(matrix(-0.1, 0.1), title=TITLE, label="share, %"),
        [*SYSTEMS, "share, %"],
    ),
    documents.together: (lambda: documents.together(matrix(0, 99), TITLE, "HITs"), SYSTEMS),
    documents.judged_beside: (lambda: documents.judged_beside(company(), TITLE), SYSTEMS),
    documents.balance: (balance, ROWS),
    documents.document_matrix: (
        lambda: documents.document_matrix(matrix(0, 100), TITLE, "mean", set(NAMES[:1])), SYSTEMS,
    ),
    documents.variance_bars: (shares, ROWS),
    documents.difficulty: (hard, SYSTEMS),
    documents.easy_documents: (lambda: documents.easy_documents(company(), TITLE), SYSTEMS),
    changes.finding: (found, [changes.AXES["lines"], *NAMES]),
    lines.standing: (held, SYSTEMS),
    lines.counts_figure: (counts, ROWS),
    lines.false_lines_figure: (false_lines, ANY),
    lines.recipes: (five_recipes, SYSTEMS),
    lines.p_figure: (p_values, SYSTEMS),
    lines.variants_figure: (variants, SYSTEMS),
    lines.rules_figure: (rules, ROWS),
    relative_ranking.agreement_figure: (
        lambda: relative_ranking.agreement_figure(kappas("task", TASKS), "task", "pi", TITLE), ROWS,
    ),
    relative_ranking.measures_figure: (
        lambda: relative_ranking.measures_figure(kappas("all", ["all"]), TITLE),
        [*ANY, *relative_ranking.MEASURE_NAMES.values()],
    ),
    relative_ranking.judges_figure: (judges, ANY),
    relative_ranking.scatter_panels: (panels, ROWS),
    relative_ranking.methods_figure: (by_method, SYSTEMS),
    relative_ranking.pairs_figure: (pairs, SYSTEMS),
    relative_ranking.ranges_figure: (drawn_ranges, [*ROWS, *NAMES]),
    relative_ranking.removal_figure: (removals, ROWS),
    simulation.win_ratios: (win_ratios, ROWS),
    simulation.growth: (growth, ROWS),
    simulation.ranking_errors: (errors, ANY),
    simulation.advice: (
        lambda: simulation.advice(advice(systems=[6, 15], spread=[8.0, 12.0]), TITLE), ANY,
    ),
    simulation.advice_for_tasks: (
        lambda: simulation.advice_for_tasks(advice(task=TASKS).assign(collected=9e3), TITLE), ROWS,
    ),
    srp.rater_distribution: (raters, [*ANY, *NAMES[1:3]]),
    srp.srp_curves: (lambda: srp.srp_curves(stability("series"), TITLE), [*ANY, *NAMES[:5]]),
    srp.effort: (effort, [*ANY, *NAMES[:5]]),
    tournament.tournament_figure: (cycles, SYSTEMS),
    tournament.rankings_figure: (tournament_methods, SYSTEMS),
    tournament.violations_figure: (
        lambda: tournament.violations_figure(costs(TASKS), TITLE), ROWS,
    ),
}  # fmt: skip


def name(function):
    return f"{function.__module__.rsplit('.', 1)[1]}.{function.__name__}"


def test_every_drawing_function_is_drawn_here():
    modules = [
        importlib.import_module(m.name)
        for m in pkgutil.iter_modules(plot.__path__, f"{plot.__name__}.")
    ]
    drawing = {
        name(function)
        for module in modules
        for _, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not function.__name__.startswith("_")
        and inspect.signature(function).return_annotation is Figure
    }  # fmt: skip
    assert drawing == {name(function) for function in (*KINDS, common.finish)}


def texts_of_svg(fig) -> list[str]:
    """The texts of a figure as its file holds them, line by line."""
    target = io.StringIO()
    with common.style():
        fig.savefig(target, format="svg", bbox_inches=None)
    assert "<img" not in target.getvalue()
    found = re.findall(r"<text[^>]*>(.*?)</text>", target.getvalue(), re.DOTALL)
    return [unescape(re.sub(r"<[^>]+>", "", text)) for text in found]


def drawn(fig) -> dict[str, object]:
    """Places, looks and words of what a figure draws, panel by panel."""
    out: dict[str, object] = {}
    for k, ax in enumerate(fig.axes):
        places = [line.get_xydata() for line in ax.lines]
        places += [path.vertices for c in ax.collections for path in c.get_paths()]
        places += [np.ma.filled(c.get_offsets(), -1) for c in ax.collections]
        places += [
            bar.get_patch_transform().transform(bar.get_path().vertices) for bar in ax.patches
        ]
        looks = [
            f"{e.get_color()}{e.get_linestyle()}{e.get_marker()}{e.get_mfc()}" for e in ax.lines
        ]
        looks += [str(np.round(c.get_facecolor(), 2).tolist()) for c in ax.collections]
        words = [f"{t.get_text()} {t.get_fontweight()} {t.get_color()}" for t in ax.texts]
        heads = [ax.get_title(), ax.get_title("left"), ax.get_xlabel(), ax.get_ylabel()]
        heads += [t.get_text() for t in (*ax.get_xticklabels(), *ax.get_yticklabels())]
        values = [np.ma.filled(c.get_array().astype(float), -1).ravel()
                  for c in ax.collections if c.get_array() is not None]  # fmt: skip
        out[str(k)] = {
            "places": np.concatenate([np.ravel(one) for one in places] or [[]]),
            "values": np.concatenate(values or [[]]),
            "at": np.ravel([t.get_position() for t in ax.texts]).astype(float),
            "scale": [ax.get_xscale(), ax.get_yscale(), str(ax.yaxis_inverted())],
            "heads": heads,
            "words": words,
            "looks": looks,
        }
    return out | {"keys": [t.get_text() for key in fig.legends for t in key.get_texts()]}


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_what_is_asked_for_is_in_the_file_uncut_apart_and_dark_enough(kind):
    draw, wanted = KINDS[kind]
    RNG.bit_generator.state = START
    fig = draw()
    with common.style():
        fig.draw_without_rendering()
        fig.set_layout_engine("none")  # laid out once
        texts = written(fig)
        assert faults(fig, texts) == []
        seen = [line for text in texts for line in text.text.split("\n")]
        assert not any(text.get_parse_math() for text in fig.findobj(Text))
    kept.check(FILE, name(kind), drawn(fig))
    found = texts_of_svg(fig)
    assert sorted(found) == sorted(line for line in seen if line.strip())
    whole = "".join("".join(found).split())  # names may be broken over lines, not cut
    assert [w for w in wanted if "".join(w.split()) not in whole] == []


def pairs_of(number):
    """Who beats whom among so many systems, with the title of a task of WMT11."""
    names = [f"system-{k}-combo" for k in range(number)]
    percent = pd.DataFrame(RNG.uniform(0, 100, (number, number)), names, names)
    tests = frame(system=names[:-1], other=names[1:], p=0.01, p_holm=0.04)
    title = "wmt11 cs-en combination: who beats whom"
    return relative_ranking.pairs_figure(percent, tests, title)


def counted_of(number):
    names = [f"S{k}" for k in range(number)]
    counts = pd.DataFrame(RNG.uniform(0, 99, (number, number)), names, names)
    return documents.together(counts, "wmt22 en-liv: 22 HITs", "% of the row system's HITs")


@pytest.mark.parametrize("draw", [pairs_of, counted_of])
@pytest.mark.parametrize("number", [2, 4, 59])
def test_the_colour_bar_of_few_and_of_many_systems_stays_beside_its_map(draw, number):
    fig = draw(number)
    with common.style():
        fig.draw_without_rendering()
        fig.set_layout_engine("none")
        assert faults(fig, written(fig)) == []
    drawn_map, bar = (ax.get_window_extent() for ax in fig.axes)
    assert bar.height < drawn_map.height and bar.y0 > drawn_map.y0 - 1


def test_luck_that_no_system_has_is_said_and_no_empty_figure():
    """As in the kept figures of WMT24 and SLT23: each system on all documents, or no variance."""
    none = company().assign(luck_raw=0.0, luck_low=0.0, luck_high=0.0)
    fig = documents.easy_documents(none, "wmt24-esa en-cs")
    texts = [text.get_text() for text in fig.axes[0].texts]
    assert len(texts) == 1 and texts[0].startswith("0 for every system")
    assert not documents.easy_documents(company(), TITLE).axes[0].texts
    with common.style():
        assert faults(fig, written(fig)) == []


def moved_two():
    wide = pd.DataFrame({"z": [1, 2, 3], "raw": [1, 2, np.nan]}, index=["A", "B", "C"])
    return common.bump(common.bump_places(wide), title="x", highlight=["B"])


def crossed_out():
    values = pd.DataFrame([[1.0, 2.0], [np.nan, 4.0]], index=["r1", "r2"], columns=["c$1", "c$2"])
    texts = values.map(lambda v: "×" if np.isnan(v) else f"{v:.0f}")
    return common.heatmap(values, title="x", label="points", texts=texts)


def never_met():
    made = stability("series")
    return srp.srp_curves(made.assign(studies=250 * (made["series"] != NAMES[0])), "title")


OTHERS = {  # what else the same functions draw
    "no fractions": lambda: changes.fractions_by_style(fractions()[:0], "none"),
    "highlight": moved_two,
    "matrix with words": crossed_out,
    "a target never met": never_met,
    "effort of one task": lambda: srp.effort(
        stability("label", level=1.0).assign(effort=9.0, task="t"), "x"
    ),
    "one method removed": lambda: relative_ranking.removal_figure(
        grid(task=TASKS, method=["bojar"]).assign(d_rank=6, d_cluster=2, removals=8), "t"
    ),
    "together without humans": lambda: documents.judged_beside(company(human=0), TITLE),
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_else_is_drawn_is_as_it_was_kept(other):
    RNG.bit_generator.state = START
    kept.check(FILE, other, drawn(OTHERS[other]()))


def test_the_theme_is_for_one_figure():
    before = dict(plt.rcParams)
    moved_two()
    with common.style():
        assert plt.rcParams["text.parse_math"] is False
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == list(common.PALETTE)
    assert dict(plt.rcParams) == before


def test_the_words_of_a_figure_name_title_and_axes():
    fig = held()
    described = common.describe(fig)
    assert described.startswith(f"{TITLE}. Named: ariel197197.512, ")
    assert "Across: mean z-score, 95 % interval. Across: rank" in described
    described = common.describe(found())
    assert described.startswith(f"Across: {changes.AXES['lines']}")
    assert f"Down: {NAMES[0]} · worker × document 3 of 9" in " ".join(described.split())


def test_the_check_finds_what_is_wrong():
    with common.style():
        fig, ax = plt.subplots(figsize=(4, 3))
        ax.text(0.5, 0.5, "pale", color="#DE8F05")
        ax.text(0.2, 0.2, "one over another")
        ax.text(0.2, 0.2, "another over one")
        found = " ".join(faults(fig))
    assert "contrast 2.6: 'pale'" in found and "over one another" in found


def test_a_colour_is_darkened_only_as_far_as_needed():
    for colour in common.PALETTE:
        assert 4.5 <= common.contrast(common.legible(colour), "white") < 21.01
    assert common.legible("#000000") == "#000000"
    assert common.contrast("black", "white") == pytest.approx(21)


def test_agreement_without_a_reference_is_drawn_once():
    table = kappas("all", ["all"])
    once = table.assign(**{name: 0.5 for name in relative_ranking.MEASURE_NAMES})
    for made, words in ((table, ["with the reference", "without"]), (once, [])):
        fig = relative_ranking.measures_figure(made, TITLE)
        (legend,) = fig.legends
        said = [text.get_text() for text in legend.get_texts()]
        assert said == ["intra: one judge twice", "inter: two judges", *words]
        plt.close(fig)


def test_a_long_name_of_the_score_is_no_wider_than_its_axis():
    table = ranges(score=SPAN, unit="worker x document")
    name = "mean raw score, each domain weighing the same"
    fig = lines.standing(table, lines_of(), TITLE, name)
    fig.draw_without_rendering()
    axis = fig.axes[1]
    assert axis.xaxis.label.get_window_extent().width < axis.get_window_extent().width
    plt.close(fig)
