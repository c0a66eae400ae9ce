"""MQM in exports of Appraise: the twelve columns of ESA, with scores of 0 and the errors in spans."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from ..mqm_weights import DEFAULT
from .appraise import is_companion, list_pairs, read_rows
from .appraise_export import LAYOUTS, find_layout, read_export
from .files import choose
from .mqm import judgments_of_errors
from .mqm_rows import CLEAN

__all__ = ["HEADER", "NAME", "has_scores", "list_pairs", "matches", "read"]

NAME = "appraise_mqm"
HEADER = " ".join(LAYOUTS["esa"])
SEVERITIES = {
    "critical": "Critical",
    "major": "Major",
    "minor": "Minor",
    "neutral": "Neutral",
}
PUNCTUATION = {"Linguistic conventions/Punctuation": "Fluency/Punctuation"}  # has its own weight
NAMES_AN_ERROR = r'"error_type":\s*["\[]'


def has_scores(path: Path) -> bool:
    """Return whether an export with spans is ESA; MQM has scores of 0 and types of errors."""
    try:
        rows = read_export(path)
    except DataError:  # reported when the file is read
        return True
    return bool(rows["score"].any()) or not rows["spans"].str.contains(NAMES_AN_ERROR).any()


def matches(path: Path) -> bool:
    """Return whether a file is an export with error spans, in which all scores are 0."""
    columns, _ = find_layout(path)
    return "spans" in columns and not has_scores(path)


def read(
    files: Sequence[Path],
    pair: str = "",
    accounts: Mapping[str, Sequence[str]] | None = None,
    weights: str = DEFAULT,
) -> dict[str, Judgments]:
    """Read the marked errors of each language pair, or of one, from the spans.

    A segment without a span has no error. Only outputs of systems without a mark count. Raises
    DataError for spans that cannot be read, an unknown severity, and as `appraise.read` does.
    """
    chosen = choose(pair, list_pairs(files), files[0])
    return {each: _read_pair(files, each, accounts, weights) for each in chosen}


def _read_pair(
    files: Sequence[Path],
    pair: str,
    accounts: Mapping[str, Sequence[str]] | None,
    weights: str,
) -> Judgments:
    rows, outside, noted = read_rows(files, pair, accounts)
    ranked = rows["mark"].eq("") & rows["item_type"].eq("SYSTEM")
    left_out = rows["mark"].replace("", "reference_or_control")[~ranked]
    excluded = left_out.value_counts().to_dict()
    excluded |= {code: count for _, code, count, _ in outside}
    rows = rows[ranked]
    order = pd.to_numeric(rows["segment"], errors="coerce")
    if order.isna().any():  # names, not numbers: numbered in the order of the names
        order = pd.Series(pd.factorize(rows["segment"], sort=True)[0], rows.index)
    place = order.groupby(rows["document"]).rank("dense").astype(int)
    exports = [file for file in files if not is_companion(file)]
    rows = rows.assign(
        error=[_read_spans(spans, exports[0]) for spans in rows["spans"]],
        segment=order.astype(int),
        doc_segment=place,
    )
    errors = rows.explode("error", ignore_index=True)
    kinds = pd.DataFrame(errors.pop("error").to_list(), columns=["category", "severity"])
    notes = {code: count for _, code, count, _ in noted}
    names = ", ".join(file.name for file in exports)
    return judgments_of_errors(
        errors.assign(**kinds), pair, names, excluded=excluded, notes=notes, weights=weights
    )


def _read_spans(spans: str, file: Path) -> list[tuple[str, str]]:
    """Return the category and severity of each marked error; one ``No-error`` if there is none."""
    try:
        marked: list[tuple[Any, str]] = [
            (error["error_type"], str(error["severity"])) for error in json.loads(spans)
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        form = '[{"severity": "major", "error_type": ["Accuracy", "Omission"]}, ...]'
        raise DataError(
            "not_error_spans", file=file, column="spans", value=spans[:80], expected=form
        ) from None
    errors = []
    for kind, severity in marked:
        if severity.lower() not in SEVERITIES:
            raise DataError(
                "unknown_word",
                file=file,
                column="spans",
                value=severity,
                expected="one of " + ", ".join(SEVERITIES),
            )
        category = "/".join(kind) if isinstance(kind, list) else str(kind or "Other")
        errors.append((PUNCTUATION.get(category, category), SEVERITIES[severity.lower()]))
    return errors or [(CLEAN, CLEAN)]
