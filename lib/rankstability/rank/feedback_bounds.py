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

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
WORD = 63  # systems of a block whose sets fit one machine word


@dataclass(frozen=True)
class Bound:
    """A lower bound that holds for every subset of the systems (see the module's text).

    `sets` are bit masks of pairs and triangles, `values` what each adds to the bound of a subset
    that contains it, `total` the bound of the whole block.
    """

    sets: NDArray[np.uint64]
    values: NDArray[np.float64]
    total: float


def pack_cycles(w: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Edge-disjoint cycles of three and four through the edges that `order` violates.

    Returns
    -------
    triangles : array (t, 3)
        Cyclic triangles i -> j -> k -> i; a cycle of four enters as two, sharing its diagonal.
    amounts : array (t,)
        Their multipliers.
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


def order_by(x: NDArray, upper: tuple[NDArray, NDArray], k: int) -> IntArray:
    """The order by how many systems `x` (by pairs i < j, `upper`) puts below each."""
    above = np.zeros((k, k))
    above[upper] = x
    above += np.tril(1 - above.T, -1)
    return np.argsort(-above.sum(axis=1), kind="stable")


class LinearProgram:
    """The order polytope's triangle relaxation in HiGHS, triangle rows added as they are violated.

    One variable per pair, 1 if the system of lower index stands above; rows 0 <= x[i, j] + x[j, k]
    - x[i, k] <= 1 for i < j < k (Grötschel, Jünger and Reinelt 1984).
    """

    def __init__(self, w: IntArray) -> None:
        import highspy

        self.w = w
        self.upper, self.triples, self.columns = triangle_rows(len(w))
        self.present = np.zeros(len(self.triples), dtype=bool)
        self.rows = np.zeros(0, dtype=np.int64)
        self.constant = float(w[self.upper].sum())
        self.cost = (w.T - w)[self.upper].astype(np.float64)
        self.x = (self.cost <= 0).astype(np.float64)
        self.integer = False
        self.duals = np.zeros(0)
        self.value = float(np.minimum(w, w.T).sum()) / 2
        self.highs = highspy.Highs()
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", 0.5),
        ):
            self.highs.setOptionValue(name, value)
        count = len(self.cost)
        self.highs.addVars(count, np.zeros(count), np.ones(count))
        self.highs.changeColsCost(count, np.arange(count, dtype=np.int32), self.cost)

    def separate(self, most: int) -> int:
        """Add up to `most` rows that x violates, the worst first; how many were added."""
        t = self.x[self.columns] @ np.array([1.0, 1.0, -1.0])
        excess = np.maximum(t - 1, -t)
        excess[self.present] = 0
        violated = np.flatnonzero(excess > 1e-6)
        if len(violated) > most:
            violated = violated[np.argsort(-excess[violated], kind="stable")[:most]]
        if len(violated):
            n = len(violated)
            self.highs.addRows(
                n,
                np.zeros(n),
                np.ones(n),
                3 * n,
                np.arange(0, 3 * n, 3, dtype=np.int32),
                self.columns[violated].ravel().astype(np.int32),
                np.tile([1.0, 1.0, -1.0], n),
            )
            self.present[violated] = True
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

    def order(self) -> IntArray:
        """The order by how many systems x puts below each."""
        return order_by(self.x, self.upper, len(self.w))

    def multipliers(self) -> tuple[IntArray, NDArray[np.float64]]:
        """The cyclic triangles with a dual value, and these values."""
        triples = self.triples[self.rows[: len(self.duals)]]
        forward = np.maximum(-self.duals, 0)  # x_ij + x_jk - x_ik <= 1: the cycle i, j, k
        backward = np.maximum(self.duals, 0)  # >= 0: the cycle i, k, j
        triangles = np.concatenate([triples, triples[:, [0, 2, 1]]])
        amounts = np.concatenate([forward, backward])
        use = amounts > 1e-9
        return triangles[use], amounts[use]
