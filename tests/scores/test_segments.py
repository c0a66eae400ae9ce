"""Segment scores equal a version that goes row by row."""

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from judged import judged, toy


def slow_scores(judgments: rs.Judgments) -> pd.DataFrame:
    """Compute the definitions of Knowles (2021, section 3) row by row."""
    moments = {}
    for annotator, rows in judgments.all_rows.groupby("annotator", observed=True):
        score = rows["score"].to_numpy(float)
        moments[annotator] = score.mean(), score.std(ddof=1) if len(score) > 1 else np.nan
    cells: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in judgments.table.itertuples(index=False):
        if row.item_type not in ("SYSTEM", "REPEAT"):
            continue
        mean, sd = moments[row.annotator]
        z = (row.score - mean) / sd if sd > 0 else np.nan
        cells.setdefault((str(row.system), str(row.segment)), []).append((row.score, z))
    out = []
    for (system, segment), pairs in cells.items():
        known = [z for _, z in pairs if not np.isnan(z)]
        raw = sum(score for score, _ in pairs) / len(pairs)
        out.append((system, segment, raw, np.mean(known) if known else np.nan, len(pairs)))
    return pd.DataFrame(out, columns=["system", "segment", "raw", "z", "judgments"])


@pytest.mark.parametrize("campaign", ["demo-srdc", "demo-srpdc"])
def test_segment_scores_equal_the_row_by_row_version(campaign):
    judgments = rs.load(campaign, "de-en")
    key = ["system", "segment"]
    slow = slow_scores(judgments).sort_values(key).reset_index(drop=True)
    fast = rs.segment_scores(judgments).sort_values(key).reset_index(drop=True)
    assert list(map(tuple, fast[key].to_numpy())) == list(map(tuple, slow[key].to_numpy()))
    for column in ("raw", "z", "judgments"):
        np.testing.assert_allclose(fast[column], slow[column], atol=1e-12)


def test_references_and_damaged_references_do_not_count():
    scores = rs.segment_scores(toy()).set_index(["system", "segment"])
    assert scores["raw"].to_dict() == {
        ("A", "1"): 40, ("A", "2"): 70, ("B", "1"): 40, ("B", "2"): 0, ("B", "3"): 64,
        ("HUMAN.0", "1"): 96, ("HUMAN.0", "3"): 88,
    }  # fmt: skip
    assert scores["judgments"].to_dict()[("A", "1")] == 2


def test_another_standardisation_can_take_the_place_of_z():
    judgments = toy()
    halves = judgments.table["score"] / 2
    scores = rs.segment_scores(judgments, halves)
    np.testing.assert_allclose(scores["z"], scores["raw"] / 2)


def test_released_scores_keep_their_numbers_and_documents():
    frame = pd.DataFrame(
        [("b", "1", 50.0, -1.0, 1, "d"), ("a", "2", 60.0, 0.5, 2, "e"), ("a", "1", 80.0, np.nan, 1, "d")],
        columns=["system", "segment", "score", "z", "judgments", "document"],
    )  # fmt: skip
    scores = rs.segment_scores(judged(frame, "segment_scores"))
    assert list(scores) == ["system", "segment", "raw", "z", "judgments", "document"]
    assert scores["document"].tolist() == ["d", "e", "d"]
    table = rs.rank_systems(scores).table.set_index("system")
    assert table.loc["a", ["raw", "z", "segments", "judgments"]].tolist() == [70.0, 0.5, 2, 3]


def test_scores_without_annotators_have_no_z():
    frame = pd.DataFrame({"system": ["A", "B"], "segment": "1", "score": [3.0, 4.0]})
    assert list(rs.segment_scores(judged(frame))) == ["system", "segment", "raw", "judgments"]


def test_scores_of_which_lower_ones_are_better_say_so():
    frame = pd.DataFrame({"system": ["A", "B"], "segment": "1", "score": [0.3, 0.2]})
    scores = rs.segment_scores(judged(frame, lower_is_better=True))
    assert scores["lower_is_better"].all() and scores["raw"].tolist() == [0.3, 0.2]


def test_without_a_row_that_counts_there_are_no_scores():
    judgments = toy()
    damaged = judgments.table[judgments.table["item_type"] == "BAD_REF"]
    with pytest.raises(rs.DataError) as caught:
        rs.segment_scores(judgments.with_table(damaged))
    assert caught.value.code == "no_judgments"
