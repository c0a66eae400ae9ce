"""Relative ranking: blocks to pairwise counts to scores, for every score the papers define.

Bojar et al. (2011, Sections 2.1 and 2.3), Lopez (2012, Eqs. 1 to 3) and Koehn (2012, Section 2)
partly give one thing several names; `METHODS` lists each score once with all its names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import REFERENCE, Blocks, blocks

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


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)


def better_or_equal_others(counts: PairCounts) -> np.ndarray:
    """(wins + ties) / all: "≥ others" (Bojar, Section 2.1), WMT-OFFICIAL (Lopez, Eq. 1).

    All score functions give one value per system, ``... x n``, NaN without any comparison.
    """
    w, t, lost = counts.wins.sum(-1), counts.ties.sum(-1), counts.wins.sum(-2)
    return _ratio(w + t, w + t + lost)


def better_others(counts: PairCounts) -> np.ndarray:
    """Wins / all comparisons: "> others" (Bojar); HEURISTIC 2 (Lopez, Eq. 2) without reference."""
    w, t, lost = counts.wins.sum(-1), counts.ties.sum(-1), counts.wins.sum(-2)
    return _ratio(w, w + t + lost)


def wins_over_decided(counts: PairCounts) -> np.ndarray:
    """Wins / (wins + losses) (Bojar, Section 2.3); BOJAR (Lopez, Eq. 3) without reference."""
    w, lost = counts.wins.sum(-1), counts.wins.sum(-2)
    return _ratio(w, w + lost)


def expected_win(counts: PairCounts) -> np.ndarray:
    """Mean over opponents of wins / (wins + losses) against each (Koehn 2012, Section 2).

    Opponents never met, or only with ties, are left out of the mean.
    """
    share = _ratio(counts.wins, counts.wins + np.swapaxes(counts.wins, -1, -2))
    met = np.isfinite(share)
    return _ratio(np.where(met, share, 0).sum(-1), met.sum(-1))


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
    return _ratio(facts[name].sum(0), facts["ranked"].sum(0))


@dataclass(frozen=True)
class Method:
    """A score of pairwise counts: column, label in figures, names in papers, and how it counts."""

    name: str
    label: str
    aliases: tuple[str, ...]
    reference: bool  # whether the reference takes part
    score: Callable[[PairCounts], np.ndarray]

    def __call__(self, counts: PairCounts) -> pd.Series:
        """Scores by system; without the reference it has none (NaN)."""
        used = counts if self.reference else counts.without(REFERENCE)
        return pd.Series(self.score(used), index=list(used.systems)).reindex(list(counts.systems))


@dataclass(frozen=True)
class BlockMethod:
    """A score of whole blocks: the share of them in which `fact` (see `by_block`) holds."""

    name: str
    label: str
    aliases: tuple[str, ...]
    fact: str


METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        Method(
            "better_or_equal_others",
            "≥ others",
            ("≥ others (Bojar et al. 2011)", "WMT-OFFICIAL (Lopez 2012, Eq. 1)"),
            True,
            better_or_equal_others,
        ),
        Method("better_others", "> others", ("> others (Bojar et al. 2011)",), True, better_others),
        Method(
            "wins_over_decided",
            "wins / (wins + losses)",
            ("wins/(wins+losses) (Bojar et al. 2011, Section 2.3)",),
            True,
            wins_over_decided,
        ),
        Method(
            "heuristic2", "HEURISTIC 2", ("HEURISTIC 2 (Lopez 2012, Eq. 2)",), False, better_others
        ),
        Method("bojar", "BOJAR", ("BOJAR (Lopez 2012, Eq. 3)",), False, wins_over_decided),
        Method("expected_win", "expected win", ("expected win (Koehn 2012)",), False, expected_win),
    )
}
BLOCK_METHODS: dict[str, BlockMethod] = {
    m.name: m
    for m in (
        BlockMethod(
            "better_or_equal_all_in_block",
            "≥ all in block",
            ("≥ all in block (Bojar et al. 2011)",),
            "better_or_equal_all",
        ),
        BlockMethod(
            "better_all_in_block",
            "> all in block",
            ("> all in block (Bojar et al. 2011)",),
            "better_all",
        ),
        BlockMethod(
            "sole_winner",
            "sole winner",
            ("sole winner (Bojar et al. 2011, Table 4), as a share of blocks",),
            "sole_winner",
        ),
    )
}
LABELS = {
    **{m.name: m.label for m in METHODS.values()},
    **{m.name: m.label for m in BLOCK_METHODS.values()},
    "mfas": "minimum feedback arc set",
}
"""What figures call each way to rank."""
TOURNAMENT_METHODS = {
    "mfas": ("MFAS", ""),
    "wmt_official": ("WMT-OFFICIAL", "better_or_equal_others"),
    "heuristic2": ("HEURISTIC 2", "heuristic2"),
    "bojar": ("BOJAR", "bojar"),
    "expected_win": ("expected win", "expected_win"),
}
"""The rankings Lopez (2012) compares: his heading, and the score behind it (none: a tournament)."""


def scores(frame: pd.DataFrame) -> pd.DataFrame:
    """Every score of every system of one task.

    Returns
    -------
    DataFrame
        task, system, blocks_shown, blocks_ranked, comparisons, one column per score of `METHODS`
        and `BLOCK_METHODS` (shares between 0 and 1), and sole_winner_blocks (a count); best first
        by `better_or_equal_others`, the reference included.
    """
    data = blocks(frame)
    counts, facts = pair_counts(data), by_block(data)
    out = pd.DataFrame({"task": str(frame["task"].iloc[0]), "system": list(data.systems)})
    out["blocks_shown"] = facts["shown"].sum(0)
    out["blocks_ranked"] = facts["ranked"].sum(0)
    out["comparisons"] = counts.wins.sum(1) + counts.wins.sum(0) + counts.ties.sum(1)
    for name, method in METHODS.items():
        out[name] = method(counts).to_numpy()
    for name, block_method in BLOCK_METHODS.items():
        out[name] = in_block(facts, block_method.fact)
    out["sole_winner_blocks"] = facts["sole_winner"].sum(0)
    order = ["better_or_equal_others", "system"]
    return out.sort_values(order, ascending=[False, True], ignore_index=True)


def matrix(counts: PairCounts, values: np.ndarray, order: list[str] | None = None) -> pd.DataFrame:
    """An n x n array of `counts` as a labelled frame, rows and columns in `order`."""
    frame = pd.DataFrame(values, index=list(counts.systems), columns=list(counts.systems))
    return frame.loc[order, order] if order else frame


def win_percentages(counts: PairCounts, order: list[str] | None = None) -> pd.DataFrame:
    """Per cent of comparisons in which the column's system was ranked better than the row's.

    The orientation of Bojar et al. (2011, Table 6) and the WMT overview papers; what is missing
    to 100 are ties. NaN where two systems never met.
    """
    total = counts.wins + counts.wins.T + counts.ties
    return matrix(counts, 100 * _ratio(counts.wins.T, total), order)


def file_place(task: str, name: str) -> tuple[str, str]:
    """Language pair and file name for a task's result: the track, where there is one, is added."""
    pair, _, track = task.partition(" ")
    return pair, f"{name}_{track}" if track else name


def methods() -> pd.DataFrame:
    """The vocabulary of scores: column, names in the papers, whether the reference counts."""
    rows = [(m.name, "; ".join(m.aliases), m.reference) for m in METHODS.values()]
    rows += [(m.name, "; ".join(m.aliases), True) for m in BLOCK_METHODS.values()]
    return pd.DataFrame(rows, columns=["score", "names", "with_reference"])


def tasks(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The frame of each task by name, sorted by name."""
    groups: dict[Any, pd.DataFrame] = dict(iter(frame.groupby("task", observed=True, sort=True)))
    return {str(name): group for name, group in groups.items()}


def method_of(name: str) -> Method:
    """A score by its name in `METHODS`."""
    if name not in METHODS:
        raise DataError("unknown score", value=name, expected=", ".join(METHODS))
    return METHODS[name]
