"""SRP for every protocol: two studies of the same size that share no judgment.

What a campaign's judgments hang together by is drawn as a whole: workers (direct assessment),
blocks (relative ranking), documents (MQM). Each draw makes two disjoint studies, and SRP is the
share of ordered pairs of such twins whose significant differences the other one reflects. Unlike
the simulation of Riley et al. (2024), whose studies share documents and have three raters to draw
from, this can be done on any campaign, at up to half of its judgments, and so compares campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from rankstability.chance import in_parallel, named_generator
from rankstability.errors import DataError
from rankstability.rank.srp import COLUMNS, stability

from .twin_samplers import Sampler

LEVELS = (0.125, 0.25, 0.5, 0.75, 1.0)  # shares of half a campaign
SRP_COLUMNS = ["pair", *(name for name in COLUMNS if name != "document_sets")]
EFFORT_COLUMNS = [
    *("campaign", "label", "pair", "task", "normalisation", "unit", "units", "systems"),
    *("level", "effort", *SRP_COLUMNS[6:], "grouping", "balance", "ratings_per_item", "documents"),
]


def twins(
    units: int, size: int, splits: int, rng: np.random.Generator, unit: str = "units"
) -> np.ndarray:
    """Pairs of disjoint samples: (2 splits, size) positions; rows 2k and 2k + 1 share none."""
    if 2 * size > units or size < 1:
        need = max(1, size)
        problem = f"too few {unit} for two studies of {need} that share none"
        raise DataError(problem, value=units, expected=f"at least {2 * need} {unit}")
    drawn = np.argsort(rng.random((splits, units)), axis=1)[:, : 2 * size]
    return drawn.reshape(2 * splits, size)


def effort(
    samplers: Sequence[Sampler],
    campaign: str,
    label: str,
    pair: str,
    *,
    splits: int = 50,
    seed: int = 20240601,
    levels: Sequence[float] = LEVELS,
    jobs: int = 1,
) -> pd.DataFrame:
    """Stability against annotation effort: `stability` of twin studies of growing size.

    For the samplers of one language pair, so many `splits` (twins of disjoint studies) at each of
    the `levels`, study sizes as shares of half the campaign's units. A row per sampler and level
    with the columns `EFFORT_COLUMNS` (effort: judgments per system in one study).
    """
    todo = [(s, level, campaign, splits, seed) for s in samplers for level in levels]
    frame = pd.DataFrame(in_parallel(_at_level, todo, jobs))
    return frame.assign(campaign=campaign, label=label, pair=pair)[EFFORT_COLUMNS]


def _at_level(
    sampler: Sampler, level: float, campaign: str, splits: int, seed: int
) -> dict[str, Any]:
    size = max(1, round(level * (sampler.units // 2)))
    task, how, unit = sampler.task, sampler.normalisation, sampler.unit
    rng = named_generator(seed, f"{campaign}|{task}|{how}|{unit}|{level}")
    chosen = twins(sampler.units, size, splits, rng, unit)
    outcome, judged = sampler.draw(chosen, rng)
    row = {"task": task, "normalisation": how, "unit": unit, "units": size, "level": level}
    row |= {"systems": len(sampler.systems), "effort": judged} | stability(outcome)
    row |= {"grouping": sampler.grouping, "balance": "full", "ratings_per_item": 1}
    return row | {"documents": sampler.documents}


def usual(rows: pd.DataFrame) -> pd.DataFrame:
    """Of `effort`, each task's first way: direct assessment by workers with z-scores."""
    first = rows.groupby(["campaign", "task"])[["normalisation", "unit"]].transform("first")
    same = (rows["normalisation"] == first["normalisation"]) & (rows["unit"] == first["unit"])
    return rows[same]


def ways(rows: pd.DataFrame) -> pd.Series:
    """How the twins of each row of `effort` on direct assessment were drawn, in words."""
    shared = {"workers": "documents shared", "documents": "workers shared", "blocks": "both shared"}
    scores = rows["normalisation"].map({"z": "z-scores", "none": "raw scores"})
    return rows["unit"] + " drawn (" + rows["unit"].map(shared) + "), " + scores


def at_half(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over tasks at half of each campaign's judgments.

    Columns: label, tasks, srp, srp_low, srp_high (least and greatest), srp_equal_claims, kendall,
    effort, significant_share (of all pairs of systems); kendall_low, kendall_high (95 % t interval
    over tasks; NaN for one).
    """
    half = usual(rows)
    half = half[half["level"] == 1.0]
    possible = half["systems"] * (half["systems"] - 1) / 2
    of = half.assign(possible=possible).groupby("label", sort=False)
    frame = of[["srp", "srp_equal_claims", "kendall", "effort"]].mean()
    spread, tasks = of["kendall"].sem(), of.size()
    wide = student.isf(0.025, np.maximum(tasks - 1, 1)) * spread
    frame["kendall_low"], frame["kendall_high"] = frame["kendall"] - wide, frame["kendall"] + wide
    frame["significant_share"] = of["significant_pairs"].sum() / of["possible"].sum()
    frame.insert(0, "tasks", tasks)
    frame.insert(2, "srp_low", of["srp"].min())
    frame.insert(3, "srp_high", of["srp"].max())
    return frame.reset_index()
