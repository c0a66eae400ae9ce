"""Rows of two files of judgments: repeats, contradictions, and ids of several systems."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ...errors import DataError

KEY = ["annotator", "hit", "system", "segment", "item_type"]


def count_second_scores(rows: pd.DataFrame) -> int:
    """Count the rows that give another score to an output that the annotator scored before."""
    key = [name for name in [*KEY, "document"] if name in rows]
    twice = rows.duplicated(key)
    alike = rows.duplicated([*key, "score"])
    return int((twice & ~alike).sum())


def refuse_contradictions(all_rows: pd.DataFrame, ranked: pd.DataFrame, file: Path) -> None:
    """Raise DataError if a ranked judgment has another score among all rows."""

    def among_all(columns: list[str]) -> np.ndarray:
        hashes = [
            pd.util.hash_pandas_object(rows[columns].round(6), index=False)
            for rows in (ranked, all_rows)
        ]
        return np.isin(*hashes)

    wrong = among_all(KEY) & ~among_all([*KEY, "score"])
    if wrong.any():
        row = ranked[wrong].iloc[0]
        raise DataError(
            "score_contradicts_other_file",
            file=file,
            line=int(ranked.index[wrong][0]),
            column="score",
            value=row["score"],
            other="the other file",
        )


def split_joined_systems(rows: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Give each system of a joined id ``A+B`` a row, and count the rows with such an id.

    An id is joined if each of its parts is itself a system; if not, it is a name.
    """
    known = set(rows["system"].cat.categories)
    parts = {name: name.split("+") for name in known if "+" in name}
    joined = {name: sides for name, sides in parts.items() if known.issuperset(sides)}
    count = int(rows["system"].isin(list(joined)).sum())
    if not count:
        return rows, 0
    names = rows["system"].astype(object)
    sides = names.map(lambda name: joined.get(name, [name]))
    repeated = rows.loc[rows.index.repeat(sides.map(len))].reset_index(drop=True)
    repeated["system"] = pd.Categorical(np.concatenate(sides.to_list()))
    return repeated, count
