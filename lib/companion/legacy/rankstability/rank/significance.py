"""Tests between systems: all pairs at once, by name; corrections for many tests."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr

from ..errors import DataError

Floats = NDArray[np.float64]

TESTS = {
    "scipy<1.7": "Mann-Whitney as SciPy before 1.7 did by default: half the two-sided asymptotic p",
    "two-sided": "Mann-Whitney, two-sided, asymptotic, tie-corrected, continuity 0.5",
    "greater": "Mann-Whitney, one-sided: the first system is better",
}
CORRECTIONS = ("none", "holm", "benjamini-hochberg")


def check_level(alpha: float) -> None:
    """Raises DataError for a level outside (0, 1)."""
    if not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < 1:
        raise DataError(
            "alpha out of range",
            value=alpha,
            expected="a number between 0 and 1",
        )


def rank_sum(
    values: np.ndarray, groups: np.ndarray, size: int, test: str = "scipy<1.7"
) -> tuple[np.ndarray, np.ndarray]:
    """Mann-Whitney tests between all pairs of groups at once.

    All rank sums come from one histogram of values by group: one sort, two matrix products.
    Values are tied if they are equal as floating-point numbers. ``scipy<1.7`` is what Knowles
    (2021, section 3, footnote 8) used: U = max(U1, U2), mean n1 n2 / 2, continuity 0.5, variance
    corrected for ties, p = the upper tail, which ignores which of the two is better. `values` are
    segment scores without NaN, `groups` their systems, 0 to `size` - 1. Raises DataError for an
    unknown test.

    Returns
    -------
    p : array, shape (size, size)
        p[i, j] for system i against j; NaN on the diagonal, where a system has no values, and
        where all values of the two are equal.
    lead : array, shape (size, size)
        U[i, j] - n_i n_j / 2: positive where i tends to be the better of the two.
    """
    if test not in TESTS:
        raise DataError("unknown test", value=test, expected=", ".join(TESTS))
    distinct, inverse = np.unique(values, return_inverse=True)
    counts = np.bincount(
        inverse * size + groups, minlength=distinct.size * size
    )
    h = counts.reshape(distinct.size, size).astype(float)
    # u[i, j]: pairs in which i is above j, ties half
    u = h.T @ (np.cumsum(h, axis=0) - h / 2)
    n = h.sum(axis=0)
    squares = h * h
    cross = squares.T @ h
    cubes = cross.diagonal()
    ties = np.add.outer(cubes - n, cubes - n) + 3 * (cross + cross.T)
    product = np.outer(n, n)
    total = np.add.outer(n, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = product / 12 * (total + 1 - ties / (total * (total - 1)))
        lead = u - product / 2
        deviation = lead if test == "greater" else np.abs(lead)
        z = (deviation - 0.5) / np.sqrt(variance)
    p = ndtr(-z)
    if test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    p[~np.isfinite(z)] = np.nan
    np.fill_diagonal(p, np.nan)
    return p, lead


def adjusted(p: np.ndarray, method: str) -> np.ndarray:
    """p-values of one family adjusted for their number, by ``holm`` or ``benjamini-hochberg``."""
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")
    n = len(p)
    if (
        method == "holm"
    ):  # statsmodels' multipletests collects garbage at each call
        steps = np.maximum.accumulate(p[order] * (n - np.arange(n)))
    else:
        steps = np.minimum.accumulate(
            (p[order] * n / np.arange(1, n + 1))[::-1]
        )[::-1]
    out = np.empty(n)
    out[order] = np.minimum(steps, 1.0)
    return out


def correct(p: np.ndarray, method: str) -> np.ndarray:
    """Symmetric p-values, (n, n), corrected over all pairs of a ranking; NaN where `p` is NaN.

    Raises DataError if `method` is not one of `CORRECTIONS`.
    """
    if method not in CORRECTIONS:
        raise DataError(
            "unknown correction", value=method, expected=", ".join(CORRECTIONS)
        )
    corrected = p.copy()
    if method != "none":
        rows, columns = np.nonzero(np.triu(np.isfinite(p), 1))
        corrected[rows, columns] = corrected[columns, rows] = adjusted(
            p[rows, columns], method
        )
    return corrected


def sign_test(wins: NDArray, losses: NDArray) -> Floats:
    """Two-sided p of sign tests, elementwise; 1 where there are no wins and losses."""
    total = wins + losses
    less = np.minimum(wins, losses).astype(float)
    return np.minimum(
        2 * bdtr(less, np.maximum(total, 1).astype(int), 0.5), 1.0
    )


def permutation_test(
    sums: np.ndarray,
    permutations: int,
    rng: np.random.Generator,
    block: int = 25,
) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided permutation test of every pair of systems, labels swapped by whole documents.

    Swapping two systems' labels on a document reverses the sign of that document's difference, so
    signs drawn once per study serve every pair in one matrix product. `sums` of segment scores are
    by study, system and document, (n, S, d). Returns p, the share of the `permutations` that are at
    least as extreme (Riley et al. 2024, section 5), and strength, |difference| over its standard
    deviation under the test, which orders pairs with equal p: both (n, P), pairs as from
    ``np.triu_indices(S, 1)``.
    """
    n, systems, d = sums.shape
    i, j = np.triu_indices(systems, 1)
    p = np.empty((n, len(i)))
    strength = np.empty((n, len(i)))
    for start in range(0, n, block):
        part = sums[start : start + block]
        signs = draw_signs(len(part), permutations, d, rng)
        swapped = signs @ part.swapaxes(1, 2)  # (block, permutations, S)
        swapped = np.ascontiguousarray(swapped.swapaxes(1, 2))
        gaps = part[:, i] - part[:, j]
        seen = np.abs(gaps.sum(axis=2))
        scale = np.sqrt((gaps**2).sum(axis=2))
        limit = seen - 1e-9 * np.maximum(scale, 1e-12)
        for pair in range(len(i)):
            drawn = np.abs(swapped[:, i[pair]] - swapped[:, j[pair]])
            p[start : start + block, pair] = (
                drawn >= limit[:, pair, None]
            ).mean(axis=1)
        strength[start : start + block] = np.divide(
            seen, scale, where=scale > 0, out=np.zeros_like(seen)
        )
    return p, strength


def draw_signs(
    n: int, permutations: int, d: int, rng: np.random.Generator
) -> np.ndarray:
    """(n, permutations, d) of -1 and 1, each with probability 1/2."""
    bits = np.frombuffer(
        rng.bytes(n * permutations * (-(-d // 8))), dtype=np.uint8
    )
    return (
        np.unpackbits(bits.reshape(n, permutations, -1), axis=2)[:, :, :d]
        * 2.0
        - 1.0
    )
