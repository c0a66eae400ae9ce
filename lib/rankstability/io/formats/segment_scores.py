"""Scores per system and segment, already averaged: WMT's ``ad-seg-scores`` and ``.seg.score``."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from ..delimited import BLANKS
from . import documents
from .files import (
    choose,
    clean_names,
    counted,
    first_line,
    locate,
    need_columns,
    read_counts,
    read_numbers,
    read_table,
    share_categories,
)

NAME = "segment_scores"
HEADER = "SYS SID RAW.SCR Z.SCR N"
COLUMNS = tuple(HEADER.split())
FILE_NAME = re.compile(r"ad-seg-scores-([a-z]{2,3}-[a-z]{2,3})\.csv(?:\.gz)?")
STAND_OFF = re.compile(r"([A-Za-z_]+-[A-Za-z_]+)\.(.+)\.seg\.score(?:\.gz)?")
NOT_JUDGED = "None"


def matches(path: Path) -> bool:
    """Return whether a file is ``ad-seg-scores-XX-YY.csv`` or ``XX-YY.NAME.seg.score``."""
    if FILE_NAME.fullmatch(path.name):
        return True
    return bool(STAND_OFF.fullmatch(path.name)) and len(first_line(path).split("\t")) == 2


def find_files(path: Path) -> dict[str, Path]:
    """Return the file of each language pair in a folder; of a file, that file alone.

    Raises DataError if a folder has several kinds of scores for one pair.
    """
    files = [path] if path.is_file() else sorted(path.iterdir())
    found: dict[str, Path] = {}
    for file in files:
        match = FILE_NAME.fullmatch(file.name) or STAND_OFF.fullmatch(file.name)
        if match is None:
            continue
        if match[1] in found:
            raise DataError("several_files_for_pair", file=file, value=match[1])
        found[match[1]] = file
    return found


def list_pairs(path: Path) -> list[str]:
    """Return the language pairs of the files, sorted."""
    return sorted(find_files(path))


def read(path: Path, pair: str = "") -> dict[str, Judgments]:
    """Read the scores of each language pair, or of one, from a folder or file.

    ``ad-seg-scores`` gives raw and standardised means and the number of judgments; a score of
    ``.seg.score`` is one judgment. Raises DataError for an unknown pair, and for a wrong value.
    """
    files = find_files(path)
    readers = {
        each: _read_averages if FILE_NAME.fullmatch(file.name) else _read_stand_off
        for each, file in files.items()
    }
    return {each: readers[each](files[each], each) for each in choose(pair, files, path)}


def _read_averages(file: Path, pair: str) -> Judgments:
    table = read_table(file, BLANKS, quoted=True)
    need_columns(table, COLUMNS, file)
    rows, stripped = clean_names(table, {"system": "SYS", "segment": "SID"}, file)
    refuse_twice(rows, file)
    rows["score"] = read_numbers(table, "RAW.SCR", file)
    penalties = (rows["score"] < 0).any() and not (rows["score"] > 0).any()
    scale = (float("-inf"), 0.0) if penalties else (0.0, 100.0)
    read_numbers(table, "RAW.SCR", file, *scale)
    rows["z"] = read_numbers(table, "Z.SCR", file)
    rows["judgments"] = read_counts(table, "N", file, 1)
    rows = rows.reset_index(drop=True)
    share_categories([rows], ("system", "segment"))
    documents.add_documents([rows], file.parent, pair)
    return Judgments(
        table=rows[["system", "segment", "document", "score", "z", "judgments"]],
        kind="segment_scores",
        pair=pair,
        notes=counted([(file.name, "blanks_around_names", stripped, "")]),
        scale=None if penalties else scale,
    )


def refuse_twice(rows: pd.DataFrame, file: Path) -> None:
    """Raise DataError for a second score of a system on a segment."""
    twice = rows.duplicated(["system", "segment"])
    if twice.any():
        place = int(np.argmax(twice.to_numpy()))
        row = rows.iloc[place]
        raise DataError(
            "output_scored_twice",
            file=file,
            line=int(rows.index[place]),
            value=f"{row['system']}, {row['segment']}",
        )


def read_stand_off_rows(file: Path) -> tuple[pd.DataFrame, int]:
    """Read ``.seg.score``: system, segment (line of the test set, from 0), score; and the unjudged.

    Raises DataError for a line that is not a system and a number or ``None``.
    """
    table = read_table(file, BLANKS, ("system", "score"))
    table["segment"] = table.groupby("system").cumcount().astype(str)
    judged = table[table["score"] != NOT_JUDGED]
    rows, _ = clean_names(judged, {"system": "system", "segment": "segment"}, file)
    rows["score"] = read_numbers(judged, "score", file)
    return rows.reset_index(drop=True), len(table) - len(judged)


def _read_stand_off(file: Path, pair: str) -> Judgments:
    rows, missing = read_stand_off_rows(file)
    listed = locate(file.parent.parent / "documents", f"{pair}.docs")
    rows["document"] = None
    if listed is not None:
        names = read_table(listed, BLANKS, ("domain", "document"))
        place = rows["segment"].astype(str).astype(int).to_numpy()
        if place.max() >= len(names):
            raise DataError(
                "wrong_number_of_segments", file=listed, value=len(names), expected=str(place.max())
            )
        for name in names:
            rows[name] = pd.Categorical(names[name].to_numpy()[place])
    return Judgments(
        table=rows,
        kind="leaderboard",
        pair=pair,
        excluded=counted([(file.name, "no_score", missing, "")]),
    )
