"""Riley et al. 2024 on the claims ledger: checks on WMT22, elsewhere what this data give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from . import claims
from .riley2024 import FEW, OWN, PAPER


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
