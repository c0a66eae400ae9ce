"""The parts of notebook 06: tables and figures of one campaign, written and ready to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..papers import claims, riley2024, riley2024_findings, riley2024_ledger
from ..papers.riley2024 import Plan
from ..plot import srp as figures_srp
from ..report.outputs import Outputs
from ..score import mqm
from ..score.mqm import Ratings
from . import twin_studies as srp_protocols
from .srp_studies import minimum_entropy


def several(data: Mapping[str, Ratings]) -> dict[str, Ratings]:
    """The pairs with at least two ratings per item, which studies can choose from."""
    return {pair: one for pair, one in data.items() if one.shape[2] > 1}


def single_rated(data: Mapping[str, Ratings], what: str) -> dict[str, str]:
    """For `run.show`: that a part is left out for pairs with one rating per item; empty if none.

    Parameters
    ----------
    what : str
        The part, in the plural: ``"Tables 1 and 2"``.
    """
    pairs = [pair for pair, one in data.items() if one.shape[2] < 2]
    if not pairs:
        return {}
    text = (
        f"{what} need at least two ratings per item; {', '.join(pairs)} "
        f"{'has' if len(pairs) == 1 else 'have'} one, and {'is' if len(pairs) == 1 else 'are'} "
        "left out here."
    )
    return {"Left out": text}


def configurations(tables: Mapping[str, pd.DataFrame], own: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``srp.csv``: the simulated configurations; without any, those of the effort.

    Parameters
    ----------
    tables : mapping
        Pair to the result of `srp.table`.
    own : DataFrame
        From `srp_protocols.curves`.
    """
    if not tables:
        return srp_protocols.as_srp(own)
    return by_pair(tables)


def by_pair(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Frames of several pairs one under the other, the pair as first column."""
    return pd.concat(frames, names=["pair"]).reset_index("pair").reset_index(drop=True)


def counts_table(data: Mapping[str, Ratings]) -> pd.DataFrame:
    """Table 1 and section 4.2, one column per pair, with the least entropies of section 6.1.2.

    For pairs with `several` ratings per item, as all of the paper's.
    """
    columns = {}
    for pair, one in data.items():
        least = minimum_entropy(one)
        columns[pair] = riley2024.basic_counts(one) | {"least entropy": round(least, 4)}
    frame = pd.DataFrame(columns)
    return frame.rename_axis("count").reset_index()


def agreement_table(data: Mapping[str, Ratings]) -> pd.DataFrame:
    """Table 2, one column per pair of `several` ratings per item."""
    frame = pd.DataFrame({pair: riley2024.agreement(one) for pair, one in data.items()})
    return frame.rename_axis("aggregation").reset_index()


def agreement_sentence(table: pd.DataFrame) -> str:
    """Whether the two levels of Table 2 disagree about which pair agrees more (section 4.3)."""
    values = table.set_index("aggregation")
    pairs = list(values.columns)
    single, shared = values.loc["single documents"], values.loc["all shared documents"]
    text = "; ".join(
        f"{p}: {single[p]:.2f} on single documents, {shared[p]:.2f} on all" for p in pairs
    )
    if len(pairs) != 2:
        return f"Mean Kendall's tau between raters. {text}."
    opposed = (single[pairs[0]] - single[pairs[1]]) * (shared[pairs[0]] - shared[pairs[1]]) < 0
    verdict = "disagree" if opposed else "agree"
    return (
        f"{text}. The two levels **{verdict}** on which pair has the higher agreement "
        "(in the paper they disagree)."
    )


def rater_sentence(frame: pd.DataFrame) -> str:
    """What Figure 1 shows."""
    means = frame.groupby("rater", sort=False)["mean"].first().sort_values()
    clean = frame[frame["score"] == "0"].set_index("rater")["share"]
    low, high = means.index
    return (
        f"On the same translations {high} scores {means[high]:.1f} on average and {low} "
        f"{means[low]:.1f}; they find no error in {clean[high]:.0%} and {clean[low]:.0%}."
    )


def same_sentence(systems: tuple[str, ...]) -> str:
    """Which systems are there twice, and what is done about it."""
    groups = mqm.same_system(systems)
    if not groups:
        return "No system was judged twice."
    listed = "; ".join(" = ".join(g) for g in groups)
    return (
        f"**Judged twice**: {listed}. Both stay in by default, as in the release (parameter "
        "`without` leaves systems out); below, what that does to SRP."
    )


def duplicate_sentence(frame: pd.DataFrame) -> str:
    """What the system judged twice shows."""
    if frame.empty:
        return "No system was judged twice."
    parts = []
    for row in frame.itertuples(index=False):
        parts.append(
            f"{row.grouping}: {row.false_claims:.1%} of studies find the copies different; SRP "
            f"{row.srp:.2f} with both, {row.srp_without_first:.2f} and "
            f"{row.srp_without_second:.2f} without one"
        )
    return (
        "A true difference of zero, so that 5 % is what the test allows. " + "; ".join(parts) + "."
    )


def figure(
    out: Outputs,
    pair: str,
    number: int,
    table: pd.DataFrame,
    found: pd.DataFrame,
    data: Ratings,
    plan: Plan,
) -> dict[str, Any]:
    """One of figures 3 to 8 for a pair, written as ``figure<n>``; with its computed sentence.

    Parameters
    ----------
    table, found : DataFrame
        From `srp.table` and `riley2024_findings.findings`.
    """
    low = riley2024.high_imbalance(data, plan)
    drawn = figures_srp.curve_data(table, riley2024.figure_series(number, plan, low))
    title = f"{pair}: {riley2024.TITLES[number]}"
    if number == 8:
        fig = figures_srp.srp_curves(drawn, title, "annotations", "documents × ratings per item")
    else:
        fig = figures_srp.srp_curves(drawn, title)
    text = riley2024_findings.sentence(found, number)
    if number == 4:
        text += " " + riley2024_findings.infeasible(table)
    return {
        f"{pair}, figure {number}": out.figure(fig, f"figure{number}", pair=pair, data=drawn),
        "What to see": text,
    }


def ledger(
    campaign: str,
    counts: pd.DataFrame | None,
    agreement: pd.DataFrame | None,
    found: Mapping[str, pd.DataFrame],
    tables: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """This run's rows of the claims ledger, from what was shown above; none without studies."""
    if counts is None or agreement is None:
        return pd.DataFrame(columns=claims.COLUMNS)
    values = {
        pair: riley2024_ledger.measured(
            counts.set_index("count")[pair],
            agreement.set_index("aggregation")[pair],
            found[pair],
            tables[pair],
        )
        for pair in found
    }
    return riley2024_ledger.ledger(campaign, values)
