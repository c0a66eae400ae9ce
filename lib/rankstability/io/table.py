"""Files to frames of text: pandas reads, every cell stays as it is written."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..errors import DataError
from .cells import as_text, without_surrogates
from .delimited import SAMPLE, read_delimited
from .header import header_rows
from .json_records import frame_of_records, read_records
from .paths import ending_of
from .workbook import open_workbook, read_sheet

TABLES = (".csv", ".tsv", ".txt", ".tab")
ENDINGS = (*TABLES, ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
MAX_BYTES = 2**30
MAX_FIRST_ROWS = 10_000  # of Parquet, by which a large file is refused
OPENS_JSON = re.compile(r'\s*(\[\s*)?\{\s*"')


def read_frame(
    path: Path,
    header: int | str | Sequence[int] = 1,
    skip_rows: int = 0,
    sheet: str = "",
    encoding: str = "",
    max_bytes: int = 0,
) -> pd.DataFrame:
    """Read a file as a frame in which every cell is text; missing cells are empty.

    JSON keeps its lists and dictionaries; nested keys are joined by a point.

    Parameters
    ----------
    path : Path
        CSV, TSV, JSON, JSON lines, Parquet or XLSX; text can be compressed with gzip.
    header : int, list of int or ``none``
        The row that names the columns, from 1. Names in several rows are joined by ``/``, where an
        empty cell has the name to its left. Without a header, columns are called 1, 2 and so on.
    skip_rows : int
        Rows below it that are no data.
    sheet : str
        The sheet of a workbook; by default the only one.
    encoding : str
        The encoding of a text; by default UTF-8, or UTF-16 with a byte-order mark.
    max_bytes : int
        Read only whole rows among the first bytes of a text, or the first rows of Parquet; 0: all.

    Returns
    -------
    DataFrame
        ``attrs["separator"]`` is the separator of the cells of a text, if it has one.
    """
    rows = header_rows(header)
    if not path.exists():
        raise DataError("no_such_file", file=path)
    if path.stat().st_size > MAX_BYTES:
        raise DataError("file_too_large", file=path, value=path.stat().st_size)
    ending = ending_of(path)
    try:
        if ending == ".parquet":
            return _read_parquet(path, MAX_FIRST_ROWS if max_bytes else 0)
        if ending == ".xlsx":
            return read_sheet(path, open_workbook(path), rows, skip_rows, sheet)
        text = _read_text(path, max_bytes, encoding)
        is_json = ending == ".txt" and OPENS_JSON.match(text)
        if is_json or ending in (".json", ".jsonl", ".ndjson"):
            records, wrapper = read_records(path, text, not max_bytes)
            lone = re.search(r"(?i)\\ud[89a-f]", text)
            frame = frame_of_records(without_surrogates(records) if lone else records, path)
            frame.attrs["wrapper"] = wrapper
            return frame
        if ending in TABLES or not ending:
            return read_delimited(path, text, rows, skip_rows)
    except ImportError as error:
        raise DataError("missing_package", file=path, value=error.name) from None
    except OSError as error:
        raise DataError("unreadable_file", file=path, value=error.strerror) from None
    raise DataError("unknown_ending", file=path, expected=", ".join(ENDINGS))


def _read_parquet(path: Path, first_rows: int = 0) -> pd.DataFrame:
    """Read Parquet, or only its first rows; an index that has names becomes columns."""
    import pyarrow.parquet

    try:
        if first_rows:
            with pyarrow.parquet.ParquetFile(path) as file:
                batch = next(file.iter_batches(batch_size=first_rows), None)
                frame = (
                    file.schema_arrow.empty_table().to_pandas()
                    if batch is None
                    else batch.to_pandas(integer_object_nulls=True)
                )
        else:
            table = pyarrow.parquet.read_table(path)
            frame = table.to_pandas(integer_object_nulls=True)  # large numbers stay exact
    except ValueError as error:  # ArrowInvalid is one
        raise DataError("damaged_file", file=path, value=str(error)[:80]) from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    return as_text(frame)


def _read_text(path: Path, max_bytes: int = 0, encoding: str = "") -> str:
    """Return the text of a file, without a byte-order mark; perhaps its beginning."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            raw = stream.read(max_bytes or MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        if not packed:
            raise
        raise DataError("damaged_file", file=path) from None
    if len(raw) > MAX_BYTES:
        raise DataError("file_too_large", file=path, value=len(raw))
    if 0 < max_bytes <= len(raw):
        end = max(raw.rfind(b"\n"), raw.rfind(b"\r"))
        raw = raw[: end + 1] if end > 0 else raw
    text = decode(raw, path, encoding)
    if not text.strip():
        raise DataError("empty_file", file=path)
    return text


def decode(content: bytes, file: Path, encoding: str = "") -> str:
    """Return bytes as text with ``\\n`` at line ends, without a byte-order mark.

    The encoding is UTF-8, UTF-16 with a byte-order mark, or the one that the user names.
    """
    if encoding:
        text = _decode_as(content, encoding, file)
    elif content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = content.decode("utf-16", errors="replace")
    else:
        text = decode_utf8(content, file)
    if "\x00" in text[:SAMPLE]:
        raise DataError("not_text", file=file)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode_as(content: bytes, encoding: str, file: Path) -> str:
    """Return bytes as text in an encoding that the user names."""
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        known = "the name of an encoding, such as cp1250 or shift_jis"
        raise DataError(
            "bad_setting", file=file, column="encoding", value=encoding, expected=known
        ) from None
    except UnicodeError:
        raise DataError("wrong_encoding", file=file, value=encoding) from None


def decode_utf8(content: bytes, file: str | Path) -> str:
    """Return bytes as text without a byte-order mark; raise DataError if they are not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError("not_utf8", file=file, line=line) from None
