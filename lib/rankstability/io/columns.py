"""Columns of a table: found by their names, listed, and read as true or false."""

from __future__ import annotations

import re

import pandas as pd

from ..errors import DataError, suggest
from .declare import ROLES

ALSO = {  # further exact names of roles, as files of the field have them
    "left": ("model_a",), "right": ("model_b",), "annotator": ("judge",),
    "question": ("question_id", "instruction"), "segment": ("segment_id",), "item_type": ("type",),
}  # fmt: skip
ITEM_TYPES = {
    "": "SYSTEM", "SYSTEM": "SYSTEM", "TGT": "SYSTEM", "REPEAT": "REPEAT", "CHK": "REPEAT",
    "REF": "REF", "BAD_REF": "BAD_REF", "BAD": "BAD_REF",
}  # fmt: skip
MAX_NAMES = 12  # columns that an error lists
TRUTH = {
    "1": True, "true": True, "yes": True, "y": True, "t": True, "1.0": True,
    "0": False, "false": False, "no": False, "n": False, "f": False, "0.0": False, "": False,
}  # fmt: skip


def spelled(name: str) -> str:
    """Return a name of a column without case, blanks, ``_`` and ``-``."""
    return re.sub(r"[\s_-]+", "", name).lower()


def is_number(text: str) -> bool:
    """Return whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def list_columns(frame: pd.DataFrame) -> str:
    """Return the columns with up to three different values each, for an error."""
    parts = []
    for name in list(frame.columns)[:MAX_NAMES]:
        values: list[str] = []
        for value in frame[name].head(200):
            text = str(value)[:20]
            if text and text not in values:
                values.append(text)
            if len(values) == 3:
                break
        parts.append(f"{name} ({', '.join(values) or 'empty'})")
    more = len(frame.columns) - MAX_NAMES
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def nested_value(cells: pd.Series) -> str:
    """Return the first list or dictionary among cells as text; empty if there is none."""
    if cells.dtype != object:
        return ""
    for value in cells:
        if isinstance(value, (list, dict, tuple)):
            return str(value)[:40]
    return ""


def find_column(frame: pd.DataFrame, name: str, word: str) -> str:
    """Return the column of this name; case, blanks, ``_`` and ``-`` aside if that is unambiguous."""
    if name in frame:
        return name
    alike = [column for column in frame if spelled(column) == spelled(name)]
    if len(alike) == 1:
        return str(alike[0])
    nearest = suggest(name, frame.columns)
    expected = nearest or list_columns(frame)
    proposed = [{word: nearest}] if nearest and word in ROLES else []
    raise DataError("no_such_column", column=word, value=name, expected=expected, propose=proposed)


def read_truth(frame: pd.DataFrame, column: str) -> pd.Series:
    """Return a column of 0 and 1, or of true and false, as booleans; empty cells are false."""
    truth = frame[column].astype(str).str.strip().str.lower().map(TRUTH)
    wrong = frame[column][truth.isna()]
    if len(wrong):
        raise DataError("not_true_or_false", row=wrong.index[0], column=column, value=wrong.iloc[0])
    return truth.astype(bool)
