"""What sampling units contribute to the variances of strengths and of shares of wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ..ranking.davidson import (
    Fit,
)
from ..scores.arrays import VoteArrays
from .units import (
    combined_codes,
    difference_variance,
    join_kinds,
    uneven_floor,
)

CHUNK = 20_000  # units whose parts are held at once
FULL = 0.1  # share of an array that is not 0, above which dense products are faster
ROUNDING = 1e-12


@dataclass(frozen=True)
class KindSums:
    """What one kind of unit contributes to the variances of n scores (and of the order effect).

    Attributes
    ----------
    covariance : array, shape (n, n) or (n + 1, n + 1)
        Covariance of the scores (and, last, of the order effect) with new units of this kind.
    effective : array
        Effective units of each score, weighted by decided votes.
    number : array of int
        Units with a decided vote.
    """

    covariance: np.ndarray
    effective: np.ndarray
    number: np.ndarray


@dataclass(frozen=True)
class UnitSums:
    """The sums of all kinds of unit, and of their cells if there are two kinds."""

    kinds: Mapping[str, KindSums]
    cells: KindSums | None

    def covariance(self) -> np.ndarray:
        """Return the covariance of the scores with new units of all kinds: A + Q - cell."""
        by_kind = [each.covariance for each in self.kinds.values()]
        return join_kinds(by_kind, None if self.cells is None else self.cells.covariance)[-1]

    def of_differences(self, decided: np.ndarray) -> np.ndarray:
        """Return V of every difference, with its one-way variances and floors by decided votes."""
        n = len(decided)
        by_kind = [difference_variance(each.covariance[:n, :n]) for each in self.kinds.values()]
        cells = self.cells
        by_cell = None if cells is None else difference_variance(cells.covariance[:n, :n])
        every = [*self.kinds.values(), *([] if cells is None else [cells])]
        floors = [uneven_floor(np.diag(each.covariance)[:n], decided) for each in every]
        variances = [*join_kinds(by_kind, by_cell), *floors, 0 * by_kind[0]]
        largest: np.ndarray = np.max(variances, axis=0)
        return largest

    def of_scores(self) -> np.ndarray:
        """Return the variance of each score (and, last, of the order effect)."""
        by_kind = [np.diag(each.covariance) for each in self.kinds.values()]
        by_cell = None if self.cells is None else np.diag(self.cells.covariance)
        largest: np.ndarray = np.max(join_kinds(by_kind, by_cell), axis=0)
        return largest

    def effective(self, n: int) -> dict[str, np.ndarray]:
        """Return the effective units of the n systems by kind."""
        return {kind: each.effective[:n] for kind, each in self.kinds.items()}


def sum_units(
    codes: Mapping[str, np.ndarray], sums_of: Callable[[np.ndarray], KindSums]
) -> UnitSums:
    """Return the sums of each kind of unit, and of the cells if there are two kinds."""
    dense = {kind: np.unique(code, return_inverse=True)[1] for kind, code in codes.items()}
    kinds = {kind: sums_of(code) for kind, code in dense.items()}
    if len(dense) < 2:
        return UnitSums(kinds, None)
    annotator, question = dense.values()
    return UnitSums(kinds, sums_of(combined_codes(annotator, question)))


def decided_votes(votes: VoteArrays) -> np.ndarray:
    """Return the number of decided votes of each system: (n,)."""
    weight = votes.weight * (votes.outcome != 0.5)
    n = len(votes.systems)
    number: np.ndarray = np.bincount(votes.first, weight, n) + np.bincount(votes.second, weight, n)
    return number


def sums_of_strengths(
    votes: VoteArrays, unit: np.ndarray, lead: np.ndarray, tie: np.ndarray, fit: Fit
) -> KindSums:
    """Return the covariance of the strengths and of the order effect with new units of one kind.

    Scores of votes are summed by unit, and multiplied by the inverse information once. An influence
    is the part P of a unit, divided by 1 - h. It is written as P + P h / (1 - h): the second term
    exists only for systems with a decided vote in the unit, so that sparse products suffice.
    """
    n = len(votes.systems)
    units = int(unit.max()) + 1
    decided = votes.weight * (votes.outcome != 0.5)
    order, log_tie = np.full(len(unit), n), np.full(len(unit), n + 1)
    score = votes.weight * lead
    columns = [votes.first, votes.second, order, log_tie]
    scores = _sum_by_unit(unit, columns, [score, -score, score, votes.weight * tie], (units, n + 2))
    held = _sum_by_unit(unit, columns[:3], [decided] * 3, (units, n + 1))
    share, effective, number = _shares(held)
    inverse = fit.inverse[:, : n + 1]
    extra = share.copy()
    for start in range(0, units, CHUNK):
        stop = min(start + CHUNK, units)
        part = scores[start:stop] @ inverse
        low, high = share.indptr[start], share.indptr[stop]
        row = np.repeat(np.arange(stop - start), np.diff(share.indptr[start : stop + 1]))
        extra.data[low:high] = part[row, share.indices[low:high]] * _leverage(share.data[low:high])
    plain = inverse.T @ _product(scores, scores) @ inverse
    mixed = inverse.T @ _product(scores, extra)
    covariance = plain + mixed + mixed.T + _product(extra, extra)
    scale = _scale(number)
    return KindSums(covariance * np.outer(scale, scale), effective, number)


def _sum_by_unit(
    unit: np.ndarray,
    columns: Sequence[np.ndarray],
    values: Sequence[np.ndarray],
    shape: tuple[int, int],
) -> csr_array:
    """Return the sums of values by unit and column, as a sparse array without zeros."""
    rows = np.tile(unit, len(columns))
    sums = csr_array((np.concatenate(values), (rows, np.concatenate(columns))), shape=shape)
    sums.sum_duplicates()
    sums.eliminate_zeros()
    return sums


def _shares(held: csr_array) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Return the share of each column that a unit holds, effective units, and their number."""
    total = np.asarray(held.sum(axis=0), float)
    share = held.astype(float)
    share.data = share.data / total[share.indices]
    columns = held.shape[1]
    squares = np.bincount(share.indices, share.data**2, columns)
    effective = np.divide(1.0, squares, out=np.zeros(columns), where=squares > 0)
    return share, effective, np.bincount(share.indices, minlength=columns)


def _leverage(share: np.ndarray) -> np.ndarray:
    """Return h / (1 - h); -1 where a unit holds everything, so that its influence is 0.

    Such a system cannot be assessed anyway.
    """
    everything = share >= 1 - ROUNDING
    leverage: np.ndarray = share / np.where(everything, 1.0, 1 - share)
    return np.where(everything, -1.0, leverage)


def _scale(number: np.ndarray) -> np.ndarray:
    """Return the factor sqrt((G - 1) / G) of the jackknife."""
    scale: np.ndarray = np.sqrt(np.maximum(number - 1, 0) / np.maximum(number, 1))
    return scale


def _product(left: csr_array, right: csr_array) -> np.ndarray:
    """Return left' right, by dense products where the arrays are full."""
    dense = min(left.nnz, right.nnz) > FULL * left.shape[0] * left.shape[1]
    if dense:
        return np.asarray(left.toarray().T @ right.toarray())
    return np.asarray((left.T @ right).toarray())


def sums_of_shares(
    votes: VoteArrays, unit: np.ndarray, share: np.ndarray, near: np.ndarray, decided: np.ndarray
) -> KindSums:
    """Return the covariance of log-odds of shares with new units of one kind."""
    shape = int(unit.max()) + 1, len(votes.systems)
    is_decided = votes.weight * (votes.outcome != 0.5)
    first_won = votes.weight * (votes.outcome == 1)
    second_won = votes.weight * (votes.outcome == 0)
    systems = [votes.first, votes.second]
    held_share, effective, number = _shares(
        _sum_by_unit(unit, systems, [is_decided, is_decided], shape)
    )
    excess = [
        first_won - share[votes.first] * is_decided,
        second_won - share[votes.second] * is_decided,
    ]
    excess = [np.where(is_decided > 0, part, 0.0) for part in excess]
    scale = np.divide(
        _scale(number), decided * near * (1 - near), out=np.zeros(shape[1]), where=decided > 0
    )
    influence = _sum_by_unit(unit, systems, excess, shape) * scale
    influence = influence + influence * _with_data(held_share, _leverage(held_share.data))
    influence = csr_array(influence)
    return KindSums(_product(influence, influence), effective, number)


def _with_data(array: csr_array, data: np.ndarray) -> csr_array:
    """Return a sparse array of the same places with other values."""
    return csr_array((data, array.indices, array.indptr), shape=array.shape)
