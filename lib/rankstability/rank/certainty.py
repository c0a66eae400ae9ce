"""What is certain of a ranking: one family of tests, from which lines, pairs and rank sets come.

The question is what another campaign, with other annotators and other documents, would show again.
Each unit (an annotator, a document) has an influence on each system's mean; sums of squared
influences give the variance of a difference (CR2: Bell and McCaffrey 2002; for two kinds of units:
Cameron, Gelbach and Miller 2011, with the larger one-way variance as a floor: MacKinnon, Nielsen
and Webb 2021). Pairs are tested by two-sided t tests, whose degrees of freedom are the number of
effective units less one; where all units agree exactly, by the sign test. `family` declares pairs
such that the probability of any false statement, over all pairs, lines and sets together, is at
most alpha. Nothing is random, so there is no seed.
How often statements were false in simulations: ``benchmarks/results/certainty.csv``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit, logit, stdtr, stdtrit

from ..score.scored import Scores
from .balanced import within_segments
from .bradley_terry import judge_influence
from .ranges import Units
from .significance import check_level
from .units import (
    DOCUMENT,
    TWO_WAY,
    WORKER,
    Kind,
    corrected,
    default_kinds,
    difference_variance,
    unit_totals,
    within_domains,
)

ALONE = 1e-9  # effective units above one, at most, if one unit has all judgments of a system
STILL = 1e-12  # share of the squared range of scores: a smaller variance is a rounding error


@dataclass(frozen=True)
class Certainty:
    """Systems in order of their means, and what can be said of them at level `alpha`, jointly.

    All arrays are in that order, best first.

    Attributes
    ----------
    systems, order : tuple of str, array of int
        Names, and codes in the judgments; systems without judgments are left out.
    mean, score_low, score_high : arrays, shape (n,)
        Mean score and its interval at level 1 - alpha, for each system separately (not for
        comparing systems); infinite if one unit has all judgments of a system.
    p, df : arrays, shape (n, n)
        Two-sided p of each pair, unadjusted (1 on the diagonal), and its degrees of freedom.
    covariance, variance : arrays, shape (n, n)
        Covariance of the means with other units, and variance of each difference (at least that
        with other units of one kind only).
    declared : array of bool, shape (n, n)
        Whether the row's system is declared better than the column's.
    held : array of bool, shape (n - 1,)
        True at k - 1 for a line that holds below rank k.
    low, high : arrays of int, shape (n,)
        Rank set: 1 + systems declared better, to n - systems declared worse.
    units, effective : mapping of str to int, to array of shape (n,)
        For each kind: the number of units, and the effective number of each system. Both are empty
        if the data name no units: then nothing is declared.
    """

    systems: tuple[str, ...]
    order: np.ndarray
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
    effective: Mapping[str, np.ndarray]
    alpha: float

    @property
    def unit(self) -> str:
        """The kinds of units, joined by `` x ``; empty if none is named."""
        return " x ".join(self.units)

    @property
    def may_be_first(self) -> np.ndarray:
        """Whether no system is declared better than this one: (n,)."""
        return self.low == 1

    @property
    def told(self) -> bool:
        """Whether anything can be said: some system has more than one unit of each kind."""
        return bool((self.freedom > 0).any())

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of each system: effective units - 1, for two kinds the smaller."""
        return np.diag(self.df)

    def lines(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each place in another order of the same systems, whether a line holds, or is refuted.

        `order` holds codes, best first. A line holds if one that holds here has the same systems
        above it; it is refuted if a pair across it is declared the other way round; else it cannot
        be told. Of systems without a mean, which are not here, nothing is declared.
        """
        without = [code for code in order if code not in self.order]
        here = [*self.order.tolist(), *without]
        place = np.array([here.index(code) for code in order])
        same = np.maximum.accumulate(place)[:-1] == np.arange(len(place) - 1)
        against = np.pad(self.declared, (0, len(without)))[np.ix_(place, place)]
        refuted = [against[k:, :k].any() for k in range(1, len(place))]
        return same & np.pad(self.held, (0, len(without))), np.array(refuted, bool)

    def codes(self, systems: Sequence[str]) -> np.ndarray:
        """The codes of these systems, as in `order`."""
        return self.order[[self.systems.index(name) for name in systems]]

    def places(self, order: np.ndarray, claimed: Sequence[int] | np.ndarray) -> pd.DataFrame:
        """Lines claimed and held at each place between neighbours of an order (as for `lines`).

        `claimed` are the ranks below which a line is claimed. Columns below, claimed, held (0 or 1;
        NaN if nothing can be told), unit.
        """
        below = np.arange(1, len(order))
        table = pd.DataFrame({"below": below, "claimed": np.isin(below, claimed).astype(int)})
        held = self.lines(order)[0].astype(int) if self.told else np.nan
        return table.assign(held=held, unit=self.unit if self.told else "")

    def table(self) -> pd.DataFrame:
        """Columns rank, system, score, score_low, score_high, low, high, may_be_first (0 or 1)."""
        names = ("score_low", "score_high", "low", "high")
        head = {"rank": np.arange(1, len(self.mean) + 1), "system": self.systems}
        parts = {name: getattr(self, name) for name in names}
        first = self.may_be_first.astype(int)
        return pd.DataFrame({**head, "score": self.mean, **parts, "may_be_first": first})


def certainty(
    scored: Scores, unit: str | None = None, by_domain: bool = False, alpha: float = 0.05
) -> Certainty:
    """What is certain of the systems' mean scores, segments weighted equally, with other units.

    `unit` is `TWO_WAY` (worker x document), or a kind of unit that every judgment names; by default
    that of `default_kinds`. If none is named, nothing is declared. `by_domain`: scores are means
    over domains of the domains' means, and influences are measured from a domain's own mean. In an
    adaptive design, means and influences come from differences within segments
    (`within_segments`). Raises DataError for a unit that the data do not name.
    """
    names = default_kinds(scored) if unit is None else (unit,)
    if unit == TWO_WAY:
        names = WORKER, DOCUMENT
    n, system = len(scored.systems), scored.system
    weight = scored.weights(by_domain)
    codes = [scored.unit(name).astype(np.int64) for name in names]
    domain = np.zeros(len(system), np.int64)
    if by_domain and "domain" in scored.units:
        domain = scored.unit("domain").astype(np.int64)
    if scored.adaptive:
        means, effect, share = within_segments(scored, weight)
    else:
        share = weight / np.bincount(system, weight, n)[system]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = scored.means(by_domain)

    def kind(code: np.ndarray) -> Kind:
        _, unit = np.unique(code, return_inverse=True)
        if not scored.adaptive:
            place = {"unit": unit, "system": system, "domain": domain}
            return within_domains(scored.score, share, means, **place)
        _, held = unit_totals(system, unit, scored.score, share, n)
        parts = np.stack([np.bincount(unit, x, len(held)) for x in effect.T], axis=1)
        return corrected(held, parts)

    cell = kind(codes[0] * (codes[1].max() + 1) + codes[1]) if len(codes) == 2 else None
    kinds = {name: kind(code) for name, code in zip(names, codes, strict=True)}
    span = float(np.ptp(scored.score))
    return from_kinds(scored.systems, means, kinds, cell=cell, span=span, alpha=alpha)


def of_wins(
    systems: Sequence[str],
    won: np.ndarray,
    decided: np.ndarray,
    unit: str = "judge",
    alpha: float = 0.05,
) -> Certainty:
    """What is certain of the win ratios of relative ranking: wins over decided comparisons.

    `won` and `decided` are counts for each unit and system: (units, systems). Tests and intervals
    are on the scale of log-odds: ratios of few judges of one mind are near 0 or 1, where those of
    other judges cannot vary equally in both directions. Ratios are kept away from 0 and 1 by half a
    comparison of the system with most. No p is below that of a sign test of as many decisions, all
    alike.
    """
    total = decided.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = won.sum(axis=0) / total
        least = 0.5 / total.max()
        near = np.clip(ratio, least, 1 - least)
        slope = near * (1 - near)
        part = (won - near * decided) / total / slope
        kind = corrected(decided / total, part, alike=True)
    floor = 2.0 ** (1 - (total[:, None] + total) / 2)
    made = from_kinds(systems, logit(near), {unit: kind}, span=1.0, alpha=alpha, least=floor)
    covariance = made.covariance * np.outer(slope[made.order], slope[made.order])
    return replace(
        made,
        mean=ratio[made.order],
        score_low=np.minimum(expit(made.score_low), ratio[made.order]),
        score_high=np.maximum(expit(made.score_high), ratio[made.order]),
        covariance=covariance,
        variance=difference_variance(covariance),
    )


def of_battles(data: Units, unit: str = "judge", alpha: float = 0.05) -> Certainty:
    """What is certain of the strengths of battles (Davidson: Bradley-Terry with ties).

    `unit` is ``judge``; or ``block`` or ``battle``, which take battles as independent and say
    nothing of other judges. A unit's influence is that of the clustered sandwich estimator, its
    share that of a system's battles: for G equal judges, the correction is the usual G / (G - 1),
    but a model that few judges met has only the degrees of freedom that they give. Raises DataError
    if strengths are infinite, or blocks name no judge.
    """
    whose = "block" if unit == "battle" else unit
    strength, influence, battles = judge_influence(data, whose)
    kind = corrected(battles / battles.sum(axis=0), influence, alike=True)
    return from_kinds(data.systems, strength, {unit: kind}, span=1.0, alpha=alpha)


def from_kinds(
    systems: Sequence[str],
    mean: np.ndarray,
    kinds: Mapping[str, Kind],
    *,
    cell: Kind | None = None,
    span: float,
    alpha: float = 0.05,
    least: np.ndarray | None = None,
) -> Certainty:
    """The family of tests of these means, from one kind of units or two.

    `cell`: for two kinds, the units that are their combinations. `span` is the range of scores, in
    comparison with which rounding errors are recognised. `least`: the lowest p that a pair can
    have, (systems, systems). Systems whose mean is NaN are left out.
    """
    check_level(alpha)
    mean = np.asarray(mean, float)
    known = np.flatnonzero(np.isfinite(mean))
    order = known[np.argsort(-mean[known], kind="stable")]
    mean, n = mean[order], len(order)
    kinds = {name: kind.take(order) for name, kind in kinds.items()}
    covariances = [kind.covariance() for kind in kinds.values()]
    if cell is not None:
        covariances.append(np.sum(covariances, axis=0) - cell.take(order).covariance())
    own, variance, together = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    for covariance in covariances:
        together = covariance  # the last: of one kind, or of two together
        own = np.maximum(own, np.diag(covariance))
        variance = np.maximum(variance, difference_variance(covariance))
    effective = {name: kind.effective for name, kind in kinds.items()}
    freedom = np.min(list(effective.values()), axis=0) - 1 if kinds else np.zeros(n)
    freedom[freedom <= ALONE] = 0.0
    df = np.minimum(freedom[:, None], freedom)
    told = (df > 0) & (variance > STILL * span**2) & ~np.eye(n, dtype=bool)
    p = np.ones((n, n))
    gap = np.abs(mean[:, None] - mean)
    p[told] = 2 * stdtr(df[told], -gap[told] / np.sqrt(variance[told]))
    alike = (df > 0) & ~told & (gap > STILL * span)
    p[alike] = alike_p(df[alike])
    if least is not None:
        p = np.maximum(p, least[np.ix_(order, order)])
    half = np.full(n, np.inf)
    some = freedom > 0
    half[some] = stdtrit(freedom[some], 1 - alpha / 2) * np.sqrt(own[some])
    equal = np.append(0, np.cumsum(mean[:-1] - mean[1:] > STILL * span))[:n]
    declared, held = family(p, alpha, equal)
    return Certainty(
        systems=tuple(systems[k] for k in order),
        order=order,
        mean=mean,
        score_low=mean - half,
        score_high=mean + half,
        p=p,
        df=df,
        covariance=together,
        variance=variance,
        declared=declared,
        held=held,
        low=1 + declared.sum(axis=0),
        high=n - declared.sum(axis=1),
        units={name: int((kind.share > 0).any(axis=1).sum()) for name, kind in kinds.items()},
        effective=effective,
        alpha=alpha,
    )


def alike_p(df: np.ndarray) -> np.ndarray:
    """The p of a pair between which all units differ by exactly the same: that of a sign test."""
    return 2.0**-df


def family(
    p: np.ndarray, alpha: float = 0.05, equal: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and lines that are declared together, with any error in at most `alpha` of campaigns.

    A line is held if the largest p across it is at most alpha / m. Here m is the sum of
    floor(b / 2) over the blocks of b systems between lines already held: at most that many groups
    of equal systems fit between them, each of which gives a false line with at most the probability
    of its level (Shaffer 1986). Any other pair is declared if its p is at most alpha times
    `pair_share`, and so is what follows (if a is better than b, and b than c, then a than c). This
    is repeated until nothing is added.

    Parameters
    ----------
    p : array, shape (n, n)
        Two-sided p of each pair, systems in order of their means.
    equal : array of int, shape (n,), optional
        Numbers of the systems' means, the same for equal means, whose order says nothing.

    Returns
    -------
    declared : array of bool, shape (n, n)
        Row better than column (above the diagonal only).
    held : array of bool, shape (n - 1,)
        True at k - 1 for a line that holds below rank k.
    """
    n = len(p)
    above = np.triu(np.ones((n, n), bool), 1)
    tied = np.eye(n) if equal is None else (equal[:, None] == equal).astype(float)
    line = np.array([p[:k, k:].max() for k in range(1, n)])
    declared, held = np.zeros((n, n), bool), np.zeros(max(n - 1, 0), bool)
    while True:
        before = declared
        ends = np.flatnonzero(np.concatenate([[True], held, [True]]))
        held = line * (np.diff(ends) // 2).sum() <= alpha
        across = np.append(0, np.cumsum(held))
        declared = declared | (across[:, None] < across)
        undeclared = (tied @ (above & ~declared) @ tied) > 0
        declared |= above & (p <= alpha * pair_share(undeclared))
        declared |= (declared.astype(float) @ declared) > 0
        held = np.array([declared[:k, k:].all() for k in range(1, n)], bool)
        if (declared == before).all():
            return declared, held


def pair_share(undeclared: np.ndarray) -> float:
    """The share of alpha at which a pair not yet declared is tested: the least over all partitions.

    In any state of the truth that the declared pairs allow, equal systems form runs of the order; a
    run i..j is open if a pair from i or above to j or below is undeclared. For a partition of the
    order into open runs and single systems, let n2 be the number of runs of two; m the sum of n2
    and of floor(b / 2) over the longer runs, of b systems; and s the sum over the longer runs of
    b (b - 1) / 2, and 1 more if b is 3. The share is the lesser of 1 / m and (1 - n2 / m) / s.

    It is found by dynamic programming over the order: for each number of runs of two and sum of
    floor(b / 2) over the longer runs, the largest s.
    """
    n, most = len(undeclared), len(undeclared) // 2 + 1
    reach = np.maximum.accumulate(undeclared, axis=0)
    open_run = np.maximum.accumulate(reach[:, ::-1], axis=1)[:, ::-1]
    best = np.full((n + 1, most, most), -np.inf)
    best[0, 0, 0] = 0.0
    for j in range(1, n + 1):
        best[j] = best[j - 1]
        for i in np.flatnonzero(open_run[: j - 1, j - 1]):
            b = int(j - i)
            if b == 2:
                np.maximum(best[j, 1:], best[i, :-1], out=best[j, 1:])
            else:
                half, pairs = b // 2, b * (b - 1) // 2 + (b == 3)
                longer = best[j, :, half:]
                np.maximum(longer, best[i, :, :-half] + pairs, out=longer)
    twos, longer = np.indices((most, most))
    found = np.isfinite(best[n]) & (twos + longer > 0)
    groups = (twos + longer)[found]
    if not len(groups):
        return 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = np.where(longer > 0, longer / ((twos + longer) * best[n]), np.inf)[found]
    return float(min(1 / groups.max(), rest.min()))
