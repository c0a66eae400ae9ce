"""Real tasks in the light of Koehn's model: win ratios, fitted spread, rank ranges.

Koehn (2012), Figures 1 and 2 and Tables 2 and 3, for any campaign by relative ranking. A reference
among the systems is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankstability.chance import child_seeds
from rankstability.rank.ranges import UNITS, Units, range_table, units
from rankstability.rank.significance import significant_share
from rankstability.score.pairwise import expected_win, weighted
from rankstability.score.rr import REFERENCE

from ..models.simulate import Model
from ..relative_ranking.rr_changes import width_summary
from .campaign_size import expected_share, fit_spread
from .experiments import stacked
from .readings import READINGS, Reading

POINTS = 12  # of a task's growth
CANDIDATES = tuple(range(2, 41))  # spreads that are tried
RESAMPLES = 1000


def win_ratios(tasks: Mapping[str, Units]) -> pd.DataFrame:
    """Win ratios (expected win) of each task's systems, best first (Figure 1).

    Columns: task, rank, system, win_ratio, straight (the ratio on the straight line of least
    squares through the task's ratios: uniform qualities lie on one), r2 (of that line).
    """
    parts = []
    for task, data in tasks.items():
        used = data.without(REFERENCE)
        score = expected_win(used.counts)
        order = np.argsort(-score, kind="stable")
        ratio, rank = score[order], np.arange(1, len(order) + 1)
        line = np.polynomial.Polynomial.fit(rank, ratio, 1)(rank) if len(rank) > 1 else ratio
        spread = ((ratio - ratio.mean()) ** 2).sum()
        columns = {
            "task": task,
            "rank": rank,
            "system": [used.systems[i] for i in order],
            "win_ratio": ratio,
            "straight": line,
            "r2": 1 - ((ratio - line) ** 2).sum() / spread if spread > 0 else np.nan,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def growth(
    data: Units, rng: np.random.Generator, *, orders: int = 20, sides: int = 1
) -> pd.DataFrame:
    """Share of significant pairs as a real task's judgments come in (Figure 2, solid lines).

    The blocks are put into `orders` random orders and counted after ever more of them. Columns:
    judgments (ties counted: what was collected), decided (ties not counted), share and its lowest
    and highest value over the orders.
    """
    used = data.without(REFERENCE)
    number = len(used.judges)
    ends = np.unique(np.linspace(0, number, POINTS + 1).round().astype(int)[1:])
    shares, judged, decided = [], [], []
    for _ in range(orders):
        place = np.argsort(rng.permutation(number))
        weight = (place[None, :] < ends[:, None]).astype(np.int64)
        counts = weighted((used.wins, used.ties), weight, used.systems)
        shares.append(significant_share(counts.wins, sides=sides))
        decided.append(counts.wins.sum(axis=(1, 2)))
        judged.append(decided[-1] + counts.ties.sum(axis=(1, 2)) / 2)
    share = np.array(shares)
    columns = {"judgments": np.mean(judged, axis=0), "decided": np.mean(decided, axis=0)}
    columns |= {"share": share.mean(axis=0), "share_low": share.min(axis=0)}
    return pd.DataFrame(columns | {"share_high": share.max(axis=0)})


def block_size(data: Units) -> int:
    """Systems compared in the usual block: k for the most frequent number of pairs k(k-1)/2."""
    pairs = np.ravel(data.wins.sum(axis=1)) + np.ravel(data.ties.sum(axis=1)) / 2
    values, times = np.unique(pairs[pairs > 0].round().astype(int), return_counts=True)
    usual = values[np.argmax(times)]
    return round(float(1 + np.sqrt(1 + 8 * usual)) / 2)


def fitted_spreads(
    tasks: Mapping[str, Units],
    seed: int,
    *,
    orders: int = 20,
    readings: Sequence[Reading] = READINGS,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The spread that fits each task's growth (Figure 2), and the curves.

    The first with the columns reading, task, systems, block, judgments, share (all judgments),
    spread (best of `CANDIDATES`), sigma2 (as the reading would print it), rmse; the second with
    reading, task, those of `growth`, and `fitted`, the model's expected share.
    """
    fits: list[dict[str, Any]] = []
    curves: dict[tuple[str, str], pd.DataFrame] = {}
    for reading in readings:
        for i, (task, data) in enumerate(tasks.items()):
            rng, sides = np.random.default_rng([seed, i]), reading.sides
            grown = growth(data, rng, orders=orders, sides=sides)
            used = data.without(REFERENCE)
            n = len(used.systems)
            model = Model(n, block=min(block_size(used), n))
            sizes, shares = grown["judgments"].to_numpy(), grown["share"].to_numpy()
            spread, misfit = fit_spread(sizes, shares, model, CANDIDATES, sides=sides)
            best = Model(n, spread, model.block)
            curve = grown.assign(fitted=expected_share(sizes, best, sides=sides))
            curves[reading.name, task] = curve
            row = {"reading": reading.name, "task": task, "systems": n, "block": model.block}
            row |= {"judgments": sizes[-1], "share": shares[-1], "spread": spread}
            fits.append(row | {"sigma2": reading.sigma2(spread), "rmse": misfit})
    return pd.DataFrame(fits), stacked(curves, "reading", "task")


def ranges_by_unit(tasks: Mapping[str, Units], resamples: int, seed: int) -> pd.DataFrame:
    """Each task's ranking with 95 % rank ranges, by what is resampled; reference left out.

    Columns: task, unit, and those of `ranges.range_table`.
    """
    tables = {}
    for i, (task, data) in enumerate(tasks.items()):
        for u, unit in enumerate(UNITS):
            rng = np.random.default_rng([seed, i, u])
            tables[task, unit] = range_table(data.without(REFERENCE), resamples, rng, unit=unit)
    return stacked(tables, "task", "unit")


def range_summary(ranges: pd.DataFrame) -> pd.DataFrame:
    """Mean size of the rank ranges and number of clusters: task, unit, systems, size, clusters."""
    return width_summary(ranges, "task", "unit").rename(columns={"mean_width": "size"})


def repeated_ranges(frame: pd.DataFrame, seed: int, *, repetitions: int = 25) -> pd.DataFrame:
    """A task's ranking with rank ranges as the paper draws them, from several bootstraps.

    Of one task from `read.rr.read_rr`. Judgments are resampled one by one; how much hangs on the
    bootstrap's seed shows between the repetitions. Columns: reading, repetition, and those of
    `ranges.range_table`.
    """
    tables = {}
    for reading in READINGS:
        data = reading.prepared(units(frame, reading.unranked))
        trim = reading.trimmed(RESAMPLES)
        for i, rng in enumerate(child_seeds(seed, repetitions)):
            tables[reading.name, i] = range_table(data, RESAMPLES, rng, trim=trim)
    return stacked(tables, "reading", "repetition")
