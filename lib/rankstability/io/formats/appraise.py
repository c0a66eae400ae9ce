"""Exports of the Appraise interface: scores of segments and documents, with or without a header.

An account (``username``, one per annotation task) is taken for an annotator, as in the official
rankings from Appraise, unless ``annotators.tsv`` beside the export, the catalogue or the export
itself names the annotator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from .appraise_export import LAYOUTS, find_layout, read_export
from .appraise_rows import MARKS, mark_rows
from .appraise_segments import identify_segments
from .files import (
    choose,
    counted,
    need_columns,
    read_table,
    refuse_repeated_file,
    share_categories,
)

NAME = "appraise"
HEADER = " ".join(LAYOUTS["document"])
ANNOTATORS = "annotators.tsv"
SEGMENTS = re.compile(r"segments-.+\.tsv")
SAME_JUDGMENTS = ["system", "item", "item_type", "score", "block", "spans"]
COPIED = 20  # different judgments that no two accounts give alike
IDS = ("annotator", "hit", "system", "segment", "document", "block", "item_type", "domain", "mark")


def matches(path: Path) -> bool:
    """Return whether a file is an export without error spans."""
    columns, _ = find_layout(path)
    return bool(columns) and "spans" not in columns


def is_companion(file: Path) -> bool:
    """Return whether a file lists the segments or the annotators of an export."""
    name = file.name.removesuffix(".gz")
    return name == ANNOTATORS or SEGMENTS.fullmatch(name) is not None


def list_pairs(files: Sequence[Path]) -> list[str]:
    """Return the language pairs of the exports, sorted."""
    exports = [file for file in files if not is_companion(file)]
    return sorted({pair for file in exports for pair in read_export(file)["pair"].unique()})


def read(
    files: Sequence[Path], pair: str = "", accounts: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Judgments]:
    """Read the judgments of each language pair, or of one.

    Parameters
    ----------
    files : sequence of Path
        Exports, and perhaps ``segments-XX-YY.tsv`` and ``annotators.tsv`` (username, annotator).
    pair : str
        Empty for all.
    accounts : mapping, optional
        The accounts of each annotator, as patterns such as ``sggdeu08*``.

    Returns
    -------
    dict
        `Judgments` by pair. ``all_rows`` has a column ``mark`` that says why a row is not ranked
        (see `appraise_rows.MARKS`); ``table`` holds the rows without a mark.

    Raises
    ------
    DataError
        For a wrong value in a file, and if the segments of most rows are unknown.
    """
    chosen = choose(pair, list_pairs(files), files[0])
    return {each: _read_pair(files, each, accounts) for each in chosen}


def _read_pair(
    files: Sequence[Path], pair: str, accounts: Mapping[str, Sequence[str]] | None
) -> Judgments:
    rows, excluded, notes = read_rows(files, pair, accounts)
    marks = rows["mark"].value_counts()
    names = ", ".join(file.name for file in files if not is_companion(file))
    excluded += [(names, mark, int(marks.get(mark, 0)), "") for mark in MARKS]
    columns = [*IDS, "score", "time"]
    all_rows = rows[columns].copy()
    for name in IDS:
        cells = all_rows[name].astype(object)
        all_rows[name] = pd.Categorical(cells.where(~cells.isin(["", "NA"])))
    table = all_rows[all_rows["mark"].isna()].drop(columns="mark").reset_index(drop=True)
    share_categories([all_rows, table], [name for name in IDS if name != "mark"])
    notes += count_repeats(table, names)
    return Judgments(
        table=table,
        all_rows=all_rows,
        kind="direct_assessment",
        pair=pair,
        excluded=counted(excluded),
        notes=counted(notes),
        scale=(0.0, 100.0),
    )


def count_repeats(table: pd.DataFrame, file: str) -> list[tuple[str, str, int, str]]:
    """Return notes on rows without times (file, code, rows, detail)."""
    return [(file, "no_time", int(table["time"].isna().sum()), "")]


def read_rows(
    files: Sequence[Path], pair: str, accounts: Mapping[str, Sequence[str]] | None = None
) -> tuple[pd.DataFrame, list[tuple[str, str, int, str]], list[tuple[str, str, int, str]]]:
    """Return all rows of a pair with segments, annotators and marks; excluded rows; and notes."""
    exports = [file for file in files if not is_companion(file)]
    beside = {file.name.removesuffix(".gz"): file for file in files if is_companion(file)}
    excluded = []
    notes = []
    parts = []
    for file in exports:
        rows = read_export(file)
        inside = rows["pair"] == pair
        excluded.append((file.name, "other_pairs", int((~inside).sum()), ""))
        notes.append((file.name, "blanks_around_names", rows.attrs["stripped"], ""))
        parts.append(rows[inside])
    refuse_repeated_file(exports, [part[["hit", *SAME_JUDGMENTS]] for part in parts])
    refuse_repeated_file(exports, [part[SAME_JUDGMENTS] for part in parts], at_least=COPIED)
    rows = pd.concat(parts, ignore_index=True)
    rows.attrs = {}
    rows["mark"] = mark_rows(rows)
    rows = identify_segments(rows, beside.get(f"segments-{pair}.tsv"), exports[0])
    if accounts:
        rows["annotator"] = _annotators_by_pattern(rows["hit"], accounts, exports[0])
    elif ANNOTATORS in beside:
        rows["annotator"] = _annotators_by_list(rows["hit"], beside[ANNOTATORS])
    return rows, excluded, notes


def _annotators_by_pattern(
    hits: pd.Series, accounts: Mapping[str, Sequence[str]], file: Path
) -> pd.Series:
    annotator_of = {}
    for hit in hits.unique():
        fits = [
            name
            for name, patterns in accounts.items()
            if any(fnmatchcase(hit, pattern) for pattern in patterns)
        ]
        if len(fits) != 1:
            raise DataError("account_without_annotator", file=file, column="username", value=hit)
        annotator_of[hit] = fits[0]
    return hits.map(annotator_of)


def _annotators_by_list(hits: pd.Series, file: Path) -> pd.Series:
    table = read_table(file, "\t")
    need_columns(table, ("username", "annotator"), file)
    annotators = table.groupby("username")["annotator"].unique()
    for hit in sorted(hits.unique()):
        if len(annotators.get(hit, ())) != 1:
            raise DataError("account_without_annotator", file=file, column="username", value=hit)
    return hits.map(annotators.str[0])
