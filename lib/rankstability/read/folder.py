"""A campaign's folder: what in it may hold judgments, and what a format's reader gets and gives."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment
from . import binary, text

LATEST, GOOD = "ad-latest.csv", "ad-good-raw-redup.csv"  # of direct assessment, all and what counts
RECORD = "run.json"  # lists the files of a run
STAND_OFF = "human-scores"  # the folder of a metrics task that holds the judgments
TABLE = re.compile(
    r".*(\.(csv|tsv|txt|jsonl|ndjson|json|seg\.score)(\.gz)?|\.tsv\.tar\.gz|\.parquet)", re.I
)  # the endings of tables
BESIDE = (  # what may stand beside judgments, without .gz
    *("readme*", "licen[cs]e*", "notice*", "copying*", "citation*", "sources.*", "*.md"),
    *("campaign.y*ml", "annotators.tsv", "segments-*.tsv", "documents-*.tsv"),
    *("ad-sys-*.csv", "ad-da-diff-*.csv", "ad-*-mean-sd.txt", "adwilcox-*.csv", "clusters.csv"),
    *("published_rankings.txt", "segment_id_mapping.tsv", "data_edt.tsv", "data_acc.csv"),
    *("official", "documents", "sources", "references", STAND_OFF),
    *("truth-*.csv", RECORD, "thumbs.db"),
)


Judgments: TypeAlias = DirectAssessment | pd.DataFrame


@dataclass(frozen=True)
class Source:
    """What a reader gets: the campaign's folder or file, the files to read, and its settings."""

    path: Path
    files: tuple[Path, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder, also of a file."""
        return self.path if self.path.is_dir() else self.path.parent


@dataclass(frozen=True)
class Reader:
    """How files of one format become judgments."""

    pairs: Callable[[Source], Sequence[str]]
    read: Callable[[Source, str], Judgments]  # those of one pair
    workers: Callable[[Source], bool] = lambda source: True  # whether it names annotators
    pair_of: Callable[[Path, Mapping[str, Any]], str] | None = None  # where each file holds one
    reading: Callable[[Source], pd.DataFrame] | None = None  # see `long.reading`
    beside: Callable[[Path], bool] | None = None  # whether a table is no judgments, but of them
    columns: Callable[[Source], Mapping[str, str]] = lambda source: {}  # our column: the header's
    lacks: Callable[[Source], set[str]] = lambda source: set()  # document, annotator, if unnamed


def locate(folder: Path, name: str) -> Path | None:
    """`name` or `name`.gz in `folder`; DataError where both are there and differ."""
    both = (folder / name, folder / f"{name}.gz")
    here = [file for file in both if os.path.isfile(file)]  # unlike the method, of any length
    if len(here) == 2 and text.digest(here[0]) != text.digest(here[1]):
        wrong = partial(DataError, file=here[0], value=here[1].name)
        expected = "one of them, or the same in both"
        raise wrong("two files of one name with different content", expected=expected)
    return here[0] if here else None


def named_file(path: Path, name: str) -> Path | None:
    """A file that campaign.yaml names, in its folder or among a metrics task's human scores."""
    return locate(path, name) or locate(path / STAND_OFF, name)


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
    return _is_header(*text.key(file))


@lru_cache(maxsize=256)
def _is_header(path: str, mtime: int, size: int) -> bool:
    file = Path(path)
    if binary.holds(file):
        return False
    head = text.head(file).strip()
    if "\n" in head:
        return False
    signs = "[\\t,;]" if re.search(r"[\t,;]", head) else r"\s"
    words, fewest = re.split(f"{signs}+", head), 5 if signs == r"\s" else 2  # else a sentence
    names = all(re.fullmatch(r'"?[A-Za-z_][\w.]*"?', word.strip()) for word in words)
    return len(words) >= fewest and names


def is_paid(file: Path) -> bool:
    """Whether a file holds the paid judgments of WMT10, which the official results leave out."""
    return file.name.startswith("data_RNK-public")
