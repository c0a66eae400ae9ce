"""Notebooks executed in the process of the tests: a kernel takes seconds to start and import.

`make figures` runs each notebook on the demo campaigns with a kernel, as users do.
"""

from __future__ import annotations

import json
import os

import matplotlib.pyplot as plt

from paperkit import parameters, paths


def without_a_kernel(plan, executed, values, quiet):
    """What `run._papermill` does, but that no output is kept."""
    notebook, scope = parameters.read_notebook(plan.notebook), {"__name__": "__main__"}
    here = os.getcwd()
    os.chdir(paths.ROOT)
    try:
        for number, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] == "code":
                run_cell(f"{plan.notebook} failed in cell {number}", cell, scope)
                scope |= values if "parameters" in cell["metadata"].get("tags", []) else {}
    finally:
        os.chdir(here)
        plt.close("all")
        executed.write_text(json.dumps(notebook))


def run_cell(problem, cell, scope):
    try:
        exec("".join(cell["source"]), scope)
    except Exception as error:
        raise RuntimeError(f"{problem}\n{type(error).__name__}: {error}") from error
