"""Error span annotation (ESA) in exports of Appraise: twelve columns, with scores and spans."""

from __future__ import annotations

from pathlib import Path

from .appraise import list_pairs, read
from .appraise_export import LAYOUTS, find_layout
from .appraise_mqm import has_scores

__all__ = ["HEADER", "NAME", "list_pairs", "matches", "read"]

NAME = "esa"
HEADER = " ".join(LAYOUTS["esa"])


def matches(path: Path) -> bool:
    """Return whether a file is an export with error spans and with scores."""
    columns, _ = find_layout(path)
    return "spans" in columns and has_scores(path)
