"""Votes in an arena: one row per pairwise comparison, as JSON lines or CSV with exact columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError, about_file
from ...judgments import Judgments
from ..columns import spelled
from ..notes import Notes, list_unused
from ..votes import (
    MAX_WITH_ITSELF,
    need_question,
    refuse_codes_as_names,
    refuse_flag_of_ties,
    refuse_mixed_votes,
)
from .arena_columns import find_columns
from .files import (
    clean_names,
    counted,
    first_line,
    need_words,
    read_head,
    read_records,
    read_table,
    refuse_repeated_file,
    refuse_row,
    split_header,
)

NAME = "arena"
HEADER = "model_a model_b winner"
TIES = ("tie", "tie (bothbad)", "both_bad")
UNKNOWN_MODELS = dict.fromkeys(("true", "t", "yes", "1", "", "na", "none", "null"), True)
UNKNOWN_MODELS |= dict.fromkeys(("false", "f", "no", "0"), False)
NOBODY = ("", "na", "n/a", "nan", "null", "none")


def matches(path: Path) -> bool:
    """Return whether a file has the columns model_a, model_b and winner, or left, right, winner."""
    line = first_line(path)
    if line.lstrip()[:1] in ("{", "["):
        head = read_head(path)
        return all(f'"{name}"' in head for name in HEADER.split())
    names = set(split_header(path)[1])
    return names >= set(HEADER.split()) or names >= {"left", "right", "winner"}


def read(
    files: Sequence[Path], pair: str = "", words: Mapping[str, Any] | None = None
) -> dict[str, Judgments]:
    """Read the votes of the files; the key is the task `pair`, which may be empty.

    ``tie (bothbad)`` and ``both_bad`` are ties with ``both_bad`` set. Votes by people who knew the
    models (``anony`` false), and of models compared with themselves, are left out and counted.

    Raises
    ------
    DataError
        For a missing column, an unknown winner, mostly models against themselves, an empty name, several
        criteria or languages, or votes of models that name no question.
    """
    parts = []
    others = []
    excluded: list[tuple[str, str, int, str]] = []
    notes: list[tuple[str, str, int, str]] = []
    for file in files:
        with about_file(file):
            votes, known, unused = read_votes(file)
            refuse_flag_of_ties(unused)
        listed = Notes(file.name)
        list_unused(unused, listed, {})
        notes += listed.kept
        excluded.append((file.name, "models_known", known, ""))
        excluded.append((file.name, "with_itself", votes.attrs["with_itself"], ""))
        notes.append((file.name, "identical_rows", votes.attrs["identical"], ""))
        parts.append(votes)
        others.append(unused)
    refuse_repeated_file(files, parts)
    votes = pd.concat(parts, ignore_index=True)
    votes.attrs = {}
    if votes.empty:
        raise DataError("no_judgments", file=files[0])
    named = ", ".join(file.name for file in files)
    notes += [
        (named, "both_bad", int(votes["both_bad"].sum()), ""),
        (named, "no_annotator", int(votes["annotator"].isna().sum()), ""),
        (named, "second_vote", count_second_votes(votes), ""),
    ]
    ids = [name for name in ("left", "right", "annotator", "question", "domain") if name in votes]
    systems = sorted({*votes["left"], *votes["right"]})
    for name in ids:
        votes[name] = pd.Categorical(votes[name], systems if name in ("left", "right") else None)
        if votes[name].isna().all():
            del votes[name]
    unused = pd.concat(others, ignore_index=True)
    criteria = {spelled(str(name)): unused[name] for name in unused}
    named = votes.assign(criterion=criteria["criterion"]) if "criterion" in criteria else votes
    with about_file(files[0]):
        need_question(votes, unused, words or {})
        refuse_mixed_votes(named, unused, words or {})
    return {
        pair: Judgments(
            table=votes, kind="votes", pair=pair, excluded=counted(excluded), notes=counted(notes)
        )
    }


def read_votes(file: Path) -> tuple[pd.DataFrame, int, pd.DataFrame]:
    """Return left, right, winner, annotator, question, domain, both_bad; how many votes were left
    out; and the columns that are not used.
    """
    table = _read_cells(file)
    here = find_columns(table, file)
    known = 0
    refuse_codes_as_names(table["winner"], table[here["left"]], table[here["right"]])
    identical = int(table.duplicated().sum()) if "question" in here else 0
    if "anony" in table:
        plain = table["anony"].str.strip().str.lower()
        need_words(table.assign(anony=plain), "anony", file, UNKNOWN_MODELS)
        hidden = plain.map(UNKNOWN_MODELS).astype(bool)
        known = int((~hidden).sum())
        table = table[hidden]
    unused = table.drop(columns=[*here.values(), "winner", "anony"], errors="ignore")
    winners = {here["left"]: "left", here["right"]: "right", **dict.fromkeys(TIES, "tie")}
    names = table["winner"].where(table["winner"].isin(winners))
    for side in ("left", "right"):  # the winner by its name
        names = names.mask(names.isna() & table["winner"].eq(table[here[side]]), here[side])
    need_words(table.assign(winner=names.fillna(table["winner"])), "winner", file, winners)
    votes, _ = clean_names(table, here, file, ("annotator", "domain"))
    votes = votes.astype(object)
    same = votes["left"].to_numpy() == votes["right"].to_numpy()
    if same.mean() > MAX_WITH_ITSELF:
        refuse_row("model_against_itself", table, same, here["right"], file)
    votes["winner"] = pd.Categorical(names.map(winners), ["left", "right", "tie"])
    votes["both_bad"] = names.isin(TIES[1:])
    if "annotator" not in votes:
        votes["annotator"] = None
    nobody = votes["annotator"].astype(str).str.lower().isin(NOBODY)
    votes["annotator"] = votes["annotator"].mask(nobody, None)
    votes = votes[~same].reset_index(drop=True)
    votes.attrs = {"identical": identical, "with_itself": int(same.sum())}
    return votes, known, unused[~same].reset_index(drop=True)


def _read_cells(file: Path) -> pd.DataFrame:
    if first_line(file).lstrip()[:1] not in ("{", "["):
        return read_table(file, split_header(file)[0])
    records = list(read_records(file))
    cells = [{name: _as_text(value) for name, value in entry.items()} for _, entry in records]
    return pd.DataFrame(cells, index=[line for line, _ in records], dtype=object).fillna("")


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def count_second_votes(votes: pd.DataFrame) -> int:
    """Count the votes of an annotator on a question and two systems that the annotator had judged.

    Identical rows are not counted.
    """
    if "question" not in votes:
        return 0
    named = votes[votes["annotator"].notna()]
    sides = np.sort(named[["left", "right"]].to_numpy(object), axis=1)
    told = named[["annotator", "question"]].assign(first=sides[:, 0], second=sides[:, 1])
    return int((told.duplicated() & ~named.duplicated()).sum())
