"""Mixed model equations of crossed and nested factors, solved by eliminating what nests.

Henderson's equations have a row for each level of each factor: thousands for a campaign, once
workers by systems and blocks are factors. Levels nested in one factor (segments, blocks and system
by document in their document) meet no level of another document there, so each document is
eliminated alone and a dense system of the factors that cross is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg, sparse

BUNDLE = 64  # groups are eliminated together up to about this many levels


class Equations:
    """The equations of an intercept and factors, for rows with weights.

    Parameters
    ----------
    codes : sequence of array of int
        Level of each row, from 0, of each factor.
    sizes : sequence of int
        Levels of each factor.
    weights : array of float
    """

    def __init__(
        self, codes: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray
    ) -> None:
        self.codes, self.sizes, self.weights = list(codes), list(sizes), weights
        group, nested = _nest(self.codes, self.sizes)
        # nested levels stand in order of their group, so that a bundle of groups is a slice
        label = np.concatenate([_of_level(self.codes[f], self.sizes[f], group) for f in nested])
        place = np.argsort(np.argsort(label, kind="stable"), kind="stable")
        ends = np.cumsum([self.sizes[f] for f in nested])
        self.place = dict(zip(nested, np.split(place, ends[:-1]), strict=True))
        others = [f for f in range(len(sizes)) if f not in nested]
        first = 1 + np.cumsum([0, *(self.sizes[f] for f in others)])
        self.slot = {f: slice(a, a + self.sizes[f]) for f, a in zip(others, first, strict=False)}
        rows = len(weights)
        columns = [np.zeros(rows, int)] + [self.codes[f] + self.slot[f].start for f in others]
        self.outer = _indicators(columns, rows, int(first[-1]))
        self.inner = _indicators([self.place[f][self.codes[f]] for f in nested], rows, len(label))
        weighted = self.outer * weights[:, None]
        self.dense = (self.outer.T @ weighted).toarray()
        cross = sparse.csr_array(self.inner.T @ weighted)
        own = sparse.csr_array(self.inner.T @ (self.inner * weights[:, None]))
        self.bundles = [_bundle(own, cross, *ends) for ends in _bundles(np.sort(label))]

    def right(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Right-hand sides of the nested and of the other levels, for the columns of `y`."""
        weighted = self.weights[:, None] * y
        return self.inner.T @ weighted, self.outer.T @ weighted


class Factorised:
    """`Equations` with a penalty for each factor on the diagonal: solves, and their inverse."""

    def __init__(self, equations: Equations, penalty: np.ndarray) -> None:
        e = self.equations = equations
        inner = np.empty(e.inner.shape[1])
        for f, place in e.place.items():
            inner[place] = penalty[f]
        left = e.dense.copy()
        for f, slot in e.slot.items():
            index = np.arange(slot.start, slot.stop)
            left[index, index] += penalty[f]
        logs = []
        self.parts = []
        for rows, own, cross, columns in e.bundles:
            root = np.linalg.cholesky(own + np.diag(inner[rows]))
            inverse = linalg.lapack.dtrtri(root, lower=1)[0]
            half = inverse @ cross
            left[columns[:, None], columns] -= half.T @ half
            logs.append(np.log(np.diag(root)).sum())
            self.parts.append((rows, inverse, half, columns))
        self.root = linalg.cholesky(left, lower=True, check_finite=False)
        self.logdet = 2 * float(np.sum(logs) + np.log(np.diag(self.root)).sum())

    def solve(self, y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Effects of each factor, (levels, columns of `y`), and the intercepts."""
        e = self.equations
        inner, outer = e.right(y)
        halves = []
        for rows, inverse, half, columns in self.parts:
            halves.append(inverse @ inner[rows])
            outer[columns] -= half.T @ halves[-1]
        beta = linalg.cho_solve((self.root, True), outer, check_finite=False)
        for (rows, inverse, half, columns), part in zip(self.parts, halves, strict=True):
            inner[rows] = inverse.T @ (part - half @ beta[columns])
        return self._by_factor(inner, beta), beta[0]

    def inverse_diagonals(self) -> list[np.ndarray]:
        """Of each factor the diagonal of its block of the inverse: prediction variances, scaled."""
        lower = np.tril(linalg.lapack.dpotri(self.root, lower=1)[0])
        whole = lower + np.tril(lower, -1).T
        inner = np.empty(self.equations.inner.shape[1])
        for rows, inverse, half, columns in self.parts:
            through = inverse.T @ half
            part = through @ whole[columns[:, None], columns]
            inner[rows] = (inverse**2).sum(axis=0) + (part * through).sum(axis=1)
        return self._by_factor(inner, np.diag(whole))

    def _by_factor(self, inner: np.ndarray, outer: np.ndarray) -> list[np.ndarray]:
        e = self.equations
        factors = range(len(e.sizes))
        return [inner[e.place[f]] if f in e.place else outer[e.slot[f]] for f in factors]


def _nest(codes: list[np.ndarray], sizes: list[int]) -> tuple[np.ndarray, list[int]]:
    """Codes of the factor to group by, and the factors nested in it (it is one of them).

    The one whose elimination leaves the fewest levels.
    """
    best: tuple[int, int, list[int]] = (-1, 0, [])
    for g, (group, size) in enumerate(zip(codes, sizes, strict=True)):
        nested = [
            f
            for f, (c, n) in enumerate(zip(codes, sizes, strict=True))
            if f == g or (n >= size and len(np.unique(c * size + group)) == n)
        ]
        best = max(best, (sum(sizes[f] for f in nested), -g, nested))
    return codes[-best[1]], best[2]


def _of_level(codes: np.ndarray, size: int, group: np.ndarray) -> np.ndarray:
    """The group of each level of a nested factor."""
    of = np.zeros(size, int)
    of[codes] = group
    return of


def _indicators(columns: list[np.ndarray], rows: int, width: int) -> sparse.csr_array:
    index = (np.tile(np.arange(rows), len(columns)), np.concatenate(columns))
    return sparse.csr_array((np.ones(len(index[0])), index), shape=(rows, width))


def _bundles(label: np.ndarray) -> list[tuple[int, int]]:
    """Ends of the slices of sorted labels: whole groups, `BUNDLE` levels or more each."""
    ends = np.append(np.flatnonzero(np.diff(label)) + 1, len(label))
    out, start = [], 0
    for end in ends.tolist():
        if end - start >= BUNDLE or end == len(label):
            out.append((start, end))
            start = end
    return out


def _bundle(
    own: sparse.csr_array, cross: sparse.csr_array, start: int, end: int
) -> tuple[slice, np.ndarray, np.ndarray, np.ndarray]:
    """Dense tables of a slice of nested levels: with themselves, with the columns they meet."""
    part = cross[start:end]
    columns = np.unique(part.indices)
    return (
        slice(start, end),
        own[start:end, start:end].toarray(),
        part[:, columns].toarray(),
        columns,
    )
