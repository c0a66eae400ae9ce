"""Resampling units: what another campaign would have others of, and what each does to the means.

A unit is a worker, a HIT, a document, or a block (what one worker judged of one document of one
system). Judgments of one unit share its luck. What is certain of a ranking with other units is in
`rank.certainty`; the resampled campaigns here are only a description.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..score.scored import Scores

MOST_CELLS = 20_000_000  # resamples times units that are held in memory at once
TWO_WAY = "worker x document"
UNITS = ("worker", "hit", "document", "block", TWO_WAY)
WORKER, DOCUMENT = TWO_WAY.split(" x ")


def default_kinds(scored: Scores) -> tuple[str, ...]:
    """Worker and document if both are named, else the one that is, else a HIT; may be empty."""
    return tuple(filter(scored.has, (WORKER, DOCUMENT))) or tuple(filter(scored.has, ["hit"]))


def unit_table(scored: Scores) -> pd.DataFrame:
    """The kinds of unit that these judgments name, the number of each, and the default.

    Columns unit, units (their number; for two kinds, the smaller one), inside (kinds of unit in
    which each of these is contained, joined by `` + ``), default (0 or 1, by `default_kinds`; all 0
    if it is empty). Segments are never a unit.
    """
    codes = {name: scored.unit(name) for name in UNITS[:-1] if scored.has(name)}
    number = {name: len(np.unique(c)) for name, c in codes.items()}
    inside = {
        name: [o for o in codes if o != name and nested(codes[name], codes[o])] for name in codes
    }
    if {WORKER, DOCUMENT} <= codes.keys():
        number[TWO_WAY], inside[TWO_WAY] = min(number[WORKER], number[DOCUMENT]), []
    default = " x ".join(default_kinds(scored))
    rows = [(u, n, " + ".join(inside[u]), int(u == default)) for u, n in number.items()]
    return pd.DataFrame(rows, columns=["unit", "units", "inside", "default"])


def nested(inner: np.ndarray, outer: np.ndarray) -> bool:
    """Whether each level of one factor is contained in a level of another."""
    pairs = np.unique(inner.astype(np.int64) * (int(outer.max()) + 1) + outer)
    return len(pairs) == len(np.unique(inner))


def difference_variance(covariance: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Variance of the difference of every two means, from their covariance; at least `least`."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, least)


def unit_totals(
    system: np.ndarray, unit: np.ndarray, score: np.ndarray, weight: np.ndarray, systems: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums of scores, and sums of weights: both (units, systems), for units in use.

    `system` and `unit` hold the codes of each judgment; `weight` may be 1 / n for the n judgments
    of one output, so that a segment counts once; `systems` is the number of systems.
    """
    _, unit = np.unique(unit, return_inverse=True)
    key, size = unit * systems + system, (int(unit.max()) + 1) * systems
    sums, held = np.bincount(key, weight * score, size), np.bincount(key, weight, size)
    return sums.reshape(-1, systems), held.reshape(-1, systems)


@dataclass(frozen=True)
class Kind:
    """Units of one kind: their shares of each system and influences on it, both (units, systems).

    `share` is the unit's share of the weight of a system's mean (the sum is 1); `influence` is its
    part of the error of the mean, corrected for small samples. `effective`, (systems,), is the
    effective number of units for each system: units of equal size that would weigh the same.
    """

    share: np.ndarray
    influence: np.ndarray
    effective: np.ndarray

    def covariance(self) -> np.ndarray:
        """Covariance of the systems' means if only the units of this kind were others."""
        return self.influence.T @ self.influence

    def take(self, systems: np.ndarray) -> Kind:
        """The units with only these systems (codes), in this order."""
        return Kind(self.share[:, systems], self.influence[:, systems], self.effective[systems])


def within_domains(
    score: np.ndarray,
    share: np.ndarray,
    means: np.ndarray,
    *,
    unit: np.ndarray,
    system: np.ndarray,
    domain: np.ndarray,
) -> Kind:
    """Units with influences about the mean of each domain (about the system's if there is one).

    `share` is the judgment's share of its system's mean. CR2 corrects for the unit's share of its
    domain. The effective number of units is one more than the degrees of freedom of the sum of the
    domains' variances, by Satterthwaite with equally variable units: little more than in a domain
    with few documents that weighs as much as the others. Domains in which one unit holds all of a
    system are pooled, about the system's mean.
    """
    n = len(means)
    size, strata = int(unit.max()) + 1, (int(domain.max()) + 1) * n
    stratum = domain * n + system
    cells, cell = np.unique(unit.astype(np.int64) * strata + stratum, return_inverse=True)
    within_unit, of = cells // strata * n + cells % n, cells % strata

    def by_unit(values: np.ndarray) -> np.ndarray:
        return np.bincount(within_unit, values, size * n).reshape(size, n)

    held, squares = np.bincount(cell, share), np.bincount(cell, share**2)
    total, alone = np.bincount(of, held, strata), np.bincount(of, minlength=strata) == 1
    with np.errstate(invalid="ignore", divide="ignore"):
        own = np.bincount(stratum, share * score, strata) / total
        centre = np.where(alone, np.tile(means, strata // n), own)
        inside = held / np.where(alone, 1.0, total)[of]
        rest = 1 - by_unit(squares * inside) / by_unit(squares)
        part = by_unit(np.bincount(cell, share * (score - centre[stratum])))
        units = 1 / np.bincount(of, inside**2, strata)
        several = (total > 0) & ~alone
        weight = np.where(several, total**2 / units, 0.0)  # of each domain in the variance
        squared = np.where(several, weight**2 / (units - 1), 0.0)
        pooled = np.where(alone, total**2, 0.0)
        weight, squared, pooled = (x.reshape(-1, n).sum(axis=0) for x in (weight, squared, pooled))
        pooled_freedom = np.maximum(alone.reshape(-1, n).sum(axis=0) - 1, 1)
        freedom = (weight + pooled) ** 2 / (squared + pooled**2 / pooled_freedom)
        whole = by_unit(held)
        effective = np.minimum(1 / (whole**2).sum(axis=0), 1 + freedom)
        influence = np.where(whole > 0, part / np.sqrt(np.maximum(rest, 1e-12)), 0.0)
    return Kind(whole, influence, effective)


def corrected(share: np.ndarray, part: np.ndarray, alike: bool = False) -> Kind:
    """Units with their parts of the means' errors, divided by the square root of 1 - share (CR2).

    That is unbiased if judgments within a unit are independent. With `alike`, for judges, whose
    decisions share a taste, 1 - 2 share + sum of squared shares is used if it is less: that is
    unbiased if a judge's decisions all have the same error. Their degrees of freedom are at most
    2 / (largest share) - 2. For units of equal size, they agree.
    """
    rest, number = 1.0 - share, 1.0 / (share**2).sum(axis=0)
    if alike:
        rest = np.minimum(rest, rest - share + (share**2).sum(axis=0))
        number = np.minimum(number, 2 / share.max(axis=0) - 1)
    return Kind(share, part / np.sqrt(np.maximum(rest, 1e-12)), number)


def draw_means(
    scored: Scores, unit: str, rng: np.random.Generator, resamples: int, by_domain: bool = False
) -> np.ndarray:
    """Mean scores in campaigns whose units (of `UNITS`) are drawn with replacement.

    The counts of a judgment's two units are multiplied (the pigeonhole bootstrap: Owen 2007). Shape
    (resamples, systems); NaN where a resample has no judgment of a system.
    """
    weight, n = scored.weights(by_domain), len(scored.systems)
    if unit != TWO_WAY:
        totals = unit_totals(scored.system, scored.unit(unit), scored.score, weight, n)
        return bootstrap(*totals, rng, resamples)
    first, second = scored.unit(WORKER).astype(np.int64), scored.unit(DOCUMENT)
    width = int(second.max()) + 1
    names, cell = np.unique(first * width + second, return_inverse=True)
    sums, weights = unit_totals(scored.system, cell, scored.score, weight, n)
    times = np.ones(1)
    for codes in (names // width, names % width):
        distinct, place = np.unique(codes, return_inverse=True)
        number = len(distinct)
        count = rng.multinomial(number, np.full(number, 1 / number), resamples)
        times = times * count[:, place]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (times @ sums) / (times @ weights)


def bootstrap(
    sums: np.ndarray, weights: np.ndarray, rng: np.random.Generator, resamples: int
) -> np.ndarray:
    """Ratios of sums to weights, (resamples, systems), with units resampled with replacement.

    `sums` and `weights` have shape (units, systems), as from `unit_totals`.
    """
    units = len(sums)
    step = max(1, MOST_CELLS // units)
    parts = []
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        times = rng.multinomial(units, np.full(units, 1 / units), size).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts.append((times @ sums) / (times @ weights))
    return np.concatenate(parts)


def normal_draws(covariance: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Normal draws with mean 0 and this covariance, (draws, systems).

    They are multiplied by the symmetric square root of `covariance`, of which there is only one:
    the signs of eigenvectors differ between processors. Negative eigenvalues count as 0.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    return rng.standard_normal((draws, len(values))) @ root


def rank_probabilities(ranks: np.ndarray) -> np.ndarray:
    """Share of resamples in which each system has each rank: shape (systems, ranks)."""
    return np.stack([(ranks == k + 1).mean(axis=0) for k in range(ranks.shape[1])], axis=1)
