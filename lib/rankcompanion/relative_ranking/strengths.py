"""Relative rankings by strength: Bradley-Terry with ties over judges, and win ratios."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import REFERENCE
from rankstability.rank import bradley_terry, ranges
from rankstability.rank.certainty import of_battles
from rankstability.score import rr
from rankstability.score.pairwise import PairCounts, wins_over_decided

COLUMNS = (
    *("task", "system", "rank", "strength", "low", "high", "rank_low", "rank_high"),
    *("held_below", "bojar", "unit", "tie"),
)


def strengths(frame: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """Davidson strengths of the systems of each task beside the win ratio.

    `frame` holds tasks, from `read.rr.read_rr`. A task without finite strengths is left out.

    Columns task, system, rank (by strength), strength (log odds, mean 0), low, high (its interval,
    with other `unit`: judges, or blocks where some name no judge), rank_low, rank_high (rank set),
    held_below (1: a line below this system holds), bojar (wins over decided), unit, tie (Davidson's
    parameter; 0: no ties).
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        data = ranges.units(judgments).without(REFERENCE)
        try:
            sure = of_battles(data, ranges.default_unit(data), alpha)
        except DataError:
            continue
        part = sure.table().rename(columns={"low": "rank_low", "high": "rank_high"})
        part = part.rename(columns={"score": "strength", "score_low": "low", "score_high": "high"})
        part["held_below"] = np.append(sure.held, False).astype(int)
        part["bojar"] = rr.METHODS["bojar"](data.counts).to_numpy()[sure.order]
        tie = bradley_terry.davidson(data.counts)[1]
        parts.append(part.assign(task=task, unit=sure.unit, tie=tie)[[*COLUMNS]])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))


def modelled(frame: pd.DataFrame) -> list[str]:
    """The score that ranks beside shares of wins: of battles (blocks of two outputs) strength."""
    return [bradley_terry.STRENGTH] if frame["position"].max() == 2 else []


def meetings(counts: PairCounts) -> pd.DataFrame:
    """Who met whom, how uneven opponents were, and what ties did, in order of strength.

    Columns rank, system, comparisons, opponents (systems met), other (the one met most often) and
    share (of the comparisons that are with it), opponents_strength (mean of those met, a comparison
    each), ties, rank_bojar (by the share of decided comparisons won), rank_decided (by strength
    with ties left out).
    """
    met = counts.wins + counts.wins.T + counts.ties
    total, most = met.sum(axis=1), met.argmax(axis=1)
    strength = bradley_terry.strengths(counts)
    decided = bradley_terry.strengths(replace(counts, ties=0 * counts.ties))
    ratio = np.nan_to_num(wins_over_decided(counts), nan=-1.0)
    names = np.array(counts.systems, dtype=object)
    out = pd.DataFrame({"rank": ranges.ranks(strength), "system": names, "comparisons": total})
    out["opponents"] = (met > 0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        out["other"], out["share"] = names[most], met.max(axis=1) / total
        out["opponents_strength"] = met @ strength / total
    out["ties"] = counts.ties.sum(axis=1)
    out["rank_bojar"], out["rank_decided"] = ranges.ranks(ratio), ranges.ranks(decided)
    return out.sort_values("rank", ignore_index=True)
