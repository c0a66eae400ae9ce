"""Compare what is predicted of a second campaign with what such campaigns show.

Each row of ``results/plans.csv`` is one design and one promise of "What would more judgments buy?":

- tau: the agreement of two campaigns of this size;
- boundary: the chance that a boundary between the two best systems that are not separated is
  supported in a campaign of this size;
- boundary, twice the documents: the same with twice the documents, judged by the same annotators;
- boundary, as many as needed: the same with as many judgments as would give a chance of 80 %.

`predicted` and `realised` are means over pilots, `error` is the Monte Carlo standard error of their
difference. True levels of systems are drawn anew for each pilot. ``CAMPAIGNS=20`` sets the number of
pilots of each design (60), ``SEED`` the seed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from simulate_ratings import Design, simulate

from rankstability.errors import DataError
from rankstability.inference.ratings import infer_ratings
from rankstability.inference.result import RankInference
from rankstability.scores.arrays import ScoreArrays
from rankstability.stability.plan import compare_plans, judgments_needed
from rankstability.stability.precision import Precision, known_precision
from rankstability.stability.repeat import expect_repeat, kendall_tau

RESULTS = Path(__file__).parent / "results" / "plans.csv"
PILOTS = int(os.environ.get("CAMPAIGNS", "60"))
SEED = int(os.environ.get("SEED", "30413"))
DRAWS = 200  # of the true means
MAX_TIMES = 6.0  # larger campaigns are not simulated
DESIGNS = [
    (design, systems, spread, sizes)
    for design in ("crossed", "SR+DC")
    for systems in (5, 12)
    for spread in (0.3, 0.8)
    for sizes in ((10, 20), (20, 60))
]


@dataclass(frozen=True)
class Levels(Design):
    """A design whose systems have given true levels."""

    levels: tuple[float, ...] = ()

    def truth(self) -> np.ndarray:
        return np.array(self.levels)


def compare_pilot(design: Levels, rng: np.random.Generator) -> Iterator[tuple[str, float, float]]:
    """Return each promise about one pilot: its name, what is predicted, and what comes."""
    pilot = simulate(design, rng)
    inference = infer_ratings(pilot)
    predicted = expect_repeat(inference, rng, DRAWS)["tau"]
    means = [simulate(design, rng).means() for _ in range(2)]
    yield "tau", predicted, float(kendall_tau(means[0][None], means[1][None])[0])
    pair = next_pair(inference)
    if pair is None:
        return
    precision = known_precision(inference, pilot)
    plans = compare_plans(precision, pair, rng, draws=DRAWS).set_index("plan")
    yield "boundary", plans.loc["now", "chance_boundary"], separated(design, pair, rng)
    if "documents" in plans.index:
        twice = resized(design, documents=2.0)
        chance = plans.loc["documents", "chance_boundary"]
        yield "boundary, twice the documents", chance, separated(twice, pair, rng)
    times = times_needed(precision, pair, rng)
    if 1 < times <= MAX_TIMES:
        larger = resized(design, documents=times, annotators=times)
        yield "boundary, as many as needed", 0.8, separated(larger, pair, rng)


def next_pair(inference: RankInference) -> tuple[str, str] | None:
    """Return the two best neighbours that are not separated, if there are any."""
    for rank, (first, second) in enumerate(
        zip(inference.systems, inference.systems[1:], strict=False)
    ):
        if not inference.better[rank, rank + 1]:
            return first, second
    return None


def resized(design: Levels, documents: float = 1.0, annotators: float = 1.0) -> Levels:
    """Return a design with so many times the documents and annotators."""
    values = vars(design) | {
        "documents": round(design.documents * documents),
        "annotators": round(design.annotators * annotators),
    }
    return Levels(**values)


def separated(design: Levels, pair: tuple[str, str], rng: np.random.Generator) -> float:
    """Return whether a new campaign supports a boundary with the first above the second."""
    arrays: ScoreArrays = simulate(design, rng)
    inference = infer_ratings(arrays)
    place = [inference.systems.index(name) for name in pair]
    return float(place[0] < place[1] and inference.supported[place[0] : place[1]].any())


def times_needed(precision: Precision, pair: tuple[str, str], rng: np.random.Generator) -> float:
    """Return how many times the judgments would give a chance of 80 %; infinite if unknown."""
    try:
        return float(judgments_needed(precision, pair, rng, draws=DRAWS)["times"].iloc[0])
    except DataError:
        return np.inf


def main() -> None:
    rows = []
    for kind, systems, spread, (annotators, documents) in DESIGNS:
        name = f"{kind}, {systems} systems, spread {spread}, {annotators} x {documents}"
        rng = np.random.default_rng([SEED, *name.encode()])
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(PILOTS):
            levels = tuple(spread * rng.standard_normal(systems))
            design = Levels(name, (1,) * systems, annotators, documents, kind, levels=levels)
            for promise, predicted, realised in compare_pilot(design, rng):
                found.setdefault(promise, []).append((predicted, realised))
        for promise, pairs in found.items():
            values = np.array(pairs)
            error = np.std(values[:, 1] - values[:, 0]) / np.sqrt(len(values))
            mean = values.mean(axis=0)
            rows.append((promise, name, len(values), *mean, error))
            print(*rows[-1], flush=True)
    names = ["promise", "design", "pilots", "predicted", "realised", "error"]
    pd.DataFrame(rows, columns=names).round(4).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
