"""Notebooks executed in the process of the tests: a kernel takes seconds to start and import.

`make figures` runs each notebook on the demo campaigns with a kernel, as users do.
"""

import base64
import json
import os
import re
import sys
from contextlib import contextmanager
from unittest import mock

import matplotlib.pyplot as plt
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import v4
from traitlets.config import Config

from companion.legacy.paperkit import parameters, paths
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankcompanion.running.session import UNSAID


def without_a_kernel(plan, executed, values, quiet):
    """What `run._papermill` does; what a cell shows is kept."""
    notebook = parameters.read_notebook(plan.notebook)
    here = os.getcwd()
    os.chdir(paths.ROOT)
    try:
        with a_shell() as shell:
            for number, cell in enumerate(notebook["cells"]):
                if cell["cell_type"] == "code":
                    run_cell(f"{plan.notebook} failed in cell {number}", cell, shell)
                    if "parameters" in cell["metadata"].get("tags", []):
                        shell.user_ns.update(values)
                    if "## What to conclude" in "".join(notebook["cells"][number - 1]["source"]):
                        said = cell["outputs"][-1]["data"]["text/markdown"]
                        alone = said == UNSAID and not shell.user_ns["run"].whole
                        assert alone or sentences(said) == 3, said
    finally:
        os.chdir(here)
        plt.close("all")
        executed.write_text(json.dumps(notebook))


@contextmanager
def a_shell():
    """IPython as a kernel has it; of what it changes in this process nothing stays."""
    main = sys.modules["__main__"]
    with mock.patch.object(sys, "ps1", "", create=True):
        try:
            yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        finally:
            InteractiveShell.clear_instance()
            sys.modules["__main__"] = main


def run_cell(problem, cell, shell):
    with capture_output() as seen:
        done = shell.run_cell("".join(cell["source"]))
    shown = [(one.data, one.metadata) for one in seen.outputs]
    if done.result is not None:
        shown.append(shell.display_formatter.format(done.result))
    cell["outputs"] = [
        {"output_type": "display_data", "data": dict(map(text, data.items())), "metadata": metadata}
        for data, metadata in shown
    ]
    if error := done.error_before_exec or done.error_in_exec:
        raise RuntimeError(f"{problem}\n{type(error).__name__}: {error}") from error


def text(item):
    kind, data = item
    return kind, base64.b64encode(data).decode() if isinstance(data, bytes) else data


def sentences(said):
    """How many there are: a full stop within a name or a number is followed by no blank."""
    return len(re.findall(r"\.(?=\s|$)", said))


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
GOOD = "run.out.table(pd.DataFrame({'count': [count], 'flag': [flag]}), 'result')"


def a_repository(tmp_path, monkeypatch):
    """Gives what writes the notebook of a repository at `tmp_path`; its last cell is given."""
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
                "from companion.legacy.rankcompanion.running.session import start\n"
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
