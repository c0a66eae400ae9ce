"""The tables that the findings rest on, made anew from the data, as the notebooks make them."""

import io
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from companion.legacy.paperkit.parameters import parameters
from companion.legacy.paperkit.placing import csv_bytes
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models.tasks import tasks
from companion.legacy.rankcompanion.notebooks import outlier_removal, replication
from companion.legacy.rankcompanion.notebooks.judges import tables as judge_tables
from companion.legacy.rankcompanion.notebooks.lines import tables as lines
from companion.legacy.rankcompanion.notebooks.relative_ranking import counting
from companion.legacy.rankcompanion.notebooks.relative_ranking import methods as relative_ranking
from companion.legacy.rankcompanion.notebooks.srp import twins
from companion.legacy.rankcompanion.report import findings
from companion.legacy.rankcompanion.verdict import cases
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.recipes import recipe_named, recipe_of_year
from companion.legacy.rankstability.score.scored import segment_scores


def changes(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 02."""
    asked = {name: given[name] for name in ("test", "rule", "alpha")}
    da = campaigns.load_da(campaign, pair)
    table = outlier_removal.study(
        da, given["removed"], given["leave_one_out"], strict=False, **asked
    )
    return table.changes.merge(campaign.facts([pair]), "left", on="pair")


def fewest(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 00: the fewest judgments that decide."""
    parts = []
    for one in cases.cases(campaign, pair, campaigns.load(campaign, pair), given["recipe"]):
        table = cases.fewest(one, given["alpha"])
        table.insert(0, "task", one.name)
        parts.append(table)
    every = pd.concat(parts, ignore_index=True)
    every.insert(0, "pair", pair)
    return every


def effort(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 06, of direct assessment."""
    samplers = twins.da_samplers(campaigns.load_da(campaign, pair), given["unit"])
    about = {"campaign": campaign.name, "pair": pair}
    about["label"] = f"{campaign.name} ({campaign.style_of(pair) or campaign.protocol})"
    splits, seed = given["splits"] or 100, given["seed"]
    return twins.effort(samplers, about, splits=splits, seed=seed)


def clusters_by_rule(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 01."""
    judgments = campaigns.load(campaign, pair)
    if campaign.protocol == "MQM":
        judgments = replication.mqm_segment_frame(judgments)
    scores = segment_scores(judgments)
    return replication.cluster_counts(replication.clusterings(scores, given["alpha"]))


def line_counts(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 10: lines claimed and held."""
    judged = places.judged_by(campaigns.load(campaign, pair))
    units = lines.units_shown(judged[findings.RECIPE])
    return lines.line_counts(lines.recipes(judged, units, given["alpha"])[1])


def false_lines(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 10: lines between equal systems."""
    judged, own = places.judged_by(campaigns.load(campaign, pair)), findings.RECIPE
    asked = {name: given[name] for name in ("seed", "draws", "alpha")}
    return lines.false_line_table(judged, lines.null_unit(judged[own]), **asked)


def method_ranks(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 07."""
    frame = campaigns.load_rr(campaign, pair)
    scores = pd.concat([counting.scores(t) for t in tasks(frame).values()], ignore_index=True)
    return relative_ranking.method_ranks(scores, frame, given["time_limit"])


def judges(campaign: Any, pair: str, given: dict[str, Any]) -> pd.DataFrame:
    """Notebook 12: judge models beside people."""
    recipe = given.get("recipe") or recipe_of_year(campaign.year, campaign.format)
    score = recipe_named(recipe).score
    return judge_tables.of_pair(campaign, pair, score, given["alpha"]).rows


MADE = {
    made.__name__: made
    for made in (
        judges,
        changes,
        fewest,
        effort,
        clusters_by_rule,
        line_counts,
        false_lines,
        method_ranks,
    )
}


def behind(figures: Path) -> list[tuple[str, str, str]]:
    """Notebook, table and campaign of each file that a finding counts."""
    found = findings.gather(figures)
    return [
        (*findings.TABLES[one["key"]], row["campaign"])
        for one in found
        if one["key"] in findings.TABLES
        for row in one["rows"]
    ]


def misprinted(figures: Path) -> set[tuple[str, str]]:
    """Notebook and campaign of each file of claims that holds a misprint, as a finding counts."""
    return {
        (file.parts[-2], file.parts[-3])
        for file in findings.files_named(figures, "[0-9]*", "claims.csv")
        if findings.misprinted(pd.read_csv(file, dtype=str, keep_default_na=False)).any()
    }


def table(job: tuple[str, str, str], pair: str) -> bytes:
    """A table of one pair as CSV."""
    notebook, name, campaign = job
    given = {p.name: p.default for p in parameters(notebook)}
    frame = MADE[name](campaigns.find(campaign), pair, given)
    if "pair" not in frame and "task" not in frame:
        frame.insert(0, "pair", pair)
    return csv_bytes(frame)


def drawn(job: tuple[str, str, str], commit: str) -> list[str]:
    """One pair of a table's campaign: another commit draws another."""
    pairs = sorted(campaigns.find(job[2]).pairs)
    return [pairs[zlib.crc32(f"{commit} {job}".encode()) % len(pairs)]]


def check(
    jobs: list[tuple[str, str, str]], figures: Path, processes: int = 2, commit: str = ""
) -> list[str]:
    """Where the kept files of these tables are not what the data give, first line of each.

    Of each campaign, all pairs; if a `commit` is named, one, drawn by its name.
    """
    with ProcessPoolExecutor(processes) as pool:
        every = {job: sorted(campaigns.find(job[2]).pairs) for job in jobs}
        pairs = {job: drawn(job, commit) for job in jobs} if commit else every
        parts = {(job, p): pool.submit(table, job, p) for job in jobs for p in pairs[job]}
        made = {job: [parts[job, p].result() for p in pairs[job]] for job in jobs}
    whole = {job: pairs[job] == every[job] for job in jobs}
    return [line for job in jobs for line in _unlike(job, made[job], figures, whole[job])]


def _unlike(
    job: tuple[str, str, str], parts: list[bytes], figures: Path, whole: bool = True
) -> Iterator[str]:
    """What of a kept file the data do not give, and what of theirs it lacks, in any order.

    If the `parts` are not of the `whole` campaign, only what the file lacks of them.
    """
    notebook, name, campaign = job
    file = figures / campaign / notebook / f"{name}.csv"
    read = [pd.read_csv(io.BytesIO(p), keep_default_na=False, na_values=[""]) for p in parts]
    filled = [frame for frame in read if len(frame)] or read[:1]
    ours = csv_bytes(pd.concat(filled, ignore_index=True)).splitlines()
    theirs = file.read_bytes().splitlines()
    missing = Counter(ours) - Counter(theirs)
    if not whole:
        if missing:
            yield f"{paths.shown(file)}: {missing.total()} lines that the data give are missing"
        return
    wrong = Counter(theirs) - Counter(ours)
    if wrong or missing:
        first = next((n for n, line in enumerate(theirs, 1) if line in wrong), len(theirs) + 1)
        yield (
            f"{paths.shown(file)}: {wrong.total()} lines are not what the data give, "
            f"{missing.total()} are missing; the first is line {first}"
        )
