"""Text whose cells are separated by a character or by blanks, as a frame."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain, islice
from pathlib import Path

import pandas as pd

from ..errors import DataError
from .header import join_names, keep_cells, name_columns, number_columns, refuse_twice
from .paths import ending_of

CLOSED_QUOTES = re.compile(r'"[^"]*"')
BLANKS = r"\s+"  # any run of blanks and tabs separates two cells
END = "\x1e"  # a line after the last
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
    return BLANKS if len(words) == 1 and words.pop() > 1 else best


def read_delimited(path: Path, text: str, header: Sequence[int], skip_rows: int) -> pd.DataFrame:
    """Read delimited text; rows with another number of cells than the header are refused."""
    separator = separator_of(text, ending_of(path))
    lines = text.split("\n")
    last = max(header, default=0)
    top, start = top_rows(path, lines, separator, last, skip_rows)
    above = top[-1:] if len(header) == 1 else [top[n - 1] for n in header if n <= len(top)]
    names = join_names(above) if above else []
    quoted = separator != BLANKS
    frame = split_cells(path, lines, separator, start, len(names), quoted)
    if frame.empty:
        raise DataError("no_rows", file=path, value=f"header {last or 'none'}")
    columns = name_columns(names or number_columns(len(frame.columns)))
    refuse_twice(path, columns)
    frame = frame.set_axis(columns, axis=1).reset_index(drop=True)
    keep_cells(frame, columns, above)
    frame.attrs["separator"] = separator
    return frame


def rows_of(
    path: Path, lines: Sequence[str], separator: str, start: int = 0
) -> Iterator[tuple[list[str], int, int]]:
    """Yield the cells of each row after `start` lines, and its first and last line.

    Cells in quotation marks can run over several lines. Raises DataError for a mark that is not
    closed.
    """
    spaced = ("\t".join(line.split()) if separator == BLANKS else line for line in lines[start:])
    mark = "\t" if separator == BLANKS else separator
    reader = csv.reader(chain((line + "\n" for line in spaced), [END]), delimiter=mark)
    first = start + 1
    try:
        for row in reader:
            end = start + reader.line_num
            if row == [END]:
                return
            if end > len(lines):
                raise DataError("open_quote", file=path, line=first)
            yield row, first, end
            first = end + 1
    except csv.Error as error:
        raise DataError("not_a_table", file=path, line=first, value=str(error)) from None


def top_rows(
    path: Path, lines: Sequence[str], separator: str, last: int, skip_rows: int = 0
) -> tuple[list[list[str]], int]:
    """Return the cells of the rows down to the header, and the number of lines before the data.

    Blank lines above the header are rows, too. It is the first row from `last` that is not blank.
    """
    rows: list[list[str]] = []
    start = 0
    below = rows_of(path, lines, separator)
    for row, _, end in below if last else ():
        rows = [*rows[: last - 1], row]
        start = end
        if len(rows) == last and row:
            break
    for _, _, end in islice(below, skip_rows):
        start = end
    return rows, start


def split_cells(
    path: Path,
    lines: Sequence[str],
    separator: str,
    start: int,
    width: int = 0,
    quoted: bool = True,
) -> pd.DataFrame:
    """Return the cells of the rows after `start` lines as text; the index holds the rows' lines.

    A row that has not `width` cells (0: those of the first row) is refused, but for empty cells at
    its end. `quoted` says whether cells can stand in quotation marks.
    """
    several = []
    if quoted and any('"' in line for line in lines[start:]):
        found = rows_of(path, lines, separator, start)
        full = [each for each in found if len(each[0]) > 1 or "".join(each[0]).strip()]
        rows, numbers = [row for row, _, _ in full], [first for _, first, _ in full]
        several = [(first, end) for _, first, end in full if end > first]
    else:
        numbers = [n for n, line in enumerate(lines[start:], start + 1) if line.strip()]
        texts = [lines[number - 1] for number in numbers]
        if separator == BLANKS:
            texts, separator = ["\t".join(text.split()) for text in texts], "\t"
        sizes = [text.count(separator) + 1 for text in texts]
        if sizes and set(sizes) == {width or sizes[0]}:
            return _split_evenly(texts, separator).set_axis(numbers)
        rows = [text.split(separator) for text in texts]
    width = width or len(next(iter(rows), []))
    for number, row in zip(numbers, rows, strict=True):
        if len(row) < width or any(cell.strip() for cell in row[width:]):
            raise DataError(
                "wrong_number_of_cells", file=path, line=number, value=len(row), expected=str(width)
            )
    cells = [row[:width] for row in rows]
    frame = pd.DataFrame(cells, numbers, range(width), dtype=str)
    refuse_swallowed(path, lines, several, separator, frame)
    return frame


def _split_evenly(lines: Sequence[str], separator: str) -> pd.DataFrame:
    """Return the cells of lines that have equally many, without quotation marks."""
    return pd.read_csv(
        StringIO("\n".join(lines)),
        sep=separator,
        header=None,
        index_col=False,
        dtype=str,
        na_filter=False,
        quoting=csv.QUOTE_NONE,
    )


def refuse_swallowed(
    path: Path,
    lines: Sequence[str],
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
