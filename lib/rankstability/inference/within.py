"""Means of systems within segments, with every sampling unit really left out.

Systems are compared on the segments that they share, so that a system with easier segments gains
nothing. Scores are fitted on system and segment by weighted least squares. On a complete crossed
table the result is that of plain means. The influence of a unit is found by solving the normal
equations again without its judgments, where only the segments that it touches change.

Systems that no chain of shared segments joins belong to different components. Within a component
systems are compared within segments; across components, by the component's mean score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from .units import (
    sums_by,
)

CONNECTED = 1e-9  # share of the largest diagonal entry: a smaller link is a rounding error


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


def same_component(component: np.ndarray) -> np.ndarray:
    """Return whether two systems are of one component: (systems, systems)."""
    same: np.ndarray = component[:, None] == component
    return same


def component_means(component: np.ndarray) -> np.ndarray:
    """Return the matrix that takes the mean over each component."""
    same = same_component(component).astype(float)
    projection: np.ndarray = same / same.sum(axis=1)
    return projection


def mean_diagonal(normal: np.ndarray) -> float:
    """Return the mean of the diagonal, or 1 if no segment is shared."""
    return float(np.trace(normal)) / len(normal) or 1.0


def pseudo_inverse(normal: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Return the pseudo-inverse of normal equations whose null space is that of the components."""
    scale = mean_diagonal(normal)
    mean = component_means(component)
    inverse: np.ndarray = np.linalg.inv(normal + scale * mean) - mean / scale
    return inverse
