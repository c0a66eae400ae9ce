"""Stable ranking probability: one configuration, and the permutation test against plain versions.

Writes ``results/srp.csv``: CPU seconds of one run, and for the plain versions the ratio to ours on
the same studies. The paper's size (15 systems, 181 documents) is a made-up campaign of that shape;
the real ones where the data root has WMT23. Set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1.
"""

import statistics
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import srp
from companion.legacy.rankstability.rank.significance import permutation_test
from companion.legacy.rankstability.rank.srp_studies import Design, assign, draw_documents, item_scores
from companion.legacy.rankstability.score import mqm

RESULTS = Path(__file__).parent / "results" / "srp.csv"
DESIGNS = {
    "pSxS, full": Design(),
    "system-balanced, full": Design("system-balanced"),
    "no grouping, full": Design("none"),
    "no grouping, full, z": Design("none", normalisation="z"),
    "pSxS, entropy 0.8": Design(balance=0.8),
    "no grouping, entropy 0.8": Design("none", balance=0.8),
    "double-rated, own documents": Design(ratings_per_item=2, studies=100, per_document_set=1),
}


def made_up(systems: int, documents: int, raters: int, buckets: int, seed: int) -> mqm.Ratings:
    """Ratings of a campaign's shape: bucket b is rated by raters b, b + 1 and b + 2."""
    rng = np.random.default_rng(seed)
    segments = rng.integers(1, 11, documents)
    slots = np.sort((np.arange(documents)[:, None] * buckets // documents + np.arange(3)) % raters)
    harsh = rng.lognormal(0, 0.4, raters)
    quality = np.linspace(1.0, 1.6, systems)
    mean = quality[:, None, None] * harsh[slots] * rng.lognormal(0, 0.4, (systems, documents, 1))
    errors = rng.poisson(mean * segments[:, None])
    score = errors + 4.0 * rng.binomial(errors, 0.3)
    return mqm.Ratings(
        tuple(f"S{i:02d}" for i in range(systems)),
        tuple(f"d{i:03d}" for i in range(documents)),
        tuple(f"rater{i}" for i in range(raters)),
        segments,
        slots,
        score,
        score**2 / segments[:, None] + score,
        errors.astype(float),
        {},
    )


def timed(work, tries=5):
    """Median CPU seconds of `tries` runs (one thread), and the last result."""
    seconds, result = [], None
    for _ in range(tries):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), result


def per_pair(sums, permutations, rng):
    """Each pair of systems on its own, permutations as one array."""
    n, systems, d = sums.shape
    p = np.empty((n, systems * (systems - 1) // 2))
    for i in range(n):
        for q, (a, b) in enumerate(combinations(range(systems), 2)):
            gap = sums[i, a] - sums[i, b]
            signs = rng.integers(0, 2, (permutations, d)) * 2 - 1
            p[i, q] = (np.abs(signs @ gap) >= abs(gap.sum()) - 1e-9).mean()
    return p


def per_permutation(sums, permutations, rng):
    """Each pair and each permutation on its own, documents swapped one by one."""
    n, systems, d = sums.shape
    p = np.empty((n, systems * (systems - 1) // 2))
    for i in range(n):
        for q, (a, b) in enumerate(combinations(range(systems), 2)):
            seen = abs(sums[i, a].sum() - sums[i, b].sum())
            extreme = 0
            for _ in range(permutations):
                swap = rng.random(d) < 0.5
                x = np.where(swap, sums[i, b], sums[i, a]).sum()
                y = np.where(swap, sums[i, a], sums[i, b]).sum()
                extreme += abs(x - y) >= seen - 1e-9
            p[i, q] = extreme / permutations
    return p


def main() -> None:
    shapes = {"made up, 15 systems x 181 documents": made_up(15, 181, 7, 7, 1)}
    try:
        campaign = campaigns.find("wmt23-mqm")
        for pair in campaign.pairs:
            shapes[f"wmt23-mqm {pair}"] = mqm.ratings(campaigns.load_mqm(campaign, pair))
    except DataError as absent:
        print(absent)
        campaign = campaigns.find("demo-mqm")
        shapes["demo-mqm en-de"] = mqm.ratings(campaigns.load_mqm(campaign, "en-de"))
    rows = []
    for name, data in shapes.items():
        size = f"{len(data.systems)} x {len(data.documents)}"
        for label, design in DESIGNS.items():
            seconds, row = timed(lambda data=data, design=design: srp.srp(data, design, 1))
            rows.append((name, size, label, f"{row['studies']} studies", seconds, np.nan))
            print(*rows[-1])
        design = Design(studies=10)
        rng = np.random.default_rng(1)
        documents = draw_documents(data, design, rng)
        choice, _ = assign(data, design, documents, rng)
        sums, _ = item_scores(data, design, documents, choice)
        ours, (p, _) = timed(
            lambda sums=sums: permutation_test(sums, 500, np.random.default_rng(3)), 15
        )
        rows.append((name, size, "permutation test: one product", "10 studies", ours, 1.0))
        for label, plain, tries in (
            ("permutation test: pair by pair", per_pair, 3),
            ("permutation test: swap by swap", per_permutation, 1),
        ):
            seconds, q = timed(
                lambda sums=sums, plain=plain: plain(sums, 500, np.random.default_rng(2)), tries
            )
            assert np.abs(p - q).max() < 0.15, "the versions disagree beyond Monte Carlo error"
            rows.append((name, size, label, "10 studies", seconds, seconds / ours))
            print(*rows[-1])
    columns = ["campaign", "systems x documents", "work", "size", "cpu_seconds", "ratio"]
    frame = pd.DataFrame(rows, columns=columns)
    RESULTS.parent.mkdir(exist_ok=True)
    frame.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
