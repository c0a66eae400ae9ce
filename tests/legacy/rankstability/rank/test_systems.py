"""Rankings from scores of segments and from counts, with the tests that are asked for."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from companion.legacy.rankstability import load, rank_systems, segment_scores
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.significance import rank_sum
from companion.legacy.rankstability.rank.systems import (
    count_tests,
    rank_counts,
    rank_scores,
)
from companion.legacy.rankstability.score.pairwise import PairCounts


def test_one_sided_p_values_are_not_corrected_over_unordered_pairs():
    with pytest.raises(DataError, match="one p-value for each pair"):
        rank_systems(segment_scores(load("demo-srpdc", "de-en")), test="greater", correction="holm")


WINS = np.array([[0, 9, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [8, 0, 0, 0]])  # a, b, never, best
COUNTS = PairCounts(("a", "b", "never", "best"), WINS, np.zeros((4, 4), int))


def test_a_correction_is_named_behind_the_test_and_none_is_not():
    scores = segment_scores(load("demo-srpdc", "de-en"))
    assert rank_scores(scores, "two-sided").test == "two-sided"
    assert rank_scores(scores, "two-sided", correction="holm").test == "two-sided, holm"
    assert rank_counts(COUNTS).test == "sign test"
    said = rank_counts(COUNTS, correction="benjamini-hochberg").test
    assert said == "sign test, benjamini-hochberg"


def test_a_system_without_a_comparison_is_last_with_a_score_below_all_others():
    made = rank_counts(COUNTS)
    assert made.table["system"].tolist() == ["best", "a", "b", "never"]
    assert made.score.tolist() == pytest.approx([1.0, 9 / 18, 1 / 10, -1.0])
    p = made.p  # sign tests: 8 of 8, 9 of 10; no comparison tells nothing apart
    assert (p[0, 1], p[1, 2]) == pytest.approx((2 / 2**8, 22 / 2**10))
    assert p[3, :3].tolist() == [1.0, 1.0, 1.0] and np.isnan(np.diag(p)).all()


def test_the_better_systems_are_better_by_one_sided_tests_without_a_correction():
    scores = segment_scores(load("demo-srpdc", "de-en"))
    one, two = (rank_scores(scores, test) for test in ("greater", "two-sided"))
    assert one.systems == two.systems and one.test == "greater"
    upper = np.triu_indices(len(one.p), 1)
    ahead = one.lead[upper] > 0.5
    assert one.p[upper][ahead] == pytest.approx(two.p[upper][ahead] / 2)


def test_raw_means_order_systems_that_have_no_z_scores():
    scores = segment_scores(load("demo-srpdc", "de-en"))
    made = rank_scores(scores, by="mean_raw")
    assert made.by == "mean_raw" and made.score.tolist() == sorted(made.score, reverse=True)
    means = scores.system_means().set_index("system")["mean_raw"]
    assert made.score == pytest.approx(means[[*made.systems]])
    expected = rank_sum(scores.raw, scores.system, len(scores.systems))[0]
    np.testing.assert_allclose(made.p, expected[np.ix_(made.order, made.order)])
    caused = replace(scores, causes={"x": "its workers gave one score each"})
    assert rank_scores(caused, by="mean_raw").systems == made.systems
    with pytest.raises(DataError, match="systems without a score"):
        rank_scores(caused)


def test_counts_may_be_ranked_by_strength_and_with_tests_already_made():
    wins = np.array([[0, 9, 3], [4, 0, 8], [2, 3, 0]])
    counts = PairCounts(("a", "b", "_ref"), wins, np.zeros((3, 3), int))
    made = rank_counts(counts, "strength")
    assert made.systems == ("a", "b") and made.by == "strength"
    assert made.score == pytest.approx([np.log(9 / 4) / 2, -np.log(9 / 4) / 2])
    assert rank_counts(counts, "better_or_equal_others").by == "better_or_equal_others"
    p, lead = count_tests(counts.without("_ref"))
    assert lead.tolist() == [[0, 5], [-5, 0]]
    assert p[0, 1] == pytest.approx(binomtest(4, 13).pvalue)
    given = rank_counts(counts, tests=(np.full((2, 2), 0.001), lead))
    assert given.lines == (1,) and made.lines == ()


def test_p_of_counts_are_corrected_over_the_pairs_of_a_task():
    wins = np.array([[0, 9, 9], [1, 0, 8], [1, 2, 0]])
    counts = PairCounts(("a", "b", "c"), wins, np.zeros((3, 3), int))
    plain, holm = count_tests(counts)[0], count_tests(counts, "holm")[0]
    assert holm[0, 1] == pytest.approx(3 * plain[0, 1])
    assert holm[1, 2] == pytest.approx(max(plain[1, 2], 3 * plain[0, 1]))
    assert rank_counts(counts).lines == (1,) and rank_counts(counts, correction="holm").lines == ()
