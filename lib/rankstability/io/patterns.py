"""Columns that patterns name, such as ``quality{n}``: blocks, wide tables, marks of 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from ..errors import DataError
from .cells import cell_text
from .columns import find_column, list_columns, read_truth
from .declare import ROLES
from .header import CELL

PLACEHOLDER = re.compile(r"\{(\w+)\}")
NUMBER = "n"
WIDENED = {  # a word that lists columns, and the role of their names
    "wide": "system",
    "criteria": "criterion",
    "items": "segment",
    "annotators": "annotator",
}
JOINED = "*"  # in the name of columns that are made of several


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
    refuse_placeholders([key for key in keys if key != NUMBER], word)

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
    frame: pd.DataFrame, pattern: str, role: str, given: str = ""
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
            column=role,
            value=given or pattern,
            expected=list_columns(frame),
        )
    return found


def roles_in(pattern: str, word: str) -> list[str]:
    """Return the roles that a pattern supplies; raise DataError for another placeholder."""
    keys = PLACEHOLDER.findall(pattern)
    refuse_placeholders(keys, word)
    return keys


def refuse_placeholders(keys: Sequence[str], word: str) -> None:
    """Refuse placeholders that are not roles."""
    for key in keys:
        if key not in ROLES:
            raise DataError(
                "unknown_placeholder", column=word, value=key, expected=", ".join(ROLES)
            )


def split_columns(frame: pd.DataFrame, split: Mapping[str, str]) -> tuple[pd.DataFrame, list[str]]:
    """Split columns that hold two roles, such as ``{left}_{right}``; return the roles, too."""
    roles: list[str] = []
    for column, pattern in split.items():
        column = find_column(frame, column, "split")
        values = frame[column].astype(str)
        known = match_pattern(pattern, list(values.unique()), "split")
        misfits = values[~values.isin(known)]
        if len(misfits):
            raise DataError(
                "pattern_fits_nothing", row=misfits.index[0], column=column,
                value=misfits.iloc[0], expected=pattern,
            )  # fmt: skip
        for key in roles_in(pattern, "split"):
            names = values.map({value: named[key] for value, named in known.items()})
            other = frame.index[names != frame[key]] if key in roles else frame.index[:0]
            if len(other):
                both = f"{frame.at[other[0], key]} and {names[other[0]]}"
                raise DataError("split_disagrees", row=other[0], column=key, value=both)
            frame[key] = names
            roles.append(key)
    return frame, roles


def widen(frame: pd.DataFrame, columns: Sequence[str], word: str) -> pd.DataFrame:
    """Return one row for each listed column: its name becomes the role of `word`, its cells ``score``.

    Another column with one of these names gets a blank at the end of its name.
    """
    role = WIDENED[word]
    names = [find_column(frame, name, word) for name in columns]
    if len(set(names)) < 2:
        raise DataError("too_few_columns", column=word, value=", ".join(names))
    cells = frame[names]
    others = frame.drop(columns=names)
    clash = {name: f"{name} " for name in (role, "score") if name in others}
    others = others.rename(columns=clash)
    blocks = [others.assign(**{role: name, "score": cells[name]}) for name in names]
    return pd.concat(blocks, ignore_index=True)


def expand_patterns(
    frame: pd.DataFrame,
    patterns: Mapping[str, str],
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
        matches = columns_that_fit(spare, path, role, given=pattern)
        for name in matches:
            if name in used:
                raise DataError("column_fits_two", column=name, value=f"{used[name]} and {role}")
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
                    column=role,
                    value=column,
                    expected=patterns[role],
                )
            block[role] = frame[found[role][part]]
            unpaired.pop(found[role][part], None)
        blocks.append(block)
    if unpaired:
        name, role = next(iter(unpaired.items()))
        raise DataError("block_incomplete", column=role, value=name, expected=patterns[widest])
    out = pd.concat(blocks, ignore_index=True)
    for role in explode:
        wrong = out[role].map(lambda value: not isinstance(value, list))
        if wrong.any():
            value = out.loc[wrong, role].iloc[0]
            raise DataError("not_a_list", column=role, value=str(value)[:40])
        out = out.explode(role, ignore_index=True)
        out[role] = out[role].map(cell_text)
    return out


def fill_pattern(pattern: str, values: Mapping[str, str]) -> str:
    """Return a pattern with values in place of its placeholders."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), pattern)


def marked_role(pattern: str) -> str:
    """Return the role whose value columns of 0 and 1 mark: ``score``, or the only placeholder."""
    keys = PLACEHOLDER.findall(pattern)
    role = str(keys[0]) if len(keys) == 1 else "score"
    if role not in keys or role not in ROLES:
        raise DataError("bad_setting", column="onehot", value=pattern, expected="{score} in a name")
    return role


def read_onehot(
    frame: pd.DataFrame, pattern: str, codes: Mapping[str, str]
) -> tuple[pd.DataFrame, str]:
    """Return the frame with columns of 0 and 1 as one column that holds the value that is marked.

    The pattern, such as ``rating_{score}``, names the role whose value is marked. Also returned is
    its column or pattern.
    """
    role = marked_role(pattern)
    found = columns_that_fit(frame, pattern, "onehot")
    if role == "score":
        numbers = {name: each for name, each in found.items() if _is_score(each[role], codes)}
        found = numbers or found
    joined = pattern.replace(f"{{{role}}}", JOINED)
    groups: dict[str, dict[str, str]] = {}
    for name, values in found.items():
        rest = {key: value for key, value in values.items() if key != role}
        groups.setdefault(fill_pattern(joined, rest), {})[name] = values[role]
    made = {}
    for column, meaning in groups.items():
        if len(meaning) < 2:
            raise DataError("too_few_columns", column="onehot", value=", ".join(meaning))
        marks = pd.DataFrame({name: read_truth(frame, name) for name in meaning})
        number = marks.sum(axis=1)
        if (number > 1).any():
            row = number.index[number > 1][0]
            value = ", ".join(marks.columns[marks.loc[row]])
            raise DataError("several_marks", row=row, value=value)
        made[column] = marks.idxmax(axis=1).map(meaning).where(number == 1, "")
    return frame.drop(columns=list(found)).assign(**made), joined


def _is_score(text: str, codes: Mapping[str, str]) -> bool:
    """Return whether a part of a column's name is a number, or a word that codes turn into one."""
    return text in codes or re.fullmatch(r"-?\d+([.,]\d+)?", text.strip()) is not None
