"""Perturbations take exactly the rows they name, and say how many."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import ROWS, toy
from companion.legacy.rankstability.change import perturb
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.da import judgment_z


def test_removing_a_system_takes_all_its_rows_but_not_those_of_a_joined_id():
    left = perturb.remove(toy(), ["A"])
    assert "A" not in set(left.good["system"]) and "A" not in set(left.latest["system"])
    assert (left.latest["system"] == "A+B").sum() == 1
    assert len(left.good) == len(ROWS) - 4  # two SYSTEM, a REPEAT, a BAD_REF
    assert left.excluded["rows"].to_list() == [4, 4]


def test_references_go_without_their_degraded_ones_and_humans_with_theirs():
    left = perturb.remove(toy(), reference=True)
    assert left.good["type"].value_counts()[["REF", "BAD_REF"]].tolist() == [0, 2]
    left = perturb.remove(toy(), humans=True, reference=True)
    assert set(left.good["system"]) == {"A", "B"} and len(left.good) == len(ROWS) - 4
    assert (left.good["type"] == "BAD_REF").sum() == 1


def test_division_touches_humans_references_and_nothing_else():
    before, after = toy(), perturb.degrade(toy(), 4)
    ratio = before.good["score"] / after.good["score"].replace(0, np.nan)
    divided = ratio == 4
    assert set(before.good.loc[divided, "system"]) == {"HUMAN.0", "B"}
    assert (before.good.loc[divided & (before.good["system"] == "B"), "type"] == "REF").all()
    assert divided.sum() == 4 and after.excluded["rows"].to_list() == [4, 4]
    assert before.good["score"].max() == 96  # the original is left alone


def test_standardised_scores_follow_the_perturbed_rows():
    left = perturb.remove(toy(joined=False), ["HUMAN.0"])
    w1 = np.array([80, 40, 70, 10, 90.0])
    z = judgment_z(left)
    assert z[0] == pytest.approx((80 - w1.mean()) / w1.std(ddof=1), abs=1e-14)


@pytest.mark.parametrize(
    ("call", "values"),
    [(perturb.remove, (["C"],)), (perturb.degrade, (0,)), (perturb.degrade, (float("nan"),))],
)
def test_nonsense_is_refused(call, values):
    with pytest.raises(DataError):
        call(toy(), *values)


NAMES = (["w1", "w2", "w3"], ["A", "B", "C"], ["1", "2", "3", "4"])
TYPES = ["SYSTEM", "REPEAT", "REF", "BAD_REF"]
one = st.tuples(*map(st.sampled_from, (*NAMES, TYPES)), st.integers(0, 100))
judgments = st.lists(one, min_size=6, max_size=40)


@settings(max_examples=20)
@given(judgments)
def test_dividing_references_by_one_changes_no_score(rows):
    da = toy(rows, joined=False)
    assert perturb.degrade(da, 1).good["score"].equals(da.good["score"])


@settings(max_examples=20)
@given(judgments, st.floats(1, 20))
def test_dividing_and_multiplying_back_gives_the_scores(rows, divisor):
    da = toy(rows, joined=False)
    back = perturb.degrade(perturb.degrade(da, divisor), 1 / divisor)
    np.testing.assert_allclose(back.latest["score"], da.latest["score"], rtol=1e-12)


@settings(max_examples=20)
@given(judgments)
def test_removal_commutes(rows):
    da = toy(rows, joined=False)
    names = [n for n in ("A", "B") if n in da.good["system"].cat.categories]
    one = da
    for name in names:
        one = perturb.remove(one, [name])
    both = perturb.remove(da, names)
    pd.testing.assert_frame_equal(one.good, both.good)


def test_frames_of_the_other_protocols_lose_the_systems_rows_and_nothing_else():
    rows = [(b, s) for b in (1, 2) for s in ("A", "B", "HUMAN.1", "_ref")]
    frame = pd.DataFrame(rows, columns=["block", "system"]).astype({"system": "category"})
    assert list(perturb.remove(frame, "A")["system"]) == ["B", "HUMAN.1", "_ref"] * 2
    left = perturb.remove(frame, humans=True, reference=True)
    assert list(left["system"]) == ["A", "B"] * 2 and list(left["block"]) == [1, 1, 2, 2]
    with pytest.raises(DataError, match="no such system"):
        perturb.remove(frame, ["A", "C"])


def told(da):
    return [tuple(row) for row in da.excluded.to_numpy()]


def test_what_was_removed_is_told_for_each_frame_after_what_was_told_before():
    left = perturb.remove(toy(), "A", humans=True, reference=True)
    said = "removed: A and human systems and REF"
    assert told(left) == [("latest", said, 8), ("good", said, 8)]
    assert left.excluded["rows"].dtype == int
    again = perturb.remove(left, ["B"])
    assert told(again) == [*told(left), ("latest", "removed: B", 3), ("good", "removed: B", 3)]
    assert again.excluded.index.tolist() == [0, 1, 2, 3]
    assert told(perturb.remove(toy(), ["B", "A"]))[0] == ("latest", "removed: A, B", 8)
    assert told(perturb.remove(toy(), "A+B"))[0] == ("latest", "removed: A+B", 1)
    assert told(perturb.remove(toy(), "A+B"))[1] == ("good", "removed: A+B", 0)
    assert told(perturb.remove(toy(), reference=True))[1] == ("good", "removed: REF", 1)


def test_an_unknown_system_is_refused_with_those_that_are_ranked():
    with pytest.raises(DataError) as caught:
        perturb.remove(toy(), ["A", "D", "C"])
    assert caught.value.problem == "no such system in xx-yy" and caught.value.value == "C"
    assert caught.value.expected == "one of A, B, HUMAN.0"
    frame = pd.DataFrame({"block": [1, 1], "system": ["B", "A"]})
    with pytest.raises(DataError, match=r"no such system in the judgments; found 'C'.*one of A, B"):
        perturb.remove(frame, "C")


def test_declared_humans_of_a_frame_are_removed_instead_of_those_named_so():
    frame = pd.DataFrame({"block": 1, "system": ["A", "B", "HUMAN.1"]})
    assert perturb.remove(frame, humans=True)["system"].tolist() == ["A", "B"]
    frame.attrs["humans"] = ("A",)
    assert perturb.remove(frame, humans=True)["system"].tolist() == ["B", "HUMAN.1"]
    assert perturb.remove(frame, "B", humans=True)["system"].tolist() == ["HUMAN.1"]
    assert perturb.remove(frame)["system"].tolist() == ["A", "B", "HUMAN.1"]
    assert perturb.remove(frame, reference=True)["system"].tolist() == ["A", "B", "HUMAN.1"]
    assert perturb.remove(replace(toy(), humans=("B",)), humans=True).good["score"].sum() == 364


def test_dividing_scores_by_hand():
    after = perturb.degrade(toy(), 2)
    assert after.good["score"].tolist() == [80, 40, 70, 10, 45, 48, 10, 0, 0, 44, 64]
    assert after.latest["score"].tolist() == [*after.good["score"], 50]
    assert told(after) == [("latest", "scores divided by 2", 4), ("good", "scores divided by 2", 4)]
    assert perturb.degrade(toy(), 0.5).good["score"].max() == 192
    for divisor in (-1, float("inf")):
        with pytest.raises(DataError, match=r"not a divisor.*a positive number"):
            perturb.degrade(toy(), divisor)
