"""Rows of a table before they are judgments: names filled down, and the latest of several scores."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from ..errors import DataError
from .columns import find_column, list_columns
from .notes import Notes

OUTPUT = ("system", "segment", "document", "domain", "criterion", "pair", "item_type", "annotator")
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?")  # the year comes first


def fill_down(frame: pd.DataFrame, columns: Sequence[str], notes: Notes) -> pd.DataFrame:
    """Return the frame with the value above in each empty cell of these columns; count the cells.

    Spreadsheets leave cells empty below the first row of a group, as merged cells do.
    """
    for column in (find_column(frame, name, "fill_down") for name in columns):
        cells = frame[column].map(str)
        filled = cells.where(cells.str.strip() != "").ffill().fillna("")
        changed = int((filled != cells).sum())
        if not changed:
            raise DataError("nothing_to_fill", column=column)
        notes.keep("filled_down", changed, column)
        frame = frame.assign(**{column: filled})
    return frame


def latest_rows(table: pd.DataFrame, when: pd.Series) -> pd.Series:
    """Return which rows are not followed by a later score of the same output by the same annotator.

    Parameters
    ----------
    table : DataFrame
        One row per judgment, with columns named by role.
    when : Series
        When each row was written: numbers, or dates that begin with the year.

    Raises
    ------
    DataError
        If there are no annotators, or a cell is neither a number nor such a date.
    """
    if "annotator" not in table:
        columns = list_columns(table)
        raise DataError("missing_role", missing="annotator", columns=columns)
    keys = [table[name].map(str).str.strip() for name in OUTPUT if name in table]
    cells = when.map(str).str.strip()
    times = pd.to_numeric(cells, errors="coerce")
    if times.isna().any():
        dated = cells.where(cells.map(lambda text: DATE.fullmatch(text) is not None))
        times = pd.to_datetime(dated, format="mixed", errors="coerce", utc=True)
    wrong = times.index[times.isna()]
    if len(wrong):
        raise DataError("not_a_time", row=wrong[0], column=str(when.name), value=cells[wrong[0]])
    return times == times.groupby(keys).transform("max")
