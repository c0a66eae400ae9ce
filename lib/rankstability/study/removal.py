"""What removing systems does to the ranking of the others (Knowles 2021, sections 5 and 7)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..change import perturb
from ..errors import DataError
from ..judgments import (
    DirectAssessment,
    at_least_two,
    human_systems,
    is_human,
    of_systems,
    of_type,
    ranked_systems,
)
from ..rank.comparing import held_places
from ..rank.ranking import Ranking
from .changes import SETS, Comparison, Ranker, changes_table, default_ranker
from .leave_one_out import leave_one_out


def without(
    da: DirectAssessment, removed: str, original: Ranking
) -> tuple[DirectAssessment, tuple[str, ...]]:
    """Judgments without what `removed` names, and the ranked systems that go with it.

    Parameters
    ----------
    removed : str
        A name of `SETS`, a system id, or several joined by `` & ``.
    original : Ranking
        Says which system is the lowest and which the highest.

    Raises
    ------
    DataError
        For a system that was not ranked.
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
        close = difflib.get_close_matches(unknown[0], original.systems, n=1)
        raise DataError(
            f"no such system in {da.pair}" + (f" (did you mean {close[0]}?)" if close else ""),
            value=unknown[0],
            expected="one of " + ", ".join([*SETS, *original.systems]),
        )
    return perturb.remove(da, names), tuple(s for s in original.systems if s in names)


def remove_each(
    da: DirectAssessment,
    removed: Iterable[str] = tuple(SETS),
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Remove each of `removed` from everything, rank again, and put it beside the original.

    Parameters
    ----------
    ranker : callable, optional
        Judgments to `Ranking`: the place where another normalisation or model comes in; by
        default `default_ranker`.
    original : Ranking, optional
        The ranking of `da`, where it is known already.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    comparisons = []
    for name in removed:
        left, dropped = without(da, name, original)
        comparisons.append(
            Comparison(
                name,
                dropped,
                len(da.latest) - len(left.latest),
                len(da.good) - len(left.good),
                original.without(dropped),
                rank_of(left).without(set(dropped) & set(ranked_systems(left))),
            )
        )
    return comparisons


def removal_orders(original: Ranking, comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """Places of the systems with and without something removed: for a bump chart.

    Returns
    -------
    DataFrame
        ranking (``original`` or the name of what was removed), system, place, line
        (``kept``, ``appeared`` or ``vanished`` below that place; empty: none). The systems left
        keep among themselves the places they held in the original, so that who does not move
        against the others stays level, and a removed system leaves a gap.
    """
    places = {s: k for k, s in enumerate(original.systems, 1)}
    rows = [
        ("original", s, places[s], "kept" if places[s] in original.lines else "")
        for s in original.systems
    ]
    for c in comparisons:
        slots = held_places(original.systems, c.changed.systems)
        for k, system in enumerate(c.changed.systems):
            now, before = k + 1 in c.changed.lines, k + 1 in c.original.lines
            line = ("kept" if before else "appeared") if now else ("vanished" if before else "")
            rows.append((c.name, system, slots[system], line))
    return pd.DataFrame(rows, columns=["ranking", "system", "place", "line"])


@dataclass(frozen=True)
class Study:
    """Everything 02 says of one language pair.

    Attributes
    ----------
    original : Ranking
    comparisons, singles : list of Comparison
        The removals asked for; every single system in turn (empty if not asked for).
    skipped : tuple of str
        Systems asked for that this pair does not have.
    changes, workers : DataFrame
        `changes_table` of both, and `worker_percentages` as one row.
    """

    pair: str
    original: Ranking
    comparisons: list[Comparison]
    singles: list[Comparison]
    skipped: tuple[str, ...]
    changes: pd.DataFrame
    workers: pd.DataFrame


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

    Parameters
    ----------
    strict : bool
        Refuse a system that the pair does not have; else it is left out and named in `skipped`
        (for a run over all pairs of a campaign).

    Raises
    ------
    DataError
        For a pair with fewer than two systems, or with only human systems.
    """
    at_least_two(da, machine=True)
    rank_of = default_ranker(test, rule, alpha)
    original = rank_of(da)
    known = {*SETS, *original.systems}
    skipped = tuple(r for r in removed if not known.issuperset(r.split(" & ")))
    wanted = [r for r in removed if strict or r not in skipped]
    comparisons = remove_each(da, wanted, rank_of, original)
    enough = singles and len(original.systems) > 2
    each = leave_one_out(da, test, rule, alpha) if enough else []
    return Study(
        da.pair,
        original,
        comparisons,
        each,
        skipped,
        changes_table(da.pair, [*comparisons, *each]),
        pd.DataFrame([worker_percentages(da)]),
    )


def worker_percentages(da: DirectAssessment) -> dict[str, Any]:
    """How many workers judged REF, BAD_REF or a human system (section 5.1); of the good file.

    Returns
    -------
    dict
        pair, workers, then numbers and percentages of workers: ref, ref_percent, ...
    """
    good = da.good
    codes = good["worker"].cat.codes.to_numpy()
    size = len(good["worker"].cat.categories)
    workers = int((np.bincount(codes, minlength=size) > 0).sum())
    row: dict[str, Any] = {"pair": da.pair, "workers": workers}
    masks = {
        "ref": of_type(good, "REF"),
        "bad_ref": of_type(good, "BAD_REF"),
        "human": of_systems(good, human_systems(da)),
    }
    for name, mask in masks.items():
        count = int((np.bincount(codes[mask], minlength=size) > 0).sum())
        row |= {name: count, f"{name}_percent": 100 * count / workers}
    return row


def toy_example(ddof: int = 1) -> pd.DataFrame:
    """The toy HITs of section 5: what a raw 50 is worth beside different other scores.

    Returns
    -------
    DataFrame
        hit (the raw scores), holds, z_of_50 (0.39 with ddof = 1, the paper's; 0.45 with 0).
    """
    hits = {
        (25, 50, 50, 75): "systems only",
        (0, 25, 50, 75): "systems and a bad reference",
        (25, 50, 75, 100): "systems and a good reference",
    }
    rows = []
    for raw, holds in hits.items():
        x = np.array(raw, dtype=float)
        z = (50 - x.mean()) / x.std(ddof=ddof)
        rows.append({"hit": " ".join(map(str, raw)), "holds": holds, "z_of_50": round(z, 12) + 0.0})
    return pd.DataFrame(rows)
