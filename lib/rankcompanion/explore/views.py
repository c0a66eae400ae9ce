"""A ranking that follows a few settings at typing speed: what ``90_explore`` shows."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, TypeVar

from rankstability.change import perturb
from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment, human_systems, reference_systems
from rankstability.rank import systems as ranks
from rankstability.rank.comparing import Change, compare
from rankstability.rank.ranking import Ranking
from rankstability.rank.significance import CORRECTIONS, TESTS
from rankstability.read import campaigns
from rankstability.read.campaigns import Campaign
from rankstability.score import mqm
from rankstability.score.pairwise import PairCounts, pair_counts
from rankstability.score.rr import METHODS, REFERENCE, tasks
from rankstability.score.scored import Scores, segment_scores

from ..outlier_removal import SETS

T = TypeVar("T")
RULE, ALPHA = "knowles", 0.05


@dataclass(frozen=True)
class State:
    """What the controls say; empty texts stand for the task's first score and test."""

    removed: tuple[str, ...] = ()  # names of `Task.removable`
    divisor: float = 1.0  # of the raw scores of human systems and REF rows (direct assessment)
    score: str = ""  # a name of `Task.scores`
    test: str = ""
    rule: str = RULE
    alpha: float = ALPHA
    fixed: bool = False  # the original keeps the defaults: then a change of settings shows, too


@dataclass(frozen=True)
class View:
    """Two rankings of the same systems and what differs."""

    before: tuple[str, ...]  # all systems of the original, best first, the dropped ones included
    dropped: tuple[str, ...]  # those left out of both rankings before the lines are drawn
    original: Ranking
    changed: Ranking
    change: Change
    note: str  # what was taken away or altered, counted


@dataclass
class Task:
    """The judgments of one language pair, and the rankings made of them so far."""

    scores: tuple[str, ...] = ()  # the choices there are; the first is the default
    tests: tuple[str, ...] = ()
    sets: dict[str, str] = field(default_factory=dict)  # removable besides systems: name to text
    divides: bool = False  # whether there is something to divide
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        """The value for `key`, made once; the 64 newest are kept."""
        if key not in self._kept:
            self._kept[key] = make()
            if len(self._kept) > 64:
                self._kept.pop(next(iter(self._kept)))
        return self._kept[key]

    def _ranked(self, removed: tuple[str, ...], divisor: float, score: str, test: str) -> Ranking:
        raise NotImplementedError

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        return ""

    def dropped(self, state: State) -> set[str]:
        """The systems that are dropped before the lines are drawn."""
        return set(state.removed)

    @cached_property
    def first(self) -> Ranking:
        """The ranking of all judgments with the first score and test."""
        return self._ranked((), 1.0, self.scores[0], self.tests[0])

    @property
    def removable(self) -> tuple[str, ...]:
        """The sets, then the systems, best first."""
        return (*self.sets, *self.first.systems)

    def view(self, state: State) -> View:
        """Rank under `state` and compare with the original.

        Raises DataError for a name that the task does not know, and for fewer than two systems.
        """
        score, test = state.score or self.scores[0], state.test or self.tests[0]
        wanted = [("unknown setting", score, self.scores), ("unknown setting", test, self.tests)]
        wanted += [("nothing to remove", name, self.removable) for name in sorted(state.removed)]
        for problem, value, known in wanted:
            if value not in known:
                raise DataError(problem, value=value, expected=", ".join(known))
        removed = tuple(name for name in self.removable if name in state.removed)
        dropped = self.dropped(state)
        left = len(set(self.first.systems) - dropped)
        if left < 2:
            raise DataError("too few systems left", value=left, expected="two or more")
        every = self.first
        if not state.fixed:
            every = self._ranked((), 1.0, score, test).under(state.rule, state.alpha)
        original = every.without(dropped)
        divisor = state.divisor if self.divides else 1.0
        changed = self._ranked(removed, divisor, score, test)
        changed = changed.without(dropped).under(state.rule, state.alpha)
        return View(
            every.systems,
            tuple(s for s in every.systems if s in dropped),
            original,
            changed,
            compare(original, changed),
            self._note(removed, divisor) if removed or divisor != 1 else "",
        )


@dataclass
class DaTask(Task):
    """Direct assessment: systems, REF rows or both are removed, human scores divided."""

    da: DirectAssessment = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.scores, self.tests = ("mean_z", "mean_raw"), tuple(TESTS)
        self.humans = human_systems(self.da)
        self.divides = bool(self.humans or reference_systems(self.da))
        if self.divides:
            self.sets = {"human+ref": SETS["human+ref"], "ref": SETS["ref"]}

    def dropped(self, state: State) -> set[str]:
        """As in 02 and 03: human systems go with their rows, and where they were degraded."""
        humans = "human+ref" in state.removed or (self.divides and state.divisor != 1)
        return {s for s in state.removed if s not in self.sets} | set(self.humans if humans else ())

    def _segments(self, removed: tuple[str, ...], divisor: float) -> tuple[Scores, int, int]:
        """Segment scores, judgments removed, judgments divided."""

        def make() -> tuple[Scores, int, int]:
            both = "human+ref" in removed
            systems = [s for s in removed if s not in self.sets]
            left = perturb.remove(self.da, systems, humans=both, reference=both or "ref" in removed)
            da = perturb.degrade(left, divisor) if divisor != 1 else left
            lower = da.good["score"].to_numpy() != left.good["score"].to_numpy()
            taken = len(self.da.good) - len(da.good)
            return segment_scores(da), taken, int(lower.sum())

        return self._once((removed, divisor), make)

    def _ranked(self, removed: tuple[str, ...], divisor: float, score: str, test: str) -> Ranking:
        return self._once(
            (removed, divisor, score, test),
            lambda: ranks.rank_systems(self._segments(removed, divisor)[0], by=score, test=test),
        )

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        _, taken, divided = self._segments(removed, divisor)
        parts = [_taken(taken, len(self.da.good), "judgments")] if removed else []
        if divisor != 1:
            parts.append(f"{divided:,} human and REF scores divided by {divisor:g}")
        return "; ".join(parts)


@dataclass
class RrTask(Task):
    """Relative ranking: systems or the reference are taken out of the blocks."""

    counts: PairCounts = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.scores = tuple(METHODS)
        self.tests = tuple(
            ranks.SIGN_TEST if c == "none" else f"{ranks.SIGN_TEST}, {c}" for c in CORRECTIONS
        )
        if REFERENCE in self.counts.systems:
            self.sets = {REFERENCE: "the reference"}

    def _ranked(self, removed: tuple[str, ...], divisor: float, score: str, test: str) -> Ranking:
        counts = self.counts.without(*removed)
        correction = dict(zip(self.tests, CORRECTIONS, strict=True))[test]
        tests = self._once(
            (removed, test), lambda: ranks.count_tests(counts.without(REFERENCE), correction)
        )
        return ranks.rank_counts(counts, score, correction=correction, tests=tests)

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        every = self.counts.comparisons
        taken = every - self.counts.without(*removed).comparisons
        return _taken(taken, every, "comparisons")


@dataclass
class MqmTask(Task):
    """MQM: the raters are normalised by the systems that are left."""

    data: mqm.Ratings = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.scores, self.tests = mqm.NORMALISATIONS, (f"{ranks.PERMUTATIONS} permutations",)

    def _ranked(self, removed: tuple[str, ...], divisor: float, score: str, test: str) -> Ranking:
        return self._once(
            (removed, score), lambda: ranks.rank_ratings(self.data.without(*removed), score)
        )

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        size = self.data.score[0].size
        return _taken(len(removed) * size, len(self.data.systems) * size, "rated documents")


def _taken(taken: int, every: int, what: str) -> str:
    return f"{taken:,} of {every:,} {what} removed"


def shown(campaign: Campaign) -> bool:
    """Whether the campaign can be explored: judgments, not only scores by segment."""
    return campaign.protocol in ("RR", "MQM") or campaign.workers


def load(campaign: Campaign, pair: str) -> dict[str, Task]:
    """The tasks of a language pair by name: one, or one for each track of relative ranking."""
    if campaign.protocol == "RR":
        import statsmodels.stats.multitest  # noqa: F401  (else the first correction waits for it)

        frames = tasks(campaigns.load_rr(campaign, pair))
        return {name: RrTask(counts=pair_counts(frame)) for name, frame in frames.items()}
    if campaign.protocol == "MQM":
        return {pair: MqmTask(data=mqm.ratings(campaigns.load_mqm(campaign, pair)))}
    return {pair: DaTask(da=campaigns.load_da(campaign, pair))}


def sentence(view: View) -> str:
    """What changed, in words (HTML)."""
    change, n = view.change, len(view.original.systems)
    pairs = n * (n - 1) // 2
    parts = []
    if change.d_rank:
        steps = f"{change.largest_move} place{'s' if change.largest_move > 1 else ''}"
        parts.append(
            f"<b>The order changes:</b> {change.kendall_distance} of {pairs} pairs of systems "
            f"turned round; {escape(change.moved)} moves most ({steps})."
        )
    else:
        parts.append(f"<b>The order</b> of the {n} systems <b>stays</b>.")
    if change.d_cluster:
        parts.append(
            f"<b>The clusters change:</b> lines that appear: {change.lines_appeared}, "
            f"that vanish: {change.lines_vanished}."
        )
    else:
        k = len(view.changed.clusters)
        parts.append(f"<b>The clusters stay</b> ({k}).")
    note = view.note
    if view.dropped:
        names = escape(", ".join(view.dropped))
        note += ("; " if note else "") + f"left out of both rankings: {names}"
    return " ".join(parts) + (f"<br><small>{note}.</small>" if note else "")


def commands(campaign: str, protocol: str, pair: str, state: State) -> list[str]:
    """The notebooks that draw this view as a figure, as commands with the same settings.

    Raw scores stand beside z-scores in 05; a removal together with a divisor is in no figure but
    each by itself, in 02 and in 03.
    """
    if protocol == "MQM":
        without = {"without": list(state.removed)} if state.removed else {}
        return [_command("06_srp", campaign, pair, **without)]
    lines = {"rule": state.rule, "alpha": state.alpha}
    if protocol == "RR":
        correction = state.test.partition(", ")[2] or "none"
        score = {"methods": [state.score]} if state.score else {}
        return [
            _command("07_relative_ranking", campaign, pair, **score, correction=correction, **lines)
        ]
    if state.score == "mean_raw":
        return [_command("05_document_difficulty", campaign, pair)]
    lines = {"test": state.test or next(iter(TESTS)), **lines}
    systems = [s for s in state.removed if s not in SETS]
    removed = [s for s in state.removed if s in SETS] + ([" & ".join(systems)] if systems else [])
    shown_in = []
    if removed:
        shown_in.append(_command("02_outlier_removal", campaign, pair, removed=removed, **lines))
    if state.divisor != 1:
        divisors = [state.divisor]
        shown_in.append(
            _command("03_divisor_degradation", campaign, pair, divisors=divisors, **lines)
        )
    return shown_in or [_command("01_replication", campaign, pair, **lines)]


def _command(notebook: str, campaign: str, pair: str, **settings: Any) -> str:
    values = {"campaign": campaign, "pair": pair, **settings}
    words = [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in values.items()
    ]
    return " ".join(["python -m rankstability.run", notebook, *map(shlex.quote, words)])
