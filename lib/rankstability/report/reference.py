"""Pages that explain: a campaign of one's own, formats, the columns of tables, the public names."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import rankstability

from .. import paths
from ..read.formats import FORMATS, PARTS, described
from .templates import HERE

SAMPLE = paths.DEMO / "ratings.csv"


@cache
def explained() -> dict[str, Any]:
    """``columns``: column to meaning; ``files``: about, columns and others of single tables."""
    return dict(yaml.safe_load((HERE / "columns.yaml").read_text(encoding="utf-8")))


def headers(figures: Path) -> dict[tuple[str, str], list[str]]:
    """The columns of each table of each notebook, over all campaigns and pairs in `figures`."""
    seen: dict[tuple[str, str], dict[str, None]] = {}
    for file in sorted(figures.glob("*/[0-9]*/**/*.csv")):
        notebook = file.relative_to(figures).parts[1]
        with file.open(encoding="utf-8", newline="") as stream:
            head = next(csv.reader(stream), [])
        seen.setdefault((notebook, file.stem), {}).update(dict.fromkeys(head))
    return {key: list(head) for key, head in sorted(seen.items())}


def meanings(table: str, columns: list[str]) -> list[dict[str, str]]:
    """Name and meaning of each column; columns named after data in one row, at the end.

    A column that nothing explains has an empty meaning (the tests allow none).
    """
    files = explained()["files"]
    own: Mapping[str, Any] = files.get(table) or files.get(table.rpartition("_")[0], {})
    known = {**explained()["columns"], **own.get("columns", {})}
    others = own.get("others", "")
    rows = [{"name": c, "text": known.get(c, "")} for c in columns if c in known or not others]
    if others and any(c not in known for c in columns):
        what, _, text = others.rpartition(": ")
        rows.append({"name": f"({what})", "text": text})
    return rows


def tables(figures: Path) -> list[dict[str, Any]]:
    """For each notebook its tables, each with what it is about and its columns."""
    made: dict[str, list[dict[str, Any]]] = {}
    for (notebook, table), columns in headers(figures).items():
        about = explained()["files"].get(table, {}).get("about", "")
        row = {"name": table, "about": about, "columns": meanings(table, columns)}
        made.setdefault(notebook, []).append(row)
    return [{"notebook": notebook, "tables": rows} for notebook, rows in made.items()]


def names() -> list[dict[str, str]]:
    """The public names with signature and docstring."""
    made = []
    for name in rankstability.__all__:
        thing = getattr(rankstability, name)
        signature = f"{name}{inspect.signature(thing)}" if callable(thing) else name
        doc = inspect.getdoc(thing) if callable(thing) else f"One of: {', '.join(thing)}"
        made.append({"name": name, "signature": signature, "doc": doc or ""})
    return made


@cache
def _formats() -> list[dict[str, Any]]:
    entries = described()
    return [{"name": n, "protocol": f.protocol, **entries[n]} for n, f in FORMATS.items()]


def format_words() -> list[tuple[str, str, str, str]]:
    """The pages of formats for the search: address, heading, where, text."""
    words = []
    for one in _formats():
        text = " ".join(str(one.get(part, "")) for part in PARTS)
        words.append((f"formats/{one['name']}.html", one["title"], "formats", text))
    return words


def contexts(figures: Path) -> dict[str, dict[str, Any]]:
    """What the templates of these pages are given, by page."""
    sample = SAMPLE.read_text(encoding="utf-8").splitlines()
    each = {"name": "format.html.j2"}
    return {
        "own.html": {"sample": sample[:7], "rows": len(sample) - 1, "file": paths.shown(SAMPLE)},
        "columns.html": {"notebooks": tables(figures)},
        "reference.html": {"names": names()},
        "formats/index.html": {"name": "formats.html.j2", "formats": _formats()},
        **{f"formats/{one['name']}.html": {**each, "said": one} for one in _formats()},
    }
