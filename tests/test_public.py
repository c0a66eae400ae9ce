"""The public names: these and no others, each with an example that runs; the core stands alone."""

import doctest
import inspect
import subprocess
import sys

import pytest

import rankstability

NAMES = {
    *("find", "load", "segment_scores", "pair_counts", "mqm_scores", "remove", "degrade"),
    *("rank_systems", "Ranking", "compare", "CLUSTER_RULES", "TESTS"),
    *("feedback_arc_set", "srp", "DataError"),
}
CORE = ("judgments", "chance", "paths", "errors", "change", "score", "rank")
BLOCKED = (
    *("matplotlib", "seaborn", "papermill", "jupyter", "jupyter_client", "jupyter_core"),
    *("jupyterlab", "IPython", "ipywidgets", "nbformat", "nbconvert", "snakemake", "PIL"),
    *("rankcompanion", "paperkit"),
)
ALONE = f"""
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({BLOCKED!r}))  # each raises ImportError
import rankstability
for part in {CORE!r}:
    module = importlib.import_module("rankstability." + part)
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        importlib.import_module(f"rankstability.{{part}}.{{found.name}}")
for name in rankstability.__all__:
    getattr(rankstability, name)
judgments = rankstability.load("demo-srdc", "de-en")
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


def test_the_core_needs_no_plots_and_no_notebooks():
    assert "HUMAN" in run(ALONE)


def test_the_package_itself_loads_nothing():
    loaded = run("import sys, rankstability; print(*sys.modules)").split()
    assert not {"numpy", "pandas", "scipy", "matplotlib"} & set(loaded)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_says_what_it_is_and_how_to_use_it(name):
    thing = getattr(rankstability, name)
    if not callable(thing):
        assert isinstance(thing, dict) and thing
        return
    text = inspect.getdoc(thing)
    assert text and ">>>" in text
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0
