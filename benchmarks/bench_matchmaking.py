"""Is the best of six models kept where battles are between models that are close?

Campaigns in which nearly all battles are between neighbours in strength, ranked by Davidson's model
and by the share of wins, with the same family of tests; writes ``results/matchmaking.csv``.
Argument: campaigns a cell.
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.models.chance import named_generator
from companion.legacy.rankstability.judgments import Blocks
from companion.legacy.rankstability.rank import certainty as sure
from companion.legacy.rankstability.rank.resampling import Units, units

RESULTS = Path(__file__).parent / "results" / "matchmaking.csv"
SEED, CAMPAIGNS = 2024, 150
STRENGTHS = {
    "ladder": (1.25, 0.75, 0.25, -0.25, -0.75, -1.25),
    "two leaders": (1.5, 1.45, 0.1, -0.5, -1.1, -1.7),
    "equal": (0.0,) * 6,
}
TASTE, TIED, CLOSE = 0.5, 0.3, 4.0


def campaign(truth: np.ndarray, judges: int, each: int, rng: np.random.Generator) -> Units:
    """Battles of which nine in ten are drawn by exp(-`CLOSE` times the gap), the others at random.

    The first models are taken for close in the order of their names where all are equal.
    """
    n, number = len(truth), judges * each
    i, j = np.triu_indices(n, 1)
    gap = truth[i] - truth[j] if np.ptp(truth) else (j - i) / 2
    near = np.exp(-CLOSE * gap)
    drawn = rng.choice(len(i), number, p=0.9 * near / near.sum() + 0.1 / len(i))
    judge = np.repeat(np.arange(judges), each)
    own = truth + TASTE * rng.standard_normal((judges, n))
    a, b = i[drawn], j[drawn]
    lead = own[judge, a] - own[judge, b] + rng.logistic(size=number)
    ranks = np.column_stack([np.where(lead < -TIED, 2, 1), np.where(lead > TIED, 2, 1)])
    names = tuple(f"m{k}" for k in range(n))
    return units(Blocks(names, np.column_stack([a, b]), ranks, np.arange(number), judge, judge))


def share_of_wins(data: Units) -> sure.Certainty:
    """The family of tests of wins over decided battles."""
    n, judges = len(data.systems), int(data.judges.max()) + 1
    wins = np.zeros((judges, n * n))
    np.add.at(wins, data.judges, data.wins.toarray())
    wins = wins.reshape(judges, n, n)
    return sure.of_wins(data.systems, wins.sum(axis=2), wins.sum(axis=2) + wins.sum(axis=1))


def measured(name: str, judges: int, each: int, campaigns: int) -> list[dict[str, object]]:
    """Per method: share of campaigns in which the best may be first, and with a false statement."""
    truth = np.array(STRENGTHS[name])
    rng = named_generator(SEED, f"{name} {judges}")
    differ = truth[:, None] > truth
    best = int(truth.argmax())
    found = {"strength": sure.of_battles, "share of wins": share_of_wins}
    kept, false = {m: 0 for m in found}, {m: 0 for m in found}
    for _ in range(campaigns):
        data = campaign(truth, judges, each, rng)
        for method, certain in found.items():
            got = certain(data)
            kept[method] += int(got.low[got.order == best][0] == 1)
            false[method] += bool((got.declared & ~differ[np.ix_(got.order, got.order)]).any())
    head = {"strengths": name, "judges": judges, "battles": judges * each, "campaigns": campaigns}
    return [
        head | {"method": m, "best_kept": kept[m] / campaigns, "false": false[m] / campaigns}
        for m in found
    ]


def main() -> None:
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGNS
    rows: list[dict[str, object]] = []
    for name, judges in product(STRENGTHS, (20, 60)):
        rows += measured(name, judges, 100, campaigns)
        print(*rows[-2:], sep="\n", flush=True)
    pd.DataFrame(rows).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
