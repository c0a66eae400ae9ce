"""Confidence sets for ranks (Mogstad, Romano, Shaikh and Wilhelm 2024), over units.

Studentised differences of all pairs of mean scores are compared with the distribution of their
maximum, drawn from the covariance over units; rejected hypotheses leave the maximum (step-down).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError
from .units import FEWEST_UNITS, Means, normal_draws


def rank_sets(
    estimate: Means, rng: np.random.Generator, level: float = 0.95, draws: int = 2000
) -> pd.DataFrame:
    """Sets that hold the true rank of each system with probability `level`.

    Parameters
    ----------
    estimate : Means
        From `units.means`: mean scores with their covariance over units.
    rng : numpy.random.Generator
    level : float
        The marginal sets hold one system's rank, the simultaneous sets all systems' at once.
    draws : int
        Of the maximum under equality.

    Returns
    -------
    DataFrame
        In the order of the systems: marginal_low, marginal_high, simultaneous_low,
        simultaneous_high (ranks, 1 the best) and may_be_first (simultaneously for all systems).

    Raises
    ------
    DataError
        With fewer than `FEWEST_UNITS` units: then no set is given.
    """
    if estimate.units < FEWEST_UNITS:
        raise DataError(
            "too few units for a set of ranks",
            value=estimate.units,
            expected=f"at least {FEWEST_UNITS}",
        )
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

    Multipliers on the units' influences give draws with the estimated covariance; a common
    chi-squared scale with units - 1 degrees of freedom makes them t-like, for few units.
    """
    t = estimate.t()
    z = normal_draws(estimate.covariance, draws, rng)
    freedom = estimate.freedom
    z /= np.sqrt(rng.chisquare(freedom, size=(draws, 1)) / freedom)
    with np.errstate(invalid="ignore", divide="ignore"):
        null = (z[:, :, None] - z[:, None, :]) / estimate.error()
    return t, np.nan_to_num(null, nan=0.0)


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
