"""WMT direct assessment as released: ``ad-latest.csv`` and ``ad-good-raw-redup.csv``.

``ad-latest`` holds the raw scores of all annotators, from which their means and standard deviations
are computed. ``ad-good-raw-redup`` holds the judgments that are ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
    keep_while_unchanged,
    locate,
    need_words,
    read_numbers,
    read_table,
    share_categories,
    split_header,
)
from .judged_rows import count_second_scores, refuse_contradictions, split_joined_systems

NAME = "wmt_da"
HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
COLUMNS = tuple(HEADER.split())
ALL_ROWS, RANKED = "ad-latest.csv", "ad-good-raw-redup.csv"
TYPES = ("SYSTEM", "REPEAT", "REF", "BAD_REF")
OURS = {
    "annotator": "WorkerId",
    "hit": "HITId",
    "system": "sys_id",
    "segment": "sid",
    "item_type": "type",
    "block": "rid",
}
OPTIONAL = ("hit", "block")
TABLE = ["system", "segment", "document", "annotator", "hit", "block", "item_type", "score", "time"]


def matches(path: Path) -> bool:
    """Return whether a file has the twelve columns of WMT direct assessment, with header or not."""
    _, cells = _first_cells(path)
    if set(cells) == set(COLUMNS):
        return True
    return len(cells) == len(COLUMNS) and cells[8] in TYPES


def _first_cells(path: Path) -> tuple[str, list[str]]:
    """Return what separates the cells of the first line, and the cells."""
    separator, cells = split_header(path)
    if len(cells) == len(COLUMNS):
        return separator, cells
    return BLANKS, first_line(path).split()


def find_files(path: Path) -> tuple[Path, Path]:
    """Return the files ``ad-latest`` and ``ad-good-raw-redup``; a single file serves as both.

    Raises DataError if a folder lacks one of the two.
    """
    if path.is_file() and path.name.removesuffix(".gz") not in (ALL_ROWS, RANKED):
        return path, path
    folder = path.parent if path.is_file() else path
    found = [locate(folder, name) for name in (ALL_ROWS, RANKED)]
    if found[0] is None or found[1] is None:
        missing = ALL_ROWS if found[0] is None else RANKED
        raise DataError("missing_file", file=folder, value=missing)
    return found[0], found[1]


def list_pairs(path: Path) -> list[str]:
    """Return the language pairs of the judgments that are ranked, sorted."""
    rows, _ = _read_rows(find_files(path)[1])
    return sorted(rows["pair"].cat.categories)


def read(path: Path, pair: str = "") -> dict[str, Judgments]:
    """Read the judgments of each language pair, or of one.

    Parameters
    ----------
    path : Path
        A folder with both files, or one file in the same form. ``documents-XX-YY.tsv`` (sid,
        document) beside it names the documents.
    pair : str
        For example ``de-en``; empty for all.

    Raises
    ------
    DataError
        If a file or the pair is missing, or a value in a file is wrong.
    """
    files = list(dict.fromkeys(find_files(path)))
    return {each: _read_pair(files, each) for each in choose(pair, list_pairs(path), files[-1])}


@keep_while_unchanged(calls=2)
def _read_rows(file: Path) -> tuple[pd.DataFrame, int]:
    """Return the checked rows of all pairs, and how many names had blanks around them."""
    separator, cells = _first_cells(file)
    table = _read_cells(file, separator, named=set(cells) == set(COLUMNS))
    rows, stripped = clean_names(table, OURS, file, OPTIONAL)
    need_words(rows, "item_type", file, TYPES)
    rows["score"] = read_numbers(table, "score", file, 0, 100)
    rows["time"] = pd.to_numeric(table["time"], errors="coerce")
    languages = table["Input.src"].str.strip() + "-" + table["Input.trg"].str.strip()
    rows["pair"] = languages.astype("category")
    return rows, stripped


def _read_cells(file: Path, separator: str, named: bool) -> pd.DataFrame:
    """Return the cells; in some releases, tabs and blanks separate the cells of one file."""
    columns = () if named else COLUMNS
    try:
        table = read_table(file, separator, columns, quoted=separator in (",", ";"))
    except DataError as error:
        if separator != "\t" or error.code != "wrong_number_of_cells":
            raise
        table = read_table(file, BLANKS, columns, quoted=False)
    table["sys_id"] = table["sys_id"].str.replace(r'^"(.*)"$', r"\1", regex=True)
    return table


def _read_pair(files: Sequence[Path], pair: str) -> Judgments:
    frames: list[pd.DataFrame] = []
    for file in files:
        every, stripped = _read_rows(file)
        inside = every[every["pair"] == pair].drop(columns="pair")
        if inside.empty:
            raise DataError("unknown_pair", file=file, value=pair)
        frames.append(inside)
    ranked = files[-1].name
    notes = [
        (ranked, "blanks_around_names", stripped, ""),
        (ranked, "identical_rows", int(frames[-1].duplicated().sum()), ""),
        (ranked, "second_score", count_second_scores(frames[-1]), ""),
    ]
    outside = len(every) - len(inside)
    excluded = counted([(ranked, "other_pairs", outside, "")])
    refuse_contradictions(frames[0], frames[-1], files[-1])
    all_rows = frames[0].reset_index(drop=True)
    table, joined = split_joined_systems(frames[-1].reset_index(drop=True))
    notes.append((ranked, "joined_systems", joined, ""))
    both = [all_rows, table]
    share_categories(both, OURS)
    documents.add_documents(both, files[-1].parent, pair)
    return Judgments(
        table=table[TABLE],
        all_rows=all_rows[TABLE],
        kind="direct_assessment",
        pair=pair,
        excluded=excluded,
        notes=counted(notes),
        scale=(0.0, 100.0),
    )
