"""The words that declare a table: the same on the command line, in Python and in YAML."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankstability.errors import DataError
from rankstability.io.declare import (
    WORDS,
    check_words,
    command_line,
    merge_words,
    parse_words,
    python_line,
)
from rankstability.io.read import judgments, read
from rankstability.io.settings import read_settings, write_settings


def code_of(function: Any, *arguments: Any, **words: Any) -> str:
    """Return the code of a refusal."""
    with pytest.raises(DataError) as refused:
        function(*arguments, **words)
    return refused.value.code


@pytest.mark.parametrize(
    ("line", "files", "words"),
    [
        ("a.csv --system model", ["a.csv"], {"system": "model"}),
        ("a.csv --wide A B C", ["a.csv"], {"wide": ["A", "B", "C"]}),
        ("a.csv --wide A --wide B", ["a.csv"], {"wide": ["A", "B"]}),
        ("a.csv --codes 1=left -1=right 0=tie", ["a.csv"],
         {"codes": {"1": "left", "-1": "right", "0": "tie"}}),
        ("a.csv --codes A=B=tie", ["a.csv"], {"codes": {"A=B": "tie"}}),
        ("a.csv --codes 1..3=left", ["a.csv"], {"codes": {"1..3": "left"}}),
        ("a.csv --split pair={left}_{right}", ["a.csv"], {"split": {"pair": "{left}_{right}"}}),
        ("a.csv --where a=1 a=2 b!=x", ["a.csv"], {"where": {"a": ["1", "2"], "b!": "x"}}),
        ("a.csv --where a!=", ["a.csv"], {"where": {"a!": ""}}),
        ("a.csv --scale -50 100", ["a.csv"], {"scale": (-50.0, 100.0)}),
        ("a.csv --header 2 --skip-rows 1", ["a.csv"], {"header": 2, "skip_rows": 1}),
        ("a.csv --lower-is-better", ["a.csv"], {"lower_is_better": True}),
        ("a.csv de-en cs-en --title=Mine", ["a.csv", "de-en", "cs-en"], {"title": "Mine"}),
        ("a.csv --score 'Rate {segment} - {system}'", ["a.csv"],
         {"score": "Rate {segment} - {system}"}),
    ],
)  # fmt: skip
def test_a_command_line_becomes_files_and_words(
    line: str, files: list[str], words: dict[str, Any]
) -> None:
    assert parse_words(shlex.split(line)) == (files, words)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--sytem model", "unknown_option"),
        ("--system a --system b", "option_twice"),
        ("--system", "option_without_value"),
        ("--system a b", "several_values"),
        ("--lower-is-better 1", "value_of_flag"),
        ("--lower-is-better --higher-is-better", "two_directions"),
        ("--codes A", "bad_setting"),
        ("--codes =left", "bad_setting"),
        ("--codes A=left A=right", "setting_twice"),
        ("--scale 1", "bad_setting"),
        ("--scale 5 5", "bad_setting"),
        ("--scale 0 nan", "bad_setting"),
        ("--header two", "bad_setting"),
        ("--unmarked perhaps", "bad_setting"),
        ("--names alike", "bad_setting"),
    ],
)
def test_a_wrong_command_line_is_refused(line: str, code: str) -> None:
    assert code_of(parse_words, ["a.csv", *shlex.split(line)]) == code


def test_an_unknown_word_names_the_nearest() -> None:
    with pytest.raises(DataError) as refused:
        check_words({"sytem": "model"})
    assert (refused.value.code, refused.value.expected) == ("unknown_setting", "system")


def test_words_without_a_value_are_dropped() -> None:
    empty = {"system": None, "wide": [], "lower_is_better": False, "codes": {}, "title": ""}
    assert check_words(empty) == {}


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"]),
                min_size=1, max_size=8).filter(lambda t: not t.startswith("--"))  # fmt: skip
NAMES = TEXTS.filter(lambda text: "=" not in text)
DECLARED = st.fixed_dictionaries(
    {},
    optional={
        "system": TEXTS,
        "score": TEXTS,
        "wide": st.lists(TEXTS, min_size=1, max_size=3),
        "codes": st.dictionaries(TEXTS, NAMES, min_size=1, max_size=3),
        "where": st.dictionaries(
            NAMES, st.one_of(NAMES, st.lists(NAMES, min_size=2, max_size=3)), min_size=1, max_size=2
        ),
        "scale": st.tuples(st.integers(-9, 0), st.integers(1, 9)).map(
            lambda ends: (float(ends[0]), float(ends[1]))
        ),
        "lower_is_better": st.just(True),
        "header": st.integers(1, 5),
    },
)  # fmt: skip


@settings(deadline=None, max_examples=80)
@given(DECLARED)
def test_a_printed_command_gives_the_same_words(words: dict[str, Any]) -> None:
    program, command, *arguments = shlex.split(command_line("my data.csv", words))
    assert (program, command) == ("rankstability", "read")
    assert parse_words(arguments) == (["my data.csv"], words)


@settings(deadline=None, max_examples=80)
@given(words=DECLARED)
def test_settings_give_the_same_words(
    words: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("settings") / "campaign.yaml"
    write_settings(words, path, "data.csv")
    found = read_settings(path)
    assert found.pop("data") == "data.csv"
    assert check_words(found) == check_words(words)


def test_a_line_of_python_gives_the_same_words() -> None:
    words = {"system": "it's", "wide": ["a", "b"], "lower_is_better": True}
    line = python_line("judgments", words)
    assert eval(line, {"rs": Recorder, "frame": 1}) == (1, words)


class Recorder:
    """Stands for the package, and returns what it is called with."""

    @staticmethod
    def judgments(frame: Any, **words: Any) -> tuple[Any, dict[str, Any]]:
        return frame, words


def test_changes_are_added_to_pairs_and_replace_all_else() -> None:
    words = {"codes": {"A": "left"}, "system": "x"}
    changes = {"codes": {"B": "right"}, "system": "y"}
    assert merge_words(words, changes) == {"codes": {"A": "left", "B": "right"}, "system": "y"}
    assert words == {"codes": {"A": "left"}, "system": "x"}


def test_every_word_of_the_specification_is_known() -> None:
    listed = (
        "system segment score annotator document domain criterion left right winner question order "
        "chosen options wide criteria files split codes outcome loser tie lower_is_better "
        "higher_is_better where each controls humans models names unmarked scale header skip_rows"
    )
    assert set(listed.split()) <= set(WORDS)


# ------------------------------------------------------------------ what the words do


FRAME = pd.DataFrame(
    {
        "model": ["A", "B", "C"] * 4,
        "item": [k // 3 for k in range(12)],
        "stars": [1, 2, 3, 2, 2, 3, 1, 3, 4, 2, 1, 4],
        "status": ["final", "draft", "final", "test"] * 3,
    }
)
ROLES = {"system": "model", "segment": "item", "score": "stars"}


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"status": "final"}, 6),
        ({"status": ["final", "draft"]}, 9),
        ({"status!": "test"}, 9),
        ({"status!": ["test", "draft"]}, 6),
        ({"status": "final", "item!": "0"}, 4),
    ],
)
def test_where_keeps_the_rows_that_it_names_and_counts_the_others(
    where: dict[str, Any], rows: int
) -> None:
    found = judgments(FRAME, **ROLES, where=where)
    assert (found.n_judgments, found.excluded["rows"].sum()) == (rows, 12 - rows)
    assert set(found.excluded["code"]) == {"where"}


def test_exact_names_of_roles_need_no_word() -> None:
    frame = FRAME.rename(columns={"model": "System", "item": "SEGMENT", "stars": "sco re"})
    assert judgments(frame).n_systems == 3
    assert code_of(judgments, FRAME.rename(columns={"model": "systems"})) == "missing_role"


def test_codes_join_names_and_turn_words_into_numbers() -> None:
    frame = FRAME.assign(stars=FRAME["stars"].map({1: "bad", 2: "fair", 3: "good", 4: "best"}))
    codes = {"bad": "1", "fair": "2", "good": "3", "best": "4", "C": "B"}
    found = judgments(frame, **ROLES, codes=codes)
    assert found.systems == ["A", "B"]
    assert found.table["score"].tolist() == FRAME["stars"].tolist()


def test_a_scale_is_declared_or_noted() -> None:
    assert judgments(FRAME, **ROLES, scale=(0, 5)).scale == (0.0, 5.0)
    found = judgments(FRAME, **ROLES)
    assert found.scale == (1.0, 4.0)
    assert "scale_from_data" in set(found.notes["code"])


def test_controls_are_shown_and_not_ranked() -> None:
    found = judgments(FRAME, **ROLES, controls=["A"], humans=["B"])
    assert found.systems == ["B", "C"]
    assert set(found.table["system"].astype(str)) == {"A", "B", "C"}
    assert (found.controls, found.humans) == (("A",), ("B",))


def test_a_folder_of_files_gives_a_role(tmp_path: Path) -> None:
    for name, part in FRAME.groupby("model"):
        (tmp_path / name).mkdir()
        part.drop(columns="model").to_csv(tmp_path / name / "run-1.csv", index=False)
    found = read(tmp_path, files="{system}/run*.csv", segment="item", score="stars")
    assert found.n_judgments == 12
    means = found.table.groupby("system", observed=True)["score"].mean()
    assert means.to_dict() == FRAME.groupby("model")["stars"].mean().to_dict()
