"""Moderated variances: what the other pairs of a campaign show about the variance of each pair.

With few units the variance of a single difference is poorly known. Each variance is drawn towards
the size that is common to the campaign, as in the empirical Bayes method of Smyth (2004), and the
degrees of freedom grow accordingly. The moderated variance is never below the variance itself.
"""

from __future__ import annotations

import numpy as np
from scipy.special import polygamma

MIN_SYSTEMS = 4  # with fewer, nothing is moderated
FULL_DF, NO_DF = 20.0, 40.0  # median df: full effect up to the first, none from the second
LEAST_SHARE = 0.05  # of the mean variance: the least variance that a system has


def moderate_variances(
    variance: np.ndarray,
    df: np.ndarray,
    effective: np.ndarray,
    pair_effective: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return V* and df* of all differences.

    With d the median df, phi = 2 - d/20 (between 0 and 1), d0 from `prior_df`, s0 the mean ratio of
    V to W, and f = min(d0, df)::

        V*  = V + phi · max(0, (f s0 W + df V) / (f + df) - V)
        df* = df + phi f

    W is how large a variance is expected to be from the effective units: 2 (1/e_st) / mean(1/e_st),
    or, without e_st, w_s + w_t with w = (1/e) / mean(1/e).

    Parameters
    ----------
    variance, df : arrays, shape (n, n)
        V and degrees of freedom of the differences of assessable systems.
    effective : array, shape (n,)
        Effective units of each system, the lesser over the kinds of unit.
    pair_effective : array, shape (n, n), optional
        Effective units of each pair, the lesser over the kinds of unit.
    """
    n = len(variance)
    if n < MIN_SYSTEMS:
        return variance, df
    pairs = np.triu_indices(n, 1)
    median = float(np.median(df[pairs]))
    fading = float(np.clip((NO_DF - median) / (NO_DF - FULL_DF), 0.0, 1.0))
    if median <= 0 or fading == 0:
        return variance, df
    size = (1 / effective) / np.mean(1 / effective)
    expected = size[:, None] + size
    if pair_effective is not None:
        expected = 2 / pair_effective / np.mean(1 / pair_effective[pairs])
    common = float(np.mean(variance[pairs] / expected[pairs]))
    added = np.minimum(prior_df(variance, size, median), df)
    with np.errstate(invalid="ignore"):
        drawn = (added * common * expected + df * variance) / (added + df)
    rise = np.where(df > 0, np.maximum(drawn - variance, 0.0), 0.0)
    return variance + fading * rise, df + fading * added


def prior_df(variance: np.ndarray, size: np.ndarray, median: float) -> float:
    """Return d0: how many degrees of freedom the common size of the variances is worth.

    v_s, with V_st about v_s + v_t, is found from the sums of V over t. If the spread of
    ln(v_s / w_s) is what `median` degrees of freedom explain, d0 is infinite; otherwise
    d0 = 2 · trigamma^-1(spread - trigamma(median / 2)).

    Parameters
    ----------
    variance : array, shape (n, n)
    size : array, shape (n,)
        w_s: expected relative size of v_s.
    median : float
        Median degrees of freedom.
    """
    n = len(variance)
    off_diagonal = variance * ~np.eye(n, dtype=bool)
    mean = off_diagonal.sum() / (n * (n - 1))
    if mean <= 0:
        return np.inf
    of_system = (off_diagonal.sum(axis=1) - n * mean / 2) / (n - 2)
    of_system = np.maximum(of_system, LEAST_SHARE * mean)
    spread = np.var(np.log(of_system / size), ddof=1)
    excess = float(spread - polygamma(1, median / 2))
    return np.inf if excess <= 0 else 2 * inverse_trigamma(excess)


def inverse_trigamma(value: float) -> float:
    """Return x with trigamma(x) = `value`, by Newton's method on 1 / trigamma."""
    x = 0.5 + 1 / value
    for _ in range(60):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-12 * x:
            break
    return x
