"""Results that others published: the organisers' rankings, and the numbers that papers print."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from .catalogue import Campaign, find_campaign, is_known
from .delimited import BLANKS
from .formats.files import (
    locate,
    need_columns,
    read_counts,
    read_numbers,
    read_table,
)
from .paths import repository_root

OFFICIAL = [
    "system",
    "z_official",
    "raw_official",
    "segments_official",
    "judgments_official",
    "cluster_official",
]
RANKING = ("RAW.SCR", "Z.SCR", "N", "N.ALL", "SYS")  # ad-sys-ranking, without a header
SCORES = ("RAW.SCR", "Z.SCR", "N", "SYS", "N.ALL")  # ad-sys-scores
CLUSTERS = {"SRC", "TRG", "CLUSTER_START", "SYSTEM"}


@check_arguments
def official(campaign: str | Path, pair: str) -> pd.DataFrame:
    """Return the organisers' own ranking of a language pair, for comparison with ours.

    Parameters
    ----------
    campaign : str or Path
        A name in the catalogue. A user's own data have no official ranking.
    pair : str

    Returns
    -------
    DataFrame
        Columns system, z_official, raw_official, segments_official, judgments_official and
        cluster_official (missing if the release has no clusters), best z first. The table is empty
        if the release contains no ranking.

    Raises
    ------
    DataError
        For a wrong value in a released file.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.official("demo-srdc", "de-en").columns[:2].tolist()
    ['system', 'z_official']
    """
    folder = folder_of(campaign, pair)
    found = None if folder is None else _find_ranking(folder, pair)
    if folder is None or found is None:
        return pd.DataFrame(columns=OFFICIAL)
    file, columns = found
    table = read_table(file, BLANKS, () if _has_header(file) else columns)
    need_columns(table, columns, file)
    twice = table["SYS"].duplicated()
    if twice.any():
        line = int(table.index[twice][0])
        raise DataError("system_twice", file=file, line=line, value=table.at[line, "SYS"])
    ranking = pd.DataFrame(
        {
            "system": table["SYS"].to_numpy(),
            "z_official": read_numbers(table, "Z.SCR", file),
            "raw_official": read_numbers(table, "RAW.SCR", file),
            "segments_official": read_counts(table, "N", file),
            "judgments_official": read_counts(table, "N.ALL", file),
        }
    )
    ranking = ranking.sort_values("z_official", ascending=False, kind="stable", ignore_index=True)
    ranking["cluster_official"] = ranking["system"].map(_clusters(folder, pair)).astype(float)
    return ranking


def folder_of(campaign: str | Path, pair: str) -> Path | None:
    """Return the folder of a pair in a campaign of the catalogue; None for other data."""
    if not is_known(str(campaign)):
        return None
    found = find_campaign(str(campaign))
    return found.segment_level().get(pair, found.folder) if _lacks(found, pair) else found.folder


def _lacks(campaign: Campaign, pair: str) -> bool:
    return not (campaign.folder / f"ad-sys-ranking-{pair}-z.csv").is_file()


def _find_ranking(folder: Path, pair: str) -> tuple[Path, tuple[str, ...]] | None:
    for name, columns in (
        (f"ad-sys-ranking-{pair}-z.csv", RANKING),
        (f"ad-sys-scores-{pair}.csv", SCORES),
    ):
        file = locate(folder, name)
        if file is not None:
            return file, columns
    return None


def _has_header(file: Path) -> bool:
    with file.open(encoding="utf-8") as stream:
        return "SYS" in stream.readline().split()


def _clusters(folder: Path, pair: str) -> dict[str, int]:
    """Return the number of each system's cluster, 1 for the best; empty if none were released."""
    file = folder / "clusters.csv"
    if not file.is_file():
        return {}
    table = read_table(file, BLANKS)
    if not set(table) >= CLUSTERS:
        return {}
    source, target = pair.split("-")
    rows = table[(table["SRC"] == source) & (table["TRG"] == target)]
    if rows.empty:
        return {}
    start = pd.Series(read_counts(rows, "CLUSTER_START", file), rows["SYSTEM"])
    numbers: dict[str, int] = start.rank(method="dense").astype(int).to_dict()
    return numbers


@check_arguments
def published(paper: str, notebook: str = "", campaign: str = "") -> pd.DataFrame:
    """Return the numbers that a paper prints, one per row.

    Parameters
    ----------
    paper : str
        The name of a file in ``data/published``, for example ``knowles2021``.
    notebook : str
        The number of a notebook (``02``, or ``02b_campaign``); only the numbers that this notebook
        computes are returned.
    campaign : str
        A campaign; only the numbers about this campaign are returned.

    Returns
    -------
    DataFrame
        Columns paper, place, cell (a label), published (as printed), source, campaign, and the
        columns to join on: pair, task, design, removed_kind, divisor, measure, system and others
        specific to the paper. Cells are text. Columns that are empty in all rows are dropped,
        except pair and measure. If no row matches, the table has all columns of the file.

    Raises
    ------
    DataError
        If there is no such paper.

    Examples
    --------
    >>> import rankstability as rs
    >>> printed = rs.published("knowles2021", notebook="02", campaign="wmt18")
    >>> printed.query("removed_kind == 'all human translations'")["published"].tolist()
    ['1/13', '0/13', '0/13']
    """
    known = published_papers()
    if paper not in known:
        raise DataError(
            "unknown_paper", value=paper, known=known or ["a clone with data/published"]
        )
    rows = pd.read_csv(_published_folder() / f"{paper}.csv", dtype=str, keep_default_na=False)
    if notebook:
        rows = rows[[each == notebook[:2] for each in rows["notebook"]]]
    if campaign:
        about = rows["campaign"].str.split(r"[ ,]+")
        rows = rows[[campaign in names for names in about]]
    if rows.empty:
        return rows.reset_index(drop=True)
    filled = [name for name in rows if name in ("pair", "measure") or (rows[name] != "").any()]
    return rows[filled].reset_index(drop=True)


def published_papers() -> list[str]:
    """Return the names of the papers in ``data/published``; none outside the repository."""
    return sorted(path.stem for path in _published_folder().glob("*.csv"))


def _published_folder() -> Path:
    return repository_root() / "data" / "published"
