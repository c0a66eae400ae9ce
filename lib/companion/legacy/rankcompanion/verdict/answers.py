"""The answers of a verdict: what holds, what does not, and what cannot be told from these data."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns.campaigns import Campaign
from companion.legacy.rankcampaigns.humans import asked
from companion.legacy.rankcampaigns.languages import PLACEHOLDER
from companion.legacy.rankstability.judgments import DirectAssessment, human_systems
from companion.legacy.rankstability.rank import items
from companion.legacy.rankstability.rank.battles import METHOD
from companion.legacy.rankstability.rank.bradley_terry import STRENGTH
from companion.legacy.rankstability.rank.certainty import Certainty
from companion.legacy.rankstability.rank.ranking import Ranking
from companion.legacy.rankstability.rank.recipes import RECIPES, Recipe

from ..models import units
from ..models.chance import named_generator
from ..models.systems import reference_systems
from ..running.run import of_no_weight
from ..running.session import Run
from .case import Case
from .coverage import complete, items_needed, lacking, looks_adaptive

BESIDE = (
    "ranking",
    "lines",
    "recipes",
    "recipe_lines",
    "domains",
    "judge_models",
)
"""The tables that are CSV files beside the page; the workbook and ``verdict.json`` have all."""
HOLDS = "holds"
NOT = "does not hold"
UNTOLD = "cannot be told from these data"
NEGLIGIBLE = 1e-9  # share of a mean that is a rounding error
FEW = 4  # units: with fewer, the first sentence warns that only large differences can show
WEAK = 3.0  # degrees of freedom: the page names a system that has fewer
# p of `coverage.looks_adaptive` below which the page says so
LOOKS_ADAPTIVE = 0.05
HEAVY = 0.2  # share of all judgments: the first sentence names who has so much
# effective units: with fewer of many, the first sentence says so
FEW_EFFECTIVE = 5.0
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
    refuted = made.sure.lines(made.order)[1]
    rows = [
        (k, names[k - 1], names[k], claimed, told(held == 1, refuted[k - 1]))
        for k, claimed, held in made.places[
            ["below", "claimed", "held"]
        ].itertuples(index=False)
        if claimed or held == 1
    ]
    return pd.DataFrame(
        rows, columns=["below", "above", "under", "claimed", "answer"]
    )


def summary(
    made: Ranking, answers: pd.DataFrame, humans: Sequence[str] = ()
) -> dict[str, Any]:
    """The numbers of the first sentence: who may be first, lines claimed and held, how many units.

    ``alone``: the answer to whether the leader, and no other system, may be first. ``also_held``:
    how many lines hold without being claimed. ``told``: whether anything can be told at all.
    ``kinds``: number of units of each kind; ``few``: kind and number if there are fewer than `FEW`.
    ``untold``: the systems without a place, as rows of `Certainty.untold`; ``too_few``: where
    nothing can be told, kind, number and effective number of the units of which there are too few.
    ``weakest``: the placed system with the fewest degrees of freedom (empty if all have as many);
    ``freedom``: how many it has; ``weak``: whether these are fewer than `WEAK`.

    ``machine_leader``, ``machines_first``, ``machine_alone``: leader, may be first and alone among
    the machine systems only. ``humans``: those of `humans` that are ranked;
    ``humans_first``: those that may be first of all; ``humans_above``: those declared better than
    the machine leader.
    """
    first = made.table.loc[made.table["may_be_first"] == 1, "system"].tolist()
    sure = made.sure
    untold = sure.untold if sure.told else sure.untold.iloc[:0]
    names = [
        name
        for name in made.table["system"]
        if name not in set(untold["system"])
    ]
    leader = names[0]
    holds = answers["answer"] == HOLDS
    fewest = min(sure.units, key=sure.units.__getitem__, default="")
    freedom = (
        sure.freedom
        if not sure.told
        else np.where(sure.placed, sure.freedom, np.inf)
    )
    weakest = int(freedom.argmin())
    alike = np.ptp(freedom[np.isfinite(freedom)]) < 1e-6
    return {
        **_humans_apart(made, first, humans, set(untold["system"])),
        "systems": len(made.table),
        "leader": leader,
        "told": made.unit != "",
        "may_be_first": first,
        "alone": told(
            first == [leader] and untold.empty,
            bool(first) and leader not in first,
        ),
        "untold": rows(untold),
        "too_few": _too_few(sure),
        "claimed": int(made.places["claimed"].sum()),
        "claimed_held": int((holds & (answers["claimed"] == 1)).sum()),
        "also_held": int((holds & (answers["claimed"] == 0)).sum()),
        "kinds": dict(sure.units),
        "few": [fewest, sure.units[fewest]]
        if fewest and sure.units[fewest] < FEW
        else [],
        "weakest": "" if alike else sure.systems[weakest],
        "freedom": round(float(sure.freedom[weakest]), 9),
        "weak": bool(sure.freedom[weakest] < WEAK),
        "scarce": bool(sure.freedom[weakest] < SCARCE),
    }


def _too_few(sure: Certainty) -> list[Any]:
    """Kind, number and effective number of the units of which there are too few to tell anything.

    Empty where something can be told, or no units are named.
    """
    if sure.told or not sure.units:
        return []
    count = {
        name: float(np.nanmax(one)) for name, one in sure.effective.items()
    }
    fewest = min(count, key=count.__getitem__)
    return [fewest, sure.units[fewest], count[fewest]]


def _humans_apart(
    made: Ranking,
    first: list[str],
    known: Sequence[str],
    untold: Collection[str],
) -> dict[str, Any]:
    """The part of `summary` about humans, and about the machine systems among themselves."""
    names = [
        name for name in made.table["system"].astype(str) if name not in untold
    ]
    human = [name for name in names if name in known]
    machines = [name for name in names if name not in human]
    if not machines:
        human = []
        machines = names
    ahead = [name for name in first if name in machines]
    above = list[str]()
    if human and made.unit:
        sure = made.sure
        beats = pd.DataFrame(
            sure.declared, index=sure.systems, columns=sure.systems
        )
        compared = [name for name in machines if name in beats]
        beaten = np.any(beats.loc[compared, compared].to_numpy(), axis=0)
        ahead = [
            name
            for name, lost in zip(compared, beaten, strict=True)
            if not lost
        ]
        above = [
            name
            for name in human
            if name in beats and beats.loc[name, machines[0]]
        ]
    whole = all(
        name in known for name in untold
    )  # every machine system has a place
    alone = told(
        ahead == machines[:1] and whole,
        bool(ahead) and machines[0] not in ahead,
    )
    every = [
        name for name in made.table["system"].astype(str) if name in known
    ]
    return {
        "humans": every
        if machines != human and set(machines).isdisjoint(every)
        else [],
        "humans_first": [name for name in first if name in human],
        "humans_above": above,
        "machine_leader": machines[0],
        "machines_first": ahead,
        "machine_alone": alone,
    }


def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain values; None where a value is missing or not finite."""
    return list(
        json.loads(frame.to_json(orient="records", double_precision=12))
    )


SCORE_NAMES = {
    ("DA", "z"): "mean z-score",
    ("DA", "raw"): "mean raw score",
    ("MQM", "raw"): "minus MQM per segment",
    ("MQM", "z"): "mean z-score of minus MQM",
    ("RR", STRENGTH): "strength",
    ("RR", METHOD): "share of wins",
}
MAYBE = (
    "removals",
    "repeat",
    "needed",
    "additions",
    "controls",
    "design",
    "agreement",
    "influence",
    "meetings",
    "fewest",
    "domains",
    "decide",
    "recipe_lines",
    "recipes",
    "judge_models",
)


def facts(
    run: Run,
    one: Case,
    made: Ranking,
    frames: dict[str, pd.DataFrame],
    settings: dict[str, Any],
) -> dict[str, Any]:
    """Everything the page says, as plain values: settings, first numbers, tables as rows.

    `frames` maps the names of the case's tables to the tables.
    """
    first = summary(made, frames["answers"], one.humans)
    recipe = RECIPES.get(one.recipe)
    words = run.campaign.words
    rules = (
        f"{recipe.test_at(settings['alpha'])}; {recipe.line_rule}"
        if recipe
        else ""
    )
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
        "recipe": one.recipe,
        "why": one.why,
        "year": run.campaign.year,
        "rules": re.sub(
            r"\b(system|segment|judgment)s?\b",
            lambda found: words[found[0]],
            rules,
        ),
        "unit": made.unit,
        "asked": _asked(made, frames["unit_table"]),
        "standardised": recipe is not None and recipe.score == "z",
        "score_name": _score_name(one, recipe),
        "judgments": one.data.counted,
        "judges": one.battles.judges if one.battles else None,
        "unnamed": one.battles.unnamed if one.battles else None,
        "ties": int(np.triu(one.battles.every.counts.ties, 1).sum())
        if one.battles
        else None,
        "has_documents": "document" in one.data.kinds,
        "complete": one.battles is None and complete(one.own),
        "within": one.data.adaptive,
        "same_annotators": frames["same"].to_dict("records")
        if "same" in frames
        else [],
        "loads": loads(one, made.sure),
        "leaderboard": _leaderboard(one),
        "recipe_counts": _recipe_counts(frames, one.humans),
        "data": str(run.out.settings.get("data", "")),
        "package": str(run.out.settings.get("package", "")),
        "files": [
            f"{name}.csv" for name in BESIDE if len(frames.get(name, ()))
        ],
        "workbook": find_spec("openpyxl") is not None,
        "read": _read(run.campaign, one),
    }


def _leaderboard(one: Case) -> dict[str, Any] | None:
    """Where items are the units: how many there are and are needed, and which systems lack some."""
    if not one.data.items:
        return None
    missing = [
        {"system": name, "number": n} for name, n in lacking(one.own).items()
    ]
    here = len(one.own.segments)
    needed = items_needed(len(one.own.systems))
    two = len(items.scores_of(one.own)) <= 2
    return {
        "items_here": here,
        "items_needed": needed,
        "two_scores": two,
        "lacking": missing,
    }


def loads(one: Case, sure: Certainty) -> list[dict[str, Any]]:
    """For each kind of unit of which a single one has much of the judgments: who, and how much.

    Keys unit, units, effective (1 / the sum of squared shares), share (the largest), name (empty if
    units have none). A kind is left out unless one unit of five or more has `HEAVY` or more of the
    judgments (and not all have as many), or many count as fewer than `FEW_EFFECTIVE`.
    """
    out = []
    for unit, number in sure.units.items():
        judged = units.loads(one.data, unit)
        share = judged / judged.sum()
        effective = float(1 / (share**2).sum())
        many = number >= 2 * FEW_EFFECTIVE and effective < FEW_EFFECTIVE
        heavy = share.max() >= HEAVY and judged.max() > judged.min()
        if number < FEW_EFFECTIVE or not (heavy or many):
            continue
        workers = one.data.workers if unit == "worker" else ()
        name = str(workers[int(share.argmax())]) if len(workers) else ""
        row = {"unit": unit, "units": number, "effective": effective}
        out.append(row | {"share": float(share.max()), "name": name})
    return out


def _score_name(one: Case, recipe: Recipe | None) -> str:
    """What the score is, and that domains weigh alike where the recipe has it so."""
    if recipe is None:
        return SCORE_NAMES[one.protocol, one.recipe]
    name = SCORE_NAMES[one.protocol, recipe.score]
    domains = one.own.units.get("domain", np.zeros(1))
    alike = recipe.by_domain and len(np.unique(domains)) > 1
    return f"{name}, each domain weighing the same" if alike else name


def _asked(made: Ranking, units: pd.DataFrame) -> list[Any]:
    """Annotators or documents, if named and taken as fixed while the other is resampled."""
    named = units.set_index("unit")["units"]
    other = {"worker": "document", "document": "worker"}.get(made.unit, "")
    return (
        [other, int(named[other])]
        if {made.unit, other} <= {*named.index}
        else []
    )


def _read(campaign: Campaign, one: Case) -> dict[str, list[Any]]:
    """What was read of a language pair, and how.

    Files, and those not read with the reason; how columns and scale were understood; what was left
    out or kept, with counts; which systems count as human, and which names stand on reference rows.
    """
    judgments = one.judgments
    human = list(one.humans)
    reference = list[str]()
    if isinstance(judgments, DirectAssessment):
        human = sorted({*human, *human_systems(judgments)})
        reference = list(reference_systems(judgments))
        excluded = judgments.excluded
    else:
        excluded = judgments.attrs.get("excluded", {})
    how = [*rows(campaign.reading), *asked(campaign, one.systems)]
    if campaign.rebuilt:
        value = "rebuilt from the released z-scores"
        how.append(
            {"what": "raw scores", "value": value, "said by": "the catalogue"}
        )
    if isinstance(excluded, pd.DataFrame):
        excluded = (
            excluded.groupby("reason", sort=False)["rows"].sum().to_dict()
        )
    excluded = {**excluded, **of_no_weight(judgments)}
    return {
        "files": [file.name for file in campaign.files(one.pair)],
        "unread": [
            {"file": file, "reason": reason}
            for file, reason in campaign.unread
        ],
        "how": [row for row in how if row["value"] != PLACEHOLDER],
        "counted": [
            {"reason": str(k), "rows": int(n)}
            for k, n in excluded.items()
            if n
        ],
        "human": human,
        "reference": reference,
    }


def _design(
    frames: Mapping[str, pd.DataFrame], one: Case, made: Ranking
) -> dict[str, Any]:
    """Who judged whom, and on what; ``uneven``: why plain means may mislead.

    ``more``: systems that look good were judged more, as often as `LOOKS_ADAPTIVE` by chance;
    ``moved``: besides, easy or hard segments moved a mean by more than half its interval. Not where
    the design is declared adaptive.
    """
    beside = frames["beside"]
    design = frames.get("design", pd.DataFrame())
    out: dict[str, Any] = dict.fromkeys(
        ("beside_share", "beside_least", "luck", "adaptive")
    )
    out["uneven"] = []
    if len(beside):
        out["beside_share"] = beside["share"].quantile([0, 0.5, 1]).tolist()
        least = beside.loc[beside["share"].idxmin()]
        out["beside_least"] = f"{least['system']} and {least['other']}"
    if "luck" in design:
        luck = design["luck"].abs()
        value = looks_adaptive(one.own, named_generator(0, "looks adaptive"))
        ends = (
            made.table.set_index("system")
            .loc[design["system"], ["low", "high"]]
            .to_numpy()
        )
        wide = np.maximum(
            np.ptp(ends, axis=1), NEGLIGIBLE * design["mean"].abs()
        )
        more = value < LOOKS_ADAPTIVE
        why = {"more": more, "moved": more and bool((2 * luck > wide).any())}
        out |= {
            "luck": float(luck.max()),
            "adaptive": value if math.isfinite(value) else None,
        }
        within = one.own.adaptive or one.own.items  # compared within segments
        out["uneven"] = [k for k, so in why.items() if so and not within]
    return out


def _recipe_counts(
    frames: Mapping[str, pd.DataFrame], humans: Sequence[str]
) -> list[dict[str, Any]]:
    if "recipes" not in frames:
        return []
    lines = frames["recipe_lines"]
    ranking = frames["recipes"]
    of = {
        claimed: lines["held"].where(lines["claimed"] == claimed, 0)
        for claimed in (0, 1)
    }
    counts = lines.assign(also_held=of[0], held=of[1]).groupby(
        "recipe", sort=False
    )
    counts = counts[["claimed", "held", "also_held"]].sum().astype(int)
    machines = ranking[~ranking["system"].astype(str).isin(humans)]
    first = (
        machines.sort_values("rank")
        .groupby("recipe")["system"]
        .first()
        .rename("first")
    )
    return rows(counts.join(first).reset_index())
