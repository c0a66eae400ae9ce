"""A folder of files: all that lies there is read, or named with the reason, or refused."""

import gzip
import io
import json
import shutil
import subprocess
import sys
import tarfile

import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns import folder as lies
from companion.legacy.rankstability import find, load, paths
from companion.legacy.rankstability.errors import DataError

HEADER = "system,segment,annotator,score\n"


def table(first=0, sign=","):
    rows = [f"{s},{k},u{k % 3},{50 + k}\n" for s in "AB" for k in range(first, first + 10)]
    return "".join([HEADER, *rows]).replace(",", sign)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "one.csv").write_text(table())
    return tmp_path / "mine"


def battles(n=6, winner="winner"):
    rows = [{"model_a": "A", "model_b": "B", winner: "model_a", "judge": f"j{k}"} for k in range(n)]
    return "".join(json.dumps(row) + "\n" for row in rows)


# ------------------------------------------------------------------ read


@pytest.mark.parametrize("name", ["two.CSV", "two.txt", "two.Csv.gz", "two-public.csv", "two.TSV"])
def test_the_ending_of_a_table_is_taken_without_case(folder, name):
    sign = "\t" if name.lower().endswith(("txt", "tsv")) else ","
    data = table(10, sign=sign).encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    campaign = find(folder)
    assert campaign.unread == () and len(campaign.files()) == 2
    assert len(load(campaign).good) == 40
    assert find(folder / name).name == "two" or "public" in name


def test_what_belongs_beside_judgments_is_named_as_documents_of_the_release(folder):
    names = "README.txt LICENSE NOTICE notes.md .DS_Store README.md campaign.yaml annotators.tsv"
    for name in (*names.split(), "segments-en-de.tsv", "documents-cs-en.tsv"):
        (folder / name).write_text("title: Mine\n")
    (folder / "header.csv").write_text("username,system,itemId\n")
    for name in ("official", ".git", "licenses"):
        (folder / name).mkdir()
    names = "LICENSE, NOTICE, README.md, README.txt, header.csv, licenses, notes.md, official"
    assert find(folder).unread == ((names, "documents of the release, no judgments"),)
    assert find(folder).files() == (folder / "one.csv",)
    assert find(folder / "one.csv").unread == ()


def appraise(account, n=5):
    """Lines of an Appraise document task, as WMT-SLT22 released them, without a header."""
    rows = [
        f"sggdeu{account}01,{system},{k},TGT,sgg,deu,{10 * k + place},doc1,False,1.0,2.0"
        for place, system in enumerate(("UPC", "MSMUNICH"))
        for k in range(n)
    ]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("given", ["", "human_evaluation", "human_evaluation/scores"])
def test_a_release_is_read_as_it_was_released(tmp_path, given):
    """The repository of WMT-SLT22: exports beside a header, results of metrics, logs, a README."""
    scores = tmp_path / "human_evaluation" / "scores"
    (scores / "aggregated").mkdir(parents=True)
    for one, account in (("A", "08"), ("B", "0a")):
        (scores / f"WMT22SignLT{one}.scores.csv").write_text(appraise(account))
    header = "username,system,itemid,itemtype,srclang,trglang,score,documentid"
    (scores / "header.csv").write_text(f"{header},isdocumentlevelscore,timestart,timeend\n")
    (scores / "all3metrics.csv").write_text("system,bleu,chrf\nUPC,.5,12.1\nMSMUNICH,.6,17.2\n")
    (scores.parent / "ranking.log").write_text("1 UPC\n")
    for place in (tmp_path, scores.parent):
        (place / "README.md").write_text("How to run it.\n")
    (tmp_path / "automatic_evaluation").mkdir()
    campaign = find(tmp_path / given)
    assert campaign.pairs == ("sgg-de",) and len(load(campaign).good) == 20
    named = " ".join(file for file, _ in campaign.unread)
    assert "all3metrics.csv" in named and (given.endswith("scores") or "README.md" in named)


def test_of_several_formats_deeper_in_a_release_one_is_asked_for(tmp_path):
    for name, text in (("da", appraise("08")), ("arena", battles())):
        (tmp_path / name).mkdir()
        (tmp_path / name / ("x.csv" if name == "da" else "x.jsonl")).write_text(text)
    with pytest.raises(
        DataError, match=r"judgments lie deeper; found 'arena, da'; expected one of"
    ):
        find(tmp_path)


@pytest.mark.parametrize("name", ["wmt-slt23", "bio-mqm", "wmt23-protocols", "wmt24-esa"])
def test_a_catalogue_name_and_a_copy_of_its_folder_give_the_same(name, tmp_path):
    known = next((one for one in campaigns.present() if one.name == name), None)
    if known is None:
        pytest.skip(f"{name} is not here")
    shutil.copytree(known.folder, tmp_path / "copy")
    copy = find(tmp_path / "copy")
    assert copy.pairs == known.pairs
    assert [file.name for file in copy.files()] == [file.name for file in known.files()]
    if not known.parts:
        pair = known.pairs[0]
        ours, theirs = (campaigns.load(one, pair) for one in (copy, known))
        ours, theirs = (getattr(one, "good", one) for one in (ours, theirs))
        pd.testing.assert_frame_equal(ours, theirs)


@pytest.mark.parametrize("name", ["demo-srdc", "demo-rr", "demo-mqm"])
def test_a_copy_of_a_campaign_of_the_catalogue_leaves_nothing_unread(name, tmp_path):
    shutil.copytree(paths.DEMO / name, tmp_path / "copy")
    assert find(tmp_path / "copy").unread == () and find(name).unread == ()


REAL = [c for c in campaigns.present() if not c.demo]
FLAT = [c for c in REAL if all(file.parent == c.folder for file in c.files())]
SMALLEST_LAST = sorted(FLAT, key=lambda c: -sum(file.stat().st_size for file in c.files()))
OF_EACH = {c.format: c for c in SMALLEST_LAST}


@pytest.mark.slow
@pytest.mark.parametrize("campaign", OF_EACH.values(), ids=lambda campaign: campaign.name)
def test_a_copy_of_an_official_release_is_found_with_nothing_unread(campaign, tmp_path):
    copy = tmp_path / campaign.folder.name
    copy.mkdir()
    released = {name for source in campaign.entry["sources"] for name in source["files"]}
    for file in campaign.folder.iterdir():
        if file in campaign.files() or file.name.removesuffix(".gz") in released:
            (copy / file.name).symlink_to(file)
    if campaign.parts:  # of two protocols, which a campaign.yaml must tell apart
        named = [file.name for file in campaign.files() if file.suffix != ".tsv"]
        (copy / "campaign.yaml").write_text(f"format: {campaign.format}\nfiles: {named}\n")
    found = find(copy)
    assert {file for file, _ in found.unread} <= {"data_RNK-public.csv"}
    assert (found.pairs, found.format) == (campaign.pairs, campaign.format)
    assert campaign.unread == ()


# ------------------------------------------------------------------ named

HIDDEN = "hidden, or named as notes"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("two.csv", "system,sentence,annotator,score\nA,1,u,3\n", "without a column for segment"),
        ("two.jsonl", battles(), "of the format battles, not long"),
        ("two.csv", "", "no format of judgments that we know"),
        ("two.xlsx", "PK\3\4", "a spreadsheet beside other tables, which are read in its place"),
        ("notes.txt", "ask Ann\n", "no format of judgments that we know"),
        ("two.csv.bak", table(), "not the ending of a table"),
        ("clusters.csv", "pair,start\ncs-en,1\n", "no format of judgments that we know"),
        *((f"{name}.csv", table(10), HIDDEN) for name in ("README", "LICENSE", ".two")),
        *((name, table(10), HIDDEN) for name in ("two.md", "README.txt", ".two", "Notice.json")),
        *((name, "\0", HIDDEN) for name in ("readme.xlsx", "._two.parquet", ".two.csv.gz")),
    ],
)
def test_what_is_not_read_is_named_with_its_reason(folder, name, content, words):
    if "battles" in words:
        (folder / "campaign.yaml").write_text("format: long\n")
    (folder / name).write_text(content)
    ((file, reason),) = find(folder).unread
    assert file == name and words in reason
    assert len(load(folder).good) == 20


@pytest.mark.parametrize("name", ["Campaign.yaml", "CAMPAIGN.YML", "campaign.yml"])
def test_settings_are_found_without_case(folder, name):
    (folder / name).write_text("scale: [0, 80]\n")
    assert find(folder).unread == () and load(folder).scale == (0, 80)
    other = "campaign.yml" if name.endswith("yaml") else "campaign.yaml"
    (folder / other).write_text("scale: [0, 70]\n")
    with pytest.raises(DataError, match="two settings files"):
        find(folder)


def test_a_table_beside_battles_and_a_misspelt_second_file_are_named(folder):
    (folder / "battles.jsonl").write_text(battles())
    (folder / "more.jsonl").write_text(battles(winner="winer"))
    campaign = find(folder)
    assert campaign.format == "battles"
    said = dict(campaign.unread)
    assert said["one.csv"] == "of the format long, not battles"
    assert "battles without winner" in said["more.jsonl"]


def test_other_files_of_direct_assessment_and_a_folder_are_named(tmp_path):
    copy = shutil.copytree(paths.DEMO / "demo-srdc", tmp_path / "copy")
    shutil.copy(copy / "ad-latest.csv.gz", copy / "ad-latest (1).csv.gz")
    (copy / "more").mkdir()
    assert find(copy).unread == (
        ("ad-latest (1).csv.gz", "only ad-latest.csv and ad-good-raw-redup.csv are read"),
        ("more", "a folder of its own"),
    )


def test_our_own_results_are_not_named(folder):
    (folder / "run.json").write_text(json.dumps({"files": {"ranking.csv": "table"}}))
    (folder / "ranking.csv").write_text("rank,system\n1,A\n")
    (folder / "cs-en").mkdir()
    (folder / "cs-en" / "run.json").write_text("{}")
    (folder / "other.csv").write_text("rank,name\n1,A\n")
    assert [file for file, _ in find(folder).unread] == ["other.csv"]


def test_files_that_settings_do_not_name_are_not_even_opened(folder):
    (folder / "two.csv").write_bytes(gzip.compress(table(10).encode())[:40])
    (folder / "campaign.yaml").write_text("files: [one.csv]\n")
    assert find(folder).unread == (("two.csv", "not among the `files:` of campaign.yaml"),)
    assert len(load(folder).good) == 20


# ------------------------------------------------------------------ refused


def archive(text):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as stream:
        member = tarfile.TarInfo("x.tsv")
        member.size = len(text.encode())
        stream.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("two.csv.gz", gzip.compress(table(10).encode())[:-20], "truncated or damaged gzip"),
        ("two.txt.gz", gzip.compress(table(10).encode())[:-20], "truncated or damaged gzip"),
        ("two.csv", table(10).encode("utf-16"), "wrong encoding"),
        ("two.csv", table(10).encode("utf-16-le"), "NUL byte"),
        ("two.csv", table(10).replace("A", "Ä").encode("latin-1"), "wrong encoding"),
        ("two.csv", b"PK\3\4" + bytes(50), "a spreadsheet or another archive, not text"),
        ("two.jsonl", battles().encode()[:40], "not JSON"),
        ("two.json", b'[{"system": "A", ', "not JSON"),
        ("x_ende.tsv.tar.gz", archive(table(10))[:-30], "cannot be unpacked"),
        ("two.csv", None, "a link to a file that is not there"),
    ],
)
def test_what_is_damaged_is_refused(folder, name, content, words):
    if content is None:
        (folder / name).symlink_to(folder / "gone.csv")
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(DataError, match=words) as error:
        find(folder)
    assert name in str(error.value) and error.value.expected


def test_a_damaged_archive_does_not_take_its_language_pair_away(tmp_path):
    demo = (paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv").read_text()
    (tmp_path / "mqm_mine_ende.tsv").write_text(demo)
    (tmp_path / "mqm_mine_zhen.tsv.tar.gz").write_bytes(archive(demo))
    assert find(tmp_path).pairs == ("en-de", "zh-en")
    (tmp_path / "mqm_mine_zhen.tsv.tar.gz").write_bytes(archive(demo)[:-100])
    with pytest.raises(DataError, match=r"mqm_mine_zhen\.tsv\.tar\.gz: cannot be unpacked"):
        find(tmp_path)


def test_only_the_reader_of_the_format_that_is_found_is_loaded(folder):
    """In a process of its own, by the modules that are there afterwards."""
    code = (
        "import sys; from companion.legacy.rankstability import load; load(sys.argv[1]);"
        "print(*(m for m in sys.modules if m.startswith('rankcampaigns.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert "long" in loaded and not loaded & {"da", "rr", "mqm", "releases", "appraise"}


def test_a_reader_names_annotators_and_has_no_more_to_say_unless_it_does():
    plain = lies.Reader(pairs=lambda source: (), read=lambda source, pair: pd.DataFrame())
    source = lies.Source(paths.DEMO / "ratings.csv", ())
    assert plain.workers(source) is True and plain.columns(source) == {}
    assert plain.lacks(source) == set() and list(plain.reading(source)) == lies.READ
    assert source.folder == paths.DEMO == lies.Source(paths.DEMO, ()).folder


@pytest.mark.parametrize(
    ("line", "header"),
    [("username,system", True), ("username", False), ("a b c d e", True), ("a b c d", False),
     ("a\tb", True), ("a;b", True), ("a,1", False), ('"a","b"', True), ("a,b\n1,2", False),
     ("A.b,_c", True), ("a b,c d", False), ("", False)],
)  # fmt: skip
def test_a_header_is_one_line_of_names_and_no_sentence(tmp_path, line, header):
    (tmp_path / "x.csv").write_text(line + "\n")
    assert lies.is_header(tmp_path / "x.csv") is header


def test_headers_are_left_aside_unless_there_is_nothing_else(tmp_path):
    (tmp_path / "header.csv").write_text("username,system\n")
    assert [file.name for file in lies.tables(tmp_path)] == ["header.csv"]
    (tmp_path / "x.xlsx").write_bytes(b"PK")
    assert [file.name for file in lies.tables(tmp_path)] == ["header.csv"]  # a table
    (tmp_path / "b.tsv").write_text("a\tb\n1\t2\n")
    (tmp_path / "a.txt").write_text("a\tb\n1\t2\n")
    assert [file.name for file in lies.tables(tmp_path)] == ["a.txt", "b.tsv"]
    assert lies.tables(tmp_path / "header.csv") == [tmp_path / "header.csv"]
    for name in ("a.txt", "b.tsv", "header.csv"):
        (tmp_path / name).unlink()
    assert [file.name for file in lies.tables(tmp_path)] == ["x.xlsx"]


@pytest.mark.parametrize(
    ("name", "table"),
    [("a.csv", True), ("a.TSV.gz", True), ("a.jsonl", True), ("a.tsv.tar.gz", True),
     ("a.csv.tar.gz", False), ("a.parquet", True), ("a.parquet.gz", False), ("a.xlsx", True),
     ("a.xls", False), ("en-de.x.seg.score", True), ("a.score", False), ("csv", False)],
)  # fmt: skip
def test_a_table_is_known_by_its_ending(name, table, tmp_path):
    assert lies.is_table(tmp_path / name) is table


def test_paid_judgments_of_wmt10_are_no_tables(tmp_path):
    for name in ("data_RNK-public.csv", "data_RNK.csv", "data_EDT.tsv", "documents-cs-en.tsv.gz"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    assert [file.name for file in lies.named_tables(tmp_path)] == ["data_RNK.csv"]
    assert lies.is_paid(tmp_path / "data_RNK-public.csv")


def test_folders_are_listed_by_depth_if_they_are_not_too_many(tmp_path, monkeypatch):
    for name in ("a/x", "b/y", "b/z", ".git/c", "documents/d", "readme/e"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "file").write_text("")
    (tmp_path / "c").symlink_to(tmp_path / "a")
    assert [one.name for one in lies.within(tmp_path, 1)] == ["a", "b"]
    assert [one.name for one in lies.within(tmp_path, 2)] == ["x", "y", "z"]
    assert lies.within(tmp_path, 0) == [tmp_path] and lies.within(tmp_path, 3) == []
    assert lies.MOST_FOLDERS == 500
    for most, found in ((3, 3), (2, 0)):
        monkeypatch.setattr(lies, "MOST_FOLDERS", most)
        assert len(lies.within(tmp_path, 2)) == found


def test_a_file_is_found_packed_or_not_and_among_human_scores(tmp_path):
    (tmp_path / "human-scores").mkdir()
    assert lies.locate(tmp_path, "a.csv") is None
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x"))
    assert lies.locate(tmp_path, "a.csv") == tmp_path / "a.csv.gz"
    (tmp_path / "a.csv").write_bytes(b"x")  # the same content
    assert lies.locate(tmp_path, "a.csv") == tmp_path / "a.csv"
    (tmp_path / "a.csv").write_bytes(b"y")
    with pytest.raises(DataError, match="two files of the same name with different") as error:
        lies.locate(tmp_path, "a.csv")
    assert error.value.value == "a.csv.gz" and str(error.value.file).endswith("a.csv")
    (tmp_path / "human-scores" / "b.csv").write_text("x")
    assert lies.named_file(tmp_path, "b.csv") == tmp_path / "human-scores" / "b.csv"
    assert lies.named_file(tmp_path, "c.csv") is None


def test_results_of_a_run_of_ours_are_those_it_lists_and_its_notebooks(tmp_path):
    for name in ("ranking.csv", "mine.csv", "00_verdict.ipynb", "clusters.csv"):
        (tmp_path / name).write_text("SRC TRG CLUSTER_START SYSTEM\ncs en 1 A\n")
    assert [one.name for one in lies.entries(tmp_path)] == [
        "00_verdict.ipynb", "mine.csv", "ranking.csv",
    ]  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps({"files": ["ranking.csv"]}))
    assert [one.name for one in lies.entries(tmp_path)] == ["mine.csv"]
    (tmp_path / "clusters.csv").write_text("SRC TRG\ncs en\n")
    assert [one.name for one in lies.entries(tmp_path)] == ["clusters.csv", "mine.csv"]


def test_what_readers_share_is_not_changed_in_place(tmp_path):
    source = lies.Source(tmp_path, ())
    reader = lies.Reader(pairs=lambda source: (), read=lambda source, pair: pd.DataFrame())
    for one, name in ((source, "path"), (reader, "pairs")):
        with pytest.raises(AttributeError, match=f"cannot assign to field '{name}'"):
            setattr(one, name, None)
    assert source == lies.Source(tmp_path, (), {})
