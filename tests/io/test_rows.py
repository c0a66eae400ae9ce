"""Rows that need a word before they are judgments: names filled down, later scores, encodings, lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rankstability.codes import EXCLUSIONS
from rankstability.errors import DataError
from rankstability.io.read import battles, judgments, read
from rankstability.io.report import count_read, summarise_systems
from rankstability.verdict.verdict import verdict

GROUPS = "doc;item;by;Żubr;Ryś\na;1;x;1;2\n;;y;3;4\n;2;x;5;6\nb;1;x;7;8\n;2;y;9;10\n"
WORDS = {"document": "doc", "segment": "item", "annotator": "by", "wide": ["Żubr", "Ryś"]}
FILL = ["doc", "item"]


def counts(found: Any, frame: str) -> dict[str, int]:
    """Return the rows of the excluded or the noted, by code."""
    return getattr(found, frame).groupby("code")["rows"].sum().to_dict()


def test_names_of_merged_cells_are_filled_down(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(GROUPS, encoding="utf-8")
    found = read(path, **WORDS, fill_down=FILL)
    rows = found.table[found.table["system"] == "Ryś"]
    assert rows["segment"].tolist() == ["a:1", "a:1", "a:2", "b:1", "b:2"]
    assert rows["document"].tolist() == ["a", "a", "a", "b", "b"]
    assert counts(found, "notes")["filled_down"] == 4
    with pytest.raises(DataError) as refused:
        read(path, **WORDS)
    assert (refused.value.code, refused.value.row) == ("empty_name", 1)
    assert "--fill-down item doc" in str(refused.value.remedy)
    with pytest.raises(DataError) as refused:
        read(path, **WORDS, fill_down=[*FILL, "by"])
    assert (refused.value.code, refused.value.column) == ("nothing_to_fill", "by")


def test_a_document_without_a_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(GROUPS, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read(path, **WORDS, fill_down=["item"])
    assert (refused.value.code, refused.value.column) == ("empty_name", "doc")


@pytest.mark.parametrize("encoding", ["cp1250", "utf-16-le", "utf-8"])
def test_a_text_is_read_in_the_encoding_that_is_named(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(GROUPS.encode(encoding))
    found = read(path, **WORDS, fill_down=FILL, encoding=encoding)
    assert sorted(found.systems) == ["Ryś", "Żubr"]


@pytest.mark.parametrize(
    ("encoding", "code"),
    [
        ("", "not_utf8"),
        ("ascii", "wrong_encoding"),
        ("cp99", "bad_setting"),
        ("hex", "bad_setting"),
    ],
)
def test_wrong_encodings_are_refused(encoding: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(GROUPS.encode("cp1250"))
    with pytest.raises(DataError) as refused:
        read(path, **WORDS, fill_down=FILL, encoding=encoding)
    assert refused.value.code == code


def attempts(times: list[str]) -> pd.DataFrame:
    """Return scores of two systems, of which one annotator gave the first one twice."""
    rows = [
        ("A", "1", "x", 1),
        ("A", "1", "x", 5),
        ("B", "1", "x", 3),
        ("A", "2", "y", 2),
        ("B", "2", "y", 4),
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    return frame.assign(when=times)


@pytest.mark.parametrize(
    ("times", "kept"),
    [
        (["2025/03/02 9:05", "2025/03/01 10:00", "2025/3/1", "2025/3/1", "2025/3/1"], 1.0),
        (["9", "10", "1", "1", "1"], 5.0),
        (["2025-03-01T10:00:00Z", "2025-03-01T11:00:00+02:00", *["2025-03-01"] * 3], 1.0),
    ],
)
def test_the_latest_score_is_kept(times: list[str], kept: float) -> None:
    found = judgments(attempts(times), latest="when")
    first = found.table[(found.table["system"] == "A") & (found.table["segment"] == "1")]
    assert first["score"].tolist() == [kept]
    assert counts(found, "excluded") == {"earlier_score": 1}
    assert "unused_column" not in counts(found, "notes")


def test_scores_of_the_same_time_all_count() -> None:
    found = judgments(attempts(["1"] * 5), latest="when")
    assert len(found.table) == 5
    assert counts(found, "notes")["second_score"] == 1


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(DataError) as refused:
        judgments(attempts(["03/02/2025", *["2025-03-01"] * 4]), latest="when")
    assert (refused.value.code, refused.value.row) == ("not_a_time", 0)
    with pytest.raises(DataError) as refused:
        judgments(attempts(["1"] * 5).drop(columns="annotator"), latest="when")
    assert refused.value.code == "missing_role"


RECORDS = [
    {"who": who, "system": system, "segment": str(item), "mark": k + item}
    for who in "xy"
    for k, system in enumerate("AB")
    for item in range(3)
]


@pytest.mark.parametrize("ending", [".txt", ".jsonl", ".json"])
def test_a_line_can_hold_a_list_of_records(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"trials{ending}"
    path.write_text("\n".join(json.dumps(RECORDS[k : k + 6]) for k in (0, 6)))
    found = read(path, score="mark", annotator="who")
    assert len(found.table) == 12
    assert found.table.groupby("system", observed=True)["score"].mean().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("number", [2, 4000])
def test_paths_can_begin_with_the_list_that_holds_the_records(number: int, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    records = [{**each, "note": "é" * 20} for each in RECORDS * number]
    path.write_text(json.dumps({"about": {"n": 2}, "rows": records}, ensure_ascii=False, indent=1))
    words = {name: f"rows[].{name}" for name in ("system", "segment")}
    found = read(path, **words, score="rows[].mark", annotator="who", where={"rows[].who": "x"})
    assert len(found.table) == 6 * number
    assert counts(found, "excluded")["where"] == 6 * number


def test_lists_of_parquet_are_read_as_lists_of_json(tmp_path: Path) -> None:
    rows = [
        {"system": s, "segment": str(k), "by": ["x", "y"], "marks": [k, k + 1]}
        for s in "AB"
        for k in range(3)
    ]
    words = {"score": "marks[]", "annotator": "by[]"}
    pd.DataFrame(rows).to_parquet(tmp_path / "lists.parquet")
    (tmp_path / "lists.json").write_text(json.dumps(rows))
    tables = [read(tmp_path / f"lists.{ending}", **words).table for ending in ("parquet", "json")]
    pd.testing.assert_frame_equal(*tables)
    assert len(tables[0]) == 12


def test_comparisons_of_a_model_with_itself_are_left_out() -> None:
    rows = [("A", "B", "left", "q1"), ("A", "A", "tie", "q1"), ("B", "A", "left", "q2")]
    frame = pd.DataFrame(rows, columns=["left", "right", "winner", "question"])
    found = battles(frame)
    assert len(found.table) == 2
    assert counts(found, "excluded") == {"with_itself": 1}
    with pytest.raises(DataError) as refused:
        battles(frame.assign(right=frame["left"]))
    assert refused.value.code == "model_against_itself"


def test_turns_of_one_conversation_belong_together(tmp_path: Path) -> None:
    frame = [
        {
            "id": f"c{k}",
            "annotator": "xyz"[k % 3],
            "a": "A",
            "b": "B",
            "turns": [{"n": n, "best": "ab"[(k + n) % 2]} for n in range(3)],
        }
        for k in range(20)
    ]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(frame))
    words = {"left": "a", "right": "b", "winner": "turns[].best", "question": "id"}
    with pytest.raises(DataError) as refused:
        read(path, **words, codes={"a": "left", "b": "right"})
    assert (refused.value.code, refused.value.column) == ("undeclared_column", "turns[].n")
    assert "--question 'turns[].n'" in str(refused.value.remedy)
    assert "--document id" in str(refused.value.remedy)


def test_ratings_by_models_beside_people_are_counted_and_not_ranked() -> None:
    rows = [
        (s, i, a, k + j) for k, s in enumerate("AB") for i in range(4) for j, a in enumerate("xyz")
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    frame.loc[(frame["system"] == "A") & (frame["annotator"] == "z"), "score"] = 9
    found = judgments(frame, models=["z"])
    read_rows = count_read(found).set_index("what")["number"]
    assert (read_rows["judgments"], read_rows[f"left out: {EXCLUSIONS['judge_model']}"]) == (16, 8)
    assert summarise_systems(found)["system"].tolist() == ["B", "A"]
    facts = verdict(found).facts
    assert facts["counts"]["judgments"] == 16
    assert {row["code"]: row["rows"] for row in facts["excluded"]} == {"judge_model": 8}
    assert [row["system"] for row in facts["ranking"]] == ["B", "A"]
    alone = judgments(frame[frame["annotator"] == "z"], models=["z"])
    assert (alone.n_judgments, summarise_systems(alone)["system"].tolist()) == (8, ["A", "B"])


def test_an_item_counts_with_the_mean_of_its_scores() -> None:
    rows = [
        ("A", 1, 0),
        ("A", 1, 0),
        ("A", 1, 0),
        ("A", 2, 8),
        ("B", 1, 1),
        ("B", 2, 5),
        ("C", 2, 2),
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "score"]).assign(
        annotator=list("xyzxxxx")
    )
    found = summarise_systems(judgments(frame, controls=["C"]))
    assert found.set_index("system")["mean"].to_dict() == {"A": 4.0, "B": 3.0, "C": 2.0}
