"""Which format files have, and which of a folder's are read; what is said of each to people.

The formats are those of `registry.FORMATS`; ``formats.yaml`` describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ..errors import DataError
from . import battles, columns, text
from . import da as readers_da
from .da import GOOD, LATEST, locate
from .registry import FORMATS, PROTOCOLS, mqm_pair

__all__ = [
    "FORMATS",
    "PARTS",
    "PROTOCOLS",
    "described",
    "detect",
    "files",
    "kind_of",
    "kinds_of",
    "mqm_pair",
    "named_file",
]
PATTERNS = ("*.csv", "*.tsv", "*.jsonl", "*.ndjson", "*.json", "*.seg.score")
PARTS = ("fields", "read", "left_out", "refused", "source")  # of what is said of a format
STAND_OFF = "human-scores"  # the folder of a metrics task that holds the judgments


@lru_cache(maxsize=1)
def described() -> dict[str, dict[str, Any]]:
    """``formats.yaml``: name -> title, example, and what else is said of a format."""
    file = Path(__file__).with_name("formats.yaml")
    entries: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return entries


def detect(path: Path) -> str:
    """The format of a file, or of the files in a folder, by their names and first lines.

    Raises
    ------
    DataError
        None that we know, or files of several formats (a ``campaign.yaml`` can then say which).
    """
    kinds = kinds_of(path)
    names = "" if path.is_file() else ", ".join(sorted(file.name for file in path.iterdir())[:6])
    if not kinds:
        for file in _candidates(path)[:1]:  # damaged, too large: that says more
            with text.opened(file) as stream:
                stream.read(1)
        near = next(filter(None, map(_almost, _candidates(path))), "")
        raise DataError(
            "not a file of a known format" if path.is_file() else "no files in a known format",
            file=path,
            value=text.first_line(path)[:80] if path.is_file() else names or "an empty folder",
            expected=near or "one of the formats that `rankstability formats` lists",
        )
    first = next((form for form in ("da", "segments") if form in kinds), "")
    if len(kinds) > 1:  # other tables may stand beside
        kinds.discard("long")
    if len(kinds) > 1 and not first:  # rankings and documents may stand beside DA
        raise DataError(
            "files of several formats: " + ", ".join(sorted(kinds)),
            file=path,
            value=names,
            expected="one format, or `format:` and `files:` in a campaign.yaml",
        )
    return first or kinds.pop()


NEEDED = {  # names in the first line of a format: with half of them a file is nearly of it
    "da": readers_da.COLUMNS,
    "mqm": ("system", "doc", "rater", "category", "severity"),
    "rr": ("srclang", "trglang", "srcIndex", "judgeId", "system1Id", "system1rank"),
    "pearmut": ("user_id", "item_i", "annotation", "item"),
    "wmt24": ("langs", "line_id", "system", "esa_score", "annotator"),
    "wmt25": ("doc_id", "tgt_text", "scores"),
    "battles": battles.NEEDED,
}
LABEL_STUDIO = ("annotations", "completed_by", "lead_time")


def _almost(path: Path) -> str:
    """What a file of no known format looks like, and what it lacks; empty where like nothing."""
    try:
        names = columns.header(path, text.first_line(path) or text.head(path))
        if set(LABEL_STUDIO) <= set(columns.header(path, text.head(path))):
            return "a table: Label Studio exports CSV too (`rankstability formats long` says how)"
        near = {form: set(needed) - set(names) for form, needed in NEEDED.items()}
        form = min(near, key=lambda name: len(near[name]) / len(NEEDED[name]))
        lacks = columns.almost(path, text.first_line(path))
        if len(near[form]) <= len(NEEDED[form]) / 2 and not (lacks and len(near[form]) > 1):
            return f"it looks like {form} without {', '.join(sorted(near[form]))}"
        return lacks
    except DataError as error:
        return str(error)


def kinds_of(path: Path) -> set[str]:
    """The formats of a file, or of the files in a folder; empty where none is known."""
    return {kind_of(file) for file in _candidates(path)} - {""}


def _candidates(path: Path) -> list[Path]:
    """Files that may hold judgments (of WMT10, not the paid ``-public`` ones), sorted."""
    if path.is_file():
        return [path]
    patterns = [*PATTERNS, *(f"{one}.gz" for one in PATTERNS), "*.tsv.tar.gz", "*.parquet"]
    patterns += [f"{STAND_OFF}/*.seg.score", f"{STAND_OFF}/*.seg.score.gz"]
    files = {file for pattern in patterns for file in path.glob(pattern) if file.is_file()}
    return sorted(p for p in files if "-public" not in p.name and not p.name.startswith("."))


def kind_of(path: Path) -> str:
    """The format of one file by its name or its first line; empty where it is none we know."""
    line = text.first_line(path)
    return next((name for name, form in FORMATS.items() if form.knows(path, line)), "")


def named_file(folder: Path, name: str) -> Path | None:
    """A file that campaign.yaml names, in its folder or among a metrics task's human scores."""
    return locate(folder, name) or locate(folder / STAND_OFF, name)


def files(
    name: str, path: Path, pair: str = "", settings: Mapping[str, Any] | None = None
) -> tuple[Path, ...]:
    """The files of a folder (or of one file) that are read for `pair`, in a fixed order.

    `settings` may name the ``files`` (else: all of the format); without `pair`, the files of all
    pairs.
    """
    if name == "da":
        folder = path if path.is_dir() else path.parent
        here = [path] if path.is_file() else [locate(path, one) for one in (LATEST, GOOD)]
        chosen = [pair] if pair else readers_da.pairs(path)
        here += [locate(folder, f"documents-{one}.tsv") for one in chosen]
        return tuple(file for file in here if file)
    settings = settings or {}
    named = settings.get("files") or ()
    if path.is_file():
        listed = [path]
    elif named:
        listed = [file for file in (named_file(path, str(one)) for one in named) if file]
    elif settings.get("columns"):  # they may be known by these only
        listed = [file for file in _candidates(path) if kind_of(file) in (name, "")]
    else:
        listed = [file for file in _candidates(path) if kind_of(file) == name]
    form = FORMATS[name]
    if form.beside and listed:
        folder = path if path.is_dir() else path.parent
        listed += sorted(filter(form.beside, folder.glob("*.tsv")))
    of_pair = form.pair_of
    return tuple(
        file for file in listed if not (pair and of_pair) or of_pair(file, settings) == pair
    )
