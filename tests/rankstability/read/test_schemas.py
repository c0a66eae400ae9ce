"""Schemas at the border: a wrong value is refused with its line, its column and itself."""

from __future__ import annotations

import demo_rr
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankstability.errors import DataError
from rankstability.read import appraise as readers_appraise
from rankstability.read import campaigns, official
from rankstability.read import da as readers_da
from rankstability.read import schema as schemas
from rankstability.read.mqm import read_mqm
from rankstability.read.rr import read_rr

ID = st.sampled_from(["", "NA"])
NUMBER = st.sampled_from(["", "NA", "x", "nan", "inf", "-inf", "1;5", "1_0"])
SCORE = NUMBER | st.floats(100.001, 1e9).map(str) | st.floats(-1e9, -0.001).map(str)
WHOLE = NUMBER | st.sampled_from(["1.5", "2e3"])
RANK = WHOLE | (st.integers(6, 99) | st.integers(-99, -2) | st.just(0)).map(str)
EMPTY = st.just("")


def da(folder, lines):
    for name in ("ad-latest.csv", "ad-good-raw-redup.csv"):
        (folder / name).write_text("\n".join(lines))
    return readers_da.read_da(folder, "cs-en")


def segments(folder, lines):
    (folder / "ad-seg-scores-cs-en.csv").write_text("\n".join(lines))
    return readers_da.read_segment_scores(folder, "cs-en")


def written(folder, name, lines):
    (folder / name).write_text("\n".join(lines))
    return folder / name


def ranked(folder, lines):
    written(folder, "ad-sys-scores-cs-en.csv", lines)
    return official.ranking(campaign(folder), "cs-en")


def p_values(folder, lines):
    written(folder, "adwilcox-csen.csv", lines)
    return official.p_values(campaign(folder), "cs-en")


def campaign(folder):
    return campaigns._campaign("x", folder, {"format": "da"})


FORMS = {  # separator, header, row i, wrong values per column, read
    "da": (
        "\t",
        readers_da.COLUMNS,
        lambda i: f"H{i} w{i} cs en ad 3 sys{i % 3} {i} SYSTEM doc_{i} {i % 101} 1.5".split(),
        {
            **dict.fromkeys(["WorkerId", "sys_id", "sid"], ID),
            **{"score": SCORE, "type": st.sampled_from(["", "TGT", "system"])},
            "Input.src": st.sampled_from(["", "Czech", "c"]),
        },
        da,
    ),
    "appraise": (
        ",",
        readers_appraise.LAYOUTS["esa"],
        lambda i: f"w{i} sys{i % 3} {i} TGT ces eng {i % 101} doc{i} False [] {i} 2".split(),
        {
            **dict.fromkeys(["username", "system", "itemId"], EMPTY),
            **{"score": SCORE, "itemType": st.sampled_from(["", "SYSTEM"]), "trgLang": EMPTY},
        },
        lambda folder, lines: readers_appraise.read_appraise(
            (written(folder, "esa_x.csv", lines),), "cs-en"
        ),
    ),
    "segments": (
        "\t",
        readers_da.SEGMENT_COLUMNS,
        lambda i: f"sys{i % 3} {i} {i % 101} -0.5 2".split(),
        {"SYS": ID, "SID": ID, "RAW.SCR": SCORE, "Z.SCR": NUMBER, "N": WHOLE | st.just("0")},
        segments,
    ),
    "rr": (
        ",",
        next(demo_rr.rows()),
        lambda i: f"Czech,English,{i},doc,{i},j,1,a,2,b,3,c,4,d,5,e,1,2,2,-1,5".split(","),
        {
            **{f"system{i}rank": RANK for i in range(1, 6)},
            **dict.fromkeys(["judgeId", "system1Id", "system5Id"], st.sampled_from(["", "  "])),
            **{"srcIndex": WHOLE | st.just("-1"), "trglang": st.sampled_from(["", "Klingon"])},
        },
        lambda folder, lines: read_rr([written(folder, "x.csv", lines)]),
    ),
    "mqm": (
        "\t",
        [
            "system",
            "doc",
            "docSegId",
            "globalSegId",
            "rater",
            "source",
            "target",
            "category",
            "severity",
        ],
        lambda i: f"A d {i} {i} r s t Other Minor".split(),
        {
            **dict.fromkeys(["system", "doc", "rater"], EMPTY),
            **dict.fromkeys(["docSegId", "globalSegId"], WHOLE | st.just("-3")),
        },
        lambda folder, lines: read_mqm(written(folder, "x.tsv", lines), "cs-en"),
    ),
    "official": (
        " ",
        ["RAW.SCR", "Z.SCR", "N", "SYS", "N.ALL"],
        lambda i: f"{i % 101} 0.1 20 sys{i} 30".split(),
        {"RAW.SCR": SCORE.filter(bool), "Z.SCR": NUMBER.filter(bool), "N.ALL": st.just("0")},
        ranked,
    ),
    "p-values": (
        " ",
        ["a", "b"],
        lambda i: f"sys{i} 0.12 0.01".split(),
        {"a": NUMBER.filter(bool) | st.just("1.01"), "b": st.just("-0.1")},
        p_values,
    ),
}


def draw_columns(wrong):
    return st.tuples(st.integers(0, 8), st.sampled_from(sorted(wrong))).flatmap(
        lambda at: wrong[at[1]].map(lambda value: (*at, value))
    )


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_corruptions_are_refused_at_the_lowest_line(form, data, tmp_path_factory):
    separator, header, row, wrong, read = FORMS[form]
    folder = tmp_path_factory.mktemp(form)
    rows = [row(i) for i in range(1, 10)]
    blank = data.draw(st.integers(0, 3)) if form != "p-values" else 0
    offset = len(header) - len(rows[0])  # the header of p-values has no name for the first column
    lines = [separator.join(header), *[""] * blank]
    whole = read(folder, [*lines, *(separator.join(cells) for cells in rows)])
    assert len(getattr(whole, "good", whole)) == (45 if form == "rr" else 9)

    bad = data.draw(
        st.lists(draw_columns(wrong), min_size=1, max_size=4, unique_by=lambda b: b[:2])
    )
    places = {}
    for i, column, value in bad:
        at = list(header).index(column)
        rows[i][at - offset] = value
        places[i, at] = (column, value)
    (i, _), (column, value) = min(places.items())
    with pytest.raises(DataError) as caught:
        read(folder, [*lines, *(separator.join(cells) for cells in rows)])
    error = caught.value
    languages = {"Input.src", "trgLang"} & {b[1] for b in bad}
    if not languages or column in languages:  # languages are looked at before the rest
        ordered = [b for b in bad if b[0] == i]
        assert error.line == 2 + blank + i
        assert (error.column, error.value) in [(c, v.strip()) for _, c, v in ordered]
        if len(ordered) == 1:
            assert (error.column, error.value) == (column, value.strip())
        if not languages:
            more = len(bad) - 1
            assert (f"({more} more wrong)" in str(error)) == (more > 0)
    else:
        assert error.column in languages


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4)), min_size=1, max_size=8),
    st.booleans(),
)
def test_a_segment_of_a_system_stands_once(keys, categorical):
    text = [(system, str(segment), "50") for system, segment in keys]
    frame = pd.DataFrame(text, columns=["system", "segment", "raw"])
    frame = frame.astype("category") if categorical else frame
    lines = np.arange(len(keys)) * 3 + 7
    again = [i for i, key in enumerate(keys) if key in keys[:i]]
    columns = schemas.ids("system", "segment") | {"raw": schemas.SCORE}
    schema = schemas.Schema(columns, ("system", "segment"), "again")
    given_columns = {"file": "x", "lines": lines, "columns": {"segment": "SID"}}
    if not again:
        out = schemas.validate(frame, schema, **given_columns)
        assert out["raw"].tolist() == [50.0] * len(keys)
        return
    with pytest.raises(DataError) as caught:
        schemas.validate(frame, schema, **given_columns)
    error = caught.value
    assert (error.line, error.column) == (lines[again[0]], "SID")
    assert error.value == str(keys[again[0]][1])
    assert ("more wrong" in str(error)) == (len(again) > 1)


def test_the_frame_handed_over_stays_as_it_is():
    frame = pd.DataFrame({name: ["a", "b"] for name in ("worker", "system", "segment", "type")})
    frame["score"] = ["1", "99.5"]
    frame.index = [5, 9]
    before = frame.copy()
    schema = schemas.judgments(("a", "b"))
    out = schemas.validate(frame, schema, file="x", lines=[1, 2], columns={})
    pd.testing.assert_frame_equal(frame, before)
    assert out["score"].tolist() == [1.0, 99.5] and list(out.index) == [0, 1]
