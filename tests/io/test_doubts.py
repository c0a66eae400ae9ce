"""Rows, codes and lists that would change a ranking in silence: named, counted or refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.read import judgments, read


def ratings() -> pd.DataFrame:
    """Return 3 systems by 4 documents of 5 segments each by 3 annotators; scores from 1 to 5."""
    draw = np.random.default_rng(1)
    names = [
        (s, f"d{d}", k, who) for s in "ABC" for d in range(4) for k in range(5) for who in "xyz"
    ]
    frame = pd.DataFrame(names, columns=["system", "document", "segment", "annotator"])
    return frame.assign(score=draw.integers(1, 6, len(frame)))


def code_of(frame: pd.DataFrame, **words: Any) -> str:
    with pytest.raises(DataError) as error:
        judgments(frame, **words)
    for line in (error.value.remedy or "").splitlines():
        eval(line.strip(), {"rs": __import__("rankstability"), "frame": frame})
    return error.value.code


def test_segments_that_are_numbered_within_documents_stay_apart() -> None:
    found = judgments(ratings())
    assert found.n_segments == 20
    assert "segments_within_documents" in found.notes["code"].tolist()
    assert judgments(ratings().drop(columns="document")).n_segments == 5


def test_a_segment_of_two_documents_is_refused() -> None:
    frame = ratings()
    frame["segment"] = frame["document"] + "-" + frame["segment"].astype(str)
    wide = pd.concat([frame.assign(document=frame["document"] + part, segment=frame["segment"] + part)
                      for part in ("a", "b", "c")])  # fmt: skip
    assert judgments(wide).n_segments == 60
    wide.iloc[0, wide.columns.get_loc("document")] = "d3a"
    assert code_of(wide) == "segment_of_two_documents"


@pytest.mark.parametrize("code", [-1, 999, -99])
def test_codes_for_no_score_are_refused(code: int) -> None:
    frame = ratings()
    frame.loc[3, "score"] = code
    assert code_of(frame) == "stray_scores"
    assert len(judgments(frame, where={"score!": str(code)}).table) == len(frame) - 1
    assert judgments(frame, scale=(min(code, 1), max(code, 5))).scale is not None


def test_a_few_large_scores_are_no_codes() -> None:
    frame = ratings().assign(score=lambda rows: rows["score"] / 10)
    frame.loc[3, "score"] = 4.2
    assert len(judgments(frame).table) == len(frame)
    percent = ratings().assign(score=lambda rows: 20 * rows["score"] - 1)
    assert percent["score"].max() == 99
    assert len(judgments(percent).table) == len(percent)


def test_a_row_of_labels_is_refused() -> None:
    labels = pd.DataFrame([["Model name", "Doc name", 99, "Rater", 5]], columns=ratings().columns)
    assert (
        code_of(pd.concat([ratings(), labels], ignore_index=True)) == "rows_that_are_no_judgments"
    )


def write(folder: Path, records: list[dict[str, Any]]) -> Path:
    path = folder / "a.json"
    path.write_text(json.dumps(records))
    return path


def test_lists_side_by_side_belong_together_place_by_place(tmp_path: Path) -> None:
    records = [{"id": k, "systems": ["A", "B"], "scores": [1 + k, 2]} for k in range(4)]
    words = {"segment": "id", "system": "systems[]", "score": "scores[]"}
    table = read(write(tmp_path, records), **words).table
    assert len(table) == 8
    assert table.groupby("system", observed=True)["score"].mean().to_dict() == {"A": 2.5, "B": 2}
    records[1]["scores"] = [1, 2, 3]
    with pytest.raises(DataError) as error:
        read(write(tmp_path, records), **words)
    assert error.value.code == "two_lists"


def test_rows_whose_list_is_empty_are_counted(tmp_path: Path) -> None:
    records = [
        {"id": k, "system": s, "ratings": [{"by": "x", "value": 3 + k}] if k else []}
        for s in "AB"
        for k in range(4)
    ]
    words = {"segment": "id", "score": "ratings[].value", "annotator": "ratings[].by"}
    found = read(write(tmp_path, records), **words)
    assert len(found.table) == 6
    assert found.excluded[["code", "rows"]].values.tolist() == [["empty_list", 2]]
