"""The ESA judgments of WMT24 that the organisers kept: as read, and by the tests' own few lines."""

from functools import cache

import pandas as pd

from conftest import real
from companion.legacy.rankcampaigns.appraise import read_appraise
from companion.legacy.rankstability.score.scored import Scores, from_assessment

COLUMNS = [
    *("worker", "system", "segment", "type", "source", "target", "score"),
    *("document", "whole", "spans", "start", "end"),
]


@cache
def rows(waves: tuple[int, ...]) -> pd.DataFrame:
    """TGT rows without tutorials, fillers and repeats; of a user's repeats the latest."""
    folder = real("wmt24-esa")
    files = [folder / f"esa_generalMT2024_wave{wave}.csv.gz" for wave in waves]
    frame = pd.concat([pd.read_csv(f, header=None, names=COLUMNS) for f in files])
    bad = frame["document"].str.contains("tutorial|#incomplete|#dup")
    frame = frame[(frame["type"] == "TGT") & ~bad].sort_values("start", kind="stable")
    key = ["worker", "system", "segment", "source", "target", "document"]
    frame = frame.drop_duplicates(key, keep="last")
    return frame.assign(domain=frame["document"].str.extract(r"^test-\w+-(\w+?)_")[0])


PAIRS = {"jpn": "en-ja", "zho": "en-zh", "ces": "en-cs", "hin": "en-hi"}


@cache
def scored(target: str, *waves: int) -> Scores:
    """Both waves or one, through the reader."""
    folder = real("wmt24-esa")
    files = tuple(folder / f"esa_generalMT2024_wave{wave}.csv.gz" for wave in waves)
    return from_assessment(read_appraise(files, PAIRS[target]))
