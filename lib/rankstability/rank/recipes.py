"""How each year of WMT made a ranking: score, test and line rule, from the organisers' scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DataError
from ..score.scored import Scored
from .paired import independent_t, paired_t, rank_sum_shared, signed_rank, signed_rank_by_domain
from .ranking import CLUSTER_RULES, apart, clusters
from .significance import rank_sum

Test = Callable[[np.ndarray, np.ndarray], np.ndarray]
Lines = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Recipe:
    """One year's way from scores to lines.

    Attributes
    ----------
    rows : str
        Which judgments count, as ``judgments.ROWS`` names it.
    score : str
        ``z`` (by worker) or ``raw``: what is averaged and tested.
    by_domain : bool
        Whether the mean that orders is the mean over domains of a domain's mean.
    test : function
        Scores (segments, systems; in order of the ranking) and domain of each segment to p-values
        of the pairs; above the diagonal, of the better-ranked system against the other.
    lines : function
        Significant pairs (above the diagonal) to best and worst rank of each system, and the
        places of lines: True at k - 1 for a line below rank k.
    """

    name: str
    years: str
    rows: str
    score: str
    by_domain: bool
    test: Test
    lines: Lines
    test_name: str
    line_rule: str
    source: str


def _long(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    segment, system = np.nonzero(np.isfinite(scores))
    return scores[segment, system], system


def _rank_sum_halved(scores: np.ndarray, domain: np.ndarray) -> np.ndarray:
    return rank_sum(*_long(scores), scores.shape[1], "scipy<1.7")[0]


def _rank_sum_shared(scores: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """One-sided rank sums, each pair on the segments that both systems have."""
    if np.isfinite(scores).all():
        return rank_sum(*_long(scores), scores.shape[1], "greater")[0]
    return rank_sum_shared(scores)


def _signed_rank_greater(scores: np.ndarray, domain: np.ndarray) -> np.ndarray:
    return signed_rank(scores, "greater")


def _either_t(scores: np.ndarray, domain: np.ndarray) -> np.ndarray:
    return np.fmin(paired_t(scores), independent_t(scores))


def _wins_and_losses(significant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    upper = np.triu(significant, 1)
    return 1 + upper.sum(axis=0), len(upper) - upper.sum(axis=1)


def _by_rule(rule: str) -> Lines:
    """Ranges by wins and losses, lines by one of `CLUSTER_RULES`."""
    draw = CLUSTER_RULES[rule]
    return lambda significant: (*_wins_and_losses(significant), draw(significant, significant))


def _fewest_wins(significant: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A line where the fewest wins of any system above it equal the number of systems below."""
    n = len(significant)
    wins = np.triu(significant, 1).sum(axis=1)
    fewest = np.minimum.accumulate(wins)[: n - 1]
    return *_wins_and_losses(significant), fewest == n - 1 - np.arange(n - 1)


def _first_significant(significant: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranges up and down to the first significant neighbour; a line where they do not overlap."""
    n = len(significant)
    best, worst = np.empty(n, int), np.empty(n, int)
    for k in range(n):
        above, below = np.flatnonzero(significant[:k, k]), np.flatnonzero(significant[k, k + 1 :])
        best[k] = above[-1] + 2 if len(above) else 1
        worst[k] = k + 1 + below[0] if len(below) else n
    return best, worst, apart(best, worst)


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            *("wmt17", "2017 to 2021", "good workers", "z", False),
            *(_rank_sum_halved, _by_rule("knowles")),
            test_name="Mann-Whitney as SciPy did before 1.7 (half the two-sided p), .05",
            line_rule="a line below a system that differs from all below it",
            source="Knowles 2021, section 3; the scripts of WMT17 to WMT21",
        ),
        Recipe(
            *("wmt23", "2023, DA+SQM", "no document with a bad item", "raw", False),
            *(_rank_sum_shared, _fewest_wins),
            test_name="Mann-Whitney, one-sided, on the segments both systems have, .05",
            line_rule="a line where the fewest wins so far equal the number of systems below",
            source="Appraise, ComputeWMT23Results",
        ),
        Recipe(
            *("wmt24", "2024, ESA and MQM", "latest complete", "raw", True),
            *(signed_rank_by_domain, _by_rule("all above beat all below")),
            test_name="Wilcoxon signed rank per domain, two-sided, combined by Stouffer, .05",
            line_rule="a line where all above differ from all below",
            source="wmt24-news-systems, calculate_clusters",
        ),
        Recipe(
            *("wmt25", "2025, ESA", "latest complete", "raw", False),
            *(_signed_rank_greater, _first_significant),
            test_name="Wilcoxon signed rank, one-sided in the observed order, .05",
            line_rule="a line where the ranges to the first significant neighbour do not overlap",
            source="wmt25-general-mt, compute_clusters",
        ),
        Recipe(
            *("wmt26", "2026, cESA", "latest complete", "raw", False),
            *(_either_t, _by_rule("all above beat all below")),
            test_name="p < .05 in a paired or an independent t test, two-sided",
            line_rule="a line where all above differ from all below",
            source="the organisers' script of WMT26",
        ),
    )
}


def recipe_named(name: str) -> Recipe:
    """The recipe of this name; the error names those there are."""
    if name not in RECIPES:
        raise DataError("unknown recipe", value=name, expected=", ".join(RECIPES))
    return RECIPES[name]


def recipe_of_year(year: int, form: str) -> str:
    """The recipe of a campaign's own year, for its format (see `read.campaigns.Campaign`).

    Files of direct assessment as WMT17 to WMT21 released them (``da``, ``segments``) are ranked as
    in those years; Appraise exports by the last recipe in use by then, 2022 as 2023 (DA+SQM), 2024
    where the year is unknown (0); MQM from 2024 on.
    """
    if form in ("da", "segments"):
        return "wmt17"
    if year == 0 or form == "mqm":
        year = max(year, 2024)
    known = [name for name in RECIPES if 2000 + int(name[3:]) <= max(year, 2017)]
    return "wmt23" if year == 2022 else known[-1]


def segment_domains(judged: Scored) -> np.ndarray:
    """The domain of each segment; one for all where the data name none."""
    if "domain" not in judged.units:
        return np.zeros(len(judged.segments), int)
    return judged.segment_unit("domain")


def ordering_means(scores: np.ndarray, domain: np.ndarray, by_domain: bool) -> np.ndarray:
    """The mean by which a recipe orders systems, over segments or over domains' means.

    `scores`: (segments, systems), NaN where not judged.
    """
    if not by_domain:
        return _mean(scores)
    return _mean(np.array([_mean(scores[domain == d]) for d in np.unique(domain)]))


def _mean(scores: np.ndarray) -> np.ndarray:
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore"):
        return np.where(known, scores, 0.0).sum(axis=0) / known.sum(axis=0)


@dataclass(frozen=True)
class Made:
    """A ranking made by a recipe, in arrays: systems by the recipe's order.

    `order`: the systems, best first; of equal means the first by number. In that order `score`,
    `best`, `worst` (ranks) and `p` (pairs; the upper triangle counts). `lines`: True at k - 1 for a
    line below rank k.
    """

    order: np.ndarray
    score: np.ndarray
    best: np.ndarray
    worst: np.ndarray
    lines: np.ndarray
    p: np.ndarray


def make(
    recipe: Recipe, scores: np.ndarray, domain: np.ndarray | None = None, alpha: float = 0.05
) -> Made:
    """Order, test (each at `alpha`) and draw the lines as `recipe` does.

    `scores`, (segments, systems), are means over the recipe's rows, NaN where not judged; `domain`
    is of each segment, by default one.
    """
    domain = np.zeros(len(scores), int) if domain is None else domain
    mean = ordering_means(scores, domain, recipe.by_domain)
    order = np.argsort(-mean, kind="stable")
    p = recipe.test(scores[:, order], domain)
    significant = np.nan_to_num(p, nan=1.0) < alpha
    best, worst, lines = recipe.lines(significant)
    return Made(order, mean[order], best, worst, lines, p)


def recipe_table(recipe: Recipe, made: Made, systems: tuple[str, ...]) -> pd.DataFrame:
    """A recipe's ranking as a frame: recipe, system, rank, score, rank_low, rank_high, cluster."""
    return pd.DataFrame(
        {
            "recipe": recipe.name,
            "system": [systems[k] for k in made.order],
            "rank": np.arange(1, len(made.order) + 1),
            "score": made.score,
            "rank_low": made.best,
            "rank_high": made.worst,
            "cluster": clusters(made.lines),
        }
    )
