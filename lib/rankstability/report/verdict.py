"""A verdict as one page, as JSON and as LaTeX. The sentences stand in the page's template."""

from __future__ import annotations

import base64
import html
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from .templates import HERE, template

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from ..study.held import Standing
    from ..study.verdict import Case
    from .session import Drawn, Outputs, Run

SYSTEM = ("system", "score", "low", "high")


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
    systems = [
        {name: row[name] for name in SYSTEM}
        | {kind: _span(row, kind) for kind in ("marginal", "simultaneous")}
        | {"p_first": row["p_first"]}
        for row in told["ranking"]
    ]
    out = {
        "sentence": sentence(told),
        "read": told["read"],
        **{name: told[name] for name in ("campaign", "name", "pair", "protocol", "recipe", "unit")},
        "systems": systems,
        "lines": [{k: row[k] for k in ("below", "claimed", "held")} for row in told["lines"]],
        "may_be_first": told["may_be_first"],
        "repeat": told["repeat"][0] if told["repeat"] else None,
        **{name: told[name] for name in ("false_lines", "needed", "statements")},
    }
    return (json.dumps(out, indent=1, ensure_ascii=False) + "\n").encode()


def _span(row: Mapping[str, Any], kind: str) -> list[Any] | None:
    low, high = row[f"{kind}_low"], row[f"{kind}_high"]
    return None if low is None else [int(low), int(high)]


SCORE_NAMES = {
    ("DA", "z"): "mean z-score",
    ("DA", "raw"): "mean raw score",
    ("MQM", "raw"): "minus MQM per segment",
    ("MQM", "z"): "mean z-score of minus MQM",
}
MAYBE = (
    *("false_lines", "removals", "repeat", "needed", "additions"),
    *("controls", "design", "agreement", "annotators", "influence", "habits"),
)


def told(
    run: Run, one: Case, made: Standing, frames: dict[str, pd.DataFrame], settings: dict[str, Any]
) -> dict[str, Any]:
    """Everything the page says, as plain values: settings, first numbers, tables as rows.

    `frames` are the case's tables by name; ``statements`` is added to them.
    """
    from ..rank.recipes import RECIPES
    from ..read.languages import PLACEHOLDER
    from ..study import answers

    first = answers.summary(made, frames["answers"])
    frames["statements"] = answers.statements(one, first, frames, settings["alpha"])
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
        "score_name": SCORE_NAMES[one.protocol, recipe.score] if recipe else "share of wins",
        "judgments": one.judgments_counted,
        "has_documents": one.battles is None and "document" in one.own.units,
        "recipe_counts": _recipe_counts(frames),
        "look_at": _look_at(frames),
        "data": str(run.out.settings.get("data", "")),
        "package": str(run.out.settings.get("package", "")),
        "files": [f"{name}.csv" for name, frame in frames.items() if len(frame)],
        "read": _read(run.campaign, one.pair),
    }


def _read(campaign: Campaign, pair: str) -> dict[str, list[Any]]:
    """The names of the files that were read, and of those that were not, with the reason."""
    unread = [{"file": file, "reason": reason} for file, reason in campaign.unread]
    return {"files": [file.name for file in campaign.files(pair)], "unread": unread}


def _design(frames: Mapping[str, pd.DataFrame], one: Case) -> dict[str, Any]:
    from ..rank.balanced import adaptive

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
    lines["held"] = lines["held"].where(lines["claimed"] == 1, 0)
    counts = lines.groupby("recipe", sort=False)[["claimed", "held"]].sum().astype(int)
    ranking = frames["recipes"]
    first = ranking[ranking["rank"] == 1].set_index("recipe")["system"].rename("first")
    return rows(counts.join(first).reset_index())


def _look_at(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """On whom lines hang, the strictest, mildest, of least spread, quickest, least like self."""
    if "annotators" not in frames:
        return []
    each = frames["annotators"].merge(frames["influence"][["annotator", "fallen"]], how="left")
    enough = each[each["judgments"] >= 20]
    named = [each[each["fallen"] > 0].head(3)]
    named += [enough.nlargest(2, "severity"), enough.nsmallest(2, "severity")]
    named += [enough.nsmallest(2, "sd")]
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
    track = f"_{one.name.partition(' ')[2]}" if one.extra else ""
    for name, frame in frames.items():
        if len(frame):
            out.table(frame, name + track, one.pair)
    shown = {name: out.figure(fig, name + track, one.pair) for name, fig in figures.items()}
    line = {"task": one.name, "protocol": one.protocol, "unit": said["unit"]}
    line |= {"claimed": said["claimed"], "held": said["claimed_held"], "sentence": sentence(said)}
    out.table(pd.DataFrame([line]), "sentence" + track, one.pair)
    page_of = page(said, {name: drawn.png for name, drawn in shown.items()})
    out.document(page_of, f"verdict{track}.html", one.pair, "the verdict as a page")
    out.document(as_json(said), f"verdict{track}.json", one.pair, "the verdict's numbers")
    latex = f"{template('ranking.tex.j2').render(v=said)}\n".encode()
    out.document(latex, f"ranking{track}.tex", one.pair, "the ranking in LaTeX")
    return list(shown.values())
