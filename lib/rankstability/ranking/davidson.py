"""Davidson's model of pairwise comparisons: strengths, ties and the order of presentation.

The model is that of Davidson (1970) with the order effect of Davidson and Beaver (1977). For system
s shown first and t second, with d = theta_s - theta_t + o,

    P(first wins) : P(second wins) : P(tie) = exp(d/2) : exp(-d/2) : v
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..scores.arrays import VoteArrays
from ..scores.pairwise import VoteTable

MAX_STEPS = 200
TOLERANCE = 1e-10  # of the last Newton step
MAX_DIFFERENCE = 15.0  # log-odds of a comparison: larger ones mean that no finite fit exists
MAX_LOG_TIE = 12.0


@dataclass(frozen=True)
class Fit:
    """Maximum-likelihood estimates.

    Attributes
    ----------
    strength : array, shape (n,)
        Log-odds, with mean 0.
    order : float
        What being shown first is worth, in log-odds; 0 if it was not estimated.
    tie : float
        The tie parameter v; 0 without ties.
    inverse : array, shape (n + 2, n + 2)
        Inverse information of strengths (centred), order and log v; 0 for what was not estimated.
    """

    strength: np.ndarray
    order: float
    tie: float
    inverse: np.ndarray

    def residuals(self, votes: VoteArrays) -> tuple[np.ndarray, np.ndarray]:
        """Return the score of each vote with respect to d and to log v: (votes,) each."""
        d = self.strength[votes.first] - self.strength[votes.second] + self.order
        half_lead, tie = _expected(d, self.tie)
        is_tie = votes.outcome == 0.5
        return votes.outcome - 0.5 - half_lead, (is_tie - tie) * (self.tie > 0)


def _expected(d: np.ndarray, tie: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (P(first wins) - P(second wins)) / 2 and P(tie)."""
    up, down = np.exp(d / 2), np.exp(-d / 2)
    total = up + down + tie
    return (up - down) / 2 / total, tie / total


def fit_davidson(table: VoteTable, with_order: bool) -> Fit | None:
    """Fit the model by Newton's method; None if the likelihood has no finite maximum.

    Parameters
    ----------
    table : VoteTable
        Votes among systems of which chains of wins and ties lead from each to every other.
    with_order : bool
        Whether the order effect is estimated.
    """
    n = len(table.tied)
    number = table.number
    with_ties = bool(table.tied.any())
    used = np.array([*[True] * n, with_order, with_ties])
    parameters = np.zeros(n + 2)
    if with_ties:
        decided = max(float(number.sum() - table.tied.sum()), 1.0)
        parameters[-1] = np.clip(np.log(2 * table.tied.sum() / decided), -3.0, 3.0)
    half_won = (table.first_won - table.second_won) / 2
    for _ in range(MAX_STEPS):
        d = parameters[:n, None] - parameters[:n] + parameters[n]
        tie = float(np.exp(parameters[-1])) if with_ties else 0.0
        half_lead, p_tie = _expected(d, tie)
        gradient = np.zeros(n + 2)
        rest = half_won - number * half_lead
        gradient[:n] = rest.sum(axis=1) - rest.sum(axis=0)
        gradient[n] = rest.sum()
        gradient[-1] = (table.tied - number * p_tie).sum()
        information = _information(number, half_lead, p_tie)
        inverse = _centred_inverse(information, used)
        if inverse is None:
            return None
        step = inverse @ np.where(used, gradient, 0.0)
        step *= min(1.0, 3.0 / max(float(np.abs(step).max()), 1e-300))
        parameters = parameters + step
        if np.abs(step).max() < TOLERANCE:
            break
    else:
        return None
    d = parameters[:n, None] - parameters[:n] + parameters[n]
    met = number > 0
    if not np.isfinite(parameters).all() or np.abs(d[met]).max(initial=0.0) > MAX_DIFFERENCE:
        return None
    if with_ties and abs(parameters[-1]) > MAX_LOG_TIE:
        return None
    strength = parameters[:n] - parameters[:n].mean()
    tie = float(np.exp(parameters[-1])) if with_ties else 0.0
    return Fit(strength, float(parameters[n]), tie, inverse)


def fit_finite(table: VoteTable) -> Fit | None:
    """Fit strengths without order; if infinite, after adding one win in each direction per pair."""
    fit = fit_davidson(table, with_order=False) if largest_group(table).all() else None
    if fit is not None:
        return fit
    added = table.first_won + 1 - np.eye(len(table.tied))
    return fit_davidson(replace(table, first_won=added), with_order=False)


def _information(number: np.ndarray, half_lead: np.ndarray, p_tie: np.ndarray) -> np.ndarray:
    """Return the expected information of strengths, order and log v: (n + 2, n + 2)."""
    n = len(number)
    weight = number * ((1 - p_tie) / 4 - half_lead**2)
    mixed = -number * half_lead * p_tie
    out = np.zeros((n + 2, n + 2))
    both = weight + weight.T
    out[:n, :n] = np.diag(both.sum(axis=1)) - both
    out[:n, n] = out[n, :n] = weight.sum(axis=1) - weight.sum(axis=0)
    out[n, n] = weight.sum()
    out[:n, -1] = out[-1, :n] = mixed.sum(axis=1) - mixed.sum(axis=0)
    out[n, -1] = out[-1, n] = mixed.sum()
    out[-1, -1] = (number * p_tie * (1 - p_tie)).sum()
    return out


def _centred_inverse(information: np.ndarray, used: np.ndarray) -> np.ndarray | None:
    """Return the inverse with centred strengths, 0 for parameters that are not `used`.

    The information has the null direction of equal shifts of all strengths. It is fixed by adding a
    multiple of its projection, not by cutting off small eigenvalues. None if it is singular
    otherwise.
    """
    n = len(information) - 2
    shift = np.zeros(n + 2)
    shift[:n] = 1.0
    scale = max(float(np.trace(information[:n, :n])) / n, 1e-300)
    full = information + scale / n * np.outer(shift, shift)
    grid = np.ix_(used, used)
    out = np.zeros_like(information)
    try:
        out[grid] = np.linalg.inv(full[grid])
    except np.linalg.LinAlgError:
        return None
    out[grid] -= np.outer(shift, shift)[grid] / (scale * n)
    return out if np.isfinite(out).all() else None


def largest_group(table: VoteTable) -> np.ndarray:
    """Return whether each system is in the largest group, within which strengths can be compared.

    Chains of wins and ties lead from each system of a group to every other. Of groups of equal
    size, that with most comparisons counts. Nobody is in it if it is a single system.
    """
    linked = table.wins + table.ties > 0
    label = connected_components(linked, connection="strong")[1]
    both = table.number + table.number.T
    size = np.bincount(label)
    comparisons = np.bincount(label, both.sum(axis=1))
    largest = np.lexsort((-comparisons, -size))[0]
    inside: np.ndarray = (label == largest) & (size[largest] > 1)
    return inside


def order_is_separable(table: VoteTable) -> bool:
    """Return whether order and strength can be separated.

    They cannot if numbers c exist with c_first - c_second = 1 in every vote, for example if the
    same one of two systems is always shown first.
    """
    first, second = np.nonzero(table.number > 0)
    n = len(table.tied)
    level = np.full(n, np.nan)
    step = coo_array((np.ones(len(first)), (first, second)), shape=(n, n)).tocsr()
    back = step.T.tocsr()
    for start in range(n):
        if not np.isnan(level[start]):
            continue
        level[start] = 0.0
        waiting = deque([start])
        while waiting:
            k = waiting.popleft()
            for matrix, change in ((step, -1.0), (back, 1.0)):
                for other in matrix.indices[matrix.indptr[k] : matrix.indptr[k + 1]]:
                    if np.isnan(level[other]):
                        level[other] = level[k] + change
                        waiting.append(int(other))
    return bool((level[first] - level[second] != 1).any())
