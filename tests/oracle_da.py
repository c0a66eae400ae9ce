"""Knowles (2021) the obvious way: pandas group-bys, SciPy for each pair of systems, sets."""

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Text instead of categories."""
    text = ["worker", "system", "segment", "type"]
    return frame[[*text, "score"]].astype(dict.fromkeys(text, str))


def ranking(latest: pd.DataFrame, good: pd.DataFrame, dropped=()) -> tuple[list, list]:
    """Order and clusters (as sets) of two frames of `plain`."""
    stats = latest.groupby("worker")["score"].agg(["mean", "std"])
    rows = good[good["type"].isin(["SYSTEM", "REPEAT"])]
    mean, std = rows["worker"].map(stats["mean"]), rows["worker"].map(stats["std"])
    rows = rows.assign(z=(rows["score"] - mean) / std.where(std > 0))
    segments = rows.groupby(["system", "segment"])["z"].mean().dropna().reset_index()
    means = segments.groupby("system")["z"].mean().sort_values(ascending=False)
    order = [s for s in means.index if s not in dropped]
    z = {s: g.to_numpy() for s, g in segments.groupby("system")["z"]}
    clusters, current = [], set()
    for k, system in enumerate(order):
        current.add(system)
        p = [
            mannwhitneyu(z[system], z[other], alternative="two-sided", method="asymptotic").pvalue
            / 2
            for other in order[k + 1 :]
        ]
        if p and np.all(np.array(p) < 0.05):
            clusters.append(frozenset(current))
            current = set()
    clusters.append(frozenset(current))
    return order, clusters


def changed(one: tuple[list, list], other: tuple[list, list]) -> tuple[int, int, int]:
    """dRank, dCluster, dBoth."""
    d_rank, d_cluster = int(one[0] != other[0]), int(one[1] != other[1])
    return d_rank, d_cluster, d_rank * d_cluster


def slow(da, divisor: float) -> tuple[int, int, int]:
    """Order, clusters, both changed by this divisor, the slow way."""
    frames = [plain(da.latest), plain(da.good)]
    humans = {s for s in frames[1]["system"] if "HUMAN" in s}
    before = ranking(*frames, dropped=humans)
    for frame in frames:
        hit = (frame["type"] == "REF") | frame["system"].str.contains("HUMAN")
        frame.loc[hit, "score"] /= divisor
    return changed(before, ranking(*frames, dropped=humans))
