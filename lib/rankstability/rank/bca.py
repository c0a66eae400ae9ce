"""WMT26's test of two systems: bootstrap intervals of the difference of their means (BCa).

The same numbers as ``scipy.stats.bootstrap`` gives from the same generator, without its jackknife
of n by n cells, which the mean does not need.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

RESAMPLES = 100
Draw = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]


def resampled_means(sample: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Means of resamples with replacement, drawn as SciPy draws them."""
    size = len(sample)
    means: np.ndarray = sample[rng.integers(0, size, (resamples, size))].mean(axis=1)
    return means


def approximate_means(sample: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """The same from three moments (Cornish and Fisher): for many campaigns, in no time."""
    size, mean = len(sample), sample.mean()
    centred = sample - mean
    squares = centred * centred
    variance = squares.mean() / size
    skew = (squares @ centred) / size**3 / (6 * variance or 1.0)
    z = rng.standard_normal(resamples)
    means: np.ndarray = mean + np.sqrt(variance) * z + skew * (z * z - 1)
    return means


def either_bootstrap(
    scores: np.ndarray, rng: np.random.Generator, draw: Draw = resampled_means
) -> np.ndarray:
    """p of a paired or an independent bootstrap that a system is better than a later one.

    p < alpha just where the lower end of one of the two one-sided intervals of level 1 - alpha is
    above 0. Paired: over the segments both have, at least two, one of them won; independent: all
    segments of each, at least two. Each pair has its own draws. Before they are drawn from, scores
    are sorted, so that the order of segments does not matter.

    `scores` are (segments, systems), NaN where a system was not judged; p (systems, systems) has
    NaN on the diagonal and below.
    """
    n = scores.shape[1]
    p = np.full((n, n), np.nan)
    own = [np.sort(column[np.isfinite(column)]) for column in scores.T]
    columns = np.ascontiguousarray(scores.T)
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        gap = np.sort(columns[i] - columns[j])  # NaN last
        gap = gap[: np.isfinite(gap).sum()]
        paired = len(gap) > 1 and gap[-1] > 0
        both = len(own[i]) > 1 and len(own[j]) > 1
        p[i, j] = min(
            bootstrap_p((gap,), rng, draw) if paired else 1.0,
            bootstrap_p((own[i], own[j]), rng, draw) if both else 1.0,
        )
    return p


def bootstrap_p(
    samples: tuple[np.ndarray, ...],
    rng: np.random.Generator,
    draw: Draw = resampled_means,
    resamples: int = RESAMPLES,
) -> float:
    """The least alpha at which the BCa interval of a mean, or of a difference of two, is above 0.

    The interval is one-sided, its level 1 - alpha. 1 where SciPy gives no interval: all resamples
    on one side of the mean, or scores that never vary.
    """
    theta, drawn = 0.0, np.zeros(resamples)
    third = second = 0.0
    for sample, sign in zip(samples, (1.0, -1.0), strict=False):
        size, mean = len(sample), sample.mean()
        drawn += sign * draw(sample, resamples, rng)
        theta += sign * mean
        centred = sample - mean
        squares = centred * centred
        third += sign * (squares @ centred) / size**3
        second += squares.sum() / size**2
    acceleration = third / second**1.5 / 6 if second > 0 else np.nan
    drawn.sort()
    under = drawn.searchsorted(theta, "left") + drawn.searchsorted(theta, "right")
    middle = ndtri(under / (2 * resamples))
    lost = int(drawn.searchsorted(0.0, "right"))
    if not np.isfinite(acceleration + middle) or lost == resamples:
        return 1.0
    # the quantile of the resamples at which they pass 0, between two of them by a straight line
    share = (lost - 1 - drawn[lost - 1] / (drawn[lost] - drawn[lost - 1])) / (resamples - 1)
    if lost == 0 or share <= 0:
        return 0.0
    lead = ndtri(share) - middle
    bent = 1 + acceleration * lead
    if bent <= 0:
        return float(acceleration < 0)
    return float(ndtr(lead / bent - middle))
