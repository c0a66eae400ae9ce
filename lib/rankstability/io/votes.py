"""Comparisons from a table with one row each: their checks, and the votes that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import Judgments
from .columns import TRUTH, is_number, list_columns, spelled
from .each import refuse_criteria, refuse_languages, refuse_undeclared, split_rows
from .names import (
    MISSING,
    MODEL,
    as_categories,
    check_declared,
    declared_facts,
    name_nobody,
    name_segments,
    read_names,
    refuse_alike,
    refuse_empty,
    refuse_totals,
)
from .notes import MAX_LISTED, Notes, list_unused
from .propose import propose_codes, question_columns

WINNERS = {
    "left": "left", "model_a": "left", "right": "right", "model_b": "right", "tie": "tie",
    "tie (bothbad)": "tie", "bothbad": "tie", "both_bad": "tie", "both bad": "tie", "draw": "tie",
}  # fmt: skip
KEYS = ("left", "right", "annotator", "question", "criterion", "pair")
BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad", "both bad")
MAX_WITH_ITSELF = 0.5  # of the comparisons; if more are, the columns are wrong
FLAGS = ("is_tie", "tie", "ties", "draw", "is_draw")


def build_votes(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    given: dict[str, Any],
    notes: Notes,
    source: str,
    found: Mapping[str, str],
) -> Any:
    """Return votes from one row per comparison; by ``each`` if it is given."""
    names = ("left", "right", "annotator", "question", "domain", "pair")
    codes = dict(given.get("codes", {}))
    sides = {"left", "right", "tie"}
    joined = {k: v for k, v in codes.items() if v not in sides}
    table = read_names(table, names, joined, given, notes, found)
    refuse_flag_of_ties(unused)
    refuse_empty(table, ("left", "right"), found)
    same = table["left"] == table["right"]
    if same.mean() > MAX_WITH_ITSELF:
        row = int(same.to_numpy().argmax())
        raise DataError("model_against_itself", row=row, value=table["left"].iloc[row])
    notes.leave_out("with_itself", int(same.sum()))
    table, unused = table[~same].reset_index(drop=True), unused[~same].reset_index(drop=True)
    both = pd.DataFrame({"system": pd.concat([table["left"], table["right"]])})
    refuse_totals(both, ("system",), given)
    refuse_alike(both, ("system",), given)
    refuse_alike(table, ("annotator", "domain"), given)
    table = name_segments(table, notes, "question")
    table = name_nobody(table, notes)
    need_question(table, unused, given)
    refuse_codes_as_names(table["winner"], table["left"], table["right"], codes)
    table["winner"], bad = read_winners(table, {k: v for k, v in codes.items() if v in sides})
    if bad.any():
        table["both_bad"] = bad
        notes.keep("both_bad", int(bad.sum()))
    judged = table["winner"] != ""
    notes.leave_out("no_winner", int((~judged).sum()))
    if not judged.any():
        raise DataError("no_judgments")
    table, unused = table[judged].reset_index(drop=True), unused[judged].reset_index(drop=True)
    if table["winner"].eq("tie").all():
        raise DataError("only_ties")
    _refuse_known_models(unused)
    refuse_mixed_votes(table, unused, given)
    list_unused(unused, notes, given)
    if "question" in table:
        notes.keep("identical_rows", int(table.duplicated().sum()))
        notes.keep("both_orders", count_both_orders(table) if given.get("order") is None else 0)
    check_declared(table, given, "models", "annotator")
    for word in ("controls", "humans"):
        check_declared(both, given, word, "system")
    split = split_rows(table, unused, given, notes)
    if split is not None:
        return {
            name: _votes(table[rows].reset_index(drop=True), given, notes, source, name)
            for _, name, rows in split
        }
    return _votes(table, given, notes, source)


def refuse_mixed_votes(table: pd.DataFrame, unused: pd.DataFrame, given: Mapping[str, Any]) -> None:
    """Refuse votes of several criteria or languages, or that differ in an undeclared column."""
    refuse_criteria(table, given)
    if "question" in table and "annotator" in table:
        named = [name for name in unused.columns if spelled(str(name)) in table]
        refuse_undeclared(table, unused.drop(columns=named), KEYS, given)
    refuse_languages(unused, given, True)


def _votes(
    table: pd.DataFrame,
    given: Mapping[str, Any],
    notes: Notes,
    source: str,
    task: str = "",
) -> Judgments:
    """Return the votes of one ranking."""
    columns = {}
    for name in table.columns:
        if name == "both_bad":
            columns[name] = table[name].astype(bool)
        elif name != "pair":
            columns[name] = as_categories(table[name])
    return Judgments(
        table=pd.DataFrame(columns),
        kind="votes",
        task=task,
        order_known=given.get("order") != "unknown",
        **declared_facts(table, given, source),
        **notes.frames(),
    )


def read_winners(table: pd.DataFrame, codes: Mapping[str, str]) -> tuple[pd.Series, pd.Series]:
    """Return the winner of each comparison (left, right, tie or empty), and whether both were bad.

    Codes that cannot mean anything else, and the names of the two systems, need no declaration.
    Unknown values are refused with their counts.
    """
    text = table["winner"].astype(str).str.strip().astype(object)
    exact = {key: side for key, side in codes.items() if ".." not in key}
    ranges = [(key, side) for key, side in codes.items() if ".." in key]
    unique = list(text.unique())
    meaning: dict[str, str] = {}
    for value in unique:
        if value in exact:
            meaning[value] = exact[value]
        elif _in_ranges(value, ranges):
            meaning[value] = _in_ranges(value, ranges)
        elif value.lower() in WINNERS:
            meaning[value] = WINNERS[value.lower()]
        elif value.lower() in MISSING:
            meaning[value] = ""
    winner = text.map(meaning)
    by_name = winner.isna()
    winner = winner.where(~(by_name & (text == table["left"])), "left")
    winner = winner.where(~(by_name & (text == table["right"])), "right")
    unknown = text[winner.isna()]
    if len(unknown):
        counts = unknown.value_counts()
        shown = ", ".join(f"{value} ({count})" for value, count in counts.head(8).items())
        systems = {str(name) for side in ("left", "right") for name in table[side].unique()}
        known = {value: side for value, side in meaning.items() if side in ("left", "right", "tie")}
        raise DataError(
            "unknown_winner", column="winner", value=shown,
            expected="--codes VALUE=left VALUE=right VALUE=tie",
            alternatives=propose_codes([str(value) for value in counts.index], known, systems),
        )  # fmt: skip
    return winner, text.str.lower().isin(BOTH_BAD)


def refuse_codes_as_names(
    winner: pd.Series,
    left: pd.Series,
    right: pd.Series,
    codes: Mapping[str, str] | None = None,
) -> None:
    """Refuse a value of ``winner`` that is a usual code and also the name of a system."""
    names = {str(name).strip().lower() for name in (*left.unique(), *right.unique())}
    for value in map(str, winner.unique()):
        plain = value.strip().lower()
        if plain in names and plain in WINNERS and value.strip() not in (codes or {}):
            raise DataError(
                "code_is_a_system", column="winner", value=value.strip(),
                propose=[{"codes": {value.strip(): WINNERS[plain]}}],
            )  # fmt: skip


def _in_ranges(value: str, ranges: Sequence[tuple[str, str]]) -> str:
    """Return the side of the first range that holds a number; empty if none does."""
    if not is_number(value):
        return ""
    for key, side in ranges:
        low, _, high = key.partition("..")
        if is_number(low) and is_number(high) and float(low) <= float(value) <= float(high):
            return side
    return ""


def _refuse_known_models(unused: pd.DataFrame) -> None:
    """Refuse votes of which some were given by people who knew the models (``anony`` false)."""
    if "anony" not in unused:
        return
    cells = unused["anony"].astype(str).str.strip()
    known = [str(value) for value in cells.unique() if TRUTH.get(value.lower()) is False]
    known = [value for value in known if value]
    if known:
        raise DataError(
            "models_known", column="anony", value=", ".join(known),
            propose=[{"where": {"anony!": known if len(known) > 1 else known[0]}}],
        )  # fmt: skip


def count_both_orders(table: pd.DataFrame) -> int:
    """Return how many games, of an annotator, question and two systems, were shown in both orders."""
    names = pd.factorize(pd.concat([table["left"], table["right"]]))[0].astype(np.int64)
    left, right = names[: len(table)], names[len(table) :]
    systems = int(names.max()) + 1
    game = np.zeros(len(table), np.int64)
    for name in ("annotator", "question"):
        if name in table:
            codes = pd.factorize(table[name])[0].astype(np.int64) + 1
            game = pd.factorize(game * (int(codes.max()) + 1) + codes)[0].astype(np.int64)
    shown = np.sort((game * systems + left) * systems + right)
    swapped = np.sort(((game * systems + right) * systems + left)[left < right])
    swapped = swapped[np.diff(swapped, prepend=-1) > 0]
    places = np.minimum(np.searchsorted(shown, swapped), len(shown) - 1)
    return int((shown[places] == swapped).sum())


def need_question(table: pd.DataFrame, unused: pd.DataFrame, given: Mapping[str, Any]) -> None:
    """Refuse votes of model judges alone that name no question, the only sampling unit they have."""
    if "annotator" not in table or "question" in table:
        return
    annotators = [str(name) for name in table["annotator"].unique() if name]
    models = given.get("models") or [name for name in annotators if MODEL.search(name)]
    if models and set(annotators) <= set(models):
        raise DataError(
            "question_needed", value=", ".join(list(models)[:MAX_LISTED]),
            expected=list_columns(unused) if len(unused.columns) else "a column of questions",
            propose=[{"question": name} for name in question_columns(unused)],
        )  # fmt: skip


def refuse_flag_of_ties(frame: pd.DataFrame) -> None:
    """Refuse a column that marks ties and is not declared."""
    for name in frame.columns:
        if spelled(str(name)) in [spelled(flag) for flag in FLAGS]:
            truth = frame[name].astype(str).str.strip().str.lower().map(TRUTH)
            if truth.notna().all() and truth.any():
                raise DataError(
                    "flag_of_ties", column=str(name), value=int(truth.sum()),
                    propose=[{"tie": str(name)}],
                )  # fmt: skip
