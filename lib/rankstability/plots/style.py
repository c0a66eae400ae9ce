"""The look of all figures: sizes, colours and names, applied only while a figure is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..errors import escape_invisible

WIDTH = 7.2  # inches: 720 pixels wide, legible at 390
BLUE, ORANGE, GREY, GREEN = "#2a6f97", "#c8553d", "#7d8597", "#4c956c"
MAX_NAME = 26  # characters of a name in a figure
SETTINGS: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "figure.dpi": 100,
    "font.family": ["DejaVu Sans"],
    "font.size": 11,
    "legend.frameon": False,
    "savefig.dpi": 100,
    "svg.hashsalt": "rankstability",
    "text.parse_math": False,
}


def short_name(name: object, longest: int = MAX_NAME) -> str:
    """Return a name as it is shown in a figure: visible characters, cut in the middle.

    >>> short_name("Tencent-ensemble-system.5742", 20)
    'Tencent-ensem…m.5742'
    """
    text = escape_invisible(str(name))
    end = longest // 3
    return text if len(text) <= longest else text[: longest - 1 - end] + "…" + text[-end:]


def name_cells(ax: Axes, systems: Sequence[str]) -> None:
    """Name the rows and the columns of a square of systems."""
    labels = [short_name(name, 20) for name in systems]
    ax.set_yticks(range(len(labels)), labels)
    ax.set_xticks(range(len(labels)), labels, rotation=60, ha="right")
    ax.tick_params(length=0)


@cache
def load_backend() -> None:
    """Load the backend of matplotlib, once.

    A notebook's backend changes settings when it is loaded. If that happens while the settings of
    our figures hold, the change is undone with them, and no later figure is shown.
    """
    plt.switch_backend(mpl.get_backend())


@contextmanager
def look() -> Iterator[None]:
    """Draw with our settings, which end with the block."""
    load_backend()
    with plt.rc_context(SETTINGS):
        yield


@contextmanager
def canvas(
    ax: Axes | None, width: float = WIDTH, height: float = 4.0
) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure and axes to draw in: those of `ax`, or new ones. Settings end with the block."""
    with look():
        if ax is None:
            figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
            plt.close(figure)
        else:
            figure = ax.get_figure(root=True)  # type: ignore[assignment]
        yield figure, ax
