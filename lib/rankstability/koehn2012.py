"""The tables and figures of Koehn (2012), under the paper's wording and under what matches it.

Two readings run through everything. **As stated**: sigma^2 is a variance, significance is a
two-sided sign test at 5 %, 25 of 1000 resampled ranks go at each end, blanks are left out.
**As matched**: the printed sigma^2 is a standard deviation, each direction is tested at 5 %,
5 of 1000 ranks go (1 %), blanks keep their -1 and so win. `readings` argues for it from numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from . import claims
from .campaign_size import expected_share, fit_spread, judgments_needed, significant_share
from .rank_ranges import Units, range_table
from .relative_ranking import REFERENCE, expected_win, weighted
from .simulation import Model

PAPER = "koehn2012"
SYSTEMS, SIGMA2 = 15, 10.0  # Sections 4.4 and 5.2
SIZES = (10_000, 20_000, 30_000, 40_000, 50_000)
MATCHING_SPREAD = 20.0  # the spread at which Figure 3's printed errors come out
TABLE4_SHARES = (0.5, 0.7, 0.8, 0.9)
TABLE4_ROWS = tuple(product((6, 8, 10, 12, 15), (8, 10, 12)))


@dataclass(frozen=True)
class Reading:
    """One way to read the paper; see the module's text."""

    name: str
    root: bool
    sides: int
    trim: float
    unranked: str

    def spread(self, sigma2: float) -> float:
        """The standard deviation that a printed sigma^2 stands for."""
        return float(np.sqrt(sigma2)) if self.root else float(sigma2)

    def sigma2(self, spread: float) -> float:
        """The other way round."""
        return spread**2 if self.root else spread

    def trimmed(self, resamples: int) -> int:
        """Ranks chopped off at each end of `resamples`."""
        return max(1, round(self.trim * resamples))

    def prepared(self, data: Units) -> Units:
        """A task's judgments as the paper takes them: without reference, without ties."""
        return data.without(REFERENCE).decided()


AS_STATED = Reading("as stated", root=True, sides=2, trim=0.025, unranked="drop")
AS_MATCHED = Reading("as matched", root=False, sides=1, trim=0.005, unranked="keep")
READINGS = (AS_STATED, AS_MATCHED)


# ------------------------------------------------------------------------- Figures 1 and 2, fits


def win_ratios(tasks: Mapping[str, Units]) -> pd.DataFrame:
    """Win ratios (expected win) of each task's systems, best first (Figure 1).

    Returns
    -------
    DataFrame
        task, rank, system, win_ratio, straight (the ratio on the straight line of least squares
        through the task's ratios: uniform qualities lie on one), r2 (of that line).
    """
    parts = []
    for task, data in tasks.items():
        used = data.without(REFERENCE)
        score = expected_win(used.counts)
        order = np.argsort(-score, kind="stable")
        ratio, rank = score[order], np.arange(1, len(order) + 1)
        line = np.polynomial.Polynomial.fit(rank, ratio, 1)(rank) if len(rank) > 1 else ratio
        spread = ((ratio - ratio.mean()) ** 2).sum()
        r2 = 1 - ((ratio - line) ** 2).sum() / spread if spread > 0 else np.nan
        names = [used.systems[i] for i in order]
        parts.append(
            pd.DataFrame(
                {
                    "task": task,
                    "rank": rank,
                    "system": names,
                    "win_ratio": ratio,
                    "straight": line,
                    "r2": r2,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def growth(
    data: Units,
    rng: np.random.Generator,
    *,
    points: int = 12,
    orders: int = 20,
    sides: int = 1,
) -> pd.DataFrame:
    """Share of significant pairs as a real task's judgments come in (Figure 2, solid lines).

    The blocks are put into `orders` random orders and counted after ever more of them.

    Returns
    -------
    DataFrame
        judgments (ties counted: what was collected), decided (ties not counted), share and its
        lowest and highest value over the orders.
    """
    used = data.without(REFERENCE)
    number = len(used.judges)
    ends = np.unique(np.linspace(0, number, points + 1).round().astype(int)[1:])
    shares, judged, decided = [], [], []
    for _ in range(orders):
        place = np.empty(number, dtype=np.int64)
        place[rng.permutation(number)] = np.arange(number)
        weight = (place[None, :] < ends[:, None]).astype(np.int64)
        counts = weighted((used.wins, used.ties), weight, used.systems)
        shares.append(significant_share(counts.wins, sides=sides))
        decided.append(counts.wins.sum(axis=(1, 2)))
        judged.append(decided[-1] + counts.ties.sum(axis=(1, 2)) / 2)
    share = np.array(shares)
    return pd.DataFrame(
        {
            "judgments": np.mean(judged, axis=0),
            "decided": np.mean(decided, axis=0),
            "share": share.mean(axis=0),
            "share_low": share.min(axis=0),
            "share_high": share.max(axis=0),
        }
    )


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
    readings: Sequence[Reading] = (AS_MATCHED,),
    candidates: Sequence[float] = tuple(range(2, 41)),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The spread that fits each task's growth (Figure 2).

    Returns
    -------
    DataFrame
        reading, task, systems, judgments, share (all judgments), spread (best of `candidates`),
        sigma2 (as the reading would print it), rmse.
    DataFrame
        reading, task, and the columns of `growth`, with `fitted`, the model's expected share.
    """
    fits, curves = [], []
    for reading in readings:
        for i, (task, data) in enumerate(tasks.items()):
            rng = np.random.default_rng([seed, i])
            grown = growth(data, rng, orders=orders, sides=reading.sides)
            n = len(data.without(REFERENCE).systems)
            model = Model(n, block=min(block_size(data.without(REFERENCE)), n))
            sizes = grown["judgments"].to_numpy()
            spread, misfit = fit_spread(
                sizes, grown["share"].to_numpy(), model, candidates, sides=reading.sides
            )
            best = Model(n, spread, model.block)
            grown["fitted"] = expected_share(sizes, best, sides=reading.sides)
            grown.insert(0, "task", task)
            grown.insert(0, "reading", reading.name)
            curves.append(grown)
            fits.append(
                {
                    "reading": reading.name,
                    "task": task,
                    "systems": n,
                    "block": model.block,
                    "judgments": sizes[-1],
                    "share": grown["share"].iloc[-1],
                    "spread": spread,
                    "sigma2": reading.sigma2(spread),
                    "rmse": misfit["rmse"].min(),
                }
            )
    return pd.DataFrame(fits), pd.concat(curves, ignore_index=True)


# ----------------------------------------------------------------------------------- Tables 2 to 4


def ranges_by_unit(
    tasks: Mapping[str, Units], unit_names: Sequence[str], resamples: int, seed: int
) -> pd.DataFrame:
    """Each task's ranking with 95 % rank ranges, by what is resampled; reference left out.

    Returns
    -------
    DataFrame
        task, unit, and the columns of `rank_ranges.range_table`.
    """
    parts = []
    for i, (task, data) in enumerate(tasks.items()):
        for u, unit in enumerate(unit_names):
            rng = np.random.default_rng([seed, i, u])
            table = range_table(data.without(REFERENCE), resamples, rng, unit=unit)
            table.insert(0, "unit", unit)
            table.insert(0, "task", task)
            parts.append(table)
    return pd.concat(parts, ignore_index=True)


def range_summary(ranges: pd.DataFrame) -> pd.DataFrame:
    """Mean size of the rank ranges and number of clusters: task, unit, systems, size, clusters."""
    sized = ranges.assign(size=ranges["last"] - ranges["first"] + 1)
    grouped = sized.groupby(["task", "unit"], sort=False, observed=True)
    return grouped.agg(
        systems=("system", "size"), size=("size", "mean"), clusters=("cluster", "max")
    ).reset_index()


def table4(reading: Reading) -> pd.DataFrame:
    """Judgments needed, by the integral: systems, sigma2, share, judgments (Table 4)."""
    rows = []
    for n, sigma2 in TABLE4_ROWS:
        model = Model(n, reading.spread(sigma2))
        for share in TABLE4_SHARES:
            needed = judgments_needed(share, model, sides=reading.sides)
            rows.append((n, sigma2, share, needed))
    return pd.DataFrame(rows, columns=["systems", "sigma2", "share", "judgments"])


def table4_cell(systems: int, sigma2: float, share: float) -> str:
    """The ledger's key of a cell of Table 4, without the reading."""
    return f"n {systems}, sigma2 {sigma2:g} | {share:.0%} of pairs (thousands)"


def table4_readings() -> pd.DataFrame:
    """Table 4 under every combination of variance or sd, one or two sides, beside the print.

    Returns
    -------
    DataFrame
        sigma2_is, sides, systems, sigma2, share, printed, judgments, ratio (ours / printed).
    """
    printed = printed_cells("Table 4")
    parts = []
    for root, sides in product((True, False), (2, 1)):
        table = table4(Reading("", root, sides, 0.0, "drop"))
        cells = zip(table["systems"], table["sigma2"], table["share"], strict=True)
        keys = [f"as stated | {table4_cell(*cell)}" for cell in cells]
        table["printed"] = [1000 * float(printed[key]) for key in keys]
        table["ratio"] = table["judgments"] / table["printed"]
        table.insert(0, "sides", sides)
        table.insert(0, "sigma2_is", "variance" if root else "standard deviation")
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def readings(table: pd.DataFrame) -> pd.DataFrame:
    """How far each reading is from the 60 printed cells (from `table4_readings`).

    Returns
    -------
    DataFrame
        sigma2_is, sides, ratio (geometric mean of ours / printed), typical_factor (exp of the
        mean absolute log ratio), within_20_percent (cells of 60).
    """
    logs = np.log(table["ratio"])
    rows = table.assign(log=logs, size=logs.abs(), near=(table["ratio"] - 1).abs() <= 0.2)
    grouped = rows.groupby(["sigma2_is", "sides"], sort=False)
    out = grouped.agg(log=("log", "mean"), size=("size", "mean"), near=("near", "sum"))
    return pd.DataFrame(
        {
            "ratio": np.exp(out["log"]),
            "typical_factor": np.exp(out["size"]),
            "within_20_percent": out["near"],
        }
    ).reset_index()


def printed_cells(*places: str) -> dict[str, str]:
    """What the paper prints at some places, by the ledger's cell."""
    rows = claims.published(PAPER, *places)
    return dict(zip(rows["cell"], rows["published"], strict=True))
