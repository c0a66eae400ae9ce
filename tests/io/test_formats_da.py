"""WMT direct assessment and segment scores as released."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.formats import registry, segment_scores, wmt_da
from real import real_data

ROW = ["HIT1", "anna", "de", "en", "ad", "1", "Aspen", "10", "SYSTEM", "s1", "80", "3.5"]


def rows(**changes: object) -> list[str]:
    """Return a row with other cells, by the names of the columns."""
    cells = dict(zip(wmt_da.COLUMNS, ROW, strict=True)) | {
        name.replace("_", ".") if name.startswith("Input") else name: str(value)
        for name, value in changes.items()
    }
    return list(cells.values())


def write(folder: Path, *lines: list[str], name: str = "x.csv", header: bool = True) -> Path:
    every = [list(wmt_da.COLUMNS), *lines] if header else list(lines)
    (folder / name).write_text("".join("\t".join(line) + "\n" for line in every))
    return folder / name


GOOD = (
    rows(),
    rows(sys_id="Birch", score=60),
    rows(sid="s2", score=70, WorkerId="ben", type="REPEAT"),
    rows(type="REF", score=90),
    rows(Input_src="cs"),
)


def test_rows_of_a_pair_and_their_meaning(tmp_path: Path) -> None:
    file = write(tmp_path, *GOOD)
    assert registry.detect(file) == "wmt_da"
    every = wmt_da.read(file)
    assert sorted(every) == ["cs-en", "de-en"]
    judgments = every["de-en"]
    table = judgments.table
    assert table["item_type"].tolist() == ["SYSTEM", "SYSTEM", "REPEAT", "REF"]
    assert table["score"].tolist() == [80, 60, 70, 90]
    assert table["annotator"].tolist() == ["anna", "anna", "ben", "anna"]
    assert table["hit"].tolist() == ["HIT1"] * 4
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["other_pairs", 1]]
    assert judgments.scale == (0, 100)


@pytest.mark.parametrize("form", ["no header", "blanks", "gzip", "crlf", "mark", "mixed"])
def test_every_form_reads_the_same(tmp_path: Path, form: str) -> None:
    expected = wmt_da.read(write(tmp_path, *GOOD), "de-en")["de-en"].table
    file = write(tmp_path, *GOOD, header=form != "no header")
    text = file.read_text()
    if form == "blanks":
        file.write_text(text.replace("\t", "  "))
    elif form == "gzip":
        (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text.encode()))
        file = tmp_path / "x.csv.gz"
    elif form == "crlf":
        file.write_bytes(text.replace("\n", "\r\n").encode())
    elif form == "mark":
        file.write_bytes(text.encode("utf-8-sig"))
    elif form == "mixed":  # WMT21, judged at Facebook
        text = text.replace("en\tad\t", "en ad ").replace("Aspen\t10\t", '"Aspen" 10 ')
        file.write_text(text)
    found = wmt_da.read(file, "de-en")["de-en"].table
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        ({"score": "x"}, "not_a_number", 3),
        ({"score": 101}, "score_outside_scale", 3),
        ({"score": "nan"}, "not_a_number", 3),
        ({"type": "SYSTEMS"}, "unknown_word", 3),
        ({"sys_id": ""}, "missing_name", 3),
        ({"sid": "NA"}, None, 0),  # a name of a segment
    ],
)
def test_a_wrong_value_is_refused_at_its_line(
    tmp_path: Path, change: dict, code: str | None, line: int
) -> None:
    file = write(tmp_path, rows(), rows(**change))
    if code is None:
        assert len(wmt_da.read(file)["de-en"].table) == 2
        return
    with pytest.raises(DataError) as error:
        wmt_da.read(file)
    assert (error.value.code, error.value.line) == (code, line)


def test_lines_that_are_too_long_and_too_short_are_refused(tmp_path: Path) -> None:
    for lines in ([ROW[:-1]], [[*ROW, "x"]], [[*ROW, "x"], ROW[:-1]]):
        with pytest.raises(DataError) as error:
            wmt_da.read(write(tmp_path, rows(), *lines))
        assert (error.value.code, error.value.line) == ("wrong_number_of_cells", 3)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"x" * 500)[:-6])
    with pytest.raises(DataError) as error:
        wmt_da.read(file)
    assert error.value.code == "damaged_file"
    file = write(tmp_path)
    with pytest.raises(DataError) as error:
        wmt_da.read(file)
    assert error.value.code == "no_rows"
    file.write_bytes(b"HITId WorkerId\n\xff\n")
    with pytest.raises(DataError) as error:
        wmt_da.read(file)
    assert (error.value.code, error.value.line) == ("not_utf8", 2)


def test_both_files_are_needed_and_must_agree(tmp_path: Path) -> None:
    write(tmp_path, *GOOD, name=wmt_da.ALL_ROWS)
    assert registry.detect(tmp_path) == "wmt_da"
    with pytest.raises(DataError) as error:
        wmt_da.read(tmp_path)
    assert (error.value.code, error.value.value) == ("missing_file", wmt_da.RANKED)
    write(tmp_path, *GOOD[:2], name=wmt_da.RANKED)
    judgments = wmt_da.read(tmp_path)["de-en"]
    assert (len(judgments.table), len(judgments.all_rows)) == (2, 4)
    write(tmp_path, rows(score=81), name=wmt_da.RANKED)
    with pytest.raises(DataError) as error:
        wmt_da.read(tmp_path)
    assert (error.value.code, error.value.line) == ("score_contradicts_other_file", 2)


def test_joined_ids_count_for_each_system(tmp_path: Path) -> None:
    file = write(
        tmp_path, rows(), rows(sys_id="Birch"), rows(sys_id="Aspen+Birch"), rows(sys_id="C+D")
    )
    judgments = wmt_da.read(file)["de-en"]
    assert sorted(judgments.table["system"]) == ["Aspen", "Aspen", "Birch", "Birch", "C+D"]
    assert judgments.notes[["code", "rows"]].to_numpy().tolist() == [["joined_systems", 1]]


def test_what_is_doubtful_is_counted(tmp_path: Path) -> None:
    file = write(tmp_path, rows(), rows(), rows(score=1), rows(sys_id=" Birch"))
    notes = wmt_da.read(file)["de-en"].notes.set_index("code")["rows"].to_dict()
    assert notes == {"blanks_around_names": 1, "identical_rows": 1, "second_score": 1}


def test_documents_come_from_a_list_from_ids_from_blocks_or_are_missing(tmp_path: Path) -> None:
    ids = [rows(sid=sid, rid=rid) for sid, rid in (("d_1", 1), ("d_2", 2), ("e_1", 3), ("e_2", 4))]
    found = wmt_da.read(write(tmp_path, *ids))["de-en"].table
    assert found["document"].tolist() == ["d", "d", "e", "e"]
    blocks = [rows(sid=sid, rid=rid) for sid, rid in (("1", 7), ("2", 7), ("3", 8), ("4", 8))]
    found = wmt_da.read(write(tmp_path, *blocks))["de-en"].table
    assert found["document"].tolist() == ["doc-1", "doc-1", "doc-3", "doc-3"]
    found = wmt_da.read(write(tmp_path, *(rows(sid=k, rid=k) for k in range(4))))["de-en"].table
    assert found["document"].isna().all()
    (tmp_path / "documents-de-en.tsv").write_text("sid\tdocument\n1\tx\n2\tx\n3\ty\n4\ty\n")
    found = wmt_da.read(write(tmp_path, *blocks))["de-en"].table
    assert found["document"].tolist() == ["x", "x", "y", "y"]
    (tmp_path / "documents-de-en.tsv").write_text("sid\tdocument\n1\tx\n")
    with pytest.raises(DataError) as error:
        wmt_da.read(write(tmp_path, *blocks))
    assert error.value.code == "segment_not_listed"


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path, rows())
    assert wmt_da.read(file)["de-en"].table["score"].tolist() == [80]
    write(tmp_path, rows(score=5), rows(sid="s2"))
    assert wmt_da.read(file)["de-en"].table["score"].tolist() == [5, 80]


def test_documents_of_wmt21_from_blocks_are_those_listed(tmp_path: Path) -> None:
    folder = real_data("newstest2021-toen")
    for name in (wmt_da.ALL_ROWS, wmt_da.RANKED):
        (tmp_path / f"{name}.gz").symlink_to(folder / f"{name}.gz")
    ours = wmt_da.read(tmp_path, "cs-en")["cs-en"].table
    listed = wmt_da.read(folder, "cs-en")["cs-en"].table
    both = pd.DataFrame({"ours": ours["document"], "listed": listed["document"]}).drop_duplicates()
    assert both["ours"].is_unique and both["listed"].is_unique


def test_segment_scores(tmp_path: Path) -> None:
    file = tmp_path / "ad-seg-scores-de-en.csv"
    file.write_text("SYS SID RAW.SCR Z.SCR N\nA d_1 80.5 0.5 2\nA d_2 60 0 1\nB d_1 3 -1 1\n")
    assert registry.detect(tmp_path) == "segment_scores"
    judgments = segment_scores.read(tmp_path)["de-en"]
    assert judgments.table["score"].tolist() == [80.5, 60, 3]
    assert judgments.table["judgments"].tolist() == [2, 1, 1]
    assert judgments.table["document"].tolist() == ["d", "d", "d"]
    for row, code in (
        ("A d_1 80 0 1", "output_scored_twice"),
        ("B d_2 101 0 1", "score_outside_scale"),
        ("B d_2 80 x 1", "not_a_number"),
        ("B d_2 80 0 0", "not_a_count"),
    ):
        file.write_text(f"SYS SID RAW.SCR Z.SCR N\nA d_1 80.5 0.5 2\n{row}\n")
        with pytest.raises(DataError) as error:
            segment_scores.read(tmp_path)
        assert (error.value.code, error.value.line) == (code, 3)


def test_stand_off_scores(tmp_path: Path) -> None:
    folder = tmp_path / "human-scores"
    folder.mkdir()
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "en-de.docs").write_text("news\td1\nnews\td1\ntalk\td2\n")
    file = folder / "en-de.mqm.seg.score"
    file.write_text("A\t-1\nA\tNone\nA\t0\nB\t-5\nB\t-2\nB\t-7.5\n")
    assert registry.detect(file) == "segment_scores"
    judgments = segment_scores.read(file)["en-de"]
    assert judgments.table["segment"].tolist() == ["0", "2", "0", "1", "2"]
    assert judgments.table["document"].tolist() == ["d1", "d2", "d1", "d1", "d2"]
    assert judgments.excluded[["code", "rows"]].to_numpy().tolist() == [["no_score", 1]]
    (folder / "en-de.esa.seg.score").write_text("A\t1\nB\t2\n")
    with pytest.raises(DataError) as error:
        segment_scores.read(folder)
    assert error.value.code == "several_files_for_pair"


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("name", ['anna"', '"anna', 'an "na'])
def test_a_quotation_mark_in_a_name_swallows_no_row(
    tmp_path: Path, name: str, header: bool
) -> None:
    lines = [rows(sid=f"s{k}") for k in range(4)] + [rows(WorkerId=name, sid=f"{name}5")]
    lines += [rows(sys_id="Birch", sid=f"s{k}", score=60) for k in range(6)]
    table = wmt_da.read(write(tmp_path, *lines, header=header))["de-en"].table
    assert table["annotator"].value_counts().to_dict() == {"anna": 10, name: 1}
    assert table["system"].value_counts().to_dict() == {"Aspen": 5, "Birch": 6}


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("header", [True, False])
def test_direct_assessment_with_commas_reads_as_with_tabs(
    tmp_path: Path, separator: str, header: bool
) -> None:
    expected = wmt_da.read(write(tmp_path, *GOOD))["de-en"].table
    file = write(tmp_path, *GOOD, name="y.csv", header=header)
    file.write_text(file.read_text().replace("\t", separator))
    assert registry.detect(file) == "wmt_da"
    pd.testing.assert_frame_equal(wmt_da.read(file)["de-en"].table, expected)
