"""Maximise the restricted likelihood of variance components with crossed and nested factors.

`statsmodels.MixedLM` handles crossed factors as one group with dummy columns, which takes hours for
a campaign. Here the same likelihood is computed from the normal equations: levels of nested factors
are eliminated group by group, and only what is left is dense.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg

LOG_ZERO = -16.0  # log ratio of a variance to the residual's that stands for a variance of 0
START = -2.0  # log ratio at which the search starts
SHIFT = 0.02  # ratio of variances at which the scale of steps turns from linear to log
MAX_STEP = 2.5  # longest step on that scale
MAX_ITERATIONS = 60
MAX_HALVINGS = 12
MIN_GAIN = 1e-6  # expected fall of the deviance below which a step is the last
MIN_BUNDLE = 20  # groups are eliminated together until they have this many nested levels


@dataclass(frozen=True)
class Fit:
    """The restricted likelihood at given log ratios of the factors' variances to the residual's.

    Attributes
    ----------
    log_ratio : array, shape (factors,)
    deviance : float
        Minus twice the profiled log restricted likelihood.
    residual, intercept : float
        The residual's variance, and the mean.
    effects, errors : list of arrays
        Predicted effects of each factor's levels, and their prediction variances over `residual`.
    gradient, information : arrays, shapes (factors,) and (factors, factors)
        Derivatives of the deviance with respect to the log ratios (information: average
        information of Gilmour, Thompson and Cullis 1995), with the residual profiled out.
    """

    log_ratio: np.ndarray
    deviance: float
    residual: float
    intercept: float
    effects: list[np.ndarray]
    errors: list[np.ndarray]
    gradient: np.ndarray
    information: np.ndarray


class _Solution(NamedTuple):
    """The restricted likelihood at given log ratios, and what its derivatives are made of."""

    log_ratio: np.ndarray
    deviance: float
    residual: float
    intercept: float
    effects: list[np.ndarray]
    fitted: np.ndarray
    rest: np.ndarray
    factorised: Factorised


def fit_at(equations: Equations, y: np.ndarray, log_ratio: np.ndarray) -> Fit:
    """Compute the restricted likelihood, its gradient and its information at these log ratios."""
    return _differentiate(_solve_at(equations, y, log_ratio))


def _solve_at(equations: Equations, y: np.ndarray, log_ratio: np.ndarray) -> _Solution:
    """Compute the restricted likelihood, without derivatives, which take most of the time."""
    rows = len(y)
    sizes = np.array(equations.sizes, float)
    factorised = Factorised(equations, np.exp(-log_ratio))
    effects, intercept = factorised.solve(y[:, None])
    fitted = np.hstack(equations.in_rows(effects))
    rest = y - intercept[0] - fitted.sum(axis=1)
    residual = float(equations.weights @ (y * rest)) / (rows - 1)
    deviance = (rows - 1) * np.log(residual) + factorised.logdet + float((sizes * log_ratio).sum())
    level = float(intercept[0])
    return _Solution(log_ratio, float(deviance), residual, level, effects, fitted, rest, factorised)


def _differentiate(solution: _Solution) -> Fit:
    """Compute the gradient, the information and the prediction errors of a solution."""
    log_ratio, deviance, residual, intercept, effects, fitted, rest, factorised = solution
    equations = factorised.equations
    sizes = np.array(equations.sizes, float)
    errors = factorised.inverse_diagonals()
    error_sums = np.array([error.sum() for error in errors])
    squares = np.array([(effect**2).sum() for effect in effects])
    traces = error_sums + squares / residual
    both = np.column_stack([fitted, rest])
    back, level = factorised.solve(both)
    left = both - level - sum(equations.in_rows(back))
    information = both.T @ (equations.weights[:, None] * left) / residual
    total = information.sum(axis=0)
    profiled = information - np.outer(total, total) / total.sum()
    return Fit(
        log_ratio,
        deviance,
        residual,
        intercept,
        [effect[:, 0] for effect in effects],
        errors,
        sizes - np.exp(-log_ratio) * traces,
        profiled[:-1, :-1],
    )


def log_errors(fit: Fit, positive: np.ndarray) -> np.ndarray:
    """Return standard errors of the log ratios; NaN where `positive` is false (variance 0)."""
    error = np.full(len(positive), np.nan)
    inverse = np.linalg.pinv(fit.information[np.ix_(positive, positive)] / 2)
    error[positive] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return error


def maximise(equations: Equations, y: np.ndarray) -> Fit:
    """Find the maximum of the restricted likelihood by Newton steps with the average information.

    Steps are halved until the likelihood rises. They are taken in log(ratio + `SHIFT`), which is
    nearly linear in small variances: in terms of the plain log the likelihood is not parabolic
    there, and 0 is out of reach. The information is updated by the change of the gradient in the
    last step (symmetric rank one).
    """
    fit = fit_at(equations, y, np.full(len(equations.sizes), START))
    gradient, information = _shifted(fit)
    for _ in range(MAX_ITERATIONS):
        place = np.log(np.exp(fit.log_ratio) + SHIFT)
        step = _newton_step(place, gradient, information)
        is_last = -(gradient @ step) < MIN_GAIN
        for _ in range(MAX_HALVINGS):
            ratio = np.log(np.maximum(np.exp(place + step) - SHIFT, np.exp(LOG_ZERO)))
            tried = _solve_at(equations, y, np.where(ratio < LOG_ZERO + 1, LOG_ZERO, ratio))
            if is_last or tried.deviance < fit.deviance:
                break
            step /= 2
        else:
            break
        fit = _differentiate(tried)
        slope, curvature = _shifted(fit)
        information = _rank_one_update(curvature, step, slope - gradient)
        gradient = slope
        if is_last:
            break
    return fit


def _shifted(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and information in terms of log(ratio + `SHIFT`)."""
    factor = 1.0 + SHIFT * np.exp(-fit.log_ratio)
    return fit.gradient * factor, fit.information * np.outer(factor, factor)


def _newton_step(place: np.ndarray, gradient: np.ndarray, information: np.ndarray) -> np.ndarray:
    """Return a downhill step; no component exceeds `MAX_STEP` or leads below a variance of 0."""
    room = np.log(np.exp(LOG_ZERO) + SHIFT) - place
    free = (room < 0) | (gradient < 0)
    part = information[np.ix_(free, free)]
    curvature = np.diag(part)
    step = np.zeros(len(place))
    step[free] = -np.linalg.solve(part + np.diag(1e-9 * curvature + 1e-12), gradient[free])
    step = np.clip(step, np.maximum(room, -MAX_STEP), MAX_STEP)
    if gradient @ step > 0:
        least = np.maximum(room[free], -MAX_STEP)
        step[free] = np.clip(-gradient[free] / curvature, least, MAX_STEP)
    return step


def _rank_one_update(hessian: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Update a Hessian by the change of the gradient; keep it unless it stays positive definite."""
    rest = np.where(step != 0, change - hessian @ step, 0.0)
    scale = rest @ step
    if abs(scale) <= 1e-8 * np.linalg.norm(rest) * np.linalg.norm(step):
        return hessian
    updated = hessian + np.outer(rest, rest) / scale
    return updated if np.linalg.eigvalsh(updated)[0] > 0 else hessian


class _Bundle(NamedTuple):
    """The dense normal equations of some groups.

    `finest`, `inner` and `outer` are places in the vector of all levels: of the finest nested
    factor, of the other nested factors, and of what else these groups meet. `counts` is the
    diagonal of the finest levels, `across` their table with the inner and outer columns, `table`
    that of these columns.
    """

    finest: np.ndarray
    inner: np.ndarray
    outer: np.ndarray
    counts: np.ndarray
    across: np.ndarray
    table: np.ndarray


class Equations:
    """The normal equations of an intercept and factors, for weighted rows.

    Rows are in groups, the levels of one factor. The levels of factors that are nested in it meet
    those of no other group, and are eliminated bundle by bundle of groups, of the factor with the
    most levels first; what is left is dense. A vector of all levels holds the factors in turn, and
    last the intercept.

    Parameters
    ----------
    codes : sequence of int arrays, shape (rows,)
        The level of each row, from 0, for each factor.
    weights : array, shape (rows,)
    """

    def __init__(self, codes: Sequence[np.ndarray], weights: np.ndarray) -> None:
        self.codes = list(codes)
        self.weights = weights
        self.sizes = [int(level.max()) + 1 for level in codes]
        self.start = np.cumsum([0, *self.sizes])
        group, nested = _choose_groups(self.codes, self.sizes)
        finest = max(nested, key=lambda factor: self.sizes[factor])
        inner = [factor for factor in nested if factor != finest]
        others = [factor for factor in range(len(codes)) if factor not in nested]
        places = [np.arange(self.start[f], self.start[f + 1]) for f in others]
        self.others = np.concatenate([*places, self.start[-1:]])
        levels = np.sum([self._levels_by_group(factor, group) for factor in nested], axis=0)
        bundle = _number_bundles(levels)[group]
        order = np.lexsort((self.codes[finest], bundle))
        parts = np.split(order, np.flatnonzero(np.diff(bundle[order])) + 1)
        self.bundles = [self._make_bundle(rows, finest, inner, others) for rows in parts]

    def _levels_by_group(self, factor: int, group: np.ndarray) -> np.ndarray:
        """Return the number of levels of a nested factor in each group."""
        _, first = np.unique(self.codes[factor], return_index=True)
        return np.bincount(group[first], minlength=int(group.max()) + 1)

    def _make_bundle(
        self, rows: np.ndarray, finest: int, inner: list[int], others: list[int]
    ) -> _Bundle:
        """Tabulate the groups that hold these rows, which are in order of the finest level."""
        weight = self.weights[rows]
        levels, first = np.unique(self.codes[finest][rows], return_index=True)
        within = [np.unique(self.start[f] + self.codes[f][rows]) for f in inner]
        around = [np.unique(self.start[f] + self.codes[f][rows]) for f in others]
        columns = np.concatenate([*within, *around, self.start[-1:]])
        n_inner = sum(len(level) for level in within)
        column_of = np.zeros(self.start[-1] + 1, int)
        column_of[columns] = np.arange(len(columns))
        design = np.zeros((len(rows), len(columns)))
        design[:, -1] = 1.0
        for factor in [*inner, *others]:
            column = column_of[self.start[factor] + self.codes[factor][rows]]
            design[np.arange(len(rows)), column] = 1.0
        weighted = weight[:, None] * design
        return _Bundle(
            finest=self.start[finest] + levels,
            inner=columns[:n_inner],
            outer=columns[n_inner:],
            counts=np.add.reduceat(weight, first),
            across=np.add.reduceat(weighted, first, axis=0),
            table=design.T @ weighted,
        )

    def in_rows(self, effects: list[np.ndarray]) -> list[np.ndarray]:
        """Return the effect of each factor in each row, (rows, columns of `effects`)."""
        return [effect[level] for effect, level in zip(effects, self.codes, strict=True)]

    def by_factor(self, levels: np.ndarray) -> list[np.ndarray]:
        """Split a vector of all levels by factor."""
        return np.split(levels[:-1], self.start[1:-1])


class Factorised:
    """`Equations` with a penalty for each factor on the diagonal, factorised."""

    def __init__(self, equations: Equations, penalty: np.ndarray) -> None:
        self.equations = equations
        others = equations.others
        ridge = np.append(np.repeat(penalty, equations.sizes), 0.0)
        position = np.zeros(len(ridge), int)
        position[others] = np.arange(len(others))
        left = np.diag(ridge[others])
        logs = 0.0
        self.parts = []
        for bundle in equations.bundles:
            n_inner = len(bundle.inner)
            scale = 1.0 / (bundle.counts + ridge[bundle.finest])
            table = bundle.table - bundle.across.T @ (scale[:, None] * bundle.across)
            inner = table[:n_inner, :n_inner] + np.diag(ridge[bundle.inner])
            root = np.linalg.cholesky(inner)
            inverse = linalg.lapack.dtrtri(root, lower=1)[0] if n_inner else root
            half = inverse @ table[:n_inner, n_inner:]
            outer = position[bundle.outer]
            left[np.ix_(outer, outer)] += table[n_inner:, n_inner:] - half.T @ half
            logs += float(np.log(np.diag(root)).sum()) - 0.5 * float(np.log(scale).sum())
            self.parts.append((bundle, outer, scale, inverse, half))
        self.root = linalg.cholesky(left, lower=True, check_finite=False)
        self.logdet = 2 * float(logs + np.log(np.diag(self.root)).sum())

    def solve(self, y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the effects of each factor, (levels, columns of `y`), and the intercepts."""
        equations = self.equations
        weighted = equations.weights[:, None] * y
        sums = [
            level_sums(level, weighted, size)
            for level, size in zip(equations.codes, equations.sizes, strict=True)
        ]
        right = np.vstack([*sums, weighted.sum(axis=0)])
        for bundle, _, scale, inverse, half in self.parts:
            n_inner = len(bundle.inner)
            right[bundle.finest] *= scale[:, None]
            less = bundle.across.T @ right[bundle.finest]
            right[bundle.inner] = inverse @ (right[bundle.inner] - less[:n_inner])
            right[bundle.outer] -= less[n_inner:] + half.T @ right[bundle.inner]
        right[equations.others] = linalg.cho_solve(
            (self.root, True), right[equations.others], check_finite=False
        )
        for bundle, _, scale, inverse, half in self.parts:
            right[bundle.inner] = inverse.T @ (right[bundle.inner] - half @ right[bundle.outer])
            columns = np.concatenate([bundle.inner, bundle.outer])
            right[bundle.finest] -= scale[:, None] * (bundle.across @ right[columns])
        return equations.by_factor(right), right[-1]

    def inverse_diagonals(self) -> list[np.ndarray]:
        """Return the diagonal of the inverse by factor: prediction variances over the residual's."""
        equations = self.equations
        lower = linalg.lapack.dpotri(self.root, lower=1)[0]  # 0 above the diagonal, as in the root
        diagonal = np.empty(equations.start[-1] + 1)
        diagonal[equations.others] = np.diag(lower)
        for bundle, outer, scale, inverse, half in self.parts:
            below = lower[np.ix_(outer, outer)]  # `outer` ascends, so this is lower triangular, too
            around = below + np.tril(below, -1).T
            through = inverse.T @ half
            of_inner = (inverse**2).sum(axis=0) + ((through @ around) * through).sum(axis=1)
            diagonal[bundle.inner] = of_inner
            inner, beyond = np.hsplit(bundle.across, [len(bundle.inner)])
            left = beyond - inner @ through
            back = ((inner @ inverse.T) ** 2).sum(axis=1) + ((left @ around) * left).sum(axis=1)
            diagonal[bundle.finest] = scale + scale**2 * back
        return equations.by_factor(diagonal)


def level_sums(codes: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sum the rows of `values` at each level: (size, columns)."""
    return np.column_stack([np.bincount(codes, column, size) for column in values.T])


def _choose_groups(codes: list[np.ndarray], sizes: list[int]) -> tuple[np.ndarray, list[int]]:
    """Choose the factor to group by for about the fewest operations; return its nested factors."""
    best: tuple[float, int, list[int]] = (np.inf, 0, [])
    for candidate, (group, size) in enumerate(zip(codes, sizes, strict=True)):
        # levels in each group, summed
        pairs = [len(np.unique(level * size + group)) for level in codes]
        nested = [
            factor
            for factor, n_levels in enumerate(sizes)
            if factor == candidate or (n_levels >= size and pairs[factor] == n_levels)
        ]
        others = [factor for factor in range(len(sizes)) if factor not in nested]
        nested_sizes = [sizes[factor] for factor in nested]
        inner = (sum(nested_sizes) - max(nested_sizes)) / size
        outer = sum(pairs[factor] for factor in others) / size
        dense = sum(sizes[factor] for factor in others) ** 3
        work = dense + 3 * size * inner * (inner + outer) ** 2
        best = min(best, (work, candidate, nested))
    return codes[best[1]], best[2]


def _number_bundles(levels: np.ndarray) -> np.ndarray:
    """Number the bundle of each group: the next begins after `MIN_BUNDLE` levels or more."""
    bundle = np.empty(len(levels), int)
    number = held = 0
    for group, more in enumerate(levels):
        bundle[group] = number
        held += more
        if held >= MIN_BUNDLE:
            number += 1
            held = 0
    return bundle
