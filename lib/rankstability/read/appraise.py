"""Exports of the Appraise interface, segment-level scores (2022) and error spans (ESA, 2024).

Read into the same form as direct assessment, so that the same notebooks run on them. An
annotation task (``username``) stands for a worker, as in the official Appraise rankings.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from .. import paths
from ..errors import DataError
from ..judgments import DirectAssessment, direct_assessment
from . import schema as schemas
from . import tables, text

COLUMNS = {
    "appraise": (
        *("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score"),
        *("timeStart", "timeEnd"),
    ),
    "esa": (
        *("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score"),
        *("docId", "isDocScore", "spans", "timeStart", "timeEnd"),
    ),
}
TYPES = {"TGT": "SYSTEM", "BAD": "BAD_REF", "REF": "REF", "CHK": "REPEAT"}
NAMES = {
    **{"worker": "username", "system": "system", "segment": "itemId", "type": "itemType"},
    **{"source": "srcLang", "target": "trgLang", "score": "score"},
}
JUDGED = ["worker", "system", "segment", "type", "score"]
ISO = {
    "eng": "en", "ces": "cs", "deu": "de", "fra": "fr", "hau": "ha", "heb": "he", "hin": "hi",
    "hrv": "hr", "isl": "is", "jpn": "ja", "rus": "ru", "spa": "es", "ukr": "uk", "zho": "zh",
}  # fmt: skip
FILE_NAME = re.compile(r"[^.]+\.[a-z]+-[a-z]+\.(?:hyp\.|(?=ref\.))(.+)\.[a-z]+\.txt")


def pairs(files: tuple[Path, ...], form: str) -> tuple[str, ...]:
    """The language pairs of the files, sorted."""
    found: set[str] = set()
    for file in files:
        found.update(_rows(file, form)["pair"].unique())
    return tuple(sorted(found))


def read_appraise(files: tuple[Path, ...], pair: str, form: str) -> DirectAssessment:
    """The judgments of `pair` in Appraise exports.

    Parameters
    ----------
    files : tuple of Path
        CSV without a header line (or with it), plain or gzipped.
    pair : str
        Such as ``en-ja`` (two letters where ISO 639-1 has them, else three).
    form : str
        ``appraise`` (9 columns) or ``esa`` (12 columns).

    Returns
    -------
    DirectAssessment
        ``latest`` and ``good`` are the same rows: TGT is SYSTEM (in a document marked ``#dup``,
        REPEAT), BAD is BAD_REF; worker and hit are the username; block is the docId as exported.
        Left out and counted: tutorial rows, whole-document scores, rows submitted twice (the same
        in every column, times included).
    """
    parts, excluded = [], []
    for file in files:
        rows = _rows(file, form)
        inside = rows["pair"] == pair
        if not inside.any():
            continue
        counted: Counter[str] = Counter({"other language pairs": int((~inside).sum())})
        rows = rows[inside]
        for reason in ("tutorial", "whole-document score", "submitted twice"):
            out = rows["why"] == reason
            counted[f"{reason} (left out)"] = int(out.sum())
        excluded += [(file.name, reason, n) for reason, n in counted.items() if n]
        parts.append(rows[rows["why"] == ""])
    if not parts:
        raise DataError(
            "no rows for the language pair",
            file=", ".join(paths.shown(file) for file in files),
            value=pair,
            expected="one of " + ", ".join(pairs(files, form)),
        )
    rows = pd.concat(parts, ignore_index=True)
    counts = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    return direct_assessment(pair, rows.rename(columns={"number": "score"}), excluded=counts)


def _check_header(folder: Path, expected: tuple[str, ...]) -> None:
    """Where the export's header is a file of its own, it must name the columns we expect."""
    for file in sorted(folder.glob("header*.csv")):
        names = text.content(file).decode().strip().split(",")
        if tuple(names) != expected:
            raise DataError(
                "another header than this format's",
                file=paths.shown(file),
                line=1,
                value=",".join(names),
                expected=",".join(expected),
            )


def _rows(file: Path, form: str) -> pd.DataFrame:
    """All rows of one export, checked: our columns, pair, number (the score) and why (left out)."""
    columns = COLUMNS[form]
    if form == "appraise":
        _check_header(file.parent, columns)
    table = tables.read_csv(file, columns)
    if table.frame.empty:
        raise DataError("no rows", file=paths.shown(file))
    codes = table.validated(
        schemas.languages(r"\w+([-_]\w+)*"), {name: NAMES[name] for name in ("source", "target")}
    ).astype(str)
    judged = table.validated(schemas.judgments(list(TYPES)), {name: NAMES[name] for name in JUDGED})
    rows = judged.drop(columns="score").astype(str).assign(number=judged["score"], block="NA")
    rows["pair"] = codes["source"].replace(ISO) + "-" + codes["target"].replace(ISO)
    rows["hit"] = rows["worker"]
    rows["type"] = rows["type"].map(TYPES)
    rows["why"] = np.where(table.frame.duplicated(), "submitted twice", "")
    rows["document"] = ""
    if form == "esa":
        document = table.frame["docId"].astype(str)
        whole = table.frame["isDocScore"].astype(str).str.lower() == "true"
        rows.loc[whole, "why"] = "whole-document score"
        rows["block"], rows["document"] = document, document.str.partition("#")[0]
        again = document.str.contains("#dup", regex=False) & (rows["type"] == "SYSTEM")
        rows.loc[again, "type"] = "REPEAT"
        rows.loc[document.str.contains("tutorial", regex=False), "why"] = "tutorial"
    rows.loc[rows["system"].str.contains("tutorial", regex=False), "why"] = "tutorial"
    rows["system"] = rows["system"].str.replace(FILE_NAME, r"\1", regex=True)
    return rows
