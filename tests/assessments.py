"""Judgments made for tests: from plain frames, from the generator of the demo, from blocks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import demo_da
import numpy as np
import pandas as pd

from rankstability.judgments import Blocks, DirectAssessment, direct_assessment


def assessment(latest: pd.DataFrame, good: pd.DataFrame | None = None) -> DirectAssessment:
    """Frames with plain columns as a DirectAssessment of the pair xx-yy."""
    return direct_assessment("xx-yy", latest, good)


def json_lines(path: Path, entries: Iterable[object]) -> Path:
    """The entries as a file of JSON, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries))
    return path


def excluded(judgments: DirectAssessment | pd.DataFrame) -> dict[str, int]:
    """What a reader of single scores left out or changed: rows by reason."""
    told = judgments.attrs if isinstance(judgments, pd.DataFrame) else vars(judgments)
    return dict(zip(told["excluded"]["reason"], told["excluded"]["rows"], strict=True))


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


def ranked(data: Blocks) -> pd.DataFrame:
    """A task by relative ranking as readers give it, each block its own segment."""
    of_block = {"block": data.block, "judge": data.judge, "segment": data.segment}
    count, k = data.codes.shape
    frame = pd.DataFrame({name: np.repeat(values, k) for name, values in of_block.items()})
    frame["position"] = np.tile(np.arange(1, k + 1), count)
    frame["system"], frame["rank"] = np.array(data.systems)[data.codes.ravel()], data.ranks.ravel()
    return frame.assign(task="xx-yy", pair="xx-yy", track="", document="d", ranked=True)
