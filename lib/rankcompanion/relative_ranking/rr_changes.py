"""How a relative ranking changes when a system is taken away, or its blocks are drawn again.

Every experiment is the same chain as for the other protocols, rank(score(perturb(judgments))).
Taking a system away removes its comparisons and leaves the rest of its blocks, so it is done on
the counts; `perturb.remove` does the same to the judgments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankstability.chance import named_generator
from rankstability.rank import comparing, significance
from rankstability.rank import ranges as rank_ranges
from rankstability.rank.systems import UNSCORED, count_tests, rank_counts
from rankstability.score import pairwise, rr
from rankstability.score.pairwise import PairCounts
from rankstability.score.rr import REFERENCE

REMOVED_REFERENCE = "ref"  # how the removal of the reference is called in tables


def removals(
    frame: pd.DataFrame,
    methods: Sequence[str],
    *,
    correction: str = "none",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Each task ranked again without each of its systems, and without the reference.

    Columns: task, method, removed (a system, or ``ref``), and those of `comparing.Change.row`
    (d_rank, d_cluster, d_both, ...), against the full ranking with the system dropped only before
    the lines are drawn. A task of two systems has nothing to compare.
    """
    columns = ["task", "method", "removed", *comparing.Change(False, False, 0, 0, "", 0, 0).row()]
    settings: dict[str, Any] = {"correction": correction, "rule": rule, "alpha": alpha}
    rows = []
    for task, judgments in rr.tasks(frame).items():
        counts = pairwise.pair_counts(judgments)
        ranked = counts.without(REFERENCE)
        tests = count_tests(ranked, correction)
        removed = [s for s in counts.systems if len(ranked.systems) > 2 or s == REFERENCE]
        for method in methods:
            full = rank_counts(counts, method, tests=tests, **settings)
            for system in removed:
                keep = [k for k, s in enumerate(ranked.systems) if s != system]
                kept = tests[0][np.ix_(keep, keep)], tests[1][np.ix_(keep, keep)]
                changed = rank_counts(counts.without(system), method, tests=kept, **settings)
                change = comparing.compare(full.without([system]), changed)
                name = REMOVED_REFERENCE if system == REFERENCE else system
                rows.append({"task": task, "method": method, "removed": name, **change.row()})
    return pd.DataFrame(rows, columns=columns)


def removal_summary(changes: pd.DataFrame) -> pd.DataFrame:
    """Per task and method: removals, and how many changed order, clusters, both; largest_move."""
    groups = changes.groupby(["task", "method"], sort=False)
    out = groups[["d_rank", "d_cluster", "d_both"]].sum()
    out.insert(0, "removals", groups.size())
    out["largest_move"] = groups["largest_move"].max()
    return out.reset_index()


def ranges(
    frame: pd.DataFrame,
    methods: Sequence[str],
    *,
    resamples: int,
    seed: int,
    unit: str = "",
) -> pd.DataFrame:
    """Rank ranges of each task by bootstrap: 95 % of the ranks in resampled campaigns.

    `unit` is what is drawn with replacement, a name of `rank.ranges.UNITS`; empty: each task's own
    (`rank.ranges.default_unit`). Single judgments, as if independent, are drawn beside it. Columns:
    task, method, drawn, rank, system, score, first, last (the range), cluster (overlapping ranges
    share one); the reference left out.
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        data = rank_ranges.units(judgments)
        own = unit or rank_ranges.default_unit(data)
        for drawn in dict.fromkeys((own, "judgment")):
            sample = data.resample(drawn, resamples, named_generator(seed, f"{task} {drawn}"))
            for name in methods:
                table = _range_table(data.counts, sample, rr.method_of(name))
                parts.append(table.assign(task=task, method=name, drawn=drawn))
    table = pd.concat(parts, ignore_index=True)
    return table[["task", "method", "drawn", *table.columns[:-3]]]


def _range_table(counts: PairCounts, sample: PairCounts, method: rr.Method) -> pd.DataFrame:
    used = sample if method.reference else sample.without(REFERENCE)
    keep = [k for k, s in enumerate(used.systems) if s != REFERENCE]
    systems = [used.systems[k] for k in keep]
    score = method(counts)[systems].to_numpy()
    return rank_ranges.range_frame(systems, score, method.score(used)[:, keep])


def width_summary(table: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Per task, method and unit drawn: systems, mean width of ranges (1: one rank), clusters."""
    sized = table.assign(width=table["last"] - table["first"] + 1)
    groups = sized.groupby(list(by) or ["task", "method", "drawn"], sort=False)
    width, clusters = ("width", "mean"), ("cluster", "max")
    return groups.agg(systems=("width", "size"), mean_width=width, clusters=clusters).reset_index()


def cluster_table(
    frame: pd.DataFrame, method: str, *, rule: str = "knowles", alpha: float = 0.05
) -> pd.DataFrame:
    """Cluster of each system with and without correction for many tests.

    Columns: task, rank, system, the score, and one column of clusters (1 = top) for each name of
    `significance.CORRECTIONS`.
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        counts = pairwise.pair_counts(judgments)
        table = pd.DataFrame()
        for correction in significance.CORRECTIONS:
            ranked = rank_counts(counts, method, correction=correction, rule=rule, alpha=alpha)
            if table.empty:
                table = ranked.table.drop(columns="cluster").replace({method: {UNSCORED: np.nan}})
                table.insert(0, "task", task)
            table[correction] = ranked.table["cluster"].to_numpy()
        parts.append(table)
    return pd.concat(parts, ignore_index=True)
