"""Mutation testing of the core: does a test fail when a line of it is changed?

``make mutants`` (hours; ``--sample 20`` for a look). Cosmic Ray makes the mutants of ``rank``,
``score``, ``change``, ``read`` and SRP; of all of them a seeded sample is tried, each against the
tests of its folder, in a copy of the repository. Survivors are listed with their change.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS = {
    "rank": (["rank"], ["tests/rank"]),
    "score": (["score"], ["tests/score"]),
    "change": (["change"], ["tests/change"]),
    "read": (["read"], ["tests/read"]),
    "srp": (["study/srp.py", "study/srp_studies.py"], ["tests/study/test_srp.py"]),
}
CONFIG = """[cosmic-ray]
module-path = [{modules}]
timeout = {timeout}
excluded-modules = []
test-command = "{python} -m pytest -x -q -p no:cacheprovider -m 'not browser' {tests}"
[cosmic-ray.distributor]
name = "local"
"""


def ray(tree: Path, *words: str) -> None:
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **single, "PYTHONPATH": str(tree / "lib")}
    tool = Path(sys.executable).with_name("cosmic-ray")
    subprocess.run([str(tool), *words], cwd=tree, env=environment, check=True)


def begun(tree: Path, name: str, timeout: int) -> int:
    """Write the session of a part; how many mutants it has."""
    modules, tests = PARTS[name]
    listed = ", ".join(f'"lib/rankstability/{m}"' for m in modules)
    config = CONFIG.format(
        modules=listed, timeout=timeout, python=sys.executable, tests=" ".join(tests)
    )
    (tree / f"{name}.toml").write_text(config)
    ray(tree, "baseline", f"{name}.toml")  # unchanged, they pass
    ray(tree, "init", f"{name}.toml", f"{name}.sqlite")
    with sqlite3.connect(tree / f"{name}.sqlite") as session:
        return int(session.execute("select count(*) from work_items").fetchone()[0])


def sampled(file: Path, keep: int, seed: int) -> None:
    """Leave `keep` mutants of a session, drawn by `seed` from all in a fixed order."""
    with sqlite3.connect(file) as session:
        order = "module_path, operator_name, occurrence, job_id"
        rows = session.execute(f"select job_id from mutation_specs order by {order}").fetchall()
        kept = set(random.Random(seed).sample([row[0] for row in rows], min(keep, len(rows))))
        gone = [(row[0],) for row in rows if row[0] not in kept]
        for table in ("mutation_specs", "work_items"):
            session.executemany(f"delete from {table} where job_id = ?", gone)


def outcome(file: Path) -> tuple[int, int, list[str]]:
    """Killed, tried, and the survivors with their change."""
    with sqlite3.connect(file) as session:
        rows = session.execute(
            "select s.module_path, s.start_pos_row, s.operator_name, r.test_outcome, r.diff "
            "from work_results r join mutation_specs s on s.job_id = r.job_id"
        ).fetchall()
    left = [
        f"{path}:{line} {operator}\n{diff}"
        for path, line, operator, said, diff in rows
        if "SURVIVED" in str(said).upper()
    ]
    return len(rows) - len(left), len(rows), left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument(
        "--timeout", type=int, default=600, help="seconds for the tests of a mutant"
    )
    parser.add_argument("--parts", nargs="*", default=list(PARTS))
    args = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        packed = subprocess.run(
            ["git", "archive", "HEAD"], cwd=root, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x"], cwd=tree, input=packed.stdout, check=True)
        sizes = {name: begun(tree, name, args.timeout) for name in args.parts}
        killed = tried = 0
        for name, size in sizes.items():
            keep = max(1, round(args.sample * size / sum(sizes.values())))
            sampled(tree / f"{name}.sqlite", keep, args.seed)
            ray(tree, "exec", f"{name}.toml", f"{name}.sqlite")
            dead, all_, left = outcome(tree / f"{name}.sqlite")
            killed, tried = killed + dead, tried + all_
            print(f"{name}: {dead} of {all_} killed ({size} mutants in all)", *left, sep="\n")
        print(f"{killed} of {tried} killed, seed {args.seed}; survivors may be equivalent: look")
    return 0


if __name__ == "__main__":
    sys.exit(main())
