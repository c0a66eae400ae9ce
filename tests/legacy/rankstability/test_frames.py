"""What a file gets, a frame gets: the same judgments, the same counts, the same refusals."""

import numpy as np
import pandas as pd
import pytest

import companion.legacy.rankstability as rs


def ratings(n=12, **more):
    rng = np.random.default_rng(5)
    rows = [(s, k, f"d{k // 4}", f"w{k % 3}") for s in "ABC" for k in range(n)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "document", "annotator"])
    return frame.assign(score=rng.integers(20, 90, len(frame)), **more)


def of_file(frame, folder, name="table.csv"):
    frame.to_csv(folder / name, index=False)
    return rs.load(folder / name)


def same(ours, theirs):
    if isinstance(theirs, pd.DataFrame):
        pd.testing.assert_frame_equal(ours, theirs)
        for name in ("adaptive", "humans", "items"):
            assert ours.attrs[name] == theirs.attrs[name]
        ours, theirs = ours.attrs["excluded"], theirs.attrs["excluded"]
        assert list(ours["reason"]) == list(theirs["reason"])
        assert list(ours["rows"]) == list(theirs["rows"])
        return
    pd.testing.assert_frame_equal(ours.latest, theirs.latest)
    pd.testing.assert_frame_equal(ours.good, theirs.good)
    assert ours.humans == theirs.humans and ours.adaptive == theirs.adaptive
    assert ours.scale == theirs.scale and ours.zero_variance == theirs.zero_variance
    pd.testing.assert_frame_equal(ours.excluded[["reason", "rows"]],
                                  theirs.excluded[["reason", "rows"]])  # fmt: skip


FRAMES = {
    "plain": ratings(),
    "without documents": ratings().drop(columns="document"),
    "without annotators": ratings().drop(columns="annotator"),
    "a leaderboard": ratings().drop(columns=["annotator", "document"]),
    "domains": ratings(domain="news"),
    "some domains missing": ratings().assign(domain=[None, "news"] * 18),
    "types": ratings().assign(type=["SYSTEM", "TGT", "REPEAT"] * 12),
    "references": ratings().assign(type=["REF"] * 12 + ["SYSTEM"] * 24),
    "released with references": ratings().drop(columns="annotator").assign(
        type=["REF"] * 12 + ["SYSTEM"] * 24),
    "rows twice": pd.concat([ratings(), ratings().head(3)], ignore_index=True),
    "a second score": pd.concat([ratings(), ratings().head(3).assign(score=50)]),
    "scores missing": ratings().assign(score=[np.nan] * 2 + [40.0, 50.0] * 17),
    "one to five": ratings().assign(score=[1, 2, 3, 4, 5, 3] * 6),
    "right and wrong": ratings().assign(score=[1, 0, 1] * 12),
    "penalties": ratings().assign(score=[0.0, -1.5, -5.0, -0.1] * 9),
    "an annotator who never varies": ratings().assign(score=[50, 61, 72] * 12),
    "segments numbered by document": ratings().assign(segment=[0, 1, 2, 3] * 9),
    "numbers as names": ratings().assign(annotator=[3, 4, 5] * 12),
    "blanks": ratings().assign(system=[" A", "B ", "C"] * 12),
    "times": ratings().assign(time=range(36)),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_gives_what_its_file_gives(name, tmp_path):
    frame = FRAMES[name]
    same(rs.judgments(frame), of_file(frame, tmp_path))


def test_columns_of_any_name_are_taken_when_they_are_told():
    frame = ratings()
    other = frame.rename(columns={"system": "a", "segment": "b", "score": "c", "annotator": "d",
                                  "document": "e"})  # fmt: skip
    told = rs.judgments(other, system="a", segment="b", score="c", annotator="d", document="e")
    same(told, rs.judgments(frame))


def test_true_and_false_are_right_and_wrong():
    frame = ratings()
    right = rs.judgments(frame.assign(score=frame["score"] > 50))
    same(right, rs.judgments(frame.assign(score=(frame["score"] > 50).astype(int))))


def test_whole_numbers_name_the_same_annotator_with_or_without_a_point():
    told = rs.judgments(ratings().assign(annotator=np.array([3.0, 4.0, 5.0] * 12)))
    assert sorted(told.good["worker"].unique()) == ["3", "4", "5"]


def test_the_frame_of_the_user_is_left_as_it_was():
    frame = ratings().assign(system=" A")
    before = frame.copy(deep=True)
    rs.judgments(frame.assign(system=[" A", "B", "C"] * 12))
    rs.judgments(frame, scale=(0, 100))
    pd.testing.assert_frame_equal(frame, before)


def wrong(column, value, row=7):
    frame = ratings().astype({column: object})
    frame.at[row, column] = value
    return frame


BROKEN = {  # what is broken: the frame, and what is said beyond the place
    "a word as a score": (wrong("score", "good"), "column 'score': not a number; found 'good'"),
    "an infinite score": (wrong("score", np.inf), "column 'score': not a number; found 'inf'"),
    "a stray score": (wrong("score", 170), "column 'score': score out of scale; found '170'"),
    "an empty system": (wrong("system", ""), "column 'system': empty id; found ''"),
    "no annotator": (wrong("annotator", None), "column 'annotator': empty id; found ''"),
    "a list as a segment": (wrong("segment", [1, 2]), "column 'segment': not a single value"),
    "a line break": (wrong("system", "A\nB"), "column 'system': a line break"),
    "a truth": (wrong("segment", True), "column 'segment': true or false, perhaps made of an id"),
    "an unknown type": (ratings(type=["SYSTEM"] * 7 + ["ODD"] + ["SYSTEM"] * 28),
                        "column 'type': unknown type"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_cell_is_named_with_row_column_and_value(name):
    frame, said = BROKEN[name]
    labelled = frame.set_axis([f"row{k}" for k in range(len(frame))])
    with pytest.raises(rs.DataError) as raised:
        rs.judgments(labelled)
    assert str(raised.value).startswith(f"row row7, {said}")
    assert raised.value.row == "row7" and raised.value.column and raised.value.expected


@pytest.mark.parametrize("name", [n for n in BROKEN if n not in ("a list as a segment",)])
def test_the_problem_of_a_cell_is_that_of_a_file(name, tmp_path):
    frame, _ = BROKEN[name]
    with pytest.raises(rs.DataError) as ours:
        rs.judgments(frame)
    with pytest.raises(rs.DataError) as theirs:
        of_file(frame, tmp_path)
    if "line break" not in name:  # in a file it ends the row
        assert ours.value.problem == theirs.value.problem
        assert ours.value.column == theirs.value.column


REFUSED = {
    "not a frame": ([1, 2], {}, "not a frame; found 'list'"),
    "a path": ("ratings.csv", {}, "`load` takes files"),
    "no rows": (ratings().head(0), {}, "a frame without rows"),
    "no scores": (ratings().assign(score=None), {}, "column 'score': no row has a score"),
    "no system": (ratings().drop(columns="system"), {}, "no column for system"),
    "no such column": (ratings(), {"system": "modle"}, "no such column for system; found 'modle'"),
    "two may be it": (ratings().assign(rating=1).drop(columns="score").assign(rawscore=2), {},
                      'several columns may be the score; found \'rating, rawscore\'; '
                      'expected judgments(..., score="rating")'),
    "a column twice": (pd.concat([ratings(), ratings()[["score"]]], axis=1), {}, "appears twice"),
    "no such argument": (ratings(), {"annotater": "x"}, "did you mean annotator?"),
    "several pairs": (ratings().assign(pair=["cs-en", "de-en"] * 18), {}, "several language pairs"),
    "no scale": (ratings(), {"scale": (5, 1)}, "not a scale"),
    "a scale in words": (ratings(), {"scale": "1-5"}, "not a scale; found '1-5'"),
    "one column for two": (ratings(), {"system": "system", "segment": "system"},
                           "one column given for several of ours; found 'system'"),
    "off the scale told": (ratings(), {"scale": (0, 30)}, "out of range"),
    "humans that are not there": (ratings(), {"humans": ["D"]}, "`humans` names no system"),
    "only references": (ratings(type="REF").drop(columns="annotator"), {}, "only references"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_frame_that_cannot_be_judgments_is_refused(name):
    frame, told, said = REFUSED[name]
    with pytest.raises(rs.DataError) as raised:
        rs.judgments(frame, **told)
    assert said in str(raised.value)


def fought(n=40):
    rng = np.random.default_rng(2)
    rows = [rng.choice(list("ABCD"), 2, replace=False) for _ in range(n)]
    winners = rng.choice(["model_a", "model_b", "tie", "tie (bothbad)"], n)
    frame = pd.DataFrame(rows, columns=["model_a", "model_b"])
    return frame.assign(winner=winners, judge=[f"j{k % 5}" for k in range(n)])


def battles_of_file(frame, folder):
    frame.to_json(folder / "arena.jsonl", orient="records", lines=True)
    return rs.load(folder / "arena.jsonl")


BATTLES = {
    "plain": fought(),
    "without judges": fought().drop(columns="judge"),
    "some judges missing": fought().assign(judge=[None, "x"] * 20),
    "categories": fought().assign(category=["maths", ""] * 20),
    "questions": fought().assign(question_id=[f"q{k // 3}" for k in range(40)]),
}


@pytest.mark.parametrize("name", BATTLES)
def test_battles_of_a_frame_are_those_of_its_file(name, tmp_path):
    ours, theirs = rs.battles(BATTLES[name]), battles_of_file(BATTLES[name], tmp_path)
    pd.testing.assert_frame_equal(ours, theirs)
    assert ours.attrs["excluded"] == theirs.attrs["excluded"]


def test_the_winner_may_be_named_by_side_column_or_system():
    frame = fought()
    frame["winner"] = frame["winner"].replace("tie (bothbad)", "tie")
    sides = frame.replace({"winner": {"model_a": "left", "model_b": "right"}})
    named = frame.assign(winner=np.select(
        [frame["winner"] == "model_a", frame["winner"] == "model_b"],
        [frame["model_a"], frame["model_b"]], "tie"))  # fmt: skip
    for other in (sides, named):
        pd.testing.assert_frame_equal(rs.battles(other), rs.battles(frame))


def test_the_words_of_arenas_name_the_winner_whatever_the_columns_are_called():
    frame = fought()
    other = frame.rename(columns={"model_a": "one", "model_b": "two"})
    pd.testing.assert_frame_equal(rs.battles(other, left="one", right="two"), rs.battles(frame))
    # unless they are names of systems
    rows = [("model_b", "model_a", "model_a"), ("model_a", "model_b", "tie")]
    called = pd.DataFrame(rows, columns=["left", "right", "winner"])
    counts = rs.pair_counts(rs.battles(called, left="left", right="right"))
    assert counts.systems == ("model_a", "model_b") and counts.wins.tolist() == [[0, 1], [0, 0]]
    # and unless they are the columns of the other side
    crossed = frame.assign(winner=frame["winner"].replace("tie (bothbad)", "tie"))
    turned = rs.battles(crossed, left="model_b", right="model_a")
    assert rs.pair_counts(turned).wins.tolist() == rs.pair_counts(rs.battles(crossed)).wins.tolist()


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("winner", "nobody", "row 3, column 'winner': unknown winner; found 'nobody'"),
        ("winner", None, "row 3, column 'winner': unknown winner; found ''"),
        ("model_a", "", "row 3, column 'model_a': empty id"),
        ("model_b", "same", "row 3, column 'model_b': a system against itself; found 'A'"),
    ],
)  # fmt: skip
def test_a_wrong_battle_is_named(column, value, said):
    frame = fought()
    frame.loc[3, "model_a"] = "A"
    frame.loc[3, column] = "A" if value == "same" else value
    with pytest.raises(rs.DataError) as raised:
        rs.battles(frame)
    assert str(raised.value).startswith(said)


def test_battles_without_their_columns_are_refused():
    with pytest.raises(rs.DataError, match="no such column for left"):
        rs.battles(fought(), left="left")
    with pytest.raises(rs.DataError, match="a frame without rows"):
        rs.battles(fought().head(0))


def test_columns_that_are_named_by_numbers_are_taken():
    numbered = ratings().set_axis(range(5), axis=1)
    told = rs.judgments(numbered, system=0, segment=1, document=2, annotator=3, score=4)
    same(told, rs.judgments(ratings()))
    with pytest.raises(rs.DataError, match="appears twice; found '1'"):
        rs.judgments(ratings().set_axis([1, "1", 2, 3, 4], axis=1))


def test_one_name_of_a_human_is_taken_for_a_list_of_one():
    frame = ratings().replace({"system": {"A": "Aspen"}})
    same(rs.judgments(frame, humans="Aspen"), rs.judgments(frame, humans=["Aspen"]))


def test_importing_the_module_of_a_name_does_not_hide_the_function():
    import companion.legacy.rankstability.judgments  # noqa: F401

    assert callable(rs.judgments) and rs.judgments(ratings()).good["system"].nunique() == 3


def test_judge_models_are_left_out_or_refused():
    frame = pd.DataFrame({
        "system": ["A", "B"] * 4, "segment": [1, 1, 2, 2] * 2,
        "score": [5, 3, 4, 4, -9, -8, -7, -6],
        "annotator": ["x"] * 4 + ["gpt-4"] * 4,
    })  # fmt: skip
    with pytest.raises(
        rs.DataError, match=r"name of a model; found 'gpt-4'; expected judges=\['gpt"
    ):
        rs.judgments(frame)
    people = rs.judgments(frame, judges=["gpt-4"])
    pd.testing.assert_frame_equal(people.good, rs.judgments(frame[:4]).good)
    with pytest.raises(rs.DataError, match="no such judge; found 'gemba'"):
        rs.judgments(frame, judges=["gemba"])
    with pytest.raises(rs.DataError, match="only judges"):
        rs.judgments(frame, judges=["gpt-4", "x"])


def test_a_column_named_by_a_number_is_found():
    frame = pd.DataFrame({"system": ["A", "B"], "segment": [1, 1], 5: [60, 70]})
    assert rs.judgments(frame, score=5)["raw"].tolist() == [60, 70]


@pytest.mark.parametrize("scale", [(0, 50, 100), "0-100", 5, ("a", "b"), (0,), (100, 0)])
def test_what_is_no_scale_is_refused(scale):
    frame = pd.DataFrame({"system": ["A", "B"], "segment": [1, 1], "score": [60, 70]})
    with pytest.raises(rs.DataError, match="not a scale"):
        rs.judgments(frame, scale=scale)


def test_battles_of_a_model_are_not_pooled_with_peoples():
    frame = pd.DataFrame({"model_a": list("ABA"), "model_b": list("BCC"), "winner": ["tie"] * 3})
    frame["judge"] = ["x", "y ", "gpt-4"]
    with pytest.raises(rs.DataError, match=r"name of a model; found 'gpt-4'.*judges=\['gpt-4'\]"):
        rs.battles(frame)
    assert len(rs.battles(frame, judges=["gpt*"])) == 4
    assert len(rs.battles(frame, judges=[])) == 6
    with pytest.raises(rs.DataError, match=r"no such judge.*of annotators, who are not named"):
        rs.battles(frame.drop(columns="judge"), judges=["gpt-4"])


def test_judges_of_a_frame_are_names_or_patterns_and_none_is_left_among_people():
    who = ["anna", "ben", "GPT-4 ", "gemba-mqm"]
    frame = pd.DataFrame({"system": ["A", "B"] * 4, "segment": ["1"] * 8, "score": range(8)})
    frame["annotator"] = np.repeat(who, 2)
    for judges in (["GPT-4", "gemba*"], ["G*", "g*"]):
        assert len(rs.judgments(frame, judges=judges).good) == 4
    assert len(rs.judgments(frame[frame["annotator"] != "gemba-mqm"], judges="GPT-4").good) == 4
    with pytest.raises(rs.DataError, match=r"found 'gemba-mqm'.*judges=\['GPT-4', 'gemba-mqm'\]"):
        rs.judgments(frame, judges=["GPT-4"])
    with pytest.raises(rs.DataError, match="only judges"):
        rs.judgments(frame[4:], judges=["GPT-4", "gemba*"])


def test_decimal_commas_of_a_frame_are_refused_with_the_way_to_read_them():
    frame = pd.DataFrame({"system": ["a", "b"], "segment": [1, 1], "score": ["4,5", "3,5"]})
    said = r"found '4,5'; expected a number, .*; pandas.read_csv\(..., decimal=','\) reads decimal"
    with pytest.raises(rs.DataError, match=said):
        rs.judgments(frame)


# ------------------------------------------------------------------ what is told of a frame


def notes(judged):
    """What was left out or is doubtful: rows by reason."""
    excluded = judged.attrs["excluded"] if isinstance(judged, pd.DataFrame) else judged.excluded
    if isinstance(excluded, dict):
        return excluded
    return dict(zip(excluded["reason"], excluded["rows"], strict=True))


SMALL = pd.DataFrame({
    "system": ["A", "B", "A", "B"], "segment": ["1", "1", "2", "2"], "score": [1, 2, 3, 5],
    "annotator": ["x", "x", "x", "y"],
})  # fmt: skip


def test_what_was_left_out_and_changed_is_counted_and_nothing_else():
    assert notes(rs.judgments(SMALL)) == {
        "(kept: scale 1 to 5, from the data)": 4, "worker whose scores never vary (no z)": 1,
    }  # fmt: skip
    frame = pd.concat([SMALL, SMALL[:1]], ignore_index=True)
    frame["score"] = [1, 2, 3, None, 1]
    frame["system"] = [" A", "B", "A\u200b", "B", " A"]
    told = notes(rs.judgments(frame, scale=(0, 6)))
    assert told == {
        "(kept: blanks around names taken away)": 2,
        "(kept: names as they are seen, without invisible characters)": 1,
        "no score (left out)": 1,
        "identical rows (kept)": 1,
        "(kept: scale 0 to 6, from scale=)": 4,
    }


def test_a_frame_of_scores_that_are_all_missing_numbers_is_on_no_scale():
    with pytest.raises(rs.DataError, match="row 0, column 'score': not a number; found 'x'"):
        rs.judgments(SMALL.assign(score="x"))
    told = rs.judgments(SMALL, scale=(1, np.float64(5.5)))
    assert told.scale == (1, 5.5) and isinstance(told.scale[1], float)
    with pytest.raises(rs.DataError, match="not a scale"):
        rs.judgments(SMALL, scale=(5, 5))
    with pytest.raises(rs.DataError, match="a number, 0 to 4"):
        rs.judgments(SMALL, scale=(0, 4))
    assert len(rs.judgments(SMALL, scale=(1, 5)).good) == 4


def test_rows_may_have_any_labels():
    labels = [
        pd.Index([7, 7, 8, 8], name="segment"),
        pd.MultiIndex.from_product([["u", "v"], [1, 2]], names=["system", "score"]),
    ]
    for index in labels:
        frame = SMALL.set_axis(index)
        pd.testing.assert_frame_equal(rs.judgments(frame).good, rs.judgments(SMALL).good)
        wrong = frame.assign(score=[1, 2, 3, "x"])
        with pytest.raises(rs.DataError) as caught:
            rs.judgments(wrong)
        assert caught.value.row == index[3]
    fights = pd.DataFrame({"model_a": list("ABAC"), "model_b": list("BABA"), "winner": "tie"})
    index = pd.Index([7, 7, 8, 8], name="winner")
    pd.testing.assert_frame_equal(rs.battles(fights.set_axis(index)), rs.battles(fights))
    with pytest.raises(rs.DataError) as caught:
        rs.battles(fights.assign(winner=["tie", "tie", "nobody", "tie"]).set_axis(index))
    assert caught.value.row == 8


def test_what_the_frame_says_of_itself_is_kept():
    made = rs.judgments(SMALL, adaptive=True, humans="B")
    assert (made.pair, made.form, made.adaptive, made.humans) == ("xx-yy", "long", True, ("B",))
    assert made.zero_variance == "drop" and made.file == ""
    assert rs.judgments(SMALL).humans == () and not rs.judgments(SMALL).adaptive
    table = rs.judgments(SMALL.drop(columns="annotator"), adaptive=True, humans=["A"])
    assert table.attrs["adaptive"] is True and table.attrs["humans"] == ("A",)
    assert table.attrs["items"] is True
    for column in ("document", "hit"):
        named = rs.judgments(
            SMALL.drop(columns="annotator").assign(**{column: ["c", "c", "d", "d"]})
        )
        assert named.attrs["items"] is False
    assert rs.judgments(SMALL.assign(lp="cs-en")).pair == "cs-en"
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(SMALL.assign(lp=["a-b", "c-d", "a-b", "e-f"]))
    assert (caught.value.column, caught.value.value) == ("lp", "a-b, c-d, e-f")
    with pytest.raises(rs.DataError, match="found 'a, b, c, d, e'; expected the rows of one pair"):
        rs.judgments(pd.concat([SMALL, SMALL]).assign(pair=list("abcdefgh")))


def test_humans_that_are_not_there_are_refused_with_a_hint():
    frame = SMALL.replace({"system": {"A": "Aspen"}})
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(frame, humans=["B", "Aspem"])
    assert caught.value.problem == "`humans` names no system of the frame (did you mean Aspen?)"
    assert (caught.value.value, caught.value.expected) == ("Aspem", "of Aspen, B")
    many = pd.DataFrame({"system": [f"system {k:03}" for k in range(50)], "segment": 1, "score": 1})
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(many, humans=["Z"])
    assert len(caught.value.expected) == len("of ") + 200
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(many.assign(annotator=many["system"]), judges=["Z"])
    assert len(caught.value.expected) == len("of ") + 200


def test_types_of_other_formats_are_those_of_ours_and_none_is_that_of_a_system():
    types = ["tgt", "", "Bad", "ref"]
    made = rs.judgments(SMALL.assign(type=types))
    assert made.good["type"].tolist() == ["SYSTEM", "SYSTEM", "BAD_REF", "REF"]
    assert rs.judgments(SMALL).good["type"].tolist() == ["SYSTEM"] * 4


def test_missing_documents_are_none_and_times_are_numbers():
    more = {"doc": ["d", "NA", " none ", "d"], "hit": ["h", None, "h", "n/a"]}
    made = rs.judgments(SMALL.assign(**more, seconds=["1.5", "x", None, 2]))
    assert made.good["document"].isna().tolist() == [False, True, True, False]
    assert made.good["hit"].isna().tolist() == [False, True, False, True]
    np.testing.assert_array_equal(made.good["time"], [1.5, np.nan, np.nan, 2])
    assert notes(made)["rows that name no document (kept)"] == 2


def test_segments_numbered_within_documents_are_told():
    made = rs.judgments(SMALL.assign(segment="1", document=["d", "d", "e", "e"]))
    assert made.good["segment"].tolist() == ["d:1", "d:1", "e:1", "e:1"]
    reason = "(kept: segments, numbered within documents, are named document:segment)"
    assert notes(made)[reason] == 4


def test_errors_name_the_columns_of_the_frame():
    frame = SMALL.rename(columns={"annotator": "user", "system": "engine", "score": "stars"})
    frame = frame.set_axis(list("abcd"))
    for change, place in {
        ("user", ("x", "x", "\u0445", "y")): "row c, column 'user': a name that looks the same",
        ("engine", ("A", "B", "\u0410", "B")): "row c, column 'engine': a name that looks",
        ("stars", (0.5, 0.25, 7, 80)): "row a, column 'stars': scores on two scales",
        ("stars", (1, "?", 3, 5)): "row b, column 'stars': not a number; found '?'",
    }.items():
        with pytest.raises(rs.DataError) as caught:
            rs.judgments(frame.assign(**{change[0]: change[1]}), score="stars")
        assert str(caught.value).startswith(place)


def test_columns_that_are_not_known_are_refused_with_those_that_are():
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(SMALL.rename(columns={"score": "points"}))
    error = caught.value
    assert (error.problem, error.value) == (
        "no column for score",
        "system, segment, points, annotator",
    )
    assert error.expected == 'judgments(..., score="...")'
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(SMALL, system="system", document="system")
    assert (caught.value.column, caught.value.value) == ("system", "system")
    with pytest.raises(rs.DataError, match="a frame without rows; found 'system, segment'"):
        rs.judgments(pd.DataFrame(columns=["system", "segment"]))
    with pytest.raises(rs.DataError, match="a frame without rows; found 'no columns'"):
        rs.judgments(pd.DataFrame())


def test_judges_that_are_not_there_are_refused_in_the_column_of_annotators():
    frame = SMALL.rename(columns={"annotator": "user"})
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(frame, judges=["z"])
    error = caught.value
    assert (error.problem, error.column, error.value) == ("no such judge", "user", "z")
    assert error.expected == "of x, y"
    with pytest.raises(rs.DataError) as caught:
        rs.judgments(SMALL.drop(columns="annotator"), judges=["x"])
    assert caught.value.column == "annotator"
    assert rs.judgments(frame, judges=["x"]).good["worker"].tolist() == ["y"]
    one = frame.assign(user=["gemba-1", "x", "x", "y"])
    assert len(rs.judgments(one, judges=()).good) == 4


# ------------------------------------------------------------------ what is told of battles

FOUGHT = pd.DataFrame({
    "model_a": ["A", "B", "A", "B"], "model_b": ["B", "C", "B", "A"],
    "winner": ["model_a", "tie", "both_bad", "B"], "judge": ["x", "", "x", "x"],
    "question_id": ["q", "q", "r", "q"],
})  # fmt: skip


def test_battles_are_blocks_of_ranks_and_what_is_doubtful_is_counted():
    made = rs.battles(FOUGHT)
    assert made["rank"].tolist() == [1, 2, 1, 1, 1, 1, 1, 2]
    assert made["segment"].tolist() == [1, 1, 1, 1, 2, 2, 1, 1]
    assert notes(made) == {
        "(kept as ties: both bad)": 1,
        "(kept: no judge is named)": 1,
        "the same judge's second vote on a question and two systems (kept)": 1,
    }
    arena = FOUGHT.replace({"winner": {"tie": "tie (bothbad)"}})
    assert notes(rs.battles(arena))["(kept as ties: both bad)"] == 2
    again = pd.concat([FOUGHT, FOUGHT[:1]], ignore_index=True)
    assert notes(rs.battles(again))["identical rows (kept)"] == 1
    assert "domain" not in made and set(made["pair"]) == {"xx-yy"}


def test_battles_without_questions_are_doubled_only_if_all_are():
    plain = FOUGHT.drop(columns="question_id")
    assert rs.battles(plain)["segment"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert "identical rows (kept)" not in notes(rs.battles(pd.concat([plain, plain[:1]])))
    assert notes(rs.battles(pd.concat([plain, plain])))["identical rows (kept)"] == 4


def test_battles_of_models_that_the_judge_knew_are_left_out_and_counted():
    made = rs.battles(FOUGHT.assign(anony=["yes", "False", None, 0]))
    assert made["system"].tolist() == ["A", "B", "A", "B"]
    assert notes(made)["battles of known models (left out)"] == 2
    with pytest.raises(rs.DataError) as caught:
        rs.battles(FOUGHT.assign(anony=["yes", "no", "perhaps", "no"]).set_axis(list("abcd")))
    assert (caught.value.row, caught.value.column, caught.value.value) == ("c", "anony", "perhaps")
    with pytest.raises(rs.DataError, match="no battles that count; found 'false in all rows'"):
        rs.battles(FOUGHT.assign(anony=False))


def test_columns_of_battles_are_taken_as_they_are_told():
    other = FOUGHT.rename(columns={"judge": "who", "question_id": "item"})
    told = rs.battles(other.assign(topic=["t", "NA", "", "u"]), judge="who", question="item",
                      domain="topic")  # fmt: skip
    assert told["domain"].tolist() == ["t", "t", "", "", "", "", "u", "u"]
    assert told["judge"].tolist() == ["x", "x", "", "", "x", "x", "x", "x"]
    pd.testing.assert_frame_equal(told.drop(columns="domain"), rs.battles(FOUGHT))
    assert rs.battles(other)["judge"].tolist() == [""] * 8
    with pytest.raises(rs.DataError) as caught:
        rs.battles(FOUGHT, right="model_c")
    assert caught.value.problem.startswith("no such column for right (did you mean model_")
    assert caught.value.expected == ", ".join(FOUGHT)
    with pytest.raises(rs.DataError, match="no such column for domain; found 'topic'"):
        rs.battles(FOUGHT, domain="topic")


def test_a_winner_that_is_none_or_both_is_refused_with_what_may_stand_there():
    with pytest.raises(rs.DataError) as caught:
        rs.battles(FOUGHT.assign(winner=["A", "B", "C", "D"]).set_axis(list("abcd")))
    error = caught.value
    assert (error.row, error.column, error.value) == ("c", "winner", "C")
    assert error.expected == (
        "model_a, model_b, one of the two systems, or tie, tie (bothbad), both_bad"
    )
    rows = pd.DataFrame({"model_a": ["tie"], "model_b": ["A"], "winner": ["tie"]})
    with pytest.raises(rs.DataError, match="unknown winner; found 'tie'"):
        rs.battles(rows)


def test_names_that_look_alike_on_either_side_of_battles_are_refused():
    frame = FOUGHT.set_axis(list("abcd"))
    with pytest.raises(rs.DataError, match="row c, column 'system': a name that looks the same"):
        rs.battles(frame.assign(model_b=["B", "C", "\u0412", "A"]))
    with pytest.raises(rs.DataError, match="row c, column 'judge': a name that looks the same"):
        rs.battles(frame.assign(judge=["x", "", "\u0445", "x"]))


def test_users_who_voted_are_judges_in_a_frame_and_in_its_file(tmp_path):
    """A column `user` beside battles says who judged, as it does beside scores."""
    frame = pd.DataFrame({"model_a": list("abab"), "model_b": list("baba"), "winner": "model_a"})
    frame["user"] = ["u1", "u2", "u1", "u3"]
    ours, theirs = rs.battles(frame), of_file(frame, tmp_path)
    assert ours["judge"].astype(str).tolist() == theirs["judge"].astype(str).tolist()
    assert sorted(set(ours["judge"].astype(str))) == ["u1", "u2", "u3"]
