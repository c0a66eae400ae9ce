"""Rows of an MQM table: its columns in every year, severities, categories and controls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from ...errors import DataError
from .files import need_words, read_table, read_text, split_header

ERRORS = ["system", "document", "segment", "doc_segment", "annotator", "category", "severity"]
CLEAN = "No-error"
HEADERS = {  # our column: its names in the releases of 2020 to 2024
    "system": ("system", "system_id"),
    "document": ("doc", "document_id"),
    "doc_segment": ("docSegId", "doc_id", "doc_segment_id", "doc_seg_id"),
    "segment": ("globalSegId", "seg_id", "global_seg_id"),
    "annotator": ("rater", "rater_id"),
    "category": ("category",),
    "severity": ("severity",),
}
NEEDED = HEADERS.keys() - {"segment"}
RATING = ERRORS[:5]
CONTROL = "HOTW-test"  # an error that was planted to keep the annotator attentive
SEVERITIES = ("Major", "Minor", "Neutral", "Critical", CLEAN, CONTROL)
SPELLINGS = {  # categories whose usual spelling does not follow from a name in lower case
    "accuracy/creative reinterpretation": "Accuracy/Creative Reinterpretation",
    "accuracy/gender mismatch": "Accuracy/Gender Mismatch",
    "fluency/text-breaking": "Fluency/Text-Breaking",
    "source error": "Source issue",
    "non-translation!": "Non-translation",
    "non translation": "Non-translation",
    "no error": "No-error",
    "terminology/inconsistent use of terminology": "Terminology/Inconsistent",
    "accuracy/omission (translation)": "Accuracy/Omission",
    "accuracy/omission (translation 2)": "Accuracy/Omission",
    "accuracy/omission (source)": "Accuracy/Omission",
}


def find_columns(header: Sequence[str]) -> dict[str, int]:
    """Return the place of each of our columns that a header names."""
    there = {
        ours: [header.index(n) for n in names if n in header] for ours, names in HEADERS.items()
    }
    return {ours: places[0] for ours, places in there.items() if places}


def read_cells(file: Path, excluded: Counter[str], notes: Counter[str]) -> pd.DataFrame:
    """Return the columns we read by our names; the index holds the lines of the file."""
    separator, header = split_header(file)
    places = find_columns(header)
    for ours in sorted(NEEDED - places.keys()):
        raise DataError(
            "missing_column", file=file, line=1, column=HEADERS[ours][0], value=", ".join(header)
        )
    table = _tab_cells(file, header, places) if separator == "\t" else read_table(file, separator)
    notes["identical_rows"] = int(table.duplicated().sum())
    table = table[[header[place] for place in places.values()]].set_axis(list(places), axis=1)
    rated = (table[["annotator", "category", "severity"]] != "").any(axis=1)
    excluded["no_rating"] = int((~rated).sum())
    if not rated.any():
        raise DataError("no_rows", file=file)
    return table[rated]


def _tab_cells(file: Path, header: Sequence[str], places: Mapping[str, int]) -> pd.DataFrame:
    """Return the cells of a file with tabs; quotation marks are text, and metadata can hold tabs."""
    last = max(places.values()) + 1
    lines = enumerate(read_text(file).split("\n"), start=1)
    full = [(number, line.rstrip(" ")) for number, line in lines if line.strip()]
    rows = {number: line.split("\t", last) for number, line in full[1:]}
    for number, cells in rows.items():
        if len(cells) < last:
            raise DataError(
                "wrong_number_of_cells",
                file=file,
                line=number,
                value=len(cells),
                expected=f"at least {last}",
            )
    columns = [*header[:last], "the rest"][: max(map(len, rows.values()), default=last)]
    return pd.DataFrame(rows.values(), columns=columns, index=list(rows), dtype=object)


def unify_spelling(errors: pd.DataFrame, table: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Add the severity; give severities and categories their usual spelling."""
    known = {_plain(severity): severity for severity in SEVERITIES} | {"no error": CLEAN}
    spelled = {name: spell_category(name) for name in errors["category"].unique()}
    category = errors["category"].map(spelled)
    severity = table["severity"].map(_plain).map(known)
    severity = severity.mask(category.isin(["Found", "Missed"]), CONTROL)
    written = table.assign(severity=severity.fillna(table["severity"]))
    need_words(written, "severity", file, SEVERITIES)
    return errors.assign(category=category, severity=severity)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", " ")


def spell_category(name: str) -> str:
    """Return a category in its usual spelling; an unknown one keeps its name but for the case."""
    plain = _plain(name)
    if plain.startswith("locale convention/") and not plain.endswith("format"):
        plain += " format"
    parts = [part.strip() for part in plain.split("/")]
    capitals = "/".join(part[:1].upper() + part[1:] for part in parts)
    return SPELLINGS.get("/".join(parts), capitals)


def leave_out_controls(
    errors: pd.DataFrame, excluded: Counter[str], notes: Counter[str]
) -> pd.DataFrame:
    """Drop planted errors; a segment with nothing else was rated as clean."""
    control = errors["severity"] == CONTROL
    excluded["attention_check"] = int(control.sum())
    rows = errors[~control]
    rated = pd.MultiIndex.from_frame(rows[RATING])
    planted = pd.MultiIndex.from_frame(errors.loc[control, RATING].drop_duplicates())
    alone = planted[~planted.isin(rated)].sortlevel()[0].to_frame(index=False)
    if len(alone) and len(rows):
        notes["only_attention_checks"] = len(alone)
        rows = pd.concat([rows, alone.assign(category=CLEAN, severity=CLEAN)])
    return rows.reset_index(drop=True)
