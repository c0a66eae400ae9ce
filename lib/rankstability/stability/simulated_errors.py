"""How wrong rankings and rank ranges are in simulated campaigns (Koehn 2012, Figure 3, Table 1).

Campaigns are simulated in parts with seeds of their own, so that results do not depend on how much
memory or how many processes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from ..arguments import check_count
from ..ranking.feedback import feedback_arc_sets, net_weights
from ..ranking.relative import expected_win, share_of_decided
from ..scores.pairwise import PairCounts
from .bootstrap import (
    TRIM,
    pairwise_ranges,
    range_clusters,
    rank_ranges,
    rank_scores,
    resample_comparisons,
)
from .simulate import ModelParameters, draw_counts, draw_qualities

RANKERS = ("wins_over_decided", "expected_win", "feedback_arc_set")
"""Koehn's BOJAR, EXPECTED and LOPEZ."""
QUALITIES = ("size", "violations", "clusters", "cluster_violations")
SIDES = (1, 2)  # of the sign test in the pairwise method
PART = 250  # campaigns of ranking errors that share a seed
PART_OF_RANGES = 10  # campaigns of rank ranges that share a seed


def _in_parts(
    work: Callable[[int, np.random.Generator], np.ndarray], total: int, size: int, seed: int
) -> np.ndarray:
    """Return the results of `total` campaigns, of which at most `size` share a generator."""
    check_count("campaigns", total)
    counts = [min(size, total - start) for start in range(0, total, size)]
    seeds = np.random.SeedSequence(seed).spawn(len(counts))
    pairs = zip(counts, seeds, strict=True)
    return np.concatenate([work(count, np.random.default_rng(each)) for count, each in pairs])


def _draw(
    model: ModelParameters, campaigns: int, comparisons: Sequence[int], rng: np.random.Generator
) -> tuple[np.ndarray, PairCounts]:
    """Return the true ranks and the counts of simulated campaigns."""
    quality = draw_qualities(model, campaigns, rng)
    wins = draw_counts(model, quality, comparisons, rng)
    return rank_scores(quality), PairCounts(model.names, wins, np.zeros_like(wins))


def _with_errors(values: np.ndarray, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return means and standard errors over the first axis; the last axis goes with `names`."""
    mean = values.mean(axis=0)
    error = np.full_like(mean, np.nan)
    if len(values) > 1:
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    columns: dict[str, np.ndarray] = {}
    for k, name in enumerate(names):
        columns |= {name: mean[..., k], f"{name}_se": error[..., k]}
    return columns


def ranking_error(ranking: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the share of pairs whose order contradicts the truth (Koehn, eq. 5, of n(n-1)/2).

    Both hold ranks along the last axis.
    """
    n = ranking.shape[-1]
    above = ranking[..., :, None] < ranking[..., None, :]
    below = truth[..., :, None] > truth[..., None, :]
    error: np.ndarray = (above & below).sum(axis=(-1, -2)) / (n * (n - 1) / 2)
    return error


def _rank(counts: PairCounts, ranker: str) -> np.ndarray:
    """Return ranks by one of `RANKERS` for all replicates: (..., systems).

    The feedback arc set is exact. Of several optimal orders, the choice does not depend on the true
    qualities.
    """
    if ranker == "wins_over_decided":
        return rank_scores(share_of_decided(counts))
    if ranker == "expected_win":
        return rank_scores(expected_win(counts))
    shape = counts.wins.shape[:-1]
    orders, _ = feedback_arc_sets(net_weights(counts.wins).reshape(-1, shape[-1], shape[-1]))
    ranks: np.ndarray = np.argsort(orders, axis=1).reshape(shape) + 1
    return ranks


def ranking_errors(
    model: ModelParameters, comparisons: Sequence[int], campaigns: int, seed: int
) -> pd.DataFrame:
    """Return how often methods put a pair in the wrong order: `ComparisonModel.ranking_errors`."""

    def work(count: int, rng: np.random.Generator) -> np.ndarray:
        truth, counts = _draw(model, count, comparisons, rng)
        rankings = [_rank(counts, ranker) for ranker in RANKERS]
        return np.stack([ranking_error(each, truth[:, None, :]) for each in rankings], axis=-1)

    errors = _in_parts(work, campaigns, PART, seed)
    parts = []
    for k, ranker in enumerate(RANKERS):
        columns = _with_errors(errors[..., k : k + 1], ["error"])
        parts.append(pd.DataFrame({"method": ranker, "comparisons": list(comparisons), **columns}))
    return pd.concat(parts, ignore_index=True).assign(campaigns=campaigns)


def range_quality(first: np.ndarray, last: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return size, violations, clusters and cluster violations of rank ranges: (..., 4).

    A violation is a system whose true rank is outside its range. A cluster violation is a system
    with a truly better system in a lower cluster, or a truly worse system in a higher cluster.
    """
    cluster = range_clusters(first, last)
    lower = cluster[..., :, None] > cluster[..., None, :]
    better = truth[..., :, None] < truth[..., None, :]
    wrong = lower & better
    qualities = [
        (last - first + 1).mean(axis=-1),
        ((truth < first) | (truth > last)).mean(axis=-1),
        cluster.max(axis=-1),
        (wrong.any(axis=-1) | wrong.any(axis=-2)).mean(axis=-1),
    ]
    return np.stack(qualities, axis=-1)


def rank_range_errors(
    model: ModelParameters,
    comparisons: Sequence[int],
    campaigns: int,
    resamples: int,
    trims: Sequence[int] | None,
    seed: int,
) -> pd.DataFrame:
    """Return how narrow and correct rank ranges are: see `ComparisonModel.rank_range_errors`."""
    trims = (round(TRIM * resamples),) if trims is None else tuple(trims)
    settings = [("pairwise", sides, 0) for sides in SIDES]
    settings += [("bootstrap", 0, trim) for trim in trims]

    def work(count: int, rng: np.random.Generator) -> np.ndarray:
        truth, drawn = _draw(model, count, comparisons, rng)
        out = np.empty((count, len(settings), len(comparisons), len(QUALITIES)))
        for k, sides in enumerate(SIDES):
            out[:, k] = range_quality(*pairwise_ranges(drawn.wins, sides), truth[:, None, :])
        for campaign, size in np.ndindex(drawn.wins.shape[:2]):
            wins, ties = drawn.wins[campaign, size], drawn.ties[campaign, size]
            sample = resample_comparisons(PairCounts(drawn.systems, wins, ties), resamples, rng)
            ranks = rank_scores(expected_win(sample))
            for k, trim in enumerate(trims, start=len(SIDES)):
                out[campaign, k, size] = range_quality(*rank_ranges(ranks, trim), truth[campaign])
        return out

    values = _in_parts(work, campaigns, PART_OF_RANGES, seed)
    parts = []
    for k, (method, sides, trim) in enumerate(settings):
        about = {"method": method, "sides": sides, "trim": trim, "comparisons": list(comparisons)}
        parts.append(pd.DataFrame({**about, **_with_errors(values[:, k], QUALITIES)}))
    return pd.concat(parts, ignore_index=True).assign(campaigns=campaigns)
