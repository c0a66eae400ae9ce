"""Blocks to counts of wins and ties, against plain loops."""

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import frame_of
from companion.legacy.rankstability.change import perturb
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import blocks
from companion.legacy.rankstability.score import pairwise

SYSTEMS = ["_ref", "a", "b", "c", "d", "e", "f"]


def brute(blocks):
    """Wins and ties by plain loops."""
    wins, ties = {}, {}
    for block in blocks:
        for a, b in combinations([s for s in block if block[s] != -1], 2):
            if block[a] == block[b]:
                ties[a, b] = ties.get((a, b), 0) + 1
                ties[b, a] = ties.get((b, a), 0) + 1
            else:
                won = (a, b) if block[a] < block[b] else (b, a)
                wins[won] = wins.get(won, 0) + 1
    return wins, ties


block = st.dictionaries(
    st.sampled_from(SYSTEMS), st.sampled_from([-1, 1, 2, 3, 4, 5]), min_size=2, max_size=5
)


campaign = st.lists(block, min_size=1, max_size=25)


@given(campaign)
@settings(max_examples=20, deadline=None)
def test_counts_are_those_of_plain_loops(blocks):
    counts = pairwise.pair_counts(frame_of(blocks))
    wins, ties = brute(blocks)
    for i, a in enumerate(counts.systems):
        for j, b in enumerate(counts.systems):
            assert counts.wins[i, j] == wins.get((a, b), 0)
            assert counts.ties[i, j] == ties.get((a, b), 0)
    assert counts.comparisons == sum(wins.values()) + sum(ties.values()) // 2


@given(campaign)
@settings(max_examples=20, deadline=None)
def test_removal_is_dropping_a_row(blocks):
    frame = frame_of(blocks)
    full = pairwise.pair_counts(frame)
    for system in full.systems:
        if len(full.systems) > 1:
            again = pairwise.pair_counts(perturb.remove(frame, system))
            short = full.without(system)
            assert again.systems == short.systems
            assert (again.wins == short.wins).all() and (again.ties == short.ties).all()


@given(campaign)
@settings(max_examples=20, deadline=None)
def test_scores_are_shares_of_a_systems_own_comparisons(blocks):
    counts = pairwise.pair_counts(frame_of(blocks))
    wins, ties = brute(blocks)
    for k, one in enumerate(counts.systems):
        won = sum(n for (a, _), n in wins.items() if a == one)
        lost = sum(n for (_, b), n in wins.items() if b == one)
        tied = sum(n for (a, _), n in ties.items() if a == one)
        each = [
            wins.get((one, b), 0) / (wins.get((one, b), 0) + wins.get((b, one), 0))
            for b in counts.systems
            if (one, b) in wins or (b, one) in wins
        ]
        for score, part, whole in (
            (pairwise.better_or_equal_others, won + tied, won + tied + lost),
            (pairwise.better_others, won, won + tied + lost),
            (pairwise.wins_over_decided, won, won + lost),
            (pairwise.expected_win, sum(each), len(each)),
        ):
            expected = part / whole if whole else np.nan
            assert score(counts)[k] == pytest.approx(expected, nan_ok=True), score.__name__


def test_ties_connect_systems_and_those_never_met_are_left_aside():
    wins, ties = np.zeros((2, 5, 5), int)
    wins[1, 0] = 3
    ties[1, 2] = ties[2, 1] = 1
    counts = pairwise.PairCounts(tuple("abcde"), wins, ties)
    assert counts.connected() is counts  # d and e met nobody
    ties[3, 4] = ties[4, 3] = 7
    apart = r"never compared with each other; found .*\['a', 'b', 'c'\], \['d', 'e'\]"
    with pytest.raises(DataError, match=apart):
        counts.connected()


def test_kept_blanks_beat_everyone_and_tie_with_each_other():
    frame = frame_of([{"a": 1, "b": -1, "c": -1}])
    assert pairwise.pair_counts(frame).comparisons == 0
    kept = pairwise.pair_counts(frame, unranked="keep")
    i = {s: k for k, s in enumerate(kept.systems)}
    assert kept.wins[i["b"], i["a"]] == 1 and kept.wins[i["c"], i["a"]] == 1
    assert kept.ties[i["b"], i["c"]] == 1


def test_expected_win_averages_opponents_not_comparisons():
    """9 of 10 against b and 0 of 90 against c: 0.45, though only 9 of 100 are won."""
    counts = pairwise.PairCounts(
        ("a", "b", "c"), np.array([[0, 9, 0], [1, 0, 0], [90, 0, 0]]), np.zeros((3, 3), int)
    )
    assert pairwise.expected_win(counts)[0] == pytest.approx(0.45)
    assert pairwise.wins_over_decided(counts)[0] == pytest.approx(0.09)


def test_comparisons_of_blocks_by_hand():
    shown = [{"b": 1, "a": 2, "c": 2}, {"c": 3, "a": -1}, {"a": 1, "c": 4}]
    data = blocks(frame_of(shown))
    told = [column.tolist() for column in pairwise.comparisons(data)]
    assert [*zip(*told, strict=True)] == [(0, 1, 0, 1), (0, 1, 2, 1), (0, 0, 2, 0), (2, 0, 2, 1)]
    kept = [column.tolist() for column in pairwise.comparisons(data, "keep")]
    assert [*zip(*kept, strict=True)][3] == (1, 2, 0, -1)  # the blank is better
    with pytest.raises(DataError, match="unknown rule for unranked outputs; found 'no'; expected"):
        pairwise.comparisons(data, "no")


def test_wins_and_ties_of_each_block_are_added_under_weights():
    data = blocks(frame_of([{"a": 1, "b": 2}, {"a": 1, "b": 1}, {"b": 1, "a": 2}]))
    wins, ties = pairwise.pairwise_by_block(data)
    assert wins.toarray().tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]
    assert ties.toarray().tolist() == [[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    counts = pairwise.weighted((wins, ties), np.array([[1, 2, 3], [0, 5, 1]]), data.systems)
    assert counts.wins.tolist() == [[[0, 1], [3, 0]], [[0, 0], [1, 0]]]
    assert counts.ties.tolist() == [[[0, 2], [2, 0]], [[0, 5], [5, 0]]]
    assert counts.comparisons == 1 + 3 + 1 + 2 + 5


def test_counts_without_systems_are_those_among_the_others_of_every_replicate():
    wins = np.arange(18).reshape(2, 3, 3)
    counts = pairwise.PairCounts(("a", "b", "c"), wins, 2 * wins)
    with pytest.raises(FrozenInstanceError):
        counts.wins = counts.ties
    left = counts.without("b", "z")
    assert left.systems == ("a", "c")
    assert left.wins.tolist() == [[[0, 2], [6, 8]], [[9, 11], [15, 17]]]
    assert left.ties.tolist() == (2 * left.wins).tolist()


def test_one_win_in_either_direction_connects_two_systems():
    wins, none = np.zeros((4, 4), int), np.zeros((4, 4), int)
    wins[0, 1] = wins[3, 2] = 5
    apart = pairwise.PairCounts(tuple("abcd"), wins, none)
    with pytest.raises(DataError, match=r"found \[\['a', 'b'\], \['c', 'd'\]\]"):
        apart.connected()
    for i, j in ((1, 2), (2, 1), (0, 3)):
        one = wins.copy()
        one[i, j] = 1
        counts = pairwise.PairCounts(tuple("abcd"), one, none)
        assert counts.connected() is counts
        one[j, i] = 1
        assert counts.connected() is counts  # one each
    nothing = pairwise.PairCounts(tuple("abcd"), none, none)
    assert nothing.connected() is nothing


def test_a_share_of_nothing_is_unknown():
    shares = pairwise.ratio(np.array([3, 0, 0]), np.array([4, 2, 0]))
    np.testing.assert_array_equal(shares, [0.75, 0, np.nan])


SHARES = {  # of wins, ties and losses: a 2, 1, 1; b 2, 1, 2; c 2, 0, 3
    pairwise.better_or_equal_others: [3 / 4, 3 / 5, 2 / 5],
    pairwise.better_others: [2 / 4, 2 / 5, 2 / 5],
    pairwise.wins_over_decided: [2 / 3, 2 / 4, 2 / 5],
    pairwise.expected_win: [(1 + 1 / 2) / 2, (0 + 2 / 3) / 2, (1 / 2 + 1 / 3) / 2],
}


@pytest.mark.parametrize("score", SHARES)
def test_scores_by_hand_alone_and_among_replicates(score):
    wins = np.array([[0, 1, 1], [0, 0, 2], [1, 1, 0]])
    ties = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    counts = pairwise.PairCounts(tuple("abc"), wins, ties)
    np.testing.assert_allclose(score(counts), SHARES[score])
    other = np.array([[0, 4, 0], [1, 0, 0], [0, 3, 0]])
    many = pairwise.PairCounts(tuple("abc"), np.stack([wins, other]), np.stack([ties, 0 * ties]))
    alone = pairwise.PairCounts(tuple("abc"), other, 0 * ties)
    np.testing.assert_allclose(score(many), [score(counts), score(alone)])
    wider = pairwise.PairCounts(many.systems, many.wins[None], many.ties[None])
    np.testing.assert_allclose(score(wider), [score(many)])
