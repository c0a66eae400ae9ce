"""Standardisation by annotator: equation 1 of Knowles (2021), by hand and row by row."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from judged import judged, toy
from rankstability.scores.z import annotator_moments


def test_z_scores_subtract_the_mean_of_the_annotator_and_divide_by_the_standard_deviation():
    judgments = toy(joined=False)
    score = judgments.table["score"].to_numpy(float)[:7]  # of w1, of any item type
    z = rs.z_scores(judgments)
    np.testing.assert_allclose(z[:7], (score - score.mean()) / score.std(ddof=1))
    assert z.name == "z" and z.index.equals(judgments.table.index)


def test_moments_come_from_the_unmarked_rows_of_the_larger_table():
    with_joined = annotator_moments(toy())[0]
    without = annotator_moments(toy(joined=False))[0]
    assert with_joined["w1"] == without["w1"] and with_joined["w2"] == (4 * without["w2"] + 50) / 5
    judgments = toy(joined=False)
    marked = judgments.all_rows.assign(mark=["duplicate" if k == 3 else None for k in range(11)])
    z = rs.z_scores(replace(judgments, all_rows=marked))
    score = judgments.table["score"].to_numpy(float)[:7]
    some = np.delete(score, 3)
    np.testing.assert_allclose(z[:7], (score - some.mean()) / some.std(ddof=1))


@pytest.mark.parametrize(("rule", "expected"), [("drop", np.nan), ("zero", 0.0)])
def test_annotators_whose_scores_never_vary_follow_the_rule_of_the_campaign(rule, expected):
    rows = [(w, s, "1", "SYSTEM", 66.7 if w == "lazy" else 10 * k)  # the mean is not exactly 66.7
            for w in ("lazy", "w1") for k, s in enumerate("ABCDEFG")]  # fmt: skip
    judgments = toy([*rows, ("single", "A", "2", "SYSTEM", 5)], False, constant_annotators=rule)
    z = rs.z_scores(judgments)
    np.testing.assert_array_equal(z[:7], np.full(7, expected))
    np.testing.assert_array_equal(z[14:], [expected])  # one score alone does not vary, either
    assert np.isfinite(z[7:14]).all()


def test_annotators_without_name_or_without_rows_have_no_z_score_in_any_case():
    judgments = toy(joined=False, constant_annotators="zero")
    unnamed = judgments.table.assign(
        annotator=judgments.table["annotator"].mask(np.arange(11) == 10)
    )
    z = rs.z_scores(judgments.with_table(unnamed))
    np.testing.assert_array_equal(z[:10], rs.z_scores(judgments)[:10])
    assert np.isnan(z[10])
    others = judgments.all_rows[judgments.all_rows["annotator"] == "w1"]
    z = rs.z_scores(replace(judgments, all_rows=others))
    assert np.isfinite(z[:7]).all() and np.isnan(z[7:]).all()


def test_lower_is_better_turns_z_around_and_released_z_scores_are_taken():
    judgments = toy(joined=False)
    np.testing.assert_allclose(
        rs.z_scores(replace(judgments, lower_is_better=True)), -rs.z_scores(judgments)
    )
    frame = pd.DataFrame({"system": ["A", "B"], "segment": "1", "score": [3, 4], "z": [0.5, -2]})
    assert rs.z_scores(judged(frame, "segment_scores")).tolist() == [0.5, -2]


def test_z_scores_need_annotators_and_scores():
    frame = pd.DataFrame({"system": ["A", "B"], "segment": "1", "score": [3, 4]})
    votes = judged(pd.DataFrame({"left": ["A"], "right": ["B"], "winner": ["left"]}), "votes")
    for judgments, code in ((judged(frame), "no_annotators"), (votes, "wrong_kind")):
        with pytest.raises(rs.DataError) as caught:
            rs.z_scores(judgments)
        assert caught.value.code == code


def test_mqm_is_standardised_by_annotator():
    judgments = rs.load("demo-mqm", "en-de")
    by_annotator = rs.z_scores(judgments).groupby(judgments.table["annotator"], observed=True)
    np.testing.assert_allclose(by_annotator.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(by_annotator.std(ddof=1), 1)
