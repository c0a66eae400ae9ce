"""The sentences of a verdict, each in both directions: said where true, not said where not."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from paperkit.templates import number
from rankcampaigns import campaigns
from rankcompanion.running import commands
from rankcompanion.verdict import answers
from rankcompanion.verdict import page as report
from rankcompanion.verdict.answers import HOLDS, NOT, UNTOLD
from rankstability import paths
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
    lines = pd.DataFrame({"below": [1, 2, 3, 4], "claimed": claimed})
    holds = np.array(held) == 1
    sure = SimpleNamespace(
        lines=lambda order: (holds, np.zeros(4, bool)),
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
    about |= {"unsaid": [], "uneven": []}
    words = campaigns.find("demo-rr" if protocol == "RR" else "demo-srdc").words
    return report.sentence(first | about | {"alpha": 0.05, "asked": [], "words": words})


@pytest.mark.parametrize(
    ("first", "alone", "begins"),
    [
        ([1, 0, 0, 0, 0], HOLDS, "A is first of 5 systems, and would be with other annotators too"),
        ([1, 1, 0, 0, 0], UNTOLD, "2 of 5 systems may be first with other annotators (95 %), A ha"),
        ([1, 1, 1, 1, 1], UNTOLD, "All 5 systems may be first with other annotators (95 %), A hav"),
        ([0, 1, 0, 0, 0], NOT, "Only B of 5 systems may be first with other annotators (95 %), A "),
        ([0, 1, 1, 0, 0], NOT, "2 of 5 systems may be first with other annotators (95 %), A havin"),
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
        (12, 9.0, "2 of 5 systems"),
        (6, 5.0, "2 of 5 systems"),
        (5, 4.0, "5 annotators: 4 degrees of freedom for C, which has the fewest. 2 of 5 systems"),
        (4, 3.0, "4 annotators: 3 degrees of freedom for C, which has the fewest. 2 of 5 systems"),
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
    assert "2 of 5 systems may be first" in said(found)


# ------------------------------------------------------------------ the page


@pytest.mark.parametrize("answer", [HOLDS, NOT, UNTOLD])
def test_only_lines_and_first_places_have_an_answer(told, answer):
    lines = [told["answers"][0] | {"answer": answer}]
    text = page_text(told | {"alone": answer, "answers": lines}).partition("How each number")[0]
    assert f"{answer} : “Aspen alone is first”" in text
    assert "“All systems" not in text and "“No line" not in text and "“The order" not in text


def removed(*changes):
    """Removals, each with whether order and clusters change."""
    return {"removals": [{"removed": "x", "d_rank": r, "d_cluster": c} for r, c in changes]}


def hangs(*changes):
    """What hangs on annotators: for each, lines that fall, and whether the first changes."""
    rows = [{"fallen": f, "first_changes": c, "annotator": 0} for f, c in changes]
    return {"influence": rows}


def good_judged_more(adaptive, complete=False):
    return {"adaptive": adaptive, "complete": complete}


ALL_OF_THEM = "All annotators of the rarer of any two systems judged both."
NOT_ALL = "the least judged was judged on 100 % of them"


@pytest.mark.parametrize(
    ("more", "words", "unsaid"),
    [
        ({}, [ALL_OF_THEM], ["Anything about other documents"]),
        ({"agreement": []},
         ["How far annotators agree cannot be told: no output was judged by two of them."],
         ["Krippendorff"]),
        (removed(), [], ["removal"]),
        (removed((1, 0)), ["Of 1 removal of a single system, 1 changed the order of the others and"
                           " none their"], []),
        (removed((0, 0), (0, 0)), ["Of 2 removals of a single system, none changed the order of th"
                                   "e others and none their clusters"], []),
        (removed((1, 0), (0, 1), (1, 1)), ["Of 3 removals of a single system, 2 changed the order "
                                           "of the others and 2 their clusters"], []),
        (hangs((0, 0), (2, 0), (1, 1)),
         ["Without one of the 3 who judged most", "falls in 2 cases and the leader changes in 1."],
         []),
        (hangs((0, 0), (0, 1), (0, 1)), ["falls in 0 cases and the leader changes in 2."], []),
        (hangs((3, 0), (0, 0)), ["falls in 1 case and the leader changes in 0."], []),
        ({"beside_share": [0.25, 0.5, 1.0], "beside_least": "Elm and Fir"},
         ["Of the annotators of the rarer of two systems, 25 % to 100 % judged both (median 50 %)",
          "the fewest for Elm and Fir."], [ALL_OF_THEM]),
        ({"unit": "worker"}, ["about other documents: this verdict is about other annotators only",
                              "This verdict is about other annotators."], []),
        ({"unit": "document"}, ["about other annotators: this verdict is about other documents onl",
                                "This verdict is about other documents."], []),
        ({"unit": "hit"}, ["Anything about other documents: this verdict is about other HITs only",
                           "This verdict is about other HITs."], []),
        (good_judged_more(0.51), ["were judged more (rank", "The design looks adaptive", NOT_ALL],
         []),
        ({"uneven": []}, [], ["plain means may mislead"]),
        ({"uneven": ["more"]},
         ["different documents, and those that look good were judged more: plain means may misl"],
         ["moved a mean"]),
        ({"uneven": ["moved"], "luck": 3.25, "has_documents": False},
         ["different segments, and easy or hard ones moved a mean by up to 3.2: plain means may"],
         ["judged more:"]),
        (good_judged_more(0.5), ["were judged neither clearly more nor less (rank", NOT_ALL],
         ["The design looks adaptive"]),
        (good_judged_more(-0.5), ["were judged neither clearly more nor less (rank", NOT_ALL],
         ["The design looks adaptive"]),
        (good_judged_more(-0.51), ["were judged less (rank", NOT_ALL],
         ["The design looks adaptive"]),
        (good_judged_more(0.51, complete=True),
         ["All systems were judged on the same segments."],
         ["least judged", "Systems that look good"]),
    ],
)  # fmt: skip
def test_each_statement_is_there_where_it_is_true(told, more, words, unsaid):
    text = page_text(told | more).partition("How each number")[0]
    assert [one for one in words if one not in text] == []
    assert [one for one in unsaid if one in text] == []


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (None, "Even 100 times these judgments would give a line between A and B, in this order, "
         "with a chance of less than 80 %: let A and B share the first place."),
        (40.0, "A line between A and B takes about 40 times these judgments: let A and B share"),
        (3.0, "times these, and as many times the annotators and documents)."),
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
        ([], 9, "none of 9 systems may be first with other annotators and other documents (95 %).",
         "call none of them first."),
        (["B"], 9, "only B of 9 systems may be first", "say that only B may be first."),
        (["A", "B", "C"], 9, "(95 %): A, B, C.", "let A, B and C share the first place."),
        (list("ABCDEFG"), 9, "(95 %): A, B, C, D, E, F and 1 more.",
         "let A, B, C, D, E, F and 1 more share the first place."),
        (list("ABCDEFGHI"), 9, "all 9 systems may be first",
         "let all 9 systems share the first place."),
        (["A", "B"], 2, "all 2 systems may be first", "let A and B share the first place."),
    ],
)  # fmt: skip
def test_all_who_may_be_first_share_the_place(told, first, number, listed, todo):
    row = {**told["needed"][0], "system": "A", "other": "B", "below": 1, "times": None}
    more = {"machines_first": first, "machine_alone": UNTOLD, "systems": number, "decide": [row]}
    said = report.statements(told | more)
    assert listed in said["best"]
    assert said["next"].endswith(f"with a chance of less than 80 %: {todo}")


@pytest.mark.parametrize(
    ("claimed", "held", "count", "paper"),
    [
        (3, 0, "Of 3 lines that the recipe wmt24 claims, none can be shown to hold",
         "none of 3 claimed signific"),
        (3, 1, "Of 3 lines that the recipe wmt24 claims, 1 holds", "1 of 3 claimed significance l"),
        (3, 2, "Of 3 lines that the recipe wmt24 claims, 2 hold ", "2 of 3 claimed significance l"),
        (3, 3, "Of 3 lines that the recipe wmt24 claims, 3 hold", "3 of 3 claimed significance li"),
        (1, 1, "Of 1 line that the recipe wmt24 claims, 1 holds",
         "the one claimed significance line holds"),
        (0, 0, "No line is claimed by the recipe wmt24 (with", "no significance line is claimed"),
    ],
)  # fmt: skip
def test_lines_are_counted_alike_in_all_places(told, claimed, held, count, paper):
    table = told["answers"][:1] * claimed
    text = page_text(told | {"claimed": claimed, "claimed_held": held, "answers": table})
    assert count in text and paper in text
    assert ("That a dashed line is wrong" in text) == (claimed > held)
    assert ("No line is claimed" in text) == (claimed == 0)
    assert "not claimed. how" not in text and "that are not claimed" not in text
    more = page_text(told | {"claimed": 3, "claimed_held": 1, "also_held": 2})
    assert "1 holds; 2 more hold and are not claimed (with" in more
    assert "hold, while 2 hold that are not claimed" in more.replace("holds, while", "hold, while")
    assert "one family of two-sided cluster-robust (CR2) t tests" in more
    assert "; its p-values are not corrected for their number)." in more
    assert "Each recipe is a family of tests of its own" in more


@pytest.mark.parametrize(
    ("first", "alone", "paper", "caution"),
    [
        (["Aspen"], HOLDS, "only Aspen of 5 systems may be first", ""),
        (["Aspen", "Elm"], UNTOLD, "2 of 5 systems may be first", "Aspen is the best system: 2 m"),
        (["Elm"], NOT, "only Elm of 5 systems may be first", "Aspen is the best system: only Elm"),
    ],
)
def test_the_page_cautions_against_a_winner_unless_one_alone_is_first(
    told, first, alone, paper, caution
):
    machines = {"machines_first": first, "machine_alone": alone}
    text = page_text(told | {"may_be_first": first, "alone": alone} | machines)
    assert f"Who may be first {', '.join(first)}. {alone} : “Aspen alone" in text and paper in text
    assert caution in text and ("is the best system" in text) == bool(caution)


def test_a_page_without_a_unit_promises_nothing(told):
    text = page_text(
        told
        | {"told": False, "unit": "", "may_be_first": [], "alone": UNTOLD, "repeat": []}
        | {"claimed_held": 0, "held": 0, "needed": [], "additions": []}
    ).partition("How each number")[0]
    assert "Who may be first cannot be told from these data" in text
    assert "Whether this would hold on other documents or with other annotators" in text
    assert "their difference cannot be told" in text
    for words in ("too (95", "All of this is about", "may be first (95", "is the be"):
        assert words not in text
    assert "If the campaign were repeated" not in text and "would tell" not in text


def test_an_asked_unit_is_said_to_leave_the_others_as_they_are():
    asked = told_of(str(paths.DEMO / "ratings.csv"), "xx-yy", unit="document")
    assert asked["unit"] == "document" and asked["asked"] == ["worker", 12]
    assert report.sentence(asked).endswith("All of it is with these same 12 annotators.")


def test_what_is_needed_is_a_number_enough_or_over_a_hundred_times(told):
    row = told["needed"][0] | {"times_low": 0.5, "times_high": 3.0, "documents": None}
    for times, judgments, words in (
        (1.0, 720, "enough"),
        (1.01, 727, "730 (× 1.0; 1 to 3)"),
        (100.0, 72000, "72,000 (× 100; 1 to 3)"),
        (100.1, 72072, "over 100 times"),
        (None, None, "over 100 times"),
    ):
        text = page_text(told | {"needed": [row | {"times": times, "judgments": judgments}]})
        part = text.partition("alone annotators alone")[2].partition("Worth most")[0]
        assert part.count(words) >= 1 and "not by this alone" in part
        assert ("enough" in part) == (times == 1.0)
        assert ("over 100 times" in part) == (times is None or times > 100)


def test_one_annotator_alone_is_not_asked_for_by_name(tmp_path):
    """Nor are labels shuffled within one only: that would give the same campaign again."""
    rng = np.random.default_rng(4)
    rows = [(s, k, "a", rng.normal(50 + 9 * (s == "A"), 9)) for s in "ABC" for k in range(40)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    frame.assign(score=frame["score"].round(1).clip(0, 100)).to_csv(tmp_path / "m.csv", index=False)
    told = told_of(tmp_path / "m.csv", "xx-yy")
    assert not told["told"] and told["false_lines"] == []
    todo = "Have at least 4 annotators judge, and name in the data which documents: 1 annotator alo"
    assert report.statements(told)["next"].startswith(todo)
    assert "others of these: 1 annotator. 1 annotator alone says" in page_text(told)


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
    words = ["verdict", str(file), f"output_dir={out}", "recipe=wmt23", "draws=5"]
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
    (4, "All 3 systems may be first", "with a chance of 80 %, have about"),
    (8, "A is first of 3 systems", "Nothing needs to be judged again"),
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
    """Equal systems; the two that look best go on to documents that are twenty points easier."""
    rng = np.random.default_rng(3)
    rows = [(s, d, rng.normal(50, 8)) for d in range(12) for s in "ABCD" for _ in range(2)]
    frame = pd.DataFrame(rows, columns=["system", "document", "score"])
    best = frame.groupby("system")["score"].mean().nlargest(2).index
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
    assert report.sentence(told).startswith(f"{remark}2 of 4 systems may be first")
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
    first = f"M2 is first of 3 models, and would be with other {unit}s too (95 %)"
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
