"""Koehn (2012): how near each reading of the paper comes to what it prints."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..study.experiments import QUALITIES
from ..study.readings import AS_STATED
from . import claims

PAPER = "koehn2012"
NUMBERS = ["judgments", "systems", "sigma2", "share"]
RUNS = 400  # behind each number of Table 1
READ = ["blanks", "ties", "unit", "trim"]


def printed(place: str) -> pd.DataFrame:
    """What the paper prints at a place, as numbers.

    Columns: method, quantity, judgments, systems, sigma2, share, and value (percentages as shares).
    """
    rows = claims.published(PAPER, place)
    rows = rows[rows["reading"] == AS_STATED.name].reset_index(drop=True)  # typed once per reading
    scale = rows["published"].str.endswith("%").map({True: 100, False: 1})
    numbers = rows[NUMBERS].apply(pd.to_numeric)
    value = rows["published"].str.rstrip("%").astype(float) / scale
    return rows[["method", "quantity"]].join(numbers).assign(value=value)


def beside_table4(needed: pd.DataFrame) -> pd.DataFrame:
    """`needed` (from `readings.table4`) beside the print.

    Columns: those of `needed`, printed, ratio (ours / printed), on_grid (ours rounded up to the
    next number that Table 4 prints in any cell: a grid inferred from the print, as a "grid search"
    suggests), steps (from the printed number to that one).
    """
    keys = ["systems", "sigma2", "share"]
    thousands = printed("Table 4")[[*keys, "value"]]
    out = needed.merge(thousands, on=keys, how="left").rename(columns={"value": "printed"})
    out["printed"] *= 1000
    grid = np.sort(out["printed"].unique())
    ours = np.searchsorted(grid, out["judgments"]).clip(max=len(grid) - 1)
    steps = ours - np.searchsorted(grid, out["printed"])
    ratio = out["judgments"] / out["printed"]
    return out.assign(ratio=ratio, on_grid=grid[ours], steps=steps)


def distance_from_table4(table: pd.DataFrame) -> pd.DataFrame:
    """How far each meaning of sigma^2 and of the test is from the 60 cells of `beside_table4`.

    Columns: sigma2_is, sides, ratio (geometric mean of ours / printed), typical_factor (exp of the
    mean absolute log ratio), within_20_percent, on_grid_exact, within_a_step (cells of 60).
    """
    logs = np.log(table["ratio"])
    near, steps = (table["ratio"] - 1).abs() <= 0.2, table["steps"].abs()
    rows = table.assign(log=logs, size=logs.abs(), near=near, same=steps == 0, step=steps <= 1)
    grouped = rows.groupby(["sigma2_is", "sides"], sort=False)
    factors = grouped.agg(ratio=("log", "mean"), typical_factor=("size", "mean"))
    cells = ["within_20_percent", "on_grid_exact", "within_a_step"]
    numbers = grouped[["near", "same", "step"]].sum().set_axis(cells, axis=1)
    return np.exp(factors).join(numbers).reset_index()


def range_text(first: int, last: int) -> str:
    """A rank range as the paper prints it."""
    return f"{first}" if first == last else f"{first}–{last}"


def fits_of_ranges(real: pd.DataFrame, simulated: pd.DataFrame) -> pd.DataFrame:
    """How near each reading of the bootstrap comes to Tables 1, 2 and 3 together.

    From `reading_search.real_ranges` of the tasks of Tables 2 and 3, and `simulated_quality`.
    Columns: blanks, ties, unit, trim; ranges (of the 28 printed ones, how many come out, mean over
    repetitions), clusters_table2, clusters_table3 (printed: 6 and 2), table1_chi2 (over the 20
    cells of Table 1's bootstrap; the model has no ties, blanks or judges), unbeaten (1: no reading
    is nearer to Table 1 and to Tables 2 and 3). Best first by ranges.
    """
    keys = ["task", "system"]
    on_paper = claims.published(PAPER, "Table 2", "Table 3")
    on_paper = on_paper[on_paper["reading"] == AS_STATED.name]
    texts = on_paper.loc[on_paper["quantity"] == "range", [*keys, "published"]]
    rows = real.merge(texts, on=keys)
    rows["same"] = list(map(range_text, rows["first"], rows["last"])) == rows["published"]
    each = rows.groupby([*READ, "repetition"])["same"].sum().groupby(READ).mean()
    number = real.groupby(["task", *READ, "repetition"])["cluster"].max()
    number = number.groupby(["task", *READ]).mean().unstack("task")
    number = number.rename(columns={"en-cs": "clusters_table2", "fr-en": "clusters_table3"})
    table = each.rename("ranges").to_frame().join(number)
    chi2 = _table_1_chi2(simulated).rename("table1_chi2")
    table = table.reset_index().merge(chi2.reset_index(), "left", on=["unit", "trim"])
    ranges, misfit = table["ranges"].to_numpy(), table["table1_chi2"].to_numpy()
    beaten = (ranges[None, :] >= ranges[:, None]) & (misfit[None, :] <= misfit[:, None])
    beaten &= (ranges[None, :] > ranges[:, None]) | (misfit[None, :] < misfit[:, None])
    unbeaten = ~beaten.any(axis=1) & np.isfinite(misfit)
    table = table.assign(unbeaten=unbeaten.astype(int))
    return table.sort_values(["ranges", "table1_chi2"], ascending=[False, True], ignore_index=True)


def _table_1_chi2(simulated: pd.DataFrame) -> pd.Series:
    """By unit and trim: squared distances from Table 1's 20 bootstrap cells in standard errors.

    Both means have an error, the paper's over 400 runs, and the printed one is rounded.
    """
    cells = printed("Table 1")
    cells = cells[cells["method"] == "bootstrap"][["quantity", "judgments", "value"]]
    about = simulated[["unit", "trim", "judgments", "runs"]]
    parts = [
        about.assign(quantity=name, ours=simulated[name], se=simulated[f"{name}_se"])
        for name in QUALITIES
    ]
    long = pd.concat(parts).merge(cells, on=["quantity", "judgments"])
    unit = long["quantity"].str.contains("violations").map({True: 0.001, False: 0.1})
    error = np.sqrt(long["se"] ** 2 * (1 + long["runs"] / RUNS) + unit**2 / 12)
    square = ((long["ours"] - long["value"]) / error) ** 2
    return square.groupby([long["unit"], long["trim"]]).sum()
