"""A million battles of twenty systems by fifty thousand judges: strengths, and what of them holds.

Prints seconds and writes them to ``results/battles.csv``.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd

from rankstability.judgments import Blocks
from rankstability.rank import bradley_terry, ranges
from rankstability.study import held_rr

RESULTS = Path(__file__).parent / "results" / "battles.csv"
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


def main():
    rng, rows = np.random.default_rng(0), []
    data = made(rng)

    def timed(what, work):
        start = time.perf_counter()
        result = work()
        rows.append((what, round(time.perf_counter() - start, 2)))
        print(*rows[-1])
        return result

    units = timed("counted by judge", lambda: ranges.units(data))
    counts = units.counts
    strength, _ = timed("strengths by counts", lambda: bradley_terry.davidson(counts))
    assert (np.diff(strength) < 0).all()
    timed("strengths with errors by judge", lambda: bradley_terry.strengths(units, "judge"))
    battles = timed("counted for a verdict", lambda: held_rr.battles(data))
    timed("ranking, lines, rank sets", lambda: held_rr.standing(battles, rng))
    timed("200 null campaigns", lambda: held_rr.false_lines(battles, rng))
    frame = pd.DataFrame(rows, columns=["work", "seconds"]).assign(battles=BATTLES)
    frame.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
