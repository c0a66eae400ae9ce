"""What notebook 10 asks of a pair: units, false lines, counts, and a top that turns."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assessments import demo
from conftest import needs
from rankcampaigns import campaigns
from rankcompanion.models import additive as models
from rankcompanion.models import variance
from rankcompanion.models.truth import known_truth
from rankcompanion.notebooks.lines import held
from rankcompanion.notebooks.lines import tables as lines
from rankcompanion.notebooks.lines.calibration import coverage
from rankstability.rank.recipes import RECIPES, recipe_of_year
from rankstability.rank.units import TWO_WAY
from rankstability.score.scored import from_frame

GIVEN = {"system": 6.0, "worker": 60.0, "document": 20.0, "segment": 25.0, "worker:system": 20.0,
         "block": 30.0, "document:system": 10.0, "residual": 120.0}  # fmt: skip
DRAWS = 150


def frame(systems="abcd", workers=10, documents=10, segments=3):
    rng = np.random.default_rng(2)
    rows = [
        (s, f"d{d}-{k}", f"w{(d + step) % workers}", f"d{d}", rng.normal())
        for d in range(documents) for step in range(2) for s in systems for k in range(segments)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "segment", "worker", "document", "score"])


def test_labels_are_shuffled_only_within_units_that_hold_several_systems():
    assert lines.null_units(from_frame(frame())) == ["document", "worker", "block"]
    assert lines.null_units(from_frame(frame(segments=1))) == ["document", "worker"]
    apart = frame().assign(document=lambda f: f["document"] + f["system"])
    assert lines.null_units(from_frame(apart)) == ["worker"]
    assert lines.null_units(from_frame(frame().drop(columns=["worker", "document"]))) == []


def test_pairs_of_systems_without_a_common_document_are_counted():
    assert lines.pairs_apart(from_frame(frame())) == 0
    half = frame().query("system in ['a', 'b'] or document != 'd0'")
    assert lines.pairs_apart(from_frame(half)) == 0
    low = frame()["document"].isin([f"d{k}" for k in range(5)])
    disjoint = frame()[low == frame()["system"].isin(["a", "b"])]
    assert lines.pairs_apart(from_frame(disjoint)) == 4
    got = held.standing(from_frame(disjoint), "wmt25", np.random.default_rng(0), "document")
    assert not got.places["claimed"].any() and not got.places["held"].any()


def test_blocks_are_shuffled_for_the_own_recipe_only_and_draws_do_not_depend_on_company():
    judged = dict.fromkeys(RECIPES, from_frame(frame()))
    table = lines.false_line_table(judged, ["document", "block"], 5, 10, own="wmt25")
    assert table.loc[table["unit"] == "block", "recipe"].tolist() == ["wmt25"]
    one = lines.false_line_table({"wmt25": judged["wmt25"]}, ["document"], 5, 10)
    same = table.query("recipe == 'wmt25' and unit == 'document'").reset_index(drop=True)
    pd.testing.assert_frame_equal(one, same)
    assert lines.false_line_table(judged, [], 5).empty


@pytest.mark.parametrize(
    ("year", "form", "expected"),
    [(2018, "da", "wmt17"), (2024, "da", "wmt17"), (2022, "appraise", "wmt23"),
     (2020, "appraise", "wmt17"), (2024, "esa", "wmt24"), (2025, "esa", "wmt25"),
     (0, "esa", "wmt24"), (2031, "esa", "wmt26"), (2023, "mqm", "wmt24"), (0, "mqm", "wmt24")],
)  # fmt: skip
def test_a_campaign_has_the_recipe_of_its_year(year, form, expected):
    assert recipe_of_year(year, form) == expected


@needs("wmt24-esa")
def test_the_top_of_english_japanese_turns_with_the_other_half():
    campaign = campaigns.find("wmt24-esa")
    parts = {"all": lines.judged_by(campaigns.load(campaign, "en-ja"))["wmt24"]}
    for file in campaign.files():
        one = lines.judged_by(campaigns.load(campaigns.find(file), "en-ja"))["wmt24"]
        parts["wave3" if "wave3" in file.name else "wave2"] = one
    table = lines.parts_table(parts, "wmt24")
    alone = table[table["cluster"] == 1].groupby("part")["system"].agg(list)
    assert alone["all"] == ["refA"] and alone["wave3"] == ["Claude-3.5"]
    assert len(alone["wave2"]) == 11


def test_sets_over_workers_and_documents_cover_and_those_over_segments_do_not():
    """What one worker says of a system holds together: components of the size of WMT21's."""
    da, _ = demo("SR+DC", 22, workers=40, documents=40)
    known = known_truth(da, variance.Components(GIVEN, 0.0, {}, 0.0, 0), models.additive(da))
    made = coverage(known, ["segment", TWO_WAY], np.random.default_rng(8), DRAWS)
    table = made.set_index("unit")
    held = round(table.loc[TWO_WAY, "covered"] * DRAWS)
    assert stats.binomtest(held, DRAWS, 0.95, "less").pvalue > 0.01
    assert table.loc["segment", "covered_high"] < 0.93
    assert table.loc["segment", "width"] < table.loc[TWO_WAY, "width"]
