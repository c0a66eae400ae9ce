"""Comparisons of systems side by side, by resampling unit: battles, and relative rankings.

The score of a system is its strength (Davidson's model) in battles, and the share of its decided
comparisons that it won in relative ranking. The resampling units of both are judges, or blocks
(battles) if judges are not all named.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import REFERENCE
from ..score.pairwise import PairCounts, wins_over_decided
from .bradley_terry import STRENGTH, davidson, largest_group
from .certainty import Certainty, of_battles, of_wins, strength_p
from .ranking import Ranking, rank_scored
from .resampling import Units, default_unit, units
from .systems import SIGN_TEST, count_tests, rank_counts

# the score of relative rankings: wins over decided comparisons
METHOD = "bojar"
RANKED = ["rank", "system", "score", "cluster"]


@dataclass(frozen=True)
class Battles:
    """The comparisons of one task, and the resampling units by which they are counted.

    What is asked of any judgments has the names that `score.scored.Scores` gives it: systems,
    counted, kinds, workers, adaptive, items.
    """

    unit: str  # ``judge``, ``block``, or ``battle`` (a block of two outputs)
    every: Units  # all comparisons by block, with ties
    grouped: Units  # the same by unit
    method: str  # the score: strengths of battles, else `METHOD`
    # columns unit, units, inside, default; without judges if not all are named
    number: pd.DataFrame
    judges: int  # how many are named
    unnamed: int  # blocks that name no judge
    workers: tuple[str, ...] = ()  # judges are codes, without names
    adaptive: bool = False  # strengths allow for who met whom
    items: bool = False  # units are judges, or blocks

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of their codes."""
        return self.every.systems

    @property
    def counted(self) -> int:
        """The number of judgments that count: decided comparisons."""
        return int(self.every.wins.sum())

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of units by which comparisons are counted."""
        return (self.unit,)

    def certain(self, alpha: float) -> Certainty:
        """What is certain of the strengths, or of the shares of wins."""
        if self.method == STRENGTH:
            return of_battles(self.grouped, self.unit, alpha)
        won, decided = self.grouped.decided_by_system()
        ratio = wins_over_decided(self.every.counts)
        unit = "judge" if self.unit == "judge" else "block"
        second = strength_p(self.grouped.by(unit), unit, ratio)
        return of_wins(self.systems, won, decided, self.unit, alpha, second)

    def ranked(self, alpha: float) -> Ranking:
        """The ranking by score, with lines from sign tests; columns as `RANKED`, and bojar.

        Systems with infinite strengths come last, without a score, by their shares of wins; lines
        are drawn between the others.
        """
        counts = self.every.counts
        share = wins_over_decided(counts)
        if self.method == METHOD:
            made = rank_counts(counts, METHOD, alpha=alpha)
            table = made.table.rename(columns={METHOD: "score"})[RANKED]
        else:
            score = finite_strengths(counts)
            first = np.lexsort((self.systems, -np.nan_to_num(share)))
            tests = [
                part[np.ix_(first, first)] for part in count_tests(counts)
            ]
            table = pd.DataFrame(
                {"system": self.systems, "score": score}
            ).iloc[first]
            made = rank_scored(
                table, *tests, by="score", test=SIGN_TEST, alpha=alpha
            )
            made = replace(made, order=first[made.order])
            table = made.table[RANKED]
        table["bojar"] = share[made.order]
        return replace(made, table=table, by="score", recipe=self.method)


def battles(frame: pd.DataFrame, unit: str = "auto") -> Battles:
    """The comparisons of one task (from `rr.read_rr`) without its reference, by unit.

    `unit` is ``judge``, ``block``, or ``auto``: judges, or blocks if some of these name no judge.

    Raises DataError for ``judge`` if not all are named; for groups of systems that were never
    compared; and, if the share of wins ranks, for systems that neither won nor lost.
    """
    every = units(frame).without(REFERENCE)
    every.counts.connected()
    judges = len(set(every.judges) - {-1})
    blocks = len(every.judges)
    chosen = default_unit(every) if unit == "auto" else unit
    grouped = every.by(chosen)
    block = "battle" if frame["position"].max() == 2 else "block"
    chosen = "judge" if chosen == "judge" else block
    unnamed = int((every.judges < 0).sum())
    kinds = (
        [(block, blocks, "")]
        if unnamed
        else [("judge", judges, ""), (block, blocks, "judge")]
    )
    table = pd.DataFrame(kinds, columns=["unit", "units", "inside"])
    table["default"] = (table["unit"] == chosen).astype(int)
    method = STRENGTH if block == "battle" else METHOD
    tied = np.isnan(wins_over_decided(every.counts))
    if method == METHOD and tied.any() and not tied.all():
        names = np.array(every.systems, dtype=object)[tied].tolist()
        problem = "systems that only tied have no share of wins"
        raise DataError(
            problem,
            column="system",
            value=names,
            expected="a win or a loss of each",
        )
    return Battles(chosen, every, grouped, method, table, judges, unnamed)


def finite_strengths(counts: PairCounts) -> np.ndarray:
    """Strengths of the largest group that wins join to and fro; NaN for all others."""
    inside = largest_group(counts)
    score = np.full(len(inside), np.nan)
    outside = np.array(counts.systems, dtype=object)[~inside]
    if inside.any():
        score[inside] = davidson(counts.without(*outside))[0]
    return score
