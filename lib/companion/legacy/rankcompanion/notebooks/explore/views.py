"""What ``90_explore`` shows: a ranking that follows its settings at typing speed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

import numpy as np

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns.campaigns import Campaign
from companion.legacy.rankstability.change import perturb
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment, human_systems
from companion.legacy.rankstability.rank import systems as ranks
from companion.legacy.rankstability.rank.comparing import Change, compare
from companion.legacy.rankstability.rank.ranking import Ranking
from companion.legacy.rankstability.rank.significance import CORRECTIONS, TESTS
from companion.legacy.rankstability.score import mqm
from companion.legacy.rankstability.score.pairwise import PairCounts, pair_counts
from companion.legacy.rankstability.score.rr import METHODS, REFERENCE
from companion.legacy.rankstability.score.scored import Scores, segment_scores

from ...models.systems import reference_systems
from ...models.tasks import tasks
from ..outlier_removal import SETS
from ..srp.rankings import PERMUTATIONS, rank_ratings

RULE = "knowles"
ALPHA = 0.05
SIGN_TESTS = {  # by the correction of each
    ranks.SIGN_TEST if name == "none" else f"{ranks.SIGN_TEST}, {name}": name
    for name in CORRECTIONS
}


@dataclass(frozen=True)
class State:
    """The settings of the controls; an empty score or test stands for the task's first."""

    removed: tuple[str, ...] = ()  # names of `Task.removable`
    divisor: float = 1.0  # divides raw scores of human systems and REF rows (direct assessment)
    score: str = ""  # a name of `Task.scores`
    test: str = ""
    rule: str = RULE
    alpha: float = ALPHA


@dataclass(frozen=True)
class View:
    """Two rankings of the same systems, and how they differ."""

    before: tuple[
        str, ...
    ]  # all systems of the original, best first, the dropped ones included
    dropped: tuple[
        str, ...
    ]  # those left out of both rankings before the lines are drawn
    original: Ranking
    changed: Ranking
    change: Change
    note: str  # how many judgments were removed or altered


class Task:
    """The judgments of one language pair, and a cache of the rankings made from them.

    `scores` and `tests` are the choices, the first of each being the default; `sets` maps what can
    be removed besides systems to a description; `divides` says whether there are human scores to
    divide.
    """

    scores: tuple[str, ...]
    tests: tuple[str, ...]
    sets: Mapping[str, str] = MappingProxyType({})
    divides = False

    def __init__(self) -> None:
        self.ranked = lru_cache(64)(self._ranked)

    def _ranked(
        self, removed: tuple[str, ...], divisor: float, score: str, test: str
    ) -> Ranking:
        raise NotImplementedError

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        raise NotImplementedError

    def dropped(self, state: State) -> set[str]:
        """The systems that are left out of both rankings before lines are drawn."""
        return set(state.removed)

    @cached_property
    def first(self) -> Ranking:
        """The ranking of all judgments with the default score and test."""
        return self.ranked((), 1.0, self.scores[0], self.tests[0])

    @property
    def removable(self) -> tuple[str, ...]:
        """What can be removed: the sets, then the systems, best first."""
        return (*self.sets, *self.first.systems)

    def view(self, state: State) -> View:
        """Rank as `state` says, and compare with the original; DataError for fewer than two."""
        score = state.score or self.scores[0]
        test = state.test or self.tests[0]
        wanted = [
            ("unknown setting", score, self.scores),
            ("unknown setting", test, self.tests),
        ]
        wanted += [
            ("nothing to remove", name, self.removable)
            for name in sorted(state.removed)
        ]
        for problem, value, known in wanted:
            if value not in known:
                raise DataError(
                    problem, value=value, expected=", ".join(known)
                )
        removed = tuple(
            name for name in self.removable if name in state.removed
        )
        dropped = self.dropped(state)
        left = len(set(self.first.systems) - dropped)
        if left < 2:
            raise DataError(
                "too few systems left", value=left, expected="two or more"
            )
        every = self.ranked((), 1.0, score, test).under(
            state.rule, state.alpha
        )
        original = every.without(dropped)
        gone = tuple(s for s in every.systems if s in dropped)
        divisor = state.divisor if self.divides else 1.0
        changed = self.ranked(removed, divisor, score, test)
        changed = changed.without(dropped).under(state.rule, state.alpha)
        note = self._note(removed, divisor) if removed or divisor != 1 else ""
        return View(
            every.systems,
            gone,
            original,
            changed,
            compare(original, changed),
            note,
        )


class DaTask(Task):
    """Direct assessment: systems, REF rows or both can be removed, and human scores divided."""

    scores = ("mean_z", "mean_raw")
    tests = tuple(TESTS)

    def __init__(self, da: DirectAssessment) -> None:
        super().__init__()
        self.da = da
        self.segments = lru_cache(64)(self._segments)
        self.humans = human_systems(da)
        self.divides = bool(self.humans or reference_systems(da))
        if self.divides:
            self.sets = {name: SETS[name] for name in ("human+ref", "ref")}

    def dropped(self, state: State) -> set[str]:
        """As in notebooks 02 and 03: human systems too, if they were removed or degraded."""
        humans = "human+ref" in state.removed or (
            self.divides and state.divisor != 1
        )
        return {s for s in state.removed if s not in self.sets} | set(
            self.humans if humans else ()
        )

    def _segments(
        self, removed: tuple[str, ...], divisor: float
    ) -> tuple[Scores, int, int]:
        """Segment scores, judgments removed, judgments divided."""
        both = "human+ref" in removed
        systems = [s for s in removed if s not in self.sets]
        left = perturb.remove(
            self.da, systems, humans=both, reference=both or "ref" in removed
        )
        da = perturb.degrade(left, divisor) if divisor != 1 else left
        lower = da.good["score"].to_numpy() != left.good["score"].to_numpy()
        return (
            segment_scores(da),
            len(self.da.good) - len(da.good),
            int(lower.sum()),
        )

    def _ranked(
        self, removed: tuple[str, ...], divisor: float, score: str, test: str
    ) -> Ranking:
        return ranks.rank_scores(
            self.segments(removed, divisor)[0], by=score, test=test
        )

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        _, taken, divided = self.segments(removed, divisor)
        parts = (
            [_taken(taken, len(self.da.good), "judgments")] if removed else []
        )
        if divisor != 1:
            parts.append(
                f"{divided:,} human and REF scores divided by {divisor:g}"
            )
        return "; ".join(parts)


class RrTask(Task):
    """Relative ranking: systems or the reference can be taken out of the blocks."""

    scores = tuple(METHODS)
    tests = tuple(SIGN_TESTS)

    def __init__(self, counts: PairCounts) -> None:
        super().__init__()
        self.counts = counts
        self.tested = lru_cache(64)(self._tested)
        if REFERENCE in counts.systems:
            self.sets = {REFERENCE: "the reference"}

    def _tested(
        self, removed: tuple[str, ...], test: str
    ) -> tuple[np.ndarray, np.ndarray]:
        counts = self.counts.without(*removed, REFERENCE)
        return ranks.count_tests(counts, SIGN_TESTS[test])

    def _ranked(
        self, removed: tuple[str, ...], divisor: float, score: str, test: str
    ) -> Ranking:
        counts = self.counts.without(*removed)
        tests = self.tested(removed, test)
        return ranks.rank_counts(
            counts, score, correction=SIGN_TESTS[test], tests=tests
        )

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        every = self.counts.comparisons
        taken = every - self.counts.without(*removed).comparisons
        return _taken(taken, every, "comparisons")


class MqmTask(Task):
    """MQM: systems can be removed; raters are normalised by the systems that are left."""

    scores = mqm.NORMALISATIONS
    tests = (f"{PERMUTATIONS} permutations",)

    def __init__(self, data: mqm.Ratings) -> None:
        super().__init__()
        self.data = data

    def _ranked(
        self, removed: tuple[str, ...], divisor: float, score: str, test: str
    ) -> Ranking:
        return rank_ratings(self.data.without(*removed), score)

    def _note(self, removed: tuple[str, ...], divisor: float) -> str:
        size = self.data.score[0].size
        return _taken(
            len(removed) * size,
            len(self.data.systems) * size,
            "rated documents",
        )


def _taken(taken: int, every: int, what: str) -> str:
    return f"{taken:,} of {every:,} {what} removed"


def shown(campaign: Campaign) -> bool:
    """Whether the campaign can be explored: it must have judgments, not only segment scores."""
    return campaign.protocol in ("RR", "MQM") or campaign.workers


def load(campaign: Campaign, pair: str) -> dict[str, Task]:
    """The tasks of a language pair by name: one, or one for each track of relative ranking."""
    judgments = campaigns.load(campaign, pair)
    if campaign.protocol == "RR":
        import statsmodels.stats.multitest  # noqa: F401  (slow: not at the first correction)

        return {
            name: RrTask(pair_counts(frame))
            for name, frame in tasks(judgments).items()
        }
    if campaign.protocol == "MQM":
        return {pair: MqmTask(mqm.ratings(judgments))}
    return {pair: DaTask(judgments)}
