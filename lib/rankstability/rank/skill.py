"""TrueSkill of systems, one comparison after the other: the method of WMT14 to WMT16, own settings.

Sakaguchi, Post and Van Durme (2014): ranked blocks become pairs, met in random order; the skill of
each system is a normal belief that each result moves. No drift, so that order only matters little.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

SIGMA, BETA, DRAW = 0.5, 0.25, 0.25
"""Spread of skills before the first result, of a performance about its skill, share of ties: ours,
not held against the scripts of those years."""


def trueskill(
    first: np.ndarray,
    second: np.ndarray,
    sign: np.ndarray,
    systems: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each system's skill after these comparisons, in their order.

    Parameters
    ----------
    first, second, sign : array of int
        From `score.pairwise.comparisons`: the sign is 1 where the first was ranked better, -1 where
        worse, 0 for a tie.
    """
    mean, variance = [0.0] * systems, [SIGMA**2] * systems
    margin = float(ndtri((DRAW + 1) / 2)) * math.sqrt(2) * BETA
    for a, b, result in zip(first.tolist(), second.tolist(), sign.tolist(), strict=True):
        if result < 0:
            a, b = b, a
        c = math.sqrt(2 * BETA**2 + variance[a] + variance[b])
        v, w = _moves((mean[a] - mean[b]) / c, margin / c, result == 0)
        for k, way in ((a, 1.0), (b, -1.0)):
            mean[k] += way * variance[k] / c * v
            variance[k] *= 1 - variance[k] / c**2 * w
    return np.array(mean), np.sqrt(variance)


def _moves(t: float, e: float, tie: bool) -> tuple[float, float]:
    """By how much a result moves the mean, and narrows the variance (Herbrich et al. 2006)."""
    if not tie:
        mass = float(ndtr(t - e))
        v = _density(t - e) / mass if mass > 1e-300 else e - t
        return v, v * (v + t - e)
    mass = float(ndtr(e - t) - ndtr(-e - t))
    if mass < 1e-300:
        return (-e - t if t < 0 else e - t), 1.0
    v = (_density(-e - t) - _density(e - t)) / mass
    return v, v * v + ((e - t) * _density(e - t) + (e + t) * _density(e + t)) / mass


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def repeated(
    first: np.ndarray,
    second: np.ndarray,
    sign: np.ndarray,
    systems: int,
    rng: np.random.Generator,
    runs: int = 20,
) -> np.ndarray:
    """Mean skills over `runs` random orders of the comparisons: what is ranked by."""
    total = np.zeros(systems)
    for _ in range(runs):
        order = rng.permutation(len(first))
        total += trueskill(first[order], second[order], sign[order], systems)[0]
    return total / runs
