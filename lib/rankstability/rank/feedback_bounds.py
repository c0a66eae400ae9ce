"""Lower bounds for the minimum feedback arc set of one block: packed cycles, a linear program.

A block is an integer array ``w`` of shape (k, k) with non-negative net weights (``w[i, j] > 0``
means that i beats j, and then ``w[j, i] == 0``), its systems in the order of preference. The cost
of an order is the weight of the edges that point upwards in it.

A cyclic triangle costs any order at least one of its edges, so for triangles c with multipliers
m(c) >= 0, whichever they are,

    cost(order) >= sum over pairs of min(r[i, j], r[j, i]) + sum of m(c),    r = w - use of edges.

The same holds for the systems still to be placed, which bounds every partial ranking. Multipliers
come from a greedy packing of cycles or, where that is too weak, from the dual of a linear program
in HiGHS; for blocks of many systems see `feedback_cuts`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
WORD = 63  # systems of a block whose sets fit one machine word
SIGNS = np.array([1.0, 1.0, -1.0])  # of the pairs ij, jm, im in a triangle's row


@dataclass(frozen=True)
class Bound:
    """A lower bound for every subset of the systems: `values` of the `sets` (bit masks of pairs and
    triangles) that it contains; `total` is that of the whole block."""

    sets: NDArray[np.uint64]
    values: NDArray[np.float64]
    total: float


def pack_cycles(w: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Edge-disjoint cycles of three and four through the edges that `order` violates.

    Cyclic triangles i -> j -> k -> i, (t, 3), a cycle of four as two that share its diagonal, and
    their multipliers.
    """
    free = w[np.ix_(order, order)].copy()  # capacities, by place
    back = [(int(u), int(v)) for u, v in zip(*np.nonzero(np.tril(free, -1)), strict=True)]
    back.sort(key=lambda e: e[0] - e[1])
    triangles: list[tuple[int, int, int]] = []
    amounts: list[int] = []
    for u, v in back:  # u below v in the order, yet u beats v
        need = int(free[u, v])
        room = np.minimum(free[v], free[:, u])
        for x in np.argsort(-room, kind="stable"):
            take = min(need, int(room[x]))
            if take <= 0:
                break
            free[v, x] -= take
            free[x, u] -= take
            need -= take
            triangles.append((u, v, int(x)))
            amounts.append(take)
        free[u, v] = need
    for u, v in back:
        need = int(free[u, v])
        while need:
            room2 = np.minimum(np.minimum(free[v][:, None], free), free[:, u][None, :])
            x, y = divmod(int(np.argmax(room2)), len(w))
            take = min(need, int(room2[x, y]))
            if take <= 0:
                break
            free[v, x] -= take
            free[x, y] -= take
            free[y, u] -= take
            need -= take
            triangles += [(u, v, x), (u, x, y)]
            amounts += [take, take]
        free[u, v] = need
    places = np.array(triangles, dtype=np.int64).reshape(-1, 3)
    return order[places], np.array(amounts, dtype=np.int64)


def bound_from(w: IntArray, triangles: IntArray, amounts: NDArray) -> Bound:
    """The bound that `triangles` with multipliers `amounts` give."""
    r = w.astype(np.float64)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        np.subtract.at(r, (triangles[:, a], triangles[:, b]), amounts)
    low = np.triu(np.minimum(r, r.T), 1)
    i, j = np.nonzero(np.abs(low) > 1e-9)
    total = float(low[i, j].sum() + amounts.sum())
    one = np.uint64(1)
    if len(w) <= WORD:
        pairs = (one << i.astype(np.uint64)) | (one << j.astype(np.uint64))
        t = triangles.astype(np.uint64)
        triples = (one << t[:, 0]) | (one << t[:, 1]) | (one << t[:, 2])
        sets = np.concatenate([pairs, triples])
    else:
        sets = np.zeros(0, dtype=np.uint64)
    return Bound(sets, np.concatenate([low[i, j], amounts.astype(np.float64)]), total)


def triangle_rows(k: int) -> tuple[tuple[NDArray, NDArray], IntArray, NDArray]:
    """The pairs i < j as indices, the triples i < j < m, and the pairs ij, jm, im of each."""
    upper = np.triu_indices(k, 1)
    index = np.zeros((k, k), dtype=np.int32)
    index[upper] = np.arange(len(upper[0]), dtype=np.int32)
    i, j, m = (a.ravel() for a in np.meshgrid(*[np.arange(k)] * 3, indexing="ij"))
    use = (i < j) & (j < m)
    i, j, m = i[use], j[use], m[use]
    columns = np.stack([index[i, j], index[j, m], index[i, m]], axis=1)
    return upper, np.stack([i, j, m], axis=1), columns


class Triangles:
    """The order polytope's triangle relaxation (Grötschel, Jünger and Reinelt 1984).

    One variable x per pair, 1 if the system of lower index stands above; a triangle i < j < m has
    the row 0 <= x[i, j] + x[j, m] - x[i, m] <= 1.
    """

    def __init__(self, w: IntArray) -> None:
        self.w = w
        self.upper, self.triples, self.columns = triangle_rows(len(w))
        self.constant = float(w[self.upper].sum())
        self.cost = (w.T - w)[self.upper].astype(np.float64)
        self.x = (self.cost <= 0).astype(np.float64)

    def order(self) -> IntArray:
        """The order by how many systems x puts below each."""
        above = np.zeros(self.w.shape)
        above[self.upper] = self.x
        above += np.tril(1 - above.T, -1)
        return np.argsort(-above.sum(axis=1), kind="stable")

    def _violated(self, least: float, most: int, but: IntArray) -> IntArray:
        """Triangles, `but` these, whose row x violates by more than `least`: the worst `most`."""
        t = self.x[self.columns] @ SIGNS
        excess = np.maximum(t - 1, -t)
        excess[but] = 0
        violated = np.flatnonzero(excess > least)
        if len(violated) > most:
            violated = violated[np.argsort(-excess[violated], kind="stable")[:most]]
        return violated

    def _program(self, **options: float | str) -> Any:
        """The variables and their cost in HiGHS, without rows."""
        import highspy

        program = highspy.Highs()
        for name, value in {"output_flag": False, "threads": 1, **options}.items():
            program.setOptionValue(name, value)
        count = len(self.cost)
        program.addVars(count, np.zeros(count), np.ones(count))
        program.changeColsCost(count, np.arange(count, dtype=np.int32), self.cost)
        return program


class LinearProgram(Triangles):
    """The relaxation by the simplex method, triangle rows added as they are violated."""

    def __init__(self, w: IntArray) -> None:
        super().__init__(w)
        self.rows = np.zeros(0, dtype=np.int64)
        self.integer = False
        self.duals = np.zeros(0)
        self.value = float(np.minimum(w, w.T).sum()) / 2
        self.highs = self._program(mip_rel_gap=0.0, mip_abs_gap=0.5)

    def separate(self, most: int) -> int:
        """Add up to `most` rows that x violates, the worst first; how many were added."""
        violated = self._violated(1e-6, most, self.rows)
        if n := len(violated):
            starts = np.arange(0, 3 * n, 3, dtype=np.int32)
            index = self.columns[violated].ravel().astype(np.int32)
            values = np.tile(SIGNS, n)
            self.highs.addRows(n, np.zeros(n), np.ones(n), 3 * n, starts, index, values)
            self.rows = np.concatenate([self.rows, violated])
        return len(violated)

    def solve(self, upper: int, deadline: float, most: int = 2000) -> bool:
        """Solve, adding rows until none is violated; False if time ran out.

        Stops early when the value proves that nothing is cheaper than `upper`.
        """
        self.separate(most)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + left)
            self.highs.run()
            status = self.highs.modelStatusToString(self.highs.getModelStatus())
            if self.integer:
                proven = self.highs.getInfo().mip_dual_bound + self.constant
                self.value = max(self.value, proven)
            if status != "Optimal":
                return False
            solution = self.highs.getSolution()
            self.x = np.array(solution.col_value)
            if not self.integer:  # any duals give a bound that holds, exact or not
                self.duals = np.array(solution.row_dual)
                self.value = max(self.value, bound_from(self.w, *self.multipliers()).total)
            if self.value > upper - 1 + 1e-6 or not self.separate(most):
                return True

    def make_integer(self) -> None:
        """From now on the variables are 0 or 1."""
        import highspy

        count = len(self.cost)
        kinds = np.full(count, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        self.highs.changeColsIntegrality(count, np.arange(count, dtype=np.int32), kinds)
        self.integer = True

    def multipliers(self) -> tuple[IntArray, NDArray[np.float64]]:
        """The cyclic triangles with a dual value, and these values."""
        triples = self.triples[self.rows[: len(self.duals)]]
        forward = np.maximum(-self.duals, 0)  # x_ij + x_jk - x_ik <= 1: the cycle i, j, k
        backward = np.maximum(self.duals, 0)  # >= 0: the cycle i, k, j
        triangles = np.concatenate([triples, triples[:, [0, 2, 1]]])
        amounts = np.concatenate([forward, backward])
        use = amounts > 1e-9
        return triangles[use], amounts[use]
