"""A campaign's folder: which files may hold judgments, and what a reader takes and returns."""

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment

from . import binary, text
from .binary import SPREADSHEET

LATEST, GOOD = (
    "ad-latest.csv",
    "ad-good-raw-redup.csv",
)  # DA: all judgments, those that count
CLUSTERS, OF_CLUSTERS = (
    "clusters.csv",
    {"SRC", "TRG", "CLUSTER_START", "SYSTEM"},
)  # official
MOST_FOLDERS = 500  # of one depth
RECORD = "run.json"  # lists the files that a run wrote
# the folder of a metrics task that holds the judgments
STAND_OFF = "human-scores"
TABLE = re.compile(
    r".*(\.(csv|tsv|txt|jsonl|ndjson|json|seg\.score)(\.gz)?|\.tsv\.tar\.gz|\.parquet)",
    re.I,
)  # the names of tables
ASIDE_NAMES = ("readme*", "licen[cs]e*", "notice*", "copying*", "citation*")
ASIDE = (".*", *ASIDE_NAMES, "*.md")  # no judgments
PAPERS = (*ASIDE_NAMES, "*.md", "official")
BESIDE = (  # files that may accompany judgments, without .gz
    "sources.*",
    "campaign.y*ml",
    "annotators.tsv",
    "segments-*.tsv",
    "documents-*.tsv",
    "ad-sys-*.csv",
    "ad-da-diff-*.csv",
    "ad-*-mean-sd.txt",
    "adwilcox-*.csv",
    "published_rankings.txt",
    "segment_id_mapping.tsv",
    "data_edt.tsv",
    "data_acc.csv",
    "official",
    "documents",
    "sources",
    "references",
    STAND_OFF,
    "truth-*.csv",
    RECORD,
    "thumbs.db",
    "~$*",  # the last: of a table open in Excel
)


READ = [
    "file",
    "what",
    "value",
    "said by",
]  # the columns of how files were understood
TOLD_BY = "campaign.yaml"  # unless the command line did
Judgments: TypeAlias = DirectAssessment | pd.DataFrame


@dataclass(frozen=True)
class Source:
    """What a reader takes: the campaign's folder or file, the files to read, and its settings."""

    path: Path
    files: tuple[Path, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder itself, or that of the file."""
        return self.path if self.path.is_dir() else self.path.parent


@dataclass(frozen=True)
class Reader:
    """How files of one format become judgments."""

    pairs: Callable[[Source], Sequence[str]]
    read: Callable[[Source, str], Judgments]  # the judgments of one pair
    workers: Callable[[Source], bool] = lambda source: (
        True
    )  # whether it names annotators
    pair_of: Callable[[Path, Mapping[str, Any]], str] | None = (
        None  # if each file holds one
    )
    reading: Callable[[Source], pd.DataFrame] = lambda source: pd.DataFrame(
        columns=READ
    )
    beside: Callable[[Path], bool] | None = (
        None  # whether a table only describes judgments
    )
    columns: Callable[[Source], Mapping[str, str]] = (
        lambda source: {}
    )  # our column: the header's
    lacks: Callable[[Source], set[str]] = lambda source: (
        set()
    )  # of document and annotator
    judged: Callable[[Source, str], pd.DataFrame] | None = (
        None  # scores of judges, if read apart
    )


def locate(folder: Path, name: str) -> Path | None:
    """`name` or `name`.gz in `folder`, or None. Raises DataError if both exist and differ."""
    both = (folder / name, folder / f"{name}.gz")
    here = [
        file for file in both if os.path.isfile(file)
    ]  # unlike Path's, for names of any length
    if len(here) == 2 and text.digest(here[0]) != text.digest(here[1]):
        wrong = partial(DataError, file=here[0], value=here[1].name)
        expected = "one of them, or the same content in both"
        raise wrong(
            "two files of the same name with different content",
            expected=expected,
        )
    return here[0] if here else None


def named_file(path: Path, name: str) -> Path | None:
    """A file that campaign.yaml names, in its folder or among a metrics task's human scores."""
    return locate(path, name) or locate(path / STAND_OFF, name)


def entries(path: Path) -> Iterator[Path]:
    """The entries of a folder and its ``human-scores`` that are not `BESIDE` or results of ours."""
    ours = _results(path)
    for folder in (path, path / STAND_OFF):
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            name = entry.name.lower().removesuffix(".gz")
            beside = any(fnmatch(name, known) for known in BESIDE)
            beside |= name == CLUSTERS and has_clusters(entry)
            if not (
                beside or entry.name in ours or (entry / RECORD).is_file()
            ):
                yield entry


def within(path: Path, depth: int) -> list[Path]:
    """The folders `depth` levels below a folder, but those of `BESIDE` and `ASIDE`; sorted."""
    level = [path]
    for _ in range(depth):
        level = [
            one for place in level for one in entries(place) if one.is_dir()
        ]
        level = [
            one for one in level if not is_aside(one) and not one.is_symlink()
        ]
        if len(level) > MOST_FOLDERS:
            return []
    return level


def papers(path: Path, headers: bool = True) -> list[str]:
    """What accompanies a release and holds no judgments: notes, licence, official results.

    With `headers`, also files of a single line of names.
    """
    found = []
    for entry in sorted(path.iterdir()):
        name = entry.name.lower().removesuffix(".gz")
        known = any(fnmatch(name, one) for one in PAPERS)
        table = (
            headers
            and entry.is_file()
            and is_table(entry)
            and not is_aside(entry)
        )
        if known or (table and is_header(entry)):
            found.append(entry.name)
    return found


def is_aside(file: Path) -> bool:
    """Whether a file is hidden or has a name of notes, so that it is not read for judgments."""
    name = file.name.lower().removesuffix(".gz")
    return any(fnmatch(name, known) for known in ASIDE)


def has_clusters(file: Path) -> bool:
    """Whether a file has the columns of the official clusters; another may have their name."""
    with contextlib.suppress(DataError):  # damaged: said of it as of any other
        return set(text.first_line(file).split()) >= OF_CLUSTERS
    return False


def _results(folder: Path) -> set[str]:
    """The names of the files that a run of ours wrote into a folder."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        notebooks = (file.name for file in folder.glob("*.ipynb"))
        return {
            *json.loads((folder / RECORD).read_bytes())["files"],
            *notebooks,
        }
    return set()


def tables(path: Path) -> list[Path]:
    """Files that may hold judgments, sorted; spreadsheets only if there is no other table."""
    if path.is_file():
        return [path]
    files = named_tables(path)
    known = [
        file for file in files if file.suffix.lower() != SPREADSHEET
    ] or files
    return [file for file in known if not is_header(file)] or known


def named_tables(path: Path) -> list[Path]:
    """Files of a folder with the names of judgments, sorted; whatever is in them."""
    files = (
        entry
        for entry in entries(path)
        if entry.is_file() and not is_aside(entry)
    )
    return sorted(
        file for file in files if is_table(file) and not is_paid(file)
    )


def is_table(file: Path) -> bool:
    """Whether a file has the ending of a table, a spreadsheet's included."""
    return (
        bool(TABLE.fullmatch(file.name)) or file.suffix.lower() == SPREADSHEET
    )


@text.kept(256)
def is_header(file: Path) -> bool:
    """Whether a file is a single line of names, as comes with exports that have no header."""
    if binary.holds(file):
        return False
    head = text.head(file).strip()
    if "\n" in head:
        return False
    signs = "[\\t,;]" if re.search(r"[\t,;]", head) else r"\s"
    words, fewest = (
        re.split(f"{signs}+", head),
        5 if signs == r"\s" else 2,
    )  # fewer: a sentence
    names = all(
        re.fullmatch(r'"?[A-Za-z_][\w.]*"?', word.strip()) for word in words
    )
    return len(words) >= fewest and names


def is_paid(file: Path) -> bool:
    """Whether a file holds the paid judgments of WMT10, which the official results leave out."""
    return file.name.startswith("data_RNK-public")
