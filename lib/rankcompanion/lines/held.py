"""One language pair's ranking with what is sure of it: lines claimed and held, rank sets, chances.

The one place where these are put together; notebooks 00, 01 and 10 show them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.rank.ranges import rank_range_table, ranks
from rankstability.rank.recipes import RECIPES, Made, Recipe, made_by, recipe_named, recipe_table
from rankstability.rank.redraws import draw_means, rank_probabilities
from rankstability.rank.sets import held_lines, rank_sets
from rankstability.rank.unit_kinds import default_unit, unit_table
from rankstability.rank.units import FEWEST_UNITS, Means, estimate
from rankstability.score.scored import Scored

UNTOLD = ""  # the unit where nothing can be told apart
LEVEL = 0.95  # of intervals, rank ranges and rank sets
RANKED = ["rank", "system", "score", "cluster"]
SETS = ("marginal_low", "marginal_high", "simultaneous_low", "simultaneous_high")


@dataclass(frozen=True)
class Standing:
    """A recipe's ranking of one pair, and what holds when units are drawn anew.

    `unit` is empty where the data cannot tell apart what would be drawn anew, or hold fewer than
    `FEWEST_UNITS` of it: then every column that would promise something is empty. `units` is from
    `rank.unit_kinds.unit_table`, `lines` from `lines`, and `probabilities` has system, then 1 to n:
    the share of resampled campaigns in which it has that rank.

    `ranking`, in the recipe's order: rank, system, score, low, high (interval of the score),
    cluster, rank_low, rank_high, rank_median (of resampled campaigns), marginal_low, marginal_high,
    simultaneous_low, simultaneous_high (rank sets), may_be_first (1 or 0), p_first (share of
    resampled campaigns in which it is first), unit.
    """

    recipe: str
    unit: str
    units: pd.DataFrame
    ranking: pd.DataFrame
    lines: pd.DataFrame
    probabilities: pd.DataFrame


def splits(made: Made) -> set[frozenset[int]]:
    """Each line of a recipe's ranking as the set of systems above it."""
    return {frozenset(made.order[: k + 1].tolist()) for k in np.flatnonzero(made.lines)}


def enough_units(judged: Scored, unit: str, by_domain: bool = False) -> Means | None:
    """The estimate over units of this kind; None for no kind, or fewer than `FEWEST_UNITS`.

    A kind that the data do not name is refused.
    """
    if unit == UNTOLD:
        return None
    named = unit_table(judged).set_index("unit")["units"]
    if unit != "segment" and unit not in named:
        raise DataError(
            "these judgments cannot be told apart by this unit",
            value=unit,
            expected=", ".join(named.index) or "none: no workers and no documents are named",
        )
    if unit != "segment" and named[unit] < FEWEST_UNITS:
        return None
    return estimate(judged, unit, by_domain)


def lines(
    judged: Scored, recipe: Recipe, unit: str, alpha: float = 0.05, made: Made | None = None
) -> pd.DataFrame:
    """The lines that a recipe claims, and which places between neighbours hold one.

    Columns recipe, below (rank above the line), claimed (0 or 1), p, p_holm, held (0 or 1), unit;
    p, p_holm and held are empty where it cannot be told.
    """
    made = made_by(judged, recipe, alpha) if made is None else made
    sure = enough_units(judged, unit, recipe.by_domain)
    out = places(1 + np.flatnonzero(made.lines), made.order, sure, alpha)
    out.insert(0, "recipe", recipe.name)
    return out.assign(unit=unit)


def places(
    claimed: Sequence[int] | np.ndarray, order: np.ndarray, sure: Means | None, alpha: float
) -> pd.DataFrame:
    """Each place between neighbours of an order, with a line claimed there, and one that holds.

    `claimed` are the ranks below which there is a line, `order` the systems, best first; without
    `sure` nothing can be told. Columns as of `lines`, from below to held.
    """
    below = np.arange(1, len(order))
    table = pd.DataFrame({"below": below, "claimed": np.isin(below, claimed).astype(int)})
    if sure is None:
        return table.assign(p=np.nan, p_holm=np.nan, held=np.nan)
    return table.merge(held_lines(sure, order, alpha), on="below", validate="1:1")


def beside(
    systems: Sequence[str],
    claimed: Sequence[int],
    judged: Scored,
    units: Sequence[str],
    alpha: float,
) -> pd.DataFrame:
    """Lines of any ranking, and which places of it hold one when units are drawn anew.

    `systems` are in order, best first (`judged` may hold others, such as human ones, which are left
    out), `claimed` the ranks below which the ranking has lines. Columns below, claimed, unit, p,
    p_holm, held; the last three are empty where it cannot be told.
    """
    order = np.array([judged.systems.index(name) for name in systems])
    parts = []
    for unit in units:
        part = places(claimed, order, enough_units(judged, unit), alpha)
        part.insert(2, "unit", unit)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def recipes_table(judged: Mapping[str, Scored], alpha: float = 0.05) -> pd.DataFrame:
    """The rankings of several recipes: recipe, system, rank, score, rank_low, rank_high, cluster.

    `judged` maps the name of a recipe to the judgments that it counts, with the score it takes.
    """
    recipes = {name: recipe_named(name) for name in judged}
    parts = [
        recipe_table(recipes[name], made_by(one, recipes[name], alpha), one.systems)
        for name, one in judged.items()
    ]
    return pd.concat(parts, ignore_index=True)


def lines_table(
    judged: Mapping[str, Scored], units: Sequence[str], alpha: float = 0.05
) -> pd.DataFrame:
    """`lines` of several recipes (as for `recipes_table`) and units, one under the other."""
    parts = []
    for name, one in judged.items():
        made = made_by(one, RECIPES[name], alpha)
        parts += [lines(one, RECIPES[name], unit, alpha, made) for unit in units]
    return pd.concat(parts, ignore_index=True)


def standing(
    judged: Scored,
    recipe: Recipe | str,
    rng: np.random.Generator,
    unit: str | None = None,
    *,
    resamples: int = 1000,
    alpha: float = 0.05,
) -> Standing:
    """A recipe's ranking with intervals, rank ranges, rank sets, and lines claimed and held.

    `judged` holds what the recipe counts, with the score it takes. `unit` is what would be drawn
    anew (`rank.units.UNITS`), by default as `unit_table` has it; one that the data do not name is
    refused. `alpha` is of the recipe's tests, and of the family of lines that hold.
    """
    recipe = recipe_named(recipe) if isinstance(recipe, str) else recipe
    table = unit_table(judged)
    unit = default_unit(judged) if unit is None else unit
    made = made_by(judged, recipe, alpha)
    ranking = recipe_table(recipe, made, judged.systems)[RANKED]
    sure = enough_units(judged, unit, recipe.by_domain)
    unit = unit if sure else UNTOLD
    claimed = lines(judged, recipe, unit, alpha, made)
    drawn = draw_means(judged, unit, rng, resamples, recipe.by_domain) if sure else None
    plain = Standing(recipe.name, unit, table, ranking, claimed, ranking[["system"]])
    return with_promises(plain, judged.systems, sure, drawn, rng)


def with_promises(
    plain: Standing,
    systems: Sequence[str],
    sure: Means | None,
    drawn: np.ndarray | None,
    rng: np.random.Generator,
) -> Standing:
    """A standing with the columns of its ranking that say what holds, and the chances of ranks.

    `plain` is complete but for these: its ranking holds `RANKED`. `systems` are in the order of
    `sure` and of `drawn`, the scores of resampled campaigns, (resamples, systems); None where
    nothing can be told: the columns are empty.
    """
    ranking = plain.ranking
    if sure is None or drawn is None:
        names = ["low", "high", "rank_low", "rank_high", "rank_median", *SETS, "may_be_first"]
        ranking = ranking.assign(**dict.fromkeys([*names, "p_first"], np.nan), unit=UNTOLD)
        return replace(plain, ranking=ranking)
    drawn = ranks(drawn)
    chance = rank_probabilities(drawn)
    low, high = sure.interval(LEVEL)
    extra = pd.DataFrame({"system": systems, "low": low, "high": high})
    extra = extra.merge(rank_range_table(drawn, systems, LEVEL), on="system")
    sets = rank_sets(sure, rng, LEVEL)
    extra = pd.concat([extra, sets[[*SETS]], sets[["may_be_first"]].astype(int)], axis=1)
    extra["p_first"] = chance[:, 0]
    ranking = ranking.merge(extra, on="system", validate="1:1").assign(unit=plain.unit)
    shares = pd.DataFrame(chance, columns=[str(k) for k in range(1, len(systems) + 1)])
    shares.insert(0, "system", list(systems))
    shares = ranking[["system"]].merge(shares, on="system")
    return replace(plain, ranking=ranking, probabilities=shares)


def set_table(standings: Sequence[Standing]) -> pd.DataFrame:
    """Rank sets one under the other: system, low, high, kind, unit, level, recipe.

    `kind` is ``marginal`` or ``simultaneous``; nothing of a standing without a unit.
    """
    columns = ["system", "low", "high", "kind", "unit", "level", "recipe"]
    parts = [pd.DataFrame(columns=columns)]
    for one in standings:
        for kind in ("marginal", "simultaneous") if one.unit else ():
            part = one.ranking[["system", f"{kind}_low", f"{kind}_high", "unit"]]
            part.columns = pd.Index(["system", "low", "high", "unit"])
            parts.append(part.assign(kind=kind, level=LEVEL, recipe=one.recipe)[columns])
    return pd.concat([p for p in parts if len(p)] or parts, ignore_index=True)
