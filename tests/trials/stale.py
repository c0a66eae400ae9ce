"""Whether the committed results are those of this code: ledger, README, CSV files.

The tables behind the findings of README and front page are made anew from the data (`anew`), for
all pairs, or with ``--pairs one`` for one of each campaign; of the others a sample of runs.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import yaml

from companion.legacy.paperkit import paths, runs
from companion.legacy.paperkit.parameters import resolve
from companion.legacy.paperkit.placing import csv_bytes
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.report import findings, ledger
from companion.legacy.rankcompanion.running.workflow import Job, given

sys.path.insert(0, str(paths.ROOT / "tests"))
from trials import anew

SAMPLE = (  # of each protocol something, and claims that hold misprints
    *("01:wmt22-appraise-liv", "01:wmt21:cs-en", "07:wmt10", "08:wmt10", "08:wmt11"),
    "06:wmt23-mqm:zh-en",
)


def check_ledger(figures: Path, readme: Path) -> list[str]:
    """What of the ledger, README's table and its findings the results in `figures` do not give."""
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
    text = readme.read_text(encoding="utf-8")
    for (start, end), ours, problem in (
        (ledger.MARKERS, ledger.markdown(rows), "its table is not the summary of the ledger"),
        (ledger.ANSWERS, findings.sentences(figures), "its findings are not what the results give"),
    ):
        if f"{start}\n{ours}\n{end}" not in text:
            wrong.append(f"{paths.shown(readme)}: {problem}")
    return wrong


def compare(made: Path, kept: Path, scope: str = "") -> list[str]:
    """CSV files of a new run that differ from the kept ones, in `scope` (a pair's folder) or all.

    A file that is kept and was not made again is named, and one directly in the folder that was
    made and is not kept, unless git ignores it; those of single pairs are kept in part.
    """
    below = f"{scope}/*.csv" if scope else "**/*.csv"
    new, old = ({file.relative_to(at) for file in at.glob(below)} for at in (made, kept))
    problems = {
        "not made any more": old - new,
        "not kept": {name for name in new - old if len(name.parts) == 1 and runs.kept(kept / name)},
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
    command = [sys.executable, "-m", "companion.legacy.rankstability.run", job.notebook, "--quiet"]
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


def _commit() -> str:
    """The name of this checkout's commit."""
    command = ["git", "-C", str(paths.ROOT), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main(argv: list[str] | None = None) -> int:
    """Compare ledger, README, the tables behind its findings and a sample of CSV files."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("runs", nargs="*", help="notebook:campaign[:pair]", default=list(SAMPLE))
    parser.add_argument("--figures", type=Path, default=paths.FIGURES)
    parser.add_argument("--readme", type=Path, default=paths.ROOT / "README.md")
    parser.add_argument("--pairs", choices=("all", "one"), default="all", help="behind findings")
    parser.add_argument("--ledger-only", action="store_true", help="run no notebook")
    args = parser.parse_args(argv)
    wrong = check_ledger(args.figures, args.readme)
    here = {campaign.name for campaign in campaigns.present()}
    asked = [run.split(":") for run in ([] if args.ledger_only else args.runs)]
    jobs = [Job(resolve(a[0]), *a[1:]) for a in asked if a[1] in here]
    behind = [] if args.ledger_only else anew.behind(args.figures)
    commit = _commit() if args.pairs == "one" else ""
    wrong += anew.check([job for job in behind if job[2] in here], args.figures, commit=commit)
    wrong += check_runs(jobs, args.figures)
    for line in wrong:
        print(f"stale: {line}")
    names = ", ".join(f"{j.notebook} {j.campaign} {j.pair}".strip() for j in jobs) or "none"
    tables = ", ".join(f"{c} {n[:2]} {t}" for n, t, c in behind if c in here) or "none"
    print(f"{len(wrong)} stale; compared: ledger, README's table and findings")
    print(f"tables behind the findings, made anew for {args.pairs} of their pairs: {tables}")
    print(f"CSV files of these runs: {names}")
    ran = {(job.notebook, job.campaign) for job in jobs}
    if left := sorted(anew.misprinted(args.figures) - ran):
        named = ", ".join(f"{n[:2]}:{c}" for n, c in left)
        print(
            f"NOT made anew, claims with misprints of: {named} (give them as runs; some take long)"
        )
    absent = sorted(({a[1] for a in asked} | {c for _, _, c in behind}) - here)
    if absent:
        print(f"NOT compared, because their data are not here: {', '.join(absent)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
