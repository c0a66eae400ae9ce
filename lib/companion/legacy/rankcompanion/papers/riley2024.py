"""Riley et al. 2024: the paper's numbers next to those of a campaign."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import entropy

from companion.legacy.paperkit import claims
from companion.legacy.paperkit.claims import yes

from ..notebooks.srp.findings import FEW, difference

PAPER = "riley2024"
OWN = "wmt22-mqm"  # the paper's campaign
ON = ["place", "pair", "statistic"]
TABLE_1 = [
    "documents",
    "segments",
    "min segments per document",
    "max segments per document",
]
TABLE_1 += ["raters", "systems"]


def across(tables: object) -> pd.DataFrame:
    """Ledger rows of what follows from the paper's own numbers, without its data.

    The published file gives the reasons.
    """
    sizes = {
        "en-de": (181, 7, 7, [78, 78, 25]),
        "en-zh": (181, 2, 6, [90, 91]),
    }
    values: dict[tuple[str, str], Any] = {}
    for pair, (documents, buckets, raters, rated) in sizes.items():
        each = f"{documents // buckets}-{-(-documents // buckets)}"
        least = round(float(entropy(rated) / np.log(raters)), 3)
        values[pair, "documents per bucket"] = each
        values[pair, "buckets per rater"] = f"{3 * buckets / raters:g}"
        values[pair, "least normalised entropy"] = least
    values["", "segment ratings of both datasets"] = (
        1315 * 15 * 3 + 2037 * 13 * 3
    )
    rows = claims.published(PAPER)
    rows = rows[rows["from_print"] != ""].rename(
        columns={"from_print": "reason"}
    )
    ours = [
        values[key]
        for key in zip(rows["pair"], rows["statistic"], strict=True)
    ]
    rounded = rows["place"].map({"Section 1": 2000.0})  # the paper rounds
    known = rows[ON].assign(ours=ours, tolerance=rounded)
    return claims.compare(rows, known, ON, provenance="recomputed from print")


def measured(
    counts: pd.DataFrame,
    agreement: pd.DataFrame,
    verdicts: pd.DataFrame,
    table: pd.DataFrame,
) -> pd.DataFrame:
    """A campaign's values for the paper's statistics: columns `ON`, ours and interval.

    The interval is that of the difference in SRP behind a verdict, two standard errors each way.
    `counts` and `agreement` are ``table1.csv`` and ``table2.csv``, with a column per language pair;
    `verdicts` and `table` are the pairs' ``verdicts.csv`` and ``srp.csv``, with a column pair.
    """
    rows: list[tuple[Any, ...]] = []
    of_count = counts.set_index("count")
    of_agreement = agreement.set_index("aggregation")
    for pair in of_agreement:
        number = of_count[pair]
        tau = of_agreement[pair]
        for name in ("buckets", "documents per bucket", "buckets per rater"):
            rows.append(("Section 4.2", pair, name, number[name]))
        rows += [("Table 1", pair, name, number[name]) for name in TABLE_1]
        for name in ("single documents", "all shared documents"):
            rows.append(("Table 2", pair, name, round(float(tau[name]), 4)))
        least = round(float(number["least entropy"]), 4)
        rows.append(("Section 6.1.2", pair, "least normalised entropy", least))
        mine = verdicts[verdicts["pair"] == pair]
        for row in mine.itertuples(index=False):
            interval = (
                f"{row.difference:+.3f} ± {2 * row.se:.3f}"
                if row.se >= 0
                else ""
            )
            rows.append(
                (
                    f"Figure {row.figure}",
                    pair,
                    row.finding,
                    row.verdict,
                    interval,
                )
            )
        first = mine.set_index("finding").loc["pSxS above no grouping"]
        ratio = round(float(first["ratio"]), 2)
        rows.append(
            ("Figure 3", pair, "SRP of pSxS over SRP without grouping", ratio)
        )
        same = (
            np.sign(
                first[["kendall", "pearson", "difference"]].astype(float)
            ).nunique()
            == 1
        )
        rows.append(
            (
                "Section 5",
                pair,
                "Pearson and Kendall point the same way",
                yes(same),
            )
        )
        claiming = table[
            (table["pair"] == pair) & (table["empty_share"] < FEW)
        ]
        near = (claiming["srp_both"] < 0.1).mean() > 0.5
        statistic = "SRP with significance in both studies near 0"
        rows.append(("Footnote 3", pair, statistic, yes(near)))
    table = pd.DataFrame(rows, columns=[*ON, "ours", "interval"]).astype(
        {"ours": object}
    )
    return table.fillna({"interval": ""})


def ledger(campaign: str, measured: pd.DataFrame) -> pd.DataFrame:
    """The paper's ledger rows: compared on the paper's campaign, without data on any other.

    On another campaign, the reasons give the values that were `measured` there.
    """
    rows = claims.published(PAPER)
    derived = across({})
    if campaign == OWN:
        rows = rows[rows["place"] != "Section 1"]
        ours = measured.assign(reason=measured.get("interval"))
    else:
        rows = rows[~rows["cell"].isin(derived["cell"])]
        ours = rows[ON].assign(
            ours=None,
            reason=rows["no_data"] + _values(rows, campaign, measured),
        )
    official = claims.compare(rows, ours, ON, provenance="official")
    return pd.concat([derived, official], ignore_index=True)


def _values(
    rows: pd.DataFrame, campaign: str, measured: pd.DataFrame
) -> pd.Series:
    """The values of this campaign's pairs for each row, such as ``; wmt23-mqm: en-de 30; ...``.

    For a finding, whether the pair agrees with the paper, such as ``as found``, and the interval.
    """
    known = measured[measured["ours"].notna()].assign(
        interval=measured.get("interval", "")
    )
    both = rows.reset_index().merge(
        known, on=["place", "statistic"], suffixes=("", "_here")
    )
    each = [
        f"{here} {_together(ours, {pair: stated})} (difference in SRP {interval})"
        if interval
        else f"{here} {ours}"
        for here, ours, interval, pair, stated in both[
            ["pair_here", "ours", "interval", "pair", "published"]
        ].itertuples(index=False)
    ]
    listed = (
        pd.Series(each, both.index, dtype=object)
        .groupby(both["index"])
        .agg("; ".join)
    )
    return (f"; {campaign}: " + listed.reindex(rows.index)).fillna("")


def beside_paper(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Verdicts on the paper's findings next to what the paper says, and whether they agree.

    The columns of `verdicts`, then paper (pair to ``yes``, ``no`` or ``reversed``) and holds: ``as
    found``, ``opposite``, ``not told apart`` (no clear difference where the paper has one), ``as
    on`` the first pair that agrees (if the paper's pairs differ), or ``cannot be said``.
    """
    groups = (
        claims.published(PAPER)
        .set_index("pair")
        .groupby("statistic")["published"]
    )
    stated = [
        groups.get_group(finding).to_dict() for finding in verdicts["finding"]
    ]
    return verdicts.assign(
        paper=stated, holds=list(map(_together, verdicts["verdict"], stated))
    )


def on_figure(verdicts: pd.DataFrame, number: int) -> pd.DataFrame:
    """What the paper says of one of its figures and whether it holds, a row per finding, as text.

    Columns finding, in the paper, here, the finding (``holds`` of `beside_paper`), SRP and at equal
    claims (`difference` of the two lines), tau, r, document counts that say something.
    """
    rows = beside_paper(verdicts[verdicts["figure"] == number])
    said = [
        ", ".join(f"{pair} {value}" for pair, value in one.items())
        for one in rows["paper"]
    ]
    table = rows[["finding"]].assign(
        **{
            "in the paper": said,
            "here": rows["verdict"],
            "the finding": rows["holds"],
        }
    )
    table["SRP"] = rows.apply(difference, axis=1)
    table["at equal claims"] = rows.apply(
        difference, axis=1, which="_equal_claims"
    )
    table["tau"] = rows["kendall"].map("{:+.3f}".format)
    table["r"] = rows["pearson"].map("{:+.3f}".format)
    counted = rows["informative"].map(str) + " of " + rows["points"].map(str)
    return table.assign(**{"document counts that say something": counted})


def _together(verdict: str, stated: dict[str, str]) -> str:
    """Whether a verdict here agrees with what the paper says of its pairs."""
    alike = [pair for pair, value in stated.items() if value == verdict]
    if verdict == "cannot be said":
        return verdict
    if alike:
        return (
            "as found"
            if len(set(stated.values())) == 1
            else f"as on {alike[0]}"
        )
    return "not told apart" if verdict == "no" else "opposite"
