"""MQM systems ranked under each normalisation of the raters, with clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..score.mqm import NORMALISATIONS, Ratings
from ..study import srp, srp_studies
from .ranking import Ranking, rank

PERMUTATIONS, SEED = 500, 20240601


def rank_ratings(
    data: Ratings,
    normalisation: str = "none",
    *,
    rule: str = "knowles",
    alpha: float = 0.05,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> Ranking:
    """Systems by mean score per segment, the ratings of an item normalised and averaged.

    The score is the negative of MQM, so that higher is better as everywhere in `Ranking`; the test
    is that of Riley et al. (2024, section 5): labels swapped document by document.

    Parameters
    ----------
    normalisation : str
        A name of `mqm.NORMALISATIONS`; raters are normalised by all systems in `data`.
    rule, alpha
        See `ranking.rank`.

    Returns
    -------
    Ranking
        Columns rank, system, minus_mqm (in the unit of the normalisation), errors (per segment and
        rating, as marked), cluster.
    """
    systems, documents, depth = data.shape
    design = srp_studies.Design(
        normalisation=normalisation, ratings_per_item=depth, permutations=permutations
    )
    everything = np.arange(documents)[None, :]
    choice = np.zeros((1, systems, documents), dtype=int)  # the one choice: all raters
    sums, segments = srp_studies.item_scores(data, design, everything, choice)
    flat, _ = srp.permutation_test(sums, permutations, np.random.default_rng(seed))
    p = np.full((systems, systems), np.nan)
    i, j = np.triu_indices(systems, 1)
    p[i, j] = p[j, i] = flat[0]
    means = -sums[0].sum(axis=1) / segments.sum()
    rated = data.segments.sum() * depth
    table = pd.DataFrame(
        {
            "system": list(data.systems),
            "minus_mqm": means + 0.0,
            "errors": data.errors.sum(axis=(1, 2)) / rated,
        }
    )
    lead = means[:, None] - means[None, :]
    test = f"{permutations} permutations"
    return rank(table, p, lead, by="minus_mqm", test=test, rule=rule, alpha=alpha)


def by_normalisation(data: Ratings) -> pd.DataFrame:
    """The rankings under all normalisations, one under the other.

    Returns
    -------
    DataFrame
        normalisation, rank, system, minus_mqm, cluster, line_below (0 or 1).
    """
    frames = []
    for name in NORMALISATIONS:
        ranking = rank_ratings(data, name)
        table = ranking.table[["rank", "system", "minus_mqm", "cluster"]].copy()
        table["line_below"] = table["rank"].isin(ranking.lines).astype(int)
        table.insert(0, "normalisation", name)
        frames.append(table)
    return pd.concat(frames, ignore_index=True)
