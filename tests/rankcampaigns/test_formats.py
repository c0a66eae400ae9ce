"""Samples of each format that other tools write, and what is refused or left out of them."""

import gzip
import json

import pandas as pd
import pytest

from assessments import excluded
from rankcampaigns import campaigns, formats
from rankcampaigns.da import COLUMNS
from rankcompanion.running.commands import main
from rankstability import load
from rankstability.errors import DataError

# ------------------------------------------------------------------ all


def test_each_example_is_known_as_its_format(tmp_path):
    """What `rankstability formats` shows is a file of that format, and is read."""
    names = {"mqm": "mqm_x_ende.tsv", "segments": "ad-seg-scores-cs-en.csv",
             "mtme": "en-de.mqm.seg.score"}  # fmt: skip
    for name, about in formats.described().items():
        examples = [about["example"]] if name != "appraise" else about["example"].splitlines()
        for k, example in enumerate(examples):
            file = tmp_path / f"{name}{k}" / names.get(name, "sample.csv")
            file.parent.mkdir()
            file.write_text(example)
            assert formats.kind_of(file) == name, name
            campaign = campaigns.find(file)
            assert campaign.protocol == formats.FORMATS[name].protocol
            load(campaign, campaign.pairs[0])


def test_the_command_lists_them_with_an_example(capsys):
    assert main(["formats"]) == 0
    shown = capsys.readouterr().out
    for name, about in formats.described().items():
        assert f"{name} (" in shown and about["example"].splitlines()[0] in shown
    assert main(["formats", "long"]) == 0 and "refused:" in capsys.readouterr().out
    assert main(["formats", "xls"]) == 2


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "no/such", "ratingz.csv"])
def test_a_name_that_is_no_path_is_an_unknown_campaign(name):
    path = "/" in name or "." in name
    with pytest.raises(DataError, match="no such file or folder" if path else "unknown campaign"):
        campaigns.find(name)


def test_blanks_and_control_characters_in_names(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("system,segment,annotator,score\nA,1,u,3\nA ,2,u,4\nB, 1,u ,2\n")
    da = load(file)
    assert set(da.good.system) == {"A", "B"}
    assert excluded(da)["(kept: blanks around names taken away)"] == 2
    file.write_text('system,segment,annotator,score\nA,1,u,3\n"A\nB",2,u,4\n')
    with pytest.raises(DataError, match="a line break or control character in an id"):
        load(file)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.tsv", "\t".join(COLUMNS[:-1]) + "\n", "it looks like da without time"),
        ("x.tsv", "system\tdoc\trater\tcategory\n", "it looks like mqm without severity"),
        ("x.jsonl", '{"model_a": "A", "model_b": "B", "label": "tie"}', "battles without winner"),
        ("x.jsonl", '{"user_id": "u", "annotation": [], "item": []}', "pearmut without item_i"),
        ("x.csv", "system,sentence,score\n",
         r"known format: it looks like a long table .*segment.*; expected `columns: \{segment: "),
        ("x.txt", "nothing of the kind\n", "one of the formats that `rankstability formats` lists"),
        ("x.csv", "", "one of the formats"),
    ],
)  # fmt: skip
def test_a_file_that_is_nearly_of_a_format_says_so(tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=words):
        campaigns.find(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        ('{\n"a": 1\n}', True),
        ('{"a": 1}\n{"a": 2}', False),
        ('{\n"a": 1\n', False),
        ("[\n]", False),
    ],
)
def test_an_object_over_several_lines_is_one_if_it_is_whole(tmp_path, content, is_one):
    (tmp_path / "x.json").write_text(content)
    assert formats._is_object(tmp_path / "x.json") is is_one


def test_an_empty_folder_is_called_one(tmp_path):
    with pytest.raises(DataError, match="no files in a known format; found 'an empty folder'"):
        campaigns.find(tmp_path)
    (tmp_path / "notes.md").write_text("none")
    with pytest.raises(DataError, match=r"no files in a known format; found 'notes\.md'"):
        campaigns.find(tmp_path)


def test_judgments_are_looked_for_in_folders_three_deep_and_no_deeper(tmp_path):
    long, esa = "system,segment,score\nA,1,3\nB,1,2\n", "u1,A,1,TGT,eng,deu,70,d,False,[],1,2\n"
    deepest = tmp_path / "release" / "one" / "two" / "three"
    (deepest / "four").mkdir(parents=True)
    (deepest / "four" / "mine.csv").write_text(long)
    assert formats.deeper(tmp_path / "release") == {}
    (deepest / "mine.csv").write_text(long)
    found = {"format": "long", "files": ["one/two/three/mine.csv"]}
    assert formats.deeper(tmp_path / "release") == found
    (deepest / "esa_mine.csv").write_text(esa)  # beside which a long table is left
    form = formats.kind_of(deepest / "esa_mine.csv")
    found = {"format": form, "files": ["one/two/three/esa_mine.csv"]}
    assert formats.deeper(tmp_path / "release") == found


@pytest.mark.parametrize("name", ["mine.csv", "mine.xls"])
@pytest.mark.parametrize("inside", ["", "folder"])
def test_a_spreadsheet_is_refused_in_words_that_can_be_read(tmp_path, name, inside):
    (tmp_path / inside).mkdir(exist_ok=True)
    start = b"\xd0\xcf\x11\xe0" if name.endswith("xls") else b"PK\x03\x04"
    (tmp_path / inside / name).write_bytes(start + b"\0" * 600)
    wanted = rf"{name}: a spreadsheet or another archive, not text.*expected .* CSV"
    with pytest.raises(DataError, match=wanted):
        campaigns.find(tmp_path / (inside or name))


@pytest.mark.slow
def test_names_that_a_spreadsheet_would_run_stay_as_they_are_in_csv(tmp_path):
    """CSV is joined by name: only what is made for spreadsheets may change one."""
    names = ["=1+1", "+a", "-b", "@c", "-0"]
    file, out = tmp_path / "x.csv", tmp_path / "out"
    rows = [f"{n},{k},w{k % 2},{10 * i + k}" for i, n in enumerate(names) for k in range(6)]
    file.write_text("system,segment,annotator,score\n" + "\n".join(rows) + "\n")
    assert main(["verdict", str(file), f"output_dir={out}"]) == 0
    for table in ("ranking.csv", "recipes.csv"):
        written = pd.read_csv(out / "xx-yy" / table, dtype=str)["system"]
        assert set(written) == set(names), table
    said = json.loads((out / "xx-yy" / "verdict.json").read_text(encoding="utf-8"))
    assert {row["system"] for row in said["systems"]} == set(names)


def test_a_field_of_a_table_has_a_largest_length(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("system,segment,score,text\nA,1,3,x\nA,2,3," + "y" * 200_000 + "\n")
    with pytest.raises(DataError, match=r"x\.csv, line 3: not a table \(field larger"):
        load(file)


@pytest.mark.parametrize("form", formats.FORMATS)
def test_a_format_that_no_file_has_is_refused(tmp_path, form):
    (tmp_path / "campaign.yaml").write_text(f"format: {form}\n")
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    wrong = r"ad-latest\.csv is missing" if form == "da" else f"no file of the format {form}"
    for _ in range(2):
        with pytest.raises(DataError, match=wrong) as error:
            _ = campaigns.find(tmp_path).pairs
        assert tmp_path.name in str(error.value)
        (tmp_path / "notes.csv").unlink(missing_ok=True)


def test_of_files_with_the_names_of_notes_those_that_may_be_data_are_named(tmp_path):
    """By the ending of data, also below .gz; but text only if it is of a known format."""
    told = ("README.csv", "README.gz", "notes.md.gz", "licence.xlsx", ".hidden.tsv.gz")
    untold = ("README.md", "README.txt", "readme.txt.gz", "COPYING")
    for name in (*told, *untold):
        words = b"Written by us.\n"
        (tmp_path / name).write_bytes(gzip.compress(words) if name.endswith("gz") else words)
    rows = [f"{system},{k},{50 + k}" for system in "AB" for k in range(9)]
    judged = "\n".join(["system,segment,score", *rows])
    (tmp_path / "one.csv").write_text(judged)
    (tmp_path / "notice.txt").write_text(judged)
    found = campaigns.find(tmp_path)
    aside = {file for file, reason in found.unread if reason == "hidden, or named as notes"}
    assert aside == {*told, "notice.txt"}
    assert [file.name for file in found.files()] == ["one.csv"]
