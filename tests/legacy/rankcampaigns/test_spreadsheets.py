"""Oddities of spreadsheets, pipes in a folder, and what a terminal or a page must not obey."""

import datetime
import json
import os
import signal
import subprocess
import sys
import zipfile

import pandas as pd
import pytest

from companion.legacy.paperkit import tables as pages
from companion.legacy.paperkit.errors import InputError
from companion.legacy.paperkit.templates import tex
from companion.legacy.rankstability import DataError, battles, find, judgments, load
from companion.legacy.rankstability.errors import visible

openpyxl = pytest.importorskip("openpyxl")
ROWS = [["system", "segment", "annotator", "score"]]
ROWS += [[s, k, u, 20 + 7 * k] for s in "AB" for k in range(5) for u in "uv"]


def book(file, rows=ROWS, change=lambda book, sheet: None):
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    change(made, made.active)
    made.save(file)
    return file


def rewritten(file, old, new):
    """The file with one cell of its sheet written otherwise."""
    with zipfile.ZipFile(file) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert old in parts[sheet]
    parts[sheet] = parts[sheet].replace(old, new, 1)
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return file


@pytest.mark.parametrize(
    "cell",
    [
        b'<c r="D3"><f>1+1</f></c>',
        b'<c t="n" r="D3" s="0"><f>1+1</f><v/></c>',
        b"<c r='D3'><f>1+1</f><v></v></c>",
        b'<c r="D3">\n <f>1+1</f>\n <v> </v>\n</c>',
        b'<c r="D3"><f t="shared" ref="D3:D9" si="0"/></c>',
        b'<c r="D3"><v xml:space="preserve"></v><f>1+1</f></c>',
        b'<c r="D3" t="e"><f>1+1</f></c>',
        b'<x:c xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" r="D3">'
        b"<x:f>1+1</x:f></x:c>",
    ],
)
def test_a_formula_whose_value_was_never_saved_is_refused(tmp_path, cell):
    file = rewritten(book(tmp_path / "mine.xlsx"), b'<c r="D3" t="n"><v>20</v></c>', cell)
    with pytest.raises(DataError, match="a formula without its value") as caught:
        load(find(file))
    assert (caught.value.line, caught.value.value) == (3, "D3")


def test_a_formula_with_its_value_is_read(tmp_path):
    cell = b'<c r="D3"><f>1+1</f><v>2</v></c>'
    file = rewritten(book(tmp_path / "mine.xlsx"), b'<c r="D3" t="n"><v>20</v></c>', cell)
    assert load(find(file)).good["score"].min() == 2


def test_hidden_rows_are_said(tmp_path):
    def hide(made, sheet):
        sheet.row_dimensions[3].hidden = sheet.row_dimensions[5].hidden = True

    campaign = find(book(tmp_path / "mine.xlsx", change=hide))
    assert len(load(campaign).good) == 20
    told = campaign.reading.set_index("what")["value"]
    assert told["hidden rows, read as the others are"] == "2 rows"

    def by_default(made, sheet):  # the rows below the table
        sheet.sheet_format.zeroHeight = True

    plain = find(book(tmp_path / "plain.xlsx", change=by_default))
    assert "hidden rows, read as the others are" not in set(plain.reading["what"])


@pytest.mark.parametrize("error", ["#N/A", "#REF!", "#DIV/0!"])
def test_an_error_of_a_spreadsheet_is_no_name(tmp_path, error):
    rows = [*ROWS, [error, 1, "u", 50]]
    with pytest.raises(DataError, match="line 22, column 'system': an error of a spreadsheet"):
        load(find(book(tmp_path / "mine.xlsx", rows)))


TYPED = {
    datetime.datetime(2026, 4, 3): "a date or time",
    datetime.time(1, 2): "a date or time",
    True: "true or false",
}


@pytest.mark.parametrize("value", TYPED)
@pytest.mark.parametrize("column", ["system", "segment", "annotator", "document"])
def test_a_date_or_a_truth_is_no_name(tmp_path, column, value):
    rows = [[*ROWS[0], "document"], *([*row, f"d{row[1]}"] for row in ROWS[1:])]
    rows[5][rows[0].index(column)] = value
    match = f"line 6, column '{column}': {TYPED[value]}, perhaps made of an id"
    with pytest.raises(DataError, match=match):
        load(find(book(tmp_path / "mine.xlsx", rows)))
    frame = pd.DataFrame(rows[1:], columns=rows[0], index=range(2, 22))
    with pytest.raises(DataError, match=match.replace("line", "row")):
        judgments(frame)
    frame[column] = [value] * len(frame)
    with pytest.raises(DataError, match=f"column '{column}': {TYPED[value]}"):
        judgments(frame)
    frame.to_parquet(tmp_path / "mine.parquet")
    with pytest.raises(DataError, match=f"column '{column}': {TYPED[value]}"):
        load(find(tmp_path / "mine.parquet"))


def test_a_date_above_a_column_of_scores_is_no_system(tmp_path):
    rows = [["segment", "A", datetime.datetime(2026, 4, 3)]]
    book(tmp_path / "mine.xlsx", [*rows, *([k, 20 + k, 30 + k] for k in range(5))])
    (tmp_path / "campaign.yaml").write_text("wide: all\n")
    with pytest.raises(DataError, match="column 'system': a date or time"):
        load(find(tmp_path))


def test_true_in_json_is_no_name(tmp_path):
    rows = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]
    rows[4]["segment"] = True
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    with pytest.raises(DataError, match="line 5, column 'segment': true or false"):
        load(find(tmp_path))


def test_a_category_of_battles_may_be_true_and_a_question_may_not():
    frame = pd.DataFrame({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"], "code": [True]})
    assert battles(frame, domain="code")["domain"].tolist() == ["True", "True"]
    with pytest.raises(DataError, match="column 'code': true or false"):
        battles(frame, question="code")


def test_chart_sheets_and_the_lock_file_of_excel_are_left_alone(tmp_path):
    from openpyxl.chart import BarChart, Reference

    def chart(made, sheet):
        drawn = BarChart()
        drawn.add_data(Reference(sheet, min_col=4, min_row=1, max_row=9))
        made.create_chartsheet().add_chart(drawn)

    book(tmp_path / "mine.xlsx", change=chart)
    (tmp_path / "~$mine.xlsx").write_bytes(b"\x05Owner" + b"\0" * 100)
    campaign = find(tmp_path)
    assert len(load(campaign).good) == 20
    assert campaign.unread == ()


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_battles_are_read_from_parquet_and_spreadsheets(tmp_path, ending):
    rows = [("q1", "A", "B", "model_a", "j"), ("q2", "A", "B", "tie", "j")]
    frame = pd.DataFrame(rows, columns=["question_id", "model_a", "model_b", "winner", "judge"])
    file = tmp_path / f"battles.{ending}"
    frame.to_parquet(file) if ending == "parquet" else frame.to_excel(file, index=False)
    campaign = find(file)
    assert campaign.format == "battles"
    assert load(campaign)["rank"].tolist() == [1, 2, 1, 1]


def test_a_pipe_in_the_folder_is_refused_and_does_not_hang(tmp_path):
    (tmp_path / "mine.csv").write_text("\n".join(",".join(map(str, row)) for row in ROWS))
    os.mkfifo(tmp_path / "other.csv")
    with pytest.raises(DataError, match=r"other\.csv: not a file but a device or pipe"):
        find(tmp_path)


def test_ctrl_c_is_said_in_one_line(tmp_path):
    (tmp_path / "mine.csv").write_text("\n".join(",".join(map(str, row)) for row in ROWS))
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from companion.legacy.rankcampaigns import campaigns\n"
        "campaigns.find = lambda *a: os.kill(os.getpid(), signal.SIGINT)\n"
        "from companion.legacy.rankcompanion.running import commands\n"
        f"sys.exit(commands.main(['verdict', {str(tmp_path / 'mine.csv')!r}]))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 128 + signal.SIGINT
    assert ran.stderr == "error: interrupted\n"


ODD = "a\x1b[31m\x07\u202eb"
SAFE = r"a\x1b[31m\x07\u202eb"


def test_what_a_terminal_or_a_page_would_obey_is_shown(tmp_path):
    error = DataError(ODD, file=ODD, column=ODD, value=1, expected=ODD)
    assert str(error).count(SAFE) == 4
    assert str(InputError(ODD, expected=ODD)).count(SAFE) == 2
    assert SAFE in pages.html(pd.DataFrame({ODD: [ODD]}))
    assert "\u202e" not in pages.html(pd.DataFrame({ODD: [ODD]})) + tex(ODD)
    assert visible("a\tb\nc \u200c \u00e9") == "a\tb\nc \u200c \u00e9"


def test_a_file_whose_name_has_control_characters_is_named_without_them(tmp_path):
    file = tmp_path / f"{ODD}.csv"
    file.write_text("\n".join(",".join(map(str, row)) for row in ROWS))
    assert find(file).name == SAFE
    file.write_text("system,segment,score\nA,1,x\nB,1,2\n")
    with pytest.raises(DataError) as caught:
        load(find(file))
    assert visible(str(caught.value)) == str(caught.value)
