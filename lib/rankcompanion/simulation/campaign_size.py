"""How many judgments a campaign by relative ranking needs: the sign test's power in the model.

Koehn (2012), Figure 2, Table 4 and Section 6, by an integral instead of a simulation; the model is
`models.simulate.Model`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtrc, ndtr
from scipy.stats import binom

from rankstability.errors import DataError
from rankstability.rank.significance import critical_wins, significant_share

from ..models.simulate import Model, draw_pairs, draw_qualities

Floats = NDArray[np.float64]
MOST = 5e6  # judgments that are looked for
NODES = 48  # of the integral over a pair's gap; 200 change no share by 1e-8
_POWER: dict[tuple[float, float, int], Floats] = {}  # tables grow as they are needed


def _power(most: int, spread: float, width: float, sides: int) -> Floats:
    """Chance that a random pair is separated after N = 0 ... `most` judgments of it, or more."""
    key = (spread, width, sides)
    known = _POWER.get(key, np.zeros(0))
    if most >= len(known):
        new = _power_from(len(known), max(256, most, len(known) * 3 // 2), *key)
        known = _POWER[key] = np.concatenate([known, new])
    return known


def _power_from(low: int, high: int, spread: float, width: float, sides: int) -> Floats:
    """`_power` for N = `low` ... `high` only."""
    node, weight = np.polynomial.legendre.leggauss(NODES)
    # the gap of two uniform qualities: density 2 (1 - u) for u = gap / width on [0, 1]
    u, weight = (node + 1) / 2, weight / 2
    weight = weight * 2 * (1 - u)
    better = ndtr(u * width / (spread * np.sqrt(2)))
    c = critical_wins(high, sides=sides)[low:]
    number = np.arange(low, high + 1)
    out = np.zeros(len(number))
    able = int(np.argmax(c <= number))  # from here on some result is significant
    # c lies below N/2 + 2 sqrt(N) / 2 + 1: seven standard deviations on, a tail is 0 or 1
    for p, w in zip(better, weight, strict=True):
        sure = 1_000_000_000 if p < 0.501 else int((5.0 / (p - 0.5)) ** 2) + 20
        end = min(len(number), max(able, sure - low))
        out[able:end] += w * bdtrc(c[able:end] - 1, number[able:end], p)
        out[able:end] += w * bdtrc(c[able:end] - 1, number[able:end], 1 - p)
        out[end:] += w
    return out


@lru_cache(maxsize=1024)
def _meetings(blocks: int, meet: float) -> tuple[int, Floats]:
    """Chances of N meetings of a pair in so many blocks: the first N, and the chances from it."""
    mean, sd = blocks * meet, np.sqrt(blocks * meet * (1 - meet))
    low, high = max(0, int(mean - 8 * sd)), min(blocks, int(mean + 8 * sd) + 2)
    return low, binom.pmf(np.arange(low, high + 1), blocks, meet)


def expected_share(judgments: NDArray | Sequence[float], model: Model, sides: int = 1) -> Floats:
    """Expected share of significant pairs after numbers of pairwise judgments, without simulation.

    A pair of systems meets in a block with probability k(k-1) / n(n-1), so its number of judgments
    N is binomial over the blocks; given N and the pair's gap the sign test's power is a binomial
    tail, and the gap of two uniform qualities has density 2 (1 - d/width) / width. What is left is
    one integral over d (Gauss-Legendre) and a sum over N. Exact for the model without ties and
    reference, but for the quadrature; blocks matter only for the share's variance, not its mean.
    """
    if model.grain or model.reference is not None:
        raise DataError("the integral holds without ties and reference", value=model)
    n, k = model.systems, model.block
    meet = k * (k - 1) / (n * (n - 1))
    out = []
    for count in np.atleast_1d(np.asarray(judgments, dtype=float)):
        blocks = max(1, round(count / model.per_block))
        low, chance = _meetings(blocks, meet)
        high = low + len(chance)
        power = _power(high, model.spread, model.width, sides)
        out.append(float(chance @ power[low:high]))
    return np.array(out)


def judgments_needed(share: float, model: Model, sides: int = 1) -> float:
    """Judgments for which the expected share of significant pairs reaches `share` (Table 4).

    Bisection on `expected_share`, to a block; NaN beyond `MOST`.
    """
    step = model.per_block
    low, high = 1, 64
    while expected_share([high * step], model, sides)[0] < share:
        low, high = high, high * 2
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
    """The spread whose expected curve lies closest to observed shares (least squares; Figure 2).

    The best of `candidates` (ascending) and its root mean squared misfit, which falls towards one
    spread and rises beyond it: they are halved again and again.
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

    The number is the integral's. The band is where lucky and unlucky campaigns reach the share: how
    far apart their systems happen to lie matters more than the judgments' chance. It comes from
    simulated campaigns (`simulate.draw_pairs`): at `fewer` judgments the best 10 % have reached the
    share, at `more` all but the worst 10 %. Columns: systems, spread, share, judgments, fewer,
    more, experiments; NaN where 20 times the number does not do.
    """
    targets = [judgments_needed(share, model) for share in shares]
    low = max(min(targets) / 20, 2 * model.per_block)
    grid = np.geomspace(low, max(targets) * 20, 30)
    sizes = np.unique(grid.round().astype(np.int64)).tolist()
    rng = np.random.default_rng(seed)
    quality = draw_qualities(model, experiments, rng)
    drawn = significant_share(draw_pairs(model, quality, sizes, rng))
    lucky, unlucky = np.quantile(drawn, [0.9, 0.1], axis=0)
    table = pd.DataFrame({"share": shares, "judgments": targets})
    for name, curve in (("fewer", lucky), ("more", unlucky)):
        table[name] = [_first_size(sizes, curve, share) for share in shares]
    table.insert(0, "systems", model.systems)
    table.insert(1, "spread", model.spread)
    return table.assign(experiments=experiments)


def _first_size(sizes: Sequence[int], curve: NDArray, share: float) -> float:
    """Where a curve first reaches `share`, interpolated in log size; NaN if it does not."""
    reached = np.flatnonzero(curve >= share)
    if not len(reached):
        return float("nan")
    i = int(reached[0])
    if i == 0:
        return float(sizes[0])
    fraction = (share - curve[i - 1]) / (curve[i] - curve[i - 1])
    low, high = np.log(sizes[i - 1]), np.log(sizes[i])
    return float(np.exp(low + fraction * (high - low)))


def advice_for(
    campaigns: pd.DataFrame, shares: Sequence[float], seeds: Sequence[int], experiments: int
) -> pd.DataFrame:
    """`advice` for each of several campaigns, real or to come.

    `campaigns` has the columns systems, spread, block, and any others, which come first in the
    result; `seeds` has one for each.
    """
    parts = []
    for row, seed in zip(campaigns.to_dict("records"), seeds, strict=True):
        model = Model(int(row.pop("systems")), float(row.pop("spread")), int(row.pop("block")))
        part = advice(model, shares, seed, experiments=experiments)
        parts.append(pd.DataFrame({**row, **part}))
    return pd.concat(parts, ignore_index=True)
