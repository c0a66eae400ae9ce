"""Small judgments for tests: direct assessment, MQM and comparisons, from plain rows."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from rankstability.judgments import Judgments

IDS = ("annotator", "system", "segment", "document", "domain", "hit", "left", "right", "block")
ROWS = [  # annotator, system, segment, item type, score
    ("w1", "A", "1", "SYSTEM", 80), ("w1", "B", "1", "SYSTEM", 40), ("w1", "A", "2", "REPEAT", 70),
    ("w1", "A", "2", "BAD_REF", 10), ("w1", "B", "3", "REF", 90),
    ("w1", "HUMAN.0", "1", "SYSTEM", 96), ("w1", "HUMAN.0", "2", "BAD_REF", 20),
    ("w2", "A", "1", "SYSTEM", 0), ("w2", "B", "2", "SYSTEM", 0),
    ("w2", "HUMAN.0", "3", "SYSTEM", 88), ("w2", "B", "3", "SYSTEM", 64),
]  # fmt: skip
JOINED = ("w2", "A+B", "4", "SYSTEM", 50)  # in the larger table only
COLUMNS = ["annotator", "system", "segment", "item_type", "score"]


def judged(frame: pd.DataFrame, kind: str = "ratings", **fields: Any) -> Judgments:
    """Return judgments of a frame, with categories for names."""
    ids = {name: "category" for name in IDS if name in frame}
    return Judgments(table=frame.astype(ids), kind=kind, **fields)


def toy(rows: Iterable[tuple] = ROWS, joined: bool = True, **fields: Any) -> Judgments:
    """Return direct assessment by two annotators; all rows have one more, of a joined name."""
    rows = list(rows)
    frames = [pd.DataFrame(part, columns=COLUMNS) for part in (rows, rows + [JOINED] * joined)]
    table, everything = (
        frame.astype({"annotator": "category", "system": "category", "segment": "category"})
        for frame in frames
    )
    fields = {"humans": ("HUMAN.0",), "scale": (0.0, 100.0)} | fields
    return Judgments(table=table, kind="direct_assessment", all_rows=everything, **fields)


def ratings(
    annotators: int = 10,
    documents: int = 12,
    gap: float = 2.0,
    seed: int = 1,
    names: str = "annotator document",
    **fields: Any,
) -> Judgments:
    """Return judgments in which each annotator judges four systems on four of the documents.

    A document has three segments; system s3 is the best, and each is `gap` better than the next.
    """
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"d{d:02}-{k}", f"w{w}", f"d{d:02}", gap * s + rng.normal())
        for w in range(annotators)
        for d in sorted({(3 * w + step) % documents for step in range(4)})
        for k in range(3)
        for s in range(4)
    ]
    columns = ["system", "segment", "annotator", "document", "score"]
    frame = pd.DataFrame(rows, columns=columns)[["system", "segment", "score", *names.split()]]
    return judged(frame, **fields)
