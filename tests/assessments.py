"""Judgments made for tests: from plain frames, the generator of the demo, blocks; and a ranking."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import demo_da
import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns import rr
from companion.legacy.rankcompanion.models.simulate import Model, draw_blocks, draw_qualities
from companion.legacy.rankstability.judgments import Blocks, DirectAssessment, direct_assessment
from companion.legacy.rankstability.rank.ranking import rank
from companion.legacy.rankstability.rank.resampling import Units, units
from companion.legacy.rankstability.rank.units import Kind
from companion.legacy.rankstability.score.scored import Scores, from_frame


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


def simulated(judgments: int = 2000, tied: bool = False) -> Units:
    """Units of a simulated campaign of six systems; with its ranks in twos, if `tied`."""
    model = Model(6, 8.0)
    rng = np.random.default_rng(1)
    data = draw_blocks(model, draw_qualities(model, 1, rng)[0], judgments, rng, judges=9)
    return units(replace(data, ranks=1 + data.ranks // 2) if tied else data)


ROWS = [  # worker, system, segment, type, score
    ("w1", "A", "1", "SYSTEM", 80), ("w1", "B", "1", "SYSTEM", 40), ("w1", "A", "2", "REPEAT", 70),
    ("w1", "A", "2", "BAD_REF", 10), ("w1", "B", "3", "REF", 90),
    ("w1", "HUMAN.0", "1", "SYSTEM", 96), ("w1", "HUMAN.0", "2", "BAD_REF", 20),
    ("w2", "A", "1", "SYSTEM", 0), ("w2", "B", "2", "SYSTEM", 0),
    ("w2", "HUMAN.0", "3", "SYSTEM", 88), ("w2", "B", "3", "SYSTEM", 64),
]  # fmt: skip


def toy(rows=ROWS, joined=True) -> DirectAssessment:
    """Two workers; the latest file has one more row, of a joined id."""
    extra = [("w2", "A+B", "4", "SYSTEM", 50)] if joined else []
    names = ["worker", "system", "segment", "type", "score"]
    return assessment(*(pd.DataFrame(part, columns=names) for part in (rows + extra, rows)))


def made(significant, lead=None, scores=None, rule="knowles"):
    """A ranking of systems a, b, c, ... from a matrix of significance (upper triangle)."""
    n = len(significant)
    p = np.where(np.array(significant, bool), 0.01, 0.5).astype(float)
    p = np.triu(p, 1) + np.triu(p, 1).T
    np.fill_diagonal(p, np.nan)
    if lead is None:
        lead = np.triu(np.ones((n, n)), 1) - np.tril(np.ones((n, n)), -1)
    table = pd.DataFrame(
        {"system": [chr(97 + k) for k in range(n)], "mean_z": scores or [1.0 - k for k in range(n)]}
    )
    return rank(table, p, np.array(lead, float), rule=rule)


def frame_of(blocks):
    """Rows of the reader's frame from blocks given as {system: rank}."""
    rows = [
        ("cs-en", "cs-en", "", i, f"judge{i % 3}", i // 2 + 1, "doc", k, system, rank, rank != -1)
        for i, block in enumerate(blocks)
        for k, (system, rank) in enumerate(block.items(), 1)
    ]
    return pd.DataFrame(rows, columns=rr.COLUMNS)


def made_up(seed=0, systems=4, buckets=((3, (0, 1, 2)), (4, (1, 2, 3))), scale=None):
    """A small campaign of MQM: judgments per segment as (system, document, segment, rater) rows."""
    rng = np.random.default_rng(seed)
    rows, segment, document = [], 0, 0
    for documents, raters in buckets:
        for _ in range(documents):
            for _ in range(rng.integers(1, 5)):
                for s in range(systems):
                    hard = rng.normal()
                    for r in raters:
                        harsh = 1.5 + r * 0.5 if scale is None else scale[r]
                        errors = rng.poisson(max(0.1, (1 + 0.3 * s + 0.3 * hard) * harsh))
                        rows += [(f"S{s}", f"d{document}", segment, f"r{r}")] * max(errors, 1)
                        rows[-1] = (*rows[-1], "x") if errors == 0 else rows[-1]
                segment += 1
            document += 1
    frame = pd.DataFrame([r[:4] for r in rows], columns=["system", "document", "segment", "rater"])
    none = np.array([len(r) == 5 for r in rows])
    frame["category"] = np.where(none, "No-error", "Other")
    severe = np.where(rng.random(len(frame)) < 0.3, "Major", "Minor")
    frame["severity"] = np.where(none, "No-error", severe)
    return frame


def kind_of_units(effective: list[float], spread: float = 1.0, number: int = 6) -> Kind:
    """A kind of units of which each system has so many, and no two move alike."""
    rng = np.random.default_rng(7)
    share = np.full((number, len(effective)), 1 / number)
    return Kind(share, spread * rng.normal(size=share.shape), np.array(effective, float))


def board(scores: np.ndarray, lacks: Iterable[tuple[int, int]] = ()) -> Scores:
    """Scores of an array (items, systems), without the cells (item, system) that are lacking."""
    rows = [
        (f"S{s:02d}", f"q{i:03d}", value)
        for (i, s), value in np.ndenumerate(scores)
        if (i, s) not in set(lacks)
    ]
    return from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))
