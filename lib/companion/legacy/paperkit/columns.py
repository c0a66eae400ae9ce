"""What the columns of the tables say, from ``columns.yaml``: the text of links to CSV files."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from .templates import HERE


@cache
def explained() -> dict[str, Any]:
    """Explanations: ``columns`` maps columns to meanings; ``files`` describes single tables."""
    return dict(
        yaml.safe_load((HERE / "columns.yaml").read_text(encoding="utf-8"))
    )


def meanings(table: str, columns: list[str]) -> list[dict[str, str]]:
    """Name and meaning of each column; columns named after data share one row at the end.

    The meaning of an unexplained column is empty (the tests allow none).
    """
    files = explained()["files"]
    own: Mapping[str, Any] = files.get(table) or files.get(
        table.rpartition("_")[0], {}
    )
    known = {**explained()["columns"], **own.get("columns", {})}
    others = own.get("others", "")
    rows = [
        {"name": c, "text": known.get(c, "")}
        for c in columns
        if c in known or not others
    ]
    if others and any(c not in known for c in columns):
        what, _, text = others.rpartition(": ")
        rows.append({"name": f"({what})", "text": text})
    return rows


def header(file: Path) -> list[str]:
    """The names of the columns of a CSV file."""
    with file.open(encoding="utf-8", newline="") as stream:
        return next(csv.reader(stream), [])


def told(file: Path) -> str:
    """What a CSV file holds, and then a line for each of its columns."""
    about = explained()["files"].get(file.stem, {}).get("about", "")
    rows = meanings(file.stem, header(file))
    return "\n".join(
        filter(
            None, [about, *(f"{row['name']}: {row['text']}" for row in rows)]
        )
    )
