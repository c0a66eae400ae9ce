"""Figures of removal and degradation: bump charts, Figure 1 of Knowles (2021), who moves whom."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .common import bump, heatmap, styled

KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
MARKS = {"d_rank": "o", "d_cluster": "s", "d_both": "^"}


def removal_bump(orders: pd.DataFrame, title: str) -> Figure:
    """Bump chart of `removal.removal_orders`: black lines kept, red ones new, grey dashes gone."""
    return bump(orders, title=title, ylabel="place")


def divisor_bump(rankings: pd.DataFrame, title: str) -> Figure:
    """Figures 2 and 3: ranks by divisor, from `degradation.rankings_table`."""
    return bump(rankings.rename(columns={"rank": "place", "line_below": "line"}), title=title)


@styled
def fractions_by_style(fractions: pd.DataFrame, title: str) -> Figure:
    """Figure 1: fraction of pairs changed by divisor, a panel for each style.

    Parameters
    ----------
    fractions : DataFrame
        From `degradation.fractions`: style, divisor, pairs, d_rank, d_cluster, d_both.
    """
    styles = sorted(set(fractions["style"]), reverse=True) or [""]  # SR-DC first
    fig, axes = plt.subplots(
        1, len(styles), figsize=(1.2 + 3.6 * len(styles), 3.4), sharey=True, squeeze=False
    )
    for ax, style in zip(axes[0], styles, strict=True):
        part = fractions[fractions["style"] == style].sort_values("divisor")
        x = np.arange(len(part))
        for k, (name, label) in enumerate(KINDS.items()):
            ax.plot(x + (k - 1) * 0.05, part[name], marker=MARKS[name], label=label, clip_on=False)
        ax.set_xticks(x, [f"{d:g}" for d in part["divisor"]])
        pairs = int(part["pairs"].max()) if len(part) else 0
        ax.set(title=f"{style or 'all'} ({pairs} pairs)", xlabel="divisor", ylim=(-0.03, 1.03))
    axes[0, 0].set_ylabel("fraction of pairs changed")
    axes[0, -1].legend(title="change in", loc="upper left", bbox_to_anchor=(1.02, 1.0))
    fig.suptitle(title)
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
