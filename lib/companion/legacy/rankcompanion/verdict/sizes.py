"""What to do next: what would tell neighbours apart, and which addition is worth most."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.certainty import Certainty
from companion.legacy.rankstability.rank.units import difference_variance
from companion.legacy.rankstability.score.scored import Scores

from ..models import variance
from ..models.comparing import tau
from ..models.units import nested
from . import design
from .design import DRAWN, Precision

MOST = 10_000  # judgments from which variance components are estimated
SIZES = ("documents", "annotators", "ratings")
GROWN = (
    1,
    1.25,
    1.5,
    2,
    3,
    4,
    6,
    8,
    12,
    16,
    24,
    32,
    48,
    64,
    100,
)  # sizes tried, times the present
ADDITIONS: dict[str, dict[str, float]] = {
    "none": {},
    "documents": {"documents": 2.0},
    "annotators": {"annotators": 2.0, "ratings": 2.0},
    "ratings": {"ratings": 2.0},
    "all": {"documents": 2.0, "annotators": 2.0},
}
"""What is doubled: documents, by the same annotators; annotators, on the same documents; ratings of
each output, by the same annotators; documents and annotators, each judging as much as now."""
# degrees of freedom of a system whose judgments all lie in one unit
LEAST = 1e-3


def precision(
    scored: Scores, sure: Certainty, by_domain: bool = False
) -> Precision:
    """`design.precision`, limited to what changes with other units of the kinds that `sure` has.

    A variance component is kept if each of its levels lies within one unit: with other documents,
    the components of documents change, but not what an annotator adds to all documents. If there
    are more than `MOST` judgments, components are estimated on every second, third, ... document
    (segment if none are named). Tests are as cautious as the variances of `sure`. `by_domain` must
    be as for `sure`.
    """
    group = scored.unit("document" if scored.has("document") else "segment")
    every = -(
        -scored.counted // MOST
    )  # so that at most about `MOST` judgments are left
    part = scored.take(group % every == 0)
    fitted = variance.crossed_where_possible(part.score, design.factors(part))
    known = design.precision(scored, fitted, by_domain)
    units = [scored.unit(kind) for kind in sure.units]
    anew = {"residual"} | {
        name
        for name, codes in design.factors(scored).items()
        if name != "system" and any(nested(codes, unit) for unit in units)
    }
    parts = {
        name: matrix for name, matrix in known.parts.items() if name in anew
    }
    drawn = {size for name in parts for size in DRAWN[name]} | {"judgments"}
    # segments stand in for documents that are not named
    number = {"documents": len(np.unique(scored.segment))} | known.units
    number = {size: n for size, n in number.items() if size in drawn}
    place = np.argsort(sure.order)
    pairs = np.ix_(place, place)
    freedom = np.maximum(sure.df[pairs], LEAST)
    known = replace(known, freedom=freedom, parts=parts, units=number)
    apart = ~np.eye(len(place), dtype=bool)
    ratio = np.median(sure.variance[pairs][apart] / known.errors()[apart] ** 2)
    return replace(known, caution=max(1.0, float(ratio)))


def of_means(sure: Certainty, judgments: int) -> Precision:
    """Precision from the covariance over units, for judgments without components (comparisons).

    The number of units is the only size, under ``annotators``.
    """
    units = {"judgments": judgments, "annotators": min(sure.units.values())}
    none = variance.Components({}, float(sure.mean.mean()), {}, 0.0, judgments)
    parts = {"worker": sure.covariance}
    freedom = np.maximum(sure.df, LEAST)
    return Precision(sure.systems, sure.mean, freedom, parts, units, none)


def needed(
    known: Precision,
    ranked: Sequence[str],
    rng: np.random.Generator,
    alpha: float = 0.05,
    draws: int = 300,
) -> pd.DataFrame:
    """How large a campaign would have to be for a line between neighbours of `ranked` (best first).

    One row per pair of neighbours. Columns below (rank), system, other (the neighbour below), gap
    (estimated true difference), error (standard error of the difference), power (chance that a line
    between them, in this order, holds in a campaign of this size), times (factor by which all sizes
    must grow for such a line to hold with chance `POWER`; inf if no factor in `GROWN` is enough),
    judgments (needed in all, at least the present number); and, of documents (segments if none are
    named), annotators and ratings, those that can be added: the number needed in all if only they
    grow (ratings: as a multiple of the present ratings per item), inf if no number is enough.

    Chances are means over `draws` draws of the true means (`Precision.truths`).
    """
    at = {name: k for k, name in enumerate(known.systems)}
    place = [at[name] for name in ranked]
    i = place[:-1]
    j = place[1:]
    truths = known.truths(draws, rng)
    gap = truths[0][:, i] - truths[0][:, j]
    error = known.errors()[i, j]
    out = pd.DataFrame(
        {"below": np.arange(1, len(ranked)), "system": ranked[:-1]}
    )
    out["other"] = ranked[1:]
    out["gap"] = gap.mean(axis=0)
    found = np.empty((len(GROWN), len(i)))
    for k, grown in enumerate(GROWN):
        above = known.again(
            truths, rng, alpha, documents=grown, annotators=grown
        )[2]
        found[k] = (above[:, i] < above[:, j]).mean(axis=0)
    found = np.maximum.accumulate(
        found, axis=0
    )  # a larger campaign never tells less
    times = [
        np.interp(design.POWER, f, np.log(GROWN), right=np.inf)
        for f in found.T
    ]
    out["error"] = error
    out["power"] = found[0]
    out["times"] = np.exp(times)
    out["judgments"] = np.ceil(out["times"] * known.units["judgments"])
    by_part = {
        n: difference_variance(part)[i, j] for n, part in known.parts.items()
    }
    for size in sizes(known):
        alone = _alone(by_part, size, error / np.sqrt(out["times"].to_numpy()))
        alone = np.where(out["times"] > 1, alone, 1.0)
        out[size] = (
            np.ceil(alone * known.units[size])
            if size in known.units
            else alone
        )
    return out


def sizes(known: Precision) -> list[str]:
    """Those of `SIZES` that are worth adding to, because part of the error falls with them."""
    return [
        size
        for size in SIZES
        if any(size in DRAWN[name] for name in known.parts)
    ]


def _alone(
    parts: dict[str, np.ndarray], size: str, error: np.ndarray
) -> np.ndarray:
    """The factor by which `size` alone must grow for differences to have this standard error."""
    falls = sum(
        (p for n, p in parts.items() if size in DRAWN[n]), np.zeros(len(error))
    )
    stays = sum(
        (p for n, p in parts.items() if size not in DRAWN[n]),
        np.zeros(len(error)),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(error**2 > stays, falls / (error**2 - stays), np.inf)
    return np.maximum(times, 1.0)


def additions(
    known: Precision,
    pair: Sequence[str],
    rng: np.random.Generator,
    draws: int = 200,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """What twice the judgments would gain, by what is doubled (`ADDITIONS`).

    Every row but the first (``none``) doubles the judgments. Columns addition, judgments (as a
    multiple of the present number), gain (share of the error variance of the median pair that is
    saved), chance (that a line between the two systems of `pair`, in this order, holds in a
    campaign of that size), lines_held (expected number). Rows by falling gain; ``none`` last.
    """
    can = set(sizes(known))
    options = {
        name: times
        for name, times in ADDITIONS.items()
        if _possible(name, can)
    }
    i, j = np.triu_indices(len(known.systems), 1)
    by_part = {
        n: difference_variance(part)[i, j] for n, part in known.parts.items()
    }
    least = np.finfo(float).tiny  # if there is no error, the gain is 0
    now = np.median(sum(by_part.values(), np.zeros(len(i)))) + least
    better, worse = (known.systems.index(name) for name in pair)
    truths = known.truths(draws, rng)
    rows = []
    for name, times in options.items():
        falls = {
            n: np.prod([times.get(size, 1.0) for size in DRAWN[n]])
            for n in by_part
        }
        error = np.median(
            sum((by_part[n] / falls[n] for n in by_part), np.zeros(len(i)))
        )
        above = known.again(truths, rng, alpha, **times)[2]
        row = {"addition": name, "judgments": 2.0 if times else 1.0}
        row["gain"] = 1 - (error + least) / now
        row["chance"] = float((above[:, better] < above[:, worse]).mean())
        row["lines_held"] = float(above.max(axis=1).mean())
        rows.append(row)
    out = pd.DataFrame(rows).assign(
        last=lambda frame: frame["addition"] == "none"
    )
    out = out.sort_values(
        ["last", "gain"], ascending=[True, False], kind="stable"
    )
    return out.drop(columns="last").reset_index(drop=True)


def _possible(addition: str, can: set[str]) -> bool:
    """Whether what an addition doubles is among the sizes with which the error falls."""
    if (
        addition == "ratings"
    ):  # where annotators are drawn afresh, new ones judge again
        return addition in can and "annotators" not in can
    if addition == "all":
        return {"documents", "annotators"} <= can
    return addition in can or not ADDITIONS[addition]


def repeat(
    sure: Certainty, claims: int, rng: np.random.Generator, draws: int = 1000
) -> dict[str, float]:
    """Agreement to expect between two campaigns like this one, with other units.

    Both are drawn about the same draws of the true means (`Precision.truths`), with the covariance
    over units. On halves of real campaigns tau is .03 too low on average
    (``benchmarks/results/halves.csv``). On campaigns of known truth it is up to .1 off; where most
    systems are equal it is too high, by .1 to .4 (``agreement.csv``).

    Keys tau, low, high (Kendall's tau between two campaigns: mean, and range of 95 % of them), srp
    (chance that the `claims` surest pairs of one campaign all keep their order in the other), kept
    (mean share of these pairs that keep it), claims; srp and kept are absent without claims.
    """
    known = of_means(sure, 0)
    truths = known.truths(draws, rng)
    one, two = (known.means(truths, rng) for _ in range(2))
    taus = tau(one, two)
    out = {"tau": taus.mean()}
    out["low"], out["high"] = np.quantile(
        taus, [(1 - 0.95) / 2, (1 + 0.95) / 2]
    )
    i, j = np.triu_indices(len(sure.mean), 1)
    first = one[:, i] - one[:, j]
    second = two[:, i] - two[:, j]
    claims = min(claims, len(i))
    if claims:
        error_of = np.sqrt(np.maximum(sure.variance[i, j], 1e-24))
        surest = np.argsort(-np.abs(first) / error_of, axis=1)[:, :claims]
        kept = np.take_along_axis(
            np.sign(first) == np.sign(second), surest, axis=1
        )
        out |= {"srp": kept.all(axis=1).mean(), "kept": kept.mean()}
    return {k: float(v) for k, v in out.items()} | {"claims": claims}
