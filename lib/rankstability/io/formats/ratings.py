"""Scores that a format gives one by one, as judgments of each language pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from .files import choose, counted, refuse_row
from .languages import UNNAMED_PAIR, pair_in_name, pair_of

IDS = ("system", "segment", "annotator", "hit", "document", "domain")
RATED = ("system", "segment", "annotator", "document", "hit")  # of one score
NEEDED = ("system", "segment", "annotator")
Row = tuple[int, dict[str, Any]]  # the line of a score in the file, and its cells


def judgments_of_rows(
    file: Path, rows: Sequence[Row], pair: str, excluded: Counter[str], notes: Counter[str]
) -> dict[str, Judgments]:
    """Convert rows into judgments, one for each language pair.

    Scores lie between 0 and 100. If more of them are below 0 than above, they are MQM scores, which
    are at most 0. Rows without a score are
    left out. Raises DataError for a score that is not a number or outside the scale, an empty name,
    and a pair that has no rows.
    """
    lines = [line for line, _ in rows]
    table = pd.DataFrame([cells for _, cells in rows], index=lines, dtype=object)
    if table.empty:
        raise DataError("no_rows", file=file)
    for name in (name for name in (*IDS, "pair") if name in table):
        nested = table[name].map(lambda cell: isinstance(cell, (list, dict)))
        refuse_row("list_as_name", table, nested, name, file)
    given = table["score"].notna() & (table["score"] != "")
    excluded["no_score"] += int((~given).sum())
    table = table[given]
    table["score"] = _scores(table, file)
    table["pair"] = _pairs(table, file)
    every = {}
    for each in choose(pair, table["pair"].unique(), file):
        inside = table[table["pair"] == each]
        again = inside.duplicated([name for name in RATED if name in inside])
        doubtful = [*notes.items(), ("second_score", int(again.sum()))]
        left_out = [*excluded.items(), ("other_pairs", len(table) - len(inside))]
        every[each] = Judgments(
            table=_named(inside, file),
            kind="direct_assessment",
            pair=each,
            excluded=counted((file.name, code, count, "") for code, count in left_out),
            notes=counted((file.name, code, count, "") for code, count in doubtful),
            scale=None if (inside["score"] < 0).any() else (0.0, 100.0),
        )
    return every


def _scores(table: pd.DataFrame, file: Path) -> np.ndarray:
    numbers: np.ndarray = pd.to_numeric(table["score"], errors="coerce").to_numpy(float)
    truth = table["score"].map(lambda score: isinstance(score, bool)).to_numpy(bool)
    wrong = ~np.isfinite(numbers) | truth
    penalties = (numbers < 0).sum() > (numbers > 0).sum()
    low, high = (-np.inf, 0) if penalties else (0, 100)
    outside = (numbers < low) | (numbers > high)
    expected = "a number of at most 0" if penalties else "0 to 100"
    for mask, code in ((wrong, "not_a_number"), (outside, "score_outside_scale")):
        refuse_row(code, table, mask, "score", file, expected)
    return numbers


def _pairs(table: pd.DataFrame, file: Path) -> pd.Series:
    """Return the pair of each row; without any, that of the file's name."""
    if "pair" not in table:
        return pd.Series(pair_in_name(file.name) or UNNAMED_PAIR, table.index)
    pairs = table["pair"].map({name: pair_of(str(name)) for name in table["pair"].unique()})
    refuse_row("not_a_pair", table, pairs == "", "pair", file)
    return pairs


def _named(table: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Return the columns we keep, with ids as categories; empty columns are left out."""
    frame = pd.DataFrame({"score": table["score"]})
    for name in (name for name in IDS if name in table):
        cells = table[name].map(lambda cell: "" if cell is None else str(cell).strip())
        empty = (cells == "").to_numpy()
        if empty.any() and name in NEEDED:
            line = int(table.index[empty][0])
            raise DataError("missing_name", file=file, line=line, column=name)
        if not empty.all():
            frame[name] = pd.Categorical(cells.where(~empty))
    if "time" in table:
        frame["time"] = pd.to_numeric(table["time"], errors="coerce")
    return frame.reset_index(drop=True)
