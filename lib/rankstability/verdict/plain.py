"""Values of a verdict as JSON knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError


def value_or_none(function: Any, *arguments: Any, **options: Any) -> Any:
    """Return the result of a function, or None where these judgments do not allow it."""
    try:
        return function(*arguments, **options)
    except DataError:
        return None


def first_row(table: pd.DataFrame) -> dict[str, Any] | None:
    """Return the first row of a table as plain values."""
    rows = records(table)
    return rows[0] if rows else None


def records(table: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values."""
    if table is None or not len(table):
        return []
    return [plain_value(row) for row in table.to_dict("records")]


def plain_value(value: Any) -> Any:
    """Return a value as JSON knows it: a number that is not finite as None, arrays as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, pd.DataFrame):
        return records(value)
    if isinstance(value, list | tuple | set | np.ndarray):
        return [plain_value(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
