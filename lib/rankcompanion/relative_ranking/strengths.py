"""Relative rankings by strength: Bradley-Terry with ties over judges, and win ratios."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import REFERENCE
from rankstability.rank import bradley_terry, ranges
from rankstability.rank.sets import held_lines, rank_sets
from rankstability.rank.units import FEWEST_UNITS
from rankstability.score import rr

COLUMNS = (
    *("task", "system", "rank", "strength", "low", "high", "marginal_low", "marginal_high"),
    *("held_below", "bojar", "unit", "tie"),
)


def strengths(frame: pd.DataFrame, rng: np.random.Generator, alpha: float = 0.05) -> pd.DataFrame:
    """Davidson strengths of the systems of each task beside the win ratio.

    `frame` holds tasks, from `read.rr.read_rr`. A task without finite strengths is left out.

    Columns task, system, rank (by strength), strength (log odds, mean 0), low, high (95 %, over
    `unit`: judges, blocks where there are fewer than `FEWEST_UNITS`), marginal_low, marginal_high
    (rank sets), held_below (1: a line below this system holds), bojar (wins over
    decided), unit, tie (Davidson's parameter; 0: no ties).
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        data = ranges.units(judgments).without(REFERENCE)
        unit = ranges.default_unit(data)
        try:
            sure = bradley_terry.strengths(data, unit)
        except DataError:
            continue
        low, high = sure.interval()
        sets = rank_sets(sure, rng, draws=1000) if sure.units >= FEWEST_UNITS else None
        order = sure.order()
        held = np.append(held_lines(sure, alpha=alpha)["held"], 0)
        part = pd.DataFrame({"system": data.systems, "strength": sure.mean})
        part["rank"] = ranges.ranks(sure.mean)
        part["low"], part["high"] = low, high
        for side in ("marginal_low", "marginal_high"):
            part[side] = np.nan if sets is None else sets[side]
        part.loc[order, "held_below"] = held
        part["bojar"] = rr.METHODS["bojar"](data.counts).to_numpy()
        part = part.assign(task=task, unit=unit, tie=bradley_terry.davidson(data.counts)[1])
        parts.append(part.sort_values("rank").reindex(columns=list(COLUMNS)))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))
