"""What is certain of a ranking: one family of tests, from which lines, pairs and rank sets come.

The question is what a repeat, with other annotators and other documents, would show again. Each
unit (an annotator, a document) has an influence on each system's mean, that of leaving it out; sums
of squared influences give the variance of a difference (the delete-one jackknife: MacKinnon,
Nielsen and Webb 2023; for two kinds of units: Cameron, Gelbach and Miller 2011, with the larger
one-way variance as a floor: MacKinnon, Nielsen and Webb 2021). Pairs are tested by two-sided t
tests, whose degrees of freedom are the number of effective units less one; where all units agree
exactly, by the sign test. `family` declares pairs such that any false statement, over all pairs,
lines and sets together, is made in at most alpha of rankings. Nothing is random, so there is no
seed. How often statements were false in simulations: ``benchmarks/results/certainty.csv``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit, logit, stdtrit

from ..score.scored import Scores
from . import items
from .balanced import within_segments
from .bradley_terry import judge_influence, largest_group
from .company import alone_together, in_company
from .family import family
from .means import STILL, Means
from .resampling import Units
from .significance import check_level
from .units import (
    DOCUMENT,
    SEGMENT,
    TWO_WAY,
    WORKER,
    Kind,
    cell_sums,
    default_kinds,
    difference_variance,
    jackknifed,
    within_domains,
)

FEWEST = 2.5  # effective units of a kind: of a system with fewer, nothing can be told


@dataclass(frozen=True)
class Certainty:
    """Systems in order of their means, and what can be said of them at level `alpha`, jointly.

    All arrays are in that order, best first; systems that are untold come last.

    Attributes
    ----------
    systems, order : tuple of str, array of int
        Names, and codes in the judgments; systems without judgments are left out.
    placed : array of bool, shape (n,)
        Whether a system has a place: not if it has fewer than `FEWEST` effective units of a kind,
        or if its strength is infinite. Then nothing is declared of it, and its set is 1 to n.
    mean, score_low, score_high : arrays, shape (n,)
        Mean score and its interval at level 1 - alpha, for each system separately (not for
        comparing systems), within the scale; NaN for systems without a place. An infinite strength
        is NaN.
    p, df : arrays, shape (n, n)
        Two-sided p of each pair, unadjusted (1 on the diagonal), and its degrees of freedom.
    covariance, variance : arrays, shape (n, n)
        Covariance of the means with other units, and variance of each difference (at least that
        with other units of one kind only).
    declared : array of bool, shape (n, n)
        Whether the row's system is declared better than the column's.
    held : array of bool, shape (n - 1,)
        True at k - 1 for a line that holds below rank k, among the placed systems.
    low, high : arrays of int, shape (n,)
        Rank set: 1 + systems declared better, to n - systems declared worse.
    units : mapping of str to int
        For each kind, the number of units; empty if the data name none: nothing is then declared.
    number, effective : mapping of str to array of shape (n,)
        For each kind, how many units each system has, and as how many they count.
    """

    systems: tuple[str, ...]
    order: np.ndarray
    placed: np.ndarray
    mean: np.ndarray
    score_low: np.ndarray
    score_high: np.ndarray
    p: np.ndarray
    df: np.ndarray
    covariance: np.ndarray
    variance: np.ndarray
    declared: np.ndarray
    held: np.ndarray
    low: np.ndarray
    high: np.ndarray
    units: Mapping[str, int]
    number: Mapping[str, np.ndarray]
    effective: Mapping[str, np.ndarray]
    alpha: float

    @property
    def unit(self) -> str:
        """The kinds of units, joined by `` x ``; empty if none is named."""
        return " x ".join(self.units)

    @property
    def may_be_first(self) -> np.ndarray:
        """Whether a placed system has no other declared better: (n,)."""
        return self.placed & (self.low == 1)

    @property
    def told(self) -> bool:
        """Whether anything can be said: two systems or more have a place."""
        return int(self.placed.sum()) > 1

    @property
    def untold(self) -> pd.DataFrame:
        """The systems without a place, if others have one: of which kind they have too few units.

        Columns system, unit (the kind of which it has fewest effective units), number (of units
        that it has), effective (as how many they count).
        """
        rows = []
        for k in np.flatnonzero(~self.placed):
            kind = min(
                self.effective,
                key=lambda name: self.effective[name][k],
                default="",
            )
            count = int(self.number[kind][k]) if kind else 0
            effective = float(self.effective[kind][k]) if kind else 0.0
            rows.append((self.systems[k], kind, count, effective))
        return pd.DataFrame(
            rows, columns=["system", "unit", "number", "effective"]
        )

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of each system: effective units - 1, for two kinds the smaller."""
        return np.diag(self.df)

    def lines(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each place in another order of the same systems, whether a line holds, or is refuted.

        `order` holds codes, best first. A line holds if one that holds here has the same placed
        systems above it; it is refuted if a pair across it is declared the other way round; else it
        cannot be told. Of systems without a mean or a place nothing is declared.
        """
        place = pd.Index(self.order[self.placed]).get_indexer(order)
        # above each place in the other order: how many placed systems, and the last place (from
        # 0) that one of them has here; the same systems are above a line here if the two agree
        above = np.cumsum(place >= 0)[:-1]
        last = np.maximum.accumulate(place)[:-1]
        held = np.concatenate([[False], self.held, [False]])
        same = (last == above - 1) & held[above]
        declared = np.pad(self.declared, (0, 1))  # at -1: of those without
        against = declared[np.ix_(place, place)]
        refuted = [against[k:, :k].any() for k in range(1, len(place))]
        return same, np.array(refuted, bool)

    def codes(self, systems: Sequence[str]) -> np.ndarray:
        """The codes of these systems, as in `order`."""
        return self.order[[self.systems.index(name) for name in systems]]

    def places(
        self, order: np.ndarray, claimed: Sequence[int] | np.ndarray
    ) -> pd.DataFrame:
        """Lines claimed and held at each place between neighbours of an order (as for `lines`).

        `claimed` are the ranks below which a line is claimed. Above and below a system without a
        place the same line would stand twice: it counts where it is claimed, else above. Columns
        below, claimed, held (0 or 1; NaN if nothing can be told), unit.
        """
        below = np.arange(1, len(order))
        has_line = np.isin(below, claimed)
        table = pd.DataFrame({"below": below, "claimed": has_line.astype(int)})
        if not self.told:
            return table.assign(held=np.nan, unit="")
        held = self.lines(order)[0].astype(int)
        above = np.cumsum(np.isin(order, self.order[self.placed]))[:-1]
        again = np.diff(above, prepend=-1) == 0
        twice = ~has_line & (again | np.isin(above, above[has_line]))
        return table.assign(held=np.where(twice, 0, held), unit=self.unit)

    def table(self) -> pd.DataFrame:
        """Columns rank, system, score, score_low, score_high, low, high, may_be_first (0 or 1)."""
        return pd.DataFrame(
            {
                "rank": np.arange(1, len(self.mean) + 1),
                "system": self.systems,
                "score": self.mean,
                "score_low": self.score_low,
                "score_high": self.score_high,
                "low": self.low,
                "high": self.high,
                "may_be_first": self.may_be_first.astype(int),
            }
        )


def certainty(
    scored: Scores,
    unit: str | None = None,
    by_domain: bool = False,
    alpha: float = 0.05,
) -> Certainty:
    """What is certain of the systems' mean scores, segments weighted equally, with other units.

    `unit` is `TWO_WAY` (worker x document), or a kind of unit that every judgment names; by default
    that of `default_kinds`. If none is named, nothing is declared. `by_domain`: scores are means
    over domains of the domains' means, and influences are measured from a domain's own mean. In an
    adaptive design, means and influences come from differences within segments
    (`within_segments`); so where there are only items, and some systems lack some (`rank.items`).
    Of scores standardised by worker, a pair is declared only if it is so, too, once each mean is
    freed of the company in which its workers judged it. Raises DataError for a unit that the data
    do not name.
    """
    names = default_kinds(scored) if unit is None else (unit,)
    if unit == TWO_WAY:
        names = WORKER, DOCUMENT
    weight = scored.weights(by_domain)
    codes = [scored.unit(name).astype(np.int64) for name in names]
    if scored.items and names == (SEGMENT,):
        return _of_items(scored, weight, alpha)
    made = within_segments(scored, weight) if scored.adaptive else None
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = made.mean if made else scored.means(by_domain)

    def kind(code: np.ndarray, cells: bool = False) -> Kind:
        unit = np.unique(code, return_inverse=True)[1]
        if made:
            shape = int(unit.max()) + 1, len(mean)
            held = cell_sums(unit, scored.system, made.share, shape)
            return jackknifed(held, made.influence(unit))
        total = np.bincount(scored.system, weight, len(mean))
        domain = np.zeros(len(code), np.int64)
        if by_domain and "domain" in scored.units:
            domain = scored.unit("domain").astype(np.int64)
        return within_domains(
            scored.score,
            weight / total[scored.system],
            mean,
            unit=unit,
            system=scored.system,
            domain=domain,
            cells=cells,
        )

    cell = None
    if len(codes) == 2:
        combined = codes[0] * (codes[1].max() + 1) + codes[1]
        cell = kind(combined, cells=True)
    kinds = {name: kind(code) for name, code in zip(names, codes, strict=True)}
    span = float(np.ptp(scored.score))
    means = Means(scored.systems, mean, kinds, cell, span, scored.scale)
    if scored.standardised and scored.has(WORKER) and kinds:
        return of_means(means, alpha, _in_company(means, scored, weight))
    return of_means(means, alpha)


def _of_items(scored: Scores, weight: np.ndarray, alpha: float) -> Certainty:
    """`certainty` with items as units (`rank.items`)."""
    mean, parts, share = items.item_parts(scored, weight)
    kinds = {SEGMENT: jackknifed(share, parts)}
    means = Means(
        scored.systems,
        mean,
        kinds,
        span=float(np.ptp(scored.score)),
        scale=scored.scale,
    )
    return of_means(means, alpha, *items.item_p(scored, mean))


def _in_company(
    means: Means, scored: Scores, weight: np.ndarray
) -> np.ndarray:
    """The p of each pair once means are freed of the company of their workers' other systems."""
    freed = in_company(scored, weight)
    other = means.seen_through(freed)
    p = other.tests()[0]
    gap, seen = (np.subtract.outer(x, x) for x in (other.mean, means.mean))
    apart = alone_together(scored)
    return np.where((gap * seen < 0) | apart, 1.0, p)


def of_wins(
    systems: Sequence[str],
    won: np.ndarray,
    decided: np.ndarray,
    unit: str = "judge",
    alpha: float = 0.05,
    second: np.ndarray | None = None,
) -> Certainty:
    """What is certain of the win ratios of relative ranking: wins over decided comparisons.

    `won` and `decided` are counts for each unit and system: (units, systems). Tests and intervals
    are on the scale of log-odds: ratios of few judges of one mind are near 0 or 1, where those of
    other judges cannot vary equally in both directions. Ratios are kept away from 0 and 1 by half a
    win of the system's own. No p is below that of a sign test of as many decisions, all alike; nor
    below `second`, the p of a second score of the same comparisons (`strength_p`).
    """
    total = decided.sum(axis=0).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = won.sum(axis=0) / total
        near = (won.sum(axis=0) + 0.5) / (total + 1)
        slope = near * (1 - near)
        part = (won - ratio * decided) / (total * slope)
        kind = jackknifed(decided / total, np.where(total > 0, part, 0.0))
    least = 2.0 ** (1 - (total[:, None] + total) / 2)
    if second is not None:
        least = np.maximum(least, second)
    odds = np.where(total > 0, logit(near), np.nan)
    made = of_means(
        Means(systems, odds, {unit: kind}, decisions=total), alpha, least
    )
    ratio = ratio[made.order]
    slope = slope[made.order]
    covariance = made.covariance * np.outer(slope, slope)
    return replace(
        made,
        mean=ratio,
        score_low=np.minimum(expit(made.score_low), ratio),
        score_high=np.maximum(expit(made.score_high), ratio),
        covariance=covariance,
        variance=difference_variance(covariance),
    )


def strength_p(data: Units, unit: str, ratio: np.ndarray) -> np.ndarray:
    """The p of each pair by Davidson's strengths, for a second look at win ratios (systems,).

    1 where the two scores order a pair differently, or where one of the two is outside the largest
    group that wins and ties join to and fro.
    """
    means = _strengths(data, unit)
    p = means.tests()[0]
    lead = np.subtract.outer(means.mean, means.mean) * np.subtract.outer(
        ratio, ratio
    )
    with np.errstate(invalid="ignore"):
        return np.where(lead >= 0, p, 1.0)


def of_battles(
    data: Units, unit: str = "judge", alpha: float = 0.05
) -> Certainty:
    """What is certain of the strengths of battles (Davidson: Bradley-Terry with ties).

    Strengths are those within the largest group that wins and ties join to and fro; the strength of
    any other system is infinite, and nothing is told of that system alone. `unit` is ``judge``; or
    ``block`` or ``battle``, which take battles as independent and say nothing of other judges.
    Raises DataError if blocks name no judge.
    """
    return of_means(_strengths(data, unit), alpha)


def _strengths(data: Units, unit: str) -> Means:
    """Strengths within the largest group; outside it, NaN, of no effective units."""
    inside = largest_group(data.counts)
    n = len(data.systems)
    names = np.array(data.systems, dtype=object)
    mean = np.full(n, np.nan)
    owner = "block" if unit == "battle" else unit  # a battle is a block of two
    number = len(np.unique(data.owner(owner)))
    share = np.zeros((number, n))
    part = np.zeros((number, n))
    battles = np.zeros(n)
    if inside.any():
        group = data.without(*names[~inside])
        strength, influence, made = judge_influence(group, owner)
        mean[inside] = strength
        battles[inside] = made.sum(axis=0)
        share[:, inside] = made / made.sum(axis=0)
        part[:, inside] = influence
    kind = jackknifed(share, part)
    kind = replace(kind, effective=np.where(inside, kind.effective, 0.0))
    return Means(
        data.systems, mean, {unit: kind}, decisions=battles, outside=~inside
    )


def of_means(
    means: Means,
    alpha: float = 0.05,
    least: np.ndarray | None = None,
    exact: np.ndarray | None = None,
) -> Certainty:
    """The family of tests of means.

    `least`: the lowest p that a pair can have, (systems, systems) by code; `exact`: the p of each
    pair, where it is known without a variance. Systems whose mean is NaN are left out, unless it is
    infinite (`Means.outside`).
    """
    check_level(alpha)
    by_code = np.asarray(means.mean, float)
    infinite = (
        np.zeros(len(by_code), bool)
        if means.outside is None
        else means.outside
    )
    known = np.flatnonzero(np.isfinite(by_code) | infinite)
    untold = infinite | (not means.kinds)
    for name, kind in means.kinds.items():
        if name != SEGMENT:
            untold |= ~(kind.effective >= FEWEST)
    rank = np.lexsort(
        (-np.nan_to_num(by_code[known], nan=-np.inf), untold[known])
    )
    order = known[rank]
    here = means.take(order)
    placed = ~untold[order]
    mean = here.mean
    n = len(order)
    m = int(placed.sum())
    both = np.ix_(order, order)
    p, df = here.tests()
    if exact is not None:
        p = exact[both]
    if least is not None:
        p = np.maximum(p, least[both])
    p[np.eye(n, dtype=bool)] = 1.0
    covariance, variance, own_variance = here.variances()
    freedom = np.diag(df)
    half = stdtrit(freedom, 1 - alpha / 2) * np.sqrt(own_variance)
    half[~placed | (freedom == 0)] = np.nan
    differ = -np.diff(mean[:m]) > STILL * here.span
    equal = np.append(0, np.cumsum(differ))[
        :m
    ]  # a number shared by equal means
    declared, held = family(p[:m, :m], alpha, equal)
    declared = np.pad(declared, (0, n - m))
    held = np.pad(held, (0, n - m))[: max(n - 1, 0)]
    kinds = here.kinds
    return Certainty(
        systems=tuple(here.systems),
        order=order,
        placed=placed,
        mean=mean,
        score_low=np.maximum(mean - half, here.scale[0]),
        score_high=np.minimum(mean + half, here.scale[1]),
        p=p,
        df=df,
        covariance=covariance,
        variance=variance,
        declared=declared,
        held=held,
        low=1 + declared.sum(axis=0),
        high=n - declared.sum(axis=1),
        units={
            name: int((kind.share > 0).any(axis=1).sum())
            for name, kind in kinds.items()
        },
        number={
            name: (kind.share > 0).sum(axis=0) for name, kind in kinds.items()
        },
        effective={name: kind.effective for name, kind in kinds.items()},
        alpha=alpha,
    )
