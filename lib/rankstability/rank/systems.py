"""Systems ranked: direct assessment, and MQM under each normalisation of the raters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError
from ..score.da import SegmentScores
from ..score.mqm import NORMALISATIONS, Ratings, normalised
from .ranking import Ranking, rank
from .significance import correct, permutation_test, rank_sum

PERMUTATIONS, SEED = 500, 20240601


def rank_systems(
    scores: SegmentScores,
    *,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
    correction: str = "none",
    by: str = "mean_z",
) -> Ranking:
    """The ranking of systems by mean z (or raw) score, with tests of all pairs and clusters.

    Parameters
    ----------
    scores : SegmentScores
        The tests are on these, segment by segment.
    test : str
        A name of `TESTS`.
    rule : str
        A name of `CLUSTER_RULES`: where lines between clusters are drawn.
    alpha : float
        Significant means p < alpha.
    correction : str
        A name of `significance.CORRECTIONS`, over all pairs of systems.
    by : str
        ``mean_z`` or ``mean_raw``; the tests are on the same scores.

    Returns
    -------
    Ranking
        Columns rank, system, mean_raw, mean_z, segments, judgments, cluster.

    Raises
    ------
    DataError
        Unknown names, a one-sided test with a correction, or a system without a score.

    Examples
    --------
    >>> from rankstability import load, rank_systems, segment_scores
    >>> ranking = rank_systems(segment_scores(load("demo-srdc", "de-en")))
    >>> ranking.systems[0]
    'HUMAN.0'
    """
    if test == "greater" and correction != "none":
        raise DataError(
            "corrections are over pairs of systems, 'greater' has two p-values for each",
            value=correction,
            expected="correction none, or another test",
        )
    values = scores.z if by == "mean_z" else scores.raw
    known = np.isfinite(values)
    n = len(scores.systems)
    p, lead = rank_sum(values[known], scores.system[known], n, test)
    return rank(
        scores.system_means(),
        correct(p, correction),
        lead,
        by=by,
        test=test if correction == "none" else f"{test}, {correction}",
        rule=rule,
        alpha=alpha,
    )


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
    systems, _, depth = data.shape
    sums = normalised(data, normalisation)
    flat, _ = permutation_test(sums[None], permutations, np.random.default_rng(seed))
    p = np.full((systems, systems), np.nan)
    i, j = np.triu_indices(systems, 1)
    p[i, j] = p[j, i] = flat[0]
    means = -sums.sum(axis=1) / data.segments.sum()
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
