"""How many more: what a campaign of another size would tell, from components and design.

The error of a mean score is a sum over components: each adds its variance times the sum of squared
shares that its levels have in the mean. More documents, annotators or ratings divide the parts of
which they bring new levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.optimize.elementwise import find_root
from scipy.special import chdtri, nctdtrinc, ndtr, ndtri, stdtr, stdtrit

from rankstability.rank.comparing import tau
from rankstability.rank.srp import Outcome, stability
from rankstability.rank.units import difference_variance, normal_draws
from rankstability.score.scored import Scores

from ..models import variance
from ..models.factors import combined_factors

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
FEWEST, MOST = 0.5, 1e9  # degrees of freedom that a t test is computed for
GAPS = np.linspace(0.0, 12.0, 61)  # true gaps that are tried, in standard errors
STEPS = 100  # towards the most likely distribution of these
GRID = 60  # spreads of true means that are tried
UNITS = 60  # degrees of freedom from which errors are as good as known


@dataclass(frozen=True)
class Precision:
    """How well a campaign's mean scores are known, part by part.

    `mean` are the observed means; `quality` the estimated true ones, by `drawn_together`;
    `parts`, (systems, systems) each, what each component adds to the covariance of the means;
    `units` the numbers of documents, annotators, judgments of the campaign, where known;
    `freedom`, (systems, systems), degrees of freedom of each difference;
    `caution`: what tests take the variance of a difference for, over what the components say.
    """

    systems: tuple[str, ...]
    mean: np.ndarray
    quality: np.ndarray
    freedom: np.ndarray
    parts: dict[str, np.ndarray]
    units: dict[str, int]
    components: variance.Components
    caution: float = 1.0

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

    def freed(self, documents: float = 1.0, annotators: float = 1.0, **_: float) -> np.ndarray:
        """Degrees of freedom of each difference; they grow with the fewer of the two."""
        return np.maximum((self.freedom + 1) * min(documents, annotators) - 1, 1e-3)

    def truths(self, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of what the true means may be, (draws, systems), and of the scale of the errors.

        Given those observed: true means normal about a level, with a spread, of which nothing is
        known beforehand; errors by `errors`, as if each system had its own, times the scale:
        degrees of freedom over a chi-square. So who looks best is drawn towards the others, and
        what is promised holds on average over campaigns.
        """
        n = len(self.mean)
        freedom = np.median(self.freedom[np.triu_indices(n, 1)])
        # of hardly any degree of freedom draws are 0: errors are then as good as unbounded
        scale = freedom / np.maximum(rng.chisquare(freedom, draws), 1e-99)
        apart = self.errors() ** 2 * (1 - np.eye(n))
        whole = apart.sum() / (2 * (n - 1))
        own = (apart.sum(axis=1) - whole) / (n - 2) if n > 2 else np.full(n, whole / 2)
        error = scale[:, None] * np.maximum(own, 0.1 * whole / n)
        most = 3 * (self.mean.std() + np.sqrt(whole / n))
        spread = np.linspace(most / GRID, most, GRID)[:, None, None] ** 2
        weight = 1 / (error + spread)
        total = weight.sum(axis=2)
        level = (weight * self.mean).sum(axis=2) / total
        log = np.log(weight).sum(axis=2) - np.log(total)
        log = (log - (weight * (self.mean - level[..., None]) ** 2).sum(axis=2)) / 2
        chance = np.exp(log - log.max(axis=0)).cumsum(axis=0)
        chosen = (rng.random(draws) * chance[-1] > chance).sum(axis=0), np.arange(draws)
        centre = level[chosen] + rng.standard_normal(draws) / np.sqrt(total[chosen])
        kept = spread[chosen[0], 0] * weight[chosen]
        drawn = kept * self.mean + (1 - kept) * centre[:, None]
        return drawn + np.sqrt(kept * error) * rng.standard_normal(error.shape), scale

    def again(
        self,
        truths: tuple[np.ndarray, np.ndarray],
        rng: np.random.Generator,
        alpha: float = 0.05,
        **times: float,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One campaign of this size for each of `truths`: what it would say.

        Returns mean scores; p of each difference, (campaigns, systems, systems); and the number of
        lines that hold above each system, by the lines of `certainty.family` (what pairs declared
        one by one add to these is left out: it is little).
        """
        mean, scale = truths
        grown = min(times.get(size, 1.0) for size in ("documents", "annotators"))
        freedom = self.freed(**times)
        typical = round(np.median(freedom[np.triu_indices(len(freedom), 1)]))
        covariance = self.covariance(**times)
        mean = mean + np.sqrt(scale)[:, None] * normal_draws(covariance, len(mean), rng)
        # errors are estimated, too: of so many units, each difference by itself
        degrees = min(max(typical, 1), UNITS)
        units = normal_draws(covariance, len(mean) * degrees, rng)
        units = units.reshape(len(mean), degrees, -1)
        estimated = units.transpose(0, 2, 1) @ units / degrees
        own = np.diagonal(estimated, axis1=1, axis2=2)
        apart = own[:, :, None] + own[:, None] - 2 * estimated
        caution = 1 + (self.caution - 1) / max(grown, 1.0)  # with more units there is less need
        error = np.sqrt(np.maximum(caution * scale[:, None, None] * apart, LEAST))
        p = 2 * stdtr(freedom, -np.abs(mean[:, :, None] - mean[:, None]) / error)
        return mean, p, _above(mean, p, alpha)


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
    part_of = shares(scored, of, by_domain)
    parts = {name: fitted.variance[name] * share.T @ share for name, share in part_of.items()}
    mean = scored.means(by_domain)
    units, effective = {"judgments": len(scored.score)}, [np.full(len(mean), np.inf)]
    for name, factor in (("documents", "document"), ("annotators", "worker")):
        if factor in of:
            units[name] = len(np.unique(of[factor]))
            effective.append(1 / (part_of[factor] ** 2).sum(axis=0))
    freedom = np.minimum(np.min(effective, axis=0), len(scored.score)) - 1
    freedom = np.maximum(np.minimum(freedom[:, None], freedom), 1e-3)
    quality = drawn_together(mean, sum(parts.values()), freedom)
    return Precision(scored.systems, mean, quality, freedom, parts, units, fitted)


def drawn_together(mean: np.ndarray, covariance: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Means so much nearer their own mean that campaigns about them agree as is to be expected.

    Two campaigns are expected to agree as `agreement` has it over the true gaps, whose distribution
    over pairs is the most likely one for those observed: of its shape nothing is assumed, so one
    system far from all others does not keep these apart. `freedom`: degrees of freedom of each
    difference, of whose error the median is taken.
    """
    i, j = np.triu_indices(len(mean), 1)
    gap = np.abs(mean[i] - mean[j]) / np.sqrt(difference_variance(covariance, LEAST)[i, j])
    df = np.minimum(freedom[i, j], MOST)
    seen = np.minimum(gap * np.sqrt(chdtri(df, 0.5) / df), GAPS[-1])[:, None]
    like = np.exp(-((seen - GAPS) ** 2) / 2) + np.exp(-((seen + GAPS) ** 2) / 2)
    weight = np.full(len(GAPS), 1 / len(GAPS))
    for _ in range(STEPS):
        weight = (weight * like / (like @ weight)[:, None]).mean(axis=0)
    expected = weight @ agreement(GAPS)

    def lacking(share: float) -> float:
        return float(expected - agreement(share * gap).mean())

    share = 1.0 if lacking(1.0) >= 0 else brentq(lacking, 0.0, 1.0)
    return mean.mean() + share * (mean - mean.mean())


def agreement(gap: np.ndarray) -> np.ndarray:
    """Expected Kendall's tau of two campaigns in one pair with a true gap of so many errors."""
    return (2 * ndtr(gap) - 1) ** 2


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


def errors_needed(freedom: np.ndarray, alpha: float = 0.05) -> np.ndarray:
    """Standard errors of a difference that a two-sided t test finds with a chance of `POWER`.

    Found in the right direction, with so many degrees of freedom (below `FEWEST` as with these).
    """
    freedom = np.clip(freedom, FEWEST, MOST)
    return nctdtrinc(freedom, 1 - POWER, stdtrit(freedom, 1 - alpha / 2))


def size_needed(
    gap: np.ndarray, error: np.ndarray, freedom: np.ndarray, alpha: float = 0.05
) -> np.ndarray:
    """Times that a campaign has to grow in all sizes to find each `gap`; inf for 0.

    `error` and `freedom` are those of the differences in the campaign as it is.
    """

    def lacking(log_times: np.ndarray, seen: np.ndarray, freedom: np.ndarray) -> np.ndarray:
        times = np.exp(log_times)  # with more units the test has more degrees of freedom, too
        return errors_needed((freedom + 1) * times - 1, alpha) - seen * np.sqrt(times)

    out = np.full(len(gap), np.inf)
    there = gap > 0
    seen = gap[there] / error[there]
    apart = 2 * np.log(errors_needed(np.array([np.inf, FEWEST]), alpha) / seen[:, None])
    ends = apart[:, 0] - 0.1, apart[:, 1] + 0.1
    found = find_root(lacking, ends, args=(seen, freedom[there]))
    out[there] = np.exp(found.x)
    return out


def smallest_gap(known: Precision, *, alpha: float = 0.05, **times: float) -> float:
    """True difference that the median pair of systems needs to be found with chance `POWER`."""
    pairs = np.triu_indices(len(known.systems), 1)
    needed = errors_needed(known.freed(**times)[pairs], alpha)
    return float(np.median(needed * known.errors(**times)[pairs]))


def repeats(
    known: Precision,
    rng: np.random.Generator,
    draws: int = 200,
    alpha: float = 0.05,
    **times: float,
) -> dict[str, float]:
    """What two campaigns of this size, each with units of its own, are expected to say.

    Of `draws` pairs of campaigns, their size as for `Precision.covariance`, each about a draw of
    `Precision.truths`; tau is of campaigns about `quality`, made for it (see `drawn_together`).

    Keys tau, tau_low, tau_high (Kendall's tau between twins: mean, and range of 95 % of them), srp,
    srp_equal_claims, significant_pairs, lines_held (mean, at `alpha` for all lines together),
    smallest_gap.
    """
    truths = known.truths(draws, rng)
    truths = np.repeat(truths[0], 2, axis=0), np.repeat(truths[1], 2)
    means, p, above = known.again(truths, rng, alpha, **times)
    i, j = np.triu_indices(len(known.systems), 1)
    p = p[:, i, j]
    sets = np.repeat(np.arange(draws), 2)
    found = stability(Outcome(known.systems, -means, p, -ndtri(p / 2), sets, alpha))
    about = known.quality + (means - truths[0]) / np.sqrt(truths[1])[:, None]
    taus = tau(about[::2], about[1::2])
    low, high = np.quantile(taus, [0.025, 0.975])
    return {
        "tau": float(taus.mean()),
        "tau_low": float(low),
        "tau_high": float(high),
        **{n: float(found[n]) for n in ("srp", "srp_equal_claims", "significant_pairs")},
        "lines_held": float(above.max(axis=1).mean()),
        "smallest_gap": smallest_gap(known, alpha=alpha, **times),
    }


def _above(means: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """Lines held above each system in each campaign, from p of each difference."""
    order = np.argsort(-means, axis=1, kind="stable")
    p = p[np.arange(len(p))[:, None, None], order[:, :, None], order[:, None, :]]
    n = means.shape[1]
    weakest = np.stack([p[:, :k, k:].max(axis=(1, 2)) for k in range(1, n)], axis=1)
    held = np.zeros_like(weakest, bool)
    while True:  # tested at alpha over the most groups of equals between lines already held
        before, groups = held, np.zeros(len(p), int)
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
