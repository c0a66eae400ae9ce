"""The public names: these and no others, each with an example that runs; the core stands alone."""

import ast
import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

import companion.legacy.rankstability
from companion.legacy.rankstability.errors import needing

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
import companion.legacy.rankstability
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


LIB = Path(rankstability.__file__).parents[1]


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
    said = run(BLOCKED + "import companion.legacy.rankstability as rs\n" + code)
    needs = f"rankstability.{name} needs the package {package}, which is not installed"
    assert said == f"{needs}: pip install rankstability\n"


def test_running_a_notebook_says_which_package_is_missing():
    code = "import runpy; runpy.run_module('companion.legacy.rankstability.run', run_name='__main__')"
    command = [sys.executable, "-c", BLOCKED + code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "companion.legacy.rankstability.run needs the package rankcompanion" in done.stderr


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


# ------------------------------------------------------------------ nothing else lies here


def names_defined(node: ast.stmt) -> list[str]:
    """What a statement of a module defines, or adds to."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [n.id for t in targets if t for n in ast.walk(t) if isinstance(n, ast.Name)]


def names_used(node: ast.AST) -> set[str]:
    """The names that a statement takes from its module, and attributes as ``name.attribute``."""
    if isinstance(node, ast.ClassDef):
        return set().union(*map(names_used, ast.iter_child_nodes(node)))
    parts = [*ast.walk(node)]
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    dotted = [n for n in parts if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    own = {n.arg for n in parts if isinstance(n, ast.arg)}
    own |= {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {n for n in names | {ast.unparse(n) for n in dotted} if n.partition(".")[0] not in own}


def statements(package: str) -> Iterator[tuple[set[str], set[str]]]:
    """What each top-level statement of a package defines and uses, by full dotted names."""
    for file in sorted((LIB / package).rglob("*.py")):
        if file.name == "__init__.py":
            continue
        module = ".".join(file.relative_to(LIB).with_suffix("").parts)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        known = {name: f"{module}.{name}" for node in tree.body for name in names_defined(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                asked = "." * node.level + (node.module or "")
                source = resolve_name(asked, module.rpartition(".")[0])
                known |= {a.asname or a.name: f"{source}.{a.name}" for a in node.names}
        for node in tree.body:
            used = {(*n.partition("."),) for n in names_used(node)}
            full = {known[name] + dot + rest for name, dot, rest in used if name in known}
            yield {known[name] for name in names_defined(node)}, full


def unreached() -> set[str]:
    """What of the thin library no public name uses, nor `run.main`, nor a reader of files."""
    uses: dict[str, set[str]] = {}
    todo = {"companion.legacy.rankstability.run.main"}
    todo |= {f"rankstability.{m}.{n}" for n, m in rankstability._MODULE_OF.items()}
    for defined, used in statements("rankstability"):
        for name in defined:
            uses.setdefault(name, set()).update(used)
        if not defined:  # what runs on import
            todo |= used
    for _, used in statements("rankcampaigns"):
        todo |= used
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo |= uses.get(name, set())
    return uses.keys() - seen


def test_the_thin_library_holds_only_what_its_names_and_the_readers_of_files_use():
    """All else lies in the companion, next to what uses it."""
    assert unreached() == set()
