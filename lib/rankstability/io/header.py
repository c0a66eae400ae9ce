"""The names of columns from the rows that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..errors import DataError

CELL = "\x1f"  # between the cells of a name that stands in several rows


def header_rows(header: int | str | Sequence[int]) -> list[int]:
    """Return the numbers of the rows that name the columns; none without a header."""
    if isinstance(header, str):
        return []
    return [header] if isinstance(header, int) else list(header)


def join_names(rows: Sequence[Sequence[str]], mark: str = "/") -> list[str]:
    """Return the names of columns from the cells of several rows, joined by ``/``.

    An empty cell has the name to its left, as in merged cells; the last row has its own names only.

    >>> join_names([["item", "Aspen", "", "Birch"], ["", "Fluency", "Adequacy", "Fluency"]])
    ['item', 'Aspen/Fluency', 'Aspen/Adequacy', 'Birch/Fluency']
    """
    if len(rows) == 1:
        return list(rows[0])
    width = max(len(row) for row in rows)
    parts: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(rows, start=1):
        left = ""
        for place in range(width):
            cell = str(row[place]).strip() if place < len(row) else ""
            left = cell or ("" if number == len(rows) else left)
            if left:
                parts[place].append(left)
    return [mark.join(names) for names in parts]


def keep_cells(frame: pd.DataFrame, columns: Sequence[str], above: Sequence[Sequence[str]]) -> None:
    """Keep which cells of several rows each column is named by, for names that hold a ``/``."""
    if len(above) > 1:
        cells = dict(zip(columns, join_names(above, CELL), strict=True))
        frame.attrs["cells"] = {name: cells[name] for name in frame.columns}


def number_columns(width: int) -> list[str]:
    """Return the names of columns without a header."""
    return [str(number) for number in range(1, width + 1)]


def name_columns(columns: list[str]) -> list[str]:
    """Return names of columns, in which an empty name is replaced by the column's number."""
    return [str(name) or f"column {number}" for number, name in enumerate(columns, start=1)]


def refuse_twice(path: Path, columns: list[str]) -> None:
    """Refuse columns of the same name."""
    for name in columns:
        if columns.count(name) > 1:
            raise DataError(
                "column_twice", file=path, column=str(name),
                expected="different names; without a row of names, --header none",
                propose=[{"header": "none"}, {"header": [1, 2]}],
            )  # fmt: skip
