"""Scores standardised by worker: a mean depends on the systems that its workers judged besides."""

import numpy as np

from ..score.scored import Scores
from .balanced import groups
from .units import cell_sums


def in_company(scored: Scores, weight: np.ndarray) -> np.ndarray:
    """Weights, (systems, systems), by which means of standardised scores are freed of company.

    If a worker's scores have mean 0, the expected mean of a system is its own level less the mean
    level of what its workers judged: m = L mu, with L = 1 - H'P, H the workers' shares of each
    system's mean (by `weight`) and P the systems' shares of each worker's judgments. Returned is
    the pseudo-inverse of L.
    """
    held = _of_workers(scored, weight)
    judged = _of_workers(scored, np.ones(scored.counted))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_system = np.nan_to_num(held / held.sum(axis=0))
        of_worker = np.nan_to_num(judged / judged.sum(axis=1, keepdims=True))
    company = of_system.T @ of_worker
    return np.linalg.pinv(np.eye(len(company)) - company, rcond=1e-10)


def alone_together(scored: Scores) -> np.ndarray:
    """Whether no chain of workers joins two systems: (systems, systems)."""
    group = groups(_of_workers(scored, np.ones(scored.counted)))
    return group[:, None] != group


def _of_workers(scored: Scores, weight: np.ndarray) -> np.ndarray:
    """The weight of each worker's judgments of each system: (workers, systems)."""
    worker = scored.unit("worker")
    shape = int(worker.max()) + 1, len(scored.systems)
    return cell_sums(worker, scored.system, weight, shape)
