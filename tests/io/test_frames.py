"""Frames of pandas, polars, pyarrow and other libraries, and files of all kinds, agree."""

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.read import battles, judgments, read
from rankstability.judgments import Judgments

FRAME = pd.DataFrame(
    {
        "system": ["Ash", "Elm", "NA", "Ash", "Elm", "NA", "Ash", "Elm", "NA"],
        "segment": [1, 1, 1, 2, 2, 2, 3, 3, 3],
        "annotator": ["anna"] * 6 + ["bob"] * 3,
        "score": [4, 3.5, np.nan, 5, 2, 1, 4, 4, 2],
    }
)


def rows_of(found: Judgments) -> list[tuple[str, ...]]:
    table = found.table[["system", "segment", "annotator", "score"]].astype(str)
    return sorted(map(tuple, table.to_numpy().tolist()))


RIGHT = rows_of(judgments(FRAME))


def test_a_frame_keeps_names_such_as_na_and_counts_missing_scores() -> None:
    found = judgments(FRAME)
    assert found.systems == ["Ash", "Elm", "NA"]
    assert len(found.table) == 8
    assert found.excluded[["code", "rows"]].values.tolist() == [["no_score", 1]]
    assert found.table["segment"].astype(str).unique().tolist() == ["1", "2", "3"]


def frames() -> dict[str, Any]:
    found: dict[str, Any] = {
        "categories": FRAME.astype({"system": "category", "annotator": "category"}),
        "objects": FRAME.astype(object),
        "nullable": FRAME.convert_dtypes(),
        "texts": FRAME.assign(score=FRAME["score"].map(lambda v: "" if v != v else str(v))),
        "index": FRAME.set_index(np.array([7, 5, 5, 3, 2, 1, 0, 9, 8])),
    }
    try:
        import polars

        found["polars"] = polars.from_pandas(FRAME)
        found["lazy"] = polars.from_pandas(FRAME).lazy()
    except ImportError:
        pass
    try:
        import pyarrow

        found["pyarrow"] = pyarrow.Table.from_pandas(FRAME)
    except ImportError:
        pass
    return found


@pytest.mark.parametrize("name", frames())
def test_frames_of_all_libraries_agree(name: str) -> None:
    assert rows_of(judgments(frames()[name])) == RIGHT


@pytest.mark.parametrize("value", [None, 3, "a.csv", [1, 2], {"system": ["A"]}])
def test_what_is_no_frame_is_refused(value: Any) -> None:
    with pytest.raises(DataError) as error:
        judgments(value)
    assert error.value.code == "not_a_frame"


def test_an_empty_frame_is_refused() -> None:
    for frame in (FRAME.head(0), pd.DataFrame()):
        with pytest.raises(DataError) as error:
            judgments(frame)
        assert error.value.code == "no_rows"


def test_the_frame_of_a_user_is_not_changed() -> None:
    frame = FRAME.copy()
    judgments(frame)
    battles(pd.DataFrame({"left": ["A"], "right": ["B"], "winner": ["A"]}))
    pd.testing.assert_frame_equal(frame, FRAME)


def test_a_name_with_half_a_character_can_be_written() -> None:
    names = ["El\ud800m" if name == "Elm" else name for name in FRAME["system"]]
    frame = FRAME.assign(system=pd.Series(names, dtype=object))
    try:
        systems = judgments(frame).systems
    except DataError as error:
        systems = [str(error)]
    assert "".join(systems).encode()


# ------------------------------------------------------------------ files


def write(folder: Path, kind: str) -> Path:
    path = folder / f"a.{kind}"
    text = FRAME.to_csv(index=False)
    records = [
        {name: (None if value != value else value) for name, value in row.items()}
        for row in json.loads(FRAME.to_json(orient="records"))
    ]
    if kind == "csv":
        path.write_text(text)
    elif kind == "tsv":
        path.write_text(FRAME.to_csv(index=False, sep="\t"))
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif kind == "json":
        path.write_text(json.dumps(records))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    elif kind == "parquet":
        FRAME.to_parquet(path)
    elif kind == "xlsx":
        FRAME.to_excel(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "json", "jsonl", "parquet", "xlsx"])
def test_files_of_all_kinds_agree(kind: str, tmp_path: Path) -> None:
    found = read(write(tmp_path, kind))
    assert rows_of(found) == RIGHT
    assert int(found.excluded["rows"].sum()) + len(found.table) == len(FRAME)


TEXT = FRAME.to_csv(index=False)
SPELLINGS = {
    "semicolons": TEXT.replace(",", ";"),
    "bars": TEXT.replace(",", "|"),
    "a byte order mark": "\ufeff" + TEXT,
    "CR LF": TEXT.replace("\n", "\r\n"),
    "CR only": TEXT.replace("\n", "\r"),
    "blank lines": TEXT.replace("\n", "\n\n") + "\n\n",
    "quotes": "\n".join(",".join(f'"{cell}"' for cell in line.split(","))
                        for line in TEXT.split("\n") if line),
    "blanks around names": TEXT.replace("Ash", " Ash "),
    "no end of line": TEXT.rstrip("\n"),
    "header in capitals": TEXT.replace("system,segment", "SYSTEM,Segment"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_a_table_agree(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(SPELLINGS[name].encode())
    assert rows_of(read(path)) == RIGHT


def test_utf_16_of_a_spreadsheet_program_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(TEXT.replace(",", "\t").encode("utf-16"))
    assert rows_of(read(path)) == RIGHT


RECORDS = json.loads(FRAME.to_json(orient="records"))
JSONS = {
    "indented": json.dumps(RECORDS, indent=2),
    "objects over several lines": "\n".join(json.dumps(each, indent=1) for each in RECORDS),
    "one list in an object": json.dumps({"version": 2, "ratings": RECORDS}),
}


@pytest.mark.parametrize("name", JSONS)
def test_layouts_of_json_agree(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(JSONS[name])
    assert rows_of(read(path)) == RIGHT


BROKEN = {
    "a row with too few cells": ("csv", "system,segment,score\nA,1,2\nB,1\nA,2,3\n"),
    "a row with too many cells": ("csv", "system,segment,score\nA,1,2\nB,1,3,4\nA,2,3\n"),
    "a quotation mark that is never closed": (
        "csv", 'system,segment,score\nA,1,2\n"B,1,3\nA,2,3\nB,2,4\n'),
    "a quotation mark that swallows rows": (
        "csv", 'system,segment,score\nA,1,2\nB,"1,3\nA,2,3\nB,2,4\nA,3,3\nB,"3,4\nA,4,3\n'),
    "only a header": ("csv", "system,segment,score\n"),
    "nothing": ("csv", ""),
    "blanks": ("csv", " \n \n"),
    "half of JSON": ("json", '[{"system": "A", "segment": 1, "sco'),
    "a list of numbers": ("json", "[1, 2, 3]"),
    "a text": ("json", '"a"'),
    "an empty list": ("json", "[]"),
    "deep JSON": ("json", "[" * 100_000),
    "no Parquet": ("parquet", "PAR1 and nothing else"),
    "no workbook": ("xlsx", "PK and nothing else"),
    "no gzip": ("csv.gz", "\x1f\x8b and nothing else"),
    "an unknown ending": ("docx", "system,segment,score\nA,1,2\n"),
    "bytes of zero": ("csv", "system,segment\x00,score\nA,1,2\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused(name: str, tmp_path: Path) -> None:
    kind, text = BROKEN[name]
    path = tmp_path / f"a.{kind}"
    path.write_bytes(text.encode("latin-1") if "gz" in kind else text.encode())
    with pytest.raises(DataError) as error:
        read(path)
    assert str(path.name) in str(error.value.file)


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"system,segment,score\nA,1,2\nB\xe9,1,3\n")
    with pytest.raises(DataError) as error:
        read(path)
    assert (error.value.code, error.value.line) == ("not_utf8", 3)


def workbook(path: Path, rows: list[list[Any]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return book


ROWS = [list(FRAME.columns), *FRAME.astype(object).where(FRAME.notna(), None).to_numpy().tolist()]


def test_rows_of_a_sheet_out_of_order_are_all_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook(path, ROWS)
    mixed = tmp_path / "mixed.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(mixed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                start, end = content.index(b'<row r="3"'), content.index(b'<row r="4"')
                last = content.index(b"</sheetData>")
                row = content[start:end]
                content = content[:start] + content[end:last] + row + content[last:]
            new.writestr(name, content)
    assert rows_of(read(mixed)) == RIGHT


def test_hidden_rows_of_a_sheet_are_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = workbook(path, ROWS)
    book.active.row_dimensions[3].hidden = True
    book.save(path)
    found = read(path)
    assert rows_of(found) == RIGHT
    assert found.notes.set_index("code").loc["hidden_rows", "rows"] == 1


def test_several_sheets_need_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = workbook(path, ROWS)
    book.create_sheet("second").append(["about", "this"])
    book["second"].append(["a", "b"])
    book.save(path)
    with pytest.raises(DataError) as error:
        read(path)
    assert error.value.code == "several_sheets"
    assert rows_of(read(path, sheet="Sheet")) == RIGHT
    with pytest.raises(DataError) as error:
        read(path, sheet="third")
    assert error.value.code == "no_such_sheet"


def test_a_name_of_several_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("system,segment,score,score\nA,1,2,3\nB,1,3,4\n")
    with pytest.raises(DataError):
        read(path)
    with pytest.raises(DataError):
        judgments(pd.DataFrame([["A", 1, 2, 3]], columns=["system", "segment", "score", "score"]))


def test_files_are_closed_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for k in range(40):
        FRAME.drop(columns="system").to_csv(tmp_path / f"s{k}.csv", index=False)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    here = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 40
    resource.setrlimit(resource.RLIMIT_NOFILE, (here + 8, hard))
    try:
        found = read(tmp_path, files="{system}.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found.n_systems == 40


def test_pandas_reads_a_buffer_of_the_same_text() -> None:
    found = judgments(pd.read_csv(io.StringIO(TEXT), keep_default_na=False, na_values=[""]))
    assert rows_of(found) == RIGHT


# ------------------------------------------------------------------ frames that hold no judgments

RATED = FRAME.dropna().reset_index(drop=True)
ODD: dict[str, Any] = {
    "no rows": RATED.head(0),
    "no columns": pd.DataFrame(index=range(3)),
    "a column twice": pd.concat([RATED, RATED[["score"]]], axis=1),
    "several levels of columns": RATED.set_axis(
        pd.MultiIndex.from_tuples([("a", name) for name in RATED]), axis=1
    ),
    "complex scores": RATED.assign(score=RATED["score"].astype(complex)),
    "durations": RATED.assign(score=pd.to_timedelta(RATED["score"], unit="s")),
    "dates": RATED.assign(score=pd.to_datetime(RATED["score"], unit="s")),
    "objects": RATED.assign(score=[object()] * len(RATED)),
    "lists": RATED.assign(score=[[1]] * len(RATED)),
    "endless scores": RATED.assign(score=np.inf),
    "numbers that are too long": RATED.assign(score=[10**400] * len(RATED)),
    "half a character as a column": RATED.set_axis(
        pd.Index(["system", "segment", "annotator", "\ud800"], dtype=object), axis=1
    ),
    "sets": RATED.assign(system=[{"a"}] * len(RATED)),
    "a series": RATED["score"],
    "an array": RATED.to_numpy(),
    "a dictionary": RATED.to_dict(),
    "nothing": None,
    "a path": Path("a.csv"),
}


@pytest.mark.parametrize("name", ODD)
def test_frames_that_hold_no_judgments_are_refused(name: str) -> None:
    for build in (judgments, battles):
        with pytest.raises(DataError):
            build(ODD[name])


@pytest.mark.parametrize(
    "dtype", ["category", "object", "Int64", "Float64", "string", "float16", "int8", "bool"]
)
def test_scores_of_any_type_are_the_same(dtype: str) -> None:
    whole = RATED.assign(score=RATED["score"].round())
    frame = whole.assign(score=whole["score"].astype(dtype))
    right = whole["score"].astype(bool).astype(float) if dtype == "bool" else whole["score"]
    assert judgments(frame).table["score"].tolist() == right.tolist()


@pytest.mark.parametrize("name", ["system", "score", "variable", "value", "criterion"])
@pytest.mark.parametrize("word", ["wide", "criteria"])
def test_a_wide_table_can_have_columns_with_the_names_of_a_long_one(word: str, name: str) -> None:
    frame = pd.DataFrame({"item": range(6), "of": list("XY") * 3, "A": range(6), "B": [3] * 6})
    frame[name] = "x"
    if word == "wide":
        found = judgments(frame, segment="item", wide=["A", "B"])
        assert found.table.groupby("system", observed=True)["score"].sum().to_dict() == {
            "A": 15.0,
            "B": 18.0,
        }
    elif name != "system":
        parts = judgments(frame, segment="item", system="of", criteria=["A", "B"], each="criterion")
        assert {key: part.table["score"].sum() for key, part in parts.items()} == {
            "A": 15.0,
            "B": 18.0,
        }


@pytest.mark.parametrize(
    "value",
    [pd.Series(["system"]), np.array([["system"]]), RATED, object(), b"x", 1j, {"a"}, [None], "{0}",
     "\ud800", {"a": ["b", "c"]}],
)  # fmt: skip
@pytest.mark.parametrize("word", ["system", "scale", "codes", "header", "lower_is_better"])
def test_words_of_another_type_are_refused(word: str, value: Any) -> None:
    with pytest.raises(DataError):
        judgments(RATED, **{word: value})
