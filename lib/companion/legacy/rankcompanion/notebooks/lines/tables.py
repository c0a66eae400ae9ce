"""Tables of notebook 10: lines claimed and lines held, and lines between equal systems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.certainty import Certainty, certainty
from companion.legacy.rankstability.rank.ranking import Ranking
from companion.legacy.rankstability.rank.recipes import RECIPES, made_by, recipe_named
from companion.legacy.rankstability.rank.units import TWO_WAY
from companion.legacy.rankstability.score.scored import Scores

from ...models.chance import named_generator
from ...models.units import unit_table, unit_totals
from .calibration import false_lines

SHOWN = (
    "segment",
    "document",
    "worker",
    TWO_WAY,
)  # units whose lines notebook 10 compares
UNTOLD = ""  # the unit if nothing can be told
OF_RECIPES = [
    "recipe",
    "system",
    "rank",
    "score",
    "rank_low",
    "rank_high",
    "cluster",
]


def units_shown(judged: Scores) -> list[str]:
    """Those of `SHOWN` that these judgments name; segments are always there, as a contrast."""
    named = set(unit_table(judged)["unit"])
    return [u for u in SHOWN if u == "segment" or u in named]


def units_by_system(judged: Scores, kind: str) -> np.ndarray:
    """Whether each unit of this kind holds a judgment of each system: (units, systems)."""
    n = len(judged.systems)
    return (
        unit_totals(
            judged.system, judged.unit(kind), judged.score, judged.weights(), n
        )[1]
        > 0
    )


def null_unit(judged: Scores) -> str:
    """The kind of unit within which labels are shuffled: documents, or else workers.

    Workers only where no documents are named. Empty if neither is, or if the units of that kind
    hold one system each as a rule, so that nothing can be shuffled.
    """
    for unit in filter(judged.has, ("document", "worker")):
        held = units_by_system(judged, unit)
        return unit if held.sum() > 1.5 * len(held) else ""
    return ""


def false_line_table(
    judged: Mapping[str, Scores],
    unit: str,
    seed: int,
    draws: int = 200,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """`calibration.false_lines` for recipes, in one table; without rows if `unit` is empty."""
    columns = [
        "recipe", "unit", "pairs_significant", "pairs_low", "pairs_high", "campaigns_with_line",
        "campaigns_low", "campaigns_high", "draws",
    ]  # fmt: skip
    parts = []
    for name, one in judged.items() if unit else ():
        rng = named_generator(seed, f"{name} {unit}")
        parts.append(false_lines(one, RECIPES[name], unit, rng, draws, alpha))
    return pd.concat(
        parts or [pd.DataFrame(columns=columns)], ignore_index=True
    )


def recipes(
    judged: Mapping[str, Scores], units: Sequence[str], alpha: float = 0.05
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rankings of several recipes, and their lines claimed and held, by resampling unit.

    `judged` maps the name of a recipe to the judgments that it counts, with the score it takes.
    Errors are controlled for each recipe and unit separately, not over all of them. Raises
    DataError for a unit that the data do not name.

    Columns of the rankings: recipe, system, rank, score, rank_low, rank_high (the recipe's own
    range), cluster. Columns of the lines: recipe, below (rank above the line), claimed (0 or 1),
    held (0 or 1; empty if it cannot be told), unit.
    """
    rankings = []
    lines = []
    # recipes may count the same judgments
    known: dict[tuple[int, bool, str], Certainty] = {}
    for name, one in judged.items():
        recipe = recipe_named(name)
        made = made_by(one, recipe, alpha)
        rankings.append(made.table.assign(recipe=name)[OF_RECIPES])
        for unit in units:
            key = id(one), recipe.by_domain, unit
            if key not in known:
                known[key] = certainty(
                    one, unit or None, recipe.by_domain, alpha
                )
            lines.append(replace(made, certain=known[key]).places)
    return pd.concat(rankings, ignore_index=True), pd.concat(
        lines, ignore_index=True
    )


def line_counts(lines: pd.DataFrame) -> pd.DataFrame:
    """The number of lines claimed, held, and both, for each recipe and unit of `recipes`.

    Columns (pair,) recipe, unit, places (between neighbours), claimed, held (claimed or not),
    claimed_and_held; the last two are empty if it cannot be told.
    """
    keys = [name for name in ("pair", "recipe", "unit") if name in lines]
    frame = lines.assign(
        unit=lines["unit"].fillna(UNTOLD),
        claimed_and_held=lines["held"] * lines["claimed"],
    )
    groups = frame.groupby(keys, sort=False)
    counts = groups[["claimed", "held", "claimed_and_held"]].sum(min_count=1)
    counts.insert(0, "places", groups.size())
    return counts.reset_index()


def set_table(one: Ranking) -> pd.DataFrame:
    """The rank set of each system; no rows without units."""
    table = one.table[["system", "rank_low", "rank_high", "unit"]]
    table.columns = pd.Index(["system", "low", "high", "unit"])
    return table[table["unit"] != UNTOLD].assign(level=1 - one.sure.alpha)


def pairs_apart(judged: Scores) -> int:
    """The number of pairs of systems that were judged on no common document."""
    held = units_by_system(judged, "document").astype(int)
    shared = held.T @ held
    return int((shared[np.triu_indices(len(shared), 1)] == 0).sum())
