"""Experiments on simulated campaigns: ranking error, rank ranges, power, sizes needed.

Ranking errors and rank ranges are simulated in shards with their own seeds, so that numbers do not
depend on the number of jobs. The number of judgments needed (Koehn 2012, Figure 2, Table 4 and
Section 6) is an integral: the power of the sign test in `models.simulate.Model`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc, ndtr
from scipy.stats import binom

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.feedback import (
    WORD,
    IntArray,
    bounded_dp,
    cost_of,
    insertion_search,
    solve,
)
from companion.legacy.rankstability.score.pairwise import (
    PairCounts,
    expected_win,
    wins_over_decided,
)

from ...models import ranges
from ...models.chance import in_shards
from ...models.ranges import (
    critical_wins,
    range_clusters,
    ranks,
    significant_share,
)
from ...models.simulate import Model, draw_counts, draw_pairs, draw_qualities

QUALITIES = (
    "size",
    "violations",
    "clusters",
    "cluster_violations",
)  # of rank ranges

Floats = NDArray[np.float64]
MOST = 5e6  # largest number of judgments that is considered
NODES = 48  # nodes of the integral over a pair's gap; with 200, no share changes by 1e-8
RANKERS = ("BOJAR", "EXPECTED", "LOPEZ")
SIDES = (1, 2)  # sides of the sign test in the pairwise method
SHARD = 10  # runs that share a seed


@lru_cache(maxsize=256)
def _power(most: int, spread: float, width: float, sides: int) -> Floats:
    """The chance that a random pair is separated after N = 0 ... `most` judgments of that pair."""
    node, weight = np.polynomial.legendre.leggauss(NODES)
    # the gap of two uniform qualities: density 2 (1 - u) for u = gap / width on [0, 1]
    u = (node + 1) / 2
    weight = weight / 2
    weight = weight * 2 * (1 - u)
    better = ndtr(u * width / (spread * np.sqrt(2)))
    c = critical_wins(most, sides=sides)
    number = np.arange(most + 1)
    out = np.zeros(len(number))
    able = int(
        np.argmax(c <= number)
    )  # from here on some result is significant
    # c lies below N/2 + 2 sqrt(N) / 2 + 1: seven standard deviations on, a tail is 0 or 1
    for p, w in zip(better, weight, strict=True):
        sure = 1_000_000_000 if p < 0.501 else int((5.0 / (p - 0.5)) ** 2) + 20
        end = min(len(number), max(able, sure))
        out[able:end] += w * bdtrc(c[able:end] - 1, number[able:end], p)
        out[able:end] += w * bdtrc(c[able:end] - 1, number[able:end], 1 - p)
        out[end:] += w
    return out


@lru_cache(maxsize=1024)
def _meetings(blocks: int, meet: float) -> tuple[int, Floats]:
    """The distribution of the number of meetings of a pair in `blocks`: first number, chances."""
    mean = blocks * meet
    sd = np.sqrt(blocks * meet * (1 - meet))
    low = max(0, int(mean - 8 * sd))
    high = min(blocks, int(mean + 8 * sd) + 2)
    return low, binom.pmf(np.arange(low, high + 1), blocks, meet)


def expected_share(
    judgments: NDArray | Sequence[float], model: Model, sides: int = 1
) -> Floats:
    """Expected share of significant pairs after numbers of pairwise judgments, without simulation.

    A pair of systems meets in a block with probability k(k-1) / n(n-1), so its number of judgments
    N is binomial over blocks. Given N and the pair's gap d, the power of the sign test is a
    binomial tail; the gap of two uniform qualities has density 2 (1 - d/width) / width. This leaves
    an integral over d (Gauss-Legendre) and a sum over N.
    """
    n = model.systems
    k = model.block
    meet = k * (k - 1) / (n * (n - 1))
    out = []
    for count in np.atleast_1d(np.asarray(judgments, dtype=float)):
        blocks = max(1, round(count / model.per_block))
        low, chance = _meetings(blocks, meet)
        high = low + len(chance)
        size = max(
            256, 1 << int(high).bit_length()
        )  # few tables, each for many numbers
        power = _power(size, model.spread, model.width, sides)
        out.append(float(chance @ power[low:high]))
    return np.array(out)


def judgments_needed(share: float, model: Model, sides: int = 1) -> float:
    """The number of judgments at which `expected_share` reaches `share` (Table 4).

    Found by bisection, to one block or 0.05 %; NaN beyond `MOST`.
    """
    step = model.per_block
    low = 1
    high = 64
    while expected_share([high * step], model, sides)[0] < share:
        low = high
        high = high * 2
        if high * step > MOST:
            return float("nan")
    while high - low > max(1, high // 2000):
        middle = (low + high) // 2
        if expected_share([middle * step], model, sides)[0] < share:
            low = middle
        else:
            high = middle
    return float(high * step)


def fit_spread(
    judgments: NDArray | Sequence[float],
    shares: NDArray | Sequence[float],
    model: Model,
    candidates: Sequence[float] = tuple(range(1, 31)),
    sides: int = 1,
) -> tuple[float, float]:
    """The spread whose expected curve is closest to observed shares (least squares; Figure 2).

    Returns the best of `candidates` (ascending) and its root mean squared misfit. It is found by
    bisection, since the misfit falls up to the best spread and rises beyond it.
    """
    target = np.asarray(shares, dtype=float)

    @cache
    def misfit(i: int) -> float:
        tried = replace(model, spread=float(candidates[i]))
        fitted = expected_share(judgments, tried, sides)
        return float(np.sqrt(np.mean((fitted - target) ** 2)))

    steps = range(len(candidates) - 1)
    best = bisect_left(steps, True, key=lambda i: misfit(i) <= misfit(i + 1))
    return float(candidates[best]), misfit(best)


def advice(
    model: Model, shares: Sequence[float], seed: int, *, experiments: int = 200
) -> pd.DataFrame:
    """Judgments needed for a share of significant pairs, with a band (Koehn 2012, Section 6).

    Columns systems, spread, share, judgments (by `judgments_needed`), fewer, more (the band: after
    so many, the best 10 % of simulated campaigns have reached the share, or all but the worst 10 %;
    NaN if 20 times the number is not enough), experiments. The band depends more on how far apart
    the systems happen to be than on the chance of judgments.
    """
    targets = [judgments_needed(share, model) for share in shares]
    low = max(min(targets) / 20, 2 * model.per_block)
    grid = np.geomspace(low, max(targets) * 20, 30)
    sizes = np.unique(grid.round().astype(np.int64)).tolist()
    rng = np.random.default_rng(seed)
    quality = draw_qualities(model, experiments, rng)
    drawn = significant_share(draw_pairs(model, quality, sizes, rng))
    table = pd.DataFrame(
        {"systems": model.systems, "spread": model.spread, "share": shares}
    )
    table["judgments"] = targets
    for name, curve in zip(
        ("fewer", "more"), np.quantile(drawn, [0.9, 0.1], axis=0), strict=True
    ):
        table[name] = [_first_size(sizes, curve, share) for share in shares]
    return table.assign(experiments=experiments)


def _first_size(sizes: Sequence[int], curve: NDArray, share: float) -> float:
    """The size at which a curve first reaches `share`, interpolated in log size; NaN if never."""
    reached = np.flatnonzero(curve >= share)
    if not len(reached):
        return float("nan")
    near = slice(max(0, reached[0] - 1), reached[0] + 1)
    return float(np.exp(np.interp(share, curve[near], np.log(sizes[near]))))


def advice_for(
    campaigns: pd.DataFrame,
    shares: Sequence[float],
    seeds: Sequence[int],
    experiments: int,
) -> pd.DataFrame:
    """`advice` for each of several campaigns, real or planned.

    `campaigns` has the columns systems, spread, block, and any others, which come first in the
    result; `seeds` has a seed for each.
    """
    parts = []
    for row, seed in zip(campaigns.to_dict("records"), seeds, strict=True):
        model = Model(
            int(row.pop("systems")),
            float(row.pop("spread")),
            int(row.pop("block")),
        )
        part = advice(model, shares, seed, experiments=experiments)
        parts.append(pd.DataFrame({**row, **part}))
    return pd.concat(parts, ignore_index=True)


def _drawn(
    model: Model,
    experiments: int,
    judgments: Sequence[int],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], PairCounts]:
    """The true ranks and the counts of simulated campaigns."""
    quality = draw_qualities(model, experiments, rng)
    wins = draw_counts(model, quality, judgments, rng)
    return ranks(quality), PairCounts(
        tuple(model.names()), wins, np.zeros_like(wins)
    )


def with_errors(
    values: Floats, names: Sequence[str], **columns: object
) -> pd.DataFrame:
    """Mean and standard error over the first axis, ``<name>`` and ``<name>_se``, after `columns`.

    The last axis of `values` goes with `names`.
    """
    mean = values.mean(axis=0)
    se = (
        values.std(axis=0, ddof=1) / np.sqrt(len(values))
        if len(values) > 1
        else mean * np.nan
    )
    for i, name in enumerate(names):
        columns |= {name: mean[..., i], f"{name}_se": se[..., i]}
    return pd.DataFrame(columns)


def stacked(tables: Mapping[Any, pd.DataFrame], *names: str) -> pd.DataFrame:
    """Tables concatenated, with their keys as first columns, called `names`."""
    table = pd.concat(tables, names=names).reset_index(list(names))
    return table.reset_index(drop=True)


def ranking_error(ranking: NDArray, truth: NDArray) -> Floats:
    """The share of pairs whose order in `ranking` contradicts `truth` (Eq. 5, of n(n-1)/2)."""
    n = ranking.shape[-1]
    above = ranking[..., :, None] < ranking[..., None, :]
    below = truth[..., :, None] > truth[..., None, :]
    return (above & below).sum(axis=(-1, -2)) / (n * (n - 1) / 2)


def rank_counts(counts: PairCounts, ranker: str) -> NDArray[np.int64]:
    """Ranks by one of `RANKERS`, for all replicates in `counts`.

    LOPEZ is an exact minimum feedback arc set. Of several optimal orders, the one that
    `rank.tournament` chooses is taken, which does not depend on the true qualities.
    """
    if ranker == "BOJAR":
        return ranks(wins_over_decided(counts))
    if ranker == "EXPECTED":
        return ranks(expected_win(counts))
    wins = counts.wins
    n = wins.shape[-1]
    net = np.maximum(wins - np.swapaxes(wins, -1, -2), 0).reshape(-1, n, n)
    orders, _ = feedback_arc_sets(net)
    return np.argsort(orders, axis=1).reshape(wins.shape[:-1]) + 1


def ranking_errors(
    model: Model,
    judgments: Sequence[int],
    experiments: int,
    seed: int,
    *,
    jobs: int = 1,
    shard: int = 250,
) -> pd.DataFrame:
    """How often ranking methods err on simulated campaigns (Koehn 2012, Figure 3).

    Columns ranker, judgments, error (share of pairs in the wrong order), error_se, experiments.
    """

    def work(count: int, rng: np.random.Generator) -> Floats:
        truth, counts = _drawn(model, count, judgments, rng)
        rankings = [rank_counts(counts, ranker) for ranker in RANKERS]
        return np.stack(
            [ranking_error(r, truth[:, None, :]) for r in rankings], axis=-1
        )

    label = f"ranking error, spread {model.spread:g}"
    errors = np.concatenate(
        in_shards(work, experiments, shard, seed, jobs, label)
    )
    parts = [
        with_errors(
            errors[..., i : i + 1],
            ["error"],
            ranker=ranker,
            judgments=list(judgments),
        )
        for i, ranker in enumerate(RANKERS)
    ]
    return pd.concat(parts, ignore_index=True).assign(experiments=experiments)


def range_quality(first: NDArray, last: NDArray, truth: NDArray) -> Floats:
    """Size, violations, clusters and cluster violations of rank ranges: (..., 4).

    A violation is a system whose true rank is outside its range; a cluster violation is a system
    with a truly better system in a lower cluster, or a truly worse one in a higher cluster.
    """
    cluster = range_clusters(first, last)
    lower = cluster[..., :, None] > cluster[..., None, :]
    better = truth[..., :, None] < truth[..., None, :]
    wrong = lower & better
    return np.stack(
        [
            (last - first + 1).mean(axis=-1),
            ((truth < first) | (truth > last)).mean(axis=-1),
            cluster.max(axis=-1),
            (wrong.any(axis=-1) | wrong.any(axis=-2)).mean(axis=-1),
        ],
        axis=-1,
    )


@dataclass(frozen=True)
class Bootstrap:
    """How rank ranges are bootstrapped: resamples, and ranks of these removed at each end."""

    resamples: int
    trims: tuple[int, ...]

    def ranges(
        self, counts: PairCounts, rng: np.random.Generator
    ) -> list[tuple[NDArray, NDArray]]:
        """The first and last rank of each system, for each of the trims."""
        return ranges.bootstrap_ranges(counts, self.resamples, rng, self.trims)


def range_qualities(
    model: Model,
    judgments: Sequence[int],
    runs: int,
    bootstrap: Bootstrap,
    seed: int,
    jobs: int = 1,
) -> pd.DataFrame:
    """How narrow and how correct rank ranges are on simulated campaigns (Koehn 2012, Table 1).

    Columns method (``pairwise`` or ``bootstrap``), setting (``1-sided``, ``2-sided`` or
    ``trim 25``), judgments, each of `QUALITIES` (violations as shares of systems) with its standard
    error, runs.
    """
    settings = [("pairwise", f"{sides}-sided") for sides in SIDES]
    settings += [("bootstrap", f"trim {trim}") for trim in bootstrap.trims]

    def work(count: int, rng: np.random.Generator) -> Floats:
        truth, drawn = _drawn(model, count, judgments, rng)
        out = np.empty((count, len(settings), len(judgments), len(QUALITIES)))
        for i, sides in enumerate(SIDES):
            first, last = ranges.pairwise_ranges(drawn.wins, sides=sides)
            out[:, i] = range_quality(first, last, truth[:, None, :])
        for e, s in np.ndindex(drawn.wins.shape[:2]):
            counts = PairCounts(
                drawn.systems, drawn.wins[e, s], drawn.ties[e, s]
            )
            for i, (first, last) in enumerate(bootstrap.ranges(counts, rng)):
                out[e, len(SIDES) + i, s] = range_quality(
                    first, last, truth[e]
                )
        return out

    label = f"rank ranges, spread {model.spread:g}"
    values = np.concatenate(in_shards(work, runs, SHARD, seed, jobs, label))
    sizes = list(judgments)
    parts = [
        with_errors(
            values[:, i],
            QUALITIES,
            method=method,
            setting=setting,
            judgments=sizes,
        )
        for i, (method, setting) in enumerate(settings)
    ]
    return pd.concat(parts, ignore_index=True).assign(runs=runs)


def feedback_arc_sets(weights: ArrayLike) -> tuple[IntArray, IntArray]:
    """Optimal rankings of many small tournaments at once, as `feedback_arc_set` of each finds them.

    `weights` are `net_weights`, (B, n, n), with at most `WORD` systems; of systems with equal wins
    minus losses, the first is listed first. Returns the rows of each, best first, (B, n), and the
    violated weight, (B,). Raises DataError for any other shape of weights.
    """
    w = np.asarray(weights)
    if w.ndim != 3 or w.shape[1] != w.shape[2] or w.shape[1] > WORD:
        expected = f"(B, n, n), n at most {WORD}"
        raise DataError(
            "not a stack of square matrices", value=w.shape, expected=expected
        )
    listed = np.argsort(w.sum(1) - w.sum(2), axis=1, kind="stable")
    rows = np.arange(len(w))[:, None, None]
    sorted_weights = w[rows, listed[:, :, None], listed[:, None, :]].astype(
        np.int64
    )
    orders, costs = solve_many(sorted_weights)
    return np.take_along_axis(listed, orders, axis=1), costs


def solve_many(w: IntArray) -> tuple[IntArray, IntArray]:
    """Orders (B, k) of least cost of tournaments (B, k, k), and their costs (B,)."""
    if not len(w):
        return np.zeros(w.shape[:2], np.int64), np.zeros(0, np.int64)
    if len(w) == 1:
        one = solve(w[0], np.inf)
        return one.order[None], np.array([one.cost])
    order = insertion_search(w, np.tile(np.arange(w.shape[1]), (len(w), 1)))
    found = bounded_dp(
        w, np.array([cost_of(*pair) for pair in zip(order, w, strict=True)])
    )
    if found is not None:
        return found[:2]
    parts = [solve_many(part) for part in np.array_split(w, 2)]
    return np.concatenate([p[0] for p in parts]), np.concatenate(
        [p[1] for p in parts]
    )
