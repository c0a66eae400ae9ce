"""The tasks of a campaign as tournaments: every method's ranking, its cost and its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DataError
from ..rank import tournament
from ..score import rr

# column name -> (heading in figures, score of `relative_ranking.METHODS`; "" for the tournament)
METHODS: dict[str, tuple[str, str]] = {
    "mfas": ("MFAS", ""),
    "wmt_official": ("WMT-OFFICIAL", "better_or_equal_others"),
    "heuristic2": ("HEURISTIC 2", "heuristic2"),
    "bojar": ("BOJAR", "bojar"),
    "expected_win": ("expected win", "expected_win"),
}


@dataclass(frozen=True)
class TaskRankings:
    """One task under every method.

    Attributes
    ----------
    task : str
    judged : PairCounts
        All judgments, those of the reference included.
    counts : PairCounts
        Without the reference: what the tournament is built of.
    mfas : Tournament
        The ranking of least violated weight.
    orders : dict
        Method to systems, best first, without the reference.
    """

    task: str
    judged: rr.PairCounts
    counts: rr.PairCounts
    mfas: tournament.Tournament
    orders: dict[str, tuple[str, ...]]

    def cost(self, method: str) -> int:
        """The weight of the pairwise results that the method's ranking violates."""
        return tournament.cost_of(self._rows(method), self.mfas.weights)

    def certificate(self, method: str) -> pd.DataFrame:
        """These results: columns over (who won more often), under, weight."""
        return tournament.violation_frame(
            self._rows(method), self.mfas.weights, self.counts.systems
        )

    def weight(self, over: str, under: str) -> int:
        """Wins minus losses of `over` against `under`, 0 if there are not more wins."""
        i, j = (self.counts.systems.index(s) for s in (over, under))
        return int(self.mfas.weights[i, j])

    def _rows(self, method: str) -> list[int]:
        row = {s: i for i, s in enumerate(self.counts.systems)}
        return [row[s] for s in self.orders[method]]


def solve(counts: rr.PairCounts, task: str = "", time_limit: float = 20.0) -> TaskRankings:
    """Rank one task by every method; the reference is judged but not ranked.

    Optimal rankings of equal cost are told apart by expected win, then name (see `tournament`).
    """
    own = counts.without(rr.REFERENCE)
    mfas = tournament.feedback_arc_set(
        tournament.net_weights(own.wins),
        own.systems,
        preference=np.nan_to_num(rr.expected_win(own), nan=-1.0),
        time_limit=time_limit,
    )
    orders = {"mfas": mfas.ranking}
    for name, (_, score) in METHODS.items():
        if score:
            values = rr.METHODS[score](counts).drop(rr.REFERENCE, errors="ignore")
            ranked = values.fillna(-1.0).sort_index().sort_values(ascending=False, kind="stable")
            orders[name] = tuple(ranked.index)
    return TaskRankings(task, counts, own, mfas, orders)


def solve_tasks(frame: pd.DataFrame, time_limit: float = 20.0) -> dict[str, TaskRankings]:
    """Rank every task of a campaign by every method.

    Parameters
    ----------
    frame : DataFrame
        From `campaigns.load_rr`.
    time_limit : float
        Seconds per task; a tournament not solved by then is marked as not proven.
    """
    return {
        name: solve(rr.pair_counts(rows), name, time_limit)
        for name, rows in rr.tasks(frame).items()
    }


def hardest(solved: Mapping[str, TaskRankings]) -> str:
    """The task whose best ranking still violates most."""
    if not solved:
        raise DataError("no task", expected="at least one task")
    return max(solved, key=lambda name: (solved[name].mfas.cost, len(solved[name].counts.systems)))


def choose(solved: Mapping[str, TaskRankings], name: str) -> TaskRankings:
    """The task called `name`.

    Raises
    ------
    DataError
        If there is none; with the names there are.
    """
    if name not in solved:
        raise DataError("no such task", value=name, expected=", ".join(solved))
    return solved[name]


def tasks_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """One row per task.

    Returns
    -------
    DataFrame
        task, systems (without the reference), pairs (judgments, with the reference and ties),
        acyclic (true/false), optimal_cost, optima (optimal rankings; empty where not counted),
        cost_wmt_official, cost_heuristic2, cost_bojar, cost_expected_win, proven (true/false),
        lower_bound, components (strongly connected), largest_component.
    """
    rows = []
    for name, task in solved.items():
        mfas = task.mfas
        sizes = [len(c) for c in mfas.components]
        rows.append(
            {
                "task": name,
                "systems": len(task.counts.systems),
                "pairs": task.judged.comparisons,
                "acyclic": str(mfas.acyclic).lower(),
                "optimal_cost": mfas.cost,
                "optima": mfas.n_optima,
                **{f"cost_{m}": task.cost(m) for m in METHODS if m != "mfas"},
                "proven": str(mfas.optimal).lower(),
                "lower_bound": mfas.lower_bound,
                "components": len(sizes),
                "largest_component": max(sizes),
            }
        )
    return pd.DataFrame(rows).astype({"optima": "Int64"})


def rankings_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """The rank of each system under each method: task, system, one column per method."""
    frames = []
    for name, task in solved.items():
        frame = pd.DataFrame({"task": name, "system": task.orders["mfas"]})
        for method, order in task.orders.items():
            rank = {s: i for i, s in enumerate(order, 1)}
            frame[method] = [rank[s] for s in frame["system"]]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def violations_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """What each ranking violates: task, method, over (who won more often), under, weight."""
    frames = []
    for name, task in solved.items():
        for method in METHODS:
            frame = task.certificate(method)
            frame.insert(0, "method", method)
            frame.insert(0, "task", name)
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def totals(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """Violated weight over all tasks: method, cost, and how many times the optimum's."""
    frame = pd.DataFrame(
        [(m, sum(t.cost(m) for t in solved.values())) for m in METHODS],
        columns=["method", "cost"],
    )
    best = frame.loc[frame["method"] == "mfas", "cost"].item()
    frame["times_the_optimum"] = (frame["cost"] / best).round(2) if best else np.nan
    return frame


def spearman(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """Spearman's correlation of two rankings of the same systems (no ties)."""
    if sorted(first) != sorted(second):
        raise DataError("two rankings of different systems", value=sorted({*first} ^ {*second}))
    n = len(first)
    place = {s: i for i, s in enumerate(second)}
    gaps = sum((i - place[s]) ** 2 for i, s in enumerate(first))
    return 1.0 if n < 2 else 1 - 6 * gaps / (n * (n * n - 1))
