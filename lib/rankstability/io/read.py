"""`read`, `judgments` and `battles`: any table of judgments, in the words that declare it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError, escape_invisible, suggest
from . import settings
from .declare import NAMES, ROLES, SHAPE, WORDS, check_words
from .each import split_judgments
from .effect import (
    OF_FILES,
    check_codes,
    check_words_of_file,
    check_words_of_shape,
    check_words_of_table,
    refuse_without_effect,
)
from .formats import registry
from .formats.arena_columns import COLUMNS
from .notes import Notes, list_unread, note_doubts, note_unread
from .propose import missing_roles
from .ratings import build_ratings
from .remedy import add_remedy
from .rows import fill_down, latest_rows
from .shape import (
    ITEM_TYPES,
    PLACEHOLDER,
    WIDENED,
    expand_choices,
    expand_lists_of_patterns,
    expand_patterns,
    explode_lists,
    find_column,
    join_columns,
    list_columns,
    list_steps,
    marked_role,
    match_pattern,
    open_objects,
    read_files,
    read_onehot,
    read_outcome,
    read_positions,
    read_truth,
    roles_in,
    spelled,
    split_columns,
    widen,
)
from .table import ENDINGS, as_text, ending_of, read_frame, read_sheets, sheet_names
from .votes import build_votes, refuse_flag_of_ties

MAX_TRIED = 1 << 18  # bytes of a large file on which it is checked first
MAX_TRIED_ROWS = 40_000  # rows of a frame on which a line of Python is tried
MAX_TRIED_AGAIN = 1 << 21  # bytes of a file on which a command is tried
Frames = dict[tuple[str, ...], tuple[pd.DataFrame, str]]
AT_ONCE = frozenset(
    {
        "direction",
        "mixed_directions",
        "several_languages",
        "code_is_a_system",
        "rounded_ids",
        "missing_role",
        "no_ratings",
        "no_such_column",
        "two_columns",
        "column_of_two_roles",
        "placeholder_twice",
        "unknown_placeholder",
        "ambiguous_pattern",
        "column_fits_two",
        "block_incomplete",
        "pattern_fits_nothing",
        "not_a_list",
        "list_as_name",
        "too_few_columns",
        "two_shapes",
        "not_true_or_false",
        "several_outcomes",
        "bad_options",
        "chosen_not_shown",
        "empty_name",
        "names_alike",
        "rows_that_are_no_judgments",
        "several_criteria",
        "undeclared_column",
        "flag_of_ties",
        "unknown_winner",
        "question_needed",
        "not_a_number",
        "model_against_itself",
        "models_among_annotators",
        "score_outside_scale",
        "column_twice",
        "wrong_number_of_cells",
        "bad_setting",
        "best_is_worst",
        "mixed_decimals",
        "one_option_in_a_row",
        "several_marks",
        "split_disagrees",
        "word_without_effect",
    }
)  # refusals by the first rows that hold for the whole file
SCORE_ROLES = ("system", "segment", "score")
VOTE_ROLES = ("left", "right", "winner")
NUMBERED = re.compile(r"\{n\}")
ARENA = "arena"
EACH_OF_ARENA = [spelled(name) for names in COLUMNS.values() for name in names]
ALSO = {  # further exact names of roles, as files of the field have them
    "left": ("model_a",), "right": ("model_b",), "annotator": ("judge",),
    "question": ("question_id", "instruction"), "segment": ("segment_id",), "item_type": ("type",),
}  # fmt: skip


@check_arguments
def read(path: str | Path, **words: Any) -> Any:
    """Read judgments from a file or folder: a format of the field, or a table that you declare.

    Parameters
    ----------
    path : str or Path
        A file (CSV, TSV, JSON, JSON lines, Parquet, XLSX), a folder, or a ``campaign.yaml``.
    **words
        What the columns are and what the values mean; see `rankstability.io.declare.WORDS`.

    Returns
    -------
    Judgments, or dict of str to Judgments
        Several, by name, if the table holds several language pairs or `each` is given.

    Raises
    ------
    DataError
        If a role is missing, or something could be read in two ways. The message lists the columns
        and a command that reads the file, where one was found.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.read("data/demo/ratings.csv").n_systems > 1
    True
    """
    if not str(path):
        raise DataError("no_file", expected="a file or folder")
    file, given = with_settings(Path(path), check_words(words))
    if not file.exists():
        raise DataError("no_such_file", file=file)
    if not file.is_file() and not file.is_dir():
        raise DataError("not_a_file", file=file)
    try:
        return _read(file, given)
    except DataError as error:
        size = file.stat().st_size if file.is_file() else 0
        if size > MAX_TRIED_AGAIN:
            raise  # no command is printed that was not tried on the whole file
        frames: Frames = {}

        def trial(tried: dict[str, Any]) -> None:
            if size > MAX_TRIED:
                _read(file, tried, first_rows=True, frames=frames)
            _read(file, tried, frames=frames)

        raise add_remedy(error, given, trial, str(file)) from None


def with_settings(path: Path, given: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    """Return the data, and the words with those of a ``campaign.yaml`` that is named or beside.

    `given` are checked words, which win.
    """
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise DataError("no_such_file", file=path)
        found = settings.read_settings(path)
        data = found.pop("data", ".")
        if not isinstance(data, str):
            raise DataError("bad_setting", file=path, column="data", value=data, expected="a path")
        return path.parent / data, _merged(check_words(found, file=str(path)), given)
    beside = path.parent / settings.NAME
    if beside.is_file() and path.is_file():
        found = settings.read_settings(beside)
        about = found.pop("data", None)
        if about is None or _same_file(path.parent / str(about), path):
            return path, _merged(check_words(found, file=str(beside)), given)
    return path, given


def _same_file(first: Path, second: Path) -> bool:
    return first.resolve() == second.resolve() or first.resolve() == second.parent.resolve()


def _read(
    path: Path, given: dict[str, Any], first_rows: bool = False, frames: Frames | None = None
) -> Any:
    """Read a file or folder with checked words; a large file is refused by its first rows.

    `frames` keeps the frames of the file, so that words can be tried on them again.
    """
    recognised = _format_of(path, given)
    if recognised is not None:
        words = {name: value for name, value in given.items() if name != "each"}
        if recognised == ARENA:
            _refuse_unknown_winners(path)
        try:
            result = registry.read_as(recognised, path, words)
            result = note_doubts(result, _source(path))
            if path.is_dir():
                unread = list_unread(path, registry.files_read(path, recognised))
                result = note_unread(result, _source(path), *unread)
            return split_judgments(result, given["each"], str(path)) if "each" in given else result
        except DataError as error:
            if recognised != ARENA or (error.code, error.column) != ("unknown_word", "winner"):
                raise  # otherwise a table of comparisons with codes that are to be declared
    if first_rows:
        frame, file = _load(path, given, first_rows=True, frames=frames)
        return build(frame, given, source=_source(path), file=file, whole=False)
    if path.is_file() and path.stat().st_size > MAX_TRIED:
        try:
            _read(path, given, first_rows=True, frames=frames)
        except DataError as error:
            if error.code in AT_ONCE:
                raise
    frame, file = _load(path, given, frames=frames)
    return build(frame, given, source=_source(path), file=file)


def _refuse_unknown_winners(path: Path) -> None:
    """Refuse a large file of votes whose first rows have unknown winners, before it is read."""
    if not path.is_file() or path.stat().st_size <= MAX_TRIED:
        return
    frame, file = _load(path, {}, first_rows=True)
    try:
        build(frame, {}, file=file, whole=False)
    except DataError as error:
        if error.code == "unknown_winner":
            raise


def _format_of(path: Path, given: Mapping[str, Any]) -> str | None:
    """Return the format of the field that a file has, unless the words declare a table."""
    if {"left", "right", "tie"} & set(given.get("codes", {}).values()):
        return None
    declared = [name for name in given if WORDS[name].group in (NAMES, SHAPE)]
    if declared or {"lower_is_better", "higher_is_better"} & set(given):
        return None
    found = registry.detect(path)
    if found == ARENA and "each" in given and spelled(given["each"]) not in EACH_OF_ARENA:
        return None
    return found


@check_arguments
def judgments(frame: Any, **words: Any) -> Any:
    """Build judgments from a frame of scores, declared in the same words as for `read`.

    Parameters
    ----------
    frame : DataFrame
        A frame of pandas, polars or pyarrow, one row per judgment unless declared otherwise.
    **words
        Names of columns and meanings of values; see `rankstability.io.declare.WORDS`.

    Returns
    -------
    Judgments, or dict of str to Judgments

    Raises
    ------
    DataError
        As `read`.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> frame = pd.DataFrame({"model": ["A", "B"] * 3, "item": [1, 1, 2, 2, 3, 3], "stars": [5, 3, 4, 4, 5, 2]})
    >>> rs.judgments(frame, system="model", segment="item", score="stars").kind
    'leaderboard'
    """
    return _build_frame("judgments", frame, check_words(words))


@check_arguments
def battles(frame: Any, **words: Any) -> Any:
    """Build judgments from a frame of pairwise comparisons, declared as for `read`.

    Parameters
    ----------
    frame : DataFrame
        A frame of pandas, polars or pyarrow, one row per comparison.
    **words
        ``left``, ``right``, ``winner``, and perhaps ``annotator``, ``question``, ``codes``.

    Returns
    -------
    Judgments, or dict of str to Judgments

    Raises
    ------
    DataError
        As `read`.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> frame = pd.DataFrame({"left": ["A", "B", "A"], "right": ["B", "A", "B"], "winner": ["A", "left", "tie"]})
    >>> rs.battles(frame).table["winner"].tolist()
    ['left', 'left', 'tie']
    """
    return _build_frame("battles", frame, check_words(words), votes=True)


def _build_frame(function: str, frame: Any, given: dict[str, Any], votes: bool = False) -> Any:
    """Return the judgments of a frame; a refusal names the line of Python that reads it."""
    refuse_without_effect(given, OF_FILES, "frames")
    text = text_frame(frame)
    try:
        return build(text, given, votes=votes)
    except DataError as error:
        if len(text) > MAX_TRIED_ROWS:
            raise  # no line is printed that was not tried on the whole frame

        def trial(tried: dict[str, Any]) -> None:
            build(text, tried, votes=votes)

        raise add_remedy(error, given, trial, "", function) from None


def text_frame(frame: Any) -> pd.DataFrame:
    """Return a frame of pandas, polars or pyarrow as pandas, with every cell as text."""
    if isinstance(frame, pd.DataFrame):
        names = [str(name) for name in frame.columns]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError("column_twice", column=twice)
        table = frame
    else:
        try:
            native = nw.from_native(frame)
        except TypeError:
            raise DataError("not_a_frame", value=type(frame).__name__) from None
        if isinstance(native, nw.LazyFrame):
            native = native.collect()
        table = native.to_arrow().to_pandas(integer_object_nulls=True)
    if table.empty:
        raise DataError("no_rows")
    return as_text(table.reset_index(drop=True))


def _merged(found: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the words of a campaign.yaml with those that are given, which win."""
    directions = {"lower_is_better", "higher_is_better"}
    if directions & set(given):
        found = {name: value for name, value in found.items() if name not in directions}
    return {**found, **given}


def _load(
    path: Path, given: Mapping[str, Any], first_rows: bool = False, frames: Frames | None = None
) -> tuple[pd.DataFrame, str]:
    """Return the text frame of a file or folder, perhaps one that is kept in `frames`."""
    words = ["header", "skip_rows", "sheet", "files", "sheets", "encoding"]
    words += ["where"] if "sheets" in given else []  # it says which sheets must be alike
    about = [str(given.get(word)) for word in words]
    key = (str(path), *about, str(first_rows))
    if frames is None:
        return _load_anew(path, given, first_rows)
    if key not in frames:
        frames[key] = _load_anew(path, given, first_rows)
    return frames[key]


def _load_anew(path: Path, given: Mapping[str, Any], first_rows: bool) -> tuple[pd.DataFrame, str]:
    """Return the text frame of a file, or of the files below a folder that fit ``files``."""
    options: dict[str, Any] = {
        "header": given.get("header", 1),
        "skip_rows": given.get("skip_rows", 0),
        "sheet": given.get("sheet", ""),
        "encoding": given.get("encoding", ""),
        "max_bytes": MAX_TRIED if first_rows else 0,
    }
    if "sheets" in given:
        return _load_sheets(path, given), str(path)
    if "files" in given:
        folder = path if path.is_dir() else path.parent
        parts = []
        named = read_files(folder, given["files"])
        for file, values in named:
            check_words_of_file(given, file)
            part = read_frame(file, **options)
            for role, value in values.items():
                _refuse_other_name(part, role, value, file, given["files"])
                part[role] = value
            parts.append(part)
        _refuse_other_columns([file for file, _ in named], parts)
        frame = _join_tables(parts)
        frame.attrs["unread"] = list_unread(folder, [file for file, _ in named])
        return frame, str(path)
    if path.is_dir():
        folder = path
        files = sorted(p for p in path.iterdir() if p.is_file() and p.name != settings.NAME)
        tables = [each for each in files if ending_of(each) in ENDINGS]
        files = tables if len(tables) == 1 else files
        inside = sorted({each.name for each in path.glob("*/*") if each.is_file()})
        if not files and inside:
            raise DataError(
                "files_in_folders", file=path, value=", ".join(inside[:6]), expected="--files",
                propose=[{"files": f"{{system}}/{name}"} for name in inside[:2]],
            )  # fmt: skip
        if len(files) != 1:
            endings = dict.fromkeys(each.suffix for each in files)
            raise DataError(
                "several_files" if files else "no_file_fits",
                file=path,
                value=", ".join(each.name for each in files[:6]) or None,
                propose=[
                    {"files": f"{{{role}}}{ending}"}
                    for ending in endings
                    for role in ("system", "annotator")
                ],
            )
        path = files[0]
        check_words_of_file(given, path)
        frame = read_frame(path, **options)
        frame.attrs["unread"] = list_unread(folder, [path])
        return frame, str(path)
    check_words_of_file(given, path)
    return read_frame(path, **options), str(path)


def _load_sheets(path: Path, given: Mapping[str, Any]) -> pd.DataFrame:
    """Return the text frame of the sheets whose names fit ``sheets``; a placeholder supplies a role."""
    pattern, where = given["sheets"], given.get("where", {})
    if ending_of(path) != ".xlsx":
        raise DataError("not_a_workbook", file=path, column="sheets")
    for other in ("sheet", "files"):
        if other in given:
            raise DataError("two_shapes", file=path, value=f"--{other} --sheets")
    keys = roles_in(pattern, "sheets")
    names = sheet_names(path)
    found = match_pattern(pattern, names, "sheets")
    if not found:
        raise DataError("no_sheet_fits", file=path, value=pattern, expected=", ".join(names))
    header, skip_rows = given.get("header", 1), given.get("skip_rows", 0)
    parts = dict(zip(found, read_sheets(path, list(found), header, skip_rows), strict=True))
    kept = [
        name
        for name, values in found.items()
        if all(_is_selected(values[key], key, where) for key in keys)
    ] or list(found)
    columns = list(parts[kept[0]].columns)
    for name in kept:
        for role, value in found[name].items():
            _refuse_other_name(parts[name], role, value, path)
        if set(parts[name].columns) != set(columns):
            raise DataError(
                "sheets_differ", file=path, value=f"{name}: {', '.join(parts[name].columns)}",
                expected=f"{', '.join(columns)}, as in {kept[0]}",
                propose=[{"where": {f"{key}!": each[key]}} for key in keys[:1]
                         for each in (found[name], found[kept[0]])],
            )  # fmt: skip
    frames = [parts[name].reindex(columns=columns).assign(**found[name]) for name in found]
    return _join_tables(frames)


def _join_tables(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables below one another, with what is known about their files."""
    frame = pd.concat(parts, ignore_index=True).fillna("")
    about = [part.attrs for part in parts]
    separators = {each.get("separator", "") for each in about}
    columns = [name for each in about for name in each.get("hidden_columns", ())]
    sheets = [each["sheet"] for each in about if each.get("sheet")]
    frame.attrs = {
        "separator": separators.pop() if len(separators) == 1 else "",
        "cells": about[0].get("cells", {}),
        "hidden_rows": sum(each.get("hidden_rows", 0) for each in about),
        "hidden_columns": list(dict.fromkeys(columns)),
        "sheet": ", ".join(dict.fromkeys(sheets)),
    }
    return frame


def _is_selected(value: str, role: str, where: Mapping[str, Any]) -> bool:
    """Return whether ``where`` keeps rows with this value of a role."""
    only, never = where.get(role), where.get(f"{role}!")
    is_only = only is None or value in (only if isinstance(only, list) else [only])
    return is_only and value not in (never if isinstance(never, list) else [never])


def _refuse_other_name(
    part: pd.DataFrame, role: str, value: str, file: Path, pattern: str = ""
) -> None:
    """Refuse a file or sheet with a column of the role that its own name supplies, with other values.

    `pattern` is that of the names of files.
    """
    for name in part.columns:
        if spelled(str(name)) == role and (part[name] != value).any():
            raise DataError(
                "column_of_two_roles", file=file, column=str(name),
                value=f"column {name} and name {value}",
                propose=[{"files": PLACEHOLDER.sub("*", pattern)}] if pattern else [],
            )  # fmt: skip


def _refuse_other_columns(files: Sequence[Path], parts: Sequence[pd.DataFrame]) -> None:
    """Refuse files of which one lacks a column of a role that another has."""
    roles = {spelled(name) for role in ROLES for name in (role, *ALSO.get(role, ()))}
    for file, part in zip(files, parts, strict=True):
        here = {spelled(str(name)) for name in part.columns}
        first = {spelled(str(name)) for name in parts[0].columns}
        differ = (here ^ first) & roles
        if differ:
            raise DataError(
                "files_differ", file=file, value=", ".join(sorted(differ)),
                expected=f"the columns of {files[0].name}",
            )  # fmt: skip


def _source(path: Path) -> str:
    """Return the name of a file or folder, with invisible characters as visible escapes."""
    return escape_invisible(path.name)


def build(
    frame: pd.DataFrame,
    given: dict[str, Any],
    source: str = "",
    file: str | None = None,
    votes: bool = False,
    whole: bool = True,
) -> Any:
    """Return the judgments of a text frame, declared by words.

    `whole` says that these are all rows, so that names that do not occur in them do not exist.
    """
    check_words_of_shape(given, file)
    given = _without_wrapper(given, frame.attrs.get("wrapper", ""))
    declared = given
    frame = frame.reset_index(drop=True)
    notes = Notes(file or source, separator=frame.attrs.get("separator", ""))
    _note_file(frame, notes)
    frame = fill_down(frame, given.get("fill_down", ()), notes, file)
    late = _supplied(given)
    where = given.get("where", {})
    early = {name: value for name, value in where.items() if name.removesuffix("!") not in late}
    frame = _only_where(frame, early, notes, file)
    given = dict(given)
    frame, roles = _reshape(frame, given, notes, file)
    kind_votes = votes or _are_comparisons(frame, roles)
    check_words_of_table(declared, kind_votes, file)
    found = _find_roles(frame, roles, kind_votes, file)
    used = {name: role for role, name in found.items()}
    unused = [str(name) for name in frame.columns if name not in used]
    if "each" in given and given["each"] not in unused:
        given["each"] = used.get(given["each"], given["each"])
    table = pd.DataFrame({role: frame[name] for role, name in found.items()})
    if "latest" in given:
        when = frame[find_column(frame, given["latest"], "latest", file)]
        kept = latest_rows(table, when, file)
        notes.leave_out("earlier_score", int((~kept).sum()))
        table, frame = table[kept].reset_index(drop=True), frame[kept].reset_index(drop=True)
    if whole:
        check_codes(given.get("codes", {}), (table[role] for role in table), file)
    if kind_votes:
        return build_votes(table, frame[unused], given, notes, source, file, found)
    return build_ratings(table, frame[unused], given, notes, source, file, found)


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


def _only_where(
    frame: pd.DataFrame, where: Mapping[str, Any], notes: Any, file: str | None
) -> pd.DataFrame:
    """Return the rows that ``where`` selects; the others are counted."""
    for name, value in where.items():
        excluding = name.endswith("!") and name not in frame
        column = find_column(frame, name.removesuffix("!") if excluding else name, "where", file)
        values = [each.strip() for each in (value if isinstance(value, list) else [value])]
        cells = frame[column].astype(str).str.strip()
        listed = cells.isin(values)
        shown = ", ".join(values)
        if not listed.any() or (excluding and listed.all()):
            known = list(cells.unique()[:5])
            nearest = [near for each in values if (near := suggest(each, known))]
            raise DataError(
                "where_keeps_nothing", file=file, column=column, value=shown,
                expected=", ".join(known), propose=[{"where": {name: each}} for each in nearest],
            )  # fmt: skip
        keep = ~listed if excluding else listed
        sentence = f"{column} is {shown}" if excluding else f"{column} is not {shown}"
        notes.leave_out("where", int((~keep).sum()), sentence)
        frame = frame[keep].reset_index(drop=True)
    return frame


def _reshape(
    frame: pd.DataFrame, given: dict[str, Any], notes: Notes, file: str | None
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
    frame, lost = explode_lists(frame, paths, file)
    notes.leave_out("empty_list", lost)
    if "split" in given:
        frame, supplied = split_columns(frame, given["split"], file)
        roles |= {role: role for role in supplied}
    if "files" in given:
        roles |= {role: role for role in PLACEHOLDER.findall(given["files"])}
    if "onehot" in given:
        role = marked_role(given["onehot"], file)
        if role in roles:
            raise DataError("two_shapes", file=file, value=f"--onehot --{role}")
        frame, roles[role] = read_onehot(frame, given["onehot"], given.get("codes", {}), file)
    if NUMBERED.search(roles.get("options", "")) and roles["options"] not in frame:
        for word in ("chosen", "worst"):
            frame = read_positions(frame, roles.get(word, ""), roles["options"], file)
        frame, roles["options"] = join_columns(frame, roles["options"], "options", file)
    patterns = {
        role: value
        for role, value in roles.items()
        if PLACEHOLDER.search(value) and value not in frame
    }
    if patterns:
        frame, patterns = expand_lists_of_patterns(frame, patterns, file)
        taken = [name for name in roles.values() if name in frame]
        frame = expand_patterns(frame, patterns, file, taken) if patterns else frame
        patterns = {role: roles[role] for role in roles if PLACEHOLDER.search(roles[role])}
        for pattern in patterns.values():
            for key in PLACEHOLDER.findall(pattern):
                if key in ROLES:
                    roles[key] = key
        roles |= {role: role for role in patterns}
    shapes = [f"--{word}" for word in WIDENED if word in given]
    if len(shapes) > 1:
        raise DataError("two_shapes", file=file, value=" ".join(shapes))
    for word, role in WIDENED.items():
        if word in given:
            frame = widen(frame, given[word], word, file)
            roles |= {role: role, "score": "score"}
    late = _supplied(given)
    after = {name: value for name, value in where.items() if name.removesuffix("!") in late}
    frame = _only_where(frame, after, notes, file)
    if "outcome" in given:
        winner = read_outcome(frame, given["outcome"], file)
        marks = [find_column(frame, name, "outcome", file) for name in given["outcome"].values()]
        frame = frame.drop(columns=marks).assign(winner=winner)
        roles["winner"] = "winner"
    if "options" in roles:
        frame, roles = _choices(frame, roles, given, notes, file)
    elif {"chosen", "worst"} & set(roles):
        raise DataError("missing_role", file=file, missing="options", columns=list_columns(frame))
    if "loser" in roles:
        frame, roles = _winner_and_loser(frame, roles, given, file)
    elif "tie" in roles:
        frame, roles = _flag_of_ties(frame, roles, file)
    return frame, roles


def _choices(
    frame: pd.DataFrame,
    roles: dict[str, str],
    given: dict[str, Any],
    notes: Notes,
    file: str | None,
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return choices among several outputs, or rankings of several, as comparisons."""
    chosen, worst, options = roles.pop("chosen", ""), roles.pop("worst", ""), roles.pop("options")
    if worst and not chosen:
        raise DataError("missing_role", file=file, missing="chosen", columns=list_columns(frame))
    if chosen:
        chosen = find_column(frame, chosen, "chosen", file)
    if worst:
        worst = find_column(frame, worst, "worst", file)
    options = find_column(frame, options, "options", file)
    if "question" in roles:
        column = find_column(frame, roles["question"], "question", file)
        frame, roles["question"] = frame.rename(columns={column: "question"}), "question"
    frame, nothing = expand_choices(frame, chosen, options, file, worst)
    notes.leave_out("nothing_chosen", nothing)
    if frame.empty:
        raise DataError("no_judgments", file=file)
    given["order"] = "unknown"
    return frame, roles | {role: role for role in VOTE_ROLES}


def _winner_and_loser(
    frame: pd.DataFrame, roles: dict[str, str], given: dict[str, Any], file: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return tables of winner and loser as comparisons whose order of presentation is not known."""
    winner = find_column(frame, roles.pop("winner", "winner"), "winner", file)
    loser = find_column(frame, roles.pop("loser"), "loser", file)
    outcome = pd.Series("left", frame.index)
    if "tie" in roles:
        tied = read_truth(frame, find_column(frame, roles.pop("tie"), "tie", file), file)
        outcome[tied] = "tie"
    else:
        refuse_flag_of_ties(frame, file)
    out = frame.rename(columns={winner: "left", loser: "right"}).assign(winner=outcome)
    out = out.drop(columns=[name for name in (given.get("tie"),) if name in out])
    given["order"] = "unknown"
    return out, roles | {role: role for role in VOTE_ROLES}


def _flag_of_ties(
    frame: pd.DataFrame, roles: dict[str, str], file: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the comparisons with a tie wherever the flag is true."""
    flag = find_column(frame, roles.pop("tie"), "tie", file)
    winner = find_column(frame, roles.get("winner", "winner"), "winner", file)
    tied = read_truth(frame, flag, file)
    out = frame.drop(columns=flag)
    out[winner] = out[winner].where(~tied, "tie")
    return out, roles | {"winner": winner}


def _find_roles(
    frame: pd.DataFrame, roles: Mapping[str, str], votes: bool, file: str | None
) -> dict[str, str]:
    """Return the column of each role: declared, or found by its exact name."""
    found = {
        role: find_column(frame, name, role, file) for role, name in roles.items() if role in ROLES
    }
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
                    "two_columns", file=file, column=role, value=" and ".join(columns),
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
        raise missing_roles(frame, roles, missing, votes, file)
    columns = list(found.values())
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        both = [role for role, name in found.items() if name == twice[0]]
        raise DataError("column_of_two_roles", file=file, column=twice[0], value=" and ".join(both))
    if not votes and len(frame) and np.ndim(frame[found["score"]]) != 1:
        raise DataError("not_a_column", file=file, column=found["score"])
    return found
