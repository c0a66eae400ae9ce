"""What leaving each sampling unit out changes in means within segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .units import (
    sums_by,
)
from .within import (
    CONNECTED,
    StratumFit,
    component_means,
    components,
    mean_diagonal,
    pseudo_inverse,
    same_component,
)

SURELY_JOINED = 0.9  # information lost at most, so that leaving a unit out separates nothing
CHUNK = 4_000_000  # numbers in an array of (units, systems, systems)


@dataclass(frozen=True)
class LeaveOut:
    """What leaving each unit of one kind out changes in one stratum.

    Attributes
    ----------
    effect, level, share : arrays, shape (units, systems)
        b - b(-g), and the mean score of the component less that without g, both multiplied by
        sqrt((G - 1) / G); and the unit's share h of each system.
    separated : array of bool, shape (systems, systems)
        Whether leaving out some unit separates two systems that are otherwise joined.
    pair_effective : array, shape (systems, systems)
        e_st of each pair; NaN if not asked for, or if no segments join the two systems.
    """

    effect: np.ndarray
    level: np.ndarray
    share: np.ndarray
    separated: np.ndarray
    pair_effective: np.ndarray


def leave_out(fit: StratumFit, unit: np.ndarray, size: int, pairs: bool = True) -> LeaveOut:
    """Solve the normal equations again without each unit.

    Parameters
    ----------
    unit : array of int, shape (judgments,)
        Code of each judgment's unit, below `size`.
    pairs : bool
        Whether to compute e_st: with l_g = x' N+ (N - N(-g)) N+ x, for x = 1 at s and -1 at t, it
        is (sum of l)^2 / (sum of l^2).
    """
    n = len(fit.effect)
    present, local = np.unique(unit, return_inverse=True)
    effect, share, level = (np.zeros((size, n)) for _ in range(3))
    share[present] = sums_by(local, fit.stratum.system, fit.share, (len(present), n))
    level[present] = _level_influence(fit, local, len(present))
    separated = np.zeros((n, n), bool)
    total, squares = np.zeros((n, n)), np.zeros((n, n))
    for units, lost, right in _lost_information(fit, local, len(present)):
        effect[present[units]] = -_solve_without(fit, lost, right, separated)
        if pairs:
            both = fit.inverse @ lost @ fit.inverse
            own = np.einsum("uii->ui", both)
            part = own[:, :, None] + own[:, None, :] - 2 * both
            total += part.sum(axis=0)
            squares += (part**2).sum(axis=0)
    number = (share > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.nan_to_num(np.sqrt((number - 1) / number))
        joined = same_component(fit.component) & ~np.eye(n, dtype=bool) & pairs
        pair_effective = np.where(joined, total**2 / squares, np.nan)
    return LeaveOut(effect * scale, level * scale, share, separated, pair_effective)


def _level_influence(fit: StratumFit, local: np.ndarray, size: int) -> np.ndarray:
    """Return the mean score of each system's component less that without each unit."""
    n = len(fit.effect)
    stratum = fit.stratum
    of_component = fit.component[stratum.system]
    deviation = stratum.score - fit.level[stratum.system]
    weight = sums_by(local, of_component, stratum.weight, (size, n))
    moved = sums_by(local, of_component, stratum.weight * deviation, (size, n))
    rest = weight.sum(axis=0) - weight
    remains = rest > CONNECTED * weight.sum(axis=0)
    influence = np.divide(moved, rest, out=np.zeros_like(moved), where=remains)
    of_system: np.ndarray = influence[:, fit.component]
    return of_system


def _lost_information(
    fit: StratumFit, local: np.ndarray, size: int
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield, for runs of units, N - N(-g) and the right sides of the equations without g.

    Right sides are those of the residuals, so that the solution is b(-g) - b. Shapes (units,
    systems, systems) and (units, systems).
    """
    stratum = fit.stratum
    n = len(fit.effect)
    segments = len(fit.by_segment)
    rows, row = np.unique(local * segments + stratum.segment, return_inverse=True)
    first = np.searchsorted(rows // segments, np.arange(size + 1))
    by_row = np.argsort(row, kind="stable")
    start = np.searchsorted(row[by_row], np.arange(len(rows) + 1))
    step = max(1, CHUNK // (n * n))
    begin = 0
    while begin < size:
        # as many units as fit into the memory, and at least one
        fits = int(np.searchsorted(first, first[begin] + CHUNK // n, "right")) - 1
        end = min(max(fits, begin + 1), begin + step, size)
        of = slice(first[begin], first[end])
        judgments = by_row[start[of.start] : start[of.stop]]
        place = row[judgments] - of.start, stratum.system[judgments]
        weight = stratum.weight[judgments]
        shape = of.stop - of.start, n
        out = sums_by(*place, weight, shape)
        moved = sums_by(*place, weight * fit.residual[judgments], shape)
        yield (
            slice(begin, end),
            *_by_unit(
                fit.by_segment[rows[of] % segments], out, moved, first[begin : end + 1] - of.start
            ),
        )
        begin = end


def _by_unit(
    whole: np.ndarray, out: np.ndarray, moved: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Add what the units lose in each segment; rows are combinations of a unit and a segment.

    `whole` is H of the segment, `out` the part that is left out, `moved` the sum of its residuals;
    unit u has the rows from ``first[u]``.
    """
    total = whole.sum(axis=1, keepdims=True)
    keep = whole - out
    keep[np.abs(keep) < CONNECTED * total] = 0.0
    rest = keep.sum(axis=1, keepdims=True)
    inverse = np.divide(1.0, rest, out=np.zeros_like(rest), where=rest > 0)
    before = whole / np.sqrt(total)
    after = keep * np.sqrt(inverse)
    right = np.add.reduceat(
        keep * (moved.sum(axis=1, keepdims=True) * inverse) - moved, first[:-1], axis=0
    )
    lost = np.empty((len(first) - 1, whole.shape[1], whole.shape[1]))
    for u in range(len(lost)):
        rows = slice(first[u], first[u + 1])
        lost[u] = after[rows].T @ after[rows] - before[rows].T @ before[rows]
    diagonal = np.arange(whole.shape[1])
    lost[:, diagonal, diagonal] += np.add.reduceat(out, first[:-1], axis=0)
    return lost, right


def _solve_without(
    fit: StratumFit, lost: np.ndarray, right: np.ndarray, separated: np.ndarray
) -> np.ndarray:
    """Return b(-g) - b of each unit: (units, systems); mark in `separated` what falls apart.

    A unit cannot separate systems if the information that it takes, the trace of N+ (N - N(-g)), is
    below 1. Only the other units are examined for components.
    """
    scale = mean_diagonal(fit.normal)
    mean = component_means(fit.component)
    remaining = fit.normal - lost
    risky = np.einsum("ij,uij->u", fit.inverse, lost) > SURELY_JOINED
    moved = np.empty_like(right)
    safe = ~risky
    moved[safe] = np.linalg.solve(remaining[safe] + scale * mean, right[safe][:, :, None])[:, :, 0]
    largest = float(np.diag(fit.normal).max(initial=0.0))
    whole = same_component(fit.component)
    for u in np.flatnonzero(risky):
        component = components(remaining[u], largest)
        apart = whole & ~same_component(component)
        separated |= apart
        moved[u] = pseudo_inverse(remaining[u], component) @ right[u]
        if apart.any():
            moved[u] -= component_means(component) @ fit.effect
    return moved
