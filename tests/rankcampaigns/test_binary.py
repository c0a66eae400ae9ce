"""Parquet and spreadsheets: limits from metadata, only columns that are used, values as text."""

import datetime
import re
import sys

import numpy as np
import pandas as pd
import pytest

from rankcampaigns import campaigns, tables
from rankstability.errors import DataError

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
    assert ours.trimmed(["text"]) == other.trimmed(["text"]) == 1


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
    book.create_sheet("more").append(["x"])
    book.save(file)
    with pytest.raises(DataError, match="several sheets; found 'Sheet, more'"):
        campaigns.load(file)


@pytest.mark.parametrize(
    ("cell", "value", "said"),
    [("XFD1048576", "x", "a column without a name"),
     ("D3", "=1+50", "line 3: a formula without its value; found 'D3'"),
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
