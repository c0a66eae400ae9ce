"""Figures of simulated campaigns and rank ranges (Koehn 2012)."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from .common import styled

UNIT_COLOURS = {"judgment": "#0072B2", "block": "#D55E00", "judge": "#009E73"}
RANKER_COLOURS = {"BOJAR": "#0072B2", "EXPECTED": "#E69F00", "LOPEZ": "#D55E00"}
THOUSANDS = FuncFormatter(
    lambda value, _: f"{value / 1e6:g}M" if value >= 1e6 else f"{value / 1000:g}k" if value else "0"
)


def _panels(count: int, width: float, height: float, most: int = 4, **kwargs) -> tuple:
    columns = min(most, count)
    rows = -(-count // columns)
    size = (max(4.2, width * columns), max(2.6, height * rows))
    fig, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, **kwargs)
    axes = list(grid.ravel())
    for ax in axes[count:]:
        ax.remove()
    return fig, axes[:count], columns


@styled
def win_ratios(table: pd.DataFrame) -> Figure:
    """Each task's win ratios, best first, with the straight line through them (Figure 1)."""
    tasks = list(table["task"].unique())
    fig, axes, columns = _panels(len(tasks), 2.3, 1.9, sharey=True)
    for i, (ax, task) in enumerate(zip(axes, tasks, strict=True)):
        own = table[table["task"] == task]
        ax.plot(own["rank"], own["straight"], color="#8C8C8C", lw=1.0)
        ax.plot(own["rank"], own["win_ratio"], "o", color="#0072B2", ms=3.6)
        ax.set_title(task, fontsize=9.5)
        ax.set_xlim(0.2, own["rank"].max() + 0.8)
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        if i % columns == 0:
            ax.set_ylabel("win ratio")
        if i >= len(tasks) - columns:
            ax.set_xlabel("rank of the system")
    return fig


@styled
def growth(curves: pd.DataFrame, fits: pd.DataFrame) -> Figure:
    """Share of significant pairs against judgments, observed and fitted (Figure 2)."""
    tasks = list(curves["task"].unique())
    fig, axes, columns = _panels(len(tasks), 2.3, 2.0, sharey=True)
    spread = fits.set_index("task")["spread"]
    for i, (ax, task) in enumerate(zip(axes, tasks, strict=True)):
        own = curves[curves["task"] == task]
        ax.fill_between(
            own["judgments"], own["share_low"], own["share_high"], color="#0072B2", alpha=0.18, lw=0
        )
        ax.plot(own["judgments"], own["share"], color="#0072B2", label="campaign")
        ax.plot(own["judgments"], own["fitted"], color="#D55E00", ls="--", label="model")
        ax.set_title(task, fontsize=9.5)
        note = f"spread {spread[task]:g}"
        ax.text(0.97, 0.05, note, transform=ax.transAxes, ha="right", fontsize=8.5)
        ax.set(ylim=(0, 1), xlim=(0, None))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.xaxis.set_major_formatter(THOUSANDS)
        if i % columns == 0:
            ax.set_ylabel("significant pairs")
        if i >= len(tasks) - columns:
            ax.set_xlabel("judgments")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    return fig


@styled
def ranking_errors(errors: pd.DataFrame, printed: pd.DataFrame | None = None) -> Figure:
    """Error of the ranking methods against judgments, one panel per spread (Figure 3).

    Parameters
    ----------
    errors : DataFrame
        spread, ranker, judgments, error, error_se.
    printed : DataFrame, optional
        ranker, judgments, error: what the paper prints, drawn as crosses in every panel.
    """
    spreads = list(errors["spread"].unique())
    fig, axes, _ = _panels(len(spreads), 2.9, 3.0, most=3, sharey=True)
    offsets = {"BOJAR": -500, "EXPECTED": 500, "LOPEZ": 0}
    marks = {"BOJAR": "o", "EXPECTED": "s", "LOPEZ": "^"}
    for i, (ax, spread) in enumerate(zip(axes, spreads, strict=True)):
        own = errors[errors["spread"] == spread]
        for ranker, part in own.groupby("ranker", sort=False):
            name = str(ranker)
            ax.errorbar(
                part["judgments"] + offsets[name],
                part["error"],
                yerr=2 * part["error_se"],
                color=RANKER_COLOURS[name],
                marker=marks[name],
                label=name,
                lw=1.4,
                ms=4,
            )
        if printed is not None:
            ax.plot(
                printed["judgments"], printed["error"], "x", color="black", ms=6, label="printed"
            )
        ax.set_title(f"spread {spread:.3g}", fontsize=9.5)
        ax.set(xlabel="judgments", ylim=(0, None))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.xaxis.set_major_formatter(THOUSANDS)
        if i == 0:
            ax.set_ylabel("pairs in the wrong order")
    axes[0].legend(fontsize=8, loc="upper right")
    return fig


@styled
def range_quality(table: pd.DataFrame, printed: pd.DataFrame | None = None) -> Figure:
    """Size, violations and clusters of rank ranges against judgments (Table 1).

    Parameters
    ----------
    table : DataFrame
        From `simulation_experiments.range_qualities`.
    printed : DataFrame, optional
        method, judgments, size, violations, clusters, cluster_violations.
    """
    panels = (
        ("size", "mean ranks in a range", False),
        ("violations", "true rank outside", True),
        ("clusters", "clusters", False),
        ("cluster_violations", "in a wrong cluster", True),
    )
    fig, grid = plt.subplots(2, 2, figsize=(7.4, 5.4), sharex=True)
    settings = table[["method", "setting"]].drop_duplicates().itertuples(index=False)
    colours = ["#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#CC79A7"]
    styles = [(m, s, colours[i % 5]) for i, (m, s) in enumerate(settings)]
    for ax, (column, label, share) in zip(grid.ravel(), panels, strict=True):
        for method, setting, colour in styles:
            own = table[(table["method"] == method) & (table["setting"] == setting)]
            ax.errorbar(
                own["judgments"],
                own[column],
                yerr=2 * own[f"{column}_se"],
                color=colour,
                ls="--" if method == "pairwise" else "-",
                marker="o" if method == "bootstrap" else "s",
                ms=3.5,
                label=f"{method}, {setting}",
            )
        if printed is not None:
            for method, mark in (("pairwise", "+"), ("bootstrap", "x")):
                own = printed[printed["method"] == method]
                ax.plot(
                    own["judgments"],
                    own[column],
                    mark,
                    color="black",
                    ms=7,
                    mew=1.4,
                    zorder=5,
                    ls="none",
                    label=f"printed, {method}",
                )
        if share:
            ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.xaxis.set_major_formatter(THOUSANDS)
        ax.set_ylabel(label)
        ax.set_ylim(0, None)
    for ax in grid[1]:
        ax.set_xlabel("judgments")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    return fig


@styled
def ranges_by_unit(ranges: pd.DataFrame, tasks: Sequence[str]) -> Figure:
    """Rank ranges of each system, by what is resampled, for a few tasks."""
    heights = [ranges.loc[ranges["task"] == t, "system"].nunique() for t in tasks]
    size = (4.1 * len(tasks) + 0.4, 0.3 * max(heights) + 1.3)
    fig, grid = plt.subplots(1, len(tasks), figsize=size, squeeze=False)
    for ax, task in zip(grid[0], tasks, strict=True):
        own = ranges[ranges["task"] == task]
        systems = list(own.drop_duplicates("system").sort_values("rank")["system"])
        for u, (unit, part) in enumerate(own.groupby("unit", sort=False)):
            y = np.array([systems.index(s) for s in part["system"]]) + (u - 1) * 0.22
            colour = UNIT_COLOURS[str(unit)]
            ax.hlines(y, part["first"], part["last"], color=colour, lw=2.4, label=str(unit))
            ax.plot(part["first"], y, "|", color=colour, ms=6, mew=1.6)
            ax.plot(part["last"], y, "|", color=colour, ms=6, mew=1.6)
        ax.plot(range(1, len(systems) + 1), range(len(systems)), "k.", ms=5, zorder=4)
        names = [s if len(s) <= 22 else s[:21] + "…" for s in systems]
        ax.set_yticks(range(len(systems)), names)
        ax.set_ylim(len(systems) - 0.5, -0.5)
        ax.set(title=task, xlabel="rank", xlim=(0.5, len(systems) + 0.5))
        ax.set_xticks(range(1, len(systems) + 1, 2 if len(systems) > 8 else 1))
    handles, labels = grid[0, 0].get_legend_handles_labels()
    fig.legend(
        handles, labels, title="what is resampled", loc="outside lower center", ncols=3, fontsize=8
    )
    return fig


@styled
def coverage(table: pd.DataFrame, level: float = 0.95) -> Figure:
    """How often the true rank lies in its range, by what is resampled and how judges differ."""
    fig, ax = plt.subplots(figsize=(6.2, 3.1))
    spreads = list(table["judge_spread"].unique())
    for u, (unit, own) in enumerate(table.groupby("unit", sort=False)):
        x = np.array([spreads.index(s) for s in own["judge_spread"]]) + (u - 1) * 0.16
        ax.errorbar(
            x,
            own["coverage"],
            yerr=2 * own["coverage_se"],
            fmt="o",
            ms=6,
            capsize=3,
            color=UNIT_COLOURS[str(unit)],
            label=str(unit),
        )
    ax.axhline(level, color="black", lw=1.0, ls=":")
    ax.text(len(spreads) - 0.52, level, "asked for", fontsize=8, va="bottom", ha="right")
    names = ["judges alike" if s == 0 else f"judges differ\n(sd {s:g})" for s in spreads]
    ax.set_xticks(range(len(spreads)), names)
    ax.set_xlim(-0.5, len(spreads) - 0.5)
    ax.set_ylabel("true rank inside its range")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    fig.legend(title="what is resampled", loc="outside right upper")
    low = float((table["coverage"] - 2 * table["coverage_se"]).min())
    ax.set_ylim(min(0.9, low) - 0.01, 1.005)
    return fig


@styled
def table4(table: pd.DataFrame) -> Figure:
    """Judgments needed, ours over printed, under the four readings of the paper (Table 4)."""
    fig, ax = plt.subplots(figsize=(7.0, 3.6))
    marks = ["v", "^", "s", "o"]
    colours = ["#999999", "#E69F00", "#56B4E9", "#0072B2"]
    groups = table.groupby(["sigma2_is", "sides"], sort=False)
    for ((meaning, sides), own), mark, colour in zip(groups, marks, colours, strict=True):
        label = f"σ² a {meaning}, {'one' if sides == 1 else 'two'}-sided"
        ax.plot(own["printed"], own["ratio"], mark, color=colour, ms=4.5, alpha=0.8, label=label)
    ax.axhline(1, color="black", lw=1.0, ls=":")
    ax.set(xscale="log", yscale="log", xlabel="judgments printed", ylabel="ours / printed")
    ax.minorticks_off()
    ticks = [0.05, 0.1, 0.2, 0.5, 1, 2]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.xaxis.set_major_formatter(THOUSANDS)
    fig.legend(loc="outside lower center", ncols=2, fontsize=8)
    return fig


def _needed(ax: Axes, own: pd.DataFrame, offset: float, colour: str, label: str) -> None:
    y = np.arange(len(own)) + offset
    ax.hlines(y, own["fewer"], own["more"], color=colour, lw=2.2, alpha=0.45)
    ax.plot(own["judgments"], y, "o", color=colour, ms=4.5, label=label)


@styled
def advice(table: pd.DataFrame) -> Figure:
    """Judgments needed for a share of significant pairs: one panel per share, with the band."""
    shares = list(table["share"].unique())
    fig, axes, _ = _panels(len(shares), 2.5, 3.3, most=4, sharey=True)
    spreads = list(table["spread"].unique())
    systems = list(table["systems"].unique())
    colours = ["#0072B2", "#E69F00", "#D55E00", "#009E73"]
    for ax, share in zip(axes, shares, strict=True):
        for i, spread in enumerate(spreads):
            own = table[(table["share"] == share) & (table["spread"] == spread)]
            offset = (i - (len(spreads) - 1) / 2) * 0.24
            _needed(ax, own, offset, colours[i % 4], f"spread {spread:g}")
        ax.set_title(f"{share:.0%} of pairs", fontsize=9.5)
        ax.set(xscale="log", xlabel="judgments")
        ax.xaxis.set_major_formatter(THOUSANDS)
        ax.minorticks_off()
        ax.set_yticks(range(len(systems)), [f"{n} systems" for n in systems])
        ax.yaxis.grid(False)
    axes[0].set_ylim(len(systems) - 0.5, -0.5)
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    return fig


@styled
def advice_for_tasks(table: pd.DataFrame) -> Figure:
    """Judgments that real tasks would need at their fitted spread, beside those collected."""
    tasks = list(table["task"].unique())
    shares = list(table["share"].unique())
    colours = ["#56B4E9", "#0072B2", "#009E73", "#D55E00"]
    fig, ax = plt.subplots(figsize=(7.2, 0.52 * len(tasks) + 1.6))
    for i, share in enumerate(shares):
        own = table[table["share"] == share].set_index("task").loc[tasks].reset_index()
        offset = (i - (len(shares) - 1) / 2) * 0.17
        _needed(ax, own, offset, colours[i % 4], f"for {share:.0%} of pairs")
    had = table.drop_duplicates("task").set_index("task").loc[tasks, "collected"]
    ax.plot(had, range(len(tasks)), "D", color="black", ms=5, zorder=5, label="collected")
    ax.set(xscale="log", xlabel="judgments")
    ax.xaxis.set_major_formatter(THOUSANDS)
    ax.minorticks_off()
    ax.set_yticks(range(len(tasks)), tasks)
    ax.set_ylim(len(tasks) - 0.5, -0.5)
    ax.yaxis.grid(False)
    fig.legend(loc="outside lower center", ncols=5, fontsize=8)
    return fig
