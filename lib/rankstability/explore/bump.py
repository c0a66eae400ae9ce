"""The bump chart of ``90_explore`` as SVG text: light enough to redraw at each step of a slider."""

from __future__ import annotations

from html import escape

from .views import View

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito
STILL, GONE = "#8C8C8C", "#A8A8A8"
INK = "var(--jp-content-font-color1, #111)"  # follows JupyterLab's light or dark theme
ROW, TOP, LETTER, WIDTH = 23, 34, 7.3, 90  # pixels: a row, the head, a letter, between the columns


def places(view: View) -> dict[str, tuple[int, int | None]]:
    """Each system's place before and after; None where it was dropped.

    The systems that are left share among themselves the places they held in the original, so that
    who does not move against the others stays level.
    """
    place = {s: k for k, s in enumerate(view.before, 1)}
    slots = [place[s] for s in view.original.systems]
    after = dict(zip(view.changed.systems, slots, strict=True))
    return {s: (place[s], after.get(s)) for s in view.before}


def lines(view: View) -> list[tuple[int, int, str]]:
    """Significance lines: column (0 original, 1 changed), the place above, and a kind.

    ``kept``, ``vanished`` (in the original only) or ``appeared``; a line is known by the set of
    systems above it, as in `ranking.compare`.
    """
    place = {s: k for k, s in enumerate(view.before, 1)}
    slots = [place[s] for s in view.original.systems]
    sides = [
        {frozenset(r.systems[:k]): slots[k - 1] for k in r.lines}
        for r in (view.original, view.changed)
    ]
    found = []
    for column, kind in ((0, "vanished"), (1, "appeared")):
        mine, other = sides[column], sides[1 - column]
        found += [(column, at, "kept" if cut in other else kind) for cut, at in mine.items()]
    return found


def bump_svg(view: View, before: str = "original", after: str = "changed") -> str:
    """Ranks of the systems before and after, lines between clusters included, as one SVG.

    Systems that move are coloured; those dropped end at their place, struck through.
    """
    at = places(view)
    longest = max(len(s) for s in at)
    left = max(int(LETTER * longest) + 16, 100)
    right = left + WIDTH
    margin = max(left + 28, int(LETTER * len(after)) + 4)
    width, height = right + margin, TOP + ROW * len(at) + 44
    moved = [s for s, (old, new) in at.items() if new not in (None, old)]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bump" role="img" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-size="12.5" '
        f'font-family="var(--jp-ui-font-family, sans-serif)" style="max-width:100%">',
        f"<title>{escape(_words(view, moved))}</title>",
        _text(left + 6, 16, before, "end", INK, "bold"),
        _text(right - 6, 16, after, "start", INK, "bold"),
    ]
    for system, (old, new) in at.items():
        colour = PALETTE[moved.index(system) % len(PALETTE)] if system in moved else STILL
        weight = "bold" if system in moved else "normal"
        y, end = _y(old), _y(new or old)
        out.append("<g>")
        if new is None:
            out.append(_text(left - 14, y, system, "end", GONE, "normal", strike=True))
            out.append(
                f'<circle cx="{left}" cy="{y}" r="4" fill="none" stroke="{GONE}" '
                f'stroke-width="1.5"/></g>'
            )
            continue
        stroke, half = (3 if system in moved else 1.5), (left + right) / 2
        again = moved.index(system) // len(PALETTE) if system in moved else 0
        dash = ("", ' stroke-dasharray="7 3"', ' stroke-dasharray="2 3"')[again % 3]
        out.append(
            f"<title>{escape(system)}: {old} → {new}</title>"
            f'<path d="M{left} {y}C{half} {y} {half} {end} {right} {end}" fill="none" '
            f'stroke="{colour}" stroke-width="{stroke}"{dash}/>'
            f'<circle cx="{left}" cy="{y}" r="4" fill="{colour}"/>'
            f'<circle cx="{right}" cy="{end}" r="4" fill="{colour}"/>'
        )
        out.append(_text(left - 14, y, system, "end", INK, weight))
        out.append(_text(right + 14, end, f"{system}{_step(old, new)}", "start", INK, weight))
        out.append("</g>")
    out += [_bar(right if column else left, place, kind) for column, place, kind in lines(view)]
    out.append(_legend(width, height - 12))
    out.append("</svg>")
    return "".join(out)


def _y(place: int) -> float:
    return TOP + ROW * (place - 0.5)


def _step(old: int, new: int) -> str:
    return "" if new == old else f" {'▲' if new < old else '▼'}{abs(old - new)}"


def _text(
    x: float, y: float, text: str, anchor: str, fill: str, weight: str, strike: bool = False
) -> str:
    line = ' text-decoration="line-through"' if strike else ""
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" dominant-baseline="central" '
        f'style="fill:{fill}" font-weight="{weight}"{line}>{escape(text)}</text>'
    )


def _bar(x: float, place: int, kind: str) -> str:
    y = _y(place) + ROW / 2
    colour = {"kept": INK, "appeared": "#D55E00", "vanished": STILL}[kind]
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
        parts.append(
            f'<text x="{x + 31}" y="{y}" font-size="11" dominant-baseline="central" '
            f'style="fill:{INK}">{text}</text>'
        )
        x += 96
    return "".join(parts)


def _words(view: View, moved: list[str]) -> str:
    text = f"Ranks of {len(view.original.systems)} systems before and after"
    return text + (f"; moved: {', '.join(moved)}" if moved else "; none moves")
