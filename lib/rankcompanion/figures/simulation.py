"""Figures of simulated campaigns and rank ranges (Koehn 2012)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from .common import AMBER, BLUE, FAINT, GREEN, PINK, RED, SKY, finish, rows, styled

RANKER_COLOURS = {"BOJAR": BLUE, "EXPECTED": AMBER, "LOPEZ": RED}
THOUSANDS = FuncFormatter(
    lambda value, _: f"{value / 1e6:g}M" if value >= 1e6 else f"{value / 1000:g}k" if value else "0"
)


def _panels(
    names: Sequence[Any], width: float, height: float, most: int = 4, **kwargs: Any
) -> tuple[Figure, dict[Any, Axes]]:
    """A panel for each name, at most so many in a row, titles and labels at the outer edges."""
    columns = min(most, len(names))
    lines = -(-len(names) // columns)
    size = (max(4.2, width * columns), max(2.6, height * lines))
    fig, grid = plt.subplots(lines, columns, figsize=size, squeeze=False, **kwargs)
    for ax in grid.ravel()[len(names) :]:
        ax.remove()
    return fig, dict(zip(names, grid.ravel(), strict=False))


def _label_edges(axes: Mapping[Any, Axes], x: str, y: str = "") -> None:
    """`x` under the lowest panel of each column, `y`, if any, beside the first of each row."""
    places = list(axes.values())
    columns = places[0].get_gridspec().ncols  # type: ignore[union-attr]
    for i, ax in enumerate(places):
        ax.set_xlabel(x if i + columns >= len(places) else "")
        if y:
            ax.set_ylabel(y if i % columns == 0 else "")


def _lines_with_bars(
    ax: Axes, table: pd.DataFrame, value: str, series: str, palette: Mapping[str, str], **look: Any
) -> None:
    """A line over judgments for each series, bars of two standard errors (``<value>_se``)."""
    sns.lineplot(
        table, x="judgments", y=value, hue=series, style=series, palette=palette, ax=ax,
        estimator=None, errorbar=None, markeredgewidth=0, **look,
    )  # fmt: skip
    for name, part in table.groupby(series, sort=False):
        bars = 2 * part[f"{value}_se"]
        ax.errorbar(part["judgments"], part[value], bars, fmt="none", ecolor=palette[str(name)])
    ax.xaxis.set_major_formatter(THOUSANDS)


@styled
def win_ratios(table: pd.DataFrame, title: str = "") -> Figure:
    """Each task's win ratios, best first, with the straight line through them (Figure 1)."""
    fig, axes = _panels(table["task"].unique(), 2.3, 1.9, sharey=True)
    for task, part in table.groupby("task", sort=False):
        ax = axes[task]
        ax.plot(part["rank"], part["straight"], color=FAINT, lw=1.0)
        sns.scatterplot(part, x="rank", y="win_ratio", ax=ax, color=BLUE, s=20)
        ax.set_title(str(task), fontsize=9.5)
        ax.set_xlim(0.2, part["rank"].max() + 0.8)
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    _label_edges(axes, "rank of the system", "win ratio")
    return finish(fig, title)


@styled
def growth(curves: pd.DataFrame, fits: pd.DataFrame, title: str = "") -> Figure:
    """Share of significant pairs against judgments, observed and fitted (Figure 2)."""
    fig, axes = _panels(curves["task"].unique(), 2.3, 2.0, sharey=True)
    spread = fits.set_index("task")["spread"]
    named = curves.rename(columns={"share": "campaign", "fitted": "model"})
    for task, part in named.groupby("task", sort=False):
        ax = axes[task]
        ax.fill_between(
            part["judgments"], part["share_low"], part["share_high"], color=BLUE, alpha=0.18, lw=0
        )
        lines = part.set_index("judgments")[["campaign", "model"]]
        sns.lineplot(lines, ax=ax, palette=[BLUE, RED], dashes=[(), (3, 1.5)])
        ax.set_title(str(task), fontsize=9.5)
        note = f"spread {spread[task]:g}"
        ax.text(0.97, 0.05, note, transform=ax.transAxes, ha="right", fontsize=8.5)
        ax.set(ylim=(0, 1), xlim=(0, None))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="\u00a0%"))
        ax.xaxis.set_major_formatter(THOUSANDS)
    _label_edges(axes, "judgments", "significant pairs")
    return finish(fig, title, fig.axes[0], 2, fontsize=8)


@styled
def ranking_errors(errors: pd.DataFrame, printed: pd.DataFrame, title: str = "") -> Figure:
    """Error of the ranking methods against judgments, one panel per spread (Figure 3).

    `errors`: spread, ranker, judgments, error, error_se; `printed`: judgments, value, what the
    paper prints, drawn as crosses in every panel.
    """
    fig, axes = _panels(errors["spread"].unique(), 2.9, 3.0, most=3, sharey=True)
    aside = errors["ranker"].map({"BOJAR": -500, "EXPECTED": 500, "LOPEZ": 0})
    moved = errors.assign(judgments=errors["judgments"] + aside)
    for spread, part in moved.groupby("spread", sort=False):
        ax = axes[spread]
        marks = {"BOJAR": "o", "EXPECTED": "s", "LOPEZ": "^"}
        _lines_with_bars(
            ax, part, "error", "ranker", RANKER_COLOURS, markers=marks, dashes=False, lw=1.4, ms=4.5
        )
        ax.plot(printed["judgments"], printed["value"], "x", color="black", ms=6, label="printed")
        ax.set_title(f"spread {spread:.3g}", fontsize=9.5)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="\u00a0%"))
    fig.axes[0].set_ylim(0, None)
    _label_edges(axes, "judgments", "pairs in the wrong order")
    return finish(fig, title, fig.axes[0], 4, fontsize=8)


@styled
def range_quality(table: pd.DataFrame, printed: pd.DataFrame, title: str = "") -> Figure:
    """Size, violations and clusters of rank ranges against judgments (Table 1).

    `table`: of one spread, from `experiments.range_qualities`; `printed`: quantity, method,
    judgments, value, what the paper prints.
    """
    labels = {
        "size": "mean ranks in a range",
        "violations": "true rank outside",
        "clusters": "clusters",
        "cluster_violations": "in a wrong cluster",
    }
    named = table.assign(series=table["method"] + ", " + table["setting"])
    methods = named.drop_duplicates("series").set_index("series")["method"]
    palette = dict(zip(methods.index, (BLUE, SKY, AMBER, RED, PINK), strict=False))
    pairwise = methods == "pairwise"
    marks = pairwise.map({True: "s", False: "o"}).to_dict()
    dashes = pairwise.map({True: (3, 1.5), False: ()}).to_dict()
    fig, axes = _panels(list(labels), 3.7, 2.7, most=2, sharex=True)
    for quantity, ax in axes.items():
        _lines_with_bars(ax, named, quantity, "series", palette, markers=marks, dashes=dashes)
        for method, mark in (("pairwise", "+"), ("bootstrap", "x")):
            part = printed[(printed["quantity"] == quantity) & (printed["method"] == method)]
            ax.plot(
                part["judgments"], part["value"], mark, color="black", ms=7, mew=1.4, zorder=5,
                label=f"printed, {method}",
            )  # fmt: skip
        if "violations" in quantity:
            ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="\u00a0%"))
        ax.set_ylabel(labels[quantity])
        ax.set_ylim(0, None)
    _label_edges(axes, "judgments")
    return finish(fig, title, fig.axes[0], 3, fontsize=8)


@styled
def table4(table: pd.DataFrame, title: str = "") -> Figure:
    """Judgments needed, ours over printed, under the four readings of the paper (Table 4)."""
    fig, ax = plt.subplots(figsize=(7.0, 3.6))
    sides = table["sides"].map({1: "one", 2: "two"})
    meaning = "σ² a " + table["sigma2_is"] + ", " + sides + "-sided"
    sns.scatterplot(
        x=table["printed"], y=table["ratio"], hue=meaning, style=meaning, ax=ax, s=28, alpha=0.8,
        markers=["v", "^", "s", "o"], palette=["#999999", AMBER, SKY, BLUE], linewidth=0,
    )  # fmt: skip
    ax.axhline(1, color="black", lw=1.0, ls=":")
    ax.set(xscale="log", yscale="log", xlabel="judgments printed", ylabel="ours / printed")
    ax.minorticks_off()
    ticks = [0.05, 0.1, 0.2, 0.5, 1, 2]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.xaxis.set_major_formatter(THOUSANDS)
    return finish(fig, title, ax, 2, fontsize=8)


def _needed(
    ax: Axes, table: pd.DataFrame, row: str, series: str, labels: str, colours: Sequence[str]
) -> None:
    """Judgments needed: dots and bands in each row of the axes, a colour for each of `series`."""
    names = list(table[row].unique())
    groups = list(table.groupby(series, sort=False))
    middle = (len(groups) - 1) / 2
    for i, (name, part) in enumerate(groups):
        y = part[row].map(names.index) + (i - middle) * 0.68 / len(groups)
        colour = colours[i % len(colours)]
        ax.hlines(y, part["fewer"], part["more"], color=colour, lw=2.2, alpha=0.45)
        ax.plot(
            part["judgments"],
            y,
            "o",
            color=colour,
            ms=4.5,
            label=labels.format(name).replace("%", "\u00a0%"),
        )
    ax.set(xscale="log", xlabel="judgments")
    ax.xaxis.set_major_formatter(THOUSANDS)
    ax.minorticks_off()
    rows(ax, names, room=0.5)
    ax.yaxis.grid(False)


@styled
def advice(table: pd.DataFrame, title: str = "") -> Figure:
    """Judgments needed for a share of significant pairs: one panel per share, with the band."""
    fig, axes = _panels(table["share"].unique(), 2.5, 3.3, sharey=True)
    named = table.assign(campaign=table["systems"].map("{} systems".format))
    for share, part in named.groupby("share", sort=False):
        colours = (BLUE, AMBER, RED, GREEN)
        _needed(axes[share], part, "campaign", "spread", "spread {:g}", colours)
        axes[share].set_title(f"{100 * share:.0f} % of pairs", fontsize=9.5)
    return finish(fig, title, fig.axes[0], 4, fontsize=8)


@styled
def advice_for_tasks(table: pd.DataFrame, title: str = "") -> Figure:
    """Judgments that real tasks would need at their fitted spread, beside those collected."""
    tasks = table.drop_duplicates("task")
    fig, ax = plt.subplots(figsize=(7.2, 0.52 * len(tasks) + 1.6))
    _needed(ax, table, "task", "share", "for {:.0%} of pairs", (SKY, BLUE, GREEN, RED))
    ax.plot(
        tasks["collected"], range(len(tasks)), "D", color="black", ms=5, zorder=5, label="collected"
    )
    return finish(fig, title, ax, 5, fontsize=8)
