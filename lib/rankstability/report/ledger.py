"""All rows of the claims ledger in one file, and their summary in the README."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pandas as pd

from .. import paths
from ..errors import DataError
from ..papers import claims
from ..read.campaigns import catalogue
from .outputs import csv_bytes, write_whole

PAPERS = {
    "bojar2011": "Bojar et al. 2011",
    "lopez2012": "Lopez 2012",
    "koehn2012": "Koehn 2012",
    "knowles2021": "Knowles 2021",
    "riley2024": "Riley et al. 2024",
}
MARKERS = "<!-- ledger -->", "<!-- /ledger -->"
KEY = ["paper", "place", "cell"]


def is_demo(campaign: str) -> bool:
    """Whether a folder below ``figures/`` belongs to a synthetic demo campaign."""
    return campaign.startswith("demo")


def gather(figures: Path = paths.FIGURES, published: Path = paths.PUBLISHED) -> pd.DataFrame:
    """All ``<figures>/<campaign>/<notebook>/claims.csv`` of the catalogue's real campaigns.

    A row without data gives way to a row of another run that has some; equal rows are kept once.

    Parameters
    ----------
    figures : Path
        The folder with one folder per campaign.
    published : Path
        The folder of the papers' numbers, which gives the order of places and cells.

    Returns
    -------
    DataFrame
        Columns `claims.COLUMNS`, all text, by paper, then in the order of the published file.

    Raises
    ------
    DataError
        Where a file lacks a column or holds an unknown status.
    """
    frames = []
    for file in sorted(figures.glob("*/*/claims.csv")):
        campaign = file.parent.parent.name
        if is_demo(campaign) or campaign not in catalogue():
            continue  # synthetic, or a user's own
        frame = pd.read_csv(file, dtype=str, keep_default_na=False)
        missing = [name for name in claims.COLUMNS if name not in frame]
        if missing:
            raise DataError("not a ledger file", file=paths.shown(file), value=missing)
        unknown = sorted(set(frame["status"]) - set(claims.STATUSES))
        if unknown:
            expected = ", ".join(claims.STATUSES)
            raise DataError(
                "unknown status",
                file=paths.shown(file),
                column="status",
                value=unknown,
                expected=expected,
            )
        frames.append(frame[claims.COLUMNS])
    if not frames:
        return pd.DataFrame(columns=claims.COLUMNS, dtype=str)
    rows = pd.concat(frames, ignore_index=True).drop_duplicates(ignore_index=True)
    empty = rows["status"] == "no data"
    filled = pd.MultiIndex.from_frame(rows.loc[~empty, KEY])
    index = pd.MultiIndex.from_frame(rows[KEY])
    rows = rows[~empty | (~index.isin(filled) & ~rows.duplicated([*KEY, "status"]))]
    return _ordered(rows, published)


def _ordered(rows: pd.DataFrame, published: Path) -> pd.DataFrame:
    printed = _printed(published)
    places = pd.MultiIndex.from_frame(printed[KEY[:2]]).unique()
    cells = pd.MultiIndex.from_frame(printed).unique()
    last = len(printed)  # what no published file knows (-1) comes last
    place = places.get_indexer(pd.MultiIndex.from_frame(rows[KEY[:2]]))
    cell = cells.get_indexer(pd.MultiIndex.from_frame(rows[KEY]))
    rows = rows.assign(_place=place % (last + 1), _cell=cell % (last + 1))
    by = ["paper", "_place", "place", "_cell", "cell", "provenance", "ours"]
    return rows.sort_values(by, kind="stable", ignore_index=True)[claims.COLUMNS]


def _printed(published: Path) -> pd.DataFrame:
    """The keys of all published cells, paper by paper, as the files order them."""
    frames = []
    for file in sorted(published.glob("*.csv")):
        frames.append(pd.read_csv(file, dtype=str, keep_default_na=False)[KEY])
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=KEY, dtype=str)


def uncovered(rows: pd.DataFrame, published: Path = paths.PUBLISHED) -> pd.DataFrame:
    """Published cells for which the ledger has no row at all: columns paper, place, cell."""
    printed = _printed(published)
    covered = pd.MultiIndex.from_frame(rows[KEY])
    return printed[~pd.MultiIndex.from_frame(printed).isin(covered)].reset_index(drop=True)


def per_paper(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of each status per paper: columns paper, title, cells and the statuses."""
    counts = pd.crosstab(rows["paper"], rows["status"])
    counts = counts.reindex(columns=list(claims.STATUSES), fill_value=0)
    order = [p for p in PAPERS if p in counts.index]
    counts = counts.loc[order + sorted(set(counts.index) - set(order))]
    counts.insert(0, "cells", counts.sum(axis=1))
    counts.insert(0, "title", [PAPERS.get(p, p) for p in counts.index])
    return counts.rename_axis("paper").reset_index().rename_axis(columns=None)


def markdown(rows: pd.DataFrame) -> str:
    """The summary as a Markdown table, one line per paper and a total."""
    table = per_paper(rows)
    lines = [
        "| Paper | Published cells | Exact | Rounds | Differs | No data |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    names = ["cells", *claims.STATUSES]
    for record in table.to_dict("records"):
        lines.append(f"| {record['title']} | " + " | ".join(str(record[n]) for n in names) + " |")
    total = " | ".join(f"**{table[n].sum()}**" for n in names)
    return "\n".join([*lines, f"| **All** | {total} |"])


def update_readme(readme: Path, rows: pd.DataFrame) -> bool:
    """Put the summary between the README's ledger markers; whether the file changed.

    Raises
    ------
    DataError
        If the markers are absent or out of order.
    """
    old = readme.read_text(encoding="utf-8")
    start, end = MARKERS
    if not 0 <= old.find(start) < old.find(end):
        raise DataError(
            "no place for the ledger", file=paths.shown(readme), expected=f"{start} {end}"
        )
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    new = pattern.sub(lambda _: f"{start}\n{markdown(rows)}\n{end}", old, count=1)
    if new == old:
        return False
    write_whole(readme, new.encode())
    return True


def main(argv: list[str] | None = None) -> int:
    """Gather the ledger into ``<figures>/claims_ledger.csv`` and summarise it in the README."""
    parser = argparse.ArgumentParser(
        prog="python -m rankstability.ledger", description=main.__doc__
    )
    parser.add_argument("--figures", type=Path, default=paths.FIGURES)
    parser.add_argument("--readme", type=Path, default=paths.ROOT / "README.md")
    args = parser.parse_args(argv)
    rows = gather(args.figures)
    if rows.empty:
        print("no claims of a real campaign yet: the ledger stays as it is")
        return 0
    target, content = args.figures / "claims_ledger.csv", csv_bytes(rows)
    if not target.is_file() or target.read_bytes() != content:
        write_whole(target, content)
    counts = ", ".join(f"{(rows['status'] == s).sum()} {s}" for s in claims.STATUSES)
    print(f"{paths.shown(target)}: {len(rows)} rows ({counts})")
    left = uncovered(rows)
    if len(left):
        places = ", ".join(f"{p} {n}" for p, n in left["paper"].value_counts(sort=False).items())
        print(f"published cells without a row: {places}")
    try:
        if args.readme.is_file() and update_readme(args.readme, rows):
            print(f"{paths.shown(args.readme)}: summary brought up to date")
    except DataError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
