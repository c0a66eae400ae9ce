"""Battles of an arena: two outputs, one winner or none, as blocks of two for relative ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import paths
from ..errors import DataError
from . import languages, tables
from . import schema as schemas
from .rr import COLUMNS

NEEDED = ("model_a", "model_b", "winner")
RANKS = {"model_a": (1, 2), "model_b": (2, 1), "tie": (1, 1)}
RANKS |= {"tie (bothbad)": (1, 1), "both_bad": (1, 1)}
NAMED = {"system1": "model_a", "system2": "model_b", "judge": "judge", "question": "question_id"}


def knows(path: Path, line: str) -> bool:
    """Whether the first line names two models and a winner."""
    if line.lstrip()[:1] in ("{", "["):
        return all(f'"{name}"' in line for name in NEEDED)
    return set(NEEDED) <= set(tables.cells(line, tables.separator(line)))


def pair_of(path: Path, settings: Mapping[str, Any]) -> str:
    """The language pair: of campaign.yaml, of the file's name, or a placeholder."""
    return settings.get("pair") or languages.pair_in(path) or languages.PLACEHOLDER


def read(files: Sequence[Path], pair: str, settings: Mapping[str, Any]) -> pd.DataFrame:
    """The battles as `rr.read_rr` gives blocks: two rows each, ranks 1 and 2, or 1 and 1 for a tie.

    ``tie (bothbad)`` and ``both_bad`` are ties, and counted; battles whose models were known to the
    judge (``anony`` false) are left out and counted. Without a judge each battle has its own.

    Raises
    ------
    DataError
        A missing column, an unknown winner, a model against itself, an empty name.
    """
    excluded: Counter[str] = Counter()
    parts = [_battles(file, excluded) for file in files if pair_of(file, settings) == pair]
    rows = pd.concat(parts, ignore_index=True)
    n = len(rows)
    frame = pd.DataFrame(
        {
            "task": pair, "pair": pair, "track": "", "document": "",
            "block": np.repeat(np.arange(n), 2),
            "judge": np.repeat(rows["judge"].to_numpy(), 2),
            "segment": np.repeat(pd.factorize(rows["question"])[0] + 1, 2),
            "position": np.tile([1, 2], n),
            "system": rows[["system1", "system2"]].to_numpy().ravel(),
            "rank": rows[["rank1", "rank2"]].to_numpy().ravel(),
            "ranked": True,
        }
    )[COLUMNS]  # fmt: skip
    for name in ("task", "pair", "track", "judge", "document", "system"):
        frame[name] = frame[name].astype("category")
    frame.attrs["excluded"] = {reason: n for reason, n in excluded.items() if n}
    return frame


def _battles(file: Path, excluded: Counter[str]) -> pd.DataFrame:
    table = tables.any_table(file)
    missing = [name for name in NEEDED if name not in table.frame]
    if missing:
        raise DataError(
            "a column is missing",
            file=paths.shown(file),
            line=1,
            value=", ".join(table.frame.columns)[:80],
            expected=missing[0],
        )
    named = {ours: theirs for ours, theirs in NAMED.items() if theirs in table.frame}
    keep = np.arange(len(table.frame))
    if "anony" in table.frame:
        hidden = (table.frame["anony"].astype(str).str.lower() != "false").to_numpy()
        excluded["battles of known models (left out)"] += int((~hidden).sum())
        keep = np.flatnonzero(hidden)
    schema = schemas.battles(list(named), RANKS)
    rows = table.validated(schema, {**named, "winner": "winner"}, keep).astype(str)
    same = np.flatnonzero((rows["system1"] == rows["system2"]).to_numpy())
    if len(same):
        raise table.error("a model against itself", int(keep[same[0]]), "model_b", "two models")
    bad = rows["winner"].isin(["tie (bothbad)", "both_bad"])
    excluded["(kept as ties: both bad)"] += int(bad.sum())
    ranks = np.array([RANKS[winner] for winner in rows["winner"]])
    number = pd.Series(table.lines[keep]).astype(str)
    return rows.reindex(columns=list(NAMED)).assign(
        judge=rows["judge"] if "judge" in rows else file.name + ":" + number,
        question=rows.get("question", number),
        rank1=ranks[:, 0],
        rank2=ranks[:, 1],
    )
