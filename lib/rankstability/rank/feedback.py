"""The minimum feedback arc set of one block: good orders first, then a proof.

The way taken: a small block by a dynamic program over all its sets; any other over the sets that
the bound of packed cycles leaves, or, where these are too many, the bound of a linear program,
in the end made integer. Of a block of many systems: the best order of a longer search, and that
program's bound with more rows. See `feedback_bounds`, `feedback_cuts` and `feedback_dp`.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .feedback_bounds import WORD, Bound, IntArray, LinearProgram, bound_from, pack_cycles
from .feedback_dp import Solution, bounded_dp, small_dp

SMALL_BLOCK = 7  # systems of a block solved over all its sets in plain Python
FAST_SETS = 3_000  # sets per layer with the bound of packed cycles, before the linear program
LITTLE, MUCH = (60, 25), (2000, 400)  # rounds of search, and rounds without gain before it ends
MANY = 80  # systems of a block from which on the bound is by cutting planes
MOST_SETS = 60_000  # sets per layer with the bound of the linear program


def order_cost(w: IntArray, order: IntArray) -> int:
    """The weight of the edges that point upwards in `order`."""
    return int(np.tril(w[order[:, None], order], -1).sum())


def insertion_search(w: IntArray, start: IntArray, rounds: int = 10_000) -> IntArray:
    """A good order: move single systems to where they cost least until none gains."""
    order = start.copy()
    k = len(order)
    net = (w - w.T)[np.ix_(order, order)]
    below = np.tri(k, k=-1, dtype=bool)
    for _ in range(rounds):
        # gain[i, j]: what is saved by moving the system at place i to place j
        sums = net.cumsum(axis=1)
        gain = sums.diagonal()[:, None] - np.where(below, sums - net, sums)
        flat = int(gain.argmax())
        i, j = divmod(flat, k)
        if gain[i, j] <= 0:
            break
        move = np.arange(k)
        if i < j:
            move[i:j], move[j] = move[i + 1 : j + 1], i
        else:
            move[j + 1 : i + 1], move[j] = move[j:i].copy(), i
        order, net = order[move], net[move][:, move]
    return order


def iterated_search(
    w: IntArray, start: IntArray, deadline: float, rounds: int, patience: int
) -> IntArray:
    """A better order: shake a stretch of the best one, repair it by insertions, keep what gains.

    The same block gives the same order (unless the deadline falls within the search).
    """
    rng = np.random.default_rng(0)
    best, cost, idle = start, order_cost(w, start), 0
    k = len(w)
    for _ in range(rounds):
        if idle >= patience or time.monotonic() > deadline:
            break
        size = int(rng.integers(3, max(4, k // 3 + 1)))
        at = int(rng.integers(0, max(1, k - size + 1)))
        order = best.copy()
        order[at : at + size] = rng.permutation(order[at : at + size])
        order = insertion_search(w, order)
        price = order_cost(w, order)
        idle = 0 if price < cost else idle + 1
        if price <= cost:
            best, cost = order, price
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
    if k <= SMALL_BLOCK and method == "auto":
        return small_dp(w)
    order = insertion_search(w, np.arange(k))
    cost = order_cost(w, order)
    lower = 0

    def search(bound: Bound, cap: int) -> Solution | None:
        return bounded_dp(w, cost, bound, cap, deadline) if k <= WORD else None

    if method != "lp":
        packed = bound_from(w, *pack_cycles(w, order))
        lower = int(np.ceil(packed.total - 1e-6))
        solution = search(packed, FAST_SETS if method == "auto" else 2**k)
        if solution is not None:
            return solution
        if cost == 0:
            return Solution(first_sorted(w), 0, 0, None, True)
    order = iterated_search(w, order, deadline, *(MUCH if k >= MANY else LITTLE))
    cost = order_cost(w, order)
    if k >= MANY:
        from .feedback_cuts import CuttingPlanes

        planes = CuttingPlanes(w)
        planes.solve(cost, deadline)
        order = min(order, insertion_search(w, planes.order()), key=lambda o: order_cost(w, o))
        cost = order_cost(w, order)
        return Solution(order, cost, min(cost, int(np.ceil(planes.value - 1e-6))), None, False)
    program = LinearProgram(w)
    for integer in (False, True):
        if integer:
            program.make_integer()
        solved = program.solve(cost, deadline)
        rounded = insertion_search(w, program.order())
        if order_cost(w, rounded) < cost:
            order, cost = rounded, order_cost(w, rounded)
        lower = min(cost, max(lower, int(np.ceil(program.value - 1e-6))))
        solution = search(bound_from(w, *program.multipliers()), MOST_SETS)
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
