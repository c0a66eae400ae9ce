"""What may stand in the files of judgments: pandera schemas, and their failures as DataError.

The readers check what is structural themselves (packing, encoding, columns per line) and hand the
text they found to `validate`. Frames are trusted from there on. pandera is imported at the first
use (0.3 s of processor time, once per process); every test is made once per distinct text.
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

CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
LONGEST = 1000  # characters of an id (joined ids of WMT18 have up to 300)
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
LANGUAGE, PERCENT = "an English name or an ISO 639 code", "a number from 0 to 100"


def validate(
    frame: pd.DataFrame,
    schema: pa.DataFrameSchema,
    *,
    file: Path,
    lines: np.ndarray | Sequence[int],
    columns: Mapping[str, str],
) -> pd.DataFrame:
    """`frame` (text as it stands in the file, one row per line) with its numbers as float64.

    `lines` holds the physical line of each row, `columns` the file's names of the columns that
    have another in the frame. The result is numbered from 0; the frame handed over is unchanged.

    Raises
    ------
    DataError
        For the wrong value in the lowest line (of several in it, in the first column): file,
        line, the file's name of the column, the text found, what is expected, how many more.
    """
    from pandera.errors import SchemaErrors

    text = frame.reset_index(drop=True)
    try:
        return schema.validate(text.copy(deep=False), lazy=True, inplace=True)
    except SchemaErrors as error:
        failures = [_failures(failed, error) for failed in error.schema_errors]
    found = pd.concat(failures, ignore_index=True)
    found["line"] = np.asarray(lines)[found["row"]]
    found["place"] = text.columns.get_indexer(found["column"])
    found = found.sort_values(["line", "place"], kind="stable").drop_duplicates(["row", "column"])
    first, more = found.iloc[0], len(found) - 1
    raise DataError(
        first["problem"],
        file=file,
        line=int(first["line"]),
        column=columns.get(first["column"], first["column"]),
        value=str(text[first["column"]].iloc[first["row"]]),
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
    return pd.DataFrame(
        {"row": rows, "column": column, "problem": problem, "expected": schema.description}
    )


def _distinct(series: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Codes and the texts they stand for."""
    values = series.astype("category").cat
    return values.codes.to_numpy(), list(values.categories)


def _text(test: Callable[[str], object], problem: str, expected: str) -> pa.Column:
    return _texts({problem: test}, expected)


def _texts(tests: Mapping[str, Callable[[str], object]], expected: str) -> pa.Column:
    """A column of text that passes all tests, each named by the problem where it fails."""
    import pandera.pandas as pa

    def check(series: pd.Series, test: Callable[[str], object]) -> pd.Series:
        codes, values = _distinct(series)
        passed = np.array([bool(test(value)) for value in values] + [False])
        return pd.Series(passed[codes], index=series.index)

    checks = [
        pa.Check(partial(check, test=test), error=problem, ignore_na=False)
        for problem, test in tests.items()
    ]
    return pa.Column(checks=checks, description=expected)


def _filled(*names: str, missing: Collection[str] = ("", "NA")) -> dict[str, pa.Column]:
    """Columns of ids, which must be there."""
    tests: dict[str, Callable[[str], object]] = {
        "empty id": lambda text: text.strip() not in missing,
        "too long for an id": lambda text: len(text) <= LONGEST,
        "a line break or control character in an id": lambda text: not CONTROL.search(text),
    }
    column = _texts(tests, f"an id, at most {LONGEST} characters")
    return {name: column for name in names}


def _number(
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
    facts: dict[str, Any] = {
        "description": expected,
        "metadata": {"unreadable": whole or "not a number"},
    }
    return pa.Column(float, parsers=pa.Parser(parse), checks=limits, **facts)


def _count(low: int = 1, problem: str = "not an integer") -> pa.Column:
    return _number(f"an integer, at least {low}", low, whole=problem)


def _schema(columns: Mapping[str, pa.Column], *unique: str, again: str = "") -> pa.DataFrameSchema:
    """`again`: the problem of rows that are the same in the columns `unique`."""
    import pandera.pandas as pa

    facts: dict[str, Any] = {"description": "each once", "metadata": {"again": again}}
    once: dict[str, Any] = {"unique": list(unique) or None, "report_duplicates": "exclude_first"}
    return pa.DataFrameSchema(dict(columns), **once, **facts)


def judgments(types: Collection[str]) -> pa.DataFrameSchema:
    """Direct assessment: worker, system, segment, type (one of `types`), score (0 to 100)."""
    kind = _text(lambda text: text in types, "unknown type", "one of " + ", ".join(types))
    columns = {**_filled("worker", "system", "segment"), "type": kind}
    return _schema({**columns, "score": _number(PERCENT, 0, 100)})


def long_table(annotator: bool, low: float, high: float) -> pa.DataFrameSchema:
    """system, segment, score (`low` to `high`), and annotator where there is one."""
    names = ("system", "segment", *(["annotator"] if annotator else []))
    return _schema(
        _filled(*names) | {"score": _number(f"a number, {low:g} to {high:g}", low, high)}
    )


def battles(names: Sequence[str], winners: Collection[str]) -> pa.DataFrameSchema:
    """Battles: the ids `names`, and the winner (one of `winners`)."""
    winner = _text(lambda text: text in winners, "unknown winner", "one of " + ", ".join(winners))
    return _schema({**_filled(*names), "winner": winner})


def languages(pattern: str) -> pa.DataFrameSchema:
    """source and target: codes of which the whole matches `pattern`."""
    column = _text(re.compile(pattern).fullmatch, "not a language code", "a code such as cs")
    return _schema({"source": column, "target": column})


def documents() -> pa.DataFrameSchema:
    """segment (each once) and its document."""
    return _schema(_filled("segment", "document"), "segment", again="duplicate segment id")


def segment_scores(penalties: bool = False) -> pa.DataFrameSchema:
    """system, segment (each once per system), raw (0 to 100; `penalties`: to 0), z, n."""
    raw = _number("a number, 0 or below", high=0) if penalties else _number(PERCENT, 0, 100)
    columns = _filled("system", "segment") | {"raw": raw}
    columns |= {"z": _number("a number"), "n": _count()}
    return _schema(columns, "system", "segment", again="duplicate system and segment")


def language_names(known: Collection[str]) -> pa.DataFrameSchema:
    """srclang and trglang: one of `known`, in lower case."""
    column = _text(lambda text: text.strip().lower() in known, "unknown language", LANGUAGE)
    return _schema({"srclang": column, "trglang": column})


def blocks(slots: int, most: int, known: Collection[str], ids: Sequence[str]) -> pa.DataFrameSchema:
    """Relative ranking, one row per line: ids, srcindex, and of each slot the system and its rank.

    Languages as in `language_names`; a rank is -1, or from 1 to `most`.
    """
    rank = _number(f"-1, or 1 to {most}", -1, most, whole="not an integer", but=0)
    columns = {**language_names(known).columns, "srcindex": _count(0)}
    places = range(1, slots + 1)
    columns |= _filled(*ids, *(f"system{i}id" for i in places), missing=("",))
    return _schema(columns | {f"system{i}rank": rank for i in places})


def errors(numbers: Sequence[str]) -> pa.DataFrameSchema:
    """MQM: system, document, rater, and the segment numbers `numbers`."""
    columns = _filled("system", "document", "rater", missing=("",))
    return _schema(columns | {name: _count(0, "not a segment number") for name in numbers})


def official(p_values: Sequence[str] = ()) -> pa.DataFrameSchema:
    """An official ranking: system (each once), mean_raw (0 to 100), mean_z, segments, judgments.

    With `p_values` (names of systems): system, and a p-value in each of these columns.
    """
    columns = {name: _number("a number from 0 to 1", 0, 1) for name in p_values} or {
        "mean_raw": _number(PERCENT, 0, 100),
        "mean_z": _number("a number"),
        **{name: _count() for name in ("segments", "judgments")},
    }
    return _schema(_filled("system") | columns, "system", again="duplicate system")
