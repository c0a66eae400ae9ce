"""The figure of a finding: its numbers, one row for each, with the pairs they are made of."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .common import BLUE, FAINT, RED, breadth, finish, rows, styled

AXES = {
    "removal": "removals of one system after which the others stand in another order",
    "fewest": "judgments without which another system is first, share of all (log scale)",
    "halves": "Kendall's τ between the halves, mean over pairs",
    "rules": "clusters under the rule that draws most, over those under the one with fewest",
    "lines": "claimed lines that hold with other units",
    "false": "campaigns of equal systems in which the recipe draws a line",
    "methods": "systems whose rank is not the same",
}
COUNTED = ("removal", "rules", "lines", "methods")  # part and whole are counts


def drawn(found: dict[str, Any]) -> list[tuple[str, dict[str, Any], str]]:
    """Name, row and text (the number as it is said) of each number of a finding."""
    made = []
    for row in found["rows"]:
        name = " · ".join([row["campaign"], *([row["unit"].replace(" x ", " × ")] if "unit" in row else [])])
        made.append((name + (f" · all {row['ways']} ways" if "ways" in row else ""), row))
        if "two" in row:
            made.append((f"{row['campaign']} · Bojar's and expected wins", row["two"]))
    return [(name, row, _text(found["key"], row)) for name, row in made]


def _text(key: str, row: dict[str, Any]) -> str:
    if key == "fewest":
        return f"median of {row['units']}: {100 * row['value']:.2g}\u00a0%"
    if key in COUNTED:
        return f"{row['part']:.0f} {'against' if key == 'rules' else 'of'} {row['whole']:.0f}"
    return f"{row['value']:.2f}" if key == "halves" else f"{row['value']:.0%}".replace("%", "\u00a0%")


def described(found: dict[str, Any]) -> str:
    """What the figure shows, in words, for those who do not see it."""
    return f"{AXES[found['key']]}: " + "; ".join(f"{n} {text}" for n, _, text in drawn(found))


@styled
def finding(found: dict[str, Any]) -> Figure:
    """The numbers of a finding of `rankcompanion.findings.gather` as diamonds, each in a row.

    Dots are single pairs or tasks, larger where there is more in them; the bar is their range.
    """
    shown: Sequence[tuple[str, dict[str, Any], str]] = drawn(found)
    names = [f"{name}\n{text}" for name, _, text in shown]
    wide = 5.6 + breadth("\n".join(names).split("\n"))
    fig, ax = plt.subplots(figsize=(wide, 1.25 + 0.46 * len(shown)))
    for y, (_, row, _) in zip(rows(ax, names), shown, strict=True):
        most = max(whole for _, whole in row["each"])
        ratios, sizes = zip(*((r, 10 + 40 * w / most) for r, w in row["each"]), strict=True)
        ax.hlines(y, row["low"], row["high"], color=FAINT, lw=1.6, zorder=2)
        ax.scatter(ratios, [y] * len(ratios), s=sizes, color=BLUE, alpha=0.45, lw=0, zorder=3)
        ax.plot(row["value"], y, "D", color=RED, ms=7, mec="white", zorder=4)
    if found["key"] == "fewest":
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda v, _: f"{100 * v:g}\u00a0%")
    elif found["key"] not in ("halves", "rules"):
        ax.set_xlim(-0.03, 1.03)
        ax.xaxis.set_major_formatter(PercentFormatter(1, symbol="\u00a0%"))
    ax.yaxis.grid(False)
    ax.set_xlabel(AXES[found["key"]])
    single = "task" if found["key"] == "methods" else "language pair"
    handles = [
        plt.Line2D([], [], marker="D", ls="", color=RED, mec="white", ms=7, label="the campaign"),
        plt.Line2D([], [], marker="o", ls="", color=BLUE, alpha=0.45, mew=0, label=f"one {single}"),
        plt.Line2D([], [], color=FAINT, label=f"lowest to highest {single}"),
    ]
    return finish(fig, "", handles, 3)


@styled
def svg(fig: Figure) -> bytes:
    """The figure as SVG, the same bytes every time."""
    stream = io.BytesIO()
    fig.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(fig)
    return stream.getvalue()
