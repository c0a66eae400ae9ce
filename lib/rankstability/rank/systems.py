"""Systems ranked: direct assessment, MQM under each normalisation, counts of wins."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment
from ..score import rr
from ..score.mqm import NORMALISATIONS, Ratings, normalised
from ..score.pairwise import PairCounts
from ..score.rr import REFERENCE
from ..score.scored import Scores
from .bradley_terry import STRENGTH, strengths
from .ranking import Ranking, rank, without_score
from .recipes import Recipe, counted_by, made_by, recipe_named, recipe_table
from .significance import correct, permutation_test, rank_sum, sign_test

PERMUTATIONS, SEED = 500, 20240601
SIGN_TEST = "sign test"
UNSCORED = -1.0  # the score of a system without a comparison that counts: it stands last
_RULES = {  # the recipes whose lines one of `CLUSTER_RULES` draws: these can be drawn anew
    "wmt17": "knowles",
    "wmt24": "all above beat all below",
    "wmt26-2026-08": "all above beat all below",
    "wmt26": "all above beat all below",
}


def rank_systems(
    scores: Scores,
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
    scores : Scores
        The tests are on these, segment by segment.
    test : str
        A name of `TESTS`.
    rule : str
        A name of `CLUSTER_RULES`: where lines between clusters are drawn.
    alpha : float
        Significant means p < alpha.
    correction : str
        A name of `significance.CORRECTIONS`, over all pairs of systems; not of a one-sided test.
    by : str
        ``mean_z`` or ``mean_raw``; the tests are on the same scores.

    Returns
    -------
    Ranking
        Columns rank, system, mean_raw, mean_z, segments, judgments, cluster.

    Examples
    --------
    >>> from rankstability import load, rank_systems, segment_scores
    >>> ranking = rank_systems(segment_scores(load("demo-srdc", "de-en")))
    >>> ranking.systems[0]
    'HUMAN.0'
    """
    if test == "greater" and correction != "none":
        problem = "corrections are over pairs of systems, 'greater' has two p-values for each"
        raise DataError(problem, value=correction, expected="correction none, or another test")
    values = scores.score if by == "mean_z" else scores.raw
    known = np.isfinite(values)
    if by == "mean_z" and scores.causes:
        raise without_score(by, scores.causes, scores.file)
    p, lead = rank_sum(values[known], scores.system[known], len(scores.systems), test)
    p, test = correct(p, correction), _corrected(test, correction)
    return rank(scores.system_means(), p, lead, by=by, test=test, rule=rule, alpha=alpha)


def _corrected(test: str, correction: str) -> str:
    return test if correction == "none" else f"{test}, {correction}"


def rank_by_recipe(
    judgments: DirectAssessment | pd.DataFrame,
    recipe: str | Recipe = "wmt24",
    alpha: float = 0.05,
    rng: np.random.Generator | None = None,
) -> Ranking:
    """The ranking of systems as one year of WMT made it: its rows, score, test and lines.

    Parameters
    ----------
    judgments : DirectAssessment or DataFrame
        From `load`: DA, ESA, released segment scores, or MQM.
    recipe : str or Recipe
        ``wmt17`` (2017 to 2021), ``wmt23``, ``wmt24``, ``wmt25``, ``wmt26``, or the drafts
        ``wmt25-2025-08`` and ``wmt26-2026-08``; see `RECIPES`.
    alpha : float
        Of each test.
    rng : numpy.random.Generator, optional
        For ``wmt26``, whose lines are drawn by chance; by default always the same.

    Returns
    -------
    Ranking
        Columns rank, system, score, rank_low, rank_high (the recipe's own range), cluster.

    Examples
    --------
    >>> from rankstability import load, rank_by_recipe
    >>> ranking = rank_by_recipe(load("demo-srdc", "de-en"), "wmt25")
    >>> ranking.systems[0]
    'HUMAN.0'
    """
    by = recipe_named(recipe) if isinstance(recipe, str) else recipe
    judged = counted_by(judgments, by)
    made = made_by(judged, by, alpha, rng)
    table = recipe_table(by, made, judged.systems).drop(columns="recipe")
    upper = np.triu(np.nan_to_num(made.p, nan=1.0), 1)
    p = upper + upper.T
    np.fill_diagonal(p, np.nan)
    lead = made.score[:, None] - made.score[None, :]
    rule = _RULES.get(by.name, by.line_rule)
    return Ranking(table, p, lead, by="score", test=by.test_name, rule=rule, alpha=alpha)


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

    Raters are normalised by all systems in `data` (a name of `mqm.NORMALISATIONS`).

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
    errors = data.errors.sum(axis=(1, 2)) / (data.segments.sum() * depth)
    table = pd.DataFrame({"system": data.systems, "minus_mqm": means + 0.0, "errors": errors})
    lead = means[:, None] - means[None, :]
    test = f"{permutations} permutations"
    return rank(table, p, lead, by="minus_mqm", test=test, rule=rule, alpha=alpha)


def by_normalisation(data: Ratings) -> pd.DataFrame:
    """The rankings under all normalisations, one under the other.

    Columns normalisation, rank, system, minus_mqm, cluster, line_below (0 or 1).
    """
    frames = [rank_ratings(data, name).named(normalisation=name) for name in NORMALISATIONS]
    return pd.concat(frames, ignore_index=True)


def count_tests(counts: PairCounts, correction: str = "none") -> tuple[np.ndarray, np.ndarray]:
    """Sign tests as matrices for `ranking.rank`: p (NaN on the diagonal), and wins - losses."""
    p = sign_test(counts.wins, counts.wins.T)
    np.fill_diagonal(p, np.nan)
    return correct(p, correction), counts.wins - counts.wins.T


def rank_counts(
    counts: PairCounts,
    method: str = "bojar",
    *,
    correction: str = "none",
    rule: str = "knowles",
    alpha: float = 0.05,
    tests: tuple[np.ndarray, np.ndarray] | None = None,
) -> Ranking:
    """A task's systems by a score, with clusters from the sign test; the reference is not ranked.

    The score is by a `method` of `score.rr.METHODS`; whether comparisons with the reference count
    is part of it. ``strength`` is by `bradley_terry.strengths`, without the reference. A system
    without a comparison that counts stands last, with `UNSCORED`. `tests`: `count_tests` of the
    systems without the reference, to save computing them again.
    """
    ranked = counts.without(REFERENCE)
    if method == STRENGTH:
        score = strengths(ranked)
    else:
        score = rr.method_of(method)(counts)[[*ranked.systems]].fillna(UNSCORED).to_numpy()
    table = pd.DataFrame({"system": ranked.systems, method: score})
    p, lead = tests if tests else count_tests(ranked, correction)
    name = _corrected(SIGN_TEST, correction)
    return rank(table, p, lead, by=method, test=name, rule=rule, alpha=alpha)
