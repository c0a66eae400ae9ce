"""Plots of agreement between studies: protocols with each other and themselves, test sets."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from .common import BLUE, INK, PALE, RED, headline, legend_below, styled

AXIS = "Kendall's tau of the systems' order"


def _rows(ax: Axes, names: list[str]) -> np.ndarray:
    y = np.arange(len(names))
    ax.set_yticks(y, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.yaxis.grid(False)
    return y


def _reach(*columns: pd.Series) -> tuple[float, float]:
    every = np.concatenate([column.to_numpy(float) for column in columns])
    return min(0.0, float(np.nanmin(every))) - 0.05, 1.03


@styled
def protocols_figure(pairs: pd.DataFrame, protocols: pd.DataFrame, title: str, unit: str) -> Figure:
    """Left, tau of every two studies; right, how much less protocols agree than one with itself.

    Parameters
    ----------
    pairs, protocols : DataFrame
        From `protocols.agreement`.
    unit : str
        What was drawn again.
    """
    pairs = pairs.sort_values(["kind", "tau"], ascending=[False, False], kind="stable")
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(10.2, 0.24 * max(len(pairs), 12) + 1.7), width_ratios=[1.15, 1]
    )
    colour = pairs["kind"].map({"within": BLUE, "between": RED}).to_numpy()
    y = _rows(left, [f"{a} / {b}" for a, b in zip(pairs["first"], pairs["second"], strict=True)])
    left.hlines(y, pairs["low"], pairs["high"], color=colour, lw=1.4)
    for kind, mark, shade in (("within", "o", BLUE), ("between", "D", RED)):
        here = (pairs["kind"] == kind).to_numpy()
        left.scatter(pairs["tau"][here], y[here], color=shade, marker=mark, s=22, zorder=3)
    left.set(xlabel=AXIS, xlim=_reach(pairs["low"], pairs["tau"]))
    left.set_title("agreement of every two studies", fontweight="normal")
    names = [f"{a} and {b}" for a, b in zip(protocols["first"], protocols["second"], strict=True)]
    y = _rows(right, names)
    right.axvline(0, color=INK, lw=1)
    right.hlines(y, protocols["low"], protocols["high"], color=INK, lw=1.4)
    right.scatter(protocols["difference"], y, color=INK, s=26, zorder=3)
    right.set_xlabel("tau between the protocols\nminus tau of a protocol with itself")
    right.set_title("do protocols agree less?", fontweight="normal")
    handles = [
        Line2D([], [], color=BLUE, marker="o", lw=1.4, label="one protocol, two studies"),
        Line2D([], [], color=RED, marker="D", lw=1.4, label="two protocols"),
        Line2D([], [], color=INK, lw=1.4, label=f"95 % of resamples of {unit}s"),
    ]
    headline(fig, title)
    legend_below(fig, handles)
    return fig


@styled
def sets_figure(rows: pd.DataFrame, title: str) -> Figure:
    """Tau between test sets, beside tau between random sets of documents of the same sizes.

    Parameters
    ----------
    rows : DataFrame
        label, tau, low, high; random_low, random_high where it is set beside random sets.
    """
    fig, ax = plt.subplots(figsize=(7.4, 0.3 * len(rows) + 1.9))
    y = _rows(ax, rows["label"].astype(str).tolist())
    random = rows["random_low"].notna().to_numpy()
    ax.barh(
        y[random], (rows["random_high"] - rows["random_low"])[random],
        left=rows["random_low"][random], height=0.62, color=PALE, zorder=1,
    )  # fmt: skip
    ax.hlines(y, rows["low"], rows["high"], color=BLUE, lw=1.8, zorder=2)
    ax.scatter(rows["tau"], y, color=BLUE, s=26, zorder=3)
    ax.set(xlabel=AXIS, xlim=_reach(rows["low"], rows["random_low"], rows["tau"]))
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=BLUE, marker="o", lw=1.8, label="tau, and 95 % of resamples or splits")
    ]
    if random.any():
        handles.append(Patch(color=PALE, label="95 % of random sets of documents"))
    headline(fig, title)
    legend_below(fig, handles)
    return fig
