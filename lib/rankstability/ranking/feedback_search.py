"""Search for the minimum feedback arc set of tournaments, by dynamic and integer programming.

A tournament is an integer array ``weights`` of shape (k, k) without negative values. If
``weights[i, j] > 0``, system i beats system j, and ``weights[j, i]`` is 0. The cost of an order is
the weight of the edges that point upwards in it. The recursion of Held and Karp over sets of systems
(Lopez 2012, Algorithm 1) finds all optimal orders. Sets that cost more than a known order are left
out. Where too many sets remain, the integer program of Grötschel, Jünger and Reinelt (1984) gives a
better order, and a proof.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

MAX_SYSTEMS = 63  # sets of so many systems fit one machine word
MAX_SETS = 600_000  # sets per layer of the dynamic program
MAX_COUNT = 2.0**62  # larger numbers of optimal orders would overflow
PROGRAMS = ("dp", "lp")  # dynamic and integer programming

Step = tuple[np.ndarray, np.ndarray, np.ndarray, int]


@dataclass(frozen=True)
class Solution:
    """An order of a tournament, its cost, and what is proven about it.

    Attributes
    ----------
    order : array of int, shape (k,)
        Rows of the weights, best first.
    cost, lower_bound : int
        No order costs less than the bound.
    n_optima : int or None
        The number of optimal orders; None if they were not counted.
    canonical : bool
        Whether `order` comes first of the optimal orders when they are compared place by place from
        the top, the system of the lower row first.
    """

    order: np.ndarray
    cost: int
    lower_bound: int
    n_optima: int | None
    canonical: bool = True


def cost_of(order: Sequence[int] | np.ndarray, weights: np.ndarray) -> int:
    """Return the weight of the edges that an order (rows of `weights`, best first) violates."""
    place = np.asarray(order, dtype=np.int64)
    return int(np.tril(weights[place[:, None], place], -1).sum())


def solve(
    weights: np.ndarray, deadline: float = np.inf, programs: Sequence[str] = PROGRAMS
) -> Solution:
    """Return the order of least cost, or the best order found until the deadline.

    Parameters
    ----------
    weights : array of int, shape (k, k)
    deadline : float
        A time of ``time.monotonic``.
    programs : sequence of str
        Of `PROGRAMS`: which are tried, in this order.
    """
    order = np.arange(len(weights))
    lower_bound = 0
    for program in programs if len(weights) > 2 else ("dp",):
        start = order
        if program == "lp":
            start, lower_bound = solve_integer_program(weights, deadline)
        improved = insertion_search(weights[None], start[None])[0]
        order = min(order, improved, key=lambda rows: cost_of(rows, weights))
        cost = cost_of(order, weights)
        found = solve_dynamic_program(weights[None], np.array([cost]), deadline)
        if found is not None:
            orders, costs, optima = found
            return Solution(orders[0], int(costs[0]), int(costs[0]), optima[0])
        if cost == 0:
            return Solution(first_sorted(weights), 0, 0, None)
    return Solution(order, cost, min(cost, lower_bound), None, canonical=False)


def solve_many(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return orders (B, k) of least cost of tournaments (B, k, k), and their costs (B,)."""
    count, k = weights.shape[:2]
    if count == 0:
        return np.zeros((0, k), np.int64), np.zeros(0, np.int64)
    if count == 1:
        solution = solve(weights[0])
        return solution.order[None], np.array([solution.cost])
    order = insertion_search(weights, np.tile(np.arange(k), (count, 1)))
    costs = np.array([cost_of(*pair) for pair in zip(order, weights, strict=True)])
    found = solve_dynamic_program(weights, costs)
    if found is not None:
        return found[:2]
    parts = [solve_many(part) for part in np.array_split(weights, 2)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def nearest_to(
    scores: np.ndarray, weights: np.ndarray, solved: Solution, deadline: float = np.inf
) -> Solution:
    """Return the optimal order with the fewest pairs against `scores`, (k,).

    The tournament is solved again. Each pair in the order of the scores adds less than one win.
    """
    tilted = weights * len(weights) ** 2 + (scores[:, None] > scores)
    found = solve(np.maximum(0, tilted - tilted.T), deadline)
    proven = found.canonical and found.lower_bound == found.cost
    is_optimal = cost_of(found.order, weights) == solved.cost
    return replace(solved, order=found.order if is_optimal else solved.order, canonical=proven)


def solve_dynamic_program(
    weights: np.ndarray, upper: np.ndarray, deadline: float = np.inf
) -> tuple[np.ndarray, np.ndarray, list[int | None]] | None:
    """Return optimal orders of tournaments (B, k, k), their costs, and the numbers of optima.

    The program runs over the sets of systems placed on top, layer by layer. It leaves out sets
    whose cost exceeds `upper`, (B,), that of a known order. It returns None if a layer holds more
    sets than `MAX_SETS`, past the deadline, or for more than `MAX_SYSTEMS` systems.
    """
    count, k = weights.shape[:2]
    if k > MAX_SYSTEMS:
        return None
    bits = np.uint64(1) << np.arange(k, dtype=np.uint64)
    tournament = np.arange(count)  # of each set
    keys = np.zeros(count, dtype=np.uint64)
    cost = np.zeros(count, dtype=np.int64)
    ways = np.ones(count, dtype=np.int64)
    ways_float = np.ones(count)  # to detect an overflow
    against = weights.sum(axis=1)  # what the systems outside the set win against each system
    steps: list[Step] = []
    for _ in range(k):
        price = cost[:, None] + against
        is_free = (keys[:, None] & bits) == 0
        parent, added = np.nonzero(is_free & (price <= upper[tournament, None]))
        new_keys = keys[parent] | bits[added]
        rank = np.lexsort((new_keys, tournament[parent]))
        parent, added, new_keys = parent[rank], added[rank], new_keys[rank]
        price = price[parent, added]
        owner = tournament[parent]
        is_new = np.append(True, (new_keys[1:] != new_keys[:-1]) | (owner[1:] != owner[:-1]))
        first = np.flatnonzero(is_new)
        if len(first) > MAX_SETS or time.monotonic() > deadline:
            return None
        tournament = owner[first]
        child = is_new.cumsum() - 1
        against = against[parent[first]] - weights[tournament, added[first]]
        keys = new_keys[first]
        cost = np.minimum.reduceat(price, first)
        is_cheapest = price == cost[child]
        parent, added, child = parent[is_cheapest], added[is_cheapest], child[is_cheapest]
        starts = np.searchsorted(child, np.arange(len(keys)))
        steps.append((parent, added, child, len(ways)))
        ways = np.add.reduceat(ways[parent], starts)
        ways_float = np.add.reduceat(ways_float[parent], starts)
    optima = [
        int(number) if approximate < MAX_COUNT else None
        for number, approximate in zip(ways, ways_float, strict=True)
    ]
    return _first_paths(steps, count), cost, optima


def _first_paths(steps: list[Step], count: int) -> np.ndarray:
    """Return the path of each tournament that takes, from the top, the lowest row it can."""
    leads_to_end = np.ones(count, dtype=bool)
    kept = []
    for parent, added, child, sets in reversed(steps):
        use = leads_to_end[child]
        parent, added, child = parent[use], added[use], child[use]
        kept.append((parent, added, child, sets))
        leads_to_end = np.zeros(sets, dtype=bool)
        leads_to_end[parent] = True
    orders = np.empty((count, len(steps)), dtype=np.int64)
    reached = np.arange(count)  # the set that each tournament has reached
    for place, (parent, added, child, sets) in enumerate(reversed(kept)):
        tournament_of = np.full(sets, -1)
        tournament_of[reached] = np.arange(count)
        owner = tournament_of[parent]
        rank = np.lexsort((added, owner))
        lowest = rank[np.searchsorted(owner[rank], np.arange(count))]
        orders[:, place] = added[lowest]
        reached = child[lowest]
    return orders


def insertion_search(weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return good orders (B, k): from `start` on, systems are moved to where they cost least."""
    order = start
    count, k = weights.shape[:2]
    rows = np.arange(count)[:, None, None]
    place = np.arange(k)
    below = np.tri(k, k=-1, dtype=bool)
    net_weights = weights - weights.transpose(0, 2, 1)
    while True:
        net = net_weights[rows, order[:, :, None], order[:, None, :]]
        sums = net.cumsum(axis=2)
        at_place = np.diagonal(sums, axis1=1, axis2=2)[:, :, None]
        # gain[:, i, j]: what is saved by moving the system at place i to place j
        gain = at_place - np.where(below, sums - net, sums)
        best = gain.reshape(count, k * k).argmax(axis=1)[:, None]
        source, target = divmod(best, k)
        if (gain.max(axis=(1, 2)) <= 0).all():
            return order
        up = (source <= place) & (place < target)
        down = (target < place) & (place <= source)
        move = place + up - down
        move[place == target] = source.ravel()
        order = np.take_along_axis(order, move, axis=1)


def first_sorted(weights: np.ndarray) -> np.ndarray:
    """Return the topological order of an acyclic graph with the lowest possible row at each place."""
    left = list(range(len(weights)))
    order = []
    while left:
        best = next(row for row in left if not weights[left, row].any())
        order.append(best)
        left.remove(best)
    return np.array(order, dtype=np.int64)


def solve_integer_program(weights: np.ndarray, deadline: float) -> tuple[np.ndarray, int]:
    """Return the order of least cost, or an order near it, and a lower bound of the cost.

    Each pair has a variable x, 1 if the system of the lower row is above. A triple i < j < m has
    the constraint 0 <= x[i, j] + x[j, m] - x[i, m] <= 1. The cost of an order is the sum of
    `weights` above the diagonal, plus weights[j, i] - weights[i, j] of each pair with x = 1.
    """
    k = len(weights)
    upper = np.triu_indices(k, 1)
    pairs = len(upper[0])
    number = np.zeros((k, k), dtype=np.int64)
    number[upper] = np.arange(pairs)
    i, j, m = np.array(list(combinations(range(k), 3))).T
    columns = np.stack([number[i, j], number[j, m], number[i, m]], axis=1).ravel()
    values = np.tile([1.0, 1.0, -1.0], len(i))
    starts = 3 * np.arange(len(i) + 1)
    triples = csr_array((values, columns, starts), shape=(len(i), pairs))
    seconds = max(deadline - time.monotonic(), 0.01)
    found = milp(
        (weights.T - weights)[upper],
        integrality=np.ones(pairs),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(triples, 0, 1),
        options={"mip_rel_gap": 0.0, "time_limit": seconds},
    )
    dual = -np.inf if found.mip_dual_bound is None else found.mip_dual_bound
    lower_bound = int(max(0, np.ceil(dual + np.triu(weights, 1).sum() - 1e-6)))
    if found.x is None:
        return np.arange(k), lower_bound
    is_above = np.zeros((k, k))
    is_above[upper] = found.x
    is_above += np.tril(1 - is_above.T, -1)
    return np.argsort(-is_above.sum(axis=1), kind="stable"), lower_bound
