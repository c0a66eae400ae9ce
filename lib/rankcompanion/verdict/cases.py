"""Everything that notebook 00 computes for one language pair: how far to trust its ranking."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rankcompanion.notebooks.lines import held
from rankcompanion.notebooks.lines.tables import (
    false_line_table,
    judged_by,
    null_units,
    units_by_system,
)
from rankcompanion.notebooks.relative_ranking import methods
from rankstability.chance import named_generator
from rankstability.change import perturb
from rankstability.errors import DataError
from rankstability.judgments import REFERENCE, TYPES, DirectAssessment, ranked_systems, select_rows
from rankstability.rank import fewest as decisive
from rankstability.rank.comparing import compare
from rankstability.rank.ranking import Ranking
from rankstability.rank.recipes import RECIPES, recipe_of_year
from rankstability.rank.systems import rank_systems
from rankstability.score import rr
from rankstability.score.pairwise import ratio
from rankstability.score.scored import Scores, scored, segment_scores

from . import annotators, answers, sizes


@dataclass(frozen=True)
class Case:
    """The judgments of one language pair, or of one task of relative ranking, for a verdict.

    `name` is that of the pair or task; `protocol` is ``DA``, ``MQM`` or ``RR`` (battles included);
    `recipe` makes the ranking. `judged` maps each recipe to the judgments that it counts, as it
    scores them; it is empty for relative ranking, which has `battles` instead. `extra` says whether
    the pair has a larger task than this one. `why` is the reason for the recipe: ``asked``,
    ``year`` (the campaign's), ``default`` (no year is known) or ``scores`` (these data have none
    for the recipe of the year).
    """

    name: str
    pair: str
    protocol: str
    recipe: str
    judgments: DirectAssessment | pd.DataFrame
    judged: Mapping[str, Scores]
    battles: held.Battles | None = None
    extra: bool = False
    why: str = ""

    @property
    def own(self) -> Scores:
        """The judgments as the chosen recipe scores them."""
        return self.judged[self.recipe]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of their codes."""
        return self.own.systems if self.battles is None else self.battles.systems

    @property
    def judgments_counted(self) -> int:
        """The number of judgments that count; for relative ranking, of decided comparisons."""
        return len(self.own.score) if self.battles is None else int(self.battles.every.wins.sum())


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
        tasks = rr.tasks(judgments)
        order = sorted(tasks, key=lambda name: (-len(tasks[name]), name))
        made = [_by_comparison(name, pair, tasks[name], unit) for name in order]
        return [replace(one, extra=k > 0) for k, one in enumerate(made)]
    year, form = campaign.year, campaign.format
    return [scored_case(pair, campaign.protocol, judgments, recipe, year, form)]


def _by_comparison(name: str, pair: str, frame: pd.DataFrame, unit: str) -> Case:
    asked = {"judge": "judge", "block": "block", "battle": "block"}.get(unit, "auto")
    data = held.battles(frame, asked)
    if len(data.systems) < 2:
        raise DataError(f"fewer than two systems in {name}", expected="two systems or more")
    if not data.every.wins.sum():
        raise DataError(f"only ties in {name}", expected="comparisons that one system wins")
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
    try:
        judged = judged_by(judgments, "" if recipe == "auto" else recipe)
    except DataError:  # for instance z-scores without workers
        judged = {r.name: scored(judgments) for r in RECIPES.values() if r.score == "raw"}
    judged = {name: one for name, one in judged.items() if len(one.systems) >= 2}
    if not judged:
        raise DataError(f"fewer than two systems in {pair}", expected="two systems or more")
    chosen, why = recipe, "asked"
    if recipe == "auto":
        chosen, why = recipe_of_year(year, form), "year" if year else "default"
        if chosen not in judged:
            chosen, why = "wmt25" if "wmt25" in judged else next(iter(judged)), "scores"
    if chosen not in judged:
        problem = f"{pair} has no scores for this recipe"
        raise DataError(problem, value=chosen, expected=", ".join(judged))
    if np.ptp(judged[chosen].score) == 0:
        raise DataError(f"all scores of {pair} are the same", expected="scores that differ")
    return Case(pair, pair, protocol, chosen, judgments, judged, why=why)


def standing(
    one: Case, unit: str, rng: np.random.Generator, resamples: int = 1000, alpha: float = 0.05
) -> Ranking:
    """The ranking with intervals, rank sets and lines: `lines.held.standing`.

    `unit` is what another campaign would have others of; ``auto``: the default for these data.
    """
    chosen = None if unit == "auto" else unit
    data = one.own if one.battles is None else one.battles
    return held.standing(data, one.recipe, rng, chosen, resamples=resamples, alpha=alpha)


def fewest(one: Case, alpha: float = 0.05) -> pd.DataFrame:
    """How few judgments, annotators and documents decide who is first: `rank.fewest`.

    No rows if that cannot be computed.
    """
    try:
        if one.battles is None:
            return decisive.fewest(one.judgments, RECIPES[one.recipe], alpha)
        data = one.battles.grouped
        if one.battles.unnamed:  # judges that are not all named are taken together as one
            data = replace(data, judges=np.zeros_like(data.judges))
        data = data.by("judge")
        table = decisive.fewest_battles(data, one.battles.method, alpha)
        return table[(table["unit"] == "judgment") | (len(data.judges) > 1)].reset_index(drop=True)
    except DataError:  # infinite strengths
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
        made = standing(part, unit or "auto", np.random.default_rng(0), 1, alpha)
        said = answers.summary(made, answers.line_answers(made))
        held_here = said["claimed_held"] + said["also_held"] if said["told"] else np.nan
        row = {name: said[name] for name in ("systems", "leader", "claimed")}
        row |= {"domain": domain, "judgments": part.judgments_counted, "held": held_here}
        row["may_be_first"] = len(said["may_be_first"]) if said["told"] else np.nan
        rows.append(row)
    columns = ["domain", "judgments", "systems", "leader", "may_be_first", "claimed", "held"]
    return pd.DataFrame(rows, columns=columns)


def _domains(one: Case, unit: str) -> dict[str, Case]:
    """The judgments of each domain, or category of battles, in which all systems were judged."""
    parts = {}
    if one.battles is not None:
        assert isinstance(one.judgments, pd.DataFrame)
        named = one.judgments.get("domain", pd.Series(dtype=str))
        several = one.judgments.groupby(named, observed=True) if named.nunique() > 1 else ()
        for domain, part in several:
            absent = set(one.systems) - set(part["system"].unique())
            if absent or part["rank"].max() == 1:
                continue
            with suppress(DataError):  # some systems are not connected by battles of this category
                made = held.battles(part, "judge" if unit == "judge" else "block")
                name = str(domain) or "(not named)"
                parts[name] = replace(one, recipe=made.method, judgments=part, battles=made)
    elif one.own.has("domain"):
        codes = one.own.unit("domain")
        names = _domain_names(one.judgments, int(codes.max()) + 1)
        for code in np.unique(codes) if len(np.unique(codes)) > 1 else ():
            part = one.own.take(codes == code)
            if len(np.unique(part.system)) == len(part.systems):
                parts[names[code]] = replace(one, judged={one.recipe: part})
    return parts


def _domain_names(judgments: DirectAssessment | pd.DataFrame, codes: int) -> list[str]:
    """The names of domains by their codes; numbers if the names do not match the codes."""
    rows = judgments.good if isinstance(judgments, DirectAssessment) else judgments
    names = sorted(rows["domain"].dropna().astype(str).unique()) if "domain" in rows else []
    if codes - len(names) not in (0, 1):
        return [str(k + 1) for k in range(codes)]
    return [*names, "(not named)"]


def false_lines(one: Case, seed: int, draws: int = 200, alpha: float = 0.05) -> pd.DataFrame:
    """False lines that the recipe draws on these data when all systems are made equal.

    One row per kind of unit within which labels are shuffled: documents and workers, where several
    are named; if systems were judged on different documents, blocks within workers instead.
    """
    if one.battles is not None:
        return held.false_lines(one.battles, named_generator(seed, one.name), draws, alpha)
    units = [u for u in null_units(one.own) if len(np.unique(one.own.unit(u))) > 1]
    shared = np.isfinite(one.own.matrix()).mean() > 0.5
    units = [u for u in units if (u == "block") != shared] or units
    judged = {one.recipe: one.own}
    return false_line_table(judged, units, seed, draws, alpha, own=one.recipe)


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
        table = methods.removals(given, [one.recipe], alpha=alpha)
        systems = table["removed"] != methods.REMOVED_REFERENCE
        return table.loc[systems, columns].reset_index(drop=True)
    standardised = RECIPES[one.recipe].score == "z" and isinstance(one.judgments, DirectAssessment)
    if not standardised or len(ranked_systems(one.judgments)) < 3:
        return pd.DataFrame(columns=columns)
    original = rank_systems(segment_scores(one.judgments), alpha=alpha)
    rows = []
    for system in ranked_systems(one.judgments):
        left = segment_scores(perturb.remove(one.judgments, system))
        change = compare(original.without([system]), rank_systems(left, alpha=alpha))
        rows.append({"removed": system, **change.row()})
    return pd.DataFrame(rows)[columns]


def controls(one: Case) -> pd.DataFrame:
    """Number of judgments and mean raw score by type: columns type, judgments, mean.

    No rows if all judgments are of one type.
    """
    if not isinstance(one.judgments, DirectAssessment):
        return pd.DataFrame(columns=["type", "judgments", "mean"])
    latest = one.judgments.latest
    by = latest.groupby("type", observed=True)["score"].agg(judgments="size", mean="mean")
    by = by.reindex(TYPES).dropna().rename_axis("type").reset_index().astype({"judgments": int})
    return by if len(by) > 1 else by.iloc[:0]


def beside(one: Case) -> pd.DataFrame:
    """How many workers (or judges) judged both systems of each pair.

    Columns system, other, together (workers who judged both), share (of those who judged the system
    with fewer workers; missing if nobody decided a comparison of it). No rows if workers or judges
    are not all named.
    """
    if one.battles is not None and not one.battles.unnamed:
        named = one.battles.unit == "judge"
        data = one.battles if named else held.battles(one.judgments, "judge")
        judged = data.grouped.decided_by_system()[1] > 0
    elif one.battles is None and one.own.has("worker"):
        judged = units_by_system(one.own, "worker") > 0
    else:
        return pd.DataFrame(columns=["system", "other", "together", "share"])
    seen = judged.astype(np.float32)  # products of integers would not use BLAS
    together = np.rint(seen.T @ seen).astype(int)
    i, j = np.triu_indices(len(together), 1)
    both, each, names = together[i, j], np.diag(together), np.array(one.systems)
    out = pd.DataFrame({"system": names[i], "other": names[j], "together": both})
    return out.assign(share=ratio(both, np.minimum(each[i], each[j])))


def again(
    one: Case, made: Ranking, rng: np.random.Generator, alpha: float = 0.05
) -> dict[str, pd.DataFrame]:
    """What a repeat with other units would give, and what would tell neighbours apart.

    The tables repeat, needed and additions of `sizes`; ``decide`` is the row of ``needed`` for the
    two best systems that are not human translations or references. All are empty if nothing can be
    told. They rest on variance components where judgments have scores, else on the covariance.
    """
    sure = made.sure
    if not sure.told:
        return {name: pd.DataFrame() for name in ("repeat", "decide", "needed", "additions")}
    known = sizes.of_means(sure, one.judgments_counted)
    with suppress(DataError):  # if components cannot be estimated, the covariance has to do
        if one.battles is None and not one.own.adaptive:
            known = sizes.precision(one.own, sure, RECIPES[one.recipe].by_domain)
    claims = int(made.places["claimed"].sum())
    names = made.table["system"].tolist()
    human = answers.humans(names)
    machines = [name for name in names if name not in human]
    pair = (machines if len(machines) > 1 else names)[:2]
    repeat, needed = sizes.repeat(sure, claims, rng), sizes.needed(known, names, rng, alpha)
    decide = needed[(needed[["system", "other"]] == pair).all(axis=1)]
    return {
        "repeat": pd.DataFrame([repeat]),
        "decide": decide if len(decide) else sizes.needed(known, pair, rng, alpha),
        "needed": needed,
        "additions": sizes.additions(known, rng, alpha=alpha),
    }


def by_annotators(
    one: Case, rng: np.random.Generator, alpha: float = 0.05
) -> dict[str, pd.DataFrame]:
    """The tables about annotators: agreement, annotators, influence and habits.

    ``annotators`` has a row per annotator: name, the columns of `annotators.table` (from raw
    scores, whichever score the recipe takes) and, where the data have times or repeated outputs,
    those of `annotators.pace` and `annotators.repeated`; ``habits`` sums these up over all
    annotators (`annotators.overall`). Empty if the data have no scores or name no annotators.
    """
    if not one.judged or not one.own.has("worker"):
        return {}
    raw, rows, recipe = one.own, one.judgments, RECIPES[one.recipe]
    if recipe.score != "raw":
        direct = isinstance(rows, DirectAssessment)
        raw = scored(select_rows(rows, recipe.rows) if direct else rows)
    each = annotators.table(raw)
    each.insert(0, "name", [raw.workers[k] for k in each["annotator"]])
    own = pd.DataFrame()
    if isinstance(rows, DirectAssessment):
        for known in (annotators.pace(rows), annotators.repeated(rows)):
            each = each.merge(known, how="left", on="name") if len(known) else each
        own = annotators.overall(each, rng)
    agreement = annotators.alpha(one.own, rng)
    hanging = annotators.influence(one.own, recipe, alpha)
    hanging.insert(0, "name", [one.own.workers[k] for k in hanging["annotator"]])
    hanging["annotator"] = [raw.workers.index(name) for name in hanging["name"]]
    return {"agreement": agreement, "annotators": each, "influence": hanging, "habits": own}
