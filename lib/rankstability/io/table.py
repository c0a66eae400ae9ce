"""Files to frames of text: pandas reads, every cell stays as it is written."""

from __future__ import annotations

import csv
import gzip
import json
import re
import warnings
import zlib
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd

from ..errors import DataError

TABLES = (".csv", ".tsv", ".txt", ".tab")
ENDINGS = (*TABLES, ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
MAX_BYTES = 2**30
MAX_FIRST_ROWS = 10_000  # of Parquet, by which a large file is refused
SAMPLE = 1 << 16  # bytes that tell the separator


def ending_of(path: Path) -> str:
    """Return the ending of a file's name, without ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def read_frame(
    path: Path, header: int = 1, skip_rows: int = 0, sheet: str = "", max_bytes: int = 0
) -> pd.DataFrame:
    """Read a file as a frame in which every cell is text; missing cells are empty.

    JSON keeps its lists and dictionaries; nested keys are joined by a point.

    Parameters
    ----------
    path : Path
        CSV, TSV, JSON, JSON lines, Parquet or XLSX; text can be compressed with gzip.
    header : int
        The row that names the columns, from 1.
    skip_rows : int
        Rows below it that are no data.
    sheet : str
        The sheet of a workbook; by default the only one.
    max_bytes : int
        Read only whole rows among the first bytes of a text, or the first rows of Parquet; 0: all.

    Returns
    -------
    DataFrame
        ``attrs["first_line"]`` is the line of the first row, where rows are lines.
    """
    if not path.exists():
        raise DataError("no_such_file", file=path)
    if path.stat().st_size > MAX_BYTES:
        raise DataError("file_too_large", file=path, value=path.stat().st_size)
    ending = ending_of(path)
    try:
        if ending == ".parquet":
            return _read_parquet(path, MAX_FIRST_ROWS if max_bytes else 0)
        if ending == ".xlsx":
            return _read_sheet(path, header, skip_rows, sheet)
        text = _read_text(path, max_bytes)
        if ending in (".json", ".jsonl", ".ndjson"):
            whole = not 0 < max_bytes <= len(text)
            records = _read_records(path, text, whole)
            lone = re.search(r"(?i)\\ud[89a-f]", text)
            return frame_of_records(without_surrogates(records) if lone else records, path)
        if ending in TABLES or not ending:
            return _read_table(path, text, header, skip_rows)
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
                    else batch.to_pandas()
                )
        else:
            frame = pd.read_parquet(path, engine="pyarrow")
    except ValueError as error:  # ArrowInvalid is one
        raise DataError("damaged_file", file=path, value=str(error)[:80]) from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    return as_text(frame)


def _read_text(path: Path, max_bytes: int = 0) -> str:
    """Return the text of a file in UTF-8, without a byte order mark; perhaps its beginning."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            raw = stream.read(max_bytes or -1)
    except (OSError, EOFError, zlib.error):
        if not packed:
            raise
        raise DataError("damaged_file", file=path) from None
    if 0 < max_bytes <= len(raw):
        end = max(raw.rfind(b"\n"), raw.rfind(b"\r"))
        raw = raw[: end + 1] if end > 0 else raw
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = raw.decode("utf-16", errors="replace")
    else:
        text = decode_utf8(raw, path)
    if "\x00" in text[:SAMPLE]:
        raise DataError("not_text", file=path)
    if not text.strip():
        raise DataError("empty_file", file=path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode_utf8(content: bytes, file: str | Path) -> str:
    """Return bytes as text without a byte-order mark; raise DataError if they are not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError("not_utf8", file=file, line=line) from None


def separator_of(text: str, ending: str) -> str:
    r"""Return the separator of a table: a character, or ``\s+`` for runs of blanks and tabs."""
    lines = [line for line in text[:SAMPLE].split("\n") if line.strip()][:50]
    if len(text) > SAMPLE and len(lines) > 1:
        lines = lines[:-1]
    counts = {
        mark: [len(re.sub(r'"[^"]*"', "", line).split(mark)) for line in lines]
        for mark in ("\t", ",", ";", "|")
    }
    order = ("\t", ",", ";", "|") if ending in (".tsv", ".tab", ".txt") else (",", ";", "\t", "|")
    for mark in order:
        if min(counts[mark]) > 1 and counts[mark][0] == max(counts[mark]):
            return mark
    best = max(order, key=lambda mark: counts[mark][0])
    if counts[best][0] > 1:
        return best
    words = {len(line.split()) for line in lines}
    return r"\s+" if len(words) == 1 and words.pop() > 1 else best


def _read_table(path: Path, text: str, header: int, skip_rows: int) -> pd.DataFrame:
    """Read delimited text; rows with another number of cells than the header are refused."""
    ending = ending_of(path)
    separator = separator_of(text, ending)
    lines = text.split("\n")
    blanks = separator == r"\s+"
    rows = [line.split() for line in lines if line.strip()] if blanks else []
    skipped = [*range(header - 1), *range(header, header + skip_rows)]
    if rows:
        kept = [row for number, row in enumerate(rows) if number not in skipped]
        columns = kept[0]
        for number, row in enumerate(kept[1:], start=2):
            if len(row) != len(columns):
                raise DataError(
                    "wrong_number_of_cells",
                    file=path,
                    line=number,
                    value=len(row),
                    expected=str(len(columns)),
                )
        frame = pd.DataFrame(kept[1:], columns=columns, dtype=str)
    else:
        try:
            with warnings.catch_warnings():  # rows that are too long are refused below
                warnings.simplefilter("ignore", pd.errors.ParserWarning)
                frame = pd.read_csv(
                    StringIO(text),
                    sep=separator,
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
            raise _parser_error(path, str(error)) from None
        except pd.errors.EmptyDataError:
            raise DataError("no_rows", file=path, value=f"header {header}") from None
        _refuse_long_rows(path, text, separator, header, len(frame.columns))
        given = _header_cells(lines, header, separator)
        if given is not None and len(given) == len(frame.columns):
            frame.columns = pd.Index(given)
    frame.columns = pd.Index(_named(list(frame.columns)))
    _check_columns(path, list(frame.columns))
    frame = frame.fillna("")
    _check_swallowed(path, frame)
    frame.attrs["first_line"] = header + skip_rows + 1
    if frame.empty:
        raise DataError("no_rows", file=path)
    return frame


def _header_cells(lines: list[str], header: int, separator: str) -> list[str] | None:
    """Return the header's cells as they are written (pandas renames repeated ones)."""
    full = [line for line in lines[header - 1 : header + 5] if line.strip()]
    if not full:
        return None
    try:
        return next(csv.reader([full[0]], delimiter=separator))
    except csv.Error:
        return None


def _refuse_long_rows(path: Path, text: str, separator: str, header: int, width: int) -> None:
    """Refuse a first row with more cells than the header: pandas drops what is beyond.

    pandas refuses later rows by itself, because it takes the number of cells from the first.
    """
    rows = csv.reader(StringIO(text[:SAMPLE]), delimiter=separator)
    try:
        for row in rows:
            if rows.line_num <= header or not any(row):
                continue
            if any(row[width:]):
                raise DataError(
                    "wrong_number_of_cells", file=path, line=rows.line_num, value=len(row),
                    expected=str(width),
                )  # fmt: skip
            return
    except csv.Error:
        return


def _parser_error(path: Path, message: str) -> DataError:
    """Return the error for a row that pandas cannot read."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if found:
        expected, line, saw = found.groups()
        return DataError(
            "wrong_number_of_cells", file=path, line=int(line), value=int(saw), expected=expected
        )
    return DataError("not_a_table", file=path, value=message[:80])


def _named(columns: list[str]) -> list[str]:
    """Return names of columns, in which an empty name is replaced by the column's number."""
    return [str(name) or f"column {number}" for number, name in enumerate(columns, start=1)]


def _check_columns(path: Path, columns: list[str]) -> None:
    """Refuse columns of the same name."""
    for name in columns:
        if columns.count(name) > 1:
            raise DataError("column_twice", file=path, column=str(name))


def _check_swallowed(path: Path, frame: pd.DataFrame) -> None:
    """Refuse a cell that holds several rows, because a quotation mark was never closed."""
    for name in frame:
        cells = frame[name]
        suspect = cells[cells.str.count("\n") > 3]
        for row, text in suspect.items():
            parts = text.split("\n")
            if (
                sum(part.count(",") + part.count("\t") >= len(frame.columns) - 1 for part in parts)
                > 2
            ):
                line = frame.attrs.get("first_line", 2) + int(str(row))
                raise DataError("open_quote", file=path, line=line, column=str(name))


def _read_records(path: Path, text: str, whole_text: bool = True) -> list[Any]:
    """Return the records of JSON or JSON lines, however they are laid out."""
    if not whole_text:
        return _first_records(text)
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        return _read_lines(path, text, error)
    except RecursionError:
        raise DataError("not_json", file=path, value="nested too deeply") from None
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list) and value]
        if len(lists) == 1 and isinstance(lists[0][0], dict):
            return lists[0]
        return [whole]
    raise DataError("not_an_object", file=path, value=str(whole)[:40])


def _first_records(text: str) -> list[Any]:
    """Return the records at the beginning of a text that was cut."""
    decoder = json.JSONDecoder()
    records = []
    place = len(text) - len(text.lstrip(" \n\t["))
    while place < len(text):
        try:
            record, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError:
            break
        records.append(record)
        while place < len(text) and text[place] in " \n\t,":
            place += 1
    return records


def _read_lines(path: Path, text: str, error: json.JSONDecodeError) -> list[Any]:
    """Return the records of JSON lines; objects can run over several lines."""
    decoder = json.JSONDecoder()
    records, place = [], 0
    while place < len(text):
        while place < len(text) and text[place] in " \n\t,":
            place += 1
        if place >= len(text):
            break
        try:
            record, place = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            line = text.count("\n", 0, place) + 1
            raise DataError("not_json", file=path, line=line) from error
        records.append(record)
    return records


def frame_of_records(records: list[Any], path: Path | None = None) -> pd.DataFrame:
    """Return records as a frame: nested keys joined by a point, values as text, lists as they are."""
    if not records:
        raise DataError("no_rows", file=path)
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise DataError("not_an_object", file=path, row=number, value=str(record)[:40])
    flat = all(not isinstance(v, dict) for record in records[:1000] for v in record.values())
    frame = pd.DataFrame(records) if flat else pd.json_normalize(records)
    if any(isinstance(v, dict) for column in frame for v in frame[column].head(1000)):
        frame = pd.json_normalize(records)
    return as_text(frame)


def without_surrogates(value: Any) -> Any:
    """Return text, or records, with every lone surrogate as a visible escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(each) for key, each in value.items()}
    return value


def cell_text(value: Any) -> Any:
    """Return a cell as text: numbers without trailing zeros, missing as empty; lists stay."""
    if isinstance(value, (list, dict, tuple)):
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, str):
        return value if value.isascii() else without_surrogates(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with every cell as text."""
    columns = {}
    _refuse_half_characters([str(name) for name in frame.columns], "")
    for name in frame:
        column = frame[name]
        if getattr(column.dtype, "storage", "") == "pyarrow":  # text already
            columns[str(name)] = column.fillna("").astype(str)
            continue
        try:
            codes, values = pd.factorize(column)
        except TypeError:  # lists or dictionaries
            columns[str(name)] = column.astype(object).map(cell_text)
            continue
        if column.dtype == object and {bool, int, float} & set(map(type, values)):
            columns[str(name)] = column.map(cell_text)  # 1 and True are equal, but other texts
            continue
        texts = [cell_text(value) for value in np.asarray(values, dtype=object).tolist()]
        if any(not isinstance(text, str) for text in texts):  # tuples
            columns[str(name)] = column.map(cell_text)
            continue
        _refuse_half_characters(texts, str(name))
        places = np.where(codes < 0, len(texts), codes)
        cells = pd.Series([*texts, ""], dtype=str).take(places)
        columns[str(name)] = cells.set_axis(frame.index)
    out = pd.DataFrame(columns, index=frame.index)
    if len(out.columns) != len(frame.columns):
        names = [str(name) for name in frame.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError("column_twice", column=twice)
    return out


def _refuse_half_characters(texts: Sequence[str], column: str) -> None:
    """Refuse a text with half of a character (a lone surrogate), which no file can hold."""
    try:
        "\n".join(texts).encode()
    except UnicodeEncodeError:
        wrong = next(text for text in texts if re.search("[\ud800-\udfff]", text))
        raise DataError("unusable_name", column=column or None, value=wrong) from None


def _read_sheet(path: Path, header: int, skip_rows: int, sheet: str) -> pd.DataFrame:
    """Read a sheet cell by cell, counted against the sheet's own dimensions."""
    try:
        book = openpyxl.load_workbook(path, data_only=True)
    except Exception:  # openpyxl raises many kinds for a damaged workbook
        raise DataError("damaged_file", file=path) from None
    names = [each.title for each in book.worksheets]
    if sheet and sheet not in names:
        raise DataError("no_such_sheet", file=path, value=sheet, expected=", ".join(names))
    if not sheet and len(names) > 1:
        full = [each.title for each in book.worksheets if each.max_row > 1]
        if len(full) != 1:
            raise DataError("several_sheets", file=path, value=", ".join(names), expected="--sheet")
        sheet = full[0]
    chosen = book[sheet or names[0]]
    hidden = [number for number, row in chosen.row_dimensions.items() if row.hidden]
    rows = [[cell_text(value) for value in row] for row in chosen.iter_rows(values_only=True)]
    full = [any(cell != "" for cell in row) for row in rows]
    first = next((k for k in range(header - 1, len(rows)) if full[k]), len(rows))
    start = first + 1 + skip_rows
    body = [row for row, is_full in zip(rows[start:], full[start:], strict=True) if is_full]
    if not body:
        raise DataError("no_rows", file=path)
    columns = rows[first]
    filled = [any(row[k] != "" for row in body) for k in range(len(columns))]
    used = [k for k, name in enumerate(columns) if name != "" or filled[k]]
    columns = _named(columns)
    _check_columns(path, [columns[k] for k in used])
    frame = pd.DataFrame(
        [[row[k] for k in used] for row in body], columns=[columns[k] for k in used]
    )
    frame.attrs["first_line"] = header + skip_rows + 1
    frame.attrs["hidden_rows"] = len([number for number in hidden if number > header])
    return frame
