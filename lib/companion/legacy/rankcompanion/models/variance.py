"""Linear models with crossed factors (system, worker, document, segment), on cross-tabulations.

`statsmodels.MixedLM` handles crossed factors only as one group with dummy columns, which takes
hours for a campaign. Here the same restricted likelihood is computed from the normal equations (see
`reml`); tests compare it with statsmodels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, hstack
from scipy.sparse.linalg import lsmr

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment, counted

from .reml import NONE, Equations, log_errors, maximise
from .systems import at_least_two

Z95 = 1.959963984540054  # half a 95 % interval, in standard errors
EXACT = 1e-6  # share of the spread that effects may leave over of scores that they explain wholly
TOGETHER = ("worker:system", "block", "document:system")
"""Combinations of factors that make judgments of one system dependent."""
FACTORS = ("system", "worker", "document", "segment", *TOGETHER)


@dataclass(frozen=True)
class Components:
    """Variance components of single judgments, and the effects predicted with them.

    `left_out` are factors that these data do not determine; what they add is in the others.
    """

    variance: dict[
        str, float
    ]  # per factor and ``residual``, in squared units of the score
    mean: float  # the intercept
    effects: dict[
        str, pd.DataFrame
    ]  # per factor: level, effect, se (prediction error), rows
    deviance: float  # minus twice the restricted log-likelihood at the optimum, but for a constant
    rows: int
    left_out: tuple[str, ...] = ()
    log_error: dict[str, float] = field(
        default_factory=dict
    )  # of log(variance / residual's)

    def table(self) -> pd.DataFrame:
        """A row per component, with the interval of its variance and its share of the sum.

        low and high are the 95 % interval from the standard error of the log ratio to the
        residual's variance. If that interval exceeds a factor of 10, it begins at 0, since the
        variance cannot be told from 0 and its log is not normal. Missing for the residual and for a
        variance of 0. estimated is 0 for what was left out.
        """
        values = np.array(list(self.variance.values()))
        error = np.array(
            [self.log_error.get(name, np.nan) for name in self.variance]
        )
        wide = Z95 * error
        far = wide > np.log(10)
        factor = np.exp(np.where(far, np.nan, wide))
        return pd.DataFrame(
            {
                "component": list(self.variance),
                "variance": values,
                "low": np.where(far, 0.0, values / factor),
                "high": values * np.where(far, 1 + wide, factor),
                "sd": np.sqrt(values),
                "share": values / values.sum(),
                "estimated": [
                    int(name not in self.left_out) for name in self.variance
                ],
            }
        )


def crossed(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
) -> Components:
    """Variance components by restricted maximum likelihood, with random factors and an intercept.

    The model is y = mean + sum of the factors' effects + residual; the effects of a factor are
    independent and normal with its variance, and the residual's variance is divided by the weight.
    `factors` hold labels or codes; `weights` are the judgments averaged in each value.

    Raises DataError if there are no scores or some are not finite, and if a factor has a single
    level, or as many levels as there are rows.
    """
    if not len(y) or not np.isfinite(y).all():
        raise DataError(
            "scores missing", value=len(y), expected="finite scores"
        )
    w = (
        np.ones(len(y))
        if weights is None
        else np.asarray(weights, dtype=float)
    )
    coded = {
        name: pd.factorize(np.asarray(of), sort=True)
        for name, of in factors.items()
    }
    for name, (_, levels) in coded.items():
        if len(levels) < 2 or len(levels) >= len(y):
            problem = f"cannot estimate the variance of {name}"
            value = f"{len(levels)} levels in {len(y)} rows"
            least = "at least two levels"
            raise DataError(
                problem,
                value=value,
                expected=f"{least}, and several rows to a level",
            )
    centre = float(np.average(y, weights=w))
    scale = float(np.sqrt(np.average((y - centre) ** 2, weights=w))) or 1.0
    equations = Equations([codes for codes, _ in coded.values()], w)
    fit = maximise(equations, (y - centre) / scale)
    residual = fit.residual * scale**2
    there = fit.log_ratio > NONE
    of = np.where(there, residual * np.exp(fit.log_ratio), 0.0)
    effects = {}
    for (name, (codes, levels)), effect, error in zip(
        coded.items(), fit.effects, fit.errors, strict=True
    ):
        table = pd.DataFrame({"level": levels, "effect": effect * scale})
        number = np.bincount(codes, minlength=len(levels))
        effects[name] = table.assign(se=np.sqrt(error * residual), rows=number)
    return Components(
        dict(zip(coded, of.tolist(), strict=True)) | {"residual": residual},
        centre + scale * fit.intercept,
        effects,
        fit.deviance + (len(y) - 1) * 2 * np.log(scale),
        len(y),
        log_error=dict(
            zip(coded, log_errors(fit, there).tolist(), strict=True)
        ),
    )


def crossed_where_possible(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
) -> Components:
    """`crossed` without factors whose variance these data do not determine.

    A factor is kept if it has two or more levels, but fewer than there are rows; if two factors
    group the rows in the same way, only the first is kept. The others are in
    `Components.left_out`. Raises DataError if all `y` are equal, if no factor is left, or if the
    factors explain the scores completely.
    """
    kept: dict[str, np.ndarray] = {}
    for name, labels in factors.items():
        codes, levels = pd.factorize(np.asarray(labels))
        twin = any(np.array_equal(codes, other) for other in kept.values())
        if 1 < len(levels) < len(codes) and not twin:
            kept[name] = codes
    if not kept or np.ptp(y) == 0:
        problem = (
            "no variance that could be divided"
            if kept
            else "too few scores to divide"
        )
        raise DataError(
            problem,
            value=f"{len(y)} scores",
            expected="several of each, that differ",
        )
    whole = partial(
        DataError,
        "no variance is left over",
        expected="scores that factors do not explain wholly",
    )
    if _explained(y, list(kept.values())):
        raise whole()
    try:
        fitted = crossed(y, {name: factors[name] for name in kept}, weights)
    except np.linalg.LinAlgError:
        raise whole() from None
    effects = {}
    for name, labels in factors.items():
        levels, rows = np.unique(np.asarray(labels), return_counts=True)
        none = pd.DataFrame(
            {"level": levels, "effect": 0.0, "se": np.nan, "rows": rows}
        )
        effects[name] = fitted.effects.get(name, none)
    variance = {
        name: fitted.variance.get(name, 0.0) for name in [*factors, "residual"]
    }
    left_out = tuple(name for name in factors if name not in kept)
    return replace(
        fitted, variance=variance, effects=effects, left_out=left_out
    )


def _explained(y: np.ndarray, codes: Sequence[np.ndarray]) -> bool:
    """Whether sums of effects of the factors give these scores exactly, and not just any scores.

    The likelihood then has no maximum: it grows as the residual's variance shrinks, and which
    component is found is luck of rounding. Where factors would give any scores (as many effects as
    rows), nothing is said.
    """
    rows = np.arange(len(y))
    parts = [coo_array((np.ones(len(y)), (rows, of))).tocsr() for of in codes]
    design = hstack(parts).tocsr()

    def rest(values: np.ndarray) -> float:
        centred = values - values.mean()
        found = lsmr(design, centred, atol=1e-10, btol=1e-10, maxiter=300)
        return float(found[3] / np.linalg.norm(centred))

    exact = rest(y) < EXACT
    return exact and rest(np.random.default_rng(0).normal(size=len(y))) > EXACT


def components(
    da: DirectAssessment, scores: np.ndarray | None = None
) -> Components:
    """Variance components of the judgments that count, by `factors`, and the residual.

    Factors are left out as by `crossed_where_possible`; effects of those that are not combined have
    the names of the data as levels. Raises DataError for fewer than two systems.

    `scores` has one score per row of ``da.good``, by default the raw one; NaN are left out.
    """
    at_least_two(da)
    values = da.good["score"].to_numpy(float) if scores is None else scores
    rows = counted(da.good) & np.isfinite(values)
    fitted = crossed_where_possible(values[rows], factors(da, rows))
    for name, table in fitted.effects.items():
        if name not in TOGETHER:
            table["level"] = (
                da.good[name].cat.categories[table["level"]].astype(str)
            )
    return fitted


def codes_of(frame: pd.DataFrame, column: str, rows: np.ndarray) -> np.ndarray:
    """The codes of a categorical column on these rows."""
    return frame[column].cat.codes.to_numpy()[rows].astype(np.int64)


def has_documents(da: DirectAssessment) -> bool:
    """Whether all judgments that count name their document."""
    return bool((codes_of(da.good, "document", counted(da.good)) >= 0).all())


def factors(da: DirectAssessment, rows: np.ndarray) -> dict[str, np.ndarray]:
    """`combined_factors` of these rows of ``da.good``."""
    of = {
        n: codes_of(da.good, n, rows)
        for n in ("system", "segment", "worker", "document")
    }
    if not has_documents(da):
        del of["document"]
    return combined_factors(**of)


def combined_factors(
    system: np.ndarray,
    segment: np.ndarray,
    worker: np.ndarray | None = None,
    document: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Codes of system, worker, document, segment and their combinations, by name.

    ``worker:system`` and ``document:system`` combine a worker or a document with a system; a
    ``block`` is what one worker judged of one document of one system. Without workers or documents,
    the factors that need them are absent.
    """
    of = {
        "system": system,
        "worker": worker,
        "document": document,
        "segment": segment,
    }
    systems = int(system.max()) + 1
    for name, codes in (
        ("worker:system", worker),
        ("document:system", document),
    ):
        of[name] = (
            None
            if codes is None
            else codes.astype(np.int64) * systems + system
        )
    if worker is not None and document is not None:
        of["block"] = (
            worker.astype(np.int64) * (document.max() + 1) + document
        ) * systems + system
    return {n: codes for n in FACTORS if (codes := of.get(n)) is not None}
