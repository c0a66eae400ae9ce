"""Ratings of systems whose order is known."""

import numpy as np
import pandas as pd

from judged import judged


def ratings(names=("A", "B", "C"), seed=1, **fields):
    """Return ratings of systems on 40 documents by 8 annotators; each system is a point worse."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            name,
            f"s{segment}",
            f"d{segment // 2}",
            f"a{(segment + k) % 8}",
            70 - 4 * k + 3 * rng.normal(),
        )
        for segment in range(80)
        for k, name in enumerate(names)
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "document", "annotator", "score"])
    return judged(frame, scale=(0.0, 100.0), source="ratings.csv", **fields)
