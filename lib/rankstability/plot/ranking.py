"""Plots of one ranking: scores with rank ranges, p-values, clusters by test and line rule."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..rank.ranking import Ranking
from .common import BLUE, RED, SKY, headline, heatmap, legend_below, styled
from .lines import UNITS

LEVELS = [0.0, 0.001, 0.01, 0.05, 1.0]
LEVEL_NAMES = ["p < .001", "p < .01", "p < .05", "not significant"]
LEVEL_COLOURS = ["#08306B", "#2E7EBC", "#9DC9E0", "#F1F1F1"]
SHORT = {
    "knowles": "Knowles",
    "official wins": "official wins",
    "all above beat all below": "all above beat all below",
    "rank ranges": "rank ranges",
    "adjacent": "adjacent",
}


@styled
def scores_figure(
    ranges: pd.DataFrame, lines: tuple[int, ...], title: str, unit: str = ""
) -> Figure:
    """Mean z of each system (left) and its rank (right), with intervals; lines between clusters.

    `ranges` is from `replication.ranges`; `unit` is what intervals draw anew; empty: none are
    known, and none are drawn.
    """
    n = len(ranges)
    y = ranges["rank"].to_numpy()
    fig, axes = plt.subplots(
        1, 2 if unit else 1, figsize=(7.4 if unit else 5.2, 0.27 * n + 1.9), sharey=True,
        width_ratios=[3, 2] if unit else [1], squeeze=False,
    )  # fmt: skip
    left = axes[0][0]
    shades = np.where(ranges["cluster"] % 2 == 1, BLUE, SKY)
    if unit:
        left.hlines(y, ranges["mean_low"], ranges["mean_high"], color=shades, lw=2)
    left.scatter(ranges["mean_z"], y, color=shades, s=28, zorder=3)
    left.axvline(0, color="#999999", lw=0.8)
    for ax in axes[0]:
        for k in lines:
            ax.axhline(k + 0.5, color="black", lw=1.1)
    left.set_yticks(y, ranges["system"])
    left.set_ylim(n + 0.6, 0.4)
    left.set(xlabel="mean z-score", title=title)
    handles: list[Any] = [
        plt.Line2D([], [], color=BLUE, marker="o", ls="", label="mean"),
        plt.Line2D([], [], color="black", lw=1.1, label="line (the colour changes there)"),
    ]
    if unit:
        handles[0].set(ls="-", label="mean, 95 % interval")
        right = axes[0][1]
        right.hlines(y, ranges["rank_low"], ranges["rank_high"], color=shades, lw=4)
        right.scatter(ranges["rank_median"], y, color="black", s=10, zorder=3)
        right.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        right.set(xlabel="rank", xlim=(0.5, n + 0.5))
        drawn = f"95 % of ranks with other {UNITS.get(unit, unit)}"
        handles += [
            plt.Line2D([], [], color=BLUE, lw=4, label=drawn),
            plt.Line2D([], [], color="black", marker="o", ls="", ms=3, label="their median"),
        ]
    legend_below(fig, handles, 2, fontsize=8)
    return fig


@styled
def p_figure(ranking: Ranking, title: str) -> Figure:
    """p-values between systems in four classes; × marks tests that oppose the order of means."""
    n = len(ranking.systems)
    upper = np.triu(np.ones((n, n), bool), 1)
    fig = heatmap(
        ranking.p_values.where(upper), title=title, label="", annotate=False, empty="white",
        cmap=ListedColormap(LEVEL_COLOURS), norm=BoundaryNorm(LEVELS, 4),
        cell=(0.3, 0.3),
    )  # fmt: skip
    ax = fig.axes[0]
    opposed = np.argwhere(upper & (ranking.lead < 0)) + 0.5
    ax.plot(opposed[:, 1], opposed[:, 0], "x", color=RED, ms=5, mew=1.6)
    for k in ranking.lines:
        ax.plot([k, n, np.nan, k, k], [k, k, np.nan, 0, k], color="black", lw=1.3)
    handles: list[Any] = [
        plt.Rectangle((0, 0), 1, 1, facecolor=colour, edgecolor="#BBBBBB", label=name)
        for colour, name in zip(LEVEL_COLOURS, LEVEL_NAMES, strict=True)
    ]
    if len(opposed):
        words = "rank sum opposes the order of means"
        handles.append(plt.Line2D([], [], marker="x", ls="", color=RED, mew=1.6, label=words))
    legend_below(fig, handles, 2)
    return fig


@styled
def variants_figure(table: pd.DataFrame, title: str) -> Figure:
    """Clusters of one pair under every test, correction and line rule, side by side."""
    groups = list(
        table[["test", "correction"]].drop_duplicates().itertuples(index=False, name=None)
    )
    rules = list(table["rule"].unique())
    systems = table.drop_duplicates("system").sort_values("rank")["system"].tolist()
    n, wide = len(systems), len(rules)
    fig, ax = plt.subplots(figsize=(max(7.5, 0.36 * wide * len(groups) + 2.4), 0.27 * n + 2.6))
    ax.grid(False)
    keyed = table.set_index(["test", "correction", "rule", "system"])["cluster"]
    colours = plt.get_cmap("cividis")
    positions, labels = [], []
    for g, (test, correction) in enumerate(groups):
        start = g * (wide + 0.6)
        name = test if correction == "none" else f"{test}\n{correction}"
        ax.text(start + wide / 2 - 0.5, -0.75, name, ha="center", va="bottom", fontsize=8.5)
        for r, rule in enumerate(rules):
            cluster = np.array([keyed[(test, correction, rule, s)] for s in systems])
            top = max(int(cluster.max()), 2)
            edges = [0, *(np.flatnonzero(np.diff(cluster)) + 1).tolist(), n]
            for above, below in pairwise(edges):
                shade = colours(0.95 - 0.85 * (cluster[above] - 1) / (top - 1))
                corner = (start + r - 0.44, above - 0.5 + (0.04 if above else 0))
                height = below - 0.5 - (0.04 if below < n else 0) - corner[1]
                ax.add_patch(plt.Rectangle(corner, 0.88, height, color=shade, lw=0))
            ax.text(start + r, n - 0.35, str(int(cluster.max())), ha="center", va="top", fontsize=8)
            positions.append(start + r)
            labels.append(SHORT.get(rule, rule))
    ax.set_xticks(positions, labels, rotation=60, ha="right", rotation_mode="anchor", fontsize=7.5)
    ax.tick_params(axis="x", length=0, pad=14)
    ax.set_yticks(range(n), systems)
    ax.set_xlim(-0.7, positions[-1] + 0.7)
    ax.set_ylim(n - 0.4, -0.6)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_title(title, pad=34)
    ax.text(-0.75, n - 0.35, "clusters", ha="right", va="top", fontsize=8, color="#555555")
    return fig


@styled
def rules_figure(counts: pd.DataFrame, title: str) -> Figure:
    """Number of clusters per language pair under each test and line rule."""
    key = ["test", "correction"]
    rules = [c for c in counts.columns if c not in ("pair", *key)]
    groups = list(counts.groupby(key, sort=False))
    fig, axes = plt.subplots(
        1, len(groups), sharey=True, squeeze=False,
        figsize=(1.75 * len(groups) + 1.2, 0.26 * counts["pair"].nunique() + 2.2),
    )  # fmt: skip
    top = max(2, int(counts[rules].to_numpy().max()))
    for ax, ((test, correction), part) in zip(axes[0], groups, strict=True):
        table = part.set_index("pair")[rules].rename(columns=SHORT)
        head = test if correction == "none" else f"{test}\n{correction}"
        heatmap(table, title="", label="", annotate=True, cmap="cividis_r", vmin=1, vmax=top, ax=ax)
        ax.set_title(head, loc="center", fontsize=8.5, fontweight="normal")
        ax.tick_params(axis="x", labelsize=7.5)
    headline(fig, title)
    return fig
