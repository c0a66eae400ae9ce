"""Blocks to counts of wins and ties, against plain loops."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import frame_of
from rankstability.change import perturb
from rankstability.errors import DataError
from rankstability.judgments import blocks
from rankstability.score import pairwise

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


def test_blocks_in_which_a_system_is_shown_ranked_and_best_by_hand():
    shown = [{"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1}, {"a": -1, "c": 1}, {"b": 1, "c": -1}]
    data = blocks(frame_of(shown))
    assert data.systems == ("a", "b", "c")
    facts = {name: counts.tolist() for name, counts in pairwise.by_block(data).items()}
    assert facts == {
        "shown": [3, 3, 3],
        "ranked": [2, 3, 2],
        "better_or_equal_all_in_block": [2, 2, 1],
        "better_all_in_block": [1, 0, 0],
        "sole_winner": [1, 1, 1],
    }
