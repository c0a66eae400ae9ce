"""Which rows of judgments count, who is human, who stands for a reference, and who is ranked."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from assessments import frame_of, toy
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    BLOCK_COLUMNS,
    HIDDEN,
    ROWS,
    DirectAssessment,
    battle_frame,
    blocks,
    counted,
    direct_assessment,
    fits,
    given_twice,
    human_or_reference,
    human_systems,
    is_human,
    models_among,
    name_segments_by_document,
    noted,
    of_type,
    ranked_systems,
    repeated,
    rows_with,
    second_scores,
    second_votes,
    segment_table,
    select_rows,
    unmarked,
    unstandardised,
)


def test_who_is_human():
    yes = ["HUMAN", "HUMAN.0", "Human-A.3", "refA", "A+HUMAN.0", "Human_B", "human", "human.7",
           "newstest2019-human", "ref-A", "ref_B", "reference", "reference_r1",
           "translator-A"]  # fmt: skip
    no = ["REFERENCE", "superhuman.1", "Humanoid", "GPT4-5shot_with_refA", "refAB", "reference-A",
          "translator", "my-reference"]  # fmt: skip
    assert [n for n in yes + no if is_human(n)] == yes
    assert human_systems(toy()) == ("HUMAN.0",)
    assert ranked_systems(toy()) == ("A", "B", "HUMAN.0")


def test_scores_of_segments_are_standardised_by_the_deviation_of_a_sample():
    scores = [10.0, 20.0, 60.0, 90.0]
    frame = pd.DataFrame({"system": list("AABB"), "segment": list("1212"), "score": scores})
    excluded = pd.DataFrame(columns=["file", "reason", "rows"])
    made = segment_table(frame.assign(type="SYSTEM"), excluded)
    assert made["z"].mean() == pytest.approx(0)
    assert (made["z"] ** 2).sum() == pytest.approx(len(scores) - 1)


def table(rows, columns="system segment type score"):
    """A plain frame from rows, its columns named in one text."""
    return pd.DataFrame(rows, columns=columns.split())


# ------------------------------------------------------------------ plain frames to judgments


def test_plain_frames_share_sorted_categories_and_na_is_no_name():
    columns = "worker system segment type score"
    latest = table([("w2", "C", "1", "REF", 1), ("NA", "A", "2", "SYSTEM", 2)], columns)
    good = table([("w1", "B", "3", "SYSTEM", 3), (None, "A", "", "REPEAT", 4)], columns)
    da = direct_assessment("xx-yy", latest.assign(domain="news"), good.assign(domain="talks"))
    expected = {
        "worker": ["w1", "w2"], "system": ["A", "B", "C"], "segment": ["1", "2", "3"],
        "type": ["BAD_REF", "REF", "REPEAT", "SYSTEM"], "hit": [], "document": [], "block": [],
        "domain": ["news", "talks"],
    }  # fmt: skip
    for frame in (da.latest, da.good):
        assert {name: list(frame[name].cat.categories) for name in expected} == expected
        assert frame["score"].dtype == float
    assert da.latest["worker"].isna().tolist() == [False, True]
    assert da.good["worker"].isna().tolist() == [False, True]
    assert da.good["segment"].isna().tolist() == [False, True]
    assert da.scale == (0, 100) and da.excluded.empty and not da.adaptive and da.year == 0
    assert list(da.excluded) == ["file", "reason", "rows"]


def test_without_good_rows_all_rows_are_good_and_a_frame_of_their_own():
    latest = table([("A", "1", "SYSTEM", 1), ("B", "1", "SYSTEM", 2)])
    da = direct_assessment("xx-yy", latest, excluded=pd.DataFrame({"rows": [1]}), scale=(0, 5))
    da.good["score"] = 0.0
    assert da.latest["score"].tolist() == [1, 2] and da.latest["system"].tolist() == ["A", "B"]
    assert da.scale == (0, 5) and da.excluded["rows"].tolist() == [1]


def test_judgments_are_out_of_a_hundred_unless_said_and_cannot_be_changed():
    latest = table([("A", "1", "SYSTEM", 1)])
    da = DirectAssessment("xx-yy", latest, latest, latest)
    assert da.scale == (0, 100) and not da.adaptive and da.year == 0 and da.form == "da"
    with pytest.raises(FrozenInstanceError):
        da.year = 2030
    made = blocks(frame_of([{"a": 1, "b": 2}]))
    with pytest.raises(FrozenInstanceError):
        made.codes = made.ranks


# ------------------------------------------------------------------ what is doubtful but kept


@pytest.mark.parametrize(
    ("rows", "expected"),
    [("aabb", 2), ("aaaabb", 3), ("aab", 0), ("aaa", 0), ("ab", 0), ("", 0), ("aaabbb", 0)],
)
def test_a_table_is_given_twice_only_if_each_row_is_there_an_even_number_of_times(rows, expected):
    assert given_twice(pd.DataFrame({"system": list(rows), "worker": None})) == expected


def test_second_votes_are_those_with_sides_swapped_or_another_winner():
    rows = [
        ("j", "q", "A", "B", 1, 2), ("j", "q", "A", "B", 1, 2),  # the same again: not counted
        ("j", "q", "B", "A", 1, 2), ("j", "q", "A", "B", 2, 1),  # swapped; another winner
        ("j", "q", "A", "C", 1, 2), ("j", "r", "A", "B", 1, 2), ("k", "q", "A", "B", 2, 1),
        ("", "q", "A", "B", 1, 2), ("", "q", "A", "B", 2, 1),  # of nobody
        ("j", "q", "B", "C", 1, 2),
    ]  # fmt: skip
    battles = table(rows, "judge question system1 system2 rank1 rank2")
    assert second_votes(battles) == 2
    assert second_votes(battles.iloc[:2]) == 0


def test_second_scores_are_other_scores_of_the_same_output_by_the_same_worker():
    rows = [
        ("w", "h", "A", "1", "SYSTEM", 50), ("w", "h", "A", "1", "SYSTEM", 60),  # the one
        ("w", "h", "A", "1", "SYSTEM", 50),  # said before
        ("w", "i", "A", "1", "SYSTEM", 70), ("v", "h", "A", "1", "SYSTEM", 70),
        ("w", "h", "B", "1", "SYSTEM", 70), ("w", "h", "A", "2", "SYSTEM", 70),
        ("w", "h", "A", "1", "BAD_REF", 7),
    ]  # fmt: skip
    frame = table(rows, "worker hit system segment type score")
    assert second_scores(frame) == 1
    assert second_scores(frame.drop(columns="hit")) == 2  # of the other task, too
    assert second_scores(frame.drop(columns="worker")) == 0


def test_what_is_doubtful_in_a_table_is_told_with_the_number_of_rows():
    rows = [
        ("A", "1", "SYSTEM", 50, "d", "h"), ("A", "1", "SYSTEM", 50, "d", "h"),
        ("A", "2", "REF", 90, "d", "h"), ("A", "2", "BAD_REF", 10, None, "h"),
        ("R", "1", "REF", 90, None, "h"),
    ]  # fmt: skip
    frame = table(rows, "system segment type score document hit")
    reason = "rows of type REF or BAD_REF of systems with other rows (kept, but not ranked)"
    assert repeated(frame) == [
        ("identical rows (kept)", 1), (reason, 2), ("rows that name no document (kept)", 2),
    ]  # fmt: skip
    again = frame.assign(worker="w", score=[50, 51, 90, 10, 90], document=None)
    second = "the same annotator's second score of the same output (kept)"
    assert repeated(again) == [(second, 1), (reason, 2)]  # no document is named anywhere
    assert repeated(frame.iloc[[0]]) == []
    assert repeated(frame.iloc[[0, 3]])[1:] == [("rows that name no document (kept)", 1)]


def test_segments_that_documents_share_are_named_by_document():
    rows = [("A", "1", "d"), ("A", "2", "d"), ("A", "1", "e"), ("A", "1", None)]
    frame = table(rows, "system segment document")
    assert name_segments_by_document(frame)
    assert frame["segment"].tolist() == ["d:1", "d:2", "e:1", ":1"]
    plain = table([("A", "1", "d"), ("B", "1", "d"), ("A", "2", "e")], "system segment document")
    assert not name_segments_by_document(plain)
    assert plain["segment"].tolist() == ["1", "1", "2"]
    assert not name_segments_by_document(plain.drop(columns="document"))


def test_controls_are_left_out_of_scores_of_segments_and_counted():
    rows = [
        ("B", "1", "SYSTEM", 20), ("A", "1", "REPEAT", 40), ("A", "1", "SYSTEM", 60),
        ("A", "1", "REF", 0), ("A", "1", "BAD_REF", 0),
    ]  # fmt: skip
    excluded = pd.DataFrame([("f", "other", 7)], columns=["file", "reason", "rows"])
    made = segment_table(table(rows), excluded)
    assert made[["system", "raw", "n"]].to_numpy().tolist() == [["A", 50, 2], ["B", 20, 1]]
    assert made["z"].tolist() == [0.5, -1.0]  # of 20, 40, 60: a mean of 40 and a deviation of 20
    assert made["document"].isna().all()
    assert made.attrs["excluded"].to_numpy().tolist() == [
        ["f", "other", 7], ["", "references and controls (left out)", 2],
    ]  # fmt: skip
    nothing = pd.DataFrame(columns=["file", "reason", "rows"])
    assert segment_table(table(rows[:3]), nothing).attrs["excluded"].empty
    with pytest.raises(DataError, match="only references and controls"):
        segment_table(table(rows[3:]), nothing)


def test_scores_that_never_vary_are_standardised_to_nought():
    excluded = pd.DataFrame(columns=["file", "reason", "rows"])
    same = segment_table(table([("A", "1", "SYSTEM", 5), ("B", "1", "SYSTEM", 5)]), excluded)
    alone = segment_table(table([("A", "1", "SYSTEM", 5)]), excluded)
    assert same["z"].tolist() == [0, 0] and alone["z"].tolist() == [0]
    answers = segment_table(table([("A", "1", "SYSTEM", 0), ("B", "1", "SYSTEM", 1)]), excluded)
    np.testing.assert_allclose(answers["z"], [-np.sqrt(1 / 2), np.sqrt(1 / 2)])


# ------------------------------------------------------------------ masks of rows


def test_masks_find_rows_by_value_and_never_what_is_missing():
    frame = toy().good
    assert of_type(frame, "REF", "BAD_REF").sum() == 3
    assert counted(frame).sum() == 8
    assert frame.loc[human_or_reference(frame, ["HUMAN.0"]), "score"].tolist() == [90, 96, 20, 88]
    marks = pd.DataFrame({"mark": pd.Categorical(["a", None, "b", "a"])})
    assert rows_with(marks, "mark", ["a"]).tolist() == [True, False, False, True]
    assert not rows_with(marks, "mark", []).any()
    assert rows_with(marks, "mark", ["b", "unheard of"]).tolist() == [False, False, True, False]
    assert unmarked(marks).tolist() == [False, True, False, False]
    assert unmarked(frame).all() and len(unmarked(frame)) == len(frame)


# ------------------------------------------------------------------ the rows that a recipe selects

MARKED = [  # worker, hit, document, type, mark, score
    ("w", "h", "d", "SYSTEM", None, 1), ("w", "h", "d", "BAD_REF", None, 2),
    ("w", "h", "e", "SYSTEM", None, 3), ("v", "h", "d", "SYSTEM", None, 4),
    ("w", "h", "f", "SYSTEM", "duplicate", 5), ("w", "h", "g", "SYSTEM", "superseded", 6),
    ("w", "h", "i", "SYSTEM", "incomplete", 7), ("w", "h", "e", "SYSTEM", "document score", 8),
    ("w", "h", "e", "SYSTEM", "tutorial", 9), ("w", "h", None, "SYSTEM", None, 10),
    ("w", "i", "d", "SYSTEM", None, 11), ("w", "h", "i", "BAD_REF", "incomplete", 12),
    ("w", "h", None, "SYSTEM", "no segment", 13),
]  # fmt: skip


def marked():
    """All rows, and those without a mark as good."""
    frame = table(MARKED, "worker hit document type mark score")
    frame = frame.assign(system="A", segment=[f"s{k}" for k in range(len(frame))])
    return direct_assessment("xx-yy", frame, frame[frame["mark"].isna()])


@pytest.mark.parametrize(
    ("rows", "scores"),
    [
        ("good workers", [1, 2, 3, 4, 10, 11]),
        ("latest complete", [1, 2, 3, 4, 10, 11]),
        ("every repeat", [1, 2, 3, 4, 5, 6, 7, 10, 11, 12]),
        ("no document with a bad item", [3, 4, 5, 6, 10, 11]),
        ("no document with a bad item, document scores too", [3, 4, 5, 6, 8, 10, 11]),
    ],
)
def test_each_selection_of_rows_keeps_the_rows_that_it_names(rows, scores):
    assert rows in ROWS
    selected = select_rows(marked(), rows)
    assert sorted(selected.good["score"]) == scores
    assert len(selected.latest) == len(MARKED)


def test_without_marks_the_good_rows_are_selected_and_blocks_come_before_documents():
    frame = table(MARKED[:4], "worker hit document type mark score").drop(columns="mark")
    frame = frame.assign(system="A", segment=list("1234"))
    whole = direct_assessment("xx-yy", frame, frame.iloc[1:])
    assert select_rows(whole, "every repeat").good["score"].tolist() == [2, 3, 4]
    assert select_rows(whole, ROWS[1]).good["score"].tolist() == [3, 4]
    in_blocks = direct_assessment("xx-yy", frame.assign(block=["1", "1", "1", "1"]))
    assert select_rows(in_blocks, ROWS[1]).good["score"].tolist() == [4]  # v's block is another
    no_hits = direct_assessment("xx-yy", frame.drop(columns="hit"))
    assert select_rows(no_hits, ROWS[1]).good["score"].tolist() == [3, 4]  # v's d has no bad item
    in_none = direct_assessment("xx-yy", frame.assign(document=None))
    assert select_rows(in_none, ROWS[1]).good["score"].tolist() == [1, 2, 3, 4]
    with pytest.raises(DataError, match="unknown selection of rows; found 'all'; expected good"):
        select_rows(whole, "all")


# ------------------------------------------------------------------ rows without a z-score


def lazy():
    """v always gives 70, u is not among the latest rows, t has one score; a control of each."""
    rows = [("w", "A", 10), ("w", "B", 30), ("v", "A", 70), ("v", "B", 70), ("t", "A", 5)]
    rows = [(worker, system, "1", "SYSTEM", score) for worker, system, score in rows]
    strange = [("u", "A", "1", "SYSTEM", 1), ("u", "B", "2", "REF", 2), ("v", "A", "2", "REF", 70)]
    columns = "worker system segment type score"
    return direct_assessment("xx-yy", table(rows, columns), table(rows + strange, columns))


def test_why_a_row_has_no_z_score_is_told_of_the_rows_that_count():
    unknown, never = "worker without rows in ad-latest", "worker whose scores never vary"
    assert unstandardised(lazy()).tolist() == ["", "", never, never, never, unknown, "", ""]
    latest = lazy().latest.assign(mark=["x", None, None, None, None])
    now = unstandardised(replace(lazy(), latest=latest))
    assert now.tolist()[:2] == [never, never]  # a marked row does not count for w


@pytest.mark.parametrize(("rule", "said"), [("drop", "no z"), ("zero", "z is 0")])
def test_rows_without_a_z_score_are_counted_by_the_rule(rule, said):
    excluded = pd.DataFrame([("ad-good", "other", 7)], columns=["file", "reason", "rows"])
    da = noted(replace(lazy(), excluded=excluded), rule)
    assert da.zero_variance == rule
    assert da.excluded.to_numpy().tolist() == [
        ["ad-good", "other", 7],
        ["ad-good", "worker without rows in ad-latest (no z)", 1],
        ["ad-good", f"worker whose scores never vary ({said})", 3],
    ]
    assert da.excluded.index.tolist() == [0, 1, 2]


def test_segments_that_are_all_of_one_system_are_noted_and_nothing_is_if_all_is_well():
    rows = [
        ("w", "A", "1", "SYSTEM", 1),
        ("w", "A", "1", "REPEAT", 2),
        ("w", "B", "2", "SYSTEM", 3),
    ]
    columns = "worker system segment type score"
    noticed = noted(direct_assessment("xx-yy", table(rows, columns)), "drop").excluded
    reason = "(kept: no segment was judged of two systems, so that no test can pair them)"
    assert noticed.to_numpy().tolist() == [["", reason, 2]]  # the repeat is of the same output
    both = [*rows, ("w", "B", "1", "SYSTEM", 4)]
    assert noted(direct_assessment("xx-yy", table(both, columns)), "drop").excluded.empty
    control = [*rows, ("w", "B", "1", "REF", 4)]
    assert len(noted(direct_assessment("xx-yy", table(control, columns)), "drop").excluded) == 1
    assert noted(direct_assessment("xx-yy", table(rows[:2], columns)), "drop").excluded.empty


# ------------------------------------------------------------------ who judged, who is judged


def test_models_among_annotators_are_known_by_their_full_names():
    models = ["GPT-4", "gpt4o", "a claude-3", "claude sonnet", "gemini_pro", "GEMBA-MQM", "xcomet",
              "deepseek-r1", "qwen2", "mistral-large", "metricx", "bleurt"]  # fmt: skip
    people = ["Claude", "Gemini", "mistral", "acomet", "llama", "gpt", "egpt-4", "gpt-0"]
    assert models_among([*people, *models]) == sorted(models)


def test_patterns_fit_whole_names_and_names_with_brackets_fit_themselves():
    assert fits("gemba-1", ["x", "gemba*"]) and fits("a[1]", ["a[1]"])
    assert not fits("gemba-1", ["gemba"]) and not fits("gemba", ["GEMBA"])
    assert not fits("x", [])


def test_declared_humans_take_the_place_of_names():
    da = replace(toy(), humans=("B",))
    assert human_systems(da) == ("A+B", "B")
    assert human_systems(replace(da, humans=())) == ()
    assert human_systems(replace(da, humans=("C",))) == ()


def test_references_and_systems_without_a_name_are_not_ranked():
    rows = [("A", "1", "SYSTEM", 1), ("Z", "1", "REF", 2), ("B", "1", "REPEAT", 3)]
    da = direct_assessment("xx-yy", table(rows), table([*rows, ("C", "1", "REF", 4)]))
    assert ranked_systems(da) == ("A", "B")
    nameless = direct_assessment("xx-yy", table([(None, "1", "SYSTEM", 1), (None, "1", "REF", 1)]))
    assert ranked_systems(nameless) == ()


# ------------------------------------------------------------------ battles and blocks


def test_each_battle_is_a_block_of_two_rows_left_and_right():
    rows = [("B", "A", "j", "q2", "", 1, 2), ("A", "C", "", "q1", "", 2, 1),
            ("B", "A", "k", "q2", "", 1, 1)]  # fmt: skip
    battles = table(rows, "system1 system2 judge question domain rank1 rank2")
    frame = battle_frame(battles, "xx-yy")
    assert list(frame) == list(BLOCK_COLUMNS)
    assert frame["block"].tolist() == [0, 0, 1, 1, 2, 2]
    assert frame["system"].tolist() == ["B", "A", "A", "C", "B", "A"]
    assert frame["system"].cat.categories.tolist() == ["A", "B", "C"]
    assert frame["rank"].tolist() == [1, 2, 2, 1, 1, 1] and frame["ranked"].all()
    assert frame["judge"].tolist() == ["j", "j", "", "", "k", "k"]
    assert frame["segment"].tolist() == [1, 1, 2, 2, 1, 1]  # questions in order of appearance
    assert frame["position"].tolist() == [1, 2] * 3
    for name, value in {"task": "xx-yy", "pair": "xx-yy", "track": "", "document": ""}.items():
        assert frame[name].tolist() == [value] * 6
    turned = battle_frame(battles.assign(system1=list("BCB"), system2=list("ABA")), "xx-yy")
    assert turned["system"].cat.categories.tolist() == ["A", "B", "C"]
    named = battle_frame(battles.assign(domain=["chat", "", "code"]), "xx-yy")
    assert named["domain"].tolist() == ["chat", "chat", "", "", "code", "code"]


def test_blocks_are_arrays_in_order_of_number_with_blanks_and_gaps_as_minus_one():
    frame = frame_of([{"b": 2, "a": 1, "c": -1}, {"c": 1, "b": 1}])
    frame["block"] = frame["block"].map({0: 9, 1: 4})
    made = blocks(frame)
    assert made.systems == ("a", "b", "c") and made.block.tolist() == [4, 9]
    assert made.codes.tolist() == [[2, 1, -1], [1, 0, 2]]
    assert made.ranks.tolist() == [[1, 1, -1], [2, 1, -1]]
    assert made.ranked.tolist() == [[True, True, False], [True, True, False]]
    assert made.judge.tolist() == ["judge1", "judge0"] and made.segment.tolist() == [1, 1]
    twice = made.take(np.array([1, 1]))
    assert twice.block.tolist() == [9, 9] and twice.codes.tolist() == [[1, 0, 2]] * 2
    assert twice.ranks.tolist() == [[2, 1, -1]] * 2 and twice.judge.tolist() == ["judge0"] * 2
    assert made.take(np.array([True, False])).segment.tolist() == [1]


def test_each_block_has_the_judge_and_the_segment_of_its_own_rows():
    frame = frame_of([{"a": 1, "b": 2}, {"a": 2, "b": 1}, {"a": 1, "b": 1}])
    made = blocks(frame)
    assert made.judge.tolist() == ["judge0", "judge1", "judge2"]
    assert made.segment.tolist() == [1, 1, 2]
    changed = frame.assign(judge=["x", "y", *frame["judge"][2:]])
    assert blocks(changed).judge[0] == "x"  # of the first row


def test_blocks_need_rows_of_one_task():
    frame = frame_of([{"a": 1, "b": 2}])
    with pytest.raises(DataError, match="no blocks; expected the rows of one task"):
        blocks(frame.iloc[:0])
    with pytest.raises(DataError, match=r"more than one task; found \['cs-en', 'en-cs'\]"):
        blocks(pd.concat([frame, frame.assign(task="en-cs")]))


def test_what_says_that_models_were_hidden():
    shown = [word for word, hidden in HIDDEN.items() if not hidden]
    assert sorted(shown) == ["0", "f", "false", "n", "no"]
    assert {HIDDEN[word] for word in ("true", "t", "yes", "y", "1", "", "nan")} == {True}
