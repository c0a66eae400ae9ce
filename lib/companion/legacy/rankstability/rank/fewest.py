"""How few judgments decide: the fewest whose removal changes who is first, or removes a line.

The number is exact if it is 1, and for single judgments under a plain mean of fixed scores.
Every annotator and every document is tried alone before more are removed.
Otherwise (restandardised scores, means over domains, lines drawn by a test, whole annotators or
documents, battles under a model), it is an upper bound: the size of a set whose removal was tried,
by ranking again without it. Of more than `LARGE` judgments, each ranking of which takes a tenth of
a second, lines are not asked about; of more than `SINGLE` judges, those who judged most are tried
alone. Every system keeps at least one judgment. For votes under a
model, see Huang et al. (2025).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from ..judgments import DirectAssessment, counted, select_rows, unmarked
from ..score.da import judgment_z, standardised
from ..score.pairwise import PairCounts
from ..score.rr import REFERENCE
from ..score.scored import Scores
from ..score.screening import kept_users
from .bradley_terry import STRENGTH, finite, influences, judge_influence
from .ranking import Ranking
from .recipes import Recipe, counted_by, made_by, recipe_means
from .resampling import Units
from .significance import sign_test
from .systems import rank_counts

UNITS = {"judgment": "", "annotator": "worker", "document": "document"}
CLOSEST = 3  # challengers of the first that are tried
FEW = 12  # bounds up to which judgments are tried one after the other
# removals; where no more can go, few are tried one after the other
SMALL = 100
TRIED = 20  # judgments of each plan that are tried so
SINGLE = 2_000  # judges that are tried alone: those who judged most
LARGE = 200_000  # judgments; of more, only the first place is asked, and few single units are tried
COLUMNS = ["what", "unit", "fewest", "of", "exact", "new_first"]
T = TypeVar("T")
M = TypeVar("M")
Renew = Callable[[np.ndarray], np.ndarray]
Found = tuple[float, str, Any]
Plan = tuple[int, Callable[[int], T], int]
"""With how many removals to begin; what is left after a given number of them (a mask of judgments,
or counts of battles); how many can be removed."""
Choose = Callable[[int, int], Plan[T]]
"""The plan by which the second of two systems may pass the first, or no longer differ from it."""


@dataclass(frozen=True)
class Removal:
    """One row of `fewest`, and what is left: a mask of judgments, counts of battles, or None."""

    what: str
    unit: str
    fewest: float
    of: int
    exact: int
    new_first: str
    kept: Any = None


@dataclass(frozen=True)
class Search(Generic[T, M]):
    """What is made of what is left, of which something is said; and which units are tried alone.

    `made` gives None if nothing can be made; `without` is what is left without a unit.
    """

    made: Callable[[T], M | None]
    without: Callable[[int], T]
    units: Iterable[int] = ()

    @cached_property
    def alone(self) -> Callable[[int], M | None]:
        """What is made without one unit."""
        return cache(lambda unit: self.made(self.without(unit)))

    def fewest(
        self, plans: Sequence[Plan[T]], said: Callable[[M | None], str]
    ) -> Found:
        """The fewest removals, by the plans or of one unit alone, that change what is `said`."""
        best = _fewest(plans, lambda left: said(self.made(left)))
        for unit in self.units if best[0] != 1 else ():
            if now := said(self.alone(unit)):
                return 1.0, now, self.without(unit)
        return best


def fewest(
    judgments: DirectAssessment | pd.DataFrame,
    recipe: Recipe,
    alpha: float = 0.05,
    beside: Collection[str] = (),
) -> pd.DataFrame:
    """The fewest judgments, annotators and documents that decide a recipe's first place and lines.

    `judgments` are as for `score.scored.scored`; users are screened (``wmt26``) only once. Who is
    first is asked of all systems but those `beside` (human translations). Columns
    what (``first``, or ``line below k``), unit (``judgment``, ``annotator``, ``document``: those
    the data name), fewest (NaN if none was found), of (how many there are), exact (1; 0 for an
    upper bound), new_first (who is first without them; empty for lines).
    """
    return pd.DataFrame(removals(judgments, recipe, alpha, beside))[COLUMNS]


def removals(
    judgments: DirectAssessment | pd.DataFrame,
    recipe: Recipe,
    alpha: float = 0.05,
    beside: Collection[str] = (),
) -> list[Removal]:
    """The rows of `fewest`, each with the judgments (of `recipes.counted_by`) that are left."""
    judged = counted_by(judgments, replace(recipe, screened=False))
    decision = np.arange(judged.counted)  # a number for each judgment
    renew: Renew | None = None
    if isinstance(judgments, DirectAssessment):
        good = _good_rows(judgments, recipe)
        decision = _decisions(judgments, good)
        if recipe.score == "z":
            renew = _renewed_z(judgments, good, decision)
    elif recipe.score == "z" and "z" not in judgments:
        # standardising standardised scores gives what standardising the original ones would
        same = judged.score, judged.unit("worker")
        renew = _renewed(same, same, True, "drop")
    if recipe.screened:
        kept = kept_users(judged)
        judged = judged.take(kept)
        decision = decision[kept]
    weight = (
        np.ones(judged.counted)
        if recipe.apart
        else judged.weights(recipe.by_domain)
    )
    equal_weights = bool((weight == 1).all()) and not recipe.by_domain
    no_copies = len(np.unique(decision)) == len(decision)
    # means of fixed scores
    plain = equal_weights and renew is None and no_copies

    domains = {
        name: of for name, of in judged.units.items() if name == "domain"
    }
    bare = replace(judged, units=domains)  # of which a part is sooner taken

    def anew(
        make: Callable[[Scores, Recipe], M], keep: np.ndarray
    ) -> M | None:
        """What is made of the judgments kept, scored anew; None if a system has none."""
        one = replace(bare, score=renew(keep)) if renew else bare
        one = one.take(keep & np.isfinite(one.score))
        complete = np.bincount(one.system, minlength=len(one.systems)).all()
        return make(one, recipe) if complete else None

    every = made_by(judged, recipe, alpha)
    large = judged.counted > LARGE
    asked = np.array([name not in beside for name in judged.systems])
    asked = asked | (asked.sum() < 2)
    leader, *others = every.order[asked[every.order]].tolist()

    def changed(means: np.ndarray | None) -> str:
        """Who is first by these means, if another; of equal means, the first name comes first."""
        if means is None:
            return ""
        first = int(np.where(asked, means, -np.inf).argmax())
        return "" if first == leader else judged.systems[first]

    def lead(means: np.ndarray | None) -> float:
        """By how much the leader's mean exceeds the best of the others; inf if one has none."""
        if means is None:
            return np.inf
        return float(means[leader] - means[others].max())

    def decided(unit: str, kind: str) -> list[Removal]:
        """The rows of one kind of unit: of the first place, and of the lines from the top."""
        names, codes = np.unique(
            judged.unit(kind) if kind else decision, return_inverse=True
        )
        choose = partial(
            _greedy if kind else _two_pointers, judged, weight, codes
        )
        of = len(names)
        plans = sorted(
            (choose(leader, k) for k in others), key=lambda plan: plan[0]
        )[:CLOSEST]
        least = plans[0][0] if plans else 0  # that fixed scores would need
        if not plain:  # scores that change with what is removed may need fewer
            plans = [(1, left, most) for _, left, most in plans]
        without = partial(np.not_equal, codes)
        alone: Iterable[int] = range(of) if kind else ()
        closest = (
            _closest(judged, weight, codes, leader)
            if kind and large
            else alone
        )
        by_means = Search(partial(anew, recipe_means), without, closest)
        found = by_means.fewest(plans, changed)
        if not kind and not plain and not found[0] > FEW:
            found = _stepwise(
                plans, codes, by_means.made, lead, changed, found
            )
        number, name, kept = found
        # of units, two are the fewest if none was enough alone; more are found greedily
        exact = number == 1 or (
            plain and number == least and (not kind or number == 2)
        )
        first = Removal("first", unit, number, of, int(exact), name, kept)

        def fewer(first: int, second: int) -> Plan[np.ndarray]:
            _, left, most = choose(first, second)
            return 1, left, most

        ranked = partial(made_by, alpha=alpha)
        by_tests = Search(partial(anew, ranked), without, alone)
        lines = () if large else every.lines
        return [
            first,
            *(_line(every, k, unit, of, fewer, by_tests) for k in lines),
        ]

    rows = [
        decided(unit, kind)
        for unit, kind in UNITS.items()
        if not kind or judged.has(kind)
    ]
    return [*chain.from_iterable(zip(*rows, strict=True))]


def _closest(
    judged: Scores, weight: np.ndarray, codes: np.ndarray, leader: int
) -> np.ndarray:
    """The `TRIED` units without which the leader's mean, at these weights, leads by least."""
    systems = range(len(judged.systems))
    parts = np.array([_sums(judged, weight, codes, k) for k in systems])
    left = parts.sum(axis=2, keepdims=True) - parts
    with np.errstate(invalid="ignore", divide="ignore"):
        means = left[:, 1] / left[:, 0]
    others = np.delete(means, leader, axis=0)
    leads = means[leader] - np.nan_to_num(others, nan=-np.inf).max(axis=0)
    return np.argsort(leads, kind="stable")[:TRIED]


def _stepwise(
    plans: Sequence[Plan[np.ndarray]],
    codes: np.ndarray,
    made: Callable[[np.ndarray], M],
    lead: Callable[[M], float],
    changed: Callable[[M], str],
    best: Found,
) -> Found:
    """Fewer removals than `best`, one after the other, each the one that most reduces the lead.

    Those that come first in the plans are tried, by ranking again without each. Returns `best` if
    as many or more are needed.
    """
    tried = np.zeros(len(codes), bool)
    for _, left, end in plans:
        tried |= ~left(min(TRIED, end))
    units = np.unique(codes[tried])
    keep = np.ones(len(codes), bool)
    most = int(np.fmin(FEW, best[0] - 1))
    for number in range(1, min(most, len(units)) + 1):
        means = [made(keep & (codes != unit)) for unit in units]
        first = int(np.argmin([lead(one) for one in means]))
        keep = keep & (codes != units[first])
        units = np.delete(units, first)
        if name := changed(means[first]):
            return float(number), name, keep
    return best


def _two_pointers(
    judged: Scores,
    weight: np.ndarray,
    codes: np.ndarray,
    first: int,
    second: int,
) -> Plan[np.ndarray]:
    """A plan that removes the best mix of the first's highest and the second's lowest judgments."""
    orders = []
    means = []
    for system, sign in ((first, 1.0), (second, -1.0)):
        own = np.flatnonzero(judged.system == system)
        y = judged.score[own]
        w = weight[own]
        order = np.argsort(
            -sign * w * (y - np.average(y, weights=w)), kind="stable"
        )
        total, value = (
            np.cumsum(part[order][::-1])[::-1] for part in (w, w * y)
        )
        orders.append(own[order])
        means.append(sign * np.minimum.accumulate(sign * value / total))
    high, low = means
    needed = np.searchsorted(
        low, high, side="left" if second < first else "right"
    )
    most = len(high) + len(low) - 2
    possible = np.where(
        needed < len(low), needed + np.arange(len(high)), most + 1
    )

    def kept(k: int) -> np.ndarray:
        i = np.arange(max(0, k - len(low) + 1), min(k, len(high) - 1) + 1)
        best = int(i[np.argmax(low[k - i] - high[i])])
        out = np.concatenate([orders[0][:best], orders[1][: k - best]])
        return ~np.isin(codes, codes[out])

    return int(possible.min()), kept, most


def _greedy(
    judged: Scores,
    weight: np.ndarray,
    codes: np.ndarray,
    first: int,
    second: int,
) -> Plan[np.ndarray]:
    """A plan that removes one unit at a time, always the one that most reduces the first's lead.

    `codes` number the units from 0, each of which has a judgment.
    """
    # weight and sum of the first, weight and sum of the second
    held = np.concatenate(
        [_sums(judged, weight, codes, system) for system in (first, second)]
    )
    left = held.sum(axis=1)
    order = list[int]()
    start = 0
    free = np.ones(len(held[0]), bool)
    while True:
        rest = left[:, None] - held
        possible = free & (rest[0] > 1e-9) & (rest[2] > 1e-9)
        if not possible.any():
            break
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.where(
                possible, rest[1] / rest[0] - rest[3] / rest[2], np.inf
            )
        best = int(gap.argmin())
        order.append(best)
        free[best], left = False, rest[:, best]
        if not start and (
            gap[best] < 0 or (gap[best] == 0 and second < first)
        ):
            start = len(order)
    return (
        start or len(order) + 1,
        lambda k: ~np.isin(codes, order[:k]),
        len(order),
    )


def _sums(
    judged: Scores, weight: np.ndarray, codes: np.ndarray, system: int
) -> np.ndarray:
    """The weight, and the weighted sum of scores, that each unit has of a system: (2, units)."""
    rows = judged.system == system
    units = codes[rows]
    own = weight[rows]
    number = int(codes.max(initial=-1)) + 1
    sums = np.bincount(units, own * judged.score[rows], number)
    return np.array([np.bincount(units, own, number), sums])


def _line(
    every: Ranking,
    below: int,
    unit: str,
    of: int,
    choose: Choose[T],
    search: Search[T, Ranking],
) -> Removal:
    """The fewest removals after which no line separates the same systems from the others."""
    above = set(every.order[:below].tolist())

    def fallen(made: Ranking | None) -> str:
        return "fallen" if _fallen(made, below, above) else ""

    pairs = every.order[[*_weakest(every, below)]].tolist()
    plans = [choose(first, second) for first, second in pairs]
    number, _, kept = search.fewest(plans, fallen)
    return Removal(
        f"line below {below}", unit, number, of, int(number == 1), "", kept
    )


def _fallen(made: Ranking | None, below: int, above: set[int]) -> bool:
    """Whether a ranking was made, and no line of it parts the same systems from the others."""
    if made is None:
        return False
    return not (
        below in made.lines and set(made.order[:below].tolist()) == above
    )


def _weakest(every: Ranking, below: int) -> Iterator[tuple[int, int]]:
    """Pairs of places across a line that may break first: neighbours, and those of largest p."""
    across = np.nan_to_num(every.p[:below, below:], nan=1.0)
    last = int(across[-1].argmax())
    i, j = np.unravel_index(across.argmax(), across.shape)
    yield from dict.fromkeys(
        [
            (below - 1, below),
            (below - 1, below + last),
            (int(i), below + int(j)),
        ]
    )


def _fewest(plans: Sequence[Plan[T]], said: Callable[[T], str]) -> Found:
    """The smallest number of removals that changes what is `said`; to what; and what is left.

    The numbers of `_tried` are tried of each plan; between the first that changes something and the
    one before it, the search goes on by bisection.
    """
    best: Found = np.nan, "", None
    for start, left, most in plans:
        most = int(np.fmin(most, best[0] - 1))
        low = start - 1
        now = ""
        for high in _tried(start, most):
            if now := said(left(high)):
                break
            low = high
        while now and high - low > 1:
            middle = (low + high) // 2
            if then := said(left(middle)):
                high = middle
                now = then
            else:
                low = middle
        best = (float(high), now, left(high)) if now else best
    return best


def _tried(start: int, most: int) -> Iterator[int]:
    """Numbers of removals from `start` to `most` by doubling steps; if few can go, also one by one.

    If at most `SMALL` can go, all numbers up to `FEW` are tried: of few battles a model may lose
    the first place without two, and its finite strength without three.
    """
    number = start
    step = 2
    while number < most:
        yield number
        number += step
        step *= 2
    if start <= most:
        yield most
    if most <= SMALL:
        yield from range(start, min(most, FEW) + 1)


def removals_of_battles(
    data: Units, method: str = STRENGTH, alpha: float = 0.05
) -> list[Removal]:
    """The fewest comparisons, or judges, that decide the first place and the lines of battles.

    Ranking and lines are those of `systems.rank_counts` by `method`, without a reference. For the
    first place, those that most change Davidson's strengths (by one Newton step) are removed; for a
    line, of two systems across it that differ little, the wins of the upper one, or the judges who
    most prefer it. Rows are as those of `fewest`, each with the counts that are left. Raises
    DataError if strengths are infinite, or battles name no judge.
    """
    data = data.without(REFERENCE)
    counts = data.counts
    systems = data.systems
    n = len(data.systems)
    strength, *effects = influences(counts)
    votes = np.concatenate(effects)
    every = rank_counts(counts, method, alpha=alpha)
    leader = int(every.order[0])
    others = [
        k for k in np.argsort(-strength, kind="stable").tolist() if k != leader
    ]
    number = np.concatenate(
        [counts.wins.ravel(), np.triu(counts.ties, 1).ravel()]
    ).astype(int)
    judges = judge_influence(data)[1]
    by_judge = data.by("judge")

    def without_votes(ranked: np.ndarray, k: int) -> PairCounts:
        left = number.copy()
        gone = np.minimum(np.cumsum(number[ranked]), k)
        left[ranked] -= np.diff(gone, prepend=0)
        wins, ties = left.reshape(2, n, n)
        return PairCounts(systems, wins, ties + ties.T)

    def without_judges(ranked: np.ndarray, k: int) -> PairCounts:
        rows = ranked[:k]
        gone = replace(
            by_judge,
            wins=by_judge.wins[rows],
            ties=by_judge.ties[rows],
            judges=rows,
        ).counts
        return PairCounts(
            systems, counts.wins - gone.wins, counts.ties - gone.ties
        )

    def again(left: PairCounts) -> Ranking | None:
        if method == STRENGTH and not finite(left):
            return None
        return rank_counts(left, method, alpha=alpha)

    def changed(made: Ranking | None) -> str:
        if made is None or made.order[0] == leader:
            return ""
        return systems[made.order[0]]

    def until_alike(
        won: np.ndarray, lost: np.ndarray, left: Callable[[int], PairCounts]
    ) -> Plan[PairCounts]:
        """A plan that begins where, at least one removed, a sign test tells no two apart."""
        alike = np.append(sign_test(won, lost) >= alpha, True)
        return max(1, int(alike.argmax())), left, len(won) - 1

    def fewer_wins(first: int, second: int) -> Plan[PairCounts]:
        won = np.arange(counts.wins[first, second], -1, -1)
        lost = counts.wins[second, first]
        cell = np.array([first * n + second])
        return until_alike(won, lost, partial(without_votes, cell))

    def fewer_judges(first: int, second: int) -> Plan[PairCounts]:
        pair = [first * n + second, second * n + first]
        both = by_judge.wins[:, pair].toarray()
        order = np.argsort(both[:, 1] - both[:, 0], kind="stable")
        gone = np.cumsum(np.vstack([[0, 0], both[order]]), axis=0)
        won, lost = (both.sum(axis=0) - gone).T
        return until_alike(won, lost, partial(without_judges, order))

    def without(judge: int) -> PairCounts:
        return without_judges(np.array([judge]), 1)

    judged = by_judge.wins.sum(axis=1) + by_judge.ties.sum(axis=1) // 2
    busiest = np.sort(np.argsort(-judged, kind="stable")[:SINGLE]).tolist()
    rows = []
    for unit, effect, left, weaken, of, alone in (
        ("judgment", votes, without_votes, fewer_wins, int(number.sum()), ()),
        (
            "annotator",
            judges,
            without_judges,
            fewer_judges,
            len(judges),
            busiest,
        ),
    ):
        ranked = [
            np.argsort(effect[:, k] - effect[:, leader], kind="stable")
            for k in others[:CLOSEST]
        ]
        plans = [(1, partial(left, order), of - 1) for order in ranked]
        search = Search(again, without, alone)
        best, name, kept = search.fewest(plans, changed)
        first = Removal("first", unit, best, of, int(best == 1), name, kept)
        lines = [
            _line(every, below, unit, of, weaken, search)
            for below in every.lines
        ]
        rows.append([first, *lines])
    return [*chain.from_iterable(zip(*rows, strict=True))]


def _good_rows(da: DirectAssessment, recipe: Recipe) -> pd.DataFrame:
    """The rows that ``score.scored`` counts."""
    chosen = select_rows(da, recipe.rows)
    values = (
        judgment_z(chosen)
        if recipe.score == "z"
        else chosen.good["score"].to_numpy(float)
    )
    return chosen.good[counted(chosen.good) & np.isfinite(values)]


def _decisions(da: DirectAssessment, good: pd.DataFrame) -> np.ndarray:
    """A number for each row of `good`, shared by copies of a judgment of a joined id ``A+B``."""
    key = ["worker", "hit", "document", "segment", "type", "score", "block"]
    if (
        not da.latest["system"]
        .cat.categories.str.contains("+", regex=False)
        .any()
    ):
        return np.arange(len(good))

    alike = partial(
        pd.DataFrame.groupby, observed=True, dropna=False, sort=False
    )
    whole = [*key, "system"]
    both = pd.concat([da.latest[whole], good[whole]])
    own = alike(both, whole).ngroup().to_numpy()
    unjoined = np.isin(own[len(da.latest) :], own[: len(da.latest)])
    nth = alike(good, whole).cumcount()
    copies = alike(good.assign(nth=nth), [*key, "nth"])
    shared = copies.ngroup().to_numpy()
    return np.where(unjoined, len(good) + np.arange(len(good)), shared)


def _renewed_z(
    da: DirectAssessment, good: pd.DataFrame, decision: np.ndarray
) -> Renew:
    """A function from a mask of the rows of `good` kept to the z-score of each (NaN without one).

    The rows in ``latest`` count, without the judgments (numbered by `decision`) that are not kept.
    """
    base = da.latest[unmarked(da.latest)]
    names = da.latest["worker"].cat.categories
    scored = (
        good["score"].to_numpy(float),
        names.get_indexer(good["worker"].astype(str)),
    )
    pool = base["score"].to_numpy(float), base["worker"].cat.codes.to_numpy()
    once = np.zeros(len(good), bool)
    once[np.unique(decision, return_index=True)[1]] = True
    return _renewed(scored, pool, unmarked(good) & once, da.zero_variance)


def _renewed(
    scored: tuple[np.ndarray, np.ndarray],
    pool: tuple[np.ndarray, np.ndarray],
    pooled: np.ndarray | bool,
    zero_variance: str,
) -> Renew:
    """z-scores of `scored` by the moments of its workers in `pool`, without what is removed.

    Both are scores and codes of workers; `pooled`: which of `scored` are in the pool.
    """
    score, worker = scored
    pool_score, pool_worker = pool
    size = int(max(worker.max(), pool_worker.max())) + 1
    number = np.bincount(pool_worker, minlength=size)
    with np.errstate(invalid="ignore"):
        centre = np.bincount(pool_worker, pool_score, size) / number
    squares = np.bincount(
        pool_worker, (pool_score - centre[pool_worker]) ** 2, size
    )

    def renewed(keep: np.ndarray) -> np.ndarray:
        out = ~keep & pooled
        left = number - np.bincount(worker[out], minlength=size)
        gone = score[out] - centre[worker[out]]
        with np.errstate(invalid="ignore", divide="ignore"):
            shift = -np.bincount(worker[out], gone, size) / left
            rest = (
                squares
                - np.bincount(worker[out], gone**2, size)
                - left * shift**2
            )
            rest = np.where(rest > 1e-9 * squares, rest, 0.0)  # else rounding
            sd = np.sqrt(rest / np.where(left > 1, left - 1, np.nan))
        return standardised(
            score, (centre + shift)[worker], sd[worker], zero_variance
        )

    return renewed
