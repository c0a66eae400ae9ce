"""Small inputs that people have, with their right values, and synthetic copies of the same kinds.

The folder of cases is not part of the repository: ``RANKSTABILITY_CASES`` names it. Without it,
only the copies that the tests make are read.
"""

import itertools
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.declare import parse_words
from rankstability.io.read import battles, judgments, read
from rankstability.io.report import list_games, summarise_orders
from rankstability.judgments import Judgments
from rankstability.stability.annotators import describe_annotators

CASES = Path(os.environ.get("RANKSTABILITY_CASES", Path(__file__).parents[3] / "shared" / "cases"))
BATTLES = {"Alder": 0.701, "Birch": 0.547, "Cedar": 0.492, "Dogwood": 0.262}
STORIES = {"Alder": 3.99, "Cedar": 3.61, "Birch": 3.60, "Dogwood": 2.98}


def case(name: str) -> str:
    path = CASES / name
    if not path.exists():
        pytest.skip("the folder of cases is not here")
    return str(path)


def declared(name: str, words: str) -> Any:
    """Read a case with words as on the command line (``|`` stands between arguments)."""
    _, parsed = parse_words([part for part in words.split("|") if part])
    return read(case(name), **parsed)


def means(found: Judgments) -> dict[str, float]:
    """Return the mean over the segments of each system, with segments counted equally."""
    table = found.table[~found.table["system"].isin(found.controls)]
    outputs = table.groupby(["system", "segment"], observed=True)["score"].mean()
    return outputs.groupby("system", observed=True).mean().to_dict()


def win_shares(found: Judgments) -> dict[str, float]:
    """Return the share of comparisons won, with ties as half."""
    table = found.table
    won = table["winner"].map({"left": 1.0, "tie": 0.5, "right": 0.0}).astype(float)
    both = pd.concat(
        [
            pd.DataFrame({"system": table["left"].astype(str), "won": won}),
            pd.DataFrame({"system": table["right"].astype(str), "won": 1 - won}),
        ]
    )
    return both.groupby("system")["won"].mean().to_dict()


FORMS = {
    "battles-winner-A-B-C/AB.csv": "--codes|A=left|B=right|C=tie",
    "battles-winner-0-1-2/num012.csv": "--codes|1=left|2=right|0=tie",
    "battles-winner-one-hot/onehot.csv": (
        "--outcome|left=winner_model_a|right=winner_model_b|tie=winner_tie"
    ),
    "battles-winner-and-loser-columns/winner_loser.csv": (
        "--winner|winner|--loser|loser|--tie|is_tie|--annotator|user"
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_battles_of_every_form_have_the_same_shares(name: str) -> None:
    found = declared(name, FORMS[name])
    assert win_shares(found) == pytest.approx(BATTLES, abs=0.0006)
    counts = found.table["winner"].value_counts()
    assert (len(found.table), counts["tie"], found.n_annotators) == (500, 86, 25)
    assert found.order_known == ("loser" not in name)
    assert not len(found.excluded)


def test_preferences_between_1_and_2_are_rounded() -> None:
    name = "battles-preference-1-to-2/alpaca.csv"
    codes = "1..1.25=left|1.25..1.75=tie|1.75..2=right"
    words = f"--left|generator_1|--right|generator_2|--winner|preference|--codes|{codes}"
    found = declared(name, words)
    shares = win_shares(found)
    assert max(shares, key=shares.__getitem__) == "Alder"
    rounded = pd.read_csv(case(name))["preference"].mul(2).round().div(2)
    counts = found.table["winner"].value_counts()
    assert counts.to_dict() == {
        "left": (rounded == 1).sum(), "tie": (rounded == 1.5).sum(), "right": (rounded == 2).sum(),
    }  # fmt: skip


def test_a_column_for_each_judge_gives_a_vote_each() -> None:
    name = "battles-one-judge-column-each/votes.json"
    codes = "--codes|0=tie|1=left|2=right"
    words = "--split|cmp_key={left}_{right}|--winner|annotator{annotator}|" + codes
    found = declared(name, words)
    assert (len(found.table), found.n_annotators) == (600, 3)
    records = pd.DataFrame(json.loads(Path(case(name)).read_text()))
    assert (found.table["winner"] == "tie").sum() == (
        records.filter(like="annotator") == 0
    ).sum().sum()


def test_votes_of_a_model_judge_in_both_orders() -> None:
    name = "battles-only-a-model-judges/swapped.jsonl"
    found = declared(name, "--question|question_id|--models|gpt-4")
    assert (len(found.table), found.judge_models, found.order_known) == (720, ("gpt-4",), True)
    orders = summarise_orders(found)
    assert orders[["votes", "games", "both_orders", "changed"]].tolist() == [720, 360, 360, 180]
    assert orders["first_wins"] == pytest.approx(0.731, abs=0.0006)
    games = list_games(found)
    shares = {
        name: np.mean(
            [
                0.5 if game.winner == "tie" else float(game.winner == name)
                for game in games.itertuples()
                if name in (game.system_a, game.system_b)
            ]
        )
        for name in found.systems
    }
    right = {"Alder": 0.614, "Cedar": 0.575, "Birch": 0.478, "Dogwood": 0.333}
    assert shares == pytest.approx(right, abs=0.0006)
    assert found.notes.set_index("code").loc["both_orders", "rows"] == 360


def test_best_per_category() -> None:
    words = "--system|model|--segment|id|--score|correct|--each|category"
    found = declared("best-per-category/rewardbench.csv", words)
    assert set(found) == {"chat", "code", "safety"}
    assert {each.kind for each in found.values()} == {"leaderboard"}
    assert sorted(means(found["code"]).values()) == pytest.approx(
        [0.458, 0.467, 0.533, 0.750], abs=0.0006
    )
    chat = means(found["chat"])
    assert (chat["Alder"], chat["Cedar"]) == pytest.approx((0.658, 0.600), abs=0.0006)


def test_blanks_in_the_header_and_tabs_in_rows() -> None:
    name = "blank-in-header-tab-in-rows/mqm_newstest_ende.avg_seg_scores.tsv"
    found = declared(name, "--score|mqm_avg_score|--segment|seg_id")
    cells = [line.split() for line in Path(case(name)).read_text().splitlines()[1:]]
    none = sum(row[1] == "None" for row in cells)
    assert none == found.excluded.set_index("code").loc["no_score", "rows"]
    assert len(found.table) + none == len(cells) == 800
    right = {name: np.mean([float(r[1]) for r in cells if r[0] == name and r[1] != "None"])
             for name in {row[0] for row in cells}}  # fmt: skip
    assert means(found) == pytest.approx(right)


def test_a_choice_among_several() -> None:
    name = "choice-among-several/choices.csv"
    words = "--chosen|comparison_winner|--options|comparison_candidates|--annotator|user|--question|row_id"
    found = declared(name, words)
    rows = pd.read_csv(case(name), keep_default_na=False)
    none = int((rows["comparison_winner"] == "none").sum())
    assert len(found.table) == 2 * (150 - none)
    assert found.excluded.set_index("code").loc["nothing_chosen", "rows"] == none
    assert found.n_annotators == 15
    assert not found.order_known
    assert found.table.groupby("question", observed=True).size().eq(2).all()
    assert found.table.groupby("question", observed=True)["annotator"].nunique().eq(1).all()
    wins = found.table["left"].astype(str).value_counts() // 2
    right = rows.loc[rows["comparison_winner"] != "none", "comparison_winner"].value_counts()
    assert wins.to_dict() == right.to_dict()


CRITERIA = {
    "criteria-columns/stories.csv": "--criteria|Relevance|Coherence|Surprise|Complexity",
    "criterion-as-a-column-of-a-long-table/stories_long.csv": (
        "--score|rating|--criterion|criterion"
    ),
}


@pytest.mark.parametrize("name", CRITERIA)
def test_criteria_are_ranked_one_by_one(name: str) -> None:
    names = "--system|Model|--segment|Story ID|--annotator|Worker ID|"
    found = declared(name, names + CRITERIA[name] + "|--each|criterion")
    assert set(found) == {"Relevance", "Coherence", "Surprise", "Complexity"}
    for criterion in ("Relevance", "Coherence", "Complexity"):
        scores = means(found[criterion])
        assert max(scores, key=scores.__getitem__) == "Alder"
    surprise = {"Alder": 2.72, "Birch": 2.82, "Cedar": 3.68, "Dogwood": 2.79}
    assert means(found["Surprise"]) == pytest.approx(surprise, abs=0.006)
    with pytest.raises(DataError) as error:
        declared(name, names + CRITERIA[name])
    assert error.value.code == "several_criteria"


LOWER = {
    "errors-lower-is-better/wer.csv": (
        "--system|model|--score|wer|--segment|utterance",
        {"Alder": 0.1867, "Birch": 0.2325, "Cedar": 0.2556, "Dogwood": 0.3040},
    ),
    "ranks-one-is-best/ranks.csv": (
        "--score|rank|--segment|item",
        {"Alder": 1.917, "Cedar": 2.417, "Birch": 2.439, "Dogwood": 3.228},
    ),
}


@pytest.mark.parametrize("name", LOWER)
def test_lower_is_better_is_asked_for(name: str) -> None:
    words, right = LOWER[name]
    with pytest.raises(DataError) as error:
        declared(name, words)
    assert error.value.code == "direction"
    found = declared(name, words + "|--lower-is-better")
    assert found.lower_is_better
    assert means(found) == pytest.approx(right, abs=0.0006)


def test_an_export_without_ratings_is_refused() -> None:
    with pytest.raises(DataError) as error:
        declared("labelstudio-without-ratings/export_min.json", "")
    assert error.value.code == "no_ratings"


def test_hidden_references_are_not_ranked() -> None:
    names = "--system|rating_stimulus|--segment|trial_id|--score|rating_score"
    controls = "--controls|reference|anchor35|anchor70"
    found = declared("mushra/mushra.csv", f"{names}|--annotator|session_uuid|{controls}")
    right = {"Alder": 78.8, "Birch": 71.5, "Cedar": 71.0, "Dogwood": 59.2}
    assert means(found) == pytest.approx(right, abs=0.06)
    assert found.systems == sorted(right)
    table = describe_annotators(found)
    assert table["references"].sum() == found.table["system"].eq("reference").sum()


NESTED = {
    "nested-scores/summ.jsonl": "--system|system_id|--segment|doc_id|--score|scores.coherence",
    "nested-scores/gen.json": "--segment|doc_id|--score|gen.{system}.score[]",
}


@pytest.mark.parametrize("name", NESTED)
def test_paths_lead_to_nested_scores(name: str) -> None:
    assert means(declared(name, NESTED[name])) == pytest.approx(STORIES, abs=0.006)


OTHER = {
    "numbered-blocks/ratings.csv": (
        "--segment|mr_id|--annotator|worker_id|--system|sys{n}|--score|quality{n}",
        {"Alder": 76.63, "Birch": 69.35, "Cedar": 67.49, "Dogwood": 58.83},
    ),
    "survey-qualtrics/survey.csv": (
        "--header|2|--skip-rows|1|--annotator|Response ID|"
        "--score|Rate each summary of text {segment} - {system}",
        {"Alder": 3.325, "Cedar": 3.115, "Birch": 3.035, "Dogwood": 2.585},
    ),
    "survey-qualtrics/survey_words.csv": (
        "--header|2|--skip-rows|1|--annotator|Response ID|"
        "--score|Rate each summary of text {segment} - {system}|"
        "--codes|Very bad=1|Bad=2|Neither good nor bad=3|Good=4|Very good=5",
        {"Alder": 3.325, "Cedar": 3.115, "Birch": 3.035, "Dogwood": 2.585},
    ),
    "wide-system-named-like-an-item/ratings.tsv": (
        "--segment|uid|--wide|SceneDraw|Text2Paint|Prompt2pic|EditNet|NullEdit",
        {"SceneDraw": 0.4938, "Text2Paint": 0.3188, "Prompt2pic": 0.2062, "EditNet": 0.0438,
         "NullEdit": 0.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_blocks_surveys_and_wide_tables(name: str) -> None:
    words, right = OTHER[name]
    assert means(declared(name, words)) == pytest.approx(right, abs=0.006)


def test_one_file_for_each_system() -> None:
    words = "--files|{system}/samples*.jsonl|--segment|doc_id|--score|exact_match"
    found = declared("one-file-per-system/lmeval", words)
    for system, mean in means(found).items():
        file = next(Path(case("one-file-per-system/lmeval")).glob(f"{system}/*.jsonl"))
        assert mean == pytest.approx(pd.read_json(file, lines=True)["exact_match"].mean())
    assert found.n_segments == 200


REFUSED = [*FORMS, *CRITERIA, *LOWER, *NESTED, *OTHER, "mushra/mushra.csv",
           "best-per-category/rewardbench.csv", "one-file-per-system/lmeval",
           "choice-among-several/choices.csv", "battles-one-judge-column-each/votes.json",
           "battles-preference-1-to-2/alpaca.csv"]  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_commands_that_a_refusal_prints_read_the_file(name: str) -> None:
    with pytest.raises(DataError) as error:
        read(case(name))
    for line in (error.value.remedy or "").splitlines():
        assert read_command(line) is not None


def read_command(line: str) -> Any:
    """Run a printed command."""
    import shlex

    program, command, *arguments = shlex.split(line)
    assert program == "rankstability" and command in ("verdict", "read")
    files, words = parse_words(arguments)
    return read(files[0], **words)


# ------------------------------------------------------------------ copies made here

SYSTEMS = ("Ash", "Beech", "Elm")


def outputs() -> pd.DataFrame:
    """Return 3 systems by 6 segments by 2 annotators, with scores that are known."""
    rows = itertools.product(SYSTEMS, range(6), ("ann", "bob"))
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator"])
    level = frame["system"].map({"Ash": 4, "Beech": 3, "Elm": 2})
    frame["score"] = level + (frame["segment"] % 2) - (frame["annotator"] == "bob") * 1.0
    return frame


RIGHT = {"Ash": 4.0, "Beech": 3.0, "Elm": 2.0}


def test_a_long_frame_needs_no_words() -> None:
    found = judgments(outputs())
    assert means(found) == pytest.approx(RIGHT)
    assert (found.kind, found.scale) == ("ratings", (1.0, 5.0))


def test_copies_of_every_shape_have_the_same_means(tmp_path: Path) -> None:
    frame = outputs()
    wide = frame.pivot(index=["segment", "annotator"], columns="system", values="score")
    found = judgments(wide.reset_index(), wide=list(SYSTEMS))
    assert means(found) == pytest.approx(RIGHT)

    pattern = frame.pivot(index="annotator", columns=["segment", "system"], values="score")
    pattern.columns = [f"T{segment}[{system}]" for segment, system in pattern.columns]
    found = judgments(pattern.reset_index(), score="T{segment}[{system}]")
    assert means(found) == pytest.approx(RIGHT)

    rows = []
    for (segment, annotator), part in frame.groupby(["segment", "annotator"]):
        shuffled = part.sample(frac=1, random_state=segment)
        row = {"segment": segment, "annotator": annotator}
        for place, each in enumerate(shuffled.itertuples(), start=1):
            row |= {f"sys{place}": each.system, f"q{place}": each.score}
        rows.append(row)
    found = judgments(pd.DataFrame(rows), system="sys{n}", score="q{n}")
    assert means(found) == pytest.approx(RIGHT)

    for system, part in frame.groupby("system"):
        part.drop(columns="system").to_csv(tmp_path / f"{system}.csv", index=False)
    assert means(read(tmp_path, files="{system}.csv")) == pytest.approx(RIGHT)

    nested = [
        {"id": int(segment), "ratings": {system: [{"by": each.annotator, "value": each.score}
                                                  for each in part.itertuples()]
                                         for system, part in of_segment.groupby("system")}}
        for segment, of_segment in frame.groupby("segment")
    ]  # fmt: skip
    file = tmp_path / "nested.json"
    file.write_text(json.dumps(nested, indent=1))
    found = read(
        file,
        segment="id",
        score="ratings.{system}[].value",
        annotator="ratings.{system}[].by",
    )
    assert means(found) == pytest.approx(RIGHT)
    assert found.n_annotators == 2


VOTES = [("Ash", "Beech", "left"), ("Beech", "Ash", "tie"), ("Elm", "Ash", "right"),
         ("Beech", "Elm", "left"), ("Elm", "Beech", "tie")]  # fmt: skip


def test_copies_of_every_form_of_votes_agree() -> None:
    frame = pd.DataFrame(VOTES, columns=["left", "right", "winner"])
    frame["annotator"] = list("abcde")
    right = win_shares(battles(frame))
    coded = frame.assign(winner=frame["winner"].map({"left": "-1", "tie": "0", "right": "1"}))
    assert win_shares(battles(coded, codes={"-1": "left", "0": "tie", "1": "right"})) == right
    named = frame.assign(
        winner=frame["left"].where(frame["winner"] == "left", frame["right"]).where(
            frame["winner"] != "tie", "tie")
    )  # fmt: skip
    assert win_shares(battles(named)) == right
    marks = pd.get_dummies(frame["winner"], dtype=int).add_prefix("is_")
    hot = pd.concat([frame.drop(columns="winner"), marks], axis=1)
    outcome = {"left": "is_left", "right": "is_right", "tie": "is_tie"}
    assert win_shares(judgments(hot, outcome=outcome)) == right
    key = frame.assign(key=frame["left"] + " vs " + frame["right"])[["key", "winner", "annotator"]]
    assert win_shares(judgments(key, split={"key": "{left} vs {right}"})) == right


def test_rankings_of_several_are_comparisons_of_one_annotator_and_question() -> None:
    frame = pd.DataFrame(
        {
            "annotator": ["x", "y"],
            "question": ["q", "q"],
            "order": ["A > B = C > D", "D > C > B > A"],
        }
    )
    found = battles(frame, options="order")
    assert (len(found.table), found.order_known) == (12, False)
    assert found.table.groupby(["annotator", "question"], observed=True).size().tolist() == [6, 6]
    assert (found.table["winner"] == "tie").sum() == 1


def test_two_files_of_one_system_are_refused(tmp_path: Path) -> None:
    for system, name in itertools.product(("Ash", "Elm"), ("samples_gsm8k", "samples_mmlu")):
        (tmp_path / system).mkdir(exist_ok=True)
        rows = outputs()[lambda frame, system=system: frame["system"] == system]
        rows.drop(columns="system").to_csv(tmp_path / system / f"{name}.csv", index=False)
    with pytest.raises(DataError) as error:
        read(tmp_path, files="{system}/samples*.csv")
    assert error.value.code == "two_files_for_one"
    found = read(tmp_path, files="{system}/samples_{domain}.csv")
    assert sorted(found.table["domain"].unique()) == ["gsm8k", "mmlu"]


def test_likert_preferences_are_ranges() -> None:
    frame = pd.DataFrame({"left": list("ABAB"), "right": list("BABA"), "winner": [1, 4, 7, 3]})
    found = battles(frame, codes={"1..3": "left", "4": "tie", "5..7": "right"})
    assert found.table["winner"].tolist() == ["left", "tie", "right", "left"]
