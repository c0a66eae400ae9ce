"""Rank sets hold the truth as often as they promise; those over segments do not."""

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
    made = coverage(known, ["segment", TWO_WAY], rng, DRAWS)
    return made.set_index("unit")


def test_sets_over_workers_and_documents_cover(table):
    held = round(table.loc[TWO_WAY, "covered"] * DRAWS)
    assert stats.binomtest(held, DRAWS, 0.95, "less").pvalue > 0.01


def test_sets_over_segments_do_not(table):
    assert table.loc["segment", "covered_high"] < 0.93
    assert table.loc["segment", "width"] < table.loc[TWO_WAY, "width"]


def test_few_units_get_wide_sets():
    da, _ = demo("SR+DC", 23, workers=4, documents=20)
    known = known_truth(da, variance.Components(GIVEN, 0.0, {}, 0.0, 0))
    few = coverage(known, ["worker"], np.random.default_rng(1), 10)
    assert few["width"].item() > 0.9 * len(known.quality) and few["covered"].item() == 1


def test_the_shares_are_those_of_a_slow_count():
    da, _ = demo("SR+DC", 24, workers=12, documents=12)
    plain = dict.fromkeys(GIVEN, 0.0) | {"system": 2500.0, "residual": 1.0}
    fit = models.additive(da)
    fit = replace(fit, spread=np.ones_like(fit.spread))
    known = known_truth(da, variance.Components(plain, 0.0, {}, 0.0, 0), fit)
    sure = coverage(known, ["worker"], np.random.default_rng(1), 3)
    assert (sure["covered"] == 1).all() and (sure["width"] < 2.5).all()  # gaps dwarf the noise
