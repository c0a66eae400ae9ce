"""Checks that a frame of judgments meets as a file does: names that look alike, mixed scales."""

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankstability import DataError, checks, spelling
from companion.legacy.rankstability.frames import battles, judgments


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


def test_a_name_that_looks_like_an_earlier_one_is_told_with_its_row_and_what_differs():
    names = ["A", None, "B", "\u0410", "A", "\u0412"]
    twice = pd.DataFrame({"system": "S", "document": names}, index=list("uvwxyz"))
    with pytest.raises(DataError) as caught:
        checks.refuse_alike(twice)
    error = caught.value
    assert (error.row, error.column, error.value) == ("x", "document", "\u0410 beside A")
    differ = "CYRILLIC CAPITAL LETTER A, LATIN CAPITAL LETTER A"
    assert error.expected == f"one spelling (they differ in {differ})"
    checks.refuse_alike(twice.rename(columns={"document": "target"}))


def scored(*scores, **columns):
    return pd.DataFrame({"score": scores} | columns, index=[f"r{k}" for k in range(len(scores))])


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ((1, 80, 0.5, 0.78), "2 fractions of 1 beside whole numbers up to 80"),
        ((0, 80, 0.5, 0.78), "2 fractions of 1 beside whole numbers up to 80"),
        ((np.nan, 2, 0.5, 0.78), "2 fractions of 1 beside whole numbers up to 2"),
        ((7, 2, 0.5, 0.78, 0.5), "3 fractions of 1 beside whole numbers up to 7"),
    ],
)
def test_fractions_are_refused_at_the_row_of_the_first(scores, said):
    with pytest.raises(DataError) as caught:
        checks.refuse_mixed(scored(*scores), "my scale")
    error = caught.value
    assert (error.row, error.column, error.value) == ("r2", "score", said)
    assert error.problem == "scores on two scales"
    assert error.expected == "one scale; or, if it is one, my scale"


@pytest.mark.parametrize(
    "scores",
    [
        (0.5, 0.78, 1, 0), (0.5, 0.78, 78.5, 80), (0.5, 0.5, 3, 4), (-1, 0.5, 0.78, 80),
        (1, 0, 80, 3), (0.5, 0.78, np.nan), (np.nan, np.nan),
    ],
)  # fmt: skip
def test_scores_on_one_scale_are_not_mixed(scores):
    checks.refuse_mixed(scored(*scores))


def test_a_group_up_to_one_is_told_with_its_first_row_and_the_scores_of_others():
    mixed = scored(55.5, 0.25, np.nan, 0.5, 1.0, 70.5, system=list("BAAAAB"), pair="cs-en")
    with pytest.raises(DataError) as caught:
        checks.refuse_mixed(mixed)
    assert caught.value.row == "r1"
    assert caught.value.value == "0 to 1 for the system A, up to 70.5 for others"
    checks.refuse_mixed(mixed.assign(score=[55.5, 0.25, np.nan, 0.25, 1.0, 70.5]))
    checks.refuse_mixed(mixed.assign(score=[55.5, 0.25, np.nan, 0.5, 1.5, 70.5]))
    up_to_two = scored(55.5, 0.25, 0.25, 1, 0.25, 0.5, 1.5, system=list("BAAACCC"))
    checks.refuse_mixed(up_to_two)  # A has one fraction, and C goes beyond 1
    other = mixed.assign(worker=["v", "u", "u", "u", "u", "v"], system="A")
    with pytest.raises(DataError, match=r"0 to 1 for the annotator u, up to 70\.5 for others"):
        checks.refuse_mixed(other)
    checks.refuse_mixed(other.rename(columns={"worker": "who"}))


def test_the_scale_is_that_of_the_scores_and_a_stray_is_told_as_it_is_written():
    assert checks.scale_of(scored(np.nan, np.nan)) == (0, 100)
    assert checks.scale_of(scored(1, np.nan, 5, 3)) == (1, 5)
    many = [*range(20, 60), -7.0]
    written = [str(one) for one in range(40)] + ["-7,0"]
    for more, value in (({}, "-7.0"), ({"written": written}, "-7,0")):
        with pytest.raises(DataError) as caught:
            checks.scale_of(scored(*many, **more), "my scale")
        assert (caught.value.row, caught.value.value) == ("r40", value)
        assert caught.value.expected == "0 to 100, as 40 of 41 scores are; or my scale"
    with pytest.raises(DataError, match=r"2 fractions of 1.*or, if it is one, my scale"):
        checks.scale_of(scored(0.5, 0.25, 7, 80), "my scale")


def placed(*rows):
    """Rows of segment, document and domain."""
    columns = ["segment", "document", "domain"]
    return pd.DataFrame(rows, columns=columns, index=[f"r{k}" for k in range(len(rows))])


def test_a_segment_is_in_several_documents_if_two_are_named():
    rows = [("1", "d", "n"), ("1", "e", "n"), ("1", None, "n"), ("2", "d", "n"), ("2", "d", "n")]
    assert checks.in_documents(placed(*rows)).tolist() == [True, True, False, False, False]


def test_a_second_domain_of_a_document_is_refused_at_its_first_row():
    rows = [("1", "d", "n"), ("2", "d", None), ("3", None, "t"), ("4", "d", "n"), ("5", "e", "t")]
    checks.refuse_contradictions(placed(*rows))
    with pytest.raises(DataError) as caught:
        checks.refuse_contradictions(placed(*rows, ("6", "d", "t"), ("7", "e", "n")))
    error = caught.value
    assert error.problem == "a second domain of one document"
    assert (error.row, error.column, error.value) == ("r5", "domain", "t for d")
    assert error.expected == "n, as in an earlier row"
    checks.refuse_contradictions(placed(*rows, ("6", "d", "t")).drop(columns="domain"))
    checks.refuse_contradictions(placed(*rows, ("6", "d", "t")).drop(columns="document"))


def test_a_segment_of_two_documents_is_refused_unless_half_of_them_share_segments():
    shared = [("1", "d", "n"), ("1", "e", "n")]
    others = [("2", "f", "n"), ("3", "g", "n"), ("4", "h", "n")]
    checks.refuse_contradictions(placed(*shared))
    checks.refuse_contradictions(placed(*shared, *others[:2]))
    checks.refuse_contradictions(placed(*others))
    with pytest.raises(DataError) as caught:
        checks.refuse_contradictions(placed(*others, *shared))
    error = caught.value
    assert error.problem == "a second document of one segment"
    assert (error.row, error.column, error.value) == ("r4", "document", "e for 1")
    assert error.expected == "d, as in an earlier row"


def test_a_system_of_one_file_is_no_reference_of_another():
    rows = [("f", "A", "SYSTEM"), ("f", "R", "REF"), ("g", "A", "REPEAT"), ("g", "R", "REF")]
    columns = ["file", "system", "type"]
    frame = pd.DataFrame(rows, columns=columns)
    checks.refuse_contradictions(frame)
    control = pd.DataFrame([("g", "A", "BAD_REF")], columns=columns)
    checks.refuse_contradictions(pd.concat([frame[:2], control], ignore_index=True))
    second = pd.DataFrame([("h", "R", "SYSTEM")], columns=columns, index=[9])
    with pytest.raises(DataError) as caught:
        checks.refuse_contradictions(pd.concat([frame, second]))
    error = caught.value
    assert error.problem == "a second role of one system"
    assert (error.row, error.column, error.value) == (9, "type", "a system for R")
    assert error.expected == "a reference, as in an earlier row"
    with pytest.raises(DataError, match="a system for R'; expected a reference"):
        checks.refuse_contradictions(pd.concat([frame, second.assign(file="g")])[1::3])
    both = pd.DataFrame([("h", "R", "REF")], columns=columns, index=[10])
    checks.refuse_contradictions(pd.concat([frame, second, both]))  # in one file it may be both
    checks.refuse_contradictions(pd.concat([frame, second]).assign(file="f"))
