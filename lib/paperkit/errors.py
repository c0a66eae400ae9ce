"""The error for unusable parameters, notebooks, folders and ledgers."""

import difflib
from collections.abc import Iterable
from pathlib import Path

from .paths import shown

LONGEST = 1000  # characters of a value that are shown


class InputError(ValueError):
    """Input that cannot be used: the problem, the file, what was found and what was expected."""

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        value: object = None,
        expected: str | None = None,
    ) -> None:
        text = f"{shown(Path(file))}: {problem}" if file is not None else problem
        if value is not None:
            said = repr(value)
            text += f"; found {said if len(said) <= LONGEST else said[:LONGEST] + '...'}"
        super().__init__(text + (f"; expected {expected}" if expected is not None else ""))


def meant(given: str, known: Iterable[str]) -> str:
    """A hint, in brackets, at the word of `known` that is closest; empty if none is close."""
    close = difflib.get_close_matches(given, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
