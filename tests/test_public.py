"""The public names: these and no others, each with an example that runs; the core stands alone."""

import doctest
import inspect
import subprocess
import sys

import pytest

import rankstability
from rankstability.errors import needing

NAMES = {
    "judgments", "battles", "find", "load", "remove", "degrade",
    "segment_scores", "pair_counts", "mqm_scores",
    "rank_systems", "Ranking", "compare", "fewest", "verdict", "feedback_arc_set", "srp",
    "CLUSTER_RULES", "RECIPES", "TESTS", "DataError",
}  # fmt: skip
PLOTS_AND_NOTEBOOKS = (
    "matplotlib", "seaborn", "papermill", "jupyter", "jupyter_client", "jupyter_core", "jupyterlab",
    "IPython", "ipywidgets", "nbformat", "nbconvert", "snakemake", "PIL",
)  # fmt: skip
OTHERS = ("rankcampaigns", "rankcompanion", "paperkit")
BLOCKED = f"""
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({PLOTS_AND_NOTEBOOKS + OTHERS!r}))  # each raises ImportError
"""
ALONE = """
import rankstability
for found in pkgutil.walk_packages(rankstability.__path__, "rankstability."):
    importlib.import_module(found.name)
for name in rankstability.__all__:
    getattr(rankstability, name)
import pandas as pd
rows = [(s, k, "w", 40 + 9 * k + 3 * (s == "A")) for s in "AB" for k in range(5)]
frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
judgments = rankstability.judgments(frame)
print(rankstability.rank_systems(rankstability.segment_scores(judgments)))
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_public_names_are_these():
    assert set(rankstability.__all__) == NAMES <= set(dir(rankstability))
    with pytest.raises(AttributeError, match="no attribute 'ranks'"):
        rankstability.ranks  # noqa: B018


def test_the_thin_library_ranks_a_frame_without_the_other_packages():
    first, second = run(BLOCKED + ALONE).splitlines()[2:4]
    assert first.split()[:2] == ["1", "A"] and second.split()[:2] == ["2", "B"]


@pytest.mark.parametrize(
    ("name", "call", "package"),
    [
        ("load", "load('demo-srdc', 'de-en')", "rankcampaigns"),
        ("find", "find('demo-srdc')", "rankcampaigns"),
        ("verdict", "verdict(None)", "rankcompanion"),
    ],
)
def test_what_other_packages_do_says_which_is_missing(name, call, package):
    code = f"try:\n    rs.{call}\nexcept ImportError as error:\n    print(error)"
    said = run(BLOCKED + "import rankstability as rs\n" + code)
    needs = f"rankstability.{name} needs the package {package}, which is not installed"
    assert said == f"{needs}: pip install rankstability\n"


def test_running_a_notebook_says_which_package_is_missing():
    code = "import runpy; runpy.run_module('rankstability.run', run_name='__main__')"
    command = [sys.executable, "-c", BLOCKED + code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "rankstability.run needs the package rankcompanion" in done.stderr


def test_an_import_that_fails_within_a_package_is_not_called_a_missing_package():
    said = pytest.raises(ModuleNotFoundError, match="No module named 'numpy")
    with said, needing("load", "rankcampaigns"):
        import numpy.nothing  # noqa: F401


def test_the_package_itself_loads_nothing():
    loaded = run("import sys, rankstability; print(*sys.modules)").split()
    assert not {"numpy", "pandas", "scipy", "matplotlib"} & set(loaded)


def test_the_example_of_the_package_runs():
    assert doctest.testmod(rankstability).attempted == 4
    assert doctest.testmod(rankstability).failed == 0


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_says_what_it_is_and_how_to_use_it(name):
    thing = getattr(rankstability, name)
    if not callable(thing):
        assert isinstance(thing, dict) and thing
        return
    text = inspect.getdoc(thing)
    assert text and ">>>" in text
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0
