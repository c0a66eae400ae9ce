"""The columns of a file of votes: the names that arenas and studies give them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ...errors import DataError
from ..columns import spelled
from .files import need_columns

COLUMNS = {  # names of the column of each role
    "left": ("model_a", "left"),
    "right": ("model_b", "right"),
    "annotator": ("judge", "annotator", "worker"),
    "question": ("question_id", "question"),
    "domain": ("category", "domain"),
}
QUESTIONS = ("instruction", "segment", "prompt")  # the question, if no column is called so


def find_columns(table: pd.DataFrame, file: Path) -> dict[str, str]:
    """Return the column of each role that a table has.

    Raises DataError for two columns of one role, unless both group the rows in the same way.
    """
    by_name = {spelled(str(name)): str(name) for name in table.columns}
    found = {}
    for role, names in COLUMNS.items():
        here = [by_name[spelled(name)] for name in names if spelled(name) in by_name]
        for other in here[1:]:
            groups = table[[here[0], other]].drop_duplicates()
            if not groups[here[0]].is_unique or not groups[other].is_unique:
                raise DataError(
                    "two_columns", file=file, column=role, value=f"{here[0]} and {other}",
                    alternatives=[{role: name} for name in here],
                )  # fmt: skip
        if here:
            found[role] = here[0]
    asked = [by_name[name] for name in QUESTIONS if name in by_name]
    if "question" not in found and asked:
        found["question"] = asked[0]
    need_columns(table, [found.get(side, COLUMNS[side][0]) for side in ("left", "right")], file)
    need_columns(table, ["winner"], file)
    return found
