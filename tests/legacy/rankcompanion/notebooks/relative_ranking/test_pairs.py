"""Who beats whom, with the sign test of each pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from companion.legacy.rankcompanion.notebooks.relative_ranking.pairs import file_place, sign_tests, win_percentages
from companion.legacy.rankstability.score.pairwise import PairCounts


@given(st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=20, deadline=None)
def test_sign_test_is_the_binomial_test(wins, losses):
    counts = PairCounts(("a", "b"), np.array([[0, wins], [losses, 0]]), np.zeros((2, 2), int))
    row = sign_tests(counts).iloc[0]
    n = wins + losses
    expected = binomtest(wins, n, 0.5).pvalue if n else 1.0
    assert row["p"] == pytest.approx(expected, abs=1e-12)
    assert (row["wins"], row["losses"]) == (max(wins, losses), min(wins, losses))


def test_file_place():
    assert file_place("cs-en individual", "pairs") == ("cs-en", "pairs_individual")
    assert file_place("cs-en", "pairs") == ("cs-en", "pairs")


def test_percentages_are_those_of_the_column_over_the_row():
    wins = np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]])
    ties = np.array([[0, 4, 0], [4, 0, 2], [0, 2, 0]])
    counts = PairCounts(("a", "b", "c"), wins, ties)
    table = win_percentages(counts, ["b", "a", "c"])
    assert list(table) == list(table.index) == ["b", "a", "c"]
    assert table.loc["b", "a"] == 100 * 3 / 8 and table.loc["a", "b"] == 100 * 1 / 8
    assert table.loc["b", "c"] == table.loc["c", "b"] == 0
    assert np.isnan(table.loc["a", "c"]) and np.isnan(table.loc["a", "a"])


def test_a_pair_never_compared_is_not_told_apart_and_one_system_has_no_pairs():
    wins = np.array([[0, 9, 0], [0, 0, 0], [0, 0, 0]])
    counts = PairCounts(("A", "B", "C"), wins, np.zeros((3, 3), int))
    table = sign_tests(counts).set_index(["system", "other"])
    assert table.loc[("A", "B"), "p"] == pytest.approx(2 / 2**9)
    assert table.loc[("A", "B"), "p_holm"] == pytest.approx(3 * 2 / 2**9)
    for pair in (("A", "C"), ("B", "C")):
        assert table.loc[pair, ["p", "p_holm", "p_bh"]].tolist() == [1.0, 1.0, 1.0]
    alone = PairCounts(("A",), np.zeros((1, 1), int), np.zeros((1, 1), int))
    assert sign_tests(alone)[["p", "p_holm", "p_bh"]].shape == (0, 3)


def test_sign_tests_by_hand():
    wins = np.array([[0, 2, 3], [9, 0, 4], [3, 1, 0]])
    ties = np.array([[0, 5, 0], [5, 0, 7], [0, 7, 0]])
    table = sign_tests(PairCounts(("A", "B", "C"), wins, ties))
    shown = table[["system", "other", "wins", "losses", "ties"]].to_numpy().tolist()
    assert shown == [["B", "A", 9, 2, 5], ["A", "C", 3, 3, 0], ["B", "C", 4, 1, 7]]
    assert table["p"].tolist() == pytest.approx([134 / 2048, 1, 12 / 32])
    assert table["p_holm"].tolist() == pytest.approx([3 * 134 / 2048, 1, 24 / 32])
    assert table["p_bh"].tolist() == pytest.approx([3 * 134 / 2048, 1, 1.5 * 12 / 32])
