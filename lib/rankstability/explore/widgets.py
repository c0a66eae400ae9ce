"""The controls of ``90_explore`` and their wiring; what they show comes from `explore`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from html import escape
from typing import Any

import ipywidgets as widgets

from ..errors import DataError
from ..rank.ranking import CLUSTER_RULES
from ..read import campaigns
from .bump import bump_svg
from .views import ALPHA, RULE, State, Task, View, load, shown
from .words import commands, sentence

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
.rs-explore code { font-size: 11.5px; white-space: pre-wrap; overflow-wrap: anywhere; }
.rs-explore .rs-removed select { height: 100%; }
</style>"""
SCORE_NAMES = {"DA": "Score", "RR": "Score", "MQM": "Raters"}
DIVISORS = (1.0, 10.0, 0.25)  # from, to, step: holds those of Knowles (2021), section 5.2


class Explorer(widgets.VBox):
    """Controls on the left; on the right what changed, the ranking and its bump chart."""

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
        self.campaign.observe(self._on_campaign, "value")
        self.pair.observe(self._on_pair, "value")
        self.track.observe(self._on_track, "value")
        for control in self._live():
            control.observe(self._on_control, "value")
        for button, names in self.presets.items():
            self.buttons[button].on_click(lambda _, names=names: self._preset(names))
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
        self.presets: dict[str, tuple[str, ...]] = {
            "nothing": (),
            "human + REF": ("human+ref",),
            "lowest": ("lowest",),
            "highest": ("highest",),
        }
        layout = {"width": "auto"}
        self.buttons = {n: widgets.Button(description=n, layout=layout) for n in self.presets}
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
        self.fixed = widgets.Checkbox(
            description="original at default settings",
            tooltip="so that a change of score, test, rule or alpha shows as a change, too",
            indent=False,
            layout={"width": "auto"},
        )
        self.message, self.table, self.bump, self.foot = (widgets.HTML() for _ in range(4))

    def _live(self) -> Iterable[Any]:
        return (
            self.removed, self.divisor, self.score, self.test, self.rule, self.alpha, self.fixed,
        )  # fmt: skip

    def _layout(self) -> widgets.Widget:
        presets = widgets.GridBox(
            list(self.buttons.values()), layout={"grid_template_columns": "1fr 1fr"}
        )
        controls = widgets.VBox(
            [
                self.campaign, self.pair, self.track,
                widgets.HTML("<b>Removed</b> from all judgments"), self.removed, presets,
                self.divisor, self.score, self.test, self.rule, self.alpha, self.fixed,
            ],
            layout={"flex": "0 0 274px", "padding": "0 14px 0 0"},
        )  # fmt: skip
        views = widgets.HBox(
            [self.table, self.bump], layout={"flex_flow": "row wrap", "grid_gap": "10px 8px"}
        )
        results = widgets.VBox(
            [self.message, views, self.foot], layout={"flex": "1 1 480px", "min_width": "0"}
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
            fixed=bool(self.fixed.value),
        )

    def _on_campaign(self, _: Any) -> None:
        if not self._quiet:
            self._open("")

    def _on_pair(self, _: Any) -> None:
        if not self._quiet:
            self._open(self.pair.value)

    def _on_track(self, _: Any) -> None:
        if not self._quiet:
            self._fill()

    def _on_control(self, _: Any) -> None:
        if not self._quiet:
            self.redraw()

    def _preset(self, names: tuple[str, ...]) -> None:
        systems = self.task.first.systems
        ends = {"lowest": systems[-1], "highest": systems[0]}
        chosen = (ends.get(name, name) for name in names)
        self.removed.value = tuple(n for n in chosen if n in self.task.removable)

    def _open(self, pair: str) -> None:
        """Read a language pair (empty: the first) and offer what it has."""
        self._quiet = True
        try:
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
        except DataError as error:
            self.tasks = {}
            self._wrong(error)
            return
        finally:
            self._quiet = False
        self._fill()

    def _fill(self) -> None:
        """The choices that the task has, nothing changed yet."""
        self._quiet = True
        try:
            task, protocol = self.task, self.campaigns[self.campaign.value].protocol
            systems = [(f"{k}  {s}", s) for k, s in enumerate(task.first.systems, 1)]
            self.removed.options = [(text, name) for name, text in task.sets.items()] + systems
            self.removed.value = ()
            self.buttons["human + REF"].disabled = "human+ref" not in task.sets
            self.divisor.value = DIVISORS[0]
            self.divisor.layout.display = "" if task.divides else "none"
            self.score.description = SCORE_NAMES[protocol]
            for control, choices in ((self.score, task.scores), (self.test, task.tests)):
                if tuple(control.options) != choices:
                    control.options = choices
                    control.value = choices[0]
        except DataError as error:
            self._wrong(error)
            return
        finally:
            self._quiet = False
        self.redraw()

    def redraw(self) -> None:
        """Rank, compare and draw again: what each control calls."""
        if not self.tasks:
            return
        state, begun = self.state, time.perf_counter()
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
        spent = 1000 * (time.perf_counter() - begun)
        campaign = self.campaigns[self.campaign.value]
        lines = commands(self.campaign.value, campaign.protocol, self.pair.value, state)
        self.foot.value = (
            f"<small>Ranked and drawn in {spent:.0f} ms. As files, with all figures:<br>"
            + "<br>".join(f"<code>{escape(line)}</code>" for line in lines)
            + "</small>"
        )

    def _label(self, state: State) -> str:
        """What was done, for the head of the changed ranking."""
        names = [n.replace("human+ref", "human, REF").replace("_ref", "reference")
                 for n in state.removed]  # fmt: skip
        parts = []
        if names:
            parts.append("without " + (names[0] if len(names) == 1 else f"{len(names)}"))
        if self.task.divides and state.divisor != 1:
            parts.append(f"divisor {state.divisor:g}")
        if not parts and state.fixed and self.shown and self._differs(state):
            parts.append("other settings")
        return ", ".join(parts)

    def _differs(self, state: State) -> bool:
        task = self.task
        default = State(score=task.scores[0], test=task.tests[0], fixed=True)
        return state != default

    def _wrong(self, error: DataError) -> None:
        self.shown = None
        self.message.value = f'<div class="message wrong">{escape(str(error))}</div>'
        self.table.value = self.bump.value = self.foot.value = ""
