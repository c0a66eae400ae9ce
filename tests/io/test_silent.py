"""Nothing is misread silently: inputs of which an earlier version gave a wrong result unasked."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

from rankstability import cli
from rankstability.errors import DataError
from rankstability.inference.rank import rank_systems
from rankstability.io.read import battles, judgments, read
from rankstability.io.results import table_bytes
from rankstability.judgments import Judgments

SYSTEMS = ("Alder", "Birch", "Cedar", "Dogwood")


def ratings() -> pd.DataFrame:
    """Return ratings of four systems on twenty items by four people."""
    rows = [
        (system, f"item{item}", f"user{user}", 40 + (3 * k + 5 * item + 7 * user + k * item) % 41)
        for k, system in enumerate(SYSTEMS)
        for item in range(20)
        for user in range(4)
    ]
    return pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])


def votes() -> pd.DataFrame:
    """Return comparisons of all pairs of four systems by five people."""
    winners = ("left", "right", "tie")
    rows = [
        (a, b, winners[(k + 2 * m + 3 * user) % 3], f"user{user}", f"prompt{k}{m}")
        for user in range(5)
        for k, a in enumerate(SYSTEMS)
        for m, b in enumerate(SYSTEMS)
        if a != b
    ]
    return pd.DataFrame(rows, columns=["left", "right", "winner", "annotator", "question"])


def notes(found: Judgments, code: str) -> pd.DataFrame:
    """Return the notes of a code."""
    return found.notes[found.notes["code"] == code]


def refused(function: Any, *arguments: Any, **words: Any) -> DataError:
    """Return the refusal."""
    with pytest.raises(DataError) as error:
        function(*arguments, **words)
    return error.value


# ------------------------------------------------------------------ direction, criteria, ties


@pytest.mark.parametrize(
    "name",
    ["rank", "Ranking", "WER", "wer_mean", "TER", "CER", "error rate", "errors", "penalty", "loss",
     "edits", "edit distance", "score (1 = best)", "perplexity", "num_errors", "mean rank", "meanRank", "wordErrorRate"],
)  # fmt: skip
def test_a_name_that_suggests_lower_is_better_must_be_declared(name: str) -> None:
    frame = ratings().rename(columns={"score": name})
    assert refused(judgments, frame, score=name).code == "direction"
    assert judgments(frame, score=name, lower_is_better=True).lower_is_better
    assert not judgments(frame, score=name, higher_is_better=True).lower_is_better


@pytest.mark.parametrize("name", ["score", "frankness", "interest", "answer", "letter", "better"])
def test_other_names_need_no_direction(name: str) -> None:
    assert judgments(ratings().rename(columns={"score": name}), score=name).n_systems == 4


def test_lower_scores_stay_as_they_are_given() -> None:
    frame = ratings().rename(columns={"score": "wer"})
    found = judgments(frame, score="wer", lower_is_better=True)
    means = found.table.groupby("system", observed=True)["score"].mean()
    assert means.to_dict() == frame.groupby("system")["wer"].mean().to_dict()


def test_a_criterion_is_never_averaged_unasked() -> None:
    both = pd.concat([ratings().assign(aspect="a"), ratings().assign(aspect="b", score=1.0)])
    assert refused(judgments, both).code == "undeclared_column"
    assert refused(judgments, both, criterion="aspect").code == "several_criteria"
    assert set(judgments(both, criterion="aspect", each="criterion")) == {"a", "b"}
    assert judgments(both, criterion="aspect", where={"aspect": "a"}).n_judgments == 320


def test_a_flag_of_ties_is_never_ignored(tmp_path: Path) -> None:
    frame = votes().assign(is_tie=["true", "false"] * 30)
    assert refused(battles, frame).code == "flag_of_ties"
    path = tmp_path / "arena.csv"
    frame.rename(columns={"left": "model_a", "right": "model_b"}).to_csv(path, index=False)
    assert refused(read, path).code == "flag_of_ties"
    assert (read(path, tie="is_tie").table["winner"] == "tie").sum() >= 30


def test_winner_and_loser_are_no_sides_on_a_screen() -> None:
    frame = pd.DataFrame({"winner": ["A", "B", "C"] * 5, "loser": ["B", "C", "A"] * 5})
    assert refused(judgments, frame).code == "missing_role"
    found = battles(frame, loser="loser")
    assert found.systems == ["A", "B", "C"]
    assert not found.order_known


# ------------------------------------------------------------------ the table of silent results


def test_another_scale_within_the_scale_is_noted_with_its_range() -> None:
    for role, name in (("system", "Cedar"), ("annotator", "user2"), ("document", "d3")):
        frame = ratings().assign(document=lambda t: "d" + t["segment"].str[-1])
        rows = frame[role] == name
        frame["score"] = frame["score"].astype(float)
        frame.loc[rows, "score"] /= 10
        found = notes(judgments(frame), "other_scale")
        assert found["detail"].str.startswith(f"{role} {name}: ").tolist() == [True]
        assert found["rows"].tolist() == [rows.sum()]
    assert notes(judgments(ratings()), "other_scale").empty


@pytest.mark.parametrize(
    ("column", "name"),
    [("system", "Average"), ("annotator", "average"), ("segment", "Total"), ("system", "system"),
     ("system", "System Name"), ("segment", "segment id")],
)  # fmt: skip
def test_totals_and_labels_are_no_judgments(column: str, name: str) -> None:
    frame = ratings()
    frame.loc[0, column] = name
    assert refused(judgments, frame).code == "rows_that_are_no_judgments"
    found = judgments(frame, where={f"{column}!": name})
    assert found.n_judgments == 319
    assert found.excluded["rows"].tolist() == [1]


def test_totals_of_comparisons_are_no_systems() -> None:
    frame = votes()
    frame.loc[0, "left"] = "Average"
    assert refused(battles, frame).code == "rows_that_are_no_judgments"


@pytest.mark.parametrize("name", ["unknown", "Anonymous", "-", "?", "n/a"])
def test_words_for_nobody_are_no_person(name: str, tmp_path: Path) -> None:
    frame = ratings()
    frame.loc[frame["annotator"] == "user1", "annotator"] = name
    found = judgments(frame)
    assert found.n_annotators == 3
    assert notes(found, "no_annotator")["rows"].tolist() == [80]
    arena = votes().rename(columns={"left": "model_a", "right": "model_b", "annotator": "judge"})
    arena.loc[arena["judge"] == "user1", "judge"] = name
    arena.to_csv(tmp_path / "arena.csv", index=False)
    assert read(tmp_path / "arena.csv").n_annotators == 4


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [("annotator", "user1", "User1"), ("annotator", "user1", "user01"), ("system", "Alder", "alder"),
     ("system", "Alder", "Al der"), ("system", "Alder", "Alder."), ("annotator", "user1", "user_1")],
)  # fmt: skip
def test_one_name_in_two_spellings_is_asked_for(column: str, old: str, new: str) -> None:
    frame = ratings()
    frame.loc[frame[column].eq(old) & (frame.index % 8 == 1), column] = new
    error = refused(judgments, frame)
    assert (error.code, error.column) == ("names_alike", column)
    joined = judgments(frame, codes={new: old}).table[column]
    assert set(joined.astype(str)) == set(ratings()[column])
    apart = judgments(frame, names="exact").table[column]
    assert apart.nunique() == ratings()[column].nunique() + frame[column].eq(new).any()


def test_names_that_differ_in_more_are_kept() -> None:
    frame = ratings()
    names = {"Alder": "GPT-4", "Birch": "GPT-4o", "Cedar": "v1.10", "Dogwood": "v1.1"}
    assert judgments(frame.assign(system=frame["system"].map(names))).n_systems == 4


def test_segments_that_another_system_spells_differently_are_asked_for() -> None:
    frame = ratings().assign(segment=lambda t: t["segment"].str[4:])
    rows = frame["system"] == "Alder"
    for spelled in (frame["segment"].str.zfill(3), frame["segment"] + ".0"):
        other = frame.assign(segment=frame["segment"].where(~rows, spelled))
        assert refused(judgments, other).code == "names_alike"
    upper = ratings().assign(segment=lambda t: t["segment"].where(~rows, t["segment"].str.upper()))
    assert refused(judgments, upper).code == "names_alike"


def test_columns_that_are_not_used_are_listed_with_their_values(tmp_path: Path) -> None:
    frame = votes().assign(is_anonymous="false", swapped=["true", "false"] * 30, language="de")
    expected = ["is_anonymous: false", "swapped: true, false", "language: de"]
    assert notes(battles(frame), "unused_column")["detail"].tolist() == expected
    path = tmp_path / "arena.csv"
    frame.rename(columns={"left": "model_a", "right": "model_b", "annotator": "judge",
                          "question": "question_id"}).to_csv(path, index=False)  # fmt: skip
    assert notes(read(path), "unused_column")["detail"].tolist() == expected


def test_a_wide_table_has_only_the_systems_that_are_listed() -> None:
    wide = ratings().pivot_table(index=["segment", "annotator"], columns="system", values="score")
    wide = wide.reset_index().assign(tokens=9, max=80, BLEU=30.5)
    found = judgments(wide, wide=["Alder", "Birch"])
    assert found.systems == ["Alder", "Birch"]
    assert len(notes(found, "unused_column")) == 5


def test_rows_of_blocks_are_never_lost() -> None:
    frame = pd.DataFrame(
        {"segment": ["1", "2"], "sys1": ["A", "B"], "sys2": ["B", "A"],
         "q1": [1, 2], "q2": [3, 4], "q3": [5, 6]}
    )  # fmt: skip
    assert refused(judgments, frame, system="sys{n}", score="q{n}").code == "block_incomplete"
    assert len(judgments(frame.drop(columns="q3"), system="sys{n}", score="q{n}").table) == 4


# ------------------------------------------------------------------ spreadsheets and spellings


def workbook(path: Path, hidden: int = 0) -> Path:
    """Write the ratings as a workbook, with hidden rows."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(ratings().columns))
    for row in ratings().itertuples(index=False):
        sheet.append(list(row))
    for number in range(hidden):
        sheet.row_dimensions[number + 2].hidden = True
    book.save(path)
    return path


def test_hidden_rows_are_kept_and_said(tmp_path: Path) -> None:
    found = read(workbook(tmp_path / "a.xlsx", hidden=3))
    assert found.n_judgments == 320
    assert notes(found, "hidden_rows")["rows"].tolist() == [3]


def test_hidden_columns_are_read_and_said(tmp_path: Path) -> None:
    workbook(tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    book.active.column_dimensions.group("B", "C", hidden=True)
    book.active.column_dimensions["Z"].hidden = True
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path / "a.xlsx")
    assert (found.n_judgments, found.n_annotators) == (320, 4)
    noted = notes(found, "hidden_columns")
    assert noted[["rows", "detail"]].to_numpy().tolist() == [[2, "segment, annotator"]]


def test_which_sheet_of_several_was_read_is_said(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx")
    assert notes(read(path), "sheets_read").empty
    book = openpyxl.load_workbook(path)
    book.active.title = "scores"
    book.create_sheet("guide").append(["nothing here"])
    book.save(path)
    noted = notes(read(path), "sheets_read")
    assert noted[["rows", "detail"]].to_numpy().tolist() == [[320, "scores"]]
    other = book.create_sheet("more")
    for row in book["scores"].iter_rows(values_only=True):
        other.append(row)
    book.save(path)
    assert notes(read(path, sheet="more"), "sheets_read")["detail"].tolist() == ["more"]
    both = read(path, sheets="{domain}")
    assert notes(both, "sheets_read")["detail"].tolist() == ["scores, more"]


def test_columns_that_words_use_are_not_listed_as_unused() -> None:
    frame = ratings().assign(
        both=lambda t: t["system"] + "+" + t["segment"], status="final", batch=["1", "2"] * 160
    )
    frame = frame.drop(columns=["system", "segment"])
    words: dict[str, Any] = {"split": {"both": "{system}+{segment}"}}
    found = judgments(frame, **words, where={"Status": "final"}, each="batch")
    assert [list(notes(part, "unused_column")["detail"]) for part in found.values()] == [[], []]
    found = judgments(frame, **words)
    assert list(notes(found, "unused_column")["detail"]) == ["status: final", "batch: 1, 2"]


def test_rows_of_a_workbook_out_of_order_are_all_read(tmp_path: Path) -> None:
    workbook(tmp_path / "a.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "a.xlsx") as old,
        zipfile.ZipFile(tmp_path / "b.xlsx", "w") as new,
    ):
        for name in old.namelist():
            content = old.read(name).decode()
            if name.endswith("sheet1.xml"):
                start, rows = content.index("<row "), content.rindex("</row>") + 6
                parts = content[start:rows].split("</row>")[:-1]
                body = "</row>".join([parts[0], *parts[:0:-1]]) + "</row>"
                content = content[:start] + body + content[rows:]
            new.writestr(name, content)
    first, second = read(tmp_path / "a.xlsx").table, read(tmp_path / "b.xlsx").table
    columns = ["system", "segment", "annotator"]
    pd.testing.assert_frame_equal(
        first.astype(str).sort_values(columns).reset_index(drop=True),
        second.astype(str).sort_values(columns).reset_index(drop=True),
    )


def test_names_that_a_spreadsheet_would_run_are_kept_and_written_as_text(tmp_path: Path) -> None:
    names = {"Alder": "=1+1", "Birch": "@sum", "Cedar": "+x", "Dogwood": "-y"}
    frame = ratings().assign(system=lambda t: t["system"].map(names))
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = read(tmp_path / "a.csv")
    assert found.systems == sorted(names.values())
    written = table_bytes(found.table[["system"]].astype(str)).decode().split()
    assert set(written[1:]) == {"'" + name for name in names.values()}


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_every_end_of_a_line_reads_the_same(end: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(ratings().to_csv(index=False, lineterminator=end).encode())
    assert read(path).n_judgments == 320


@pytest.mark.parametrize("indent", [None, 2])
def test_json_reads_the_same_however_it_is_laid_out(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    ratings().to_json(path, orient="records", indent=indent)
    assert read(path).n_judgments == 320
    votes().to_json(path, orient="records", indent=indent)
    assert read(path).n_judgments == 60
    lines = tmp_path / "a.jsonl"
    rows = [row.to_json(indent=indent) for _, row in votes().iterrows()]
    lines.write_text("\n".join(rows))
    assert read(lines).n_judgments == 60


def test_a_header_of_relative_ranking_in_upper_case(tmp_path: Path) -> None:
    source = next(Path("data/demo/demo-rr").glob("*.csv"), None)
    if source is None:
        pytest.skip("no demonstration data")
    head, body = source.read_text().split("\n", 1)
    (tmp_path / source.name).write_text(f"{head.upper()}\n{body}")
    upper, lower = read(tmp_path / source.name), read(source)
    assert {name: part.n_judgments for name, part in dict(upper).items()} == {
        name: part.n_judgments for name, part in dict(lower).items()
    }


def test_a_lone_surrogate_in_a_name_is_shown_escaped(tmp_path: Path, capsys: Any) -> None:
    frame = ratings()
    names = ["Al\ud800der" if name == "Alder" else name for name in frame["system"]]
    frame["system"] = pd.Series(names, dtype=object)
    found = judgments(frame)
    assert found.n_systems == 4
    assert "\ud800" not in repr(found) + found._repr_html_()
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps(
            [dict(zip(frame.columns, row, strict=True)) for row in frame.to_numpy().tolist()]
        )
    )
    assert cli.main(["read", str(path)]) == 0
    assert "\ud800" not in capsys.readouterr().out


def test_each_row_that_is_left_out_is_counted_once(tmp_path: Path) -> None:
    frame = ratings().assign(status=["final", "draft"] * 160).astype({"score": object})
    frame.loc[[0, 1, 2], "score"] = ""
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = read(tmp_path / "a.csv", where={"status": "final"})
    assert found.excluded.set_index("code")["rows"].to_dict() == {"where": 160, "no_score": 2}
    assert found.n_judgments + found.excluded["rows"].sum() == 320


# ------------------------------------------------------------------ choices and model judges


def test_rankings_of_several_belong_to_one_annotator_and_question() -> None:
    frame = pd.DataFrame(
        {"user": ["u1", "u2", "u1"], "order": ["A > B = C", "C > A > B", "B > C > A"]}
    )
    found = judgments(frame, options="order", annotator="user")
    table = found.table.astype(str)
    assert len(table) == 9 and not found.order_known
    assert table.groupby("question")["annotator"].nunique().tolist() == [1, 1, 1]
    assert table.groupby("question").size().tolist() == [3, 3, 3]
    first = table[table["question"] == "row 1"][["left", "right", "winner"]].to_numpy().tolist()
    assert first == [["A", "B", "left"], ["A", "C", "left"], ["B", "C", "tie"]]
    columns = pd.DataFrame({"rank1": ["A", "C"], "rank2": ["B", "A"], "rank3": ["C", "B"]})
    assert len(judgments(columns, options="rank{n}").table) == 6


def test_choices_of_none_are_left_out_and_counted() -> None:
    frame = pd.DataFrame(
        {"best": ["A", "none", "C"], "shown": ["A,B,C", "A,B,C", "C|A"], "user": ["x", "y", "z"]}
    )
    found = judgments(frame, chosen="best", options="shown", annotator="user")
    assert found.table["left"].astype(str).tolist() == ["A", "A", "C"]
    assert found.excluded[["code", "rows"]].to_numpy().tolist() == [["nothing_chosen", 1]]


def test_votes_of_a_model_judge_need_the_question(tmp_path: Path) -> None:
    frame = votes().assign(annotator="gpt-4").rename(columns={"question": "prompt_id"})
    error = refused(battles, frame)
    assert error.code == "question_needed" and "question='prompt_id'" in str(error.remedy)
    assert battles(frame, question="prompt_id").judge_models == ("gpt-4",)
    path = tmp_path / "arena.csv"
    frame = frame.rename(columns={"left": "model_a", "right": "model_b", "annotator": "judge"})
    frame.to_csv(path, index=False)
    assert refused(read, path).code == "question_needed"
    mine = votes().assign(annotator="our judge").rename(columns={"question": "prompt_id"})
    assert refused(battles, mine, models=["our judge"]).code == "question_needed"


def test_both_orders_of_a_game_are_counted() -> None:
    found = battles(votes().assign(annotator="gpt-4", question="q"))
    assert notes(found, "both_orders")["rows"].tolist() == [6]


# ------------------------------------------------------------------ several answers at once


def test_each_domain_of_a_format_of_the_field(tmp_path: Path) -> None:
    frame = votes().rename(columns={"left": "model_a", "right": "model_b", "annotator": "judge"})
    frame["winner"] = frame["winner"].replace({"left": "model_a", "right": "model_b"})
    frame = frame.assign(category=["code", "chat", "code"] * 20)
    frame.to_csv(tmp_path / "arena.csv", index=False)
    found = read(tmp_path / "arena.csv", each="category")
    assert {name: part.n_judgments for name, part in found.items()} == {"chat": 20, "code": 40}
    by_domain = read(tmp_path / "arena.csv", each="domain")
    assert by_domain["chat"].table["domain"].unique().tolist() == ["chat"]
    assert refused(read, tmp_path / "arena.csv", each="colour").code == "no_such_column"


def test_each_document_of_mqm_keeps_its_errors() -> None:
    folder = Path("data/demo/demo-mqm")
    if not folder.is_dir():
        pytest.skip("no demonstration data")
    found = read(folder, each="document", unmarked="clean")
    whole = read(folder, unmarked="clean")
    parts = [part for name, part in found.items()]
    wholes = [whole] if isinstance(whole, Judgments) else list(whole.values())
    assert sum(len(part.errors) for part in parts) == sum(len(each.errors) for each in wholes)
    assert sum(part.n_judgments for part in parts) == sum(each.n_judgments for each in wholes)


def test_true_false_and_percent_are_scores():
    frame = pd.DataFrame({"item": ["1", "2", "3"], "A": ["true", "true", "false"], "B": "false"})
    read = judgments(frame, segment="item", wide=["A", "B"])
    assert read.table.groupby("system")["score"].mean().round(3).to_dict() == {"A": 0.667, "B": 0.0}
    share = pd.DataFrame({"system": ["A", "B"] * 2, "segment": ["1", "1", "2", "2"]})
    share["score"] = ["80%", "60%", "70%", "65%"]
    assert judgments(share).table["score"].tolist() == [80.0, 60.0, 70.0, 65.0]


def test_the_segment_of_a_vote_is_its_question():
    frame = pd.DataFrame({"left": ["A", "B"] * 4, "right": ["B", "A"] * 4})
    frame["winner"] = ["left", "left", "right", "tie"] * 2
    frame["segment"] = list("11223344")
    assert battles(frame).table["question"].nunique() == 4
    renamed = frame.rename(columns={"segment": "utterance"})
    assert battles(renamed, segment="utterance").table["question"].nunique() == 4


def test_items_numbered_within_domains_are_kept_apart():
    rows = [
        (system, str(item), domain)
        for domain, number in (("news", 6), ("social", 4))
        for item in range(number)
        for system in "AB"
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "domain"])
    frame["score"] = np.arange(len(frame)) % 7
    read = judgments(frame)
    assert read.n_segments == 10
    assert "segments_within_domains" in set(read.notes["code"])


def test_ranks_in_the_columns_of_systems_need_a_direction():
    ranks = [[1, 2, 3], [2, 1, 3], [3, 1, 2], [1, 3, 2]]
    frame = pd.DataFrame(ranks, columns=["A", "B", "C"]).assign(story=list("wxyz"))
    words = {"segment": "story", "wide": ["A", "B", "C"]}
    assert refused(judgments, frame, **words).code == "ranks_in_columns"
    assert judgments(frame, **words, lower_is_better=True).lower_is_better


def test_repeats_with_ids_of_their_own_are_no_criteria():
    rows = [(s, i, f"r{k}") for k in range(40) for s in "AB" for i in ("1", "2", "3")]
    frame = pd.DataFrame(rows, columns=["system", "segment", "assignment"])
    frame["annotator"] = [f"w{int(name[1:]) % 5}" for name in frame["assignment"]]
    frame["score"] = np.arange(len(frame)) % 11
    assert judgments(frame).n_judgments == len(frame)


def test_the_header_is_counted_from_the_first_row_of_a_file(tmp_path):
    lines = ["My study", "", "system,segment,score", "A,1,3", "B,1,4", "A,2,5", "B,2,1"]
    file = tmp_path / "blank.csv"
    file.write_text("\n".join(lines) + "\n")
    assert read(file, header=3).n_judgments == 4
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line.split(","))
    book.save(tmp_path / "blank.xlsx")
    assert read(tmp_path / "blank.xlsx", header=3).n_judgments == 4
    assert refused(read, file).code == "wrong_number_of_cells"


def test_folders_of_results_need_to_be_named(tmp_path):
    for system in "AB":
        folder = tmp_path / system
        folder.mkdir()
        (folder / "scores.csv").write_text("segment,score\n1,0.5\n2,0.25\n")
    error = refused(read, tmp_path)
    assert error.code == "files_in_folders"
    assert read(tmp_path, files="{system}/scores.csv").systems == ["A", "B"]


def test_an_explicit_direction_wins_over_that_of_the_settings(tmp_path):
    ratings().to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "campaign.yaml").write_text("lower_is_better: true\n")
    assert read(tmp_path / "r.csv").lower_is_better
    assert not read(tmp_path / "r.csv", higher_is_better=True).lower_is_better


def test_criteria_are_not_pooled_within_domains():
    frame = ratings().assign(domain="news", adequacy=3)
    words = {"criteria": ["score", "adequacy"], "each": "domain"}
    assert refused(judgments, frame, **words).code == "several_criteria"


def test_rows_without_an_outcome_are_no_ties():
    frame = pd.DataFrame({"left": ["A"] * 6, "right": ["B"] * 6})
    frame["lw"] = ["1", "1", "0", "", "", ""]
    frame["rw"] = ["0", "0", "1", "", "", ""]
    read_votes = battles(frame, outcome={"left": "lw", "right": "rw"})
    assert read_votes.n_judgments == 3
    assert read_votes.excluded["rows"].tolist() == [3]


def test_codes_between_numbers_are_about_scores():
    frame = ratings()
    frame["segment"] = frame["segment"].str.removeprefix("item")
    assert judgments(frame, codes={"9": "3"}).n_segments == 20


def test_the_names_of_columns_can_say_that_lower_is_better():
    frame = pd.DataFrame({"segment": ["1", "2", "3"], "A_wer": [0.1, 0.2, 0.3], "B_wer": 0.4})
    assert refused(judgments, frame, wide=["A_wer", "B_wer"]).code == "direction"


def test_settings_do_not_replace_the_judgments(tmp_path, capsys):
    file = tmp_path / "r.csv"
    ratings().to_csv(file, index=False)
    before = file.read_bytes()
    assert cli.main(["read", str(file), "--save", str(file)]) == 2
    assert file.read_bytes() == before


def test_models_without_a_finite_strength_are_refused():
    frame = pd.DataFrame({"left": ["A"] * 40, "right": ["B"] * 40})
    frame["winner"] = ["left", "tie"] * 20
    frame["question"] = [f"q{k}" for k in range(40)]
    with pytest.raises(DataError) as caught:
        rank_systems(battles(frame))
    assert caught.value.code == "no_finite_strengths"


# ------------------------------------------------------------------ large arenas


def large_arena(path: Path, **columns: tuple[str, str]) -> Path:
    """Write votes of more than 256 kB; only the last tenth has the second value of each column."""
    number = 12_000
    frame = pd.DataFrame(
        {
            "model_a": [SYSTEMS[k % 4] for k in range(number)],
            "model_b": [SYSTEMS[(k + 1) % 4] for k in range(number)],
            "winner": [("model_a", "model_b", "tie")[k % 3] for k in range(number)],
        }
    )
    for name, (first, second) in columns.items():
        cut = int(0.9 * number)
        frame[name] = [(first if k < cut else second).format(k) for k in range(number)]
    frame.to_csv(path, index=False)
    assert path.stat().st_size > 1 << 18
    return path


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"question": ("q{}", "q{}"), "criterion": ("fluency", "style")}, "several_criteria"),
        ({"question": ("q{}", "q{}"), "langpair": ("en-de", "en-cs")}, "several_languages"),
        ({"judge": ("gpt-4", "anna"), "question": ("q{}", "q{}")}, "models_among_annotators"),
        ({"judge": ("gpt-4", "gpt-4"), "topic": ("a{}", "b{}")}, "question_needed"),
    ],
)
def test_all_rows_of_a_large_arena_are_checked(
    columns: dict[str, tuple[str, str]], code: str, tmp_path: Path
) -> None:
    path = large_arena(tmp_path / "a.csv", **columns)
    assert refused(read, path).code == code


def test_a_large_arena_of_one_language_is_read(tmp_path: Path) -> None:
    path = large_arena(tmp_path / "a.csv", question=("q{}", "q{}"), langpair=("en-de", "en-de"))
    assert read(path).n_judgments == 12_000
