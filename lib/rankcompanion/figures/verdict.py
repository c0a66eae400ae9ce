"""Plots of a verdict: the ranking with what holds of it, chances of ranks, recipes side by side."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .common import BLUE, FAINT, INK, SKY, breadth, finish, styled

HELD: tuple[Any, Any] = ((0, (5, 3)), "-")  # dashed: a line is only claimed; solid: it holds


@styled
def caterpillar(ranking: pd.DataFrame, lines: pd.DataFrame, title: str, label: str) -> Figure:
    """The ranking as a table, beside it each score with its interval and the sets of its rank.

    `ranking`: rank, system, score, low, high, marginal_low, marginal_high, simultaneous_low,
    simultaneous_high; where the last are empty only the scores (`label`, with their unit) are
    drawn. `lines`: below, claimed, held; solid where a line holds, dashed where only claimed.
    """
    n, told = len(ranking), bool(ranking["low"].notna().all())
    y = ranking["rank"].to_numpy()
    widths = [breadth(ranking["system"]) + 1.1, 3.0, *([2.6] if told else [])]
    size = (sum(widths) + 0.4, 0.27 * n + 1.5)
    fig, axes = plt.subplots(1, len(widths), figsize=size, sharey=True, width_ratios=widths)
    _table(axes[0], ranking, widths[0])
    axes[1].plot(ranking["score"], y, "o", color=BLUE, ms=5)
    if told:
        axes[1].hlines(y, ranking["low"], ranking["high"], color=BLUE, lw=1.4)
        _sets(axes[2], ranking, y)
    axes[1].set_xlabel(label + (", 95 % interval" if told else ""))
    for ax in axes:
        for row in lines.itertuples():
            holds = told and row.held == 1
            if holds or row.claimed == 1:
                weight = 1.2 if holds else 1.0
                ax.axhline(row.below + 0.5, color="black", lw=weight, ls=HELD[holds])
        ax.set_ylim(n + 0.6, 0.4)
        ax.yaxis.grid(False)
        ax.tick_params(axis="y", length=0, labelleft=False)
        ax.spines["left"].set_visible(False)
    return finish(fig, title)


def _table(ax: Axes, ranking: pd.DataFrame, width: float) -> None:
    digits = max(0, 2 - int(np.floor(np.log10(max(ranking["score"].abs().max(), 1e-3)))))
    for row in ranking.itertuples():
        for x, side, text in (
            (0.0, "left", str(row.rank)),
            (0.3, "left", str(row.system)),
            (width, "right", f"{row.score:.{digits}f}"),
        ):
            ax.text(x, row.rank, text, ha=side, va="center", fontsize=8.5)
    ax.set_xlim(0, width)
    ax.set_xticks([])
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)


def _sets(ax: Axes, ranking: pd.DataFrame, y: np.ndarray) -> None:
    ax.hlines(y, ranking["simultaneous_low"], ranking["simultaneous_high"], color=INK, lw=1.0)
    thick = ax.hlines(y, ranking["marginal_low"], ranking["marginal_high"], color=SKY, lw=5.5)
    thick.set_capstyle("round")
    ax.plot(y, y, ".", color=INK, ms=4, zorder=3)
    step = max(1, len(y) // 7)
    ax.set_xticks(range(1, len(y) + 1, step))
    ax.set_xlim(0.4, len(y) + 0.6)
    ax.set_xlabel("rank: 95 % sets, thick its own,\nthin all systems' at once")


@styled
def recipes(rankings: pd.DataFrame, lines: pd.DataFrame, title: str) -> Figure:
    """Each recipe's ranking in a column: lines claimed (dashed) and held (solid).

    `rankings`: recipe, system, rank; `lines`: recipe, below, claimed, held.
    """
    column = {name: k for k, name in enumerate(dict.fromkeys(rankings["recipe"]))}
    n = int(rankings["rank"].max())
    wide = breadth(rankings["system"].unique(), 8, "bold") + 0.35
    fig, ax = plt.subplots(figsize=(wide * len(column) + 0.6, 0.25 * n + 1.3))
    leader = rankings.loc[rankings["rank"] == 1, "system"].iloc[0]
    for row in rankings.itertuples():
        bold = "bold" if row.system == leader else "normal"
        x = column[row.recipe] + 0.04
        ax.text(x, row.rank, str(row.system), va="center", fontsize=8, fontweight=bold)
    for row in lines[(lines["claimed"] == 1) | (lines["held"] == 1)].itertuples():
        x, y = column[row.recipe], row.below + 0.5
        colour = "black" if row.claimed == 1 else FAINT
        ax.plot([x, x + 0.94], [y, y], color=colour, lw=1.3, ls=HELD[row.held == 1])
    ax.set_xticks([k + 0.47 for k in column.values()], [*column])
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(0, len(column))
    ax.set_ylim(n + 0.6, 0.4)
    ax.set_yticks(range(1, n + 1))
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_title(title)
    return fig
