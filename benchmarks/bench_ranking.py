"""Re-ranking one language pair after a change: ours against straightforward versions.

The same work each time, from judgments in memory: worker means and standard deviations, z-scores,
averages per segment and system, all pairwise tests, lines between clusters. Prints seconds and
ratios of one run and writes them to ``results/ranking.csv``. Real data (WMT18) where the data
root has them, else the demo campaign.
"""

import statistics
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, norm, rankdata, tiecorrect

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.scored import segment_scores

RESULTS = Path(__file__).parent / "results" / "ranking.csv"


def timed(work, tries):
    """Median seconds of `tries` runs, and the last result."""
    seconds, result = [], None
    for _ in range(tries):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def old_default(x, y):
    """One Mann-Whitney test as SciPy before 1.7 did it."""
    n1, n2 = len(x), len(y)
    ranked = rankdata(np.concatenate([x, y]))
    u = n1 * n2 + n1 * (n1 + 1) / 2 - ranked[:n1].sum()
    spread = np.sqrt(tiecorrect(ranked) * n1 * n2 * (n1 + n2 + 1) / 12)
    return norm.sf((max(u, n1 * n2 - u) - n1 * n2 / 2 - 0.5) / spread)


def lines(order, tests):
    """Ranks below which Knowles's rule draws a line."""
    return tuple(
        k + 1
        for k in range(len(order) - 1)
        if all(tests[frozenset((order[k], s))] < 0.05 for s in order[k + 1 :])
    )


def per_row_lists(latest, good):
    """Rows, loops and lists that are searched."""
    workers = []
    for row in latest:
        if row[0] not in workers:
            workers.append(row[0])
    means, sds = [], []
    for worker in workers:
        mine = [row[4] for row in latest if row[0] == worker]
        mean = sum(mine) / len(mine)
        means.append(mean)
        spread = sum((v - mean) ** 2 for v in mine) / (len(mine) - 1) if len(mine) > 1 else 0
        sds.append(spread**0.5)
    keys, values = [], []
    for worker, system, segment, kind, score in good:
        if kind not in ("SYSTEM", "REPEAT"):
            continue
        k = workers.index(worker)
        if sds[k] == 0:
            continue
        if (system, segment) not in keys:
            keys.append((system, segment))
            values.append([])
        values[keys.index((system, segment))].append((score - means[k]) / sds[k])
    systems = sorted({system for system, _ in keys})
    averages = [
        [sum(v) / len(v) for (s, _), v in zip(keys, values, strict=True) if s == system]
        for system in systems
    ]
    mean = {s: sum(a) / len(a) for s, a in zip(systems, averages, strict=True)}
    order = sorted(systems, key=lambda s: -mean[s])
    tests = {}
    for a, b in combinations(systems, 2):
        x, y = averages[systems.index(a)], averages[systems.index(b)]
        tests[frozenset((a, b))] = old_default(np.array(x), np.array(y))
    return tuple(order), lines(order, tests)


def per_row_dictionaries(latest, good):
    """The same with dictionaries."""
    scores: dict = {}
    for row in latest:
        scores.setdefault(row[0], []).append(row[4])
    stats = {}
    for worker, mine in scores.items():
        mean = sum(mine) / len(mine)
        spread = sum((v - mean) ** 2 for v in mine) / (len(mine) - 1) if len(mine) > 1 else 0
        stats[worker] = (mean, spread**0.5)
    cells: dict = {}
    for worker, system, segment, kind, score in good:
        mean, sd = stats[worker]
        if kind in ("SYSTEM", "REPEAT") and sd:
            cells.setdefault(system, {}).setdefault(segment, []).append((score - mean) / sd)
    averages = {s: [sum(v) / len(v) for v in per.values()] for s, per in cells.items()}
    order = sorted(averages, key=lambda s: -sum(averages[s]) / len(averages[s]))
    tests = {
        frozenset((a, b)): old_default(np.array(averages[a]), np.array(averages[b]))
        for a, b in combinations(order, 2)
    }
    return tuple(order), lines(order, tests)


def pandas_scipy(latest, good):
    """Group-bys, and SciPy's test per pair."""
    stats = latest.groupby("worker", observed=True)["score"].agg(["mean", "std"])
    rows = good[good["type"].isin(["SYSTEM", "REPEAT"])].join(stats, on="worker")
    rows = rows[rows["std"] > 0]
    z = (rows["score"] - rows["mean"]) / rows["std"]
    means = z.groupby([rows["system"], rows["segment"]], observed=True).mean()
    by_system = {s: v.to_numpy() for s, v in means.groupby(level=0, observed=True)}
    order = sorted(by_system, key=lambda s: -by_system[s].mean())
    tests = {
        frozenset((a, b)): mannwhitneyu(by_system[a], by_system[b], method="asymptotic").pvalue / 2
        for a, b in combinations(order, 2)
    }
    return tuple(order), lines(order, tests)


def main() -> None:
    here = {c.name for c in campaigns.present()}
    name, pairs = ("wmt18", ["cs-en", "zh-en"]) if "wmt18" in here else ("demo-srdc", ["de-en"])
    rows = []
    for pair in pairs:
        da = campaigns.load_da(campaigns.find(name), pair)
        columns = ["worker", "system", "segment", "type", "score"]
        latest, good = (
            f[columns].astype({c: str for c in columns[:4]}) for f in (da.latest, da.good)
        )
        lists = [list(f.itertuples(index=False, name=None)) for f in (latest, good)]

        def ours(da=da):
            ranking = rank_systems(segment_scores(da))
            return ranking.systems, ranking.lines

        base, expected = timed(ours, 15)
        peers = {
            "rows, searched lists": (lambda a=lists: per_row_lists(*a), 1),
            "rows, dictionaries": (lambda a=lists: per_row_dictionaries(*a), 3),
            "pandas, SciPy per pair": (lambda a=(da.latest, da.good): pandas_scipy(*a), 3),
        }
        rows.append((name, pair, len(da.good), "rankstability", base, 1.0))
        for peer, (work, tries) in peers.items():
            seconds, result = timed(work, tries)
            assert result == expected, f"{peer} disagrees on {pair}"
            rows.append((name, pair, len(da.good), peer, seconds, seconds / base))
    table = pd.DataFrame(rows, columns=["campaign", "pair", "rows", "way", "seconds", "ratio"])
    print(table.to_string(index=False, float_format=lambda v: f"{v:.4g}"))
    RESULTS.parent.mkdir(exist_ok=True)
    table.to_csv(RESULTS, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
