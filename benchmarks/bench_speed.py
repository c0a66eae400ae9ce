"""Ranking, inference and verdicts, each as a ratio to a peer that is timed in the same run.

Prints processor seconds (one process, best of three) and writes them to ``results/speed.csv``:

- ranking: WMT18 Chinese-English by WMT's 2017 procedure, again from the judgments in memory; the
  peer tests each pair of systems by `scipy.stats.mannwhitneyu`;
- inference: 200 systems on 2,000 items; the peer tests each pair by `scipy.stats.ttest_rel`;
- verdict: the page of a language pair with its files; the peer is `import rankstability`.

Without the real data, the demonstration campaign stands for WMT18 Chinese-English.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, ttest_rel

import rankstability as rs
from rankstability.inference.ratings import infer_ratings
from rankstability.io.catalogue import find_campaign
from rankstability.scores.arrays import ScoreArrays

RESULTS = Path(__file__).parent / "results" / "speed.csv"
REPEATS = 3
VERDICTS = (("wmt18", "zh-en"), ("wmt21", "cs-en"), ("wmt24-esa", "en-cs"))
SYSTEMS, ITEMS = 200, 2000


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of some repeats."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def seconds_of_process(code: str) -> float:
    """Return the least processor time of Python processes that run this code."""
    timed = f"{code}\nimport time; print(time.process_time())"
    times = []
    for _ in range(REPEATS):
        done = subprocess.run(
            [sys.executable, "-c", timed], capture_output=True, text=True, check=True
        )
        times.append(float(done.stdout.split()[-1]))
    return min(times)


def ranking() -> tuple[float, float]:
    """Return the seconds of ranking again, and of testing all pairs with SciPy."""
    here = find_campaign("wmt18").is_here
    judgments = rs.load("wmt18", "zh-en") if here else rs.load("demo-srpdc", "de-en")
    scores = rs.segment_scores(judgments, rs.z_scores(judgments))
    by_system = [each["z"].to_numpy(float) for _, each in scores.groupby("system", observed=True)]

    def pair_by_pair() -> None:
        for first, second in combinations(by_system, 2):
            mannwhitneyu(first, second)

    ours = processor_seconds(lambda: rs.rank_systems(judgments, procedure="wmt17"))
    return ours, processor_seconds(pair_by_pair)


def inference() -> tuple[float, float]:
    """Return the seconds of inference on a large table of items, and of t tests of all pairs."""
    rng = np.random.default_rng(0)
    item, system = (code.ravel() for code in np.indices((ITEMS, SYSTEMS)))
    score = rng.normal(size=ITEMS)[item] + rng.normal(size=len(item))
    names = tuple(f"s{k:03}" for k in range(SYSTEMS))
    arrays = ScoreArrays(names, tuple(map(str, range(ITEMS))), system, item, score, items=True)
    table = score.reshape(ITEMS, SYSTEMS)

    def pair_by_pair() -> None:
        for first, second in combinations(range(SYSTEMS), 2):
            ttest_rel(table[:, first], table[:, second])

    return processor_seconds(lambda: infer_ratings(arrays)), processor_seconds(pair_by_pair)


def main() -> None:
    rows = [("ranking again", *ranking()), ("inference, 200 systems x 2,000 items", *inference())]
    alone = seconds_of_process("import rankstability")
    for campaign, pair in VERDICTS:
        if not find_campaign(campaign).is_here:
            continue
        with tempfile.TemporaryDirectory() as folder:
            code = f"import rankstability as rs; rs.verdict(rs.load({campaign!r}, {pair!r}), {folder!r})"
            rows.append((f"verdict, {campaign} {pair}", seconds_of_process(code), alone))
    table = pd.DataFrame(rows, columns=["work", "seconds", "peer_seconds"])
    table["ratio"] = table["seconds"] / table["peer_seconds"]
    print(table.round(3).to_string(index=False))
    table.round(3).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
