"""The ranking that contradicts the fewest results: the minimum feedback arc set (Lopez 2012).

Comparisons make a graph. It has an edge from i to j, weighted by wins minus losses, wherever i won
more often. A ranking violates the edges that point upwards in it. The minimum feedback arc set is
the set of edges that the ranking of least violated weight violates.

Several rankings can be optimal. The choice does not depend on the solver, wherever the sets of the
dynamic program can be held (in all tasks of WMT, and in most of 30 systems). First, the optimal
rankings nearest to another ranking by Kendall distance remain. Of these, the ranking is chosen that
comes first when they are compared place by place from the top, the preferred system first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import REFERENCE, Judgments
from ..scores.pairwise import PairCounts, count_pairs
from .feedback_search import (
    MAX_SYSTEMS,
    cost_of,
    first_sorted,
    nearest_to,
    solve,
    solve_many,
)
from .relative import NO_SCORE, expected_win, method_named

TIME_LIMIT = 120.0  # seconds for one feedback arc set; a result that is not proven depends on it
OFFICIAL = "better_or_equal_others"


@dataclass(frozen=True)
class FeedbackArcSet:
    """A ranking of least violated weight, with its proof.

    Attributes
    ----------
    names : tuple of str
        The systems in the order of the rows of `weights`.
    weights : array of int, shape (n, n)
        Wins minus losses, where positive; otherwise 0.
    order : array of int, shape (n,)
        Rows of `weights`, best first.
    cost, lower_bound : int
        Weight of the violated edges; no ranking costs less than the bound.
    n_optima : int or None
        The number of optimal rankings; None if they were not counted.
    canonical : bool
        Whether `order` is the optimal ranking that the rule of this module chooses.
    """

    names: tuple[str, ...]
    weights: np.ndarray = field(repr=False)
    order: np.ndarray
    cost: int
    lower_bound: int
    n_optima: int | None
    canonical: bool

    @property
    def systems(self) -> list[str]:
        """The systems, best first."""
        return [self.names[row] for row in self.order]

    @property
    def optimal(self) -> bool:
        """Whether the cost is proven to be the least."""
        return self.cost == self.lower_bound

    @property
    def acyclic(self) -> bool:
        """Whether the results contain no cycle, so that some ranking violates nothing."""
        return self.cost == 0

    @property
    def components(self) -> list[list[str]]:
        """Groups of systems that cycles join, from the top down."""
        return [[self.names[row] for row in rows] for rows in strong_components(self.weights)]

    def cost_of(self, systems: Sequence[str]) -> int:
        """Return the weight of the results that another ranking of these systems violates.

        Raises
        ------
        DataError
            ``different_systems`` unless the ranking has the same systems.
        """
        return cost_of(self._rows(systems), self.weights)

    def violations(self, systems: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the results that a ranking violates, by default this one, heaviest first.

        Columns winner (who won more often), loser (ranked above the winner), weight.
        """
        rows = self.order if systems is None else self._rows(systems)
        lower, upper = np.nonzero(np.tril(self.weights[rows[:, None], rows], -1))
        names = np.array(self.names, dtype=object)
        table = pd.DataFrame({"winner": names[rows[lower]], "loser": names[rows[upper]]})
        table["weight"] = self.weights[rows[lower], rows[upper]]
        return table.sort_values("weight", ascending=False, kind="stable", ignore_index=True)

    def results(self) -> pd.DataFrame:
        """Return every decided pair, and whether the ranking violates it.

        Columns winner, loser, weight, winner_rank, loser_rank, violated, in_cycle (the result is
        part of a cycle), closes_cycle (the ranking keeps this result, which forms a cycle of three
        with a violated one).
        """
        names = np.array(self.names, dtype=object)
        rank = np.argsort(self.order) + 1
        component = np.empty(len(names), dtype=int)
        for number, rows in enumerate(strong_components(self.weights)):
            component[rows] = number
        beats = self.weights > 0
        violated = beats & (rank[:, None] > rank)
        in_cycle = beats & (component[:, None] == component)
        closing = beats & ~violated & ((violated @ beats).T | (beats @ violated).T)
        winner, loser = np.nonzero(beats)
        table = pd.DataFrame(
            {
                "winner": names[winner],
                "loser": names[loser],
                "weight": self.weights[winner, loser],
                "winner_rank": rank[winner],
                "loser_rank": rank[loser],
                "violated": violated[winner, loser],
                "in_cycle": in_cycle[winner, loser],
                "closes_cycle": closing[winner, loser],
            }
        )
        return table.sort_values(["winner_rank", "loser_rank"], ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """Return one row: systems, cost, lower_bound, optimal, n_optima, acyclic, components, ...

        largest_component is the number of systems in the largest group that cycles join.
        """
        sizes = [len(group) for group in self.components]
        row = {
            "systems": len(self.names),
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "optimal": self.optimal,
            "n_optima": self.n_optima,
            "acyclic": self.acyclic,
            "components": len(sizes),
            "largest_component": max(sizes),
        }
        return pd.DataFrame([row]).astype({"n_optima": "Int64"})

    def _rows(self, systems: Sequence[str]) -> np.ndarray:
        row = {name: k for k, name in enumerate(self.names)}
        if sorted(systems) != sorted(self.names):
            raise DataError("different_systems", value=", ".join(sorted(systems)))
        return np.array([row[name] for name in systems], dtype=np.int64)


def net_weights(wins: np.ndarray) -> np.ndarray:
    """Return the weights of edges, max(0, wins - losses) (Lopez 2012, section 5).

    ``wins[..., i, j]`` says how often i was judged better than j. Ties do not count.
    """
    wins = np.asarray(wins)
    net: np.ndarray = np.maximum(0, wins - np.swapaxes(wins, -1, -2))
    return np.round(net).astype(np.int64)


def strong_components(weights: np.ndarray) -> list[np.ndarray]:
    """Return the strongly connected components of a graph, in a topological order."""
    number, label = connected_components(weights > 0, directed=True, connection="strong")
    beats = np.zeros((number, number), dtype=bool)  # one component another
    winner, loser = np.nonzero(weights)
    beats[label[winner], label[loser]] = True
    np.fill_diagonal(beats, False)
    return [np.flatnonzero(label == component) for component in first_sorted(beats)]


@check_arguments
def feedback_arc_set(
    data: Judgments | PairCounts,
    *,
    time_limit: float = TIME_LIMIT,
) -> FeedbackArcSet:
    """Find the ranking that contradicts the fewest pairwise results (Lopez 2012).

    The reference is not ranked. If several rankings are optimal, those closest to WMT's official
    score up to 2011 are kept. Remaining ties are broken by expected win, then by name.

    Parameters
    ----------
    data : Judgments or PairCounts
        Votes or relative rankings, or counts of pairwise results.
    time_limit : float
        The time limit in seconds. If it is exceeded, the best ranking found so far is returned and
        `optimal` is False.

    Returns
    -------
    FeedbackArcSet

    Raises
    ------
    DataError
        ``wrong_kind`` unless judgments are comparisons.

    Examples
    --------
    >>> import rankstability as rs
    >>> best = rs.feedback_arc_set(rs.load("demo-rr", "cs-en"))
    >>> best.optimal, best.systems[0]
    (True, 'cedar')
    """
    if isinstance(data, Judgments):
        data = count_pairs(data)
    ranked = data.without(REFERENCE)
    if not ranked.systems:
        raise DataError("too_few_systems")
    weights = net_weights(ranked.wins)
    preference = np.nan_to_num(expected_win(ranked), nan=NO_SCORE)
    listed = np.lexsort((np.array(ranked.systems), -preference))
    sorted_weights = weights[np.ix_(listed, listed)]
    deadline = time.monotonic() + time_limit
    found = solve(sorted_weights, deadline)
    if found.lower_bound == found.cost and found.n_optima != 1:
        official = method_named(OFFICIAL)(data).reindex(list(ranked.systems)).fillna(NO_SCORE)
        found = nearest_to(official.to_numpy()[listed], sorted_weights, found, deadline)
    return FeedbackArcSet(
        names=ranked.systems,
        weights=weights,
        order=listed[found.order],
        cost=found.cost,
        lower_bound=found.lower_bound,
        n_optima=found.n_optima,
        canonical=found.canonical,
    )


def feedback_arc_sets(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return optimal rankings of many small tournaments, and their costs.

    Parameters
    ----------
    weights : array of int, shape (B, n, n)
        Net weights of B tournaments of at most `MAX_SYSTEMS` systems.

    Returns
    -------
    orders : array of int, shape (B, n)
        Rows of each tournament, best first. Of several optimal rankings, the one is chosen that
        comes first when systems are listed by wins minus losses, then by row.
    costs : array of int, shape (B,)
    """
    if weights.ndim != 3 or weights.shape[1] > MAX_SYSTEMS:
        raise DataError("too_many_systems", value=weights.shape, expected=f"at most {MAX_SYSTEMS}")
    listed = np.argsort(weights.sum(axis=1) - weights.sum(axis=2), axis=1, kind="stable")
    tournament = np.arange(len(weights))[:, None, None]
    listed_weights = weights[tournament, listed[:, :, None], listed[:, None, :]].astype(np.int64)
    orders, costs = solve_many(listed_weights)
    return np.take_along_axis(listed, orders, axis=1), costs
