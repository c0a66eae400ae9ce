"""Sampling units, and the variance of a difference that follows from their influences.

A sampling unit is what another campaign would draw again: an annotator, a HIT, a document, a
question, or an item. The influence of a unit on a mean is the change that leaving the unit out
makes (delete-one jackknife: MacKinnon, Nielsen and Webb 2023). Two kinds of unit are combined by
inclusion and exclusion (Cameron, Gelbach and Miller 2011), with the larger one-way variance as a
floor (MacKinnon, Nielsen and Webb 2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from ..scores.arrays import UNITS, ScoreArrays

ANNOTATOR, DOCUMENT, HIT, SEGMENT = "annotator", "document", "hit", "segment"
QUESTION = "question"  # of comparisons
MIN_EFFECTIVE_UNITS = 2.5  # a system with fewer units of a kind cannot be assessed
SINGLE = 1e-9  # at most so far above 1: one unit has all judgments of a system


@dataclass(frozen=True)
class UnitInfluence:
    """Units of one kind: their influences on the means of systems, and effective numbers.

    Attributes
    ----------
    influence : array, shape (units, systems)
        Influence on the means; its cross product is the covariance with new units of this kind.
    effective : array, shape (systems,)
        Effective units of each system: 1 / sum of squared shares.
    number : array of int, shape (systems,)
        Units that judged, or contain, each system.
    """

    influence: np.ndarray
    effective: np.ndarray
    number: np.ndarray

    def covariance(self) -> np.ndarray:
        """Return the covariance of the means with new units of this kind: (systems, systems)."""
        product: np.ndarray = self.influence.T @ self.influence
        return product


def default_units(arrays: ScoreArrays) -> tuple[str, ...]:
    """Return the kinds of unit that another campaign would draw again, as far as they are named.

    Annotators and documents if both are named, otherwise the kind that is; then HITs. A table of
    items has segments. Averages over unnamed annotators have documents or nothing.
    """
    named = tuple(filter(arrays.has, (ANNOTATOR, DOCUMENT)))
    if arrays.averages:
        return tuple(kind for kind in named if kind == DOCUMENT)
    if named:
        return named
    if arrays.has(HIT):
        return (HIT,)
    return (SEGMENT,) if arrays.items else ()


def units_asked(arrays: ScoreArrays, unit: str | None) -> tuple[str, ...]:
    """Return the kinds of unit: those of `unit`, such as ``document``, or by default all named.

    Raises
    ------
    DataError
        If the judgments do not name a kind.
    """
    if unit is None:
        return default_units(arrays)
    asked = unit.split(" x ")
    kinds = tuple(sorted(asked, key=lambda kind: UNITS.index(kind) if kind in UNITS else 9))
    if len(set(kinds)) < len(kinds) or len(kinds) > 2:
        raise DataError("unknown_unit", value=unit, expected="one or two kinds of unit")
    for kind in kinds:
        if not arrays.has(kind):
            named = [kind for kind in (*UNITS[:-1], SEGMENT) if arrays.has(kind)]
            raise DataError("unknown_unit", value=unit, expected=" or ".join(dict.fromkeys(named)))
    return kinds


def unit_codes(arrays: ScoreArrays, kind: str) -> np.ndarray:
    """Return the code of each judgment's unit of this kind."""
    return np.asarray(arrays.segment if kind == SEGMENT else arrays.units[kind], np.int64)


def combined_codes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return codes of the cells: the combinations of two codes that occur."""
    pair = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    return np.unique(pair, return_inverse=True)[1]


def sums_by(
    row: np.ndarray, column: np.ndarray, weight: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Return the sums of weights in the cells of two codes: an array of this shape."""
    cell = row.astype(np.int64) * shape[1] + column
    return np.bincount(cell, weight, shape[0] * shape[1]).reshape(shape)


def jackknife(share: np.ndarray, part: np.ndarray) -> UnitInfluence:
    """Return delete-one influences of units from their parts of the errors of the means.

    I = part / (1 - h) · sqrt((G - 1) / G), with h the unit's share of the system and G the units of
    the system.

    Parameters
    ----------
    share, part : arrays, shape (units, systems)
        Shares of each system, which add to 1; and parts of the error of each system's mean.
    """
    number = (share > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt((number - 1) / number) / np.maximum(1 - share, 1e-12)
        effective = 1 / (share**2).sum(axis=0)
        influence = np.where(share > 0, part * scale, 0.0)
    return UnitInfluence(influence, effective, number)


def difference_variance(covariance: np.ndarray) -> np.ndarray:
    """Return the variance of the difference of every two means, from their covariance."""
    variance = np.diag(covariance)
    of_difference: np.ndarray = variance[:, None] + variance - 2 * covariance
    return of_difference


def uneven_floor(variance: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the least variance of a difference of two systems with different numbers of units.

    V >= C_tt (e_t / e_s - 1), where t has more effective units (or decided votes) than s: if s were
    judged by only so many of t's units, with the same effects, the means would differ by that much.

    Parameters
    ----------
    variance : array, shape (n,) or (n, n)
        Variance of the mean of each system (C_tt), or of column t as seen beside row s.
    size : array, shape (n,)
        Effective units, or decided votes, of each system.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        floor = variance * (size / size[:, None] - 1)
    floor = np.where(np.isfinite(floor), np.maximum(floor, 0.0), 0.0)
    either: np.ndarray = np.maximum(floor, floor.T)
    return either


def join_kinds(by_kind: list[np.ndarray], by_cell: np.ndarray | None = None) -> list[np.ndarray]:
    """Return the variances of which the largest counts: of each kind, and of both kinds together.

    V = max(V_A + V_D - V_cell, V_A, V_D), from arrays of the same shape. With one kind of unit,
    only its own.
    """
    if by_cell is None:
        return by_kind
    return [*by_kind, np.sum(by_kind, axis=0) - by_cell]


def joint_covariance(
    kinds: Mapping[str, UnitInfluence], cells: UnitInfluence | None = None
) -> np.ndarray:
    """Return the covariance of the means with new units of all kinds: A + D - cell."""
    by_kind = [kind.covariance() for kind in kinds.values()]
    return join_kinds(by_kind, None if cells is None else cells.covariance())[-1]


def variance_of_means(
    kinds: Mapping[str, UnitInfluence], cells: UnitInfluence | None = None
) -> np.ndarray:
    """Return the variance of each system's mean: the larger of the joint and one-way variances."""
    of_kind = [np.diag(kind.covariance()) for kind in kinds.values()]
    of_cell = None if cells is None else np.diag(cells.covariance())
    largest: np.ndarray = np.max(join_kinds(of_kind, of_cell), axis=0)
    return largest


def least_df(effective: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return effective units - 1, of the kind with fewer; 0 where one unit has everything."""
    df = np.min([*effective.values()], axis=0) - 1
    return np.where(df > SINGLE, df, 0.0)
