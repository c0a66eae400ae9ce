"""Scores of comparisons: small cases by hand, and the tables of Bojar et al. (2011)."""

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.inference.rank import rank_systems
from rankstability.io.load import load, pairs
from rankstability.io.official import published
from rankstability.ranking import relative
from rankstability.ranking.relative import METHODS, pair_counts, rank_counts, score_comparisons
from rankstability.scores.pairwise import PairCounts, count_pairs
from real import real_data
from simulated_votes import ranking_blocks

SHARES = {  # of wins, ties and losses: a 2, 1, 1; b 2, 1, 2; c 2, 0, 3
    relative.share_better_or_equal: [3 / 4, 3 / 5, 2 / 5],
    relative.share_better: [2 / 4, 2 / 5, 2 / 5],
    relative.share_of_decided: [2 / 3, 2 / 4, 2 / 5],
    relative.expected_win: [(1 + 1 / 2) / 2, (0 + 2 / 3) / 2, (1 / 2 + 1 / 3) / 2],
}
WITHOUT_REFERENCE = [
    "better_others_without_reference",
    "wins_over_decided_without_reference",
    "expected_win",
    "strength",
]
PRINTED = ("better_or_equal_others", "better_others", "better_all_in_block")
PRINTED += ("better_or_equal_all_in_block", "sole_winner_blocks", "blocks_shown")
EXPOSURE = {
    "correlation_blocks": "blocks_shown",
    "correlation_reference_share": "reference_share",
}


@pytest.mark.parametrize("score", SHARES)
def test_scores_by_hand_alone_and_among_replicates(score):
    wins = np.array([[0, 1, 1], [0, 0, 2], [1, 1, 0]])
    ties = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    counts = PairCounts(tuple("abc"), wins, ties)
    np.testing.assert_allclose(score(counts), SHARES[score])
    other = np.array([[0, 4, 0], [1, 0, 0], [0, 3, 0]])
    many = PairCounts(tuple("abc"), np.stack([wins, other]), np.stack([ties, 0 * ties]))
    alone = PairCounts(tuple("abc"), other, 0 * ties)
    np.testing.assert_allclose(score(many), [score(counts), score(alone)])


def test_expected_win_averages_opponents_not_comparisons():
    """9 of 10 against b and 0 of 90 against c: 0.45, though only 9 of 100 are won."""
    wins = np.array([[0, 9, 0], [1, 0, 0], [90, 0, 0]])
    counts = PairCounts(("a", "b", "c"), wins, np.zeros((3, 3), int))
    assert relative.expected_win(counts)[0] == pytest.approx(0.45)
    assert relative.share_of_decided(counts)[0] == pytest.approx(0.09)


def test_a_share_of_nothing_is_unknown():
    shares = relative.ratio(np.array([3, 0, 0]), np.array([4, 2, 0]))
    np.testing.assert_array_equal(shares, [0.75, 0, np.nan])


def test_some_methods_leave_the_reference_out():
    counts = count_pairs(ranking_blocks([{"_ref": 1, "a": 2, "b": 3}, {"_ref": 1, "a": 3, "b": 2}]))
    assert [name for name, method in METHODS.items() if not method.reference] == WITHOUT_REFERENCE
    for name, method in METHODS.items():
        values = method(counts)
        assert values.index.tolist() == ["_ref", "a", "b"]
        assert np.isnan(values["_ref"]) == (name in WITHOUT_REFERENCE)
    with pytest.raises(DataError) as error:
        relative.method_named("expected_wins")
    assert (error.value.code, error.value.expected) == ("unknown_method", "expected_win")


def test_scores_of_two_blocks_by_hand():
    """a beats b twice, ties with c once, and the reference beats all it meets."""
    blocks = [{"_ref": 1, "a": 2, "b": 3, "c": 2}, {"a": 1, "b": 2, "c": -1}]
    table = score_comparisons(ranking_blocks(blocks)).set_index("system")
    a = table.loc["a"]
    assert (a["blocks_shown"], a["blocks_ranked"], a["comparisons"]) == (2, 2, 4)
    assert a["reference_share"] == 1 / 2
    assert a["better_or_equal_others"] == 3 / 4
    assert a["better_others"] == 2 / 4
    assert a["wins_over_decided"] == pytest.approx(2 / 3)
    assert a["better_others_without_reference"] == pytest.approx(2 / 3)
    assert a["wins_over_decided_without_reference"] == a["expected_win"] == 1
    assert a["better_or_equal_all_in_block"] == 1 / 2
    assert (table.loc["c", "blocks_ranked"], table.loc["c", "blocks_shown"]) == (1, 2)
    assert table.index[0] == "_ref"


def test_blocks_in_which_a_system_is_shown_ranked_and_best():
    blocks = [{"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1}, {"a": -1, "c": 1}, {"b": 1, "c": -1}]
    table = score_comparisons(ranking_blocks(blocks)).set_index("system").loc[list("abc")]
    assert table["blocks_shown"].tolist() == [3, 3, 3]
    assert table["blocks_ranked"].tolist() == [2, 3, 2]
    np.testing.assert_allclose(table["better_or_equal_all_in_block"], [2 / 2, 2 / 3, 1 / 2])
    np.testing.assert_allclose(table["better_all_in_block"], [1 / 2, 0, 0])
    assert table["sole_winner_blocks"].tolist() == [1, 1, 1]  # b and c: ranked alone


def test_controls_have_no_score():
    judgments = ranking_blocks([{"bad": 1, "a": 2, "b": 3}, {"a": 1, "b": 2, "bad": 3}])
    hidden = judgments.with_table(judgments.table, controls=("bad",))
    table = score_comparisons(hidden).set_index("system")
    assert table.index.tolist() == ["a", "b"]
    assert table.loc["a", "sole_winner_blocks"] == 2


def test_sign_tests_are_corrected_for_all_pairs():
    blocks = [{"a": 1, "b": 2, "c": 3}] * 9 + [{"a": 2, "b": 1, "c": 1}]
    tests = pair_counts(ranking_blocks(blocks), tests=True)
    first = tests.iloc[0]
    assert (first["system_a"], first["system_b"], first["wins_a"], first["wins_b"]) == (
        "a",
        "b",
        9,
        1,
    )
    assert first["p"] == pytest.approx(2 * 11 / 1024)
    last = tests.iloc[2]
    assert (last["wins_a"], last["ties"]) == (9, 1)
    assert last["p"] == pytest.approx(2 / 512)
    assert last["p_holm"] == pytest.approx(3 * 2 / 512)
    assert first["p_holm"] == pytest.approx(2 * 22 / 1024)


def test_a_system_without_a_score_comes_last():
    counts = count_pairs(ranking_blocks([{"a": 1, "b": 2, "c": -1}] * 8))
    ranking = rank_counts(counts, "wins_over_decided")
    assert ranking.systems == ["a", "b", "c"]
    assert np.isnan(ranking.table["wins_over_decided"].iloc[2])


def test_clusters_follow_from_sign_tests():
    counts = count_pairs(ranking_blocks([{"a": 1, "b": 2, "c": 2}] * 8 + [{"_ref": 1, "c": 2}] * 9))
    ranking = rank_counts(counts)
    assert ranking.table["cluster"].tolist() == [1, 2, 2]
    assert ranking.boundaries["rank"].tolist() == [1]
    strict = rank_counts(counts, alpha=0.005)
    assert strict.table["cluster"].tolist() == [1, 1, 1]


def test_groups_that_were_never_compared_are_not_ranked_together():
    blocks = [{"a": 1, "b": 2}, {"c": 1, "d": 2}] * 9
    for more in ([], [{"_ref": 1, "a": 2}, {"_ref": 1, "c": 2}]):
        with pytest.raises(DataError) as error:
            rank_counts(count_pairs(ranking_blocks(blocks + more)))
        assert error.value.code == "groups_not_compared"
        assert error.value.value == "a, b; c, d"
    joined = rank_counts(count_pairs(ranking_blocks([*blocks, {"b": 1, "c": 1}])))
    assert len(joined.systems) == 4


def test_strengths_respect_uneven_opponents():
    """Two leaders meet each other, four others meet each other; b beats c, who wins more often."""
    wins = np.zeros((5, 5), int)
    for winner, loser in ((0, 1), (2, 3), (2, 4)):
        wins[winner, loser], wins[loser, winner] = 70, 30
    wins[1, 2], wins[2, 1] = 27, 3
    counts = PairCounts(tuple("abcde"), wins, np.zeros_like(wins))
    assert METHODS["strength"](counts).sort_values(ascending=False).index[:3].tolist() == [*"abc"]
    assert METHODS["wins_over_decided"](counts).idxmax() != "b"
    assert METHODS["wins_over_decided"](counts)["b"] < METHODS["wins_over_decided"](counts)["c"]


def test_strengths_are_finite_although_a_system_never_loses():
    counts = PairCounts(("a", "b"), np.array([[0, 5], [0, 0]]), np.zeros((2, 2), int))
    assert np.isfinite(relative.strength(counts)).all()


def test_a_method_orders_systems_without_inference():
    judgments = load("demo-rr", "cs-en")
    ranking = rank_systems(judgments, method="expected_win")
    assert ranking.inference is None and ranking.score_name == "expected_win"
    assert ranking.systems[0] == "cedar"
    with pytest.raises(DataError):
        rank_systems(judgments, method="magic")


@pytest.fixture(scope="module")
def wmt10():
    real_data("wmt10")
    return {pair: score_comparisons(load("wmt10", pair)) for pair in pairs("wmt10")["pair"]}


def test_scores_and_blocks_as_bojar_2011_prints_them(wmt10):
    printed = published("bojar2011", campaign="wmt10")
    printed = printed[printed["place"].isin(["Table 2", "Table 4"]) & (printed["system"] != "")]
    found = 0
    for row in printed[printed["measure"].isin(PRINTED)].itertuples():
        table = wmt10[row.pair].set_index("system")
        if row.system in table.index:
            value = float(table.loc[row.system, row.measure])
            shown = f"{100 * value:.1f}" if "." in row.published else f"{value:.0f}"
            assert shown == row.published, row.cell
            found += 1
    assert found >= 37


def test_wins_between_systems_as_bojar_2011_prints_them():
    real_data("wmt10")
    counts = count_pairs(load("wmt10", "en-cs"))
    total = counts.wins + counts.wins.T + counts.ties
    printed = published("bojar2011", campaign="wmt10").query("place == 'Table 6'")
    for row in printed.itertuples():
        i, j = counts.systems.index(row.system), counts.systems.index(row.opponent)
        assert f"{100 * counts.wins[i, j] / total[i, j]:.1f}" == row.published, row.cell


def test_correlations_with_exposure_equal_the_print_once_scores_are_rounded(wmt10):
    scores = {pair: table[table["system"] != "_ref"] for pair, table in wmt10.items()}
    scores["overall"] = pd.concat(scores.values())
    printed = published("bojar2011", campaign="wmt10")
    printed = printed[printed["place"].isin(["Table 5", "Table 10"])]
    differ = 0
    for row in printed.itertuples():
        table = scores[row.pair]
        score, exposure = table["better_or_equal_others"], table[EXPOSURE[row.measure]]
        assert f"{score.round(3).corr(exposure):.3f}" == row.published, row.cell
        differ += f"{score.corr(exposure):.3f}" != row.published
    assert len(printed) == 18 and differ > 0  # the unrounded correlations are ours
