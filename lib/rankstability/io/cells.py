"""Cells as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError


def without_surrogates(value: Any) -> Any:
    """Return text, or records, with every lone surrogate as a visible escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(each) for key, each in value.items()}
    return value


def cell_text(value: Any) -> Any:
    """Return a cell as text: numbers without trailing zeros, missing as empty; lists stay."""
    if isinstance(value, (list, dict, tuple)):
        return value
    if isinstance(value, np.ndarray):  # a list of Parquet
        return value.tolist()
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, str):
        return value if value.isascii() else without_surrogates(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with every cell as text."""
    columns = {}
    refuse_half_characters([str(name) for name in frame.columns], "")
    for name in frame:
        column = frame[name]
        if getattr(column.dtype, "storage", "") == "pyarrow":  # text already
            columns[str(name)] = column.fillna("").astype(str)
            continue
        try:
            codes, values = pd.factorize(column)
        except TypeError:  # lists or dictionaries
            columns[str(name)] = column.astype(object).map(cell_text)
            continue
        if column.dtype == object and {bool, int, float} & set(map(type, values)):
            columns[str(name)] = column.map(cell_text)  # 1 and True are equal, but other texts
            continue
        texts = [cell_text(value) for value in np.asarray(values, dtype=object).tolist()]
        if any(not isinstance(text, str) for text in texts):  # tuples
            columns[str(name)] = column.map(cell_text)
            continue
        refuse_half_characters(texts, str(name))
        places = np.where(codes < 0, len(texts), codes)
        cells = pd.Series([*texts, ""], dtype=str).take(places)
        columns[str(name)] = cells.set_axis(frame.index)
    out = pd.DataFrame(columns, index=frame.index)
    if len(out.columns) != len(frame.columns):
        names = [str(name) for name in frame.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError("column_twice", column=twice)
    return out


def refuse_half_characters(texts: Sequence[str], column: str) -> None:
    """Refuse a text with half of a character (a lone surrogate), which no file can hold."""
    try:
        "\n".join(texts).encode()
    except UnicodeEncodeError:
        wrong = next(text for text in texts if re.search("[\ud800-\udfff]", text))
        raise DataError("unusable_name", column=column or None, value=wrong) from None
