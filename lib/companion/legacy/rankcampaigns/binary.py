"""Parquet and spreadsheets as columns of text, read only if their sizes are within limits."""

import contextlib
import re
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.schema import as_text

from . import text
from .layout import layout, notes

SPREADSHEET = ".xlsx"
ENDINGS = (".parquet", SPREADSHEET)
Notes: TypeAlias = tuple[tuple[str, str], ...]  # what, value
MOST_ROWS = 1 << 20  # of a sheet
HIDDEN = "hidden rows, read as the others are"
LEAST = 2  # bytes of a cell in a text file: a character and a separator


def holds(path: Path) -> bool:
    """Whether a file is Parquet or a spreadsheet, by its name."""
    return path.suffix.lower() in ENDINGS


def _is_spreadsheet(path: Path) -> bool:
    return path.suffix.lower() == SPREADSHEET


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """An open Parquet file; raises DataError."""
    try:
        import pyarrow.parquet
    except ImportError:
        expected = "pip install pyarrow, or CSV"
        raise DataError(
            "Parquet needs pyarrow", file=path, expected=expected
        ) from None
    try:
        with (
            text.opened(path) as stream,
            pyarrow.parquet.ParquetFile(stream) as file,
        ):
            yield file
    except DataError:
        raise
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        problem = f"not Parquet, or damaged ({(str(error).splitlines() or [''])[0][:80]})"
        raise DataError(problem, file=path) from None


def names(path: Path, sheet: str = "") -> list[str]:
    """The names of a file's columns. Raises DataError if one appears twice.

    A column of a spreadsheet without a name is called by its letter, such as ``column B``.
    """
    if _is_spreadsheet(path):
        there = [str(name) for name in _sheet(path, sheet)[0].columns]
    else:
        with _opened(path) as file:
            there = list(file.schema_arrow.names)
    for name in there:
        if there.count(name) > 1:
            raise DataError(
                "a column appears twice",
                file=path,
                value=name,
                expected="each once",
            )
    return there


def sheets(path: Path) -> tuple[str, ...]:
    """The sheets of a spreadsheet that have cells, in their order; of Parquet, none."""
    return tuple(_book(path)) if _is_spreadsheet(path) else ()


def beside(path: Path, sheet: str = "") -> Notes:
    """What stands around a sheet's table and is not read, and what is hidden: what, value."""
    if not _is_spreadsheet(path):
        return ()
    return *_sheet(path, sheet)[1], *hidden(path)


def read(
    path: Path,
    chosen: Collection[str],
    written: Callable[[Any], str],
    sheet: str = "",
) -> tuple[dict[str, pd.Categorical], np.ndarray]:
    """The `chosen` columns as text, and the line of each row; `written` converts the values.

    Raises DataError if a column holds lists or objects, or if the file is larger, according to its
    metadata, than `text.check_unpacked` allows.
    """
    if _is_spreadsheet(path):
        cells = _sheet(path, sheet)[0]
        found = {
            name: pd.Categorical(cells[name].map(written)) for name in chosen
        }
        return found, cells.index.to_numpy()
    columns = _parquet(path, chosen, written)
    return columns, np.arange(1, len(next(iter(columns.values()), [])) + 1)


@text.kept(4)
def _sheet(file: Path, title: str = "") -> tuple[pd.DataFrame, Notes]:
    """The table of a sheet, by row number, and what stands around it.

    Raises DataError if there is no such sheet, or several and no title.
    """
    book = _book(file)
    if title not in book and (title or len(book) > 1):
        there = ", ".join(book)
        if title:
            raise DataError(
                "no such sheet",
                file=file,
                value=title,
                expected=f"one of {there}",
            )
        expected = f'sheet="{next(iter(book))}", or CSV of it'
        raise DataError(
            "several sheets", file=file, value=there, expected=expected
        )
    rows = book[title] if title else next(iter(book.values()))
    found = layout(rows)
    used = sorted(
        set(rows[found.header]).union(*(rows[line] for line in found.body))
    )
    header = [
        as_text(rows[found.header].get(k, "")).strip()
        or f"column {_letters(k)}"
        for k in used
    ]
    cells = [[rows[line].get(k, "") for k in used] for line in found.body]
    frame = pd.DataFrame(cells, index=found.body, columns=header, dtype=object)
    return frame, notes(rows, found)


def _letters(place: int) -> str:
    """The letters by which a spreadsheet names a column, counted from 0."""
    rest, last = divmod(place, 26)
    return (_letters(rest - 1) if rest else "") + chr(ord("A") + last)


@text.kept(4)
def _book(file: Path) -> dict[str, dict[int, dict[int, Any]]]:
    """The cells of each sheet that has any; raises DataError if the file is damaged or empty."""
    try:
        import openpyxl
    except ImportError:
        expected = "pip install openpyxl, or CSV"
        raise DataError(
            "XLSX needs openpyxl", file=file, expected=expected
        ) from None

    class _Tables(openpyxl.reader.excel.ExcelReader):
        """A reader that leaves sheets of a chart alone, in which openpyxl may fail."""

        def read_chartsheet(self, sheet: Any, relation: Any) -> None:
            pass

    try:
        with (
            zipfile.ZipFile(file) as packed,
            warnings.catch_warnings(action="ignore"),
        ):
            total = sum(part.file_size for part in packed.infolist())
            text.check_unpacked(file, total, file.stat().st_size)
            for part in packed.namelist():
                if part.startswith("xl/worksheets/") and part.endswith(".xml"):
                    with packed.open(part) as stream:
                        _refuse_unsaved(file, stream)
            book = _Tables(
                file, read_only=True, data_only=True, keep_links=False
            )
            book.read()
            sheets = {
                str(sheet.title): _rows(file, sheet)
                for sheet in book.wb.worksheets
            }
            book.wb.close()
    except DataError:
        raise
    except (
        Exception
    ) as error:  # whatever openpyxl meets that it did not expect
        raise DataError(
            f"not XLSX, or damaged ({str(error)[:80]})", file=file
        ) from None
    full = {name: rows for name, rows in sheets.items() if rows}
    if not full:
        raise DataError(
            "the file is empty", file=file, expected="one sheet, or CSV of it"
        )
    return full


def _rows(file: Path, sheet: Any) -> dict[int, dict[int, Any]]:
    """The cells of a sheet that are not empty, by number of row and column."""
    sheet.reset_dimensions()  # those that the file states may be wrong
    rows: dict[int, dict[int, Any]] = {}
    for line, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if line > MOST_ROWS:
            raise DataError(
                "too large",
                file=file,
                line=line,
                expected=f"at most {MOST_ROWS} rows",
            )
        if cells := {
            k: cell for k, cell in enumerate(row) if cell not in (None, "")
        }:
            rows[line] = cells
    return rows


def _refuse_unsaved(file: Path, sheet: IO[bytes]) -> None:
    """Raises DataError for a formula whose value was never saved: it would be read as empty.

    An empty text (``t="str"``) is a value.
    """
    for _, cell in ElementTree.iterparse(sheet):
        kind = cell.tag.rpartition("}")[2]
        if kind == "row":
            cell.clear()
        if kind != "c":
            continue
        held = {part.tag.rpartition("}")[2]: part.text or "" for part in cell}
        empty = not held.get("v", "").strip() and not (
            cell.get("t") == "str" and "v" in held
        )
        if "f" in held and empty and "is" not in held:
            place = cell.get("r", "")
            line = int(re.sub(r"\D", "", place) or 0) or None
            wrong = partial(
                DataError, "a formula without its value", file=file, line=line
            )
            raise wrong(
                value=place, expected="a file saved by a spreadsheet program"
            )


@text.kept(16)
def hidden(path: Path) -> Notes:
    """How many rows of a spreadsheet's sheets are hidden, by a filter or by hand: what, value.

    Rows that a sheet hides by default (``zeroHeight``) are those without cells, which do not count.
    """
    rows = 0
    with zipfile.ZipFile(path) as packed:
        for part in packed.namelist():
            if not part.startswith("xl/worksheets/sheet"):
                continue
            with packed.open(part) as stream:
                for _, row in ElementTree.iterparse(stream):
                    if row.tag.endswith("}row"):
                        # its height was made 0
                        flat = float(row.get("ht") or 1) == 0
                        rows += flat or row.get("hidden") in ("1", "true")
                        row.clear()
    return (
        ((HIDDEN, f"{rows} {'row' if rows == 1 else 'rows'}"),) if rows else ()
    )


def _parquet(
    path: Path, chosen: Collection[str], written: Callable[[Any], str]
) -> dict[str, pd.Categorical]:
    """The `chosen` columns of a Parquet file as text; see `read`."""
    with _opened(path) as file:
        kinds = {name: file.schema_arrow.field(name).type for name in chosen}
        for name, kind in kinds.items():
            if kind.num_fields:
                wrong = partial(
                    DataError, file=path, column=name, value=str(kind)
                )
                raise wrong(
                    "not single values",
                    expected="a text or a number in each row",
                )
        groups = [
            file.metadata.row_group(k)
            for k in range(file.metadata.num_row_groups)
        ]
        parts = [
            group.column(k)
            for group in groups
            for k in range(group.num_columns)
        ]
        size = sum(
            p.total_uncompressed_size
            for p in parts
            if p.path_in_schema in kinds
        )
        cells = file.metadata.num_rows * len(kinds)
        text.check_unpacked(
            path, max(size, LEAST * cells), path.stat().st_size
        )
        return {
            name: _as_text(file.read([name]).column(0), written)
            for name in kinds
        }


def _as_text(column: Any, written: Callable[[Any], str]) -> pd.Categorical:
    """A column of Arrow as text; each distinct value is converted once."""
    import pyarrow

    if str(column.type) in ("binary", "large_binary"):
        column = column.cast(
            pyarrow.large_string()
        )  # raises unless it is UTF-8
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    values = [*map(written, column.dictionary.to_pylist()), ""]
    code_of, distinct = pd.factorize(np.array(values, dtype=object), sort=True)
    codes = code_of[column.indices.fill_null(len(values) - 1).to_numpy()]
    return pd.Categorical.from_codes(
        codes, distinct
    ).remove_unused_categories()
