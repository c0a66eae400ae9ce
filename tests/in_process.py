"""Notebooks executed in the process of the tests: a kernel takes seconds to start and import.

`make figures` runs each notebook on the demo campaigns with a kernel, as users do.
"""

from __future__ import annotations

import ast
import json
import os
import re

import matplotlib.pyplot as plt

from paperkit import parameters, paths
from rankcompanion.session import UNSAID


def without_a_kernel(plan, executed, values, quiet):
    """What `run._papermill` does, but that no output is kept."""
    notebook, scope = parameters.read_notebook(plan.notebook), {"__name__": "__main__"}
    here = os.getcwd()
    os.chdir(paths.ROOT)
    try:
        for number, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] == "code":
                shown = run_cell(f"{plan.notebook} failed in cell {number}", cell, scope)
                if "## What to conclude" in "".join(notebook["cells"][number - 1]["source"]):
                    alone = shown.data == UNSAID and not scope["run"].whole
                    assert alone or sentences(shown.data) == 3, shown.data
                scope |= values if "parameters" in cell["metadata"].get("tags", []) else {}
    finally:
        os.chdir(here)
        plt.close("all")
        executed.write_text(json.dumps(notebook))


def sentences(text):
    """How many there are: a full stop within a name or a number is followed by no blank."""
    return len(re.findall(r"\.(?=\s|$)", text))


def run_cell(problem, cell, scope):
    """Run a cell; what its last expression is worth, which a notebook would show."""
    tree, value = ast.parse("".join(cell["source"])), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, problem, "exec"), scope)
        if last:
            value = eval(compile(ast.Expression(last.value), problem, "eval"), scope)
    except Exception as error:
        raise RuntimeError(f"{problem}\n{type(error).__name__}: {error}") from error
    return value
