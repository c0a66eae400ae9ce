"""Figures of simulated campaigns and rank ranges (Koehn 2012)."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from .common import AMBER, BLUE, FAINT, GREEN, RED, SKY, finish, rows, styled

RANKER_COLOURS = {"BOJAR": BLUE, "EXPECTED": AMBER, "LOPEZ": RED}


def _thousands(value: float, _: int) -> str:
    """A number on an axis, such as ``0``, ``20k`` or ``1.5M``."""
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1000:g}k" if value else "0"


THOUSANDS = FuncFormatter(_thousands)


def _panels(
    names: Sequence[Any],
    width: float,
    height: float,
    most: int = 4,
    **kwargs: Any,
) -> tuple[Figure, dict[Any, Axes]]:
    """A figure with a panel for each name, at most `most` in a row."""
    columns = min(most, len(names))
    lines = -(-len(names) // columns)
    size = (max(4.2, width * columns), max(2.6, height * lines))
    fig, grid = plt.subplots(
        lines, columns, figsize=size, squeeze=False, **kwargs
    )
    for ax in grid.ravel()[len(names) :]:
        ax.remove()
    return fig, dict(zip(names, grid.ravel(), strict=False))


def _label_edges(axes: Mapping[Any, Axes], x: str, y: str) -> None:
    """Write `x` below the lowest panel of each column, and `y` left of each row."""
    places = list(axes.values())
    columns = places[0].get_gridspec().ncols  # type: ignore[union-attr]
    for i, ax in enumerate(places):
        ax.set_xlabel(x if i + columns >= len(places) else "")
        ax.set_ylabel(y if i % columns == 0 else "")


@styled
def win_ratios(table: pd.DataFrame, title: str = "") -> Figure:
    """Each task's win ratios, best first, with a straight line fitted to them (Figure 1)."""
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
def growth(
    curves: pd.DataFrame, fits: pd.DataFrame, title: str = ""
) -> Figure:
    """Share of significant pairs by number of judgments, observed and fitted (Figure 2)."""
    fig, axes = _panels(curves["task"].unique(), 2.3, 2.0, sharey=True)
    spread = fits.set_index("task")["spread"]
    named = curves.rename(columns={"share": "campaign", "fitted": "model"})
    for task, part in named.groupby("task", sort=False):
        ax = axes[task]
        ax.fill_between(
            part["judgments"],
            part["share_low"],
            part["share_high"],
            color=BLUE,
            alpha=0.18,
            lw=0,
        )
        lines = part.set_index("judgments")[["campaign", "model"]]
        sns.lineplot(lines, ax=ax, palette=[BLUE, RED], dashes=[(), (3, 1.5)])
        ax.set_title(str(task), fontsize=9.5)
        note = f"spread {spread[task]:g}"
        ax.text(
            0.97, 0.05, note, transform=ax.transAxes, ha="right", fontsize=8.5
        )
        ax.set(ylim=(0, 1), xlim=(0, None))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="\u00a0%"))
        ax.xaxis.set_major_formatter(THOUSANDS)
    _label_edges(axes, "judgments", "significant pairs")
    return finish(fig, title, fig.axes[0], 2, fontsize=8)


@styled
def ranking_errors(
    errors: pd.DataFrame, printed: pd.DataFrame, title: str = ""
) -> Figure:
    """Error of the ranking methods by number of judgments, a panel per spread (Figure 3).

    `errors` has spread, ranker, judgments, error, error_se; `printed` has judgments and value, the
    numbers that the paper prints, which are drawn as crosses in every panel.
    """
    fig, axes = _panels(
        errors["spread"].unique(), 2.9, 3.0, most=3, sharey=True
    )
    aside = errors["ranker"].map({"BOJAR": -500, "EXPECTED": 500, "LOPEZ": 0})
    moved = errors.assign(judgments=errors["judgments"] + aside)
    for spread, part in moved.groupby("spread", sort=False):
        ax = axes[spread]
        sns.lineplot(
            part, x="judgments", y="error", hue="ranker", style="ranker", palette=RANKER_COLOURS,
            ax=ax, estimator=None, errorbar=None, markeredgewidth=0, dashes=False, lw=1.4, ms=4.5,
            markers={"BOJAR": "o", "EXPECTED": "s", "LOPEZ": "^"},
        )  # fmt: skip
        for ranker, series in part.groupby("ranker", sort=False):
            look = {"fmt": "none", "ecolor": RANKER_COLOURS[str(ranker)]}
            ax.errorbar(
                series["judgments"],
                series["error"],
                2 * series["error_se"],
                **look,
            )
        ax.xaxis.set_major_formatter(THOUSANDS)
        ax.plot(
            printed["judgments"],
            printed["value"],
            "x",
            color="black",
            ms=6,
            label="printed",
        )
        ax.set_title(f"spread {spread:.3g}", fontsize=9.5)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="\u00a0%"))
    fig.axes[0].set_ylim(0, None)
    _label_edges(axes, "judgments", "pairs in the wrong order")
    return finish(fig, title, fig.axes[0], 4, fontsize=8)


def _needed(
    ax: Axes,
    table: pd.DataFrame,
    row: str,
    series: str,
    labels: str,
    colours: Sequence[str],
) -> None:
    """Draw judgments needed as dots with bands, in rows by `row`, with a colour per `series`."""
    names = list(table[row].unique())
    groups = list(table.groupby(series, sort=False))
    middle = (len(groups) - 1) / 2
    for i, (name, part) in enumerate(groups):
        y = part[row].map(names.index) + (i - middle) * 0.68 / len(groups)
        colour = colours[i % len(colours)]
        ax.hlines(
            y, part["fewer"], part["more"], color=colour, lw=2.2, alpha=0.45
        )
        label = labels.format(name).replace("%", "\u00a0%")
        ax.plot(part["judgments"], y, "o", color=colour, ms=4.5, label=label)
    ax.set(xscale="log", xlabel="judgments")
    ax.xaxis.set_major_formatter(THOUSANDS)
    ax.minorticks_off()
    rows(ax, names, room=0.5)
    ax.yaxis.grid(False)


@styled
def advice(table: pd.DataFrame, title: str = "") -> Figure:
    """Judgments needed for a share of significant pairs, with their bands; a panel per share."""
    fig, axes = _panels(table["share"].unique(), 2.5, 3.3, sharey=True)
    named = table.assign(campaign=table["systems"].map("{} systems".format))
    for share, part in named.groupby("share", sort=False):
        colours = (BLUE, AMBER, RED, GREEN)
        _needed(
            axes[share], part, "campaign", "spread", "spread {:g}", colours
        )
        axes[share].set_title(f"{100 * share:.0f} % of pairs", fontsize=9.5)
    return finish(fig, title, fig.axes[0], 4, fontsize=8)


@styled
def advice_for_tasks(table: pd.DataFrame, title: str = "") -> Figure:
    """Judgments that real tasks would need at their fitted spread, next to those collected."""
    tasks = table.drop_duplicates("task")
    fig, ax = plt.subplots(figsize=(7.2, 0.52 * len(tasks) + 1.6))
    _needed(
        ax,
        table,
        "task",
        "share",
        "for {:.0%} of pairs",
        (SKY, BLUE, GREEN, RED),
    )
    look: dict[str, Any] = {
        "color": "black",
        "ms": 5,
        "zorder": 5,
        "label": "collected",
    }
    ax.plot(tasks["collected"], range(len(tasks)), "D", **look)
    return finish(fig, title, ax, 5, fontsize=8)
