"""The long table: any header, separator and scale; what is missing, left out and refused."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from assessments import excluded
from companion.legacy.rankcampaigns import campaigns, judges, languages, tables
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.da import judgment_z
from companion.legacy.rankstability.score.scored import from_assessment, segment_scores

ROWS = [  # system, segment, annotator, score
    ("A", "1", "u", 4), ("A", "2", "u", 3), ("B", "1", "u", 2), ("B", "2", "u", 1),
    ("A", "1", "v", 5), ("A", "2", "v", 5), ("B", "1", "v", 3), ("B", "2", "v", 4),
]  # fmt: skip
HEADER = ("system", "segment", "annotator", "score")


def write(folder, rows=ROWS, header=HEADER, sign=",", name="mine.csv", settings=""):
    folder.mkdir(exist_ok=True)
    lines = [sign.join(map(str, row)) for row in (header, *rows)]
    (folder / name).write_text("\n".join(lines) + "\n")
    if settings:
        (folder / "campaign.yaml").write_text(settings)
    return folder / name


def test_scores_of_a_spreadsheet_are_direct_assessment(tmp_path):
    file = write(tmp_path)
    campaign = campaigns.find(file)
    assert (campaign.name, campaign.format, campaign.protocol) == ("mine", "long", "DA")
    assert campaign.pairs == (languages.PLACEHOLDER,) and campaign.workers
    da = campaigns.load(campaign)
    assert da.scale == (1, 5) and len(da.good) == 8
    assert excluded(da) == {"(kept: scale 1 to 5, from the data)": 8}
    frame = pd.DataFrame(ROWS, columns=HEADER)
    z = frame.groupby("annotator")["score"].transform(lambda x: (x - x.mean()) / x.std())
    np.testing.assert_allclose(judgment_z(da), z)
    means = segment_scores(da).system_means().set_index("system")
    assert means["mean_raw"].to_dict() == {"A": 4.25, "B": 2.5}
    assert rank_systems(segment_scores(da)).systems == ("A", "B")
    said = campaign.reading.set_index("what")["value"]
    assert said["scale"] == "1 to 5" and said["pair"] == "xx-yy"


@pytest.mark.parametrize("form", ["lines", "list", "parquet"])
def test_json_lines_a_json_list_and_parquet_are_the_same(tmp_path, form):
    plain = campaigns.load(write(tmp_path / "a"))
    entries = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    file = tmp_path / {"lines": "b.jsonl", "list": "b.json", "parquet": "b.parquet"}[form]
    if form == "parquet":
        pytest.importorskip("pyarrow")
        pd.DataFrame(entries).to_parquet(file)
    else:
        file.write_text("\n".join(map(json.dumps, entries)) if form == "lines" else
                        json.dumps(entries))  # fmt: skip
    for path in (file, tmp_path):
        pd.testing.assert_frame_equal(campaigns.load(path).good, plain.good)


def test_names_of_columns_without_case_and_signs(tmp_path):
    file = write(tmp_path, header=("Model", "Segment ID", "worker-id", "Rating"))
    assert len(campaigns.load(file).good) == 8
    reading = campaigns.find(file).reading.set_index("what")
    names = reading["value"]
    assert names["column annotator"] == "worker-id" and names["column score"] == "Rating"
    assert reading["said by"]["column score"] == "header"


def test_other_names_through_columns(tmp_path):
    header = ("mt", "line", "who", "quality")
    told = "columns: {system: mt, segment: line, annotator: who, score: quality}\nscale: [0, 10]\n"
    file = write(tmp_path, header=header)
    with pytest.raises(DataError, match="not a file of a known format"):
        campaigns.find(file)
    write(tmp_path, header=header, settings=told)
    for path in (file, tmp_path):
        da = campaigns.load(path)
        assert da.scale == (0, 10) and len(da.good) == 8
        said = campaigns.find(path).reading.set_index("what")["said by"]
        assert said["column score"] == said["scale"] == "campaign.yaml"
    (tmp_path / "campaign.yaml").write_text(told.replace("quality", "adequacy"))
    with pytest.raises(DataError, match=r"no such column for score; found 'adequacy'.*quality"):
        campaigns.load(file)


@pytest.mark.parametrize(
    ("header", "lacks"),
    [(("system", "sentence", "annotator", "score"), "segment"),
     (("system", "score", "c", "d"), "segment"), (("system", "rating"), "segment"),
     (("annotator", "score", "c", "d"), "system and segment"), (("system", "b", "c", "d"), ""),
     (("segment", "document", "c", "d"), "")],
)  # fmt: skip
def test_nearly_a_long_table_says_what_lacks(tmp_path, header, lacks):
    file = write(tmp_path, header=header)
    with pytest.raises(DataError) as caught:
        campaigns.find(file)
    said = str(caught.value)
    assert f"without a column for {lacks};" in said if lacks else "a column for" not in said


def test_of_several_columns_that_lack_all_are_named_and_the_first_is_the_example(tmp_path):
    header = ("model", "sentence", "who", "points")
    file = write(tmp_path, header=header, settings="format: long\n")
    with pytest.raises(DataError, match="no column for segment and score") as caught:
        campaigns.load(file)
    assert caught.value.value == ", ".join(header) and caught.value.line == 1
    assert "columns: {segment: sentence, annotator: who, score: points}\n" in caught.value.expected
    write(tmp_path, header=("model", "b", "c", "points"))
    with pytest.raises(DataError, match=r"columns: \{segment: <yours>\}"):
        campaigns.load(file)


def test_two_columns_that_may_be_the_same_are_refused(tmp_path):
    rows = [(*row, "x") for row in ROWS]
    header = ("system", "segment", "worker", "score", "rater")
    with pytest.raises(DataError, match=r"several columns may be the annotator; found 'worker, ra"):
        campaigns.load(write(tmp_path, rows, header))
    file = write(tmp_path, rows, header, settings="columns: {annotator: worker}\n")
    assert sorted(campaigns.load(file).good.worker.unique()) == ["u", "v"]


def test_a_missing_score_is_missing_not_zero_and_counted(tmp_path):
    rows = [*ROWS, ("A", "3", "u", ""), ("B", "3", "v", "NA"), ("B", "3", "u", "null")]
    da = campaigns.load(write(tmp_path, rows))
    assert len(da.good) == 8 and excluded(da)["no score (left out)"] == 3
    assert da.good.score.min() == 1
    with pytest.raises(DataError, match="no row has a score; found '3 rows without one'"):
        campaigns.load(write(tmp_path / "none", rows[-3:]))


@pytest.mark.parametrize(("missing", "lines"), [(1, ", line 2"), (5, ", lines 2, 3, 4, 5, 6"),
                                                (6, "")])  # fmt: skip
def test_rows_without_a_score_are_named_by_line_if_they_are_at_most_five(tmp_path, missing, lines):
    rows = [(*row[:3], "" if k < missing else row[3]) for k, row in enumerate(ROWS)]
    da = campaigns.load(write(tmp_path, rows))
    (said,) = da.excluded.loc[da.excluded["reason"] == "no score (left out)", "file"]
    assert said == f"mine.csv{lines}" and excluded(da)["no score (left out)"] == missing


def test_an_annotator_with_the_name_of_a_model_is_asked_about(tmp_path):
    rows = [(*row[:2], row[2].replace("v", "GPT-4"), row[3]) for row in ROWS]
    file = write(tmp_path, rows)
    with pytest.raises(DataError, match="an annotator with the name of a model; found 'GPT-4'"):
        campaigns.load(file)
    (tmp_path / "campaign.yaml").write_text("judges: []\n")
    assert "GPT-4" in set(campaigns.load(file).good["worker"])


def test_rows_that_name_no_document_are_counted_where_others_do(tmp_path):
    rows = [(*row, "" if k < 3 else "d1") for k, row in enumerate(ROWS)]
    da = campaigns.load(write(tmp_path, rows, (*HEADER, "document")))
    assert excluded(da)["rows that name no document (kept)"] == 3
    assert not from_assessment(da).has("document")


def test_a_second_score_of_the_same_output_is_counted(tmp_path):
    rows = [*ROWS, (*ROWS[0][:3], ROWS[0][3] + 1), ROWS[1]]
    counts = excluded(campaigns.load(write(tmp_path, rows)))
    assert counts["the same annotator's second score of the same output (kept)"] == 1
    assert counts["identical rows (kept)"] == 1


def test_types_mark_references_controls_and_repeats(tmp_path):
    types = ["", "SYSTEM", "tgt", "REPEAT", "REF", "BAD_REF", "bad", "SYSTEM"]
    rows = [(*row, kind) for row, kind in zip(ROWS, types, strict=True)]
    da = campaigns.load(write(tmp_path, rows, (*HEADER, "type")))
    assert da.good.type.tolist() == [*["SYSTEM"] * 3, "REPEAT", "REF", *["BAD_REF"] * 2, "SYSTEM"]
    assert segment_scores(da).judgments.sum() == 5


def test_pairs_from_a_column_a_setting_or_the_name(tmp_path):
    rows = [(*row, "English-German" if row[0] == "A" else "cs-en") for row in ROWS]
    campaign = campaigns.find(write(tmp_path / "a", rows, (*HEADER, "langs")))
    assert campaign.pairs == ("cs-en", "en-de")
    assert excluded(campaigns.load(campaign, "en-de"))["other language pairs"] == 4
    assert campaigns.find(write(tmp_path / "b", name="run-2_en-de.csv")).pairs == ("en-de",)
    file = write(tmp_path / "c", settings="pair: eng-jpn\n")
    assert campaigns.find(file).pairs == ("en-ja",)
    rows[2], rows[-1] = (*ROWS[2], "somewhere"), (*ROWS[-1], "elsewhere")
    file = write(tmp_path / "d", rows, (*HEADER, "langs"))
    with pytest.raises(DataError, match="line 4, column 'langs': not a language pair"):
        campaigns.load(file, "cs-en")


def test_without_annotators_there_are_segment_scores(tmp_path):
    rows = [(system, segment, score) for system, segment, _, score in ROWS]
    campaign = campaigns.find(write(tmp_path, rows, ("system", "segment", "score")))
    assert not campaign.workers and campaign.protocol == "DA"
    frame = campaigns.load(campaign)
    assert not isinstance(frame, DirectAssessment)
    assert frame.set_index(["system", "segment"])["raw"].to_dict() == {
        ("A", "1"): 4.5, ("A", "2"): 4.0, ("B", "1"): 2.5, ("B", "2"): 2.5,
    }  # fmt: skip
    assert frame["n"].tolist() == [2, 2, 2, 2]
    assert rank_systems(segment_scores(frame)).systems == ("A", "B")
    with pytest.raises(DataError, match="segment scores without workers"):
        campaigns.load_da(campaign, campaign.pairs[0])


def test_segment_scores_that_never_vary_have_a_z_of_0(tmp_path):
    rows = [(s, k, 3) for s in "AB" for k in "12"]
    frame = campaigns.load(write(tmp_path, rows, ("system", "segment", "score")))
    assert frame["z"].tolist() == [0.0] * 4 and frame["raw"].tolist() == [3.0] * 4


def test_averages_of_mqm_are_negative_scores(tmp_path):
    rows = [("A", "1", -2.5), ("A", "2", 0), ("B", "1", -25), ("B", "2", -1)]
    campaign = campaigns.find(write(tmp_path, rows, ("system", "seg_id", "score")))
    assert "-25 to 0" in campaign.reading["value"].tolist()
    assert rank_systems(segment_scores(campaigns.load(campaign))).systems == ("A", "B")


@pytest.mark.parametrize(
    ("scores", "scale"),
    [([0, 1], (0, 1)), ([0.2, 0.9], (0, 1)), ([1, 5], (1, 5)), ([0, 6], (0, 6)), ([2, 7], (1, 7)),
     ([0, 10], (0, 10)), ([3, 11], (0, 100)), ([-4, -1], (-4, 0)), ([-1.5, 2.5], (-1.5, 2.5))],
)  # fmt: skip
def test_the_scale_is_found(tmp_path, scores, scale):
    rows = [("A", str(i), "u", score) for i, score in enumerate(scores)]
    assert campaigns.load(write(tmp_path, rows)).scale == scale


def with_scores(folder, scores, settings=""):
    rows = [("AB"[i % 2], str(i), f"u{i % 7}", score) for i, score in enumerate(scores)]
    return write(folder, rows, settings=settings)


SLIDER = [(37 * i) % 101 for i in range(240)]  # whole, 0 to 100
LIKERT = [1 + i % 5 for i in range(60)]
AVERAGES = [0.5 + (37 * i) % 99 for i in range(240)]
PENALTIES = [0, -1, 0, -5, -0.1, -25, 0, -2, 0, -11] * 6  # sums of weighted errors
STANDARDISED = [round(((37 * i) % 101 - 50) / 20, 2) for i in range(240)]  # -2.5 to 2.5


@pytest.mark.parametrize(
    ("scores", "strays", "expected"),
    [
        (SLIDER, [999], "0 to 100, as 240 of 241 scores are"), (SLIDER * 8, [780], "0 to 100"),
        (SLIDER, [101], "0 to 100"), (SLIDER, [-1], "0 to 100"), (SLIDER, [-1, -99], "0 to 100"),
        (SLIDER, [-99] * 30, "0 to 100, as 240 of 270"),  # a code for what is missing
        (AVERAGES, [-1], "0 to 100"), (AVERAGES, [-3.5], "0 to 100"),
        (LIKERT, [45], "1 to 5, as 60 of 61"),
        (LIKERT, [99] * 12, "1 to 5, as 60 of 72"),
        (LIKERT, [-1] * 12, "1 to 5"),
        ([x + 0.5 for x in LIKERT], [45], "0 to 6"),
        ([0, 1] * 60, [99], "0 to 1"),
        (PENALTIES, [5], "at most 0, as 60 of 61"), (PENALTIES, [-999], "-25 to 0, as 60 of 61"),
        (STANDARDISED, [999], "-2.5 to 2.5"), (STANDARDISED, [-99], "-2.5 to 2.5"),
        (STANDARDISED, [-99, 99], "-2.5 to 2.5"),
        (LIKERT * 4, [9], "1 to 5, as 240 of 241"),  # on the next known scale
        (LIKERT * 4, [10], "1 to 5, as 240 of 241"),
        (LIKERT * 4, [0], "1 to 5"), (LIKERT * 4, [6], "1 to 5"), (LIKERT * 40, [44, 55, 66], "1"),
        ([i / 250 for i in range(1, 40)], [7], "0 to 1, as 39 of 40"),
        ([0, 1] * 120, [2], "0 to 1, as 240 of 241"), (list(range(7)) * 29, [-3], "0 to 6"),
        ([1 + i % 7 for i in range(199)], [8.0], "1 to 7"),
        ([i % 11 for i in range(199)], [11], "0 to 10"),
        (LIKERT * 2 + [1 + i % 5 for i in range(28)], [9, 9], "1 to 5, as 148 of 150"),
        ([2, 3, 4] * 50, [9] * 5, "1 to 5, as 150 of 155"),  # the ends unused, but far apart
        (STANDARDISED, [10.5], "-10 to 10, as 240 of 241"),  # too far for standard deviations
        ([0, 999, 40], [], "0 to 100, as 2 of 3"), ([300, 800, 500], [], "0 to 100; or"),
        ([-2, -1, 0, 1, 2], [], "0 to 6, as 3 of 5"),
    ],
)  # fmt: skip
def test_a_score_far_from_the_rest_is_refused_with_its_line(tmp_path, scores, strays, expected):
    middle = len(scores) // 2
    file = with_scores(tmp_path, [*scores[:middle], *strays, *scores[middle:]])
    with pytest.raises(DataError, match="score out of scale") as caught:
        campaigns.load(file)
    error = caught.value
    assert error.file.endswith("mine.csv") and error.column == "score"
    assert re.match(expected, error.expected), error.expected
    assert error.expected.endswith("`scale: [lowest, highest]` in a campaign.yaml beside it")
    written = file.read_text().splitlines()[error.line - 1]
    assert written.endswith(f",{error.value}")
    assert not strays or (error.line == middle + 2 and float(error.value) == strays[0])
    low, high = min(scores + strays), max(scores + strays)
    with_scores(tmp_path, [*scores, *strays], settings=f"scale: [{low}, {high}]\n")
    assert campaigns.load(file).scale == (low, high)


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        (SLIDER, (0, 100)), (AVERAGES, (0, 100)), (LIKERT, (1, 5)), (PENALTIES, (-25, 0)),
        (STANDARDISED, (-2.5, 2.5)),
        ([0] * 200 + [1, 2, 100, 80, 75, 30, 12], (0, 100)),  # at the floor, but for some
        ([0, 25, 50, 75, 100] * 20, (0, 100)), ([0, -1, -0.1] * 20 + [-25], (-25, 0)),
        ([0, -1, -5, -25] * 50 + [-60, -125.1], (-125.1, 0)),
        ([1 + i % 6 for i in range(29)] + [7], (1, 7)),  # a small table
        ([1 + i % 5 for i in range(29)] + [7], (1, 7)),
        ([1 + i % 6 for i in range(299)] + [7], (1, 7)),  # 1 to 6 is no known scale
        ([1 + i % 5 for i in range(240)] + [0, 6] * 4, (0, 6)),  # next to it, not so few
        ([1, 3, 5] * 80 + [7] * 9, (1, 7)), ([0, 5] * 120 + [10], (0, 10)),  # labels on some steps
        (list(range(8)) * 30 + [10], (0, 10)), ([0, 1, 2, 3, 4] * 60 + [0], (0, 6)),
        ([0] * 200 + [1] * 30 + [5] * 9 + [10], (0, 10)),  # weights of errors
        ([6] * 240 + [3] * 2, (0, 6)),
    ],
)  # fmt: skip
def test_scores_without_a_stray_are_read_as_they_are(tmp_path, scores, scale):
    da = campaigns.load(with_scores(tmp_path, scores))
    assert da.scale == scale and len(da.good) == len(scores)


@pytest.mark.parametrize("pair", ["de-en", "en-es", "en-zh", "es-en", "fr-en", "ru-en", "zh-en"])
def test_real_penalties_have_no_bound(pair):
    file = paths.data_root() / "bio-mqm" / "long" / f"mqm-{pair}.csv.gz"
    if not file.is_file():
        pytest.skip("bio-mqm is not here")
    low, high = campaigns.load(file).scale
    assert high == 0 and low < -31


def test_segments_numbered_within_documents_are_not_merged(tmp_path):
    rows = [(*row, f"doc{i % 3}", "news") for i, row in enumerate(ROWS)]
    da = campaigns.load(write(tmp_path, rows, (*HEADER, "doc", "domain")))
    assert set(da.good.segment) == {f"{row[4]}:{row[1]}" for row in rows}
    assert da.good.domain.tolist() == ["news"] * 8


def test_several_files_are_one_campaign(tmp_path):
    write(tmp_path / "c", name="a.en-de.csv")
    write(tmp_path / "c", name="b.cs-en.csv")
    campaign = campaigns.find(tmp_path / "c")
    assert campaign.pairs == ("cs-en", "en-de") and len(campaign.files()) == 2
    rows = [(*row[:2], row[3]) for row in ROWS]
    write(tmp_path / "c", rows, ("system", "segment", "score"), name="d.csv")
    with pytest.raises(DataError, match=r"d\.csv, line 1: no column for annotator, which other"):
        campaigns.find(tmp_path / "c").workers  # noqa: B018


@pytest.mark.parametrize(
    "text",
    ["system,score\nA,1\nB,2\n", "\n\nsystem ,score\r\nA,1\r\n\r\nB,2",
     " system,score\n A,1\nB ,2\n", "system,score\nA,1\n \n", "system,score\nA,1,\n",
     "system,score\nA,1\rB,2\n", 'system,score\n"A,B",1\n', "system,score\n",
     "system,system\nA,1\n", "system\tscore\n\t\nA\t1\n"],
)  # fmt: skip
def test_a_table_read_in_one_go_is_the_same_as_line_by_line(text, tmp_path, monkeypatch):
    made = []
    for name in ("fast", "slow"):
        file = tmp_path / name / "x.csv"
        file.parent.mkdir()
        file.write_bytes(text.encode())
        if name == "slow":
            monkeypatch.setattr(tables, "_at_once", lambda *_: None)
        try:
            read = tables.any_table(file)
            blanks = {n: b.tolist() for n, b in read.blanks.items()}
            made.append((read.frame.astype(str).to_dict("list"), read.lines.tolist(), blanks))
        except DataError as error:
            made.append(str(error).replace(f"{name}/", ""))
    assert made[0] == made[1]


WORDS = ["system;segment;rater;score", *(f"{s};{k};u;{'k. A.' if k > 97 else '3,5'}"
         for s in "ABC" for k in range(101))]  # fmt: skip


def test_words_for_nothing_are_named_and_offered(tmp_path):
    """Nine cells of `k. A.` beside decimal commas: the first of them is named, not a number."""
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(WORDS) + "\n")
    with pytest.raises(DataError) as error:
        campaigns.load(file)
    assert error.value.line == 100 and error.value.value == "k. A."
    assert "words among the scores: k. A. (9)" in str(error.value)
    assert 'missing="k. A."' in str(error.value)
    (tmp_path / "campaign.yaml").write_text("missing: [k. a.]\n")
    campaign = campaigns.find(file)
    da = campaigns.load(campaign)
    assert len(da.good) == 294 and set(da.good["score"]) == {3.5}
    assert da.excluded.set_index("reason")["rows"]["no score (left out)"] == 9
    said = campaign.reading.set_index("what")["value"]
    assert said["no score: k. a."] == "9 cells" and said["sign before decimals"] == ","
    (tmp_path / "campaign.yaml").write_text("missing: [n. b.]\n")
    with pytest.raises(DataError, match=r"no such word among the scores; found 'n\. b\.'"):
        campaigns.load(file)


LEADERBOARD = paths.DEMO / "leaderboard.csv"


def test_a_leaderboard_is_read_with_its_items_as_units():
    campaign = campaigns.find(LEADERBOARD)
    assert (campaign.format, campaign.workers) == ("long", False)
    assert campaign.unsaid == {"annotator", "document", "pair"}
    scores = campaigns.load(campaign)
    assert scores.attrs["items"] is True
    assert len(scores) == 12 * 150 - 12 and scores["document"].isna().all()
    assert scores.groupby("system", observed=True)["raw"].mean().idxmax() == "Ash"


def test_a_wide_leaderboard_is_the_same(tmp_path):
    long = pd.read_csv(LEADERBOARD)
    wide = long.pivot(index="segment", columns="system", values="score")
    wide.astype("Int64").to_csv(tmp_path / "wide.csv")
    (tmp_path / "campaign.yaml").write_text("wide: all\n")
    both = [campaigns.load(file) for file in (LEADERBOARD, tmp_path / "wide.csv")]
    assert both[1].attrs["items"] is True
    columns = ["system", "segment", "raw", "z", "n"]
    assert both[0][columns].values.tolist() == both[1][columns].values.tolist()


@pytest.mark.parametrize("name", ["annotator", "document", "hit"])
def test_never_items_where_people_or_documents_are_named(tmp_path, name):
    table = pd.read_csv(LEADERBOARD).assign(**{name: lambda rows: rows["segment"].str[:3]})
    table.to_csv(tmp_path / "mine.csv", index=False)
    read = campaigns.load(tmp_path / "mine.csv")
    if name == "annotator":
        assert isinstance(read, DirectAssessment)
    else:
        assert read.attrs["items"] is False


def test_released_averages_are_no_items(tmp_path):
    """Scores of a metrics task are means over annotators whom the release does not name."""
    (tmp_path / "human-scores").mkdir()
    rows = [f"{system}\t{k}" for system in "AB" for k in range(5)]
    file = tmp_path / "human-scores" / "en-de.wmt.seg.score"
    file.write_text("\n".join(rows) + "\n")
    assert campaigns.load(file).attrs["items"] is False


def test_never_items_where_a_column_that_is_not_used_may_name_who_judged(tmp_path):
    """`Reviewer` is no name that we know for annotators, and segments are then averaged."""
    rows = [f"{s},{k},{w},{k % 3}" for s in "AB" for k in range(9) for w in "uv"]
    for name, items in (("Reviewer", False), ("Remark", True)):
        (tmp_path / "mine.csv").write_text("\n".join([f"system,segment,{name},score", *rows]))
        assert campaigns.load(tmp_path / "mine.csv").attrs["items"] is items


def test_a_time_is_read_where_a_column_gives_it(tmp_path):
    rows = [(*row, "x" if k == 1 else 3.5 + k) for k, row in enumerate(ROWS)]
    good = campaigns.load(write(tmp_path, rows, (*HEADER, "seconds"))).good
    assert good["time"].tolist()[0] == 3.5 and good["time"].isna().tolist() == [
        False,
        True,
        *[False] * 6,
    ]
    assert "time" not in campaigns.load(write(tmp_path)).good


def test_an_unknown_type_is_refused_where_it_stands(tmp_path):
    rows = [(*row, "SYSTEM" if k < 5 else "GOOD") for k, row in enumerate(ROWS)]
    with pytest.raises(DataError, match="unknown type") as error:
        campaigns.load(write(tmp_path, rows, (*HEADER, "type")))
    assert (error.value.line, error.value.column, error.value.value) == (7, "type", "GOOD")
    assert error.value.expected == "empty or one of SYSTEM, TGT, REF, REPEAT, BAD_REF, BAD"
    rows[0] = (*ROWS[0][:3], "", "SYSTEM")  # a row that does not count stands before it
    with pytest.raises(DataError, match="line 7, column 'type': unknown type"):
        campaigns.load(write(tmp_path, rows, (*HEADER, "type")))


def test_judges_are_set_apart_before_anything_is_guessed_from_scores(tmp_path):
    rows = [*ROWS, ("A", "1", "GPT-4", 99), ("B", "1", "GPT-4", ""), ("B", "2", "GPT-4", -3)]
    write(tmp_path, rows, settings="judges: [GPT-4]\n")
    write(tmp_path, [("A", "1", "GPT-4", 7)], name="model.csv")
    campaign = campaigns.find(tmp_path)
    da = campaigns.load(campaign)
    assert da.scale == (1, 5) and set(da.good["worker"]) == {"u", "v"} and len(da.good) == 8
    assert "no score (left out)" not in excluded(da)
    assert set(campaign.reading["file"]) == {"all", "mine.csv"}
    (tmp_path / "model.csv").unlink()
    said = judges.read(campaigns.find(tmp_path), "xx-yy")
    assert said.drop(columns="document").to_numpy().tolist() == [
        ["GPT-4", "A", "1", 99], ["GPT-4", "B", "2", -3],
    ]  # fmt: skip
    assert set(said["document"]) == {""}


def test_documents_of_judges_are_theirs_and_control_rows_do_not_count(tmp_path):
    rows = [(*row, "d1", "SYSTEM") for row in ROWS]
    rows += [("A", "1", "GPT-4", 9, "d2", "SYSTEM"), ("B", "1", "GPT-4", 8, "", "SYSTEM"),
             ("B", "2", "GPT-4", 7, "d2", "BAD_REF")]  # fmt: skip
    write(tmp_path, rows, (*HEADER, "document", "type"), settings="judges: [GPT-4]\n")
    said = judges.read(campaigns.find(tmp_path), "xx-yy")
    assert said[["system", "document", "score"]].to_numpy().tolist() == [
        ["A", "d2", 9],
        ["B", "", 8],
    ]


def test_what_was_understood_is_said_of_each_file_and_of_all(tmp_path):
    header = ("Model", "segment", "rater", "score", "note")
    rows = [(*row, "x") for row in ROWS]
    write(tmp_path, rows, header, name="en-de.csv")
    other = [(one[0], one[1], f"engdeu0{k}", one[3]) for k, one in enumerate(ROWS)]
    write(tmp_path, other, name="b_en-de.csv")
    told = campaigns.find(tmp_path).reading
    assert list(told) == ["file", "what", "value", "said by"]
    assert told.to_numpy().tolist() == [
        ["all", "scale", "1 to 5", "the data"],
        ["b_en-de.csv", "pair", "en-de", "the file's name"],
        ["b_en-de.csv", "accounts", told["value"][2], "their names"],
        ["en-de.csv", "pair", "en-de", "the file's name"],
        ["en-de.csv", "column system", "Model", "header"],
        ["en-de.csv", "column annotator", "rater", "header"],
        ["en-de.csv", "columns not used", "note", "header"],
    ]
    assert told["value"][2].startswith("8 accounts may be fewer people")
    (tmp_path / "campaign.yaml").write_text(
        "annotator: {A: ['*']}\ncolumns: {score: score, annotator: rater}\nfiles: [en-de.csv]\n"
    )
    told = campaigns.find(tmp_path).reading.set_index("what")["said by"]
    assert told["column annotator"] == "campaign.yaml" and told["column system"] == "header"
    assert "column score" not in told and "accounts" not in told


def test_a_score_is_on_the_scale_of_the_settings(tmp_path):
    for scale, line in (("[1, 5]", None), ("[1, 4]", 6), ("[2, 5]", 5)):
        file = write(tmp_path, settings=f"scale: {scale}\n")
        if line is None:
            assert excluded(campaigns.load(file)) == {"(kept: scale 1 to 5, from campaign.yaml)": 8}
            continue
        with pytest.raises(DataError, match="out of range") as error:
            campaigns.load(file)
        low, high = scale.strip("[]").split(", ")
        more = " (1 more wrong)" if line == 6 else ""
        expected = f"a number, {low} to {high}{more}"
        assert (error.value.line, error.value.expected) == (line, expected)


def test_empty_names_are_refused_and_empty_words_for_names_too(tmp_path):
    for place, column in enumerate(("system", "segment", "annotator")):
        for empty in ("", "NA"):
            rows = [list(row) for row in ROWS]
            rows[3][place] = empty
            with pytest.raises(DataError, match=f"line 5, column '{column}': empty id"):
                campaigns.load(write(tmp_path, rows))
    rows = [(*row, "NA" if k % 2 else "h1") for k, row in enumerate(ROWS)]
    good = campaigns.load(write(tmp_path, rows, (*HEADER, "hit"))).good
    assert good["hit"].isna().tolist() == [False, True] * 4


def test_words_among_numbers_are_named_by_how_often_they_stand(tmp_path):
    words = ["bad", "bad", "so", "so", "so", "ok", "no", 3, 4]
    rows = [("AB"[k % 2], k, "u", word) for k, word in enumerate(words)]
    with pytest.raises(DataError, match="not a number; found 'bad'") as error:
        campaigns.load(write(tmp_path, rows))
    assert "words among the scores: so (3), bad (2), ok (1);" in error.value.expected
    assert error.value.expected.startswith("a number, 1 to 5; words") and error.value.line == 2
    with pytest.raises(DataError, match="not a number; found 'bad'") as error:
        campaigns.load(write(tmp_path, rows[:7]))
    said = "numbers, or two words such as pass and fail; all scores are words: so, bad, ok"
    assert error.value.expected == said


def test_files_that_name_annotators_or_none_do_not_mix(tmp_path):
    write(tmp_path, name="a.csv")
    bare = [("C", row[1], row[3]) for row in ROWS]
    write(tmp_path, bare, ("system", "segment", "score"), name="b.csv")
    with pytest.raises(
        DataError, match=r"b\.csv, line 1: no column for annotator, which other"
    ) as error:
        campaigns.load(tmp_path)
    assert error.value.expected == "annotators in all files or in none"


def test_a_score_off_the_scale_is_named_in_the_file_in_which_it_stands(tmp_path):
    with_scores(tmp_path, SLIDER[:120])
    rows = [("AB"[k % 2], f"x{k}", f"u{k % 7}", score) for k, score in enumerate(SLIDER[120:])]
    rows[4] = (*rows[4][:3], 999)
    write(tmp_path, rows, name="other.csv")
    with pytest.raises(DataError, match="score out of scale") as error:
        campaigns.load(tmp_path)
    assert error.value.file.endswith("other.csv") and error.value.line == 6
