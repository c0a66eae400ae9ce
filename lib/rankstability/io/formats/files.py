"""Files of the formats: packed or plain text, as tables of text with the line of each row."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from ...errors import DataError, suggest
from ..delimited import split_cells, top_rows
from ..header import refuse_twice
from ..json_records import first_records, unique_keys
from ..table import MAX_BYTES, decode

Result = TypeVar("Result")
MISSING = ("", "NA")
HEAD = 1 << 16  # characters of a file's beginning


def keep_while_unchanged(calls: int) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Keep what a reader returned for its last calls, as long as the files do not change.

    The reader takes a file, or a tuple of files, and perhaps text. The pairs of a campaign are read
    from the same files one after another; callers must not modify what they get.
    """

    def decorate(reader: Callable[..., Result]) -> Callable[..., Result]:
        @functools.lru_cache(maxsize=calls)
        def read(
            files: Path | tuple[Path, ...], state: tuple[tuple[int, int], ...], *words: str
        ) -> Result:
            return reader(files, *words)

        def wrapped(files: Path | tuple[Path, ...], *words: str) -> Result:
            about = [path.stat() for path in ([files] if isinstance(files, Path) else files)]
            return read(files, tuple((each.st_size, each.st_mtime_ns) for each in about), *words)

        return functools.wraps(reader)(wrapped)

    return decorate


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, unpacked if it is a ``.gz`` or a ``.tar.gz`` of one file.

    Raises DataError if the file is damaged.
    """
    try:
        if path.name.endswith(".tar.gz"):
            return _only_member(path)
        if path.suffix == ".gz":
            with gzip.open(path) as stream:
                content = stream.read(MAX_BYTES + 1)
            if len(content) > MAX_BYTES:
                raise DataError("file_too_large", file=path, value=len(content))
            return content
        return path.read_bytes()
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
        raise DataError("damaged_file", file=path, value=str(error)) from None
    except OSError as error:
        raise DataError("unreadable_file", file=path, value=error.strerror) from None


def _only_member(path: Path) -> bytes:
    with tarfile.open(path) as archive:
        members = [member for member in archive if member.isfile()]
        if len(members) != 1:
            raise DataError(
                "damaged_file", file=path, value=len(members), expected="an archive of one file"
            )
        content = archive.extractfile(members[0])
        return content.read() if content is not None else b""


def read_text(path: Path) -> str:
    """Return the text of a file with ``\\n`` at line ends; raises DataError if it is not UTF-8."""
    return decode(read_bytes(path), path)


def read_head(path: Path) -> str:
    """Return the beginning of a file's text; empty if the file is not text or is damaged."""
    try:
        if path.name.endswith(".tar.gz"):
            return read_text(path)[:HEAD]
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            content = stream.read(HEAD)
    except (OSError, EOFError, zlib.error, DataError):
        return ""
    text = content.decode("utf-8-sig", errors="ignore")
    return "" if "\x00" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def first_line(path: Path) -> str:
    """Return the first line of a file that is not empty, without the line end."""
    return next((line for line in read_head(path).split("\n") if line.strip()), "")


def split_header(path: Path) -> tuple[str, list[str]]:
    """Return the tab, comma or semicolon that separates the first line's cells, and the cells."""
    line = first_line(path)
    separator = max("\t,;", key=line.count)
    return separator, [cell.strip().strip('"') for cell in line.split(separator)]


def read_table(
    path: Path, separator: str = ",", columns: Sequence[str] = (), quoted: bool = True
) -> pd.DataFrame:
    """Read a file as a table of text; the index holds the line on which each row begins.

    Parameters
    ----------
    path : Path
    separator : str
        ``BLANKS`` stands for any run of blanks and tabs.
    columns : sequence of str
        The columns of a file without a header; otherwise the first line names them.
    quoted : bool
        Whether cells may stand in double quotes.

    Raises
    ------
    DataError
        For a file that is empty, damaged or not UTF-8, and for rows with too many or too few cells.
    """
    lines = read_text(path).split("\n")
    top, start = top_rows(path, lines, separator, last=0 if columns else 1)
    names = list(columns) or [name.strip().strip('"') for row in top for name in row]
    if not names:
        raise DataError("empty_file", file=path)
    refuse_twice(path, names)
    frame = split_cells(path, lines, separator, start, len(names), quoted)
    if frame.empty:
        raise DataError("no_rows", file=path)
    return frame.set_axis(names, axis=1)


def need_columns(frame: pd.DataFrame, columns: Iterable[str], file: Path) -> None:
    """Raise DataError if a table lacks one of these columns."""
    for name in columns:
        if name not in frame:
            near = suggest(name, frame.columns) or ", ".join(map(str, frame.columns))
            raise DataError("missing_column", file=file, line=1, column=name, value=near)


def read_numbers(
    frame: pd.DataFrame,
    column: str,
    file: Path,
    low: float = -np.inf,
    high: float = np.inf,
) -> np.ndarray:
    """Return a column as numbers; raise DataError for another text or a number out of range."""
    codes, distinct = pd.factorize(frame[column])
    known = pd.to_numeric(pd.Series(distinct), errors="coerce").to_numpy(float)
    numbers: np.ndarray = np.append(known, np.nan)[codes]  # a missing cell has the code -1
    refuse_row("not_a_number", frame, ~np.isfinite(numbers), column, file)
    outside = (numbers < low) | (numbers > high)
    refuse_row("score_outside_scale", frame, outside, column, file, f"{low:g} to {high:g}")
    return numbers


def refuse_row(
    code: str,
    frame: pd.DataFrame,
    wrong: np.ndarray | pd.Series,
    column: str,
    file: Path,
    expected: str | None = None,
) -> None:
    """Raise DataError for the first wrong row, if any, with its line and its value in the column."""
    rows = np.asarray(wrong, bool)
    if not rows.any():
        return
    place = int(np.argmax(rows))
    raise DataError(
        code,
        file=file,
        line=int(frame.index[place]),
        column=column,
        value=frame[column].iloc[place],
        expected=expected,
    )


def read_counts(frame: pd.DataFrame, column: str, file: Path, low: int = 0) -> np.ndarray:
    """Return a column as whole numbers of at least `low`; raise DataError for anything else."""
    numbers = read_numbers(frame, column, file)
    wrong = (numbers != np.rint(numbers)) | (numbers < low)
    refuse_row("not_a_count", frame, wrong, column, file, f"a whole number of at least {low}")
    counts: np.ndarray = numbers.astype(np.int64)
    return counts


def need_words(frame: pd.DataFrame, column: str, file: Path, known: Iterable[str]) -> None:
    """Raise DataError for a cell of a column that is none of the known words."""
    words = list(known)
    wrong = ~frame[column].isin(words)
    refuse_row("unknown_word", frame, wrong, column, file, "one of " + ", ".join(words))


def clean_names(
    frame: pd.DataFrame,
    columns: Mapping[str, str],
    file: Path,
    optional: Collection[str] = (),
) -> tuple[pd.DataFrame, int]:
    """Return names without blanks around them, and the number of rows that had some.

    `columns` maps our column to the file's. ``NA`` and empty cells are missing in `optional`
    columns; elsewhere an empty cell raises DataError.
    """
    names = pd.DataFrame(index=frame.index)
    changed = np.zeros(len(frame), bool)
    for ours, theirs in columns.items():
        cells = frame[theirs].astype("category")
        bare = cells.cat.categories.str.strip()
        if (bare != cells.cat.categories).any():
            stripped = pd.Series(bare.to_numpy()[cells.cat.codes], cells.index)
            changed |= stripped.to_numpy() != frame[theirs].to_numpy()
            cells = stripped.astype("category")
        if ours in optional:
            cells = cells.cat.remove_categories(
                [name for name in MISSING if name in cells.cat.categories]
            )
        elif "" in cells.cat.categories:
            place = int(np.argmax((cells == "").to_numpy()))
            raise DataError("missing_name", file=file, line=int(frame.index[place]), column=theirs)
        names[ours] = cells
    return names, int(changed.sum())


def read_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines, or of one JSON list, with the line (or place) of each.

    Raises DataError for anything that is not an object.
    """
    text = read_text(path)
    if text.lstrip()[:1] == "[":
        try:
            entries = list(enumerate(parse_json(text, path, 1), start=1))
        except DataError as error:
            if error.code == "key_twice":
                first_records(path, text)  # names the record
            raise
    else:
        lines = enumerate(text.split("\n"), start=1)
        entries = [(line, parse_json(cells, path, line)) for line, cells in lines if cells.strip()]
    for line, entry in entries:
        if not isinstance(entry, dict):
            raise DataError("not_an_object", file=path, line=line, value=str(entry)[:60])
        yield line, entry


def parse_json(text: str, path: Path, line: int) -> Any:
    """Return the value of JSON; raise DataError for other text, and for a key given twice."""
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DataError("not_json", file=path, line=line, value=str(error)) from None
    except KeyError as error:
        raise DataError("key_twice", file=path, line=line, column=str(error.args[0])) from None


def choose(pair: str, known: Iterable[str], file: Path) -> list[str]:
    """Return the pair or task as a list, or all that are known if it is empty.

    Raises DataError for a pair that is not known.
    """
    names = sorted(known)
    if pair and pair not in names:
        raise DataError("unknown_pair", file=file, value=pair, known=names)
    return [pair] if pair else names


def need_fields(entry: Mapping[str, Any], fields: Iterable[str], file: Path, line: int) -> None:
    """Raise DataError if an object of JSON lacks one of these fields."""
    for name in fields:
        if name not in entry:
            raise DataError("missing_field", file=file, line=line, column=name)


def locate(folder: Path, name: str) -> Path | None:
    """Return `name` or `name`.gz in a folder, or None.

    Raises DataError if both exist with different content.
    """
    here = [path for path in (folder / name, folder / f"{name}.gz") if path.is_file()]
    if len(here) == 2 and read_bytes(here[0]) != read_bytes(here[1]):
        raise DataError("two_contents", file=here[0], value=here[1].name)
    return here[0] if here else None


def git_blob(path: Path) -> str:
    """Return the git blob id of a file's unpacked content."""
    content = read_bytes(path)
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def counted(rows: Iterable[tuple[str, str, int, str]]) -> pd.DataFrame:
    """Return a table of excluded rows or notes (file, code, rows, detail) without empty counts."""
    kept = [row for row in rows if row[2]]
    return pd.DataFrame(kept, columns=["file", "code", "rows", "detail"])


def share_categories(frames: Sequence[pd.DataFrame], columns: Iterable[str]) -> None:
    """Give each column the same sorted categories in all frames, in place."""
    for column in columns:
        seen: set[str] = set()
        for frame in frames:
            seen.update(frame[column].dropna().unique())
        for frame in frames:
            frame[column] = pd.Categorical(frame[column], categories=sorted(seen))


def refuse_repeated_file(
    files: Sequence[Path], parts: Sequence[pd.DataFrame], at_least: int = 1
) -> None:
    """Raise DataError if all rows of a file stand in another file, too.

    `parts` are the rows of each file, compared in the columns they share. Files of fewer than
    `at_least` different rows may stand in another.
    """
    if len(files) < 2:
        return
    for first, part in enumerate(parts):
        for second, other in enumerate(parts):
            shared = [name for name in part if name in other]
            if first == second or part.empty or not shared:
                continue
            rows = np.unique(pd.util.hash_pandas_object(part[shared].astype(str), index=False))
            others = pd.util.hash_pandas_object(other[shared].astype(str), index=False)
            if len(rows) >= at_least and np.isin(rows, others).all():
                raise DataError("repeated_file", file=files[first], value=files[second].name)
