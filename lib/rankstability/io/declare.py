"""The words by which a user declares the shape and the names of a table.

The same words are options of the command line, keywords of `read`, `judgments` and `battles`, and
keys of ``campaign.yaml``. `WORDS` lists them; `check_words` checks types and names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, suggest

TEXT, FLAG, LIST, PAIRS, NUMBER, RANGE = "text", "flag", "list", "pairs", "number", "range"
ROWS, NO_ROWS = "rows", "none"
MAX_NUMBER = 1_000_000  # of a row, or a year
ROLES = (
    "system", "segment", "score", "annotator", "document", "domain", "criterion", "left", "right",
    "winner", "question", "chosen", "options", "pair", "hit", "item_type", "time",
)  # fmt: skip


@dataclass(frozen=True)
class Word:
    """One word: its name, what it takes, its group in the help, and its help.

    Attributes
    ----------
    kind : str
        ``text``, ``flag``, ``list``, ``pairs`` (name=value), ``number``, ``range`` (two numbers) or
        ``rows`` (a number of a row, several, or ``none``).
    allowed : tuple of str
        The values that it can have; empty: any.
    """

    name: str
    kind: str
    group: str
    help: str
    allowed: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option of the command line."""
        return "--" + self.name.replace("_", "-")


NAMES, SHAPE, MEANING = "names of columns", "shape of the table", "meaning of the values"
WORDS: dict[str, Word] = {
    word.name: word
    for word in (
        Word("system", TEXT, NAMES, "what was judged, such as a system, model or codec"),
        Word("segment", TEXT, NAMES, "what it was judged on, such as a sentence, item or trial"),
        Word("score", TEXT, NAMES, "the score"),
        Word("annotator", TEXT, NAMES, "the person or model that judged"),
        Word("document", TEXT, NAMES, "the document that a segment belongs to"),
        Word("domain", TEXT, NAMES, "the domain or category of a segment"),
        Word("criterion", TEXT, NAMES, "the criterion that was rated, such as fluency"),
        Word("left", TEXT, NAMES, "in comparisons, the system whose output was shown first"),
        Word("right", TEXT, NAMES, "in comparisons, the system whose output was shown second"),
        Word("winner", TEXT, NAMES, "in comparisons, which of the two outputs is better"),
        Word("question", TEXT, NAMES, "in comparisons, the prompt or source of both outputs"),
        Word("chosen", TEXT, NAMES, "in a choice among several outputs, the chosen one"),
        Word("options", TEXT, NAMES, "in a choice, all outputs; without --chosen, best first"),
        Word("worst", TEXT, NAMES, "in best-worst scaling, the output chosen as the worst"),
        Word("pair", TEXT, NAMES, "the language pair"),
        Word("hit", TEXT, NAMES, "the HIT (the task of an annotator)"),
        Word("item_type", TEXT, NAMES, "the type of a row: SYSTEM, REPEAT, REF or BAD_REF"),
        Word("time", TEXT, NAMES, "the number of seconds spent on a judgment"),
        Word("loser", TEXT, NAMES, "in comparisons, the loser, if --winner names systems"),
        Word("tie", TEXT, NAMES, "in comparisons, a column that is true for ties"),
        Word("files", TEXT, SHAPE, 'a pattern for the names of files, such as "{system}.csv"'),
        Word("split", PAIRS, SHAPE, 'a column that contains two names: COLUMN="{left}_{right}"'),
        Word("wide", LIST, SHAPE, "columns with scores, one for each system"),
        Word("criteria", LIST, SHAPE, "columns with scores, one for each criterion"),
        Word("items", LIST, SHAPE, "columns with scores, one for each item (segment)"),
        Word("annotators", LIST, SHAPE, "columns with scores, one for each annotator"),
        Word("outcome", PAIRS, SHAPE, "columns of 0 and 1: left=COLUMN right=COLUMN tie=COLUMN"),
        Word(
            "where",
            PAIRS,
            SHAPE,
            "rows to keep (COLUMN=VALUE) or to leave out (COLUMN!=VALUE)",
        ),
        Word("onehot", TEXT, SHAPE, 'columns of 0 and 1, one for each value: "rating_{score}"'),
        Word("header", ROWS, SHAPE, "the row with the column names (1 is the first), or none"),
        Word("skip_rows", NUMBER, SHAPE, "the number of rows below the header that are not data"),
        Word("sheet", TEXT, SHAPE, "the name of the sheet in a workbook"),
        Word("sheets", TEXT, SHAPE, 'a pattern for the names of sheets, such as "{annotator}"'),
        Word("fill_down", LIST, SHAPE, "columns in which an empty cell repeats the name above"),
        Word(
            "latest", TEXT, SHAPE, "a column of times; of repeated scores, only the latest counts"
        ),
        Word("encoding", TEXT, SHAPE, "the encoding of the text, such as cp1250 or shift_jis"),
        Word("decimal", TEXT, SHAPE, "the decimal mark of the scores, if it is a comma", (",",)),
        Word("codes", PAIRS, MEANING, "what values mean, as in A=left 1..3=left good=4 old=new"),
        Word(
            "lower_is_better",
            FLAG,
            MEANING,
            "lower scores are better, as with ranks and error rates",
        ),
        Word(
            "higher_is_better",
            FLAG,
            MEANING,
            "higher scores are better, whatever the name suggests",
        ),
        Word("scale", RANGE, MEANING, "the lowest and the highest possible score"),
        Word("controls", LIST, MEANING, "outputs of known quality, which are shown but not ranked"),
        Word("humans", LIST, MEANING, "systems that are human translations or references"),
        Word("models", LIST, MEANING, "annotators that are models"),
        Word("names", TEXT, MEANING, "keep names apart that are spelled almost alike", ("exact",)),
        Word(
            "unmarked",
            TEXT,
            MEANING,
            "in MQM, outputs without a row are error-free or not judged",
            ("clean", "missing"),
        ),
        Word("weights", TEXT, MEANING, "in MQM, the table of error weights, such as freitag2021"),
        Word(
            "order", TEXT, MEANING, "left is not known to be the output shown first", ("unknown",)
        ),
        Word("each", TEXT, MEANING, "a column; each of its values gets a ranking of its own"),
        Word("title", TEXT, MEANING, "the name of the data, shown as a title"),
        Word("year", NUMBER, MEANING, "the WMT year whose ranking procedure is used"),
    )
}


def check_words(words: Mapping[str, Any], file: str | None = None) -> dict[str, Any]:
    """Return the words with checked types; None and empty values are dropped.

    Raises
    ------
    DataError
        ``unknown_setting`` with the nearest name, or ``bad_setting`` for a value of another type.
    """
    checked: dict[str, Any] = {}
    for name, value in words.items():
        key = str(name).replace("-", "_")
        if key not in WORDS:
            raise DataError("unknown_setting", file=file, value=name, known=WORDS)
        if isinstance(value, np.ndarray | pd.Series | pd.Index):
            value = value.tolist()
        if value is None or value is False:
            continue
        if isinstance(value, str | Sequence | Mapping) and not value:
            continue
        checked[key] = _converted(WORDS[key], value, file)
    if checked.get("lower_is_better") and checked.get("higher_is_better"):
        raise DataError("two_directions", file=file)
    return checked


def _converted(word: Word, value: Any, file: str | None) -> Any:
    """Return a value as the word takes it."""
    wrong = DataError(
        "bad_setting", file=file, column=word.name, value=value, expected=_EXPECTED[word.kind]
    )
    right_type = isinstance(value, _TYPES[word.kind])
    parts = [*value, *value.values()] if isinstance(value, Mapping) else [value]
    inside = [each for part in parts for each in (part if _is_list(part) else [part])]
    if not right_type or not all(isinstance(each, SCALARS) for each in inside):
        raise wrong
    if word.kind == TEXT:
        text = str(value)
        if word.allowed and text not in word.allowed:
            allowed = " or ".join(word.allowed)
            raise DataError(
                "bad_setting", file=file, column=word.name, value=text, expected=allowed
            )
        return text
    if word.kind == FLAG:
        if str(value).lower() in ("true", "yes"):
            return True
        if str(value).lower() in ("false", "no"):
            return False
        raise wrong
    if word.kind == LIST:
        return [str(each) for each in value] if _is_list(value) else [str(value)]
    if word.kind == PAIRS:
        if (
            isinstance(value, Mapping)
            and word.name != "where"
            and any(map(_is_list, value.values()))
        ):
            raise wrong
        return _pairs(word, value, file)
    if word.kind == ROWS:
        return _rows(value, wrong)
    try:
        if word.kind == NUMBER:
            number = int(str(value))
            if not 0 <= number <= MAX_NUMBER:
                raise wrong
            return number
        parts = list(value) if _is_list(value) else str(value).split()
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    if not -math.inf < low < high < math.inf:
        raise wrong
    return (low, high)


_EXPECTED = {
    TEXT: "one name",
    FLAG: "true or false",
    LIST: "a list of names",
    PAIRS: "name=value",
    NUMBER: "a whole number",
    RANGE: "two numbers, the lower first",
    ROWS: "a whole number, several in order, or none",
}


SCALARS = (str, int, float, Path, np.integer, np.floating, np.bool_)
_TYPES: dict[str, tuple[type, ...]] = {
    TEXT: SCALARS,
    FLAG: SCALARS,
    LIST: (*SCALARS, Sequence, set, frozenset),
    PAIRS: (str, Sequence, Mapping),
    NUMBER: SCALARS,
    RANGE: (str, Sequence),
    ROWS: (*SCALARS, Sequence),
}


def _rows(value: Any, wrong: DataError) -> int | str | list[int]:
    """Return the number of a row, the numbers of several in order, or ``none``."""
    parts = list(value) if _is_list(value) else str(value).split()
    if [str(part) for part in parts] == [NO_ROWS]:
        return NO_ROWS
    try:
        numbers = [int(str(part)) for part in parts]
    except ValueError:
        raise wrong from None
    if not numbers or numbers != sorted(set(numbers)):
        raise wrong
    if numbers[0] < 1 or numbers[-1] > MAX_NUMBER:
        raise wrong
    return numbers[0] if len(numbers) == 1 else numbers


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)


def _pairs(word: Word, value: Any, file: str | None) -> dict[str, Any]:
    """Return pairs as a mapping: given as one, or as texts that are split at the last ``=``.

    Only ``where`` can name a column several times; its values are then a list.
    """
    if isinstance(value, Mapping):
        return {
            str(key): [str(part) for part in each]
            if word.name == "where" and _is_list(each) and len(each) > 1
            else str(each[0] if _is_list(each) and len(each) == 1 else each)
            for key, each in value.items()
        }
    pairs: dict[str, Any] = {}
    for each in value if _is_list(value) else [value]:
        name, equals, meaning = str(each).rpartition("=")
        if not equals or not name:
            raise DataError(
                "bad_setting", file=file, column=word.name, value=each, expected="name=value"
            )
        if name not in pairs:
            pairs[name] = meaning
        elif word.name == "where":
            before = pairs[name]
            pairs[name] = [*(before if isinstance(before, list) else [before]), meaning]
        else:
            raise DataError("setting_twice", file=file, column=word.option, value=name)
    return pairs


def parse_words(arguments: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Split the arguments of a command line into files and words.

    The file comes first, or after ``--``; the values of an option run to the next argument that
    begins with ``--``.

    >>> parse_words(["a.csv", "--codes", "1=left", "-1=right", "--lower-is-better"])
    (['a.csv'], {'codes': {'1': 'left', '-1': 'right'}, 'lower_is_better': True})
    """
    files: list[str] = []
    words: dict[str, list[str]] = {}
    current: list[str] | None = None
    for argument in arguments:
        if argument == "--":
            current = None
        elif argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            key = name.replace("-", "_")
            if key not in WORDS:
                nearest = suggest(key, WORDS)
                expected = WORDS[nearest].option if nearest else None
                raise DataError("unknown_option", value=argument, expected=expected)
            if key in words and WORDS[key].kind not in (LIST, PAIRS):
                raise DataError("option_twice", value=argument)
            current = words.setdefault(key, [])
            if equals:
                current.append(value)
        elif current is None:
            files.append(argument)
        else:
            current.append(argument)
    return files, check_words({key: _given(WORDS[key], values) for key, values in words.items()})


def _given(word: Word, values: list[str]) -> Any:
    """Return the values of one option as `check_words` takes them."""
    if word.kind == FLAG:
        if values:
            raise DataError("value_of_flag", value=" ".join(values), column=word.option)
        return True
    if values in ([], [""]):
        raise DataError("option_without_value", value=word.option)
    if word.kind in (LIST, PAIRS, RANGE, ROWS):
        return values
    if len(values) > 1:
        raise DataError("several_values", column=word.option, value=" ".join(values))
    return values[0]


def command_line(path: str, words: Mapping[str, Any], command: str = "read") -> str:
    """Return the command that reads a file with these words."""
    parts = ["rankstability", command, quoted(path)]
    for name, value in words.items():
        parts.append(WORDS[name].option)
        if value is True:
            continue
        if isinstance(value, Mapping):
            for key, given in value.items():
                values = given if isinstance(given, list) else [given]
                parts += [quoted(f"{key}={each}") for each in values]
        elif isinstance(value, (list, tuple)):
            parts += [
                quoted(number_text(each) if isinstance(each, float) else str(each))
                for each in value
            ]
        else:
            parts.append(quoted(str(value)))
    return " ".join(parts)


def python_line(function: str, words: Mapping[str, Any]) -> str:
    """Return the line of Python that reads a frame with these words."""
    return f"rs.{function}(" + ", ".join(["frame", *(f"{k}={v!r}" for k, v in words.items())]) + ")"


def merge_words(words: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words with changes: pairs are added, None removes a word, all else is replaced."""
    merged = dict(words)
    for name, value in changes.items():
        if value is None:
            merged.pop(name, None)
            continue
        if WORDS[name].kind == PAIRS:
            value = {**merged.get(name, {}), **value}
        merged[name] = value
    return check_words(merged)


def number_text(number: float) -> str:
    """Return a number with all its digits, and without a decimal point if it is whole.

    >>> number_text(100.0), number_text(1234567.5)
    ('100', '1234567.5')
    """
    text = repr(float(number))
    return text.removesuffix(".0")


def quoted(text: str) -> str:
    """Return a text as a shell takes it."""
    if re.fullmatch(r"[\w@%+=:,./-]+", text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
