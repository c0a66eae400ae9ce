"""What the cells of tables of judgments may hold; each distinct text is tested once.

Files and frames are checked by the same functions. Structure (packing, encoding, columns per line)
is checked by the readers themselves.
"""

import datetime as dt
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .errors import DataError

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
LONGEST = 1000  # characters of an id (joined ids of WMT18 have up to 300)
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
NOTHING = (
    "",
    "NA",
    "N/A",
    "n/a",
    "<NA>",
    "NaN",
    "nan",
    "null",
    "NULL",
    "None",
    "none",
)
SHEET_ERRORS = (
    "#N/A",
    "#NV",
    "#REF!",
    "#VALUE!",
    "#NAME?",
    "#DIV/0!",
    "#NULL!",
    "#NUM!",
    "#GETTING_DATA",
)
LISTED = re.compile(  # a list or an object, as Python, JSON or YAML has it; not "[deleted]"
    r"\[(\W.*|\d.*|.*,.*|None|True|False|nan)?\]|\{(.*[,:].*)?\}", re.DOTALL
)
BYTES = re.compile(r"""b(['"]).*\1""")
MOMENT = "not text: "  # before dates and times that a table has as such


@dataclass(frozen=True)
class Column:
    """What the cells of a column should hold, and what is wrong with one (empty: nothing)."""

    expected: str
    problem: Callable[
        [str, float], str
    ]  # from a cell's text and its number (NaN: not one)
    is_number: bool = False


def validate(
    frame: pd.DataFrame,
    columns: Mapping[str, Column],
    once: Sequence[str] = (),
    again: str = "",
) -> pd.DataFrame:
    """`frame` (text as it was written) with its columns of numbers as float64.

    `again` is the problem of rows that repeat the values of the columns `once`. Raises DataError
    for the first wrong value (in the first row, then the first column), with the label of its row
    and the number of further ones; readers of files put the file and the line in its place.
    """
    out = frame.copy(deep=False)
    problems = {}
    for name, column in columns.items():
        values = frame[name].astype("category").cat
        codes = values.codes.to_numpy()
        texts = pd.Series(values.categories, dtype=object)
        numbers = np.full(len(texts), np.nan)
        if column.is_number:
            numbers = pd.to_numeric(texts, errors="coerce").to_numpy(float)
            out[name] = numbers[codes]
        found = [
            column.problem(*both) for both in zip(texts, numbers, strict=True)
        ]
        if any(found):
            problems[name] = np.array(found, dtype=object)[codes]
    if once and (repeats := frame.duplicated(list(once)).to_numpy()).any():
        last = once[-1]
        problems[last] = np.where(repeats, again, problems.get(last, ""))
    told = pd.DataFrame(problems, dtype=object)
    told = told[[name for name in frame if name in told]]
    wrong = np.argwhere(told.to_numpy(bool))  # row by row
    for row, place in wrong[:1]:
        name = told.columns[place]
        problem = told[name].iloc[row]
        expected = "each once" if problem == again else columns[name].expected
        more = f" ({len(wrong) - 1} more wrong)" if len(wrong) > 1 else ""
        raise DataError(
            problem,
            row=frame.index[row],
            column=name,
            value=str(frame[name].iloc[row]),
            expected=expected + more,
        )
    return out


def text(
    expected: str, tests: Mapping[str, Callable[[str], object]]
) -> Column:
    """A column of text that must pass all `tests`, each keyed by the problem if it fails."""

    def problem(written: str, number: float) -> str:
        return next(
            (problem for problem, test in tests.items() if not test(written)),
            "",
        )

    return Column(expected, problem)


def as_text(value: Any) -> str:
    """A value as text: None and NaN as empty, 3.0 as ``3``, lists and objects as in Python.

    Before a date, a time or a duration stands `MOMENT`, so that it is no id.
    """
    if isinstance(value, str):
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            return ""
        whole = math.isfinite(value) and value == int(value)
        return str(int(value)) if whole else repr(float(value))
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return f"{MOMENT}{value}"
    return str(value)


def one_of(known: Collection[str], what: str) -> Column:
    """A column of text from `known`; any other is reported as an unknown `what`."""
    expected = "one of " + ", ".join(known)
    return text(expected, {f"unknown {what}": lambda text: text in known})


def ids(*names: str, missing: Collection[str] = NOTHING) -> dict[str, Column]:
    """Columns of ids, which must not be one of `missing`."""
    tests: dict[str, Callable[[str], object]] = {
        "empty id": lambda text: text.strip() not in missing,
        "an error of a spreadsheet": lambda text: text not in SHEET_ERRORS,
        "too long for an id": lambda text: len(text) <= LONGEST,
        "a line break or control character in an id": lambda text: (
            not CONTROL.search(text)
        ),
        "a stray quotation mark in an id": lambda text: (
            text.count('"') % 2 == 0
        ),
        "not a single value": lambda text: not LISTED.fullmatch(text),
        "a Python bytes literal": lambda text: not BYTES.fullmatch(text),
    }
    expected = f"an id, at most {LONGEST} characters"
    return {name: text(expected, tests | _no_name(name)) for name in names}


def loose(*names: str) -> dict[str, Column]:
    """Columns of ids that may hold anything else, or nothing, but no dates and truths."""
    return {name: text("an id as text", _no_name(name)) for name in names}


def _no_name(column: str) -> dict[str, Callable[[str], object]]:
    """The tests for what spreadsheets make of ids such as 3-4, 1:2 and TRUE.

    A domain may well be true or false.
    """
    tests: dict[str, Callable[[str], object]] = {
        "a date or time, perhaps made of an id by a spreadsheet": lambda text: (
            not text.startswith(MOMENT)
        ),
    }
    if column != "domain":
        tests["true or false, perhaps made of an id by a spreadsheet"] = (
            lambda text: text not in ("True", "False")
        )
    return tests


def number(
    expected: str,
    low: float = -np.inf,
    high: float = np.inf,
    whole: str = "",
    but: float = np.nan,
) -> Column:
    """A column of finite numbers in [low, high], other than `but`.

    With `whole`, they must be integers; it is the problem if one is not.
    """

    def problem(written: str, number: float) -> str:
        if not math.isfinite(number) or (
            whole and not INTEGER.fullmatch(written)
        ):
            return whole or "not a number"
        return (
            "" if low <= number <= high and number != but else "out of range"
        )

    return Column(expected, problem, is_number=True)


def count(low: int = 1, problem: str = "not an integer") -> Column:
    """A column of integers that are at least `low`."""
    return number(f"an integer, at least {low}", low, whole=problem)


SCORE = number("a number from 0 to 100", 0, 100)


def judgments(types: Collection[str]) -> dict[str, Column]:
    """The columns of direct assessment: worker, system, segment, type (of `types`), score."""
    columns = ids("worker", "system", "segment") | {
        "type": one_of(types, "type")
    }
    return columns | {"score": SCORE}


def languages(pattern: str) -> dict[str, Column]:
    """The columns source and target: language codes that match `pattern` in full."""
    column = text(
        "a code such as cs",
        {"not a language code": re.compile(pattern).fullmatch},
    )
    return {"source": column, "target": column}
