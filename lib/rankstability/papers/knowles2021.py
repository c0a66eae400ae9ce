"""Knowles (2021), "On the Stability of System Rankings at WMT": its numbers beside ours.

A run answers for the rows of its own campaign (`replication_claims` and so on, one for each of
notebooks 01 to 05); `across` answers rows over several campaigns from the campaigns' tables, and
`absent` gives the reason for what nobody answered. Counts over pairs of which some are absent have
the status ``no data``, and the reason says what the pairs here give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from scipy.stats import fisher_exact

from ..study import removal
from ..study.degradation import DIVISORS
from . import claims

PAPER = "knowles2021"
KEYS = [
    "place", "campaign", "pair", "quantity", "kind", "style", "removed", "divisor", "hit",
]  # fmt: skip
KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
STYLES = ("SR-DC", "SR+DC")
SETTINGS = {"test": "scipy<1.7", "rule": "knowles", "alpha": 0.05}  # the paper's
ALMOST_ALL = 0.9  # share of HITs that "almost all" is read as
NOT_HERE = "the archive is not here"
UNLISTED = "not in the catalogue: a campaign that the paper leaves out of its analyses"
FACT = "how the campaign was run: kept in the catalogue, not computed"
REMARK = "a remark on the findings paper, whose tables are not data here"
NO_WMT19 = "the judgments of WMT19 (Appraise) are not here"
OFFICIAL = {"provenance": "official"}
RELEASED = "from the released segment scores of 2020"
Answer = tuple[Any, str]  # our value (None: no data) and the reason


# ---------------------------------------------------------------- rows and pairs


def included(campaign: str = "") -> pd.DataFrame:
    """The 46 pairs of the paper's analyses, or those of one campaign, from its Table 4.

    Returns
    -------
    DataFrame
        campaign, pair, style (``SR-DC``, ``SR+DC``), judged (``monolingual``, ``bilingual``).
    """
    rows = claims.published(PAPER, "Table 4")
    rows = rows[(rows["used"] == "yes") & rows["quantity"].isin(["style", "judged"])]
    order = rows.drop_duplicates(["campaign", "pair"])[["campaign", "pair"]]
    wide = rows.pivot(index=["campaign", "pair"], columns="quantity", values="published")
    words = {"M": "monolingual", "B": "bilingual"}
    wide = wide.assign(judged=wide["judged"].map(words))[["style", "judged"]].reset_index()
    frame = order.merge(wide, on=["campaign", "pair"]).rename_axis(columns=None)
    return frame[frame["campaign"] == campaign] if campaign else frame


def _absent_pairs(campaign: str, pairs: Sequence[str]) -> str:
    """The campaign's pairs in Table 4 that are not among `pairs`."""
    rows = claims.published(PAPER, "Table 4")
    return ", ".join(sorted(set(rows.loc[rows["campaign"] == campaign, "pair"]) - set(pairs)))


def _rows(campaign: str, *places: str) -> pd.DataFrame:
    """The published rows about one campaign."""
    rows = claims.published(PAPER, *places)
    return rows[rows["campaign"] == campaign]


def _compare(
    rows: pd.DataFrame,
    answer: Callable[[Any], Answer | None],
    run: Mapping[str, Any],
    no_data: str = NOT_HERE,
) -> pd.DataFrame:
    """Ledger rows of `rows` from what `answer` gives for each of them (None: not answered).

    Where the `run` had other settings than the paper, the reasons say so.
    """
    other = "; ".join(
        f"with {name} {run[name]}, not the paper's {usual}"
        for name, usual in SETTINGS.items()
        if run.get(name, usual) != usual
    )
    answers = [answer(row) for row in rows.itertuples()]
    ours = rows[KEYS].assign(
        ours=pd.Series([a and a[0] for a in answers], index=rows.index, dtype=object),
        reason=[a and "; ".join(filter(None, (a[1], other))) for a in answers],
    )
    return claims.compare(rows, ours, KEYS, provenance=run["provenance"], no_data=no_data)


def _yes(value: Any) -> str:
    return "yes" if value else "no"


def absent(rows: pd.DataFrame) -> pd.DataFrame:
    """Ledger rows (``no data``, with the reason) for published `rows` that nothing answers."""

    def reason(row: Any) -> Answer:
        if row.place in ("Figure 4", "Figure 5") and row.campaign != "wmt18":
            return None, NO_WMT19
        unlisted = row.place in ("Table 1", "Table 4") and not row.campaign
        return None, UNLISTED if unlisted else NOT_HERE

    return _compare(rows, reason, OFFICIAL)


# ---------------------------------------------------------------- 01: replication


def replication_claims(
    agreement: pd.DataFrame, counts: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Tables 1 and 4 (appendix A): rows by type, and which rankings come out again.

    Parameters
    ----------
    agreement : DataFrame
        All pairs' ``verdict`` of notebook 01: pair, systems, same_order, ...
    counts : DataFrame
        All pairs' ``type_counts``: pair, file, and rows of each type.
    run : mapping
        The settings of the run: campaign, provenance, test, rule, alpha.
    """
    rows = claims.published(PAPER, "Table 4")
    about = (rows["campaign"] == run["campaign"]) | (rows["released"] == run["campaign"])
    rows = rows[about & rows["pair"].isin(agreement["pair"])]
    by_pair = agreement.set_index("pair").drop(columns="systems")

    def answer(row: Any) -> Answer:
        if row.quantity == "replicated":
            checks = by_pair.loc[row.pair].dropna()
            return _replicated(checks, row.published, row.campaign == run["campaign"])
        return None, REMARK if row.quantity == "note" else FACT

    table_4 = _compare(rows, answer, run, "the data are not here")
    return pd.concat([table_4, _table_1(counts, run)], ignore_index=True)


def _replicated(checks: pd.Series, printed: str, workers: bool) -> Answer:
    """Whether all that was released comes out again (clusters under the paper's line rule)."""
    if not len(checks):
        return None, ""
    same = bool((checks.drop("same_clusters_official", errors="ignore") == 1).all())
    reasons = []
    if not same:
        reasons = [f"{name}: {_yes(value == 1)}" for name, value in checks.items()]
    elif printed != "✓" or not workers:
        reasons = ["order, means and counts equal the official file here"]
    if not workers:
        reasons.append("only released segment scores are here: no workers, no official clusters")
    return ("✓" if same else "differs") if workers else None, "; ".join(reasons)


def _table_1(counts: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Rows of each type in ``ad-good-raw-redup`` over all pairs."""
    good = counts[counts["file"] == "ad-good-raw-redup"]
    gap = _absent_pairs(run["campaign"], good["pair"].to_list())

    def answer(row: Any) -> Answer:
        total = int(good[row.kind].sum())
        short = f"{total} rows in the {len(good)} pairs here; {gap} is absent"
        return (None, short) if gap else (total, "")

    return _compare(_rows(run["campaign"], "Table 1"), answer, run)


# ---------------------------------------------------------------- 02: removal


def removal_claims(
    changes: pd.DataFrame, workers: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """The campaign's rows of Table 2 and section 5.1.

    Parameters
    ----------
    changes, workers : DataFrame
        All pairs' ``changes`` and ``workers`` of notebook 02.
    run : mapping
        As for `replication_claims`.
    """
    campaign = str(run["campaign"])
    changes, pairs = changes.assign(campaign=campaign), included(campaign)
    table_2 = _compare(_rows(campaign, "Table 2"), lambda row: _changed(changes, pairs, row), run)
    percents = _compare(_rows(campaign, "Section 5.1"), _percentages(workers, campaign), run)
    return pd.concat([table_2, percents], ignore_index=True)


def _changed(changes: pd.DataFrame, pairs: pd.DataFrame, row: Any) -> Answer:
    """``k/n`` pairs changed (row: removed, kind), where all `pairs` are here."""
    part = changes[changes["removed"] == row.removed]
    count, number, gap = count_changed(part, pairs, row.kind)
    return (None, gap) if gap else (f"{count}/{number}", "")


def count_changed(changes: pd.DataFrame, pairs: pd.DataFrame, kind: str) -> tuple[int, int, str]:
    """How many of `pairs` changed, how many are in `changes`, and in words what is missing."""
    key = ["campaign", "pair"]
    seen = changes.merge(pairs[key], on=key)
    count, number = int(seen[kind].sum()), len(seen)
    if number == len(pairs):
        return count, number, ""
    if not number:
        return 0, 0, NOT_HERE
    here = set(zip(seen["campaign"], seen["pair"], strict=True))
    gaps = [f"{p} of {c}" for c, p in pairs[key].itertuples(index=False) if (c, p) not in here]
    missing = f"{gaps[0]} is absent" if len(gaps) == 1 else f"{len(gaps)} pairs are absent"
    return count, number, f"{count}/{number} in the pairs here; {missing}"


def _percentages(workers: pd.DataFrame, campaign: str) -> Callable[[Any], Answer | None]:
    """Section 5.1: percentages of workers who judged references or human systems."""
    table = workers.set_index("pair")
    gap = _absent_pairs(campaign, list(table.index))
    note = f"over the {len(table)} pairs here; {gap} absent" if gap else ""

    def answer(row: Any) -> Answer | None:
        if not len(table) or (row.pair and row.pair not in table.index):
            return None
        if row.quantity == "percent":
            return f"{table.loc[row.pair, row.kind]:.2f}%", ""
        if row.quantity == "least_percent":
            return f"{table[row.kind].min():.4g}%", note
        if row.quantity == "three_lowest":
            return ", ".join(table[row.kind].nsmallest(3).index), note
        if row.quantity == "highest":
            return str(table[row.kind].idxmax()), note
        return int(table["ref"].sum() + table["bad_ref"].sum()), "workers with any"

    return answer


# ---------------------------------------------------------------- 03: degradation


def degradation_claims(ranks: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figures 2 and 3: how systems stand to each other when human scores are divided.

    Parameters
    ----------
    ranks : DataFrame
        All pairs' ``ranks`` of notebook 03: pair, ranking, rank, system, cluster.
    """
    rows = _rows(run["campaign"], "Figure 2", "Figure 3")

    def answer(row: Any) -> Answer | None:
        part = ranks[ranks["pair"] == row.pair]
        names = part["ranking"].astype(str).str.removeprefix("d-")
        tables = dict(list(part.groupby(names, sort=False)))
        if not tables or row.divisor not in {*tables, "all"}:
            return None
        if row.quantity == "relation":
            return relation(tables[row.divisor], "AFRL", "PROMT_NMT"), ""
        if row.quantity == "every_relation":
            seen = {relation(table, "PROMT_NMT", "Online-A") for table in tables.values()}
            return _yes(len(seen) == 4), "; ".join(sorted(seen))
        volc = _volctrans(part["system"].drop_duplicates())
        places = [int(t.loc[t["system"] == volc, "rank"].iloc[0]) for t in tables.values()]
        tops = [int((t["cluster"] == 1).sum()) for t in tables.values()]
        first, most = (places[0], max(places)) if row.quantity == "drops" else (tops[0], max(tops))
        return _yes(most > first), volc

    return _compare(rows[rows["divisor"] != "original"], answer, run)


def relation(table: pd.DataFrame, one: str, other: str) -> str:
    """How two systems stand to each other, as the paper says it.

    Parameters
    ----------
    table : DataFrame
        system, rank, cluster.
    one, other : str
        Names; the numbers that follow them in system ids are not asked for.
    """
    ids = {_system(table["system"], name): name for name in (one, other)}
    two = table[table["system"].isin(ids)].set_index("system")
    higher = ids[str(two["rank"].idxmin())]
    same = two["cluster"].nunique() == 1
    return f"same cluster, {higher} higher" if same else f"{higher} in a higher cluster"


def _system(systems: pd.Series, name: str) -> str:
    """The one system of this name, whatever number follows; empty where there is none."""
    ids = [s for s in systems if s.partition(".")[0].lower() == name.lower()]
    return ids[0] if len(ids) == 1 else ""


def _volctrans(systems: pd.Series) -> str:
    """VolcTrans is Huoshan_Translate in the data."""
    return _system(systems, "VolcTrans") or _system(systems, "Huoshan_Translate")


# ---------------------------------------------------------------- 04 and 05


def cooccurrence_claims(balance: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figure 4: how many HITs hold every system, from all pairs' ``balance`` of notebook 04."""
    campaign = run["campaign"]
    in_paper = balance["pair"].isin(included(campaign)["pair"])
    hits = balance[(balance["unit"] == "hit") & in_paper]
    gap = _absent_pairs(campaign, balance["pair"].to_list())

    def answer(row: Any) -> Answer | None:
        part = balance[balance["pair"] == row.pair]
        if row.quantity == "below_half" and len(part):
            return _yes(float(part["share_min"].iloc[0]) < 0.5), ""
        if row.quantity != "complete" or not len(hits):
            return None
        least = hits.iloc[int(hits["complete"].to_numpy().argmin())]
        reason = (
            f"“almost all” read as {ALMOST_ALL:.0%} or more in each pair; least: "
            f"{least['complete']:.1%} in {least['pair']}, of {len(hits)} pairs with HIT ids "
            "(tr-en left out, as in the paper)"
        )
        reason += f"; {gap} absent" if gap else ""
        return _yes(least["complete"] >= ALMOST_ALL), reason

    return _compare(_rows(campaign, "Figure 4"), answer, run)


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
        return _yes(values[row.quantity]), ""

    return _compare(_rows(run["campaign"], "Figure 5"), answer, run, NO_WMT19)


# ---------------------------------------------------------------- over several campaigns


def across(tables: Callable[[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows over several campaigns, and of original rankings whichever release holds them.

    Tables 2 (all) and 3, sections 3, 5 (the toy example), 5.1 to 5.3, Figure 1, and the first
    columns of Figures 2 and 3.

    Parameters
    ----------
    tables : callable
        ``tables(notebook, name)`` as `claims` describes it.
    """
    changes = _of_the_paper(tables("02_outlier_removal", "changes"), "removed")
    divided = _of_the_paper(tables("03_divisor_degradation", "changes"), "divisor")
    parts = [
        _toy_example(),
        _removal_totals(changes, _runs(tables("02_outlier_removal", "run"))),
        _least_percentages(tables("02_outlier_removal", "workers")),
        _figure_1(
            divided[divided["divisor"].isin(DIVISORS)],
            _runs(tables("03_divisor_degradation", "run")),
        ),
        _original_rankings(
            tables("01_replication", "ranking"), tables("01_replication", "machines")
        ),
    ]
    return pd.concat(parts, ignore_index=True)


def _runs(runs: pd.DataFrame) -> dict[str, Any]:
    """Settings and provenance of several campaigns' runs together: what is unusual in any."""
    runs = runs[runs["campaign"].isin(included()["campaign"])]
    rebuilt = len(runs) and runs["provenance"].eq("rebuilt from z").any()
    settings: dict[str, Any] = {"provenance": "rebuilt from z" if rebuilt else "official"}
    for name, usual in SETTINGS.items():
        other = [value for value in runs.get(name, ()) if value != usual]
        settings |= {name: other[0]} if other else {}
    return settings


def _of_the_paper(changes: pd.DataFrame, what: str) -> pd.DataFrame:
    """The paper's 46 pairs of `changes`, with style and judged as its Table 4 has them."""
    table = changes.reindex(columns=["campaign", "pair", what, *KINDS])
    return table.astype({"campaign": object, "pair": object}).merge(
        included(), on=["campaign", "pair"]
    )


def _toy_example() -> pd.DataFrame:
    toy = removal.toy_example().set_index("hit")["z_of_50"]
    return _compare(
        claims.published(PAPER, "Section 5"),
        lambda row: (float(round(toy[row.hit], 4)), "standard deviation with ddof = 1"),
        {"provenance": "recomputed from print"},
    )


def _removal_totals(changes: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Table 2 (all), Table 3, section 3's numbers of pairs, section 5.2."""
    rows = claims.published(PAPER, "Section 3", "Table 2", "Table 3", "Section 5.2")
    pairs = included()
    statements = _statements(changes, pairs)

    def answer(row: Any) -> Answer:
        wanted = pairs[pairs["style"] == row.style]
        if row.quantity == "changed":
            return _changed(changes, wanted, row)
        if row.quantity != "pairs":
            return statements[row.quantity]
        ranked = int(((changes["style"] == row.style) & (changes["removed"] == "ref")).sum())
        short = f"{ranked} pairs are here and ranked"
        return (ranked, "") if ranked == len(wanted) else (None, short)

    return _compare(rows[rows["campaign"] == ""], answer, run)


def _statements(changes: pd.DataFrame, pairs: pd.DataFrame) -> dict[str, Answer]:
    """Section 5.2: sentences that can be true or false, where all their pairs are here."""
    human = changes[changes["removed"] == "human+ref"]
    counts = {
        (style, kind): count_changed(human, pairs[pairs["style"] == style], kind)
        for style in STYLES
        for kind in KINDS
    }
    share = {key: count / max(number, 1) for key, (count, number, _) in counts.items()}

    def answer(value: str, *keys: tuple[str, str]) -> Answer:
        gaps = "; ".join(dict.fromkeys(gap for key in keys if (gap := counts[key][2])))
        fraction = "{}/{}".format(*counts[keys[0]][:2]) if len(keys) == 1 else ""
        return (None, gaps) if gaps else (value, fraction)

    both, cluster = ("SR+DC", "d_both"), ("SR-DC", "d_cluster")
    most = all(share[s, "d_rank"] > share[s, k] for s in STYLES for k in ("d_cluster", "d_both"))
    more = all(share["SR+DC", kind] > share["SR-DC", kind] for kind in KINDS)
    return {
        "changed_percent": answer(f"{100 * share[both]:.4g}%", both),
        "below_5_percent": answer(_yes(share[cluster] < 0.05), cluster),
        "rank_most_common": answer(_yes(most), *counts),
        "more_in_SR+DC": answer(_yes(more), *counts),
        "ref_alone_similar": _reference_alone(changes, len(pairs)),
        "judging_similar": _similar_judging(human, int((pairs["style"] == "SR+DC").sum())),
    }


def _reference_alone(changes: pd.DataFrame, number: int) -> Answer:
    """Similar: each count of rankings differs by at most a tenth of the pairs."""
    parts = {name: changes[changes["removed"] == name] for name in ("human+ref", "ref")}
    sums = {name: [int(part[kind].sum()) for kind in KINDS] for name, part in parts.items()}
    size = len(parts["ref"])
    text = (
        f"{size} pairs: human and REF {sums['human+ref']}, REF alone {sums['ref']} "
        "(rank, cluster, both)"
    )
    gaps = [abs(a - b) for a, b in zip(*sums.values(), strict=True)]
    return (_yes(max(gaps) <= size / 10) if size == number else None), text


def _similar_judging(human: pd.DataFrame, number: int) -> Answer:
    """Similar: Fisher's exact test finds no difference in any kind of change at .05."""
    document = human[human["style"] == "SR+DC"]
    if len(document) < number:
        return None, f"needs all {number} SR+DC pairs"
    texts, smallest = [], 1.0
    for kind, word in KINDS.items():
        by = document.groupby("judged")[kind].agg(["sum", "size"]).loc[["bilingual", "monolingual"]]
        smallest = min(smallest, float(fisher_exact([[k, n - k] for k, n in by.to_numpy()]).pvalue))
        texts.append(f"{word} bilingual {by['sum'].iloc[0]}, monolingual {by['sum'].iloc[1]}")
    return _yes(smallest > 0.05), "; ".join(texts) + f"; smallest Fisher p {smallest:.2f}"


def _least_percentages(workers: pd.DataFrame) -> pd.DataFrame:
    """Section 5.1 into English: the least over the pairs of two campaigns, if both are here."""
    rows = claims.published(PAPER, "Section 5.1")

    def answer(row: Any) -> Answer:
        names = row.campaign.split()
        part = workers[workers["campaign"].isin(names)]
        missing = [name for name in names if name not in set(part["campaign"])]
        if missing:
            return None, f"{', '.join(missing)} not here"
        note = f"over the {len(part)} pairs of {' and '.join(names)} here"
        gaps = [_absent_pairs(n, part.loc[part["campaign"] == n, "pair"].to_list()) for n in names]
        gap = ", ".join(filter(None, gaps))
        return f"{part[row.kind].min():.4g}%", note + (f"; {gap} absent" if gap else "")

    return _compare(rows[rows["campaign"].str.contains(" ")], answer, OFFICIAL)


def _figure_1(changes: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figure 1: shares of pairs changed by divisor."""
    pairs = included()
    divisors = sorted(set(changes["divisor"]))
    shares: dict[tuple[str, str], list[float]] = {}
    for style in STYLES:
        wanted = pairs[pairs["style"] == style]
        for kind in KINDS:
            counts = [count_changed(changes[changes["divisor"] == d], wanted, kind)
                      for d in divisors]  # fmt: skip
            if counts and not any(gap for _, _, gap in counts):
                shares[style, kind] = [count / number for count, number, _ in counts]
    plain = changes[changes["style"] == "SR-DC"]

    def answer(row: Any) -> Answer:
        less, more = (shares.get((style, row.kind)) for style in STYLES)
        if row.quantity == "immune":
            moved = plain.groupby(["campaign", "pair"])[row.kind].max()
            text = f"the order of {int(moved.sum())} of the {len(moved)} SR-DC pairs here changes"
            return ("no", text) if moved.sum() else (None, "")
        if row.quantity == "grows":
            by = plain.groupby("divisor")[row.kind].agg(["sum", "size"])
            text = ", ".join(f"{k}/{n}" for k, n in by.to_numpy()) or "none"
            text = f"divisors {' '.join(f'{d:g}' for d in divisors)}: {text}"
            rises = less and less == sorted(less) and less[-1] > less[0]
            return (_yes(rises), text) if less else (None, f"{text} in the pairs here")
        if less and more:
            return _yes(all(a > b for a, b in zip(more, less, strict=True))), ""
        return None, "the archives of the SR+DC campaigns are not here"

    return _compare(claims.published(PAPER, "Figure 1"), answer, run)


def _original_rankings(rankings: pd.DataFrame, machines: pd.DataFrame) -> pd.DataFrame:
    """Section 5.3 and the first columns of Figures 2 and 3: 2020 before any score is divided.

    From the judgments where they are here, else from the segment scores released of them.
    """
    rows = claims.published(PAPER, "Figure 2", "Section 5.3", "Figure 3")

    def answer(row: Any) -> Answer | None:
        for source, note in ((row.campaign, ""), (row.released, RELEASED)):
            whole, part = (
                table[(table["campaign"] == source) & (table.get("pair") == row.pair)]
                for table in (rankings, machines)
            )
            if len(whole) and len(part):
                return _of_original(row.quantity, whole, part, note)
        return None

    return _compare(rows[rows["divisor"] == "original"], answer, OFFICIAL)


def _of_original(quantity: str, whole: pd.DataFrame, machines: pd.DataFrame, note: str) -> Answer:
    """One number of a ranking and of the same ranking without human systems."""
    humans = sorted(set(whole["system"]) - set(machines["system"]))
    held = f"{note}, which hold {', '.join(humans)}" if note else ", ".join(humans)
    if quantity == "assessments":
        return f"{whole['judgments'].sum() / len(whole):.2f}", note
    if quantity == "humans":
        return _yes(len(humans) > 1), held
    if quantity == "relation":
        return relation(machines, "AFRL", "PROMT_NMT"), held
    if quantity == "alone":
        volc = _volctrans(whole["system"])
        top = set(machines.loc[machines["cluster"] == 1, "system"])
        return _yes(top == {volc}), "; ".join(filter(None, (note, volc)))
    names = [_system(whole["system"], name) for name in ("Online-A", "Online-G")]
    lines = [t.loc[t["system"].isin(names), "cluster"].nunique() > 1 for t in (whole, machines)]
    return _yes(lines[1] and not lines[0]), note
