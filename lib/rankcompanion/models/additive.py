"""Beyond the z-score: rankings from models of systems, workers and documents, and how stable.

Knowles (2021, section 8) asks for ways to tell a strict worker from a worker who met poor systems.
Each method here gives one standardised score per judgment, which takes the place of the z-score in
`da.segment_scores`; averages, tests and clusters stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment, at_least_two, counted, of_type
from rankstability.score import da as da_scores
from rankstability.score.da import NO_SPREAD

from . import variance
from .factors import TOGETHER, codes_of, factors, has_documents, judgment_weights

METHODS = {
    "z": "the worker's mean and standard deviation over all they judged (WMT)",
    "raw": "no standardisation at all",
    "controls": "the worker's level and spread on the REF and BAD_REF rows only",
    "composition": "the worker's level and spread once systems and documents are accounted for",
    "model": "least squares: system, worker and document effects",
    "mixed": "the same with random workers and documents (shrunk by their variance)",
}
DISCERNMENT = "worker:quality"
"""How much further apart than the average worker one keeps the systems, or less far."""
FEWEST = 3  # control rows of a worker below which the method knows nothing of the worker


def spacing(da: DirectAssessment, quality: pd.Series) -> np.ndarray:
    """Of each row of ``da.good`` its system's quality, in standard deviations from their mean."""
    steps = (quality - quality.mean()) / (float(quality.std()) or 1.0)
    return np.nan_to_num(steps.reindex(da.good["system"].astype(str)).to_numpy(float))


def components(
    da: DirectAssessment,
    scores: np.ndarray | None = None,
    together: bool = True,
    quality: pd.Series | None = None,
) -> variance.Components:
    """Variance of single judgments: the `factors` of the judgments that count, and the residual.

    A factor that these data cannot tell (one worker, every segment judged once, the same rows
    together as an earlier factor) has variance 0 and is in `left_out`. Effects of the factors that
    are not combined are under the names of the data. Fewer than two systems are refused.

    `scores` are one per row of ``da.good``, such as z-scores, by default the raw ones; NaN are left
    out. Without what holds `together` (``worker:system``, ``document:system``, ``block``) judgments
    of one worker and system are taken for independent.

    A `quality` of each system, as from `additive`, is taken as it is, in place of the component
    ``system``, with `DISCERNMENT`, each worker's slope on it, whose variance is that of a system
    one standard deviation from the mean. (Beside a variance of systems, slopes on effects fitted to
    the same scores would take its place.)
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
    """System and worker effects (points), and the worker's spread around them.

    Indexed by system; by the codes of ``da.good``'s workers. `spread` is the standard deviation of
    a worker's residuals, NaN below two judgments or where it is 0.
    """

    system: pd.Series
    worker: np.ndarray
    spread: np.ndarray


def additive(da: DirectAssessment) -> Additive:
    """Effects by weighted least squares on the judgments that count, beside document effects."""
    effect, worker, _, spread = _fitted(da, da.good["score"].to_numpy(float)[:, None])
    names = da.good["system"].cat.categories[
        np.unique(codes_of(da.good, "system", counted(da.good)))
    ]
    return Additive(pd.Series(effect[:, 0], index=names.astype(str)), worker[:, 0], spread[:, 0])


def _fitted(
    da: DirectAssessment, scores: np.ndarray, penalty: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """System, worker and document effects, and workers' spread, of each column of `scores`.

    By the systems that count, and by the codes of workers and documents: NaN where the fit saw
    none, and at the end of documents for rows without one. Without documents their effect is 0.
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
    """Standard deviation of the residuals of each level (ddof = 1, about 0), NaN where it is 0."""
    n = np.bincount(codes, minlength=size).astype(float)
    squares = variance.level_sums(codes, residual**2, size)
    sd = np.sqrt((squares.T / np.where(n > 1, n - 1, np.nan)).T)
    return np.where(sd > NO_SPREAD, sd, np.nan)


def controls(
    da: DirectAssessment, scores: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Level and spread of each worker (a row each) on the control rows, the same for all.

    The level is the worker's effect beside the effect of the type of row (REF, BAD_REF), so that a
    worker with many bad references is not taken for a strict one. NaN below three control rows.

    `scores` are one per row of ``da.good``, by default the raw ones; or a column each for several.
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
    """One score per row of ``da.good`` under each of these `METHODS`, for `da.segment_scores`.

    NaN where the method knows nothing of the worker: such judgments do not count. A method is
    absent where no worker of a system can be standardised.

    `penalty` is that of worker and document effects in ``mixed``, by default from `components` of
    these data.
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
    """`standardised` for many campaigns with the rows of ``da.good`` and scores of their own.

    `scores`, (rows, campaigns), stand in place of those of ``da.good``; ``z`` takes each worker's
    moments from them.
    """
    methods = list(methods)
    unknown = [m for m in methods if m not in METHODS]
    if unknown:
        raise DataError("unknown method", value=unknown[0], expected=", ".join(METHODS))
    worker = da.good["worker"].cat.codes.to_numpy()
    document = da.good["document"].cat.codes.to_numpy()
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
            if method == "composition":
                centre = s.mean(axis=0)  # else a wide spread would pull the level
                values = (scores - centre - w[worker]) / spread[worker]
            else:
                values = scores - w[worker] - d[document]
        known = system[np.isfinite(values[counts, 0])]
        if method != "controls" or len(np.unique(known)) == len(np.unique(system)):
            out[method] = values
    return out


def _moments(da: DirectAssessment, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each worker over all rows, a column per campaign."""
    worker = da.good["worker"].cat.codes.to_numpy()
    size = len(da.good["worker"].cat.categories)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (variance.level_sums(worker, scores, size).T / np.bincount(worker, minlength=size)).T
    return mean, _spread(worker, scores - mean[worker], size)


def penalties(
    da: DirectAssessment, fitted: variance.Components | None = None
) -> tuple[float, float]:
    """Residual variance over that of workers and of documents: what ``mixed`` shrinks by.

    The residual here holds the segments as well, and what is not the worker's or document's alone.
    """
    c = fitted or components(da, together=False)
    apart = ("worker", "document", "system")
    rest = sum(v for name, v in c.variance.items() if name not in apart)
    document = c.variance.get("document", 0.0)
    return rest / max(c.variance.get("worker", 0.0), 1e-9), rest / max(document, 1e-9)
