"""Delimited text as released: decompressed, decoded, columns counted, lines known."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import paths
from ..errors import DataError
from . import schema as schemas

if TYPE_CHECKING:
    import pandera.pandas as pa

GZIP = b"\x1f\x8b"


def content(path: Path) -> bytes:
    """The bytes of `path`, decompressed where it is gzipped (by its first bytes, not its name).

    Raises
    ------
    DataError
        Missing, unreadable or empty file, truncated or damaged gzip, bytes that are not UTF-8.
    """
    name = paths.shown(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataError("no such file", file=name) from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=name) from None
    if data[:2] == GZIP:
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(
                f"truncated or damaged gzip ({error})",
                file=name,
                expected="a whole gzip file; fetch it again",
            ) from None
    if not data or data.isspace():
        raise DataError("the file is empty", file=name)
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            "wrong encoding",
            file=name,
            line=data.count(b"\n", 0, error.start) + 1,
            value=data[error.start : error.start + 1],
            expected="UTF-8",
        ) from None
    if b"\0" in data:
        at = data.index(b"\0")
        raise DataError(
            "NUL byte", file=name, line=data.count(b"\n", 0, at) + 1, expected="UTF-8 text"
        )
    return data


@dataclass(frozen=True)
class Table:
    """A file's rows, and where each stood in the file.

    ``frame`` holds one categorical text column per name; ``lines[i]`` is the physical line of
    row ``i`` (the first line of the file is 1, headers and blank lines count).
    """

    path: Path
    frame: pd.DataFrame
    lines: np.ndarray

    def error(self, problem: str, row: int, column: str, expected: str) -> DataError:
        """The error for one bad value of the table."""
        return DataError(
            problem,
            file=paths.shown(self.path),
            line=int(self.lines[row]),
            column=column,
            value=str(self.frame[column].iloc[row]),
            expected=expected,
        )

    def validated(
        self, schema: pa.DataFrameSchema, rows: np.ndarray, names: Mapping[str, str]
    ) -> pd.DataFrame:
        """The `rows` (indices) as `schemas.validate` gives them out; `names`: new -> the file's."""
        taken = self.frame[list(names.values())].set_axis(list(names), axis=1)
        if len(rows) < len(taken):
            taken = taken.iloc[rows]
        return schemas.validate(
            taken, schema, file=self.path, lines=self.lines[rows], columns=names
        )


def _key(path: Path) -> tuple[str, int, int]:
    try:
        stat = path.stat()
    except OSError:
        raise DataError("no such file", file=paths.shown(path)) from None
    return str(path), stat.st_mtime_ns, stat.st_size


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
    return _read(*_key(Path(path)), columns, usecols or columns)


@lru_cache(maxsize=6)
def _read(
    path: str, mtime: int, size: int, columns: tuple[str, ...], usecols: tuple[str, ...]
) -> Table:
    file = Path(path)
    data = content(file)
    first = data[: data.find(b"\n") + 1 or None].rstrip(b"\n")
    if first.startswith(b'"'):
        data = data.replace(b'"', b"")
    if b"\t" not in first:
        data = b"\n".join(b"\t".join(line.split()) for line in data.split(b"\n"))
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
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
            file=paths.shown(file),
            line=int(lines[0]),
            value=wrong,
            expected=" ".join(columns),
        )
    if header:
        lines = lines[1:]
    if not len(lines):
        raise DataError("a header and no rows", file=paths.shown(file))
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
    return Table(file, frame[list(usecols)], lines)


def _lines(file: Path, data: bytes, width: int) -> np.ndarray:
    """Physical numbers of the lines that are not blank; raises unless each has `width` fields."""
    text = np.frombuffer(data, dtype=np.uint8)
    marks = np.flatnonzero(text <= 10)  # tab is 9, newline 10; the others are dropped
    kinds = text[marks]
    if kinds.min() < 9:
        marks, kinds = marks[kinds >= 9], kinds[kinds >= 9]
    last = np.flatnonzero(kinds == 10)
    ends, fields = marks[last], np.diff(last, prepend=-1)
    filled = np.diff(ends, prepend=-1) > 1
    bad = np.flatnonzero(filled & (fields != width))
    if len(bad):
        raise DataError(
            "wrong number of columns",
            file=paths.shown(file),
            line=int(bad[0]) + 1,
            value=int(fields[bad[0]]),
            expected=f"{width} columns",
        )
    return np.flatnonzero(filled) + 1


def _whole(path: str) -> bytes:
    data = Path(path).read_bytes()
    if data[:2] == GZIP and not path.endswith((".tar.gz", ".tgz")):
        # a damaged file still has a checksum; reading it says what is wrong
        with contextlib.suppress(EOFError, zlib.error, gzip.BadGzipFile):
            data = gzip.decompress(data)
    return data


@lru_cache(maxsize=256)
def _digest(path: str, mtime: int, size: int) -> str:
    return hashlib.sha256(_whole(path)).hexdigest()


@lru_cache(maxsize=256)
def _git_blob(path: str, mtime: int, size: int) -> str:
    data = _whole(path)
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def digest(path: Path) -> str:
    """sha256 of the content, decompressed, so that a file and its gzip have the same."""
    return _digest(*_key(Path(path)))


def git_blob(path: Path) -> str:
    """git's id of the content, decompressed: ``sha1("blob <size>\\0" + bytes)``."""
    return _git_blob(*_key(Path(path)))
