"""Koehn (2012) under two readings: its Tables 1 and 4 and Figure 3, computed anew.

**As stated**: sigma^2 is a variance, significance is a two-sided sign test at 5 %, 25 of 1000
resampled ranks go at each end, blanks are left out. **As matched**: the printed sigma^2 is a
standard deviation, each direction is tested at 5 %, 6 of 1000 ranks go (the trim that is nearest to
Tables 1 to 3 together), blanks keep their -1 and so win.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from rankstability.rank.ranges import Units
from rankstability.score.rr import REFERENCE

from ..models.simulate import Model
from .campaign_size import expected_share, judgments_needed
from .experiments import range_qualities, ranking_errors, simulated_shares, stacked

SYSTEMS, SIGMA2 = 15, 10  # Sections 4.4 and 5.2
WMT12 = 13_000  # judgments, Section 6
SIZES = (10_000, 20_000, 30_000, 40_000, 50_000)
MATCHING_SPREAD = 20.0  # the spread at which Figure 3's printed errors come out
TABLE4_SYSTEMS, TABLE4_SIGMA2 = (6, 8, 10, 12, 15), (8, 10, 12)
TABLE4_SHARES = (0.5, 0.7, 0.8, 0.9)
SIGMA2_IS = ("variance", "standard deviation")


@dataclass(frozen=True)
class Reading:
    """One way to read the paper; see the module's text.

    `sigma2_is` says what the printed sigma^2 is, one of `SIGMA2_IS`; `sides` are those of the sign
    test, `trim` is the share of the resampled ranks chopped off at each end, and `unranked` what
    becomes of blanks: ``drop`` or ``keep`` (see `score.pairwise.comparisons`).
    """

    name: str
    sigma2_is: str
    sides: int
    trim: float
    unranked: str

    def spread(self, sigma2: float) -> float:
        """The standard deviation that a printed sigma^2 stands for."""
        return spread_of(sigma2, self.sigma2_is)

    def sigma2(self, spread: float) -> float:
        """What the paper would print for a standard deviation."""
        return spread**2 if self.sigma2_is == "variance" else spread

    def trimmed(self, resamples: int) -> int:
        """Ranks chopped off at each end of `resamples`."""
        return max(1, round(self.trim * resamples))

    def prepared(self, data: Units) -> Units:
        """A task's judgments as the paper takes them: without reference, without ties."""
        return data.without(REFERENCE).decided()


AS_STATED = Reading("as stated", "variance", sides=2, trim=0.025, unranked="drop")
AS_MATCHED = Reading("as matched", "standard deviation", sides=1, trim=0.006, unranked="keep")
READINGS = (AS_STATED, AS_MATCHED)


@dataclass(frozen=True)
class Effort:
    """How much is simulated: the paper's numbers (`FULL`), or enough to see the shape (`QUICK`)."""

    experiments: int  # Figure 3
    runs: int  # Table 1
    resamples: int
    coverage_runs: int
    check_experiments: int  # Table 4, block by block
    advice_experiments: int  # the band of Section 6's advice
    orders: int  # of a real task's blocks, Figure 2


FULL = Effort(10_000, 400, 1000, 200, 60, 1000, 20)
QUICK = Effort(60, 8, 200, 8, 8, 50, 4)


def spread_of(sigma2: float, sigma2_is: str) -> float:
    """The standard deviation of a sigma^2 that is one of `SIGMA2_IS`."""
    return float(np.sqrt(sigma2)) if sigma2_is == "variance" else float(sigma2)


def figure3(experiments: int, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Errors of the ranking methods at the spreads that "sigma^2 = 10" may mean, and at 20.

    Columns spread, and those of `experiments.ranking_errors`.
    """
    spreads = [*(reading.spread(SIGMA2) for reading in READINGS), MATCHING_SPREAD]
    tables = {
        s: ranking_errors(Model(SYSTEMS, s), SIZES, experiments, seed, jobs=jobs) for s in spreads
    }
    return stacked(tables, "spread")


def table1(runs: int, resamples: int, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Quality of rank ranges at both spreads, both trims and with one and two sides.

    Columns spread, and those of `experiments.range_qualities`.
    """
    how: dict[str, Any] = {"trims": [reading.trimmed(resamples) for reading in READINGS]}
    tables = {
        s: range_qualities(Model(SYSTEMS, s), SIZES, runs, resamples, seed, jobs=jobs, **how)
        for s in (reading.spread(SIGMA2) for reading in READINGS)
    }
    return stacked(tables, "spread")


def table4(
    meanings: Iterable[tuple[str, int]] = tuple(product(SIGMA2_IS, (2, 1))),
) -> pd.DataFrame:
    """Judgments needed for a share of significant pairs, by the integral (Table 4).

    `meanings` are what "sigma^2" (one of `SIGMA2_IS`) and "p-level 0.05" (the test's sides) may be.
    Columns sigma2_is, sides, systems, sigma2, share, judgments; 60 rows for each meaning.
    """
    rows = []
    for (sigma2_is, sides), n, sigma2 in product(meanings, TABLE4_SYSTEMS, TABLE4_SIGMA2):
        model = Model(n, spread_of(sigma2, sigma2_is))
        for share in TABLE4_SHARES:
            needed = judgments_needed(share, model, sides=sides)
            rows.append((sigma2_is, sides, n, sigma2, share, needed))
    columns = ["sigma2_is", "sides", "systems", "sigma2", "share", "judgments"]
    return pd.DataFrame(rows, columns=columns)


def section6() -> pd.DataFrame:
    """Expected share of significant pairs at the size of WMT12: reading, judgments, share."""
    shares = [
        expected_share([WMT12], Model(SYSTEMS, r.spread(SIGMA2)), sides=r.sides)[0]
        for r in READINGS
    ]
    names = [r.name for r in READINGS]
    return pd.DataFrame({"reading": names, "judgments": WMT12, "share": shares})


def table4_check(table: pd.DataFrame, experiments: int, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Table 4 simulated block by block: does the share come out at the integral's number?

    `table` is from `table4`, one meaning. Columns systems, sigma2, share, and those of
    `experiments.simulated_shares`.
    """
    parts = []
    for _, rows in table.groupby(["systems", "sigma2"], sort=False):
        first = rows.iloc[0]
        model = Model(int(first["systems"]), spread_of(first["sigma2"], first["sigma2_is"]))
        sizes = rows["judgments"].round().astype(int).tolist()
        part = simulated_shares(
            model, sizes, experiments, seed, sides=int(first["sides"]), jobs=jobs
        )
        target = rows[["systems", "sigma2", "share"]].reset_index(drop=True)
        parts.append(pd.concat([target, part], axis=1))
    return pd.concat(parts, ignore_index=True)
