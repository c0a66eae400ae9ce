"""Relative rankings and battles: comparisons of one task by unit, for `lines.held`.

A system's score is the share of its decided comparisons that it won, and another campaign would
have other judges, or only other blocks (or battles) where judges are not all named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.judgments import REFERENCE
from rankstability.rank import ranges
from rankstability.rank.certainty import Certainty
from rankstability.rank.systems import count_tests, rank_counts
from rankstability.rank.units import bootstrap, normal_draws
from rankstability.score.pairwise import PairCounts

from .calibration import false_line_row

MANY = 5000  # units from which resampling is normal, and null campaigns turn units round whole
METHOD = "bojar"  # wins over decided comparisons, lines by the sign test: what notebook 07 tests


@dataclass(frozen=True)
class Battles:
    """Comparisons of one task, counted within each of `units` units.

    `unit` is ``judge``, ``block``, or ``battle``: a block of two outputs.

    `of`, `winner`, `loser`, `times` have a row per unit and ordered pair of systems that was
    decided: how often. `counts` are over all units, ties included; `number`: unit, units, inside,
    default, as `rank.units.unit_table` has it, without judges where not all are named.
    `judges` are those named, `unnamed` the blocks that name none; `every` block's counts.
    """

    systems: tuple[str, ...]
    unit: str
    units: int
    of: np.ndarray
    winner: np.ndarray
    loser: np.ndarray
    times: np.ndarray
    counts: PairCounts
    number: pd.DataFrame
    judges: int
    unnamed: int
    every: ranges.Units

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Wins, and decided comparisons, of each unit and system: (units, systems) each."""
        n = len(self.systems)
        size = self.units * n
        won = np.bincount(self.of * n + self.winner, self.times, size).reshape(-1, n)
        lost = np.bincount(self.of * n + self.loser, self.times, size).reshape(-1, n)
        return won, won + lost


def battles(frame: pd.DataFrame, unit: str = "auto") -> Battles:
    """The comparisons of one task (from `read.rr.read_rr`) without its reference, by unit.

    `unit` is ``judge``, ``block``, or ``auto``: judges, or blocks where some name none. Raises
    DataError for judges where not all are named.
    """
    every = ranges.units(frame).without(REFERENCE)
    n = len(every.systems)
    judges, blocks = len(set(every.judges) - {-1}), len(every.judges)
    chosen = ranges.default_unit(every) if unit == "auto" else unit
    owner = every.owner(chosen)
    block = "battle" if frame["position"].max() == 2 else "block"
    chosen = "judge" if chosen == "judge" else block
    cells = every.wins.tocoo()
    row, cell = (c.astype(np.int64) for c in cells.coords)
    key, place = np.unique(owner[row] * n * n + cell, return_inverse=True)
    times = np.bincount(place, cells.data).astype(int)
    unnamed = int((every.judges < 0).sum())
    kinds = [(block, blocks, "")] if unnamed else [("judge", judges, ""), (block, blocks, "judge")]
    table = pd.DataFrame(kinds, columns=["unit", "units", "inside"])
    table["default"] = (table["unit"] == chosen).astype(int)
    of, pair = key // (n * n), key % (n * n)
    number, counts = int(owner.max()) + 1, every.counts
    decided = of, pair // n, pair % n, times
    return Battles(every.systems, chosen, number, *decided, counts, table, judges, unnamed, every)


def draw(data: Battles, sure: Certainty, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """Scores in campaigns with other units, (resamples, systems), in the order of `sure`."""
    if data.units > MANY:
        return sure.mean + normal_draws(sure.covariance, resamples, rng)
    return bootstrap(*data.sums(), rng, resamples)[:, sure.order]


def false_lines(
    data: Battles, rng: np.random.Generator, draws: int = 200, alpha: float = 0.05
) -> pd.DataFrame:
    """Lines drawn when all systems are equal: each unit's judgments shuffled among the systems.

    With more than `MANY` units all of a unit's comparisons are turned round, or none. One row, as
    of `calibration.false_lines`.
    """
    n = len(data.systems)
    pairs, lines = np.empty(draws), np.empty(draws, int)
    above = np.triu_indices(n, 1)
    for k in range(draws):
        if data.units > MANY:
            turned = (rng.random(data.units) < 0.5)[data.of]
            one = np.where(turned, data.loser, data.winner)
            cell = one * n + (data.winner + data.loser - one)
        else:
            new = rng.random((data.units, n)).argsort(axis=1)
            cell = new[data.of, data.winner] * n + new[data.of, data.loser]
        wins = np.bincount(cell, data.times, n * n).reshape(n, n).astype(int)
        counts = PairCounts(data.systems, wins, np.zeros_like(wins))
        tests = count_tests(counts)
        pairs[k] = (tests[0][above] < alpha).mean()
        lines[k] = bool(rank_counts(counts, METHOD, alpha=alpha, tests=tests).lines)
    return false_line_row(METHOD, data.unit, pairs, lines)
