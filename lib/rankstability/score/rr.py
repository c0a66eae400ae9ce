"""Relative ranking: blocks to pairwise counts to scores, for every score the papers define.

Bojar et al. (2011, Sections 2.1 and 2.3), Lopez (2012, Eqs. 1 to 3) and Koehn (2012, Section 2)
partly give one thing several names; `METHODS` lists each score once with all its names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import REFERENCE, blocks
from .pairwise import (
    PairCounts,
    better_or_equal_others,
    better_others,
    by_block,
    expected_win,
    in_block,
    pair_counts,
    ratio,
    wins_over_decided,
)


@dataclass(frozen=True)
class Method:
    """A score of pairwise counts: column, label in figures, names in papers, and how it counts."""

    name: str
    label: str
    aliases: tuple[str, ...]
    reference: bool  # whether the reference takes part
    score: Callable[[PairCounts], np.ndarray]

    def __call__(self, counts: PairCounts) -> pd.Series:
        """Scores by system; without the reference it has none (NaN)."""
        used = counts if self.reference else counts.without(REFERENCE)
        return pd.Series(self.score(used), index=list(used.systems)).reindex(list(counts.systems))


@dataclass(frozen=True)
class BlockMethod:
    """A score of whole blocks: the share of them in which `fact` (see `by_block`) holds."""

    name: str
    label: str
    aliases: tuple[str, ...]
    fact: str


METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        Method(
            "better_or_equal_others",
            "≥ others",
            ("≥ others (Bojar et al. 2011)", "WMT-OFFICIAL (Lopez 2012, Eq. 1)"),
            True,
            better_or_equal_others,
        ),
        Method("better_others", "> others", ("> others (Bojar et al. 2011)",), True, better_others),
        Method(
            "wins_over_decided",
            "wins / (wins + losses)",
            ("wins/(wins+losses) (Bojar et al. 2011, Section 2.3)",),
            True,
            wins_over_decided,
        ),
        Method(
            "heuristic2", "HEURISTIC 2", ("HEURISTIC 2 (Lopez 2012, Eq. 2)",), False, better_others
        ),
        Method("bojar", "BOJAR", ("BOJAR (Lopez 2012, Eq. 3)",), False, wins_over_decided),
        Method("expected_win", "expected win", ("expected win (Koehn 2012)",), False, expected_win),
    )
}
BLOCK_METHODS: dict[str, BlockMethod] = {
    m.name: m
    for m in (
        BlockMethod(
            "better_or_equal_all_in_block",
            "≥ all in block",
            ("≥ all in block (Bojar et al. 2011)",),
            "better_or_equal_all",
        ),
        BlockMethod(
            "better_all_in_block",
            "> all in block",
            ("> all in block (Bojar et al. 2011)",),
            "better_all",
        ),
        BlockMethod(
            "sole_winner",
            "sole winner",
            ("sole winner (Bojar et al. 2011, Table 4), as a share of blocks",),
            "sole_winner",
        ),
    )
}
LABELS = {
    **{m.name: m.label for m in METHODS.values()},
    **{m.name: m.label for m in BLOCK_METHODS.values()},
    "mfas": "minimum feedback arc set",
}
"""What figures call each way to rank."""
TOURNAMENT_METHODS = {
    "mfas": ("MFAS", ""),
    "wmt_official": ("WMT-OFFICIAL", "better_or_equal_others"),
    "heuristic2": ("HEURISTIC 2", "heuristic2"),
    "bojar": ("BOJAR", "bojar"),
    "expected_win": ("expected win", "expected_win"),
}
"""The rankings Lopez (2012) compares: his heading, and the score behind it (none: a tournament)."""


def scores(frame: pd.DataFrame) -> pd.DataFrame:
    """Every score of every system of one task.

    Returns
    -------
    DataFrame
        task, system, blocks_shown, blocks_ranked, comparisons, one column per score of `METHODS`
        and `BLOCK_METHODS` (shares between 0 and 1), and sole_winner_blocks (a count); best first
        by `better_or_equal_others`, the reference included.
    """
    data = blocks(frame)
    counts, facts = pair_counts(data), by_block(data)
    out = pd.DataFrame({"task": str(frame["task"].iloc[0]), "system": list(data.systems)})
    out["blocks_shown"] = facts["shown"].sum(0)
    out["blocks_ranked"] = facts["ranked"].sum(0)
    out["comparisons"] = counts.wins.sum(1) + counts.wins.sum(0) + counts.ties.sum(1)
    for name, method in METHODS.items():
        out[name] = method(counts).to_numpy()
    for name, block_method in BLOCK_METHODS.items():
        out[name] = in_block(facts, block_method.fact)
    out["sole_winner_blocks"] = facts["sole_winner"].sum(0)
    order = ["better_or_equal_others", "system"]
    return out.sort_values(order, ascending=[False, True], ignore_index=True)


def matrix(counts: PairCounts, values: np.ndarray, order: list[str] | None = None) -> pd.DataFrame:
    """An n x n array of `counts` as a labelled frame, rows and columns in `order`."""
    frame = pd.DataFrame(values, index=list(counts.systems), columns=list(counts.systems))
    return frame.loc[order, order] if order else frame


def win_percentages(counts: PairCounts, order: list[str] | None = None) -> pd.DataFrame:
    """Per cent of comparisons in which the column's system was ranked better than the row's.

    The orientation of Bojar et al. (2011, Table 6) and the WMT overview papers; what is missing
    to 100 are ties. NaN where two systems never met.
    """
    total = counts.wins + counts.wins.T + counts.ties
    return matrix(counts, 100 * ratio(counts.wins.T, total), order)


def file_place(task: str, name: str) -> tuple[str, str]:
    """Language pair and file name for a task's result: the track, where there is one, is added."""
    pair, _, track = task.partition(" ")
    return pair, f"{name}_{track}" if track else name


def methods() -> pd.DataFrame:
    """The vocabulary of scores: column, names in the papers, whether the reference counts."""
    rows = [(m.name, "; ".join(m.aliases), m.reference) for m in METHODS.values()]
    rows += [(m.name, "; ".join(m.aliases), True) for m in BLOCK_METHODS.values()]
    return pd.DataFrame(rows, columns=["score", "names", "with_reference"])


def tasks(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The frame of each task by name, sorted by name."""
    groups: dict[Any, pd.DataFrame] = dict(iter(frame.groupby("task", observed=True, sort=True)))
    return {str(name): group for name, group in groups.items()}


def method_of(name: str) -> Method:
    """A score by its name in `METHODS`."""
    if name not in METHODS:
        raise DataError("unknown score", value=name, expected=", ".join(METHODS))
    return METHODS[name]
