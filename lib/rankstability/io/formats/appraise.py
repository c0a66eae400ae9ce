"""Exports of the Appraise interface: scores of segments and documents, with or without a header.

An account (``username``, one per annotation task) is taken for an annotator, as in the official
rankings from Appraise, unless ``annotators.tsv`` beside the export, the catalogue or the export
itself names the annotator.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from .appraise_rows import MARKS, identify_segments, mark_rows, seconds_spent, split_document
from .files import (
    clean_names,
    counted,
    first_line,
    keep_while_unchanged,
    need_columns,
    need_words,
    read_numbers,
    read_table,
    refuse_repeated_file,
    share_categories,
)
from .languages import language_code

NAME = "appraise"
COMMON = ("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score")
DOCUMENT = ("docId", "isDocScore")
TIMES = ("timeStart", "timeEnd")
BATCH = ("batchNo", "item_id")  # at the end of exports with --batch-info
LAYOUTS = {
    "segment": (*COMMON, *TIMES),
    "document": (*COMMON, *DOCUMENT, *TIMES),
    "esa": (*COMMON, *DOCUMENT, "spans", *TIMES),
    "nrc": ("annotator", *COMMON, *DOCUMENT, *TIMES),
}
HEADER = " ".join(LAYOUTS["document"])
OTHER_NAMES = {
    "documentid": "docId",
    "iscompletedocument": "isDocScore",
    "isdocumentlevelscore": "isDocScore",
    "docscore": "isDocScore",
    "start": "timeStart",
    "end": "timeEnd",
    "hitid": "username",
    "segid": "itemId",
    "src": "srcLang",
    "tgt": "trgLang",
} | {name.lower(): name for name in (*COMMON, *DOCUMENT, *TIMES)}
ITEM_TYPES = {"TGT": "SYSTEM", "BAD": "BAD_REF", "REF": "REF", "CHK": "REPEAT"}
YES, NO = ("true", "1", "yes"), ("false", "0", "no")
ANNOTATORS = "annotators.tsv"
SEGMENTS = re.compile(r"segments-.+\.tsv")
FILE_NAME = r"[^.]+\.[a-z]+-[a-z]+\.(?:hyp\.|(?=ref\.))(.+)\.[a-z]+\.txt|^wmt\d\d\.(.+)"
DOMAIN = r"^test-[a-z]+-([A-Za-z0-9]+)_"  # in a document's name, since WMT24
EARLIEST = 1e6  # below any time in seconds since 1970
SAME_JUDGMENTS = ["system", "item", "item_type", "score", "block", "spans"]
COPIED = 20  # different judgments that no two accounts give alike
IDS = ("annotator", "hit", "system", "segment", "document", "block", "item_type", "domain", "mark")


def find_layout(path: Path) -> tuple[tuple[str, ...], bool]:
    """Return the columns of an export, and whether it has a header; no columns for other files."""
    cells = next(csv.reader([first_line(path)]), [])
    names = tuple(OTHER_NAMES.get(name.strip().lower(), name) for name in cells)
    for columns in LAYOUTS.values():
        if names in (columns, (*columns, *BATCH)):
            return names, True
    for columns in LAYOUTS.values():
        for whole in (columns, (*columns, *BATCH)):
            if len(cells) == len(whole) and _fits(dict(zip(whole, cells, strict=True))):
                return whole, False
    return (), False


def _fits(cell: Mapping[str, str]) -> bool:
    """Return whether the cells of a row without a header are where a layout has them."""
    if cell["itemType"] not in ITEM_TYPES:
        return False
    times = [_number(cell[name]) for name in TIMES]
    if "docId" not in cell:
        return all(time > EARLIEST or time == 0 for time in times)
    swapped = [_number(cell[name]) for name in DOCUMENT]
    return not all(time > EARLIEST for time in swapped) and not cell["timeStart"].startswith("[")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


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
    known = list_pairs(files)
    if pair and pair not in known:
        raise DataError("unknown_pair", file=files[0], value=pair, expected=", ".join(known))
    return {each: _read_pair(files, each, accounts) for each in ([pair] if pair else known)}


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


@keep_while_unchanged(calls=6)
def read_export(file: Path) -> pd.DataFrame:
    """Read the rows of an export: annotator, hit (the account), system, item, item_type, pair, ...

    Also score, block (the docId), document (without its marks), marks, domain, whole (whether the
    score is that of a document), start, time (seconds) and spans. Raises DataError for a wrong
    value, among them an isDocScore that is neither true nor false.
    """
    columns, has_header = find_layout(file)
    if not columns:
        raise DataError("not_appraise", file=file, line=1, value=first_line(file)[:80])
    table = read_table(file, columns=() if has_header else columns)
    table.columns = pd.Index(columns)
    ids = {"hit": "username", "system": "system", "item": "itemId", "item_type": "itemType"}
    if "annotator" in columns:
        ids["annotator"] = "annotator"
    rows, stripped = clean_names(table, ids, file)
    need_words(table, "itemType", file, ITEM_TYPES)
    rows = rows.astype(object)
    rows["item_type"] = rows["item_type"].map(ITEM_TYPES)
    rows["score"] = read_numbers(table, "score", file, 0, 100)
    codes = [table[name].map({code: language_code(code) for code in table[name].unique()})
             for name in ("srcLang", "trgLang")]  # fmt: skip
    rows["pair"] = codes[0] + "-" + codes[1]
    if "annotator" not in rows:
        rows["annotator"] = rows["hit"]
    for ours, theirs in {"block": "docId", "spans": "spans"}.items():
        rows[ours] = table[theirs].str.strip().astype(object) if theirs in columns else ""
    rows["whole"] = _read_truth(table, "isDocScore", file) if "isDocScore" in columns else False
    times = table[list(TIMES)].apply(pd.to_numeric, errors="coerce")
    times = times.where(np.isfinite(times))
    rows["start"] = times["timeStart"]
    rows["time"] = seconds_spent(rows["hit"], times["timeStart"], times["timeEnd"])
    exported = set(rows["system"])
    rows["system"] = rows["system"].str.replace(FILE_NAME, r"\1\2", regex=True)
    systems = exported | set(rows["system"])
    split = {block: split_document(block, systems) for block in rows["block"].unique()}
    rows["document"] = rows["block"].map({block: parts[0] for block, parts in split.items()})
    rows["marks"] = rows["block"].map({block: parts[1] for block, parts in split.items()})
    rows["domain"] = rows["document"].str.extract(DOMAIN)[0].fillna("")
    rows.attrs["stripped"] = stripped
    return rows


def _read_truth(table: pd.DataFrame, column: str, file: Path) -> pd.Series:
    plain = table[column].str.strip().str.lower()
    need_words(table.assign(**{column: plain}), column, file, (*YES, *NO))
    return plain.isin(YES)


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
