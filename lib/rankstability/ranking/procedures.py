"""How each year of WMT made a ranking: which rows, which score, which test, which boundaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import Judgments
from ..scores.arrays import ScoreArrays
from ..scores.build import (
    COUNTED,
    NO_BAD_DOCUMENT,
    counted_rows,
    refuse_lost_systems,
    score_arrays,
)
from .paired import (
    paired_or_independent_bootstrap,
    rank_sum_on_shared_segments,
    signed_rank_by_domain,
    signed_rank_of_all_differences,
)
from .rules import BOUNDARY_RULES, clusters, ranges_are_disjoint
from .screening import kept_by_screening
from .tests import pairwise_p

Test = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
Draw = Callable[[np.ndarray], np.ndarray]
SEED = 20260803  # for a procedure with random tests, if no generator is given
PLAIN = "plain"


@dataclass(frozen=True)
class Procedure:
    """How one year of WMT went from judgments to cluster boundaries.

    Attributes
    ----------
    name, title : str
        The name in `PROCEDURES`, and the procedure in words.
    since : int
        The first year of campaigns that were ranked in this way; 0 if no year was.
    test : function
        Scores (segments, systems; or judgments, segments, systems if repeats are kept apart; in
        order of the ranking), the domain of each segment, and a generator, to the p of pairs;
        above the diagonal, of the better-ranked system against the other.
    draw : function
        Significant pairs (above the diagonal) to the boundaries (True at k - 1 for one below rank
        k).
    test_name, rule_name, source : str
        The test and the rule in words, and where they are documented.
    rows : str
        Which judgments count: one of `scores.build.ROWS`.
    score : str
        ``z`` (by annotator) or ``raw``.
    by_domain : bool
        Whether systems are ordered by the mean over domains of a domain's mean.
    keep_repeats : bool
        Whether judgments of an output are kept apart (of MQM, only the first counts).
    screened : bool
        Whether annotators who disagree with all others are left out.
    """

    name: str
    title: str
    since: int
    test: Test
    draw: Draw
    test_name: str
    rule_name: str
    source: str
    rows: str = COUNTED
    score: str = "raw"
    by_domain: bool = False
    keep_repeats: bool = False
    screened: bool = False


def _by_rule(rule: str) -> Draw:
    """Return the drawing of a rule of `BOUNDARY_RULES`."""
    return lambda significant: BOUNDARY_RULES[rule](significant, significant)


def _fewest_wins(significant: np.ndarray) -> np.ndarray:
    """Draw a boundary where the fewest wins above it equal the number of systems below."""
    n = len(significant)
    wins = np.triu(significant, 1).sum(axis=1)
    fewest = np.minimum.accumulate(wins)[: n - 1]
    return np.asarray(fewest == n - 1 - np.arange(n - 1))


def ranks_by_neighbours(significant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rank ranges: up and down to the first system that differs significantly."""
    n = len(significant)
    best = np.empty(n, int)
    worst = np.empty(n, int)
    for k in range(n):
        above = np.flatnonzero(significant[:k, k])
        below = np.flatnonzero(significant[k, k + 1 :])
        best[k] = above[-1] + 2 if len(above) else 1
        worst[k] = k + 1 + below[0] if len(below) else n
    return best, worst


def _disjoint_neighbours(significant: np.ndarray) -> np.ndarray:
    """Draw a boundary where the ranges of `ranks_by_neighbours` do not overlap."""
    return ranges_are_disjoint(*ranks_by_neighbours(significant))


def _no_boundaries(significant: np.ndarray) -> np.ndarray:
    return np.zeros(len(significant) - 1, bool)


def _crossed(scores: np.ndarray) -> np.ndarray:
    """Return one-sided signed rank tests of all differences, p doubled.

    The organisers halve alpha, because each judgment is used twice.
    """
    scores = scores[None] if scores.ndim == 2 else scores
    doubled: np.ndarray = np.minimum(2 * signed_rank_of_all_differences(scores), 1.0)
    return doubled


PROCEDURES: dict[str, Procedure] = {
    procedure.name: procedure
    for procedure in (
        Procedure(
            name="wmt17",
            title="WMT's procedure of 2017 to 2021",
            since=2017,
            score="z",
            test=lambda scores, domain, rng: pairwise_p(scores, "mann_whitney_halved"),
            draw=_by_rule("knowles2021"),
            test_name="Mann-Whitney U (half the two-sided p-value, as in SciPy before 1.7)",
            rule_name="below a system that differs from every system below it",
            source="Knowles 2021, section 3; the scripts of WMT17 to WMT21",
        ),
        Procedure(
            name="wmt23",
            title="WMT's procedure of 2022 and 2023",
            since=2022,
            rows=NO_BAD_DOCUMENT,
            test=lambda scores, domain, rng: rank_sum_on_shared_segments(scores),
            draw=_fewest_wins,
            test_name="Mann-Whitney U, one-sided, on the segments that both systems have",
            rule_name="where the fewest wins so far equal the number of systems below",
            source="Appraise, ComputeWMT23Results",
        ),
        Procedure(
            name="wmt24",
            title="WMT's procedure of 2024",
            since=2024,
            by_domain=True,
            test=lambda scores, domain, rng: signed_rank_by_domain(scores, domain),
            draw=_by_rule("all_above_beat_all_below"),
            test_name="Wilcoxon signed rank within each domain, two-sided, combined by Stouffer",
            rule_name="where every system above differs from every system below",
            source="wmt24-news-systems, calculate_clusters",
        ),
        Procedure(
            name="wmt25",
            title="WMT's procedure of 2025",
            since=2025,
            keep_repeats=True,
            test=lambda scores, domain, rng: _crossed(scores),
            draw=_disjoint_neighbours,
            test_name="Wilcoxon signed rank of all differences between judgments, one-sided",
            rule_name="where the ranges to the first significant neighbour do not overlap",
            source="wmt25-general-mt, 08-compute_clusters and 08-compute_clustersMQM",
        ),
        Procedure(
            name="wmt26",
            title="WMT's procedure of 2026",
            since=2026,
            screened=True,
            test=lambda scores, domain, rng: paired_or_independent_bootstrap(scores, rng),
            draw=_by_rule("all_above_beat_all_below"),
            test_name="a paired or an independent bootstrap (BCa, 100 resamples), one-sided",
            rule_name="where every system above differs from every system below",
            source="wmt26-general-mt, 02a-filter_data and 02b-analyze_results",
        ),
        Procedure(
            name=PLAIN,
            title="plain means",
            since=0,
            test=lambda scores, domain, rng: np.full((scores.shape[-1],) * 2, np.nan),
            draw=_no_boundaries,
            test_name="none",
            rule_name="none",
            source="",
        ),
    )
}
"""The ranking procedures by name: one year of WMT each, and ``plain`` means without boundaries."""


def procedure_named(name: str) -> Procedure:
    """Return the procedure of this name; DataError ``unknown_procedure`` if there is none."""
    if name not in PROCEDURES:
        raise DataError("unknown_procedure", value=name, known=PROCEDURES)
    return PROCEDURES[name]


def default_procedure(judgments: Judgments) -> str:
    """Return the name of the procedure of the campaign's year; ``plain`` for data without one.

    Released segment scores are ranked as in the years in which they were released, 2017 to 2021;
    MQM before 2024 counts as 2024.
    """
    if not judgments.year:
        return PLAIN
    if judgments.kind == "segment_scores":
        return "wmt17"
    year = max(judgments.year, 2024 if judgments.kind == "mqm" else 2017)
    return [each.name for each in PROCEDURES.values() if each.since and each.since <= year][-1]


def choose_procedure(judgments: Judgments, name: str | None = None) -> Procedure:
    """Return the procedure of this name, or by default that of the campaign's year."""
    return procedure_named(name or default_procedure(judgments))


def scores_for(judgments: Judgments, procedure: Procedure) -> ScoreArrays:
    """Return the judgments that a procedure counts, with the score that it takes.

    Raises DataError ``system_without_score`` if the procedure leaves out all judgments of a system.
    """
    scores = score_arrays(
        judgments,
        procedure.score,
        rows=procedure.rows,
        first_rating=procedure.keep_repeats,
    )
    if procedure.screened:
        scores = scores.take(kept_by_screening(scores))
    left = pd.Series(scores.systems, dtype=object).iloc[np.unique(scores.system)]
    refuse_lost_systems(judgments.table["system"][counted_rows(judgments)], left)
    return scores


def mean_over_domains(scores: np.ndarray, domain: np.ndarray, by_domain: bool) -> np.ndarray:
    """Return the mean by which a procedure orders systems, over segments or over domains' means.

    `scores` have shape (segments, systems), NaN where not judged; or a leading axis of judgments.
    """
    if not by_domain:
        return _mean(scores)
    return _mean(np.array([_mean(scores[..., domain == d, :]) for d in np.unique(domain)]))


def _mean(scores: np.ndarray) -> np.ndarray:
    """Return the mean of each system over all that is known; NaN if nothing is."""
    scores = scores.reshape(-1, scores.shape[-1])
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: np.ndarray = np.where(known, scores, 0.0).sum(axis=0) / known.sum(axis=0)
    return mean


@dataclass(frozen=True)
class Drawn:
    """What a procedure makes of scores: order, scores, p-values and boundaries."""

    order: np.ndarray
    score: np.ndarray
    p: np.ndarray
    boundaries: np.ndarray

    def table(self, systems: Sequence[str]) -> pd.DataFrame:
        """Return rank, system, score and cluster; best first."""
        names = np.array(systems, dtype=object)[self.order]
        rank = np.arange(1, len(self.order) + 1)
        cluster = clusters(self.boundaries)[: len(rank)]
        return pd.DataFrame(
            {"rank": rank, "system": names, "score": self.score, "cluster": cluster}
        )


def apply_procedure(
    procedure: Procedure,
    scores: np.ndarray,
    domain: np.ndarray | None = None,
    alpha: float = 0.05,
    rng: np.random.Generator | None = None,
) -> Drawn:
    """Order systems by a procedure's mean, test all pairs at `alpha`, and draw its boundaries.

    Parameters
    ----------
    procedure : Procedure
        What is done.
    scores : array, shape (segments, systems)
        NaN where not judged; with a leading axis of judgments if the procedure keeps repeats.
    domain : array of int, shape (segments,), optional
        The domain of each segment.
    alpha : float
        The level of each test.
    rng : Generator, optional
        For a procedure with random tests; by default seeded with `SEED`.
    """
    domain = np.zeros(scores.shape[-2], int) if domain is None else domain
    known = np.isfinite(scores).any(axis=-1)
    known = known if known.ndim == 1 else known.any(axis=0)
    scores = scores[..., known, :]
    domain = domain[known]
    mean = mean_over_domains(scores, domain, procedure.by_domain)
    order = np.argsort(-mean, kind="stable")
    rng = np.random.default_rng(SEED) if rng is None else rng
    p = procedure.test(scores[..., order], domain, rng)
    boundaries = procedure.draw(p < alpha)  # a pair without p is not significant
    p = np.where(np.tri(len(p), dtype=bool), p.T, p)  # the upper triangle counts
    return Drawn(order, mean[order], p, boundaries)


def draw_ranking(
    scores: ScoreArrays,
    procedure: Procedure,
    alpha: float = 0.05,
    rng: np.random.Generator | None = None,
) -> Drawn:
    """Return what a procedure makes of the judgments that it counts."""
    values = scores.stack() if procedure.keep_repeats else scores.matrix()
    domain = np.zeros(len(scores.segments), int)
    if "domain" in scores.units:
        domain = scores.segment_unit("domain")
    return apply_procedure(procedure, values, domain, alpha, rng)
