"""Relative ranking files: both forms, real and broken."""

from __future__ import annotations

import gzip
from itertools import combinations

import demo_rr
import pandas as pd
import pytest

from conftest import real
from rankstability.errors import DataError
from rankstability.read import campaigns
from rankstability.read import rr as readers_rr
from rankstability.score import pairwise

HEADER = ",".join(next(demo_rr.rows()))
ROW = "Czech,English,7,doc,7,judge1,1,a,2,b,3,c,4,d,5,e,1,2,2,-1,5"
PAIRWISE = (
    "srclang,trglang,srcIndex,segmentId,judgeID,"
    "system1Id,system1rank,system2Id,system2rank,rankingID"
)


def write(tmp_path, *lines, name="x.RNK_results.csv"):
    file = tmp_path / name
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_block_becomes_five_rows(tmp_path):
    frame = readers_rr.read_rr([write(tmp_path, HEADER, ROW)])
    assert list(frame.columns) == readers_rr.COLUMNS
    assert frame["system"].astype(str).tolist() == list("abcde")
    assert frame["rank"].tolist() == [1, 2, 2, -1, 5]
    assert frame["ranked"].tolist() == [True, True, True, False, True]
    assert frame["position"].tolist() == [1, 2, 3, 4, 5]
    assert set(frame["task"]) == {"cs-en"} and set(frame["segment"]) == {7}


def test_blocks_are_numbered_over_files_and_whatever_the_pair(tmp_path):
    other = ROW.replace("Czech,English", "English,German")
    a = write(tmp_path, HEADER, ROW, other, name="a.csv")
    again = [row.replace("judge1", "judge2") for row in (other, ROW)]
    b = write(tmp_path, HEADER, *again, name="b.csv")
    frame = readers_rr.read_rr([a, b])
    assert frame.groupby("block")["pair"].first().tolist() == ["cs-en", "en-de", "en-de", "cs-en"]
    assert sorted(set(readers_rr.read_rr([a, b], "en-de")["block"])) == [1, 2]


def test_the_track_is_in_the_name_of_the_file(tmp_path):
    file = write(tmp_path, HEADER, ROW, name="x-indivsystems.RNK_results.csv")
    frame = readers_rr.read_rr([file])
    assert set(frame["task"]) == {"cs-en individual"} and set(frame["track"]) == {"individual"}


def test_empty_slots_are_left_out_and_counted(tmp_path):
    row = "Czech,English,7,doc,7,j,1,a,2,b,3,c,0,blank,0,blank,2,1,3,-1,-1"
    frame = readers_rr.read_rr([write(tmp_path, HEADER, row)])
    assert len(frame) == 3
    assert frame.attrs["excluded"] == {"slots that showed nothing": 2}


def test_gzip_windows_ends_and_byte_order_mark(tmp_path):
    plain = readers_rr.read_rr([write(tmp_path, HEADER, ROW)])
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(("\ufeff" + HEADER + "\r\n" + ROW + "\r\n").encode()))
    pd.testing.assert_frame_equal(readers_rr.read_rr([file]), plain)


def test_a_rank_in_a_slot_that_showed_nothing_is_refused(tmp_path):
    wrong = "line 3, column 'system2rank': a rank in a slot that showed nothing"
    with pytest.raises(DataError, match=wrong):
        readers_rr.read_rr([write(tmp_path, HEADER, ROW, ROW.replace("2,b", "2,blank"))])


def test_errors_of_whole_files(tmp_path):
    twice = HEADER.replace("documentId", "judgeId")
    for lines, words in (
        ([HEADER], "no rows"),
        ([HEADER.replace("judgeId", "who"), ROW], r"a column is missing.*judgeid"),
        ([""], "the file is empty"),
        ([twice, ROW], "line 1: a column appears twice; found 'judgeId'"),
    ):
        with pytest.raises(DataError, match=words):
            readers_rr.read_rr([write(tmp_path, *lines)])
    with pytest.raises(DataError, match=r"no rows for the language pair.*one of cs-en"):
        readers_rr.read_rr([write(tmp_path, HEADER, ROW)], "de-en")
    with pytest.raises(DataError, match="no such file"):
        readers_rr.read_rr([tmp_path / "absent.csv"])
    with pytest.raises(DataError, match="no file"):
        readers_rr.read_rr([])
    file = tmp_path / "latin.csv"
    file.write_bytes((HEADER + "\n" + ROW.replace("judge1", "Jürgen") + "\n").encode("latin-1"))
    with pytest.raises(DataError, match="line 2: wrong encoding"):
        readers_rr.read_rr([file])


def comparisons(ranks, judge="j1", ranking=1, segment=4):
    """The rows WMT15 and WMT16 make of one block."""
    return [
        f"cze,eng,{segment},{segment},{judge},{a},{ranks[a]},{b},{ranks[b]},{ranking}"
        for a, b in combinations(ranks, 2)
    ]


def test_comparisons_of_one_ranking_become_their_block_again(tmp_path):
    rows = comparisons({"a": 1, "b": 3, "c": 3, "d": 5, "e": 2})
    rows += comparisons({"a": 2, "c": 1, "f": 1}, ranking=2)
    frame = readers_rr.read_rr([write(tmp_path, PAIRWISE, *rows)])
    blocks = [dict(zip(g["system"], g["rank"], strict=True)) for _, g in frame.groupby("block")]
    assert blocks == [{"a": 1, "b": 3, "c": 3, "d": 5, "e": 2}, {"a": 2, "c": 1, "f": 1}]
    assert set(frame["pair"]) == {"cs-en"}
    counts = pairwise.pair_counts(frame)
    assert counts.comparisons == len(rows)


def test_languages_documents_and_numbers_that_are_unknown(tmp_path):
    """The form of Toral et al. (2018): -1 for what is unknown, segments by name, no rankingID."""
    header = "system2rank,segmentId,system1Id,system2Number,system1Number,trglang,system1rank,"
    header += "srcIndex,judgeID,srclang,system2Id,documentId"

    def rows(segment, judge, ranks):
        return [
            f"{ranks[b]},{segment},{a},-1,-1,-1,{ranks[a]},{segment},{judge},-1,{b},-1"
            for a, b in combinations(ranks, 2)
        ]

    first = rows("001_1", "j1", {"ht": 2, "gg": 1, "c6": 1}) + rows("001_2", "j1", {"a": 1, "b": 2})
    second = rows("002_1", "j2", {"ht": 1, "gg": 2, "c6": 3})
    files = [write(tmp_path, header, *one, name=name)
             for name, one in (("hp_001.csv", first), ("hp_002.csv", second))]  # fmt: skip
    frame = readers_rr.read_rr(files)
    blocks = [dict(zip(g["system"], g["rank"], strict=True)) for _, g in frame.groupby("block")]
    assert blocks == [
        {"ht": 2, "gg": 1, "c6": 1}, {"a": 1, "b": 2}, {"ht": 1, "gg": 2, "c6": 3},
    ]  # fmt: skip
    assert frame.groupby("block")["segment"].first().tolist() == [1, 2, 3]
    assert set(frame["pair"]) == {"xx-yy"} and set(frame["document"]) == {""}
    assert campaigns.find(tmp_path).pairs == ("xx-yy",)
    (tmp_path / "campaign.yaml").write_text("pair: zh-en\n")
    assert campaigns.find(tmp_path).pairs == ("zh-en",)
    assert campaigns.load(tmp_path, "zh-en")["block"].nunique() == 3
    half = write(tmp_path, header, first[0].replace("-1,gg,-1", "zho,gg,-1"), name="half.csv")
    with pytest.raises(DataError, match="line 2, column 'trglang': only one of the two languages"):
        readers_rr.read_rr([half])
    mixed = write(tmp_path, header, first[0], first[1].replace("001_1", "7"), name="mixed.csv")
    wrong = "line 2, column 'srcIndex': not an integer; found '001_1'"
    with pytest.raises(DataError, match=wrong):
        readers_rr.read_rr([mixed])


def test_a_ranking_that_is_not_whole_stays_in_blocks_of_two(tmp_path):
    missing = comparisons({"a": 1, "b": 3, "c": 3})[:2]
    torn = comparisons({"a": 1, "b": 2, "c": 3}, ranking=2)
    torn[2] = torn[2].replace("b,2", "b,5")  # b has two ranks
    frame = readers_rr.read_rr([write(tmp_path, PAIRWISE, *missing, *torn)])
    assert frame.groupby("block").size().tolist() == [2] * 5
    assert pairwise.pair_counts(frame).comparisons == 5


def test_names_of_wmt16_become_plain_unless_two_would_be_one(tmp_path):
    ranks = {"newstest2016.uedin-nmt.4361.cs-en": 1, "newstest2016.online-A.0.cs-en": 2}
    frame = readers_rr.read_rr([write(tmp_path, PAIRWISE, *comparisons(ranks))])
    assert sorted(set(frame["system"])) == ["online-A", "uedin-nmt"]
    ranks["newstest2016.online-A.7.cs-en"] = 3
    frame = readers_rr.read_rr([write(tmp_path, PAIRWISE, *comparisons(ranks))])
    assert sorted(set(frame["system"])) == sorted(ranks)


def test_the_same_ranking_id_of_another_judge_is_another_block(tmp_path):
    rows = comparisons({"a": 1, "b": 2}, "j1") + comparisons({"a": 1, "b": 2}, "j2")
    assert readers_rr.read_rr([write(tmp_path, PAIRWISE, *rows)])["block"].nunique() == 2


def test_the_demo_campaign_is_what_its_generator_writes():
    text = "".join(",".join(row) + "\n" for row in demo_rr.rows())
    assert demo_rr.FILE.read_text(encoding="utf-8") == text
    frame = readers_rr.read_rr([demo_rr.FILE])
    assert sorted(set(frame["pair"])) == ["cs-en", "en-de"]
    assert frame.groupby("pair", observed=True)["block"].nunique().between(350, 450).all()
    assert frame["system"].nunique() == 9 and (frame.groupby("block").size() == 5).all()
    assert 0.005 < (~frame["ranked"]).mean() < 0.03


def test_the_files_of_wmt():
    ten = readers_rr.read_rr([real("wmt10") / "data_RNK.csv"])
    assert ten["block"].nunique() == 7692 and len(ten) == 5 * 7692
    assert int((~ten["ranked"]).sum()) == 464
    assert int((~ten.groupby("block")["ranked"].any()).sum()) == 69
    eleven = readers_rr.read_rr(sorted(real("wmt11").glob("*.csv")))
    assert eleven.attrs["excluded"] == {"slots that showed nothing": 2400}
    assert eleven["task"].nunique() == 17 and "blank" not in set(eleven["system"])
    twelve = readers_rr.read_rr(list(real("wmt12").glob("*.csv")))
    assert twelve["block"].nunique() == 12339 and "_ref" not in set(twelve["system"])


def test_the_editing_task():
    folder = real("wmt10")
    edits = readers_rr.read_edits(folder / "data_EDT.tsv")
    assert len(edits) == 7255 and set(edits["action"]) == {"EDIT", "OK", "BAD", "N/A"}
    judged = readers_rr.read_acceptability(folder / "data_ACC.csv")
    assert len(judged) == 6905 and set(judged["judgment"]) <= {"YES", "NO", "UNK"}


def test_the_editing_task_says_what_is_missing(tmp_path):
    file = write(tmp_path, "editId\tsrclang", "1\tCzech", name="data_EDT.tsv")
    with pytest.raises(DataError, match=r"a column is missing.*trglang"):
        readers_rr.read_edits(file)


def test_joined_ids_are_a_slot_for_each_system_with_one_rank(tmp_path):
    joined = ROW.replace(",1,a,", ",1,a+f,")
    other = ROW.replace(",5,e,", ",5,f,")
    frame = readers_rr.read_rr([write(tmp_path, HEADER, joined, other, ROW)])
    first = frame[frame["block"] == 0]
    assert first["system"].astype(str).tolist() == ["a", "f", "b", "c", "d", "e"]
    assert first["rank"].tolist() == [1, 1, 2, 2, -1, 5]
    assert first["position"].tolist() == [1, 2, 3, 4, 5, 6]
    assert frame.attrs["excluded"]["(kept: slots of joined ids A+B, one for each system)"] == 1
    assert pairwise.pair_counts(frame).systems == tuple("abcdef")


def test_languages_of_the_it_task_of_wmt16(tmp_path):
    codes = {
        "bg": "bul",
        "cs": "ces",
        "de": "deu",
        "es": "spa",
        "eu": "eus",
        "nl": "nld",
        "pt": "por",
    }
    rows = [ROW.replace("Czech,English", f"eng,{code}") for code in codes.values()]
    frame = readers_rr.read_rr([write(tmp_path, HEADER, *rows)])
    assert sorted(set(frame["pair"])) == [f"en-{code}" for code in codes]
