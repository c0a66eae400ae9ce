"""The one list of the formats of judgments (`FORMATS`): how a file of each is known and read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment
from . import appraise as readers_appraise
from . import appraise_mqm, battles, columns, json_lines, languages, long, mtme, tables, text
from . import da as readers_da
from . import mqm as readers_mqm
from . import rr as readers_rr
from .da import GOOD, LATEST, segment_pair

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
    opener: columns.Opener,
    knows: Callable[[Path, str], bool],
    check: Callable[[Sequence[Path]], None] = lambda files: None,
) -> Format:
    """A format of single scores, which `opener` brings to the columns of the long table."""

    kept: dict[str, Mapping[str, Any]] = {}

    @lru_cache(maxsize=8)
    def once(path: str, mtime: int, size: int, told: str) -> columns.Judged:
        return opener(Path(path), kept[told])

    def parts(source: Source) -> list[columns.Judged]:
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
    "long": scores(columns.opened, columns.knows),
}  # in the order in which a file is tried
PROTOCOLS = {name: form.protocol for name, form in FORMATS.items()}
