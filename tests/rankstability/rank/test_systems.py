"""The one way to rank: by mean scores, or by the recipe of a year."""

import numpy as np
import pytest

from rankstability import load, rank_systems, segment_scores
from rankstability.errors import DataError
from rankstability.rank.recipes import RECIPES, counted_by, make


@pytest.mark.parametrize("name", RECIPES)
def test_a_ranking_by_recipe_is_that_of_its_arrays(name):
    judgments = load("demo-srpdc", "de-en")
    ranking = rank_systems(judgments, recipe=name)
    judged = counted_by(judgments, RECIPES[name])
    arrays = make(RECIPES[name], judged.stack() if RECIPES[name].apart else judged.matrix())
    assert ranking.systems == tuple(judged.systems[k] for k in arrays.order)
    assert ranking.lines == arrays.lines and ranking.score.tolist() == arrays.score.tolist()
    assert ranking.certain.systems == ranking.systems or RECIPES[name].apart
    assert (ranking.p == ranking.p.T)[~np.eye(len(ranking.p), dtype=bool)].all()
    if name == "wmt17":  # the same by the other way
        other = rank_systems(segment_scores(judgments))
        assert ranking.systems == other.systems and ranking.lines == other.lines
    if name in ("wmt17", "wmt24", "wmt26", "wmt26-2026-08"):
        assert ranking.under().lines == ranking.lines


def test_the_level_of_a_recipes_tests_is_said():
    judgments = load("demo-srdc", "de-en")
    assert rank_systems(judgments, recipe="wmt24").test.endswith("by Stouffer, .05")
    assert rank_systems(judgments, recipe="wmt24", alpha=0.2).test.endswith("by Stouffer, .2")
    assert rank_systems(judgments, recipe="wmt25", alpha=0.01).test.endswith("order, .005")


@pytest.mark.parametrize("campaign", ["demo-mqm", "demo-rr"])
def test_judgments_without_scores_of_segments_need_a_recipe(campaign):
    judgments = load(campaign, "en-de")
    with pytest.raises(DataError, match=r"scores of segments; expected DA, .*such as wmt24"):
        rank_systems(judgments)


def test_one_sided_p_values_are_not_corrected_over_unordered_pairs():
    with pytest.raises(DataError, match="one p-value for each pair"):
        rank_systems(segment_scores(load("demo-srpdc", "de-en")), test="greater", correction="holm")
