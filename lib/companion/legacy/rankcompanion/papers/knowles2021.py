"""Knowles (2021), "On the Stability of System Rankings at WMT": its numbers next to ours.

A run answers the rows of its own campaign (`replication_claims` and so on, one for each of
notebooks 01 to 05), `across` those over several campaigns, or from more than one release. A row
about pairs of which some are absent has no data; its reason says what the pairs here give, and
whether that is consistent so far. Sums of printed numbers are then recomputed from the print.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import pandas as pd
from scipy.stats import fisher_exact

from companion.legacy.paperkit import claims
from companion.legacy.paperkit.claims import yes

from ..notebooks.outlier_removal import toy_example

PAPER = "knowles2021"
KEYS = [
    "place",
    "campaign",
    "pair",
    "quantity",
    "kind",
    "style",
    "removed",
    "divisor",
    "hit",
]
PAIR = ["campaign", "pair"]
KINDS = ["d_rank", "d_cluster", "d_both"]
STYLES = ("SR-DC", "SR+DC")
SETTINGS = {
    "test": "scipy<1.7",
    "rule": "knowles",
    "alpha": 0.05,
}  # the paper's
JUDGED = {"M": "monolingual", "B": "bilingual"}
ALMOST_ALL = 0.9  # the share of HITs that is taken for "almost all"
NOT_HERE = "the archive is not here"
RELEASED = "from the released segment scores of 2020"
LONGER = (
    "; why they differ is not known (en-iu was collected for longer: Table 4)"
)
NO_WORKERS = (
    "only released segment scores are here: no workers, no official clusters"
)
REBUILT = "the raw scores here were rebuilt from the released z-scores"
OFFICIAL = {"provenance": "official"}
PRINT = {"provenance": "recomputed from print"}


class Answer(NamedTuple):
    """Our value (None: no data), the reason, and the value's provenance if it is not the run's."""

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
        """The share of the pairs here that changed."""
        return self.changed / max(self.here, 1)

    @property
    def fraction(self) -> str:
        """The number of pairs that changed, of those here, such as ``1/13``."""
        return f"{self.changed}/{self.here}"

    @property
    def gap(self) -> str:
        """What the pairs here give, and which are missing; empty if none is."""
        if not self.absent or not self.here:
            return NOT_HERE if self.absent else ""
        one = len(self.absent) == 1
        missing = (
            f"{self.absent[0]} is" if one else f"{len(self.absent)} pairs are"
        )
        return f"{self.fraction} in the pairs here; {missing} absent"

    def beside(self, printed: str) -> Answer:
        """``k/n`` if all pairs are here, or if those here contradict the print; else no data."""
        more = int(printed.partition("/")[0]) - self.changed
        if self.absent and 0 <= more <= len(self.absent):
            return Answer(
                None, self.gap.replace("here;", "here, consistent so far;")
            )
        return Answer(self.fraction, self.gap)


def included(campaign: str = "") -> pd.DataFrame:
    """The 46 pairs of the paper's analyses, or those of one campaign, from its Table 4.

    Columns: campaign, pair, style (``SR-DC``, ``SR+DC``), judged (``monolingual``, ``bilingual``).
    """
    rows = claims.published(PAPER, "Table 4")
    rows = rows[
        (rows["used"] == "yes") & rows["quantity"].isin(["style", "judged"])
    ]
    cells = rows.set_index([*PAIR, "quantity"])["published"].unstack(
        sort=False
    )
    frame = (
        cells.replace({"judged": JUDGED})
        .reset_index()
        .rename_axis(columns=None)
    )
    return frame[frame["campaign"] == campaign] if campaign else frame


def absent_pairs(campaign: str, pairs: Iterable[str]) -> str:
    """The campaign's pairs in Table 4, used or not, that are not among `pairs`."""
    return ", ".join(
        sorted(set(rows_of(campaign, "Table 4")["pair"]) - set(pairs))
    )


def rows_of(campaign: str, *places: str) -> pd.DataFrame:
    """The published rows about one campaign; for an empty name, those about several."""
    rows = claims.published(PAPER, *places)
    return rows[rows["campaign"] == campaign]


def compare(
    rows: pd.DataFrame,
    answer: Callable[[Any], Answer | None],
    run: Mapping[str, Any],
) -> pd.DataFrame:
    """Ledger rows for the published `rows`, from what `answer` returns for each (None: no data).

    If the `run` had other settings than the paper, the reasons say so.
    """
    other = "; ".join(
        f"with {name} {run[name]}, not the paper's {usual}"
        for name, usual in SETTINGS.items()
        if run.get(name, usual) != usual
    )
    found = [answer(row) or Answer() for row in rows.itertuples()]
    ours = rows[KEYS].assign(
        ours=pd.Series([a.ours for a in found], rows.index, dtype=object),
        reason=[
            joined(a.reason, other if a.reason or a.ours else "")
            for a in found
        ],
        provenance=[
            a.provenance or (run.get("absent") if a.ours is None else None)
            for a in found
        ],
    )
    return claims.compare(rows, ours, KEYS, provenance=run["provenance"])


def joined(*reasons: str) -> str:
    """The reasons that are not empty, joined by semicolons."""
    return "; ".join(filter(None, reasons))


def so_far(
    value: Any, printed: str, number: int, absent: str, how: str = ""
) -> Answer:
    """`value` if all pairs are here; while some are absent, it is mentioned in the reason only."""
    if not absent:
        return Answer(value, how)
    fits = (
        "consistent"
        if claims.status(printed, value) == "exact"
        else "not as printed"
    )
    here = (
        f"{value} in the {number} pairs here, {fits} so far; {absent} absent"
    )
    return Answer(None, joined(how, here))


def replication_claims(
    agreement: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Table 4 (appendix A): which rankings are reproduced, with clusters by the paper's line rule.

    `agreement` is notebook 01's table ``verdict``; `run` has the run's campaign and settings.
    """
    rows = claims.published(PAPER, "Table 4")
    about = (rows[["campaign", "released"]] == run["campaign"]).any(axis=1)
    about &= rows["pair"].isin(agreement["pair"]) & (
        rows["quantity"] == "replicated"
    )
    by_pair = agreement.set_index("pair").drop(columns="systems")
    how = REBUILT if run["provenance"] == "rebuilt from z" else ""
    answer = partial(
        _replicated, by_pair=by_pair, campaign=str(run["campaign"]), how=how
    )
    return compare(rows[about], answer, run)


def _replicated(
    row: Any, by_pair: pd.DataFrame, campaign: str, how: str
) -> Answer | None:
    """Whether the ranking of a row's pair came out, from the checks of `campaign`.

    `how` is what a reason adds: on which judgments.
    """
    checks = by_pair.loc[row.pair].dropna()
    workers = row.campaign == campaign
    if not len(checks):
        return None
    same = bool(
        (checks.drop("same_clusters_official", errors="ignore") == 1).all()
    )
    reason = "; ".join(
        f"{name}: {yes(value == 1)}" for name, value in checks.items()
    )
    if same:
        told = row.published != "✓" or not workers
        reason = (
            "order, means and counts equal the official file here"
            if told
            else ""
        )
    if not workers:
        return Answer(None, joined(reason, NO_WORKERS))
    return Answer("✓" if same else "differs", joined(reason, how))


def removal_claims(
    changes: pd.DataFrame, workers: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """The campaign's rows of Table 2 and section 5.1, from notebook 02's tables of all pairs."""
    campaign = str(run["campaign"])
    changes, workers = (
        table.assign(campaign=campaign) for table in (changes, workers)
    )
    pairs = included(campaign)
    answer = partial(_changed, changes=changes, pairs=pairs)
    table_2 = compare(rows_of(campaign, "Table 2"), answer, run)
    percents = percentages(rows_of(campaign, "Section 5.1"), workers, run)
    return pd.concat([table_2, percents], ignore_index=True)


def _changed(row: Any, changes: pd.DataFrame, pairs: pd.DataFrame) -> Answer:
    """How many pairs changed when a row's systems were removed."""
    part = changes[changes["removed"] == row.removed]
    return count_changed(part, pairs, row.kind).beside(row.published)


def count_changed(
    changes: pd.DataFrame, pairs: pd.DataFrame, kind: str
) -> Count:
    """How many of the paper's `pairs` changed, and which of them are not in `changes`."""
    seen = pairs[PAIR].merge(changes, "left", indicator=True)
    here = seen["_merge"] == "both"
    absent = seen.loc[~here, "pair"] + " of " + seen.loc[~here, "campaign"]
    return Count(
        int(seen.loc[here, kind].sum()), int(here.sum()), tuple(absent)
    )


def percentages(
    rows: pd.DataFrame, workers: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Section 5.1: percentages of workers who judged references or human systems.

    A row may be about two campaigns.
    """
    return compare(rows, partial(_percentage, workers=workers), run)


def _percentage(row: Any, workers: pd.DataFrame) -> Answer | None:
    """The share of workers, or the pairs where it is least or highest, that a row asks for."""
    names = row.campaign.split()
    table = workers[workers["campaign"].isin(names)]
    if table.empty or (row.pair and row.pair not in set(table["pair"])):
        return None
    table = table.set_index("pair")
    if row.quantity == "percent":
        return Answer(f"{table.loc[row.pair, row.kind]:.2f}%")
    share = table[row.kind or "ref_percent"]
    value = {
        "least_percent": f"{share.min():.4g}%",
        "three_lowest": ", ".join(share.nsmallest(3).index),
        "highest": str(share.idxmax()),
    }.get(row.quantity)
    if value is None:  # workers with any
        value = str(int(table[["ref", "bad_ref"]].to_numpy().sum()))
    here = [set(table.index[table["campaign"] == name]) for name in names]
    gaps = map(absent_pairs, names, here)
    return so_far(
        value, row.published, len(table), ", ".join(filter(None, gaps))
    )


def degradation_claims(
    ranks: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Figures 2 and 3: the relations between systems when human scores are divided.

    `ranks` is the table of notebook 03 for all pairs: pair, ranking, rank, system, cluster.
    """
    rows = rows_of(run["campaign"], "Figure 2", "Figure 3")
    return compare(
        rows[rows["divisor"] != "original"],
        partial(_divided, ranks=ranks),
        run,
    )


def _divided(row: Any, ranks: pd.DataFrame) -> Answer | None:
    """How two systems stand to each other, or where one stands, at a row's divisor."""
    part = ranks[ranks["pair"] == row.pair]
    names = part["ranking"].astype(str).str.removeprefix("d-")
    tables = dict(list(part.groupby(names, sort=False)))
    if not tables or row.divisor not in {*tables, "all"}:
        return None
    if row.quantity == "relation":
        return Answer(relation(tables[row.divisor], "AFRL", "PROMT_NMT"))
    if row.quantity == "every_relation":
        seen = {
            relation(table, "PROMT_NMT", "Online-A")
            for table in tables.values()
        }
        return Answer(yes(len(seen) == 4), "; ".join(sorted(seen)))
    volc = volctrans(part["system"].drop_duplicates())
    numbers = [int((t["cluster"] == 1).sum()) for t in tables.values()]
    if row.quantity == "drops":
        numbers = [
            int(t.loc[t["system"] == volc, "rank"].iloc[0])
            for t in tables.values()
        ]
    return Answer(yes(max(numbers) > numbers[0]), volc)


def relation(table: pd.DataFrame, one: str, other: str) -> str:
    """The relation between two systems in a ranking, in the paper's words.

    `table` has system, rank, cluster; the names need not include the numbers in system ids.
    """
    ids = {system_named(table["system"], name): name for name in (one, other)}
    two = table[table["system"].isin(ids)].set_index("system")
    higher = ids[str(two["rank"].idxmin())]
    same = two["cluster"].nunique() == 1
    return (
        f"same cluster, {higher} higher"
        if same
        else f"{higher} in a higher cluster"
    )


def system_named(systems: pd.Series, name: str) -> str:
    """The one system with this name and any number; empty if there is none, or several."""
    ids = [s for s in systems if s.partition(".")[0].lower() == name.lower()]
    return ids[0] if len(ids) == 1 else ""


def volctrans(systems: pd.Series) -> str:
    """The id of VolcTrans, which is called Huoshan_Translate in the data."""
    return system_named(systems, "VolcTrans") or system_named(
        systems, "Huoshan_Translate"
    )


def cooccurrence_claims(
    balance: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Figure 4: how many HITs hold every system, from the table ``balance`` of notebook 04."""
    campaign = run["campaign"]
    in_paper = balance["pair"].isin(included(campaign)["pair"])
    hits = balance[(balance["unit"] == "hit") & in_paper]
    gap = absent_pairs(campaign, balance["pair"])
    answer = partial(_together, balance=balance, hits=hits, gap=gap)
    return compare(rows_of(campaign, "Figure 4"), answer, run)


def _together(
    row: Any, balance: pd.DataFrame, hits: pd.DataFrame, gap: str
) -> Answer | None:
    """Whether few HITs of a pair hold a system, or almost all HITs of all pairs every one."""
    part = balance[balance["pair"] == row.pair]
    if row.quantity == "below_half" and len(part):
        return Answer(yes(float(part["share_min"].iloc[0]) < 0.5))
    if row.quantity != "complete" or not len(hits):
        return None
    least = hits.iloc[int(hits["complete"].to_numpy().argmin())]
    how = (
        f"“almost all” read as {ALMOST_ALL:.0%} or more in each pair; least: "
        f"{least['complete']:.1%} in {least['pair']}, of {len(hits)} pairs with HIT ids "
        "(tr-en left out, as in the paper)"
    )
    almost = yes(least["complete"] >= ALMOST_ALL)
    return so_far(almost, row.published, len(hits), gap, how)


def documents_claims(
    luck: pd.DataFrame, summary: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Figure 5 (en-lt 2019), from the tables ``luck`` and ``summary`` of notebook 05."""
    answer = partial(_documents, luck=luck, summary=summary)
    return compare(rows_of(run["campaign"], "Figure 5"), answer, run)


def _documents(
    row: Any, luck: pd.DataFrame, summary: pd.DataFrame
) -> Answer | None:
    """What a row says of the human translations of a pair, document by document."""
    part = luck[luck["pair"] == row.pair]
    if part.empty:
        return None
    human, machine = (
        part.loc[part["human"] == k, "document_sd"] for k in (1, 0)
    )
    values = {
        "human_highest": part.loc[part["mean_raw"].idxmax(), "human"] == 1,
        "unjudged": summary.loc[summary["pair"] == row.pair, "judged"].iloc[0]
        < 1,
        "human_steady": human.mean() < machine.median(),
    }
    return Answer(yes(values[row.quantity]))


def across(tables: Callable[[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows over several campaigns, or that more than one release may answer.

    `tables` is as `claims` describes it.
    """
    changes = _of_the_paper(tables("02_outlier_removal", "changes"), "removed")
    divided = _of_the_paper(
        tables("03_divisor_degradation", "changes"), "divisor"
    )
    divided = divided[
        divided["divisor"].isin(claims.settings(PAPER)["divisors"])
    ]
    workers = tables("02_outlier_removal", "workers")
    toy = toy_example().rename(columns={"z_of_50": "ours"}).round({"ours": 4})
    rows = claims.published(PAPER, "Section 5.1")
    parts = [
        claims.compare(
            claims.published(PAPER, "Section 5"), toy, ["hit"], **PRINT
        ),
        _facts(tables("catalogue", "pairs")),
        _table_1(
            tables("01_replication", "type_counts"),
            tables("01_replication", "run"),
        ),
        _removal_totals(changes, _runs(tables("02_outlier_removal", "run"))),
        percentages(
            rows[rows["campaign"].str.contains(" ")], workers, OFFICIAL
        ),
        _figure_1(divided, _runs(tables("03_divisor_degradation", "run"))),
        _original_rankings(
            *(
                tables("01_replication", name)
                for name in ("ranking", "machines")
            )
        ),
    ]
    return pd.concat(parts, ignore_index=True)


def _runs(runs: pd.DataFrame) -> dict[str, Any]:
    """Settings and provenance of several campaigns' runs; unusual ones of any run are kept."""
    runs = runs[runs["campaign"].isin(included()["campaign"])]
    rebuilt = (
        runs.get("provenance", pd.Series(dtype=str)).eq("rebuilt from z").any()
    )
    settings = {"provenance": "rebuilt from z" if rebuilt else "official"}
    other = {
        name: set(runs.get(name, ())) - {usual}
        for name, usual in SETTINGS.items()
    }
    settings |= {
        name: values.pop() for name, values in other.items() if values
    }
    return settings | {
        "absent": "official"
    }  # provenance of rows that wait for absent data


def _of_the_paper(changes: pd.DataFrame, what: str) -> pd.DataFrame:
    """The rows of `changes` for the paper's 46 pairs, with style and judged from its Table 4."""
    table = changes.reindex(columns=[*PAIR, what, *KINDS]).astype(
        dict.fromkeys(PAIR, object)
    )
    return table.merge(included(), on=PAIR)


def _facts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Style, tool and judging in Table 4, compared with the catalogue."""
    rows = claims.published(PAPER, "Table 4")
    facts = ["style", "tool", "judged"]
    rows = rows[rows["quantity"].isin(facts) & (rows["campaign"] != "")]
    known = pairs.reindex(columns=[*PAIR, *facts])
    known = known.replace(
        {"judged": {word: letter for letter, word in JUDGED.items()}}
    )
    known = known.melt(PAIR, facts, "quantity", "ours").assign(fact=True)
    return claims.compare(rows, known, [*PAIR, "quantity"], **OFFICIAL)


def _table_1(counts: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Table 1: rows of each type in ``ad-good-raw-redup`` over all pairs.

    The sum of SYSTEM and REPEAT is also known if only averages and their numbers of judgments were
    released; in those of 2020, reference rows are called ``HUMAN``.
    """
    provenance = dict(
        zip(runs["campaign"], runs.get("provenance", ()), strict=False)
    )
    rows = claims.published(PAPER, "Table 1")
    answer = partial(_rows_of_type, counts=counts, provenance=provenance)
    return compare(rows[rows["campaign"] != ""], answer, OFFICIAL)


def _rows_of_type(
    row: Any, counts: pd.DataFrame, provenance: Mapping[str, str]
) -> Answer | None:
    """The number of rows of a type, with the provenance of the release that it is from."""
    note, part = _released(row, counts)
    if part.empty:
        return None
    source = part["campaign"].iloc[0]
    part = part[part["pair"].isin(rows_of(row.campaign, "Table 4")["pair"])]
    return _type_total(part, row, note)._replace(
        provenance=provenance.get(source)
    )


def _released(row: Any, table: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """A note for the reason, and the rows of the judgments, or else of the released scores."""
    if row.pair and len(table):
        table = table[table["pair"] == row.pair]
    own = table[table["campaign"] == row.campaign]
    return (
        ("", own)
        if len(own)
        else (RELEASED, table[table["campaign"] == row.released])
    )


def _type_total(counts: pd.DataFrame, row: Any, note: str) -> Answer:
    """The number of rows of one type, or of SYSTEM and REPEAT, in all pairs of a campaign."""
    if row.kind == "SYSTEM + REPEAT":
        used = counts[counts["file"] != "ad-latest"]
        total = int(used[["SYSTEM", "REPEAT"]].to_numpy().sum())
        official = ", ".join(
            used.loc[used["file"] == "official ranking", "pair"]
        )
        note = note or (
            f"{official} from its official counts" if official else ""
        )
        note += LONGER if str(total) != row.published else ""
    else:
        judged = counts["file"] == "ad-good-raw-redup"
        released = (counts["file"] == "segment scores") & (counts["REF"] > 0)
        used = counts[judged | released if row.kind == "REF" else judged]
        total = int(used[row.kind].sum())
        note = f"the rows of HUMAN, {note}" if note else ""
    if used.empty:
        return Answer()
    if gap := absent_pairs(row.campaign, used["pair"]):
        return Answer(
            None,
            f"{total} rows in the {len(used)} pairs here; {gap} is absent",
        )
    return Answer(total, note)


def _removal_totals(
    changes: pd.DataFrame, run: Mapping[str, Any]
) -> pd.DataFrame:
    """Table 2 (all), Table 3, section 3's numbers of pairs, section 5.2.

    While pairs are absent, what follows from the rows of Table 2 is recomputed from these.
    """
    rows = rows_of("", "Section 3", "Table 2", "Table 3", "Section 5.2")
    pairs = included()
    printed = _printed_tallies()
    parts = {
        name: changes[changes["removed"] == (name or "ref")]
        for name in set(rows["removed"])
    }
    tallies = {name: _tallies(part, pairs) for name, part in parts.items()}
    similar = {
        "ref_alone_similar": _reference_alone(changes, len(pairs)),
        "judging_similar": _similar_judging(parts["human+ref"], pairs),
    }
    answer = partial(_total, tallies=tallies, printed=printed, similar=similar)
    return compare(rows, answer, run)


def _total(
    row: Any,
    tallies: Mapping[str, Mapping[tuple[str, str], Count]],
    printed: Mapping[tuple[str, str], Count],
    similar: Mapping[str, Answer],
) -> Answer:
    """The answer to a row about all pairs; while some are absent, from the printed rows."""
    if row.quantity in similar:
        return similar[row.quantity]
    here = tallies[row.removed]
    if row.quantity == "changed":
        found = here[row.style, row.kind].beside(row.published)
        if found.ours is not None or row.place == "Table 3":
            return found
    asked = [
        key
        for key in here
        if row.style in ("", key[0]) and row.kind in ("", key[1])
    ]
    absent = {pair for key in asked for pair in here[key].absent}
    if not absent:
        return _said(row, here)
    gap = (
        here[asked[0]].gap
        if len(asked) == 1
        else f"{len(absent)} pairs are absent"
    )
    said = _said(row, printed)
    why = joined(said.reason, "from the rows of Table 2", gap)
    return Answer(said.ours, why, PRINT["provenance"])


def _tallies(
    changes: pd.DataFrame, pairs: pd.DataFrame
) -> dict[tuple[str, str], Count]:
    """How many pairs changed, by style and kind of change."""
    return {
        (style, kind): count_changed(
            changes, pairs[pairs["style"] == style], kind
        )
        for style, kind in product(STYLES, KINDS)
    }


def _printed_tallies() -> dict[tuple[str, str], Count]:
    """How many pairs changed, by style and kind, summed over the printed rows of Table 2."""
    rows = claims.published(PAPER, "Table 2")
    rows = rows[rows["campaign"] != ""]
    numbers = rows["published"].str.split("/", expand=True).astype(int)
    sums = numbers.groupby([rows["style"], rows["kind"]]).sum()
    return {key: Count(int(k), int(n)) for key, (k, n) in sums.iterrows()}


def _said(row: Any, tallies: Mapping[tuple[str, str], Count]) -> Answer:
    """The answer to a row of Table 2, section 3 or 5.2 about all pairs, or those of a style."""
    share = {key: tally.share for key, tally in tallies.items()}
    if row.quantity == "rank_most_common":
        rank = "d_rank"
        others = ("d_cluster", "d_both")
        return Answer(
            yes(
                all(
                    share[s, rank] > share[s, k]
                    for s in STYLES
                    for k in others
                )
            )
        )
    if row.quantity == "more_in_SR+DC":
        return Answer(
            yes(
                all(
                    share["SR+DC", kind] > share["SR-DC", kind]
                    for kind in KINDS
                )
            )
        )
    tally = tallies[row.style, row.kind or "d_rank"]
    answers = {
        "changed": Answer(tally.fraction),
        "pairs": Answer(tally.here),
        "changed_percent": Answer(f"{100 * tally.share:.4g}%", tally.fraction),
        "below_5_percent": Answer(yes(tally.share < 0.05), tally.fraction),
    }
    return answers[row.quantity]


def _reference_alone(changes: pd.DataFrame, number: int) -> Answer:
    """Whether REF alone has a similar effect: counts differ by at most a tenth of the pairs."""
    parts = [
        changes.loc[changes["removed"] == name, KINDS]
        for name in ("human+ref", "ref")
    ]
    both, alone = (part.sum().astype(int) for part in parts)
    size = len(parts[1])
    near = (both - alone).abs().max() <= len(parts[1]) / 10
    sums = f"human and REF {both.tolist()}, REF alone {alone.tolist()} (rank, cluster, both)"
    return Answer(
        yes(near) if size == number else None, f"{size} pairs: {sums}"
    )


def _similar_judging(human: pd.DataFrame, pairs: pd.DataFrame) -> Answer:
    """Whether bilingual and monolingual judging are similar: Fisher's exact tests at .05."""
    document = human[human["style"] == "SR+DC"]
    if len(document) < (pairs["style"] == "SR+DC").sum():
        return Answer()
    texts = []
    smallest = 1.0
    for kind in KINDS:
        by = (
            document.groupby("judged")[kind]
            .agg(["sum", "size"])
            .loc[["bilingual", "monolingual"]]
        )
        (two, of_two), (one, of_one) = by.to_numpy().tolist()
        p = float(
            fisher_exact([[two, of_two - two], [one, of_one - one]]).pvalue
        )
        smallest = min(smallest, p)
        texts.append(
            f"{kind.removeprefix('d_')} bilingual {two}, monolingual {one}"
        )
    return Answer(
        yes(smallest > 0.05),
        "; ".join([*texts, f"smallest Fisher p {smallest:.2f}"]),
    )


def _figure_1(changes: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Figure 1: shares of pairs changed by divisor."""
    pairs = included()
    divisors = sorted(set(changes["divisor"]))
    tallies = [
        _tallies(changes[changes["divisor"] == d], pairs) for d in divisors
    ]
    plain = changes[changes["style"] == "SR-DC"]
    answer = partial(
        _by_divisor, divisors=divisors, tallies=tallies, plain=plain
    )
    return compare(claims.published(PAPER, "Figure 1"), answer, run)


def _by_divisor(
    row: Any,
    divisors: Sequence[float],
    tallies: Sequence[Mapping[tuple[str, str], Count]],
    plain: pd.DataFrame,
) -> Answer | None:
    """What a row says of the share of pairs that change as scores are divided by more."""
    less, more = (
        [tally[style, row.kind] for tally in tallies] for style in STYLES
    )
    whole = bool(tallies) and not any(count.absent for count in less)
    shares = [count.share for count in less]
    if row.quantity == "immune":
        moved = plain.groupby(PAIR)[row.kind].max()
        text = f"the order of {int(moved.sum())} of the {len(moved)} SR-DC pairs here changes"
        return Answer("no", text) if moved.sum() else None
    if row.quantity == "grows":
        text = (
            ", ".join(count.fraction for count in less if count.here) or "none"
        )
        text = f"divisors {' '.join(f'{d:g}' for d in divisors)}: {text}"
        rises = whole and shares == sorted(shares) and shares[-1] > shares[0]
        return (
            Answer(yes(rises), text)
            if whole
            else Answer(None, f"{text} in the pairs here")
        )
    if whole and not any(count.absent for count in more):
        return Answer(
            yes(all(m.share > s for m, s in zip(more, shares, strict=True)))
        )
    return None


def _original_rankings(
    rankings: pd.DataFrame, machines: pd.DataFrame
) -> pd.DataFrame:
    """Section 5.3 and the first columns of Figures 2 and 3: 2020 before any score is divided.

    From the judgments if they are here, else from the released segment scores.
    """
    rows = claims.published(PAPER, "Figure 2", "Section 5.3", "Figure 3")
    answer = partial(_before_dividing, rankings=rankings, machines=machines)
    return compare(rows[rows["divisor"] == "original"], answer, OFFICIAL)


def _before_dividing(
    row: Any, rankings: pd.DataFrame, machines: pd.DataFrame
) -> Answer | None:
    """The answer to a row about a ranking of all data, if that ranking is here."""
    note, whole = _released(row, rankings)
    _, part = _released(row, machines)
    return (
        _of_original(row.quantity, whole, part, note)
        if len(whole) and len(part)
        else None
    )


def _of_original(
    quantity: str, whole: pd.DataFrame, machines: pd.DataFrame, note: str
) -> Answer:
    """The answer to a row about a ranking, and about that ranking without human systems."""
    humans = sorted(set(whole["system"]) - set(machines["system"]))
    held = (
        f"{note}, which hold {', '.join(humans)}"
        if note
        else ", ".join(humans)
    )
    if quantity == "assessments":
        return Answer(f"{whole['judgments'].sum() / len(whole):.2f}", note)
    if quantity == "humans":
        return Answer(
            yes(len(humans) > 1),
            f"{claims.WEAK} the names in the files; {held}",
        )
    if quantity == "relation":
        return Answer(relation(machines, "AFRL", "PROMT_NMT"), held)
    if quantity == "alone":
        volc = volctrans(whole["system"])
        top = set(machines.loc[machines["cluster"] == 1, "system"])
        return Answer(yes(top == {volc}), joined(note, volc))
    names = [
        system_named(whole["system"], name)
        for name in ("Online-A", "Online-G")
    ]
    lines = [
        t.loc[t["system"].isin(names), "cluster"].nunique() > 1
        for t in (whole, machines)
    ]
    return Answer(yes(lines[1] and not lines[0]), note)
