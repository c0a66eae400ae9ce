"""Judgments to `ScoreArrays`: the rows that a procedure counts, oriented so that higher is better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from ..judgments import COUNTED_TYPES, SCORE_KINDS, Judgments, check_judgments
from .arrays import ScoreArrays
from .z import z_scores

COUNTED = "counted"  # the rows of the table
EVERY_REPEAT = "every_repeat"  # and incomplete, duplicate and superseded outputs
NO_BAD_DOCUMENT = "no_bad_document"  # these, but no document with a damaged output (WMT23)
WITH_DOCUMENT_SCORES = "no_bad_document_with_document_scores"  # and scores of documents (SLT23)
ROWS = (COUNTED, EVERY_REPEAT, NO_BAD_DOCUMENT, WITH_DOCUMENT_SCORES)
REPEAT_MARKS = ("incomplete", "duplicate", "superseded")
UNIT_COLUMNS = ("annotator", "hit", "document", "block", "domain")


def select_rows(judgments: Judgments, rows: str) -> Judgments:
    """Return the judgments with the rows that a procedure selects: one of `ROWS`."""
    if rows not in ROWS:
        raise DataError("unknown_rows", value=rows, expected=", ".join(ROWS))
    everything = judgments.all_rows
    if rows == COUNTED or "item_type" not in judgments.table:
        return judgments
    table = judgments.table
    if everything is not None and "mark" in everything:
        marks: tuple[str, ...] = REPEAT_MARKS
        if rows == WITH_DOCUMENT_SCORES:
            marks = ("document_score", *REPEAT_MARKS)
        unmarked = everything["mark"].isna() | everything["mark"].isin(marks)
        table = everything[unmarked]
    if rows != EVERY_REPEAT:
        table = _without_bad_documents(table)
    return judgments.with_table(table)


def _without_bad_documents(table: pd.DataFrame) -> pd.DataFrame:
    """Drop each document (of one annotator, HIT and system) that holds a damaged output."""
    named = "block" in table and table["block"].notna().any()
    document = "block" if named else "document"
    if document not in table or table[document].isna().all():
        return table
    keys = [name for name in ("annotator", "hit", "system", document) if name in table]
    number = table.groupby(keys, observed=True, dropna=False, sort=False).ngroup()
    bad = number[table["item_type"] == "BAD_REF"].unique()
    return table[~number.isin(bad)]


def counted_rows(judgments: Judgments) -> NDArray[np.bool_]:
    """Return a mask of the rows that are ranked.

    Repeated outputs count like others. References, damaged references, controls, and scores of
    judge models beside those of people do not.
    """
    check_judgments(judgments, SCORE_KINDS)
    table = judgments.table
    keep: NDArray[np.bool_] = np.isfinite(table["score"].to_numpy(float))
    if "item_type" in table:
        keep &= table["item_type"].isin(COUNTED_TYPES).to_numpy()
    if judgments.controls:
        keep &= ~table["system"].isin(judgments.controls).to_numpy()
    keep &= ~judgments.models_beside_people.to_numpy(bool)
    if not keep.any():
        raise DataError("no_judgments", file=judgments.source or None)
    return keep


def score_arrays(
    judgments: Judgments,
    score: str = "raw",
    rows: str = COUNTED,
    first_rating: bool = False,
) -> ScoreArrays:
    """Return the scores of the judgments that are ranked, with the codes of their sampling units.

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores.
    score : str
        ``raw``, or ``z`` (standardised by annotator, or as released).
    rows : str
        One of `ROWS`.
    first_rating : bool
        Keep only the first annotator's rating of each output (WMT25's procedure on MQM).

    Raises
    ------
    DataError
        ``wrong_kind`` for comparisons; ``no_judgments`` if no row counts; for z, ``no_annotators``
        and ``system_without_score`` if no judgment of a system has a z-score.
    """
    judgments = select_rows(judgments, rows)
    keep = counted_rows(judgments)
    table = judgments.table
    sign = -1 if judgments.lower_is_better else 1
    values = sign * table["score"].to_numpy(float)
    if score == "z":
        values = z_scores(judgments).to_numpy(float)
        standardised = keep & np.isfinite(values)
        if not standardised.any():
            raise DataError("no_judgments", file=judgments.source or None)
        refuse_lost_systems(table["system"][keep], table["system"][standardised])
        keep = standardised
    rows_kept = table[keep].assign(score=values[keep])
    if first_rating and judgments.kind == "mqm":
        rows_kept = _first_ratings(rows_kept, judgments.errors)
    arrays = arrays_of_frame(rows_kept)
    scale = (-np.inf, np.inf)
    if score == "raw" and judgments.kind == "mqm":
        scale = (-np.inf, 0.0)
    elif score == "raw" and judgments.scale is not None:
        low, high = judgments.scale
        scale = (low, high) if sign > 0 else (-high, -low)
    named = {"annotator", "hit", "document"} & set(arrays.units)
    averages = judgments.kind == "segment_scores" and "annotator" not in arrays.units
    return replace(
        arrays,
        standardised=score == "z",
        items=not named and not averages,
        averages=averages,
        scale=scale,
        sign=sign,
    )


def _first_ratings(table: pd.DataFrame, errors: pd.DataFrame | None) -> pd.DataFrame:
    """Keep the ratings of the annotator who comes first for each output, in order of the file.

    The table of ratings is sorted by name; marked errors stand in order of the file.
    """
    keys = [name for name in ("system", "document", "segment") if name in table]
    in_order = table if errors is None else errors
    first = in_order.drop_duplicates(keys)[[*keys, "annotator"]].astype(str)
    rated = pd.MultiIndex.from_frame(table[[*keys, "annotator"]].astype(str))
    return table[rated.isin(pd.MultiIndex.from_frame(first))]


def refuse_lost_systems(counted: pd.Series, left: pd.Series) -> None:
    """Raise DataError ``system_without_score`` if a counted system is not among those left."""
    lost = sorted({str(name) for name in counted.unique()} - {str(name) for name in left.unique()})
    if lost:
        raise DataError(
            "system_without_score",
            value=", ".join(lost),
            remedy=f"rs.remove(judgments, systems={lost!r})",
        )


def arrays_of_frame(table: pd.DataFrame) -> ScoreArrays:
    """Return the arrays of a table with the columns system, segment, score and any units."""
    system, systems = codes_of(table["system"])
    segment, segments = codes_of(table["segment"])
    units: dict[str, np.ndarray] = {}
    names: dict[str, tuple[str, ...]] = {}
    for name in UNIT_COLUMNS:
        if name in table:
            codes, known = codes_of(table[name])
            if (codes >= 0).any():
                units[name], names[name] = codes, known
    if "domain" in units and (units["domain"] < 0).any():
        units["domain"] = np.where(units["domain"] < 0, len(names["domain"]), units["domain"])
        names["domain"] = (*names["domain"], "")
    if {"annotator", "document"} <= units.keys():
        annotator = units["annotator"].astype(np.int64)
        document = units["document"]
        block = (annotator * (document.max() + 1) + document) * len(systems) + system
        known_both = (annotator >= 0) & (document >= 0)
        units["block"] = pd.factorize(np.where(known_both, block, np.nan), sort=True)[0]
        names.pop("block", None)
    score = table["score"].to_numpy(float)
    return ScoreArrays(systems, segments, system, segment, score, units, names)


def output_means(arrays: ScoreArrays) -> pd.DataFrame:
    """Return the mean score of each output, with its document and number of judgments."""
    cell = arrays.cells()
    outputs, first, place = np.unique(cell, return_index=True, return_inverse=True)
    count = np.bincount(place)
    segment, system = np.divmod(outputs, len(arrays.systems))
    table = pd.DataFrame(
        {
            "system": np.array(arrays.systems, dtype=object)[system],
            "segment": np.array(arrays.segments, dtype=object)[segment],
            "score": np.bincount(place, arrays.score) / count,
            "judgments": count,
        }
    )
    if arrays.has("document"):
        names = np.array(arrays.unit_names["document"], dtype=object)
        table.insert(1, "document", names[arrays.units["document"][first]])
    return table


def codes_of(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return codes in order of name, -1 where missing, and the names."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        categories = column.cat.categories.to_numpy(dtype=object)
        used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(categories)))
    else:
        codes, names = pd.factorize(column.astype(object), sort=False)
        categories = np.asarray(names, dtype=object)
        used = np.arange(len(categories))
    texts = [str(name) for name in categories[used]]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.full(len(categories) + 1, -1, np.int64)  # the last for a code of -1
    place[used[order]] = np.arange(len(order))
    return place[codes], tuple(texts[k] for k in order)
