"""What may stand in the files of judgments: pandera schemas, and their failures as DataError.

The readers check what is structural themselves (packing, encoding, columns per line). pandera is
imported at the first use (0.3 s); every test is made once per distinct text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import DataError

if TYPE_CHECKING:
    import pandera.pandas as pa

CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ufeff]")
LONGEST = 1000  # characters of an id (joined ids of WMT18 have up to 300)
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
PERCENT = "a number from 0 to 100"
NOTHING = ("", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "null", "NULL", "None", "none")
BYTES = re.compile(r"""b(['"]).*\1""")


def validate(
    frame: pd.DataFrame,
    schema: pa.DataFrameSchema,
    *,
    file: Path,
    lines: np.ndarray | Sequence[int],
    columns: Mapping[str, str],
) -> pd.DataFrame:
    """`frame` (text as it stands in the file, one row per line) with its numbers as float64.

    `lines` holds the physical line of each row, `columns` the file's names of the columns that have
    another in the frame. Raises a DataError for the wrong value in the lowest line (of several in
    it, in the first column), with how many more there are.
    """
    from pandera.errors import SchemaErrors

    written = frame.reset_index(drop=True)
    try:
        return schema.validate(written.copy(deep=False), lazy=True, inplace=True)
    except SchemaErrors as error:
        failures = [_failures(failed, error) for failed in error.schema_errors]
    found = pd.concat(failures, ignore_index=True)
    found["line"] = np.asarray(lines)[found["row"]]
    found["place"] = written.columns.get_indexer(found["column"])
    found = found.sort_values(["line", "place"], kind="stable").drop_duplicates(["row", "column"])
    first, more = found.iloc[0], len(found) - 1
    raise DataError(
        first["problem"],
        file=file,
        line=int(first["line"]),
        column=columns.get(first["column"], first["column"]),
        value=str(written[first["column"]].iloc[first["row"]]),
        expected=first["expected"] + (f" ({more} more wrong)" if more else ""),
    )


def _failures(failed: Any, error: Exception) -> pd.DataFrame:
    """row, column, problem, expected of every value that fails one check of one column."""
    schema, reason = failed.schema, failed.reason_code.name
    column, problem = schema.name, getattr(failed.check, "error", "")
    if reason == "DUPLICATES":
        column, problem = schema.unique[-1], schema.metadata["again"]
    elif reason == "SERIES_CONTAINS_NULLS":
        problem = schema.metadata["unreadable"]
    if not problem:  # a column not handed over, a check that breaks: not the fault of the file
        raise error
    rows = failed.failure_cases["index"].drop_duplicates().to_numpy()
    told = {"problem": problem, "expected": schema.description}
    return pd.DataFrame({"row": rows, "column": column, **told})


def _distinct(series: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Codes and the texts they stand for."""
    values = series.astype("category").cat
    return values.codes.to_numpy(), list(values.categories)


def text(expected: str, tests: Mapping[str, Callable[[str], object]]) -> pa.Column:
    """A column of text that passes all tests, each named by the problem where it fails."""
    import pandera.pandas as pa

    def check(series: pd.Series, test: Callable[[str], object]) -> pd.Series:
        codes, values = _distinct(series)
        passed = np.array([bool(test(value)) for value in values] + [False])
        return pd.Series(passed[codes], index=series.index)

    checks = [pa.Check(partial(check, test=t), error=e, ignore_na=False) for e, t in tests.items()]
    return pa.Column(checks=checks, description=expected)


def one_of(known: Collection[str], what: str) -> pa.Column:
    """Text that is one of `known`; else the problem is that it is an unknown `what`."""
    expected = "one of " + ", ".join(known)
    return text(expected, {f"unknown {what}": lambda text: text in known})


def ids(*names: str, missing: Collection[str] = NOTHING) -> dict[str, pa.Column]:
    """Columns of ids, which must be there."""
    tests: dict[str, Callable[[str], object]] = {
        "empty id": lambda text: text.strip() not in missing,
        "too long for an id": lambda text: len(text) <= LONGEST,
        "a line break or control character in an id": lambda text: not CONTROL.search(text),
        "a stray quotation mark in an id": lambda text: text.count('"') % 2 == 0,
        "bytes as Python prints them": lambda text: not BYTES.fullmatch(text),
    }
    return dict.fromkeys(names, text(f"an id, at most {LONGEST} characters", tests))


def number(
    expected: str, low: float = -np.inf, high: float = np.inf, whole: str = "", but: float = np.nan
) -> pa.Column:
    """A finite number in [low, high] but `but`; `whole`: an integer, else this is the problem."""
    import pandera.pandas as pa

    def parse(series: pd.Series) -> pd.Series:
        codes, values = _distinct(series)
        if whole:
            values = [value if INTEGER.fullmatch(value) else "" for value in values]
        known = pd.to_numeric(pd.Series([*values, ""], dtype=object), errors="coerce")
        found = known.to_numpy(float)[codes]
        return pd.Series(np.where(np.isfinite(found), found, np.nan), index=series.index)

    limits = [pa.Check.in_range(low, high, error="out of range")]
    limits += [] if np.isnan(but) else [pa.Check.ne(but, error="out of range")]
    told = {"unreadable": whole or "not a number"}
    parser = pa.Parser(parse)
    return pa.Column(float, limits, parser, metadata=told, description=expected)


def count(low: int = 1, problem: str = "not an integer") -> pa.Column:
    """An integer, at least `low`."""
    return number(f"an integer, at least {low}", low, whole=problem)


def made(columns: Mapping[str, pa.Column], *unique: str, again: str = "") -> pa.DataFrameSchema:
    """A schema of `columns`; `again`: the problem of rows that are the same in those `unique`."""
    import pandera.pandas as pa

    facts: dict[str, Any] = {"description": "each once", "metadata": {"again": again}}
    once: dict[str, Any] = {"unique": list(unique) or None, "report_duplicates": "exclude_first"}
    return pa.DataFrameSchema(dict(columns), **once, **facts)


def judgments(types: Collection[str]) -> pa.DataFrameSchema:
    """Direct assessment: worker, system, segment, type (one of `types`), score (0 to 100)."""
    columns = ids("worker", "system", "segment") | {"type": one_of(types, "type")}
    return made(columns | {"score": number(PERCENT, 0, 100)})


def languages(pattern: str) -> pa.DataFrameSchema:
    """source and target: codes of which the whole matches `pattern`."""
    column = text("a code such as cs", {"not a language code": re.compile(pattern).fullmatch})
    return made({"source": column, "target": column})


def documents() -> pa.DataFrameSchema:
    """segment (each once) and its document."""
    return made(ids("segment", "document"), "segment", again="duplicate segment id")


def segment_scores(penalties: bool = False) -> pa.DataFrameSchema:
    """system, segment (each once per system), raw (0 to 100; `penalties`: to 0), z, n."""
    raw = number("a number, 0 or below", high=0) if penalties else number(PERCENT, 0, 100)
    columns = ids("system", "segment") | {"raw": raw, "z": number("a number"), "n": count()}
    return made(columns, "system", "segment", again="duplicate system and segment")
