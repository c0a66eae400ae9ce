"""Tests between systems: all pairs at once, by name; corrections for many tests."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ..errors import DataError

RANK_SUM_TESTS = {
    "scipy<1.7": "Mann-Whitney as SciPy before 1.7 did by default: half the two-sided asymptotic p",
    "two-sided": "Mann-Whitney, two-sided, asymptotic, tie-corrected, continuity 0.5",
    "greater": "Mann-Whitney, one-sided: the first system is better",
}
CORRECTIONS = {"none": None, "holm": "holm", "benjamini-hochberg": "fdr_bh"}


def rank_sum(
    values: np.ndarray, groups: np.ndarray, size: int, test: str = "scipy<1.7"
) -> tuple[np.ndarray, np.ndarray]:
    """Mann-Whitney tests between all pairs of groups at once.

    The rank sums of all pairs come from one histogram of values by group, so that the work is one
    sort and three small matrix products instead of a sort for each pair. Equal values are those
    equal as floating-point numbers: nothing is rounded.

    Parameters
    ----------
    values : array of float, shape (n,)
        Segment scores; no NaN.
    groups : array of int, shape (n,)
        The system of each value, 0 to `size` - 1.
    size : int
        Number of systems.
    test : str
        A name of `RANK_SUM_TESTS`.

    Returns
    -------
    p : array, shape (size, size)
        p[i, j] for system i against j; NaN on the diagonal, where a system has no values, and
        where all values of the two are equal.
    lead : array, shape (size, size)
        U[i, j] - n_i n_j / 2: positive where i tends to be the better of the two.

    Raises
    ------
    DataError
        For an unknown `test`.

    Notes
    -----
    ``scipy<1.7`` is what Knowles (2021, section 3, footnote 8) used: U = max(U1, U2), mean
    n1 n2 / 2, continuity 0.5, variance corrected for ties, p = the upper tail: it ignores which of
    the two is better.
    """
    if test not in RANK_SUM_TESTS:
        raise DataError("unknown test", value=test, expected=", ".join(RANK_SUM_TESTS))
    distinct, inverse = np.unique(values, return_inverse=True)
    counts = np.bincount(inverse * size + groups, minlength=distinct.size * size)
    h = counts.reshape(distinct.size, size).astype(float)
    upto = np.cumsum(h, axis=0)
    equal = h.T @ h
    u = h.T @ upto - equal / 2  # u[i, j]: pairs in which i is above j, ties half
    n = h.sum(axis=0)
    squares = h * h
    cross = squares.T @ h
    cubes = cross.diagonal()
    ties = (cubes - n)[:, None] + (cubes - n)[None, :] + 3 * (cross + cross.T)
    product, total = np.outer(n, n), n[:, None] + n[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = product / 12 * (total + 1 - ties / (total * (total - 1)))
        lead = u - product / 2
        deviation = lead if test == "greater" else np.abs(lead)
        z = (deviation - 0.5) / np.sqrt(variance)
    p = ndtr(-z)
    if test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    p[(variance <= 0) | ~np.isfinite(z)] = np.nan
    np.fill_diagonal(p, np.nan)
    np.fill_diagonal(lead, 0.0)
    return p, lead


def correct(p: np.ndarray, method: str) -> np.ndarray:
    """p-values corrected over all pairs of a ranking.

    Parameters
    ----------
    p : array, shape (n, n)
        Uncorrected; symmetric (each pair is one test), NaN on the diagonal.
    method : str
        ``none``, ``holm`` or ``benjamini-hochberg`` (statsmodels ``multipletests``).

    Returns
    -------
    array, shape (n, n)
        Symmetric; NaN where `p` is NaN.
    """
    if method not in CORRECTIONS:
        raise DataError("unknown correction", value=method, expected=", ".join(CORRECTIONS))
    if CORRECTIONS[method] is None:
        return p.copy()
    from statsmodels.stats.multitest import multipletests

    corrected = np.full_like(p, np.nan)
    upper = np.triu_indices(len(p), 1)
    known = np.isfinite(p[upper])
    rows, columns = upper[0][known], upper[1][known]
    if rows.size:
        values = multipletests(p[rows, columns], method=CORRECTIONS[method])[1]
        corrected[rows, columns] = corrected[columns, rows] = values
    return corrected
