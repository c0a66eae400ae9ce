"""Notebook 08: the tasks of a campaign as tournaments, and the worked examples of Lopez (2012)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import feedback, tournament
from companion.legacy.rankstability.rank.systems import UNSCORED
from companion.legacy.rankstability.score import pairwise, rr

from ..figures.tournament import TOURNAMENT_METHODS
from ..models.tasks import tasks as tasks_of
from .relative_ranking.methods import tournament_ranking


@dataclass(frozen=True)
class TaskRankings:
    """The rankings of one task by every method."""

    task: str
    # all judgments, including those of the reference
    judged: pairwise.PairCounts
    # without the reference: the edges of the tournament
    counts: pairwise.PairCounts
    mfas: tournament.Tournament  # the ranking that violates the least weight
    orders: dict[
        str, tuple[str, ...]
    ]  # method to systems, best first, without the reference

    def cost(self, method: str) -> int:
        """The total weight of the pairwise results that the method's ranking violates."""
        return feedback.cost_of(self._rows(method), self.mfas.weights)

    def certificate(self, method: str) -> pd.DataFrame:
        """The results that the method's ranking violates: over (won more often), under, weight."""
        rows = self._rows(method)
        names = self.counts.systems
        return tournament.violation_frame(rows, self.mfas.weights, names)

    def _rows(self, method: str) -> list[int]:
        return [self.counts.systems.index(s) for s in self.orders[method]]


def solve(
    counts: pairwise.PairCounts, task: str = "", time_limit: float = 20.0
) -> TaskRankings:
    """Rank one task by every method; the reference is judged but not ranked.

    `time_limit` is in seconds. Ties between optimal rankings are broken as in `tournament_ranking`.
    """
    mfas = tournament_ranking(counts, time_limit)
    orders = {"mfas": mfas.ranking}
    for name, (_, score) in TOURNAMENT_METHODS.items():
        if score:
            values = rr.METHODS[score](counts).drop(
                rr.REFERENCE, errors="ignore"
            )
            values = values.fillna(UNSCORED).sort_index()
            orders[name] = tuple(
                values.sort_values(ascending=False, kind="stable").index
            )
    return TaskRankings(
        task, counts, counts.without(rr.REFERENCE), mfas, orders
    )


def solve_tasks(
    frame: pd.DataFrame, time_limit: float = 20.0
) -> dict[str, TaskRankings]:
    """Rank every task of a relative-ranking campaign by every method, each within `time_limit`."""
    tasks = tasks_of(frame).items()
    return {
        name: solve(pairwise.pair_counts(rows), name, time_limit)
        for name, rows in tasks
    }


def choose(solved: Mapping[str, TaskRankings], name: str = "") -> TaskRankings:
    """The task called `name`, or without a name the one whose best ranking violates most.

    Raises DataError if there is no such task.
    """
    if not solved or (name and name not in solved):
        expected = ", ".join(solved) or "at least one task"
        raise DataError("no such task", value=name, expected=expected)
    most = max(
        solved.values(),
        key=lambda task: (task.mfas.cost, len(task.counts.systems)),
    )
    return solved[name] if name else most


def tasks_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """The size of each task, the weight that each ranking violates, and whether that is proven.

    Columns task, systems (without the reference), pairs (judgments, with the reference and ties),
    acyclic (true/false), optimal_cost, optima (number of optimal rankings; empty if not counted),
    each `cost_column`, proven (true/false), lower_bound, components (strongly connected),
    largest_component.
    """
    rows = []
    for name, task in solved.items():
        mfas = task.mfas
        sizes = [len(c) for c in task.mfas.components]
        row = {
            "task": name,
            "systems": len(task.counts.systems),
            "pairs": task.judged.comparisons,
        }
        row |= {
            "acyclic": str(mfas.acyclic).lower(),
            "optimal_cost": mfas.cost,
        }
        row |= {"optima": mfas.n_optima}
        row |= {
            cost_column(m): task.cost(m)
            for m in TOURNAMENT_METHODS
            if m != "mfas"
        }
        row |= {
            "proven": str(mfas.optimal).lower(),
            "lower_bound": mfas.lower_bound,
        }
        rows.append(
            row | {"components": len(sizes), "largest_component": max(sizes)}
        )
    return pd.DataFrame(rows).astype({"optima": "Int64"})


def rankings_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """The rank of each system by each method: columns task, system and one per method."""
    frames = []
    for name, task in solved.items():
        frame = pd.DataFrame({"task": name, "system": task.orders["mfas"]})
        for method, order in task.orders.items():
            frame[method] = frame["system"].map(
                {s: i for i, s in enumerate(order, 1)}
            )
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def violations_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """Results that each ranking violates."""
    frames = [
        task.certificate(method).assign(task=name, method=method)
        for name, task in solved.items()
        for method in TOURNAMENT_METHODS
    ]
    table = pd.concat(frames, ignore_index=True)
    return table[["task", "method", *table.columns[:-2]]]


def totals(tasks: pd.DataFrame) -> pd.DataFrame:
    """Violated weight summed over `tasks_table`: columns method, cost, times_the_optimum."""
    cost = [int(tasks[cost_column(m)].sum()) for m in TOURNAMENT_METHODS]
    frame = pd.DataFrame({"method": list(TOURNAMENT_METHODS), "cost": cost})
    best = frame.loc[frame["method"] == "mfas", "cost"].item()
    frame["times_the_optimum"] = (
        (frame["cost"] / best).round(2) if best else np.nan
    )
    return frame


def cost_column(method: str) -> str:
    """The column of `tasks_table` that holds a method's cost."""
    return "optimal_cost" if method == "mfas" else f"cost_{method}"


def results_table(solved: Mapping[str, TaskRankings]) -> pd.DataFrame:
    """Every decided pair of every task: columns over (won more often), under, weight, task."""
    parts = [
        edges_table(task.mfas).assign(task=name)
        for name, task in solved.items()
    ]
    return pd.concat(parts, ignore_index=True)[
        ["over", "under", "weight", "task"]
    ]


def edges_table(mfas: tournament.Tournament) -> pd.DataFrame:
    """Every edge of one tournament, and whether the ranking violates it.

    Columns over, under, weight, rank_over, rank_under; and, 0 or 1, violated (the ranking has
    `over` below `under`), in_cycle (the edge is part of a cycle), in_triangle (the ranking keeps
    the edge, which is part of a cycle of three with a violated edge).
    """
    names = np.array(mfas.names, dtype=object)
    rank = np.argsort(mfas.order) + 1
    part = np.empty(len(names), dtype=int)
    for k, members in enumerate(mfas.components):
        part[list(members)] = k
    beats = mfas.weights > 0
    wrong = beats & (rank[:, None] > rank)
    closing = beats & (wrong @ beats).T | beats & (beats @ wrong).T
    i, j = np.nonzero(mfas.weights)
    table = pd.DataFrame(
        {"over": names[i], "under": names[j], "weight": mfas.weights[i, j]}
    )
    table["rank_over"] = rank[i]
    table["rank_under"] = rank[j]
    masks = {
        "violated": wrong,
        "in_cycle": part[:, None] == part,
        "in_triangle": closing & ~wrong,
    }
    table = table.assign(
        **{name: mask[i, j].astype(int) for name, mask in masks.items()}
    )
    return table.sort_values(["rank_over", "rank_under"], ignore_index=True)


def figure1() -> pd.DataFrame:
    """Figure 1: one block of five outputs (WMT10 German-English), as rows of `rr.read_rr`."""
    ranks = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
    frame = pd.DataFrame({"system": list(ranks), "rank": list(ranks.values())})
    frame["position"] = np.arange(1, len(frame) + 1)
    return frame.assign(
        task="de-en",
        pair="de-en",
        track="",
        block=0,
        judge="",
        segment=0,
        document="",
        ranked=True,
    )


def implied(block: pd.DataFrame) -> pd.DataFrame:
    """The pairwise rankings that one block implies: first, relation (≺ better, ≻, ≡), second."""
    ranked = combinations(
        zip(block["system"].str.upper(), block["rank"], strict=True), 2
    )
    sign = {-1: "≺", 0: "≡", 1: "≻"}
    rows = [(a, sign[int(np.sign(i - j))], b) for (a, i), (b, j) in ranked]
    return pd.DataFrame(rows, columns=["first", "relation", "second"])


def figure2() -> pairwise.PairCounts:
    """Figure 2: all comparisons agree with one order, yet Equation 1 ranks C above B.

    The printed scores determine all weights but that between A and D, which is 1 here.
    """
    return _counts({"AB": 3, "AC": 1, "AD": 1, "BC": 1, "BD": 1, "CD": 2})


def figure3() -> pairwise.PairCounts:
    """Figure 3: a cycle of E, F and G, with weights of ours (the paper's are in the drawing)."""
    return _counts({"EF": 3, "FG": 2, "GE": 1, "EH": 2, "FH": 2, "GH": 2})


def _counts(wins: Mapping[str, int]) -> pairwise.PairCounts:
    """Counts in which the first letter of each key beats the second as often as its value says."""
    systems = tuple(sorted({letter for pair in wins for letter in pair}))
    table = np.zeros((len(systems), len(systems)), dtype=np.int64)
    for pair, number in wins.items():
        winner, loser = (systems.index(letter) for letter in pair)
        table[winner, loser] = number
    return pairwise.PairCounts(systems, table, np.zeros_like(table))
