"""Items as units: leaderboards without annotators or documents."""

import time

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel

from rankstability.inference.items import least_items
from rankstability.inference.ratings import infer_ratings, pair_tests
from rankstability.scores.arrays import ScoreArrays


def board(score, lacking=None):
    """Return a table of items; `score` has shape (items, systems), NaN where lacking."""
    score = np.array(score, float)
    if lacking is not None:
        score[lacking] = np.nan
    item, system = np.nonzero(np.isfinite(score))
    names = tuple(f"s{k:03}" for k in range(score.shape[1]))
    items = tuple(map(str, range(len(score))))
    return ScoreArrays(names, items, system, item, score[item, system], items=True)


def test_paired_t_test_over_items():
    rng = np.random.default_rng(0)
    score = rng.normal([1, 0.3, 0], 1, (30, 3))
    tests = pair_tests(board(score))
    assert tests.units == {"segment": 30}
    assert tests.p[0, 1] == pytest.approx(ttest_rel(score[:, 0], score[:, 1]).pvalue)


def test_two_values_give_the_exact_sign_test():
    rng = np.random.default_rng(1)
    score = (rng.random((25, 2)) < [0.8, 0.4]).astype(float)
    wins = int((score[:, 0] > score[:, 1]).sum())
    differ = int((score[:, 0] != score[:, 1]).sum())
    expected = binomtest(wins, differ).pvalue
    assert pair_tests(board(score)).p[0, 1] == pytest.approx(expected)


def test_items_that_all_systems_answer_alike_say_nothing():
    rng = np.random.default_rng(8)
    binary = (rng.random((20, 4)) < [0.9, 0.6, 0.5, 0.2]).astype(float)
    alike = np.ones((200, 4))
    np.testing.assert_allclose(
        pair_tests(board(np.vstack([binary, alike]))).p, pair_tests(board(binary)).p
    )
    for seed in range(20):
        score = np.random.default_rng(seed).normal([0.9, 0.5, 0.2, 0], 1, (6, 4))
        before = pair_tests(board(score)).p
        after = pair_tests(board(np.vstack([score, alike]))).p
        assert (after >= 2.0**-5).all()
        assert (after[before > 0.05] > 0.05).all()


def test_p_is_not_below_that_of_a_sign_test():
    score = np.array([[3.0, 1.0], [2.9, 1.0], [3.1, 1.0], [3.0, 1.02]])
    assert pair_tests(board(score)).p[0, 1] == pytest.approx(2.0**-3)


def test_least_number_of_items():
    assert [least_items(n) for n in (2, 7, 10, 90, 200)] == [6, 8, 8, 11, 12]
    rng = np.random.default_rng(2)
    inference = infer_ratings(board((rng.random((10, 90)) < 0.5).astype(float)))
    assert "few_items" in inference.notes and not inference.better.any()
    details = inference.extra["details"]["few_items"]
    assert details == {"number": 10, "systems": 90, "least": 11}


def test_a_system_that_lacks_hard_items_gains_nothing():
    ease = np.linspace(-3, 3, 60)
    rng = np.random.default_rng(3)
    score = ease[:, None] + rng.normal(0, 1, (60, 4))
    lacking = np.zeros((60, 4), bool)
    lacking[:12, 0] = True
    made = infer_ratings(board(score, lacking))
    assert not made.better.any() and "systems_lack_segments" in made.notes
    assert made.extra["details"]["systems_lack_segments"] == {"systems": "s000"}
    plain = board(score, lacking).means()
    assert plain[0] - plain[1:].mean() > 0.5
    by_name = dict(zip(made.systems, made.mean, strict=True))
    assert abs(by_name["s000"] - np.mean([by_name[f"s00{k}"] for k in (1, 2, 3)])) < 0.4


def test_effective_items_of_incomplete_boards():
    rng = np.random.default_rng(4)
    score = rng.normal(size=(50, 5))
    lacking = rng.random((50, 5)) < 0.3
    tests = pair_tests(board(score, lacking))
    shared = (~lacking).astype(int).T @ (~lacking).astype(int)
    pairs = np.triu_indices(5, 1)
    assert (tests.df[pairs] > 0.8 * shared[pairs]).all()
    number = (~lacking).sum(axis=0)
    assert (tests.df[pairs] < np.minimum.outer(number, number)[pairs]).all()


def test_systems_without_common_items_are_not_compared():
    score = np.random.default_rng(5).normal([5, 0, 0, 0], 1, (40, 4))
    lacking = np.zeros((40, 4), bool)
    lacking[20:, :2] = lacking[:20, 2:] = True
    tests = pair_tests(board(score, lacking))
    assert (tests.p[:2, 2:] == 1).all() and (tests.pair_reasons[:2, 2:] == "not_joined").all()
    assert tests.p[0, 1] == 2.0**-19 and "no_shared_segments" in tests.notes


def test_rare_large_losses_are_named():
    rng = np.random.default_rng(6)
    score = -(rng.random((200, 2)) < 0.25).astype(float) + rng.normal(0, 0.01, (200, 2))
    score[:, 0] = rng.normal(0, 0.01, 200)
    score[:2, 0] = -25
    assert "rare_item_losses" in infer_ratings(board(score)).notes
    even = rng.normal(size=(200, 3))
    assert "rare_item_losses" not in infer_ratings(board(even)).notes


def test_speed_of_a_large_board():
    rng = np.random.default_rng(7)
    score = (rng.random((2000, 200)) < np.linspace(0.3, 0.6, 200)).astype(float)
    start = time.process_time()
    inference = infer_ratings(board(score, rng.random(score.shape) < 0.1))
    assert time.process_time() - start < 4  # 1.5 on a quiet core
    assert inference.better.any()
