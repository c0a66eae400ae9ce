"""Lower bounds for blocks of many systems: triangle rows and Möbius ladders, by interior points.

Half the sum of triangle rows and of bounds 0 <= x <= 1, where all its coefficients are whole, may
be rounded down: an odd cycle of triangles, each sharing a pair with the next, gives the ladders of
Grötschel, Jünger and Reinelt (1985). A lightest odd cycle is a shortest path in a graph of twice as
many nodes as pairs (Caprara and Fischetti 1996).
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from scipy.sparse.csgraph import dijkstra

from .feedback_bounds import SIGNS, IntArray, Triangles

NEW = 8000  # triangle rows added at most in a round
FEW = 1500  # ladders are sought where x violates fewer triangles
SOURCES = 800  # pairs from which odd cycles are sought in a round
LONGEST, LIGHTEST = 0.4, 0.9  # weight of a triangle in a cycle, of a whole cycle (1: no cut)
FRACTION, VIOLATED = 0.02, 0.02  # least distance of x from 0 and 1, and least excess of a ladder


class Links(NamedTuple):
    """Triangles as edges between two of their pairs; the third pair is rounded by a bound."""

    ends: tuple[IntArray, IntArray]
    weight: NDArray[np.float64]
    odd: NDArray[np.bool_]
    triangle: IntArray
    side: IntArray  # 1: the row <= 1, -1: the row >= 0


class CuttingPlanes(Triangles):
    """The triangle relaxation and its ladders, rows added as they are violated.

    `value` is a bound that holds whenever it is read: any multipliers give one.
    """

    def __init__(self, w: IntArray) -> None:
        super().__init__(w)
        self.value = 0.0
        self.rows = csr_matrix((0, len(self.cost)))
        self.low, self.high = np.zeros((2, 0))

    def solve(self, upper: int, deadline: float) -> None:
        """Better the bound until it proves `upper`, no row is found, or time is out."""
        rng = np.random.default_rng(0)
        while self._separate(rng) and time.monotonic() < deadline:
            if not self._relax(deadline) or self.value > upper - 1 + 1e-6:
                break

    def _separate(self, rng: np.random.Generator) -> bool:
        """Add violated rows; False if there are none."""
        violated = self._violated(1e-3, NEW, np.zeros(0, dtype=np.int64))
        n, ladders = len(violated), self._ladders(rng) if len(violated) < FEW else None
        row, column = np.repeat(np.arange(n), 3), self.columns[violated].ravel()
        new = _matrix(row, column, np.tile(SIGNS, n), (n, len(self.x)))
        self._add(new, np.zeros(n), np.ones(n))
        if ladders is not None:
            self._add(ladders[0], np.full(len(ladders[1]), -np.inf), ladders[1])
        return bool(n or (ladders is not None and len(ladders[1])))

    def _add(self, rows: csr_matrix, low: NDArray, high: NDArray) -> None:
        self.rows = vstack([self.rows, rows], format="csr")
        self.low, self.high = np.append(self.low, low), np.append(self.high, high)

    def _relax(self, deadline: float) -> bool:
        """Solve with the present rows and drop the idle ones; False if it was stopped by time."""
        left = max(0.0, deadline - time.monotonic())
        program = self._program(
            solver="ipm", run_crossover="off", ipm_optimality_tolerance=1e-4, time_limit=left
        )
        rows = self.rows
        count, starts = rows.shape[0], rows.indptr[:-1].astype(np.int32)
        cells = (rows.nnz, starts, rows.indices.astype(np.int32), rows.data.astype(float))
        program.addRows(count, self.low, self.high, *cells)
        program.run()
        solution = program.getSolution()
        if not (solution.value_valid and solution.dual_valid):
            return False
        self.x = np.clip(solution.col_value, 0, 1)
        dual = np.array(solution.row_dual)
        dual[(dual > 0) & np.isinf(self.low)] = 0
        low = np.minimum(self.cost - rows.T @ dual, 0).sum() + np.minimum(dual, 0) @ self.high
        if self.constant + low > self.value + 1:
            at = rows @ self.x
            idle = (np.abs(dual) < 1e-4) & (np.minimum(at - self.low, self.high - at) > 0.15)
            self.rows, self.low, self.high = rows[~idle], self.low[~idle], self.high[~idle]
        self.value = max(self.value, float(self.constant + low))
        return True

    def _ladders(self, rng: np.random.Generator) -> tuple[csr_matrix, NDArray] | None:
        """Rows <= a whole number that x violates, the rounded halves of odd cycles of triangles."""
        inside = np.flatnonzero(np.minimum(self.x, 1 - self.x) > FRACTION)
        if not len(inside):
            return None
        links = _links(self.x, self.columns, inside)
        cycle, link = _odd_cycles(links, len(inside), rng)
        return _rounded(self.x, self.columns, cycle, links.triangle[link], links.side[link])


def _matrix(row: IntArray, column: IntArray, value: NDArray, shape: tuple[int, int]) -> csr_matrix:
    return csr_matrix((value.astype(float), (row, column)), shape=shape)


def _links(x: NDArray[np.float64], columns: IntArray, inside: IntArray) -> Links:
    """Each triangle as an edge between two pairs of `inside`, by the cheaper side of each parity.

    The weight is what the row and the third pair's bound lack to equality.
    """
    number = np.full(len(x), -1)
    number[inside] = np.arange(len(inside))
    ends = number[columns]
    t = np.clip(x[columns] @ SIGNS, 0, 1)
    parts = []
    for third in range(3):
        a, b = ends[:, (third + 1) % 3], ends[:, (third + 2) % 3]
        rest = x[columns[:, third]]
        for odd, least, most in (
            (True, 1 - t + rest, t + 1 - rest),
            (False, 1 - t + 1 - rest, t + rest),
        ):
            weight = np.minimum(least, most)
            use = np.flatnonzero((weight < LONGEST) & (a >= 0) & (b >= 0))
            side = np.where(most < least, -1, 1)[use]
            parts.append((a[use], b[use], weight[use] + 1e-6, np.full(len(use), odd), use, side))
    a, b, weight, parity, triangle, side = (np.concatenate(p) for p in zip(*parts, strict=True))
    return Links((a, b), weight, parity, triangle, side)


def _odd_cycles(links: Links, pairs: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """The lightest odd closed walks through some random pairs: number of the walk, and link."""
    a, b = links.ends
    far = np.where(links.odd, pairs, 0)
    tail = np.concatenate([a, a + pairs, b, b + pairs])  # the second half: odd so far
    head = np.concatenate([b + far, b + pairs - far, a + far, a + pairs - far])
    weight, link = np.tile(links.weight, 4), np.tile(np.arange(len(a)), 4)
    code = tail * 2 * pairs + head
    best = np.lexsort((weight, code))
    code, first = np.unique(code[best], return_index=True)
    weight, link = weight[best][first], link[best][first]
    graph = _matrix(code // (2 * pairs), code % (2 * pairs), weight, (2 * pairs, 2 * pairs))
    source = rng.permutation(pairs)[:SOURCES]
    length, before = dijkstra(graph, indices=source, limit=LIGHTEST, return_predecessors=True)
    walk = np.flatnonzero(length[np.arange(len(source)), source + pairs] < LIGHTEST)
    at = source[walk] + pairs
    walks, used = [walk[:0]], [link[:0]]
    while len(walk):
        last = before[walk, at].astype(np.int64)
        walks.append(walk)
        used.append(link[np.searchsorted(code, last * 2 * pairs + at)])
        on = last != source[walk]
        walk, at = walk[on], last[on]
    return np.concatenate(walks), np.concatenate(used)


def _rounded(
    x: NDArray[np.float64], columns: IntArray, walk: IntArray, triangle: IntArray, side: IntArray
) -> tuple[csr_matrix, NDArray]:
    """Half the sum of each walk's triangle rows, made whole by bounds, its right side rounded down.

    A row that a walk takes twice drops out. Only what x violates is kept, and that once.
    """
    count, n = int(walk.max(initial=-1)) + 1, len(x)
    taken, times = np.unique((walk * len(columns) + triangle) * 2 + (side < 0), return_counts=True)
    taken = taken[times % 2 == 1]
    walk, triangle = np.divmod(taken // 2, len(columns))
    side = 1 - 2 * (taken % 2)
    total = _matrix(
        np.repeat(walk, 3), columns[triangle].ravel(), np.outer(side, SIGNS).ravel(), (count, n)
    ).tocoo()
    row, column, value = total.row, total.col, total.data.astype(np.int64)
    right = np.bincount(walk[side > 0], minlength=count)
    up = (value % 2 == 1) & (x[column] >= 0.5)  # by x <= 1, else by 0 <= x
    right += np.bincount(row[up], minlength=count)
    half = csr_matrix(((value + up) // 2, (row, column)), shape=(count, n))
    half.eliminate_zeros()
    high = (right - 1) // 2
    _, once = np.unique(np.round(half @ np.random.default_rng(0).random(n), 9), return_index=True)
    keep = np.zeros(count, dtype=bool)
    keep[once] = True
    keep &= (right % 2 == 1) & (half @ x - high > VIOLATED)
    return half[keep], high[keep].astype(float)
