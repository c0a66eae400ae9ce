"""What is wrong with the texts of a finished figure, as far as it can be measured."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from companion.legacy.rankcompanion.figures.common import LEAST_CONTRAST, contrast

CROSSED = 3.0  # pixels by which an upright text may lie over a level one


@dataclass(frozen=True)
class Written:
    """One text of a figure as it is drawn: where (in pixels), in which colour."""

    text: str
    box: Bbox
    colour: tuple[float, float, float]
    rotation: float


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


def faults(fig: Figure, texts: list[Written] | None = None, *, overlap: float = 0.15) -> list[str]:
    """What is wrong with the texts of a figure, as far as it can be measured; empty: nothing.

    Measured as it is saved: a text outside the canvas (which is cut around what is drawn), a text
    over more than the share `overlap` of another, an upright text that crosses a level one, and a
    contrast below `LEAST_CONTRAST` between a text and the commonest colour behind it.
    """
    texts = written(fig) if texts is None else texts
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
        upright = np.array([w.rotation % 180 == 90 for w in flat])
        across = (upright[:, None] != upright) & (np.minimum(width, height) > CROSSED)
        over = across | (width * height > overlap * np.minimum(area[:, None], area))
        over = np.triu(over, 1)
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
