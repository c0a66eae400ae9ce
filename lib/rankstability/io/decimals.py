"""Scores that are written with a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..errors import DataError
from .notes import MAX_LISTED, Notes

WITH_COMMA = re.compile(r"[-+]?\d+,\d+ ?%?")
WITH_POINT = re.compile(r"[-+]?\d*\.\d+ ?%?")
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


def read_decimal_commas(
    cells: pd.Series, given: Mapping[str, Any], notes: Notes, name: str
) -> pd.Series:
    """Return scores with decimal points in place of decimal commas.

    They need no declaration in a file whose cells are separated by semicolons or tabs, unless all
    of them could be thousands.
    """
    found = {str(value).strip() for value in cells.astype(str).unique()}
    known = sorted(found - set(given.get("codes", {})))
    commas = {value: value.replace(",", ".") for value in known if WITH_COMMA.fullmatch(value)}
    if not commas:
        return cells
    point = next((value for value in known if WITH_POINT.fullmatch(value)), "")
    text = cells.astype(str).str.strip()
    written = text.isin(list(commas))
    if point:
        row = text.index[text == point][0]
        raise DataError(
            "mixed_decimals",
            row=row,
            column=name,
            value=f"{next(iter(commas))} and {point}",
        )
    unclear = notes.separator not in (";", "\t") or all(map(THOUSANDS.fullmatch, commas))
    if unclear and "decimal" not in given:
        raise DataError(
            "decimal_comma", row=text.index[written][0], column=name,
            value=", ".join(list(commas)[:MAX_LISTED]), propose=[{"decimal": ","}],
        )  # fmt: skip
    notes.keep("decimal_commas", int(written.sum()), name)
    return text.replace(commas)
