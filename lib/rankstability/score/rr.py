"""Relative ranking: blocks to pairwise counts to scores, for every score the papers define.

Bojar et al. (2011, Sections 2.1 and 2.3), Lopez (2012, Eqs. 1 to 3) and Koehn (2012, Section 2)
give some scores several names; `METHODS` lists each score.
"""

from collections.abc import Callable
from dataclasses import dataclass

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
    pair_counts,
    ratio,
    wins_over_decided,
)


@dataclass(frozen=True)
class Method:
    """A score from pairwise counts: column, label in figures, and whether the reference counts."""

    name: str
    label: str
    score: Callable[[PairCounts], np.ndarray]
    reference: bool = True

    def __call__(self, counts: PairCounts) -> pd.Series:
        """Scores by system; NaN for the reference if it does not count."""
        used = counts if self.reference else counts.without(REFERENCE)
        scores = pd.Series(self.score(used), list(used.systems))
        return scores.reindex(list(counts.systems))


METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        Method("better_or_equal_others", "≥ others", better_or_equal_others),
        Method("better_others", "> others", better_others),
        Method(
            "wins_over_decided", "wins / (wins + losses)", wins_over_decided
        ),
        Method("heuristic2", "HEURISTIC 2", better_others, reference=False),
        Method("bojar", "BOJAR", wins_over_decided, reference=False),
        Method("expected_win", "expected win", expected_win, reference=False),
    )
}
BLOCK_METHODS = {
    "better_or_equal_all_in_block": "≥ all in block",
    "better_all_in_block": "> all in block",
    "sole_winner": "sole winner",
}
"""Scores by block: the share of its ranked blocks in which a system is best (see `by_block`)."""
_IN_PAPERS = {
    "better_or_equal_others": "≥ others (Bojar et al. 2011); WMT-OFFICIAL (Lopez 2012, Eq. 1)",
    "better_others": "> others (Bojar et al. 2011)",
    "wins_over_decided": "wins/(wins+losses) (Bojar et al. 2011, Section 2.3)",
    "heuristic2": "HEURISTIC 2 (Lopez 2012, Eq. 2)",
    "bojar": "BOJAR (Lopez 2012, Eq. 3)",
    "expected_win": "expected win (Koehn 2012)",
    "better_or_equal_all_in_block": "≥ all in block (Bojar et al. 2011)",
    "better_all_in_block": "> all in block (Bojar et al. 2011)",
    "sole_winner": "sole winner (Bojar et al. 2011, Table 4), as a share of blocks",
}
LABELS = {m.name: m.label for m in METHODS.values()} | BLOCK_METHODS
LABELS |= {
    "mfas": "minimum feedback arc set",
    "strength": "strength (Davidson)",
}
"""The name of each way to rank in figures."""
TOURNAMENT_METHODS = {
    "mfas": ("MFAS", ""),
    "wmt_official": ("WMT-OFFICIAL", "better_or_equal_others"),
    "heuristic2": ("HEURISTIC 2", "heuristic2"),
    "bojar": ("BOJAR", "bojar"),
    "expected_win": ("expected win", "expected_win"),
}
"""The rankings that Lopez (2012) compares: his heading, and our score (none: a tournament)."""


def scores(frame: pd.DataFrame) -> pd.DataFrame:
    """Every score of every system of one task.

    Columns task, system, blocks_shown, blocks_ranked, comparisons, one column per score of
    `METHODS` and `BLOCK_METHODS` (shares between 0 and 1), and sole_winner_blocks (a count); best
    first by `better_or_equal_others`, the reference included.
    """
    data = blocks(frame)
    counts = pair_counts(data)
    facts = by_block(data)
    total = counts.wins.sum(1) + counts.wins.sum(0) + counts.ties.sum(1)
    out = pd.DataFrame(
        {
            "task": str(frame["task"].iloc[0]),
            "system": data.systems,
            "blocks_shown": facts["shown"],
            "blocks_ranked": facts["ranked"],
            "comparisons": total,
        }
    )
    for name, method in METHODS.items():
        out[name] = method(counts).to_numpy()
    for name in BLOCK_METHODS:
        out[name] = ratio(facts[name], facts["ranked"])
    out["sole_winner_blocks"] = facts["sole_winner"]
    order = ["better_or_equal_others", "system"]
    return out.sort_values(order, ascending=[False, True], ignore_index=True)


def methods() -> pd.DataFrame:
    """All scores: columns score, names (in the papers), with_reference (whether it counts)."""
    counts = [
        name not in METHODS or METHODS[name].reference for name in _IN_PAPERS
    ]
    return pd.DataFrame(
        {
            "score": _IN_PAPERS.keys(),
            "names": _IN_PAPERS.values(),
            "with_reference": counts,
        }
    )


def tasks(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each task, keyed and sorted by its name."""
    return {
        str(name): group
        for name, group in frame.groupby("task", observed=True, sort=True)
    }


def method_of(name: str) -> Method:
    """The score of this name in `METHODS`. Raises DataError for any other name."""
    if name not in METHODS:
        raise DataError(
            "unknown score", value=name, expected=", ".join(METHODS)
        )
    return METHODS[name]
