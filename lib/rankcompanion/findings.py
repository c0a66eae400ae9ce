"""What the campaigns and papers here say together: the front page's findings, from their tables.

Each is a number with the range of the same number in single language pairs (or tasks): a campaign
has too few, six in one, for an interval by resampling. The sentences stand in ``findings.j2``.
`campaign_tables` gives a table of all real campaigns, as they stand below ``figures/``.
"""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd

from paperkit.placing import record
from paperkit.templates import template
from rankstability.rank.units import TWO_WAY
from rankstability.read.campaigns import catalogue, listed

KEY = ["paper", "place", "cell"]
SETS = ("human+ref", "ref", "lowest", "highest")  # of notebook 02: not single systems
SLIPS = ("slip", "misprint", "the sentence contradicts")  # how reasons of the ledger begin
RECIPE = "wmt17"  # the recipe of the direct assessments of WMT17 to WMT21
UNITS = (TWO_WAY, "worker", "document", "block")  # the outermost that a table has
ENDS = ("removal", "halves", "rules", "methods")  # only the first and the last campaign are said
Rows = list[dict[str, Any]]
TABLES = {  # of each finding: its notebook and table
    "removal": ("02_outlier_removal", "changes"),
    "halves": ("06_srp", "effort"),
    "rules": ("01_replication", "clusters_by_rule"),
    "lines": ("10_lines", "line_counts"),
    "false": ("10_lines", "false_lines"),
    "methods": ("07_relative_ranking", "method_ranks"),
    "fewest": ("02_outlier_removal", "fewest"),
}


def is_demo(campaign: str) -> bool:
    """Whether a folder below ``figures/`` belongs to a synthetic demo campaign."""
    return campaign.startswith("demo")


def campaign_tables(figures: Path, notebook: str, name: str) -> pd.DataFrame:
    """``<name>.csv`` of a notebook of all real campaigns that were run, `campaign` first.

    `notebook` is a beginning of its name, or ``catalogue`` with the name ``pairs``: what the
    catalogue says of each pair. ``run``: the settings in ``run.json``, a row per campaign.
    """
    if notebook == "catalogue":
        return _catalogue_pairs()
    frames = []
    for file in files_named(
        figures, f"{notebook}*", "run.json" if name == "run" else f"{name}.csv"
    ):
        if name == "run":
            frame = pd.DataFrame([record(file.parent)]).drop(columns="files", errors="ignore")
        else:
            frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
        frame = frame.drop(columns="campaign", errors="ignore")
        frame.insert(0, "campaign", file.parent.parent.name)
        frames.append(frame)
    kept = [frame for frame in frames if len(frame)] or frames[:1]
    return pd.concat(kept, ignore_index=True) if kept else pd.DataFrame({"campaign": []}, dtype=str)


def files_named(figures: Path, notebook: str, name: str) -> list[Path]:
    """That file of the catalogue's real campaigns: none that is synthetic or a user's own."""
    real = {campaign for campaign in catalogue() if not is_demo(campaign)}
    found = sorted(figures.glob(f"*/{notebook}/{name}"))
    return [file for file in found if file.parent.parent.name in real]


def _catalogue_pairs() -> pd.DataFrame:
    """A row per pair of each real campaign: what the catalogue says of how it was judged."""
    parts = [
        c.facts(c.known_pairs).assign(campaign=c.name, protocol=c.protocol, title=c.title)
        for c in listed()
        if not c.demo
    ]
    names = ["campaign", "pair", "protocol", "year", "style", "tool", "judged", "title"]
    return pd.concat(parts, ignore_index=True)[names]


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per printed number: those that stand under two readings are counted once."""
    cells = rows["cell"].str.replace("^as (stated|matched) [|] ", "", regex=True)
    return rows.assign(cell=cells).drop_duplicates(KEY)


def gather(figures: Path) -> Rows:
    """The findings for which tables lie in `figures`, in the order of the argument.

    Of each key (which sentence), rows (one per campaign that the sentence names and the figure
    draws: campaign, and what `over_pairs` gives),
    figure and page (places below ``figures/`` and in the site, or empty).
    """
    made = []
    for key, column, picture, find in (
        ("removal", "removed", "cs-en/bump.png", removal),
        ("fewest", "fewest", "", fewest),
        ("halves", "level", "effort.png", halves),
        ("rules", "test", "clusters_by_rule.png", rules),
        ("lines", "claimed_and_held", "lines_held.png", lines),
        ("false", "campaigns_with_line", "false_lines.png", false_lines),
        ("methods", "task", "readings.png", methods),
    ):
        notebook, name = TABLES[key]
        table = campaign_tables(figures, notebook, name)
        rows = find(table) if column in table else []
        if rows:  # with the campaign in which the finding is strongest and drawn
            order = [str(row["campaign"]) for row in rows]
            places = {c: figures / c / notebook / (picture or "none") for c in order}
            drawn = [c for c in order if places[c].is_file()]
            figure = f"{drawn[0]}/{notebook}/{picture}" if drawn else ""
            page = f"{(drawn or order)[0]}/{notebook}.html"
            said = [rows[0], *rows[1:][-1:]] if key in ENDS else rows
            made.append({"key": key, "rows": said, "figure": figure, "page": page})
    slips = misprints(figures / "claims_ledger.csv")
    if slips:
        made.append({"key": "misprints", "rows": [slips], "figure": "", "page": "ledger.html"})
    return made


def sentences(figures: Path) -> str:
    """The findings as a Markdown list, each with a link to its figure among the results."""
    say = template("findings.j2").module.sentence
    items = []
    for found in gather(figures):
        link = f" ([figure](figures/{found['figure']}))" if found["figure"] else ""
        items.append(f"- {unescape(' '.join(say(found).split()))}{link}")
    return "\n".join(items)


def over_pairs(part: pd.Series, whole: pd.Series) -> dict[str, Any]:
    """sum(part) / sum(whole), and the lowest and highest of the ratios of single pairs or tasks.

    Pairs without a whole (no line was claimed) are in no range; ``each`` has ratio and whole of the
    others.
    """
    part, whole = part[whole > 0].astype(float), whole[whole > 0].astype(float)
    ratios = part / whole
    total, of = float(part.sum()), float(whole.sum())
    return {
        "part": total, "whole": of, "value": total / of, "low": float(ratios.min()),
        "high": float(ratios.max()), "units": len(part), "each": [*zip(ratios, whole, strict=True)],
    }  # fmt: skip


def _by_campaign(table: pd.DataFrame, part: str, whole: str) -> Rows:
    """`over_pairs` of each campaign with at least five pairs or tasks, largest value first."""
    rows = []
    for campaign, frame in table.groupby("campaign"):
        if len(frame) >= 5 and frame[whole].sum() > 0:
            rows.append({"campaign": campaign, **over_pairs(frame[part], frame[whole])})
    return sorted(rows, key=lambda row: -row["value"])


def _counted(cases: pd.DataFrame, by: str, changed: str) -> Rows:
    """The share of cases in which `changed` is 1, cases of one pair or task (`by`) together."""
    counted = cases.groupby(["campaign", by])[changed].agg(["sum", "size"]).reset_index()
    return _by_campaign(counted, "sum", "size")


def removal(changes: pd.DataFrame) -> Rows:
    """Removals of one system after which the others stand in another order; how it was judged."""
    found = _counted(changes[~changes["removed"].isin(SETS)], "pair", "d_rank")
    styles = campaign_tables(Path(), "catalogue", "pairs").groupby("campaign")["style"]
    known = styles.agg(lambda style: " and ".join(sorted(set(style)))).to_dict()
    return [{"style": known.get(row["campaign"], ""), **row} for row in found]


def fewest(table: pd.DataFrame) -> Rows:
    """Fewest judgments without which another is first, as shares of all: by pair, the median.

    ``part`` and ``whole`` are of the language pair (``pair``) with the smallest share; the campaign
    in which that is smallest comes first.
    """
    first = table[(table["what"] == "first") & (table["unit"] == "judgment")]
    first = first.dropna(subset="fewest").assign(share=first["fewest"] / first["of"])
    rows = []
    for campaign, frame in first.groupby("campaign"):
        least, shares = frame.loc[frame["share"].idxmin()], frame["share"]
        rows.append(
            {
                "campaign": campaign, "pair": least["pair"], "exact": bool(least["exact"]),
                "part": float(least["fewest"]), "whole": float(least["of"]),
                "value": float(shares.median()), "low": float(shares.min()),
                "high": float(shares.max()), "units": len(frame),
                "each": [*zip(shares, frame["of"].astype(float), strict=True)],
            }
        )  # fmt: skip
    return sorted(rows, key=lambda row: row["low"])


def halves(effort: pd.DataFrame) -> Rows:
    """Kendall's tau by z of two halves with disjoint workers, the lowest campaign first."""
    drawn = effort[(effort["unit"] == "workers") & (effort["normalisation"] == "z")]
    half = drawn[drawn["level"] == drawn["level"].max()]
    return _by_campaign(half.assign(one=1), "kendall", "one")[::-1]


def rules(counts: pd.DataFrame) -> Rows:
    """Clusters under the line rule that draws most, over those under the one that draws fewest."""
    counts = counts[(counts["test"] == "scipy<1.7") & (counts["correction"] == "none")]
    kinds = counts.columns.difference(["campaign", "pair", "test", "correction"], sort=False)
    rows = []
    for _, frame in counts.groupby("campaign"):
        sums = frame[kinds].sum()
        most, fewest = str(sums.idxmax()), str(sums.idxmin())
        found = _by_campaign(frame, most, fewest) if sums.min() > 0 else []
        rows += [{"most": most, "fewest": fewest, **row} for row in found]
    return sorted(rows, key=lambda row: -row["value"])


def _by_recipe(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `RECIPE`, without campaigns of MQM, which it never ranked."""
    protocols = {name: str(entry.get("protocol")) for name, entry in catalogue().items()}
    mqm = table["campaign"].map(protocols) == "MQM"
    return table[(table["recipe"] == RECIPE) & ~mqm]


def lines(counts: pd.DataFrame) -> Rows:
    """Lines claimed by the recipe that also hold with others of the campaign's own units."""
    counts = _by_recipe(counts)
    known = counts[counts["claimed_and_held"].notna()]
    own: dict[str, dict[str, Any]] = {}
    for unit in UNITS:
        for row in _by_campaign(known[known["unit"] == unit], "claimed_and_held", "claimed"):
            own.setdefault(row["campaign"], {"unit": unit, **row})
    return sorted(own.values(), key=lambda row: row["value"])


def false_lines(rates: pd.DataFrame) -> Rows:
    """Null campaigns (systems equal, shuffled by document) in which the recipe draws a line."""
    rates = _by_recipe(rates)
    rates = rates[rates["unit"] == "document"].assign(one=1)
    found = _by_campaign(rates, "campaigns_with_line", "one")
    return [{"unit": "document", **row} for row in found]


def methods(ranks: pd.DataFrame) -> Rows:
    """Systems with other ranks in any two ways to count wins; ``two``: by Bojar's and expected."""
    ways = ranks.columns.drop(["campaign", "task", "system"])
    two = ["bojar", "expected_win"]
    found, those = (
        _counted(ranks.assign(moved=ranks[of].max(axis=1) > ranks[of].min(axis=1)), "task", "moved")
        for of in (ways, two)
    )
    by_two = {row["campaign"]: row for row in those}
    return [{"ways": len(ways), "two": by_two[row["campaign"]], **row} for row in found]


def misprinted(rows: pd.DataFrame) -> pd.Series:
    """Which rows of claims are of a printed number that contradicts its own paper."""
    return (rows["status"] == "differs") & rows["reason"].str.startswith(SLIPS)


def misprints(file: Path) -> dict[str, Any]:
    """Printed numbers that contradict the paper they stand in, each counted once."""
    if not file.is_file():
        return {}
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    cells = numbers(rows[misprinted(rows)])
    papers = cells["paper"].nunique()
    return {"part": len(cells), "whole": len(numbers(rows)), "papers": papers}
