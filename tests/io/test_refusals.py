"""What is refused: by which code, and with commands that were tried on the file before."""

from __future__ import annotations

import ast
import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rankstability as rs
from rankstability import cli
from rankstability.errors import DataError
from rankstability.io.paths import demo_folder
from rankstability.io.read import battles, judgments, read

SYSTEMS = ("Alder", "Birch", "Cedar", "Dogwood")


def ratings(**columns: Any) -> pd.DataFrame:
    """Return ratings of four systems on twelve items by three people."""
    rows = [
        (system, f"item{item}", f"user{user}", (3 * k + 5 * item + 7 * user + k * item) % 11)
        for k, system in enumerate(SYSTEMS)
        for item in range(12)
        for user in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    return frame.assign(**columns)


def votes(winners: tuple[str, ...] = ("left", "right", "tie")) -> pd.DataFrame:
    """Return comparisons of all pairs of four systems by five people."""
    rows = [
        (a, b, winners[(k + 2 * m + 3 * user) % len(winners)], f"user{user}", f"prompt{k}{m}")
        for user in range(5)
        for k, a in enumerate(SYSTEMS)
        for m, b in enumerate(SYSTEMS)
        if a != b
    ]
    return pd.DataFrame(rows, columns=["left", "right", "winner", "annotator", "question"])


def changed(frame: pd.DataFrame, column: str, row: int, value: Any) -> pd.DataFrame:
    """Return a frame with another value in one cell."""
    out = frame.astype(object)
    out.loc[row, column] = value
    return out


def with_names(frame: pd.DataFrame, **names: str) -> pd.DataFrame:
    """Return a frame with other names of columns."""
    return frame.rename(columns=names)


def written(frame: pd.DataFrame, folder: Path, name: str = "my table.csv") -> Path:
    """Write a frame as CSV."""
    path = folder / name
    frame.to_csv(path, index=False)
    return path


def run_remedies(error: DataError, capsys: Any) -> int:
    """Run every command of a refusal; each must be accepted. Return their number."""
    lines = [line.strip() for line in (error.remedy or "").splitlines()]
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "rankstability"
        assert cli.main(["read", *arguments[1:]]) == 0, (line, capsys.readouterr().err)
    return len(lines)


def long_criteria() -> pd.DataFrame:
    return pd.concat([ratings(criterion="fluency"), ratings(criterion="adequacy")])


def undeclared_criteria() -> pd.DataFrame:
    return pd.concat([ratings(aspect="fluency"), ratings(aspect="adequacy")])


# code, table, words, whether a command must be printed
REFUSED: dict[str, tuple[str, Callable[[], pd.DataFrame], str, bool]] = {
    "roles with usual names": (
        "missing_role",
        lambda: with_names(ratings(), system="model", segment="item", score="stars"),
        "",
        True,
    ),
    "roles known by their values": (
        "missing_role",
        lambda: with_names(ratings(), system="who", segment="what", score="result of it").drop(
            columns="annotator"
        ),
        "",
        True,
    ),
    "an error rate without roles": (
        "missing_role",
        lambda: with_names(ratings(), system="model", segment="utterance", score="wer"),
        "",
        True,
    ),
    "winner and loser": (
        "missing_role",
        lambda: pd.DataFrame(
            {
                "winner": ["A", "B", "C", "A"] * 3,
                "loser": ["B", "C", "A", "C"] * 3,
                "is_tie": ["false", "true", "false", "false"] * 3,
            }
        ),
        "",
        True,
    ),
    "comparisons with names of their own": (
        "missing_role",
        lambda: with_names(
            votes(("A", "B", "C")), left="generator_1", right="generator_2", winner="preference"
        ),
        "",
        True,
    ),
    "a wide table": (
        "missing_role",
        lambda: pd.DataFrame(
            {"item": range(12), **{s: [1, 2, 3, 4, 5, k + 1] * 2 for k, s in enumerate("ABCD")}}
        ).replace({"A": {1: 5}}),
        "",
        False,
    ),
    "a wide table of one scale": (
        "missing_role",
        lambda: pd.DataFrame(
            {"item": [f"i{k}" for k in range(12)], "Alder": [1, 5, 3] * 4, "Birch": [5, 1, 2] * 4}
        ),
        "",
        True,
    ),
    "numbered blocks": (
        "missing_role",
        lambda: pd.DataFrame(
            {
                "mr_id": [f"m{k}" for k in range(20)],
                "sys1": ["A", "B"] * 10,
                "quality1": range(20),
                "sys2": ["B", "A"] * 10,
                "quality2": range(20, 40),
            }
        ),
        "",
        True,
    ),
    "no ratings": (
        "no_ratings",
        lambda: pd.DataFrame({"id": [1, 2], "created_at": ["x", "x"]}),
        "",
        False,
    ),
    "no such column": ("no_such_column", ratings, "--score scor", True),
    "no column alike": ("no_such_column", ratings, "--score colour", False),
    "two columns of a role": ("two_columns", lambda: ratings().assign(SYSTEM="x").rename(columns={"system": "System"}), "", True),
    "one column for two roles": ("column_of_two_roles", ratings, "--document annotator --annotator annotator", False),
    "a direction that is not said": ("direction", lambda: ratings(wer=0.5), "--score wer", True),
    "criteria of two directions": (
        "mixed_directions",
        lambda: ratings(wer=0.5, mos=3.0).drop(columns="score"),
        "--criteria wer mos --each criterion",
        True,
    ),
    "both directions": ("two_directions", ratings, "--lower-is-better --higher-is-better", False),
    "several criteria": ("several_criteria", long_criteria, "", True),
    "undeclared criteria": ("undeclared_column", undeclared_criteria, "", True),
    "a word among the scores": (
        "not_a_number",
        lambda: changed(ratings(), "score", 5, "skipped"),
        "",
        True,
    ),
    "words for scores": (
        "not_a_number",
        lambda: ratings().assign(score=lambda t: t["score"].map(lambda k: LIKERT[k % 5])),
        "",
        True,
    ),
    "words for scores of no known scale": (
        "not_a_number",
        lambda: ratings().assign(score=lambda t: t["score"].map(lambda k: "abcd"[k % 4])),
        "",
        False,
    ),
    "a score outside the scale": ("score_outside_scale", ratings, "--scale 0 5", False),
    "an empty name": ("empty_name", lambda: changed(ratings(), "system", 3, ""), "", True),
    "names alike": ("names_alike", lambda: changed(ratings(), "system", 3, "alder"), "", True),
    "annotators alike": (
        "names_alike",
        lambda: changed(ratings(), "annotator", 3, "user00"),
        "",
        True,
    ),
    "a total among the systems": (
        "rows_that_are_no_judgments",
        lambda: changed(ratings(), "system", 3, "Average"),
        "",
        True,
    ),
    "a total among the annotators": (
        "rows_that_are_no_judgments",
        lambda: changed(ratings(), "annotator", 3, "average"),
        "",
        True,
    ),
    "a total among the segments": (
        "rows_that_are_no_judgments",
        lambda: changed(ratings(), "segment", 3, "Total"),
        "",
        True,
    ),
    "a row of labels": (
        "rows_that_are_no_judgments",
        lambda: changed(ratings(), "system", 0, "System name"),
        "",
        True,
    ),
    "a control that does not occur": ("unknown_name", ratings, "--controls Adler", True),
    "where keeps nothing": ("where_keeps_nothing", ratings, "--where annotator=user", True),
    "models among people": (
        "models_among_annotators",
        lambda: changed(ratings(), "annotator", 3, "gpt-4"),
        "",
        True,
    ),
    "ranks in columns": (
        "ranks_in_columns",
        lambda: pd.DataFrame({"item": range(6), "A": [1, 2, 3] * 2, "B": [2, 3, 1] * 2, "C": [3, 1, 2] * 2}),
        "--segment item --wide A B C",
        True,
    ),
    "a code for no score": (
        "stray_scores",
        lambda: changed(ratings(), "score", 7, -99),
        "",
        True,
    ),
    "two spellings of a code": ("unknown_name", ratings, "--codes Adler=Alder", False),
    "a word of MQM": ("word_without_effect", ratings, "--unmarked clean", False),
    "each with a value a row": (
        "too_many_rankings",
        lambda: pd.concat([ratings(serial=0)] * 4).assign(serial=range(576)),
        "--each serial",
        False,
    ),
    "each of no column": ("no_such_column", ratings, "--each colour", False),
    "codes of winners": ("unknown_winner", lambda: votes(("A", "B", "C")), "", True),
    "codes with words": ("unknown_winner", lambda: votes(("model 1", "model 2", "both")), "", True),
    "codes on a scale": ("unknown_winner", lambda: votes(("1", "2", "3", "4", "5")), "", True),
    "a code that is missing": (
        "unknown_winner",
        lambda: votes(("A", "B", "C")),
        "--codes A=left B=right",
        True,
    ),
    "a flag of ties": (
        "flag_of_ties",
        lambda: votes(("left", "right")).assign(is_tie=["true", "false", "false"] * 20),
        "",
        True,
    ),
    "several languages": (
        "several_languages",
        lambda: ratings().assign(lp=lambda t: t["segment"].map(lambda name: "de" if "1" in name else "cs")),
        "",
        True,
    ),
    "votes by people who knew the models": (
        "models_known",
        lambda: votes().assign(anony=["true", "true", "false"] * 20),
        "--left left",
        True,
    ),
    "a system with the name of a code": (
        "code_is_a_system",
        lambda: votes().replace({"left": {"Alder": "tie"}, "right": {"Alder": "tie"}}),
        "--left left",
        True,
    ),
    "one judge that is a model": (
        "question_needed",
        lambda: with_names(votes().assign(annotator="gpt-4"), question="prompt"),
        "--annotator annotator",
        True,
    ),
    "models against themselves": (
        "model_against_itself",
        lambda: votes().assign(right=lambda table: table["left"]),
        "--order unknown --annotator annotator",
        False,
    ),
    "winners in columns that are named as scores": (
        "word_without_effect",
        lambda: pd.DataFrame(
            {f"q{k}_{a}_{b}": ["a", "b"] * 6 for k, (a, b) in enumerate(["XY", "YZ", "XZ"])}
        ),
        "--score q{segment}_{left}_{right} --codes a=left b=right",
        True,
    ),
    "names in the first row of each group": (
        "empty_name",
        lambda: ratings().assign(segment=[f"s{k // 3}" if k % 3 == 0 else "" for k in range(144)]),
        "--annotator annotator",
        True,
    ),
    "only ties": ("only_ties", lambda: votes().assign(winner="tie"), "--left left", False),
}  # fmt: skip
LIKERT = ("Very bad", "Bad", "Neither good nor bad", "Good", "Very good")


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_has_its_code_and_commands_that_work(
    name: str, tmp_path: Path, capsys: Any
) -> None:
    code, table, words, helps = REFUSED[name]
    path = written(table(), tmp_path)
    with pytest.raises(DataError) as refused:
        files, given = cli.parse_words([str(path), *shlex.split(words)])
        read(files[0], **given)
    of_words = code == "two_directions"  # they contradict each other before a file is read
    assert (refused.value.code, refused.value.file) == (code, None if of_words else str(path))
    assert (run_remedies(refused.value, capsys) > 0) == helps
    assert cli.main(["read", str(path), *shlex.split(words)]) == 2


def test_a_refusal_lists_columns_with_values_and_missing_roles(tmp_path: Path) -> None:
    path = written(with_names(ratings(), system="model", score="stars"), tmp_path)
    with pytest.raises(DataError) as refused:
        read(path)
    assert refused.value.details["missing"] == "system, score"
    assert "model (Alder, Birch, Cedar)" in str(refused.value.details["columns"])


def test_unknown_winners_are_counted(tmp_path: Path) -> None:
    path = written(votes(("A", "B", "C")), tmp_path)
    with pytest.raises(DataError) as refused:
        read(path)
    assert refused.value.value == "C (25), B (25), A (10)"
    assert "A=left B=right C=tie" in str(refused.value.remedy)


def test_every_alternative_is_shown_where_only_the_user_can_decide(tmp_path: Path) -> None:
    path = written(with_names(ratings(), score="wer"), tmp_path)
    with pytest.raises(DataError) as refused:
        read(path, score="wer")
    lines = str(refused.value.remedy).split("\n")
    assert [line.split("--")[-1] for line in lines] == ["lower-is-better", "higher-is-better"]


def test_a_frame_gets_a_line_of_python_that_works() -> None:
    frame = with_names(ratings(), system="model", score="ter")
    with pytest.raises(DataError) as refused:
        judgments(frame)
    first, second = str(refused.value.remedy).splitlines()
    assert not eval(second.strip(), {"rs": rs, "frame": frame}).lower_is_better
    found = eval(first, {"rs": rs, "frame": frame})
    assert found.lower_is_better and found.n_systems == 4
    frame = votes(("A", "B", "C"))
    with pytest.raises(DataError) as refused:
        battles(frame)
    found = eval(str(refused.value.remedy), {"rs": rs, "frame": frame})
    counts = found.table["winner"].value_counts()
    assert counts.to_dict() == {"left": 10, "right": 25, "tie": 25}


def test_no_command_is_printed_that_a_shell_or_terminal_would_change(tmp_path: Path) -> None:
    path = written(with_names(ratings(), system="mo\x1bdel", score="stars"), tmp_path)
    with pytest.raises(DataError) as refused:
        read(path)
    assert refused.value.remedy is None or "\x1b" not in str(refused.value)
    quoted = written(with_names(ratings(), system="it's", score="$(stars)"), tmp_path)
    with pytest.raises(DataError) as refused:
        read(quoted, system="it's")
    assert shlex.split(str(refused.value.remedy))[3:] == [
        "--system", "it's", "--score", "$(stars)",
    ]  # fmt: skip


# ------------------------------------------------------------------ shapes


def refuse(code: str, path: Path, capsys: Any, **words: Any) -> int:
    """Expect a refusal, run its commands, and return their number."""
    with pytest.raises(DataError) as refused:
        read(path, **words)
    assert refused.value.code == code
    return run_remedies(refused.value, capsys)


def blocks() -> pd.DataFrame:
    return pd.DataFrame(
        {"item": range(6), "sys1": list("ABABAB"), "q1": range(6), "sys2": list("BABABA"),
         "q2": range(6), "q3": range(6)}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("pattern_fits_nothing", {"system": "sys{n}", "score": "quality{n}"}),
        ("block_incomplete", {"system": "sys{n}", "score": "q{n}"}),
        ("column_fits_two", {"system": "sys{n}", "score": "{n}", "annotator": "s{domain}"}),
        ("placeholder_twice", {"system": "sys{n}", "score": "{n}q{n}"}),
        ("unknown_placeholder", {"score": "q{rater}"}),
        ("too_few_columns", {"wide": ["q1"]}),
        ("no_such_column", {"wide": ["q1", "q9"]}),
        ("two_shapes", {"wide": ["q1", "q2"], "criteria": ["q1", "q2"]}),
        ("missing_role", {"chosen": "sys1"}),
    ],
)
def test_patterns_that_fit_nothing_or_two_things(
    code: str, words: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    given = {"segment": "item", **words}
    code = "pattern_fits_nothing" if words.get("score") == "{n}" else code
    refuse(code, written(blocks(), tmp_path), capsys, **given)


def test_a_pattern_that_fits_in_two_ways_is_refused(tmp_path: Path, capsys: Any) -> None:
    frame = pd.DataFrame({"item": [1, 2], "a_b_c": [1, 2], "d_e": [3, 4]})
    words = {"segment": "item", "score": "{system}_{annotator}"}
    refuse("ambiguous_pattern", written(frame, tmp_path), capsys, **words)


def test_a_value_that_a_split_does_not_fit_is_refused(tmp_path: Path, capsys: Any) -> None:
    frame = votes().assign(pair_of=lambda t: t["left"] + "_" + t["right"])
    frame.loc[3, "pair_of"] = "Alder"
    path = written(frame.drop(columns=["left", "right"]), tmp_path)
    refuse("pattern_fits_nothing", path, capsys, split={"pair_of": "{left}_{right}"})


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("bad_setting", {"left": "a"}),
        ("no_such_column", {"left": "a", "right": "z"}),
        ("several_outcomes", {"left": "a", "right": "b", "tie": "c"}),
        ("not_true_or_false", {"left": "a", "right": "d"}),
    ],
)
def test_outcomes_that_contradict(
    code: str, outcome: dict[str, str], tmp_path: Path, capsys: Any
) -> None:
    frame = votes()[["left", "right"]].assign(a=1, b=0, c=0, d=2)
    frame.loc[4, "c"] = 1
    refuse(code, written(frame, tmp_path), capsys, outcome=outcome)


def test_choices_that_were_not_shown(tmp_path: Path, capsys: Any) -> None:
    frame = pd.DataFrame({"best": ["A", "B", "Z"], "shown": ["A,B,C", "B,C,A", "A,B,C"]})
    path = written(frame, tmp_path)
    assert refuse("chosen_not_shown", path, capsys, chosen="best", options="shown") == 1
    frame.loc[2] = ["A", "A"]
    path = written(frame, tmp_path)
    refuse("bad_options", path, capsys, chosen="best", options="shown")


def test_paths_through_lists(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "nested.json"
    rows = [
        {"id": k, "marks": [{"by": m, "value": k + n} for n, m in enumerate("AB")], "flat": k}
        for k in range(4)
    ]
    path.write_text(json.dumps(rows))
    words = {"segment": "id", "system": "marks[].by", "score": "marks[].value"}
    assert len(read(path, **words).table) == 8
    refuse("not_a_list", path, capsys, **{**words, "system": "flat[].by"})
    refuse("no_such_column", path, capsys, **{**words, "system": "other[].by"})
    refuse("no_such_column", path, capsys, **{**words, "score": "marks[].price"})
    refuse("list_as_name", path, capsys, segment="id", system="marks", score="flat")


def test_files_that_fit_no_placeholder(tmp_path: Path, capsys: Any) -> None:
    for system, frame in ratings().groupby("system"):
        written(frame.drop(columns="system"), tmp_path, f"{system}.csv")
    assert refuse("several_files", tmp_path, capsys) == 1
    refuse("no_file_fits", tmp_path, capsys, files="{system}/samples.jsonl")
    refuse("unknown_placeholder", tmp_path, capsys, files="{modell}.csv")
    assert read(tmp_path, files="{system}.csv").n_systems == 4


def test_a_criterion_that_a_system_lacks_is_not_ranked_with_the_others(tmp_path: Path) -> None:
    frame = pd.concat([ratings(criterion="fluency"), ratings(criterion="adequacy")])
    frame = frame[(frame["criterion"] == "fluency") | (frame["system"] != "Alder")]
    found = read(written(frame, tmp_path), each="criterion")
    assert {name: part.n_systems for name, part in found.items()} == {"fluency": 4, "adequacy": 3}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("no_rows", {"header": 900}),
        ("bad_setting", {"header": "two"}),
        ("bad_setting", {"skip_rows": -1}),
        ("bad_setting", {"scale": [100, 0]}),
        ("bad_setting", {"names": "similar"}),
        ("bad_setting", {"unmarked": "perhaps"}),
        ("bad_setting", {"order": "known"}),
        ("bad_setting", {"system": ["a", "b"]}),
        ("bad_setting", {"codes": "left"}),
        ("bad_setting", {"lower_is_better": "perhaps"}),
        ("unknown_setting", {"sytem": "model"}),
    ],
)
def test_words_of_another_type(
    code: str, words: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    refuse(code, written(ratings(), tmp_path), capsys, **words)


@pytest.mark.parametrize("words", ["--weights freitag2021", "--unmarked clean"])
def test_words_of_mqm_have_no_effect_on_other_formats(words: str, tmp_path: Path) -> None:
    path = written(with_names(votes(), left="model_a", right="model_b"), tmp_path)
    files, given = cli.parse_words([str(path), *words.split()])
    with pytest.raises(DataError) as refused:
        read(files[0], **given)
    assert refused.value.code == "word_without_effect"


# ------------------------------------------------------------------ every remedy has an example


def codes_with_remedies() -> set[str]:
    """Return the codes of all errors in the library that print a command or a line of Python."""
    found: set[str] = set()
    for path in Path(rs.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "DataError":
                continue
            if {"propose", "alternatives", "remedy"} & {each.arg for each in node.keywords}:
                texts = [
                    each.value for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant)
                ]
                found.update(str(text) for text in texts)
    return found


def refused_by(call: Callable[[], Any]) -> DataError:
    with pytest.raises(DataError) as refused:
        call()
    return refused.value


def choices(folder: Path) -> DataError:
    frame = pd.DataFrame({"best": ["A", "B", "Z"], "shown": ["A,B,C", "B,C,A", "A,B,C"]})
    return refused_by(lambda: read(written(frame, folder), chosen="best", options="shown"))


def files_of_systems(folder: Path) -> DataError:
    for system, frame in ratings().groupby("system"):
        written(frame.drop(columns="system"), folder, f"{system}.csv")
    return refused_by(lambda: read(folder))


def folders_of_systems(folder: Path) -> DataError:
    for system, frame in ratings().groupby("system"):
        (folder / str(system)).mkdir()
        written(frame.drop(columns="system"), folder / str(system), "out.csv")
    return refused_by(lambda: read(folder))


def marked_errors(folder: Path) -> DataError:
    source = next((demo_folder() / "demo-mqm").glob("*.tsv"))
    rows = pd.read_csv(source, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    rows = rows[rows["severity"].isin(["Minor", "Major"])]
    path = folder / "my mqm.en-de.tsv"
    rows.to_csv(path, sep="\t", index=False, quoting=3)
    return refused_by(lambda: read(path, title="T"))


def two_sheets(folder: Path, **columns: Any) -> Path:
    """Write a workbook with a sheet for each of two annotators; `columns` are added to the second."""
    path = folder / "my sheets.xlsx"
    frame = ratings().drop(columns="annotator")
    with pd.ExcelWriter(path) as book:
        frame.to_excel(book, sheet_name="ann", index=False)
        frame.assign(**columns).to_excel(book, sheet_name="bob", index=False)
    return path


def sheets_of_annotators(folder: Path) -> DataError:
    return refused_by(lambda: read(two_sheets(folder)))


def sheets_that_differ(folder: Path) -> DataError:
    return refused_by(lambda: read(two_sheets(folder, note="x"), sheets="{annotator}"))


def rows_without_a_header(folder: Path) -> DataError:
    frame = ratings().assign(again=lambda table: table["score"])
    path = folder / "no header.csv"
    frame.to_csv(path, index=False, header=False)
    words = {"system": "1", "segment": "2", "annotator": "3", "score": "4"}
    return refused_by(lambda: read(path, **words))


def decimal_commas(folder: Path) -> DataError:
    return refused_by(lambda: read(written(changed(ratings(), "score", 3, "7,5"), folder)))


def files_that_name_systems_twice(folder: Path) -> DataError:
    for annotator, frame in ratings().groupby("annotator"):
        written(frame, folder, f"{annotator}.csv")
    return refused_by(lambda: read(folder, files="{system}.csv"))


OTHERS: dict[str, Callable[[Path], DataError]] = {
    "column_of_two_roles": files_that_name_systems_twice,
    "several_sheets": sheets_of_annotators,
    "sheets_differ": sheets_that_differ,
    "column_twice": rows_without_a_header,
    "decimal_comma": decimal_commas,
    "chosen_not_shown": choices,
    "several_files": files_of_systems,
    "files_in_folders": folders_of_systems,
    "unmarked_outputs": marked_errors,
}
OF_MAKE = {"campaign_not_here": "data", "nothing_to_collect": "figures"}
TESTED_ELSEWHERE = {"no_file_fits", "system_without_score"}  # never with a command; in Python


def test_every_error_with_a_remedy_has_an_example() -> None:
    shown = {code for code, _, _, helps in REFUSED.values() if helps}
    examples = shown | set(OTHERS) | set(OF_MAKE) | TESTED_ELSEWHERE
    assert codes_with_remedies() <= examples


@pytest.mark.parametrize("code", OTHERS)
def test_commands_of_other_refusals_work(code: str, tmp_path: Path, capsys: Any) -> None:
    error = OTHERS[code](tmp_path)
    assert error.code == code
    assert run_remedies(error, capsys) > 0


@pytest.mark.parametrize("code", OF_MAKE)
def test_commands_of_make_are_targets(code: str) -> None:
    makefile = (Path(__file__).resolve().parents[2] / "Makefile").read_text()
    assert f"\n{OF_MAKE[code]}:" in makefile


def test_a_line_of_python_removes_systems_that_would_have_no_score() -> None:
    judgments = rs.load("demo-srdc", "de-en")
    table = judgments.table.copy()
    name = judgments.systems[0]
    alone = table["system"] == name
    table["annotator"] = table["annotator"].astype(str).where(~alone, "constant")
    table["score"] = table["score"].where(~alone, 50.0)
    changed = judgments.with_table(table, all_rows=None)
    error = refused_by(lambda: rs.rank_systems(changed, procedure="wmt17"))
    assert error.code == "system_without_score"
    fewer = eval(str(error.remedy), {"rs": rs, "judgments": changed})
    assert name not in rs.rank_systems(fewer, procedure="wmt17").systems


# ------------------------------------------------------------------ large files


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of 100 MB, and one of comparisons."""
    folder = tmp_path_factory.mktemp("large")
    for name, frame in (("ratings", ratings()), ("votes", votes(("A", "B", "C")))):
        head, body = frame.to_csv(index=False).split("\n", 1)
        path = folder / f"{name}.csv"
        with path.open("w") as stream:
            stream.write(head.replace("score", "wer") + "\n")
            for _ in range(100_000_000 // len(body) + 1):
                stream.write(body)
    return folder


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("ratings", {}, "missing_role"),
        ("ratings", {"score": "wer"}, "direction"),
        ("ratings", {"score": "annotator"}, "not_a_number"),
        ("ratings", {"score": "colour"}, "no_such_column"),
        ("votes", {}, "unknown_winner"),
    ],
)
def test_a_large_file_is_refused_within_two_seconds(
    name: str, words: dict[str, Any], code: str, large: Path
) -> None:
    start = time.process_time()
    with pytest.raises(DataError) as refused:
        read(large / f"{name}.csv", **words)
    assert refused.value.code == code
    assert time.process_time() - start < 2


LEADERBOARDS = {
    "mean and error": {"System": ["A", "B", "C"], "MOS": ["4.18 ± 0.07", "4.05 ± 0.08", "3.9 ± 0.1"]},
    "one score": {"system": ["A", "B", "C"], "score": [4.18, 4.05, 3.9]},
    "several scores": {"Model": ["A", "B", "C"], "Fluency": [4.1, 4, 3], "Adequacy": [4, 3, 2]},
    "by pair": {"pair": ["de-en", "de-en", "cs-en"], "system": ["A", "B", "A"], "score": [4, 3, 2]},
    "more text": {"Model": ["A", "B", "C"], "Organization": ["X", "Y", "Z"], "Score": [1318, 1205, 9]},
}  # fmt: skip


@pytest.mark.parametrize("name", LEADERBOARDS)
def test_a_leaderboard_of_totals_asks_for_single_judgments(name: str) -> None:
    with pytest.raises(DataError) as refused:
        judgments(pd.DataFrame(LEADERBOARDS[name]))
    assert (refused.value.code, refused.value.remedy) == ("only_totals", None)


def test_a_table_with_several_rows_of_a_system_is_no_leaderboard() -> None:
    with pytest.raises(DataError) as refused:
        judgments(ratings().drop(columns="segment").assign(note="x"))
    assert refused.value.code == "missing_role"


def test_a_refusal_names_the_file_inside_a_folder(tmp_path: Path) -> None:
    path = written(ratings().drop(columns="score").assign(colour="red", stars=3.5), tmp_path)
    with pytest.raises(DataError) as refused:
        read(tmp_path)
    assert (refused.value.code, refused.value.file) == ("missing_role", str(path))
