"""The runner: parameters checked, results whole or not at all, failures said."""

import ast
import json
import re
import shutil
import subprocess
import sys

import nbformat.v4 as v4
import pandas as pd
import pytest

from in_process import without_a_kernel
from paperkit import parameters, paths
from rankcompanion import commands, run
from rankcompanion.relative_ranking.agreement import MEASURES
from rankstability import paths as places
from rankstability.rank.ranking import CLUSTER_RULES
from rankstability.rank.recipes import RECIPES, recipe_of_year
from rankstability.rank.significance import CORRECTIONS, TESTS
from rankstability.score.mqm import WEIGHTS

PARAMETERS = """\
campaign: str = "demo-srdc"  # the campaign
pair: str = ""  # a pair
output_dir: str = ""  # where to
count: int = 3  # how many
share: float = 0.5  # how much
flag: bool = False  # whether
names: list[str] = ["a"]  # which
values: list[float] = [1.5]  # how large
test: str = "scipy<1.7"  # the test
alpha: float = 0.05  # the level
seed: int = 1  # of chance
draws: int = 1  # by chance
"""


WITH_A_KERNEL = run._papermill


@pytest.fixture
def sandbox(tmp_path, monkeypatch):
    """A repository of its own with one notebook, ``01_probe``, whose last cell is given."""
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(paths, "FIGURES", tmp_path / "figures")
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(run, "_papermill", without_a_kernel)

    def write(body: str, promises=("result.csv",), parameters=PARAMETERS):
        cells = [
            v4.new_markdown_cell("# Probe"),
            v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}),
            v4.new_code_cell(
                "import pandas as pd\n"
                "from rankcompanion.session import start\n"
                "run = start('01_probe', campaign, pair, output_dir, count=count)"
            ),
            v4.new_code_cell(body),
        ]
        about = {"protocols": ["DA"], "promises": list(promises), "pair_promises": []}
        notebook = v4.new_notebook(cells=cells)
        notebook.metadata.update(
            kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"},
            language_info={"name": "python"},
            rankstability=about,
        )
        (tmp_path / "notebooks" / "01_probe.ipynb").write_text(json.dumps(notebook))
        return tmp_path

    return write


GOOD = "run.out.table(pd.DataFrame({'count': [count], 'flag': [flag]}), 'result')"


def test_values_arrive_with_their_declared_types(sandbox):
    sandbox(GOOD)
    given = {"campaign": "007", "count": "12", "share": "1", "flag": "true", "names": "x,y"}
    checked = parameters.check("01_probe", given | {"values": "[1, 2.5]"})
    typed = {"campaign": "007", "count": 12, "share": 1.0, "flag": True, "names": ["x", "y"]}
    assert checked == typed | {"values": [1.0, 2.5]}
    assert isinstance(checked["share"], float)


def test_only_annotated_literals_stand_in_a_parameters_cell(sandbox):
    sandbox(GOOD, parameters="count = 3\n")
    with pytest.raises(ValueError, match="not a parameter; found 'count'"):
        parameters.parameters("01_probe")
    sandbox(GOOD, parameters="count: int = 3 + 4  # sum\n")
    with pytest.raises(ValueError, match="not a literal"):
        parameters.parameters("01_probe")


def test_a_run_puts_its_files_in_place_and_says_so(sandbox, monkeypatch):
    folder = sandbox(GOOD)
    out = run.execute("01_probe", {"count": "5", "flag": "yes"}, quiet=True)
    assert out == folder / "figures" / "demo-srdc" / "01_probe"
    assert (out / "result.csv").read_text() == "count,flag\n5,True\n"
    status = json.loads((folder / "build/executed/demo-srdc/01_probe.status.json").read_text())
    assert (status["status"], status["campaign"], status["pair"]) == ("ok", "demo-srdc", "")
    assert set(status["files"]) == {str(out / name) for name in ("result.csv", "run.json")}
    # the notebook itself is untouched, and nothing is left of the staging folder
    assert "outputs" in (folder / "notebooks/01_probe.ipynb").read_text()
    assert not list(out.parent.glob(".partial-*"))
    # a later run that makes other files removes this notebook's earlier ones, and only those
    (out / "mine.txt").write_text("a user's own file")
    sandbox("run.out.table(pd.DataFrame({'x': [1]}), 'other')", promises=["other.csv"])
    run.execute("01_probe", {}, quiet=True)
    names = sorted(p.name for p in out.iterdir())
    assert names == ["mine.txt", "other.csv", "report.ipynb", "run.json"]
    executed = (folder / "build/executed/demo-srdc/01_probe.ipynb").read_bytes()
    # a failing run and one that breaks its promise leave these results as they are
    monkeypatch.setattr(run, "_papermill", WITH_A_KERNEL)
    two = "run.out.table(pd.DataFrame({'x': [2]}), 'other')"
    sandbox(two + "\nraise ValueError(f'half way {count}')")
    with pytest.raises(RuntimeError, match=r"failed in cell.*(\n.*)*ValueError: half way 5"):
        run.execute("01_probe", {"count": "5"}, quiet=True)
    failed = folder / "build/executed/demo-srdc/01_probe.failed.status.json"
    status = json.loads(failed.read_text())
    assert status["status"] == "failed" and status["error"] == "ValueError: half way 5"
    assert (folder / "build/executed/demo-srdc/01_probe.failed.ipynb").is_file()
    assert (folder / "build/executed/demo-srdc/01_probe.ipynb").read_bytes() == executed
    monkeypatch.setattr(run, "_papermill", without_a_kernel)
    sandbox(two, promises=["result.csv"])
    with pytest.raises(RuntimeError, match=r"without writing result\.csv"):
        run.execute("01_probe", {}, quiet=True)
    assert (out / "other.csv").read_text() == "x\n1\n"
    assert sorted(p.name for p in out.iterdir()) == names


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


def test_a_run_never_removes_results_of_another_campaign_below_its_folder(sandbox):
    folder = sandbox(GOOD)
    inner = run.execute("01_probe", {"output_dir": str(folder / "out" / "sub")}, quiet=True)
    given = {"campaign": "demo-srpdc", "output_dir": str(folder / "out")}
    run.execute("01_probe", given, quiet=True)
    assert (inner / "result.csv").is_file() and (folder / "out" / "result.csv").is_file()


def test_the_whole_campaign_is_made_by_the_same_notebook_from_pairs_already_run(sandbox, tmp_path):
    sandbox(
        "for p in run.pairs:\n"
        "    run.out.table(pd.DataFrame({'count': [count]}), 'part', p)\n"
        "if run.whole:\n"
        "    run.out.table(run.out.pair_tables('part'), 'result')"
    )
    final = tmp_path / "o"
    with pytest.raises(ValueError, match="this pair has not been run"):
        run.execute("01_probe", {"pair": "whole", "output_dir": str(final)}, quiet=True)
    assert not final.exists()
    for number, pair in enumerate(("de-en", "en-cs")):
        given = {"pair": pair, "count": 3 + number, "output_dir": str(final)}
        run.execute("01_probe", given, quiet=True)
    with pytest.raises(RuntimeError, match=r"en-cs was run with other settings"):
        run.execute("01_probe", {"pair": "whole", "output_dir": str(final)}, quiet=True)
    run.execute("01_probe", {"pair": "en-cs", "output_dir": str(final)}, quiet=True)
    assert not (final / "result.csv").exists()
    kept = (final / "de-en" / "part.csv").stat().st_mtime_ns
    run.execute("01_probe", {"pair": "whole", "output_dir": str(final)}, quiet=True)
    table = pd.read_csv(final / "result.csv")
    assert table.to_dict("list") == {"pair": ["de-en", "en-cs"], "count": [3, 3]}
    assert (final / "de-en" / "part.csv").stat().st_mtime_ns == kept


def _own_campaign(folder):
    """A user's own copy of a demo campaign's files, at `folder`."""
    folder.mkdir(parents=True)
    for file in (places.DEMO / "demo-srdc").glob("*.csv*"):
        shutil.copy(file, folder / file.name)
    return folder


def test_no_line_of_a_parameters_cell_is_skipped():
    for name in parameters.notebooks():
        cells = parameters.read_notebook(name)["cells"]
        cell = next(c for c in cells if "parameters" in c["metadata"].get("tags", []))
        lines = ast.parse("".join(cell["source"])).body
        wanted = [(ast.unparse(x.target), ast.literal_eval(x.value)) for x in lines]
        assert [(p.name, p.default) for p in parameters.parameters(name)] == wanted
        assert all(p.help for p in parameters.parameters(name)), name
        own = parameters.declared(paths.NOTEBOOKS / f"{name}.ipynb")
        assert parameters.parameters(name) == own  # of the verdict they stand in the package too


def test_the_choices_are_those_of_the_library():
    for name, known in {
        "test": TESTS,
        "rule": CLUSTER_RULES,
        "correction": CORRECTIONS,
        "weights": WEIGHTS,
        "measure": MEASURES,
    }.items():
        assert parameters.CHOICES[name] == tuple(known), name
    assert parameters.CHOICES["recipe"] == ("auto", *RECIPES)
    for notebook in parameters.notebooks():  # and every default passes its own check
        parameters.check(notebook, {p.name: p.default for p in parameters.parameters(notebook)})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "scipy"}, r"parameter test \(did you mean scipy<1\.7\?\); found 'scipy'"),
        ({"cout": "3"}, r"unknown parameter of 01_probe \(did you mean count\?\); found 'cout'"),
        ({"count": "1.5"}, "parameter count"),
        ({"count": "true"}, "parameter count"),
        ({"flag": "maybe"}, "parameter flag"),
        ({"values": "a,b"}, "parameter values"),
        ({"alpha": "5"}, "parameter alpha; found 5.0; expected above 0 and below 1"),
        ({"seed": "-1"}, "parameter seed; found -1; expected at least 0"),
        ({"draws": "9" * 22}, "parameter draws; found 9{22}; expected at most 1000000"),
        ({"alpha": "9" * 400}, "parameter alpha; found '9{400}'; expected float"),
        ({"alpha": "1e400"}, "parameter alpha; found '1e400'; expected float"),
        ({"alpha": "-1e-3"}, "parameter alpha; found -0.001; expected above 0"),
        ({"pair": "de-enn"}, r"no such language pair.*did you mean de-en\?"),
        ({"campaign": "demo-rr"}, "01_probe is not for RR, which demo-rr holds; expected one of"),
        ({"campaign": "demo-srd"}, r"unknown campaign \(did you mean demo-srdc\?\)"),
    ],
)
def test_values_campaign_and_pair_are_checked_without_a_kernel(
    sandbox, monkeypatch, given, message
):
    folder = sandbox(GOOD)
    monkeypatch.setattr(run, "_papermill", lambda *_: pytest.fail("a kernel was started"))
    before = sorted(folder.rglob("*"))
    with pytest.raises(ValueError, match=message):
        run.execute("01_probe", given, quiet=True)
    assert sorted(folder.rglob("*")) == before


def test_an_output_folder_that_cannot_be_is_refused_at_once(sandbox, tmp_path, monkeypatch):
    sandbox(GOOD)
    monkeypatch.setattr(run, "_papermill", lambda *_: pytest.fail("a kernel was started"))
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="this is a file"):
        run.execute("01_probe", {"output_dir": str(tmp_path / "file" / "below")}, quiet=True)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ValueError, match="cannot be written to"):
        run.execute("01_probe", {"output_dir": str(tmp_path / "new" / "below")}, quiet=True)
    assert not (tmp_path / "new").exists()


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
    assert "expected recipe=wmt17 for a parameter" in capsys.readouterr().err


def test_a_fault_in_own_scores_is_found_without_a_kernel(sandbox, tmp_path, monkeypatch, capsys):
    folder = sandbox(GOOD)
    monkeypatch.setattr(run, "_papermill", lambda *_: pytest.fail("a kernel was started"))
    rows = [f"{s},{k},{w},50" for k in range(3) for s in "ab" for w in "xy"]
    text = "\n".join(["system,segment,annotator,score", *rows, "a,3,x,fifty"])
    (tmp_path / "own.csv").write_text(text + "\n")
    before = sorted(folder.rglob("*"))
    assert commands.main(["run", "01", f"campaign={tmp_path / 'own.csv'}"]) == 2
    assert "own.csv, line 14, column 'score'" in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_own_campaigns_keep_to_themselves(sandbox, tmp_path):
    folder = sandbox(GOOD)
    first = _own_campaign(tmp_path / "a" / "mine")
    out = run.execute("01_probe", {"campaign": str(first)}, quiet=True)
    assert out == folder / "results" / "mine" / "01_probe"
    assert (out / "result.csv").is_file() and (out / "01_probe.ipynb").is_file()
    assert not (folder / "build").exists() and not (folder / "figures").exists()
    # another campaign of that name goes beside it, the same one again to its own place
    second = _own_campaign(tmp_path / "b" / "mine")
    other = run.execute("01_probe", {"campaign": str(second)}, quiet=True)
    assert re.fullmatch(r"mine-[0-9a-f]{6}", other.parent.name)
    assert other.parent.parent == folder / "results"
    assert run.plan("01_probe", {"campaign": str(first)}).final == out
    assert run.plan("01_probe", {"campaign": str(second)}).final == other
    # a run that fails leaves the results, and no trace where the report looks
    before = (out / "result.csv").read_bytes()
    sandbox("raise ValueError('half way')")
    with pytest.raises(RuntimeError):
        run.execute("01_probe", {"campaign": str(first)}, quiet=True)
    assert (out / "result.csv").read_bytes() == before
    assert not (folder / "build").exists() and not (folder / "figures").exists()
