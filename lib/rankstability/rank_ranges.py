"""Rank ranges and the clusters they give: bootstrap and pairwise method (Koehn 2012, Section 5.1).

What is resampled is a choice: single judgments, as if each were independent (the paper), whole
blocks, whose judgments share outputs, segment and judge, or whole judges. All take win counts
``wins[..., j, k]`` and give counts of the same shape, so every ranking method runs on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .errors import DataError
from .simulation import significant

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Method = Callable[[NDArray], Floats]
UNITS = ("judgment", "block", "judge")


def expected_win(wins: NDArray) -> Floats:
    """Mean over opponents of the ratio of wins, ties left out: Eq. 4 with n - 1 for its n.

    Opponents a system was never compared with are left out of its mean.
    """
    total = wins + np.swapaxes(wins, -1, -2)
    met = total > 0
    ratio = np.divide(wins, total, out=np.zeros(wins.shape), where=met)
    return ratio.sum(axis=-1) / np.maximum(met.sum(axis=-1), 1)


def bojar(wins: NDArray) -> Floats:
    """All wins over all wins and losses: Eq. 1 (BOJAR)."""
    won, lost = wins.sum(axis=-1), wins.sum(axis=-2)
    return won / np.maximum(won + lost, 1)


def ranks(scores: NDArray) -> Ints:
    """Ranks from 1 (the highest score); equal scores keep the order of index."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    out = np.empty_like(order)
    np.put_along_axis(out, order, np.arange(1, scores.shape[-1] + 1), axis=-1)
    return out


# ------------------------------------------------------------------------------- resampling


def resample_judgments(wins: NDArray, resamples: int, rng: np.random.Generator) -> Ints:
    """Draw as many judgments as there are, with replacement, `resamples` times.

    Resampling judgments one by one is a multinomial draw on the n(n-1) win counts, and is done
    so. (Fixing each pair's number of judgments and drawing binomials is not the same.)

    Returns
    -------
    array of shape (resamples, n, n)
    """
    cells = np.flatnonzero(wins)
    counts = wins.ravel()[cells]
    total = counts.sum()
    out = np.zeros((resamples, wins.size), dtype=np.int64)
    if total:
        out[:, cells] = rng.multinomial(total, counts / total, size=resamples)
    return out.reshape(resamples, *wins.shape)


def resample_units(units: Any, resamples: int, rng: np.random.Generator, systems: int) -> Ints:
    """Draw whole units (blocks, judges) with replacement.

    Parameters
    ----------
    units : sparse matrix of shape (units, systems * systems)
        Each unit's win counts (see `unit_wins`).

    Returns
    -------
    array of shape (resamples, systems, systems)
    """
    from scipy.sparse import csr_matrix

    number = units.shape[0]
    out = np.empty((resamples, systems * systems), dtype=np.int64)
    step = max(1, 4_000_000 // max(number, 1))
    counts = csr_matrix(units.T)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        pick = rng.integers(number, size=(size, number)) + np.arange(size)[:, None] * number
        weight = np.bincount(pick.ravel(), minlength=size * number).reshape(size, number)
        out[start : start + size] = (counts @ weight.T).T
    return out.reshape(resamples, systems, systems)


@dataclass(frozen=True)
class UnitWins:
    """Win counts of every block, in one sparse matrix, and each block's judge.

    Parameters
    ----------
    systems : tuple of str
    blocks : sparse matrix of shape (blocks, systems * systems)
    judges : array of int
        Code of the judge of each block.
    """

    systems: tuple[str, ...]
    blocks: Any
    judges: NDArray[np.int64]

    @property
    def wins(self) -> Ints:
        """All blocks' wins, (systems, systems)."""
        n = len(self.systems)
        return np.asarray(self.blocks.sum(axis=0)).reshape(n, n).astype(np.int64)

    def by_judge(self) -> Any:
        """The same counts with one row per judge."""
        from scipy.sparse import csr_matrix

        number = len(self.judges)
        shape = (int(self.judges.max()) + 1, number)
        gather = csr_matrix((np.ones(number, dtype=int), (self.judges, np.arange(number))), shape)
        return gather @ self.blocks

    def resample(self, unit: str, resamples: int, rng: np.random.Generator) -> Ints:
        """Resampled win counts; `unit` is one of `UNITS`."""
        n = len(self.systems)
        if unit == "judgment":
            return resample_judgments(self.wins, resamples, rng)
        if unit == "block":
            return resample_units(self.blocks, resamples, rng, n)
        if unit == "judge":
            return resample_units(self.by_judge(), resamples, rng, n)
        raise DataError("unknown unit of resampling", value=unit, expected=", ".join(UNITS))


def unit_wins(frame: pd.DataFrame, *, blanks_win: bool = False) -> UnitWins:
    """Win counts block by block from a tidy RR frame (ties dropped, as in Koehn 2012).

    Parameters
    ----------
    frame : DataFrame
        Columns block, judge, system, rank (-1: blank), of one task.
    blanks_win : bool
        Keep the -1 of a blank as a rank, the best of all. This reproduces the paper's Tables 2
        and 3; the right thing, and the default, is to leave blanks out.
    """
    from scipy.sparse import csr_matrix

    used = frame if blanks_win else frame[frame["rank"] > 0]
    if used.empty:
        raise DataError("no ranked output", column="rank", expected="a task with judgments")
    systems = tuple(sorted(used["system"].unique()))
    n = len(systems)
    code = pd.Categorical(used["system"], categories=systems).codes.astype(np.int64)
    block, blocks = pd.factorize(used["block"])
    first = used.drop_duplicates("block")
    judges = pd.factorize(first["judge"], sort=True)[0].astype(np.int64)
    place = used.groupby("block", sort=False).cumcount().to_numpy()
    k = int(place.max()) + 1
    who = np.full((len(blocks), k), -1, dtype=np.int64)
    rank = np.zeros((len(blocks), k))
    who[block, place], rank[block, place] = code, used["rank"].to_numpy()
    rows, cells = [], []
    for a in range(k):
        for b in range(k):
            hit = (
                (who[:, a] >= 0)
                & (who[:, b] >= 0)
                & (who[:, a] != who[:, b])
                & (rank[:, a] < rank[:, b])
            )
            rows.append(np.flatnonzero(hit))
            cells.append(who[hit, a] * n + who[hit, b])
    row, cell = np.concatenate(rows), np.concatenate(cells)
    matrix = csr_matrix((np.ones(len(row), dtype=np.int64), (row, cell)), (len(blocks), n * n))
    return UnitWins(systems, matrix, judges)


# -------------------------------------------------------------------------- ranges and clusters


def trim_for(resamples: int, alpha: float = 0.05) -> int:
    """Ranks to chop off at each end: 25 of 1000 at 5 %, the paper's rule."""
    return round(resamples * alpha / 2)


def rank_ranges(sampled: NDArray, trim: int) -> tuple[Ints, Ints]:
    """First and last rank left when `trim` of the sampled ranks are chopped off at each end.

    Parameters
    ----------
    sampled : array of shape (resamples, n)
        Ranks, from `ranks`.
    """
    if not 0 <= 2 * trim < len(sampled):
        raise DataError("nothing would be left", column="trim", value=trim)
    ordered = np.sort(sampled, axis=0)
    return ordered[trim], ordered[len(sampled) - 1 - trim]


def bootstrap_ranges(
    wins: NDArray,
    resamples: int,
    rng: np.random.Generator,
    *,
    trim: int | None = None,
    method: Method = expected_win,
) -> tuple[Ints, Ints]:
    """Rank ranges by resampling judgments (the paper's bootstrap)."""
    sampled = ranks(method(resample_judgments(wins, resamples, rng)))
    return rank_ranges(sampled, trim_for(resamples) if trim is None else trim)


def pairwise_ranges(wins: NDArray, alpha: float = 0.05, sides: int = 1) -> tuple[Ints, Ints]:
    """Rank ranges from the sign test: worse than w systems, better than b gives w+1 ... n-b."""
    better = significant(wins, alpha, sides)
    n = wins.shape[-1]
    return better.sum(axis=-2) + 1, n - better.sum(axis=-1)


def range_clusters(start: NDArray, end: NDArray) -> Ints:
    """The most clusters such that overlapping ranges share one (Eq. 6), numbered from 1.

    Works along the last axis, for many rankings at once.
    """
    order = np.argsort(start, axis=-1, kind="stable")
    first = np.take_along_axis(start, order, axis=-1)
    reach = np.maximum.accumulate(np.take_along_axis(end, order, axis=-1), axis=-1)
    opens = np.ones(first.shape, dtype=np.int64)
    opens[..., 1:] = first[..., 1:] > reach[..., :-1]
    out = np.empty_like(opens)
    np.put_along_axis(out, order, np.cumsum(opens, axis=-1), axis=-1)
    return out


def range_table(
    units: UnitWins,
    resamples: int,
    rng: np.random.Generator,
    *,
    unit: str = "judgment",
    trim: int | None = None,
    method: Method = expected_win,
) -> pd.DataFrame:
    """A campaign's ranking with rank ranges and clusters, as the paper's Tables 2 and 3.

    Returns
    -------
    DataFrame
        Columns rank, system, score, first, last, cluster, in order of score.
    """
    score = method(units.wins)
    sampled = ranks(method(units.resample(unit, resamples, rng)))
    first, last = rank_ranges(sampled, trim_for(resamples) if trim is None else trim)
    table = pd.DataFrame(
        {
            "rank": ranks(score),
            "system": units.systems,
            "score": score,
            "first": first,
            "last": last,
            "cluster": range_clusters(first, last),
        }
    )
    return table.sort_values("rank", ignore_index=True)
