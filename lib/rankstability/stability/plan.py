"""What more judgments would buy: smaller errors, and a better chance to separate two systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..codes import PLANS as DESCRIPTIONS
from ..errors import DataError, suggest
from ..inference.from_judgments import infer_scores, ranked_scores
from ..inference.result import RankInference
from ..inference.units import difference_variance
from ..judgments import Judgments
from .precision import JUDGMENTS, SIZES, Precision, known_precision

POWER = 0.8  # the chance with which a boundary is to be found
FACTORS = (1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100)
"""Sizes that are tried, as multiples of the present one."""
MAX_FACTOR = 1e6  # a larger one is a rounding error
PLANS: dict[str, dict[str, float]] = {
    "now": {},
    "annotators": {"annotators": 2.0, "ratings": 2.0},
    "documents": {"documents": 2.0},
    "both": {"documents": 2.0, "annotators": 2.0},
    "ratings": {"ratings": 2.0},
}
"""What is doubled: annotators, each judging as much as now, on the same documents; documents, by
the same annotators, each judging twice as much; both, each annotator judging as much as now; or the
ratings of each output, by the same annotators."""
SEED = 20240101


@check_arguments
def plan(
    judgments: Judgments,
    systems: tuple[str, str] | None = None,
    *,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
    seed: int = SEED,
) -> pd.DataFrame:
    """Predict what twice as many judgments would achieve, depending on what is doubled.

    Each plan has exactly twice the judgments of the present campaign, including the plan ``both``.
    The error variance therefore falls by about half at most. Error variances are computed from
    variance components and the design of the campaign. True means are shrunk towards each other,
    because differences estimated from one campaign are too large on average. Votes and relative
    rankings have only one plan, in which the units of every kind are doubled.

    Parameters
    ----------
    judgments : Judgments
    systems : (str, str), optional
        Two systems that are to be separated. By default, the two best systems other than human
        translations.
    procedure : str, optional
        The ranking procedure whose score is used; by default that of the campaign's year.
    unit : str, optional
        The sampling unit, as for `rank_systems`.
    alpha : float
        The error rate of the ranking.
    seed : int
        The seed of the simulated campaigns.

    Returns
    -------
    DataFrame
        One row per plan: plan (``now``, ``annotators``, ``documents``, ``both``, ``ratings``) and
        description (what is doubled and what stays the same); documents, annotators,
        judgments_per_annotator and judgments, as multiples of the present numbers; error_variance
        (of the difference of the median pair) and reduction (the share by which this variance
        falls); chance_boundary (the chance of a supported boundary between the two systems) and
        chance_better (the chance that the first system is significantly better); boundaries
        (expected number of supported boundaries); system_a and system_b (the two systems).

    Raises
    ------
    DataError
        If a system is unknown, or no inference can be made.

    Examples
    --------
    >>> import rankstability as rs
    >>> plans = rs.plan(rs.load("demo-srpdc", "de-en")).set_index("plan")
    >>> float(plans.loc["both", "reduction"])
    0.5
    """
    data, by_domain = ranked_scores(judgments, procedure)
    inference = infer_scores(data, by_domain, unit, alpha)
    precision = known_precision(inference, data, by_domain)
    chosen = choose_systems(inference, judgments.humans, systems)
    table = compare_plans(precision, chosen, np.random.default_rng(seed), alpha)
    return table.assign(system_a=chosen[0], system_b=chosen[1])


def choose_systems(
    inference: RankInference,
    humans: Sequence[str] = (),
    systems: Sequence[str] | None = None,
) -> tuple[str, str]:
    """Return two systems in the order of their means, by default the best two that are no humans.

    Raises
    ------
    DataError
        ``unknown_system`` if a system is unknown or cannot be assessed.
    """
    names = [
        name for name, known in zip(inference.systems, inference.assessable, strict=True) if known
    ]
    if systems is None:
        machines = [name for name in names if name not in humans]
        first, second = (machines if len(machines) > 1 else names)[:2]
        return first, second
    for name in systems:
        if name not in names:
            raise DataError("unknown_system", value=name, expected=suggest(name, names) or None)
    first, second = sorted(systems, key=names.index)
    return first, second


def compare_plans(
    precision: Precision,
    systems: tuple[str, str],
    rng: np.random.Generator,
    alpha: float = 0.05,
    draws: int = 200,
) -> pd.DataFrame:
    """Compare campaigns with twice the judgments: the rows of `plan`.

    Parameters
    ----------
    precision : Precision
        Of the present campaign.
    systems : (str, str)
        The better and the worse of two systems that are to be separated.
    rng : Generator
    alpha : float
        Error rate of the ranking.
    draws : int
        Draws of the true means.
    """
    better, worse = (precision.systems.index(name) for name in systems)
    pairs = np.triu_indices(len(precision.systems), 1)
    truths = precision.draw_truths(draws, rng)
    now = _median_variance(precision, pairs, {})
    errors_seed = int(rng.integers(2**32))  # of all plans, so that they differ by size alone
    rows = []
    for name, times in PLANS.items():
        if not _is_possible(name, precision):
            continue
        error = _median_variance(precision, pairs, times)
        errors = np.random.default_rng(errors_seed)
        above, separated = precision.simulate(truths, errors, alpha, **times)
        judgments = float(np.prod([times.get(size, 1.0) for size in JUDGMENTS]))
        annotators = times.get("annotators", 1.0)
        rows.append(
            {
                "plan": name,
                "description": DESCRIPTIONS[name],
                "documents": times.get("documents", 1.0),
                "annotators": annotators,
                "judgments_per_annotator": judgments / annotators,
                "judgments": judgments,
                "error_variance": error * precision.caution,
                "reduction": 1 - error / now if now > 0 else 0.0,
                "chance_boundary": float((above[:, better] < above[:, worse]).mean()),
                "chance_better": float(separated[:, better, worse].mean()),
                "boundaries": float(above.max(axis=1).mean()),
            }
        )
    return pd.DataFrame(rows)


def _median_variance(
    precision: Precision, pairs: tuple[np.ndarray, ...], times: Mapping[str, float]
) -> float:
    """Return the error variance of the median pair by the components."""
    return float(np.median(difference_variance(precision.covariance(**times))[pairs]))


def _is_possible(name: str, precision: Precision) -> bool:
    """Return whether part of the error falls with what a plan doubles."""
    sizes = precision.sizes
    if name == "ratings":
        # where annotators are sampled, new annotators give the further ratings
        return "ratings" in sizes and "annotators" not in sizes
    if name == "both":
        return precision.joint or {"documents", "annotators"} <= set(sizes)
    return name == "now" or name in sizes


def judgments_needed(
    precision: Precision,
    order: Sequence[str],
    rng: np.random.Generator,
    alpha: float = 0.05,
    draws: int = 300,
) -> pd.DataFrame:
    """Find how large a campaign must be to separate each two neighbours by a supported boundary.

    Chances are means over draws of the true means (`Precision.draw_truths`). On quarters of real
    campaigns, 32 of 38 boundaries that were promised with a chance of .80 came. If two systems are
    equal, no number of judgments helps.

    Parameters
    ----------
    precision : Precision
        Of the present campaign.
    order : sequence of str
        Systems, best first.

    Returns
    -------
    DataFrame
        A row per pair of neighbours: rank (of the upper system), system_a, system_b, difference
        (estimated true difference), standard_error (of the observed difference), chance_boundary
        (that a boundary between them is supported in a campaign of this size), times (factor by
        which documents and annotators must grow for a chance of `POWER`; inf if no factor of
        `FACTORS` is enough), judgments (needed in all), and, for each of documents, annotators and
        ratings that can be added, the number needed if only this grows (ratings: as a multiple of
        the present ratings of an output), inf if no number is enough.
    """
    code = {name: k for k, name in enumerate(precision.systems)}
    place = np.array([code[name] for name in order])
    upper, lower = place[:-1], place[1:]
    truths = precision.draw_truths(draws, rng)
    gap = truths[0][:, upper] - truths[0][:, lower]
    error = precision.standard_errors()[upper, lower]
    chance = np.empty((len(FACTORS), len(upper)))
    for k, factor in enumerate(FACTORS):
        above, _ = precision.simulate(truths, rng, alpha, documents=factor, annotators=factor)
        chance[k] = (above[:, upper] < above[:, lower]).mean(axis=0)
    chance = np.maximum.accumulate(chance, axis=0)  # a larger campaign never shows less
    log_factors = np.log(FACTORS)
    times = np.exp([np.interp(POWER, each, log_factors, right=np.inf) for each in chance.T])
    table = pd.DataFrame(
        {
            "rank": np.arange(1, len(order)),
            "system_a": list(order[:-1]),
            "system_b": list(order[1:]),
            "difference": gap.mean(axis=0),
            "standard_error": error,
            "chance_boundary": chance[0],
            "times": times,
            "judgments": np.ceil(times * precision.units["judgments"]),
        }
    )
    for size in precision.sizes:
        alone = _factor_alone(precision, size, upper, lower, error / np.sqrt(times))
        alone = np.where(times > 1, alone, 1.0)
        known = precision.units.get(size)
        table[size] = alone if known is None else np.ceil(alone * known)
    return table


def _factor_alone(
    precision: Precision, size: str, upper: np.ndarray, lower: np.ndarray, error: np.ndarray
) -> np.ndarray:
    """Return the factor by which `size` alone must grow for differences to have this error."""
    falls = np.zeros(len(error))
    stays = np.zeros(len(error))
    for name, part in precision.parts.items():
        persistent = difference_variance(part.persistent)[upper, lower]
        random = difference_variance(part.random)[upper, lower]
        if size in SIZES[name]:
            falls += persistent
        else:
            stays += persistent
        if size in JUDGMENTS:
            falls += random
        else:
            stays += random
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(error**2 > stays, falls / (error**2 - stays), np.inf)
    factor = np.where(factor > MAX_FACTOR, np.inf, factor)
    return np.maximum(factor, 1.0)
