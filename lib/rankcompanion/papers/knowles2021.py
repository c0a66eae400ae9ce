"""Knowles (2021), "On the Stability of System Rankings at WMT": its numbers beside ours.

A run answers for the rows of its own campaign (`replication_claims` and so on, one for each of
notebooks 01 to 05); `across` answers rows over several campaigns from the campaigns' tables, and
`absent` gives the reason for what nobody answered. What is said of pairs of which some are absent
has the status ``no data``; the reason says what the pairs here give, and whether that fits so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from paperkit import claims
from paperkit.claims import yes

from . import knowles2021_rows as base
from .knowles2021_rows import KEYS, KINDS, OFFICIAL, Answer, compare, count_changed, included
from .knowles2021_totals import across

__all__ = ["KEYS", "KINDS", "across", "count_changed", "included"]


def absent(rows: pd.DataFrame) -> pd.DataFrame:
    """Ledger rows (``no data``, with the reason) for published `rows` that nothing answers."""

    def reason(row: Any) -> Answer:
        if row.place in ("Figure 4", "Figure 5") and row.campaign != "wmt18":
            return Answer(None, base.NO_WMT19)
        if row.place in ("Table 1", "Table 4") and not row.campaign:
            return Answer(None, base.UNLISTED)
        return Answer(None, base.REMARK if row.quantity == "note" else base.NOT_HERE)

    return compare(rows, reason, OFFICIAL)


def replication_claims(agreement: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Table 4 (appendix A): which rankings come out again.

    From all pairs' ``verdict`` of notebook 01, and the `run`'s settings: campaign, provenance,
    test, rule, alpha.
    """
    rows = claims.published(base.PAPER, "Table 4")
    about = (rows["campaign"] == run["campaign"]) | (rows["released"] == run["campaign"])
    about &= rows["pair"].isin(agreement["pair"]) & (rows["quantity"] == "replicated")
    by_pair = agreement.set_index("pair").drop(columns="systems")

    def answer(row: Any) -> Answer:
        checks = by_pair.loc[row.pair].dropna()
        return _replicated(checks, row.published, row.campaign == run["campaign"])

    return compare(rows[about], answer, run, "the data are not here")


def _replicated(checks: pd.Series, printed: str, workers: bool) -> Answer:
    """Whether all that was released comes out again (clusters under the paper's line rule)."""
    if not len(checks):
        return Answer()
    same = bool((checks.drop("same_clusters_official", errors="ignore") == 1).all())
    reasons = []
    if not same:
        reasons = [f"{name}: {yes(value == 1)}" for name, value in checks.items()]
    elif printed != "✓" or not workers:
        reasons = ["order, means and counts equal the official file here"]
    if not workers:
        reasons.append("only released segment scores are here: no workers, no official clusters")
    return Answer(("✓" if same else "differs") if workers else None, "; ".join(reasons))


def removal_claims(
    changes: pd.DataFrame, workers: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """The campaign's rows of Table 2 and section 5.1, from all pairs' tables of notebook 02."""
    campaign = str(run["campaign"])
    changes, pairs = changes.assign(campaign=campaign), included(campaign)

    def changed(row: Any) -> Answer:
        part = changes[changes["removed"] == row.removed]
        return count_changed(part, pairs, row.kind).beside(row.published)

    table_2 = compare(base.rows_of(campaign, "Table 2"), changed, run)
    rows = base.rows_of(campaign, "Section 5.1")
    percents = base.percentages(rows, workers.assign(campaign=campaign), run)
    return pd.concat([table_2, percents], ignore_index=True)


def degradation_claims(ranks: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figures 2 and 3: how systems stand to each other when human scores are divided.

    From all pairs' ``ranks`` of notebook 03: pair, ranking, rank, system, cluster.
    """
    rows = base.rows_of(run["campaign"], "Figure 2", "Figure 3")

    def answer(row: Any) -> Answer | None:
        part = ranks[ranks["pair"] == row.pair]
        names = part["ranking"].astype(str).str.removeprefix("d-")
        tables = dict(list(part.groupby(names, sort=False)))
        if not tables or row.divisor not in {*tables, "all"}:
            return None
        if row.quantity == "relation":
            return Answer(base.relation(tables[row.divisor], "AFRL", "PROMT_NMT"))
        if row.quantity == "every_relation":
            seen = {base.relation(table, "PROMT_NMT", "Online-A") for table in tables.values()}
            return Answer(yes(len(seen) == 4), "; ".join(sorted(seen)))
        volc = base.volctrans(part["system"].drop_duplicates())
        places = [int(t.loc[t["system"] == volc, "rank"].iloc[0]) for t in tables.values()]
        tops = [int((t["cluster"] == 1).sum()) for t in tables.values()]
        numbers = places if row.quantity == "drops" else tops
        return Answer(yes(max(numbers) > numbers[0]), volc)

    return compare(rows[rows["divisor"] != "original"], answer, run)


def cooccurrence_claims(balance: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figure 4: how many HITs hold every system, from all pairs' ``balance`` of notebook 04."""
    campaign = run["campaign"]
    in_paper = balance["pair"].isin(included(campaign)["pair"])
    hits = balance[(balance["unit"] == "hit") & in_paper]
    gap = base.absent_pairs(campaign, balance["pair"])

    def answer(row: Any) -> Answer | None:
        part = balance[balance["pair"] == row.pair]
        if row.quantity == "below_half" and len(part):
            return Answer(yes(float(part["share_min"].iloc[0]) < 0.5))
        if row.quantity != "complete" or not len(hits):
            return None
        least = hits.iloc[int(hits["complete"].to_numpy().argmin())]
        almost = yes(least["complete"] >= base.ALMOST_ALL)
        found = base.so_far(almost, row.published, len(hits), gap)
        how = (
            f"“almost all” read as {base.ALMOST_ALL:.0%} or more in each pair; least: "
            f"{least['complete']:.1%} in {least['pair']}, of {len(hits)} pairs with HIT ids "
            "(tr-en left out, as in the paper)"
        )
        return found._replace(reason=base.joined(how, found.reason))

    return compare(base.rows_of(campaign, "Figure 4"), answer, run)


def documents_claims(
    luck: pd.DataFrame, summary: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Figure 5 (en-lt 2019), from all pairs' ``luck`` and ``summary`` of notebook 05."""

    def answer(row: Any) -> Answer | None:
        part = luck[luck["pair"] == row.pair]
        if part.empty:
            return None
        human, machine = (part.loc[part["human"] == k, "document_sd"] for k in (1, 0))
        values = {
            "human_highest": part.loc[part["mean_raw"].idxmax(), "human"] == 1,
            "unjudged": summary.loc[summary["pair"] == row.pair, "judged"].iloc[0] < 1,
            "human_steady": human.mean() < machine.median(),
        }
        return Answer(yes(values[row.quantity]))

    return compare(base.rows_of(run["campaign"], "Figure 5"), answer, run, base.NO_WMT19)
