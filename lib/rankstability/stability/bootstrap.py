"""Rank ranges of comparisons by bootstrap, and by sign tests (Koehn 2012, section 5.1).

A campaign is drawn again from its own comparisons, blocks or annotators, with replacement. Single
comparisons are drawn as if they were independent, as in the paper. The comparisons of a block share
their outputs, and those of an annotator share preferences, so that ranges by comparison are too
narrow.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import bdtrc, bdtrik

from ..arguments import check_arguments, check_count
from ..errors import DataError
from ..judgments import COMPARISON_KINDS, REFERENCE, Judgments, check_judgments
from ..ranking.relative import Method, method_named
from ..scores.arrays import VoteArrays
from ..scores.pairwise import DROP, PairCounts, count_votes, vote_arrays

COMPARISON, BLOCK, ANNOTATOR, QUESTION = UNITS = ("comparison", "block", "annotator", "question")
STRENGTH = "strength"  # the one method that scores one campaign at a time
TRIM = 0.025  # share of ranks removed at each end
MAX_CELLS = 4_000_000  # weights that are held at a time


@check_arguments
def bootstrap_ranks(
    judgments: Judgments,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    unit: str | None = None,
    trim: int | None = None,
    method: str = "expected_win",
    ties: bool = True,
    unranked: str = DROP,
) -> pd.DataFrame:
    """Compute bootstrap rank ranges and clusters from comparisons (Koehn 2012, section 5.1).

    A rank range shows how much the rank varies between resamples. It is not a confidence set for
    the rank; `rank_systems` returns such sets as ``rank_low`` and ``rank_high``.

    Parameters
    ----------
    judgments : Judgments
        Votes or relative rankings. The reference is not ranked.
    rng : Generator
    resamples : int
        The number of bootstrap resamples.
    unit : str, optional
        The unit that is drawn with replacement: ``comparison`` (as in the paper), ``block``,
        ``annotator`` or ``question``. The default is the annotator if all judgments name one,
        otherwise the block for relative rankings, otherwise the comparison.
    trim : int, optional
        The number of ranks that are removed at each end of the sampled ranks; by default 2.5 % of
        the resamples.
    method : str
        A name of ``ranking.relative.METHODS``.
    ties : bool
        Whether ties are included. Koehn (2012) leaves them out.
    unranked : str
        What happens to outputs without a rank: ``drop`` (they take part in no comparison) or
        ``keep`` (they beat all others, which reproduces the scores in Koehn 2012).

    Returns
    -------
    DataFrame
        Columns rank, system, score, rank_range_low, rank_range_high and cluster. Systems whose
        ranges overlap, directly or by a chain, share a cluster (Koehn 2012, equation 6).

    Raises
    ------
    DataError
        ``wrong_kind`` unless judgments are comparisons; ``unknown_unit``; ``bad_trim`` if no rank
        would be left; ``unknown_method``; ``bad_number``.

    Examples
    --------
    >>> import numpy as np
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-rr", "cs-en")
    >>> ranges = rs.bootstrap_ranks(judgments, rng=np.random.default_rng(1), resamples=200)
    >>> ranges[["system", "rank_range_low", "rank_range_high"]].to_numpy()[0].tolist()
    ['cedar', 1, 2]
    """
    check_judgments(judgments, COMPARISON_KINDS)
    check_count("resamples", resamples)
    chosen = method_named(method)
    votes = vote_arrays(judgments, chosen.reference, unranked)
    if not ties:
        votes = _decided(votes)
    sample = resample(votes, unit or default_unit(votes), resamples, rng)
    sampled = _ranked_scores(chosen, sample)
    score = _ranked_scores(chosen, count_votes(votes))
    trim = round(resamples * TRIM) if trim is None else trim
    first, last = rank_ranges(rank_scores(sampled), trim)
    systems = [name for name in votes.systems if name != REFERENCE]
    table = pd.DataFrame({"rank": rank_scores(score), "system": systems, "score": score})
    table["rank_range_low"], table["rank_range_high"] = first, last
    table["cluster"] = range_clusters(first, last)
    return table.sort_values("rank", ignore_index=True)


def default_unit(votes: VoteArrays) -> str:
    """Return the default resampling unit: annotators if all are named, else blocks or comparisons."""
    if votes.annotator is not None:
        return ANNOTATOR
    return BLOCK if votes.block is not None else COMPARISON


def _decided(votes: VoteArrays) -> VoteArrays:
    """Return the votes that are not ties."""
    keep = votes.outcome != 0.5
    chosen: dict[str, Any] = {}
    for name in ("first", "second", "outcome", "weight", "annotator", "question", "block"):
        values = getattr(votes, name)
        chosen[name] = None if values is None else values[keep]
    return replace(votes, **chosen)


def _ranked_scores(method: Method, counts: PairCounts) -> np.ndarray:
    """Return the scores of all systems but the reference: (..., systems)."""
    used = counts if method.reference else counts.without(REFERENCE)
    keep = [k for k, name in enumerate(used.systems) if name != REFERENCE]
    if method.name != STRENGTH or used.wins.ndim == 2:
        scores: np.ndarray = method.score(used)[..., keep]
        return scores
    replicates = zip(used.wins, used.ties, strict=True)
    return np.array([method.score(PairCounts(used.systems, *each))[keep] for each in replicates])


def resample(votes: VoteArrays, unit: str, resamples: int, rng: np.random.Generator) -> PairCounts:
    """Return the counts of campaigns whose units are drawn with replacement: (resamples, n, n).

    Raises
    ------
    DataError
        ``unknown_unit`` if there is no such unit, or not every comparison names it.
    """
    if unit == COMPARISON:
        return resample_comparisons(count_votes(votes), resamples, rng)
    codes = {BLOCK: votes.block, ANNOTATOR: votes.annotator, QUESTION: votes.question}
    owner = codes.get(unit)
    if owner is None:
        known = [COMPARISON, *(name for name, each in codes.items() if each is not None)]
        raise DataError("unknown_unit", value=unit, expected=", ".join(known))
    number, n = int(owner.max(initial=-1)) + 1, len(votes.systems)
    sums = cells_by_unit(votes, owner, number)
    step = max(1, MAX_CELLS // max(number, 1))
    parts = []
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(number, size=(size, number)) + np.arange(size)[:, None] * number
        weight = np.bincount(drawn.ravel(), minlength=size * number).reshape(size, number)
        parts.append(np.asarray(weight @ sums))
    cells = np.concatenate(parts).reshape(resamples, 2, n, n)
    return _from_cells(votes.systems, cells)


def resample_comparisons(
    counts: PairCounts, resamples: int, rng: np.random.Generator
) -> PairCounts:
    """Return the counts of samples of comparisons, drawn one by one with replacement.

    Such samples are a multinomial draw on the counts.
    """
    n = len(counts.systems)
    flat = np.concatenate([counts.wins.ravel(), np.triu(counts.ties, 1).ravel()])
    filled = np.flatnonzero(flat)
    total = float(flat.sum())
    cells = np.zeros((resamples, 2 * n * n), dtype=np.int64)
    if total:
        cells[:, filled] = rng.multinomial(round(total), flat[filled] / total, size=resamples)
    return _from_cells(counts.systems, cells.reshape(resamples, 2, n, n))


def cells_by_unit(votes: VoteArrays, owner: np.ndarray, number: int) -> csr_array:
    """Return the counts of each unit: wins, then ties above the diagonal, (units, 2 n n)."""
    n = len(votes.systems)
    first, second, outcome = votes.first, votes.second, votes.outcome
    forward, backward = first * n + second, second * n + first
    tied = n * n + np.minimum(first, second) * n + np.maximum(first, second)
    cell = np.where(outcome == 1, forward, np.where(outcome == 0, backward, tied))
    return csr_array((votes.weight, (owner, cell)), shape=(number, 2 * n * n))


def _from_cells(systems: tuple[str, ...], cells: np.ndarray) -> PairCounts:
    wins, ties = cells[:, 0], cells[:, 1]
    return PairCounts(systems, wins, ties + ties.transpose(0, 2, 1))


def rank_scores(scores: np.ndarray) -> np.ndarray:
    """Return ranks from 1 (the highest score) along the last axis.

    Equal scores are ranked by index, and missing scores last.
    """
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), axis=-1, kind="stable")
    ranks: np.ndarray = order.argsort(axis=-1) + 1
    return ranks


def rank_ranges(sampled: np.ndarray, trim: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last rank that are left after trimming: (n,) each.

    Parameters
    ----------
    sampled : array of int, shape (resamples, n)
        Ranks, from `rank_scores`.
    trim : int
        The number of ranks of each system that are removed at each end.
    """
    if not 0 <= 2 * trim < len(sampled):
        raise DataError("bad_trim", value=trim, expected=f"less than half of {len(sampled)}")
    ordered = np.sort(sampled, axis=0)
    return ordered[trim], ordered[len(sampled) - 1 - trim]


@lru_cache(maxsize=64)
def critical_wins(most: int, alpha: float = 0.05, sides: int = 1) -> np.ndarray:
    """Return the fewest wins that a sign test calls significant, for 0 to `most` comparisons.

    The entry for N comparisons is the least c with P(X >= c) <= alpha / sides for X ~ Binomial(N,
    1/2). It is N + 1 if no number of wins suffices. With ``sides=1`` each direction is tested at
    `alpha`, with ``sides=2`` the test is two-sided. The array is shared and read-only.
    """
    level = alpha / sides * (1 + 1e-9)  # a chance that equals the level, to rounding, suffices
    number = np.arange(1, most + 1)
    wins = np.ceil(bdtrik(1 - level, number, 0.5))  # where P(X <= wins) = 1 - level, within one
    wins += bdtrc(wins, number, 0.5) > level
    wins -= bdtrc(wins - 1, number, 0.5) <= level
    fewest = np.ones(most + 1, dtype=np.int64)
    fewest[1:] += wins.astype(np.int64)
    fewest.setflags(write=False)
    return fewest


def significant_wins(wins: np.ndarray, sides: int = 1) -> np.ndarray:
    """Return whether the row is significantly better than the column by the sign test: (..., n, n)."""
    total = wins + np.swapaxes(wins, -1, -2)
    most = 1 << int(total.max(initial=0)).bit_length()  # so that many calls share a table
    better: np.ndarray = (wins >= critical_wins(most, sides=sides)[total]) & (total > 0)
    return better


def significant_share(wins: np.ndarray, sides: int = 1) -> np.ndarray:
    """Return the share of the pairs of systems that the sign test separates: (...,)."""
    n = wins.shape[-1]
    share: np.ndarray = significant_wins(wins, sides).sum(axis=(-1, -2)) / (n * (n - 1) / 2)
    return share


def pairwise_ranges(wins: np.ndarray, sides: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return rank ranges from sign tests: a system worse than w and better than b has w + 1 to n - b.

    This is the pairwise method of Koehn (2012, section 5.1).
    """
    better = significant_wins(wins, sides)
    return better.sum(axis=-2) + 1, wins.shape[-1] - better.sum(axis=-1)


def range_clusters(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return the most clusters such that overlapping rank ranges share one (Koehn 2012, eq. 6).

    Ranges are along the last axis; 1 is the best cluster.
    """
    order = np.argsort(first, axis=-1, kind="stable")
    start = np.take_along_axis(first, order, axis=-1)
    reach = np.maximum.accumulate(np.take_along_axis(last, order, axis=-1), axis=-1)
    opens = np.ones(start.shape, dtype=np.int64)
    opens[..., 1:] = start[..., 1:] > reach[..., :-1]
    clusters = np.empty_like(opens)
    np.put_along_axis(clusters, order, np.cumsum(opens, axis=-1), axis=-1)
    return clusters
