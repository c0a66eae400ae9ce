"""Does planning keep its promises? Predicted against realised, in campaigns of known truth.

Of each pilot: what is foretold of a second campaign of its size (agreement, lines held, the chance
that a line separates two neighbours), and of one so many times as large as is said to give a chance
of .80; then these campaigns are drawn, and ranked by `rank.certainty`. Writes
``results/planning.csv``. Argument: pilots a cell. Before it, agreement alone (``agreement.csv``) of
systems that lie in several ways: predicted by `sizes.repeat`, and as it came.
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.models.chance import named_generator
from companion.legacy.rankcompanion.models.comparing import tau
from companion.legacy.rankcompanion.verdict import sizes
from companion.legacy.rankstability.rank.certainty import Certainty, certainty
from companion.legacy.rankstability.score.scored import Scores

RESULTS = Path(__file__).parent / "results"
SEED, PILOTS, MOST, SEGMENTS = 2024, 30, 6.0, 2
SD = {"worker": 0.5, "worker x system": 0.25, "document": 0.5, "document x system": 0.3}
CELLS = (
    *product(("crossed", "SR+DC"), (5, 12), (0.8,), ((10, 20), (20, 60))),
    ("crossed", 5, 0.3, (20, 60)),
)
SIZE, TIMES = (
    (20, 60),
    10,
)  # of `agreements`: annotators and documents; pilots for one of the others
SHAPES = {
    "all equal": lambda n, rng: np.zeros(n),
    "one outlier": lambda n, rng: np.where(np.arange(n) == 0, 1.5, 0.0),
    "two outliers": lambda n, rng: np.where(np.arange(n) < 2, [1.5] + [-1.5] * (n - 1), 0.0),
    "two groups": lambda n, rng: np.where(np.arange(n) < n // 2, 0.7, 0.0),
    "evenly spread": lambda n, rng: 0.15 * np.arange(n),
    "evenly spread and an outlier": lambda n, rng: (
        0.15 * np.arange(n) + 1.5 * (np.arange(n) == n - 1)
    ),
    "normal": lambda n, rng: 0.3 * rng.standard_normal(n),
}


def campaign(
    truth: np.ndarray, design: str, annotators: int, documents: int, rng: np.random.Generator
) -> Scores:
    """Judgments of all documents: by one annotator for all systems, or for each (SR+DC)."""
    n = len(truth)
    document, system = (k.ravel() for k in np.indices((documents, n)))
    worker = rng.integers(annotators, size=documents)[document]
    if design == "SR+DC":
        worker = rng.integers(annotators, size=len(document))
    document, system, worker = (np.repeat(k, SEGMENTS) for k in (document, system, worker))
    segment = document * SEGMENTS + np.tile(np.arange(SEGMENTS), len(document) // SEGMENTS)
    codes = {
        "worker": worker, "worker x system": worker * n + system, "document": document,
        "document x system": document * n + system,
    }  # fmt: skip
    score = truth[system] + rng.standard_normal(len(system))
    for name, code in codes.items():
        score += SD[name] * rng.standard_normal(int(code.max()) + 1)[code]
    names = tuple(f"s{k:02}" for k in range(n)), tuple(map(str, range(documents * SEGMENTS)))
    return Scores(*names, system, segment, score, {"worker": worker, "document": document})


def agreements(pilots: int) -> pd.DataFrame:
    """Tau of two campaigns as predicted from a third one, and as it is, by how systems lie."""
    rows = []
    for design, n, (shape, lie) in product(("crossed", "SR+DC"), (2, 3, 5, 12), SHAPES.items()):
        rng = named_generator(SEED, f"{design} {n} {shape}")
        each = np.empty((pilots, 2))
        for k in range(pilots):
            truth = lie(n, rng)
            sure, *again = (certainty(campaign(truth, design, *SIZE, rng)) for _ in range(3))
            means = [one.mean[np.argsort(one.order)] for one in again]
            each[k, 0] = sizes.repeat(sure, 0, rng, 200)["tau"]
            each[k, 1] = tau(*means)
        error = (each[:, 1] - each[:, 0]).std(ddof=1) / np.sqrt(pilots)
        rows.append((shape, design, n, *each.mean(axis=0), error, pilots))
    columns = ["shape", "design", "systems", "predicted", "realised"]
    return pd.DataFrame(rows, columns=[*columns, "error", "pilots"])


def separated(got: Certainty, better: str, worse: str) -> bool:
    """Whether a line that holds lies between the two, in this order."""
    lines = np.append(0, np.cumsum(got.held))
    return bool(lines[got.systems.index(better)] < lines[got.systems.index(worse)])


def pilot(
    truth: np.ndarray, design: str, size: tuple[int, int], rng: np.random.Generator
) -> list[tuple[str, float, float]]:
    """What was predicted and what came: rows of (promise, predicted, realised)."""
    first = campaign(truth, design, *size, rng)
    sure = certainty(first)
    known = sizes.precision(first, sure)
    table = sizes.needed(known, sure.systems, rng)
    again = [certainty(campaign(truth, design, *size, rng)) for _ in range(2)]
    means = [one.mean[np.argsort(one.order)] for one in again]
    above = known.again(known.truths(200, rng), rng)[2]
    rows = [("tau", sizes.repeat(sure, 0, rng, 200)["tau"], float(tau(*means)))]
    rows.append(("lines held", float(above.max(axis=1).mean()), float(again[0].held.sum())))
    rows += [
        ("line, same size", row.power, float(separated(again[0], row.system, row.other)))
        for row in table.itertuples()
    ]
    asked = table[(table["times"] > 1) & (table["times"] <= MOST)]
    if len(asked):  # one promise of each pilot, as one who reads the page would take it up
        row = asked.iloc[rng.integers(len(asked))]
        grown = [round(number * row["times"]) for number in size]
        larger = certainty(campaign(truth, design, *grown, rng))
        found = separated(larger, row["system"], row["other"])
        rows.append(("line, as many as needed", 0.8, float(found)))
    return rows


def measured(
    design: str, systems: int, spread: float, size: tuple[int, int], pilots: int
) -> pd.DataFrame:
    """Mean of what was predicted and realised in one cell, with the error of the difference."""
    rng = named_generator(SEED, f"{design} {systems} {spread} {size}")
    rows = []
    for k in range(pilots):
        made = pilot(spread * rng.standard_normal(systems), design, size, rng)
        rows += [(k, *row) for row in made]
    frame = pd.DataFrame(rows, columns=["pilot", "promise", "predicted", "realised"])
    each = frame.groupby(["promise", "pilot"])[["predicted", "realised"]].mean()
    each["difference"] = each["realised"] - each["predicted"]
    by = each.groupby("promise")
    out = by[["predicted", "realised"]].mean()
    out["error"], out["pilots"] = by["difference"].sem(), by.size()
    head = {"design": design, "systems": systems, "spread": spread}
    head |= {"annotators": size[0], "documents": size[1]}
    return pd.concat([pd.DataFrame(head, index=out.index), out], axis=1).reset_index()


def main() -> None:
    pilots = int(sys.argv[1]) if len(sys.argv) > 1 else PILOTS
    agreed = agreements(TIMES * pilots)
    print(agreed.round(3).to_string(index=False), flush=True)
    agreed.round(4).to_csv(RESULTS / "agreement.csv", index=False)
    parts: list[pd.DataFrame] = []
    for cell in CELLS:
        parts.append(measured(*cell, pilots))
        print(parts[-1].round(3).to_string(index=False), flush=True)
        pd.concat(parts).round(4).to_csv(RESULTS / "planning.csv", index=False)


if __name__ == "__main__":
    main()
