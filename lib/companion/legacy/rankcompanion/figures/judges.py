"""The figure of judge models: how far they order systems as people do, and what they would save."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .common import (
    BLUE,
    FAINT,
    INK,
    RED,
    breadth,
    finish,
    rows,
    styled,
    wrapped,
)

CHANCE = 50.0  # per cent of pairs
OF_PEOPLE = "people: "  # how the names of people's rows begin
NARROW, WIDE = 22, 36  # letters of a judge's name in a line

AXES = {
    "judges": "pairs ordered as people do, and people's judgments that would be saved"
}


@styled
def beside_people(
    table: pd.DataFrame,
    title: str,
    unit: str = "documents",
    narrow: bool = False,
) -> Figure:
    """Judges down the side; left, pairs ordered as people do; right, share of judgments saved.

    `table` has the rows of one study: judge (those of people begin with `OF_PEOPLE`), alike, pairs,
    worth, worth_low, worth_high. `unit` is what the intervals are over. The `narrow` figure fits a
    phone: the second panel stands below the first.
    """
    people = table["judge"].str.startswith(OF_PEOPLE).to_numpy()
    width = NARROW if narrow else WIDE
    names = [
        wrapped(name, width)
        for name in table["judge"].str.removeprefix(OF_PEOPLE)
    ]
    lines = [line for name in names for line in name.split("\n")]
    high = 0.27 * max(len(table), 3) + 0.15 * (len(lines) - len(names))
    size = (
        (3.7, 2 * high + 3.0) if narrow else (8.0 + breadth(lines), high + 1.9)
    )
    panels = (2, 1) if narrow else (1, 2)
    fig, (left, right) = plt.subplots(*panels, figsize=size)
    y = rows(left, names)
    rows(right, names if narrow else [""] * len(table))
    saved = (
        table[["worth", "worth_low", "worth_high"]].astype(float).to_numpy()
        * 100
    )
    alike = (table["alike"] / table["pairs"]).astype(float).to_numpy() * 100
    handles = []
    for here, mark, colour, words in (
        (~people, "o", BLUE, "a judge"),
        (people, "D", RED, "people, in its place"),
    ):
        at = {"color": colour, "marker": mark, "s": 24, "zorder": 3}
        left.hlines(
            y[here], CHANCE, alike[here], color=colour, lw=1, alpha=0.4
        )
        left.scatter(alike[here], y[here], **at)
        right.hlines(
            y[here], saved[here, 1], saved[here, 2], color=colour, lw=1.6
        )
        right.scatter(saved[here, 0], y[here], **at)
        if here.any():
            handles.append(
                Line2D([], [], color=colour, marker=mark, lw=1.6, label=words)
            )
    handles.append(
        Line2D([], [], color=INK, lw=1.6, label=f"95 %, other {unit}")
    )
    left.axvline(CHANCE, color=FAINT, lw=1)
    left.set_xlim(min(CHANCE - 5, np.nanmin(alike, initial=CHANCE) - 3), 103)
    left.set_xlabel(
        "pairs of systems ordered\nas people do (%); 50 % is chance"
    )
    left.set_title("the order", fontweight="normal")
    right.set_xlim(-3, 103)
    right.set_xlabel(
        "people's judgments that unlimited\nscores of it would save (%)"
    )
    right.set_title("the worth", fontweight="normal")
    for ax in (left, right):
        ax.yaxis.grid(False)
    return finish(fig, title, handles, 1 if narrow else 4)


def finding(found: Mapping[str, Any], narrow: bool = False) -> Figure:
    """The rows of the finding ``judges`` (`report.findings.judges`) as `beside_people`."""
    table = pd.DataFrame(found["rows"]).drop_duplicates("judge")
    return beside_people(table, "", narrow=narrow)


def described(found: Mapping[str, Any]) -> str:
    """What the figure of the finding shows, in words."""
    said = [
        f"{row['judge']} {row['alike']:.0f} of {row['pairs']:.0f}, {row['worth']:.0%}"
        for row in found["rows"]
    ]
    return f"{AXES[found['key']]}: {'; '.join(said)}"
