"""MQM error annotations as WMT releases them: one row per marked error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from ..mqm_weights import DEFAULT, sum_penalties, weigh_errors
from .files import choose, clean_names, counted, read_counts, split_header
from .languages import pair_in_name
from .mqm_rows import (
    CLEAN,
    ERRORS,
    NEEDED,
    RATING,
    find_columns,
    leave_out_controls,
    read_cells,
    unify_spelling,
)

NAME = "mqm"
HEADER = "system doc docSegId globalSegId rater source target category severity metadata"


def matches(path: Path) -> bool:
    """Return whether a file has the columns category and severity; without tabs, all that we need."""
    separator, cells = split_header(path)
    if separator != "\t":
        return find_columns(cells).keys() >= NEEDED
    return {"category", "severity"} <= {cell.lower() for cell in cells}


def list_pairs(files: Sequence[Path]) -> list[str]:
    """Return the language pairs in the names of the files, sorted."""
    return sorted({_pair_of(file) for file in files})


def read(
    files: Sequence[Path], pair: str = "", unmarked: str = "", weights: str = DEFAULT
) -> dict[str, Judgments]:
    """Read the ratings of each language pair, or of one; each file holds one pair.

    Parameters
    ----------
    files : sequence of Path
    pair : str
        Empty for all.
    unmarked : str
        What an output without any row means in files without rows of severity ``No-error``:
        ``clean`` (an output of a document that the annotator judged has no error) or ``missing``.
    weights : str
        A name of `mqm_weights.WEIGHTS`.

    Raises
    ------
    DataError
        For an unknown severity, a missing column, or a file without any ``No-error`` if `unmarked`
        is empty.
    """
    by_pair: dict[str, Path] = {}
    for file in files:
        of_file = _pair_of(file, pair if len(files) == 1 else "")
        if of_file in by_pair:
            raise DataError("several_files_for_pair", file=file, value=of_file)
        by_pair[of_file] = file
    chosen = choose(pair, by_pair, files[0])
    return {each: _read_file(by_pair[each], each, unmarked, weights) for each in chosen}


def _pair_of(file: Path, default: str = "") -> str:
    found = pair_in_name(file.name, joined=True) or default
    if not found:
        raise DataError("no_pair_in_name", file=file, expected="a name such as mqm.en-de.tsv")
    return found


def _read_file(file: Path, pair: str, unmarked: str, weights: str) -> Judgments:
    excluded: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    table = read_cells(file, excluded, notes)
    ids = {name: name for name in ("system", "document", "annotator", "category")}
    errors, notes["blanks_around_names"] = clean_names(table, ids, file)
    errors = errors.astype(object)
    for name in ("segment", "doc_segment"):
        if name in table:
            errors[name] = read_counts(table, name, file)
    if "segment" not in table:  # the release of 2022 en-zh numbers segments within documents
        place = errors.groupby(["document", "doc_segment"], sort=False).ngroup()
        errors["segment"] = place + 1
    errors = unify_spelling(errors, table, file)
    names_clean = bool((errors["severity"] == CLEAN).any())  # before attention checks add some
    errors = leave_out_controls(errors, excluded, notes)
    if errors.empty:
        raise DataError("no_rows", file=file)
    errors = _mark_clean(errors, names_clean, unmarked, file)
    _count_contradictions(errors, notes)
    return judgments_of_errors(
        errors, pair, file.name, excluded=excluded, notes=notes, weights=weights
    )


def judgments_of_errors(
    errors: pd.DataFrame,
    pair: str,
    file: str,
    *,
    excluded: Mapping[str, int],
    notes: Mapping[str, int],
    weights: str = DEFAULT,
) -> Judgments:
    """Return MQM judgments from marked errors (columns `ERRORS`), one per rating of a segment."""
    ids = ("system", "document", "annotator", "category", "severity")
    errors = errors[ERRORS].astype(dict.fromkeys(ids, "category")).reset_index(drop=True)
    errors["weight"] = weigh_errors(errors, weights)
    ratings = sum_penalties(errors, weights)
    ratings["score"] = 0.0 - ratings.pop("penalty")
    ratings = ratings.astype(dict.fromkeys(("system", "document", "annotator"), "category"))
    return Judgments(
        table=ratings,
        kind="mqm",
        pair=pair,
        errors=errors,
        excluded=counted((file, code, rows, "") for code, rows in sorted(excluded.items())),
        notes=counted((file, code, rows, "") for code, rows in sorted(notes.items())),
        declared={} if weights == DEFAULT else {"weights": weights},
    )


def _mark_clean(errors: pd.DataFrame, names_clean: bool, unmarked: str, file: Path) -> pd.DataFrame:
    """Stop, or add clean outputs, if no output is marked as clean."""
    if names_clean or unmarked == "missing":
        return errors
    if not unmarked:
        raise DataError(
            "unmarked_outputs",
            file=file,
            alternatives=[{"unmarked": "clean"}, {"unmarked": "missing"}],
        )
    outputs = errors[["document", "segment", "doc_segment"]].drop_duplicates()
    systems = errors[["document", "system"]].drop_duplicates()
    annotators = errors[["document", "annotator"]].drop_duplicates()
    every = outputs.merge(systems).merge(annotators)[RATING]
    rated = pd.MultiIndex.from_frame(errors[RATING])
    clean = every[~pd.MultiIndex.from_frame(every).isin(rated)]
    return pd.concat([errors, clean.assign(category=CLEAN, severity=CLEAN)], ignore_index=True)


def _count_contradictions(errors: pd.DataFrame, notes: Counter[str]) -> None:
    """Count rows that say two things; the errors and the severities count."""
    clean = errors["severity"] == CLEAN
    rating = [errors[name] for name in RATING]
    both = clean.groupby(rating).transform("any") & (~clean).groupby(rating).transform("any")
    notes["clean_and_error"] = int((both & clean).sum())
    notes["clean_in_one_column"] = int(((errors["category"] == CLEAN) != clean).sum())
