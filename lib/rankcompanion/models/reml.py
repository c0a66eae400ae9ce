"""The restricted likelihood of variance components and its maximum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .equations import Equations, Factorised

NONE = -16.0  # log of a variance over the residual's at which it is 0
START = -2.0  # the same, where the search starts
SHIFT = 0.02  # ratio of variances about which the scale of steps turns from linear to log
FAR = 2.5  # most that a step moves on that scale
MOST_STEPS = 60
HALVINGS = 12
PRECISE = 1e-6  # gain in -2 log likelihood below which the next step is the last


@dataclass(frozen=True)
class Fit:
    """The restricted likelihood at some log ratios of the factors' variances to the residual's."""

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

    Both are of the log ratios, the residual variance profiled out (Gilmour, Thompson and Cullis
    1995).
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
    """Standard errors of the log ratios, NaN for a variance of 0."""
    error = np.full(len(there), np.nan)
    inverse = np.linalg.pinv(fit.hessian[np.ix_(there, there)] / 2)
    error[there] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return error


def maximise(e: Equations, y: np.ndarray) -> Fit:
    """Newton steps on the average information, halved until the likelihood rises.

    Steps are taken in log(ratio + `SHIFT`), which for small variances is the variance itself: as a
    function of its log the likelihood is no parabola there, and 0 is out of reach. The information
    is mended by what the last step did to the gradient (symmetric rank one).
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
    """Gradient and information of log(ratio + `SHIFT`)."""
    by = 1.0 + SHIFT * np.exp(-fit.log_ratio)
    return fit.gradient * by, fit.hessian * np.outer(by, by)


def _step(at: np.ndarray, gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Newton's step, downhill, no part beyond `FAR` or below a variance of 0."""
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
    """The Hessian that explains the change of the gradient; as it was if not positive definite."""
    rest = np.where(step != 0, change - hessian @ step, 0.0)
    scale = rest @ step
    if abs(scale) <= 1e-8 * np.linalg.norm(rest) * np.linalg.norm(step):
        return hessian
    mended = hessian + np.outer(rest, rest) / scale
    return mended if np.linalg.eigvalsh(mended)[0] > 0 else hessian
