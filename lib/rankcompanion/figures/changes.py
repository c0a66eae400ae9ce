"""Figures of removal and degradation: bump charts, Figure 1 of Knowles (2021), who moves whom."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from .common import bump, finish, heatmap, styled

KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
MARKS = ["o", "s", "^"]


def removal_bump(orders: pd.DataFrame, title: str) -> Figure:
    """Bump chart of `removal.removal_orders`: lines black (kept), orange (new), grey (gone)."""
    return bump(orders, title=title, ylabel="place")


def divisor_bump(rankings: pd.DataFrame, title: str) -> Figure:
    """Figures 2 and 3: ranks by divisor, from `degradation.rankings_table`."""
    named = rankings.assign(ranking=rankings["ranking"].str.removeprefix("d-"))
    return bump(named, title=title, place="rank", ordered=True, xlabel="scores divided by")


@styled
def fractions_by_style(fractions: pd.DataFrame, title: str) -> Figure:
    """Figure 1: fraction of pairs changed by divisor, a panel for each style.

    `fractions`, from `degradation.fractions`: style, divisor, pairs, d_rank, d_cluster, d_both.
    """
    pairs = fractions.groupby("style")["pairs"].max().sort_index(ascending=False)  # SR-DC first
    panels = max(1, len(pairs))
    size = (1.2 + 3.6 * panels, 3.4)
    fig, axes = plt.subplots(1, panels, figsize=size, sharey=True, squeeze=False)
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
    return finish(fig, title, axes[0, 0])


def who_moves_whom(moves: pd.DataFrame, title: str) -> Figure:
    """Heat map of `removal.moves`: a row for each removed system, the ranks others move up."""
    order = list(dict.fromkeys(moves["removed"]))
    wide = moves.pivot(index="removed", columns="system", values="move").loc[order]
    wide = wide[[s for s in order if s in wide.columns]]
    most = int(np.nanmax(wide.abs().to_numpy(float), initial=0))
    top = max(2, most)
    if not most:
        title += " (nobody moves)"
    texts = wide.map(lambda v: "×" if np.isnan(v) else (f"{v:+.0f}".replace("-", "−") if v else ""))
    fig = heatmap(
        wide, title=title, label="ranks moved up (+) or down (−)", texts=texts, cmap="PuOr",
        vmin=-top, vmax=top, xlabel="system that moves", ylabel="system removed",
    )  # fmt: skip
    step = max(1, round(top / 3))
    fig.axes[1].set_yticks([k for k in range(-top, top + 1) if k % step == 0])
    return fig
