"""The terminal output of ``make figures``, a line per notebook, without any slow import.

Run as a file: ``terminal.py figures CORES`` runs Snakemake; ``terminal.py plan CORES NAME ...``
begins the count of jobs; ``terminal.py ran NAME STARTED`` prints the line of a job that has ended.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
COUNT = ROOT / "build" / ".count.json"
NOISE = (
    "Assuming unrestricted",
    "Building DAG",
    "Using ",
    "Select jobs",
    "Execute ",
    "Warning: the following output",
    "{'build/",
    "Complete log(s)",
    "Elapsed time",
)
SECONDS = {  # what a notebook takes on a demo campaign, including the start of its kernel
    **{
        "00": 26.0,
        "01": 24.0,
        "02": 16.0,
        "03": 14.0,
        "04": 20.0,
        "05": 45.0,
        "06": 17.0,
    },
    **{"07": 21.0, "08": 12.0, "09": 28.0, "10": 23.0, "11": 12.0},
}
TRUSTED = 30.0  # weight of the expected pace, in seconds of finished work


def figures(cores: str) -> int:
    """Run Snakemake, hiding its messages about itself; returns its exit code."""
    snakemake = str(Path(sys.executable).with_name("snakemake"))
    options = [
        "--profile",
        "profiles/default",
        "--cores",
        cores,
        "--quiet",
        "rules",
        "host",
    ]
    command = [snakemake, *options, "progress"]
    with subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            for line in run.stderr or ():
                if not line.startswith(NOISE):
                    print(line, end="", file=sys.stderr, flush=True)
        except (
            KeyboardInterrupt
        ):  # Snakemake receives it too, and ends its jobs
            pass
    return run.returncode


def plan(cores: int, names: list[str]) -> None:
    """Begin the count of these jobs (campaign and notebook), which run on `cores` at a time."""
    about = {
        "cores": cores,
        "started": time.time(),
        "expected": {n: weight(n) for n in names},
    }
    COUNT.parent.mkdir(parents=True, exist_ok=True)
    COUNT.write_text(json.dumps(about) + "\n")
    print(
        f"{len(names)} notebooks to run; the report grows in build/site/index.html",
        flush=True,
    )


def weight(name: str) -> float:
    """Seconds that a job took the last time, or that its notebook is expected to take."""
    campaign, _, notebook = name.partition(" ")
    file = ROOT / "build" / "executed" / campaign / f"{notebook}.status.json"
    try:
        return max(float(json.loads(file.read_bytes())["seconds"]), 1.0)
    except (OSError, ValueError, KeyError):
        return SECONDS.get(notebook[:2], 20.0)


def ran(name: str, started: float) -> str:
    """The line of a job that has ended: its number, its name, its time and the time left."""
    now = time.time()
    with COUNT.open(
        "a+"
    ) as count:  # several jobs may end at once: each adds a line
        count.write(name + "\n")
        count.flush()
        count.seek(0)
        first, *done = count.read().splitlines()
    about = json.loads(first)
    ahead = {
        name: s for name, s in about["expected"].items() if name not in done
    }
    ended = [s for name, s in about["expected"].items() if name in done]
    left = remaining(
        ended, [*ahead.values()], now - about["started"], about["cores"]
    )
    rest = f"about {spoken(left)} left" if ahead else "the report is next"
    place = f"[{len(done):>3} of {len(about['expected'])}]"
    return f"{place} {name:<46} {spoken(now - started):>9}   {rest}"


def remaining(
    ended: list[float], ahead: list[float], elapsed: float, cores: int
) -> float:
    """Seconds until the jobs `ahead` have ended, from the expected seconds of these and of `ended`.

    Expected times are corrected by the time that the work so far has taken. One job has just ended;
    those on the other cores are taken to be half done.
    """
    if not ahead:
        return 0.0
    half = min(cores - 1, len(ahead)) * sum(ahead) / len(ahead) / 2
    pace = (elapsed * cores + TRUSTED) / (sum(ended) + half + TRUSTED)
    return pace * (sum(ahead) - half) / min(cores, len(ahead))


def spoken(seconds: float) -> str:
    """A time for readers: ``42 s`` or ``3 min``."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def main(words: list[str]) -> int:
    """Run one of the three commands above; its exit code."""
    if words[0] == "figures":
        return figures(words[1])
    if words[0] == "plan":
        plan(int(words[1]), words[2:])
    elif words[0] == "ran":
        print(ran(words[1], float(words[2])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
