"""Degrading what humans wrote, inflating the lowest (Knowles 2021, section 5.2, Figures 1-3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from ..change import perturb
from ..judgments import DirectAssessment, at_least_two, human_or_reference, human_systems, is_human
from ..rank.ranking import Ranking
from .changes import Comparison, Ranker, changes_table, default_ranker

DIVISORS = (1.25, 1.5, 2.0, 4.0, 10.0)  # Knowles (2021), section 5.2


def sweep(
    da: DirectAssessment,
    divisors: Iterable[float] = DIVISORS,
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Divide the scores of human systems and REF rows, rank again, and compare.

    Human systems take part in the z-scores and are dropped before clustering, in the original
    ranking and in the changed one.

    Parameters
    ----------
    ranker : callable, optional
        Judgments to `Ranking`; by default `removal.default_ranker`.
    original : Ranking, optional
        The ranking of `da`, where it is known already.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    humans = tuple(s for s in original.systems if is_human(s))
    start = original.without(humans)
    comparisons = []
    names = human_systems(da)
    latest, good = (int(human_or_reference(f, names).sum()) for f in (da.latest, da.good))
    for divisor in divisors:
        worse = perturb.degrade(da, divisor)
        changed = rank_of(worse).without(humans)
        comparisons.append(Comparison(f"{divisor:g}", humans, latest, good, start, changed))
    return comparisons


def inflation(
    da: DirectAssessment,
    factors: Iterable[float],
    zeros: str = "one",
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> tuple[list[Comparison], pd.DataFrame]:
    """The reverse: multiply the scores of the lowest-ranked system (footnote 15).

    The inflated system is dropped before clustering in both rankings: what counts is what
    happens to the others.

    Returns
    -------
    comparisons : list of Comparison
    handled : DataFrame
        factor, system, rows (in the good file), zeros, cut (scores cut at 100).
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    lowest = original.systems[-1]
    start = original.without([lowest])
    comparisons, rows = [], []
    for factor in factors:
        better = perturb.inflate(da, [lowest], factor, zeros)
        notes = better.excluded[better.excluded["file"] == "good"]["rows"].tail(3).to_list()
        latest = _altered(da, better, "latest")
        changed = rank_of(better).without([lowest])
        comparisons.append(
            Comparison(f"{factor:g}", (lowest,), latest, int(notes[0]), start, changed)
        )
        rows.append(
            {"factor": factor, "system": lowest, "rows": notes[0], "zeros": notes[1],
             "cut": notes[2]}
        )  # fmt: skip
    return comparisons, pd.DataFrame(rows, columns=["factor", "system", "rows", "zeros", "cut"])


def _altered(before: DirectAssessment, after: DirectAssessment, frame: str) -> int:
    old, new = getattr(before, frame)["score"], getattr(after, frame)["score"]
    return int((old.to_numpy() != new.to_numpy()).sum())


def rankings_table(original: Ranking, comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """The rankings of a sweep in one long frame: what Figures 2 and 3 draw.

    Returns
    -------
    DataFrame
        ranking (``original``, ``d-1.25``, ...), rank, system, mean_z, cluster, line_below.
    """
    changed = [c.changed.named(ranking=f"d-{c.name}") for c in comparisons]
    return pd.concat([original.named(ranking="original"), *changed], ignore_index=True)


@dataclass(frozen=True)
class Study:
    """Everything 03 says of one language pair.

    Attributes
    ----------
    divided : int
        Judgments in the good file of human systems and REF rows, scores of zero included.
    humans : tuple of str
        Ranked human systems.
    changes, ranks : DataFrame
        `changes_table` and `rankings_table` of the sweep.
    inflated, handled : DataFrame
        `changes_table` (by factor) of the reverse, and what became of zeros and of 100.
    """

    pair: str
    divided: int
    humans: tuple[str, ...]
    changes: pd.DataFrame
    ranks: pd.DataFrame
    inflated: pd.DataFrame
    handled: pd.DataFrame


def study(
    da: DirectAssessment,
    divisors: Sequence[float] = DIVISORS,
    factors: Sequence[float] = (),
    zeros: str = "one",
    *,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> Study:
    """The sweep and the reverse for one pair.

    Raises
    ------
    DataError
        For a pair with fewer than two systems, or with only human systems.
    """
    at_least_two(da, machine=True)
    rank_of = default_ranker(test, rule, alpha)
    original = rank_of(da)
    comparisons = sweep(da, divisors, rank_of, original)
    raised, handled = inflation(da, factors, zeros, rank_of, original)
    humans = tuple(s for s in original.systems if is_human(s))
    return Study(
        da.pair,
        int(human_or_reference(da.good, human_systems(da)).sum()),
        humans,
        changes_table(da.pair, comparisons, "divisor"),
        rankings_table(original.without(humans), comparisons),
        changes_table(da.pair, raised, "factor"),
        handled,
    )


def fractions(changes: pd.DataFrame) -> pd.DataFrame:
    """Figure 1's data: style, divisor, pairs, and the fraction of pairs with each change."""
    grouped = changes.groupby(["style", "divisor"], sort=True)
    table = grouped[["d_rank", "d_cluster", "d_both"]].mean().reset_index()
    table.insert(2, "pairs", grouped.size().to_numpy())
    return table
