"""Relative ranking: blocks to counts of wins and ties between systems, and scores of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import Blocks, blocks

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_NEVER = 1_000_000  # the rank of an output that does not take part: worse than any label


@dataclass(frozen=True)
class PairCounts:
    """How often each system was ranked better than each other one.

    Attributes
    ----------
    systems : tuple of str
    wins : int array, ... x n x n
        ``wins[i, j]``: i ranked better than j; leading axes are replicates.
    ties : int array, the same shape, symmetric
        Ranked equal.
    """

    systems: tuple[str, ...]
    wins: np.ndarray
    ties: np.ndarray

    def without(self, *systems: str) -> PairCounts:
        """The counts among the other systems; names that are absent are ignored."""
        keep = [i for i, s in enumerate(self.systems) if s not in systems]
        rows, columns = np.ix_(keep, keep)
        return PairCounts(
            tuple(self.systems[i] for i in keep),
            self.wins[..., rows, columns],
            self.ties[..., rows, columns],
        )

    @property
    def comparisons(self) -> int:
        """Comparisons in all, ties included."""
        return int(self.wins.sum() + self.ties.sum() // 2)


def comparisons(data: Blocks, unranked: str = "drop") -> tuple[np.ndarray, ...]:
    """All comparisons of the blocks: row, first system, second system, sign.

    Sign is 1 where the first was ranked better, -1 where worse, 0 where equal.

    Parameters
    ----------
    unranked : str
        ``drop``: an output without a rank takes part in no comparison, the rest of its block does
        (Bojar et al. 2011). ``keep``: its -1 is taken for a rank and so beats everything, which
        is what reproduces the scores Koehn (2012) prints.
    """
    if unranked not in ("drop", "keep"):
        raise DataError("unknown rule for unranked outputs", value=unranked, expected="drop, keep")
    i, j = np.triu_indices(data.codes.shape[1], 1)
    part = data.ranked if unranked == "drop" else data.codes >= 0
    row, column = np.nonzero(part[:, i] & part[:, j])
    a, b = data.codes[row, i[column]], data.codes[row, j[column]]
    sign = np.sign(data.ranks[row, j[column]] - data.ranks[row, i[column]])
    return row, a, b, sign


def pair_counts(judgments: pd.DataFrame | Blocks, unranked: str = "drop") -> PairCounts:
    """How often each system was ranked better than each other one, and how often equal.

    Parameters
    ----------
    judgments : DataFrame or Blocks
        One task: rows of a campaign by relative ranking, or its blocks.
    unranked : str
        What to make of outputs left without a rank, see `comparisons`.

    Returns
    -------
    PairCounts
        ``wins[i, j]`` and ``ties[i, j]`` between systems i and j, in order of name.

    Raises
    ------
    DataError
        No rows, rows of several tasks, or an unknown `unranked`.

    Examples
    --------
    >>> from rankstability import load, pair_counts
    >>> counts = pair_counts(load("demo-rr", "cs-en"))
    >>> counts.systems[0], counts.comparisons
    ('_ref', 3932)
    """
    data = judgments if isinstance(judgments, Blocks) else blocks(judgments)
    n = len(data.systems)
    _, a, b, sign = comparisons(data, unranked)
    better, worse = np.where(sign >= 0, a, b), np.where(sign >= 0, b, a)
    decided = sign != 0
    wins = np.bincount(better[decided] * n + worse[decided], minlength=n * n).reshape(n, n)
    ties = np.bincount(better[~decided] * n + worse[~decided], minlength=n * n).reshape(n, n)
    return PairCounts(data.systems, wins, ties + ties.T)


def pairwise_by_block(data: Blocks, unranked: str = "drop") -> tuple[csr_array, csr_array]:
    """Wins and ties per block: two sparse matrices, blocks x (n n), cell (i, j) at i n + j.

    Any weighting of the blocks is then one product: ``weights @ wins``.
    """
    from scipy.sparse import csr_array

    n = len(data.systems)
    row, a, b, sign = comparisons(data, unranked)
    better, worse = np.where(sign >= 0, a, b), np.where(sign >= 0, b, a)
    shape = (len(data.codes), n * n)
    d, t = sign != 0, sign == 0
    wins = csr_array((np.ones(d.sum(), dtype=int), (row[d], better[d] * n + worse[d])), shape=shape)
    both = np.concatenate([better[t] * n + worse[t], worse[t] * n + better[t]])
    twice = np.concatenate([row[t], row[t]])
    ties = csr_array((np.ones(2 * t.sum(), dtype=int), (twice, both)), shape=shape)
    return wins, ties


def weighted(
    matrices: tuple[csr_array, csr_array], weights: np.ndarray, systems: tuple[str, ...]
) -> PairCounts:
    """Counts under block weights, replicates x blocks (from `pairwise_by_block`)."""
    n = len(systems)
    wins, ties = (np.asarray(weights @ m).reshape(*weights.shape[:-1], n, n) for m in matrices)
    return PairCounts(systems, wins, ties)


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Part of the whole; NaN where that is 0."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)


def better_or_equal_others(counts: PairCounts) -> np.ndarray:
    """(wins + ties) / all: "≥ others" (Bojar, Section 2.1), WMT-OFFICIAL (Lopez, Eq. 1).

    All score functions give one value per system, ``... x n``, NaN without any comparison.
    """
    w, t, lost = counts.wins.sum(-1), counts.ties.sum(-1), counts.wins.sum(-2)
    return ratio(w + t, w + t + lost)


def better_others(counts: PairCounts) -> np.ndarray:
    """Wins / all comparisons: "> others" (Bojar); HEURISTIC 2 (Lopez, Eq. 2) without reference."""
    w, t, lost = counts.wins.sum(-1), counts.ties.sum(-1), counts.wins.sum(-2)
    return ratio(w, w + t + lost)


def wins_over_decided(counts: PairCounts) -> np.ndarray:
    """Wins / (wins + losses) (Bojar, Section 2.3); BOJAR (Lopez, Eq. 3) without reference."""
    w, lost = counts.wins.sum(-1), counts.wins.sum(-2)
    return ratio(w, w + lost)


def expected_win(counts: PairCounts) -> np.ndarray:
    """Mean over opponents of wins / (wins + losses) against each (Koehn 2012, Section 2).

    Opponents never met, or only with ties, are left out of the mean.
    """
    share = ratio(counts.wins, counts.wins + np.swapaxes(counts.wins, -1, -2))
    met = np.isfinite(share)
    return ratio(np.where(met, share, 0).sum(-1), met.sum(-1))


def by_block(data: Blocks) -> dict[str, np.ndarray]:
    """Per block and system (blocks x n, integers): what the scores "in block" count.

    Keys: ``shown``, ``ranked``, ``better_or_equal_all`` (no other ranked output is better),
    ``better_all`` (every other ranked output is worse, and there is one), ``sole_winner``
    (the only best output; one that is the only ranked output of its block counts: Bojar, Table 4).
    """
    n, rows = len(data.systems), len(data.codes)
    ranked = data.ranked
    rank = np.where(ranked, data.ranks, _NEVER)
    best = rank.min(axis=1, keepdims=True)
    top = ranked & (rank == best)
    sole = top & (top.sum(axis=1, keepdims=True) == 1)
    facts = {
        "shown": data.codes >= 0,
        "ranked": ranked,
        "better_or_equal_all": top,
        "better_all": sole & (ranked.sum(axis=1, keepdims=True) > 1),
        "sole_winner": sole,
    }
    out = {}
    for name, fact in facts.items():
        table = np.zeros((rows, n), dtype=int)
        row, slot = np.nonzero(fact)
        table[row, data.codes[row, slot]] = 1
        out[name] = table
    return out


def in_block(facts: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A score of whole blocks as a share of the blocks in which the system was ranked."""
    return ratio(facts[name].sum(0), facts["ranked"].sum(0))
