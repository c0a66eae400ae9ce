"""Sheets of a workbook as frames."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pandas as pd
from openpyxl.utils import get_column_letter

from ..errors import DataError
from .cells import cell_text
from .header import header_rows, join_names, keep_cells, name_columns, number_columns, refuse_twice

MAX_UNPACKED = 2**28  # bytes of a workbook that is unpacked
MAX_SHEET = 2**21  # cells of a sheet, with those that are empty


def open_workbook(path: Path) -> openpyxl.Workbook:
    """Open a workbook with the values of its formulas."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(each.file_size for each in packed.infolist())
    except (zipfile.BadZipFile, ValueError):
        raise DataError("damaged_file", file=path) from None
    if size > MAX_UNPACKED:
        raise DataError("sheet_too_large", file=path, value=size)
    try:
        return openpyxl.load_workbook(path, data_only=True)
    except Exception:  # openpyxl raises many kinds for a damaged workbook
        raise DataError("damaged_file", file=path) from None


def read_sheets(
    path: Path, names: Sequence[str], header: int | str | Sequence[int], skip_rows: int
) -> list[pd.DataFrame]:
    """Read sheets of a workbook; each is a frame as `read_frame` returns it."""
    book = open_workbook(path)
    return [read_sheet(path, book, header_rows(header), skip_rows, name) for name in names]


def sheet_names(path: Path) -> list[str]:
    """Return the names of a workbook's sheets that hold more than one row."""
    return [each.title for each in open_workbook(path).worksheets if each.max_row > 1]


def read_sheet(
    path: Path, book: openpyxl.Workbook, header: Sequence[int], skip_rows: int, sheet: str
) -> pd.DataFrame:
    """Read a sheet cell by cell, counted against the sheet's own dimensions."""
    names = [each.title for each in book.worksheets]
    if sheet and sheet not in names:
        raise DataError("no_such_sheet", file=path, value=sheet, expected=", ".join(names))
    if not sheet and len(names) > 1:
        full = [each.title for each in book.worksheets if each.max_row > 1]
        if len(full) != 1:
            raise DataError(
                "several_sheets", file=path, value=", ".join(names), expected="--sheet or --sheets",
                alternatives=[{"sheets": "{annotator}"}, {"sheets": "{system}"}],
            )  # fmt: skip
        sheet = full[0]
    chosen = book[sheet or names[0]]
    if chosen.max_row * chosen.max_column > MAX_SHEET:
        corner = f"{get_column_letter(chosen.max_column)}{chosen.max_row}"
        raise DataError("sheet_too_large", file=path, value=corner)
    hidden = [number for number, row in chosen.row_dimensions.items() if row.hidden]
    hidden_columns = {
        number - 1
        for column in chosen.column_dimensions.values()
        if column.hidden
        for number in range(column.min or 1, (column.max or 0) + 1)
    }
    rows = [[cell_text(value) for value in row] for row in chosen.iter_rows(values_only=True)]
    full = [any(cell != "" for cell in row) for row in rows]
    last = max(header, default=0)
    if len(header) == 1:
        last = 1 + next((k for k in range(last - 1, len(rows)) if full[k]), len(rows))
        header = [last]
    start = last + skip_rows
    body = [row for row, is_full in zip(rows[start:], full[start:], strict=True) if is_full]
    if not body:
        raise DataError("no_rows", file=path, value=sheet or None)
    above = [rows[number - 1] for number in header]
    columns = join_names(above) if above else number_columns(len(body[0]))
    filled = [any(row[k] != "" for row in body) for k in range(len(columns))]
    used = [k for k, name in enumerate(columns) if filled[k] or (name != "" and above)]
    columns = name_columns(columns)
    refuse_twice(path, [columns[k] for k in used])
    frame = pd.DataFrame(
        [[row[k] for k in used] for row in body], columns=[columns[k] for k in used]
    )
    keep_cells(frame, columns, above)
    frame.attrs["hidden_rows"] = len([number for number in hidden if number > last])
    frame.attrs["hidden_columns"] = [columns[k] for k in used if k in hidden_columns]
    frame.attrs["sheet"] = chosen.title if len(names) > 1 else ""
    return frame
