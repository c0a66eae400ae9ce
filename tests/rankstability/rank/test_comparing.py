"""Comparisons of two rankings, by hand and by brute force."""

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assessments import made
from rankstability.errors import DataError
from rankstability.rank.comparing import compare, held_places, opposite_pairs, tau


@settings(max_examples=60, deadline=None)
@given(st.permutations(list("abcdef")))
def test_compare_counts_inversions_and_the_largest_move(order):
    before = made(np.zeros((6, 6)))
    scores = [float(-order.index(s)) for s in "abcdef"]
    change = compare(before, made(np.zeros((6, 6)), scores=scores))
    inversions = sum(
        order.index(x) > order.index(y) for i, x in enumerate("abcdef") for y in "abcdef"[i + 1 :]
    )
    assert change.kendall_distance == inversions
    assert change.largest_move == max(abs(order.index(s) - k) for k, s in enumerate("abcdef"))
    assert change.d_rank == (list(order) != list("abcdef"))
    assert not change.d_cluster and not change.d_both


def test_compare_tells_which_lines_came_and_went():
    before = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])  # a | b c
    after = made([[0, 0, 1], [0, 0, 1], [0, 0, 0]])  # a b | c
    change = compare(before, after)
    assert (change.d_rank, change.d_cluster, change.d_both) == (False, True, False)
    assert (change.lines_appeared, change.lines_vanished) == (1, 1)
    with pytest.raises(DataError, match="do not hold the same systems"):
        compare(before, after.without(["a"]))


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


def test_equal_rankings_differ_in_nothing_and_a_row_says_so_in_zeros():
    one = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    same = compare(one, one)
    assert list(same.row().items()) == [
        ("d_rank", 0), ("d_cluster", 0), ("d_both", 0), ("kendall_distance", 0),
        ("largest_move", 0), ("moved", ""), ("lines_appeared", 0), ("lines_vanished", 0),
    ]  # fmt: skip
    with pytest.raises(FrozenInstanceError):
        same.d_rank = True


def test_of_systems_that_move_as_far_the_better_one_is_named():
    before = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])  # a | b c
    after = made([[0, 1, 1], [0, 0, 1], [0, 0, 0]], scores=[1.0, 3.0, 2.0])  # the order b c a
    change = compare(before, after)
    assert (change.largest_move, change.moved, change.kendall_distance) == (2, "a", 2)
    swapped = compare(before, made(np.zeros((3, 3)), scores=[2.0, 3.0, 1.0]))  # b a c
    assert (swapped.largest_move, swapped.moved, swapped.kendall_distance) == (1, "a", 1)
    assert swapped.d_both and swapped.row()["d_both"] == 1
    assert (swapped.lines_appeared, swapped.lines_vanished) == (0, 1)


def test_what_is_no_ranking_is_not_compared():
    one = made(np.zeros((2, 2)))
    for pair in ((one, ["a", "b"]), (["a", "b"], one)):
        with pytest.raises(DataError, match="not a ranking; found 'list'"):
            compare(*pair)


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
