"""Experiments on simulated campaigns: ranking error, quality and coverage of rank ranges."""

from __future__ import annotations

import numpy as np
import pytest

from rankcompanion.models.simulate import Model
from rankcompanion.simulation.experiments import (
    RANKERS,
    coverage,
    range_qualities,
    range_quality,
    ranking_error,
    ranking_errors,
)


def test_ranking_error_counts_inverted_pairs():
    """One neighbouring swap of four systems is one of six pairs; a reversal is all of them."""
    truth = np.array([1, 2, 3, 4])
    assert ranking_error(np.array([2, 1, 3, 4]), truth) == pytest.approx(1 / 6)
    assert ranking_error(np.array([[4, 3, 2, 1], [1, 2, 3, 4]]), truth).tolist() == [1, 0]


def test_lopez_errs_more_than_the_simple_scores():
    """Figure 3's finding, at the spread that matches it; and BOJAR's printed 13.2 % and 6.4 %."""
    table = ranking_errors(Model(15, 20.0), [10_000, 50_000], 300, 11)
    error = table.set_index(["ranker", "judgments"])["error"]
    se = table["error_se"].max()
    assert set(table["ranker"]) == set(RANKERS)
    for size, printed in ((10_000, 0.132), (50_000, 0.064)):
        assert error["LOPEZ", size] > error["BOJAR", size] + 4 * se
        assert abs(error["BOJAR", size] - printed) < 4 * se
        assert abs(error["BOJAR", size] - error["EXPECTED", size]) < se


def test_any_number_of_jobs_gives_the_same_numbers():
    one, two = (
        ranking_errors(Model(8, 10.0), [500, 1000], 20, 5, jobs=jobs, shard=5) for jobs in (1, 2)
    )
    assert one.equals(two)
    other = ranking_errors(Model(8, 10.0), [500, 1000], 20, 6, shard=5)
    assert not one["error"].equals(other["error"])


def test_range_quality_of_a_small_case():
    """True order A B C D; B is said to be 1-1, A 2-2, C and D 3-4: two violations, two clusters
    wrong by one pair, sizes 1, 1, 2, 2."""
    first, last = np.array([2, 1, 3, 3]), np.array([2, 1, 4, 4])
    size, violations, clusters, wrong = range_quality(first, last, np.array([1, 2, 3, 4]))
    assert (size, violations, clusters, wrong) == (1.5, 0.5, 3, 0.5)


def test_table_1_at_10000_judgments():
    """Range sizes near the printed 8.1 (pairwise, one-sided) and 4.6 (bootstrap, trim 5)."""
    table = range_qualities(Model(15, 10.0), [10_000], 40, 1000, 4, trims=[25, 5]).set_index(
        "setting"
    )
    size = table["size"]
    assert abs(size["1-sided"] - 8.1) < 0.5 and size["2-sided"] > 8.7
    assert abs(size["trim 5"] - 4.6) < 0.5 and size["trim 25"] < 4.3
    assert table["clusters"]["trim 5"] > table["clusters"]["1-sided"]


def test_blocks_cover_better_than_judgments():
    """Single judgments give narrower ranges, which hold the truth less often than those of blocks,
    most of all where judges differ."""
    both = coverage(Model(12, 10.0), 5000, 40, 300, 3, judge_spreads=[0.0, 3.0])
    for judge_spread, table in both.groupby("judge_spread"):
        held = table.set_index("unit")
        assert held["size"]["block"] > held["size"]["judgment"] + 0.3
        assert held["coverage"]["block"] > held["coverage"]["judgment"]
        assert held["coverage"]["block"] > (0.94 if judge_spread == 0 else 0.85)
    judgment = both[both["unit"] == "judgment"].set_index("judge_spread")["coverage"]
    assert judgment[0.0] > judgment[3.0] and judgment[3.0] < 0.93
