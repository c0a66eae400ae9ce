"""Whom each system met in battles, and how strong its opponents were."""

from dataclasses import replace

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.battles import finite_strengths
from companion.legacy.rankstability.rank.bradley_terry import strengths
from companion.legacy.rankstability.score.pairwise import PairCounts, wins_over_decided

from .ranges import ranks


def meetings(counts: PairCounts) -> pd.DataFrame:
    """Whom each system met, how strong its opponents were, and the effect of ties, by strength.

    Columns rank, system, comparisons, opponents (number of systems met), other (the one met most
    often), share (of comparisons with that one), opponents_strength (mean over comparisons), ties,
    rank_bojar (by the share of decided comparisons won), rank_decided (by strength without ties).

    Systems whose strength is infinite come last, as in a ranking, and do not count as opponents of
    any strength; if all are such, `bradley_terry.strengths` orders them.
    """
    met = counts.wins + counts.wins.T + counts.ties
    total = met.sum(axis=1)
    most = met.argmax(axis=1)
    names = np.array(counts.systems, dtype=object)
    ratio = np.nan_to_num(wins_over_decided(counts), nan=-1.0)
    strength = finite_strengths(counts)
    inside = ~np.isnan(strength)
    if not inside.any():
        strength = strengths(counts)
        inside[:] = True
    joined = counts.without(*names[~inside])
    decided = np.full(len(names), np.nan)
    decided[inside] = strengths(replace(joined, ties=0 * joined.ties))
    place, place_decided = (
        np.where(inside, one, np.nanmin(one) - 3 + ratio)
        for one in (strength, decided)
    )
    known = met * inside  # comparisons with systems of known strength
    out = pd.DataFrame(
        {"rank": ranks(place), "system": names, "comparisons": total}
    )
    out["opponents"] = (met > 0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        out["other"] = names[most]
        out["share"] = met.max(axis=1) / total
        of_known = known @ np.nan_to_num(strength)
        out["opponents_strength"] = of_known / known.sum(axis=1)
    out["ties"] = counts.ties.sum(axis=1)
    out["rank_bojar"] = ranks(ratio)
    out["rank_decided"] = ranks(place_decided)
    return out.sort_values("rank", ignore_index=True)
