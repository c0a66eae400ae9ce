"""The MQM reader: what it keeps, what it counts as excluded, what it refuses."""

import gzip
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pandas as pd
import pytest

from conftest import needs, real
from companion.legacy.rankcampaigns import campaigns, mqm
from companion.legacy.rankcampaigns.mqm import read_mqm
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.mqm import mqm_scores

HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"
ROWS = [
    ("A", "d1", 1, 1, "r1", 'a "quote', "t", "Fluency/Punctuation", "Minor"),
    ("A", "d1", 1, 1, "r1", "a", "t", "accuracy/mistranslation", "major"),
    ("A", "d1", 2, 2, "r1", "b", "t", "Found", "HOTW-test"),
    ("A", "d1", 2, 2, "r1", "b", "t", "No-error", "No-error"),
    ("A", "d1", 3, 3, "r1", "c", "t", "Missed", "HOTW-test"),
    ("A", "d1", 4, 4, "r1", "d", "t", "Accuracy/Omission (Translation 2)", "Minor"),
]


def text(rows=ROWS, header=HEADER, metadata='{"long": "' + "x" * 2000 + '\tnot split"}') -> str:
    lines = ["\t".join(map(str, row)) + f"\t{metadata}" for row in rows]
    return "\n".join([header, *lines]) + "\n"


def write(folder: Path, content: str, name: str = "mqm_x_ende.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_rows_become_judgments_and_controls_are_counted(tmp_path):
    frame = read_mqm(write(tmp_path, text()), "en-de")
    names = "pair system document segment doc_segment rater category severity"
    assert list(frame.columns) == names.split()
    kinds = list(zip(frame["segment"], frame["category"], frame["severity"], strict=True))
    assert kinds == [
        (1, "Fluency/Punctuation", "Minor"),
        (1, "Accuracy/Mistranslation", "Major"),
        (2, "No-error", "No-error"),
        (4, "Accuracy/Omission", "Minor"),
        (3, "No-error", "No-error"),  # only a control row: rated, nothing found
    ]
    excluded = frame.attrs["excluded"]
    assert excluded["control rows (HOTW-test), found"] == 1
    assert excluded["control rows (HOTW-test), missed"] == 1
    assert [n for reason, n in excluded.items() if "rated without error" in reason] == [1]


def test_packings_line_ends_and_no_metadata_give_the_same(tmp_path):
    plain = read_mqm(write(tmp_path, text()), "en-de")
    windows = read_mqm(write(tmp_path, text().replace("\n", "\r\n"), "w.tsv"), "en-de")
    packed = tmp_path / "p.tsv.gz"
    packed.write_bytes(gzip.compress(text().encode()))
    tarred = tmp_path / "t.tsv.tar.gz"
    with tarfile.open(tarred, "w:gz") as archive:
        entry = tarfile.TarInfo("t.tsv")
        entry.size = len(text().encode())
        archive.addfile(entry, io.BytesIO(text().encode()))
    rows = [HEADER.removesuffix("\tmetadata"), *("\t".join(map(str, row)) for row in ROWS)]
    bare = read_mqm(write(tmp_path, "\n".join(rows), "n.tsv"), "en-de")
    for other in (windows, bare, read_mqm(packed, "en-de"), read_mqm(tarred, "en-de")):
        pd.testing.assert_frame_equal(plain, other)


def test_twelve_column_form_numbers_segments_itself(tmp_path):
    table = """year source_lang target_lang document_id doc_segment_id system_id rater_id source
        reference candidate category severity
    2022 en zh d1 1 A r1 s r c locale_convention/name minor
    2022 en zh d1 1 B r1 s r c non_translation major
    2022 en zh d2 1 A r1 s r c No-error no-error"""
    cells = table.split()
    lines = ["\t".join(cells[k : k + 12]) for k in range(0, len(cells), 12)]
    frame = read_mqm(write(tmp_path, "\n".join(lines)), "en-zh")
    assert list(frame["segment"]) == [1, 1, 2]
    kinds = ["Locale convention/Name format", "Non-translation", "No-error"]
    assert list(frame["category"]) == kinds


def test_an_unknown_severity_is_refused_and_an_unknown_category_kept(tmp_path):
    names = ["fluency / Rhythm", "Locale convention", "Acuracy/Omission"]
    rows = [*ROWS, *(("A", "d1", 5, 5, "r1", "s", "t", name, "Minor") for name in names)]
    frame = read_mqm(write(tmp_path, text(rows)), "en-de")
    kept = frame.loc[frame["segment"] == 5, "category"].tolist()
    assert kept == ["Fluency/Rhythm", "Locale convention", "Acuracy/Omission"]
    told = "(kept: category 'Acuracy/Omission', not of WMT's releases)"
    assert frame.attrs["excluded"][told] == 1
    rows += [("A", "d1", 5, 5, "r1", "s", "t", "Fluency/Grammar", "Catastrophic")]
    with pytest.raises(DataError, match="line 11, column 'severity': unknown severity") as caught:
        read_mqm(write(tmp_path, text(rows)), "en-de")
    assert "mqm_x_ende.tsv" in str(caught.value)


@pytest.mark.parametrize("category", ["", "NA", "[1, 2]", "Style\x07"])
def test_a_category_that_is_none_is_refused(tmp_path, category):
    rows = [*ROWS, ("A", "d1", 5, 5, "r1", "s", "t", category, "Minor")]
    with pytest.raises(DataError, match=f"line {len(rows) + 1}, column 'category'"):
        read_mqm(write(tmp_path, text(rows)), "en-de")


@pytest.mark.parametrize(
    ("content", "problem", "line"),
    [("a\tb\n", "not an MQM table", 1), (text([]), "no judgments", None)],
)
def test_bad_files_are_refused_with_their_line(tmp_path, content, problem, line):
    with pytest.raises(DataError, match=problem) as caught:
        read_mqm(write(tmp_path, content), "en-de")
    assert caught.value.line == line


def release(pair: str) -> Path:
    return real("wmt23-mqm") / f"sxs_mqm_generalMT2023_{pair}.3ratingsPerSegment.tsv.tar.gz"


@needs("wmt23-mqm")
def test_the_release_of_2023():
    frame = read_mqm(release("ende"), "en-de")
    assert len(frame) == 10725  # of 10,970 rows, 245 are controls
    assert sum(frame.attrs["excluded"].values()) == 245
    assert (frame["segment"].nunique(), frame["document"].nunique()) == (104, 30)
    rated = frame.groupby(["system", "segment"], observed=True)["rater"].nunique()
    assert (rated == 3).all() and len(rated) == 1040


SCRIPT = """
import json, pathlib, re, resource, sys
from companion.legacy.rankcampaigns.mqm import read_mqm

n = len(read_mqm(sys.argv[1], "en-zh"))
status = pathlib.Path("/proc/self/status")
if status.exists():
    # On Linux, ru_maxrss of a child starts at what its parent had used.
    peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text())[1])
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak /= 1024 if sys.platform == "darwin" else 1
print(json.dumps({"n": n, "peak": peak / 1024}))
"""


@pytest.mark.slow
def test_seventy_megabytes_are_read_within_a_gigabyte(tmp_path):
    size = 70_000_000
    metadata = '{"timing": "' + "y" * 1200 + '"}'
    rows = size // (1300 + 60)
    lines = [HEADER] + [
        f"S{i % 15}\td{i % 181}\t{i % 10}\t{i % 1315}\trater{i % 7}\tsource text\ttarget text"
        f"\tFluency/Grammar\tMinor\t{metadata}"
        for i in range(rows)
    ]
    path = write(tmp_path, "\n".join(lines))
    assert path.stat().st_size > 60_000_000
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=True
    )
    measured = json.loads(done.stdout)
    assert measured["n"] == rows
    assert measured["peak"] < 1000  # MiB, libraries included


@pytest.mark.parametrize(
    ("doc_segment", "segment"),
    [("doc_id", "seg_id"), ("doc_seg_id", "global_seg_id"), ("doc_segment_id", "globalSegId")],
)
def test_headers_of_every_year_and_tool(tmp_path, doc_segment, segment):
    header = HEADER.replace("docSegId", doc_segment).replace("globalSegId", segment)
    frame = read_mqm(write(tmp_path, text(header=header)), "en-de")
    pd.testing.assert_frame_equal(frame, read_mqm(write(tmp_path, text()), "en-de"))


def test_terminology_as_ted_spells_it(tmp_path):
    row = ("A", "d1", 5, 5, "r1", "e", "t", "Terminology/Inconsistent use of terminology", "Minor")
    frame = read_mqm(write(tmp_path, text([*ROWS, row])), "en-de")
    assert frame.loc[frame["segment"] == 5, "category"].tolist() == ["Terminology/Inconsistent"]


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("mqm_ende_final_data.tsv", "en-de"), ("mqm_generalMT2022_ende.tsv", "en-de"),
        ("mqm_ted_zhen.tsv.tar.gz", "zh-en"), ("mine_en-de_zhen.tsv", "en-de"),
        ("mqm_newstest2020_ende.tsv", "en-de"), ("mqm_en_cs.tsv", "en-cs"),
    ],
)  # fmt: skip
def test_the_pair_in_the_name_of_a_file(name, pair):
    assert mqm.pair_of(Path(name), {}) == pair


def test_a_name_without_or_with_two_pairs_is_refused():
    with pytest.raises(DataError, match="several language pairs in the file's name"):
        mqm.pair_of(Path("mqm_ende_zhen.tsv"), {})
    with pytest.raises(DataError, match="no language pair in the file's name"):
        mqm.pair_of(Path("mqm_final.tsv"), {})
    assert mqm.pair_of(Path("mqm_final.tsv"), {"pair": "he-en"}) == "he-en"


def test_blank_lines_and_lines_of_metadata_are_counted_wherever_they_stand(tmp_path):
    plain = read_mqm(write(tmp_path, text()), "en-de")
    header, *rows = text().splitlines()
    bare = "\t".join(["A", "d1", "9", "9"] + [""] * 5 + ["{}"])
    mixed = [header, "", rows[0], bare, "  ", bare, *rows[1:], ""]
    frame = read_mqm(write(tmp_path, "\n".join(mixed) + "\n"), "en-de")
    pd.testing.assert_frame_equal(frame, plain)
    counts = frame.attrs["excluded"]
    assert (counts["blank lines"], counts["lines with metadata only"]) == (2, 2)  # between rows
    cut = write(tmp_path, "\n".join([header, "", rows[0], "A\td1\t1"]) + "\n")
    with pytest.raises(DataError, match="line 4: wrong number of columns; found 3"):
        read_mqm(cut, "en-de")


def rating(system="A", document="d1", segment="1", rater="r1", *errors, **more):
    named = ("error_category", "error_subcategory", "severity")
    target = [dict(zip(named, error, strict=True)) | {"startIndex": 0} for error in errors]
    return {
        "source": "a", "target": "b", "SEG_ID": segment, "MT_Engine": system, "DOC_ID": document,
        "source_locale": "eses", "target_locale": "enus", "source_errors": [],
        "target_errors": target, "Annotator_ID": rater,
    } | more  # fmt: skip


def test_ratings_of_bio_mqm_are_errors_with_their_authors_weights(tmp_path):
    kinds = {
        ("Accuracy", "Mistranslation", "Neutral"): 0,
        ("Linguistic_conventions", "Punctuation", "Minor"): 0.1,
        ("Linguistic_conventions", "Character_encoding", "minor"): 0.1,
        ("Style", "Non_fluent", "Minor"): 0.1,
        ("Style", "Non_fluent", "Major"): 5,
        ("Terminology", "Wrong_term", "Minor"): 1,
        ("Accuracy", "Addition", "Critical"): 5,
        ("Accuracy", "Untranslated", "Minor"): 1,
        ("Accuracy", "Untranslated", "Major"): 25,
        ("Accuracy", "Untranslated", "Critical"): 25,
        ("Other", "", "Major"): 5,
    }
    rows = [rating("A", "d1", str(k), "r1", kind) for k, kind in enumerate(kinds)]
    rows += [rating("A", "d2", "1", "r2\u00a0"), rating("A", "d2", "1", "r3", *list(kinds)[5:7])]
    (tmp_path / "A.json").write_text(json.dumps(rows, indent=4))
    (tmp_path / "B.json").write_text(json.dumps([rating("B", source_errors=[{}, {}])], indent=4))
    campaign = campaigns.find(tmp_path)
    assert (campaign.format, campaign.protocol, campaign.pairs) == ("bio-mqm", "MQM", ("es-en",))
    frame = campaigns.load(campaign)
    assert list(frame.columns) == list(mqm.COLUMNS)
    scores = mqm_scores(frame).set_index(["system", "document", "rater"])["score"]
    assert scores["A", "d1"].tolist() == list(kinds.values())
    assert scores["A", "d2"].to_dict() == {"r2": 0, "r3": 6} and scores["B"].tolist() == [0]
    assert mqm_scores(frame, "critical25").query("document == 'd1'")["score"].sum() == 70
    with pytest.raises(DataError, match="no weight for Critical"):
        mqm_scores(frame, "major10")
    (tmp_path / "campaign.yaml").write_text("weights: critical25\n")
    told = campaigns.load(campaigns.find(tmp_path))
    assert mqm_scores(told).equals(mqm_scores(frame, "critical25"))
    assert frame.attrs["excluded"] == {
        "(kept: blanks around names taken away)": 1,
        "(kept: ratings without an error)": 2,
        "errors marked in the source (left out)": 2,
    }
    for row, words in (
        (rating("A", "d1", "3", "r1"), r"line 14, column 'SEG_ID': a second rating of.*A\.json"),
        (rating("A", "d3", "x"), "line 14, column 'SEG_ID': not a segment number"),
        (rating("", "d3"), "line 14, column 'MT_Engine': empty id"),
        (rating("A", "d3", "1", "r1", ("Style", "", "Awful")), "line 14.*'target_errors': not an"),
        (rating("A", "d3", "1", "r1", ("", "", "Major")), "line 14.*'target_errors': not an error"),
        (rating("A", "d3", source_locale="dede"), "line 14: other languages; found 'dede-enus'"),
        (rating("A", "d3", target_errors=None), "line 14, column 'target_errors': not of the righ"),
        (rating("A", "d3", target_errors="none"), "line 14, column 'target_errors': not of the ri"),
        ({"MT_Engine": "A", "Annotator_ID": "r", "target_errors": []}, "line 14: no field DOC_ID"),
    ):
        (tmp_path / "A.json").write_text(json.dumps([*rows, row]))
        with pytest.raises(DataError, match=words):
            campaigns.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "ours"),
    [("accuracy/mistranslation", "Accuracy/Mistranslation"), ("No_Error", "No-error"),
     ("locale_convention/currency", "Locale convention/Currency format"),
     ("Locale convention/Date format", "Locale convention/Date format"),
     ("locale convention", "Locale convention"), ("Source error", "Source issue"),
     (" Fluency / text-breaking ", "Fluency/Text-Breaking"),
     ("non-translation!", "Non-translation"),
     ("Accuracy/Omission (Source)", "Accuracy/Omission"), ("other", "Other")],
)  # fmt: skip
def test_categories_have_one_spelling(name, ours):
    assert mqm._category(name) == ours


def test_lines_given_again_are_counted_by_all_their_cells(tmp_path):
    lines = text().splitlines()
    frame = read_mqm(
        write(tmp_path, "\n".join([*lines, lines[1], lines[1] + "x", lines[2]])), "en-de"
    )
    assert frame.attrs["excluded"]["identical rows (kept)"] == 2
    assert (
        "identical rows (kept)" not in read_mqm(write(tmp_path, text()), "en-de").attrs["excluded"]
    )


def test_no_error_beside_an_error_and_alone_are_counted_apart(tmp_path):
    rows = [
        ("A", "d1", 1, 1, "r1", "s", "t", "Style/Awkward", "Minor"),
        ("A", "d1", 1, 1, "r1", "s", "t", "No-error", "No-error"),
        ("A", "d1", 1, 1, "r2", "s", "t", "No-error", "No-error"),
        ("A", "d1", 2, 2, "r1", "s", "t", "No-error", "Major"),
        ("A", "d1", 2, 2, "r2", "s", "t", "Style/Awkward", "No-error"),
        ("A", "d1", 3, 3, "r2", "s", "t", "Style/Awkward", "Neutral"),
    ]
    counts = read_mqm(write(tmp_path, text(rows)), "en-de").attrs["excluded"]
    assert counts == {
        "(kept: No-error beside an error in one rating, of which the error counts)": 1,
        "(kept: No-error as category or as severity alone: the severity counts)": 2,
    }


def test_control_rows_alone_are_no_judgments(tmp_path):
    control = [row for row in ROWS if row[-1] == "HOTW-test"]
    with pytest.raises(DataError, match="no judgments"):
        read_mqm(write(tmp_path, text(control)), "en-de")
    rows = [*ROWS[:1], *control, ("B", "d1", 3, 3, "r1", "c", "t", "found", "minor")]
    frame = read_mqm(write(tmp_path, text(rows)), "en-de")
    assert frame["severity"].tolist() == ["Minor", *["No-error"] * 3]
    assert frame[["system", "segment"]].to_numpy().tolist() == [
        ["A", 1],
        ["A", 2],
        ["A", 3],
        ["B", 3],
    ]
    counts = frame.attrs["excluded"]
    assert counts["control rows (HOTW-test), found"] == 2
    assert counts["control rows (HOTW-test), missed"] == 1
    assert counts["(kept as rated without error: segments with control rows only)"] == 3
    without = read_mqm(write(tmp_path, text(ROWS[:2])), "en-de").attrs["excluded"]
    assert without == {}


def test_a_header_that_is_none_is_named_with_what_lacks(tmp_path):
    header = HEADER.replace("docSegId", "x" * 300)
    with pytest.raises(DataError, match="not an MQM table") as error:
        read_mqm(write(tmp_path, text(header=header)), "en-de")
    assert (error.value.line, error.value.column) == (1, "doc_segment")
    assert error.value.value == header[:200]
    assert (
        error.value.expected == "a header with docSegId or doc_id or doc_segment_id or doc_seg_id"
    )
    with pytest.raises(DataError, match=r"line 2, column 'docSegId': out of range.*at least 0"):
        read_mqm(
            write(tmp_path, text([("A", "d", "-1", 1, "r", "s", "t", "Other", "Minor")])), "en-de"
        )
    zero = read_mqm(
        write(tmp_path, text([("A", "d", 0, 0, "r", "s", "t", "Other", "Minor")])), "en-de"
    )
    assert zero[["segment", "doc_segment"]].to_numpy().tolist() == [[0, 0]]


def test_a_folder_has_one_file_of_mqm_for_each_pair(tmp_path):
    for name in ("mqm_a_ende.tsv", "mqm_b_zhen.tsv"):
        write(tmp_path, text(), name)
    campaign = campaigns.find(tmp_path)
    assert campaign.pairs == ("en-de", "zh-en") and len(campaigns.load(campaign, "zh-en")) == 5
    write(tmp_path, text(), "mqm_c_zhen.tsv")
    with pytest.raises(DataError, match="two files for one language pair") as error:
        campaigns.load(campaigns.find(tmp_path), "zh-en")
    assert "mqm_b_zhen.tsv" in str(error.value) and "mqm_c_zhen.tsv" in str(error.value)
    assert len(campaigns.load(campaigns.find(tmp_path), "en-de")) == 5


def test_identical_errors_of_a_rating_are_counted_whatever_the_order_of_their_fields(tmp_path):
    one = {"error_category": "Style", "error_subcategory": "x", "severity": "Minor"}
    turned = dict(reversed(one.items()))
    rows = [rating(target_errors=[one, turned, one | {"severity": "Major"}]), rating("B")]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    frame = mqm.read_ratings([tmp_path / "a.json"], "es-en")
    assert frame.attrs["excluded"] == {
        "identical errors in one rating (kept)": 1, "(kept: ratings without an error)": 1,
    }  # fmt: skip
    assert frame["severity"].tolist() == ["Minor", "Minor", "Major", "No-error"]
    assert frame["category"].tolist()[:1] == ["Style/x"] and frame["segment"].tolist() == [1] * 4
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(DataError, match="no judgments; expected at least one rating"):
        mqm.read_ratings([tmp_path / "a.json"], "es-en")


def test_the_pair_of_ratings_is_that_of_their_locales(tmp_path):
    def pair(settings=None, name="a.json", **more):
        (tmp_path / name).write_text(
            json.dumps([rating(**more), rating("B", source_locale="dede")])
        )
        return mqm.rated_pair(tmp_path / name, settings or {})

    assert pair() == "es-en" == pair({"pair": "es-en"})
    assert pair(source_locale="ptbr") == "pt-en"
    with pytest.raises(DataError, match="`pair:` is not the language pair of the rows") as error:
        pair({"pair": "de-en"})
    assert (error.value.column, error.value.value) == ("pair", "de-en")
    assert error.value.expected == "no `pair:`, since the rows say es-en"
    with pytest.raises(DataError, match="not two locales") as error:
        pair(source_locale="", target_locale="e1us")
    assert error.value.expected == "a source_locale and a target_locale such as eses and enus"
    (tmp_path / "en-de.json").write_text("[]")
    assert mqm.rated_pair(tmp_path / "en-de.json", {}) == "en-de"


def test_what_is_no_error_of_a_rating_is_shown():
    good = {"error_category": "Style_x", "severity": " major "}
    assert mqm._kind(good) == ("Style x", "Major")
    of_style = {"error_category": "Style"}
    for wrong in (
        "x" * 99, 5, {"severity": "Minor"}, of_style | {"severity": "No-error"},
        of_style | {"severity": "HOTW-test"},
    ):  # fmt: skip
        with pytest.raises(DataError, match="not an error") as error:
            mqm._kind(wrong)
        assert error.value.value == str(wrong)[:80] and error.value.column == "target_errors"


def test_ratings_of_several_files_are_numbered_over_all_of_them(tmp_path):
    for name, document in (("a", "d2"), ("b", "d1")):
        rows = [rating("A", document, str(k), "r1", ("Style", "", "Minor")) for k in (2, 1)]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    frame = mqm.read_ratings([tmp_path / "a.json", tmp_path / "b.json"], "es-en")
    assert frame.index.tolist() == [0, 1, 2, 3] and set(frame["pair"]) == {"es-en"}
    assert frame["document"].astype(str).tolist() == ["d2", "d2", "d1", "d1"]
    assert frame["segment"].tolist() == [4, 3, 2, 1]
    again = [rating("A", "d1", "1", "r1")]
    (tmp_path / "c.json").write_text(json.dumps(again))
    with pytest.raises(DataError, match="a second rating of an output by the same rater") as error:
        mqm.read_ratings([tmp_path / "b.json", tmp_path / "c.json"], "es-en")
    assert error.value.expected == "one; the first is in b.json"
