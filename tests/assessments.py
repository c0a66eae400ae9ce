"""Direct assessment made for tests: from plain frames, and from the generator of the demo."""

from __future__ import annotations

import demo_da
import numpy as np
import pandas as pd

from rankstability.judgments import DirectAssessment, direct_assessment


def assessment(latest: pd.DataFrame, good: pd.DataFrame | None = None) -> DirectAssessment:
    """Frames with plain columns as a DirectAssessment of the pair xx-yy."""
    return direct_assessment("xx-yy", latest, good)


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
