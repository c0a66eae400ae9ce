"""What can be read off a finished figure: its words for those who cannot see it, and its faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

LEAST_CONTRAST = 4.5  # of text to what is behind it (WCAG 2, level AA)


@dataclass(frozen=True)
class Written:
    """One text of a figure as it is drawn: where (in pixels), in which colour."""

    text: str
    box: Bbox
    colour: tuple[float, float, float]
    rotation: float


def describe(fig: Figure, most: int = 420) -> str:
    """The words of a figure as one text: title, axes, the names along them, the legend.

    For readers who do not see the picture; its numbers stand beside it as CSV.
    """
    whole = fig.get_suptitle()
    parts = [whole] if whole else []
    panels = [ax for ax in fig.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    heads = [t for ax in panels if (t := _title(ax))]
    parts += [f"{len(heads)} panels: {', '.join(heads)}"] if len(heads) > 1 else heads
    seen: set[str] = set()
    for ax in panels:
        for way, label, names in (
            ("Across", ax.get_xlabel(), _names(ax.get_xticklabels())),
            ("Down", ax.get_ylabel(), _names(ax.get_yticklabels())),
        ):
            words = ": ".join(filter(None, [label, names]))
            if words and words not in seen:
                seen.add(words)
                parts.append(f"{way}: {words}")
        named = [t for t in ax.texts if any(map(str.isalpha, t.get_text()))]
        if (names := _names(named)) and names not in seen:
            seen.add(names)
            parts.append(f"Named: {names}")
    for ax in fig.axes:
        if ax.get_label() == "<colorbar>" and (label := ax.get_ylabel() or ax.get_xlabel()):
            parts.append(f"Colour: {label}")
    legends = [*fig.legends, *(ax.get_legend() for ax in panels if ax.get_legend())]
    keys = [t.get_text() for legend in legends if legend for t in legend.get_texts()]
    if keys:
        parts.append("Legend: " + ", ".join(dict.fromkeys(keys)))
    text = " ".join(". ".join(parts).split())
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"


def _title(ax: Axes) -> str:
    return next((t for side in ("left", "center", "right") if (t := ax.get_title(loc=side))), "")


def _names(labels: list[Text]) -> str:
    """Names along an axis: all of a few, the first and the last of many; no numbers."""
    names = list(dict.fromkeys(t.get_text() for t in labels if t.get_text()))
    if all(re.fullmatch(r"[−+-]?[\d.,]+ ?[%kM]?", name) for name in names):
        return ""
    return ", ".join(names) if len(names) <= 8 else f"{len(names)} from {names[0]} to {names[-1]}"


def written(fig: Figure) -> list[Written]:
    """Every text that the figure shows, from its artists; the figure is laid out first."""
    fig.draw_without_rendering()
    renderer = fig.canvas.get_renderer()  # type: ignore[attr-defined]
    made = []
    for text in _shown(fig):
        box = text.get_window_extent(renderer)
        if box.width > 0.5 and box.height > 0.5:
            made.append(
                Written(text.get_text(), box, to_rgb(text.get_color()), text.get_rotation() % 360)
            )
    return made


def _shown(fig: Figure) -> Iterator[Text]:
    """Texts that are drawn: visible, not empty, and ticks only within the limits of their axis."""
    ticks: set[int] = set()
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * max(1.0, abs(high - low))
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - slack <= tick.get_loc() <= high + slack or not ax.axison:
                    ticks |= {id(tick.label1), id(tick.label2)}
    for text in fig.findobj(Text):
        assert isinstance(text, Text)
        inside = text.axes is None or text.axes.get_visible()
        if id(text) not in ticks and text.get_visible() and inside and text.get_text().strip():
            yield text


def faults(fig: Figure, *, overlap: float = 0.15) -> list[str]:
    """What is wrong with the texts of a figure, as far as it can be measured; empty: nothing.

    Measured as it is saved: a text outside the canvas (which is cut around what is drawn), a text
    over more than the share `overlap` of another, and a contrast below `LEAST_CONTRAST`
    between a text and the commonest colour behind it.
    """
    texts = written(fig)
    canvas = fig.get_tightbbox()
    scale = fig.dpi
    edge = Bbox.from_extents(*(np.array(canvas.extents) * scale)).padded(1.0)
    found = [
        f"outside the canvas: {w.text!r}"
        for w in texts
        if w.box.x0 < edge.x0 or w.box.x1 > edge.x1 or w.box.y0 < edge.y0 or w.box.y1 > edge.y1
    ]
    flat = [w for w in texts if not w.rotation % 90]  # the boxes of slanted texts meet, they do not
    if flat:
        boxes = np.array([w.box.extents for w in flat])
        low, high = (f(boxes[:, None], boxes) for f in (np.maximum, np.minimum))
        width, height = (np.clip(high[..., k + 2] - low[..., k], 0, None) for k in (0, 1))
        area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
        over = np.triu(width * height > overlap * np.minimum(area[:, None], area), 1)
        found += [
            f"over one another: {flat[i].text!r} and {flat[j].text!r}" for i, j in np.argwhere(over)
        ]
    return found + _pale(fig, texts)


def _pale(fig: Figure, texts: list[Written]) -> list[str]:
    """Texts whose colour is too near to what they stand on."""
    visible = [text for text in _shown(fig)]
    for text in visible:
        text.set_alpha(0)
    try:
        fig.canvas.draw()
        drawn = np.asarray(fig.canvas.buffer_rgba())[..., :3]  # type: ignore[attr-defined]
    finally:
        for text in visible:
            text.set_alpha(None)
    pixels = (drawn & 0xFC).astype(int) @ [1 << 16, 1 << 8, 1]  # nearly equal colours are one
    height, width = pixels.shape
    found = []
    for w in texts:
        x0, x1 = (int(np.clip(x, 0, width)) for x in (w.box.x0, w.box.x1 + 1))
        y0, y1 = (int(np.clip(height - y, 0, height)) for y in (w.box.y1 + 1, w.box.y0))
        behind = pixels[y0:y1, x0:x1].ravel()
        if not len(behind):
            continue
        colours, counts = np.unique(behind, return_counts=True)
        commonest = behind == colours[counts.argmax()]
        ground = drawn[y0:y1, x0:x1].reshape(-1, 3)[commonest][0] / 255
        ratio = contrast(w.colour, tuple(ground))
        if ratio < LEAST_CONTRAST:
            found.append(f"contrast {ratio:.1f}: {w.text!r}")
    return found


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Contrast ratio of two colours (red, green, blue from 0 to 1) after WCAG 2: 1 to 21."""
    low, high = sorted(_luminance(c) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: tuple[float, ...]) -> float:
    c = np.asarray(colour, float)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
