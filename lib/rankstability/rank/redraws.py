"""Mean scores with units drawn anew: bootstrap over one kind of unit or two, and normal draws."""

from __future__ import annotations

import numpy as np

from ..score.scored import Scored
from .units import MOST_CELLS, TWO_WAY, unit_totals


def draw_means(
    scored: Scored,
    unit: str,
    rng: np.random.Generator,
    resamples: int,
    by_domain: bool = False,
) -> np.ndarray:
    """Mean scores in campaigns whose units (as of `units.estimate`) are drawn with replacement.

    Shape (resamples, systems); NaN where a resample holds no judgment of a system.
    """
    weight, n = scored.weights(by_domain), len(scored.systems)
    if unit == TWO_WAY:
        codes = (scored.system, scored.unit("worker"), scored.unit("document"))
        return two_way_bootstrap(*codes, scored.score, rng, resamples, weight, n)
    totals = unit_totals(scored.system, scored.unit(unit), scored.score, weight, n)
    return bootstrap(*totals, rng, resamples)


def bootstrap(
    sums: np.ndarray, weights: np.ndarray, rng: np.random.Generator, resamples: int
) -> np.ndarray:
    """Ratios of sums to weights, (resamples, systems), of units drawn anew with replacement.

    `sums` and `weights`, (units, systems), are such as from `unit_totals`.
    """
    units = len(sums)
    step = max(1, MOST_CELLS // units)
    parts = []
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        times = rng.multinomial(units, np.full(units, 1 / units), size).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts.append((times @ sums) / (times @ weights))
    return np.concatenate(parts)


def normal_draws(covariance: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draws about 0 with this covariance, (draws, systems); negative eigenvalues count as 0."""
    return rng.standard_normal((draws, len(covariance))) @ normal_root(covariance).T


def normal_root(covariance: np.ndarray) -> np.ndarray:
    """A matrix whose product with its transpose is this covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def two_way_bootstrap(
    system: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    rng: np.random.Generator,
    resamples: int = 1000,
    weight: np.ndarray | None = None,
    systems: int | None = None,
) -> np.ndarray:
    """Mean scores in campaigns whose documents and annotators are both drawn anew.

    The pigeonhole bootstrap: each kind of unit is resampled on its own, and a judgment counts as
    often as its two units were drawn together (Owen 2007). Shape and NaN as of `draw_means`.
    """
    n = int(system.max()) + 1 if systems is None else systems
    width = int(second.max()) + 1
    names, cell = np.unique(first.astype(np.int64) * width + second, return_inverse=True)
    sums, weights = unit_totals(system, cell, score, weight, n)
    times = np.ones(1)
    for codes in (names // width, names % width):
        distinct, place = np.unique(codes, return_inverse=True)
        number = len(distinct)
        count = rng.multinomial(number, np.full(number, 1 / number), resamples)
        times = times * count[:, place]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (times @ sums) / (times @ weights)


def rank_probabilities(ranks: np.ndarray) -> np.ndarray:
    """Share of resamples in which each system has each rank: shape (systems, ranks)."""
    return np.stack([(ranks == k + 1).mean(axis=0) for k in range(ranks.shape[1])], axis=1)
