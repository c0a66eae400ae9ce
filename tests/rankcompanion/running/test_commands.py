"""The commands: what they answer, and what they refuse before anything is loaded or written."""

import os
import subprocess
import sys

import pytest

from in_process import GOOD
from rankcompanion.running import commands
from rankstability.rank.recipes import recipe_of_year


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
        "import sys; from rankcompanion import commands\n"
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
     (["--figure-format=svg", "draws=x"], "parameter draws; found 'x'")],
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
