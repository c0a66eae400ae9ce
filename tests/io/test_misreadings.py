"""Files that an earlier version misread in silence: each is now read rightly, or refused."""

from __future__ import annotations

import json
import os
import resource
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankstability as rs
from rankstability import cli
from rankstability.errors import DataError
from rankstability.io.read import battles, judgments, read
from rankstability.io.report import describe_reading
from rankstability.io.results import table_bytes
from rankstability.judgments import Judgments
from rankstability.verdict.verdict import verdict

SYSTEMS = ("Alder", "Birch", "Cedar", "Dogwood")
LARGE = 2**60  # an id that a floating-point number cannot hold


def ratings(**columns: Any) -> pd.DataFrame:
    """Return ratings of four systems on ten items by three people."""
    rows = [
        (system, f"item{item}", f"user{user}", (3 * k + 5 * item + 7 * user + k * item) % 11)
        for k, system in enumerate(SYSTEMS)
        for item in range(10)
        for user in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    return frame.assign(**columns)


def votes(**columns: Any) -> pd.DataFrame:
    """Return comparisons of all pairs of four systems by five people."""
    winners = ("left", "right", "tie")
    rows = [
        (a, b, winners[(k + 2 * m + 3 * user) % 3], f"user{user}", f"prompt{k}{m}")
        for user in range(5)
        for k, a in enumerate(SYSTEMS)
        for m, b in enumerate(SYSTEMS)
        if a != b
    ]
    frame = pd.DataFrame(rows, columns=["left", "right", "winner", "annotator", "question"])
    return frame.assign(**columns)


def arena(**columns: Any) -> pd.DataFrame:
    """Return the comparisons with the columns of an arena."""
    frame = votes(**columns).rename(columns={"left": "model_a", "right": "model_b"})
    return frame.replace({"winner": {"left": "model_a", "right": "model_b"}})


def refused(function: Any, *arguments: Any, **words: Any) -> DataError:
    """Return the refusal."""
    with pytest.raises(DataError) as error:
        function(*arguments, **words)
    return error.value


def notes(found: Judgments, code: str) -> list[str]:
    """Return the details of the notes of a code."""
    return found.notes.loc[found.notes["code"] == code, "detail"].tolist()


# ------------------------------------------------------------------ large ids


def large_ids() -> list[dict[str, Any]]:
    """Return records whose annotators are large numbers, some of them missing."""
    records = ratings().to_dict("records")
    for place, record in enumerate(records):
        record["annotator"] = LARGE + int(record["annotator"][-1]) if place % 7 else None
    return records


def test_large_ids_with_missing_values_stay_apart(tmp_path: Path) -> None:
    records = large_ids()
    (tmp_path / "a.json").write_text(json.dumps(records))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    table = pa.Table.from_pylist(records)
    pq.write_table(table, tmp_path / "a.parquet")
    found = [read(tmp_path / f"a.{ending}") for ending in ("json", "jsonl", "parquet")]
    for each in (*found, judgments(table)):
        assert set(each.table["annotator"].dropna()) == {str(LARGE + k) for k in range(3)}


def test_large_ids_of_nested_json_and_of_votes_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    nested = [{**r, "annotator": {"id": r["annotator"]}} for r in large_ids()]
    path.write_text(json.dumps(nested))
    assert read(path, annotator="annotator.id").n_annotators == 3
    records = arena().to_dict("records")
    for place, record in enumerate(records):
        record["annotator"] = LARGE + place % 3 if place % 7 else None
    path.write_text("\n".join(map(json.dumps, records)))
    assert read(path).n_annotators == 3


def test_ids_that_are_rounded_already_are_refused(tmp_path: Path) -> None:
    assert refused(judgments, pd.DataFrame(large_ids())).code == "rounded_ids"
    frame = ratings().replace({"annotator": {"user0": "1.15292E+18"}})
    frame.to_csv(tmp_path / "a.csv", index=False)
    error = refused(read, tmp_path / "a.csv")
    assert (error.code, error.column, error.row) == ("rounded_ids", "annotator", 0)
    assert read(tmp_path / "a.csv", names="exact").n_annotators == 3


# ------------------------------------------------------------------ JSON


@pytest.mark.parametrize("number", ["1" + "0" * 5000, "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_no_scores_are_refused(number: str, tmp_path: Path) -> None:
    text = ratings().to_json(orient="records").replace('"score":7', f'"score":{number}', 1)
    (tmp_path / "a.json").write_text(text)
    assert refused(read, tmp_path / "a.json").code == "not_a_number"


def test_nan_of_json_is_a_missing_score(tmp_path: Path) -> None:
    text = ratings().to_json(orient="records").replace('"score":7', '"score":NaN', 1)
    (tmp_path / "a.json").write_text(text)
    assert read(tmp_path / "a.json").excluded["rows"].tolist() == [1]


@pytest.mark.parametrize("lines", [True, False])
def test_a_key_that_is_given_twice_is_refused(lines: bool, tmp_path: Path) -> None:
    for frame, key in ((ratings(), "system"), (arena(), "winner")):
        records = [json.dumps(record) for record in frame.to_dict("records")]
        records[3] = records[3].replace(f'"{key}":', f'"{key}": "x", "{key}":')
        path = tmp_path / f"{key}.{'jsonl' if lines else 'json'}"
        path.write_text("\n".join(records) if lines else f"[{','.join(records)}]")
        error = refused(read, path)
        assert (error.code, error.column) == ("key_twice", key)
        assert error.row == 4 or error.line == 4


# ------------------------------------------------------------------ rows of CSV and TSV


def with_quotes(text: str, first: int, last: int) -> str:
    """Return text with a quotation mark before the last cell of one line and after another's."""
    lines = text.split("\n")
    mark = "\t" if "\t" in lines[0] else ","
    lines[first] = f'{mark}"'.join(lines[first].rsplit(mark, 1))
    lines[last] += '"'
    return "\n".join(lines)


@pytest.mark.parametrize("last", [11, 12, 13, 14])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("table", [ratings, votes, arena])
def test_quotes_that_swallow_rows_are_refused(
    table: Callable[..., pd.DataFrame], ending: str, last: int, tmp_path: Path
) -> None:
    text = table(comment="fine").to_csv(index=False, sep="\t" if ending == "tsv" else ",")
    path = tmp_path / f"a.{ending}"
    path.write_text(with_quotes(text, 10, last))
    error = refused(read, path)
    assert (error.code, error.line) == ("open_quote", 11)


def test_a_quote_that_is_never_closed_is_refused_with_its_line(tmp_path: Path) -> None:
    lines = ratings(comment="fine").to_csv(index=False).split("\n")
    lines[10] = lines[10].replace("fine", '"fine')
    (tmp_path / "a.csv").write_text("\n".join(lines))
    error = refused(read, tmp_path / "a.csv")
    assert (error.code, error.line) == ("open_quote", 11)


def test_cells_of_several_lines_are_read(tmp_path: Path) -> None:
    text = 'He said: "No,\nnot, at all,\n\nand so on"'
    for table in (ratings, votes, arena):
        frame = table(source=text)
        frame.to_csv(tmp_path / "a.csv", index=False)
        assert read(tmp_path / "a.csv").n_judgments == len(frame)


@pytest.mark.parametrize(
    ("row", "cells", "found"),
    [(1, ",x", 5), (50, ",x", 5), (50, None, 3)],
)
@pytest.mark.parametrize("all_end_with_a_comma", [False, True])
def test_rows_with_other_numbers_of_cells_are_refused(
    row: int, cells: str | None, found: int, all_end_with_a_comma: bool, tmp_path: Path
) -> None:
    lines = ratings().to_csv(index=False).strip().split("\n")
    if all_end_with_a_comma and cells is not None:
        lines[1:] = [line + "," for line in lines[1:]]
        cells = "x"
    lines[row] = lines[row].rsplit(",", 1)[0] if cells is None else lines[row] + cells
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    error = refused(read, tmp_path / "a.csv")
    assert (error.code, error.line, error.value) == ("wrong_number_of_cells", row + 1, found)


# ------------------------------------------------------------------ columns and codes of an arena


@pytest.mark.parametrize(
    "names",
    [{}, {"annotator": "judge", "question": "question_id"}, {"annotator": "Judge"},
     {"annotator": "worker", "question": "segment"}, {"question": "Question ID"}],
)  # fmt: skip
def test_an_arena_uses_its_annotators_and_questions(names: dict[str, str], tmp_path: Path) -> None:
    for frame in (arena(), votes()):
        frame.rename(columns=names).to_csv(tmp_path / "a.csv", index=False)
        found = read(tmp_path / "a.csv")
        assert (found.n_annotators, found.n_segments) == (5, 12)
        assert notes(found, "unused_column") == []


def test_an_arena_with_two_columns_of_annotators_is_asked(tmp_path: Path) -> None:
    frame = arena(judge=["x", "y"] * 30)
    frame.to_csv(tmp_path / "a.csv", index=False)
    error = refused(read, tmp_path / "a.csv")
    assert (error.code, error.column) == ("two_columns", "annotator")
    assert len(str(error.remedy).splitlines()) == 2
    assert read(tmp_path / "a.csv", annotator="judge").n_annotators == 2
    frame.assign(judge=frame["annotator"] + "@x").to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv").n_annotators == 5


@pytest.mark.parametrize("name", ["tie", "left", "right", "Tie"])
def test_a_code_that_is_the_name_of_a_system_is_asked_for(name: str, tmp_path: Path) -> None:
    frame = votes().replace({"left": {"Alder": name}, "right": {"Alder": name}})
    error = refused(battles, frame)
    assert (error.code, str(error.value).lower()) == ("code_is_a_system", name.lower())
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert refused(read, tmp_path / "a.csv").code == "code_is_a_system"
    value = str(error.value)
    assert battles(frame, codes={value: value}).n_judgments == 60


@pytest.mark.parametrize("name", ["model_a", "tie"])
def test_a_code_of_an_arena_that_is_the_name_of_a_system(name: str, tmp_path: Path) -> None:
    frame = arena().replace({"model_a": {"Alder": name}, "model_b": {"Alder": name}})
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert refused(read, tmp_path / "a.csv").code == "code_is_a_system"


def test_a_model_among_the_last_annotators_of_an_arena_is_seen(tmp_path: Path) -> None:
    frame = pd.concat([arena()] * 200, ignore_index=True)
    frame.loc[len(frame) - 1, "annotator"] = "gpt-4"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert (tmp_path / "a.csv").stat().st_size > 1 << 18
    assert refused(read, tmp_path / "a.csv").code == "models_among_annotators"
    frame["annotator"] = "gpt-4"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv").judge_models == ("gpt-4",)


# ------------------------------------------------------------------ files of a folder


def test_files_of_a_folder_that_are_not_read_are_counted_and_listed(tmp_path: Path) -> None:
    frame = arena()
    frame[:30].to_csv(tmp_path / "a.csv", index=False)
    frame[30:].to_csv(tmp_path / "b.csv", index=False)
    for name in ("c.parquet", "notes.md", "more/d.csv", ".hidden.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x,y\n1,2\n")
    found = read(tmp_path)
    assert found.n_judgments == 60
    unread = found.notes[found.notes["code"] == "file_not_read"]
    assert unread["rows"].tolist() == [4]
    assert unread["detail"].tolist() == [".hidden.csv, c.parquet, more/d.csv, notes.md"]
    assert any("more/d.csv" in line for line in describe_reading(found))


def test_files_that_a_pattern_does_not_fit_are_listed(tmp_path: Path) -> None:
    for user, rows in ratings().groupby("annotator"):
        rows.drop(columns="annotator").to_csv(tmp_path / f"{user}.csv", index=False)
    ratings().to_csv(tmp_path / "all.tsv", sep="\t", index=False)
    found = read(tmp_path, files="{annotator}.csv")
    assert (found.n_annotators, notes(found, "file_not_read")) == (3, ["all.tsv"])
    (tmp_path / "all.tsv").unlink()
    assert notes(read(tmp_path, files="{annotator}.csv"), "file_not_read") == []


def test_a_table_beside_other_files_is_read(tmp_path: Path) -> None:
    ratings().to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "README.md").write_text("about")
    assert notes(read(tmp_path), "file_not_read") == ["README.md"]


def test_the_name_of_a_file_never_replaces_a_column(tmp_path: Path) -> None:
    for part in ("first", "second"):
        ratings().to_csv(tmp_path / f"{part}.csv", index=False)
    error = refused(read, tmp_path, files="{annotator}.csv")
    assert error.code == "column_of_two_roles" and "--files '*.csv'" in str(error.remedy)
    error = refused(read, tmp_path)
    assert error.code == "several_files" and "{annotator}" not in str(error.remedy)


def test_files_with_other_columns_of_roles_are_no_rows_of_one_table(tmp_path: Path) -> None:
    ratings().to_csv(tmp_path / "a.csv", index=False)
    ratings().drop(columns="annotator").to_csv(tmp_path / "b.csv", index=False)
    error = refused(read, tmp_path, files="*.csv")
    assert (error.code, error.value) == ("files_differ", "annotator")


# ------------------------------------------------------------------ invisible characters

HIDDEN = {"Alder": "Al\x1b[31mder", "Birch": "Bi\u202erch", "Cedar": "Ce\x07dar"}


def test_invisible_characters_are_removed_from_an_arena_and_said(tmp_path: Path) -> None:
    frame = arena().replace({"model_a": HIDDEN, "model_b": HIDDEN})
    frame["category"] = "chat\u202e"
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    found = read(tmp_path / "a.jsonl", title="my\x1b[31m \u202earena")
    assert found.systems == ["Al[31mder", "Birch", "Cedar", "Dogwood"]
    assert found.notes.set_index("code")["rows"]["invisible_characters"] == 60
    assert set(found.table["domain"]) == {"chat"}
    assert found.campaign == "my[31m arena"
    page = verdict(found, tmp_path / "page", title="t\u202et")
    written = [path for path in (tmp_path / "page").rglob("*") if path.is_file()]
    texts = [path.read_text("utf-8") for path in written if path.suffix != ".png"]
    assert page.facts["title"] == "t\\u202et"
    assert not any(mark in text for text in texts for mark in ("\x1b", "\u202e", "\x07"))


def test_invisible_characters_of_other_words_and_columns(tmp_path: Path) -> None:
    frame = ratings(part="a\u202e", comment="x\x1by")
    frame.to_csv(tmp_path / "a\u202e.csv", index=False)
    found = read(tmp_path / "a\u202e.csv", each="part", codes={"Alder": "A\u202el"})["a"]
    assert found.systems == ["Al", "Birch", "Cedar", "Dogwood"]
    assert notes(found, "unused_column") == ["comment: x\\x1by"]
    assert "\u202e" not in found.campaign + found.source + found.task
    assert table_bytes(frame).decode().count("\u202e") == 0


# ------------------------------------------------------------------ hangs


@pytest.mark.parametrize(
    "text",
    ["a: " + "[" * 100_000, "{" * 100_000, "? " * 60_000, "a: [" + "b, " * 300_000 + "]",
     "\n".join(" " * k + "a:" for k in range(400)), "- " * 60_000],
)  # fmt: skip
def test_settings_that_are_deep_or_long_are_refused(text: str, tmp_path: Path) -> None:
    ratings().to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "campaign.yaml").write_text(text)
    assert refused(read, tmp_path / "a.csv").code == "broken_settings"


@pytest.mark.parametrize("cell", ["XFD1048576", "A1048576", "XFD500"])
def test_a_sheet_with_one_far_cell_is_refused(cell: str, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [list(ratings().columns), *ratings().to_numpy().tolist()]:
        sheet.append(row)
    sheet[cell] = "x"
    book.save(tmp_path / "a.xlsx")
    assert refused(read, tmp_path / "a.xlsx").code == "sheet_too_large"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refused(read, "/dev/zero").code == "not_a_file"
    for name in ("a", "a.csv", "a.xlsx", "a.parquet"):
        os.mkfifo(tmp_path / name)
        assert refused(read, tmp_path / name).code == "not_a_file"
    (tmp_path / "campaign.yaml").write_text("data: /dev/zero\n")
    assert refused(read, tmp_path / "campaign.yaml").code == "not_a_file"
    (tmp_path / "campaign.yaml").unlink()
    ratings().to_csv(tmp_path / "b.csv", index=False)
    assert read(tmp_path).n_judgments == 120


@pytest.mark.parametrize(
    "text",
    ['{"system":' * 100_000, '{"model_a":1,"model_b":2,"winner":' + "[" * 100_000,
     '{"user_id":1,"item_i":' + "[" * 100_000, "[" * 100_000],
)  # fmt: skip
def test_json_that_is_nested_too_deeply_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    assert refused(read, tmp_path / "a.jsonl").code == "not_json"


# ------------------------------------------------------------------ criteria, types and languages


def of_two_aspects(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows twice, for two criteria."""
    return pd.concat([frame.assign(**{name: each}) for each in ("fluency", "adequacy")])


@pytest.mark.parametrize("domain", ["domain", "genre"])
def test_criteria_are_never_pooled_within_each_domain(domain: str, tmp_path: Path) -> None:
    for table in (ratings, votes, arena):
        frame = table(**{domain: ["news", "chat"] * (len(table()) // 2)})
        for name, code in (("criterion", "several_criteria"), ("aspect", "undeclared_column")):
            both = of_two_aspects(frame, name)
            both.to_csv(tmp_path / "a.csv", index=False)
            error = refused(read, tmp_path / "a.csv", each=domain)
            assert error.code == code
            for line in str(error.remedy).splitlines():
                assert cli.main(shlex.split(line)[1:]) == 0
            assert refused(read, tmp_path / "a.csv").code == code


def test_a_type_that_is_no_item_type_is_another_column() -> None:
    people = ratings(type=["expert", "crowd", "crowd"] * 40)
    assert notes(judgments(people), "unused_column") == ["type: expert, crowd"]
    assert judgments(people).n_judgments == 120
    outputs = ratings(type=["TGT", "TGT", "BAD"] * 40)
    found = judgments(outputs)
    assert found.n_judgments == 80
    said = [line for line in describe_reading(found) if line.startswith("left out")]
    assert len(said) == 1 and said[0].endswith(": 40")
    assert refused(judgments, ratings(item_type="expert")).code == "unknown_word"


@pytest.mark.parametrize(
    "columns",
    [{"lang_pair": ("en-de", "en-cs")}, {"language pair": ("en-de", "en-cs")},
     {"src_lang": ("en", "en"), "tgt_lang": ("de", "cs")}, {"src": ("en", "de"), "tgt": ("de", "en")},
     {"sourceLanguage": ("en", "cs")}],
)  # fmt: skip
def test_several_language_pairs_are_asked_for(
    columns: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    for table in (ratings, votes, arena):
        frame = table()
        for name, pair in columns.items():
            frame[name] = [*pair] * (len(frame) // 2)
        frame.to_csv(tmp_path / "a.csv", index=False)
        error = refused(read, tmp_path / "a.csv")
        assert error.code == "several_languages"
        lines = str(error.remedy).splitlines()
        assert len(lines) == len(set(lines)) >= 2
        for line in lines:
            assert cli.main(shlex.split(line)[1:]) == 0
        frame = frame.assign(**{name: pair[0] for name, pair in columns.items()})
        frame.to_csv(tmp_path / "a.csv", index=False)
        assert read(tmp_path / "a.csv").n_judgments == len(frame)


def test_several_languages_are_asked_for_unless_they_are_declared() -> None:
    frame = ratings(language=["de", "cs"] * 60)
    assert refused(judgments, frame).code == "several_languages"
    assert set(judgments(frame, each="language")) == {"de", "cs"}
    assert judgments(frame, where={"language": ["de", "cs"]}).n_judgments == 120
    assert notes(battles(votes(language=["de", "cs"] * 30)), "unused_column") == [
        "language: de, cs"
    ]
    assert judgments(ratings(source=["a text", "de"] * 60)).n_judgments == 120


def test_votes_of_people_who_knew_the_models_are_asked_for(tmp_path: Path) -> None:
    frame = arena(anony=["True", "False"] * 30, topic=["x", "y", "y"] * 20)
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv").n_judgments == 30
    assert refused(read, tmp_path / "a.csv", each="topic").code == "models_known"
    found = read(tmp_path / "a.csv", each="topic", where={"anony!": "False"})
    assert sum(part.n_judgments for part in found.values()) == 30


# ------------------------------------------------------------------ proposed remedies


@pytest.mark.parametrize(
    "codes",
    [("a>b", "b>a", "a=b"), ("not A", "not B", "tie"), ("A loses", "B loses", "tie"),
     ("A is worse than B", "B is worse than A", "tie"), ("A over B", "B over A", "tie")],
)  # fmt: skip
def test_no_codes_are_proposed_that_could_mean_the_opposite(codes: tuple[str, str, str]) -> None:
    frame = votes().replace({"winner": dict(zip(("left", "right", "tie"), codes, strict=True))})
    error = refused(battles, frame)
    assert (error.code, error.remedy) == ("unknown_winner", None)


def test_no_codes_are_proposed_for_names_of_systems() -> None:
    names = dict(zip(SYSTEMS, "abcd", strict=True))
    frame = votes().replace({"left": names, "right": names})
    frame = frame.replace({"winner": {"left": "a", "right": "b", "tie": "c"}})
    error = refused(battles, frame)
    assert (error.code, error.remedy) == ("unknown_winner", None)


@pytest.mark.parametrize(
    ("codes", "number"), [("120", 4), ("10", 2), ("123", 4), (("1", "-1", "0"), 2)]
)
def test_numbers_are_proposed_with_every_usual_meaning(codes: Any, number: int) -> None:
    winners = ("left", "right", "tie") if len(codes) > 2 else ("left", "right")
    frame = votes()
    frame = frame[frame["winner"].isin(winners)].reset_index(drop=True)
    frame = frame.replace({"winner": dict(zip(winners, codes, strict=True))})
    lines = str(refused(battles, frame).remedy).split("\n")
    assert len(lines) == number == len(set(lines))
    wins = {str(eval(line, {"rs": rs, "frame": frame}).table["winner"].tolist()) for line in lines}
    assert len(wins) == number


@pytest.mark.parametrize("name", ["topic", "language", "rater", "gender", "colour"])
def test_what_does_not_share_segments_is_not_proposed_as_system(name: str) -> None:
    rows = [(["de", "en", "fr"][k % 3], f"text {k}", k * 7 % 50) for k in range(60)]
    error = refused(judgments, pd.DataFrame(rows, columns=[name, "text", "score"]))
    assert (error.code, error.remedy) == ("missing_role", None)


@pytest.mark.parametrize("name", ["language", "rater", "domain"])
def test_columns_of_other_things_are_not_proposed_as_systems(name: str) -> None:
    frame = ratings().drop(columns="annotator").rename(columns={"system": name})
    error = refused(judgments, frame)
    assert (error.code, error.remedy) == ("missing_role", None)
    sides = pd.DataFrame({"src": ["de", "en", "fr"] * 20, "tgt": ["en", "de", "de"] * 20})
    sides["label"] = ["x", "y"] * 30
    assert refused(battles, sides).remedy is None


@pytest.mark.parametrize("names", [("age", "length"), ("fluency", "adequacy")])
def test_measures_are_not_proposed_as_systems(names: tuple[str, str]) -> None:
    frame = pd.DataFrame({"id": [f"i{k}" for k in range(60)]})
    frame[names[0]], frame[names[1]] = [k % 5 for k in range(60)], [3 * k % 5 for k in range(60)]
    error = refused(judgments, frame)
    assert (error.code, error.remedy) == ("missing_role", None)


def test_a_remedy_of_a_large_file_was_tried_on_all_of_it(tmp_path: Path) -> None:
    frame = pd.concat([ratings()] * 200, ignore_index=True).rename(columns={"score": "wer"})
    frame = frame.astype({"wer": object})
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert (tmp_path / "a.csv").stat().st_size > 1 << 18
    assert refused(read, tmp_path / "a.csv", score="wer").remedy is not None
    frame.loc[len(frame) - 1, "wer"] = "a word"
    frame.loc[len(frame) - 2, "wer"] = "another"
    frame.to_csv(tmp_path / "a.csv", index=False)
    error = refused(read, tmp_path / "a.csv", score="wer")
    for line in str(error.remedy or "").splitlines():
        assert cli.main(shlex.split(line)[1:]) == 0
    many = pd.concat([frame] * 20)
    many.to_csv(tmp_path / "a.csv", index=False)
    assert (tmp_path / "a.csv").stat().st_size > 1 << 23
    error = refused(read, tmp_path / "a.csv", score="wer")
    assert (error.code, error.remedy) == ("direction", None)


def test_a_decision_within_a_remedy_is_left_to_the_user() -> None:
    frame = ratings().rename(columns={"system": "model", "score": "wer"})
    lines = str(refused(judgments, frame).remedy).split("\n")
    assert len(lines) == 2
    found = [eval(line, {"rs": rs, "frame": frame}) for line in lines]
    assert [each.lower_is_better for each in found] == [True, False]


def test_codes_of_scores_are_not_proposed_to_join_names() -> None:
    frame = ratings().assign(segment=lambda t: t["segment"].str[4:])
    padded = frame["segment"].where(frame["system"] != "Alder", frame["segment"].str.zfill(3))
    error = refused(judgments, frame.assign(segment=padded))
    assert (error.code, error.remedy) == ("names_alike", "rs.judgments(frame, names='exact')")


def test_the_scale_of_half_the_annotators_is_noted() -> None:
    frame = ratings(score=lambda t: 40.0 + 5 * t["score"])
    frame = pd.concat([frame, frame.assign(annotator=frame["annotator"] + "-b")])
    rows = frame["annotator"].str.endswith("-b")
    frame["score"] = frame["score"].where(~rows, frame["score"] / 10)
    details = notes(judgments(frame), "other_scale")
    assert [each.split(":")[0] for each in details] == [f"annotator user{k}-b" for k in range(3)]


# ------------------------------------------------------------------ formats of the field


def esa(folder: Path, **changes: Any) -> Path:
    """Write scores as WMT24 released them, with changes to one of them."""
    records = [
        {"langs": "en-de", "line_id": line, "doc_id": f"d{line // 3}", "domain": "news",
         "esa_score": 50 + line + k, "system": system, "annotator": f"a{line % 3}"}
        for line in range(12)
        for k, system in enumerate("ABC")
    ]  # fmt: skip
    records[3] |= changes
    path = folder / "esa.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return path


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"line_id": None}, "missing_name"), ({"system": ["A"]}, "list_as_name"),
     ({"annotator": {"id": 1}}, "list_as_name"), ({"annotator": "average"}, "rows_that_are_no_judgments"),
     ({"line_id": "Total"}, "rows_that_are_no_judgments"), ({"system": "Average"}, "rows_that_are_no_judgments")],
)  # fmt: skip
def test_names_of_a_format_that_are_none(changes: Any, code: str, tmp_path: Path) -> None:
    error = refused(read, esa(tmp_path, **changes))
    assert error.code == code
    assert error.remedy is None or error.remedy.endswith("--controls Average")


def test_segments_of_a_format_stay_whole_numbers_and_repeats_are_counted(tmp_path: Path) -> None:
    path = esa(tmp_path, esa_score=None)
    assert set(read(path).table["segment"]) == {str(line) for line in range(12)}
    path.write_text(path.read_text() + "\n" + path.read_text())
    found = read(path)
    assert found.notes.set_index("code")["rows"]["second_score"] == 35


def test_attention_checks_do_not_hide_that_clean_outputs_are_unmarked(tmp_path: Path) -> None:
    source = Path("data/demo/demo-mqm/mqm_demo_ende.3ratingsPerSegment.tsv")
    if not source.is_file():
        pytest.skip("no demonstration data")
    lines = [line for line in source.read_text().split("\n") if "No-error" not in line]
    path = tmp_path / source.name
    path.write_text("\n".join(lines))
    error = refused(read, path)
    assert error.code == "unmarked_outputs"
    found = [read(path, unmarked=each).n_judgments for each in ("clean", "missing")]
    assert found[0] > found[1]
    for line in str(error.remedy).splitlines():
        assert cli.main(shlex.split(line)[1:]) == 0


@pytest.mark.parametrize("words", [("1", "0"), ("yes", "no"), ("True", "False")])
def test_scores_of_documents_are_told_by_value_in_every_row(
    words: tuple[str, str], tmp_path: Path
) -> None:
    head = (
        "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd"
    )
    rows = [
        f"u{user},{system},{item},TGT,eng,deu,{50 + item},doc1,{words[item > 0]},1.7e9,1.7e9"
        for user in range(3)
        for system in "ABC"
        for item in range(4)
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([head, *rows]))
    found = read(path)
    assert found.n_judgments == 27
    assert found.excluded[["code", "rows"]].values.tolist() == [["document_score", 9]]
    for wrong in ("", "maybe"):
        rows[0] = rows[0].replace(f",{words[0]},", f",{wrong},")
        path.write_text("\n".join([head, *rows]))
        assert refused(read, path).code == "unknown_word"
        rows[0] = rows[0].replace(f"doc1,{wrong},", f"doc1,{words[0]},")


def test_a_folder_is_read_with_a_limit_of_open_files(tmp_path: Path) -> None:
    for place in range(40):
        ratings()[3 * place : 3 * place + 3].to_csv(tmp_path / f"{place}.csv", index=False)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + 4, limits[1]))
    try:
        assert read(tmp_path, files="*.csv").n_judgments == 120
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# ------------------------------------------------------------------ cells and words of any table


@pytest.mark.parametrize("cell", ["true", "80%"])
def test_words_and_percent_among_numbers_are_no_scores(cell: str) -> None:
    frame = ratings().astype({"score": object})
    frame.loc[3, "score"] = cell
    assert refused(judgments, frame).code == "not_a_number"


@pytest.mark.parametrize("name", ["nan", "N/A", "null", "#N/A"])
@pytest.mark.parametrize("column", ["system", "segment"])
def test_words_for_nothing_are_no_names(name: str, column: str) -> None:
    frame = ratings()
    frame.loc[3, column] = name
    assert refused(judgments, frame).code == "rows_that_are_no_judgments"
    assert judgments(frame, where={f"{column}!": name}).n_judgments == 119


def test_people_are_not_proposed_as_criteria_alone() -> None:
    lines = str(refused(judgments, ratings().rename(columns={"annotator": "who"})).remedy)
    assert "annotator='who'" in lines and "criterion='who'" in lines


@pytest.mark.parametrize(
    ("words", "code"),
    [({"header": 0}, "bad_setting"), ({"header": 10**5}, "no_rows"), ({"skip_rows": 10**5}, "no_rows"),
     ({"header": 10**9}, "bad_setting"), ({"skip_rows": 10**9}, "bad_setting"),
     ({"scale": (0, float("inf"))}, "bad_setting"), ({"weights": "wmt"}, "word_without_effect"),
     ({"unmarked": "clean"}, "word_without_effect"), ({"sheet": "x"}, "word_without_effect")],
)  # fmt: skip
def test_words_that_mean_nothing_here_are_refused(
    words: dict[str, Any], code: str, tmp_path: Path
) -> None:
    ratings().to_csv(tmp_path / "a.csv", index=False)
    assert refused(read, tmp_path / "a.csv", **words).code == code
