"""Experiments on simulated campaigns: ranking error, quality of rank ranges, sizes needed."""

import numpy as np
import pytest

from companion.legacy.rankcompanion.models.ranges import significant_share
from companion.legacy.rankcompanion.models.simulate import Model, draw_counts, draw_qualities
from companion.legacy.rankcompanion.notebooks.simulation.experiments import (
    RANKERS,
    Bootstrap,
    advice,
    expected_share,
    feedback_arc_sets,
    fit_spread,
    judgments_needed,
    range_qualities,
    range_quality,
    ranking_error,
    ranking_errors,
)
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.tournament import net_weights


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
    table = range_qualities(Model(15, 10.0), [10_000], 40, Bootstrap(1000, (25, 5)), 4)
    table = table.set_index("setting")
    size = table["size"]
    assert abs(size["1-sided"] - 8.1) < 0.5 and size["2-sided"] > 8.7
    assert abs(size["trim 5"] - 4.6) < 0.5 and size["trim 25"] < 4.3
    assert table["clusters"]["trim 5"] > table["clusters"]["1-sided"]


@pytest.mark.parametrize(
    ("systems", "spread", "sides", "share"),
    [(15, 10.0, 1, 0.7), (6, 8.0, 2, 0.5), (6, 8.0, 2, 0.7), (10, 3.2, 1, 0.7)],
)
def test_the_integral_is_the_simulations_mean(systems, spread, sides, share):
    """Of blocks drawn one by one, at three sizes and at the number said to be needed."""
    model, rng = Model(systems, spread), np.random.default_rng(3)
    needed = judgments_needed(share, model, sides)
    sizes = sorted([500, 3000, 20_000, round(needed)])
    expected = expected_share(sizes, model, sides)
    assert expected[sizes.index(round(needed))] == pytest.approx(share, abs=0.002)
    wins = draw_counts(model, draw_qualities(model, 300, rng), sizes, rng)[0]
    drawn = significant_share(wins, sides=sides)
    se = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - expected) < 4 * se).all()


def test_the_spread_is_found_again():
    model = Model(12, 9.0)
    sizes = [2000, 6000, 20_000]
    assert fit_spread(sizes, expected_share(sizes, model), Model(12)) == (9.0, 0.0)


def test_advice_has_its_band_around_the_number():
    table = advice(Model(8, 10.0), [0.5, 0.8], 1, experiments=300)
    assert (table["fewer"] < table["judgments"]).all()
    assert (table["judgments"] < table["more"]).all()
    # of fresh campaigns with `more` judgments about 90 % have reached the share
    size = int(table["more"][1])
    rng = np.random.default_rng(9)
    quality = draw_qualities(Model(8, 10.0), 300, rng)
    reached = significant_share(draw_counts(Model(8, 10.0), quality, [size], rng)[:, 0])
    assert 0.8 < (reached >= 0.8 - 1e-9).mean() < 0.98


@pytest.mark.parametrize("times", [1, 10**6, 10**9, 10**12])
def test_larger_weights_change_no_order_of_many_small_blocks(times):
    counts = np.random.default_rng(3).integers(0, 9, (5, 7, 7))
    weights = net_weights(counts)
    orders, costs = feedback_arc_sets(weights * times)
    one, cost = feedback_arc_sets(weights)
    assert (orders == one).all() and (costs == cost * times).all() and cost.any()


def test_stacks_hold_square_tournaments_of_at_most_63_systems():
    line = np.triu(np.ones((63, 63), int), 1)
    orders, costs = feedback_arc_sets(np.stack([line, line.T]))
    assert orders[0].tolist() == list(range(63)) and orders[1].tolist() == list(range(63))[::-1]
    assert costs.tolist() == [0, 0]
    for wrong in (np.zeros((3, 3), int), np.zeros((2, 3, 4), int), np.zeros((1, 64, 64), int)):
        with pytest.raises(DataError, match="not a stack of square matrices") as error:
            feedback_arc_sets(wrong)
        assert error.value.expected == "(B, n, n), n at most 63"
    none = feedback_arc_sets(np.zeros((0, 4, 4), int))
    assert none[0].shape == (0, 4) and none[1].shape == (0,)
