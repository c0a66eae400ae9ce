"""Judgments as arrays: which rows count, units, means and layers, by hand."""

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from judged import judged, toy
from rankstability.scores.build import (
    EVERY_REPEAT,
    NO_BAD_DOCUMENT,
    WITH_DOCUMENT_SCORES,
    codes_of,
    score_arrays,
    select_rows,
)

ROWS = [  # system, segment, annotator, domain, score
    ("B", "1", "w2", "news", 20.0), ("A", "1", "w1", "news", 20.0), ("A", "1", "w2", "news", 20.0),
    ("A", "2", "w1", "news", 60.0), ("B", "10", "w1", "chat", 40.0), ("A", "10", "w2", "chat", 90.0),
]  # fmt: skip
COLUMNS = ["system", "segment", "annotator", "domain", "score"]


def arrays(**columns):
    return score_arrays(judged(pd.DataFrame(ROWS, columns=COLUMNS).assign(**columns)))


def test_names_are_in_order_and_categories_without_rows_are_left_out():
    plain = ["c", None, "a", "c"]
    for column in (
        pd.Series(pd.Categorical(plain, categories=["a", "b", "c", "d"])),
        pd.Series(pd.Categorical(plain, categories=["c", "b", "a"])),
        pd.Series(plain),
    ):
        codes, names = codes_of(column)
        assert names == ("a", "c") and codes.tolist() == [1, -1, 0, 1]
    scores = arrays()
    assert scores.systems == ("A", "B") and scores.segments == ("1", "10", "2")
    assert scores.unit_names["annotator"] == ("w1", "w2")


def test_each_output_of_a_segment_has_the_same_weight():
    scores = arrays()
    assert scores.weights().tolist() == [1, 0.5, 0.5, 1, 1, 1]
    assert scores.means().tolist() == [(20 + 60 + 90) / 3, (20 + 40) / 2]


def test_domains_count_equally_if_it_is_asked_for():
    assert arrays().means(by_domain=True).tolist() == [((20 + 60) / 2 + 90) / 2, (20 + 40) / 2]
    nameless = arrays(domain=None)
    assert "domain" not in nameless.units
    assert nameless.weights(by_domain=True).tolist() == nameless.weights().tolist()
    some = arrays(domain=["news", None, None, None, "chat", "chat"])
    assert some.unit_names["domain"] == ("chat", "news", "") and (some.units["domain"] >= 0).all()


def test_scores_as_a_matrix_and_in_layers():
    nan = np.nan
    np.testing.assert_array_equal(arrays().matrix(), [[20, 20], [90, 40], [60, nan]])
    layers = [[[20, 20], [90, 40], [60, nan]], [[20, nan], [nan, nan], [nan, nan]]]
    np.testing.assert_array_equal(arrays().stack(), layers)


def test_blocks_are_outputs_of_a_document_by_one_annotator():
    scores = arrays(document=["d", "d", "d", "d", "e", "e"])
    together = scores.units["block"][:, None] == scores.units["block"]
    assert np.argwhere(np.triu(together, 1)).tolist() == [[1, 3]]  # A in d by w1


def test_what_is_not_named_is_no_unit():
    scores = arrays(document=["d", "d", "d", "e", "e", None])
    names = ("annotator", "segment", "domain", "document", "hit")
    assert [name for name in names if scores.has(name)] == ["annotator", "segment", "domain"]
    assert not scores.items and not scores.averages
    alone = pd.DataFrame(ROWS, columns=COLUMNS)[["system", "segment", "score"]]
    assert score_arrays(judged(alone)).items
    assert score_arrays(judged(alone, "leaderboard")).items
    averages = score_arrays(judged(alone, "segment_scores"))
    assert averages.averages and not averages.items


def test_scores_are_turned_so_that_higher_is_better():
    frame = pd.DataFrame(ROWS, columns=COLUMNS)
    scores = score_arrays(judged(frame, lower_is_better=True, scale=(0.0, 100.0)))
    assert scores.score.tolist() == [-20, -20, -20, -60, -40, -90]
    assert scores.sign == -1 and scores.scale == (-100, 0)
    assert score_arrays(rs.load("demo-mqm", "en-de")).scale == (-np.inf, 0)


def test_controls_and_judge_models_are_not_ranked_unless_nobody_else_judges():
    frame = pd.DataFrame(ROWS, columns=COLUMNS)
    assert score_arrays(judged(frame, controls=("B",))).systems == ("A",)
    assert score_arrays(judged(frame, judge_models=("w2",))).n_judgments == 3
    assert score_arrays(judged(frame, judge_models=("w1", "w2"))).n_judgments == 6


def marked() -> rs.Judgments:
    """Return Appraise-like rows: marks of repeats and document scores, one damaged output."""
    rows = [  # annotator, system, document, segment, item type, score, mark
        ("w", "A", "d", "1", "SYSTEM", 1, None), ("w", "A", "d", "2", "BAD_REF", 2, None),
        ("w", "A", "e", "3", "SYSTEM", 3, None), ("w", "A", "e", "3", "SYSTEM", 4, "superseded"),
        ("w", "B", "d", "1", "SYSTEM", 5, None), ("w", "B", "e", "3", "SYSTEM", 6, "incomplete"),
        ("w", "B", "e", "", "SYSTEM", 7, "document_score"), ("w", "B", "e", "3", "SYSTEM", 8, "other"),
    ]  # fmt: skip
    columns = ["annotator", "system", "document", "segment", "item_type", "score", "mark"]
    every = pd.DataFrame(rows, columns=columns)
    table = every[every["mark"].isna()].drop(columns="mark")
    return rs.Judgments(table=table, kind="direct_assessment", all_rows=every)


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ("counted", [1, 2, 3, 5]),
        (EVERY_REPEAT, [1, 2, 3, 4, 5, 6]),
        (NO_BAD_DOCUMENT, [3, 4, 5, 6]),  # A's document d holds a damaged output
        (WITH_DOCUMENT_SCORES, [3, 4, 5, 6, 7]),
    ],
)
def test_procedures_select_rows_by_their_marks(rows, kept):
    assert select_rows(marked(), rows).table["score"].tolist() == kept


def test_a_selection_of_another_name_is_refused():
    with pytest.raises(rs.DataError) as caught:
        score_arrays(toy(), rows="all")
    assert caught.value.code == "unknown_rows"


def test_a_system_of_which_no_judgment_has_a_z_score_is_refused_with_what_to_do():
    rows = [("w1", s, str(k), "SYSTEM", 10 * k + (s == "A")) for k in range(4) for s in "AB"]
    rows += [("lazy", s, str(k), "SYSTEM", 70) for k in range(3) for s in "AC"]
    judgments = toy(rows, joined=False)
    with pytest.raises(rs.DataError) as caught:
        score_arrays(judgments, "z")
    assert (caught.value.code, caught.value.value) == ("system_without_score", "C")
    rest = eval(caught.value.remedy, {"rs": rs, "judgments": judgments})
    assert score_arrays(rest, "z").systems == ("A", "B")


def test_the_first_rating_of_mqm_is_the_first_of_the_file_not_of_the_alphabet():
    pairs = [("zoe", -1.0), ("ann", -5.0)]
    rows = [(s, "d", k, a, score) for k in range(3) for s in "ab" for a, score in pairs]
    errors = pd.DataFrame(rows, columns=["system", "document", "segment", "annotator", "score"])
    table = errors.sort_values(["system", "segment", "annotator"])
    judgments = judged(table, "mqm", errors=errors)
    assert set(score_arrays(judgments, first_rating=True).score) == {-1.0}
    assert set(score_arrays(judgments).score) == {-1.0, -5.0}


def test_only_some_judgments_keep_codes_and_units():
    some = arrays().take(np.array([False, True, False, True, False, False]))
    assert some.systems == ("A", "B") and some.score.tolist() == [20, 60]
    assert some.segment_unit("domain").tolist() == [1, -1, 1]
    nothing = arrays().take(np.zeros(6, bool))
    assert np.isnan(nothing.matrix()).all() and not nothing.has("annotator")
    assert nothing.stack().shape == (1, 3, 2)
