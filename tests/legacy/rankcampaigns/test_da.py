"""The direct-assessment readers: the forms files come in, and everything that can be wrong."""

import gzip

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import excluded
from conftest import needs, real
from da_files import HEADER, REDUP, ROWS, segment_file, write
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns import da as readers_da
from companion.legacy.rankcampaigns.da import COLUMNS
from companion.legacy.rankstability.errors import DataError


def same(one: readers_da.DirectAssessment, other: readers_da.DirectAssessment) -> None:
    pd.testing.assert_frame_equal(one.latest, other.latest)
    pd.testing.assert_frame_equal(one.good, other.good)


def test_rows_of_the_pair_with_their_meaning(tmp_path):
    da = readers_da.read_da(write(tmp_path), "cs-en")
    assert (len(da.latest), len(da.good)) == (6, 7)
    assert list(da.good.columns) == (
        ["worker", "hit", "system", "document", "segment", "type", "score", "block"]
    )
    first = ["w1", "H1", "sysB", "doc1", "doc1_1", "SYSTEM"]
    assert da.good.iloc[1][:6].tolist() == first
    assert da.latest.system.iloc[0] == "sysA+sysB"
    assert da.good.score.tolist() == [70, 70, 80, 75, 0, 100, 3]
    assert da.good.hit.isna().tolist() == [False] * 4 + [True] * 3  # NA is missing, not a name
    assert da.excluded.to_dict("records") == [
        {"file": "ad-latest.csv", "reason": "other language pairs", "rows": 1},
        {"file": "ad-good-raw-redup.csv", "reason": "other language pairs", "rows": 1},
    ]
    for column in ("worker", "hit", "system", "document", "segment", "type", "block"):
        categories = da.latest[column].cat.categories
        assert list(categories) == sorted(categories) == list(da.good[column].cat.categories)
    assert list(da.good.type.cat.categories) == ["BAD_REF", "REF", "REPEAT", "SYSTEM"]
    assert readers_da.pairs(tmp_path) == ("cs-en", "en-de")


@pytest.mark.parametrize(
    "form",
    [{"header": False}, {"compress": True}, {"header": False, "compress": True}, {"sep": " "},
     {"sep": "   "}, {"end": "\r\n"}, {"end": "\n\n"}],
    ids=str,
)  # fmt: skip
def test_every_form_reads_the_same(tmp_path, form):
    plain = readers_da.read_da(write(tmp_path / "plain"), "cs-en")
    same(plain, readers_da.read_da(write(tmp_path / "other", **form), "cs-en"))


def test_columns_in_another_order_quotes_a_bom_and_no_last_newline(tmp_path):
    plain = readers_da.read_da(write(tmp_path / "plain"), "cs-en")
    folder = write(tmp_path / "other")
    order = list(range(11, -1, -1))
    lines = [HEADER, *ROWS]
    turned = ["\t".join(line.split("\t")[i] for i in order) for line in lines]
    (folder / "ad-latest.csv").write_text("\ufeff" + "\n".join(turned))
    quoted = ["\t".join(f'"{cell}"' for cell in line.split("\t")) for line in [HEADER, *REDUP]]
    (folder / "ad-good-raw-redup.csv").write_text("\n".join(quoted))
    same(plain, readers_da.read_da(folder, "cs-en"))


def test_rows_parted_by_tabs_and_blanks_with_names_in_quotes(tmp_path):
    """As Facebook released WMT21: the header by tabs, of the rows some cells by blanks."""
    plain = readers_da.read_da(write(tmp_path / "plain"), "cs-en")

    def mixed(line):
        cells = line.split("\t")
        cells[6] = f'"{cells[6]}"'
        return "\t".join([*cells[:3], " ".join(cells[3:6]), "  ".join(cells[6:9]), *cells[9:]])

    for header in (True, False):
        folder = tmp_path / f"mixed-{header}"
        write(folder, [mixed(row) for row in ROWS], [mixed(row) for row in REDUP], header)
        same(plain, readers_da.read_da(folder, "cs-en"))
    # with one row as it should be, or with another number of cells, nothing is guessed
    other = mixed(ROWS[2])
    for row in (ROWS[2], other.replace("  ", "\t", 1), other.rpartition("\t")[0]):
        write(folder, [*map(mixed, ROWS[:2]), row, *map(mixed, ROWS[3:])])
        with pytest.raises(DataError, match=r"latest\.csv, line 2: wrong number of columns"):
            readers_da.read_da(folder, "cs-en")


def test_ids_that_name_each_a_document_of_its_own_name_none(tmp_path):
    rows = [row.replace(f"doc{d}_{n}", f"c-{d}.{n}_{n}") for row in ROWS
            for d in (1, 2) for n in (1, 2) if f"doc{d}_{n}" in row]  # fmt: skip
    rows = [row.replace("sysA+sysB", "sysA").replace("\t1\tSYS", "\tNA\tSYS") for row in rows]
    good = readers_da.read_da(write(tmp_path, rows, rows), "cs-en").good
    assert good["segment"].nunique() > 1 and good["document"].isna().all()


def replaced(row: int, column: str, value: str) -> list[str]:
    rows = [line.split("\t") for line in REDUP]
    rows[row][COLUMNS.index(column)] = value
    return ["\t".join(line) for line in rows]


def test_two_wrong_lines_that_cancel_out_are_still_seen(tmp_path):
    rows = [*REDUP[:2], REDUP[2] + "\textra", REDUP[3].rsplit("\t", 1)[0], *REDUP[4:]]
    with pytest.raises(DataError, match="line 4: wrong number of columns; found 13"):
        readers_da.read_da(write(tmp_path, good=rows), "cs-en")


@pytest.mark.parametrize("name", ["system", "score"])
def test_unknown_or_repeated_column_in_the_header(tmp_path, name):
    file = write(tmp_path) / "ad-latest.csv"
    file.write_text(file.read_text().replace("sys_id", name, 1))
    with pytest.raises(DataError, match=rf"line 1: unknown or repeated column.*'{name}'"):
        readers_da.read_da(tmp_path, "cs-en")


@pytest.mark.parametrize("row", [2, 5])  # with a HIT, and without
def test_identical_rows_are_counted_and_kept(tmp_path, row):
    da = readers_da.read_da(write(tmp_path, good=[*REDUP, REDUP[row]]), "cs-en")
    assert excluded(da)["identical rows (kept)"] == 1 and len(da.good) == 8


def test_no_rows_for_the_pair_lists_those_there_are(tmp_path):
    with pytest.raises(DataError, match=r"found 'de-cs'; expected one of cs-en, en-de"):
        readers_da.read_da(write(tmp_path), "de-cs")


@pytest.mark.parametrize("missing", ["ad-latest.csv", "ad-good-raw-redup.csv"])
def test_a_missing_companion_file(tmp_path, missing):
    folder = write(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(DataError, match=f"{missing} is missing"):
        readers_da.read_da(folder, "cs-en")


@pytest.mark.parametrize("more", [0, 2])
def test_another_score_in_the_other_file_is_refused_with_a_count(tmp_path, more):
    good = list(REDUP)
    for k in range(2, 3 + more):  # lines 4 and on
        cells = good[k].split("\t")
        good[k] = "\t".join([*cells[:10], str(float(cells[10]) + 1), cells[11]])
    with pytest.raises(DataError, match="the same judgment has another score") as error:
        readers_da.read_da(write(tmp_path, good=good), "cs-en")
    assert (error.value.line, float(error.value.value)) == (4, 81.0)
    assert error.value.expected == f"the score of ad-latest.csv ({more} more wrong)"


def test_an_edited_file_is_read_anew(tmp_path):
    folder = write(tmp_path)
    assert readers_da.read_da(folder, "cs-en").good.score.max() == 100
    edited = replaced(5, "score", "99.5")
    write(folder, latest=edited, good=edited)
    assert readers_da.read_da(folder, "cs-en").good.score.max() == 99.5


def test_frames_of_two_calls_do_not_share_what_one_may_change(tmp_path):
    folder = write(tmp_path)
    one = readers_da.read_da(folder, "cs-en")
    one.good["score"] = 1.0
    one.good["worker"] = one.good["worker"].cat.rename_categories({"w1": "changed"})
    assert readers_da.read_da(folder, "cs-en").good.score.max() == 100
    assert "w1" in readers_da.read_da(folder, "cs-en").good.worker.cat.categories


def test_documents_from_a_list_from_ids_from_blocks_or_not_at_all(tmp_path):
    def numbered(rid: bool) -> list[str]:
        """Two documents (segments 1-3 and 4-6), blocks of one worker and system."""
        judged = [("w1", "A", "12"), ("w2", "A", "23"), ("w1", "B", "456"), ("w2", "B", "56")]
        row = "H{0} {0} cs en ad 1 {1} {2} SYSTEM {3} 5{3} 1".replace(" ", "\t")
        return [
            row.format(worker, system, block if rid else 10 * block + place, segment)
            for block, (worker, system, segments) in enumerate(judged)
            for place, segment in enumerate(segments)
        ]

    rows = numbered(rid=True)
    da = readers_da.read_da(write(tmp_path / "blocks", rows, rows), "cs-en")
    found = da.good.groupby("document", observed=True).segment.unique()
    found = {name: "".join(sorted(segments)) for name, segments in found.items()}
    assert found == {"doc-1": "123", "doc-4": "456"}

    rows = numbered(rid=False)  # rid is a mere position in the HIT
    da = readers_da.read_da(write(tmp_path / "none", rows, rows), "cs-en")
    assert da.good.document.isna().all()

    folder = write(tmp_path / "list", rows, rows)
    lines = [f"{n}\tpaper-{n % 2}" for n in range(1, 7)]
    (folder / "documents-cs-en.tsv").write_text("\n".join(["sid\tdocument", *lines]))
    da = readers_da.read_da(folder, "cs-en")
    told = "paper-" + (da.good.segment.astype(int) % 2).astype(str)
    assert da.good.document.tolist() == told.tolist()

    (folder / "documents-cs-en.tsv").write_text("\n".join(["sid\tdocument", *lines, lines[2]]))
    with pytest.raises(DataError, match=r"line 8, column 'sid': duplicate segment id"):
        readers_da.read_da(folder, "cs-en")
    (folder / "documents-cs-en.tsv").write_text("\n".join(["sid\tdocument", *lines[1:]]))
    with pytest.raises(DataError, match="a judged segment has no document; found '1'"):
        readers_da.read_da(folder, "cs-en")


@pytest.mark.parametrize(("gone", "named"), [(0, True), (1, False)])
def test_blocks_of_two_segments_on_average_tell_documents_and_shorter_ones_do_not(
    tmp_path, gone, named
):
    rows = [
        f"H{block}\tw1\tcs\ten\tad\t1\tA\t{block}\tSYSTEM\t{2 * block + k + 1}\t50\t1"
        for block in range(3)
        for k in range(2)
    ]
    rows = rows[: len(rows) - gone]
    da = readers_da.read_da(write(tmp_path / "blocks", rows, rows), "cs-en")
    assert da.good["document"].notna().tolist() == [named] * len(rows)
    if named:
        found = da.good["document"].astype(str).tolist()
        assert found == ["doc-1", "doc-1", "doc-3", "doc-3", "doc-5", "doc-5"]


JUDGMENTS = st.tuples(
    *(st.sampled_from(["w1", "w2", "w3"]), st.sampled_from(["A", "B", "Ünï.1"])),
    *(st.integers(1, 9), st.integers(0, 100), st.sampled_from(readers_da.TYPES)),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(JUDGMENTS, min_size=1, max_size=40))
def test_what_is_written_is_what_is_read(tmp_path_factory, rows):
    lines = [
        f"NA\t{w}\tcs\ten\tad\tNA\t{s}\tNA\t{t}\t{n}\t{score}\t{i}"
        for i, (w, s, n, score, t) in enumerate(rows)
    ]
    folder = write(tmp_path_factory.mktemp("da"), lines, lines[::-1])
    da = readers_da.read_da(folder, "cs-en")
    columns = ["worker", "system", "segment", "score", "type"]
    expected = [(w, s, str(n), float(score), t) for w, s, n, score, t in rows]
    assert list(da.latest[columns].itertuples(index=False, name=None)) == expected
    assert list(da.good[columns].itertuples(index=False, name=None)) == expected[::-1]


# --- segment scores


def test_segment_scores(tmp_path):
    folder = segment_file(tmp_path / "a", ["A.1 doc.x_1 57.5 -0.2 2", "B doc.x_2 99 1.25 1"])
    frame = readers_da.read_segment_scores(folder, "cs-en")
    assert list(frame.columns) == ["system", "document", "segment", "raw", "z", "n"]
    assert frame.iloc[0].tolist() == ["A.1", "doc.x", "doc.x_1", 57.5, -0.2, 2]
    segment_file(folder, ["A 1 57.5 -0.2 2"])
    assert readers_da.read_segment_scores(folder, "cs-en").document.isna().all()
    with pytest.raises(DataError, match="there: cs-en"):
        readers_da.read_segment_scores(folder, "en-cs")


# --- the real files


@pytest.mark.slow
@needs("wmt18")
def test_every_row_of_wmt18_arrives():
    """An independent reading of two pairs of the 13: the same values in the same order."""
    campaign = campaigns.find("wmt18")
    assert len(campaign.pairs) == 13 and campaign.rebuilt and campaign.style == "SR-DC"
    names = {"worker": "WorkerId", "system": "sys_id", "segment": "sid", "type": "type"}
    read = {"sep": "\t", "dtype": str, "keep_default_na": False}
    read["usecols"] = ["Input.src", "Input.trg", "HITId", "score", *names.values()]
    frames = {}
    for name in ("ad-latest", "ad-good-raw-redup"):
        frame = pd.read_csv(real("wmt18") / f"{name}.csv.gz", **read)
        frames[name] = frame.groupby(["Input.src", "Input.trg"])
    for pair in ("en-et", "zh-en"):
        da = campaigns.load_da(campaign, pair)
        for ours, name in ((da.latest, "ad-latest"), (da.good, "ad-good-raw-redup")):
            raw = frames[name].get_group(tuple(pair.split("-")))
            assert len(raw) == len(ours) > 4000
            for column, theirs in names.items():
                assert (ours[column].astype(str).to_numpy() == raw[theirs].to_numpy()).all()
            assert (ours["score"].to_numpy() == raw["score"].astype(float).to_numpy()).all()
            assert (ours["hit"].isna().to_numpy() == (raw["HITId"] == "NA").to_numpy()).all()
            assert ours["document"].notna().all()
        assert not (da.excluded["reason"] == "identical rows (kept)").any()


@needs("wmt21")
def test_wmt21_documents_from_blocks_are_those_listed():
    campaign = campaigns.find("wmt21")
    assert campaign.pairs == ("cs-en", "de-en", "ha-en", "is-en", "ja-en", "ru-en")
    for pair in ("cs-en", "ja-en"):
        da = campaigns.load_da(campaign, pair)
        segments = da.latest["segment"].cat.categories
        frames = [frame.drop(columns="document") for frame in (da.latest, da.good)]
        blocks = readers_da._block_documents(frames, segments).to_numpy()
        listed = da.latest.drop_duplicates("segment").set_index("segment")["document"]
        both = pd.DataFrame({"b": blocks, "l": listed.loc[list(segments)].astype(str).to_numpy()})
        both = both.drop_duplicates()
        assert len(both) == both.b.nunique() == both.l.nunique() > 40
    assert "HUMAN.0" in campaigns.load_da(campaign, "cs-en").good.system.cat.categories


# ------------------------------------------------------------------ hygiene


def test_a_file_and_its_gzip_with_other_content_are_refused(tmp_path):
    write(tmp_path)
    assert len(readers_da.read_da(write(tmp_path, compress=True), "cs-en").good) == 7
    (tmp_path / "ad-latest.csv.gz").write_bytes(gzip.compress(b"another\n"))
    with pytest.raises(DataError, match="two files of the same name with different content"):
        readers_da.read_da(tmp_path, "cs-en")


def test_joined_ids_of_the_good_file_count_for_each_system(tmp_path):
    da = readers_da.read_da(write(tmp_path, good=ROWS), "cs-en")
    plain = readers_da.read_da(write(tmp_path), "cs-en")
    columns = ["worker", "system", "segment", "type", "score"]
    order = lambda frame: sorted(map(tuple, frame[columns].astype(str).to_numpy()))  # noqa: E731
    assert order(da.good) == order(plain.good) and len(da.latest) == 6
    assert excluded(da)["(kept: rows of joined ids A+B, one for each system)"] == 1
    # a plus in a name whose parts are no systems is a name
    named = [row.replace("sysA+sysB", "sysA+RAG") for row in ROWS]
    good = readers_da.read_da(write(tmp_path, latest=named, good=named), "cs-en").good
    assert "sysA+RAG" in set(good.system)


def test_blanks_around_a_name_make_no_second_system(tmp_path):
    rows = [row.replace("\tsysB\t", "\tsysB \t") for row in REDUP[:2]] + REDUP[2:]
    rows[-1] = rows[-1].replace("\tw1\t", "\t w1\t").replace("\tsysC\t", "\tsysC \t")  # en-de
    da = readers_da.read_da(write(tmp_path, good=rows), "cs-en")
    assert "sysB " not in set(da.good.system)
    for pair in ("cs-en", "en-de"):  # a row counts once, and in its own pair
        told = readers_da.read_da(tmp_path, pair).excluded
        blanks = told[told.reason == "(kept: blanks around names taken away)"]
        assert blanks.rows.tolist() == [1], pair


def test_a_carriage_return_within_a_line_is_refused(tmp_path):
    rows = [*REDUP[:2], REDUP[2].replace("sysA", "sys\rA"), *REDUP[3:]]
    with pytest.raises(DataError, match="line 4: a carriage return within a line"):
        readers_da.read_da(write(tmp_path, good=rows), "cs-en")


def test_averages_of_mqm_stand_in_segment_scores(tmp_path):
    folder = segment_file(tmp_path / "a", ["A 1 -2.5 0.3 1", "A 2 0 0.5 1", "B 1 -25 -2 1"])
    assert readers_da.read_segment_scores(folder, "cs-en").raw.tolist() == [-2.5, 0, -25]
    folder = segment_file(tmp_path / "b", ["A 1 57 0.3 1", "A 2 -5 0.5 1"])
    with pytest.raises(DataError, match=r"line 3, column 'RAW.SCR': out of range; found '-5'"):
        readers_da.read_segment_scores(folder, "cs-en")


def test_a_single_file_serves_as_both(tmp_path):
    file = write(tmp_path) / "ad-good-raw-redup.csv"
    assert readers_da.companions(file) == (file, file)
    da = readers_da.read_da(file, "cs-en")
    pd.testing.assert_frame_equal(da.latest, da.good)
    assert len(da.good) == 7 and da.excluded["rows"].tolist() == [1]
    assert readers_da.pairs(file) == ("cs-en", "en-de")


@pytest.mark.parametrize(
    ("score", "problem"), [("80.0000001", ""), ("80.000002", "another score"), ("80", "")]
)
def test_scores_of_the_two_files_are_the_same_to_six_decimals(tmp_path, score, problem):
    good = replaced(2, "score", score)
    if problem:
        with pytest.raises(DataError, match=problem) as error:
            readers_da.read_da(write(tmp_path, good=good), "cs-en")
        assert (error.value.line, error.value.column, error.value.value) == (4, "score", score)
    else:
        assert len(readers_da.read_da(write(tmp_path, good=good), "cs-en").good) == 7


def test_pairs_are_of_the_two_languages_of_each_row(tmp_path):
    sides = [("en", "cs"), ("de", "en"), ("en", "de"), ("cs", "de")]
    form = "H\tw\t{}\t{}\tad\t1\tA\t1\tSYSTEM\td_{}\t5{}\t1"
    rows = [form.format(*both, k, k) for k, both in enumerate(sides)]
    folder = write(tmp_path, rows, rows)
    assert readers_da.pairs(folder) == ("cs-de", "de-en", "en-cs", "en-de")
    for k, pair in enumerate(("en-cs", "de-en", "en-de", "cs-de")):
        assert readers_da.read_da(folder, pair).good["score"].tolist() == [50 + k]


def test_joined_ids_are_of_systems_that_are_there():
    frame = pd.DataFrame({"system": ["A+B", "A", "B", "A+C", "A+B+A"], "score": range(5)})
    out, rows = readers_da.apart(frame)
    assert rows == 2 and out["system"].tolist() == ["A", "B", "A", "B", "A+C", "A", "B", "A"]
    assert out["score"].tolist() == [0, 0, 1, 2, 3, 4, 4, 4]
    same, none = readers_da.apart(frame.iloc[1:4])
    assert none == 0 and same.equals(frame.iloc[1:4])


def test_the_same_annotators_second_score_is_counted(tmp_path):
    rows = [*REDUP, REDUP[2].replace("\t80\t", "\t81\t")]
    counts = excluded(readers_da.read_da(write(tmp_path, rows, rows), "cs-en"))
    assert counts[readers_da.SECOND] == 1 and "identical rows (kept)" not in counts
    assert readers_da.SECOND not in excluded(readers_da.read_da(write(tmp_path), "cs-en"))


def test_documents_are_in_ids_if_all_have_them_and_two_share_one(tmp_path):
    for ids, documents in (
        (("a_1", "a_2"), ["a", "a"]), (("a_1", "b_2"), None), (("a_1", "a_x"), None),
        (("x_y_1", "x_y_2"), ["x_y", "x_y"]), (("_1", "_2"), None),
    ):  # fmt: skip
        rows = [f"H\tw\tcs\ten\tad\t1\tA\t{k}\tSYSTEM\t{one}\t50\t1" for k, one in enumerate(ids)]
        good = readers_da.read_da(write(tmp_path, rows, rows), "cs-en").good
        found = good["document"].astype(object)
        assert found.where(found.notna(), None).tolist() == (documents or [None, None])


def test_segment_scores_are_on_one_scale_and_each_of_a_system_once(tmp_path):
    folder = tmp_path / "a"
    for rows, words in (
        (["A 1 57 0.1 2", "A 1 58 0.1 2"], "line 3, column 'SID': duplicate system and segment"),
        (["A 1 57 0.1 2.5"], "line 2, column 'N': not an integer"),
        (["A 1 101 0.1 2"], r"line 2, column 'RAW.SCR': out of range"),
        (["A 1 -1 0.1 2", "A 2 1 0.1 2"], r"line 2, column 'RAW.SCR': out of range"),
        (["A 1 57 x 2"], r"line 2, column 'Z.SCR': not a number"),
    ):
        with pytest.raises(DataError, match=words):
            readers_da.read_segment_scores(segment_file(folder, rows), "cs-en")
    zeros = segment_file(folder, ["A 1 0 0.1 2", "A 2 -3 0.1 1", "B 1 0 0 1"])
    assert readers_da.read_segment_scores(zeros, "cs-en")["raw"].tolist() == [0, -3, 0]
    with pytest.raises(DataError, match="no segment scores for the language pair") as error:
        readers_da.read_segment_scores(tmp_path, "cs-en")
    assert error.value.expected.endswith("; there: no file of this form")
