"""The minimum feedback arc set of tournaments, by dynamic and integer programming.

A tournament is an integer array ``w`` of shape (k, k) with non-negative net weights (``w[i, j] >
0`` means that i beats j, and then ``w[j, i] == 0``); its systems are in the order of preference.
The cost of an order is the weight of the edges that point upwards in it. Held and Karp's recursion
over sets of systems (Lopez 2012, Algorithm 1) finds all optimal orders; of the sets, only those
count that cost no more than a known order. Where there are too many, the integer program of
Grötschel, Jünger and Reinelt (1984) gives a better order, and a proof.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

IntArray = NDArray[np.int64]
WORD = 63  # systems whose sets fit one machine word
MOST_SETS = 600_000  # largest number of sets per layer of the dynamic program


@dataclass(frozen=True)
class Solution:
    """An order of a tournament, its cost, and what is proven about it.

    `lower`: no order costs less; `optima`: the number of optimal orders (None if not counted);
    `canonical`: whether it comes first of these when they are compared place by place from the top,
    the system of lower index first.
    """

    order: IntArray
    cost: int
    lower: int
    optima: int | None
    canonical: bool = True


def bounded_dp(
    w: IntArray, upper: IntArray, deadline: float = np.inf
) -> tuple[IntArray, IntArray, list[int | None]] | None:
    """Optimal orders of tournaments (B, k, k), their costs, and the numbers of optima of each.

    A dynamic program over the sets of systems placed on top, layer by layer, without sets whose
    cost exceeds `upper`, (B,), that of a known order. None if a layer holds more sets than
    `MOST_SETS`, past the deadline, or for more than `WORD` systems.
    """
    count, k = w.shape[:2]
    if k > WORD:
        return None
    bits = np.uint64(1) << np.arange(k, dtype=np.uint64)
    owner = np.arange(count)  # the tournament of each set
    keys = np.zeros(count, dtype=np.uint64)
    cost = np.zeros(count, dtype=np.int64)
    ways = np.ones(count, dtype=np.int64)
    rough = np.ones(count)  # the ways in floating point, to detect an overflow
    inward = w.sum(
        axis=1
    )  # what the systems not in the set win against each system
    steps = []
    for _ in range(k):
        price = cost[:, None] + inward
        parent, v = np.nonzero(
            ((keys[:, None] & bits) == 0) & (price <= upper[owner, None])
        )
        new = keys[parent] | bits[v]
        rank = np.lexsort((new, owner[parent]))
        parent = parent[rank]
        v = v[rank]
        new = new[rank]
        price = price[parent, v]
        of = owner[parent]
        fresh = np.append(True, (new[1:] != new[:-1]) | (of[1:] != of[:-1]))
        first = np.flatnonzero(fresh)
        if len(first) > MOST_SETS or time.monotonic() > deadline:
            return None
        owner = of[first]
        to = fresh.cumsum() - 1
        inward = inward[parent[first]] - w[owner, v[first]]
        keys = new[first]
        cost = np.minimum.reduceat(price, first)
        use = price == cost[to]
        parent = parent[use]
        v = v[use]
        to = to[use]
        starts = np.searchsorted(to, np.arange(len(keys)))
        steps.append((parent, v, to, len(rough)))
        ways = np.add.reduceat(ways[parent], starts)
        rough = np.add.reduceat(rough[parent], starts)
    optima = [
        int(n) if f < 2**62 else None for n, f in zip(ways, rough, strict=True)
    ]
    return _first_paths(steps, count), cost, optima


def _first_paths(
    steps: list[tuple[IntArray, IntArray, IntArray, int]], count: int
) -> IntArray:
    """The path of each tournament that always takes, from the top, the lowest system it can."""
    good = np.ones(count, dtype=bool)
    kept = []
    for parent, v, to, sets in reversed(steps):
        use = good[to]
        parent = parent[use]
        v = v[use]
        to = to[use]
        kept.append((parent, v, to, sets))
        good = np.zeros(sets, dtype=bool)
        good[parent] = True
    orders = np.empty((count, len(steps)), dtype=np.int64)
    at = np.arange(count)  # the set that each has reached
    for place, (parent, v, to, sets) in enumerate(reversed(kept)):
        of = np.full(sets, -1)
        of[at] = np.arange(count)
        owner = of[parent]
        sorting = np.lexsort((v, owner))
        pick = sorting[np.searchsorted(owner[sorting], np.arange(count))]
        orders[:, place] = v[pick]
        at = to[pick]
    return orders


def cost_of(order: Sequence[int] | IntArray, weights: ArrayLike) -> int:
    """The weight of the edges that `order` (rows of `weights`, best first) violates."""
    w = np.asarray(weights)
    place = np.asarray(order, dtype=np.int64)
    return int(np.tril(w[place[:, None], place], -1).sum())


def insertion_search(w: IntArray, start: IntArray) -> IntArray:
    """Good orders (B, k): from `start` on, systems are moved to where they cost least."""
    order = start
    count, k = w.shape[:2]
    rows = np.arange(count)
    place = np.arange(k)
    below = np.tri(k, k=-1, dtype=bool)
    while True:
        net = (w - w.transpose(0, 2, 1))[
            rows[:, None, None], order[:, :, None], order[:, None, :]
        ]
        # gain[:, i, j]: what is saved by moving the system at place i to place j
        sums = net.cumsum(axis=2)
        own = np.diagonal(sums, axis1=1, axis2=2)
        gain = own[:, :, None] - np.where(below, sums - net, sums)
        i, j = divmod(gain.reshape(count, k * k).argmax(axis=1)[:, None], k)
        if (gain.max(axis=(1, 2)) <= 0).all():
            return order
        move = (
            place + ((i <= place) & (place < j)) - ((j < place) & (place <= i))
        )
        move[place == j] = i.ravel()
        order = np.take_along_axis(order, move, axis=1)


def first_sorted(w: NDArray) -> IntArray:
    """The topological order of an acyclic graph with the lowest possible index at each place."""
    left = list(range(len(w)))
    order = []
    while left:
        best = next(v for v in left if not w[left, v].any())
        order.append(best)
        left.remove(best)
    return np.array(order, dtype=np.int64)


def solve(w: IntArray, deadline: float, method: str = "auto") -> Solution:
    """The order of least cost, or the best found until `deadline` (of `time.monotonic`).

    `method` is ``auto``, ``dp`` or ``lp``, see `tournament.feedback_arc_set`.
    """
    order = np.arange(len(w))
    lower = 0
    programs = {"auto": ("dp", "lp"), "dp": ("dp",), "lp": ("lp",)}
    for program in programs[method if len(w) > 2 else "dp"]:
        start = order
        if program == "lp":
            start, lower = integer(w, deadline)
        order = min(
            order,
            insertion_search(w[None], start[None])[0],
            key=lambda o: cost_of(o, w),
        )
        cost = cost_of(order, w)
        found = bounded_dp(w[None], np.array([cost]), deadline)
        if found is not None:
            orders, costs, optima = found
            return Solution(orders[0], int(costs[0]), int(costs[0]), optima[0])
        if cost == 0:
            return Solution(first_sorted(w), 0, 0, None)
    return Solution(order, cost, min(cost, lower), None, False)


def nearest_to(
    scores: NDArray, w: IntArray, solved: Solution, deadline: float
) -> Solution:
    """Of the optimal orders, the one with the fewest pairs against `scores`.

    The tournament is solved again, with pairs in the order of the scores adding less than one win.
    """
    leaning = w * len(w) ** 2 + (scores[:, None] > scores)
    found = solve(np.maximum(0, leaning - leaning.T), deadline)
    sure = found.canonical and found.lower == found.cost
    better = cost_of(found.order, w) == solved.cost
    return replace(
        solved, order=found.order if better else solved.order, canonical=sure
    )


def integer(w: IntArray, deadline: float) -> tuple[IntArray, int]:
    """The order of least cost by the integer program, or one near it; and a lower bound.

    Each pair has a variable x, 1 if the system of lower index is above; a triple i < j < m has the
    row 0 <= x[i, j] + x[j, m] - x[i, m] <= 1. The cost of an order is the sum of `w` above the
    diagonal, plus the cost (w[j, i] - w[i, j]) of each pair with x = 1.
    """
    k = len(w)
    upper = np.triu_indices(len(w), 1)
    number = np.zeros((k, k), dtype=np.int64)
    number[upper] = np.arange(len(upper[0]))
    i, j, m = np.array(list(combinations(range(k), 3))).T
    columns = np.stack(
        [number[i, j], number[j, m], number[i, m]], axis=1
    ).ravel()
    rows = (
        np.tile([1.0, 1.0, -1.0], len(i)),
        columns,
        3 * np.arange(len(i) + 1),
    )
    found = milp(
        (w.T - w)[upper],
        integrality=np.ones(len(upper[0])),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(
            csr_array(rows, shape=(len(i), len(upper[0]))), 0, 1
        ),
        options={
            "mip_rel_gap": 0.0,
            "time_limit": max(deadline - time.monotonic(), 0.01),
        },
    )
    lower = -np.inf if found.mip_dual_bound is None else found.mip_dual_bound
    bound = max(0, np.ceil(lower + np.triu(w, 1).sum() - 1e-6))
    if found.x is None:
        return np.arange(k), int(bound)
    above = np.zeros((k, k))
    above[upper] = found.x
    above += np.tril(1 - above.T, -1)
    return np.argsort(-above.sum(axis=1), kind="stable"), int(bound)
