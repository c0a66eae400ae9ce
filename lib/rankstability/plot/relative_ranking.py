"""Plots of relative ranking: agreement, scores against exposure, methods, pairs, rank ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator

from .common import bump, bump_places, styled

SHORT = {
    "better_or_equal_others": "≥ others",
    "better_others": "> others",
    "wins_over_decided": "wins/(wins\n+losses)",
    "heuristic2": "HEURISTIC 2",
    "bojar": "BOJAR",
    "expected_win": "expected\nwin",
    "better_or_equal_all_in_block": "≥ all in\nblock",
    "better_all_in_block": "> all in\nblock",
    "sole_winner": "sole\nwinner",
    "mfas": "minimum\nfeedback arc",
}
MEASURE_NAMES = {
    "s": "S (P(E) = 1/3)",
    "clicker": "P(E) = 0.36",
    "pi": "Scott's π",
    "cohen": "Cohen's κ",
    "fleiss": "Fleiss' κ",
}
_KINDS = {"intra": ("#0072B2", "o", "one judge twice"), "inter": ("#D55E00", "s", "two judges")}
_ROW, _DODGE = 0.5, 0.17  # inches for one group; part of it between its marks


def _bars(ax: plt.Axes, y: Any, low: Any, high: Any, **look: Any) -> None:
    """Horizontal bars as one broken line, which keeps the SVG small."""
    y, low, high = (np.asarray(v, dtype=float) for v in (y, low, high))
    gap = np.full(len(y), np.nan)
    x = np.column_stack([low, high, gap]).ravel()
    ax.plot(x, np.repeat(y, 3), solid_capstyle="butt", **look)


def _legend(fig: Figure, handles: list[Line2D], columns: int = 4) -> None:
    fig.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=8)


def _kind_handles() -> list[Line2D]:
    handles = [
        Line2D([], [], color=c, marker=m, ls="", label=f"{kind}: {text}")
        for kind, (c, m, text) in _KINDS.items()
    ]
    hollow: dict[str, Any] = {"color": "#555555", "marker": "o", "ls": ""}
    return [
        *handles,
        Line2D([], [], **hollow, label="with the reference"),
        Line2D([], [], **hollow, mfc="white", label="without"),
    ]


@styled
def agreement_figure(table: pd.DataFrame, group: str, measure: str, title: str) -> Figure:
    """A measure of agreement of each group, with its interval.

    Parameters
    ----------
    table : DataFrame
        From `agreement.agreement`, grouped by the one column `group`.
    measure : str
        A key of `agreement.MEASURES`.
    """
    names = list(dict.fromkeys(table[group].astype(str)))
    high = _ROW if len(names) <= 20 else 0.6 * _ROW
    fig, ax = plt.subplots(figsize=(6.4, high * len(names) + 1.5))
    place = {name: k for k, name in enumerate(names)}
    for (kind, reference), rows in table.groupby(["kind", "reference"]):
        colour, marker, _ = _KINDS[str(kind)]
        included = reference == "included"
        shift = (-1.5 if kind == "intra" else 0.5) + (0 if included else 1)
        y = rows[group].astype(str).map(place).to_numpy(float) + _DODGE * shift
        if f"{measure}_low" in rows:
            _bars(ax, y, rows[f"{measure}_low"], rows[f"{measure}_high"], color=colour, lw=1)
        face = colour if included else "white"
        size = 4.5 if len(names) <= 20 else 3
        ax.plot(rows[measure], y, marker=marker, ls="", color=colour, mfc=face, ms=size)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.yaxis.grid(False)
    for y in range(1, len(names)):
        ax.axhline(y - 0.5, color="#E3E3E3", lw=0.6)
    ax.set(title=title, xlabel=f"{MEASURE_NAMES.get(measure, measure)}, with 95 % interval")
    _legend(fig, _kind_handles(), 2)
    return fig


@styled
def measures_figure(table: pd.DataFrame, title: str) -> Figure:
    """All measures on the same comparisons: what the choice of P(E) does.

    Parameters
    ----------
    table : DataFrame
        From `agreement.agreement` over one group (``by=[]``).
    """
    fig, ax = plt.subplots(figsize=(6.8, 3.4))
    names = list(MEASURE_NAMES)
    for row in table.to_dict("records"):
        colour, marker, _ = _KINDS[row["kind"]]
        included = row["reference"] == "included"
        x = np.arange(len(names)) + (-0.1 if included else 0.1)
        y = np.array([row[n] for n in names])
        low = [row.get(f"{n}_low", np.nan) for n in names]
        high = [row.get(f"{n}_high", np.nan) for n in names]
        ax.vlines(x, low, high, color=colour, lw=1.1, alpha=0.8)
        ax.plot(x, y, marker=marker, ls="", color=colour, mfc=colour if included else "white")
    ax.set_xticks(range(len(names)), [MEASURE_NAMES[n] for n in names])
    ax.xaxis.grid(False)
    ax.set(title=title, ylabel="agreement beyond chance")
    _legend(fig, _kind_handles(), 4)
    return fig


@styled
def judges_figure(table: pd.DataFrame, measure: str, least: int, title: str) -> Figure:
    """Every judge's agreement with the others, and with themselves, by how much they judged.

    Parameters
    ----------
    table : DataFrame
        From `agreement.agreement` by judge.
    least : int
        Judges with fewer pairs are left out.
    """
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    for ax, (kind, (colour, marker, text)) in zip(axes, _KINDS.items(), strict=True):
        rows = table[
            (table["kind"] == kind) & (table["reference"] == "included") & (table["pairs"] >= least)
        ]
        ax.plot(
            rows["pairs"], rows[measure], marker=marker, ls="", color=colour, alpha=0.75, ms=4.5
        )
        if len(rows):
            ax.set_xscale("log")
            ticks = [t for t in (10, 30, 100, 300, 1000, 3000, 10000) if _spans(rows["pairs"], t)]
            ax.set_xticks(ticks or [int(rows["pairs"].median())])
            ax.xaxis.set_major_formatter("{x:.0f}")
            ax.xaxis.set_minor_locator(NullLocator())
            ax.axhline(rows[measure].median(), color="#555555", lw=1, ls="--")
        ax.set(title=f"{kind}: {text}", xlabel="pairs of annotations (log scale)")
    axes[0].set_ylabel(MEASURE_NAMES.get(measure, measure))
    fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    return fig


def _spans(values: pd.Series, tick: float) -> bool:
    return values.min() * 0.9 <= tick <= values.max() * 1.1


@styled
def scatter(
    points: pd.DataFrame, x: str, y: str, *, xlabel: str, ylabel: str, title: str
) -> Figure:
    """Systems of one task as labelled points, with Pearson's r (Bojar et al., Figures 3 to 6)."""
    fig, ax = plt.subplots(figsize=(6.4, 4.6))
    ax.plot(points[x], points[y], marker="o", ls="")
    places = points[x].to_numpy(float), points[y].to_numpy(float)
    _label_points(fig, ax, *places, list(points["system"]))
    ax.margins(x=0.14, y=0.08)
    ax.set(title=f"{title}: r = {_pearson(points, x, y):.3f}", xlabel=xlabel, ylabel=ylabel)
    return fig


@styled
def scatter_panels(
    points: pd.DataFrame, x: str, y: str, *, xlabel: str, ylabel: str, title: str
) -> Figure:
    """The same for every task, small and without names; tasks in which x is constant left out."""
    varies = points.groupby("task", sort=False)[x].nunique() > 1
    tasks = list(varies.index[varies]) or list(varies.index)
    columns = min(4, len(tasks))
    rows = -(-len(tasks) // columns)
    size = (max(3.4, 2.1 * columns + 0.6), 1.75 * rows + 0.9)
    fig, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for ax, task in zip(axes.flat, tasks, strict=False):
        part = points[points["task"] == task]
        ax.plot(part[x], part[y], marker="o", ls="", ms=3.2)
        r = _pearson(part, x, y)
        ax.set_title(f"{task}: r = {r:.2f}" if np.isfinite(r) else task, fontsize=8.5)
        ax.tick_params(labelsize=7)
        ax.margins(0.1)
    for ax in axes.flat[len(tasks) :]:
        ax.set_visible(False)
    fig.supxlabel(xlabel, fontsize=9)
    fig.supylabel(ylabel, fontsize=9)
    fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    return fig


def _pearson(points: pd.DataFrame, x: str, y: str) -> float:
    if len(points) < 3 or points[x].nunique() < 2 or points[y].nunique() < 2:
        return float("nan")
    return float(np.corrcoef(points[x], points[y])[0, 1])


def _label_points(
    fig: Figure, ax: plt.Axes, x: np.ndarray, y: np.ndarray, names: Sequence[str]
) -> None:
    """Write names beside points, each where it touches nothing yet: right, left, above, below."""
    ax.margins(x=0.14, y=0.08)
    fig.draw_without_rendering()
    renderer = fig.canvas.get_renderer()  # type: ignore[attr-defined]
    dots = ax.transData.transform(np.column_stack([x, y]))
    taken = [(px - 4, py - 4, px + 4, py + 4) for px, py in dots]
    for k in np.argsort(-y, kind="stable"):
        best = None
        for dx, dy, ha, va in _PLACES:
            text = ax.annotate(
                names[k],
                (x[k], y[k]),
                (dx, dy),
                textcoords="offset points",
                ha=ha,
                va=va,
                fontsize=7.5,
                color="#333333",
            )
            box = text.get_window_extent(renderer)
            here = (box.x0, box.y0, box.x1, box.y1)
            clash = sum(_overlap(here, other) for j, other in enumerate(taken) if j != k)
            if best is None or clash < best[0]:
                if best is not None:
                    best[1].remove()
                best = (clash, text, here)
            else:
                text.remove()
            if best[0] == 0:
                break
        if best is not None:
            taken.append(best[2])


_PLACES = (
    (5, 0, "left", "center"),
    (-5, 0, "right", "center"),
    (0, 5, "center", "bottom"),
    (0, -5, "center", "top"),
    (4, 5, "left", "bottom"),
    (4, -5, "left", "top"),
    (-4, 5, "right", "bottom"),
    (-4, -5, "right", "top"),
)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0) * max(height, 0)


def methods_figure(ranks: pd.DataFrame, title: str) -> Figure:
    """The ranking of one task under every method, side by side.

    Parameters
    ----------
    ranks : DataFrame
        Rows of one task of `rr_stability.method_ranks`; sole winner, which hardly differs from
        "> all in block", is not drawn.
    """
    orders = ranks.drop(columns=["task", "sole_winner"]).set_index("system")
    orders = orders.rename(columns=SHORT)
    spread = orders.max(axis=1) - orders.min(axis=1)
    most = list(spread[spread > 0].sort_values(ascending=False, kind="stable").index[:8])
    return bump(bump_places(orders), title=title, highlight=most)


@styled
def pairs_figure(
    percent: pd.DataFrame, tests: pd.DataFrame, title: str, alpha: float = 0.05
) -> Figure:
    """Who beats whom: per cent of comparisons in which the row's system was ranked better.

    Parameters
    ----------
    percent : DataFrame
        Rows and columns are systems, best first; value: row ranked better than column.
    tests : DataFrame
        From `relative_ranking.sign_tests`. A dot marks pairs that differ at `alpha` after Holm's
        correction, a ring those that differ only without it.
    """
    n = len(percent)
    side = min(8.2, 0.27 * n + 2.2)
    fig, ax = plt.subplots(figsize=(side + 0.9, side))
    ax.set_facecolor("#EFEFEF")
    values = np.ma.masked_invalid(percent.to_numpy(float))
    image = ax.imshow(values, cmap="cividis", vmin=0, vmax=100, interpolation="nearest")
    ax.grid(False)
    place = {s: k for k, s in enumerate(percent.index)}
    for holm in (True, False):
        rows = tests[(tests["p_holm"] < alpha) == holm]
        rows = rows[rows["p"] < alpha]
        rows = rows[rows["system"].isin(list(place)) & rows["other"].isin(list(place))]
        y, x = rows["system"].map(place).to_numpy(int), rows["other"].map(place).to_numpy(int)
        ax.plot(
            x,
            y,
            ls="",
            marker="o",
            ms=3.2 if holm else 3.6,
            color="#D55E00",
            mfc="#D55E00" if holm else "none",
            mew=0.9,
            label=f"p < {alpha:g} after Holm" if holm else "only uncorrected",
        )
    ax.set_xticks(range(n), list(percent.columns), rotation=90, fontsize=7)
    ax.set_yticks(range(n), list(percent.index), fontsize=7)
    ax.set_title(title)
    fig.colorbar(image, ax=ax, shrink=0.7, label="row ranked better, % of comparisons")
    fig.legend(loc="outside lower center", ncols=2, fontsize=8)
    return fig


@styled
def ranges_figure(table: pd.DataFrame, title: str) -> Figure:
    """Rank ranges of every task: thick where blocks are drawn, thin where single comparisons.

    Parameters
    ----------
    table : DataFrame
        Rows of one method of `rr_stability.ranges`.
    """
    tasks = sorted(dict.fromkeys(table["task"]), key=lambda task: task.split(" ", 1)[::-1])
    columns = min(4, len(tasks))
    rows = -(-len(tasks) // columns)
    number = [int(table.loc[table["task"] == task, "rank"].max()) for task in tasks]
    heights = [0.11 * max(number[k * columns : (k + 1) * columns]) + 0.6 for k in range(rows)]
    size = (max(3.6, 2.15 * columns), sum(heights) + 0.2 * rows + 0.8)
    fig, axes = plt.subplots(
        rows, columns, figsize=size, squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    looks = {"block": ("#56B4E9", 3.4), "judgment": ("#000000", 0.9), "judge": ("#E69F00", 6.0)}
    for ax, task in zip(axes.flat, tasks, strict=False):
        for unit, (colour, width) in looks.items():
            part = table[(table["task"] == task) & (table["drawn"] == unit)]
            y = part["rank"]
            _bars(ax, y, part["first"] - 0.3, part["last"] + 0.3, color=colour, lw=width)
            if unit == "block":
                ax.plot(part["rank"], y, marker="o", ls="", color="#D55E00", ms=2.6, zorder=4)
                cuts = np.flatnonzero(np.diff(part.sort_values("rank")["cluster"]) > 0) + 1.5
                for cut in cuts:
                    ax.axhline(cut, color="#555555", lw=0.8, ls=":")
                ax.set_ylim(len(part) + 0.6, 0.4)
                ax.set_xlim(0.4, len(part) + 0.6)
                ax.set_yticks(y, part["system"], fontsize=5.5)
        ax.yaxis.grid(False)
        ax.set_title(task, fontsize=8.5)
        ax.tick_params(axis="x", labelsize=7)
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    for ax in axes.flat[len(tasks) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel("rank", fontsize=8)
    fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    handles = [
        Line2D([], [], color=looks["block"][0], lw=3.4, label="blocks drawn"),
        Line2D([], [], color=looks["judgment"][0], lw=0.9, label="comparisons drawn one by one"),
        Line2D([], [], color="#D55E00", marker="o", ls="", ms=3, label="rank"),
        Line2D([], [], color="#555555", lw=0.8, ls=":", label="line between clusters (blocks)"),
    ]
    _legend(fig, handles, 4 if columns > 2 else 2)
    return fig


@styled
def removal_figure(summary: pd.DataFrame, title: str) -> Figure:
    """The share of removals after which the other systems stand in another order, by method.

    Parameters
    ----------
    summary : DataFrame
        From `rr_stability.removal_summary`.
    """
    tasks = list(dict.fromkeys(summary["task"]))
    methods = list(dict.fromkeys(summary["method"]))
    fig, ax = plt.subplots(figsize=(6.8, 0.3 * len(tasks) + 1.7))
    markers = ["o", "s", "D", "^", "v", "P"]
    for k, method in enumerate(methods):
        rows = summary[summary["method"] == method].set_index("task").reindex(tasks)
        y = np.arange(len(tasks)) + (k - (len(methods) - 1) / 2) * 0.2
        label = SHORT[method].replace("\n", " ")
        share = 100 * rows["d_rank"] / rows["removals"]
        ax.plot(share, y, marker=markers[k % 6], ls="", color=f"C{k}", label=f"{label}: order")
        share = 100 * rows["d_cluster"] / rows["removals"]
        ax.plot(share, y, marker=markers[k % 6], ls="", color=f"C{k}", mfc="white")
    ax.set_yticks(range(len(tasks)), tasks)
    ax.set_ylim(len(tasks) - 0.5, -0.5)
    ax.set_xlim(-3, 103)
    ax.set(
        title=title, xlabel="removals that change the order (filled) or the clusters (hollow), %"
    )
    _legend(fig, ax.get_legend_handles_labels()[0], 3)  # type: ignore[arg-type]
    return fig
