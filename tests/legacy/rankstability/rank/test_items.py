"""Items as units: means where systems lack some, and what a pair of systems can have as p."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest

from assessments import board
from companion.legacy.rankcompanion.verdict.coverage import lacking
from companion.legacy.rankstability import find, load, paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import items
from companion.legacy.rankstability.rank.balanced import within_segments
from companion.legacy.rankstability.score.scored import from_frame, scored, segment_scores


def test_parts_of_a_whole_table_are_distances_from_plain_means():
    rng = np.random.default_rng(3)
    score = rng.normal(size=(30, 4))
    means, parts, share = items.item_parts(made := board(score), made.weights())
    np.testing.assert_allclose(means, score.mean(axis=0))
    np.testing.assert_allclose(share, 1 / 30)
    np.testing.assert_allclose(parts, (score - score.mean(axis=0)) / 30)
    variance = ((parts[:, 0] - parts[:, 1]) ** 2).sum() / (1 - 1 / 30)
    assert variance == pytest.approx(np.var(score[:, 0] - score[:, 1], ddof=1) / 30)


def test_parts_are_sums_over_the_judgments_of_an_item():
    """With repeated outputs and gaps: as the influences of single judgments, in less memory."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        [(f"S{s}", f"q{i}", rng.normal()) for i in range(25) for s in range(5)
         for _ in range(rng.integers(0, 3))], columns=["system", "segment", "score"],
    )  # fmt: skip
    made = from_frame(frame)
    weight = made.weights()
    within = within_segments(made, weight)
    ours = items.item_parts(made, weight)
    np.testing.assert_allclose(ours[0], within.mean)
    np.testing.assert_allclose(ours[1], within.influence(made.segment), atol=1e-12)
    cell = made.segment * 5 + made.system
    np.testing.assert_allclose(ours[2].ravel(), np.bincount(cell, within.share, 125), atol=1e-12)


def test_a_system_that_lacks_the_hardest_items_gains_nothing_by_it():
    """Items of known difficulty, systems that are equal: own-item means differ by much."""
    hard = np.linspace(-3, 3, 50)
    scores = np.repeat(hard[:, None], 3, axis=1)
    made = board(scores, [(k, 2) for k in range(10)])
    own = made.means()
    assert own[2] - own[0] > 0.5
    means, parts, _ = items.item_parts(made, made.weights())
    np.testing.assert_allclose(means, np.full(3, means[0]))
    np.testing.assert_allclose(parts, 0, atol=1e-12)
    assert lacking(made) == {"S02": 10}


def test_systems_without_a_common_item_are_refused():
    made = board(np.ones((4, 2)) * [1, 2], [(0, 0), (1, 0), (2, 1), (3, 1)])
    with pytest.raises(DataError, match="share no segments"):
        items.item_parts(made, made.weights())


def test_p_of_right_and_wrong_is_the_exact_sign_test():
    rng = np.random.default_rng(5)
    score = (rng.random((40, 6)) < np.linspace(0.2, 0.9, 6)).astype(float)
    made = board(score, [(k, 1) for k in range(7)])
    means, _, _ = items.item_parts(made, made.weights())
    least, exact = items.item_p(made, means)
    matrix = made.matrix()
    for a in range(6):
        for b in range(6):
            won, lost = ((matrix[:, x] > matrix[:, y]).sum() for x, y in ((a, b), (b, a)))
            wanted = binomtest(won, won + lost).pvalue if won + lost else 1.0
            wanted = wanted if np.sign(won - lost) == np.sign(means[a] - means[b]) else 1.0
            assert exact[a, b] == pytest.approx(wanted)
            assert least[a, b] == min(1, 2.0 ** (1 - won - lost))
    assert (exact >= least).all() and (np.diag(exact) == 1).all()


def test_the_sign_test_errs_in_at_most_five_of_a_hundred_whatever_the_items():
    """Exact size for two equal systems on 8 items; a t test errs in .085."""
    worst = 0.0
    for differ in np.linspace(0.05, 1, 20):
        size = 0.0
        for z in range(1, 9):
            p = np.array([binomtest(k, z).pvalue for k in range(z + 1)])
            size += binom.pmf(z, 8, differ) * binom.pmf(np.arange(z + 1), z, 0.5)[p <= 0.05].sum()
        worst = max(worst, size)
    assert worst <= 0.044


def test_other_scores_have_a_lowest_p_and_no_exact_one():
    score = np.array([[1, 2.0, 1], [3, 3, 3], [2, 5, 2], [1, 4, 1]])
    least, exact = items.item_p(made := board(score), made.means())
    assert exact is None
    assert least[0, 1] == 2.0**-2 and least[0, 2] == 1 and (least == least.T).all()


def test_items_are_carried_from_a_leaderboard_and_from_nothing_else():
    judged = load(find(paths.DEMO / "leaderboard.csv"))
    assert scored(judged).items and segment_scores(judged).items
    assert not scored(load("demo-srdc", "de-en")).items
    assert lacking(scored(judged)) == {"Oak": 12}


def test_right_and_wrong_by_hand():
    """The first is right on q0 to q2 alone, the second on q3; both on q4. The third is never."""
    score = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)
    made = board(score)
    least, exact = items.item_p(made, made.means())
    assert exact[0, 1] == pytest.approx(2 * 5 / 16) and least[0, 1] == 2.0**-3
    assert exact[0, 2] == least[0, 2] == 2.0**-3 and exact[1, 2] == 0.5
    against = items.item_p(made, np.array([0.1, 0.9, 0.0]))[1]  # items say the opposite
    assert against[0, 1] == against[1, 0] == 1 and against[0, 2] == exact[0, 2]
    once = board(np.array([[1.0, 0], [1, 1]]))
    assert items.item_p(once, once.means())[1][0, 1] == 1  # one item: 1 of 1
    turns = board(np.array([[1.0, 0], [0, 1]]))
    assert items.item_p(turns, turns.means())[1][0, 1] == 1  # 1 of 2, never above 1


def test_one_score_is_right_and_wrong_and_three_are_not():
    same = board(np.ones((4, 2)))
    least, exact = items.item_p(same, same.means())
    assert (least == 1).all() and (exact == 1).all()
    three = board(np.array([[0.0, 1], [2, 1], [1, 1]]))
    assert items.scores_of(three).tolist() == [0, 1, 2]
    assert items.item_p(three, three.means())[1] is None


def test_items_that_only_one_of_two_systems_has_do_not_differ():
    score = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9], [1, 5, 2]])
    made = board(score, [(0, 1), (1, 2)])
    least, _ = items.item_p(made, np.zeros(3))
    assert least.tolist() == [[1, 2.0**-2, 2.0**-2], [2.0**-2, 1, 2.0**-1], [2.0**-2, 2.0**-1, 1]]


def test_repeated_outputs_of_a_whole_table_weigh_as_one_item():
    rows = [("a", "x", 1.0), ("a", "x", 3.0), ("a", "y", 5.0), ("b", "x", 4.0), ("b", "y", 0.0)]
    made = from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))
    means, parts, share = items.item_parts(made, made.weights())
    assert means.tolist() == [3.5, 2.0] and share.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert parts.tolist() == [[-0.75, 1.0], [0.75, -1.0]]
