"""Which files of a folder hold a campaign, in which format, and for which language pairs."""

from __future__ import annotations

import csv
import gzip
import re
import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from .. import paths
from ..errors import DataError
from . import appraise as readers_appraise
from . import da as readers_da
from . import rr as readers_rr
from . import text as tables
from .da import GOOD, LATEST, locate, segment_pairs

PROTOCOLS = {
    "da": "DA",
    "segments": "DA",
    "esa": "DA",
    "appraise": "DA",
    "rr": "RR",
    "mqm": "MQM",
}
MQM_PAIR = re.compile(r"_([a-z]{2})-?([a-z]{2})(?=[._])")  # of several the last counts


def detect(folder: Path) -> str:
    """The format of the files in `folder`, by their names and first lines.

    Raises
    ------
    DataError
        None that we know, or files of several formats (a ``campaign.yaml`` can then say which).
    """
    if locate(folder, LATEST) or locate(folder, GOOD):
        return "da"
    if segment_pairs(folder):
        return "segments"
    found = {kind_of(path) for path in _candidates(folder)} - {""}
    if len(found) == 1:
        return found.pop()
    names = ", ".join(sorted(path.name for path in folder.iterdir())[:6])
    if found:
        raise DataError(
            "files of several formats: " + ", ".join(sorted(found)),
            file=paths.shown(folder),
            value=names,
            expected="one format, or `format:` and `files:` in a campaign.yaml",
        )
    raise DataError(
        "no files in a known format",
        file=paths.shown(folder),
        value=names or "an empty folder",
        expected=f"{LATEST} with {GOOD}; ad-seg-scores-XX-YY.csv; relative rankings *.csv; "
        "MQM *.tsv; an ESA or Appraise export *.csv (data/README.md)",
    )


def _candidates(folder: Path) -> list[Path]:
    """Files that may hold judgments (of WMT10, not the paid ``-public`` ones), sorted."""
    patterns = ("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.tsv.tar.gz")
    found = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    return sorted(p for p in found if "-public" not in p.name and not p.name.startswith("."))


def kind_of(path: Path) -> str:
    """``rr``, ``mqm``, ``esa``, ``appraise`` by the first line, or empty."""
    line = _first_line(path)
    names = line.split("\t")
    if {"category", "severity"} <= {name.strip().lower() for name in names}:
        return "mqm"
    row = next(csv.reader([line]), [])
    if {"srclang", "trglang"} <= set(row):
        return "rr" if {"system1rank", "rankingID"} & set(row) else ""
    for kind, columns in readers_appraise.COLUMNS.items():
        if len(row) == len(columns) and row[3] in readers_appraise.TYPES:
            return kind
        if tuple(row) == columns and not path.name.startswith("header"):
            return kind
    return ""


def _first_line(path: Path) -> str:
    """The first line; of an archive, that of its first table; empty where it cannot be read."""
    try:
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path, "r:gz") as archive:
                first = next((m for m in archive if m.isfile()), None)
                stream = archive.extractfile(first) if first else None
                line = stream.readline(1 << 16) if stream else b""
        elif path.name.endswith(".gz"):
            with gzip.open(path) as packed:
                line = packed.readline(1 << 16)
        else:
            with path.open("rb") as plain:
                line = plain.readline(1 << 16)
    except (OSError, EOFError, tarfile.TarError, zlib.error):
        return ""
    return line.decode("utf-8-sig", errors="replace").rstrip("\r\n")


def files(form: str, folder: Path, names: Sequence[str] = (), pair: str = "") -> tuple[Path, ...]:
    """The files of `folder` that are read for `pair` (empty: all pairs), in a fixed order.

    `names` are the files to read where the campaign says so (empty: all of the format).
    """
    if form == "da":
        chosen = [pair] if pair else readers_da.pairs(folder)
        wanted = [LATEST, GOOD, *(f"documents-{one}.tsv" for one in chosen)]
        found = [locate(folder, name) for name in wanted]
        return tuple(path for path in found if path)
    if form == "segments":
        found = [
            locate(folder, f"ad-seg-scores-{one}.csv")
            for one in ([pair] if pair else segment_pairs(folder))
        ]
        return tuple(path for path in found if path)
    if names:
        listed = [locate(folder, str(name)) for name in names]
        here = tuple(path for path in listed if path)
    else:
        here = tuple(path for path in _candidates(folder) if kind_of(path) == form)
    if form == "mqm" and pair:
        return tuple(path for path in here if _mqm_pair(path) == pair)
    return here


def _mqm_pair(path: Path) -> str:
    """``en-de`` from a name such as ``mqm_generalMT2022_ende.tsv``."""
    found = MQM_PAIR.findall(path.name)
    if not found:
        raise DataError(
            "no language pair in the file's name",
            file=paths.shown(path),
            expected="a name such as mqm_mine_ende.tsv",
        )
    return "-".join(found[-1])


def pairs(form: str, folder: Path, here: Sequence[Path]) -> tuple[str, ...]:
    """The language pairs in the files `here` (as `files` gives them), sorted."""
    if form == "da":
        return readers_da.pairs(folder)
    if form == "segments":
        return segment_pairs(folder)
    if form == "mqm":
        return tuple(sorted({_mqm_pair(path) for path in here}))
    if form == "rr":
        return tuple(sorted(set().union(*(_rr_pairs(path) for path in here))))
    return readers_appraise.pairs(tuple(here), form)


def _rr_pairs(path: Path) -> set[str]:
    text = tables.content(path).decode("utf-8").splitlines()
    header = text[0].split(",")
    if "srclang" not in header or "trglang" not in header:
        raise DataError(
            "no srclang and trglang in the header", file=paths.shown(path), line=1, value=text[0]
        )
    source, target = header.index("srclang"), header.index("trglang")
    seen = set()
    for line in text[1:]:
        fields = line.split(",", max(source, target) + 1)
        if len(fields) > max(source, target):
            seen.add((fields[source], fields[target]))
    codes = readers_rr.LANGUAGES  # an unknown name is left for the reader, which knows its line
    return {f"{codes.get(s.lower(), s)}-{codes.get(t.lower(), t)}" for s, t in seen}
