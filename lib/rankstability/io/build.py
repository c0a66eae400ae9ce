"""From a text frame to judgments: one row per judgment, and the column of each role."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, about_file, suggest
from .choices import (
    VOTE_ROLES,
    compare_choices,
    compare_losers,
    join_columns,
    mark_ties,
    read_outcome,
    read_positions,
)
from .columns import ALSO, ITEM_TYPES, find_column, list_columns, spelled
from .declare import ROLES
from .effect import (
    check_codes,
    check_words_of_shape,
    check_words_of_table,
)
from .lists import expand_lists_of_patterns, explode_lists, list_steps, open_objects
from .notes import Notes
from .patterns import (
    PLACEHOLDER,
    WIDENED,
    expand_patterns,
    marked_role,
    read_onehot,
    split_columns,
    widen,
)
from .propose import missing_roles
from .ratings import build_ratings
from .rows import fill_down, latest_rows
from .votes import build_votes

SCORE_ROLES = ("system", "segment", "score")
NUMBERED = re.compile(r"\{n\}")


def build(
    frame: pd.DataFrame,
    given: dict[str, Any],
    source: str = "",
    file: str | None = None,
    votes: bool = False,
    whole: bool = True,
) -> Any:
    """Return the judgments of a text frame, declared by words; a refusal names the file.

    `whole` says that these are all rows, so that names that do not occur in them do not exist.
    """
    notes = Notes(file or source, separator=frame.attrs.get("separator", ""))
    with about_file(file):
        return _build(frame, given, notes, source, votes, whole)


def _build(
    frame: pd.DataFrame,
    given: dict[str, Any],
    notes: Notes,
    source: str,
    votes: bool,
    whole: bool,
) -> Any:
    """Return the judgments of a text frame, declared by words."""
    check_words_of_shape(given)
    given = _without_wrapper(given, frame.attrs.get("wrapper", ""))
    declared = given
    frame = frame.reset_index(drop=True)
    _note_file(frame, notes)
    frame = fill_down(frame, given.get("fill_down", ()), notes)
    late = _supplied(given)
    where = given.get("where", {})
    early = {name: value for name, value in where.items() if name.removesuffix("!") not in late}
    frame = _only_where(frame, early, notes)
    given = dict(given)
    frame, roles = _reshape(frame, given, notes)
    kind_votes = votes or _are_comparisons(frame, roles)
    check_words_of_table(declared, kind_votes)
    found = _find_roles(frame, roles, kind_votes)
    used = {name: role for role, name in found.items()}
    unused = [str(name) for name in frame.columns if name not in used]
    if "each" in given and given["each"] not in unused:
        given["each"] = used.get(given["each"], given["each"])
    table = pd.DataFrame({role: frame[name] for role, name in found.items()})
    if "latest" in given:
        when = frame[find_column(frame, given["latest"], "latest")]
        kept = latest_rows(table, when)
        notes.leave_out("earlier_score", int((~kept).sum()))
        table, frame = table[kept].reset_index(drop=True), frame[kept].reset_index(drop=True)
    if whole:
        check_codes(given.get("codes", {}), (table[role] for role in table))
    if kind_votes:
        return build_votes(table, frame[unused], given, notes, source, found)
    return build_ratings(table, frame[unused], given, notes, source, found)


def _without_wrapper(given: dict[str, Any], wrapper: str) -> dict[str, Any]:
    """Return the words with paths from the records of a file, not from the object around them.

    ``battles[].winner`` is then ``winner``.
    """

    def inner(value: Any) -> Any:
        if isinstance(value, str):
            return value.removeprefix(f"{wrapper}[].")
        if isinstance(value, list):
            return [inner(each) for each in value]
        if isinstance(value, dict):
            return {inner(key): each for key, each in value.items()}
        return value

    return {name: inner(value) for name, value in given.items()} if wrapper else given


def _note_file(frame: pd.DataFrame, notes: Notes) -> None:
    """Note what a file holds besides the rows that are read: hidden cells, other sheets and files."""
    about = frame.attrs
    notes.keep("hidden_rows", about.get("hidden_rows", 0))
    columns = about.get("hidden_columns", ())
    notes.keep("hidden_columns", len(columns), ", ".join(columns))
    notes.keep("sheets_read", len(frame) if about.get("sheet") else 0, about.get("sheet", ""))
    notes.keep("file_not_read", *about.get("unread", (0, "")))


def _are_comparisons(frame: pd.DataFrame, roles: Mapping[str, str]) -> bool:
    """Return whether a table holds comparisons: by declared roles, or by its exact columns."""
    if {"left", "right"} & set(roles):
        return True
    if "winner" in roles and not {"system", "score"} & set(roles):
        return True
    if {"system", "score"} & set(roles):
        return False
    columns = {spelled(str(name)) for name in frame.columns}
    sides = [{spelled(role), *map(spelled, ALSO[role])} & columns for role in ("left", "right")]
    return all(sides) and "winner" in columns


def _supplied(given: Mapping[str, Any]) -> set[str]:
    """Return the names in ``where`` that are columns only after the table is reshaped.

    These are paths into lists, and roles that patterns, lists of columns or ``split`` supply.
    """
    names = {name.removesuffix("!") for name in given.get("where", {})}
    texts = [given[name] for name in ROLES if name in given]
    texts += [*given.get("split", {}).values(), given.get("onehot", "")]
    roles = {key for text in texts for key in PLACEHOLDER.findall(text) if key in ROLES}
    roles |= {role for role in ROLES if PLACEHOLDER.search(given.get(role, ""))}
    roles |= {role for word, role in WIDENED.items() if word in given}
    return {name for name in names if list_steps(name)} | (roles & names)


def _only_where(frame: pd.DataFrame, where: Mapping[str, Any], notes: Any) -> pd.DataFrame:
    """Return the rows that ``where`` selects; the others are counted."""
    for name, value in where.items():
        excluding = name.endswith("!") and name not in frame
        column = find_column(frame, name.removesuffix("!") if excluding else name, "where")
        values = [each.strip() for each in (value if isinstance(value, list) else [value])]
        cells = frame[column].astype(str).str.strip()
        listed = cells.isin(values)
        shown = ", ".join(values)
        if not listed.any() or (excluding and listed.all()):
            known = list(cells.unique()[:5])
            nearest = [near for each in values if (near := suggest(each, known))]
            raise DataError(
                "where_keeps_nothing", column=column, value=shown,
                expected=", ".join(known), propose=[{"where": {name: each}} for each in nearest],
            )  # fmt: skip
        keep = ~listed if excluding else listed
        sentence = f"{column} is {shown}" if excluding else f"{column} is not {shown}"
        notes.leave_out("where", int((~keep).sum()), sentence)
        frame = frame[keep].reset_index(drop=True)
    return frame


def _reshape(
    frame: pd.DataFrame, given: dict[str, Any], notes: Notes
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return one row per judgment, and the column of each role that is declared or supplied."""
    roles = {name: given[name] for name in ROLES if name in given}
    for name, value in given.items():
        if name in ("loser", "tie", "worst"):
            roles[name] = value
    where = given.get("where", {})
    paths = [*roles.values(), *(name.removesuffix("!") for name in where), given.get("onehot", "")]
    paths += [name for word in WIDENED for name in given.get(word, ())]
    paths += [*given.get("split", {}), given.get("each", "")]
    frame = open_objects(frame, paths)
    frame, lost = explode_lists(frame, paths)
    notes.leave_out("empty_list", lost)
    if "split" in given:
        frame, supplied = split_columns(frame, given["split"])
        roles |= {role: role for role in supplied}
    if "files" in given:
        roles |= {role: role for role in PLACEHOLDER.findall(given["files"])}
    if "onehot" in given:
        role = marked_role(given["onehot"])
        if role in roles:
            raise DataError("two_shapes", value=f"--onehot --{role}")
        frame, roles[role] = read_onehot(frame, given["onehot"], given.get("codes", {}))
    if NUMBERED.search(roles.get("options", "")) and roles["options"] not in frame:
        for word in ("chosen", "worst"):
            frame = read_positions(frame, roles.get(word, ""), roles["options"])
        frame, roles["options"] = join_columns(frame, roles["options"], "options")
    patterns = {
        role: value
        for role, value in roles.items()
        if PLACEHOLDER.search(value) and value not in frame
    }
    if patterns:
        frame, patterns = expand_lists_of_patterns(frame, patterns)
        taken = [name for name in roles.values() if name in frame]
        frame = expand_patterns(frame, patterns, taken) if patterns else frame
        patterns = {role: roles[role] for role in roles if PLACEHOLDER.search(roles[role])}
        for pattern in patterns.values():
            for key in PLACEHOLDER.findall(pattern):
                if key in ROLES:
                    roles[key] = key
        roles |= {role: role for role in patterns}
    shapes = [f"--{word}" for word in WIDENED if word in given]
    if len(shapes) > 1:
        raise DataError("two_shapes", value=" ".join(shapes))
    for word, role in WIDENED.items():
        if word in given:
            frame = widen(frame, given[word], word)
            roles |= {role: role, "score": "score"}
    late = _supplied(given)
    after = {name: value for name, value in where.items() if name.removesuffix("!") in late}
    frame = _only_where(frame, after, notes)
    if "outcome" in given:
        winner = read_outcome(frame, given["outcome"])
        marks = [find_column(frame, name, "outcome") for name in given["outcome"].values()]
        frame = frame.drop(columns=marks).assign(winner=winner)
        roles["winner"] = "winner"
    if "options" in roles:
        frame, roles = compare_choices(frame, roles, given, notes)
    elif {"chosen", "worst"} & set(roles):
        raise DataError("missing_role", missing="options", columns=list_columns(frame))
    if "loser" in roles:
        frame, roles = compare_losers(frame, roles, given)
    elif "tie" in roles:
        frame, roles = mark_ties(frame, roles)
    return frame, roles


def _find_roles(frame: pd.DataFrame, roles: Mapping[str, str], votes: bool) -> dict[str, str]:
    """Return the column of each role: declared, or found by its exact name."""
    found = {role: find_column(frame, name, role) for role, name in roles.items() if role in ROLES}
    taken = set(found.values())
    usual = VOTE_ROLES if votes else SCORE_ROLES
    of_scores = () if votes else ("document", "hit", "item_type", "time")
    optional = ("annotator", "question", "domain", "pair", "criterion", *of_scores)
    by_spelling: dict[str, list[str]] = {}
    for name in frame.columns:
        by_spelling.setdefault(spelled(str(name)), []).append(str(name))
    for role in (*usual, *optional):
        if role in found:
            continue
        for name in (role, *ALSO.get(role, ())):
            columns = [each for each in by_spelling.get(spelled(name), []) if each not in taken]
            if role == "item_type" and name != role:  # a column `type` can hold other types
                columns = [each for each in columns if frame[each].isin(list(ITEM_TYPES)).all()]
            if len(columns) > 1:
                raise DataError(
                    "two_columns", column=role, value=" and ".join(columns),
                    alternatives=[{role: column} for column in columns],
                )  # fmt: skip
            if columns:
                found[role] = columns[0]
                taken.add(columns[0])
                break
    if votes and "question" not in found:
        by_name = by_spelling.get("segment", [])
        if "segment" in found:
            found["question"] = found.pop("segment")
        elif len(by_name) == 1 and by_name[0] not in taken:
            found["question"] = by_name[0]
    missing = [role for role in usual if role not in found]
    if not votes and "segment" in missing and "question" in found:
        found["segment"] = found.pop("question")
        missing.remove("segment")
    if missing:
        raise missing_roles(frame, roles, missing, votes)
    columns = list(found.values())
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        both = [role for role, name in found.items() if name == twice[0]]
        raise DataError("column_of_two_roles", column=twice[0], value=" and ".join(both))
    if not votes and len(frame) and np.ndim(frame[found["score"]]) != 1:
        raise DataError("not_a_column", column=found["score"])
    return found
