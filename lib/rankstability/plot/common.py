"""Plots shared by all protocols; each topic's own stand in ``figures_<topic>``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..report.outputs import STYLE

F = TypeVar("F", bound=Callable[..., Any])


def styled(plot: F) -> F:
    """Draw in the package's style, and leave the caller's style alone."""

    @wraps(plot)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with plt.style.context(STYLE):
            return plot(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


@styled
def matrix(
    values: pd.DataFrame,
    *,
    title: str,
    label: str,
    fmt: str = ".0f",
    cmap: str = "viridis",
    vmin: float | None = None,
    vmax: float | None = None,
    annotate: bool | None = None,
    xlabel: str = "",
    ylabel: str = "",
) -> Figure:
    """A labelled matrix with its numbers in the cells; NaN cells stay empty (hatched grey).

    Parameters
    ----------
    values : DataFrame
        Index and columns label rows and columns.
    label : str
        What the colour means, with its unit.
    annotate : bool, optional
        Write the numbers; by default where they fit (up to 25 columns and 40 rows).
    """
    rows, columns = values.shape
    if annotate is None:
        annotate = columns <= 25 and rows <= 40
    width = min(11.0, 2.6 + 0.48 * columns)
    height = min(14.0, 1.9 + (0.3 if annotate else max(0.06, min(0.3, 9 / max(rows, 1)))) * rows)
    fig, ax = plt.subplots(figsize=(width, height))
    data = values.to_numpy(dtype=float)
    ax.set_facecolor("#EFEFEF")
    image = ax.imshow(
        np.ma.masked_invalid(data),
        cmap=cmap,
        vmin=vmin,
        vmax=vmax,
        aspect="auto",
        interpolation="nearest",
    )
    ax.grid(False)
    ax.set_xticks(
        range(columns),
        [str(c) for c in values.columns],
        rotation=60,
        ha="right",
        rotation_mode="anchor",
    )
    if rows <= 60:
        ax.set_yticks(range(rows), [str(r) for r in values.index])
    else:
        ax.set_yticks([])
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    if annotate:
        for (i, j), value in np.ndenumerate(data):
            if np.isfinite(value):
                shade = image.cmap(image.norm(value))
                light = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] > 0.55
                ax.text(
                    j,
                    i,
                    format(value, fmt),
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="black" if light else "white",
                )
    fig.colorbar(image, ax=ax, label=label, shrink=0.8)
    return fig


@styled
def bump_chart(
    orders: pd.DataFrame,
    *,
    title: str,
    lines: dict[str, Sequence[int]] | None = None,
    highlight: Sequence[str] = (),
    xlabel: str = "",
    ylabel: str = "rank",
) -> Figure:
    """Ranks of systems under several rankings, one line per system, best at the top.

    Parameters
    ----------
    orders : DataFrame
        Index: systems; one column per ranking, in order; values: ranks from 1 (NaN: absent).
    lines : dict, optional
        Per column: the ranks below which a significance line is drawn (a black bar with ×).
    highlight : sequence of str
        Systems in colour; by default those whose rank differs between columns.
    """
    systems, names = list(orders.index), list(orders.columns)
    ranks = orders.to_numpy(dtype=float)
    moved = [s for s, r in zip(systems, ranks, strict=True) if np.nanmax(r) - np.nanmin(r) > 0]
    shown = list(highlight) or moved
    palette = plt.rcParams["axes.prop_cycle"].by_key()["color"][:6]
    styles = ["-", "--", ":"]
    longest = max(len(s) for s in systems)
    margin = 0.075 * longest + 0.35
    width = min(12.0, 1.35 * len(names) + 2 * margin)
    fig, ax = plt.subplots(figsize=(width, 0.27 * len(systems) + 1.3))
    x = np.arange(len(names))
    for i, system in enumerate(systems):
        coloured = system in shown
        k = shown.index(system) if coloured else 0
        colour = palette[k % len(palette)] if coloured else "#8C8C8C"
        ax.plot(
            x,
            ranks[i],
            color=colour,
            marker="o",
            lw=2.2 if coloured else 1.2,
            ls=styles[(k // len(palette)) % 3] if coloured else "-",
            zorder=3 if coloured else 2,
        )
        text = colour if coloured else "#444444"
        for j, side in ((0, "right"), (len(names) - 1, "left")):
            if np.isfinite(ranks[i, j]):
                ax.text(
                    j + (-0.12 if side == "right" else 0.12),
                    ranks[i, j],
                    system,
                    ha=side,
                    va="center",
                    fontsize=8,
                    color=text,
                    fontweight="bold" if coloured else "normal",
                )
    for j, name in enumerate(names):
        for below in (lines or {}).get(name, ()):
            ax.plot([j - 0.17, j + 0.17], [below + 0.5] * 2, color="black", lw=1.4, zorder=4)
            ax.plot(j, below + 0.5, marker="x", color="black", ms=5, mew=1.4, zorder=5)
    ax.set_xticks(x, names)
    top = int(np.nanmax(ranks))
    ax.set_yticks(range(1, top + 1))
    ax.set_ylim(top + 0.6, 0.4)
    pad = margin / (width - 2 * margin + 1e-9) * max(len(names) - 1, 1) if len(names) > 1 else 1.0
    pad = min(pad, 3.0)
    ax.set_xlim(-pad, len(names) - 1 + pad)
    ax.yaxis.grid(False)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    return fig


def axes_note(ax: Axes, text: str) -> None:
    """A small grey note under the axes: how to read the figure."""
    ax.annotate(text, (0, -0.16), xycoords="axes fraction", fontsize=8, color="#555555", va="top")
