"""Direct assessment made for tests: from plain frames, and from the generator of the demo."""

from __future__ import annotations

import demo_da
import numpy as np
import pandas as pd

from rankstability.judgments import DirectAssessment

COLUMNS = ["worker", "hit", "system", "document", "segment", "type", "score", "block"]


def assessment(latest: pd.DataFrame, good: pd.DataFrame | None = None) -> DirectAssessment:
    """Frames with plain columns as a DirectAssessment."""
    frames = [latest.copy(), (latest if good is None else good).copy()]
    for column in COLUMNS:
        if column == "score":
            continue
        values: set[str] = set()
        for frame in frames:
            if column not in frame:
                frame[column] = None
            values |= set(frame[column].dropna().astype(str))
        for frame in frames:
            text = frame[column].where(frame[column].isna(), frame[column].astype(str))
            frame[column] = pd.Categorical(text, categories=sorted(values))
    for frame in frames:
        frame["score"] = frame["score"].astype(float)
    empty = pd.DataFrame(columns=["file", "reason", "rows"])
    return DirectAssessment("xx-yy", frames[0][COLUMNS], frames[1][COLUMNS], empty)


def demo(style: str, seed: int, **settings: float) -> tuple[DirectAssessment, pd.Series]:
    drawn = demo_da.simulate_da(style, np.random.default_rng(seed), **settings)
    names = {
        "WorkerId": "worker", "HITId": "hit", "sys_id": "system", "sid": "segment", "rid": "block",
    }  # fmt: skip
    of = drawn.documents.set_index("sid")["document"]
    frames = [f.drop(columns="hit").rename(columns=names) for f in (drawn.latest, drawn.good)]
    for frame in frames:
        frame["document"] = of.reindex(frame["segment"]).to_numpy()
    return assessment(*frames), drawn.truth
