"""The two readings of Koehn (2012), and the tables made under them."""

from __future__ import annotations

import pandas as pd
import pytest

from rankcompanion.simulation import readings
from rankcompanion.simulation.readings import AS_MATCHED, AS_STATED, READINGS
from rankstability.rank.ranges import trim_for


def test_what_a_printed_sigma2_stands_for():
    assert AS_STATED.spread(10) == pytest.approx(10**0.5) and AS_MATCHED.spread(10) == 10
    for reading in READINGS:
        assert reading.sigma2(reading.spread(7)) == pytest.approx(7)
    assert AS_STATED.trimmed(1000) == trim_for(1000) == 25 and AS_MATCHED.trimmed(1000) == 6


def test_table_4_needs_more_where_more_is_asked():
    table = readings.table4([("standard deviation", 1)])
    assert len(table) == 60
    keys = ["systems", "sigma2"]
    by_share = table.pivot(index=keys, columns="share", values="judgments")
    assert (by_share.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    assert (by_share.groupby("systems").diff().dropna() > 0).all(axis=None)


def test_table_4_simulated_agrees_with_the_integral():
    rows = readings.table4([("variance", 2)])
    rows = rows[(rows["systems"] == 6) & (rows["sigma2"] == 8) & (rows["share"] < 0.8)]
    check = readings.table4_check(rows, 200, 1)
    pd.testing.assert_frame_equal(
        check[["systems", "sigma2", "share"]], rows[["systems", "sigma2", "share"]]
    )
    assert ((check["simulated"] - check["share"]).abs() < 4 * check["simulated_se"]).all()


def test_figure_3_and_table_1_at_the_spreads_that_sigma2_may_mean():
    errors = readings.figure3(4, 1)
    assert sorted(errors["spread"].unique()) == pytest.approx([10**0.5, 10, 20])
    quality = readings.table1(2, 200, 1)
    assert sorted(quality["spread"].unique()) == pytest.approx([10**0.5, 10])
    settings = {"1-sided", "2-sided", "trim 5", "trim 1"}
    assert set(quality["setting"]) == settings and len(quality) == 2 * 4 * 5


def test_section_6_contradicts_table_4():
    """13,000 judgments separate 55 %, not 70 %, of the pairs as matched."""
    share = readings.section6().set_index("reading")["share"]
    assert share["as matched"] == pytest.approx(0.546, abs=0.002)
