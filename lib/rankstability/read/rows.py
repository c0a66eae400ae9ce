"""The rows of a file as text, where each stood in it, and the errors that name a place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..errors import DataError
from . import schema as schemas

if TYPE_CHECKING:
    import pandera.pandas as pa


@dataclass(frozen=True)
class Table:
    """A file's rows, and where each stood in the file.

    ``frame`` holds one text column per name, without blanks around a cell; ``lines[i]`` is the
    physical line of row ``i`` (the first line of the file is 1, headers and blank lines count);
    ``blanks`` says of a column (if of any cell) which cells had blanks around them.
    """

    path: Path
    frame: pd.DataFrame
    lines: np.ndarray
    blanks: Mapping[str, np.ndarray] = field(default_factory=dict)

    def trimmed(self, columns: Collection[str], rows: np.ndarray | None = None) -> int:
        """In how many of `rows` (indices; all) blanks around one of these cells were taken away."""
        some = [self.blanks[name] for name in set(columns) & set(self.blanks)]
        marked = np.logical_or.reduce(some) if some else np.zeros(len(self.frame), bool)
        return int((marked if rows is None else marked[rows]).sum())

    def error(self, problem: str, row: int, column: str, expected: str) -> DataError:
        """The error for one bad value of the table."""
        return DataError(
            problem,
            file=self.path,
            line=int(self.lines[row]),
            column=column,
            value=str(self.frame[column].iloc[row]),
            expected=expected,
        )

    def validated(
        self,
        schema: pa.DataFrameSchema,
        names: Mapping[str, str],
        rows: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """`rows` (indices; all) as `schemas.validate` gives them out; `names`: new -> file's."""
        frame, lines = self.frame[list(names.values())].set_axis(list(names), axis=1), self.lines
        if rows is not None and len(rows) < len(frame):
            frame, lines = frame.iloc[rows], lines[rows]
        return schemas.validate(frame, schema, file=self.path, lines=lines, columns=names)


def table(path: Path, frame: pd.DataFrame, lines: np.ndarray) -> Table:
    """A `Table` of text as it stands in the file: blanks around cells are taken away and noted."""
    plain, blanks = {}, {}
    for name in frame.columns:
        values = frame[name].astype("category").cat
        bare = [str(value).strip() for value in values.categories]
        changed = np.array([a != b for a, b in zip(bare, values.categories, strict=True)], bool)
        if changed.any():
            blanks[name] = np.append(changed, False)[values.codes.to_numpy()]
            kept = pd.Categorical(np.append(bare, "").astype(object)[values.codes.to_numpy()])
            plain[name] = pd.Series(kept, index=frame.index).astype(frame[name].dtype.name)
    return Table(path, frame.assign(**plain) if plain else frame, lines, blanks)


def wrong_width(file: Path, line: int, fields: int, expected: str) -> DataError:
    """The error for a line with more or fewer fields than `expected`."""
    problem = "wrong number of columns"
    return DataError(problem, file=file, line=line, value=fields, expected=expected)
