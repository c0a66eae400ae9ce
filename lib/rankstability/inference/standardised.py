"""Scores standardised by annotator: adjust means for the other systems that annotators judged.

If the scores of each annotator have mean 0, the mean of a system is its own level less the mean
level of what its annotators judged. With true levels mu, the expected means are L mu, where column
t of L holds the estimated means of [judgment is of system t] - P[annotator, t], and P the share of
each system in an annotator's judgments. For plain means L = 1 - H'P, with H the annotators' shares
of each system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse.csgraph import connected_components

from .over_strata import WithinTests, largest_variance
from .units import sums_by
from .within import StratumFit, estimate


def annotator_shares(
    annotator: np.ndarray, system: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return P and the joined systems.

    Returns
    -------
    shares : array, shape (annotators, systems)
        Share of each system in the judgments of each annotator.
    joined : array of bool, shape (systems, systems)
        Whether a chain of annotators joins two systems.
    """
    counts = sums_by(annotator, system, np.ones(len(system)), (int(annotator.max()) + 1, n))
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    group = connected_components(counts.T @ counts > 0, directed=False)[1]
    return shares, group[:, None] == group


def expectation(fits: Sequence[StratumFit], shares: np.ndarray) -> np.ndarray:
    """Return the matrix L: the expected standardised means are L @ mu, for true means mu."""
    n = shares.shape[1]
    matrix = np.zeros((n, n))
    for fit in fits:
        of_annotator = shares[fit.stratum.units["annotator"]]
        for t in range(n):
            values = (fit.stratum.system == t) - of_annotator[:, t]
            matrix[:, t] += fit.stratum.factor * estimate(fit, values)
    return matrix


def adjust(
    tests: WithinTests, fits: Sequence[StratumFit], shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the adjusted means L+ y, and V of their differences.

    Influences are I L+'. Where segments join all systems, I holds influences on the effects.
    """
    inverse = np.linalg.pinv(expectation(fits, shares), rcond=1e-10)
    units = {**tests.kinds, **({} if tests.cells is None else {"cell": tests.cells})}
    together = {}
    for kind, unit in units.items():
        influence = tests.effects[kind] if tests.joined.all() else unit.influence
        moved = influence @ inverse.T
        together[kind] = replace(unit, influence=moved), moved
    return inverse @ tests.mean, largest_variance(together, tests.joined)
