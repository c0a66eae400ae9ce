"""Koehn (2012) recomputed, for any campaign's tasks, under the two readings of `papers.koehn2012`.

A reference among the systems of a real task is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.paperkit.claims import settings
from companion.legacy.rankstability.rank.resampling import Units, units
from companion.legacy.rankstability.score.pairwise import expected_win, weighted
from companion.legacy.rankstability.score.rr import REFERENCE

from ...models.chance import child_seeds
from ...models.ranges import decided, range_table, significant_share
from ...models.simulate import Model
from ...models.tasks import tasks as tasks  # for the notebook
from .experiments import (
    Bootstrap,
    expected_share,
    fit_spread,
    judgments_needed,
    range_qualities,
    ranking_errors,
    stacked,
)
from .experiments import advice_for as advice_for  # for the notebook

KOEHN = settings("koehn2012")
SYSTEMS = KOEHN["systems"]
SIGMA2 = KOEHN["sigma2"]
MATCHING_SPREAD = KOEHN["matching_spread"]
SIGMA2_IS = ("variance", "standard deviation")
WMT12 = 13_000  # judgments, Section 6
SIZES = (10_000, 20_000, 30_000, 40_000, 50_000)
TABLE4_SYSTEMS = (6, 8, 10, 12, 15)
TABLE4_SIGMA2 = (8, 10, 12)
TABLE4_SHARES = (0.5, 0.7, 0.8, 0.9)
POINTS = 12  # points of a task's growth curve
CANDIDATES = tuple(range(2, 41))  # spreads that are tried
RESAMPLES = 1000


@dataclass(frozen=True)
class Reading:
    """One way to read the paper, as `papers.koehn2012` explains."""

    name: str
    sigma2_is: str  # what the printed sigma^2 is: one of `SIGMA2_IS`
    sides: int  # of the sign test
    trim: float  # share of resampled ranks removed at each end
    unranked: str  # of blanks: ``drop`` or ``keep`` (see `score.pairwise.comparisons`)

    def spread(self, sigma2: float) -> float:
        """The standard deviation that a printed sigma^2 stands for."""
        return spread_of(sigma2, self.sigma2_is)

    def sigma2(self, spread: float) -> float:
        """What the paper would print for a standard deviation."""
        return spread**2 if self.sigma2_is == "variance" else spread

    def trimmed(self, resamples: int) -> int:
        """The number of ranks removed at each end of `resamples`."""
        return max(1, round(self.trim * resamples))


READINGS = AS_STATED, AS_MATCHED = [
    Reading(**said) for said in KOEHN["readings"]
]


def spread_of(sigma2: float, sigma2_is: str) -> float:
    """The standard deviation that `sigma2` stands for, if it is one of `SIGMA2_IS`."""
    return float(np.sqrt(sigma2)) if sigma2_is == "variance" else float(sigma2)


@dataclass(frozen=True)
class Effort:
    """How much is simulated: the paper's numbers (`FULL`), or enough to see the shape (`QUICK`)."""

    experiments: int  # for Figure 3
    runs: int  # for Table 1
    resamples: int
    advice_experiments: int  # for the band of Section 6's advice
    orders: int  # random orders of a real task's blocks, for Figure 2


FULL = Effort(10_000, 400, 1000, advice_experiments=1000, orders=20)
QUICK = Effort(60, 8, 200, advice_experiments=50, orders=4)


def figure3(experiments: int, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Errors of the ranking methods at the two spreads that "sigma^2 = 10" may mean, and at 20.

    Columns spread, and those of `experiments.ranking_errors`.
    """
    spreads = [
        *(reading.spread(SIGMA2) for reading in READINGS),
        MATCHING_SPREAD,
    ]
    tables = {
        s: ranking_errors(
            Model(SYSTEMS, s), SIZES, experiments, seed, jobs=jobs
        )
        for s in spreads
    }
    return stacked(tables, "spread")


def table1(
    runs: int, resamples: int, seed: int, jobs: int = 1
) -> pd.DataFrame:
    """Quality of rank ranges at both spreads, both trims and with one and two sides.

    Columns spread, and those of `experiments.range_qualities`.
    """
    trims = tuple(reading.trimmed(resamples) for reading in READINGS)
    bootstrap = Bootstrap(resamples, trims)
    tables = {
        s: range_qualities(
            Model(SYSTEMS, s), SIZES, runs, bootstrap, seed, jobs
        )
        for s in (reading.spread(SIGMA2) for reading in READINGS)
    }
    return stacked(tables, "spread")


def table4(
    meanings: Iterable[tuple[str, int]] = tuple(product(SIGMA2_IS, (2, 1))),
) -> pd.DataFrame:
    """Judgments needed for a share of significant pairs, by `judgments_needed` (Table 4).

    `meanings` are what "sigma^2" (one of `SIGMA2_IS`) and "p-level 0.05" (the sides of the test)
    may mean. Columns sigma2_is, sides, systems, sigma2, share, judgments; 60 rows per meaning.
    """
    rows = []
    for (sigma2_is, sides), n, sigma2 in product(
        meanings, TABLE4_SYSTEMS, TABLE4_SIGMA2
    ):
        model = Model(n, spread_of(sigma2, sigma2_is))
        for share in TABLE4_SHARES:
            needed = judgments_needed(share, model, sides=sides)
            rows.append((sigma2_is, sides, n, sigma2, share, needed))
    columns = ["sigma2_is", "sides", "systems", "sigma2", "share", "judgments"]
    return pd.DataFrame(rows, columns=columns)


def section6() -> pd.DataFrame:
    """Expected share of significant pairs at the size of WMT12: reading, judgments, share."""
    rows = []
    for r in READINGS:
        share = expected_share(
            [WMT12], Model(SYSTEMS, r.spread(SIGMA2)), sides=r.sides
        )[0]
        rows.append((r.name, WMT12, share))
    return pd.DataFrame(rows, columns=["reading", "judgments", "share"])


def win_ratios(tasks: Mapping[str, Units]) -> pd.DataFrame:
    """Win ratios (expected win) of each task's systems, best first (Figure 1).

    Columns task, rank, system, win_ratio, straight (the ratio on a straight line fitted to the
    task's ratios, as expected for uniform qualities), r2 (of that line).
    """
    parts = []
    for task, data in tasks.items():
        used = data.without(REFERENCE)
        score = expected_win(used.counts)
        order = np.argsort(-score, kind="stable")
        ratio = score[order]
        rank = np.arange(1, len(order) + 1)
        line = (
            np.polynomial.Polynomial.fit(rank, ratio, 1)(rank)
            if len(rank) > 1
            else ratio
        )
        spread = ((ratio - ratio.mean()) ** 2).sum()
        part = pd.DataFrame(
            {
                "task": task,
                "rank": rank,
                "system": np.array(used.systems)[order],
            }
        )
        r2 = 1 - ((ratio - line) ** 2).sum() / spread if spread > 0 else np.nan
        parts.append(part.assign(win_ratio=ratio, straight=line, r2=r2))
    return pd.concat(parts, ignore_index=True)


def growth(
    data: Units, rng: np.random.Generator, *, orders: int = 20, sides: int = 1
) -> pd.DataFrame:
    """Share of significant pairs as a real task's judgments accumulate (Figure 2, solid lines).

    Blocks are taken in `orders` random orders, and pairs tested at `POINTS` sizes. Columns
    judgments (as collected), decided (without ties), share, share_low, share_high (mean, lowest and
    highest over orders).
    """
    used = data.without(REFERENCE)
    number = len(used.judges)
    ends = np.unique(
        np.linspace(0, number, POINTS + 1).round().astype(int)[1:]
    )
    shares = []
    judged = []
    decided = []
    for _ in range(orders):
        place = np.argsort(rng.permutation(number))
        weight = (place[None, :] < ends[:, None]).astype(np.int64)
        counts = weighted((used.wins, used.ties), weight, used.systems)
        shares.append(significant_share(counts.wins, sides=sides))
        decided.append(counts.wins.sum(axis=(1, 2)))
        judged.append(decided[-1] + counts.ties.sum(axis=(1, 2)) / 2)
    share = np.array(shares)
    columns = {
        "judgments": np.mean(judged, axis=0),
        "decided": np.mean(decided, axis=0),
    }
    limits = {"share_low": share.min(axis=0), "share_high": share.max(axis=0)}
    return pd.DataFrame(columns | {"share": share.mean(axis=0)} | limits)


def block_size(data: Units) -> int:
    """The number k of systems in the most frequent kind of block, from its pairs k(k-1)/2."""
    pairs = (
        np.ravel(data.wins.sum(axis=1)) + np.ravel(data.ties.sum(axis=1)) / 2
    )
    values, times = np.unique(
        pairs[pairs > 0].round().astype(int), return_counts=True
    )
    usual = values[np.argmax(times)]
    return round(float(1 + np.sqrt(1 + 8 * usual)) / 2)


def fitted_spreads(
    tasks: Mapping[str, Units],
    seed: int,
    *,
    orders: int = 20,
    readings: Sequence[Reading] = READINGS,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The spread that fits each task's growth best (Figure 2), and the curves.

    Columns of the spreads: reading, task, systems, block, judgments, share (with all judgments),
    spread (best of `CANDIDATES`), sigma2 (as the reading would print it), rmse. Columns of the
    curves: reading, task, those of `growth`, and fitted (the model's expected share).
    """
    fits: list[dict[str, Any]] = []
    curves: dict[tuple[str, str], pd.DataFrame] = {}
    for reading in readings:
        for i, (task, data) in enumerate(tasks.items()):
            rng = np.random.default_rng([seed, i])
            sides = reading.sides
            grown = growth(data, rng, orders=orders, sides=sides)
            used = data.without(REFERENCE)
            n = len(used.systems)
            model = Model(n, block=min(block_size(used), n))
            sizes = grown["judgments"].to_numpy()
            shares = grown["share"].to_numpy()
            spread, misfit = fit_spread(
                sizes, shares, model, CANDIDATES, sides=sides
            )
            best = Model(n, spread, model.block)
            curve = grown.assign(
                fitted=expected_share(sizes, best, sides=sides)
            )
            curves[reading.name, task] = curve
            row = {
                "reading": reading.name,
                "task": task,
                "systems": n,
                "block": model.block,
            }
            row |= {
                "judgments": sizes[-1],
                "share": shares[-1],
                "spread": spread,
            }
            fits.append(
                row | {"sigma2": reading.sigma2(spread), "rmse": misfit}
            )
    return pd.DataFrame(fits), stacked(curves, "reading", "task")


def repeated_ranges(
    frame: pd.DataFrame, seed: int, *, repetitions: int = 25
) -> pd.DataFrame:
    """A task's ranking with rank ranges computed as in the paper, from several bootstraps.

    `frame` has the rows of one task from `rr.read_rr`. Judgments, without ties, are resampled
    one by one. Columns reading, repetition, and those of `models.ranges.range_table`.
    """
    tables = {}
    for reading in READINGS:
        data = decided(units(frame, reading.unranked).without(REFERENCE))
        trim = reading.trimmed(RESAMPLES)
        for i, rng in enumerate(child_seeds(seed, repetitions)):
            tables[reading.name, i] = range_table(
                data, RESAMPLES, rng, trim=trim
            )
    return stacked(tables, "reading", "repetition")
