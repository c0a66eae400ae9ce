"""Plots of lines: a ranking with its sets and tests; recipes, rules, false lines side by side."""

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import (
    BoundaryNorm,
    LinearSegmentedColormap,
    ListedColormap,
)
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerLine2D
from matplotlib.lines import Line2D

from companion.legacy.paperkit import templates
from companion.legacy.rankstability.rank.ranking import Ranking

from .common import (
    BLUE,
    INK,
    PALETTE,
    RED,
    SKY,
    Cells,
    breadth,
    finish,
    heatmap,
    rows,
    styled,
)

KINDS = (
    "segment",
    "document",
    "worker",
    "hit",
    "block",
    "battle",
    "judge",
    "rater",
)
UNITS = {kind: f"{kind}s" for kind in KINDS}
UNITS |= {"hit": "HITs", "worker x document": "workers and documents"}
PALE_BLUES = LinearSegmentedColormap.from_list(
    "pale blues", ["#FFFFFF", "#7DB8DE"]
)  # ink reads
LINES: dict[
    tuple[bool, bool], tuple[str, dict[str, Any]]
] = {  # (claimed, held): words, look
    (True, True): ("line claimed and held", {"color": "black", "lw": 1.3}),
    (True, False): (
        "line claimed only",
        {"color": "black", "lw": 1.0, "ls": (0, (5, 3))},
    ),
    (False, True): ("line held, not claimed", {"color": "black", "lw": 0.7}),
}
LEVELS = [0.0, 0.001, 0.01, 0.05, 1.0]
LEVEL_NAMES = ["p < .001", "p < .01", "p < .05", "not significant"]
LEVEL_COLOURS = ["#08306B", "#2E7EBC", "#9DC9E0", "#F1F1F1"]
SHORT = {"knowles": "Knowles"}


@styled
def standing(
    ranking: pd.DataFrame,
    lines: pd.DataFrame,
    title: str,
    label: str,
    alpha: float = 0.05,
    systems: str = "systems",
) -> Figure:
    """A ranking as a table, next to each score with its interval and each system's rank set.

    The frames are those of `rank.standing.standing`. `ranking` has the columns rank, system, score,
    low, high, rank_low, rank_high, unit; if the unit is empty, only scores are drawn. `lines` has
    below, claimed, held and is drawn as in `LINES`. `label` names the score. Intervals and sets are
    at level 1 - `alpha`; `systems` is the campaign's word for them.
    """
    n = len(ranking)
    unit = ranking["unit"].iloc[0]
    y = ranking["rank"].to_numpy()
    widths = [breadth(ranking["system"]) + 1.1, 3.0, *([2.6] if unit else [])]
    size = (sum(widths) + 0.4, 0.27 * n + 2.0)
    fig, axes = plt.subplots(
        1, len(widths), figsize=size, sharey=True, width_ratios=widths
    )
    _table(axes[0], ranking, widths[0])
    axes[1].plot(ranking["score"], y, "o", color=BLUE, ms=5)
    axes[1].set_xlabel(fill(label, 40))
    handles: list[Any] = []
    if unit:
        axes[1].hlines(y, ranking["low"], ranking["high"], color=BLUE, lw=1.4)
        interval = f"{label}, {100 - 100 * alpha:g} % interval"
        axes[1].set_xlabel(fill(interval, 40))
        axes[2].set_xlabel(f"rank, with other\n{UNITS.get(unit, unit)}")
        handles += _sets(axes[2], ranking, alpha, systems)
    drawn = [(row.below, _kind(row)) for row in lines.itertuples()]
    for ax in axes:
        for below, kind in drawn:
            _line(ax, (0, 1), below + 0.5, kind, ax.get_yaxis_transform())
        ax.set_ylim(n + 0.6, 0.4)
        ax.yaxis.grid(False)
        ax.tick_params(axis="y", length=0, labelleft=False)
        ax.spines["left"].set_visible(False)
    return finish(
        fig, title, handles + _line_handles(kind for _, kind in drawn), 3
    )


def _kind(row: Any) -> tuple[bool, bool]:
    """Whether a line is claimed, and whether it holds: a key of `LINES`."""
    return row.claimed == 1, row.held == 1


def _line(
    ax: Axes,
    x: tuple[float, float],
    y: float,
    kind: tuple[bool, bool],
    transform: Any = None,
) -> None:
    """Draw a line between ranks as in `LINES`: a double line if it is not claimed."""
    if kind in LINES:
        where = {} if transform is None else {"transform": transform}
        for step in (0.0,) if kind[0] else (-0.06, 0.06):
            ax.plot(x, (y + step, y + step), **LINES[kind][1], **where)


def _line_handles(kinds: Iterable[tuple[bool, bool]]) -> list[Any]:
    """The legend's handles for the kinds of lines that are drawn."""
    seen = set(kinds)
    handles = []
    for kind, (words, look) in LINES.items():
        if kind in seen:
            one = Double if not kind[0] else Line2D
            handles.append(one([], [], label=words, **look))
    return handles


class Double(Line2D):
    """A line that legends draw as a double line."""


class _DrawDouble(HandlerLine2D):
    def create_artists(self, *args: Any) -> list[Any]:
        artists: list[Any] = []
        for step in (-1.2, 1.2):
            line: Any = super().create_artists(*args)[0]
            line.set_ydata(np.asarray(line.get_ydata()) + step)
            artists.append(line)
        return artists


Legend.update_default_handler_map({Double: _DrawDouble()})


def decimals(ranking: pd.DataFrame) -> int:
    """The number of decimals with which the largest score has three digits."""
    return templates.decimals(ranking["score"].dropna())


def _table(ax: Axes, ranking: pd.DataFrame, width: float) -> None:
    digits = decimals(ranking)
    for row in ranking.itertuples():
        for x, side, text in (
            (0.0, "left", str(row.rank)),
            (0.3, "left", str(row.system)),
            (width, "right", templates.fixed(row.score, digits)),
        ):
            ax.text(x, row.rank, text, ha=side, va="center", fontsize=8.5)
    ax.set_xlim(0, width)
    ax.set_xticks([])
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)


def _sets(
    ax: Axes, ranking: pd.DataFrame, alpha: float, systems: str
) -> list[Any]:
    """Draw rank sets as bars, those of one rank as diamonds; returns handles for the legend."""
    n = len(ranking)
    one = ranking["rank_low"] == ranking["rank_high"]
    more = ranking[~one]
    only = ranking[one]
    bar = ax.hlines(
        more["rank"], more["rank_low"], more["rank_high"], color=SKY, lw=5.5
    )
    bar.set_capstyle("round")
    ax.plot(ranking["rank"], ranking["rank"], ".", color=INK, ms=4, zorder=3)
    ax.plot(only["rank_low"], only["rank"], "D", color=BLUE, ms=7, zorder=4)
    ax.set_xticks(range(1, n + 1, max(1, n // 7)))
    ends = max(0.6, 0.02 * n)  # the round ends of bars have a size in points
    ax.set_xlim(1 - ends, n + ends)
    words = f"rank set ({100 - 100 * alpha:g} %, all {systems} together)"
    handles = [Line2D([], [], color=SKY, lw=5.5, label=words)]
    if len(only):
        handles.append(
            Line2D(
                [],
                [],
                marker="D",
                ls="",
                color=BLUE,
                ms=7,
                label="set of one rank",
            )
        )
    return [
        *handles,
        Line2D([], [], marker=".", ls="", color=INK, ms=4, label="rank here"),
    ]


@styled
def recipes(
    rankings: pd.DataFrame,
    lines: pd.DataFrame,
    title: str,
    years: Sequence[str] = (),
) -> Figure:
    """Each recipe's ranking as a column of names, with its lines drawn as in `LINES`.

    `rankings` has recipe, system, rank; `lines` has recipe, below, claimed, held; `years` replace
    the recipes' names as headings.
    """
    column = {
        name: k for k, name in enumerate(dict.fromkeys(rankings["recipe"]))
    }
    n = int(rankings["rank"].max())
    heads = list(years) or [*column]
    words = [line for head in heads for line in head.split("\n")]
    wide = max(
        breadth(rankings["system"].unique(), 8, "bold") + 0.35,
        breadth(words) + 0.15,
    )
    fig, ax = plt.subplots(figsize=(wide * len(column) + 0.6, 0.25 * n + 1.9))
    leader = rankings.loc[rankings["rank"] == 1, "system"].iloc[0]
    for row in rankings.itertuples():
        bold = "bold" if row.system == leader else "normal"
        x = column[row.recipe] + 0.04
        ax.text(
            x,
            row.rank,
            str(row.system),
            va="center",
            fontsize=8,
            fontweight=bold,
        )
    drawn = [
        (column[row.recipe], row.below, _kind(row))
        for row in lines.itertuples()
    ]
    for x, below, kind in drawn:
        _line(ax, (x, x + 0.94), below + 0.5, kind)
    ax.set_xticks([k + 0.47 for k in column.values()], heads)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(0, len(column))
    ax.set_ylim(n + 0.6, 0.4)
    ax.set_yticks(range(1, n + 1))
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    return finish(fig, title, _line_handles(kind for *_, kind in drawn), 3)


@styled
def counts_figure(counts: pd.DataFrame, title: str) -> Figure:
    """Lines claimed and, for each kind of unit, how many of them hold, by language pair.

    The number of lines that hold without being claimed follows a plus sign. `counts` is
    `lines.tables.line_counts` for one recipe: pair, unit, claimed, held, claimed_and_held.
    """
    names = [u for u in UNITS if u in set(counts["unit"])]
    table, every = (
        counts.pivot(index="pair", columns="unit", values=value)[names]
        for value in ("claimed_and_held", "held")
    )
    for frame in (table, every):
        frame.columns = pd.Index(
            [f"hold with other\n{UNITS[u]}" for u in names]
        )
        frame.insert(0, "claimed", counts.groupby("pair")["claimed"].first())
    more = every - table
    total, more_in_all = (
        f.sum(min_count=1).to_frame("all pairs").T for f in (table, more)
    )
    texts = pd.concat([table, total]).map(
        lambda v: "?" if np.isnan(v) else f"{v:.0f}"
    )
    also = pd.concat([more, more_in_all]).map(
        lambda v: f" + {v:.0f}" if v > 0 else ""
    )
    texts = texts + also
    signs = (
        ["+: hold, but are not claimed"]
        if (also != "").to_numpy().any()
        else []
    )
    signs += ["?: no unit is named"] if table.isna().to_numpy().any() else []
    fig = heatmap(
        pd.concat([table, np.nan * total]),
        title=title,
        label="",
        texts=texts,
        cells=Cells(PALE_BLUES, empty="white", size=(1.25, 0.3)),
        vmin=0,
        vmax=max(1.0, table.max(axis=None)),
    )
    ax = fig.axes[0]
    ax.set_xlabel("; ".join(signs))
    ax.axhline(len(table), color=INK, lw=1.2)
    plt.setp(ax.get_xticklabels(), rotation=0, ha="center")
    return fig


@styled
def false_lines_figure(table: pd.DataFrame, title: str) -> Figure:
    """Share of campaigns of equal systems with a line, by recipe and unit, with 95 % intervals.

    `table` is from `lines.tables.false_line_table`. With several pairs, each is a dot, and bars are
    the range over pairs instead.
    """
    names = list(dict.fromkeys(table["recipe"]))
    units = [u for u in UNITS if u in set(table["unit"])]
    many = "pair" in table and table["pair"].nunique() > 1
    fig, ax = plt.subplots(
        figsize=(6.8, 0.26 * len(names) * max(1, len(units)) + 1.8)
    )
    handles = []
    for k, (unit, colour) in enumerate(zip(units, PALETTE, strict=False)):
        part = table[table["unit"] == unit]
        y = part["recipe"].map(names.index) + 0.8 * (
            (k + 0.5) / len(units) - 0.5
        )
        if many:
            wide = part.groupby(y)["campaigns_with_line"]
            ax.hlines(
                wide.min().index,
                wide.min(),
                wide.max(),
                color=colour,
                lw=1.2,
                alpha=0.4,
            )
            ax.scatter(
                wide.median(),
                wide.median().index,
                s=30,
                color=colour,
                zorder=3,
            )
            ax.scatter(part["campaigns_with_line"], y, s=9, color=colour)
        else:
            ax.hlines(
                y,
                part["campaigns_low"],
                part["campaigns_high"],
                color=colour,
                lw=2,
            )
            ax.scatter(
                part["campaigns_with_line"], y, s=24, color=colour, zorder=3
            )
        words = f"labels shuffled by {UNITS[unit]}"
        handles.append(
            Line2D([], [], marker="o", ls="", color=colour, label=words)
        )
    ax.axvline(0.05, color=INK, lw=1, ls="--")
    rows(ax, names, room=0.5)
    ax.set_xlim(
        -0.02, min(1.02, max(0.3, 1.1 * table["campaigns_high"].max()))
    )
    several = (
        "\nsmall: language pairs; large: their median; bar: least to most"
        if many
        else ""
    )
    ax.set_xlabel(
        f"campaigns of equal systems with a line: at least this share (dashed: .05){several}"
    )
    ax.set_title(title)
    return finish(fig, "", handles, 3)


@styled
def p_figure(ranking: Ranking, title: str) -> Figure:
    """p-values between systems in four classes; × marks tests that oppose the order of means."""
    n = len(ranking.systems)
    upper = np.triu(np.ones((n, n), bool), 1)
    fig = heatmap(
        ranking.p_values.where(upper),
        title=title,
        label="",
        cells=Cells(
            ListedColormap(LEVEL_COLOURS), empty="white", size=(0.3, 0.3)
        ),
        norm=BoundaryNorm(LEVELS, 4),
    )
    ax = fig.axes[0]
    opposed = np.argwhere(upper & (ranking.lead < 0)) + 0.5
    ax.plot(opposed[:, 1], opposed[:, 0], "x", color=RED, ms=5, mew=1.6)
    for k in ranking.lines:
        ax.plot(
            [k, n, np.nan, k, k], [k, k, np.nan, 0, k], color="black", lw=1.3
        )
    handles: list[Any] = [
        plt.Rectangle(
            (0, 0), 1, 1, facecolor=colour, edgecolor="#BBBBBB", label=name
        )
        for colour, name in zip(LEVEL_COLOURS, LEVEL_NAMES, strict=True)
    ]
    if len(opposed):
        words = "rank sum opposes the order of means"
        handles.append(
            plt.Line2D(
                [], [], marker="x", ls="", color=RED, mew=1.6, label=words
            )
        )
    return finish(fig, "", handles, 2)


def _head(test: str, correction: str) -> str:
    return test if correction == "none" else f"{test}\n{correction}"


@styled
def variants_figure(table: pd.DataFrame, title: str) -> Figure:
    """Clusters of one pair under every test, correction and line rule, side by side."""
    systems = table.drop_duplicates("system").sort_values("rank")["system"]
    groups = table.groupby(["test", "correction"], sort=False)
    n = len(systems)
    wide = table["rule"].nunique()
    fig, ax = plt.subplots(
        figsize=(max(7.5, 0.36 * wide * len(groups) + 2.4), 0.27 * n + 2.6)
    )
    colours = plt.get_cmap("cividis")
    places: dict[float, str] = {}
    for g, (key, group) in enumerate(groups):
        middle = g * (wide + 0.6) + wide / 2 - 0.5
        ax.text(
            middle, -0.75, _head(*key), ha="center", va="bottom", fontsize=8.5
        )
        for r, (rule, part) in enumerate(group.groupby("rule", sort=False)):
            x = g * (wide + 0.6) + r
            places[x] = SHORT.get(rule, rule)
            cluster = part.set_index("system")["cluster"][systems].to_numpy()
            edges = np.flatnonzero(np.diff(cluster, prepend=0, append=0))
            top = edges[:-1] - 0.46
            bottom = edges[1:] - 0.54
            top[0] = -0.5
            bottom[-1] = n - 0.5
            number = len(top)
            shades = colours(
                0.95 - 0.85 * np.arange(number) / max(number - 1, 1)
            )
            ax.bar(x, bottom - top, 0.88, top, color=shades, lw=0)
            ax.text(
                x, n - 0.35, str(number), ha="center", va="top", fontsize=8
            )
    ax.set_xticks(
        [*places], [*places.values()], ha="right", rotation_mode="anchor"
    )
    ax.tick_params(axis="x", length=0, pad=14, rotation=60, labelsize=7.5)
    rows(ax, systems)
    ax.grid(False)
    ax.set_xlim(-0.7, max(places) + 0.7)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_title(title, pad=34)
    ax.text(
        -0.75,
        n - 0.35,
        "clusters",
        ha="right",
        va="top",
        fontsize=8,
        color="#555555",
    )
    return fig


@styled
def rules_figure(counts: pd.DataFrame, title: str) -> Figure:
    """Number of clusters per language pair under each test and line rule."""
    key = ["test", "correction"]
    rules = [c for c in counts.columns if c not in ("pair", *key)]
    groups = list(counts.groupby(key, sort=False))
    fig, axes = plt.subplots(
        1, len(groups), sharey=True, squeeze=False,
        figsize=(1.75 * len(groups) + 1.2, 0.26 * counts["pair"].nunique() + 2.2),
    )  # fmt: skip
    top = max(2, int(counts[rules].to_numpy().max()))
    for ax, (names, part) in zip(axes[0], groups, strict=True):
        table = part.set_index("pair")[rules].rename(columns=SHORT)
        heatmap(
            table,
            title="",
            label="",
            texts=table.astype(str),
            cells=Cells("cividis_r"),
            ax=ax,
            vmin=1,
            vmax=top,
        )
        ax.set_title(
            _head(*names), loc="center", fontsize=8.5, fontweight="normal"
        )
        ax.tick_params(axis="x", labelsize=7.5)
    return finish(fig, title)
