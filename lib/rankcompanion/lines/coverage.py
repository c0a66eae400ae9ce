"""Do rank sets hold the true ranks as often as they promise? By simulation from a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from statsmodels.stats.proportion import proportion_confint

from rankstability.judgments import counted
from rankstability.rank.certainty import certainty
from rankstability.score.scored import from_assessment

from ..models.truth import Truth

COLUMNS = ["unit", "covered", "covered_low", "covered_high", "width", "draws"]


def coverage(
    truth: Truth | None, units: Sequence[str], rng: np.random.Generator, draws: int = 100
) -> pd.DataFrame:
    """How often all rank sets hold the true ranks, over `draws` simulated campaigns.

    Scores are drawn from the fitted components on the campaign's own tasks (without a `truth`, from
    `truth.known_truth`, nothing can be simulated, and the frame is empty), systems ranked by their
    raw means. `units` are kinds that `certainty` takes, and ``segment`` for contrast.

    Columns unit, covered (share of campaigns in which the sets hold all true ranks), covered_low,
    covered_high (95 %, Wilson's), width (mean number of ranks in a set), draws.
    """
    if truth is None or not units:
        return pd.DataFrame(columns=COLUMNS)
    scores = truth.draw(draws, rng)
    kept = counted(truth.da.good)
    judged = from_assessment(truth.da, scores[:, 0])
    quality = truth.quality.reindex(list(judged.systems)).to_numpy(float)
    true_rank = rankdata(-quality, method="ordinal")
    rows = []
    for unit in units:
        inside, width = 0, 0.0
        for k in range(draws):
            sure = certainty(replace(judged, score=scores[kept, k]), unit)
            rank = true_rank[sure.order]
            inside += bool(((sure.low <= rank) & (rank <= sure.high)).all())
            width += float((sure.high - sure.low + 1).mean()) / draws
        low, high = proportion_confint(inside, draws, method="wilson")
        rows.append((unit, inside / draws, float(low), float(high), width, draws))
    return pd.DataFrame(rows, columns=COLUMNS)
