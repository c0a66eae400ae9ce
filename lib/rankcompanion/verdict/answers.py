"""The answers of a verdict: what holds, what does not, and what cannot be told from these data."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankcampaigns.campaigns import Campaign
from rankcampaigns.languages import PLACEHOLDER
from rankcompanion.notebooks.lines import held
from rankcompanion.running.session import Run
from rankstability.judgments import DirectAssessment, human_systems, is_human, reference_systems
from rankstability.rank.balanced import adaptive, complete
from rankstability.rank.bradley_terry import STRENGTH
from rankstability.rank.ranking import Ranking
from rankstability.rank.recipes import RECIPES

if TYPE_CHECKING:
    from .cases import Case

HOLDS, NOT, UNTOLD = "holds", "does not hold", "cannot be told from these data"
NEGLIGIBLE = 1e-9  # share of a mean that is a rounding error
FEW = 4  # units: with fewer, the first sentence warns that only large differences can show
REFERENCE = re.compile(r"(?i)^(_?ref|reference)s?([._-]?[a-z0-9]{1,2})?$")
WEAK = 3.0  # degrees of freedom: the page names a system that has fewer
LOOKS_ADAPTIVE = 0.5  # rank correlation of segments judged and score, from which it looks so
SCARCE = 5.0  # degrees of freedom: where a system has fewer, the first sentence says how many


def told(good: bool, bad: bool) -> str:
    """The answer to a statement that the tests confirm (`good`), contradict (`bad`) or neither."""
    if good:
        return HOLDS
    return NOT if bad else UNTOLD


def line_answers(made: Ranking) -> pd.DataFrame:
    """The answer for each line that is claimed or holds.

    Columns below (rank), above and under (the systems next to the line), claimed, answer. A line
    does not hold if some pair across it is declared in the opposite direction; if it neither holds
    nor is refuted, it cannot be told.
    """
    names = made.table["system"].tolist()
    holds, refuted = made.sure.lines(made.order)
    rows = [
        (k, names[k - 1], names[k], claimed, told(holds[k - 1], refuted[k - 1]))
        for k, claimed in zip(made.places["below"], made.places["claimed"], strict=True)
        if claimed or holds[k - 1]
    ]
    return pd.DataFrame(rows, columns=["below", "above", "under", "claimed", "answer"])


def summary(made: Ranking, answers: pd.DataFrame) -> dict[str, Any]:
    """The numbers of the first sentence: who may be first, lines claimed and held, how many units.

    ``alone``: the answer to whether the leader, and no other system, may be first. ``also_held``:
    how many lines hold without being claimed. ``told``: whether anything can be told at all.
    ``kinds``: number of units of each kind; ``few``: kind and number if there are fewer than `FEW`.
    ``weakest``: the system with the fewest degrees of freedom (empty if all have equally many);
    ``freedom``: how many it has; ``weak``: whether these are fewer than `WEAK`.

    ``machine_leader``, ``machines_first``, ``machine_alone``: leader, may be first and alone among
    the machine systems only. ``humans``: the human translations and references;
    ``humans_first``: those that may be first of all; ``humans_above``: those declared better than
    the machine leader.
    """
    first = made.table.loc[made.table["may_be_first"] == 1, "system"].tolist()
    leader, sure = made.table["system"].iloc[0], made.sure
    holds = answers["answer"] == HOLDS
    fewest = min(sure.units, key=sure.units.__getitem__, default="")
    weakest = int(sure.freedom.argmin())
    alike = np.ptp(sure.freedom) < 1e-6
    return {
        **_humans_apart(made, first),
        "systems": len(made.table),
        "leader": leader,
        "told": made.unit != "",
        "may_be_first": first,
        "alone": told(first == [leader], bool(first) and leader not in first),
        "claimed": int(made.places["claimed"].sum()),
        "claimed_held": int((holds & (answers["claimed"] == 1)).sum()),
        "also_held": int((holds & (answers["claimed"] == 0)).sum()),
        "kinds": dict(sure.units),
        "few": [fewest, sure.units[fewest]] if fewest and sure.units[fewest] < FEW else [],
        "weakest": "" if alike else sure.systems[weakest],
        "freedom": round(float(sure.freedom[weakest]), 9),
        "weak": bool(sure.freedom[weakest] < WEAK),
        "scarce": bool(sure.freedom[weakest] < SCARCE),
    }


def humans(systems: Sequence[str]) -> list[str]:
    """The systems whose names say that they are human translations or references."""
    return [name for name in systems if is_human(name) or REFERENCE.match(name)]


def _humans_apart(made: Ranking, first: list[str]) -> dict[str, Any]:
    """The part of `summary` about humans, and about the machine systems among themselves."""
    names = made.table["system"].astype(str).tolist()
    human = humans(names)
    machines = [name for name in names if name not in human]
    if not machines:
        human, machines = [], names
    ahead, above = [name for name in first if name in machines], list[str]()
    if human and made.unit:
        sure = made.sure
        beats = pd.DataFrame(sure.declared, index=sure.systems, columns=sure.systems)
        known = [name for name in machines if name in beats]
        beaten = np.any(beats.loc[known, known].to_numpy(), axis=0)
        ahead = [name for name, lost in zip(known, beaten, strict=True) if not lost]
        above = [name for name in human if name in beats and beats.loc[name, machines[0]]]
    alone = told(ahead == machines[:1], bool(ahead) and machines[0] not in ahead)
    return {
        "humans": human,
        "humans_first": [name for name in first if name in human],
        "humans_above": above,
        "machine_leader": machines[0],
        "machines_first": ahead,
        "machine_alone": alone,
    }


def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain values; None where a value is missing or not finite."""
    return list(json.loads(frame.to_json(orient="records", double_precision=12)))


SCORE_NAMES = {
    ("DA", "z"): "mean z-score",
    ("DA", "raw"): "mean raw score",
    ("MQM", "raw"): "minus MQM per segment",
    ("MQM", "z"): "mean z-score of minus MQM",
    ("RR", STRENGTH): "strength",
    ("RR", held.METHOD): "share of wins",
}
MAYBE = (
    *("false_lines", "removals", "repeat", "needed", "additions"),
    *("controls", "design", "agreement", "annotators", "influence", "habits", "meetings"),
    *("fewest", "domains", "decide", "recipe_lines", "recipes"),
)


def facts(
    run: Run, one: Case, made: Ranking, frames: dict[str, pd.DataFrame], settings: dict[str, Any]
) -> dict[str, Any]:
    """Everything the page says, as plain values: settings, first numbers, tables as rows.

    `frames` maps the names of the case's tables to the tables.
    """
    first = summary(made, frames["answers"])
    recipe, words = RECIPES.get(one.recipe), run.campaign.words
    rules = f"{recipe.test_at(settings['alpha'])}; {recipe.line_rule}" if recipe else ""
    return {
        **{name: [] for name in MAYBE},
        **{name: rows(frame) for name, frame in frames.items()},
        **first,
        **settings,
        **_design(frames, one, made),
        "campaign": run.campaign.name,
        "title": run.campaign.title,
        "name": one.name,
        "pair": one.pair,
        "pair_named": one.pair != PLACEHOLDER,
        "protocol": one.protocol,
        "protocol_name": words["protocol"],
        "words": dict(words),
        "unsaid": sorted(run.campaign.unsaid),
        "unfinished": False,
        "recipe": one.recipe,
        "why": one.why,
        "year": run.campaign.year,
        "rules": re.sub(r"\b(system|segment|judgment)s?\b", lambda found: words[found[0]], rules),
        "unit": made.unit,
        "asked": _asked(made, frames["unit_table"]),
        "standardised": recipe is not None and recipe.score == "z",
        "score_name": SCORE_NAMES[one.protocol, recipe.score if recipe else one.recipe],
        "judgments": one.judgments_counted,
        "judges": one.battles.judges if one.battles else None,
        "unnamed": one.battles.unnamed if one.battles else None,
        "ties": int(np.triu(one.battles.every.counts.ties, 1).sum()) if one.battles else None,
        "has_documents": one.battles is None and "document" in one.own.units,
        "complete": one.battles is None and complete(one.own),
        "within": one.battles is None and one.own.adaptive,
        "recipe_counts": _recipe_counts(frames),
        "look_at": _look_at(frames),
        "data": str(run.out.settings.get("data", "")),
        "package": str(run.out.settings.get("package", "")),
        "files": [f"{name}.csv" for name, frame in frames.items() if len(frame)],
        "workbook": find_spec("openpyxl") is not None,
        "read": _read(run.campaign, one),
    }


def _asked(made: Ranking, units: pd.DataFrame) -> list[Any]:
    """Annotators or documents, if named and taken as fixed while the other is resampled."""
    named = units.set_index("unit")["units"]
    other = {"worker": "document", "document": "worker"}.get(made.unit, "")
    return [other, int(named[other])] if {made.unit, other} <= {*named.index} else []


def _read(campaign: Campaign, one: Case) -> dict[str, list[Any]]:
    """What was read of a language pair, and how.

    Files, and those not read with the reason; how columns and scale were understood; what was left
    out or kept, with counts; which systems count as human, and which names stand on reference rows.
    """
    judgments = one.judgments
    human, reference = humans(one.systems), list[str]()
    if isinstance(judgments, DirectAssessment):
        human = sorted({*human, *human_systems(judgments)})
        reference, excluded = list(reference_systems(judgments)), judgments.excluded
    else:
        excluded = judgments.attrs.get("excluded", {})
    if isinstance(excluded, pd.DataFrame):
        excluded = excluded.groupby("reason", sort=False)["rows"].sum().to_dict()
    return {
        "files": [file.name for file in campaign.files(one.pair)],
        "unread": [{"file": file, "reason": reason} for file, reason in campaign.unread],
        "how": [row for row in rows(campaign.reading) if row["value"] != PLACEHOLDER],
        "counted": [{"reason": str(k), "rows": int(n)} for k, n in excluded.items() if n],
        "human": human,
        "reference": reference,
    }


def _design(frames: Mapping[str, pd.DataFrame], one: Case, made: Ranking) -> dict[str, Any]:
    """Who judged whom, and on what; ``uneven``: why plain means may mislead.

    ``more``: systems that look good were judged more; ``moved``: easy or hard segments moved a mean
    by more than half its interval. Not where the design is declared adaptive.
    """
    beside, design = frames["beside"], frames.get("design", pd.DataFrame())
    out: dict[str, Any] = dict.fromkeys(("beside_share", "beside_least", "luck", "adaptive"))
    out["uneven"] = []
    if len(beside):
        out["beside_share"] = beside["share"].quantile([0, 0.5, 1]).tolist()
        least = beside.loc[beside["share"].idxmin()]
        out["beside_least"] = f"{least['system']} and {least['other']}"
    if "luck" in design:
        luck, value = design["luck"].abs(), adaptive(one.own)
        ends = made.table.set_index("system").loc[design["system"], ["low", "high"]].to_numpy()
        wide = np.maximum(np.ptp(ends, axis=1), NEGLIGIBLE * design["mean"].abs())
        why = {"more": value > LOOKS_ADAPTIVE, "moved": bool((2 * luck > wide).any())}
        out |= {"luck": float(luck.max()), "adaptive": value if math.isfinite(value) else None}
        out["uneven"] = [k for k, so in why.items() if so and not one.own.adaptive]
    return out


def _recipe_counts(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    if "recipes" not in frames:
        return []
    lines, ranking = frames["recipe_lines"], frames["recipes"]
    of = {claimed: lines["held"].where(lines["claimed"] == claimed, 0) for claimed in (0, 1)}
    counts = lines.assign(also_held=of[0], held=of[1]).groupby("recipe", sort=False)
    counts = counts[["claimed", "held", "also_held"]].sum().astype(int)
    machines = ranking[~ranking["system"].isin(humans(ranking["system"].astype(str).unique()))]
    first = machines.sort_values("rank").groupby("recipe")["system"].first().rename("first")
    return rows(counts.join(first).reset_index())


def _look_at(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The annotators worth a look, as rows of `annotators.table` with ``fallen`` added.

    Those on whom most lines depend, and the extremes of severity, spread, speed and consistency,
    among annotators with enough judgments.
    """
    if "annotators" not in frames:
        return []
    each = frames["annotators"].merge(frames["influence"][["name", "fallen"]], how="left")
    enough, shared = each[each["judgments"] >= 20], each[each["shared"] >= 20]
    named = [each[each["fallen"] > 0].head(3)]
    named += [enough.nlargest(2, "severity"), enough.nsmallest(2, "severity")]
    named += [enough.nsmallest(2, "sd"), shared.nlargest(1, "severity_same")]
    named += [shared.nsmallest(1, "severity_same"), shared.nsmallest(1, "spread_same")]
    if "seconds" in each:
        named += [enough.nsmallest(2, "seconds")]
    if "difference" in each:
        named += [each[each["repeats"] >= 5].nlargest(2, "difference")]
    return rows(pd.concat(named).drop_duplicates("annotator"))
