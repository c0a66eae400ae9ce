"""Means of systems within segments, with every sampling unit really left out.

Systems are compared on the segments that they share, so that a system with easier segments gains
nothing. Scores are fitted on system and segment by weighted least squares. On a complete crossed
table the result is that of plain means. The influence of a unit is found by solving the normal
equations again without its judgments, where only the segments that it touches change.

Systems that no chain of shared segments joins belong to different components. Within a component
systems are compared within segments; across components, by the component's mean score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from .units import (
    SINGLE,
    UnitInfluence,
    combined_codes,
    difference_variance,
    join_kinds,
    least_df,
    sums_by,
    uneven_floor,
)

CONNECTED = 1e-9  # share of the largest diagonal entry: a smaller link is a rounding error
SURELY_JOINED = 0.9  # information lost at most, so that leaving a unit out separates nothing
CHUNK = 4_000_000  # numbers in an array of (units, systems, systems)


@dataclass(frozen=True)
class Stratum:
    """Judgments that are compared with each other, such as those of one domain or one task.

    Attributes
    ----------
    system, segment : arrays of int, shape (judgments,)
        Codes; those of systems are shared by all strata.
    score, weight : arrays of float, shape (judgments,)
        Scores, and weights such that the judgments of one output add to 1.
    units : mapping of str to array of int
        Codes of sampling units by kind, shared by all strata.
    factor : float
        Weight of the stratum in the score (lambda).
    """

    system: np.ndarray
    segment: np.ndarray
    score: np.ndarray
    weight: np.ndarray
    units: Mapping[str, np.ndarray]
    factor: float = 1.0


@dataclass(frozen=True)
class StratumFit:
    """Weighted least squares of the scores of a stratum on system and segment.

    Attributes
    ----------
    by_segment : array, shape (segments, systems)
        H: the weight of each system's judgments in each segment.
    normal, inverse : arrays, shape (systems, systems)
        N = sum over segments of diag(H) - H H' / sum(H), and its pseudo-inverse.
    component : array of int, shape (systems,)
        Systems with one number are joined by chains of shared segments.
    effect, level : arrays, shape (systems,)
        Means within segments, centred in each component; and the component's mean score.
    residual, share : arrays, shape (judgments,)
        What the fit leaves of each score; and the judgment's share a_k of its system.
    """

    stratum: Stratum
    by_segment: np.ndarray
    normal: np.ndarray
    inverse: np.ndarray
    component: np.ndarray
    effect: np.ndarray
    level: np.ndarray
    residual: np.ndarray
    share: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The score of each system: its effect plus the mean score of its component."""
        mean: np.ndarray = self.effect + self.level
        return mean


def fit_stratum(stratum: Stratum, n: int) -> StratumFit:
    """Fit the scores of a stratum on system and segment; `n` is the number of systems."""
    segment = np.unique(stratum.segment, return_inverse=True)[1]
    shape = int(segment.max(initial=-1)) + 1, n
    by_segment = sums_by(segment, stratum.system, stratum.weight, shape)
    total = by_segment.sum(axis=1)
    normal = np.diag(by_segment.sum(axis=0)) - by_segment.T @ (by_segment / total[:, None])
    component = components(normal)
    inverse = pseudo_inverse(normal, component)
    coded = Stratum(
        stratum.system, segment, stratum.score, stratum.weight, stratum.units, stratum.factor
    )
    effect, level = _estimate(coded, by_segment, inverse, component, stratum.score)
    rest = stratum.score - effect[stratum.system]
    of_segment = np.bincount(segment, stratum.weight * rest, shape[0]) / total
    shared = 1 - by_segment[segment, stratum.system] / total[segment]
    share = stratum.weight * np.where(np.abs(shared) > CONNECTED, shared, 0.0)
    alone = np.bincount(stratum.system, share, n) == 0
    share = np.where(alone[stratum.system], stratum.weight, share)
    with np.errstate(invalid="ignore"):
        share = share / np.bincount(stratum.system, share, n)[stratum.system]
    return StratumFit(
        coded,
        by_segment,
        normal,
        inverse,
        component,
        effect,
        level,
        rest - of_segment[segment],
        share,
    )


def estimate(fit: StratumFit, values: np.ndarray) -> np.ndarray:
    """Return the means within segments of other values of the same judgments: (systems,)."""
    effect, level = _estimate(fit.stratum, fit.by_segment, fit.inverse, fit.component, values)
    mean: np.ndarray = effect + level
    return mean


def _estimate(
    stratum: Stratum,
    by_segment: np.ndarray,
    inverse: np.ndarray,
    component: np.ndarray,
    values: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return b = N+ r, with r the sums within segments, and the mean value of each component."""
    segments, n = by_segment.shape
    weighted = stratum.weight * values
    of_segment = np.bincount(stratum.segment, weighted, segments) / by_segment.sum(axis=1)
    within = np.bincount(stratum.system, weighted, n) - of_segment @ by_segment
    of_component = component[stratum.system]
    with np.errstate(invalid="ignore"):
        level = np.bincount(of_component, weighted, n) / np.bincount(
            of_component, stratum.weight, n
        )
    return inverse @ within, level[component]


def components(normal: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Return the component of each system: those that shared segments join, from 0."""
    scale = float(np.diag(normal).max(initial=0.0)) if scale is None else scale
    joined = (-normal > CONNECTED * scale) & ~np.eye(len(normal), dtype=bool)
    component: np.ndarray = connected_components(joined, directed=False)[1]
    return component


def _same(component: np.ndarray) -> np.ndarray:
    """Return whether two systems are of one component: (systems, systems)."""
    same: np.ndarray = component[:, None] == component
    return same


def _projection(component: np.ndarray) -> np.ndarray:
    """Return the matrix that takes the mean over each component."""
    same = _same(component).astype(float)
    projection: np.ndarray = same / same.sum(axis=1)
    return projection


def _scale(normal: np.ndarray) -> float:
    """Return the mean of the diagonal, or 1 if no segment is shared."""
    return float(np.trace(normal)) / len(normal) or 1.0


def pseudo_inverse(normal: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Return the pseudo-inverse of normal equations whose null space is that of the components."""
    scale = _scale(normal)
    mean = _projection(component)
    inverse: np.ndarray = np.linalg.inv(normal + scale * mean) - mean / scale
    return inverse


# ------------------------------------------------------------------ leaving units out


@dataclass(frozen=True)
class LeaveOut:
    """What leaving each unit of one kind out changes in one stratum.

    Attributes
    ----------
    effect, level, share : arrays, shape (units, systems)
        b - b(-g), and the mean score of the component less that without g, both multiplied by
        sqrt((G - 1) / G); and the unit's share h of each system.
    separated : array of bool, shape (systems, systems)
        Whether leaving out some unit separates two systems that are otherwise joined.
    pair_effective : array, shape (systems, systems)
        e_st of each pair; NaN if not asked for, or if no segments join the two systems.
    """

    effect: np.ndarray
    level: np.ndarray
    share: np.ndarray
    separated: np.ndarray
    pair_effective: np.ndarray


def leave_out(fit: StratumFit, unit: np.ndarray, size: int, pairs: bool = True) -> LeaveOut:
    """Solve the normal equations again without each unit.

    Parameters
    ----------
    unit : array of int, shape (judgments,)
        Code of each judgment's unit, below `size`.
    pairs : bool
        Whether to compute e_st: with l_g = x' N+ (N - N(-g)) N+ x, for x = 1 at s and -1 at t, it
        is (sum of l)^2 / (sum of l^2).
    """
    n = len(fit.effect)
    present, local = np.unique(unit, return_inverse=True)
    effect, share, level = (np.zeros((size, n)) for _ in range(3))
    share[present] = sums_by(local, fit.stratum.system, fit.share, (len(present), n))
    level[present] = _level_influence(fit, local, len(present))
    separated = np.zeros((n, n), bool)
    total, squares = np.zeros((n, n)), np.zeros((n, n))
    for units, lost, right in _lost_information(fit, local, len(present)):
        effect[present[units]] = -_solve_without(fit, lost, right, separated)
        if pairs:
            both = fit.inverse @ lost @ fit.inverse
            own = np.einsum("uii->ui", both)
            part = own[:, :, None] + own[:, None, :] - 2 * both
            total += part.sum(axis=0)
            squares += (part**2).sum(axis=0)
    number = (share > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.nan_to_num(np.sqrt((number - 1) / number))
        joined = _same(fit.component) & ~np.eye(n, dtype=bool) & pairs
        pair_effective = np.where(joined, total**2 / squares, np.nan)
    return LeaveOut(effect * scale, level * scale, share, separated, pair_effective)


def _level_influence(fit: StratumFit, local: np.ndarray, size: int) -> np.ndarray:
    """Return the mean score of each system's component less that without each unit."""
    n = len(fit.effect)
    stratum = fit.stratum
    of_component = fit.component[stratum.system]
    deviation = stratum.score - fit.level[stratum.system]
    weight = sums_by(local, of_component, stratum.weight, (size, n))
    moved = sums_by(local, of_component, stratum.weight * deviation, (size, n))
    rest = weight.sum(axis=0) - weight
    remains = rest > CONNECTED * weight.sum(axis=0)
    influence = np.divide(moved, rest, out=np.zeros_like(moved), where=remains)
    of_system: np.ndarray = influence[:, fit.component]
    return of_system


def _lost_information(
    fit: StratumFit, local: np.ndarray, size: int
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield, for runs of units, N - N(-g) and the right sides of the equations without g.

    Right sides are those of the residuals, so that the solution is b(-g) - b. Shapes (units,
    systems, systems) and (units, systems).
    """
    stratum = fit.stratum
    n = len(fit.effect)
    segments = len(fit.by_segment)
    rows, row = np.unique(local * segments + stratum.segment, return_inverse=True)
    first = np.searchsorted(rows // segments, np.arange(size + 1))
    by_row = np.argsort(row, kind="stable")
    start = np.searchsorted(row[by_row], np.arange(len(rows) + 1))
    step = max(1, CHUNK // (n * n))
    begin = 0
    while begin < size:
        # as many units as fit into the memory, and at least one
        fits = int(np.searchsorted(first, first[begin] + CHUNK // n, "right")) - 1
        end = min(max(fits, begin + 1), begin + step, size)
        of = slice(first[begin], first[end])
        judgments = by_row[start[of.start] : start[of.stop]]
        place = row[judgments] - of.start, stratum.system[judgments]
        weight = stratum.weight[judgments]
        shape = of.stop - of.start, n
        out = sums_by(*place, weight, shape)
        moved = sums_by(*place, weight * fit.residual[judgments], shape)
        yield (
            slice(begin, end),
            *_by_unit(
                fit.by_segment[rows[of] % segments], out, moved, first[begin : end + 1] - of.start
            ),
        )
        begin = end


def _by_unit(
    whole: np.ndarray, out: np.ndarray, moved: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Add what the units lose in each segment; rows are combinations of a unit and a segment.

    `whole` is H of the segment, `out` the part that is left out, `moved` the sum of its residuals;
    unit u has the rows from ``first[u]``.
    """
    total = whole.sum(axis=1, keepdims=True)
    keep = whole - out
    keep[np.abs(keep) < CONNECTED * total] = 0.0
    rest = keep.sum(axis=1, keepdims=True)
    inverse = np.divide(1.0, rest, out=np.zeros_like(rest), where=rest > 0)
    before = whole / np.sqrt(total)
    after = keep * np.sqrt(inverse)
    right = np.add.reduceat(
        keep * (moved.sum(axis=1, keepdims=True) * inverse) - moved, first[:-1], axis=0
    )
    lost = np.empty((len(first) - 1, whole.shape[1], whole.shape[1]))
    for u in range(len(lost)):
        rows = slice(first[u], first[u + 1])
        lost[u] = after[rows].T @ after[rows] - before[rows].T @ before[rows]
    diagonal = np.arange(whole.shape[1])
    lost[:, diagonal, diagonal] += np.add.reduceat(out, first[:-1], axis=0)
    return lost, right


def _solve_without(
    fit: StratumFit, lost: np.ndarray, right: np.ndarray, separated: np.ndarray
) -> np.ndarray:
    """Return b(-g) - b of each unit: (units, systems); mark in `separated` what falls apart.

    A unit cannot separate systems if the information that it takes, the trace of N+ (N - N(-g)), is
    below 1. Only the other units are examined for components.
    """
    scale = _scale(fit.normal)
    mean = _projection(fit.component)
    remaining = fit.normal - lost
    risky = np.einsum("ij,uij->u", fit.inverse, lost) > SURELY_JOINED
    moved = np.empty_like(right)
    safe = ~risky
    moved[safe] = np.linalg.solve(remaining[safe] + scale * mean, right[safe][:, :, None])[:, :, 0]
    largest = float(np.diag(fit.normal).max(initial=0.0))
    whole = _same(fit.component)
    for u in np.flatnonzero(risky):
        component = components(remaining[u], largest)
        apart = whole & ~_same(component)
        separated |= apart
        moved[u] = pseudo_inverse(remaining[u], component) @ right[u]
        if apart.any():
            moved[u] -= _projection(component) @ fit.effect
    return moved


# ------------------------------------------------------------------ strata together


@dataclass(frozen=True)
class WithinTests:
    """Means within segments over all strata, and the variances of their differences.

    Attributes
    ----------
    mean : array, shape (systems,)
        Sum over strata of factor times mean.
    kinds : mapping of str to UnitInfluence
        Influences on the means by kind of unit.
    cells : UnitInfluence, optional
        Those of the combinations of two kinds.
    effects : mapping of str to array, shape (units, systems)
        Influences on the effects alone, by kind of unit and ``cell``.
    pair_effective : mapping of str to array, shape (systems, systems)
        e_st by kind, at most min(e_s, e_t).
    separated : mapping of str to array of bool, shape (systems, systems)
        Pairs that are separated by leaving out one unit of the kind.
    joined : array of bool, shape (systems, systems)
        Whether shared segments join two systems in every stratum.
    variance, df : arrays, shape (systems, systems)
        V and degrees of freedom before moderation, after the upper limit over strata.
    strata : tuple of (array, array)
        lambda^2 V and df of each stratum, if there are several.
    """

    mean: np.ndarray
    kinds: Mapping[str, UnitInfluence]
    cells: UnitInfluence | None
    effects: Mapping[str, np.ndarray]
    pair_effective: Mapping[str, np.ndarray]
    separated: Mapping[str, np.ndarray]
    joined: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    strata: tuple[tuple[np.ndarray, np.ndarray], ...]


def compare_within(fits: Sequence[StratumFit], kinds: Sequence[str]) -> WithinTests:
    """Compare systems within segments, over all strata, with new units of one or two kinds."""
    factors = np.array([fit.stratum.factor for fit in fits])
    codes = {kind: [fit.stratum.units[kind] for fit in fits] for kind in kinds}
    if len(kinds) == 2:
        codes["cell"] = _cell_codes(*codes.values())
    left_out = {
        kind: [
            leave_out(fit, unit, 1 + max(int(u.max(initial=0)) for u in units), kind != "cell")
            for fit, unit in zip(fits, units, strict=True)
        ]
        for kind, units in codes.items()
    }
    joined = np.all([_same(fit.component) for fit in fits], axis=0)
    together = {kind: _join(parts, factors) for kind, parts in left_out.items()}
    effective = {kind: together[kind][0].effective for kind in kinds}
    pair_effective = {
        kind: np.minimum(
            pair_effective_over_strata([_pairs_or_least(part) for part in left_out[kind]], factors),
            np.minimum.outer(effective[kind], effective[kind]),
        )
        for kind in kinds
    }
    df = least_df(pair_effective)
    strata: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    if len(fits) > 1:
        strata = tuple(
            _of_stratum(left_out, kinds, k, factors[k], fits[k]) for k in range(len(fits))
        )
        df = np.minimum(df, satterthwaite(strata))
    return WithinTests(
        mean=np.sum([fit.stratum.factor * fit.mean for fit in fits], axis=0),
        kinds={kind: together[kind][0] for kind in kinds},
        cells=together["cell"][0] if "cell" in together else None,
        effects={kind: effect for kind, (_, effect) in together.items()},
        pair_effective=pair_effective,
        separated={
            kind: np.any([part.separated for part in left_out[kind]], axis=0) for kind in kinds
        },
        joined=joined,
        variance=largest_variance(together, joined),
        df=df,
        strata=strata,
    )


def _pairs_or_least(part: LeaveOut) -> np.ndarray:
    """Return e_st in one stratum; where no segments join the two, the lesser of e_s and e_t."""
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = 1 / (part.share**2).sum(axis=0)
    least = np.minimum.outer(effective, effective)
    pairs: np.ndarray = np.where(np.isnan(part.pair_effective), least, part.pair_effective)
    return pairs


def _cell_codes(first: list[np.ndarray], second: list[np.ndarray]) -> list[np.ndarray]:
    """Return the codes of combinations of two kinds of unit, shared by all strata."""
    ends = np.cumsum([len(codes) for codes in first])[:-1]
    return np.split(combined_codes(np.concatenate(first), np.concatenate(second)), ends)


def _join(parts: Sequence[LeaveOut], factors: np.ndarray) -> tuple[UnitInfluence, np.ndarray]:
    """Add the influences of each unit over strata; also return those on the effects alone."""
    effect = np.sum([f * part.effect for f, part in zip(factors, parts, strict=True)], axis=0)
    level = np.sum([f * part.level for f, part in zip(factors, parts, strict=True)], axis=0)
    shares = [part.share for part in parts]
    share = np.average(shares, axis=0, weights=np.abs(factors))
    effective = effective_over_strata(shares, factors)
    return UnitInfluence(effect + level, effective, (share > 0).sum(axis=0)), effect


def largest_variance(
    together: Mapping[str, tuple[UnitInfluence, np.ndarray]], joined: np.ndarray
) -> np.ndarray:
    """Return V of each difference: the largest of the joint and one-way variances and the floors.

    They come from the effects where segments join a pair, otherwise from the means.

    Parameters
    ----------
    together : mapping of str to (UnitInfluence, array)
        By kind of unit, and ``cell`` for combinations of two: influences on the means, and on the
        effects alone.
    joined : array of bool, shape (systems, systems)
        Whether shared segments join two systems.
    """
    variances, floors = {}, []
    for kind, (part, effect) in together.items():
        of_effect, of_mean = effect.T @ effect, part.covariance()
        variances[kind] = np.where(
            joined, difference_variance(of_effect), difference_variance(of_mean)
        )
        single = np.where(joined, np.diag(of_effect), np.diag(of_mean))
        floors.append(uneven_floor(single, part.effective))
    by_cell = variances.pop("cell", None)
    every = [*join_kinds([*variances.values()], by_cell), *floors, 0 * floors[0]]
    largest: np.ndarray = np.max(every, axis=0)
    return largest


def _of_stratum(
    left_out: Mapping[str, Sequence[LeaveOut]],
    kinds: Sequence[str],
    k: int,
    factor: float,
    fit: StratumFit,
) -> tuple[np.ndarray, np.ndarray]:
    """Return lambda^2 V_k and df_k of one stratum."""
    together = {kind: _join([parts[k]], np.ones(1)) for kind, parts in left_out.items()}
    effective = {}
    for kind in kinds:
        number = together[kind][0].effective
        least = np.minimum.outer(number, number)
        effective[kind] = np.minimum(_pairs_or_least(left_out[kind][k]), least)
    variance = largest_variance(together, _same(fit.component))
    return factor**2 * variance, least_df(effective)


def effective_over_strata(shares: Sequence[np.ndarray], factors: np.ndarray) -> np.ndarray:
    """Return the effective units of each system over strata.

    e_s = min(1 / sum of squared mean shares, 1 + (sum l^2/e)^2 / sum((l^2/e)^2 / (e - 1))), with l
    the factor of a stratum and e the effective units in it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.average(shares, axis=0, weights=np.abs(factors))
        of_stratum = np.array([1 / (part**2).sum(axis=0) for part in shares])
        together: np.ndarray = 1 / (share**2).sum(axis=0)
    number: np.ndarray = np.minimum(together, pair_effective_over_strata(of_stratum, factors))
    return number


def pair_effective_over_strata(
    of_stratum: Sequence[np.ndarray] | np.ndarray, factors: np.ndarray
) -> np.ndarray:
    """Return 1 + (sum l^2/e)^2 / sum((l^2/e)^2 / (e - 1)) over strata; 1 if one has e = 1."""
    effective = np.asarray(of_stratum, float)
    weight = (factors**2).reshape(-1, *[1] * (effective.ndim - 1)) / effective
    together = 1 + satterthwaite([(w, e - 1) for w, e in zip(weight, effective, strict=True)])
    number: np.ndarray = effective[0] if len(effective) == 1 else together
    return number


def satterthwaite(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return (sum V)^2 / sum(V^2 / df) of pairs of V and df; 0 where some df is 0."""
    total = np.sum([variance for variance, _ in parts], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.sum(
            [
                np.where(variance == 0, 0.0, variance**2 / np.where(df > SINGLE, df, 0.0))
                for variance, df in parts
            ],
            axis=0,
        )
        number: np.ndarray = np.where(squares > 0, total**2 / squares, np.inf)
    return number
