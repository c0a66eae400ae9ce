"""Files to frames of text: pandas reads, every cell stays as it is written."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
from openpyxl.utils import get_column_letter

from ..errors import DataError

TABLES = (".csv", ".tsv", ".txt", ".tab")
ENDINGS = (*TABLES, ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
MAX_BYTES = 2**30
MAX_FIRST_ROWS = 10_000  # of Parquet, by which a large file is refused
MAX_UNPACKED = 2**28  # bytes of a workbook that is unpacked
MAX_SHEET = 2**21  # cells of a sheet, with those that are empty
CLOSED_QUOTES = re.compile(r'"[^"]*"')
SAMPLE = 1 << 16  # bytes that tell the separator
CELL = "\x1f"  # between the cells of a name that stands in several rows
OPENS_JSON = re.compile(r'\s*(\[\s*)?\{\s*"')
WRAPPED = re.compile(r'\s*\{[^\[]*"([^"]+)"\s*:\s*\[(?=\s*\{)')  # an object with a list
DECIMAL_COMMA = re.compile(r'"[^"]*"|(?<=\d),(?=\d)')


def ending_of(path: Path) -> str:
    """Return the ending of a file's name, without ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


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
            return _read_sheet(path, open_workbook(path), rows, skip_rows, sheet)
        text = _read_text(path, max_bytes, encoding)
        is_json = ending == ".txt" and OPENS_JSON.match(text)
        if is_json or ending in (".json", ".jsonl", ".ndjson"):
            records, wrapper = _read_records(path, text, not max_bytes)
            lone = re.search(r"(?i)\\ud[89a-f]", text)
            frame = frame_of_records(without_surrogates(records) if lone else records, path)
            frame.attrs["wrapper"] = wrapper
            return frame
        if ending in TABLES or not ending:
            return _read_table(path, text, rows, skip_rows)
    except ImportError as error:
        raise DataError("missing_package", file=path, value=error.name) from None
    except OSError as error:
        raise DataError("unreadable_file", file=path, value=error.strerror) from None
    raise DataError("unknown_ending", file=path, expected=", ".join(ENDINGS))


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
    if encoding:
        text = _decode(raw, encoding, path)
    elif raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = raw.decode("utf-16", errors="replace")
    else:
        text = decode_utf8(raw, path)
    if "\x00" in text[:SAMPLE]:
        raise DataError("not_text", file=path)
    if not text.strip():
        raise DataError("empty_file", file=path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(content: bytes, encoding: str, file: Path) -> str:
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


def _read_table(path: Path, text: str, header: Sequence[int], skip_rows: int) -> pd.DataFrame:
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
        given = (top[-1] if top else []) if single else _names_above(path, above, frame)
        if len(given) == len(frame.columns):
            frame.columns = pd.Index(_named(given))
        keep_cells(frame, list(frame.columns), above)
    frame.columns = pd.Index(_named(list(frame.columns)))
    _check_columns(path, list(frame.columns))
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
    columns = _named(join_names(names) if names else _numbers(len(body[0])))
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


def _names_above(path: Path, rows: Sequence[Sequence[str]], frame: pd.DataFrame) -> list[str]:
    """Return the names of columns from no header, or from several rows."""
    width = len(frame.columns)
    if not rows:
        return _numbers(width)
    names = join_names(rows)
    if len(names) != width:
        raise DataError("wrong_number_of_cells", file=path, value=width, expected=str(len(names)))
    return names


def _numbers(width: int) -> list[str]:
    """Return the names of columns without a header."""
    return [str(number) for number in range(1, width + 1)]


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


def _named(columns: list[str]) -> list[str]:
    """Return names of columns, in which an empty name is replaced by the column's number."""
    return [str(name) or f"column {number}" for number, name in enumerate(columns, start=1)]


def _check_columns(path: Path, columns: list[str]) -> None:
    """Refuse columns of the same name."""
    for name in columns:
        if columns.count(name) > 1:
            raise DataError(
                "column_twice", file=path, column=str(name),
                expected="different names; without a row of names, --header none",
                propose=[{"header": "none"}, {"header": [1, 2]}],
            )  # fmt: skip


def _read_records(path: Path, text: str, whole_text: bool = True) -> tuple[list[Any], str]:
    """Return the records of JSON or JSON lines, however they are laid out.

    Also returned is the key of the list of records, if an object with a single list holds them.
    """
    if not whole_text:
        records = first_records(path, text)
        wrapped = WRAPPED.match(text) if not records else None
        if wrapped:
            return first_records(path, text[wrapped.end() :]), wrapped[1]
        return _opened(records), ""
    try:
        whole = JSON.decode(text)
    except json.JSONDecodeError as error:
        return _opened(_read_lines(path, text, error)), ""
    except RecursionError:
        raise DataError("not_json", file=path, value="nested too deeply") from None
    except KeyError:
        first_records(path, text)  # names the record
        raise DataError("key_twice", file=path) from None
    if isinstance(whole, list):
        return _opened(whole), ""
    if isinstance(whole, dict):
        lists = {key: value for key, value in whole.items() if isinstance(value, list) and value}
        for key, records in lists.items() if len(lists) == 1 else ():
            if isinstance(records[0], dict):
                return records, key
        return [whole], ""
    raise DataError("not_an_object", file=path, value=str(whole)[:40])


def _opened(records: list[Any]) -> list[Any]:
    """Return records of which some are lists of records, such as one list for each participant."""
    lists = [each if isinstance(each, list) else [each] for each in records]
    return [record for each in lists for record in each]


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON that has these keys; raise KeyError for a key given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyError(next(key for key in keys if keys.count(key) > 1))
    return found


def _float_or_text(number: str) -> float | str:
    """Return a number of JSON, or its text if it is too large."""
    return float(number) if math.isfinite(float(number)) else number


def _constant(name: str) -> str | None:
    """Return the text of ``Infinity``; NaN stands for a missing value."""
    return None if name == "NaN" else name


JSON = json.JSONDecoder(
    object_pairs_hook=unique_keys,
    parse_int=str,  # whole numbers of any length stay as they are written
    parse_float=_float_or_text,
    parse_constant=_constant,
)


def first_records(path: Path, text: str) -> list[Any]:
    """Return the records at the beginning of a text that was cut."""
    records: list[Any] = []
    place = len(text) - len(text.lstrip(" \n\t["))
    while place < len(text):
        try:
            record, place = JSON.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            break
        except KeyError as error:
            raise _key_twice(path, records, error) from None
        records.append(record)
        while place < len(text) and text[place] in " \n\t,":
            place += 1
    return records


def _read_lines(path: Path, text: str, error: json.JSONDecodeError) -> list[Any]:
    """Return the records of JSON lines; objects can run over several lines."""
    records: list[Any] = []
    place = 0
    while place < len(text):
        while place < len(text) and text[place] in " \n\t,":
            place += 1
        if place >= len(text):
            break
        try:
            record, place = JSON.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            line = text.count("\n", 0, place) + 1
            raise DataError("not_json", file=path, line=line) from error
        except KeyError as twice:
            raise _key_twice(path, records, twice) from None
        records.append(record)
    return records


def _key_twice(path: Path, records: list[Any], error: KeyError) -> DataError:
    """Return the error for a key that an object has twice, after these records."""
    return DataError("key_twice", file=path, row=len(records) + 1, column=str(error.args[0]))


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
    if isinstance(value, np.ndarray):  # a list of Parquet
        return value.tolist()
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
    refuse_half_characters([str(name) for name in frame.columns], "")
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
        refuse_half_characters(texts, str(name))
        places = np.where(codes < 0, len(texts), codes)
        cells = pd.Series([*texts, ""], dtype=str).take(places)
        columns[str(name)] = cells.set_axis(frame.index)
    out = pd.DataFrame(columns, index=frame.index)
    if len(out.columns) != len(frame.columns):
        names = [str(name) for name in frame.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError("column_twice", column=twice)
    return out


def refuse_half_characters(texts: Sequence[str], column: str, file: str = "") -> None:
    """Refuse a text with half of a character (a lone surrogate), which no file can hold."""
    try:
        "\n".join(texts).encode()
    except UnicodeEncodeError:
        wrong = next(text for text in texts if re.search("[\ud800-\udfff]", text))
        raise DataError(
            "unusable_name", file=file or None, column=column or None, value=wrong
        ) from None


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
    return [_read_sheet(path, book, header_rows(header), skip_rows, name) for name in names]


def sheet_names(path: Path) -> list[str]:
    """Return the names of a workbook's sheets that hold more than one row."""
    return [each.title for each in open_workbook(path).worksheets if each.max_row > 1]


def _read_sheet(
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
    columns = join_names(above) if above else _numbers(len(body[0]))
    filled = [any(row[k] != "" for row in body) for k in range(len(columns))]
    used = [k for k, name in enumerate(columns) if filled[k] or (name != "" and above)]
    columns = _named(columns)
    _check_columns(path, [columns[k] for k in used])
    frame = pd.DataFrame(
        [[row[k] for k in used] for row in body], columns=[columns[k] for k in used]
    )
    keep_cells(frame, columns, above)
    frame.attrs["first_line"] = last + skip_rows + 1
    frame.attrs["hidden_rows"] = len([number for number in hidden if number > last])
    frame.attrs["hidden_columns"] = [columns[k] for k in used if k in hidden_columns]
    frame.attrs["sheet"] = chosen.title if len(names) > 1 else ""
    return frame
