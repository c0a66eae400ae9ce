"""Ledger rows of Knowles (2021), Tables 2 and 3, Figures 1 to 3, section 5: printed beside ours.

A row about one campaign is answered by that campaign's run where its data are here; rows over
several campaigns, and rows whose data are absent, by the run of `HOME`, which reads whichever of
the paper's campaigns are here. Counts over campaigns of which pairs are absent have the status
``no data``, and the reason says what the pairs here give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from . import campaigns, claims, degradation, removal
from .direct_assessment import from_segment_frame, rank_systems
from .perturb import HUMAN
from .ranking import Ranking

if TYPE_CHECKING:
    from .campaigns import Campaign

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

    keep = [owner(row) == campaign.name for row in rows.itertuples(index=False)]
    return rows[keep].reset_index(drop=True)


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


def _ledger(
    rows: pd.DataFrame, answers: dict[Key, Answer], campaign: Campaign, settings: str
) -> pd.DataFrame:
    """Rows compared, with the reasons; toy values are recomputed from print."""
    ours = {key: value for key, (value, _) in answers.items()}
    reasons = {key: reason for key, (_, reason) in answers.items() if reason}
    if settings:
        reasons = {key: "; ".join(filter(None, (reasons.get(key), settings))) for key in ours}
    data = "rebuilt from z" if campaign.rebuilt else "official"
    toy = rows["place"] == "Section 5"
    parts = [
        claims.compare(
            part, ours, provenance=name, reasons=reasons, no_data="the archive is not here"
        )
        for part, name in ((rows[~toy], data), (rows[toy], "recomputed from print"))
        if len(part)
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=claims.COLUMNS)


def _other_settings(settings: dict[str, Any]) -> str:
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
    named = changes[changes["removed"].astype(str).isin(removal.SETS)]
    whole = everywhere(campaign, named, removal.campaign_changes)
    pairs = included()
    by = {name: whole[whole["removed"] == name] for name in removal.SETS}
    answers: dict[Key, Answer] = {}
    for row in rows.itertuples(index=False):
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
    return _ledger(rows, answers, campaign, _other_settings(settings))


def _statement(cell: str, by: dict[str, pd.DataFrame], pairs: pd.DataFrame) -> Answer:
    """The sentences of section 5.2 that can be true or false; only with all 46 pairs."""
    human = by["human+ref"]
    counts = {
        (style, kind): fraction(human, pairs[pairs["style"] == style], kind)
        for style in ("SR-DC", "SR+DC")
        for kind in KINDS.values()
    }
    value = {key: _number(text) for key, (text, _) in counts.items() if text is not None}
    if "32%" in cell or cell.startswith("SR+DC | rankings with changes in both"):
        text, reason = counts["SR+DC", "d_both"]
        return (None, reason) if text is None else (f"{100 * _number(text):.4g}%", text)
    if cell.startswith("SR-DC | rankings with cluster"):
        text, reason = counts["SR-DC", "d_cluster"]
        return (None, reason) if text is None else (_yes(_number(text) < 0.05), text)
    if cell.startswith("SR+DC | similar rates"):
        return _similar_judging(human, pairs)
    if cell.startswith("REF alone"):
        return _reference_alone(by, pairs)
    if len(value) < len(counts):
        return None, "; ".join(dict.fromkeys(r for _, r in counts.values() if r))
    if "most common" in cell:
        return _yes(all(value[s, "d_rank"] > value[s, k] for s in ("SR-DC", "SR+DC")
                        for k in ("d_cluster", "d_both"))), ""  # fmt: skip
    return _yes(all(value["SR+DC", k] > value["SR-DC", k] for k in KINDS.values())), ""


def _number(text: str) -> float:
    count, _, size = text.partition("/")
    return int(count) / int(size)


def _yes(value: bool) -> str:
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
    return _yes(max(gaps) <= size / 10), text


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
    return _yes(smallest > 0.05), "; ".join(texts) + f"; smallest Fisher p {smallest:.2f}"


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
    for row in rows.itertuples(index=False):
        key = (row.place, row.cell)
        if row.campaign != campaign.name:
            continue
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


# ---------------------------------------------------------------- degradation


def degradation_claims(
    campaign: Campaign, changes: pd.DataFrame, rankings: pd.DataFrame, settings: dict[str, Any]
) -> pd.DataFrame:
    """Figures 1 to 3 and the numbers of section 5.3.

    Parameters
    ----------
    changes : DataFrame
        All pairs' ``changes`` of 03.
    rankings : DataFrame
        All pairs' ``ranks`` of 03: `degradation.rankings_table` with the pair.
    settings : dict
        As for `removal_claims`.
    """
    rows = owned(campaign, "Figure 1", "Figure 2", "Figure 3", "Section 5.3")
    if rows.empty:
        return pd.DataFrame(columns=claims.COLUMNS)
    whole = everywhere(campaign, changes, degradation.campaign_changes)
    whole = whole[whole["divisor"].isin(degradation.DIVISORS)]
    answers = _figure_1(whole, changes)
    if campaign.name == HOME and SEGMENTS in {c.name for c in campaigns.present()}:
        answers |= _released_2020()
    if campaign.name.startswith("wmt20"):
        answers |= _case_study(rankings)
    return _ledger(rows, answers, campaign, _other_settings(settings))


def _figure_1(whole: pd.DataFrame, own: pd.DataFrame) -> dict[Key, Answer]:
    pairs, place = included(), "Figure 1"
    run = [d for d in degradation.DIVISORS if d in set(own["divisor"])]
    answers: dict[Key, Answer] = {
        (place, "divisors"): (" ".join(f"{d:g}" for d in run), ""),
    }
    texts: dict[tuple[str, str], str] = {}
    values: dict[tuple[str, str], list[float]] = {}
    for style in ("SR-DC", "SR+DC"):
        wanted = pairs[pairs["style"] == style]
        for word, kind in KINDS.items():
            found = [fraction(whole[whole["divisor"] == d], wanted, kind) for d in run]
            part = whole[whole["style"] == style].groupby("divisor")[kind].agg(["sum", "count"])
            texts[style, word] = ", ".join(f"{r['sum']}/{r['count']}" for _, r in part.iterrows())
            if found and all(text is not None for text, _ in found):
                values[style, word] = [_number(str(text)) for text, _ in found]
    for word in KINDS:
        key = (place, f"SR-DC | fraction with {word} change grows with the divisor")
        seen = values.get(("SR-DC", word))
        rises = bool(seen) and seen == sorted(seen or []) and seen[-1] > seen[0]  # type: ignore[index]
        text = f"divisors {' '.join(f'{d:g}' for d in run)}: {texts['SR-DC', word] or 'none'}"
        answers[key] = (_yes(rises), text) if seen else (None, text + " in the pairs here")
        key = (place, f"SR+DC changes more than SR-DC at every divisor | {word}")
        both = [values.get((style, word)) for style in ("SR+DC", "SR-DC")]
        if all(both):
            answers[key] = (_yes(all(a > b for a, b in zip(*both, strict=True))), "")  # type: ignore[arg-type]
        else:
            answers[key] = (None, "the archives of the SR+DC campaigns are not here")
    changed = whole[(whole["style"] == "SR-DC") & (whole["d_rank"] == 1)]["pair"].nunique()
    seen_pairs = whole[whole["style"] == "SR-DC"].groupby("campaign")["pair"].nunique().sum()
    answers[place, "SR-DC is immune to degradation"] = (
        ("no", f"the order of {changed} of the {seen_pairs} SR-DC pairs here changes")
        if changed
        else (None, "")
    )
    return answers


def _name(systems: Any, prefix: str) -> str:
    """The one system whose id begins so, whatever number follows; empty where there is none."""
    found = [s for s in systems if s.partition(".")[0].lower() == prefix.lower()]
    return found[0] if len(found) == 1 else ""


def _released_2020() -> dict[Key, Answer]:
    """What released segment scores of 2020 can say: the original rankings, no perturbation."""
    campaign = campaigns.find(SEGMENTS)
    found: dict[str, Ranking] = {}
    answers: dict[Key, Answer] = {}
    for pair in ("en-de", "zh-en"):
        if pair not in campaign.pairs:
            return answers
        frame = campaigns.load_segment_scores(campaign, pair)
        found[pair] = rank_systems(from_segment_frame(frame))
        each = frame["n"].sum() / frame["system"].nunique()
        note = "from the released segment scores of 2020"
        answers["Section 5.3", f"{pair} 2020 | assessments per system"] = (f"{each:.2f}", note)
    whole = found["en-de"]
    humans = [s for s in whole.systems if HUMAN.search(s)]
    note = "from the released segment scores of 2020, which hold " + ", ".join(sorted(humans))
    start = "en-de 2020 | "
    answers["Figure 2", start + "human systems in the data, more than one"] = (
        _yes(len(humans) > 1), note,
    )  # fmt: skip
    one, other = (_name(whole.systems, s) for s in ("AFRL", "PROMT_NMT"))
    if one and other:
        said = degradation.relation(whole.without(humans), one, other)
        said = said.replace(one, "AFRL").replace(other, "PROMT_NMT")
        answers["Figure 2", start + "AFRL and PROMT_NMT, original"] = (said, note)
    answers |= _original_zh_en(found["zh-en"], "from the released segment scores of 2020")
    return answers


def _original_zh_en(ranking: Ranking, note: str) -> dict[Key, Answer]:
    """Figure 3's first column; VolcTrans is Huoshan_Translate in the data."""
    humans = [s for s in ranking.systems if HUMAN.search(s)]
    machines = ranking.without(humans)
    volc = _name(ranking.systems, "VolcTrans") or _name(ranking.systems, "Huoshan_Translate")
    upper, lower = (_name(ranking.systems, s) for s in ("Online-A", "Online-G"))

    def separated(r: Ranking) -> bool:
        cluster = r.table.set_index("system")["cluster"]
        return bool(cluster[upper] != cluster[lower])

    alone = machines.clusters[0] == {volc}
    start = "zh-en 2020 | "
    return {
        ("Figure 3", start + "VolcTrans alone in the top cluster, original"): (
            _yes(alone), note + f"; {volc}",
        ),
        ("Figure 3", start + "line between Online-A and Online-G appears without the human system"):
            (_yes(separated(machines) and not separated(ranking)), note),
    }  # fmt: skip


def _case_study(rankings: pd.DataFrame) -> dict[Key, Answer]:
    """Section 5.3 from the rankings of a run on the 2020 judgments themselves."""
    answers: dict[Key, Answer] = {}
    for pair in ("en-de", "zh-en"):
        part = rankings[rankings["pair"] == pair]
        if part.empty:
            continue
        tables = {n.removeprefix("d-"): t.set_index("system")
                  for n, t in part.groupby("ranking", sort=False)}  # fmt: skip
        systems = list(tables["original"].index)
        if pair == "en-de":
            answers |= _en_de(tables, *(_name(systems, s) for s in
                                        ("AFRL", "PROMT_NMT", "Online-A")))  # fmt: skip
        else:
            volc = _name(systems, "VolcTrans") or _name(systems, "Huoshan_Translate")
            start = ("Figure 3", "zh-en 2020 | ")
            ranks = [int(t.loc[volc, "rank"]) for t in tables.values()]
            tops = [int((t["cluster"] == 1).sum()) for t in tables.values()]
            said = {
                "VolcTrans alone in the top cluster, original": ranks[0] == 1 and tops[0] == 1,
                "VolcTrans drops in rank with some divisor": max(ranks) > ranks[0],
                "the top cluster merges with the next with some divisor": max(tops) > tops[0],
            }
            answers |= {(start[0], start[1] + k): (_yes(v), volc) for k, v in said.items()}
    return answers


def _en_de(
    tables: dict[str, pd.DataFrame], afrl: str, promt: str, online: str
) -> dict[Key, Answer]:
    def relation(table: pd.DataFrame, one: str, other: str) -> str:
        two = table.loc[[one, other]]
        higher = str(two["rank"].idxmin()).partition(".")[0]
        same = two["cluster"].nunique() == 1
        return f"same cluster, {higher} higher" if same else f"{higher} in a higher cluster"

    answers: dict[Key, Answer] = {}
    start = "en-de 2020 | "
    for name, table in tables.items():
        label = name if name == "original" else f"divisor {name}"
        said = relation(table, afrl, promt)
        answers["Figure 2", f"{start}AFRL and PROMT_NMT, {label}"] = (said, "")
    seen = {relation(t, promt, online) for t in tables.values()}
    cell = start + "PROMT_NMT and Online-A take every relation of rank and cluster"
    answers["Figure 2", cell] = (_yes(len(seen) == 4), "; ".join(sorted(seen)))
    return answers
