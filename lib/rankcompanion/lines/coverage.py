"""Do rank ranges and rank sets hold the true rank as often as they promise? By simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from statsmodels.stats.proportion import proportion_confint

from rankstability.judgments import counted
from rankstability.rank.ranges import rank_ranges, ranks, trim_for
from rankstability.rank.redraws import draw_means
from rankstability.rank.sets import rank_sets
from rankstability.rank.units import FEWEST_UNITS, estimate
from rankstability.score.scored import Scored, from_assessment

from ..models.truth import Truth


def coverage(
    truth: Truth | None,
    units: Sequence[str],
    rng: np.random.Generator,
    draws: int = 100,
    *,
    resamples: int = 200,
    multipliers: int = 500,
) -> pd.DataFrame:
    """How often ranges and sets by each unit hold the true ranks, over `draws` simulated campaigns.

    Scores are drawn from the fitted components on the campaign's own tasks (without a `truth`, from
    `truth.known_truth`, nothing can be simulated, and the frame is empty), systems ranked by their
    raw means. `units` are of `rank.units.UNITS`, and ``segment`` for contrast; `resamples` of the
    bootstrap behind ranges, `multipliers` of the maximum behind sets.

    Columns unit, kind (``range``, ``marginal``, ``simultaneous``), covered, covered_low,
    covered_high, width (ranks), draws. Shares: of systems for ranges and marginal sets (the
    interval by the spread between draws), of campaigns in which all systems are held for
    simultaneous ones (Wilson's). Units of which there are fewer than `FEWEST_UNITS` get none.
    """
    columns = ["unit", "kind", "covered", "covered_low", "covered_high", "width", "draws"]
    if truth is None or not units:
        return pd.DataFrame(columns=columns)
    scores = truth.draw(draws, rng)
    kept = counted(truth.da.good)
    judged = from_assessment(truth.da, scores[:, 0])
    quality = truth.quality.reindex(list(judged.systems)).to_numpy(float)
    true_rank = rankdata(-quality, method="ordinal")
    held: dict[tuple[str, str], list[np.ndarray]] = {}
    for k in range(draws):
        one = replace(judged, score=scores[kept, k])
        for unit in units:
            for kind, low, high in _said(one, unit, rng, resamples, multipliers):
                inside = (low <= true_rank) & (true_rank <= high)
                held.setdefault((unit, kind), []).append(np.vstack([inside, high - low + 1]))
    rows = [(*key, *_share(key[1], np.array(told)), draws) for key, told in held.items()]
    return pd.DataFrame(rows, columns=columns)


def _said(
    one: Scored, unit: str, rng: np.random.Generator, resamples: int, multipliers: int
) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Kind, lowest and highest rank of each system, as these data say by this unit."""
    sure = estimate(one, unit)
    if sure.units < FEWEST_UNITS:
        return []
    drawn = ranks(draw_means(one, unit, rng, resamples))
    sets = rank_sets(sure, rng, draws=multipliers)
    out = [("range", *rank_ranges(drawn, trim_for(resamples)))]
    for kind in ("marginal", "simultaneous"):
        out.append((kind, sets[f"{kind}_low"].to_numpy(), sets[f"{kind}_high"].to_numpy()))
    return out


def _share(kind: str, told: np.ndarray) -> tuple[float, float, float, float]:
    """Share covered with its 95 % interval, and the mean width; `told` is draws x 2 x systems."""
    draws, width = len(told), float(told[:, 1].mean())
    if kind == "simultaneous":
        all_held = int(told[:, 0].all(axis=1).sum())
        low, high = proportion_confint(all_held, draws, method="wilson")
        return all_held / draws, float(low), float(high), width
    each = told[:, 0].mean(axis=1)
    half = 1.96 * each.std(ddof=1) / np.sqrt(draws) if draws > 1 else np.nan
    return float(each.mean()), each.mean() - half, min(each.mean() + half, 1.0), width
