"""JSON in files: objects with the line of each, and what is no JSON refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import DataError
from . import text


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, or of a JSON list of them, each with its line.

    (In a list: its number.)

    Raises
    ------
    DataError
        A line that is not JSON or not an object.
    """
    whole = text.content(path).decode().strip()
    if whole.startswith("["):
        entries: Iterable[tuple[int, Any]] = enumerate(parsed(whole, path), start=1)
    else:
        lines = enumerate(whole.split("\n"), start=1)
        entries = ((n, parsed(line, path, n)) for n, line in lines if line.strip())
    for number, entry in entries:
        if not isinstance(entry, dict):
            raise DataError("not a JSON object", file=path, line=number, value=str(entry)[:60])
        yield number, entry


def parsed(string: str, path: Path, line: int = 1) -> Any:
    """JSON as Python has it; DataError where it is none, or too deep."""
    try:
        return json.loads(string)
    except RecursionError:
        raise DataError("JSON too deep", file=path, line=line) from None
    except ValueError as error:
        at = line + getattr(error, "lineno", 1) - 1
        raise DataError(f"not JSON ({getattr(error, 'msg', error)})", file=path, line=at) from None
