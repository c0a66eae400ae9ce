"""TrueSkill of systems, one comparison after the other: the method of WMT14 to WMT16.

Sakaguchi, Post and Van Durme (2014): ranked blocks become pairs; the skill of each system is a
normal belief that each result moves. Settings and the way in which the next pair is chosen are
those of their published script. No drift.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections import defaultdict
from itertools import accumulate

import numpy as np
from scipy.special import ndtr, ndtri

SIGMA = 0.5  # spread of skills before the first result
DRAW = 0.25  # share of ties
MARGIN = float(ndtri((DRAW + 1) / 2))  # of a tie, in spreads of a difference of performances
PER_BETA = 40.0  # a performance spreads about its skill by `SIGMA` for so many comparisons


def meet(
    mean: list[float], variance: list[float], a: int, b: int, result: int, beta: float
) -> None:
    """Move the beliefs about two systems by one result: 1 if the first is better, 0 for a tie."""
    if result < 0:
        a, b = b, a
    c = math.sqrt(2 * beta**2 + variance[a] + variance[b])
    margin = MARGIN * math.sqrt(2) * beta
    v, w = _moves((mean[a] - mean[b]) / c, margin / c, result == 0)
    for k, way in ((a, 1.0), (b, -1.0)):
        mean[k] += way * variance[k] / c * v
        variance[k] *= 1 - variance[k] / c**2 * w


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


def sought(
    first: np.ndarray, second: np.ndarray, sign: np.ndarray, systems: int, rng: np.random.Generator
) -> np.ndarray:
    """Mean skills after as many results as there are comparisons, each sought where it tells most.

    The system known least meets one drawn by exp(-difference of their mean skills) of those it was
    compared with; of their comparisons (from `score.pairwise.comparisons`) one is drawn, with
    replacement.
    """
    games: dict[int, dict[int, list[tuple[int, int, int]]]] = defaultdict(lambda: defaultdict(list))
    for a, b, result in zip(first.tolist(), second.tolist(), sign.tolist(), strict=True):
        games[a][b].append((a, b, result))
        games[b][a].append((a, b, result))
    mean, variance = [0.0] * systems, [SIGMA**2] * systems
    beta = SIGMA * len(first) / PER_BETA
    for meets, which in rng.random((len(first), 2)).tolist():
        least = max(games, key=variance.__getitem__)
        others = list(games[least])
        chances = list(accumulate(math.exp(-abs(mean[least] - mean[b])) for b in others))
        of_pair = games[least][others[bisect(chances, meets * chances[-1])]]
        meet(mean, variance, *of_pair[int(which * len(of_pair))], beta)
    return np.array(mean)


def repeated(
    first: np.ndarray,
    second: np.ndarray,
    sign: np.ndarray,
    systems: int,
    rng: np.random.Generator,
    runs: int = 20,
) -> np.ndarray:
    """Mean skills over `runs` runs of `sought`: what is ranked by."""
    return np.mean([sought(first, second, sign, systems, rng) for _ in range(runs)], axis=0)
