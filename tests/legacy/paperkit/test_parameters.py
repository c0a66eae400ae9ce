"""Parameters of notebooks: read as they are declared, checked, and typed."""

import ast

import pytest

from in_process import GOOD
from companion.legacy.paperkit import parameters, paths
from companion.legacy.rankcompanion.notebooks.relative_ranking.agreement import MEASURES
from companion.legacy.rankstability.rank.ranking import CLUSTER_RULES
from companion.legacy.rankstability.rank.recipes import RECIPES
from companion.legacy.rankstability.rank.significance import CORRECTIONS, TESTS
from companion.legacy.rankstability.score.mqm import WEIGHTS


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
        assert parameters.choices(name) == tuple(known), name
    assert parameters.choices("recipe") == ("auto", *RECIPES)
    for notebook in parameters.notebooks():  # and every default passes its own check
        parameters.check(notebook, {p.name: p.default for p in parameters.parameters(notebook)})
