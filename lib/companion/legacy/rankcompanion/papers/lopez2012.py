"""Lopez (2012), "Putting Human Assessments of Machine Translation Systems in Order", next to ours.

The paper's 25 tasks are the 8 of WMT10 and the 17 of WMT11. The run on each campaign compares its
own numbers, the run on WMT10 also the worked examples; `across` compares totals over all tasks.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from companion.legacy.paperkit import claims

PAPER = "lopez2012"
BOTH = ("wmt10", "wmt11")
KEYS = ["statistic", "task", "method", "rank", "system", "other"]
EXAMPLES = (
    "Figure 1",
    "Figure 2",
    "Figure 3",
)  # worked examples, as tasks of their own
COSTS = {"optimal_cost": "mfas"}
COSTS |= {
    f"cost_{name}": name for name in ("wmt_official", "heuristic2", "bojar")
}
ACYCLIC = "en-cs individual"  # Table 2, WMT11
TUNABLE = "ur-en tunable"  # Table 4, WMT11
HALF = "more than half"
NAMES = (
    "system",
    "over",
    "under",
)  # columns of systems, which the paper prints in capitals
CZECH = {
    "en-cs individual": "2011 English-Czech",
    "cs-en individual": "2011 Czech-English",
}


def ledger(campaign: str, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows of the paper's numbers on one campaign; none for campaigns it does not use.

    `tables` are those of `notebooks.tournament`, with the worked examples of Figures 2 and 3 among
    the tasks: ``tasks`` (with a column systems_with_reference), ``rankings``, ``results`` and
    ``violations``; ``implied`` has the pairwise rankings of Figure 1.
    """
    rows = claims.published(PAPER)
    rows = rows[rows["campaign"] == campaign].reset_index(drop=True)
    if rows.empty:
        return pd.DataFrame(columns=claims.COLUMNS)
    ours = _ours(tables, rows)
    ours.loc[ours["task"].isin(EXAMPLES), "provenance"] = (
        "recomputed from print"
    )
    return claims.compare(rows, ours, KEYS, provenance="official")


def across(tables: Callable[[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows of the totals over all 25 tasks; none unless both campaigns are in `tables`."""
    tasks = tables("08_tournament", "tasks")
    if tasks.empty or not set(BOTH) <= set(tasks["campaign"]):
        return pd.DataFrame(columns=claims.COLUMNS)
    tasks = tasks[tasks["campaign"].isin(BOTH)]
    costs = (
        _costs(tasks)
        .groupby("method")["ours"]
        .sum()
        .reset_index()
        .assign(statistic="cost")
    )
    acyclic = tasks["optimal_cost"] == 0
    values: list[tuple[str, Any, str]] = [
        ("tasks", len(tasks), ""),
        ("acyclic_tasks", int(acyclic.sum()), ""),
        ("most_systems", tasks["systems"].max(), ""),
    ]
    shares = {
        "ten_systems_or_more": tasks["systems"] >= 10,
        "tasks_with_cycles": ~acyclic,
    }
    for name, held in shares.items():
        half = HALF if held.mean() > 0.5 else "at most half"
        values.append((name, half, f"{held.sum()} of {len(held)}"))
    counts = pd.DataFrame(values, columns=["statistic", "ours", "reason"])
    rows = claims.published(PAPER)
    rows = rows[rows["campaign"] == ", ".join(BOTH)]
    return claims.compare(
        rows, pd.concat([costs, counts]), KEYS, provenance="official"
    )


def _ours(
    tables: Mapping[str, pd.DataFrame], printed: pd.DataFrame
) -> pd.DataFrame:
    """Our values: columns `KEYS`, where they apply, and ours."""
    tasks = tables["tasks"]
    rankings, results, violated = (
        tables[name].apply(lambda c: c.str.upper() if c.name in NAMES else c)
        for name in ("rankings", "results", "violations")
    )
    places = rankings.melt(
        ["task", "system"], var_name="method", value_name="rank"
    )
    combined = tasks["task"].str.endswith(" combination")
    whole = set(printed["task"]) - {"", *EXAMPLES} <= set(
        tasks["task"]
    )  # not of one pair's run
    acyclic = (
        (combined & (tasks["optimal_cost"] == 0)).sum() if whole else None
    )
    parts = [
        tasks.melt(
            "task",
            ["systems", "systems_with_reference", "pairs"],
            "statistic",
            "ours",
        ),
        _orders(places, printed),
        _costs(tasks),
        _results(results, violated),
        _examples(tables["implied"], results),
        _spearman(rankings[rankings["task"] == TUNABLE]),
        pd.DataFrame(
            {"statistic": ["acyclic_combination_tasks"], "ours": [acyclic]}
        ),
    ]
    return pd.concat(parts, ignore_index=True)


def _costs(tasks: pd.DataFrame) -> pd.DataFrame:
    """The weight that each method's ranking of each task violates: task, method, ours."""
    costs = tasks.rename(columns=COSTS).melt(
        "task", list(COSTS.values()), "method", "ours"
    )
    return costs.assign(statistic="cost")


def _orders(places: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """The system at each rank, each ranking as one line of text, and the task of Table 2."""
    system = places.rename(columns={"system": "ours"}).astype({"rank": str})
    system["statistic"] = "system"
    ranking = (
        places.sort_values("rank")
        .groupby(["task", "method"])["system"]
        .agg(list)
    )
    line = (
        ranking.str.join(" ≺ ")
        .rename("ours")
        .reset_index()
        .assign(statistic="ranking")
    )
    table2 = printed[
        (printed["statistic"] == "system") & (printed["task"] == ACYCLIC)
    ]
    systems = set(table2["published"])
    ours = {task: set(ranking.get((task, "mfas"), [])) for task in CZECH}
    names = [
        name
        for task, name in CZECH.items()
        if systems and systems == ours[task]
    ]
    table2_task = pd.DataFrame(
        {"statistic": "task", "task": ACYCLIC, "ours": names}
    )
    return pd.concat([system, line, table2_task])


def _results(results: pd.DataFrame, violated: pd.DataFrame) -> pd.DataFrame:
    """The results that our rankings violate, and how many systems and votes they concern."""
    ours = violated.rename(columns={"over": "system", "under": "other"})
    number = (
        ours.groupby(["task", "method"]).size().rename("ours").reset_index()
    )
    beaten = (
        results.groupby(["task", "over"]).size().rename("ours").reset_index()
    )
    lost = (
        results.groupby(["task", "under"])["weight"]
        .sum()
        .rename("ours")
        .reset_index()
    )
    parts = {
        "violated": ours.assign(ours="yes"),
        "violated_weight": ours.assign(ours=ours["weight"]),
        "violated_results": number,
        "systems_beaten": beaten.rename(columns={"over": "system"}),
        "votes_lost": lost.rename(columns={"under": "system"}),
    }
    return pd.concat(
        [part.assign(statistic=name) for name, part in parts.items()]
    )


def _examples(implied: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """The rankings that Figure 1's block implies, and the scores by Equation 1 in Figure 2."""
    relation = implied.rename(
        columns={"first": "system", "second": "other", "relation": "ours"}
    )
    number = pd.DataFrame(
        {"statistic": ["implied_rankings"], "ours": [len(implied)]}
    )
    figure2 = results[results["task"] == "Figure 2"]
    won, lost = (
        figure2.groupby(side)["weight"].sum() for side in ("over", "under")
    )
    every = won.add(lost, fill_value=0).astype(int)
    score = won.astype(str) + "/" + every.reindex(won.index).astype(str)
    scores = score.rename("ours").rename_axis("system").reset_index()
    scores = scores.assign(
        task="Figure 2", method="wmt_official", statistic="score"
    )
    figure1 = pd.concat(
        [relation.assign(statistic="relation"), number]
    ).assign(task="Figure 1")
    return pd.concat([figure1, scores])


def _spearman(ranks: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of the rankings of Table 4, with the reference first and without."""
    pairs = [
        ("heuristic2", "mfas"),
        ("wmt_official", "mfas"),
        ("wmt_official", "heuristic2"),
    ]
    rows = []
    for method, other in pairs if len(ranks) else []:
        two = ranks[[method, other]].to_numpy()
        for name, each in (
            ("", two),
            ("_with_reference", np.vstack([[0, 0], two])),
        ):
            rows.append(
                (f"spearman{name}", method, other, spearmanr(each).statistic)
            )
    return pd.DataFrame(
        rows, columns=["statistic", "method", "other", "ours"]
    ).assign(task=TUNABLE)
