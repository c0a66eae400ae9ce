"""One family of tests: which pairs, boundaries and rank sets are supported together."""

from __future__ import annotations

import numpy as np


def step_down(
    p: np.ndarray, alpha: float = 0.05, equal: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Declare pairs and boundaries together, with any error in at most `alpha` of rankings.

    Four steps are repeated until nothing is added:

    1. Boundaries. A boundary is supported if the largest p of the pairs across it is at most
       alpha / m. Here m is half the number of systems in groups of two or more between boundaries
       that are already supported. A false boundary in a group of b equal systems needs at least
       b - 1 of its b (b - 1) / 2 pairs at that level, so Markov's inequality bounds its probability
       by b / 2 times that level.
    2. Pairs. A pair is declared if its p is at most alpha times `pair_share`.
    3. Closure. If a is better than b, and b better than c, then a is better than c.
    4. Completion. A boundary is supported if every pair across it is declared.

    For boundaries alone the bound is proved under any dependence. For boundaries and pairs together
    it was found by simulation.

    Parameters
    ----------
    p : array, shape (n, n)
        Two-sided p of each pair; systems in order of their means, best first.
    alpha : float
        The error rate of all statements together.
    equal : array of int, shape (n,), optional
        A number for each system, the same for systems with equal means. The order within equal
        means then has no effect.

    Returns
    -------
    better : array of bool, shape (n, n)
        Whether the row's system is significantly better than the column's (above the diagonal).
    supported : array of bool, shape (n - 1,)
        True at r - 1 if the boundary below rank r is supported.
    """
    n = len(p)
    above = np.triu(np.ones((n, n), bool), 1)
    same_place = np.eye(n) if equal is None else (equal[:, None] == equal).astype(float)
    largest_p = np.array([p[:r, r:].max() for r in range(1, n)])
    better = np.zeros((n, n), bool)
    supported = np.zeros(max(n - 1, 0), bool)
    while True:
        before = better
        supported = supported | (largest_p * _half_of_grouped(supported) <= alpha)
        group = np.append(0, np.cumsum(supported))
        better = better | (group[:, None] < group)
        is_open = (same_place @ (above & ~better) @ same_place) > 0
        smallest_p = p[above & ~better].min(initial=1.0)
        if smallest_p <= alpha * _share_of_longest_run(is_open):
            better |= above & (p <= alpha * pair_share(is_open))
        better |= (better.astype(float) @ better) > 0
        supported = np.array([better[:r, r:].all() for r in range(1, n)], bool)
        if (better == before).all():
            return better, supported


def _half_of_grouped(supported: np.ndarray) -> float:
    """Return m: half the number of systems in groups of two or more between boundaries."""
    ends = np.flatnonzero(np.concatenate([[True], supported, [True]]))
    sizes = np.diff(ends)
    return float(sizes[sizes > 1].sum()) / 2


def _open_to(is_open: np.ndarray) -> np.ndarray:
    """Return for each place i the last j such that the run i..j is open; at least i."""
    places = np.arange(len(is_open))
    last = np.where(is_open, places, -1).max(axis=1, initial=-1)
    return np.maximum(np.maximum.accumulate(last), places)


def _share_of_longest_run(is_open: np.ndarray) -> float:
    """Return the share of the partition with one run, the longest: an upper limit, and quick."""
    longest = 1 + int((_open_to(is_open) - np.arange(len(is_open))).max(initial=0))
    return 2 / (longest * (longest - 1)) if longest > 1 else 1.0


def pair_share(is_open: np.ndarray) -> float:
    """Return the share of alpha at which an undeclared pair is tested: the least over partitions.

    In every state of the truth that the declared pairs allow, equal systems form runs of the order.
    A run i..j is open if some pair from i or above to j or below is undeclared. Take a partition of
    the order into open runs and single systems. It has K runs, which hold B systems, b each, and S
    is the sum of (b - 1)(b - 2) / 2. Its share is (1 - 2 K / B) / S, or 2 / B if all runs have two
    systems. Dynamic programming finds, for each number of single systems and of runs, the largest
    S.

    Parameters
    ----------
    is_open : array of bool, shape (n, n)
        Pairs, row above column, that are not declared.

    Examples
    --------
    >>> round(1 / pair_share(np.triu(np.ones((4, 4), bool), 1)))
    6
    """
    n = len(is_open)
    open_to = _open_to(is_open)
    # largest S by the number of systems so far, of single systems, and of runs
    largest = np.full((n + 1, n + 1, n // 2 + 1), -np.inf, np.float32)  # exact: integers
    largest[0, 0, 0] = 0.0
    for j in range(1, n + 1):
        largest[j, 1:] = largest[j - 1, :-1]
        for i in range(int(np.searchsorted(open_to, j - 1)), j - 1):
            added = (j - i - 1) * (j - i - 2) / 2
            before = largest[i, : i + 1, : i // 2 + 1] + added
            after = largest[j, : i + 1, 1 : i // 2 + 2]
            np.maximum(after, before, out=after)
    single, runs = np.indices(largest[n].shape)
    found = np.isfinite(largest[n]) & (runs > 0)
    in_runs = n - single[found]
    pairs = largest[n][found]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(pairs > 0, (1 - 2 * runs[found] / in_runs) / pairs, 2 / in_runs)
    return float(share.min(initial=1.0))
