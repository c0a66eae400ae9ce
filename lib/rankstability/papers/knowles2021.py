"""Ledger rows of Knowles (2021), Tables 2 and 3, sections 3 and 5: printed beside ours.

A row about one campaign is answered by that campaign's run where its data are here; rows over
several campaigns, and rows whose data are absent, by the run of `HOME`, which reads whichever of
the paper's campaigns are here. Counts over campaigns of which pairs are absent have the status
``no data``, and the reason says what the pairs here give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..read import campaigns
from ..study import removal
from ..study.change_totals import SETS, describe
from . import claims

if TYPE_CHECKING:
    from ..read.campaigns import Campaign

PAPER = "knowles2021"
HOME = "wmt18"
SEGMENTS = "wmt20"  # released segment scores of 2020: the rankings before any perturbation
KINDS = {"rank": "d_rank", "cluster": "d_cluster", "both": "d_both"}
REMOVED = {"Lowest": "lowest", "Highest": "highest"}
Key = tuple[str, str]
Answer = tuple[Any, str]  # our value (None: no data) and the reason


def included() -> pd.DataFrame:
    """The 46 pairs of the paper's analyses, from its Table 4: campaign, pair, style, judged."""
    rows = claims.published(PAPER, "Table 4")
    used = rows[~rows["note"].str.startswith("*") & (rows["campaign"] != "")]
    field = used["cell"].str.split(" | ", regex=False).str[1]
    frame = used[field == "style"][["campaign", "pair", "published"]]
    frame = frame.rename(columns={"published": "style"}).reset_index(drop=True)
    judged = used[field == "mono- or bilingual"].set_index(["campaign", "pair"])["published"]
    words = {"M": "monolingual", "B": "bilingual"}
    frame["judged"] = [words[judged[key]] for key in zip(frame["campaign"], frame["pair"])]  # noqa: B905
    return frame


def each(frame: pd.DataFrame) -> list[Any]:
    """The rows of `frame` as tuples with names."""
    return list(frame.itertuples(index=False))


def here() -> dict[str, Campaign]:
    """The paper's campaigns whose judgments are here."""
    names = set(included()["campaign"])
    return {c.name: c for c in campaigns.present() if c.name in names}


def owned(campaign: Campaign, *places: str) -> pd.DataFrame:
    """The published rows of `places` that this campaign's run answers for."""
    rows = claims.published(PAPER, *places)
    present = here()

    def owner(row: Any) -> str:
        found = present.get(row.campaign)
        return row.campaign if found and (not row.pair or row.pair in found.pairs) else HOME

    keep = [owner(row) == campaign.name for row in each(rows)]
    return rows[keep].reset_index(drop=True)


def beyond(
    campaign: Campaign, own: pd.DataFrame, compute: Callable[[Campaign], pd.DataFrame]
) -> pd.DataFrame | None:
    """`own` with the same table of every other real DA campaign here, described by `describe`.

    For `HOME` only, and only where both styles are here: the two side by side as in Figure 1, with
    campaigns the paper could not have (WMT21). None elsewhere.
    """
    if campaign.name != HOME:
        return None
    others = [
        c
        for c in campaigns.present()
        if c.format == "da" and not c.demo and c.name != HOME and c.style in ("SR-DC", "SR+DC")
    ]
    if "SR+DC" not in {c.style for c in others}:
        return None
    frames = [own.assign(campaign=HOME)]
    frames += [describe(compute(c), c).assign(campaign=c.name) for c in others]
    return pd.concat(frames, ignore_index=True)


def everywhere(
    campaign: Campaign, own: pd.DataFrame, compute: Callable[[Campaign], pd.DataFrame]
) -> pd.DataFrame:
    """`own` with the same table of the paper's other campaigns here, restricted to its 46 pairs.

    The others are read only for `HOME`. Columns of `own`, then campaign, style, judged as in the
    paper's Table 4.
    """
    frames = [own.assign(campaign=campaign.name)]
    if campaign.name == HOME:
        others = [c for c in here().values() if c.name != HOME]
        frames += [compute(c).assign(campaign=c.name) for c in others]
    whole = pd.concat(frames, ignore_index=True)
    whole = whole.drop(columns=["style", "judged"], errors="ignore")
    return whole.merge(included(), on=["campaign", "pair"], how="inner")


def fraction(changes: pd.DataFrame, wanted: pd.DataFrame, kind: str) -> Answer:
    """``k/n`` where all `wanted` pairs are in `changes`, else None and what the others give."""
    found = changes.merge(wanted[["campaign", "pair"]], on=["campaign", "pair"])
    count, size = int(found[kind].sum()), len(wanted)
    if len(found) == size:
        return f"{count}/{size}", ""
    if not len(found):
        return None, "the archive is not here"
    seen = set(zip(found["campaign"], found["pair"], strict=True))
    absent = [f"{p} of {c}" for c, p in zip(wanted["campaign"], wanted["pair"], strict=True)
              if (c, p) not in seen]  # fmt: skip
    missing = absent[0] + " is absent" if len(absent) == 1 else f"{len(absent)} pairs are absent"
    return None, f"{count}/{len(found)} in the pairs here; {missing}"


def ledger(
    rows: pd.DataFrame, answers: dict[Key, Answer], campaign: Campaign, settings: str
) -> pd.DataFrame:
    """Rows compared, with the reasons and where our data come from; toys are from print."""
    ours = {key: value for key, (value, _) in answers.items()}
    reasons = {key: reason for key, (_, reason) in answers.items() if reason}
    if settings:
        reasons = {key: "; ".join(filter(None, (reasons.get(key), settings))) for key in ours}
    toy = rows["place"] == "Section 5"
    own = rows["campaign"].isin(["", campaign.name]) & ~toy & campaign.rebuilt
    groups = {"recomputed from print": toy, "rebuilt from z": own, "official": ~(toy | own)}
    parts = [
        claims.compare(
            rows[mask], ours, provenance=name, reasons=reasons, no_data="the archive is not here"
        )
        for name, mask in groups.items()
        if mask.any()
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=claims.COLUMNS)


def other_settings(settings: dict[str, Any]) -> str:
    """Which settings of a run are not the paper's, in words; empty: none."""
    usual = {"test": "scipy<1.7", "rule": "knowles", "alpha": 0.05}
    other = [f"{k} {settings[k]}" for k, v in usual.items() if settings.get(k, v) != v]
    return "run with other settings than the paper's: " + ", ".join(other) if other else ""


# ---------------------------------------------------------------- removal


def removal_claims(
    campaign: Campaign, changes: pd.DataFrame, workers: pd.DataFrame, settings: dict[str, Any]
) -> pd.DataFrame:
    """Tables 2 and 3, section 3's number of pairs, the toy example, sections 5.1 and 5.2.

    Parameters
    ----------
    changes, workers : DataFrame
        All pairs' ``changes`` and ``workers`` of 02.
    settings : dict
        test, rule, alpha of the run; others than the paper's are named in the reasons.
    """
    rows = owned(
        campaign, "Section 3", "Table 2", "Table 3", "Section 5", "Section 5.1", "Section 5.2"
    )
    if rows.empty:
        return pd.DataFrame(columns=claims.COLUMNS)
    named = changes[changes["removed"].astype(str).isin(SETS)]
    whole = everywhere(campaign, named, removal.campaign_changes)
    pairs = included()
    by = {name: whole[whole["removed"] == name] for name in SETS}
    answers: dict[Key, Answer] = {}
    for row in each(rows):
        head, _, kind = row.cell.partition(" | ")
        key = (row.place, row.cell)
        if row.place == "Table 2":
            wanted = pairs[
                pairs["campaign"].eq(row.campaign)
                if row.campaign
                else pairs["style"].eq(head.removeprefix("ALL "))
            ]
            answers[key] = fraction(by["human+ref"], wanted, KINDS[kind])
        elif row.place == "Table 3":
            word, style = head.rstrip(")").split(" (")
            wanted = pairs[pairs["style"] == style]
            answers[key] = fraction(by[REMOVED[word]], wanted, KINDS[kind])
        elif row.place == "Section 3":
            ranked, total = (
                (whole["style"] == kind) & (whole["removed"] == "ref"),
                len(pairs[pairs["style"] == kind]),
            )
            count = int(ranked.sum())
            answers[key] = (
                (count, "") if count == total else (None, f"{count} pairs are here and ranked")
            )
        elif row.place == "Section 5":
            toy = removal.toy_example().set_index("hit")["z_of_50"]
            answers[key] = (float(round(toy[head], 4)), "standard deviation with ddof = 1")
        elif row.place == "Section 5.2":
            answers[key] = _statement(row.cell, by, pairs)
    answers |= _percentages(campaign, rows[rows["place"] == "Section 5.1"], workers)
    return ledger(rows, answers, campaign, other_settings(settings))


def _statement(cell: str, by: dict[str, pd.DataFrame], pairs: pd.DataFrame) -> Answer:
    """The sentences of section 5.2 that can be true or false; only with all 46 pairs."""
    human = by["human+ref"]
    counts = {
        (style, kind): fraction(human, pairs[pairs["style"] == style], kind)
        for style in ("SR-DC", "SR+DC")
        for kind in KINDS.values()
    }
    value = {key: number(text) for key, (text, _) in counts.items() if text is not None}
    if "32%" in cell or cell.startswith("SR+DC | rankings with changes in both"):
        text, reason = counts["SR+DC", "d_both"]
        return (None, reason) if text is None else (f"{100 * number(text):.4g}%", text)
    if cell.startswith("SR-DC | rankings with cluster"):
        text, reason = counts["SR-DC", "d_cluster"]
        return (None, reason) if text is None else (yes(number(text) < 0.05), text)
    if cell.startswith("SR+DC | similar rates"):
        return _similar_judging(human, pairs)
    if cell.startswith("REF alone"):
        return _reference_alone(by, pairs)
    if len(value) < len(counts):
        return None, "; ".join(dict.fromkeys(r for _, r in counts.values() if r))
    if "most common" in cell:
        return yes(all(value[s, "d_rank"] > value[s, k] for s in ("SR-DC", "SR+DC")
                        for k in ("d_cluster", "d_both"))), ""  # fmt: skip
    return yes(all(value["SR+DC", k] > value["SR-DC", k] for k in KINDS.values())), ""


def number(text: str) -> float:
    """``1/13`` as a number."""
    count, _, size = text.partition("/")
    return int(count) / int(size)


def yes(value: bool) -> str:
    """A truth value as the ledger writes it."""
    return "yes" if value else "no"


def _reference_alone(by: dict[str, pd.DataFrame], pairs: pd.DataFrame) -> Answer:
    """Similar: each count of rankings differs by at most a tenth of the pairs."""
    counts = {n: [int(by[n][k].sum()) for k in KINDS.values()] for n in ("human+ref", "ref")}
    size = len(by["ref"])
    text = (
        f"{size} pairs: human and REF {counts['human+ref']}, REF alone {counts['ref']} "
        "(rank, cluster, both)"
    )
    if size < len(pairs):
        return None, text
    gaps = [abs(a - b) for a, b in zip(*counts.values(), strict=True)]
    return yes(max(gaps) <= size / 10), text


def _similar_judging(human: pd.DataFrame, pairs: pd.DataFrame) -> Answer:
    """Similar: Fisher's exact test finds no difference in any kind of change at .05."""
    from scipy.stats import fisher_exact

    document = human[human["style"] == "SR+DC"]
    if len(document) < (pairs["style"] == "SR+DC").sum():
        return None, "needs all 25 SR+DC pairs"
    texts, smallest = [], 1.0
    for word, kind in KINDS.items():
        table = [
            [int(g[kind].sum()), int(len(g) - g[kind].sum())]
            for _, g in document.groupby("judged", sort=True)
        ]
        smallest = min(smallest, float(fisher_exact(table).pvalue))
        texts.append(f"{word} bilingual {table[0][0]}, monolingual {table[1][0]}")
    return yes(smallest > 0.05), "; ".join(texts) + f"; smallest Fisher p {smallest:.2f}"


def _percentages(
    campaign: Campaign, rows: pd.DataFrame, workers: pd.DataFrame
) -> dict[Key, Answer]:
    """Section 5.1: percentages of workers; rows over several campaigns only where all are here."""
    answers: dict[Key, Answer] = {}
    table = workers.set_index("pair")
    absent = sorted(set(campaign.known_pairs) - set(table.index))
    note = f"over the {len(table)} pairs here; {', '.join(absent)} absent" if absent else ""
    columns = {
        "workers with REF": "ref_percent",
        "workers with BAD_REF": "bad_ref_percent",
        "workers with a human system": "human_percent",
    }
    for row in each(rows):
        key = (row.place, row.cell)
        several = row.campaign.split()
        if len(several) > 1 and campaign.name == HOME:
            kind = columns.get(row.cell.partition(" | ")[2].removesuffix(", all pairs"), "")
            answers[key] = _over_campaigns(several, kind)
            continue
        if (
            row.campaign != campaign.name
            or not len(table)
            or (row.pair and row.pair not in table.index)
        ):
            continue  # another campaign, or a pair that was not run
        what = row.cell.partition(" | ")[2]
        column = columns.get(what.removesuffix(", all pairs"), "")
        if row.pair and column:
            answers[key] = (f"{table.loc[row.pair, column]:.2f}%", "")
        elif column:
            answers[key] = (f"{table[column].min():.4g}%", note)
        elif what.startswith("three pairs"):
            answers[key] = (", ".join(table["ref_percent"].nsmallest(3).index), note)
        elif what.startswith("pair with the highest"):
            answers[key] = (str(table["ref_percent"].idxmax()), note)
        elif what.startswith("rows of type"):
            answers[key] = (int(table["ref"].sum() + table["bad_ref"].sum()), "workers with any")
    return answers


def _over_campaigns(names: list[str], column: str) -> Answer:
    """The least percentage of workers over the pairs of several campaigns, if all are here."""
    present = here()
    absent = [name for name in names if name not in present]
    if absent or not column:
        return None, f"{', '.join(absent)} not here" if absent else ""
    rows, gone = [], []
    for found in (present[name] for name in names):
        rows += [removal.worker_percentages(campaigns.load_da(found, pair)) for pair in found.pairs]
        gone += sorted(set(found.known_pairs) - set(found.pairs))
    note = f"over the {len(rows)} pairs of {' and '.join(names)} here"
    least = min(row[column] for row in rows)
    return f"{least:.4g}%", note + (f"; {', '.join(gone)} absent" if gone else "")
