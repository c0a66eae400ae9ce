"""A verdict: how far a ranking can be trusted, computed, drawn and written as one page.

`verdict` is all of it, without a notebook; notebook 00 calls the same `cases` and `make`. The
sentences stand in the page's template.
"""

from __future__ import annotations

import base64
import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from tqdm import tqdm

from paperkit import parameters, placing
from paperkit.templates import HERE, template
from rankstability.chance import named_generator
from rankstability.judgments import DirectAssessment, human_systems, reference_systems
from rankstability.rank.balanced import adaptive, complete
from rankstability.rank.bradley_terry import STRENGTH
from rankstability.rank.recipes import RECIPES
from rankstability.read import campaigns
from rankstability.read.languages import PLACEHOLDER

from .. import run as runner
from .. import session
from ..figures import lines as figures
from ..lines.held import METHOD
from ..session import Drawn, Outputs, Run
from . import answers
from . import cases as study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rankstability.read.campaigns import Campaign

    from ..lines.held import Standing
    from .cases import Case

SYSTEM = ("system", "score", "low", "high", "rank_low", "rank_high", "p_first")


@dataclass(frozen=True)
class Verdict:
    """One case's verdict as written: what the page says, its tables and figures, the page's place.

    `said` are plain values (see `told`), `file` is the page's path in the folder of results.
    """

    said: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    drawn: Sequence[Drawn]
    file: str

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return sentence(self.said)


def execute(plan: runner.Plan, quiet: bool = False) -> list[Verdict]:
    """The verdicts of a run as `run.plan` has it, put in place whole; `quiet`: no progress bar."""
    made: list[Verdict] = []
    with placing.made_folders(plan.final.parent), placing.staging(plan.final) as own:
        runner.results(plan, own, lambda v: made.extend(verdict(v, plan.read, quiet)))
        if not plan.values.get("output_dir"):
            placing.claim(plan.campaign)
    return made


def verdict(
    values: Mapping[str, Any], read: Mapping[str, Any] | None = None, quiet: bool = True
) -> list[Verdict]:
    """Compute and write the verdict of each case, and the campaign's table of them.

    `values` are parameters of notebook 00 by name; `read` may hold judgments by language pair.
    """
    known = {p.name: p.default for p in parameters.parameters(parameters.VERDICT)} | dict(values)
    where = [known.pop(name) for name in ("campaign", "pair", "output_dir")]
    run = session.opened(parameters.VERDICT, *where, **known)
    found = cases(run, known["recipe"], known["unit"], read)
    made = [make(run, one, known) for one in tqdm(found, "verdicts", disable=quiet or None)]
    whole(run)
    return made


def cases(
    run: Run, recipe: str = "auto", unit: str = "auto", read: Mapping[str, Any] | None = None
) -> list[Case]:
    """The cases of every language pair of the run: all are read before anything is computed."""
    had = read or {}
    judgments = {p: had[p] if p in had else campaigns.load(run.campaign, p) for p in run.pairs}
    made = (study.cases(run.campaign, p, one, recipe, unit) for p, one in judgments.items())
    return [one for several in made for one in several]


def make(run: Run, one: Case, settings: Mapping[str, Any]) -> Verdict:
    """Compute one case's verdict, draw it, write it; `settings`: recipe, and those of `judged`."""
    numbers = {name: value for name, value in settings.items() if name != "recipe"}
    made, tables = judged(one, **numbers)
    said = told(run, one, made, tables, dict(settings))
    title = f"{run.campaign.title}: {one.name}"
    drawn = write(run.out, one, said, tables, _figures(one, made, tables, title, said))
    return Verdict(said, tables, drawn, f"{one.pair}/verdict{_track(one)}.html")


def whole(run: Run) -> pd.DataFrame:
    """Write all pairs' sentences as one table, where the run is of the whole campaign."""
    if not run.whole:
        return pd.DataFrame()
    return run.out.table(run.out.pair_tables("sentence"), "verdicts")


def judged(
    one: Case,
    *,
    unit: str = "auto",
    alpha: float = 0.05,
    draws: int = 200,
    resamples: int = 1000,
    seed: int = 2026,
) -> tuple[Standing, dict[str, pd.DataFrame]]:
    """The ranking with what holds of it, and all tables of a case's verdict by name."""
    rng = named_generator(seed, one.name)
    made = study.standing(one, unit, rng, resamples, alpha)
    return made, {
        "ranking": made.ranking,
        "lines": made.lines,
        "answers": answers.line_answers(made),
        "probabilities": made.probabilities,
        "unit_table": made.units,
        **study.recipes(one, made.unit, alpha),
        "false_lines": study.false_lines(one, seed, draws, alpha),
        "removals": study.removals(one, alpha),
        **study.again(one, made, rng, alpha),
        "controls": study.controls(one),
        "beside": study.beside(one),
        **study.judged_on(one),
        **study.by_annotators(one, rng, alpha),
    }


def _figures(
    one: Case,
    made: Standing,
    tables: Mapping[str, pd.DataFrame],
    title: str,
    said: Mapping[str, Any],
) -> dict[str, Figure]:
    label = said["score_name"]
    drawn = {"verdict": figures.standing(made.ranking, made.lines, title, label, said["alpha"])}
    if made.unit:
        named = f"{title}: chance of each rank"
        drawn["chances"] = figures.chances_figure(made.probabilities, named, made.unit)
    if one.judged:
        both = tables["recipes"], tables["recipe_lines"]
        drawn["recipes"] = figures.recipes(*both, f"{title}: the recipes of all years")
    return drawn


def _track(one: Case) -> str:
    """What is added to the names of a task's files; nothing for the first task of a pair."""
    return f"_{one.name.partition(' ')[2]}" if one.extra else ""


def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A frame's rows as plain values; None for what is empty or not finite."""
    return list(json.loads(frame.to_json(orient="records", double_precision=12)))


def sentence(told: Mapping[str, Any]) -> str:
    """The answer in one sentence, as the template says it."""
    text = str(template("verdict_words.j2").module.sentence(told))
    return html.unescape(" ".join(text.split()))


def page(told: Mapping[str, Any], pictures: Mapping[str, bytes]) -> bytes:
    """The verdict as one HTML page that needs nothing else: pictures stand in it."""
    start = "data:image/png;base64,"
    images = {name: start + base64.b64encode(png).decode() for name, png in pictures.items()}
    css = (HERE / "site.css").read_text(encoding="utf-8")
    return bytes(template("verdict.html.j2").render(v=told, images=images, css=css).encode())


def as_json(told: Mapping[str, Any]) -> bytes:
    """The contract: sentence, read, pair, protocol, unit, systems, lines, may_be_first, ..."""
    systems = [{name: row[name] for name in SYSTEM} for row in told["ranking"]]
    out = {
        "sentence": sentence(told),
        "read": told["read"],
        **{name: told[name] for name in ("campaign", "name", "pair", "protocol", "recipe", "unit")},
        "systems": systems,
        "lines": [{k: row[k] for k in ("below", "claimed", "held")} for row in told["lines"]],
        "may_be_first": told["may_be_first"],
        "repeat": told["repeat"][0] if told["repeat"] else None,
        **{name: told[name] for name in ("false_lines", "needed")},
    }
    return (json.dumps(out, indent=1, ensure_ascii=False) + "\n").encode()


SCORE_NAMES = {
    ("DA", "z"): "mean z-score",
    ("DA", "raw"): "mean raw score",
    ("MQM", "raw"): "minus MQM per segment",
    ("MQM", "z"): "mean z-score of minus MQM",
    ("RR", STRENGTH): "strength",
    ("RR", METHOD): "share of wins",
}
MAYBE = (
    *("false_lines", "removals", "repeat", "needed", "additions"),
    *("controls", "design", "agreement", "annotators", "influence", "habits", "meetings"),
)


def told(
    run: Run, one: Case, made: Standing, frames: dict[str, pd.DataFrame], settings: dict[str, Any]
) -> dict[str, Any]:
    """Everything the page says, as plain values: settings, first numbers, tables as rows.

    `frames` are the case's tables by name.
    """
    first = answers.summary(made, frames["answers"])
    recipe = RECIPES.get(one.recipe)
    return {
        **{name: [] for name in MAYBE},
        **{name: rows(frame) for name, frame in frames.items()},
        **first,
        **settings,
        **_design(frames, one),
        "campaign": run.campaign.name,
        "title": run.campaign.title,
        "name": one.name,
        "pair": one.pair,
        "pair_named": one.pair != PLACEHOLDER,
        "protocol": one.protocol,
        "recipe": one.recipe,
        "rules": f"{recipe.test_name}; {recipe.line_rule}" if recipe else "",
        "unit": made.unit,
        "asked": _asked(made),
        "standardised": recipe is not None and recipe.score == "z",
        "score_name": SCORE_NAMES[one.protocol, recipe.score if recipe else one.recipe],
        "judgments": one.judgments_counted,
        "judges": one.battles.judges if one.battles else None,
        "unnamed": one.battles.unnamed if one.battles else None,
        "has_documents": one.battles is None and "document" in one.own.units,
        "complete": one.battles is None and complete(one.own),
        "within": one.battles is None and one.own.adaptive,
        "recipe_counts": _recipe_counts(frames),
        "look_at": _look_at(frames),
        "data": str(run.out.settings.get("data", "")),
        "package": str(run.out.settings.get("package", "")),
        "files": [f"{name}.csv" for name, frame in frames.items() if len(frame)],
        "read": _read(run.campaign, one),
    }


def _asked(made: Standing) -> list[Any]:
    """Annotators or documents that are named, and of which no others were asked about: how many."""
    named = made.units.set_index("unit")["units"]
    kinds = ("worker", "document")
    if made.unit not in kinds or named.index.isin(kinds).sum() != 2:
        return []
    [other] = [kind for kind in kinds if kind != made.unit]
    return [other, int(named[other])]


def _read(campaign: Campaign, one: Case) -> dict[str, list[Any]]:
    """What was read of a pair: files, and those not read with the reason; how columns and scale
    were understood; what was left out or kept, with counts; who counts as human or reference."""
    judgments = one.judgments
    human: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    if isinstance(judgments, DirectAssessment):
        excluded = judgments.excluded.groupby("reason", sort=False)["rows"].sum().to_dict()
        human, reference = human_systems(judgments), reference_systems(judgments)
    else:
        excluded = dict(judgments.attrs.get("excluded", {}))
    return {
        "files": [file.name for file in campaign.files(one.pair)],
        "unread": [{"file": file, "reason": reason} for file, reason in campaign.unread],
        "how": rows(campaign.reading),
        "counted": [{"reason": str(k), "rows": int(n)} for k, n in excluded.items() if n],
        "human": list(human),
        "reference": list(reference),
    }


def _design(frames: Mapping[str, pd.DataFrame], one: Case) -> dict[str, Any]:
    beside, design = frames["beside"], frames.get("design", pd.DataFrame())
    out: dict[str, Any] = dict.fromkeys(("beside_share", "beside_least", "luck", "adaptive"))
    if len(beside):
        out["beside_share"] = beside["share"].quantile([0, 0.5, 1]).tolist()
        least = beside.loc[beside["share"].idxmin()]
        out["beside_least"] = f"{least['system']} and {least['other']}"
    if "luck" in design:
        out["luck"] = float(design["luck"].abs().max())
        value = adaptive(one.own)
        out["adaptive"] = value if math.isfinite(value) else None
    return out


def _recipe_counts(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    if "recipes" not in frames:
        return []
    lines = frames["recipe_lines"].copy()
    lines["also_held"] = lines["held"].where(lines["claimed"] == 0, 0)
    lines["held"] = lines["held"].where(lines["claimed"] == 1, 0)
    counts = lines.groupby("recipe", sort=False)[["claimed", "held", "also_held"]].sum().astype(int)
    ranking = frames["recipes"]
    first = ranking[ranking["rank"] == 1].set_index("recipe")["system"].rename("first")
    return rows(counts.join(first).reset_index())


def _look_at(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """On whom lines hang, the strictest, mildest, of least spread, quickest, least like self.

    Strictest, mildest and of least spread of all, and on the same outputs as others.
    """
    if "annotators" not in frames:
        return []
    each = frames["annotators"].merge(frames["influence"][["name", "fallen"]], how="left")
    enough = each[each["judgments"] >= 20]
    named = [each[each["fallen"] > 0].head(3)]
    named += [enough.nlargest(2, "severity"), enough.nsmallest(2, "severity")]
    named += [enough.nsmallest(2, "sd")]
    shared = each[each["shared"] >= 20]
    named += [shared.nlargest(1, "severity_same"), shared.nsmallest(1, "severity_same")]
    named += [shared.nsmallest(1, "spread_same")]
    if "seconds" in each:
        named += [enough.nsmallest(2, "seconds")]
    if "difference" in each:
        named += [each[each["repeats"] >= 5].nlargest(2, "difference")]
    return rows(pd.concat(named).drop_duplicates("annotator"))


def write(
    out: Outputs,
    one: Case,
    said: Mapping[str, Any],
    frames: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Any],
) -> list[Drawn]:
    """Write a case's tables, figures, page, JSON and LaTeX; give back the figures to show.

    Of several tasks of a pair the first takes the plain names, others their own added.
    """
    track = _track(one)
    for name, frame in frames.items():
        if len(frame):
            out.table(frame, name + track, one.pair)
    shown = {name: out.figure(fig, name + track, one.pair) for name, fig in figures.items()}
    line = {"task": one.name, "protocol": one.protocol, "unit": said["unit"]}
    line |= {"claimed": said["claimed"], "held": said["claimed_held"]}
    line |= {"also_held": said["also_held"], "sentence": sentence(said)}
    out.table(pd.DataFrame([line]), "sentence" + track, one.pair)
    page_of = page(said, {name: drawn.png for name, drawn in shown.items()})
    out.document(page_of, f"verdict{track}.html", one.pair, "the verdict as a page")
    out.document(as_json(said), f"verdict{track}.json", one.pair, "the verdict's numbers")
    latex = f"{template('ranking.tex.j2').render(v=said)}\n".encode()
    out.document(latex, f"ranking{track}.tex", one.pair, "the ranking in LaTeX")
    return list(shown.values())
