"""From the shape of a user's table to one row per judgment: patterns, lists, wide tables, blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from .declare import ROLES
from .table import cell_text, frame_of_records

PLACEHOLDER = re.compile(r"\{(\w+)\}")
NUMBER = "n"
HELD = "list that is held"  # a column that exists while lists become rows
MAX_NAMES = 12  # columns that an error lists


def spelled(name: str) -> str:
    """Return a name of a column without case, blanks, ``_`` and ``-``."""
    return re.sub(r"[\s_-]+", "", name).lower()


def is_number(text: str) -> bool:
    """Return whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def list_columns(frame: pd.DataFrame) -> str:
    """Return the columns with up to three different values each, for an error."""
    parts = []
    for name in list(frame.columns)[:MAX_NAMES]:
        values: list[str] = []
        for value in frame[name].head(200):
            text = str(value)[:20]
            if text and text not in values:
                values.append(text)
            if len(values) == 3:
                break
        parts.append(f"{name} ({', '.join(values) or 'empty'})")
    more = len(frame.columns) - MAX_NAMES
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def nested_value(cells: pd.Series) -> str:
    """Return the first list or dictionary among cells as text; empty if there is none."""
    if cells.dtype != object:
        return ""
    for value in cells:
        if isinstance(value, (list, dict, tuple)):
            return str(value)[:40]
    return ""


def find_column(frame: pd.DataFrame, name: str, word: str, file: str | None) -> str:
    """Return the column of this name; case, blanks, ``_`` and ``-`` aside if that is unambiguous."""
    if name in frame:
        return name
    alike = [column for column in frame if spelled(column) == spelled(name)]
    if len(alike) == 1:
        return str(alike[0])
    nearest = suggest(name, frame.columns)
    expected = nearest or list_columns(frame)
    proposed = [{word: nearest}] if nearest and word in ROLES else []
    raise DataError(
        "no_such_column", file=file, column=word, value=name, expected=expected, propose=proposed
    )


def match_pattern(pattern: str, names: Sequence[str], word: str) -> dict[str, dict[str, str]]:
    """Return, for each name that fits a pattern, what its placeholders stand for.

    ``{n}`` is a number. A name that fits in two ways is refused.
    """
    parts = PLACEHOLDER.split(pattern)
    keys = parts[1::2]
    if len(set(keys)) < len(keys):
        raise DataError("placeholder_twice", column=word, value=pattern)
    for key in keys:
        if key != NUMBER and key not in ROLES:
            raise DataError(
                "unknown_placeholder", column=word, value=key, expected=", ".join(ROLES)
            )

    def expression(piece: str) -> str:
        out = re.escape(parts[0])
        for key, literal in zip(keys, parts[2::2], strict=True):
            inner = r"\d+" if key == NUMBER else piece
            out += f"(?P<{key}>{inner})" + re.escape(literal)
        return out

    short, long = re.compile(expression(".+?")), re.compile(expression(".+"))
    found: dict[str, dict[str, str]] = {}
    for name in names:
        first = short.fullmatch(name)
        if first is None:
            continue
        second = long.fullmatch(name)
        if second is not None and first.groupdict() != second.groupdict():
            raise DataError(
                "ambiguous_pattern", column=word, value=pattern, expected=f"one way to read {name}"
            )
        found[name] = first.groupdict()
    return found


def columns_that_fit(
    frame: pd.DataFrame, pattern: str, role: str, file: str | None, given: str = ""
) -> dict[str, dict[str, str]]:
    """Return the columns that fit a pattern as `match_pattern` does; raise DataError if none does.

    `given` is the pattern as the user wrote it, if it differs.
    """
    found = match_pattern(pattern, [str(name) for name in frame.columns], role)
    if not found:
        raise DataError(
            "pattern_fits_nothing",
            file=file,
            column=role,
            value=given or pattern,
            expected=list_columns(frame),
        )
    return found


def explode_lists(
    frame: pd.DataFrame, given: Mapping[str, str], file: str | None
) -> tuple[pd.DataFrame, int]:
    """Turn lists that roles name, such as ``annotations[].value``, into rows and columns.

    Lists side by side, such as ``systems[]`` and ``scores[]``, belong together place by place.
    Returns the frame, and the number of rows that were lost because their list is empty.
    """
    lost = 0
    prefixes = dict.fromkeys(
        path.split("[]")[0] for path in given.values() if "[]" in path and "{" not in path
    )
    for prefix in prefixes:
        if prefix not in frame:
            raise DataError("no_such_column", file=file, value=prefix, expected=list_columns(frame))
        wrong = frame[prefix].map(lambda value: not isinstance(value, list))
        if wrong.any():
            value = frame.loc[wrong, prefix].iloc[0]
            raise DataError("not_a_list", file=file, column=prefix, value=str(value)[:40])
        lost += int((frame[prefix].map(len) == 0).sum())
    if prefixes:
        try:
            frame = frame.explode(list(prefixes), ignore_index=True)
        except ValueError:
            value = " and ".join(f"{prefix}[]" for prefix in prefixes)
            raise DataError("two_lists", file=file, value=value) from None
        frame = frame[frame[list(prefixes)].notna().any(axis=1)].reset_index(drop=True)
    for prefix in prefixes:
        inner = frame[prefix]
        if inner.map(lambda value: isinstance(value, dict)).all():
            nested = frame_of_records(list(inner))
            nested.columns = pd.Index([f"{prefix}[].{name}" for name in nested.columns])
            frame = pd.concat([frame.drop(columns=prefix), nested], axis=1)
        else:
            frame = frame.rename(columns={prefix: f"{prefix}[]"})
    return frame, lost


def split_columns(
    frame: pd.DataFrame, split: Mapping[str, str], file: str | None
) -> tuple[pd.DataFrame, list[str]]:
    """Split columns that hold two roles, such as ``{left}_{right}``; return the roles, too."""
    roles: list[str] = []
    for column, pattern in split.items():
        column = find_column(frame, column, "split", file)
        values = frame[column].astype(str)
        known = match_pattern(pattern, list(values.unique()), "split")
        misfits = values[~values.isin(known)]
        if len(misfits):
            raise DataError(
                "pattern_fits_nothing", file=file, row=misfits.index[0], column=column,
                value=misfits.iloc[0], expected=pattern,
            )  # fmt: skip
        for key in PLACEHOLDER.findall(pattern):
            if key not in ROLES:
                raise DataError(
                    "unknown_placeholder", column="split", value=key, expected=", ".join(ROLES)
                )
            frame[key] = values.map({value: named[key] for value, named in known.items()})
            roles.append(key)
    return frame, roles


def widen(frame: pd.DataFrame, columns: Sequence[str], role: str, file: str | None) -> pd.DataFrame:
    """Return one row for each listed column: its name becomes `role`, its cells ``score``.

    Another column with one of these names gets a blank at the end of its name.
    """
    word = "wide" if role == "system" else "criteria"
    names = [find_column(frame, name, word, file) for name in columns]
    if len(set(names)) < 2:
        raise DataError("too_few_columns", file=file, column=word, value=", ".join(names))
    cells = frame[names]
    others = frame.drop(columns=names)
    clash = {name: f"{name} " for name in (role, "score") if name in others}
    others = others.rename(columns=clash)
    blocks = [others.assign(**{role: name, "score": cells[name]}) for name in names]
    return pd.concat(blocks, ignore_index=True)


def expand_patterns(
    frame: pd.DataFrame, patterns: Mapping[str, str], file: str | None
) -> pd.DataFrame:
    """Return one row for each block of columns that the patterns of the roles name.

    `patterns` maps roles to patterns such as ``quality{n}`` or ``T{segment}[{system}]``. A
    placeholder with the name of a role supplies that role; ``{n}`` only pairs the columns.
    """
    found: dict[str, dict[tuple[tuple[str, str], ...], str]] = {}
    used: dict[str, str] = {}
    explode = []
    for role, pattern in patterns.items():
        path = pattern
        if pattern.endswith("[]"):
            path = pattern.removesuffix("[]")
            explode.append(role)
        matches = columns_that_fit(frame, path, role, file, given=pattern)
        for name in matches:
            if name in used:
                raise DataError(
                    "column_fits_two", file=file, column=name, value=f"{used[name]} and {role}"
                )
            used[name] = role
        found[role] = {tuple(sorted(values.items())): name for name, values in matches.items()}
    for pattern in patterns.values():
        for key in PLACEHOLDER.findall(pattern):
            if key not in ROLES and key != NUMBER:
                raise DataError("unknown_placeholder", value=key, expected=", ".join(ROLES))
    keys = {role: set(PLACEHOLDER.findall(pattern)) for role, pattern in patterns.items()}
    widest = max(keys, key=lambda role: len(keys[role]))
    others = [name for name in frame.columns if name not in used]
    unpaired = dict(used)
    blocks = []
    for binding, column in found[widest].items():
        values = dict(binding)
        block = frame[others].copy()
        for key, value in values.items():
            if key != NUMBER:
                block[key] = value
        block[widest] = frame[column]
        unpaired.pop(column)
        for role in patterns:
            if role == widest:
                continue
            part = tuple(sorted((key, values[key]) for key in keys[role] if key in values))
            if part not in found[role]:
                raise DataError(
                    "block_incomplete",
                    file=file,
                    column=role,
                    value=column,
                    expected=patterns[role],
                )
            block[role] = frame[found[role][part]]
            unpaired.pop(found[role][part], None)
        blocks.append(block)
    if unpaired:
        name, role = next(iter(unpaired.items()))
        raise DataError(
            "block_incomplete", file=file, column=role, value=name, expected=patterns[widest]
        )
    out = pd.concat(blocks, ignore_index=True)
    for role in explode:
        wrong = out[role].map(lambda value: not isinstance(value, list))
        if wrong.any():
            value = out.loc[wrong, role].iloc[0]
            raise DataError("not_a_list", file=file, column=role, value=str(value)[:40])
        out = out.explode(role, ignore_index=True)
        out[role] = out[role].map(cell_text)
    return out


def expand_lists_of_patterns(
    frame: pd.DataFrame, patterns: Mapping[str, str], file: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Turn lists of objects below a placeholder, as in ``ratings.{system}[].value``, into rows.

    Returns the frame with a column for each role whose pattern has a key after ``[]``, and the
    patterns of the other roles. Roles with the same list belong together.
    """
    inner = {role: text.split("[].") for role, text in patterns.items() if "[]." in text}
    if not inner:
        return frame, dict(patterns)
    lists = sorted({parts[0] for parts in inner.values()})
    if len(lists) > 1:
        raise DataError("two_lists", file=file, value=" and ".join(lists), expected="one list")
    frame = expand_patterns(frame, {HELD: lists[0]}, file)
    wrong = frame[HELD].map(lambda value: not isinstance(value, list))
    if wrong.any():
        value = str(frame.loc[wrong, HELD].iloc[0])[:40]
        raise DataError("not_a_list", file=file, column=next(iter(inner)), value=value)
    frame = frame.explode(HELD, ignore_index=True)
    frame = frame[frame[HELD].notna()].reset_index(drop=True)
    for role, (_, key) in inner.items():
        frame[role] = [
            cell_text(each.get(key)) if isinstance(each, dict) else "" for each in frame[HELD]
        ]
    others = {role: text for role, text in patterns.items() if role not in inner}
    return frame.drop(columns=HELD), others


def read_outcome(frame: pd.DataFrame, outcome: Mapping[str, str], file: str | None) -> pd.Series:
    """Return the winner from one column of 0 and 1 for each outcome."""
    unknown = set(outcome) - {"left", "right", "tie"}
    if unknown or not {"left", "right"} <= set(outcome):
        raise DataError("bad_setting", file=file, column="outcome", value=", ".join(outcome),
                        expected="left=COLUMN right=COLUMN tie=COLUMN")  # fmt: skip
    marks, blanks = {}, {}
    for side, name in outcome.items():
        column = find_column(frame, name, "outcome", file)
        cells = frame[column].astype(str).str.strip().str.lower()
        blanks[side] = cells == ""
        truth = cells.map(TRUTH)
        wrong = frame[column][truth.isna()]
        if len(wrong):
            raise DataError(
                "not_true_or_false",
                file=file,
                row=wrong.index[0],
                column=column,
                value=wrong.iloc[0],
            )
        marks[side] = truth.astype(bool)
    table = pd.DataFrame(marks)
    number = table.sum(axis=1)
    blank = pd.DataFrame(blanks).all(axis=1)
    wrong_rows = table.index[(number > 1) | ((number == 0) & ("tie" in outcome) & ~blank)]
    if len(wrong_rows):
        raise DataError("several_outcomes", file=file, row=wrong_rows[0])
    winner: pd.Series = table.idxmax(axis=1)
    return winner.where(number > 0, "tie").where(~blank, "")


TRUTH = {
    "1": True, "true": True, "yes": True, "y": True, "t": True, "1.0": True,
    "0": False, "false": False, "no": False, "n": False, "f": False, "0.0": False, "": False,
}  # fmt: skip


def expand_choices(
    frame: pd.DataFrame, chosen: str, options: str, file: str | None
) -> tuple[pd.DataFrame, int]:
    """Return choices or rankings of several outputs as comparisons, and how many rows chose none.

    A choice compares the chosen output with each other that was shown; a ranking (`chosen` empty;
    the options are in order, best first) compares each output with each other. All comparisons of
    a row belong to its annotator and its question, so that they are never taken as independent.
    """
    shown = [_option_groups(value) for value in frame[options]]
    best = [str(value).strip() for value in frame[chosen]] if chosen else [""] * len(frame)
    rows: list[tuple[int, str, str, str]] = []
    nothing = 0
    for number, (groups, name) in enumerate(zip(shown, best, strict=True)):
        names = [each for group in groups for each in group]
        if len(set(names)) < max(len(names), 2):
            raise DataError(
                "bad_options",
                file=file,
                row=number,
                column=options,
                value=str(frame[options].iloc[number])[:80],
            )
        if not chosen:
            rows += [(number, *pair) for pair in _ranked_pairs(groups)]
        elif name in names:
            rows += [(number, name, other, "left") for other in names if other != name]
        elif name.lower() in NOTHING:
            nothing += 1
        else:
            raise DataError(
                "chosen_not_shown",
                file=file,
                row=number,
                column=chosen,
                value=name,
                expected=", ".join(names),
                propose=[{"where": {f"{chosen}!": name}}],
            )
    at = np.array([row[0] for row in rows], int)
    out = frame.drop(columns=[name for name in (chosen, options) if name])
    if "question" not in {spelled(str(name)) for name in out.columns}:
        out["question"] = [f"row {number}" for number in range(1, len(out) + 1)]
    out = out.iloc[at].reset_index(drop=True)
    out["left"], out["right"], out["winner"] = ([row[k] for row in rows] for k in (1, 2, 3))
    return out, nothing


NOTHING = ("none", "", "tie", "neither", "no winner", "nan", "null")


def _option_groups(value: Any) -> list[list[str]]:
    """Return the options of a cell in order, in groups of equals: a list, or ``A > B = C``."""
    if isinstance(value, (list, tuple)):
        parts = [str(each) for each in value]
    else:
        text = str(value)
        parts = text.split(">") if ">" in text else re.split(r"[,;|]", text)
    groups = [[name.strip() for name in part.split("=")] for part in parts]
    return [[name for name in group if name] for group in groups if any(group)]


def _ranked_pairs(groups: Sequence[Sequence[str]]) -> list[tuple[str, str, str]]:
    """Return left, right and winner of each pair of a ranking."""
    pairs: list[tuple[str, str, str]] = []
    for place, group in enumerate(groups):
        lower = [name for other in groups[place + 1 :] for name in other]
        for number, name in enumerate(group):
            pairs += [(name, equal, "tie") for equal in group[number + 1 :]]
            pairs += [(name, worse, "left") for worse in lower]
    return pairs


def join_columns(
    frame: pd.DataFrame, pattern: str, role: str, file: str | None
) -> tuple[pd.DataFrame, str]:
    """Return the frame with the columns of a pattern such as ``option{n}`` as one column of lists."""
    found = columns_that_fit(frame, pattern, role, file)
    names = sorted(found, key=lambda name: int(found[name][NUMBER]))
    lists = [[each for each in row if each != ""] for row in frame[names].to_numpy().tolist()]
    return frame.drop(columns=names).assign(**{role: lists}), role


def read_files(folder: Path, pattern: str) -> list[tuple[Path, dict[str, str]]]:
    """Return the files below a folder that fit a pattern such as ``{system}/samples*.jsonl``."""
    parts = PLACEHOLDER.split(pattern)
    keys = parts[1::2]
    for key in keys:
        if key not in ROLES:
            raise DataError(
                "unknown_placeholder", column="files", value=key, expected=", ".join(ROLES)
            )

    def literal(text: str) -> str:
        return re.escape(text).replace(r"\*", r"[^/]*").replace(r"\?", r"[^/]")

    expression = literal(parts[0])
    for key, rest in zip(keys, parts[2::2], strict=True):
        expression += f"(?P<{key}>[^/]+)" + literal(rest)
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        match = re.fullmatch(expression, name)
        if match and path.is_file():
            found.append((path, match.groupdict()))
    if not found:
        here = ", ".join(
            sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())[:6]
        )
        raise DataError("no_file_fits", file=folder, value=pattern, expected=here or "files")
    seen: dict[tuple[str, ...], Path] = {}
    for path, values in found if keys else ():
        other = seen.setdefault(tuple(values.values()), path)
        if other != path:
            raise DataError(
                "two_files_for_one",
                file=path,
                value=", ".join(values.values()),
                expected=f"one file, but there is also {other.name}",
            )
    return found
