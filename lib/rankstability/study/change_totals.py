"""Counting changed rankings over pairs: by year, style, tool, and as Knowles (2021) counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from ..report.outputs import Outputs

SETS = {
    "human+ref": "human systems and rows of type REF",
    "ref": "rows of type REF",
    "lowest": "the lowest-ranked system",
    "highest": "the highest-ranked system",
}
SINGLE = "each single system"


def describe(frame: pd.DataFrame, campaign: Campaign) -> pd.DataFrame:
    """`frame` with what the campaign says of each pair: year, style, tool, judged."""
    pairs = frame["pair"]
    return frame.assign(
        year=campaign.year,
        style=pairs.map(campaign.style_of),
        tool=pairs.map(campaign.tool_of),
        judged=["bilingual" if campaign.bilingual(p) else "monolingual" for p in pairs],
    )


def totals(changes: pd.DataFrame, what: str = "removed") -> pd.DataFrame:
    """Counts of changed rankings, over all pairs and by year, style, tool and kind of judging.

    Parameters
    ----------
    changes : DataFrame
        From `describe`: one row per pair and value of `what`.

    Returns
    -------
    DataFrame
        by, group, `what`, comparisons, d_rank, d_cluster, d_both: of so many comparisons, how
        many changed (Knowles 2021, Tables 2 and 3). A system removed by name counts under
        `SINGLE`.
    """
    if what == "removed":
        named = changes[what].astype(str).isin(SETS)
        changes = changes.assign(**{what: changes[what].where(named, SINGLE)})
    blocks = [("all", changes.assign(all="all pairs"))]
    blocks += [(by, changes) for by in ("year", "style", "tool", "judged")]
    found = []
    for by, frame in blocks:
        grouped = frame.groupby([by, what], sort=False, observed=True)
        table = grouped[["d_rank", "d_cluster", "d_both"]].sum().reset_index()
        table.insert(2, "comparisons", grouped.size().to_numpy())
        table = table.rename(columns={by: "group"}).astype({"group": str})
        table.insert(0, "by", by)
        found.append(table.sort_values("group", kind="stable"))
    return pd.concat(found, ignore_index=True)


def as_fractions(counted: pd.DataFrame, what: str = "removed") -> pd.DataFrame:
    """`totals` as the paper prints them: ``1/13``."""
    shown = counted[["by", "group", what]].copy()
    for name, title in (("d_rank", "Δ rank"), ("d_cluster", "Δ cluster"), ("d_both", "Δ both")):
        shown[title] = counted[name].astype(str) + "/" + counted["comparisons"].astype(str)
    return shown


def with_paper(
    counted: pd.DataFrame, changes: pd.DataFrame, campaign: Campaign, what: str = "removed"
) -> pd.DataFrame:
    """`totals` with rows (by ``paper``) over the pairs that Knowles (2021) counts, if any."""
    from ..papers.knowles2021 import included

    pairs = included()
    wanted = pairs.loc[pairs["campaign"] == campaign.name, "pair"]
    part = changes[changes["pair"].isin(wanted)]
    if part.empty:
        return counted
    rows = totals(part, what)
    rows = rows[rows["by"] == "all"].assign(by="paper", group="the paper's pairs")
    return pd.concat([counted, rows], ignore_index=True)


def run_settings(out: Outputs) -> dict[str, Any]:
    """The settings that the pairs' results were made with, from their signatures."""
    for path in sorted(out.directory.glob("*/changes.meta.json")):
        settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return settings
    return dict(out.settings)
