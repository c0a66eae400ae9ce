"""What notebook 10 asks of a pair: units, false lines, counts, and a top that turns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcompanion.models.units import unit_table
from companion.legacy.rankcompanion.notebooks.lines import tables as lines
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.recipes import RECIPES, recipe_of_year
from companion.legacy.rankstability.score.scored import from_frame


def frame(systems="abcd", workers=10, documents=10, segments=3, gap=0.0):
    rng = np.random.default_rng(2)
    rows = [
        (s, f"d{d}-{k}", f"w{(d + step) % workers}", f"d{d}", rng.normal() + gap * systems.index(s))
        for d in range(documents) for step in range(2) for s in systems for k in range(segments)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "segment", "worker", "document", "score"])


def test_labels_are_shuffled_within_documents_and_by_worker_only_where_none_are_named():
    assert lines.null_unit(from_frame(frame())) == "document"
    assert lines.null_unit(from_frame(frame().drop(columns="document"))) == "worker"
    assert lines.null_unit(from_frame(frame().drop(columns=["worker", "document"]))) == ""
    apart = frame().assign(document=lambda f: f["document"] + f["system"])
    assert lines.null_unit(from_frame(apart)) == ""  # named, and of one system each


def test_pairs_of_systems_without_a_common_document_are_counted():
    assert lines.pairs_apart(from_frame(frame())) == 0
    half = frame().query("system in ['a', 'b'] or document != 'd0'")
    assert lines.pairs_apart(from_frame(half)) == 0
    low = frame()["document"].isin([f"d{k}" for k in range(5)])
    disjoint = frame()[low == frame()["system"].isin(["a", "b"])]
    assert lines.pairs_apart(from_frame(disjoint)) == 4
    got = places.standing(from_frame(disjoint), "wmt25", "document")
    assert not got.places["claimed"].any() and not got.places["held"].any()


def test_draws_do_not_depend_on_the_other_recipes():
    judged = dict.fromkeys(RECIPES, from_frame(frame()))
    table = lines.false_line_table(judged, "document", 5, 10)
    one = lines.false_line_table({"wmt25": judged["wmt25"]}, "document", 5, 10)
    same = table.query("recipe == 'wmt25'").reset_index(drop=True)
    pd.testing.assert_frame_equal(one, same)
    assert lines.false_line_table(judged, "", 5).empty


@pytest.mark.parametrize(
    ("year", "form", "expected"),
    [(2018, "da", "wmt17"), (2024, "da", "wmt17"), (2022, "appraise", "wmt23"),
     (2020, "appraise", "wmt17"), (2024, "esa", "wmt24"), (2025, "esa", "wmt25"),
     (0, "esa", "wmt24"), (2031, "esa", "wmt26"), (2023, "mqm", "wmt24"), (0, "mqm", "wmt24")],
)  # fmt: skip
def test_a_campaign_has_the_recipe_of_its_year(year, form, expected):
    assert recipe_of_year(year, form) == expected


def test_lines_of_units_and_recipes_follow_each_other_in_one_table():
    judged = from_frame(frame(gap=2.0))
    rankings, drawn = lines.recipes({"wmt24": judged, "wmt25": judged}, ["worker", ""])
    assert rankings.index.tolist() == list(range(8)) and drawn.index.tolist() == list(range(12))
    assert rankings["recipe"].tolist() == ["wmt24"] * 4 + ["wmt25"] * 4
    assert drawn["unit"].tolist() == (["worker"] * 3 + ["worker x document"] * 3) * 2


def test_a_recipe_ranks_a_system_without_a_score_last_and_units_must_be_named():
    with pytest.raises(DataError, match="do not name their worker"):
        lines.recipes({"wmt24": from_frame(frame().drop(columns="worker"))}, ["worker"])
    one = from_frame(frame())
    alone = replace(one, systems=(*one.systems, "unjudged"))
    rankings, drawn = lines.recipes({"wmt24": alone}, ["worker"])
    assert rankings["system"].iloc[-1] == "unjudged" and drawn["held"].iloc[-1] == 0


def test_sets_of_ranks_are_shown_with_their_level_and_only_with_units():
    made = places.standing(from_frame(frame()), "wmt24", alpha=0.1)
    table = lines.set_table(made)
    assert [*table] == ["system", "low", "high", "unit", "level"]
    assert table["system"].tolist() == list(made.systems) and set(table["level"]) == {0.9}
    untold = places.standing(from_frame(frame(workers=1, documents=1)), "wmt24")
    assert lines.set_table(untold).empty


@pytest.mark.parametrize("names", ["worker document", "worker", "document", ""])
def test_segments_are_shown_though_no_unit_of_these_data(names):
    judged = from_frame(frame()[["system", "segment", "score", *names.split()]])
    assert "segment" not in set(unit_table(judged)["unit"])
    assert lines.units_shown(judged)[0] == "segment"
