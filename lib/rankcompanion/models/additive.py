"""Alternatives to the z-score, from models of systems, workers and documents.

Knowles (2021, section 8) asks for ways to tell a strict worker from one who was given poor systems.
Each method here gives one score per judgment, which replaces the z-score in `segment_scores`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment, at_least_two, counted, of_type
from rankstability.score import da as da_scores
from rankstability.score.da import NO_SPREAD

from . import variance
from .variance import TOGETHER, codes_of, factors, has_documents, judgment_weights

METHODS = {
    "z": "the worker's mean and standard deviation over all they judged (WMT)",
    "raw": "no standardisation at all",
    "controls": "the worker's level and spread on the REF and BAD_REF rows only",
    "composition": "the worker's level and spread once systems and documents are accounted for",
    "model": "least squares: system, worker and document effects",
    "mixed": "the same with random workers and documents (shrunk by their variance)",
}
DISCERNMENT = "worker:quality"
"""The component of workers who spread the systems further apart, or less far, than others."""
FEWEST = 3  # control rows of a worker that the method ``controls`` needs


def spacing(da: DirectAssessment, quality: pd.Series) -> np.ndarray:
    """The quality of each row's system in ``da.good``, in standard deviations from the mean."""
    steps = (quality - quality.mean()) / (float(quality.std()) or 1.0)
    return np.nan_to_num(steps.reindex(da.good["system"].astype(str)).to_numpy(float))


def components(
    da: DirectAssessment,
    scores: np.ndarray | None = None,
    together: bool = True,
    quality: pd.Series | None = None,
) -> variance.Components:
    """Variance components of the judgments that count, by `variance.factors`, and the residual.

    Factors are left out as by `variance.crossed_where_possible`; effects of those that are not
    combined have the names of the data as levels. Raises DataError for fewer than two systems.

    `scores` has one score per row of ``da.good``, by default the raw one; NaN are left out. Without
    the combined factors (`together`), judgments of one worker and system are taken to be
    independent.

    If a `quality` of each system is given, as from `additive`, it is subtracted from the scores,
    and the component ``system`` is replaced by `DISCERNMENT`: each worker's slope on the quality,
    with the variance at one standard deviation from the mean.
    """
    at_least_two(da)
    values = da.good["score"].to_numpy(float) if scores is None else scores
    rows = counted(da.good) & np.isfinite(values)
    of = {n: c for n, c in factors(da, rows).items() if together or n not in TOGETHER}
    times = {}
    if quality is not None:
        of[DISCERNMENT], times[DISCERNMENT] = of["worker"], spacing(da, quality)[rows]
        del of["system"]
        values = values - quality.reindex(da.good["system"].astype(str)).to_numpy(float)
    fitted = variance.crossed_where_possible(values[rows], of, values=times)
    for name, table in fitted.effects.items():
        if name not in (*TOGETHER, DISCERNMENT):
            table["level"] = da.good[name].cat.categories[table["level"]].astype(str)
    return fitted


@dataclass(frozen=True)
class Additive:
    """System and worker effects (points), and each worker's spread around them."""

    system: pd.Series  # indexed by system
    worker: np.ndarray  # by the codes of workers in ``da.good``, as is `spread`
    spread: np.ndarray  # standard deviation of residuals; NaN for fewer than two, or if it is 0


def additive(da: DirectAssessment) -> Additive:
    """System and worker effects by weighted least squares, fitted with document effects."""
    effect, worker, _, spread = _fitted(da, da.good["score"].to_numpy(float)[:, None])
    ranked = np.unique(codes_of(da.good, "system", counted(da.good)))
    names = da.good["system"].cat.categories[ranked].astype(str)
    return Additive(pd.Series(effect[:, 0], index=names), worker[:, 0], spread[:, 0])


def _fitted(
    da: DirectAssessment, scores: np.ndarray, penalty: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """System, worker and document effects, and workers' spread, for each column of `scores`.

    Rows are the systems that count, and the codes of workers and documents: NaN beyond those in the
    fit, with one more row of NaN for rows without a document. If documents are not named, their
    effects are 0.
    """
    rows, good = counted(da.good), da.good
    system = np.unique(codes_of(good, "system", rows), return_inverse=True)[1]
    worker, document = (codes_of(good, name, rows) for name in ("worker", "document"))
    of_documents = has_documents(da)
    y = scores[rows]
    s, w, d = variance.effects(
        y, system, worker, document if of_documents else None, judgment_weights(da, rows), penalty
    )
    residual = y - s[system] - w[worker]
    full_d = np.zeros((len(good["document"].cat.categories) + 1, y.shape[1]))
    if of_documents:
        residual -= d[document]
        full_d[:] = np.nan
        full_d[: len(d)] = d
    full_w = np.full((len(good["worker"].cat.categories), y.shape[1]), np.nan)
    full_w[: len(w)] = w
    return s, full_w, full_d, _spread(worker, residual, len(full_w))


def _spread(codes: np.ndarray, residual: np.ndarray, size: int) -> np.ndarray:
    """Standard deviation about 0 of the residuals of each level (ddof = 1); NaN if it is 0."""
    n = np.bincount(codes, minlength=size).astype(float)
    squares = variance.level_sums(codes, residual**2, size)
    sd = np.sqrt((squares.T / np.where(n > 1, n - 1, np.nan)).T)
    return np.where(sd > NO_SPREAD, sd, np.nan)


def controls(
    da: DirectAssessment, scores: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Level and spread of each worker (a row each) on the control rows.

    The level is the worker's effect next to that of the type of row, so that a worker with many bad
    references is not taken for a strict one. NaN for fewer than `FEWEST` control rows. `scores` has
    one score per row of ``da.good``, by default the raw one, or a column per campaign.
    """
    good = da.good
    values = good["score"].to_numpy(float) if scores is None else scores
    rows = of_type(good, "REF", "BAD_REF")
    size = len(good["worker"].cat.categories)
    level = np.full((size, *values.shape[1:]), np.nan)
    if not rows.any():
        return level, level.copy()
    worker, y = codes_of(good, "worker", rows), values[rows]
    types = np.unique(codes_of(good, "type", rows), return_inverse=True)[1]
    t, w, _ = variance.effects(y, types, worker)
    level[: len(w)] = w
    spread = _spread(worker, y - t[types] - w[worker], size)
    few = np.bincount(worker, minlength=size) < FEWEST
    level[few], spread[few] = np.nan, np.nan
    return level + t.mean(axis=0), spread


def standardised(
    da: DirectAssessment,
    methods: Iterable[str] = tuple(METHODS),
    penalty: tuple[float, float] | None = None,
) -> dict[str, np.ndarray]:
    """One score per row of ``da.good`` by each of these `METHODS`, for `segment_scores`.

    A score is NaN if the method knows nothing of the worker; such judgments do not count. The
    method ``controls`` is absent if some system has no worker whom it can standardise. `penalty` is
    that of worker and document effects in ``mixed``, by default from `penalties` of these data.
    Raises DataError for an unknown method.
    """
    methods = list(methods)
    raw = da.good["score"].to_numpy(float)[:, None]
    columns = standardised_columns(da, raw, [m for m in methods if m != "z"], penalty)
    if "z" in methods:
        columns["z"] = da_scores.judgment_z(da)[:, None]
    return {m: columns[m][:, 0] for m in methods if m in columns}


def standardised_columns(
    da: DirectAssessment,
    scores: np.ndarray,
    methods: Iterable[str],
    penalty: tuple[float, float] | None = None,
) -> dict[str, np.ndarray]:
    """`standardised` for many campaigns that share the rows of ``da.good`` but not the scores.

    `scores` are (rows, campaigns); workers' moments for ``z`` are taken from them.
    """
    methods = list(methods)
    if unknown := [m for m in methods if m not in METHODS]:
        raise DataError("unknown method", value=unknown[0], expected=", ".join(METHODS))
    worker, document = (da.good[n].cat.codes.to_numpy() for n in ("worker", "document"))
    counts = counted(da.good)
    system = codes_of(da.good, "system", counts)
    fixed = _fitted(da, scores) if {"composition", "model"} & set(methods) else None
    out: dict[str, np.ndarray] = {}
    for method in methods:
        if method == "raw":
            values = scores.copy()
        elif method in ("z", "controls"):
            at, spread = _moments(da, scores) if method == "z" else controls(da, scores)
            values = (scores - at[worker]) / spread[worker]
        else:
            fit = _fitted(da, scores, penalty or penalties(da)) if method == "mixed" else fixed
            assert fit is not None
            s, w, d, spread = fit
            values = scores - w[worker] - d[document]
            if method == "composition":  # centred, so that workers' spreads leave the level alone
                values = (scores - s.mean(axis=0) - w[worker]) / spread[worker]
        known = system[np.isfinite(values[counts, 0])]
        if method != "controls" or len(np.unique(known)) == len(np.unique(system)):
            out[method] = values
    return out


def _moments(da: DirectAssessment, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each worker over all rows, a column per campaign."""
    worker, size = da.good["worker"].cat.codes.to_numpy(), len(da.good["worker"].cat.categories)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (variance.level_sums(worker, scores, size).T / np.bincount(worker, minlength=size)).T
    return mean, _spread(worker, scores - mean[worker], size)


def penalties(
    da: DirectAssessment, fitted: variance.Components | None = None
) -> tuple[float, float]:
    """The ratios of residual variance to that of workers and of documents, for ``mixed``.

    The residual here includes segments and everything else but systems, workers and documents.
    """
    of = (fitted or components(da, together=False)).variance
    rest = sum(v for name, v in of.items() if name not in ("worker", "document", "system"))
    return rest / max(of.get("worker", 0.0), 1e-9), rest / max(of.get("document", 0.0), 1e-9)
