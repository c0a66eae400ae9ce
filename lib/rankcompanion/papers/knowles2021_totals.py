"""Knowles (2021): what is said of several campaigns, or answered by more than one release.

Sums and shares of numbers that are printed elsewhere are recomputed from the print where the data
do not answer, and their provenance says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pandas as pd
from scipy.stats import fisher_exact

from paperkit import claims
from paperkit.claims import yes

from ..divisor_degradation import DIVISORS
from ..outlier_removal import removal
from . import knowles2021_rows as base
from .knowles2021_rows import OFFICIAL, PAPER, Answer, compare


def across(tables: Callable[[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows over several campaigns, and of what more than one release may answer.

    Tables 1, 2 (all) and 3, the facts of Table 4, sections 3, 5 (the toy example), 5.1 to 5.3,
    Figure 1, and the first columns of Figures 2 and 3. `tables` as `claims` describes it.
    """
    changes = _of_the_paper(tables("02_outlier_removal", "changes"), "removed")
    divided = _of_the_paper(tables("03_divisor_degradation", "changes"), "divisor")
    divided = divided[divided["divisor"].isin(DIVISORS)]
    workers = tables("02_outlier_removal", "workers")
    rows = claims.published(PAPER, "Section 5.1")
    parts = [
        _toy_example(),
        _facts(tables("catalogue", "pairs")),
        _table_1(tables("01_replication", "type_counts"), tables("01_replication", "run")),
        _removal_totals(changes, _runs(tables("02_outlier_removal", "run"))),
        base.percentages(rows[rows["campaign"].str.contains(" ")], workers, OFFICIAL),
        _figure_1(divided, _runs(tables("03_divisor_degradation", "run"))),
        _original_rankings(*(tables("01_replication", name) for name in ("ranking", "machines"))),
    ]
    return pd.concat(parts, ignore_index=True)


def _runs(runs: pd.DataFrame) -> dict[str, Any]:
    """Settings and provenance of several campaigns' runs together: what is unusual in any."""
    runs = runs[runs["campaign"].isin(base.included()["campaign"])]
    rebuilt = len(runs) and runs["provenance"].eq("rebuilt from z").any()
    settings: dict[str, Any] = {"provenance": "rebuilt from z" if rebuilt else "official"}
    settings["absent"] = "official"  # what a row that needs more than is here waits for
    for name, usual in base.SETTINGS.items():
        other = [value for value in runs.get(name, ()) if value != usual]
        settings |= {name: other[0]} if other else {}
    return settings


def _of_the_paper(changes: pd.DataFrame, what: str) -> pd.DataFrame:
    """The paper's 46 pairs of `changes`, with style and judged as its Table 4 has them."""
    key = ["campaign", "pair"]
    table = changes.reindex(columns=[*key, what, *base.KINDS])
    return table.astype(dict.fromkeys(key, object)).merge(base.included(), on=key)


def _toy_example() -> pd.DataFrame:
    toy = removal.toy_example().set_index("hit")["z_of_50"]

    def answer(row: Any) -> Answer:
        weak = f"{claims.WEAK} 0 by symmetry, whatever the ddof; " if not toy[row.hit] else ""
        return Answer(float(round(toy[row.hit], 4)), f"{weak}standard deviation with ddof = 1")

    return compare(claims.published(PAPER, "Section 5"), answer, {"provenance": base.PRINT})


def _facts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Table 4's style, tool and judging, as the catalogue has them."""
    rows = claims.published(PAPER, "Table 4")
    rows = rows[rows["quantity"].isin(["style", "tool", "judged"]) & (rows["campaign"] != "")]
    letter = {word: letter for letter, word in base.JUDGED.items()}
    known = {} if pairs.empty else pairs.set_index(["campaign", "pair"]).to_dict("index")

    def answer(row: Any) -> Answer | None:
        entry = known.get((row.campaign, row.pair))
        value = entry[row.quantity] if entry else None
        return Answer(letter.get(value, value), base.FACT) if value else None

    return compare(rows, answer, OFFICIAL, fact=True)


def _table_1(counts: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Table 1: rows of each type in ``ad-good-raw-redup`` over all pairs.

    The sum of SYSTEM and REPEAT also where only averages and their numbers of judgments were
    released; reference rows of 2020 are ``HUMAN`` there.
    """
    provenance = dict(zip(runs["campaign"], runs.get("provenance", ()), strict=False))

    def answer(row: Any) -> Answer | None:
        for source, note in ((row.campaign, ""), (row.released, base.RELEASED)):
            part = counts[counts["campaign"] == source]
            if len(part):
                part = part[part["pair"].isin(base.pairs_of(row.campaign))]
                return _type_total(part, row, note)._replace(provenance=provenance.get(source))
        return None

    rows = claims.published(PAPER, "Table 1")
    return compare(rows[rows["campaign"] != ""], answer, OFFICIAL)


def _type_total(counts: pd.DataFrame, row: Any, note: str) -> Answer:
    """The rows of one type, or of both that make averages, in all pairs of a campaign."""
    if row.kind == base.BOTH_TYPES:
        used = counts[counts["file"] != "ad-latest"]
        total = int(used[["SYSTEM", "REPEAT"]].to_numpy().sum())
        official = ", ".join(used.loc[used["file"] == "official ranking", "pair"])
        note = note or (f"{official} from its official counts" if official else "")
        note += base.LONGER if str(total) != row.published else ""
    else:
        judged = counts["file"] == "ad-good-raw-redup"
        released = (counts["file"] == "segment scores") & (counts["REF"] > 0)
        used = counts[judged | released if row.kind == "REF" else judged]
        total = int(used[row.kind].sum())
        note = f"the rows of HUMAN, {note}" if note else ""
    if used.empty:
        return Answer(None, f"{base.NOT_HERE}; released segment scores do not tell types")
    gap = base.absent_pairs(row.campaign, used["pair"])
    short = f"{total} rows in the {len(used)} pairs here; {gap} is absent"
    return Answer(None, short) if gap else Answer(total, note)


def _removal_totals(changes: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Table 2 (all), Table 3, section 3's numbers of pairs, section 5.2.

    What follows from the rows of Table 2 is recomputed from these while pairs are absent.
    """
    rows = base.rows_of("", "Section 3", "Table 2", "Table 3", "Section 5.2")
    pairs, printed = base.included(), _printed_tallies()
    parts = {name: changes[changes["removed"] == (name or "ref")] for name in set(rows["removed"])}
    tallies = {name: _tallies(part, pairs) for name, part in parts.items()}

    def answer(row: Any) -> Answer:
        if row.quantity == "ref_alone_similar":
            return _reference_alone(changes, len(pairs))
        if row.quantity == "judging_similar":
            return _similar_judging(parts[row.removed], pairs)
        here = tallies[row.removed]
        if row.quantity == "changed":
            found = here[row.style, row.kind].beside(row.published)
            if found.ours is not None or row.place == "Table 3":
                return found
        asked = [key for key in here if row.style in ("", key[0]) and row.kind in ("", key[1])]
        absent = {pair for key in asked for pair in here[key].absent}
        if not absent:
            return _said(row, here)
        gap = here[asked[0]].gap if len(asked) == 1 else f"{len(absent)} pairs are absent"
        said = _said(row, printed)
        why = base.joined(said.reason, "from the rows of Table 2", gap)
        return Answer(said.ours, why, base.PRINT)

    return compare(rows, answer, run)


def _tallies(changes: pd.DataFrame, pairs: pd.DataFrame) -> dict[tuple[str, str], base.Count]:
    """By style and kind of change: how many pairs changed."""
    return {
        (style, kind): base.count_changed(changes, pairs[pairs["style"] == style], kind)
        for style, kind in product(base.STYLES, base.KINDS)
    }


def _printed_tallies() -> dict[tuple[str, str], base.Count]:
    """The same, added up from the rows of Table 2 by year and tool."""
    rows = claims.published(PAPER, "Table 2")
    rows = rows[rows["campaign"] != ""]
    numbers = rows["published"].str.split("/", expand=True).astype(int)
    sums = numbers.groupby([rows["style"], rows["kind"]]).sum()
    return {key: base.Count(int(k), int(n)) for key, (k, n) in sums.iterrows()}


def _said(row: Any, tallies: Mapping[tuple[str, str], base.Count]) -> Answer:
    """What Table 2, section 3 or section 5.2 says of all pairs of a style, or of both styles."""
    share = {key: tally.share for key, tally in tallies.items()}
    if row.quantity == "rank_most_common":
        rank, others = "d_rank", ("d_cluster", "d_both")
        return Answer(yes(all(share[s, rank] > share[s, k] for s in base.STYLES for k in others)))
    if row.quantity == "more_in_SR+DC":
        return Answer(yes(all(share["SR+DC", kind] > share["SR-DC", kind] for kind in base.KINDS)))
    tally = tallies[row.style, row.kind or "d_rank"]
    answers = {
        "changed": Answer(tally.fraction),
        "pairs": Answer(tally.here),
        "changed_percent": Answer(f"{100 * tally.share:.4g}%", tally.fraction),
    }
    return answers.get(row.quantity) or Answer(yes(tally.share < 0.05), tally.fraction)


def _reference_alone(changes: pd.DataFrame, number: int) -> Answer:
    """Similar: each count of rankings differs by at most a tenth of the pairs."""
    parts = {name: changes[changes["removed"] == name] for name in ("human+ref", "ref")}
    sums = {name: [int(part[kind].sum()) for kind in base.KINDS] for name, part in parts.items()}
    size = len(parts["ref"])
    text = f"{size} pairs: human and REF {sums['human+ref']}, REF alone {sums['ref']}"
    text += " (rank, cluster, both)"
    gaps = [abs(a - b) for a, b in zip(*sums.values(), strict=True)]
    return Answer(yes(max(gaps) <= size / 10) if size == number else None, text)


def _similar_judging(human: pd.DataFrame, pairs: pd.DataFrame) -> Answer:
    """Similar: Fisher's exact test finds no difference in any kind of change at .05."""
    number = int((pairs["style"] == "SR+DC").sum())
    document = human[human["style"] == "SR+DC"]
    if len(document) < number:
        return Answer(None, f"needs all {number} SR+DC pairs")
    texts, smallest = [], 1.0
    for kind, word in base.KINDS.items():
        by = document.groupby("judged")[kind].agg(["sum", "size"]).loc[["bilingual", "monolingual"]]
        smallest = min(smallest, float(fisher_exact([[k, n - k] for k, n in by.to_numpy()]).pvalue))
        texts.append(f"{word} bilingual {by['sum'].iloc[0]}, monolingual {by['sum'].iloc[1]}")
    why = "; ".join(texts) + f"; smallest Fisher p {smallest:.2f}"
    return Answer(yes(smallest > 0.05), why)


def _figure_1(changes: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figure 1: shares of pairs changed by divisor."""
    pairs = base.included()
    divisors = sorted(set(changes["divisor"]))
    tallies = [_tallies(changes[changes["divisor"] == d], pairs) for d in divisors]
    plain = changes[changes["style"] == "SR-DC"]

    def answer(row: Any) -> Answer:
        less, more = ([tally[style, row.kind] for tally in tallies] for style in base.STYLES)
        whole = bool(tallies) and not any(count.absent for count in less)
        shares = [count.share for count in less]
        if row.quantity == "immune":
            moved = plain.groupby(["campaign", "pair"])[row.kind].max()
            text = f"the order of {int(moved.sum())} of the {len(moved)} SR-DC pairs here changes"
            return Answer("no", text) if moved.sum() else Answer()
        if row.quantity == "grows":
            text = ", ".join(count.fraction for count in less if count.here) or "none"
            text = f"divisors {' '.join(f'{d:g}' for d in divisors)}: {text}"
            rises = whole and shares == sorted(shares) and shares[-1] > shares[0]
            return Answer(yes(rises), text) if whole else Answer(None, f"{text} in the pairs here")
        if whole and not any(count.absent for count in more):
            return Answer(yes(all(m.share > s for m, s in zip(more, shares, strict=True))))
        return Answer(None, "the archives of the SR+DC campaigns are not here")

    return compare(claims.published(PAPER, "Figure 1"), answer, run)


def _original_rankings(rankings: pd.DataFrame, machines: pd.DataFrame) -> pd.DataFrame:
    """Section 5.3 and the first columns of Figures 2 and 3: 2020 before any score is divided.

    From the judgments where they are here, else from the segment scores released of them.
    """
    rows = claims.published(PAPER, "Figure 2", "Section 5.3", "Figure 3")

    def answer(row: Any) -> Answer | None:
        for source, note in ((row.campaign, ""), (row.released, base.RELEASED)):
            whole, part = (
                table[(table["campaign"] == source) & (table.get("pair") == row.pair)]
                for table in (rankings, machines)
            )
            if len(whole) and len(part):
                return _of_original(row.quantity, whole, part, note)
        return None

    return compare(rows[rows["divisor"] == "original"], answer, OFFICIAL)


def _of_original(quantity: str, whole: pd.DataFrame, machines: pd.DataFrame, note: str) -> Answer:
    """One number of a ranking and of the same ranking without human systems."""
    humans = sorted(set(whole["system"]) - set(machines["system"]))
    held = f"{note}, which hold {', '.join(humans)}" if note else ", ".join(humans)
    if quantity == "assessments":
        return Answer(f"{whole['judgments'].sum() / len(whole):.2f}", note)
    if quantity == "humans":
        return Answer(yes(len(humans) > 1), f"{claims.WEAK} the names in the files; {held}")
    if quantity == "relation":
        return Answer(base.relation(machines, "AFRL", "PROMT_NMT"), held)
    if quantity == "alone":
        volc = base.volctrans(whole["system"])
        top = set(machines.loc[machines["cluster"] == 1, "system"])
        return Answer(yes(top == {volc}), base.joined(note, volc))
    names = [base.system_named(whole["system"], name) for name in ("Online-A", "Online-G")]
    lines = [t.loc[t["system"].isin(names), "cluster"].nunique() > 1 for t in (whole, machines)]
    return Answer(yes(lines[1] and not lines[0]), note)
