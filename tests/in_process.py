"""Notebooks executed in the process of the tests: a kernel takes seconds to start and import.

`make figures` runs each notebook on the demo campaigns with a kernel, as users do.
"""

from __future__ import annotations

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
from traitlets.config import Config

from paperkit import parameters, paths
from rankcompanion.session import UNSAID


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
