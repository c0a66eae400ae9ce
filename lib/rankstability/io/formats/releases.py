"""Releases with a form of their own, which are read as they were released."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from .files import (
    choose,
    clean_names,
    counted,
    need_columns,
    need_fields,
    read_counts,
    read_head,
    read_numbers,
    read_records,
    read_table,
)
from .languages import pair_in_name, pair_of
from .mqm import judgments_of_errors
from .mqm_rows import CLEAN, ERRORS

BIO_MQM = ("MT_Engine", "DOC_ID", "SEG_ID", "Annotator_ID", "target_errors")
LOCALES = re.compile(r'"(source|target)_locale"\s*:\s*"([^"]*)"')
BIO_WEIGHTS = "zouhar2024"
SEVERITIES = ("Major", "Minor", "Neutral", "Critical")
MQM_COLUMNS = ("system", "document", "segment", "bucket", "rater", "score")


def list_bio_mqm_pairs(files: Sequence[Path]) -> list[str]:
    """Return the language pairs of the files, sorted."""
    return sorted({_bio_pair(file) for file in files})


def _bio_pair(file: Path) -> str:
    """Return the pair of a file's first locales; without any, of its name."""
    locales = dict(reversed(LOCALES.findall(read_head(file))))
    sides = [locales.get(side, "")[:2] for side in ("source", "target")]
    found = pair_of("-".join(sides)) if all(sides) else pair_in_name(file.name)
    if not found:
        raise DataError("no_pair_in_name", file=file)
    return found


def read_bio_mqm(files: Sequence[Path], pair: str = "") -> dict[str, Judgments]:
    """Read the ratings of amazon-science/bio-mqm-dataset, with its authors' weights.

    Each object is a rating with its ``target_errors``; errors in the source are counted as left
    out. Raises DataError for a missing field, an empty name, an unknown severity, or a second
    rating of an output by an annotator.
    """
    by_pair: dict[str, list[Path]] = {}
    for file in files:
        by_pair.setdefault(_bio_pair(file), []).append(file)
    chosen = choose(pair, by_pair, files[0])
    return {each: _read_bio_pair(by_pair[each], each) for each in chosen}


def _read_bio_pair(files: Sequence[Path], pair: str) -> Judgments:
    excluded: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    parts = [_read_ratings(file, excluded, notes) for file in files]
    ratings = pd.concat(parts, ignore_index=True)
    key = ["system", "document", "doc_segment", "annotator"]
    twice = ratings.duplicated(key)
    if twice.any():
        row = ratings[twice].iloc[0]
        raise DataError(
            "output_rated_twice", file=files[0], value=", ".join(str(row[name]) for name in key)
        )
    ratings["segment"] = ratings.groupby(["document", "doc_segment"]).ngroup() + 1
    errors = ratings.explode("error", ignore_index=True)
    kinds = pd.DataFrame(errors.pop("error").to_list(), columns=["category", "severity"])
    errors = errors.assign(**kinds)[ERRORS]
    names = ", ".join(file.name for file in files)
    return judgments_of_errors(
        errors, pair, names, excluded=excluded, notes=notes, weights=BIO_WEIGHTS
    )


def _read_ratings(file: Path, excluded: Counter[str], notes: Counter[str]) -> pd.DataFrame:
    rows = []
    lines = []
    for line, entry in read_records(file):
        need_fields(entry, BIO_MQM, file, line)
        marked = entry["target_errors"]
        excluded["source_error"] += len(entry.get("source_errors", ()))
        notes["rating_without_error"] += not marked
        errors = [_bio_error(error, file, line) for error in marked] or [(CLEAN, CLEAN)]
        rows.append([*(str(entry[name]) for name in BIO_MQM[:4]), errors])
        lines.append(line)
    table = pd.DataFrame(rows, columns=[*BIO_MQM[:4], "error"], index=lines, dtype=object)
    ids = {"system": "MT_Engine", "document": "DOC_ID", "annotator": "Annotator_ID"}
    ratings, stripped = clean_names(table, ids, file)
    notes["blanks_around_names"] += stripped
    ratings = ratings.astype(object)
    ratings["doc_segment"] = read_counts(table, "SEG_ID", file)
    ratings["error"] = table["error"]
    return ratings


def _bio_error(error: Any, file: Path, line: int) -> tuple[str, str]:
    about = error if isinstance(error, dict) else {}
    parts = [about.get(name) for name in ("error_category", "error_subcategory")]
    severity = str(about.get("severity")).strip().capitalize()
    if severity not in SEVERITIES or not parts[0]:
        raise DataError(
            "not_an_mqm_error", file=file, line=line, column="target_errors", value=str(error)[:80]
        )
    return "/".join(str(part).replace("_", " ") for part in parts if part), severity


def list_mqm_columns_pairs(files: Sequence[Path]) -> list[str]:
    """Return the language pairs in the names of the files, sorted."""
    return sorted(pair_in_name(file.name) for file in files)


def read_mqm_columns(files: Sequence[Path], pair: str = "") -> dict[str, Judgments]:
    """Read MQM scores that were released by column, with annotators that were inferred.

    The columns are system, document, segment, bucket, column, rater and score (a penalty, at most
    0). Raises DataError for a wrong value.
    """
    by_pair = {pair_in_name(file.name): file for file in files}
    chosen = choose(pair, by_pair, files[0])
    return {each: _read_columns(by_pair[each], each) for each in chosen}


def _read_columns(file: Path, pair: str) -> Judgments:
    table = read_table(file)
    need_columns(table, MQM_COLUMNS, file)
    ids = {"system": "system", "document": "document", "annotator": "rater", "bucket": "bucket"}
    rows, stripped = clean_names(table, ids, file)
    rows["segment"] = read_counts(table, "segment", file)
    rows["score"] = read_numbers(table, "score", file, -np.inf, 0)
    columns = ["system", "document", "segment", "annotator", "bucket", "score"]
    rows = rows[columns].sort_values(columns[:4], ignore_index=True)
    return Judgments(
        table=rows,
        kind="mqm",
        pair=pair,
        notes=counted([(file.name, "blanks_around_names", stripped, "")]),
    )
