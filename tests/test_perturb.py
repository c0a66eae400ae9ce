"""Removing, keeping and degrading take exactly the rows that they name, of every kind."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankstability as rs
from judged import ROWS, judged, toy

CAMPAIGNS = [("demo-srdc", "de-en"), ("demo-mqm", "en-de"), ("demo-rr", "cs-en")]


def names(frame, column="system"):
    return set(frame[column].astype(str))


def test_a_removed_system_loses_its_rows_of_any_type_and_joined_names_stay():
    left = rs.remove(toy(), systems=["A"])
    assert "A" not in names(left.table) | names(left.all_rows)
    assert (left.all_rows["system"] == "A+B").sum() == 1
    assert len(left.table) == len(ROWS) - 4  # two SYSTEM, a REPEAT, a BAD_REF
    assert len(toy().table) == len(ROWS)


def test_humans_go_with_references_and_their_damaged_ones():
    left = rs.remove(toy(), humans=True)
    assert names(left.table) == {"A", "B"} and len(left.table) == len(ROWS) - 4
    types = left.table["item_type"].value_counts()
    assert types["BAD_REF"] == 1 and "REF" not in types  # that of A is no human translation
    assert "REF" not in set(left.all_rows["item_type"])


def test_humans_of_judgments_without_any_remove_nothing():
    judgments = rs.load("demo-mqm", "en-de")
    assert judgments.humans == ()
    assert rs.remove(judgments, humans=True).table.equals(judgments.table)


def test_declared_humans_are_removed_whatever_their_name():
    left = rs.remove(toy(humans=("B",)), humans=True)
    assert names(left.table) == {"A", "HUMAN.0"}


def test_z_scores_follow_a_removal():
    left = rs.remove(toy(joined=False), systems=["HUMAN.0"])
    score = np.array([80, 40, 70, 10, 90.0])  # of w1
    assert rs.z_scores(left).iloc[0] == pytest.approx((80 - score.mean()) / score.std(ddof=1))


@pytest.mark.parametrize(
    ("argument", "value", "code", "nearest"),
    [
        ("systems", "HUMAN.1", "unknown_system", "HUMAN.0"),
        ("annotators", "w3", "unknown_annotator", "w2"),
        ("documents", "d1", "unknown_document", ""),
        ("domains", "news", "unknown_domain", ""),
        ("criteria", "fluency", "unknown_criterion", ""),
    ],
)
@pytest.mark.parametrize("change", [rs.remove, rs.keep])
def test_an_unknown_name_is_refused_with_the_nearest(change, argument, value, code, nearest):
    with pytest.raises(rs.DataError) as caught:
        change(toy(), **{argument: [value]})
    assert (caught.value.code, caught.value.value) == (code, value)
    assert nearest in (caught.value.expected or "")


def test_a_name_in_all_rows_only_can_be_removed():
    left = rs.remove(toy(), systems=["A+B"])
    assert len(left.all_rows) == len(ROWS) and left.table.equals(toy().table)


def test_one_text_is_one_name():
    assert rs.remove(toy(), systems="HUMAN.0").systems == ["A", "B"]
    assert rs.keep(toy(), annotators="w1").n_annotators == 1


def test_removing_everything_is_refused():
    for change in (
        lambda: rs.remove(toy(), annotators=["w1", "w2"]),
        lambda: rs.keep(toy(), systems=[], annotators=[]),
    ):
        with pytest.raises(rs.DataError) as caught:
            change()
        assert caught.value.code == "no_judgments"


@pytest.mark.parametrize(("campaign", "pair"), CAMPAIGNS)
def test_keeping_some_systems_is_removing_all_others(campaign, pair):
    judgments = rs.load(campaign, pair)
    some = judgments.systems[::2]
    kept = rs.keep(judgments, systems=some)
    removed = rs.remove(judgments, systems=[s for s in judgments.systems if s not in some])
    assert kept.systems == some
    for name in ("table", "all_rows", "errors"):
        first, second = getattr(kept, name), getattr(removed, name)
        assert first is second is None or first.equals(second)


@pytest.mark.parametrize(("campaign", "pair"), CAMPAIGNS)
@pytest.mark.parametrize("column", ["annotator", "document"])
def test_keeping_some_units_is_removing_all_others(campaign, pair, column):
    judgments = rs.load(campaign, pair)
    every = sorted(names(judgments.table, column))
    argument = {"annotator": "annotators", "document": "documents"}[column]
    kept = rs.keep(judgments, **{argument: every[::2]})
    removed = rs.remove(judgments, **{argument: every[1::2]})
    assert names(kept.table, column) == set(every[::2])
    for name in ("table", "errors"):
        first, second = getattr(kept, name), getattr(removed, name)
        assert first is second is None or first.equals(second)


def test_parts_that_are_named_together_must_all_be_there():
    judgments = toy()
    kept = rs.keep(judgments, systems=["A"], annotators=["w1"])
    assert set(zip(kept.table["system"], kept.table["annotator"], strict=True)) == {("A", "w1")}
    left = rs.remove(judgments, systems=["A"], annotators=["w1"])
    assert names(left.table) == {"B", "HUMAN.0"} and names(left.table, "annotator") == {"w2"}


def test_domains_and_criteria_can_be_removed():
    frame = pd.DataFrame(
        [("A", "1", "news", "fluency", 1), ("A", "2", "chat", "accuracy", 2), ("B", "1", None, None, 3)],
        columns=["system", "segment", "domain", "criterion", "score"],
    )  # fmt: skip
    judgments = judged(frame)
    assert rs.remove(judgments, domains=["news"]).table["score"].tolist() == [2, 3]
    assert rs.keep(judgments, criteria=["fluency"]).table["score"].tolist() == [1]


def test_marked_errors_go_with_their_system():
    judgments = rs.load("demo-mqm", "en-de")
    left = rs.remove(judgments, systems=["Alder"])
    assert "Alder" not in names(left.table) | names(left.errors)
    assert len(judgments.errors) - len(left.errors) == (judgments.errors["system"] == "Alder").sum()


def test_the_rest_of_a_ranking_block_stays():
    judgments = rs.load("demo-rr", "cs-en")
    system = judgments.systems[0]
    left = rs.remove(judgments, systems=[system])
    assert left.table["block"].nunique() == judgments.table["block"].nunique()
    assert len(judgments.table) - len(left.table) == (judgments.table["system"] == system).sum()
    assert "_ref" in names(judgments.table) and "_ref" in names(left.table)
    assert "_ref" not in names(rs.remove(judgments, humans=True).table)


def votes():
    rows = [
        ("A", "B", "left", "u"),
        ("C", "A", "tie", "u"),
        ("B", "C", "right", "v"),
        ("D", "B", "left", "v"),
    ]
    return judged(pd.DataFrame(rows, columns=["left", "right", "winner", "annotator"]), "votes")


def test_votes_that_involve_a_removed_system_go():
    left = rs.remove(votes(), systems=["A"]).table
    assert list(zip(left["left"], left["right"], strict=True)) == [("B", "C"), ("D", "B")]
    kept = rs.keep(votes(), systems=["A", "B", "C"]).table
    assert list(zip(kept["left"], kept["right"], strict=True)) == [
        ("A", "B"),
        ("C", "A"),
        ("B", "C"),
    ]
    assert rs.remove(replace(votes(), humans=("D",)), humans=True).systems == ["A", "B", "C"]


def test_released_segment_scores_lose_rows():
    frame = pd.DataFrame({"system": list("ABH"), "segment": "1", "score": 1.0, "z": 0.5})
    judgments = judged(frame, "segment_scores", humans=("H",))
    assert rs.remove(judgments, humans=True).systems == ["A", "B"]


# ------------------------------------------------------------------ degrade


def test_division_changes_humans_and_references_in_both_tables_and_nothing_else():
    before = toy()
    after = rs.degrade(before, 2)
    assert after.table["score"].tolist() == [80, 40, 70, 10, 45, 48, 10, 0, 0, 44, 64]
    assert after.all_rows["score"].tolist() == [*after.table["score"], 50]
    assert before.table["score"].max() == 96  # the original is left alone


@pytest.mark.parametrize("divisor", [0, -1, float("inf"), float("nan")])
def test_a_divisor_is_a_positive_number(divisor):
    with pytest.raises(rs.DataError) as caught:
        rs.degrade(toy(), divisor)
    assert caught.value.code == "bad_divisor"


def test_scores_that_dividing_would_improve_or_not_change_are_refused():
    frame = pd.DataFrame({"system": list("AH"), "segment": "1", "score": [1.0, 2.0]})
    cases = {
        "dividing_improves": [
            rs.load("demo-mqm", "en-de"),
            judged(frame, humans=("H",), lower_is_better=True),
            judged(frame, humans=("H",), scale=(-100.0, 0.0)),
        ],
        "released_z_scores": [judged(frame.assign(z=0.0), "segment_scores", humans=("H",))],
        "wrong_kind": [rs.load("demo-rr", "cs-en"), votes()],
    }
    for code, judgments in cases.items():
        for each in judgments:
            with pytest.raises(rs.DataError) as caught:
                rs.degrade(each, 2)
            assert caught.value.code == code


def test_ratings_without_humans_have_nothing_to_divide():
    frame = pd.DataFrame({"system": list("AB"), "segment": "1", "score": [1.0, 2.0]})
    with pytest.raises(rs.DataError) as caught:
        rs.degrade(judged(frame), 2)
    assert caught.value.code == "no_humans"


ROW = st.tuples(
    *map(st.sampled_from, (["w1", "w2", "w3"], ["A", "B", "HUMAN.0"], ["1", "2", "3", "4"])),
    st.sampled_from(["SYSTEM", "REPEAT", "REF", "BAD_REF"]),
    st.integers(0, 100),
)
MANY = st.lists(ROW, min_size=6, max_size=40)


@settings(max_examples=20)
@given(MANY, st.floats(1, 20))
def test_dividing_and_multiplying_back_gives_the_scores(rows, divisor):
    judgments = toy(rows, joined=False)
    back = rs.degrade(rs.degrade(judgments, divisor), 1 / divisor)
    np.testing.assert_allclose(back.all_rows["score"], judgments.all_rows["score"], rtol=1e-12)


@settings(max_examples=20)
@given(MANY)
def test_removals_commute(rows):
    judgments = toy([*rows, ("w1", "C", "1", "SYSTEM", 5)], joined=False)
    present = [name for name in ("A", "B") if name in names(judgments.table)]
    step_by_step = judgments
    for name in present:
        step_by_step = rs.remove(step_by_step, systems=[name])
    at_once = rs.remove(judgments, systems=present)
    pd.testing.assert_frame_equal(step_by_step.table, at_once.table)
