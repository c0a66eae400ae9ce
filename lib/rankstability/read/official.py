"""The organisers' own rankings, where a release holds them: what ours are compared with."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..errors import DataError
from . import schema as schemas
from . import text
from .campaigns import Campaign
from .rows import wrong_width


def ranking(campaign: Campaign, pair: str) -> pd.DataFrame | None:
    """The official ranking of a pair, best first; None where the release holds none.

    Returns
    -------
    DataFrame
        system, mean_raw, mean_z, segments, judgments; from ``ad-sys-ranking-XX-YY-z.csv``
        (one and three decimals) or ``ad-sys-scores-XX-YY.csv`` (all digits).

    Raises
    ------
    DataError
        For a row that does not have five columns of the right kind.
    """
    printed = campaign.folder / f"ad-sys-ranking-{pair}-z.csv"
    full = campaign.folder / f"ad-sys-scores-{pair}.csv"
    if printed.is_file():
        names = ["mean_raw", "mean_z", "segments", "judgments", "system"]
        frame = _blank_separated(printed, names, header=False)
    elif full.is_file():
        names = ["mean_raw", "mean_z", "segments", "system", "judgments"]
        frame = _blank_separated(full, names, header=True)
    else:
        return None
    frame = frame.astype({"segments": int, "judgments": int})
    frame = frame.sort_values("mean_z", ascending=False, kind="stable")
    return frame[["system", "mean_raw", "mean_z", "segments", "judgments"]].reset_index(drop=True)


def _blank_separated(
    path: Path, names: list[str], header: bool, p_values: bool = False
) -> pd.DataFrame:
    """The columns `names` (one of them ``system``), checked; the others are numbers."""
    rows, places = [], []
    for number, line in enumerate(text.content(path).decode().splitlines(), start=1):
        cells = line.split()
        if not cells or (header and number == 1):
            continue
        if len(cells) != len(names):
            raise wrong_width(path, number, len(cells), " ".join(names))
        rows.append(cells)
        places.append(number)
    schema = schemas.official([name for name in names if name != "system"] if p_values else ())
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
        columns = [_plain(name) for name in stream.readline().split()]
    frame = _blank_separated(path, ["system", *columns], header=True, p_values=True)
    return frame.set_index(frame.pop("system").map(_plain).to_numpy())


def _plain(name: str) -> str:
    if name.startswith("newstest") and name.endswith(".sgm"):
        return name.removesuffix(".sgm").split(".", 2)[2]
    return name


def seg_scores(campaign: Campaign, pair: str) -> dict[str, pd.DataFrame]:
    """The organisers' segment scores beside the judgments, by the name of what collected them.

    From ``official/XX-YY.NAME.seg.score``: a system and its score (``None``: not judged) in each
    line, a system's lines in order of the test set.

    Returns
    -------
    dict of DataFrame
        system, segment (0-based line of the test set, as text), score.

    Raises
    ------
    DataError
        For a line without two columns, or a score that is no number.
    """
    files = sorted((campaign.folder / "official").glob(f"{pair}.*.seg.score*"))
    return {file.name.split(".")[1]: _seg_scores(file) for file in files}


def _seg_scores(file: Path) -> pd.DataFrame:
    rows = [line.split("\t") for line in text.content(file).decode().splitlines()]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not (row[1] == "None" or _is_number(row[1])):
            raise DataError(
                "not a system and its score", file=file, line=number,
                value="\t".join(row), expected="system, tab, a number or None"
            )  # fmt: skip
    frame = pd.DataFrame(rows, columns=["system", "score"])
    frame.insert(1, "segment", frame.groupby("system").cumcount().astype(str))
    frame["score"] = pd.to_numeric(frame["score"], errors="coerce")
    return frame.dropna(ignore_index=True)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
