"""The document of each segment, where a release does not name it in every row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...errors import DataError
from .files import locate, need_columns, read_table, refuse_row

IN_THE_SEGMENT = r"^(.+)_\d+$"  # <document>_<segment>


def add_documents(frames: Sequence[pd.DataFrame], folder: Path, pair: str) -> None:
    """Add the column document to frames with the same categories of segments, in place.

    The document comes from ``documents-XX-YY.tsv`` (sid, document) in the folder; else from segment
    ids of the form ``<document>_<segment>`` (unless each names another document); else from blocks:
    segments that an annotator saw together in a block belong to one document, which is named after
    its first segment; else it is missing. Raises DataError if the list lacks a judged segment.
    """
    segments = frames[0]["segment"].cat.categories
    document = pd.Categorical(_find_documents(frames, segments, folder, pair))
    for frame in frames:
        codes = frame["segment"].cat.codes.to_numpy()
        frame["document"] = pd.Categorical.from_codes(document.codes[codes], dtype=document.dtype)


def _find_documents(
    frames: Sequence[pd.DataFrame], segments: pd.Index, folder: Path, pair: str
) -> pd.Series:
    listed = locate(folder, f"documents-{pair}.tsv")
    if listed is not None:
        return _read_list(listed, segments)
    names = segments.to_series().astype(object).str.extract(IN_THE_SEGMENT, expand=False)
    if names.notna().all() and names.duplicated().any():
        return names
    if "block" in frames[0]:
        return _from_blocks(frames, segments)
    return pd.Series([None] * len(segments), dtype=object)


def _read_list(path: Path, segments: pd.Index) -> pd.Series:
    table = read_table(path, "\t", quoted=False)
    need_columns(table, ("sid", "document"), path)
    refuse_row("segment_listed_twice", table, table["sid"].duplicated(), "sid", path)
    document = table.set_index("sid")["document"]
    missing = segments.difference(document.index)
    if len(missing):
        raise DataError("segment_not_listed", file=path, column="sid", value=missing[0])
    return document.loc[segments]


def _from_blocks(frames: Sequence[pd.DataFrame], segments: pd.Index) -> pd.Series:
    """Join the segments that occur in a block into documents."""
    unknown = pd.Series([None] * len(segments), dtype=object)
    key = ["annotator", "hit", "system", "block", "item_type"]
    rows = pd.concat([frame.loc[frame["block"].notna(), [*key, "segment"]] for frame in frames])
    rows = rows.drop_duplicates()
    number = rows.groupby(key, observed=True, dropna=False).ngroup().to_numpy()
    if not len(rows) or len(rows) < 2 * (number.max() + 1):
        return unknown  # the block is a place within the HIT
    cells = (number, rows["segment"].cat.codes.to_numpy())
    shape = (number.max() + 1, len(segments))
    edges = coo_array((np.ones(len(rows)), cells), shape=shape)
    _, label = connected_components((edges.T @ edges).tocsr(), directed=False)
    first = pd.Series(segments.astype(object)).groupby(label).transform("min")
    return "doc-" + first.astype(str)
