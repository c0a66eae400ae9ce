"""`read`, `judgments` and `battles`: any table of judgments, in the words that declare it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError, about_file, escape_invisible
from . import settings
from .build import build
from .cells import as_text
from .columns import spelled
from .declare import NAMES, SHAPE, WORDS, check_words
from .each import split_judgments
from .effect import (
    OF_FILES,
    refuse_without_effect,
)
from .formats import registry
from .formats.arena_columns import COLUMNS
from .input_files import MAX_TRIED, Frames, load_frame
from .notes import list_unread, note_doubts, note_unread
from .remedy import add_remedy

MAX_TRIED_ROWS = 40_000  # rows of a frame on which a line of Python is tried
MAX_TRIED_AGAIN = 1 << 21  # bytes of a file on which a command is tried
AT_ONCE = frozenset(
    {
        "direction",
        "mixed_directions",
        "several_languages",
        "code_is_a_system",
        "rounded_ids",
        "missing_role",
        "no_ratings",
        "no_such_column",
        "two_columns",
        "column_of_two_roles",
        "placeholder_twice",
        "unknown_placeholder",
        "ambiguous_pattern",
        "column_fits_two",
        "block_incomplete",
        "pattern_fits_nothing",
        "not_a_list",
        "list_as_name",
        "too_few_columns",
        "two_shapes",
        "not_true_or_false",
        "several_outcomes",
        "bad_options",
        "chosen_not_shown",
        "empty_name",
        "names_alike",
        "rows_that_are_no_judgments",
        "several_criteria",
        "undeclared_column",
        "flag_of_ties",
        "unknown_winner",
        "question_needed",
        "not_a_number",
        "model_against_itself",
        "models_among_annotators",
        "score_outside_scale",
        "column_twice",
        "wrong_number_of_cells",
        "bad_setting",
        "best_is_worst",
        "mixed_decimals",
        "one_option_in_a_row",
        "several_marks",
        "split_disagrees",
        "word_without_effect",
    }
)  # refusals by the first rows that hold for the whole file
ARENA = "arena"
EACH_OF_ARENA = [spelled(name) for names in COLUMNS.values() for name in names]


@check_arguments
def read(path: str | Path, **words: Any) -> Any:
    """Read judgments from a file or folder, in a known format or as a table that you describe.

    Parameters
    ----------
    path : str or Path
        A file (CSV, TSV, JSON, JSON lines, Parquet, XLSX), a folder, or a ``campaign.yaml``.
    **words
        The roles of the columns and the meaning of the values; see `rankstability.io.declare.WORDS`.

    Returns
    -------
    Judgments, or dict of str to Judgments
        A dict by name if the table contains several language pairs or `each` is given.

    Raises
    ------
    DataError
        If a required column is missing, or if something could be read in two ways. The message
        lists the columns and, if one was found, a command that reads the file.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.read("data/demo/ratings.csv").n_systems > 1
    True
    """
    if not str(path):
        raise DataError("no_file", expected="a file or folder")
    file, given = with_settings(Path(path), check_words(words))
    if not file.exists():
        raise DataError("no_such_file", file=file)
    if not file.is_file() and not file.is_dir():
        raise DataError("not_a_file", file=file)
    try:
        with about_file(file):
            return _read(file, given)
    except DataError as error:
        size = file.stat().st_size if file.is_file() else 0
        if size > MAX_TRIED_AGAIN:
            raise  # no command is printed that was not tried on the whole file
        frames: Frames = {}

        def trial(tried: dict[str, Any]) -> None:
            if size > MAX_TRIED:
                _read(file, tried, first_rows=True, frames=frames)
            _read(file, tried, frames=frames)

        raise add_remedy(error, given, trial, str(file)) from None


def with_settings(path: Path, given: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    """Return the data, and the words with those of a ``campaign.yaml`` that is named or beside.

    `given` are checked words, which win.
    """
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise DataError("no_such_file", file=path)
        found = settings.read_settings(path)
        data = found.pop("data", ".")
        if not isinstance(data, str):
            raise DataError("bad_setting", file=path, column="data", value=data, expected="a path")
        return path.parent / data, _merged(check_words(found, file=str(path)), given)
    beside = path.parent / settings.NAME
    if beside.is_file() and path.is_file():
        found = settings.read_settings(beside)
        about = found.pop("data", None)
        if about is None or _same_file(path.parent / str(about), path):
            return path, _merged(check_words(found, file=str(beside)), given)
    return path, given


def _same_file(first: Path, second: Path) -> bool:
    return first.resolve() == second.resolve() or first.resolve() == second.parent.resolve()


def _read(
    path: Path, given: dict[str, Any], first_rows: bool = False, frames: Frames | None = None
) -> Any:
    """Read a file or folder with checked words; a large file is refused by its first rows.

    `frames` keeps the frames of the file, so that words can be tried on them again.
    """
    recognised = _format_of(path, given)
    if recognised is not None:
        words = {name: value for name, value in given.items() if name != "each"}
        if recognised == ARENA:
            _refuse_unknown_winners(path)
        try:
            result = registry.read_as(recognised, path, words)
            result = note_doubts(result, _source(path))
            if path.is_dir():
                unread = list_unread(path, registry.files_read(path, recognised))
                result = note_unread(result, _source(path), *unread)
            return split_judgments(result, given["each"]) if "each" in given else result
        except DataError as error:
            if recognised != ARENA or (error.code, error.column) != ("unknown_word", "winner"):
                raise  # otherwise a table of comparisons with codes that are to be declared
    if first_rows:
        frame, file = load_frame(path, given, first_rows=True, frames=frames)
        return build(frame, given, source=_source(path), file=file, whole=False)
    if path.is_file() and path.stat().st_size > MAX_TRIED:
        try:
            _read(path, given, first_rows=True, frames=frames)
        except DataError as error:
            if error.code in AT_ONCE:
                raise
    frame, file = load_frame(path, given, frames=frames)
    return build(frame, given, source=_source(path), file=file)


def _refuse_unknown_winners(path: Path) -> None:
    """Refuse a large file of votes whose first rows have unknown winners, before it is read."""
    if not path.is_file() or path.stat().st_size <= MAX_TRIED:
        return
    frame, file = load_frame(path, {}, first_rows=True)
    try:
        build(frame, {}, file=file, whole=False)
    except DataError as error:
        if error.code == "unknown_winner":
            raise


def _format_of(path: Path, given: Mapping[str, Any]) -> str | None:
    """Return the format of the field that a file has, unless the words declare a table."""
    if {"left", "right", "tie"} & set(given.get("codes", {}).values()):
        return None
    declared = [name for name in given if WORDS[name].group in (NAMES, SHAPE)]
    if declared or {"lower_is_better", "higher_is_better"} & set(given):
        return None
    found = registry.detect(path)
    if found == ARENA and "each" in given and spelled(given["each"]) not in EACH_OF_ARENA:
        return None
    return found


@check_arguments
def judgments(frame: Any, **words: Any) -> Any:
    """Build judgments from a data frame of scores, with the same settings as `read`.

    Parameters
    ----------
    frame : DataFrame
        A frame of pandas, polars or pyarrow, with one row per judgment unless declared otherwise.
    **words
        The names of columns and the meaning of values; see `rankstability.io.declare.WORDS`.

    Returns
    -------
    Judgments, or dict of str to Judgments

    Raises
    ------
    DataError
        As `read`.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> frame = pd.DataFrame({"model": ["A", "B"] * 3, "item": [1, 1, 2, 2, 3, 3], "stars": [5, 3, 4, 4, 5, 2]})
    >>> rs.judgments(frame, system="model", segment="item", score="stars").kind
    'leaderboard'
    """
    return _build_frame("judgments", frame, check_words(words))


@check_arguments
def battles(frame: Any, **words: Any) -> Any:
    """Build judgments from a data frame of pairwise comparisons, with the same settings as `read`.

    Parameters
    ----------
    frame : DataFrame
        A frame of pandas, polars or pyarrow, one row per comparison.
    **words
        Settings such as ``left``, ``right``, ``winner``, ``annotator``, ``question`` and ``codes``.

    Returns
    -------
    Judgments, or dict of str to Judgments

    Raises
    ------
    DataError
        As `read`.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> frame = pd.DataFrame({"left": ["A", "B", "A"], "right": ["B", "A", "B"], "winner": ["A", "left", "tie"]})
    >>> rs.battles(frame).table["winner"].tolist()
    ['left', 'left', 'tie']
    """
    return _build_frame("battles", frame, check_words(words), votes=True)


def _build_frame(function: str, frame: Any, given: dict[str, Any], votes: bool = False) -> Any:
    """Return the judgments of a frame; a refusal names the line of Python that reads it."""
    refuse_without_effect(given, OF_FILES, "frames")
    text = text_frame(frame)
    try:
        return build(text, given, votes=votes)
    except DataError as error:
        if len(text) > MAX_TRIED_ROWS:
            raise  # no line is printed that was not tried on the whole frame

        def trial(tried: dict[str, Any]) -> None:
            build(text, tried, votes=votes)

        raise add_remedy(error, given, trial, "", function) from None


def text_frame(frame: Any) -> pd.DataFrame:
    """Return a frame of pandas, polars or pyarrow as pandas, with every cell as text."""
    if isinstance(frame, pd.DataFrame):
        names = [str(name) for name in frame.columns]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError("column_twice", column=twice)
        table = frame
    else:
        try:
            native = nw.from_native(frame)
        except TypeError:
            raise DataError("not_a_frame", value=type(frame).__name__) from None
        if isinstance(native, nw.LazyFrame):
            native = native.collect()
        table = native.to_arrow().to_pandas(integer_object_nulls=True)
    if table.empty:
        raise DataError("no_rows")
    return as_text(table.reset_index(drop=True))


def _merged(found: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the words of a campaign.yaml with those that are given, which win."""
    directions = {"lower_is_better", "higher_is_better"}
    if directions & set(given):
        found = {name: value for name, value in found.items() if name not in directions}
    return {**found, **given}


def _source(path: Path) -> str:
    """Return the name of a file or folder, with invisible characters as visible escapes."""
    return escape_invisible(path.name)
