"""The ranking as a table in LaTeX that fits a column of a paper, or else the page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLUMN, PAGE = (
    219.0,
    455.0,
)  # widths of one column and of the page, in points (ACL's style)
SIZE = 9.0  # points of \small
GAP = 3.0  # points on both sides of a column: \tabcolsep
LEAST = 54.0  # points that names need, even if they are broken
RUN = 9  # letters after which a name may be broken
NARROW = dict.fromkeys("il.,:;'|![] -", 0.32) | dict.fromkeys("fjrst()/I", 0.4)
WIDE = dict.fromkeys("mwMW@%", 0.95) | dict.fromkeys(
    "ABCDEFGHKLNOPQRTUVXYZ&−", 0.78
)


@dataclass(frozen=True)
class Plan:
    """How a table is set: in two columns of the page or one, and how wide its names are.

    `names` is the width of the column of names in points, 0 for as wide as they are.
    """

    star: bool
    names: int


def width(text: str) -> float:
    """About how many points wide a text is in Computer Modern at the size of the table."""
    each = (
        NARROW.get(c) or WIDE.get(c) or (0.53 if c.isascii() else 1.0)
        for c in text
    )
    return SIZE * sum(each)


def plan(
    ranking: Sequence[Mapping[str, Any]], digits: int, known: bool
) -> Plan:
    """How a ranking fits one column; its names are broken if need be, or it takes the page.

    `ranking` has the rows of a verdict, `digits` the decimals of scores; `known` says whether
    intervals and rank sets are shown.
    """
    names = max((width(str(row["system"])) for row in ranking), default=0.0)
    rest = rest_width(ranking, digits, known)
    for star, most in ((False, COLUMN), (True, PAGE)):
        if names + rest <= most:
            return Plan(star, 0)
        if most - rest >= LEAST:
            return Plan(star, int(most - rest))
    return Plan(True, int(LEAST))


def rest_width(
    ranking: Sequence[Mapping[str, Any]], digits: int, known: bool
) -> float:
    """The width in points of all columns but the names, with the gaps between them."""
    columns = [["1", *(str(row["rank"]) for row in ranking)], ["Score"]]
    columns[1] += [_number(row["score"], digits) for row in ranking]
    if known:
        both = [
            [_number(row[end], digits) for end in ("low", "high")]
            for row in ranking
        ]
        columns += [["Interval", *(f"[{low}, {high}]" for low, high in both)]]
        sets = [(row["rank_low"], row["rank_high"]) for row in ranking]
        columns += [
            ["Ranks", *(f"{low:.0f}--{high:.0f}" for low, high in sets)]
        ]
    gaps = 2 * GAP * (len(columns) + 1)
    return gaps + sum(
        max(width(text) for text in column) for column in columns
    )


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}".replace("-", "−")


def pieces(name: str) -> list[str]:
    """A name in pieces between which it may be broken: after its signs, and in long runs."""
    parts = re.findall(r"[^-_./ ]+[-_./ ]*|[-_./ ]+", name)
    return [
        part[k : k + RUN] for part in parts for k in range(0, len(part), RUN)
    ]
