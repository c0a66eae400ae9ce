"""What ``make figures`` says, without importing anything slow: nothing to do; a line per notebook.

Run as a file: ``terminal.py unchanged`` ends with 0 where no file that results depend on, and no
result, has changed since ``terminal.py keep``; ``terminal.py ran NAME STARTED`` prints the line of
a job that has ended; ``terminal.py plan TOTAL`` begins the count.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STAMP, COUNT = ROOT / "build" / ".unchanged.json", ROOT / "build" / ".count.json"
WATCHED = ("lib", "notebooks", "data", "figures", "profiles", "build/executed", "build/site")
FILES = ("Snakefile", "config.yaml", "requirements.lock", "pyproject.toml", "README.md")
ASKED = ("RANKSTABILITY_DATA", "RANKSTABILITY_FIGURE_FORMAT")  # settings of the environment
SKIPPED = ("__pycache__", ".ipynb_checkpoints")


def state(root: Path = ROOT) -> dict[str, list[int]]:
    """Every file that results depend on, every result, and the settings of the environment."""
    made = {f"{name}={os.environ.get(name, '')}": [0, 0] for name in ASKED}
    files = [str(root / name) for name in FILES]
    for name in {*WATCHED, os.environ.get("RANKSTABILITY_DATA") or "data"}:
        for folder, below, names in os.walk(root / name, followlinks=True):
            below[:] = set(below).difference(SKIPPED)
            files += [os.path.join(folder, name) for name in names]
    for file in filter(os.path.isfile, files):
        told = os.stat(file)
        made[file] = [told.st_size, told.st_mtime_ns]
    return made


def unchanged(root: Path = ROOT, stamp: Path = STAMP) -> bool:
    """Whether all is as it was when the last `keep` noted it, and that noted a built report."""
    try:
        before = json.loads(stamp.read_bytes())
    except (OSError, ValueError):
        return False
    return bool(before == state(root)) and (root / "build" / "site" / "index.html").is_file()


def keep(root: Path = ROOT, stamp: Path = STAMP) -> None:
    """Note how all files are now."""
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(json.dumps(state(root)))


def plan(total: int) -> None:
    """Begin the count of `total` jobs."""
    COUNT.parent.mkdir(parents=True, exist_ok=True)
    COUNT.write_text(json.dumps({"total": total, "started": time.time()}) + "\n")


def ran(name: str, started: float) -> str:
    """The line of a job that has ended: its place in the count, what, seconds, what is left."""
    now = time.time()
    with COUNT.open("a+") as count:  # jobs end at the same time: each adds a line
        count.write(name + "\n")
        count.flush()
        count.seek(0)
        first, *done = count.read().splitlines()
    about = json.loads(first)
    left = (now - about["started"]) / len(done) * max(about["total"] - len(done), 0)
    rest = f"about {spoken(left)} left" if left >= 1 else "the report is next"
    place = f"[{len(done):>3} of {about['total']}]"
    return f"{place} {name:<46} {spoken(now - started):>9}   {rest}"


def spoken(seconds: float) -> str:
    """``42 s`` or ``3 min``."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def main(words: list[str]) -> int:
    """One of the commands above."""
    if words[0] == "unchanged":
        if not unchanged():
            return 1
        print("Nothing to do: no file has changed since the report was built.")
    elif words[0] == "keep":
        keep()
    elif words[0] == "plan":
        plan(int(words[1]))
    elif words[0] == "ran":
        print(ran(words[1], float(words[2])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
