"""Mean scores and their uncertainty when whole units are drawn again, not single judgments.

A unit is what would be drawn anew if the campaign were run again: a worker, a HIT, a document, or a
block (what one worker judged of one document of one system). Judgments of one unit share its luck.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from ..errors import DataError
from ..score.scored import Scored

FEWEST_UNITS = 8
"""With fewer units no set of ranks is given, and none is a default (see `lines.few_units`)."""
MOST_CELLS = 20_000_000  # of resamples by units, that are held at once
TWO_WAY = "worker x document"
UNITS = ("worker", "hit", "document", "block", TWO_WAY)


@dataclass(frozen=True)
class Means:
    """Mean scores of systems, (systems,), and their covariance over units, (systems, systems).

    Attributes
    ----------
    units : int
        Units that hold a score (of two kinds, the fewer).
    least : array, shape (systems, systems), optional
        Variance that each difference of two systems has at least: for two kinds of units, the
        larger of the variances by one kind alone.
    jackknife : array, shape (systems, systems), or 0
        Variance of each difference with units left out in turn: above that by `covariance` where
        few units hold most of a system, and infinite where one holds all of it.
    effective : float
        Units of equal size that would weigh as these: of two kinds, and of all systems, the fewest.
    """

    mean: np.ndarray
    covariance: np.ndarray
    units: int
    least: np.ndarray | None = None
    jackknife: np.ndarray | float = 0.0
    effective: float = np.inf

    def order(self) -> np.ndarray:
        """Systems by mean, best first; of equal means the earlier."""
        return np.argsort(-self.mean, kind="stable")

    def drawn_together(self) -> np.ndarray:
        """Estimated true means: those here, with as much less variance as their own error gives."""
        n = len(self.mean)
        centred = self.mean - self.mean.mean()
        error = np.trace(self.covariance - self.covariance.mean(axis=0)) / n
        spread = float((centred**2).mean())
        share = max(0.0, 1 - error / spread) if spread > 0 else 0.0
        return self.mean.mean() + centred * np.sqrt(share)

    def t(self) -> np.ndarray:
        """t[i, j] of the difference mean_i - mean_j; 0 where the two never differ."""
        return self._over(self.error())

    def _over(self, error: np.ndarray) -> np.ndarray:
        gap = self.mean[:, None] - self.mean[None, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            t = gap / error
        return np.where((error == 0) & (gap == 0), 0.0, t)

    def error(self) -> np.ndarray:
        """Standard error of each difference mean_i - mean_j, not below what `least` says."""
        variance = difference_variance(self.covariance)
        return np.sqrt(variance if self.least is None else np.maximum(variance, self.least))

    def cautious(self) -> tuple[np.ndarray, float]:
        """t with standard errors not below the jackknife's, and degrees of freedom by size.

        Degrees of freedom are those of Bell and McCaffrey (2002) for judgments independent within a
        unit: effective units - 1, at least 1.
        """
        error = np.sqrt(np.maximum(self.error() ** 2, self.jackknife))
        return self._over(error), max(min(self.units, self.effective) - 1, 1.0)

    def p(self) -> np.ndarray:
        """One-sided p that the row's system is better than the column's; NaN on the diagonal."""
        p = student.sf(self.t(), self.units - 1)
        np.fill_diagonal(p, np.nan)
        return p

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the interval of each mean, by t with units - 1."""
        half = student.isf((1 - level) / 2, self.units - 1) * np.sqrt(np.diag(self.covariance))
        return self.mean - half, self.mean + half


def estimate(scored: Scored, unit: str, by_domain: bool = False) -> Means:
    """Mean score of each system, per segment, with its covariance over units of this kind.

    `unit` is of `UNITS` (``segment`` is possible, as a contrast); `by_domain` as `Scored.weights`
    has it. Raised is `DataError` for a unit that the data do not name, or only one of it.
    """
    rest = scored.score, scored.weights(by_domain), len(scored.systems)
    if unit == TWO_WAY:
        worker, document = scored.unit("worker"), scored.unit("document")
        return two_way_means(scored.system, worker, document, *rest)
    return means(*unit_totals(scored.system, scored.unit(unit), *rest))


def unit_totals(
    system: np.ndarray,
    unit: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray | None = None,
    systems: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums of scores, and sums of weights: (units, systems), of units with a judgment.

    `system` and `unit` are codes of each judgment; `weight` is such as 1 / n for the n judgments of
    one output, so that a segment counts once; `systems` their number, by default those seen.
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
    units, linearised), times units / (units - 1). `sums` and `weights` are those of `unit_totals`;
    with fewer than two units nothing can be said about others: `DataError`.
    """
    units = int((weights.sum(axis=1) > 0).sum())
    if units < 2:
        raise DataError("only one unit: no interval means anything", value=units, expected="two")
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(axis=0) / total
        influence = (sums - mean * weights) / total
    covariance = influence.T @ influence * units / (units - 1)
    share = weights / total
    apart = influence / np.maximum(1 - share, 1e-12)
    jackknife = difference_variance(apart.T @ apart * (units - 1) / units, 0.0)
    alone = share.max(axis=0) > 1 - 1e-9
    jackknife[alone[:, None] | alone] = np.inf
    return Means(mean, covariance, units, None, jackknife, effective_units(weights))


def effective_units(weights: np.ndarray) -> float:
    """Units of equal size that would weigh as these (units, systems): of systems, the fewest."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.nanmin(weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0)))


def two_way_means(
    system: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray | None = None,
    systems: int | None = None,
) -> Means:
    """Mean scores with a covariance for two kinds of units that cross (document x annotator).

    Covariance by the first kind plus by the second, less by their cells. No difference of two
    systems has less variance than by one kind alone (as small samples need), so that what holds
    with both drawn anew holds with each. Codes of each judgment; the rest as for `unit_totals`.
    """
    cell = first.astype(np.int64) * (int(second.max()) + 1) + second
    by = [means(*unit_totals(system, u, score, weight, systems)) for u in (first, second, cell)]
    one, two, both = by
    covariance = one.covariance + two.covariance - both.covariance
    least = np.maximum(*(difference_variance(kind.covariance) for kind in (one, two)))
    values, vectors = np.linalg.eigh(covariance)
    covariance = (vectors * np.maximum(values, 0.0)) @ vectors.T  # few units can leave it negative
    jackknife = one.jackknife + two.jackknife - both.jackknife
    jackknife = np.fmax(np.fmax(jackknife, one.jackknife), two.jackknife)
    units, effective = min(one.units, two.units), min(one.effective, two.effective)
    return Means(one.mean, covariance, units, least, jackknife, effective)


def difference_variance(covariance: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Variance of each difference of two means, from their covariance; not below `least`."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, least)
