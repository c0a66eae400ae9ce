"""Figures of relative ranking, and of the agreement of judges, protocols and test sets."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from . import common
from .common import (
    BLUE,
    INK,
    PALE,
    RED,
    Cells,
    breadth,
    bump,
    finish,
    heatmap,
    rows,
    styled,
)

BLOCK_METHODS = {
    "better_or_equal_all_in_block": "≥ all in block",
    "better_all_in_block": "> all in block",
    "sole_winner": "sole winner",
}
"""Scores by block: the share of ranked blocks in which a system is best (`counting.by_block`)."""
LABELS = {
    "better_or_equal_others": "≥ others",
    "better_others": "> others",
    "wins_over_decided": "wins / (wins + losses)",
    "heuristic2": "HEURISTIC 2",
    "bojar": "BOJAR",
    "expected_win": "expected win",
    **BLOCK_METHODS,
    "mfas": "minimum feedback arc set",
    "strength": "strength (Davidson)",
}
"""The name of each way to rank in figures."""
BEATS = LinearSegmentedColormap.from_list(
    "beats", ["#F0A35E", "#FFFFFF", "#7DB8E8"]
)
MEASURE_NAMES = {
    "s": "S (P(E) = 1/3)",
    "clicker": "P(E) = 0.36",
    "pi": "Scott's π",
    "cohen": "Cohen's κ",
    "fleiss": "Fleiss' κ",
}
KINDS = {
    "intra": (BLUE, "o", "one judge twice"),
    "inter": (RED, "s", "two judges"),
}
AXIS = "Kendall's tau of the systems' order"


@styled
def scatter_panels(
    points: pd.DataFrame,
    x: str,
    y: str,
    *,
    xlabel: str,
    ylabel: str,
    title: str,
) -> Figure:
    """Systems as points, a panel with Pearson's r for each task in which x varies (Bojar)."""
    varies = points.groupby("task", sort=False)[x].transform("nunique") > 1
    points = points[varies] if varies.any() else points
    wide = min(4, points["task"].nunique())
    with plt.rc_context(
        {"figure.constrained_layout.use": False}
    ):  # the grid lays itself out
        grid = sns.relplot(
            points, x=x, y=y, col="task", col_wrap=wide, height=1.75, aspect=1.2, s=14,
            facet_kws={"sharex": False, "sharey": False},
        )  # fmt: skip
    for task, ax in grid.axes_dict.items():
        part = points[points["task"] == task]
        r = part[x].corr(part[y])
        head = common.wrapped(task, 24)
        if len(part) > 2 and np.isfinite(r):
            shown = f"r = {r:z.2f}".replace("-", "−")
            head += (": " if len(task) <= 14 else "\n") + shown
        ax.set_title(head, fontsize=8.5)
        ax.tick_params(labelsize=7)
        ax.margins(0.1)
    grid.set_axis_labels("", "")
    fig = grid.figure
    fig.set_layout_engine("constrained")
    fig.supxlabel(xlabel, fontsize=9)
    fig.supylabel(ylabel, fontsize=9)
    return finish(fig, title)


def methods_figure(ranks: pd.DataFrame, title: str) -> Figure:
    """The ranking of one task under every method; the eight systems that move most in colour.

    Sole winner, which hardly differs from "> all in block", is not drawn.
    """
    orders = ranks.drop(columns=["task", "sole_winner"]).set_index("system")
    spread = orders.max(axis=1) - orders.min(axis=1)
    most = (
        spread[spread > 0]
        .sort_values(ascending=False, kind="stable")
        .index[:8]
    )
    return bump(
        common.bump_places(orders.rename(columns=LABELS)),
        title=title,
        highlight=list(most),
    )


@styled
def pairs_figure(
    percent: pd.DataFrame, tests: pd.DataFrame, title: str, alpha: float = 0.05
) -> Figure:
    """Who beats whom: percentage of comparisons in which the row's system was ranked better.

    `percent` is systems by systems, best first. A dot marks pairs that differ in `tests` (from
    `notebooks.relative_ranking.sign_tests`) at `alpha` after Holm's correction; a ring, only
    without it.
    """
    fig = heatmap(
        percent,
        title=title,
        label="row ranked better, % of comparisons",
        cells=Cells(BEATS, size=(0.24, 0.24), square=True),
        vmin=0,
        vmax=100,
    )
    ax = fig.axes[0]
    place = {s: k + 0.5 for k, s in enumerate(percent.index)}
    tests = tests[
        (tests["p"] < alpha)
        & tests[["system", "other"]].isin(list(place)).all(axis=1)
    ]
    holm = tests["p_holm"] < alpha
    dot: dict[str, Any] = {
        "ls": "",
        "marker": "o",
        "color": "black",
        "mew": 0.9,
    }
    for part, look, label in (
        (tests[holm], {"ms": 3.2}, f"p < {alpha:g} after Holm"),
        (tests[~holm], {"ms": 3.6, "mfc": "none"}, "only uncorrected"),
    ):
        ax.plot(
            part["other"].map(place),
            part["system"].map(place),
            **dot,
            **look,
            label=label,
        )
    plt.setp(
        ax.get_xticklabels(), rotation=90, ha="center", rotation_mode="default"
    )
    ax.tick_params(labelsize=7)
    return finish(fig, "", ax, 2, fontsize=8)


@styled
def ranges_figure(table: pd.DataFrame, title: str) -> Figure:
    """Rank ranges by one method (`methods.ranges`): thick for units, thin for single judgments."""
    tasks = sorted(
        table["task"].unique(), key=lambda task: task.split(" ", 1)[::-1]
    )
    columns = min(3, len(tasks))
    number = table.groupby("task")["rank"].max()[tasks].tolist()
    starts = range(0, len(tasks), columns)
    heights = [0.15 * max(number[k : k + columns]) + 0.6 for k in starts]
    wide = 1.2 + breadth(table["system"].unique(), 7.5)
    size = (max(3.6, wide * columns), sum(heights) + 0.2 * len(heights) + 0.8)
    look: dict[str, Any] = {
        "figsize": size,
        "squeeze": False,
        "height_ratios": heights,
    }
    fig, axes = plt.subplots(len(heights), columns, **look)
    for ax in axes.flat[len(tasks) :]:
        ax.set_visible(False)
    for ax, task in zip(axes.flat, tasks, strict=False):
        _range_panel(ax, table[table["task"] == task])
        ax.set_title(task, fontsize=8.5)
    for ax in axes.flat[
        max(0, len(tasks) - columns) : len(tasks)
    ]:  # the last of each column
        ax.set_xlabel("rank", fontsize=8)
    kinds = [
        unit for unit in ("judge", "block") if unit in set(table["drawn"])
    ]
    drawn = " or ".join(f"{unit}s" for unit in kinds) or "units"
    handles = [
        Line2D([], [], color=common.SKY, lw=3.4, label=f"{drawn} drawn"),
        Line2D(
            [], [], color="black", lw=0.9, label="comparisons drawn one by one"
        ),
        Line2D([], [], color=RED, marker="o", ls="", ms=3, label="rank"),
        Line2D(
            [],
            [],
            color=INK,
            lw=0.8,
            ls=":",
            label=f"line between clusters ({drawn})",
        ),
    ]
    return finish(fig, title, handles, 4 if columns > 2 else 2, fontsize=8)


def _range_panel(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the rank ranges of one task by what is resampled."""
    single = table["drawn"] == "judgment"
    whole = table if single.all() else table[~single]
    for part, colour, width in (
        (whole, common.SKY, 3.4),
        (table[single], "black", 0.9),
    ):
        ax.hlines(
            part["rank"],
            part["first"] - 0.3,
            part["last"] + 0.3,
            color=colour,
            lw=width,
        )
    blocks = whole.sort_values("rank")
    ax.plot(
        blocks["rank"],
        blocks["rank"],
        marker="o",
        ls="",
        color=RED,
        ms=2.6,
        zorder=4,
    )
    for cut in np.flatnonzero(np.diff(blocks["cluster"]) > 0) + 1.5:
        ax.axhline(cut, color=INK, lw=0.8, ls=":")
    rows(ax, blocks["system"], 1, fontsize=7.5)
    ax.set_xlim(0.4, len(blocks) + 0.6)
    ax.yaxis.grid(False)
    ax.tick_params(axis="x", labelsize=7)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))


@styled
def removal_figure(summary: pd.DataFrame, title: str) -> Figure:
    """Share of removals that change order or clusters by method (`methods.removal_summary`)."""
    shares = summary.assign(
        score=summary["method"].map(LABELS),
        order=100 * summary["d_rank"] / summary["removals"],
        clusters=100 * summary["d_cluster"] / summary["removals"],
    )
    fig, ax = plt.subplots(figsize=(6.8, 0.3 * shares["task"].nunique() + 1.7))
    marks = ["o", "s", "D", "^", "v", "P"][: shares["score"].nunique()]
    look: dict[str, Any] = {"y": "task", "hue": "score", "linestyle": "none"}
    look["dodge"] = 0.4 if len(marks) > 1 else False
    look |= {
        "errorbar": None,
        "markers": marks,
        "markersize": 5,
        "markeredgewidth": 1.2,
    }
    sns.pointplot(
        shares,
        x="clusters",
        **look,
        markerfacecolor="white",
        legend=False,
        ax=ax,
    )
    sns.pointplot(shares, x="order", **look, ax=ax)
    ax.set(title=title, xlim=(-3, 103), ylabel="")
    ax.set_xlabel(
        "removals that change the order (filled) or the clusters (hollow), %"
    )
    return finish(fig, "", ax, 3, fontsize=8)


def _look(kind: str, reference: str) -> dict[str, Any]:
    colour, marker, _ = KINDS[kind]
    face = colour if reference == "included" else "white"
    return {"color": colour, "marker": marker, "ls": "", "mfc": face}


def agreement_figure(
    table: pd.DataFrame, group: str, measure: str, title: str
) -> Figure:
    """A measure of `agreement.agreement` by the one column `group`, with its interval."""
    label = f"{MEASURE_NAMES.get(measure, measure)}, with 95 % interval"
    return _intervals(
        _rows(table, table[group].astype(str), measure), label, title
    )


def measures_figure(table: pd.DataFrame, title: str) -> Figure:
    """All measures of `agreement.agreement` for one group, which differ in their P(E)."""
    parts = [
        _rows(table, name, measure) for measure, name in MEASURE_NAMES.items()
    ]
    return _intervals(
        pd.concat(parts), "agreement beyond chance, with 95 % interval", title
    )


def _rows(table: pd.DataFrame, row: Any, measure: str) -> pd.DataFrame:
    """The table that `_intervals` draws: kind, reference, row, value, and low, high if present."""
    columns = {
        measure: "value",
        f"{measure}_low": "low",
        f"{measure}_high": "high",
    }
    kept = ["kind", "reference", *(name for name in columns if name in table)]
    return table[kept].rename(columns=columns).assign(row=row)


@styled
def _intervals(table: pd.DataFrame, label: str, title: str) -> Figure:
    """Draw values with intervals in rows by `row`, each by kind, with and without the reference.

    Where leaving the reference out changes nothing, as in battles, each is drawn once.
    """
    by_reference = table.pivot(
        index=["row", "kind"], columns="reference", values="value"
    )
    if by_reference["included"].equals(by_reference["excluded"]):
        table = table[table["reference"] == "included"]
    names = list(dict.fromkeys(table["row"]))
    few = len(names) <= 20
    fig, ax = plt.subplots(
        figsize=(6.4, (0.5 if few else 0.3) * len(names) + 1.5)
    )
    for (kind, reference), part in table.groupby(["kind", "reference"]):
        shift = (-1.5 if kind == "intra" else 0.5) + (reference != "included")
        y = part["row"].map(names.index).to_numpy(float) + 0.17 * shift
        if "low" in part:
            ax.hlines(
                y, part["low"], part["high"], color=KINDS[str(kind)][0], lw=1
            )
        ax.plot(
            part["value"],
            y,
            **_look(str(kind), str(reference)),
            ms=4.5 if few else 3,
        )
    rows(ax, names, room=0.5)
    ax.yaxis.grid(False)
    for k in range(1, len(names)):
        ax.axhline(k - 0.5, color=PALE, lw=0.6)
    ax.set(title=title, xlabel=label)
    handles = [
        Line2D([], [], **_look(kind, "included"), label=f"{kind}: {text}")
        for kind, (_, _, text) in KINDS.items()
        if kind in set(table["kind"])
    ]
    if table["reference"].nunique() > 1:
        for face, words in ((INK, "with the reference"), ("white", "without")):
            handles.append(
                Line2D(
                    [], [], color=INK, marker="o", ls="", mfc=face, label=words
                )
            )
    return finish(fig, "", handles, 2, fontsize=8)


@styled
def judges_figure(
    table: pd.DataFrame, measure: str, least: int, title: str
) -> Figure:
    """Every judge's agreement with the others, and with themselves, by how much they judged.

    `table` is from `agreement.agreement` by judge. Judges with fewer than `least` pairs are left
    out; a kind of agreement for which none remains has no panel.
    """
    shown = table[
        (table["reference"] == "included") & (table["pairs"] >= least)
    ]
    kinds = [kind for kind in KINDS if shown["kind"].eq(kind).any()] or [
        *KINDS
    ]
    size = (3.6 * len(kinds), 3.2)
    fig, axes = plt.subplots(
        1, len(kinds), figsize=size, sharey=True, squeeze=False
    )
    for ax, kind in zip(axes[0], kinds, strict=True):
        colour, marker, text = KINDS[kind]
        part = shown[shown["kind"] == kind]
        look: dict[str, Any] = {
            "color": colour,
            "marker": marker,
            "alpha": 0.75,
            "s": 22,
        }
        sns.scatterplot(part, x="pairs", y=measure, **look, ax=ax)
        if len(part):
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter("{x:.0f}")
            ax.axhline(part[measure].median(), color=INK, lw=1, ls="--")
        ax.set(
            title=f"{kind}: {text}",
            xlabel="pairs of annotations (log scale)",
            ylabel="",
        )
    axes[0, 0].set_ylabel(MEASURE_NAMES.get(measure, measure))
    return finish(fig, title)


def _tau_axis(ax: Axes, *columns: pd.Series) -> None:
    low = min(0.0, *(column.min() for column in columns))
    ax.set(xlabel=AXIS, xlim=(low - 0.05, 1.03))


@styled
def protocols_figure(
    pairs: pd.DataFrame, protocols: pd.DataFrame, title: str, unit: str
) -> Figure:
    """Left, tau of every two studies; right, how much less protocols agree than one with itself.

    Both frames are from `protocols_and_test_sets.agreement`; `unit` is what was resampled.
    """
    pairs = pairs.sort_values(
        ["kind", "tau"], ascending=[False, False], kind="stable"
    )
    fig, (left, right) = plt.subplots(
        1,
        2,
        figsize=(10.2, 0.24 * max(len(pairs), 12) + 1.7),
        width_ratios=[1.15, 1],
    )
    y = rows(left, pairs["first"] + " / " + pairs["second"])
    handles = []
    for kind, mark, colour, words in (
        ("within", "o", BLUE, "one protocol, two studies"),
        ("between", "D", RED, "two protocols"),
    ):
        here = (pairs["kind"] == kind).to_numpy()
        left.hlines(
            y[here],
            pairs["low"][here],
            pairs["high"][here],
            color=colour,
            lw=1.4,
        )
        left.scatter(
            pairs["tau"][here],
            y[here],
            color=colour,
            marker=mark,
            s=22,
            zorder=3,
        )
        handles.append(
            Line2D([], [], color=colour, marker=mark, lw=1.4, label=words)
        )
    _tau_axis(left, pairs["low"], pairs["tau"])
    left.set_title("agreement of every two studies", fontweight="normal")
    y = rows(right, protocols["first"] + " and " + protocols["second"])
    right.axvline(0, color=INK, lw=1)
    right.hlines(y, protocols["low"], protocols["high"], color=INK, lw=1.4)
    right.scatter(protocols["difference"], y, color=INK, s=26, zorder=3)
    right.set_xlabel(
        "tau between the protocols\nminus tau of a protocol with itself"
    )
    right.set_title("do protocols agree less?", fontweight="normal")
    handles.append(
        Line2D(
            [], [], color=INK, lw=1.4, label=f"95 % of resamples of {unit}s"
        )
    )
    for ax in (left, right):
        ax.yaxis.grid(False)
    return finish(fig, title, handles)


@styled
def sets_figure(table: pd.DataFrame, title: str) -> Figure:
    """Tau between test sets, with the range for random sets of documents of the same sizes.

    `table` has label, tau, low, high, random_low, random_high (NaN without random sets).
    """
    fig, ax = plt.subplots(figsize=(7.4, 0.3 * len(table) + 1.9))
    y = rows(ax, table["label"].astype(str))
    ax.yaxis.grid(False)
    words = "tau, and 95 % of resamples or splits"
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=BLUE, marker="o", lw=1.8, label=words)
    ]
    wide = table["random_high"] - table["random_low"]
    if wide.notna().any():
        ax.barh(
            y,
            wide,
            left=table["random_low"],
            height=0.62,
            color=PALE,
            zorder=1,
        )
        handles.append(
            Patch(color=PALE, label="95 % of random sets of documents")
        )
    ax.hlines(y, table["low"], table["high"], color=BLUE, lw=1.8, zorder=2)
    ax.scatter(table["tau"], y, color=BLUE, s=26, zorder=3)
    _tau_axis(ax, table["low"], table["random_low"], table["tau"])
    return finish(fig, title, handles)
