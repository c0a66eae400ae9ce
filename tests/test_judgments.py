"""`Judgments`: what it counts, and how it shows itself in at most ten lines."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from judged import judged, ratings, toy
from rankstability.codes import EXCLUSIONS
from rankstability.judgments import EXCLUDED, KINDS

DEMOS = [
    ("demo-srdc", "de-en", "direct_assessment"),
    ("demo-srpdc", "de-en", "direct_assessment"),
    ("demo-mqm", "en-de", "mqm"),
    ("demo-rr", "cs-en", "relative_ranking"),
]


@pytest.mark.parametrize(("campaign", "pair", "kind"), DEMOS)
def test_a_campaign_shows_itself_in_at_most_ten_lines(campaign, pair, kind):
    judgments = rs.load(campaign, pair)
    assert judgments.kind == kind and kind in KINDS
    lines = repr(judgments).splitlines()
    assert 2 <= len(lines) <= 10 and campaign in lines[0] and pair in lines[0]
    assert f"{judgments.n_judgments:,} judgments" in lines[1]
    assert judgments._repr_html_().count("<br>") == len(lines) - 1


def test_reasons_for_exclusion_are_shown_the_most_frequent_first():
    codes = list(EXCLUSIONS)[:7]
    rows = [("f.csv", code, 10 * k + 1, "") for k, code in enumerate(codes)]
    shown = repr(toy(excluded=pd.DataFrame(rows, columns=EXCLUDED))).splitlines()
    left_out = [line for line in shown if line.startswith("left out")]
    assert len(shown) <= 10 and len(left_out) == 5
    assert left_out[0] == f"left out: 61 {EXCLUSIONS[codes[6]]}"
    assert left_out[4].startswith("left out: 33 rows")  # 21 + 11 + 1


def test_scale_and_direction_are_shown():
    assert "scale 0 to 100, higher is better" in repr(toy())
    lower = judged(ratings().table, scale=(0.0, 1.5), lower_is_better=True)
    assert "scale 0 to 1.5, lower is better" in repr(lower)
    assert "human translations: HUMAN.0" in repr(toy())


def test_names_in_the_display_are_escaped():
    judgments = toy(campaign="<b>x</b>", humans=("HUMAN\u202e.0",))
    assert "<b>x" not in judgments._repr_html_() and "&lt;b&gt;x" in judgments._repr_html_()
    assert "\u202e" not in repr(judgments)


def test_counts_are_of_what_is_ranked():
    judgments = toy()
    assert judgments.systems == ["A", "B", "HUMAN.0"] and judgments.n_systems == 3
    assert judgments.n_judgments == 8  # no reference, no damaged reference
    assert (judgments.n_annotators, judgments.n_segments, judgments.n_documents) == (2, 3, 0)
    assert replace(judgments, controls=("B",)).systems == ["A", "HUMAN.0"]


def test_counts_of_comparisons():
    rows = [("A", "B", "left", "q1"), ("C", "A", "tie", "q2"), ("B", "A", "right", "q1")]
    votes = judged(pd.DataFrame(rows, columns=["left", "right", "winner", "question"]), "votes")
    assert votes.systems == ["A", "B", "C"]
    assert (votes.n_judgments, votes.n_segments, votes.n_annotators) == (3, 2, 0)
    described = votes.describe()
    assert described.loc["A"].to_dict() == {"judgments": 3, "wins": 2, "ties": 1}
    assert described.loc["C"].to_dict() == {"judgments": 1, "wins": 0, "ties": 1}
    blocks = rs.load("demo-rr", "cs-en")
    assert "_ref" not in blocks.systems
    assert blocks.n_judgments == blocks.table["block"].nunique()


def test_scores_are_described_by_type_of_item_or_by_system():
    described = toy().describe()
    assert described["size"].to_dict() == {"SYSTEM": 7, "REPEAT": 1, "REF": 1, "BAD_REF": 2}
    assert described.loc["BAD_REF", "mean"] == 15
    assert list(ratings().describe().index) == ["s0", "s1", "s2", "s3"]


def test_units_are_there_if_every_judgment_names_them():
    judgments = ratings()
    assert judgments.has_unit("annotator x document") and not judgments.has_unit("hit")
    some = judgments.table.assign(document=judgments.table["document"].mask(np.arange(480) == 7))
    assert not judgments.with_table(some).has_unit("annotator x document")


@pytest.mark.parametrize(
    ("need", "code"),
    [
        ({"kinds": ["votes"]}, "not_applicable"),
        ({"columns": ["hit"]}, "not_applicable_column"),
        ({"kinds": ["ratings"], "columns": ["annotator"]}, ""),
    ],
)
def test_a_notebook_can_require_kinds_and_columns(need, code):
    if not code:
        ratings().require(**need)
        return
    with pytest.raises(rs.DataError) as caught:
        ratings().require(**need)
    assert caught.value.code == code
