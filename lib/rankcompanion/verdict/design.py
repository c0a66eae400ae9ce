"""How many more: what a campaign of another size would tell, from components and design.

The error of a mean score is a sum over components: each adds its variance times the sum of squared
shares that its levels have in the mean. More documents, annotators or ratings divide the parts that
they draw anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

from rankstability.rank.comparing import tau
from rankstability.rank.srp import Outcome, stability
from rankstability.rank.units import difference_variance, normal_draws
from rankstability.score.factors import combined_factors
from rankstability.score.scored import Scores

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
"""Which of a campaign's sizes divide the part of each component."""
POWER = 0.8  # chance of a difference to be found
LEAST = 1e-18  # variance of a difference, so that none is certain


@dataclass(frozen=True)
class Precision:
    """How well a campaign's mean scores are known, part by part.

    `quality` are the estimated true means: those observed, drawn together until they vary as the
    component says; `parts`, (systems, systems) each, what each component adds to the covariance of
    the means; `units` the numbers of documents, annotators, judgments of the campaign, where known.
    """

    systems: tuple[str, ...]
    quality: np.ndarray
    parts: dict[str, np.ndarray]
    units: dict[str, int]
    components: variance.Components

    def covariance(
        self, documents: float = 1.0, annotators: float = 1.0, ratings: float = 1.0
    ) -> np.ndarray:
        """Covariance of the means with so many times the documents, annotators, ratings per item.

        Judgments grow with documents, which bring their items with them (segments where none are
        known), and with ratings.
        """
        times = {"documents": documents, "annotators": annotators, "ratings": ratings}
        total = np.zeros((len(self.systems),) * 2)
        for name, part in self.parts.items():
            total += part / np.prod([times[size] for size in DRAWN[name]])
        return total

    def errors(self, **times: float) -> np.ndarray:
        """Standard error of each difference of two means; `times` as for `covariance`."""
        return np.sqrt(difference_variance(self.covariance(**times), LEAST))


def precision(
    scored: Scores, fitted: variance.Components | None = None, by_domain: bool = False
) -> Precision:
    """What the components say of a campaign's mean scores, in the scores' own unit.

    Segments count alike. Workers and documents are used where known.

    By default `fitted`, the components of these scores, are fitted here; `by_domain` as for
    `Scores.weights`: means over domains of a domain's mean.
    """
    of = factors(scored)
    fitted = fitted or variance.crossed_where_possible(scored.score, of)
    parts = {
        name: fitted.variance[name] * share.T @ share
        for name, share in shares(scored, of, by_domain).items()
    }
    mean = scored.means(by_domain)
    centre = mean.mean()
    shrink = np.sqrt(fitted.variance["system"] / max(float(mean.var(ddof=1)), 1e-12))
    units = {"judgments": len(scored.score)}
    units |= {
        name: len(np.unique(of[factor]))
        for name, factor in (("documents", "document"), ("annotators", "worker"))
        if factor in of
    }
    return Precision(scored.systems, centre + shrink * (mean - centre), parts, units, fitted)


def factors(scored: Scores) -> dict[str, np.ndarray]:
    """Codes of each judgment's level of every factor that can be a component."""
    known = {n: scored.unit(n) for n in ("worker", "document") if scored.has(n)}
    return combined_factors(scored.system, scored.segment, **known)


def shares(
    scored: Scores, factors: dict[str, np.ndarray], by_domain: bool = False
) -> dict[str, np.ndarray]:
    """Per component (levels, systems): the share of a system's mean that each level makes."""
    n, weight = len(scored.systems), scored.weights(by_domain)
    total = np.bincount(scored.system, weight, n)
    # the rest has a level for each judgment; its shares only matter by their squares
    squares = np.bincount(scored.system, (weight / total[scored.system]) ** 2, n)
    out = {"residual": np.diag(np.sqrt(squares))}
    for name, codes in factors.items():
        if name != "system":
            _, level = np.unique(codes, return_inverse=True)
            size = int(level.max()) + 1
            key = level * n + scored.system
            out[name] = np.bincount(key, weight, size * n).reshape(size, n) / total
    return out


def pair_power(known: Precision) -> pd.DataFrame:
    """Chance to tell each pair of systems apart, and how large a campaign would need to be.

    Columns first (the better), second, gap (estimated true difference), error (standard error of
    the difference), power (chance of a two-sided test at .05 to find it, in the right direction),
    times (as for `size_needed`, for a chance of `POWER`).
    """
    order = np.argsort(-known.quality, kind="stable")
    i, j = np.triu_indices(len(order), 1)
    first, second = order[i], order[j]
    gap, error = known.quality[first] - known.quality[second], known.errors()[first, second]
    names = np.array(known.systems)
    out = pd.DataFrame({"first": names[first], "second": names[second], "gap": gap, "error": error})
    times = size_needed(errors_needed() * error, gap)
    return out.assign(power=ndtr(gap / error - ndtri(0.975)), times=times)


def errors_needed(alpha: float = 0.05) -> float:
    """Standard errors of a difference that a two-sided test finds with a chance of `POWER`."""
    return float(ndtri(1 - alpha / 2) + ndtri(POWER))


def size_needed(found: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Times that a campaign finding `found` has to grow in all sizes to find `gap`; inf for 0."""
    with np.errstate(divide="ignore"):
        return np.where(gap > 0, (found / np.maximum(gap, 0.0)) ** 2, np.inf)


def smallest_gap(known: Precision, *, alpha: float = 0.05, **times: float) -> float:
    """True difference that the median pair of systems needs, as `pair_power` has it."""
    error = np.median(known.errors(**times)[np.triu_indices(len(known.systems), 1)])
    return float(errors_needed(alpha) * error)


def repeats(
    known: Precision,
    rng: np.random.Generator,
    draws: int = 200,
    alpha: float = 0.05,
    **times: float,
) -> dict[str, float]:
    """What two campaigns of this size, with all units drawn anew, are expected to say.

    Of `draws` pairs of campaigns, their size as for `Precision.covariance`.

    Keys tau, tau_low, tau_high (Kendall's tau between twins: mean, and range of 95 % of them), srp,
    srp_equal_claims, significant_pairs, lines_held (mean, at `alpha` for all lines together),
    smallest_gap.
    """
    means = known.quality + normal_draws(known.covariance(**times), 2 * draws, rng)
    error = known.errors(**times)
    i, j = np.triu_indices(len(error), 1)
    z = (means[:, i] - means[:, j]) / error[i, j]
    p = 2 * ndtr(-np.abs(z))
    sets = np.repeat(np.arange(draws), 2)
    found = stability(Outcome(known.systems, -means, p, np.abs(z), sets, alpha))
    taus = tau(means[::2], means[1::2])
    drawn = ("documents", "annotators")
    here = min(
        (known.units[n] for n in drawn if n in known.units), default=known.units["judgments"]
    )
    units = max(2, round(here * min(times.get(n, 1.0) for n in drawn)))
    held = _held(means[::2], error, units - 1, alpha)
    low, high = np.quantile(taus, [0.025, 0.975])
    return {
        "tau": float(taus.mean()),
        "tau_low": float(low),
        "tau_high": float(high),
        **{n: float(found[n]) for n in ("srp", "srp_equal_claims", "significant_pairs")},
        "lines_held": float(np.mean(held)),
        "smallest_gap": smallest_gap(known, alpha=alpha, **times),
    }


def _held(means: np.ndarray, error: np.ndarray, freedom: int, alpha: float) -> np.ndarray:
    """Lines held in each draw of means with these errors, by the lines of `certainty.family`.

    What pairs that are declared one by one add to these lines is left out: it is little.
    """
    order = np.argsort(-means, axis=1, kind="stable")
    best = np.take_along_axis(means, order, axis=1)
    t = (best[:, :, None] - best[:, None, :]) / error[order[:, :, None], order[:, None, :]]
    n = means.shape[1]
    weakest = np.stack([t[:, :k, k:].min(axis=(1, 2)) for k in range(1, n)], axis=1)
    p = 2 * student.sf(weakest, freedom)
    held = np.zeros_like(p, bool)
    while True:  # tested at alpha over the most groups of equals between lines already held
        before, groups = held, np.zeros(len(p), int)
        for k, one in enumerate(held):
            ends = np.flatnonzero(np.concatenate([[True], one, [True]]))
            groups[k] = (np.diff(ends) // 2).sum()
        held = held | (p * groups[:, None] <= alpha)
        if (held == before).all():
            return held.sum(axis=1)


def plans(
    known: Precision,
    rng: np.random.Generator,
    documents: Sequence[float] = (0.5, 1, 2, 4),
    annotators: Sequence[float] = (0.5, 1, 2, 4),
    ratings: Sequence[float] = (1, 2),
    draws: int = 100,
) -> pd.DataFrame:
    """`repeats` of each size, beside documents, annotators, ratings, judgments over those now."""
    rows = []
    for sizes in product(documents, annotators, ratings):
        times = dict(zip(("documents", "annotators", "ratings"), sizes, strict=True))
        judged = {"judgments": times["documents"] * times["ratings"]}
        rows.append(times | judged | repeats(known, rng, draws, **times))
    return pd.DataFrame(rows)
