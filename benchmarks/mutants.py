"""Mutation testing of the core: does a test fail when a line of it is changed?

``make mutants`` (an hour or two with ``--jobs 2``; ``--sample 20`` for a look; ``pip install
cosmic-ray coverage`` first). Cosmic Ray's operators make the mutants of ``rank``, ``score`` and
``change`` of the thin library and of its readers (or of other ``--parts`` of ``lib``, on other
``--tests``); of those that change more than an annotation a seeded sample is tried in a copy of
what is committed. The unchanged tests run once with the tests that reach each line noted; a mutant
is tried on those that reach its lines, those of its own folder first.
``equivalent.csv`` lists changes without an effect, with the reason; other survivors are listed.
"""

import argparse
import ast
import csv
import difflib
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PARTS = [*(f"rankstability/{part}" for part in ("rank", "score", "change")), "rankcampaigns"]
TESTS = ["tests/rankstability", "tests/rankcampaigns", "tests/rankcompanion"]
LEFT_OUT = "tests/rankcampaigns/test_broken.py"  # the corpus: minutes; others kill mutants
MOST, PATIENCE = 40, 240.0  # tests that a mutant is tried on; seconds before it counts as hung
QUIET = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", "not browser and not slow"]


class Mutant(NamedTuple):
    module: str
    row: int
    code: str
    line: str
    mutated: str


def bare(code: str) -> str:
    """The syntax without annotations, which are never evaluated here."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(0)
    return ast.dump(tree)


def sample(tree: Path, parts: list[str], keep: int, seed: int) -> list[Mutant]:
    """`keep` mutants that change code, drawn by `seed` from all of these folders or files."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.mutating import mutate_code

    operators = {name: plugins.get_operator(name) for name in sorted(plugins.operator_names())}
    operators = {name: one() for name, one in operators.items() if not one.arguments()}
    every = []
    for part in parts:
        path = tree / "lib" / part
        for file in [path] if path.is_file() else sorted(path.glob("*.py")):
            nodes = list(ast_nodes(get_ast_from_path(file)))
            for name, one in operators.items():
                rows = [p[0][0] for node in nodes for p in one.mutation_positions(node)]
                every += [(file, name, nth, row) for nth, row in enumerate(rows)]
    drawn = []
    for file, name, nth, row in random.Random(seed).sample(every, len(every)):
        old = file.read_text(encoding="utf-8")
        new = mutate_code(old, operators[name], nth)
        try:
            if new is None or bare(old) == bare(new):
                continue
        except SyntaxError:
            continue
        parted = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
        lines = list(parted)[3:]
        was, now = (" ".join(x[1:].strip() for x in lines if x[0] == sign) for sign in "-+")
        drawn.append(Mutant(file.relative_to(tree / "lib").as_posix(), row, new, was, now))
        if len(drawn) == keep:
            break
    print(f"{len(every)} mutants, {len(drawn)} drawn with seed {seed}", flush=True)
    return drawn


def called(tree: Path, words: list[str], limit: float | None = None) -> int | None:
    """Run Python in `tree` on its own library; None past the limit."""
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    paths = [str(tree / "lib"), *filter(None, [env.get("PYTHONPATH")])]
    env |= {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, *words]
    try:
        done = subprocess.run(command, cwd=tree, env=env, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


def noted(tree: Path, tests: list[str]) -> dict[str, dict[int, set[str]]]:
    """Run the unchanged tests once: the tests that reach each line of each module."""
    import coverage

    settings = tree / "noted.rc"
    settings.write_text("[run]\nsource = lib\ndynamic_context = test_function\n")
    words = ["-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", *QUIET]
    code = called(tree, [*words, f"--ignore={LEFT_OUT}", *tests])
    assert code == 0, f"the unchanged tests do not pass (pytest ended with {code})"
    data = coverage.CoverageData(str(tree / ".coverage"))
    data.read()
    reached: dict[str, dict[int, set[str]]] = {}
    for name in data.measured_files():
        rows = reached.setdefault(Path(name).relative_to(tree / "lib").as_posix(), {})
        for row, contexts in data.contexts_by_lineno(name).items():
            parts = [one.rpartition(".") for one in contexts if one.startswith("tests.")]
            rows[row] = {f"{file.replace('.', '/')}.py::{test}" for file, _, test in parts}
    return reached


def chosen(mutant: Mutant, reached: dict[int, set[str]]) -> list[str]:
    """The tests to try: those that reach the innermost lines around that any test reaches."""
    hit: set[str] = set()
    spans = [
        (node.end_lineno or node.lineno) - node.lineno
        for node in ast.walk(ast.parse(mutant.code))
        if isinstance(node, ast.stmt) and node.lineno <= mutant.row <= (node.end_lineno or 0)
    ]
    for span in sorted({0, *spans}):
        near = range(mutant.row - span, mutant.row + span + 1)
        hit = {test for row in near for test in reached.get(row, ())}
        if hit:
            break
    own = f"tests/{Path(mutant.module).parent.as_posix()}/"
    return sorted(hit, key=lambda test: (not test.startswith(own), test))[:MOST]


def tried(trees: queue.Queue[Path], mutant: Mutant, reached: dict[int, set[str]]) -> str:
    """Put a mutant in place, run its tests, put the line back."""
    tests = chosen(mutant, reached)
    if not tests:
        return "not reached"
    tree = trees.get()
    file = tree / "lib" / mutant.module
    old = file.read_text(encoding="utf-8")
    try:
        file.write_text(mutant.code, encoding="utf-8")
        code = called(tree, ["-m", "pytest", "-x", *QUIET, *tests], PATIENCE)
    finally:
        file.write_text(old, encoding="utf-8")
        trees.put(tree)
    return "hung" if code is None else "killed" if code else "survived"


def told(drawn: list[Mutant], outcomes: list[str]) -> None:
    """The survivors, and counts."""
    from statsmodels.stats.proportion import proportion_confint

    with Path(__file__).with_name("equivalent.csv").open(encoding="utf-8", newline="") as text:
        same = {(r["module"], r["line"], r["mutated"]) for r in csv.DictReader(text)}
    dead = equal = 0
    for mutant, outcome in zip(drawn, outcomes, strict=True):
        if outcome in ("killed", "hung"):
            dead += 1
        elif (mutant.module, mutant.line, mutant.mutated) in same:
            equal += 1
        else:
            print(f"{outcome}: {mutant.module}:{mutant.row}")
            print(f"  - {mutant.line}\n  + {mutant.mutated}")
    low, high = proportion_confint(dead, of := len(drawn) - equal, method="wilson")
    share = f"{dead / of:.1%} ({low:.1%} to {high:.1%})"
    print(f"{dead} of {of} killed, {share}; {equal} more equivalent, {outcomes.count('hung')} hung")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--parts", nargs="+", default=PARTS)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        tree.mkdir()
        packed = subprocess.run(
            ["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x"], cwd=tree, input=packed.stdout, check=True)
        drawn = sample(tree, args.parts, args.sample, args.seed)
        reached = noted(tree, args.tests)
        trees: queue.Queue[Path] = queue.Queue()
        for job in range(args.jobs):
            trees.put(shutil.copytree(tree, Path(scratch) / f"tree{job}"))
        with ThreadPoolExecutor(args.jobs) as pool:
            outcomes = pool.map(lambda m: tried(trees, m, reached.get(m.module, {})), drawn)
            told(drawn, list(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
