"""The release of WMT25 (``wmt25-genmt-humeval.jsonl``): a segment per line, two annotations each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...judgments import Judgments
from .files import need_fields, read_head, read_records
from .ratings import Row, judgments_of_rows

NAME = "wmt25"
HEADER = "doc_id tgt_text scores"
DRAFT = re.compile(r"human(\d+)")
ANNOTATIONS = 2  # of each system on each segment


def matches(path: Path) -> bool:
    """Return whether a file's objects have a doc_id, tgt_text and scores."""
    head = read_head(path)
    return all(f'"{name}"' in head for name in HEADER.split())


def read(files: Sequence[Path], pair: str = "") -> dict[str, Judgments]:
    """Read the scores of each language pair, or of one.

    Each annotation is a judgment of its annotator; its place (``human1``, ``human2``) is the HIT.
    For each system, ``scores`` holds a list of objects, or in the drafts an object with numbered
    keys. Raises DataError for a missing field, a wrong id or a wrong score.
    """
    file = files[0]
    excluded: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    rows: list[Row] = []
    for line, entry in read_records(file):
        for cells in _annotations(entry, file, line, excluded, notes):
            rows.append((line, cells))
    named = any("annotator" in cells for _, cells in rows)
    for _, cells in rows:  # a draft may name no annotators
        cells.setdefault("annotator", None if named else cells["hit"])
    return judgments_of_rows(file, rows, pair, excluded, notes)


def _annotations(
    entry: dict[str, Any], file: Path, line: int, excluded: Counter[str], notes: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the cells of each annotation in a line."""
    need_fields(entry, ("doc_id", "scores"), file, line)
    parts = str(entry["doc_id"]).split("_#_")
    if len(parts) != 4:
        form = "languages_#_domain_#_document_#_segment"
        raise DataError(
            "not_an_id", file=file, line=line, column="doc_id", value=entry["doc_id"], expected=form
        )
    pair, domain, document, _ = parts
    shared = {"pair": pair, "domain": domain, "document": f"{domain}_#_{document}"}
    shared["segment"] = "_#_".join(parts[1:])
    shown = entry.get("tgt_text")
    scores = need_kind(entry["scores"], dict, "scores", file, line)
    excluded["not_judged"] += len(set(shown if isinstance(shown, dict) else {}) - set(scores))
    for system, given in scores.items():
        passes = _passes(given, f"scores.{system}", file, line)
        notes["missing_annotation"] += max(ANNOTATIONS - len(passes), 0)
        notes["third_annotation"] += max(len(passes) - ANNOTATIONS, 0)
        for hit, annotation in passes.items():
            need_fields(annotation, ["score"], file, line)
            cells = {**shared, "system": system, "hit": hit, "score": annotation["score"]}
            if "annotator" in annotation:
                cells["annotator"] = annotation["annotator"]
            yield cells


def _passes(given: Any, name: str, file: Path, line: int) -> dict[str, dict[str, Any]]:
    """Return the annotations of a system, from the final form or that of the drafts."""
    if isinstance(given, list):
        each = [need_kind(one, dict, name, file, line) for one in given]
        return {f"human{number}": one for number, one in enumerate(each, start=1)}
    need_kind(given, dict, name, file, line)
    found = {key: match[1] for key in given if (match := DRAFT.fullmatch(key))}
    if given and not found:
        raise DataError(
            "missing_field", file=file, line=line, column=name, expected="human1, human2"
        )
    passes = {}
    for key, number in found.items():
        passes[key] = {"score": given[key]}
        if f"annotator{number}" in given:
            passes[key]["annotator"] = given[f"annotator{number}"]
    return passes


def need_kind(value: Any, kind: type, name: str, file: Path, line: int) -> Any:
    """Return a value of this type; raise DataError for any other."""
    if not isinstance(value, kind):
        raise DataError(
            "wrong_type",
            file=file,
            line=line,
            column=name,
            value=type(value).__name__,
            expected=kind.__name__,
        )
    return value
