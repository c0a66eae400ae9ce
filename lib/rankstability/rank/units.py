"""Mean scores and their uncertainty when whole units are drawn again, not single judgments.

A unit is what would be drawn anew if the campaign were run again: a worker, a HIT, a document, or a
block (what one worker judged of one document of one system). Judgments of one unit share its luck.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from ..errors import DataError


@dataclass(frozen=True)
class Means:
    """Mean scores of systems, and their covariance over units.

    Attributes
    ----------
    mean : array, shape (systems,)
    covariance : array, shape (systems, systems)
    influence : array, shape (units, systems)
        What each unit adds to each mean; its cross-product, times units / (units - 1), is the
        covariance (for two kinds of units: of the first kind, for multiplier draws).
    units : int
        Units that hold a score (of two kinds, the fewer).
    """

    mean: np.ndarray
    covariance: np.ndarray
    influence: np.ndarray
    units: int

    @property
    def freedom(self) -> int:
        """Degrees of freedom: units - 1."""
        return self.units - 1

    def order(self) -> np.ndarray:
        """Systems by mean, best first; of equal means the earlier."""
        return np.argsort(-self.mean, kind="stable")

    def t(self) -> np.ndarray:
        """t[i, j] of the difference mean_i - mean_j; 0 where the two never differ."""
        error = self.error()
        gap = self.mean[:, None] - self.mean[None, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            t = gap / error
        return np.where((error == 0) & (gap == 0), 0.0, t)

    def error(self) -> np.ndarray:
        """Standard error of each difference mean_i - mean_j."""
        return np.sqrt(np.maximum(_difference_variance(self.covariance), 0.0))

    def p(self) -> np.ndarray:
        """One-sided p that the row's system is better than the column's; NaN on the diagonal."""
        p = student.sf(self.t(), self.freedom)
        np.fill_diagonal(p, np.nan)
        return p

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the interval of each mean, by t with `freedom`."""
        half = student.isf((1 - level) / 2, self.freedom) * np.sqrt(np.diag(self.covariance))
        return self.mean - half, self.mean + half


def unit_totals(
    system: np.ndarray,
    unit: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray | None = None,
    systems: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums of scores, and sums of weights, of each unit and system.

    Parameters
    ----------
    system, unit : array of int
        Codes of each judgment.
    score : array of float
        No NaN.
    weight : array of float, optional
        Such as 1 / n for the n judgments of one output, so that a segment counts once.
    systems : int, optional
        Number of systems, by default those seen.

    Returns
    -------
    sums, weights : arrays, shape (units, systems)
        Only units that hold a judgment.
    """
    weight = np.ones(len(score)) if weight is None else weight
    n = int(system.max()) + 1 if systems is None else systems
    _, unit = np.unique(unit, return_inverse=True)
    size = (int(unit.max()) + 1) * n
    key = unit.astype(np.int64) * n + system
    sums = np.bincount(key, weight * score, size).reshape(-1, n)
    return sums, np.bincount(key, weight, size).reshape(-1, n)


def means(sums: np.ndarray, weights: np.ndarray) -> Means:
    """Mean scores with a covariance robust to whatever holds together within a unit.

    The estimator is the sum of squares of the units' influences on each mean (a ratio of sums over
    units, linearised), times units / (units - 1).

    Parameters
    ----------
    sums, weights : arrays, shape (units, systems)
        From `unit_totals`.

    Raises
    ------
    DataError
        With fewer than two units: nothing can be said about other units.
    """
    units = int((weights.sum(axis=1) > 0).sum())
    if units < 2:
        raise DataError("only one unit: no interval means anything", value=units, expected="two")
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(axis=0) / total
        influence = (sums - mean * weights) / total
    covariance = influence.T @ influence * units / (units - 1)
    return Means(mean, covariance, influence, units)


def two_way_means(
    system: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray | None = None,
    systems: int | None = None,
) -> Means:
    """Mean scores with a covariance for two kinds of units that cross (document x annotator).

    Covariance by the first kind plus by the second, less by their cells; where that difference
    leaves a difference of two systems with less variance than one kind alone, the larger of the
    two stands instead (as small samples need).

    Parameters
    ----------
    system, first, second : array of int
        Codes of each judgment; the rest as for `unit_totals`.
    """
    _, cell = np.unique(first.astype(np.int64) * (int(second.max()) + 1) + second,
                        return_inverse=True)  # fmt: skip
    by = [means(*unit_totals(system, u, score, weight, systems)) for u in (first, second, cell)]
    one, two, both = by
    covariance = one.covariance + two.covariance - both.covariance
    larger = one if np.trace(one.covariance) >= np.trace(two.covariance) else two
    if (_difference_variance(covariance) < _difference_variance(larger.covariance)).any():
        covariance = larger.covariance
    fewer = min(one.units, two.units)
    return Means(one.mean, covariance, larger.influence, fewer)


def _difference_variance(covariance: np.ndarray) -> np.ndarray:
    variance = np.diag(covariance)
    return variance[:, None] + variance[None, :] - 2 * covariance


def two_way_bootstrap(
    system: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    rng: np.random.Generator,
    resamples: int = 1000,
    weight: np.ndarray | None = None,
    systems: int | None = None,
) -> np.ndarray:
    """Mean scores in campaigns whose documents and annotators are both drawn anew.

    The pigeonhole bootstrap: each kind of unit is resampled on its own, and a judgment counts as
    often as its two units were drawn together (Owen 2007).

    Returns
    -------
    array, shape (resamples, systems)
        NaN where a resample holds no judgment of a system.
    """
    n = int(system.max()) + 1 if systems is None else systems
    width = int(second.max()) + 1
    cell = first.astype(np.int64) * width + second
    names, cell = np.unique(cell, return_inverse=True)
    sums, weights = unit_totals(system, cell, score, weight, n)
    draws = [_drawn(rng, codes, resamples) for codes in (names // width, names % width)]
    times = draws[0] * draws[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (times @ sums) / (times @ weights)


def _drawn(rng: np.random.Generator, codes: np.ndarray, resamples: int) -> np.ndarray:
    distinct, place = np.unique(codes, return_inverse=True)
    count = rng.multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), resamples)
    return count[:, place].astype(float)


def rank_probabilities(ranks: np.ndarray) -> np.ndarray:
    """Share of resamples in which each system has each rank: shape (systems, ranks)."""
    n = ranks.shape[1]
    return np.stack([(ranks == k).mean(axis=0) for k in range(1, n + 1)], axis=1)
