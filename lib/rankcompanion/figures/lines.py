"""Plots of what holds: a ranking with rank sets and lines, lines claimed and held, false lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .common import BLUE, INK, PALETTE, RED, SKY, bump, finish, heatmap, rows, styled

UNITS = {
    "segment": "segments",
    "document": "documents",
    "worker": "workers",
    "hit": "HITs",
    "block": "blocks",
    "battle": "battles",
    "judge": "judges",
    "rater": "raters",
    "worker x document": "workers and documents",
}
PALE_BLUES = LinearSegmentedColormap.from_list("pale blues", ["#FFFFFF", "#7DB8DE"])  # ink reads
KINDS = {  # claimed, held (-1: not known): words, colour, dashes
    (1, 1): ("claimed and held", INK, "-"),
    (1, 0): ("claimed only", RED, (0, (4, 2.5))),
    (0, 1): ("not claimed, but holds", BLUE, "-."),
    (1, -1): ("claimed; cannot be told", "#6B6B6B", ":"),
}


@styled
def lines_figure(ranking: pd.DataFrame, lines: pd.DataFrame, title: str, unit: str) -> Figure:
    """Scores with intervals (left) and rank sets (right), and between systems the lines.

    The frames are those of one `held.Standing`; `unit` is what is drawn anew; empty: scores and
    claimed lines only.
    """
    n = len(ranking)
    fig, axes = plt.subplots(
        1, 2 if unit else 1, figsize=(8.4 if unit else 6.2, 0.27 * n + 2.1), sharey=True,
        squeeze=False,
    )  # fmt: skip
    left = axes[0][0]
    y = rows(left, ranking["system"], 1)
    left.scatter(ranking["score"], y, color=BLUE, s=22, zorder=3)
    left.set_xlabel("mean score")
    handles = _draw_lines(axes[0], lines)
    if unit:
        others = f"other {UNITS.get(unit, unit)}"
        left.hlines(y, ranking["low"], ranking["high"], color=SKY, lw=4)
        left.set_xlabel(f"mean score and its 95 % interval,\n{others}")
        right = axes[0][1]
        right.hlines(y, ranking["simultaneous_low"], ranking["simultaneous_high"], color=SKY, lw=6)
        right.hlines(y, ranking["marginal_low"], ranking["marginal_high"], color=BLUE, lw=2.4)
        right.scatter(y, y, color="black", s=12, zorder=3)
        right.set_xticks(range(1, n + 1, max(1, n // 8)))
        right.set(xlabel=f"rank: 95 % sets,\n{others}", xlim=(0.3, n + 0.7))
        handles += [
            Line2D([], [], color=BLUE, lw=2.4, label="set of one system"),
            Line2D([], [], color=SKY, lw=6, label="sets of all at once"),
        ]
    return finish(fig, title, handles, 3)


def _draw_lines(axes: Sequence[Axes], lines: pd.DataFrame) -> list[Line2D]:
    """Draw each line by what is known of it; handles of the kinds that occur."""
    handles = []
    for (claimed, held), (words, colour, dash) in KINDS.items():
        mine = (lines["claimed"] == claimed) & (lines["held"].fillna(-1) == held)
        look: dict[str, Any] = {"color": colour, "ls": dash, "lw": 1.4}
        for below, ax in product(lines.loc[mine, "below"], axes):
            ax.axhline(below + 0.5, zorder=2.5, **look)
        if mine.any():
            handles.append(Line2D([], [], label=words, **look))
    return handles


@styled
def counts_figure(counts: pd.DataFrame, title: str) -> Figure:
    """Lines claimed and, for each unit drawn anew, lines that hold, by language pair.

    `counts` is `lines.tables.line_counts` of one recipe: pair, unit, claimed, held.
    """
    names = [u for u in UNITS if u in set(counts["unit"])]
    table = counts.pivot(index="pair", columns="unit", values="held")[names]
    table.columns = pd.Index([f"hold with other\n{UNITS[u]}" for u in names])
    table.insert(0, "claimed", counts.groupby("pair")["claimed"].first())
    total = table.sum(min_count=1).to_frame("all pairs").T
    texts = pd.concat([table, total]).map(lambda v: "?" if np.isnan(v) else f"{v:.0f}")
    fig = heatmap(
        pd.concat([table, np.nan * total]), title=title, label="", texts=texts,
        cmap=PALE_BLUES, vmin=0, vmax=max(1.0, table.max(axis=None)), empty="white",
        cell=(1.25, 0.3),
        xlabel="?: no unit, or too few" if table.isna().to_numpy().any() else "",
    )  # fmt: skip
    ax = fig.axes[0]
    ax.axhline(len(table), color=INK, lw=1.2)
    plt.setp(ax.get_xticklabels(), rotation=0, ha="center")
    return fig


@styled
def false_lines_figure(table: pd.DataFrame, title: str, recipes: Sequence[str] = ()) -> Figure:
    """Share of campaigns of equal systems with a line, by recipe and unit, with 95 % intervals.

    `table` is from `lines.tables.false_line_table`; with several pairs, a dot for each.
    """
    names = list(recipes) or list(dict.fromkeys(table["recipe"]))
    units = [u for u in UNITS if u in set(table["unit"])]
    many = "pair" in table and table["pair"].nunique() > 1
    fig, ax = plt.subplots(figsize=(6.8, 0.26 * len(names) * max(1, len(units)) + 1.8))
    handles = []
    for k, (unit, colour) in enumerate(zip(units, PALETTE, strict=False)):
        part = table[table["unit"] == unit]
        y = part["recipe"].map(names.index) + 0.8 * ((k + 0.5) / len(units) - 0.5)
        if many:
            wide = part.groupby(y)["campaigns_with_line"]
            ax.hlines(wide.min().index, wide.min(), wide.max(), color=colour, lw=1.2, alpha=0.4)
            ax.scatter(wide.median(), wide.median().index, s=30, color=colour, zorder=3)
            ax.scatter(part["campaigns_with_line"], y, s=9, color=colour)
        else:
            ax.hlines(y, part["campaigns_low"], part["campaigns_high"], color=colour, lw=2)
            ax.scatter(part["campaigns_with_line"], y, s=24, color=colour, zorder=3)
        words = f"labels shuffled by {UNITS[unit]}"
        handles.append(Line2D([], [], marker="o", ls="", color=colour, label=words))
    ax.axvline(0.05, color=INK, lw=1, ls="--")
    rows(ax, names, room=0.5)
    ax.set_xlim(-0.02, min(1.02, max(0.3, 1.1 * table["campaigns_high"].max())))
    several = "\nsmall: language pairs; large: their median; bar: least to most" if many else ""
    ax.set_xlabel(f"share of campaigns of equal systems with a line (dashed: .05){several}")
    ax.set_title(title)
    return finish(fig, "", handles, 3)


@styled
def recipes_figure(table: pd.DataFrame, years: Sequence[str], title: str) -> Figure:
    """Several recipes' rankings side by side: systems in order, lines between their clusters.

    `table` has recipe, system, rank, cluster, as `held.recipes_table` gives it; `years` stand above
    the recipes' columns.
    """
    names = dict(zip(dict.fromkeys(table["recipe"]), years, strict=True))
    table = table.assign(recipe=table["recipe"].map(names))
    return bump(table, title=title, by="recipe", place="rank", ordered=True)


@styled
def chances_figure(probabilities: pd.DataFrame, title: str, unit: str) -> Figure:
    """Share of resampled campaigns, in per cent, in which a system (row) has a rank (column)."""
    table = 100 * probabilities.set_index("system")
    texts = table.map(lambda v: f"{v:.0f}" if v >= 1 else "") if len(table) <= 25 else None
    fig = heatmap(
        table, title=title, label="% of resampled campaigns", texts=texts, cmap=PALE_BLUES,
        vmin=0, vmax=table.max(axis=None), xlabel=f"rank with other {UNITS.get(unit, unit)}",
        cell=(min(0.42, 8.0 / len(table)), 0.27),
    )  # fmt: skip
    plt.setp(fig.axes[0].get_xticklabels(), rotation=0, ha="center")
    return fig
