"""What holds, for one language pair: ours against SciPy called pair by pair, and the whole work.

First the paired tests of a ranking on the segments that two systems share (13 systems of the demo
campaign, or WMT24's English-Japanese where the data root has it), all pairs at once against one
call of SciPy for each. Then what notebook 10 does with a pair: the recipes of five years, rank
sets and 1,000 resamples of units together; and 200 campaigns of equal systems for each recipe, by
documents and by workers. Prints seconds and ratios of one run and writes ``results/lines.csv``.
"""

import statistics
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.lines import tables
from companion.legacy.rankcompanion.notebooks.lines.calibration import false_lines
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import paired
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.recipes import RECIPES

RESULTS = Path(__file__).parent / "results" / "lines.csv"


def timed(work, tries=3):
    """Median seconds of `tries` runs."""
    seconds = []
    for _ in range(tries):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def each_pair(scores, test):
    """`test` on the segments that two systems share, pair by pair."""
    for i, j in combinations(range(scores.shape[1]), 2):
        both = np.isfinite(scores[:, i]) & np.isfinite(scores[:, j])
        if both.any():
            test(scores[both, i], scores[both, j])


def signed_rank(x, y):
    if (x != y).any():
        stats.wilcoxon(x, y, alternative="greater")


def judged():
    """The judgments of a real pair where it is here, else of a demo campaign."""
    try:
        return "wmt24-esa en-ja", places.judged_by(campaigns.load("wmt24-esa", "en-ja"))
    except DataError:
        return "demo-srdc de-en", places.judged_by(campaigns.load("demo-srdc", "de-en"))


def rows():
    name, by_recipe = judged()
    raw = by_recipe["wmt26"]
    scores = raw.matrix()
    tests = {
        "signed rank": (lambda: paired.signed_rank(scores, "greater"), signed_rank),
        "rank sum, shared": (lambda: paired.rank_sum_shared(scores), stats.mannwhitneyu),
    }
    for what, (ours, scipys) in tests.items():
        yield name, what, timed(ours, 5), timed(lambda t=scipys: each_pair(scores, t), 3)

    def all_of_a_pair():
        tables.recipes(by_recipe, ["segment"])
        places.standing(raw, "wmt26")

    yield name, "recipes, rank sets", timed(all_of_a_pair), np.nan
    for recipe in RECIPES.values():
        start = time.perf_counter()
        false_lines(by_recipe[recipe.name], recipe, "document", np.random.default_rng(1), 200)
        seconds = time.perf_counter() - start
        yield name, f"200 campaigns, {recipe.name}, by documents", seconds, np.nan


def main():
    columns = ["data", "what", "seconds", "scipy_pair_by_pair"]
    table = pd.DataFrame(rows(), columns=columns)
    table["ratio"] = table["scipy_pair_by_pair"] / table["seconds"]
    RESULTS.parent.mkdir(exist_ok=True)
    table.round(4).to_csv(RESULTS, index=False)
    print(table.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
