"""How many comparisons separate how many pairs of systems (Koehn 2012, Figure 2, Table 4).

The expected share of significant pairs is an integral over the power of the sign test, so that it
needs no simulation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
import pandas as pd
from scipy.special import bdtrc, ndtr

from ..arguments import check_count
from ..errors import DataError
from ..judgments import COMPARISON_KINDS, Judgments, check_judgments
from ..scores.arrays import VoteArrays
from ..scores.pairwise import vote_arrays
from .bootstrap import cells_by_unit, critical_wins, significant_share
from .simulate import ModelParameters, draw_independent_counts, draw_qualities

MAX_COMPARISONS = 5e6  # larger campaigns are not considered
NODES = 48  # of the integral over a pair's difference; with 200, no share changes by 1e-8
MIN_TABLE = 256  # comparisons of a pair in the smallest table of powers
POINTS = 12  # sizes at which a real campaign is looked at
SPREADS = tuple(range(2, 41))  # that are tried
SIZES_OF_BAND = 30
BAND = (0.9, 0.1)  # of simulated campaigns, the luckiest and the least lucky tenth


@lru_cache(maxsize=256)
def _power(most: int, spread: float, width: float, sides: int) -> np.ndarray:
    """Return the chance that a random pair is separated after 0 to `most` comparisons of the pair."""
    node, weight = np.polynomial.legendre.leggauss(NODES)
    # two uniform qualities differ by u * width with the density 2 (1 - u) on [0, 1]
    u = (node + 1) / 2
    weight = weight * (1 - u)
    better = ndtr(u * width / (spread * np.sqrt(2)))
    critical = critical_wins(most, sides=sides)
    number = np.arange(most + 1)
    power = np.zeros(len(number))
    able = int(np.argmax(critical <= number))  # from here on some result is significant
    # `critical` is below N/2 + sqrt(N) + 1: seven standard deviations on, a tail is 0 or 1
    for p, w in zip(better, weight, strict=True):
        certain = 1_000_000_000 if p < 0.501 else int((5.0 / (p - 0.5)) ** 2) + 20
        end = min(len(number), max(able, certain))
        tail = slice(able, end)
        power[tail] += w * bdtrc(critical[tail] - 1, number[tail], p)
        power[tail] += w * bdtrc(critical[tail] - 1, number[tail], 1 - p)
        power[end:] += w
    return power


@lru_cache(maxsize=1024)
def _meetings(blocks: int, meet: float) -> tuple[int, np.ndarray]:
    """Return the distribution of how often a pair meets in `blocks`: first number, chances."""
    mean, sd = blocks * meet, np.sqrt(blocks * meet * (1 - meet))
    low = max(0, int(mean - 8 * sd))
    high = min(blocks, int(mean + 8 * sd) + 2)
    return low, -np.diff(bdtrc(np.arange(low - 1, high + 1), blocks, meet))


def expected_share(
    comparisons: Sequence[float] | np.ndarray, model: ModelParameters, sides: int = 1
) -> np.ndarray:
    """Return the expected share of significant pairs after numbers of comparisons: (sizes,).

    Two systems meet in a block with the probability k (k - 1) / n (n - 1), so that their number of
    comparisons N is binomial over blocks. Given N and the difference of the two qualities, the
    power of the sign test is a binomial tail. This leaves an integral over the difference, and a
    sum over N.
    """
    n, k = model.systems, model.block
    meet = k * (k - 1) / (n * (n - 1))
    shares = []
    for count in np.atleast_1d(np.asarray(comparisons, dtype=float)):
        blocks = max(1, round(count / model.comparisons_per_block))
        low, chance = _meetings(blocks, meet)
        high = low + len(chance)
        size = max(MIN_TABLE, 1 << int(high).bit_length())  # few tables, each for many numbers
        power = _power(size, model.spread, model.width, sides)
        shares.append(float(chance @ power[low:high]))
    return np.array(shares)


def comparisons_needed(
    model: ModelParameters,
    shares: Sequence[float],
    sides: int = 1,
    campaigns: int = 0,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Return how many comparisons separate shares: see `ComparisonModel.comparisons_needed`."""
    if campaigns and rng is None:
        raise DataError("rng_needed", expected="rng=np.random.default_rng(seed)")
    columns = {"systems": model.systems, "spread": model.spread, "share": list(shares)}
    table = pd.DataFrame(columns)
    targets = [_comparisons_needed(share, model, sides) for share in shares]
    table["comparisons"] = targets
    if not campaigns or rng is None:
        return table
    low = max(min(targets) / 20, 2 * model.comparisons_per_block)
    grid = np.geomspace(low, max(targets) * 20, SIZES_OF_BAND)
    sizes = np.unique(grid.round().astype(np.int64)).tolist()
    quality = draw_qualities(model, campaigns, rng)
    drawn = significant_share(draw_independent_counts(model, quality, sizes, rng), sides)
    curves = np.quantile(drawn, BAND, axis=0)
    for name, curve in zip(("fewer", "more"), curves, strict=True):
        table[name] = [_first_size(sizes, curve, share) for share in shares]
    return table


def _comparisons_needed(share: float, model: ModelParameters, sides: int) -> float:
    """Return the size at which `expected_share` reaches a share, to one block or 0.05 %."""
    step = model.comparisons_per_block
    low, high = 1, 64
    while expected_share([high * step], model, sides)[0] < share:
        low, high = high, high * 2
        if high * step > MAX_COMPARISONS:
            return float("nan")
    while high - low > max(1, high // 2000):
        middle = (low + high) // 2
        if expected_share([middle * step], model, sides)[0] < share:
            low = middle
        else:
            high = middle
    return float(high * step)


def _first_size(sizes: Sequence[int], curve: np.ndarray, share: float) -> float:
    """Return the size at which a curve first reaches `share`, interpolated in log size."""
    reached = np.flatnonzero(curve >= share)
    if not len(reached):
        return float("nan")
    near = slice(max(0, reached[0] - 1), reached[0] + 1)
    return float(np.exp(np.interp(share, curve[near], np.log(sizes[near]))))


def fit_growth(
    judgments: Judgments, rng: np.random.Generator, orders: int = 20, sides: int = 1
) -> pd.DataFrame:
    """Return the growth of a real campaign and of the model that fits: see `ComparisonModel.fit`."""
    check_judgments(judgments, COMPARISON_KINDS)
    check_count("orders", orders)
    votes = vote_arrays(judgments)
    n = len(votes.systems)
    if n < 2:
        raise DataError("too_few_systems", value=", ".join(votes.systems))
    owner, number = _blocks(judgments, votes)
    grown = _grow(votes, owner, number, rng, orders, sides)
    sizes, shares = grown["comparisons"].to_numpy(), grown["share"].to_numpy()
    start = ModelParameters(n, block=min(_block_size(owner), n))

    def fitted(spread: float) -> np.ndarray:
        return expected_share(sizes, replace(start, spread=float(spread)), sides)

    @cache
    def misfit(k: int) -> float:
        return float(np.sqrt(np.mean((fitted(SPREADS[k]) - shares) ** 2)))

    # the misfit falls up to the best spread and rises beyond it
    steps = range(len(SPREADS) - 1)
    best = bisect_left(steps, True, key=lambda k: misfit(k) <= misfit(k + 1))
    spread = float(SPREADS[best])
    return grown.assign(fitted=fitted(spread), systems=n, block=start.block, spread=spread)


def _grow(
    votes: VoteArrays,
    owner: np.ndarray,
    number: int,
    rng: np.random.Generator,
    orders: int,
    sides: int,
) -> pd.DataFrame:
    """Return the share of significant pairs as blocks are added in random orders."""
    n = len(votes.systems)
    cells = cells_by_unit(votes, owner, number)
    ends = np.unique(np.linspace(0, number, POINTS + 1).round().astype(int)[1:])
    shares, compared, decided = [], [], []
    for _ in range(orders):
        place = np.argsort(rng.permutation(number))
        taken = np.asarray((place[None, :] < ends[:, None]).astype(np.int64) @ cells)
        wins = taken[:, : n * n].round().astype(np.int64).reshape(-1, n, n)
        shares.append(significant_share(wins, sides))
        decided.append(taken[:, : n * n].sum(axis=1))
        compared.append(taken.sum(axis=1))
    share = np.array(shares)
    return pd.DataFrame(
        {
            "comparisons": np.mean(compared, axis=0),
            "decided": np.mean(decided, axis=0),
            "share": share.mean(axis=0),
            "share_low": share.min(axis=0),
            "share_high": share.max(axis=0),
        }
    )


def _blocks(judgments: Judgments, votes: VoteArrays) -> tuple[np.ndarray, int]:
    """Return the block of each comparison, and the number of blocks, with those without any."""
    if votes.block is None:
        return np.arange(len(votes.first)), len(votes.first)
    return votes.block, int(judgments.table["block"].nunique())


def _block_size(owner: np.ndarray) -> int:
    """Return the number of systems k in the usual block, from its k (k - 1) / 2 comparisons."""
    held = np.bincount(owner)
    usual = int(np.bincount(held[held > 0]).argmax())
    return round(float(1 + np.sqrt(1 + 8 * usual)) / 2)
