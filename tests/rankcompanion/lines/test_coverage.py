"""Sets of ranks hold the truth as often as they promise; ranges over segments do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from assessments import demo
from rankcompanion.lines.coverage import coverage
from rankcompanion.models import additive as models
from rankcompanion.models import variance
from rankcompanion.models.truth import known_truth
from rankstability.rank.units import TWO_WAY

GIVEN = {"system": 6.0, "worker": 60.0, "document": 20.0, "segment": 25.0, "worker:system": 20.0,
         "block": 30.0, "document:system": 10.0, "residual": 120.0}  # fmt: skip
DRAWS = 150


@pytest.fixture(scope="module")
def table():
    """What one worker says of a system holds together: components of the size of WMT21's."""
    da, _ = demo("SR+DC", 22, workers=40, documents=40)
    fit = models.additive(da)
    known = known_truth(da, variance.Components(GIVEN, 0.0, {}, 0.0, 0), fit)
    rng = np.random.default_rng(8)
    made = coverage(known, ["segment", TWO_WAY], rng, DRAWS, resamples=100, multipliers=300)
    return made.set_index(["unit", "kind"])


def test_sets_over_workers_and_documents_cover(table):
    both = table.loc[TWO_WAY]
    held = round(both.loc["simultaneous", "covered"] * DRAWS)
    assert stats.binomtest(held, DRAWS, 0.95, "less").pvalue > 0.01
    assert both.loc["marginal", "covered_high"] >= 0.95
    assert both.loc["simultaneous", "width"] >= both.loc["marginal", "width"]


def test_ranges_over_segments_do_not(table):
    assert table.loc[("segment", "range"), "covered_high"] < 0.93
    assert table.loc[("segment", "simultaneous"), "covered_high"] < 0.93
    assert table.loc[("segment", "range"), "width"] < table.loc[(TWO_WAY, "range"), "width"]


def test_units_too_few_get_no_set():
    da, _ = demo("SR+DC", 23, workers=4, documents=20)
    known = known_truth(da, variance.Components(GIVEN, 0.0, {}, 0.0, 0))
    few = coverage(known, ["worker"], np.random.default_rng(1), 2, resamples=20, multipliers=20)
    assert few.empty


def test_the_shares_are_those_of_a_slow_count():
    da, _ = demo("SR+DC", 24, workers=12, documents=12)
    plain = dict.fromkeys(GIVEN, 0.0) | {"system": 2500.0, "residual": 1.0}
    fit = models.additive(da)
    fit = replace(fit, spread=np.ones_like(fit.spread))
    known = known_truth(da, variance.Components(plain, 0.0, {}, 0.0, 0), fit)
    sure = coverage(known, ["worker"], np.random.default_rng(1), 3, resamples=40, multipliers=40)
    assert (sure["covered"] > 0.9).all() and (sure["width"] < 2.5).all()  # gaps dwarf the noise
