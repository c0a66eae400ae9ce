"""MQM error annotations as released by WMT: one row per marked error, tab-separated, unquoted."""

from __future__ import annotations

import gzip
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np
import pandas as pd

from ..errors import DataError
from ..paths import shown
from . import schema as schemas

COLUMNS = (
    "pair",
    "system",
    "document",
    "segment",
    "doc_segment",
    "rater",
    "category",
    "severity",
)
HEADERS = {  # our column: its names in the releases of 2020 to 2024
    "system": ("system", "system_id"),
    "document": ("doc", "document_id"),
    "doc_segment": ("docSegId", "doc_id", "doc_segment_id"),
    "segment": ("globalSegId", "seg_id"),
    "rater": ("rater", "rater_id"),
    "category": ("category",),
    "severity": ("severity",),
}
SEVERITIES = ("Major", "Minor", "Neutral", "No-error", "Critical", "HOTW-test")
CONTROL = "HOTW-test"  # "hands on the wheel": an error planted to keep the rater attentive
CATEGORIES = (
    "Accuracy/Addition",
    "Accuracy/Creative Reinterpretation",
    "Accuracy/Gender Mismatch",
    "Accuracy/Mistranslation",
    "Accuracy/Omission",
    "Accuracy/Source language fragment",
    "Accuracy/Untranslated text",
    "Fluency/Character encoding",
    "Fluency/Display",
    "Fluency/Grammar",
    "Fluency/Inconsistency",
    "Fluency/Punctuation",
    "Fluency/Register",
    "Fluency/Spelling",
    "Fluency/Text-Breaking",
    "Locale convention/Address format",
    "Locale convention/Currency format",
    "Locale convention/Date format",
    "Locale convention/Name format",
    "Locale convention/Number format",
    "Locale convention/Telephone format",
    "Locale convention/Time format",
    "No-error",
    "Non-translation",
    "Other",
    "Source issue",
    "Style/Archaic or obscure word choice",
    "Style/Awkward",
    "Style/Bad sentence structure",
    "Style/Unnatural or awkward",
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent",
)
SAME = {  # other spellings in the releases, after `_key`
    "source error": "Source issue",
    "source issue": "Source issue",
    "non-translation!": "Non-translation",
    "non translation": "Non-translation",
    "no error": "No-error",
    "accuracy/omission (translation)": "Accuracy/Omission",
    "accuracy/omission (translation 2)": "Accuracy/Omission",
    "accuracy/omission (source)": "Accuracy/Omission",
}
_CONTROL_CATEGORIES = ("found", "missed")


def _key(text: str) -> str:
    return text.strip().lower().replace("_", " ")


_KNOWN = {_key(c): c for c in CATEGORIES} | SAME
_KNOWN |= {k.removesuffix(" format"): v for k, v in list(_KNOWN.items()) if k.startswith("locale")}
_SEVERITY = {_key(s): s for s in SEVERITIES} | {"no error": "No-error"}


@contextmanager
def _open(file: Path) -> Iterator[IO[bytes]]:
    """The lines of a plain, gzipped or ``.tar.gz``-packed file."""
    if not file.is_file():
        raise DataError("no such file", file=shown(file))
    name = file.name.lower()
    try:
        if name.endswith((".tar.gz", ".tgz")):
            with tarfile.open(file, "r:gz") as archive:
                members = [m for m in archive.getmembers() if m.isfile()]
                tables = [m for m in members if m.name.endswith(".tsv")] or members
                if len(tables) != 1:
                    raise DataError(
                        "an archive of one table is needed",
                        file=shown(file),
                        value=[m.name for m in tables],
                    )
                stream = archive.extractfile(tables[0])
                assert stream is not None
                yield stream
        elif name.endswith(".gz"):
            with gzip.open(file, "rb") as packed:
                yield cast("IO[bytes]", packed)
        else:
            with file.open("rb") as stream:
                yield stream
    except (tarfile.TarError, gzip.BadGzipFile, EOFError) as problem:
        raise DataError(f"cannot be unpacked ({problem})", file=shown(file)) from problem


def _places(header: list[str], file: Path) -> dict[str, int]:
    """Where each of our columns stands."""
    places = {}
    for ours, names in HEADERS.items():
        found = [header.index(n) for n in names if n in header]
        if found:
            places[ours] = found[0]
        elif ours != "segment":  # the 2022 en-zh release numbers segments within documents only
            raise DataError(
                "not an MQM table",
                file=shown(file),
                line=1,
                column=ours,
                value="\t".join(header)[:200],
                expected="a header with " + " or ".join(names),
            )
    return places


def read_mqm(file: Path | str, pair: str) -> pd.DataFrame:
    """The judgments of one language pair.

    Reads the files of the repository google/wmt-mqm-human-evaluation as released: plain,
    ``.gz`` or ``.tar.gz``, with or without the JSON column ``metadata`` (which, like source and
    target text, is dropped line by line and never held). Spellings of categories that differ
    between years are brought to one (`SAME`); both kinds of omission are one category.

    Parameters
    ----------
    file : Path
    pair : str
        The language pair, such as ``"en-de"``; becomes the first column.

    Returns
    -------
    DataFrame
        One row per marked error, or one with severity ``No-error`` for a segment without:
        pair, system, document, segment (number within the campaign), doc_segment (within the
        document), rater, category, severity (all categorical but the two integers).
        Control rows (severity ``HOTW-test``) are left out; a segment with no other row counts
        as rated without error. Source issues stay, and weigh nothing (`mqm.WEIGHTS`).
        ``.attrs["excluded"]`` counts what was left out, by reason.

    Raises
    ------
    DataError
        No such file, not a table of this form, a truncated line, an empty cell, a segment number
        that is none, or severities or categories that are not known (all of them are listed).
    """
    file = Path(file)
    excluded: Counter[str] = Counter()
    lines: list[int] = []
    cells: list[list[str]] = []
    with _open(file) as stream:
        header = [h.strip() for h in _text(stream.readline(), file, 1).split("\t")]
        places = _places(header, file)
        wanted = max(places.values()) + 1
        known: dict[str, str] = {}  # one copy of each text
        for line, raw in enumerate(stream, start=2):
            if not raw.strip():
                excluded["blank lines"] += 1
                continue
            parts = raw.split(b"\t", wanted)[:wanted]
            if len(parts) < wanted:
                raise DataError(
                    "truncated line",
                    file=shown(file),
                    line=line,
                    value=f"{len(parts)} columns",
                    expected=f"at least {wanted}, separated by tabs",
                )
            texts = [_text(parts[i], file, line).strip("\r\n ") for i in places.values()]
            cells.append([known.setdefault(text, text) for text in texts])
            lines.append(line)
    if not cells:
        raise DataError("no judgments", file=shown(file), expected="at least one row")
    frame = schemas.validate(
        pd.DataFrame(cells, columns=list(places)),
        schemas.errors([name for name in ("segment", "doc_segment") if name in places]),
        file=file,
        lines=lines,
        columns={ours: header[i] for ours, i in places.items()},
    )
    if "segment" not in places:
        frame["segment"] = frame.groupby(["document", "doc_segment"], sort=False).ngroup() + 1
    frame = frame.astype({"segment": int, "doc_segment": int})
    names = ["system", "document", "segment", "doc_segment", "rater", "category", "severity"]
    frame = frame[names]
    category, severity = frame["category"], frame["severity"]
    control = severity.map(_key).map(_SEVERITY) == CONTROL
    control |= category.map(_key).isin(_CONTROL_CATEGORIES)
    for text, n in category[control].str.lower().value_counts().items():
        excluded[f"control rows ({CONTROL}), {text}"] += n
    controls, rows = frame[control], frame[~control]
    rows = rows.assign(
        category=category.map(_key).map(_KNOWN), severity=severity.map(_key).map(_SEVERITY)
    )
    _refuse_unknown(rows, frame, np.array(lines), file)
    if rows.empty:
        raise DataError("no judgments", file=shown(file), expected="at least one row")
    rated = set(rows[names[:5]].itertuples(index=False, name=None))
    seen = set(controls[names[:5]].itertuples(index=False, name=None))
    bare = [(*place, "No-error", "No-error") for place in sorted(seen - rated)]
    frame = pd.concat([rows, pd.DataFrame(bare, columns=names)]) if bare else rows
    frame = frame.reset_index(drop=True)
    frame.insert(0, "pair", pair)
    for column in ("pair", "system", "document", "rater", "category", "severity"):
        frame[column] = frame[column].astype("category")
    if bare:
        excluded["(kept as rated without error: segments with control rows only)"] = len(bare)
    frame = frame[list(COLUMNS)]
    frame.attrs["excluded"] = dict(sorted(excluded.items()))
    return frame


def _refuse_unknown(rows: pd.DataFrame, text: pd.DataFrame, lines: np.ndarray, file: Path) -> None:
    """Raise for severities and categories that became missing in `rows`.

    By hand: each spelling is listed with its number of rows, where a schema would list rows.
    """
    unknown: Counter[tuple[str, str]] = Counter()
    first: list[tuple[int, str, str]] = []
    for kind in ("severity", "category"):
        bad = text.loc[rows.index[rows[kind].isna()], kind]
        unknown.update((kind, str(value)) for value in bad)
        first += [(int(lines[row]), kind, str(value)) for row, value in bad.iloc[:1].items()]
    if first:
        line, kind, value = min(first, key=lambda found: found[0])
        listed = "; ".join(f"{kind} {text!r} ({n} rows)" for (kind, text), n in unknown.items())
        raise DataError(
            f"unknown severities or categories: {listed}",
            file=shown(file),
            line=line,
            column=kind,
            value=value,
            expected="one of " + ", ".join(SEVERITIES if kind == "severity" else CATEGORIES),
        )


def _text(raw: bytes, file: Path, line: int) -> str:
    try:
        return raw.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as problem:
        raise DataError("not UTF-8", file=shown(file), line=line) from problem
