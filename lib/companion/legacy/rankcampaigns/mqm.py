"""MQM error annotations as released by WMT: one row per marked error, tab-separated, unquoted."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability import checks
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError

from . import languages, tables, text, together
from .folder import Reader, Source
from .tables import Table

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
NAMES = (
    "pair",
    "system",
    "document",
    "rater",
    "category",
    "severity",
)  # the categoricals
HEADERS = {  # our column: its names in the releases of 2020 to 2024
    "system": ("system", "system_id"),
    "document": ("doc", "document_id"),
    "doc_segment": ("docSegId", "doc_id", "doc_segment_id", "doc_seg_id"),
    "segment": ("globalSegId", "seg_id", "global_seg_id"),
    "rater": ("rater", "rater_id"),
    "category": ("category",),
    "severity": ("severity",),
}
SEVERITIES = ("Major", "Minor", "Neutral", "No-error", "Critical", "HOTW-test")
RATED = (
    "rater",
    "category",
    "severity",
)  # a line without these holds metadata only (Marot)
CONTROL = "HOTW-test"  # "hands on the wheel": an error planted to keep the rater attentive
ERRORS = ("Major", "Minor", "Neutral", "Critical")
NONE = ("No-error", "No-error")
SAME = {  # spellings that do not follow from a name in lower case
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
# of bio-MQM, with one rating per object: our column, its field
RATING = {"system": "MT_Engine", "document": "DOC_ID", "doc_segment": "SEG_ID"}
RATING |= {"rater": "Annotator_ID"}
HEADS = {
    "Accuracy",
    "Fluency",
    "Locale convention",
    "No-error",
    "Non-translation",
    "Other",
}
HEADS |= {"Source issue", "Style", "Terminology"}
LOCALES = re.compile(r'"(source|target)_locale"\s*:\s*"([^"]*)"')


def _key(name: str) -> str:
    return name.strip().lower().replace("_", " ")


def as_read(frame: pd.DataFrame, excluded: Mapping[str, int]) -> pd.DataFrame:
    """Marked errors with the columns of `COLUMNS` alone, and a note of what was left out."""
    frame = frame[list(COLUMNS)].astype(dict.fromkeys(NAMES, "category"))
    frame.attrs["excluded"] = {
        reason: int(n) for reason, n in sorted(excluded.items()) if n
    }
    return frame


def each_error(rows: pd.DataFrame, errors: Sequence[Any]) -> pd.DataFrame:
    """A row for each of a row's `errors` (category, severity), of which each has at least one."""
    out = rows.assign(error=errors).explode("error", ignore_index=True)
    kinds = pd.DataFrame(
        out.pop("error").to_list(), columns=["category", "severity"]
    )
    return out.assign(**kinds)


def _category(name: str) -> str:
    """A category in our spelling; one that the releases do not have stays, but for its case."""
    key = _key(name)
    if key.startswith("locale convention/") and not key.endswith("format"):
        key += " format"
    parts = [part.strip() for part in key.split("/")]
    return SAME.get(
        "/".join(parts),
        "/".join(part[:1].upper() + part[1:] for part in parts),
    )


_SEVERITY = {_key(s): s for s in SEVERITIES} | {"no error": "No-error"}


def _columns(header: Sequence[str], file: Path) -> dict[str, str]:
    """Our columns to those of the header. Raises DataError if one is missing."""
    found = {}
    for ours, names in HEADERS.items():
        if there := [name for name in names if name in header]:
            found[ours] = there[0]
        elif (
            ours != "segment"
        ):  # the 2022 en-zh release numbers segments within documents only
            wrong = partial(
                DataError, file=file, line=1, value="\t".join(header)[:200]
            )
            expected = "a header with " + " or ".join(names)
            raise wrong("not an MQM table", column=ours, expected=expected)
    return found


def pair_of(path: Path, settings: Mapping[str, Any]) -> str:
    """The pair of a file: from the settings, or its name (``mqm_generalMT2022_ende.tsv``).

    Raises DataError if there is none.
    """
    found = settings.get("pair") or languages.pair_in(path, joined=True)
    if not found:
        expected = (
            "a name such as mqm_mine_ende.tsv, or `pair:` in a campaign.yaml"
        )
        raise DataError(
            "no language pair in the file's name", file=path, expected=expected
        )
    return str(found)


def read_mqm(file: Path | str, pair: str) -> pd.DataFrame:
    """The marked errors of a language pair in a file of google/wmt-mqm-human-evaluation.

    One row per marked error, or one with severity ``No-error`` for a segment without any: pair,
    system, document, segment (number within the campaign), doc_segment (within the document),
    rater, category (variant spellings unified), severity; all but the two numbers categorical.
    Control rows (severity ``HOTW-test``) are left out; a segment with no other row counts as rated
    without error. ``.attrs["excluded"]`` counts what was left out or changed, by reason, and rows
    of a category that the releases do not have. Raises DataError for anything wrong in the file,
    such as an unknown severity.
    """
    file = Path(file)
    excluded: Counter[str] = Counter()
    table, names = _table(file, excluded)
    columns = schemas.ids("system", "document", "rater", "category")
    numbers = [name for name in ("segment", "doc_segment") if name in names]
    columns |= dict.fromkeys(numbers, schemas.count(0, "not a segment number"))
    frame = table.validated(columns, names)
    with together.at_lines([file], [table.lines], names):
        checks.refuse_alike(frame)
        if "segment" in names:
            checks.refuse_contradictions(
                frame[["segment", "document"]].astype({"segment": int})
            )
    if "segment" not in names:
        frame["segment"] = (
            frame.groupby(["document", "doc_segment"], sort=False).ngroup() + 1
        )
    frame = frame.astype({"segment": int, "doc_segment": int})[
        list(COLUMNS[1:])
    ]
    frame = _without_controls(_one_spelling(frame, table), frame, excluded)
    rating = [frame[name] for name in COLUMNS[1:6]]
    none = frame["severity"].eq("No-error")
    both = none.groupby(rating).transform("any") & (~none).groupby(
        rating
    ).transform("any")
    reason = "(kept: No-error beside an error in one rating, of which the error counts)"
    excluded[reason] += int((both & none).sum())
    unlike = frame["category"].eq("No-error") != none
    excluded[
        "(kept: No-error as category or as severity alone: the severity counts)"
    ] = int(unlike.sum())
    if frame.empty:
        raise DataError("no judgments", file=file, expected="at least one row")
    for name, n in frame["category"].value_counts().items():
        if str(name).split("/")[0] not in HEADS:
            excluded[f"(kept: category {name!r}, not of WMT's releases)"] = n
    return as_read(frame.assign(pair=pair), excluded)


def rated_pair(path: Path, settings: Mapping[str, Any]) -> str:
    """The pair of a file of bio-MQM: of its locales; without any, of the settings or its name.

    Raises DataError if the locales are not two languages, the settings contradict them, or there is
    no pair at all.
    """
    said = dict(
        reversed(LOCALES.findall(text.head(path)))
    )  # the first of each
    if not said:
        return pair_of(path, settings)
    pair = languages.pair_of(
        "-".join(said.get(side, "")[:2] for side in ("source", "target"))
    )
    if pair and settings.get("pair", pair) != pair:
        value = settings["pair"]
        expected = f"no `pair:`, since the rows say {pair}"
        problem = "`pair:` is not the language pair of the rows"
        raise DataError(
            problem, file=path, column="pair", value=value, expected=expected
        )
    if not pair:
        value = str(said)
        expected = "a source_locale and a target_locale such as eses and enus"
        raise DataError(
            "not two locales", file=path, value=value, expected=expected
        )
    return pair


def read_ratings(files: Sequence[Path], pair: str) -> pd.DataFrame:
    """The marked errors of one pair as bio-MQM has them, in the form of `read_mqm`.

    Each object is a rating with its ``target_errors``; one without errors is ``No-error``. A
    category is ``error_category/error_subcategory`` with blanks for underscores.
    ``.attrs["weights"]`` names the authors' weights. Raises DataError for a missing field, an empty
    name, an unknown severity, or two ratings of an output by one rater.
    """
    excluded: Counter[str] = Counter()
    seen: dict[tuple[str, ...], Path] = {}
    parts = []
    for file in files:
        ratings, errors = _ratings(file, excluded)
        schema = schemas.ids("system", "document", "rater")
        schema |= {"doc_segment": schemas.count(0, "not a segment number")}
        rows = ratings.validated(schema, RATING)
        with together.at_lines([file], [ratings.lines], RATING):
            checks.refuse_alike(rows)
        for row, key in enumerate(
            rows.astype(str).itertuples(index=False, name=None)
        ):
            if key in seen:
                problem = "a second rating of an output by the same rater"
                expected = f"one; the first is in {seen[key].name}"
                raise ratings.error(problem, row, "SEG_ID", expected)
            seen[key] = file
        excluded.update(ratings.trimmed([*RATING.values()]))
        parts.append(each_error(rows, errors))
    frame = pd.concat(parts, ignore_index=True).assign(pair=pair)
    frame["segment"] = (
        frame.groupby(["document", "doc_segment"], observed=False).ngroup() + 1
    )
    frame = as_read(frame.astype({"doc_segment": int}), excluded)
    frame.attrs["weights"] = "zouhar2024"
    return frame


def _ratings(
    file: Path, excluded: Counter[str]
) -> tuple[Table, list[list[tuple[str, str]]]]:
    """The ratings of a file of bio-MQM, and the category and severity of each rating's errors."""
    entries = []
    errors = []
    locales = []
    for line, entry in text.records(file):
        with text.placed(file, line):
            text.need(entry, *RATING.values(), "target_errors")
            locales.append(
                [
                    str(entry.get(f"{side}_locale", ""))
                    for side in ("source", "target")
                ]
            )
            if locales[-1] != locales[0]:
                value = "-".join(locales[-1])
                expected = "-".join(locales[0]) + ", as before"
                raise DataError(
                    "other languages", value=value, expected=expected
                )
            marked = text.of_kind(
                entry["target_errors"], list, "target_errors"
            )
            errors.append([_kind(error) for error in marked] or [NONE])
            excluded["identical errors in one rating (kept)"] += len(
                marked
            ) - len({json.dumps(error, sort_keys=True) for error in marked})
            source = text.of_kind(
                entry.get("source_errors", []), list, "source_errors"
            )
            excluded["errors marked in the source (left out)"] += len(source)
            excluded["(kept: ratings without an error)"] += not marked
        entries.append((line, {name: entry[name] for name in RATING.values()}))
    if not entries:
        raise DataError(
            "no judgments", file=file, expected="at least one rating"
        )
    return tables.from_records(file, entries), errors


def _kind(error: Any) -> tuple[str, str]:
    """Category and severity of one of bio-MQM's errors."""
    said = error if isinstance(error, dict) else {}
    parts = [
        said.get(name) for name in ("error_category", "error_subcategory")
    ]
    severity = _SEVERITY.get(_key(str(said.get("severity"))))
    if severity not in ERRORS or not parts[0]:
        expected = "an error_category, and a severity of " + ", ".join(ERRORS)
        value = str(error)[:80]
        raise DataError(
            "not an error",
            column="target_errors",
            value=value,
            expected=expected,
        )
    return "/".join(
        str(part).replace("_", " ") for part in parts if part
    ), severity


def _table(file: Path, excluded: Counter[str]) -> tuple[Table, dict[str, str]]:
    """The columns we read, and their names in the file: ours -> theirs."""
    header = [name.strip() for name in text.first_line(file).split("\t")]
    names = _columns(header, file)
    most = max(map(header.index, names.values())) + 1
    table = tables.read(
        file, sign="\t", only=tuple(names.values()), first=most
    )
    if table.frame.empty:
        raise DataError("no judgments", file=file, expected="at least one row")
    excluded["identical rows (kept)"] += _identical(file)
    excluded["blank lines"] += int(table.lines[-1]) - 1 - len(table.lines)
    rated = [table.frame[names[name]].astype(str) != "" for name in RATED]
    keep = np.flatnonzero(np.logical_or.reduce(rated))
    excluded["lines with metadata only"] += len(table.frame) - len(keep)
    excluded.update(table.trimmed(list(names.values()), keep))
    table = table.take(keep)
    return replace(table, frame=table.frame.astype(object)), names


def _identical(file: Path) -> int:
    """How many lines of a file repeat an earlier one in all cells."""
    lines = [line.strip() for line in text.content(file).split(b"\n")]
    return int(
        pd.Series([line for line in lines if line], dtype=object)
        .duplicated()
        .sum()
    )


def _one_spelling(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """`frame` with severities and categories in our spelling; controls may have any category."""
    severity = frame["severity"].map(_key)
    category = frame["category"].map(_category)
    ours = frame.assign(severity=severity.map(_SEVERITY), category=category)
    ours.loc[category.isin(("Found", "Missed")), "severity"] = CONTROL
    unknown = np.flatnonzero(ours["severity"].isna())
    if len(unknown):
        expected = "one of " + ", ".join(SEVERITIES)
        raise table.error("unknown severity", unknown[0], "severity", expected)
    return ours


def _without_controls(
    frame: pd.DataFrame, written: pd.DataFrame, excluded: Counter[str]
) -> pd.DataFrame:
    """`frame` without control rows; a segment with control rows only becomes ``No-error``."""
    control = frame["severity"] == CONTROL
    for category, n in (
        written.loc[control, "category"].str.lower().value_counts().items()
    ):
        excluded[f"control rows ({CONTROL}), {category}"] += n
    rows = frame[~control]
    place = list(COLUMNS[1:6])
    rated = set(rows[place].itertuples(index=False, name=None))
    seen = set(frame.loc[control, place].itertuples(index=False, name=None))
    bare = [(*where, "No-error", "No-error") for where in sorted(seen - rated)]
    if bare and len(rows):
        excluded[
            "(kept as rated without error: segments with control rows only)"
        ] = len(bare)
        rows = pd.concat([rows, pd.DataFrame(bare, columns=list(COLUMNS[1:]))])
    return rows.reset_index(drop=True)


def _read(source: Source, pair: str) -> pd.DataFrame:
    files = [
        file for file in source.files if pair_of(file, source.settings) == pair
    ]
    if len(files) > 1:
        problem = "two files for one language pair"
        expected = "one MQM file per pair in a folder"
        raise DataError(problem, file=files, expected=expected)
    return read_mqm(files[0], pair)


READERS = {
    "mqm": Reader(
        pairs=lambda source: sorted(
            {pair_of(file, source.settings) for file in source.files}
        ),
        read=_read,
        pair_of=pair_of,
    ),
    "bio-mqm": Reader(
        pairs=lambda source: sorted(
            {rated_pair(f, source.settings) for f in source.files}
        ),
        read=lambda source, pair: read_ratings(source.files, pair),
        pair_of=rated_pair,
    ),
}
