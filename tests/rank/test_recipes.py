"""The recipes of the years on the same data: clusters and significant pairs of WMT24."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import needs
from esa import scored
from rankstability import load, rank_by_recipe, rank_systems, segment_scores
from rankstability.errors import DataError
from rankstability.rank.paired import signed_rank
from rankstability.rank.recipes import (
    RECIPES,
    make,
    recipe_named,
    recipe_of_year,
    recipe_table,
    segment_domains,
)
from rankstability.score.scored import scored as score_of


def made(target, waves, name):
    judged = scored(target, *waves)
    return judged, make(RECIPES[name], judged.matrix(), segment_domains(judged))


@needs("wmt24-esa")
@pytest.mark.parametrize(
    ("target", "waves", "clusters"),
    [("jpn", (2, 3), (5, 3, 3)), ("zho", (2, 3), (2, 3, 3)), ("jpn", (3,), (4, 4, 2))],
)
def test_clusters_of_wmt24(target, waves, clusters):
    names = ("wmt24", "wmt25", "wmt26")
    assert tuple(int(made(target, waves, n)[1].lines.sum()) + 1 for n in names) == clusters


@needs("wmt24-esa")
@pytest.mark.parametrize(("target", "pairs"), [("jpn", (59, 55, 46)), ("zho", (56, 51, 42))])
def test_significant_pairs_of_wave_3(target, pairs):
    upper = np.triu_indices(13, 1)
    names = ("wmt24", "wmt25", "wmt26")
    assert tuple(int((made(target, (3,), n)[1].p[upper] < 0.05).sum()) for n in names) == pairs


@needs("wmt24-esa")
def test_the_top_turns_with_the_other_half_of_the_data():
    judged, both = made("jpn", (2, 3), "wmt24")
    assert [judged.systems[k] for k in both.order[:2]] == ["refA", "Claude-3.5"]
    assert both.lines[:2].all()
    judged, half = made("jpn", (3,), "wmt24")
    assert judged.systems[half.order[0]] == "Claude-3.5" and half.lines[0]


def test_a_system_better_than_all_stands_alone_under_every_recipe():
    rng = np.random.default_rng(4)
    scores = rng.normal(60, 8, size=(300, 5)).round() + np.array([0, 0, 25, 0, 0])
    domain = np.repeat([0, 1, 2], 100)
    for recipe in RECIPES.values():
        result = make(recipe, scores, domain)
        assert result.order[0] == 2 and result.lines[0], recipe.name
        table = recipe_table(recipe, result, tuple("abcde"))
        assert table["system"][0] == "c" and table["cluster"][:2].tolist() == [1, 2]
        assert (table["rank_low"] <= table["rank"]).all()
        assert (table["rank"] <= table["rank_high"]).all()


def test_relabelling_systems_and_reordering_segments_change_nothing():
    rng = np.random.default_rng(5)
    scores = rng.normal(60, 8, size=(200, 6)).round() + np.arange(6)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    domain = rng.integers(3, size=200)
    systems, rows = rng.permutation(6), rng.permutation(200)
    for recipe in RECIPES.values():
        one = make(recipe, scores, domain)
        two = make(recipe, scores[rows][:, systems], domain[rows])
        assert systems[two.order].tolist() == one.order.tolist(), recipe.name
        np.testing.assert_allclose(two.p, one.p, rtol=1e-9)
        assert (two.lines == one.lines).all()


def test_wmt25_ranges_reach_to_the_first_significant_neighbour():
    significant = np.zeros((4, 4), bool)
    significant[0, 2] = significant[1, 3] = significant[0, 3] = True
    best, worst, lines = RECIPES["wmt25"].lines(significant)
    assert best.tolist() == [1, 1, 2, 3] and worst.tolist() == [2, 3, 4, 4]
    assert not lines.any()


def test_wmt23_draws_by_the_fewest_wins_so_far():
    significant = np.triu(np.ones((3, 3), bool), 1)
    significant[0, 1] = False
    assert RECIPES["wmt23"].lines(significant)[2].tolist() == [False, True]
    assert signed_rank(np.zeros((60, 2)))[0, 1] == 1.0


@pytest.mark.parametrize("name", RECIPES)
def test_domains_count_alike_in_wmt24_alone(name):
    """The first system is better in the large domain, the second in the small one, and by more."""
    rng = np.random.default_rng(2)
    scores = rng.normal(60, 1, size=(100, 2))
    domain = np.repeat([0, 1], [90, 10])
    scores[domain == 0, 0] += 3
    scores[domain == 1, 1] += 9
    recipe = RECIPES[name]
    first = make(recipe, scores, domain).order[0]
    assert first == (1 if name == "wmt24" else 0)
    assert recipe.by_domain == (name == "wmt24")


@pytest.mark.parametrize("name", RECIPES)
def test_a_ranking_by_recipe_is_that_of_its_arrays(name):
    judgments = load("demo-srpdc", "de-en")
    ranking = rank_by_recipe(judgments, name)
    judged = score_of(judgments, RECIPES[name].score)
    arrays = make(RECIPES[name], judged.matrix())
    assert ranking.systems == tuple(judged.systems[k] for k in arrays.order)
    assert ranking.lines == tuple(np.flatnonzero(arrays.lines) + 1)
    assert (ranking.p == ranking.p.T)[~np.eye(len(ranking.p), dtype=bool)].all()
    if name == "wmt17":  # the same by the other way
        other = rank_systems(segment_scores(judgments))
        assert ranking.systems == other.systems and ranking.lines == other.lines
    if name in ("wmt17", "wmt24", "wmt26"):
        assert ranking.under().lines == ranking.lines


def test_an_unknown_recipe_is_refused():
    with pytest.raises(DataError, match="wmt17, wmt23, wmt24"):
        recipe_named("wmt99")


@pytest.mark.parametrize(
    ("year", "form", "name"),
    [
        *((year, "appraise", "wmt17") for year in (1999, 2010, 2016, 2017, 2021)),
        *((2022, form, "wmt23") for form in ("appraise", "esa")),
        *((2023, "esa", "wmt23"), (2024, "esa", "wmt24"), (2025, "long", "wmt25")),
        *((2026, "esa", "wmt26"), (2040, "esa", "wmt26"), (0, "long", "wmt24")),
        *((2023, "mqm", "wmt24"), (2025, "mqm", "wmt25"), (0, "mqm", "wmt24")),
        *((year, form, "wmt17") for year in (0, 2018, 2025) for form in ("da", "segments")),
    ],
)
def test_a_campaign_has_the_recipe_of_its_year(year, form, name):
    assert recipe_of_year(year, form) == name


def test_rank_ranges_count_significant_wins_and_losses():
    significant = np.zeros((4, 4), bool)
    significant[0, 2] = significant[0, 3] = significant[1, 3] = True
    significant[3, 0] = True  # below the diagonal: not asked
    for name in ("wmt17", "wmt23", "wmt26"):
        best, worst, _ = RECIPES[name].lines(significant)
        assert best.tolist() == [1, 1, 2, 3] and worst.tolist() == [2, 3, 4, 4], name
