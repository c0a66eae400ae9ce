"""What systems were judged on, by hand and by all permutations."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from assessments import board
from companion.legacy.rankcompanion.verdict import coverage
from companion.legacy.rankstability.score.scored import from_frame


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
