"""Write ratings.csv: a campaign as a spreadsheet holds it, synthetic, with known truth.

Five systems, sixteen documents of three segments, twelve annotators; three annotators judge each
document, of all systems, in points from 0 to 100. True quality: Aspen 80, Birch 68, Cedar 67,
Elm 52, Fir 51; annotators differ in severity (standard deviation 6) and in taste (3 per system),
documents in difficulty (6) and in how they suit a system (3), single scores by 8.
"""

from pathlib import Path

import numpy as np
import pandas as pd

QUALITY = {"Aspen": 80, "Birch": 68, "Cedar": 67, "Elm": 52, "Fir": 51}
ANNOTATORS = ["anna", "ben", "carla", "deniz", "emre", "farah"]
ANNOTATORS += ["goran", "hana", "ivan", "jana", "kofi", "lena"]
DOCUMENTS = [f"{kind}-{k}" for kind in ("news", "talk") for k in range(1, 9)]
SEGMENTS = 3


def ratings(seed: int = 7) -> pd.DataFrame:
    """system, segment_id, document, annotator, score: one row per judgment."""
    rng = np.random.default_rng(seed)
    systems = list(QUALITY)
    severity, ease = rng.normal(0, 6, len(ANNOTATORS)), rng.normal(0, 6, len(DOCUMENTS))
    taste = rng.normal(0, 3, (len(ANNOTATORS), len(systems)))
    suits = rng.normal(0, 3, (len(DOCUMENTS), len(systems)))
    rows = []
    for d, document in enumerate(DOCUMENTS):
        for a in ((3 * d + k * (1 + d // 4)) % len(ANNOTATORS) for k in range(3)):
            for s, system in enumerate(systems):
                expected = QUALITY[system] + severity[a] + ease[d] + taste[a, s] + suits[d, s]
                for n in range(SEGMENTS):
                    score = int(np.clip(round(expected + rng.normal(0, 8)), 0, 100))
                    rows.append((system, SEGMENTS * d + n + 1, document, ANNOTATORS[a], score))
    columns = ["system", "segment_id", "document", "annotator", "score"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    file = Path(__file__).parent / "ratings.csv"
    ratings().to_csv(file, index=False, lineterminator="\n")
