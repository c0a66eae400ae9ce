"""Columns of odd tables: guessed and shown, settled on the command line, melted."""

import json
from pathlib import Path

import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns, columns, guesses, settings
from companion.legacy.rankcampaigns.guesses import almost
from companion.legacy.rankcompanion.running.commands import main
from companion.legacy.rankcompanion.verdict import page
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError

ODD = ["MT engine;Sentence;Rater;Adequacy (0-100)"]
ODD += [f"{s};{k};{r};{20 * k + n},5" for n, s in enumerate("AB") for k in (1, 2) for r in "uv"]
WIDE = ["segment,rater,Aspen,Birch,note", "1,anna,50,60,", "2,anna,,70,fine", "1,ben,40,65,"]
MELTED = [
    ("Aspen", "1", "anna", 50), ("Aspen", "1", "ben", 40),
    ("Birch", "1", "anna", 60), ("Birch", "1", "ben", 65), ("Birch", "2", "anna", 70),
]  # fmt: skip


def table(folder, rows, name="odd.csv", said=""):
    (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    if said:
        (folder / "campaign.yaml").write_text(said)
    return folder / name


def rows_of(file):
    good = campaigns.load(file).good[["system", "segment", "worker", "score"]]
    return sorted(good.itertuples(index=False, name=None))


def test_a_guess_is_shown_as_settings_to_accept_and_never_taken_unasked(tmp_path):
    file = table(tmp_path, ODD)
    with pytest.raises(DataError, match="without a column for segment and score") as error:
        campaigns.find(file)
    said = error.value.expected.partition("\n")[2]
    assert said == "columns: {segment: Sentence, score: Adequacy (0-100)}\nscale: [0, 100]\n"
    assert "--write-settings" in error.value.expected
    (tmp_path / "campaign.yaml").write_text(said)
    da = campaigns.load(file)
    assert da.scale == (0, 100) and len(da.good) == 8
    assert da.good.score.tolist()[:3] == [20.5, 20.5, 40.5]
    reading = campaigns.find(file).reading.set_index("what")
    assert reading.loc["sign before decimals", ["value", "said by"]].tolist() == [",", "the data"]
    assert reading["said by"]["column score"] == "campaign.yaml"
    assert reading["said by"]["column system"] == "header"


def test_a_cell_that_names_no_pair_is_refused_where_it_stands(tmp_path):
    rows = ["system,segment,score,langs", "A,1,5,en-de", "B,1,4,German-Klingonish", "A,2,3,?"]
    (read,) = [columns.opened(table(tmp_path, rows[:2]), {})]
    assert read.pairs().tolist() == ["en-de"]
    wrong = "line 3, column 'langs': not a language pair; found 'German-K.*a pair such as cs-en"
    with pytest.raises(DataError, match=wrong):
        columns.opened(table(tmp_path, rows), {}).pairs()


@pytest.mark.parametrize(
    ("headers", "chosen"),
    [
        ({"a": "system segment note", "b": "score note"}, "a"),  # two of ours against one
        ({"a": "system score", "b": "system segment score"}, "b"),  # all that are needed
        ({"a": "system segment", "b": "segment score"}, ""),
        ({"a": "note", "b": "remark"}, ""),
    ],
)
def test_the_sheet_is_the_only_one_that_names_enough_columns(monkeypatch, headers, chosen):
    monkeypatch.setattr(columns.binary, "holds", lambda path: True)
    monkeypatch.setattr(columns.binary, "sheets", lambda path: tuple(headers))
    monkeypatch.setattr(columns.binary, "names", lambda path, title: headers[title].split())
    if chosen:
        (other,) = set(headers) - {chosen}
        why = f"its columns; not read: {other}"
        assert columns.sheet_of(Path("x.xlsx"), {}) == (chosen, why)
    else:
        with pytest.raises(DataError, match=r"several sheets.*found 'a, b'.*sheet=\"a\""):
            columns.sheet_of(Path("x.xlsx"), {})
    assert columns.sheet_of(Path("x.xlsx"), {"sheet": "c"}) == ("c", "")


def test_columns_of_battles_are_found_by_what_they_hold_with_the_judge_and_question(tmp_path):
    rows = ["first,second,better,rater,sentence", *(
        f"{a},{b},{w},r{k % 2},s{k % 3}"
        for k, (a, b, w) in enumerate([("A", "B", "A"), ("B", "C", "C"), ("C", "A", "tie")] * 2)
    )]  # fmt: skip
    expected = {"left": "first", "right": "second", "winner": "better"}
    more = {"judge": "rater", "question": "sentence"}
    assert guesses.battle(table(tmp_path, rows)) == expected | more
    third = [f"{row},{row.split(',')[3]}" for row in rows]
    third[0] = rows[0] + ",annotator"  # two that may name the judge: neither is taken
    assert guesses.battle(table(tmp_path, third)) == expected | {"question": "sentence"}
    assert guesses.battle(table(tmp_path, [row.replace("tie", "D") for row in rows])) == {}


def test_what_two_columns_may_be_is_asked(tmp_path):
    rows = [ODD[0] + ";Fluency", *(f"{row};{k}" for k, row in enumerate(ODD[1:]))]
    file = table(tmp_path, rows)
    with pytest.raises(DataError, match=r"score: Adequacy \(0-100\) or Fluency"):
        campaigns.find(file)
    with pytest.raises(DataError, match=r"several columns may be the score; found 'Adeq.*Fluency'"):
        settings.write_settings(file, {})
    assert not (tmp_path / "campaign.yaml").exists()
    told = settings.told({"columns": "score=Fluency"})
    said = "columns: {system: MT engine, score: Fluency, annotator: Rater, segment: Sentence}\n"
    assert settings.write_settings(file, told).read_text() == said
    assert campaigns.load(file).good.score.tolist() == list(range(8))
    with pytest.raises(DataError, match="settings exist already"):
        settings.write_settings(file, told)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("engine,question,user,answer", ["engine", "question", "user", "answer"]),
        ("Product,Item,Respondent,Rating", ["Product", "Item", "Respondent", "Rating"]),
        ("Model,prompt_id,Participant ID,score", ["Model", "prompt_id", "Participant ID", ""]),
        ("system,seg_id,worker,score,user", ["", "seg_id", "worker", ""]),
    ],
)
def test_more_names_are_known(tmp_path, header, names):
    rows = [f"{s},{k},{r},{k}" + ",x" * (header.count(",") - 3) for s in "AB" for k in "12345"
            for r in "uv"]  # fmt: skip
    campaign = campaigns.find(table(tmp_path, [header, *rows]))
    said = campaign.reading.set_index("what")["value"]
    ours = ("system", "segment", "annotator", "score")
    assert [said.get(f"column {name}", "") for name in ours] == names
    assert len(campaigns.load(campaign).good) == 20


@pytest.mark.parametrize(
    ("cells", "setting", "wanted"),
    [
        (["4,5", "3", "2,25"], "", [4.5, 3, 2.25]),
        (["4,5", "3.5", "2"], "", "not a number"),
        (["4,500", "3", "2,250"], "", "a comma that may separate decimals or thousands"),
        (["4,500", "3", "2,250"], 'decimal: ","', [4.5, 3, 2.25]),
        (["4,5", "", "na"], "", [4.5]),
    ],
)
def test_a_comma_before_decimals_is_seen_where_nothing_else_is_possible(
    tmp_path, cells, setting, wanted
):
    rows = ["system;segment;rater;score", *(f"A;{k};u;{c}" for k, c in enumerate(cells))]
    file = table(tmp_path, rows, said=setting)
    if isinstance(wanted, str):
        with pytest.raises(DataError, match=rf"line \d, column 'score': {wanted}"):
            campaigns.load(file)
    else:
        assert campaigns.load(file).good.score.tolist() == wanted


@pytest.mark.parametrize("sign", [",", ";"])
def test_a_wide_table_is_melted_when_asked(tmp_path, sign):
    file = table(tmp_path, [row.replace(",", sign) for row in WIDE])
    with pytest.raises(DataError, match=r"wide table with a column .*\(Aspen, Birch\)") as error:
        campaigns.find(file)
    assert error.value.expected.endswith(":\nwide: [Aspen, Birch]\n")
    for said in ("wide: all", "wide: [Aspen, Birch]"):
        (tmp_path / "campaign.yaml").write_text(said)
        assert rows_of(file) == MELTED
        read = campaigns.find(file).reading.set_index("what")["value"]
        assert read["a column for each system"] == "Aspen, Birch"
    assert "no score (left out)" in set(campaigns.load(file).excluded["reason"])


@pytest.mark.parametrize(
    ("header", "said", "problem"),
    [(WIDE[0], "[Aspen, Cedar]", "no such column for a system; found 'Cedar'"),
     (WIDE[0], "[Aspen, rater]", "no such column for a system; found 'rater'"),
     (WIDE[0], "[Aspen, note]", "line 3, column 'score': not a number; found 'fine'"),
     ("segment,rater,system,Birch,note", "all", "a column for the system in a wide table"),
     ("segment,rater,system,b,c", "all", "a column for the system in a wide table; found 'system'"),
     ("segment,rater,document,b,domain", "all", "fewer than two columns of systems")],
)  # fmt: skip
def test_columns_that_are_no_systems_are_refused(tmp_path, header, said, problem):
    file = table(tmp_path, [header, *WIDE[1:]], said=f"wide: {said}\nscale: [0, 100]")
    with pytest.raises(DataError, match=problem):
        campaigns.load(file)


def test_no_system_of_a_wide_table_is_left_out_for_a_cell(tmp_path):
    rows = ["segment,rater,Aspen,Birch,Cedar", "1,u,50,60,50", "2,u,50,61,51", "3,u,50,62,52"]
    file = table(tmp_path, rows, said="wide: all")
    assert {system for system, *_ in rows_of(file)} == {"Aspen", "Birch", "Cedar"}
    file.write_text(file.read_text().replace("51", "5l"))
    with pytest.raises(DataError, match="line 3, column 'score': not a number; found '5l'"):
        campaigns.load(file)


@pytest.mark.slow
def test_the_command_line_settles_a_table(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path, ODD)
    small = ["output_dir=out", "--quiet"]
    told = ["columns=segment=Sentence,score=Adequacy (0-100)", "scale=0, 50"]
    assert main(["verdict", "odd.csv", *told, "decimal=,", *small]) == 0
    read = capsys.readouterr().err
    assert "column score: Adequacy (0-100) (by the command line)" in read
    assert "scale: 0 to 50 (by the command line)" in read
    assert "sign before decimals: , (by the command line)" in read
    monkeypatch.setattr(page, "execute", lambda *_: [])  # what follows is settled before
    (tmp_path / "wide.csv").write_text("\n".join(WIDE))
    assert main(["verdict", "wide.csv", "wide=Aspen,Birch", "scale=0,100", *small]) == 0
    assert "a column for each system: Aspen, Birch (by the comm" in capsys.readouterr().err
    (tmp_path / "wide.csv").unlink()
    assert main(["verdict", "odd.csv", *small]) == 2  # nothing stays behind
    for other in ("demo-srdc", str(paths.DEMO / "demo-rr" / "demo.RNK_results.csv")):
        assert main(["verdict", other, *told]) == 2
        assert "settings of a table: columns, scale" in capsys.readouterr().err
    assert main(["verdict", "odd.csv", *small, "--write-settings"]) == 0
    written = "columns: {system: MT engine, annotator: Rater, segment: Sentence, score: Adequacy ("
    assert written in (tmp_path / "campaign.yaml").read_text()


def test_what_lies_beside_a_file_does_not_keep_its_settings_from_being_written(tmp_path):
    file = table(tmp_path, ODD)
    (tmp_path / "other.csv").write_bytes("café;1\n".encode("latin-1"))
    assert "files: [odd.csv]" in settings.write_settings(file, {}).read_text()
    assert len(campaigns.load(tmp_path).good) == 8


def test_settings_that_cannot_be_written_whole_are_not_there(tmp_path, monkeypatch):
    def full(path, said, encoding):
        path.write_bytes(said[:5].encode(encoding))
        raise OSError("No space left on device")

    file = table(tmp_path, ODD)
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left"):
        settings.write_settings(file, {})
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_refused_leaves_no_settings_behind(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = ["output_dir=out", "--quiet", "--write-settings"]
    alone = ["system;Sentence;rater;score", *(f"A;{k // 2};{'uv'[k % 2]};{k}" for k in range(9))]
    for rows, said in (
        ([*ODD, "A;3;u;101"], "column 'Adequacy (0-100)': out of range; found '101'"),
        (alone, "fewer than two systems in xx-yy"),  # can be read, and not be ranked
    ):
        table(tmp_path, rows)
        assert main(["verdict", "odd.csv", *small]) == 2
        assert said in capsys.readouterr().err
        assert [file.name for file in tmp_path.iterdir()] == ["odd.csv"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [({"columns": "score"}, "not a mapping"), ({"columns": "score=a,score=b"}, "not a mapping"),
     ({"columns": "points=a"}, "not a mapping of columns"), ({"wide": "A"}, "not columns of sys"),
     ({"scale": "5"}, "not a scale"), ({"decimal": ";"}, "not a decimal sign")],
)  # fmt: skip
def test_wrong_settings_of_the_command_line_are_refused(words, problem):
    with pytest.raises(DataError, match=problem):
        settings.told(words)


def test_a_table_of_something_else_is_not_guessed_at(tmp_path):
    file = table(tmp_path, ["name,age,city", "Ann,40,Oslo", "Bob,40,Oslo", "Cy,30,Bonn"])
    assert almost(file) == ("", "")


@pytest.mark.parametrize(
    ("names", "said", "asked"),
    [("engdeu5a{:02d}", "", "3 accounts may be fewer people"), ("sggdeu08{:02d}", "", "3 accounts"),
     ("u{}", "", ""), ("ann-{:02d}", "", ""), ("reader{:02d}", "", ""),
     ("engdeu5a{:02d}", "annotator: {A: [engdeu5a*]}", "")],
)  # fmt: skip
def test_accounts_made_for_a_campaign_are_asked_about(tmp_path, names, said, asked):
    rows = [f"{s},{k},{names.format(k)},{k}" for s in "AB" for k in (1, 2, 3)]
    long = table(tmp_path, ["system,segment,annotator,score", *rows], said=said)
    cells = (row.split(",") for row in rows)
    (tmp_path / "export").mkdir()
    export = [f"{u},{s},{k},TGT,eng,deu,{k}0,1.0,2.0" for s, k, u, _ in cells]
    appraise = table(tmp_path / "export", export, "mine.csv", said)
    for file in (long, appraise):
        rows = campaigns.find(file).reading
        rows = rows[rows["what"] == "accounts"]
        assert len(rows) == bool(asked) and all(one.startswith(asked) for one in rows["value"])


def test_logs_of_an_evaluation_harness_have_tasks_as_documents(tmp_path):
    """As Inspect and lm-eval write them, one sample a row; samples count within their task."""
    rows = [
        {"model": m, "task": t, "sample_id": k, "scorer": "judge", "value": (k + n) % 2, "epoch": 1}
        for n, m in enumerate("AB") for t in ("gsm8k", "arc") for k in range(4)
    ]  # fmt: skip
    file = table(tmp_path, [json.dumps(row) for row in rows], "log.jsonl")
    with pytest.raises(DataError, match=r"columns: \{score: value\}\n"):
        campaigns.find(file)
    (tmp_path / "campaign.yaml").write_text("columns: {document: task, score: value}\n")
    campaign = campaigns.find(tmp_path)
    frame = campaigns.load(campaign)
    assert set(frame["document"]) == {"gsm8k", "arc"} and frame["segment"].nunique() == 8
    assert campaign.words["systems"] == "models" and campaign.unsaid == {"pair", "annotator"}


def test_where_a_table_cannot_be_read_three_lines_of_python_are_shown(tmp_path):
    file = tmp_path / "survey.csv"
    rows = [f"{m};{k};{u};{(k + u) % 5 + 1};{(k * u) % 4}" for m in "ABC" for k in range(4)
            for u in (1, 2)]  # fmt: skip
    file.write_text("\n".join(["product;nr;who;mark;points", *rows]))
    with pytest.raises(DataError) as error:
        campaigns.find(file)
    lines = str(error.value).splitlines()[-3:]
    assert lines[0] == "  import pandas as pd, rankstability as rs"
    assert lines[1] == """  frame = pd.read_csv("survey.csv", sep=';')"""
    assert lines[2].startswith("  judgments = rs.judgments(frame, system=")
    assert "<your column>" in lines[2]


def test_the_columns_of_a_wide_table_may_be_segments_or_annotators(tmp_path):
    """What its columns are is what it does not name: a leaderboard has a row for each system."""
    items = [f"q{k}" for k in range(12)]
    board = [",".join(["system", *items])]
    board += [",".join([name, *(str(int(k % n == 0)) for k in range(12))])
              for name, n in (("A", 1), ("B", 2))]  # fmt: skip
    file = tmp_path / "board.csv"
    file.write_text("\n".join(board))
    with pytest.raises(DataError, match="wide table with a column for each segment"):
        campaigns.find(file)
    (tmp_path / "campaign.yaml").write_text("wide: all\n")
    scores = campaigns.load(file)
    assert scores.attrs["items"] and sorted(map(str, scores["segment"].unique())) == sorted(items)
    assert scores.groupby("system", observed=True)["raw"].sum().to_dict() == {"A": 12, "B": 6}
    raters = tmp_path / "raters" / "by_rater.csv"
    raters.parent.mkdir()
    raters.write_text("system,segment,anna,ben\nA,1,4,5\nB,1,3,\nA,2,2,4\nB,2,1,5\n")
    with pytest.raises(DataError, match=r"column for each annotator \(anna, ben\)"):
        campaigns.find(raters)
    (raters.parent / "campaign.yaml").write_text("wide: [anna, ben]\n")
    good = campaigns.load(raters).good
    assert len(good) == 7 and set(good["worker"]) == {"anna", "ben"}


def test_per_cent_signs_and_truth_values_are_scores(tmp_path):
    given = {
        "percent": ["80 %", "60%", "100 %", ""],
        "truth": ["true", "False", "TRUE", ""],
        "mixed": ["80 %", "60", "70", "1"],
    }
    said = {}
    for name, cells in given.items():
        rows = [f"{'AB'[k % 2]},{k // 2},{cell}" for k, cell in enumerate(cells)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["system,segment,score", *rows]))
        if name == "mixed":
            with pytest.raises(DataError, match="not a number; found '80 %'; expected a number"):
                campaigns.load(tmp_path / "mixed.csv")
            continue
        campaign = campaigns.find(tmp_path / f"{name}.csv")
        said[name] = sorted(campaigns.load(campaign)["raw"])
        assert "scores" in set(campaign.reading["what"])
    assert said == {"percent": [60, 80, 100], "truth": [0, 1, 1]}


def test_the_sheet_that_fits_is_known_by_words_of_other_languages(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Anleitung"
    book.active.append(["Bitte bewerten"])
    sheet = book.create_sheet("Bewertungen")
    sheet.append(["Produkt", "Satz", "Wer", "Bewertung (1-5)"])
    for k in range(16):
        sheet.append(
            ["AB"[k % 2], f"s{k // 4}", "uv"[k // 2 % 2], 1 + k % 5 if k != 7 else "k. A."]
        )
    book.create_sheet("Auswertung").append(["Produkt", "Mittel"])
    book.save(tmp_path / "umfrage.xlsx")
    with pytest.raises(DataError) as error:
        campaigns.find(tmp_path / "umfrage.xlsx")
    for line in (
        "columns: {system: Produkt, segment: Satz, annotator: Wer, score: Bewertung (1-5)}",
        "scale: [1, 5]", "missing: [k. A.]",
    ):  # fmt: skip
        assert line in str(error.value)
    settings.write_settings(tmp_path / "umfrage.xlsx", {})
    campaign = campaigns.find(tmp_path / "umfrage.xlsx")
    assert len(campaigns.load(campaign).good) == 15
    said = campaign.reading.set_index("what")["value"]
    assert said["sheet"] == "Bewertungen"


def test_a_leaderboard_with_a_row_a_system_leaves_ranks_and_averages_out(tmp_path):
    """As MTEB's and others are exported: their rank, size and mean would count as items."""
    rows = [f"{k + 1},m{k},{7000 - k},{50 - k},{60 - k},{40 - 2 * k},{50 - k}" for k in range(6)]
    file = table(tmp_path, ["Rank,Model,Model Size (M),Average,IFEval,BBH,GPQA", *rows])
    with pytest.raises(
        DataError, match=r"a column for each segment \(IFEval, BBH, GPQA\)"
    ) as error:
        campaigns.find(file)
    assert error.value.expected.endswith(":\nwide: [IFEval, BBH, GPQA]\n")
    campaign = campaigns.find(file, settings.told({"wide": "all"}))
    scores = campaigns.load(campaign)
    assert set(scores.segment) == {"IFEval", "BBH", "GPQA"} and scores.attrs["items"]
    unused = campaign.reading.set_index("what").value["columns not used"]
    assert unused == "Rank, Model Size (M), Average"


@pytest.mark.parametrize("index", [True, False])
def test_rows_of_a_wide_table_that_names_no_segments_are_segments(tmp_path, index):
    """As pandas writes it, with its index or without."""
    rows = [f"{k}," * index + f"{k % 2},{k % 3 % 2},{k // 6}" for k in range(12)]
    file = table(tmp_path, ["," * index + "Aspen,Birch,Cedar", *rows])
    with pytest.raises(DataError, match=r"wide table with a column for each system") as error:
        campaigns.find(file)
    assert error.value.expected.endswith(":\nwide: all\n")
    campaign = campaigns.find(file, settings.told({"wide": "all"}))
    scores = campaigns.load(campaign)
    assert set(scores.system) == {"Aspen", "Birch", "Cedar"} and scores.segment.nunique() == 12
    assert "the rows of the table" in set(campaign.reading.value)
    named = table(tmp_path, ["rater,Aspen,Birch,Cedar", *(f"u{k},1,2,3" for k in range(12))])
    with pytest.raises(DataError, match="no column for segment"):  # people: their items are unknown
        campaigns.load(campaigns.find(named, settings.told({"wide": "all", "scale": "0,5"})))


def test_columns_of_metrics_are_not_taken_for_annotators(tmp_path):
    rows = [f"{s},{k},{k % 2},.{k}" for s in "AB" for k in range(6)]
    problem, remedy = almost(table(tmp_path, ["system,segment,em,f1", *rows]))
    assert problem == "it looks like a long table without a column for score"
    assert "columns: {score: em or f1}" in remedy


def test_many_columns_of_systems_are_told_as_all(tmp_path):
    header = "benchmark," + ",".join(f"m{k}" for k in range(30))
    rows = [f"b{k}," + ",".join(f"{(7 * k + j) % 90}.5%" for j in range(30)) for k in range(8)]
    assert almost(table(tmp_path, [header, *rows]))[1].endswith(
        ":\ncolumns: {segment: benchmark}\nwide: all\n"
    )


def test_two_words_for_right_and_wrong_are_scores(tmp_path):
    rows = [f"{s},{k},{('Pass', 'fail')[k % 2]}" for s in "AB" for k in range(6)]
    campaign = campaigns.find(table(tmp_path, ["system,segment,score", *rows]))
    assert sorted(campaigns.load(campaign).raw.unique()) == [0, 1]
    assert "pass counts as 1, fail as 0" in set(campaign.reading.value)
    rows = [f"{s},{k},{('good', 'bad', 'fair')[k % 3]}" for s in "AB" for k in range(6)]
    with pytest.raises(DataError, match="all scores are words") as error:
        campaigns.load(table(tmp_path, ["system,segment,score", *rows]))
    assert "missing" not in error.value.expected


@pytest.mark.parametrize(
    ("cell", "number", "score"),
    [("3,5", True, True), ("-2", True, True), ("3.5e2", True, True), ("nan", True, True),
     ("1,2,3", False, False), ("", False, False), ("80 %", False, True), ("-80,5%", False, True),
     ("True", False, True), ("FALSE", False, True), ("yes", False, False), ("%", False, False)],
)  # fmt: skip
def test_a_cell_is_a_number_or_may_be_a_score(cell, number, score):
    assert columns.is_number(cell) is number and columns.is_score(cell) is score


@pytest.mark.parametrize(
    ("name", "summary"),
    [("Rank", True), ("Model Size (M)", True), ("average score", True), ("cost_usd", True),
     ("ranked", False), ("score", False), ("", False), ("Total", True), ("means", False)],
)  # fmt: skip
def test_columns_of_ranks_and_sizes_are_known_by_a_word(name, summary):
    assert columns.summarises(name) is summary


@pytest.mark.parametrize(
    ("named", "of"),
    [((), "system"), (("system",), "segment"), (("system", "segment"), "annotator"),
     (("segment", "annotator"), "system"), (("system", "annotator"), "segment"),
     (("system", "segment", "annotator"), "")],
)  # fmt: skip
def test_what_columns_of_a_wide_table_are_is_what_it_does_not_name(named, of):
    assert columns.beside_each_other(named) == of


def scored(folder, cells, **settings):
    """The scores of a table with these cells, as they were understood, and what was said."""
    rows = ["system;segment;score", *(f"{'AB'[k % 2]};{k};{cell}" for k, cell in enumerate(cells))]
    read = columns.opened(table(folder, rows), settings)
    return read.column("score").astype(str).tolist(), dict(one[:2] for one in read.said)


@pytest.mark.parametrize(
    ("cells", "scores", "said"),
    [(["yes", "No", ""], ["1", "0", ""], {"scores": "yes counts as 1, no as 0"}),
     (["passed", "FAILED"], ["1", "0"], {"scores": "passed counts as 1, failed as 0"}),
     (["wrong", "correct"], ["0", "1"], {"scores": "correct counts as 1, wrong as 0"}),
     (["right", "wrong"], ["1", "0"], {"scores": "right counts as 1, wrong as 0"}),
     (["yes", "wrong"], ["yes", "wrong"], {}), (["", "na"], ["", "na"], {}),
     (["80 %", "7,5%", "NA"], ["80", "7.5", "NA"],
      {"scores": "per cent signs taken away", "sign before decimals": ","}),
     (["80 %", "7"], ["80 %", "7"], {}),
     (["3,5", "2"], ["3.5", "2"], {"sign before decimals": ","}),
     (["1,234", "1,5"], ["1.234", "1.5"], {"sign before decimals": ","}),
     (["1,2,3", "1,5"], ["1,2,3", "1,5"], {}), (["3.5", "2"], ["3.5", "2"], {})],
)  # fmt: skip
def test_scores_are_understood_where_all_of_them_are_of_one_kind(tmp_path, cells, scores, said):
    assert scored(tmp_path, cells) == (scores, said)


def test_a_comma_in_scores_is_what_the_settings_say(tmp_path):
    assert scored(tmp_path, ["1,234", "2"], decimal=",")[0] == ["1.234", "2"]
    assert scored(tmp_path, ["1,234", "2"], decimal=".")[0] == ["1,234", "2"]
    with pytest.raises(DataError, match="line 3, column 'score': a point in a score") as error:
        scored(tmp_path, ["2", "1.5", "1,5"], decimal=",")
    assert error.value.value == "1.5"
    with pytest.raises(DataError, match="line 3, column 'score': a comma that may separate"):
        scored(tmp_path, ["2", "1,500", "3"])
    rows = [json.dumps({"system": "A", "segment": k, "score": k}) for k in range(3)]
    with pytest.raises(DataError, match="`decimal:` does nothing here") as error:
        columns.opened(table(tmp_path, rows, "x.jsonl"), {"decimal": ","})
    assert (error.value.column, error.value.value) == ("score", ",")


def test_words_for_no_score_are_made_empty_and_counted(tmp_path):
    cells = ["k. A.", "5", "K. a.", "-", "4"]
    scores, said = scored(tmp_path, cells, missing=["k. a.", " - "])
    assert scores == ["", "5", "", "", "4"]
    assert said == {"no score: k. a.": "2 cells", "no score:  - ": "1 cells"}
    with pytest.raises(DataError, match="no such word among the scores; found 'x'"):
        scored(tmp_path, cells, missing=["-", "x"])


@pytest.mark.parametrize(
    ("accounts", "asked"),
    [(["engdeu01", "engdeu02"], "2 accounts"), (["engdeu01"], ""), (["engdeu01"] * 2, ""),
     (["engdeu01", "anna"], ""), (["xxxdeu01", "xxxdeu02"], "2 accounts"),
     (["xxxyyy01", "xxxyyy02"], ""), (["engdeua1", "engdeuab"], ""), (["engdeu1", "engdeu2"], "")],
)  # fmt: skip
def test_two_accounts_with_the_code_of_a_language_may_be_one_person(accounts, asked):
    notes = columns.asked_of(accounts)
    assert len(notes) == bool(asked)
    assert all(value.startswith(f"{asked} may be fewer people") for _, value, _ in notes)


def test_a_table_that_lacks_a_column_is_refused_on_its_first_line(tmp_path):
    file = table(tmp_path, ["system,segment,x", "A,1,u", "B,1,v"])
    with pytest.raises(DataError, match="no column for score") as error:
        columns.opened(file, {})
    assert (error.value.line, error.value.value) == (1, "system, segment, x")
    assert error.value.expected.startswith(
        "a header with score or rating or rawscore, or `columns:"
    )
    with pytest.raises(DataError, match="no column for segment: segment is told to be the score"):
        columns.opened(file, {"columns": {"score": "segment"}})
    with pytest.raises(DataError, match="a header but no rows; expected judgments"):
        columns.opened(table(tmp_path, ["system,segment,score"]), {})


def test_lines_and_blanks_of_a_wide_table_go_with_each_score(tmp_path):
    file = table(tmp_path, ["segment,rater,X,Y", " 1,u,5,6", "", "2,u,7,"])
    read = columns.opened(file, {"wide": ["X", "Y"]})
    assert read.table.lines.tolist() == [2, 4, 2, 4]
    assert read.column("system").tolist() == [*"XXYY"]
    assert read.column("score").tolist() == ["5", "7", "6", ""]
    assert read.column("document").tolist() == [""] * 4
    assert list(read.table.trimmed(["segment"]).values()) == [2, 0]
    assert read.said[0] == ("a column for each system", "X, Y", "")
    for wide, problem in (
        (["X"], "fewer than two columns of systems"), (["X", "Z"], "no such column for a system"),
        (["X", "rater"], "no such column for a system"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=problem) as error:
            columns.opened(file, {"wide": wide})
        assert error.value.line == 1


def test_columns_of_mostly_numbers_are_taken_for_all(tmp_path):
    rows = ["segment,X,Y,note,Rank", "1,5,6,7,1", "2,7,8,x,2", "3,,9,,3", "4,x,1,y,4"]
    read = columns.opened(table(tmp_path, rows), {"wide": "all"})
    assert read.said[0][1] == "X, Y"  # two of three, not one of three; ranks summarise
    half = ["segment,X,Y,Z", "1,5,6,7", "2,7,8,x"]
    assert columns.opened(table(tmp_path, half), {"wide": "all"}).said[0][1] == "X, Y"


def test_rows_of_a_wide_table_are_numbered_unless_an_index_names_them(tmp_path):
    for rows, names in (
        ([",X,Y", "a,1,2", "b,3,4"], ["a", "b"]), ([",X,Y", "a,1,2", "a,3,4"], ["1", "2"]),
        (["X,Y", "1,2", "3,4"], ["1", "2"]), (["X,Y,Total", "1,2,3", "3,4,7"], ["1", "2"]),
    ):  # fmt: skip
        read = columns.opened(table(tmp_path, rows), {"wide": "all"})
        assert read.column("segment").tolist() == names * 2
        assert ("segments", "the rows of the table", "their place") in read.said
    with pytest.raises(DataError, match="no column for segment"):
        columns.opened(table(tmp_path, ["X,Y,who", "1,2,u", "3,4,v"]), {"wide": "all"})


def test_the_pair_is_of_the_settings_the_name_or_a_placeholder(tmp_path):
    rows = ["system,segment,score", "A,1,2", "B,1,3"]
    for name, said, pair, source in (
        ("x.csv", {"pair": "cs-en"}, "cs-en", "campaign.yaml"),
        ("en-de.csv", {}, "en-de", "the file's name"),
        ("x.csv", {}, "xx-yy", "a placeholder: no column, name or setting says it"),
    ):
        read = columns.opened(table(tmp_path, rows, name), said)
        assert (read.pair, read.pair_from) == (pair, source)
        assert read.pairs().tolist() == [pair] * 2


# ------------------------------------------------------------------ guesses


@pytest.mark.parametrize(
    ("ours", "cells", "fits"),
    [("segment", ["1", "2"], True), ("segment", ["1", "1"], False), ("segment", ["1", ""], False),
     ("score", ["1", "2"], True), ("score", ["1", "1"], False), ("score", ["1", "x"], False),
     ("score", ["1", "2", "k. A.", ""], True), ("score", ["1", "2", "good"], False),
     ("score", ["", "-"], False), ("score", ["50 %", "true"], True),
     ("system", [*"AABB"], True), ("system", [*"AAB"], False), ("system", [*"AAAA"], False),
     ("system", [*"1122"], False), ("annotator", [*"1122"], True), ("annotator", [*"1123"], False),
     ("annotator", ["u", "u", "v", "v", "", "NA"], True)],
)  # fmt: skip
def test_values_that_fit_a_column_of_ours(ours, cells, fits):
    assert guesses._fits(ours, cells) is fits


def test_one_value_of_scores_fits_where_one_is_enough():
    assert guesses._fits("score", ["1", "1"], least=1) and not guesses._fits("score", [""], least=1)


def test_a_column_is_guessed_by_name_or_as_the_only_one_left():
    cells = {"Satz": [*"1122"], "x": [*"AABB"], "mark": [*"1234"]}
    assert guesses._guessed(cells, {}, ["score", "segment", "system"]) == (
        {"score": "mark", "segment": "Satz", "system": "x"}, {},
    )  # fmt: skip
    guessed, open_ = guesses._guessed(cells | {"y": [*"ABAB"]}, {}, ["segment", "system"])
    assert guessed == {"segment": "Satz"} and open_ == {"system": ["x", "y"]}
    guessed, open_ = guesses._guessed({"u": [*"aabb"]}, {}, ["annotator"])
    assert (guessed, open_) == ({}, {})  # people only by name
    two = {"rater": [*"aabb"], "judge": [*"abab"]}
    assert guesses._guessed(two, {}, ["annotator"]) == ({}, {"annotator": ["rater", "judge"]})
    assert guesses._guessed(cells, {"score": "mark"}, ["score"]) == ({}, {})
    assert guesses._guessed({"z": ["A"]}, {}, ["segment"]) == ({}, {"segment": []})


def numbers(*names, n=4):
    return {name: [str((k + len(name)) % 7) for k in range(n)] for name in names}


@pytest.mark.parametrize(
    ("cells", "found", "wide"),
    [(numbers("X", "Y"), {"score": "s"}, []),
     (numbers("X", "Y") | {"seg": [*"1234"]}, {"segment": "seg"}, ["X", "Y"]),
     (numbers("X", "Y") | {"sentence": [*"1234"]}, {}, ["X", "Y"]),
     (numbers("X", "Y") | {"rater": [*"aabb"]}, {}, ["X", "Y"]),
     (numbers("X", "Y"), {}, ["X", "Y"]), (numbers("X", "Y", "Rank"), {}, ["X", "Y"]),
     (numbers("X", "Y") | {"note": [*"abcd"]}, {}, []),
     (numbers("X", "engine"), {}, []), (numbers("X", "bleu"), {}, []),
     (numbers("X", "Y") | {"s": [*"AABB"]}, {"system": "s"}, []),
     (numbers("X", "Y") | {"s": [*"ABCD"]}, {"system": "s"}, ["X", "Y"]),
     (numbers("X", "Y") | {"s": [*"AABB"], "k": [*"1212"]}, {"system": "s", "segment": "k"},
      ["X", "Y"]),
     (numbers("X", "fluency") | {"s": [*"ABCD"]}, {"system": "s"}, []),
     (numbers("X", "Y") | {"s": [*"ABCD"], "a": [*"uvuv"]}, {"system": "s", "annotator": "a"}, []),
     (numbers("X", "Y") | {"s": [*"ABCD"], "note": [*"abcd"]}, {"system": "s"}, []),
     (numbers(*(f"q{k}" for k in range(10))) | {"s": [*"AABB"]}, {"system": "s"},
      [f"q{k}" for k in range(10)]),
     (numbers(*(f"q{k}" for k in range(9))) | {"s": [*"AABB"]}, {"system": "s"}, [])],
)  # fmt: skip
def test_columns_of_scores_side_by_side(cells, found, wide):
    assert guesses._side_by_side(cells, found) == wide


@pytest.mark.parametrize(("n", "wide"), [(20, [f"m{k}" for k in range(20)]), (21, "all")])
def test_twenty_columns_of_systems_are_named_and_more_are_all(tmp_path, n, wide):
    header = ",".join(["sentence", *(f"m{k}" for k in range(n))])
    rows = [f"s{k}," + ",".join(str((k + j) % 7) for j in range(n)) for k in range(6)]
    file = table(tmp_path, [header, *rows])
    entry, open_ = guesses.proposed(file, {})
    assert entry == {"columns": {"segment": "sentence"}, "wide": wide} and open_ == {}
    like, _ = almost(file)
    shown = "m17, m18, m19, m20, ..." if wide == "all" else "m0, m1, m2, m3, ..."
    assert like == f"it looks like a wide table with a column for each system ({shown})"
    beside = [f"{row},{k}" for k, row in enumerate(rows)]
    entry, _ = guesses.proposed(table(tmp_path, [header + ",Remark", *beside]), {})
    assert entry["wide"] == "all"


@pytest.mark.parametrize(
    ("name", "scale"),
    [("mark (1-5)", [1, 5]), ("mark 0 to 100", [0, 100]), ("mark (5-1)", None), ("mark", None),
     ("mark 1..7 ", [1, 7]), ("mark (1\u20135)", [1, 5]), ("mark (3-3)", None)],
)  # fmt: skip
def test_a_scale_in_the_name_of_a_column_is_proposed(tmp_path, name, scale):
    rows = [f"{s},{k},{u},{1 + k % 5}" for s in "AB" for k in range(4) for u in "uv"]
    entry, open_ = guesses.proposed(table(tmp_path, [f"engine,Satz,rater,{name}", *rows]), {})
    assert entry.get("scale") == scale and open_ == {}
    assert entry["columns"]["score"] == name.strip()


def test_words_among_scores_are_proposed_as_no_score_unless_told(tmp_path):
    rows = [
        f"{s},{k},{'k. A.' if k == 1 else '-' if k == 2 else k}" for s in "AB" for k in range(6)
    ]
    file = table(tmp_path, ["engine,Satz,Bewertung", *rows])
    assert guesses.proposed(file, {})[0]["missing"] == ["-", "k. A."]
    assert "missing" not in guesses.proposed(file, {"missing": ["-"]})[0]


def test_a_table_is_nearly_long_if_two_of_its_columns_are_likely(tmp_path):
    rows = ["a,1", "b,2", "a,3", "b,4"]
    assert almost(table(tmp_path, ["city,year", *rows])) == ("", "")
    assert almost(table(tmp_path, ["only", "a", "b"])) == ("", "")
    assert almost(table(tmp_path, ["system,city", *rows])) == ("", "")  # one alone
    assert almost(table(tmp_path, ["segment,document", *rows])) == ("", "")
    like, expected = almost(table(tmp_path, ["system,points,city", *(f"{row},x" for row in rows)]))
    assert like == "it looks like a long table without a column for segment and score"
    assert expected


def test_battles_are_looked_for_in_columns_of_words_that_repeat(tmp_path):
    fights = [("A", "B", "A"), ("B", "C", "tie"), ("C", "A", "right"), ("B", "A", "second")] * 2
    rows = [",".join(one) for one in fights]
    found = {"left": "first", "right": "second", "winner": "better"}
    assert guesses.battle(table(tmp_path, ["first,second,better", *rows])) == found
    turned = [",".join(one[::-1]) for one in fights]
    assert guesses.battle(table(tmp_path, ["better,second,first", *turned])) == {
        "left": "second", "right": "first", "winner": "better",
    }  # fmt: skip
    itself = [*rows, "A,A,A"]
    assert guesses.battle(table(tmp_path, ["first,second,better", *itself])) == {}
    apart = [f"{a}1,{b}2,left" for a, b, _ in fights] + ["A1,B2,right"]
    assert guesses.battle(table(tmp_path, ["first,second,better", *apart])) == {}
    padded = [",".join([*(f"w{k % 3 + j}" for j in range(10)), row]) for k, row in enumerate(rows)]
    many = ",".join(f"x{j}" for j in range(10))
    assert guesses.battle(table(tmp_path, [f"{many},first,second,better", *padded])) == {}
    fewer = [row.partition(",")[2] for row in padded]
    header = f"{many.partition(',')[2]},first,second,better"
    assert guesses.battle(table(tmp_path, [header, *fewer])) == found


def test_systems_of_battles_stand_on_both_sides():
    frame = pd.DataFrame({"a": [*"ABCD"], "b": [*"BAEF"], "w": ["left"] * 4})
    assert guesses._fought(frame, ("a", "b", "w"))  # half of them
    frame["b"] = [*"BGEF"]
    assert not guesses._fought(frame, ("a", "b", "w"))


@pytest.mark.parametrize(
    ("name", "first", "read"),
    [("x.csv", "a,b", 'read_csv("x.csv")'), ("x.csv", "a;b", """read_csv("x.csv", sep=';')"""),
     ("x.txt", "a\tb", """read_csv("x.txt", sep='\\t')"""),
     ("x.tsv", "a\tb", """read_csv("x.tsv", sep="\\t")"""),
     ("x.jsonl", "{}", 'read_json("x.jsonl", lines=True)'), ("x.json", "[]", 'read_json("x.json")'),
     ("x.xlsx", "", 'read_excel("x.xlsx")'), ("x.parquet", "", 'read_parquet("x.parquet")')],
)  # fmt: skip
def test_lines_of_python_read_a_table_by_its_ending(tmp_path, name, first, read):
    (tmp_path / name).write_text(first + "\n")
    assert guesses._frame(tmp_path / name).splitlines()[1] == f"  frame = pd.{read}"


def test_lines_of_python_name_the_columns_that_are_known(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n")
    said = guesses.in_python(tmp_path / "x.csv", {"system": "S", "document": "D"}).splitlines()[-1]
    assert said.startswith(
        '  judgments = rs.judgments(frame, system="S", segment="<your column>", '
    )
    assert 'score="<your column>", document="D")' in said and "annotator" not in said


def test_settings_are_written_each_on_a_line_of_any_length():
    entry = {"columns": {"score": "x" * 200 + " y", "system": "é"}, "scale": [0, 5]}
    assert (
        guesses.written(entry) == f"columns: {{score: {'x' * 200} y, system: é}}\nscale: [0, 5]\n"
    )
    assert guesses.written({"wide": "all"}) == "wide: all\n"
    assert guesses.shown({"wide": "all"}).endswith("writes it):\nwide: all\n")


def test_words_of_names_tell_what_columns_may_be():
    assert guesses.likely(["MT engine", "SatzNr", "x"]) == {"system", "segment"}
    assert guesses.likely(["Respondent", "Points"]) == {"annotator", "score"}
    people = [
        name for name in ("Rater 1", "name", "user_id", "city") if guesses.may_be_people(name)
    ]
    assert people == ["Rater 1", "user_id"]
    measures = [one for one in ("Fluency", "f1", "em_x", "WER", "x") if guesses._is_measure(one)]
    assert measures == ["Fluency", "f1", "em_x", "WER"]


def test_settings_that_stay_open_are_refused_by_name(tmp_path):
    rows = [f"{s},{k},{k},{7 - k}" for s in "AB" for k in range(6)]
    file = table(tmp_path, ["engine,Satz,p,q", *rows])
    with pytest.raises(DataError, match="several columns may be the score") as error:
        guesses.settled(file, {})
    assert (error.value.line, error.value.value) == (1, "p, q")
    told = guesses.settled(file, {"columns": {"score": "p"}, "scale": [0, 9]})
    assert told == {
        "columns": {"system": "engine", "score": "p", "segment": "Satz"}, "scale": [0, 9],
    }  # fmt: skip
    words = table(tmp_path, ["engine,Satz,p", *(f"{s},{k},w{k}" for s in "AB" for k in range(6))])
    with pytest.raises(DataError, match="no column may be the score") as error:
        guesses.settled(words, {})
    assert error.value.value is None
    wide = guesses.settled(table(tmp_path, WIDE), {"wide": ["Aspen", "Birch"]})
    assert wide == {"columns": {"annotator": "rater"}, "wide": ["Aspen", "Birch"]}


def test_of_columns_that_may_be_the_same_one_is_proposed():
    with pytest.raises(DataError, match="several columns may be the annotator") as error:
        columns.columns_of(["worker", "x", "rater"], {})
    assert error.value.value == "worker, rater"
    told = '`columns: {annotator: worker}` in a campaign.yaml, or columns="annotator=worker"'
    assert error.value.expected == told
    named = columns.columns_of(["worker", "x", "rater"], {"annotator": "rater", "score": "x"})
    assert named == {"annotator": "rater", "score": "x"}


@pytest.mark.parametrize(("more", "wide"), [("Rank", "all"), ("person", "named"), ("note", "all")])
def test_systems_are_named_one_by_one_if_other_columns_hold_numbers(tmp_path, more, wide):
    names = [f"m{k}" for k in range(21)]
    cell = "remark {}" if more == "note" else "{}"
    rows = [
        ",".join([f"s{k}", cell.format(k), *(str((k + j) % 7) for j in range(21))])
        for k in range(6)
    ]
    file = table(tmp_path, [",".join(["sentence", more, *names]), *rows])
    assert guesses.proposed(file, {})[0]["wide"] == (names if wide == "named" else "all")


def test_what_was_read_of_a_file_is_not_changed_in_place(tmp_path):
    read = columns.opened(table(tmp_path, ["system,segment,score", "A,1,2", "B,1,x"]), {})
    with pytest.raises(AttributeError, match="cannot assign to field 'pair'"):
        read.pair = "cs-en"
    assert read.averages is False and read.scale is None
    assert read.scores[0] == 2 and pd.isna(read.scores[1])
    assert read.take([1]).column("score").tolist() == ["x"]
