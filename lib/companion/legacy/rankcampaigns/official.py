"""The organisers' own rankings, if a release holds them, for comparison with ours."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability import schema as schemas

from . import folder, tables, text
from .campaigns import Campaign

SCORES = {  # our columns to theirs
    "mean_raw": "RAW.SCR",
    "mean_z": "Z.SCR",
    "segments": "N",
    "judgments": "N.ALL",
    "system": "SYS",
}


def ranking(campaign: Campaign, pair: str) -> pd.DataFrame | None:
    """The official ranking of a pair, best mean_z first; None if the release holds none.

    Columns system, mean_raw, mean_z, segments, judgments; from ``ad-sys-ranking-XX-YY-z.csv`` (raw
    with one decimal, z with three) or ``ad-sys-scores-XX-YY.csv`` (all digits). Raises DataError
    for a row without five columns of the right kind, or a system that appears twice.
    """
    means = ("mean_raw", "mean_z")
    counts = ("segments", "judgments")
    file = campaign.folder / f"ad-sys-ranking-{pair}-z.csv"
    order = (*means, *counts, "system")
    if not file.is_file():
        file = campaign.folder / f"ad-sys-scores-{pair}.csv"
        order = (*means, "segments", "system", "judgments")
    if not file.is_file():
        return None
    names = {ours: SCORES[ours] for ours in order}
    columns = schemas.ids("system") | {"mean_raw": schemas.SCORE}
    columns |= {
        "mean_z": schemas.number("a number"),
        **dict.fromkeys(counts, schemas.count()),
    }
    frame = _validated(file, columns, names).astype(dict.fromkeys(counts, int))
    frame = frame.sort_values(
        "mean_z", ascending=False, kind="stable", ignore_index=True
    )
    return frame[["system", *means, *counts]]


def _validated(
    file: Path, columns: Mapping[str, Any], names: Mapping[str, str]
) -> pd.DataFrame:
    """The rows of a blank-separated file, each system once; `names`: new -> file's."""
    table = tables.read(file, tuple(names.values()), tables.BLANKS)
    frame = table.validated(
        columns, names, once=["system"], again="duplicate system"
    )
    return frame.astype({"system": str})


def clusters(
    campaign: Campaign, pair: str
) -> tuple[frozenset[str], ...] | None:
    """The official clusters of a pair, top first (``clusters.csv``); None where there are none.

    Raises a DataError for a row that is wrong. A file without their columns is not theirs: None.
    """
    path = campaign.folder / folder.CLUSTERS
    if not path.is_file() or not folder.has_clusters(path):
        return None
    columns = schemas.ids("SRC", "TRG", "SYSTEM") | {
        "CLUSTER_START": schemas.count()
    }
    table = tables.read(path, (), tables.BLANKS)
    frame = table.validated(columns, {name: name for name in columns})
    source, target = pair.split("-")
    frame = frame[(frame["SRC"] == source) & (frame["TRG"] == target)].astype(
        {"SYSTEM": str}
    )
    groups = frame.groupby("CLUSTER_START", sort=True)["SYSTEM"]
    return tuple(frozenset(group) for _, group in groups) or None


def p_values(campaign: Campaign, pair: str) -> pd.DataFrame | None:
    """Released p-values (``adwilcox-XXYY.csv``): one-sided, rows better than columns.

    Values that are not significant are printed as 0.12. System names lose the file-name prefixes
    and suffixes that some files carry. None if the release holds none.
    """
    path = campaign.folder / f"adwilcox-{pair.replace('-', '')}.csv"
    if not path.is_file():
        return None
    systems = text.first_line(path).split()
    number = schemas.number("a number from 0 to 1", 0, 1)
    columns = schemas.ids("system") | dict.fromkeys(systems, number)
    frame = _validated(
        path, columns, {name: name for name in columns}
    ).set_index("system")
    return frame.rename(index=_plain, columns=_plain).rename_axis(None)


def _plain(name: str) -> str:
    """The system, ``A.1``, in a name such as ``newstest2020.cs-en.A.1.sgm``; others as they are."""
    return re.sub(r"^newstest[^.]*\.[^.]*\.(.*)\.sgm$", r"\1", name)


def seg_scores(campaign: Campaign, pair: str) -> dict[str, pd.DataFrame]:
    """The organisers' segment scores released with the judgments, by the NAME of their collection.

    From ``official/XX-YY.NAME.seg.score``: each line has a system and its score (``None``: not
    judged), and a system's lines are in the order of the test set. Columns system, segment (0-based
    line of the test set, as text), score. Raises DataError for any other line.
    """
    columns = schemas.ids("system") | {
        "score": schemas.number("a number, or None")
    }
    out = {}
    for file in sorted(
        (campaign.folder / "official").glob(f"{pair}.*.seg.score*")
    ):
        table = tables.read(file, tuple(columns), tables.BLANKS)
        segment = (
            table.frame.groupby("system", observed=True).cumcount().astype(str)
        )
        judged = np.flatnonzero(table.frame["score"] != "None")
        frame = table.validated(
            columns, {name: name for name in columns}, judged
        )
        frame.insert(1, "segment", segment.to_numpy()[judged])
        out[file.name.split(".")[1]] = frame.astype({"system": str})
    return out
