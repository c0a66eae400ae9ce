"""Names of systems, segments and annotators: cleaned, joined, compared and refused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from ..judgments import Judgments
from .cells import refuse_half_characters
from .columns import is_number, nested_value, spelled
from .notes import MAX_LISTED, MIN_ON_SCALE, NOBODY, Notes, add_notes

MISSING = ("", "na", "n/a", "nan", "none", "null", "-")
NO_NAMES = ("nan", "n/a", "#n/a", "#ref!", "null", "none")  # of systems and segments
TOTALS = ("average", "mean", "total", "overall", "sum", "all", "avg", "median", "max", "min")
MODEL = re.compile(
    r"(?i)(?:^|[^a-z])(?:chatgpt|(?:gpt|claude|gemini|llama|qwen|mistral|deepseek)[-_ ]?[rv]?[1-9]"
    r"|claude[-_ ](?:opus|sonnet|haiku)|gemini[-_ ](?:pro|flash|ultra)|mixtral|gemba|weighted_gpt)"
)
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
BLANKS = re.compile(r"\s+")
UNUSUAL = re.compile(rf"(?m)^\s|[^\S\n]$|[^\S\n ]|  |{INVISIBLE.pattern}")  # in names
ROUNDED = re.compile(r"\d(\.\d+)?[eE]\+?\d\d+")
NAMED = ("system", "left", "right", "segment", "question", "annotator", "document", "domain", "hit")
MAX_NAMED_FIRST = 0.75  # of the rows, where only the first row of each group is named
MAX_LABELS = 3  # rows of labels


def plain_name(name: str) -> str:
    """Return a name without case, blanks, leading zeros and punctuation, for comparing."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = re.sub(r"[\W_]+", "", text) or text
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def clean_names(table: pd.DataFrame, roles: Sequence[str], notes: Notes) -> pd.DataFrame:
    """Return the table with blanks around names and invisible characters removed and counted."""
    for role in (role for role in roles if role in table):
        codes, found = pd.factorize(table[role].astype(str))
        names = np.asarray(found, dtype=object).tolist()
        together = "\n".join(names)
        refuse_half_characters(names, role)
        if not UNUSUAL.search(together) and together.count("\n") == len(names) - 1:
            continue
        for code, pattern, instead in (
            ("blanks_around_names", BLANKS, " "),
            ("invisible_characters", INVISIBLE, ""),
        ):
            changed = [pattern.sub(instead, name).strip() for name in names]
            marks = np.array([a != b for a, b in zip(names, changed, strict=True)], bool)
            notes.keep(code, int(marks[codes].sum()))
            names = changed
        table[role] = np.array(names, dtype=object)[codes]
    return table


def read_names(
    table: pd.DataFrame,
    roles: Sequence[str],
    codes: Mapping[str, str],
    given: Mapping[str, Any],
    notes: Notes,
    found: Mapping[str, str],
) -> pd.DataFrame:
    """Return the table with clean names, joined as the codes say; refuse lists and rounded ids."""
    for role in roles:
        if role in table and (nested := nested_value(table[role])):
            raise DataError("list_as_name", column=found[role], value=nested)
    table = clean_names(table, roles, notes)
    refuse_rounded(table, roles, given, found)
    return clean_names(apply_name_codes(table, roles, codes), roles, notes)


def declared_facts(table: pd.DataFrame, given: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return what the words and the name of the source say about judgments of any kind."""
    annotators = [str(n) for n in table["annotator"].unique() if n] if "annotator" in table else []
    return {
        "campaign": visible(given.get("title", re.sub(r"\.\w+(\.gz)?$", "", source))),
        "source": source,
        "humans": tuple(given.get("humans", ())),
        "controls": tuple(given.get("controls", ())),
        "judge_models": find_models(annotators, given),
        "declared": dict(given),
    }


def visible(text: str) -> str:
    """Return a name or title without invisible characters, and with single blanks."""
    return INVISIBLE.sub("", BLANKS.sub(" ", text)).strip()


def clean_judgments(judgments: Judgments) -> Judgments:
    """Return judgments of a format whose names have no invisible characters; count those removed."""
    frames: dict[str, pd.DataFrame | None] = {
        "table": judgments.table, "all_rows": judgments.all_rows, "errors": judgments.errors
    }  # fmt: skip
    marked = np.zeros(len(judgments.table), bool)
    cleaned: dict[str, Any] = {}
    for part, frame in frames.items():
        if frame is None:
            continue
        for role in (role for role in NAMED if role in frame):
            names = frame[role].astype("category")
            changed = {name: visible(str(name)) for name in names.cat.categories}
            wrong = [name for name, clean in changed.items() if INVISIBLE.search(str(name))]
            if not wrong:
                continue
            marked |= frame[role].isin(wrong).to_numpy() if part == "table" else False
            named = frame[role].astype(object).replace({name: changed[name] for name in wrong})
            frame = frame.assign(**{role: named.astype("category")})
            cleaned[part] = frame
    notes = Notes(judgments.source or "judgments")
    notes.keep("invisible_characters", int(marked.sum()))
    return add_notes(replace(judgments, **cleaned) if cleaned else judgments, notes)


def refuse_rounded(
    table: pd.DataFrame,
    roles: Sequence[str],
    given: Mapping[str, Any],
    found: Mapping[str, str],
) -> None:
    """Refuse names such as ``1.2e+18``: ids that a program stored as rounded numbers."""
    if given.get("names") == "exact":
        return
    for role in (role for role in roles if role in table):
        names = table[role].astype(str).unique()
        rounded = [name for name in names if ROUNDED.fullmatch(name)]
        if rounded:
            row = int((table[role] == rounded[0]).to_numpy().argmax())
            raise DataError("rounded_ids", row=row, column=found.get(role, role), value=rounded[0])


def apply_name_codes(
    table: pd.DataFrame, roles: Sequence[str], codes: Mapping[str, str]
) -> pd.DataFrame:
    """Return the table with names replaced as ``codes`` says, so that two spellings are joined.

    Codes from a number to a number are about scores.
    """
    names = {old: new for old, new in codes.items() if not (is_number(old) and is_number(new))}
    for role in roles:
        if role in table and names:
            known = table[role].isin(list(names))
            if known.any():
                table[role] = table[role].replace(names)
    return table


def refuse_empty(table: pd.DataFrame, roles: Sequence[str], found: Mapping[str, str]) -> None:
    """Refuse empty names; if a column names the first row of each group only, it can be filled."""
    for role in roles:
        if role not in table or not (table[role] == "").any():
            continue
        empty = table.index[table[role] == ""]
        grouped = [name for name in NAMED if name in table and names_first_row_only(table[name])]
        filled = [name for name in NAMED if name in {*grouped, role}]
        fill = {"fill_down": [found.get(name, name) for name in filled]}
        drop = {"where": {f"{found[role]}!": ""}}
        raise DataError(
            "empty_name", row=int(empty[0]), column=found[role], rows=len(empty),
            propose=[fill] if grouped else [drop],
        )  # fmt: skip


def names_first_row_only(names: pd.Series) -> bool:
    """Return whether a column names the first row of each group only, as merged cells do."""
    named = names != ""
    return bool(named.iloc[0] and 1 < named.sum() < MAX_NAMED_FIRST * len(names))


def refuse_alike(table: pd.DataFrame, roles: Sequence[str], given: Mapping[str, Any]) -> None:
    """Refuse names of one role that differ only by case, blanks, leading zeros or punctuation."""
    if given.get("names") == "exact":
        return
    for role in roles:
        if role not in table:
            continue
        counts = table[role].astype(str).value_counts()
        groups: dict[str, list[str]] = {}
        for name in counts.index:
            if name not in ("", "nan"):
                groups.setdefault(plain_name(name), []).append(name)
        alike = [names for names in groups.values() if len(names) > 1]
        if alike:
            raise alike_error(role, alike)


def alike_error(role: str, alike: Sequence[Sequence[str]]) -> DataError:
    """Return the error for names that look alike: join them, or keep them apart."""
    shown = "; ".join(" and ".join(names) for names in alike[:MAX_LISTED])
    more = f"; and {len(alike) - MAX_LISTED} more" if len(alike) > MAX_LISTED else ""
    joined = {other: names[0] for names in alike for other in names[1:]}
    numbers = any(is_number(old) and is_number(new) for old, new in joined.items())
    return DataError(
        "names_alike", column=role, value=shown + more,
        expected="one spelling of each name, or --names exact",
        alternatives=[*([] if numbers else [{"codes": joined}]), {"names": "exact"}],
    )  # fmt: skip


def refuse_segments_alike(table: pd.DataFrame, given: Mapping[str, Any]) -> None:
    """Refuse segments that differ only in form: by leading zeros, or by case between systems."""
    if given.get("names") == "exact":
        return
    names = pd.Series(table["segment"].unique()).astype(str)
    bare = names.str.replace(r"^0+(?=\d)", "", regex=True).str.replace(r"\.0$", "", regex=True)
    twice = bare[bare.duplicated(keep=False)]
    if twice.empty:
        bare = names.str.casefold().str.replace(r"[\W_]+", "", regex=True)
        bare = bare.where(bare != "", names)
        twice = bare[bare.duplicated(keep=False)]
        if len(twice):
            systems = table.groupby("segment", observed=True)["system"].unique()
            twice = twice[[_share_nothing(systems, names[bare == key]) for key in twice]]
    if len(twice):
        alike = [names[bare == key].tolist() for key in twice.unique()]
        raise alike_error("segment", alike)


def _share_nothing(systems: pd.Series, names: pd.Series) -> bool:
    """Return whether no system has judgments on two of these segments."""
    found = [name for segment in names for name in systems[segment]]
    return len(set(found)) == len(found)


def refuse_totals(
    table: pd.DataFrame,
    roles: Sequence[str],
    given: Mapping[str, Any],
    found: Mapping[str, str] | None = None,
) -> None:
    """Refuse rows that are totals, averages or labels, not judgments.

    Without `found`, no row can be left out by its column.
    """
    if given.get("names") == "exact":
        return
    kept = {*given.get("controls", ()), *given.get("humans", ())}
    columns = found or {}
    for role in roles:
        if role not in table:
            continue
        names = [str(name) for name in table[role].unique()]
        labels = {
            spelled(name) for name in (role, str(columns.get(role, role))) if not is_number(name)
        }
        labels |= {label + "name" for label in labels} | {label + "id" for label in labels}
        listed = [
            name
            for name in names
            if name not in kept
            and (
                name.strip().lower() in TOTALS
                or spelled(name) in labels
                or (role != "annotator" and name.strip().lower() in NO_NAMES)
            )
        ]
        if listed and len(names) > len(listed):
            where = {"where": {f"{columns.get(role, role)}!": listed}}
            proposed: list[dict[str, Any]] = [] if found is None else [where]
            if role == "system":
                proposed.append({"controls": listed})
            raise DataError(
                "rows_that_are_no_judgments", column=str(columns.get(role, role)),
                value=", ".join(listed[:MAX_LISTED]), propose=proposed,
            )  # fmt: skip


def refuse_labels(table: pd.DataFrame, given: Mapping[str, Any], found: Mapping[str, str]) -> None:
    """Refuse a row of which every name occurs in this row only, such as a row of labels."""
    roles = [role for role in ("system", "segment", "annotator") if role in table]
    if given.get("names") == "exact" or len(roles) < 2 or len(table) < MIN_ON_SCALE:
        return
    single = np.ones(len(table), bool)
    for role in roles:
        codes, _ = pd.factorize(table[role])
        single &= np.bincount(codes)[codes] == 1
    if not 0 < single.sum() <= MAX_LABELS or table["system"].value_counts().median() < 2:
        return
    row = int(np.argmax(single))
    raise DataError(
        "rows_that_are_no_judgments", row=row, column=found["system"],
        value=", ".join(str(table[role].iloc[row]) for role in roles),
        expected="names that occur in other rows, too",
        propose=[{"where": {f"{found['system']}!": str(table["system"].iloc[row])}}],
    )  # fmt: skip


def name_segments(table: pd.DataFrame, notes: Notes, segment: str = "segment") -> pd.DataFrame:
    """Name segments (or questions) by their documents if they are numbered within documents.

    They are if half of the documents share names of segments. If fewer do, a segment of two
    documents is refused. Without documents, the same holds for domains.
    """
    outer = next((name for name in ("document", "domain") if name in table), None)
    if outer is None or segment not in table:
        return table
    pairs = table.loc[table[outer] != "", [segment, outer]].drop_duplicates()
    again = pairs[segment].duplicated(keep=False)
    if not again.any():
        return table
    if 2 * pairs.loc[again, outer].nunique() < pairs[outer].nunique():
        second = pairs[pairs[segment].duplicated()].iloc[0]
        raise DataError(
            f"segment_of_two_{outer}s", row=int(second.name), column=outer,
            value=f"{second[outer]} for {segment} {second[segment]}",
        )  # fmt: skip
    joined = table[outer].astype(str) + ":" + table[segment].astype(str)
    notes.keep(f"segments_within_{outer}s", len(table))
    return table.assign(**{segment: table[segment].where(table[outer] == "", joined)})


def name_nobody(table: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Return the table with words for nobody, such as ``unknown``, counted as unnamed."""
    if "annotator" in table:
        nobody = table["annotator"].str.lower().isin(NOBODY)
        notes.keep("no_annotator", int(nobody.sum()))
        if nobody.all():
            return table.drop(columns="annotator")
        table["annotator"] = table["annotator"].where(~nobody, "")
    return table


def check_declared(table: pd.DataFrame, given: Mapping[str, Any], word: str, role: str) -> None:
    """Refuse a declared control, human translation or model that does not occur."""
    if not given.get(word):
        return
    known = {str(name) for name in table[role].unique() if name} if role in table else set()
    for name in given[word]:
        if name not in known:
            nearest = suggest(name, known)
            named = [nearest if each == name else each for each in given[word]]
            raise DataError(
                "unknown_name", column=word, value=name,
                expected=", ".join(sorted(known)[:MAX_LISTED]) or None,
                propose=[{word: list(dict.fromkeys(named))}] if nearest else [],
            )  # fmt: skip


def find_models(annotators: Sequence[str], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the annotators that are models: those declared, or all if all have names of models.

    Refuses models among people that are not declared.
    """
    if "models" in given:
        return tuple(given["models"])
    models = tuple(name for name in annotators if MODEL.search(name))
    if models and len(models) < len(annotators):
        raise DataError(
            "models_among_annotators", value=", ".join(models[:MAX_LISTED]),
            propose=[{"models": list(models)}],
        )  # fmt: skip
    return models


def as_categories(names: pd.Series) -> pd.Series:
    """Return names as a categorical in order of name; empty names are missing."""
    codes, found = pd.factorize(names)
    texts = np.asarray(found, dtype=object)
    order = [k for k in sorted(range(len(texts)), key=texts.__getitem__) if texts[k] != ""]
    places = np.full(len(texts) + 1, -1)
    places[order] = np.arange(len(order))
    categories = pd.Index(texts[order], dtype=object)
    return pd.Series(pd.Categorical.from_codes(places[codes], categories), names.index)
