"""Files that are read together: the place of a wrong row, and rows that two files give."""

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError


@contextlib.contextmanager
def at_lines(
    files: Sequence[Path],
    lines: Sequence[np.ndarray],
    columns: Mapping[str, str],
) -> Iterator[None]:
    """Puts file and line in the place of the row in errors about files' rows, one after another.

    `lines` has the line of each row of each file; `columns` maps our columns to the files'.
    """
    try:
        yield
    except DataError as error:
        if error.row is None or error.file is not None:
            raise
        row = int(str(error.row))
        ends = np.cumsum([len(some) for some in lines])
        which = int(np.searchsorted(ends, row, side="right"))
        line = int(np.concatenate(lines)[row])
        wrong = partial(DataError, error.problem, file=files[which], line=line)
        ours = "annotator" if error.column == "worker" else str(error.column)
        theirs = columns.get(ours, ours)
        raise wrong(
            column=theirs, value=error.value, expected=error.expected
        ) from None


def refuse_twice(
    files: Sequence[Path], parts: Sequence[pd.DataFrame], least: int = 1
) -> None:
    """Raises DataError if all rows of one file are in another, too, in whatever form and order.

    `parts` are the parsed rows of each of `files`, compared in the columns that both files have and
    fill. Files of fewer than `least` different rows may be in another.
    """
    if len(files) < 2:
        return
    filled = [
        [name for name in part if _filled_in(part[name])] for part in parts
    ]

    @cache
    def rows(which: int, columns: tuple[str, ...]) -> np.ndarray:
        return np.unique(
            pd.util.hash_pandas_object(
                parts[which][list(columns)], index=False
            )
        )

    for one, other in itertools.permutations(range(len(parts)), 2):
        columns = tuple(name for name in filled[one] if name in filled[other])
        if not columns or not len(parts[one]):
            continue
        first = rows(one, columns)[:1]
        if (
            len(rows(one, columns)) >= least
            and np.isin(first, rows(other, columns))
            and np.isin(rows(one, columns), rows(other, columns)).all()
        ):
            both = [files[k] for k in sorted((one, other))]
            value = f"all {len(parts[one])} of {files[one].name}"
            expected = "one of them, or the files to read under `files:` in a campaign.yaml"
            raise DataError(
                "the same rows in two files",
                file=both,
                value=value,
                expected=expected,
            )


def again(parts: Sequence[pd.DataFrame]) -> int:
    """How many rows of the parts are in an earlier part of the same columns, too."""
    seen: dict[frozenset[str], set[int]] = {}
    found = 0
    for part in parts if len(parts) > 1 else ():
        text = part[sorted(part)].astype(str)
        rows = pd.util.hash_pandas_object(text, index=False)
        known = seen.setdefault(frozenset(part), set())
        found += int(rows.isin(known).sum())
        known.update(rows)
    return found


def _filled_in(column: pd.Series) -> bool:
    """Whether a column of names has any, or is one of numbers."""
    given = column.dropna().unique()
    return bool(len(given)) and list(given) != [""]
