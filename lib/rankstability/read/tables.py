"""Files as tables: fields of text, with the line of the file that each row stands in."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from . import text
from .json_text import records
from .rows import Table, table, wrong_width


def cells(line: str, sign: str = ",") -> list[str]:
    """The fields of one line; none where it cannot be parted."""
    try:
        return next(csv.reader([line], delimiter=sign), [])
    except csv.Error:
        return []


def read_csv(path: Path, columns: tuple[str, ...] = (), separator: str = ",") -> Table:
    """A comma-separated file (or one with tabs, then without quoting).

    Parameters
    ----------
    path : Path
        Plain or packed.
    columns : tuple of str
        The columns of a format whose header line may be missing; empty: the header names them.
    separator : str

    Returns
    -------
    Table
        Shared between callers as long as the file does not change: do not modify it.

    Raises
    ------
    DataError
        A line with more or fewer fields; a column that stands twice in the header.
    """
    return _read_csv(*text.key(path), columns, separator)


@lru_cache(maxsize=6)
def _read_csv(path: str, mtime: int, size: int, columns: tuple[str, ...], separator: str) -> Table:
    file, names = Path(path), list(columns)
    if plain := _plain(file, columns, separator):
        return plain
    fields: list[list[str]] = []
    lines: list[int] = []
    stream = io.StringIO(text.content(file).decode(), newline=None)
    quoting: dict[str, Any] = {} if separator == "," else {"quoting": csv.QUOTE_NONE}
    reader = csv.reader(stream, delimiter=separator, **quoting)
    try:
        for row in reader:
            if not row or (not fields and columns and row[0] == columns[0]):
                continue
            if not names:
                names = [name.strip() for name in row]
                continue
            if len(row) != len(names):
                expected = f"{len(names)} columns: {','.join(names)}"
                raise wrong_width(file, reader.line_num, len(row), expected)
            fields.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        line = reader.line_num
        raise DataError(f"not a table ({error})", file=file, line=line) from None
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError("a column stands twice", file=file, line=1, value=twice[0])
    frame = pd.DataFrame(fields, columns=names, dtype=object).astype("category")
    return table(file, frame, np.array(lines, dtype=int))


def _plain(file: Path, columns: tuple[str, ...], separator: str) -> Table | None:
    """The table of a file in which no line needs a closer look, read in one go; else None.

    Without quotes, NUL and single carriage returns, every line with as many fields as columns.
    """
    data = text.content(file).replace(b"\r\n", b"\n")
    if b"\r" in data or b"\0" in data or (separator == "," and b'"' in data):
        return None
    data += b"" if data.endswith(b"\n") else b"\n"
    signs = np.frombuffer(data, dtype=np.uint8)
    marks = np.flatnonzero((signs == 10) | (signs == ord(separator)))
    last = np.flatnonzero(signs[marks] == 10)
    ends, fields = marks[last], np.diff(last, prepend=-1)
    length = np.diff(ends, prepend=-1)
    lines = np.flatnonzero(length > 1) + 1
    if len(lines) < 2 or length.max() > csv.field_size_limit():
        return None
    first, second = (data[(e := ends[k - 1]) - length[k - 1] + 1 : e].decode().split(separator)
                     for k in lines[:2].tolist())  # fmt: skip
    names = list(columns) or [name.strip() for name in first]
    lines = lines[1:] if not columns or first[0] == columns[0] else lines
    unlike = (fields[length > 1] != len(names)).any() or len(set(names)) < max(len(names), 2)
    blank = (signs[ends - length + 1] == 32).any()  # the parser would take it away
    if unlike or blank or (columns and second[0] == columns[0]):
        return None
    frame = pd.read_csv(
        io.BytesIO(data), sep=separator, header=None, names=names, skiprows=int(lines[0]) - 1,
        dtype="category", na_filter=False, quoting=csv.QUOTE_NONE, index_col=False,
        low_memory=False,
    )  # fmt: skip
    return table(file, frame, lines) if len(frame) == len(lines) else None


def read(path: Path, columns: tuple[str, ...], usecols: tuple[str, ...] = ()) -> Table:
    """A blank- or tab-separated file with the given columns, with or without its header line.

    Parameters
    ----------
    path : Path
        Plain or gzipped. With a header the columns may stand in any order; a leading unnamed
        row-number column is not accepted.
    columns : tuple of str
        All columns of the format; every line must have as many fields.
    usecols : tuple of str
        Keep only these (fewer columns are read faster); empty: all.

    Returns
    -------
    Table
        Shared between callers as long as the file does not change: do not modify it.
    """
    return _read(*text.key(path), columns, usecols or columns)


@lru_cache(maxsize=6)
def _read(
    path: str, mtime: int, size: int, columns: tuple[str, ...], usecols: tuple[str, ...]
) -> Table:
    file = Path(path)
    data = text.content(file).replace(b"\r\n", b"\n")
    if b"\r" in data:
        line, expected = data.count(b"\n", 0, data.index(b"\r")) + 1, "lines that end in LF or CRLF"
        raise DataError("a carriage return within a line", file=file, line=line, expected=expected)
    first = data[: data.find(b"\n") + 1 or None].rstrip(b"\n")
    if first.startswith(b'"'):
        data = data.replace(b'"', b"")
    if b"\t" not in first:
        data = b"\n".join(b"\t".join(line.split()) for line in data.split(b"\n"))
    if not data.endswith(b"\n"):
        data += b"\n"
    lines = _lines(file, data, len(columns))
    first = data.split(b"\n", int(lines[0]))[int(lines[0]) - 1]
    names = first.decode().split("\t")
    header = len(set(names) & set(columns)) > len(columns) // 2
    if header and set(names) != set(columns):
        wrong = next(name for name in names if name not in columns or names.count(name) > 1)
        raise DataError(
            "unknown or repeated column in the header",
            file=file,
            line=int(lines[0]),
            value=wrong,
            expected=" ".join(columns),
        )
    if header:
        lines = lines[1:]
    if not len(lines):
        raise DataError("a header and no rows", file=file, expected="judgments")
    frame = pd.read_csv(
        io.BytesIO(data),
        sep="\t",
        header=None,
        names=names if header else list(columns),
        skiprows=int(lines[0]) - 1,
        usecols=list(usecols),
        dtype="category",
        na_filter=False,
        quoting=3,
        index_col=False,
        low_memory=False,  # in one piece: a tenth faster than joining categories of pieces
    )
    return table(file, frame[list(usecols)], lines)


def _lines(file: Path, data: bytes, width: int) -> np.ndarray:
    """Physical numbers of the lines that are not blank; raises unless each has `width` fields."""
    signs = np.frombuffer(data, dtype=np.uint8)
    marks = np.flatnonzero(signs <= 10)  # tab is 9, newline 10; the others are dropped
    kinds = signs[marks]
    if kinds.min() < 9:
        marks, kinds = marks[kinds >= 9], kinds[kinds >= 9]
    last = np.flatnonzero(kinds == 10)
    ends, fields = marks[last], np.diff(last, prepend=-1)
    filled = np.diff(ends, prepend=-1) > 1
    bad = np.flatnonzero(filled & (fields != width))
    if len(bad):
        raise wrong_width(file, int(bad[0]) + 1, int(fields[bad[0]]), f"{width} columns")
    return np.flatnonzero(filled) + 1


SEPARATORS = ("\t", ";", ",")


def separator(line: str) -> str:
    """What parts the fields of a header: tab, semicolon or comma, whichever parts it most."""
    return max(SEPARATORS, key=lambda sign: len(cells(line, sign)))


def any_table(path: Path) -> Table:
    """A table with a header: CSV (comma or semicolon), TSV, JSON lines, a JSON list, or Parquet.

    Raises
    ------
    DataError
        What `read_csv` and `records` raise; Parquet without pyarrow, or damaged.
    """
    if path.suffix == ".parquet":
        return _parquet(path)
    line = text.first_line(path)
    if line.lstrip()[:1] in ("{", "["):
        return from_records(path, records(path))
    return read_csv(path, (), separator(line))


def _parquet(path: Path) -> Table:
    text.key(path)
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except ImportError:
        raise DataError(
            "Parquet needs pyarrow", file=path, expected="pip install pyarrow, or CSV"
        ) from None
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these kinds
        problem = f"not Parquet, or damaged ({str(error).splitlines()[0][:80]})"
        raise DataError(problem, file=path) from None
    return from_records(path, enumerate(frame.to_dict("records"), start=1))


def from_records(path: Path, entries: Iterable[tuple[int, Mapping[str, Any]]]) -> Table:
    """A table of objects with single values; what an object does not have is empty."""
    names: dict[str, None] = {}
    rows, lines = [], []
    for line, entry in entries:
        rows.append({str(name): _cell(value, path, line, name) for name, value in entry.items()})
        lines.append(line)
        names.update(dict.fromkeys(rows[-1]))
    frame = pd.DataFrame(rows, columns=list(names), dtype=object).fillna("").astype("category")
    return table(path, frame, np.array(lines, dtype=int))


def _cell(value: Any, path: Path, line: int, name: object) -> str:
    """A single value as text: nothing and NaN empty, 3.0 as 3; lists, objects as Python does."""
    if isinstance(value, str):
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, (float, np.floating)):
        whole = math.isfinite(value) and value == int(value)
        return str(int(value)) if whole else "" if math.isnan(value) else repr(float(value))
    return str(value)
