"""Annotators: severity, spread, controls and repeats, and their agreement.

Severity and spread are those of raw scores: on z-scores the most severe annotators look mild. No
interval is given for one annotator: severity plus or minus 1.96 standard errors covers only .56 to
.71. For the same reason nobody should be named as the most severe.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..judgments import Judgments
from ..scores.arrays import ScoreArrays
from ..scores.build import counted_rows

RELIABLE, TENTATIVE = 0.8, 0.667  # Krippendorff's alpha (Krippendorff 2004, chapter 11)
OUTPUT = ["annotator", "system", "segment"]
DESCRIPTION = [
    "annotator",
    "judgments",
    "documents",
    "mean",
    "sd",
    "severity",
    "median_time",
    "repeats",
    "repeat_difference",
    "damaged",
    "damaged_below",
    "references",
    "references_below",
]
ALPHA = ["outputs", "judgments", "alpha", "reading"]


def describe_annotators(judgments: Judgments) -> pd.DataFrame:
    """Describe each annotator by raw scores: severity, spread, time, repeats and controls.

    Parameters
    ----------
    judgments : Judgments
        With scores and annotators.

    Returns
    -------
    DataFrame
        A row per annotator, most judgments first: annotator, judgments (that are ranked),
        documents, mean, sd (of raw scores), severity (points by which the scores are worse than the
        means of the systems judged), median_time (in the unit of the data), repeats (outputs judged
        twice) and repeat_difference (mean absolute difference of the two scores), damaged (outputs
        that were damaged on purpose, and judged undamaged, too) and damaged_below (share of these
        scored worse than the undamaged output), references and references_below (segments with a
        hidden reference and other controls, and the share in which the reference is scored worse
        than one of these; the reference is the control with the best mean). Missing where the data
        do not tell.

    Raises
    ------
    DataError
        For judgments without scores.

    Examples
    --------
    >>> import rankstability as rs
    >>> table = describe_annotators(rs.load("demo-srpdc", "de-en"))
    >>> int(table["judgments"].sum()), float(table["damaged_below"].mean().round(2))
    (3924, 0.85)
    """
    keep = counted_rows(judgments)
    table = judgments.table
    if "annotator" not in table:
        return pd.DataFrame(columns=DESCRIPTION)
    sign = -1.0 if judgments.lower_is_better else 1.0
    rows = table.assign(oriented=sign * table["score"].to_numpy(float))
    names = [name for name in (*OUTPUT, "document") if name in rows]
    rows = rows.astype(dict.fromkeys(names, object))
    ranked = rows[keep & rows["annotator"].notna().to_numpy()]
    of_system = ranked.groupby("system")["oriented"].transform("mean")
    grouped = ranked.assign(severity=of_system - ranked["oriented"]).groupby("annotator")
    result = pd.DataFrame(
        {
            "judgments": grouped.size(),
            "documents": grouped["document"].nunique() if "document" in ranked else np.nan,
            "mean": grouped["score"].mean(),
            "sd": grouped["score"].std(ddof=1),
            "severity": grouped["severity"].mean(),
            "median_time": grouped["time"].median() if "time" in ranked else np.nan,
        }
    )
    controls = [
        _repeats(ranked),
        _damaged(rows, ranked),
        _references(rows, judgments.controls),
    ]
    result = result.join(controls).rename_axis("annotator").reset_index()
    for name in ("repeats", "damaged", "references"):
        result[name] = result[name].fillna(0).astype(int)
    order = ["judgments", "annotator"]
    result = result.sort_values(order, ascending=[False, True], kind="stable", ignore_index=True)
    return result[DESCRIPTION]


def _repeats(ranked: pd.DataFrame) -> pd.DataFrame:
    """Return repeats and repeat_difference by annotator: the first two scores of an output."""
    place = ranked.groupby(OUTPUT).cumcount()
    first, second = (ranked[place == k].set_index(OUTPUT)["oriented"] for k in (0, 1))
    difference = (second - first.reindex(second.index)).abs()
    return _by_annotator(difference, "repeats", "repeat_difference")


def _damaged(rows: pd.DataFrame, ranked: pd.DataFrame) -> pd.DataFrame:
    """Return damaged and damaged_below by annotator."""
    is_damaged = rows["item_type"] == "BAD_REF" if "item_type" in rows else rows["score"].isna()
    damaged = rows[is_damaged.to_numpy(bool)].set_index(OUTPUT)["oriented"]
    whole = ranked.drop_duplicates(OUTPUT).set_index(OUTPUT)["oriented"].reindex(damaged.index)
    below = (damaged < whole).astype(float)[whole.notna()]
    return _by_annotator(below, "damaged", "damaged_below")


def _references(rows: pd.DataFrame, controls: Sequence[str]) -> pd.DataFrame:
    """Return references and references_below by annotator."""
    shown = rows[rows["system"].isin(controls) & rows["annotator"].notna()]
    cells = shown.pivot_table(
        index=["annotator", "segment"], columns="system", values="oriented", aggfunc="mean"
    )
    if cells.shape[1] < 2:
        return _by_annotator(pd.Series(dtype=float), "references", "references_below")
    reference = cells.mean().idxmax()
    others = cells.drop(columns=reference).max(axis=1)
    known = cells[reference].notna() & others.notna()
    below = (cells[reference] < others).astype(float)[known]
    return _by_annotator(below, "references", "references_below")


def _by_annotator(values: pd.Series, number: str, mean: str) -> pd.DataFrame:
    """Return the number and the mean of values by annotator, the first level of the index."""
    if values.empty:
        return pd.DataFrame({number: pd.Series(dtype=float), mean: pd.Series(dtype=float)})
    grouped = values.groupby(level=0)
    return pd.DataFrame({number: grouped.size(), mean: grouped.mean()})


def krippendorff_alpha(arrays: ScoreArrays) -> pd.DataFrame:
    """Compute Krippendorff's alpha for interval data, over outputs that two annotators judged.

    Several judgments of an output by one annotator are replaced by their mean. There is no
    interval: with few annotators, those that resample documents cover .47 to .58.

    Returns
    -------
    DataFrame
        One row: outputs, judgments, alpha, reading (``reliable`` from .8, ``tentative`` from .667,
        otherwise ``unreliable``). Empty if no output was judged by two annotators.
    """
    none = pd.DataFrame(columns=ALPHA)
    if not arrays.has("annotator"):
        return none
    frame = pd.DataFrame(
        {"output": arrays.cells(), "annotator": arrays.units["annotator"], "score": arrays.score}
    )
    means = frame.groupby(["output", "annotator"], as_index=False)["score"].mean()
    outputs = means.groupby("output")["score"].agg(["size", "mean", "var"])
    outputs = outputs[outputs["size"] >= 2]
    if outputs.empty:
        return none
    size, mean, within = (outputs[name].to_numpy(float) for name in ("size", "mean", "var"))
    mean = mean - float(np.average(mean, weights=size))
    observed = 2 * (size * within).sum()
    squares = (within * (size - 1) + size * mean**2).sum()
    number = size.sum()
    total = (size * mean).sum()
    expected = 2 * (number * squares - total**2) / (number * (number - 1))
    alpha = float(1 - observed / number / expected) if expected > 0 else np.nan
    reading = "unreliable"
    if alpha >= RELIABLE:
        reading = "reliable"
    elif alpha >= TENTATIVE:
        reading = "tentative"
    return pd.DataFrame([(len(outputs), int(number), alpha, reading)], columns=ALPHA)
