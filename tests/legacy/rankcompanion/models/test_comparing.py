"""Agreement of two orders or scores, by brute force and as scipy has it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from companion.legacy.rankcompanion.models.comparing import held_places, opposite_pairs, tau


def test_opposite_pairs_are_those_of_two_loops():
    rng = np.random.default_rng(2)
    for _ in range(20):
        a = pd.Series(rng.integers(-3, 4, 7) / 2, list("abcdefg"))
        b = pd.Series(rng.integers(-3, 4, 7) / 2, list("gfedcbh"))
        both = [s for s in a.index if s in b.index]
        expected = sum(
            (a[s] > a[t] and b[s] < b[t]) or (a[s] < a[t] and b[s] > b[t])
            for s, t in combinations(both, 2)
        )
        assert opposite_pairs(a, b) == expected


def test_tau_is_scipys():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 6, size=(2, 40, 8)).astype(float)
    expected = [kendalltau(a, b).statistic for a, b in zip(one, other, strict=True)]
    np.testing.assert_allclose(tau(one, other), expected)


def test_who_does_not_move_relative_to_the_others_keeps_its_place():
    before = ["a", "b", "c", "d", "e"]
    assert held_places(before, ["a", "c", "d", "e"]) == {"a": 1, "c": 3, "d": 4, "e": 5}
    assert held_places(before, ["e", "a", "b"]) == {"e": 1, "a": 2, "b": 5}
    assert held_places(before, []) == {}
    with pytest.raises(ValueError, match="zip"):
        held_places(before, ["a", "stranger"])


def test_pairs_with_a_missing_score_are_ties_of_tau():
    one, other = np.array([1.0, 2, np.nan]), np.array([1.0, 3, 2])
    assert tau(one, other) == pytest.approx(1 / np.sqrt(1 * 3))
    assert np.isnan(tau(np.ones(3), other))  # all tied
    many = np.random.default_rng(4).normal(size=(2, 3, 5, 4))
    alone = [[tau(many[0, i, j], many[1, i, j]) for j in range(5)] for i in range(3)]
    np.testing.assert_allclose(tau(*many), alone)


def test_equal_scores_are_in_no_opposite_order():
    a = pd.Series([1.0, 1.0, 2.0], list("xyz"))
    assert opposite_pairs(a, pd.Series([3.0, 2.0, 3.0], list("xyz"))) == 0
    assert opposite_pairs(a, pd.Series([3.0, 2.0, 1.0], list("xyz"))) == 2
    assert opposite_pairs(a, pd.Series([1.0], ["x"])) == 0
