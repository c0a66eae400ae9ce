"""With few units: false claims and coverage in a seeded simulation that can fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from rankcompanion.lines.few_units import few_units, fewest
from rankstability.rank.sets import rank_sets
from rankstability.rank.units import FEWEST_UNITS, Means, effective_units, means, unit_totals


@pytest.mark.parametrize("kinds", ["one", "two"])
def test_the_promise_is_kept_with_the_fewest_units_that_are_allowed(kinds):
    rng = np.random.default_rng(17)
    table = few_units(rng, 150, (FEWEST_UNITS,), (kinds,), effects=("skewed",), draws=200)
    assert table["promise_kept"].tolist() == [1, 1]
    assert fewest(table) == FEWEST_UNITS
    claims = table["claims_of_equals"].to_numpy() * 150
    assert (binom.sf(claims - 1, 150, 0.05) > 0.01).all()
    assert (table[["covered_marginal", "covered_simultaneous"]] >= 0.93).all(axis=None)
    assert (table["lines_of_equals"] <= table["claims_of_equals"]).all()


def test_a_promise_that_is_broken_is_seen(monkeypatch):
    """With draws as if the covariance over four units were known."""
    monkeypatch.setattr(Means, "cautious", lambda self: (self.t(), 1e6))
    rng = np.random.default_rng(5)
    table = few_units(rng, 60, (4,), ("one",), ("equal",), ("normal",), draws=200)
    assert table["promise_kept"].tolist() == [0]
    assert np.isnan(fewest(table))
    more = table.assign(units=6, promise_kept=1)
    assert fewest(pd.concat([table, more])) == 6


def test_where_nothing_is_told_apart_nothing_is_claimed_and_all_is_covered(monkeypatch):
    monkeypatch.setattr(Means, "t", lambda self: np.zeros(self.covariance.shape))
    monkeypatch.setattr(Means, "cautious", lambda self: (self.t(), 5.0))
    table = few_units(np.random.default_rng(5), 3, (4,), ("one",), ("equal",), ("normal",))
    shares = ["lines_of_equals", "claims_of_equals", "covered_marginal", "covered_simultaneous"]
    assert table[shares].to_numpy().tolist() == [[0.0, 0.0, 1.0, 1.0]]


def test_units_of_uneven_size_count_for_fewer():
    assert effective_units(np.ones((12, 3))) == pytest.approx(12)
    size = np.array([[10.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    assert effective_units(size) == pytest.approx(144 / 102)


def test_a_system_that_one_unit_alone_judged_is_never_told_apart():
    """All its judgments share one luck: no variance is seen, which is no certainty."""
    rng = np.random.default_rng(0)
    system = np.append(np.tile([0, 1], 30), [2] * 10)
    unit = np.append(np.repeat(np.arange(30), 2), [0] * 10)
    score = rng.normal(size=70) + 100.0 * (system == 2) + 5.0 * (system == 1)
    sure = means(*unit_totals(system, unit, score))
    sets = rank_sets(sure, rng)
    assert sets.loc[2, ["simultaneous_low", "simultaneous_high"]].tolist() == [1, 3]
    assert sure.cautious()[0][2, :2].tolist() == [0.0, 0.0]
    assert sure.t()[2, 1] > 10


def test_the_fewest_units_are_those_measured():
    measured = Path(__file__).parents[2] / "benchmarks" / "results" / "few_units.csv"
    assert fewest(pd.read_csv(measured)) == FEWEST_UNITS
