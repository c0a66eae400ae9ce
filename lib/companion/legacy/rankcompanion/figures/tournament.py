"""Figures of tournaments: the graph with its cycles, methods side by side, violations by task."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from .common import (
    FAINT,
    PALE,
    PALETTE,
    RED,
    breadth,
    bump,
    bump_places,
    legible,
    styled,
)

TOURNAMENT_METHODS = {
    "mfas": ("MFAS", ""),
    "wmt_official": ("WMT-OFFICIAL", "better_or_equal_others"),
    "heuristic2": ("HEURISTIC 2", "heuristic2"),
    "bojar": ("BOJAR", "bojar"),
    "expected_win": ("expected win", "expected_win"),
}
"""The rankings that Lopez (2012) compares: his heading, and our score (none: a tournament)."""
BAND = "#E3EEF6"
HEADINGS = {name: heading for name, (heading, _) in TOURNAMENT_METHODS.items()}
COSTS = {
    name: "optimal_cost" if name == "mfas" else f"cost_{name}"
    for name in HEADINGS
}
MARKS = {
    "MFAS": "D",
    "WMT-OFFICIAL": "o",
    "HEURISTIC 2": "s",
    "BOJAR": "^",
    "expected win": "v",
}
ROW = 0.27  # inches per rank, the unit of both axes of the tournament


@styled
def tournament_figure(
    edges: pd.DataFrame, order: Sequence[str], title: str
) -> Figure:
    """The ranking as a column of systems, best first, with the edges of its cycles as arcs.

    On the right, with weights, the edges that the ranking violates; on the left, in grey, edges
    that it keeps and that close a cycle of three with one of these. Bands mark systems that are in
    cycles with each other. `edges` is from `tournament.edges_table`.
    """
    kept = edges[edges["in_triangle"] == 1]
    wrong = edges[edges["violated"] == 1]
    gap = breadth(order, 8) / 2 / ROW + 0.7
    left, right = (max(_reach(part, gap), 5.0) for part in (kept, wrong))
    fig, ax = plt.subplots(
        figsize=((left + right) * ROW, len(order) * ROW + 1.5)
    )
    cycles = edges.loc[edges["in_cycle"] == 1, ["rank_over", "rank_under"]]
    for low, high in zip(cycles.min(axis=1), cycles.max(axis=1), strict=True):
        ax.axhspan(low - 0.46, high + 0.46, color=BAND, zorder=0, lw=0)
    _arcs(ax, kept, -gap, FAINT, 0.3, edges["weight"].max())
    _arcs(ax, wrong, gap, RED, 0.9, wrong["weight"].max())
    taken: list[tuple[float, float]] = []
    for row in wrong.sort_values("weight", kind="stable").itertuples():
        taken.append(_free(row.rank_over, row.rank_under, gap, taken))
        ax.text(
            *taken[-1], str(row.weight), fontsize=7, ha="center", va="center", zorder=5,
            bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": RED, "lw": 0.5},
        )  # fmt: skip
    for rank, system in enumerate(order, 1):
        ax.text(
            0, rank, system, ha="center", va="center", fontsize=8, zorder=4
        )
    ax.set(
        xlim=(-left, right),
        ylim=(len(order) + 0.7, 0.3),
        title=title,
        ylabel="rank",
    )
    ax.set_xticks([])
    ax.set_yticks(range(1, len(order) + 1))
    ax.grid(False)
    below: dict[str, Any] = {
        "transform": ax.transAxes,
        "va": "top",
        "fontsize": 8,
    }
    ax.text(
        0,
        -0.01,
        "kept, in a cycle of three",
        ha="left",
        color="#666666",
        **below,
    )
    total = f"violated: {wrong['weight'].sum()} in all"
    ax.text(1, -0.01, total, ha="right", color=legible(RED), **below)
    return fig


def _free(
    over: float, under: float, gap: float, taken: list[tuple[float, float]]
) -> tuple[float, float]:
    """A place for the weight of an arc: the free one on the arc that is nearest to its middle."""
    t = 0.5 + np.array([0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24])
    x = gap + 4 * _height(over - under) * t * (1 - t)
    y = over + (under - over) * (3 * t**2 - 2 * t**3)
    places = list(zip(x.tolist(), y.tolist(), strict=True))
    far = [
        min((np.hypot(a - c, b - d) for c, d in taken), default=9.0)
        for a, b in places
    ]
    return next(
        (p for p, d in zip(places, far, strict=True) if d > 0.75),
        places[np.argmax(far)],
    )


def _height(span: float) -> float:
    return 0.5 + 0.3 * abs(span)


def _reach(edges: pd.DataFrame, gap: float) -> float:
    """How far from the middle the arcs of these edges extend."""
    spans = (edges["rank_over"] - edges["rank_under"]).abs()
    return gap + 0.4 + _height(spans.max() if len(spans) else 4)


def _arcs(
    ax: Axes,
    edges: pd.DataFrame,
    gap: float,
    colour: str,
    alpha: float,
    heaviest: float,
) -> None:
    """Draw arcs from winner to loser on the side of `gap`, with widths by weight."""
    edges = edges.sort_values("weight")
    side = np.sign(gap)
    a = edges["rank_over"].to_numpy(float)
    b = edges["rank_under"].to_numpy(float)
    near, far = (
        np.full(len(a), gap),
        gap + side * 4 / 3 * _height(a - b),
    )  # a Bezier curve
    points = np.stack([near, a, far, a, far, b, near, b], axis=1).reshape(
        -1, 4, 2
    )
    ax.add_collection(
        PathCollection(
            [Path(p, [Path.MOVETO, *[Path.CURVE4] * 3]) for p in points.round(3)],
            facecolors="none", edgecolors=colour, alpha=alpha, zorder=2,
            linewidths=0.5 + 2 * edges["weight"].to_numpy() / heaviest,
        )
    )  # fmt: skip
    ends = np.unique(b)
    arrow = "<" if side > 0 else ">"
    ax.plot(
        np.full(len(ends), gap + 0.05 * side),
        ends,
        arrow,
        color=colour,
        ms=4,
        zorder=3,
    )


@styled
def rankings_figure(
    ranks: pd.DataFrame, costs: pd.DataFrame, title: str
) -> Figure:
    """Ranks of the systems under every method, with the tournament's in the middle.

    `ranks` and `costs` are the rows of one task of `tournament.rankings_table` and `tasks_table`.
    """
    order = ["wmt_official", "heuristic2", "mfas", "bojar", "expected_win"]
    fig = bump(bump_places(ranks.set_index("system")[order]), title=title)
    heads = [
        f"{HEADINGS[m]}\n(violates {costs[COSTS[m]].item()})" for m in order
    ]
    fig.axes[0].set_xticks(range(len(order)), heads)
    return fig


@styled
def violations_figure(tasks: pd.DataFrame, title: str) -> Figure:
    """Violated weight by task and method, from `tournament.tasks_table`."""
    tasks = tasks.sort_values(
        ["optimal_cost", "task"], ascending=[False, True]
    )
    costs = tasks.set_index("task")[list(COSTS.values())].set_axis(
        list(HEADINGS.values()), axis=1
    )
    long = costs.reset_index().melt(
        "task", var_name="method", value_name="cost"
    )
    fig, ax = plt.subplots(figsize=(8.2, 0.32 * len(tasks) + 1.5))
    ax.hlines(
        range(len(costs)),
        costs.min(axis=1),
        costs.max(axis=1),
        color=PALE,
        lw=2,
        zorder=1,
    )
    colours = ["black", *PALETTE[1:]]
    sns.pointplot(
        long, x="cost", y="task", hue="method", dodge=0.5, linestyle="none", errorbar=None,
        palette=colours[: len(MARKS)], markers=list(MARKS.values()), markersize=5, ax=ax,
    )  # fmt: skip
    ax.set(
        xlabel="weight of the pairwise results violated",
        ylabel="",
        title=title,
    )
    ax.set_xlim(left=-0.02 * max(long["cost"].max(), 1))
    sns.move_legend(ax, "upper left", bbox_to_anchor=(1.0, 1.0), title=None)
    return fig
