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


def test_one_sided_p_values_are_not_corrected_over_unordered_pairs():
    with pytest.raises(DataError, match="one p-value for each pair"):
        rank_systems(segment_scores(load("demo-srpdc", "de-en")), test="greater", correction="holm")
