"""What lies in a folder: files that may hold judgments, and what belongs to them or does not."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from . import binary, text

RECORD = "run.json"  # lists the files of a run
STAND_OFF = "human-scores"  # the folder of a metrics task that holds the judgments
TABLE = re.compile(
    r".*(\.(csv|tsv|txt|jsonl|ndjson|json|seg\.score)(\.gz)?|\.tsv\.tar\.gz|\.parquet)", re.I
)  # the endings of tables
BESIDE = (  # what may stand beside judgments, without .gz
    *("readme*", "licen[cs]e*", "notice*", "copying*", "citation*", "sources.*", "*.md"),
    *("campaign.y*ml", "annotators.tsv", "segments-*.tsv", "documents-*.tsv", "header*.csv"),
    *("ad-sys-*.csv", "ad-da-diff-*.csv", "ad-*-mean-sd.txt", "adwilcox-*.csv", "clusters.csv"),
    *("published_rankings.txt", "segment_id_mapping.tsv", "data_edt.tsv", "data_acc.csv"),
    *("official", "documents", "sources", "references", STAND_OFF),
    *("truth-*.csv", RECORD, "thumbs.db"),
)


def entries(path: Path) -> Iterator[Path]:
    """What lies in a folder and its ``human-scores``, but hidden files, `BESIDE`, our results."""
    ours = _results(path)
    for folder in (path, path / STAND_OFF):
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            name = entry.name.lower().removesuffix(".gz")
            beside = name.startswith(".") or any(fnmatch(name, known) for known in BESIDE)
            if not (beside or entry.name in ours or (entry / RECORD).is_file()):
                yield entry


def _results(folder: Path) -> set[str]:
    """The names of what runs of ours have written in a folder."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        notebooks = (file.name for file in folder.glob("*.ipynb"))
        return {*json.loads((folder / RECORD).read_bytes())["files"], *notebooks}
    return set()


def tables(path: Path) -> list[Path]:
    """Files that may hold judgments, sorted.

    Of WMT10 not the paid ``-public`` ones; of others, not a header in a file of its own.
    Spreadsheets only where there is no other table.
    """
    if path.is_file():
        return [path]
    files = [entry for entry in entries(path) if entry.is_file()]
    known = sorted(file for file in files if TABLE.fullmatch(file.name) and not is_paid(file))
    known = known or sorted(file for file in files if file.suffix.lower() == ".xlsx")
    return [file for file in known if not is_header(file)] or known


def is_header(file: Path) -> bool:
    """Whether a file is one line of names, such as stands beside exports without a header."""
    if binary.holds(file):
        return False
    head = text.head(file).strip()
    words = re.split(r"[\t,;]+", head) if re.search(r"[\t,;]", head) else head.split()
    fewest = 2 if re.search(r"[\t,;]", head) else 5  # of words between blanks: no sentence
    names = all(re.fullmatch(r'"?[A-Za-z_][\w.]*"?', word.strip()) for word in words)
    return len(words) >= fewest and names


def is_paid(file: Path) -> bool:
    """Whether a file holds the paid judgments of WMT10, which the official results leave out."""
    return file.name.startswith("data_RNK-public")
