"""The one exception of the package for bad input, and what is said of a missing package."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .paths import shown

LONGEST = 1000  # characters of a value that are shown
UNSEEN = re.compile(  # control characters but line feeds and tabs; marks of direction
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


class DataError(ValueError):
    """Unusable input: the problem, where it occurs, what was found and what was expected.

    Line numbers start at 1 and count the header; `row` is the label of a row in a frame; paths in
    the repository are relative to it.

    >>> from companion.legacy.rankstability import DataError
    >>> print(DataError("score out of range", file="ad-latest.csv", line=7,
    ...                 column="score", value=170, expected="0 to 100"))
    ad-latest.csv, line 7, column 'score': score out of range; found 170; expected 0 to 100
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | Sequence[Path] | None = None,
        line: int | None = None,
        row: object = None,
        column: str | None = None,
        value: object = None,
        expected: str | None = None,
    ) -> None:
        if file is not None and not isinstance(file, str):
            file = ", ".join(
                map(shown, [file] if isinstance(file, Path) else file)
            )
        self.problem = problem
        self.file = file
        self.line = line
        self.row = row
        self.column = column
        self.value = value
        self.expected = expected
        places = (
            (file, "{}"),
            (line, "line {}"),
            (row, "row {}"),
            (column, "column '{}'"),
        )
        place = ", ".join(
            form.format(part) for part, form in places if part is not None
        )
        text = f"{place}: {problem}" if place else problem
        if value is not None:
            said = repr(value)
            text += f"; found {said if len(said) <= LONGEST else said[:LONGEST] + '...'}"
        if expected is not None:
            text += f"; expected {expected}"
        super().__init__(visible(text))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it: the message alone, since the input is wrong, not the code."""
        return [f"DataError: {self}"]


def meant(given: str, known: Iterable[str]) -> str:
    """A hint at the entry of `known` closest to `given`, in brackets; empty if none is close.

    It is appended to the problem of a `DataError`.
    """
    close = difflib.get_close_matches(given, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


@contextmanager
def needing(name: str, package: str) -> Iterator[None]:
    """Raises ImportError that says for what a package is needed, if it cannot be imported."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        problem = f"rankstability.{name} needs the package {package}, which is not installed"
        raise ImportError(
            f"{problem}: pip install rankstability", name=package
        ) from None


def visible(text: str) -> str:
    """`text` with codes (``\\x1b``) for what a terminal or a page would obey instead of showing."""
    return UNSEEN.sub(
        lambda char: char[0].encode("unicode_escape").decode(), text
    )
