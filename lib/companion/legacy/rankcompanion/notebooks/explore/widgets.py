"""The controls of ``90_explore`` and its bump chart, an SVG light enough to follow a slider."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import ipywidgets as widgets
import pandas as pd

from companion.legacy.paperkit.templates import HERE, template
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.ranking import CLUSTER_RULES

from ...figures.common import PALETTE, RED
from ...models.comparing import held_places
from .views import ALPHA, RULE, State, Task, View, load, shown

STILL, INK = (
    "#8C8C8C",
    "var(--jp-content-font-color1, #111)",
)  # the text colour of JupyterLab
BARS = {"kept": INK, "appeared": RED, "vanished": STILL}
COLOURS = {"still": STILL, "dropped": "#767676", "ink": INK, "bars": BARS}
LETTER, WIDTH = 8.6, 90  # pixels: width of a letter, gap between the columns
DIVISORS = (
    1.0,
    10.0,
    0.25,
)  # from, to, step; includes those of Knowles (2021), section 5.2


def places(view: View) -> pd.DataFrame:
    """Places of the systems before and after, as `figures.common.bump` draws them.

    Columns ranking (``original``, ``changed``), system, place, line (the line below that place:
    ``kept``, ``vanished`` (only in the original), ``appeared`` (only in the changed ranking), or
    empty). A line is identified by the set of systems above it. Systems that were dropped are in
    the original only.
    """
    place = held_places(view.before, view.before)
    rows = [("original", s, place[s], "") for s in view.dropped]
    for name, ranking, other, alone in (
        ("original", view.original, view.changed, "vanished"),
        ("changed", view.changed, view.original, "appeared"),
    ):
        held = held_places(view.before, ranking.systems)
        cuts = [set(other.systems[:k]) for k in other.lines]
        lines = {
            k: "kept" if set(ranking.systems[:k]) in cuts else alone
            for k in ranking.lines
        }
        rows += [
            (name, s, held[s], lines.get(k, ""))
            for k, s in enumerate(ranking.systems, 1)
        ]
    return pd.DataFrame(rows, columns=["ranking", "system", "place", "line"])


def bump_svg(
    view: View, before: str = "original", after: str = "changed"
) -> str:
    """Ranks before and after, with lines, as one SVG; dropped systems are struck through."""
    frame = places(view)
    old, new = (
        frame[frame["ranking"] == name].set_index("system")["place"].to_dict()
        for name in ("original", "changed")
    )
    moved = [s for s in view.before if new.get(s, old[s]) != old[s]]
    systems = [
        {"name": s, "old": old[s], "new": new.get(s)} for s in view.before
    ]
    for one in systems:
        turn = moved.index(one["name"]) if one["name"] in moved else None
        one["colour"] = "" if turn is None else PALETTE[turn % 6]
        one["dash"] = (
            "none" if turn is None else ("none", "7 3", "2 3")[turn // 6 % 3]
        )
    left = max(int(LETTER * max(map(len, old))) + 16, 100)
    margin = max(left + 40, int(LETTER * len(after)) + 4)
    look = {"left": left, "right": left + WIDTH, "margin": margin, **COLOURS}
    said = {
        "before": before,
        "after": after,
        "ranked": len(view.original.systems),
        "moved": moved,
    }
    lines = frame[frame["line"] != ""].to_dict("records")
    return str(
        template("bump.svg.j2").render(
            systems=systems, lines=lines, **said, **look
        )
    )


class Explorer(widgets.VBox):
    """Controls on the left; on the right what changed, the ranking and its bump chart.

    `campaign` is a catalogue name or a path to judgments in a known format, `pair` a language pair
    (empty: the first). Raises DataError for a campaign without judgments.
    """

    def __init__(self, campaign: str = "demo-srpdc", pair: str = "") -> None:
        start = campaigns.find(campaign)
        if not shown(start):
            raise DataError(
                f"{campaign} has segment scores without judgments",
                expected="a campaign with judgments",
            )
        self.campaigns = {
            c.name: c for c in campaigns.present() if shown(c)
        } | {campaign: start}
        self.tasks: dict[str, Task] = {}
        self.shown: View | None = None
        self._quiet = False
        self._controls()
        self.campaign.value = campaign
        style = (HERE / "page" / "explore.css").read_text(encoding="utf-8")
        super().__init__(
            [widgets.HTML(f"<style>{style}</style>"), self._layout()]
        )
        self.add_class("rs-explore")
        for control, act in (
            (self.campaign, lambda: self._open("")),
            (self.pair, lambda: self._open(self.pair.value)),
            (self.track, self._fill),
            *(
                (control, self.redraw)
                for control in (self.removed, *self.settings)
            ),
        ):
            control.observe(lambda _, act=act: self._quiet or act(), "value")
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: self.preset(name))
        self._open(pair)

    # ------------------------------------------------------------ the controls

    def _controls(self) -> None:
        wide = {
            "layout": {"width": "auto"},
            "style": {"description_width": "68px"},
        }
        options = [
            (f"{key} · {c.protocol}", key) for key, c in self.campaigns.items()
        ]
        self.campaign = widgets.Dropdown(
            options=options, description="Campaign", **wide
        )
        self.pair = widgets.Dropdown(description="Pair", **wide)
        self.track = widgets.Dropdown(description="Task", **wide)
        self.removed = widgets.SelectMultiple(
            layout={"width": "auto", "height": "210px"},
            tooltip="Ctrl or ⌘ and click for several",
        )
        self.removed.add_class("rs-removed")
        names = ("nothing", "human + REF", "lowest", "highest")
        layout = {"width": "auto"}
        self.buttons = {
            n: widgets.Button(description=n, layout=layout) for n in names
        }
        low, high, step = DIVISORS
        self.divisor = widgets.FloatSlider(
            value=low, min=low, max=high, step=step, description="Divisor", readout_format=".2f",
            tooltip="Raw scores of human systems and REF rows are divided by this", **wide,
        )  # fmt: skip
        self.score = widgets.Dropdown(description="Score", **wide)
        self.test = widgets.Dropdown(description="Test", **wide)
        self.rule = widgets.Dropdown(
            options=list(CLUSTER_RULES),
            value=RULE,
            description="Line rule",
            **wide,
        )
        self.alpha = widgets.FloatSlider(
            value=ALPHA, min=0.001, max=0.2, step=0.001, description="Alpha",
            readout_format=".3f", **wide,
        )  # fmt: skip
        self.settings = (
            self.divisor,
            self.score,
            self.test,
            self.rule,
            self.alpha,
        )
        self.message, self.table, self.bump = (
            widgets.HTML() for _ in range(3)
        )

    def _layout(self) -> widgets.Widget:
        two = {"grid_template_columns": "1fr 1fr"}
        wraps = {"flex_flow": "row wrap"}
        presets = widgets.GridBox(list(self.buttons.values()), layout=two)
        chosen = [self.campaign, self.pair, self.track]
        about = widgets.HTML("<b>Removed</b> from all judgments")
        controls = widgets.VBox(
            [*chosen, about, self.removed, presets, *self.settings],
            layout={"flex": "0 0 274px", "padding": "0 14px 0 0"},
        )
        views = widgets.HBox(
            [self.table, self.bump], layout={**wraps, "grid_gap": "10px 8px"}
        )
        wide = {"flex": "1 1 480px", "min_width": "0"}
        results = widgets.VBox([self.message, views], layout=wide)
        return widgets.HBox(
            [controls, results], layout={**wraps, "align_items": "flex-start"}
        )

    # ------------------------------------------------------------ what they do

    @property
    def task(self) -> Task:
        """The task whose judgments are shown."""
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
        """Set controls without redrawing; a DataError is shown as a message."""
        self._quiet = True
        try:
            yield
        except DataError as error:
            self._wrong(error)
        finally:
            self._quiet = False

    def preset(self, name: str) -> None:
        """Remove what a button says: nothing, human + REF, lowest or highest.

        Raises DataError for another name.
        """
        if name not in self.buttons:
            raise DataError(
                "no such removal", value=name, expected=", ".join(self.buttons)
            )
        if not self.tasks:  # nothing could be read, which the message says
            return
        systems = self.task.first.systems
        ends = {
            "lowest": systems[-1:],
            "highest": systems[:1],
            "human + REF": ("human+ref",),
        }
        self.removed.value = tuple(
            n for n in ends.get(name, ()) if n in self.task.removable
        )

    def _open(self, pair: str) -> None:
        """Read a language pair (empty: the first) and fill the controls with its choices."""
        self.tasks = {}
        with self._quietly():
            campaign = self.campaigns[self.campaign.value]
            self.message.value = f'<div class="message">Reading {escape(campaign.title)} …</div>'
            pairs = campaign.pairs
            if pair and pair not in pairs:
                raise DataError(
                    "no such language pair",
                    value=pair,
                    expected=", ".join(pairs),
                )
            self.pair.options = pairs
            self.pair.value = pair or pairs[0]
            self.tasks = load(campaign, self.pair.value)
            self.track.options = list(self.tasks)
            self.track.value = next(iter(self.tasks))
            self.track.layout.display = "" if len(self.tasks) > 1 else "none"
        if self.tasks:
            self._fill()

    def _fill(self) -> None:
        """Fill the controls with the choices of the task, and reset them."""
        with self._quietly():
            task = self.task
            protocol = self.campaigns[self.campaign.value].protocol
            systems = [
                (f"{k}  {s}", s) for k, s in enumerate(task.first.systems, 1)
            ]
            self.removed.options = [
                (text, name) for name, text in task.sets.items()
            ] + systems
            self.removed.value = ()
            self.buttons["human + REF"].disabled = "human+ref" not in task.sets
            self.divisor.value = DIVISORS[0]
            self.divisor.layout.display = "" if task.divides else "none"
            self.score.description = "Raters" if protocol == "MQM" else "Score"
            for control, choices in (
                (self.score, task.scores),
                (self.test, task.tests),
            ):
                if tuple(control.options) != choices:
                    control.options = choices
                    control.value = choices[0]
        self.redraw()

    def redraw(self) -> None:
        """Rank, compare and draw again; every control calls this."""
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
            said = template("changed.html.j2").render(view=view)
            self.message.value = f'<div class="message">{said}</div>'
            self.table.value = f"<h4>{title}</h4>{view.changed._repr_html_()}"
            self.bump.value = bump_svg(view, "original", what or "unchanged")

    def _label(self, state: State) -> str:
        """What was changed, as the heading of the changed ranking."""
        parts = []
        said = {"human+ref": "human, REF", "_ref": "reference"}
        if state.removed:
            name = said.get(state.removed[0], state.removed[0])
            parts.append(
                f"without {name if len(state.removed) == 1 else len(state.removed)}"
            )
        if self.task.divides and state.divisor != 1:
            parts.append(f"divisor {state.divisor:g}")
        return ", ".join(parts)

    def _wrong(self, error: DataError) -> None:
        self.shown = None
        self.message.value = (
            f'<div class="message wrong">{escape(str(error))}</div>'
        )
        self.table.value = self.bump.value = ""
