"""The tables and figures of Koehn (2012), under the paper's wording and under what matches it.

Two readings run through everything. **As stated**: sigma^2 is a variance, significance is a
two-sided sign test at 5 %, 25 of 1000 resampled ranks go at each end, blanks are left out.
**As matched**: the printed sigma^2 is a standard deviation, each direction is tested at 5 %,
5 of 1000 ranks go (1 %), blanks keep their -1 and so win. `readings` argues for it from numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from ..change.simulate import Model
from ..rank.ranges import Units
from ..score.rr import REFERENCE
from ..study.campaign_size import judgments_needed
from ..study.experiments import range_qualities, ranking_errors, simulated_shares
from . import claims

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

AS_STATED = Reading("as stated", root=True, sides=2, trim=0.025, unranked="drop")
AS_MATCHED = Reading("as matched", root=False, sides=1, trim=0.005, unranked="keep")
READINGS = (AS_STATED, AS_MATCHED)


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


# ------------------------------------------------------------------------- Figure 3 and Table 1


def figure3(effort: Effort, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Errors of the ranking methods at the spreads that "sigma^2 = 10" may mean, and at 20.

    Returns
    -------
    DataFrame
        spread, and the columns of `simulation_experiments.ranking_errors`.
    """
    parts = []
    for spread in (AS_STATED.spread(SIGMA2), AS_MATCHED.spread(SIGMA2), MATCHING_SPREAD):
        model = Model(SYSTEMS, spread)
        part = ranking_errors(model, SIZES, effort.experiments, seed, jobs=jobs)
        part.insert(0, "spread", spread)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def table1(effort: Effort, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Quality of rank ranges at both spreads, both trims and with one and two sides.

    Returns
    -------
    DataFrame
        spread, and the columns of `simulation_experiments.range_qualities`.
    """
    parts = []
    trims = [reading.trimmed(effort.resamples) for reading in READINGS]
    for reading in READINGS:
        model = Model(SYSTEMS, reading.spread(SIGMA2))
        part = range_qualities(
            model, SIZES, effort.runs, effort.resamples, seed, trims=trims, jobs=jobs
        )
        part.insert(0, "spread", model.spread)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def printed_table1() -> pd.DataFrame:
    """Table 1 as printed: method, judgments, size, violations, clusters, cluster_violations."""
    columns = {
        "range size": "size",
        "violations": "violations",
        "clusters": "clusters",
        "cluster violations": "cluster_violations",
    }
    rows: dict[tuple[str, int], dict[str, float]] = {}
    for cell, text in printed_cells("Table 1").items():
        _, size, method, name = cell.split(" | ")
        row = rows.setdefault((method, int(size.split()[0])), {})
        row[columns[name]] = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    index = pd.DataFrame(list(rows), columns=["method", "judgments"])
    return pd.concat([index, pd.DataFrame(list(rows.values()))], axis=1)


def printed_figure3() -> pd.DataFrame:
    """The errors in the text on Figure 3: ranker, judgments, error."""
    rows = []
    for cell, text in printed_cells("Figure 3").items():
        reading, size, ranker = cell.split(" | ")
        if reading == AS_STATED.name:
            rows.append((ranker, int(size.split()[0]), float(text.rstrip("%")) / 100))
    return pd.DataFrame(rows, columns=["ranker", "judgments", "error"])


def table4_check(
    table: pd.DataFrame, reading: Reading, effort: Effort, seed: int, jobs: int = 1
) -> pd.DataFrame:
    """Table 4 simulated block by block: does the share come out at the integral's number?

    Parameters
    ----------
    table : DataFrame
        From `table4`; its rows are checked.

    Returns
    -------
    DataFrame
        systems, sigma2, share, and the columns of `simulation_experiments.simulated_shares`.
    """
    parts = []
    for (n, sigma2), rows in table.groupby(["systems", "sigma2"], sort=False):
        model = Model(int(n), reading.spread(float(sigma2)))
        sizes = rows["judgments"].round().astype(int).tolist()
        part = simulated_shares(
            model, sizes, effort.check_experiments, seed, sides=reading.sides, jobs=jobs
        )
        part.insert(0, "share", rows["share"].to_numpy())
        part.insert(0, "sigma2", sigma2)
        part.insert(0, "systems", n)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)
