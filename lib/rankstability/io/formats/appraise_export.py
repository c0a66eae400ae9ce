"""Rows of an export of Appraise: its columns, with or without a header, and their values."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ...errors import DataError
from .appraise_rows import seconds_spent, split_document
from .files import (
    clean_names,
    first_line,
    keep_while_unchanged,
    need_words,
    read_numbers,
    read_table,
)
from .languages import language_code

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
FILE_NAME = r"[^.]+\.[a-z]+-[a-z]+\.(?:hyp\.|(?=ref\.))(.+)\.[a-z]+\.txt|^wmt\d\d\.(.+)"
DOMAIN = r"^test-[a-z]+-([A-Za-z0-9]+)_"  # in a document's name, since WMT24
EARLIEST = 1e6  # below any time in seconds since 1970


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
