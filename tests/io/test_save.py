"""``read ... --save campaign.yaml``: the words that are written read the same judgments again."""

from __future__ import annotations

import os
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankstability import cli
from rankstability.io.declare import WORDS, check_words, command_line, parse_words
from rankstability.io.read import read
from rankstability.io.settings import read_settings, settings_text
from rankstability.judgments import Judgments

CASES = Path(os.environ.get("RANKSTABILITY_CASES", Path(__file__).parents[3] / "shared" / "cases"))
DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
NAMES = ("no", "yes", "017", "1e3", "null", "~", "A=B", "# x", "it's", 'q "b"', "a: c", "ä", "- z")


def parts_of(result: Any) -> dict[str, Judgments]:
    return {"": result} if isinstance(result, Judgments) else dict(result)


def assert_equal(first: Any, second: Any) -> None:
    """Compare judgments in every attribute."""
    a, b = parts_of(first), parts_of(second)
    assert list(a) == list(b)
    for name in a:
        for attribute in (each.name for each in fields(Judgments)):
            left, right = getattr(a[name], attribute), getattr(b[name], attribute)
            if isinstance(left, pd.DataFrame):
                pd.testing.assert_frame_equal(left, right)
            else:
                assert left == right, attribute


def save_and_compare(arguments: list[str], target: Path, capsys: Any) -> None:
    """Read with words, save them, read again, and save once more from what was saved."""
    assert cli.main(["read", *arguments, "--save", str(target)]) == 0, capsys.readouterr().err
    files, words = parse_words(arguments)
    first = read(files[0], **words)
    assert_equal(first, read(target))
    again = target.with_name("again.yaml")
    assert cli.main(["read", str(target), "--save", str(again)]) == 0
    assert_equal(first, read(again))


def table(folder: Path, names: tuple[str, ...] = NAMES) -> Path:
    rows = [(name, f"{k:03}", u, k + len(name)) for name in names for k in range(3) for u in "ab"]
    path = folder / "my # table.csv"
    pd.DataFrame(rows, columns=["who=what", "seg: ment", "user", "stars"]).to_csv(path, index=False)
    return path


FIRST = [
    "--system",
    "who=what",
    "--segment",
    "seg: ment",
    "--annotator",
    "user",
    "--score",
    "stars",
]


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--humans", "no", "017", "--controls", "it's", "# x"],
        ["--scale", "0.123456789", "1234567.25"],
        ["--scale", "-1e-7", "100"],
        ["--codes", "A=B=A # B", "null=yes, it is"],
        ["--where", "user=a", "user=b", "who=what!=ä"],
        ["--each", "annotator", "--title", "no: 017 # \"x\" 'y'", "--year", "2024"],
        ["--names", "exact", "--higher-is-better", "--models", "a"],
        ["--header", "1", "--skip-rows", "0"],
    ],
)
def test_words_with_marks_of_yaml_and_the_shell(
    more: list[str], tmp_path: Path, capsys: Any
) -> None:
    arguments = [str(table(tmp_path)), *FIRST, *more]
    for folder in (tmp_path, tmp_path / "else where"):
        folder.mkdir(exist_ok=True)
        save_and_compare(arguments, folder / "campaign.yaml", capsys)
        (folder / "campaign.yaml").unlink()


def test_words_of_settings_that_were_read_are_kept(tmp_path: Path, capsys: Any) -> None:
    path = table(tmp_path)
    words = {"data": path.name, **parse_words(["x", *FIRST])[1], "humans": ["no"]}
    beside = tmp_path / "campaign.yaml"
    beside.write_text(settings_text(words))
    other = tmp_path / "other"
    other.mkdir()
    for named in (beside, path):  # named, or found beside the data
        target = other / "campaign.yaml"
        assert cli.main(["read", str(named), "--title", "T", "--save", str(target)]) == 0
        assert read(target).humans == ("no",)
        assert read(target).campaign == "T"
    assert cli.main(["read", str(beside), "--title", "U", "--save", str(beside)]) == 0
    assert (read(beside).campaign, read(beside).humans) == ("U", ("no",))


def test_the_path_of_a_file_elsewhere_does_not_depend_on_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "work").mkdir()
    table(tmp_path / "data").rename(tmp_path / "data" / "t.csv")
    monkeypatch.chdir(tmp_path / "work")
    assert cli.main(["read", "../data/t.csv", *FIRST, "--save", "campaign.yaml"]) == 0
    monkeypatch.chdir("/")
    assert read(tmp_path / "work" / "campaign.yaml").n_systems == len(NAMES)


def test_a_part_of_the_pairs_and_a_campaign_of_the_catalogue_are_not_saved(
    tmp_path: Path, capsys: Any
) -> None:
    for arguments in (["demo-srdc", "de-en"], [str(table(tmp_path)), "en-de"]):
        assert cli.main(["read", *arguments, "--save", str(tmp_path / "c.yaml")]) == 2
        assert not (tmp_path / "c.yaml").exists()


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
VALUES = {
    "text": TEXTS,
    "flag": st.just(True),
    "list": st.lists(TEXTS, min_size=1, max_size=3),
    "pairs": st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=3),
    "number": st.integers(0, 10**6),
    "range": st.tuples(st.floats(-1e9, 0, exclude_max=True), st.floats(0, 1e9)),
}


@given(st.data())
@settings(max_examples=100)
def test_every_word_comes_back_from_settings_and_from_a_command(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    word = data.draw(st.sampled_from(list(WORDS.values())))
    value = data.draw(st.sampled_from(word.allowed) if word.allowed else VALUES[word.kind])
    words = check_words({word.name: value})
    path = tmp_path_factory.getbasetemp() / "campaign.yaml"
    path.write_bytes(settings_text(words).encode())
    assert check_words(read_settings(path)) == words
    values = [text for each in words.values() for text in (each if isinstance(each, list) else [])]
    texts = [str(value), *values, *(words[word.name] if word.kind == "pairs" else [])]
    if not any(text.startswith("--") or "=" in text for text in texts) and "=" not in str(value):
        assert parse_words(shlex.split(command_line("a.csv", words))[2:])[1] == words


INPUTS = {
    "battles-winner-A-B-C/AB.csv": "--codes A=left B=right C=tie",
    "battles-winner-0-1-2/num012.csv": "--codes 1=left 2=right 0=tie",
    "battles-winner-one-hot/onehot.csv": "--outcome left=winner_model_a right=winner_model_b tie=winner_tie",
    "battles-winner-and-loser-columns/winner_loser.csv": "--winner winner --loser loser --tie is_tie --annotator user",
    "battles-preference-1-to-2/alpaca.csv": "--left generator_1 --right generator_2 --winner preference --codes 1..1.25=left 1.25..1.75=tie 1.75..2=right",
    "battles-one-judge-column-each/votes.json": "--split cmp_key={left}_{right} --winner annotator{annotator} --codes 0=tie 1=left 2=right",
    "battles-only-a-model-judges/swapped.jsonl": "--question question_id --models gpt-4",
    "best-per-category/rewardbench.csv": "--system model --segment id --score correct --each category",
    "blank-in-header-tab-in-rows/mqm_newstest_ende.avg_seg_scores.tsv": "--score mqm_avg_score --segment seg_id",
    "choice-among-several/choices.csv": "--chosen comparison_winner --options comparison_candidates --annotator user --question row_id",
    "criteria-columns/stories.csv": "--system Model --segment 'Story ID' --annotator 'Worker ID' --criteria Relevance Coherence Surprise Complexity --each criterion",
    "errors-lower-is-better/wer.csv": "--system model --score wer --segment utterance --lower-is-better",
    "mushra/mushra.csv": "--system rating_stimulus --segment trial_id --score rating_score --annotator session_uuid --controls reference anchor35 anchor70",
    "nested-scores/gen.json": "--segment doc_id --score 'gen.{system}.score[]'",
    "numbered-blocks/ratings.csv": "--segment mr_id --annotator worker_id --system sys{n} --score quality{n}",
    "one-file-per-system/lmeval": "--files '{system}/samples*.jsonl' --segment doc_id --score exact_match",
    "survey-qualtrics/survey_words.csv": "--header 2 --skip-rows 1 --annotator 'Response ID' --score 'Rate each summary of text {segment} - {system}' --codes 'Very bad=1' Bad=2 'Neither good nor bad=3' Good=4 'Very good=5'",
    "wide-system-named-like-an-item/ratings.tsv": "--segment uid --wide SceneDraw Text2Paint Prompt2pic EditNet NullEdit",
}  # fmt: skip


@pytest.mark.parametrize("name", INPUTS)
def test_inputs_that_people_have_are_saved(name: str, tmp_path: Path, capsys: Any) -> None:
    if not (CASES / name).exists():
        pytest.skip("the cases are not here")
    save_and_compare([str(CASES / name), *shlex.split(INPUTS[name])], tmp_path / "c.yaml", capsys)


@pytest.mark.parametrize(
    "name",
    sorted(path.name for path in DEMO.iterdir() if path.suffix not in (".py", ".md", ".yaml")),
)
def test_demonstration_data_are_saved(name: str, tmp_path: Path, capsys: Any) -> None:
    if cli.main(["read", str(DEMO / name)]) == 0:
        save_and_compare([str(DEMO / name)], tmp_path / "c.yaml", capsys)
