"""Rankings of systems: direct assessment, MQM under each normalisation, counts of wins."""

import numpy as np
import pandas as pd

from ..errors import DataError
from ..score import rr
from ..score.pairwise import PairCounts
from ..score.rr import REFERENCE
from ..score.scored import Scores
from .bradley_terry import STRENGTH, strengths
from .ranking import Ranking, rank, without_score
from .significance import (
    CORRECTIONS,
    correct,
    rank_sum,
    sign_test,
)

SIGN_TEST = "sign test"
NOTES = {name: "" if name == "none" else f", {name}" for name in CORRECTIONS}
# the score of a system without a comparison that counts: it comes last
UNSCORED = -1.0


def rank_scores(
    scores: Scores,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
    correction: str = "none",
    by: str = "mean_z",
) -> Ranking:
    """Systems by the mean of their `segment_scores`, with tests of all pairs and clusters.

    `test` is a name of `TESTS`, `rule` of `CLUSTER_RULES`, `correction` of
    `significance.CORRECTIONS` (over all pairs of systems; not for one-sided tests); significant
    means p < `alpha`. `by` is ``mean_z`` or ``mean_raw``; the tests are on the same scores.

    Columns rank, system, mean_raw, mean_z, segments, judgments, cluster. Raises DataError for an
    unknown name, a combination that is excluded above, a level outside (0, 1), or a system without
    a score.
    """
    if test == "greater" and correction != "none":
        problem = "corrections need one p-value for each pair of systems; 'greater' has two"
        raise DataError(
            problem,
            value=correction,
            expected="correction none, or another test",
        )
    values = scores.score if by == "mean_z" else scores.raw
    known = np.isfinite(values)
    if by == "mean_z" and scores.causes:
        raise without_score(by, scores.causes, scores.file)
    p, lead = rank_sum(
        values[known], scores.system[known], len(scores.systems), test
    )
    p = correct(p, correction)
    test = test + NOTES[correction]
    return rank(
        scores.system_means(),
        p,
        lead,
        by=by,
        test=test,
        rule=rule,
        alpha=alpha,
    )


def count_tests(
    counts: PairCounts, correction: str = "none"
) -> tuple[np.ndarray, np.ndarray]:
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

    The score is a `method` of `score.rr.METHODS`, which decides whether comparisons with the
    reference count; or ``strength``, by `bradley_terry.strengths` without the reference. A system
    without a comparison that counts comes last, with `UNSCORED`. `tests`, if already computed, are
    the `count_tests` of the systems without the reference. Raises DataError for an unknown method.
    """
    ranked = counts.without(REFERENCE)
    if method == STRENGTH:
        score = strengths(ranked)
    else:
        score = (
            rr.method_of(method)(counts)[[*ranked.systems]]
            .fillna(UNSCORED)
            .to_numpy()
        )
    table = pd.DataFrame({"system": ranked.systems, method: score})
    p, lead = tests if tests else count_tests(ranked, correction)
    test = SIGN_TEST + NOTES[correction]
    return rank(table, p, lead, by=method, test=test, rule=rule, alpha=alpha)
