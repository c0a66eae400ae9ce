"""Figures of removal and degradation: bump charts, Figure 1 of Knowles (2021), who moves whom."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from .common import bump, headline, heatmap, legend_below, styled

KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
MARKS = ["o", "s", "^"]


def removal_bump(orders: pd.DataFrame, title: str) -> Figure:
    """Bump chart of `removal.removal_orders`: lines black (kept), orange (new), grey (gone)."""
    return bump(orders, title=title, ylabel="place")


def divisor_bump(rankings: pd.DataFrame, title: str) -> Figure:
    """Figures 2 and 3: ranks by divisor, from `degradation.rankings_table`."""
    return bump(
        rankings.rename(columns={"rank": "place", "line_below": "line"}), title=title, ordered=True
    )


@styled
def fractions_by_style(fractions: pd.DataFrame, title: str) -> Figure:
    """Figure 1: fraction of pairs changed by divisor, a panel for each style.

    Parameters
    ----------
    fractions : DataFrame
        From `degradation.fractions`: style, divisor, pairs, d_rank, d_cluster, d_both.
    """
    pairs = fractions.groupby("style")["pairs"].max().sort_index(ascending=False)  # SR-DC first
    fig, axes = plt.subplots(
        1, max(1, len(pairs)), figsize=(1.2 + 3.6 * max(1, len(pairs)), 3.4), sharey=True,
        squeeze=False,
    )  # fmt: skip
    long = fractions.rename(columns=KINDS).melt(
        ["style", "divisor"], list(KINDS.values()), "change in", "fraction of pairs changed"
    )
    long["divisor"] = long["divisor"].map("{:g}".format)
    for ax, (style, number) in zip(axes[0], pairs.items(), strict=False):
        sns.pointplot(
            long[long["style"] == style], x="divisor", y="fraction of pairs changed",
            hue="change in", dodge=0.3, errorbar=None, markers=MARKS, markersize=5, linewidth=1.6,
            legend="brief", ax=ax,
        )  # fmt: skip
        ax.set(title=f"{style or 'all'} ({number} pairs)", ylim=(-0.03, 1.03))
    legend_below(fig, axes[0, 0])
    headline(fig, title)
    return fig


def who_moves_whom(moves: pd.DataFrame, title: str) -> Figure:
    """Heat map of `removal.moves`: a row for each removed system, the ranks others move up."""
    order = list(dict.fromkeys(moves["removed"]))
    wide = moves.pivot(index="removed", columns="system", values="move").loc[order]
    wide = wide[[s for s in order if s in wide.columns]]
    numbers = wide.to_numpy(float)
    top = max(2, int(np.nanmax(np.abs(numbers), initial=0)))
    if not np.nan_to_num(numbers).any():
        title += " (nobody moves)"
    texts = wide.map(lambda v: "×" if np.isnan(v) else (f"{v:+.0f}".replace("-", "−") if v else ""))
    fig = heatmap(
        wide,
        title=title,
        label="ranks moved up (+) or down (−)",
        cmap="PuOr",
        vmin=-top,
        vmax=top,
        annotate=texts,
        xlabel="system that moves",
        ylabel="system removed",
    )
    bar = fig.axes[1]
    step = max(1, round(top / 3))
    bar.set_yticks([k for k in range(-top, top + 1) if k % step == 0])
    return fig
