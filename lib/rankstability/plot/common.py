"""The look of every figure: one theme and one palette from seaborn, the bump chart, the heat map.

Each topic's own figures stand in the module named after it; they draw with what is here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from textwrap import fill
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, to_hex, to_rgb
from matplotlib.figure import Figure

from .check import LEAST_CONTRAST, contrast

F = TypeVar("F", bound=Callable[..., Any])

BLUE, AMBER, GREEN, RED, PINK, BROWN, ROSE, GREY, YELLOW, SKY = sns.color_palette(
    "colorblind"
).as_hex()
PALETTE = (
    BLUE,
    RED,
    GREEN,
    PINK,
    AMBER,
    SKY,
    "#000000",
    GREY,
)  # as lines take them
INK, FAINT, PALE, EMPTY = "#444444", "#8C8C8C", "#D9D9D9", "#EFEFEF"  # greys, dark to light
DASHES = ("-", "--", ":")

HOUSE: dict[str, Any] = {
    "figure.figsize": (7.2, 4.2),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.08,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,  # a $ in a system's name is a $
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": plt.cycler("color", PALETTE),
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.major.size": 3.5,
    "ytick.major.size": 3.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "image.cmap": "viridis",
    "svg.fonttype": "none",
    "svg.hashsalt": "rankstability",
}


def theme() -> dict[Any, Any]:
    """Settings of matplotlib for every figure: seaborn's ``ticks`` and ``paper``, and the house's.

    Names of systems and campaigns come from data: no text is read as mathematics.
    """
    return {**sns.axes_style("ticks"), **sns.plotting_context("paper"), **HOUSE}


@contextmanager
def style() -> Iterator[None]:
    """Draw, and save, in the `theme`; the caller's settings come back afterwards."""
    with plt.rc_context(theme()):
        yield


def styled(plot: F) -> F:
    """A plotting function that draws in the `theme` and leaves the caller's settings alone."""

    @wraps(plot)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with style():
            return plot(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


def legible(colour: Any, on: Any = "white", least: float = LEAST_CONTRAST) -> str:
    """`colour`, darkened or lightened as far as a text in it needs to be read on that ground."""
    ground, own = np.array(to_rgb(on)), np.array(to_rgb(colour))
    end = 0.0 if contrast((0.0, 0.0, 0.0), tuple(ground)) > least else 1.0
    for step in np.linspace(0, 1, 51):
        mixed = own + step * (end - own)
        if contrast(tuple(mixed), tuple(ground)) >= least:
            break
    return to_hex(mixed)


def wrapped(name: object, width: int = 16) -> str:
    """`name` over as many lines of `width` letters as it takes; nothing is cut off."""
    return fill(str(name), width, break_on_hyphens=False)


def starred(names: Sequence[object] | pd.Index | pd.Series, human: Collection[str]) -> list[str]:
    """Names for an axis, those of human translations with a star."""
    return [f"★ {n}" if n in human else str(n) for n in names]


@styled
def heatmap(
    values: pd.DataFrame,
    *,
    title: str,
    label: str,
    annotate: bool | pd.DataFrame | None = None,
    fmt: str = ".0f",
    cmap: Any = "viridis",
    vmin: float | None = None,
    vmax: float | None = None,
    norm: Normalize | None = None,
    extend: str = "neither",
    empty: str = EMPTY,
    xlabel: str = "",
    ylabel: str = "",
    size: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """A matrix in colours (seaborn's heat map), its first row at the top, NaN cells grey.

    The cell of row i and column j has its middle at (j + 0.5, i + 0.5).

    Parameters
    ----------
    values : DataFrame
        Index and columns label rows and columns; all columns are labelled, and up to 60 rows.
    label : str
        What the colour means, with its unit; empty: no colour bar.
    annotate : bool or DataFrame, optional
        Write the numbers in `fmt`, or these texts; by default the numbers where they fit (up to 25
        columns and 40 rows).
    cmap, vmin, vmax, norm, extend
        As matplotlib takes them; `extend` is the colour bar's.
    empty : str
        Colour of the cells without a value.
    size : tuple of float, optional
        Inches; by default from rows and columns.
    ax : Axes, optional
        Draw here, in place of a new figure.
    """
    rows, columns = values.shape
    fits = columns <= 25 and rows <= 40
    texts = isinstance(annotate, pd.DataFrame)
    written = fits if annotate is None else annotate
    if ax is None:
        tall = 0.3 if fits or texts else max(0.06, min(0.3, 9 / max(rows, 1)))
        beside, below = (max((len(str(n)) for n in ns), default=0) for ns in values.axes)
        wide, high = 1.8 + 0.07 * beside + 0.48 * columns, 1.3 + 0.055 * below + tall * rows
        size = size or (min(13.0, wide), min(15.0, high))
        _, ax = plt.subplots(figsize=size)
    ax.set_facecolor(empty)
    sns.heatmap(
        values.astype(float), ax=ax, cmap=cmap, vmin=vmin, vmax=vmax, norm=norm,
        annot=written, fmt="" if texts else fmt, annot_kws={"fontsize": 7},
        xticklabels=[str(c) for c in values.columns],
        yticklabels=[str(r) for r in values.index] if rows <= 60 else False,
        cbar=bool(label), cbar_kws={"label": label, "shrink": 0.8, "extend": extend},
        rasterized=values.size > 2000,
    )  # fmt: skip
    ax.grid(False)
    for text, ground in zip(ax.texts, _grounds(ax), strict=False):
        dark = contrast((0, 0, 0), ground) > contrast((1, 1, 1), ground)
        text.set_color("black" if dark else "white")
    if isinstance(annotate, pd.DataFrame):  # seaborn writes nothing where there is no value
        for i, j in np.argwhere(values.isna().to_numpy()):
            ax.text(j + 0.5, i + 0.5, annotate.iloc[i, j], ha="center", va="center", fontsize=7)
    plt.setp(ax.get_xticklabels(), rotation=60, ha="right", rotation_mode="anchor")
    plt.setp(ax.get_yticklabels(), rotation=0)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    fig = ax.figure
    assert isinstance(fig, Figure)
    return fig


def _grounds(ax: Axes) -> list[tuple[float, ...]]:
    """The colours of the cells of a heat map in which seaborn has written, in its order."""
    mesh = ax.collections[0]
    mesh.update_scalarmappable()
    shown = ~np.ma.getmaskarray(np.ma.asarray(mesh.get_array())).ravel()
    return [tuple(c[:3]) for c in np.asarray(mesh.get_facecolor())[shown]]


@styled
def bump(
    places: pd.DataFrame,
    *,
    title: str,
    highlight: Collection[str] | None = None,
    xlabel: str = "",
    ylabel: str = "rank",
) -> Figure:
    """Bump chart: places of systems under several rankings, a line per system, best at the top.

    Parameters
    ----------
    places : DataFrame
        ranking (a column of the chart, in order of appearance), system, place (from 1; no row or
        NaN: absent), and, where lines between clusters are drawn, line: what stands below that
        place (``kept`` or 1: a black bar with a cross; ``appeared``: an orange one; ``vanished``:
        grey dashes; anything else: nothing).
    highlight : collection of str, optional
        Systems in colour; by default those whose place differs between rankings.
    """
    names = list(dict.fromkeys(places["ranking"]))
    wide = places.pivot(index="system", columns="ranking", values="place")[names].astype(float)
    wide = wide.sort_values(names, kind="stable")
    moves = wide.index[wide.max(axis=1) > wide.min(axis=1)]
    shown = [s for s in wide.index if s in (moves if highlight is None else highlight)]
    colour = {s: legible(PALETTE[k % 6]) for k, s in enumerate(shown)}
    dash = {s: DASHES[k // 6 % 3] for k, s in enumerate(shown)}
    margin = 0.09 * max(len(str(s)) for s in wide.index) + 0.35
    width = min(14.0, 1.35 * len(names) + 2 * margin)
    heads = [wrapped(n) for n in names]
    head = 0.14 * max(h.count("\n") for h in heads)
    fig, ax = plt.subplots(figsize=(width, 0.27 * len(wide) + 1.3 + head))
    x = np.arange(len(names))
    for system, row in wide.iterrows():
        moving = system in colour
        ax.plot(
            x, row, color=colour.get(system, FAINT), ls=dash.get(system, "-"), marker="o",
            lw=2.2 if moving else 1.2, zorder=3 if moving else 2,
        )  # fmt: skip
        for j, side, step in ((0, "right", -0.12), (len(names) - 1, "left", 0.12)):
            if np.isfinite(row.iloc[j]):
                ax.text(
                    j + step, row.iloc[j], str(system), ha=side, va="center", fontsize=8,
                    color=colour.get(system, INK), fontweight="bold" if moving else "normal",
                )  # fmt: skip
    if "line" in places:
        for ranking, place, kind in zip(
            places["ranking"], places["place"], places["line"], strict=True
        ):
            _cluster_line(ax, names.index(ranking), float(place) + 0.5, kind)
    ax.set_xticks(x, heads)
    top = int(np.nanmax(wide.to_numpy()))
    ax.set_yticks(range(1, top + 1))
    ax.set_ylim(top + 0.6, 0.4)
    pad = min(margin / (width - 2 * margin + 1e-9) * (len(names) - 1), 6.0)
    pad = pad if len(names) > 1 else 1.0
    ax.set_xlim(-pad, len(names) - 1 + pad)
    ax.yaxis.grid(False)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    return fig


def _cluster_line(ax: Axes, x: float, y: float, kind: Any) -> None:
    """A line between clusters in column `x` of a bump chart (see `bump`)."""
    if kind in (1, "kept"):
        ax.plot([x - 0.17, x + 0.17], [y, y], color="black", lw=1.4, zorder=4)
        ax.plot(x, y, marker="x", color="black", ms=5, mew=1.4, zorder=5)
    elif kind == "appeared":
        ax.plot([x - 0.22, x + 0.22], [y, y], color=RED, lw=1.8, zorder=6)
        ax.plot(x, y, marker="x", color=RED, ms=5.5, mew=1.8, zorder=7)
    elif kind == "vanished":
        ax.plot([x - 0.22, x + 0.22], [y, y], color=INK, lw=1.8, ls="--", zorder=6)


def bump_places(ranks: pd.DataFrame) -> pd.DataFrame:
    """What `bump` draws, from a table with a row per system and a column of ranks per ranking."""
    named = ranks.rename_axis(index="system", columns=None).reset_index()
    return named.melt("system", var_name="ranking", value_name="place").dropna()
