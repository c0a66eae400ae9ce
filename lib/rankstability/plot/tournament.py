"""Plots of tournaments: the graph with its cycles, methods side by side, violations per task."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from ..rank.tournament import Tournament
from ..study.tournament_tasks import METHODS, TaskRankings
from . import common as figures

WITH, AGAINST, BAND = "#8C8C8C", "#D55E00", "#E3EEF6"
MARKS = {"mfas": "D", "wmt_official": "o", "heuristic2": "s", "bojar": "^", "expected_win": "v"}


def graph(tournament: Tournament):
    """The tournament as a `networkx.DiGraph`: edges point to the worse system, with `weight`."""
    import networkx as nx

    out = nx.DiGraph()
    out.add_nodes_from(tournament.ranking)
    i, j = np.nonzero(tournament.weights)
    names = tournament.names
    out.add_weighted_edges_from(
        (names[a], names[b], int(tournament.weights[a, b])) for a, b in zip(i, j, strict=True)
    )
    return out


def edges_table(tournament: Tournament) -> pd.DataFrame:
    """Every edge: over, under, weight, rank_over, rank_under, and marks (0 or 1).

    violated: the ranking has `over` below `under`; in_cycle: some cycle holds the edge;
    in_triangle: the ranking keeps it, and it closes a cycle of three with a violated edge.
    """
    import networkx as nx

    net = graph(tournament)
    label = {s: k for k, part in enumerate(nx.strongly_connected_components(net)) for s in part}
    rank = {s: k for k, s in enumerate(tournament.ranking, 1)}
    closing = {
        edge
        for i, j, _ in tournament.violated
        for x in range(len(tournament.names))
        if tournament.weights[j, x] and tournament.weights[x, i]
        for edge in ((j, x), (x, i))
    }
    close = {(tournament.names[a], tournament.names[b]) for a, b in closing}
    rows = [
        (
            a,
            b,
            w,
            rank[a],
            rank[b],
            int(rank[a] > rank[b]),
            int(label[a] == label[b]),
            int((a, b) in close and rank[a] < rank[b]),
        )
        for a, b, w in net.edges(data="weight")
    ]
    columns = ["over", "under", "weight", "rank_over", "rank_under"]
    columns += ["violated", "in_cycle", "in_triangle"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        ["rank_over", "rank_under"], ignore_index=True
    )


@figures.styled
def tournament_figure(tournament: Tournament, title: str) -> Figure:
    """The ranking as a column of systems, with the edges of its cycles as arcs.

    Right (orange, with weights): edges that the ranking violates. Left (grey): edges it keeps that
    close a cycle of three with one of these. Bands: strongly connected components.
    """
    import networkx as nx

    edges = edges_table(tournament)
    kept = edges[edges["in_triangle"] == 1]
    wrong = edges[edges["violated"] == 1]
    order, n = tournament.ranking, len(tournament.names)
    row_height = 0.27  # inches; the unit of both axes
    gap = 0.145 * max(len(s) for s in order) + 0.4

    def reach(frame: pd.DataFrame) -> float:
        spans = (frame["rank_over"] - frame["rank_under"]).abs()
        return gap + 0.9 + 0.3 * (spans.max() if len(spans) else 4)

    left, right = max(reach(kept), 5.0), max(reach(wrong), 5.0)
    fig, ax = plt.subplots(figsize=((left + right) * row_height, n * row_height + 1.5))
    rank = {s: i for i, s in enumerate(order, 1)}
    for part in nx.strongly_connected_components(graph(tournament)):
        if len(part) > 1:
            ranks = [rank[s] for s in part]
            ax.axhspan(min(ranks) - 0.46, max(ranks) + 0.46, color=BAND, zorder=0, lw=0)
    heaviest = int(edges["weight"].max()) if len(edges) else 1
    shapes = ((kept, -1, WITH, 0.3, heaviest), (wrong, 1, AGAINST, 0.9, 0))
    for frame, side, colour, alpha, most in shapes:
        most = most or int(frame["weight"].max() if len(frame) else 1)
        frame = frame.sort_values("weight")
        a, b = frame["rank_over"].to_numpy(float), frame["rank_under"].to_numpy(float)
        high = 0.5 + 0.3 * np.abs(a - b)
        near, far = np.full(len(a), side * gap), side * (gap + 4 / 3 * high)  # a Bezier curve
        points = np.stack([near, a, far, a, far, b, near, b], axis=1).reshape(-1, 4, 2)
        ax.add_collection(
            PathCollection(
                [Path(p, [Path.MOVETO, *[Path.CURVE4] * 3]) for p in points.round(3)],
                facecolors="none", edgecolors=colour, alpha=alpha, zorder=2,
                linewidths=0.5 + 2 * frame["weight"].to_numpy() / most,
            )
        )  # fmt: skip
        ends = np.unique(b)
        ax.plot(np.full(len(ends), side * (gap + 0.05)), ends, "<" if side > 0 else ">",
                color=colour, ms=4, zorder=3)  # fmt: skip
        for weight, x, y in zip(frame["weight"], gap + high, (a + b) / 2, strict=True):
            if side > 0:
                ax.text(
                    x, y, str(weight), fontsize=7, ha="center", va="center", zorder=5,
                    bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": colour, "lw": 0.5},
                )  # fmt: skip
    for s in order:
        ax.text(0, rank[s], s, ha="center", va="center", fontsize=8, zorder=4)
    ax.set(xlim=(-left, right), ylim=(n + 0.7, 0.3), title=title, ylabel="rank")
    ax.set_xticks([])
    ax.set_yticks(range(1, n + 1))
    ax.grid(False)
    for place, text, colour in (
        (0.0, "kept, in a cycle of three", "#666666"),
        (1.0, f"violated: {tournament.cost} in all", AGAINST),
    ):
        ax.text(
            place, -0.01, text, transform=ax.transAxes, va="top", color=colour, fontsize=8,
            ha="left" if place == 0 else "right",
        )  # fmt: skip
    return fig


@figures.styled
def rankings_figure(task: TaskRankings, title: str) -> Figure:
    """Ranks of the systems under every method, the tournament's in the middle."""
    order = ["wmt_official", "heuristic2", "mfas", "bojar", "expected_win"]
    ranks = pd.DataFrame(
        {
            f"{METHODS[m][0]}\n(violates {task.cost(m)})": {
                s: i for i, s in enumerate(task.orders[m], 1)
            }
            for m in order
        }
    ).loc[list(task.orders["mfas"])]
    return figures.bump(figures.bump_places(ranks), title=title)


@figures.styled
def violations_figure(tasks: pd.DataFrame, title: str) -> Figure:
    """Violated weight per task and method, from `tournament_tasks.tasks_table`."""
    tasks = tasks.sort_values(["optimal_cost", "task"], ascending=[True, False])
    columns = {m: "optimal_cost" if m == "mfas" else f"cost_{m}" for m in METHODS}
    y = np.arange(len(tasks))
    fig, ax = plt.subplots(figsize=(8.2, 0.32 * len(tasks) + 1.5))
    values = tasks[list(columns.values())].to_numpy()
    ax.hlines(y, values.min(axis=1), values.max(axis=1), color="#D0D0D0", lw=2, zorder=1)
    palette = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    for k, (method, column) in enumerate(columns.items()):  # a little apart, so that all show
        apart = 0.13 * (2.5 - k) if k else 0.0
        ax.plot(
            tasks[column], y + apart, MARKS[method], ms=6 if method == "mfas" else 5,
            color="black" if method == "mfas" else palette[k % len(palette)],
            label=METHODS[method][0], alpha=0.9, zorder=4 if method == "mfas" else 3,
        )  # fmt: skip
    ax.set_yticks(y, list(tasks["task"]))
    ax.set(xlabel="weight of the pairwise results violated", title=title)
    ax.set_xlim(left=-0.02 * max(values.max(), 1))
    ax.set_ylim(-0.6, len(tasks) - 0.4)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return fig
