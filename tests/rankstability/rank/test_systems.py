"""Rankings from scores of segments and from counts, with the tests that are asked for."""

import numpy as np
import pandas as pd
import pytest

from rankstability import load, rank_systems, segment_scores
from rankstability.errors import DataError
from rankstability.rank.systems import by_normalisation, rank_counts, rank_ratings, rank_scores
from rankstability.score import mqm
from rankstability.score.pairwise import PairCounts


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


def rated(errors):
    """Errors (systems, documents, raters), all minor, of documents of one segment."""
    rows = [
        (f"s{s}", f"d{d}", f"d{d}", f"r{r}", "Other", "Minor")
        for s, d, r in np.ndindex(*errors.shape)
        for _ in range(errors[s, d, r])
    ]
    columns = ["system", "document", "segment", "rater", "category", "severity"]
    return mqm.ratings(pd.DataFrame(rows, columns=columns))


def test_ratings_are_ranked_by_minus_their_mean_per_segment():
    errors = np.array([[[5, 3], [4, 2], [3, 1]], [[1, 1], [1, 1], [1, 4]]])
    made = rank_ratings(rated(errors))
    assert made.table["system"].tolist() == ["s1", "s0"]
    assert made.score.tolist() == pytest.approx([-9 / 6, -18 / 6])
    assert made.table["errors"].tolist() == pytest.approx([9 / 6, 18 / 6])
    # of 8 ways to swap three documents, 2 are as extreme as differences of 3, 2 and -0.5
    assert made.p[0, 1] == made.p[1, 0] == pytest.approx(4 / 8, abs=0.07)


def test_rankings_under_all_normalisations_are_those_of_each():
    data = rated(np.random.default_rng(2).integers(1, 9, (3, 6, 2)))
    table = by_normalisation(data)
    assert table["normalisation"].unique().tolist() == [*mqm.NORMALISATIONS]
    for name, part in table.groupby("normalisation"):
        one = rank_ratings(data, name)
        assert part["system"].tolist() == one.table["system"].tolist()
        assert part["minus_mqm"].to_numpy() == pytest.approx(one.score)
