"""Published rankings come out: orders, scores and clusters of WMT, and Knowles (2021)."""

import numpy as np
import pytest

import rankstability as rs
from real import real_data

WMT18 = [
    "cs-en",
    "en-cs",
    "en-de",
    "en-et",
    "en-fi",
    "en-ru",
    "en-tr",
    "en-zh",
    "et-en",
    "fi-en",
    "ru-en",
    "zh-en",
]
WMT21 = ["cs-en", "de-en", "ha-en", "is-en", "ja-en", "ru-en"]


@pytest.fixture(scope="module")
def wmt18():
    real_data("newstest2018-humaneval")
    return {pair: rs.load("wmt18", pair) for pair in WMT18}


@pytest.fixture(scope="module")
def wmt21():
    real_data("newstest2021-toen")
    return {pair: rs.load("wmt21", pair) for pair in WMT21}


@pytest.mark.parametrize("campaign", ["wmt18", "wmt21"])
def test_official_rankings_and_clusters_come_out(campaign, request):
    for pair, judgments in request.getfixturevalue(campaign).items():
        official = rs.official(campaign, pair)
        table = rs.rank_systems(rs.segment_scores(judgments)).table
        both = official.merge(table, on="system")
        assert len(both) == len(official) == len(table)
        assert np.abs(both["z_official"] - both["z"]).max() < 6e-4
        assert np.abs(both["raw_official"] - both["raw"]).max() < 0.06


def changed(judgments, smaller):
    before = rs.rank_systems(rs.segment_scores(judgments))
    after = rs.rank_systems(rs.segment_scores(smaller))
    change = rs.compare(before, after)
    order, clusters = change.order_changed, change.clusters_changed
    return np.array([order, clusters, order and clusters], int)


def totals(campaign, make):
    return sum(changed(judgments, make(judgments)) for judgments in campaign.values()).tolist()


def outlier(judgments, place):
    return rs.remove(
        judgments, systems=[rs.rank_systems(rs.segment_scores(judgments)).systems[place]]
    )


def test_removals_change_as_many_language_pairs_as_knowles_reports(wmt18, wmt21):
    assert totals(wmt18, lambda j: rs.remove(j, humans=True)) == [1, 0, 0]
    assert totals(wmt18, lambda j: outlier(j, -1)) == [2, 0, 0]
    assert totals(wmt18, lambda j: outlier(j, 0)) == [0, 0, 0]
    assert totals(wmt21, lambda j: rs.remove(j, humans=True)) == [5, 3, 3]
    assert totals(wmt21, lambda j: outlier(j, -1)) == [4, 3, 1]
    assert totals(wmt21, lambda j: outlier(j, 0)) == [5, 0, 0]


@pytest.mark.parametrize(
    ("divisor", "of_2018", "of_2021"),
    [
        (1.25, [0, 0, 0], [5, 4, 3]),
        (1.5, [2, 0, 0], [5, 4, 3]),
        (2, [3, 1, 1], [5, 3, 2]),
        (4, [5, 2, 2], [5, 3, 2]),
        (10, [5, 3, 2], [5, 3, 2]),
    ],
)
def test_divisors_change_as_many_language_pairs_as_knowles_reports(
    wmt18, wmt21, divisor, of_2018, of_2021
):
    def degraded(judgments):
        before = rs.rank_systems(rs.segment_scores(judgments))
        after = rs.rank_systems(rs.segment_scores(rs.degrade(judgments, divisor)))
        others = [name for name in before.systems if name not in judgments.humans]
        change = rs.compare(before, after, systems=others)
        order, clusters = change.order_changed, change.clusters_changed
        return np.array([order, clusters, order and clusters], int)

    assert sum(degraded(j) for j in wmt18.values()).tolist() == of_2018
    assert sum(degraded(j) for j in wmt21.values()).tolist() == of_2021


def test_boundaries_drawn_and_supported(wmt18, wmt21):
    counts = {}
    for name, campaign in (
        ("wmt18", {**wmt18, "tr-en": rs.load("wmt18", "tr-en")}),
        ("wmt21", wmt21),
    ):
        rankings = [rs.rank_systems(judgments) for judgments in campaign.values()]
        drawn = sum(int(each.boundaries["drawn"].sum()) for each in rankings)
        both = sum(
            int((each.boundaries["drawn"] & each.boundaries["supported"]).sum())
            for each in rankings
        )
        better = sum(int((each.pairs["result"] == "better").sum()) for each in rankings)
        first = sum(int(each.table["could_be_first"].sum()) for each in rankings)
        counts[name] = (drawn, both, better, first)
    assert counts == {"wmt18": (52, 30, 441, 47), "wmt21": (9, 0, 25, 69)}


def test_only_the_procedure_that_was_asked_for_is_computed():
    real_data("newstest2018-humaneval")
    folder = real_data("newstest2018-humaneval").parents[1] / "cases" / "screening-leaves-nobody"
    if not folder.is_dir():
        pytest.skip("the case is not here")
    judgments = rs.read(folder / "ratings.csv", scale=(0, 100))
    ranking = rs.rank_systems(judgments, procedure="wmt23")
    scores = dict(zip(ranking.table["system"], ranking.table["score"].round(2), strict=True))
    assert scores == {"A": 57.33, "B": 26.33}
    with pytest.raises(rs.DataError) as caught:
        rs.rank_systems(judgments, procedure="wmt26")
    assert caught.value.code == "nobody_passes_screening"
