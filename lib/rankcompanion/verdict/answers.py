"""The answers of a verdict: what holds, what does not, and what cannot be told from these data."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..lines import held

HOLDS, NOT, UNTOLD = "holds", "does not hold", "cannot be told from these data"
FEW = 4  # units: of fewer, the first sentence says what can show at all
WEAK = 3.0  # degrees of freedom: a system with fewer is named


def told(good: bool, bad: bool) -> str:
    """The answer to a statement that some tests bear out (`good`), others contradict (`bad`)."""
    if good:
        return HOLDS
    return NOT if bad else UNTOLD


def line_answers(made: held.Standing) -> pd.DataFrame:
    """Each line that is claimed or holds: below, above (system), under (system), claimed, answer.

    A line does not hold where some pair across it is declared the other way round; where it neither
    holds nor is refuted it cannot be told.
    """
    names = made.ranking["system"].tolist()
    holds, refuted = made.sure.lines(made.order)
    rows = [
        (k, names[k - 1], names[k], claimed, told(holds[k - 1], refuted[k - 1]))
        for k, claimed in zip(made.lines["below"], made.lines["claimed"], strict=True)
        if claimed or holds[k - 1]
    ]
    return pd.DataFrame(rows, columns=["below", "above", "under", "claimed", "answer"])


def summary(made: held.Standing, answers: pd.DataFrame) -> dict[str, Any]:
    """The numbers of the first sentence: who may be first, lines claimed and held, how many units.

    ``alone``: the answer to whether the leader, and no other system, may be first. ``also_held``:
    lines that hold and are not claimed. ``kinds``: units of each kind; ``few``: kind and number
    where there are fewer than `FEW`; ``weakest``: the system with the fewest degrees of freedom,
    and ``freedom``, these.
    """
    first = made.ranking.loc[made.ranking["may_be_first"] == 1, "system"].tolist()
    leader, sure = made.ranking["system"].iloc[0], made.sure
    holds = answers["answer"] == HOLDS
    fewest = min(sure.units, key=sure.units.__getitem__, default="")
    weakest = int(sure.freedom.argmin())
    return {
        "systems": len(made.ranking),
        "leader": leader,
        "told": made.unit != "",
        "may_be_first": first,
        "alone": told(first == [leader], bool(first) and leader not in first),
        "claimed": int(made.lines["claimed"].sum()),
        "claimed_held": int((holds & (answers["claimed"] == 1)).sum()),
        "also_held": int((holds & (answers["claimed"] == 0)).sum()),
        "kinds": dict(sure.units),
        "few": [fewest, sure.units[fewest]] if fewest and sure.units[fewest] < FEW else [],
        "weakest": sure.systems[weakest],
        "freedom": float(sure.freedom[weakest]),
        "weak": bool(sure.freedom[weakest] < WEAK),
    }
