"""Simulated campaigns of relative ranking, in which the true ranking is known (Koehn 2012).

The true quality of a system is uniform on [0, width]. A block shows the outputs of k systems for one
segment. The quality of an output is normal around that of its system, with the standard deviation
`spread`, and the annotator ranks outputs by it. The paper calls the free parameter a variance; its
numbers are reproduced if it is a standard deviation.

Counts are arrays ``wins[..., j, k]``: how often j was ranked above k, for many campaigns at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ..arguments import check_count, check_positive
from ..errors import DataError
from ..judgments import Judgments

MAX_LISTED_SETS = 50_000  # sets of k systems; if there are more, they are drawn without a list


@dataclass(frozen=True)
class ModelParameters:
    """The parameters of `comparison_model.ComparisonModel`, which says what they mean."""

    systems: int = 15
    spread: float = 10.0
    block: int = 5
    width: float = 10.0

    def __post_init__(self) -> None:
        for name in ("systems", "block"):
            check_count(name, getattr(self, name))
        if not 2 <= self.block <= self.systems:
            expected = f"from 2 to {self.systems}"
            raise DataError("bad_block", column="block", value=self.block, expected=expected)
        for name in ("spread", "width"):
            check_positive(name, getattr(self, name))

    @property
    def comparisons_per_block(self) -> int:
        """The number of comparisons that a block implies."""
        return comb(self.block, 2)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, ``S01`` and so on."""
        digits = len(str(self.systems))
        return tuple(f"S{k + 1:0{digits}d}" for k in range(self.systems))

    def blocks_for(self, comparisons: np.ndarray) -> np.ndarray:
        """Return how many blocks give these numbers of comparisons, rounded up."""
        blocks: np.ndarray = -(-np.asarray(comparisons) // self.comparisons_per_block)
        return blocks


def draw_qualities(model: ModelParameters, campaigns: int, rng: np.random.Generator) -> np.ndarray:
    """Return true qualities: (campaigns, systems)."""
    return rng.uniform(0.0, model.width, size=(campaigns, model.systems))


def draw_counts(
    model: ModelParameters,
    quality: np.ndarray,
    comparisons: Sequence[int],
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the wins of each campaign after each number of comparisons.

    The comparisons of a smaller size are part of every larger one, as in a campaign that continues.

    Parameters
    ----------
    model : ModelParameters
    quality : array, shape (campaigns, systems)
        True qualities.
    comparisons : sequence of int
        Ascending sizes, which are rounded up to whole blocks.
    rng : Generator

    Returns
    -------
    array of int, shape (campaigns, sizes, systems, systems)
    """
    sizes = np.asarray(comparisons, dtype=np.int64)
    if sizes.ndim != 1 or not len(sizes) or sizes[0] < 1 or (np.diff(sizes) <= 0).any():
        raise DataError("not_ascending", value=sizes.tolist())
    n, k = model.systems, model.block
    ends = model.blocks_for(sizes)
    stage = np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0))
    base = stage * np.int32(2 * n * n)
    first, second = np.array(list(combinations(range(k), 2))).T
    wins = np.empty((len(quality), len(sizes), n, n), dtype=np.int64)
    for campaign, average in enumerate(quality):
        sets, cells = _draw_sets(model, int(ends[-1]), rng)
        seen = _draw_outputs(model, average, sets, rng)
        # cells are of pairs (a, b) with a < b; the first n * n codes: b is ranked above a
        code = cells + base
        code += (seen[first] > seen[second]) * np.int32(n * n)
        counts = np.bincount(code.ravel(), minlength=len(sizes) * 2 * n * n)
        below, above = counts.reshape(len(sizes), 2, n, n).transpose(1, 0, 2, 3)
        wins[campaign] = above + below.transpose(0, 2, 1)
    return np.cumsum(wins, axis=1)


def draw_independent_counts(
    model: ModelParameters,
    quality: np.ndarray,
    comparisons: Sequence[int],
    rng: np.random.Generator,
) -> np.ndarray:
    """Return wins as `draw_counts` does, but of independent comparisons, and with sizes not nested.

    This is hundreds of times faster. Comparisons of a block are dependent, which changes rankings,
    but not the mean share of significant pairs.
    """
    n, k = model.systems, model.block
    a, b = np.triu_indices(n, 1)
    better = ndtr((quality[:, a] - quality[:, b]) / (model.spread * np.sqrt(2)))[:, None, :]
    blocks = model.blocks_for(np.asarray(comparisons, dtype=np.int64))[None, :, None]
    shape = (len(quality), blocks.shape[1], len(a))
    met = rng.binomial(blocks, k * (k - 1) / (n * (n - 1)), size=shape)
    won = rng.binomial(met, better)
    wins = np.zeros((*shape[:2], n, n), dtype=np.int64)
    wins[..., a, b] = won
    wins[..., b, a] = met - won
    return wins


def simulate_judgments(
    model: ModelParameters,
    comparisons: int,
    rng: np.random.Generator,
    annotators: int = 30,
    annotator_spread: float = 0.0,
) -> tuple[Judgments, pd.Series]:
    """Return a simulated campaign and the true qualities: see `ComparisonModel.simulate`."""
    for name, value in (("comparisons", comparisons), ("annotators", annotators)):
        check_count(name, value)
    block = model.block
    quality = draw_qualities(model, 1, rng)[0]
    blocks = int(model.blocks_for(np.asarray(comparisons)))
    sets, _ = _draw_sets(model, blocks, rng)
    annotator = rng.integers(annotators, size=blocks)
    preference = rng.standard_normal((annotators, model.systems)) * annotator_spread
    seen = _draw_outputs(model, quality, sets, rng) + preference[annotator, sets]
    rank = 1 + (seen[None, :, :] > seen[:, None, :]).sum(axis=1)
    order = np.argsort(rng.random((blocks, block)), axis=1)
    number = np.repeat(np.arange(blocks), block)
    names = np.array(model.names, dtype=object)
    digits = len(str(annotators))
    people = np.array([f"A{k + 1:0{digits}d}" for k in range(annotators)], dtype=object)
    table = pd.DataFrame(
        {
            "block": number,
            "system": names[np.take_along_axis(sets.T.astype(int), order, axis=1).ravel()],
            "rank": np.take_along_axis(rank.T, order, axis=1).ravel(),
            "position": np.tile(np.arange(1, block + 1), blocks),
            "annotator": people[annotator[number]],
            "segment": number + 1,
        }
    )
    table = table.astype({"system": "category", "annotator": "category"})
    truth = pd.Series(quality, index=list(model.names), name="quality")
    judgments = Judgments(table, "relative_ranking", protocol="RR")
    return judgments, truth.sort_values(ascending=False)


@lru_cache(maxsize=16)
def _list_sets(systems: int, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all sets of `block` systems, (block, sets), and the cells of their pairs."""
    listed = np.array(list(combinations(range(systems), block)), dtype=np.uint8).T.copy()
    return listed, _cells(listed, systems)


def _cells(sets: np.ndarray, systems: int) -> np.ndarray:
    """Return the cell a * systems + b of each two systems a < b of a block: (pairs, blocks)."""
    wide = sets.astype(np.int32)
    return np.stack([wide[a] * systems + wide[b] for a, b in combinations(range(len(sets)), 2)])


def _draw_sets(
    model: ModelParameters, blocks: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return random sets of systems in order of index, (block, blocks), and the cells of pairs."""
    n, k = model.systems, model.block
    if comb(n, k) <= MAX_LISTED_SETS:
        listed, cells = _list_sets(n, k)
        chosen = rng.integers(listed.shape[1], size=blocks)
        return listed[:, chosen], cells[:, chosen]
    chance = rng.random((blocks, n), dtype=np.float32)
    lowest = np.argpartition(chance, k - 1, axis=1)[:, :k]
    sets = np.sort(lowest, axis=1).astype(np.uint8).T.copy()
    return sets, _cells(sets, n)


def _draw_outputs(
    model: ModelParameters, quality: np.ndarray, sets: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return the quality of each output, in the shape of `sets`."""
    seen = rng.standard_normal(sets.shape, dtype=np.float32)
    seen *= np.float32(model.spread)
    seen += quality.astype(np.float32)[sets]
    return seen
