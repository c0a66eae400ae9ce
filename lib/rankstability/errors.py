"""The one exception of the package for bad input."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .paths import shown

LONGEST = 1000  # characters of a value that are shown


class DataError(ValueError):
    """Input that cannot be used, said so that it can be mended.

    Parameters
    ----------
    problem : str
        What is wrong, in a few words.
    file, line, column, value, expected : optional
        Where it is wrong (line numbers start at 1 and count the header),
        what stands there and what should. A path, or each of several, is given from
        the repository where it lies inside, a string as it is.

    Examples
    --------
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
        place = [file] if file is not None else []
        if line is not None:
            place.append(f"line {line}")
        if column is not None:
            place.append(f"column '{column}'")
        text = (", ".join(place) + ": " if place else "") + problem
        if value is not None:
            said = repr(value)
            text += f"; found {said if len(said) <= LONGEST else said[:LONGEST] + '...'}"
        if expected is not None:
            text += f"; expected {expected}"
        super().__init__(text)
