"""Whether the committed results are those of this code: ledger, README's table, CSV files."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import yaml

from paperkit import paths
from paperkit.parameters import resolve
from paperkit.placing import csv_bytes
from rankcompanion import ledger
from rankcompanion.workflow import Job, given
from rankstability.read import campaigns

SAMPLE = (  # of each protocol something that takes seconds
    *("01:wmt22-appraise-liv", "02:wmt22-appraise-liv", "01:wmt21:cs-en", "08:wmt11"),
    "06:wmt23-mqm:zh-en",
)


def check_ledger(figures: Path, readme: Path) -> list[str]:
    """What of the ledger and of README's table is not what the results in `figures` give."""
    rows = ledger.gather(figures)
    if rows.empty:
        return []
    wrong = []
    file, ours = figures / "claims_ledger.csv", csv_bytes(rows)
    theirs = file.read_bytes() if file.is_file() else b""
    if theirs != ours:
        lines = zip_longest(theirs.splitlines(), ours.splitlines())
        line = next((n for n, (one, other) in enumerate(lines, 1) if one != other), 1)
        problem = f"not what the campaigns' results give, from line {line} on"
        wrong.append(f"{paths.shown(file)}: {problem}")
    start, end = ledger.MARKERS
    if f"{start}\n{ledger.markdown(rows)}\n{end}" not in readme.read_text(encoding="utf-8"):
        wrong.append(f"{paths.shown(readme)}: its table is not the summary of the ledger")
    return wrong


def compare(made: Path, kept: Path, scope: str = "") -> list[str]:
    """CSV files of a new run that differ from the kept ones, in `scope` (a pair's folder) or all.

    A file that is kept and was not made again is named, and one directly in the folder that was
    made and is not kept; those of single pairs are kept in part.
    """
    below = f"{scope}/*.csv" if scope else "**/*.csv"
    new, old = ({file.relative_to(at) for file in at.glob(below)} for at in (made, kept))
    problems = {
        "not made any more": old - new,
        "not kept": {name for name in new - old if len(name.parts) == 1},
        "other bytes": {n for n in new & old if (made / n).read_bytes() != (kept / n).read_bytes()},
    }
    return [
        f"{paths.shown(kept / name)}: {problem}"
        for problem, names in problems.items()
        for name in sorted(names)
    ]


def rerun(job: Job, folder: Path) -> None:
    """Run a notebook in a process of its own, its results in `folder`; RuntimeError if it fails."""
    config = yaml.safe_load((paths.ROOT / "config.yaml").read_text(encoding="utf-8"))
    values = {**given(job, config), "output_dir": str(folder)}
    command = [sys.executable, "-m", "rankstability.run", job.notebook, "--quiet"]
    command += [f"{name}={value}" for name, value in values.items()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{job.notebook} {job.campaign}: {done.stderr.strip()[-500:]}")


def check_runs(jobs: Sequence[Job], figures: Path, processes: int = 2) -> list[str]:
    """What of the kept CSV files of these runs another run does not make byte for byte."""

    def one(job: Job) -> list[str]:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "made"
            try:
                rerun(job, folder)
            except RuntimeError as error:
                return [str(error)]
            return compare(folder, figures / job.campaign / job.notebook, job.pair)

    with ThreadPoolExecutor(processes) as pool:
        return [line for lines in pool.map(one, jobs) for line in lines]


def main(argv: list[str] | None = None) -> int:
    """Compare the ledger, README's table and a sample of CSV files with what this code gives."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("runs", nargs="*", help="notebook:campaign[:pair]", default=list(SAMPLE))
    parser.add_argument("--figures", type=Path, default=paths.FIGURES)
    parser.add_argument("--readme", type=Path, default=paths.ROOT / "README.md")
    parser.add_argument("--ledger-only", action="store_true", help="run no notebook")
    args = parser.parse_args(argv)
    wrong = check_ledger(args.figures, args.readme)
    here = {campaign.name for campaign in campaigns.present()}
    asked = [run.split(":") for run in ([] if args.ledger_only else args.runs)]
    jobs = [Job(resolve(a[0]), *a[1:]) for a in asked if a[1] in here]
    wrong += check_runs(jobs, args.figures)
    for line in wrong:
        print(f"stale: {line}")
    names = ", ".join(f"{j.notebook} {j.campaign} {j.pair}".strip() for j in jobs) or "none"
    print(f"{len(wrong)} stale; compared: ledger, README's table, CSV files of these runs: {names}")
    absent = sorted({a[1] for a in asked} - here)
    if absent:
        print(f"NOT compared, because their data are not here: {', '.join(absent)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
