"""The two readings of Koehn (2012), and the tables made under them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.paperkit import paths
from companion.legacy.rankcompanion.models.simulate import Model, draw_blocks, draw_qualities
from companion.legacy.rankcompanion.notebooks.simulation import readings
from companion.legacy.rankcompanion.notebooks.simulation.experiments import expected_share, judgments_needed
from companion.legacy.rankcompanion.notebooks.simulation.readings import AS_MATCHED, AS_STATED, READINGS
from companion.legacy.rankcompanion.papers import koehn2012
from companion.legacy.rankstability.rank.resampling import units


def test_what_a_printed_sigma2_stands_for():
    assert AS_STATED.spread(10) == pytest.approx(10**0.5) and AS_MATCHED.spread(10) == 10
    for reading in READINGS:
        assert reading.sigma2(reading.spread(7)) == pytest.approx(7)
    assert AS_STATED.trimmed(1000) == 25 and AS_MATCHED.trimmed(1000) == 6


def test_section_6_contradicts_table_4():
    """13,000 judgments separate 55 %, not 70 %, of the pairs; 80 % need 80,000, not 40,000."""
    share = readings.section6().set_index("reading")["share"]
    assert share["as matched"] == pytest.approx(0.546, abs=0.002)
    more = expected_share([40_000, 80_000], Model(15, 10.0))
    assert more == pytest.approx([0.723, 0.800], abs=0.002)


def test_no_reading_gives_tables_1_to_3_together():
    """As `benchmarks/koehn_readings.py` tried them: single judgments, 6 trimmed, are nearest."""
    near = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "koehn_readings.csv")
    assert len(near) == 2 * 2 * 3 * 10 and near["ranges"].max() < 28
    unbeaten = near[near["unbeaten"] == 1]
    least = unbeaten.loc[unbeaten["table1_chi2"].idxmin()]
    assert (least["unit"], least["trim"]) == ("judgment", 1000 * AS_MATCHED.trim)
    assert least["table1_chi2"] > 20  # of 20 cells: not these, either


def with_reference(model, at, judgments, rng):
    """Blocks of a simulated campaign whose last system is a reference of this quality."""
    quality = draw_qualities(model, 1, rng)[0]
    quality[-1] = at
    data = draw_blocks(model, quality, judgments, rng)
    return replace(data, systems=(*data.systems[:-1], "_ref"))


def test_growth_of_a_simulated_campaign_finds_its_spread():
    """Tasks drawn at spread 6 with 20,000 judgments are fitted near 6 on average."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(4):
        task = units(with_reference(Model(16, 6.0), 14.0, 20_000, rng))
        fits, curves = readings.fitted_spreads({"x": task}, 1, orders=3, readings=[AS_MATCHED])
        found.append(fits["spread"][0])
        assert fits["systems"][0] == 15 and fits["block"][0] == 5
        assert curves["share"].is_monotonic_increasing or curves["share"].max() <= 1
    assert 4.5 < np.mean(found) < 8


def test_win_ratios_leave_the_reference_out():
    data = with_reference(Model(9, 10.0), 30.0, 30_000, np.random.default_rng(1))
    table = readings.win_ratios({"x": units(data)})
    assert "_ref" not in set(table["system"]) and len(table) == 8
    assert table["win_ratio"].is_monotonic_decreasing
    assert table["win_ratio"].mean() == pytest.approx(0.5, abs=1e-9)


def test_table_4_has_the_printed_cells_of_each_meaning():
    """Systems 6 to 15 by sigma^2 8 to 12 by four shares; sigma^2 is a variance or a spread."""
    table = readings.table4([("standard deviation", 1), ("variance", 2)])
    cells = table[["systems", "sigma2", "share"]]
    wanted = set(koehn2012.printed("Table 4")[list(cells)].itertuples(index=False, name=None))
    assert len(wanted) == 60
    for _, part in table.groupby(["sigma2_is", "sides"]):
        assert (
            len(part) == 60 and set(part[list(cells)].itertuples(index=False, name=None)) == wanted
        )
    keys = ["sigma2_is", "systems", "sigma2", "share"]
    needed = table.set_index(keys)["judgments"]
    for said, sides, spread in (("variance", 2, 10**0.5), ("standard deviation", 1, 10.0)):
        ours = needed[said, 15, 10, 0.7]
        assert ours == judgments_needed(0.7, Model(15, spread), sides=sides)
