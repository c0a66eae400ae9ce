"""Rankings that organisers released with their judgments, and that no paper of ours prints."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from paperkit import claims

PAPER = "releases"
KEYS = ["campaign", "pair", "system", "statistic"]
TEST, RULE = "greater", "official wins"  # one-sided rank-sum tests, and the scripts' rule for lines


def across(tables: Callable[[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows: ranks, means and numbers of clusters next to those of notebook 01."""
    ranking = tables("01", "ranking").reindex(
        columns=["campaign", "pair", "system", "rank", "mean_raw", "mean_z"]
    )
    ours = ranking.melt(KEYS[:3], var_name="statistic", value_name="ours")
    counts = tables("01", "cluster_counts").reindex(
        columns=["campaign", "pair", "test", "correction", RULE]
    )
    counts = counts[counts["test"].eq(TEST) & counts["correction"].eq("none")]
    counts = counts.rename(columns={RULE: "ours"}).assign(statistic="clusters")
    ours = pd.concat([ours, counts[["campaign", "pair", "statistic", "ours"]]], ignore_index=True)
    return claims.compare(claims.published(PAPER), ours, KEYS, provenance="official")
