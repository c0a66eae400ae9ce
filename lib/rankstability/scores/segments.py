"""Scores of segments: means over the judgments of one output."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..judgments import Judgments
from .build import codes_of, counted_rows
from .z import z_scores


def segment_scores(judgments: Judgments, z: pd.Series | None = None) -> pd.DataFrame:
    """Average the judgments of each output: one score for each system and segment.

    Judgments of the same output are averaged first, so that segments that were judged more often do
    not weigh more (Knowles 2021, section 3).

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores.
    z : Series, optional
        A standardised score for each row of ``judgments.table``; by default `z_scores`. Another
        standardisation can take its place.

    Returns
    -------
    DataFrame
        Columns system, segment, raw (as given), z (NaN if no judgment has one; absent if no
        annotator is named), judgments (their number); and document and domain, if they are named.
        If a lower score is better, a column lower_is_better says so, so that `rank_systems` ranks
        in that direction; z is higher for better outputs in any case.

    Examples
    --------
    >>> import rankstability as rs
    >>> list(rs.segment_scores(rs.load("demo-srdc", "de-en")).columns[:5])
    ['system', 'segment', 'raw', 'z', 'judgments']
    """
    keep = counted_rows(judgments)
    rows = judgments.table[keep]
    if z is None and ("annotator" in rows or "z" in rows):
        z = z_scores(judgments)
    system, systems = codes_of(rows["system"])
    segment, segments = codes_of(rows["segment"])
    size = len(systems) * len(segments)
    cell = system * len(segments) + segment
    number = np.ones(len(rows))
    if "judgments" in rows:
        number = rows["judgments"].to_numpy(float)
    count = np.bincount(cell, number, size)
    judged = np.flatnonzero(np.bincount(cell, minlength=size))
    columns = {
        "system": np.array(systems, dtype=object)[judged // len(segments)],
        "segment": np.array(segments, dtype=object)[judged % len(segments)],
        "raw": _means(cell, rows["score"].to_numpy(float), size)[judged],
    }
    if z is not None:
        columns["z"] = _means(cell, z[keep].to_numpy(float), size)[judged]
    columns["judgments"] = count[judged].astype(int)
    out = pd.DataFrame(columns)
    first = np.zeros(size, int)
    first[cell[::-1]] = np.arange(len(rows))[::-1]
    for name in ("document", "domain"):
        if name in rows:
            out[name] = rows[name].astype(object).to_numpy()[first[judged]]
    if judgments.lower_is_better:
        out["lower_is_better"] = True
    return out


def _means(cell: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Return the mean of the known values of each cell; NaN for a cell without any."""
    known = np.isfinite(values)
    count = np.bincount(cell[known], minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: np.ndarray = np.bincount(cell[known], values[known], size) / count
    return mean
