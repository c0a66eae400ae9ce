"""Systems judged together: counted by hand, in balance, and on campaigns of the paper."""

import itertools

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.judgments import Judgments
from rankstability.stability.cooccurrence import (
    _annotators,
    co_judged_effects,
    cooccurrence,
    count_cooccurrence,
    fit_additive,
)
from real import real_data

COLUMNS = ["annotator", "hit", "system", "segment", "item_type", "score"]


def assessments(*rows):
    table = pd.DataFrame(rows, columns=COLUMNS).assign(document="d")
    return Judgments(table, "direct_assessment", all_rows=table)


ROWS = (
    ("w1", "h1", "A", "1", "SYSTEM", 80.0),
    ("w1", "h1", "B", "1", "SYSTEM", 60.0),
    ("w1", "h2", "A", "2", "SYSTEM", 70.0),
    ("w1", "h2", "C", "2", "BAD_REF", 10.0),
    ("w2", "h3", "B", "1", "REPEAT", 50.0),
    ("w2", "h3", "C", "1", "SYSTEM", 30.0),
)
SMALL = assessments(*ROWS)


def matrix(counts, column="together"):
    names = counts["system_a"].unique()
    return counts.pivot(index="system_a", columns="system_b", values=column).loc[names, names]


def test_figure_4_by_hand():
    """A row of a damaged reference has the id of a system, and does not show it."""
    counts = count_cooccurrence(SMALL)
    assert set(counts["unit"]) == {"hit"}
    assert (counts["units"].iloc[0], counts["complete_units"].iloc[0]) == (3, 0)
    assert counts["system_a"].unique().tolist() == ["A", "B", "C"]  # by mean score
    assert matrix(counts).to_numpy().tolist() == [[2, 1, 0], [1, 2, 1], [0, 1, 1]]
    assert matrix(counts, "share").loc["A", "B"] == 0.5
    assert matrix(counts, "ratio").loc["A", "B"] == pytest.approx(1 * 3 / (2 * 2))
    by_annotator = count_cooccurrence(SMALL, "annotator")
    assert matrix(by_annotator).loc["A", "B"] == 1
    assert by_annotator["units"].iloc[0] == 2


def test_without_hit_ids_annotators_are_counted():
    table = SMALL.table
    counts = count_cooccurrence(SMALL.with_table(table.assign(hit=None)))
    assert set(counts["unit"]) == {"annotator"}
    part = count_cooccurrence(SMALL.with_table(table.assign(hit=table["hit"].replace("h3", None))))
    assert part["units"].iloc[0] == 2
    assert part["without_unit"].iloc[0] == pytest.approx(0.4)


def test_counts_are_those_of_sets():
    judgments = load("demo-srpdc", "de-en")
    counts = matrix(count_cooccurrence(judgments))
    ranked = judgments.table[judgments.table["item_type"].isin(["SYSTEM", "REPEAT"])]
    hits = ranked.groupby("system", observed=True)["hit"].agg(set)
    for a, b in itertools.product(counts.index, repeat=2):
        assert counts.loc[a, b] == len(hits[a] & hits[b])


def test_votes_and_relative_rankings_are_counted_by_vote_and_by_block():
    table = pd.DataFrame({"left": ["a", "a", "b"], "right": ["b", "c", "a"], "winner": "left"})
    counts = count_cooccurrence(Judgments(table, "votes"))
    assert set(counts["unit"]) == {"vote"}
    assert matrix(counts).loc["a"].tolist() == [3, 2, 1]
    judgments = load("demo-rr", "cs-en")
    counts = count_cooccurrence(judgments)
    assert set(counts["unit"]) == {"block"}
    assert set(counts["system_a"]) == set(judgments.systems)
    blocks = judgments.table.groupby("system", observed=True)["block"].agg(set)
    a, b = judgments.systems[:2]
    assert matrix(counts).loc[a, b] == len(blocks[a] & blocks[b])


def test_in_balance_what_was_judged_together_explains_nothing():
    """Every annotator judges every system once: all are given the same quality."""
    rng = np.random.default_rng(22)
    level = {"A": 50, "B": 60, "C": 70}
    rows = [
        (f"w{w}", f"h{w}", s, str(k), "SYSTEM", level[s] + rng.normal(0, 5) + w)
        for w, s, k in itertools.product(range(6), level, range(8))
    ]
    effects = co_judged_effects(assessments(*rows))
    assert effects[["co_judged_effect", "imbalance"]].abs().max().max() < 1e-6


def test_poor_outputs_beside_a_system_help_it():
    """A and B are equal; A's annotators also judge a poor system, B's a good one."""
    rng = np.random.default_rng(23)
    level = {"A": 50, "B": 50, "poor": 20, "good": 80}
    rows = []
    for w, systems in enumerate([["A", "poor"]] * 4 + [["B", "good"]] * 4 + [list(level)] * 4):
        for s, k in itertools.product(systems, range(20)):
            score = level[s] + rng.normal(0, 4)
            rows.append((f"w{w}", f"h{w}", s, str(k), "SYSTEM", score))
    effects = co_judged_effects(assessments(*rows)).set_index("system")
    assert effects.loc["A", "co_judged_effect"] > 0.2
    assert effects.loc["B", "co_judged_effect"] < -0.2
    assert effects.loc["A", "imbalance"] < -5
    assert effects.loc["B", "imbalance"] > 5
    scores = effects[["mean_z", "score_without"]]
    gap, gap_without = scores.loc["A"] - scores.loc["B"]
    assert gap > 0.5
    assert abs(gap_without) < 0.25 * gap


def test_an_annotator_with_one_score_has_no_effect():
    """66.7 again and again: the standard deviation is rounding, 1e-14, and must not divide."""
    rng = np.random.default_rng(25)
    rows = [
        (f"w{w}", f"h{w}", s, str(k), "SYSTEM", 66.7 if w == 0 else float(rng.integers(20, 80)))
        for w in range(5)
        for s in ("ABC" if w else "AB")
        for k in range(12)
    ]
    effects = co_judged_effects(assessments(*rows))
    assert effects["co_judged_effect"].abs().max() < 1


def test_a_joined_id_has_the_mean_quality_of_its_parts():
    rows = (("w1", "h", "A+B", "1", "SYSTEM", 1.0), ("w1", "h", "A", "2", "BAD_REF", 2.0))
    quality = pd.Series([10.0, 20.0, 3.0], ["A", "B", "BAD_REF"])
    annotators = _annotators(assessments(*rows), quality)
    assert annotators.loc["w1", "quality_given"] == (15 + 3) / 2
    assert annotators.loc["w1", "control"] == 0.5


def test_the_additive_fit_is_that_of_least_squares():
    rng = np.random.default_rng(4)
    system, annotator = rng.integers(0, 4, 200), rng.integers(0, 9, 200)
    y = rng.normal(size=200) + system - annotator
    design = np.hstack([np.eye(4)[system], np.eye(9)[annotator]])
    expected = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    systems, annotators = fit_additive(y, system, annotator)
    assert systems[system] + annotators[annotator] == pytest.approx(expected, abs=1e-5)


def test_without_document_context_nearly_all_hits_hold_every_system():
    """Knowles (2021), section 5.4; HIT ids are absent on the pairs judged in Appraise."""
    real_data("newstest2018-humaneval")
    assert set(count_cooccurrence(load("wmt18", "en-tr"))["unit"]) == {"annotator"}
    counts = count_cooccurrence(load("wmt18", "cs-en"))
    assert set(counts["unit"]) == {"hit"}
    assert 0.29 < counts["without_unit"].iloc[0] < 0.32
    assert counts["complete_units"].iloc[0] == counts["units"].iloc[0]


@pytest.mark.parametrize(
    ("function", "judgments", "code"),
    [
        (co_judged_effects, assessments(*((*row[:5], 50.0) for row in ROWS)), "no_judgments"),
        (
            co_judged_effects,
            assessments(*(row for row in ROWS if row[2] == "A")),
            "too_few_systems",
        ),
        (co_judged_effects, Judgments(pd.DataFrame(), "votes"), "wrong_kind"),
        (count_cooccurrence, pd.DataFrame(), "not_judgments"),
        (lambda rows: count_cooccurrence(rows, "document"), SMALL, "unknown_unit"),
        (
            lambda rows: count_cooccurrence(rows, "hit"),
            SMALL.with_table(SMALL.table.assign(hit=None)),
            "unknown_unit",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(function, judgments, code):
    with pytest.raises(DataError) as error:
        function(judgments)
    assert error.value.code == code


def test_cooccurrence_is_asked_for_by_pair_or_by_system():
    judgments = load("demo-srpdc", "de-en")
    pd.testing.assert_frame_equal(
        cooccurrence(judgments, unit="annotator"), count_cooccurrence(judgments, "annotator")
    )
    pd.testing.assert_frame_equal(
        cooccurrence(judgments, by="system"), co_judged_effects(judgments)
    )
    for words, code in (
        ({"by": "annotator"}, "unknown_unit"),
        ({"by": "system", "unit": "hit"}, "argument_not_used"),
    ):
        with pytest.raises(DataError) as error:
            cooccurrence(judgments, **words)
        assert error.value.code == code
