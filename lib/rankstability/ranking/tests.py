"""Significance tests between systems, all pairs at once, by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import bdtr, ndtr

from ..errors import DataError

PairTest = Callable[[np.ndarray, np.ndarray], float]

TESTS: dict[str, str] = {
    "mann_whitney_halved": "Mann-Whitney U as in SciPy before 1.7: half the two-sided p-value",
    "mann_whitney": "Mann-Whitney U, two-sided, asymptotic, corrected for ties and continuity",
    "mann_whitney_greater": "Mann-Whitney U, one-sided: the first system is better",
    "wilcoxon": "Wilcoxon signed rank, two-sided, on the segments that both systems have",
    "wilcoxon_greater": "Wilcoxon signed rank, one-sided: the first system is better",
}
ONE_SIDED = ("mann_whitney_greater", "wilcoxon_greater")
CORRECTIONS = ("none", "holm", "benjamini-hochberg")


def check_test(test: str) -> None:
    """Raise DataError ``unknown_test``, with the nearest name, unless it is a name of `TESTS`."""
    if test not in TESTS:
        raise DataError("unknown_test", value=test, known=TESTS)


def rank_sum_tests(
    values: np.ndarray, groups: np.ndarray, size: int, test: str = "mann_whitney_halved"
) -> tuple[np.ndarray, np.ndarray]:
    """Compute Mann-Whitney tests between all pairs of groups at once.

    All rank sums come from one histogram of values by group: one sort and two matrix products.
    ``mann_whitney_halved`` is what Knowles (2021, section 3, footnote 8) used: U = max(U1, U2), mean
    n1 n2 / 2, continuity 0.5, variance corrected for ties, p = the upper tail, which ignores which
    of the two is better.

    Parameters
    ----------
    values : array
        Segment scores, without NaN.
    groups : array of int
        The system of each, 0 to `size` - 1.
    size : int
        The number of systems.
    test : str
        A name of `TESTS`.

    Returns
    -------
    p : array, shape (size, size)
        p[i, j] for system i against j; NaN on the diagonal, where a system has no values, and where
        all values of the two are equal.
    lead : array, shape (size, size)
        U[i, j] - n_i n_j / 2: positive where i tends to be the better of the two.
    """
    check_test(test)
    distinct, inverse = np.unique(values, return_inverse=True)
    counts = np.bincount(inverse * size + groups, minlength=distinct.size * size)
    histogram = counts.reshape(distinct.size, size).astype(float)
    # above[i, j]: pairs of values in which i is above j; ties count half
    above = histogram.T @ (np.cumsum(histogram, axis=0) - histogram / 2)
    n = histogram.sum(axis=0)
    squares = histogram * histogram
    cross = squares.T @ histogram
    cubes = cross.diagonal()
    ties = np.add.outer(cubes - n, cubes - n) + 3 * (cross + cross.T)
    product = np.outer(n, n)
    total = np.add.outer(n, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = product / 12 * (total + 1 - ties / (total * (total - 1)))
        lead = above - product / 2
        deviation = lead if test == "mann_whitney_greater" else np.abs(lead)
        z = (deviation - 0.5) / np.sqrt(variance)
    p = ndtr(-z)
    if test == "mann_whitney":
        p = np.minimum(2 * p, 1.0)
    p[~np.isfinite(z)] = np.nan
    np.fill_diagonal(p, np.nan)
    return p, lead


def pairwise_p(scores: np.ndarray, test: str) -> np.ndarray:
    """Return the p of a rank sum test between all systems: scores (segments, systems), with NaN."""
    segment, system = np.nonzero(np.isfinite(scores))
    values = scores[segment, system]
    return rank_sum_tests(values, system, scores.shape[1], test)[0]


def apply_test(samples: list[np.ndarray], test: PairTest) -> np.ndarray:
    """Return the p of a user's test between all systems.

    `samples` holds the scores of each system, best first. ``test(a, b)`` returns the one-sided p that
    `a`, the better-ranked, is better than `b`; it stands on both sides of the diagonal. It can also
    return a result of SciPy, which holds p as ``pvalue``. Raises DataError ``bad_p_value`` for
    anything that is neither between 0 and 1 nor NaN.
    """
    n = len(samples)
    p = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(i + 1, n):
            result = test(samples[i], samples[j])
            value = getattr(result, "pvalue", result)
            number = isinstance(value, int | float | np.number)
            if not number or not (np.isnan(value) or 0 <= value <= 1):
                raise DataError("bad_p_value", value=value)
            p[i, j] = p[j, i] = float(value)
    return p


def correct(p: np.ndarray, method: str) -> np.ndarray:
    """Return symmetric p-values, (n, n), corrected over all pairs; NaN stays NaN.

    `method` is a name of `CORRECTIONS`: none, holm or benjamini-hochberg.
    """
    if method not in CORRECTIONS:
        raise DataError("unknown_correction", value=method, expected=", ".join(CORRECTIONS))
    if method == "none":
        return p
    corrected = p.copy()
    rows, columns = np.nonzero(np.triu(np.isfinite(p), 1))
    adjusted = adjust_p(p[rows, columns], method)
    corrected[rows, columns] = corrected[columns, rows] = adjusted
    return corrected


def adjust_p(p: np.ndarray, method: str) -> np.ndarray:
    """Return adjusted p-values: those of Holm (1979), or of Benjamini and Hochberg (1995).

    Examples
    --------
    >>> adjust_p(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    place = np.arange(1, len(p) + 1)
    if method == "holm":
        raised = np.maximum.accumulate(p[order] * place[::-1])
    else:
        raised = np.minimum.accumulate((p[order] / (place / len(p)))[::-1])[::-1]
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Return the two-sided p of sign tests, elementwise; 1 where there are no wins and losses."""
    total = wins + losses
    fewer = np.minimum(wins, losses).astype(float)
    tail = 2 * bdtr(fewer, np.maximum(total, 1).astype(int), 0.5)
    p: np.ndarray = np.minimum(tail, 1.0)
    return p
