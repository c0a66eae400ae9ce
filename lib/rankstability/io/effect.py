"""Declared words that could have no effect on what is read are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import DataError
from ..judgments import COMPARISON_KINDS
from .columns import is_number
from .declare import WORDS
from .names import visible
from .paths import ending_of
from .patterns import PLACEHOLDER, marked_role

OF_SCORES = (
    "system", "score", "wide", "criteria", "items", "annotators", "decimal", "lower_is_better",
    "higher_is_better", "scale", "year", "hit", "item_type", "time", "latest",
)  # fmt: skip
OF_COMPARISONS = (
    "left",
    "right",
    "winner",
    "loser",
    "tie",
    "chosen",
    "worst",
    "options",
    "outcome",
    "order",
)
OF_MQM = ("unmarked", "weights")
OF_FILES = ("files", "header", "skip_rows", "sheet", "sheets", "encoding")
SIDES = ("left", "right", "tie")
SHEET = ".xlsx"
WITHOUT_HEADER = (".json", ".jsonl", ".ndjson", ".parquet")
WITHOUT_ENCODING = (".parquet", SHEET)
REPLACED = {  # a word, and the words whose columns it supplies itself
    "wide": ("system",),
    "criteria": ("criterion",),
    "items": ("segment",),
    "annotators": ("annotator",),
    "outcome": ("winner",),
    "options": ("left", "right", "winner", "order", "loser"),
    "loser": ("left", "right", "outcome", "order"),
}


def refuse_without_effect(given: Mapping[str, Any], words: Iterable[str], kind: str) -> None:
    """Raise DataError ``word_without_effect`` for the first of these words that is given."""
    for word in words:
        if given.get(word) not in (None, False):
            raise DataError("word_without_effect", column=WORDS[word].option, kind=kind)


def check_words_of_table(given: Mapping[str, Any], votes: bool) -> None:
    """Refuse words that say nothing about a table of scores, or of comparisons."""
    kind = "tables of comparisons" if votes else "tables of scores"
    others = OF_SCORES if votes else OF_COMPARISONS
    if votes and {"left", "right"} <= set(PLACEHOLDER.findall(given.get("score", ""))):
        raise DataError(
            "word_without_effect", column="--score", kind=kind,
            propose=[{"score": None, "winner": given["score"].replace("{segment}", "{question}")}],
        )  # fmt: skip
    refuse_without_effect(given, others, kind)
    if "onehot" in given and marked_role(given["onehot"]) in others:
        refuse_without_effect(given, ("onehot",), kind)
    if "segment" in given and "question" in given:
        refuse_without_effect(given, ("segment" if votes else "question",), kind)


def check_words_of_shape(given: Mapping[str, Any]) -> None:
    """Refuse words of MQM in any declared table, and words that another word replaces."""
    refuse_without_effect(given, OF_MQM, "declared tables")
    for word, replaced in REPLACED.items():
        if word in given:
            refuse_without_effect(given, replaced, f"tables with {WORDS[word].option}")


def check_codes(codes: Mapping[str, str], cells: Iterable[pd.Series]) -> None:
    """Refuse codes of which none occurs in the cells, and single codes of names that do not occur.

    Codes for scores and winners can name values that nobody gave; a code for ties can stand alone.
    """
    if not codes or set(codes.values()) == {"tie"}:
        return
    found: set[str] = set()
    for column in cells:
        found.update(visible(str(value)) for value in column.dropna().unique())
    ranges = {key for key in codes if ".." in key}
    unknown = [key for key in codes if visible(key) not in found | ranges]
    names = [key for key in unknown if codes[key] not in SIDES and not is_number(codes[key])]
    wrong = unknown if len(unknown) == len(codes) else names
    if wrong:
        raise DataError("unknown_name", column="codes", value=wrong[0], known=sorted(found))


def check_words_of_file(given: Mapping[str, Any], path: Path) -> None:
    """Refuse words about the form of a file that has another form."""
    ending = ending_of(path)
    if ending != SHEET:
        refuse_without_effect(given, ("sheet",), f"{ending} files")
    if ending in WITHOUT_HEADER:
        refuse_without_effect(given, ("header", "skip_rows"), f"{ending} files")
    if ending in WITHOUT_ENCODING:
        refuse_without_effect(given, ("encoding",), f"{ending} files")


def check_words_of_kind(given: Mapping[str, Any], kind: str) -> None:
    """Refuse words that say nothing about judgments of a format of the field."""
    name = kind.replace("_", " ")
    if kind in COMPARISON_KINDS:
        refuse_without_effect(given, ("scale", "year"), name)
    if kind != "votes":
        refuse_without_effect(given, ("order",), name)
