"""All variants of Knowles (2021) for a language pair: ours against pandas and SciPy pair by pair.

The same work each time, from judgments in memory: the original ranking, four removals (human and
REF, REF, lowest, highest) and five divisors, each with its comparison; then every single system
removed in turn, sharing work and not; then all pairs of the campaign, reading included. Prints
seconds and ratios of one run and writes them to ``results/variants.csv``. Real data (WMT18) where
the data root has them, else the demo campaign.
"""

import statistics
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from companion.legacy.paperkit.claims import settings
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import divisor_degradation as degradation
from companion.legacy.rankcompanion.notebooks import outlier_removal
from companion.legacy.rankcompanion.notebooks.outlier_removal import default_ranker

RESULTS = Path(__file__).parent / "results" / "variants.csv"
KINDS = ("d_rank", "d_cluster")


def timed(work, tries=3):
    """Median seconds of `tries` runs, and the last result."""
    seconds, result = [], None
    for _ in range(tries):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def pandas_scores(latest, good):
    """Segment z-scores by group-by."""
    stats = latest.groupby("worker")["score"].agg(["mean", "std"])
    rows = good[good["type"].isin(["SYSTEM", "REPEAT"])]
    mean, sd = rows["worker"].map(stats["mean"]), rows["worker"].map(stats["std"])
    rows = rows.assign(z=(rows["score"] - mean) / sd.where(sd > 0))
    return rows.groupby(["system", "segment"])["z"].mean().dropna().reset_index()


def pandas_ranking(segments, dropped=()):
    """Order and clusters: SciPy's Mann-Whitney for each pair of systems below each other."""
    segments = segments[~segments["system"].isin(dropped)]
    order = segments.groupby("system")["z"].mean().sort_values(ascending=False).index.to_list()
    z = {s: g.to_numpy() for s, g in segments.groupby("system")["z"]}
    clusters, top = [], []
    for k, system in enumerate(order):
        top.append(system)
        p = [
            mannwhitneyu(z[system], z[other], alternative="two-sided", method="asymptotic").pvalue
            for other in order[k + 1 :]
        ]
        if p and np.all(np.array(p) / 2 < 0.05):
            clusters.append(frozenset(top))
            top = []
    return order, [*clusters, frozenset(top)]


def pandas_variants(latest, good):
    """(order changed, clusters changed) of the nine variants."""
    human = {s for s in good["system"].unique() if "HUMAN" in s}
    base = pandas_scores(latest, good)
    order, _ = pandas_ranking(base)
    found = []
    for name in ("human+ref", "ref", "lowest", "highest"):
        out = {"human+ref": human, "lowest": {order[-1]}, "highest": {order[0]}}.get(name, set())
        parts = [f[~f["system"].isin(out)] for f in (latest, good)]
        if "ref" in name:
            parts = [f[f["type"] != "REF"] for f in parts]
        before, after = pandas_ranking(base, out), pandas_ranking(pandas_scores(*parts))
        found.append((before[0] != after[0], before[1] != after[1]))
    before = pandas_ranking(base, human)
    for divisor in settings("knowles2021")["divisors"]:
        parts = []
        for frame in (latest, good):
            hit = (frame["type"] == "REF") | frame["system"].isin(human)
            score = frame["score"].where(~hit, frame["score"] / divisor)
            parts.append(frame.assign(score=score))
        after = pandas_ranking(pandas_scores(*parts), human)
        found.append((before[0] != after[0], before[1] != after[1]))
    return found


def ours_variants(da):
    """The same from `removal` and `degradation`."""
    rank_of = default_ranker()
    original = rank_of(da)
    found = outlier_removal.remove_each(da, ranker=rank_of, original=original)
    found += degradation.sweep(da, settings("knowles2021")["divisors"], rank_of, original)
    rows = [c.row() for c in found]
    return [tuple(bool(r[k]) for k in KINDS) for r in rows]


def campaign_ours(campaign):
    """All variants of all pairs, files read."""
    return {p: ours_variants(campaigns.load_da(campaign, p)) for p in campaign.pairs}


def campaign_pandas(campaign):
    """The same; read with pandas as it stands."""
    columns = ["WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score"]
    names = ("ad-latest.csv", "ad-good-raw-redup.csv")
    files = [p for n in names for p in sorted(campaign.folder.glob(n + "*"))]
    text = dict.fromkeys(columns[:-1], str)
    frames = [
        pd.read_csv(f, sep="\t", usecols=columns, dtype=text, keep_default_na=False).rename(
            columns={"WorkerId": "worker", "sys_id": "system", "sid": "segment"}
        )
        for f in files
    ]
    found = {}
    for pair in campaign.pairs:
        parts = [f[(f["Input.src"] + "-" + f["Input.trg"]) == pair] for f in frames]
        found[pair] = pandas_variants(*parts)
    return found


def plain(frame):
    """Text instead of categories, for the pandas version."""
    text = ["worker", "system", "segment", "type"]
    return frame[[*text, "score"]].astype(dict.fromkeys(text, str))


def main() -> None:
    """Run, check that all give the same, print, write."""
    here = {c.name for c in campaigns.present()}
    name = "wmt18" if "wmt18" in here else "demo-srdc"
    campaign = campaigns.find(name)
    pairs = [p for p in ("cs-en", "en-et", "zh-en") if p in campaign.pairs] or campaign.pairs[:2]
    rows = []
    for pair in pairs:
        da = campaigns.load_da(campaign, pair)
        frames = [plain(f) for f in (da.latest, da.good)]
        mine, answer = timed(lambda da=da: ours_variants(da), 5)
        theirs, other = timed(lambda frames=frames: pandas_variants(*frames), 1)
        assert answer == other, pair
        rows.append((name, pair, "original, 4 removals, 5 divisors", mine, theirs))
    mine, answer = timed(lambda: campaign_ours(campaign), 1)
    theirs, other = timed(lambda: campaign_pandas(campaign), 1)
    assert answer == other
    work = f"all {len(campaign.pairs)} pairs, reading included"
    rows.append((name, "all", work, mine, theirs))
    table = pd.DataFrame(rows, columns=["campaign", "pair", "work", "seconds", "peer_seconds"])
    table["ratio"] = table["peer_seconds"] / table["seconds"]
    print(table.round(4).to_string(index=False))
    RESULTS.parent.mkdir(exist_ok=True)
    table.round(4).to_csv(RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
