"""Figures of changes: what divided scores and removals do to rankings, findings over campaigns."""

import io
from collections.abc import Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .common import (
    BLUE,
    FAINT,
    NO_DATE,
    RED,
    Cells,
    breadth,
    bump,
    finish,
    heatmap,
    rows,
    styled,
)

KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
MARKS = ["o", "s", "^"]
AXES = {
    "removal": "removals of one system after which the others stand in another order",
    "fewest": "judgments without which another system is first, share of all (log scale)",
    "halves": "Kendall's τ between the halves, mean over pairs",
    "rules": "clusters under the rule that draws most, over those under the one with fewest",
    "lines": "claimed lines that hold with other units",
    "false": "campaigns of equal systems in which the recipe draws a line",
    "methods": "systems whose rank is not the same",
}
# inches: the width of a figure that a phone shows without scrolling
PHONE = 3.7
COUNTED = ("removal", "rules", "lines", "methods")  # part and whole are counts


def divisor_bump(rankings: pd.DataFrame, title: str) -> Figure:
    """Figures 2 and 3: ranks by divisor, from `divisor_degradation.rankings_table`."""
    named = rankings.rename(columns={"rank": "place"})
    named["ranking"] = named["ranking"].str.removeprefix("d-")
    return bump(
        named,
        title=title,
        ordered=True,
        xlabel="scores divided by",
    )


@styled
def fractions_by_style(fractions: pd.DataFrame, title: str) -> Figure:
    """Figure 1: fraction of pairs changed by divisor, a panel for each style.

    `fractions` is from `divisor_degradation.fractions`.
    """
    # SR-DC first
    pairs = (
        fractions.groupby("style")["pairs"].max().sort_index(ascending=False)
    )
    panels = max(1, len(pairs))
    size = (1.2 + 3.6 * panels, 3.4)
    fig, axes = plt.subplots(
        1, panels, figsize=size, sharey=True, squeeze=False
    )
    long = fractions.rename(columns=KINDS).melt(
        ["style", "divisor"],
        list(KINDS.values()),
        "change in",
        "fraction of pairs changed",
    )
    long["divisor"] = long["divisor"].map("{:g}".format)
    for ax, (style, number) in zip(axes[0], pairs.items(), strict=False):
        sns.pointplot(
            long[long["style"] == style], x="divisor", y="fraction of pairs changed",
            hue="change in", dodge=0.3, errorbar=None, markers=MARKS, markersize=5, linewidth=1.6,
            legend="brief", ax=ax,
        )  # fmt: skip
        ax.set(
            title=f"{style or 'all'} ({number} {'pair' if number == 1 else 'pairs'})",
            ylim=(-0.03, 1.03),
        )
    return finish(fig, title, axes[0, 0])


@styled
def who_moves_whom(moves: pd.DataFrame, title: str) -> Figure:
    """Heat map of `outlier_removal.moves`: how many ranks others move for each removed system."""
    order = list(dict.fromkeys(moves["removed"]))
    wide = moves.pivot(index="removed", columns="system", values="move").loc[
        order
    ]
    wide = wide[[s for s in order if s in wide.columns]]
    most = int(np.nanmax(wide.abs().to_numpy(float), initial=0))
    top = max(2, most)
    if not most:
        title += " (nobody moves)"
    texts = wide.map(_signed)
    fig = heatmap(
        wide,
        title=title,
        label="ranks moved up (+) or down (−)",
        texts=texts,
        cells=Cells("PuOr"),
        vmin=-top,
        vmax=top,
    )
    fig.axes[0].set(xlabel="system that moves", ylabel="system removed")
    step = max(1, round(top / 3))
    fig.axes[1].set_yticks([k for k in range(-top, top + 1) if k % step == 0])
    return fig


def _signed(move: float) -> str:
    """A move with its sign; nothing for none, × for the system that was removed (NaN)."""
    if np.isnan(move):
        return "×"
    return f"{move:+.0f}".replace("-", "−") if move else ""


def drawn(found: dict[str, Any]) -> list[tuple[str, dict[str, Any], str]]:
    """Name, row and text (the number as it is written) of each number of a finding."""
    made = []
    for row in found["rows"]:
        unit = [row["unit"].replace(" x ", " × ")] if "unit" in row else []
        ways = [f"all {row['ways']} ways"] if "ways" in row else []
        campaign = row["campaign"].replace("wmt", "WMT")
        made.append((" · ".join([campaign, *unit, *ways]), row))
        if "two" in row:
            made.append(
                (f"{campaign} · Bojar's and expected wins", row["two"])
            )
    return [(name, row, _text(found["key"], row)) for name, row in made]


def _text(key: str, row: dict[str, Any]) -> str:
    if key == "fewest":
        share = f"{100 * row['value']:.2g}\u00a0%"
        return (
            f"median of {row['units']}: {share}" if row["units"] > 1 else share
        )
    if key in COUNTED:
        return f"{row['part']:.0f} {'against' if key == 'rules' else 'of'} {row['whole']:.0f}"
    if key == "halves":
        return f"{row['value']:.2f}"
    return f"{row['value']:.0%}".replace("%", "\u00a0%")


def described(found: dict[str, Any]) -> str:
    """What the figure of a finding shows, in words, for those who do not see it."""
    return f"{AXES[found['key']]}: " + "; ".join(
        f"{n} {text}" for n, _, text in drawn(found)
    )


@styled
def finding(found: dict[str, Any], narrow: bool = False) -> Figure:
    """The numbers of a finding of `companion.legacy.rankcompanion.report.findings.gather` as diamonds, one per row.

    Dots are single pairs or tasks, larger the more cases they have; bars are their ranges. The
    `narrow` figure fits a phone: names stand above their rows.
    """
    shown: Sequence[tuple[str, dict[str, Any], str]] = drawn(found)
    names = [
        f"{name}: {text}" if narrow else f"{name}\n{text}"
        for name, _, text in shown
    ]
    wide = PHONE if narrow else 5.6 + breadth("\n".join(names).split("\n"))
    fig, ax = plt.subplots(
        figsize=(wide, (1.7 if narrow else 1.25) + 0.46 * len(shown))
    )
    places = rows(ax, names, room=0.75 if narrow else 0.6)
    for y, name, (_, row, _) in zip(places, names, shown, strict=True):
        most = max(whole for _, whole in row["each"])
        ratios, sizes = zip(
            *((r, 10 + 40 * w / most) for r, w in row["each"]), strict=True
        )
        ax.hlines(y, row["low"], row["high"], color=FAINT, lw=1.6, zorder=2)
        ax.scatter(
            ratios,
            [y] * len(ratios),
            s=sizes,
            color=BLUE,
            alpha=0.45,
            lw=0,
            zorder=3,
        )
        ax.plot(row["value"], y, "D", color=RED, ms=7, mec="white", zorder=4)
        if narrow:
            place = ax.get_yaxis_transform()
            ax.text(
                0, y - 0.25, name, transform=place, va="bottom", fontsize=8.5
            )
    if found["key"] == "fewest":
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda v, _: f"{100 * v:g}\u00a0%")
    elif found["key"] not in ("halves", "rules"):
        ax.set_xlim(-0.03, 1.03)
        ax.xaxis.set_major_formatter(PercentFormatter(1, symbol="\u00a0%"))
    ax.yaxis.grid(False)
    if narrow:
        ax.tick_params(axis="y", length=0, labelleft=False)
        ax.spines["left"].set_visible(False)
    ax.set_xlabel(fill(AXES[found["key"]], 48 if narrow else 200))
    single = {"methods": "task", "fewest": "pair or task"}.get(
        found["key"], "language pair"
    )
    handles = [
        plt.Line2D(
            [],
            [],
            marker="D",
            ls="",
            color=RED,
            mec="white",
            ms=7,
            label="the campaign",
        ),
        plt.Line2D(
            [],
            [],
            marker="o",
            ls="",
            color=BLUE,
            alpha=0.45,
            mew=0,
            label=f"one {single}",
        ),
        plt.Line2D([], [], color=FAINT, label=f"lowest to highest {single}"),
    ]
    return finish(fig, "", handles, 2 if narrow else 3)


@styled
def svg(fig: Figure) -> bytes:
    """The figure as SVG, with reproducible bytes."""
    stream = io.BytesIO()
    fig.savefig(stream, format="svg", metadata=NO_DATE["svg"])
    plt.close(fig)
    return stream.getvalue()
