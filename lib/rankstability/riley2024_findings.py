"""What Riley et al. 2024 state: does it hold on this data, and the rows of the claims ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from . import claims, mqm, srp
from .mqm import Ratings
from .riley2024 import FEW, OWN, PAPER, Plan, figure_series, high_imbalance, series
from .srp_studies import Design

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
    "yes": "holds",
    "no": "shows no clear difference",
    "reversed": "is reversed",
    "cannot be said": "cannot be judged (almost no study has a significant pair)",
}


def sentence(rows: pd.DataFrame, figure: int) -> str:
    """One computed line per finding of a figure: does it hold on this data?"""
    lines = []
    for row in rows[rows["figure"] == figure].itertuples(index=False):
        reach = " reaches " in row.finding
        said = {"yes": "holds", "no": "does not hold"} if reach else VERDICTS
        text = f"*{row.finding}*: **{said.get(row.verdict, VERDICTS[row.verdict])}**"
        if row.informative:
            text += (
                f": SRP {row.difference:+.3f} ± {2 * row.se:.3f} on average over "
                f"{row.informative} document counts (higher at {row.above})"
                f"; at an equal number of claimed pairs {row.difference_equal_claims:+.3f}"
                f" ± {2 * row.se_equal_claims:.3f}"
            )
            if row.points > row.informative:
                text += f"; {row.points - row.informative} too small to say anything"
        lines.append(text + ".")
    return "Does the paper's finding hold here? " + " ".join(lines)


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


# ---------------------------------------------------------------- the claims ledger


def from_print() -> dict[tuple[str, str], Any]:
    """What follows from the paper's own numbers without its data: (place, cell) to value.

    The segment ratings are segments x systems x 3; the least entropies follow from the buckets
    (7 of 25 or 26 documents, three per rater, en-de; 2 of 90 and 91, en-zh).
    """

    def entropy(documents: list[int], raters: int) -> float:
        share = np.array(documents) / sum(documents)
        return float(-(share * np.log(share)).sum() / np.log(raters))

    return {
        ("Section 1", "segment ratings of both datasets"): 1315 * 15 * 3 + 2037 * 13 * 3,
        ("Section 6.1.2", "en-de | least normalised entropy"): round(entropy([78, 78, 25], 7), 3),
        ("Section 6.1.2", "en-zh | least normalised entropy"): round(entropy([90, 91], 6), 3),
    }


def measured(
    counts: Mapping[str, Any],
    agreement: Mapping[str, Any],
    found: pd.DataFrame,
    table: pd.DataFrame,
) -> dict[tuple[str, str], Any]:
    """One pair's values by (place, cell without the pair).

    Parameters
    ----------
    counts, agreement : mapping
        From `riley2024.basic_counts` (with ``least normalised entropy`` added) and `agreement`.
    found, table : DataFrame
        From `findings` and `srp.table`.
    """
    ours: dict[tuple[str, str], Any] = {}
    for cell in ("buckets", "documents per bucket", "buckets per rater"):
        ours["Section 4.2", cell] = counts[cell]
    for cell in (
        "documents",
        "segments",
        "min segments per document",
        "max segments per document",
        "raters",
        "systems",
    ):
        ours["Table 1", cell] = counts[cell]
    for cell in ("single documents", "all shared documents"):
        ours["Table 2", cell] = round(agreement[cell], 4)
    ours["Section 6.1.2", "least normalised entropy"] = round(counts["least entropy"], 4)
    for row in found.itertuples(index=False):
        ours[f"Figure {row.figure}", row.finding] = row.verdict
    first = found.set_index("finding").loc["pSxS above no grouping"]
    ours["Figure 3", "SRP of pSxS over SRP without grouping"] = round(first["ratio"], 2)
    same = all(np.sign(first[c]) == np.sign(first["difference"]) for c in ("kendall", "pearson"))
    ours["Section 5", "Pearson and Kendall point the same way"] = "yes" if same else "no"
    told = table[table["empty_share"] < FEW]
    near = bool((told["srp_both"] < 0.1).mean() > 0.5)
    ours["Footnote 3", "SRP with significance in both studies near 0"] = "yes" if near else "no"
    return ours


def ledger(campaign: str, pairs: Mapping[str, Mapping[tuple[str, str], Any]]) -> pd.DataFrame:
    """The paper's rows: checked on its own campaign, elsewhere without data and with a word.

    Parameters
    ----------
    campaign : str
        The campaign of this run; only on `riley2024.OWN` the numbers are comparable.
    pairs : mapping
        Pair to `measured`.
    """
    rows = claims.published(PAPER)
    printed = from_print()
    derived = rows["cell"].isin([cell for _, cell in printed])
    reasons, ours = {}, {}
    for row in rows.itertuples(index=False):
        pair, _, cell = row.cell.rpartition(" | ")
        here = {p: values.get((row.place, cell)) for p, values in pairs.items()}
        if campaign == OWN and pair in here:
            ours[row.place, row.cell] = here[pair]
            continue
        said = "; ".join(f"{p} {v}" for p, v in here.items() if v is not None and v == v)
        reason = f"the WMT22 files are not here (make data CAMPAIGN={OWN})"
        reasons[row.place, row.cell] = reason + (f"; {campaign}: {said}" if said else "")
    words = {
        ("Section 1", "segment ratings of both datasets"): (
            "segments x systems x 3 of Table 1; the paper rounds (nearly 140,000)"
        ),
        ("Section 6.1.2", "en-de | least normalised entropy"): (
            "three raters can cover all seven buckets: 78, 78 and 25 documents"
        ),
        ("Section 6.1.2", "en-zh | least normalised entropy"): (
            "ln 2 / ln 6 = .387 for two buckets of 90 and 91; the paper cuts to .38"
        ),
    }
    parts = [
        claims.compare(
            rows[derived],
            printed,
            provenance="recomputed from print",
            reasons=words,
            tolerance={("Section 1", "segment ratings of both datasets"): 2000},
        ),
        claims.compare(
            rows[~derived] if campaign != OWN else rows[rows["place"] != "Section 1"],
            ours,
            provenance="official",
            reasons=reasons,
            tolerance={("Figure 3", "en-de | SRP of pSxS over SRP without grouping"): 0.3},
        ),
    ]
    return pd.concat(parts, ignore_index=True)
