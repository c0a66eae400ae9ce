"""The restricted likelihood of variance components and its maximum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

NONE = -16.0  # log ratio of a variance to the residual's that stands for a variance of 0
START = -2.0  # log ratio at which the search starts
SHIFT = 0.02  # ratio of variances at which the scale of steps turns from linear to log
FAR = 2.5  # the longest step on that scale
MOST_STEPS = 60
HALVINGS = 12
PRECISE = 1e-6  # expected gain in -2 log likelihood below which a step is the last


@dataclass(frozen=True)
class Fit:
    """The restricted likelihood at given log ratios of the factors' variances to the residual's."""

    log_ratio: np.ndarray
    deviance: float
    residual: float
    intercept: float
    effects: list[np.ndarray]
    errors: list[np.ndarray]
    gradient: np.ndarray
    hessian: np.ndarray


def fit_at(e: Equations, y: np.ndarray, log_ratio: np.ndarray) -> Fit:
    """Profiled -2 log restricted likelihood, its gradient and the average information.

    Gradient and information are in terms of the log ratios, with the residual variance profiled out
    (Gilmour, Thompson and Cullis 1995).
    """
    rows, sizes = len(y), np.array(e.sizes, float)
    at = Factorised(e, np.exp(-log_ratio))
    effects, intercept = at.solve(y[:, None])
    working = np.hstack(at.in_rows(effects))
    rest = y - intercept[0] - working.sum(axis=1)
    residual = float(e.weights @ (y * rest)) / (rows - 1)
    errors = at.inverse_diagonals()
    traces = (
        np.array([d.sum() for d in errors]) + np.array([(u**2).sum() for u in effects]) / residual
    )
    both = np.column_stack([working, rest])
    back, level = at.solve(both)
    left = both - level - sum(at.in_rows(back))
    information = both.T @ (e.weights[:, None] * left) / residual
    total = information.sum(axis=0)
    return Fit(
        log_ratio,
        (rows - 1) * np.log(residual) + at.logdet + float((sizes * log_ratio).sum()),
        residual,
        float(intercept[0]),
        [u[:, 0] for u in effects],
        errors,
        sizes - np.exp(-log_ratio) * traces,
        (information - np.outer(total, total) / total.sum())[:-1, :-1],
    )


def log_errors(fit: Fit, there: np.ndarray) -> np.ndarray:
    """Standard errors of the log ratios; NaN where the mask `there` is false (variance 0)."""
    error = np.full(len(there), np.nan)
    inverse = np.linalg.pinv(fit.hessian[np.ix_(there, there)] / 2)
    error[there] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return error


def maximise(e: Equations, y: np.ndarray) -> Fit:
    """The maximum of the restricted likelihood, by Newton steps with the average information.

    Steps are halved until the likelihood rises. They are taken in log(ratio + `SHIFT`), which is
    nearly linear in small variances: in terms of the plain log the likelihood is not parabolic
    there, and 0 is out of reach. The information is updated by the change of the gradient in the
    last step (symmetric rank one).
    """
    fit = fit_at(e, y, np.full(len(e.sizes), START))
    gradient, hessian = _shifted(fit)
    for _ in range(MOST_STEPS):
        at = np.log(np.exp(fit.log_ratio) + SHIFT)
        step = _step(at, gradient, hessian)
        last = -(gradient @ step) < PRECISE
        for _ in range(HALVINGS):
            ratio = np.log(np.maximum(np.exp(at + step) - SHIFT, np.exp(NONE)))
            tried = fit_at(e, y, np.where(ratio < NONE + 1, NONE, ratio))
            if last or tried.deviance < fit.deviance:
                break
            step /= 2
        else:
            break
        slope, curve = _shifted(tried)
        hessian = _mended(curve, step, slope - gradient)
        fit, gradient = tried, slope
        if last:
            break
    return fit


def _shifted(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and information in terms of log(ratio + `SHIFT`)."""
    by = 1.0 + SHIFT * np.exp(-fit.log_ratio)
    return fit.gradient * by, fit.hessian * np.outer(by, by)


def _step(at: np.ndarray, gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Newton's step, always downhill; no component exceeds `FAR` or leads below a variance of 0."""
    room = np.log(np.exp(NONE) + SHIFT) - at
    free = (room < 0) | (gradient < 0)
    part = hessian[np.ix_(free, free)]
    curve = np.diag(part)
    step = np.zeros(len(at))
    step[free] = -np.linalg.solve(part + np.diag(1e-9 * curve + 1e-12), gradient[free])
    step = np.clip(step, np.maximum(room, -FAR), FAR)
    if gradient @ step > 0:
        step[free] = np.clip(-gradient[free] / curve, np.maximum(room[free], -FAR), FAR)
    return step


def _mended(hessian: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """The Hessian updated by the change of the gradient; unchanged if not positive definite."""
    rest = np.where(step != 0, change - hessian @ step, 0.0)
    scale = rest @ step
    if abs(scale) <= 1e-8 * np.linalg.norm(rest) * np.linalg.norm(step):
        return hessian
    mended = hessian + np.outer(rest, rest) / scale
    return mended if np.linalg.eigvalsh(mended)[0] > 0 else hessian


BUNDLE = 24  # groups are eliminated together until they have this many levels


class _Bundle(NamedTuple):
    """Groups eliminated together: rows, other columns met, and places in the flat array."""

    rows: slice
    columns: np.ndarray
    own: int
    cross: int
    end: int


class Equations:
    """The normal equations of an intercept and factors, for weighted rows.

    The columns are first the levels nested in a group, in the order of groups, then the intercept
    and the other factors. Non-zero entries are in one flat array: the dense table of the others,
    then for each bundle of groups its own table, and its table with those others that it meets.

    `codes` holds the level of each row, from 0, for each factor; `values` what each factor's
    effects are multiplied by in each row, by default 1.
    """

    def __init__(
        self,
        codes: Sequence[np.ndarray],
        weights: np.ndarray,
        values: Sequence[np.ndarray] | None = None,
    ) -> None:
        self.codes, self.weights = list(codes), weights
        self.sizes = [int(c.max()) + 1 for c in codes]
        self.values = list(values or [np.ones(len(weights))] * len(codes))
        group, nested = _nest(self.codes, self.sizes)
        self.first = max(nested, key=lambda f: self.sizes[f])
        inner = [f for f in nested if f != self.first]
        others = [f for f in range(len(codes)) if f not in nested]
        label = [_of_level(self.codes[f], self.sizes[f], group) for f in inner]
        order = np.argsort(np.concatenate([np.empty(0, int), *label]), kind="stable")
        place = np.argsort(order, kind="stable")
        ends = np.cumsum([0, *(self.sizes[f] for f in inner)])
        self.inside = len(order)
        self.slot = {f: place[a:b] for f, a, b in zip(inner, ends, ends[1:], strict=False)}
        start = self.inside + 1
        for f in others:
            self.slot[f] = np.arange(start, start + self.sizes[f])
            start += self.sizes[f]
        self.outside = start - self.inside
        rows = len(weights)
        columns = [np.full(rows, self.inside), *(at[self.codes[f]] for f, at in self.slot.items())]
        times = [np.ones(rows), *(self.values[f] for f in self.slot)]
        self.design = _indicators(columns, times, start)
        own = self.values[self.first]
        self.finest = _indicators([self.codes[self.first]], [own], self.sizes[self.first])
        weighted = self.design * weights[:, None]
        self.met = sparse.csr_array(self.finest.T @ weighted)  # finest levels by columns
        self.counts = self.finest.power(2).T @ weights
        table = sparse.csr_array(self.design.T @ weighted)
        sorted_label = np.concatenate(label)[order] if inner else order
        self.bundles: list[_Bundle] = []
        self.size = self.outside**2
        for a, b in _bundles(sorted_label):
            meets = np.unique(table[a:b, self.inside :].indices)
            cross = self.size + (b - a) ** 2
            end = cross + (b - a) * len(meets)
            self.bundles.append(_Bundle(slice(a, b), meets, self.size, cross, end))
            self.size = end
        whole = table.tocoo()
        here, at = self._positions(whole.row, whole.col)
        self.base = np.bincount(at, whole.data[here], self.size)
        level, i, j, value = _products(self.met)
        here, self.at = self._positions(i, j)
        self.level, self.value = level[here], value[here]
        self.twice = 1.0 + ((i < self.inside) & (j >= self.inside))[here]

    def _positions(self, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mask of the table cells that are kept (all but others by nested), and their positions."""
        m, n = self.inside, self.outside
        kept = (i < m) | (j >= m)
        i, j = i[kept].astype(np.int64), j[kept].astype(np.int64)
        at = (i - m) * n + (j - m)
        if not m:
            return kept, at
        start = np.array([bundle.rows.start for bundle in self.bundles])
        width = np.diff(start, append=m)
        meets = np.array([len(bundle.columns) for bundle in self.bundles])
        own, cross = np.array([(bundle.own, bundle.cross) for bundle in self.bundles]).T
        of = np.searchsorted(start, i, side="right") - 1
        row = i - start[of]
        keys = np.concatenate([k * n + bundle.columns for k, bundle in enumerate(self.bundles)])
        column = np.searchsorted(keys, of * n + j - m) - (np.cumsum(meets) - meets)[of]
        at = np.where(i < m, cross[of] + row * meets[of] + column, at)
        return kept, np.where(j < m, own[of] + row * width[of] + j - start[of], at)

    def tables(self, flat: np.ndarray, bundle: _Bundle) -> tuple[np.ndarray, np.ndarray]:
        """Views of a bundle's own table and of its table with the other columns that it meets."""
        width = bundle.rows.stop - bundle.rows.start
        own, cross = flat[bundle.own : bundle.cross], flat[bundle.cross : bundle.end]
        return own.reshape(width, width), cross.reshape(width, -1)


class Factorised:
    """`Equations` with a penalty for each factor on the diagonal, factorised."""

    def __init__(self, equations: Equations, penalty: np.ndarray) -> None:
        e = self.equations = equations
        own = np.zeros(e.inside + e.outside, float)
        for f, slot in e.slot.items():
            own[slot] = penalty[f]
        self.scale = 1.0 / (e.counts + penalty[e.first])
        flat = e.base - np.bincount(e.at, e.value * self.scale[e.level], e.size)
        left = flat[: e.outside**2].reshape(e.outside, -1)
        np.einsum("ii->i", left)[:] += own[e.inside :]
        logs = -0.5 * float(np.log(self.scale).sum())
        self.parts = []
        for bundle in e.bundles:
            table, cross = e.tables(flat, bundle)
            np.einsum("ii->i", table)[:] += own[bundle.rows]
            root = np.linalg.cholesky(table)
            inverse = linalg.lapack.dtrtri(root, lower=1)[0]
            half = inverse @ cross
            left[np.ix_(bundle.columns, bundle.columns)] -= half.T @ half
            logs += float(np.log(np.diag(root)).sum())
            self.parts.append((bundle, inverse, half))
        self.root = linalg.cholesky(left, lower=True, check_finite=False)
        self.logdet = 2 * float(logs + np.log(np.diag(self.root)).sum())

    def solve(self, y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """The effects of each factor, (levels, columns of `y`), and the intercepts."""
        e = self.equations
        weighted = e.weights[:, None] * y
        finest = self.scale[:, None] * (e.finest.T @ weighted)
        right = e.design.T @ weighted - e.met.T @ finest
        inner, outer = right[: e.inside], right[e.inside :]
        halves = []
        for bundle, inverse, half in self.parts:
            halves.append(inverse @ inner[bundle.rows])
            outer[bundle.columns] -= half.T @ halves[-1]
        outer[:] = linalg.cho_solve((self.root, True), outer, check_finite=False)
        for (bundle, inverse, half), part in zip(self.parts, halves, strict=True):
            inner[bundle.rows] = inverse.T @ (part - half @ outer[bundle.columns])
        finest -= self.scale[:, None] * (e.met @ right)
        return self._by_factor(finest, right), right[e.inside]

    def inverse_diagonals(self) -> list[np.ndarray]:
        """The diagonal of the inverse for each factor: prediction variances over the residual's."""
        e = self.equations
        lower = np.tril(linalg.lapack.dpotri(self.root, lower=1)[0])
        whole = lower + np.tril(lower, -1).T
        flat, diagonal = np.empty(e.size), np.empty(e.inside + e.outside)
        flat[: e.outside**2] = whole.ravel()
        diagonal[e.inside :] = np.diag(whole)
        for bundle, inverse, half in self.parts:
            table, cross = e.tables(flat, bundle)
            through = inverse.T @ half
            cross[:] = -through @ whole[np.ix_(bundle.columns, bundle.columns)]
            table[:] = inverse.T @ inverse - cross @ through.T
            diagonal[bundle.rows] = np.diag(table)
        met = np.bincount(e.level, e.value * e.twice * flat[e.at], len(self.scale))
        return self._by_factor(self.scale + self.scale**2 * met, diagonal)

    def in_rows(self, effects: list[np.ndarray]) -> list[np.ndarray]:
        """What each factor adds to each row, (rows, columns of `y`)."""
        e = self.equations
        return [u[c] * v[:, None] for u, c, v in zip(effects, e.codes, e.values, strict=True)]

    def _by_factor(self, finest: np.ndarray, rest: np.ndarray) -> list[np.ndarray]:
        e = self.equations
        return [finest if f == e.first else rest[e.slot[f]] for f in range(len(e.sizes))]


def _nest(codes: list[np.ndarray], sizes: list[int]) -> tuple[np.ndarray, list[int]]:
    """The factor to group by for about the fewest operations (codes), and those nested in it."""
    best: tuple[float, int, list[int]] = (np.inf, 0, [])
    for g, (group, size) in enumerate(zip(codes, sizes, strict=True)):
        pairs = [len(np.unique(c * size + group)) for c in codes]  # levels in each group, summed
        nested = [f for f, n in enumerate(sizes) if f == g or (n >= size and pairs[f] == n)]
        others = [f for f in range(len(sizes)) if f not in nested]
        inner = (sum(sizes[f] for f in nested) - max(sizes[f] for f in nested)) / size
        met = sum(pairs[f] for f in others) / size
        work = sum(sizes[f] for f in others) ** 3 + 3 * size * inner * (inner + met) ** 2
        best = min(best, (work, g, nested))
    return codes[best[1]], best[2]


def _of_level(codes: np.ndarray, size: int, group: np.ndarray) -> np.ndarray:
    """The group of each level of a nested factor."""
    of = np.zeros(size, int)
    of[codes] = group
    return of


def _indicators(
    columns: list[np.ndarray], values: list[np.ndarray], width: int
) -> sparse.csr_array:
    rows = len(values[0])
    index = (np.tile(np.arange(rows), len(columns)), np.concatenate(columns))
    return sparse.csr_array((np.concatenate(values), index), shape=(rows, width))


def _bundles(label: np.ndarray) -> list[tuple[int, int]]:
    """Slices (start, end) of sorted labels that hold whole groups of `BUNDLE` levels or more."""
    ends = np.append(np.flatnonzero(np.diff(label)) + 1, len(label))
    out, start = [], 0
    for end in ends.tolist():
        if end > start and (end - start >= BUNDLE or end == len(label)):
            out.append((start, end))
            start = end
    return out


def _products(table: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Row, two columns and the product of the entries, for each two entries of a row."""
    count = np.diff(table.indptr)
    row = np.repeat(np.arange(len(count)), count**2)
    within = np.arange(len(row)) - np.repeat(np.cumsum(count**2) - count**2, count**2)
    one, two = (table.indptr[row] + part for part in np.divmod(within, count[row]))
    return row, table.indices[one], table.indices[two], table.data[one] * table.data[two]
