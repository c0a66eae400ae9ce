"""Lopez (2012), "Putting Human Assessments of Machine Translation Systems in Order".

The paper's worked examples (Figures 1 to 3), its tables under the paper's names, and the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..rank import tournament
from ..score import rr
from ..study.tournament_tasks import METHODS, TaskRankings, solve, solve_tasks, spearman
from . import claims

PAPER = "lopez2012"
CAMPAIGNS = ("wmt10", "wmt11")
LANGUAGES = {
    "cs": "Czech",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "ur": "Urdu",
}
TRACKS = {"individual": "individual", "combination": "syscomb", "tunable": "tunable metrics"}
HARD = "fr-en"  # Table 3, WMT10
ACYCLIC = "en-cs individual"  # Table 2, WMT11
TUNABLE = "ur-en tunable"  # Table 4, WMT11
EQUATIONS = {"mfas": "MFAS", "wmt_official": "Eq. 1", "heuristic2": "Eq. 2", "bojar": "Eq. 3"}


def paper_name(year: int, task: str) -> str:
    """The paper's name of a task: ``2011 English-Czech individual`` for ``en-cs individual``."""
    pair, _, track = task.partition(" ")
    source, target = (LANGUAGES[code] for code in pair.split("-"))
    return f"{year} {source}-{target} {TRACKS.get(track, '')}".strip()


# ------------------------------------------------------------------------- worked examples


def figure1() -> pd.DataFrame:
    """One block of five outputs as a tidy frame (Figure 1; WMT10 German-English)."""
    ranks = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
    frame = pd.DataFrame({"system": list(ranks), "rank": list(ranks.values())})
    frame["position"] = np.arange(1, len(frame) + 1)
    return frame.assign(
        task="de-en", pair="de-en", track="", block=0, judge="", segment=0, document="", ranked=True
    )


def inferred(counts: rr.PairCounts, order: list[str]) -> pd.DataFrame:
    """The pairwise rankings a block implies, as Figure 1 lists them: first, relation, second."""
    rows = []
    for a, first in enumerate(order):
        for second in order[a + 1 :]:
            i, j = counts.systems.index(first), counts.systems.index(second)
            sign = "≺" if counts.wins[i, j] else "≻" if counts.wins[j, i] else "≡"
            rows.append((first.upper(), sign, second.upper()))
    return pd.DataFrame(rows, columns=["first", "relation", "second"])


def figure1_in_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of the blocks of `frame` that hold Figure 1's systems with Figure 1's ranks."""
    want = {(str(s), int(r)) for s, r in figure1()[["system", "rank"]].itertuples(index=False)}
    part = frame[frame["task"].astype(str) == "de-en"]
    pairs = zip(part["system"].astype(str), part["rank"], strict=True)
    hits = part[np.array([pair in want for pair in pairs], dtype=bool)]
    size = hits.groupby("block").size()
    columns = ["block", "judge", "segment", "document", "system", "rank"]
    return hits.loc[hits["block"].isin(size[size == len(want)].index), columns]


def _counts(wins: Mapping[tuple[str, str], int]) -> rr.PairCounts:
    systems = tuple(sorted({s for pair in wins for s in pair}))
    table = np.zeros((len(systems), len(systems)), dtype=np.int64)
    for (a, b), number in wins.items():
        table[systems.index(a), systems.index(b)] = number
    return rr.PairCounts(systems, table, np.zeros_like(table))


def figure2() -> rr.PairCounts:
    """Figure 2: every comparison goes the same way, yet Equation 1 ranks C above B.

    The printed scores, 2/5 for B and 2/4 for C, fix every weight of a tournament on A, B, C, D
    but the one between A and D, here 1.
    """
    return _counts(
        {
            ("A", "B"): 3,
            ("A", "C"): 1,
            ("A", "D"): 1,
            ("B", "C"): 1,
            ("B", "D"): 1,
            ("C", "D"): 2,
        }
    )


def figure3() -> rr.PairCounts:
    """Figure 3: a cycle of E, F and G, with weights of ours (the paper's are in the drawing)."""
    return _counts(
        {
            ("E", "F"): 3,
            ("F", "G"): 2,
            ("G", "E"): 1,
            ("E", "H"): 2,
            ("F", "H"): 2,
            ("G", "H"): 2,
        }
    )


def examples() -> dict[tuple[str, str], Any]:
    """The worked examples' values for the ledger, by (place, cell)."""
    out: dict[tuple[str, str], Any] = {}
    block = figure1()
    pairs = inferred(rr.pair_counts(block), list(block["system"]))
    out["Figure 1", "pairwise rankings in a block of five"] = len(pairs)
    for first, relation, second in pairs.itertuples(index=False):
        out["Figure 1", f"{first} and {second}"] = relation
    two = solve(figure2())
    wins, all_ = two.counts.wins.sum(1), two.counts.wins.sum(1) + two.counts.wins.sum(0)
    for system in "BC":
        i = two.counts.systems.index(system)
        out["Figure 2", f"{system} | Eq. 1"] = f"{wins[i]}/{all_[i]}"
    out["Figure 2", "consistent ranking"] = " ≺ ".join(two.orders["mfas"])
    out["Figure 2", "ranking by Eq. 1"] = " ≺ ".join(two.orders["wmt_official"])
    out["Figure 3", "edges in the minimum feedback arc set"] = len(
        tournament.violations(solve(figure3()).mfas.order, solve(figure3()).mfas.weights)
    )
    return out


# ----------------------------------------------------------------------------------- ledger


def _table1(year: int, solved: Mapping[str, TaskRankings]) -> dict[tuple[str, str], Any]:
    out: dict[tuple[str, str], Any] = {}
    for name, task in solved.items():
        out["Table 1", f"{paper_name(year, name)} | #sys"] = len(task.counts.systems)
        out["Table 1", f"{paper_name(year, name)} | #pairs"] = task.judged.comparisons
    return out


def _places(place: str, column: str, order: tuple[str, ...]) -> dict[tuple[str, str], Any]:
    return {(place, f"{column} | {i}"): s.upper() for i, s in enumerate(order, 1)}


def _hard(task: TaskRankings) -> dict[tuple[str, str], Any]:
    out = _places("Table 3", "MFAS", task.orders["mfas"])
    out |= _places("Table 3", "WMT-OFFICIAL", task.orders["wmt_official"])
    place = {s: i for i, s in enumerate(printed_order("Table 3", "MFAS", task))}
    upper = {s.upper(): s for s in task.counts.systems}
    rows = claims.published(PAPER, "Table 3")
    edges = rows[rows["cell"].str.contains("≺")]["cell"]
    for cell in edges:
        over, under = (upper[s] for s in cell.split(" | ")[1].split(" ≺ "))
        if place[over] > place[under]:
            out["Table 3", cell] = task.weight(over, under)
    out["Section 5.1", "2010 French-English | systems"] = len(task.judged.systems)
    for method, name in EQUATIONS.items():
        out["Section 5.1", f"2010 French-English | {name} | violations"] = task.cost(method)
    losses = task.mfas.weights[:, task.counts.systems.index("onlineB")]
    out["Section 5.1", "2010 French-English | ONLINEB loses by, votes"] = int(losses.sum())
    return out


def printed_order(place: str, column: str, task: TaskRankings) -> tuple[str, ...]:
    """A ranking the paper prints, in the data's spelling: to ask what it costs on the data."""
    rows = claims.published(PAPER, place)
    rows = rows[rows["cell"].str.fullmatch(rf"{column} \| \d+")]
    upper = {s.upper(): s for s in task.counts.systems}
    return tuple(upper[s] for s in rows["published"])


def printed_cost(place: str, column: str, task: TaskRankings) -> int:
    """What a ranking the paper prints costs on the data."""
    rows = [task.counts.systems.index(s) for s in printed_order(place, column, task)]
    return tournament.cost_of(rows, task.mfas.weights)


def _wmt11(solved: Mapping[str, TaskRankings]) -> dict[tuple[str, str], Any]:
    out: dict[tuple[str, str], Any] = {}
    if ACYCLIC in solved:
        task = solved[ACYCLIC]
        for method in ("wmt_official", "mfas", "bojar"):
            head = METHODS[method][0]
            out |= _places("Table 2", head, task.orders[method])
            out["Table 2", f"{head} | weight of violated edges"] = task.cost(method)
        out["Table 2", "task"] = paper_name(2011, ACYCLIC).removesuffix(" individual")
        best = task.counts.systems.index("cu-marecek")
        out["Section 5.1", "2011 English-Czech | systems CU-MARECEK beats"] = int(
            (task.mfas.weights[best] > 0).sum()
        )
    if TUNABLE in solved:
        task = solved[TUNABLE]
        for method in ("mfas", "heuristic2"):
            head = METHODS[method][0]
            out |= _places("Table 4", head, task.orders[method])
            out["Table 4", f"{head} | violations"] = task.cost(method)
        for over, under, _ in task.certificate("mfas").itertuples(index=False):
            out["Table 4", f"violated | {over.upper()} ≺ {under.upper()}"] = "yes"
        orders = task.orders
        out["Section 5.2", "tunable | Spearman | HEURISTIC 2 and MFAS"] = spearman(
            orders["heuristic2"], orders["mfas"]
        )
        out["Section 5.2", "tunable | Spearman | WMT-OFFICIAL and MFAS"] = spearman(
            (rr.REFERENCE, *orders["wmt_official"]), (rr.REFERENCE, *orders["mfas"])
        )
        out["Section 5.2", "tunable | Spearman | WMT-OFFICIAL and HEURISTIC 2"] = spearman(
            orders["wmt_official"], orders["heuristic2"]
        )
    return out


def overall(
    wmt10: Mapping[str, TaskRankings], wmt11: Mapping[str, TaskRankings]
) -> dict[tuple[str, str], Any]:
    """The statements over all 25 tasks."""
    solved = [*wmt10.values(), *wmt11.values()]
    out: dict[tuple[str, str], Any] = {("Section 5", "tasks"): len(solved)}
    out["Section 5.1", "acyclic tasks"] = sum(t.mfas.acyclic for t in solved)
    for method, name in EQUATIONS.items():
        out["Section 5.2", f"violations over all tasks | {name}"] = sum(
            t.cost(method) for t in solved
        )
    return out


def ours(
    campaign: str,
    solved: Mapping[str, TaskRankings],
    other: Mapping[str, TaskRankings] | None = None,
) -> dict[tuple[str, str], Any]:
    """Our values for the cells that concern `campaign`, by (place, cell).

    Parameters
    ----------
    campaign : str
        ``wmt10`` or ``wmt11``; for others there is nothing to compare.
    solved : mapping
        From `tournament_tasks.solve_tasks`.
    other : mapping, optional
        For ``wmt11``: the tasks of ``wmt10``, where its data are here; the statements over all
        25 tasks are compared in the run of ``wmt11``.
    """
    out: dict[tuple[str, str], Any] = {}
    if campaign == "wmt10":
        out = examples() | _table1(2010, solved)
        if HARD in solved:
            out |= _hard(solved[HARD])
    elif campaign == "wmt11":
        out = _table1(2011, solved) | _wmt11(solved)
        combined = [t for name, t in solved.items() if name.endswith("combination")]
        if combined:
            out["Section 5.1", "acyclic combination tasks"] = sum(t.mfas.acyclic for t in combined)
        if other:
            out |= overall(other, solved)
    return out


def reasons(campaign: str, solved: Mapping[str, TaskRankings]) -> dict[tuple[str, str], str]:
    """What is to be said about single cells, with the numbers that show it."""
    said: dict[tuple[str, str], str] = {}
    if campaign == "wmt10" and HARD in solved:
        task = solved[HARD]
        cost, number = printed_cost("Table 3", "MFAS", task), task.mfas.n_optima
        for i, (a, b) in enumerate(
            zip(printed_order("Table 3", "MFAS", task), task.orders["mfas"], strict=True), 1
        ):
            if a != b:
                said["Table 3", f"MFAS | {i}"] = (
                    f"not unique: {number} rankings violate {task.mfas.cost}; the printed one "
                    f"violates {cost} and is one of them, ours is chosen by the stated rule"
                )
        said["Section 5.1", "2010 French-English | systems"] = (
            "24 systems (Table 1); 25 with the reference"
        )
        for name in ("Eq. 2", "Eq. 3"):
            said["Section 5.1", f"2010 French-English | {name} | violations"] = (
                "misprint: the values of Equations 2 and 3 are swapped in the text; the printed "
                "totals over all tasks hold only with ours"
            )
    if campaign == "wmt11" and ACYCLIC in solved:
        task = solved[ACYCLIC]
        printed = printed_cost("Table 2", "BOJAR", task)
        said["Table 2", "BOJAR | weight of violated edges"] = (
            f"misprint: {task.cost('heuristic2')} is what Equation 2's ranking violates; "
            f"the printed column violates {printed}"
        )
        said["Table 2", "task"] = (
            "misprint in the caption: the systems are those of English-Czech (as in section 5.1)"
        )
    if campaign == "wmt11" and TUNABLE in solved:
        orders = solved[TUNABLE].orders
        without = spearman(orders["wmt_official"], orders["mfas"])
        said["Section 5.2", "tunable | Spearman | WMT-OFFICIAL and MFAS"] = (
            f"with the reference as a ninth item; without it, as for the other two, {without:.3f}"
        )
    return said


def companion(campaign: str, pair: str = "") -> dict[str, TaskRankings] | None:
    """The solved tasks of WMT10 for the run of all of WMT11, if its data are here; else None."""
    if campaign != "wmt11" or pair:
        return None
    from ..read import campaigns

    try:
        found = campaigns.find("wmt10")
    except DataError:
        return None
    return solve_tasks(campaigns.load_rr(found))


EXAMPLES = ("Figure 1", "Figure 2", "Figure 3")
NEEDS_BOTH = "needs the tasks of WMT10 beside those of WMT11"


def ledger(
    campaign: str,
    solved: Mapping[str, TaskRankings],
    other: Mapping[str, TaskRankings] | None = None,
    complete: bool = True,
) -> pd.DataFrame:
    """The paper's numbers that concern `campaign` beside ours (columns of `claims.COLUMNS`).

    Parameters
    ----------
    campaign, solved, other
        See `ours`.
    complete : bool
        False where only some tasks were solved: then only their cells are compared.
    """
    rows = claims.published(PAPER)
    rows = rows[rows["campaign"] == campaign].reset_index(drop=True)
    values = ours(campaign, solved, other)
    if not complete:
        keys = [key in values for key in zip(rows["place"], rows["cell"], strict=True)]
        rows = rows[np.array(keys, dtype=bool)].reset_index(drop=True)
    said = reasons(campaign, solved)
    example = rows["place"].isin(EXAMPLES)
    parts = [
        claims.compare(
            rows[example], values, provenance="recomputed from print", reasons=_figure_reasons()
        ),
        claims.compare(
            rows[~example], values, provenance="official", reasons=said, no_data=NEEDS_BOTH
        ),
    ]
    return pd.concat(parts, ignore_index=True)


def _figure_reasons() -> dict[tuple[str, str], str]:
    fixed = "the two printed scores fix every weight but that between A and D, which we set to 1"
    return {
        ("Figure 2", "B | Eq. 1"): fixed,
        ("Figure 2", "C | Eq. 1"): fixed,
        ("Figure 3", "edges in the minimum feedback arc set"): "with weights of ours",
    }
