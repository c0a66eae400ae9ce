"""The organisers' rankings, clusters, p-values and segment scores, as their files say them."""

from types import SimpleNamespace

import numpy as np
import pytest

from companion.legacy.rankcampaigns import official
from companion.legacy.rankstability.errors import DataError


@pytest.fixture
def campaign(tmp_path):
    return SimpleNamespace(folder=tmp_path)


def test_nothing_released_is_nothing(campaign):
    assert official.ranking(campaign, "cs-en") is None
    assert official.clusters(campaign, "cs-en") is None
    assert official.p_values(campaign, "cs-en") is None
    assert official.seg_scores(campaign, "cs-en") == {}


def test_a_printed_ranking_and_a_full_one(campaign):
    rows = ["71.2 0.3 20 40 b", "", "70.1 -0.4 21 41 a", "80 0.3 22 42 c"]
    (campaign.folder / "ad-sys-scores-cs-en.csv").write_text(
        "RAW.SCR Z.SCR N SYS N.ALL\n60.25 -0.125 5 a 9\n61.5 0.5 6 b 8\n"
    )
    full = official.ranking(campaign, "cs-en")
    assert full.to_numpy().tolist() == [["b", 61.5, 0.5, 6, 8], ["a", 60.25, -0.125, 5, 9]]
    (campaign.folder / "ad-sys-ranking-cs-en-z.csv").write_text("\n".join(rows) + "\n")
    printed = official.ranking(campaign, "cs-en")
    assert list(printed) == ["system", "mean_raw", "mean_z", "segments", "judgments"]
    assert printed["system"].tolist() == ["b", "c", "a"]  # of equal scores the first
    assert printed.iloc[2].tolist() == ["a", 70.1, -0.4, 21, 41]
    assert official.ranking(campaign, "de-en") is None


def test_clusters_stand_by_their_first_rank(campaign):
    (campaign.folder / "clusters.csv").write_text(
        "SRC TRG CLUSTER_START SYSTEM\ncs en 10 d\ncs en 2 b\ncs en 1 a\ncs en 2 c\nde en 1 x\n"
    )
    groups = official.clusters(campaign, "cs-en")
    assert groups == (frozenset("a"), frozenset("bc"), frozenset("d"))
    assert official.clusters(campaign, "de-en") == (frozenset("x"),)
    assert official.clusters(campaign, "en-cs") is None


def test_a_row_of_clusters_that_is_wrong_is_refused(campaign):
    file = campaign.folder / "clusters.csv"
    file.write_text("SRC TRG CLUSTER_START SYSTEM\ncs en 1 a\ncs en first b\n")
    with pytest.raises(DataError, match=r"line 3, column 'CLUSTER_START': not an integer"):
        official.clusters(campaign, "cs-en")
    file.write_text("SRC TRG CLUSTER_START SYSTEM\ncs en 1 a\ncs en 2\n")
    with pytest.raises(DataError, match=r"line 3: wrong number of columns; found 3"):
        official.clusters(campaign, "cs-en")


@pytest.mark.parametrize("text", ["pair,start\ncs-en,1\n", "a b\n1 2\n", "name, a b\nx,1\n"])
def test_another_file_of_the_name_is_not_the_official_clusters(campaign, text):
    (campaign.folder / "clusters.csv").write_text(text)
    assert official.clusters(campaign, "cs-en") is None


def test_p_values_are_of_rows_over_columns_by_plain_names(campaign):
    (campaign.folder / "adwilcox-csen.csv").write_text(
        "newstest2020.cs-en.A.1.sgm B newstest-C\n"
        "newstest2020.cs-en.A.1.sgm 0.5 0.01 0.12\nB 0.12 0.5 0.02\nnewstest-C 0.12 0.12 0.5\n"
    )
    table = official.p_values(campaign, "cs-en")
    assert list(table.index) == list(table.columns) == ["A.1", "B", "newstest-C"]
    np.testing.assert_array_equal(table.loc["A.1"], [0.5, 0.01, 0.12])


def test_segment_scores_are_in_order_of_the_test_set_without_what_was_not_judged(campaign):
    folder = campaign.folder / "official"
    folder.mkdir()
    (folder / "cs-en.esa-1.seg.score").write_text("B\t70\nA\tNone\nB\tNone\nA\t-2.5\nB\t3\n")
    (folder / "de-en.esa-1.seg.score").write_text("B\t70\n")
    scores = official.seg_scores(campaign, "cs-en")
    assert list(scores) == ["esa-1"]
    assert scores["esa-1"].to_numpy().tolist() == [["B", "0", 70], ["A", "1", -2.5], ["B", "2", 3]]
    for wrong, words in (
        ("A", "wrong number of columns; found 1"),
        ("A\t1\t2", "wrong number of columns; found 3"),
        ("A\tx", "column 'score': not a number; found 'x'; expected a number, or None"),
    ):
        (folder / "cs-en.esa-1.seg.score").write_text(f"B\t70\n{wrong}\n")
        with pytest.raises(DataError, match=f"line 2.*{words}"):
            official.seg_scores(campaign, "cs-en")


def test_a_system_stands_once_in_a_ranking_with_counts_that_are_whole(campaign):
    file = campaign.folder / "ad-sys-ranking-cs-en-z.csv"
    for row, words in (
        ("70 0.1 5 9 b", "line 3, column 'SYS': duplicate system; found 'b'"),
        ("70 0.1 5.5 9 a", "line 3, column 'N': not an integer"),
        ("70 x 5 9 a", r"line 3, column 'Z\.SCR': not a number"),
        ("170 0.1 5 9 a", r"line 3, column 'RAW\.SCR': out of range"),
        ("70 0.1 5 a", "line 3: wrong number of columns; found 4"),
    ):
        file.write_text(f"RAW.SCR Z.SCR N N.ALL SYS\n71.2 0.3 20 40 b\n{row}\n")
        with pytest.raises(DataError, match=words):
            official.ranking(campaign, "cs-en")


def test_p_values_are_from_0_to_1(campaign):
    file = campaign.folder / "adwilcox-csen.csv"
    for cell, fine in (("0", True), ("1", True), ("1.01", False), ("-0.01", False)):
        file.write_text(f"A B\nA 0.5 {cell}\nB 0.12 0.5\n")
        if fine:
            assert official.p_values(campaign, "cs-en").loc["A", "B"] == float(cell)
        else:
            with pytest.raises(DataError, match=r"line 2, column 'B': .*a number from 0 to 1"):
                official.p_values(campaign, "cs-en")


def test_segments_of_released_scores_are_counted_for_each_system_and_study(campaign):
    folder = campaign.folder / "official"
    folder.mkdir()
    (folder / "cs-en.b.seg.score").write_text("A\t1\nA\t2\nB\tNone\nB\t4\n")
    (folder / "cs-en.a.seg.score").write_text("A\t0\n")
    scores = official.seg_scores(campaign, "cs-en")
    assert list(scores) == ["a", "b"] and list(scores["b"]) == ["system", "segment", "score"]
    assert scores["b"].to_numpy().tolist() == [["A", "0", 1], ["A", "1", 2], ["B", "1", 4]]
