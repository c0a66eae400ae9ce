"""A wrong cell of any format is refused with its file, line, column, value and problem."""

import datetime as dt
from dataclasses import FrozenInstanceError
from pathlib import Path

import demo_rr
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.legacy.rankcampaigns import campaigns, official, tables
from companion.legacy.rankcampaigns.appraise import LAYOUTS
from companion.legacy.rankcampaigns.da import COLUMNS, SEGMENT_COLUMNS
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError

DA = "H{0} w{0} cs en ad 3 sys{1} {0} SYSTEM doc_{0} {0} 1.5"
BLOCK = "Czech English {0} doc {0} j 1 a 2 b 3 c 4 d 5 e 1 2 2 -1 5"
MQM = ["system", "doc", "docSegId", "globalSegId", "rater", "source", "target"]
MQM += ["category", "severity"]
FORMS = {  # file, separator, columns, row k of system k % 3
    "da": ("mine.csv", "\t", COLUMNS, DA),
    "da without a header": ("mine.csv", "\t", COLUMNS, DA),
    "segments": ("ad-seg-scores-cs-en.csv", " ", SEGMENT_COLUMNS, "sys{1} {0} {0} -0.5 2"),
    "rr": ("x.csv", ",", next(demo_rr.rows()), BLOCK),
    "mqm": ("mqm_x_csen.tsv", "\t", MQM, "A d {0} {0} r s t Other Minor"),
    "esa": ("x.csv", ",", LAYOUTS["esa"], "w{0} sys{1} {0} TGT ces eng {0} d{0} False [] {0} 99"),
    "long": ("x.csv", ",", ["langs", "system", "segment", "annotator", "score", "type"],
             "cs-en sys{1} {0} u {0} TGT"),
    "battles": ("x.cs-en.csv", ",", ["model_a", "model_b", "winner", "judge", "anony"],
                "sys{1} B tie u{0} true"),
    "official": ("ad-sys-scores-cs-en.csv", " ", ["RAW.SCR", "Z.SCR", "N", "SYS", "N.ALL"],
                 "{0} 0.1 20 sys{0} 30"),
    "printed": ("ad-sys-ranking-cs-en-z.csv", " ", ["RAW.SCR", "Z.SCR", "N", "N.ALL", "SYS"],
                "{0} 0.1 20 30 sys{0}"),
    "p-values": ("adwilcox-csen.csv", " ", ["system", "a", "b"], "sys{0} 0.12 0.01"),
}  # fmt: skip
BARE = ("da without a header", "printed")
NO_NUMBER = ("good", "NA", "nan", "inf", "1_0")
MISSING = {"empty id": ("",)}
NOTHING = {"empty id": ("None", "null", "NaN", "nan", "NA", "N/A", "<NA>", "")}
WRONG = {  # column: problem: values
    "da": {
        "score": {"out of range": ("170", "100.001", "-1"), "not a number": (*NO_NUMBER, "")},
        "type": {"unknown type": ("SYSTM", "")},
        "WorkerId": {"empty id": ("", "NA")},
        "sys_id": {
            "empty id": ("", "None"),
            "not a single value": ("['a']", "{a:1}"),
            "too long for an id": ("x" * 1001,),
        },
        "sid": {"empty id": ("",)},
        "Input.src": {"not a language code": ("Czech", "c", "")},
    },
    "da without a header": {"score": {"out of range": ("170",)}, "sid": {"empty id": ("NA",)}},
    "segments": {
        "SYS": {"empty id": ("NA",), "a stray quotation mark in an id": ('sys"1',)},
        "SID": {"empty id": ("NA",), "duplicate system and segment": ("2",)},
        "RAW.SCR": {"out of range": ("101",), "not a number": NO_NUMBER},
        "Z.SCR": {"not a number": NO_NUMBER},
        "N": {"out of range": ("0",), "not an integer": (*NO_NUMBER, "1.5", "2e3")},
    },
    "rr": {
        "system3rank": {"not an integer": ("x", "", "1.5"), "out of range": ("6", "0", "-2")},
        "system5rank": {"out of range": ("99",)},
        "system2Id": {"empty id": ("", " "), "a system appears twice in one block": ("a",)},
        "judgeId": {"empty id": ("", " ")},
        "srclang": {"unknown language": ("Klingon", "")},
        "srcIndex": {"not an integer": ("seven",), "out of range": ("-1",)},
    },
    "mqm": {
        **{"system": MISSING, "doc": MISSING, "rater": MISSING},
        "docSegId": {"not a segment number": ("one", "1.5", "")},
        "globalSegId": {"out of range": ("-3",), "not a segment number": NO_NUMBER},
    },
    "esa": {
        **{"username": MISSING, "system": MISSING, "itemId": MISSING},
        "score": {"out of range": ("900", "-0.1"), "not a number": (*NO_NUMBER, "")},
        "itemType": {"unknown type": ("XXX", "SYSTEM", "")},
        "trgLang": {"not a language code": ("",)},
    },
    "long": {
        **{"system": NOTHING, "segment": NOTHING, "annotator": NOTHING},
        "score": {"not a number": ("good", "1;5", "1_0"), "score out of scale": ("999", "-1")},
        "type": {"unknown type": ("EXTRA",)},
        "langs": {"not a language pair": ("somewhere", "")},
    },
    "battles": {
        "winner": {"unknown winner": ("model_c", "")},
        "model_a": {"empty id": ("", "NA")},
        "model_b": {"a model against itself": ("sys2",)},
        "anony": {"neither true nor false": ("perhaps",)},
    },
    "official": {
        "RAW.SCR": {"out of range": ("100.5", "-1"), "not a number": NO_NUMBER},
        "Z.SCR": {"not a number": NO_NUMBER},
        "N.ALL": {"out of range": ("0",), "not an integer": ("1.5",)},
        "SYS": {"duplicate system": ("sys1",)},
    },
    "printed": {"N": {"not an integer": ("20.5",)}},
    "p-values": {"a": {"out of range": ("1.01", "-0.1")}, "b": {"not a number": NO_NUMBER}},
}
CASES = [
    (form, column, problem, value)
    for form, columns in WRONG.items()
    for column, problems in columns.items()
    for problem, values in problems.items()
    for value in values
]


def read(folder, form, rows):
    """What is read of `rows` in a file of that form."""
    name, sign, columns, _ = FORMS[form]
    header = [] if form in BARE else [columns[form == "p-values" :]]
    (folder / name).write_text("".join(sign.join(row) + "\n" for row in [*header, *rows]))
    if form in ("official", "printed"):
        return official.ranking(campaigns._campaign("x", folder, {"format": "da"}), "cs-en")
    if form == "p-values":
        return official.p_values(campaigns._campaign("x", folder, {"format": "da"}), "cs-en")
    campaign = campaigns.find(folder / name)
    return campaigns.load(campaign, "cs-en")


def rows_of(form, number=30):
    return [FORMS[form][3].format(k, k % 3).split() for k in range(1, number)]


@pytest.mark.parametrize("form", FORMS)
def test_rows_without_a_fault_are_read(tmp_path, form):
    read_ = read(tmp_path, form, rows_of(form))
    assert len(getattr(read_, "good", read_)) == 29 * {"rr": 5, "battles": 2}.get(form, 1)


@pytest.mark.parametrize(("form", "column", "problem", "value"), CASES)
def test_a_wrong_cell_is_named(tmp_path, form, column, problem, value):
    rows = rows_of(form)
    rows[4][list(FORMS[form][2]).index(column)] = value
    with pytest.raises(DataError) as caught:
        read(tmp_path, form, rows)
    error = caught.value
    assert (error.line, error.column, error.problem) == (5 + (form not in BARE), column, problem)
    assert error.value == value.strip() and error.expected and FORMS[form][0] in error.file


@pytest.mark.parametrize("form", [form for form in FORMS if form != "p-values"])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_row_with_a_cell_less_or_more_is_named(tmp_path, form, change):
    rows = rows_of(form)
    rows[4] = rows[4][:-1] if change < 0 else [*rows[4], "x"]
    if (form, change) == ("mqm", 1):  # the metadata
        return
    with pytest.raises(DataError, match="wrong number of columns") as caught:
        read(tmp_path, form, rows)
    assert (caught.value.line, caught.value.value) == (5 + (form not in BARE), len(rows[4]))


# ------------------------------------------------------------------ cells one by one


def problem_of(column, written):
    """What a column says of a text."""
    return column.problem(written, float(pd.to_numeric(written, errors="coerce")))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3.0", "3.0"), (None, ""), (np.nan, ""), (pd.NA, ""), (pd.NaT, ""), (3.0, "3"),
        (-2.0, "-2"), (2.5, "2.5"), (np.float32(0.5), "0.5"), (np.float64(4), "4"), (0.0, "0"),
        (np.inf, "inf"), (-np.inf, "-inf"), (7, "7"), (True, "True"), ([1, None], "[1, None]"),
        (b"x", "b'x'"), (1e20, "100000000000000000000"),
        (dt.date(2026, 3, 4), "not text: 2026-03-04"), (dt.time(1, 2), "not text: 01:02:00"),
        (dt.timedelta(hours=1), "not text: 1:00:00"),
        (pd.Timestamp("2026-03-04"), "not text: 2026-03-04 00:00:00"),
    ],
)  # fmt: skip
def test_a_value_is_written_as_a_user_would(value, text):
    assert schemas.as_text(value) == text


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("A", ""), ("x" * 1000, ""), ("x" * 1001, "too long for an id"), ("none", "empty id"),
        (" NA ", "empty id"), ("None of these", ""), ("#N/A", "an error of a spreadsheet"),
        ("#1", ""), ("A\tB", "a line break or control character in an id"), ("A B", ""),
        ('"A"', ""), ('A"', "a stray quotation mark in an id"), ("[1, 2]", "not a single value"),
        ("[]", "not a single value"), ("[deleted]", ""), ("{}", "not a single value"),
        ("{name}", ""), ("[1]", "not a single value"), ("b'A'", "a Python bytes literal"),
        ("b'A", ""), ("True", "true or false, perhaps made of an id by a spreadsheet"),
        ("TRUE", ""), ("not text: x", "a date or time, perhaps made of an id by a spreadsheet"),
    ],
)  # fmt: skip
def test_what_is_no_id(written, problem):
    column = schemas.ids("system")["system"]
    assert problem_of(column, written) == problem
    assert column.expected == "an id, at most 1000 characters" and not column.is_number


def test_a_domain_may_be_true_and_loose_ids_may_be_anything_but_dates_and_truths():
    assert problem_of(schemas.ids("domain")["domain"], "True") == ""
    assert problem_of(schemas.ids("judge", missing=())["judge"], "NA") == ""
    loose = schemas.loose("hit", "domain")
    truth = "true or false, perhaps made of an id by a spreadsheet"
    assert [problem_of(loose["hit"], text) for text in ("", "[1, 2]", "False")] == ["", "", truth]
    assert problem_of(loose["domain"], "False") == ""
    assert problem_of(loose["domain"], "not text: 1").startswith("a date or time")


@pytest.mark.parametrize(
    ("written", "problem"),
    [("1", ""), ("5", ""), ("0.99", "out of range"), ("5.01", "out of range"), ("2.5", ""),
     ("3", "out of range"), ("inf", "not a number"), ("x", "not a number")],
)  # fmt: skip
def test_a_number_is_between_its_ends_and_not_the_one_that_is_left_out(written, problem):
    column = schemas.number("a number", 1, 5, but=3)
    assert problem_of(column, written) == problem and column.is_number


def test_a_count_is_whole_and_at_least_one_unless_said():
    told = {
        "1": "",
        " +7 ": "",
        "0": "out of range",
        "1.0": "not an integer",
        "x": "not an integer",
    }
    assert {text: problem_of(schemas.count(), text) for text in told} == told
    assert schemas.count().expected == "an integer, at least 1"
    assert problem_of(schemas.count(0, "no count"), "0") == ""
    assert problem_of(schemas.count(0, "no count"), "0.5") == "no count"
    assert problem_of(schemas.count(0, "no count"), "-1") == "out of range"
    assert problem_of(schemas.number("any"), "-1e300") == ""
    for text, problem in {
        "0": "",
        "100": "",
        "-0.1": "out of range",
        "100.1": "out of range",
    }.items():
        assert problem_of(schemas.SCORE, text) == problem


def test_types_and_languages_are_known_in_full():
    column = schemas.one_of(("REF", "SYSTEM"), "type")
    assert [problem_of(column, text) for text in ("REF", "RE")] == ["", "unknown type"]
    assert column.expected == "one of REF, SYSTEM"
    columns = schemas.languages("[a-z]{2}")
    assert list(columns) == ["source", "target"]
    assert problem_of(columns["source"], "cs") == ""
    assert problem_of(columns["target"], "csx") == "not a language code"
    assert list(schemas.judgments(["A"])) == [
        "worker",
        "system",
        "segment",
        "type",
        "score",
    ]


def test_rows_of_a_frame_are_named_by_their_labels_the_first_row_first():
    frame = pd.DataFrame({"system": ["A", "", "B", ""], "raw": ["1", "2", "x", "y"]})
    frame.index = ["z", "y", "x", "w"]
    columns = schemas.ids("system") | {"raw": schemas.SCORE}
    with pytest.raises(DataError) as caught:
        schemas.validate(frame, columns)
    error = caught.value
    assert (error.row, error.line, error.column, error.value) == ("y", None, "system", "")
    assert error.expected == "an id, at most 1000 characters (3 more wrong)"
    with pytest.raises(DataError) as caught:
        schemas.validate(frame[2:3], columns)
    error = caught.value
    assert (error.row, error.column, error.value) == ("x", "raw", "x")
    assert error.expected == "a number from 0 to 100"
    fine = schemas.validate(frame[:1], columns)
    assert list(fine) == ["system", "raw"] and fine.index.tolist() == ["z"]
    assert fine["raw"].tolist() == [1.0] and fine["system"].tolist() == ["A"]


def test_rows_of_a_file_are_named_by_their_lines_and_its_columns():
    frame = pd.DataFrame({"their raw": ["1", "2", "x", "y"], "system": ["A", "", "B", ""]})
    made = tables.table(Path("f"), frame, [4, 8, 9, 10])
    columns = schemas.ids("system") | {"raw": schemas.SCORE}
    names = {"raw": "their raw", "system": "system"}
    turned = tables.table(Path("f"), frame, [10, 9, 8, 4])  # as of a wide table that was melted
    for table, rows, place in (
        (made, None, (8, "system", "")),
        (made, np.array([0, 2]), (9, "their raw", "x")),
        (turned, None, (4, "their raw", "y")),
        (turned, np.array([1, 2]), (8, "their raw", "x")),
    ):
        with pytest.raises(DataError) as caught:
            table.validated(columns, names, rows)
        error = caught.value
        assert (error.line, error.column, error.value) == place
        assert error.file == "f" and error.row is None
    fine = made.validated(columns, names, np.array([0]))
    assert fine.index.tolist() == [0] and fine["raw"].tolist() == [1.0]


def test_the_first_column_is_named_of_two_wrong_cells_of_a_row():
    frame = pd.DataFrame({"raw": ["1", "x", "y"], "system": ["A", "", ""]})
    with pytest.raises(DataError) as caught:
        schemas.validate(frame, schemas.ids("system") | {"raw": schemas.SCORE})
    error = caught.value
    assert (error.row, error.column, error.value) == (1, "raw", "x")
    assert error.expected.endswith("(3 more wrong)") and error.line is None


def test_rows_that_repeat_are_expected_each_once():
    frame = pd.DataFrame({"system": ["A", "B", "A"], "segment": ["1", "1", "1"]})
    columns = schemas.ids("system", "segment")
    with pytest.raises(DataError) as caught:
        schemas.validate(frame, columns, ["system", "segment"], "again")
    error = caught.value
    assert (error.row, error.problem, error.column) == (2, "again", "segment")
    assert error.expected == "each once"
    schemas.validate(frame[:2], columns, ["system", "segment"], "again")


CELLS = st.tuples(st.sampled_from("ab"), st.sampled_from("123"), st.sampled_from(["5", "101", "x"]))
PROBLEMS = {"5": "", "101": "out of range", "x": "not a number"}


@settings(max_examples=30, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=8), st.booleans())
def test_the_first_wrong_row_is_named_and_the_others_are_counted(rows, categorical):
    names = ["system", "segment", "raw"]
    frame = pd.DataFrame(rows, columns=names, index=range(5, 5 + len(rows)))
    frame = frame.astype("category") if categorical else frame
    before = frame.copy()
    columns = schemas.ids("system", "segment") | {"raw": schemas.SCORE}
    bad = []  # row, column, value, problem
    for k, row in enumerate(rows):
        if row[:2] in [other[:2] for other in rows[:k]]:
            bad.append((5 + k, "segment", row[1], "again"))
        if PROBLEMS[row[2]]:
            bad.append((5 + k, "raw", row[2], PROBLEMS[row[2]]))
    told = {"once": ["system", "segment"], "again": "again"}
    if not bad:
        out = schemas.validate(frame, columns, **told)
        assert out["raw"].tolist() == [5.0] * len(rows)
        assert list(out.index) == list(frame.index)
    else:
        with pytest.raises(DataError) as caught:
            schemas.validate(frame, columns, **told)
        error = caught.value
        assert (error.row, error.column, error.value, error.problem) == bad[0]
        assert (f"({len(bad) - 1} more wrong)" in error.expected) == (len(bad) > 1)
    pd.testing.assert_frame_equal(frame, before)


def test_what_a_column_may_hold_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        schemas.SCORE.expected = "anything"
