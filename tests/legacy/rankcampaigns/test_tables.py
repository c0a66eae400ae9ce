"""Delimited text and JSON: quotes that do not close, keys that change, rows in two files."""

import gzip
import json
import shutil

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns, tables
from companion.legacy.rankstability import load, paths
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError

SYSTEMS = ("Aspen", "Birch", "Cedar", "Doum")
ROWS = [(s, str(k), f"ann{k % 3}", 10 * n + k, "fine") for k in range(10) for n, s in
        enumerate(SYSTEMS)]  # fmt: skip
HEADER = ("system", "segment", "annotator", "score", "comment")
SEGMENTS = "SYS SID RAW.SCR Z.SCR N\n"


def text_of(rows=ROWS, header=HEADER, sign=",", quote=""):
    """Lines of cells; `quote` stands around every name."""
    cells = [[f"{quote}{c}{quote}" if isinstance(c, str) else str(c) for c in row] for row in rows]
    head = [f"{quote}{name}{quote}" for name in header]
    return "".join(sign.join(row) + "\n" for row in [head, *cells])


def written(folder, text, name="mine.csv"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def judged(path):
    """The judgments as a sorted list of tuples."""
    good = load(path).good
    names = ["system", "segment", "worker", "score"]
    return sorted(good[names].astype({"score": int}).itertuples(index=False, name=None))


PLAIN = sorted(row[:4] for row in ROWS)


# ------------------------------------------------------------------ quotes


@pytest.mark.parametrize("sign", [",", ";"])
@pytest.mark.parametrize("column", range(5))
def test_a_quote_that_never_closes_is_refused_where_it_opens(tmp_path, sign, column):
    lines = text_of(sign=sign).splitlines(keepends=True)
    cells = lines[20].split(sign)
    cells[column] = '"' + cells[column]
    lines[20] = sign.join(cells)
    with pytest.raises(DataError, match=r"line 21: .*quot.*closed"):
        load(written(tmp_path, "".join(lines)))


@pytest.mark.parametrize("last", [21, 22, 30])
@pytest.mark.parametrize("comment", ["fine", "", "so, so"])
@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("sign", [",", ";"])
def test_a_quote_that_closes_rows_later_is_refused(tmp_path, last, comment, place, sign):
    """Wherever the column of comments stands, and whatever is in it (no sign that parts cells)."""
    said = [comment.replace(sign, " ")] * len(ROWS)
    said[19], said[last - 1] = '"He said', 'fine"'
    rows = [[*row[:4]] for row in ROWS]
    for row, words in zip(rows, said, strict=True):
        row.insert(place, words)
    header = [*HEADER[:4]]
    header.insert(place, "comment")
    wrong = rf"line 21: .*looks like rows, to line {last + 1}"
    with pytest.raises(DataError, match=wrong) as error:
        load(written(tmp_path, text_of(rows, header, sign)))
    assert error.value.expected


def test_a_quote_that_swallows_whole_systems_or_begins_in_the_header_is_refused(tmp_path):
    rows = sorted(ROWS)
    for first, last in ((9, 39), (-1, 25), (0, 39)):
        lines = text_of(rows).splitlines()
        lines[first + 1] = lines[first + 1].replace(",fine", ',"fine').replace(",com", ',"com')
        lines[last + 1] += '"'
        wanted = rf"line {first + 2}: .*looks like rows, to line {last + 2}"
        with pytest.raises(DataError, match=wanted):
            load(written(tmp_path, "\n".join(lines)))


def test_a_quote_that_swallows_rows_without_a_score_is_refused(tmp_path):
    rows = [(*row[:3], "NA" if k % 4 else row[3], row[4]) for k, row in enumerate(ROWS)]
    lines = text_of(rows).splitlines()
    lines[10], lines[15] = lines[10].replace(",fine", ',"fine'), lines[15] + '"'
    with pytest.raises(DataError, match=r"line 11: .*looks like rows, to line 16"):
        load(written(tmp_path, "\n".join(lines)))


def test_a_prompt_of_several_lines_is_a_cell(tmp_path):
    header = ("model_a", "model_b", "winner", "judge", "prompt_text")
    rows = [["A", "B", ("model_a", "model_b", "tie")[k % 3], f"j{k}", "hi"] for k in range(30)]
    rows[7][4] = '"Sort\nb, c, a, e, d"'
    assert len(load(written(tmp_path, text_of(rows, header)))) == 60


def test_a_cell_of_several_lines_is_one_cell_and_lines_are_where_rows_begin(tmp_path):
    poem = '"first, second,\nyes, 1, 2, 3, 4\n""and"" so on, Aspen"'
    rows = [(*row[:4], poem if k == 7 else row[4]) for k, row in enumerate(ROWS)]
    file = written(tmp_path, text_of(rows))
    assert judged(file) == PLAIN
    table = tables.any_table(file)
    assert table.lines.tolist() == [*range(2, 10), *range(12, 44)]
    assert table.frame["comment"].iloc[7] == 'first, second,\nyes, 1, 2, 3, 4\n"and" so on, Aspen'


def test_text_behind_a_closing_quote_is_refused(tmp_path):
    with pytest.raises(DataError, match="line 3: not a table"):
        load(written(tmp_path, text_of().replace("Birch,0", '"Birch"x,0')))


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_quotes_around_cells_are_no_part_of_names(tmp_path, sign):
    """As R writes tables (`write.csv2`, `write.table`): all names in quotes."""
    file = written(tmp_path, text_of(sign=sign, quote='"'))
    assert judged(file) == PLAIN
    plain = written(tmp_path, text_of([(*row[:2], "z", *row[3:]) for row in ROWS]), "more.csv")
    da = load(tmp_path)
    assert set(da.good["system"]) == set(SYSTEMS) and len(da.good) == 2 * len(ROWS)
    plain.unlink()
    mapped = text_of(header=("model", "seg", "who", "quality", "x"), sign=sign, quote='"')
    written(tmp_path, mapped)
    settings = "columns: {system: model, segment: seg, annotator: who, score: quality}\n"
    written(tmp_path, settings, "campaign.yaml")
    assert judged(tmp_path) == PLAIN


@pytest.mark.parametrize("sign", [tables.BLANKS, "\t", ","])
def test_columns_of_a_format_are_found_by_a_header_in_any_order_or_else_by_place(tmp_path, sign):
    file, between = tmp_path / "x.txt", " " if sign == tables.BLANKS else sign
    for header, first in (("a b c", "135"), ("c a b", "351"), ("", "135"), ("b c a", "513")):
        lines = [header] * bool(header) + ["1 3 5", "2 4 6"]
        file.write_text("\n".join(lines).replace(" ", between) + "\n")
        frame = tables.read(file, ("a", "b", "c"), sign).frame.astype(str)
        assert "".join(frame[["a", "b", "c"]].iloc[0]) == first and len(frame) == 2


def test_names_of_columns_are_those_below_a_title(tmp_path):
    file = tmp_path / "x.csv"
    rows = [f"A,{k},u,5" for k in range(6)]
    file.write_text("\n".join(["Our study", "", "system, segment ,rater,score", *rows]) + "\n")
    assert tables.header(file) == ["system", "segment", "rater", "score"]
    file.write_text("\n".join(["system,segment,rater,score", *rows]) + "\n")
    assert tables.header(file) == ["system", "segment", "rater", "score"]
    file.write_text(" \n\n")
    assert tables.header(file) == []


def test_quotes_within_text_between_tabs_are_text(tmp_path):
    rows = [(*row[:4], ('"Yes', 'he said "no"', '"a" and "b"')[k % 3])
            for k, row in enumerate(ROWS)]  # fmt: skip
    file = written(tmp_path, text_of(rows, sign="\t"))
    assert judged(file) == PLAIN
    assert set(tables.any_table(file).frame["comment"]) == {row[4] for row in rows}


@pytest.mark.parametrize("name", ['"Aspen', 'Aspen"'])
def test_a_stray_quote_makes_no_second_system(tmp_path, name):
    lines = text_of(sign="\t").splitlines(keepends=True)
    lines[9] = lines[9].replace("Aspen", name)
    with pytest.raises(DataError, match=r"line 10, column 'system': a stray quotation mark"):
        load(written(tmp_path, "".join(lines)))


def test_quotes_around_names_of_segment_scores_are_no_part_of_them(tmp_path):
    scores = [f'"{s}" {k} {50 + k} 0.1 1\n' for s in SYSTEMS for k in range(5)]
    scores[3] = scores[3].replace('"', "")
    file = written(tmp_path, SEGMENTS + "".join(scores), "ad-seg-scores-cs-en.csv")
    assert sorted(load(file)["system"].unique()) == sorted(SYSTEMS)


# ------------------------------------------------------------------ names that are none


@pytest.mark.parametrize("name", ["b'Aspen'", 'b"Aspen"'])
def test_bytes_as_python_prints_them_are_no_name(tmp_path, name):
    rows = [(name, *row[1:]) if k == 8 else row for k, row in enumerate(ROWS)]
    with pytest.raises(DataError, match=r"line 10, column 'system': a Python bytes literal"):
        load(written(tmp_path, text_of(rows, sign="\t")))


# ------------------------------------------------------------------ JSON


def objects(rows=ROWS, header=HEADER):
    return [dict(zip(header, row, strict=True)) for row in rows]


def jsonl(folder, entries, name="mine.jsonl"):
    return written(folder, "".join(json.dumps(entry) + "\n" for entry in entries), name)


@pytest.mark.parametrize("other", [("score", "rating"), ("score", "quality"), ("annotator", "who")])
def test_a_key_that_changes_halfway_is_refused(tmp_path, other):
    entries = objects()
    for entry in entries[20:]:
        entry[other[1]] = entry.pop(other[0])
    with pytest.raises(DataError, match=rf"line 21: no field {other[0]}.*{other[1]}"):
        load(jsonl(tmp_path, entries))


def test_a_field_that_is_left_out_here_and_there_is_empty(tmp_path):
    entries = [{**entry, "type": "SYSTEM", "time": 3} for entry in objects()]
    for entry in entries[5:9]:
        del entry["comment"], entry["type"]
    for entry in entries[20:30]:
        del entry["time"]
    del entries[3]["score"]
    da = load(jsonl(tmp_path, entries))
    assert len(da.good) == len(ROWS) - 1
    assert dict(zip(da.excluded.reason, da.excluded.rows, strict=True))["no score (left out)"] == 1


def test_a_key_that_stands_twice_in_an_object_is_refused(tmp_path):
    lines = [json.dumps(entry) for entry in objects()]
    lines[4] = lines[4].replace('"score": ', '"score": 99, "score": ')
    with pytest.raises(DataError, match=r"line 5: a key appears twice in an object; found 'score'"):
        load(written(tmp_path, "\n".join(lines), "mine.jsonl"))
    with pytest.raises(DataError, match="a key appears twice in an object; found 'score'"):
        load(written(tmp_path, "[" + ",\n".join(lines) + "]", "mine.json"))
    one = {"user_id": "u", "item_i": 0, "annotation": [{"A": {"score": 1}, "B": {"score": 2}}]}
    log = json.dumps(one | {"item": [{"item_id": "i"}]}).replace('"B"', '"A"')
    with pytest.raises(DataError, match=r"line 1: a key appears twice in an object; found 'A'"):
        load(written(tmp_path, log + "\n", "log.jsonl"))


@pytest.mark.parametrize("value", [["Aspen", "Birch"], {"name": "Aspen"}, [], [1], [None]])
@pytest.mark.parametrize("column", ["system", "segment", "annotator", "document"])
def test_a_list_is_no_name(tmp_path, value, column):
    entries = [{**entry, "document": "d"} for entry in objects()]
    entries[6][column] = value
    with pytest.raises(DataError, match=rf"line 7, column '{column}': not a single value"):
        load(jsonl(tmp_path, entries))


@pytest.mark.parametrize("name", ["['Aspen', 'Birch']", '[""Aspen"", ""Birch""]', "{a: 1}", "[]"])
@pytest.mark.parametrize("column", range(3))
def test_a_list_as_text_is_no_name(tmp_path, name, column):
    rows = [list(row) for row in ROWS]
    rows[6][column] = f'"{name}"'
    with pytest.raises(DataError, match=rf"line 8, column '{HEADER[column]}': not a single value"):
        load(written(tmp_path, text_of(rows)))


def test_a_name_in_brackets_is_a_name(tmp_path):
    rows = [(f"[{row[0]}]", f"[{row[1]}] x", *row[2:]) for row in ROWS]
    found = {row[0] for row in judged(written(tmp_path, text_of(rows)))}
    assert found == {f"[{name}]" for name in SYSTEMS}


def test_a_list_in_a_column_that_is_not_read_is_no_matter(tmp_path):
    entries = [{**entry, "comment": ["x", {"y": 1}]} for entry in objects()]
    assert judged(jsonl(tmp_path, entries)) == PLAIN


def test_half_characters_make_no_systems(tmp_path):
    """A lone surrogate, which only an escape of JSON can write, is no character."""
    entries = objects()
    for entry in entries:
        entry["comment"] = "\ud800 cut off"
    assert judged(jsonl(tmp_path, entries)) == PLAIN
    for entry in entries:
        entry["system"] = entry["system"].replace("Birch", "X\ud800").replace("Doum", "X\udc00")
        del entry["comment"]
    with pytest.raises(DataError, match=r"line 2, column 'system': .*half a character"):
        load(jsonl(tmp_path, entries))


# ------------------------------------------------------------------ the same rows in two files

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(
    [(s, str(k), a, int(RNG.integers(0, 101))) for s in "ABC" for k in range(8) for a in "uv"],
    columns=["system", "segment", "annotator", "score"],
)


def refused(folder, *names, rows=None):
    """Whether the campaign in the folder is refused, with these names."""
    with pytest.raises(DataError, match="the same rows in two files") as caught:
        campaign = campaigns.find(folder)
        for pair in campaign.pairs:
            load(campaign, pair)
    assert all(name in caught.value.file for name in names), caught.value
    assert "files:" in caught.value.expected
    assert rows is None or str(caught.value.value).startswith(f"all {rows} ")


def copies(file):
    """Other forms of a long table: (name, bytes)."""
    frame = pd.read_csv(file, dtype=str)
    objects = [{**row, "score": int(row["score"])} for row in frame.to_dict("records")]
    lines = "".join(json.dumps(row) + "\n" for row in objects).encode()
    other = frame.sample(frac=1, random_state=1).rename(columns={"annotator": "worker_id"})
    other = other[["score", "worker_id", "segment", "system"]].assign(seconds="3.5")
    return {
        "a.csv.gz": gzip.compress(file.read_bytes()), "a (1).csv": file.read_bytes(),
        "a.jsonl": lines, "b.tsv": other.to_csv(sep="\t", index=False).encode(),
        "c.json": json.dumps(objects[::-1]).encode(),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv.gz", "a (1).csv", "a.jsonl", "b.tsv", "c.json"])
def test_a_long_table_beside_itself_in_another_form(tmp_path, name):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    assert len(load(tmp_path).good) == 48
    (tmp_path / name).write_bytes(copies(tmp_path / "a.csv")[name])
    refused(tmp_path, "a.csv", name, rows=48)
    (tmp_path / "campaign.yaml").write_text(f"files: [{name}]\n")
    assert len(load(tmp_path).good) == 48


def test_a_later_export_beside_the_earlier_one(tmp_path):
    FRAME.to_csv(tmp_path / "z.csv", index=False)
    FRAME[:30].to_csv(tmp_path / "y.csv", index=False)
    refused(tmp_path, "y.csv", "z.csv", rows=30)


def test_one_file_named_twice(tmp_path):
    for name in ("r.csv", "s.csv"):
        FRAME.to_csv(tmp_path / name, index=False)
    for files in ("[r.csv, r.csv]", "[r.csv, s.csv, ./r.csv]"):
        (tmp_path / "campaign.yaml").write_text(f"files: {files}\n")
        with pytest.raises(DataError, match=r"r\.csv (appears twice|in the folder)"):
            campaigns.find(tmp_path)
    (tmp_path / "s.csv").rename(tmp_path / "t.csv.gz")
    (tmp_path / "campaign.yaml").write_text("files: [t.csv, t.csv.gz]\n")
    with pytest.raises(DataError, match=r"t\.csv\.gz appears twice"):
        campaigns.find(tmp_path)


def test_files_that_share_some_rows_or_none_are_one_campaign(tmp_path):
    one, other = FRAME[FRAME["annotator"] == "u"], FRAME[FRAME["annotator"] == "v"]
    one.to_csv(tmp_path / "u.csv", index=False)
    pd.concat([other, one[:3]]).to_csv(tmp_path / "v.csv", index=False)
    da = load(tmp_path)
    assert len(da.good) == 51
    assert da.excluded.set_index("reason")["rows"]["identical rows (kept)"] == 3
    one.assign(system="D").to_csv(tmp_path / "d.csv", index=False)
    assert len(load(tmp_path).good) == 75


def test_two_pairs_may_have_the_same_rows(tmp_path):
    for pair in ("cs-en", "de-en"):
        FRAME.to_csv(tmp_path / f"{pair}.csv", index=False)
    campaign = campaigns.find(tmp_path)
    assert [len(load(campaign, pair).good) for pair in campaign.pairs] == [48, 48]


def test_the_two_files_of_direct_assessment_may_be_equal(tmp_path):
    for name in ("ad-latest.csv.gz", "ad-good-raw-redup.csv.gz"):
        shutil.copy(paths.DEMO / "demo-srpdc" / "ad-good-raw-redup.csv.gz", tmp_path / name)
    da = load(tmp_path, "de-en")
    assert len(da.good) == len(da.latest)


def appraise(score="78", spans="[]"):
    return [
        f"engjpn010{a},Sys{s},{k},TGT,eng,jpn,{score},doc{k}#Sys{s},False,{spans},{k}.5,{k}.75"
        for a in "12" for s in "AB" for k in range(1, 5)
    ]  # fmt: skip


@pytest.mark.parametrize(("score", "protocol"), [("78", "DA"), ("0", "MQM")])
def test_an_export_of_appraise_beside_itself(tmp_path, score, protocol):
    spans = '"[{""severity"": ""minor"", ""error_type"": ""Fluency""}]"'
    rows = "\n".join(appraise(score, spans)) + "\n"
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text(rows.replace("engjpn01", "engjpn02"))
    campaign = campaigns.find(tmp_path)
    assert campaign.protocol == protocol and len(campaign.files()) == 2
    load(campaign)
    (tmp_path / "b (1).csv.gz").write_bytes(gzip.compress(rows.encode() + rows.encode()))
    refused(tmp_path, "a.csv", "b (1).csv.gz", rows=16)


def test_a_file_of_relative_ranking_beside_itself(tmp_path):
    file = paths.DEMO / "demo-rr" / "demo.RNK_results.csv"
    shutil.copy(file, tmp_path / "a.csv")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(file.read_bytes()))
    refused(tmp_path, "a.csv", "b.csv.gz")


def battles(folder, rows, name="arena"):
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return pd.DataFrame(rows)


@pytest.mark.parametrize("told", [(), ("judge",), ("question_id",), ("question_id", "judge")])
def test_battles_beside_themselves_as_a_table(tmp_path, told):
    wins = RNG.choice(["model_a", "model_b", "tie"], 60)
    rows = [
        {"model_a": "ABC"[k % 3], "model_b": "BCA"[k % 3], "winner": str(w)}
        | {name: f"{name}-{k if name == 'question_id' else k % 4}" for name in told}
        for k, w in enumerate(wins)
    ]
    frame = battles(tmp_path, rows)
    frame[::-1][:20].to_csv(tmp_path / "other.csv", index=False)
    if "question_id" not in told:  # the same words may be other battles: who, and of what?
        assert load(tmp_path)["block"].nunique() == 80
    frame.to_csv(tmp_path / "other.csv", index=False)
    refused(tmp_path, "arena.jsonl", "other.csv", rows=60)


def test_two_files_of_mqm_are_both_named(tmp_path):
    file = paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv"
    shutil.copy(file, tmp_path / "a_ende.tsv")
    shutil.copy(file, tmp_path / "b_ende.tsv")
    with pytest.raises(DataError, match=r"a_ende\.tsv, .*b_ende\.tsv: two files for one"):
        load(tmp_path)


def test_battles_with_and_without_questions_are_not_taken_for_the_same(tmp_path):
    rows = [{"model_a": "A", "model_b": "B", "winner": "tie"} for _ in range(5)]
    battles(tmp_path, rows)
    battles(tmp_path, [row | {"question_id": k} for k, row in enumerate(rows)], "more")
    assert load(tmp_path)["block"].nunique() == 10


# ------------------------------------------------------------------ tables by themselves


def read(folder, text, *args, name="x.csv", **named):
    """A table of this text: its cells by row, the lines of the rows, and its header."""
    made = tables.read(written(folder, text, name), *args, **named)
    return made.frame.astype(str).to_numpy().tolist(), made.lines.tolist(), list(made.frame)


def test_lines_are_those_of_the_file_where_blank_ones_stand_between(tmp_path):
    rows, names = [["1", "2"], ["3", "4"]], ["a", "b"]
    for text, lines in (
        ("a,b\n1,2\n3,4\n", [2, 3]), ("\n\na,b\n\n1,2\n\n\n3,4", [5, 8]),
        ('a,b\n"1",2\n3,4\n', [2, 3]), ('\na,b\n\n"1",2\n\n3,4\n', [4, 6]),
        ("a,b\r1,2\r3,4\r", [2, 3]), ("a,b\r\n1,2\r\n3,4\r\n", [2, 3]),
    ):  # fmt: skip
        assert read(tmp_path, text) == (rows, lines, names)


@pytest.mark.parametrize(
    ("text", "line", "value", "words"),
    [("a,b\n1,2,3\n", 2, 3, "wrong number of columns"), ("a,b\n1,2\n\n3\n", 4, 1, "wrong number"),
     ('a,b\n"1",2\n3\n', 3, 1, "wrong number"),
     ("a,b,a\n1,2,3\n", 1, "a", "a column appears twice"),
     ('a,b\n1,"2\n', 2, '1,"2', "a quotation mark that is not closed in its cell"),
     ('a,b\n1,2\n3,"4\n5,6\n', 3, '3,"4', "a quotation mark that is not closed"),
     ('a,b\n1,"2"x\n', 2, '1,"2"x', "not a table"),
     ('a,b\n1,2\n"' + "x" * 99 + '"y,2\n', 3, '"' + "x" * 79, "not a table")],
)  # fmt: skip
def test_a_line_that_is_no_row_is_refused_where_it_stands(tmp_path, text, line, value, words):
    with pytest.raises(DataError, match=words) as error:
        tables.read(written(tmp_path, text))
    assert (error.value.line, error.value.value) == (line, value)
    if "number" in words:
        assert error.value.expected == "2 columns: a,b"


def test_between_tabs_a_cell_in_quotation_marks_is_on_one_line(tmp_path):
    text = 'a\tb\n"x\ty\n"p ""q"""\t"z"\n'
    rows, lines, _ = read(tmp_path, text, (), "\t")
    assert rows == [['"x', "y"], ['p "q"', "z"]] and lines == [2, 3]
    rows, lines, _ = read(tmp_path, "a\tb\nx\ty\n", (), "\t")
    assert (rows, lines) == ([["x", "y"]], [2])


@pytest.mark.parametrize(
    ("cell", "plain"),
    [('"a"', "a"), (' "a" ', "a"), ('"a""b"', 'a"b'), ('"a"b"', '"a"b"'), ('"', '"'), ('""', ""),
     ("a", "a"), ('a"', 'a"')],
)  # fmt: skip
def test_quotation_marks_are_taken_away_if_they_enclose_a_whole_cell(cell, plain):
    assert tables.unquoted(cell) == plain


def test_cells_of_a_line_and_the_sign_between_them():
    assert tables.cells('a,"b,c",') == ["a", "b,c", ""] and tables.cells("a;b", ";") == ["a", "b"]
    assert tables.cells("") == [] == tables.cells("x" * 200_000)
    assert [tables.separator(line) for line in ("a,b;c", "a;b;c,d", "a\tb,c", "a", "a;b,c,d")] == [
        ";", ";", "\t", "\t", ",",
    ]  # fmt: skip


def test_blanks_and_what_is_invisible_are_marked_by_row(tmp_path):
    frame = pd.DataFrame({"a": [" x", "x", "y\u200b", None], "b": ["1", "2 ", "3", "4"]})
    made = tables.table(tmp_path / "x.csv", frame, [2, 3, 5, 6])
    assert made.frame["a"].astype(object).tolist()[:3] == ["x", "x", "y"]
    assert made.frame["b"].tolist() == ["1", "2", "3", "4"]
    assert {name: mark.tolist() for name, mark in made.blanks.items()} == {
        "a": [True, False, False, False], "b": [False, True, False, False],
    }  # fmt: skip
    assert made.unseen["a"].tolist() == [False, False, True, False] and list(made.unseen) == ["a"]
    assert list(made.trimmed(["a", "b"]).values()) == [2, 1]
    assert list(made.trimmed(["b"]).values()) == [1, 0]
    assert list(made.trimmed(["a", "b"], np.array([0, 2])).values()) == [1, 1]
    assert list(made.trimmed([]).values()) == [0, 0]
    some = made.take(np.array([1, 2]))
    assert some.lines.tolist() == [3, 5] and some.frame.index.tolist() == [0, 1]
    assert list(some.trimmed(["a", "b"]).values()) == [1, 1]
    error = some.error("wrong", 1, "b", "right")
    assert (error.line, error.column, error.value, error.expected) == (5, "b", "3", "right")
    plain = tables.table(tmp_path / "x.csv", frame[["b"]].iloc[2:], [5, 6])
    assert plain.blanks == plain.unseen == {}


def test_the_first_wrong_value_of_a_column_is_named(tmp_path):
    frame = pd.DataFrame({"a": ["x", "[1]", "{}", "[2]"], "b": ["x", "y", "z\ud800", "z"]})
    made = tables.table(tmp_path / "x.csv", frame, [2, 4, 5, 6])
    made.check_values([])
    with pytest.raises(DataError, match="line 4, column 'a': not a single value"):
        made.check_values(["b", "a"][1:])
    with pytest.raises(DataError, match="line 5, column 'b': half a character") as error:
        made.check_values(["b"])
    assert error.value.expected == "characters"


def test_a_key_is_missed_if_another_stands_in_its_place(tmp_path):
    rows = [(3, {"a": 1, "b": 2}), (4, {"b": 5}), (7, {"b": 3, "c": 4})]
    made = tables.from_records(tmp_path / "x.jsonl", rows)
    assert made.frame.astype(str).to_dict("list") == {
        "a": ["1", "", ""], "b": ["2", "5", "3"], "c": ["", "", "4"],
    }  # fmt: skip
    assert made.lines.tolist() == [3, 4, 7]
    made.check_values(["b"])
    with pytest.raises(DataError, match="no field a; found 'c'; expected a, as other") as error:
        made.check_values(["b", "a"])
    assert error.value.line == 7
    fine = tables.from_records(tmp_path / "x.jsonl", rows[:2])
    fine.check_values(["a", "b"])


def test_only_some_rows_are_checked_where_asked(tmp_path):
    frame = pd.DataFrame({"A": ["1", "x", "3"]}, dtype="category")
    made = tables.table(tmp_path / "x.csv", frame, [2, 3, 4])
    columns = {"n": schemas.count()}
    kept = made.validated(columns, {"n": "A"}, np.array([0, 2]))
    assert kept["n"].astype(int).tolist() == [1, 3]
    for rows in (None, np.array([0, 1, 2]), np.array([1])):
        with pytest.raises(DataError, match="line 3, column 'A': not an integer"):
            made.validated(columns, {"n": "A"}, rows)


HEAD = "system,segment,rater,score\n"
BODY = "".join(f"A,{k},u,{k}\n" for k in range(100))


@pytest.mark.parametrize("titles", [0, 1, 30, 40])
@pytest.mark.parametrize("footers", [0, 1, 15])
def test_titles_and_footers_of_text_are_found_and_lines_stay(tmp_path, titles, footers):
    text = "Our title\n" * titles + HEAD + BODY + "\n" * bool(footers) + "a note\n" * footers
    made = tables.any_table(written(tmp_path, text))
    assert made.lines.tolist() == list(range(titles + 2, titles + 102))
    assert list(made.frame) == HEAD.strip().split(",") and len(made.beside) == (
        bool(titles) + bool(footers)
    )
    if footers:
        first = titles + 103
        place = f"line {first}" if footers == 1 else f"{footers}, from line {first}"
        assert made.beside[-1][1] == f"{place} (a note)"
    assert tables.header(tmp_path / "mine.csv") == list(made.frame)


@pytest.mark.parametrize(("titles", "columns"), [(51, 6), (52, 1)])
def test_a_table_has_more_cells_than_its_title_in_the_first_sixty_lines(tmp_path, titles, columns):
    wide = "".join(f"{line},x,y\n" for line in (HEAD + BODY).splitlines())
    made = tables.any_table(
        written(tmp_path, "Our title\n" * titles + wide.replace("x,y", "p,q", 1))
    )
    assert len(made.frame.columns) == columns
    assert (tables.LAST, tables.TOP) == (20, 2**18)


def test_titles_are_looked_for_only_where_lines_are_rows(tmp_path):
    title = "Our title\n"
    for text in (
        title + HEAD + BODY + 'A,1,"x\ny",3\n',
        (title + HEAD + BODY).replace("u,5\n", "u,5\r"),
    ):
        assert tables._around(written(tmp_path, text))[1:] == ((), ())
    quoted = title + HEAD + BODY.replace("u", '"u"')
    assert tables._around(written(tmp_path, quoted))[1] == (1,)
    assert tables._around(written(tmp_path, " \n\n x"))[1:] == ((), ())


def test_the_end_of_a_long_file_is_looked_at_without_the_line_that_is_cut(tmp_path):
    long = "".join(f"A,{k},{'u' * 40},{k}\n" for k in range(12_000))
    file = written(tmp_path, HEAD + long + "\nn = 12000\n")
    made = tables.any_table(file)
    assert len(made.frame) == 12_000 and made.lines[-1] == 12_001
    assert made.beside == (("rows below the table, not read", "line 12003 (n = 12000)"),)
    wide = written(tmp_path, HEAD + f"A,1,{'u' * 99_000},1\n" * 3 + "\nn = 3\n", "wide.csv")
    assert tables.any_table(wide).beside[0][1] == "line 6 (n = 3)"


@pytest.mark.parametrize(
    ("text", "sign"),
    [("a;b\n1;2\n", ";"), ("Title, our own\na;b;c\n1;2;3\n4;5;6\n", ";"),
     ("Title; ours\na\tb\tc\n1\t2\t3\n", "\t"), ("a,b,c\n1;2,3,4\n", ","),
     ("a;b;c,d\n1,2,3,4\n1,2,3,4\n", ";")],
)  # fmt: skip
def test_the_sign_between_cells_is_that_of_the_header_or_of_the_table_below(tmp_path, text, sign):
    assert tables._around(written(tmp_path, text))[0] == sign


def test_a_header_of_json_is_the_keys_of_its_first_line(tmp_path):
    file = written(tmp_path, '{"a b": 1, "c": {"d": 2}}\n{"e": 1}\n', "x.jsonl")
    assert tables.header(file) == ["a b", "c", "d"]
    assert tables.header(written(tmp_path, ' [\n{"a": 1}]', "x.json")) == []
    assert tables.header(written(tmp_path, '\n{"a": 1}', "y.json")) == ["a"]


def test_columns_of_a_format_may_come_without_a_header(tmp_path):
    names = ("a", "b", "c", "d")
    for sign in ("\t", ",", tables.BLANKS):
        between = " " if sign == tables.BLANKS else sign

        def lines(*rows, between=between):
            return "".join(between.join(row) + "\n" for row in rows)

        for first, rows in (("abcd", 1), ("axyz", 1), ("xbcd", 1), ("xbcy", 2), ("1234", 2)):
            if sign == tables.BLANKS and first in ("axyz", "xbcd"):
                with pytest.raises(DataError, match="unknown or repeated column in the header"):
                    read(tmp_path, lines(first, "5678"), names, sign)
                continue
            found, at, header = read(tmp_path, lines(first, "5678"), names, sign)
            assert len(found) == rows and at == [1, 2][2 - rows :] and header == list(names)
        only = read(tmp_path, lines("dcba", "5678"), names, sign, ("a", "d"))
        assert only == ([["8", "5"]], [2], ["a", "d"])
    with pytest.raises(DataError, match="a header but no rows; expected judgments"):
        read(tmp_path, "a b c d\n", names, tables.BLANKS)
    with pytest.raises(DataError, match=r"line 2: unknown or repeated column.*found 'b'") as error:
        read(tmp_path, "\na b c b\n1 2 3 4\n", names, tables.BLANKS)
    assert error.value.expected == "a b c d"


def test_of_a_line_only_the_first_cells_count_where_text_may_follow(tmp_path):
    text = "a\tb\tc\n1\t2\tx\ty\n\n3\t4\tz\rq\n"
    assert read(tmp_path, text, (), "\t", first=2) == ([["1", "2"], ["3", "4"]], [2, 4], ["a", "b"])
    assert read(tmp_path, "a,b\nx\n1,2\ny\n", around=(2, 4)) == ([["1", "2"]], [3], ["a", "b"])


@pytest.mark.parametrize(
    ("text", "rows"),
    [(b"a,b\n1,2\n3,4\n", 2), (b"a,b\n1,2\n3,4", 2), (b"a,b\n", None), (b"a,b\n1,2\n", 1),
     (b"a,b\n1,2,3\n", None), (b"a,a\n1,2\n", None), (b"a\n1\n", None), (b"a,b\n 1,2\n", None),
     (b'a,b\n"1",2\n', None), (b"a,b\r\n1,2\r\n", None), (b"a,b\n1,\0\n", None),
     (b"\n\na,b\n\n1,2\n", 1)],
)  # fmt: skip
def test_plain_tables_are_read_at_once_and_others_are_left(tmp_path, text, rows):
    made = tables._at_once(tmp_path / "x.csv", text, [], ",", ())
    assert (made is None) == (rows is None)
    if rows is not None:
        assert len(made.frame) == len(made.lines) == rows
        assert made.lines[-1] == text.rstrip(b"\n").count(b"\n") + 1


def test_every_line_is_measured():
    ends, length, cells = tables._measured(b"a,b\n\n123,4,5\n", ",")
    assert ends.tolist() == [3, 4, 12] and length.tolist() == [4, 1, 8]
    assert cells.tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("data", "tabbed"),
    [(b"a b\n1  2\n", b"a\tb\n1\t2\n"), (b"a\tb\n1 x\t2\n", b"a\tb\n1 x\t2\n"),
     (b"a\tb\tc\n1 2\t3\n4 5\t6\n", b"a\tb\tc\n1\t2\t3\n4\t5\t6\n"),
     (b"a\tb\tc\n1 2\t3\n4\t5\t6\n", b"a\tb\tc\n1 2\t3\n4\t5\t6\n"),
     (b"a\tb\tc\n1 2\t3\n4 5 6\t7\n", b"a\tb\tc\n1 2\t3\n4 5 6\t7\n"),
     (b"a\tb\tc\n1 2 3\n", b"a\tb\tc\n1 2 3\n")],
)  # fmt: skip
def test_blanks_part_cells_where_tabs_do_not(tmp_path, data, tabbed):
    assert tables._tabbed(data, len(data.split(b"\n")[0].split()), tmp_path / "x.txt") == tabbed


def test_a_carriage_return_between_blanks_is_refused_on_its_line(tmp_path):
    for data, line in ((b"a\r b\n1 2\n", 1), (b"a b\n1 2\n3\r 4\n", 3)):
        with pytest.raises(DataError, match="a carriage return within a line") as error:
            tables._tabbed(data, 2, tmp_path / "x.txt")
        assert error.value.line == line


def test_a_cell_of_text_that_swallows_as_many_rows_as_not_is_text(tmp_path):
    rows = [(s, k, 10 + k) for s in "AB" for k in range(12)]
    for swallowed, refused in ((["B,3,4,fine", "and so on"], False), (["B,3,4,fine"], True)):
        cell = "\n".join(['"He said', *swallowed, *([] if refused else ["the end"])]) + '"'
        lines = ["system,segment,score,note", *(f"{s},{k},{n},fine" for s, k, n in rows)]
        lines[5] = lines[5].replace("fine", cell)
        file = written(tmp_path, "\n".join(lines) + "\n")
        if refused:
            with pytest.raises(DataError, match="looks like rows, to line 7") as error:
                tables.any_table(file)
            assert (error.value.line, error.value.value) == (6, "A,4,14,He said")
        else:
            assert len(tables.any_table(file).frame) == 24


@pytest.mark.parametrize("cell", ["1", "-2.5", "1e3", "nan", "inf", "0"])
def test_what_python_reads_as_a_number_is_one(cell):
    assert tables.is_number(cell) and not tables.is_number(cell + "x")


def test_quotation_marks_stay_where_cells_are_parted_by_tabs_already(tmp_path):
    data = b'a\tb\n"1"\t2\n'
    assert tables._tabbed(data, 2, tmp_path / "x.txt") == data
    mixed = b'a\tb\tc\n"1" 2\t3\n\n4 5\t"6"\n'
    assert tables._tabbed(mixed, 3, tmp_path / "x.txt") == b"a\tb\tc\n1\t2\t3\n\n4\t5\t6\n"


def test_a_table_that_callers_share_is_not_changed_in_place(tmp_path):
    made = tables.read(written(tmp_path, "a,b\n1,2\n"))
    with pytest.raises(AttributeError, match="cannot assign to field 'lines'"):
        made.lines = []
    assert tables.read(tmp_path / "mine.csv") is made  # as long as the file does not change
    written(tmp_path, "a,b\n1,2\n3,4\n")
    assert len(tables.read(tmp_path / "mine.csv").frame) == 2


def test_columns_of_parquet_that_are_not_chosen_are_named_as_unread(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": ["x ", "y"], "b": [1, 2], "c": [0.5, 1.0], "d": ["p", "q"]})
    frame.to_parquet(tmp_path / "x.parquet")
    made = tables.any_table(tmp_path / "x.parquet", lambda names: [names[2], names[0]])
    assert list(made.frame) == ["a", "c"] and made.unread == ("b", "d") and made.beside == ()
    assert made.frame.astype(str).to_numpy().tolist() == [["x", "0.5"], ["y", "1"]]
    assert made.lines.tolist() == [1, 2] and list(made.trimmed(["a"]).values()) == [1, 0]
    assert tables.any_table(tmp_path / "x.parquet").unread == ()
    assert tables.header(tmp_path / "x.parquet") == [*"abcd"]
