"""Campaigns with known truth: the Monte Carlo model of Koehn (2012), Section 3.

Systems have average qualities drawn uniformly from [0, 10]. A block shows the outputs of k
different systems for one segment; each output has a quality drawn from a normal distribution
around its system's average, and the judge ranks the block by these qualities. The paper's
"variance" of that distribution behaves as its **standard deviation** (see `koehn2012`). Extensions
that the paper leaves open: ties, and a reference ranked with the systems.

Counts are arrays ``wins[..., j, k]``, how often j was ranked above k, for many experiments at once.
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

from rankstability.errors import DataError
from rankstability.judgments import REFERENCE, Blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SUBSETS_LISTED = 50_000  # up to this many sets of k systems are listed and drawn by number


@dataclass(frozen=True)
class Model:
    """A campaign by relative ranking, simulated (Koehn 2012, Section 3).

    Parameters
    ----------
    systems : int
        Their number, the reference not counted.
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
            problem, most = "a block needs that many different systems", f"from 2 to {self.outputs}"
            raise DataError(problem, column="block", value=self.block, expected=most)
        if self.spread <= 0 or self.width <= 0 or self.grain < 0:
            values = (self.spread, self.width, self.grain)
            raise DataError("spread and width must be above 0, grain not below", value=values)

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
        return names + ([REFERENCE] if self.reference is not None else [])


DEFAULT = Model()


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
    model: Model,
    quality: Floats,
    sets: NDArray[np.uint8],
    rng: np.random.Generator,
    liking: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The qualities the judges see, shape of `sets`."""
    seen = rng.standard_normal(sets.shape, dtype=np.float32)
    seen *= np.float32(model.spread)
    seen += quality.astype(np.float32)[sets]
    if liking is not None:
        seen += liking
    if model.grain:
        offset = rng.random(sets.shape[1], dtype=np.float32)
        seen = np.floor(seen / np.float32(model.grain) + offset)
    return seen


def draw_counts(
    model: Model, quality: Floats, judgments: Sequence[int], rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Judge every experiment: win and tie counts after each number of `judgments`, ascending.

    The sizes are nested: what was judged at a smaller size is part of every larger one, as in a
    campaign that goes on. A size is reached with whole blocks, rounded up; ties count as judgments.

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
    stage = np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0))
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


def draw_pairs(
    model: Model, quality: Floats, judgments: Sequence[int], rng: np.random.Generator
) -> Ints:
    """Wins, as of `draw_counts`, as if every judgment came alone: pairs independent, not nested.

    Hundreds of times faster for large campaigns. Each pair's counts have the model's distribution;
    that the judgments of a block share outputs is lost: rankings feel it, the mean share of
    significant pairs does not.
    """
    from scipy.special import ndtr

    if model.grain:
        raise DataError("pairs are drawn without ties", column="grain", value=model.grain)
    n, k = model.outputs, model.block
    i, j = np.triu_indices(n, 1)
    better = ndtr((quality[:, i] - quality[:, j]) / (model.spread * np.sqrt(2)))[:, None, :]
    blocks = -(-np.asarray(judgments, dtype=np.int64) // model.per_block)[None, :, None]
    shape = (len(quality), blocks.shape[1], len(i))
    met = rng.binomial(blocks, k * (k - 1) / (n * (n - 1)), size=shape)
    won = rng.binomial(met, better)
    wins = np.zeros((*shape[:2], n, n), dtype=np.int64)
    wins[..., i, j], wins[..., j, i] = won, met - won
    return wins


def draw_blocks(
    model: Model,
    quality: Floats,
    judgments: int,
    rng: np.random.Generator,
    *,
    judges: int = 30,
    judge_spread: float = 0.0,
) -> Blocks:
    """One experiment block by block, as `judgments.blocks` gives a real task.

    `quality` is one row of `draw_qualities`; positions are in random order; outputs on one step of
    the `grain` share the better rank. The rest as for `simulate`.
    """
    sets, _ = _draw_sets(model, -(-judgments // model.per_block), rng)
    blocks, k = sets.shape[1], sets.shape[0]
    judge: Ints = rng.integers(judges, size=(blocks,))
    liking = None
    if judge_spread:
        tastes = rng.standard_normal((judges, model.outputs), dtype=np.float32)
        liking = np.float32(judge_spread) * tastes[judge[None, :], sets]
    seen = _seen(model, quality, sets, rng, liking)
    ranks = 1 + (seen[None, :, :] > seen[:, None, :]).sum(axis=1)
    order = np.argsort(rng.random((blocks, k)), axis=1)
    codes = np.take_along_axis(sets.T.astype(np.int64), order, axis=1)
    placed = np.take_along_axis(ranks.T, order, axis=1)
    number, width = np.arange(blocks), len(str(judges))
    people = np.array([f"J{i + 1:0{width}d}" for i in range(judges)])
    return Blocks(tuple(model.names()), codes, placed, number, people[judge], number + 1)


def simulate(
    judgments: int = 10_000,
    model: Model = DEFAULT,
    seed: int | np.random.Generator = 20240601,
    *,
    quality: Floats | None = None,
    pair: str = "simulated",
    judges: int = 30,
    judge_spread: float = 0.0,
) -> pd.DataFrame:
    """A campaign by relative ranking with known truth, as the frame that a real one gives.

    Parameters
    ----------
    judgments : int
        Pairwise judgments; whole blocks, rounded up.
    quality : array of shape (outputs,), optional
        The systems' average qualities; by default drawn (`draw_qualities`).
    pair : str
        The task's name.
    judges : int
        Blocks are dealt to this many judges at random.
    judge_spread : float
        Judges differ: each adds to each system's quality a lasting liking, normal with this
        standard deviation. 0, as in the paper: they do not.

    Returns
    -------
    DataFrame
        task, pair, track, block, judge, segment, document, position, system, rank, ranked; each
        block takes as many rows as it shows outputs and stands for its own segment. The truth is
        in ``attrs["quality"]``: system to average quality.

    Examples
    --------
    >>> from rankstability import pair_counts, simulate
    >>> campaign = simulate(2000, seed=1)
    >>> pair_counts(campaign).comparisons
    2000
    """
    rng = np.random.default_rng(seed)
    if quality is None:
        quality = draw_qualities(model, 1, rng)[0]
    data = draw_blocks(model, quality, judgments, rng, judges=judges, judge_spread=judge_spread)
    blocks, k = data.codes.shape
    frame = pd.DataFrame(
        {
            "task": pair,
            "pair": pair,
            "track": "",
            "block": np.repeat(data.block, k),
            "judge": np.repeat(data.judge, k),
            "segment": np.repeat(data.segment, k),
            "document": "simulated",
            "position": np.tile(np.arange(1, k + 1), blocks),
            "system": np.array(data.systems)[data.codes.ravel()],
            "rank": data.ranks.ravel(),
            "ranked": True,
        }
    )
    names = ("task", "pair", "track", "judge", "document", "system")
    frame = frame.astype(dict.fromkeys(names, "category"))
    frame.attrs["quality"] = dict(zip(model.names(), np.asarray(quality).tolist(), strict=True))
    return frame
