"""Campaigns with known truth: the Monte Carlo model of Koehn (2012), Section 3.

Average qualities are uniform on [0, 10]. A block shows the outputs of k systems for one segment;
their qualities are normal around the systems', and the judge ranks by them. The paper's "variance"
behaves like a **standard deviation** (`simulation.readings`). Counts are arrays ``wins[..., j,
k]``, how often j was ranked above k, for many experiments at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import Blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Count = TypeVar("Count", int, Ints)
# if there are at most this many sets of k systems, all are listed
SUBSETS_LISTED = 50_000


@dataclass(frozen=True)
class Model:
    """A campaign by relative ranking, simulated (Koehn 2012, Section 3)."""

    systems: int = 15  # without the reference
    # standard deviation of the quality of a system's outputs
    spread: float = 10.0
    block: int = 5  # outputs ranked together: C(block, 2) pairwise judgments
    width: float = 10.0  # average qualities are uniform on [0, width]

    def __post_init__(self) -> None:
        if not 2 <= self.block <= self.systems:
            problem = "a block needs that many different systems"
            most = f"from 2 to {self.systems}"
            raise DataError(
                problem, column="block", value=self.block, expected=most
            )
        if self.spread <= 0 or self.width <= 0:
            raise DataError(
                "spread and width must be above 0",
                value=(self.spread, self.width),
            )

    @property
    def per_block(self) -> int:
        """The number of pairwise judgments in a block."""
        return comb(self.block, 2)

    def blocks_for(self, judgments: Count) -> Count:
        """How many blocks give this number of pairwise judgments, rounded up."""
        return -(-judgments // self.per_block)

    def names(self) -> list[str]:
        """The names of the systems, ``S01`` and so on, in order of index."""
        digits = len(str(self.systems))
        return [f"S{i + 1:0{digits}d}" for i in range(self.systems)]


def draw_qualities(
    model: Model, experiments: int, rng: np.random.Generator
) -> Floats:
    """Average qualities of shape (experiments, systems)."""
    return rng.uniform(0.0, model.width, size=(experiments, model.systems))


@lru_cache(maxsize=16)
def _subsets(
    systems: int, block: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """All sets of `block` systems, (block, sets), and the cells of their pairs, (pairs, sets)."""
    sets = np.array(
        list(combinations(range(systems), block)), dtype=np.uint8
    ).T.copy()
    return sets, _cells(sets, systems)


def _cells(sets: NDArray[np.uint8], systems: int) -> NDArray[np.int32]:
    """The cell a * systems + b of each two systems a < b in a block: (pairs, blocks)."""
    wide = sets.astype(np.int32)
    return np.stack(
        [
            wide[a] * systems + wide[b]
            for a, b in combinations(range(len(sets)), 2)
        ]
    )


def _draw_sets(
    model: Model, blocks: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Random sets of systems, (block, blocks), each in order of index, and the cells of pairs."""
    n = model.systems
    k = model.block
    if comb(n, k) <= SUBSETS_LISTED:
        sets, cells = _subsets(n, k)
        pick = rng.integers(sets.shape[1], size=blocks)
        return sets[:, pick], cells[:, pick]
    chance = rng.random((blocks, n), dtype=np.float32)
    chosen = np.argpartition(chance, k - 1, axis=1)[:, :k]
    drawn = np.sort(chosen, axis=1).astype(np.uint8).T.copy()
    return drawn, _cells(drawn, n)


def _seen(
    model: Model,
    quality: Floats,
    sets: NDArray[np.uint8],
    rng: np.random.Generator,
    liking: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The qualities that the judges see, in the shape of `sets`."""
    seen = rng.standard_normal(sets.shape, dtype=np.float32)
    seen *= np.float32(model.spread)
    seen += quality.astype(np.float32)[sets]
    if liking is not None:
        seen += liking
    return seen


def draw_counts(
    model: Model,
    quality: Floats,
    judgments: Sequence[int],
    rng: np.random.Generator,
) -> Ints:
    """Wins in every experiment after each number of `judgments`, which must ascend.

    The judgments of a smaller size are part of every larger one, as in a campaign that continues.
    Sizes are rounded up to whole blocks. The result is (experiments, sizes, systems, systems).
    """
    sizes = np.asarray(judgments, dtype=np.int64)
    if (
        sizes.ndim != 1
        or not len(sizes)
        or sizes[0] < 1
        or (np.diff(sizes) <= 0).any()
    ):
        found = sizes.tolist()
        raise DataError(
            "numbers of judgments must ascend", column="judgments", value=found
        )
    n = model.systems
    k = model.block
    ends = model.blocks_for(sizes)
    stage = np.repeat(
        np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0)
    )
    base = stage * np.int32(2 * n * n)
    first, second = np.array(list(combinations(range(k), 2))).T
    wins = np.empty((len(quality), len(sizes), n, n), dtype=np.int64)
    for e, average in enumerate(quality):
        sets, cells = _draw_sets(model, int(ends[-1]), rng)
        seen = _seen(model, average, sets, rng)
        # cells hold (a, b) with a < b: outcome 0 is "b above a", outcome 1 "a above b"
        code = cells + base
        code += (seen[first] > seen[second]) * np.int32(n * n)
        counts = np.bincount(code.ravel(), minlength=len(sizes) * 2 * n * n)
        below, above = counts.reshape(len(sizes), 2, n, n).transpose(
            1, 0, 2, 3
        )
        wins[e] = above + below.transpose(0, 2, 1)
    return np.cumsum(wins, axis=1)


def draw_pairs(
    model: Model,
    quality: Floats,
    judgments: Sequence[int],
    rng: np.random.Generator,
) -> Ints:
    """Wins as from `draw_counts`, but with independent judgments, and with sizes not nested.

    This is hundreds of times faster. The dependence of judgments in a block is lost, which affects
    rankings, though not the mean share of significant pairs.
    """
    n = model.systems
    k = model.block
    i, j = np.triu_indices(n, 1)
    better = ndtr(
        (quality[:, i] - quality[:, j]) / (model.spread * np.sqrt(2))
    )
    better = better[:, None, :]
    sizes = np.asarray(judgments, dtype=np.int64)
    blocks = model.blocks_for(sizes)[None, :, None]
    shape = (len(quality), blocks.shape[1], len(i))
    met = rng.binomial(blocks, k * (k - 1) / (n * (n - 1)), size=shape)
    won = rng.binomial(met, better)
    wins = np.zeros((*shape[:2], n, n), dtype=np.int64)
    wins[..., i, j] = won
    wins[..., j, i] = met - won
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
    """The blocks of one experiment, in the form that `judgments.blocks` has for a real task.

    `quality` is one row of `draw_qualities`. Blocks are assigned to `judges` at random; each judge
    adds a lasting preference to each system's quality, normal with standard deviation
    `judge_spread` (0 in the paper).
    """
    sets, _ = _draw_sets(model, model.blocks_for(judgments), rng)
    blocks = sets.shape[1]
    k = sets.shape[0]
    judge: Ints = rng.integers(judges, size=(blocks,))
    liking = None
    if judge_spread:
        tastes = rng.standard_normal((judges, model.systems), dtype=np.float32)
        liking = np.float32(judge_spread) * tastes[judge[None, :], sets]
    seen = _seen(model, quality, sets, rng, liking)
    ranks = 1 + (seen[None, :, :] > seen[:, None, :]).sum(axis=1)
    order = np.argsort(rng.random((blocks, k)), axis=1)
    codes = np.take_along_axis(sets.T.astype(np.int64), order, axis=1)
    placed = np.take_along_axis(ranks.T, order, axis=1)
    number = np.arange(blocks)
    width = len(str(judges))
    people = np.array([f"J{i + 1:0{width}d}" for i in range(judges)])
    return Blocks(
        tuple(model.names()), codes, placed, number, people[judge], number + 1
    )
