"""Mutation testing of the core: does a test fail when a line of it is changed?

``make mutants`` (about an hour with ``--jobs 2``; ``--sample 20`` for a look; ``pip install
cosmic-ray coverage`` first). Cosmic Ray's operators make the mutants of ``rank``, ``score``,
``change`` and ``read`` (or of other ``--parts`` of ``lib``, on other ``--tests``); of those that
change more than an annotation a seeded sample is tried in a copy of what is committed. The
unchanged tests run once with the tests that reach each line noted; a mutant is tried on those that
reach its lines, fastest first.
``equivalent.csv`` lists changes without an effect, with the reason; other survivors are listed.
"""

from __future__ import annotations

import argparse
import ast
import csv
import difflib
import functools
import importlib
import itertools
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PARTS = [f"rankstability/{part}" for part in ("rank", "score", "change", "read")]
TESTS = ["tests/rankstability", "tests/rankcompanion"]
LEFT_OUT = [
    "tests/rankstability/read/test_broken.py"
]  # the corpus: minutes, and mutants die by others
PRELOADED = [
    *("numpy", "pandas", "scipy.stats", "scipy.optimize", "scipy.sparse", "statsmodels.api"),
    *("statsmodels.stats.multitest", "matplotlib.pyplot", "pytest"),
    *("hypothesis.extra.numpy", "joblib", "yaml", "pooch", "tqdm"),
]
COLUMNS = ["module", "row", "operator", "occurrence", "line", "mutated", "outcome", "seconds"]
SECONDS, SLOW = 40.0, 8.0  # of processor time: all tests of a mutant; a test not tried
TREE = ROOT  # of this process


class Mutant(NamedTuple):
    module: str
    operator: str
    occurrence: int
    row: int


def bare(code: str) -> str:
    """The syntax without annotations, which are never evaluated here, and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(0)
    return ast.dump(tree)


@functools.cache
def operator(name: str):
    from cosmic_ray import plugins

    return plugins.get_operator(name)()


def every(tree: Path, parts: list[str]) -> list[Mutant]:
    """All mutants of these folders and files of ``lib``, in a fixed order."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast_from_path

    lib, found = tree / "lib", []
    names = sorted(n for n in plugins.operator_names() if not plugins.get_operator(n).arguments())
    for part in parts:
        files = [lib / part] if part.endswith(".py") else sorted((lib / part).glob("*.py"))
        for file in files:
            nodes = list(ast_nodes(get_ast_from_path(file)))
            for name in names:
                rows = [p[0][0] for n in nodes for p in operator(name).mutation_positions(n)]
                module = file.relative_to(lib).as_posix()
                found += [Mutant(module, name, i, row) for i, row in enumerate(rows)]
    return found


def changed(tree: Path, mutant: Mutant) -> tuple[str, str, str] | None:
    """The code of a mutant, its first changed line and what it became; None: no code changed."""
    from cosmic_ray.mutating import mutate_code

    old = (tree / "lib" / mutant.module).read_text(encoding="utf-8")
    new = mutate_code(old, operator(mutant.operator), mutant.occurrence)
    try:
        if new is None or bare(old) == bare(new):
            return None
    except SyntaxError:
        return None
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""))[3:]
    was = " ".join(line[1:].strip() for line in lines if line[0] == "-")
    now = " ".join(line[1:].strip() for line in lines if line[0] == "+")
    return new, was, now


def forked(tree: Path, words: list[str], plugin: object, limit: float) -> int | None:
    """Run pytest in a fork of this process, where libraries are loaded; None past the limit."""
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        code = 70
        try:
            os.chdir(tree)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            sys.path.insert(0, str(tree / "lib"))
            import pytest

            words = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", *words]
            code = int(pytest.main(words, plugins=[plugin]))
        finally:
            os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(pid, 9)
    os.waitpid(pid, 0)
    return None


class Noted:
    """A plugin of pytest: which lines each test reaches, and how long it takes."""

    def __init__(self, tree: Path, file: Path):
        import coverage

        self.file, self.seconds, self.lib = file, {}, tree / "lib"
        self.begun = 0.0
        self.coverage = coverage.Coverage(data_file=None, source=[str(self.lib)], config_file=False)

    def pytest_sessionstart(self):
        self.coverage.start()
        self.coverage.switch_context("import")

    def pytest_runtest_logstart(self, nodeid):
        self.coverage.switch_context(nodeid)
        self.begun = time.process_time()

    def pytest_runtest_logreport(self, report):
        spent = time.process_time() - self.begun if report.outcome == "passed" else float("inf")
        self.seconds[report.nodeid] = max(self.seconds.get(report.nodeid, 0.0), spent)

    def pytest_sessionfinish(self):
        self.coverage.stop()
        data = self.coverage.get_data()
        reached = {
            Path(name).relative_to(self.lib).as_posix(): {
                str(row): [t for t in tests if t and t != "import"]
                for row, tests in data.contexts_by_lineno(name).items()
            }
            for name in data.measured_files()
        }
        self.file.write_text(json.dumps({"seconds": self.seconds, "reached": reached}))


class Ordered:
    """A plugin of pytest: only these tests, in this order."""

    def __init__(self, tests: list[str]):
        self.place = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted(
            (i for i in items if i.nodeid in self.place), key=lambda i: self.place[i.nodeid]
        )


def spans(code: str, row: int) -> Iterator[range]:
    """The lines of the innermost statement at a row, of what holds it, …, of the module."""
    around = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.stmt)
        and min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        <= row
        <= node.end_lineno
    ]
    for node in reversed(around):  # ast.walk goes outside in
        body = getattr(node, "body", None)
        head = (
            body and row < body[0].lineno and not isinstance(node, ast.FunctionDef | ast.ClassDef)
        )
        yield range(node.lineno, (body[0].lineno if head else node.end_lineno + 1))
    yield range(1, len(code.splitlines()) + 2)


def chosen(code: str, mutant: Mutant, notes: dict) -> list[str]:
    """The tests to try: those that reach the lines, the folder's own and the fastest first."""
    seconds, reached = notes["seconds"], notes["reached"].get(mutant.module, {})
    known = {t for t, s in seconds.items() if s < SLOW}
    hit: set[str] = set()
    for rows in spans(code, mutant.row):
        hit = {t for row in rows for t in reached.get(str(row), [])} & known
        if hit:
            break
    own = Path(mutant.module).parent.as_posix()
    order = sorted(
        hit, key=lambda t: (f"tests/{own}/" not in t and seconds[t] > 0.1, seconds[t], t)
    )
    spent, kept = 0.0, []
    for test in order:
        spent += seconds[test]
        if spent > SECONDS:
            break
        kept.append(test)
    return kept


def settle(trees: multiprocessing.Queue) -> None:
    """Give this process a tree of its own."""
    global TREE
    TREE = trees.get()
    os.environ["PYTHONPATH"] = str(TREE / "lib")


def tried(mutant: Mutant, notes: dict) -> dict[str, object]:
    """Put a mutant in place, run its tests, put the line back; a row of the results."""
    tree = TREE
    got = changed(tree, mutant)
    assert got is not None
    new, was, now = got
    file = tree / "lib" / mutant.module
    old, stamp, begun = file.read_text(encoding="utf-8"), file.stat().st_mtime, time.monotonic()
    tests = chosen(old, mutant, notes)
    limit = 30 + 4 * sum(notes["seconds"][t] for t in tests)
    outcome = "survived"
    if tests:
        try:
            file.write_text(new, encoding="utf-8")
            os.utime(file, (stamp + 100, stamp + 100))  # not the compiled one
            files = sorted({t.split("::")[0] for t in tests})
            code = forked(tree, ["-x", *files], Ordered(tests), limit)
            outcome = "survived" if code == 0 else "killed" if code is not None else "hung"
        finally:
            file.write_text(old, encoding="utf-8")
            os.utime(file, (stamp, stamp))
    return {
        **mutant._asdict(),
        "line": was,
        "mutated": now,
        "outcome": outcome if tests else "not reached",
        "seconds": round(time.monotonic() - begun, 1),
    }


def equivalents() -> set[tuple[str, str, str]]:
    with (Path(__file__).with_name("equivalent.csv")).open(encoding="utf-8", newline="") as text:
        return {(r["module"], r["line"], r["mutated"]) for r in csv.DictReader(text)}


def told(rows: list[dict]) -> None:
    """Counts by part, and the survivors."""
    from statsmodels.stats.proportion import proportion_confint

    same, alive = equivalents(), ("survived", "not reached")
    for row in rows:
        row["part"] = row["module"].split("/")[1]
        if row["outcome"] in alive and (row["module"], row["line"], row["mutated"]) in same:
            row["outcome"] = "equivalent"
    left = [row for row in rows if row["outcome"] in alive]
    for row in left:
        print(f"{row['outcome']}: {row['module']}:{row['row']} {row['operator']}")
        print(f"  - {row['line']}\n  + {row['mutated']}")
    for part in [*sorted({row["part"] for row in rows}), ""]:
        said = [row["outcome"] for row in rows if part in ("", row["part"])]
        dead, equal = said.count("killed") + said.count("hung"), said.count("equivalent")
        if not (of := len(said) - equal):
            continue
        low, high = proportion_confint(dead, of, method="wilson")
        print(
            f"{part or 'all'}: {dead} of {of} killed, {dead / of:.1%} ({low:.1%} to {high:.1%}); "
            f"{equal} more equivalent, {said.count('hung')} of the killed hung"
        )


def sample(tree: Path, parts: list[str], keep: int, seed: int) -> list[Mutant]:
    """`keep` mutants that change code, drawn by `seed`."""
    found = every(tree, parts)
    order = random.Random(seed).sample(found, len(found))
    drawn = list(itertools.islice((m for m in order if changed(tree, m)), keep))
    print(f"{len(found)} mutants, {len(drawn)} drawn with seed {seed}", flush=True)
    return drawn


def noted(tree: Path, folder: Path, tests: list[str]) -> dict:
    """Run the unchanged tests once, folder by folder; the lines each reaches and its seconds."""
    notes: dict[str, dict] = {"seconds": {}, "reached": {}}
    for number, pattern in enumerate(tests):
        file = folder / f"notes{number}.json"
        words = [str(one.relative_to(tree)) for one in sorted(tree.glob(pattern))]
        words += ["-m", "not browser and not slow", *(f"--ignore={one}" for one in LEFT_OUT)]
        if not file.exists():
            code = forked(tree, words, Noted(tree, file), 3600)
            assert code == 0, f"unchanged, {pattern} does not pass (pytest ended with {code})"
        made = json.loads(file.read_text())
        notes["seconds"] |= made["seconds"]
        for module, rows in made["reached"].items():
            held = notes["reached"].setdefault(module, {})
            for row, tests in rows.items():
                held[row] = [*held.get(row, []), *tests]
    return notes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--parts", nargs="+", default=PARTS)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--folder", type=Path, help="keep results here, and go on with them")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if any(os.environ.get(name) != value for name, value in single.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **single})
    for name in PRELOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        tree = folder / "tree"
        if not tree.is_dir():
            tree.mkdir(parents=True)
            packed = subprocess.run(
                ["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True
            )
            subprocess.run(["tar", "-x"], cwd=tree, input=packed.stdout, check=True)
        drawn = sample(tree, args.parts, args.sample, args.seed)
        os.environ["PYTHONPATH"] = str(tree / "lib")
        notes, file = noted(tree, folder, args.tests), folder / "results.csv"
        rows: list[dict] = []
        if file.exists():
            with file.open(encoding="utf-8", newline="") as text:
                rows = list(csv.DictReader(text))
        done = {(row["module"], row["operator"], int(row["occurrence"])) for row in rows}
        left = [mutant for mutant in drawn if mutant[:3] not in done]
        trees = multiprocessing.Queue()
        for job in range(args.jobs):
            trees.put(shutil.copytree(tree, folder / f"tree{job}", dirs_exist_ok=True))
        with (
            file.open("a", encoding="utf-8", newline="") as text,
            multiprocessing.get_context("fork").Pool(args.jobs, settle, (trees,)) as pool,
        ):
            writer = csv.DictWriter(text, COLUMNS)
            if not rows:
                writer.writeheader()
            for row in pool.imap(functools.partial(tried, notes=notes), left):
                rows.append(row)
                writer.writerow(row)
                text.flush()
        told(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
