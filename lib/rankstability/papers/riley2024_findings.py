"""What Riley et al. 2024 state, and whether it holds on this data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..score import mqm
from ..score.mqm import Ratings
from ..study import srp
from ..study.srp_studies import Design
from . import claims
from .riley2024 import FEW, PAPER, Plan, figure_series, high_imbalance, series

# ---------------------------------------------------------------- do the findings hold?


@dataclass(frozen=True)
class Finding:
    """A statement of the paper about two lines of a figure.

    `reaches`: the first need not be above the second, only not clearly below.
    """

    figure: int
    cell: str
    first: str
    second: str
    reaches: bool = False


def stated(low: float) -> list[Finding]:
    """The findings of section 7, by labels of `figure_series`."""
    tight = f"entropy {low}, "
    return [
        Finding(3, "pSxS above no grouping", "pSxS", "no grouping"),
        Finding(3, "system-balanced above no grouping", "system-balanced", "no grouping"),
        Finding(3, "pSxS above system-balanced", "pSxS", "system-balanced"),
        Finding(4, "fully balanced above imbalanced", "fully balanced", f"entropy {low}"),
        Finding(5, "z above unnormalised", "z-score", "unnormalised"),
        Finding(
            6,
            "z above unnormalised in imbalanced studies",
            tight + "z-score",
            tight + "unnormalised",
        ),
        Finding(
            6,
            "imbalanced with z reaches fully balanced",
            tight + "z-score",
            "fully balanced, unnormalised",
            True,
        ),
        *(
            Finding(
                7,
                f"{short} above unnormalised without grouping",
                f"no grouping, {name}",
                "no grouping, unnormalised",
            )
            for short, name in (("z", "z-score"), ("mean", "mean"), ("error", "error"))
        ),
        Finding(
            7,
            "no grouping with z reaches pSxS",
            "no grouping, z-score",
            "pSxS, unnormalised",
            True,
        ),
        Finding(8, "single above double rating", "single-rated", "double-rated"),
    ]


def judge(first: pd.DataFrame, second: pd.DataFrame, reaches: bool = False) -> dict[str, Any]:
    """Compare two lines where they say something.

    Points at equal annotations count unless most studies of either have no significant pair
    (`FEW`). ``verdict`` is ``yes`` where the mean difference in SRP exceeds two standard errors,
    ``reversed`` where it is below minus two, else ``no``; with `reaches`, ``yes`` unless below.
    """
    both = first.merge(second, on="annotations", suffixes=("_1", "_2"))
    both = both[np.isfinite(both["srp_1"]) & np.isfinite(both["srp_2"])]
    told = both[(both["empty_share_1"] < FEW) & (both["empty_share_2"] < FEW)]
    result: dict[str, Any] = {"points": len(both), "informative": len(told)}
    if told.empty:
        said = {"verdict": "cannot be said", "verdict_equal_claims": "cannot be said"}
        names = ("difference", "se", "difference_equal_claims", "se_equal_claims")
        missing = (*names, "above", "above_equal_claims", "kendall", "pearson", "ratio")
        return result | said | dict.fromkeys(missing, np.nan)
    for name, column, se in (
        ("", "srp", "se"),
        ("_equal_claims", "srp_equal_claims", "se_equal_claims"),
    ):
        gap = (told[f"{column}_1"] - told[f"{column}_2"]).to_numpy()
        error = np.sqrt((told[f"{se}_1"] ** 2 + told[f"{se}_2"] ** 2).sum()) / len(told)
        mean = float(gap.mean())
        if reaches:
            verdict = "no" if mean < -2 * error else "yes"
        else:
            verdict = "yes" if mean > 2 * error else "reversed" if mean < -2 * error else "no"
        result |= {
            f"verdict{name}": verdict,
            f"difference{name}": mean,
            f"se{name}": float(error),
            f"above{name}": int((gap > 0).sum()),
        }
    result["kendall"] = float((told["kendall_1"] - told["kendall_2"]).mean())
    result["pearson"] = float((told["pearson_1"] - told["pearson_2"]).mean())
    ratio = told["srp_1"].sum() / told["srp_2"].sum() if told["srp_2"].sum() > 0 else np.nan
    return result | {"ratio": float(ratio)}


def findings(table: pd.DataFrame, data: Ratings, plan: Plan) -> pd.DataFrame:
    """Every stated finding judged on this data: figure, finding, first, second, and `judge`."""
    low = high_imbalance(data, plan)
    rows = []
    for f in stated(low):
        lines = figure_series(f.figure, plan, low)
        verdict = judge(
            series(table, **lines[f.first]), series(table, **lines[f.second]), f.reaches
        )
        rows.append({"figure": f.figure, "finding": f.cell, "first": f.first, "second": f.second})
        rows[-1] |= verdict
    return pd.DataFrame(rows)


VERDICTS = {
    "yes": "yes",
    "no": "no clear difference",
    "reversed": "the reverse",
    "cannot be said": "cannot be judged (almost no study has a significant pair)",
}


def said_by_paper() -> dict[str, dict[str, str]]:
    """Finding to what the paper says of it, by its pairs (``yes``, ``no``, ``reversed``)."""
    rows = claims.published(PAPER)
    said: dict[str, dict[str, str]] = {}
    for row in rows[rows["place"].str.startswith("Figure")].itertuples(index=False):
        pair, _, cell = row.cell.rpartition(" | ")
        said.setdefault(cell, {})[pair] = row.published
    return said


def sentence(rows: pd.DataFrame, figure: int) -> str:
    """One computed line per finding of a figure: what the paper says, and does it hold here?"""
    lines = []
    paper = said_by_paper()
    for row in rows[rows["figure"] == figure].itertuples(index=False):
        words = {**VERDICTS, "no": "no"} if " reaches " in row.finding else VERDICTS
        said = paper[row.finding]
        like = [pair for pair, verdict in said.items() if verdict == row.verdict]
        if len(set(said.values())) == 1:
            stated = words[next(iter(said.values()))]
            holds = "the finding **holds**" if like else "the finding **does not hold**"
        else:
            stated = ", ".join(f"{pair} {words[v]}" for pair, v in said.items())
            holds = f"**as on its {like[0]} data**" if like else "**like neither**"
        if row.verdict == "cannot be said":
            holds = "**nothing can be said**"
        text = f"*{row.finding}*: in the paper {stated}, here {words[row.verdict]}: {holds}"
        if row.informative:
            text += (
                f" (SRP {row.difference:+.3f} ± {2 * row.se:.3f} on average over "
                f"{row.informative} document counts, higher at {row.above:.0f}; at equal claims "
                f"{row.difference_equal_claims:+.3f} ± {2 * row.se_equal_claims:.3f}; Kendall's "
                f"tau {row.kendall:+.3f}, Pearson's r {row.pearson:+.3f})"
            )
        if row.points > row.informative:
            text += f"; {row.points - row.informative} sizes too small to say anything"
        lines.append(text + ".")
    return "Does the paper's finding hold on this data? " + " ".join(lines)


def alternatives(table: pd.DataFrame) -> str:
    """Section 5's other measures over all configurations, computed: do they point the same way?"""
    told = table[table["empty_share"] < FEW]
    if len(told) < 3:
        return "Too few configurations with significant pairs to compare the measures."
    order = told[["srp", "srp_equal_claims", "kendall", "pearson"]].rank().corr()
    spread = told[["srp", "kendall", "pearson"]].quantile([0.05, 0.95])
    ranges = ", ".join(f"{c} {spread[c].iloc[0]:.2f} to {spread[c].iloc[1]:.2f}" for c in spread)
    return (
        f"Over {len(told)} configurations (5 to 95 %): {ranges}. Rank correlation with SRP: "
        f"Kendall's tau {order.loc['srp', 'kendall']:.2f}, Pearson's r "
        f"{order.loc['srp', 'pearson']:.2f}; with SRP at equal claims: "
        f"{order.loc['srp_equal_claims', 'kendall']:.2f} and "
        f"{order.loc['srp_equal_claims', 'pearson']:.2f}. With significance asked of both studies "
        f"(footnote 3) SRP is {told['srp_both'].median():.2f} in the median, at most "
        f"{told['srp_both'].max():.2f}."
    )


def infeasible(table: pd.DataFrame) -> str:
    """Which entropy targets could not be met, said."""
    missed = table[table["studies"] == 0]
    if missed.empty:
        return "All entropy targets could be met."
    parts = [
        f"{target} with {', '.join(str(n) for n in sorted(set(rows['documents'])))}"
        for target, rows in missed.groupby("balance", sort=True)
    ]
    return "Entropy targets that cannot be met, by number of documents: " + "; ".join(parts) + "."


# ---------------------------------------------------------------- section 3


def recommendations(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Section 3's questions, the paper's answers, and what this data say.

    Returns
    -------
    DataFrame
        question, recommendation, holds, evidence.
    """
    of = found.set_index("finding")

    def told(cell: str) -> str:
        row = of.loc[cell]
        if not row["informative"]:
            return f"{cell}: cannot be said"
        return (
            f"{cell}: {row['verdict']} ({row['difference']:+.3f} ± {2 * row['se']:.3f}; at equal "
            f"claims {row['verdict_equal_claims']}, {row['difference_equal_claims']:+.3f} ± "
            f"{2 * row['se_equal_claims']:.3f})"
        )

    def holds(*cells: str) -> str:
        verdicts = [of.loc[c, "verdict"] for c in cells]
        if all(v == "yes" for v in verdicts):
            return "supported"
        if any(v == "yes" for v in verdicts):
            return "in part"
        if all(of.loc[c, "verdict_equal_claims"] == "yes" for c in cells):
            return "only at an equal number of claims"
        return "contradicted" if "reversed" in verdicts else "not supported"

    size = series(table)
    smallest, largest = size.iloc[0], size.iloc[-1]
    z = (
        "z above unnormalised",
        "z above unnormalised in imbalanced studies",
        "z above unnormalised without grouping",
    )
    grouping = ("pSxS above no grouping", "pSxS above system-balanced")
    rows = [
        (
            "How should rateable items be grouped?",
            "pSxS: all systems' outputs of a document to the same rater (strongly)",
            holds(grouping[0]),
            "; ".join(map(told, grouping)),
        ),
        (
            "How should workload be distributed?",
            "equally over raters",
            holds("fully balanced above imbalanced"),
            told("fully balanced above imbalanced"),
        ),
        (
            "How should scores be normalized?",
            "z-scores per rater (weakly)",
            holds(*z),
            "; ".join(map(told, z)),
        ),
        (
            "How many items should be annotated?",
            "no recommendation",
            "",
            f"pSxS, {smallest['documents']:.0f} to {largest['documents']:.0f} documents: SRP "
            f"{smallest['srp']:.2f} to {largest['srp']:.2f} with "
            f"{smallest['significant_pairs']:.1f} to {largest['significant_pairs']:.1f} "
            "significant pairs per study",
        ),
        (
            "How many ratings per item are needed?",
            "one",
            holds("single above double rating"),
            told("single above double rating"),
        ),
    ]
    return pd.DataFrame(rows, columns=["question", "recommendation", "holds", "evidence"])


# ---------------------------------------------------------------- a system judged twice


def duplicates(data: Ratings, plan: Plan, seed: int) -> pd.DataFrame:
    """What a system that was judged twice does: claims between its copies, SRP without either.

    Returns
    -------
    DataFrame
        first, second, grouping, false_claims (share of studies that find the copies different;
        0.05 is what the test allows), srp (with both), srp_without_first, srp_without_second.
        Empty where no system is there twice.
    """
    rows = []
    for group in mqm.same_system(data.systems):
        for a, b in combinations(group, 2):
            for grouping in ("pSxS", "system-balanced", "none"):
                design = Design(
                    grouping,
                    studies=plan.studies,
                    per_document_set=plan.per_document_set,
                    permutations=plan.permutations,
                )
                rng = np.random.default_rng([seed, 1, len(grouping)])
                found = srp.simulate(data, design, rng)
                i, j = data.systems.index(a), data.systems.index(b)
                column = np.flatnonzero((found.pairs == [min(i, j), max(i, j)]).all(axis=1))[0]
                row: dict[str, Any] = {"first": a, "second": b, "grouping": grouping}
                row["false_claims"] = found.significant[:, column].mean()
                row["srp"] = srp.stability(found)["srp"]
                for name, drop in (("srp_without_first", a), ("srp_without_second", b)):
                    row[name] = srp.run(data.without(drop), design, seed)["srp"]
                rows.append(row)
    columns = [
        "first",
        "second",
        "grouping",
        "false_claims",
        "srp",
        "srp_without_first",
        "srp_without_second",
    ]
    return pd.DataFrame(rows, columns=columns)
