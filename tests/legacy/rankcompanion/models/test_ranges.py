"""Rank ranges and their clusters, and the sign test on counts of wins."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from assessments import simulated
from companion.legacy.rankcompanion.models.ranges import (
    DRAWN,
    bootstrap_ranges,
    critical_wins,
    decided,
    pairwise_ranges,
    range_clusters,
    range_frame,
    range_table,
    rank_ranges,
    ranks,
    resample,
    resample_judgments,
    significant_share,
    significant_wins,
)
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.resampling import units
from companion.legacy.rankstability.score.pairwise import PairCounts

WINS = np.array([[0, 30, 5], [20, 0, 12], [10, 3, 0]])


@pytest.mark.parametrize("sides", [1, 2])
def test_critical_wins_are_the_binomials(sides):
    number = np.arange(1, 3001)
    ours = critical_wins(3000, 0.05, sides)
    assert (binom.sf(ours[1:] - 1, number, 0.5) <= 0.05 / sides).all()
    assert (binom.sf(ours[1:] - 2, number, 0.5) > 0.05 / sides).all()
    assert ours[0] == 1


def test_significance_is_the_sign_test():
    """9 of 10 is significant (p = 0.011), 8 of 10 one-sided is not (p = 0.055), 5 of 5 is."""
    wins = np.array([[0, 9, 8, 5], [1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    better = significant_wins(wins)
    assert better[0].tolist() == [False, True, False, True] and better[1:].sum() == 0
    assert significant_wins(wins, sides=2)[0].tolist() == [False, True, False, False]
    assert significant_share(wins) == pytest.approx(2 / 6)
    other = np.random.default_rng(1).integers(0, 12, (3, 4, 4))
    stacked = significant_wins(np.concatenate([wins[None], other]))
    assert all(
        (one == significant_wins(w)).all() for one, w in zip(stacked[1:], other, strict=True)
    )
    assert (stacked[0] == better).all() and stacked[1:].any()


def test_the_table_of_critical_wins_is_one_sided_at_five_per_cent_and_read_only():
    assert critical_wins(10).tolist() == [1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 9]
    with pytest.raises(ValueError, match="read-only"):
        critical_wins(10)[3] = 0


def test_the_share_of_separated_pairs_is_of_each_campaign():
    wins = np.zeros((3, 4, 4), int)
    wins[1, 0, 1] = wins[2, 0, 1] = wins[2, 2, 3] = wins[2, 3, 1] = 5  # one-sided p of 1 / 32
    assert significant_share(wins) == pytest.approx([0, 1 / 6, 3 / 6])
    assert significant_share(wins, sides=2).tolist() == [0, 0, 0]
    assert significant_share(wins[:, None]) == pytest.approx(np.array([[0], [1 / 6], [3 / 6]]))
    assert significant_wins(wins, sides=2).sum() == 0 and significant_wins(wins).sum() == 4


def test_trimming():
    """100 ranks 1..100: chopping 5 at each end leaves 6 to 95; the paper's rule is 25 of 1000."""
    sampled = np.random.default_rng(1).permutation(np.arange(1, 101))[:, None]
    assert [int(x[0]) for x in rank_ranges(sampled, 5)] == [6, 95]
    assert [int(x[0]) for x in rank_ranges(sampled, 0)] == [1, 100]
    with pytest.raises(DataError, match="no ranks"):
        rank_ranges(sampled, 50)


def test_the_papers_pairwise_example():
    """Better than 9 systems, worse than 2, indistinguishable from 3: rank range 3 to 6."""
    wins = np.zeros((15, 15), dtype=int)
    wins[0, 1:10], wins[10:12, 0] = 30, 30
    wins[0, 12:], wins[12:, 0] = 15, 15
    first, last = pairwise_ranges(wins)
    assert (first[0], last[0]) == (3, 6)


def slow_clusters(first: list[int], last: list[int]) -> list[set[int]]:
    """Connected components of overlapping ranges, by merging until nothing overlaps."""
    groups = [({i}, a, b) for i, (a, b) in enumerate(zip(first, last, strict=True))]
    merged = True
    while merged:
        merged = False
        for x in range(len(groups)):
            for y in range(x):
                (s, a, b), (t, c, d) = groups[x], groups[y]
                if a <= d and c <= b:
                    groups[y] = (s | t, min(a, c), max(b, d))
                    del groups[x]
                    merged = True
                    break
            if merged:
                break
    return [g[0] for g in sorted(groups, key=lambda g: g[1])]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 4)), min_size=1, max_size=12))
def test_clusters_are_what_overlap_connects(ranges):
    """Eq. 6: the largest set of clusters such that ranges of two clusters never overlap."""
    first = np.array([a for a, _ in ranges])
    last = np.array([a + size for a, size in ranges])
    ours = range_clusters(first, last)
    found = [set(np.flatnonzero(ours == c)) for c in range(1, ours.max() + 1)]
    assert found == slow_clusters(first.tolist(), last.tolist())
    assert (range_clusters(np.stack([first, first]), np.stack([last, last])) == ours).all()


def test_a_range_table_is_in_order_and_holds_the_rank():
    data = simulated(6000)
    table = range_table(data, 500, np.random.default_rng(5))
    assert list(table["rank"]) == [1, 2, 3, 4, 5, 6] and table["score"].is_monotonic_decreasing
    assert (table["first"] <= table["rank"]).all() and (table["rank"] <= table["last"]).all()
    assert table["cluster"].is_monotonic_increasing
    again = range_table(data, 500, np.random.default_rng(5))
    assert table.equals(again)


def test_the_more_ranks_are_chopped_off_the_narrower_the_ranges():
    moved = bootstrap_ranges(simulated(500).counts, 200, np.random.default_rng(1), [0, 20])
    assert (moved[0][1] - moved[0][0]).sum() > (moved[1][1] - moved[1][0]).sum()


def test_a_third_of_the_ranks_may_be_chopped_off_at_each_end_and_less_than_none_may_not():
    sampled = np.random.default_rng(1).permutation(np.arange(1, 101))[:, None]
    assert [int(x[0]) for x in rank_ranges(sampled, 49)] == [50, 51]
    with pytest.raises(DataError, match="no ranks would be left") as error:
        rank_ranges(sampled, -1)
    assert error.value.expected == "less than half of 100"


def test_pairwise_ranges_are_one_sided_and_of_each_campaign():
    """5 wins of 5 are significant from one side (p = .031), not from both."""
    one, other = np.zeros((2, 3, 3), int)
    one[0, 1] = one[0, 2] = other[2, 0] = 5
    first, last = pairwise_ranges(np.stack([one, other]))
    assert first.tolist() == [[1, 2, 2], [2, 1, 1]] and last.tolist() == [[1, 3, 3], [3, 3, 2]]
    first, last = pairwise_ranges(one, sides=2)
    assert first.tolist() == [1, 1, 1] and last.tolist() == [3, 3, 3]


def test_a_table_of_ranges_by_hand_with_and_without_ranks_chopped_off():
    score, sampled = np.array([0.2, 0.9, 0.5]), np.tile([[0.2, 0.9, 0.5]], (41, 1))
    sampled[0] = [0.9, 0.2, 0.5]  # one of 41, chopped off by default
    table = range_frame(["a", "b", "c"], score, sampled)
    assert table["system"].tolist() == ["b", "c", "a"] and table.index.tolist() == [0, 1, 2]
    assert table[["first", "last", "cluster"]].to_numpy().tolist() == [
        [1, 1, 1],
        [2, 2, 2],
        [3, 3, 3],
    ]
    every = range_frame(["a", "b", "c"], score, sampled, trim=0)
    assert every[["first", "last", "cluster"]].to_numpy().tolist() == [
        [1, 3, 1],
        [2, 2, 1],
        [1, 3, 1],
    ]


def test_ranks_break_ties_by_index_and_put_the_unscored_last():
    assert ranks(np.array([0.2, 0.9, np.nan, 0.9])).tolist() == [3, 1, 4, 2]
    assert ranks(np.array([[1.0, 2.0], [2.0, 1.0]])).tolist() == [[2, 1], [1, 2]]


def test_the_multinomial_is_resampling_judgments():
    """Totals, means, variances and covariances are those of judgments drawn one by one."""
    counts, total = PairCounts(("a", "b", "c"), WINS, np.zeros_like(WINS)), WINS.sum()
    drawn = resample_judgments(counts, 20_000, np.random.default_rng(1)).wins
    assert (drawn.sum(axis=(1, 2)) == total).all()
    flat, p = drawn.reshape(len(drawn), -1).astype(float), WINS.ravel() / total
    assert np.abs(flat.mean(axis=0) - WINS.ravel()).max() < 0.2
    assert np.abs(np.cov(flat.T) - total * (np.diag(p) - np.outer(p, p))).max() < 0.6


def test_ties_are_judgments_too():
    data = simulated(tied=True)
    assert data.counts.ties.any()
    drawn = resample(data, "judgment", 50, np.random.default_rng(1))
    assert (drawn.wins.sum((1, 2)) + drawn.ties.sum((1, 2)) // 2 == data.counts.comparisons).all()
    assert (drawn.ties == drawn.ties.transpose(0, 2, 1)).all()
    assert not resample(decided(data), "judgment", 5, np.random.default_rng(1)).ties.any()


@pytest.mark.parametrize("unit", DRAWN)
def test_every_unit_is_unbiased(unit):
    """Resampled counts have the campaign's counts as their mean, whatever is drawn."""
    data = simulated()
    drawn = resample(data, unit, 4000, np.random.default_rng(2))
    error = (drawn.wins.mean(axis=0) - data.counts.wins) / (drawn.wins.std(axis=0) / 4000**0.5 + 1)
    assert drawn.wins.shape == (4000, 6, 6) and np.abs(error).max() < 4.5


def equal_blocks(number):
    """Blocks of a before b and c, which are equal, all by one judge."""
    rows = [
        ("x", b, "J1", 1, k + 1, "abc"[k], min(k + 1, 2)) for b in range(number) for k in range(3)
    ]
    names = ["task", "block", "judge", "segment", "position", "system", "rank"]
    return units(pd.DataFrame(rows, columns=names))


def test_blocks_are_drawn_whole():
    """A campaign of equal blocks resamples to itself; one judge alone always gives all blocks."""
    data = equal_blocks(10)
    for unit in ("block", "judge"):
        drawn = resample(data, unit, 20, np.random.default_rng(1))
        assert (drawn.wins == data.counts.wins).all() and (drawn.ties == data.counts.ties).all()
    assert resample(data, "judgment", 20, np.random.default_rng(1)).wins[:, 0, 1].std() > 0
    with pytest.raises(DataError, match="unknown unit of resampling") as error:
        resample(data, "sentence", 2, np.random.default_rng(1))
    assert error.value.expected == "judgment, block, judge"


def test_many_resamples_are_drawn_in_parts_and_each_is_a_whole_campaign():
    data = equal_blocks(1001)
    drawn = resample(data, "block", 4001, np.random.default_rng(1))
    assert drawn.wins.shape == (4001, 3, 3) and (drawn.wins[:, 0, 1] == 1001).all()
