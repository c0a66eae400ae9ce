"""Where the table is on a sheet: its header, and the title rows and footers around it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Rows: TypeAlias = Mapping[
    int, Mapping[int, Any]
]  # line -> place -> cell; empty cells are not in it
SHOWN = 60  # characters of a row that is named
TOTALS = {
    "total",
    "sum",
    "mean",
    "average",
    "median",
    "count",
    "n",
    "overall",
    "grand total",
}
TOTALS |= {
    "summe",
    "gesamt",
    "mittelwert",
    "durchschnitt",
    "anzahl",
    "moyenne",
    "somme",
    "media",
}


@dataclass(frozen=True)
class Layout:
    """The lines of a sheet: the header, the rows of the table, and those above and below it."""

    header: int
    body: tuple[int, ...]
    above: tuple[int, ...]
    below: tuple[int, ...]


def layout(rows: Rows) -> Layout:
    """The header is the first row as wide as the table, if it holds text; else the first row.

    Rows at the end are footers if they have one cell, begin with a word for a total or follow an
    empty line, and fill at most half of the columns that the table always fills.
    """
    lines = tuple(rows)
    header = lines[_header([rows[line] for line in lines])]
    body = [line for line in lines if line > header]
    always = _always([rows[line] for line in body])
    narrow = {
        line
        for line in body
        if 2 * len(always & set(rows[line])) <= len(always)
    }
    end = len(body)
    while end and body[end - 1] in narrow:
        end -= 1
    while end < len(body) and not _footers(
        [rows[n] for n in body[end:]], body[end] - body[end - 1]
    ):
        end += 1
    above = tuple(line for line in lines if line < header)
    return Layout(header, tuple(body[:end]), above, tuple(body[end:]))


def _footers(rows: Sequence[Mapping[int, Any]], gap: int) -> bool:
    """Whether narrow rows at the end are footers.

    An empty line parts them, or each is one cell or begins with a word for a total.
    """
    return gap > 1 or all(len(row) == 1 or _total(row) for row in rows)


def _total(row: Mapping[int, Any]) -> bool:
    first = str(next(iter(row.values()))).strip().rstrip(":").lower()
    return first in TOTALS


def _header(rows: Sequence[Mapping[int, Any]]) -> int:
    """The place of the header among the rows that are not empty."""
    wide = width([len(row) for row in rows])
    for least in (wide, wide - 1):  # a column may lack its name
        if len(rows[0]) >= least:
            return 0
        named = [
            k
            for k, row in enumerate(rows)
            if len(row) >= max(least, 2) and _names(row)
        ]
        if named:
            return named[0]
    return 0


def width(cells: Sequence[int]) -> int:
    """The number of cells of most rows, where a row counts as often as it has cells."""
    often = Counter(cells)
    return max(
        often, key=lambda number: (number * often[number], number), default=0
    )


def _names(row: Mapping[int, Any]) -> bool:
    """Whether all cells of a row are texts that differ, and no numbers."""
    said = [
        cell
        for cell in row.values()
        if isinstance(cell, str) and not _number(cell)
    ]
    return len(set(said)) == len(row)


def _number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").strip("+-% ").isdigit()


def _always(body: Sequence[Mapping[int, Any]]) -> set[int]:
    """The columns that nine in ten of the full rows of a table fill."""
    wide = width([len(row) for row in body])
    full = [row for row in body if len(row) >= wide]
    filled = Counter(place for row in full for place in row)
    return {
        place for place, number in filled.items() if number >= 0.9 * len(full)
    }


def notes(rows: Rows, found: Layout) -> tuple[tuple[str, str], ...]:
    """What stands around the table and is not read, for a reader of the page: what, value."""
    above = "rows above the header, not read"
    below = "rows below the table, not read"
    kinds = {above: found.above, below: found.below}
    return tuple(
        (what, _shown(lines, rows)) for what, lines in kinds.items() if lines
    )


def _shown(lines: Sequence[int], rows: Rows) -> str:
    said = " ".join(str(cell).strip() for cell in rows[lines[0]].values())
    said = said if len(said) <= SHOWN else said[:SHOWN] + "…"
    number = (
        f"line {lines[0]}"
        if len(lines) == 1
        else f"{len(lines)}, from line {lines[0]}"
    )
    return f"{number} ({said})"
