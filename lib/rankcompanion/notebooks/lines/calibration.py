"""How often false lines are drawn between equal systems, and rank sets hold the true ranks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from statsmodels.stats.proportion import proportion_confint

from rankcompanion.models.truth import Truth, shuffle_blocks, shuffle_labels
from rankstability.judgments import counted
from rankstability.rank.certainty import certainty
from rankstability.rank.recipes import Recipe, made_by, quick, recipe_means
from rankstability.score.scored import Scores, from_assessment

COLUMNS = ["unit", "covered", "covered_low", "covered_high", "width", "draws"]


def equal_systems(scored: Scores, recipe: Recipe) -> Scores:
    """The judgments less each system's mean, as the recipe computes it, so that all are equal."""
    mean = recipe_means(scored, recipe)
    return replace(scored, score=scored.score - mean[scored.system])


def shuffled(scored: Scores, unit: str, rng: np.random.Generator) -> Scores:
    """A null campaign: within each unit, the labels of the systems are permuted.

    All judgments of one system within a unit (``segment``, ``document`` or ``worker``) get the same
    new label. With ``block``, the blocks of a worker exchange their labels, for systems that were
    judged on different documents.
    """
    if unit == "block":
        new = shuffle_blocks(scored.system, scored.unit("block"), scored.unit("worker"), rng)
    else:
        new = shuffle_labels(scored.system, scored.unit(unit), rng)
    return replace(scored, system=new)


def false_lines(
    scored: Scores,
    recipe: Recipe,
    unit: str,
    rng: np.random.Generator,
    draws: int = 200,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """How often a recipe finds differences and draws lines in null campaigns made from these data.

    `scored` holds the judgments that the recipe counts, with the score it takes. One row: recipe,
    unit, pairs_significant (mean share of pairs), pairs_low, pairs_high (95 % interval of that
    mean), campaigns_with_line (share), campaigns_low, campaigns_high (95 %, Wilson's), draws
    (number of null campaigns).
    """
    recipe, equal = quick(recipe), equal_systems(scored, recipe)
    pairs, lines = np.empty(draws), np.empty(draws, int)
    above = np.triu_indices(len(scored.systems), 1)
    for k in range(draws):
        made = made_by(shuffled(equal, unit, rng), recipe, alpha, rng)
        pairs[k] = (np.nan_to_num(made.p[above], nan=1.0) < alpha).mean()
        lines[k] = made.claimed.any()
    return false_line_row(recipe.name, unit, pairs, lines)


def false_line_row(recipe: str, unit: str, pairs: np.ndarray, lines: np.ndarray) -> pd.DataFrame:
    """The row of `false_lines`, from each null campaign's share of significant pairs and lines.

    `lines` says of each campaign whether it has a line.
    """
    draws = len(pairs)
    half = 1.96 * pairs.std(ddof=1) / np.sqrt(draws)
    low, high = proportion_confint(int(lines.sum()), draws, method="wilson")
    mean = pairs.mean()
    row = {"recipe": recipe, "unit": unit, "pairs_significant": mean}
    row |= {"pairs_low": max(mean - half, 0.0), "pairs_high": min(mean + half, 1.0)}
    row |= {"campaigns_with_line": lines.mean(), "campaigns_low": low, "campaigns_high": high}
    return pd.DataFrame([{**row, "draws": draws}])


def coverage(
    truth: Truth | None, units: Sequence[str], rng: np.random.Generator, draws: int = 100
) -> pd.DataFrame:
    """How often the rank sets of all systems hold their true ranks, in simulated campaigns.

    `draws` campaigns are simulated on the tasks of `truth` (from `models.truth.known_truth`), and
    systems ranked by their raw means. `units` are kinds of units that `certainty` takes, or
    ``segment`` for contrast.

    Columns unit, covered (share of campaigns in which the sets hold all true ranks), covered_low,
    covered_high (95 %, Wilson's), width (mean number of ranks in a set), draws. Empty without a
    truth.
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
