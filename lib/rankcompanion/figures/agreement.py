"""Plots of agreement between studies: protocols with each other and themselves, test sets."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from .common import BLUE, INK, PALE, RED, finish, rows, styled

AXIS = "Kendall's tau of the systems' order"


def _tau_axis(ax: Axes, *columns: pd.Series) -> None:
    low = min(0.0, *(column.min() for column in columns))
    ax.set(xlabel=AXIS, xlim=(low - 0.05, 1.03))


@styled
def protocols_figure(pairs: pd.DataFrame, protocols: pd.DataFrame, title: str, unit: str) -> Figure:
    """Left, tau of every two studies; right, how much less protocols agree than one with itself.

    Both frames are from `protocols.agreement`; `unit` is what was drawn again.
    """
    pairs = pairs.sort_values(["kind", "tau"], ascending=[False, False], kind="stable")
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(10.2, 0.24 * max(len(pairs), 12) + 1.7), width_ratios=[1.15, 1]
    )
    y = rows(left, pairs["first"] + " / " + pairs["second"])
    handles = []
    for kind, mark, colour, words in (
        ("within", "o", BLUE, "one protocol, two studies"),
        ("between", "D", RED, "two protocols"),
    ):
        here = (pairs["kind"] == kind).to_numpy()
        left.hlines(y[here], pairs["low"][here], pairs["high"][here], color=colour, lw=1.4)
        left.scatter(pairs["tau"][here], y[here], color=colour, marker=mark, s=22, zorder=3)
        handles.append(Line2D([], [], color=colour, marker=mark, lw=1.4, label=words))
    _tau_axis(left, pairs["low"], pairs["tau"])
    left.set_title("agreement of every two studies", fontweight="normal")
    y = rows(right, protocols["first"] + " and " + protocols["second"])
    right.axvline(0, color=INK, lw=1)
    right.hlines(y, protocols["low"], protocols["high"], color=INK, lw=1.4)
    right.scatter(protocols["difference"], y, color=INK, s=26, zorder=3)
    right.set_xlabel("tau between the protocols\nminus tau of a protocol with itself")
    right.set_title("do protocols agree less?", fontweight="normal")
    handles.append(Line2D([], [], color=INK, lw=1.4, label=f"95 % of resamples of {unit}s"))
    for ax in (left, right):
        ax.yaxis.grid(False)
    return finish(fig, title, handles)


@styled
def sets_figure(table: pd.DataFrame, title: str) -> Figure:
    """Tau between test sets, beside tau between random sets of documents of the same sizes.

    `table` has label, tau, low, high; random_low, random_high where it is set beside random sets.
    """
    fig, ax = plt.subplots(figsize=(7.4, 0.3 * len(table) + 1.9))
    y = rows(ax, table["label"].astype(str))
    ax.yaxis.grid(False)
    words = "tau, and 95 % of resamples or splits"
    handles: list[Line2D | Patch] = [Line2D([], [], color=BLUE, marker="o", lw=1.8, label=words)]
    wide = table["random_high"] - table["random_low"]
    if wide.notna().any():
        ax.barh(y, wide, left=table["random_low"], height=0.62, color=PALE, zorder=1)
        handles.append(Patch(color=PALE, label="95 % of random sets of documents"))
    ax.hlines(y, table["low"], table["high"], color=BLUE, lw=1.8, zorder=2)
    ax.scatter(table["tau"], y, color=BLUE, s=26, zorder=3)
    _tau_axis(ax, table["low"], table["random_low"], table["tau"])
    return finish(fig, title, handles)
