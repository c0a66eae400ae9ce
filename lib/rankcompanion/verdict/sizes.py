"""What to do next: what would tell neighbours apart, and which addition is worth most."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from rankcompanion.models import variance
from rankstability.rank.certainty import Certainty
from rankstability.rank.comparing import tau
from rankstability.rank.units import difference_variance, nested, normal_draws
from rankstability.score.scored import Scores

from . import design
from .design import DRAWN, Precision

MOST = 10_000  # judgments from which variance components are estimated
SIZES = ("documents", "annotators", "ratings")
GROWN = (1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100)  # sizes tried, times the present
LEAST = 1e-3  # degrees of freedom of a system whose judgments all lie in one unit


def precision(scored: Scores, sure: Certainty, by_domain: bool = False) -> Precision:
    """`design.precision`, limited to what changes with other units of the kinds that `sure` has.

    A variance component is kept if each of its levels lies within one unit: with other documents,
    the components of documents change, but not what an annotator adds to all documents. If there
    are more than `MOST` judgments, components are estimated on every second, third, ... document
    (segment if none are named). True means are the means of `sure`, shrunk; tests are as cautious
    as its variances. `by_domain` must be as for `sure`.
    """
    group = scored.unit("document" if scored.has("document") else "segment")
    part = scored.take(group % -(-len(scored.score) // MOST) == 0)
    fitted = variance.crossed_where_possible(part.score, design.factors(part))
    known = design.precision(scored, fitted, by_domain)
    units = [scored.unit(u) for u in sure.units]
    anew = {"residual"} | {
        name
        for name, codes in design.factors(scored).items()
        if name != "system" and any(nested(codes, u) for u in units)
    }
    parts = {name: part for name, part in known.parts.items() if name in anew}
    sizes = {size for name in parts for size in DRAWN[name]} | {"judgments"}
    segments = {"documents": len(np.unique(scored.segment))}  # in place of unnamed documents
    number = {name: n for name, n in (segments | known.units).items() if name in sizes}
    place = np.argsort(sure.order)
    pairs = np.ix_(place, place)
    quality, freedom = _quality(sure)[place], np.maximum(sure.df[pairs], LEAST)
    known = replace(known, quality=quality, freedom=freedom, parts=parts, units=number)
    apart = ~np.eye(len(place), dtype=bool)
    ratio = np.median(sure.variance[pairs][apart] / known.errors()[apart] ** 2)
    return replace(known, caution=max(1.0, float(ratio)))


def of_means(sure: Certainty, judgments: int) -> Precision:
    """Precision from the covariance over units, for judgments without components (comparisons).

    The number of units is the only size, under ``annotators``; true means are the means of `sure`,
    shrunk towards their mean (`design.drawn_together`).
    """
    units = {"judgments": judgments, "annotators": min(sure.units.values())}
    none = variance.Components({}, float(sure.mean.mean()), {}, 0.0, judgments)
    parts, freedom = {"worker": sure.covariance}, np.maximum(sure.df, LEAST)
    return Precision(sure.systems, sure.mean, _quality(sure), freedom, parts, units, none)


def _quality(sure: Certainty) -> np.ndarray:
    """Estimated true means (`design.drawn_together`), in the order of `sure`."""
    return design.drawn_together(sure.mean, sure.covariance, np.maximum(sure.df, LEAST))


def needed(
    known: Precision,
    ranked: Sequence[str],
    rng: np.random.Generator,
    alpha: float = 0.05,
    draws: int = 300,
) -> pd.DataFrame:
    """How large a campaign would have to be for a line between neighbours of `ranked` (best first).

    One row per pair of neighbours. Columns below (rank), system, other (the neighbour below), gap
    (estimated true difference; low and high: 95 % t interval of the one found), error (standard
    error of the difference), power (chance that a line between them, in this order, holds in a
    campaign of this size), smallest_gap (the true gap that a test of this pair at `alpha` finds
    with chance `POWER`), times (factor by which all sizes must grow for such a line to hold with
    chance `POWER`; inf if no factor in `GROWN` is enough), times_low and times_high (the factors
    that a test of the pair needs at the ends of the interval of the gap), judgments (needed in all,
    at least the present number); and, of documents (segments if none are named), annotators and
    ratings, those that can be added: the number needed in all if only they grow (ratings: as a
    multiple of the present ratings per item), inf if no number is enough.

    Chances are means over `draws` draws of the true means (`Precision.truths`).
    """
    at = {name: k for k, name in enumerate(known.systems)}
    place = [at[name] for name in ranked]
    i, j = place[:-1], place[1:]
    truths = known.truths(draws, rng)
    gap, error = truths[0][:, i] - truths[0][:, j], known.errors()[i, j]
    found_gap, freedom = known.mean[i] - known.mean[j], known.freedom[i, j]
    out = pd.DataFrame({"below": np.arange(1, len(ranked)), "system": ranked[:-1]})
    out["other"], out["gap"] = ranked[1:], gap.mean(axis=0)
    half = stdtrit(np.clip(freedom, design.FEWEST, design.MOST), 0.975) * error
    out["low"], out["high"] = found_gap - half, found_gap + half
    found = np.empty((len(GROWN), len(i)))
    for k, grown in enumerate(GROWN):
        above = known.again(truths, rng, alpha, documents=grown, annotators=grown)[2]
        found[k] = (above[:, i] < above[:, j]).mean(axis=0)
    found = np.maximum.accumulate(found, axis=0)  # a larger campaign never tells less
    times = [np.interp(design.POWER, f, np.log(GROWN), right=np.inf) for f in found.T]
    gap_found = design.errors_needed(freedom, alpha) * error
    out["error"], out["power"], out["smallest_gap"] = error, found[0], gap_found
    out["times"] = np.exp(times)
    for name, end, other in (("low", "high", np.minimum), ("high", "low", np.maximum)):
        of_end = design.size_needed(out[end].to_numpy(), error, freedom, alpha)
        out["times_" + name] = other(of_end, out["times"])
    out["judgments"] = np.ceil(out["times"] * known.units["judgments"])
    by_part = {n: difference_variance(part)[i, j] for n, part in known.parts.items()}
    for size in sizes(known):
        alone = _alone(by_part, size, error / np.sqrt(out["times"].to_numpy()))
        alone = np.where(out["times"] > 1, alone, 1.0)
        out[size] = np.ceil(alone * known.units[size]) if size in known.units else alone
    return out


def sizes(known: Precision) -> list[str]:
    """Those of `SIZES` that are worth adding to, because part of the error falls with them."""
    return [size for size in SIZES if any(size in DRAWN[name] for name in known.parts)]


def _alone(parts: dict[str, np.ndarray], size: str, error: np.ndarray) -> np.ndarray:
    """The factor by which `size` alone must grow for differences to have this standard error."""
    falls = sum((p for n, p in parts.items() if size in DRAWN[n]), np.zeros(len(error)))
    stays = sum((p for n, p in parts.items() if size not in DRAWN[n]), np.zeros(len(error)))
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(error**2 > stays, falls / (error**2 - stays), np.inf)
    return np.maximum(times, 1.0)


def additions(
    known: Precision, rng: np.random.Generator, draws: int = 200, alpha: float = 0.05
) -> pd.DataFrame:
    """What doubling one of the campaign's sizes gains while the others stay as they are.

    Columns addition (``documents``, ``annotators``, ``ratings``, ``all`` for documents and
    annotators, or ``none``), judgments (as a multiple of the present number), error (standard error
    of the difference of the median pair), gain (share of the error variance saved; gain_low and
    gain_high: 95 % interval, from components drawn by their standard errors as if independent), and
    the columns of `design.repeats` for campaigns of that size. Rows by falling gain.
    """
    can = sizes(known)
    options: dict[str, dict[str, float]] = {"none": {}} | {size: {size: 2.0} for size in can}
    if {"documents", "annotators"} <= set(can):
        options["all"] = {"documents": 2.0, "annotators": 2.0}
    i, j = np.triu_indices(len(known.systems), 1)
    by_part = np.array([difference_variance(part)[i, j] for part in known.parts.values()])
    # components drawn by their standard errors, as multiples of their estimates
    log_error = [known.components.log_error.get(name, np.nan) for name in known.parts]
    drawn = np.exp(rng.standard_normal((draws, len(by_part))) * np.nan_to_num(log_error))
    least = np.finfo(float).tiny  # if there is no error, the gain is 0
    now = np.median(by_part.sum(axis=0)) + least, np.median(drawn @ by_part, axis=1) + least
    rows = []
    for name, times in options.items():
        falls = [1 / np.prod([times.get(size, 1.0) for size in DRAWN[n]]) for n in known.parts]
        error = np.median(falls @ by_part)
        low, high = np.quantile(
            1 - (np.median((drawn * falls) @ by_part, axis=1) + least) / now[1], [0.025, 0.975]
        )
        judgments = times.get("documents", 1.0) * times.get("ratings", 1.0)
        row = {"addition": name, "judgments": judgments, "error": np.sqrt(error)}
        row |= {"gain": 1 - (error + least) / now[0], "gain_low": low, "gain_high": high}
        rows.append(row | design.repeats(known, rng, **times, draws=draws, alpha=alpha))
    out = pd.DataFrame(rows)
    return out.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def repeat(
    sure: Certainty, claims: int, rng: np.random.Generator, draws: int = 1000
) -> dict[str, float]:
    """Agreement to expect between two campaigns like this one, with other units.

    Campaigns are normal about the means of `design.drawn_together`, with the covariance over units.
    Measured on campaigns of known truth, tau is .03 too low if five or more systems differ, .1 too
    high if many of them are equal, .1 to .2 too high if all are equal, and .2 to .3 too high if two
    or three systems are equal (``benchmarks/results/agreement.csv``).

    Keys tau, low, high (Kendall's tau between two campaigns: mean, and range of 95 % of them), srp
    (chance that the `claims` surest pairs of one campaign all keep their order in the other), kept
    (mean share of these pairs that keep it), claims; srp and kept are absent without claims.
    """
    n, truth = len(sure.mean), _quality(sure)
    one, two = (truth + normal_draws(sure.covariance, draws, rng) for _ in range(2))
    taus = tau(one, two)
    out = {"tau": taus.mean()}
    out["low"], out["high"] = np.quantile(taus, [(1 - 0.95) / 2, (1 + 0.95) / 2])
    i, j = np.triu_indices(n, 1)
    first, second = one[:, i] - one[:, j], two[:, i] - two[:, j]
    claims = min(claims, len(i))
    if claims:
        error_of = np.sqrt(np.maximum(sure.variance[i, j], 1e-24))
        surest = np.argsort(-np.abs(first) / error_of, axis=1)[:, :claims]
        kept = np.take_along_axis(np.sign(first) == np.sign(second), surest, axis=1)
        out |= {"srp": kept.all(axis=1).mean(), "kept": kept.mean()}
    return {k: float(v) for k, v in out.items()} | {"claims": claims}
