"""What a campaign of another size would tell, from variance components and the design.

The error variance of a mean score is a sum over components: each adds its variance times the sum of
the squared shares of its levels in the mean. More documents, annotators or ratings divide the parts
to which they add new levels.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from companion.legacy.rankstability.rank.means import alike_p
from companion.legacy.rankstability.rank.units import difference_variance
from companion.legacy.rankstability.score.scored import Scores

from ..models import variance

DRAWN = {
    "document": ("documents",),
    "document:system": ("documents",),
    "segment": ("documents",),
    "worker": ("annotators",),
    "worker:system": ("annotators",),
    "block": ("documents", "ratings"),
    "residual": ("documents", "ratings"),
}
"""The sizes of a campaign that divide each component's part of the error variance."""
POWER = 0.8  # the chance with which a difference is to be found
LEAST = 1e-18  # smallest variance of a difference, so that no difference is certain
GRID = 60  # spreads of true means that are tried
UNITS = 60  # degrees of freedom at which errors are as good as known


def normal_draws(
    covariance: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Normal draws with mean 0 and this covariance, (draws, systems).

    They are multiplied by the symmetric square root of `covariance`, of which there is only one:
    the signs of eigenvectors differ between processors. Negative eigenvalues count as 0.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    return rng.standard_normal((draws, len(values))) @ root


@dataclass(frozen=True)
class Precision:
    """How precisely a campaign's mean scores are known, component by component.

    `mean` holds the observed means.
    `parts` maps each component to what it adds to the covariance of the means, (systems, systems);
    `units` holds the numbers of documents, annotators and judgments, where known; `freedom`,
    (systems, systems), the degrees of freedom of each difference. `caution` is the ratio of the
    variance of a difference that tests assume to the one that the components give.
    """

    systems: tuple[str, ...]
    mean: np.ndarray
    freedom: np.ndarray
    parts: dict[str, np.ndarray]
    units: dict[str, int]
    components: variance.Components
    caution: float = 1.0

    def covariance(
        self,
        documents: float = 1.0,
        annotators: float = 1.0,
        ratings: float = 1.0,
    ) -> np.ndarray:
        """Covariance of the means if documents, annotators and ratings per item grow by factors."""
        times = {
            "documents": documents,
            "annotators": annotators,
            "ratings": ratings,
        }
        total = np.zeros((len(self.systems),) * 2)
        for name, part in self.parts.items():
            total += part / np.prod([times[size] for size in DRAWN[name]])
        return total

    def errors(self, **times: float) -> np.ndarray:
        """Standard error of each difference between two means; `times` as for `covariance`."""
        return np.sqrt(difference_variance(self.covariance(**times), LEAST))

    def freed(
        self, documents: float = 1.0, annotators: float = 1.0, **_: float
    ) -> np.ndarray:
        """Degrees of freedom of each difference; the smaller of the two factors counts."""
        return np.maximum(
            (self.freedom + 1) * min(documents, annotators) - 1, 1e-3
        )

    def truths(
        self, draws: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draws of the true means given those observed, (draws, systems), and of an error scale.

        True means are taken to be normal about a level and with a spread that are both unknown
        beforehand. Errors are those of `errors`, as if independent for each system, times the scale
        (draws,): degrees of freedom over a chi-square variate. The system that looks best is thus
        shrunk towards the others, so that promises hold on average over campaigns.
        """
        n = len(self.mean)
        freedom = np.median(self.freedom[np.triu_indices(n, 1)])
        # with hardly any degrees of freedom draws are 0, and errors as good as unbounded
        scale = freedom / np.maximum(rng.chisquare(freedom, draws), 1e-99)
        apart = self.errors() ** 2 * (1 - np.eye(n))
        whole = apart.sum() / (2 * (n - 1))
        own = (
            (apart.sum(axis=1) - whole) / (n - 2)
            if n > 2
            else np.full(n, whole / 2)
        )
        error = scale[:, None] * np.maximum(own, 0.1 * whole / n)
        most = 3 * (self.mean.std() + np.sqrt(whole / n))
        spread = np.linspace(most / GRID, most, GRID)[:, None, None] ** 2
        weight = 1 / (error + spread)
        total = weight.sum(axis=2)
        level = (weight * self.mean).sum(axis=2) / total
        log = np.log(weight).sum(axis=2) - np.log(total)
        log = (
            log - (weight * (self.mean - level[..., None]) ** 2).sum(axis=2)
        ) / 2
        chance = np.exp(log - log.max(axis=0)).cumsum(axis=0)
        chosen = (
            (rng.random(draws) * chance[-1] > chance).sum(axis=0),
            np.arange(draws),
        )
        centre = level[chosen] + rng.standard_normal(draws) / np.sqrt(
            total[chosen]
        )
        kept = spread[chosen[0], 0] * weight[chosen]
        drawn = kept * self.mean + (1 - kept) * centre[:, None]
        drawn += np.sqrt(kept * error) * rng.standard_normal(error.shape)
        return drawn, scale

    def means(
        self,
        truths: tuple[np.ndarray, np.ndarray],
        rng: np.random.Generator,
        **times: float,
    ) -> np.ndarray:
        """Mean scores of one simulated campaign for each draw of `truths`, (campaigns, systems)."""
        mean, scale = truths
        error = normal_draws(self.covariance(**times), len(mean), rng)
        return mean + np.sqrt(scale)[:, None] * error

    def again(
        self,
        truths: tuple[np.ndarray, np.ndarray],
        rng: np.random.Generator,
        alpha: float = 0.05,
        **times: float,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What one simulated campaign of this size would say for each draw of `truths`.

        Returns the mean scores, (campaigns, systems); the p-value of each difference, (campaigns,
        systems, systems); and the number of lines that hold above each system, (campaigns,
        systems), tested as by `certainty.family` (except for the little that pairs declared one by
        one add to the lines).
        """
        scale = truths[1]
        grown = min(
            times.get(size, 1.0) for size in ("documents", "annotators")
        )
        freedom = self.freed(**times)
        typical = round(np.median(freedom[np.triu_indices(len(freedom), 1)]))
        covariance = self.covariance(**times)
        mean = self.means(truths, rng, **times)
        # errors are estimated too, separately for each difference, from this many units
        degrees = min(max(typical, 1), UNITS)
        units = normal_draws(covariance, len(mean) * degrees, rng)
        units = units.reshape(len(mean), degrees, -1)
        estimated = units.transpose(0, 2, 1) @ units / degrees
        own = np.diagonal(estimated, axis1=1, axis2=2)
        apart = own[:, :, None] + own[:, None] - 2 * estimated
        caution = 1 + (self.caution - 1) / max(
            grown, 1.0
        )  # with more units less is needed
        error = np.sqrt(
            np.maximum(caution * scale[:, None, None] * apart, LEAST)
        )
        gap = np.abs(mean[:, :, None] - mean[:, None])
        p = 2 * stdtr(freedom, -gap / error)
        p = np.where((apart > LEAST) | (gap == 0), p, alike_p(freedom))
        return mean, p, _above(mean, p, alpha)


def precision(
    scored: Scores,
    fitted: variance.Components | None = None,
    by_domain: bool = False,
) -> Precision:
    """How precisely the components determine a campaign's mean scores, in the scores' own unit.

    All segments have equal weight, or with `by_domain` all domains (see `Scores.weights`). Workers
    and documents are used where known. `fitted` are the components of these scores, if known.
    """
    of = factors(scored)
    fitted = fitted or variance.crossed_where_possible(scored.score, of)
    part_of = shares(scored, of, by_domain)
    parts = {
        name: fitted.variance[name] * share.T @ share
        for name, share in part_of.items()
    }
    mean = scored.means(by_domain)
    units = {"judgments": scored.counted}
    effective = [np.full(len(mean), np.inf)]
    for name, factor in (("documents", "document"), ("annotators", "worker")):
        if factor in of:
            units[name] = len(np.unique(of[factor]))
            effective.append(1 / (part_of[factor] ** 2).sum(axis=0))
    freedom = np.minimum(np.min(effective, axis=0), scored.counted) - 1
    freedom = np.maximum(np.minimum(freedom[:, None], freedom), 1e-3)
    return Precision(scored.systems, mean, freedom, parts, units, fitted)


def factors(scored: Scores) -> dict[str, np.ndarray]:
    """For every factor that can be a component, the code of each judgment's level."""
    known = {
        n: scored.unit(n) for n in ("worker", "document") if scored.has(n)
    }
    return variance.combined_factors(scored.system, scored.segment, **known)


def shares(
    scored: Scores, factors: dict[str, np.ndarray], by_domain: bool = False
) -> dict[str, np.ndarray]:
    """The share of each system's mean that comes from each level: per component (levels, systems).

    For the residual, a diagonal matrix of root sums of squares, (systems, systems).
    """
    n = len(scored.systems)
    weight = scored.weights(by_domain)
    total = np.bincount(scored.system, weight, n)
    # the residual has a level per judgment; only the squares of its shares matter
    squares = np.bincount(
        scored.system, (weight / total[scored.system]) ** 2, n
    )
    out = {"residual": np.diag(np.sqrt(squares))}
    for name, codes in factors.items():
        if name != "system":
            _, level = np.unique(codes, return_inverse=True)
            size = int(level.max()) + 1
            key = level * n + scored.system
            out[name] = (
                np.bincount(key, weight, size * n).reshape(size, n) / total
            )
    return out


def _above(means: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """The number of lines held above each system in each campaign, from the p-values of pairs."""
    order = np.argsort(-means, axis=1, kind="stable")
    p = p[
        np.arange(len(p))[:, None, None], order[:, :, None], order[:, None, :]
    ]
    n = means.shape[1]
    weakest = np.stack(
        [p[:, :k, k:].max(axis=(1, 2)) for k in range(1, n)], axis=1
    )
    held = np.zeros_like(weakest, bool)
    while True:  # tested at alpha over the most groups of equals between lines already held
        before = held
        groups = np.zeros(len(p), int)
        for k, one in enumerate(held):
            ends = np.flatnonzero(np.concatenate([[True], one, [True]]))
            groups[k] = (np.diff(ends) // 2).sum()
        held = held | (weakest * groups[:, None] <= alpha)
        if (held == before).all():
            break
    lines = np.cumsum(np.pad(held, ((0, 0), (1, 0))), axis=1)
    out = np.empty_like(lines)
    np.put_along_axis(out, order, lines, axis=1)
    return out
