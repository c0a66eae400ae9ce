"""Relative rankings and votes as pairwise comparisons, and counts of wins and ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from ..errors import DataError
from ..judgments import COMPARISON_KINDS, REFERENCE, Judgments, check_judgments
from .arrays import VoteArrays
from .build import codes_of

DROP, KEEP = "drop", "keep"  # what becomes of outputs of a block without a rank


@dataclass(frozen=True)
class PairCounts:
    """How often each system was judged better than each other one, and how often equal.

    Attributes
    ----------
    systems : tuple of str
        In order of name.
    wins, ties : arrays, shape (..., n, n)
        wins[i, j]: how often i was better than j; `ties` is symmetric. Leading axes are replicates.
    """

    systems: tuple[str, ...]
    wins: np.ndarray
    ties: np.ndarray

    def without(self, *systems: str) -> PairCounts:
        """Return the counts among the other systems; absent names are ignored."""
        keep = [k for k, name in enumerate(self.systems) if name not in systems]
        rows, columns = np.ix_(keep, keep)
        names = tuple(self.systems[k] for k in keep)
        return PairCounts(names, self.wins[..., rows, columns], self.ties[..., rows, columns])

    def groups(self) -> list[list[str]]:
        """Return the groups of systems that comparisons connect; those without any are left out."""
        met = self.wins + self.wins.T + self.ties > 0
        label = connected_components(met, directed=False)[1]
        names = np.array(self.systems, dtype=object)
        return [names[label == group].tolist() for group in np.unique(label[met.any(axis=0)])]

    @property
    def comparisons(self) -> int:
        """The number of comparisons, ties included."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    def table(self) -> pd.DataFrame:
        """Return one row per pair: system_a, system_b, wins_a, wins_b, ties, comparisons."""
        a, b = np.triu_indices(len(self.systems), 1)
        names = np.array(self.systems, dtype=object)
        wins_a, wins_b, ties = self.wins[a, b], self.wins[b, a], self.ties[a, b]
        columns = {"system_a": names[a], "system_b": names[b], "wins_a": wins_a, "wins_b": wins_b}
        return pd.DataFrame({**columns, "ties": ties, "comparisons": wins_a + wins_b + ties})


def expand_blocks(
    judgments: Judgments, unranked: str = DROP
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return all comparisons within ranking blocks: systems, block row, first, second, sign.

    The block row is the position of the first output's row in the table. Sign is 1 if the first was
    ranked better, -1 if worse, 0 if equal. With `unranked` ``drop``, an output without a rank takes
    part in no comparison (Bojar et al. 2011); with ``keep``, its -1 counts as a rank and beats
    everything, which reproduces the scores that Koehn (2012) prints.
    """
    if unranked not in (DROP, KEEP):
        raise DataError("unknown_unranked", value=unranked, expected="drop or keep")
    table = judgments.table
    codes, systems = codes_of(table["system"])
    block, _ = pd.factorize(table["block"])
    rank = table["rank"].to_numpy()
    order = np.lexsort((np.arange(len(block)), block))
    if unranked == DROP:
        order = order[rank[order] > 0]
    block, codes, rank = block[order], codes[order], rank[order]
    row, first, second, sign = [], [], [], []
    size = int(np.bincount(block).max(initial=0))
    for step in range(1, size):
        here = np.flatnonzero(block[:-step] == block[step:])
        there = here + step
        row.append(order[here])
        first.append(codes[here])
        second.append(codes[there])
        sign.append(np.sign(rank[there] - rank[here]))
    parts = [
        np.concatenate(part) if part else np.zeros(0, int) for part in (row, first, second, sign)
    ]
    return systems, parts[0], parts[1], parts[2], parts[3]


def rank_matrix(judgments: Judgments) -> tuple[np.ndarray, np.ndarray]:
    """Return systems and ranks by ranking block, in order of the first row of each block.

    Returns
    -------
    codes, ranks : arrays of int, shape (blocks, outputs)
        The systems of `count_pairs` and their ranks (-1: not ranked); codes are -1 in blocks that
        show fewer outputs. Controls are left out.
    """
    table = judgments.table
    table = table[~table["system"].isin(judgments.controls)]
    code, _ = codes_of(table["system"])
    block, _ = pd.factorize(table["block"])
    order = np.argsort(block, kind="stable")
    start = np.searchsorted(block[order], block[order])
    place = np.arange(len(block)) - start
    shape = int(block.max(initial=-1)) + 1, int(place.max(initial=-1)) + 1
    codes, ranks = np.full(shape, -1), np.full(shape, -1)
    codes[block[order], place] = code[order]
    ranks[block[order], place] = table["rank"].to_numpy()[order]
    return codes, ranks


def vote_arrays(judgments: Judgments, reference: bool = False, unranked: str = DROP) -> VoteArrays:
    """Return the comparisons of votes or relative rankings as arrays.

    In relative rankings a comparison belongs to the annotator and the question of its block: the
    document if documents are named (more than one), otherwise the segment. Outputs of known quality
    (controls), and votes of judge models beside those of people, are left out.

    Parameters
    ----------
    judgments : Judgments
        Votes or relative rankings.
    reference : bool
        Whether comparisons with the reference count.
    unranked : str
        See `expand_blocks`.
    """
    check_judgments(judgments, COMPARISON_KINDS)
    table = judgments.table
    if judgments.kind == "votes":
        return _from_votes(judgments)
    systems, row, first, second, sign = expand_blocks(judgments, unranked)
    outcome = (sign + 1) / 2
    hidden = set(judgments.controls) if reference else {*judgments.controls, REFERENCE}
    shown = np.array([name not in hidden for name in systems], bool)
    keep = shown[first] & shown[second]
    code = np.cumsum(shown) - 1
    first, second = code[first], code[second]
    systems = tuple(name for name in systems if name not in hidden)
    at = row[keep]
    annotator, annotators = _unit(table, "annotator", at)
    named = "document" in table and table["document"].nunique() > 1
    question, questions = _unit(table, "document" if named else "segment", at)
    return VoteArrays(
        systems=systems,
        first=first[keep],
        second=second[keep],
        outcome=outcome[keep],
        weight=np.ones(len(at)),
        annotator=annotator,
        question=question,
        block=pd.factorize(table["block"])[0][at],
        annotators=annotators,
        questions=questions,
        order_known=False,
        relative_ranking=True,
    )


def _from_votes(judgments: Judgments) -> VoteArrays:
    """Return the arrays of a table of votes."""
    table = judgments.table
    models = judgments.models_beside_people
    if models.any():
        table = table[~models]
    hidden = set(judgments.controls)
    if hidden:
        table = table[~(table["left"].isin(hidden) | table["right"].isin(hidden)).to_numpy()]
    if table.empty:
        raise DataError("no_judgments")
    both = pd.concat([table["left"].astype(object), table["right"].astype(object)])
    codes, systems = codes_of(both)
    n = len(table)
    outcome = table["winner"].astype(str).map({"left": 1.0, "right": 0.0, "tie": 0.5})
    at = np.arange(n)
    annotator, annotators = _unit(table, "annotator", at)
    question, questions = _unit(table, "question", at)
    weight = table["weight"].to_numpy(float) if "weight" in table else np.ones(n)
    return VoteArrays(
        systems=systems,
        first=codes[:n],
        second=codes[n:],
        outcome=outcome.to_numpy(float),
        weight=weight,
        annotator=annotator,
        question=question,
        annotators=annotators,
        questions=questions,
        order_known=judgments.order_known,
    )


def _unit(
    table: pd.DataFrame, column: str, rows: np.ndarray
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Return the codes and names of a unit; None unless every row names one."""
    if column not in table:
        return None, ()
    codes, names = codes_of(table[column])
    codes = codes[rows]
    if len(codes) == 0 or (codes < 0).any():
        return None, ()
    return codes, names


@dataclass(frozen=True)
class VoteTable:
    """Sums of votes by ordered pair: who was shown first, who second, and the outcome.

    `first_won`, `second_won` and `tied` have shape (n, n): row shown first, column second.
    """

    first_won: np.ndarray
    second_won: np.ndarray
    tied: np.ndarray

    @property
    def number(self) -> np.ndarray:
        """Votes by ordered pair: (n, n)."""
        total: np.ndarray = self.first_won + self.second_won + self.tied
        return total

    @property
    def wins(self) -> np.ndarray:
        """How often the row beat the column, whichever was shown first: (n, n)."""
        wins: np.ndarray = self.first_won + self.second_won.T
        return wins

    @property
    def ties(self) -> np.ndarray:
        """Ties of each pair, whichever was shown first: (n, n), symmetric."""
        ties: np.ndarray = self.tied + self.tied.T
        return ties

    def among(self, systems: np.ndarray) -> VoteTable:
        """Return the votes among these systems (codes)."""
        grid = np.ix_(systems, systems)
        return VoteTable(self.first_won[grid], self.second_won[grid], self.tied[grid])


def tabulate(votes: VoteArrays) -> VoteTable:
    """Return the sums of votes by ordered pair."""
    n = len(votes.systems)
    cell = votes.first.astype(np.int64) * n + votes.second
    sums = [
        np.bincount(cell[here], votes.weight[here], n * n).reshape(n, n)
        for here in (votes.outcome == 1, votes.outcome == 0, votes.outcome == 0.5)
    ]
    return VoteTable(*sums)


def count_votes(votes: VoteArrays) -> PairCounts:
    """Return the counts of wins and ties of comparisons."""
    table = tabulate(votes)
    wins, ties = table.wins, table.ties
    if (votes.weight == 1).all():
        wins, ties = wins.astype(int), ties.astype(int)
    return PairCounts(votes.systems, wins, ties)


def count_pairs(judgments: Judgments, reference: bool = True, unranked: str = DROP) -> PairCounts:
    """Return the counts of wins and ties as matrices, with the reference unless it is left out."""
    return count_votes(vote_arrays(judgments, reference, unranked))
