"""The error for unusable parameters, notebooks, folders and ledgers."""

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from .paths import shown

LONGEST = 1000  # characters of a value that are shown
UNSEEN = re.compile(  # control characters but line feeds and tabs; marks of direction
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


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
        text = (
            f"{shown(Path(file))}: {problem}" if file is not None else problem
        )
        if value is not None:
            said = repr(value)
            text += f"; found {said if len(said) <= LONGEST else said[:LONGEST] + '...'}"
        super().__init__(
            visible(
                text
                + (f"; expected {expected}" if expected is not None else "")
            )
        )

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it: the message alone, since the input is wrong, not the code."""
        return [f"InputError: {self}"]


def meant(given: str, known: Iterable[str]) -> str:
    """A hint, in brackets, at the word of `known` that is closest; empty if none is close."""
    close = difflib.get_close_matches(given, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def visible(text: str) -> str:
    """`text` with codes (``\\x1b``) for what a terminal or a page would obey instead of showing."""
    return UNSEEN.sub(
        lambda char: char[0].encode("unicode_escape").decode(), text
    )
