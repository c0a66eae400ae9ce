"""The formats of judgments (`FORMATS`): how their files are recognised, and which are read.

A format is a table of its fields, with a small function for what is special; its reader is loaded
only if a file has this format. ``formats.yaml`` describes each format to users.
"""

import contextlib
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import TYPES

from . import binary, folder, judges, tables, text
from .folder import GOOD, LATEST, Reader, locate, named_file

TOLD = (
    "pair",
    "scale",
    "columns",
    "annotator",
    "wide",
    "decimal",
    "sheet",
    "missing",
    "humans",
    "judges",
)  # change judgments
# folders in folders of a release in which judgments are looked for
DEEPEST = 3
PARTS = (
    "fields",
    "read",
    "left_out",
    "refused",
    "source",
)  # of the description of a format
DA_HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
DA_COLUMNS = tuple(DA_HEADER.split())
BATTLES = "model_a model_b winner"
SEGMENT_FILE = re.compile(r"ad-seg-scores-([a-z]{2,3}-[a-z]{2,3})\.csv(\.gz)?")
STAND_OFF = re.compile(r"([A-Za-z_]+-[A-Za-z_]+)\.(.+)\.seg\.score(\.gz)?")


@dataclass(frozen=True)
class Format:
    """A file format of judgments, recognised by names in its first line or by `special`.

    Names are separated by blanks, alternatives by ``|``.
    """

    protocol: str  # DA (single scores), RR (one output against others) or MQM (marked errors)
    module: str  # that reads it
    fields: str = ""  # the first line has all names of one alternative
    sign: str = ""  # what must separate them, if prescribed: ``{`` for the keys of JSON
    near: str = ""  # a file with half of these names nearly has this format
    special: Callable[[Path, str], bool] | None = None

    def knows(self, path: Path, line: str) -> bool:
        """Whether a file, given with its first line, has this format."""
        if self.special is not None:
            return self.special(path, line)
        forms = [form.split() for form in self.fields.split("|")]
        if binary.holds(path):
            return not self.sign and any(
                _columns_of(path).issuperset(form) for form in forms
            )
        is_json = line.lstrip()[:1] in ("{", "[")
        if self.sign and is_json != (self.sign == JSON):
            return False
        if is_json:
            head = line if len(line) > 200 else text.head(path)
            return any(
                all(f'"{name}"' in head for name in names) for names in forms
            )
        there = set(tables.cells(line, self.sign or tables.separator(line)))
        return any(there.issuperset(names) for names in forms)


def _columns_of(path: Path) -> set[str]:
    """The names of the columns of Parquet or a spreadsheet; none if it is damaged: said later."""
    from . import columns

    try:
        return set(columns.header(path))
    except DataError:
        return set()


def _is_da(path: Path, line: str) -> bool:
    """Whether the name, the header or the cells are those of a DA campaign's judgments."""
    cells = line.split("\t") if "\t" in line else line.split()
    no_header = len(cells) == len(DA_COLUMNS) and cells[8] in TYPES
    named = path.name.removesuffix(".gz") in (LATEST, GOOD)
    return named or set(cells) == set(DA_COLUMNS) or no_header


def segment_pair(path: Path) -> str:
    """``en-de`` for ``ad-seg-scores-en-de.csv`` (or .gz); empty for any other name."""
    match = SEGMENT_FILE.fullmatch(path.name)
    return match.group(1) if match else ""


def _appraise(form: str) -> Callable[[Path, str], bool]:
    def knows(path: Path, line: str) -> bool:
        if line.count(",") < 8 or line.lstrip()[:1] in ("{", "["):
            return False
        from . import appraise

        layout = () if folder.is_header(path) else appraise.layout(line)
        if "spans" not in layout:
            return form == "appraise" and bool(layout)
        return form == ("appraise-mqm" if appraise.is_mqm(path) else "esa")

    return knows


def _is_long(path: Path, line: str) -> bool:
    from . import columns

    return columns.knows(path)


def _is_mqm(path: Path, line: str) -> bool:
    return {"category", "severity"} <= set(line.lower().split("\t"))


def _is_mtme(path: Path, line: str) -> bool:
    return (
        STAND_OFF.fullmatch(path.name) is not None
        and len(line.split("\t")) == 2
    )


JSON = "{"
RANKED = "srclang trglang"
FORMATS: dict[str, Format] = {
    "da": Format("DA", "da", near=DA_HEADER, special=_is_da),
    "segments": Format(
        "DA", "da", special=lambda path, line: bool(segment_pair(path))
    ),
    "mqm": Format(
        "MQM",
        "mqm",
        near="system doc rater category severity",
        special=_is_mqm,
    ),
    "bio-mqm": Format(
        "MQM", "mqm", "MT_Engine Annotator_ID target_errors", JSON
    ),
    "rr": Format(
        *("RR", "rr", f"{RANKED} system1rank|{RANKED} rankingID", ","),
        near=f"{RANKED} srcIndex judgeId system1Id system1rank",
    ),
    "appraise": Format("DA", "appraise", special=_appraise("appraise")),
    "esa": Format("DA", "appraise", special=_appraise("esa")),
    "appraise-mqm": Format(
        "MQM", "appraise", special=_appraise("appraise-mqm")
    ),
    "pearmut": Format(
        "DA",
        "releases",
        "user_id item_i",
        JSON,
        "user_id item_i annotation item",
    ),
    "wmt24": Format(
        "DA",
        "releases",
        "esa_score line_id system",
        JSON,
        near="langs line_id system esa_score annotator",
    ),
    "wmt25": Format(
        "DA",
        "releases",
        "tgt_text scores doc_id",
        JSON,
        "doc_id tgt_text scores",
    ),
    "mtme": Format("DA", "releases", special=_is_mtme),
    "battles": Format(
        "RR", "rr", f"{BATTLES}|left right winner", near=BATTLES
    ),
    "long": Format("DA", "long", special=_is_long),
}  # in the order in which they are tried


def reader(name: str) -> Reader:
    """The reader of a format, whose module is imported by this call."""
    module = importlib.import_module(f".{FORMATS[name].module}", __package__)
    return cast("Reader", module.READERS[name])


@lru_cache(maxsize=1)
def described() -> dict[str, dict[str, Any]]:
    """``formats.yaml``: name -> title, example, and the `PARTS` of a format's description."""
    file = Path(__file__).with_name("formats.yaml")
    entries: dict[str, dict[str, Any]] = yaml.safe_load(
        file.read_text(encoding="utf-8")
    )
    return entries


def mapped(
    path: Path, named: Sequence[str], settings: Mapping[str, Any]
) -> str:
    """The format that a mapping of columns makes of a table; empty without one, or for another."""
    of_battles = {"left", "right", "winner"} & set(
        settings.get("columns") or ()
    )
    if not of_battles and not {"columns", "wide"} & set(settings):
        return ""
    form = "battles" if of_battles else "long"
    return form if kinds_of(path, named) <= {form, "long"} else ""


def detect(path: Path, named: Sequence[str] = ()) -> str:
    """The format of a file, or of the files in a folder (those `named`), by names and first lines.

    Raises DataError if the format is unknown, or the files have several (of which a
    ``campaign.yaml`` can name one).
    """
    kinds = kinds_of(path, named)
    names = (
        ""
        if path.is_file()
        else ", ".join(sorted(file.name for file in path.iterdir())[:6])
    )
    if not kinds:
        for file in folder.tables(path)[
            :1
        ]:  # if damaged or too large, that error says more
            with text.opened(file) as stream:
                stream.read(1)
        problem = "no files in a known format"
        value = names or "an empty folder"
        if path.is_file():
            problem = "not a file of a known format"
            value = _first(path)[:200]
        tried = sorted(
            {*folder.tables(path), *path.glob("*.xls"), *path.glob("*.ods")}
        )
        near, expected = next(filter(any, map(_almost, tried)), ("", ""))
        problem += f": {near}" if near else ""
        if not expected:
            expected = "one of the formats that `rankstability formats` lists"
            from . import guesses

            expected += guesses.in_python(path, {}) if path.is_file() else ""
        raise DataError(problem, file=path, value=value, expected=expected)
    first = next((form for form in ("da", "segments") if form in kinds), "")
    if len(kinds) > 1:  # other tables may accompany judgments
        kinds.discard("long")
    if len(kinds) > 1 and not first:  # rankings and documents may accompany DA
        problem = "files of several formats: " + ", ".join(sorted(kinds))
        expected = "one format, or `format:` and `files:` in a campaign.yaml"
        raise DataError(problem, file=path, value=names, expected=expected)
    return first or kinds.pop()


def _first(path: Path) -> str:
    """The first line of a file; of a spreadsheet or Parquet, its columns."""
    if not binary.holds(path):
        return _start(path).partition("\n")[0][:80]
    from . import columns

    try:
        return ", ".join(columns.header(path))
    except DataError as error:
        return error.problem


def _almost(path: Path) -> tuple[str, str]:
    """What a file of unknown format resembles, and the remedy; both empty if nothing."""
    from . import appraise, columns, guesses

    try:
        start = _start(path)
        line = start.partition("\n")[0].rstrip("\r")
        if lacking := appraise.almost(line):
            return lacking, ""
        names = columns.header(path)
        needed = {
            form: about.near.split()
            for form, about in FORMATS.items()
            if about.near
        }
        near = {
            form: set(fields) - set(names) for form, fields in needed.items()
        }
        form = min(near, key=lambda name: len(near[name]) / len(needed[name]))
        lacks = guesses.almost(path)
        if len(near[form]) <= len(needed[form]) / 2 and not (
            any(lacks) and len(near[form]) > 1
        ):
            problem = (
                f"it looks like {form} without {', '.join(sorted(near[form]))}"
            )
            return problem, f"what `rankstability formats {form}` shows"
        return lacks
    except DataError as error:
        return str(error), ""


def kinds_of(path: Path, named: Sequence[str] = ()) -> set[str]:
    """The known formats of a file, or of the files in a folder (those `named`); may be empty."""
    files = (
        filter(None, (named_file(path, name) for name in named))
        if path.is_dir()
        else ()
    )
    return {kind_of(file) for file in list(files) or folder.tables(path)} - {
        ""
    }


def deeper(path: Path) -> dict[str, Any]:
    """Settings for a release whose judgments lie in folders within `path`; empty if none do.

    The files are those of the first depth, of at most `DEEPEST`, at which a folder holds
    judgments. Long tables beside another format are left. Raises DataError for several formats.
    """
    for depth in range(1, DEEPEST + 1):
        folders = [one for one in folder.within(path, depth) if kinds_of(one)]
        if not folders:
            continue
        kinds = {one: kinds_of(one) for one in folders}
        every = set().union(*kinds.values())
        every = every - {"long"} if len(every) > 1 else every
        if len(every) > 1 or every & {"da", "segments", "mtme"}:
            value = ", ".join(str(one.relative_to(path)) for one in folders)[
                :200
            ]
            expected = "one of these folders"
            raise DataError(
                "judgments lie deeper",
                file=path,
                value=value,
                expected=expected,
            )
        (form,) = every
        files = [
            file
            for one in folders
            for file in folder.tables(one)
            if kind_of(file) == form
        ]
        return {
            "format": form,
            "files": [str(file.relative_to(path)) for file in files],
        }
    return {}


@text.kept(256)
def kind_of(path: Path) -> str:
    """The format of one file by its name or its first line; empty if it is unknown.

    Raises DataError if the file is damaged or not text.
    """
    line = _start(path).partition("\n")[0].rstrip("\r")
    return next(
        (name for name, form in FORMATS.items() if form.knows(path, line)), ""
    )


def _start(file: Path) -> str:
    """The beginning of a file as text; empty for Parquet and spreadsheets, which are not text."""
    return "" if binary.holds(file) else text.head(file)


def unread(
    name: str, path: Path, settings: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """What is in a folder of judgments but not read, each entry with the reason.

    Files that usually accompany judgments (`folder.BESIDE`) are not listed. Raises DataError if a
    file that may hold judgments is damaged, not text, or a broken link, unless the settings name
    the files.
    """
    read = files(
        name, path, "any" if name == "da" else "", settings
    )  # documents are `BESIDE`
    places = {
        parent
        for file in read
        for parent in file.parents
        if path in parent.parents
    }
    others = [
        one
        for place in (path, *sorted(places))
        for one in folder.entries(place)
    ]
    judged = judges.files(path, settings).values()
    others = [one for one in others if one not in [*read, *places, *judged]]
    named = settings.get("files") and not places
    reasons = [
        (str(one.relative_to(path)), _why_unread(name, one, bool(named)))
        for one in others
    ]
    told = [(file, reason) for file, reason in reasons if reason]
    papers = [
        one for one in folder.papers(path, not named) if one not in dict(told)
    ]
    beside = "documents of the release, no judgments"
    return tuple(told + ([(", ".join(papers), beside)] if papers else []))


def _why_unread(name: str, file: Path, named: bool) -> str:
    if folder.is_aside(file):
        return (
            "hidden, or named as notes"
            if file.is_file() and _has_data(file)
            else ""
        )
    if file.is_dir():
        return "a folder of its own"
    if not folder.is_table(file):
        return "not the ending of a table"
    if file.suffix.lower() == binary.SPREADSHEET and not named:
        return "a spreadsheet beside other tables, which are read in its place"
    if named:
        return "not among the `files:` of campaign.yaml"
    if folder.is_paid(file):
        return "paid judgments, which the official results leave out"
    if file.is_symlink() and not file.exists():
        raise DataError(
            "a link to a file that is not there",
            file=file,
            expected="the file",
        )
    if folder.is_header(file):
        return ""
    kind = kind_of(file)
    if not kind:
        _refuse_broken_json(file)
        return _almost(file)[0] or "no format of judgments that we know"
    if kind == name:
        return f"only {LATEST} and {GOOD} are read"
    return (
        ""
        if (kind, name) == ("segments", "da")
        else f"of the format {kind}, not {name}"
    )


def _has_data(file: Path) -> bool:
    """Whether a file of notes is of a known format, or has the ending of data but for ``.txt``."""
    with contextlib.suppress(DataError):  # no text
        if kind_of(file):
            return True
    return (folder.is_table(file) or file.suffix.lower() == ".gz") and _may_be(
        file, ""
    )


def _refuse_broken_json(file: Path) -> None:
    """Raises DataError if a file is named as JSON lines, or begins as JSON, but is not JSON.

    A single object over several lines is JSON, but no judgments.
    """
    if binary.holds(file) or _is_object(file):
        return
    line = text.first_line(file)
    if (
        re.search(r"\.(jsonl|ndjson)(\.gz)?$", file.name, re.I)
        and line.strip()
    ):
        text.parsed(line, file)
    elif line.lstrip()[:1] in ("{", "["):
        list(text.records(file))


def _is_object(file: Path) -> bool:
    """Whether a file is one JSON object that is written over several lines."""
    start = text.head(file)
    if not start.startswith("{") or start.partition("\n")[0].rstrip().endswith(
        "}"
    ):
        return False
    with contextlib.suppress(DataError):
        return isinstance(text.parsed(text.content(file).decode(), file), dict)
    return False


def _may_be(file: Path, kind: str) -> bool:
    """Whether a file may be a table with columns of the user's own: no known format, not .txt."""
    return not kind and not file.name.lower().endswith((".txt", ".txt.gz"))


def files(
    name: str,
    path: Path,
    pair: str = "",
    settings: Mapping[str, Any] | None = None,
) -> tuple[Path, ...]:
    """The files of a folder (or a single file) that are read for `pair` (empty: all pairs).

    They are in a fixed order. `settings` may name the ``files``; otherwise all of the format are
    read.
    """
    here = path if path.is_dir() else path.parent
    if name == "da":
        found = (
            [path]
            if path.is_file()
            else [locate(path, one) for one in (LATEST, GOOD)]
        )
        chosen = (
            [pair] if pair else reader(name).pairs(folder.Source(path, ()))
        )
        found += [locate(here, f"documents-{one}.tsv") for one in chosen]
        return tuple(file for file in found if file)
    settings = settings or {}
    named = settings.get("files") or ()
    if path.is_file():
        listed = [path]
    elif named:
        each = (
            sorted(path.glob(p)) if "*" in p else [named_file(path, p)]
            for p in map(str, named)
        )
        listed = [
            file for some in each for file in some if file
        ]  # the catalogue has patterns
    else:
        mapped = settings.get("columns") or settings.get(
            "wide"
        )  # a table may be known by these
        judged = judges.files(path, settings).values()
        kinds = {
            file: kind_of(file)
            for file in folder.tables(path)
            if file not in judged
        }
        listed = [
            f
            for f, kind in kinds.items()
            if kind == name or (mapped and _may_be(f, kind))
        ]
    form = reader(name)
    if form.beside and listed:
        listed += sorted(filter(form.beside, here.glob("*.tsv")))
    if pair and (of_pair := form.pair_of):
        listed = [file for file in listed if of_pair(file, settings) == pair]
    return tuple(listed)
