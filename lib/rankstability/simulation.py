"""Campaigns with known truth: the Monte Carlo model of Koehn (2012), Section 3, and its integral.

Systems have average qualities drawn uniformly from [0, 10]. A block shows the outputs of k
different systems for one segment; each output has a quality drawn from a normal distribution
around its system's average, and the judge ranks the block by these qualities. `spread` is the
**standard deviation** of that distribution: the paper's "variance" behaves as one (see
`koehn2012`). Extensions that the paper leaves open: ties, and a reference ranked with the systems.

Counts are arrays ``wins[..., j, k]``, how often j was ranked above k, for many experiments at once;
`draw_frame` gives the same model as a tidy RR campaign, block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SUBSETS_LISTED = 50_000  # up to this many sets of k systems are listed and drawn by number


@dataclass(frozen=True)
class Model:
    """A campaign by relative ranking, simulated (Koehn 2012, Section 3).

    Parameters
    ----------
    systems : int
        Number of systems n, the reference not counted.
    spread : float
        Standard deviation of the quality of a system's outputs.
    block : int
        Outputs ranked together; a block gives C(block, 2) pairwise judgments.
    width : float
        Average qualities are uniform on [0, width].
    grain : float
        0: no ties, as in the paper. Else a judge sees quality in steps of `grain`, from an
        offset drawn for each block, and outputs on one step share a rank.
    reference : float, optional
        Average quality of a reference ranked with the systems as one more of them (the last).
    """

    systems: int = 15
    spread: float = 10.0
    block: int = 5
    width: float = 10.0
    grain: float = 0.0
    reference: float | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.block <= self.outputs:
            raise DataError(
                "a block needs that many different systems",
                column="block",
                value=self.block,
                expected=f"from 2 to {self.outputs}",
            )
        if self.spread <= 0 or self.width <= 0 or self.grain < 0:
            raise DataError(
                "spread and width must be above 0, grain not below",
                value=(self.spread, self.width, self.grain),
            )

    @property
    def outputs(self) -> int:
        """What is ranked: the systems, and the reference if there is one."""
        return self.systems + (self.reference is not None)

    @property
    def per_block(self) -> int:
        """Pairwise judgments in a block."""
        return comb(self.block, 2)

    def names(self) -> list[str]:
        """``S01`` ... in order of index; the reference is ``_ref``."""
        digits = len(str(self.systems))
        names = [f"S{i + 1:0{digits}d}" for i in range(self.systems)]
        return names + (["_ref"] if self.reference is not None else [])


def draw_qualities(model: Model, experiments: int, rng: np.random.Generator) -> Floats:
    """Average qualities of shape (experiments, outputs); the reference's is last."""
    quality = rng.uniform(0.0, model.width, size=(experiments, model.systems))
    if model.reference is None:
        return quality
    return np.column_stack([quality, np.full(experiments, model.reference)])


@lru_cache(maxsize=16)
def _subsets(outputs: int, block: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """All sets of `block` outputs, (block, sets), and the cells of their pairs, (pairs, sets)."""
    sets = np.array(list(combinations(range(outputs), block)), dtype=np.uint8).T.copy()
    return sets, _cells(sets, outputs)


def _cells(sets: NDArray[np.uint8], outputs: int) -> NDArray[np.int32]:
    """Cell a * outputs + b of each pair of positions a < b, shape (pairs, blocks)."""
    wide = sets.astype(np.int32)
    return np.stack([wide[a] * outputs + wide[b] for a, b in combinations(range(len(sets)), 2)])


def _draw_sets(
    model: Model, blocks: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Random sets of outputs, (block, blocks), each in order of index, and their pairs' cells."""
    n, k = model.outputs, model.block
    if comb(n, k) <= SUBSETS_LISTED:
        sets, cells = _subsets(n, k)
        pick = rng.integers(sets.shape[1], size=blocks)
        return sets[:, pick], cells[:, pick]
    chosen = np.argpartition(rng.random((blocks, n), dtype=np.float32), k - 1, axis=1)[:, :k]
    drawn = np.sort(chosen, axis=1).astype(np.uint8).T.copy()
    return drawn, _cells(drawn, n)


def _seen(
    model: Model, quality: Floats, sets: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.float32]:
    """The qualities the judges see, shape of `sets`."""
    seen = rng.standard_normal(sets.shape, dtype=np.float32)
    seen *= np.float32(model.spread)
    seen += quality.astype(np.float32)[sets]
    if model.grain:
        offset = rng.random(sets.shape[1], dtype=np.float32)
        seen = np.floor(seen / np.float32(model.grain) + offset)
    return seen


def draw_counts(
    model: Model,
    quality: Floats,
    judgments: Sequence[int],
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Judge every experiment: win and tie counts after each number of `judgments`.

    The sizes are nested: what was judged at a smaller size is part of every larger one, as in a
    campaign that goes on. A size is reached with whole blocks, rounded up.

    Parameters
    ----------
    model : Model
    quality : array of shape (experiments, outputs)
        From `draw_qualities`.
    judgments : sequence of int
        Numbers of pairwise judgments (ties counted), ascending.

    Returns
    -------
    wins, ties : arrays of shape (experiments, sizes, outputs, outputs)
        ``wins[e, s, j, k]``: how often j stood above k. Ties are symmetric.
    """
    sizes = np.asarray(judgments, dtype=np.int64)
    if sizes.ndim != 1 or not len(sizes) or sizes[0] < 1 or (np.diff(sizes) <= 0).any():
        raise DataError("numbers of judgments must ascend", column="judgments", value=list(sizes))
    n, k = model.outputs, model.block
    ends = -(-sizes // model.per_block)
    stage = np.repeat(
        np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0).astype(np.int64)
    )
    base = stage * np.int32(2 * n * n)
    first, second = np.array(list(combinations(range(k), 2))).T
    wins = np.empty((len(quality), len(sizes), n, n), dtype=np.int64)
    ties = np.zeros_like(wins)
    for e, average in enumerate(quality):
        sets, cells = _draw_sets(model, int(ends[-1]), rng)
        seen = _seen(model, average, sets, rng)
        # cells hold (a, b) with a < b: outcome 0 is "b above a", outcome 1 "a above b"
        code = cells + base
        code += (seen[first] > seen[second]) * np.int32(n * n)
        if model.grain:
            equal = seen[first] == seen[second]
            tied = (cells + stage * np.int32(n * n))[equal]
            t = np.bincount(tied, minlength=len(sizes) * n * n).reshape(len(sizes), n, n)
            ties[e] = t + t.transpose(0, 2, 1)
            code = code[~equal]
        counts = np.bincount(code.ravel(), minlength=len(sizes) * 2 * n * n)
        below, above = counts.reshape(len(sizes), 2, n, n).transpose(1, 0, 2, 3)
        wins[e] = above + below.transpose(0, 2, 1)
    return np.cumsum(wins, axis=1), np.cumsum(ties, axis=1)


def draw_blocks(
    model: Model, quality: Floats, judgments: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """One experiment block by block: outputs and ranks (1 best), each (blocks, block).

    Outputs on one step of the `grain` share the better rank (1, 1, 3, ...).
    """
    sets, _ = _draw_sets(model, -(-judgments // model.per_block), rng)
    seen = _seen(model, quality, sets, rng)
    ranks = 1 + (seen[None, :, :] > seen[:, None, :]).sum(axis=1)
    return sets.T.copy(), ranks.T.copy()


def draw_frame(
    model: Model,
    quality: Floats,
    judgments: int,
    rng: np.random.Generator,
    *,
    judges: int = 30,
    pair: str = "simulated",
) -> pd.DataFrame:
    """One simulated campaign as the tidy frame that `readers_rr.read_rr` gives.

    Parameters
    ----------
    quality : array of shape (outputs,)
        One row of `draw_qualities`.
    judgments : int
        Pairwise judgments; whole blocks, rounded up.
    judges : int
        Blocks are dealt to this many judges at random; the model's judges do not differ.

    Returns
    -------
    DataFrame
        Columns task, pair, track, block, judge, segment, document, position, system, rank,
        ranked; ``block`` rows of `model.block` lines, positions from 1 in random order.
    """
    sets, ranks = draw_blocks(model, quality, judgments, rng)
    order = np.argsort(rng.random(sets.shape), axis=1)
    sets, ranks = (np.take_along_axis(x, order, axis=1) for x in (sets, ranks))
    blocks, k = sets.shape
    names = np.array(model.names(), dtype=object)
    width = len(str(judges))
    judge = np.array([f"J{i + 1:0{width}d}" for i in rng.integers(judges, size=blocks)], object)
    number = np.arange(1, blocks + 1)
    return pd.DataFrame(
        {
            "task": pair,
            "pair": pair,
            "track": "",
            "block": np.repeat(number, k),
            "judge": np.repeat(judge, k),
            "segment": np.repeat(number.astype(str).astype(object), k),
            "document": "simulated",
            "position": np.tile(np.arange(1, k + 1), blocks),
            "system": names[sets.ravel()],
            "rank": ranks.ravel(),
            "ranked": True,
        }
    )


# ------------------------------------------------------------------ the sign test, and its integral


def critical_wins(most: int, alpha: float = 0.05, sides: int = 1) -> Ints:
    """The fewest wins that a sign test calls significant, for 0 ... `most` comparisons.

    ``c[N]`` is the least c with P(X >= c) <= alpha / sides for X ~ Binomial(N, 1/2); it is N + 1
    where no number of wins will do. ``sides=1`` is the reading that matches Koehn's numbers
    ("5 %" asked of each direction), ``sides=2`` a two-sided test at `alpha`.
    """
    return _critical(_above(most), float(alpha), int(sides))[: most + 1]


def _above(most: int) -> int:
    """The next power of two, so that tables are shared."""
    return 1 << max(8, int(most).bit_length())


@lru_cache(maxsize=32)
def _critical(most: int, alpha: float, sides: int) -> Ints:
    from scipy.special import bdtrc
    from scipy.stats import norm

    if sides not in (1, 2):
        raise DataError("a sign test has one side or two", column="sides", value=sides)
    level = alpha / sides
    number = np.arange(most + 1)
    # start at a normal approximation, a few below, and step up to the exact threshold
    c = np.floor(number / 2 + norm.isf(level) * np.sqrt(number) / 2).astype(np.int64) - 2
    c = np.maximum(c, 0)
    for _ in range(12):
        tail = np.where(c <= 0, 1.0, bdtrc(np.clip(c - 1, 0, None), np.maximum(number, c), 0.5))
        tail[c > number] = 0.0
        high = tail > level
        if not high.any():
            break
        c[high] += 1
    c.setflags(write=False)
    return c


def significant(wins: NDArray, alpha: float = 0.05, sides: int = 1) -> NDArray[np.bool_]:
    """Which systems beat which by the sign test, ties left out: ``[..., j, k]``, j better."""
    total = wins + np.swapaxes(wins, -1, -2)
    return (wins >= critical_wins(int(total.max()), alpha, sides)[total]) & (total > 0)


def significant_share(wins: NDArray, alpha: float = 0.05, sides: int = 1) -> Floats:
    """Share of the pairs of systems that the sign test separates: Figure 2's y axis."""
    n = wins.shape[-1]
    return significant(wins, alpha, sides).sum(axis=(-1, -2)) / (n * (n - 1) / 2)


@lru_cache(maxsize=64)
def _power(most: int, spread: float, width: float, alpha: float, sides: int) -> Floats:
    """Chance that a random pair is separated after N = 0 ... `most` judgments of it."""
    from scipy.special import bdtrc, ndtr

    node, weight = np.polynomial.legendre.leggauss(64)
    # the gap of two uniform qualities: density 2 (1 - u) for u = gap / width on [0, 1]
    u, weight = (node + 1) / 2, weight / 2
    weight = weight * 2 * (1 - u)
    better = ndtr(u * width / (spread * np.sqrt(2)))
    c = critical_wins(most, alpha, sides)
    number = np.arange(most + 1)
    out = np.zeros(most + 1)
    can = c <= number
    for p, w in zip(better, weight, strict=True):
        out[can] += w * bdtrc(c[can] - 1, number[can], p)
        out[can] += w * bdtrc(c[can] - 1, number[can], 1 - p)
    out.setflags(write=False)
    return out


def expected_share(
    judgments: NDArray | Sequence[float],
    model: Model,
    alpha: float = 0.05,
    sides: int = 1,
) -> Floats:
    """Expected share of significant pairs after a number of judgments, without simulation.

    A pair of systems meets in a block with probability k(k-1) / n(n-1), so its number of
    judgments N is binomial over the blocks; given N and the pair's gap the sign test's power is a
    binomial tail, and the gap of two uniform qualities has density 2 (1 - d/width) / width. What
    is left is one integral over d (64 Gauss-Legendre nodes) and a sum over N. Exact for the model
    without ties and reference, but for the quadrature; blocks matter only for the share's
    variance, not its mean.

    Parameters
    ----------
    judgments : array
        Pairwise judgments in the campaign.
    """
    from scipy.stats import binom

    if model.grain or model.reference is not None:
        raise DataError("the integral holds without ties and reference", value=model)
    n, k = model.systems, model.block
    meet = k * (k - 1) / (n * (n - 1))
    out = []
    for count in np.atleast_1d(np.asarray(judgments, dtype=float)):
        blocks = max(1, round(count / model.per_block))
        mean, sd = blocks * meet, np.sqrt(blocks * meet * (1 - meet))
        low, high = max(0, int(mean - 8 * sd)), min(blocks, int(mean + 8 * sd) + 2)
        number = np.arange(low, high + 1)
        power = _power(_above(high), model.spread, model.width, alpha, sides)
        out.append(float(binom.pmf(number, blocks, meet) @ power[number]))
    return np.array(out)


def judgments_needed(
    share: float,
    model: Model,
    alpha: float = 0.05,
    sides: int = 1,
    most: float = 5e6,
) -> float:
    """Judgments for which the expected share of significant pairs reaches `share` (Table 4).

    Bisection on `expected_share`, to a block; NaN beyond `most`.
    """
    step = model.per_block
    low, high = 1, 64
    while expected_share([high * step], model, alpha, sides)[0] < share:
        low, high = high, high * 2
        if high * step > most:
            return float("nan")
    while high - low > max(1, high // 2000):
        middle = (low + high) // 2
        if expected_share([middle * step], model, alpha, sides)[0] < share:
            low = middle
        else:
            high = middle
    return float(high * step)


def fit_spread(
    judgments: NDArray | Sequence[float],
    shares: NDArray | Sequence[float],
    model: Model,
    candidates: NDArray | Sequence[float] = tuple(range(1, 31)),
    alpha: float = 0.05,
    sides: int = 1,
) -> tuple[float, pd.DataFrame]:
    """The spread whose expected curve lies closest to observed shares (least squares; Figure 2).

    Returns
    -------
    float
        The best of `candidates`.
    DataFrame
        Columns spread, rmse: the misfit of each.
    """
    from dataclasses import replace

    target = np.asarray(shares, dtype=float)
    rows = []
    for spread in candidates:
        fitted = expected_share(judgments, replace(model, spread=float(spread)), alpha, sides)
        rows.append((float(spread), float(np.sqrt(np.mean((fitted - target) ** 2)))))
    table = pd.DataFrame(rows, columns=["spread", "rmse"])
    return float(table.loc[table["rmse"].idxmin(), "spread"]), table
