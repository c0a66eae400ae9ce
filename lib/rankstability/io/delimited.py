"""Text whose cells are separated by a character or by blanks, as a frame."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from ..errors import DataError
from .header import join_names, keep_cells, name_columns, names_above, number_columns, refuse_twice
from .paths import ending_of

CLOSED_QUOTES = re.compile(r'"[^"]*"')
SAMPLE = 1 << 16  # bytes that tell the separator
DECIMAL_COMMA = re.compile(r'"[^"]*"|(?<=\d),(?=\d)')


def separator_of(text: str, ending: str) -> str:
    r"""Return the separator of a table: a character, or ``\s+`` for runs of blanks and tabs."""
    lines = [line for line in text[:SAMPLE].split("\n") if line.strip()][:50]
    if len(text) > SAMPLE and len(lines) > 1:
        lines = lines[:-1]
    counts = {
        mark: [len(re.sub(r'"[^"]*"', "", line).split(mark)) for line in lines]
        for mark in ("\t", ",", ";", "|")
    }
    if any(min(counts[mark]) > 1 and len(set(counts[mark])) == 1 for mark in ("\t", ";")):
        counts[","] = [len(DECIMAL_COMMA.sub("", line).split(",")) for line in lines]
    order = ("\t", ",", ";", "|") if ending in (".tsv", ".tab", ".txt") else (",", ";", "\t", "|")
    for mark in order:
        if min(counts[mark]) > 1 and counts[mark][0] == max(counts[mark]):
            return mark
    best = max(order, key=lambda mark: counts[mark][0])
    if counts[best][0] > 1:
        return best
    words = {len(line.split()) for line in lines}
    return r"\s+" if len(words) == 1 and words.pop() > 1 else best


def read_delimited(path: Path, text: str, header: Sequence[int], skip_rows: int) -> pd.DataFrame:
    """Read delimited text; rows with another number of cells than the header are refused."""
    separator = separator_of(text, ending_of(path))
    lines = text.split("\n")
    last = max(header, default=0)
    if last + skip_rows > len(lines):
        raise DataError("no_rows", file=path, value=f"header {last or 'none'}")
    if separator == r"\s+":
        frame = _read_words(path, text, header, skip_rows)
    else:
        top = _top_rows(text, separator, last)
        single = len(header) == 1
        skipped = [*range(last - 1 if single else last), *range(last, last + skip_rows)]
        try:
            with warnings.catch_warnings():  # rows that are too long are refused below
                warnings.simplefilter("ignore", pd.errors.ParserWarning)
                frame = pd.read_csv(
                    StringIO(text),
                    sep=separator,
                    header="infer" if single else None,
                    dtype=str,
                    keep_default_na=False,
                    skiprows=skipped,
                    skip_blank_lines=True,
                    engine="c",
                    low_memory=False,
                    index_col=False,
                    on_bad_lines="error",
                )
        except pd.errors.ParserError as error:
            raise _parser_error(path, str(error), lines, separator) from None
        except pd.errors.EmptyDataError:
            raise DataError("no_rows", file=path, value=f"header {last or 'none'}") from None
        frame = frame.fillna("")
        _check_rows(path, lines, separator, last + skip_rows + 1, frame)
        above = [top[n - 1] for n in header if n <= len(top)]
        given = (top[-1] if top else []) if single else names_above(path, above, frame)
        if len(given) == len(frame.columns):
            frame.columns = pd.Index(name_columns(given))
        keep_cells(frame, list(frame.columns), above)
    frame.columns = pd.Index(name_columns(list(frame.columns)))
    refuse_twice(path, list(frame.columns))
    frame.attrs["first_line"] = last + skip_rows + 1
    frame.attrs["separator"] = separator
    if frame.empty:
        raise DataError("no_rows", file=path)
    return frame


def _read_words(path: Path, text: str, header: Sequence[int], skip_rows: int) -> pd.DataFrame:
    """Read a table whose cells are separated by runs of blanks."""
    rows = [line.split() for line in text.split("\n") if line.strip()]
    last = max(header, default=0)
    body = rows[last + skip_rows :]
    names = [rows[number - 1] for number in header if number <= len(rows)]
    if not body:
        raise DataError("no_rows", file=path, value=f"header {last or 'none'}")
    columns = name_columns(join_names(names) if names else number_columns(len(body[0])))
    for number, row in enumerate(body, start=last + skip_rows + 1):
        if len(row) != len(columns):
            raise DataError(
                "wrong_number_of_cells",
                file=path,
                line=number,
                value=len(row),
                expected=str(len(columns)),
            )
    frame = pd.DataFrame(body, columns=columns, dtype=str)
    keep_cells(frame, columns, names)
    return frame


def _top_rows(text: str, separator: str, last: int) -> list[list[str]]:
    """Return the cells of the rows down to the header; blank lines above it are rows, too.

    The header is the first row from there that is not blank. A cell can run over several lines.
    """
    rows: list[list[str]] = []
    try:
        for number, row in enumerate(csv.reader(StringIO(text), delimiter=separator), start=1):
            if row or number < last:
                rows.append(row)
            if row and number >= last:
                break
    except csv.Error:
        return []
    return rows


def _check_rows(
    path: Path, lines: list[str], separator: str, start: int, frame: pd.DataFrame
) -> None:
    """Refuse rows from row `start` with more or fewer cells than the header, or whole rows in a cell.

    A row can run over several lines. pandas drops what is beyond the header, and fills what is short.
    """
    width = len(frame.columns)
    if not any('"' in line for line in lines):
        for number, line in enumerate(lines[start - 1 :], start=start):
            if line.count(separator) + 1 != width and line.strip():
                _refuse_width(path, number, line.split(separator), width)
        return
    rows = csv.reader([line + "\n" for line in lines], delimiter=separator)
    several = []
    first = 1
    try:
        for number, row in enumerate(rows, start=1):
            if number >= start and any(row):
                _refuse_width(path, first, row, width)
                several += [(first, rows.line_num)] if rows.line_num > first else []
            first = rows.line_num + 1
    except csv.Error as error:
        raise DataError("not_a_table", file=path, line=first, value=str(error)) from None
    refuse_swallowed(path, lines, several, separator, frame)


def _refuse_width(path: Path, line: int, row: list[str], width: int) -> None:
    """Refuse a row that is too short, or too long by cells that are not empty."""
    if len(row) < width or any(cell.strip() for cell in row[width:]):
        raise DataError(
            "wrong_number_of_cells", file=path, line=line, value=len(row), expected=str(width)
        )


def refuse_swallowed(
    path: Path,
    lines: list[str],
    several: Sequence[tuple[int, int]],
    separator: str,
    frame: pd.DataFrame,
) -> None:
    """Refuse a cell in quotation marks that holds whole rows.

    `several` holds the first and the last line of each row of several lines. A line is a whole row
    if it has as many cells as the table, of which most occur in other rows of their columns.
    """
    known: dict[int, set[str]] = {}
    for first, last in several:
        whole = 0
        for line in lines[first - 1 : last]:
            cells = CLOSED_QUOTES.sub("", line).split(separator)
            if len(cells) != len(frame.columns):
                continue
            found = 0
            for place, cell in enumerate(cells):
                if place not in known:
                    known[place] = set(frame.iloc[:, place].unique())
                found += cell.strip('"') in known[place]
            whole += 2 * found > len(cells)
        if whole > 1:
            raise DataError("open_quote", file=path, line=first)


def _parser_error(path: Path, message: str, lines: list[str], separator: str) -> DataError:
    """Return the error for a row that pandas cannot read."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if found:
        expected, line, saw = found.groups()
        return DataError(
            "wrong_number_of_cells", file=path, line=int(line), value=int(saw), expected=expected
        )
    if "EOF inside string" in message:
        rows = csv.reader([line + "\n" for line in lines], delimiter=separator)
        starts = [1]
        try:
            starts += [rows.line_num + 1 for _ in rows]
        except csv.Error:  # a cell of more characters than csv takes
            starts.append(0)
        return DataError("open_quote", file=path, line=starts[-2])
    return DataError("not_a_table", file=path, value=message[:80])
