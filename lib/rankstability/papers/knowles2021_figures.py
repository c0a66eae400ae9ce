"""Ledger rows of Knowles (2021), Figures 1 to 3 and section 5.3: printed beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..judgments import is_human
from ..rank.ranking import Ranking
from ..rank.systems import rank_systems
from ..read import campaigns
from ..score.da import from_segment_frame
from ..study import degradation
from . import claims
from .knowles2021 import (
    HOME,
    KINDS,
    SEGMENTS,
    Answer,
    Key,
    everywhere,
    fraction,
    included,
    ledger,
    number,
    other_settings,
    owned,
    yes,
)

if TYPE_CHECKING:
    from ..read.campaigns import Campaign


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
    return ledger(rows, answers, campaign, other_settings(settings))


def _figure_1(whole: pd.DataFrame, own: pd.DataFrame) -> dict[Key, Answer]:
    pairs, place = included(), "Figure 1"
    run = [d for d in degradation.DIVISORS if d in set(own["divisor"])]
    answers: dict[Key, Answer] = {}
    texts: dict[tuple[str, str], str] = {}
    values: dict[tuple[str, str], list[float]] = {}
    for style in ("SR-DC", "SR+DC"):
        wanted = pairs[pairs["style"] == style]
        for word, kind in KINDS.items():
            found = [fraction(whole[whole["divisor"] == d], wanted, kind) for d in run]
            part = whole[whole["style"] == style].groupby("divisor")[kind].agg(["sum", "count"])
            texts[style, word] = ", ".join(f"{r['sum']}/{r['count']}" for _, r in part.iterrows())
            if found and all(text is not None for text, _ in found):
                values[style, word] = [number(str(text)) for text, _ in found]
    for word in KINDS:
        key = (place, f"SR-DC | fraction with {word} change grows with the divisor")
        seen = values.get(("SR-DC", word))
        rises = bool(seen) and seen == sorted(seen or []) and seen[-1] > seen[0]
        text = f"divisors {' '.join(f'{d:g}' for d in run)}: {texts['SR-DC', word] or 'none'}"
        answers[key] = (yes(rises), text) if seen else (None, text + " in the pairs here")
        key = (place, f"SR+DC changes more than SR-DC at every divisor | {word}")
        both = [values.get((style, word)) for style in ("SR+DC", "SR-DC")]
        if all(both):
            answers[key] = (yes(all(a > b for a, b in zip(*both, strict=True))), "")
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
    humans = [s for s in whole.systems if is_human(s)]
    note = "from the released segment scores of 2020, which hold " + ", ".join(sorted(humans))
    start = "en-de 2020 | "
    answers["Figure 2", start + "human systems in the data, more than one"] = (
        yes(len(humans) > 1), note,
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
    humans = [s for s in ranking.systems if is_human(s)]
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
            yes(alone), note + f"; {volc}",
        ),
        ("Figure 3", start + "line between Online-A and Online-G appears without the human system"):
            (yes(separated(machines) and not separated(ranking)), note),
    }  # fmt: skip


def _case_study(rankings: pd.DataFrame) -> dict[Key, Answer]:
    """Section 5.3 from the rankings of a run on the 2020 judgments themselves."""
    answers: dict[Key, Answer] = {}
    for pair in ("en-de", "zh-en"):
        part = rankings[rankings["pair"] == pair]
        if part.empty:
            continue
        tables = {str(n).removeprefix("d-"): t.set_index("system")
                  for n, t in part.groupby("ranking", sort=False)}  # fmt: skip
        systems = list(tables["original"].index)
        if pair == "en-de":
            answers |= _en_de(tables, *(_name(systems, s) for s in
                                        ("AFRL", "PROMT_NMT", "Online-A")))  # fmt: skip
        else:
            volc = _name(systems, "VolcTrans") or _name(systems, "Huoshan_Translate")
            start = ("Figure 3", "zh-en 2020 | ")
            ranks = [int(t["rank"][volc]) for t in tables.values()]
            tops = [int((t["cluster"] == 1).sum()) for t in tables.values()]
            said = {
                "VolcTrans alone in the top cluster, original": ranks[0] == 1 and tops[0] == 1,
                "VolcTrans drops in rank with some divisor": max(ranks) > ranks[0],
                "the top cluster merges with the next with some divisor": max(tops) > tops[0],
            }
            answers |= {(start[0], start[1] + k): (yes(v), volc) for k, v in said.items()}
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
    answers["Figure 2", cell] = (yes(len(seen) == 4), "; ".join(sorted(seen)))
    return answers
