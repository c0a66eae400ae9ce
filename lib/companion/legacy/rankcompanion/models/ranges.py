"""Rank ranges and their clusters: bootstrap and pairwise method (Koehn 2012, Section 5.1).

What is resampled can be chosen: single judgments, as if they were independent (as in the paper),
whole blocks, whose judgments share outputs, segment and judge, or whole judges. Each gives a
`PairCounts` with a leading axis of resamples, to which every score of `score.rr` applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.resampling import UNITS, Ints, Units
from companion.legacy.rankstability.score.pairwise import PairCounts, expected_win

DRAWN = ("judgment", *UNITS)


def decided(data: Units) -> Units:
    """The units without ties, as Koehn (2012) reads the judgments."""
    return replace(data, ties=data.ties * 0)


def resample_judgments(
    counts: PairCounts, resamples: int, rng: np.random.Generator
) -> PairCounts:
    """Counts of `resamples` samples of judgments, each of the original size, with replacement."""
    n = len(counts.systems)
    flat = np.concatenate(
        [counts.wins.ravel(), np.triu(counts.ties, 1).ravel()]
    )
    cells = np.flatnonzero(flat)
    total = int(flat.sum())
    out = np.zeros((resamples, 2, n, n), dtype=np.int64)
    if total:
        drawn = rng.multinomial(total, flat[cells] / total, size=resamples)
        out.reshape(resamples, -1)[:, cells] = drawn
    wins = out[:, 0]
    ties = out[:, 1]
    return PairCounts(counts.systems, wins, ties + ties.transpose(0, 2, 1))


def resample(
    data: Units, unit: str, resamples: int, rng: np.random.Generator
) -> PairCounts:
    """Counts of `resamples` campaigns whose units (of `DRAWN`) are drawn with replacement.

    Raises DataError for any other unit, and for ``judge`` if some blocks name none.
    """
    if unit not in DRAWN:
        raise DataError(
            "unknown unit of resampling",
            value=unit,
            expected=", ".join(DRAWN),
        )
    if unit == "judgment":
        return resample_judgments(data.counts, resamples, rng)
    owner = data.owner(unit)
    number = int(owner.max()) + 1
    step = max(1, 4_000_000 // max(number, len(owner)))
    parts = []
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        pick = (
            rng.integers(number, size=(size, number))
            + np.arange(size)[:, None] * number
        )
        weight = np.bincount(pick.ravel(), minlength=size * number).reshape(
            size, number
        )
        parts.append(data.weighted(weight[:, owner]))
    wins = np.concatenate([part.wins for part in parts])
    ties = np.concatenate([part.ties for part in parts])
    return PairCounts(data.systems, wins, ties)


def ranks(scores: NDArray) -> Ints:
    """Ranks from 1 (the highest score) along the last axis; equal ones by index, NaN last."""
    order = np.argsort(
        -np.nan_to_num(scores, nan=-np.inf), axis=-1, kind="stable"
    )
    return order.argsort(axis=-1) + 1


@lru_cache(maxsize=64)
def critical_wins(
    most: int, alpha: float = 0.05, sides: int = 1
) -> np.ndarray:
    """The fewest wins that a sign test calls significant, for 0 ... `most` comparisons.

    ``c[N]`` is the least c with P(X >= c) <= alpha / sides for X ~ Binomial(N, 1/2); it is N + 1
    if no number of wins suffices. ``sides=1`` tests each direction at `alpha`, ``sides=2`` is a
    two-sided test at `alpha`. The array is shared and read-only.
    """
    fewest = np.ones(most + 1, dtype=np.int64)
    fewest[1:] += binom.isf(alpha / sides, np.arange(1, most + 1), 0.5).astype(
        np.int64
    )
    fewest.setflags(write=False)
    return fewest


def significant_wins(wins: np.ndarray, sides: int = 1) -> np.ndarray:
    """Which systems beat which by the sign test: ``[..., j, k]``, j better; `wins` likewise."""
    total = wins + np.swapaxes(wins, -1, -2)
    most = 1 << int(total.max()).bit_length()  # one table for many calls
    return (wins >= critical_wins(most, sides=sides)[total]) & (total > 0)


def significant_share(wins: np.ndarray, sides: int = 1) -> np.ndarray:
    """Share of the pairs of systems that the sign test separates (see `significant_wins`)."""
    n = wins.shape[-1]
    return significant_wins(wins, sides).sum(axis=(-1, -2)) / (n * (n - 1) / 2)


def rank_ranges(sampled: NDArray, trim: int) -> tuple[Ints, Ints]:
    """First and last rank left when `trim` of the sampled ranks are chopped off at each end.

    `sampled`, from `ranks`, has shape (resamples, n). Raises DataError if none would be left.
    """
    if not 0 <= 2 * trim < len(sampled):
        expected = f"less than half of {len(sampled)}"
        raise DataError(
            "no ranks would be left",
            column="trim",
            value=trim,
            expected=expected,
        )
    ordered = np.sort(sampled, axis=0)
    return ordered[trim], ordered[len(sampled) - 1 - trim]


def bootstrap_ranges(
    counts: PairCounts,
    resamples: int,
    rng: np.random.Generator,
    trims: Sequence[int],
) -> list[tuple[Ints, Ints]]:
    """Rank ranges for each of `trims`, from judgments resampled one by one (as in the paper)."""
    sampled = ranks(expected_win(resample_judgments(counts, resamples, rng)))
    return [rank_ranges(sampled, trim) for trim in trims]


def pairwise_ranges(wins: NDArray, sides: int = 1) -> tuple[Ints, Ints]:
    """Rank ranges from the sign test: worse than w systems and better than b: w + 1 to n - b."""
    better = significant_wins(wins, sides)
    n = wins.shape[-1]
    return better.sum(axis=-2) + 1, n - better.sum(axis=-1)


def range_clusters(start: NDArray, end: NDArray) -> Ints:
    """The most clusters such that overlapping ranges share one (Eq. 6); along the last axis."""
    order = np.argsort(start, axis=-1, kind="stable")
    first = np.take_along_axis(start, order, axis=-1)
    reach = np.maximum.accumulate(
        np.take_along_axis(end, order, axis=-1), axis=-1
    )
    opens = np.ones(first.shape, dtype=np.int64)
    opens[..., 1:] = first[..., 1:] > reach[..., :-1]
    out = np.empty_like(opens)
    np.put_along_axis(out, order, np.cumsum(opens, axis=-1), axis=-1)
    return out


def range_table(
    data: Units,
    resamples: int,
    rng: np.random.Generator,
    trim: int | None = None,
) -> pd.DataFrame:
    """A task's ranking with rank ranges and clusters, as in the paper's Tables 2 and 3.

    Columns rank, system, score (`expected_win`), first, last, cluster, in order of score; judgments
    are resampled one by one. `trim` ranks are chopped off at each end: by default 25 of 1000.
    """
    sampled = expected_win(resample_judgments(data.counts, resamples, rng))
    return range_frame(data.systems, expected_win(data.counts), sampled, trim)


def range_frame(
    systems: Sequence[str],
    score: NDArray,
    sampled: NDArray,
    trim: int | None = None,
) -> pd.DataFrame:
    """`range_table` from given scores: those of all judgments, and those of each resample."""
    trim = round(len(sampled) * 0.025) if trim is None else trim
    first, last = rank_ranges(ranks(sampled), trim)
    table = pd.DataFrame(
        {"rank": ranks(score), "system": systems, "score": score}
    )
    table = table.assign(
        first=first, last=last, cluster=range_clusters(first, last)
    )
    return table.sort_values("rank", ignore_index=True)
