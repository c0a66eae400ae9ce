"""The controls of ``90_explore``, their wiring, and its bump chart, SVG light enough for a slider.

What they show comes from `views`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import ipywidgets as widgets
import pandas as pd

from rankstability.errors import DataError
from rankstability.rank.comparing import held_places
from rankstability.rank.ranking import CLUSTER_RULES
from rankstability.read import campaigns

from ..figures.common import PALETTE, RED
from .views import ALPHA, RULE, State, Task, View, load, sentence, shown

STILL, DROPPED, BOLD = "#8C8C8C", "#767676", 'font-weight="bold"'
INK = "var(--jp-content-font-color1, #111)"  # follows JupyterLab's light or dark theme
ROW, TOP, LETTER, WIDTH = 23, 34, 8.6, 90  # pixels: a row, the head, a letter, between the columns
STYLE = """<style>
.rs-explore .widget-html-content { line-height: 1.45; white-space: normal; }
.rs-explore table.ranking { border-collapse: collapse; font-size: 12.5px;
  font-variant-numeric: tabular-nums; margin: 0; }
.rs-explore table.ranking th { text-align: right; padding: 3px 6px; font-weight: 600;
  border-bottom: 1px solid var(--jp-border-color1, #999); }
.rs-explore table.ranking td { text-align: right; padding: 2px 6px; }
.rs-explore table.ranking th:nth-child(2), .rs-explore table.ranking td:nth-child(2) {
  text-align: left; }
.rs-explore h4 { margin: 2px 0 6px; }
.rs-explore .message { border-left: 4px solid #0072B2; padding: 4px 12px;
  background: var(--jp-layout-color2, #F3F3F3); }
.rs-explore .message.wrong { border-color: #D55E00; }
.rs-explore .rs-removed select { height: 100%; }
</style>"""
DIVISORS = (1.0, 10.0, 0.25)  # from, to, step: holds those of Knowles (2021), section 5.2


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


class Explorer(widgets.VBox):
    """Controls on the left; on the right what changed, the ranking and its bump chart.

    It begins with a catalogue name or a path in a known format, and a pair (empty: the first).
    """

    def __init__(self, campaign: str = "demo-srpdc", pair: str = "") -> None:
        start = campaigns.find(campaign)
        if not shown(start):
            raise DataError(
                f"{campaign} has segment scores without judgments",
                expected="a campaign with judgments",
            )
        self.campaigns = {c.name: c for c in campaigns.present() if shown(c)} | {campaign: start}
        self.tasks: dict[str, Task] = {}
        self.shown: View | None = None
        self._quiet = False
        self._controls()
        self.campaign.value = campaign
        super().__init__([widgets.HTML(STYLE), self._layout()])
        self.add_class("rs-explore")
        for control, act in (
            (self.campaign, lambda: self._open("")),
            (self.pair, lambda: self._open(self.pair.value)),
            (self.track, self._fill),
            *((control, self.redraw) for control in (self.removed, *self.settings)),
        ):
            control.observe(lambda _, act=act: self._quiet or act(), "value")
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: self._preset(name))
        self._open(pair)

    # ------------------------------------------------------------ the controls

    def _controls(self) -> None:
        wide = {"layout": {"width": "auto"}, "style": {"description_width": "68px"}}
        options = [(f"{key} · {c.protocol}", key) for key, c in self.campaigns.items()]
        self.campaign = widgets.Dropdown(options=options, description="Campaign", **wide)
        self.pair = widgets.Dropdown(description="Pair", **wide)
        self.track = widgets.Dropdown(description="Task", **wide)
        self.removed = widgets.SelectMultiple(
            layout={"width": "auto", "height": "210px"}, tooltip="Ctrl or ⌘ and click for several"
        )
        self.removed.add_class("rs-removed")
        names = ("nothing", "human + REF", "lowest", "highest")
        layout = {"width": "auto"}
        self.buttons = {n: widgets.Button(description=n, layout=layout) for n in names}
        low, high, step = DIVISORS
        self.divisor = widgets.FloatSlider(
            value=low, min=low, max=high, step=step, description="Divisor", readout_format=".2f",
            tooltip="Raw scores of human systems and REF rows are divided by this", **wide,
        )  # fmt: skip
        self.score = widgets.Dropdown(description="Score", **wide)
        self.test = widgets.Dropdown(description="Test", **wide)
        self.rule = widgets.Dropdown(
            options=list(CLUSTER_RULES), value=RULE, description="Line rule", **wide
        )
        self.alpha = widgets.FloatSlider(
            value=ALPHA, min=0.001, max=0.2, step=0.001, description="Alpha",
            readout_format=".3f", **wide,
        )  # fmt: skip
        self.settings = (self.divisor, self.score, self.test, self.rule, self.alpha)
        self.message, self.table, self.bump = (widgets.HTML() for _ in range(3))

    def _layout(self) -> widgets.Widget:
        presets = widgets.GridBox(
            list(self.buttons.values()), layout={"grid_template_columns": "1fr 1fr"}
        )
        controls = widgets.VBox(
            [
                self.campaign, self.pair, self.track,
                widgets.HTML("<b>Removed</b> from all judgments"), self.removed, presets,
                *self.settings,
            ],
            layout={"flex": "0 0 274px", "padding": "0 14px 0 0"},
        )  # fmt: skip
        views = widgets.HBox(
            [self.table, self.bump], layout={"flex_flow": "row wrap", "grid_gap": "10px 8px"}
        )
        results = widgets.VBox(
            [self.message, views], layout={"flex": "1 1 480px", "min_width": "0"}
        )
        return widgets.HBox(
            [controls, results], layout={"flex_flow": "row wrap", "align_items": "flex-start"}
        )

    # ------------------------------------------------------------ what they do

    @property
    def task(self) -> Task:
        """The judgments shown."""
        return self.tasks[self.track.value]

    @property
    def state(self) -> State:
        """The settings of the controls."""
        return State(
            removed=tuple(self.removed.value),
            divisor=float(self.divisor.value),
            score=self.score.value or "",
            test=self.test.value or "",
            rule=self.rule.value,
            alpha=round(float(self.alpha.value), 6),
        )

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Set controls without drawing again; what is wrong is shown."""
        self._quiet = True
        try:
            yield
        except DataError as error:
            self._wrong(error)
        finally:
            self._quiet = False

    def _preset(self, name: str) -> None:
        systems = self.task.first.systems
        ends = {"lowest": systems[-1:], "highest": systems[:1], "human + REF": ("human+ref",)}
        self.removed.value = tuple(n for n in ends.get(name, ()) if n in self.task.removable)

    def _open(self, pair: str) -> None:
        """Read a language pair (empty: the first) and offer what it has."""
        self.tasks = {}
        with self._quietly():
            campaign = self.campaigns[self.campaign.value]
            self.message.value = f'<div class="message">Reading {escape(campaign.title)} …</div>'
            pairs = campaign.pairs
            if pair and pair not in pairs:
                raise DataError("no such language pair", value=pair, expected=", ".join(pairs))
            self.pair.options = pairs
            self.pair.value = pair or pairs[0]
            self.tasks = load(campaign, self.pair.value)
            self.track.options = list(self.tasks)
            self.track.value = next(iter(self.tasks))
            self.track.layout.display = "" if len(self.tasks) > 1 else "none"
        if self.tasks:
            self._fill()

    def _fill(self) -> None:
        """The choices that the task has, nothing changed yet."""
        with self._quietly():
            task, protocol = self.task, self.campaigns[self.campaign.value].protocol
            systems = [(f"{k}  {s}", s) for k, s in enumerate(task.first.systems, 1)]
            self.removed.options = [(text, name) for name, text in task.sets.items()] + systems
            self.removed.value = ()
            self.buttons["human + REF"].disabled = "human+ref" not in task.sets
            self.divisor.value = DIVISORS[0]
            self.divisor.layout.display = "" if task.divides else "none"
            self.score.description = "Raters" if protocol == "MQM" else "Score"
            for control, choices in ((self.score, task.scores), (self.test, task.tests)):
                if tuple(control.options) != choices:
                    control.options = choices
                    control.value = choices[0]
        self.redraw()

    def redraw(self) -> None:
        """Rank, compare and draw again: what each control calls."""
        if not self.tasks:
            return
        state = self.state
        try:
            self.shown = view = self.task.view(state)
        except DataError as error:
            self._wrong(error)
            return
        what = self._label(state)
        title = f"Ranking, {escape(what)}" if what else "Ranking"
        with self.hold_sync():
            self.message.value = f'<div class="message">{sentence(view)}</div>'
            self.table.value = f"<h4>{title}</h4>{view.changed._repr_html_()}"
            self.bump.value = bump_svg(view, "original", what or "unchanged")

    def _label(self, state: State) -> str:
        """What was done, for the head of the changed ranking."""
        names = [n.replace("human+ref", "human, REF").replace("_ref", "reference")
                 for n in state.removed]  # fmt: skip
        parts = []
        if names:
            parts.append("without " + (names[0] if len(names) == 1 else f"{len(names)}"))
        if self.task.divides and state.divisor != 1:
            parts.append(f"divisor {state.divisor:g}")
        return ", ".join(parts)

    def _wrong(self, error: DataError) -> None:
        self.shown = None
        self.message.value = f'<div class="message wrong">{escape(str(error))}</div>'
        self.table.value = self.bump.value = ""
