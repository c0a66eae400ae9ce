"""Estimate the variance components of single judgments: systems, annotators, documents and more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, hstack
from scipy.sparse.linalg import lsmr

from ..arguments import check_columns
from ..errors import DataError
from ..judgments import SCORE_KINDS, Judgments, check_judgments
from ..scores.arrays import ScoreArrays
from ..scores.build import score_arrays
from .reml import LOG_ZERO, Equations, fit_at, log_errors, maximise

Z95 = 1.959963984540054  # half a 95 % interval, in standard errors
EXACT = 1e-6  # share of the spread that effects leave over of scores that they explain completely
MAX_FACTOR = 10.0  # an interval wider than this factor begins at 0
SYSTEM, ANNOTATOR, DOCUMENT, SEGMENT = "system", "annotator", "document", "segment"
ANNOTATOR_SYSTEM = "annotator x system"
DOCUMENT_SYSTEM = "document x system"
BLOCK = "block"  # what one annotator judged of one document of one system
RESIDUAL = "residual"
FACTORS = (SYSTEM, ANNOTATOR, DOCUMENT, SEGMENT, ANNOTATOR_SYSTEM, BLOCK, DOCUMENT_SYSTEM)


@dataclass(frozen=True)
class Components:
    """Variance components of single judgments, and the effects predicted with them.

    Attributes
    ----------
    variance : dict
        Per factor and ``residual``, in squared units of the score.
    mean : float
        The intercept.
    effects : dict of DataFrame
        Per factor: level, effect, se (prediction error).
    deviance : float
        Minus twice the restricted log-likelihood at the optimum, up to a constant.
    left_out : tuple of str
        Factors whose variance these data do not determine; it is part of the others.
    log_error : dict
        Standard error of log(variance / residual variance), per factor.
    """

    variance: dict[str, float]
    mean: float
    effects: dict[str, pd.DataFrame]
    deviance: float
    left_out: tuple[str, ...] = ()
    log_error: dict[str, float] = field(default_factory=dict)

    def table(self) -> pd.DataFrame:
        """Return a row per component, with the interval of its variance and its share of the sum.

        Columns component, variance, variance_low, variance_high, sd, share, estimated. The 95 %
        interval follows from the standard error of the log ratio to the residual's variance. If it
        is wider than a factor of 10 it begins at 0, because the variance is then not distinguished
        from 0, and its log is not normal. There is no interval for the residual and for a variance
        of 0. `estimated` is False for factors that were left out.
        """
        values = np.array(list(self.variance.values()))
        error = np.array([self.log_error.get(name, np.nan) for name in self.variance])
        half = Z95 * error
        is_wide = half > np.log(MAX_FACTOR)
        factor = np.exp(np.where(is_wide, np.nan, half))
        return pd.DataFrame(
            {
                "component": list(self.variance),
                "variance": values,
                "variance_low": np.where(is_wide, 0.0, values / factor),
                "variance_high": values * np.where(is_wide, 1 + half, factor),
                "sd": np.sqrt(values),
                "share": values / values.sum(),
                "estimated": [name not in self.left_out for name in self.variance],
            }
        )


def component_table(judgments: Judgments) -> pd.DataFrame:
    """Return the variance components of single judgments; see `variance_components`."""
    frames = [
        fitted.table().assign(score=score) for score, fitted in fit_judgments(judgments).items()
    ]
    table = pd.concat(frames, ignore_index=True)
    return table[["score", *table.columns.drop("score")]]


def fit_judgments(
    judgments: Judgments, components: pd.DataFrame | None = None
) -> dict[str, Components]:
    """Fit the components of raw scores and, where there are any, of z-scores.

    Segment scores have the factors system, document (if known), segment and residual; what
    annotators add is in the residual, which is divided by the number of judgments that each score
    averages. With `components`, a result of `component_table`, its variances are taken instead
    of being estimated.
    """
    known: dict[str, dict[str, float]] = {}
    if components is not None:
        check_columns("components", components, ("score", "component", "variance"))
        for score, table in components.groupby("score"):
            known[str(score)] = dict(zip(table["component"], table["variance"], strict=True))
    check_judgments(judgments, SCORE_KINDS)
    if judgments.kind == "segment_scores":
        return _fit_segment_scores(judgments.table, known)
    fitted = {"raw": fit_arrays(score_arrays(judgments, "raw"), known.get("raw"))}
    if judgments.kind == "direct_assessment":
        fitted["z"] = fit_arrays(score_arrays(judgments, "z"), known.get("z"))
    return fitted


def _fit_segment_scores(
    table: pd.DataFrame, variance: Mapping[str, Mapping[str, float]]
) -> dict[str, Components]:
    scores = {"raw": "score", "z": "z"}
    names = [SYSTEM, SEGMENT]
    if DOCUMENT in table and table[DOCUMENT].notna().all():
        names.insert(1, DOCUMENT)
    fitted = {}
    for score, column in scores.items():
        if column not in table:
            continue
        known = table[table[column].notna()]
        if known[SYSTEM].nunique() < 2:
            raise DataError("too_few_systems")
        factors = {name: known[name].astype(str).to_numpy() for name in names}
        weights = known["judgments"].to_numpy(float)
        fitted[score] = fit_estimable(
            known[column].to_numpy(float), factors, weights, variance.get(score)
        )
    return fitted


def fit_arrays(arrays: ScoreArrays, variance: Mapping[str, float] | None = None) -> Components:
    """Fit the components of scores, without factors whose variance they do not determine.

    With `variance`, these variances are taken, and only the effects are predicted.
    Levels of systems, segments, annotators and documents are named; those of combinations are
    codes.
    """
    if len(np.unique(arrays.system)) < 2:
        raise DataError("too_few_systems")
    fitted = fit_estimable(arrays.score, factor_codes(arrays), None, variance)
    names = {SYSTEM: arrays.systems, SEGMENT: arrays.segments}
    for unit in (ANNOTATOR, DOCUMENT):
        if unit in arrays.unit_names:
            names[unit] = arrays.unit_names[unit]
    for factor, level_names in names.items():
        if factor in fitted.effects:
            table = fitted.effects[factor]
            table["level"] = np.array(level_names, dtype=object)[table["level"].astype(int)]
    return fitted


def factor_codes(arrays: ScoreArrays) -> dict[str, np.ndarray]:
    """Return the code of each judgment's level, for every factor that can be a component."""
    codes = {
        name: arrays.units[name].astype(np.int64)
        for name in (ANNOTATOR, DOCUMENT)
        if arrays.has(name)
    }
    return combine_factors(arrays.system, arrays.segment, **codes)


def combine_factors(
    system: np.ndarray,
    segment: np.ndarray,
    annotator: np.ndarray | None = None,
    document: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Return codes of system, annotator, document, segment and of their combinations, by name.

    Without annotators or documents, the factors that need them are absent.
    """
    n_systems = int(system.max()) + 1
    codes: dict[str, np.ndarray] = {SYSTEM: system, SEGMENT: segment}
    if annotator is not None:
        codes[ANNOTATOR] = annotator
        codes[ANNOTATOR_SYSTEM] = annotator.astype(np.int64) * n_systems + system
    if document is not None:
        codes[DOCUMENT] = document
        codes[DOCUMENT_SYSTEM] = document.astype(np.int64) * n_systems + system
    if annotator is not None and document is not None:
        cell = annotator.astype(np.int64) * (int(document.max()) + 1) + document
        codes[BLOCK] = cell * n_systems + system
    return {name: codes[name] for name in FACTORS if name in codes}


def fit_components(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
    variance: Mapping[str, float] | None = None,
) -> Components:
    """Fit y = mean + sum of the factors' effects + residual by restricted maximum likelihood.

    The effects of a factor are independent and normal with its variance. The residual's variance
    is divided by the weight.

    Parameters
    ----------
    y : array, shape (rows,)
    factors : mapping of str to array, shape (rows,)
        Labels or codes.
    weights : array, shape (rows,), optional
        The judgments that each value averages.
    variance : mapping of str to float, optional
        Variances of the factors and of ``residual``, if they are known. Their ratios count.

    Raises
    ------
    DataError
        If values are missing, and if a factor has a single level, or as many levels as rows.
    """
    if not len(y) or not np.isfinite(y).all():
        raise DataError("scores_missing", value=len(y))
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    coded = {name: pd.factorize(np.asarray(labels), sort=True) for name, labels in factors.items()}
    for name, (_, levels) in coded.items():
        if len(levels) < 2 or len(levels) >= len(y):
            found = f"{len(levels)} levels in {len(y)} rows"
            raise DataError("factor_not_estimable", column=name, value=found)
    centre = float(np.average(y, weights=w))
    scale = float(np.sqrt(np.average((y - centre) ** 2, weights=w))) or 1.0
    equations = Equations([codes for codes, _ in coded.values()], w)
    scaled = (y - centre) / scale
    if variance is None:
        fit = maximise(equations, scaled)
    else:
        ratio = np.array([variance[name] / variance[RESIDUAL] for name in coded])
        fit = fit_at(equations, scaled, np.log(np.maximum(ratio, np.exp(LOG_ZERO))))
    residual = fit.residual * scale**2
    positive = fit.log_ratio > LOG_ZERO
    variances = np.where(positive, residual * np.exp(fit.log_ratio), 0.0)
    effects = {}
    for (name, (_, levels)), effect, error in zip(
        coded.items(), fit.effects, fit.errors, strict=True
    ):
        table = pd.DataFrame({"level": levels, "effect": effect * scale})
        table["se"] = np.sqrt(error * residual)
        effects[name] = table
    errors = log_errors(fit, positive)
    return Components(
        dict(zip(coded, variances.tolist(), strict=True)) | {RESIDUAL: residual},
        centre + scale * fit.intercept,
        effects,
        fit.deviance + (len(y) - 1) * 2 * np.log(scale),
        log_error=dict(zip(coded, errors.tolist(), strict=True)),
    )


def fit_estimable(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
    known: Mapping[str, float] | None = None,
) -> Components:
    """Fit the components without factors whose variance these data do not determine.

    A factor is kept if it has two or more levels, but fewer than there are rows; if two factors
    group the rows in the same way, only the first is kept. The others are in
    `Components.left_out`. With `known` variances, only the effects are predicted.

    Raises
    ------
    DataError
        If all `y` are equal, if no factor is left, or if the factors explain the scores completely.
    """
    kept: dict[str, np.ndarray] = {}
    for name, labels in factors.items():
        codes, levels = pd.factorize(np.asarray(labels))
        is_same = any(np.array_equal(codes, other) for other in kept.values())
        if 1 < len(levels) < len(codes) and not is_same:
            kept[name] = codes
    if not kept:
        raise DataError("too_few_scores", value=len(y))
    if np.ptp(y) == 0:
        raise DataError("equal_scores")
    if known is None and _explains_scores(y, list(kept.values())):
        raise DataError("no_variance_left")
    try:
        fitted = fit_components(y, {name: factors[name] for name in kept}, weights, known)
    except np.linalg.LinAlgError:
        raise DataError("no_variance_left") from None
    effects = {}
    for name, labels in factors.items():
        if name in fitted.effects:
            effects[name] = fitted.effects[name]
            continue
        level = np.unique(np.asarray(labels))
        effects[name] = pd.DataFrame({"level": level, "effect": 0.0, "se": np.nan})
    variance = {name: fitted.variance.get(name, 0.0) for name in [*factors, RESIDUAL]}
    left_out = tuple(name for name in factors if name not in kept)
    return replace(fitted, variance=variance, effects=effects, left_out=left_out)


def _explains_scores(y: np.ndarray, codes: Sequence[np.ndarray]) -> bool:
    """Return whether sums of effects of the factors give these scores exactly, and not any scores.

    The likelihood then has no maximum: it grows as the residual's variance shrinks, and rounding
    decides which component is found. Where factors would give any scores (as many effects as rows),
    the answer is False.
    """
    rows = np.arange(len(y))
    ones = np.ones(len(y))
    design = hstack([coo_array((ones, (rows, level))).tocsr() for level in codes]).tocsr()

    def unexplained(values: np.ndarray) -> float:
        centred = values - values.mean()
        solution = lsmr(design, centred, atol=1e-10, btol=1e-10, maxiter=300)
        return float(solution[3] / np.linalg.norm(centred))

    noise = np.random.default_rng(0).normal(size=len(y))
    return unexplained(y) < EXACT < unexplained(noise)
