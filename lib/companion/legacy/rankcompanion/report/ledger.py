"""Gather the claims ledger into one file, and summarise it in the README."""

import argparse
import re
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from companion.legacy.paperkit import claims, paths
from companion.legacy.paperkit.placing import csv_bytes, recover_below, write_whole
from companion.legacy.rankstability.errors import DataError

from . import findings
from .findings import KEY, campaign_tables, files_named

PAPERS = {
    "bojar2011": "Bojar et al. 2011",
    "lopez2012": "Lopez 2012",
    "koehn2012": "Koehn 2012",
    "knowles2021": "Knowles 2021",
    "riley2024": "Riley et al. 2024",
    "knowles_lo2022": "Knowles and Lo 2022",
    "releases": "Releases of organisers (in no paper)",
}
MARKERS = "<!-- ledger -->", "<!-- /ledger -->"
FROM_DATA = (
    "official",
    "rebuilt from z",
)  # provenances of what was made from judgments
COUNTED = (
    "numbers",
    "marks",
    "exact",
    "from_data",
    *claims.STATUSES[1:],
)  # of the summary
ANSWERS = "<!-- findings -->", "<!-- /findings -->"


def gather(
    figures: Path = paths.FIGURES,
    published: Path = paths.PUBLISHED,
    papers: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """The claims ledger: one or more rows for every number in the published files.

    Rows come from each real campaign's ``claims.csv`` in `figures` and from the ``across`` of the
    modules of `papers` (see `companion.legacy.paperkit.claims`). Numbers that neither answers have the status ``no
    data``, with the published reason. A row without data gives way to a row of another run with
    data; equal rows are kept once. Columns `claims.COLUMNS`, all text, by paper, then in the order
    of the `published` files; empty if no real campaign has been run.

    Raises DataError for a ``claims.csv`` that lacks a column or has an unknown status.
    """
    frames = [
        _of_campaign(file) for file in files_named(figures, "*", "claims.csv")
    ]
    if not frames:
        return pd.DataFrame(columns=claims.COLUMNS, dtype=str)
    tables = partial(campaign_tables, figures)
    if papers is None:
        papers = {
            paper: import_module(f"companion.legacy.rankcompanion.papers.{paper}")
            for paper in PAPERS
        }
    frames += [
        m.across(tables).astype(str)
        for m in papers.values()
        if hasattr(m, "across")
    ]
    rows = pd.concat(frames, ignore_index=True)[
        claims.COLUMNS
    ].drop_duplicates(ignore_index=True)
    empty = rows["status"] == "no data"
    again = _cells(rows).isin(_cells(rows[~empty])) | rows.duplicated(
        [*KEY, "status"]
    )
    rows = rows[~empty | ~again]
    rest = uncovered(rows, published).reindex(
        columns=[*KEY, "published", "no_data"], fill_value=""
    )
    reasons = rest["no_data"].replace("", claims.ABSENT)
    rest = rest.assign(
        ours="", status="no data", reason=reasons, provenance="official"
    )
    return _ordered(
        pd.concat([rows, rest[claims.COLUMNS]], ignore_index=True), published
    )


def _of_campaign(file: Path) -> pd.DataFrame:
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    missing = [name for name in claims.COLUMNS if name not in frame]
    if missing:
        raise DataError("not a ledger file", file=file, value=missing)
    unknown = sorted(set(frame["status"]) - set(claims.STATUSES))
    if unknown:
        known = ", ".join(claims.STATUSES)
        raise DataError(
            "unknown status",
            file=file,
            column="status",
            value=unknown,
            expected=known,
        )
    return frame[claims.COLUMNS]


def _ordered(rows: pd.DataFrame, published: Path) -> pd.DataFrame:
    """The rows in the order of the published files; cells that these do not have come last."""
    printed = _printed(published)
    for name, key in (("_place", KEY[:2]), ("_cell", KEY)):
        order = printed[key].drop_duplicates().reset_index(names=name)
        rows = rows.merge(order, "left", on=key)
    by = ["paper", "_place", "place", "_cell", "cell", "provenance", "ours"]
    return rows.sort_values(by, kind="stable", ignore_index=True)[
        claims.COLUMNS
    ]


def _cells(rows: pd.DataFrame) -> pd.MultiIndex:
    """Paper, place and cell of each row."""
    return pd.MultiIndex.from_frame(rows[KEY])


def _printed(published: Path) -> pd.DataFrame:
    """All published cells with all their columns, paper by paper, in the order of the files."""
    files = sorted(published.glob("*.csv"))
    frames = [
        pd.read_csv(file, dtype=str, keep_default_na=False) for file in files
    ]
    none = pd.DataFrame(columns=[*KEY, "published"], dtype=str)
    return pd.concat(frames or [none], ignore_index=True).fillna("")


def uncovered(
    rows: pd.DataFrame, published: Path = paths.PUBLISHED
) -> pd.DataFrame:
    """The published cells that have no row in the ledger's `rows`, with all their columns."""
    printed = _printed(published)
    return printed[~_cells(printed).isin(_cells(rows))].reset_index(drop=True)


def per_paper(rows: pd.DataFrame) -> pd.DataFrame:
    """The number of rows of each status by paper, and by reading if a paper has two.

    Columns paper, reading, title, cells, numbers and marks (cells that hold a number; a sign, a
    word or a name; facts are neither), the statuses, from_data (of the exact ones, those made from
    judgments, neither from other printed numbers nor by simulation or an integral); the reading as
    matched comes first.
    """
    readings = (
        rows["cell"]
        .str.extract("^(?P<reading>as stated|as matched) [|] ")
        .fillna("")
    )
    counts = pd.crosstab([rows["paper"], readings["reading"]], rows["status"])
    counts = counts.reindex(columns=list(claims.STATUSES), fill_value=0)
    made = (rows["status"] == "exact") & rows["provenance"].isin(FROM_DATA)
    by = [rows["paper"], readings["reading"]]
    counts["from_data"] = made.groupby(by).sum()
    number = rows["published"].map(is_number)
    fact = rows["status"] == "fact"
    counts["numbers"] = (number & ~fact).groupby(by).sum()
    counts["marks"] = (~number & ~fact).groupby(by).sum()
    order = {p: k for k, p in enumerate(PAPERS)}
    counts = counts.sort_index(
        level="paper", key=lambda p: p.map(lambda n: order.get(n, 99))
    )
    counts.insert(0, "cells", counts[list(claims.STATUSES)].sum(axis=1))
    titles = [
        f"{PAPERS.get(p, p)}{f', {r}' if r else ''}" for p, r in counts.index
    ]
    counts.insert(0, "title", titles)
    return counts.reset_index().rename_axis(columns=None)


def is_number(printed: str) -> bool:
    """Whether a printed cell is a number, a fraction or a range; not a mark, a word or a name.

    A number may have a sign, a unit or a bound.
    """
    bare = re.sub(
        r"(?i)\b(about|over|below|thousand|per cent|annotators)\b", "", printed
    )
    return re.sub(r"[%$~<>≤≥±+−–/|,. -]", "", bare).isdigit()


def totals(rows: pd.DataFrame) -> pd.Series:
    """The number of printed cells, and of `COUNTED`; those of two readings once."""
    table = per_paper(rows)
    return table.loc[
        table["reading"] != "as stated", ["cells", *COUNTED]
    ].sum()


def markdown(rows: pd.DataFrame) -> str:
    """The summary as a Markdown table: a line per paper (and reading), and a total."""
    table = per_paper(rows)
    total = totals(rows)
    names = ["cells", *COUNTED]
    lines = [
        "| Paper | Cells | Numbers | Marks | Exact | Exact from data | Rounds | Differs | No data "
        "| Fact |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in [
        *table[["title", *names]].to_numpy(),
        ["**All**", *(f"**{n}**" for n in total)],
    ]:
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def update_readme(
    readme: Path, text: str, markers: tuple[str, str] = MARKERS
) -> bool:
    """Put `text` between two markers of the README; returns whether the file changed.

    Raises DataError if the markers are not there.
    """
    old = readme.read_text(encoding="utf-8")
    start, end = markers
    before, _, rest = old.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise DataError(
            "no place for what is generated",
            file=readme,
            expected=f"{start} {end}",
        )
    new = f"{before}{start}\n{text}\n{end}{after}"
    if new != old:
        write_whole(readme, new.encode())
    return new != old


def main(
    figures: Path = paths.FIGURES, readme: Path = paths.ROOT / "README.md"
) -> int:
    """Gather the ledger into ``<figures>/claims_ledger.csv`` and summarise it in the README."""
    recover_below(figures)
    rows = gather(figures)
    if rows.empty:
        print("no claims of a real campaign yet: the ledger stays as it is")
        return 0
    target = figures / "claims_ledger.csv"
    content = csv_bytes(rows)
    if not target.is_file() or target.read_bytes() != content:
        write_whole(target, content)
    total = totals(rows)
    counts = ", ".join(
        f"{total[status]:,} {status}" for status in claims.STATUSES
    )
    kinds = f"{total['numbers']:,} numbers, {total['marks']:,} marks and names"
    print(
        f"{paths.shown(target)}: {total['cells']:,} printed cells, {kinds} ({counts})"
    )
    try:
        texts = {MARKERS: markdown(rows), ANSWERS: findings.sentences(figures)}
        here = texts.items() if readme.is_file() else ()
        if any(
            [update_readme(readme, text, markers) for markers, text in here]
        ):
            print(f"{paths.shown(readme)}: summary brought up to date")
    except DataError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=main.__doc__).parse_args()
    raise SystemExit(main())
