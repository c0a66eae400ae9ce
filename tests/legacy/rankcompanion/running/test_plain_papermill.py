"""The notebooks as users of papermill and JupyterLab know them, without the project's runner."""

import subprocess
import sys

import nbformat
import pandas as pd
import pytest

from companion.legacy.paperkit import paths
from companion.legacy.paperkit.errors import InputError
from companion.legacy.rankstability.errors import DataError


def papermill(to, *parameters):
    words = ["papermill", "-k", "python3", "notebooks/01_replication.ipynb", str(to)]
    command = [sys.executable, "-m", *words, *parameters]
    return subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True)


def test_papermill_alone_runs_a_notebook(tmp_path):
    given = ["-p", "campaign", "demo-srdc", "-p", "pair", "de-en"]
    done = papermill(tmp_path / "out.ipynb", *given, "-p", "output_dir", str(tmp_path / "results"))
    assert done.returncode == 0, done.stderr
    ranking = pd.read_csv(tmp_path / "results" / "de-en" / "ranking.csv")
    assert ranking["rank"].to_list() == [*range(1, len(ranking) + 1)]


def test_a_wrong_value_is_told_in_one_line_and_not_as_a_traceback(tmp_path):
    copy = tmp_path / "out.ipynb"
    done = papermill(copy, "-p", "pair", "xx-yy", "-p", "output_dir", str(tmp_path / "results"))
    assert done.returncode != 0
    cells = nbformat.read(copy, 4).cells
    said = [o for c in cells for o in c.get("outputs", []) if o.output_type == "error"]
    (shown,) = said[0].traceback
    assert shown.startswith("InputError: no such language pair in campaign demo-srpdc")
    assert "'xx-yy'" in shown and "de-en, en-cs" in shown


@pytest.mark.parametrize("error", [DataError, InputError])
def test_ipython_shows_the_message_alone(error, capsys):
    shell = pytest.importorskip("IPython").InteractiveShell.instance()
    problem = error("no such pair", value="xx", expected="de-en")
    shell.user_ns["problem"] = problem
    shell.run_cell("raise problem")
    shown = capsys.readouterr()
    assert "Traceback" not in shown.out + shown.err
    assert f"{error.__name__}: no such pair; found 'xx'; expected de-en" in shown.out + shown.err
