"""MQM collected with Appraise: the export of ESA, its scores all 0, the errors in the spans."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pandas as pd

from ..errors import DataError
from . import text
from .appraise import export, judged
from .mqm import COLUMNS

SEVERITIES = {"critical": "Critical", "major": "Major", "minor": "Minor", "neutral": "Neutral"}
SAME = {"Linguistic conventions/Punctuation": "Fluency/Punctuation"}  # weighs less than others


def is_mqm(file: Path) -> bool:
    """Whether an export with spans is of MQM: no score but 0, and a span that names an error."""
    return _is_mqm(*text.key(file))


@lru_cache(maxsize=64)
def _is_mqm(path: str, mtime: int, size: int) -> bool:
    try:
        rows = export(Path(path))
    except DataError:  # said when it is read
        return False
    return not rows["score"].any() and rows["spans"].str.contains('"error_type":\\s*["\\[]').any()


def read_appraise_mqm(files: tuple[Path, ...], pair: str) -> pd.DataFrame:
    """The marked errors of `pair`, in the form of `mqm.read_mqm`.

    Severity and category are the spans' (``Accuracy/Mistranslation``; punctuation as
    ``Fluency/Punctuation``, which weighs less); a segment without a span is ``No-error``. Only TGT
    rows without a mark count (`judgments.MARKS`); ``.attrs["excluded"]`` counts the others.

    Raises
    ------
    DataError
        As `appraise.read_appraise`; spans that cannot be read; an unknown severity.
    """
    rows, outside = judged(files, pair)
    keep = rows["mark"].eq("") & rows["type"].eq("SYSTEM")
    reason = rows["mark"].where(rows["mark"].ne(""), "control item (BAD)")[~keep]
    excluded = reason.value_counts().to_dict() | {why: n for _, why, n in outside}
    rows = rows[keep]
    order = pd.to_numeric(rows["segment"], errors="coerce")
    if order.isna().any():  # names, not numbers: numbered in order of name
        order = pd.Series(pd.factorize(rows["segment"], sort=True)[0], rows.index)
    errors = [
        (pair, *row[:3], row[3], row[4], *error)
        for *row, spans in zip(
            rows["system"], rows["document"], order.astype(int),
            order.groupby(rows["document"]).rank("dense").astype(int), rows["worker"],
            rows["spans"], strict=True,
        )
        for error in _errors(spans, files[0])
    ]  # fmt: skip
    frame = pd.DataFrame(errors, columns=list(COLUMNS))
    for column in ("pair", "system", "document", "rater", "category", "severity"):
        frame[column] = frame[column].astype("category")
    frame.attrs["excluded"] = {str(k): int(n) for k, n in sorted(excluded.items())}
    return frame


def _errors(spans: str, file: Path) -> list[tuple[str, str]]:
    """category, severity of each marked error; one ``No-error`` where none is."""
    try:
        marked = [(error["error_type"], str(error["severity"])) for error in json.loads(spans)]
    except (ValueError, TypeError, KeyError):
        raise DataError(
            "not a list of error spans", file=file, column="spans", value=spans[:80],
            expected='[{"severity": "major", "error_type": ["Accuracy", "Omission"]}, ...]'
        ) from None  # fmt: skip
    out = []
    for kind, severity in marked:
        if severity.lower() not in SEVERITIES:
            raise DataError(
                "unknown severity", file=file, column="spans", value=severity,
                expected=", ".join(SEVERITIES)
            )  # fmt: skip
        name = "/".join(kind) if isinstance(kind, list) else str(kind or "Other")
        name = SAME.get(name, name)
        out.append((name, SEVERITIES[severity.lower()]))
    return out or [("No-error", "No-error")]
