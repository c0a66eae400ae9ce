"""Commands that solve a refusal: they are tried on the file before they are printed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import DataError, escape_invisible
from .declare import command_line, merge_words, parse_words, python_line

MAX_TRIES = 12
MAX_STEPS = 5
Trial = Callable[[dict[str, Any]], Any]


def add_remedy(
    error: DataError, words: Mapping[str, Any], trial: Trial, file: str, function: str = ""
) -> DataError:
    """Return the error with the commands that read the input, where some were found.

    Parameters
    ----------
    error : DataError
        ``details["propose"]`` lists changes of the words, of which the first that works is shown;
        ``details["alternatives"]`` lists changes between which only the user can decide, which are
        all shown.
    words : mapping
        The words that were refused.
    trial : callable
        Reads the input with words; raises DataError if they are refused, too.
    file : str
        The file as the user named it.
    function : str
        The function of Python that was called with a frame, in place of a file.
    """
    if error.remedy is not None:
        return error
    tries = [MAX_TRIES]
    solved = _solve_all(error, words, trial, tries, MAX_STEPS)
    if function:
        lines = [python_line(function, found) for found in solved]
    else:
        lines = [line for found in solved if (line := _pasted(file, found))]
    return with_commands(error, list(dict.fromkeys(lines))) if lines else error


def with_commands(error: DataError, lines: Sequence[str]) -> DataError:
    """Return the error with these commands as its remedy, one a line."""
    return error.changed(remedy="\n  ".join(lines))


def _changes(error: DataError, name: str) -> list[dict[str, Any]]:
    """Return the changes of words that an error proposes."""
    found: Any = error.details.get(name, ())
    return list(found)


def _solve_all(
    error: DataError, words: Mapping[str, Any], trial: Trial, tries: list[int], steps: int
) -> list[dict[str, Any]]:
    """Return words that read the input: for every alternative, else for the first proposal."""
    solved: list[dict[str, Any]] = []
    for change in _changes(error, "alternatives"):
        solved += _solve(words, change, trial, tries, steps)
    for change in _changes(error, "propose"):
        if not solved:
            solved += _solve(words, change, trial, tries, steps)
    return solved


def _solve(
    words: Mapping[str, Any],
    change: Mapping[str, Any],
    trial: Trial,
    tries: list[int],
    steps: int,
) -> list[dict[str, Any]]:
    """Return words that read the input: with this change, and with those that it then needs."""
    if tries[0] <= 0 or steps <= 0:
        return []
    tries[0] -= 1
    try:
        changed = merge_words(words, change)
        if changed == dict(words):
            return []
        trial(dict(changed))
    except DataError as error:
        return _solve_all(error, changed, trial, tries, steps - 1)
    return [changed]


def _pasted(file: str, words: Mapping[str, Any]) -> str:
    """Return the command line; empty if a shell or a terminal would change it."""
    line = command_line(file, words)
    try:
        files, again = parse_words(shlex.split(line)[2:])
    except (DataError, ValueError):
        return ""
    return line if files == [file] and again == words and escape_invisible(line) == line else ""
