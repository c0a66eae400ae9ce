"""Items of a Pearmut log: one id can be on several pages, or stand for several sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from .ratings import Row


def refuse_shared_ids(rows: Sequence[Row], file: Path) -> None:
    """Raise DataError if an id and a source stand for two outputs of a system.

    Without sources, an id may not be on two pages of an annotator.
    """
    seen: dict[tuple[Any, ...], str] = {}
    for line, cells in rows:
        annotator = "" if cells["source"] else cells["annotator"]
        output = cells["output"] if cells["source"] else cells["hit"]
        id_and_source = (cells.get("pair"), cells["segment"], cells["source"])
        key = (*id_and_source, cells["system"], annotator)
        if seen.setdefault(key, output) != output:
            raise DataError(
                "id_of_two_items", file=file, line=line, column="item_id", value=cells["segment"]
            )


def number_sources(rows: Sequence[Row]) -> int:
    """Give items of one id but several sources segments of their own (``ID (2)``); count them."""
    sources: dict[tuple[str, str], dict[str, int]] = {}
    for _, cells in rows:
        of_id = sources.setdefault((cells.get("pair", ""), cells["segment"]), {})
        of_id.setdefault(cells["source"], len(of_id) + 1)
    shared = 0
    for _, cells in rows:
        of_id = sources[cells.get("pair", ""), cells["segment"]]
        number = of_id[cells["source"]]
        shared += len(of_id) > 1
        cells["segment"] += f" ({number})" if number > 1 else ""
    return shared
