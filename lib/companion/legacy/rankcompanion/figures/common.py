"""What figures share: a theme and palette from seaborn, bump chart, heat map, descriptions."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import rc_params_from_file
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import (
    FontProperties,
    findfont,
    fontManager,
    get_font,
)
from matplotlib.text import Text
from matplotlib.textpath import TextPath

BLUE, AMBER, GREEN, RED, PINK, _, _, GREY, _, SKY = sns.color_palette(
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
)  # in the order of use
# greys, dark to light
INK = "#444444"
FAINT = "#8C8C8C"
PALE = "#D9D9D9"
EMPTY = "#EFEFEF"
DASHES = ("-", "--", ":")
MARKS = ("o", "s", "D")
LINES = {  # between clusters in a bump chart: half width, colour, weight, size of the cross, zorder
    "kept": (0.17, "black", 1.4, 5.0, 4),
    "appeared": (0.22, RED, 1.8, 5.5, 6),
    "vanished": (0.22, INK, 1.8, 0.0, 6),
}
FONT = "DejaVu Sans"
OTHER_SCRIPTS = (  # fonts with Chinese, Japanese and Korean glyphs; the first installed one is used
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Source Han Sans SC",
    "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "PingFang SC",
    "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Arial Unicode MS",
)  # fmt: skip
LEAST_MAP = 1.4  # height of a map with square cells, in inches
LEAST_CONTRAST = 4.5  # between text and background (WCAG 2, level AA)


def fonts(installed: Collection[str]) -> list[str]:
    """The font of figures, and one for characters that it lacks, if one is installed."""
    return [FONT, *[name for name in OTHER_SCRIPTS if name in installed][:1]]


STYLE = Path(__file__).with_name("house.mplstyle")
HOUSE: dict[str, Any] = {
    **dict[Any, Any](rc_params_from_file(STYLE, use_default_template=False)),
    "font.family": fonts(fontManager.get_font_names()),
    "axes.prop_cycle": plt.cycler("color", PALETTE),
}
NO_DATE: dict[str, dict[str, None]] = {  # for reproducible bytes
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def style() -> Iterator[None]:
    """A context in which figures are drawn in the theme, and no text is parsed as mathematics."""
    theme: dict[Any, Any] = (
        sns.axes_style("ticks") | sns.plotting_context("paper") | HOUSE
    )
    with plt.rc_context(theme):
        yield


styled = style()  # a decorator for functions that draw


def contrast(one: Any, other: Any) -> float:
    """The contrast ratio of two colours by WCAG 2: 1 to 21."""
    low, high = sorted(
        float(sns.utils.relative_luminance(c)) for c in (one, other)
    )
    return (high + 0.05) / (low + 0.05)


def legible(colour: Any) -> str:
    """`colour`, darkened as far as is needed for text in it to be legible on white."""
    shades = (
        np.array(to_rgb(colour)) * share for share in np.linspace(1, 0, 51)
    )
    return to_hex(
        next(s for s in shades if contrast(s, "white") >= LEAST_CONTRAST)
    )


def ink_on(ground: Any) -> str:
    """Black or white, whichever is more legible on that background."""
    return max("black", "white", key=lambda ink: contrast(ink, ground))


def wrapped(name: object, width: int = 16) -> str:
    """`name` wrapped into lines of `width` letters; nothing is cut off."""
    return "\n".join(
        fill(line, width, break_on_hyphens=False)
        for line in str(name).split("\n")
    )


def within(text: str, room: float, size: float = 9) -> str:
    """`text` in as few lines as are no longer than `room` (in inches), if that can be."""
    for width in range(len(text), 8, -1):
        shown = wrapped(text, width)
        if breadth(shown.split("\n"), size) <= room:
            return shown
    return wrapped(text, 8)


@cache
def _signs() -> frozenset[int]:
    """The code points of the characters that the fonts of figures have."""
    found = (
        get_font(findfont(name)).get_charmap() for name in HOUSE["font.family"]
    )
    return frozenset(chain(*found))


def drawable(text: str) -> str:
    """`text` with escapes (``\\u673a``) for characters that no font here has."""
    if text.isascii():
        return text
    known = _signs()
    return "".join(
        c if ord(c) in known or c.isspace() else ascii(c)[1:-1] for c in text
    )


def only_drawable(fig: Figure) -> None:
    """Replace all texts of a figure by what `drawable` makes of them."""
    for axis in (axis for ax in fig.axes for axis in (ax.xaxis, ax.yaxis)):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        if any(drawable(label) != label for label in labels):
            axis.set_ticks(
                axis.get_ticklocs(), [drawable(label) for label in labels]
            )
    for text in fig.findobj(Text):
        if drawable(text.get_text()) != text.get_text():
            text.set_text(drawable(text.get_text()))


def breadth(
    texts: Iterable[object], size: float = 8.5, weight: str = "normal"
) -> float:
    """The width of the widest of these texts, in inches."""
    font = FontProperties(family=HOUSE["font.family"], weight=weight)
    shown = (drawable(str(text)) for text in texts if str(text))
    paths = (TextPath((0, 0), text, size=size, prop=font) for text in shown)
    return max((path.get_extents().x1 for path in paths), default=0.0) / 72


def rows(
    ax: Axes,
    names: Iterable[Any],
    first: int = 0,
    room: float = 0.6,
    **kwargs: Any,
) -> np.ndarray:
    """Label the y axis with names, from the top down; returns their places, from `first` on."""
    names = [str(name) for name in names]
    places = np.arange(first, first + len(names))
    ax.set_yticks(places, names, **kwargs)
    ax.set_ylim(first + len(names) - 1 + room, first - room)
    return places


def finish(
    fig: Figure,
    title: str,
    of: Axes | Sequence[Any] | None = None,
    columns: int = 4,
    **kwargs: Any,
) -> Figure:
    """`fig` with a title above all its panels and one legend below them.

    The legend shows the handles `of`, or those of the axes `of`; `kwargs` go to the legend.
    """
    if title:
        fig.suptitle(
            title, x=0.01, ha="left", fontsize=10.5, fontweight="bold"
        )
    for ax in fig.axes:
        if legend := ax.get_legend():
            legend.remove()
    if of is not None:
        handles = (
            of.get_legend_handles_labels()[0]
            if isinstance(of, Axes)
            else list(of)
        )
        columns = min(columns, max(1, len(handles)))
        fig.legend(
            handles=handles,
            loc="outside lower center",
            ncols=columns,
            **kwargs,
        )
    return fig


@dataclass(frozen=True)
class Cells:
    """How the cells of a matrix look.

    `cmap` colours them, `empty` those without a value; `size` is their width and height in inches,
    as far as the page allows, and `square` cells stay as wide as they are high. `extend` says which
    ends of the colour bar are pointed, as matplotlib takes it.
    """

    cmap: Any = "viridis"
    empty: str = EMPTY
    size: tuple[float, float] | None = None
    square: bool = False
    extend: str = "neither"


@styled
def heatmap(
    values: pd.DataFrame,
    *,
    title: str,
    label: str,
    texts: pd.DataFrame | None = None,
    cells: Cells | None = None,
    ax: Axes | None = None,
    **limits: Any,
) -> Figure:
    """A matrix in colours (seaborn's heat map), with the first row at the top.

    The centre of the cell in row i and column j is at (j + 0.5, i + 0.5). All columns are labelled;
    rows are labelled if there are at most 60.

    Parameters
    ----------
    label : str
        What the colour means, with its unit; empty: no colour bar.
    texts : DataFrame, optional
        What is written in the cells.
    cells : Cells, optional
        How the cells look.
    ax : Axes, optional
        Draw here instead of in a new figure.
    limits
        vmin, vmax or norm, as matplotlib takes them.
    """
    look = cells or Cells()
    rows, columns = values.shape
    if ax is None:
        wide, tall = look.size or (
            0.48,
            0.3 if texts is not None else min(0.3, 9 / rows),
        )
        beside, below = (breadth(names) for names in values.axes)
        around = 1.0 + 0.8 * bool(label) + beside
        over = 1.1 + below
        wide = min(wide, max(13.0 - around, 1.0) / columns)
        tall = min(tall, max(15.0 - over, 1.0) / rows)
        if look.square:
            wide = tall = max(min(wide, tall), LEAST_MAP / rows)
        _, ax = plt.subplots(
            figsize=(around + wide * columns, over + tall * rows)
        )
        label = within(label, tall * rows)
    if look.square:
        ax.set_aspect("equal")
    ax.set_facecolor(look.empty)
    sns.heatmap(
        values.astype(float), ax=ax, cbar=bool(label), rasterized=values.size > 2000,
        xticklabels=[drawable(str(c)) for c in values.columns],
        yticklabels=[drawable(str(r)) for r in values.index] if rows <= 60 else False,
        cbar_kws={"label": label, "shrink": 0.8, "extend": look.extend}, cmap=look.cmap, **limits,
    )  # fmt: skip
    ax.grid(False)
    if texts is not None:
        mesh = ax.collections[0]
        mesh.update_scalarmappable()
        grounds = np.asarray(mesh.get_facecolor()).reshape(rows, columns, -1)
        for i, j in np.argwhere(texts.to_numpy() != ""):
            ink = None if pd.isna(values.iloc[i, j]) else ink_on(grounds[i, j])
            text = ax.text(
                j + 0.5, i + 0.5, texts.iloc[i, j], color=ink, fontsize=7
            )
            text.set(ha="center", va="center")
    plt.setp(
        ax.get_xticklabels(), rotation=60, ha="right", rotation_mode="anchor"
    )
    plt.setp(ax.get_yticklabels(), rotation=0)
    ax.set(title=title, xlabel="", ylabel="")
    fig = ax.figure
    assert isinstance(fig, Figure)
    return fig


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
        Columns system; ranking, a column of the chart, in order of appearance; place, from 1 (no
        row or NaN: absent). For lines between clusters either cluster (rows best first),
        or line: what is drawn below that place (``kept`` or 1: a black bar with a cross;
        ``appeared``: an orange one; ``vanished``: grey dashes; anything else: nothing).
    highlight : collection of str, optional
        Systems in colour; by default those whose place differs between rankings.
    ordered : bool
        Whether the rankings form a sequence, as divisors and years do. If not, the lines between
        the dots are thin, and only lead the eye to the system's next dot.
    """
    if "cluster" in places and "line" not in places:
        below = places.groupby("ranking", sort=False)["cluster"].shift(-1)
        places = places.assign(line=below > places["cluster"])
    names = list(dict.fromkeys(places["ranking"]))
    wide = places.pivot(index="system", columns="ranking", values="place")[
        names
    ].astype(float)
    wide = wide.sort_values(names, kind="stable")
    moves = wide.index[wide.max(axis=1) > wide.min(axis=1)]
    shown = [
        s
        for s in wide.index
        if s in (moves if highlight is None else highlight)
    ]
    margin = breadth(wide.index, 8, "bold") + 0.35
    last = len(names) - 1
    gap = min(
        1.35, max(0.85, (13.0 - 2 * margin) / max(1, last))
    )  # between columns
    heads = [wrapped(n, int(13 * gap)) for n in names]
    tall = 0.27 * len(wide) + 1.3 + 0.14 * max(h.count("\n") for h in heads)
    fig, ax = plt.subplots(figsize=(gap * last + 2 * margin + 0.7, tall))
    for system, row in wide.iterrows():
        moving = system in shown
        turn, k = divmod(shown.index(system), 6) if moving else (0, 0)
        colour = legible(PALETTE[k]) if moving else FAINT
        width = 0.8
        if ordered:
            width = 2.2 if moving else 1.2
        ax.plot(
            range(len(names)), row, color=colour, marker=MARKS[turn % 3],
            ls=DASHES[turn % 3] if ordered else "-", ms=4.5 if ordered else 6,
            lw=width, zorder=3 if moving else 2,
        )  # fmt: skip
        for j, side, step in (
            (0, "right", -0.16 / gap),
            (last, "left", 0.16 / gap),
        ):
            if np.isfinite(row.iloc[j]):
                ax.text(
                    j + step, row.iloc[j], str(system), ha=side, va="center", fontsize=8,
                    color=colour if moving else INK, fontweight="bold" if moving else "normal",
                )  # fmt: skip
    if "line" in places:
        for ranking, above, kind in places[
            ["ranking", "place", "line"]
        ].itertuples(index=False):
            _cluster_line(ax, names.index(ranking), above + 0.5, kind)
    ax.set_xticks(range(len(names)), heads)
    top = int(np.nanmax(wide.to_numpy()))
    ax.set_yticks(range(1, top + 1))
    ax.set_ylim(top + 0.6, 0.4)
    ax.set_xlim(-margin / gap, last + margin / gap)
    ax.yaxis.grid(False)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    return fig


def _cluster_line(ax: Axes, x: float, y: float, kind: Any) -> None:
    """A line between clusters in column `x` of a bump chart (see `bump`)."""
    kind = "kept" if kind == 1 else kind
    if kind in LINES:
        reach, colour, weight, cross, above = LINES[kind]
        look = {"color": colour, "ls": "-" if cross else "--", "zorder": above}
        ax.plot([x - reach, x + reach], [y, y], lw=weight, **look)
        if cross:
            ax.plot(
                x, y, "x", color=colour, ms=cross, mew=weight, zorder=above + 1
            )


def bump_places(ranks: pd.DataFrame) -> pd.DataFrame:
    """The places that `bump` draws, from ranks: a row per system (the index), a column each."""
    named = ranks.rename_axis(index="system", columns=None).reset_index()
    return named.melt(
        "system", var_name="ranking", value_name="place"
    ).dropna()


def describe(fig: Figure, most: int = 420) -> str:
    """The words of a figure as one text: title, axes, the names along them, the legend."""
    whole = fig.get_suptitle()
    parts = [whole] if whole else []
    panels = [
        ax
        for ax in fig.axes
        if ax.get_visible() and ax.get_label() != "<colorbar>"
    ]
    sides = [
        [ax.get_title(loc=side) for side in ("left", "center", "right")]
        for ax in panels
    ]
    heads = [next(filter(None, titles)) for titles in sides if any(titles)]
    parts += (
        [f"{len(heads)} panels: {', '.join(heads)}"]
        if len(heads) > 1
        else heads
    )
    seen: set[str] = set()
    for ax in panels:
        for way, label, texts in (
            ("Across", ax.get_xlabel(), ax.get_xticklabels()),
            ("Down", ax.get_ylabel(), ax.get_yticklabels()),
            (
                "Named",
                "",
                [t for t in ax.texts if any(map(str.isalpha, t.get_text()))],
            ),
        ):
            words = ": ".join(filter(None, [label, _names(texts)]))
            if words and words not in seen:
                seen.add(words)
                parts.append(f"{way}: {words}")
    for ax in fig.axes:
        if ax.get_label() == "<colorbar>" and (
            label := ax.get_ylabel() or ax.get_xlabel()
        ):
            parts.append(f"Colour: {label}")
    legends = [
        *fig.legends,
        *(ax.get_legend() for ax in panels if ax.get_legend()),
    ]
    keys = [
        t.get_text()
        for legend in legends
        if legend
        for t in legend.get_texts()
    ]
    if keys:
        parts.append("Legend: " + ", ".join(dict.fromkeys(keys)))
    text = " ".join(". ".join(parts).split())
    return (
        text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
    )


def _names(labels: list[Text]) -> str:
    """The names along an axis: all if they are few, else the first and last; none for numbers."""
    names = list(dict.fromkeys(t.get_text() for t in labels if t.get_text()))
    if all(re.fullmatch(r"[−+-]?[\d.,]+ ?[%kM]?", name) for name in names):
        return ""
    return (
        ", ".join(names)
        if len(names) <= 8
        else f"{len(names)} from {names[0]} to {names[-1]}"
    )
