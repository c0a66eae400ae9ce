"""How often the interval of a judge's r holds the true r, over documents drawn afresh.

People and judge share, for each document and system, a part with correlation r; systems differ in
quality, documents in ease. Documents have one segment each, or 1 to 6 (the true r is then that of
a very large campaign). Writes ``results/judges.csv``: design, r, documents, systems, campaigns,
coverage, error (Monte Carlo), width (mean of the interval). About two minutes.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.notebooks.judges.worth import about_means, correlated, correlation

RESULTS = Path(__file__).parent / "results" / "judges.csv"
CAMPAIGNS = 1500
LARGE = 400_000  # documents of the campaign whose r is taken for the truth
R, DOCUMENTS, SYSTEMS = (0.0, 0.2, 0.45), (10, 20, 40), (2, 4, 12)


def drawn(rng, r, documents, systems, uneven):
    """Sums of people's scores, of the judge's, and weights: (documents, systems) each."""
    shape = documents, systems
    segments = rng.integers(1, 7, documents) if uneven else np.ones(documents, int)
    ease, quality = rng.normal(0, 1, (documents, 1)), rng.normal(0, 1, systems)
    own, other = rng.normal(size=(2, *shape))
    people, judge = own, r * own + np.sqrt(1 - r**2) * other
    noise = rng.normal(size=(2, *shape)) / np.sqrt(segments[:, None]) if uneven else np.zeros(2)
    size = segments[:, None] * np.ones(systems)
    sums = [
        (part + ease + quality + add) * size
        for part, add in zip((people, judge), noise, strict=True)
    ]
    return *sums, size


def true_r(rng, r, systems, uneven):
    """The r that a very large campaign has; without a jackknife."""
    if not uneven:
        return r
    people, judge, size = drawn(rng, r, LARGE, systems, uneven)
    return float(correlation(about_means(people, size), about_means(judge, size)))


def main():
    rng, rows = np.random.default_rng(32), []
    of_truth = np.random.default_rng(33)
    for uneven in (False, True):
        for r in R:
            for systems in SYSTEMS:
                truth = true_r(of_truth, r, systems, uneven)
                for documents in DOCUMENTS:
                    found = np.array([
                        correlated(*drawn(rng, r, documents, systems, uneven))
                        for _ in range(CAMPAIGNS)
                    ])  # fmt: skip
                    inside = (found[:, 1] <= truth) & (truth <= found[:, 2])
                    share = inside.mean()
                    error = np.sqrt(share * (1 - share) / CAMPAIGNS)
                    design = "1 to 6 segments" if uneven else "1 segment"
                    row = (design, truth, documents, systems, CAMPAIGNS, share, error)
                    rows.append((*row, (found[:, 2] - found[:, 1]).mean()))
                    print(*rows[-1])
    names = ["design", "r", "documents", "systems", "campaigns", "coverage", "error", "width"]
    pd.DataFrame(rows, columns=names).round(4).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
