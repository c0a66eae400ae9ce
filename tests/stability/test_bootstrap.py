"""Rank ranges by bootstrap and by sign tests; equal to version 0.3.0 for the same seeds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.scores.pairwise import PairCounts, count_votes, vote_arrays
from rankstability.stability.bootstrap import (
    bootstrap_ranks,
    critical_wins,
    pairwise_ranges,
    range_clusters,
    rank_ranges,
    rank_scores,
    resample,
    resample_comparisons,
    significant_share,
    significant_wins,
)
from simulated_votes import random_votes, ranking_blocks, vote_judgments

WINS = np.array([[0, 30, 5], [20, 0, 12], [10, 3, 0]])
OF_BEFORE = {  # version 0.3.0, demo-rr cs-en, 200 resamples of seed 5: first and last ranks
    "comparison": [(1, 2), (1, 3), (2, 4), (3, 6), (4, 6), (4, 6), (7, 8), (7, 8)],
    "block": [(1, 2), (1, 3), (2, 4), (3, 6), (3, 6), (4, 6), (7, 8), (7, 8)],
    "annotator": [(1, 2), (1, 4), (2, 3), (3, 6), (4, 5), (5, 6), (7, 8), (7, 8)],
}


@pytest.fixture(scope="module")
def demo():
    return load("demo-rr", "cs-en")


@pytest.mark.parametrize("unit", OF_BEFORE)
def test_ranges_equal_those_of_version_0_3_0(demo, unit):
    table = bootstrap_ranks(demo, rng=np.random.default_rng(5), resamples=200, unit=unit)
    assert table["system"].tolist() == [
        "cedar",
        "alder",
        "elm",
        "birch",
        "fir",
        "hazel",
        "larch",
        "rowan",
    ]
    found = list(zip(table["rank_range_low"], table["rank_range_high"], strict=True))
    assert found == OF_BEFORE[unit]
    assert table["cluster"].tolist() == [1, 1, 1, 1, 1, 1, 2, 2]


def test_ranges_hold_the_rank_and_follow_from_the_seed(demo):
    def draw(**words):
        return bootstrap_ranks(demo, rng=np.random.default_rng(1), resamples=200, **words)

    table = draw()
    assert (table["rank_range_low"] <= table["rank"]).all()
    assert (table["rank"] <= table["rank_range_high"]).all()
    assert table["score"].is_monotonic_decreasing and table["cluster"].is_monotonic_increasing
    assert table.equals(draw()) and table.equals(draw(unit="annotator"))
    wide = draw(trim=0)["rank_range_high"] - draw(trim=0)["rank_range_low"]
    narrow = draw(trim=40)["rank_range_high"] - draw(trim=40)["rank_range_low"]
    assert wide.sum() > narrow.sum()


def test_the_reference_counts_where_the_method_says_so_and_is_not_ranked(demo):
    for method in ("better_or_equal_others", "expected_win", "strength"):
        table = bootstrap_ranks(demo, rng=np.random.default_rng(1), resamples=20, method=method)
        assert "_ref" not in set(table["system"]) and len(table) == 8


def test_votes_are_drawn_by_question_too():
    votes = vote_judgments(random_votes(3))
    for unit in ("comparison", "annotator", "question"):
        table = bootstrap_ranks(votes, rng=np.random.default_rng(1), resamples=50, unit=unit)
        assert table["rank"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("unit", ["comparison", "block", "annotator", "question"])
def test_resampled_counts_have_the_counts_of_the_campaign_as_their_mean(demo, unit):
    votes = vote_arrays(demo)
    counts = count_votes(votes)
    drawn = resample(votes, unit, 1500, np.random.default_rng(2))
    for sampled, expected in ((drawn.wins, counts.wins), (drawn.ties, counts.ties)):
        error = sampled.mean(axis=0) - expected
        scale = sampled.std(axis=0) / 1500**0.5 + 1e-9
        assert np.abs(error / scale)[expected > 0].max() < 4.5
        assert not sampled[:, expected == 0].any()
    np.testing.assert_array_equal(drawn.ties, drawn.ties.transpose(0, 2, 1))


def test_multinomial_draws_are_comparisons_drawn_one_by_one():
    """Totals, means, variances and covariances."""
    counts, total = PairCounts(("a", "b", "c"), WINS, np.zeros_like(WINS)), WINS.sum()
    drawn = resample_comparisons(counts, 20_000, np.random.default_rng(1)).wins
    assert (drawn.sum(axis=(1, 2)) == total).all()
    flat, p = drawn.reshape(len(drawn), -1).astype(float), WINS.ravel() / total
    assert np.abs(flat.mean(axis=0) - WINS.ravel()).max() < 0.2
    assert np.abs(np.cov(flat.T) - total * (np.diag(p) - np.outer(p, p))).max() < 0.6


def test_blocks_are_drawn_whole():
    """A campaign of equal blocks resamples to itself."""
    judgments = ranking_blocks([{"a": 1, "b": 2, "c": 2}] * 10)
    votes = vote_arrays(judgments)
    counts = count_votes(votes)
    drawn = resample(votes, "block", 20, np.random.default_rng(1))
    assert (drawn.wins == counts.wins).all() and (drawn.ties == counts.ties).all()
    singly = resample(votes, "comparison", 20, np.random.default_rng(1))
    assert singly.wins[:, 0, 1].std() > 0
    many = ranking_blocks([{"a": 1, "b": 2}] * 1001)
    drawn = resample(vote_arrays(many), "block", 4001, np.random.default_rng(1))
    assert drawn.wins.shape == (4001, 2, 2) and (drawn.wins[:, 0, 1] == 1001).all()


def test_ties_can_be_left_out():
    judgments = ranking_blocks([{"a": 1, "b": 2}] * 6 + [{"b": 1, "a": 1}] * 30)
    drawn = bootstrap_ranks(
        judgments, rng=np.random.default_rng(1), resamples=50, ties=False, unit="comparison"
    )
    assert drawn["rank_range_high"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"unit": "sentence"}, "unknown_unit"),
        ({"trim": 50}, "bad_trim"),
        ({"trim": -1}, "bad_trim"),
        ({"method": "magic"}, "unknown_method"),
        ({"resamples": 0}, "bad_number"),
    ],
)
def test_errors_have_codes(demo, words, code):
    with pytest.raises(DataError) as error:
        bootstrap_ranks(demo, rng=np.random.default_rng(1), **{"resamples": 100, **words})
    assert error.value.code == code


def test_ratings_have_no_such_ranges():
    with pytest.raises(DataError) as error:
        bootstrap_ranks(load("demo-srdc", "de-en"), rng=np.random.default_rng(1))
    assert error.value.code == "wrong_kind"


@pytest.mark.parametrize("sides", [1, 2])
def test_critical_wins_are_those_of_the_binomial(sides):
    number = np.arange(1, 2001)
    fewest = critical_wins(2000, 0.05, sides)
    assert (binom.sf(fewest[1:] - 1, number, 0.5) <= 0.05 / sides).all()
    assert (binom.sf(fewest[1:] - 2, number, 0.5) > 0.05 / sides).all()
    assert critical_wins(10).tolist() == [1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 9]
    with pytest.raises(ValueError, match="read-only"):
        critical_wins(10)[3] = 0


def test_significant_wins_are_those_of_sign_tests():
    """9 of 10 is significant (p = 0.011), 8 of 10 one-sided is not (p = 0.055), 5 of 5 is."""
    wins = np.array([[0, 9, 8, 5], [1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    better = significant_wins(wins)
    assert better[0].tolist() == [False, True, False, True] and better[1:].sum() == 0
    assert significant_wins(wins, sides=2)[0].tolist() == [False, True, False, False]
    stacked = np.stack([wins, 0 * wins])
    assert significant_share(stacked).tolist() == pytest.approx([2 / 6, 0])


def test_koehns_example_of_a_rank_range():
    """Better than 9 systems, worse than 2, inconclusive with 3: rank range 3 to 6."""
    wins = np.zeros((15, 15), dtype=int)
    wins[0, 1:10], wins[10:12, 0] = 30, 30
    wins[0, 12:], wins[12:, 0] = 15, 15
    first, last = pairwise_ranges(wins)
    assert (first[0], last[0]) == (3, 6)


def test_ranks_are_trimmed_at_each_end():
    sampled = np.random.default_rng(1).permutation(np.arange(1, 101))[:, None]
    assert [int(limit[0]) for limit in rank_ranges(sampled, 5)] == [6, 95]
    assert [int(limit[0]) for limit in rank_ranges(sampled, 49)] == [50, 51]


def test_equal_scores_are_ranked_by_index_and_missing_ones_last():
    assert rank_scores(np.array([0.2, 0.9, np.nan, 0.9])).tolist() == [3, 1, 4, 2]


def merged_ranges(first, last):
    """Connected components of overlapping ranges, by merging until nothing overlaps."""
    groups = [({k}, a, b) for k, (a, b) in enumerate(zip(first, last, strict=True))]
    while True:
        for x in range(len(groups)):
            overlap = [
                y for y in range(x) if groups[x][1] <= groups[y][2] and groups[y][1] <= groups[x][2]
            ]
            if overlap:
                members, low, high = groups.pop(x)
                other, low_2, high_2 = groups[overlap[0]]
                groups[overlap[0]] = (members | other, min(low, low_2), max(high, high_2))
                break
        else:
            return [group[0] for group in sorted(groups, key=lambda group: group[1])]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 4)), min_size=1, max_size=12))
def test_clusters_are_what_overlap_connects(ranges):
    first = np.array([low for low, _ in ranges])
    last = np.array([low + size for low, size in ranges])
    label = range_clusters(first, last)
    found = [set(np.flatnonzero(label == cluster)) for cluster in range(1, label.max() + 1)]
    assert found == merged_ranges(first.tolist(), last.tolist())
