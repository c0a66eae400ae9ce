"""Relative ranking files, real and broken: blocks, comparisons, battles."""

import gzip
from itertools import combinations
from pathlib import Path

import demo_rr
import numpy as np
import pandas as pd
import pytest

from assessments import json_lines
from conftest import real
from companion.legacy.rankcampaigns import campaigns, settings, tables
from companion.legacy.rankcampaigns import rr as readers_rr
from companion.legacy.rankcompanion.notebooks.relative_ranking import agreement
from companion.legacy.rankcompanion.running import commands
from companion.legacy.rankstability import load
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import blocks
from companion.legacy.rankstability.rank import bradley_terry, resampling
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.score import pairwise
from companion.legacy.rankstability.score.pairwise import pair_counts

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


@pytest.mark.parametrize(("slot", "first"), [(2, 1), (4, 1), (5, 3)])
def test_a_system_twice_in_a_block_is_refused_where_it_stands_again(tmp_path, slot, first):
    cells = ROW.split(",")
    names = HEADER.split(",")
    again, before = (next(k for k, name in enumerate(names) if name.lower() == f"system{n}id")
                     for n in (slot, first))  # fmt: skip
    cells[again] = cells[before]
    wrong = f"line 3, column '{names[again]}': a system appears twice in one block"
    with pytest.raises(DataError, match=wrong) as error:
        readers_rr.read_rr([write(tmp_path, HEADER, ROW, ",".join(cells))])
    assert (error.value.value, error.value.expected) == (cells[before], "each system once")


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


def test_one_unknown_language_leaves_the_pair_to_the_settings(tmp_path):
    header = "srclang,trglang,srcIndex,judgeID,system1Id,system2Id,system1rank,system2rank"
    file = write(tmp_path, header, "-1,German,1,j,a,b,1,2")
    assert set(readers_rr.read_rr([file], "", {"pair": "en-de"})["pair"]) == {"en-de"}


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


def test_the_same_ranking_id_of_another_judge_is_another_block(tmp_path):
    rows = comparisons({"a": 1, "b": 2}, "j1") + comparisons({"a": 1, "b": 2}, "j2")
    assert readers_rr.read_rr([write(tmp_path, PAIRWISE, *rows)])["block"].nunique() == 2


def test_the_demo_campaign_is_what_its_generator_writes():
    text = "".join(",".join(row) + "\n" for row in demo_rr.rows())
    assert demo_rr.FILE.read_text(encoding="utf-8") == text


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
    codes = ["bul", "ces", "deu", "spa", "eus", "nld", "por"]
    rows = [ROW.replace("Czech,English", f"eng,{code}") for code in codes]
    frame = readers_rr.read_rr([write(tmp_path, HEADER, *rows)])
    two = ["bg", "cs", "de", "es", "eu", "nl", "pt"]
    assert sorted(set(frame["pair"])) == [f"en-{code}" for code in two]


# ------------------------------------------------------------------ battles


def battle(k, a, b, winner, **more):
    return {
        "question_id": f"q{k}", "model_a": a, "model_b": b, "winner": winner, "judge": f"u{k % 2}",
        "turn": 1, "anony": True, "language": "English", "tstamp": 1.0,
    } | more  # fmt: skip


BATTLES = [
    battle(0, "A", "B", "model_a"), battle(1, "B", "A", "model_b"), battle(2, "B", "C", "tie"),
    battle(3, "A", "C", "tie (bothbad)"), battle(4, "C", "A", "both_bad"),
    battle(5, "C", "B", "model_a", anony=False),
]  # fmt: skip


def test_battles_are_blocks_of_two(tmp_path):
    campaign = campaigns.find(json_lines(tmp_path / "arena.jsonl", BATTLES))
    assert (campaign.protocol, campaign.format, campaign.pairs) == ("RR", "battles", ("xx-yy",))
    frame = load(campaign)
    assert frame.attrs["excluded"] == {
        "battles of known models (left out)": 1, "(kept as ties: both bad)": 2,
    }  # fmt: skip
    counts = pair_counts(frame)
    systems = list(counts.systems)
    wins = np.asarray(counts.wins)
    assert systems == ["A", "B", "C"] and wins[0, 1] == 2 and wins.sum() == 2
    assert np.asarray(counts.ties)[0, 2] == 2 and len(blocks(frame).codes) == 5
    assert sorted(set(frame.judge)) == ["u0", "u1"]


def test_votes_for_left_and_right_are_battles(tmp_path):
    """The table of LLMFAO: the names of the two, and a winner of these words."""
    wins = enumerate(("left", "left", "tie", "right"))
    rows = ["id,prompt,model_x,model_y,worker,winner,left,right"]
    rows += [f"{k},p{k % 2},1,2,w{k},{w},A,B" for k, w in wins]
    file = tmp_path / "crowd.csv"
    file.write_text("\n".join(rows))
    assert campaigns.find(file).format == "battles"
    frame = load(file)
    counts = pair_counts(frame)
    assert counts.wins.tolist() == [[0, 2], [1, 0]] and counts.ties[0, 1] == 1
    assert frame["judge"].nunique() == 4 and frame["segment"].nunique() == 2
    file.write_text("model_a,model_b,winner,left\nA,B,model_a,x\n")  # a column of another kind
    assert pair_counts(load(file)).wins.tolist() == [[0, 1], [0, 0]]
    file.write_text("\n".join([*rows, "9,p,1,2,w,model_a,A,B"]))
    wrong = r"line 6, column 'winner': unknown winner.*left, right, tie"
    with pytest.raises(DataError, match=wrong):
        load(file)
    file.write_text("\n".join([*rows, "9,p,1,2,w,left,A,A"]))
    with pytest.raises(DataError, match="line 6, column 'right': a model against itself"):
        load(file)


OWN = "Model 1,Model 2,Preferred,Rater"
VOTES = ["A,B,A,u", "B,A,A,v", "A,C,tie,u", "C,B,B,v", "A,C,left,u", "B,C,Model 1,v"]


def test_battles_in_columns_of_ones_own(tmp_path, capsys):
    """The winner by the name of a system, of a column, or as left and right."""
    file = tmp_path / "votes.csv"
    file.write_text("\n".join([OWN, *VOTES]))
    with pytest.raises(DataError, match=r"columns: \{left: Model 1, right: Model 2, winner: Pref"):
        campaigns.find(file)
    columns = "{left: Model 1, right: Model 2, winner: Preferred, judge: Rater}"
    (tmp_path / "campaign.yaml").write_text(f"columns: {columns}\n")
    campaign = campaigns.find(file)
    assert campaign.format == "battles"
    frame = campaigns.load(campaign)
    counts = pair_counts(frame)
    assert counts.wins.tolist() == [[0, 2, 1], [0, 0, 2], [0, 0, 0]]
    assert counts.ties[0, 2] == 1 and set(frame["judge"]) == {"u", "v"}
    assert "column winner: Preferred" in " ".join(
        f"{row.what}: {row.value}" for row in campaign.reading.itertuples()
    )
    (tmp_path / "campaign.yaml").unlink()
    told = 'columns="left=Model 1,right=Model 2,winner=Preferred,judge=Rater"'.replace('"', "")
    few = [told, "--quiet", f"output_dir={tmp_path / 'out'}"]
    assert commands.main(["verdict", str(file), *few]) == 0
    assert "read: column left: Model 1 (by the command line)" in capsys.readouterr().err


def test_settings_of_battles_that_a_refusal_offers_to_write_are_written(tmp_path):
    (tmp_path / "votes.csv").write_text("\n".join([OWN, *VOTES]))
    with pytest.raises(DataError, match=r"PATH --write-settings` writes it\):\ncolumns: {left: "):
        campaigns.find(tmp_path / "votes.csv")
    written = settings.write_settings(tmp_path / "votes.csv", {}).read_text()
    assert written.startswith("columns: {left: Model 1, right: Model 2, winner: Preferred, judge: ")
    assert campaigns.find(tmp_path).format == "battles"


def test_the_lines_for_winners_that_are_numbers_run(tmp_path, monkeypatch):
    rows = [f"{a},{b},{k % 3},u{k}" for k, (a, b) in enumerate([("A", "B"), ("B", "C")] * 6)]
    (tmp_path / "votes.csv").write_text("\n".join(["m1,m2,outcome,rater", *rows]))
    (tmp_path / "campaign.yaml").write_text("columns: {left: m1, right: m2, winner: outcome}\n")
    with pytest.raises(DataError, match=r"unknown winner; found '[0-2]'") as error:
        campaigns.load(tmp_path / "votes.csv")
    said = str(error.value.expected).partition(":\n")[2]
    lines = [line.strip() for line in said.splitlines() if line.startswith("  ")]
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec("\n".join(lines), names)
    counts = pair_counts(names["judgments"])
    assert counts.wins.sum() == 8 and counts.ties.sum() == 8  # each tie in both directions


def test_a_winner_who_did_not_take_part_is_refused(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("\n".join([OWN, *VOTES, "A,B,C,u"]))
    (tmp_path / "campaign.yaml").write_text(
        "columns: {left: Model 1, right: Model 2, winner: Preferred}\n"
    )
    wrong = r"line 8, column 'Preferred': unknown winner; found 'C'.*the name of one of the two"
    with pytest.raises(DataError, match=wrong):
        load(file)
    (tmp_path / "campaign.yaml").write_text("columns: {left: Model 1, winner: Prefered}\n")
    with pytest.raises(DataError, match="no such column for winner; found 'Prefered'"):
        load(file)
    (tmp_path / "campaign.yaml").write_text("columns: {left: Model 1, winner: Preferred}\n")
    with pytest.raises(DataError, match=r'a column is missing.*columns="right=<your column>"'):
        load(file)


def anonymous(rows, *which):
    """Battles of which these (by number; none given: all) name no judge."""
    which = which or range(len(rows))
    return [
        {k: v for k, v in row.items() if i not in which or k != "judge"}
        for i, row in enumerate(rows)
    ]


@pytest.mark.parametrize("empty", ["", "NA", None])
def test_a_battle_without_a_judge_has_none_and_is_counted(tmp_path, empty):
    part = [BATTLES[0] | {"judge": empty}, *BATTLES[1:3]]
    for name, some, judges in (
        ("none", anonymous(BATTLES[:3]), ["", "", ""]),
        ("part", part, ["", "u1", "u0"]),
    ):
        frame = load(json_lines(tmp_path / f"{name}.jsonl", some))
        assert frame.groupby("block")["judge"].first().tolist() == judges
        assert frame.attrs["excluded"]["(kept: no judge is named)"] == judges.count("")


def test_judges_who_are_not_all_named_are_no_unit_and_make_no_pair_of_agreement(tmp_path):
    rows = [battle(k, "A", "B", "model_a", judge=f"u{k % 9}", question_id="q") for k in range(18)]
    every = resampling.units(load(json_lines(tmp_path / "all.jsonl", rows)))
    assert resampling.default_unit(every) == "judge"
    for some in (anonymous(rows), anonymous(rows, 4)):
        frame = load(json_lines(tmp_path / "some.jsonl", some))
        data, left_out = resampling.units(frame), sum("judge" not in row for row in some)
        assert resampling.default_unit(data) == "block" and (data.judges < 0).sum() == left_out
        named = 18 - left_out
        assert len(agreement.annotate(frame).left) == named * (named - 1) / 2
        for ask in (
            lambda data=data: data.owner("judge"),
            lambda data=data: bradley_terry.judge_influence(data, "judge"),
            lambda frame=frame: places.battles(frame, "judge"),
        ):
            with pytest.raises(DataError, match=f"name no judge; found '?{left_out} of 18"):
                ask()


@pytest.mark.parametrize("known", [False, 0, 0.0, "no", "False", "f", "N"])
def test_battles_of_known_models_are_left_out_however_it_is_written(tmp_path, known):
    hidden = (True, 1, "yes", "TRUE", None, "", "NA")
    rows = [battle(k, "A", "B", "tie", anony=value) for k, value in enumerate(hidden)]
    rows.append(battle(9, "A", "B", "tie", anony=known))
    frame = load(json_lines(tmp_path / "arena.jsonl", rows))
    assert frame.attrs["excluded"] == {"battles of known models (left out)": 1}
    assert frame["block"].nunique() == len(hidden)


def test_battles_of_known_models_alone_are_refused(tmp_path):
    rows = [battle(k, "A", "B", "tie", anony=False) for k in range(3)]
    with pytest.raises(DataError, match=r"arena\.jsonl: no battles that count; found .*out\): 3"):
        load(json_lines(tmp_path / "arena.jsonl", rows))


def test_battles_of_several_pairs_are_a_task_each_and_share_no_block(tmp_path):
    for pair, rows in (("cs-en", BATTLES[:3]), ("de-en", BATTLES[:2]), ("en-cs", BATTLES[1:4])):
        json_lines(tmp_path / f"arena.{pair}.jsonl", rows)
    frame = load(campaigns.find(tmp_path))
    assert frame.attrs["excluded"] == {"(kept as ties: both bad)": 1}
    sizes = frame.groupby("task")["block"].nunique()
    assert sizes.tolist() == [3, 2, 3] and frame["block"].nunique() == 8
    assert (frame.groupby("block").size() == 2).all()
    assert frame.index.tolist() == list(range(16))
    assert frame["block"].drop_duplicates().tolist() == list(range(8))


def test_judges_whom_the_first_battles_do_not_name_are_known(tmp_path):
    rows = [*anonymous(BATTLES[:2]), *BATTLES[2:5]]
    frame = load(json_lines(tmp_path / "arena.jsonl", rows))
    assert set(frame["judge"]) == {"", "u0", "u1"}


@pytest.mark.parametrize("gone", ["model_a", "model_b", "winner"])
def test_battles_without_a_column_are_refused_by_its_name(tmp_path, gone):
    names = [name for name in ("question_id", "model_a", "model_b", "winner") if name != gone]
    file = tmp_path / "mine.csv"
    file.write_text(f"{','.join(names)}\n{','.join('qAB'[: len(names)])}\n")
    with pytest.raises(DataError, match=f"a column is missing.*a header with '{gone}'"):
        readers_rr.read_battles([file], "xx-yy", {})


def test_edits_and_judgments_of_edits_have_the_columns_they_name(tmp_path):
    header = "srclang\ttrglang\teditId\tsrcIndex\teditorId\tsystem1Id\tsystem1actionStr"
    row = "Czech\tEnglish\te1\t7\ted\tA\tEDIT"
    edits = readers_rr.read_edits(write(tmp_path, header, row, name="data_EDT.tsv"))
    assert edits.to_dict("list") == {
        "pair": ["cs-en"], "edit": ["e1"], "segment": ["7"], "editor": ["ed"], "system": ["A"],
        "action": ["EDIT"],
    }  # fmt: skip
    header = "srclang,trglang,editId,judgeId,systemId,judgment"
    file = write(tmp_path, header, "English,German,e1,j,A,YES", name="data_ACC.csv")
    assert readers_rr.read_acceptability(file).iloc[0].tolist() == ["en-de", "e1", "j", "A", "YES"]
    wrong = write(tmp_path, header, "English,Klingon,e1,j,A,YES", name="data_ACC.csv")
    with pytest.raises(DataError, match="line 2, column 'trglang': unknown language; found 'Kl"):
        readers_rr.read_acceptability(wrong)


@pytest.mark.parametrize(
    ("cell", "value", "wrong"),
    [("system2rank", "6", "out of range.*-1, or 1 to 5"), ("system2rank", "0", "-1, or 1 to 5"),
     ("system2rank", "1.5", "not an integer"), ("system2rank", "-2", "-1, or 1 to 5"),
     ("srcIndex", "-1", "out of range"), ("judgeId", "", "empty id")],
)  # fmt: skip
def test_cells_of_rankings_that_are_wrong_are_refused_where_they_stand(
    tmp_path, cell, value, wrong
):
    header, row = HEADER.split(","), ROW.split(",")
    row[[name.lower() for name in header].index(cell.lower())] = value
    with pytest.raises(DataError, match=wrong) as error:
        readers_rr.read_rr([write(tmp_path, HEADER, ROW, ",".join(row))])
    assert error.value.line == 3 and error.value.column.lower() == cell.lower()


def test_more_than_five_slots_have_as_many_ranks(tmp_path):
    names = ["srclang", "trglang", "srcIndex", "judgeId"]
    names += [f"system{k}{what}" for k in range(1, 7) for what in ("Id", "rank")]
    row = ["cs", "en", "0", "j", *(cell for k in range(1, 7) for cell in (f"s{k}", str(k)))]
    frame = readers_rr.read_rr([write(tmp_path, ",".join(names), ",".join(row))])
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5, 6] and set(frame["segment"]) == {0}
    row[-1] = "7"
    with pytest.raises(DataError, match=r"line 2, column 'system6rank': .*-1, or 1 to 6"):
        readers_rr.read_rr([write(tmp_path, ",".join(names), ",".join(row))])
    short = write(tmp_path, ",".join(names[:6]), ",".join(row[:6]))
    with pytest.raises(DataError, match=r"a column is missing.*a header with 'system2id'"):
        readers_rr.read_rr([short])


def test_segments_are_named_only_if_not_one_is_a_number_and_numbered_over_files(tmp_path):
    rows = [ROW.replace(",7,doc,7,", f",{name},doc,{name},") for name in ("s2", "s1", "s2")]
    rows[2] = rows[2].replace("judge1", "judge2")
    frame = readers_rr.read_rr([write(tmp_path, HEADER, *rows)])
    assert frame.groupby("block")["segment"].first().tolist() == [1, 2, 1]
    rows[1] = ROW.replace("judge1", "judge3")
    with pytest.raises(DataError, match="line 2, column 'srcIndex': not an integer; found 's2'"):
        readers_rr.read_rr([write(tmp_path, HEADER, *rows)])


def test_blocks_that_are_given_again_are_kept_and_counted(tmp_path):
    other = ROW.replace("judge1", "judge2")
    a = write(tmp_path, HEADER, ROW, other, ROW, name="a.csv")
    frame = readers_rr.read_rr([a])
    assert frame["block"].nunique() == 3
    assert frame.attrs["excluded"]["identical rows (kept)"] == 1
    b = write(tmp_path, HEADER, ROW, ROW.replace("judge1", "judge3"), name="b.csv")
    frame = readers_rr.read_rr([write(tmp_path, HEADER, ROW, other, name="a.csv"), b])
    assert frame.attrs["excluded"]["identical rows (kept)"] == 1
    assert "identical rows (kept)" not in readers_rr.read_rr([b]).attrs["excluded"]


def test_a_system_that_is_again_in_its_block_by_a_joined_id_counts_once(tmp_path):
    joined = ROW.replace(",1,a,", ",1,a+b,")
    other = ROW.replace("judge1", "judge2")
    frame = readers_rr.read_rr([write(tmp_path, HEADER, joined, other)])
    frame = frame[frame["judge"] == "judge1"]
    assert frame["system"].tolist() == ["a", "b", "c", "d", "e"]
    assert frame["position"].tolist() == [1, 2, 3, 4, 5] and frame["rank"].tolist()[:2] == [1, 1]
    assert frame.attrs["excluded"]["a system again in its block"] == 1
    more = [ROW.replace(",1,a,", ",1,a+f,"), other.replace(",5,e,", ",5,f,")]
    fine = readers_rr.read_rr([write(tmp_path, HEADER, *more)])
    assert "a system again in its block" not in fine.attrs["excluded"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [({}, ["u", "v"]), ({"columns": {"left": "x", "right": "y", "winner": "z", "judge": "q",
                                     "question": "p"}}, ["u", "v"])],
)  # fmt: skip
def test_votes_are_one_for_the_left_and_a_half_for_a_tie(tmp_path, settings, named):
    own = dict(zip(("model_a", "model_b", "winner", "judge", "question_id"), "xyzqp", strict=True))
    header = ["model_a", "model_b", "winner", "judge", "question_id"]
    header = [own[name] for name in header] if settings else header
    rows = ["A,B,model_a,u,1", "B,A,model_b,v,1", "A,C,tie,u,2"]
    file = write(tmp_path, ",".join(header), *rows, name="votes.csv")
    votes = readers_rr.read_votes([file], "xx-yy", settings)
    assert votes.to_dict("list") == {
        "judge": ["u", "v", "u"], "question": ["1", "1", "2"], "left": ["A", "B", "A"],
        "right": ["B", "A", "C"], "vote": [1.0, 0.0, 0.5],
    }  # fmt: skip
    nameless = [row.rpartition(",")[0] for row in (",".join(header), *rows)]
    file = write(tmp_path, *nameless, name="votes.csv")
    columns = {k: v for k, v in settings.get("columns", {}).items() if k != "question"}
    with pytest.raises(DataError, match="battles that name no question") as error:
        readers_rr.read_votes([file], "xx-yy", {"columns": columns} if columns else {})
    assert error.value.expected == "a column question_id or prompt"


def test_battles_of_a_category_have_a_domain_and_others_an_empty_one(tmp_path):
    some = [row | {"category": "code"} for row in BATTLES[:2]]
    json_lines(tmp_path / "a.jsonl", some)
    json_lines(tmp_path / "b.jsonl", BATTLES[2:4])
    frame = load(tmp_path)
    assert frame.groupby("block")["domain"].first().tolist() == ["code", "code", "", ""]
    assert "domain" not in load(json_lines(tmp_path / "c.jsonl", BATTLES[:2]))


def test_battles_given_again_and_second_votes_are_counted_apart(tmp_path):
    first = battle(0, "A", "B", "model_a")
    rows = [first, first, first | {"tstamp": 2.0}, first | {"winner": "tie"}, BATTLES[2]]
    counts = load(json_lines(tmp_path / "a.jsonl", rows)).attrs["excluded"]
    assert counts["identical rows (kept)"] == 1
    assert counts[readers_rr.SECOND_VOTE] == 2
    nameless = [{k: v for k, v in row.items() if k != "question_id"} for row in rows]
    frame = load(json_lines(tmp_path / "b.jsonl", nameless))
    assert frame["block"].nunique() == 5 and readers_rr.SECOND_VOTE not in frame.attrs["excluded"]


def test_whether_models_were_known_is_true_or_false(tmp_path):
    rows = [*BATTLES[:2], BATTLES[2] | {"anony": "perhaps"}]
    with pytest.raises(DataError, match="line 3, column 'anony': neither true nor false") as error:
        load(json_lines(tmp_path / "a.jsonl", rows))
    assert (error.value.value, error.value.expected) == ("perhaps", "true, false or empty")


def test_names_in_battles_that_look_the_same_are_refused_where_they_stand(tmp_path):
    rows = [*BATTLES[:3], battle(9, "A", "\u0410", "tie")]  # a Cyrillic letter
    with pytest.raises(DataError, match=r"a\.jsonl, line 4, column 'system'"):
        load(json_lines(tmp_path / "a.jsonl", rows))
    rows = [battle(0, "A", "B", "tie", judge="a"), battle(1, "A", "B", "tie", judge="\u0430")]
    with pytest.raises(DataError, match="line 2, column 'judge'"):
        load(json_lines(tmp_path / "a.jsonl", rows))


def test_how_columns_of_battles_were_understood_says_who_said_so():
    columns = {"columns": {"left": "x", "winner": "z"}}
    rows = readers_rr.reading(columns).to_numpy().tolist()
    assert rows == [["all", "column left", "x", "campaign.yaml"],
                    ["all", "column winner", "z", "campaign.yaml"]]  # fmt: skip
    told = readers_rr.reading(columns | {"told by": "the command line"})
    assert set(told["said by"]) == {"the command line"}
    assert readers_rr.reading({}).empty and list(readers_rr.reading({})) == readers_rr.READ


def test_a_winner_may_be_the_name_of_a_system_or_a_word_for_a_side(tmp_path):
    words = ("A", "B", "left", "model_b", "m2", "tie", "right", "model_a")
    rows = ["m1,m2,best", *(f"A,B,{word}" for word in words)]
    settings = {"columns": {"left": "m1", "right": "m2", "winner": "best"}}
    frame = readers_rr.read_battles([write(tmp_path, *rows, name="v.csv")], "xx-yy", settings)
    assert frame["rank"].tolist() == [1, 2, 2, 1, 1, 2, 2, 1, 2, 1, 1, 1, 2, 1, 1, 2]
    assert frame["system"].astype(str).tolist() == [*"AB"] * 8
    assert set(frame["segment"]) and frame["ranked"].all()
    usual = ["model_a,model_b,winner", "A,B,left"]
    with pytest.raises(DataError, match="line 2, column 'winner': unknown winner") as error:
        readers_rr.read_battles([write(tmp_path, *usual, name="v.csv")], "xx-yy", {})
    assert error.value.expected.startswith("one of model_a, model_b, tie")


@pytest.mark.parametrize("judge", ["", ",judge"])
@pytest.mark.parametrize("question", ["", ",question_id"])
def test_a_battle_that_stands_twice_is_counted_once_more(tmp_path, judge, question):
    end = ",u" * bool(judge) + ",q" * bool(question)
    rows = [f"model_a,model_b,winner{judge}{question}", *[f"A,B,model_a{end}"] * 3, f"B,A,tie{end}"]
    frame = readers_rr.read_battles([write(tmp_path, *rows, name="v.csv")], "xx-yy", {})
    counts = frame.attrs["excluded"]
    assert frame["block"].nunique() == 4
    assert counts.get("(kept: no judge is named)", 0) == (0 if judge else 4)
    assert counts.get("identical rows (kept)", 0) == (2 if question else 0)


def test_names_of_columns_of_battles_are_those_of_arenas_of_sides_or_of_the_settings():
    arena = ["model_a", "model_b", "winner", "judge"]
    found = {"system1": "model_a", "system2": "model_b", "judge": "judge", "winner": "winner"}
    assert readers_rr._named(arena, {}) == found == readers_rr._named([*arena, "left"], {})
    sides = ["left", "right", "winner", "worker", "prompt"]
    assert readers_rr._named(sides, {}) == {
        "system1": "left", "system2": "right", "judge": "worker", "question": "prompt",
        "winner": "winner",
    }  # fmt: skip
    mapped = readers_rr._named([*arena, "who"], {"judge": "who"})
    assert mapped == found | {"judge": "who"}
    for header, mapping, words in (
        (arena, {"score": "x"}, "not a column of battles; found 'score'"),
        (arena, {"judge": "x"}, "no such column for judge; found 'x'"),
        (arena[1:], {}, r"a column is missing.*a header with 'model_a', or columns=\"left=<your"),
        (sides[:2], {}, r"a column is missing.*a header with 'winner', or columns=\"winner=<your"),
    ):
        with pytest.raises(DataError, match=words):
            readers_rr._named(header, mapping)
    with pytest.raises(DataError, match="a column is missing") as error:
        readers_rr._named(["x" * 99], {})
    assert error.value.value == "x" * 80
    with pytest.raises(DataError, match="a column is missing") as error:
        readers_rr._columns(
            tables.table(Path("x.csv"), pd.DataFrame({"y" * 99: ["1"]}), [2]), ["a"]
        )
    assert (error.value.line, error.value.value) == (1, "y" * 80)


def test_a_model_against_itself_is_refused_where_it_stands_though_others_are_left_out(tmp_path):
    rows = [battle(0, "A", "B", "tie", anony=False), battle(1, "A", "B", "tie"),
            battle(2, "B", "B", "tie"), battle(3, "A", "A", "tie")]  # fmt: skip
    with pytest.raises(DataError, match="a model against itself") as error:
        load(json_lines(tmp_path / "a.jsonl", rows))
    assert (error.value.line, error.value.column, error.value.value) == (3, "model_b", "B")


def test_whole_files_of_battles_have_blocks_questions_and_lines_of_their_own(tmp_path):
    rows = ["model_a,model_b,winner,question_id,judge", "A,B,model_a,q1,u", "B,C,tie,q2,v"]
    a = write(tmp_path, *rows, name="a.csv")
    b = write(tmp_path, rows[0], "A,B,model_a,q1,u", "A,C,tie,q2,v", name="b.csv")
    frame = readers_rr.read_battles([a, b], "xx-yy", {})
    assert frame["block"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert frame["segment"].nunique() == 2 and frame.attrs["excluded"] == {
        "identical rows (kept)": 1
    }
    with pytest.raises(DataError, match="the same rows in two files"):
        write(tmp_path, *rows[:2], name="b.csv")
        readers_rr.read_battles([a, b], "xx-yy", {})
    with pytest.raises(DataError, match="no rows; expected rows below the header"):
        readers_rr.read_battles([write(tmp_path, rows[0], name="c.csv")], "xx-yy", {})


@pytest.mark.parametrize(
    ("name", "track"),
    [("x.csv", ""), ("x-combosystems.csv", "combination"), ("tunable.csv", "tunable")],
)
def test_a_track_is_part_of_the_task(tmp_path, name, track):
    frame = readers_rr.read_rr([write(tmp_path, HEADER, ROW, name=name)])
    assert set(frame["track"]) == {track} and set(frame["task"]) == {f"cs-en {track}".strip()}


def test_blocks_of_two_files_are_numbered_on_after_comparisons_and_empty_slots(tmp_path):
    pairs = comparisons({"a": 1, "b": 3, "c": 3}) + comparisons({"a": 1, "b": 2}, "j2")
    first = write(tmp_path, PAIRWISE, *pairs, name="a.csv")
    blank = "Czech,English,7,doc,7,j,1,a,2,b,3,c,0,blank,0,blank,2,1,3,-1,-1"
    second = write(tmp_path, HEADER, blank, blank.replace(",j,", ",k,"), name="b.csv")
    frame = readers_rr.read_rr([first, second])
    assert frame.groupby("block").size().tolist() == [3, 2, 3, 3]
    assert frame["position"].tolist() == [1, 2, 3, 1, 2, 1, 2, 3, 1, 2, 3]
    assert frame.attrs["excluded"] == {"slots that showed nothing": 4}
    assert frame["document"].astype(str).tolist() == [""] * 5 + ["doc"] * 6


def test_a_name_that_looks_like_another_is_refused_in_rankings_too(tmp_path):
    other = ROW.replace(",1,a,", ",1,\u0430,").replace("judge1", "judge2")
    with pytest.raises(DataError, match="looks the same") as error:
        readers_rr.read_rr([write(tmp_path, HEADER, ROW, other)])
    assert error.value.line == 3
    blanks = ROW.replace(",1,a,", ",1,a ,").replace("judge1", "judge2")
    counts = readers_rr.read_rr([write(tmp_path, HEADER, ROW, blanks)]).attrs["excluded"]
    assert counts["(kept: blanks around names taken away)"] == 1
    with pytest.raises(
        DataError, match="line 2, column 'srclang': unknown language; found 'Klingon'"
    ):
        readers_rr.read_rr([write(tmp_path, HEADER, ROW.replace("Czech", "Klingon"))])


@pytest.mark.parametrize("place", [0, 1, 3])
def test_an_empty_name_in_battles_is_refused_unless_it_is_a_judge(tmp_path, place):
    rows = [["A", "B", "model_a", "q1", "u"], ["A", "C", "tie", "q2", "u"]]
    rows[1][place] = ""
    names = "model_a,model_b,winner,question_id,judge"
    file = write(tmp_path, names, *map(",".join, rows), name="v.csv")
    column = names.split(",")[place]
    with pytest.raises(DataError, match=f"line 3, column '{column}': empty id"):
        readers_rr.read_battles([file], "xx-yy", {})
    without = write(tmp_path, "a,b,winner", "A,B,tie", name="w.csv")
    with pytest.raises(DataError, match="a column is missing") as error:
        readers_rr.read_battles([without], "xx-yy", {})
    assert error.value.line == 1
