"""Plots of what holds: a ranking with rank sets and lines, lines claimed and held, false lines."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .common import (
    BLUE,
    INK,
    PALETTE,
    RED,
    SKY,
    bump,
    headline,
    heatmap,
    legend_below,
    styled,
)

UNITS = {
    "segment": "segments",
    "document": "documents",
    "worker": "workers",
    "hit": "HITs",
    "block": "blocks",
    "judge": "judges",
    "rater": "raters",
    "worker x document": "workers and documents",
}
PALE_BLUES = LinearSegmentedColormap.from_list("pale blues", ["#FFFFFF", "#7DB8DE"])  # ink reads
KINDS = {
    "claimed and held": (INK, "-"),
    "claimed only": (RED, (0, (4, 2.5))),
    "not claimed, but holds": (BLUE, "-."),
    "claimed; cannot be told": ("#6B6B6B", ":"),
}


def _kind(claimed: float, held: float) -> str:
    if np.isnan(held):
        return "claimed; cannot be told" if claimed else ""
    names = {(1, 1): "claimed and held", (1, 0): "claimed only"}
    return names.get((int(claimed), int(held)), "not claimed, but holds" if held else "")


@styled
def lines_figure(ranking: pd.DataFrame, lines: pd.DataFrame, title: str, unit: str) -> Figure:
    """Scores with intervals (left) and rank sets (right), and between systems the lines.

    Parameters
    ----------
    ranking, lines : DataFrame
        Of one `held.Standing`.
    unit : str
        What is drawn anew; empty: scores and claimed lines only.
    """
    n, y = len(ranking), ranking["rank"].to_numpy()
    fig, axes = plt.subplots(
        1, 2 if unit else 1, figsize=(8.4 if unit else 6.2, 0.27 * n + 2.1), sharey=True,
        width_ratios=[1, 1] if unit else [1], squeeze=False,
    )  # fmt: skip
    left = axes[0][0]
    if unit:
        left.hlines(y, ranking["low"], ranking["high"], color=SKY, lw=4)
    left.scatter(ranking["score"], y, color=BLUE, s=22, zorder=3)
    left.set_yticks(y, ranking["system"])
    left.set_ylim(n + 0.6, 0.4)
    words = f"95 % interval,\nother {UNITS.get(unit, unit)}"
    left.set_xlabel(f"mean score and its {words}" if unit else "mean score")
    handles = _draw_lines(axes[0], lines)
    if unit:
        right = axes[0][1]
        right.hlines(y, ranking["simultaneous_low"], ranking["simultaneous_high"], color=SKY, lw=6)
        right.hlines(y, ranking["marginal_low"], ranking["marginal_high"], color=BLUE, lw=2.4)
        right.scatter(y, y, color="black", s=12, zorder=3)
        right.set_xticks(range(1, n + 1, max(1, n // 8)))
        right.set(xlabel=f"rank: 95 % sets,\nother {UNITS.get(unit, unit)}", xlim=(0.3, n + 0.7))
        handles += [
            Line2D([], [], color=BLUE, lw=2.4, label="set of one system"),
            Line2D([], [], color=SKY, lw=6, label="sets of all at once"),
        ]
    headline(fig, title)
    legend_below(fig, handles, 3)
    return fig


def _draw_lines(axes: Sequence[Axes], lines: pd.DataFrame) -> list[Line2D]:
    """Draw each line by what is known of it; handles of the kinds that occur."""
    seen = set()
    for row in lines.itertuples():
        kind = _kind(row.claimed, row.held)
        if kind:
            colour, dash = KINDS[kind]
            seen.add(kind)
            for ax in axes:
                ax.axhline(row.below + 0.5, color=colour, ls=dash, lw=1.4, zorder=2.5)
    return [
        Line2D([], [], color=colour, ls=dash, lw=1.4, label=kind)
        for kind, (colour, dash) in KINDS.items()
        if kind in seen
    ]


@styled
def counts_figure(counts: pd.DataFrame, title: str) -> Figure:
    """Lines claimed and, for each unit drawn anew, lines that hold, by language pair.

    Parameters
    ----------
    counts : DataFrame
        `study.lines.line_counts` of one recipe: pair, unit, claimed, held.
    """
    names = [u for u in UNITS if u in set(counts["unit"])]
    table = counts.pivot(index="pair", columns="unit", values="held")[names]
    table.columns = pd.Index([f"hold with other\n{UNITS[u]}" for u in names])
    table.insert(0, "claimed", counts.groupby("pair")["claimed"].first())
    total = table.sum(min_count=1).to_frame("all pairs").T
    texts = pd.concat([table, total]).map(lambda v: "?" if np.isnan(v) else f"{v:.0f}")
    shown = pd.concat([table, total.assign(**dict.fromkeys(table.columns, np.nan))])
    fig = heatmap(
        shown, title=title, label="", annotate=texts, cmap=PALE_BLUES, vmin=0,
        vmax=max(1.0, float(np.nanmax(table.to_numpy()))), empty="white",
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

    Parameters
    ----------
    table : DataFrame
        From `study.lines.false_line_table`; with several pairs, a dot for each.
    """
    names = list(recipes) or list(dict.fromkeys(table["recipe"]))
    units = [u for u in UNITS if u in set(table["unit"])]
    many = "pair" in table and table["pair"].nunique() > 1
    fig, ax = plt.subplots(figsize=(6.8, 0.26 * len(names) * max(1, len(units)) + 1.8))
    for k, unit in enumerate(units):
        part = table[table["unit"] == unit]
        y = part["recipe"].map(names.index) + 0.8 * ((k + 0.5) / len(units) - 0.5)
        if many:
            wide = part.assign(y=y).groupby("y")["campaigns_with_line"]
            ax.hlines(wide.min().index, wide.min(), wide.max(), color=PALETTE[k], lw=1.2, alpha=0.4)
            ax.scatter(wide.median(), wide.median().index, s=30, color=PALETTE[k], zorder=3)
            ax.scatter(part["campaigns_with_line"], y, s=9, color=PALETTE[k])
        else:
            ax.hlines(y, part["campaigns_low"], part["campaigns_high"], color=PALETTE[k], lw=2)
            ax.scatter(part["campaigns_with_line"], y, s=24, color=PALETTE[k], zorder=3)
    ax.axvline(0.05, color=INK, lw=1, ls="--")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(-0.02, min(1.02, max(0.3, 1.1 * table["campaigns_high"].max())))
    several = "\nsmall: language pairs; large: their median; bar: least to most" if many else ""
    ax.set_xlabel(f"share of campaigns of equal systems with a line (dashed: .05){several}")
    ax.set_title(title)
    handles = [
        Line2D([], [], marker="o", ls="", color=PALETTE[k], label=f"labels shuffled by {UNITS[u]}")
        for k, u in enumerate(units)
    ]
    legend_below(fig, handles, 3)
    return fig


@styled
def recipes_figure(table: pd.DataFrame, years: Sequence[str], title: str) -> Figure:
    """Several recipes' rankings side by side: systems in order, lines between their clusters.

    Parameters
    ----------
    table : DataFrame
        recipe, system, rank, cluster, as `held.recipes_table` gives it.
    years : sequence of str
        What stands above each recipe's column.
    """
    places = table.rename(columns={"rank": "place"})
    names = dict(zip(dict.fromkeys(places["recipe"]), years, strict=True))
    below = places.groupby("recipe", sort=False)["cluster"].shift(-1)
    lined = below.notna() & (below != places["cluster"])
    places = places.assign(ranking=places["recipe"].map(names), line=lined.astype(int))
    return bump(places[["ranking", "system", "place", "line"]], title=title, ordered=True)


@styled
def chances_figure(probabilities: pd.DataFrame, title: str, unit: str) -> Figure:
    """Share of resampled campaigns, in per cent, in which a system (row) has a rank (column)."""
    table = 100 * probabilities.set_index("system")
    texts = table.map(lambda v: f"{v:.0f}" if v >= 1 else "") if len(table) <= 25 else False
    fig = heatmap(
        table, title=title, label="% of resampled campaigns", annotate=texts, cmap=PALE_BLUES,
        vmin=0, vmax=table.to_numpy().max(), xlabel=f"rank with other {UNITS.get(unit, unit)}",
        cell=(min(0.42, 8.0 / len(table)), 0.27),
    )  # fmt: skip
    plt.setp(fig.axes[0].get_xticklabels(), rotation=0, ha="center")
    return fig
