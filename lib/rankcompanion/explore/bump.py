"""The bump chart of ``90_explore`` as SVG text: light enough to redraw at each step of a slider."""

from __future__ import annotations

from html import escape

import pandas as pd

from rankstability.rank.comparing import held_places

from ..figures.common import PALETTE, RED
from .views import View

STILL, DROPPED, BOLD = "#8C8C8C", "#767676", 'font-weight="bold"'
INK = "var(--jp-content-font-color1, #111)"  # follows JupyterLab's light or dark theme
ROW, TOP, LETTER, WIDTH = 23, 34, 8.6, 90  # pixels: a row, the head, a letter, between the columns


def places(view: View) -> pd.DataFrame:
    """Places of the systems before and after, as `figures.common.bump` draws them.

    Columns ranking (``original``, ``changed``), system, place, line (below that place: ``kept``;
    ``vanished``, in the original only; ``appeared``, in the changed only; empty: none). A line is
    known by the set of systems above it. Systems that were dropped stand in the original only.
    """
    place = held_places(view.before, view.before)
    rows = [("original", s, place[s], "") for s in view.dropped]
    for name, ranking, other, alone in (
        ("original", view.original, view.changed, "vanished"),
        ("changed", view.changed, view.original, "appeared"),
    ):
        held = held_places(view.before, ranking.systems)
        cuts = [set(other.systems[:k]) for k in other.lines]
        lines = {k: "kept" if set(ranking.systems[:k]) in cuts else alone for k in ranking.lines}
        rows += [(name, s, held[s], lines.get(k, "")) for k, s in enumerate(ranking.systems, 1)]
    return pd.DataFrame(rows, columns=["ranking", "system", "place", "line"])


def bump_svg(view: View, before: str = "original", after: str = "changed") -> str:
    """Ranks of the systems before and after, lines between clusters included, as one SVG.

    Systems that move are coloured; those dropped end at their place, struck through.
    """
    frame = places(view)
    old, new = (
        frame[frame["ranking"] == name].set_index("system")["place"].to_dict()
        for name in ("original", "changed")
    )
    left = max(int(LETTER * max(map(len, old))) + 16, 100)
    right = left + WIDTH
    margin = max(left + 40, int(LETTER * len(after)) + 4)
    width, height = right + margin, TOP + ROW * len(old) + 44
    moved = [s for s in view.before if new.get(s, old[s]) != old[s]]
    words = f"Ranks of {len(view.original.systems)} systems before and after; "
    words += f"moved: {', '.join(moved)}" if moved else "none moves"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bump" role="img" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-size="12.5" '
        f'font-family="var(--jp-ui-font-family, sans-serif)" style="max-width:100%">',
        f"<title>{escape(words)}</title>",
        _text(left + 6, 16, before, "end", INK, BOLD),
        _text(right - 6, 16, after, "start", INK, BOLD),
    ]
    for system in view.before:
        if system in new:
            turn = moved.index(system) if system in moved else None
            out.append(_moving(system, old[system], new[system], left, right, turn))
        else:
            out.append(_dropped(system, old[system], left))
    for row in frame[frame["line"] != ""].itertuples():
        out.append(_bar(left if row.ranking == "original" else right, row.place, row.line))
    return "".join([*out, _legend(width, height - 12), "</svg>"])


def _moving(system: str, old: int, new: int, left: float, right: float, turn: int | None) -> str:
    """A system's line from place `old` to `new`, in the colour and dashes of its `turn`."""
    y, end, half = _y(old), _y(new), (left + right) / 2
    colour, weight, stroke, dash = STILL, "", 1.5, "none"
    if turn is not None:
        colour, weight, stroke = PALETTE[turn % 6], BOLD, 3
        dash = ("none", "7 3", "2 3")[turn // 6 % 3]
    step = "" if new == old else f" {'▲' if new < old else '▼'}{abs(old - new)}"
    return (
        f"<g><title>{escape(system)}: {old} → {new}</title>"
        f'<path d="M{left} {y}C{half} {y} {half} {end} {right} {end}" fill="none" '
        f'stroke="{colour}" stroke-width="{stroke}" stroke-dasharray="{dash}"/>'
        f'<circle cx="{left}" cy="{y}" r="4" fill="{colour}"/>'
        f'<circle cx="{right}" cy="{end}" r="4" fill="{colour}"/>'
        + _text(left - 14, y, system, "end", INK, weight)
        + _text(right + 14, end, f"{system}{step}", "start", INK, weight)
        + "</g>"
    )


def _dropped(system: str, place: int, left: float) -> str:
    y = _y(place)
    name = _text(left - 14, y, system, "end", DROPPED, 'text-decoration="line-through"')
    ring = f'<circle cx="{left}" cy="{y}" r="4" fill="none" stroke="{DROPPED}" stroke-width="1.5"/>'
    return f"<g>{name}{ring}</g>"


def _y(place: int) -> float:
    return TOP + ROW * (place - 0.5)


def _text(x: float, y: float, text: str, anchor: str, fill: str, more: str = "") -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" dominant-baseline="central" '
        f'style="fill:{fill}" {more}>{escape(text)}</text>'
    )


def _bar(x: float, place: int, kind: str) -> str:
    y = _y(place) + ROW / 2
    colour = {"kept": INK, "appeared": RED, "vanished": STILL}[kind]
    dash = ' stroke-dasharray="4 3"' if kind == "vanished" else ""
    cross = "" if kind == "vanished" else f"M{x - 4} {y - 4}l8 8m0 -8l-8 8"
    return (
        f'<path class="{kind}" d="M{x - 13} {y}h26{cross}" style="stroke:{colour}" '
        f'stroke-width="2" fill="none"{dash}/>'
    )


def _legend(width: float, y: float) -> str:
    parts, x = [], width / 2 - 140
    for kind, text in (("kept", "line stays"), ("appeared", "appears"), ("vanished", "vanishes")):
        bar = _bar(0, 0, kind).replace('class="', 'class="key ')
        parts.append(f'<g transform="translate({x + 12} {y - TOP})">{bar}</g>')
        parts.append(_text(x + 31, y, text, "start", INK, 'font-size="11"'))
        x += 96
    return "".join(parts)
