"""The formats of judgments (`FORMATS`): how a file of each is known and read.

Which format files have, which of a folder's are read; ``formats.yaml`` describes each to people.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import yaml

from ..errors import DataError
from ..judgments import DirectAssessment
from . import (
    appraise,
    battles,
    columns,
    da,
    folder,
    json_lines,
    languages,
    long,
    mqm,
    mtme,
    rr,
    text,
)
from .da import GOOD, LATEST, locate

TOLD = ("pair", "scale", "columns", "reset", "annotator")  # settings on which the judgments depend
PARTS = ("fields", "read", "left_out", "refused", "source")  # of what is said of a format
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
    """A form that judgments come in."""

    protocol: str  # DA (single scores), RR (one output against others) or MQM (marked errors)
    knows: Callable[[Path, str], bool]  # whether a file, given with its first line, has it
    pairs: Callable[[Source], Sequence[str]]
    read: Callable[[Source, str], Judgments]  # those of one pair
    workers: Callable[[Source], bool] = lambda source: True  # whether it names annotators
    pair_of: Callable[[Path, Mapping[str, Any]], str] | None = None  # where each file holds one
    reading: Callable[[Source], pd.DataFrame] | None = None  # see `long.reading`
    beside: Callable[[Path], bool] | None = None  # whether a table is no judgments, but of them
    columns: Callable[[Source], Mapping[str, str]] = lambda source: {}  # our column: the header's
    lacks: Callable[[Source], set[str]] = lambda source: set()  # document, annotator, if unnamed


def scores(
    opener: columns.Opener,
    knows: Callable[[Path, str], bool],
    check: Callable[[Sequence[Path]], None] = lambda files: None,
) -> Format:
    """A format of single scores, which `opener` brings to the columns of the long table."""

    @lru_cache(maxsize=8)
    def once(path: str, mtime: int, size: int, told: str) -> columns.Judged:
        return opener(Path(path), json.loads(told))

    def parts(source: Source) -> list[columns.Judged]:
        check(source.files)
        told = json.dumps({name: source.settings.get(name) for name in TOLD})
        return [once(*text.key(file), told) for file in source.files]

    return Format(
        "DA",
        knows,
        pairs=lambda source: long.pairs(parts(source)),
        read=lambda source, pair: long.read(parts(source), pair, source.settings),
        workers=lambda source: long.workers(parts(source)),
        reading=lambda source: long.reading(parts(source), source.settings),
        columns=lambda source: parts(source)[0].names,
        lacks=lambda source: {"document", "annotator"}.difference(
            *(p.names for p in parts(source))
        ),
    )


def _knows_appraise(form: str, path: Path, line: str) -> bool:
    columns = () if path.name.startswith("header") else appraise.layout(line)
    if "spans" not in columns:
        return form == "appraise" and bool(columns)
    return form == ("appraise-mqm" if appraise.is_mqm(path) else "esa")


def _appraise(form: str, protocol: str, read: Callable[..., Judgments]) -> Format:
    return Format(
        protocol,
        partial(_knows_appraise, form),
        pairs=lambda source: appraise.pairs(source.files),
        read=lambda source, pair: read(source.files, pair, source.settings.get("annotator")),
        beside=appraise.companion,
    )


def _read_mqm(source: Source, pair: str) -> Judgments:
    files = [file for file in source.files if mqm.pair_of(file, source.settings) == pair]
    if len(files) > 1:
        problem, expected = "two files of one language pair", "one MQM file per pair in a folder"
        raise DataError(problem, file=files, expected=expected)
    return mqm.read_mqm(files[0], pair)


def _read_battles(source: Source, pair: str) -> Judgments:
    """Those of one pair; of all without (there is one task per pair)."""
    pairs = (
        [pair] if pair else sorted({languages.pair_told(f, source.settings) for f in source.files})
    )
    parts = [battles.read(source.files, one, source.settings) for one in pairs]
    if len(parts) == 1:
        return parts[0]
    for before, after in itertools.pairwise(parts):
        after["block"] += before["block"].max() + 1
    excluded = sum((Counter(part.attrs["excluded"]) for part in parts), Counter[str]())
    out = pd.concat(parts, ignore_index=True)
    out.attrs["excluded"] = dict(excluded)
    return out


FORMATS: dict[str, Format] = {
    "da": Format(
        "DA",
        da.knows,
        pairs=lambda source: da.pairs(source.path),
        read=lambda source, pair: da.read_da(source.path, pair),
    ),
    "segments": Format(
        "DA",
        lambda path, line: bool(da.segment_pair(path)),
        pairs=lambda source: sorted({da.segment_pair(file) for file in source.files}),
        read=lambda source, pair: da.read_segment_scores(source.folder, pair),
        workers=lambda source: False,
        pair_of=lambda path, settings: da.segment_pair(path),
    ),
    "mqm": Format(
        "MQM",
        lambda path, line: {"category", "severity"} <= set(line.lower().split("\t")),
        pairs=lambda source: sorted({mqm.pair_of(file, source.settings) for file in source.files}),
        read=_read_mqm,
        pair_of=mqm.pair_of,
    ),
    "bio-mqm": Format(
        "MQM",
        partial(json_lines.knows, "bio-mqm"),
        pairs=lambda source: sorted({mqm.rated_pair(f, source.settings) for f in source.files}),
        read=lambda source, pair: mqm.read_ratings(source.files, pair),
        pair_of=mqm.rated_pair,
    ),
    "rr": Format(
        "RR",
        rr.knows,
        pairs=lambda source: rr.pairs(source.files, source.settings),
        read=lambda source, pair: rr.read_rr(source.files, pair, source.settings),
    ),
    "appraise": _appraise("appraise", "DA", appraise.read_appraise),
    "esa": _appraise("esa", "DA", appraise.read_appraise),
    "appraise-mqm": _appraise("appraise-mqm", "MQM", appraise.read_appraise_mqm),
    "pearmut": scores(json_lines.pearmut, partial(json_lines.knows, "pearmut")),
    "wmt24": scores(json_lines.wmt24, partial(json_lines.knows, "wmt24")),
    "wmt25": scores(json_lines.wmt25, partial(json_lines.knows, "wmt25")),
    "mtme": scores(mtme.opened, mtme.knows, mtme.one_each),
    "battles": Format(
        "RR",
        battles.knows,
        pairs=lambda source: sorted(
            {languages.pair_told(f, source.settings) for f in source.files}
        ),
        read=_read_battles,
        pair_of=languages.pair_told,
        lacks=lambda source: {"document"},
    ),
    "long": scores(columns.opened, columns.knows),
}  # in the order in which a file is tried


@lru_cache(maxsize=1)
def described() -> dict[str, dict[str, Any]]:
    """``formats.yaml``: name -> title, example, and what else is said of a format."""
    file = Path(__file__).with_name("formats.yaml")
    entries: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return entries


def detect(path: Path, named: Sequence[str] = ()) -> str:
    """The format of a file, or of the files in a folder (those `named`), by names and first lines.

    Refused: none that we know; files of several formats (a ``campaign.yaml`` can then say which).
    """
    kinds = kinds_of(path, named)
    names = "" if path.is_file() else ", ".join(sorted(file.name for file in path.iterdir())[:6])
    if not kinds:
        for file in folder.tables(path)[:1]:  # damaged, too large: that says more
            with text.opened(file) as stream:
                stream.read(1)
        problem, value = "no files in a known format", names or "an empty folder"
        if path.is_file():
            problem, value = "not a file of a known format", _start(path).partition("\n")[0][:80]
        tried = sorted({*folder.tables(path), *path.glob("*.xls*"), *path.glob("*.ods")})
        near, expected = next(filter(any, map(_almost, tried)), ("", ""))
        problem += f": {near}" if near else ""
        expected = expected or "one of the formats that `rankstability formats` lists"
        raise DataError(problem, file=path, value=value, expected=expected)
    first = next((form for form in ("da", "segments") if form in kinds), "")
    if len(kinds) > 1:  # other tables may stand beside
        kinds.discard("long")
    if len(kinds) > 1 and not first:  # rankings and documents may stand beside DA
        problem = "files of several formats: " + ", ".join(sorted(kinds))
        expected = "one format, or `format:` and `files:` in a campaign.yaml"
        raise DataError(problem, file=path, value=names, expected=expected)
    return first or kinds.pop()


NEEDED = {  # names in the first line of a format: with half of them a file is nearly of it
    "da": da.COLUMNS,
    "mqm": ("system", "doc", "rater", "category", "severity"),
    "rr": ("srclang", "trglang", "srcIndex", "judgeId", "system1Id", "system1rank"),
    "pearmut": ("user_id", "item_i", "annotation", "item"),
    "wmt24": ("langs", "line_id", "system", "esa_score", "annotator"),
    "wmt25": ("doc_id", "tgt_text", "scores"),
    "battles": battles.NEEDED,
}
LABEL_STUDIO = ("annotations", "completed_by", "lead_time")


def _almost(path: Path) -> tuple[str, str]:
    """What a file of no known format looks like, and what helps; both empty where like nothing."""
    try:
        start = _start(path)
        line = start.partition("\n")[0].rstrip("\r")
        if lacking := appraise.almost(line):
            return lacking, ""
        names = columns.header(path, line or start)
        if set(LABEL_STUDIO) <= set(columns.header(path, start)):
            expected = "what Label Studio exports as CSV (`rankstability formats long` says how)"
            return "it looks like Label Studio's JSON", expected
        near = {form: set(needed) - set(names) for form, needed in NEEDED.items()}
        form = min(near, key=lambda name: len(near[name]) / len(NEEDED[name]))
        lacks = columns.almost(path, line)
        if len(near[form]) <= len(NEEDED[form]) / 2 and not (any(lacks) and len(near[form]) > 1):
            problem = f"it looks like {form} without {', '.join(sorted(near[form]))}"
            return problem, f"what `rankstability formats {form}` shows"
        return lacks if any(lacks) else columns.wide(path, line)
    except DataError as error:
        return str(error), ""


def kinds_of(path: Path, named: Sequence[str] = ()) -> set[str]:
    """The formats of a file, or of the files in a folder (those `named`); empty: none is known."""
    files = filter(None, (named_file(path, name) for name in named)) if path.is_dir() else ()
    return {kind_of(file) for file in list(files) or folder.tables(path)} - {""}


def kind_of(path: Path) -> str:
    """The format of one file by its name or its first line; empty where it is none we know.

    Raises DataError if the file is damaged or no text.
    """
    return _kind_of(*text.key(path))


@lru_cache(maxsize=256)
def _kind_of(path: str, mtime: int, size: int) -> str:
    file, line = Path(path), _start(Path(path)).partition("\n")[0].rstrip("\r")
    return next((name for name, form in FORMATS.items() if form.knows(file, line)), "")


def _start(file: Path) -> str:
    """The beginning of a file as text; empty for Parquet, which is none."""
    return "" if file.suffix.lower() == ".parquet" else text.head(file)


def unread(name: str, path: Path, settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What lies in a folder of judgments and is not read, each with the reason.

    But for what is known to belong beside them (`folder.BESIDE`). Raises DataError if a file that
    may hold judgments is damaged, no text, or a link to nothing; not where the settings name files.
    """
    read = files(name, path, "any" if name == "da" else "", settings)  # its documents are beside
    others = [entry for entry in folder.entries(path) if entry not in read]
    named = settings.get("files")
    reasons = [(str(one.relative_to(path)), _why_unread(name, one, bool(named))) for one in others]
    return tuple((file, reason) for file, reason in reasons if reason)


def _why_unread(name: str, file: Path, named: bool) -> str:
    if file.is_dir():
        return "a folder of its own"
    if not folder.TABLE.fullmatch(file.name):
        return "not the ending of a table"
    if named:
        return "not among the `files:` of campaign.yaml"
    if folder.is_paid(file):
        return "paid judgments, which the official results leave out"
    if file.is_symlink() and not file.exists():
        raise DataError("a link to a file that is not there", file=file, expected="the file")
    if folder.is_header(file):
        return ""
    kind = kind_of(file)
    if not kind:
        _refuse_broken_json(file)
        return _almost(file)[0] or "no format of judgments that we know"
    if kind == name:
        return f"only {LATEST} and {GOOD} are read"
    return "" if (kind, name) == ("segments", "da") else f"of the format {kind}, not {name}"


def _refuse_broken_json(file: Path) -> None:
    """Raises DataError if a file is named as JSON, or begins so, and its first object is none."""
    line = text.first_line(file)
    if re.search(r"\.(jsonl|ndjson)(\.gz)?$", file.name, re.I) and line.strip():
        text.parsed(line, file)
    elif line.lstrip()[:1] in ("{", "["):
        list(text.records(file))


def named_file(path: Path, name: str) -> Path | None:
    """A file that campaign.yaml names, in its folder or among a metrics task's human scores."""
    return locate(path, name) or locate(path / folder.STAND_OFF, name)


def _may_be(file: Path, kind: str) -> bool:
    """Whether a file of no known format may be a table of the user's own columns."""
    return not kind and not file.name.lower().endswith((".txt", ".txt.gz"))


def _named_files(folder: Path, name: str) -> list[Path]:
    """The file of that name, or those of a pattern of the catalogue; none where it is not here."""
    found = sorted(folder.glob(name)) if "*" in name else [named_file(folder, name)]
    return [file for file in found if file]


def files(
    name: str, path: Path, pair: str = "", settings: Mapping[str, Any] | None = None
) -> tuple[Path, ...]:
    """The files of a folder (or of one file) that are read for `pair` (or all), in a fixed order.

    `settings` may name the ``files`` (else: all of the format).
    """
    here = path if path.is_dir() else path.parent
    if name == "da":
        found = [path] if path.is_file() else [locate(path, one) for one in (LATEST, GOOD)]
        chosen = [pair] if pair else da.pairs(path)
        found += [locate(here, f"documents-{one}.tsv") for one in chosen]
        return tuple(file for file in found if file)
    settings = settings or {}
    named = settings.get("files") or ()
    if path.is_file():
        listed = [path]
    elif named:
        listed = [file for one in named for file in _named_files(path, str(one))]
    else:
        mapped = bool(settings.get("columns"))  # a table may be known by these only
        kinds = {file: kind_of(file) for file in folder.tables(path)}
        listed = [f for f, kind in kinds.items() if kind == name or (mapped and _may_be(f, kind))]
    form = FORMATS[name]
    if form.beside and listed:
        listed += sorted(filter(form.beside, here.glob("*.tsv")))
    if pair and (of_pair := form.pair_of):
        listed = [file for file in listed if of_pair(file, settings) == pair]
    return tuple(listed)
