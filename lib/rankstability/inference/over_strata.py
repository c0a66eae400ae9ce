"""Comparisons within segments over several strata, such as domains or tasks, and their variances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .leave_out import LeaveOut, leave_out
from .units import (
    SINGLE,
    UnitInfluence,
    combined_codes,
    difference_variance,
    join_kinds,
    least_df,
    uneven_floor,
)
from .within import StratumFit, same_component


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
    joined = np.all([same_component(fit.component) for fit in fits], axis=0)
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
    variance = largest_variance(together, same_component(fit.component))
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
