"""How steady a relative ranking is: take a system away, draw the blocks again, draw the lines.

Every experiment is the same chain as for the other protocols, rank(score(perturb(judgments))).
Taking a system away removes its comparisons and leaves the rest of its blocks, so it is done on
the counts; `relative_ranking.remove_system` does the same to the judgments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..chance import named_generator
from ..errors import DataError
from ..rank import ranges as rank_ranges
from ..rank import ranking, significance
from ..score import rr as relative_ranking
from ..score.rr import METHODS, REFERENCE, Method, PairCounts

TEST = "sign test"
REMOVED_REFERENCE = "ref"  # how the removal of the reference is called in tables
UNSCORED = -1.0  # below every share: stands for a score that no comparison gives


def method_of(name: str) -> Method:
    """A score by its name in `relative_ranking.METHODS`."""
    if name not in METHODS:
        raise DataError("unknown score", value=name, expected=", ".join(METHODS))
    return METHODS[name]


def p_values(counts: PairCounts, correction: str = "none") -> tuple[np.ndarray, np.ndarray]:
    """Sign tests as matrices for `ranking.rank`: p (NaN on the diagonal), and wins - losses.

    Parameters
    ----------
    correction : str
        A name of `significance.CORRECTIONS`, over the pairs of the task.
    """
    n = len(counts.systems)
    tests = significance.sign_tests(counts, correct=False)
    place = {s: k for k, s in enumerate(counts.systems)}
    i, j = tests["system"].map(place).to_numpy(), tests["other"].map(place).to_numpy()
    p = np.full((n, n), np.nan)
    p[i, j] = p[j, i] = tests["p"]
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
        A name of `relative_ranking.METHODS`; whether comparisons with the reference count is
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
    rows: list[dict[str, object]] = []
    for task, judgments in relative_ranking.tasks(frame).items():
        counts = relative_ranking.pair_counts(judgments)
        tests = p_values(counts.without(REFERENCE), correction)
        settings = {"correction": correction, "rule": rule, "alpha": alpha}
        for method in methods:
            full = rank_counts(counts, method, tests=tests, **settings)  # type: ignore[arg-type]
            ranked = counts.without(REFERENCE).systems
            for system in counts.systems:
                if len(ranked) < 3 and system != REFERENCE:
                    continue
                keep = [k for k, s in enumerate(ranked) if s != system]
                part = tests[0][np.ix_(keep, keep)], tests[1][np.ix_(keep, keep)]
                again = rank_counts(
                    counts.without(system),
                    method,
                    tests=part,
                    **settings,  # type: ignore[arg-type]
                )
                change = ranking.compare(full.without([system]), again)
                name = REMOVED_REFERENCE if system == REFERENCE else system
                rows.append({"task": task, "method": method, "removed": name, **change.row()})
    change = ranking.Change(False, False, 0, 0, "", 0, 0)  # its columns, where nothing was removed
    return pd.DataFrame(rows, columns=["task", "method", "removed", *change.row()])


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
    for task, judgments in relative_ranking.tasks(frame).items():
        data = rank_ranges.units(judgments)
        for unit in drawn:
            sample = data.resample(unit, resamples, named_generator(seed, f"{task} {unit}"))
            for name in methods:
                method = method_of(name)
                table = _range_table(data.counts, sample, method)
                table.insert(0, "drawn", unit)
                table.insert(0, "method", name)
                table.insert(0, "task", task)
                parts.append(table)
    return pd.concat(parts, ignore_index=True)


def _range_table(counts: PairCounts, sample: PairCounts, method: Method) -> pd.DataFrame:
    systems = [s for s in counts.systems if s != REFERENCE]
    score = method(counts)[systems].to_numpy()
    used = sample if method.reference else sample.without(REFERENCE)
    keep = [k for k, s in enumerate(used.systems) if s != REFERENCE]
    sampled = rank_ranges.ranks(method.score(used)[:, keep])
    first, last = rank_ranges.rank_ranges(sampled, rank_ranges.trim_for(len(sampled)))
    table = pd.DataFrame(
        {
            "rank": rank_ranges.ranks(score),
            "system": systems,
            "score": score,
            "first": first,
            "last": last,
            "cluster": rank_ranges.range_clusters(first, last),
        }
    )
    return table.sort_values("rank", ignore_index=True)


def width_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Per task, method and unit drawn: mean width of the ranges (1 = one rank) and clusters."""
    width = (table["last"] - table["first"] + 1).rename("width")
    keys = [table[k] for k in ("task", "method", "drawn")]
    out = pd.DataFrame(
        {
            "systems": width.groupby(keys, sort=False).size(),
            "mean_width": width.groupby(keys, sort=False).mean(),
            "clusters": table["cluster"].groupby(keys, sort=False).max(),
        }
    )
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
    for task, judgments in relative_ranking.tasks(frame).items():
        counts = relative_ranking.pair_counts(judgments)
        table = pd.DataFrame()
        for correction in significance.CORRECTIONS:
            found = rank_counts(counts, method, correction=correction, rule=rule, alpha=alpha)
            if table.empty:
                table = found.table.drop(columns="cluster").replace({method: {UNSCORED: np.nan}})
                table.insert(0, "task", task)
            table[correction] = found.table["cluster"].to_numpy()
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def method_ranks(scores: pd.DataFrame, frame: pd.DataFrame, time_limit: float) -> pd.DataFrame:
    """The rank of each system under every score and under the minimum feedback arc set.

    Parameters
    ----------
    scores : DataFrame
        From `relative_ranking.scores`, of all tasks of `frame`.
    time_limit : float
        Seconds for the feedback arc set of one task (see `tournament`).

    Returns
    -------
    DataFrame
        task, system, one column of ranks per score of `METHODS` and `BLOCK_METHODS`, mfas;
        without the reference, best first by the first score. Equal scores rank by name, systems
        without a score last.
    """
    from ..rank import tournament

    parts = []
    for task, judgments in relative_ranking.tasks(frame).items():
        part = scores[(scores["task"] == task) & (scores["system"] != REFERENCE)]
        part = part.sort_values("system")
        table = part[["task", "system"]].reset_index(drop=True)
        for name in (*METHODS, *relative_ranking.BLOCK_METHODS):
            values = part[name].round(12).fillna(UNSCORED).rank(ascending=False, method="first")
            table[name] = values.to_numpy().astype(int)
        counts = relative_ranking.pair_counts(judgments).without(REFERENCE)
        best = tournament.feedback_arc_set(
            tournament.net_weights(counts.wins),
            counts.systems,
            preference=np.nan_to_num(relative_ranking.expected_win(counts), nan=UNSCORED),
            time_limit=time_limit,
        )
        place = {s: k for k, s in enumerate(best.ranking, start=1)}
        table["mfas"] = table["system"].map(place)
        parts.append(table.sort_values(next(iter(METHODS))))
    return pd.concat(parts, ignore_index=True)
