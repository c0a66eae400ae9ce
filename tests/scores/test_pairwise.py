"""From blocks and votes to comparisons and counts, against plain loops."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankstability.errors import DataError
from rankstability.io.load import load, pairs
from rankstability.judgments import Judgments
from rankstability.perturb import remove
from rankstability.ranking.relative import pair_counts
from rankstability.scores.pairwise import (
    PairCounts,
    count_pairs,
    count_votes,
    rank_matrix,
    vote_arrays,
)
from real import real_data
from simulated_votes import random_votes, ranking_blocks, vote_judgments

SYSTEMS = ["_ref", "a", "b", "c", "d", "e", "f"]
RANKS = st.sampled_from([-1, 1, 2, 3, 4, 5])
BLOCK = st.dictionaries(st.sampled_from(SYSTEMS), RANKS, min_size=2, max_size=5)
CAMPAIGN = st.lists(BLOCK, min_size=1, max_size=25)


def plain_counts(blocks):
    """Wins and ties by plain loops."""
    wins, ties = {}, {}
    for block in blocks:
        for a, b in combinations([name for name in block if block[name] != -1], 2):
            if block[a] == block[b]:
                ties[a, b] = ties.get((a, b), 0) + 1
                ties[b, a] = ties.get((b, a), 0) + 1
            else:
                won = (a, b) if block[a] < block[b] else (b, a)
                wins[won] = wins.get(won, 0) + 1
    return wins, ties


@given(CAMPAIGN)
@settings(max_examples=30, deadline=None)
def test_counts_equal_those_of_plain_loops(blocks):
    counts = count_pairs(ranking_blocks(blocks))
    wins, ties = plain_counts(blocks)
    for i, a in enumerate(counts.systems):
        for j, b in enumerate(counts.systems):
            assert counts.wins[i, j] == wins.get((a, b), 0)
            assert counts.ties[i, j] == ties.get((a, b), 0)
    assert counts.comparisons == sum(wins.values()) + sum(ties.values()) // 2


@given(CAMPAIGN)
@settings(max_examples=15, deadline=None)
def test_removing_a_system_leaves_the_counts_among_the_others(blocks):
    judgments = ranking_blocks(blocks)
    full = count_pairs(judgments)
    names = [name for name in full.systems if name != "_ref"]
    for name in names if len(names) > 2 else []:
        fewer = count_pairs(remove(judgments, systems=[name]))
        expected = full.without(name)
        shared = [k for k, other in enumerate(expected.systems) if other in fewer.systems]
        grid = np.ix_(shared, shared)
        np.testing.assert_array_equal(fewer.wins, expected.wins[grid])
        np.testing.assert_array_equal(fewer.ties, expected.ties[grid])


def test_blanks_that_are_kept_beat_every_output_and_tie_with_each_other():
    judgments = ranking_blocks([{"a": 1, "b": -1, "c": -1}])
    assert count_pairs(judgments).comparisons == 0
    kept = count_pairs(judgments, unranked="keep")
    assert kept.wins.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert kept.ties[1, 2] == 1
    with pytest.raises(DataError) as error:
        count_pairs(judgments, unranked="guess")
    assert error.value.code == "unknown_unranked"


def test_the_reference_is_left_out_unless_asked_for():
    judgments = ranking_blocks([{"_ref": 1, "a": 2, "b": 3}, {"a": 1, "z": 2}])
    votes = vote_arrays(judgments)
    assert votes.systems == ("a", "b", "z")
    assert len(votes.first) == 2 and votes.outcome.tolist() == [1, 1]
    assert vote_arrays(judgments, reference=True).systems == ("_ref", "a", "b", "z")
    assert len(pair_counts(judgments, reference=False)) == 3
    assert len(pair_counts(judgments)) == 6


def test_controls_are_left_out():
    judgments = ranking_blocks([{"_ref": 1, "a": 2, "bad": 3}, {"a": 1, "b": 2, "bad": 3}])
    hidden = judgments.with_table(judgments.table, controls=("bad",))
    assert vote_arrays(hidden).systems == ("a", "b")
    assert vote_arrays(hidden, reference=True).systems == ("_ref", "a", "b")
    assert len(vote_arrays(hidden).first) == 1
    votes = vote_judgments(random_votes(1), controls=("c",))
    assert vote_arrays(votes).systems == ("a", "b", "d", "e")


def test_a_comparison_belongs_to_the_annotator_and_question_of_its_block():
    blocks = [{"a": 1, "b": 2, "c": 3}, {"a": 2, "c": 1}]
    judgments = ranking_blocks(blocks, annotators=["x", "y"], segments=["s", "t"])
    votes = vote_arrays(judgments)
    assert votes.annotators == ("x", "y") and votes.questions == ("s", "t")
    np.testing.assert_array_equal(np.bincount(votes.annotator), [3, 1])
    np.testing.assert_array_equal(votes.annotator, votes.question)
    assert not votes.order_known and votes.relative_ranking
    by_document = ranking_blocks(blocks, segments=["s", "t"], documents=["d", "e"])
    assert vote_arrays(by_document).questions == ("d", "e")
    single = ranking_blocks(blocks, segments=["s", "t"], documents=["d", "d"])
    assert vote_arrays(single).questions == ("s", "t")


def test_units_that_some_rows_do_not_name_are_not_named():
    judgments = ranking_blocks([{"a": 1, "b": 2}, {"a": 1, "b": 2}])
    judgments.table["annotator"] = ["x", "x", None, None]
    assert vote_arrays(judgments).annotator is None


def test_votes_become_arrays_and_back():
    votes = random_votes(1)
    found = vote_arrays(vote_judgments(votes))
    np.testing.assert_array_equal(found.first, votes.first)
    np.testing.assert_array_equal(found.second, votes.second)
    np.testing.assert_array_equal(found.outcome, votes.outcome)
    np.testing.assert_array_equal(found.question, votes.question)
    assert found.order_known and not found.relative_ranking
    assert not vote_arrays(vote_judgments(votes, order_known=False)).order_known


def test_votes_of_judge_models_are_not_mixed_with_those_of_people():
    judgments = vote_judgments(random_votes(2), judge_models=("a003", "a005"))
    votes = vote_arrays(judgments)
    assert "a003" not in np.array(votes.annotators)[votes.annotator]
    assert len(votes.first) < 400
    only = judgments.with_table(judgments.table.query("annotator == 'a003'"))
    assert vote_arrays(only).annotators == ("a003",)


def test_counts_of_votes_by_hand():
    table = pd.DataFrame(
        [("b", "a", "left"), ("a", "b", "left"), ("a", "b", "tie"), ("c", "b", "right")],
        columns=["left", "right", "winner"],
    )
    counts = pair_counts(Judgments(table, kind="votes"))
    columns = ["system_a", "system_b", "wins_a", "wins_b", "ties", "comparisons"]
    assert counts[columns].to_numpy().tolist() == [
        ["a", "b", 1, 1, 1, 3],
        ["a", "c", 0, 0, 0, 0],
        ["b", "c", 1, 0, 0, 1],
    ]


def test_weights_of_votes_are_counted():
    votes = random_votes(3)
    counts = count_votes(votes)
    half = count_votes(replace(votes, weight=votes.weight / 2))
    np.testing.assert_allclose(2 * half.wins, counts.wins)


def test_ranks_by_block():
    codes, ranks = rank_matrix(ranking_blocks([{"b": 2, "a": 1}, {"c": 1, "a": -1, "b": 3}]))
    assert codes.tolist() == [[1, 0, -1], [2, 0, 1]]
    assert ranks.tolist() == [[2, 1, -1], [1, -1, 3]]


def test_groups_of_systems_that_comparisons_connect():
    wins = np.zeros((5, 5), int)
    ties = np.zeros((5, 5), int)
    wins[1, 0] = 3
    ties[1, 2] = ties[2, 1] = 1
    counts = PairCounts(tuple("abcde"), wins, ties)
    assert counts.groups() == [["a", "b", "c"]]
    ties[3, 4] = ties[4, 3] = 7
    assert counts.groups() == [["a", "b", "c"], ["d", "e"]]


def test_ratings_are_no_comparisons():
    for function in (pair_counts, vote_arrays):
        with pytest.raises(DataError) as error:
            function(load("demo-srdc", "de-en"))
        assert error.value.code == "wrong_kind"


def test_comparisons_of_wmt10_as_printed():
    real_data("wmt10")
    total = sum(count_pairs(load("wmt10", pair)).comparisons for pair in pairs("wmt10")["pair"])
    assert total == 75768  # Bojar et al. (2011), the sum of Table 1
