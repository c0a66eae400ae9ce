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
        problem, value = "several kinds of scores for one language pair", ", ".join(names)
        expected = "one of these files as the campaign, or `files:` in a campaign.yaml"
        raise DataError(problem, file=files[0].parent, value=value, expected=expected)


def opened(path: Path, settings: Mapping[str, Any]) -> long.Judged:
    """``human-scores/SRC-TGT.NAME.seg.score`` with ``documents/SRC-TGT.docs`` where it is there.

    A segment is its place among the lines of its system, counted from 1; None is no score.
    """
    match = FILE.fullmatch(path.name)
    name = match.group(1) if match else ""
    pair = languages.pair_of(name)
    with text.placed(path):
        if not pair:
            problem, expected = "no language pair in the file's name", "a name such as "
            raise DataError(problem, value=path.name, expected=expected + "en-de.mqm.seg.score")
        lines = text.content(path).decode().splitlines()
        cells = [line.split("\t") if "\t" in line else line.split() for line in lines]
        systems, scores = _two_each(cells, "SYSTEM and SCORE")
        frame = pd.DataFrame({"system": systems, "score": scores, "pair": pair})
        sizes = frame["system"].value_counts()
        usual = sizes.mode()[0]
        for system, size in sizes[sizes != usual][:1].items():
            problem, expected = "systems with different numbers of lines", f"{usual}, as the others"
            raise DataError(problem, value=f"{system}: {size}", expected=expected)
    place = frame.groupby("system", sort=False).cumcount()
    frame["segment"] = (place + 1).astype(str)
    documents = path.parent.parent / "documents" / f"{name}.docs"
    if documents.is_file():
        with text.placed(documents):
            rows = [line.split("\t") for line in text.content(documents).decode().splitlines()]
            listed = _two_each(rows, "DOMAIN and DOCUMENT")
            if len(rows) != usual:
                problem = "documents for another number of segments"
                expected = f"{usual}, as each system has scores"
                raise DataError(problem, value=len(rows), expected=expected)
        frame["domain"], frame["document"] = np.array(listed, dtype=object)[:, place.to_numpy()]
    table = tables.table(path, frame.astype("category"), np.arange(1, len(frame) + 1))
    return long.Judged(table, {name: name for name in frame.columns}, Counter())


def _two_each(rows: list[list[str]], expected: str) -> list[tuple[str, ...]]:
    """The two columns of `rows`."""
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            raise tables.wrong_width(number, len(row), f"{expected}, with a tab")
    return list(zip(*rows, strict=True))
