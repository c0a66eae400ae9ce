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

from ..rank.tau import tau
from ..rank.units import difference_variance, normal_draws
from ..score import variance
from ..score.models import combined_factors
from ..score.scored import Scored
from .srp import Outcome, stability

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
LEAST = 1e-18  # variance of a difference, so that none is certain


@dataclass(frozen=True)
class Precision:
    """How well a campaign's mean scores are known, part by part.

    Attributes
    ----------
    systems : tuple of str
    quality : array
        Estimated true means: those observed, drawn together until they vary as the component says.
    parts : dict of str to array, shape (systems, systems)
        What each component adds to the covariance of the means.
    units : dict of str to int
        Documents, annotators, judgments of the campaign (those known).
    components : Components
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

        Documents bring their items with them: judgments grow with documents and with ratings.
        Without known documents, `documents` multiplies the segments.
        """
        times = {"documents": documents, "annotators": annotators, "ratings": ratings}
        total = np.zeros((len(self.systems),) * 2)
        for name, part in self.parts.items():
            total += part / np.prod([times[size] for size in DRAWN[name]])
        return total

    def errors(self, **times: float) -> np.ndarray:
        """Standard error of each difference of two means; `times` as for `covariance`."""
        return np.sqrt(difference_variance(self.covariance(**times), LEAST))

    @property
    def freedom_units(self) -> int:
        """Units that the tests of a repeat count on: the fewer of annotators and documents."""
        known = [self.units[n] for n in ("documents", "annotators") if n in self.units]
        return min(known, default=self.units["judgments"])


def precision(
    scored: Scored, fitted: variance.Components | None = None, by_domain: bool = False
) -> Precision:
    """What the components say of a campaign's mean scores, in the scores' own unit.

    Parameters
    ----------
    scored : Scored
        One score per judgment; segments count alike. Workers and documents are used where known.
    fitted : Components, optional
        Of these scores, from `models.components`; by default fitted here.
    by_domain : bool
        Means over domains of a domain's mean, as `Scored.weights` has it.
    """
    of = factors(scored)
    fitted = fitted or variance.crossed_where_possible(scored.score, of)
    parts = {
        name: fitted.variance[name] * share.T @ share
        for name, share in _shares(scored, of, by_domain).items()
    }
    mean = _means(scored, by_domain)
    centre = mean.mean()
    shrink = np.sqrt(fitted.variance["system"] / max(float(mean.var(ddof=1)), 1e-12))
    units = {"judgments": len(scored.score)}
    units |= {
        name: len(np.unique(of[factor]))
        for name, factor in (("documents", "document"), ("annotators", "worker"))
        if factor in of
    }
    return Precision(scored.systems, centre + shrink * (mean - centre), parts, units, fitted)


def factors(scored: Scored) -> dict[str, np.ndarray]:
    """Codes of each judgment's level of every factor that can be a component."""
    known = {
        n: scored.units[n]
        for n in ("worker", "document")
        if n in scored.units and (scored.units[n] >= 0).all()
    }
    return combined_factors(scored.system, scored.segment, **known)


def _shares(
    scored: Scored, factors: dict[str, np.ndarray], by_domain: bool = False
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


def _means(scored: Scored, by_domain: bool = False) -> np.ndarray:
    n, weight = len(scored.systems), scored.weights(by_domain)
    return np.bincount(scored.system, weight * scored.score, n) / np.bincount(
        scored.system, weight, n
    )


# ---------------------------------------------------------------- pairs


def pair_power(
    known: Precision, *, alpha: float = 0.05, power: float = 0.8, **times: float
) -> pd.DataFrame:
    """Chance to tell each pair of systems apart, and how large a campaign would need to be.

    Parameters
    ----------
    **times : float
        Size of the campaign, as for `Precision.covariance`.

    Returns
    -------
    DataFrame
        first (the better), second, gap (estimated true difference), error (standard error of the
        difference in a campaign of this size), power (chance of a two-sided test at `alpha` to
        find it, in the right direction), times (how many times as large in documents and
        annotators alike the present campaign would have to be for a chance of `power`; inf where
        the gap is 0).
    """
    order = np.argsort(-known.quality, kind="stable")
    i, j = np.triu_indices(len(order), 1)
    first, second = order[i], order[j]
    gap = known.quality[first] - known.quality[second]
    error, now = known.errors(**times)[first, second], known.errors()[first, second]
    bar = ndtri(1 - alpha / 2)
    with np.errstate(divide="ignore"):
        needed = ((bar + ndtri(power)) * now / gap) ** 2
    names = np.array(known.systems)
    return pd.DataFrame(
        {
            "first": names[first],
            "second": names[second],
            "gap": gap,
            "error": error,
            "power": ndtr(gap / error - bar),
            "times": needed,
        }
    )


def smallest_gap(
    known: Precision, *, alpha: float = 0.05, power: float = 0.8, **times: float
) -> float:
    """True difference that the median pair of systems needs, as `pair_power` has it."""
    error = np.median(known.errors(**times)[np.triu_indices(len(known.systems), 1)])
    return float((ndtri(1 - alpha / 2) + ndtri(power)) * error)


# ---------------------------------------------------------------- repeats of a size


def repeats(
    known: Precision,
    rng: np.random.Generator,
    documents: float = 1.0,
    annotators: float = 1.0,
    ratings: float = 1.0,
    draws: int = 200,
    alpha: float = 0.05,
) -> dict[str, float]:
    """What two campaigns of this size, with all units drawn anew, are expected to say.

    Parameters
    ----------
    documents, annotators, ratings : float
        Sizes as multiples of the present campaign's.
    draws : int
        Twins of campaigns.

    Returns
    -------
    dict
        tau, tau_low, tau_high (Kendall's tau between twins: mean, and range of 95 % of them), srp,
        srp_equal_claims, significant_pairs, lines_held (mean, at `alpha` for all lines together),
        smallest_gap.
    """
    times = {"documents": documents, "annotators": annotators, "ratings": ratings}
    means = known.quality + normal_draws(known.covariance(**times), 2 * draws, rng)
    error = known.errors(**times)
    i, j = np.triu_indices(len(error), 1)
    z = (means[:, i] - means[:, j]) / error[i, j]
    p = 2 * ndtr(-np.abs(z))
    sets = np.repeat(np.arange(draws), 2)
    found = stability(Outcome(known.systems, -means, p, np.abs(z), sets, alpha))
    taus = tau(means[::2], means[1::2])
    units = max(2, round(known.freedom_units * min(documents, annotators)))
    held = _held(means[::2], error, units - 1, alpha)
    low, high = np.quantile(taus, [0.025, 0.975])
    keep = ("srp", "srp_equal_claims", "significant_pairs")
    return (
        {"tau": float(taus.mean()), "tau_low": float(low), "tau_high": float(high)}
        | {name: float(found[name]) for name in keep}
        | {
            "lines_held": float(np.mean(held)),
            "smallest_gap": smallest_gap(known, alpha=alpha, **times),
        }
    )


def _held(means: np.ndarray, error: np.ndarray, freedom: int, alpha: float) -> np.ndarray:
    """Lines held in each draw of means, as `rank.lines.held_lines` with these errors."""
    order = np.argsort(-means, axis=1, kind="stable")
    best = np.take_along_axis(means, order, axis=1)
    t = (best[:, :, None] - best[:, None, :]) / error[order[:, :, None], order[:, None, :]]
    n = means.shape[1]
    weakest = np.stack([t[:, :k, k:].min(axis=(1, 2)) for k in range(1, n)], axis=1)
    p = np.sort(student.sf(weakest, freedom), axis=1)
    holm = np.maximum.accumulate(p * np.arange(n - 1, 0, -1), axis=1)
    return (holm < alpha).sum(axis=1)


def plans(
    known: Precision,
    rng: np.random.Generator,
    documents: Sequence[float] = (0.5, 1, 2, 4),
    annotators: Sequence[float] = (0.5, 1, 2, 4),
    ratings: Sequence[float] = (1, 2),
    draws: int = 100,
) -> pd.DataFrame:
    """`repeats` for each combination of sizes.

    Returns
    -------
    DataFrame
        documents, annotators, ratings (multiples of the present), judgments (the same), and the
        columns of `repeats`.
    """
    rows = [
        {"documents": d, "annotators": a, "ratings": r, "judgments": d * r}
        | repeats(known, rng, d, a, r, draws)
        for d, a, r in product(documents, annotators, ratings)
    ]
    return pd.DataFrame(rows)


# ---------------------------------------------------------------- predicted against realised


def twin_agreement(
    scored: Scored,
    known: Precision,
    unit: str,
    share: float,
    rng: np.random.Generator,
    splits: int = 50,
) -> pd.DataFrame:
    """Kendall's tau between two parts of a campaign that share no unit, realised and predicted.

    Parameters
    ----------
    known : Precision
        Of the whole campaign.
    unit : str
        ``worker`` or ``document``.
    share : float
        Of the units, in each part; at most a half.

    Returns
    -------
    DataFrame
        One row: unit, share, units (in a part), realised, predicted (means over splits). Splits in
        which a part lacks a system are left out; NaN where none is left.
    """
    codes = np.unique(scored.unit(unit), return_inverse=True)[1]
    count = int(codes.max()) + 1
    size = max(1, int(share * count))
    realised, predicted = [], []
    for _ in range(splits):
        order = rng.permutation(count)
        parts = [scored.take(np.isin(codes, order[k * size : (k + 1) * size])) for k in (0, 1)]
        n = len(scored.systems)
        if min(len(np.unique(p.system)) for p in parts) < n:
            continue
        one, two = (_means(p) for p in parts)
        realised.append(tau(one, two))
        predicted.append(_expected_tau(known, *parts))
    values = [np.mean(v) if v else np.nan for v in (realised, predicted)]
    row = (unit, share, size, *values)
    return pd.DataFrame([row], columns=["unit", "share", "units", "realised", "predicted"])


def _expected_tau(known: Precision, first: Scored, second: Scored) -> float:
    """Expected Kendall's tau of two parts of a campaign that share levels of some components."""
    own = [np.zeros((len(known.systems),) * 2) for _ in "12"]
    of = [factors(p) for p in (first, second)]
    shares = [_level_shares(p, f) for p, f in zip((first, second), of, strict=True)]
    n = len(known.systems)
    cross = np.zeros((n, n))
    for k, part in enumerate((first, second)):
        for name, share in _shares(part, of[k]).items():
            own[k] += known.components.variance[name] * share.T @ share
    for name, (levels, share) in shares[0].items():
        other, theirs = shares[1][name]
        _, a, b = np.intersect1d(levels, other, assume_unique=True, return_indices=True)
        cross += known.components.variance[name] * share[a].T @ theirs[b]
    i, j = np.triu_indices(n, 1)
    both = np.diag(cross)[i] + np.diag(cross)[j] - cross[i, j] - cross[j, i]
    errors = [difference_variance(c, LEAST)[i, j] for c in own]
    shared = np.clip(both, 0.0, 0.999 * np.minimum(*errors))
    gap = known.quality[i] - known.quality[j]
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    at = gap[:, None] + np.sqrt(shared)[:, None] * nodes
    signs = [2 * ndtr(at / np.sqrt(e - shared)[:, None]) - 1 for e in errors]
    return float((signs[0] * signs[1] @ (weights / weights.sum())).mean())


def _level_shares(
    part: Scored, factors: dict[str, np.ndarray]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    shares = _shares(part, factors)
    return {n: (np.unique(c), shares[n]) for n, c in factors.items() if n != "system"}


def prediction_error(rows: pd.DataFrame) -> pd.DataFrame:
    """Realised less predicted agreement over language pairs.

    Parameters
    ----------
    rows : DataFrame
        From `twin_agreement`, of several language pairs.

    Returns
    -------
    DataFrame
        unit, share, pairs, realised, predicted (means), error (mean of realised less predicted),
        low, high (95 % t interval of it over pairs; NaN for one pair).
    """
    out = []
    for (unit, share), of in rows.dropna().groupby(["unit", "share"], sort=False):
        gap = of["realised"] - of["predicted"]
        half = student.isf(0.025, len(gap) - 1) * gap.sem() if len(gap) > 1 else np.nan
        means = (of["realised"].mean(), of["predicted"].mean(), gap.mean())
        out.append((unit, share, len(of), *means, gap.mean() - half, gap.mean() + half))
    columns = ["unit", "share", "pairs", "realised", "predicted", "error", "low", "high"]
    return pd.DataFrame(out, columns=columns)
