"""Plots of one ranking's tests: p-values, clusters by test and line rule."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure

from rankstability.rank.ranking import Ranking
from .common import RED, finish, heatmap, rows, styled

LEVELS = [0.0, 0.001, 0.01, 0.05, 1.0]
LEVEL_NAMES = ["p < .001", "p < .01", "p < .05", "not significant"]
LEVEL_COLOURS = ["#08306B", "#2E7EBC", "#9DC9E0", "#F1F1F1"]
SHORT = {"knowles": "Knowles"}


@styled
def p_figure(ranking: Ranking, title: str) -> Figure:
    """p-values between systems in four classes; × marks tests that oppose the order of means."""
    n = len(ranking.systems)
    upper = np.triu(np.ones((n, n), bool), 1)
    fig = heatmap(
        ranking.p_values.where(upper), title=title, label="", empty="white",
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
    return finish(fig, "", handles, 2)


def _head(test: str, correction: str) -> str:
    return test if correction == "none" else f"{test}\n{correction}"


@styled
def variants_figure(table: pd.DataFrame, title: str) -> Figure:
    """Clusters of one pair under every test, correction and line rule, side by side."""
    systems = table.drop_duplicates("system").sort_values("rank")["system"]
    groups = table.groupby(["test", "correction"], sort=False)
    n, wide = len(systems), table["rule"].nunique()
    fig, ax = plt.subplots(figsize=(max(7.5, 0.36 * wide * len(groups) + 2.4), 0.27 * n + 2.6))
    colours = plt.get_cmap("cividis")
    places: dict[float, str] = {}
    for g, (key, group) in enumerate(groups):
        middle = g * (wide + 0.6) + wide / 2 - 0.5
        ax.text(middle, -0.75, _head(*key), ha="center", va="bottom", fontsize=8.5)
        for r, (rule, part) in enumerate(group.groupby("rule", sort=False)):
            x = g * (wide + 0.6) + r
            places[x] = SHORT.get(rule, rule)
            cluster = part.set_index("system")["cluster"][systems].to_numpy()
            edges = np.flatnonzero(np.diff(cluster, prepend=0, append=0))
            top, bottom = edges[:-1] - 0.46, edges[1:] - 0.54
            top[0], bottom[-1] = -0.5, n - 0.5
            number = len(top)
            shades = colours(0.95 - 0.85 * np.arange(number) / max(number - 1, 1))
            ax.bar(x, bottom - top, 0.88, top, color=shades, lw=0)
            ax.text(x, n - 0.35, str(number), ha="center", va="top", fontsize=8)
    ax.set_xticks([*places], [*places.values()], ha="right", rotation_mode="anchor")
    ax.tick_params(axis="x", length=0, pad=14, rotation=60, labelsize=7.5)
    rows(ax, systems)
    ax.grid(False)
    ax.set_xlim(-0.7, max(places) + 0.7)
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
    for ax, (names, part) in zip(axes[0], groups, strict=True):
        table = part.set_index("pair")[rules].rename(columns=SHORT)
        look: dict[str, Any] = {"texts": table.astype(str), "cmap": "cividis_r"}
        heatmap(table, title="", label="", vmin=1, vmax=top, ax=ax, **look)
        ax.set_title(_head(*names), loc="center", fontsize=8.5, fontweight="normal")
        ax.tick_params(axis="x", labelsize=7.5)
    return finish(fig, title)
