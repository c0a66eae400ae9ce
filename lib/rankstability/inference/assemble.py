"""From tests of pairs to one family of statements: a `RankInference`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from ..arguments import check_alpha
from .family import step_down
from .result import OrderEffect, RankInference
from .units import MIN_EFFECTIVE_UNITS, SEGMENT

ROUNDING = 1e-12  # share of the squared range of scores: a smaller variance is a rounding error


@dataclass(frozen=True)
class PairTests:
    """Means and tests of their differences, by code of the system.

    Attributes
    ----------
    systems : tuple of str
        Names by code.
    mean : array, shape (n,)
        Higher is better. A system whose mean is NaN is left out, unless `reasons` names it.
    variance, df, p : arrays, shape (n, n)
        V*, df* and the two-sided p of each difference.
    covariance : array, shape (n, n)
        Covariance of the means with new units.
    variance_systems, df_systems : arrays, shape (n,)
        Variance and degrees of freedom of single means, for their intervals.
    effective, n_units : mappings of str to array of shape (n,)
        Effective units, and units, of each system by kind.
    units : mapping of str to int
        Units of each kind in the table; empty if no inference is made.
    reasons : mapping of str to str
        Systems that cannot be assessed, with the code of the reason.
    pair_reasons : array of object, shape (n, n), optional
        Empty, or the code of the reason why a pair cannot be assessed.
    span : float
        Range of the scores; smaller differences than `ROUNDING` of it are rounding errors.
    scale : (float, float)
        The lowest and highest possible score, to which intervals are clipped.
    """

    systems: tuple[str, ...]
    mean: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    p: np.ndarray
    covariance: np.ndarray
    variance_systems: np.ndarray
    df_systems: np.ndarray
    effective: Mapping[str, np.ndarray]
    n_units: Mapping[str, np.ndarray]
    units: Mapping[str, int]
    reasons: Mapping[str, str] = field(default_factory=dict)
    pair_reasons: np.ndarray | None = None
    variance_raw: np.ndarray | None = None
    df_raw: np.ndarray | None = None
    span: float = 1.0
    scale: tuple[float, float] = (-np.inf, np.inf)
    no_inference: str = ""
    notes: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def assessable(self) -> np.ndarray:
        """Whether each system, by code, can be assessed."""
        named = np.array([name not in self.reasons for name in self.systems], bool)
        assessable: np.ndarray = named & np.isfinite(self.mean) & (self.no_inference == "")
        return assessable


def means_without_tests(
    systems: tuple[str, ...], mean: np.ndarray, reason: str, **more: Any
) -> PairTests:
    """Return means without any test, with the code of the reason why no inference can be made.

    `more` are further attributes of `PairTests`, such as `span` and `reasons`.
    """
    n = len(systems)
    unknown = np.full((n, n), np.nan)
    return PairTests(
        systems=systems,
        mean=mean,
        variance=unknown,
        df=np.zeros((n, n)),
        p=np.ones((n, n)),
        covariance=unknown,
        variance_systems=np.full(n, np.nan),
        df_systems=np.zeros(n),
        effective={},
        n_units={},
        units={},
        no_inference=reason,
        **more,
    )


def two_sided_p(
    difference: np.ndarray,
    variance: np.ndarray,
    df: np.ndarray,
    *,
    span: float = 1.0,
    raw: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Return p = 2 · sf(|difference| / sqrt(variance), df) of Student's t, with the special cases.

    p is 1 where the means are equal or df is 0. Where all units differ by exactly the same, so that
    the variance is a rounding error, p is that of the sign test, 2^(-df).

    Parameters
    ----------
    difference, variance, df : arrays of one shape
    span : float
        Range of the scores.
    raw : (array, array), optional
        Variance and df before moderation, which decide about the sign test.
    """
    variance_raw, df_raw = (variance, df) if raw is None else raw
    gap = np.abs(difference)
    p = np.ones(np.shape(difference))
    known = (df > 0) & np.isfinite(gap)
    vary = known & (variance_raw > ROUNDING * span**2)
    p[vary] = 2 * stdtr(df[vary], -gap[vary] / np.sqrt(variance[vary]))
    alike = known & ~vary & (gap > ROUNDING * span)
    p[alike] = 2.0 ** -df_raw[alike]
    return p


def too_few_units(systems: tuple[str, ...], effective: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Return the systems with fewer than `MIN_EFFECTIVE_UNITS` of a kind, with the reason's code.

    The kind is that of which the system has fewest. Items have no such limit.
    """
    kinds = [kind for kind in effective if kind != SEGMENT]
    reasons = {}
    for code, name in enumerate(systems):
        numbers = {kind: np.nan_to_num(effective[kind][code]) for kind in kinds}
        fewest = min(numbers, key=lambda kind: numbers[kind], default="")
        if fewest and numbers[fewest] < MIN_EFFECTIVE_UNITS:
            reasons[name] = f"few_{fewest}s"
    return reasons


def assemble(
    tests: PairTests, alpha: float = 0.05, order_effect: OrderEffect | None = None
) -> RankInference:
    """Order the systems, run the family of tests among the assessable ones, and build the result.

    Systems that cannot be assessed come last, with the rank set 1 to n; nothing is declared about
    them. Ranks of the others are ranks among all n systems.
    """
    check_alpha(alpha)
    order = _order(tests)
    grid = np.ix_(order, order)
    assessable = tests.assessable[order]
    n = len(order)
    m = int(assessable.sum())
    mean = np.asarray(tests.mean, float)[order]
    p = np.array(tests.p[grid], float)
    p[~assessable] = 1.0
    p[:, ~assessable] = 1.0
    np.fill_diagonal(p, 1.0)
    differs = -np.diff(mean[:m]) > ROUNDING * tests.span
    place = np.append(0, np.cumsum(differs))[:m]
    better, supported = step_down(p[:m, :m], alpha, place)
    better = np.pad(better, (0, n - m))
    supported = np.pad(supported, (0, max(n - 1, 0) - len(supported)))
    names = tuple(tests.systems[code] for code in order)
    reasons = {name: tests.reasons[name] for name in names if name in tests.reasons}
    df_systems = np.asarray(tests.df_systems, float)[order]
    half = _half_width(tests.variance_systems[order], df_systems, alpha)
    half[~assessable] = np.nan
    return RankInference(
        systems=names,
        codes=order,
        assessable=assessable,
        reasons=reasons,
        mean=mean,
        score_low=np.maximum(mean - half, tests.scale[0]),
        score_high=np.minimum(mean + half, tests.scale[1]),
        difference=np.subtract.outer(mean, mean),
        variance=tests.variance[grid],
        df=tests.df[grid],
        p=p,
        pair_reasons=_pair_reasons(tests, order),
        better=better,
        supported=supported,
        rank_low=1 + better.sum(axis=0),
        rank_high=n - better.sum(axis=1),
        units={} if tests.no_inference else dict(tests.units),
        effective={kind: number[order] for kind, number in tests.effective.items()},
        n_units={kind: number[order] for kind, number in tests.n_units.items()},
        alpha=alpha,
        covariance=tests.covariance[grid],
        df_systems=df_systems,
        variance_raw=None if tests.variance_raw is None else tests.variance_raw[grid],
        df_raw=None if tests.df_raw is None else tests.df_raw[grid],
        no_inference=tests.no_inference,
        notes=tests.notes,
        order_effect=order_effect,
        extra=tests.extra,
    )


def _order(tests: PairTests) -> np.ndarray:
    """Return the codes of the systems, best first; those that cannot be assessed come last."""
    mean = np.asarray(tests.mean, float)
    has_reason = np.array([name in tests.reasons for name in tests.systems], bool)
    known = np.flatnonzero(np.isfinite(mean) | has_reason)
    rank = np.lexsort((-np.nan_to_num(mean[known], nan=-np.inf), ~tests.assessable[known]))
    order: np.ndarray = known[rank]
    return order


def _half_width(variance: np.ndarray, df: np.ndarray, alpha: float) -> np.ndarray:
    """Return half the width of each score's interval; NaN where there are no degrees of freedom."""
    half = stdtrit(np.where(df > 0, df, np.nan), 1 - alpha / 2) * np.sqrt(variance)
    return np.asarray(half, float)


def _pair_reasons(tests: PairTests, order: np.ndarray) -> np.ndarray:
    """Return the code of the reason for each pair that cannot be assessed, in this order."""
    n = len(tests.systems)
    reasons = np.full((n, n), "", object)
    if tests.pair_reasons is not None:
        reasons[:] = tests.pair_reasons
    for code, name in enumerate(tests.systems):
        reason = tests.no_inference or tests.reasons.get(name, "")
        if reason:
            reasons[code] = reason
            reasons[:, code] = reason
    np.fill_diagonal(reasons, "")
    ordered: np.ndarray = reasons[np.ix_(order, order)]
    return ordered
