"""Lists inside cells, as in JSON: each element becomes a row."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..errors import DataError
from .cells import cell_text
from .columns import list_columns
from .json_records import JSON, frame_of_records
from .patterns import expand_patterns

HELD = "list that is held"  # a column that exists while lists become rows
LIST_STEP = re.compile(r"\[(-?\d+)?\]")


def list_steps(path: str) -> list[tuple[str, str]]:
    """Return the steps of a path into lists: each list, and what is taken of it.

    >>> list_steps("docs[].ratings[0].value")
    [('docs', '[]'), ('docs[].ratings', '[0]')]
    """
    head = path.split("{")[0]
    return [(head[: step.start()], step[0]) for step in LIST_STEP.finditer(head)]


def explode_lists(frame: pd.DataFrame, paths: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Turn lists that paths name, such as ``annotations[].value``, into rows and columns.

    ``[]`` makes a row of each element, ``[0]`` takes the first. Lists side by side, such as
    ``systems[]`` and ``scores[]``, belong together place by place. Returns the frame, and the
    number of rows that were lost because their list is empty.
    """
    steps = [list_steps(path) for path in paths if path not in frame]
    lost = 0
    for depth in range(max(map(len, steps), default=0)):
        level = dict.fromkeys(each[depth] for each in steps if len(each) > depth)
        level = {step: None for step in level if not _is_spelled_out(frame, *step)}
        for step in level:
            if step[0] not in frame:
                columns = list_columns(frame)
                raise DataError("no_such_column", value=step[0], expected=columns)
            frame = frame.assign(**{step[0]: _as_lists(frame, step[0])})
        for prefix, part in [step for step in level if step[1] != "[]"]:
            place = int(part[1:-1])
            cells = [
                each[place] if -len(each) <= place < len(each) else "" for each in frame[prefix]
            ]
            if all(cell == "" for cell in cells):
                raise DataError("list_too_short", column=prefix, value=part)
            frame = _open_elements(frame, prefix + part, pd.Series(cells, frame.index, object))
        exploded = [prefix for prefix, part in level if part == "[]"]
        if exploded:
            frame, empty = _explode(frame, exploded)
            lost += empty
    return frame, lost


def open_objects(frame: pd.DataFrame, paths: Sequence[str]) -> pd.DataFrame:
    """Open columns whose cells are JSON objects written as text, where paths name their keys."""
    for path in paths:
        parts = LIST_STEP.split(path.split("{")[0])[0].split(".")
        for end in range(1, len(parts)):
            column = ".".join(parts[:end])
            if path in frame or column not in frame or not isinstance(frame[column].iloc[0], str):
                continue
            cells = frame[column].map(parse_json)
            if cells.map(lambda value: isinstance(value, dict)).any():
                frame = _open_elements(frame, column, cells)
    return frame


def _is_spelled_out(frame: pd.DataFrame, prefix: str, part: str) -> bool:
    """Return whether columns have a path as their names, such as ``Q1[1]``, so that it is no list."""
    return prefix not in frame and any(str(name).startswith(prefix + part) for name in frame)


def _as_lists(frame: pd.DataFrame, column: str) -> pd.Series:
    """Return the lists of a column, which may be written as JSON; no value is an empty list."""
    found = []
    for row, value in frame[column].items():
        if isinstance(value, str):
            value = [] if value.strip() in ("", "null") else parse_json(value)
        if not isinstance(value, (list, tuple)):
            shown = str(frame.at[row, column])[:40]
            raise DataError("not_a_list", row=row, column=column, value=shown)
        found.append(list(value))
    return pd.Series(found, frame.index, object)


def parse_json(text: str) -> Any:
    """Return text as the JSON that it holds; itself if it holds none."""
    try:
        return JSON.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return text
    except KeyError as error:
        raise DataError("key_twice", column=str(error.args[0]), value=text[:40]) from None


def _explode(frame: pd.DataFrame, prefixes: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Return a row for each element of lists side by side, and how many rows have empty lists."""
    lengths = pd.DataFrame({prefix: frame[prefix].map(len) for prefix in prefixes})
    uneven = lengths.index[lengths.nunique(axis=1) > 1]
    if len(uneven):
        value = " and ".join(f"{prefix}[]" for prefix in prefixes)
        raise DataError("two_lists", row=uneven[0], value=value)
    empty = lengths[prefixes[0]] == 0
    frame = frame[~empty].explode(list(prefixes), ignore_index=True)
    if frame.empty:
        raise DataError("no_rows", column=f"{prefixes[0]}[]")
    for prefix in prefixes:
        frame = _open_elements(frame.drop(columns=prefix), f"{prefix}[]", frame[prefix])
    return frame, int(empty.sum())


def _open_elements(frame: pd.DataFrame, name: str, cells: pd.Series) -> pd.DataFrame:
    """Return the frame with elements of lists as a column, or one for each key of objects."""
    objects = cells.map(lambda value: isinstance(value, dict))
    nothing = cells.map(lambda value: value is None or value == "")
    if not objects.any() or not (objects | nothing).all():
        return frame.assign(**{name: cells.map(cell_text)})
    records = [value if is_object else {} for value, is_object in zip(cells, objects, strict=True)]
    nested = frame_of_records(records)
    nested.columns = pd.Index([f"{name}.{key}" for key in nested.columns])
    nested.index = frame.index
    known = [key for key in nested.columns if key in frame]
    return pd.concat([frame.drop(columns=known), nested], axis=1)


def expand_lists_of_patterns(
    frame: pd.DataFrame, patterns: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Turn lists of objects below a placeholder, as in ``ratings.{system}[].value``, into rows.

    Returns the frame with a column for each role whose pattern has a key after ``[]``, and the
    patterns of the other roles. Roles with the same list belong together.
    """
    inner = {}
    for role, text in patterns.items():
        head, brace, rest = text.partition("{")
        outer, mark, key = rest.partition("[].")
        if mark:
            inner[role] = (head + brace + outer, key)
        if "[" in key:
            raise DataError("list_below_placeholder", column=role, value=text)
    if not inner:
        return frame, dict(patterns)
    lists = sorted({parts[0] for parts in inner.values()})
    if len(lists) > 1:
        raise DataError("two_lists", value=" and ".join(lists), expected="one list")
    frame = expand_patterns(frame, {HELD: lists[0]})
    wrong = frame[HELD].map(lambda value: not isinstance(value, list))
    if wrong.any():
        value = str(frame.loc[wrong, HELD].iloc[0])[:40]
        raise DataError("not_a_list", column=next(iter(inner)), value=value)
    frame = frame.explode(HELD, ignore_index=True)
    frame = frame[frame[HELD].notna()].reset_index(drop=True)
    for role, (_, key) in inner.items():
        frame[role] = [cell_text(_value_at(each, key)) for each in frame[HELD]]
    others = {role: text for role, text in patterns.items() if role not in inner}
    return frame.drop(columns=HELD), others


def _value_at(value: Any, path: str) -> Any:
    """Return the value at a path of keys in nested objects; None if there is none."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value
