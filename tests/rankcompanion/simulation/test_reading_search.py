"""Koehn's bootstrap under every reading: what must hold of the ranges whatever the truth."""

from __future__ import annotations

import koehn_readings
import numpy as np
import pandas as pd

from conftest import needs
from rankcompanion.models.simulate import Model
from rankcompanion.simulation.experiments import range_qualities
from rankstability.read import campaigns
from rankstability.score.rr import tasks


def test_single_judgments_are_table_1s_bootstrap_and_blocks_are_wider():
    """Drawn from blocks or from counts: the same sizes within the error of both."""
    model = Model(8, 10.0)
    drawn = koehn_readings.simulated_quality(model, (2000,), 20, 200, 1)
    usual = range_qualities(model, (2000,), 20, 200, 2, trims=[5])
    usual = usual[usual["setting"] == "trim 5"].iloc[0]
    wide = drawn.set_index(["unit", "trim"])
    one = wide.loc[("judgment", 25)]
    assert abs(one["size"] - usual["size"]) < 5 * np.hypot(one["size_se"], usual["size_se"])
    size = wide["size"].unstack("unit")
    assert (size["block"] >= size["judgment"] - 0.1).all() and (size.diff()[1:] <= 0).all(axis=None)


@needs("wmt12")
def test_no_reading_gives_tables_1_to_3_together():
    """Trim 6 to 8 by single judgments is near all three; blocks are near Tables 2 and 3 only."""
    frames = tasks(campaigns.load_rr(campaigns.find("wmt12")))
    two = {task: frames[task] for task in ("en-cs", "fr-en")}
    real = koehn_readings.real_ranges(two, 400, 1, repetitions=1)
    assert len(real) == 28 * 2 * 2 * 3 * len(koehn_readings.PER_THOUSAND)
    quality = pd.DataFrame(
        {"unit": ["judgment", "block"], "trim": [6, 25], "judgments": 10_000, "runs": 400}
    )
    cells = {"size": 4.6, "violations": 0.034, "clusters": 1.8, "cluster_violations": 0.005}
    for name, value in cells.items():  # as Table 1 prints them, and half as much again
        se = 0.05 if value > 1 else 0.001
        quality[name], quality[f"{name}_se"] = [value, value * 1.5], se
    near = koehn_readings.fits_of_ranges(real, quality)
    by = near.set_index(["blanks", "ties", "unit", "trim"])
    assert by["table1_chi2"].xs(("judgment", 6), level=("unit", "trim")).eq(0).all()
    assert by["table1_chi2"].xs(("block", 25), level=("unit", "trim")).gt(20).all()
    assert by.loc[("keep", "left out", "judgment", 6), "ranges"] >= 16
    assert by.loc[("keep", "left out", "judge", 6), "ranges"] <= 12
    assert by["ranges"].max() < 28 and near["ranges"].is_monotonic_decreasing
    assert near.loc[near["unbeaten"] == 1, "table1_chi2"].min() == 0
