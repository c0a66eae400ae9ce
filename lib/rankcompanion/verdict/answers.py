"""The answers of a verdict: what holds, what does not, and what cannot be told from these data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rankstability.rank.balanced import complete
from rankstability.rank.units import Means

from ..lines import held
from .cases import Case

HOLDS, NOT, UNTOLD = "holds", "does not hold", "cannot be told from these data"


def told(good: bool, bad: bool) -> str:
    """The answer to a statement that some numbers bear out (`good`), others contradict (`bad`)."""
    if good:
        return HOLDS
    return NOT if bad else UNTOLD


def line_answers(
    made: held.Standing, sure: Means | None, systems: tuple[str, ...], alpha: float = 0.05
) -> pd.DataFrame:
    """Each claimed line with its answer: below, above (system), under (system), p_holm, answer.

    A line does not hold where some pair across it differs the other way, for the family of such
    pairs (Bonferroni); where no difference is clear it cannot be told.
    """
    names = made.ranking["system"].tolist()
    order = np.array([systems.index(s) for s in names])
    rows = []
    for line in made.lines[made.lines["claimed"] == 1].itertuples():
        answer = HOLDS if line.held == 1 else UNTOLD
        if sure is not None and answer == UNTOLD:
            across = sure.p()[np.ix_(order[line.below :], order[: line.below])]
            answer = NOT if across.min() < alpha / across.size else UNTOLD
        rows.append((line.below, names[line.below - 1], names[line.below], line.p_holm, answer))
    return pd.DataFrame(rows, columns=["below", "above", "under", "p_holm", "answer"])


def summary(made: held.Standing, answers: pd.DataFrame) -> dict[str, Any]:
    """The numbers of the first sentence: who may be first, lines claimed and held.

    ``alone``: the answer to whether the leader, and no other system, may be first.
    """
    first = made.ranking.loc[made.ranking["may_be_first"] == 1, "system"].tolist()
    leader = made.ranking["system"].iloc[0]
    return {
        "systems": len(made.ranking),
        "leader": leader,
        "told": made.unit != "",
        "may_be_first": first,
        "alone": told(first == [leader], bool(first) and leader not in first),
        "claimed": int(made.lines["claimed"].sum()),
        "claimed_held": int((answers["answer"] == HOLDS).sum()),
        "held": int(made.lines["held"].fillna(0).sum()),
        "units": int(made.units.loc[made.units["unit"] == made.unit, "units"].sum()),
    }


def statements(
    one: Case, first: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], alpha: float = 0.05
) -> pd.DataFrame:
    """The answers beside the lines: statement, unit, answer (holds, does not, cannot be told).

    ``first``: the leader alone may be first. ``false lines``: with equal systems the recipe draws a
    line in at most `alpha` of the campaigns. ``order``: no single removal changes the order of the
    others. ``segments``: all systems were judged on the same. ``agreement``: annotators agree
    beyond chance. ``influence``: nothing hangs on one annotator. What these data have nothing on is
    left out.

    `first` is from `summary`; `tables` may hold false_lines, removals, agreement and influence.
    """
    names = ("false_lines", "removals", "agreement", "influence")
    false, removed, agreement, hanging = (tables.get(n, pd.DataFrame()) for n in names)

    rows = [("first", "", first["alone"])]
    for row in false.itertuples():
        answer = told(row.campaigns_high <= alpha, row.campaigns_low > alpha)
        rows.append(("false lines", row.unit, answer))
    if len(removed):
        moved = removed["d_rank"].any()
        rows.append(("order", "", told(not moved, moved)))
    if one.judged:
        rows.append(("segments", "", told(complete(one.own), True)))
    for row in agreement.itertuples():
        rows.append(("agreement", row.unit, told(row.low > 0, row.high <= 0)))
    if len(hanging):
        moved = hanging[["fallen", "first_changes"]].to_numpy().any()
        rows.append(("influence", "", told(not moved, moved)))
    return pd.DataFrame(rows, columns=["statement", "unit", "answer"])
