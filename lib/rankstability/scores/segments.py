"""Scores of segments: means over the judgments of one output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import Judgments
from .build import codes_of, counted_rows
from .z import z_scores


@check_arguments
def segment_scores(judgments: Judgments, z: pd.Series | None = None) -> pd.DataFrame:
    """Average the judgments of each output to one score for each system and segment.

    Segments that were judged more often therefore have no more weight than others (Knowles 2021,
    section 3).

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores.
    z : Series, optional
        A standardised score for each row of ``judgments.table``. The default is `z_scores`.

    Returns
    -------
    DataFrame
        Columns system, segment, raw (as given), z (NaN if no judgment has one; absent if no
        annotator is named), judgments (their number); and document and domain, if they are named.
        If lower scores are better, the table also has a column lower_is_better, which
        `rank_systems` uses. Higher values of z are always better.

    Examples
    --------
    >>> import rankstability as rs
    >>> list(rs.segment_scores(rs.load("demo-srdc", "de-en")).columns[:5])
    ['system', 'segment', 'raw', 'z', 'judgments']
    """
    if z is not None and len(z) != len(judgments.table):
        expected = f"a value for each of {len(judgments.table)} judgments"
        raise DataError("wrong_argument", argument="z", value=len(z), expected=expected)
    keep = counted_rows(judgments)
    table = judgments.table
    if z is None and ("annotator" in table or "z" in table):
        z = z_scores(judgments)
    system, systems = codes_of(table["system"][keep])
    segment, segments = codes_of(table["segment"][keep])
    size = len(systems) * len(segments)
    cell = system * len(segments) + segment
    number = table["judgments"].to_numpy(float)[keep] if "judgments" in table else None
    count = np.bincount(cell, number, size)
    judged = np.flatnonzero(np.bincount(cell, minlength=size))
    columns: dict[str, Any] = {
        "system": pd.Categorical.from_codes(judged // len(segments), list(systems)),
        "segment": pd.Categorical.from_codes(judged % len(segments), list(segments)),
        "raw": _means(cell, table["score"].to_numpy(float)[keep], size)[judged],
    }
    if z is not None:
        columns["z"] = _means(cell, z.to_numpy(float)[keep], size)[judged]
    columns["judgments"] = count[judged].astype(int)
    first = np.zeros(size, int)  # the first judgment of each output
    first[cell[::-1]] = np.flatnonzero(keep)[::-1]
    for name in ("document", "domain"):
        if name in table:
            columns[name] = table[name].array[first[judged]]
    out = pd.DataFrame(columns)
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
