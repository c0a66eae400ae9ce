"""Judgments of each value of a column, such as a domain: one ranking for each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..errors import DataError
from ..judgments import Judgments
from .columns import list_columns, spelled
from .names import visible
from .notes import Notes

ALSO = {"category": "domain"}  # names in files of the field
PAIR_NAMES = (
    "langpair", "languagepair", "lp", "langs", "languages", "srclang", "srclanguage", "sourcelang",
    "sourcelanguage", "tgtlang", "tgtlanguage", "trglang", "trglanguage", "targetlang", "targetlanguage",
)  # fmt: skip
LANGUAGE_NAMES = ("language", "lang", "locale")
SIDE_NAMES = ("src", "tgt", "trg", "source", "target")  # texts, or codes of languages
LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z]{2,4})?")
MAX_RANKINGS = 200  # of ``each``
RATING = ("system", "document", "segment", "annotator")
MARKS = {"true", "false"}


def split_judgments(
    result: Judgments | Mapping[str, Judgments], column: str
) -> dict[str, Judgments]:
    """Return the judgments of each value of a column; of several pairs, ``pair, value``.

    Raises
    ------
    DataError
        ``no_such_column``.
    """
    if not isinstance(result, Judgments):
        return {
            f"{pair}, {value}": part
            for pair, judgments in result.items()
            for value, part in split_judgments(judgments, column).items()
        }
    table = result.table
    names = {spelled(str(name)): str(name) for name in table.columns}
    name = names.get(spelled(column)) or names.get(ALSO.get(spelled(column), ""))
    if name is None or name in ("score", "winner"):
        raise DataError("no_such_column", column="each", value=column, known=table.columns)
    values = sorted(str(value) for value in table[name].dropna().unique())
    return {value: _part(result, name, value) for value in values}


def _part(judgments: Judgments, column: str, value: str) -> Judgments:
    """Return the judgments whose column has this value."""

    def rows_of(frame: pd.DataFrame | None) -> pd.DataFrame | None:
        if frame is None:
            return None
        if column in frame:
            return _selected(frame, (frame[column].astype(str) == value).to_numpy(bool))
        keys = [name for name in RATING if name in frame and name in judgments.table]
        rated = pd.MultiIndex.from_frame(kept[keys].astype(str))
        here = pd.MultiIndex.from_frame(frame[keys].astype(str))
        return _selected(frame, here.isin(rated))

    kept = _selected(judgments.table, (judgments.table[column].astype(str) == value).to_numpy(bool))
    declared: dict[str, Any] = {**judgments.declared, "each": column}
    return replace(
        judgments,
        table=kept,
        all_rows=rows_of(judgments.all_rows),
        errors=rows_of(judgments.errors),
        task=" ".join(filter(None, (judgments.task, value))),
        declared=declared,
    )


def _selected(frame: pd.DataFrame, rows: Any) -> pd.DataFrame:
    """Return rows of a frame, without categories that no longer occur."""
    part = frame[rows].reset_index(drop=True)
    for name in part.columns:
        if isinstance(part[name].dtype, pd.CategoricalDtype):
            part[name] = part[name].cat.remove_unused_categories()
    return part


def refuse_languages(unused: pd.DataFrame, given: Mapping[str, Any], votes: bool) -> None:
    """Refuse rows of several language pairs that would be ranked together.

    Votes in several languages are usual in arenas; their column is only listed.
    """
    declared = {spelled(name.removesuffix("!")) for name in given.get("where", {})}
    declared.add(spelled(given.get("each", "")))
    for name in map(str, unused.columns):
        values = [value for value in unused[name].map(str).unique() if value.strip()]
        if spelled(name) in declared or len(values) < 2:
            continue
        by_name = spelled(name) in PAIR_NAMES or (spelled(name) in LANGUAGE_NAMES and not votes)
        by_value = spelled(name) in SIDE_NAMES and all(map(LANGUAGE.fullmatch, values))
        if by_name or by_value:
            raise DataError(
                "several_languages", column=name, value=", ".join(values[:6]),
                alternatives=[{"each": name}, {"where": {name: values[0]}}],
            )  # fmt: skip


def refuse_criteria(table: pd.DataFrame, given: Mapping[str, Any]) -> None:
    """Refuse rows of several criteria that would be ranked together."""
    if "criterion" not in table or table["criterion"].nunique() < 2:
        return
    if given.get("each") == "criterion":
        return
    known = [str(name) for name in table["criterion"].unique()]
    raise DataError("several_criteria", value=", ".join(known[:6]), propose=[{"each": "criterion"}])


def refuse_undeclared(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    keys: Sequence[str],
    given: Mapping[str, Any],
) -> None:
    """Refuse a table whose rows of equal keys differ in an undeclared column, such as a criterion."""
    rows = table[[name for name in keys if name in table]]
    divided = spelled(given.get("each", ""))
    here = [name for name in unused.columns if spelled(str(name)) == divided]
    rows = pd.concat([rows, unused[here].map(str)], axis=1)
    repeated = rows.duplicated(keep=False)
    if not repeated.any():
        return
    names = list(rows.columns)
    groups = rows[repeated].groupby(names, observed=True, sort=False).ngroup()
    for name in (name for name in unused.columns if name not in here):
        values = unused.loc[repeated, name].map(str)
        number = values.nunique()
        if not 1 < number <= 30 or number >= len(values) / 3:
            continue
        if 2 * values.value_counts().median() < groups.nunique():
            continue  # the values are those of a few rows each, such as ids and times
        if values.groupby(groups).nunique().eq(values.groupby(groups).size()).mean() > 0.9:
            shown = ", ".join(values.unique()[:5])
            meanings: list[dict[str, Any]] = [{"criterion": str(name), "each": "criterion"}]
            if "annotator" not in rows:
                meanings.append({"annotator": str(name)})
            item = next((word for word in ("question", "segment") if word in given), "")
            if "[]" in str(name) and item and "document" not in given:  # the number within a list
                meanings = [{item: str(name), "document": given[item]}]
            elif set(values.str.lower()) <= MARKS:  # rows with a mark, such as test items
                meanings = [{"where": {str(name): value}} for value in sorted(values.unique())]
            elif item and "document" not in given:  # items can be numbered within documents
                meanings.append({"document": str(name)})
            raise DataError(
                "undeclared_column", column=str(name), value=shown,
                alternatives=meanings,
            )  # fmt: skip


def split_rows(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    given: Mapping[str, Any],
    notes: Notes,
) -> list[tuple[str, str, pd.Series]] | None:
    """Return the rows of each value of ``each``, or of each language pair; None if there is one."""
    each = given.get("each")
    if each is None:
        if "pair" in table and table["pair"].nunique() > 1:
            return [
                ("pair", str(name), table["pair"] == name)
                for name in sorted(table["pair"].unique())
            ]
        return None
    alike = {spelled(str(name)): name for name in (*unused.columns, *table.columns)}
    if spelled(each) not in alike:
        raise DataError(
            "no_such_column",
            column="each",
            value=each,
            expected=list_columns(pd.concat([table, unused], axis=1)),
        )
    name = alike[spelled(each)]
    column = (table[name] if name in table else unused[name]).map(str)
    values = column.map({value: visible(value) for value in column.unique()})
    named = values[values != ""]
    if named.empty or named.nunique() > MAX_RANKINGS:
        raise DataError("too_many_rankings", column="each", value=int(named.nunique()))
    notes.leave_out("no_value_of_each", int((values == "").sum()), str(name))
    return [(str(name), value, values == value) for value in named.unique()]
