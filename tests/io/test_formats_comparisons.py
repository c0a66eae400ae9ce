"""Relative ranking as WMT released it, and votes of arenas."""

import json
from pathlib import Path

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.formats import arena, registry, relative_ranking
from rankstability.io.load import load
from real import real_data

SLOTS = [f"system{k}{what}" for k in range(1, 6) for what in ("Id", "rank")]
HEADER = ["srclang", "trglang", "srcIndex", "documentId", "judgeId", *SLOTS]
BLOCK = ["Czech", "English", "7", "d", "judge1", "A", "1", "B", "2", "C", "2", "D", "-1", "E", "5"]


def write(
    folder: Path, *blocks: list[str], header: list[str] = HEADER, name: str = "x.csv"
) -> Path:
    file = folder / name
    file.write_text("".join(",".join(each) + "\n" for each in (header, *blocks)))
    return file


def block(text: str) -> list[str]:
    return [*BLOCK[:5], *text.split()]


def test_a_block_becomes_five_rows(tmp_path: Path) -> None:
    file = write(tmp_path, BLOCK)
    assert registry.detect(file) == "relative_ranking"
    judgments = relative_ranking.read([file])["cs-en"]
    table = judgments.table
    assert table["system"].tolist() == list("ABCDE")
    assert table["rank"].tolist() == [1, 2, 2, -1, 5]
    assert table["position"].tolist() == [1, 2, 3, 4, 5]
    first = table.iloc[0]
    assert (first["block"], first["annotator"], first["segment"], first["document"]) == (
        0, "judge1", 7, "d",
    )  # fmt: skip


def test_the_header_may_be_in_upper_case(tmp_path: Path) -> None:
    file = write(tmp_path, BLOCK, header=[name.upper() for name in HEADER])
    assert registry.detect(file) == "relative_ranking"
    assert len(relative_ranking.read([file])["cs-en"].table) == 5


def test_blocks_are_numbered_over_files_and_pairs(tmp_path: Path) -> None:
    first = write(tmp_path, BLOCK, ["German", *BLOCK[1:]], name="indivsystems.csv")
    second = write(tmp_path, ["German", *BLOCK[1:4], "judge2", *BLOCK[5:]], name="combosystems.csv")
    every = relative_ranking.read([first, second])
    assert {task: each.table["block"].unique().tolist() for task, each in every.items()} == {
        "cs-en individual": [0], "de-en combination": [2], "de-en individual": [1],
    }  # fmt: skip
    assert every["de-en combination"].excluded["rows"].tolist() == [10]
    with pytest.raises(DataError) as error:
        relative_ranking.read([first, second], "fr-en")
    assert error.value.code == "unknown_pair"


def test_empty_slots_are_left_out_and_counted(tmp_path: Path) -> None:
    judgments = relative_ranking.read([write(tmp_path, block("A 1 B 2 blank -1 C 3 D 4"))])["cs-en"]
    assert judgments.table["position"].tolist() == [1, 2, 4, 5]
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["empty_slots", 1]]


def test_blocks_that_are_given_again_are_kept_and_counted(tmp_path: Path) -> None:
    judgments = relative_ranking.read([write(tmp_path, BLOCK, BLOCK)])["cs-en"]
    assert len(judgments.table) == 10
    assert judgments.notes[["code", "rows"]].to_numpy().tolist() == [["identical_blocks", 1]]


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ("A 1 B 2 A 2 D 3 E 4", "system_twice_in_block"),
        ("A 1 B 2 blank 2 D 3 E 4", "rank_of_empty_slot"),
        ("A 0 B 2 C 2 D 3 E 4", "not_a_rank"),
        ("A 6 B 2 C 2 D 3 E 4", "score_outside_scale"),
        ("A x B 2 C 2 D 3 E 4", "not_a_number"),
        ("A 1 B 2 C 2 D 3", "wrong_number_of_cells"),
    ],
)
def test_wrong_blocks_are_refused(tmp_path: Path, cells: str, code: str) -> None:
    with pytest.raises(DataError) as error:
        relative_ranking.read([write(tmp_path, BLOCK, block(cells))])
    assert (error.value.code, error.value.line) == (code, 3)


def test_an_unknown_language_is_refused_and_minus_one_is_that_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        relative_ranking.read([write(tmp_path, ["Klingon", *BLOCK[1:]])])
    assert error.value.code == "unknown_language"
    file = write(tmp_path, ["-1", "-1", *BLOCK[2:]], name="mine.en-de.csv")
    assert list(relative_ranking.read([file])) == ["en-de"]


PAIRWISE = "srclang,trglang,srcIndex,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank,rankingID"


def comparison(first: str, second: str, ranking: str = "1", judge: str = "j") -> list[str]:
    return ["cze", "eng", "7", "7", judge, first[0], first[1], second[0], second[1], ranking]


def test_comparisons_become_their_block_again(tmp_path: Path) -> None:
    whole = [comparison("A1", "B2"), comparison("A1", "C2"), comparison("B2", "C2")]
    header = PAIRWISE.split(",")
    table = relative_ranking.read([write(tmp_path, *whole, header=header)])["cs-en"].table
    assert table["system"].tolist() == ["A", "B", "C"]
    assert table["rank"].tolist() == [1, 2, 2]
    part = relative_ranking.read([write(tmp_path, *whole[:2], header=header)])["cs-en"].table
    assert part.groupby("block").size().tolist() == [2, 2]
    other = [*whole[:2], comparison("B2", "C2", judge="k")]
    apart = relative_ranking.read([write(tmp_path, *other, header=header)])["cs-en"].table
    assert apart["block"].nunique() == 3


def test_the_same_rows_in_two_files_are_refused(tmp_path: Path) -> None:
    files = [write(tmp_path, BLOCK, name="a.csv"), write(tmp_path, BLOCK, name="b.csv")]
    with pytest.raises(DataError) as error:
        relative_ranking.read(files)
    assert error.value.code == "repeated_file"


VOTES = [
    {"question_id": 1, "model_a": "A", "model_b": "B", "winner": "model_a", "judge": "x"},
    {"question_id": 1, "model_a": "B", "model_b": "C", "winner": "tie", "judge": "x"},
    {"question_id": 2, "model_a": "A", "model_b": "C", "winner": "tie (bothbad)", "judge": ""},
    {"question_id": 2, "model_a": "C", "model_b": "A", "winner": "C", "judge": "y", "anony": False},
]


def arena_file(folder: Path, votes: list[dict]) -> Path:
    (folder / "arena.jsonl").write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    return folder / "arena.jsonl"


def test_votes_of_an_arena(tmp_path: Path) -> None:
    file = arena_file(tmp_path, VOTES)
    assert registry.detect(file) == "arena"
    judgments = arena.read([file])[""]
    assert judgments.kind == "votes"
    table = judgments.table
    assert table["winner"].tolist() == ["left", "tie", "tie"]
    assert table["both_bad"].tolist() == [False, False, True]
    assert table["annotator"].isna().tolist() == [False, False, True]
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["models_known", 1]]
    notes = judgments.notes.set_index("code")["rows"].to_dict()
    assert notes == {"both_bad": 1, "no_annotator": 1}


def test_second_votes_are_counted(tmp_path: Path) -> None:
    again = {**VOTES[0], "model_a": "B", "model_b": "A"}
    judgments = arena.read([arena_file(tmp_path, [VOTES[0], again, VOTES[0]])])[""]
    notes = judgments.notes.set_index("code")["rows"].to_dict()
    assert notes == {"identical_rows": 1, "second_vote": 1}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"winner": "D"}, "unknown_word"),
        ({"model_a": ""}, "missing_name"),
        ({"anony": "perhaps"}, "unknown_word"),
    ],
)
def test_wrong_votes_are_refused(tmp_path: Path, change: dict, code: str) -> None:
    with pytest.raises(DataError) as error:
        arena.read([arena_file(tmp_path, [VOTES[0], {**VOTES[1], **change}])])
    assert (error.value.code, error.value.line) == (code, 2)


def test_votes_on_a_model_against_itself_are_left_out(tmp_path: Path) -> None:
    votes = [VOTES[0], VOTES[1], {**VOTES[1], "model_b": VOTES[1]["model_a"], "winner": "tie"}]
    found = arena.read([arena_file(tmp_path, votes)])[""]
    assert len(found.table) == 2
    assert found.excluded.set_index("code")["rows"].to_dict() == {"with_itself": 1}
    with pytest.raises(DataError) as error:
        arena.read([arena_file(tmp_path, votes[2:])])
    assert error.value.code == "model_against_itself"


def test_votes_for_left_and_right(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("left,right,winner,worker,prompt\nA,B,left,x,p\nA,C,right,y,p\n")
    table = arena.read([file])[""].table
    assert table["winner"].tolist() == ["left", "right"]
    assert table["question"].tolist() == ["p", "p"]


def test_llmfao_has_the_golden_counts() -> None:
    """Wins and half the ties are the scores `counting` of evalica's tests."""
    folder = real_data("llmfao")
    table = load("llmfao").table
    won = table[table["winner"] != "tie"]
    winner = won["left"].astype(str).where(won["winner"] == "left", won["right"].astype(str))
    tied = table[table["winner"] == "tie"]
    ties = pd.concat([tied["left"].astype(str), tied["right"].astype(str)]).value_counts() / 2
    counting = winner.value_counts().add(ties, fill_value=0)
    golden = pd.read_csv(folder / "official" / "llmfao-golden.csv")
    golden = golden[golden["algorithm"] == "counting"].set_index("item")["score"]
    assert (counting.reindex(golden.index, fill_value=0) == golden).all()
