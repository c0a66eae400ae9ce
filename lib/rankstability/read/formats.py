"""The formats of judgments: how each is known, which files it reads, and how.

`FORMATS` is the one list of them; what is said of each to people stands in ``formats.yaml``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import yaml

from ..errors import DataError
from ..judgments import DirectAssessment
from . import appraise as readers_appraise
from . import appraise_mqm, battles, json_lines, languages, long, mtme, tables, text
from . import da as readers_da
from . import mqm as readers_mqm
from . import rr as readers_rr
from .da import GOOD, LATEST, locate, segment_pair

TOLD = ("pair", "scale", "columns", "reset")  # settings on which the judgments depend
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
class Format:
    """A form that judgments come in.

    Attributes
    ----------
    protocol : str
        ``DA`` (single scores), ``RR`` (one output against others) or ``MQM`` (marked errors).
    knows : function
        Whether a file, given with its first line, has this format.
    pairs, read, workers : function
        Of a `Source`: its language pairs; the judgments of one; whether it names annotators.
    pair_of : function, optional
        The pair of a file (given with the settings), where each file holds one.
    reading : function, optional
        Of a `Source`: how its files were understood, a frame of file, what, value, said by.
    beside : function, optional
        Whether a table in the folder is no judgments, but read with them.
    """

    protocol: str
    knows: Callable[[Path, str], bool]
    pairs: Callable[[Source], Sequence[str]]
    read: Callable[[Source, str], Judgments]
    workers: Callable[[Source], bool] = lambda source: True
    pair_of: Callable[[Path, Mapping[str, Any]], str] | None = None
    reading: Callable[[Source], pd.DataFrame] | None = None
    beside: Callable[[Path], bool] | None = None


def scores(
    opener: long.Opener,
    knows: Callable[[Path, str], bool],
    check: Callable[[Sequence[Path]], None] = lambda files: None,
) -> Format:
    """A format of single scores, which `opener` brings to the columns of the long table."""

    kept: dict[str, Mapping[str, Any]] = {}

    @lru_cache(maxsize=8)
    def once(path: str, mtime: int, size: int, told: str) -> long.Judged:
        return opener(Path(path), kept[told])

    def parts(source: Source) -> list[long.Judged]:
        check(source.files)
        told = repr({name: source.settings.get(name) for name in TOLD})
        kept[told] = source.settings
        return [once(*text.key(file), told) for file in source.files]

    return Format(
        "DA",
        knows,
        pairs=lambda source: long.pairs(parts(source)),
        read=lambda source, pair: long.read(parts(source), pair, source.settings),
        workers=lambda source: long.workers(parts(source)),
        reading=lambda source: long.reading(parts(source), source.settings),
    )


def _knows_da(path: Path, line: str) -> bool:
    if path.name.removesuffix(".gz") in (LATEST, GOOD):
        return True
    fields, columns = line.split("\t") if "\t" in line else line.split(), readers_da.COLUMNS
    no_header = len(fields) == len(columns) and fields[8] in readers_da.TYPES
    return set(fields) == set(columns) or no_header


def _knows_rr(path: Path, line: str) -> bool:
    row = set(tables.cells(line))
    return {"srclang", "trglang"} <= row and bool({"system1rank", "rankingID"} & row)


def _knows_appraise(form: str) -> Callable[[Path, str], bool]:
    def knows(path: Path, line: str) -> bool:
        columns = () if path.name.startswith("header") else readers_appraise.layout(line)
        if "spans" not in columns:
            return form == "appraise" and bool(columns)
        return form == ("appraise-mqm" if appraise_mqm.is_mqm(path) else "esa")

    return knows


def _appraise(form: str) -> Format:
    if form == "appraise-mqm":
        protocol, read = "MQM", appraise_mqm.read_appraise_mqm
    else:
        protocol, read = "DA", readers_appraise.read_appraise
    return Format(
        protocol,
        _knows_appraise(form),
        pairs=lambda source: readers_appraise.pairs(source.files),
        read=lambda source, pair: read(source.files, pair),
        beside=readers_appraise.companion,
    )


def _read_mqm(source: Source, pair: str) -> Judgments:
    files = [file for file in source.files if mqm_pair(file, source.settings) == pair]
    if len(files) > 1:
        raise DataError(
            "two files of one language pair",
            file=files[1],
            expected="one MQM file per pair in a folder",
        )
    return readers_mqm.read_mqm(files[0], pair)


def _read_battles(source: Source, pair: str) -> Judgments:
    """Those of one pair; of all without (there is one task per pair)."""
    pairs = [pair] if pair else sorted({battles.pair_of(f, source.settings) for f in source.files})
    parts = [battles.read(source.files, one, source.settings) for one in pairs]
    if len(parts) == 1:
        return parts[0]
    for before, after in itertools.pairwise(parts):
        after["block"] += before["block"].max() + 1
    return pd.concat(parts, ignore_index=True)


def mqm_pair(path: Path, settings: Mapping[str, Any]) -> str:
    """``en-de`` from a name such as ``mqm_generalMT2022_ende.tsv``, or as the settings say."""
    found = settings.get("pair") or languages.pair_in(path, joined=True)
    if not found:
        raise DataError(
            "no language pair in the file's name",
            file=path,
            expected="a name such as mqm_mine_ende.tsv, or `pair:` in a campaign.yaml",
        )
    return str(found)


FORMATS: dict[str, Format] = {
    "da": Format(
        "DA",
        _knows_da,
        pairs=lambda source: readers_da.pairs(source.path),
        read=lambda source, pair: readers_da.read_da(source.path, pair),
    ),
    "segments": Format(
        "DA",
        lambda path, line: bool(segment_pair(path)),
        pairs=lambda source: sorted({segment_pair(file) for file in source.files}),
        read=lambda source, pair: readers_da.read_segment_scores(source.folder, pair),
        workers=lambda source: False,
        pair_of=lambda path, settings: segment_pair(path),
    ),
    "mqm": Format(
        "MQM",
        lambda path, line: {"category", "severity"} <= set(line.lower().split("\t")),
        pairs=lambda source: sorted({mqm_pair(file, source.settings) for file in source.files}),
        read=_read_mqm,
        pair_of=mqm_pair,
    ),
    "rr": Format(
        "RR",
        _knows_rr,
        pairs=lambda source: readers_rr.pairs(source.files),
        read=lambda source, pair: readers_rr.read_rr(source.files, pair=pair),
    ),
    "appraise": _appraise("appraise"),
    "esa": _appraise("esa"),
    "appraise-mqm": _appraise("appraise-mqm"),
    "pearmut": scores(json_lines.pearmut, partial(json_lines.knows, "pearmut")),
    "wmt24": scores(json_lines.wmt24, partial(json_lines.knows, "wmt24")),
    "wmt25": scores(json_lines.wmt25, partial(json_lines.knows, "wmt25")),
    "mtme": scores(mtme.opened, mtme.knows, mtme.one_each),
    "battles": Format(
        "RR",
        battles.knows,
        pairs=lambda source: sorted({battles.pair_of(f, source.settings) for f in source.files}),
        read=lambda source, pair: _read_battles(source, pair),
        pair_of=battles.pair_of,
    ),
    "long": scores(long.opened, long.knows),
}  # in the order in which a file is tried
PROTOCOLS = {name: form.protocol for name, form in FORMATS.items()}
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
        names = long.header(path, text.first_line(path) or text.head(path))
        if set(LABEL_STUDIO) <= set(long.header(path, text.head(path))):
            return "a table: Label Studio exports CSV too (`rankstability formats long` says how)"
        near = {form: set(needed) - set(names) for form, needed in NEEDED.items()}
        form = min(near, key=lambda name: len(near[name]) / len(NEEDED[name]))
        lacks = long.almost(path, text.first_line(path))
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
