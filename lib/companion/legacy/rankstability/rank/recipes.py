"""How each year of WMT made a ranking: score, test and line rule, from the organisers' scripts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, select_rows
from ..score.scored import Scores, scored
from ..score.screening import kept_users
from .paired import (
    either_bootstrap,
    rank_sum_shared,
    rank_sums,
    signed_rank_by_domain,
    signed_rank_crossed,
)
from .ranking import CLUSTER_RULES, Ranking, clusters, disjoint_ranges

Test = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
Ranges = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Lines = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
SEED = 20260803  # for a recipe with random tests, if no generator is given


@dataclass(frozen=True)
class Recipe:
    """How one year of WMT went from judgments to lines: all that makes a recipe is in one of these.

    Attributes
    ----------
    since : int
        The first year whose campaigns have this as their own recipe.
    rows : str
        Which judgments count: a name of ``judgments.ROWS``.
    score : str
        ``z`` (by worker) or ``raw``: what is averaged and tested.
    by_domain : bool
        Whether systems are ordered by the mean over domains of a domain's mean.
    apart : bool
        Whether the judgments of a segment are kept separate (of MQM, only the first counts) rather
        than averaged.
    screened : bool
        Whether users who disagree with all users are left out, see `score.screening`.
    test : function
        From scores (segments, systems; or judgments, segments, systems if kept separate; in order
        of the ranking), the domain of each segment and a generator to the p-values of pairs; above
        the diagonal, those of the better-ranked system against the other. Significant means
        p < alpha.
    lines : function
        From significant pairs (above the diagonal) to the best and worst rank of each system, and
        the places of lines: True at k - 1 for a line below rank k. See `by_rule`.
    test_form, line_rule, source : str
        The test in words, with its level as ``{alpha}``, ``{half}`` or ``{interval}``; where lines
        are drawn; and where that is written.
    rule : str
        The name in `CLUSTER_RULES` of the rule by which `lines` draws, if it has one.
    needs : tuple of str
        What judgments must name beside systems and segments: ``worker``.
    """

    name: str
    years: str
    since: int
    test: Test
    lines: Lines
    test_form: str
    line_rule: str
    source: str
    rule: str = ""
    needs: tuple[str, ...] = ()
    rows: str = "latest complete"
    score: str = "raw"
    by_domain: bool = False
    apart: bool = False
    screened: bool = False

    @property
    def test_name(self) -> str:
        """The test in words, at the level of WMT."""
        return self.test_at(0.05)

    def test_at(self, alpha: float) -> str:
        """The test in words, with its level."""
        return self.test_form.format(
            alpha=f"{alpha:g}".lstrip("0"),
            half=f"{alpha / 2:g}".lstrip("0"),
            interval=f"{100 * (1 - alpha):g}",
        )


def _crossed(scores: np.ndarray) -> np.ndarray:
    """One-sided signed rank tests of all differences between judgments of two systems, p doubled.

    The organisers halve alpha because each judgment is used twice.
    """
    scores = scores[None] if scores.ndim == 2 else scores
    return np.minimum(2 * signed_rank_crossed(scores), 1.0)


def _wins_and_losses(significant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst rank: below all that win against a system, above all that lose to it."""
    upper = np.triu(significant, 1)
    return 1 + upper.sum(axis=0), len(upper) - upper.sum(axis=1)


def _reach(significant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst rank: up and down to the first significant neighbour."""
    n = len(significant)
    best = np.empty(n, int)
    worst = np.empty(n, int)
    for k in range(n):
        above = np.flatnonzero(significant[:k, k])
        below = np.flatnonzero(significant[k, k + 1 :])
        best[k] = above[-1] + 2 if len(above) else 1
        worst[k] = k + 1 + below[0] if len(below) else n
    return best, worst


def by_rule(rule: str, ranges: Ranges = _wins_and_losses) -> Lines:
    """Lines by a rule of `CLUSTER_RULES`; rank ranges by wins and losses, or by `ranges`."""
    draw = CLUSTER_RULES[rule]
    return lambda significant: (
        *ranges(significant),
        draw(significant, significant),
    )


def _fewest_wins(
    significant: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A line where the fewest wins of any system above it equal the number of systems below."""
    n = len(significant)
    wins = np.triu(significant, 1).sum(axis=1)
    fewest = np.minimum.accumulate(wins)[: n - 1]
    return *_wins_and_losses(significant), fewest == n - 1 - np.arange(n - 1)


def _first_significant(
    significant: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A line where the ranges of `_reach` do not overlap."""
    best, worst = _reach(significant)
    return best, worst, disjoint_ranges(best, worst)


ALL_DIFFER = "a line where all above differ from all below"
RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="wmt17",
            years="2017 to 2021",
            since=2017,
            rows="good workers",
            score="z",
            needs=("worker",),
            test=lambda scores, domain, rng: rank_sums(scores, "scipy<1.7"),
            lines=by_rule("knowles"),
            rule="knowles",
            test_form="Mann-Whitney as SciPy did before 1.7 (half the two-sided p), {alpha}",
            line_rule="a line below a system that differs from all below it",
            source="Knowles 2021, section 3; the scripts of WMT17 to WMT21",
        ),
        Recipe(
            name="wmt23",
            years="2023, DA+SQM",
            since=2022,
            rows="no document with a bad item",
            test=lambda scores, domain, rng: rank_sum_shared(scores),
            lines=_fewest_wins,
            test_form="Mann-Whitney, one-sided, on the segments both systems have, {alpha}",
            line_rule="a line where the fewest wins so far equal the number of systems below",
            source="Appraise, ComputeWMT23Results",
        ),
        Recipe(
            name="wmt24",
            years="2024, ESA and MQM",
            since=2024,
            by_domain=True,
            test=lambda scores, domain, rng: signed_rank_by_domain(
                scores, domain
            ),
            lines=by_rule("all above beat all below"),
            rule="all above beat all below",
            test_form="Wilcoxon signed rank per domain, two-sided, combined by Stouffer, {alpha}",
            line_rule=ALL_DIFFER,
            source="wmt24-news-systems, calculate_clusters",
        ),
        Recipe(
            name="wmt25",
            years="2025, ESA and MQM",
            since=2025,
            apart=True,
            test=lambda scores, domain, rng: _crossed(scores),
            lines=_first_significant,
            test_form="Wilcoxon signed rank of all differences of a judgment of one system and one "
            "of the other, one-sided in the observed order, {half}",
            line_rule="a line where the ranges to the first significant neighbour do not overlap",
            source="wmt25-general-mt, 08-compute_clusters and 08-compute_clustersMQM",
        ),
        Recipe(
            name="wmt26",
            years="2026, cESA",
            since=2026,
            screened=True,
            test=lambda scores, domain, rng: either_bootstrap(scores, rng),
            lines=by_rule("all above beat all below", _reach),
            rule="all above beat all below",
            test_form="a paired or an independent bootstrap (BCa, 100 resamples) of the difference "
            "of means, its one-sided {interval} % interval above 0; by chance",
            line_rule=ALL_DIFFER,
            source="wmt26-general-mt, 02a-filter_data and 02b-analyze_results",
        ),
    )
}


def recipe_named(name: str) -> Recipe:
    """The recipe of this name. Raises DataError, with the known names, if there is none."""
    if name not in RECIPES:
        raise DataError(
            "unknown recipe", value=name, expected=", ".join(RECIPES)
        )
    return RECIPES[name]


def recipe_of_year(year: int, form: str) -> str:
    """The recipe of a campaign's own year, for its format (see `campaigns.Campaign`).

    Files of direct assessment as WMT17 to WMT21 released them (``da``, ``segments``) are ranked as
    in those years; all others by the latest recipe of their year, where an unknown year (0) and
    earlier years of MQM count as 2024.
    """
    if form in ("da", "segments"):
        return "wmt17"
    if year == 0 or form == "mqm":
        year = max(year, 2024)
    year = max(year, 2017)
    return [r.name for r in RECIPES.values() if r.since <= year][-1]


def counted_by(
    judgments: DirectAssessment | pd.DataFrame, recipe: Recipe
) -> Scores:
    """The judgments that a recipe counts, with the score it uses.

    `judgments` are as for `score.scored.scored`. Raises DataError if they do not have the score.
    """
    if isinstance(judgments, DirectAssessment):
        judgments = select_rows(judgments, recipe.rows)
    elif recipe.apart and "severity" in judgments:
        judgments = judgments.astype({"rater": str})
        keys = ["system", "document", "segment"]
        rater = judgments.groupby(keys, observed=True)["rater"]
        first = rater.transform("first")
        judgments = judgments[judgments["rater"] == first]
    judged = scored(judgments, recipe.score)
    return judged.take(kept_users(judged)) if recipe.screened else judged


def segment_domains(judged: Scores) -> np.ndarray:
    """The domain of each segment; one for all if the data name none."""
    if "domain" in judged.units:
        return judged.segment_unit("domain")
    return np.zeros(len(judged.segments), int)


def ordering_means(
    scores: np.ndarray, domain: np.ndarray, by_domain: bool
) -> np.ndarray:
    """The mean by which a recipe orders systems, over segments or over the means of domains.

    `scores` have shape (segments, systems), NaN where not judged; or a leading axis of judgments,
    all of which count equally.
    """
    if not by_domain:
        return _mean(scores)
    return _mean(
        np.array(
            [_mean(scores[..., domain == d, :]) for d in np.unique(domain)]
        )
    )


def _mean(scores: np.ndarray) -> np.ndarray:
    """The mean of each system over all that is known; NaN if nothing is."""
    scores = scores.reshape(-1, scores.shape[-1])
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore"):
        return np.where(known, scores, 0.0).sum(axis=0) / known.sum(axis=0)


def recipe_means(judged: Scores, recipe: Recipe) -> np.ndarray:
    """The mean by which the recipe orders each system."""
    scores, domain = _arrays(judged, recipe)
    return ordering_means(scores, domain, recipe.by_domain)


def made_by(
    judged: Scores,
    recipe: Recipe,
    alpha: float = 0.05,
    rng: np.random.Generator | None = None,
) -> Ranking:
    """The recipe's order, tests and lines on the judgments that it counts; `rng` as for `make`."""
    return make(recipe, *_arrays(judged, recipe), alpha, rng, judged.systems)


def _arrays(judged: Scores, recipe: Recipe) -> tuple[np.ndarray, np.ndarray]:
    """The scores as `make` takes them for this recipe, and the domain of each segment."""
    scores = judged.stack() if recipe.apart else judged.matrix()
    return scores, segment_domains(judged)


def make(
    recipe: Recipe,
    scores: np.ndarray,
    domain: np.ndarray | None = None,
    alpha: float = 0.05,
    rng: np.random.Generator | None = None,
    systems: Sequence[str] | None = None,
) -> Ranking:
    """The ranking of `recipe`: its order, its tests (each at `alpha`) and its lines.

    `scores`, (segments, systems), are means over the recipe's rows, NaN where not judged; with a
    leading axis of judgments if the recipe keeps them separate. `domain` is that of each segment,
    by default the same. `rng` is for a recipe with random tests, by default seeded with `SEED`.
    `systems` are their names, by default numbers; of equal means, the first comes first.

    Columns rank, system, score, rank_low, rank_high (the recipe's own range), cluster; p-values
    are those of the better-ranked system against the other.
    """
    domain = np.zeros(scores.shape[-2], int) if domain is None else domain
    known = np.isfinite(scores).any(axis=-1)
    known = known if known.ndim == 1 else known.any(axis=0)
    scores = scores[..., known, :]
    domain = domain[known]
    mean = ordering_means(scores, domain, recipe.by_domain)
    order = np.argsort(-mean, kind="stable")
    rng = np.random.default_rng(SEED) if rng is None else rng
    p = recipe.test(scores[..., order], domain, rng)
    # a pair without p is not significant
    best, worst, lines = recipe.lines(p < alpha)
    names = map(str, range(len(order))) if systems is None else systems
    score = mean[order]
    table = pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "system": np.array([*names], dtype=object)[order],
            "score": score,
            "rank_low": best,
            "rank_high": worst,
            "cluster": clusters(lines),
        }
    )
    # the upper triangle counts
    p = np.where(np.tri(len(p), dtype=bool), p.T, p)
    return Ranking(
        table,
        p,
        np.subtract.outer(score, score),
        by="score",
        test=recipe.test_at(alpha),
        rule=recipe.rule or recipe.line_rule,
        alpha=alpha,
        order=order,
        recipe=recipe.name,
    )
