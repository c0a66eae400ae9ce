"""The look of every figure: one theme and one palette from seaborn, the bump chart, the heat map.

Each topic's own figures stand in the module named after it; they draw with what is here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

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
DASHES, MARKS = ("-", "--", ":"), ("o", "s", "D")

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


def ink_on(ground: Any) -> str:
    """Black or white, whichever is read better on that ground."""
    dark, light = (contrast((ink,) * 3, to_rgb(ground)) for ink in (0.0, 1.0))
    return "black" if dark > light else "white"


def wrapped(name: object, width: int = 16) -> str:
    """`name` over as many lines of `width` letters as it takes; nothing is cut off."""
    return "\n".join(fill(line, width, break_on_hyphens=False) for line in str(name).split("\n"))


def breadth(texts: Iterable[object], size: float = 8.5, weight: str = "normal") -> float:
    """Inches that the widest of these texts takes."""
    font = FontProperties(family=HOUSE["font.family"], weight=weight)
    drawn = (TextPath((0, 0), str(t), size=size, prop=font).get_extents() for t in texts if str(t))
    return max((box.x1 for box in drawn), default=0.0) / 72


def headline(fig: Figure, title: str) -> None:
    """The title of a figure of several panels, where one of a single panel stands."""
    if title:
        fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")


def legend_below(fig: Figure, of: Axes | Sequence[Any], columns: int = 4, **kwargs: Any) -> None:
    """One legend for all panels, below them: of these handles, or of what the axes name."""
    handles = of.get_legend_handles_labels()[0] if isinstance(of, Axes) else list(of)
    for ax in fig.axes:
        if legend := ax.get_legend():
            legend.remove()
    columns = min(columns, max(1, len(handles)))
    fig.legend(handles=handles, loc="outside lower center", ncols=columns, **kwargs)


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
    cell: tuple[float, float] | None = None,
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
    cell : tuple of float, optional
        Width and height of a cell in inches, as far as the page allows.
    ax : Axes, optional
        Draw here, in place of a new figure.
    """
    rows, columns = values.shape
    fits = columns <= 25 and rows <= 40
    texts = isinstance(annotate, pd.DataFrame)
    written = fits if annotate is None else annotate
    if ax is None:
        tall = 0.3 if fits or texts else max(0.06, min(0.3, 9 / max(rows, 1)))
        wide, tall = cell or (0.48, tall)
        beside, below = (breadth(names) for names in values.axes)
        wide = 1.0 + 0.8 * bool(label) + beside + wide * columns
        _, ax = plt.subplots(figsize=(min(13.0, wide), min(15.0, 1.1 + below + tall * rows)))
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
        text.set_color(ink_on(ground))
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
    ordered: bool = False,
    xlabel: str = "",
    ylabel: str = "rank",
) -> Figure:
    """Bump chart: places of systems under several rankings, a colour per system, best at the top.

    Parameters
    ----------
    places : DataFrame
        ranking (a column of the chart, in order of appearance), system, place (from 1; no row or
        NaN: absent), and, where lines between clusters are drawn, line: what stands below that
        place (``kept`` or 1: a black bar with a cross; ``appeared``: an orange one; ``vanished``:
        grey dashes; anything else: nothing).
    highlight : collection of str, optional
        Systems in colour; by default those whose place differs between rankings.
    ordered : bool
        Whether the rankings follow one another, as divisors and years do. Where they do not,
        the lines between the dots are thin: they lead the eye to the system's next dot.
    """
    names = list(dict.fromkeys(places["ranking"]))
    wide = places.pivot(index="system", columns="ranking", values="place")[names].astype(float)
    wide = wide.sort_values(names, kind="stable")
    moves = wide.index[wide.max(axis=1) > wide.min(axis=1)]
    shown = [s for s in wide.index if s in (moves if highlight is None else highlight)]
    colour = {s: legible(PALETTE[k % 6]) for k, s in enumerate(shown)}
    turn = {s: k // 6 % 3 for k, s in enumerate(shown)}
    margin = breadth(wide.index, 8, "bold") + 0.35
    gap = min(1.35, max(0.85, (13.0 - 2 * margin) / max(1, len(names) - 1)))  # between columns
    heads = [wrapped(n, int(13 * gap)) for n in names]
    size = (gap * (len(names) - 1) + 2 * margin + 0.7, 0.27 * len(wide) + 1.3)
    fig, ax = plt.subplots(figsize=(size[0], size[1] + 0.14 * max(h.count("\n") for h in heads)))
    x = np.arange(len(names))
    for system, row in wide.iterrows():
        moving = system in colour
        ax.plot(
            x, row, color=colour.get(system, FAINT), marker=MARKS[turn.get(system, 0)],
            ls=DASHES[turn.get(system, 0)] if ordered else "-", ms=4.5 if ordered else 6,
            lw=(2.2 if moving else 1.2) if ordered else 0.8, zorder=3 if moving else 2,
        )  # fmt: skip
        for j, side, step in ((0, "right", -0.16 / gap), (len(names) - 1, "left", 0.16 / gap)):
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
    ax.set_xlim(-margin / gap, len(names) - 1 + margin / gap)
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
