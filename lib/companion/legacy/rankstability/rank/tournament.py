"""Ranking as a tournament: the minimum feedback arc set (Lopez 2012), exact where possible.

A task's pairwise judgments make a graph with an edge from i to j, weighted by wins minus losses,
wherever i won more often. A ranking violates the edges that point upwards in it; the minimum
feedback arc set is the set of edges violated by the ranking that violates the least weight.

Several rankings can be optimal. Wherever their sets can be held (in all tasks of WMT, and in most
of 30 systems), the choice does not depend on the solver: if the caller names another ranking, only
the optimal ones nearest to it by Kendall distance remain. Of these, the one is chosen that comes
first when they are compared place by place from the top, the system listed earlier first. Systems
are listed by a score given by the caller (by default wins minus losses), then by name.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..errors import DataError
from ..judgments import REFERENCE, DirectAssessment
from ..kinds import COMPARISONS, check_kind
from ..score.pairwise import PairCounts, pair_counts
from .feedback import (
    IntArray,
    first_sorted,
    nearest_to,
    solve,
)


@dataclass(frozen=True)
class Tournament:
    """A ranking of least violated weight, with its certificate.

    Attributes
    ----------
    names : tuple of str
        The systems, in the order of the rows of `weights` (`net_weights`).
    order : tuple of int
        Rows of `weights`, best first.
    cost, lower_bound : int
        Weight of the violated edges; no ranking costs less than the bound.
    optimal : bool
        Whether `cost` is proven to be the least.
    n_optima : int or None
        The number of optimal rankings; None if it was not counted (too many sets to hold).
    canonical : bool
        Whether `order` is the optimal ranking that the module's rule chooses.
    """

    names: tuple[str, ...]
    weights: IntArray = field(repr=False)
    order: tuple[int, ...]
    cost: int
    optimal: bool
    lower_bound: int
    n_optima: int | None
    canonical: bool

    @property
    def gap(self) -> int:
        """How far `cost` may be above the least possible: 0 if proven optimal."""
        return self.cost - self.lower_bound

    @property
    def acyclic(self) -> bool:
        """Whether the graph has no cycle, so that some ranking violates nothing."""
        return self.cost == 0

    @property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Strongly connected components of the graph, from the top down (`strong_components`)."""
        return tuple(strong_components(self.weights))

    @property
    def ranking(self) -> tuple[str, ...]:
        """The systems' names, best first."""
        return tuple(self.names[i] for i in self.order)

    def certificate(self) -> pd.DataFrame:
        """`violation_frame` of the ranking."""
        return violation_frame(self.order, self.weights, self.names)

    def __str__(self) -> str:
        proof = (
            "optimal"
            if self.optimal
            else f"not proven optimal, gap at most {self.gap}"
        )
        many = (
            ""
            if self.n_optima in (None, 1)
            else f", one of {self.n_optima} optimal rankings"
        )
        lines = [f"violated weight {self.cost} ({proof}{many})"]
        return "\n".join(
            lines
            + [f"{i:3d} {name}" for i, name in enumerate(self.ranking, 1)]
        )


def net_weights(wins: ArrayLike) -> IntArray:
    """Edge weights from a matrix of wins: max(0, wins - losses) (Lopez 2012, section 5).

    ``wins[..., i, j]``: how often i was ranked better than j; ties do not count.
    """
    array = np.asarray(wins)
    return np.maximum(0, array - np.swapaxes(array, -1, -2)).astype(np.int64)


def violation_frame(
    order: Sequence[int] | IntArray, weights: ArrayLike, names: Sequence[str]
) -> pd.DataFrame:
    """The edges that `order` violates: over (who won), under (ranked above it), weight."""
    place = np.asarray(order, dtype=np.int64)
    w = np.asarray(weights)
    low, high = np.nonzero(np.tril(w[place[:, None], place], -1))
    rows = [
        (names[i], names[j], w[i, j])
        for i, j in zip(place[low], place[high], strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["over", "under", "weight"])
    return frame.sort_values(
        "weight", ascending=False, kind="stable", ignore_index=True
    )


def strong_components(weights: ArrayLike) -> list[tuple[int, ...]]:
    """Strongly connected components of the graph of `weights`, in a topological order."""
    from scipy.sparse.csgraph import connected_components

    edge = np.asarray(weights) > 0
    number, label = connected_components(
        edge, directed=True, connection="strong"
    )
    beats = np.zeros((number, number), dtype=bool)  # one component another
    winner, loser = np.nonzero(edge)
    beats[label[winner], label[loser]] = True
    np.fill_diagonal(beats, False)
    return [
        tuple(np.flatnonzero(label == c).tolist()) for c in first_sorted(beats)
    ]


def feedback_arc_set(
    weights: ArrayLike | PairCounts,
    names: Sequence[str] | None = None,
    *,
    preference: ArrayLike | None = None,
    nearest: ArrayLike | None = None,
    time_limit: float = 20.0,
    method: str = "auto",
) -> Tournament:
    """The ranking that contradicts the fewest wins (Lopez 2012), with proof and certificate.

    Parameters
    ----------
    weights : PairCounts, DataFrame, or array (n, n) of int
        Counts of wins; or comparisons, whose reference is left out; or `net_weights`, positive in
        at most one direction of a pair.
    names : sequence of str, optional
        The systems; by default their row numbers.
    preference : array (n,), optional
        Scores, higher first, for the choice among optimal rankings (see the module's text).
    nearest : array (n,), optional
        Scores of a ranking: of the optimal ones, that nearest to it is chosen, before `preference`;
        systems with equal scores may be in either order.
    time_limit : float
        Seconds; past it the best ranking found is returned with `optimal` False and its gap.
    method : str
        ``auto``, or ``dp`` or ``lp`` to force one way (for tests: both must agree).

    Raises
    ------
    DataError
        For weights that are not as above, names that are not unique, or an unknown method.

    Examples
    --------
    >>> from companion.legacy.rankstability import feedback_arc_set, load, pair_counts
    >>> best = feedback_arc_set(pair_counts(load("demo-rr", "cs-en")).without("_ref"))
    >>> best.optimal, best.ranking[0]
    (True, 'cedar')
    """
    if isinstance(weights, DirectAssessment):
        check_kind(weights, COMPARISONS)
    if isinstance(weights, pd.DataFrame) and "system" in weights:
        weights = pair_counts(weights).without(REFERENCE)
    if isinstance(weights, PairCounts):
        names = names or weights.systems
        weights = net_weights(weights.wins)
    w = _checked(weights)
    labels = tuple(str(s) for s in (range(len(w)) if names is None else names))
    if len(labels) != len(w) or len(set(labels)) != len(labels):
        problem = "names must be unique, one per row"
        raise DataError(
            problem,
            value=len(set(labels)),
            expected=f"{len(w)} different names",
        )
    if method not in ("auto", "dp", "lp"):
        raise DataError(
            "unknown method", value=method, expected="auto, dp or lp"
        )
    score = (
        w.sum(1) - w.sum(0)
        if preference is None
        else np.asarray(preference, dtype=float)
    )
    listed = np.lexsort(
        (np.arange(len(w)) if names is None else np.array(labels), -score)
    )
    sorted_weights = w[np.ix_(listed, listed)]
    deadline = time.monotonic() + time_limit
    found = solve(sorted_weights, deadline, method)
    proven = found.lower == found.cost
    if nearest is not None and proven and found.optima != 1:
        found = nearest_to(
            np.asarray(nearest)[listed], sorted_weights, found, deadline
        )
    return Tournament(
        names=labels,
        weights=w,
        order=tuple(listed[found.order].tolist()),
        cost=found.cost,
        optimal=proven,
        lower_bound=found.lower,
        n_optima=found.optima,
        canonical=found.canonical,
    )


def _checked(weights: ArrayLike) -> IntArray:
    w = np.asarray(weights)
    if w.ndim != 2 or w.shape[0] != w.shape[1] or not len(w):
        raise DataError(
            "not a square matrix", value=w.shape, expected="(n, n) with n > 0"
        )
    if w.dtype.kind not in "iu" and (
        w.dtype.kind != "f" or not (w == np.round(w)).all()
    ):
        raise DataError(
            "weights are not whole numbers",
            value=str(w.dtype),
            expected="integers",
        )
    wrong = np.argwhere(
        (w < 0) | ((w > 0) & (w.T > 0))
    )  # a system against itself, too
    if len(wrong):
        i, j = wrong[0]
        problem = f"no net weights: {i}, {j}"
        value = f"{w[i, j]} and {w[j, i]}"
        expected = "net_weights(wins): none is negative, on the diagonal, or in both directions"
        raise DataError(problem, value=value, expected=expected)
    return w.astype(np.int64, copy=True)
