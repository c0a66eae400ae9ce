"""Parquet as columns of text: limits from the file's metadata, then only what is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from . import text

LEAST = 2  # bytes of a cell in a file of text: a sign, and what parts it from the next


@contextlib.contextmanager
def _opened(path: Path, repeating: Sequence[str] = ()) -> Iterator[Any]:
    """A file of pyarrow; columns of `repeating` texts hold each once. Its errors as DataError."""
    try:
        import pyarrow.parquet
    except ImportError:
        expected = "pip install pyarrow, or CSV"
        raise DataError("Parquet needs pyarrow", file=path, expected=expected) from None
    try:
        with (
            text.opened(path) as stream,
            pyarrow.parquet.ParquetFile(stream, read_dictionary=list(repeating)) as file,
        ):
            yield file
    except DataError:
        raise
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        problem = f"not Parquet, or damaged ({(str(error).splitlines() or [''])[0][:80]})"
        raise DataError(problem, file=path) from None


def names(path: Path) -> list[str]:
    """The names of a file's columns; raises DataError if one stands twice."""
    with _opened(path) as file:
        there = list(file.schema_arrow.names)
    for name in (name for name in there if there.count(name) > 1):
        raise DataError("a column stands twice", file=path, value=name)
    return there


def read(
    path: Path, chosen: Collection[str], written: Callable[[Any], str]
) -> dict[str, pd.Categorical]:
    """The `chosen` columns as text; each distinct value is `written` once.

    Raises DataError if a column holds lists or objects, or if by the metadata the file is larger
    than `text.check_unpacked` allows.
    """
    with _opened(path) as file:
        kinds = {name: file.schema_arrow.field(name).type for name in chosen}
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        parts = [group.column(k) for group in groups for k in range(group.num_columns)]
        size = sum(p.total_uncompressed_size for p in parts if p.path_in_schema in kinds)
        cells = file.metadata.num_rows * len(kinds)
    for name, kind in kinds.items():
        if kind.num_fields:
            expected = "a text or a number in each row"
            problem = "not single values"
            raise DataError(problem, file=path, column=name, value=str(kind), expected=expected)
    text.check_unpacked(path, max(size, LEAST * cells), path.stat().st_size)
    repeating = [name for name, kind in kinds.items() if str(kind) in ("string", "large_string")]
    with _opened(path, repeating) as file:
        return {name: _as_text(file.read([name]).column(0), written) for name in kinds}


def _as_text(column: Any, written: Callable[[Any], str]) -> pd.Categorical:
    import pyarrow

    if str(column.type) in ("binary", "large_binary"):
        column = column.cast(pyarrow.large_string())  # an error unless UTF-8
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    values = [*map(written, column.dictionary.to_pylist()), ""]
    found, distinct = pd.factorize(np.array(values, dtype=object), sort=True)
    codes = found[column.indices.fill_null(len(values) - 1).to_numpy()]
    return pd.Categorical.from_codes(codes, distinct).remove_unused_categories()
