"""Stand-off files of the metrics task: human scores by system, in the order of the test set."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from . import languages, long, tables, text

FILE = re.compile(r"([A-Za-z_]+-[A-Za-z_]+)\.(.+)\.seg\.score(\.gz)?")


def knows(path: Path, line: str) -> bool:
    """Whether the file's name is ``SRC-TGT.NAME.seg.score`` and its first line SYSTEM SCORE."""
    return FILE.fullmatch(path.name) is not None and len(line.split("\t")) == 2


def one_each(files: Sequence[Path]) -> None:
    """Refuse several kinds of scores of one language pair: they are not to be mixed."""
    names = sorted(file.name for file in files)
    pairs = [match.group(1) for match in map(FILE.fullmatch, names) if match]
    if len(set(pairs)) < len(pairs):
        raise DataError(
            "several kinds of scores for one language pair",
            file=files[0].parent,
            value=", ".join(names),
            expected="one of these files as the campaign, or `files:` in a campaign.yaml",
        )


def opened(path: Path, settings: Mapping[str, Any]) -> long.Judged:
    """``human-scores/SRC-TGT.NAME.seg.score`` with ``documents/SRC-TGT.docs`` where it is there.

    A segment is its place among the lines of its system, counted from 1; None is no score.
    """
    match = FILE.fullmatch(path.name)
    pair = languages.pair_of(match.group(1)) if match else ""
    if not pair:
        raise DataError(
            "no language pair in the file's name",
            file=path,
            value=path.name,
            expected="a name such as en-de.mqm.seg.score",
        )
    found = text.content(path).decode().splitlines()
    cells = [line.split("\t") if "\t" in line else line.split() for line in found]
    _two_each(path, cells, "SYSTEM and SCORE")
    systems, scores = zip(*cells, strict=True)
    frame = pd.DataFrame({"system": systems, "score": scores, "pair": pair})
    place = frame.groupby("system", sort=False).cumcount() + 1
    sizes = frame["system"].value_counts()
    other = sizes[sizes != sizes.mode()[0]]
    if len(other):
        raise DataError(
            "systems with different numbers of lines",
            file=path,
            value=f"{other.index[0]}: {other.iloc[0]}",
            expected=f"{sizes.mode()[0]}, as the others",
        )
    frame["segment"] = place.astype(str)
    documents = path.parent.parent / "documents" / f"{match.group(1) if match else ''}.docs"
    if documents.is_file():
        listed = _documents(documents, len(place.unique()))
        frame["domain"] = [listed[k - 1][0] for k in place]
        frame["document"] = [listed[k - 1][1] for k in place]
    table = tables.table(path, frame.astype("category"), np.arange(1, len(cells) + 1))
    return long.Judged(table, {name: name for name in frame.columns}, Counter())


def _documents(path: Path, expected: int) -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in text.content(path).decode().splitlines()]
    _two_each(path, rows, "DOMAIN and DOCUMENT")
    if len(rows) != expected:
        raise DataError(
            "documents for another number of segments",
            file=path,
            value=len(rows),
            expected=f"{expected}, as each system has scores",
        )
    return [(domain, document) for domain, document in rows]


def _two_each(path: Path, rows: list[list[str]], expected: str) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            raise DataError(
                "wrong number of columns",
                file=path,
                line=number,
                value=len(row),
                expected=f"{expected}, with a tab",
            )
