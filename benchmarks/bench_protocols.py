"""How often do identical protocols seem to agree less, or more, than one agrees with itself?

Two protocols that are the same, each run twice on the same documents by annotators of its own with
tastes of their own; notebook 11's interval of the difference, with documents resampled, and with
annotators too. Writes ``results/protocols.csv``. Argument: campaigns a cell.
"""

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.models.chance import named_generator
from companion.legacy.rankcompanion.notebooks import protocols_and_test_sets as protocols
from companion.legacy.rankstability.score.scored import Scores

RESULTS = Path(__file__).parent / "results" / "protocols.csv"
SEED, CAMPAIGNS, RESAMPLES = 2024, 300, 200
SYSTEMS, DOCUMENTS = 13, 40
SD = {"system": 0.5, "document x system": 0.3, "rest": 0.4}


def study(
    truth: np.ndarray, texts: np.ndarray, annotators: int, whims: float, rng: np.random.Generator
) -> Scores:
    """One study: each document by one annotator, with tastes of standard deviation `whims`."""
    worker = rng.permutation(np.arange(DOCUMENTS) % annotators)
    taste = whims * rng.standard_normal((annotators, SYSTEMS))
    rest = SD["rest"] * rng.standard_normal(texts.shape)
    document, system = (k.ravel() for k in np.indices(texts.shape))
    score = (truth + texts + taste[worker] + rest).ravel()
    names = tuple(f"{k:02}" for k in range(DOCUMENTS))
    units = {"document": document, "worker": worker[document]}
    return Scores(tuple(f"s{k:02}" for k in range(SYSTEMS)), names, system, document, score, units)


def measured(annotators: int, whims: float, campaigns: int) -> list[dict[str, object]]:
    """Shares of campaigns whose interval of the difference lies below 0, and above."""
    rng = named_generator(SEED, f"{annotators} {whims}")
    found: dict[str, list[tuple[bool, bool]]] = {"documents": [], "documents and annotators": []}
    for _ in range(campaigns):
        truth = SD["system"] * rng.standard_normal(SYSTEMS)
        texts = SD["document x system"] * rng.standard_normal((DOCUMENTS, SYSTEMS))
        named = {
            k: study(truth, texts, annotators, whims, rng) for k in ("X-1", "X-2", "Y-1", "Y-2")
        }
        alone = {k: replace(s, units={"document": s.units["document"]}) for k, s in named.items()}
        for drawn, studies in zip(found, (alone, named), strict=True):
            _, table = protocols.agreement(protocols.common(studies), rng, RESAMPLES)
            found[drawn].append((table["high"][0] < 0, table["low"][0] > 0))
    head = {"annotators": annotators, "whims": whims, "campaigns": campaigns}
    shares = {drawn: np.mean(outside, axis=0) for drawn, outside in found.items()}
    return [head | {"drawn": d, "less": less, "more": more} for d, (less, more) in shares.items()]


def main() -> None:
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGNS
    rows: list[dict[str, object]] = []
    for annotators, whims in product((2, 3, 5, 10), (0.3, 1.0)):
        rows += measured(annotators, whims, campaigns)
        print(*rows[-2:], sep="\n", flush=True)
        pd.DataFrame(rows).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
