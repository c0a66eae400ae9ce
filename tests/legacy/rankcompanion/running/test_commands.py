"""The commands: what they answer, and what they refuse before anything is loaded or written."""

import os
import re
import subprocess
import sys

import pytest

from in_process import GOOD
from companion.legacy.rankcompanion.running import commands
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.rank.recipes import recipe_of_year


def test_the_command_line_says_what_is_wrong(sandbox, capsys):
    sandbox(GOOD)
    assert commands.main(["run", "02"]) == 2
    assert "no such notebook" in capsys.readouterr().err
    assert commands.main(["run", "01", "campaign=wmt99"]) == 2
    assert "wmt99" in capsys.readouterr().err
    assert commands.main(["run", "01", "--help"]) == 0
    assert "count: int = 3" in capsys.readouterr().out
    assert commands.run(["01", "count"]) == 2
    assert commands.run(["01", "count=x", "--quiet", "share=1"]) == 2  # flags between parameters
    assert "parameter count" in capsys.readouterr().err
    assert commands.run(["01", "--figure-format", "gif"]) == 2
    assert "unknown figure format" in capsys.readouterr().err
    assert commands.main(["verdicts"]) == 2 and commands.main(["--help"]) == 0
    assert "rankstability data" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [(["run", "01", "campaign=demo-srdc", "pair=de-enn"], "did you mean de-en?"),
     (["verdict", "own.csv"], "own.csv, line 3, column 'score'")],
)  # fmt: skip
def test_checks_load_neither_statistics_nor_figures(tmp_path, words, problem):
    (tmp_path / "own.csv").write_text("system,segment,score\na,1,50\nb,1,x\n")
    code = (
        "import sys; from companion.legacy.rankcompanion.running import commands\n"
        f"code = commands.main({words})\n"
        "loaded = {'matplotlib', 'scipy.stats', 'statsmodels'} & set(sys.modules)\n"
        "sys.exit(f'{code} {loaded}' if code != 2 or loaded else 0)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and problem in done.stderr, done.stderr


@pytest.mark.parametrize(("year", "named"), [("wmt22", 2022), ("wmt20", 2020), ("2021", 2021)])
def test_the_name_of_a_year_without_a_recipe_leads_to_that_which_is_used(year, named, capsys):
    assert commands.main(["verdict", "demo-srdc", f"recipe={year}"]) == 2
    used = recipe_of_year(named, "esa")
    assert f"found '{year}'; expected {used}, the recipe of {named};" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--recipe", "wmt17"], ["--recipe=wmt17"]])
@pytest.mark.parametrize("command", [["verdict", "demo-srdc"], ["run", "01"]])
def test_a_parameter_given_as_an_option_is_shown_without_dashes(command, words, capsys):
    assert commands.main([*command, *words]) == 2
    said = capsys.readouterr().err
    assert "expected recipe=wmt17 for a parameter" in said
    assert ("--write-settings" in said) == (command[0] == "verdict")


def test_help_tells_parameters_and_options(capsys):
    assert commands.main(["verdict", "--help"]) == 0
    said = capsys.readouterr().out
    assert "\n  recipe: str" in said and "--jobs" in said and "wide=A,B" in said


@pytest.mark.parametrize(
    ("words", "problem"),
    [(["alpha=0.1", "alpha=0.2"], "parameter alpha is given twice"),
     (["campaign=demo-rr"], "parameter campaign is given twice"),
     (["--figure-format=svg", "seed=x"], "parameter seed; found 'x'")],
)  # fmt: skip
def test_a_call_that_is_off_is_refused(words, problem, capsys):
    assert commands.main(["verdict", "demo-srdc", *words]) == 2
    assert problem in capsys.readouterr().err
    assert "RANKSTABILITY_FIGURE_FORMAT" not in os.environ  # the next verdict draws as it did


def test_a_call_that_is_off_writes_no_settings(tmp_path, capsys):
    file = tmp_path / "mine.csv"
    file.write_text("system,segment,score\nA,1,20\nB,1,45\n")
    assert commands.main(["verdict", str(file), "--write-settings", "alpha=2"]) == 2
    assert "parameter alpha; found 2" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["verdict"], "nothing named to judge; expected a file, a folder or a campaign"),
     (["verdcit", "x.csv"], "no such command (did you mean verdict?); found 'verdcit'"),
     (["formats", "lng"], "unknown format (did you mean long?); found 'lng'"),
     (["run"], "no notebook named; expected one of 00_verdict, 01_replication"),
     (["run", "1"], "several notebooks begin so; found '1'; expected 01_replication, 10_lines")],
)  # fmt: skip
def test_a_slip_of_the_command_line_is_named_with_what_was_meant(words, said, capsys):
    assert commands.main(words) == 2
    assert said in capsys.readouterr().err


def test_a_file_of_nearly_the_name_is_named(tmp_path, capsys):
    (tmp_path / "ratings.csv").write_text("system,segment,score\nA,1,2\n")
    assert commands.main(["verdict", str(tmp_path / "rating.csv")]) == 2
    assert "no such file or folder (did you mean ratings.csv?)" in capsys.readouterr().err


def test_the_version_is_said(capsys):
    import companion.legacy.rankstability

    assert commands.main(["--version"]) == 0
    assert capsys.readouterr().out == f"rankstability {rankstability.__version__}\n"


@pytest.mark.parametrize("words", [["verdict", "--help"], ["run", "01", "--help"]])
def test_help_begins_with_the_usage(words, capsys):
    assert commands.main(words) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: rankstability {words[0]}")
    assert said.index("usage") < said.index("\nparameters of ") < said.index("  alpha: float")


def test_a_row_without_a_score_is_named_and_results_go_to_the_working_folder(tmp_path, capfd):
    rows = [f"{s},{k},u{k % 3},d{k % 4},{50 + 3 * k}" for s in "ABC" for k in range(12)]
    rows[7] = "A,7,u1,d3,"
    (tmp_path / "data").mkdir()
    text = "\n".join(["system,segment,annotator,document,score", *rows])
    (tmp_path / "data" / "own.csv").write_text(text + "\n")
    code = "import sys; from companion.legacy.rankcompanion.running import commands; sys.exit(commands.main())"
    command = [sys.executable, "-c", code, "verdict", "data/own.csv", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = capfd.readouterr()
    assert "left out: own.csv, line 9: no score: 1 row\n" in said.err
    assert (tmp_path / "results" / "own" / "00_verdict" / "xx-yy" / "verdict.html").is_file()


def test_errors_that_do_not_count_are_said_with_how_to_count_them(tmp_path, capsys):
    source = (paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv").read_bytes()
    (tmp_path / "mqm_mine_ende.tsv").write_bytes(source)
    given = [str(tmp_path / "mqm_mine_ende.tsv"), "--quiet"]
    given += [f"output_dir={tmp_path / 'out'}"]
    assert commands.main(["verdict", *given]) == 0
    said = "kept with weight 0: errors of the category Source issue; "
    said += "`weights: with_source` counts them"
    assert f"en-de: {said}: 131" in capsys.readouterr().err
    page = (tmp_path / "out" / "en-de" / "verdict.html").read_text()
    words = re.sub("`(.*?)`", r"<code>\1</code>", said)
    assert words in page.replace("&#34;", '"')
    assert commands.main(["verdict", *given, "weights=with_source"]) == 0
    assert "weight 0" not in capsys.readouterr().err


def test_judges_are_named_on_the_command_line(tmp_path, capsys):
    people = (paths.DEMO / "ratings.csv").read_text().splitlines()
    judge = [re.sub("anna|ben|carla", "gpt-4", row) for row in people[1:]]
    rows = sorted({row.rpartition(",")[0] + ",7" for row in judge if "gpt-4" in row})
    table = tmp_path / "own.csv"
    table.write_text("\n".join([*people, *rows]) + "\n")
    call = ["verdict", str(table), f"output_dir={tmp_path / 'out'}", "--quiet"]
    assert commands.main(call) == 2
    assert "found 'gpt-4'; expected `judges: [gpt-4]`" in capsys.readouterr().err
    assert commands.main([*call, "judges=gpt-5"]) == 2
    assert "no such judge" in capsys.readouterr().err
    assert commands.main([*call, "judges=file:absent.tsv"]) == 2
    assert "no such file of judges; found 'absent.tsv'" in capsys.readouterr().err
    assert commands.main([*call, "judges=gpt*"]) == 0
    assert "judges, set apart from people: gpt*" in capsys.readouterr().err
    page = (tmp_path / "out" / "xx-yy" / "verdict.html").read_text()
    assert "Nothing above knows of gpt-4" in page and "gives every output the same score" in page
