"""MQM error annotations as WMT releases them: one row per marked error, separated by tabs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from ...errors import DataError
from ...judgments import Judgments
from ..declare import command_line
from ..mqm_weights import DEFAULT, sum_penalties, weigh_errors
from .files import clean_names, counted, first_line, need_words, read_counts, read_text
from .languages import pair_in_name

NAME = "mqm"
HEADER = "system doc docSegId globalSegId rater source target category severity metadata"
HEADERS = {  # our column: its names in the releases of 2020 to 2024
    "system": ("system", "system_id"),
    "document": ("doc", "document_id"),
    "doc_segment": ("docSegId", "doc_id", "doc_segment_id", "doc_seg_id"),
    "segment": ("globalSegId", "seg_id", "global_seg_id"),
    "annotator": ("rater", "rater_id"),
    "category": ("category",),
    "severity": ("severity",),
}
ERRORS = ["system", "document", "segment", "doc_segment", "annotator", "category", "severity"]
RATING = ERRORS[:5]
CONTROL = "HOTW-test"  # an error that was planted to keep the annotator attentive
CLEAN = "No-error"
SEVERITIES = ("Major", "Minor", "Neutral", "Critical", CLEAN, CONTROL)
UNMARKED = ("clean", "missing")
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


def matches(path: Path) -> bool:
    """Return whether a file has a header with tabs and the columns category and severity."""
    return {"category", "severity"} <= set(first_line(path).lower().split("\t"))


def list_pairs(files: Sequence[Path]) -> list[str]:
    """Return the language pairs in the names of the files, sorted."""
    return sorted({_pair_of(file) for file in files})


def read(
    files: Sequence[Path], pair: str = "", unmarked: str = "", weights: str = DEFAULT
) -> dict[str, Judgments]:
    """Read the ratings of each language pair, or of one; each file holds one pair.

    Parameters
    ----------
    files : sequence of Path
    pair : str
        Empty for all.
    unmarked : str
        What an output without any row means in files without rows of severity ``No-error``:
        ``clean`` (an output of a document that the annotator judged has no error) or ``missing``.
    weights : str
        A name of `mqm_weights.WEIGHTS`.

    Raises
    ------
    DataError
        For an unknown severity, a missing column, or a file without any ``No-error`` if `unmarked`
        is empty.
    """
    by_pair: dict[str, Path] = {}
    for file in files:
        of_file = _pair_of(file, pair if len(files) == 1 else "")
        if of_file in by_pair:
            raise DataError("several_files_for_pair", file=file, value=of_file)
        by_pair[of_file] = file
    if pair and pair not in by_pair:
        raise DataError("unknown_pair", value=pair, expected=", ".join(sorted(by_pair)))
    chosen = [pair] if pair else sorted(by_pair)
    return {each: _read_file(by_pair[each], each, unmarked, weights) for each in chosen}


def _pair_of(file: Path, default: str = "") -> str:
    found = pair_in_name(file.name, joined=True) or default
    if not found:
        raise DataError("no_pair_in_name", file=file)
    return found


def _read_file(file: Path, pair: str, unmarked: str, weights: str) -> Judgments:
    excluded: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    table = _read_cells(file, excluded, notes)
    ids = {name: name for name in ("system", "document", "annotator", "category")}
    errors, notes["blanks_around_names"] = clean_names(table, ids, file)
    errors = errors.astype(object)
    for name in ("segment", "doc_segment"):
        if name in table:
            errors[name] = read_counts(table, name, file)
    if "segment" not in table:  # the release of 2022 en-zh numbers segments within documents
        place = errors.groupby(["document", "doc_segment"], sort=False).ngroup()
        errors["segment"] = place + 1
    errors = _unify_spelling(errors, table, file)
    errors = _leave_out_controls(errors, excluded, notes)
    if errors.empty:
        raise DataError("no_rows", file=file)
    errors = _mark_clean(errors, unmarked, file)
    _count_contradictions(errors, notes)
    return judgments_of_errors(
        errors, pair, file.name, excluded=excluded, notes=notes, weights=weights
    )


def judgments_of_errors(
    errors: pd.DataFrame,
    pair: str,
    file: str,
    *,
    excluded: Mapping[str, int],
    notes: Mapping[str, int],
    weights: str = DEFAULT,
) -> Judgments:
    """Return MQM judgments from marked errors (columns `ERRORS`), one per rating of a segment."""
    ids = ("system", "document", "annotator", "category", "severity")
    errors = errors[ERRORS].astype(dict.fromkeys(ids, "category")).reset_index(drop=True)
    errors["weight"] = weigh_errors(errors, weights)
    ratings = sum_penalties(errors, weights)
    ratings["score"] = 0.0 - ratings.pop("penalty")
    ratings = ratings.astype(dict.fromkeys(("system", "document", "annotator"), "category"))
    return Judgments(
        table=ratings,
        kind="mqm",
        pair=pair,
        errors=errors,
        excluded=counted((file, code, rows, "") for code, rows in sorted(excluded.items())),
        notes=counted((file, code, rows, "") for code, rows in sorted(notes.items())),
        declared={} if weights == DEFAULT else {"weights": weights},
    )


def _read_cells(file: Path, excluded: Counter[str], notes: Counter[str]) -> pd.DataFrame:
    """Return the columns we read by our names; the index holds the lines of the file."""
    lines = read_text(file).split("\n")
    header = [name.strip() for name in lines[0].split("\t")]
    places: dict[str, int] = {}
    for ours, names in HEADERS.items():
        there = [header.index(name) for name in names if name in header]
        if there:
            places[ours] = there[0]
        elif ours != "segment":
            raise DataError(
                "missing_column", file=file, line=1, column=names[0], value=", ".join(header)
            )
    last = max(places.values()) + 1
    rows = []
    numbers = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t", last)[:last]  # metadata may hold tabs
        if len(cells) < last:
            raise DataError(
                "wrong_number_of_cells",
                file=file,
                line=number,
                value=len(cells),
                expected=f"at least {last}",
            )
        rows.append([cells[place] for place in places.values()])
        numbers.append(number)
    table = pd.DataFrame(rows, columns=list(places), index=numbers, dtype=object)
    full = [line.strip() for line in lines[1:] if line.strip()]
    notes["identical_rows"] = len(full) - len(set(full))
    rated = (table[["annotator", "category", "severity"]] != "").any(axis=1)
    excluded["no_rating"] = int((~rated).sum())
    if not rated.any():
        raise DataError("no_rows", file=file)
    return table[rated]


def _unify_spelling(errors: pd.DataFrame, table: pd.DataFrame, file: Path) -> pd.DataFrame:
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


def _leave_out_controls(
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


def _mark_clean(errors: pd.DataFrame, unmarked: str, file: Path) -> pd.DataFrame:
    """Stop, or add clean outputs, if no output is marked as clean."""
    if unmarked not in ("", *UNMARKED):
        raise DataError("unknown_unmarked", value=unmarked, expected=" or ".join(UNMARKED))
    if (errors["severity"] == CLEAN).any() or unmarked == "missing":
        return errors
    if not unmarked:
        raise DataError(
            "unmarked_outputs",
            file=file,
            remedy=command_line(str(file), {"unmarked": "clean"}),
        )
    outputs = errors[["document", "segment", "doc_segment"]].drop_duplicates()
    systems = errors[["document", "system"]].drop_duplicates()
    annotators = errors[["document", "annotator"]].drop_duplicates()
    every = outputs.merge(systems).merge(annotators)[RATING]
    rated = pd.MultiIndex.from_frame(errors[RATING])
    clean = every[~pd.MultiIndex.from_frame(every).isin(rated)]
    return pd.concat([errors, clean.assign(category=CLEAN, severity=CLEAN)], ignore_index=True)


def _count_contradictions(errors: pd.DataFrame, notes: Counter[str]) -> None:
    """Count rows that say two things; the errors and the severities count."""
    clean = errors["severity"] == CLEAN
    rating = [errors[name] for name in RATING]
    both = clean.groupby(rating).transform("any") & (~clean).groupby(rating).transform("any")
    notes["clean_and_error"] = int((both & clean).sum())
    notes["clean_in_one_column"] = int(((errors["category"] == CLEAN) != clean).sum())
