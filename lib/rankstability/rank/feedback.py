"""The minimum feedback arc set of one block: a linear program's bound, then sets or integers.

A block is an integer array ``w`` of shape (k, k) with non-negative net weights (``w[i, j] > 0``
means that i beats j, and then ``w[j, i] == 0``), its systems in the order of preference. The cost
of an order is the weight of the edges that point upwards in it.

A cyclic triangle costs any order at least one of its edges, so for triangles c with multipliers
m(c) >= 0, whichever they are,

    cost(order) >= sum over pairs of min(r[i, j], r[j, i]) + sum of m(c),    r = w - use of edges.

The same holds for the systems still to be placed, which bounds every partial ranking: with the
multipliers of the relaxation (Grötschel, Jünger and Reinelt 1984), Held and Karp's recursion over
sets of systems (Lopez 2012, Algorithm 1) visits few of them.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, vstack

from .feedback_dp import NO_BOUND, WORD, Bound, IntArray, Solution, bounded_dp

SMALL_BLOCK = 12  # systems of a block solved over all its sets
MOST_SETS = 60_000  # sets per layer with the bound of the linear program
ROWS = 2000  # triangles added to the linear program at once
TRIES = 60  # shakes of the search for a good order


def order_cost(w: IntArray, order: IntArray) -> int:
    """The weight of the edges that point upwards in `order`."""
    return int(np.tril(w[order[:, None], order], -1).sum())


def insertion_search(w: IntArray, start: IntArray) -> IntArray:
    """A good order: move single systems to where they cost least until none gains."""
    order = start.copy()
    k = len(order)
    net = (w - w.T)[np.ix_(order, order)]
    below = np.tri(k, k=-1, dtype=bool)
    while True:
        # gain[i, j]: what is saved by moving the system at place i to place j
        sums = net.cumsum(axis=1)
        gain = sums.diagonal()[:, None] - np.where(below, sums - net, sums)
        i, j = divmod(int(gain.argmax()), k)
        if gain[i, j] <= 0:
            return order
        move = np.insert(np.delete(np.arange(k), i), j, i)
        order, net = order[move], net[move][:, move]


def shaken_search(w: IntArray, deadline: float) -> IntArray:
    """A good order of a block: shake a stretch of the best one, repair it, keep what gains."""
    rng = np.random.default_rng(0)
    k = len(w)
    best = insertion_search(w, np.arange(k))
    for _ in range(TRIES):
        if time.monotonic() > deadline:
            break
        size = int(rng.integers(3, max(4, k // 3 + 1)))
        at = int(rng.integers(0, max(1, k - size + 1)))
        order = best.copy()
        order[at : at + size] = rng.permutation(order[at : at + size])
        best = min(best, insertion_search(w, order), key=lambda o: order_cost(w, o))
    return best


def blocks_of(u: NDArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Cut tournaments into blocks that every optimal ranking puts one wholly above the next.

    Blocks are the strong components when a pair without an edge counts as one both ways. Sorting by
    how many systems each does not lose to brings them together, top block first: the rows of `u`
    (net weights, (B, n, n)) so sorted, and whether a block starts at that place.
    """
    n = u.shape[1]
    edge = u >= np.swapaxes(u, 1, 2)
    sorting = np.argsort(-edge.sum(axis=2), axis=1, kind="stable")
    rows = np.arange(len(u))[:, None, None]
    edge = edge[rows, sorting[:, :, None], sorting[:, None, :]]
    highest = edge.argmax(axis=2)  # the highest place that each does not lose to
    highest = np.minimum.accumulate(highest[:, ::-1], axis=1)[:, ::-1]
    return sorting, highest == np.arange(n)


def first_sorted(w: NDArray) -> IntArray:
    """The first topological order of an acyclic graph, place by place the lowest index that may."""
    left = list(range(len(w)))
    order = []
    while left:
        best = next(v for v in left if not w[left, v].any())
        order.append(best)
        left.remove(best)
    return np.array(order, dtype=np.int64)


def solve_block(w: IntArray, deadline: float, method: str = "auto") -> Solution:
    """The order of least cost of one block, or the best found until `deadline` (`time.monotonic`).

    `method` is ``auto``, ``dp`` or ``lp``, see `tournament.feedback_arc_set`.
    """
    k = len(w)
    order = insertion_search(w, np.arange(k))
    cost = order_cost(w, order)
    small = k <= SMALL_BLOCK and method == "auto"
    if small or method == "dp":
        solution = bounded_dp(w, cost, NO_BOUND, 2**k, deadline)
        if solution is not None:
            return solution
    if cost == 0 and k > WORD:
        return Solution(first_sorted(w), 0, 0, None, True)
    order = shaken_search(w, deadline)
    program = Relaxation(w)
    lower = 0
    for integer in (False, True):
        solved = program.solve(order_cost(w, order), deadline, integer)
        rounded = insertion_search(w, program.order())
        order = min(order, rounded, key=lambda o: order_cost(w, o))
        cost = order_cost(w, order)
        lower = min(cost, max(lower, int(np.ceil(program.value - 1e-6))))
        bound = bound_from(w, *program.multipliers())
        solution = bounded_dp(w, cost, bound, MOST_SETS, deadline) if k <= WORD else None
        if solution is not None:
            return solution
        if lower >= cost or not solved:
            break
    return Solution(order, cost, lower, None, False)


def nearest_to(scores: NDArray, w: IntArray, solved: Solution, deadline: float) -> Solution:
    """Of the optimal orders of a block the one with the fewest pairs against `scores`.

    Solved once more, with a pair in the order of the scores as the smallest part of a win.
    """
    leaning = w * len(w) ** 2 + (scores[:, None] > scores)
    found = solve_block(np.maximum(0, leaning - leaning.T), deadline)
    sure = found.canonical and found.lower == found.cost
    better = order_cost(w, found.order) == solved.cost
    return replace(solved, order=found.order if better else solved.order, canonical=sure)


class Relaxation:
    """The order polytope's triangle relaxation, rows added as they are violated.

    One variable x per pair, 1 if the system of lower index stands above; a triangle i < j < m has
    the row 0 <= x[i, j] + x[j, m] - x[i, m] <= 1. `value` bounds the cost of any order from below.
    """

    def __init__(self, w: IntArray) -> None:
        k = len(w)
        self.w, self.upper = w, np.triu_indices(k, 1)
        index = np.zeros((k, k), dtype=np.int64)
        index[self.upper] = np.arange(len(self.upper[0]))
        i, j = (a[:, None] for a in self.upper)
        m = np.arange(k)
        pair, m = np.nonzero(m > j)
        i, j = self.upper[0][pair], self.upper[1][pair]
        self.triples = np.stack([i, j, m], axis=1)
        self.columns = np.stack([index[i, j], index[j, m], index[i, m]], axis=1)
        self.constant = float(w[self.upper].sum())
        self.gain = (w.T - w)[self.upper].astype(np.float64)
        self.x = (self.gain <= 0).astype(np.float64)
        self.rows, self.duals = np.zeros(0, dtype=np.int64), np.zeros((2, 0))
        self.matrix = csr_array((0, len(self.gain)))
        self.value = 0.0

    def order(self) -> IntArray:
        """The order by how many systems x puts below each."""
        above = np.zeros(self.w.shape)
        above[self.upper] = self.x
        above += np.tril(1 - above.T, -1)
        return np.argsort(-above.sum(axis=1), kind="stable")

    def separate(self) -> bool:
        """Add the rows that x violates most; whether any was added."""
        t = self.x[self.columns] @ np.array([1.0, 1.0, -1.0])
        excess = np.maximum(t - 1, -t)
        excess[self.rows] = 0
        violated = np.flatnonzero(excess > 1e-6)
        violated = violated[np.argsort(-excess[violated], kind="stable")[:ROWS]]
        n = len(violated)
        places = np.repeat(np.arange(n), 3), self.columns[violated].ravel()
        shape = (n, len(self.gain))
        new = csr_array((np.tile([1.0, 1.0, -1.0], n), places), shape=shape)
        self.matrix = vstack([self.matrix, new], format="csr")
        self.rows = np.concatenate([self.rows, violated])
        return n > 0

    def solve(self, upper: int, deadline: float, integer: bool) -> bool:
        """Solve, adding rows until none is violated; False if time ran out.

        Stops early when the value proves that nothing is cheaper than `upper`.
        """
        while self.separate() or integer:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            limit = {"time_limit": left} if np.isfinite(left) else {}
            found = self._integers(limit) if integer else self._reals(limit)
            if not found:
                return False
            if self.value > upper - 1 + 1e-6:
                return True
            if integer and not self.separate():
                return True
        return True

    def _reals(self, limit: dict[str, float]) -> bool:
        both = vstack([self.matrix, -self.matrix])
        most = np.repeat([1.0, 0.0], len(self.rows))
        found = linprog(self.gain, both, most, bounds=(0, 1), method="highs", options=limit)
        if found.x is None or found.status != 0:
            return False
        self.x, self.duals = found.x, -found.ineqlin.marginals.reshape(2, -1)
        # any duals give a bound that holds, exact or not
        self.value = max(self.value, bound_from(self.w, *self.multipliers()).total)
        return True

    def _integers(self, limit: dict[str, float]) -> bool:
        rows = LinearConstraint(self.matrix, 0, 1) if len(self.rows) else ()
        options = {"mip_rel_gap": 0.0, **limit}
        kinds = np.ones(len(self.gain))
        found = milp(
            self.gain, integrality=kinds, bounds=Bounds(0, 1), constraints=rows, options=options
        )
        if found.mip_dual_bound is not None:
            self.value = max(self.value, found.mip_dual_bound + self.constant)
        if found.x is not None:
            self.x = np.round(found.x)
        return found.status == 0

    def multipliers(self) -> tuple[IntArray, NDArray[np.float64]]:
        """The cyclic triangles with a dual value, and these values."""
        triples = self.triples[self.rows[: self.duals.shape[1]]]
        # x_ij + x_jk - x_ik <= 1: the cycle i, j, k; >= 0: the cycle i, k, j
        triangles = np.concatenate([triples, triples[:, [0, 2, 1]]])
        amounts = self.duals.ravel()
        use = amounts > 1e-9
        return triangles[use], amounts[use]


def bound_from(w: IntArray, triangles: IntArray, amounts: NDArray[np.float64]) -> Bound:
    """The bound that `triangles` (t, 3), each a cycle i -> j -> m -> i, with `amounts` give."""
    r = w.astype(np.float64)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        np.subtract.at(r, (triangles[:, a], triangles[:, b]), amounts)
    low = np.triu(np.minimum(r, r.T), 1)
    i, j = np.nonzero(np.abs(low) > 1e-9)
    total = float(low[i, j].sum() + amounts.sum())
    if len(w) > WORD:
        return Bound(NO_BOUND.sets, NO_BOUND.values, total)
    one = np.uint64(1)
    members = (np.stack([i, j], axis=1), triangles)
    sets = [(one << part.astype(np.uint64)).sum(axis=1, dtype=np.uint64) for part in members]
    return Bound(np.concatenate(sets), np.concatenate([low[i, j], amounts]), total)
