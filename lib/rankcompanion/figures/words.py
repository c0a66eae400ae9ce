"""What can be read off a finished figure: its words for those who cannot see it."""

from __future__ import annotations

import re

from matplotlib.figure import Figure
from matplotlib.text import Text


def describe(fig: Figure, most: int = 420) -> str:
    """The words of a figure as one text: title, axes, the names along them, the legend.

    For readers who do not see the picture; its numbers stand beside it as CSV.
    """
    whole = fig.get_suptitle()
    parts = [whole] if whole else []
    panels = [ax for ax in fig.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    sides = [[ax.get_title(loc=side) for side in ("left", "center", "right")] for ax in panels]
    heads = [next(filter(None, titles)) for titles in sides if any(titles)]
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


def _names(labels: list[Text]) -> str:
    """Names along an axis: all of a few, the first and the last of many; no numbers."""
    names = list(dict.fromkeys(t.get_text() for t in labels if t.get_text()))
    if all(re.fullmatch(r"[−+-]?[\d.,]+ ?[%kM]?", name) for name in names):
        return ""
    return ", ".join(names) if len(names) <= 8 else f"{len(names)} from {names[0]} to {names[-1]}"
