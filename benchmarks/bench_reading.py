"""A million ratings and a million votes: read and checked, as a ratio to `pandas.read_csv` alone.

Prints processor seconds (one process, best of three) and writes them to ``results/reading.csv``.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from rankstability.io.read import read

RESULTS = Path(__file__).parent / "results" / "reading.csv"
ROWS, REPEATS = 1_000_000, 3
WORDS = {
    "ratings": {"system": "model", "segment": "item", "annotator": "user", "score": "stars"},
    "votes": {
        "left": "first",
        "right": "second",
        "winner": "vote",
        "annotator": "user",
        "question": "prompt",
        "codes": {"A": "left", "B": "right", "C": "tie"},
    },
}


def make_tables(rng):
    """Return ratings and votes of twenty systems."""
    systems = np.array([f"s{k:02}" for k in range(20)])
    first = rng.integers(0, 20, ROWS)
    second = (first + rng.integers(1, 20, ROWS)) % 20
    ratings = pd.DataFrame({"model": systems[first], "item": np.arange(ROWS) // 20})
    ratings["user"] = rng.integers(0, 2000, ROWS)
    ratings["stars"] = rng.integers(0, 101, ROWS)
    votes = pd.DataFrame({"first": systems[first], "second": systems[second]})
    votes["vote"] = rng.choice(["A", "B", "C"], ROWS)
    votes["user"] = rng.integers(0, 50_000, ROWS)
    votes["prompt"] = rng.integers(0, ROWS, ROWS)
    return {"ratings": ratings, "votes": votes}


def seconds(work):
    """Return the least processor time of some repeats."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, table in make_tables(np.random.default_rng(0)).items():
            comma, columns = Path(folder, f"{name}.csv"), Path(folder, f"{name}.parquet")
            table.to_csv(comma, index=False)
            table.to_parquet(columns)
            alone = seconds(lambda path=comma: pd.read_csv(path))
            for kind, path in (("csv", comma), ("parquet", columns)):
                taken = seconds(lambda path=path, words=WORDS[name]: read(path, **words))
                rows.append((name, kind, round(taken, 2), round(alone, 2), round(taken / alone, 1)))
                print(*rows[-1])
    names = ["table", "file", "read_seconds", "read_csv_seconds", "ratio"]
    pd.DataFrame(rows, columns=names).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
