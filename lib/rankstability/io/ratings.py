"""Ratings from a table with one row per judgment: its checks, and the judgments that it becomes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import Judgments
from .columns import ITEM_TYPES, is_number
from .decimals import read_decimal_commas
from .each import refuse_criteria, refuse_languages, refuse_undeclared, split_rows
from .names import (
    MISSING,
    as_categories,
    check_declared,
    declared_facts,
    name_nobody,
    name_segments,
    read_names,
    refuse_alike,
    refuse_empty,
    refuse_labels,
    refuse_segments_alike,
    refuse_totals,
)
from .notes import MAX_LISTED, Notes, list_unused, note_other_scales, note_repeats
from .propose import word_scale

KEYS = ("system", "segment", "annotator", "document", "criterion", "pair")
LOWER = re.compile(
    r"(?i)(^|[^a-z])(rank|ranking|position|wer|cer|ter|per|mer|error|errors|err|penalty|penalties|loss|edits?"
    r"|edit.?distance|perplexity|ppl|rmse|mae|mse|latency|hter|mistakes?|nll|log.?loss|fid|mcd|rtf|eer|cost|minor|major|critical)s?"
    r"([^a-z]|$)|1 ?= ?best|lower.is.better|↓"
)
TRUE_OR_FALSE = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
STRAYS = (-1.0, -9.0, -99.0, -999.0, 99.0, 999.0, 9999.0)  # usual codes for no score
MIN_RANKS = 3  # ranks that are told from ratings
MIN_RANKINGS = 3  # rankings that are told from ratings


def build_ratings(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    given: dict[str, Any],
    notes: Notes,
    source: str,
    found: Mapping[str, str],
) -> Any:
    """Return ratings from one row per judgment; by pair or by ``each`` if there are several."""
    names = ("system", "segment", "annotator", "document", "domain", "criterion", "hit", "pair")
    codes = given.get("codes", {})
    table = read_names(table, names, codes, given, notes, found)
    table["score"] = read_decimal_commas(table["score"], given, notes, found["score"])
    table["score"] = read_scores(table["score"], codes, found["score"])
    refuse_empty(table, ("system", "segment", "document"), found)
    refuse_totals(table, ("system", "annotator", "segment"), given, found)
    refuse_alike(table, ("system", "annotator", "document", "domain", "criterion"), given)
    refuse_segments_alike(table, given)
    refuse_labels(table, given, found)
    refuse_strays(table["score"], given, found["score"])
    table = name_segments(table, notes)
    for name in _names_of_score(found["score"], given):
        _check_direction(name, given)
    _refuse_mixed_directions(table, given)
    _refuse_ranks_in_columns(table, given)
    table = name_nobody(table, notes)
    scored = table["score"].notna()
    notes.leave_out("no_score", int((~scored).sum()))
    if not scored.any():
        raise DataError("no_judgments")
    table, unused = table[scored].reset_index(drop=True), unused[scored].reset_index(drop=True)
    refuse_criteria(table, given)
    refuse_undeclared(table, unused, KEYS, given)
    refuse_languages(unused, given, False)
    _check_item_types(table, found)
    list_unused(unused, notes, given)
    for word, role in (("controls", "system"), ("humans", "system"), ("models", "annotator")):
        check_declared(table, given, word, role)
    split = split_rows(table, unused, given, notes)
    if split is not None:
        return {
            name: _ratings(
                table[rows].reset_index(drop=True),
                given,
                notes,
                source,
                name if key == "pair" else "",
                name,
            )
            for key, name, rows in split
        }
    return _ratings(table, given, notes, source)


def _ratings(
    table: pd.DataFrame,
    given: Mapping[str, Any],
    notes: Notes,
    source: str,
    pair: str = "",
    task: str = "",
) -> Judgments:
    """Return the judgments of one ranking."""
    notes = replace(notes, out=list(notes.out), kept=list(notes.kept))
    low, high = float(table["score"].min()), float(table["score"].max())
    scale = given.get("scale")
    if scale is not None and not np.isfinite(scale).all():
        shown = f"{scale[0]:g} {scale[1]:g}"
        raise DataError("bad_setting", column="scale", value=shown, expected="numbers")
    if scale is not None and (low < scale[0] or high > scale[1]):
        row = int(table.index[(table["score"] < scale[0]) | (table["score"] > scale[1])][0])
        value = float(table["score"].iloc[row])
        raise DataError(
            "score_outside_scale",
            row=row,
            value=value,
            expected=f"{scale[0]:g} to {scale[1]:g}",
        )
    if scale is None:
        notes.keep("scale_from_data", len(table), f"{low:g} to {high:g}")
        scale = (low, high) if low < high else None
    note_other_scales(table, notes)
    note_repeats(table, notes)
    if pair == "" and "pair" in table and table["pair"].nunique() == 1:
        pair = str(table["pair"].iloc[0])
    table = table.drop(columns=[name for name in ("pair",) if name in table])
    units = {"annotator", "document", "hit"} & set(table.columns)
    units = {name for name in units if (table[name] != "").any()}
    columns = {}
    for name in table.columns:
        if name in ("score", "time"):
            columns[name] = pd.to_numeric(table[name], errors="coerce").astype(float)
        else:
            columns[name] = as_categories(table[name])
    lower = bool(given.get("lower_is_better"))
    made = Judgments(
        table=pd.DataFrame(columns),
        kind="ratings" if units else "leaderboard",
        pair=pair,
        task="" if task == pair else task,
        year=int(given.get("year", 0)),
        scale=scale,
        lower_is_better=lower,
        **declared_facts(table, given, source),
        **notes.frames(),
    )
    if len(made.systems) < 2:
        raise DataError("too_few_systems", value=", ".join(made.systems) or None)
    return made


def _check_item_types(table: pd.DataFrame, found: Mapping[str, str]) -> None:
    """Write item types as WMT does, in place; refuse others."""
    if "item_type" not in table:
        return
    types = table["item_type"].astype(str).str.strip().str.upper().map(ITEM_TYPES)
    wrong = np.flatnonzero(types.isna())
    if len(wrong):
        raise DataError(
            "unknown_word", row=int(wrong[0]), column=found["item_type"],
            value=table["item_type"].iloc[wrong[0]], expected=", ".join(filter(None, ITEM_TYPES)),
        )  # fmt: skip
    table["item_type"] = types


def read_scores(cells: pd.Series, codes: Mapping[str, str], name: str) -> pd.Series:
    """Return scores as numbers; NaN where a cell says that there is none.

    Raises DataError with the row for a cell that is no number.
    """
    text = cells.astype(str).str.strip()
    words = {key: value for key, value in codes.items() if is_number(value)}
    if words:
        text = text.replace(words)
    codes_of, names = pd.factorize(text)
    numbers = np.array(pd.to_numeric(pd.Series(names), errors="coerce"), float)
    lowered = [str(value).lower() for value in names]
    known = [value for value in lowered if value not in MISSING]
    if all(value in ("true", "false", "0", "1") for value in known):
        numbers = np.array([TRUE_OR_FALSE.get(value, np.nan) for value in lowered])
    if all(value.endswith("%") and is_number(value[:-1]) for value in known):
        numbers = np.array([float(v[:-1]) if v.endswith("%") else np.nan for v in lowered])
    wrong = np.array([value not in MISSING for value in lowered], bool) & ~np.isfinite(numbers)
    if wrong.any():
        row = int(np.flatnonzero(wrong[codes_of])[0])
        bad = [str(value) for value in np.array(names, dtype=object)[wrong]]
        scale = word_scale(bad)
        proposed: list[dict[str, Any]] = [{"codes": scale}] if scale else []
        if len(bad) <= MAX_LISTED and np.isfinite(numbers).sum() > len(bad):
            proposed.append({"where": {f"{name}!": bad}})
        raise DataError(
            "not_a_number", row=row, column=name,
            value=", ".join(bad[:MAX_LISTED]), expected="a number, or --codes 'WORD=NUMBER'",
            propose=proposed,
        )  # fmt: skip
    return pd.Series(np.where(codes_of >= 0, numbers[codes_of], np.nan), index=cells.index)


def refuse_strays(scores: pd.Series, given: Mapping[str, Any], column: str) -> None:
    """Refuse a value such as -1 or 999 that lies far from all other scores."""
    if "scale" in given:
        return
    known = scores[scores.notna()]
    values, counts = np.unique(known.to_numpy(float), return_counts=True)
    for value in STRAYS:
        at = np.flatnonzero(values == value)
        if not len(at) or at[0] not in (0, len(values) - 1) or len(values) < 3:
            continue
        rest = np.delete(values, at[0])
        span = rest[-1] - rest[0]
        gap = rest[0] - value if value < rest[0] else value - rest[-1]
        whole = bool((rest == np.rint(rest)).all())
        far = gap > span or (value == -1 and rest[0] >= 0 and whole)
        if far and counts[at[0]] <= len(known) / 5:
            keep = (float(values[0]), float(values[-1]))
            raise DataError(
                "stray_scores", row=int((scores == value).to_numpy().argmax()),
                column=column, value=f"{value:g} ({counts[at[0]]} times)",
                expected=f"{rest[0]:g} to {rest[-1]:g}, as all other scores",
                alternatives=[{"where": {f"{column}!": f"{value:g}"}}, {"scale": keep}],
            )  # fmt: skip


def _names_of_score(column: str, given: Mapping[str, Any]) -> list[str]:
    """Return the names that could say what the score is: of its column, pattern, or all columns."""
    columns = [str(name) for name in (*given.get("wide", ()), *given.get("criteria", ()))]
    of_all = columns[:1] if columns and all(map(_is_lower_better, columns)) else []
    patterns = [str(text) for text in given.values() if "{score}" in str(text)]
    return [column, str(given.get("score", "")), *patterns, *of_all]


def _is_lower_better(name: str) -> bool:
    """Return whether a name suggests that lower scores are better."""
    return bool(LOWER.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)))


def _has_direction(given: Mapping[str, Any]) -> bool:
    """Return whether the direction of the scores is declared."""
    return "lower_is_better" in given or "higher_is_better" in given


def _check_direction(column: str, given: Mapping[str, Any]) -> None:
    """Ask for the direction where the name of the score suggests that lower is better."""
    if _is_lower_better(column) and not _has_direction(given):
        raise DataError(
            "direction",
            column=column,
            alternatives=[{"lower_is_better": True}, {"higher_is_better": True}],
        )


def _refuse_mixed_directions(table: pd.DataFrame, given: Mapping[str, Any]) -> None:
    """Ask for the direction where the names of only some criteria or items suggest lower is better."""
    if _has_direction(given):
        return
    word = "items" if "items" in given else "criteria"
    names = [str(name) for name in given.get(word, ())]
    if not names and "criterion" in table:
        names = sorted(set(table["criterion"].astype(str)))
    lower = [name for name in names if _is_lower_better(name)]
    others = [name for name in names if name not in lower]
    if not lower:
        return
    alternatives: list[dict[str, Any]] = [{"lower_is_better": True}, {"higher_is_better": True}]
    if word in given and others:
        alternatives = [
            _words_for(word, lower, given) | {"lower_is_better": True},
            _words_for(word, others, given) | {"higher_is_better": True},
        ]
    raise DataError(
        "mixed_directions",
        value=", ".join(lower[:MAX_LISTED]),
        alternatives=alternatives,
    )


def _words_for(word: str, names: list[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words that read only these criteria or items."""
    if word == "items" or len(names) > 1:
        return {word: names}
    each = {"each": None} if given.get("each") == "criterion" else {}
    return {word: None, "score": names[0], **each}


def _refuse_ranks_in_columns(table: pd.DataFrame, given: Mapping[str, Any]) -> None:
    """Ask for the direction where the scores of one annotator on each segment are the ranks 1 to n."""
    scored = table[table["score"].notna()]
    if _has_direction(given) or scored["score"].min() != 1 or scored["score"].max() < MIN_RANKS:
        return
    keys = ("segment", "annotator", "document", "domain", "criterion", "hit", "pair")
    groups = scored.groupby([name for name in keys if name in scored], sort=False)["score"]
    found = groups.agg(["size", "nunique", "min", "max"])
    ranks = (
        (found["min"] == 1) & (found["max"] == found["size"]) & (found["nunique"] == found["size"])
    )
    whole = (scored["score"] == np.rint(scored["score"])).all()
    if len(found) >= MIN_RANKINGS and ranks.all() and whole:
        raise DataError(
            "ranks_in_columns", value=f"1 to {found['size'].max()}",
            alternatives=[{"lower_is_better": True}, {"higher_is_better": True}],
        )  # fmt: skip
