"""`rankstability verdict` on the largest pairs of three campaigns: seconds, and processor seconds.

Prints them and writes ``results/verdict.csv``, with the load of the machine when each began: only
with a load below its processors are the seconds those that a user waits.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).parent / "results" / "verdict.csv"
PAIRS = (("wmt21", "cs-en"), ("wmt24-esa", "en-cs"), ("wmt18", "zh-en"))


def processor_seconds() -> float:
    """Of all child processes so far, theirs among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    rows = []
    for campaign, pair in PAIRS:
        load, start, used = os.getloadavg()[0], time.perf_counter(), processor_seconds()
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "rankcompanion.commands", "verdict", campaign]
            subprocess.run([*command, f"pair={pair}", f"output_dir={folder}/out"], check=True)
        seconds = time.perf_counter() - start
        rows.append((campaign, pair, seconds, processor_seconds() - used, load, os.cpu_count()))
        print(*rows[-1])
    columns = ["campaign", "pair", "seconds", "processor_seconds", "load", "processors"]
    pd.DataFrame(rows, columns=columns).round(1).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
