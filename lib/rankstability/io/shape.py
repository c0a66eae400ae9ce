"""From the shape of a user's table to one row per judgment: patterns, lists, wide tables, blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from .declare import ROLES
from .table import CELL, JSON, cell_text, frame_of_records

PLACEHOLDER = re.compile(r"\{(\w+)\}")
NUMBER = "n"
HELD = "list that is held"  # a column that exists while lists become rows
ITEM_TYPES = {
    "": "SYSTEM", "SYSTEM": "SYSTEM", "TGT": "SYSTEM", "REPEAT": "REPEAT", "CHK": "REPEAT",
    "REF": "REF", "BAD_REF": "BAD_REF", "BAD": "BAD_REF",
}  # fmt: skip
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


def match_pattern(
    pattern: str, names: Sequence[str], word: str, slash: str = "/"
) -> dict[str, dict[str, str]]:
    """Return, for each name that fits a pattern, what its placeholders stand for.

    ``{n}`` is a number. A name that fits in two ways is refused. A ``/`` of the pattern stands for
    `slash` in the names.
    """
    parts = PLACEHOLDER.split(pattern)
    keys = parts[1::2]
    if len(set(keys)) < len(keys):
        raise DataError("placeholder_twice", column=word, value=pattern)
    _refuse_placeholders([key for key in keys if key != NUMBER], word)

    def expression(piece: str) -> str:
        out = re.escape(parts[0])
        for key, literal in zip(keys, parts[2::2], strict=True):
            inner = r"\d+" if key == NUMBER else piece
            out += f"(?P<{key}>{inner})" + re.escape(literal)
        return out.replace("/", slash)

    short, long = re.compile(expression(f"[^{CELL}]+?")), re.compile(expression(f"[^{CELL}]+"))
    found: dict[str, dict[str, str]] = {}
    for name in names:
        first = short.fullmatch(name)
        if first is None:
            continue
        second = long.fullmatch(name)
        if second is not None and first.groupdict() != second.groupdict():
            shown = name.replace(slash, "/")
            raise DataError(
                "ambiguous_pattern", column=word, value=pattern, expected=f"one way to read {shown}"
            )
        found[name] = first.groupdict()
    return found


def columns_that_fit(
    frame: pd.DataFrame, pattern: str, role: str, file: str | None, given: str = ""
) -> dict[str, dict[str, str]]:
    """Return the columns that fit a pattern as `match_pattern` does; raise DataError if none does.

    Of columns that several rows name, a ``/`` of the pattern stands between two cells if any column
    fits so. `given` is the pattern as the user wrote it, if it differs.
    """
    cells = {text: name for name, text in frame.attrs.get("cells", {}).items() if name in frame}
    by_cells = match_pattern(pattern, list(cells), role, slash=CELL)
    found = {cells[text]: values for text, values in by_cells.items()}
    found = found or match_pattern(pattern, [str(name) for name in frame.columns], role)
    if not found:
        raise DataError(
            "pattern_fits_nothing",
            file=file,
            column=role,
            value=given or pattern,
            expected=list_columns(frame),
        )
    return found


def list_steps(path: str) -> list[tuple[str, str]]:
    """Return the steps of a path into lists: each list, and what is taken of it.

    >>> list_steps("docs[].ratings[0].value")
    [('docs', '[]'), ('docs[].ratings', '[0]')]
    """
    head = path.split("{")[0]
    return [(head[: step.start()], step[0]) for step in LIST_STEP.finditer(head)]


def explode_lists(
    frame: pd.DataFrame, paths: Sequence[str], file: str | None
) -> tuple[pd.DataFrame, int]:
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
                raise DataError("no_such_column", file=file, value=step[0], expected=columns)
            frame = frame.assign(**{step[0]: _as_lists(frame, step[0], file)})
        for prefix, part in [step for step in level if step[1] != "[]"]:
            place = int(part[1:-1])
            cells = [
                each[place] if -len(each) <= place < len(each) else "" for each in frame[prefix]
            ]
            if all(cell == "" for cell in cells):
                raise DataError("list_too_short", file=file, column=prefix, value=part)
            frame = _open_elements(frame, prefix + part, pd.Series(cells, frame.index, object))
        exploded = [prefix for prefix, part in level if part == "[]"]
        if exploded:
            frame, empty = _explode(frame, exploded, file)
            lost += empty
    return frame, lost


LIST_STEP = re.compile(r"\[(-?\d+)?\]")


def open_objects(frame: pd.DataFrame, paths: Sequence[str]) -> pd.DataFrame:
    """Open columns whose cells are JSON objects written as text, where paths name their keys."""
    for path in paths:
        parts = LIST_STEP.split(path.split("{")[0])[0].split(".")
        for end in range(1, len(parts)):
            column = ".".join(parts[:end])
            if path in frame or column not in frame or not isinstance(frame[column].iloc[0], str):
                continue
            cells = frame[column].map(_parsed)
            if cells.map(lambda value: isinstance(value, dict)).any():
                frame = _open_elements(frame, column, cells)
    return frame


def _is_spelled_out(frame: pd.DataFrame, prefix: str, part: str) -> bool:
    """Return whether columns have a path as their names, such as ``Q1[1]``, so that it is no list."""
    return prefix not in frame and any(str(name).startswith(prefix + part) for name in frame)


def _as_lists(frame: pd.DataFrame, column: str, file: str | None) -> pd.Series:
    """Return the lists of a column, which may be written as JSON; no value is an empty list."""
    found = []
    for row, value in frame[column].items():
        if isinstance(value, str):
            value = [] if value.strip() in ("", "null") else _parsed(value)
        if not isinstance(value, (list, tuple)):
            shown = str(frame.at[row, column])[:40]
            raise DataError("not_a_list", file=file, row=row, column=column, value=shown)
        found.append(list(value))
    return pd.Series(found, frame.index, object)


def _parsed(text: str) -> Any:
    """Return text as the JSON that it holds; itself if it holds none."""
    try:
        return JSON.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return text
    except KeyError as error:
        raise DataError("key_twice", column=str(error.args[0]), value=text[:40]) from None


def _explode(
    frame: pd.DataFrame, prefixes: Sequence[str], file: str | None
) -> tuple[pd.DataFrame, int]:
    """Return a row for each element of lists side by side, and how many rows have empty lists."""
    lengths = pd.DataFrame({prefix: frame[prefix].map(len) for prefix in prefixes})
    uneven = lengths.index[lengths.nunique(axis=1) > 1]
    if len(uneven):
        value = " and ".join(f"{prefix}[]" for prefix in prefixes)
        raise DataError("two_lists", file=file, row=uneven[0], value=value)
    empty = lengths[prefixes[0]] == 0
    frame = frame[~empty].explode(list(prefixes), ignore_index=True)
    if frame.empty:
        raise DataError("no_rows", file=file, column=f"{prefixes[0]}[]")
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


def roles_in(pattern: str, word: str) -> list[str]:
    """Return the roles that a pattern supplies; raise DataError for another placeholder."""
    keys = PLACEHOLDER.findall(pattern)
    _refuse_placeholders(keys, word)
    return keys


def _refuse_placeholders(keys: Sequence[str], word: str) -> None:
    """Refuse placeholders that are not roles."""
    for key in keys:
        if key not in ROLES:
            raise DataError(
                "unknown_placeholder", column=word, value=key, expected=", ".join(ROLES)
            )


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
        for key in roles_in(pattern, "split"):
            names = values.map({value: named[key] for value, named in known.items()})
            other = frame.index[names != frame[key]] if key in roles else frame.index[:0]
            if len(other):
                both = f"{frame.at[other[0], key]} and {names[other[0]]}"
                raise DataError("split_disagrees", file=file, row=other[0], column=key, value=both)
            frame[key] = names
            roles.append(key)
    return frame, roles


WIDENED = {  # a word that lists columns, and the role of their names
    "wide": "system",
    "criteria": "criterion",
    "items": "segment",
    "annotators": "annotator",
}


def widen(frame: pd.DataFrame, columns: Sequence[str], word: str, file: str | None) -> pd.DataFrame:
    """Return one row for each listed column: its name becomes the role of `word`, its cells ``score``.

    Another column with one of these names gets a blank at the end of its name.
    """
    role = WIDENED[word]
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
    frame: pd.DataFrame,
    patterns: Mapping[str, str],
    file: str | None,
    taken: Sequence[str] = (),
) -> pd.DataFrame:
    """Return one row for each block of columns that the patterns of the roles name.

    Columns in `taken` fit no pattern, because another role names them exactly. `patterns` maps
    roles to patterns such as ``quality{n}`` or ``T{segment}[{system}]``. A placeholder with the
    name of a role supplies that role; ``{n}`` only pairs the columns.
    """
    found: dict[str, dict[tuple[tuple[str, str], ...], str]] = {}
    used: dict[str, str] = {}
    explode = []
    for role, pattern in patterns.items():
        path = pattern
        if pattern.endswith("[]"):
            path = pattern.removesuffix("[]")
            explode.append(role)
        spare = frame.drop(columns=list(taken))
        matches = columns_that_fit(spare, path, role, file, given=pattern)
        for name in matches:
            if name in used:
                raise DataError(
                    "column_fits_two", file=file, column=name, value=f"{used[name]} and {role}"
                )
            used[name] = role
        found[role] = {tuple(sorted(values.items())): name for name, values in matches.items()}
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
    inner = {}
    for role, text in patterns.items():
        head, brace, rest = text.partition("{")
        outer, mark, key = rest.partition("[].")
        if mark:
            inner[role] = (head + brace + outer, key)
        if "[" in key:
            raise DataError("list_below_placeholder", file=file, column=role, value=text)
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
        frame[role] = [cell_text(_value_at(each, key)) for each in frame[HELD]]
    others = {role: text for role, text in patterns.items() if role not in inner}
    return frame.drop(columns=HELD), others


def _value_at(value: Any, path: str) -> Any:
    """Return the value at a path of keys in nested objects; None if there is none."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def read_outcome(frame: pd.DataFrame, outcome: Mapping[str, str], file: str | None) -> pd.Series:
    """Return the winner from one column of 0 and 1 for each outcome."""
    unknown = set(outcome) - {"left", "right", "tie"}
    if unknown or not {"left", "right"} <= set(outcome):
        raise DataError("bad_setting", file=file, column="outcome", value=", ".join(outcome),
                        expected="left=COLUMN right=COLUMN tie=COLUMN")  # fmt: skip
    marks, blanks = {}, {}
    for side, name in outcome.items():
        column = find_column(frame, name, "outcome", file)
        blanks[side] = frame[column].astype(str).str.strip() == ""
        marks[side] = read_truth(frame, column, file)
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


def read_truth(frame: pd.DataFrame, column: str, file: str | None) -> pd.Series:
    """Return a column of 0 and 1, or of true and false, as booleans; empty cells are false."""
    truth = frame[column].astype(str).str.strip().str.lower().map(TRUTH)
    wrong = frame[column][truth.isna()]
    if len(wrong):
        raise DataError(
            "not_true_or_false", file=file, row=wrong.index[0], column=column, value=wrong.iloc[0]
        )
    return truth.astype(bool)


def expand_choices(
    frame: pd.DataFrame, chosen: str, options: str, file: str | None, worst: str = ""
) -> tuple[pd.DataFrame, int]:
    """Return choices or rankings of several outputs as comparisons, and how many rows chose none.

    A choice compares the chosen output with each other that was shown, and each other with the
    worst one if that is named, too. A ranking (`chosen` empty; the options are in order, best
    first) compares each output with each other. All comparisons of a row belong to its annotator
    and its question, so that they are never taken as independent.
    """
    shown = [_option_groups(value) for value in frame[options]]
    best = [str(value).strip() for value in frame[chosen]] if chosen else [""] * len(frame)
    last = [str(value).strip() for value in frame[worst]] if worst else [""] * len(frame)
    rows: list[tuple[int, str, str, str]] = []
    if len(frame) > 1 and all(len(groups) == 1 for groups in shown):
        value = str(frame[options].iloc[0])
        raise DataError("one_option_in_a_row", file=file, column=options, value=value)
    nothing = 0
    for number, (groups, name, low) in enumerate(zip(shown, best, last, strict=True)):
        names = [each for group in groups for each in group]
        if len(names) < 2 and name.lower() in NOTHING and low.lower() in NOTHING:
            nothing += 1
            continue
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
            continue
        for column, each in ((chosen, name), (worst, low)):
            if each not in names and each.lower() not in NOTHING:
                raise DataError(
                    "chosen_not_shown",
                    file=file,
                    row=number,
                    column=column,
                    value=each,
                    expected=", ".join(names),
                    propose=[{"where": {f"{column}!": each}}],
                )
        if name == low and name in names:
            raise DataError("best_is_worst", file=file, row=number, value=name)
        if name in names:
            rows += [(number, name, other, "left") for other in names if other != name]
        if low in names:
            rows += [(number, other, low, "left") for other in names if other not in (low, name)]
        nothing += name not in names and low not in names
    at = np.array([row[0] for row in rows], int)
    out = frame.drop(columns=[name for name in (chosen, options, worst) if name])
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
    """Return the frame with the columns of a pattern such as ``option{n}`` as one column of lists.

    With further placeholders, as in ``Q{question}[Rank {n}]``, there is one such column for each of
    their values. Also returned is the column's name, or the pattern of the names.
    """
    found = columns_that_fit(frame, pattern, role, file)
    joined = pattern.replace(f"{{{NUMBER}}}", JOINED)
    columns: dict[str, list[str]] = {}
    for name in sorted(found, key=lambda name: int(found[name][NUMBER])):
        values = {key: value for key, value in found[name].items() if key != NUMBER}
        columns.setdefault(_filled(joined, values), []).append(name)
    lists = {
        column: [[each for each in row if each != ""] for row in frame[names].to_numpy().tolist()]
        for column, names in columns.items()
    }
    return frame.drop(columns=list(found)).assign(**lists), joined


def read_positions(
    frame: pd.DataFrame, chosen: str, options: str, file: str | None
) -> pd.DataFrame:
    """Return the frame with outputs in place of their positions, such as 2 or ``item2``.

    They are positions if every choice is one of the numbers of the columns ``item{n}``, or one of
    their names, and no output has such a name.
    """
    if not chosen or PLACEHOLDER.search(chosen):
        return frame
    column = find_column(frame, chosen, "chosen", file)
    found = columns_that_fit(frame, options, "options", file)
    if any(set(values) != {NUMBER} for values in found.values()):
        return frame
    place = {values[NUMBER]: name for name, values in found.items()} | {
        name: name for name in found
    }
    cells = frame[column].astype(str).str.strip()
    given = set(cells.unique()) - {name for name in cells.unique() if name.lower() in NOTHING}
    shown = set(frame[list(found)].astype(str).to_numpy().ravel())
    if not given or not given <= set(place) or given & shown:
        return frame
    named = [frame.at[row, place[cell]] if cell in place else cell for row, cell in cells.items()]
    return frame.assign(**{column: named})


JOINED = "*"  # in the name of columns that are made of several


def _filled(pattern: str, values: Mapping[str, str]) -> str:
    """Return a pattern with values in place of its placeholders."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), pattern)


def marked_role(pattern: str, file: str | None) -> str:
    """Return the role whose value columns of 0 and 1 mark: ``score``, or the only placeholder."""
    keys = PLACEHOLDER.findall(pattern)
    role = str(keys[0]) if len(keys) == 1 else "score"
    if role not in keys or role not in ROLES:
        raise DataError(
            "bad_setting", file=file, column="onehot", value=pattern, expected="{score} in a name"
        )
    return role


def read_onehot(
    frame: pd.DataFrame, pattern: str, codes: Mapping[str, str], file: str | None
) -> tuple[pd.DataFrame, str]:
    """Return the frame with columns of 0 and 1 as one column that holds the value that is marked.

    The pattern, such as ``rating_{score}``, names the role whose value is marked. Also returned is
    its column or pattern.
    """
    role = marked_role(pattern, file)
    found = columns_that_fit(frame, pattern, "onehot", file)
    if role == "score":
        numbers = {name: each for name, each in found.items() if _is_score(each[role], codes)}
        found = numbers or found
    joined = pattern.replace(f"{{{role}}}", JOINED)
    groups: dict[str, dict[str, str]] = {}
    for name, values in found.items():
        rest = {key: value for key, value in values.items() if key != role}
        groups.setdefault(_filled(joined, rest), {})[name] = values[role]
    made = {}
    for column, meaning in groups.items():
        if len(meaning) < 2:
            raise DataError("too_few_columns", file=file, column="onehot", value=", ".join(meaning))
        marks = pd.DataFrame({name: read_truth(frame, name, file) for name in meaning})
        number = marks.sum(axis=1)
        if (number > 1).any():
            row = number.index[number > 1][0]
            value = ", ".join(marks.columns[marks.loc[row]])
            raise DataError("several_marks", file=file, row=row, value=value)
        made[column] = marks.idxmax(axis=1).map(meaning).where(number == 1, "")
    return frame.drop(columns=list(found)).assign(**made), joined


def _is_score(text: str, codes: Mapping[str, str]) -> bool:
    """Return whether a part of a column's name is a number, or a word that codes turn into one."""
    return text in codes or re.fullmatch(r"-?\d+([.,]\d+)?", text.strip()) is not None


def read_files(folder: Path, pattern: str) -> list[tuple[Path, dict[str, str]]]:
    """Return the files below a folder that fit a pattern such as ``{system}/samples*.jsonl``."""
    parts = PLACEHOLDER.split(pattern)
    keys = roles_in(pattern, "files")

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
