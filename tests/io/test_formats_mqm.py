"""MQM error annotations: tables, exports of Appraise, the biomedical release, scores by column."""

import json
from pathlib import Path

import pytest

from rankstability.errors import DataError
from rankstability.io.formats import mqm, mqm_rows, registry, releases
from rankstability.io.load import load
from rankstability.io.mqm_weights import WEIGHTS, sum_penalties, weigh_errors
from rankstability.io.read import read
from real import real_data
from released import official_segment_scores

HEADER = [
    "system",
    "doc",
    "docSegId",
    "globalSegId",
    "rater",
    "source",
    "target",
    "category",
    "severity",
    "metadata",
]
ROW = ["A", "d1", "1", "11", "r1", "src", "tgt", "Accuracy/Mistranslation", "Major", "{}"]


def row(**changes: object) -> list[str]:
    return [str(changes.get(name, cell)) for name, cell in zip(HEADER, ROW, strict=True)]


CLEAN = row(category="No-error", severity="No-error", docSegId=2, globalSegId=12)


def write(folder: Path, *rows: list[str], header: list[str] = HEADER) -> Path:
    file = folder / "mqm_mine_ende.tsv"
    file.write_text("".join("\t".join(each) + "\n" for each in (header, *rows)))
    return file


def test_errors_become_penalties(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        row(),
        row(severity="minor", category="fluency/punctuation"),
        CLEAN,
        row(severity="HOTW-test", category="Found", docSegId=3, globalSegId=13),
        row(system="B", severity="Minor"),
        row(system="B", category="Non-translation!", docSegId=2, globalSegId=12),
    )
    assert registry.detect(file) == "mqm"
    judgments = mqm.read([file])["en-de"]
    table = judgments.table.set_index(["system", "segment"])["score"]
    assert table.to_dict() == {
        ("A", 11): pytest.approx(-5.1), ("A", 12): 0, ("A", 13): 0, ("B", 11): -1, ("B", 12): -25,
    }  # fmt: skip
    assert judgments.table["n_errors"].tolist() == [2, 0, 0, 1, 1]
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["attention_check", 1]]
    assert judgments.notes["code"].tolist() == ["only_attention_checks"]


def test_outputs_without_a_row_stop_unless_the_user_says_what_they_mean(tmp_path: Path) -> None:
    """Only outputs with errors: -0.175 becomes -1 where the clean outputs vanish."""
    rows = [row(docSegId=k, globalSegId=k, severity="Minor") for k in (1, 2)]
    rows += [row(system="B", docSegId=3, globalSegId=3, severity="Minor")]
    file = write(tmp_path, *rows)
    with pytest.raises(DataError) as error:
        mqm.read([file])
    assert error.value.code == "unmarked_outputs"
    assert error.value.details["alternatives"] == [{"unmarked": "clean"}, {"unmarked": "missing"}]
    missing = registry.read(file, unmarked="missing")["en-de"].table
    assert missing.groupby("system", observed=True)["score"].mean().to_dict() == {"A": -1, "B": -1}
    clean = registry.read(file, unmarked="clean")["en-de"].table
    assert len(clean) == 6
    means = clean.groupby("system", observed=True)["score"].mean().to_dict()
    assert means == pytest.approx({"A": -2 / 3, "B": -1 / 3})
    with pytest.raises(DataError) as error:
        read(file, unmarked="perhaps")
    assert (error.value.code, error.value.expected) == ("bad_setting", "clean or missing")


@pytest.mark.parametrize(
    ("doc_segment", "segment"),
    [("docSegId", "globalSegId"), ("doc_id", "seg_id"), ("doc_seg_id", "global_seg_id")],
)
def test_headers_of_every_year(tmp_path: Path, doc_segment: str, segment: str) -> None:
    names = [{"docSegId": doc_segment, "globalSegId": segment}.get(name, name) for name in HEADER]
    judgments = mqm.read([write(tmp_path, row(), CLEAN, header=names)])["en-de"]
    assert judgments.table["segment"].tolist() == [11, 12]


def test_segments_are_numbered_where_only_documents_number_them(tmp_path: Path) -> None:
    rows = [[cell for k, cell in enumerate(each) if k != 3] for each in (row(), CLEAN)]
    header = [name for name in HEADER if name != "globalSegId"]
    judgments = mqm.read([write(tmp_path, *rows, header=header)])["en-de"]
    assert judgments.table["segment"].tolist() == [1, 2]


def test_metadata_may_hold_tabs_and_lines_without_a_rating_are_left_out(tmp_path: Path) -> None:
    metadata = row(rater="", category="", severity="", metadata='{"a":\t"b"}')
    judgments = mqm.read([write(tmp_path, metadata, row(metadata="x\ty"), CLEAN)])["en-de"]
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["no_rating", 1]]
    assert len(judgments.table) == 2


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"severity": "Terrible"}, "unknown_word"),
        ({"globalSegId": "x"}, "not_a_number"),
        ({"globalSegId": "1.5"}, "not_a_count"),
        ({"system": ""}, "missing_name"),
        ({"severity": "Critical"}, "no_weight"),
    ],
)
def test_wrong_cells_are_refused(tmp_path: Path, changes: dict, code: str) -> None:
    with pytest.raises(DataError) as error:
        mqm.read([write(tmp_path, CLEAN, row(**changes))])
    assert error.value.code == code
    assert error.value.line in (3, None)


def test_a_name_without_a_pair_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, row(), CLEAN).rename(tmp_path / "mine.tsv")
    with pytest.raises(DataError) as error:
        mqm.list_pairs([file])
    assert error.value.code == "no_pair_in_name"
    assert list(mqm.read([file], "en-de")) == ["en-de"]


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("accuracy/creative_reinterpretation", "Accuracy/Creative Reinterpretation"),
        ("Locale convention/currency", "Locale convention/Currency format"),
        ("Source error", "Source issue"),
        ("fluency / punctuation", "Fluency/Punctuation"),
    ],
)
def test_categories_have_one_spelling(name: str, spelled: str) -> None:
    assert mqm_rows.spell_category(name) == spelled


def test_weights_of_freitag_and_their_variants() -> None:
    errors = load("demo-mqm", "en-de").errors
    assert set(weigh_errors(errors)) <= {0, 0.1, 1, 5, 25}
    assert weigh_errors(errors, "major10").max() >= 10
    with pytest.raises(DataError) as error:
        weigh_errors(errors, "freitag")
    assert (error.value.code, error.value.expected) == ("unknown_weights", "freitag2021")
    assert set(WEIGHTS) >= {"freitag2021", "zouhar2024"}
    total = sum_penalties(errors)["penalty"].sum()
    assert total == pytest.approx(errors["weight"].sum())


def test_the_demo_has_the_penalties_of_version_3() -> None:
    table = load("demo-mqm", "en-de").table
    assert table["score"].sum() == pytest.approx(-4943.2)
    assert table.groupby("system", observed=True)["score"].mean().idxmax() == "Alder"


def test_official_penalties_of_2023() -> None:
    """The release of 2023 holds scores that do not count creative reinterpretation."""
    real_data("wmt23-mqm")
    judgments = load("wmt23-mqm", "en-de")
    marot = sum_penalties(judgments.errors, "marot2023")
    assert marot["penalty"].sum() < -judgments.table["score"].sum()


def rating(**changes: object) -> dict[str, object]:
    error = {"error_category": "Accuracy", "error_subcategory": "Untranslated", "severity": "Major"}
    return {
        "MT_Engine": "A", "DOC_ID": "d", "SEG_ID": "1", "Annotator_ID": "r", "source_errors": [{}],
        "target_errors": [error], "source_locale": "deDE", "target_locale": "enUS", **changes,
    }  # fmt: skip


def test_the_biomedical_release(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    light = {"error_category": "Linguistic_conventions", "error_subcategory": "Spelling",
             "severity": "Minor"}  # fmt: skip
    file.write_text(json.dumps([rating(), rating(SEG_ID="2", target_errors=[light]),
                                rating(SEG_ID="3", target_errors=[])]))  # fmt: skip
    judgments = releases.read_bio_mqm([file])["de-en"]
    assert judgments.table["score"].tolist() == [-25, pytest.approx(-0.1), 0]
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["source_error", 3]]
    for wrong, code in (
        (rating(), "output_rated_twice"),
        (rating(SEG_ID="x"), "not_a_number"),
        (rating(SEG_ID=4, target_errors=[{"severity": "Major"}]), "not_an_mqm_error"),
        ({"MT_Engine": "A"}, "missing_field"),
    ):
        file.write_text(json.dumps([rating(), wrong]))
        with pytest.raises(DataError) as error:
            releases.read_bio_mqm([file])
        assert error.value.code == code


def test_organisers_scores_of_mqm_from_spans() -> None:
    """Appraise's spans give the scores that the organisers released."""
    real_data("wmt23-protocols")

    judgments = load("wmt23-protocols.MQM-1", "en-de")
    ours = judgments.table.astype({"system": str, "segment": str}).set_index(["system", "segment"])
    theirs = official_segment_scores("wmt23-protocols.MQM-1", "en-de")["MQM-1"]
    theirs = theirs.astype({"system": str, "segment": str}).set_index(["system", "segment"])
    both = ours.join(theirs["score"].rename("official"), how="inner")
    assert len(both) == 2691
    assert (both["score"] - both["official"]).abs().lt(1e-6).mean() > 0.99


def test_scores_by_column() -> None:
    real_data("wmt22-mqm-columns")
    judgments = load("wmt22-mqm", "en-zh")
    table = judgments.table
    assert (len(table), table["annotator"].nunique(), table["document"].nunique()) == (
        76188,
        6,
        169,
    )
    assert judgments.humans == ("refA", "refB")
    assert (table.groupby(["document", "segment", "system"], observed=True).size() == 3).all()


def with_quotes(cells: list[str]) -> list[str]:
    return ['"' + cell.replace('"', '""') + '"' for cell in cells]


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("quoted", [True, False])
def test_errors_with_commas_read_as_those_with_tabs(
    tmp_path: Path, separator: str, quoted: bool
) -> None:
    rows = [row(), row(severity="Minor"), row(system="B"), row(system="B"), CLEAN]
    texts = {"source": 'a, "b"; c', "target": "two\nlines"} if quoted else {}
    lines = [row(**dict(zip(HEADER, each, strict=True)) | texts) for each in rows]
    lines = [with_quotes(line) if quoted else line for line in (HEADER, *lines)]
    file = tmp_path / "mine.en-de.csv"
    file.write_text("".join(separator.join(line) + "\n" for line in lines))
    assert registry.detect(file) == "mqm"
    expected = mqm.read([write(tmp_path, *rows)])["en-de"]
    found = mqm.read([file])["en-de"]
    assert found.table.equals(expected.table)
    assert found.errors is not None and found.errors.equals(expected.errors)
    assert found.notes["code"].tolist() == expected.notes["code"].tolist() == ["identical_rows"]


def test_a_table_with_commas_that_lacks_a_column_of_mqm_is_no_mqm(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("system,segment,score,category,severity\nA,1,2,x,y\nB,1,3,x,y\n")
    assert registry.detect(file) is None
    assert read(file).n_judgments == 2


@pytest.mark.parametrize("name", ['A"', '"A', 'A "x', '"A"'])
def test_a_quotation_mark_in_a_name_swallows_no_row_of_errors(tmp_path: Path, name: str) -> None:
    rows = [row(rater=f"r{k}") for k in range(4)]
    rows += [row(system=name, source=name, severity="Minor"), *(row(system="C") for _ in range(3))]
    errors = mqm.read([write(tmp_path, *rows, CLEAN)])["en-de"].errors
    assert errors is not None
    assert errors["system"].value_counts().to_dict() == {"A": 5, name: 1, "C": 3}
