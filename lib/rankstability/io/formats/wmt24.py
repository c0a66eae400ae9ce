"""The unified release of WMT24 (``wmt24_esa.jsonl``): one ESA score per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ...judgments import Judgments
from .files import need_fields, read_head, read_records
from .ratings import judgments_of_rows

NAME = "wmt24"
HEADER = "langs line_id doc_id domain esa_score system annotator"
FIELDS = {
    "pair": "langs",
    "segment": "line_id",
    "system": "system",
    "score": "esa_score",
    "annotator": "annotator",
}
OPTIONAL = {"document": "doc_id", "domain": "domain"}


def matches(path: Path) -> bool:
    """Return whether a file's objects have an esa_score, a line_id and a system."""
    head = read_head(path)
    return all(f'"{name}"' in head for name in ("esa_score", "line_id", "system"))


def read(files: Sequence[Path], pair: str = "") -> dict[str, Judgments]:
    """Read the scores of each language pair, or of one; the segment is the line of the test set.

    Raises DataError for a missing field or a wrong score.
    """
    rows = []
    for line, entry in read_records(files[0]):
        need_fields(entry, FIELDS.values(), files[0], line)
        cells = {ours: entry.get(theirs) for ours, theirs in (FIELDS | OPTIONAL).items()}
        rows.append((line, cells))
    return judgments_of_rows(files[0], rows, pair, Counter(), Counter())
