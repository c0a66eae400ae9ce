"""Judgments of any protocol as arrays."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from assessments import toy
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import direct_assessment, segment_table
from companion.legacy.rankstability.score.scored import Scores, from_assessment, from_frame, scored, segment_scores


def test_a_block_is_of_one_worker_document_and_system_and_unknown_where_one_is_missing():
    rows = [
        ("A", "1", "w1", "d1"), ("A", "2", "w1", "d1"), ("B", "1", "w1", "d1"),
        ("A", "3", "w2", "d1"), ("A", "4", "w1", "d2"),
        ("A", "5", None, "d1"), ("A", "6", "w1", None), ("B", "7", None, None),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["system", "segment", "worker", "document"])
    block = from_frame(frame.assign(score=1.0)).units["block"]
    assert (block[5:] == -1).all() and (block[:5] >= 0).all()
    assert block[:5].tolist() == [0, 0, 1, 3, 2]  # in order of worker, document and system


def test_one_worker_is_a_unit_that_is_named_and_a_column_of_blanks_is_none():
    frame = pd.DataFrame({"system": ["B", "A", "B"], "segment": ["s2", "s1", "s1"], "score": 1.0})
    judged = from_frame(frame.assign(worker="w", document=None))
    assert judged.units.keys() == {"worker"} and judged.units["worker"].tolist() == [0, 0, 0]
    assert judged.workers == ("w",) and judged.systems == ("A", "B")
    assert judged.system.tolist() == [1, 0, 1] and judged.segment.tolist() == [1, 0, 0]


def test_judgments_without_a_domain_are_of_one_of_their_own():
    frame = pd.DataFrame({"system": list("ABAB"), "segment": list("1122"), "score": 1.0})
    domain = from_frame(frame.assign(domain=["news", None, "speech", None])).units["domain"]
    assert domain.tolist() == [0, 2, 1, 2]


# ------------------------------------------------------------------ arrays

ROWS = [  # system, segment, worker, domain, score
    ("A", "1", "v", "n", 10), ("B", "1", "v", "n", 20), ("A", "1", "u", "n", 30),
    ("A", "2", "u", "n", 60), ("A", "3", "v", "t", 90), ("B", "3", "u", "t", 40),
]  # fmt: skip


def judged(**more) -> Scores:
    frame = pd.DataFrame(ROWS, columns=["system", "segment", "worker", "domain", "score"])
    return from_frame(frame.assign(**more))


def test_each_output_of_a_segment_has_the_same_weight():
    one = judged()
    assert one.weights().tolist() == [0.5, 1, 0.5, 1, 1, 1]
    assert one.means().tolist() == [(20 + 60 + 90) / 3, (20 + 40) / 2]
    assert one.counted == 6 and one.kinds == ("worker", "domain")


def test_domains_count_equally_if_it_is_asked_for():
    one = judged()
    assert one.weights(by_domain=True).tolist() == [0.25, 1, 0.25, 0.5, 1, 1]
    assert one.means(by_domain=True).tolist() == [((20 + 60) / 2 + 90) / 2, (20 + 40) / 2]
    nameless = judged(domain=None)
    assert nameless.weights(by_domain=True).tolist() == nameless.weights().tolist()


def test_scores_as_a_matrix_and_in_layers():
    nan = np.nan
    one = judged()
    np.testing.assert_array_equal(one.matrix(), [[20, 20], [60, nan], [90, 40]])
    layers = [[[10, 20], [60, nan], [90, 40]], [[30, nan], [nan, nan], [nan, nan]]]
    np.testing.assert_array_equal(one.stack(), layers)


def test_only_some_judgments_keep_codes_and_units():
    some = judged().take(np.array([False, True, False, True, False, False]))
    assert some.system.tolist() == [1, 0] and some.segment.tolist() == [0, 1]
    assert some.score.tolist() == [20, 60] and some.units["worker"].tolist() == [1, 0]
    assert some.systems == ("A", "B") and some.segments == ("1", "2", "3")
    assert some.segment_unit("domain").tolist() == [0, 0, -1]
    assert judged().segment_unit("domain").tolist() == [0, 0, 1]
    assert len(some.raw) == len(some.judgments) == 0
    assert judged().take(np.arange(6) == 0).has("worker")
    nothing = judged().take(np.zeros(6, bool))
    assert nothing.stack().shape == (1, 3, 2) and np.isnan(nothing.stack()).all()
    assert np.isnan(nothing.matrix()).all()
    assert nothing.counted == 0 and not nothing.has("worker") and not nothing.has("segment")


def test_a_unit_is_named_by_every_judgment_or_refused():
    one = judged(document=["d", "d", "d", "e", "e", None])
    units = ("worker", "segment", "domain", "document", "hit")
    assert [name for name in units if one.has(name)] == ["worker", "segment", "domain"]
    assert one.unit("segment") is one.segment
    for name, problem in {
        "document": "these judgments do not name their document",
        "judge": "these judgments do not name their judge",
        "documint": "unknown unit (did you mean document?)",
        "annotator": "unknown unit (did you mean worker?)",
        "rater": "unknown unit (did you mean worker?)",
        "xyz": "unknown unit",
    }.items():
        with pytest.raises(DataError) as caught:
            one.unit(name)
        assert (caught.value.problem, caught.value.value) == (problem, name)
        assert caught.value.expected == "worker, domain, segment"


def test_systems_are_compared_within_segments_if_chosen_or_if_items_are_lacking():
    one = judged()
    assert not one.within
    assert replace(one, adaptive=True).within
    assert replace(one, items=True).within  # B lacks segment 2
    complete = one.take(one.segment != 1)
    complete = replace(complete, segments=("1", "3"), segment=complete.segment // 2)
    assert not replace(complete, items=True).within


def test_scores_cannot_be_changed():
    one = judged()
    with pytest.raises(FrozenInstanceError):
        one.adaptive = True
    assert not one.adaptive and not one.standardised and not one.items
    assert one.scale == (-np.inf, np.inf)


def test_names_are_in_order_and_categories_without_rows_are_none():
    values = pd.Categorical(["c", None, "a", "c"], categories=["a", "b", "c", "d"])
    turned = pd.Categorical(["c", None, "a", "c"], categories=["c", "b", "a"])
    plain = ["c", None, "a", "c"]
    for worker in (values, turned, plain):
        frame = pd.DataFrame({"system": list("BAAB"), "segment": [2, 1, 1, 10], "score": 1})
        one = from_frame(frame.assign(worker=worker), adaptive=True)
        assert one.workers == ("a", "c") and one.units["worker"].tolist() == [1, -1, 0, 1]
        assert one.segments == ("1", "2", "10") and one.segment.tolist() == [1, 0, 0, 2]
        assert one.adaptive and one.score.dtype == float


# ------------------------------------------------------------------ of each protocol


def test_raw_scores_of_direct_assessment_are_those_that_count():
    one = scored(toy())
    assert one.score.tolist() == [80, 40, 70, 96, 0, 0, 88, 64]
    assert one.scale == (0, 100) and not one.standardised and not one.adaptive
    assert one.systems == ("A", "B", "HUMAN.0") and one.kinds == ("worker",)
    assert scored(replace(toy(), adaptive=True)).adaptive


def test_standardised_scores_of_direct_assessment_are_by_worker():
    one = scored(toy(joined=False), "z")
    own = np.array([80, 40, 70, 10, 90, 96, 20.0])  # controls count for mean and deviation
    assert one.score[:2] == pytest.approx((own[:2] - own.mean()) / own.std(ddof=1))
    assert one.standardised and one.scale == (-np.inf, np.inf)


def test_rows_without_a_number_are_left_out_and_none_left_is_refused():
    values = np.array([1, np.nan, 3, 4, 5, 6, 7, 8, 9, np.inf, 11])
    assert from_assessment(toy(), values).score.tolist() == [1, 3, 6, 8, 9, 11]
    with pytest.raises(DataError, match="no judgments that count for xx-yy"):
        from_assessment(toy(), np.full(11, np.nan))


def errors_of(*rows):
    columns = ["system", "document", "segment", "rater", "category", "severity"]
    return pd.DataFrame(rows, columns=columns)


MARKED = errors_of(
    ("A", "d", 1, "r", "Other", "Major"), ("A", "d", 2, "r", "Other", "Minor"),
    ("B", "d", 1, "r", "No-error", "No-error"), ("A", "d", 1, "s", "Other", "Minor"),
    ("B", "d", 1, "s", "Other", "Minor"),
)  # fmt: skip


def test_marked_errors_are_penalties_below_nought():
    one = scored(MARKED)
    assert one.score.tolist() == [-5, -1, -1, 0, -1]
    assert not np.signbit(one.score[3])  # not -0.0
    assert one.workers == ("r", "s") and one.scale == (-np.inf, 0) and not one.adaptive
    assert set(one.kinds) == {"worker", "document", "block"} and not one.standardised
    adaptive = MARKED.copy()
    adaptive.attrs["adaptive"] = True
    assert scored(adaptive).adaptive


def test_marked_errors_are_standardised_by_rater_and_those_who_never_vary_left_out():
    one = scored(MARKED, "z")
    own = np.array([-5.0, -1, 0])
    np.testing.assert_allclose(one.score, (own - own.mean()) / own.std(ddof=1))
    assert one.workers == ("r",) and one.standardised
    near = scored(MARKED[1:3], "z").score  # of -1 and 0
    np.testing.assert_allclose(near, [-np.sqrt(1 / 2), np.sqrt(1 / 2)])


def released():
    rows = [("B", "d", "1", 50.0, -1.0, 2), ("A", "d", "1", 60.0, np.nan, 1),
            ("A", "e", "2", 80.0, 0.5, 3)]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "document", "segment", "raw", "z", "n"])


def test_released_scores_of_segments_are_as_released():
    raw, z = scored(released()), scored(released(), "z")
    assert raw.score.tolist() == [50, 60, 80] and z.score.tolist() == [-1, 0.5]
    assert raw.kinds == ("document",) and raw.workers == () and not raw.items and not raw.adaptive
    table = released()
    table.attrs |= {"items": True, "adaptive": True}
    assert scored(table).items and scored(table).adaptive


def test_what_has_no_scores_is_refused():
    with pytest.raises(DataError, match="unknown score; found 'y'; expected z, raw"):
        scored(toy(), "y")
    with pytest.raises(DataError, match="judgments without scores"):
        scored(pd.DataFrame({"system": ["A"], "block": [1]}))
    with pytest.raises(DataError, match="judgments without scores of segments"):
        segment_scores(MARKED)


# ------------------------------------------------------------------ means of segments


def test_several_judgments_of_an_output_are_averaged_first():
    rows = [("w", "A", "1", "SYSTEM", 10), ("w", "A", "1", "REPEAT", 30),
            ("w", "A", "2", "SYSTEM", 50), ("w", "B", "2", "SYSTEM", 70),
            ("w", "B", "1", "REF", 90)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["worker", "system", "segment", "type", "score"])
    da = direct_assessment("xx-yy", frame)
    made = segment_scores(da, np.array([1, np.nan, 3, 4, 5]))
    assert made.frame().to_numpy().tolist() == [
        ["A", "1", 20, 1, 2], ["A", "2", 50, 3, 1], ["B", "2", 70, 4, 1],
    ]  # fmt: skip
    means = made.system_means()
    assert list(means) == ["system", "mean_raw", "mean_z", "segments", "judgments"]
    assert means.to_numpy().tolist() == [["A", 35, 2, 2, 3], ["B", 70, 4, 1, 1]]
    assert not made.causes and not made.items and made.file == ""
    assert segment_scores(replace(da, file="x.csv")).file == "x.csv"
    some = made.take(np.array([True, False, True]))
    assert some.raw.tolist() == [20, 70] and some.judgments.tolist() == [2, 1]


def test_released_scores_keep_their_numbers_of_judgments_and_say_if_items_are_all():
    made = segment_scores(released())
    assert made.judgments.tolist() == [1, 3, 2] and made.raw.tolist() == [60, 80, 50]
    np.testing.assert_array_equal(made.score, [np.nan, 0.5, -1])
    assert made.system_means()["mean_z"].tolist() == [0.5, -1] and not made.items
    rows = pd.DataFrame({"system": list("AB"), "segment": "1", "type": "SYSTEM", "score": [1.0, 3]})
    table = segment_table(rows, pd.DataFrame(columns=["file", "reason", "rows"]))
    table.attrs["items"] = True
    assert segment_scores(table).items


def test_why_a_system_has_no_z_score_at_all_is_told_with_numbers():
    rows = [("w", "A", "1", 10), ("w", "A", "2", 30), ("v", "B", "1", 70), ("v", "B", "2", 70),
            ("u", "C", "1", 5), ("v", "C", "2", 70), ("w", "D", "1", 20),
            ("v", "D", "1", 70)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    frame = frame.assign(type="SYSTEM")
    made = segment_scores(direct_assessment("xx-yy", frame[frame["worker"] != "u"], frame))
    never, unknown = "worker whose scores never vary", "worker without rows in ad-latest"
    assert made.causes == {"B": f"2 of a {never}", "C": f"1 of a {never}, 1 of a {unknown}"}


def test_judgments_that_do_not_count_are_refused_with_their_file_if_there_is_one():
    da = toy()
    da = replace(da, good=da.good[da.good["type"] == "REF"])
    for file, said in (("", None), ("x.csv", "x.csv")):
        with pytest.raises(DataError) as caught:
            segment_scores(replace(da, file=file))
        assert caught.value.problem == "no judgments of type SYSTEM or REPEAT for xx-yy"
        assert caught.value.file == said
