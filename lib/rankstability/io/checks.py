"""Checks of declared tables, and the judgments that they become."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from ..judgments import EXCLUDED, Judgments
from .declare import command_line
from .shape import TRUTH, list_columns, spelled

MISSING = ("", "na", "n/a", "nan", "none", "null", "-")
NOBODY = ("unknown", "anonymous", "anon", "-", "?", "", "na", "n/a", "nan", "none", "null")
TOTALS = ("average", "mean", "total", "overall", "sum", "all", "avg", "median", "max", "min")
LOWER = re.compile(
    r"(?i)(^|[^a-z])(rank|ranking|position|wer|cer|ter|per|mer|error|errors|err|penalty|penalties|loss|edits?"
    r"|edit.?distance|perplexity|ppl|rmse|mae|mse|latency)s?([^a-z]|$)|1 ?= ?best|lower.is.better"
)
MODEL = re.compile(
    r"(?i)(?:^|[^a-z])(?:chatgpt|(?:gpt|claude|gemini|llama|qwen|mistral|deepseek)[-_ ]?[rv]?[1-9]"
    r"|claude[-_ ](?:opus|sonnet|haiku)|gemini[-_ ](?:pro|flash|ultra)|mixtral|gemba|weighted_gpt)"
)
WINNERS = {
    "left": "left", "model_a": "left", "right": "right", "model_b": "right", "tie": "tie",
    "tie (bothbad)": "tie", "bothbad": "tie", "both_bad": "tie", "both bad": "tie", "draw": "tie",
}  # fmt: skip
BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad", "both bad")
FLAGS = ("is_tie", "tie", "ties", "draw", "is_draw")
PROPOSED = {  # names that a printed command tries; never used unasked
    "system": ("model", "engine", "codec", "method", "condition", "stimulus", "rating_stimulus", "candidate", "name", "mt", "submission"),
    "segment": ("item", "id", "item_id", "doc_id", "seg_id", "sentence", "utterance", "trial", "trial_id", "sample", "uid", "prompt", "question", "question_id", "story id", "mr_id", "idx"),
    "score": ("rating", "stars", "value", "mos", "mark", "grade", "points", "correct", "accuracy", "rating_score", "quality", "adequacy", "likert"),
    "left": ("model_1", "system_a", "system1", "a", "first", "generator_1", "option_a", "model1"),
    "right": ("model_2", "system_b", "system2", "b", "second", "generator_2", "option_b", "model2"),
    "winner": ("choice", "preference", "vote", "preferred", "label", "result", "outcome", "verdict"),
}  # fmt: skip


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
    works: Callable[[dict[str, Any]], bool],
) -> DataError:
    """Return the error for roles that are neither declared nor found, with a command that works."""
    by_name = {spelled(str(name)): str(name) for name in frame.columns}
    proposal: dict[str, str] = {}
    taken = set(roles.values())
    for role in missing:
        for name in PROPOSED.get(role, ()):
            column = by_name.get(spelled(name))
            if column and column not in taken:
                proposal[role] = column
                taken.add(column)
                break
    remedy = None
    if {"winner", "loser"} <= set(by_name) and "system" in missing:
        words: dict[str, Any] = {**roles, "winner": by_name["winner"], "loser": by_name["loser"]}
        flags = [by_name[spelled(flag)] for flag in FLAGS if spelled(flag) in by_name]
        if flags:
            words["tie"] = flags[0]
        if works(words):
            remedy = command_line(file or "FILE", words)
    else:
        for role in missing:
            if role not in proposal:
                column = _by_values(frame, role, taken)
                if column:
                    proposal[role] = column
                    taken.add(column)
    if remedy is None and len(proposal) == len(missing):
        words = {**roles, **proposal}
        if not votes and LOWER.search(proposal.get("score", "")):
            words["lower_is_better"] = True
        if works(words):
            remedy = command_line(file or "FILE", words)
    numbers = ", ".join(missing)
    if not len(set(by_name) - {"id"}) or (
        not votes and "score" in missing and not _has_numbers(frame)
    ):
        return DataError("no_ratings", file=file, value=numbers, expected=list_columns(frame))
    return DataError(
        "missing_role", file=file, value=numbers, expected=list_columns(frame), remedy=remedy
    )


def _by_values(frame: pd.DataFrame, role: str, taken: set[str]) -> str:
    """Return the only column whose values could fill a role, for a command that is then tried."""
    fits = []
    for name in map(str, frame.columns):
        values = frame[name].head(5000)
        if name in taken or values.map(lambda value: isinstance(value, (list, dict))).any():
            continue
        numeric = bool(pd.to_numeric(values, errors="coerce").notna().mean() > 0.5)
        number = values.nunique()
        few = 1 < number <= min(200, len(values) / 2)
        if (role == "score" and numeric) or (role == "system" and few and not numeric):
            fits.append(name)
        if role == "segment" and not numeric and number > 2:
            fits.append(name)
    return fits[0] if len(fits) == 1 else ""


def _has_numbers(frame: pd.DataFrame) -> bool:
    """Return whether some column, names aside, could hold ratings."""
    ignored = re.compile(
        r"(?i)(^|_)(id|idx|index|annotator|created_at|updated_at|lead_time|time|date)($|_)"
    )
    for name in frame.columns:
        if ignored.search(str(name)):
            continue
        values = frame[name].head(200)
        if pd.to_numeric(values, errors="coerce").notna().mean() > 0.5 or values.nunique() > 1:
            return True
    return False


def refuse_flag_of_ties(frame: pd.DataFrame, file: str | None) -> None:
    """Refuse a column that marks ties and is not declared."""
    for name in frame.columns:
        if spelled(str(name)) in [spelled(flag) for flag in FLAGS]:
            truth = frame[name].astype(str).str.strip().str.lower().map(TRUTH)
            if truth.notna().all() and truth.any():
                raise DataError(
                    "flag_of_ties",
                    file=file,
                    column=str(name),
                    value=int(truth.sum()),
                    expected=f"--tie {name}",
                )


def plain_name(name: str) -> str:
    """Return a name without case, blanks, leading zeros and punctuation, for comparing."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = re.sub(r"[\W_]+", "", text) or text
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def clean_names(table: pd.DataFrame, roles: Sequence[str], notes: Notes) -> pd.DataFrame:
    """Return the table with blanks around names removed and counted."""
    blanks = 0
    for role in roles:
        if role in table:
            codes, names = pd.factorize(table[role].astype(str))
            stripped = [re.sub(r"\s+", " ", name).strip() for name in names]
            changed = np.array([a != b for a, b in zip(names, stripped, strict=True)], bool)
            blanks += int(changed[codes].sum())
            table[role] = np.array(stripped, dtype=object)[codes]
    notes.keep("blanks_around_names", blanks)
    return table


def refuse_alike(
    table: pd.DataFrame, roles: Sequence[str], given: Mapping[str, Any], file: str | None
) -> None:
    """Refuse names of one role that differ only by case, blanks, leading zeros or punctuation."""
    if given.get("names") == "exact":
        return
    for role in roles:
        if role not in table:
            continue
        names = [str(name) for name in table[role].unique() if name != ""]
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(plain_name(name), name)
            if other != name:
                raise DataError(
                    "names_alike", file=file, column=role, value=f"{other} and {name}",
                    expected=f"--codes '{name}={other}' to join them, or --names exact to keep them",
                )  # fmt: skip


def refuse_totals(
    table: pd.DataFrame, roles: Sequence[str], given: Mapping[str, Any], file: str | None
) -> None:
    """Refuse rows that are totals or averages of others, not judgments."""
    kept = {*given.get("controls", ()), *given.get("humans", ())}
    for role in roles:
        if role not in table:
            continue
        names = [str(name) for name in table[role].unique()]
        found = [name for name in names if name.strip().lower() in TOTALS and name not in kept]
        if found and len(names) > len(found):
            raise DataError(
                "rows_that_are_no_judgments", file=file, column=role, value=", ".join(found),
                expected=f"--controls {found[0]}" if role == "system" else "a table without these rows",
            )  # fmt: skip


def apply_name_codes(
    table: pd.DataFrame, roles: Sequence[str], codes: Mapping[str, str]
) -> pd.DataFrame:
    """Return the table with names replaced as ``codes`` says, so that two spellings are joined."""
    for role in roles:
        if role in table and codes:
            known = table[role].isin(list(codes))
            if known.any():
                table[role] = table[role].replace(dict(codes))
    return table


def read_scores(
    cells: pd.Series, codes: Mapping[str, str], name: str, file: str | None, first_line: int | None
) -> pd.Series:
    """Return scores as numbers; NaN where a cell says that there is none.

    Raises DataError with the row for a cell that is no number.
    """
    text = cells.astype(str).str.strip()
    words = {key: value for key, value in codes.items() if _is_number(value)}
    if words:
        text = text.replace(words)
    codes_of, names = pd.factorize(text)
    numbers = pd.to_numeric(pd.Series(names), errors="coerce").to_numpy(float)
    lowered = [str(value).lower() for value in names]
    for k, value in enumerate(lowered):
        if value in ("true", "false"):
            numbers[k] = float(value == "true")
        if value.endswith("%") and _is_number(value[:-1]):
            numbers[k] = float(value[:-1])
    wrong = np.array([value not in MISSING for value in lowered], bool) & ~np.isfinite(numbers)
    if wrong.any():
        row = int(np.flatnonzero(wrong[codes_of])[0])
        bad = [str(value) for value in np.array(names, dtype=object)[wrong]][:6]
        hint = " ".join(f"'{value}=NUMBER'" for value in bad)
        line = None if first_line is None else first_line + row
        raise DataError(
            "not_a_number", file=file, line=line, row=None if line else row, column=name,
            value=text.iloc[row], expected=f"a number, or --codes {hint}",
        )  # fmt: skip
    return pd.Series(np.where(codes_of >= 0, numbers[codes_of], np.nan), index=cells.index)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
        if role in table:
            wrong = table[role].map(lambda value: isinstance(value, (list, dict)))
            if wrong.any():
                raise DataError(
                    "list_as_name",
                    file=file,
                    column=found[role],
                    value=str(table.loc[wrong, role].iloc[0])[:40],
                )
    table = clean_names(table, names, notes)
    table = apply_name_codes(table, names, codes)
    table["score"] = read_scores(table["score"], codes, found["score"], file, first_line)
    for role in ("system", "segment"):
        empty = table.index[table[role] == ""]
        if len(empty):
            raise DataError("empty_name", file=file, row=int(empty[0]), column=found[role])
    refuse_totals(table, ("system", "annotator", "segment"), given, file)
    refuse_alike(table, ("system", "annotator", "document", "domain", "criterion"), given, file)
    _check_segments(table, given, file)
    _check_direction(found["score"], given, file)
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
    split = _split_by(table, unused, given, file)
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
            cells = table[name].astype(object)
            columns[name] = cells.where(cells != "").astype("category")
    lower = bool(given.get("lower_is_better"))
    annotators = table["annotator"].unique() if "annotator" in table else []
    models = tuple(given.get("models", ()))
    if not models and len(annotators):
        models = tuple(str(name) for name in annotators if MODEL.search(str(name)))
        if models and len(models) < len(annotators):
            raise DataError(
                "models_among_annotators",
                file=file,
                value=", ".join(models),
                expected=f"--models {' '.join(models)}",
            )
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


def _check_direction(column: str, given: Mapping[str, Any], file: str | None) -> None:
    """Ask for the direction where the name of the score suggests that lower is better."""
    if LOWER.search(column) and not ({"lower_is_better", "higher_is_better"} & set(given)):
        raise DataError(
            "direction",
            file=file,
            column=column,
            expected="--lower-is-better or --higher-is-better",
        )


def _check_segments(table: pd.DataFrame, given: Mapping[str, Any], file: str | None) -> None:
    """Refuse segments that differ only by leading zeros or a trailing ``.0`` between systems."""
    if given.get("names") == "exact":
        return
    names = pd.Series(table["segment"].unique())
    bare = names.str.replace(r"^0+(?=\d)", "", regex=True).str.replace(r"\.0$", "", regex=True)
    twice = bare[bare.duplicated(keep=False)]
    if len(twice):
        pair = names[bare == twice.iloc[0]].tolist()[:2]
        raise DataError(
            "names_alike", file=file, column="segment", value=" and ".join(pair),
            expected=f"--codes '{pair[1]}={pair[0]}' to join them, or --names exact to keep them",
        )  # fmt: skip


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
    if "criterion" in table and table["criterion"].nunique() > 1 and "each" not in given:
        known = [str(name) for name in table["criterion"].unique()]
        raise DataError(
            "several_criteria", file=file, value=", ".join(known[:6]),
            expected=f"--each criterion, or --where criterion='{known[0]}'",
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
        if values.groupby(groups).nunique().eq(values.groupby(groups).size()).mean() > 0.9:
            known = ", ".join(values.unique()[:5])
            raise DataError(
                "undeclared_column", file=file, column=str(name), value=known,
                expected=f"--criterion '{name}' --each criterion, or --where '{name}={values.iloc[0]}'",
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
    known = set(table[role].astype(str)) if role in table else set()
    for name in given.get(word, ()):
        if name not in known:
            nearest = suggest(name, known)
            raise DataError(
                "unknown_name", file=file, column=word, value=name, expected=nearest or None
            )


def _split_by(
    table: pd.DataFrame, unused: pd.DataFrame, given: Mapping[str, Any], file: str | None
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
    return [(str(name), value, values == value) for value in dict.fromkeys(values) if value]


def _note_other_scales(table: pd.DataFrame, notes: Notes) -> None:
    """Note a system, annotator or document whose scores lie on another scale than all others."""
    low, high = table["score"].min(), table["score"].max()
    for role in ("system", "annotator", "document"):
        if role not in table or table[role].nunique() < 3:
            continue
        ranges = table.groupby(role, observed=True)["score"].agg(["min", "max", "size"])
        ranges = ranges[ranges["size"] >= 10]
        small = ranges[(ranges["max"] - low) <= 0.12 * (high - low)]
        if 0 < len(small) <= len(ranges) / 3 and len(ranges) > 2:
            name = str(small.index[0])
            detail = f"{role} {name}: {small['min'].iloc[0]:g} to {small['max'].iloc[0]:g} of {low:g} to {high:g}"
            notes.keep("other_scale", int(small["size"].sum()), detail)


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
) -> Any:
    """Return votes from one row per comparison; by ``each`` if it is given."""
    names = ("left", "right", "annotator", "question", "domain", "pair")
    codes = dict(given.get("codes", {}))
    sides = {"left", "right", "tie"}
    table = clean_names(table, names, notes)
    table = apply_name_codes(table, names, {k: v for k, v in codes.items() if v not in sides})
    refuse_flag_of_ties(unused, file)
    for role in ("left", "right"):
        empty = table.index[table[role] == ""]
        if len(empty):
            raise DataError("empty_name", file=file, row=int(empty[0]), column=role)
    same = table.index[table["left"] == table["right"]]
    if len(same):
        raise DataError(
            "model_against_itself", file=file, row=int(same[0]), value=table["left"].iloc[same[0]]
        )
    both = pd.DataFrame({"system": pd.concat([table["left"], table["right"]])})
    refuse_alike(both, ("system",), given, file)
    refuse_alike(table, ("annotator", "domain"), given, file)
    table = _name_nobody(table, notes)
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
    notes.keep("identical_rows", int(table.duplicated().sum()) if "question" in table else 0)
    _check_declared(table, given, "models", "annotator", file)
    _check_declared(both, given, "controls", "system", file)
    split = _split_by(table, unused, given, file)
    if split is not None:
        return {
            name: _votes(table[rows].reset_index(drop=True), given, notes, source, file, name)
            for _, name, rows in split
        }
    return _votes(table, given, notes, source, file)


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
    if models and len(models) == len(annotators) and "question" not in table:
        raise DataError(
            "question_needed", file=file, value=", ".join(models), expected="--question COLUMN"
        )
    if models and len(models) < len(annotators) and "models" not in given:
        raise DataError(
            "models_among_annotators",
            file=file,
            value=", ".join(models),
            expected=f"--models {' '.join(models)}",
        )
    columns = {}
    for name in table.columns:
        if name == "both_bad":
            columns[name] = table[name].astype(bool)
        elif name != "pair":
            cells = table[name].astype(object)
            columns[name] = cells.where(cells != "").astype("category")
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
    text = table["winner"].map(lambda value: str(value).strip())
    exact = {key: side for key, side in codes.items() if ".." not in key}
    ranges = [(key, side) for key, side in codes.items() if ".." in key]
    unique = text.unique()
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
        values = [str(value) for value in counts.index[:3]]
        sides = ("left", "right", "tie")
        example = " ".join(f"'{value}={side}'" for value, side in zip(values, sides, strict=False))
        raise DataError(
            "unknown_winner", file=file, column="winner", value=shown, expected=f"--codes {example}"
        )
    return winner, text.str.lower().isin(BOTH_BAD)


def _in_ranges(value: str, ranges: Sequence[tuple[str, str]]) -> str:
    """Return the side of the first range that holds a number; empty if none does."""
    if not _is_number(value):
        return ""
    for key, side in ranges:
        low, _, high = key.partition("..")
        if _is_number(low) and _is_number(high) and float(low) <= float(value) <= float(high):
            return side
    return ""


def reference_below_anchor(judgments: Judgments, reference: str) -> pd.DataFrame:
    """Count how often each annotator rated the hidden reference below another control.

    Columns annotator, trials (segments in which both were rated) and below (in how many of these
    the reference had a lower score than some other control).
    """
    table = judgments.table
    others = [name for name in judgments.controls if name != reference]
    keys = ["annotator", "segment"]
    best = table[table["system"] == reference].groupby(keys, observed=True)["score"].mean()
    anchors = table[table["system"].isin(others)].groupby(keys, observed=True)["score"].max()
    both = pd.concat({"reference": best, "anchor": anchors}, axis=1).dropna().reset_index()
    both["below"] = both["reference"] < both["anchor"]
    found = both.groupby("annotator", observed=True)["below"].agg(["size", "sum"])
    return found.rename(columns={"size": "trials", "sum": "below"}).astype(int).reset_index()
