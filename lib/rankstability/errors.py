"""The one exception for unusable input, and the codes that say what is wrong."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .codes import ERRORS

MAX_SHOWN = 300  # characters of a value that a message repeats
MAX_KNOWN = 20  # names that a message lists
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def escape_invisible(text: str) -> str:
    """Replace control characters, direction marks and lone surrogates by visible escapes."""
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def escape_in_json(text: str) -> str:
    """Replace invisible characters in the text of JSON by escapes that read back as the same."""
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the entry of `known` that is closest to `name`, or an empty string."""
    close = difflib.get_close_matches(str(name), [str(each) for each in known], n=1)
    return close[0] if close else ""


def _nearest(value: object, known: Iterable[str]) -> str | None:
    """Return the nearest known name, or else the first of them; None if there are none."""
    names = [str(name) for name in known]
    nearest = "" if value is None else suggest(str(value), names)
    return nearest or ", ".join(names[:MAX_KNOWN]) or None


class DataError(ValueError):
    """The error for unusable input. It says what is wrong, where, what was expected and what to do.

    Each `code` has one sentence (see `rankstability.codes.ERRORS`). Programs should compare the
    code and not the sentence. Line numbers start at 1 and include the header. Row numbers start at 0
    and count the judgments that were read, without the rows that `where` leaves out.

    Parameters
    ----------
    code : str
        A key of `codes.ERRORS`.
    file, line, row, column : optional
        Where the problem is.
    value, expected : optional
        What was found and what was expected instead.
    known : iterable of str, optional
        The names that exist, if `value` is not one of them. The message suggests the most similar
        name, or else lists the first names.
    remedy : str, optional
        A command or a line of Python that has been found to solve the problem.
    **details
        Values for the slots in the sentence.

    Examples
    --------
    >>> import rankstability as rs
    >>> raise rs.DataError("score_outside_scale", file="a.csv", line=7, value=170, expected="0 to 100")
    Traceback (most recent call last):
    rankstability.errors.DataError: a.csv, line 7: The score is outside the declared scale. Found 170. Expected 0 to 100.
    """

    def __init__(
        self,
        code: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        row: object = None,
        column: str | None = None,
        value: object = None,
        expected: str | None = None,
        known: Iterable[str] = (),
        remedy: str | None = None,
        **details: object,
    ) -> None:
        self.code = code
        self.file = None if file is None else str(file)
        self.line = line
        self.row = row
        self.column = column
        self.value = value
        self.expected = expected or _nearest(value, known)
        self.remedy = remedy
        self.details: dict[str, Any] = details
        super().__init__(escape_invisible(self._message()))

    def changed(self, **changes: Any) -> DataError:
        """Return the error with other values of some arguments."""
        places = ("file", "line", "row", "column", "value", "expected", "remedy")
        known = {name: getattr(self, name) for name in places}
        return DataError(self.code, **known | self.details | changes)

    def _message(self) -> str:
        places = (
            ("{}", self.file),
            ("line {}", self.line),
            ("row {}", self.row),
            ("column '{}'", self.column),
        )
        place = ", ".join(form.format(part) for form, part in places if part is not None)
        text = ERRORS[self.code].format(**self.details)
        if place:
            text = f"{place}: {text}"
        if self.value is not None:
            shown = self.value if isinstance(self.value, int | float) else repr(str(self.value))
            text += f" Found {str(shown)[:MAX_SHOWN]}."
        if self.expected is not None:
            text += f" Expected {self.expected}."
        if self.remedy is not None:
            text += f"\n  {self.remedy}"
        return text

    def _render_traceback_(self) -> list[str]:
        """Show the message alone in IPython, because the input is wrong and not the code."""
        return [f"DataError: {self}"]


@contextmanager
def about_file(file: str | Path | None) -> Iterator[None]:
    """Name the file in a refusal that names none."""
    try:
        yield
    except DataError as error:
        if file is None or error.file is not None:
            raise
        raise error.changed(file=file) from None
