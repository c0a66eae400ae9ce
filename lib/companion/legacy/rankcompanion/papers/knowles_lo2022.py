"""Knowles and Lo 2022: the rankings of WMT20 English–Inuktitut on two test sets."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from companion.legacy.paperkit import claims
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    DirectAssessment,
    of_systems,
    of_type,
    rows_with,
    select_rows,
    unmarked,
)
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.da import judgment_z
from companion.legacy.rankstability.score.scored import segment_scores

PAPER = "knowles_lo2022"
OWN = "wmt20-iku"
TABLES = {"Hansard": "Table 3", "News": "Table 4"}
STANDARD = {
    "Hansard": "",
    "News": "SRPOL.383",
}  # the system that scores are standardised by
LEVELS = (0.001, 0.01, 0.05)


def ranking(da: DirectAssessment, standard: str = "") -> pd.DataFrame:
    """The ranking of a test set as in the paper.

    Segment scores include repeats. z-scores are by annotator, with the mean and standard deviation
    of the rows that are not control items, or of those of the system `standard`. A line is drawn
    below a system that differs from all below it (Mann-Whitney test of SciPy before 1.7).

    Columns rank, system, mean_raw, mean_z, line (the smallest of `LEVELS` at which there is a line
    below the system; missing: none). Raises DataError if `standard` has no rows.
    """
    chosen = select_rows(da, "every repeat")
    rows = unmarked(da.latest)
    if "mark" in da.latest:
        rows |= rows_with(da.latest, "mark", ["superseded"])
    rows &= of_type(da.latest, "SYSTEM")
    if standard:
        rows &= of_systems(da.latest, [standard])
        if not rows.any():
            raise DataError(
                "no rows of the system to standardise by", value=standard
            )
    scores = segment_scores(chosen, judgment_z(chosen, rows))
    made = rank_systems(scores, test="scipy<1.7", rule="knowles")
    table = made.table[["rank", "system", "mean_raw", "mean_z"]].reset_index(
        drop=True
    )
    table["line"] = np.nan
    for level in sorted(LEVELS, reverse=True):
        table.loc[
            table["rank"].isin(made.under(alpha=level).lines), "line"
        ] = level
    return table


def ledger(rankings: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows: the paper's rankings and lines next to ours, from each test set's `ranking`."""
    parts = []
    for name, table in rankings.items():
        values = table.assign(
            mean_raw=table["mean_raw"].map("{:.1f}".format),
            mean_z=table["mean_z"].map("{:.3f}".format),
            line=table["line"].map(
                lambda v: "none" if np.isnan(v) else f"{v:g}"
            ),
        )
        long = values.melt(
            "rank",
            ["system", "mean_raw", "mean_z", "line"],
            "statistic",
            "ours",
        )
        long = long[
            ~(long["statistic"].eq("line") & long["rank"].eq(len(table)))
        ]
        parts.append(long.assign(place=TABLES[name]))
    ours = pd.concat(parts, ignore_index=True)
    on = ["place", "statistic", "rank"]
    return claims.compare(
        claims.published(PAPER), ours, on, provenance="official"
    )
