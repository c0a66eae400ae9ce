"""Scores standardised by worker: a mean depends on the systems that its workers judged besides."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..score.scored import Scores


def in_company(scored: Scores, weight: np.ndarray) -> np.ndarray:
    """Weights, (systems, systems), by which means of standardised scores are freed of company.

    If a worker's scores have mean 0, the expected mean of a system is its own level less the mean
    level of what its workers judged: m = L mu, with L = 1 - H'P, H the workers' shares of each
    system's mean (by `weight`) and P the systems' shares of each worker's judgments. Returned is
    the pseudo-inverse of L.
    """
    n = len(scored.systems)
    worker = scored.unit("worker")
    cell = worker * n + scored.system
    size = (int(worker.max()) + 1) * n
    held = np.bincount(cell, weight, size).reshape(-1, n)
    judged = np.bincount(cell, minlength=size).reshape(-1, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_system = np.nan_to_num(held / held.sum(axis=0))
        of_worker = np.nan_to_num(judged / judged.sum(axis=1, keepdims=True))
    inverse: np.ndarray = np.linalg.pinv(
        np.eye(n) - of_system.T @ of_worker, rcond=1e-10
    )
    return inverse


def alone_together(scored: Scores) -> np.ndarray:
    """Whether no chain of workers joins two systems: (systems, systems)."""
    n = len(scored.systems)
    worker = scored.unit("worker")
    judged = np.zeros((int(worker.max()) + 1, n))
    judged[worker, scored.system] = 1.0
    group = connected_components(judged.T @ judged > 0, directed=False)[1]
    apart: np.ndarray = group[:, None] != group
    return apart
