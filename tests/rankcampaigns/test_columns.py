"""Columns of odd tables: guessed and shown, settled on the command line, melted."""

import json
from pathlib import Path

import pytest

from rankcampaigns import campaigns, columns, guesses, settings
from rankcampaigns.guesses import almost
from rankcompanion.running.commands import main
from rankcompanion.verdict import page
from rankstability import paths
from rankstability.errors import DataError

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
