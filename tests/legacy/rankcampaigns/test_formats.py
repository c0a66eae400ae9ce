"""Samples of each format that other tools write, and what is refused or left out of them."""

import gzip
import json

import pandas as pd
import pytest

from assessments import excluded
from companion.legacy.rankcampaigns import campaigns, formats
from companion.legacy.rankcampaigns.da import COLUMNS
from companion.legacy.rankcompanion.running.commands import main
from companion.legacy.rankstability import load
from companion.legacy.rankstability.errors import DataError

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
        ('{"a": 1}\n', False),
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


@pytest.mark.parametrize(
    ("line", "form"),
    [("u1,A,1,TGT,eng,deu,70,1,2", "appraise"), ("u1,A,1,TGT,eng,deu,70,1", ""),
     ("u1,A,1,TGT,eng,deu,70,d,False,1,2", "appraise"),
     ("u1,A,1,TGT,eng,deu,70,d,False,[],1,2", "esa"),
     ("[u1,A,1,TGT,eng,deu,70,1,2", ""),
     ("srclang,trglang,system1rank", "rr"), ("srclang;trglang;system1rank", ""),
     ("srclang,trglang,rankingID", "rr"), ("srclang,trglang", ""),
     ("system\tCategory\tSEVERITY", "mqm"), ("system\tcategory", ""),
     ("model_a;model_b;winner", "battles"), ("left,right,winner", "battles"),
     ("left,winner", ""), ("system\tsegment\tscore", "long"),
     ('{"doc_id": 1, "tgt_text": {}, "scores": {}}', "wmt25"),
     ('{"doc_id": 1, "tgt_text": {}}', ""),
     ('{"model_a": "A", "model_b": "B", "winner": "tie"}', "battles"),
     ('{"user_id": "u", "item_i": 0}', "pearmut"), ("user_id,item_i", ""),
     ("H w cs en ad 3 A 1 SYSTEM d_1 70 10", "da"), ("H w cs en ad 3 A 1 OTHER d_1 70 10", ""),
     ("H w cs en ad 3 A 1 SYSTEM d_1 70", "")],
)  # fmt: skip
def test_a_file_is_known_by_its_first_line(tmp_path, line, form):
    (tmp_path / "x.csv").write_text(line + "\n" + line + "\n")
    assert formats.kind_of(tmp_path / "x.csv") == form


@pytest.mark.parametrize(
    ("name", "pair"),
    [("ad-seg-scores-cs-en.csv", "cs-en"), ("ad-seg-scores-bho-en.csv.gz", "bho-en"),
     ("ad-seg-scores-cs-en.tsv", ""), ("ad-seg-scores-cs.csv", ""),
     ("x-ad-seg-scores-cs-en.csv", "")],
)  # fmt: skip
def test_the_pair_of_segment_scores_is_in_their_name(tmp_path, name, pair):
    assert formats.segment_pair(tmp_path / name) == pair


@pytest.mark.parametrize(
    ("header", "said"),
    [("srclang,trglang,srcIndex,x", "it looks like rr without judgeId, system1Id, system1rank"),
     ("srclang,trglang,x,y", ""), ("doc_id,x,tgt_text", "it looks like wmt25 without scores"),
     ("doc_id,x,y", ""), ("user_id,item_i,x", "it looks like pearmut without annotation, item")],
)  # fmt: skip
def test_a_file_nearly_has_a_format_if_it_has_half_of_its_names(tmp_path, header, said):
    (tmp_path / "x.csv").write_text(
        header + "\n" + ",".join("abcd"[: header.count(",") + 1]) + "\n"
    )
    found, remedy = formats._almost(tmp_path / "x.csv")
    assert found == said
    assert remedy == (f"what `rankstability formats {said.split()[3]}` shows" if said else "")


@pytest.mark.parametrize(
    ("settings", "form"),
    [({}, ""), ({"columns": {"score": "x"}}, "long"), ({"wide": "all"}, "long"),
     ({"columns": {"left": "x"}}, "battles"),
     ({"columns": {"judge": "x", "winner": "y"}}, "battles"),
     ({"scale": [0, 1]}, ""), ({"columns": {}}, "long")],
)  # fmt: skip
def test_mapped_columns_make_a_table_long_or_battles(tmp_path, settings, form):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert formats.mapped(tmp_path / "x.csv", (), settings) == form
    (tmp_path / "x.csv").write_text("left,right,winner\nA,B,left\n")  # is battles already
    assert formats.mapped(tmp_path / "x.csv", (), settings) == ("" if form == "long" else form)


def test_of_formats_of_one_folder_da_comes_first_and_a_long_table_last(tmp_path):
    (tmp_path / "a.csv").write_text("system,segment,score\nA,1,2\n")
    assert formats.detect(tmp_path) == "long"
    (tmp_path / "b.csv").write_text("left,right,winner\nA,B,left\n")
    assert formats.detect(tmp_path) == "battles" and formats.detect(tmp_path, ["a.csv"]) == "long"
    (tmp_path / "c.csv").write_text("srclang,trglang,system1rank\ncs,en,1\n")
    with pytest.raises(DataError, match="files of several formats: battles, rr") as error:
        formats.detect(tmp_path)
    assert error.value.value == "a.csv, b.csv, c.csv"
    (tmp_path / "ad-seg-scores-cs-en.csv").write_text("SYS SID\nA 1\n")
    assert formats.detect(tmp_path) == "segments"
    row = "H w cs en ad 3 A 1 SYSTEM d_1 70 10\n"
    (tmp_path / "ad-latest.csv").write_text(" ".join(COLUMNS) + "\n" + row)
    assert formats.detect(tmp_path) == "da"


def test_a_folder_or_file_of_unknown_format_is_shown(tmp_path):
    for k in range(8):
        (tmp_path / f"{k}.dat").write_text("x")
    with pytest.raises(DataError, match="no files in a known format") as error:
        formats.detect(tmp_path)
    assert error.value.value == "0.dat, 1.dat, 2.dat, 3.dat, 4.dat, 5.dat"
    (tmp_path / "x.txt").write_text("y" * 99 + "\nz\n")
    with pytest.raises(DataError, match="not a file of a known format") as error:
        formats.detect(tmp_path / "x.txt")
    assert error.value.value == "y" * 80
    assert error.value.expected.startswith("one of the formats that `rankstability formats` lists")
    assert "rs.judgments(frame, " in error.value.expected


def test_the_files_of_a_format_are_those_named_those_of_a_pattern_or_all(tmp_path):
    text = "system,segment,score\nA,1,2\n"
    for name in ("a.en-de.csv", "b.cs-en.csv", "c.csv"):
        (tmp_path / name).write_text(text)
    (tmp_path / "own.csv").write_text("x,y\n1,2\n")
    (tmp_path / "own.txt").write_text("x,y\n1,2\n")

    def names(**settings):
        return [file.name for file in formats.files("long", tmp_path, "", settings)]

    assert names() == ["a.en-de.csv", "b.cs-en.csv", "c.csv"]
    assert names(files=["c.csv", "gone.csv", "a.en-de.csv"]) == ["c.csv", "a.en-de.csv"]
    assert names(files=["*-*.csv"]) == ["a.en-de.csv", "b.cs-en.csv"]
    assert names(columns={"score": "x"}) == [*names(), "own.csv"] == names(wide="all")
    assert formats.files("long", tmp_path / "own.csv") == (tmp_path / "own.csv",)
    for name in ("mqm_x_ende.tsv", "mqm_x_csen.tsv"):
        (tmp_path / name).write_text("category\tseverity\nStyle\tMinor\n")
    for pair, found in (("", 2), ("en-de", 1), ("de-en", 0)):
        assert len(formats.files("mqm", tmp_path, pair)) == found


@pytest.mark.parametrize(
    ("name", "text", "fine"),
    [("x.jsonl", "a,b\n", False), ("x.ndjson.gz", "a,b\n", False), ("x.csv", "a,b\n", True),
     ("x.csv", "[1, 2\n", False), ("x.jsonl", '{"a": 1}\n', True), ("x.jsonl", "\n", True),
     ("x.json", '{\n"a": 1\n}', True), ("x.csv", '{"a": 1}\n{"a"\n', False),
     ("x.JSONL", "a\n", False)],
)  # fmt: skip
def test_what_is_named_or_begins_as_json_and_is_none_is_refused(tmp_path, name, text, fine):
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    if fine:
        formats._refuse_broken_json(tmp_path / name)
    else:
        with pytest.raises(DataError, match="not JSON"):
            formats._refuse_broken_json(tmp_path / name)


def test_each_reason_why_something_is_not_read_is_said(tmp_path):
    (tmp_path / "mine.csv").write_text("system,segment,score\nA,1,2\n")
    (tmp_path / "b.csv").write_text("left,right,winner\nA,B,left\n")
    (tmp_path / "header.csv").write_text("username,system\n")
    (tmp_path / "data_RNK-public.csv").write_text("a,b\n1,2\n")
    (tmp_path / "sheet.xlsx").write_bytes(b"PK")
    (tmp_path / "x.dat").write_text("x")
    (tmp_path / "more").mkdir()
    told = {
        "b.csv": "of the format battles, not long",
        "data_RNK-public.csv": "paid judgments, which the official results leave out",
        "more": "a folder of its own",
        "sheet.xlsx": "a spreadsheet beside other tables, which are read in its place",
        "x.dat": "not the ending of a table",
        "header.csv": "documents of the release, no judgments",
    }
    assert dict(formats.unread("long", tmp_path, {})) == told
    named = dict(formats.unread("long", tmp_path, {"files": ["mine.csv"]}))
    assert {name for name, why in named.items() if why.startswith("not among the `files:`")} == {
        "b.csv", "data_RNK-public.csv", "header.csv", "sheet.xlsx",
    }  # fmt: skip
    assert formats._why_unread("da", tmp_path / "mine.csv", False) == "of the format long, not da"
    (tmp_path / "linked.csv").symlink_to(tmp_path / "mine.csv")
    assert formats._why_unread("da", tmp_path / "linked.csv", False) == "of the format long, not da"
    for name, why in (("da", ""), ("long", "of the format segments, not long")):
        (tmp_path / "ad-seg-scores-cs-en.csv").write_text("SYS SID\nA 1\n")
        assert formats._why_unread(name, tmp_path / "ad-seg-scores-cs-en.csv", False) == why


def test_a_form_of_json_alone_is_not_that_of_a_table_of_columns(tmp_path, monkeypatch):
    names = {"user_id", "item_i", "model_a", "model_b", "winner"}
    monkeypatch.setattr(formats, "_columns_of", lambda path: names)
    known = {name for name, form in formats.FORMATS.items() if not form.special
             and form.knows(tmp_path / "x.parquet", "")}  # fmt: skip
    assert known == {"battles"}
    names.remove("winner")
    assert not formats.FORMATS["battles"].knows(tmp_path / "x.xlsx", "")


def test_files_in_folders_that_settings_name_leave_the_others_unnamed(tmp_path):
    (tmp_path / "one").mkdir()
    text = "system,segment,score\nA,1,2\n"
    (tmp_path / "one" / "mine.csv").write_text(text)
    (tmp_path / "one" / "b.csv").write_text("left,right,winner\nA,B,left\n")
    (tmp_path / "x.csv").write_text("left,right,winner\nA,B,left\n")
    told = dict(formats.unread("long", tmp_path, {"files": ["one/mine.csv"]}))
    assert told == {
        "one/b.csv": "of the format battles, not long", "x.csv": "of the format battles, not long",
    }  # fmt: skip


def test_a_format_is_not_changed_in_place():
    with pytest.raises(AttributeError, match="cannot assign to field 'protocol'"):
        formats.FORMATS["long"].protocol = "RR"
