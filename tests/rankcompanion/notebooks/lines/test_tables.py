"""What notebook 10 asks of a pair: units, false lines, counts, and a top that turns."""

import numpy as np
import pandas as pd
import pytest

from rankcompanion.notebooks.lines import tables as lines
from rankstability.rank import standing as places
from rankstability.rank.recipes import RECIPES, recipe_of_year
from rankstability.score.scored import from_frame


def frame(systems="abcd", workers=10, documents=10, segments=3):
    rng = np.random.default_rng(2)
    rows = [
        (s, f"d{d}-{k}", f"w{(d + step) % workers}", f"d{d}", rng.normal())
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
