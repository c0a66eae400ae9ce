"""Which files of a folder hold a campaign, in which format, and for which language pairs."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from .. import paths
from ..errors import DataError
from . import appraise as readers_appraise
from . import appraise_mqm, text
from . import da as readers_da
from . import rr as readers_rr
from .da import GOOD, LATEST, locate, segment_pair

PROTOCOLS = {
    "da": "DA",
    "segments": "DA",
    "esa": "DA",
    "appraise": "DA",
    "appraise-mqm": "MQM",
    "rr": "RR",
    "mqm": "MQM",
}
APPRAISE = ("appraise", "esa", "appraise-mqm")
MQM_PAIR = re.compile(r"_([a-z]{2})-?([a-z]{2})(?=[._])")  # of several the last counts
KNOWN = (
    f"{LATEST} with {GOOD}; ad-seg-scores-XX-YY.csv; relative rankings *.csv; MQM *.tsv; "
    "an ESA or Appraise export *.csv (data/README.md)"
)


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
        raise DataError(
            "not a file of a known format" if path.is_file() else "no files in a known format",
            file=paths.shown(path),
            value=text.first_line(path)[:80] if path.is_file() else names or "an empty folder",
            expected=KNOWN,
        )
    first = next((form for form in ("da", "segments") if form in kinds), "")
    if len(kinds) > 1 and not first:  # rankings and documents may stand beside DA
        raise DataError(
            "files of several formats: " + ", ".join(sorted(kinds)),
            file=paths.shown(path),
            value=names,
            expected="one format, or `format:` and `files:` in a campaign.yaml",
        )
    return first or kinds.pop()


def kinds_of(path: Path) -> set[str]:
    """The formats of a file, or of the files in a folder; empty where none is known."""
    return {kind_of(file) for file in ([path] if path.is_file() else _candidates(path))} - {""}


def _candidates(folder: Path) -> list[Path]:
    """Files that may hold judgments (of WMT10, not the paid ``-public`` ones), sorted."""
    patterns = ("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.tsv.tar.gz")
    files = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    return sorted(p for p in files if "-public" not in p.name and not p.name.startswith("."))


def kind_of(path: Path) -> str:
    """The format of one file by its name or its first line; empty where it is none we know."""
    plain = path.name.removesuffix(".gz")
    if plain in (LATEST, GOOD):
        return "da"
    if segment_pair(path):
        return "segments"
    line = text.first_line(path)
    if {"category", "severity"} <= {name.strip().lower() for name in line.split("\t")}:
        return "mqm"
    fields = line.split("\t") if "\t" in line else line.split()
    if set(fields) == set(readers_da.COLUMNS):
        return "da"
    if len(fields) == len(readers_da.COLUMNS) and fields[8] in readers_da.TYPES:  # no header
        return "da"
    row = next(csv.reader([line]), [])
    if {"srclang", "trglang"} <= set(row):
        return "rr" if {"system1rank", "rankingID"} & set(row) else ""
    columns = () if path.name.startswith("header") else readers_appraise.layout(line)
    if not columns:
        return ""
    if "spans" not in columns:
        return "appraise"
    return "appraise-mqm" if appraise_mqm.is_mqm(path) else "esa"


def files(form: str, path: Path, names: Sequence[str] = (), pair: str = "") -> tuple[Path, ...]:
    """The files of a folder (or of one file) that are read for `pair`, in a fixed order.

    `names` are the files to read where the campaign says so (empty: all of the format); without
    `pair`, the files of all pairs.
    """
    if form == "da":
        folder = path if path.is_dir() else path.parent
        here = [path] if path.is_file() else [locate(path, name) for name in (LATEST, GOOD)]
        chosen = [pair] if pair else readers_da.pairs(path)
        here += [locate(folder, f"documents-{one}.tsv") for one in chosen]
        return tuple(file for file in here if file)
    if path.is_file():
        listed = [path]
    elif names:
        listed = [file for file in (locate(path, str(name)) for name in names) if file]
    else:
        listed = [file for file in _candidates(path) if kind_of(file) == form]
    if form in APPRAISE and listed:
        folder = path if path.is_dir() else path.parent
        listed += sorted(f for f in folder.glob("*.tsv") if readers_appraise.companion(f))
    of_pair = {"mqm": mqm_pair, "segments": segment_pair}.get(form)
    return tuple(file for file in listed if not (pair and of_pair) or of_pair(file) == pair)


def mqm_pair(path: Path) -> str:
    """``en-de`` from a name such as ``mqm_generalMT2022_ende.tsv``."""
    matches = MQM_PAIR.findall(path.name)
    if not matches:
        raise DataError(
            "no language pair in the file's name",
            file=paths.shown(path),
            expected="a name such as mqm_mine_ende.tsv",
        )
    return "-".join(matches[-1])


def pairs(form: str, path: Path, here: Sequence[Path]) -> tuple[str, ...]:
    """The language pairs in the files `here` (as `files` gives them) of `path`, sorted."""
    if form == "da":
        return readers_da.pairs(path)
    if form == "segments":
        return tuple(sorted({segment_pair(file) for file in here}))
    if form == "mqm":
        return tuple(sorted({mqm_pair(file) for file in here}))
    if form == "rr":
        return readers_rr.pairs(here)
    return readers_appraise.pairs(tuple(here))
