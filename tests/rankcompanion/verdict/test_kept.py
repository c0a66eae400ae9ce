"""Every number and sentence of verdicts, and of what they rest on, is the one in `kept.json`."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kept
from assessments import demo, ranked
from rankcampaigns.campaigns import find
from rankcompanion.models import simulate, truth, variance
from rankcompanion.models.variance import combined_factors
from rankcompanion.notebooks.lines import calibration, held, tables
from rankcompanion.verdict import cases, design, page, predicted, sizes
from rankstability.errors import DataError
from rankstability.rank import ranges, units
from rankstability.rank.certainty import certainty, of_battles, of_wins
from rankstability.rank.recipes import RECIPES
from rankstability.score.scored import from_assessment, from_frame
from verdicts import told_of, written

FILE = Path(__file__).with_name("kept.json")
REAL = ("campaign", "data", "package", "title", "ranking", "systems", "files", "workbook")


# ------------------------------------------------------------------ campaigns


def judged(seed=3, systems=4, workers=3, documents=6, domains=2, gap=6, adaptive=False, **names):
    """Uneven judgments of systems by annotators on documents; the first system is a reference."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        for w in rng.choice(workers, 2, replace=False):
            for s in range(systems):
                if s and rng.random() < 0.2 * (1 + adaptive * s / systems):
                    continue
                for k in range(1 + d % 3):
                    score = 70 - gap * (s // 2) + 4 * np.sin(3 * w + s) + rng.normal(0, 8)
                    rows.append((f"S{s}" if s else "ref.A", f"{d}-{k}", f"d{d}", f"a{w}",
                                 f"dom{d % domains}", round(score)))  # fmt: skip
    columns = ["system", "segment", "document", "worker", "domain", "score"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.drop(columns=[name for name, there in names.items() if not there])


def humans(**names):
    frame = judged(**names)
    return frame.assign(system="ref." + frame["system"].str[-1])


def own(folder, frame):
    """The verdict of a campaign of one's own."""
    frame.rename(columns={"worker": "annotator"}).to_csv(folder / "mine.csv", index=False)
    return told_of(folder / "mine.csv", "xx-yy")


def timed(folder):
    """With times, and clear gaps."""
    frame = judged(5, workers=8, documents=16, domains=1, gap=12)
    frame["seconds"] = 10 + 5 * np.sin(np.arange(len(frame))).round(2)
    return own(folder, frame)


def battles(folder, judges=6, ties=0.2, categories=False):
    rng = np.random.default_rng(judges)
    rows = []
    for k in range(240):
        one, other = rng.choice(4, 2, replace=False)
        draw = rng.random()
        first = rng.random() < 1 / (1 + np.exp(0.7 * (one - other)))
        winner = "tie" if draw < ties else "model_a" if first else "model_b"
        row = {"model_a": f"M{one}", "model_b": f"M{other}", "winner": winner}
        row |= {"judge": f"j{int(judges * rng.random() ** 2)}"} if judges else {}
        category = "b" if 3 in (one, other) and k % 3 == 0 else "abc"[k % 3]
        rows.append(row | ({"category": category} if categories else {}))
    pd.DataFrame(rows).to_csv(folder / "arena.csv", index=False)
    return told_of(folder / "arena.csv", "xx-yy")


def of_demo(name):
    return lambda folder: told_of(name, find(name).pairs[0])


VERDICTS = {
    **{name: of_demo(name) for name in ("demo-srdc", "demo-mqm", "demo-rr")},
    "two annotators": lambda folder: own(folder, judged(workers=2, documents=8)),
    "no documents": lambda folder: own(folder, judged(document=False, domain=False)),
    "no units, all human": lambda folder: own(folder, humans(worker=False, document=False)),
    "times": timed,
    "battles": battles,
    "battles without judges": lambda folder: battles(folder, 0, 0.0, True),
}


def verdict(folder, make):
    told = make(folder)
    out = {name: value for name, value in written(told).items() if name not in REAL}
    return out | {"called": page._called(told)}


# ------------------------------------------------------------------ what else is computed


def of_means():
    """Certainty of scores by every kind of unit, by domain, and of an adaptive design."""
    frames = {
        "plain": judged(8, 6, 8, 16, gap=12),
        "adaptive": judged(9, 5, 8, 16, gap=12, adaptive=True),
    }
    out = {}
    for name, frame in frames.items():
        scores = from_frame(frame, adaptive=name == "adaptive")
        for unit in (None, "worker", "document"):
            for by_domain in (False, True):
                out[f"{name} {unit} {by_domain}"] = certainty(scores, unit, by_domain)
    scores = from_frame(frames["plain"])
    rng = np.random.default_rng(1)
    drawn = [units.draw_means(scores, unit, rng, 7, True) for unit in (units.TWO_WAY, "document")]
    return out | {"drawn": np.concatenate(drawn), "kinds": units.unit_table(scores)}


def of_comparisons():
    """Certainty of wins and of battles, by judge and by block; lines of equal systems."""
    model = simulate.Model(systems=5, spread=4.0, block=2)
    rng = np.random.default_rng(2)
    quality = simulate.draw_qualities(model, 2, rng)
    drawn = simulate.draw_blocks(model, quality[0], 300, rng, judges=7, judge_spread=1.0)
    ties = np.where((np.arange(300) % 5 == 0)[:, None], 1, drawn.ranks)
    of = ranges.units(replace(drawn, ranks=ties))
    won, decided = of.by("judge").decided_by_system()
    larger = simulate.Model(systems=6, block=3)
    quality = simulate.draw_qualities(larger, 2, rng)
    data = held.battles(ranked(simulate.draw_blocks(larger, quality[0], 200, rng)))
    many = simulate.Model(systems=40, block=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held, "MANY", 100)
        turned = held.false_lines(data, np.random.default_rng(3), 20)
        turned["drawn"] = held.draw(data, of_wins(of.systems, won, decided), rng, 9).sum()
    return {
        "turned": turned,
        "battles": of_battles(of),
        "blocks": of_battles(of, "block"),
        "wins": of_wins(of.systems, won, decided),
        "false": held.false_lines(data, np.random.default_rng(3), 30),
        "rr": data.number,
        "counts": simulate.draw_counts(larger, quality, [30, 100], rng),
        "pairs": simulate.draw_pairs(larger, quality, [30, 100], rng),
        "many": simulate.draw_counts(many, simulate.draw_qualities(many, 1, rng), [60], rng),
    }


def of_planning():
    """What campaigns of other sizes would tell, of scores and of comparisons."""
    scores = from_assessment(demo("SR+DC", 31, workers=8, documents=9)[0])
    rng = np.random.default_rng(4)
    sure = certainty(scores)
    known = sizes.precision(scores, sure)
    names = [known.systems[k] for k in np.argsort(-known.mean)]
    of = sizes.of_means(sure, 500)
    two = design.precision(from_frame(judged(systems=2, documents=9)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "MOST", len(scores.score) // 3)
        few = sizes.precision(scores, sure, True)
    halves = [
        predicted.twin_agreement(scores, known, unit, share, rng, 4)
        for unit, share in (("worker", 0.5), ("document", 0.25), ("document", 0.5))
    ]
    return {
        "known": {n: v for n, v in vars(known).items() if n != "components"},
        "components": known.components.table(),
        "plain": design.precision(scores, by_domain=True).quality,
        "two": two.truths(5, rng),
        "few": few.components.table(),
        "plans": design.plans(known, rng, (0.5, 2), (1, 3), (1, 2), 20),
        "halves": pd.concat(halves),
        "needed": sizes.needed(known, names, rng, 0.1, 50),
        "of means": sizes.needed(of, names, rng, 0.05, 50),
        "additions": sizes.additions(known, rng, 50),
        "again": known.again(known.truths(9, rng), rng, documents=4.0, annotators=2.0),
        "gap": design.smallest_gap(known, documents=2.0),
    }


def of_truth():
    """A simulated truth and its scores, halves of them, coverage of rank sets."""
    rng = np.random.default_rng(5)
    da, _ = demo("SR+DC", 21, workers=10, documents=12)
    known, apart = truth.known_truth(da), truth.known_truth(da, together=False)
    halves = truth.split_halves(da, {"simulated": known, "apart": apart}, rng, 4, 5)
    check = truth.agreement_check(halves)
    score = from_assessment(da)
    of = combined_factors(score.system, score.segment, score.unit("worker"), score.unit("document"))
    parts = variance.crossed_where_possible(score.score, of)
    return {
        "known": {n: v for n, v in vars(known).items() if n != "da"},
        "apart": {n: v for n, v in vars(apart).items() if n != "da"},
        "draw": known.draw(2, rng),
        "halves": halves,
        "check": check,
        "as real": float(truth.bears_out(check)),
        "means": truth.cell_means(da, known.draw(2, rng)),
        "coverage": calibration.coverage(known, ["worker", "segment"], rng, 6),
        "parts": parts.table(),
        "effects": parts.effects,
        "deviance": parts.deviance,
        "least squares": variance.effects(score.score, score.system, score.unit("worker")),
        "penalty": variance.effects(
            score.score, score.system, score.unit("worker"), score.unit("document"),
            1.0 + score.segment % 2, (3.0, 5.0),
        ),
        "left out": (left := variance.leave_out(score, parts, "worker", rng, groups=4)),
        "error": variance.error(left.log_ratio),
    }  # fmt: skip


def of_lines():
    """Lines of all recipes by unit, of equal systems, of chance; wins of shuffled labels."""
    scores = from_frame(judged(8, 6, 6, 12, gap=10))
    ranking, lines = held.recipes(dict.fromkeys(RECIPES, scores), ["worker", ""])
    shown = tables.judged_by(demo("SR+DC", 21, workers=6, documents=6)[0])
    rng = np.random.default_rng(6)
    kinds = tables.null_units(scores)
    fit = held.standing(scores, "wmt24", rng, resamples=30)
    adaptive = from_frame(judged(9, 5, 6, 12, adaptive=True), adaptive=True)
    systems = np.repeat([0, 1, 2, 3], 6), np.arange(24) // 2 % 8, np.arange(24) % 3
    return {
        "recipes": ranking,
        "lines": lines,
        "beside": held.beside(fit.sure.systems[::-1], [2], scores, ["worker", "document"], 0.2),
        "counts": tables.line_counts(lines),
        "null": tables.false_line_table(shown, kinds, 7, 12, own="wmt25"),
        "random": tables.random_lines(scores, "wmt26", 7, 8),
        "parts": tables.parts_table({"a": scores, "b": adaptive}, "wmt17"),
        "apart": tables.pairs_apart(adaptive),
        "kinds": [*kinds, "|", *tables.units_shown(scores)],
        "domains": [" ".join(cases._domain_names(judged(), n)) for n in (2, 3, 4)],
        "sets": held.set_table(fit),
        "adaptive": held.standing(adaptive, "wmt24", rng, resamples=30).table,
        "labels": truth.shuffle_labels(systems[0], systems[1], rng),
        "blocks": truth.shuffle_blocks(systems[0], systems[1], systems[2], rng),
    }


def of_refusals():
    """What is said of data and settings that cannot be taken."""
    model, rng = simulate.Model(systems=3, block=3), np.random.default_rng(0)
    frame, y = judged(worker=False), np.arange(4.0)
    ties = pd.DataFrame(
        {"block": np.repeat([0, 1, 2], 2), "judge": "", "segment": "s", "task": "t"}
    )
    ties["system"], ties["rank"], ties["position"] = list("ABABAC"), [1, 2, 1, 2, 1, 1], [1, 2] * 3
    asked = {
        "block": lambda: simulate.Model(systems=3, block=4),
        "single": lambda: simulate.Model(block=1),
        "spread": lambda: simulate.Model(spread=0),
        "width": lambda: simulate.Model(width=0),
        "none": lambda: simulate.draw_counts(model, np.zeros((1, 3)), [], rng),
        "nought": lambda: simulate.draw_counts(model, np.zeros((1, 3)), [0, 1], rng),
        "equal": lambda: simulate.draw_counts(model, np.zeros((1, 3)), [4, 4], rng),
        "missing": lambda: variance.crossed(y * np.nan, {"a": [0, 0, 1, 1]}),
        "no rows": lambda: variance.crossed(y[:0], {"a": []}),
        "one level": lambda: variance.crossed(y, {"a": [0, 0, 0, 0]}),
        "all levels": lambda: variance.crossed(y, {"a": [0, 1, 2, 3]}),
        "same": lambda: variance.crossed_where_possible(0 * y, {"a": [0, 0, 1, 1]}),
        "no factor": lambda: variance.crossed_where_possible(y, {"a": [0, 0, 0, 0]}),
        "unit": lambda: certainty(from_frame(frame), "hit"),
        "level": lambda: certainty(from_frame(frame), alpha=1.0),
        "ties": lambda: held.battles(ties),
        "judges": lambda: held.battles(ties, "judge"),
    }
    said = {}
    for name, refused in asked.items():
        with pytest.raises(DataError) as caught:
            refused()
        said[name] = str(caught.value)
    return said | {"taken": simulate.Model(2, block=2).names(), "pairs": model.per_block}


OTHERS = (of_means, of_comparisons, of_planning, of_truth, of_lines, of_refusals)
TOPICS = {
    name: (lambda folder, make=make: verdict(folder, make)) for name, make in VERDICTS.items()
}
TOPICS |= {make.__name__: (lambda folder, make=make: make()) for make in OTHERS}


@pytest.mark.parametrize("topic", TOPICS)
def test_every_number_and_sentence_is_the_one_kept(topic, tmp_path):
    kept.check(FILE, topic, TOPICS[topic](tmp_path))
