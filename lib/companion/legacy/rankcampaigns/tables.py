"""Files as tables: cells of text, and the line of the file for each row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability import spelling
from companion.legacy.rankstability.errors import DataError

from . import binary, text
from .layout import layout, notes, width

Names: TypeAlias = tuple[str, ...]
Span: TypeAlias = tuple[
    int, int, list[str]
]  # the first line of a row, its last, its cells
FIRST, LAST = (
    60,
    20,
)  # lines at the beginning and the end in which titles and footers are found
TOP = 1 << 18  # bytes of each
BLANKS = " "  # stands for cells separated by blanks, tabs or both
SEPARATORS = ("\t", ";", ",")
QUOTED = re.compile(
    r'\s*"((?:[^"]|"")*)"\s*'
)  # a whole cell in quotation marks
WRONG = {  # a cell: what finds it, what is expected
    "not a single value": (schemas.LISTED.fullmatch, "a text or a number"),
    "half a character (a lone surrogate)": (
        re.compile(r"[\ud800-\udfff]").search,
        "characters",
    ),
}


@dataclass(frozen=True)
class Table:
    """A file's rows, and the line of each in the file.

    ``frame`` holds one text column per name, its cells as `spelling.cleaned` leaves them;
    ``lines[i]`` is the physical line of row ``i`` (the first line of the file is 1; headers and
    blank lines count); ``blanks`` maps columns in which blanks were stripped to a mask of the cells
    concerned, ``unseen`` those in which invisible characters were taken away. For JSON, ``keys``
    maps each set of keys to the line of the first object that has it. ``unread`` lists columns of
    the file that are not in the frame; ``beside``, what stands above and below the
    table (what, value).
    """

    path: Path
    frame: pd.DataFrame
    lines: np.ndarray
    blanks: Mapping[str, np.ndarray] = field(default_factory=dict)
    unseen: Mapping[str, np.ndarray] = field(default_factory=dict)
    keys: Mapping[frozenset[str], int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()

    def trimmed(
        self, columns: Collection[str], rows: np.ndarray | None = None
    ) -> dict[str, int]:
        """How many of `rows` (indices; default all) had a cell changed, by `spelling.CHANGES`."""
        return {
            reason: _marked(marks, columns, len(self.frame), rows)
            for reason, marks in zip(
                spelling.CHANGES, (self.blanks, self.unseen), strict=True
            )
        }

    def take(self, rows: np.ndarray) -> Table:
        """The table with only these `rows` (indices)."""
        blanks = {name: marked[rows] for name, marked in self.blanks.items()}
        unseen = {name: marked[rows] for name, marked in self.unseen.items()}
        frame = self.frame.iloc[rows].reset_index(drop=True)
        return replace(
            self,
            frame=frame,
            lines=self.lines[rows],
            blanks=blanks,
            unseen=unseen,
        )

    def error(
        self, problem: str, row: int, column: str, expected: str
    ) -> DataError:
        """The error for one wrong value of the table."""
        line = int(self.lines[row])
        value = str(self.frame[column].iloc[row])
        wrong = partial(
            DataError, problem, file=self.path, line=line, column=column
        )
        return wrong(value=value, expected=expected)

    def check_values(self, columns: Collection[str]) -> None:
        """Raises DataError if a cell of `columns` is a list, an object, or has a lone surrogate.

        Also if an object lacks one of these keys and has another that occurs in no object with the
        key: it seems to have been renamed.
        """
        for name in columns:
            having = frozenset().union(
                *(keys for keys in self.keys if name in keys)
            )
            for keys, line in self.keys.items():
                if name not in keys and (other := sorted(keys - having)):
                    expected = f"{name}, as other lines have it"
                    wrong = partial(
                        DataError,
                        file=self.path,
                        line=line,
                        value=", ".join(other),
                    )
                    raise wrong(f"no field {name}", expected=expected)
            values = self.frame[name].astype("category").cat
            for problem, (fault, expected) in WRONG.items():
                bad = [bool(fault(str(value))) for value in values.categories]
                if any(bad):
                    row = int(
                        np.argmax(
                            np.append(bad, False)[values.codes.to_numpy()]
                        )
                    )
                    raise self.error(problem, row, name, expected)

    def validated(
        self,
        columns: Mapping[str, schemas.Column],
        names: Mapping[str, str],
        rows: np.ndarray | None = None,
        **once: Any,
    ) -> pd.DataFrame:
        """`rows` (indices; default all) checked by `schemas.validate`; `names`: new -> file's."""
        frame = self.frame[list(names.values())].set_axis(list(names), axis=1)
        if rows is not None and len(rows) < len(frame):
            frame = frame.iloc[rows]
        by_line = np.argsort(self.lines[frame.index], kind="stable")
        try:
            checked = schemas.validate(frame.iloc[by_line], columns, **once)
        except DataError as error:
            row = int(str(error.row))
            column = names[str(error.column)]
            raise self.error(
                error.problem, row, column, str(error.expected)
            ) from None
        return checked.sort_index().reset_index(drop=True)


def unquoted(cell: str) -> str:
    """A cell without quotation marks if they enclose all of it, otherwise unchanged."""
    match = QUOTED.fullmatch(cell)
    return match.group(1).replace('""', '"') if match else cell


def table(
    path: Path,
    frame: pd.DataFrame,
    lines: np.ndarray | Sequence[int],
    quoted: bool = False,
) -> Table:
    """A `Table` of text as found in the file; blanks around cells are stripped and noted.

    `quoted`: cells may be in quotation marks, which are stripped, too.
    """
    plain = {}
    blanks: dict[str, np.ndarray] = {}
    unseen: dict[str, np.ndarray] = {}
    for name in frame.columns:
        values = frame[name].astype("category").cat
        written = [
            unquoted(str(v)) if quoted else v for v in values.categories
        ]
        stripped = [str(value).strip() for value in written]
        bare = [spelling.cleaned(value) for value in stripped]
        codes = values.codes.to_numpy()
        for marks, before, after in (
            (blanks, written, stripped),
            (unseen, stripped, bare),
        ):
            changed = np.array(
                [a != b for a, b in zip(before, after, strict=True)], bool
            )
            if changed.any():
                marks[name] = np.append(changed, False)[codes]
        if bare != list(values.categories):
            kept = pd.Categorical(np.append(bare, "").astype(object)[codes])
            plain[name] = pd.Series(kept, index=frame.index).astype(
                frame[name].dtype.name
            )
    lines = np.asarray(lines, dtype=int)
    return Table(
        path, frame.assign(**plain) if plain else frame, lines, blanks, unseen
    )


def _marked(
    marks: Mapping[str, np.ndarray],
    columns: Collection[str],
    n: int,
    rows: np.ndarray | None,
) -> int:
    """How many of `rows` have a mark in one of `columns`."""
    some = [marks[name] for name in set(columns) & set(marks)]
    marked = np.logical_or.reduce(some) if some else np.zeros(n, bool)
    return int((marked if rows is None else marked[rows]).sum())


def cells(line: str, sign: str = ",") -> list[str]:
    """The cells of one line; empty if it cannot be parsed."""
    try:
        return next(csv.reader([line], delimiter=sign), [])
    except csv.Error:
        return []


def separator(line: str) -> str:
    """The separator of a header: tab, semicolon or comma, whichever gives most cells."""
    return max(SEPARATORS, key=lambda sign: len(cells(line, sign)))


def any_table(
    path: Path,
    choose: Callable[[Sequence[str]], Collection[str]] = lambda names: names,
    sheet: str = "",
) -> Table:
    """A table with a header: CSV (comma or semicolon), TSV, JSON (lines or list), Parquet, XLSX.

    From the last two only those columns are read that `choose` picks from all names; from the
    others, all columns are. `sheet` names that of XLSX, if there are several. Title rows above the
    header and footers are in ``beside``.
    """
    if binary.holds(path):
        names = binary.names(path, sheet)
        chosen = [name for name in names if name in set(choose(names))]
        columns, lines = binary.read(path, chosen, schemas.as_text, sheet)
        unread = tuple(name for name in names if name not in chosen)
        found = table(path, pd.DataFrame(columns), lines)
        beside = binary.beside(path, sheet)
        return replace(found, unread=unread, beside=beside)
    if text.first_line(path).lstrip()[:1] in ("{", "["):
        return from_records(path, text.records(path))
    sign, around, beside = _around(path)
    return replace(read(path, (), sign, around=around), beside=beside)


def header(path: Path, sheet: str = "") -> list[str]:
    """The names of the columns of a table with a header; of JSON, the keys of its beginning."""
    if binary.holds(path):
        return binary.names(path, sheet)
    start = text.head(path).replace("\r\n", "\n")
    if not start.strip():
        return []
    if start.lstrip()[:1] in ("{", "["):
        return re.findall(
            r'"(\w[\w .-]*)"\s*:', start.partition("\n")[0] or start
        )
    sign, around, _ = _around(path)
    lines = enumerate(start.split("\n"), start=1)
    first = next(
        (line for n, line in lines if line.strip() and n not in around), ""
    )
    return [name.strip() for name in cells(first, sign)]


@text.kept(64)
def _around(
    path: Path,
) -> tuple[str, tuple[int, ...], tuple[tuple[str, str], ...]]:
    """The separator of a text table, the lines of title rows and footers, and what they say."""
    data = text.content(path).replace(b"\r\n", b"\n")
    top = data[:TOP].decode(errors="ignore").split("\n")[:FIRST]
    first = next((line for line in top if line.strip()), "")
    sign = separator(first)
    if sum(map(bool, cells(first, sign))) < 3:  # a title, or a narrow table
        sign = max((sign, *SEPARATORS), key=lambda one: _width(top, one))
    end = (
        data[-TOP:]
        .decode(errors="ignore")
        .split("\n")[len(data) > TOP :][-LAST:]
    )
    longest = csv.field_size_limit()
    if b"\r" in data or any(
        line.count('"') % 2 or len(line) > longest for line in (*top, *end)
    ):
        return (
            sign,
            (),
            (),
        )  # cells of several lines, or too long: said when they are read
    from_line = data.count(b"\n") + 2 - len(end)
    rows = _filled(top, 1, sign) | _filled(end, from_line, sign)
    empty = [line for line, row in rows.items() if not row]
    rows = {line: row for line, row in rows.items() if row}
    if not rows:
        return sign, (), ()
    found = layout(rows)
    return sign, (*empty, *found.above, *found.below), notes(rows, found)


def _width(lines: Sequence[str], sign: str) -> int:
    return width([len(row) for row in _filled(lines, 1, sign).values()])


def _filled(
    lines: Sequence[str], first: int, sign: str
) -> dict[int, dict[int, str]]:
    """The cells of lines that are not empty, by number of line and place; blank lines left out."""
    numbered = enumerate(lines, start=first)
    rows = {n: cells(line, sign) for n, line in numbered if line.strip()}
    return {
        n: {k: cell for k, cell in enumerate(row) if cell.strip()}
        for n, row in rows.items()
    }


@text.kept(6)
def read(
    file: Path,
    columns: Names = (),
    sign: str = ",",
    only: Names = (),
    first: int = 0,
    around: tuple[int, ...] = (),
) -> Table:
    """A file whose cells are separated by `sign`, plain or packed, as a table.

    `sign` is a comma, semicolon or tab, or `BLANKS` for blanks, tabs or both. Cells may be in
    quotation marks; between tabs, where raw text is common, such a cell must be on one line, and
    marks that do not enclose a whole cell are text. `columns` are those of a format whose header
    line may be missing (a header may have them in any order); without them, the header names the
    columns. `only` these columns are kept. `first` is the number of cells of a line that count, if
    text with tabs may follow. Lines `around` the table count as blank. Callers share the table as
    long as the file does not change: do not modify it. Raises DataError if a
    line has too many or too few cells, a column appears twice in the header, a quotation mark is
    not closed, or text follows a closing one.
    """
    anyhow = sign == BLANKS
    data = text.content(file).replace(b"\r\n", b"\n")
    if anyhow:
        data = _tabbed(data, len(columns), file)
        sign = "\t"
    if first:
        lines = data.replace(b"\r", b" ").split(b"\n")
        cut = (
            line.split(b"\t", first)[:first] if line.strip() else ()
            for line in lines
        )
        data = b"\n".join(map(b"\t".join, cut))
    if around:
        every = data.split(b"\n")
        for line in around:
            every[line - 1] = b""
        data = b"\n".join(every)
    names = list(columns)
    if columns and anyhow:
        names = _in_order(data, columns, file)
    elif columns:
        top = next((line for line in io.BytesIO(data) if line.strip()), b"")
        row = [
            unquoted(name) for name in cells(top.decode().rstrip("\n"), sign)
        ]
        names = row if sorted(row) == sorted(columns) else names
    found = _at_once(file, data, names, sign, only)
    found = found or _line_by_line(file, data.decode(), names, sign, only)
    if anyhow and found.frame.empty:
        raise DataError(
            "a header but no rows", file=file, expected="judgments"
        )
    return found


def _is_header(row: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a first line names columns; always true if no names are known."""
    same = {unquoted(cell) for cell in row} & set(names)
    return row[0] == names[0] or len(same) > len(names) // 2 if names else True


def _in_order(data: bytes, columns: Sequence[str], file: Path) -> list[str]:
    """`columns` in the order of the header, if any. Raises DataError for a wrong name in it."""
    line, top = next(
        (n, one)
        for n, one in enumerate(io.BytesIO(data), start=1)
        if one.strip()
    )
    row = top.rstrip(b"\n").decode().split("\t")
    if len(row) != len(columns) or not _is_header(row, columns):
        return list(columns)
    names = [unquoted(name) for name in row]
    for name in (n for n in names if n not in columns or names.count(n) > 1):
        problem = "unknown or repeated column in the header"
        raise DataError(
            problem,
            file=file,
            line=line,
            value=name,
            expected=" ".join(columns),
        )
    return names


def _line_by_line(
    file: Path, whole: str, names: list[str], sign: str, only: Names
) -> Table:
    """The table of a file with quotation marks, malformed lines or lone carriage returns."""
    source = io.StringIO(whole, newline=None).getvalue()
    fields: list[list[str]] = []
    lines: list[int] = []
    spans: list[Span] = []  # rows of several lines
    quoting: dict[str, Any] = (
        {"quoting": csv.QUOTE_NONE} if sign == "\t" else {"strict": True}
    )
    reader = csv.reader(io.StringIO(source), delimiter=sign, **quoting)
    line = 1
    begun = False
    try:
        for row in reader:
            if reader.line_num > line:
                spans.append((line, reader.line_num, row))
            if row and not begun and _is_header(row, names):
                names = names or [unquoted(name).strip() for name in row]
            elif row:
                if len(row) != len(names):
                    wrong = partial(
                        DataError,
                        "wrong number of columns",
                        file=file,
                        line=line,
                    )
                    expected = f"{len(names)} columns: {','.join(names)}"
                    raise wrong(value=len(row), expected=expected)
                fields.append(row)
                lines.append(line)
            begun |= bool(row)
            line = reader.line_num + 1
    except csv.Error as error:
        problem = f"not a table ({error})"
        if reader.line_num > line or "end of data" in str(error):
            problem = "a quotation mark that is not closed in its cell"
        value = source.split("\n")[line - 1][:80]
        expected = 'cells such as "a ""b"" c"'
        raise DataError(
            problem, file=file, line=line, value=value, expected=expected
        ) from None
    if spans:
        _refuse_swallowed(file, pd.DataFrame(fields), spans, source, sign)
    for twice in (name for name in names if names.count(name) > 1):
        raise DataError(
            "a column appears twice", file=file, line=1, value=twice
        )
    frame = pd.DataFrame(fields, columns=names, dtype=object).astype(
        "category"
    )
    # between other signs, cells are unquoted already
    quoted = sign == "\t" and '"' in source
    return table(file, frame[list(only)] if only else frame, lines, quoted)


def _refuse_swallowed(
    file: Path,
    rows: pd.DataFrame,
    spans: Sequence[Span],
    source: str,
    sign: str,
) -> None:
    """Raises DataError if most lines of a quoted cell have the cells and the numbers of rows."""
    given = {
        place: cells[~cells.isin(schemas.NOTHING)]
        for place, cells in rows.items()
    }
    numbers = [
        place
        for place, cells in given.items()
        if cells.map(is_number).mean() > 0.9
    ]
    physical = [
        line.split(sign) for line in source.replace('"', "").split("\n")
    ]
    for first, last, row in spans:
        broken = next(place for place, cell in enumerate(row) if "\n" in cell)
        beside = [
            place if place < broken else place - len(row) for place in numbers
        ]
        like = [
            len(cells) >= len(row)
            and all(
                cells[place] in schemas.NOTHING or is_number(cells[place])
                for place in beside
            )
            for cells in physical[first:last]
            if any(cells)
        ]
        whole = len(physical[first - 1]) >= len(
            row
        )  # the line in which the cell begins
        if beside and whole and 2 * sum(like) > len(like):
            problem = f"a quotation mark swallows what looks like rows, to line {last}"
            expected = 'one that is closed in its row, or doubled ("") where it is text'
            value = sign.join(physical[first - 1])[:80]
            raise DataError(
                problem, file=file, line=first, value=value, expected=expected
            )


def is_number(cell: str) -> bool:
    """Whether Python reads a cell as a number (also ``nan`` and ``inf``)."""
    try:
        return bool(float(cell) or True)
    except ValueError:
        return False


def _at_once(
    file: Path, data: bytes, names: list[str], sign: str, only: Names
) -> Table | None:
    """The table of a file with as many plain cells as columns in every line; None of any other."""
    if b"\r" in data or b"\0" in data or (sign != "\t" and b'"' in data):
        return None
    data += b"" if data.endswith(b"\n") else b"\n"
    ends, length, fields = _measured(data, sign)
    lines = np.flatnonzero(length > 1) + 1
    if len(lines) < 2 or length.max() > csv.field_size_limit():
        return None
    top = data[
        ends[lines[0] - 1] - length[lines[0] - 1] + 1 : ends[lines[0] - 1]
    ].decode()
    row = top.split(sign)
    lines = lines[1:] if _is_header(row, names) else lines
    names = names or [unquoted(name).strip() for name in row]
    unlike = (fields[length > 1] != len(names)).any() or len(set(names)) < max(
        len(names), 2
    )
    blank = (
        np.frombuffer(data, np.uint8)[ends - length + 1] == 32
    ).any()  # parsing would strip it
    if unlike or blank:
        return None
    frame = pd.read_csv(
        io.BytesIO(data), sep=sign, header=None, names=names, skiprows=int(lines[0]) - 1,
        usecols=list(only) or None, dtype="category", na_filter=False, quoting=csv.QUOTE_NONE,
        index_col=False, low_memory=False,  # in one piece: a tenth faster than joining categories
    )[list(only) or names]  # fmt: skip
    return (
        table(file, frame, lines, b'"' in data)
        if len(frame) == len(lines)
        else None
    )


def _measured(
    data: bytes, sign: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every line: the offset of its end, its bytes (line feed included), its cells."""
    signs = np.frombuffer(data, dtype=np.uint8)
    marks = np.flatnonzero((signs == 10) | (signs == ord(sign)))
    last = np.flatnonzero(signs[marks] == 10)
    return (
        marks[last],
        np.diff(marks[last], prepend=-1),
        np.diff(last, prepend=-1),
    )


def _tabbed(data: bytes, columns: int, file: Path) -> bytes:
    """Lines whose cells are separated by blanks, tabs or both, as lines with tabs only.

    If the first line has tabs, blanks belong to cells, unless the rows have too few tabs (all as
    many) and give `columns` cells if split at blanks, too: Facebook's file of WMT21.
    """
    if b"\r" in data:
        line = data.count(b"\n", 0, data.index(b"\r")) + 1
        expected = "lines that end in LF or CRLF"
        raise DataError(
            "a carriage return within a line",
            file=file,
            line=line,
            expected=expected,
        )
    first, second, *_ = [*data.split(b"\n", 2), b""]
    if b"\t" in first and second.count(b"\t") + 1 in (1, columns):
        return data
    lines = data.split(b"\n")
    if b"\t" not in first:
        return b"\n".join(b"\t".join(line.split()) for line in lines)
    if len({line.count(b"\t") for line in lines[1:] if line}) != 1:
        return data
    cells = [line.replace(b'"', b"").split() for line in lines]
    fine = all(len(row) in (0, columns) for row in cells)
    return b"\n".join(map(b"\t".join, cells)) if fine else data


def from_records(
    path: Path, entries: Iterable[tuple[int, Mapping[str, Any]]]
) -> Table:
    """A table with a row for each object; a field that an object lacks is empty."""
    lines: list[int] = []
    rows: list[dict[str, str]] = []
    keys: dict[frozenset[str], int] = {}
    for line, entry in entries:
        lines.append(line)
        rows.append(
            {
                str(name): schemas.as_text(value)
                for name, value in entry.items()
            }
        )
        keys.setdefault(frozenset(rows[-1]), line)
    names = list(dict.fromkeys(name for row in rows for name in row))
    frame = (
        pd.DataFrame(rows, columns=names, dtype=object)
        .fillna("")
        .astype("category")
    )
    return replace(table(path, frame, lines), keys=keys)
