"""Exports of Appraise: columns, marks, segments, accounts."""

from pathlib import Path

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.formats import appraise, appraise_rows, registry
from rankstability.io.load import load
from real import real_data
from released import official_segment_scores

NAMES = (
    "account", "system", "item", "kind", "source", "target", "score", "document", "whole",
    "start", "end",
)  # fmt: skip


def line(**changes: object) -> str:
    cells = dict(
        account="engces01", system="A", item=1, kind="TGT", source="eng", target="ces", score=80,
        document="d1", whole="False", start=1700000000.0, end=1700000010.0,
    )  # fmt: skip
    cells |= changes
    return ",".join(str(cells[name]) for name in NAMES if cells[name] is not None)


def write(folder: Path, *lines: str, name: str = "export.csv") -> Path:
    (folder / name).write_text("".join(each + "\n" for each in lines))
    return folder / name


def read(*files: Path, **words: object) -> object:
    return appraise.read(files, "en-cs", **words)["en-cs"]


TWO = [line(system=s, item=k, score=50 + k, start=1700000000 + k, end=1700000009 + k)
       for s in "AB" for k in (1, 2)]  # fmt: skip


def test_rows_without_a_mark_count(tmp_path: Path) -> None:
    file = write(
        tmp_path, *TWO,
        line(document="d1", whole="True", item=9),
        line(document="tutorial-1", item=5),
        line(document="d2#dup", item=5), line(document="d2#duplicate2", item=5),
        line(document="d3#incomplete", item=6),
        line(item=1, score=99, start=1700000100, end=1700000110),
        line(kind="BAD", item=7, document="d1#bad1"),
        line(target="deu"),
    )  # fmt: skip
    assert registry.detect(file) == "appraise"
    judgments = read(file)
    counts = judgments.excluded.set_index("code")["rows"].to_dict()
    assert counts == {
        "other_pairs": 1, "tutorial": 1, "document_score": 1, "incomplete": 1, "duplicate": 2,
        "superseded": 1,
    }  # fmt: skip
    assert sorted(judgments.table["score"]) == [51, 52, 52, 80, 99]
    assert judgments.table["item_type"].value_counts().to_dict() == {"SYSTEM": 4, "BAD_REF": 1}
    assert len(judgments.all_rows) == len(judgments.table) + 6
    assert set(judgments.all_rows["mark"].dropna()) == set(counts) - {"other_pairs"}


@pytest.mark.parametrize("written", ["true", "True", "1", "yes"])
@pytest.mark.parametrize("place", [0, 3])
def test_scores_of_documents_are_known_by_value_in_every_row(
    tmp_path: Path, written: str, place: int
) -> None:
    """In version 0.3.0 a first row with `1` made document scores count as segments."""
    lines = list(TWO)
    lines.insert(place, line(whole=written, item=99, score=1))
    judgments = read(write(tmp_path, *lines))
    assert judgments.excluded["code"].tolist() == ["document_score"]
    assert 1 not in set(judgments.table["score"])


@pytest.mark.parametrize("written", ["", "2", "maybe", "0.5"])
@pytest.mark.parametrize("place", [0, 3])
def test_what_is_neither_true_nor_false_is_refused(
    tmp_path: Path, written: str, place: int
) -> None:
    lines = list(TWO)
    lines.insert(place, line(whole=written, item=99))
    with pytest.raises(DataError) as error:
        read(write(tmp_path, *lines))
    assert (error.value.code, error.value.line, error.value.column) == (
        "unknown_word", place + 1, "isDocScore",
    )  # fmt: skip


@pytest.mark.parametrize("batch", ["", ",3,abc"])
@pytest.mark.parametrize("width", [9, 11, 12])
def test_every_width_holds_the_same_judgments(tmp_path: Path, width: int, batch: str) -> None:
    lines = []
    for k in (1, 2):
        cells = line(item=k, score=50 + k).split(",")
        if width == 9:
            cells = cells[:7] + cells[9:]
        if width == 12:
            cells.insert(9, "[]")
        lines.append(",".join(cells) + batch)
    file = write(tmp_path, *lines)
    assert registry.detect(file) == ("esa" if width == 12 else "appraise")
    assert read(file).table["score"].tolist() == [51, 52]


def test_a_header_names_the_columns(tmp_path: Path) -> None:
    header = "username,system,itemid,itemtype,srclang,trglang,score,documentid,isdocumentlevelscore"
    judgments = read(write(tmp_path, f"{header},timestart,timeend", *TWO))
    assert len(judgments.table) == 4


def test_annotator_and_hit_are_apart_in_the_form_of_nrc(tmp_path: Path) -> None:
    table = read(write(tmp_path, *(f"anna,{each}" for each in TWO))).table
    assert set(table["annotator"]) == {"anna"}
    assert set(table["hit"]) == {"engces01"}


def test_time_runs_from_the_end_of_the_judgment_before(tmp_path: Path) -> None:
    times = [(1700000000, 1700000010), (1700000005, 1700000030), (1700000005, "x")]
    lines = [line(item=k, start=a, end=b) for k, (a, b) in enumerate(times)]
    judgments = read(write(tmp_path, *lines))
    assert judgments.table["time"].tolist()[:2] == [10, 20]
    assert judgments.notes[["code", "rows"]].to_numpy().tolist() == [["no_time", 1]]


@pytest.mark.parametrize(
    ("block", "systems", "parts"),
    [
        ("d#A", {"A"}, ("d", "#A")),
        ("d#B", {"A"}, ("d#B", "")),
        ("srf.0#171-182", {"A"}, ("srf.0#171-182", "")),
        ("d#bad3#dup", set(), ("d", "#bad3#dup")),
        ("d#duplicate12#A", {"A"}, ("d", "#duplicate12#A")),
        ("d#badly", set(), ("d#badly", "")),
    ],
)
def test_only_marks_are_cut_from_the_name_of_a_document(block, systems, parts) -> None:
    assert appraise_rows.split_document(block, systems) == parts


def test_ids_that_count_within_a_document_are_joined_with_it(tmp_path: Path) -> None:
    lines = [line(system=s, item=k, document=d) for s in "AB" for d in "xy" for k in (1, 2)]
    table = read(write(tmp_path, *lines)).table
    assert sorted(table["segment"].unique()) == ["x_1", "x_2", "y_1", "y_2"]


def test_ids_that_count_within_a_hit_never_merge_different_sentences(tmp_path: Path) -> None:
    lines = [line(system=s, item=10 * h + k, account=f"engces0{h}", document=f"d#{s}")
             for h, s in enumerate("ABC") for k in range(3)]  # fmt: skip
    table = read(write(tmp_path, *lines)).table
    assert table.groupby("segment", observed=True)["system"].nunique().tolist() == [3, 3, 3]
    split = [each for k, each in enumerate(lines) if k != 4]  # B judged in part
    judgments = read(write(tmp_path, *split))
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["no_segment", 2]]
    with pytest.raises(DataError) as error:
        read(write(tmp_path, *lines[:5], lines[6]))
    assert error.value.code == "unknown_segments"


def test_a_list_names_segments_and_annotators(tmp_path: Path) -> None:
    lines = [line(system=s, item=10 * h + k, account=f"engces0{h}", document=f"d#{s}")
             for h, s in enumerate("AB") for k in range(2)]  # fmt: skip
    export = write(tmp_path, *lines)
    listed = write(
        tmp_path, "itemId\tdocId\tsegment\tdocument\tdomain",
        *(f"{10 * h + k}\td#{s}\t{k + 7}\td\tnews" for h, s in enumerate("AB") for k in range(2)),
        name="segments-en-cs.tsv",
    )  # fmt: skip
    people = write(
        tmp_path, "username\tannotator", "engces00\tx", "engces01\tx", name="annotators.tsv"
    )
    table = read(export, listed, people).table
    assert set(table["annotator"]) == {"x"}
    assert sorted(table["segment"]) == ["7", "7", "8", "8"]
    assert set(table["domain"]) == {"news"}
    write(tmp_path, "username\tannotator", "engces00\tx", name="annotators.tsv")
    with pytest.raises(DataError) as error:
        read(export, listed, people)
    assert error.value.code == "account_without_annotator"
    every = read(export, listed, accounts={"y": ["engces*"]}).table
    assert set(every["annotator"]) == {"y"}


def test_the_same_judgments_in_two_exports_are_refused(tmp_path: Path) -> None:
    files = [write(tmp_path, *TWO, name=name) for name in ("a.csv", "b.csv")]
    with pytest.raises(DataError) as error:
        read(*files)
    assert error.value.code == "repeated_file"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"score": 101}, "score_outside_scale"),
        ({"score": ""}, "not_a_number"),
        ({"kind": "XXX"}, "unknown_word"),
        ({"system": ""}, "missing_name"),
        ({"end": None}, "wrong_number_of_cells"),
    ],
)
def test_wrong_rows_are_refused(tmp_path: Path, change: dict, code: str) -> None:
    with pytest.raises(DataError) as error:
        read(write(tmp_path, *TWO, line(**change)))
    assert (error.value.code, error.value.line) == (code, 5)


SPANS = '"[{""start_i"": 1, ""end_i"": 2, ""severity"": ""SEVERITY"", ""error_type"": ""Style""}]"'


@pytest.mark.parametrize(("score", "form"), [(0, "appraise_mqm"), (30, "esa")])
def test_mqm_has_scores_of_0_and_errors_in_its_spans(tmp_path: Path, score: int, form: str) -> None:
    cells = line(score=score).split(",")
    cells.insert(9, SPANS.replace("SEVERITY", "major"))
    clean = line(score=score, item=2).split(",")
    clean.insert(9, "[]")
    file = write(tmp_path, ",".join(cells), ",".join(clean))
    assert registry.detect(file) == form
    table = registry.read(file)["en-cs"].table
    assert sorted(table["score"]) == ([-5, 0] if form == "appraise_mqm" else [30, 30])
    cells[9] = SPANS.replace("SEVERITY", "awful")
    write(tmp_path, ",".join(cells).replace(",30,", ",0,"))
    if form == "appraise_mqm":
        with pytest.raises(DataError) as error:
            registry.read(file)
        assert error.value.code == "unknown_word"


@pytest.mark.parametrize("study", ["ESA-1", "ESA-2", "ESA-AI-1", "ESA-AI-2"])
def test_segments_are_those_of_the_organisers(study: str) -> None:
    real_data("wmt23-protocols")
    name = f"wmt23-protocols.{study}"
    table = load(name, "en-de").table
    ours = table[table["item_type"] == "SYSTEM"].astype({"system": str, "segment": str})
    ours = ours.groupby(["system", "segment"])["score"].mean()
    theirs = official_segment_scores(name, "en-de")[study.replace("ESA-AI", "ESAAI")]
    theirs = theirs.astype({"system": str, "segment": str}).set_index(["system", "segment"])
    both = pd.concat([ours, theirs["score"]], axis=1, keys=["ours", "theirs"], join="inner")
    assert len(both) == 2691
    assert (both["ours"] - both["theirs"]).abs().lt(1e-6).sum() >= 2687


def test_sign_language_has_three_annotators_and_no_document_scores() -> None:
    folder = real_data("wmt-slt23")
    table = load("wmt-slt23").table
    assert sorted(table["annotator"].unique()) == ["A", "B", "C"]
    assert (len(table), table["segment"].nunique(), table["hit"].nunique()) == (7800, 496, 78)
    assert set(registry.read(folder)) == {"sgg-de"}
