"""Means of systems, how units of each kind move them, and the tests of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from .units import Kind, difference_variance

ALONE = 1e-9  # effective units above one, at most, if one unit has all judgments of a system
STILL = 1e-12  # share of the squared range of scores: a smaller variance is a rounding error


@dataclass(frozen=True)
class Means:
    """Means of systems, by code, and how units of each kind move them.

    `cell`: for two kinds, the units that are their combinations. `span` is the range of scores, in
    comparison with which rounding errors are recognised; `scale`, the lowest and highest possible
    score. `decisions`, (systems,): of comparisons, how many each system had. `outside`: systems
    whose mean is infinite, given as NaN; others with NaN are left out.
    """

    systems: Sequence[str]
    mean: np.ndarray
    kinds: Mapping[str, Kind]
    cell: Kind | None = None
    span: float = 1.0
    scale: tuple[float, float] = (-np.inf, np.inf)
    decisions: np.ndarray | None = None
    outside: np.ndarray | None = None

    def take(self, systems: np.ndarray) -> Means:
        """Only these systems (codes), in this order."""
        return replace(
            self,
            systems=[self.systems[k] for k in systems],
            mean=np.asarray(self.mean, float)[systems],
            kinds={
                name: kind.take(systems) for name, kind in self.kinds.items()
            },
            cell=None if self.cell is None else self.cell.take(systems),
            decisions=None
            if self.decisions is None
            else self.decisions[systems],
            outside=None if self.outside is None else self.outside[systems],
        )

    def seen_through(self, weights: np.ndarray) -> Means:
        """The means and influences as sums over systems, weighted by the rows of `weights`."""

        def moved(kind: Kind) -> Kind:
            return replace(kind, influence=kind.influence @ weights.T)

        kinds = {name: moved(kind) for name, kind in self.kinds.items()}
        cell = None if self.cell is None else moved(self.cell)
        return replace(self, mean=weights @ self.mean, kinds=kinds, cell=cell)

    def freedom(self) -> np.ndarray:
        """Degrees of freedom of each system: effective units less one, of the kind with fewer."""
        sizes = [kind.effective for kind in self.kinds.values()]
        out = np.min(sizes or [np.ones(len(self.mean))], axis=0) - 1
        return np.where(out > ALONE, out, 0.0)

    def variances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Covariance of the means, variance of each difference, and variance of each mean."""
        kinds = list(self.kinds.values())
        covariances = [kind.covariance() for kind in kinds]
        floors = [
            self._floor(c, kind)
            for c, kind in zip(covariances, kinds, strict=True)
        ]
        if self.cell is not None:
            cells = self.cell.covariance()
            floors.append(self._floor(cells, self.cell))
            covariances.append(np.sum(covariances, axis=0) - cells)
        # the last: of no kind, of one kind, or of two together
        known = [np.zeros((len(self.mean),) * 2), *covariances]
        variances = [difference_variance(one) for one in known]
        own = np.max([np.diag(one) for one in known], axis=0)
        return known[-1], np.max([*variances, *floors], axis=0), own

    def _floor(self, covariance: np.ndarray, kind: Kind) -> np.ndarray:
        """The least variance of a difference of a system with many units and one with few.

        Were the second judged by as few of the first's units with the same effects, the means would
        still differ by that much; nothing if both have as many.
        """
        size = kind.effective if self.decisions is None else self.decisions
        with np.errstate(invalid="ignore", divide="ignore"):
            more = np.diag(covariance) * (size / size[:, None] - 1)
        more = np.where(np.isfinite(more), np.maximum(more, 0.0), 0.0)
        return np.maximum(more, more.T)

    def tests(self) -> tuple[np.ndarray, np.ndarray]:
        """Two-sided p of each pair (1 on the diagonal), and its degrees of freedom."""
        _, variance, _ = self.variances()
        freedom = self.freedom()
        df = np.minimum(freedom[:, None], freedom)
        known = (df > 0) & ~np.eye(len(df), dtype=bool)
        gap = np.abs(self.mean[:, None] - self.mean)
        moves = known & (variance > STILL * self.span**2) & np.isfinite(gap)
        p = np.ones_like(df)
        p[moves] = 2 * stdtr(df[moves], -gap[moves] / np.sqrt(variance[moves]))
        alike = known & ~moves & (gap > STILL * self.span)
        p[alike] = alike_p(df[alike])
        return p, df


def alike_p(df: np.ndarray) -> np.ndarray:
    """The p of a pair between which all units differ by exactly the same: that of a sign test."""
    return 2.0**-df
