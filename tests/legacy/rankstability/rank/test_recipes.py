"""The recipes of the years on the same data: clusters and significant pairs of WMT24."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from conftest import needs
from esa import scored
from companion.legacy.rankstability import load, rank_systems
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.paired import signed_rank
from companion.legacy.rankstability.rank.ranking import clusters
from companion.legacy.rankstability.rank.recipes import (
    RECIPES,
    counted_by,
    made_by,
    make,
    ordering_means,
    recipe_named,
    recipe_of_year,
    segment_domains,
)
from companion.legacy.rankstability.score.scored import from_frame


def made(target, waves, name):
    judged = scored(target, *waves)
    return judged, make(RECIPES[name], judged.matrix(), segment_domains(judged))


@pytest.mark.slow
@needs("wmt24-esa")
@pytest.mark.parametrize(
    ("target", "waves", "number"), [("jpn", (2, 3), 5), ("zho", (2, 3), 2), ("jpn", (3,), 4)]
)
def test_clusters_of_wmt24(target, waves, number):
    assert made(target, waves, "wmt24")[1].claimed.sum() + 1 == number


@needs("wmt24-esa")
@pytest.mark.parametrize(("target", "pairs"), [("jpn", 59), ("zho", 56)])
def test_significant_pairs_of_wave_3(target, pairs):
    upper = np.triu_indices(13, 1)
    assert (made(target, (3,), "wmt24")[1].p[upper] < 0.05).sum() == pairs


@needs("wmt24-esa")
def test_the_top_turns_with_the_other_half_of_the_data():
    judged, both = made("jpn", (2, 3), "wmt24")
    assert [judged.systems[k] for k in both.order[:2]] == ["refA", "Claude-3.5"]
    assert both.claimed[:2].all()
    judged, half = made("jpn", (3,), "wmt24")
    assert judged.systems[half.order[0]] == "Claude-3.5" and half.claimed[0]


def test_a_system_better_than_all_stands_alone_under_every_recipe():
    rng = np.random.default_rng(4)
    scores = rng.normal(60, 8, size=(300, 5)).round() + np.array([0, 0, 25, 0, 0])
    domain = np.repeat([0, 1, 2], 100)
    for recipe in RECIPES.values():
        result = make(recipe, scores, domain, systems="abcde")
        assert result.order[0] == 2 and result.claimed[0], recipe.name
        table = result.table
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
        assert two.lines == one.lines


def test_wmt25_ranges_reach_to_the_first_significant_neighbour():
    significant = np.zeros((4, 4), bool)
    significant[0, 2] = significant[1, 3] = significant[0, 3] = True
    for name in ("wmt25", "wmt26"):
        best, worst, lines = RECIPES[name].lines(significant)
        assert best.tolist() == [1, 1, 2, 3] and worst.tolist() == [2, 3, 4, 4]
        assert not lines.any()


def test_wmt23_draws_by_the_fewest_wins_so_far():
    significant = np.triu(np.ones((3, 3), bool), 1)
    significant[0, 1] = False
    assert RECIPES["wmt23"].lines(significant)[2].tolist() == [False, True]
    assert signed_rank(np.zeros((60, 2)))[0, 1] == 1.0


@pytest.mark.parametrize("name", RECIPES)
def test_domains_count_alike_where_the_recipe_says_so(name):
    """The first system is better in the large domain, the second in the small one, and by more."""
    rng = np.random.default_rng(2)
    scores = rng.normal(60, 1, size=(100, 2))
    domain = np.repeat([0, 1], [90, 10])
    scores[domain == 0, 0] += 3
    scores[domain == 1, 1] += 9
    recipe = RECIPES[name]
    first = make(recipe, scores, domain).order[0]
    assert first == (1 if recipe.by_domain else 0)
    assert recipe.by_domain or name != "wmt24"


NEWEST = max(RECIPES.values(), key=lambda recipe: recipe.since).name


@pytest.mark.parametrize(
    ("year", "form", "name"),
    [
        *((year, "appraise", "wmt17") for year in (1999, 2010, 2016, 2017, 2021)),
        *((2022, form, "wmt23") for form in ("appraise", "esa")),
        *((2023, "esa", "wmt23"), (2024, "esa", "wmt24"), (2025, "long", "wmt25")),
        *((2026, "esa", "wmt26"), (2040, "esa", NEWEST), (0, "long", "wmt24")),
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
    for name in ("wmt17", "wmt23", "wmt24"):
        best, worst, _ = RECIPES[name].lines(significant)
        assert best.tolist() == [1, 1, 2, 3] and worst.tolist() == [2, 3, 4, 4], name


def twice(segments=70, holes=0.0, seed=1):
    """Two judgments of each output, as WMT25 has them: (waves, segments, systems)."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 9, (segments, 1)) + np.array([60.0, 63, 61, 58])
    scores = (quality + rng.normal(0, 11, (2, segments, 4))).round()
    scores[rng.random(scores.shape) < holes] = np.nan
    return scores


def waves_frame(scores):
    wave, segment, system = np.nonzero(np.isfinite(scores))
    order = np.lexsort((wave, system, segment))
    return pd.DataFrame(
        {
            "system": np.array(list("abcd"))[system], "segment": [f"s{k:03}" for k in segment],
            "worker": [f"w{k}" for k in wave], "score": scores[wave, segment, system],
        }
    ).iloc[order]  # fmt: skip


@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_wmt25_crosses_the_two_waves_at_half_the_level(holes):
    scores = twice(holes=holes)
    recipe, made = RECIPES["wmt25"], made_by(from_frame(waves_frame(scores)), RECIPES["wmt25"])
    both = scores.reshape(-1, 4)
    np.testing.assert_allclose(made.score, np.sort(np.nanmean(both, axis=0))[::-1])
    for i, a in enumerate(made.order):
        for j in range(i + 1, 4):
            b = made.order[j]
            pairs = [(0, 0), (1, 1), (0, 1), (1, 0)]
            gap = np.concatenate([scores[u, :, a] - scores[v, :, b] for u, v in pairs])
            p = stats.wilcoxon(gap[np.isfinite(gap)], alternative="greater").pvalue
            assert made.p[i, j] == pytest.approx(min(2 * p, 1), rel=1e-9)
    halved = np.triu(np.nan_to_num(made.p, nan=1) / 2 < 0.025, 1)
    assert (recipe.lines(halved)[2] == made.claimed).all()


def test_wmt25_with_one_judgment_a_segment_is_its_paired_form_at_half_the_level():
    scores = twice()[0]
    new = make(RECIPES["wmt25"], scores)
    paired = signed_rank(scores[:, new.order], "greater")
    upper = np.triu_indices(4, 1)
    np.testing.assert_allclose(new.p[upper], np.minimum(2 * paired[upper], 1))


def test_wmt25_counts_judgments_alike_and_wmt23_segments():
    frame = pd.DataFrame(
        [("a", "s1", 0.0), ("a", "s1", 0.0), ("a", "s2", 9.0), ("b", "s1", 3.5), ("b", "s2", 3.5)],
        columns=["system", "segment", "score"],
    )
    judged = from_frame(frame)
    assert made_by(judged, RECIPES["wmt25"]).score.tolist() == [3.5, 3.0]
    assert made_by(judged, RECIPES["wmt23"]).score.tolist() == [4.5, 3.5]


def test_of_mqm_wmt25_takes_the_first_rating_of_a_segment():
    errors = pd.DataFrame(
        [
            (system, "d", segment, rater, "Accuracy/Addition", severity)
            for segment in range(3)
            for system in "ab"
            for rater, severity in (("zoe", "Minor"), ("ann", "Major"))
        ],
        columns=["system", "document", "segment", "rater", "category", "severity"],
    )
    assert set(counted_by(errors, RECIPES["wmt25"]).score) == {-1.0}
    assert set(counted_by(errors, RECIPES["wmt24"]).score) == {-1.0, -5.0}


def test_a_line_of_wmt26_does_not_stand_where_a_system_beats_only_the_next():
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1, (400, 4)) + np.array([9.0, 0.5, 0.25, 0.0])
    made = make(RECIPES["wmt26"], scores)
    assert made.lines == (1, 2, 3)
    p = made.p.copy()
    p[1, 3] = 0.2
    lines = RECIPES["wmt26"].lines(np.nan_to_num(p, nan=1) < 0.05)[2]
    less = replace(made, p=p, table=made.table.assign(cluster=clusters(lines)))
    assert less.claimed.tolist() == [True, False, False]


def test_wmt26_draws_by_chance_from_the_generator_given():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (60, 5)) + np.linspace(0.5, 0, 5)
    recipe = RECIPES["wmt26"]
    one, again = (make(recipe, scores, rng=np.random.default_rng(1)).p for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert (np.nan_to_num(make(recipe, scores, rng=rng).p) != np.nan_to_num(one)).any()
    np.testing.assert_array_equal(make(recipe, scores).p, make(recipe, scores).p)


def test_a_segment_that_nobody_judged_decides_nothing():
    """An annotator left out may leave segments empty: p of 1 in a domain made every p 1."""
    rng = np.random.default_rng(4)
    scores = rng.normal(60, 8, size=(300, 5)).round() + np.array([0, 0, 25, 0, 0])
    more = np.vstack([scores, np.full((3, 5), np.nan)])
    domain = np.append(np.repeat([0, 1], 150), [-1, -1, -1])
    for recipe in RECIPES.values():
        np.testing.assert_array_equal(
            make(recipe, more, domain).p, make(recipe, scores, domain[:300]).p
        )


def test_an_unknown_recipe_and_another_rule_are_refused():
    with pytest.raises(DataError, match="wmt17, wmt23, wmt24"):
        recipe_named("wmt99")
    with pytest.raises(DataError, match="a recipe has its own"):
        rank_systems(load("demo-srdc", "de-en"), recipe="wmt24", rule="adjacent")


def test_the_ordering_mean_is_of_the_judgments_of_segments_or_of_domains():
    """By hand: two judgments of three segments by two systems, the third of another domain."""
    gap = np.nan
    first = [[1.0, 4.0], [3.0, gap], [10.0, 6.0]]
    second = [[gap, 8.0], [5.0, gap], [gap, 2.0]]
    domain = np.array([0, 0, 1])
    for scores, whole, by_domain in (
        (first, [14 / 3, 5.0], [6.0, 5.0]),
        ([first, second], [19 / 4, 5.0], [6.5, 5.0]),
    ):
        made = [ordering_means(np.array(scores), domain, by) for by in (False, True)]
        assert made[0].tolist() == pytest.approx(whole)
        assert made[1].tolist() == pytest.approx(by_domain)
    never = ordering_means(np.array([[1.0, gap], [2.0, gap]]), np.zeros(2, int), False)
    assert never[0] == 1.5 and np.isnan(never[1])


def test_what_each_recipe_counts_is_what_its_year_did():
    """WMT24 averages domains, WMT25 keeps judgments apart, WMT26 screens users: no other does."""
    for flag, name in (("by_domain", "wmt24"), ("apart", "wmt25"), ("screened", "wmt26")):
        assert [recipe.name for recipe in RECIPES.values() if getattr(recipe, flag)] == [name]
    assert {r.name: r.score for r in RECIPES.values() if r.score != "raw"} == {"wmt17": "z"}
    since = {"wmt17": 2017, "wmt23": 2022, "wmt24": 2024, "wmt25": 2025, "wmt26": 2026}
    assert {r.name: r.since for r in RECIPES.values()} == since
    with pytest.raises(FrozenInstanceError):
        RECIPES["wmt24"].by_domain = False


def test_the_level_stands_in_the_name_of_a_test_as_it_is_used():
    """WMT25 halves it, WMT26 has it as the level of an interval."""
    assert RECIPES["wmt17"].test_name.endswith("p), .05")
    assert RECIPES["wmt25"].test_name.endswith("in the observed order, .025")
    assert "its one-sided 95 % interval above 0" in RECIPES["wmt26"].test_name
    assert RECIPES["wmt25"].test_at(0.2).endswith(", .1")
    assert "its one-sided 99.5 % interval" in RECIPES["wmt26"].test_at(0.005)


def by_hand(p, **more):
    """A recipe whose test says what it is told."""
    return replace(RECIPES["wmt24"], by_domain=False, test=lambda *_: np.array(p), **more)


def test_a_ranking_has_ranks_leads_and_the_words_of_its_recipe():
    p = [[np.nan, 0.049, 0.001], [0.9, np.nan, 0.05], [0.9, 0.9, np.nan]]
    scores = np.array([[1.0, 5, 3], [3, 7, 3]])
    ranking = make(by_hand(p), scores)
    assert ranking.table["rank"].tolist() == [1, 2, 3] and ranking.systems == ("1", "2", "0")
    assert ranking.lead.tolist() == [[0, 3, 4], [-3, 0, 1], [-4, -1, 0]]
    assert ranking.p[1, 0] == ranking.p[0, 1] == 0.049 and ranking.p[2, 1] == 0.05
    assert ranking.lines == (1,) and ranking.alpha == 0.05  # p of .05 is not below it
    assert make(by_hand(p), scores, alpha=0.06).lines == (1, 2)
    assert ranking.table["cluster"].tolist() == [1, 2, 2]
    assert ranking.rule == "all above beat all below"
    in_words = make(by_hand(p, rule=""), scores)
    assert in_words.rule == "a line where all above differ from all below"


def test_a_pair_without_p_is_not_significant():
    p = [[np.nan, np.nan], [np.nan, np.nan]]
    assert make(by_hand(p), np.array([[2.0, 1.0]]), alpha=0.99).lines == ()


def test_one_sided_tests_on_shared_segments_are_the_same_where_all_are_shared():
    scores = np.random.default_rng(3).normal(60, 8, size=(40, 3)).round() + np.array([3, 1, 0])
    more = np.vstack([scores, [[50, np.nan, np.nan]]])
    recipe = RECIPES["wmt23"]
    one, two = make(recipe, scores), make(recipe, more)
    upper = np.triu_indices(3, 1)
    np.testing.assert_allclose(one.p[upper], two.p[upper])
    a, b = scores[:, one.order[0]], scores[:, one.order[1]]
    known = stats.mannwhitneyu(a, b, alternative="greater", method="asymptotic").pvalue
    assert one.p[0, 1] == pytest.approx(known)


def test_by_chance_means_by_the_seed_of_the_recipes():
    scores = np.random.default_rng(0).normal(size=(30, 3)) + np.array([0.4, 0.2, 0])
    seeded = make(RECIPES["wmt26"], scores, rng=np.random.default_rng(20260803)).p
    np.testing.assert_array_equal(make(RECIPES["wmt26"], scores).p, seeded)


def test_ranges_reach_to_the_nearest_significant_neighbour_not_the_first_one_met():
    significant = np.zeros((5, 5), bool)
    significant[0, 3] = significant[1, 3] = significant[2, 4] = significant[0, 4] = True
    best, worst, _ = RECIPES["wmt26"].lines(significant)
    assert best.tolist() == [1, 1, 1, 3, 4] and worst.tolist() == [3, 3, 4, 5, 5]


def test_segments_of_judgments_without_domains_are_of_one_domain():
    judged = from_frame(waves_frame(twice()))
    assert set(segment_domains(judged)) == {0} and len(segment_domains(judged)) == 70
    rows = waves_frame(twice()).assign(domain=lambda f: f["segment"].str[-1])
    named = segment_domains(from_frame(rows))
    assert len(set(named)) == 10 and len(named) == 70


def test_three_waves_with_segments_that_nobody_judged_are_those_without_them():
    scores = np.random.default_rng(1).normal(60, 9, size=(3, 12, 4))
    gap = scores.copy()
    gap[:, 5] = np.nan
    left = np.delete(scores, 5, axis=1)
    np.testing.assert_array_equal(make(RECIPES["wmt25"], gap).p, make(RECIPES["wmt25"], left).p)
