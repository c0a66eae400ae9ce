"""What systems were judged on and whom they met, by hand and by all permutations."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from rankcompanion.verdict import coverage
from rankstability.rank.bradley_terry import davidson
from rankstability.score.pairwise import PairCounts
from rankstability.score.scored import from_frame


def test_a_design_counts_what_each_system_was_judged_on():
    rows = [("a", "x1", "x", 4.0), ("a", "x2", "x", 2.0), ("a", "x2", "x", 6.0),
            ("a", "y1", "y", 1.0), ("b", "x1", "x", 8.0)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["system", "segment", "document", "score"])
    table = coverage.design(from_frame(frame)).set_index("system")
    counted = table[["judgments", "segments", "documents"]].to_numpy().tolist()
    assert counted == [[4, 3, 2], [1, 1, 1]]
    assert table["share"].tolist() == pytest.approx([1, 1 / 3])
    assert table.loc["b", "paired"] - table.loc["a", "paired"] == pytest.approx(4)  # on x1 alone
    assert not coverage.complete(from_frame(frame))
    assert "documents" not in coverage.design(from_frame(frame.drop(columns="document")))


def judged_segments(numbers, means):
    """Systems with so many segments, the first ones of a list, and such paired means."""
    rows = [(f"s{s}", f"g{k:02d}", mean) for s, (number, mean) in
            enumerate(zip(numbers, means, strict=True)) for k in range(number)]  # fmt: skip
    return from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))


def exact_chance(numbers, means):
    """How often a permutation of the numbers of segments goes as far with the ranks of means."""
    number, mean = rankdata(numbers), rankdata(means)
    seen = number @ mean
    return np.mean([np.array(p) @ mean >= seen - 1e-9 for p in permutations(number)])


@pytest.mark.parametrize(
    ("numbers", "means"),
    [
        ((10, 8, 8, 6), (4, 3, 2, 1)),
        ((10, 6, 8, 8), (4, 3, 2, 1)),
        ((5, 9, 9, 9, 7), (1, 2, 2, 3, 5)),
    ],
)
def test_how_often_chance_gives_the_good_more_segments_is_that_of_all_permutations(numbers, means):
    data = judged_segments(numbers, means)
    p = coverage.looks_adaptive(data, np.random.default_rng(1), 20_000)
    expected = exact_chance(numbers, means)
    assert p == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000))


def test_the_least_chance_that_is_told_is_one_more_than_the_draws():
    data = judged_segments(range(10, 20), range(10))
    assert coverage.looks_adaptive(data, np.random.default_rng(1)) == 1 / 2001
    assert coverage.looks_adaptive(data, np.random.default_rng(1), 99) == 1 / 100
    worst = judged_segments(range(10, 20), range(10)[::-1])
    assert coverage.looks_adaptive(worst, np.random.default_rng(1)) == 1


def test_a_quarter_more_segments_is_uneven_and_less_is_not():
    rng = np.random.default_rng(1)
    assert np.isfinite(coverage.looks_adaptive(judged_segments((5, 4), (2, 1)), rng))
    assert np.isfinite(coverage.looks_adaptive(judged_segments((6, 4), (2, 1)), rng))
    assert np.isnan(coverage.looks_adaptive(judged_segments((6, 5), (2, 1)), rng))
    rows = [("a", "x", 1.0), ("a", "y", 2.0), ("b", "z", 3.0)]  # twice as many, none shared
    apart = from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))
    assert np.isnan(coverage.looks_adaptive(apart, rng))


def test_complete_is_nearly_every_segment_of_every_system():
    assert coverage.complete(judged_segments((50, 49), (2, 1)))  # .98 of all
    assert not coverage.complete(judged_segments((50, 48), (2, 1)))


def board(scores, lacks=()):
    """Scores of an array (items, systems), without the cells (item, system) that are lacking."""
    rows = [
        (f"S{s:02d}", f"q{i:03d}", value)
        for (i, s), value in np.ndenumerate(scores)
        if (i, s) not in set(lacks)
    ]
    return from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))


def test_fewer_items_than_needed_cannot_tell_the_best_from_the_worst_of_so_many():
    for n in (2, 7, 10, 90, 200):
        needed = coverage.items_needed(n)
        level = 0.05 / max(n // 2, 1)
        assert 2.0 ** (1 - needed) <= level
    assert [coverage.items_needed(n) for n in (2, 7, 10, 90, 200)] == [6, 8, 8, 11, 12]


def test_who_lacks_most_items_is_named_first_and_who_lacks_none_is_not():
    made = board(np.ones((6, 4)), [(0, 1), (0, 3), (1, 3), (2, 0)])
    assert list(coverage.lacking(made).items()) == [("S03", 2), ("S00", 1), ("S01", 1)]
    assert coverage.lacking(board(np.ones((2, 2)))) == {}


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
    met = coverage.meetings(MET)
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
    met = coverage.meetings(tied).set_index("system")
    assert met.loc["C", "rank"] < met.loc["B", "rank"]
    assert met.loc["C", "rank_decided"] > met.loc["B", "rank_decided"]


def test_a_system_that_only_tied_is_last_by_the_share_of_wins():
    met = coverage.meetings(counts("ABD", {"AB": 3, "BA": 2}, {"AD": 4})).set_index("system")
    assert met["rank_bojar"].to_dict() == {"A": 1, "B": 2, "D": 3}


def test_where_no_two_systems_are_joined_those_met_still_have_an_order():
    met = coverage.meetings(counts("CBA", {"AB": 2, "BC": 2, "AC": 1}))
    assert met["system"].tolist() == [*"ABC"] and met["rank"].tolist() == [1, 2, 3]
    assert met["rank_decided"].tolist() == [1, 2, 3]
    strength = met["opponents_strength"]
    assert strength.notna().all() and strength[0] < strength[2]  # A met the weaker, C the stronger
