"""The minimum feedback arc set of one block, by dynamic, linear and integer programming.

A block is an integer array ``w`` of shape (k, k) with non-negative net weights (``w[i, j] > 0``
means that i beats j, and then ``w[j, i] == 0``); its systems are in the order of preference. The
cost of an order is the weight of the edges that point upwards in it.

Every order violates at least one edge of a cyclic triangle, so for any triangles c with multipliers
m(c) >= 0,

    cost(order) >= sum over pairs of min(r[i, j], r[j, i]) + sum of m(c),    r = w - use of edges.

The same holds for the systems still to be placed, which gives a bound for every partial ranking:
with the multipliers of the relaxation (Grötschel, Jünger and Reinelt 1984), Held and Karp's
recursion over sets of systems (Lopez 2012, Algorithm 1) visits few sets.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, vstack

IntArray = NDArray[np.int64]
WORD = 63  # systems of a block whose sets fit one machine word
SMALL_BLOCK = 12  # largest block that is solved over all its sets
MOST_SETS = 60_000  # largest number of sets per layer with the bound of the linear program


@dataclass(frozen=True)
class Solution:
    """An order of a block, its cost, and what is proven about it.

    `lower`: no order costs less; `optima`: the number of optimal orders (None if not counted);
    `canonical`: whether it comes first of these when they are compared place by place from the top,
    the system of lower index first.
    """

    order: IntArray
    cost: int
    lower: int
    optima: int | None
    canonical: bool = True


@dataclass(frozen=True)
class Bound:
    """A lower bound for every subset of the systems: the sum of `values` of the `sets` (bit masks
    of pairs and triangles) that it contains; `total` is that of the whole block."""

    sets: NDArray[np.uint64]
    values: NDArray[np.float64]
    total: float


NO_BOUND = Bound(np.zeros(0, dtype=np.uint64), np.zeros(0), 0.0)


def bounded_dp(
    w: IntArray, upper: int, bound: Bound, cap: int, deadline: float = np.inf
) -> Solution | None:
    """Dynamic program over the sets of systems placed on top that can still lead to an optimum.

    Works layer by layer, without sets whose cost plus `bound` for the rest exceeds `upper`, the
    cost of a known order. None if a layer holds more sets than `cap`, or past the deadline.
    """
    k = len(w)
    bits = np.uint64(1) << np.arange(k, dtype=np.uint64)
    keys = np.zeros(1, dtype=np.uint64)
    cost = np.zeros(1, dtype=np.int64)
    count = np.ones(1, dtype=np.int64)
    rough = np.ones(1)  # the counts in floating point, to detect an overflow
    inward = w.sum(axis=0)[None, :]  # what the systems not in the set win against each system
    steps = []
    limit = upper + 1e-6
    for _ in range(k):
        price = cost[:, None] + inward
        parent, v = np.nonzero(((keys[:, None] & bits) == 0) & (price <= upper))
        new = keys[parent] | bits[v]
        rank = new.argsort(kind="stable")
        parent, v, new = parent[rank], v[rank], new[rank]
        price = price[parent, v]
        fresh = np.ones(len(new), dtype=bool)
        np.not_equal(new[1:], new[:-1], out=fresh[1:])
        first = fresh.nonzero()[0]
        if len(first) > 8 * cap or time.monotonic() > deadline:
            return None
        best = np.minimum.reduceat(price, first)
        alive = best + _rest(new[first], bound) <= limit
        group = fresh.cumsum() - 1
        to = (alive.cumsum() - 1)[group]
        use = (price == best[group]) & alive[group]
        first = first[alive]
        if len(first) > cap:
            return None
        inward = inward[parent[first]] - w[v[first]]
        keys, cost = new[first], best[alive]
        parent, v, to = parent[use], v[use], to[use]
        starts = np.searchsorted(to, np.arange(len(keys)))
        steps.append((parent, v, to, len(rough)))
        count = np.add.reduceat(count[parent], starts)
        rough = np.add.reduceat(rough[parent], starts)
    optima = int(count[0]) if rough[0] < 2**62 else None
    return Solution(_first_path(steps), int(cost[0]), int(cost[0]), optima)


def _first_path(steps: list[tuple[IntArray, IntArray, IntArray, int]]) -> IntArray:
    """The path through the layers that always takes, from the top, the lowest possible system."""
    good = np.ones(1, dtype=bool)
    kept = []
    for parent, v, to, sets in reversed(steps):
        use = good[to]
        parent, v, to = parent[use], v[use], to[use]
        kept.append((parent, v, to))
        good = np.zeros(sets, dtype=bool)
        good[parent] = True
    order, at_set = [], 0
    for parent, v, to in reversed(kept):
        at = (parent == at_set).nonzero()[0]
        pick = at[v[at].argmin()]
        order.append(int(v[pick]))
        at_set = int(to[pick])
    return np.array(order, dtype=np.int64)


def _rest(keys: NDArray[np.uint64], bound: Bound) -> NDArray[np.float64]:
    """The bound for the systems that are not in each set."""
    out = np.empty(len(keys))
    size = max(1, 4_000_000 // max(1, len(bound.sets)))
    for a in range(0, len(keys), size):
        out[a : a + size] = ((keys[a : a + size, None] & bound.sets) == 0) @ bound.values
    return out


def batched_dp(w: NDArray[np.integer]) -> tuple[IntArray, IntArray]:
    """Optimal orders (B, k) of blocks of net weights (B, k, k), and their costs (B,).

    All sets are visited; the choice among optimal orders is that of `bounded_dp`.
    """
    count, k = w.shape[:2]
    total = int(w.sum(axis=(1, 2)).max(initial=0))
    kind: type = np.int16 if total < 2**15 else np.int32 if total < 2**31 else np.int64
    size = int(np.clip(2**21 // (2**k * np.dtype(kind).itemsize), 128, 8192))
    layers = _layers(k, 2**16 // min(size, max(count, 1)))
    orders = np.empty((count, k), dtype=np.int64)
    costs = np.empty(count, dtype=np.int64)
    for a in range(0, count, size):
        part: NDArray = np.ascontiguousarray(w[a : a + size].transpose(1, 2, 0).astype(kind))
        orders[a : a + size], costs[a : a + size] = _dp_chunk(part, layers)
    return orders, costs


@lru_cache(maxsize=4)
def _layers(k: int, rows: int) -> list[tuple[NDArray[np.intp], ...]]:
    """The non-empty sets by size, in runs of at most `rows` sets: the sets, and for each member v
    (first axis) the set without v and where the two halves of what it wins against v are stored.
    """
    low = k // 2
    sets = np.arange(2**k)
    sets = sets[np.argsort(np.bitwise_count(sets), kind="stable")][1:]
    out = []
    for p in range(1, k + 1):
        layer = sets[np.bitwise_count(sets) == p]
        for a in range(0, len(layer), rows):
            run = layer[a : a + rows]
            member = np.nonzero((run[:, None] >> np.arange(k)) & 1)[1].reshape(len(run), p)
            tables = (
                run[:, None] ^ (1 << member),
                (member << low) | (run[:, None] & (2**low - 1)),
                (member << (k - low)) | (run[:, None] >> low),
            )
            out.append((run, *(np.ascontiguousarray(t.T) for t in tables)))
    return out


def _dp_chunk(w: NDArray, layers: list[tuple[NDArray[np.intp], ...]]) -> tuple[IntArray, IntArray]:
    k, _, count = w.shape
    low = k // 2
    halves = []  # [v, half of a set]: what the systems in it win against v
    for a, b in ((0, low), (low, k)):
        table = np.zeros((k, 2 ** (b - a), count), dtype=w.dtype)
        for i in range(b - a):
            np.add(table[:, : 2**i], w[a + i][:, None], out=table[:, 2**i : 2 ** (i + 1)])
        halves.append(table.reshape(-1, count))
    best = np.zeros((2**k, count), dtype=w.dtype)  # the cost of ranking a set
    longest = max(len(run) for run, *_ in layers)
    first, second, third = np.empty((3, longest, count), dtype=w.dtype)
    for run, rest, in_low, in_high in layers:
        least, price, part = first[: len(run)], second[: len(run)], third[: len(run)]
        for j in range(len(rest)):
            target = price if j else least
            best.take(rest[j], axis=0, out=target, mode="clip")
            target += halves[0].take(in_low[j], axis=0, out=part, mode="clip")
            target += halves[1].take(in_high[j], axis=0, out=part, mode="clip")
            if j:
                np.minimum(least, price, out=least)
        best[run] = least
    rows = np.arange(count)
    orders = np.empty((count, k), dtype=np.int64)
    left = np.full(count, 2**k - 1)
    inward = w.sum(axis=0, dtype=np.int64).T  # [instance, v]: what the systems left win against v
    for place in range(k):
        rest = left[:, None] & ~(1 << np.arange(k))
        price = best[rest, rows[:, None]] + inward
        fits = (price == best[left, rows][:, None]) & (rest != left[:, None])
        pick = fits.argmax(axis=1)
        orders[:, place] = pick
        left = rest[rows, pick]
        inward = inward - w[pick, :, rows]
    return orders, best[-1].astype(np.int64)


def order_cost(w: IntArray, order: IntArray) -> int:
    """The weight of the edges that point upwards in `order`."""
    return int(np.tril(w[order[:, None], order], -1).sum())


def insertion_search(w: IntArray, start: IntArray) -> IntArray:
    """A good order: single systems are moved to where they cost least until no move helps."""
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


def blocks_of(u: NDArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Cut tournaments into blocks, each wholly above the next in every optimal ranking.

    Blocks are the strong components if a pair without an edge counts as having both. Sorting by the
    number of systems that each does not lose to puts them together, top block first. Returns the
    rows of `u` (net weights, (B, n, n)) in this order, and whether a block starts at each place.
    """
    n = u.shape[1]
    edge = u >= np.swapaxes(u, 1, 2)
    sorting = np.argsort(-edge.sum(axis=2), axis=1, kind="stable")
    rows = np.arange(len(u))[:, None, None]
    edge = edge[rows, sorting[:, :, None], sorting[:, None, :]]
    highest = edge.argmax(axis=2)  # the highest place to which each does not lose
    highest = np.minimum.accumulate(highest[:, ::-1], axis=1)[:, ::-1]
    return sorting, highest == np.arange(n)


def first_sorted(w: NDArray) -> IntArray:
    """The topological order of an acyclic graph with the lowest possible index at each place."""
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
    cost, lower = order_cost(w, order), 0
    small = k < 3 or (k <= SMALL_BLOCK and method == "auto")
    if small or method == "dp":
        solution = bounded_dp(w, cost, NO_BOUND, 2**k, deadline)
        if solution is not None:
            return solution
    if cost == 0 and k > WORD:
        return Solution(first_sorted(w), 0, 0, None, True)
    bound = NO_BOUND
    for program in (relaxed, integer):
        above, found = program(w, deadline)
        bound = found if len(found.sets) else bound
        order = min(order, insertion_search(w, above), key=lambda o: order_cost(w, o))
        cost = order_cost(w, order)
        lower = min(cost, max(lower, int(np.ceil(found.total - 1e-6))))
        solution = bounded_dp(w, cost, bound, MOST_SETS, deadline) if k <= WORD else None
        if solution is not None:
            return solution
        if lower >= cost:
            break
    return Solution(order, cost, lower, None, False)


def nearest_to(scores: NDArray, w: IntArray, solved: Solution, deadline: float) -> Solution:
    """Of the optimal orders of a block, the one with the fewest pairs against `scores`.

    The block is solved again, with pairs in the order of the scores adding less than one win.
    """
    leaning = w * len(w) ** 2 + (scores[:, None] > scores)
    found = solve_block(np.maximum(0, leaning - leaning.T), deadline)
    sure = found.canonical and found.lower == found.cost
    better = order_cost(w, found.order) == solved.cost
    return replace(solved, order=found.order if better else solved.order, canonical=sure)


def triangles(w: IntArray) -> tuple[IntArray, csr_array, NDArray[np.float64]]:
    """The order polytope's triangle relaxation: triples, their rows, and the cost of each pair.

    Each pair has a variable x, 1 if the system of lower index is above; a triple i < j < m has the
    row 0 <= x[i, j] + x[j, m] - x[i, m] <= 1. The cost of an order is the sum of `w` above the
    diagonal, plus the cost (w[j, i] - w[i, j]) of each pair with x = 1.
    """
    k = len(w)
    upper = np.triu_indices(k, 1)
    index = np.zeros((k, k), dtype=np.int64)
    index[upper] = np.arange(len(upper[0]))
    triples = np.array(list(combinations(range(k), 3)), dtype=np.int64).reshape(-1, 3)
    i, j, m = triples.T
    columns = np.stack([index[i, j], index[j, m], index[i, m]], axis=1).ravel()
    start = 3 * np.arange(len(triples) + 1)
    rows = np.tile([1.0, 1.0, -1.0], len(triples)), columns, start
    gain = (w.T - w)[upper].astype(np.float64)
    return triples, csr_array(rows, shape=(len(triples), len(gain))), gain


def relaxed(w: IntArray, deadline: float) -> tuple[IntArray, Bound]:
    """An order near the optimum of the relaxation, and the bound of its dual values."""
    triples, matrix, gain = triangles(w)
    most = np.repeat([1.0, 0.0], len(triples))
    found = linprog(gain, vstack([matrix, -matrix]), most, bounds=(0, 1), options=_limit(deadline))
    if found.status != 0:
        return np.arange(len(w)), NO_BOUND
    # x_ij + x_jk - x_ik <= 1: the cycle i, j, k; >= 0: the cycle i, k, j
    cycles = np.concatenate([triples, triples[:, [0, 2, 1]]])
    use = -found.ineqlin.marginals > 1e-9
    return _by_pairs(w, found.x), bound_from(w, cycles[use], -found.ineqlin.marginals[use])


def integer(w: IntArray, deadline: float) -> tuple[IntArray, Bound]:
    """The order of least cost by the integer program, or one near it, and a bound on the total."""
    _, matrix, gain = triangles(w)
    found = milp(
        gain,
        integrality=np.ones(len(gain)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, 0, 1) if matrix.shape[0] else (),
        options={"mip_rel_gap": 0.0, **_limit(deadline)},
    )
    order = np.arange(len(w)) if found.x is None else _by_pairs(w, found.x)
    lower = -np.inf if found.mip_dual_bound is None else found.mip_dual_bound
    return order, replace(NO_BOUND, total=max(0.0, lower + float(np.triu(w, 1).sum())))


def _limit(deadline: float) -> dict[str, float]:
    left = deadline - time.monotonic()
    return {"time_limit": max(left, 0.01)} if np.isfinite(left) else {}


def _by_pairs(w: IntArray, x: NDArray[np.float64]) -> IntArray:
    """The order by the number of systems that x puts below each."""
    above = np.zeros(w.shape)
    above[np.triu_indices(len(w), 1)] = x
    above += np.tril(1 - above.T, -1)
    return np.argsort(-above.sum(axis=1), kind="stable")


def bound_from(w: IntArray, triangles: IntArray, amounts: NDArray[np.float64]) -> Bound:
    """The bound of `triangles` (t, 3), each a cycle i -> j -> m -> i, multipliers `amounts`."""
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
