"""The ranking procedure of each year: rows, scores, tests, rank ranges and boundaries."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankstability as rs
from judged import judged, ratings
from rankstability.ranking.paired import signed_rank
from rankstability.ranking.procedures import (
    PROCEDURES,
    SEED,
    apply_procedure,
    default_procedure,
    draw_ranking,
    mean_over_domains,
    ranks_by_neighbours,
    scores_for,
)
from real import real_data

YEARS = [name for name, procedure in PROCEDURES.items() if procedure.since]
VERSION_03 = Path(__file__).with_name("rankings_0.3.0.csv")


def below(drawn):
    """Return the ranks below which boundaries are drawn."""
    return (np.flatnonzero(drawn.boundaries) + 1).tolist()


# ------------------------------------------------------------------ known rankings


@pytest.mark.parametrize("case", pd.read_csv(VERSION_03).groupby(["campaign", "pair", "procedure"]))
def test_rankings_are_those_of_version_03(case):
    (campaign, pair, name), expected = case
    procedure = PROCEDURES[name]
    scores = scores_for(rs.load(campaign, pair), procedure)
    drawn = draw_ranking(scores, procedure)
    table = drawn.table(scores.systems)
    assert table["system"].tolist() == expected["system"].tolist()
    assert table["cluster"].tolist() == expected["cluster"].tolist()
    np.testing.assert_allclose(table["score"], expected["score"], rtol=1e-9, atol=1e-9)
    p_next = np.append(np.diag(drawn.p, 1), np.nan)
    np.testing.assert_allclose(p_next, expected["p_next"], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("campaign", "folder", "number"),
    [
        ("wmt21", "newstest2021-toen", {"wmt17": 9, "wmt23": 11, "wmt24": 6, "wmt25": 11, "wmt26": 17}),
        ("wmt24-esa", "wmt24-esa", {"wmt17": 10, "wmt23": 6, "wmt24": 9, "wmt25": 6, "wmt26": 8}),
        ("wmt23-mqm", "wmt23-mqm", {"wmt17": 6, "wmt23": 6, "wmt24": 9, "wmt25": 7, "wmt26": 11}),
    ],
)  # fmt: skip
def test_boundaries_of_real_campaigns_are_those_of_version_03(campaign, folder, number):
    real_data(folder)
    found = dict.fromkeys(YEARS, 0)
    for pair in rs.pairs(campaign)["pair"]:
        judgments = rs.load(campaign, pair)
        for name in YEARS:
            drawn = draw_ranking(scores_for(judgments, PROCEDURES[name]), PROCEDURES[name])
            found[name] += int(drawn.boundaries.sum())
    assert found == number


def test_clusters_and_the_top_of_wmt24():
    folder = real_data("wmt24-esa")
    procedure = PROCEDURES["wmt24"]
    drawn = {}
    for pair in ("en-ja", "en-zh"):
        scores = scores_for(rs.load("wmt24-esa", pair), procedure)
        drawn[pair] = draw_ranking(scores, procedure)
    assert len(below(drawn["en-ja"])) + 1 == 5 and len(below(drawn["en-zh"])) + 1 == 2
    wave_3 = rs.load(folder / "esa_generalMT2024_wave3.csv.gz", "en-ja")
    scores = scores_for(wave_3, procedure)
    half = draw_ranking(scores, procedure)
    assert len(below(half)) + 1 == 4 and scores.systems[half.order[0]] == "Claude-3.5"
    assert (half.p[np.triu_indices(13, 1)] < 0.05).sum() == 59


# ------------------------------------------------------------------ what is counted


def test_what_each_procedure_counts_is_what_its_year_did():
    for flag, name in (("by_domain", "wmt24"), ("keep_repeats", "wmt25"), ("screened", "wmt26")):
        assert [each.name for each in PROCEDURES.values() if getattr(each, flag)] == [name]
    assert [name for name in PROCEDURES if PROCEDURES[name].score == "z"] == ["wmt17"]


@pytest.mark.parametrize(
    ("kind", "year", "name"),
    [
        *(("direct_assessment", year, "wmt17") for year in (1999, 2016, 2017, 2021)),
        *(("direct_assessment", year, "wmt23") for year in (2022, 2023)),
        *(("direct_assessment", year, f"wmt{year - 2000}") for year in (2024, 2025, 2026)),
        ("direct_assessment", 2040, "wmt26"),
        *(("mqm", year, "wmt24") for year in (2021, 2023, 2024)),
        *(("mqm", 2025, "wmt25"), ("segment_scores", 2020, "wmt17"), ("ratings", 0, "plain")),
    ],
)
def test_a_campaign_has_the_procedure_of_its_year(kind, year, name):
    assert default_procedure(replace(ratings(), kind=kind, year=year)) == name


def test_wmt23_averages_segments_and_wmt25_judgments():
    frame = pd.DataFrame(
        [("a", "s1", 0.0), ("a", "s1", 0.0), ("a", "s2", 9.0), ("b", "s1", 3.5), ("b", "s2", 3.5)],
        columns=["system", "segment", "score"],
    )
    for name, expected in (("wmt25", [3.5, 3.0]), ("wmt23", [4.5, 3.5])):
        scores = scores_for(judged(frame), PROCEDURES[name])
        assert draw_ranking(scores, PROCEDURES[name]).score.tolist() == expected


def test_the_ordering_mean_is_of_the_judgments_of_segments_or_of_domains():
    gap = np.nan
    first = [[1.0, 4.0], [3.0, gap], [10.0, 6.0]]
    second = [[gap, 8.0], [5.0, gap], [gap, 2.0]]
    domain = np.array([0, 0, 1])
    for scores, whole, by_domain in (
        (first, [14 / 3, 5.0], [6.0, 5.0]),
        ([first, second], [19 / 4, 5.0], [6.5, 5.0]),
    ):
        means = [mean_over_domains(np.array(scores), domain, by) for by in (False, True)]
        assert means[0].tolist() == pytest.approx(whole)
        assert means[1].tolist() == pytest.approx(by_domain)
    never = mean_over_domains(np.array([[1.0, gap], [2.0, gap]]), np.zeros(2, int), False)
    assert never[0] == 1.5 and np.isnan(never[1])


def test_a_system_that_a_procedure_leaves_out_is_refused():
    rows = [
        ("w", s, f"d{d}", f"{d}-{k}", "SYSTEM", 10 * k)
        for s in "AB"
        for d in range(3)
        for k in range(3)
    ]
    rows += [("w", "C", "d0", "0-0", "SYSTEM", 50), ("w", "C", "d0", "0-1", "BAD_REF", 5)]
    columns = ["annotator", "system", "document", "segment", "item_type", "score"]
    judgments = judged(pd.DataFrame(rows, columns=columns), "direct_assessment")
    assert scores_for(judgments, PROCEDURES["wmt24"]).systems == ("A", "B", "C")
    with pytest.raises(rs.DataError) as caught:
        scores_for(judgments, PROCEDURES["wmt23"])
    assert (caught.value.code, caught.value.value) == ("system_without_score", "C")


# ------------------------------------------------------------------ tests and boundaries


@pytest.mark.parametrize("name", YEARS)
def test_a_system_better_than_all_stands_alone(name):
    rng = np.random.default_rng(4)
    scores = rng.normal(60, 8, size=(300, 5)).round() + np.array([0, 0, 25, 0, 0])
    drawn = apply_procedure(PROCEDURES[name], scores, np.repeat([0, 1, 2], 100))
    assert drawn.order[0] == 2 and drawn.boundaries[0]
    assert drawn.table(list("abcde"))["cluster"].tolist()[:2] == [1, 2]


@pytest.mark.parametrize("name", YEARS)
def test_names_and_the_order_of_segments_change_nothing(name):
    rng = np.random.default_rng(5)
    scores = rng.normal(60, 8, size=(200, 6)).round() + np.arange(6)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    domain = rng.integers(3, size=200)
    systems, rows = rng.permutation(6), rng.permutation(200)
    first = apply_procedure(PROCEDURES[name], scores, domain)
    second = apply_procedure(PROCEDURES[name], scores[rows][:, systems], domain[rows])
    assert systems[second.order].tolist() == first.order.tolist()
    np.testing.assert_allclose(second.p, first.p, rtol=1e-9)
    assert below(first) == below(second)


@pytest.mark.parametrize("name", YEARS)
def test_domains_count_alike_where_the_procedure_says_so(name):
    """The first system leads in the large domain, the second in the small domain, and by more."""
    rng = np.random.default_rng(2)
    scores = rng.normal(60, 1, size=(100, 2))
    domain = np.repeat([0, 1], [90, 10])
    scores[domain == 0, 0] += 3
    scores[domain == 1, 1] += 9
    drawn = apply_procedure(PROCEDURES[name], scores, domain)
    assert drawn.order[0] == (1 if name == "wmt24" else 0)


@pytest.mark.parametrize("name", YEARS)
def test_a_segment_that_nobody_judged_decides_nothing(name):
    rng = np.random.default_rng(4)
    scores = rng.normal(60, 8, size=(300, 5)).round() + np.array([0, 0, 25, 0, 0])
    more = np.vstack([scores, np.full((3, 5), np.nan)])
    domain = np.append(np.repeat([0, 1], 150), [-1, -1, -1])
    first = apply_procedure(PROCEDURES[name], more, domain)
    second = apply_procedure(PROCEDURES[name], scores, domain[:300])
    np.testing.assert_array_equal(first.p, second.p)


def test_rank_ranges_of_wmt25_reach_to_the_nearest_significant_neighbour():
    significant = np.zeros((5, 5), bool)
    significant[0, 3] = significant[1, 3] = significant[2, 4] = significant[0, 4] = True
    best, worst = ranks_by_neighbours(significant)
    assert best.tolist() == [1, 1, 1, 3, 4] and worst.tolist() == [3, 3, 4, 5, 5]
    assert not PROCEDURES["wmt25"].draw(significant).any()


def test_wmt23_draws_by_the_fewest_wins_so_far():
    significant = np.triu(np.ones((3, 3), bool), 1)
    significant[0, 1] = False
    assert PROCEDURES["wmt23"].draw(significant).tolist() == [False, True]


def test_wmt26_draws_no_boundary_where_a_system_beats_only_the_next():
    significant = np.triu(np.ones((4, 4), bool), 1)
    significant[1, 3] = False
    assert PROCEDURES["wmt26"].draw(significant).tolist() == [True, False, False]


def two_waves(holes=0.0, segments=70):
    """Return two judgments of each output, as WMT25 has them: (waves, segments, systems)."""
    rng = np.random.default_rng(1)
    quality = rng.normal(0, 9, (segments, 1)) + np.array([60.0, 63, 61, 58])
    scores = (quality + rng.normal(0, 11, (2, segments, 4))).round()
    scores[rng.random(scores.shape) < holes] = np.nan
    return scores


@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_wmt25_crosses_the_two_waves_at_half_the_level(holes):
    scores = two_waves(holes)
    wave, segment, system = np.nonzero(np.isfinite(scores))
    frame = pd.DataFrame(
        {
            "system": np.array(list("abcd"))[system],
            "segment": [f"s{k:03}" for k in segment],
            "annotator": [f"w{k}" for k in wave],
            "score": scores[wave, segment, system],
        }
    )
    procedure = PROCEDURES["wmt25"]
    drawn = draw_ranking(scores_for(judged(frame), procedure), procedure)
    np.testing.assert_allclose(
        drawn.score, np.sort(np.nanmean(scores.reshape(-1, 4), axis=0))[::-1]
    )
    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        a, b = drawn.order[[i, j]]
        pairs = [(0, 0), (1, 1), (0, 1), (1, 0)]
        gap = np.concatenate([scores[u, :, a] - scores[v, :, b] for u, v in pairs])
        p = stats.wilcoxon(gap[np.isfinite(gap)], alternative="greater").pvalue
        assert drawn.p[i, j] == pytest.approx(min(2 * p, 1), rel=1e-9)


def test_wmt25_with_a_single_judgment_per_segment_is_its_paired_form():
    scores = two_waves()[0]
    drawn = apply_procedure(PROCEDURES["wmt25"], scores)
    paired = signed_rank(scores[:, drawn.order], "greater")
    upper = np.triu_indices(4, 1)
    np.testing.assert_allclose(drawn.p[upper], np.minimum(2 * paired[upper], 1))


def test_wmt26_draws_from_the_generator_that_is_given_or_from_its_seed():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (60, 5)) + np.linspace(0.5, 0, 5)
    procedure = PROCEDURES["wmt26"]
    first, again = (
        apply_procedure(procedure, scores, rng=np.random.default_rng(1)).p for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)
    other = apply_procedure(procedure, scores, rng=np.random.default_rng(2)).p
    assert (np.nan_to_num(other) != np.nan_to_num(first)).any()
    seeded = apply_procedure(procedure, scores, rng=np.random.default_rng(SEED)).p
    np.testing.assert_array_equal(apply_procedure(procedure, scores).p, seeded)


def test_significant_means_p_below_alpha_and_a_pair_without_p_is_not():
    p = np.array([[np.nan, 0.049, 0.001], [0.9, np.nan, 0.05], [0.9, 0.9, np.nan]])
    fixed = replace(PROCEDURES["wmt24"], by_domain=False, test=lambda *_: p)
    scores = np.array([[1.0, 5, 3], [3, 7, 3]])
    drawn = apply_procedure(fixed, scores)
    assert drawn.order.tolist() == [1, 2, 0] and below(drawn) == [1]
    assert below(apply_procedure(fixed, scores, alpha=0.06)) == [1, 2]
    assert drawn.p[1, 0] == drawn.p[0, 1] == 0.049
    unknown = replace(fixed, test=lambda *_: np.full((3, 3), np.nan))
    assert below(apply_procedure(unknown, scores, alpha=0.99)) == []
