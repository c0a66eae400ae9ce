"""Test intervals of judge models, and differences between protocols, on simulated judgments.

``results/judge_models.csv``: how often the interval of r contains the true r. People and the judge
model share, for each document and system, a part with correlation r; systems differ in quality,
documents in ease. Documents have one segment each, or 1 to 6; the true r is then that of a very
large campaign. `missed` is the share of intervals without the true r (nominal 5 %).

``results/protocols.csv``: how often two protocols are said to agree less, or more, than one with
itself, although both are the same protocol with annotators of their own. `false` is the sum.

``CAMPAIGNS=100`` sets the number of campaigns of each design (1500, and a fifth for protocols),
``SEED`` the seed.
"""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from simulate_ratings import SD

from rankstability.scores.arrays import ScoreArrays
from rankstability.stability.common_ground import common_ground, measure_protocols
from rankstability.stability.judge_scores import correlate, influences, sum_over_pairs

FOLDER = Path(__file__).parent / "results"
CAMPAIGNS = int(os.environ.get("CAMPAIGNS", "1500"))
SEED = int(os.environ.get("SEED", "30414"))
LARGE = 400_000  # documents of the campaign whose r is taken for the truth
CORRELATIONS, DOCUMENTS, SYSTEMS = (0.0, 0.2, 0.45), (10, 20, 40), (2, 4, 12)
SEGMENTS, RESAMPLES = 3, 200


def draw_scores(
    rng: np.random.Generator, r: float, documents: int, systems: int, uneven: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sums of human scores, of the judge model's, and weights: (documents, systems)."""
    shape = documents, systems
    segments = rng.integers(1, 7, documents) if uneven else np.ones(documents, int)
    ease, quality = rng.normal(0, 1, (documents, 1)), rng.normal(0, 1, systems)
    human, other = rng.normal(size=(2, *shape))
    judge = r * human + np.sqrt(1 - r**2) * other
    noise = rng.normal(size=(2, *shape)) / np.sqrt(segments[:, None]) if uneven else np.zeros(2)
    weights = segments[:, None] * np.ones(systems)
    first, second = (
        (part + ease + quality + extra) * weights
        for part, extra in zip((human, judge), noise, strict=True)
    )
    return first, second, weights


def true_correlation(rng: np.random.Generator, r: float, systems: int, uneven: bool) -> float:
    """Return the r of a very large campaign."""
    if not uneven:
        return r
    human, judge, weights = draw_scores(rng, r, LARGE, systems, uneven)
    sides = [influences(side, weights) for side in (human, judge)]
    product_of = [sum_over_pairs(sides[0], sides[1])] + [sum_over_pairs(s, s) for s in sides]
    return float(product_of[0] / np.sqrt(product_of[1] * product_of[2]))


def judge_models() -> pd.DataFrame:
    """Return how often the interval of r misses the true r, by design."""
    rows = []
    for uneven, r, systems, documents in product((False, True), CORRELATIONS, SYSTEMS, DOCUMENTS):
        rng = np.random.default_rng([SEED, uneven, round(100 * r), systems, documents])
        truth = true_correlation(rng, r, systems, uneven)
        found = np.array(
            [correlate(*draw_scores(rng, r, documents, systems, uneven)) for _ in range(CAMPAIGNS)]
        )
        missed = ((found[:, 1] > truth) | (found[:, 2] < truth)).mean()
        width = (found[:, 2] - found[:, 1]).mean()
        design = "1 to 6 segments" if uneven else "1 segment"
        rows.append((design, truth, documents, systems, CAMPAIGNS, missed, width))
        print(*rows[-1], flush=True)
    names = ["design", "r", "documents", "systems", "campaigns", "missed", "width"]
    return pd.DataFrame(rows, columns=names).round(4)


def draw_study(
    rng: np.random.Generator, annotators: int, interaction: float, common: dict[str, np.ndarray]
) -> ScoreArrays:
    """Return one study of the same outputs by annotators of its own."""
    output = common["output"]
    segments, systems = output.shape
    segment, system = (code.ravel() for code in np.indices(output.shape))
    document = segment // SEGMENTS
    annotator = rng.integers(annotators, size=segments // SEGMENTS)[document]
    score = (
        output[segment, system]
        + SD["annotator"] * rng.standard_normal(annotators)[annotator]
        + interaction * rng.standard_normal((annotators, systems))[annotator, system]
        + rng.standard_normal(len(system))
    )
    units = {"annotator": annotator, "document": document}
    names = {kind: tuple(map(str, range(int(code.max()) + 1))) for kind, code in units.items()}
    return ScoreArrays(
        tuple(f"s{k}" for k in range(systems)),
        tuple(map(str, range(segments))),
        system,
        segment,
        score,
        units,
        names,
    )


def protocols() -> pd.DataFrame:
    """Return how often equal protocols are said to differ, by design."""
    rows = []
    campaigns = max(CAMPAIGNS // 5, 1)
    for annotators, interaction in product((2, 3, 5, 8), (0.3, 1.0)):
        rng = np.random.default_rng([SEED, annotators, round(10 * interaction)])
        less = more = 0
        for _ in range(campaigns):
            shape = 30 * SEGMENTS, 8
            output = 0.5 * rng.standard_normal(8) + rng.standard_normal(shape)
            common = {"output": output}
            studies = {
                name: draw_study(rng, annotators, interaction, common)
                for name in ("A-1", "A-2", "B-1")
            }
            table = measure_protocols(common_ground(studies), rng, RESAMPLES)[1]
            low, high = table.iloc[0][["difference_low", "difference_high"]]
            less += high < 0
            more += low > 0
        share = np.array([less, more]) / campaigns
        rows.append((annotators, interaction, campaigns, *share, share.sum()))
        print(*rows[-1], flush=True)
    names = ["annotators", "interaction", "campaigns", "less", "more", "false"]
    return pd.DataFrame(rows, columns=names).round(4)


if __name__ == "__main__":
    judge_models().to_csv(FOLDER / "judge_models.csv", index=False)
    protocols().to_csv(FOLDER / "protocols.csv", index=False)
