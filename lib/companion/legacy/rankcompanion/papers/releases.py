"""Rankings that organisers released with their judgments, and that no paper of ours prints."""

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatch
from typing import Any

import pandas as pd

from companion.legacy.paperkit import claims
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns.campaigns import Campaign
from companion.legacy.rankstability.rank.recipes import RECIPES, counted_by, made_by

from . import knowles2021

PAPER = "releases"
KEYS = ["campaign", "pair", "table", "system", "statistic"]
TEST, RULE = (
    "greater",
    "official wins",
)  # one-sided rank-sum tests, and the scripts' rule for lines
SLT23 = "wmt-slt23"
RAW = replace(
    RECIPES["wmt23"], rows="no document with a bad item, document scores too"
)
Z = replace(RECIPES["wmt23"], score="z")
TABLES = {  # of WMT-SLT23: the files that a table ranks, and how
    **{
        "both_domains": ("*", RAW),
        "srf": ("*Doc?.*", RAW),
        "signsuisse": ("*Seg?.*", RAW),
    },
    **{
        "WMT23SLT": ("*", Z),
        "WMT23SLT_Doc": ("*Doc?.*", Z),
        "WMT23SLT_Seg": ("*Seg?.*", Z),
    },
    **{
        f"WMT23SLT_{annotator}": (f"*{annotator}.scores.*", Z)
        for annotator in "ABC"
    },
}


def replication_claims(
    campaign: Campaign,
    settings: Mapping[str, Any],
    checks: pd.DataFrame,
    ranking: pd.DataFrame,
    clusters: pd.DataFrame,
) -> pd.DataFrame:
    """Notebook 01's rows of the ledger: those of Knowles (2021), then those of the releases.

    `settings` are the run's; `checks`, `ranking` and `clusters` are tables over all pairs.
    """
    paper = knowles2021.replication_claims(checks, settings)
    return pd.concat(
        [paper, ledger(campaign, ranking, clusters)], ignore_index=True
    )


def ledger(
    campaign: Campaign, ranking: pd.DataFrame, clusters: pd.DataFrame
) -> pd.DataFrame:
    """What was released of `campaign` beside ours: ledger rows, none where nothing was printed.

    `ranking` and `clusters` are notebook 01's tables over all pairs.
    """
    rows = claims.published(PAPER)
    rows = rows[rows["campaign"] == campaign.name]
    if rows.empty:
        return pd.DataFrame(columns=claims.COLUMNS, dtype=str)
    ours = (
        slt23(campaign)
        if campaign.name == SLT23
        else replicated(ranking, clusters)
    )
    ours = ours.assign(campaign=campaign.name)
    return claims.compare(rows, ours, KEYS, provenance="official")


def replicated(ranking: pd.DataFrame, clusters: pd.DataFrame) -> pd.DataFrame:
    """Ranks, means, and the clusters' first and last places of notebook 01.

    Columns pair, system (of the number of clusters: empty), statistic, ours.
    """
    known = ranking[["pair", "system", "rank", "mean_raw", "mean_z"]]
    theirs = (
        clusters["test"].eq(TEST)
        & clusters["correction"].eq("none")
        & clusters["rule"].eq(RULE)
    )
    drawn = clusters[theirs]
    places = drawn.groupby(["pair", "cluster"])["rank"]
    ends = (
        places.transform("min").astype(str)
        + "-"
        + places.transform("max").astype(str)
    )
    number = drawn.groupby("pair", as_index=False)["cluster"].max()
    return pd.concat(
        [
            known.melt(
                ["pair", "system"], var_name="statistic", value_name="ours"
            ),
            drawn[["pair", "system"]].assign(statistic="places", ours=ends),
            number.rename(columns={"cluster": "ours"}).assign(
                statistic="clusters"
            ),
        ],
        ignore_index=True,
    )


def slt23(campaign: Campaign) -> pd.DataFrame:
    """The tables of WMT-SLT23's two results: raw with document scores; z of each account, without.

    The catalogue joins accounts to their three annotators; the release does not. Columns pair,
    table, system, statistic, ours.
    """
    (pair,) = campaign.pairs
    parts = []
    for table, (pattern, recipe) in TABLES.items():
        files = [
            file for file in campaign.entry["files"] if fnmatch(file, pattern)
        ]
        entry = {**campaign.entry, "files": files}
        entry.pop("annotator", None)
        da = replace(
            campaigns.load(replace(campaign, entry=entry), pair),
            zero_variance="zero",
        )
        judged = counted_by(da, recipe)
        made = made_by(judged, recipe).table
        low = made["rank_low"].astype(str)
        high = made["rank_high"].astype(str)
        values = {
            "rank": low.where(low == high, low + "-" + high),
            "mean_raw": made["score"],
        }
        if recipe is Z:
            raw = pd.Series(
                counted_by(da, RECIPES["wmt23"]).means(), index=judged.systems
            )
            values |= {
                "mean_raw": made["system"].map(raw),
                "mean_z": made["score"],
            }
        long = (
            made[["system"]]
            .assign(**values)
            .melt("system", None, "statistic", "ours")
        )
        count = pd.DataFrame(
            [{"statistic": "clusters", "ours": made["cluster"].max()}]
        )
        parts.append(pd.concat([long, count]).assign(pair=pair, table=table))
    return pd.concat(parts, ignore_index=True)
