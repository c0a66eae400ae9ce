"""Everything that notebook 00 computes for one language pair: how far to trust its ranking."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns.humans import declared
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    REFERENCE,
    TYPES,
    DirectAssessment,
    ranked_systems,
)
from companion.legacy.rankstability.rank import fewest as decisive
from companion.legacy.rankstability.rank.battles import battles
from companion.legacy.rankstability.rank.deciding import fewest_comparisons
from companion.legacy.rankstability.rank.ranking import Ranking
from companion.legacy.rankstability.rank.recipes import RECIPES
from companion.legacy.rankstability.rank.standing import choose, comparisons_by_unit
from companion.legacy.rankstability.rank.standing import standing as place_systems
from companion.legacy.rankstability.rank.units import DOCUMENT, TWO_WAY, WORKER
from companion.legacy.rankstability.score.pairwise import ratio

from ..models import removing
from ..models.placed import among_placed
from ..models.tasks import tasks as tasks_of
from ..notebooks.lines.tables import units_by_system
from . import annotators, answers, sizes
from .case import Case

MANY = 60  # systems: for more, no further judgments are planned, which would take minutes


def cases(
    campaign: Any,
    pair: str,
    judgments: DirectAssessment | pd.DataFrame,
    recipe: str = "auto",
    unit: str = "auto",
) -> list[Case]:
    """The case of one pair; for relative ranking one case per task, the largest task first.

    `recipe` is a name of `RECIPES`, or ``auto`` for that of the year; relative ranking ignores it,
    and has its own `unit`: ``judge``, ``block``, ``battle`` (a block of two), or the default.
    Raises DataError for fewer than two systems, if all scores are equal or all comparisons tied, or
    if the data have no scores for the recipe.
    """
    if campaign.protocol == "RR":
        assert isinstance(judgments, pd.DataFrame)
        tasks = tasks_of(judgments)
        order = sorted(tasks, key=lambda name: (-len(tasks[name]), name))
        made = [
            _by_comparison(name, pair, tasks[name], unit) for name in order
        ]
        made = [replace(one, extra=k > 0) for k, one in enumerate(made)]
    else:
        year = campaign.year
        form = campaign.format
        made = [
            scored_case(pair, campaign.protocol, judgments, recipe, year, form)
        ]
    return [
        replace(one, humans=tuple(declared(campaign, one.systems)))
        for one in made
    ]


def _by_comparison(
    name: str, pair: str, frame: pd.DataFrame, unit: str
) -> Case:
    data = comparisons_by_unit(frame, unit, name)
    return Case(name, pair, "RR", data.method, frame, {}, data)


def scored_case(
    pair: str,
    protocol: str,
    judgments: DirectAssessment | pd.DataFrame,
    recipe: str = "auto",
    year: int = 0,
    form: str = "da",
) -> Case:
    """The case of a pair whose protocol has scores, as `cases`; `form` is the campaign's format."""
    chosen = choose(judgments, recipe, year, form, pair)
    return Case(
        pair,
        pair,
        protocol,
        chosen.recipe,
        judgments,
        chosen.judged,
        why=chosen.why,
    )


def standing(one: Case, unit: str = "auto", alpha: float = 0.05) -> Ranking:
    """The ranking with intervals, rank sets and lines: `rank.standing.standing`.

    `unit` is what a repeat would draw afresh; ``auto``: the default for these data.
    """
    chosen = None if unit == "auto" else unit
    return place_systems(one.data, one.recipe, chosen, alpha=alpha)


def fewest(one: Case, alpha: float = 0.05) -> pd.DataFrame:
    """How few judgments, annotators and documents decide who is first: `rank.fewest`.

    No rows if that cannot be computed.
    """
    try:
        if one.battles is None:
            recipe = RECIPES[one.recipe]
            return decisive.fewest(one.judgments, recipe, alpha, one.humans)
        return fewest_comparisons(one.battles, alpha)
    except DataError:  # no two systems have a strength
        return pd.DataFrame(columns=decisive.COLUMNS)


def by_domain(one: Case, unit: str, alpha: float = 0.05) -> pd.DataFrame:
    """The ranking of each domain (for battles, of each category) on its own.

    Each domain is ranked like the whole campaign, with a family of tests of its own. Columns
    domain, judgments, systems, leader, may_be_first, claimed, held (lines that hold, claimed or
    not). No rows if the data name fewer than two domains, and none for a domain in which some
    system was not judged, or was not connected with the others.
    """
    rows = []
    for domain, part in _domains(one, unit).items():
        made = standing(part, unit or "auto", alpha)
        said = answers.summary(made, answers.line_answers(made), one.humans)
        held_here = (
            said["claimed_held"] + said["also_held"]
            if said["told"]
            else np.nan
        )
        row = {name: said[name] for name in ("systems", "leader", "claimed")}
        row |= {
            "domain": domain,
            "judgments": part.data.counted,
            "held": held_here,
        }
        row["may_be_first"] = (
            len(said["may_be_first"]) if said["told"] else np.nan
        )
        rows.append(row)
    columns = [
        "domain",
        "judgments",
        "systems",
        "leader",
        "may_be_first",
        "claimed",
        "held",
    ]
    return pd.DataFrame(rows, columns=columns)


def _domains(one: Case, unit: str) -> dict[str, Case]:
    """The judgments of each domain, or category of battles, in which all systems were judged."""
    parts = {}
    if one.battles is not None:
        assert isinstance(one.judgments, pd.DataFrame)
        named = one.judgments.get("domain", pd.Series(dtype=str))
        several = (
            one.judgments.groupby(named, observed=True)
            if named.nunique() > 1
            else ()
        )
        for domain, part in several:
            absent = set(one.systems) - set(part["system"].unique())
            if absent or part["rank"].max() == 1:
                continue
            with suppress(
                DataError
            ):  # some systems are not connected by battles of this category
                made = battles(part, "judge" if unit == "judge" else "block")
                name = str(domain) or "(not named)"
                parts[name] = replace(
                    one, recipe=made.method, judgments=part, battles=made
                )
    elif one.own.has("domain"):
        codes = one.own.unit("domain")
        names = _domain_names(one.judgments, int(codes.max()) + 1)
        for code in np.unique(codes) if len(np.unique(codes)) > 1 else ():
            part = one.own.take(codes == code)
            if len(np.unique(part.system)) == len(part.systems):
                parts[names[code]] = replace(one, judged={one.recipe: part})
    return parts


def _domain_names(
    judgments: DirectAssessment | pd.DataFrame, codes: int
) -> list[str]:
    """The names of domains by their codes; numbers if the names do not match the codes."""
    rows = (
        judgments.good
        if isinstance(judgments, DirectAssessment)
        else judgments
    )
    names = (
        sorted(rows["domain"].dropna().astype(str).unique())
        if "domain" in rows
        else []
    )
    if codes - len(names) not in (0, 1):
        return [str(k + 1) for k in range(codes)]
    return [*names, "(not named)"]


def removals(one: Case, alpha: float = 0.05) -> pd.DataFrame:
    """Whether removing a system changes the order or the clusters of the others, for each system.

    Columns removed, d_rank, d_cluster (1 or 0). No rows if scores do not depend on the other
    systems, or if fewer than three systems are ranked by z-scores.
    """
    columns = ["removed", "d_rank", "d_cluster"]
    if one.battles is not None:
        assert isinstance(one.judgments, pd.DataFrame)
        known = {one.name: one.battles.every.counts}  # without the reference
        referenced = REFERENCE in set(one.judgments["system"].unique())
        given = one.judgments if referenced else known
        table = removing.removals(given, [one.recipe], alpha=alpha)
        systems = table["removed"] != removing.REMOVED_REFERENCE
        return table.loc[systems, columns].reset_index(drop=True)
    standardised = RECIPES[one.recipe].score == "z" and isinstance(
        one.judgments, DirectAssessment
    )
    if not standardised or len(ranked_systems(one.judgments)) < 3:
        return pd.DataFrame(columns=columns)
    return removing.removals_by_z(one.judgments, alpha)[columns]


def controls(one: Case) -> pd.DataFrame:
    """Number of judgments and mean raw score by type: columns type, judgments, mean.

    No rows if all judgments are of one type.
    """
    if not isinstance(one.judgments, DirectAssessment):
        return pd.DataFrame(columns=["type", "judgments", "mean"])
    latest = one.judgments.latest
    by = latest.groupby("type", observed=True)["score"].agg(
        judgments="size", mean="mean"
    )
    by = (
        by.reindex(TYPES)
        .dropna()
        .rename_axis("type")
        .reset_index()
        .astype({"judgments": int})
    )
    return by if len(by) > 1 else by.iloc[:0]


def judged_together(one: Case) -> pd.DataFrame:
    """How many workers (or judges) judged both systems of each pair.

    Columns system, other, together (workers who judged both), share (of those who judged the system
    with fewer workers; missing if nobody decided a comparison of it). No rows if workers or judges
    are not all named.
    """
    if one.battles is not None and not one.battles.unnamed:
        named = one.battles.unit == "judge"
        data = one.battles if named else battles(one.judgments, "judge")
        judged = data.grouped.decided_by_system()[1] > 0
    elif one.battles is None and one.own.has("worker"):
        judged = units_by_system(one.own, "worker") > 0
    else:
        return pd.DataFrame(columns=["system", "other", "together", "share"])
    seen = judged.astype(np.float32)  # products of integers would not use BLAS
    together = np.rint(seen.T @ seen).astype(int)
    i, j = np.triu_indices(len(together), 1)
    both = together[i, j]
    each = np.diag(together)
    names = np.array(one.systems)
    out = pd.DataFrame(
        {"system": names[i], "other": names[j], "together": both}
    )
    return out.assign(share=ratio(both, np.minimum(each[i], each[j])))


def again(
    one: Case, made: Ranking, rng: np.random.Generator, alpha: float = 0.05
) -> dict[str, pd.DataFrame]:
    """What a repeat with other units would give, and what would tell neighbours apart.

    The tables repeat, needed and additions of `sizes`; ``decide`` is the row of ``needed`` for the
    two best systems that are not human translations or references. All are empty if nothing can be
    told, and all but the first for more than `MANY` systems. They rest on variance components where
    judgments have scores, else on the covariance.
    """
    sure = made.sure
    if not sure.told:
        return {
            name: pd.DataFrame()
            for name in ("repeat", "decide", "needed", "additions")
        }
    sure = among_placed(sure)
    known = sizes.of_means(sure, one.data.counted)
    with suppress(
        DataError
    ):  # if components cannot be estimated, the covariance has to do
        modelled = one.judged and not (one.data.adaptive or one.data.items)
        if modelled and made.sure.placed.all():
            known = sizes.precision(
                one.own, sure, RECIPES[one.recipe].by_domain
            )
    claims = int(made.places["claimed"].sum())
    names = [name for name in made.table["system"] if name in sure.systems]
    machines = [name for name in names if name not in one.humans]
    pair = (machines if len(machines) > 1 else names)[:2]
    repeat = sizes.repeat(sure, claims, rng)
    if len(names) > MANY:
        nothing = {
            name: pd.DataFrame() for name in ("decide", "needed", "additions")
        }
        return {"repeat": pd.DataFrame([repeat]), **nothing}
    needed = sizes.needed(known, names, rng, alpha)
    decide = needed[(needed[["system", "other"]] == pair).all(axis=1)]
    return {
        "repeat": pd.DataFrame([repeat]),
        "decide": decide
        if len(decide)
        else sizes.needed(known, pair, rng, alpha),
        "needed": needed,
        "additions": sizes.additions(known, pair, rng, alpha=alpha),
    }


def by_annotators(one: Case, alpha: float = 0.05) -> dict[str, pd.DataFrame]:
    """How far annotators agree (``agreement``), and which lines depend on one (``influence``).

    Empty if the data have no scores or name no annotators.
    """
    if not one.judged or not one.own.has("worker"):
        return {}
    hanging = annotators.influence(one.own, RECIPES[one.recipe], alpha)
    hanging.insert(
        0, "name", [one.own.workers[k] for k in hanging["annotator"]]
    )
    return {"agreement": annotators.alpha(one.own), "influence": hanging}


def same_annotators(
    one: Case, made: Ranking, alpha: float = 0.05
) -> pd.DataFrame:
    """What documents say with these same annotators, where those are too few to speak of others.

    One row: annotators (how many), lines (that hold with other documents), first (how many systems
    may be first); none unless some system lacks annotators and documents are named.
    """
    columns = ["annotators", "lines", "first"]
    few = made.sure.untold["unit"] == WORKER
    if made.sure.unit != TWO_WAY or not few.any():
        return pd.DataFrame(columns=columns)
    other = standing(one, DOCUMENT, alpha)
    if not other.sure.told:
        return pd.DataFrame(columns=columns)
    first = int(other.sure.may_be_first.sum())
    row = (made.sure.units[WORKER], int(other.places["held"].sum()), first)
    return pd.DataFrame([row], columns=columns)
