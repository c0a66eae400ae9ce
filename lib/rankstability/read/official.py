"""The organisers' own rankings, where a release holds them: what ours are compared with."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from ..errors import DataError
from . import schema as schemas
from . import tables, text
from .campaigns import Campaign


def ranking(campaign: Campaign, pair: str) -> pd.DataFrame | None:
    """The official ranking of a pair, best first; None where the release holds none.

    Columns system, mean_raw, mean_z, segments, judgments; from ``ad-sys-ranking-XX-YY-z.csv`` (one
    and three decimals) or ``ad-sys-scores-XX-YY.csv`` (all digits). Raises a DataError for a row
    that does not have five columns of the right kind.
    """
    means, counts = ["mean_raw", "mean_z"], ["segments", "judgments"]
    printed = campaign.folder / f"ad-sys-ranking-{pair}-z.csv"
    full = campaign.folder / f"ad-sys-scores-{pair}.csv"
    if printed.is_file():
        frame = _blank_separated(printed, [*means, *counts, "system"], header=False)
    elif full.is_file():
        frame = _blank_separated(full, [*means, "segments", "system", "judgments"])
    else:
        return None
    frame = frame.sort_values("mean_z", ascending=False, kind="stable", ignore_index=True)
    return frame[["system", *means, *counts]].astype(dict.fromkeys(counts, int))


def _blank_separated(
    path: Path, names: list[str], header: bool = True, p_values: tuple[str, ...] = ()
) -> pd.DataFrame:
    """The columns `names` (one of them ``system``), checked; the others are numbers."""
    rows, places = [], []
    for number, line in enumerate(text.content(path).decode().splitlines(), start=1):
        cells = line.split()
        if not cells or (header and number == 1):
            continue
        if len(cells) != len(names):
            raise tables.wrong_width(number, len(cells), " ".join(names), path)
        rows.append(cells)
        places.append(number)
    columns = {"mean_raw": schemas.number(schemas.PERCENT, 0, 100)}
    columns |= {"mean_z": schemas.number("a number")}
    columns |= dict.fromkeys(("segments", "judgments"), schemas.count())
    if p_values:
        columns = dict.fromkeys(p_values, schemas.number("a number from 0 to 1", 0, 1))
    schema = schemas.made(schemas.ids("system") | columns, "system", again="duplicate system")
    frame = pd.DataFrame(rows, columns=names)
    return schemas.validate(frame, schema, file=path, lines=places, columns={})


def clusters(campaign: Campaign, pair: str) -> tuple[frozenset[str], ...] | None:
    """The official clusters of a pair, top first (``clusters.csv``); None where there are none."""
    path = campaign.folder / "clusters.csv"
    if not path.is_file():
        return None
    frame = pd.read_csv(path, sep=r"\s+", dtype={"SYSTEM": str})
    source, target = pair.split("-")
    frame = frame[(frame["SRC"] == source) & (frame["TRG"] == target)]
    if frame.empty:
        return None
    return tuple(frozenset(g["SYSTEM"]) for _, g in frame.groupby("CLUSTER_START", sort=True))


def p_values(campaign: Campaign, pair: str) -> pd.DataFrame | None:
    """Released p-values (``adwilcox-XXYY.csv``): one-sided, rows better than columns.

    Values that are not significant are printed as 0.12. System names lose the file-name prefixes
    and suffixes that some files carry. None where the release holds none.
    """
    path = campaign.folder / f"adwilcox-{pair.replace('-', '')}.csv"
    if not path.is_file():
        return None
    with path.open(encoding="utf-8") as stream:
        columns = tuple(_plain(name) for name in stream.readline().split())
    frame = _blank_separated(path, ["system", *columns], p_values=columns)
    return frame.set_index(frame.pop("system").map(_plain).to_numpy())


def _plain(name: str) -> str:
    if name.startswith("newstest") and name.endswith(".sgm"):
        return name.removesuffix(".sgm").split(".", 2)[2]
    return name


def seg_scores(campaign: Campaign, pair: str) -> dict[str, pd.DataFrame]:
    """The organisers' segment scores beside the judgments, by the name of what collected them.

    From ``official/XX-YY.NAME.seg.score``: a system and its score (``None``: not judged) in each
    line, a system's lines in order of the test set. Columns system, segment (0-based line of the
    test set, as text), score; other lines are refused.
    """
    files = sorted((campaign.folder / "official").glob(f"{pair}.*.seg.score*"))
    return {file.name.split(".")[1]: _seg_scores(file) for file in files}


def _seg_scores(file: Path) -> pd.DataFrame:
    lines = text.content(file).decode().splitlines()
    frame = pd.Series(lines).str.partition("\t")[[0, 2]].set_axis(["system", "score"], axis=1)
    scores = pd.to_numeric(frame["score"], errors="coerce")
    bad = scores.index[scores.isna() & frame["score"].ne("None")]
    if len(bad):
        wrong = partial(DataError, file=file, line=bad[0] + 1, value=lines[bad[0]])
        raise wrong("not a system and its score", expected="system, tab, a number or None")
    frame.insert(1, "segment", frame.groupby("system").cumcount().astype(str))
    return frame.assign(score=scores).dropna(ignore_index=True)
