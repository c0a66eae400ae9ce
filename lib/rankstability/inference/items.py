"""Items as units: tables that name neither annotators nor documents, such as leaderboards.

Systems are compared on the items that both have, so that none gains by lacking hard items. Only
sums by item and system are formed, never an array of judgments × systems.
"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from ..scores.arrays import ScoreArrays
from .assemble import PairTests, two_sided_p
from .units import (
    MIN_EFFECTIVE_UNITS,
    SEGMENT,
    difference_variance,
    jackknife,
    least_df,
    sums_by,
)
from .within import Stratum, StratumFit, fit_stratum

SHOWN_LEVEL = 0.05
LARGE_TABLE = 20_000_000  # items with different systems, times squared number of systems


def item_tests(arrays: ScoreArrays) -> tuple[PairTests, StratumFit]:
    """Return the tests of all pairs with items as units, and least squares on system and item.

    A pair counts if it can be compared on `MIN_EFFECTIVE_UNITS` items. p is at least 2^(1 - z),
    with z the number of items on which the pair differs. In a table of only two values it is that
    of the sign test.
    """
    n = len(arrays.systems)
    stratum = Stratum(arrays.system, arrays.segment, arrays.score, arrays.weights(), {})
    fit = fit_stratum(stratum, n)
    judged = fit.by_segment > 0
    shape = fit.by_segment.shape
    total = sums_by(fit.stratum.segment, stratum.system, stratum.weight * stratum.score, shape)
    score = np.divide(total, fit.by_segment, out=np.zeros(shape), where=judged)
    share = _item_shares(fit)
    effects, levels = _parts(fit, score)
    within = jackknife(share, effects).covariance()
    items = jackknife(share, effects + levels)
    covariance = items.covariance()
    joined = fit.component[:, None] == fit.component
    variance = np.where(joined, difference_variance(within), difference_variance(covariance))
    variance = np.maximum(variance, 0.0)
    least = np.minimum.outer(items.effective, items.effective)
    pair_effective = np.fmin(_pair_effective(fit), least)
    few = ~(pair_effective >= MIN_EFFECTIVE_UNITS)
    df = least_df({SEGMENT: pair_effective})
    span = float(np.ptp(arrays.score))
    least_p, exact_p = _bounds(np.where(judged, score, np.nan), fit.mean)
    difference = np.subtract.outer(fit.mean, fit.mean)
    p = two_sided_p(difference, variance, df, span=span) if exact_p is None else exact_p
    p = np.maximum(np.where(few, 1.0, p), least_p)
    reasons = np.where(few, f"few_in_common_{SEGMENT}", "").astype(object)
    reasons[~joined] = "not_joined"
    effective = {SEGMENT: items.effective}
    tests = PairTests(
        systems=arrays.systems,
        mean=fit.mean,
        variance=variance,
        df=df,
        p=p,
        covariance=covariance,
        variance_systems=np.diag(covariance),
        df_systems=least_df(effective),
        effective=effective,
        n_units={SEGMENT: items.number},
        units={SEGMENT: len(fit.by_segment)},
        pair_reasons=reasons,
        variance_raw=variance,
        df_raw=df,
        span=span,
        scale=arrays.scale,
    )
    return tests, fit


def least_items(systems: int, alpha: float = SHOWN_LEVEL) -> int:
    """Return how many items are needed to separate any two of so many systems.

    No p is below 2^(1 - z) for z items, and a boundary among J equal systems needs at most
    2 alpha / J, so 1 + log2(J / (2 alpha)) items, rounded up, are the least.

    Examples
    --------
    >>> [least_items(systems) for systems in (2, 7, 10, 90, 200)]
    [6, 8, 8, 11, 12]
    """
    return int(np.ceil(1 + np.log2(systems / (2 * alpha)) - 1e-9))


def _item_shares(fit: StratumFit) -> np.ndarray:
    """Return each item's share of each system; an item that one system alone has tells nothing."""
    weight = fit.by_segment * (1 - fit.by_segment / fit.by_segment.sum(axis=1, keepdims=True))
    alone = weight.sum(axis=0) == 0
    weight = np.where(alone, fit.by_segment, weight)
    shares: np.ndarray = weight / weight.sum(axis=0)
    return shares


def _parts(fit: StratumFit, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each item's part of the errors of the effects, and of the component's mean score."""
    held = fit.by_segment
    rest = np.where(held > 0, score - fit.effect, 0.0)
    rest = held * (rest - (held * rest).sum(axis=1, keepdims=True) / held.sum(axis=1)[:, None])
    same = (fit.component[:, None] == fit.component).astype(float)
    deviation = held * np.where(held > 0, score - fit.level, 0.0)
    return rest @ fit.inverse, deviation @ same / (held.sum(axis=0) @ same)


def _pair_effective(fit: StratumFit) -> np.ndarray:
    """Return e_st = (sum of l)^2 / (sum of l^2) over items; NaN where no items join the two.

    l = x' N+ T N+ x, with T the information of the item. Items with the same systems are alike. In
    a large table, e_st is replaced by a lower bound: l is at most x' N+ N+ x, and the sum of l is
    x' N+ x.
    """
    n = len(fit.effect)
    joined = (fit.component[:, None] == fit.component) & ~np.eye(n, dtype=bool)
    patterns, count = np.unique(fit.by_segment > 0, axis=0, return_counts=True)
    both = fit.inverse @ fit.inverse
    if len(patterns) * n * n > LARGE_TABLE:
        total = difference_variance(fit.inverse)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(joined, total / difference_variance(both), np.nan)
    total, squares = np.zeros((n, n)), np.zeros((n, n))
    for judged, number in zip(patterns, count, strict=True):
        having = fit.inverse[:, judged]
        of_item = having.sum(axis=1) / np.sqrt(judged.sum())
        part = difference_variance(having @ having.T - np.outer(of_item, of_item))
        total += number * part
        squares += number * part**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(joined, total**2 / squares, np.nan)


def _bounds(matrix: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the least p of each pair, and its exact p if the table has only two values.

    z items on which a pair differs cannot give a p below 2^(1 - z), that of a sign test in which
    all agree. The exact p is McNemar's; it is 1 where the shared items contradict the order of the
    means.
    """
    values = np.unique(matrix[np.isfinite(matrix)])
    if len(values) > 2:
        differ = np.zeros((len(mean),) * 2)
        for k in range(len(mean)):
            other = (matrix != matrix[:, [k]]) & np.isfinite(matrix)
            differ[k] = other[np.isfinite(matrix[:, k])].sum(axis=0)
        return np.minimum(2.0 ** (1 - differ), 1.0), None
    best = (matrix == values[-1]) & (len(values) > 1)
    worst = matrix == values[0]
    won = best.T.astype(float) @ worst.astype(float)
    differ = won + won.T
    tail = 2 * bdtr(np.minimum(won, won.T), np.maximum(differ, 1), 0.5)
    p = np.where(differ > 0, np.minimum(tail, 1.0), 1.0)
    p[np.sign(won - won.T) != np.sign(np.subtract.outer(mean, mean))] = 1.0
    return np.minimum(2.0 ** (1 - differ), 1.0), p
