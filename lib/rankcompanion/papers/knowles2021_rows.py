"""The rows of Knowles (2021): the paper's pairs, and what its cells are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from paperkit import claims

PAPER = "knowles2021"
KEYS = ["place", "campaign", "pair", "quantity", "kind", "style", "removed", "divisor", "hit"]
KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
STYLES = ("SR-DC", "SR+DC")
SETTINGS = {"test": "scipy<1.7", "rule": "knowles", "alpha": 0.05}  # the paper's
JUDGED = {"M": "monolingual", "B": "bilingual"}
ALMOST_ALL = 0.9  # share of HITs that "almost all" is read as
NOT_HERE = "the archive is not here"
UNLISTED = "not in the catalogue: a campaign that the paper leaves out of its analyses"
FACT = "how the campaign was run: kept in the catalogue, not computed"
REMARK = "a remark on the findings paper, whose tables are not data here"
NO_WMT19 = "the judgments of WMT19 (Appraise) are not here"
RELEASED = "from the released segment scores of 2020"
PRINT = "recomputed from print"
OFFICIAL = {"provenance": "official"}
BOTH_TYPES = "SYSTEM + REPEAT"
LONGER = "; why they differ is not known (en-iu was collected for longer: Table 4)"


class Answer(NamedTuple):
    """Our value (None: no data), the reason, and where the value is from if not from the run."""

    ours: Any = None
    reason: str = ""
    provenance: str | None = None


@dataclass(frozen=True)
class Count:
    """How many pairs changed, how many are here, and which of the paper's pairs are not."""

    changed: int
    here: int
    absent: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Of the pairs here, those that changed."""
        return self.changed / max(self.here, 1)

    @property
    def fraction(self) -> str:
        """``1/13``: so many changed, of those here."""
        return f"{self.changed}/{self.here}"

    @property
    def gap(self) -> str:
        """What the pairs here give, and what is missing; empty where nothing is."""
        if not self.absent or not self.here:
            return NOT_HERE if self.absent else ""
        missing = f"{len(self.absent)} pairs are absent"
        missing = f"{self.absent[0]} is absent" if len(self.absent) == 1 else missing
        return f"{self.fraction} in the pairs here; {missing}"

    def beside(self, printed: str) -> Answer:
        """``k/n`` where all pairs are here, or where those here alone contradict the print."""
        fits = 0 <= int(printed.partition("/")[0]) - self.changed <= len(self.absent)
        if not self.absent or not fits:
            return Answer(self.fraction, self.gap)
        return Answer(None, self.gap.replace("here;", "here, consistent so far;"))


def included(campaign: str = "") -> pd.DataFrame:
    """The 46 pairs of the paper's analyses, or those of one campaign, from its Table 4.

    Columns: campaign, pair, style (``SR-DC``, ``SR+DC``), judged (``monolingual``, ``bilingual``).
    """
    rows = claims.published(PAPER, "Table 4")
    rows = rows[(rows["used"] == "yes") & rows["quantity"].isin(["style", "judged"])]
    order = rows.drop_duplicates(["campaign", "pair"])[["campaign", "pair"]]
    wide = rows.pivot(index=["campaign", "pair"], columns="quantity", values="published")
    wide = wide.assign(judged=wide["judged"].map(JUDGED))[["style", "judged"]].reset_index()
    frame = order.merge(wide, on=["campaign", "pair"]).rename_axis(columns=None)
    return frame[frame["campaign"] == campaign] if campaign else frame


def pairs_of(campaign: str) -> set[str]:
    """The campaign's pairs in Table 4, used or not."""
    return set(rows_of(campaign, "Table 4")["pair"])


def absent_pairs(campaign: str, pairs: Iterable[str]) -> str:
    """Those of them that are not among `pairs`."""
    return ", ".join(sorted(pairs_of(campaign) - set(pairs)))


def rows_of(campaign: str, *places: str) -> pd.DataFrame:
    """The published rows about one campaign; an empty name: about several."""
    rows = claims.published(PAPER, *places)
    return rows[rows["campaign"] == campaign]


def compare(
    rows: pd.DataFrame,
    answer: Callable[[Any], Answer | None],
    run: Mapping[str, Any],
    no_data: str = NOT_HERE,
    fact: bool = False,
) -> pd.DataFrame:
    """Ledger rows of `rows` from what `answer` gives for each of them (None: not answered).

    Where the `run` had other settings than the paper, the reasons say so.
    """
    other = "; ".join(
        f"with {name} {run[name]}, not the paper's {usual}"
        for name, usual in SETTINGS.items()
        if run.get(name, usual) != usual
    )
    values = []
    for ours, reason, provenance in (answer(row) or Answer() for row in rows.itertuples()):
        reason = joined(reason, other if reason or ours else "")
        values.append((ours, reason, provenance or (run.get("absent") if ours is None else None)))
    names = ["ours", "reason", "provenance"]
    ours = rows[KEYS].join(pd.DataFrame(values, rows.index, names, dtype=object)).assign(fact=fact)
    return claims.compare(rows, ours, KEYS, provenance=run["provenance"], no_data=no_data)


def joined(*reasons: str) -> str:
    """Reasons that are not empty, one after the other."""
    return "; ".join(filter(None, reasons))


def so_far(value: Any, printed: str, number: int, absent: str) -> Answer:
    """`value` over all pairs; over `number` of them while some are absent, only in the reason."""
    if not absent:
        return Answer(value)
    fits = "consistent" if claims.status(printed, value) == "exact" else "not as printed"
    return Answer(None, f"{value} in the {number} pairs here, {fits} so far; {absent} absent")


def count_changed(changes: pd.DataFrame, pairs: pd.DataFrame, kind: str) -> Count:
    """How many of the paper's `pairs` changed, and which of them are not in `changes`."""
    key = ["campaign", "pair"]
    seen = changes.merge(pairs[key], on=key)
    here = set(zip(seen["campaign"], seen["pair"], strict=True))
    gaps = [f"{p} of {c}" for c, p in pairs[key].itertuples(index=False) if (c, p) not in here]
    return Count(int(seen[kind].sum()), len(seen), tuple(gaps))


def percentages(rows: pd.DataFrame, workers: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Section 5.1: percentages of workers who judged references or human systems.

    A row may be about two campaigns, whose names stand in one cell.
    """

    def answer(row: Any) -> Answer | None:
        names = row.campaign.split()
        table = workers[workers["campaign"].isin(names)]
        if table.empty or (row.pair and row.pair not in set(table["pair"])):
            return None
        table = table.set_index("pair")
        if row.quantity == "percent":
            return Answer(f"{table.loc[row.pair, row.kind]:.2f}%")
        if row.kind:
            share = table[row.kind]
            value = {
                "least_percent": f"{share.min():.4g}%",
                "three_lowest": ", ".join(share.nsmallest(3).index),
                "highest": str(share.idxmax()),
            }[row.quantity]
        else:  # workers with any
            value = str(int(table["ref"].sum() + table["bad_ref"].sum()))
        here = [set(table.index[table["campaign"] == name]) for name in names]
        gaps = map(absent_pairs, names, here)
        return so_far(value, row.published, len(table), ", ".join(filter(None, gaps)))

    return compare(rows, answer, run)


def relation(table: pd.DataFrame, one: str, other: str) -> str:
    """How two systems stand to each other in a ranking, as the paper says it.

    `table` has system, rank, cluster; the numbers that follow the two names in system ids are not
    asked for.
    """
    ids = {system_named(table["system"], name): name for name in (one, other)}
    two = table[table["system"].isin(ids)].set_index("system")
    higher = ids[str(two["rank"].idxmin())]
    same = two["cluster"].nunique() == 1
    return f"same cluster, {higher} higher" if same else f"{higher} in a higher cluster"


def system_named(systems: pd.Series, name: str) -> str:
    """The one system of this name, whatever number follows; empty where there is none."""
    ids = [s for s in systems if s.partition(".")[0].lower() == name.lower()]
    return ids[0] if len(ids) == 1 else ""


def volctrans(systems: pd.Series) -> str:
    """VolcTrans is Huoshan_Translate in the data."""
    return system_named(systems, "VolcTrans") or system_named(systems, "Huoshan_Translate")
