"""How the file of a verdict was read: rows that were left out or kept, and one judgment as an example."""

from __future__ import annotations

import re

import pandas as pd

from ..io.formats.files import counted
from ..judgments import COUNTED_TYPES, Judgments
from ..ranking.procedures import PROCEDURES
from ..ranking.result import Ranking


def file_name(source: str) -> str:
    """Return the last part of a path: a page does not name the folders of one computer."""
    return re.split(r"[\\/]", source)[-1]


def excluded_rows(judgments: Judgments, ranking: Ranking) -> pd.DataFrame:
    """Return the rows that were left out: when reading, and because they have no z-score."""
    dropped = judgments.notes[_has_no_z(judgments, ranking)]
    controls = 0
    if "item_type" in judgments.table:
        controls = int((~judgments.table["item_type"].isin(COUNTED_TYPES)).sum())
    models = int(judgments.models_beside_people.sum())
    not_ranked = counted(
        [("", "reference_or_control", controls, ""), ("", "judge_model", models, "")]
    )
    parts = [part for part in (judgments.excluded, dropped, not_ranked) if len(part)]
    if not parts:
        return judgments.excluded
    rows = pd.concat(parts, ignore_index=True)
    keys = [name for name in ("code", "detail") if name in rows]
    rows["detail"] = rows["detail"].where(rows["code"] != "constant_annotator", "")
    return rows.groupby(keys, sort=False, dropna=False, as_index=False)["rows"].sum()


def _has_no_z(judgments: Judgments, ranking: Ranking) -> pd.Series:
    """Return which notes are about judgments that this ranking leaves out."""
    notes = judgments.notes
    z = ranking.procedure in PROCEDURES and PROCEDURES[ranking.procedure].score == "z"
    if not len(notes) or not z:
        return pd.Series(False, index=notes.index)
    codes = ["constant_annotator", "annotator_without_rows"]
    return notes["code"].isin(codes) & (notes["detail"] != "zero")


def kept_rows(judgments: Judgments) -> pd.DataFrame:
    """Return the notes on rows that were kept."""
    notes = judgments.notes
    if not len(notes):
        return notes
    kept = notes[~notes["code"].isin(["constant_annotator", "annotator_without_rows"])]
    return kept.assign(file=[file_name(str(file)) for file in kept["file"]])


def example_judgment(judgments: Judgments) -> dict[str, str]:
    """Return the first judgment as it was read."""
    row = judgments.table.iloc[0]
    return {str(name): str(value) for name, value in row.items() if str(value) not in ("nan", "")}
