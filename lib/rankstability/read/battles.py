"""Battles of an arena: two outputs, one winner or none, as blocks of two for relative ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from ..errors import DataError
from . import schema as schemas
from . import tables
from .languages import pair_told
from .rr import COLUMNS

NEEDED = ("model_a", "model_b", "winner")
TIES = ("tie", "tie (bothbad)", "both_bad")
HIDDEN = dict.fromkeys(("true", "t", "yes", "y", "1", "", "na", "nan", "none", "null"), True)
HIDDEN |= dict.fromkeys(("false", "f", "no", "n", "0"), False)  # whether models were, by `anony`
NAMED = {"system1": "model_a", "system2": "model_b", "judge": "judge", "question": "question_id"}
FORMS = (NAMED, {"system1": "left", "system2": "right", "judge": "worker", "question": "prompt"})


def knows(path: Path, line: str) -> bool:
    """Whether the first line names two models and a winner."""
    if line.lstrip()[:1] in ("{", "["):
        return any(all(f'"{name}"' in line for name in _needed(names)) for names in FORMS)
    row = set(tables.cells(line, tables.separator(line)))
    return any(row.issuperset(_needed(names)) for names in FORMS)


def _needed(names: Mapping[str, str]) -> tuple[str, ...]:
    return names["system1"], names["system2"], "winner"


def read(files: Sequence[Path], pair: str, settings: Mapping[str, Any]) -> pd.DataFrame:
    """The battles as `rr.read_rr` gives blocks: two rows each, ranks 1 and 2, or 1 and 1 for a tie.

    ``tie (bothbad)`` and ``both_bad`` are ties, and counted; battles whose models were known to the
    judge (``anony`` false) are left out and counted. The judge of a battle that names none (no such
    column, an empty cell, NA) is empty, and such battles are counted. Raises a DataError for a
    missing column, an unknown winner, a model against itself, an empty name.
    """
    excluded: Counter[str] = Counter()
    files = [file for file in files if pair_told(file, settings) == pair]
    parts = [_battles(file, excluded) for file in files]
    tables.refuse_twice(files, [part[part.attrs["told"]] for part in parts])
    rows = {name: _joined([part[name] for part in parts]) for name in NAMED}
    ranks = np.concatenate([part[["rank1", "rank2"]].to_numpy() for part in parts])
    n = len(ranks)
    if not n:
        told = "; ".join(f"{reason}: {count}" for reason, count in excluded.items())
        raise DataError("no battles that count", file=files, value=told, expected="at least one")
    both = union_categoricals([rows["system1"], rows["system2"]], sort_categories=True)
    columns: dict[str, Any] = {
        "block": np.repeat(np.arange(n), 2),
        "judge": rows["judge"].repeat(2),
        "segment": np.repeat(pd.factorize(rows["question"])[0] + 1, 2),
        "position": np.tile([1, 2], n),
        "system": pd.Categorical.from_codes(both.codes.reshape(2, n).T.ravel(), both.categories),
        "rank": ranks.ravel(),
        "ranked": True,
    }
    for name, text in {"task": pair, "pair": pair, "track": "", "document": ""}.items():
        columns[name] = pd.Categorical.from_codes(np.zeros(2 * n, int), [text])
    frame = pd.DataFrame(columns)[COLUMNS]
    frame.attrs["excluded"] = {reason: n for reason, n in excluded.items() if n}
    return frame


def _joined(columns: Sequence[pd.Series]) -> pd.Categorical:
    """One column of several files."""
    made = [pd.Categorical(column).remove_unused_categories() for column in columns]
    return union_categoricals(made, sort_categories=True)


def _battles(file: Path, excluded: Counter[str]) -> pd.DataFrame:
    known = {"winner", "anony", *(name for form in FORMS for name in form.values())}
    table = tables.any_table(file, known.intersection)
    names = next((one for one in FORMS if set(_needed(one)) <= set(table.frame)), None)
    if names is None:
        missing = next(name for name in NEEDED if name not in table.frame)
        there = ", ".join(table.frame.columns)[:80]
        raise DataError("a column is missing", file=file, line=1, value=there, expected=missing)
    named = {ours: theirs for ours, theirs in names.items() if theirs in table.frame}
    ranks_of = {names["system1"]: (1, 2), names["system2"]: (2, 1), **dict.fromkeys(TIES, (1, 1))}
    table.check_values(
        [name for name in ("winner", *names.values(), "anony") if name in table.frame]
    )
    keep = np.arange(len(table.frame))
    if "anony" in table.frame:
        hidden = table.frame["anony"].astype(str).str.lower().map(HIDDEN)
        for row in np.flatnonzero(hidden.isna())[:1]:
            raise table.error("not yes or no", int(row), "anony", "true or false, or empty")
        keep = np.flatnonzero(hidden)
        excluded["battles of known models (left out)"] += len(hidden) - len(keep)
    ids = schemas.ids(*named) | schemas.ids(*{"judge"} & named.keys(), missing=())
    schema = schemas.made(ids | {"winner": schemas.one_of(ranks_of, "winner")})
    rows = table.validated(schema, {**named, "winner": "winner"}, keep)
    both = union_categoricals([_joined([rows[name]]) for name in ("system1", "system2")])
    same = keep[np.equal(*both.codes.reshape(2, -1))]
    if len(same):
        raise table.error("a model against itself", int(same[0]), names["system2"], "two models")
    bad = rows["winner"].isin(TIES[1:])
    excluded["(kept as ties: both bad)"] += int(bad.sum())
    winner = rows["winner"].cat
    ranks = np.array([ranks_of[str(name)] for name in winner.categories])[winner.codes]
    number = pd.Series(table.lines[keep]).astype(str)
    judge = rows["judge"].astype(str).replace("NA", "") if "judge" in rows else ""
    out = rows.reindex(columns=list(NAMED)).assign(rank1=ranks[:, 0], rank2=ranks[:, 1])
    out = out.assign(judge=judge, question=rows.get("question", number))
    excluded["(kept: no judge is named)"] += int((out["judge"] == "").sum())
    out["place"] = -1 if "question" in rows else np.arange(len(out))
    out.attrs["told"] = [*named, "place", "rank1", "rank2"]  # by which a battle is known again
    return out
