"""Tests between systems: all pairs at once, by name; corrections for many tests."""

from __future__ import annotations

from functools import lru_cache

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


# ------------------------------------------------------------- the sign test on counts of wins


def critical_wins(most: int, alpha: float = 0.05, sides: int = 1) -> np.ndarray:
    """The fewest wins that a sign test calls significant, for 0 ... `most` comparisons.

    ``c[N]`` is the least c with P(X >= c) <= alpha / sides for X ~ Binomial(N, 1/2); it is N + 1
    where no number of wins will do. ``sides=1`` asks `alpha` of each direction, ``sides=2`` is a
    two-sided test at `alpha`.

    Raises
    ------
    DataError
        For any other number of sides.
    """
    if sides not in (1, 2):
        raise DataError("a sign test has one side or two", column="sides", value=sides)
    power = 1 << max(8, int(most).bit_length())  # tables are shared: 256, 384, 512, 768, ...
    size = power * 3 // 4 if most < power * 3 // 4 else power
    return _critical_wins(size, float(alpha) / int(sides))[: most + 1]


@lru_cache(maxsize=32)
def _critical_wins(most: int, level: float) -> np.ndarray:
    from scipy.stats import binom

    fewest = np.ones(most + 1, dtype=np.int64)
    fewest[1:] += binom.isf(level, np.arange(1, most + 1), 0.5).astype(np.int64)
    fewest.setflags(write=False)
    return fewest


def significant_wins(wins: np.ndarray, alpha: float = 0.05, sides: int = 1) -> np.ndarray:
    """Which systems beat which by the sign test, ties left out: ``[..., j, k]``, j better.

    Parameters
    ----------
    wins : int array, ... x n x n
        ``wins[..., j, k]``: how often j was ranked above k.
    """
    total = wins + np.swapaxes(wins, -1, -2)
    return (wins >= critical_wins(int(total.max()), alpha, sides)[total]) & (total > 0)


def significant_share(wins: np.ndarray, alpha: float = 0.05, sides: int = 1) -> np.ndarray:
    """Share of the pairs of systems that the sign test separates (see `significant_wins`)."""
    n = wins.shape[-1]
    return significant_wins(wins, alpha, sides).sum(axis=(-1, -2)) / (n * (n - 1) / 2)
