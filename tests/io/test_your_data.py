"""Every command of docs/your-data.md runs on a file of the form that the page shows."""

import itertools
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rankstability.io.declare import parse_words
from rankstability.io.read import battles, read
from rankstability.judgments import Judgments

PAGE = Path(__file__).parents[2] / "docs" / "your-data.md"
BLOCK = re.compile(r"```(\w+)(?: (\S+))?\n(.*?)```", re.DOTALL)
SYSTEMS = ("Alder", "Birch", "Cedar")
PEOPLE = ("anna", "bert", "carl", "dora")
LEVEL = {"Alder": 4, "Birch": 3, "Cedar": 2, "reference": 5, "anchor35": 1}
WORDS = ("", "Very bad", "Bad", "Fair", "Good", "Very good")


def rating(system: str, item: int, person: str) -> int:
    """Return a score from 1 to 5."""
    return max(1, min(5, LEVEL[system] + (item + PEOPLE.index(person)) % 3 - 1))


def rows(names: tuple[str, ...] = SYSTEMS, items: int = 6) -> list[tuple[str, int, str, int]]:
    every = itertools.product(names, range(1, items + 1), PEOPLE)
    return [(s, k, who, rating(s, k, who)) for s, k, who in every]


def csv(header: str, lines: list[tuple[Any, ...]]) -> str:
    return pd.DataFrame(lines, columns=header.split(",")).to_csv(index=False)


def lines_of_json(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def comparisons() -> list[tuple[str, str, str, str, int]]:
    """Return question, left, right, person and the outcome: 1 left, -1 right, 0 tie."""
    pairs = itertools.permutations(SYSTEMS, 2)
    every = [(a, b, k) for a, b in pairs for k in range(4)]
    outcome = [LEVEL[a] - LEVEL[b] if k < 3 else LEVEL[b] - LEVEL[a] + 1 for a, b, k in every]
    signs = [(value > 0) - (value < 0) for value in outcome]
    return [
        (f"q{k}", a, b, PEOPLE[(k + len(a + b)) % 4], sign)
        for (a, b, k), sign in zip(every, signs, strict=True)
    ]


def survey() -> str:
    questions = [(k, s) for k in (1, 2, 3) for s in SYSTEMS]
    head = ["ResponseId", *(f"Q{k}_{SYSTEMS.index(s) + 1}" for k, s in questions)]
    text = ["Response ID", *(f"Rate summary {k} - {s}" for k, s in questions)]
    ids = [f'{{"ImportId": "{name}"}}' for name in head]
    body = [[f"R_{w}", *(WORDS[rating(s, k, w)] for k, s in questions)] for w in PEOPLE]
    return pd.DataFrame([head, text, ids, *body]).to_csv(index=False, header=False)


def criteria() -> list[tuple[str, int, str, int, int]]:
    return [(s, k, who, score, 6 - score) for s, k, who, score in rows()]


def blocks() -> str:
    lines = []
    for k, who in itertools.product(range(1, 6), PEOPLE):
        first, second, _ = sorted(SYSTEMS, key=lambda s, k=k: (SYSTEMS.index(s) + k) % 3)
        scores = [10 * rating(s, k, who) for s in (first, second)]
        lines.append((k, who, first, second, *scores))
    return csv("item,worker,sys1,sys2,quality1,quality2", lines)


def board() -> str:
    answers = [[int((LEVEL[s] * k) % 5 > 1) for s in SYSTEMS] for k in range(1, 21)]
    return csv("item,Alder,Birch,Cedar", [(k, *row) for k, row in enumerate(answers, start=1)])


def results(system: str) -> str:
    every = enumerate(itertools.product(("algebra", "logic"), range(10)))
    records = [
        {"doc_id": k, "task": task, "exact_match": int((LEVEL[system] * n) % 5 > 1)}
        for k, (task, n) in every
    ]
    return lines_of_json(records)


def arena() -> str:
    names = {1: "A", -1: "B", 0: "tie"}
    lines = [(q, a, b, who, names[sign]) for q, a, b, who, sign in comparisons()]
    return csv("question_id,model_a,model_b,judge,winner", lines)


def games() -> str:
    lines = [
        (q, *((a, b) if sign >= 0 else (b, a)), str(sign == 0), who)
        for q, a, b, who, sign in comparisons()
    ]
    return csv("prompt,winner,loser,is_tie,user", lines)


def judged() -> str:
    names = {1: "model_a", -1: "model_b", 0: "tie"}
    keys = ("prompt", "model_a", "model_b", "winner", "judge")
    every = [(q, a, b, names[sign], "gpt-4") for q, a, b, _, sign in comparisons()]
    return lines_of_json([dict(zip(keys, row, strict=True)) for row in every])


def choices() -> str:
    lines = [
        (f"q{k}", f"u{k % 5}", ", ".join(shown), "none" if k % 7 == 6 else shown[k % 3])
        for k, shown in enumerate(list(itertools.permutations(SYSTEMS)) * 3)
    ]
    return csv("row,user,candidates,best", lines)


def nested() -> str:
    return lines_of_json(
        [
            {"doc_id": f"d{k}", "system_id": s, "scores": {"coherence": score, "fluency": 5}}
            for s, k, who, score in rows()
            if who == "anna"
        ]
    )


FILES: dict[str, Callable[[], str]] = {
    "ratings.csv": lambda: csv(
        "model,item,text,rater,stars",
        [(s, k, f"news-{k % 3}", who, score) for s, k, who, score in rows()],
    ),
    "mushra.csv": lambda: csv(
        "session_uuid,trial_id,rating_stimulus,rating_score",
        [(who, f"trial_{k}", s, 20 * score - k)
         for s, k, who, score in rows(("reference", "anchor35", *SYSTEMS))],
    ),
    "survey.csv": survey,
    "criteria.csv": lambda: csv("system,segment,annotator,fluency,adequacy", criteria()),
    "long.csv": lambda: csv(
        "system,segment,annotator,criterion,score",
        [(s, k, who, name, score)
         for s, k, who, *scores in criteria()
         for name, score in zip(("fluency", "adequacy"), scores, strict=True)],
    ),
    "arena.csv": arena,
    "games.csv": games,
    "judged.jsonl": judged,
    "board.csv": board,
    "results/Alder/samples.jsonl": lambda: results("Alder"),
    "results/Birch/samples.jsonl": lambda: results("Birch"),
    "wer.csv": lambda: csv(
        "model,utterance,wer",
        [(s, f"u{k}", (6 - score) / 20) for s, k, who, score in rows() if who == "anna"],
    ),
    "choices.csv": choices,
    "nested.jsonl": nested,
    "blocks.csv": blocks,
}  # fmt: skip
RIGHT = {
    "ratings.csv": ("ratings", 3), "mushra.csv": ("ratings", 3), "survey.csv": ("ratings", 3),
    "criteria.csv": ("ratings", 3), "long.csv": ("ratings", 3), "arena.csv": ("votes", 3),
    "games.csv": ("votes", 3), "judged.jsonl": ("votes", 3), "board.csv": ("leaderboard", 3),
    "results": ("leaderboard", 2), "wer.csv": ("leaderboard", 3), "choices.csv": ("votes", 3),
    "nested.jsonl": ("leaderboard", 3), "blocks.csv": ("ratings", 3),
}  # fmt: skip


def blocks_of(kind: str) -> list[tuple[str, str]]:
    """Return the names and texts of the page's blocks of one kind."""
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [(name, text) for language, name, text in found if language == kind]


COMMANDS = [line for _, text in blocks_of("bash") for line in text.splitlines() if line]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all files of the page."""
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_has_ten_situations() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^## \d+\. ", text, re.MULTILINE)) == 10
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize("name,text", blocks_of("text"))
def test_files_have_the_columns_that_the_page_shows(name: str, text: str) -> None:
    shown, made = text.splitlines()[0], FILES[name]().splitlines()[0]
    if name.endswith(".jsonl"):
        assert list(json.loads(shown)) == list(json.loads(made))
    elif name == "survey.csv":
        assert shown.split(",")[0] == made.split(",")[0]
    else:
        assert shown == made


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command: str, folder: Path) -> None:
    program, verb, *arguments = shlex.split(command)
    assert (program, verb) == ("rankstability", "verdict")
    (file,), words = parse_words(arguments)
    found = read(file, **words)
    every = [found] if isinstance(found, Judgments) else list(found.values())
    kind, systems = RIGHT[file]
    assert {each.kind for each in every} == {kind}
    assert {each.n_systems for each in every} == {systems}
    assert (len(every) > 1) == ("--each" in command)
    assert all(each.lower_is_better == ("--lower-is-better" in command) for each in every)


def test_the_lines_of_python_run(folder: Path) -> None:
    ((_, text),) = blocks_of("python")
    names: dict[str, Any] = {"frame": pd.read_csv(folder / "arena.csv")}
    exec(text, names)
    assert names["judgments"].n_systems == 3
    assert names["votes"].kind == "votes"
    assert battles(names["frame"], codes={"A": "left", "B": "right"}).n_annotators == 4


@pytest.mark.parametrize(
    "words",
    re.findall(r"`(--[^`]+)`", PAGE.read_text(encoding="utf-8").partition("## When")[2]),
)
def test_words_in_the_table_are_words(words: str) -> None:
    arguments = shlex.split(words)
    if arguments[0] != "--save":
        assert parse_words(arguments)[1]
