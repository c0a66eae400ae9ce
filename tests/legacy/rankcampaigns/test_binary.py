"""Parquet and spreadsheets: limits from metadata, only columns that are used, values as text."""

import datetime
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import binary, campaigns, tables
from companion.legacy.rankstability.errors import DataError

openpyxl = pytest.importorskip("openpyxl")
pyarrow = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def parquet(path, **columns):
    pq.write_table(pyarrow.table(columns), path)
    return path


def test_parquet_is_refused_by_what_its_metadata_say_before_it_is_read(tmp_path, monkeypatch):
    n = 5_000_000
    same = pyarrow.DictionaryArray.from_arrays(np.zeros(n, np.int8), ["A"])
    columns = dict.fromkeys(("system", "segment", "annotator", "document"), same)
    file = parquet(tmp_path / "a.parquet", **columns, score=np.zeros(n))
    assert file.stat().st_size < 1 << 18
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *a: pytest.fail("read"))
    with pytest.raises(DataError, match=r"a\.parquet: too large"):
        campaigns.load(file)


def test_of_parquet_only_columns_that_are_used_are_read(tmp_path, monkeypatch):
    asked, read = [], pq.ParquetFile.read
    more = {"source": ["a text"] * 8, "spans": [[{"start": 1}]] * 8}
    used = {"system": [*"AABB"] * 2, "segment": [*"1212"] * 2, "annotator": [*"uuuuvvvv"]}
    used["score"] = [4, 3, 2, 1, 5, 5, 3, 4]
    file = parquet(tmp_path / "a.parquet", **used, **more)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda f, c: asked.extend(c) or read(f, c))
    campaign = campaigns.find(file)
    assert len(campaigns.load(campaign).good) == 8
    assert sorted(asked) == sorted(used)
    said = campaign.reading.set_index("what")["value"]
    assert said["columns not used"] == "source, spans"


def test_values_of_parquet_are_written_as_those_of_json(tmp_path):
    columns = {
        "whole": [1.0, 2.5, None, float("nan"), 1e300], "number": [1, 2, None, -3, 10**15],
        "text": ["a", "", None, " b ", "a"], "truth": [True, False, None, True, True],
        "day": [datetime.date(2020, 1, 2)] * 5, "nothing": [None] * 5,
    }  # fmt: skip
    file = parquet(tmp_path / "a.parquet", **columns)
    ours = tables.any_table(file)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    other = tables.from_records(file, enumerate(rows, start=1))
    pd.testing.assert_frame_equal(ours.frame, other.frame)
    assert ours.lines.tolist() == other.lines.tolist() == [1, 2, 3, 4, 5]
    assert ours.trimmed(["text"]) == other.trimmed(["text"])
    assert [*ours.trimmed(["text"]).values()] == [1, 0]


def test_bytes_and_categories_of_parquet_are_text(tmp_path):
    named = pd.Categorical(["b", None, "a"], categories=["z", "b", "a"])
    file = parquet(tmp_path / "a.parquet", raw=[b"x", "ä".encode(), None], named=named)
    frame = tables.any_table(file).frame
    assert frame.astype(str).to_dict("list") == {"raw": ["x", "ä", ""], "named": ["b", "", "a"]}
    assert list(frame["named"].cat.categories) == ["", "a", "b"]
    file = parquet(tmp_path / "b.parquet", raw=[b"\xff"])
    with pytest.raises(DataError, match=r"b\.parquet: not Parquet, or damaged"):
        tables.any_table(file)


def test_parquet_with_lists_or_a_column_twice_is_refused(tmp_path):
    same = {"segment": ["1"], "score": [1.0]}
    file = parquet(tmp_path / "a.parquet", system=[["A"]], **same)
    with pytest.raises(DataError, match=r"column 'system': not single values; found 'list<"):
        campaigns.load(file)
    twice = pyarrow.table([pyarrow.array(["A"])] * 2, names=["system", "system"])
    pq.write_table(twice, tmp_path / "b.parquet")
    with pytest.raises(DataError, match="a column appears twice; found 'system'"):
        campaigns.load(tmp_path / "b.parquet")


@pytest.mark.parametrize(
    ("name", "package", "form", "start"),
    [
        ("mine.xlsx", "openpyxl", "XLSX", b"PK\x03\x04"),
        ("mine.parquet", "pyarrow", "Parquet", b"PAR1"),
    ],
)
def test_what_cannot_be_read_says_so(tmp_path, monkeypatch, name, package, form, start):
    (tmp_path / name).write_bytes(start + b"\0" * 600)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, package, None)
        needed = rf"{name}: {form} needs {package}; exp.*pip install {package}"
        with pytest.raises(DataError, match=needed):
            campaigns.load(tmp_path / name)
    with pytest.raises(DataError, match=rf"{name}: not {form}, or damaged"):
        campaigns.load(tmp_path)


def test_a_spreadsheet_is_read_as_its_csv(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (*[[]] * 2, ["system", "segment", "rater", "score"], ["A", 1, "u", 4.5], []):
        sheet.append(row)
    for row in (["A", 2, "u", 3], ["B", 1, "u", 2], ["B", "2", "u", None]):
        sheet.append(row)
    file = tmp_path / "mine.xlsx"
    book.save(file)
    for path in (file, tmp_path):
        good = campaigns.load(path).good[["system", "segment", "worker", "score"]]
        assert good.to_numpy().tolist() == [
            ["A", "1", "u", 4.5], ["A", "2", "u", 3], ["B", "1", "u", 2],
        ]  # fmt: skip
    sheet.append(["C", 1, "u", "good"])
    book.save(file)
    with pytest.raises(DataError, match=r"mine\.xlsx, line 9, column 'score': not a number"):
        campaigns.load(file)


@pytest.mark.parametrize(
    ("cell", "value", "said"),
    [("D3", "=1+50", "line 3: a formula without its value; found 'D3'"),
     ("D3", "#DIV/0!", "line 3, column 'score': not a number; found '#DIV/0!'")],
)  # fmt: skip
def test_no_cell_of_a_spreadsheet_is_lost_or_takes_memory_for_its_place(
    tmp_path, cell, value, said
):
    book = openpyxl.Workbook()
    for row in ["system", "segment", "rater", "score"], *[[s, 1, "u", 4] for s in "AB"]:
        book.active.append(row)
    book.active[cell] = value
    book.save(tmp_path / "mine.xlsx")
    with pytest.raises(DataError, match=re.escape(said)):
        campaigns.load(tmp_path)


TABLE = [
    ["system", "segment", "rater", "score"],
    *[[s, k, "u", 3.5 + k] for s in "AB" for k in (0, 1)],
]


def spreadsheet(file, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file


def read(path):
    """What a page says of how a file was read; and its judgments."""
    campaign = campaigns.find(path)
    return {row["what"]: row["value"] for row in campaign.reading.to_dict("records")}, [
        list(row)
        for row in campaigns.load(campaign).good[["system", "segment", "score"]].to_numpy()
    ]


def test_rows_of_a_sheet_are_counted_to_the_most_there_may_be(monkeypatch):
    class Sheet:
        def __init__(self, *rows):
            self.rows = rows

        def reset_dimensions(self):
            pass

        def iter_rows(self, values_only):
            return iter(self.rows)

    monkeypatch.setattr(binary, "MOST_ROWS", 3)
    rows = binary._rows(Path("x.xlsx"), Sheet(("a", None), ("", None), (0, "b")))
    assert rows == {1: {0: "a"}, 3: {0: 0, 1: "b"}}
    with pytest.raises(DataError, match="too large; expected at most 3 rows") as error:
        binary._rows(Path("x.xlsx"), Sheet(*[("a",)] * 4))
    assert error.value.line == 4


def test_the_sheet_that_fits_is_read_and_the_others_are_named(tmp_path):
    notes, key = [["Please rate 1 to 5"], ["Anna", "Ben"]], [["system", "vendor"], ["A", "Acme"]]
    file = spreadsheet(tmp_path / "mine.xlsx", Notes=notes, Ratings=TABLE, Key=key)
    said, rows = read(file)
    assert said["sheet"] == "Ratings" and len(rows) == 4
    reading = campaigns.find(file).reading.set_index("what")
    assert reading.loc["sheet", "said by"] == "its columns; not read: Notes, Key"


def test_where_several_sheets_fit_one_is_asked_for(tmp_path, monkeypatch):
    other = [TABLE[0], *[[s, k, "v", 1] for s in "AB" for k in (0, 1)]]
    file = spreadsheet(tmp_path / "mine.xlsx", Anna=TABLE, Ben=other)
    with pytest.raises(
        DataError, match="several sheets that may hold judgments; found 'Anna, Ben'"
    ):
        read(file)
    (tmp_path / "campaign.yaml").write_text("sheet: Ben\n")
    assert {score for *_, score in read(file)[1]} == {1.0}
    (tmp_path / "campaign.yaml").write_text("sheet: Cy\n")
    with pytest.raises(DataError, match="no such sheet; found 'Cy'; expected one of Anna, Ben"):
        read(file)


@pytest.mark.parametrize("form", ["xlsx", "csv", "semicolon"])
def test_title_rows_and_footers_are_found_and_named(tmp_path, form):
    rows = [["Evaluation, spring 2026"], [], ["Project:", "X"], *TABLE, [], ["n = 4"]]
    file = tmp_path / ("mine.xlsx" if form == "xlsx" else "mine.csv")
    if form == "xlsx":
        spreadsheet(file, Sheet=rows)
    else:
        sign = "," if form == "csv" else ";"
        padded = [[*row, *[""] * (4 - len(row))] for row in rows]
        text = [[f'"{cell}"' if sign in str(cell) else str(cell) for cell in row] for row in padded]
        file.write_text("\n".join(sign.join(row) for row in text) + "\n")
    said, judged = read(file)
    assert judged == [["A", "0", 3.5], ["A", "1", 4.5], ["B", "0", 3.5], ["B", "1", 4.5]]
    assert said["rows above the header, not read"] == "2, from line 1 (Evaluation, spring 2026)"
    assert said["rows below the table, not read"] == "line 10 (n = 4)"


def test_a_judgment_after_an_empty_line_is_no_footer(tmp_path):
    rows = [*TABLE, [], ["C", 0, None, 2]]
    with pytest.raises(DataError, match="line 7, column 'rater': empty id"):
        read(spreadsheet(tmp_path / "mine.xlsx", Sheet=rows))
    rows = [*TABLE, ["C", 0, "u", None]]
    assert len(read(spreadsheet(tmp_path / "mine.xlsx", Sheet=rows))[1]) == 4


def test_a_column_without_a_name_is_called_by_its_letter(tmp_path):
    rows = [[None, *TABLE[0]], *[[k, *row] for k, row in enumerate(TABLE[1:])]]
    said, judged = read(spreadsheet(tmp_path / "mine.xlsx", Sheet=rows))
    assert said["columns not used"] == "column A" and len(judged) == 4


def test_a_spreadsheet_of_another_kind_shows_its_columns(tmp_path):
    file = spreadsheet(tmp_path / "mine.xlsx", Sheet=[["Zeit", "Frage"], ["9:00", "gut"]])
    with pytest.raises(DataError, match="not a file of a known format; found 'Zeit, Frage'"):
        campaigns.find(file)


@pytest.mark.parametrize(
    ("place", "letters"),
    [(0, "A"), (1, "B"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")],
)
def test_columns_are_lettered_as_in_a_spreadsheet(place, letters):
    assert binary._letters(place) == letters


@pytest.mark.parametrize(
    ("rows", "said"), [((), ""), ((3,), "1 row"), ((2, 4), "2 rows"), ((2, 3, 4), "3 rows")]
)
@pytest.mark.parametrize("how", ["hidden", "flat"])
def test_rows_that_are_hidden_or_made_flat_are_counted(tmp_path, rows, said, how):
    file = spreadsheet(tmp_path / "mine.xlsx", Sheet=TABLE)
    book = openpyxl.load_workbook(file)
    for row in rows:
        about = book.active.row_dimensions[row]
        about.hidden = how == "hidden"
        about.height = 77 if how == "flat" else 20
    book.active.row_dimensions[5].height = 30
    book.save(tmp_path / "high.xlsx")
    with zipfile.ZipFile(tmp_path / "high.xlsx") as high, zipfile.ZipFile(file, "w") as packed:
        for name in high.namelist():
            packed.writestr(name, high.read(name).replace(b'ht="77"', b'ht="0"'))
    assert dict(binary.hidden(file)) == ({binary.HIDDEN: said} if said else {})
    assert binary.beside(file) == binary.hidden(file)


def test_a_sheet_is_read_by_its_title_or_as_the_only_one(tmp_path):
    assert binary.MOST_ROWS == 2**20
    file = spreadsheet(tmp_path / "mine.xlsx", Ratings=TABLE, Empty=[])
    assert binary.sheets(file) == ("Ratings",) and binary.names(file) == TABLE[0]
    columns, lines = binary.read(file, ["system", "score"], str)
    assert list(columns) == ["system", "score"] and lines.tolist() == [2, 3, 4, 5]
    assert list(columns["system"]) == [*"AABB"]
    with pytest.raises(DataError, match="no such sheet; found 'Empty'; expected one of Ratings"):
        binary.names(file, "Empty")
    two = spreadsheet(tmp_path / "two.xlsx", Ratings=TABLE, Key=[["a", "b"], ["1", "2"]])
    assert binary.sheets(two) == ("Ratings", "Key") and binary.names(two, "Key") == ["a", "b"]
    with pytest.raises(DataError, match="several sheets; found 'Ratings, Key'") as error:
        binary.names(two)
    assert error.value.expected == 'sheet="Ratings", or CSV of it'
    twice = spreadsheet(tmp_path / "twice.xlsx", Sheet=[["a", "b", "a"], [1, 2, 3]])
    with pytest.raises(DataError, match="a column appears twice; found 'a'; expected each once"):
        binary.names(twice)
    with pytest.raises(DataError, match="the file is empty"):
        binary.names(spreadsheet(tmp_path / "none.xlsx", Sheet=[]))


def test_other_parts_of_a_spreadsheet_than_its_sheets_are_not_looked_at(tmp_path):
    file = spreadsheet(tmp_path / "mine.xlsx", Sheet=TABLE)
    with zipfile.ZipFile(file, "a") as packed:
        packed.writestr("xl/macrosheets/sheet1.xml", '<c r="D3"><f>1+1</f></c>')
        packed.writestr("xl/worksheets/notes.bin", b"\0no XML")
        packed.writestr("xl/other/sheet1.xml", '<row hidden="1"/>')
    assert binary.names(file) == TABLE[0] and binary.hidden(file) == ()


def test_the_size_of_parquet_is_that_of_the_columns_that_are_read(tmp_path, monkeypatch):
    n = 2000
    same = pyarrow.DictionaryArray.from_arrays(np.zeros(n, np.int8), ["A"])
    long = ["x" * 50 + str(k) for k in range(n)]
    file = parquet(tmp_path / "a.parquet", system=same, segment=same, text=long)
    told = []
    monkeypatch.setattr(binary.text, "check_unpacked", lambda *about: told.append(about))
    for names in (["system"], ["system", "segment"], ["text"]):
        told.clear()
        columns, lines = binary.read(file, names, str)
        assert list(columns) == names and lines.tolist() == [*range(1, n + 1)]
        path, total, packed = told[-1]
        assert (path, packed) == (file, file.stat().st_size)
        if "text" in names:
            assert total > 50 * n
        else:
            assert total == 2 * n * len(names)  # a character and a separator for each cell
    assert binary.read(file, [], str)[1].tolist() == []


def test_what_is_damaged_is_said_with_the_first_80_characters_of_why(tmp_path, monkeypatch):
    file = parquet(tmp_path / "a.parquet", a=["x"])
    for said, shown in (("y" * 99 + "\nz", "y" * 80), ("", ""), ("short\nmore", "short")):

        def fails(*_, said=said):
            raise ValueError(said)

        monkeypatch.setattr(pq, "ParquetFile", fails)
        with pytest.raises(DataError, match="not Parquet, or damaged") as error:
            binary.names(file)
        assert error.value.problem == f"not Parquet, or damaged ({shown})"
