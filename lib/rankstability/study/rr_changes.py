"""How a relative ranking changes when a system is taken away, or its blocks are drawn again.

Every experiment is the same chain as for the other protocols, rank(score(perturb(judgments))).
Taking a system away removes its comparisons and leaves the rest of its blocks, so it is done on
the counts; `perturb.remove` does the same to the judgments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..chance import named_generator
from ..errors import DataError
from ..rank import ranges as rank_ranges
from ..rank import ranking, significance
from ..score import rr
from ..score.rr import REFERENCE, PairCounts
from .relative_ranking import UNSCORED

TEST = "sign test"
REMOVED_REFERENCE = "ref"  # how the removal of the reference is called in tables


def method_of(name: str) -> rr.Method:
    """A score by its name in `rr.METHODS`."""
    if name not in rr.METHODS:
        raise DataError("unknown score", value=name, expected=", ".join(rr.METHODS))
    return rr.METHODS[name]


def p_values(counts: PairCounts, correction: str = "none") -> tuple[np.ndarray, np.ndarray]:
    """Sign tests as matrices for `ranking.rank`: p (NaN on the diagonal), and wins - losses.

    Parameters
    ----------
    correction : str
        A name of `significance.CORRECTIONS`, over the pairs of the task.
    """
    p = significance.sign_test(counts.wins, counts.wins.T)
    np.fill_diagonal(p, np.nan)
    return significance.correct(p, correction), counts.wins - counts.wins.T


def rank_counts(
    counts: PairCounts,
    method: str = "bojar",
    *,
    correction: str = "none",
    rule: str = "knowles",
    alpha: float = 0.05,
    tests: tuple[np.ndarray, np.ndarray] | None = None,
) -> ranking.Ranking:
    """A task's systems by a score, with clusters from the sign test; the reference is not ranked.

    A system without a comparison that counts stands last, with the score `UNSCORED`.

    Parameters
    ----------
    method : str
        A name of `rr.METHODS`; whether comparisons with the reference count is
        part of it.
    correction, rule, alpha
        See `significance.CORRECTIONS` and `ranking.CLUSTER_RULES`.
    tests : pair of arrays, optional
        `p_values` of the systems without the reference, to save computing them again.
    """
    score = method_of(method)(counts).drop(labels=[REFERENCE], errors="ignore")
    table = pd.DataFrame({"system": list(score.index), method: score.fillna(UNSCORED).to_numpy()})
    p, lead = tests if tests else p_values(counts.without(REFERENCE), correction)
    name = TEST if correction == "none" else f"{TEST}, {correction}"
    return ranking.rank(table, p, lead, by=method, test=name, rule=rule, alpha=alpha)


def removals(
    frame: pd.DataFrame,
    methods: Sequence[str],
    *,
    correction: str = "none",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Each task ranked again without each of its systems, and without the reference.

    Returns
    -------
    DataFrame
        task, method, removed (a system, or ``ref``), and the columns of `ranking.Change.row`
        (d_rank, d_cluster, d_both, ...), against the full ranking with the system dropped only
        before the lines are drawn. A task of two systems has nothing to compare.
    """
    columns = ["task", "method", "removed", *ranking.Change(False, False, 0, 0, "", 0, 0).row()]
    rows = []
    for task, judgments in rr.tasks(frame).items():
        counts = rr.pair_counts(judgments)
        ranked = counts.without(REFERENCE).systems
        p, lead = p_values(counts.without(REFERENCE), correction)

        def rank_without(system: str, method: str) -> ranking.Ranking:
            keep = [k for k, s in enumerate(ranked) if s != system]  # noqa: B023
            tests = p[np.ix_(keep, keep)], lead[np.ix_(keep, keep)]  # noqa: B023
            left = counts.without(system)  # noqa: B023
            return rank_counts(
                left, method, correction=correction, rule=rule, alpha=alpha, tests=tests
            )

        removed = [s for s in counts.systems if len(ranked) > 2 or s == REFERENCE]
        for method in methods:
            full = rank_without("", method)
            for system in removed:
                change = ranking.compare(full.without([system]), rank_without(system, method))
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
    drawn: Sequence[str] = ("block", "judgment"),
) -> pd.DataFrame:
    """Rank ranges of each task by bootstrap: 95 % of the ranks in resampled campaigns.

    Parameters
    ----------
    drawn : sequence of str
        What is drawn with replacement: ``block`` is the honest unit, as the comparisons of one
        block share outputs, sentence and judge; ``judgment`` takes them as independent; ``judge``.

    Returns
    -------
    DataFrame
        task, method, drawn, rank, system, score, first, last (the range), cluster (overlapping
        ranges share one); the reference left out.
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        data = rank_ranges.units(judgments)
        for unit in drawn:
            sample = data.resample(unit, resamples, named_generator(seed, f"{task} {unit}"))
            for name in methods:
                table = _range_table(data.counts, sample, method_of(name))
                parts.append(table.assign(task=task, method=name, drawn=unit))
    table = pd.concat(parts, ignore_index=True)
    return table[["task", "method", "drawn", *table.columns[:-3]]]


def _range_table(counts: PairCounts, sample: PairCounts, method: rr.Method) -> pd.DataFrame:
    used = sample if method.reference else sample.without(REFERENCE)
    keep = [k for k, s in enumerate(used.systems) if s != REFERENCE]
    systems = [used.systems[k] for k in keep]
    score = method(counts)[systems].to_numpy()
    return rank_ranges.range_frame(systems, score, method.score(used)[:, keep])


def width_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Per task, method and unit drawn: systems, mean width of ranges (1: one rank), clusters."""
    table = table.assign(width=table["last"] - table["first"] + 1)
    groups = table.groupby(["task", "method", "drawn"], sort=False)
    out = groups.agg(systems=("width", "size"), mean_width=("width", "mean"))
    out["clusters"] = groups["cluster"].max()
    return out.reset_index()


def cluster_table(
    frame: pd.DataFrame, method: str, *, rule: str = "knowles", alpha: float = 0.05
) -> pd.DataFrame:
    """Cluster of each system with and without correction for many tests.

    Returns
    -------
    DataFrame
        task, rank, system, the score, and one column of clusters (1 = top) for each name of
        `significance.CORRECTIONS`.
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        counts = rr.pair_counts(judgments)
        table = pd.DataFrame()
        for correction in significance.CORRECTIONS:
            ranked = rank_counts(counts, method, correction=correction, rule=rule, alpha=alpha)
            if table.empty:
                table = ranked.table.drop(columns="cluster").replace({method: {UNSCORED: np.nan}})
                table.insert(0, "task", task)
            table[correction] = ranked.table["cluster"].to_numpy()
        parts.append(table)
    return pd.concat(parts, ignore_index=True)
