"""A million battles of twenty systems by fifty thousand judges: read, strengths, and what holds.

Prints processor seconds (one process) and writes them to ``results/battles.csv``.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns import rr as reader
from companion.legacy.rankstability.judgments import Blocks
from companion.legacy.rankstability.rank import bradley_terry, resampling
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.certainty import of_battles

RESULTS = Path(__file__).parent / "results" / "battles.csv"
RESULT = ["model_a", "model_b", "tie"]
BATTLES, SYSTEMS, JUDGES = 1_000_000, 20, 50_000


def made(rng):
    """Battles of systems whose strengths are a ladder from 1 to -1, a third of a step a tie."""
    truth = np.linspace(1, -1, SYSTEMS)
    a = rng.integers(0, SYSTEMS, BATTLES)
    b = (a + rng.integers(1, SYSTEMS, BATTLES)) % SYSTEMS
    lead = truth[a] - truth[b] + rng.logistic(size=BATTLES)
    ranks = np.column_stack([np.where(lead > 0, 1, 2), np.where(lead > 0, 2, 1)])
    ranks[np.abs(lead) < 0.3] = 1
    names, number = tuple(f"s{k:02}" for k in range(SYSTEMS)), np.arange(BATTLES)
    judge = rng.integers(0, JUDGES, BATTLES)
    return Blocks(names, np.column_stack([a, b]), ranks, number, judge, number)


def written(data, folder):
    """The battles as a CSV of an arena."""
    names, ranks = np.array(data.systems), data.ranks
    winner = np.select(
        [ranks[:, 0] < ranks[:, 1], ranks[:, 0] > ranks[:, 1]], RESULT[:2], RESULT[2]
    )
    frame = pd.DataFrame(names[data.codes], columns=["model_a", "model_b"]).assign(winner=winner)
    file = Path(folder) / "battles_en-cs.csv"
    frame.assign(judge=data.judge, question_id=data.segment).to_csv(file, index=False)
    return file


def main():
    rng, rows = np.random.default_rng(0), []
    data = made(rng)

    def timed(what, work):
        start = time.process_time()
        result = work()
        rows.append((what, round(time.process_time() - start, 2)))
        print(*rows[-1])
        return result

    with tempfile.TemporaryDirectory() as folder:
        file = written(data, folder)
        frame = timed("read from CSV", lambda: reader.read_battles([file], "en-cs", {}))
    battles = timed("read rows counted for a verdict", lambda: places.battles(frame))
    units = timed("counted by judge", lambda: resampling.units(data))
    counts = units.counts
    strength, _ = timed("strengths by counts", lambda: bradley_terry.davidson(counts))
    assert (np.diff(strength) < 0).all()
    timed("strengths with errors by judge", lambda: of_battles(units, "judge"))
    timed("ranking, lines, rank sets", lambda: places.standing(battles, places.METHOD))
    frame = pd.DataFrame(rows, columns=["work", "seconds"]).assign(battles=BATTLES)
    frame.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
