"""Tests on the segments that two systems share, for all pairs of systems at once."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata, wilcoxon
from scipy.stats import t as student

from ..errors import DataError

SIDES = ("two-sided", "greater")
EXACT_BELOW = 50  # SciPy's signed rank test is exact up to so many segments without ties and zeros
ENUMERATED = 13  # and enumerates all signs up to so many where there are ties or zeros


def signed_rank(scores: np.ndarray, sides: str = "two-sided") -> np.ndarray:
    """Wilcoxon signed rank tests between all pairs of systems, on the segments both have.

    Zero differences are dropped (SciPy's ``zero_method="wilcox"``); p = 1 where all are zero or the
    two share no segment. Each p equals ``scipy.stats.wilcoxon`` with its default method: exact or
    enumerated for small samples, else the normal approximation without continuity correction.

    Parameters
    ----------
    scores : array of float, shape (segments, systems)
        NaN where a system was not judged.
    sides : str
        ``two-sided``, or ``greater``: the row's system is better than the column's.

    Returns
    -------
    p : array, shape (systems, systems)
        NaN on the diagonal.

    Raises
    ------
    DataError
        For other `sides`.
    """
    _check_sides(sides)
    n = scores.shape[1]
    first, second = np.triu_indices(n, 1)
    difference = scores[:, first] - scores[:, second]
    known = np.isfinite(difference)
    size = np.abs(np.where(known, difference, 0.0))
    zeros = (size == 0).sum(axis=0)
    ranks = np.where(size > 0, rankdata(size, axis=0) - zeros, 0.0) if len(size) else size
    signed = np.sign(np.where(known, difference, 0.0)) * ranks
    with np.errstate(invalid="ignore", divide="ignore"):
        z = signed.sum(axis=0) / np.sqrt((ranks**2).sum(axis=0))
    z = np.nan_to_num(z, nan=0.0)
    tied = (ranks != np.floor(ranks)).any(axis=0) | _repeated(size)
    judged = known.sum(axis=0)
    zero = known.sum(axis=0) - (size > 0).sum(axis=0)
    plain = (judged <= EXACT_BELOW) & ~(tied | (zero > 0)) | (judged <= ENUMERATED)
    upper, lower = np.empty(len(first)), np.empty(len(first))
    if sides == "two-sided":
        upper = np.where(z == 0, 1.0, np.minimum(2 * ndtr(-np.abs(z)), 1.0))
        lower = upper.copy()
    else:
        upper, lower = ndtr(-z), ndtr(z)
    nothing = (size > 0).sum(axis=0) == 0
    upper[nothing] = lower[nothing] = 1.0
    for k in np.flatnonzero(plain & ~nothing):
        d = difference[known[:, k], k]
        less, greater = _small(d, ranks[known[:, k], k], bool(tied[k] or zero[k]))
        both = min(2 * min(less, greater), 1.0)
        upper[k], lower[k] = (both, both) if sides == "two-sided" else (greater, less)
    return _square(n, upper, lower)


def _small(d: np.ndarray, ranks: np.ndarray, tied: bool) -> tuple[float, float]:
    """p that the row's system is worse, and that it is better, for a small sample of differences.

    All signs are enumerated where there are ties or zeros; else SciPy's exact distribution.
    """
    if not tied:
        return wilcoxon(d, alternative="less").pvalue, wilcoxon(d, alternative="greater").pvalue
    ranks = ranks[d != 0]
    signs = (np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1
    sums, observed = signs @ ranks, float(ranks[d[d != 0] > 0].sum())
    return float((sums <= observed + 1e-9).mean()), float((sums >= observed - 1e-9).mean())


def _repeated(size: np.ndarray) -> np.ndarray:
    """Whether a column holds two equal numbers above zero."""
    ordered = np.sort(size, axis=0)
    return ((np.diff(ordered, axis=0) == 0) & (ordered[1:] > 0)).any(axis=0)


def _check_sides(sides: str) -> None:
    if sides not in SIDES:
        raise DataError("unknown alternative", value=sides, expected=", ".join(SIDES))


def _square(n: int, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    p = np.full((n, n), np.nan)
    rows, columns = np.triu_indices(n, 1)
    p[rows, columns], p[columns, rows] = upper, lower
    return p


def stouffer(p: np.ndarray) -> np.ndarray:
    """Several p-values of the same pair combined by Stouffer's method, each with equal weight.

    z_d = Phi^-1(1 - p_d), p = 1 - Phi(sum z_d / sqrt(D)). With two-sided p-values it is blind to
    direction: opposite differences add up. A p of 1 in any domain makes the result 1, as in the
    script of WMT24.

    Parameters
    ----------
    p : array, shape (domains, ...)
        NaN stays NaN.
    """
    with np.errstate(invalid="ignore"):
        z = ndtri(1 - p)
        total = z.sum(axis=0) / np.sqrt(len(p))
    combined = 1 - ndtr(total)
    return np.where((p == 1).any(axis=0) & ~np.isnan(p).any(axis=0), 1.0, combined)


def signed_rank_by_domain(scores: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """Two-sided signed rank tests within each domain, combined by Stouffer's method (WMT24).

    Parameters
    ----------
    scores : array of float, shape (segments, systems)
    domain : array of int, shape (segments,)
    """
    parts = [signed_rank(scores[domain == d]) for d in np.unique(domain)]
    return stouffer(np.array(parts))


def paired_t(scores: np.ndarray, sides: str = "two-sided") -> np.ndarray:
    """Paired t tests between all pairs of systems on the segments both have.

    Parameters, shape and diagonal as `signed_rank`. p = 1 where all differences are zero; NaN where
    two systems share fewer than two segments.
    """
    _check_sides(sides)
    known = np.isfinite(scores).astype(float)
    x = np.where(known > 0, scores, 0.0)
    n = known.T @ known
    mean = (x.T @ known - known.T @ x) / np.where(n > 0, n, np.nan)
    squares = (x * x).T @ known + known.T @ (x * x) - 2 * (x.T @ x)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(squares - n * mean**2, 0.0) / (n - 1)
        variance[variance < 1e-12 * np.maximum(squares, 1e-300)] = 0.0
        t = mean / np.sqrt(variance / n)
    return _t_to_p(t, n - 1, sides)


def independent_t(scores: np.ndarray, sides: str = "two-sided") -> np.ndarray:
    """t tests between all pairs of systems on all their segments, equal variances assumed.

    Parameters, shape and diagonal as `signed_rank`.
    """
    _check_sides(sides)
    known = np.isfinite(scores)
    n = known.sum(axis=0).astype(float)
    x = np.where(known, scores, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = x.sum(axis=0) / n
        squares = (np.where(known, scores - mean, 0.0) ** 2).sum(axis=0)
        freedom = n[:, None] + n[None, :] - 2
        pooled = (squares[:, None] + squares[None, :]) / freedom
        t = (mean[:, None] - mean[None, :]) / np.sqrt(pooled * (1 / n[:, None] + 1 / n[None, :]))
    return _t_to_p(t, freedom, sides)


def _t_to_p(t: np.ndarray, freedom: np.ndarray, sides: str) -> np.ndarray:
    none = np.isnan(t) & (freedom > 0)  # 0 / 0: no difference at all
    with np.errstate(invalid="ignore"):
        p = student.sf(t, freedom) if sides == "greater" else 2 * student.sf(np.abs(t), freedom)
    p = np.where(none, 1.0, p)
    np.fill_diagonal(p, np.nan)
    return p
