"""The one exception of the package for bad input."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from .paths import shown

LONGEST = 1000  # characters of a value that are shown


class DataError(ValueError):
    """Unusable input: the problem, where it occurs, what was found and what was expected.

    Line numbers start at 1 and count the header; paths in the repository are relative to it.

    >>> from rankstability import DataError
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
        column: str | None = None,
        value: object = None,
        expected: str | None = None,
    ) -> None:
        if file is not None and not isinstance(file, str):
            file = ", ".join(map(shown, [file] if isinstance(file, Path) else file))
        self.problem, self.file, self.line = problem, file, line
        self.column, self.value, self.expected = column, value, expected
        places = (file, "{}"), (line, "line {}"), (column, "column '{}'")
        place = ", ".join(form.format(part) for part, form in places if part is not None)
        text = f"{place}: {problem}" if place else problem
        if value is not None:
            said = repr(value)
            text += f"; found {said if len(said) <= LONGEST else said[:LONGEST] + '...'}"
        if expected is not None:
            text += f"; expected {expected}"
        super().__init__(text)


def meant(given: str, known: Iterable[str]) -> str:
    """A hint at the entry of `known` closest to `given`, in brackets; empty if none is close.

    It is appended to the problem of a `DataError`.
    """
    close = difflib.get_close_matches(given, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
