"""The files and sheets that are read, as one frame of text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import DataError, about_file
from . import settings
from .columns import ALSO, spelled
from .declare import ROLES
from .effect import (
    check_words_of_file,
)
from .notes import list_unread
from .paths import ending_of
from .patterns import PLACEHOLDER, match_pattern, roles_in
from .table import ENDINGS, read_frame
from .workbook import read_sheets, sheet_names

MAX_TRIED = 1 << 18  # bytes of a large file on which it is checked first
Frames = dict[tuple[str, ...], tuple[pd.DataFrame, str]]


def load_frame(
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
            with about_file(file):
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
