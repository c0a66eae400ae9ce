"""What removing systems does to the ranking of the others (Knowles 2021, sections 5 and 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rankstability.change import perturb
from rankstability.errors import DataError, meant
from rankstability.judgments import (
    DirectAssessment,
    at_least_two,
    human_systems,
    is_human,
    of_systems,
    of_type,
    ranked_systems,
)
from rankstability.rank.comparing import held_places
from rankstability.rank.ranking import Ranking

from .changes import SETS, Comparison, Ranker, changes_table, default_ranker

LINES = {(1, 1): "kept", (0, 1): "appeared", (1, 0): "vanished", (0, 0): ""}  # before and after


def without(
    da: DirectAssessment, removed: str, original: Ranking
) -> tuple[DirectAssessment, tuple[str, ...]]:
    """Judgments without what `removed` names, and the ranked systems that go with it.

    `removed` is a name of `SETS` (`original` says which system is lowest and highest), a system id,
    or several joined by `` & ``. Raises for a system that was not ranked.
    """
    if removed == "human+ref":
        left = perturb.remove(da, humans=True, reference=True)
        return left, tuple(s for s in original.systems if is_human(s))
    if removed == "ref":
        return perturb.remove(da, reference=True), ()
    if removed in ("lowest", "highest"):
        names = [original.systems[-1 if removed == "lowest" else 0]]
    else:
        names = [part.strip() for part in removed.split(" & ")]
    unknown = [n for n in names if n not in original.systems]
    if unknown:
        problem = f"no such system in {da.pair}" + meant(unknown[0], original.systems)
        known = "one of " + ", ".join([*SETS, *original.systems])
        raise DataError(problem, value=unknown[0], expected=known)
    return perturb.remove(da, names), tuple(s for s in original.systems if s in names)


def remove_each(
    da: DirectAssessment,
    removed: Iterable[str] = tuple(SETS),
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Remove each of `removed` from everything, rank again, and put it beside the original.

    `ranker` (by default `default_ranker`) is the place where another normalisation or model comes
    in; `original` is the ranking of `da`, where it is known already.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    comparisons = []
    for name in removed:
        left, dropped = without(da, name, original)
        rows = len(da.latest) - len(left.latest), len(da.good) - len(left.good)
        changed = rank_of(left).without(set(dropped) & set(ranked_systems(left)))
        comparisons.append(Comparison(name, dropped, *rows, original.without(dropped), changed))
    return comparisons


def removal_orders(original: Ranking, comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """Places of the systems with and without something removed: for a bump chart.

    Columns: ranking (``original`` or the name of what was removed), system, place, line (``kept``,
    ``appeared`` or ``vanished`` below that place; empty: none). The systems left keep among
    themselves the places they held in the original, so that who does not move against the others
    stays level, and a removed system leaves a gap.
    """
    rows, rankings = [], [(c.name, c.original, c.changed) for c in comparisons]
    for name, before, after in [("original", original, original), *rankings]:
        slots = held_places(original.systems, after.systems)
        for k, system in enumerate(after.systems, 1):
            line = LINES[k in before.lines, k in after.lines]
            rows.append((name, system, slots[system], line))
    return pd.DataFrame(rows, columns=["ranking", "system", "place", "line"])


@dataclass(frozen=True)
class Study:
    """Everything 02 says of one language pair."""

    original: Ranking
    comparisons: list[Comparison]  # the removals asked for
    singles: list[Comparison]  # every single system in turn; empty if not asked for
    skipped: tuple[str, ...]  # systems asked for that this pair does not have
    changes: pd.DataFrame  # `changes_table` of both
    workers: pd.DataFrame  # `worker_percentages` as one row


def study(
    da: DirectAssessment,
    removed: Sequence[str] = tuple(SETS),
    singles: bool = True,
    *,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
    strict: bool = True,
) -> Study:
    """All removals of one pair: those asked for, and every single system in turn.

    `strict` refuses a system that the pair does not have; else it is left out and named in
    `skipped` (for a run over all pairs of a campaign). Raises for a pair with fewer than two
    systems, or with only human systems.
    """
    at_least_two(da, machine=True)
    rank_of = default_ranker(test, rule, alpha)
    original = rank_of(da)
    known = {*SETS, *original.systems}
    skipped = tuple(r for r in removed if not known.issuperset(r.split(" & ")))
    wanted = [r for r in removed if strict or r not in skipped]
    comparisons = remove_each(da, wanted, rank_of, original)
    enough = singles and len(original.systems) > 2
    each = remove_each(da, sorted(original.systems), rank_of, original) if enough else []
    changes = changes_table(da.pair, [*comparisons, *each])
    workers = pd.DataFrame([worker_percentages(da)])
    return Study(original, comparisons, each, skipped, changes, workers)


def worker_percentages(da: DirectAssessment) -> dict[str, Any]:
    """How many workers judged REF, BAD_REF or a human system (section 5.1); of the good file.

    Keys: pair, workers, then numbers and percentages of workers: ref, ref_percent, ...
    """
    good, workers = da.good, da.good["worker"].nunique()
    row: dict[str, Any] = {"pair": da.pair, "workers": workers}
    masks = {
        "ref": of_type(good, "REF"),
        "bad_ref": of_type(good, "BAD_REF"),
        "human": of_systems(good, human_systems(da)),
    }
    for name, mask in masks.items():
        count = good["worker"][mask].nunique()
        row |= {name: count, f"{name}_percent": 100 * count / workers}
    return row


def toy_example(ddof: int = 1) -> pd.DataFrame:
    """The toy HITs of section 5: what a raw 50 is worth beside different other scores.

    Columns: hit (raw scores), holds, z_of_50 (0.39 with ddof = 1, the paper's; 0.45 with 0).
    """
    hits = {
        "25 50 50 75": "systems only",
        "0 25 50 75": "systems and a bad reference",
        "25 50 75 100": "systems and a good reference",
    }
    raw = np.array([hit.split() for hit in hits], dtype=float)
    z = (50 - raw.mean(axis=1)) / raw.std(axis=1, ddof=ddof)
    return pd.DataFrame(
        {"hit": list(hits), "holds": list(hits.values()), "z_of_50": z.round(12) + 0.0}
    )
