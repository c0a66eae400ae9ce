"""Minimum feedback arc set of one block by Held and Karp's recursion (Lopez 2012, Algorithm 1)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
WORD = 63  # systems of a block whose sets fit one machine word


@dataclass(frozen=True)
class Solution:
    """An order of a block, its cost, and what is proven of it.

    `lower`: no order costs less; `optima`: the number of optimal orders (None: not counted);
    `canonical`: of these the one that comes first when compared place by place from the top, the
    system of lower index first.
    """

    order: IntArray
    cost: int
    lower: int
    optima: int | None
    canonical: bool = True


@dataclass(frozen=True)
class Bound:
    """A lower bound for every subset of the systems: `values` of the `sets` (bit masks of pairs and
    triangles) that it contains; `total` is that of the whole block."""

    sets: NDArray[np.uint64]
    values: NDArray[np.float64]
    total: float


NO_BOUND = Bound(np.zeros(0, dtype=np.uint64), np.zeros(0), 0.0)


def bounded_dp(
    w: IntArray, upper: int, bound: Bound, cap: int, deadline: float = np.inf
) -> Solution | None:
    """Dynamic program over the sets of systems placed on top that can still lead to an optimum.

    Layer by layer, without the sets whose cost plus `bound` for the rest exceeds `upper`, the cost
    of a known order. None when a layer holds more sets than `cap`, or past the deadline.
    """
    k = len(w)
    bits = np.uint64(1) << np.arange(k, dtype=np.uint64)
    keys = np.zeros(1, dtype=np.uint64)
    cost = np.zeros(1, dtype=np.int64)
    count = np.ones(1, dtype=np.int64)
    rough = np.ones(1)  # the counts in floating point, to see an overflow
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
    """The path through the layers that takes, from the top, the lowest system that leads on."""
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
    """Optimal orders (B, k) of blocks of net weights (B, k, k), and their costs, over all sets.

    The same choice among optimal orders as `bounded_dp`.
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
    """The non-empty sets by size, in runs of at most `rows` sets: the sets, and per member v
    (first axis) the set without v and where the two halves of what it wins against v are kept.
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
