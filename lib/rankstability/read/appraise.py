"""Exports of the Appraise interface: segment and document scores, error spans (ESA), the NRC form.

Read into the same form as direct assessment, so that the same notebooks run on them. An
annotation task (``username``) stands for a worker, as in the official Appraise rankings, unless
``annotators.tsv`` beside it or the export itself names the annotator.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, direct_assessment
from . import schema as schemas
from . import tables, text
from .languages import LANGUAGES, no_rows
from .segments import identify

COMMON = ("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score")
DOCUMENT, TIMES = ("docId", "isDocScore"), ("timeStart", "timeEnd")
LAYOUTS = {
    "document": (*COMMON, *DOCUMENT, *TIMES),  # before "segment": with two more, as wide as that
    "esa": (*COMMON, *DOCUMENT, "spans", *TIMES),
    "nrc": ("annotator", *COMMON, *DOCUMENT, *TIMES),
    "segment": (*COMMON, *TIMES),
}
BATCH = ("batchNo", "item_id")  # at the end, where exported with --batch-info
OTHER_NAMES = {
    **{"documentID": "docId", "isCompleteDocument": "isDocScore"},
    **{"start": "timeStart", "end": "timeEnd", "hitid": "username", "segid": "itemId"},
    **{"itemtype": "itemType", "src": "srcLang", "tgt": "trgLang"},
    **{"docid": "docId", "docscore": "isDocScore"},
}
TYPES = {"TGT": "SYSTEM", "BAD": "BAD_REF", "REF": "REF", "CHK": "REPEAT"}
NAMES = {
    **{"worker": "username", "system": "system", "segment": "itemId", "type": "itemType"},
    **{"source": "srcLang", "target": "trgLang", "score": "score"},
}
JUDGED = ["worker", "system", "segment", "type", "score"]
FILE_NAME = re.compile(r"[^.]+\.[a-z]+-[a-z]+\.(?:hyp\.|(?=ref\.))(.+)\.[a-z]+\.txt|^wmt\d\d\.(.+)")
DOMAIN = r"^test-[a-z]+-([A-Za-z0-9]+)_"  # in a document's name, since WMT24
ANNOTATORS = "annotators.tsv"
LONGEST = 30 * 24 * 3600  # seconds from an item's start to its end: more is no time


def companion(file: Path) -> bool:
    """Whether a file is no export, but says of one which segments or annotators are meant."""
    return file.name == ANNOTATORS or re.fullmatch(r"segments-.+\.tsv", file.name) is not None


def layout(line: str) -> tuple[str, ...]:
    """The columns of an export by its first line, a header or not; empty where it is none."""
    row = tables.cells(line)
    names = tuple(OTHER_NAMES.get(name, name) for name in row)
    for columns in LAYOUTS.values():
        for whole in (columns, (*columns, *BATCH)):
            if names == whole or (len(row) == len(whole) and _fits(row, whole)):
                return whole
    return ()


def _fits(row: Sequence[str], columns: tuple[str, ...]) -> bool:
    if row[columns.index("itemType")] not in TYPES:
        return False
    whole = row[columns.index("isDocScore")] if "isDocScore" in columns else "true"
    return whole.lower() in ("true", "false")


def pairs(files: tuple[Path, ...]) -> tuple[str, ...]:
    """The language pairs of the files, sorted."""
    found: set[str] = set()
    for file in files:
        if not companion(file):
            found.update(export(file)["pair"].unique())
    return tuple(sorted(found))


def read_appraise(files: tuple[Path, ...], pair: str) -> DirectAssessment:
    """The judgments of `pair` in Appraise exports.

    Parameters
    ----------
    files : tuple of Path
        CSV without a header line (or with it), plain or gzipped; among them perhaps
        ``segments-XX-YY.tsv`` and ``annotators.tsv``, see `segments.identify`, `judged`.
    pair : str
        Such as ``en-ja`` (two letters where ISO 639-1 has them, else three).

    Returns
    -------
    DirectAssessment
        ``latest`` holds all rows, with a column ``mark`` (see `judgments.MARKS`); ``good`` those
        without a mark, as WMT24's organisers select them. TGT is SYSTEM, BAD is BAD_REF; block is
        the docId as exported; domain, where it is known. Marked rows are counted in `excluded`.

    Raises
    ------
    DataError
        Anything wrong in a file; rows of which the segments cannot be told.
    """
    rows, excluded = judged(files, pair)
    count = rows["mark"].value_counts()
    names = ", ".join(file.name for file in files if not companion(file))
    excluded += [(names, f"{mark} (not counted)", int(n)) for mark, n in count.items() if mark]
    table = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    good = rows[rows["mark"] == ""]
    return direct_assessment(pair, rows, good, excluded=table)


def judged(files: tuple[Path, ...], pair: str) -> tuple[pd.DataFrame, list[tuple[str, str, int]]]:
    """All rows of `pair`: columns as in `export`, segment, domain, annotator as worker, and mark.

    Also what of the files is not among them: file, reason, rows.
    """
    parts, excluded = [], []
    for file in files:
        if companion(file):
            continue
        rows = export(file)
        if rows.attrs["blanks"]:
            reason = "(kept: blanks around names taken away)"
            excluded.append((file.name, reason, rows.attrs["blanks"]))
        if rows.attrs["untimed"]:
            reason = "(kept, but for the time: a start or end that is not a number)"
            excluded.append((file.name, reason, rows.attrs["untimed"]))
        inside = rows["pair"] == pair
        if outside := int((~inside).sum()):
            excluded.append((file.name, "other language pairs", outside))
        if untimed := int(rows.loc[inside, "time"].isna().sum()):
            excluded.append((file.name, "(kept: no start and end in seconds)", untimed))
        parts.append(rows[inside])
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if rows.empty:
        raise no_rows(files, pair, pairs(files))
    rows["mark"] = _marks(rows)
    beside = {file.name: file for file in files if companion(file)}
    rows = identify(rows, beside.get(f"segments-{pair}.tsv"), files[0])
    if ANNOTATORS in beside:
        rows["worker"] = _annotators(rows["hit"], beside[ANNOTATORS])
    return rows, excluded


def export(file: Path) -> pd.DataFrame:
    """The rows of one export, checked, as text but for the score.

    Columns worker, hit, system, item (the itemId), type, pair, score, block (the docId), document
    (the docId without its marks), domain, whole (a document's score), start,
    time (see `_seconds`), spans.
    """
    columns = layout(text.first_line(file))
    if not columns:
        raise DataError(
            "not an export of Appraise", file=file, line=1,
            value=text.first_line(file)[:80], expected=",".join(LAYOUTS["esa"])
        )  # fmt: skip
    if columns == LAYOUTS["segment"]:
        _check_header(file.parent, columns)
    table = tables.read_csv(file, columns)
    if table.frame.empty:
        raise DataError("no rows", file=file, expected="judgments")
    names = {name: NAMES[name] for name in ("source", "target")}
    codes = table.validated(schemas.languages(r"\w+([-_]\w+)*"), names).astype(str)
    checked = table.validated(
        schemas.judgments(list(TYPES)), {name: NAMES[name] for name in JUDGED}
    )
    rows = checked.astype({name: str for name in JUDGED[:-1]}).rename(columns={"segment": "item"})
    rows["type"] = rows["type"].map(TYPES)
    rows["pair"] = codes["source"].replace(LANGUAGES) + "-" + codes["target"].replace(LANGUAGES)
    rows["hit"] = rows["worker"]
    if "annotator" in columns:
        rows["worker"] = table.frame["annotator"].astype(str)
    plain = {"block": "docId", "start": "timeStart", "end": "timeEnd"}
    plain |= {"spans": "spans", "whole": "isDocScore"}
    for ours, theirs in plain.items():
        rows[ours] = table.frame[theirs].astype(str) if theirs in columns else ""
    said = rows[["start", "end"]]
    times = said.apply(pd.to_numeric, errors="coerce")
    times = times.where(np.isfinite(times))
    rows["start"] = times["start"]
    rows["time"] = _seconds(rows["hit"], times["start"], times["end"])
    rows = rows.drop(columns="end")
    rows.attrs["untimed"] = int((times.isna() & (said != "")).any(axis=1).sum())
    rows["whole"] = rows["whole"].str.lower() == "true"
    rows["document"] = rows["block"].str.partition("#")[0]
    rows["domain"] = rows["document"].str.extract(DOMAIN)[0].fillna("")
    rows["system"] = rows["system"].str.replace(
        FILE_NAME, lambda m: m.group(1) or m.group(2), regex=True
    )
    rows.attrs["blanks"] = table.trimmed([*(NAMES[name] for name in JUDGED[:-1]), "docId"])
    return rows


def _seconds(account: pd.Series, start: pd.Series, end: pd.Series) -> pd.Series:
    """From the end of the account's judgment before to the end of this one, in seconds.

    The first counts from its own start. An item's own two times are often the same: a document is
    one page, and they say when its score was first and last touched. NaN without two such times.
    """
    known = (start >= 0) & (end >= start) & (end - start < LONGEST)
    start, end = start.where(known), end.where(known)
    return end - end.sort_values(kind="stable").groupby(account).shift().fillna(start)


def _check_header(folder: Path, expected: tuple[str, ...]) -> None:
    """Where the export's header is a file of its own, it must name the columns we expect."""
    for file in sorted(folder.glob("header*.csv")):
        names = text.content(file).decode().strip().split(",")
        if tuple(names) != expected:
            raise DataError(
                "another header than this format's",
                file=file,
                line=1,
                value=",".join(names),
                expected=",".join(expected),
            )


def _marks(rows: pd.DataFrame) -> np.ndarray:
    """Why a row is not among those that WMT24 ranks by; empty where it is (see `MARKS`)."""
    block = rows["block"]
    mark = np.select(
        [
            block.str.contains("tutorial", regex=False) | rows["system"].str.contains("tutorial"),
            rows["whole"],
            block.str.contains("#incomplete", regex=False),
            block.str.contains("#dup", regex=False),
        ],
        ["tutorial", "document score", "incomplete", "duplicate"],
        "",
    ).astype(object)
    start = rows["start"].fillna(-np.inf)
    latest = rows.assign(mark=mark, start=start).sort_values("start", kind="stable")
    key = ["hit", "system", "item", "block", "type", "mark"]
    again = latest.duplicated(key, keep="last").sort_index().to_numpy()
    mark[again & (mark == "")] = "superseded"
    return mark


def _annotators(hits: pd.Series, file: Path) -> pd.Series:
    table = tables.read_csv(file, separator="\t").frame.astype(str)
    if not {"username", "annotator"} <= set(table.columns):
        raise DataError(
            "not a list of annotators", file=file, line=1,
            value="\t".join(table.columns), expected="a header with username and annotator"
        )  # fmt: skip
    of = table.drop_duplicates("username").set_index("username")["annotator"]
    missing = sorted(set(hits) - set(of.index))
    if missing:
        raise DataError(
            "a username without annotator", file=file, column="username",
            value=missing[0], expected="a line for every username of the export"
        )  # fmt: skip
    return hits.map(of)
