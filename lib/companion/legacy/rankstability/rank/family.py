"""One family of tests: which pairs, lines and rank sets of a ranking are declared together."""

import numpy as np


def family(
    p: np.ndarray, alpha: float = 0.05, equal: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and lines that are declared together, with any error in at most `alpha` of campaigns.

    A line is held if the largest p across it is at most alpha / m, with m half the number of
    systems in blocks of two or more between lines already held: a false line in a group of b equal
    systems needs b - 1 of its pairs at that level, which by Markov's inequality has at most b / 2
    times its probability. Any other pair is declared if its p is at most alpha times `pair_share`,
    and so is what follows (if a is better than b, and b than c, then a than c). This is repeated
    until nothing is added. For lines alone the bound is proved; for lines and pairs together it was
    found by simulation (``benchmarks/results/certainty.csv``).

    Parameters
    ----------
    p : array, shape (n, n)
        Two-sided p of each pair, systems in order of their means.
    equal : array of int, shape (n,), optional
        Numbers of the systems' means, the same for equal means, whose order says nothing.

    Returns
    -------
    declared : array of bool, shape (n, n)
        Row better than column (above the diagonal only).
    held : array of bool, shape (n - 1,)
        True at k - 1 for a line that holds below rank k.
    """
    n = len(p)
    above = np.triu(np.ones((n, n), bool), 1)
    tied = (
        np.eye(n) if equal is None else (equal[:, None] == equal).astype(float)
    )
    line = np.array([p[:k, k:].max() for k in range(1, n)])
    declared = np.zeros((n, n), bool)
    held = np.zeros(max(n - 1, 0), bool)
    while True:
        before = declared
        ends = np.flatnonzero(np.concatenate([[True], held, [True]]))
        sizes = np.diff(ends)
        groups = sizes[sizes > 1].sum() / 2
        held = held | (line * groups <= alpha)
        across = np.append(0, np.cumsum(held))
        declared = declared | (across[:, None] < across)
        undeclared = (tied @ (above & ~declared) @ tied) > 0
        declared |= above & (p <= alpha * pair_share(undeclared))
        declared |= (declared.astype(float) @ declared) > 0
        held = np.array([declared[:k, k:].all() for k in range(1, n)], bool)
        if (declared == before).all():
            return declared, held


def pair_share(undeclared: np.ndarray) -> float:
    """The share of alpha at which a pair not yet declared is tested: the least over all partitions.

    In any state of the truth that the declared pairs allow, equal systems form runs of the order; a
    run i..j is open if a pair from i or above to j or below is undeclared. For a partition of the
    order into open runs and single systems, with G runs that hold B systems, b each, and S the sum
    of (b - 1) (b - 2) / 2, the share is (1 - 2 G / B) / S; 2 / B where all runs are of two.

    It is found by dynamic programming over the order: for each number of single systems and of
    runs, the largest S.
    """
    n = len(undeclared)
    # for each place i the last j such that the run i..j is open, at least i
    places = np.arange(n)
    last = np.where(undeclared, places, -1).max(axis=1, initial=-1)
    open_to = np.maximum(np.maximum.accumulate(last), places)
    best = np.full(
        (n + 1, n + 1, n // 2 + 1), -np.inf
    )  # of the first j systems
    best[0, 0, 0] = 0.0
    for j in range(1, n + 1):
        best[j, 1:] = best[j - 1, :-1]
        for i in range(int(np.searchsorted(open_to, j - 1)), j - 1):
            pairs = (j - i - 1) * (j - i - 2) / 2
            before = best[i, : i + 1, : i // 2 + 1] + pairs
            after = best[j, : i + 1, 1 : i // 2 + 2]
            np.maximum(after, before, out=after)
    single, runs = np.indices(best[n].shape)
    found = np.isfinite(best[n]) & (runs > 0)
    held = n - single[found]
    runs = runs[found]
    pairs = best[n][found]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(pairs > 0, (1 - 2 * runs / held) / pairs, 2 / held)
    return float(share.min(initial=1.0))
