"""Resampling units: what a repeat would draw afresh, and what each does to the means.

A unit is a worker, a HIT, a document, or a block (what one worker judged of one document of one
system). Judgments of one unit share its luck. Where the data name no one who judged and no document
(leaderboards), the unit is the item. What is certain of a ranking with other units is in
`rank.certainty`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from ..score.scored import Scores

TWO_WAY = "worker x document"
WORKER, DOCUMENT = TWO_WAY.split(" x ")
SEGMENT = "segment"
FULL = 0.1  # of the combinations of cells and systems: with fewer, matrices are sparse


def default_kinds(scored: Scores) -> tuple[str, ...]:
    """Worker and document if both are named, else the one that is, else a HIT; may be empty.

    Of a table with nothing but items (`Scores.items`), the segment.
    """
    if scored.items:
        return (SEGMENT,)
    named = tuple(filter(scored.has, (WORKER, DOCUMENT)))
    return named or tuple(filter(scored.has, ["hit"]))


def difference_variance(
    covariance: np.ndarray, least: float = 0.0
) -> np.ndarray:
    """Variance of the difference of every two means, from their covariance; at least `least`."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, least)


def cell_sums(
    row: np.ndarray,
    column: np.ndarray,
    weight: np.ndarray,
    shape: tuple[int, int],
) -> np.ndarray:
    """Sums of weights in the cells of two codes: an array of this shape."""
    cell = row.astype(np.int64) * shape[1] + column
    return np.bincount(cell, weight, shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True)
class Kind:
    """Units of one kind: their shares of each system's mean and influences on it.

    `share` is the unit's share of the weight of a system's mean (the sum is 1); `influence` is its
    part of the error of the mean, by leaving it out; both are (units, systems). `effective`,
    (systems,), is the effective number of units for each system: units of equal size that would
    weigh the same. Both matrices may be sparse where units are combinations of two kinds.
    """

    share: np.ndarray
    influence: np.ndarray
    effective: np.ndarray

    def covariance(self) -> np.ndarray:
        """Covariance of the systems' means if only the units of this kind were others."""
        product = self.influence.T @ self.influence
        dense = isinstance(product, np.ndarray)
        return product if dense else product.toarray()

    def take(self, systems: np.ndarray) -> Kind:
        """The units with only these systems (codes), in this order."""
        return Kind(
            self.share[:, systems],
            self.influence[:, systems],
            self.effective[systems],
        )


def within_domains(
    score: np.ndarray,
    share: np.ndarray,
    means: np.ndarray,
    *,
    unit: np.ndarray,
    system: np.ndarray,
    domain: np.ndarray,
    cells: bool = False,
) -> Kind:
    """Units with influences about the mean of each domain (about the system's if there is one).

    `share` is the judgment's share of its system's mean. An influence is that of leaving the unit
    out of its domain (delete-one jackknife: MacKinnon, Nielsen and Webb 2023). The effective number
    of units is one more than the degrees of freedom of the sum of the domains' variances, by
    Satterthwaite with equally variable units: little more than in a domain with few documents that
    weighs as much as the others. Domains in which one unit holds all of a system are pooled, about
    the system's mean. `cells`: units are combinations of two kinds, of which there may be many.
    """
    n = len(means)
    size = int(unit.max()) + 1
    strata = (int(domain.max()) + 1) * n
    stratum = domain * n + system
    # a part is what a unit has of one system in one domain; a pair, what it has of one system
    parts, part = np.unique(
        unit.astype(np.int64) * strata + stratum, return_inverse=True
    )
    of = parts % strata  # the stratum of each part
    pairs, pair = np.unique(
        parts // strata * n + parts % n, return_inverse=True
    )

    held = np.bincount(part, share)
    total = np.bincount(of, held, strata)
    number = np.bincount(of, minlength=strata)
    alone = number == 1
    whole = np.bincount(pair, held)
    system_of = pairs % n
    units_of_system = np.tile(np.bincount(system_of, minlength=n), strata // n)
    left_out = np.where(
        alone, units_of_system, number
    )  # how many are, one by one
    with np.errstate(invalid="ignore", divide="ignore"):
        own = np.bincount(stratum, share * score, strata) / total
        centre = np.where(alone, np.tile(means, strata // n), own)
        pooled_share = np.bincount(pair, held * alone[of])[pair]
        inside = np.where(alone[of], pooled_share, held / total[of])
        deviation = np.bincount(part, share * (score - centre[stratum]))
        scale = np.sqrt((left_out[of] - 1) / left_out[of]) / np.maximum(
            1 - inside, 1e-12
        )
        influence = np.bincount(pair, deviation * scale)
        units = 1 / np.bincount(of, inside**2, strata)
        several = (total > 0) & ~alone
        # of each domain in the variance
        weight = np.where(several, total**2 / units, 0.0)
        squared = np.where(several, weight**2 / (units - 1), 0.0)
        pooled = np.where(alone, total**2, 0.0)
        weight, squared, pooled = (
            x.reshape(-1, n).sum(axis=0) for x in (weight, squared, pooled)
        )
        pooled_freedom = np.maximum(alone.reshape(-1, n).sum(axis=0) - 1, 1)
        freedom = (weight + pooled) ** 2 / (
            squared + pooled**2 / pooled_freedom
        )
        effective = np.minimum(
            1 / np.bincount(system_of, whole**2, n), 1 + freedom
        )
    place = np.divmod(pairs, n)
    shares, influences = (
        coo_array((part, place), shape=(size, n)).tocsr()
        for part in (whole, influence)
    )
    if cells and len(pairs) < FULL * size * n:
        return Kind(shares, influences, effective)
    return Kind(shares.toarray(), influences.toarray(), effective)


def jackknifed(share: np.ndarray, part: np.ndarray) -> Kind:
    """Units with their parts of the means' errors, as leaving each out would show them.

    A part is divided by 1 - share, and multiplied by the square root of (G - 1) / G, with G the
    units that the system has.
    """
    number = (share > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt((number - 1) / number) / np.maximum(1 - share, 1e-12)
        effective = 1 / (share**2).sum(axis=0)
    return Kind(share, part * scale, effective)
