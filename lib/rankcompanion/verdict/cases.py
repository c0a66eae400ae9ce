"""How far can this ranking be trusted: everything notebook 00 says of one language pair."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rankstability.chance import named_generator
from rankstability.errors import DataError
from rankstability.judgments import TYPES, DirectAssessment, ranked_systems, select_rows
from rankstability.rank.balanced import design
from rankstability.rank.bradley_terry import STRENGTH
from rankstability.rank.recipes import RECIPES, recipe_of_year
from rankstability.score import rr
from rankstability.score.scored import Scores, scored

from ..lines import held
from ..lines.tables import false_line_table, judged_by, null_units, units_by_system
from ..outlier_removal import default_ranker, remove_each
from ..relative_ranking import methods
from . import annotators, sizes


@dataclass(frozen=True)
class Case:
    """One pair's judgments as a verdict takes them.

    `name` is the pair's, or a task's of relative ranking; `protocol` ``DA``, ``MQM`` or ``RR``
    (battles too); `recipe` that by which the ranking is made; `judged` what each recipe counts, as
    it scores it, empty for relative ranking, which has `battles`; `extra` says whether the pair has
    a larger task than this.
    """

    name: str
    pair: str
    protocol: str
    recipe: str
    judgments: DirectAssessment | pd.DataFrame
    judged: Mapping[str, Scores]
    battles: held.Battles | None = None
    extra: bool = False

    @property
    def own(self) -> Scores:
        """The judgments as the chosen recipe scores them."""
        return self.judged[self.recipe]

    @property
    def systems(self) -> tuple[str, ...]:
        """In the order of their codes."""
        return self.own.systems if self.battles is None else self.battles.systems

    @property
    def judgments_counted(self) -> int:
        """Judgments that count, of relative ranking decided comparisons."""
        return len(self.own.score) if self.battles is None else int(self.battles.times.sum())


def cases(
    campaign: Any,
    pair: str,
    judgments: DirectAssessment | pd.DataFrame,
    recipe: str = "auto",
    unit: str = "auto",
) -> list[Case]:
    """One pair's case; of relative ranking one per task, the one with most judgments first.

    Refused: fewer than two systems; a recipe whose scores these data do not give.

    The campaign says protocol and year. `recipe` is a name of `RECIPES`, or ``auto``: that of the
    year (not for relative ranking); `unit`, of relative ranking, ``judge``, ``block``, ``battle``
    (a block of two) or ``auto``.
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
    if not data.times.any():
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
    """`cases` of a protocol with scores; `form` is the campaign's format."""
    try:
        judged = judged_by(judgments, "" if recipe == "auto" else recipe)
    except DataError:  # such as z without workers
        judged = {r.name: scored(judgments) for r in RECIPES.values() if r.score == "raw"}
    judged = {name: one for name, one in judged.items() if len(one.systems) >= 2}
    if not judged:
        raise DataError(f"fewer than two systems in {pair}", expected="two systems or more")
    chosen = recipe_of_year(year, form) if recipe == "auto" else recipe
    if recipe == "auto" and chosen not in judged:
        chosen = "wmt25" if "wmt25" in judged else next(iter(judged))
    if chosen not in judged:
        raise DataError(
            f"{pair} has no scores for this recipe", value=chosen, expected=", ".join(judged)
        )
    if np.ptp(judged[chosen].score) == 0:
        raise DataError(f"all scores of {pair} are the same", expected="scores that differ")
    return Case(pair, pair, protocol, chosen, judgments, judged)


def standing(
    one: Case, unit: str, rng: np.random.Generator, resamples: int = 1000, alpha: float = 0.05
) -> held.Standing:
    """The ranking with what is certain of it; `unit` as of `cases`."""
    chosen = None if unit == "auto" else unit
    data = one.own if one.battles is None else one.battles
    return held.standing(data, one.recipe, rng, chosen, resamples=resamples, alpha=alpha)


def recipes(one: Case, unit: str, alpha: float = 0.05) -> dict[str, pd.DataFrame]:
    """Rankings (recipes), and lines claimed and held (recipe_lines), of every recipe that fits."""
    if not one.judged:
        return {}
    lines = held.lines_table(one.judged, [unit], alpha)
    return {"recipes": held.recipes_table(one.judged, alpha), "recipe_lines": lines}


def false_lines(one: Case, seed: int, draws: int = 200, alpha: float = 0.05) -> pd.DataFrame:
    """False lines of the recipe on these data, with all systems equal, by each kind of unit.

    Labels are shuffled within documents and within workers where these are named; where systems
    were judged on different documents, blocks within a worker. With the same seed the numbers are
    those of notebook 10.
    """
    if one.battles is not None:
        return held.false_lines(one.battles, named_generator(seed, one.name), draws, alpha)
    units = null_units(one.own)
    shared = np.isfinite(one.own.matrix()).mean() > 0.5
    units = [u for u in units if (u == "block") != shared] or units
    judged = {one.recipe: one.own}
    return false_line_table(judged, units, seed, draws, alpha, own=one.recipe)


def removals(one: Case, alpha: float = 0.05) -> pd.DataFrame:
    """Removals of one system, and whether order or lines of the others change.

    Columns removed, d_rank, d_cluster (1 or 0); no rows where scores do not depend on who else is
    there.
    """
    columns = ["removed", "d_rank", "d_cluster"]
    if one.battles is not None:
        table = methods.removals(one.judgments, [one.recipe], alpha=alpha)
        systems = table["removed"] != methods.REMOVED_REFERENCE
        return table.loc[systems, columns].reset_index(drop=True)
    standardised = RECIPES[one.recipe].score == "z" and isinstance(one.judgments, DirectAssessment)
    if not standardised or len(ranked_systems(one.judgments)) < 3:
        return pd.DataFrame(columns=columns)
    systems = ranked_systems(one.judgments)
    made = remove_each(one.judgments, systems, default_ranker(alpha=alpha))
    return pd.DataFrame([c.row() for c in made])[columns]


def controls(one: Case) -> pd.DataFrame:
    """Judgments of each type, with their mean raw score: type, judgments, mean."""
    if not isinstance(one.judgments, DirectAssessment):
        return pd.DataFrame(columns=["type", "judgments", "mean"])
    latest = one.judgments.latest
    by = latest.groupby("type", observed=True)["score"].agg(judgments="size", mean="mean")
    by = by.reindex(TYPES).dropna().rename_axis("type").reset_index().astype({"judgments": int})
    return by if len(by) > 1 else by.iloc[:0]


def beside(one: Case) -> pd.DataFrame:
    """How many workers (or judges) judged both systems of a pair: system, other, together, share.

    Share is of the workers of the rarer of the two. No rows where they are not all named.
    """
    if one.battles is not None and not one.battles.unnamed:
        assert isinstance(one.judgments, pd.DataFrame)
        judged = (held.battles(one.judgments, "judge").sums()[1] > 0).astype(int)
    elif one.battles is None and "worker" in one.own.units:
        judged = units_by_system(one.own, "worker").astype(int)
    else:
        return pd.DataFrame(columns=["system", "other", "together", "share"])
    together = judged.T @ judged
    i, j = np.triu_indices(len(together), 1)
    both, each, names = together[i, j], np.diag(together), np.array(one.systems)
    out = pd.DataFrame({"system": names[i], "other": names[j], "together": both})
    return out.assign(share=both / np.minimum(each[i], each[j]))


def again(
    one: Case, made: held.Standing, rng: np.random.Generator, alpha: float = 0.05
) -> dict[str, pd.DataFrame]:
    """A repeat on other units, and what would tell neighbours apart: repeat, needed, additions.

    From variance components and the design where judgments have scores, else from the covariance
    over units (see `sizes`).
    """
    sure = made.sure
    if not sure.told:
        return {name: pd.DataFrame() for name in ("repeat", "needed", "additions")}
    known = sizes.of_means(sure, one.judgments_counted)
    with suppress(DataError):  # of scores without components only the covariance is known
        if one.battles is None and not one.own.adaptive:
            known = sizes.precision(one.own, sure, RECIPES[one.recipe].by_domain)
    claims = int(made.lines["claimed"].sum())
    return {
        "repeat": pd.DataFrame([sizes.repeat(sure, claims, rng)]),
        "needed": sizes.needed(known, made.ranking["system"].tolist(), rng, alpha),
        "additions": sizes.additions(known, rng, alpha=alpha),
    }


def _raw(one: Case) -> Scores:
    """The judgments that the recipe counts, with their raw scores."""
    rows, recipe = one.judgments, RECIPES[one.recipe]
    if recipe.score == "raw":
        return one.own
    return scored(select_rows(rows, recipe.rows) if isinstance(rows, DirectAssessment) else rows)


def judged_on(one: Case) -> dict[str, pd.DataFrame]:
    """What each system was judged on (design), or whom it met (meetings, of battles)."""
    if one.battles is None:
        return {"design": design(one.own)}
    return (
        {"meetings": methods.meetings(one.battles.every.counts)} if one.recipe == STRENGTH else {}
    )


def by_annotators(
    one: Case, rng: np.random.Generator, alpha: float = 0.05
) -> dict[str, pd.DataFrame]:
    """Agreement, annotators, what hangs on them: agreement, annotators, influence, habits.

    `annotators` has a row per annotator: name, the columns of `annotators.table` (of raw scores,
    whatever the recipe takes) and, where the data have times or repeated outputs, those of
    `annotators.pace` and `repeated`; `habits` has both over all (`annotators.overall`).
    """
    if not one.judged or not one.own.has("worker"):
        return {}
    raw = _raw(one)
    each = annotators.table(raw)
    each.insert(0, "name", [raw.workers[k] for k in each["annotator"]])
    own = pd.DataFrame()
    if isinstance(one.judgments, DirectAssessment):
        for known in (annotators.pace(one.judgments), annotators.repeated(one.judgments)):
            each = each.merge(known, how="left", on="name") if len(known) else each
        own = annotators.overall(each, rng)
    agreement = annotators.alpha(one.own, rng)
    hanging = annotators.influence(one.own, RECIPES[one.recipe], alpha)
    hanging.insert(0, "name", [one.own.workers[k] for k in hanging["annotator"]])
    hanging["annotator"] = [raw.workers.index(name) for name in hanging["name"]]
    return {"agreement": agreement, "annotators": each, "influence": hanging, "habits": own}
