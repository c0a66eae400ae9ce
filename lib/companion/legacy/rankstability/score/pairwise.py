"""Relative ranking: blocks to counts of wins and ties between systems, and scores from these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import Blocks, blocks
from ..kinds import COMPARISONS, check_kind

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class PairCounts:
    """How often each system was ranked better than each other one, and how often equal.

    Integers of shape (..., n, n), with replicates on leading axes: ``wins[i, j]`` is how often i
    was ranked better than j; `ties` is symmetric.
    """

    systems: tuple[str, ...]
    wins: np.ndarray
    ties: np.ndarray

    def without(self, *systems: str) -> PairCounts:
        """The counts among the other systems; names that are absent are ignored."""
        keep = [i for i, s in enumerate(self.systems) if s not in systems]
        rows, columns = np.ix_(keep, keep)
        wins, ties = (x[..., rows, columns] for x in (self.wins, self.ties))
        return PairCounts(tuple(self.systems[i] for i in keep), wins, ties)

    @property
    def comparisons(self) -> int:
        """Comparisons in all, ties included."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    def connected(self) -> PairCounts:
        """The counts themselves (of one replicate), if they connect all systems they compare.

        Raises DataError if groups of systems were never compared with each other: no score can
        then order systems of different groups.
        """
        from scipy.sparse.csgraph import connected_components

        met = self.wins + self.wins.T + self.ties > 0
        group = connected_components(met, directed=False)[1]
        names = np.array(self.systems, dtype=object)
        apart = [
            names[group == k].tolist()
            for k in np.unique(group[met.any(axis=0)])
        ]
        if len(apart) > 1:
            problem = "groups of systems never compared with each other"
            expected = "comparisons that connect all systems, or each group on its own"
            raise DataError(
                problem, column="system", value=apart, expected=expected
            )
        return self


def comparisons(
    data: Blocks, unranked: str = "drop"
) -> tuple[np.ndarray, ...]:
    """All comparisons of the blocks: row, first system, second system, sign.

    Sign is 1 if the first was ranked better, -1 if worse, 0 if equal. With `unranked` ``drop``, an
    output without a rank takes part in no comparison (Bojar et al. 2011); with ``keep``, its -1 is
    taken for a rank and so beats everything, which reproduces the scores that Koehn (2012) prints.
    Raises DataError for any other `unranked`.
    """
    if unranked not in ("drop", "keep"):
        raise DataError(
            "unknown rule for unranked outputs",
            value=unranked,
            expected="drop, keep",
        )
    i, j = np.triu_indices(data.codes.shape[1], 1)
    part = data.ranked if unranked == "drop" else data.codes >= 0
    row, column = np.nonzero(part[:, i] & part[:, j])
    a = data.codes[row, i[column]]
    b = data.codes[row, j[column]]
    sign = np.sign(data.ranks[row, j[column]] - data.ranks[row, i[column]])
    return row, a, b, sign


def pair_counts(
    judgments: pd.DataFrame | Blocks, unranked: str = "drop"
) -> PairCounts:
    """How often each system was ranked better than each other one, and how often equal.

    ``wins[i, j]`` and ``ties[i, j]`` are between systems i and j, in order of name.

    Parameters
    ----------
    judgments : DataFrame or Blocks
        One task: rows of a campaign of relative ranking, or its blocks.
    unranked : str
        How outputs without a rank are treated, see `comparisons`.

    Raises
    ------
    DataError
        For rows of several tasks, or none.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, pair_counts
    >>> counts = pair_counts(load("demo-rr", "cs-en"))
    >>> counts.systems[0], counts.comparisons
    ('_ref', 3932)
    """
    if not isinstance(judgments, Blocks):
        check_kind(judgments, COMPARISONS)
        judgments = blocks(judgments)
    each = np.ones(len(judgments.codes), int)
    matrices = pairwise_by_block(judgments, unranked)
    return weighted(matrices, each, judgments.systems)


def pairwise_by_block(
    data: Blocks, unranked: str = "drop"
) -> tuple[csr_array, csr_array]:
    """Wins and ties per block: two sparse matrices, (blocks, n * n), cell (i, j) at i * n + j.

    Any weighting of the blocks is then one product: ``weights @ wins``.
    """
    from scipy.sparse import csr_array

    row, a, b, sign = comparisons(data, unranked)
    n = len(data.systems)

    def counted(
        part: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> csr_array:
        where = row[part], (first * n + second)[part]
        return csr_array(
            (np.ones(part.sum(), dtype=int), where),
            shape=(len(data.codes), n * n),
        )

    better = np.where(sign > 0, a, b)
    worse = np.where(sign > 0, b, a)
    ties = counted(sign == 0, better, worse)
    return counted(sign != 0, better, worse), ties + counted(
        sign == 0, worse, better
    )


def weighted(
    matrices: tuple[csr_array, csr_array],
    weights: np.ndarray,
    systems: tuple[str, ...],
) -> PairCounts:
    """Counts under `weights` of blocks, (replicates, blocks); `matrices` of `pairwise_by_block`."""
    n = len(systems)
    wins, ties = (
        np.asarray(weights @ m).reshape(*weights.shape[:-1], n, n)
        for m in matrices
    )
    return PairCounts(systems, wins, ties)


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """`part` / `whole`; NaN where `whole` is 0."""
    return np.divide(
        part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0
    )


def better_or_equal_others(counts: PairCounts) -> np.ndarray:
    """(wins + ties) / all: "≥ others" (Bojar, Section 2.1), WMT-OFFICIAL (Lopez, Eq. 1).

    All score functions give one value per system, (..., n); NaN without any comparison.
    """
    w = counts.wins.sum(-1)
    t = counts.ties.sum(-1)
    lost = counts.wins.sum(-2)
    return ratio(w + t, w + t + lost)


def better_others(counts: PairCounts) -> np.ndarray:
    """Wins / all comparisons: "> others" (Bojar); HEURISTIC 2 (Lopez, Eq. 2) without reference."""
    w = counts.wins.sum(-1)
    t = counts.ties.sum(-1)
    lost = counts.wins.sum(-2)
    return ratio(w, w + t + lost)


def wins_over_decided(counts: PairCounts) -> np.ndarray:
    """Wins / (wins + losses) (Bojar, Section 2.3); BOJAR (Lopez, Eq. 3) without reference."""
    w = counts.wins.sum(-1)
    lost = counts.wins.sum(-2)
    return ratio(w, w + lost)


def expected_win(counts: PairCounts) -> np.ndarray:
    """Mean of wins / (wins + losses) against each opponent ever decided (Koehn 2012, Section 2)."""
    share = ratio(counts.wins, counts.wins + np.swapaxes(counts.wins, -1, -2))
    met = np.isfinite(share)
    return ratio(np.where(met, share, 0).sum(-1), met.sum(-1))
