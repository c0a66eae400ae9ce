"""`rankstability verdict`: seconds to the first answer and to the whole, and processor seconds.

The largest pairs of three campaigns, a whole campaign at once, a million scores of ten systems in a
long table, a million battles; of these also the seconds that evalica, where it is installed, takes
in the same run to read them and to give scores (Bradley-Terry) with 20 bootstraps. Prints them and
writes ``results/verdict.csv``, with the load of the machine when each began: only with a load below
its processors are the seconds those that a user waits.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

RESULTS = Path(__file__).parent / "results" / "verdict.csv"
ASKED = (("wmt21", "cs-en"), ("wmt24-esa", "en-cs"), ("wmt18", "zh-en"), ("wmt21", ""))
BATTLES, SYSTEMS, JUDGES = 1_000_000, 20, 50_000
SCORES, RANKED, SEGMENTS, ANNOTATORS = 1_000_000, 10, 10_000, 200
PEER = """
import sys, pandas as pd, evalica
table = pd.read_csv(sys.argv[1])
codes = {"model_a": int(evalica.Winner.X), "model_b": int(evalica.Winner.Y)}
winner = table["winner"].map(codes).fillna(int(evalica.Winner.Draw)).to_numpy("uint8")
for k in range(21):
    one = table.sample(frac=1, replace=True, random_state=k) if k else table
    evalica.bradley_terry(one["model_a"], one["model_b"], winner[one.index])
"""


def battles(file: Path) -> Path:
    """Battles of systems whose strengths are a ladder, one in seven a tie, as a CSV of an arena."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, SYSTEMS, BATTLES)
    b = (a + rng.integers(1, SYSTEMS, BATTLES)) % SYSTEMS
    lead = (b - a) / 10 + rng.logistic(size=BATTLES)
    winner = np.where(lead > 0, "model_a", "model_b")
    winner[rng.random(BATTLES) < 1 / 7] = "tie"
    judge = rng.integers(0, JUDGES, BATTLES)
    frame = pd.DataFrame({"model_a": a, "model_b": b, "winner": winner, "judge": judge})
    frame[["model_a", "model_b"]] = "m" + frame[["model_a", "model_b"]].astype(str)
    frame.to_csv(file, index=False)
    return file


def scores(file: Path) -> Path:
    """Scores from 0 to 100, ten of each output, on documents of ten segments, as a long table."""
    rng = np.random.default_rng(0)
    output = np.repeat(np.arange(RANKED * SEGMENTS), SCORES // (RANKED * SEGMENTS))
    system, segment = output % RANKED, output // RANKED
    annotator = rng.integers(0, ANNOTATORS, SCORES)
    strict = rng.normal(0, 10, ANNOTATORS)
    easy = rng.normal(0, 8, SEGMENTS // 10)
    score = 70 - system + strict[annotator] + easy[segment // 10] + rng.normal(0, 15, SCORES)
    frame = pd.DataFrame({"system": system, "segment": segment, "document": segment // 10})
    frame = frame.assign(annotator=annotator, score=score.clip(0, 100).round().astype(int))
    for name in ("system", "segment", "document", "annotator"):
        frame[name] = name[0] + frame[name].astype(str)
    frame.sample(frac=1, random_state=1).to_csv(file, index=False)
    return file


def timed(what: str, pair: str, command: list[str]) -> tuple[object, ...]:
    """Seconds to the first line and to the end of a command, and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    load, start, first = os.getloadavg()[0], time.perf_counter(), np.nan
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        for _ in running.stdout:
            first = time.perf_counter() - start if np.isnan(first) else first
    assert running.returncode == 0, command
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = (what, pair or "all", first, seconds, used, load, os.cpu_count())
    print(*row)
    return row


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        start = [sys.executable, "-m", "companion.legacy.rankcompanion.running.commands", "verdict"]
        for k, (campaign, pair) in enumerate(ASKED):
            out = f"output_dir={folder}/{k}"
            rows.append(timed(campaign, pair, [*start, campaign, f"pair={pair}", out]))
        file = scores(Path(folder) / "scores.csv")
        rows.append(timed("a million scores", "", [*start, str(file), f"output_dir={folder}/s"]))
        file = battles(Path(folder) / "battles.csv")
        rows.append(timed("a million battles", "", [*start, str(file), f"output_dir={folder}/b"]))
        try:
            rows.append(timed("evalica on them", "", [sys.executable, "-c", PEER, str(file)]))
        except AssertionError:
            print("evalica is not installed")
    columns = ["campaign", "pair", "first", "seconds", "processor_seconds", "load", "processors"]
    pd.DataFrame(rows, columns=columns).round(1).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
