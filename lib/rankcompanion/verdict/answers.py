"""The answers of a verdict: what holds, what does not, and what cannot be told from these data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankstability.judgments import is_human

from ..lines import held

HOLDS, NOT, UNTOLD = "holds", "does not hold", "cannot be told from these data"
FEW = 4  # units: of fewer, the first sentence says what can show at all
REFERENCE = re.compile(r"(?i)^(_?ref|reference)s?([._-]?[a-z0-9]{1,2})?$")
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
    and ``freedom``, these. ``machine_leader``, ``machines_first``, ``machine_alone``: the same of
    the systems that are no human translation or reference, among themselves; ``humans``: the
    others, ``humans_first`` (may be first of all), ``humans_above`` (better than that leader).
    """
    first = made.ranking.loc[made.ranking["may_be_first"] == 1, "system"].tolist()
    leader, sure = made.ranking["system"].iloc[0], made.sure
    holds = answers["answer"] == HOLDS
    fewest = min(sure.units, key=sure.units.__getitem__, default="")
    weakest = int(sure.freedom.argmin())
    return {
        **_humans_apart(made, first),
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


def humans(systems: Sequence[str]) -> list[str]:
    """Those of these systems that are human translations or references, by name."""
    return [name for name in systems if is_human(name) or REFERENCE.match(name)]


def _humans_apart(made: held.Standing, first: list[str]) -> dict[str, Any]:
    """What `summary` says of humans, and of the systems without them."""
    names = made.ranking["system"].astype(str).tolist()
    human = humans(names)
    machines = [name for name in names if name not in human]
    if not machines:
        human, machines = [], names
    ahead, above = [name for name in first if name in machines], list[str]()
    if human and made.unit:
        sure = made.sure
        beats = pd.DataFrame(sure.declared, index=sure.systems, columns=sure.systems)
        known = [name for name in machines if name in beats]
        beaten = np.any(beats.loc[known, known].to_numpy(), axis=0)
        ahead = [name for name, lost in zip(known, beaten, strict=True) if not lost]
        above = [name for name in human if name in beats and beats.loc[name, machines[0]]]
    alone = told(ahead == machines[:1], bool(ahead) and machines[0] not in ahead)
    return {
        "humans": human,
        "humans_first": [name for name in first if name in human],
        "humans_above": above,
        "machine_leader": machines[0],
        "machines_first": ahead,
        "machine_alone": alone,
    }
