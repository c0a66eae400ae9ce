"""MQM under several tables of error weights."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from judged import judged, toy
from rankstability.io.mqm_weights import WEIGHTS
from rankstability.scores.mqm import mqm_scores

KEYS = ["system", "document", "segment", "annotator"]


def weights(*rows):
    return pd.DataFrame(rows, columns=["severity", "category", "weight"])


def test_the_weights_of_the_release_give_the_same_scores():
    judgments = rs.load("demo-mqm", "en-de")
    pd.testing.assert_frame_equal(mqm_scores(judgments).table, judgments.table)
    assert "freitag2021" in WEIGHTS


def test_a_table_of_weights_is_summed_by_rating():
    judgments = rs.load("demo-mqm", "en-de")
    scored = mqm_scores(judgments, weights(("Major", "", 3), ("Minor", "", 0.5), ("", "", 0)))
    value = judgments.errors["severity"].astype(str).map({"Major": 3, "Minor": 0.5}).fillna(0)
    slow = value.groupby([judgments.errors[key].astype(str) for key in KEYS]).sum()
    at = pd.MultiIndex.from_frame(judgments.table[KEYS].astype(str))
    np.testing.assert_allclose(scored.table["score"], -slow.loc[at])
    assert judgments.table["score"].min() < -3  # the original is left alone


def test_the_order_of_ratings_does_not_matter():
    judgments = rs.load("demo-mqm", "en-de")
    shuffled = judgments.with_table(judgments.table.sample(frac=1, random_state=1))
    again = mqm_scores(shuffled).table.loc[judgments.table.index]
    pd.testing.assert_frame_equal(again, judgments.table)


def test_what_has_no_marked_errors_is_refused():
    judgments = rs.load("demo-mqm", "en-de")
    frame = pd.DataFrame({"system": ["A"], "segment": ["1"], "annotator": ["r"], "score": [-1.0]})
    cases = [
        (toy(), weights(), "wrong_kind"),
        (judged(frame, "mqm"), weights(), "no_marked_errors"),
        (judgments, "freitag", "unknown_weights"),
        (judgments, weights(("Major", "", 5)), "no_weight"),
    ]
    for each, table, code in cases:
        with pytest.raises(rs.DataError) as caught:
            mqm_scores(each, table)
        assert caught.value.code == code
    assert mqm_scores(replace(judgments, pair="x")).pair == "x"
