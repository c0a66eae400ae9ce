"""Pearmut's logs and the JSON of WMT24 and WMT25."""

import json
from pathlib import Path
from typing import Any

import pytest

from rankstability.errors import DataError
from rankstability.io.formats import pearmut, registry, wmt24, wmt25
from rankstability.judgments import Judgments


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def counts(judgments: Judgments) -> dict[str, int]:
    return judgments.excluded.set_index("code")["rows"].to_dict()


def page(user: str, item: Any, scores: list[dict[str, Any]], ids: list[str] | None = None) -> dict:
    """Return a line of Pearmut: `scores` has a mapping from model to score for each item."""
    ids = ids or ["news_###_d1_###_0", "news_###_d1_###_1"]
    marks = [{m: {"score": s, "error_spans": []} for m, s in each.items()} for each in scores]
    items = [{"item_id": i, "src": "Ahoj.", "tgt": dict.fromkeys(scores[0], "Hi.")} for i in ids]
    actions = [{"time": 1.5, "action": "load"}]
    return {
        "user_id": user, "item_i": item, "annotation": marks, "item": items, "actions": actions
    }  # fmt: skip


LOG = [
    page("u", 0, [{"A": 10, "B": 90}, {"A": 11, "B": 91}]),
    page("v", 0, [{"A": 50, "B": 60}, {"A": 51, "B": 61}]),
    {"user_id": "u", "item_i": 0, "annotation": "__RESET__", "item": []},
    page("u", 0, [{"A": 80, "B": 40}, {"A": 81, "B": None}]),
    page("u", 0, [{"A": 85, "B": 40}, {"A": 81, "B": None}]),  # again: the later counts
    page("u", "welcome_0", [{"A": 1, "B": 2}], ["x_#_tutorial_#_1"]),
    page("v", "random_4", [{"A": 3, "B": 4}], ["attention_check_1"]),
    page("v", "random_5", [{"A": 70, "B": 71}], ["news_###_d2_###_0"]),
]


def test_a_reset_takes_back_the_annotators_own_lines(tmp_path: Path) -> None:
    file = write(tmp_path / "esa_en-cs.jsonl", LOG)
    assert registry.detect(file) == "pearmut"
    judgments = pearmut.read([file])["en-cs"]
    table = judgments.table
    rows = zip(table["annotator"], table["system"], table["segment"], table["score"], strict=True)
    assert set(rows) == {
        ("u", "A", "news_###_d1_###_0", 85.0), ("u", "B", "news_###_d1_###_0", 40.0),
        ("u", "A", "news_###_d1_###_1", 81.0),
        ("v", "A", "news_###_d1_###_0", 50.0), ("v", "B", "news_###_d1_###_0", 60.0),
        ("v", "A", "news_###_d1_###_1", 51.0), ("v", "B", "news_###_d1_###_1", 61.0),
        ("v", "A", "news_###_d2_###_0", 70.0), ("v", "B", "news_###_d2_###_0", 71.0),
    }  # fmt: skip
    assert set(table["domain"]) == {"news"}
    assert set(table["document"]) == {"news_###_d1", "news_###_d2"}
    assert counts(judgments) == {
        "reset": 1, "before_reset": 4, "superseded": 4, "tutorial": 2, "attention_check": 2,
        "no_score": 1,
    }  # fmt: skip


@pytest.mark.parametrize("time", [10**400, 1e308, float("nan"), True, "5", None])
def test_seconds_on_a_page_are_shared_by_its_outputs(tmp_path: Path, time: Any) -> None:
    line = page("u", 0, [{"A": 10, "B": 90}, {"A": 11, "B": 91}])
    line["actions"] = [{"time": t, "action": "x"} for t in (100.0, time, 140.0)]
    table = pearmut.read([write(tmp_path / "x_en-cs.jsonl", [line])])["en-cs"].table
    assert set(table["time"]) == {10.0}


def test_several_campaigns_in_one_file(tmp_path: Path) -> None:
    whole = {"wmt26_#_en-cs_CZ": LOG, "wmt26_#_cs-de_DE": LOG[1:2]}
    for indent in (None, 1):
        (tmp_path / "annotations.json").write_text(json.dumps(whole, indent=indent))
        every = pearmut.read([tmp_path / "annotations.json"])
        assert {pair: len(each.table) for pair, each in every.items()} == {
            "cs-de_DE": 4,
            "en-cs_CZ": 9,
        }


def test_items_of_one_id_and_two_sources_are_two_segments(tmp_path: Path) -> None:
    first = page("u", 0, [{"A": 10}], ["1"])
    second = page("u", 1, [{"A": 20}], ["1"])
    second["item"][0]["src"] = "Nazdar."
    judgments = pearmut.read([write(tmp_path / "x.jsonl", [first, second])])["xx-yy"]
    assert sorted(judgments.table["segment"]) == ["1", "1 (2)"]
    assert judgments.notes["code"].tolist() == ["shared_id"]
    del first["item"][0]["src"], second["item"][0]["src"]
    with pytest.raises(DataError) as error:
        pearmut.read([write(tmp_path / "x.jsonl", [first, second])])
    assert (error.value.code, error.value.line) == ("id_of_two_items", 2)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"item_i": "tea_1"}, "not_an_id"),
        ({"annotation": [{}]}, "annotations_and_items"),
        ({"annotation": [[], []]}, "wrong_type"),
        ({"item": [{"src": "x"}] * 2}, "missing_field"),
        ({"user_id": ""}, "missing_name"),
        ({"annotation": [{"A": {"score": 101}}, {"A": {"score": 2}}]}, "score_outside_scale"),
        ({"annotation": [{"A": {"score": "x"}}, {"A": {"score": 2}}]}, "not_a_number"),
    ],
)
def test_a_log_that_is_half_right_is_refused(tmp_path: Path, change: dict, code: str) -> None:
    file = write(tmp_path / "x.jsonl", [LOG[0], {**LOG[1], **change}])
    with pytest.raises(DataError) as error:
        pearmut.read([file])
    assert (error.value.code, error.value.line) == (code, 2)


def line_24(system: str, line: int, score: Any, pair: str = "en-cs") -> dict[str, Any]:
    return {
        "langs": pair, "line_id": line, "src": "Hi", "tgt": "Ahoj", "doc_id": f"d{line // 2}",
        "domain": "news", "esa_spans": [], "esa_score": score, "times": [1, 2],
        "system": system, "annotator": "engces1", "speech_info": None,
    }  # fmt: skip


def test_wmt24(tmp_path: Path) -> None:
    rows = [line_24(system, k, 50 + k) for system in "AB" for k in range(4)]
    rows += [line_24("A", 9, None), line_24("A", 0, 10, pair="en-de")]
    file = write(tmp_path / "wmt24_esa.jsonl", rows)
    assert registry.detect(file) == "wmt24"
    judgments = wmt24.read([file], "en-cs")["en-cs"]
    assert len(judgments.table) == 8
    assert judgments.scale == (0, 100)
    assert set(judgments.table["document"]) == {"d0", "d1"}
    assert counts(judgments) == {"no_score": 1, "other_pairs": 1}
    del rows[3]["annotator"]
    with pytest.raises(DataError) as error:
        wmt24.read([write(file, rows)])
    assert (error.value.code, error.value.line, error.value.column) == (
        "missing_field", 4, "annotator",
    )  # fmt: skip


def draft_25(segment: int, **scores: tuple[Any, Any]) -> dict[str, Any]:
    marks = {
        system: {"human1": a, "annotator1": "a1", "human2": b, "annotator2": "a2"}
        for system, (a, b) in scores.items()
    }
    return {
        "doc_id": f"en-cs_CZ_#_news_#_doc1_#_{segment}", "src_text": "Hi",
        "tgt_text": dict.fromkeys(scores, "Ahoj"), "scores": marks,
    }  # fmt: skip


def final_25(draft: dict[str, Any]) -> dict[str, Any]:
    scores = {
        system: [{"score": given[f"human{k}"], "annotator": given[f"annotator{k}"]} for k in (1, 2)]
        for system, given in draft["scores"].items()
    }
    return {**draft, "scores": scores}


@pytest.mark.parametrize("form", [lambda row: row, final_25])
def test_wmt25_two_annotations_are_two_judgments(tmp_path: Path, form: Any) -> None:
    rows = [draft_25(0, A=(80, 70), B=(60, None)), draft_25(1, A=(90, 75), B=(65, float("nan")))]
    file = write(tmp_path / "wmt25-genmt-humeval.jsonl", [form(row) for row in rows])
    assert registry.detect(file) == "wmt25"
    judgments = wmt25.read([file])["en-cs_CZ"]
    table = judgments.table
    of_a = table[table["system"] == "A"]
    assert sorted(zip(of_a["annotator"], of_a["hit"], of_a["score"], strict=True)) == [
        ("a1", "human1", 80), ("a1", "human1", 90), ("a2", "human2", 70), ("a2", "human2", 75)
    ]  # fmt: skip
    assert len(table) == 6
    assert counts(judgments) == {"no_score": 2}
    assert set(table["document"]) == {"news_#_doc1"}


def test_wmt25_counts_what_is_missing_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "wmt25.jsonl"
    rows = [final_25(draft_25(k, A=(80, 70), B=(60, 50))) for k in range(2)]
    rows[0]["scores"]["A"].pop()
    del rows[1]["scores"]["B"]
    judgments = wmt25.read([write(file, rows)])["en-cs_CZ"]
    assert counts(judgments) == {"not_judged": 1}
    assert judgments.notes["code"].tolist() == ["missing_annotation"]
    for wrong, code in (
        ([{"annotator": "a1"}], "missing_field"),
        ([80, 70], "wrong_type"),
        (8, "wrong_type"),
    ):
        rows[1]["scores"]["A"] = wrong
        with pytest.raises(DataError) as error:
            wmt25.read([write(file, rows)])
        assert (error.value.code, error.value.line) == (code, 2)
    rows[1]["doc_id"] = "doc1_#_1"
    with pytest.raises(DataError) as error:
        wmt25.read([write(file, rows)])
    assert error.value.code == "not_an_id"


def test_penalties_of_wmt25_are_at_most_0(tmp_path: Path) -> None:
    rows = [draft_25(k, A=(-k, 0), B=(0, -0.1)) for k in range(40)]
    file = write(tmp_path / "wmt25-genmt-humevalMQM.jsonl", rows)
    assert wmt25.read([file])["en-cs_CZ"].table["score"].min() == -39
    rows[5] = draft_25(5, A=(5, 0), B=(0, None))
    with pytest.raises(DataError) as error:
        wmt25.read([write(file, rows)])
    assert (error.value.code, error.value.line, error.value.value) == ("score_outside_scale", 6, 5)
