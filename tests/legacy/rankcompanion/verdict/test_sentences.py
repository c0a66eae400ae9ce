"""The sentences of a verdict, each in both directions: said where true, not said where not."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.paperkit.templates import number
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.running import commands
from companion.legacy.rankcompanion.verdict import answers
from companion.legacy.rankcompanion.verdict import page as report
from companion.legacy.rankcompanion.verdict.answers import HOLDS, NOT, UNTOLD
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.score.scored import from_frame
from verdicts import page_text, told_of, written

SYSTEMS = ["A", "B", "C", "D", "E"]


@pytest.fixture(scope="module")
def told():
    """Everything that the page says of the sample of a campaign of one's own."""
    return told_of(str(paths.DEMO / "ratings.csv"), "xx-yy")


# ------------------------------------------------------------------ the first sentence


def made(first, claimed=(0, 0, 0, 0), held=(0, 0, 0, 0), unit="worker", units=12, freedom=9.0):
    """A standing of five systems: who may be first, and lines below each place."""
    ranking = pd.DataFrame({"system": SYSTEMS, "may_be_first": first})
    lines = pd.DataFrame({"below": [1, 2, 3, 4], "claimed": claimed, "held": held})
    holds = np.array(held) == 1
    sure = SimpleNamespace(
        lines=lambda order: (holds, np.zeros(4, bool)),
        told=bool(unit),
        placed=np.ones(5, bool),
        untold=pd.DataFrame(columns=["system", "unit", "number", "effective"]),
        effective={"worker": np.full(5, float(units))} if unit else {},
        units={"worker": units} if unit else {},
        freedom=np.array([20, 20, freedom, 20, 20]),
        systems=SYSTEMS,
    )
    return SimpleNamespace(table=ranking, places=lines, unit=unit, sure=sure, order=None)


def summary(*args, **more):
    one = made(*args, **more)
    return answers.summary(one, answers.line_answers(one))


def said(first, rules="x", recipe="wmt24", protocol="DA"):
    unit = "worker" if first["told"] else ""
    about = {"rules": rules, "recipe": recipe, "protocol": protocol, "unit": unit}
    about |= {"unsaid": [], "uneven": [], "loads": [], "only_items": False, "lacking": []}
    about |= {"same_annotators": []}
    words = campaigns.find("demo-rr" if protocol == "RR" else "demo-srdc").words
    return report.sentence(first | about | {"alpha": 0.05, "asked": [], "words": words})


@pytest.mark.parametrize(
    ("first", "alone", "begins"),
    [
        ([1, 0, 0, 0, 0], HOLDS, "A is first of the 5 systems, and would be with other annotators"),
        (
            [1, 1, 0, 0, 0],
            UNTOLD,
            "2 of the 5 systems may be first with other annotators (95 %), A",
        ),
        (
            [1, 1, 1, 1, 1],
            UNTOLD,
            "Any of the 5 systems may be first with other annotators (95 %)",
        ),
        ([0, 1, 0, 0, 0], NOT, "Only B of the 5 systems may be first with other annotators (95 "),
        ([0, 1, 1, 0, 0], NOT, "2 of the 5 systems may be first with other annotators (95 %), A h"),
    ],
)
def test_alone_first_is_said_exactly_where_one_system_may_be_first(first, alone, begins):
    found = summary(first)
    assert found["alone"] == alone and found["leader"] == "A" and found["kinds"] == {"worker": 12}
    assert found["may_be_first"] == [s for s, f in zip(SYSTEMS, first, strict=True) if f]
    assert found["humans"] == [] and found["machines_first"] == found["may_be_first"]
    assert found["machine_alone"] == alone and found["machine_leader"] == "A"
    assert said(found).startswith(begins)
    assert ("is first" in said(found)) == (alone == HOLDS)


def test_nothing_is_promised_where_no_unit_is_known():
    empty = [np.nan] * 5
    for claimed, lines in (0, "that would"), (1, "or the line that"), (2, "or any of the 2 lines"):
        marks = [1] * claimed + [0] * (4 - claimed)
        found = summary(empty, marks, empty[:4], unit="")
        assert (found["told"], found["alone"], found["may_be_first"]) == (False, UNTOLD, [])
        assert (found["claimed"], found["claimed_held"], found["kinds"]) == (claimed, 0, {})
        words = said(found)
        assert words.startswith("A has the highest mean of 5 systems; whether that")
        assert lines in words and "cannot be told from these data" in words
        assert "95" not in words and "too" not in words and "holds" not in words


@pytest.mark.parametrize(
    ("claimed", "held", "ends"),
    [
        ([0, 0, 0, 0], [0, 0, 0, 0],
         "no line between clusters is drawn by the recipe wmt24, and none can be shown to hold."),
        ([0, 0, 0, 0], [1, 0, 1, 0],
         "between clusters is drawn by the recipe wmt24, and 2 hold that it does not claim."),
        ([0, 1, 0, 0], [0, 1, 0, 0],
         "the one line that the recipe wmt24 draws between clusters holds."),
        ([0, 1, 0, 0], [1, 0, 0, 0],
         "the one line that the recipe wmt24 draws between clusters cannot be shown to hold, and 1"
         " more holds that it does not claim."),
        ([1, 1, 1, 0], [1, 1, 1, 0], "the 3 lines that the recipe wmt24 draws between clusters, a"
         "ll hold."),
        ([1, 1, 1, 0], [0, 1, 1, 1], "clusters, 2 hold, and 1 more holds that it does not claim."),
        ([1, 1, 1, 0], [0, 1, 0, 1], "clusters, 1 holds, and 1 more holds that it does not claim."),
        ([1, 1, 1, 0], [0, 0, 0, 1], "none can be shown to hold, and 1 more holds that it does n"
         "ot claim."),
    ],
)  # fmt: skip
def test_lines_are_said_to_hold_as_many_as_do(claimed, held, ends):
    found = summary([1, 0, 0, 0, 0], claimed, held)
    both = [bool(c and h) for c, h in zip(claimed, held, strict=True)]
    assert (found["claimed"], found["claimed_held"]) == (sum(claimed), sum(both))
    assert found["also_held"] == sum(held) - sum(both)
    assert said(found).endswith(ends)
    by_sign = said(found, rules="", protocol="RR")
    assert "the sign test on decided comparisons" in by_sign and "recipe" not in by_sign


@pytest.mark.parametrize(
    ("units", "freedom", "begins"),
    [
        (12, 9.0, "2 of the 5 systems"),
        (6, 5.0, "2 of the 5 systems"),
        (5, 4.0, "5 annotators: 4 degrees of freedom for C, which has the fewest. 2 of the 5 "),
        (4, 3.0, "4 annotators: 3 degrees of freedom for C, which has the fewest. 2 of the 5 "),
        (
            3,
            2.0,
            "3 annotators: only very large differences can show (2 degrees of freedom for C, ",
        ),
        (3, 1.5, "3 annotators: only very large differences can show (1.5 degrees of freedom for"),
        (12, 1.5, "C has only 1.5 degrees of freedom: it can only be told from very different sy"),
        (12, 0.0, "C has only 0 degrees of freedom: it can be told from no other system."),
    ],
)
def test_few_annotators_are_said_first(units, freedom, begins):
    found = summary([1, 1, 0, 0, 0], units=units, freedom=freedom)
    assert said(found).startswith(begins)
    assert "2 of the 5 systems may be first" in said(found)


# ------------------------------------------------------------------ the page


@pytest.mark.parametrize("answer", [HOLDS, NOT, UNTOLD])
def test_only_lines_have_an_answer(told, answer):
    lines = [told["answers"][0] | {"answer": answer}]
    text = page_text(told | {"alone": answer, "answers": lines})
    assert text.count(f"yes {answer}") == 1
    assert "“All systems" not in text and "“No line" not in text and "“The order" not in text


def heavy(share, name="", effective=3.9):
    load = {"unit": "worker", "units": 133, "effective": effective, "share": share, "name": name}
    return {"loads": [load]}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (heavy(0.45, "ann7"), "133 annotators count as 3.9, since ann7 has 45 % of the judgments"),
        (heavy(0.8), "133 annotators count as 3.9, since one annotator has 80 % of the judgm"),
    ],
)
def test_one_who_judged_much_is_named_first_and_in_the_paper(told, more, words):
    said = report.statements(told | more)
    assert said["best"].startswith(words) and words in said["paper"]
    assert "with such loads up to 7.7 % of rankings made a false statement, not" in said["best"]
    assert "count as" not in report.statements(told)["paper"]


def test_the_paragraph_says_what_means_are_of_where_it_binds(told):
    more = {"standardised": True, "complete": False, "within": False}
    said = report.statements(told | more)["paper"]
    assert "A mean of z-scores is relative to the systems that the same annotators judged." in said
    alone = [row for row in told["unit_table"] if row["unit"] == "document"]
    unnamed = report.statements(told | more | {"unit_table": alone})["paper"]
    assert "annotators judged; they are not named here, so that this could not be" in unnamed
    assert (
        " Not all systems were judged on the same segments: means compare them as judged." in said
    )
    assert "if the design joins all systems, the units are a fair draw and none has half" in said
    assert "means compare them" not in report.statements(told | more | {"within": True})["paper"]
    assert "A mean of z" not in report.statements(told | {"standardised": False})["paper"]


def test_who_may_be_first_is_said_of_the_systems_that_have_a_place(told):
    """A system that is untold might be first, too."""
    untold = {"system": told["leader"], "unit": "worker", "number": 3, "effective": 2.0}
    rest = [row["system"] for row in told["ranking"] if row["system"] != told["leader"]]
    number = told["systems"] - len(told["humans"]) - 1
    of_those = f"of the {number} systems that have a place may be first"
    few = {"untold": [untold], "machine_alone": UNTOLD, "machines_first": rest[:1]}
    said = report.statements(told | few)
    assert f"only {rest[0]} {of_those}" in said["best"] and of_those in said["paper"]
    assert said["next"] == f"Say that only {rest[0]} {of_those}."
    assert any(of_those in line for line in said["cautions"])
    assert f"{told['leader']} has no place: 3 annotators, who count as 2" in said["paper"]


@pytest.mark.parametrize("number", [1, 3])
def test_one_annotator_is_no_plural(told, number):
    same = [{"annotators": number, "lines": 2, "first": 1}]
    said = report.statements(told | {"told": False, "same_annotators": same})["best"]
    words = {1: "With this same annotator and other", 3: "With these same 3 annotators and other"}
    assert words[number] in said


def test_accounts_that_may_be_fewer_people_are_named_first_and_in_the_paper(told):
    note = {"what": "accounts", "value": "133 accounts may be fewer people: `a.tsv` joins them"}
    how = [note | {"column": "all", "said by": "their names"}]
    more = {"read": told["read"] | {"how": how}}
    said = report.statements(told | more)
    words = "annotators are accounts, which may be fewer people"
    assert words in said["best"] and words in said["paper"]
    assert words not in report.statements(told)["best"] + report.statements(told)["paper"]
    assert "`" not in page_text(told | more)


@pytest.mark.parametrize(
    ("numbers", "named"),
    [([10] * 30, False), ([10] * 4, False), ([30, 10, 10, 10, 10, 10], True),
     ([40, 40] + [1] * 40, True), ([12] * 5, False), ([21, 20, 20, 20, 19], True),
     ([20] * 4 + [4] * 5, True), ([19] * 4 + [4] * 6, False)],
)  # fmt: skip
def test_loads_are_heavy_where_one_has_a_fifth_or_many_count_as_few(numbers, named):
    worker = np.repeat(np.arange(len(numbers)), numbers)
    frame = pd.DataFrame({"system": np.where(np.arange(len(worker)) % 2, "A", "B")})
    frame = frame.assign(worker=[f"w{k:03d}" for k in worker], segment=np.arange(len(worker)))
    judged = from_frame(frame.assign(score=np.arange(len(worker)) % 7.0))
    one = SimpleNamespace(data=judged)
    found = answers.loads(one, SimpleNamespace(units={"worker": len(numbers)}))
    assert bool(found) == named
    if named:
        share = np.array(numbers) / sum(numbers)
        assert found[0]["name"] == f"w{share.argmax():03d}" and found[0]["share"] == share.max()
        assert found[0]["effective"] == pytest.approx(1 / (share**2).sum())


def removed(*changes):
    """Removals, each with whether order and clusters change."""
    return {"removals": [{"removed": "x", "d_rank": r, "d_cluster": c} for r, c in changes]}


def hangs(*changes):
    """What hangs on annotators: for each, lines that fall, and whether the first changes."""
    rows = [{"fallen": f, "first_changes": c, "annotator": 0} for f, c in changes]
    return {"influence": rows}


ALL_OF_THEM = "All annotators of the rarer of any two systems judged both."
NOT_ALL = "the least judged was judged on 100 % of them"


@pytest.mark.parametrize(
    ("more", "words", "unsaid"),
    [
        ({}, [ALL_OF_THEM], ["Anything about other documents"]),
        ({"agreement": []}, [], ["Krippendorff"]),
        (removed(), [], ["removal"]),
        (removed((1, 0)), ["1 of 1 removal changes the order of the others, none their",
                           "The order of the others changes without x."], ["The clusters of"]),
        (removed((0, 0), (0, 0)), ["none of 2 removals change the order of the others, none thei"],
         ["of the others change without", "of the others changes without"]),
        (removed((1, 0), (0, 1), (1, 1)), ["2 of 3 removals change the order of the others, 2 the",
                                           "The clusters of the others change without x, x."], []),
        (hangs((0, 0), (2, 0), (1, 1)),
         ["Without one of the 3 annotators who", "falls in 2 cases and the leader changes in 1."],
         []),
        (hangs((0, 0), (0, 1), (0, 1)), ["falls in no case and the leader changes in 2."], []),
        (hangs((3, 0), (0, 0)), ["falls in 1 case and the leader changes in none."], []),
        ({"beside_share": [0.25, 0.5, 1.0], "beside_least": "Elm and Fir"},
         ["Of the annotators of the rarer of two systems, 25 % to 100 % judged both (median 50 %)",
          "the fewest for Elm and Fir."], [ALL_OF_THEM]),
        ({"beside_share": [0.976, 0.98, 0.984], "beside_least": "Elm and Fir"},
         ["rarer of two systems, 98 % judged both; the fewest for Elm and Fir."], ["to 98 %"]),
        ({"unit": "worker"}, ["about other documents: this verdict is about other annotators only",
                              "This verdict is about other annotators."], []),
        ({"unit": "document"}, ["about other annotators: this verdict is about other documents onl",
                                "This verdict is about other documents."], []),
        ({"unit": "hit"}, ["Anything about other documents: this verdict is about other HITs only",
                           "This verdict is about other HITs."], []),
        ({"uneven": []}, [], ["plain means may mislead"]),
        ({"uneven": ["more"]},
         ["different documents, and those that look good were judged more: plain means may misl"],
         ["moved a mean"]),
        ({"uneven": ["moved"], "luck": 3.25, "has_documents": False},
         ["different segments, and easy or hard ones moved a mean by up to 3.2: plain means may"],
         ["judged more:"]),
        ({"complete": True}, ["All systems were judged on the same segments."], ["least judged"]),
        ({"complete": False}, [NOT_ALL], ["All systems were judged on the same segments."]),
    ],
)  # fmt: skip
def test_each_statement_is_there_where_it_is_true(told, more, words, unsaid):
    text = page_text(told | more)
    assert [one for one in words if one not in text] == []
    assert [one for one in unsaid if one in text] == []


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (None, "Report A and B as sharing the first place. More of the same will hardly part A and "
         "B."),
        (40.0, "hardly part A and B: a line between them takes about 40 times these judgments; if"),
        (3.0, "times these, and as many times the annotators and documents); if they are equal,"),
    ],
)  # fmt: skip
def test_more_judgments_promise_only_what_was_computed(told, times, words):
    row = {**told["needed"][0], "system": "A", "other": "B", "below": 1, "times": times}
    row["judgments"] = times and 100 * times
    more = {"decide": [row], "needed": [row], "machine_alone": UNTOLD}
    more |= {"kinds": {"worker": 9, "document": 9}, "unit": "worker x document"}
    page = page_text(told | more | {"machines_first": ["A", "B"]})
    assert words in page and "too close" not in page


@pytest.mark.parametrize(
    ("first", "number", "listed", "todo"),
    [
        ([], 9, "none of the 9 systems may be first with other annotators and other documents (95 "
         "%).", "Call none of them first."),
        (["B"], 9, "only B of the 9 systems may be first", "Say that only B may be first."),
        (["A", "B", "C"], 9, "(95 %): A, B, C.", "Report A, B and C as sharing the first place."),
        (list("ABCDEFG"), 9, "(95 %): A, B, C, D, E, F and 1 more.",
         "Report these 7 as sharing the first place."),
        (list("ABCDEFGHI"), 9, "any of the 9 systems may be first",
         "Report all 9 systems as sharing the first place."),
        (["A", "B"], 2, "either of the two systems may be first",
         "Report A and B as sharing the first place."),
    ],
)  # fmt: skip
def test_all_who_may_be_first_share_the_place(told, first, number, listed, todo):
    row = {**told["needed"][0], "system": "A", "other": "B", "below": 1, "times": None}
    more = {"machines_first": first, "machine_alone": UNTOLD, "systems": number, "decide": [row]}
    said = report.statements(told | more)
    assert listed in said["best"]
    assert said["next"].startswith(todo)
    assert ("will hardly part" in said["next"]) == (len(first) > 1)


@pytest.mark.parametrize(
    ("claimed", "held", "paper"),
    [
        (3, 0, "none of 3 claimed signific"),
        (3, 1, "1 of 3 claimed significance l"),
        (3, 2, "2 of 3 claimed significance l"),
        (3, 3, "3 of 3 claimed significance li"),
        (1, 1, "the one claimed significance line holds"),
        (0, 0, "no significance line is claimed"),
    ],
)
def test_lines_are_counted_alike_in_all_places(told, claimed, held, paper):
    table = told["answers"][:1] * claimed
    text = page_text(told | {"claimed": claimed, "claimed_held": held, "answers": table})
    assert paper in text
    assert ("That a dashed line is wrong" in text) == (claimed > held)
    assert "that are not claimed" not in text
    more = page_text(told | {"claimed": 3, "claimed_held": 1, "also_held": 2})
    assert "hold, while 2 hold that are not claimed" in more.replace("holds, while", "hold, while")
    assert "one family of two-sided t tests with two-way cluster-robust (delete-one" in more
    assert "; its p-values are not corrected for their number)." in more
    assert "Each recipe is a family of tests of its own" in more


@pytest.mark.parametrize(
    ("first", "alone", "paper", "caution"),
    [
        (["Aspen"], HOLDS, "only Aspen of the 5 systems may be", ""),
        (
            ["Aspen", "Elm"],
            UNTOLD,
            "2 of the 5 systems may be first",
            "Aspen is the best system: 2 ",
        ),
        (["Elm"], NOT, "only Elm of the 5 systems may be", "Aspen is the best system: only Elm"),
    ],
)
def test_the_page_cautions_against_a_winner_unless_one_alone_is_first(
    told, first, alone, paper, caution
):
    machines = {"machines_first": first, "machine_alone": alone}
    text = page_text(told | {"may_be_first": first, "alone": alone} | machines)
    assert f"Who may be first {', '.join(first)}." in text and paper in text
    assert caution in text and ("is the best system" in text) == bool(caution)


def test_a_page_without_a_unit_promises_nothing(told):
    text = page_text(
        told
        | {"told": False, "unit": "", "may_be_first": [], "alone": UNTOLD, "repeat": []}
        | {"claimed_held": 0, "held": 0, "needed": [], "additions": []}
    )
    assert "which has the highest mean, would be first again cannot be told" in text
    assert "Whether this would hold on other documents or with other annotators" in text
    assert "their difference cannot be told" in text
    for words in ("too (95", "All is about", "may be first (95", "is the be"):
        assert words not in text
    assert "A second campaign" not in text and "would be worth" not in text


def test_an_asked_unit_is_said_to_leave_the_others_as_they_are():
    asked = told_of(str(paths.DEMO / "ratings.csv"), "xx-yy", unit="document")
    assert asked["unit"] == "document" and asked["asked"] == ["worker", 12]
    assert report.sentence(asked).endswith("All of it is with these same 12 annotators.")


ROW = {"addition": "documents", "judgments": 2.0, "gain": 0.37, "chance": 0.125, "lines_held": 1.0}


def test_each_row_of_what_to_add_says_what_it_holds_fixed(told):
    names = ("all", "annotators", "documents", "none")
    text = page_text(told | {"additions": [ROW | {"addition": name} for name in names]})
    first, second = told["decide"][0]["system"], told["decide"][0]["other"]
    assert f"chance of a line between {first} and {second}" in text
    assert "twice the documents and twice the annotators, each judging as much as now 37 %" in text
    assert "twice the annotators, on the same documents, each judging as much as now 37 %" in text
    assert "twice the documents, by the same annotators, each judging twice as much 37 %" in text
    assert "nothing: a repeat of this size — 12 %" in text
    assert "judgments would be worth" not in page_text(told | {"additions": [ROW]})


def test_what_to_add_speaks_of_no_annotators_where_none_are_named(told):
    rows = [ROW | {"addition": name} for name in ("documents", "ratings", "none")]
    text = page_text(told | {"unsaid": ["annotator"], "additions": rows})
    assert "twice the documents, each like those here 37 %" in text
    assert "each output judged twice as often 37 %" in text
    board = {"items_here": 9, "items_needed": 8, "two_scores": False, "lacking": []}
    rows = [ROW | {"addition": name} for name in ("annotators", "none")]
    text = page_text(told | {"leaderboard": board, "additions": rows})
    assert f"twice the {told['words']['segments']}, each like those here 37 %" in text
    assert "twice the annotators" not in text


def test_one_annotator_alone_is_not_asked_for_by_name(tmp_path):
    rng = np.random.default_rng(4)
    rows = [(s, k, "a", rng.normal(50 + 9 * (s == "A"), 9)) for s in "ABC" for k in range(40)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    frame.assign(score=frame["score"].round(1).clip(0, 100)).to_csv(tmp_path / "m.csv", index=False)
    told = told_of(tmp_path / "m.csv", "xx-yy")
    assert not told["told"]
    todo = "Have at least 4 annotators judge, and name in the data which documents (1 annotator: "
    assert report.statements(told)["next"].startswith(todo)
    assert "The data name 1 annotator. 1 annotator: too few to say anything" in page_text(told)


def survey(folder, columns):
    """A file of ratings: three systems, one far worse, thirty segments, eight annotators."""
    rng = np.random.default_rng(4)
    rows = [
        (name, f"q{q}", f"u{u}", round(float(np.clip(3 - gap + rng.normal(0, 0.8), 1, 5)), 2))
        for name, gap in (("A", 0.0), ("B", 0.1), ("C", 1.5))
        for q in range(30)
        for u in range(8)
    ]
    pd.DataFrame(rows, columns=columns).to_csv(folder / "survey.csv", index=False)
    return folder / "survey.csv"


def test_a_survey_is_spoken_of_in_its_own_words(tmp_path, capfd):
    """On its page and the first one, for eyes and ears, in LaTeX and in the terminal."""
    file, out = survey(tmp_path, ["product", "question", "user", "rating"]), tmp_path / "out"
    words = ["verdict", str(file), f"output_dir={out}", "recipe=wmt23"]
    assert commands.main(words) == 0
    said = capfd.readouterr()
    texts = [said.out.replace(str(out / "xx-yy"), ""), re.sub(r"column \w+", "", said.err)]
    for page in (out / "index.html", out / "xx-yy" / "verdict.html"):
        shown = re.sub(r"<(style|script|code).*?</\1>", " ", page.read_text("utf-8"), flags=re.S)
        heard = re.findall(r'(?:alt|title|aria-label)="([^"]*)"', shown)
        texts.append(" ".join([*heard, re.sub(r"<[^>]+>", " ", shown)]))
    texts.append((out / "xx-yy" / "ranking.tex").read_text("utf-8"))
    for text in texts:
        assert (
            re.findall(r"(?i)(?:\S+\s)?\w*(?:system|document|annotator|segment|xx-yy)\w*", text)
            == []
        )
        assert "product" in text.lower()
    assert r"\label{tab:survey}" in texts[-1]


# ------------------------------------------------------------------ from data to sentence


@pytest.mark.parametrize(("number", "first", "todo"), [
    (4, "Any of the 3 systems may be first", "with a chance of 80 %, have about"),
    (8, "A is first of the 3 systems", "Nothing needs to be judged again"),
])  # fmt: skip
def test_annotators_who_agree_exactly_promise_no_more_than_a_sign_test(
    tmp_path, number, first, todo
):
    rows = [
        (s, k, a, 80 - 10 * "ABC".index(s)) for s in "ABC" for k in range(9) for a in range(number)
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    frame.to_csv(tmp_path / "m.csv", index=False)
    told = told_of(tmp_path / "m.csv", "xx-yy")
    assert first in report.sentence(told) and "different segments" not in report.sentence(told)
    assert todo in report.statements(told)["next"]


def test_an_adaptive_design_that_is_not_declared_is_a_condition_on_every_statement(tmp_path):
    """Equal systems; the four that look best go on to documents that are twenty points easier."""
    rng = np.random.default_rng(3)
    rows = [(s, d, rng.normal(50, 8)) for d in range(12) for s in "ABCDEFGH" for _ in range(2)]
    frame = pd.DataFrame(rows, columns=["system", "document", "score"])
    best = frame.groupby("system")["score"].mean().nlargest(4).index
    rows += [(s, d, rng.normal(70, 8)) for d in range(12, 30) for s in best for _ in range(2)]
    frame = pd.DataFrame(rows, columns=["system", "document", "score"])
    frame["segment"] = frame.groupby(["system", "document"]).cumcount()
    frame["segment"] = frame["document"].astype(str) + "-" + frame["segment"].astype(str)
    frame["annotator"], frame["score"] = frame["document"] % 8, frame["score"].clip(0, 100)
    frame.to_csv(tmp_path / "mine.csv", index=False)
    told = told_of(tmp_path / "mine.csv", "xx-yy")
    why = "ystems were judged on different documents, and those that look good were judged more, an"
    why += f"d easy or hard ones moved a mean by up to {number(told['luck'], 2)}"
    why, said = f"{why}: plain means may mislead", report.statements(told)
    remark = f"S{why}; declare adaptive: true in campaign.yaml. "
    assert report.sentence(told).startswith(f"{remark}4 of the 8 systems may be first")
    assert said["best"].startswith(f"{remark}No system may be called best")
    assert f"S{why}." in said["paper"] and f"s{why}".replace(":", ";") in said["cautions"][0]
    assert said["weakest"] == f"s{why}".partition(":")[0]
    assert written(told)["uneven"] == ["more", "moved"]
    (tmp_path / "campaign.yaml").write_text("adaptive: true\n")
    declared = told_of(tmp_path / "mine.csv", "xx-yy")
    assert declared["uneven"] == [] and "may mislead" not in page_text(declared)


# ------------------------------------------------------------------ battles


def arena(path, judges, unnamed=0, number=600, strengths=(0.0, 0.0, 1.2), seed=1):
    """Battles of three models; `judges` in turn, the first `unnamed` battles without."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(number):
        one, other = rng.choice(3, 2, replace=False)
        wins = rng.random() < 1 / (1 + np.exp(strengths[other] - strengths[one]))
        row = {"model_a": f"M{one}", "model_b": f"M{other}"}
        row |= {"winner": "model_a" if wins else "model_b", "question_id": f"q{k % 200}"}
        rows.append(row if k < unnamed else row | {"judge": f"j{k % judges}"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("judges", "unnamed", "unit", "units", "why"),
    [
        (30, 0, "judge", 30, ""),
        (30, 600, "battle", 600, "none is named"),
        (30, 12, "battle", 600, "12 of 600 battles name none"),
        (30, 1, "battle", 600, "1 of 600 battles names none"),
        (5, 0, "judge", 5, ""),
    ],
)
def test_without_judges_the_battle_is_the_unit_and_nothing_is_said_of_other_judges(
    tmp_path, judges, unnamed, unit, units, why
):
    told = told_of(arena(tmp_path / "arena.jsonl", judges, unnamed))
    assert (told["unit"], told["kinds"]) == (unit, {unit: units})
    said = written(told)
    assert said["unit"] == unit
    first = f"M2 is first of the 3 models, and would be with other {unit}s too (95 %)"
    few = "5 judges: 4.0 degrees of freedom for M1, which has the fewest. "
    assert said["sentence"].startswith(few + first if units == 5 else first)
    known = f" Nothing is known of other judges: {why}."
    text = page_text(told)
    assert text.count("Nothing is known of other judges") == (0 if not why else 3)
    if not why:
        assert "annotators" not in said["sentence"] and "Nothing" not in said["sentence"]
        assert "Anything about other prompts: this verdict is about other judges only" in text
        return
    assert said["sentence"].endswith(known) and text.count(known.strip()) == 3
    assert "other judges too" not in text and "20 judges" not in text
    assert "Anything about other judges: this verdict is about other battles only" in text
    # who shares judges is said only of judges that are named
    assert ("judges of the rarer" in text) == (unnamed == 0)
    named = {row["unit"]: row["units"] for row in told["unit_table"]}
    assert named == ({"battle": 600} if unnamed else {"judge": judges, "battle": 600})


def test_blocks_asked_for_are_said_to_be(tmp_path):
    told = told_of(arena(tmp_path / "arena.jsonl", 30), unit="block")
    assert told["unit"] == "battle"
    assert written(told)["sentence"].endswith("other judges: battles were asked for.")


def test_of_a_leaderboard_other_items_are_spoken_of_and_no_other_annotators():
    """The words for items as units; which systems lack some, and too few to tell."""
    told = told_of(str(paths.DEMO / "leaderboard.csv"), "xx-yy")
    told |= {"unit": "segment", "kinds": {"segment": 150}, "told": True}
    assert told["leaderboard"] == {
        "items_here": 150,
        "items_needed": 8,
        "two_scores": True,
        "lacking": [{"system": "Oak", "number": 12}],
    }
    said = report.sentence(told)
    assert "with other items of this kind (95 %)" in said and "documents" not in said
    assert said.endswith("Nothing is known of other annotators.")
    cautions = " ".join(report.statements(told)["cautions"])
    assert "Oak lacks 12 of the 150 items: two systems are compared on the items" in cautions
    assert "If one lacks items because it failed them, no method can tell." in cautions
    assert "other annotators: this verdict is about other items of this kind only" in cautions
    assert "1,788 scores" in report.statements(told)["paper"] and told["uneven"] == []
    paper = report.statements(told)["paper"]
    assert "family of two-sided exact sign tests (McNemar's) on the items" in paper
    assert " t tests" not in paper
    told["leaderboard"] = {"items_here": 5, "items_needed": 8, "two_scores": False, "lacking": []}
    assert " t tests" in report.statements(told)["paper"]
    few = "5 items are too few to tell any of 12 systems apart; it takes at least 8."
    assert report.sentence(told).startswith(few)
