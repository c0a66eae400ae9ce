"""Comparisons of two rankings, by hand and by brute force."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assessments import made
from rankstability.errors import DataError
from rankstability.rank.comparing import compare, opposite_pairs, tau


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
