"""The same bytes whatever the number of jobs, the hash seed, the time zone, the minor of Python.

``make determinism``. Runs the demo campaigns' notebooks once as they are, then again in other
circumstances, and compares every CSV, PNG and ``run.json`` (but for versions in it). A second
Python is used where ``PYTHON2ND`` names one that holds the same packages.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RUNS = [
    ("01", "demo-srdc", {}),
    ("03", "demo-srpdc", {}),
    ("06", "demo-mqm", {"studies": 30, "splits": 5}),
    ("08", "demo-rr", {}),
    ("09", "demo-rr", {}),
]
SINGLE = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def run(number: int, out: Path, python: str, more: dict[str, str], jobs: int) -> None:
    notebook, campaign, given = RUNS[number]
    values = {"campaign": campaign, "output_dir": str(out / notebook), **given}
    if notebook in ("06", "09"):
        values["jobs"] = jobs
    command = [python, "-m", "companion.legacy.rankstability.run", notebook, "--quiet"]
    command += [f"{name}={value}" for name, value in values.items()]
    done = subprocess.run(command, env={**os.environ, **SINGLE, **more}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def state(folder: Path) -> dict[str, bytes]:
    made = {}
    for file in folder.rglob("*"):
        if file.suffix in (".csv", ".png"):
            made[str(file.relative_to(folder))] = file.read_bytes()
        elif file.name == "run.json":
            record = {k: v for k, v in json.loads(file.read_bytes()).items() if k != "versions"}
            made[str(file.relative_to(folder))] = json.dumps(record, sort_keys=True).encode()
    return made


def all_runs(python: str, at_once: int, **more: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(at_once) as pool:
        out = Path(scratch)
        list(pool.map(lambda n: run(n, out, python, more, at_once), range(len(RUNS))))
        return state(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--second", default=os.environ.get("PYTHON2ND", ""))
    parser.add_argument("--notebooks", nargs="*", help="only these, such as 01 06")
    args = parser.parse_args()
    RUNS[:] = [run for run in RUNS if not args.notebooks or run[0] in args.notebooks]
    here, failed = sys.executable, 0
    usual = all_runs(here, 1, PYTHONHASHSEED="0", TZ="UTC")
    print(f"{len(usual)} files of {len(RUNS)} runs; one at a time, hash seed 0, UTC")
    tries = [
        ("2 jobs", here, 2, {"PYTHONHASHSEED": "1", "TZ": "UTC"}),
        ("4 jobs, time zone", here, 4, {"PYTHONHASHSEED": "random", "TZ": "Pacific/Auckland"}),
    ]
    if args.second:
        tries.append((f"second Python, {args.second}", args.second, 2, {"PYTHONHASHSEED": "3"}))
    for name, python, at_once, more in tries:
        other = all_runs(python, at_once, **more)
        differ = sorted(n for n in usual.keys() | other.keys() if usual.get(n) != other.get(n))
        failed += len(differ)
        print(f"{name}: {len(differ)} of {len(usual)} files differ", *differ[:10])
    if not args.second:
        print("NOT tried: a second Python (PYTHON2ND names one with the same packages)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
