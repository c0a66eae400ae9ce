"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rankstability as rs
from rankstability import cli
from rankstability.errors import DataError
from rankstability.io.declare import WORDS as WORDS_OF_TABLES
from rankstability.io.formats.registry import FORMATS
from rankstability.io.read import read
from rankstability.io.report import summarise_systems
from rankstability.scores.pairwise import vote_arrays

DEMO = Path(__file__).resolve().parents[1] / "data" / "demo"
SYSTEMS = ("Alder", "Birch", "Cedar", "Dogwood")


def ratings(names: tuple[str, ...] = SYSTEMS) -> pd.DataFrame:
    """Return ratings of four systems on ten items by three people, in two domains."""
    rows = [
        (name, f"item{item}", f"user{user}", 5 * k + (3 * item + 7 * user + k * item) % 11, domain)
        for k, name in enumerate(names)
        for item, domain in enumerate(["code", "chat"] * 5)
        for user in range(3)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "user", "stars", "domain"])


WORDS = ["--system", "model", "--segment", "item", "--annotator", "user", "--score", "stars"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a table in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    ratings().to_csv("stars.csv", index=False)
    return "stars.csv"


def run(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    """Return the exit code, and what was printed as output and as errors."""
    code = cli.main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_verdict_is_written_as_page_and_numbers(table: str, capsys: Any) -> None:
    code, out, err = run(capsys, "verdict", table, *WORDS)
    assert (code, err) == (0, "")
    folder = Path("results/stars")
    assert str(folder / "verdict.html") in out
    facts = json.loads((folder / "verdict.json").read_text())
    assert facts["counts"]["systems"] == 4
    shown = pd.read_csv(folder / "ranking.csv").set_index("system")["score"]
    means = ratings().groupby("model")["stars"].mean()
    assert shown.to_dict() == pytest.approx(means.to_dict())


def test_options_of_the_verdict_reach_it(table: str, capsys: Any) -> None:
    asked = ["--ask", "Dogwood", "Alder", "--alpha", "0.1", "--output", "here", "--title", "Mine"]
    assert run(capsys, "verdict", table, *WORDS, *asked, "--figure", "r.svg")[0] == 0
    facts = json.loads(Path("here/verdict.json").read_text())
    assert facts["alpha"] == 0.1
    assert "Mine" in Path("here/verdict.html").read_text()
    assert Path("r.svg").read_text().startswith("<?xml")


def test_what_changed_since_an_earlier_table(table: str, capsys: Any) -> None:
    earlier = DEMO / "ratings.csv"
    later = pd.read_csv(earlier)
    raised = later["system"] == "Elm"
    later.loc[raised, "score"] = (later.loc[raised, "score"] + 25).clip(upper=100)
    later["annotator"] = "new " + later["annotator"]
    later.to_csv("later.csv", index=False)
    given = ["--earlier", str(earlier), "--scale", "0", "100", "--output", "here"]
    assert run(capsys, "verdict", "later.csv", *given)[0] == 0
    found = json.loads(Path("here/verdict.json").read_text())["questions"]["earlier"]
    assert {row["gained"] for row in found["rows"]} == {"Elm"}
    assert (len(found["rows"]), found["differences"]) == (4, 10)


def test_commands_that_are_not_of_this_tool_are_printed_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path))
    code, _, err = run(capsys, "verdict", "wmt12", "cs-en", "--output", "here")
    assert code == 2
    assert err.rstrip().endswith("make data CAMPAIGN=wmt12")


def test_each_value_has_its_page_and_one_page_compares_them(table: str, capsys: Any) -> None:
    code, out, _ = run(capsys, "verdict", table, *WORDS, "--each", "domain", "--output", "out")
    assert code == 0 and "side by side" in out
    page = Path("out/index.html").read_text()
    for name in ("code", "chat"):
        assert Path("out", name, "verdict.html").is_file()
        assert f"{name}/verdict.html" in page


def test_values_that_need_the_same_name_of_a_folder_are_all_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"code": "a/b", "chat": "a?b"}
    ratings().assign(domain=lambda t: t["domain"].map(names)).to_csv("t.csv", index=False)
    words = [*WORDS, "--each", "domain", "--names", "exact", "--output", "out"]
    assert run(capsys, "verdict", "t.csv", *words)[0] == 0
    assert len(list(Path("out").rglob("verdict.html"))) == 2
    assert all(path.is_relative_to("out") for path in Path().rglob("*.html"))


def test_read_shows_what_would_be_read_and_stops(table: str, capsys: Any) -> None:
    code, out, _ = run(capsys, "read", table, *WORDS, "--where", "domain=code")
    assert code == 0
    for part in ("judgments: 60", "systems: 4", "annotators: 3", "Alder", "domain: code", "60"):
        assert part in out
    assert not Path("results").exists()


@pytest.mark.parametrize(
    "more",
    [[], ["--where", "domain!=chat"], ["--codes", "Alder=Ash", "--scale", "0", "40"],
     ["--each", "domain", "--title", "no"], ["--controls", "Alder", "--humans", "Birch"]],
)  # fmt: skip
def test_what_read_saves_reads_the_same_again(table: str, capsys: Any, more: list[str]) -> None:
    Path("kept").mkdir()
    assert run(capsys, "read", table, *WORDS, *more, "--save", "kept/campaign.yaml")[0] == 0
    files, words = cli.parse_words([table, *WORDS, *more])
    first, second = read(files[0], **words), read("kept/campaign.yaml")
    parts = [first, second] if not isinstance(first, dict) else [*first.values(), *second.values()]
    half = len(parts) // 2
    for a, b in zip(parts[:half], parts[half:], strict=True):
        pd.testing.assert_frame_equal(a.table, b.table)
        assert (a.scale, a.controls, a.humans) == (b.scale, b.controls, b.humans)


def test_two_pairs_side_by_side(tmp_path: Path, capsys: Any) -> None:
    code, _, _ = run(capsys, "verdict", "demo-srdc", "de-en", "en-cs", "--output", str(tmp_path))
    assert code == 0
    page = (tmp_path / "index.html").read_text()
    assert all(f"{pair}/verdict.html" in page for pair in ("de-en", "en-cs"))
    assert (tmp_path / "de-en" / "verdict.json").is_file()


def test_formats_and_campaigns_are_listed(capsys: Any) -> None:
    code, out, _ = run(capsys, "formats")
    assert code == 0 and all(name in out for name in FORMATS)
    code, out, _ = run(capsys, "campaigns")
    assert code == 0 and "demo-srdc" in out


@pytest.mark.parametrize("arguments", [[], ["--help"], ["verdict", "--help"], ["read", "-h"]])
def test_help(arguments: list[str], capsys: Any) -> None:
    code, out, _ = run(capsys, *arguments)
    assert code == 0 and "usage: rankstability" in out
    if "verdict" in arguments:
        assert "--lower-is-better" in out and "--ask A B" in out


NAMED = "--system model --segment item --annotator user --score stars"
WRONG = {
    "verdit x.csv": "unknown_command",
    "verdict": "no_file",
    "verdict nothing.csv": "no_such_file",
    "verdict stars.csv --sytem model": "unknown_option",
    "verdict stars.csv --system model --system item": "option_twice",
    "verdict stars.csv --system": "option_without_value",
    "verdict stars.csv --system my model": "several_values",
    "verdict stars.csv --lower-is-better yes": "value_of_flag",
    "verdict stars.csv --ask Alder": "bad_setting",
    "verdict stars.csv --alpha much": "bad_setting",
    "verdict stars.csv --candidates all": "value_of_flag",
    "verdict stars.csv --candidates --candidates": "option_twice",
    "verdict stars.csv --lower-is-better --lower-is-better": "option_twice",
    "verdict stars.csv --output=": "option_without_value",
    "verdict ''": "no_file",
    "verdict stars.csv --title ''": "option_without_value",
    "verdict stars.csv --wide=": "option_without_value",
    "verdict stars.csv --header 0": "bad_setting",
    "verdict stars.csv --look 2": "option_without_effect",
    "verdict stars.csv --look 0 --looks 3 " + NAMED: "more_looks_than_planned",
    "verdict stars.csv --looks 0 " + NAMED: "bad_number",
    "verdict stars.csv --figure ranking.bmp": "bad_setting",
    "verdict stars.csv --over-all " + NAMED: "option_without_effect",
    "verdict stars.csv --each domain --figure r.svg " + NAMED: "option_without_effect",
    "verdict stars.csv --each domain --earlier stars.csv " + NAMED: "option_without_effect",
    "verdict demo-srdc --figure r.svg": "option_without_effect",
    "verdict demo-srdc --earlier stars.csv": "option_without_effect",
    "verdict demo-rr cs-en --procedure wmt17": "argument_not_used",
    "read demo-srdc de-en --save c.yaml": "option_without_effect",
    "read stars.csv de-en --save c.yaml": "option_without_effect",
    "verdict --system model": "no_file",
    "verdict --": "no_file",
    "verdict -stars.csv": "no_such_file",
    "--system model verdict stars.csv": "unknown_command",
    "formats stars.csv": "unknown_argument",
    "campaigns demo-srdc": "unknown_argument",
    "data wmt99": "unknown_campaign",
    "data --all": "unknown_campaign",
    "verdict stars.csv --where domain=code domain": "bad_setting",
    "verdict stars.csv --codes a=1 a=2": "setting_twice",
    "verdict stars.csv --scale 5": "bad_setting",
    "read stars.csv --ask Alder Birch": "unknown_option",
    "verdict demo-srdc xx-yy": "unknown_pair",
    "verdict demo-srdc de-en --system model": "word_of_table",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_options_end_with_2_and_a_sentence(
    line: str, table: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    original = cli._run

    def run_and_keep(given: list[str]) -> int:
        try:
            return original(given)
        except DataError as error:
            found.append(error.code)
            raise

    monkeypatch.setattr(cli, "_run", run_and_keep)
    code, out, err = run(capsys, *shlex.split(line))
    assert (code, out, found) == (2, "", [WRONG[line]])
    assert err.startswith("error: ")
    assert not Path("results").exists()


def test_a_refusal_of_the_verdict_prints_the_command_of_the_verdict(
    table: str, capsys: Any
) -> None:
    ratings().rename(columns={"stars": "wer"}).to_csv("wer.csv", index=False)
    words = [*WORDS[:-1], "wer"]
    code, _, err = run(capsys, "verdict", "wer.csv", *words, "--ask", "Alder", "Birch")
    assert code == 2
    commands = [line.strip() for line in err.splitlines() if "--lower-is-better" in line]
    assert commands[0].endswith("--lower-is-better --ask Alder Birch")
    assert run(capsys, *shlex.split(commands[0])[1:])[0] == 0
    facts = json.loads(Path("results/wer/verdict.json").read_text())
    assert facts["lower_is_better"] is True


def test_questions_reach_the_page_of_each_ranking(table: str, capsys: Any) -> None:
    asked = ["--ask", "Dogwood", "Alder", "--baseline", "Alder", "--candidates"]
    looks = ["--look", "2", "--looks", "5"]
    given = [*WORDS, "--each", "domain", *asked, *looks, "--output", "out"]
    assert run(capsys, "verdict", table, *given)[0] == 0
    for name in ("code", "chat"):
        facts = json.loads(Path("out", name, "verdict.json").read_text())
        assert set(facts["questions"]) == {"pairs", "baseline", "candidates", "looks"}
        assert facts["alpha"] == 0.01


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_file_whose_name_begins_with_a_hyphen(place: str, table: str, capsys: Any) -> None:
    Path(table).rename("-stars.csv")
    parts = ["-stars.csv", *WORDS] if place == "before" else [*WORDS, "--", "-stars.csv"]
    assert run(capsys, "read", *parts)[0] == 0


@pytest.mark.parametrize("command", ["verdict", "read", "formats", "campaigns", "data"])
def test_the_help_fits_a_terminal_and_names_every_option(command: str, capsys: Any) -> None:
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    if command in ("verdict", "read"):
        known = [word.option for word in WORDS_OF_TABLES.values()]
        known += [f"--{name}" for name, each in cli.OPTIONS.items() if command in each.commands]
        for option in known:
            assert f"  {option} " in out or f"  {option}\n" in out


# ------------------------------------------------------------------ words without effect

VOTES = [("A", "B", "left"), ("B", "C", "right"), ("C", "A", "tie"), ("A", "C", "left")] * 3
OF_SCORES = {
    "--lower-is-better", "--higher-is-better", "--scale 0 5", "--year 2020", "--hit q", "--time q",
    "--item-type q", "--score q", "--system q", "--wide left right", "--criteria left right",
}  # fmt: skip
OF_COMPARISONS = {"--order unknown"}
OF_NO_TABLE = {"--unmarked clean", "--weights freitag2021", "--sheet a"}
REPLACED = [
    "--loser right --winner left --left left", "--loser right --winner left --order unknown",
    "--options left --left left", "--options left --winner q", "--options left --order unknown",
    "--outcome left=a right=b --winner winner", "--segment q --question q",
]  # fmt: skip
RATED = [
    "--wide stars model --system model", "--criteria stars model --criterion domain",
    "--question domain " + NAMED, *(f"{words} {NAMED}" for words in OF_COMPARISONS),
    *(f"{words} {NAMED}" for words in OF_NO_TABLE),
]  # fmt: skip
VOTED = [*OF_SCORES, *OF_NO_TABLE, *REPLACED]


@pytest.mark.parametrize(
    "line",
    [*(f"stars.csv {words}" for words in sorted(RATED)),
     *(f"votes.csv --left left --right right {words}" if "--left" not in words and
       "loser" not in words and "options" not in words else f"votes.csv {words}"
       for words in sorted(VOTED)),
     *(f"votes.json {words}" for words in ("--header 2", "--skip-rows 1", "--sheet a")),
     "arena.csv --scale 0 5", "arena.csv --year 2020", "arena.csv --weights freitag2021",
     "arena.csv --unmarked clean"],
)  # fmt: skip
def test_a_word_that_can_have_no_effect_is_refused(line: str, table: str) -> None:
    votes = pd.DataFrame(VOTES, columns=["left", "right", "winner"]).assign(q=range(12))
    votes.to_csv("votes.csv", index=False)
    votes.to_json("votes.json", orient="records")
    arena = votes.rename(columns={"left": "model_a", "right": "model_b"})
    arena.to_csv("arena.csv", index=False)
    files, words = cli.parse_words(shlex.split(line))
    with pytest.raises(DataError) as refused:
        read(files[0], **words)
    assert refused.value.code == "word_without_effect"


@pytest.mark.parametrize("word", ["files", "header", "skip_rows", "sheet"])
def test_words_of_files_are_refused_for_frames(word: str) -> None:
    with pytest.raises(DataError) as refused:
        rs.judgments(ratings(), **{word: 1})
    assert refused.value.code == "word_without_effect"


@pytest.mark.parametrize("codes", ["Adler=Alder", "98=99", "zz=3", "Alder=Ash Brich=Ash"])
def test_codes_of_what_does_not_occur_are_refused(codes: str, table: str) -> None:
    files, words = cli.parse_words([table, *WORDS, "--codes", *codes.split()])
    with pytest.raises(DataError) as refused:
        read(files[0], **words)
    assert refused.value.code == "unknown_name"


HOSTILE = ("<script>alert(1)</script>", "\x1b[31mred", "../../up", "a\u202eb")


def test_hostile_names_are_shown_and_run_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = ratings(HOSTILE).assign(domain=lambda t: t["domain"] + "/../\x1b[2J")
    frame.to_csv("t.csv", index=False)
    for more in ([], ["--each", "domain"]):
        code, out, err = run(capsys, "verdict", "t.csv", *WORDS, *more, "--output", "out/in")
        assert (code, err) == (0, "")
        assert not {"\x1b", "\u202e"} & set(out)
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) == 4 and all(page.is_relative_to(tmp_path / "out/in") for page in pages)
    for page in pages:
        text = page.read_text()
        assert "<script" not in text and not {"\x1b", "\u202e"} & set(text)
    for written in tmp_path.joinpath("out").rglob("*.csv"):
        assert "\x1b" not in written.read_text()
    code, out, _ = run(capsys, "read", "t.csv", *WORDS)
    assert code == 0 and not {"\x1b", "\u202e"} & set(out)


@pytest.mark.skipif(os.name != "posix", reason="sets a limit of the system")
def test_few_open_files_are_enough_or_end_with_a_sentence(tmp_path: Path) -> None:
    ratings().to_csv(tmp_path / "t.csv", index=False)
    program = (
        "import resource, sys; from rankstability import cli;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14));"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "verdict", "t.csv", *WORDS],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


def lines_of_systems(out: str) -> list[list[str]]:
    """Return the words of the lines below the heading of the systems."""
    lines = out.splitlines()
    start = next(k for k, line in enumerate(lines) if line.split()[:1] == ["system"])
    ends = ("note:", "a column", "these settings")
    end = next((k for k in range(start, len(lines)) if lines[k].startswith(ends)), len(lines))
    return [line.split() for line in lines[start:end]]


def test_read_shows_each_system_with_its_judgments_and_mean(table: str, capsys: Any) -> None:
    _, out, _ = run(capsys, "read", table, *WORDS)
    heading, *rows = lines_of_systems(out)
    assert heading == ["system", "judgments", "mean", "score"]
    means = ratings().groupby("model")["stars"].mean().sort_values(ascending=False)
    assert [row[0] for row in rows] == list(means.index)
    assert [float(row[2]) for row in rows] == pytest.approx(list(means), rel=1e-3)
    assert {row[1] for row in rows} == {"30"}
    _, out, _ = run(capsys, "read", table, *WORDS, "--lower-is-better")
    assert [row[0] for row in lines_of_systems(out)[1:]] == list(means.index[::-1])


def test_read_shows_how_often_each_system_won_tied_and_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text(
        "left,right,winner,question\nA,B,left,1\nB,A,right,2\nA,C,tie,3\nC,B,left,4\nA,B,tie,5\n"
    )
    _, out, _ = run(capsys, "read", "v.csv")
    assert lines_of_systems(out)[1:] == [
        ["A", "4", "2", "2", "0"], ["C", "2", "1", "1", "0"], ["B", "4", "0", "1", "3"],
    ]  # fmt: skip


def test_read_counts_the_pairs_of_ranked_outputs() -> None:
    ranked = rs.load("demo-rr", "cs-en")
    found = summarise_systems(ranked).set_index("system")
    votes = vote_arrays(ranked, reference=True)
    sides = pd.concat([pd.Series(votes.first), pd.Series(votes.second)], ignore_index=True)
    outcome = pd.concat([pd.Series(votes.outcome), pd.Series(1 - votes.outcome)], ignore_index=True)
    counts = pd.crosstab(sides, outcome).set_axis(list(votes.systems))
    assert found.loc[counts.index, ["losses", "ties", "wins"]].to_numpy().tolist() == (
        counts.to_numpy().tolist()
    )


def test_read_lists_few_of_many_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(f"s{k:02}", i, k + i) for k in range(40) for i in range(k + 1)]
    pd.DataFrame(rows, columns=["system", "segment", "score"]).to_csv("t.csv", index=False)
    rows_shown = lines_of_systems(run(capsys, "read", "t.csv")[1])
    assert len(rows_shown) == 20
    assert [row[0] for row in rows_shown[1:19]] == [f"s{k}" for k in range(39, 21, -1)]
    assert "22" in rows_shown[-1]


def test_the_settings_of_several_rankings_are_printed_once(table: str, capsys: Any) -> None:
    _, out, _ = run(capsys, "read", table, *WORDS, "--each", "domain")
    assert out.count("system: model") == 1
    assert out.count("judgments: 60") == 2


@pytest.mark.parametrize("each", ["user", "annotator", "item"])
def test_each_takes_a_column_by_its_own_name_and_by_its_role(
    table: str, capsys: Any, each: str
) -> None:
    found = read(table, **cli.parse_words(WORDS)[1], each=each)
    column = "item" if each == "item" else "user"
    sizes = ratings().groupby(column).size()
    assert {name: part.n_judgments for name, part in found.items()} == sizes.to_dict()
    assert run(capsys, "read", table, *WORDS, "--each", each, "--save", "s.yaml")[0] == 0
    assert set(read("s.yaml")) == set(found)


def test_each_takes_a_criterion_by_the_name_of_its_column(table: str) -> None:
    words = {**cli.parse_words(WORDS)[1], "criterion": "domain"}
    assert set(read(table, **words, each="domain")) == {"code", "chat"}


@pytest.mark.parametrize(
    "more",
    [[], ["--each", "domain"], ["--ask", "\x1b[31mAlder\x1b[0m", "Elm"], ["--criterion", "domain"],
     ["--score", "\x1b]0;x\x07"], ["--controls", "\x1b[2J"], ["--\x1b[2J"], ["--title", "\x1b[2J"]],
)  # fmt: skip
@pytest.mark.parametrize("command", ["read", "verdict"])
def test_escape_codes_of_names_never_reach_the_terminal(
    table: str, capfd: Any, command: str, more: list[str]
) -> None:
    frame = ratings(("\x1b[31mAlder\x1b[0m", "Birch\x9b1m", "\x1b]0;title\x07Cedar"))
    frame.assign(**{"user": "\x1b[1m" + frame["user"], "\x1b[7mnote": "\x1b[5mx"}).to_csv(
        "a\x1b[2J.csv", index=False
    )
    cli.main([command, "a\x1b[2J.csv", *WORDS, *more])
    shown = capfd.readouterr()
    assert shown.out or shown.err
    assert not {"\x1b", "\x9b", "\x07"} & {*shown.out, *shown.err}
