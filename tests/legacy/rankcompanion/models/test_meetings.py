"""Whom systems met, and how strong those were, by hand."""

import numpy as np
import pytest

from companion.legacy.rankcompanion.models.meetings import meetings
from companion.legacy.rankstability.rank.bradley_terry import davidson
from companion.legacy.rankstability.score.pairwise import PairCounts


def counts(names, won, tied=None):
    """Counts of systems of one letter: how often the first of a word beat, or tied, the second."""
    wins, ties = np.zeros((2, len(names), len(names)), int)
    for word, number in won.items():
        wins[names.index(word[0]), names.index(word[1])] = number
    for word, number in (tied or {}).items():
        i, j = (names.index(letter) for letter in word)
        ties[i, j] = ties[j, i] = number
    return PairCounts(tuple(names), wins, ties)


MET = counts(
    "ABCTLM",
    {"AB": 3, "BA": 1, "BC": 2, "CB": 1, "TA": 2, "TC": 1, "BL": 4, "LM": 1},
    {"AC": 2},
)


def test_whom_systems_met_and_how_strong_those_were():
    met = meetings(MET)
    assert met.index.tolist() == [0, 1, 2, 3, 4, 5] and met["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    # joined to and fro: A, B, C; T never lost, L and M have no way up: by their shares of wins
    assert met["system"].tolist() == [*"ABCTLM"]
    by = met.set_index("system")
    assert by["comparisons"].to_dict() == {"A": 8, "B": 11, "C": 6, "T": 3, "L": 5, "M": 1}
    assert by["opponents"].to_dict() == {"A": 3, "B": 3, "C": 3, "T": 2, "L": 2, "M": 1}
    assert by["other"].to_dict() == {"A": "B", "B": "A", "C": "B", "T": "A", "L": "B", "M": "L"}
    assert by["share"].tolist() == pytest.approx([4 / 8, 4 / 11, 3 / 6, 2 / 3, 4 / 5, 1])
    assert by["ties"].tolist() == [2, 0, 2, 0, 0, 0]
    a, b, c = davidson(MET.without("T", "L", "M"))[0]
    known = [(4 * b + 2 * c) / 6, (4 * a + 3 * c) / 7, (3 * b + 2 * a) / 5, (2 * a + c) / 3, b]
    assert by["opponents_strength"].tolist()[:5] == pytest.approx(known)
    assert np.isnan(by.loc["M", "opponents_strength"])  # met nobody of known strength
    # T 3 of 3, B 7 of 11 (1 of 4, 2 of 3, 4 of 4), A 3 of 6, C 1 of 4, L 1 of 5, M 0 of 1
    assert by["rank_bojar"].to_dict() == {"T": 1, "B": 2, "A": 3, "C": 4, "L": 5, "M": 6}
    assert by["rank_decided"].to_dict() == {"A": 1, "B": 2, "C": 3, "T": 4, "L": 5, "M": 6}


def test_ties_with_the_best_raise_a_system_and_without_them_it_falls():
    tied = counts("ABC", {"AB": 9, "BA": 5, "BC": 4, "CB": 3}, {"AC": 30})
    met = meetings(tied).set_index("system")
    assert met.loc["C", "rank"] < met.loc["B", "rank"]
    assert met.loc["C", "rank_decided"] > met.loc["B", "rank_decided"]


def test_a_system_that_only_tied_is_last_by_the_share_of_wins():
    met = meetings(counts("ABD", {"AB": 3, "BA": 2}, {"AD": 4})).set_index("system")
    assert met["rank_bojar"].to_dict() == {"A": 1, "B": 2, "D": 3}


def test_where_no_two_systems_are_joined_those_met_still_have_an_order():
    met = meetings(counts("CBA", {"AB": 2, "BC": 2, "AC": 1}))
    assert met["system"].tolist() == [*"ABC"] and met["rank"].tolist() == [1, 2, 3]
    assert met["rank_decided"].tolist() == [1, 2, 3]
    strength = met["opponents_strength"]
    assert strength.notna().all() and strength[0] < strength[2]  # A met the weaker, C the stronger
