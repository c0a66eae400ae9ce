"""Do a module's own tests see a changed line of it? A seeded sample of small mutants.

``python tests/trials/own_tests.py --into FOLDER`` copies what is committed there, changes one
comparison, arithmetic sign, constant, ``and``, ``or`` or ``not`` of the thin library or its readers
at a time, and runs only the module's own tests until one fails. It prints each outcome, and counts
by module. Unlike ``make mutants``, the tests of other folders do not count, and nothing need be
installed.
"""

import argparse
import ast
import copy
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "rankstability",
    "rankstability/change",
    "rankstability/score",
    "rankstability/rank",
    "rankcampaigns",
)
PATIENCE = 60  # seconds of processor; a mutant that is still running is hung
RANK, READ = "tests/rankstability/rank", "tests/rankcampaigns"
WITHOUT = {  # modules without a test file of their own name: the files that test them
    "rankstability/__init__.py": ["tests/test_public.py"],
    "rankstability/forwarding.py": ["tests/test_front_door.py", "tests/test_public.py"],
    "rankstability/paths.py": [f"{READ}/test_campaigns.py"],
    "rankstability/rank/feedback.py": [f"{RANK}/test_tournament.py"],
    "rankstability/rank/srp_studies.py": [f"{RANK}/test_srp.py"],
    "rankcampaigns/guesses.py": [f"{READ}/test_columns.py"],
    "rankcampaigns/segments.py": [f"{READ}/test_appraise.py"],
    "rankcampaigns/together.py": [f"{READ}/test_contradictions.py", f"{READ}/test_alike.py"],
}
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


class Mutant(NamedTuple):
    module: str
    row: int
    was: str
    now: str
    code: str


def bare(tree: ast.Module) -> ast.Module:
    """The tree without annotations, which are no code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return tree


def changed(node: ast.AST) -> ast.AST | None:
    """The node with one small change, or None if there is none to make."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare):
        new.ops[0] = SWAPS[type(new.ops[0])]()
    elif isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in SWAPS:
        new.op = SWAPS[type(new.op)]()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not | ast.USub | ast.Invert):
        return new.operand
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool):
        new.value = not new.value
    elif isinstance(new, ast.Constant) and isinstance(new.value, int | float):
        new.value = new.value + 1
    else:
        return None
    return new


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    """Each expression that has a mutant: its parent, the field, the place in a list, and itself."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            many = isinstance(value, list)
            for place, child in enumerate(value if many else [value]):
                if isinstance(child, ast.expr) and changed(child) is not None:
                    yield node, field, place if many else None, child


def parsed(module: str) -> ast.Module:
    """The syntax of a module, without annotations."""
    return bare(ast.parse((ROOT / "lib" / module).read_text(encoding="utf-8")))


def mutant(module: str, nth: int) -> Mutant:
    """The nth mutant of a module, in the order of `places`."""
    tree = parsed(module)
    node, field, place, child = list(places(tree))[nth]
    new = changed(child)
    assert new is not None
    put(node, field, place, new)
    code = ast.unparse(ast.fix_missing_locations(tree))
    return Mutant(module, child.lineno, ast.unparse(child), ast.unparse(new), code)


def put(node: ast.AST, field: str, place: int | None, child: ast.AST) -> None:
    """Set a child of a node: a field of it, or one place of a field that is a list."""
    if place is None:
        setattr(node, field, child)
    else:
        getattr(node, field)[place] = child


def own_tests(module: str) -> list[str]:
    """The test files of a module, from the root."""
    path = Path(module)
    return WITHOUT.get(module, [f"tests/{path.parent.as_posix()}/test_{path.name}"])


def outcome(tree: Path, tests: list[str], patience: int) -> str:
    """Run tests in `tree` in a process of its own: survived, killed or hung."""
    words = ["-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0", *tests]
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))
        os.chdir(tree)
        sys.path.insert(0, str(tree / "lib"))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = 99
        try:
            import pytest

            code = int(pytest.main(words))
        finally:
            os._exit(code)
    end = time.monotonic() + 5 * patience  # others may want the processor
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
                signal.SIGXCPU,
                signal.SIGKILL,
            )
            return "hung" if late else "killed" if status else "survived"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


def tried(tree: Path, one: Mutant) -> str:
    """Put a mutant in place, run its module's own tests, put the module back."""
    file = tree / "lib" / one.module
    old = file.read_text(encoding="utf-8")
    try:
        file.write_text(one.code, encoding="utf-8")
        return outcome(tree, own_tests(one.module), PATIENCE)
    finally:
        file.write_text(old, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--only", default="", help="a part of the names of the modules tried")
    args = parser.parse_args()
    sys.dont_write_bytecode = True
    args.into.mkdir(parents=True)
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x"], cwd=args.into, input=packed.stdout, check=True)
    files = [file for part in PARTS for file in sorted((ROOT / "lib" / part).glob("*.py"))]
    modules = [file.relative_to(ROOT / "lib").as_posix() for file in files]
    every = [(module, nth) for module in modules for nth, _ in enumerate(places(parsed(module)))]
    drawn = [mutant(*one) for one in random.Random(args.seed).sample(every, args.sample)]
    print(f"{len(drawn)} of {len(every)} mutants, seed {args.seed}", flush=True)
    import_what_all_need()
    sound: dict[str, str] = {}
    counts: dict[str, Counter[str]] = {}
    for one in drawn:
        module = one.module
        if args.only not in module:
            continue
        if module not in sound:
            sound[module] = outcome(args.into, own_tests(module), 10 * PATIENCE)
            if sound[module] != "survived":
                print(f"{module}: its own tests fail unchanged", flush=True)
        end = tried(args.into, one) if sound[module] == "survived" else "not tried"
        counts.setdefault(module, Counter())[end] += 1
        print(f"{end}: {module}:{one.row}: {one.was} -> {one.now}", flush=True)
    for module, ends in sorted(counts.items()):
        print(f"{module}: {dict(ends)}")
    print(f"all: {dict(sum(counts.values(), Counter()))}")
    return 0


def import_what_all_need() -> None:
    """Import once what is the same in every process, which is forked from this one."""
    import hypothesis  # noqa: F401
    import matplotlib  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.sparse
    import scipy.stats  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
