"""Checks that a frame of judgments meets as a file does: names that look alike, mixed scales."""

import numpy as np
import pandas as pd
import pytest

from rankstability import DataError, checks, spelling
from rankstability.frames import battles, judgments


def frame(systems=("A", "B"), segments=("1", "2"), scores=(50, 60, 70, 80)):
    rows = [(one, segment, "SYSTEM") for one in systems for segment in segments]
    return pd.DataFrame(rows, columns=["system", "segment", "type"]).assign(score=scores, who="u")


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("As\u200bpen", "Aspen"), ("As\u00adpen", "Aspen"), ("\u202eAspen\u202c", "Aspen"),
        ("Cafe\u0301", "Caf\u00e9"), ("As\u00a0pen", "As pen"), (" Aspen ", "Aspen"),
        ("\u0645\u06cc\u200c\u0631", "\u0645\u06cc\u200c\u0631"), ("A\u200cB", "AB"), ("Å", "Å"),
    ],
)  # fmt: skip
def test_names_are_cleaned_of_what_is_invisible(written, seen):
    assert spelling.cleaned(written) == seen


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Aspen", "\u0410spen"), ("Aspen", "\u0391spen"), ("Aspen", "\uff21spen"), ("17", "17.0"),
        ("d_1", "d_1.0"), ("d:17.", "d:17"),
        ("Aspen", '"Aspen"'), ("GPT-4", "GPT\u20134"), ("A B", "A  B"), ("A", "\U0001d400"),
    ],
)  # fmt: skip
def test_names_that_look_the_same_are_refused_in_a_frame(one, other):
    with pytest.raises(DataError, match="looks the same") as caught:
        judgments(frame(systems=(one, other)))
    assert caught.value.column == "system"
    assert caught.value.row == 2
    assert one in str(caught.value)
    assert other in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Aspen", "aspen"), ("A1", "A2"), ("17", "17.5"), ("017", "17"), ("A", "Б"), ("v4", "v4.0")],
)
def test_names_that_look_different_are_two(one, other):
    assert spelling.alike([one, other]) == []
    assert len(judgments(frame(systems=(one, other)), annotator="who").good) == 4


@pytest.mark.parametrize("column", ["system", "worker", "file", "pair"])
def test_a_group_on_another_scale_is_refused(column):
    rng = np.random.default_rng(3)
    scores = rng.uniform(0, 100, 40).round(1)
    groups = np.repeat(["a", "b", "c", "d"], 10)
    scores[10:20] = (scores[10:20] / 100).round(3)
    mixed = pd.DataFrame({column: groups, "score": scores})
    with pytest.raises(DataError, match=r"scores on two scales.*0 to 1 for the .* b, up to 9\d"):
        checks.refuse_mixed(mixed)
    checks.refuse_mixed(mixed[mixed[column] == "b"])
    checks.refuse_mixed(mixed[mixed[column] != "b"])


def test_fractions_beside_whole_numbers_are_refused_and_halves_are_not():
    with pytest.raises(DataError, match="2 fractions of 1 beside whole numbers up to 80"):
        judgments(frame(scores=(0.5, 0.78, 78, 80)))
    told = judgments(frame(scores=(0.5, 0.78, 78, 80)), annotator="who", scale=(0, 100))
    assert len(told.good) == 4
    checks.refuse_mixed(frame(scores=(0.5, 1.5, 3, 4)))
    checks.refuse_mixed(frame(scores=(0.5, 0.0, 3, 4)))
    checks.refuse_mixed(frame(scores=(-0.5, 0.25, 3, 4)))


def test_a_stray_score_of_a_frame_is_named_by_its_row():
    scores = [*range(20, 60), 170]
    many = pd.DataFrame({"system": "A", "segment": [f"s{k}" for k in range(41)], "type": "SYSTEM"})
    with pytest.raises(DataError, match="row 40, column 'score': score out of scale"):
        judgments(many.assign(score=scores))


def test_battles_of_a_frame_meet_the_same_checks():
    rows = [("q1", "A", "B", "tie"), ("q2", "A", "C", "tie"), ("q2", "A", "C", "tie")]
    frame = pd.DataFrame(rows, columns=["question_id", "model_a", "model_b", "winner"])
    assert battles(frame).attrs["excluded"]["identical rows (kept)"] == 1
    frame.loc[1, "model_b"] = "\u0410"
    with pytest.raises(DataError, match=r"row 1, column 'system': .*looks the same"):
        battles(frame)
