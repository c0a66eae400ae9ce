"""Settings that do nothing, and files of one campaign that contradict each other, are refused."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import formats, together
from companion.legacy.rankstability import DataError, find, load

HEADER = "system,segment,annotator,score"
ROWS = [f"{s},{k},{u},{20 + 7 * k + len(s)}" for s in ("A", "BB") for k in range(6) for u in "uv"]
EXAMPLES = {"da": "ad-latest.csv", "mqm": "mqm_mine_ende.tsv", "pearmut": "log-en-cs.jsonl"}


def table(folder, rows=ROWS, header=HEADER, settings="", name="mine.csv"):
    (folder / name).write_text("\n".join([header, *rows]) + "\n")
    if settings:
        (folder / "campaign.yaml").write_text(settings + "\n")
    return folder


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("weights: critical25", "`weights:` does nothing for files of the format long"),
        ("annotator: {'': ['*']}", "not a mapping of annotators"),
        ("annotator: {A: []}", "not a mapping of annotators"),
        ("columns: {score: segment}", "segment is told to be the score; found"),
        ("sheet: Ratings", "`sheet` of a file that has none"),
    ],
)
def test_a_setting_of_a_long_table_that_does_nothing_is_refused(tmp_path, settings, problem):
    with pytest.raises(DataError) as caught:
        load(find(table(tmp_path, settings=settings)))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        *(("pearmut", name) for name in ("columns", "wide", "decimal", "missing", "weights")),
        *(("mqm", name) for name in ("scale", "annotator", "zero_variance", "wide")),
        *(("da", name) for name in ("scale", "annotator", "columns", "weights")),
    ],
)
def test_a_setting_of_another_format_is_refused_in_campaign_yaml(tmp_path, form, name):
    example = str(formats.described()[form]["example"])
    for file in [EXAMPLES[form], "ad-good-raw-redup.csv"][: 1 + (form == "da")]:
        (tmp_path / file).write_text(example)
    values = {"columns": "{score: s}", "wide": "all", "decimal": "','", "missing": "['-']"}
    values |= {"scale": "[0, 1]", "annotator": "{A: ['*']}", "zero_variance": "drop"}
    (tmp_path / "campaign.yaml").write_text(f"{name}: {values.get(name, 'critical25')}\n")
    with pytest.raises(DataError, match=f"`{name}:` does nothing for files of the format {form}"):
        find(tmp_path)


def test_annotators_of_a_table_that_names_none_are_refused(tmp_path):
    rows = [row.replace(",u,", ",").replace(",v,", ",") for row in ROWS[::2]]
    place = table(tmp_path, rows, "system,segment,score", "annotator: {A: ['*']}")
    with pytest.raises(DataError, match="`annotator:` for judgments that name none"):
        load(find(place))


def test_a_pair_that_is_not_that_of_the_rows_is_refused(tmp_path):
    rows = [f"{row},en-cs" for row in ROWS]
    place = table(tmp_path, rows, f"{HEADER},pair", "pair: en-de")
    with pytest.raises(DataError, match=r"`pair:` is not the language pair of the rows.*en-cs"):
        load(find(place))
    (tmp_path / "campaign.yaml").write_text("pair: en-cs\n")
    assert len(load(find(tmp_path)).good) == len(ROWS)


def test_settings_that_are_a_link_to_nothing_are_refused(tmp_path):
    table(tmp_path)
    (tmp_path / "campaign.yaml").symlink_to(tmp_path / "gone.yaml")
    with pytest.raises(DataError, match="a link to a file that is not there"):
        find(tmp_path)


def test_a_point_in_scores_with_decimal_commas_is_refused(tmp_path):
    rows = [*ROWS, "A,7,u,1.250"]
    with pytest.raises(DataError, match="a point in a score, but `decimal: ','`") as caught:
        load(find(table(tmp_path, rows, settings="decimal: ','")))
    assert caught.value.line == len(rows) + 1


MORE = f"{HEADER},type,document,domain"


def more(rows=ROWS, kind="SYSTEM", document="d{}", domain="news"):
    return [f"{row},{kind},{document.format(int(row.split(',')[1]) // 2)},{domain}" for row in rows]


def test_a_reference_in_one_file_and_a_system_in_another_is_refused(tmp_path):
    table(tmp_path, more(), MORE, name="a.csv")
    other = [row.replace(",u,", ",w,").replace(",v,", ",x,") for row in more(kind="REF")[:12]]
    table(tmp_path, other, MORE, name="b.csv")
    with pytest.raises(DataError, match="a second role of one system") as caught:
        load(find(tmp_path))
    assert (caught.value.file.rpartition("/")[2], caught.value.line) == ("b.csv", 2)
    one = tmp_path / "one"
    one.mkdir()
    assert len(load(find(table(one, more() + other, MORE))).latest) == 36


def test_a_document_in_two_domains_is_refused(tmp_path):
    rows = more()
    rows[5] = rows[5].replace("news", "talks")
    with pytest.raises(DataError, match=r"line 7.*a second domain of one document") as caught:
        load(find(table(tmp_path, rows, MORE)))
    assert caught.value.value == "talks for d1"


def test_a_segment_under_two_documents_is_refused_unless_documents_number_them(tmp_path):
    wide = [f"{s},{k},u,{k},SYSTEM,d{k // 4},news" for s in "AB" for k in range(40)]
    wide[45] = wide[45].replace(",d1,", ",d7,")
    with pytest.raises(DataError, match=r"line 47.*a second document of one segment"):
        load(find(table(tmp_path, wide, MORE)))
    within = [f"{s},{k % 4},u,{k},SYSTEM,d{k // 4},news" for s in "AB" for k in range(40)]
    judged = load(find(table(tmp_path, within, MORE)))
    assert judged.good["segment"].nunique() == 40
    reason = "(kept: segments, numbered within documents, are named document:segment)"
    assert dict(judged.excluded[["reason", "rows"]].to_numpy())[reason] == 80


def test_no_error_beside_an_error_is_said(tmp_path):
    lines = [
        "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity",
        "A\td\t1\t1\tr\tx\ty\tStyle/Awkward\tMinor",
        "A\td\t1\t1\tr\tx\ty\tno-error\tno-error",
        "A\td\t1\t1\tq\tx\ty\tno-error\tno-error",
    ]
    (tmp_path / "mqm_ende.tsv").write_text("\n".join(lines) + "\n")
    reason = "(kept: No-error beside an error in one rating, of which the error counts)"
    assert load(find(tmp_path)).attrs["excluded"] == {reason: 1}


def test_settings_from_json_are_not_yaml_objects(tmp_path):
    place = table(tmp_path, settings=json.dumps({"annotator": {"A": ["u"], "B": ["v"]}}))
    assert set(load(find(place)).good["worker"]) == {"A", "B"}


def export(system="A", document="d1", kind="TGT", account="u1", items=range(1, 9)):
    """An export of Appraise with documents, one row an item."""
    rows = [(account, system, k, kind, "eng", "ces", 20 + k, document, "False") for k in items]
    return [",".join(map(str, (*row, 1000 + k, 1001 + k))) for k, row in enumerate(rows)]


def test_exports_of_appraise_that_contradict_each_other_are_refused(tmp_path):
    first = [*export(), *export("B")]
    (tmp_path / "a.csv").write_text("\n".join(first) + "\n")
    (tmp_path / "b.csv").write_text("\n".join(export(kind="REF", account="u2")) + "\n")
    with pytest.raises(DataError, match="a second role of one system") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.column) == (1, "itemType")
    other = [*export(document="d4", account="u2", items=[5])]
    for name, first in (("d2", 9), ("d3", 11), ("d5", 13)):
        other += export(document=name, account="u2", items=range(first, first + 2))
    (tmp_path / "b.csv").write_text("\n".join(other) + "\n")
    with pytest.raises(DataError, match="a second document of one segment") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.value) == (1, "d4 for 5")


def test_a_segment_of_mqm_under_two_documents_is_refused(tmp_path):
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    places = [("d1", 1), ("d1", 2), ("d2", 3), ("d3", 4), ("d4", 5), ("d5", 6), ("d2", 2)]
    rows = [f"A\t{d}\t{k}\t{k}\tr\tx\ty\tFluency/Grammar\tMinor" for d, k in places]
    (tmp_path / "mqm_ende.tsv").write_text("\n".join([header, *rows]) + "\n")
    with pytest.raises(DataError, match="a second document of one segment") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.value) == (8, "d2 for 2")


def test_no_error_as_the_category_of_an_error_is_said(tmp_path):
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    kinds = ["No-error\tMajor", "Fluency/Grammar\tNo-error", "No-error\tNo-error"]
    rows = [f"A\td\t{k}\t{k}\tr\tx\ty\t{kind}" for k, kind in enumerate(kinds)]
    (tmp_path / "mqm_ende.tsv").write_text("\n".join([header, *rows]) + "\n")
    counts = load(find(tmp_path)).attrs["excluded"]
    assert [n for why, n in counts.items() if "No-error as category or as severity" in why] == [2]


def test_numbers_of_json_have_no_decimal_sign_to_tell(tmp_path):
    rows = [{"system": s, "segment": k, "score": 20 + k} for s in "AB" for k in range(5)]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "campaign.yaml").write_text("decimal: ','\n")
    with pytest.raises(DataError, match="`decimal:` does nothing here"):
        load(find(tmp_path))


def test_a_column_that_battles_do_not_have_is_refused(tmp_path):
    place = table(tmp_path, ["A,B,model_a"], "model_a,model_b,winner", "columns: {score: winner}")
    with pytest.raises(DataError, match="not a column of battles; found 'score'"):
        load(find(place))


def test_a_pair_that_is_not_that_of_locales_is_refused(tmp_path):
    (tmp_path / "mine.jsonl").write_text(formats.described()["bio-mqm"]["example"])
    (tmp_path / "campaign.yaml").write_text("pair: fr-en\n")
    with pytest.raises(DataError, match="`pair:` is not the language pair of the rows"):
        load(find(tmp_path))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_settings_that_are_no_file_are_refused(tmp_path, make):
    make(table(tmp_path) / "campaign.yaml")
    with pytest.raises(DataError, match="not a file"):
        find(tmp_path)


def test_a_link_that_leads_to_itself_is_refused(tmp_path):
    (table(tmp_path) / "other.csv").symlink_to("other.csv")
    with pytest.raises(DataError, match="a link to a file that is not there"):
        load(find(tmp_path))


@pytest.mark.parametrize("final", [True, False])
def test_one_annotation_of_wmt25_without_its_annotator_is_refused(tmp_path, final):
    one, two = {"score": 50, "annotator": "a"}, {"score": 60}
    draft = {"human1": 50, "annotator1": "a", "human2": 60}
    entry = {"doc_id": "en-cs_CZ_#_news_#_d_#_1", "src_text": "x", "tgt_text": {"A": "y"}}
    lines = [entry | {"scores": {"A": [one, two] if final else draft}}]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(DataError, match="empty id"):
        load(find(tmp_path))


def frames(*parts):
    return [pd.DataFrame(part, columns=["system", "score"]) for part in parts]


def test_rows_of_one_file_that_are_all_in_another_are_refused(tmp_path):
    files = [tmp_path / name for name in "abc"]
    one, other, third = frames([("A", 1), ("B", 2)], [("B", 2), ("C", 3), ("A", 1)], [("D", 4)])
    together.refuse_twice(files[:1], [one])
    together.refuse_twice(files[:2], [one, third])
    for parts in ([third, one, other], [third, other, one]):
        with pytest.raises(DataError, match="the same rows in two files") as caught:
            together.refuse_twice(files, parts)
        assert [str(file)[-1] for file in caught.value.file.split(", ")] == ["b", "c"]
        assert caught.value.value == f"all 2 of {'b' if parts[1] is one else 'c'}"
    together.refuse_twice(files[:2], [one, other], least=3)
    with pytest.raises(DataError, match="the same rows in two files"):
        together.refuse_twice(files[:2], [one, other], least=2)
    together.refuse_twice(files[:2], [one.iloc[:0], other])
    together.refuse_twice(files[:2], [one.assign(system=""), other.assign(score=[5, 6, 7])])
    with pytest.raises(DataError, match="the same rows in two files"):  # in what both have
        together.refuse_twice(files[:2], [one.assign(x=1), other.assign(y=2, x=None)])
    together.refuse_twice(files[:2], [one[["system"]], other[["score"]]])


def test_rows_again_in_a_later_part_of_the_same_columns_are_counted():
    one, other = frames([("A", 1), ("A", 1), ("B", 2)], [("A", 1), ("A", 1), ("C", 3)])
    assert together.again([one]) == 0 == together.again([])
    assert together.again([one, other]) == 2
    assert together.again([one, other[["score", "system"]], one]) == 5
    assert together.again([one, other.assign(x=1)]) == 0


def test_the_row_of_several_files_is_a_line_of_one(tmp_path):
    files, lines = [tmp_path / "a", tmp_path / "b"], [np.array([2, 4]), np.array([3, 7, 9])]
    for row, (name, line) in enumerate([("a", 2), ("a", 4), ("b", 3), ("b", 7), ("b", 9)]):
        with (
            pytest.raises(DataError, match="wrong") as caught,
            together.at_lines(files, lines, {"annotator": "Who", "system": "MT"}),
        ):
            raise DataError("wrong", row=row, column="worker", value="v", expected="e")
        error = caught.value
        assert (str(error.file)[-1], error.line, error.column) == (name, line, "Who")
        assert (error.value, error.expected, error.row) == ("v", "e", None)
    for column, theirs in (("system", "MT"), ("score", "score")):
        with pytest.raises(DataError) as caught, together.at_lines(files, lines, {"system": "MT"}):
            raise DataError("wrong", row=0, column=column)
        assert caught.value.column == theirs
    for about in ({"row": 0, "file": "c"}, {"line": 5}):
        with pytest.raises(DataError) as caught, together.at_lines(files, lines, {}):
            raise DataError("wrong", **about)
        assert (caught.value.file, caught.value.line) == (about.get("file"), about.get("line"))
