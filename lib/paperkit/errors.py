"""The error for what a run, a notebook or a ledger cannot use."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from .paths import shown

LONGEST = 1000  # characters of a value that are shown


class InputError(ValueError):
    """What cannot be used: the problem, the file, what stands there and what should."""

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
    """What of `known` is closest to a word that is none of them, in brackets; empty if none is."""
    close = difflib.get_close_matches(given, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
