"""Confidence sets for ranks, and lines between clusters, that hold when units are drawn anew.

For the sets (Mogstad, Romano, Shaikh and Wilhelm 2024), studentised differences of all pairs of
mean scores are compared with the distribution of their maximum, drawn with the covariance over
units; few units estimate it badly, so it is drawn, too. Rejected hypotheses leave the maximum
(step-down). How often such sets hold the true ranks with few units: `lines.few_units`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError
from .redraws import normal_draws, normal_root
from .significance import adjusted
from .units import FEWEST_UNITS, Means


def rank_sets(
    estimate: Means,
    rng: np.random.Generator,
    level: float = 0.95,
    draws: int = 2000,
    fewest: int = FEWEST_UNITS,
) -> pd.DataFrame:
    """Sets that hold the true rank of each system with probability `level`.

    The marginal sets hold one system's rank, the simultaneous sets all systems' at once. `draws`
    are of the maximum under equality; with fewer than `fewest` units no set is given: `DataError`.

    Returns
    -------
    DataFrame
        In the order of the systems: marginal_low, marginal_high, simultaneous_low,
        simultaneous_high (ranks, 1 the best) and may_be_first (simultaneously for all systems).
    """
    if estimate.units < fewest:
        problem, least = "too few units for a set of ranks", f"at least {fewest}"
        raise DataError(problem, value=estimate.units, expected=least)
    t, null = _studentised(estimate, rng, draws)
    n = len(t)
    others = ~np.eye(n, dtype=bool)
    differs = np.zeros((n, n), bool)
    for j in range(n):
        own = others & (np.arange(n)[:, None] == j)
        differs[j] = _rejected(np.abs(t), np.abs(null), own, level)[j]
    # over ordered pairs the maximum of t is that of |t| over pairs: one family for both directions
    better = _rejected(t, null, others, level)
    low = 1 + better.sum(axis=0)
    return pd.DataFrame(
        {
            "marginal_low": 1 + (differs & (t < 0)).sum(axis=1),
            "marginal_high": n - (differs & (t > 0)).sum(axis=1),
            "simultaneous_low": low,
            "simultaneous_high": n - better.sum(axis=1),
            "may_be_first": low == 1,
        }
    )


def _studentised(
    estimate: Means, rng: np.random.Generator, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """t of all pairs, and its draws under equality, with shape (draws, systems, systems).

    Each draw has its own covariance (Wishart about the estimated one), so each pair its own error.
    """
    t, freedom = estimate.cautious()
    z = normal_draws(estimate.covariance, draws, rng)
    root = normal_root(estimate.covariance) @ wishart_roots(len(t), freedom, draws, rng)
    rows = np.moveaxis(root, 1, 0)
    error = np.stack([np.sqrt(((root - r[:, None]) ** 2).sum(axis=2)) for r in rows], axis=1)
    gap = z[:, :, None] - z[:, None, :]
    same = gap**2 <= 1e-18 * np.trace(estimate.covariance)
    with np.errstate(invalid="ignore", divide="ignore"):
        return t, np.where(same, 0.0, gap / error)


def wishart_roots(size: int, freedom: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Matrices A of which A A' is Wishart about the identity, divided by its degrees of freedom.

    Shape (draws, size, columns). By Bartlett; of fewer degrees of freedom than `size`, whole ones.
    """
    if freedom < size:
        columns = max(int(freedom), 1)
        return rng.standard_normal((draws, size, columns)) / np.sqrt(columns)
    root = np.tril(rng.standard_normal((draws, size, size)), -1)
    diagonal = np.arange(size)
    root[:, diagonal, diagonal] = np.sqrt(rng.chisquare(freedom - diagonal, (draws, size)))
    return root / np.sqrt(freedom)


def _rejected(t: np.ndarray, null: np.ndarray, family: np.ndarray, level: float) -> np.ndarray:
    """Hypotheses of `family` rejected by step-down: those above the quantile of the maximum over
    the hypotheses not yet rejected, until none is added."""
    left = family.copy()
    rejected = np.zeros_like(family)
    while left.any():
        bar = np.quantile(null[:, left].max(axis=1), level, method="higher")
        new = left & (t > bar)
        if not new.any():
            break
        rejected |= new
        left &= ~new
    return rejected


def held_lines(
    estimate: Means, order: np.ndarray | None = None, alpha: float = 0.05
) -> pd.DataFrame:
    """For each place between two neighbours: does a line there hold when units are drawn anew?

    A line is the intersection of the tests of all pairs across it, so its p is the largest of
    theirs (one-sided, cluster-robust t with units - 1 degrees of freedom); the n - 1 lines are
    corrected by Holm: `alpha` is the chance of one false line or more in the campaign. `order`:
    the systems, best first, of the ranking whose lines are asked about; by default by mean.

    Columns below (rank above the line, 1 ... n - 1), p (of the line alone), p_holm, held (0 or 1).
    """
    order = estimate.order() if order is None else np.asarray(order)
    p = estimate.p()[np.ix_(order, order)]
    n = len(order)
    line = np.array([p[:k, k:].max() for k in range(1, n)])
    corrected = adjusted(line, "holm")
    held = (corrected < alpha).astype(int)
    return pd.DataFrame({"below": np.arange(1, n), "p": line, "p_holm": corrected, "held": held})
