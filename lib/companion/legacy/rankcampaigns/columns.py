"""The columns of a long table: which of a file's are ours, and the language pair of its rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.names import FIELDS, candidates, plain

from . import binary, languages, tables, text
from .tables import Table

MISSING = (
    "",
    "na",
    "n/a",
    "nan",
    "null",
    "none",
)  # cells that hold nothing, in lower case
NEEDED = ("system", "segment", "score")
BATTLE = (
    "left",
    "right",
    "winner",
)  # columns that tell of battles; these may be named with them
BESIDE_BATTLE = ("judge", "question", "domain")
DECIMAL = re.compile(
    r"[-+]?\d+(,\d+)?"
)  # an integer, or a number with a decimal comma
PER_CENT = re.compile(r"[-+]?\d+([.,]\d+)?\s*%")
A = {"system": "a system", "segment": "a segment", "annotator": "an annotator"}
TRUTH = {"true": "1", "false": "0"}
ANSWERS = (  # words of scores that are either one or the other: counts as 1, as 0
    ("true", "false"),
    ("yes", "no"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("correct", "incorrect"),
    ("correct", "wrong"),
    ("right", "wrong"),
    ("resolved", "unresolved"),
)
SUMMARY = {
    "rank",
    "average",
    "mean",
    "avg",
    "median",
    "total",
    "overall",
    "sum",
    "size",
}
SUMMARY |= {
    "parameters",
    "params",
    "date",
    "year",
    "votes",
    "count",
    "price",
    "cost",
    "latency",
}
WIDEST = 400  # characters that are shown of the columns of a wide table
THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})*")
# the names that Appraise makes for a campaign's accounts
ACCOUNT = re.compile(r"([a-z]{3})([a-z]{3})(?=[a-f]*[0-9])[0-9a-f]{2,}$")


@dataclass(frozen=True)
class Judged:
    """The single scores of one file."""

    table: Table  # text, in the file's own columns; one row per score, given or missing
    names: Mapping[str, str]  # our column (of `FIELDS`) to the file's
    excluded: Mapping[
        str, int
    ]  # rows of the file that are not in the table, by reason
    pair: str = ""  # the pair of all rows if no column names it
    pair_from: str = ""  # where that pair comes from
    scale: tuple[float, float] | None = (
        None  # what the format prescribes, if it does
    )
    said: Said = ()  # what else was understood
    averages: bool = False  # whether scores are released means over annotators without names

    def column(self, name: str) -> pd.Series:
        """One of our columns as text; all empty if the file does not have it."""
        if name not in self.names:
            return pd.Series("", index=self.table.frame.index, dtype=object)
        return self.table.frame[self.names[name]].astype(object)

    def take(self, rows: np.ndarray) -> Judged:
        """Only these rows (indices) of the file."""
        return replace(self, table=self.table.take(rows))

    def pairs(self) -> np.ndarray:
        """The language pair of each row. Raises DataError if a cell does not name one."""
        if "pair" not in self.names:
            return np.full(len(self.table.frame), self.pair, dtype=object)
        written = self.column("pair")
        ours = written.map(
            {one: languages.pair_of(one) for one in written.unique()}
        )
        bad = np.flatnonzero((ours == "").to_numpy())
        if len(bad):
            expected = "a pair such as cs-en"
            raise self.table.error(
                "not a language pair", bad[0], self.names["pair"], expected
            )
        return ours.to_numpy(dtype=object)

    @cached_property
    def scores(self) -> np.ndarray:
        """Scores as numbers, NaN where a cell is empty or not a number."""
        return pd.to_numeric(self.column("score"), errors="coerce").to_numpy(
            float
        )


Opener = Callable[[Path, Mapping[str, Any]], Judged]
Said = tuple[tuple[str, str, str], ...]  # what, value, said by ("": settings)


def columns_of(
    header: Sequence[str], mapping: Mapping[str, str]
) -> dict[str, str]:
    """Our columns to those of a header, by `mapping` or else by the names of `FIELDS` and `ELSE`.

    Raises DataError if several columns may be the same one of ours, or the header lacks one of
    `mapping`.
    """
    found = {}
    for ours, may in candidates(header, mapping).items():
        if len(may) > 1:
            told = asked(ours, may[0])
            expected = f"`columns: {{{ours}: {may[0]}}}` in a campaign.yaml, or {told}"
            problem = f"several columns may be the {ours}"
            raise DataError(problem, value=", ".join(may), expected=expected)
        if may:
            found[ours] = may[0]
    return found


def asked(ours: str, theirs: str) -> str:
    """The command-line argument that names a column."""
    return f'columns="{ours}={theirs}"'


def knows(path: Path) -> bool:
    """Whether the header of a file names system, segment and score."""
    return not set(NEEDED) - set(guess(path))


def guess(path: Path) -> dict[str, str]:
    """Our columns to those of a file's header; all of `NEEDED` if several may be one of them."""
    try:
        return columns_of(header(path), {})
    except DataError:
        return {
            name: "" for name in NEEDED
        }  # close enough for an error that names its columns


def header(path: Path) -> list[str]:
    """The names of the columns of a file (of JSON, all keys), in the sheet that fits."""
    return tables.header(path, sheet_of(path, {})[0])


def sheet_of(path: Path, settings: Mapping[str, Any]) -> tuple[str, str]:
    """The sheet of a spreadsheet that is read, and why; both empty if the file has one or none.

    It is that of `settings`, else the only one whose header names system, segment and score, else
    the only one whose header names two of our columns. Raises DataError if none or several do.
    """
    titles = binary.sheets(path) if binary.holds(path) else ()
    if wanted := settings.get("sheet"):
        if not titles:
            raise DataError(
                "`sheet` of a file that has none", file=path, expected="XLSX"
            )
        return str(wanted), ""
    if len(titles) < 2:
        return "", ""
    mapping = settings.get("columns") or {}
    headers = {title: binary.names(path, title) for title in titles}
    named = {
        title: _named(header, mapping) for title, header in headers.items()
    }
    from . import guesses

    likely = {t: guesses.likely(header) for t, header in headers.items()}
    tests = (
        [title for title, ours in named.items() if ours >= set(NEEDED)],
        [title for title, ours in named.items() if len(ours) > 1],
        [title for title, ours in likely.items() if len(ours) > 2],
    )
    for fit in tests:
        if len(fit) == 1:
            others = ", ".join(title for title in titles if title != fit[0])
            return fit[0], f"its columns; not read: {others}"
        if fit:
            break
    problem = "several sheets" + (" that may hold judgments" if fit else "")
    expected = f'one of them, such as sheet="{(fit or titles)[0]}" (`sheet:` in a campaign.yaml)'
    raise DataError(
        problem, file=path, value=", ".join(fit or titles), expected=expected
    )


def _named(names: Sequence[str], mapping: Mapping[str, str]) -> set[str]:
    """Which of our columns a sheet's header names."""
    known = {
        ours: theirs for ours, theirs in mapping.items() if theirs in names
    }
    try:
        return set(columns_of(names, known))
    except DataError:  # several may be one of ours
        return set(NEEDED)


def opened(path: Path, settings: Mapping[str, Any]) -> Judged:
    """A long table in a file; `settings` (of campaign.yaml) may map columns and name the pair.

    They may also say that it is ``wide`` (the columns of systems, or of what `beside_each_other`
    says; or ``all`` that hold mostly numbers), and give the decimal sign. Raises DataError if a
    column is missing or ambiguous, there are no rows, or a cell is not a single value.
    """
    mapping = settings.get("columns") or {}
    wide = settings.get("wide") or ()
    of = ""
    sheet, why = sheet_of(path, settings)
    with text.placed(path, 1):
        if wide:
            table, of = _melted(
                tables.any_table(path, sheet=sheet), wide, mapping
            )
        else:
            table = tables.any_table(
                path, lambda names: columns_of(names, mapping).values(), sheet
            )
        header = [*table.frame.columns, *table.unread]
        names = columns_of(header, mapping)
        if missing := [name for name in NEEDED if name not in names]:
            known = "; ".join(" or ".join(FIELDS[name]) for name in missing)
            mapped = f"`columns: {{{missing[0]}: <yours>}}` in a campaign.yaml"
            expected = f"a header with {known}, or {mapped}"
            from . import guesses

            entry, open_ = (
                ({}, {"": []}) if wide else guesses.proposed(path, settings)
            )
            if not open_:
                expected = guesses.shown(
                    {
                        **entry,
                        "columns": {**mapping, **entry.get("columns", {})},
                    }
                )
            problem = f"no column for {' and '.join(missing)}"
            taken = {theirs: ours for ours, theirs in mapping.items()}
            for name in (n for n in taken if plain(n) in FIELDS[missing[0]]):
                problem += f": {name} is told to be the {taken[name]}"
                expected = f"another column for the {taken[name]}, or for the {missing[0]}"
            raise DataError(
                problem, value=", ".join(header)[:200], expected=expected
            )
    if table.frame.empty:
        raise DataError(
            "a header but no rows", file=path, expected="judgments"
        )
    table.check_values(names.values())
    with text.placed(path):
        table, without = _without(
            table, names["score"], settings.get("missing") or ()
        )
    table, plain_said = _plain_scores(table, names["score"])
    table, said = _decimals(table, names["score"], settings.get("decimal"))
    said = (*plain_said, *said)
    if wide:
        every = ", ".join(map(str, table.frame[of].cat.categories))
        said = ((f"a column for each {of}", every[:WIDEST], ""), *said)
    said = (
        *([("sheet", sheet, why)] if sheet else []),
        *_around(table),
        *without,
        *said,
    )
    return with_pair(Judged(table, names, Counter(), said=said), settings)


def _around(table: Table) -> Said:
    """Title rows and footers that are not read, for `long.reading`."""
    return tuple((what, value, "their place") for what, value in table.beside)


def beside_each_other(names: Collection[str]) -> str:
    """What the columns of a wide table are, given which of our columns it names beside them.

    Systems, else segments (a row per system), else annotators (a row per output); empty if all
    three are named.
    """
    return next(
        (
            ours
            for ours in ("system", "segment", "annotator")
            if ours not in names
        ),
        "",
    )


def _melted(
    table: Table, wide: str | Sequence[str], mapping: Mapping[str, str]
) -> tuple[Table, str]:
    """A wide table as a long one (a row per score), and what its columns are: see above."""
    frame = table.frame
    names = columns_of(list(frame.columns), mapping)
    ours = beside_each_other(names)
    if "score" in names or not ours:
        ours = "score" if "score" in names else "system"
        expected = "one column per system, segment or annotator, and none that names all three"
        raise DataError(
            f"a column for the {ours} in a wide table",
            value=names[ours],
            expected=expected,
        )
    if isinstance(wide, str):
        free = [name for name in frame if name not in names.values()]
        texts = {name: frame[name].astype(str) for name in free}
        given = {
            name: said[~said.str.lower().isin(MISSING)]
            for name, said in texts.items()
        }
        wide = [
            name
            for name, said in given.items()
            if said.map(is_score).mean() > 0.5
        ]
        wide = [name for name in wide if not summarises(name)]
        table, names, wide = _with_segments(table, names, wide)
        frame = table.frame
    there = ", ".join(frame.columns)[:200]
    n = len(wide)
    for name in (
        name for name in wide if name not in frame or name in names.values()
    ):
        expected = f"columns of {there}"
        raise DataError(
            f"no such column for {A[ours]}", value=name, expected=expected
        )
    if n < 2:
        raise DataError(
            f"fewer than two columns of {ours}s",
            value=there,
            expected="`wide: [A, B]`",
        )
    kept = [name for name in frame.columns if name not in wide]
    long = pd.concat([frame[kept]] * n, ignore_index=True)
    scores = pd.concat(
        [frame[name].astype(object) for name in wide], ignore_index=True
    )
    of = pd.Categorical.from_codes(
        np.repeat(np.arange(n), len(frame)), list(wide)
    )
    long = long.assign(**{ours: of}, score=scores.astype("category"))
    blanks = {
        name: np.tile(table.blanks[name], n)
        for name in kept
        if name in table.blanks
    }
    unseen = {
        name: np.tile(table.unseen[name], n)
        for name in kept
        if name in table.unseen
    }
    lines = np.tile(table.lines, n)
    melted = replace(
        table, frame=long, lines=lines, blanks=blanks, unseen=unseen, keys={}
    )
    return melted, ours


def summarises(name: str) -> bool:
    """Whether a column of numbers beside scores is none: of ranks, means, sizes or prices."""
    return bool(set(re.findall(r"[a-z]+", name.lower())) & SUMMARY)


def _with_segments(
    table: Table, names: Mapping[str, str], wide: Sequence[str]
) -> tuple[Table, dict[str, str], list[str]]:
    """A wide table whose rows are segments without names, with a column that numbers them.

    Where a column without a name stands in it (an index), its cells are the segments' names.
    Nothing is added where another column may name them, or people who judged.
    """
    wide = [name for name in wide if name]
    index = [name for name in table.frame if not name]
    free = set(table.frame) - {*wide, *index, *names.values()}
    free = {name for name in free if not summarises(name)}
    if {"system", "segment", "annotator", "hit", "document"} & set(
        names
    ) or free:
        return table, dict(names), wide
    rows = pd.Series(
        range(1, len(table.frame) + 1), index=table.frame.index
    ).astype(str)
    if index and table.frame[index[0]].is_unique:
        rows = table.frame[index[0]].astype(str)
    frame = table.frame.drop(columns=index).assign(
        segment=rows.astype("category")
    )
    beside = (*table.beside, ("segments", "the rows of the table"))
    return (
        replace(table, frame=frame, beside=beside),
        {**names, "segment": "segment"},
        wide,
    )


def _plain_scores(table: Table, column: str) -> tuple[Table, Said]:
    """The table with scores of `ANSWERS` made 1 and 0, and without per cent signs; notes."""
    cells = table.frame[column].astype("category")
    said = {str(one): str(one).lower() for one in cells.cat.categories}
    given = {
        cell: plain for cell, plain in said.items() if plain not in MISSING
    }
    if two := next(
        (two for two in ANSWERS if given and set(given.values()) <= set(two)),
        None,
    ):
        one, zero = two
        made = {
            cell: {one: "1", zero: "0"}.get(plain, cell)
            for cell, plain in said.items()
        }
        note = ("scores", f"{one} counts as 1, {zero} as 0", "the data")
    elif given and all(PER_CENT.fullmatch(cell) for cell in given):
        made = {cell: cell.removesuffix("%").rstrip() for cell in said}
        note = ("scores", "per cent signs taken away", "the data")
    else:
        return table, ()
    plain_cells = cells.astype(str).map(made).astype("category")
    return replace(table, frame=table.frame.assign(**{column: plain_cells})), (
        note,
    )


def _decimals(
    table: Table, column: str, sign: str | None
) -> tuple[Table, Said]:
    """The table with decimal commas of scores (``78,5``) made points; and a note of that.

    Words among the scores stay as they are, to be named when scores are checked.
    """
    values = [
        str(one)
        for one in table.frame[column].astype("category").cat.categories
    ]
    given = [value for value in values if re.search(r"\d", value)]
    commas = [value for value in given if "," in value]
    if sign and not commas and (table.keys or binary.holds(table.path)):
        problem = "`decimal:` does nothing here, where numbers have a sign of their own"
        wrong = partial(
            DataError, problem, file=table.path, column=column, value=sign
        )
        raise wrong(expected="no `decimal:`, or scores as text with a comma")
    for value in (value for value in given if sign == "," and "." in value):
        row = int(table.frame[column].isin([value]).to_numpy().argmax())
        expected = (
            "scores without points, or `decimal: '.'` in a campaign.yaml"
        )
        raise table.error(
            "a point in a score, but `decimal: ','`", row, column, expected
        )
    if not commas or sign == "." or not all(map(DECIMAL.fullmatch, given)):
        return table, ()
    if not sign and all(map(THOUSANDS.fullmatch, commas)):
        problem = "a comma that may separate decimals or thousands"
        row = int(table.frame[column].isin(commas).to_numpy().argmax())
        raise table.error(
            problem, row, column, "`decimal: ','` or '.' in a campaign.yaml"
        )
    points = table.frame[column].astype(str)
    points = points.where(~points.isin(commas), points.str.replace(",", "."))
    said = ("sign before decimals", ",", "" if sign else "the data")
    return replace(
        table, frame=table.frame.assign(**{column: points.astype("category")})
    ), (said,)


def _without(
    table: Table, column: str, words: Collection[str]
) -> tuple[Table, Said]:
    """The table with scores that are words for nothing (``k. A.``) made empty; and their counts.

    Raises DataError for a word that no score has.
    """
    cells = table.frame[column].astype(str)
    plain_words = {word.strip().lower(): word for word in words}
    held = cells.str.lower().map(plain_words)
    often = held.value_counts()
    for word in (word for word in plain_words.values() if word not in often):
        there = "cells of the column of scores"
        raise DataError(
            "no such word among the scores",
            value=word,
            column=column,
            expected=there,
        )
    said = tuple(
        (f"no score: {word}", f"{often[word]} cells", "")
        for word in often.index
    )
    empty = cells.where(held.isna(), "").astype("category")
    return replace(table, frame=table.frame.assign(**{column: empty})), said


def is_number(cell: str) -> bool:
    """Whether a cell is a number, perhaps with a decimal comma."""
    return bool(DECIMAL.fullmatch(cell)) or tables.is_number(cell)


def is_score(cell: str) -> bool:
    """Whether a cell may be a score: a number, per cent, or true or false."""
    return (
        is_number(cell)
        or bool(PER_CENT.fullmatch(cell))
        or cell.lower() in TRUTH
    )


def words_among(cells: pd.Series) -> pd.Series:
    """The words among scores, which are no numbers and not of `MISSING`, and how often each is."""
    often = cells.astype(str).value_counts()
    is_word = [
        not (is_score(cell) or cell.lower() in MISSING) for cell in often.index
    ]
    return often[is_word]


def people(
    accounts: pd.Series, said: Mapping[str, Sequence[str]], file: Path
) -> pd.Series:
    """The annotator of each account; `said` maps annotators to patterns (``sggdeu08*``) of theirs.

    Raises DataError (naming `file`) if an account fits no annotator, or several.
    """
    of = {}
    for account in accounts.unique():
        fit = [
            who
            for who, those in said.items()
            if any(fnmatchcase(account, p) for p in those)
        ]
        if len(fit) != 1:
            problem = f"an account of {'several annotators' if fit else 'no annotator'}"
            expected = (
                "one entry of `annotator:` in campaign.yaml that fits it"
            )
            raise DataError(
                problem, file=file, value=account, expected=expected
            )
        of[account] = fit[0]
    return accounts.map(of)


def asked_of(accounts: Collection[str]) -> list[tuple[str, str, str]]:
    """A note for `long.reading` on accounts that Appraise named (``engdeu5a01``); else empty."""
    made = [ACCOUNT.match(account) for account in sorted(set(accounts))]
    known = [m and {m[1], m[2]} & set(languages.LANGUAGES) for m in made]
    if len(made) < 2 or not all(known):
        return []
    joins = "annotators.tsv, or annotator: in campaign.yaml, joins them"
    value = f"{len(made)} accounts may be fewer people; {joins}"
    return [("accounts", value, "their names")]


def with_pair(judged: Judged, settings: Mapping[str, Any]) -> Judged:
    """`judged` with the pair of campaign.yaml, of the file's name, or else a placeholder.

    Unchanged if a column names the pair.
    """
    if "pair" in judged.names:
        return judged
    if settings.get("pair"):
        return replace(
            judged, pair=settings["pair"], pair_from="campaign.yaml"
        )
    named = languages.pair_in(judged.table.path)
    source = (
        "the file's name"
        if named
        else "a placeholder: no column, name or setting says it"
    )
    return replace(
        judged, pair=named or languages.PLACEHOLDER, pair_from=source
    )
