"""Exports of the Appraise interface: scores, error spans (ESA), errors (MQM), and the NRC form.

An account (``username``, one per annotation task) is taken for a worker, as in the official
rankings from Appraise, unless ``annotators.tsv`` beside it, campaign.yaml or the export itself
names the annotator. MQM exports have the form of ESA, with scores of 0 and the errors in the spans.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from companion.legacy.rankstability import checks, scales
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment, direct_assessment

from . import tables, text, together
from .columns import asked_of, people
from .folder import READ, Judgments, Reader
from .languages import LANGUAGES, no_rows
from .mqm import as_read, each_error
from .segments import identify

COMMON = (
    "username",
    "system",
    "itemId",
    "itemType",
    "srcLang",
    "trgLang",
    "score",
)
DOCUMENT = ("docId", "isDocScore")
TIMES = ("timeStart", "timeEnd")
LAYOUTS = {
    "document": (
        *COMMON,
        *DOCUMENT,
        *TIMES,
    ),  # before "segment", which is as wide with `BATCH`
    "esa": (*COMMON, *DOCUMENT, "spans", *TIMES),
    "nrc": ("annotator", *COMMON, *DOCUMENT, *TIMES),
    "segment": (*COMMON, *TIMES),
}
BATCH = ("batchNo", "item_id")  # at the end, if exported with --batch-info
OTHER_NAMES = {
    "documentID": "docId",
    "isCompleteDocument": "isDocScore",
    "docid": "docId",
}
OTHER_NAMES |= {
    "docscore": "isDocScore",
    "start": "timeStart",
    "end": "timeEnd",
}
OTHER_NAMES |= {
    "hitid": "username",
    "segid": "itemId",
    "src": "srcLang",
    "tgt": "trgLang",
}
OTHER_NAMES |= {"isdocumentlevelscore": "isDocScore", "documentid": "docId"}
OTHER_NAMES |= {name.lower(): name for name in (*COMMON, *TIMES)}
TYPES = {"TGT": "SYSTEM", "BAD": "BAD_REF", "REF": "REF", "CHK": "REPEAT"}
LANGUAGE_NAMES = {"source": "srcLang", "target": "trgLang"}
IDS = {
    "worker": "username",
    "system": "system",
    "segment": "itemId",
    "type": "itemType",
}
SAID_AS = IDS | {"item": IDS["segment"], "document": "docId"}
TEXTS = {
    "block": "docId",
    "start": "timeStart",
    "end": "timeEnd",
    "spans": "spans",
}
TEXTS |= {"whole": "isDocScore"}
FILE_NAME = re.compile(
    r"[^.]+\.[a-z]+-[a-z]+\.(?:hyp\.|(?=ref\.))(.+)\.[a-z]+\.txt|^wmt\d\d\.(.+)"
)
DOMAIN = r"^test-[a-z]+-([A-Za-z0-9]+)_"  # in a document's name, since WMT24
MARK = re.compile(
    r"bad\d*|dup|duplicate\d+|incomplete"
)  # after a # at the end of a docId
WHY = {
    "tutorial": "tutorials before the task (left out)",
    "document score": "scores of whole documents (left out)",
    "incomplete": "documents cut short to fill a HIT, #incomplete (left out)",
    "duplicate": "documents shown again, #dup (left out)",
    "superseded": "outputs that the same account scored again later (left out)",
    "no segment": "rows whose segment of the test set cannot be told (left out)",
}
"""What the rows with each mark are, which do not count: training before the task, the score of a
whole document, a document cut short to fill a HIT or shown again, all but the latest of one
account's repeats of an item (all left out by WMT24), an unknown segment.
"""
ANNOTATORS = "annotators.tsv"
SEVERITIES = {
    "critical": "Critical",
    "major": "Major",
    "minor": "Minor",
    "neutral": "Neutral",
}
SAME = {
    "Linguistic conventions/Punctuation": "Fluency/Punctuation"
}  # has its own weight
Files: TypeAlias = tuple[Path, ...]
People: TypeAlias = Mapping[str, Sequence[str]] | None
# judgments that no two annotators give alike, score for score
SURELY_THE_SAME = 20
# different scores and spans, at least: without errors, all are the same
VARIED = 5
# what a layout says of a judgment
SAID = ("hit", "system", "item", "type", "score", "block", "spans")
# seconds from an item's start to its end that are still plausible
LONGEST = 30 * 24 * 3600


def companion(file: Path) -> bool:
    """Whether a file is not an export but lists the segments or annotators of one."""
    return (
        file.name == ANNOTATORS
        or re.fullmatch(r"segments-.+\.tsv", file.name) is not None
    )


def layout(line: str) -> tuple[str, ...]:
    """The columns of an export, from its first line (a header or not); empty if it is no export."""
    row = tables.cells(line)
    names = tuple(OTHER_NAMES.get(name, name) for name in row)
    for columns in LAYOUTS.values():
        for whole in (columns, (*columns, *BATCH)):
            cell = (
                dict(zip(whole, row, strict=True))
                if len(row) == len(whole)
                else {}
            )
            known = cell.get("isDocScore", "true").lower() in ("true", "false")
            known &= (
                not cell["timeStart"].startswith("[") if cell else False
            )  # no error spans
            if names == whole or (cell.get("itemType") in TYPES and known):
                return whole
    return ()


def almost(line: str) -> str:
    """How the width of a line that resembles an export is wrong; empty for any other line."""
    row = tables.cells(line)
    named = set(COMMON) <= {OTHER_NAMES.get(name, name) for name in row}
    if layout(line) or not (named or set(row[3:5]) & set(TYPES)):
        return ""
    widths = "9, 11 or 12, or two more with --batch-info"
    return f"an export of Appraise has {widths}; this has {len(row)} columns"


def pairs(files: Files) -> tuple[str, ...]:
    """The language pairs of the files, sorted."""
    exports = [export(file) for file in files if not companion(file)]
    return tuple(
        sorted({pair for rows in exports for pair in rows["pair"].unique()})
    )


def reading(files: Files, annotators: People = None) -> pd.DataFrame:
    """A note (file, what, value, said by) that accounts may be fewer people, if no list says."""
    accounts: set[str] = set()
    for file in (file for file in files if not companion(file)):
        columns = layout(text.first_line(file))
        if columns and "annotator" not in columns:
            accounts.update(
                tables.read(file, columns)
                .frame["username"]
                .astype(str)
                .unique()
            )
    told = annotators or ANNOTATORS in {file.name for file in files}
    rows = [] if told else [("all", *one) for one in asked_of(accounts)]
    return pd.DataFrame(rows, columns=READ)


def read_appraise(
    files: Files, pair: str, annotators: People = None
) -> DirectAssessment:
    """The judgments of `pair` in Appraise exports, with a header line or without.

    `files` may include ``segments-XX-YY.tsv`` (see `identify`) and ``annotators.tsv`` (username,
    annotator); `annotators` takes its place, see `columns.people`. ``latest`` holds all rows, with
    a column ``mark`` (see `WHY`), ``good`` those without; marked rows are counted in
    ``excluded``. Block is the docId as exported; domain is empty if unknown. Raises DataError for
    anything wrong in a file, or if the segments of most rows are unknown.
    """
    rows, excluded = judged(files, pair, annotators)
    count = rows["mark"].value_counts()
    names = ", ".join(file.name for file in files if not companion(file))
    excluded += [
        (names, WHY[mark], int(n)) for mark, n in count.items() if mark
    ]
    table = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    good = rows[rows["mark"] == ""]
    return direct_assessment(pair, rows, good, table, scales.PERCENT)


def judged(
    files: Files, pair: str, annotators: People = None
) -> tuple[pd.DataFrame, list[tuple[str, str, int]]]:
    """All rows of `pair`: the columns of `export`, segment and mark, with annotators as workers.

    Also (file, reason, rows) for what was left out or changed. Raises DataError as `read_appraise`.
    """
    parts = []
    excluded = []
    exports = [file for file in files if not companion(file)]
    for file in exports:
        rows = export(file)
        inside = rows["pair"] == pair
        counts = rows.attrs["changed"] | {
            "other language pairs": int((~inside).sum())
        }
        untimed = rows.loc[inside, "time"].isna()
        counts["(kept: no start and end in seconds)"] = int(untimed.sum())
        excluded += [
            (file.name, reason, n) for reason, n in counts.items() if n
        ]
        parts.append(rows[inside])
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if rows.empty:
        raise no_rows(files, pair, pairs(files))
    said = [part[list(SAID)] for part in parts]
    together.refuse_twice(exports, said)
    _refuse_renamed(exports, said)
    with together.at_lines(
        exports, [part["line"].to_numpy() for part in parts], SAID_AS
    ):
        checks.refuse_alike(rows)
        checks.refuse_mixed(rows)
    rows["mark"] = _marks(rows)
    beside = {file.name: file for file in files if companion(file)}
    listed = beside.get(f"segments-{pair}.tsv")
    if listed is None:
        of_file = np.repeat(
            [file.name for file in exports], [len(part) for part in parts]
        )
        named = rows.assign(file=of_file, segment=rows["item"])
        named["document"] = rows["document"].replace("", None)
        with together.at_lines(
            exports, [part["line"].to_numpy() for part in parts], SAID_AS
        ):
            checks.refuse_contradictions(named[rows["mark"] == ""])
    rows = identify(rows, listed, files[0])
    if annotators:
        rows["worker"] = people(rows["hit"], annotators, files[0])
    elif ANNOTATORS in beside:
        rows["worker"] = _annotators(rows["hit"], beside[ANNOTATORS])
    return rows, excluded


def _refuse_renamed(
    exports: Sequence[Path], said: Sequence[pd.DataFrame]
) -> None:
    """Raises DataError if two exports have the same judgments, of accounts by other names."""
    varied = {
        file: part.drop(columns="hit")
        for file, part in zip(exports, said, strict=True)
        if len(part[["score", "spans"]].drop_duplicates()) >= VARIED
    }
    together.refuse_twice(
        list(varied), list(varied.values()), least=SURELY_THE_SAME
    )


@text.kept(4)
def export(file: Path) -> pd.DataFrame:
    """The rows of one export, checked; callers share the frame: do not modify it.

    Columns worker, hit, system, item (the itemId), type, pair, score, block (the docId), document
    (the docId without its marks), marks (at its end), domain, whole (whether the score is that of a
    document), start, time (see `_seconds`), spans; ``.attrs["changed"]`` counts rows changed.
    Raises DataError for anything wrong in the file.
    """
    line = text.first_line(file)
    expected = ",".join(LAYOUTS["esa"])
    columns = layout(line)
    if not columns:
        wrong = partial(DataError, file=file, line=1, value=line[:80])
        raise wrong("not an export of Appraise", expected=expected)
    table = tables.read(file, columns)
    if table.frame.empty:
        raise DataError("no rows", file=file, expected="judgments")
    codes = table.validated(
        schemas.languages(r"\w+([-_]\w+)*"), LANGUAGE_NAMES
    ).astype(str)
    rows = table.validated(
        schemas.judgments(list(TYPES)), {**IDS, "score": "score"}
    )
    rows = rows.astype(dict.fromkeys(IDS, str)).rename(
        columns={"segment": "item"}
    )
    rows["type"] = rows["type"].map(TYPES)
    codes = codes.apply(
        lambda column: column.map(lambda code: LANGUAGES.get(code, code))
    )
    rows["pair"] = codes["source"] + "-" + codes["target"]
    rows["hit"] = rows["worker"]
    if "annotator" in columns:
        rows["worker"] = table.frame["annotator"].astype(str)
    for ours, theirs in TEXTS.items():
        rows[ours] = (
            table.frame[theirs].astype(str) if theirs in columns else ""
        )
    said = rows[["start", "end"]]
    times = said.apply(pd.to_numeric, errors="coerce")
    times = times.where(np.isfinite(times))
    rows["start"] = times["start"]
    rows["time"] = _seconds(rows["hit"], times["start"], times["end"])
    rows["whole"] = rows["whole"].str.lower() == "true"
    exported = set(rows["system"])
    rows["system"] = rows["system"].str.replace(FILE_NAME, r"\1\2", regex=True)
    systems = exported | set(rows["system"])
    apart = rows["block"].map(
        {block: _apart(block, systems) for block in rows["block"].unique()}
    )
    rows["document"] = apart.str[0]
    rows["marks"] = apart.str[1]
    rows["domain"] = rows["document"].str.extract(DOMAIN)[0].fillna("")
    rows = rows.drop(columns="end")
    rows["line"] = table.lines
    untimed = int((times.isna() & (said != "")).any(axis=1).sum())
    rows.attrs["changed"] = table.trimmed([*IDS.values(), "docId"]) | {
        "(kept, but for the time: a start or end that is not a number)": untimed,
    }
    return rows


def _apart(block: str, systems: Collection[str]) -> tuple[str, str]:
    """The document that a docId names (perhaps ``srf.0#171-182``), and the marks at its end."""
    pieces = block.split("#")
    at = len(pieces)
    while at > 1 and (
        MARK.fullmatch(pieces[at - 1]) or pieces[at - 1] in systems
    ):
        at -= 1
    return "#".join(pieces[:at]), "".join(f"#{mark}" for mark in pieces[at:])


def _seconds(
    account: pd.Series, start: pd.Series, end: pd.Series
) -> pd.Series:
    """Seconds from the end of the account's previous judgment (or its start) to that of this one.

    An item's own times are often equal, because a document is one page.
    """
    known = (start >= 0) & (end >= start) & (end - start < LONGEST)
    start = start.where(known)
    end = end.where(known)
    return end - end.sort_values(kind="stable").groupby(
        account
    ).shift().fillna(start)


def _marks(rows: pd.DataFrame) -> np.ndarray:
    """Why WMT24 does not rank by a row (see `WHY`); empty if it does."""
    block = rows["block"]
    marks = rows["marks"] + "#"
    mark = np.select(
        [
            block.str.contains("tutorial", regex=False)
            | rows["system"].str.contains("tutorial"),
            rows["whole"],
            marks.str.contains("#incomplete#", regex=False),
            marks.str.contains(r"#dup(?:licate\d+)?#"),
        ],
        ["tutorial", "document score", "incomplete", "duplicate"],
        "",
    ).astype(object)
    start = rows["start"].fillna(-np.inf)
    latest = rows.assign(mark=mark, start=start).sort_values(
        "start", kind="stable"
    )
    key = ["hit", "system", "item", "block", "type", "mark"]
    again = latest.duplicated(key, keep="last").sort_index().to_numpy()
    mark[again & (mark == "")] = "superseded"
    return mark


def _annotators(hits: pd.Series, file: Path) -> pd.Series:
    table = tables.read(file, sign="\t").frame.astype(str)
    if not {"username", "annotator"} <= set(table.columns):
        wrong = partial(
            DataError, file=file, line=1, value="\t".join(table.columns)
        )
        raise wrong(
            "not a list of annotators",
            expected="a header with username and annotator",
        )
    of = table.groupby("username")["annotator"].agg(set)
    for name in sorted(set(hits)):
        if len(of.get(name, ())) != 1:
            problem = f"a username {'of several annotators' if name in of else 'without annotator'}"
            wrong = partial(
                DataError, problem, file=file, column="username", value=name
            )
            raise wrong(
                expected="a line for every username of the export, with one annotator"
            )
    return hits.map(of.map(min))


@text.kept(64)
def is_mqm(file: Path) -> bool:
    """Whether an export with spans is MQM: all scores are 0, and some span names an error."""
    try:
        rows = export(file)
    except DataError:  # reported when it is read
        return False
    return (
        not rows["score"].any()
        and rows["spans"].str.contains('"error_type":\\s*["\\[]').any()
    )


def read_appraise_mqm(
    files: Files, pair: str, annotators: People = None
) -> pd.DataFrame:
    """The marked errors of `pair` in the form of `mqm.read_mqm`, read from the spans.

    A segment without a span is ``No-error``. Only TGT rows without a mark (`WHY`)
    count; ``.attrs["excluded"]`` counts the others. Raises DataError as `read_appraise` does, and
    for spans that cannot be read or an unknown severity.
    """
    rows, outside = judged(files, pair, annotators)
    keep = rows["mark"].eq("") & rows["type"].eq("SYSTEM")
    reason = (
        rows["mark"]
        .map(WHY)
        .fillna("control items, type BAD (left out)")[~keep]
    )
    excluded = reason.value_counts().to_dict() | {
        why: n for _, why, n in outside
    }
    rows = rows[keep]
    order = pd.to_numeric(rows["segment"], errors="coerce")
    if order.isna().any():  # names, not numbers: numbered in order of name
        order = pd.Series(
            pd.factorize(rows["segment"], sort=True)[0], rows.index
        )
    place = order.groupby(rows["document"]).rank("dense").astype(int)
    with text.placed(files[0]):
        errors = rows["spans"].map(_errors)
    rows = rows.assign(pair=pair, segment=order.astype(int), doc_segment=place)
    return as_read(
        each_error(rows.assign(rater=rows["worker"]), errors), excluded
    )


def _errors(spans: str) -> list[tuple[str, str]]:
    """Category and severity of each marked error; one ``No-error`` if there is none."""
    wrong = partial(DataError, column="spans")
    try:
        marked = [
            (error["error_type"], str(error["severity"]))
            for error in json.loads(spans)
        ]
    except (ValueError, TypeError, KeyError):
        expected = '[{"severity": "major", "error_type": ["Accuracy", "Omission"]}, ...]'
        raise wrong(
            "not a list of error spans", value=spans[:80], expected=expected
        ) from None
    out = []
    for kind, severity in marked:
        if severity.lower() not in SEVERITIES:
            raise wrong(
                "unknown severity",
                value=severity,
                expected=", ".join(SEVERITIES),
            )
        name = (
            "/".join(kind) if isinstance(kind, list) else str(kind or "Other")
        )
        out.append((SAME.get(name, name), SEVERITIES[severity.lower()]))
    return out or [("No-error", "No-error")]


def _reader(read: Callable[..., Judgments]) -> Reader:
    return Reader(
        pairs=lambda source: pairs(source.files),
        read=lambda source, pair: read(
            source.files, pair, source.settings.get("annotator")
        ),
        reading=lambda source: reading(
            source.files, source.settings.get("annotator")
        ),
        beside=companion,
    )


READERS = dict.fromkeys(("appraise", "esa"), _reader(read_appraise))
READERS["appraise-mqm"] = _reader(read_appraise_mqm)
