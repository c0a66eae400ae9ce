"""Parquet and spreadsheets as columns of text, read only if their sizes are within limits."""

import contextlib
import re
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankstability.errors import DataError

from . import text

ENDINGS = (".parquet", ".xlsx")
MOST_ROWS = 1 << 20  # of a sheet
UNSAVED = re.compile(  # a cell with a formula but no value (an empty text, str, is a value)
    rb'<c r="([A-Z]+(\d+))"(?![^>]*t="str")[^>]*><f[^<]*(?:</f>)?(?:<v */>|<v></v>)?</c>'
)
LEAST = 2  # bytes of a cell in a text file: a character and a separator


def holds(path: Path) -> bool:
    """Whether a file is Parquet or a spreadsheet, by its name."""
    return path.suffix.lower() in ENDINGS


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """An open Parquet file; raises DataError."""
    try:
        import pyarrow.parquet
    except ImportError:
        expected = "pip install pyarrow, or CSV"
        raise DataError("Parquet needs pyarrow", file=path, expected=expected) from None
    try:
        with text.opened(path) as stream, pyarrow.parquet.ParquetFile(stream) as file:
            yield file
    except DataError:
        raise
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        problem = f"not Parquet, or damaged ({(str(error).splitlines() or [''])[0][:80]})"
        raise DataError(problem, file=path) from None


def names(path: Path) -> list[str]:
    """The names of a file's columns. Raises DataError if one appears twice or a sheet lacks one."""
    if path.suffix.lower() == ".xlsx":
        there = [str(name) for name in _sheet(path).columns]
    else:
        with _opened(path) as file:
            there = list(file.schema_arrow.names)
    for name in (name for name in there if there.count(name) > 1):
        raise DataError("a column appears twice", file=path, value=name, expected="each once")
    return there


def read(
    path: Path, chosen: Collection[str], written: Callable[[Any], str]
) -> tuple[dict[str, pd.Categorical], np.ndarray]:
    """The `chosen` columns as text, and the line of each row; `written` converts the values.

    Raises DataError if a column holds lists or objects, or if the file is larger, according to its
    metadata, than `text.check_unpacked` allows.
    """
    if path.suffix.lower() == ".xlsx":
        sheet = _sheet(path)
        found = {name: pd.Categorical(sheet[name].map(written)) for name in chosen}
        return found, sheet.index.to_numpy()
    columns = _parquet(path, chosen, written)
    return columns, np.arange(1, len(next(iter(columns.values()), [])) + 1)


@text.kept(4)
def _sheet(file: Path) -> pd.DataFrame:
    """The only sheet of a spreadsheet that has cells, by row number; its first row has names."""
    try:
        import openpyxl
    except ImportError:
        expected = "pip install openpyxl (or rankstability[xlsx]), or CSV"
        raise DataError("XLSX needs openpyxl", file=file, expected=expected) from None
    try:
        with zipfile.ZipFile(file) as packed, warnings.catch_warnings(action="ignore"):
            total = sum(part.file_size for part in packed.infolist())
            text.check_unpacked(file, total, file.stat().st_size)
            _refuse_unsaved(file, packed)
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheets = {sheet.title: _rows(file, sheet) for sheet in book.worksheets}
            book.close()
    except DataError:
        raise
    except Exception as error:  # whatever openpyxl meets in a file that it did not expect
        raise DataError(f"not XLSX, or damaged ({str(error)[:80]})", file=file) from None
    full = {name: rows for name, rows in sheets.items() if rows}
    if len(full) != 1:
        problem = "several sheets" if full else "the file is empty"
        value = ", ".join(map(str, full)) or None
        raise DataError(problem, file=file, value=value, expected="one sheet, or CSV of it")
    (rows,) = full.values()
    used = sorted(set().union(*rows.values()))
    first, *lines = rows
    header = [str(rows[first].get(k, "")).strip() for k in used]
    if "" in header:
        expected = "a name above each column"
        raise DataError("a column without a name", file=file, line=first, expected=expected)
    cells = [[rows[line].get(k, "") for k in used] for line in lines]
    return pd.DataFrame(cells, index=lines, columns=header, dtype=object)


def _rows(file: Path, sheet: Any) -> dict[int, dict[int, Any]]:
    """The cells of a sheet that are not empty, by number of row and column."""
    sheet.reset_dimensions()  # those that the file states may be wrong
    rows: dict[int, dict[int, Any]] = {}
    for line, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if line > MOST_ROWS:
            raise DataError("too large", file=file, line=line, expected=f"at most {MOST_ROWS} rows")
        if cells := {k: cell for k, cell in enumerate(row) if cell not in (None, "")}:
            rows[line] = cells
    return rows


def _refuse_unsaved(file: Path, packed: zipfile.ZipFile) -> None:
    """Raises DataError for a formula whose value was never saved: it would be read as empty."""
    for part in packed.namelist():
        found = UNSAVED.search(packed.read(part)) if part.startswith("xl/worksheets/") else None
        if found:
            wrong = partial(DataError, "a formula without its value", file=file, line=int(found[2]))
            raise wrong(value=found[1].decode(), expected="a file saved by a spreadsheet program")


def _parquet(
    path: Path, chosen: Collection[str], written: Callable[[Any], str]
) -> dict[str, pd.Categorical]:
    with _opened(path) as file:
        kinds = {name: file.schema_arrow.field(name).type for name in chosen}
        for name, kind in kinds.items():
            if kind.num_fields:
                wrong = partial(DataError, file=path, column=name, value=str(kind))
                raise wrong("not single values", expected="a text or a number in each row")
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        parts = [group.column(k) for group in groups for k in range(group.num_columns)]
        size = sum(p.total_uncompressed_size for p in parts if p.path_in_schema in kinds)
        cells = file.metadata.num_rows * len(kinds)
        text.check_unpacked(path, max(size, LEAST * cells), path.stat().st_size)
        return {name: _as_text(file.read([name]).column(0), written) for name in kinds}


def _as_text(column: Any, written: Callable[[Any], str]) -> pd.Categorical:
    """A column of Arrow as text; each distinct value is converted once."""
    import pyarrow

    if str(column.type) in ("binary", "large_binary"):
        column = column.cast(pyarrow.large_string())  # raises unless it is UTF-8
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    values = [*map(written, column.dictionary.to_pylist()), ""]
    found, distinct = pd.factorize(np.array(values, dtype=object), sort=True)
    codes = found[column.indices.fill_null(len(values) - 1).to_numpy()]
    return pd.Categorical.from_codes(codes, distinct).remove_unused_categories()
