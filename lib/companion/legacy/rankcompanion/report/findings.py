"""The findings of the front page, from the tables of all campaigns.

Each finding is a number, with the range of that number over single language pairs (or tasks):
campaigns have too few of these, one only six, for an interval by resampling. Titles and sentences
are in ``findings.j2``. `campaign_tables` combines a table over all real campaigns below
``figures/``.
"""

from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd

from companion.legacy.paperkit.placing import record
from companion.legacy.paperkit.templates import template
from companion.legacy.rankcampaigns.campaigns import catalogue, listed
from companion.legacy.rankcampaigns.languages import spoken
from companion.legacy.rankstability.rank.units import TWO_WAY

KEY = ["paper", "place", "cell"]
SETS = (
    "human+ref",
    "ref",
    "lowest",
    "highest",
)  # removals of notebook 02 that name no system
SLIPS = (
    "slip",
    "misprint",
    "the sentence contradicts",
)  # reasons in the ledger begin with these
RECIPE = "wmt17"  # the recipe of the direct assessments of WMT17 to WMT21
UNITS = (
    TWO_WAY,
    "worker",
    "document",
    "block",
)  # the first that a campaign has is taken
LEAD = (
    "fewest",
    "lines",
    "judges",
)  # the front page and the README show these in full
ENDS = (
    "removal",
    "halves",
    "rules",
    "methods",
)  # only the first and the last campaign are named
Rows = list[dict[str, Any]]
PEOPLE = "people: "  # how rows of people among judges begin
TABLES = {  # notebook and table of each finding
    "judges": ("12_judges", "judges"),
    "removal": ("02_outlier_removal", "changes"),
    "halves": ("06_srp", "effort"),
    "rules": ("01_replication", "clusters_by_rule"),
    "lines": ("10_lines", "line_counts"),
    "false": ("10_lines", "false_lines"),
    "methods": ("07_relative_ranking", "method_ranks"),
    "fewest": ("00_verdict", "fewest"),
}


def is_demo(campaign: str) -> bool:
    """Whether a folder below ``figures/`` belongs to a synthetic demo campaign."""
    return campaign.startswith("demo")


def campaign_tables(figures: Path, notebook: str, name: str) -> pd.DataFrame:
    """The table ``<name>.csv`` of a notebook over all real campaigns, with a column campaign.

    `notebook` is the beginning of its name; ``catalogue`` gives what the catalogue says of each
    pair. For the name ``run``, the settings in ``run.json``, a row per campaign. Empty if no real
    campaign has the table.
    """
    if notebook == "catalogue":
        return _catalogue_pairs()
    frames = []
    for file in files_named(
        figures, f"{notebook}*", "run.json" if name == "run" else f"{name}.csv"
    ):
        if name == "run":
            frame = pd.DataFrame([record(file.parent)]).drop(
                columns="files", errors="ignore"
            )
        else:
            frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
        frame = frame.drop(columns="campaign", errors="ignore")
        frame.insert(0, "campaign", file.parent.parent.name)
        frames.append(frame)
    kept = [frame for frame in frames if len(frame)] or frames[:1]
    return (
        pd.concat(kept, ignore_index=True)
        if kept
        else pd.DataFrame({"campaign": []}, dtype=str)
    )


def files_named(figures: Path, notebook: str, name: str) -> list[Path]:
    """The files ``<campaign>/<notebook>/<name>`` of real campaigns of the catalogue.

    Synthetic campaigns and users' own are left out; `notebook` may be a pattern.
    """
    real = {campaign for campaign in catalogue() if not is_demo(campaign)}
    found = sorted(figures.glob(f"*/{notebook}/{name}"))
    return [file for file in found if file.parent.parent.name in real]


def _catalogue_pairs() -> pd.DataFrame:
    """What the catalogue says of how each pair of each real campaign was judged, a row per pair."""
    parts = [
        c.facts(c.known_pairs).assign(
            campaign=c.name, protocol=c.protocol, title=c.title
        )
        for c in listed()
        if not c.demo
    ]
    names = [
        "campaign",
        "pair",
        "protocol",
        "year",
        "style",
        "tool",
        "judged",
        "title",
    ]
    return pd.concat(parts, ignore_index=True)[names]


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per printed number: a number with a row for each of two readings counts once."""
    cells = rows["cell"].str.replace(
        "^as (stated|matched) [|] ", "", regex=True
    )
    return rows.assign(cell=cells).drop_duplicates(KEY)


def gather(figures: Path) -> Rows:
    """The findings for which `figures` has tables, in the order of the argument.

    Keys of each: key (which sentence), rows (one per campaign that the sentence names and the
    figure draws: campaign, and the keys of `over_pairs`), figure and page (paths below ``figures/``
    and in the site, or empty).
    """
    made = []
    for key, column, picture, find in (
        ("fewest", "fewest", "", fewest),
        ("lines", "claimed_and_held", "lines_held.png", lines),
        ("judges", "worth", "en-de/worth.png", judges),
        ("removal", "removed", "de-en/bump.png", removal),
        ("halves", "level", "effort.png", halves),
        ("rules", "test", "clusters_by_rule.png", rules),
        ("false", "campaigns_with_line", "false_lines.png", false_lines),
        ("methods", "task", "readings.png", methods),
    ):
        notebook, name = TABLES[key]
        table = campaign_tables(figures, notebook, name)
        rows = find(table) if column in table else []
        if rows:  # linked: the first, strongest campaign that has the figure
            order = [str(row["campaign"]) for row in rows]
            places = {
                c: figures / c / notebook / (picture or "none") for c in order
            }
            drawn = [c for c in order if places[c].is_file()]
            figure = f"{drawn[0]}/{notebook}/{picture}" if drawn else ""
            page = f"{(drawn or order)[0]}/{notebook}.html"
            if key == "fewest":
                page = f"{least(rows)['campaign']}/{notebook}.html"
            said = [rows[0], *rows[1:][-1:]] if key in ENDS else rows
            made.append(
                {"key": key, "rows": said, "figure": figure, "page": page}
            )
    slips = misprints(figures / "claims_ledger.csv")
    if slips:
        made.append(
            {
                "key": "misprints",
                "rows": [slips],
                "figure": "",
                "page": "ledger.html",
            }
        )
    return made


def sentences(figures: Path) -> str:
    """The leading findings as a Markdown list, each with a link to its figure among the results."""
    say = template("findings.j2").module
    items = []
    answers = gather(figures)
    for found in answers[: leading(answers)]:
        link = (
            f" ([figure](figures/{found['figure']}))"
            if found["figure"]
            else ""
        )
        title = _line(say.title(found))
        items.append(f"- **{title}.** {_line(say.sentence(found))}{link}")
    return "\n".join(items)


def leading(answers: Rows) -> int:
    """How many of the findings, from the first on, are shown in full."""
    return sum(answer["key"] in LEAD for answer in answers)


def _line(text: str) -> str:
    """The text of a template on one line, without entities."""
    return unescape(" ".join(text.split()))


def over_pairs(part: pd.Series, whole: pd.Series) -> dict[str, Any]:
    """sum(part) / sum(whole), and the lowest and highest ratio of single pairs or tasks.

    Pairs whose whole is 0 (no line was claimed) are left out. Keys part, whole (the sums), value,
    low, high, units (how many pairs), each (ratio and whole of each pair).
    """
    part = part[whole > 0].astype(float)
    whole = whole[whole > 0].astype(float)
    ratios = part / whole
    total = float(part.sum())
    of = float(whole.sum())
    return {
        "part": total, "whole": of, "value": total / of, "low": float(ratios.min()),
        "high": float(ratios.max()), "units": len(part), "each": [*zip(ratios, whole, strict=True)],
    }  # fmt: skip


def _by_campaign(table: pd.DataFrame, part: str, whole: str) -> Rows:
    """`over_pairs` of each campaign with at least five pairs or tasks, largest value first."""
    rows = []
    for campaign, frame in table.groupby("campaign"):
        if len(frame) >= 5 and frame[whole].sum() > 0:
            rows.append(
                {"campaign": campaign, **over_pairs(frame[part], frame[whole])}
            )
    return sorted(rows, key=lambda row: -row["value"])


def _counted(cases: pd.DataFrame, by: str, changed: str) -> Rows:
    """The share of cases in which `changed` is 1, over the pairs or tasks (`by`) of campaigns."""
    counted = (
        cases.groupby(["campaign", by])[changed]
        .agg(["sum", "size"])
        .reset_index()
    )
    return _by_campaign(counted, "sum", "size")


def removal(changes: pd.DataFrame) -> Rows:
    """The share of removals of one system that change the order of the others, with the style."""
    found = _counted(changes[~changes["removed"].isin(SETS)], "pair", "d_rank")
    styles = campaign_tables(Path(), "catalogue", "pairs").groupby("campaign")[
        "style"
    ]
    known = styles.agg(
        lambda style: " and ".join(sorted(set(style)))
    ).to_dict()
    return [{"style": known.get(row["campaign"], ""), **row} for row in found]


def fewest(table: pd.DataFrame) -> Rows:
    """The fewest judgments without which another system is first, as a share of all judgments.

    ``value`` is the median over language pairs (or tasks); ``part`` and ``whole`` are those of the
    one with the smallest share (``task``). Campaigns are in order of the median. ``counts``: what
    is counted, ``judgments``, ``comparisons``, or ``averages`` of segments.
    """
    counted = {name: _counts(entry) for name, entry in catalogue().items()}
    first = table[(table["what"] == "first") & (table["unit"] == "judgment")]
    first = first.dropna(subset="fewest").assign(
        share=first["fewest"] / first["of"]
    )
    rows = []
    for campaign, frame in first.groupby("campaign"):
        least = frame.loc[frame["share"].idxmin()]
        shares = frame["share"]
        rows.append(
            {
                "campaign": campaign, "task": least["task"], "exact": bool(least["exact"]),
                "counts": counted.get(str(campaign), "judgments"),
                "spoken": spoken(str(least["task"])),
                "part": float(least["fewest"]), "whole": float(least["of"]),
                "value": float(shares.median()), "low": float(shares.min()),
                "high": float(shares.max()), "units": len(frame),
                "each": [*zip(shares, frame["of"].astype(float), strict=True)],
            }
        )  # fmt: skip
    return sorted(rows, key=lambda row: row["value"])


def least(rows: Rows) -> dict[str, Any]:
    """The campaign that the sentence of `fewest` begins with: of judgments, the smallest share."""
    judged = [row for row in rows if row["counts"] == "judgments"]
    return min(judged or rows, key=lambda row: row["low"])


def _counts(entry: Mapping[str, Any]) -> str:
    """What a campaign of the catalogue has, of which the fewest are counted."""
    if entry.get("protocol") == "RR":
        return "comparisons"
    return "averages" if entry.get("format") == "segments" else "judgments"


def halves(effort: pd.DataFrame) -> Rows:
    """Kendall's tau between halves with disjoint workers, by mean z; the lowest campaign first."""
    drawn = effort[
        (effort["unit"] == "workers") & (effort["normalisation"] == "z")
    ]
    half = drawn[drawn["level"] == drawn["level"].max()]
    return _by_campaign(half.assign(one=1), "kendall", "one")[::-1]


def rules(counts: pd.DataFrame) -> Rows:
    """Clusters under the line rule with most clusters, relative to the rule with fewest."""
    counts = counts[
        (counts["test"] == "scipy<1.7") & (counts["correction"] == "none")
    ]
    kinds = counts.columns.difference(
        ["campaign", "pair", "test", "correction"], sort=False
    )
    rows = []
    for _, frame in counts.groupby("campaign"):
        sums = frame[kinds].sum()
        most = str(sums.idxmax())
        fewest = str(sums.idxmin())
        found = _by_campaign(frame, most, fewest) if sums.min() > 0 else []
        rows += [{"most": most, "fewest": fewest, **row} for row in found]
    return sorted(rows, key=lambda row: -row["value"])


def _by_recipe(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `RECIPE`, without MQM campaigns, which it was never used to rank."""
    protocols = {
        name: str(entry.get("protocol")) for name, entry in catalogue().items()
    }
    mqm = table["campaign"].map(protocols) == "MQM"
    return table[(table["recipe"] == RECIPE) & ~mqm]


def lines(counts: pd.DataFrame) -> Rows:
    """The share of lines claimed by the recipe that hold with other units of the campaign."""
    counts = _by_recipe(counts)
    known = counts[counts["claimed_and_held"].notna()]
    own: dict[str, dict[str, Any]] = {}
    for unit in UNITS:
        for row in _by_campaign(
            known[known["unit"] == unit], "claimed_and_held", "claimed"
        ):
            own.setdefault(row["campaign"], {"unit": unit, **row})
    return sorted(own.values(), key=lambda row: row["value"])


def false_lines(rates: pd.DataFrame) -> Rows:
    """The share of null campaigns with a line by the recipe, at least.

    Labels are shuffled by document, or by worker (``unit``) in campaigns that name no documents.
    """
    rates = _by_recipe(rates).assign(one=1)
    found: dict[str, dict[str, Any]] = {}
    for unit in ("document", "worker"):
        for row in _by_campaign(
            rates[rates["unit"] == unit], "campaigns_with_line", "one"
        ):
            found.setdefault(row["campaign"], {"unit": unit, **row})
    return sorted(found.values(), key=lambda row: -row["value"])


def methods(ranks: pd.DataFrame) -> Rows:
    """The share of systems whose rank differs between ways to count wins.

    ``ways`` is the number of ways; ``two`` compares only Bojar's and expected wins.
    """
    ways = ranks.columns.drop(["campaign", "task", "system"])
    two = ["bojar", "expected_win"]
    found, those = (
        _counted(
            ranks.assign(moved=ranks[of].max(axis=1) > ranks[of].min(axis=1)),
            "task",
            "moved",
        )
        for of in (ways, two)
    )
    by_two = {row["campaign"]: row for row in those}
    return [
        {"ways": len(ways), "two": by_two[row["campaign"]], **row}
        for row in found
    ]


def judges(table: pd.DataFrame) -> Rows:
    """Judge models beside people: of the campaign with the most judges, in its first study.

    The judge that orders most pairs as people do, the judge that is worth most, and the other study
    of people that agrees most. Keys are the columns of the table, and ``of``, how many judges.
    """
    own = table[
        ~table["judge"].str.startswith(PEOPLE) & table["study"].notna()
    ]
    if own.empty:
        return []
    campaign = own.groupby("campaign", sort=False)["judge"].nunique().idxmax()
    first = own[own["campaign"] == campaign].iloc[0]
    place = ["campaign", "pair", "study"]
    rows = table[(table[place] == first[place]).all(axis=1)]
    people = rows["judge"].str.startswith(PEOPLE)
    models = rows[~people]
    studies = rows[people & rows["alike"].notna()]
    chosen = [
        models.loc[(models["alike"] / models["pairs"]).idxmax()],
        models.loc[models["worth"].fillna(-1.0).idxmax()],
    ]
    if len(studies):
        chosen.append(studies.loc[studies["r"].idxmax()])
    return [{**row.to_dict(), "of": len(models)} for row in chosen]


def misprinted(rows: pd.DataFrame) -> pd.Series:
    """Mask of the rows of claims whose printed number contradicts its own paper."""
    return (rows["status"] == "differs") & rows["reason"].str.startswith(SLIPS)


def misprints(file: Path) -> dict[str, Any]:
    """How many printed numbers contradict the paper that prints them, each counted once.

    Keys part, whole (all printed cells in the ledger), papers; empty without a ledger.
    """
    if not file.is_file():
        return {}
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    cells = numbers(rows[misprinted(rows)])
    papers = cells["paper"].nunique()
    return {"part": len(cells), "whole": len(numbers(rows)), "papers": papers}
