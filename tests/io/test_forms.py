"""Forms in which people keep judgments: each is read by one command, with the right values."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.declare import WORDS, command_line, parse_words
from rankstability.io.read import judgments, read
from rankstability.io.settings import write_settings
from rankstability.judgments import Judgments

SYSTEMS = ("Alder", "Birch", "Cedar")
PEOPLE = ("anna", "bert", "carl", "dora")
ITEMS = (1, 2, 3, 4, 5)
EVERY = list(itertools.product(SYSTEMS, ITEMS, PEOPLE))


def rating(system: str, item: int, person: str) -> int:
    """Return a score from 1 to 5."""
    level = 4 - SYSTEMS.index(system)
    return max(1, min(5, level + (2 * item + PEOPLE.index(person)) % 3 - 1))


def ratings() -> pd.DataFrame:
    rows = [(s, k, who, rating(s, k, who)) for s, k, who in EVERY]
    return pd.DataFrame(rows, columns=["model", "item", "rater", "stars"])


RIGHT = sorted((s, str(k), who, float(rating(s, k, who))) for s, k, who in EVERY)


def values(found: Judgments) -> list[tuple[Any, ...]]:
    """Return system, segment, annotator and score of each judgment, in order."""
    table = found.table[["system", "segment", "annotator", "score"]].astype(object)
    return sorted(tuple(row) for row in table.to_numpy())


def command(folder: Path, line: str) -> Any:
    """Read as the command line does, and by the settings that it would save."""
    (name,), words = parse_words(shlex.split(line))
    found = read(folder / name, **words)
    settings = folder / "saved.yaml"
    write_settings(words, settings, name)
    again = read(settings)
    both = zip(
        *([each] if isinstance(each, Judgments) else each.values() for each in (found, again)),
        strict=True,
    )
    assert all(one.table.equals(other.table) for one, other in both)
    return found


def write_json(path: Path, records: Any) -> None:
    path.write_text(json.dumps(records))


def write_sheets(path: Path, sheets: dict[str, list[list[Any]]]) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


# ------------------------------------------------------------------ ratings


def two_lists(path: Path) -> None:
    records = [
        {
            "mt": s,
            "docs": [
                {"id": k, "ratings": [{"by": who, "value": rating(s, k, who)} for who in PEOPLE]}
                for k in ITEMS
            ],
        }
        for s in SYSTEMS
    ]
    write_json(path, records)


def places(path: Path) -> None:
    records = [
        {"mt": s, "id": k, "by": who, "scores": [rating(s, k, who), 9]} for s, k, who in EVERY
    ]
    write_json(path, records)


def criteria_in_lists(path: Path) -> None:
    records = [
        {
            "mt": s,
            "id": k,
            "ratings": [{"by": who, "marks": {"good": {"value": rating(s, k, who)}}} for who in PEOPLE],
            "by_rater": {who: [{"value": {"good": rating(s, k, who)}, "old": [1]}] for who in PEOPLE},
        }
        for s in SYSTEMS
        for k in ITEMS
    ]  # fmt: skip
    write_json(path, records)


def drafts(path: Path) -> None:
    records = [
        {
            "mt": s,
            "id": k,
            "annotations": [
                {"by": who, "status": status, "value": rating(s, k, who) + extra}
                for who in PEOPLE
                for status, extra in (("final", 0), ("draft", 7))
            ],
        }
        for s in SYSTEMS
        for k in ITEMS
    ]
    write_json(path, records)


def ranks_of_limesurvey(path: Path) -> None:
    rows = []
    for who in PEOPLE:
        row: dict[str, Any] = {"id": who}
        for k in ITEMS:
            order = sorted(SYSTEMS, key=lambda s, k=k, who=who: rating(s, k, who), reverse=True)
            row |= {f"Q{k}[Rank {place}]": s for place, s in enumerate(order, start=1)}
        rows.append(row)
    pd.DataFrame(rows).to_csv(path, index=False)


def array_of_limesurvey(path: Path) -> None:
    rows = [
        {"id": who}
        | {f"Please rate text {k}.\nUse all of the scale. [{s}]": rating(s, k, who)
           for k in ITEMS for s in SYSTEMS}
        for who in PEOPLE
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(path, index=False)


def decimal_commas(path: Path) -> None:
    frame = ratings().assign(stars=lambda t: t["stars"] + 0.5)
    frame.to_csv(path, index=False, sep=";", decimal=",")


def quoted_commas(path: Path) -> None:
    ratings().assign(stars=lambda t: t["stars"] + 0.5).to_csv(path, index=False, decimal=",")


def without_header(path: Path) -> None:
    ratings().to_csv(path, index=False, header=False)


def sheets_of_people(path: Path) -> None:
    def rows(who: str) -> list[list[Any]]:
        body = [[s, k, rating(s, k, who)] for s in SYSTEMS for k in ITEMS]
        return [["model", "item", "stars"], *body]

    write_sheets(path, {who: rows(who) for who in PEOPLE} | {"Guide": [["How"], ["to"], ["rate"]]})


def one_hot(path: Path) -> None:
    frame = ratings()
    marks = pd.get_dummies(frame["stars"], prefix="rating").astype(int)
    frame = pd.concat([frame.drop(columns="stars"), marks], axis=1).assign(rating_note="ok")
    frame.to_csv(path, index=False)


def two_headers(path: Path) -> None:
    above = ["Item", "Rater"] + [name for s in SYSTEMS for name in (s, None)]
    below = [None, None] + ["Fluency", "Adequacy"] * 3
    body = [
        [k, who, *(value for s in SYSTEMS for value in (rating(s, k, who), 6 - rating(s, k, who)))]
        for k in ITEMS
        for who in PEOPLE
    ]
    write_sheets(path, {"All": [above, below, *body]})


RATINGS: dict[str, tuple[Callable[[Path], None], str]] = {
    "two-lists.json": (two_lists, "--system mt --segment docs[].id --annotator docs[].ratings[].by --score docs[].ratings[].value"),
    "places.json": (places, "--system mt --segment id --annotator by --score scores[0]"),
    "criteria.json": (criteria_in_lists, '--system mt --segment id --annotator ratings[].by --score "ratings[].marks.{criterion}.value"'),
    "people.json": (criteria_in_lists, '--system mt --segment id --score "by_rater.{annotator}[].value.good"'),
    "drafts.json": (drafts, "--system mt --segment id --annotator annotations[].by --score annotations[].value --where annotations[].status=final"),
    "array.csv": (array_of_limesurvey, '--annotator id --score "Please rate text {segment}.\nUse all of the scale. [{system}]"'),
    "no-header.csv": (without_header, "--header none --system 1 --segment 2 --annotator 3 --score 4"),
    "sheets.xlsx": (sheets_of_people, '--sheets "{annotator}" --where annotator!=Guide --system model --segment item --score stars'),
    "one-hot.csv": (one_hot, '--onehot "rating_{score}" --system model --segment item --annotator rater'),
}  # fmt: skip


@pytest.mark.parametrize("name", RATINGS)
def test_ratings_have_the_right_values(name: str, tmp_path: Path) -> None:
    make, words = RATINGS[name]
    make(tmp_path / name)
    assert values(command(tmp_path, f"{name} {words}")) == RIGHT


def test_criteria_below_systems_in_two_rows_of_names(tmp_path: Path) -> None:
    two_headers(tmp_path / "two.xlsx")
    words = '--header 1 2 --segment Item --annotator Rater --score "{system}/{criterion}"'
    found = command(tmp_path, f"two.xlsx {words} --each criterion")
    assert list(found) == ["Fluency", "Adequacy"]
    assert values(found["Fluency"]) == RIGHT
    assert values(found["Adequacy"]) == sorted((*row[:3], 6 - row[3]) for row in RIGHT)


@pytest.mark.parametrize(
    ("make", "more"), [(decimal_commas, ""), (decimal_commas, "--decimal ,"), (quoted_commas, "--decimal ,")]
)  # fmt: skip
def test_decimal_commas_are_read_and_said(
    make: Callable[[Path], None], more: str, tmp_path: Path
) -> None:
    make(tmp_path / "a.csv")
    words = "--system model --segment item --annotator rater --score stars"
    found = command(tmp_path, f"a.csv {words} {more}")
    assert values(found) == sorted((*row[:3], row[3] + 0.5) for row in RIGHT)
    assert ["decimal_commas", 60] in found.notes[["code", "rows"]].values.tolist()


def test_ranks_are_ratings_or_comparisons(tmp_path: Path) -> None:
    ranks_of_limesurvey(tmp_path / "ranks.csv")
    words = '--annotator id --system "Q{segment}[Rank {score}]"'
    assert code_of(tmp_path, f"ranks.csv {words}") == "direction"
    found = command(tmp_path, f"ranks.csv {words} --lower-is-better")
    assert (len(found.table), found.lower_is_better) == (60, True)
    assert found.table.groupby(["annotator", "segment"], observed=True)["score"].sum().eq(6).all()
    votes = command(tmp_path, 'ranks.csv --annotator id --options "Q{question}[Rank {n}]"')
    assert (len(votes.table), votes.n_segments, votes.n_annotators) == (60, 5, 4)
    assert (votes.table["winner"] == "left").all()


def test_a_place_in_a_list_is_no_row() -> None:
    frame = pd.DataFrame({"system": list("ABAB"), "segment": [1, 1, 2, 2], "Q1[0]": [1, 2, 3, 4]})
    assert judgments(frame, score="Q1[0]").table["score"].tolist() == [1, 2, 3, 4]


# ------------------------------------------------------------------ exports of platforms


def crowd(path: Path) -> None:
    """Ratings of recordings as a crowd platform exports them, with answers as JSON in a cell."""
    rows = [
        {
            "AssignmentStatus": status,
            "WorkerId": who,
            "Input.audio_url": f"https://example.org/{s}/{k}.wav",
            "Answer.taskAnswers": json.dumps(
                [{"quality": {str(n): n == (value if status == "Approved" else 1)
                              for n in (1, 2, 3, 4, 5)}}]
            ),
        }
        for s, k, who in EVERY
        for value in [rating(s, k, who)]
        for status in ("Approved", "Rejected")
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(path, index=False)


def label_studio(path: Path) -> None:
    def result(s: str, k: int, who: str) -> list[dict[str, Any]]:
        return [
            {"from_name": "comment", "type": "textarea", "value": {"text": ["7"]}},
            {"from_name": "quality", "type": "rating", "value": {"rating": rating(s, k, who)}},
        ]

    records = [
        {
            "data": {"mt": s, "id": k},
            "annotations": [{"completed_by": {"email": who}, "result": result(s, k, who)} for who in PEOPLE],
            "predictions": [],
        }
        for s in SYSTEMS
        for k in ITEMS
    ]  # fmt: skip
    write_json(path, records)


def argilla(path: Path) -> None:
    records = [
        {
            "fields": {"source": "?"},
            "metadata": {"mt": s, "id": k},
            "responses": [
                {"user_id": who, "status": status, "values": {"quality": {"value": value}}}
                for who in PEOPLE
                for status, value in (("submitted", rating(s, k, who)), ("draft", 1))
            ],
        }
        for s in SYSTEMS
        for k in ITEMS
    ]
    write_json(path, records)


def google_forms(path: Path) -> None:
    words = ("", "1 (bad)", "2", "3", "4", "5 (good)")
    rows = [
        {"Timestamp": "2024/01/01 10:00", "Email Address": who, "Comments": "."}
        | {f"How good is sentence {k}? [{s}]": words[rating(s, k, who)]
           for k in ITEMS for s in SYSTEMS}
        for who in PEOPLE
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(path, index=False)


def german_survey(path: Path) -> None:
    frame = ratings().assign(stars=lambda t: t["stars"].map("{},0".format))
    frame["column"] = "T" + frame["item"].astype(str) + "[" + frame["model"] + "]. Wie gut?"
    wide = frame.pivot(index="rater", columns="column", values="stars").reset_index()
    wide.rename(columns={"rater": "id. Antwort"}).to_csv(path, sep=";", index=False, quoting=1)


def esa(path: Path) -> None:
    above: list[Any] = ["", "", "", *(name for s in SYSTEMS for name in (s, "", ""))]
    below = ["doc", "seg", "rater", *["translation", "errors", "score"] * 3]
    body = [
        [f"d{k}", k, who, *(cell for s in SYSTEMS for cell in ("?", "[]", rating(s, k, who)))]
        for k in ITEMS
        for who in PEOPLE
    ]
    write_sheets(path, {"de-en": [above, below, *body], "Notes": [["Thank you"]]})


def labels(path: Path) -> None:
    records = [
        {
            "text": "?",
            "label": [f"score_{rating(s, k, who)}"],
            "meta": {"mt": s, "id": k},
            "by": who,
        }
        for s, k, who in EVERY
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def raters_in_columns(path: Path) -> None:
    wide = ratings().pivot(index=["model", "item"], columns="rater", values="stars").reset_index()
    wide.to_csv(path, index=False)


def items_in_columns(path: Path) -> None:
    wide = ratings().pivot(index=["model", "rater"], columns="item", values="stars").reset_index()
    wide.assign(Average=3).to_csv(path, index=False)


EXPORTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "crowd.csv": (crowd, '--where AssignmentStatus=Approved --onehot "Answer.taskAnswers[].quality.{score}" --split "Input.audio_url=https://example.org/{system}/{segment}.wav" --annotator WorkerId'),
    "label-studio.json": (label_studio, "--system data.mt --segment data.id --annotator annotations[].completed_by.email --score annotations[].result[].value.rating --where annotations[].result[].from_name=quality"),
    "argilla.json": (argilla, "--system metadata.mt --segment metadata.id --annotator responses[].user_id --score responses[].values.quality.value --where responses[].status=submitted"),
    "google-forms.csv": (google_forms, '--annotator "Email Address" --score "How good is sentence {segment}? [{system}]" --codes "1 (bad)=1" "5 (good)=5"'),
    "german.csv": (german_survey, '--annotator "id. Antwort" --score "T{segment}[{system}]. Wie gut?"'),
    "labels.jsonl": (labels, '--system meta.mt --segment meta.id --annotator by --split "label[0]=score_{score}"'),
    "raters.csv": (raters_in_columns, "--system model --segment item --annotators anna bert carl dora"),
    "items.csv": (items_in_columns, "--system model --annotator rater --items 1 2 3 4 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_have_the_right_values(name: str, tmp_path: Path) -> None:
    make, words = EXPORTS[name]
    make(tmp_path / name)
    assert values(command(tmp_path, f"{name} {words}")) == RIGHT


def test_a_sheet_of_esa_names_systems_above_their_columns(tmp_path: Path) -> None:
    esa(tmp_path / "esa.xlsx")
    words = "--sheet de-en --header 1 2 --document doc --segment seg --annotator rater"
    found = command(tmp_path, f'esa.xlsx {words} --score "{{system}}/score"')
    assert (values(found), found.n_documents) == (RIGHT, 5)


COMPARED = [
    (a, b, k, who, (rating(a, k, who) > rating(b, k, who)) - (rating(a, k, who) < rating(b, k, who)))
    for a, b in itertools.permutations(SYSTEMS, 2)
    for k in ITEMS
    for who in PEOPLE
]  # fmt: skip
VOTES = sorted(
    (a, b, str(k), who, {1: "left", 0: "tie", -1: "right"}[sign]) for a, b, k, who, sign in COMPARED
)


def arena(path: Path) -> None:
    names = {1: "model_a", 0: "tie (bothbad)", -1: "model_b"}
    said = [{"role": "user", "content": "?"}]
    lines = [
        {
            "id": k,
            "models": [a, b],
            "winner": names[sign],
            "user": {"id": who},
            "turns": [said, said],
        }
        for a, b, k, who, sign in COMPARED
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def strengths(path: Path) -> None:
    rows = [
        (who, f"{a}/utt{k}.wav", f"{b}/utt{k}.wav", -3 * sign if k % 2 else -sign)
        for a, b, k, who, sign in COMPARED
    ]
    pd.DataFrame(rows, columns=["listener", "A", "B", "cmos"]).to_csv(path, index=False)


def trials(path: Path) -> None:
    done = [
        {"trial_type": "button", "subject": who, "stimulus": [f"{a}_{k}.wav", f"{b}_{k}.wav"],
         "response": 1 - sign}
        for a, b, k, who, sign in COMPARED
    ]  # fmt: skip
    write_json(path, [*done, *({"trial_type": "instructions", "subject": who} for who in PEOPLE)])


def prolific(path: Path) -> None:
    head, text = ["ResponseId", "PROLIFIC_PID"], ["Response ID", "PROLIFIC_PID"]
    body = [[f"R_{who}", who] for who in PEOPLE]
    questions = [(a, b, k) for a, b in itertools.permutations(SYSTEMS, 2) for k in ITEMS]
    signs = {row[:4]: row[4] for row in COMPARED}
    for number, (a, b, k) in enumerate(questions, start=1):
        head.append(f"{number}_Q5")
        text.append(f"Item {k}: {a} or {b}?")
        for row in body:
            row.append({1: a, 0: "Equally good", -1: b}[signs[a, b, k, row[1]]])
    ids = [json.dumps({"ImportId": name}) for name in head]
    pd.DataFrame([head, text, ids, *body]).to_csv(path, index=False, header=False)


COMPARISONS: dict[str, tuple[Callable[[Path], None], str]] = {
    "arena.jsonl": (arena, "--left models[0] --right models[1] --annotator user.id --question id"),
    "strengths.csv": (strengths, '--split "A={left}/utt{question}.wav" "B={right}/utt{question}.wav" --winner cmos --annotator listener --codes -3..-1=left 0=tie 1..3=right'),
    "trials.json": (trials, '--where trial_type=button --split "stimulus[0]={left}_{question}.wav" "stimulus[1]={right}_{question}.wav" --winner response --codes 0=left 1=tie 2=right --annotator subject'),
    "prolific.csv": (prolific, '--header 2 --skip-rows 1 --annotator PROLIFIC_PID --winner "Item {question}: {left} or {right}?" --codes "Equally good=tie"'),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_have_the_right_winners(name: str, tmp_path: Path) -> None:
    make, words = COMPARISONS[name]
    make(tmp_path / name)
    table = command(tmp_path, f"{name} {words}").table
    roles = ["left", "right", "question", "annotator", "winner"]
    assert sorted(map(tuple, table[roles].astype(str).to_numpy())) == VOTES


def test_counts_of_errors_need_a_direction() -> None:
    frame = ratings().rename(columns={"model": "system", "item": "segment", "rater": "annotator"})
    frame = frame.assign(minor=frame["stars"], major=1)
    with pytest.raises(DataError) as refused:
        judgments(frame, criteria=["minor", "major"], each="criterion")
    assert refused.value.code == "direction"


# ------------------------------------------------------------------ best and worst

CHOICES = [
    ("u1", "q1", "Alder", "Birch", "Cedar", "Dogwood", "Birch", "Cedar"),
    ("u2", "q1", "Cedar", "Dogwood", "Alder", "Birch", "Alder", ""),
    ("u3", "q2", "Alder", "Birch", "Cedar", "Dogwood", "", ""),
]
COLUMNS = ["user", "row", "item1", "item2", "item3", "item4", "best", "worst"]


def test_best_beats_all_and_all_beat_the_worst(tmp_path: Path) -> None:
    pd.DataFrame(CHOICES, columns=COLUMNS).to_csv(tmp_path / "a.csv", index=False)
    words = '--chosen best --worst worst --options "item{n}" --annotator user --question row'
    found = command(tmp_path, f"a.csv {words}")
    pairs = {(who, *sorted((a, b)), a if w == "left" else b)
             for who, a, b, w in found.table[["annotator", "left", "right", "winner"]].to_numpy()}  # fmt: skip
    of_first = {(a, b, best) for who, a, b, best in pairs if who == "u1"}
    assert of_first == {
        ("Alder", "Birch", "Birch"), ("Birch", "Cedar", "Birch"), ("Birch", "Dogwood", "Birch"),
        ("Alder", "Cedar", "Alder"), ("Cedar", "Dogwood", "Dogwood"),
    }  # fmt: skip
    assert (len(found.table), found.order_known) == (8, False)
    assert found.excluded[["code", "rows"]].values.tolist() == [["nothing_chosen", 1]]


@pytest.mark.parametrize("form", ["{}", "item{}"])
def test_choices_can_be_positions(form: str, tmp_path: Path) -> None:
    named = pd.DataFrame(CHOICES, columns=COLUMNS)
    words = {"chosen": "best", "worst": "worst", "options": "item{n}", "annotator": "user", "question": "row"}  # fmt: skip
    placed = named.assign(best=[form.format(2), form.format(3), ""], worst=[form.format(3), "", ""])
    assert judgments(placed, **words).table.equals(judgments(named, **words).table)


# ------------------------------------------------------------------ broken forms


def code_of(folder: Path, line: str) -> str:
    with pytest.raises(DataError) as refused:
        command(folder, line)
    return refused.value.code


def write_csv(path: Path, **columns: Any) -> None:
    ratings().assign(**columns).to_csv(path, index=False)


NAMED = "--system model --segment item --annotator rater"


@pytest.mark.parametrize(
    ("code", "columns", "words"),
    [
        ("bad_setting", {}, f"{NAMED} --score stars --header 2 1"),
        ("bad_setting", {}, f"{NAMED} --score stars --header first"),
        ("bad_setting", {}, f"{NAMED} --score stars --decimal ;"),
        ("bad_setting", {}, f"{NAMED} --onehot stars"),
        ("two_shapes", {}, f'{NAMED} --onehot "st{{score}}" --score stars'),
        ("pattern_fits_nothing", {}, f'{NAMED} --onehot "rating_{{score}}"'),
        ("too_few_columns", {"s_1": 1}, f'{NAMED} --onehot "s_{{score}}"'),
        ("several_marks", {"s_1": 1, "s_2": 1}, f'{NAMED} --onehot "s_{{score}}"'),
        ("not_true_or_false", {"s_1": 1, "s_2": 2}, f'{NAMED} --onehot "s_{{score}}"'),
        ("not_a_workbook", {}, f'{NAMED} --score stars --sheets "{{annotator}}"'),
        ("decimal_comma", {"stars": "7,5"}, f"{NAMED} --score stars"),
        ("mixed_decimals", {"stars": ["7,5", "7.5"] * 30}, f"{NAMED} --score stars --decimal ,"),
        ("not_a_list", {}, f"{NAMED} --score stars[0]"),
        ("missing_role", {}, f"{NAMED} --worst stars"),
        ("too_few_columns", {}, "--system model --segment item --annotators stars"),
        ("no_such_column", {}, "--system model --annotator rater --items stars sterne"),
        ("two_shapes", {}, "--system model --annotators rater stars --items rater stars"),
        ("split_disagrees", {"a": "A_1", "b": "B_2"},
         '--split "a={left}_{question}" "b={right}_{question}" --winner stars'),
        ("one_option_in_a_row", {}, "--chosen stars --options model --question item"),
        ("missing_role", {}, f"--worst stars --options model {NAMED}"),
        ("best_is_worst", {"all": "A,B,C", "best": "A"},
         "--chosen best --worst best --options all --annotator rater --question item"),
        ("chosen_not_shown", {"all": "A,B,C", "best": "A", "last": "Z"},
         "--chosen best --worst last --options all --annotator rater --question item"),
    ],
)  # fmt: skip
def test_a_broken_form_has_one_error(
    code: str, columns: dict[str, Any], words: str, tmp_path: Path
) -> None:
    write_csv(tmp_path / "a.csv", **columns)
    assert code_of(tmp_path, f"a.csv {words}") == code


def test_columns_of_0_and_1_can_mark_the_winner(tmp_path: Path) -> None:
    frame = pd.DataFrame({"left": ["A", "B", "A"], "right": ["B", "A", "B"], "question": [1, 2, 3]})
    marks = {"left": [1, 0, 0], "right": [0, 1, 0], "tie": [0, 0, 1]}
    frame = frame.assign(**{f"pick_{side}": values for side, values in marks.items()})
    frame.assign(s_1=1, s_2=0, w="left").to_csv(tmp_path / "a.csv", index=False)
    found = command(tmp_path, 'a.csv --onehot "pick_{winner}"')
    assert list(found.table["winner"]) == ["left", "right", "tie"]
    for words, code in (
        ('--onehot "pick_{winner}" --winner w', "two_shapes"),
        ('--winner w --onehot "s_{score}"', "word_without_effect"),
        ("--winner w --decimal ,", "word_without_effect"),
    ):
        assert code_of(tmp_path, f"a.csv {words}") == code


def test_json_in_a_cell_has_each_key_once() -> None:
    cells = ['{"a": 1, "a": 2}', '{"a": 3}'] * 3
    frame = pd.DataFrame({"system": list("ABC") * 2, "segment": list("xxxyyy"), "marks": cells})
    with pytest.raises(DataError) as refused:
        judgments(frame, score="marks.a")
    assert refused.value.code == "key_twice"


def test_a_sheet_does_not_contradict_its_name(tmp_path: Path) -> None:
    sheets_of_people(tmp_path / "a.xlsx")
    words = "--system model --segment item --score stars --where annotator!=Guide"
    assert (
        code_of(tmp_path, f'a.xlsx {words} --sheets "{{annotator}}" --files "*.xlsx"')
        == "two_shapes"
    )
    frame = ratings().rename(columns={"rater": "annotator"})
    frame.to_excel(tmp_path / "b.xlsx", sheet_name="anna", index=False)
    words = '--system model --segment item --score stars --sheets "{annotator}"'
    assert code_of(tmp_path, f"b.xlsx {words}") == "column_of_two_roles"


def test_thousands_need_a_word(tmp_path: Path) -> None:
    frame = ratings().assign(stars=["1,250", "2,500", "3"] * 20)
    frame.to_csv(tmp_path / "a.csv", index=False, sep=";")
    assert code_of(tmp_path, f"a.csv {NAMED} --score stars") == "decimal_comma"
    found = command(tmp_path, f"a.csv {NAMED} --score stars --decimal ,")
    assert sorted(found.table["score"].unique()) == [1.25, 2.5, 3.0]


def test_sheets_that_differ_or_do_not_fit(tmp_path: Path, capsys: Any) -> None:
    sheets_of_people(tmp_path / "a.xlsx")
    words = "--system model --segment item --score stars"
    with pytest.raises(DataError) as refused:
        command(tmp_path, f'a.xlsx {words} --sheets "{{annotator}}"')
    assert refused.value.code == "sheets_differ"
    assert "annotator!=Guide" in str(refused.value.remedy)
    assert code_of(tmp_path, f'a.xlsx {words} --sheets "Sheet {{annotator}}"') == "no_sheet_fits"
    assert code_of(tmp_path, f'a.xlsx {words} --sheets "{{person}}"') == "unknown_placeholder"
    assert code_of(tmp_path, f"a.xlsx {words}") == "several_sheets"


def test_lists_that_are_too_short_or_none(tmp_path: Path) -> None:
    places(tmp_path / "a.json")
    words = "--system mt --segment id --annotator by"
    assert code_of(tmp_path, f"a.json {words} --score scores[7]") == "list_too_short"
    assert code_of(tmp_path, f"a.json {words} --score scores[][].value") == "not_a_list"
    where = "--where scores[].status=final"
    assert code_of(tmp_path, f"a.json {words} --score scores[0] {where}") == "no_such_column"


def test_a_file_without_a_header_is_told_by_its_names(tmp_path: Path) -> None:
    without_header(tmp_path / "a.csv")
    frame = ratings().assign(again=lambda t: t["stars"])
    frame.to_csv(tmp_path / "twice.csv", index=False, header=False)
    for name in ("a.csv", "twice.csv"):
        with pytest.raises(DataError) as refused:
            read(tmp_path / name)
        assert refused.value.code in ("missing_role", "column_twice")
        assert "--header none" in str(refused.value)


def test_a_second_row_of_names_is_told_by_empty_names(tmp_path: Path) -> None:
    two_headers(tmp_path / "a.xlsx")
    with pytest.raises(DataError) as refused:
        read(tmp_path / "a.xlsx")
    assert refused.value.code == "missing_role"
    assert "--header 1 2" in str(refused.value)


@pytest.mark.parametrize(
    "word", ["worst", "onehot", "items", "annotators", "sheets", "decimal", "header"]
)
def test_new_words_are_listed_and_kept(word: str) -> None:
    given: dict[str, Any] = {"header": [1, 2], "decimal": ","}
    given |= {"items": ["a", "b"], "annotators": ["a", "b"]}
    words = {word: given.get(word, "x{score}")}
    (_, *arguments) = shlex.split(command_line("a.csv", words))
    assert parse_words(arguments[1:]) == (["a.csv"], words)
    assert WORDS[word].help


SLASHES = {"Alder": "meta/alder", "Birch": "Birch", "Cedar": "qwen/cedar/2"}


def names_with_slashes(path: Path) -> None:
    """Write a column for each system and annotator, named by two rows, with slashes in both."""
    frame = ratings().replace({"model": SLASHES, "rater": {"dora": "dora/2"}})
    wide = frame.pivot(index="item", columns=["model", "rater"], values="stars")
    systems = wide.columns.get_level_values(0)
    first = ["", *(name if k % 4 == 0 else "" for k, name in enumerate(systems))]
    rows = [first, ["item", *wide.columns.get_level_values(1)], *wide.reset_index().to_numpy()]
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append([value.item() if hasattr(value, "item") else value for value in row])
        book.save(path)
    else:
        path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx"])
def test_two_rows_of_names_keep_the_slashes_of_each(name: str, tmp_path: Path) -> None:
    names_with_slashes(tmp_path / name)
    words = '--header 1 2 --segment item --score "{system}/{annotator}"'
    right = [(SLASHES[s], k, {"dora": "dora/2"}.get(who, who), v) for s, k, who, v in RIGHT]
    assert values(command(tmp_path, f"{name} {words}")) == sorted(right)
    words = '--header 1 2 --segment item --score "{system}/anna"'
    found = command(tmp_path, f"{name} {words}")
    assert found.systems == sorted(SLASHES.values())
    assert found.n_judgments == 15


def test_two_rows_of_names_in_files_and_sheets_keep_the_slashes(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    names_with_slashes(tmp_path / "x" / "a.csv")
    words = '--header 1 2 --segment item --score "{system}/{annotator}"'
    found = command(tmp_path, f'x {words} --files "{{domain}}.csv"')
    assert found.systems == sorted(SLASHES.values())
    names_with_slashes(tmp_path / "a.xlsx")
    found = command(tmp_path, f'a.xlsx {words} --sheets "{{domain}}"')
    assert found.systems == sorted(SLASHES.values())


def test_one_row_of_names_with_slashes_is_asked_about(tmp_path: Path) -> None:
    names_with_slashes(tmp_path / "a.csv")
    names = ["item", *(f"{s}/{who}" for s in SLASHES.values() for who in PEOPLE)]
    body = (tmp_path / "a.csv").read_text().split("\n")[2:]
    (tmp_path / "b.csv").write_text("\n".join([",".join(names), *body]))
    words = 'b.csv --segment item --score "{system}/{annotator}"'
    assert code_of(tmp_path, words) == "ambiguous_pattern"
