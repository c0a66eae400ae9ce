"""What the campaigns and papers here say together: the front page's findings, from their tables.

Each is a number with an interval over what was drawn: language pairs (or tasks) of a campaign are
resampled, since cases of one pair share its judgments. The sentences stand in ``findings.j2``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..chance import named_generator
from ..rank.units import TWO_WAY
from . import ledger

DRAWS = 4000
SETS = ("human+ref", "ref", "lowest", "highest")  # of notebook 02: not single systems
SLIPS = ("slip", "misprint", "the sentence contradicts")  # how reasons of the ledger begin
RECIPE = "wmt17"  # the recipe of the direct assessments of WMT17 to WMT21
UNITS = (TWO_WAY, "worker", "document", "block")  # the outermost that a table has
Tables = Callable[[str, str], pd.DataFrame]


def gather(figures: Path) -> list[dict[str, Any]]:
    """The findings for which tables lie in `figures`, in the order of the argument.

    Returns
    -------
    list of dict
        key (which sentence), rows (one per campaign: campaign, part, whole, value, low, high,
        units, where the counts are), figure and page (places below ``figures/`` and in the site;
        empty where there is none).
    """
    tables = partial(ledger.campaign_tables, figures)
    made = []
    for key, notebook, picture, find in (
        ("removal", "02_outlier_removal", "cs-en/bump.png", removal),
        ("halves", "06_srp", "effort.png", halves),
        ("rules", "01_replication", "clusters_by_rule.png", rules),
        ("lines", "10_lines", "lines_held.png", lines),
        ("false", "10_lines", "false_lines.png", false_lines),
        ("methods", "07_relative_ranking", "readings.png", methods),
    ):
        rows = find(tables)
        if rows:
            made.append({"key": key, "rows": rows, **_shown(figures, notebook, picture, rows)})
    slips = misprints(figures / "claims_ledger.csv")
    if slips:
        made.append({"key": "misprints", "rows": [slips], "figure": "", "page": "ledger.html"})
    return made


def sentences(figures: Path) -> str:
    """The findings as a Markdown list, each with a link to its figure among the results."""
    from jinja2 import Environment, FileSystemLoader

    env = Environment(loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True)
    say = env.get_template("findings.j2").module.sentence  # type: ignore[attr-defined]
    items = []
    for found in gather(figures):
        link = f" ([figure](figures/{found['figure']}))" if found["figure"] else ""
        items.append(f"- {' '.join(say(found).split())}{link}")
    return "\n".join(items)


def _shown(
    figures: Path, notebook: str, picture: str, rows: list[dict[str, Any]]
) -> dict[str, str]:
    """The figure and page of the campaign in which the finding is strongest and drawn."""
    order = [str(row["campaign"]) for row in rows]
    drawn = [c for c in order if (figures / c / notebook / picture).is_file()]
    campaign = (drawn or order)[0]
    figure = f"{campaign}/{notebook}/{picture}" if drawn else ""
    return {"figure": figure, "page": f"{campaign}/{notebook}.html"}


def interval(part: np.ndarray, whole: np.ndarray) -> dict[str, Any]:
    """sum(part) / sum(whole), with the 95 % interval over resampled entries (pairs or tasks)."""
    drawn = named_generator(11, "findings").integers(0, len(part), (DRAWS, len(part)))
    sums = whole[drawn].sum(axis=1)
    ratios = part[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return {
        "part": float(part.sum()),
        "whole": float(whole.sum()),
        "value": float(part.sum() / whole.sum()),
        "low": float(low),
        "high": float(high),
        "units": len(part),
    }


def _by_campaign(table: pd.DataFrame, part: str, whole: str) -> list[dict[str, Any]]:
    """`interval` of each campaign with at least five pairs or tasks, largest value first."""
    rows = []
    for campaign, frame in table.groupby("campaign"):
        if len(frame) >= 5 and frame[whole].sum() > 0:
            numbers = frame[part].to_numpy(float), frame[whole].to_numpy(float)
            rows.append({"campaign": campaign, **interval(*numbers)})
    return sorted(rows, key=lambda row: -row["value"])


def removal(tables: Tables) -> list[dict[str, Any]]:
    """Removals of one system after which the others stand in another order."""
    changes = tables("02", "changes")
    if "removed" not in changes:
        return []
    single = changes[~changes["removed"].isin(SETS)]
    counted = single.groupby(["campaign", "pair"])["d_rank"].agg(["sum", "size"]).reset_index()
    return _by_campaign(counted, "sum", "size")


def halves(tables: Tables) -> list[dict[str, Any]]:
    """Kendall's tau by z of two halves with disjoint workers, the lowest campaign first."""
    effort = tables("06", "effort")
    if "level" not in effort:
        return []
    drawn = effort[(effort["unit"] == "workers") & (effort["normalisation"] == "z")]
    half = drawn[drawn["level"] == drawn["level"].max()]
    return _by_campaign(half.assign(one=1), "kendall", "one")[::-1]


def rules(tables: Tables) -> list[dict[str, Any]]:
    """Clusters under the line rule that draws most, over those under the one that draws fewest."""
    counts = tables("01", "clusters_by_rule")
    if "test" not in counts:
        return []
    counts = counts[(counts["test"] == "scipy<1.7") & (counts["correction"] == "none")]
    kinds = [c for c in counts.columns if c not in ("campaign", "pair", "test", "correction")]
    rows = []
    for campaign, frame in counts.groupby("campaign"):
        sums = frame[kinds].sum()
        if len(frame) >= 5 and sums.min() > 0:
            most, fewest = str(sums.idxmax()), str(sums.idxmin())
            ratio = interval(frame[most].to_numpy(float), frame[fewest].to_numpy(float))
            rows.append({"campaign": campaign, "most": most, "fewest": fewest, **ratio})
    return sorted(rows, key=lambda row: -row["value"])


def lines(tables: Tables) -> list[dict[str, Any]]:
    """Lines claimed by the recipe that also hold when the campaign's own unit is drawn anew."""
    counts = tables("10", "line_counts")
    if "claimed_and_held" not in counts:
        return []
    known = counts[(counts["recipe"] == RECIPE) & counts["claimed_and_held"].notna()]
    known = known[known["unit"].isin(UNITS)]
    rows = []
    for unit, frame in known.groupby("unit"):
        found = _by_campaign(frame, "claimed_and_held", "claimed")
        rows += [{"unit": unit, **row} for row in found]
    own: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: UNITS.index(row["unit"])):
        own.setdefault(row["campaign"], row)
    return sorted(own.values(), key=lambda row: row["value"])


def false_lines(tables: Tables) -> list[dict[str, Any]]:
    """Null campaigns (systems equal, shuffled by document) in which the recipe draws a line."""
    rates = tables("10", "false_lines")
    if "campaigns_with_line" not in rates:
        return []
    rates = rates[(rates["recipe"] == RECIPE) & (rates["unit"] == "document")].assign(one=1)
    found = _by_campaign(rates, "campaigns_with_line", "one")
    return [{"unit": "document", **row} for row in found]


def methods(tables: Tables) -> list[dict[str, Any]]:
    """Systems whose rank depends on the way in which wins are counted."""
    ranks = tables("07", "method_ranks")
    if "task" not in ranks:
        return []
    ways = ranks.drop(columns=["campaign", "task", "system"])
    moved = ranks.assign(moved=ways.max(axis=1) > ways.min(axis=1))
    counted = moved.groupby(["campaign", "task"])["moved"].agg(["sum", "size"]).reset_index()
    return _by_campaign(counted, "sum", "size")


def misprints(file: Path) -> dict[str, Any]:
    """Printed numbers that contradict the paper they stand in, each counted once."""
    if not file.is_file():
        return {}
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    wrong = rows[(rows["status"] == "differs") & rows["reason"].str.startswith(SLIPS)]
    cells = ledger.numbers(wrong)
    papers = cells["paper"].nunique()
    return {"part": len(cells), "whole": len(ledger.numbers(rows)), "papers": papers}
