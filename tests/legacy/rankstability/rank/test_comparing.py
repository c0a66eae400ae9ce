"""Comparisons of two rankings, by hand and by brute force."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import made
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.comparing import compare


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
