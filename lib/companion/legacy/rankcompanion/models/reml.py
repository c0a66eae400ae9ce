"""The restricted likelihood of variance components and its maximum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg

# log ratio of a variance to the residual's that stands for a variance of 0
NONE = -16.0
START = -2.0  # log ratio at which the search starts
SHIFT = 0.02  # ratio of variances at which the scale of steps turns from linear to log
FAR = 2.5  # the longest step on that scale
MOST_STEPS = 60
HALVINGS = 12
# expected gain in -2 log likelihood below which a step is the last
PRECISE = 1e-6


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
    rows = len(y)
    sizes = np.array(e.sizes, float)
    at = Factorised(e, np.exp(-log_ratio))
    effects, intercept = at.solve(y[:, None])
    working = np.hstack(e.in_rows(effects))
    rest = y - intercept[0] - working.sum(axis=1)
    residual = float(e.weights @ (y * rest)) / (rows - 1)
    errors = at.inverse_diagonals()
    traces = (
        np.array([d.sum() for d in errors])
        + np.array([(u**2).sum() for u in effects]) / residual
    )
    both = np.column_stack([working, rest])
    back, level = at.solve(both)
    left = both - level - sum(e.in_rows(back))
    information = both.T @ (e.weights[:, None] * left) / residual
    total = information.sum(axis=0)
    return Fit(
        log_ratio,
        (rows - 1) * np.log(residual)
        + at.logdet
        + float((sizes * log_ratio).sum()),
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
        fit = tried
        gradient = slope
        if last:
            break
    return fit


def _shifted(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and information in terms of log(ratio + `SHIFT`)."""
    by = 1.0 + SHIFT * np.exp(-fit.log_ratio)
    return fit.gradient * by, fit.hessian * np.outer(by, by)


def _step(
    at: np.ndarray, gradient: np.ndarray, hessian: np.ndarray
) -> np.ndarray:
    """Newton's step, always downhill; no component exceeds `FAR` or leads below a variance of 0."""
    room = np.log(np.exp(NONE) + SHIFT) - at
    free = (room < 0) | (gradient < 0)
    part = hessian[np.ix_(free, free)]
    curve = np.diag(part)
    step = np.zeros(len(at))
    step[free] = -np.linalg.solve(
        part + np.diag(1e-9 * curve + 1e-12), gradient[free]
    )
    step = np.clip(step, np.maximum(room, -FAR), FAR)
    if gradient @ step > 0:
        step[free] = np.clip(
            -gradient[free] / curve, np.maximum(room[free], -FAR), FAR
        )
    return step


def _mended(
    hessian: np.ndarray, step: np.ndarray, change: np.ndarray
) -> np.ndarray:
    """The Hessian updated by the change of the gradient; unchanged if not positive definite."""
    rest = np.where(step != 0, change - hessian @ step, 0.0)
    scale = rest @ step
    if abs(scale) <= 1e-8 * np.linalg.norm(rest) * np.linalg.norm(step):
        return hessian
    mended = hessian + np.outer(rest, rest) / scale
    return mended if np.linalg.eigvalsh(mended)[0] > 0 else hessian


BUNDLE = 20  # groups are eliminated together until they have this many nested levels


class _Bundle(NamedTuple):
    """The dense normal equations of some groups: where their columns are, and their tables.

    `finest`, `inner` and `met` are places in the vector of all levels: of the finest nested factor,
    of the other nested factors, and of what else these groups meet. `counts` is the diagonal of the
    finest levels, `across` their table with the inner and met columns, `table` that of these.
    """

    finest: np.ndarray
    inner: np.ndarray
    met: np.ndarray
    counts: np.ndarray
    across: np.ndarray
    table: np.ndarray


class Equations:
    """The normal equations of an intercept and factors, for weighted rows.

    Rows are in groups, the levels of one factor. The levels of factors that are nested in it meet
    those of no other group, and are eliminated bundle by bundle of groups, of the factor with the
    most levels first; what is left is dense. A vector of all levels holds the factors in turn, and
    last the intercept.

    `codes` holds the level of each row, from 0, for each factor.
    """

    def __init__(
        self, codes: Sequence[np.ndarray], weights: np.ndarray
    ) -> None:
        self.codes = list(codes)
        self.weights = weights
        self.sizes = [int(c.max()) + 1 for c in codes]
        self.start = np.cumsum([0, *self.sizes])
        group, nested = _nest(self.codes, self.sizes)
        finest = max(nested, key=lambda f: self.sizes[f])
        inner = [f for f in nested if f != finest]
        others = [f for f in range(len(codes)) if f not in nested]
        ends = [np.arange(self.start[f], self.start[f + 1]) for f in others]
        self.others = np.concatenate([*ends, self.start[-1:]])
        levels = np.sum(
            [self._levels_by_group(f, group) for f in nested], axis=0
        )
        bundle = _bundles(levels)[group]
        order = np.lexsort((self.codes[finest], bundle))
        parts = np.split(order, np.flatnonzero(np.diff(bundle[order])) + 1)
        self.bundles = [
            self._bundle(rows, finest, inner, others) for rows in parts
        ]

    def _levels_by_group(self, factor: int, group: np.ndarray) -> np.ndarray:
        """The number of levels of a nested factor in each group."""
        _, first = np.unique(self.codes[factor], return_index=True)
        return np.bincount(group[first], minlength=int(group.max()) + 1)

    def _bundle(
        self,
        rows: np.ndarray,
        finest: int,
        inner: list[int],
        others: list[int],
    ) -> _Bundle:
        """The tables of the groups that hold these rows, which are in order of the finest level."""
        weight = self.weights[rows]
        levels, first = np.unique(self.codes[finest][rows], return_index=True)
        within = [
            np.unique(self.start[f] + self.codes[f][rows]) for f in inner
        ]
        around = [
            np.unique(self.start[f] + self.codes[f][rows]) for f in others
        ]
        columns = np.concatenate([*within, *around, self.start[-1:]])
        number = sum(len(of) for of in within)
        where = np.zeros(self.start[-1] + 1, int)
        where[columns] = np.arange(len(columns))
        design = np.zeros((len(rows), len(columns)))
        design[:, -1] = 1.0
        for f in [*inner, *others]:
            design[
                np.arange(len(rows)),
                where[self.start[f] + self.codes[f][rows]],
            ] = 1.0
        weighted = weight[:, None] * design
        across = np.add.reduceat(weighted, first, axis=0)
        counts = np.add.reduceat(weight, first)
        places = self.start[finest] + levels
        met = columns[number:]
        return _Bundle(
            places, columns[:number], met, counts, across, design.T @ weighted
        )

    def in_rows(self, effects: list[np.ndarray]) -> list[np.ndarray]:
        """The effect of each factor in each row, (rows, columns of `effects`)."""
        return [
            effect[codes]
            for effect, codes in zip(effects, self.codes, strict=True)
        ]

    def by_factor(self, levels: np.ndarray) -> list[np.ndarray]:
        """A vector of all levels, factor by factor."""
        return np.split(levels[:-1], self.start[1:-1])


class Factorised:
    """`Equations` with a penalty for each factor on the diagonal, factorised."""

    def __init__(self, equations: Equations, penalty: np.ndarray) -> None:
        e = self.equations = equations
        ridge = np.append(np.repeat(penalty, e.sizes), 0.0)
        position = np.zeros(len(ridge), int)
        position[e.others] = np.arange(len(e.others))
        left = np.diag(ridge[e.others])
        logs = 0.0
        self.parts = []
        for bundle in e.bundles:
            number = len(bundle.inner)
            scale = 1.0 / (bundle.counts + ridge[bundle.finest])
            table = bundle.table - bundle.across.T @ (
                scale[:, None] * bundle.across
            )
            own = table[:number, :number] + np.diag(ridge[bundle.inner])
            root = np.linalg.cholesky(own)
            inverse = (
                linalg.lapack.dtrtri(root, lower=1)[0] if number else root
            )
            half = inverse @ table[:number, number:]
            met = position[bundle.met]
            left[np.ix_(met, met)] += table[number:, number:] - half.T @ half
            logs += float(np.log(np.diag(root)).sum()) - 0.5 * float(
                np.log(scale).sum()
            )
            self.parts.append((bundle, met, scale, inverse, half))
        self.root = linalg.cholesky(left, lower=True, check_finite=False)
        self.logdet = 2 * float(logs + np.log(np.diag(self.root)).sum())

    def solve(self, y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """The effects of each factor, (levels, columns of `y`), and the intercepts."""
        e = self.equations
        weighted = e.weights[:, None] * y
        sums = [
            level_sums(codes, weighted, n)
            for codes, n in zip(e.codes, e.sizes, strict=True)
        ]
        right = np.vstack([*sums, weighted.sum(axis=0)])
        for bundle, _, scale, inverse, half in self.parts:
            right[bundle.finest] *= scale[:, None]
            less = bundle.across.T @ right[bundle.finest]
            number = len(bundle.inner)
            right[bundle.inner] = inverse @ (
                right[bundle.inner] - less[:number]
            )
            right[bundle.met] -= less[number:] + half.T @ right[bundle.inner]
        right[e.others] = linalg.cho_solve(
            (self.root, True), right[e.others], check_finite=False
        )
        for bundle, _, scale, inverse, half in self.parts:
            right[bundle.inner] = inverse.T @ (
                right[bundle.inner] - half @ right[bundle.met]
            )
            columns = np.concatenate([bundle.inner, bundle.met])
            right[bundle.finest] -= scale[:, None] * (
                bundle.across @ right[columns]
            )
        return e.by_factor(right), right[-1]

    def inverse_diagonals(self) -> list[np.ndarray]:
        """The diagonal of the inverse for each factor: prediction variances over the residual's."""
        e = self.equations
        lower = np.tril(linalg.lapack.dpotri(self.root, lower=1)[0])
        whole = lower + np.tril(lower, -1).T
        diagonal = np.empty(e.start[-1] + 1)
        diagonal[e.others] = np.diag(whole)
        for bundle, met, scale, inverse, half in self.parts:
            around = whole[np.ix_(met, met)]
            through = inverse.T @ half
            cross = -through @ around
            own = inverse.T @ inverse - cross @ through.T
            both = np.block([[own, cross], [cross.T, around]])
            diagonal[bundle.inner] = np.diag(own)
            back = ((bundle.across @ both) * bundle.across).sum(axis=1)
            diagonal[bundle.finest] = scale + scale**2 * back
        return e.by_factor(diagonal)


def level_sums(codes: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """The sums of the rows of `values` at each level: (size, columns)."""
    return np.column_stack(
        [np.bincount(codes, column, size) for column in values.T]
    )


def _nest(
    codes: list[np.ndarray], sizes: list[int]
) -> tuple[np.ndarray, list[int]]:
    """The factor to group by for about the fewest operations (codes), and those nested in it."""
    best: tuple[float, int, list[int]] = (np.inf, 0, [])
    for g, (group, size) in enumerate(zip(codes, sizes, strict=True)):
        pairs = [
            len(np.unique(c * size + group)) for c in codes
        ]  # levels in each group, summed
        nested = [
            f
            for f, n in enumerate(sizes)
            if f == g or (n >= size and pairs[f] == n)
        ]
        others = [f for f in range(len(sizes)) if f not in nested]
        inner = (
            sum(sizes[f] for f in nested) - max(sizes[f] for f in nested)
        ) / size
        met = sum(pairs[f] for f in others) / size
        work = (
            sum(sizes[f] for f in others) ** 3
            + 3 * size * inner * (inner + met) ** 2
        )
        best = min(best, (work, g, nested))
    return codes[best[1]], best[2]


def _bundles(levels: np.ndarray) -> np.ndarray:
    """The bundle of each group: the next begins when one has `BUNDLE` levels or more."""
    bundle = np.empty(len(levels), int)
    number = held = 0
    for group, more in enumerate(levels):
        bundle[group] = number
        held += more
        if held >= BUNDLE:
            number += 1
            held = 0
    return bundle
