"""Checks of declared tables, and the judgments that they become."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from ..judgments import EXCLUDED, Judgments
from .propose import has_numbers, propose_codes, propose_roles, question_columns, word_scale
from .shape import TRUTH, is_number, list_columns, nested_value, spelled

MISSING = ("", "na", "n/a", "nan", "none", "null", "-")
NOBODY = ("unknown", "anonymous", "anon", "-", "?", "", "na", "n/a", "nan", "none", "null")
TOTALS = ("average", "mean", "total", "overall", "sum", "all", "avg", "median", "max", "min")
LOWER = re.compile(
    r"(?i)(^|[^a-z])(rank|ranking|position|wer|cer|ter|per|mer|error|errors|err|penalty|penalties|loss|edits?"
    r"|edit.?distance|perplexity|ppl|rmse|mae|mse|latency|hter|mistakes?|nll|log.?loss|fid|cost)s?"
    r"([^a-z]|$)|1 ?= ?best|lower.is.better"
)
MODEL = re.compile(
    r"(?i)(?:^|[^a-z])(?:chatgpt|(?:gpt|claude|gemini|llama|qwen|mistral|deepseek)[-_ ]?[rv]?[1-9]"
    r"|claude[-_ ](?:opus|sonnet|haiku)|gemini[-_ ](?:pro|flash|ultra)|mixtral|gemba|weighted_gpt)"
)
WINNERS = {
    "left": "left", "model_a": "left", "right": "right", "model_b": "right", "tie": "tie",
    "tie (bothbad)": "tie", "bothbad": "tie", "both_bad": "tie", "both bad": "tie", "draw": "tie",
}  # fmt: skip
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
BLANKS = re.compile(r"\s+")
UNUSUAL = re.compile(rf"(?m)^\s|[^\S\n]$|[^\S\n ]|  |{INVISIBLE.pattern}")  # in names
MIN_ON_SCALE = 10  # scores from which a scale is told
MIN_SCALE_RATIO = 4.0  # between the largest scores of two scales
MAX_RANKINGS = 200  # of ``each``
STRAYS = (-1.0, -9.0, -99.0, -999.0, 99.0, 999.0, 9999.0)  # usual codes for no score
MAX_LABELS = 3  # rows of labels
MAX_LISTED = 6  # names that an error lists
BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad", "both bad")
FLAGS = ("is_tie", "tie", "ties", "draw", "is_draw")


@dataclass
class Notes:
    """Rows that were left out, and rows that were kept but are doubtful, by code."""

    file: str
    out: list[tuple[str, str, int, str]] = field(default_factory=list)
    kept: list[tuple[str, str, int, str]] = field(default_factory=list)

    def leave_out(self, code: str, rows: int, detail: str = "") -> None:
        """Count rows that were left out."""
        if rows:
            self.out.append((self.file, code, int(rows), detail))

    def keep(self, code: str, rows: int, detail: str = "") -> None:
        """Count rows that were kept."""
        if rows:
            self.kept.append((self.file, code, int(rows), detail))

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables ``excluded`` and ``notes``."""
        return {
            "excluded": pd.DataFrame(self.out, columns=EXCLUDED),
            "notes": pd.DataFrame(self.kept, columns=EXCLUDED),
        }


def missing_roles(
    frame: pd.DataFrame,
    roles: Mapping[str, str],
    missing: Sequence[str],
    votes: bool,
    file: str | None,
) -> DataError:
    """Return the error for roles that are neither declared nor found, with proposed words."""
    names = ", ".join(missing)
    columns = list_columns(frame)
    nothing = not votes and "score" in missing and not has_numbers(frame)
    if nothing or not {spelled(str(name)) for name in frame.columns} - {"id"}:
        return DataError("no_ratings", file=file, missing=names, columns=columns)
    proposed = propose_roles(frame, roles, missing, votes)
    return DataError("missing_role", file=file, propose=proposed, missing=names, columns=columns)


def refuse_flag_of_ties(frame: pd.DataFrame, file: str | None) -> None:
    """Refuse a column that marks ties and is not declared."""
    for name in frame.columns:
        if spelled(str(name)) in [spelled(flag) for flag in FLAGS]:
            truth = frame[name].astype(str).str.strip().str.lower().map(TRUTH)
            if truth.notna().all() and truth.any():
                raise DataError(
                    "flag_of_ties", file=file, column=str(name), value=int(truth.sum()),
                    propose=[{"tie": str(name)}],
                )  # fmt: skip


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
        _refuse_half_characters(names, together, role, notes.file)
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


def _refuse_half_characters(names: Sequence[str], together: str, role: str, file: str) -> None:
    """Refuse a name with half of a character (a lone surrogate), which no file can hold."""
    try:
        together.encode()
    except UnicodeEncodeError:
        wrong = next(name for name in names if re.search("[\ud800-\udfff]", name))
        raise DataError("unusable_name", file=file or None, column=role, value=wrong) from None


def refuse_alike(
    table: pd.DataFrame, roles: Sequence[str], given: Mapping[str, Any], file: str | None
) -> None:
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
            raise _alike_error(role, alike, file)


def _alike_error(role: str, alike: Sequence[Sequence[str]], file: str | None) -> DataError:
    """Return the error for names that look alike: join them, or keep them apart."""
    shown = "; ".join(" and ".join(names) for names in alike[:MAX_LISTED])
    more = f"; and {len(alike) - MAX_LISTED} more" if len(alike) > MAX_LISTED else ""
    joined = {other: names[0] for names in alike for other in names[1:]}
    return DataError(
        "names_alike", file=file, column=role, value=shown + more,
        expected="one spelling of each name, or --names exact",
        alternatives=[{"codes": joined}, {"names": "exact"}],
    )  # fmt: skip


def refuse_totals(
    table: pd.DataFrame,
    roles: Sequence[str],
    given: Mapping[str, Any],
    file: str | None,
    found: Mapping[str, str] | None = None,
) -> None:
    """Refuse rows that are totals, averages or labels, not judgments."""
    kept = {*given.get("controls", ()), *given.get("humans", ())}
    columns = found or {}
    for role in roles:
        if role not in table:
            continue
        names = [str(name) for name in table[role].unique()]
        labels = {spelled(role), spelled(str(columns.get(role, role)))}
        labels |= {label + "name" for label in labels} | {label + "id" for label in labels}
        listed = [
            name
            for name in names
            if (name.strip().lower() in TOTALS or spelled(name) in labels) and name not in kept
        ]
        if listed and len(names) > len(listed):
            proposed: list[dict[str, Any]] = [{"where": {f"{columns.get(role, role)}!": listed}}]
            if role == "system":
                proposed.append({"controls": listed})
            raise DataError(
                "rows_that_are_no_judgments", file=file, column=str(columns.get(role, role)),
                value=", ".join(listed[:MAX_LISTED]), propose=proposed,
            )  # fmt: skip


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


def read_scores(
    cells: pd.Series, codes: Mapping[str, str], name: str, file: str | None, first_line: int | None
) -> pd.Series:
    """Return scores as numbers; NaN where a cell says that there is none.

    Raises DataError with the row for a cell that is no number.
    """
    text = cells.astype(str).str.strip()
    words = {key: value for key, value in codes.items() if is_number(value)}
    if words:
        text = text.replace(words)
    codes_of, names = pd.factorize(text)
    numbers = np.array(pd.to_numeric(pd.Series(names), errors="coerce"), float)
    lowered = [str(value).lower() for value in names]
    for k, value in enumerate(lowered):
        if value in ("true", "false"):
            numbers[k] = float(value == "true")
        if value.endswith("%") and is_number(value[:-1]):
            numbers[k] = float(value[:-1])
    wrong = np.array([value not in MISSING for value in lowered], bool) & ~np.isfinite(numbers)
    if wrong.any():
        row = int(np.flatnonzero(wrong[codes_of])[0])
        bad = [str(value) for value in np.array(names, dtype=object)[wrong]]
        scale = word_scale(bad)
        proposed: list[dict[str, Any]] = [{"codes": scale}] if scale else []
        if len(bad) <= MAX_LISTED and np.isfinite(numbers).sum() > len(bad):
            proposed.append({"where": {f"{name}!": bad}})
        line = None if first_line is None else first_line + row
        raise DataError(
            "not_a_number", file=file, line=line, row=None if line else row, column=name,
            value=", ".join(bad[:MAX_LISTED]), expected="a number, or --codes 'WORD=NUMBER'",
            propose=proposed,
        )  # fmt: skip
    return pd.Series(np.where(codes_of >= 0, numbers[codes_of], np.nan), index=cells.index)


def refuse_labels(
    table: pd.DataFrame, given: Mapping[str, Any], found: Mapping[str, str], file: str | None
) -> None:
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
        "rows_that_are_no_judgments", file=file, row=row, column=found["system"],
        value=", ".join(str(table[role].iloc[row]) for role in roles),
        expected="names that occur in other rows, too",
        propose=[{"where": {f"{found['system']}!": str(table["system"].iloc[row])}}],
    )  # fmt: skip


def refuse_strays(
    scores: pd.Series, given: Mapping[str, Any], column: str, file: str | None
) -> None:
    """Refuse a value such as -1 or 999 that lies far from all other scores."""
    if "scale" in given:
        return
    known = scores[scores.notna()]
    values, counts = np.unique(known.to_numpy(float), return_counts=True)
    for value in STRAYS:
        at = np.flatnonzero(values == value)
        if not len(at) or at[0] not in (0, len(values) - 1) or len(values) < 3:
            continue
        rest = np.delete(values, at[0])
        span = rest[-1] - rest[0]
        gap = rest[0] - value if value < rest[0] else value - rest[-1]
        whole = bool((rest == np.rint(rest)).all())
        far = gap > span or (value == -1 and rest[0] >= 0 and whole)
        if far and counts[at[0]] <= len(known) / 5:
            keep = (float(values[0]), float(values[-1]))
            raise DataError(
                "stray_scores", file=file, row=int((scores == value).to_numpy().argmax()),
                column=column, value=f"{value:g} ({counts[at[0]]} times)",
                expected=f"{rest[0]:g} to {rest[-1]:g}, as all other scores",
                alternatives=[{"where": {f"{column}!": f"{value:g}"}}, {"scale": keep}],
            )  # fmt: skip


def name_segments(
    table: pd.DataFrame, notes: Notes, file: str | None, segment: str = "segment"
) -> pd.DataFrame:
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
            f"segment_of_two_{outer}s", file=file, row=int(second.name), column=outer,
            value=f"{second[outer]} for {segment} {second[segment]}",
        )  # fmt: skip
    joined = table[outer].astype(str) + ":" + table[segment].astype(str)
    notes.keep(f"segments_within_{outer}s", len(table))
    return table.assign(**{segment: table[segment].where(table[outer] == "", joined)})


def build_ratings(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    given: dict[str, Any],
    notes: Notes,
    source: str,
    file: str | None,
    found: Mapping[str, str],
) -> Any:
    """Return ratings from one row per judgment; by pair or by ``each`` if there are several."""
    names = ("system", "segment", "annotator", "document", "domain", "criterion", "hit", "pair")
    codes = given.get("codes", {})
    first_line = table.attrs.get("first_line")
    for role in names:
        if role in table and (nested := nested_value(table[role])):
            raise DataError("list_as_name", file=file, column=found[role], value=nested)
    table = clean_names(table, names, notes)
    table = apply_name_codes(table, names, codes)
    table["score"] = read_scores(table["score"], codes, found["score"], file, first_line)
    for role in ("system", "segment"):
        empty = table.index[table[role] == ""]
        if len(empty):
            raise DataError(
                "empty_name", file=file, row=int(empty[0]), column=found[role], rows=len(empty),
                propose=[{"where": {f"{found[role]}!": ""}}],
            )  # fmt: skip
    refuse_totals(table, ("system", "annotator", "segment"), given, file, found)
    refuse_alike(table, ("system", "annotator", "document", "domain", "criterion"), given, file)
    _check_segments(table, given, file)
    refuse_labels(table, given, found, file)
    refuse_strays(table["score"], given, found["score"], file)
    table = name_segments(table, notes, file)
    for name in _names_of_score(found["score"], given):
        _check_direction(name, given, file)
    _refuse_ranks_in_columns(table, given, file)
    table = _name_nobody(table, notes)
    scored = table["score"].notna()
    notes.leave_out("no_score", int((~scored).sum()))
    if not scored.any():
        raise DataError("no_judgments", file=file)
    table, unused = table[scored].reset_index(drop=True), unused[scored].reset_index(drop=True)
    _refuse_undeclared(table, unused, given, file)
    _list_unused(unused, notes)
    for word, role in (("controls", "system"), ("humans", "system"), ("models", "annotator")):
        _check_declared(table, given, word, role, file)
    split = _split_by(table, unused, given, notes, file)
    if split is not None:
        return {
            name: _ratings(
                table[rows].reset_index(drop=True),
                given,
                notes,
                source,
                file,
                name if key == "pair" else "",
                name,
            )
            for key, name, rows in split
        }
    return _ratings(table, given, notes, source, file)


def _ratings(
    table: pd.DataFrame,
    given: Mapping[str, Any],
    notes: Notes,
    source: str,
    file: str | None,
    pair: str = "",
    task: str = "",
) -> Judgments:
    """Return the judgments of one ranking."""
    notes = replace(notes, out=list(notes.out), kept=list(notes.kept))
    low, high = float(table["score"].min()), float(table["score"].max())
    scale = given.get("scale")
    if scale is not None and (low < scale[0] or high > scale[1]):
        row = int(table.index[(table["score"] < scale[0]) | (table["score"] > scale[1])][0])
        value = float(table["score"].iloc[row])
        raise DataError(
            "score_outside_scale",
            file=file,
            row=row,
            value=value,
            expected=f"{scale[0]:g} to {scale[1]:g}",
        )
    if scale is None:
        notes.keep("scale_from_data", len(table), f"{low:g} to {high:g}")
        scale = (low, high) if low < high else None
    _note_other_scales(table, notes)
    _note_repeats(table, notes)
    if pair == "" and "pair" in table and table["pair"].nunique() == 1:
        pair = str(table["pair"].iloc[0])
    table = table.drop(columns=[name for name in ("pair",) if name in table])
    units = {"annotator", "document", "hit"} & set(table.columns)
    units = {name for name in units if (table[name] != "").any()}
    if "item_type" in table:
        table["item_type"] = table["item_type"].replace(
            {"": "SYSTEM", "TGT": "SYSTEM", "BAD": "BAD_REF"}
        )
    columns = {}
    for name in table.columns:
        if name in ("score", "time"):
            columns[name] = pd.to_numeric(table[name], errors="coerce").astype(float)
        else:
            columns[name] = _as_categories(table[name])
    lower = bool(given.get("lower_is_better"))
    annotators = table["annotator"].unique() if "annotator" in table else []
    models = tuple(given.get("models", ()))
    if not models and len(annotators):
        models = tuple(str(name) for name in annotators if MODEL.search(str(name)))
        if models and len(models) < sum(1 for name in annotators if name):
            raise _mixed_error(models, file)
    controls = tuple(given.get("controls", ()))
    made = Judgments(
        table=pd.DataFrame(columns),
        kind="ratings" if units else "leaderboard",
        pair=pair,
        task="" if task == pair else task,
        campaign=given.get("title", re.sub(r"\.\w+(\.gz)?$", "", source)),
        source=source,
        year=int(given.get("year", 0)),
        scale=scale,
        lower_is_better=lower,
        humans=tuple(given.get("humans", ())),
        controls=controls,
        judge_models=models,
        declared={key: value for key, value in given.items() if not key.startswith("_")},
        **notes.frames(),
    )
    if len(made.systems) < 2:
        raise DataError("too_few_systems", file=file, value=", ".join(made.systems) or None)
    return made


def _as_categories(names: pd.Series) -> pd.Series:
    """Return names as a categorical in order of name; empty names are missing."""
    codes, found = pd.factorize(names)
    texts = np.asarray(found, dtype=object)
    order = [k for k in sorted(range(len(texts)), key=texts.__getitem__) if texts[k] != ""]
    places = np.full(len(texts) + 1, -1)
    places[order] = np.arange(len(order))
    categories = pd.Index(texts[order], dtype=object)
    return pd.Series(pd.Categorical.from_codes(places[codes], categories), names.index)


def _mixed_error(models: Sequence[str], file: str | None) -> DataError:
    """Return the error for models among the annotators: declare them."""
    return DataError(
        "models_among_annotators", file=file, value=", ".join(models[:MAX_LISTED]),
        propose=[{"models": list(models)}],
    )  # fmt: skip


def _names_of_score(column: str, given: Mapping[str, Any]) -> list[str]:
    """Return the names that could say what the score is: of its column, pattern, or all columns."""
    columns = [str(name) for name in (*given.get("wide", ()), *given.get("criteria", ()))]
    of_all = columns[:1] if columns and all(map(_is_lower_better, columns)) else []
    return [column, str(given.get("score", "")), *of_all]


def _is_lower_better(name: str) -> bool:
    """Return whether a name suggests that lower scores are better."""
    return bool(LOWER.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)))


def _check_direction(column: str, given: Mapping[str, Any], file: str | None) -> None:
    """Ask for the direction where the name of the score suggests that lower is better."""
    if _is_lower_better(column) and not ({"lower_is_better", "higher_is_better"} & set(given)):
        raise DataError(
            "direction",
            file=file,
            column=column,
            alternatives=[{"lower_is_better": True}, {"higher_is_better": True}],
        )


def _refuse_ranks_in_columns(
    table: pd.DataFrame, given: Mapping[str, Any], file: str | None
) -> None:
    """Ask for the direction where the columns of systems hold the ranks 1 to n in every row."""
    n = len(given.get("wide", ()))
    known = {"lower_is_better", "higher_is_better"} & set(given)
    if n < 3 or known or len(table) % n:
        return
    rows = np.sort(table["score"].to_numpy(float).reshape(n, -1), axis=0)
    if (rows == np.arange(1, n + 1)[:, None]).all():
        raise DataError(
            "ranks_in_columns", file=file, value=f"1 to {n}",
            alternatives=[{"lower_is_better": True}, {"higher_is_better": True}],
        )  # fmt: skip


def _check_segments(table: pd.DataFrame, given: Mapping[str, Any], file: str | None) -> None:
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
        raise _alike_error("segment", alike, file)


def _share_nothing(systems: pd.Series, names: pd.Series) -> bool:
    """Return whether no system has judgments on two of these segments."""
    found = [name for segment in names for name in systems[segment]]
    return len(set(found)) == len(found)


def _name_nobody(table: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Return the table with words for nobody, such as ``unknown``, counted as unnamed."""
    if "annotator" in table:
        nobody = table["annotator"].str.lower().isin(NOBODY)
        notes.keep("no_annotator", int(nobody.sum()))
        if nobody.all():
            return table.drop(columns="annotator")
        table["annotator"] = table["annotator"].where(~nobody, "")
    return table


def _refuse_undeclared(
    table: pd.DataFrame, unused: pd.DataFrame, given: Mapping[str, Any], file: str | None
) -> None:
    """Refuse a table whose equal outputs differ in an undeclared column, such as a criterion."""
    keys = [
        name
        for name in ("system", "segment", "annotator", "document", "criterion", "pair")
        if name in table
    ]
    by_criterion = "each" in given and given["each"] in ("criterion", given.get("criterion"))
    if "criterion" in table and table["criterion"].nunique() > 1 and not by_criterion:
        known = [str(name) for name in table["criterion"].unique()]
        raise DataError(
            "several_criteria", file=file, value=", ".join(known[:6]),
            propose=[{"each": "criterion"}],
        )  # fmt: skip
    repeated = table.duplicated(keys, keep=False)
    if not repeated.any():
        return
    groups = table[repeated].groupby(keys, observed=True, sort=False).ngroup()
    for name in unused.columns:
        if str(name) == given.get("each"):
            return
        values = unused.loc[repeated, name].map(str)
        number = values.nunique()
        if not 1 < number <= 30 or number >= len(values) / 3:
            continue
        if 2 * values.value_counts().median() < groups.nunique():
            continue  # the values are those of a few rows each, such as ids and times
        if values.groupby(groups).nunique().eq(values.groupby(groups).size()).mean() > 0.9:
            shown = ", ".join(values.unique()[:5])
            raise DataError(
                "undeclared_column", file=file, column=str(name), value=shown,
                propose=[{"criterion": str(name), "each": "criterion"}],
            )  # fmt: skip


def _list_unused(unused: pd.DataFrame, notes: Notes) -> None:
    """List the columns that are not used, with their values."""
    for name in unused.columns:
        values = unused[name].head(1000).map(str)
        known = list(dict.fromkeys(value for value in values if value))[:3]
        notes.keep(
            "unused_column", len(unused), f"{name}: {', '.join(value[:20] for value in known)}"
        )


def _check_declared(
    table: pd.DataFrame, given: Mapping[str, Any], word: str, role: str, file: str | None
) -> None:
    """Refuse a declared control, human translation or model that does not occur."""
    if not given.get(word):
        return
    known = {str(name) for name in table[role].unique() if name} if role in table else set()
    for name in given[word]:
        if name not in known:
            nearest = suggest(name, known)
            named = [nearest if each == name else each for each in given[word]]
            raise DataError(
                "unknown_name", file=file, column=word, value=name,
                expected=", ".join(sorted(known)[:MAX_LISTED]) or None,
                propose=[{word: list(dict.fromkeys(named))}] if nearest else [],
            )  # fmt: skip


def _split_by(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    given: Mapping[str, Any],
    notes: Notes,
    file: str | None,
) -> list[tuple[str, str, pd.Series]] | None:
    """Return the rows of each value of ``each``, or of each language pair; None if there is one."""
    each = given.get("each")
    if each is None:
        if "pair" in table and table["pair"].nunique() > 1:
            return [
                ("pair", str(name), table["pair"] == name)
                for name in sorted(table["pair"].unique())
            ]
        return None
    alike = {spelled(str(name)): name for name in (*unused.columns, *table.columns)}
    if spelled(each) not in alike:
        raise DataError(
            "no_such_column",
            file=file,
            column="each",
            value=each,
            expected=list_columns(pd.concat([table, unused], axis=1)),
        )
    name = alike[spelled(each)]
    values = (table[name] if name in table else unused[name]).map(str)
    named = values[values != ""]
    if named.empty or named.nunique() > MAX_RANKINGS:
        raise DataError("too_many_rankings", file=file, column="each", value=int(named.nunique()))
    notes.leave_out("no_value_of_each", int((values == "").sum()), str(name))
    return [(str(name), value, values == value) for value in named.unique()]


def _note_other_scales(table: pd.DataFrame, notes: Notes) -> None:
    """Note a system, annotator or document whose scores lie on another scale than all others."""
    for role in ("system", "annotator", "document"):
        if role not in table or table[role].nunique() < 3:
            continue
        ranges = table.groupby(role, observed=True)["score"].agg(["min", "max", "size"])
        ranges = ranges[(ranges["size"] >= MIN_ON_SCALE) & (ranges["max"] > ranges["min"])]
        ends = np.sort(ranges[["min", "max"]].abs().max(axis=1).to_numpy())
        if len(ends) < 3 or not ends[0] > 0:
            continue
        steps = ends[1:] / ends[:-1]
        gap = int(steps.argmax())
        if steps[gap] < MIN_SCALE_RATIO:
            continue
        reach = ranges[["min", "max"]].abs().max(axis=1)
        small, large = ranges[reach <= ends[gap]], ranges[reach > ends[gap]]
        odd, usual = (small, large) if len(small) <= len(large) else (large, small)
        if len(odd) > len(ranges) / 3:
            continue
        low, high = usual["min"].min(), usual["max"].max()
        for name, row in odd.head(MAX_LISTED).iterrows():
            detail = f"{role} {name}: {row['min']:g} to {row['max']:g}, others: {low:g} to {high:g}"
            notes.keep("other_scale", int(row["size"]), detail)


def _note_repeats(table: pd.DataFrame, notes: Notes) -> None:
    """Note rows that are identical, and second scores of an output by the same annotator."""
    notes.keep("identical_rows", int(table.duplicated().sum()))
    if "annotator" in table:
        keys = [
            n for n in ("system", "segment", "annotator", "document", "item_type") if n in table
        ]
        second = table.duplicated(keys) & ~table.duplicated()
        notes.keep("second_score", int(second.sum()))


def build_votes(
    table: pd.DataFrame,
    unused: pd.DataFrame,
    given: dict[str, Any],
    notes: Notes,
    source: str,
    file: str | None,
    found: Mapping[str, str],
) -> Any:
    """Return votes from one row per comparison; by ``each`` if it is given."""
    names = ("left", "right", "annotator", "question", "domain", "pair")
    codes = dict(given.get("codes", {}))
    sides = {"left", "right", "tie"}
    table = clean_names(table, names, notes)
    table = apply_name_codes(table, names, {k: v for k, v in codes.items() if v not in sides})
    refuse_flag_of_ties(unused, file)
    for role in names:
        if role in table and (nested := nested_value(table[role])):
            raise DataError("list_as_name", file=file, column=found[role], value=nested)
    for role in ("left", "right"):
        empty = table.index[table[role] == ""]
        if len(empty):
            raise DataError(
                "empty_name", file=file, row=int(empty[0]), column=found[role], rows=len(empty),
                propose=[{"where": {f"{found[role]}!": ""}}],
            )  # fmt: skip
    same = table.index[table["left"] == table["right"]]
    if len(same):
        raise DataError(
            "model_against_itself", file=file, row=int(same[0]), value=table["left"].iloc[same[0]]
        )
    both = pd.DataFrame({"system": pd.concat([table["left"], table["right"]])})
    refuse_totals(both, ("system",), given, file)
    refuse_alike(both, ("system",), given, file)
    refuse_alike(table, ("annotator", "domain"), given, file)
    table = name_segments(table, notes, file, "question")
    table = _name_nobody(table, notes)
    _need_question(table, unused, given, file)
    table["winner"], bad = read_winners(table, {k: v for k, v in codes.items() if v in sides}, file)
    if bad.any():
        table["both_bad"] = bad
        notes.keep("both_bad", int(bad.sum()))
    judged = table["winner"] != ""
    notes.leave_out("no_winner", int((~judged).sum()))
    if not judged.any():
        raise DataError("no_judgments", file=file)
    table, unused = table[judged].reset_index(drop=True), unused[judged].reset_index(drop=True)
    if table["winner"].eq("tie").all():
        raise DataError("only_ties", file=file)
    _list_unused(unused, notes)
    if "question" in table:
        notes.keep("identical_rows", int(table.duplicated().sum()))
        notes.keep("both_orders", count_both_orders(table) if given.get("order") is None else 0)
    _check_declared(table, given, "models", "annotator", file)
    for word in ("controls", "humans"):
        _check_declared(both, given, word, "system", file)
    split = _split_by(table, unused, given, notes, file)
    if split is not None:
        return {
            name: _votes(table[rows].reset_index(drop=True), given, notes, source, file, name)
            for _, name, rows in split
        }
    return _votes(table, given, notes, source, file)


def count_both_orders(table: pd.DataFrame) -> int:
    """Return how many games, of an annotator, question and two systems, were shown in both orders."""
    names = pd.factorize(pd.concat([table["left"], table["right"]]))[0].astype(np.int64)
    left, right = names[: len(table)], names[len(table) :]
    systems = int(names.max()) + 1
    game = np.zeros(len(table), np.int64)
    for name in ("annotator", "question"):
        if name in table:
            codes = pd.factorize(table[name])[0].astype(np.int64) + 1
            game = pd.factorize(game * (int(codes.max()) + 1) + codes)[0].astype(np.int64)
    shown = np.sort((game * systems + left) * systems + right)
    swapped = np.sort(((game * systems + right) * systems + left)[left < right])
    swapped = swapped[np.diff(swapped, prepend=-1) > 0]
    places = np.minimum(np.searchsorted(shown, swapped), len(shown) - 1)
    return int((shown[places] == swapped).sum())


def _need_question(
    table: pd.DataFrame, unused: pd.DataFrame, given: Mapping[str, Any], file: str | None
) -> None:
    """Refuse votes of model judges alone that name no question, the only sampling unit they have."""
    if "annotator" not in table or "question" in table:
        return
    annotators = [str(name) for name in table["annotator"].unique() if name]
    models = given.get("models") or [name for name in annotators if MODEL.search(name)]
    if models and set(annotators) <= set(models):
        raise DataError(
            "question_needed", file=file, value=", ".join(list(models)[:MAX_LISTED]),
            expected=list_columns(unused) if len(unused.columns) else "a column of questions",
            propose=[{"question": name} for name in question_columns(unused)],
        )  # fmt: skip


def _votes(
    table: pd.DataFrame,
    given: Mapping[str, Any],
    notes: Notes,
    source: str,
    file: str | None,
    task: str = "",
) -> Judgments:
    """Return the votes of one ranking."""
    annotators = [str(n) for n in table["annotator"].unique() if n] if "annotator" in table else []
    models = tuple(given.get("models", ())) or tuple(n for n in annotators if MODEL.search(n))
    if models and len(models) < len(annotators) and "models" not in given:
        raise _mixed_error(models, file)
    columns = {}
    for name in table.columns:
        if name == "both_bad":
            columns[name] = table[name].astype(bool)
        elif name != "pair":
            columns[name] = _as_categories(table[name])
    order_known = given.get("order") != "unknown"
    return Judgments(
        table=pd.DataFrame(columns),
        kind="votes",
        task=task,
        campaign=given.get("title", re.sub(r"\.\w+(\.gz)?$", "", source)),
        source=source,
        controls=tuple(given.get("controls", ())),
        humans=tuple(given.get("humans", ())),
        judge_models=models,
        order_known=order_known,
        declared=dict(given),
        **notes.frames(),
    )


def read_winners(
    table: pd.DataFrame, codes: Mapping[str, str], file: str | None
) -> tuple[pd.Series, pd.Series]:
    """Return the winner of each comparison (left, right, tie or empty), and whether both were bad.

    Codes that cannot mean anything else, and the names of the two systems, need no declaration.
    Unknown values are refused with their counts.
    """
    text = table["winner"].astype(str).str.strip().astype(object)
    exact = {key: side for key, side in codes.items() if ".." not in key}
    ranges = [(key, side) for key, side in codes.items() if ".." in key]
    unique = list(text.unique())
    meaning: dict[str, str] = {}
    for value in unique:
        if value in exact:
            meaning[value] = exact[value]
        elif _in_ranges(value, ranges):
            meaning[value] = _in_ranges(value, ranges)
        elif not codes and value.lower() in WINNERS:
            meaning[value] = WINNERS[value.lower()]
        elif value.lower() in MISSING and value not in codes:
            meaning[value] = ""
        elif codes and value.lower() in WINNERS and value not in exact:
            meaning[value] = WINNERS[value.lower()]
    winner = text.map(meaning)
    by_name = winner.isna()
    winner = winner.where(~(by_name & (text == table["left"])), "left")
    winner = winner.where(~(by_name & (text == table["right"])), "right")
    unknown = text[winner.isna()]
    if len(unknown):
        counts = unknown.value_counts()
        shown = ", ".join(f"{value} ({count})" for value, count in counts.head(8).items())
        known = {value: side for value, side in meaning.items() if side in ("left", "right", "tie")}
        raise DataError(
            "unknown_winner", file=file, column="winner", value=shown,
            expected="--codes VALUE=left VALUE=right VALUE=tie",
            propose=propose_codes([str(value) for value in counts.index], known),
        )  # fmt: skip
    return winner, text.str.lower().isin(BOTH_BAD)


def _in_ranges(value: str, ranges: Sequence[tuple[str, str]]) -> str:
    """Return the side of the first range that holds a number; empty if none does."""
    if not is_number(value):
        return ""
    for key, side in ranges:
        low, _, high = key.partition("..")
        if is_number(low) and is_number(high) and float(low) <= float(value) <= float(high):
            return side
    return ""


def note_doubts(result: Any, path: str, unused: pd.DataFrame | None = None) -> Any:
    """Return judgments of a format of the field with notes on what a reader may doubt.

    These are other scales, annotators that are named only by a word such as ``unknown``, and
    columns that are not used.
    """
    if not isinstance(result, Judgments):
        return {name: note_doubts(each, path, unused) for name, each in result.items()}
    notes = Notes(path)
    if unused is not None:
        _list_unused(unused, notes)
    table = result.table
    if "annotator" in table and result.all_rows is None:
        names = table["annotator"].astype(str)
        nobody = (
            names.str.lower().isin([name for name in NOBODY if name]) & table["annotator"].notna()
        )
        if nobody.any():
            notes.keep("no_annotator", int(nobody.sum()))
            named = table["annotator"].astype(object).where(~nobody)
            table = table.assign(annotator=named.astype("category"))
            if table["annotator"].isna().all():
                table = table.drop(columns="annotator")
    if "score" in table and result.kind not in ("mqm",):
        _note_other_scales(table, notes)
    if not notes.kept:
        return result
    known = result.notes
    more = notes.frames()["notes"]
    together = more if known.empty else pd.concat([known, more], ignore_index=True)
    return replace(result, table=table, notes=together)
