"""The minimum feedback arc set as a linear program, for blocks that `mfas` cannot hold."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from .feedback import IntArray, bound_from

INTERIOR = 80  # from this many systems on, the interior point method: slower to start, steadier


class LinearProgram:
    """The order polytope's triangle relaxation in HiGHS, triangle rows added as they are violated.

    One variable per pair, 1 if the system of lower index stands above; rows 0 <= x[i, j] + x[j, k]
    - x[i, k] <= 1 for i < j < k (Grötschel, Jünger and Reinelt 1984).
    """

    def __init__(self, w: IntArray) -> None:
        import highspy

        self.w, k = w, len(w)
        self.upper = np.triu_indices(k, 1)
        self.index = np.zeros((k, k), dtype=np.int32)
        self.index[self.upper] = np.arange(len(self.upper[0]), dtype=np.int32)
        i, j, m = (a.ravel() for a in np.meshgrid(*[np.arange(k)] * 3, indexing="ij"))
        use = (i < j) & (j < m)
        self.triples = np.stack([i[use], j[use], m[use]], axis=1)
        self.columns = np.stack(
            [self.index[i[use], j[use]], self.index[j[use], m[use]], self.index[i[use], m[use]]],
            axis=1,
        )
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
        if k >= INTERIOR:
            self.highs.setOptionValue("solver", "ipx")
            self.highs.setOptionValue("run_crossover", "off")
        count = len(self.cost)
        self.highs.addVars(count, np.zeros(count), np.ones(count))
        self.highs.changeColsCost(count, np.arange(count, dtype=np.int32), self.cost)

    def separate(self, most: int) -> int:
        """Add up to `most` rows that x violates, the worst first; how many were added."""
        t = self.x[self.columns] @ np.array([1.0, 1.0, -1.0])
        excess = np.maximum(t - 1, -t)
        excess[self.present] = 0
        found = np.flatnonzero(excess > 1e-6)
        if len(found) > most:
            found = found[np.argsort(-excess[found], kind="stable")[:most]]
        if len(found):
            n = len(found)
            self.highs.addRows(
                n,
                np.zeros(n),
                np.ones(n),
                3 * n,
                np.arange(0, 3 * n, 3, dtype=np.int32),
                self.columns[found].ravel().astype(np.int32),
                np.tile([1.0, 1.0, -1.0], n),
            )
            self.present[found] = True
            self.rows = np.concatenate([self.rows, found])
        return len(found)

    def solve(self, upper: int, deadline: float, most: int = 2000) -> bool:
        """Solve, adding rows until none is violated; False if time ran out.

        Stops early when the value proves that nothing is cheaper than `upper`.
        """
        while self.separate(most):
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
            if self.value > upper - 1 + 1e-6:
                break
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
        k = len(self.w)
        above = np.zeros((k, k))
        above[self.upper] = self.x
        above += np.tril(1 - above.T, -1)
        return np.argsort(-above.sum(axis=1), kind="stable")

    def multipliers(self) -> tuple[IntArray, NDArray[np.float64]]:
        """The cyclic triangles with a dual value, and these values."""
        triples = self.triples[self.rows[: len(self.duals)]]
        forward = np.maximum(-self.duals, 0)  # x_ij + x_jk - x_ik <= 1: the cycle i, j, k
        backward = np.maximum(self.duals, 0)  # >= 0: the cycle i, k, j
        triangles = np.concatenate([triples, triples[:, [0, 2, 1]]])
        amounts = np.concatenate([forward, backward])
        use = amounts > 1e-9
        return triangles[use], amounts[use]
