"""How often lines are drawn between systems that are equal.

Null campaigns are made from a campaign's own judgments in two steps: every system gets the same
distribution of scores, then labels of systems are shuffled in whole documents. What comes out is a
lower bound: ties broken at random and the leanings of fresh annotators only add false lines.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from companion.legacy.rankstability.rank.paired import either_bootstrap
from companion.legacy.rankstability.rank.recipes import Recipe, made_by
from companion.legacy.rankstability.score.scored import Scores


def equal_systems(
    scored: Scores, recipe: Recipe, rng: np.random.Generator
) -> Scores:
    """The judgments with the same distribution of scores for every system, the pooled one.

    A score is replaced by the quantile of all scores that its rank among the scores of its own
    system stands for, without interpolation; ties take their ranks at random. Where the recipe
    averages over domains, this is done within each domain. A system keeps which of its judgments
    are high and which are low.
    """
    domain = np.zeros_like(scored.system)
    if recipe.by_domain and scored.has("domain"):
        domain = scored.unit("domain")
    equal = np.empty_like(scored.score)
    for one in np.unique(domain):
        rows = np.flatnonzero(domain == one)
        equal[rows] = _pooled(scored.score[rows], scored.system[rows], rng)
    return replace(scored, score=equal)


def _pooled(
    score: np.ndarray, system: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The quantile of all scores at the rank of each among those of its system."""
    order = np.lexsort((rng.random(len(score)), score, system))
    number = np.bincount(system)
    first = np.cumsum(number) - number
    of = system[order]
    share = (np.arange(len(score)) - first[of] + 0.5) / number[of]
    out = np.empty_like(score)
    out[order] = np.sort(score)[(share * len(score)).astype(int)]
    return out


def shuffled(scored: Scores, unit: str, rng: np.random.Generator) -> Scores:
    """The judgments with the labels of the systems permuted within each unit.

    All judgments of one system within a unit (``segment``, ``document`` or ``worker``) get the same
    new label.
    """
    return replace(
        scored, system=shuffle_labels(scored.system, scored.unit(unit), rng)
    )


def false_lines(
    scored: Scores,
    recipe: Recipe,
    unit: str,
    rng: np.random.Generator,
    draws: int = 200,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """How often, at least, a recipe draws a line in null campaigns made from these data.

    `scored` holds the judgments that the recipe counts, with the score it takes. One row: recipe,
    unit, pairs_significant (mean share of pairs), pairs_low, pairs_high (95 % interval of that
    mean), campaigns_with_line (share), campaigns_low, campaigns_high (95 %, Wilson's), draws
    (number of null campaigns).
    """
    recipe = quick(recipe)
    pairs = np.empty(draws)
    lines = np.empty(draws, int)
    above = np.triu_indices(len(scored.systems), 1)
    for k in range(draws):
        null = shuffled(equal_systems(scored, recipe, rng), unit, rng)
        made = made_by(null, recipe, alpha, rng)
        pairs[k] = (np.nan_to_num(made.p[above], nan=1.0) < alpha).mean()
        lines[k] = made.claimed.any()
    return false_line_row(recipe.name, unit, pairs, lines)


def false_line_row(
    recipe: str, unit: str, pairs: np.ndarray, lines: np.ndarray
) -> pd.DataFrame:
    """The row of `false_lines`, from each null campaign's share of significant pairs and lines.

    `lines` says of each campaign whether it has a line.
    """
    draws = len(pairs)
    half = 1.96 * pairs.std(ddof=1) / np.sqrt(draws)
    low, high = proportion_confint(int(lines.sum()), draws, method="wilson")
    mean = pairs.mean()
    row = {
        "recipe": recipe,
        "unit": unit,
        "pairs_significant": mean,
        "pairs_low": max(mean - half, 0.0),
        "pairs_high": min(mean + half, 1.0),
        "campaigns_with_line": lines.mean(),
        "campaigns_low": low,
        "campaigns_high": high,
        "draws": draws,
    }
    return pd.DataFrame([row])


def shuffle_labels(
    system: np.ndarray, unit: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Permute the labels of systems within each unit; returns the new system of each judgment.

    Judgments of a system within a unit stay together. `system`, `unit` and the result are codes of
    each judgment, from 0.
    """
    n = int(system.max()) + 1
    units = int(unit.max()) + 1
    key = unit.astype(np.int64) * n + system
    held = np.bincount(key, minlength=units * n).reshape(units, n) > 0
    chance = np.where(held, rng.random((units, n)), np.inf)
    # the systems of a unit, in order, are mapped to the systems of that unit in random order
    random_order = np.argsort(chance, axis=1)
    plain_order = np.argsort(
        np.where(held, np.arange(n), n + np.arange(n)), axis=1
    )
    new = np.empty((units, n), dtype=np.int64)
    np.put_along_axis(new, plain_order, random_order, axis=1)
    return new[unit, system]


def approximate_means(
    sample: np.ndarray, resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Approximate draws of `resampled_means`, from three moments (Cornish and Fisher): quick."""
    size = len(sample)
    mean = sample.mean()
    centred = sample - mean
    squares = centred * centred
    variance = squares.mean() / size
    skew = (squares @ centred) / size**3 / (6 * variance or 1.0)
    z = rng.standard_normal(resamples)
    means: np.ndarray = mean + np.sqrt(variance) * z + skew * (z * z - 1)
    return means


def _quick_bootstrap(
    scores: np.ndarray, domain: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """`either_bootstrap` from approximate draws; `domain` counts for nothing."""
    return either_bootstrap(scores, rng, approximate_means)


QUICK_TESTS = {"wmt26": _quick_bootstrap}
"""By recipe: an approximation of its test, for many campaigns."""


def quick(recipe: Recipe) -> Recipe:
    """The recipe for many campaigns: with its test in `QUICK_TESTS`, if it has one."""
    if recipe.name not in QUICK_TESTS:
        return recipe
    return replace(recipe, test=QUICK_TESTS[recipe.name])
