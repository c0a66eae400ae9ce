"""Koehn's simulation: ours against straightforward versions of the same work, in the same run.

Straightforward: one campaign, one block, one judgment at a time in plain Python, as a script would
be written from the paper's text; for the bootstrap also the obvious numpy way, drawing from the
list of judgments. Each compares the results where they are not random. Small pieces are timed and
both sides do the same piece; `whole` scales ours to the paper's experiment on one core. Prints
seconds and ratios and writes them to ``results/simulation.csv``.
"""

import random
import time
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.models.ranges import ranks, resample_judgments, significant_share
from companion.legacy.rankcompanion.models.simulate import Model, draw_counts, draw_qualities
from companion.legacy.rankcompanion.notebooks.simulation.experiments import _power, feedback_arc_sets, ranking_errors
from companion.legacy.rankcompanion.notebooks.simulation.readings import table4
from companion.legacy.rankstability.rank.tournament import feedback_arc_set, net_weights
from companion.legacy.rankstability.score.pairwise import PairCounts, expected_win

RESULTS = Path(__file__).parent / "results" / "simulation.csv"
SIZES = [10_000, 20_000, 30_000, 40_000, 50_000]


def timed(work, *args):
    """Process seconds (other people's load does not count), and the result."""
    start = time.process_time()
    result = work(*args)
    return time.process_time() - start, result


def plain_campaign(quality, spread, judgments):
    """Win counts of one campaign, judgment by judgment."""
    n = len(quality)
    wins = [[0] * n for _ in range(n)]
    for _ in range(judgments // 10):
        shown = random.sample(range(n), 5)
        seen = [random.gauss(quality[s], spread) for s in shown]
        for i in range(5):
            for j in range(i):
                if seen[i] > seen[j]:
                    wins[shown[i]][shown[j]] += 1
                else:
                    wins[shown[j]][shown[i]] += 1
    return np.array(wins)


def plain_bootstrap(wins, resamples):
    """Ranks of resampled campaigns: judgments drawn one by one, scores by loops."""
    n = len(wins)
    judgments = [(j, k) for j in range(n) for k in range(n) for _ in range(wins[j][k])]
    out = []
    for _ in range(resamples):
        drawn = [[0] * n for _ in range(n)]
        for j, k in random.choices(judgments, k=len(judgments)):
            drawn[j][k] += 1
        score = [
            sum(drawn[j][k] / max(drawn[j][k] + drawn[k][j], 1) for k in range(n) if k != j)
            for j in range(n)
        ]
        order = sorted(range(n), key=lambda j: -score[j])
        out.append([order.index(j) + 1 for j in range(n)])
    return np.array(out)


def numpy_bootstrap(counts, resamples, rng):
    """The same with numpy, but from the list of judgments."""
    n = len(counts.systems)
    judgments = np.repeat(np.arange(n * n), counts.wins.ravel())
    drawn = [
        np.bincount(judgments[rng.integers(len(judgments), size=len(judgments))], minlength=n * n)
        for _ in range(resamples)
    ]
    wins = np.array(drawn).reshape(resamples, n, n)
    return ranks(expected_win(PairCounts(counts.systems, wins, np.zeros_like(wins))))


def simulated_cells(table, experiments, rng):
    """Table 4 simulated: each cell only at its right size, though a search would try many."""
    for row in table.to_dict("records"):
        model = Model(int(row["systems"]), float(row["sigma2"]))
        quality = draw_qualities(model, experiments, rng)
        significant_share(draw_counts(model, quality, [round(row["judgments"])], rng))


def rows():
    """One record per piece of work."""
    rng = np.random.default_rng(1)
    random.seed(1)
    model = Model()
    quality = draw_qualities(model, 100, rng)

    ours, wins = timed(draw_counts, model, quality, SIZES, rng)
    plain, one = timed(plain_campaign, quality[0].tolist(), 10.0, 50_000)
    assert one.sum() == wins[0, -1].sum()
    yield "simulate a campaign of 50,000 judgments", "plain Python", ours / 100, plain, 10_000

    counts = PairCounts(tuple(model.names()), wins[0, 0], np.zeros_like(wins[0, 0]))
    work = lambda: ranks(expected_win(resample_judgments(counts, 1000, rng)))  # noqa: E731
    ours, fast = timed(work)
    plain, slow = timed(plain_bootstrap, counts.wins.tolist(), 20)
    assert np.abs(fast.mean(axis=0) - slow.mean(axis=0)).max() < 1.5
    name = "bootstrap of 10,000 judgments, 1000 resamples"
    yield name, "plain Python", ours, plain * 50, 2000
    simple, slow = timed(numpy_bootstrap, counts, 1000, rng)
    assert np.abs(fast.mean(axis=0) - slow.mean(axis=0)).max() < 0.2
    yield name, "numpy, judgment by judgment", ours, simple, 2000

    net = np.stack([net_weights(w) for w in wins[:, 0]])
    ours, (_, costs) = timed(feedback_arc_sets, net)
    plain, each = timed(lambda: [feedback_arc_set(w).cost for w in net])
    assert list(costs) == each
    name = "exact LOPEZ ranking of 15 systems"
    yield name, "one tournament at a time (ours)", ours / 100, plain / 100, 50_000

    _power.cache_clear()
    ours, table = timed(table4, [("standard deviation", 1)])
    plain, _ = timed(simulated_cells, table, 10, rng)
    name = "Table 4, 60 cells"
    yield name, "200 simulated campaigns at each answer (ours)", ours, plain * 20, 1

    ours, _ = timed(lambda: ranking_errors(Model(spread=20), SIZES, 250, 1))
    plain, _ = timed(
        lambda: [
            feedback_arc_set(net_weights(w))
            for w in (plain_campaign(q.tolist(), 20.0, s) for q in quality[:1] for s in SIZES)
        ]
    )
    name = "one experiment of Figure 3 (5 sizes, 3 methods)"
    yield name, "plain Python, not nested", ours / 250, plain, 10_000

    quality = draw_qualities(Model(8, 10.0), 100, rng)
    ours, _ = timed(lambda: significant_share(draw_counts(Model(8, 10.0), quality, SIZES, rng)[0]))
    quality = draw_qualities(Model(8), 1, rng)[0].tolist()
    plain, _ = timed(lambda: [plain_campaign(quality, 10.0, s) for s in SIZES])
    name = "growth of one campaign of 8 systems (5 sizes)"
    yield name, "plain Python, not nested", ours / 100, plain, 100


def main() -> None:
    table = pd.DataFrame(rows(), columns=["work", "peer", "ours_s", "peer_s", "times"])
    table["ratio"] = table["peer_s"] / table["ours_s"]
    table["whole_s"] = table["ours_s"] * table["times"]
    table = table[["work", "peer", "ours_s", "peer_s", "ratio", "times", "whole_s"]]
    print(table.to_string(index=False, float_format="{:.4g}".format))
    RESULTS.parent.mkdir(exist_ok=True)
    table.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
