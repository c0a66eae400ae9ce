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

from ..errors import DataError
from ..judgments import DirectAssessment, at_least_two, counted, of_type
from . import da as da_scores
from . import variance
from .da import NO_SPREAD
from .factors import TOGETHER, codes_of, factors, judgment_weights

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

    Parameters
    ----------
    scores : array, optional
        One per row of ``da.good``, such as z-scores; by default the raw scores. NaN are left out.
    together : bool
        With ``worker:system``, ``document:system`` and ``block``: without them judgments of one
        worker and system are taken for independent.
    quality : Series, optional
        Of each system, as from `additive`: taken as it is, in place of the component ``system``,
        with `DISCERNMENT`, each worker's slope on it, whose variance is that of a system one
        standard deviation from the mean. (Beside a variance of systems, slopes on effects fitted to
        the same scores would take its place.)

    Returns
    -------
    Components
        A factor that these data cannot tell (one worker, every segment judged once, the same rows
        together as an earlier factor) has variance 0 and is in `left_out`. Effects of the factors
        that are not combined are under the names of the data.

    Raises
    ------
    DataError
        For a pair with fewer than two systems.
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
    """System, worker and document effects (points), and the worker's spread around them.

    Indexed by system; by the codes of ``da.good``'s workers and documents. `spread` is the standard
    deviation of a worker's residuals, NaN below two judgments or where it is 0.
    """

    system: pd.Series
    worker: np.ndarray
    document: np.ndarray
    spread: np.ndarray


@dataclass(frozen=True)
class _Design:
    """Codes and weights of the judgments that count."""

    rows: np.ndarray
    systems: list[str]
    system: np.ndarray
    worker: np.ndarray
    workers: int
    document: np.ndarray | None
    weight: np.ndarray

    @classmethod
    def of(cls, da: DirectAssessment) -> _Design:
        rows, good = counted(da.good), da.good
        present, system = np.unique(codes_of(good, "system", rows), return_inverse=True)
        document = codes_of(good, "document", rows)
        return cls(
            rows,
            [str(s) for s in good["system"].cat.categories[present]],
            system,
            codes_of(good, "worker", rows),
            len(good["worker"].cat.categories),
            document if (document >= 0).all() else None,
            judgment_weights(da, rows),
        )

    def fit(
        self, scores: np.ndarray, penalty: tuple[float, float] | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """System, worker and document effects and the workers' spread, a column per column."""
        s, w, d = variance.effects(
            scores,
            self.system,
            self.worker,
            self.document,
            self.weight,
            penalty or (variance.FIXED, variance.FIXED),
        )
        residual = scores - s[self.system] - w[self.worker]
        if self.document is not None:
            residual -= d[self.document]
        full = np.full((self.workers, scores.shape[1]), np.nan)
        full[: len(w)] = w
        return s, full, d, _spread(self.worker, residual, self.workers)


def additive(da: DirectAssessment, penalty: tuple[float, float] | None = None) -> Additive:
    """Effects by weighted least squares on the judgments that count.

    Parameters
    ----------
    penalty : tuple of float, optional
        Of worker and document effects (residual variance over theirs): random effects.
    """
    design = _Design.of(da)
    raw = da.good["score"].to_numpy(float)[design.rows, None]
    s, w, d, spread = (part[:, 0] for part in design.fit(raw, penalty))
    return Additive(pd.Series(s, index=design.systems), w, d, spread)


def _spread(codes: np.ndarray, residual: np.ndarray, size: int) -> np.ndarray:
    n = np.bincount(codes, minlength=size).astype(float)
    squares = variance.level_sums(codes, residual**2, size)
    sd = np.sqrt((squares.T / np.where(n > 1, n - 1, np.nan)).T)
    return np.where(sd > NO_SPREAD, sd, np.nan)


def controls(
    da: DirectAssessment, scores: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Level and spread of each worker on the control rows (REF, BAD_REF), the same for all.

    The level is the worker's effect beside the effect of the type of row, so that a worker with
    many bad references is not taken for a strict one. NaN below three control rows.

    Parameters
    ----------
    scores : array, optional
        One per row of ``da.good``, by default the raw scores; or a column each for several.

    Returns
    -------
    level, spread : arrays, one per worker category (by columns)
    """
    good = da.good
    values = good["score"].to_numpy(float) if scores is None else scores
    kind = good["type"].cat
    rows = of_type(good, "REF", "BAD_REF")
    size = len(good["worker"].cat.categories)
    empty = np.full((size, *values.shape[1:]), np.nan)
    if not rows.any():
        return empty, empty.copy()
    worker = codes_of(good, "worker", rows)
    _, types = np.unique(kind.codes.to_numpy()[rows], return_inverse=True)
    y = values[rows]
    t, w, _ = variance.effects(y, types, worker)
    level = empty
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
    """One score per row of ``da.good`` under each method, for `da.segment_scores`.

    Parameters
    ----------
    methods : iterable of str
        Names of `METHODS`.
    penalty : tuple of float, optional
        Of worker and document effects in ``mixed``; by default from `components` of these data.

    Returns
    -------
    dict of str to array
        NaN where the method knows nothing of the worker: such judgments do not count. A method is
        absent where no worker of a system can be standardised.
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

    Parameters
    ----------
    scores : array, shape (rows, campaigns)
        In place of the scores of ``da.good``; ``z`` takes each worker's moments from them.

    Returns
    -------
    dict of str to array, shape (rows, campaigns)
    """
    methods = list(methods)
    unknown = [m for m in methods if m not in METHODS]
    if unknown:
        raise DataError("unknown method", value=unknown[0], expected=", ".join(METHODS))
    worker = da.good["worker"].cat.codes.to_numpy()
    out: dict[str, np.ndarray] = {}
    design = _Design.of(da) if {"composition", "model", "mixed"} & set(methods) else None
    fixed = design and {"composition", "model"} & set(methods)
    fitted = design.fit(scores[design.rows], None) if design and fixed else None
    for method in methods:
        if method == "raw":
            values = scores.copy()
        elif method in ("z", "controls"):
            at, spread = _moments(da, scores) if method == "z" else controls(da, scores)
            values = (scores - at[worker]) / spread[worker]
        elif method == "composition":
            assert fitted is not None
            s, w, _, spread = fitted
            centre = s.mean(axis=0)  # else a wide spread would pull the level
            values = (scores - centre - w[worker]) / spread[worker]
        else:
            assert design is not None
            of = penalty or penalties(da) if method == "mixed" else None
            _, w, d, _ = fitted if of is None and fitted else design.fit(scores[design.rows], of)
            values = scores - w[worker]
            if design.document is not None:
                values -= np.vstack([d, np.full_like(d[:1], np.nan)])[_clipped(da, d)]
        if method != "controls" or _all_systems(da, values[:, 0]):
            out[method] = values
    return out


def _moments(da: DirectAssessment, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each worker over all rows, a column per campaign."""
    worker = da.good["worker"].cat.codes.to_numpy()
    size = len(da.good["worker"].cat.categories)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (variance.level_sums(worker, scores, size).T / np.bincount(worker, minlength=size)).T
    return mean, _spread(worker, scores - mean[worker], size)


def _clipped(da: DirectAssessment, document: np.ndarray) -> np.ndarray:
    """Document codes of all rows; those the model did not see point at the NaN after the last."""
    codes = da.good["document"].cat.codes.to_numpy()
    return np.where((codes < 0) | (codes >= len(document)), len(document), codes)


def _all_systems(da: DirectAssessment, values: np.ndarray) -> bool:
    rows = counted(da.good)
    system = codes_of(da.good, "system", rows)
    known = np.isfinite(values[rows])
    return bool((np.bincount(system[known], minlength=system.max() + 1)[np.unique(system)]).all())


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
