"""Tables of notebook 10: lines claimed and lines held, and lines between equal systems."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from rankstability.rank.recipes import RECIPES
from rankstability.rank.standing import UNTOLD
from rankstability.rank.units import TWO_WAY
from rankstability.score.scored import Scores

from ...models.chance import named_generator
from ...models.units import unit_table, unit_totals
from .calibration import false_lines

SHOWN = (
    "segment",
    "document",
    "worker",
    TWO_WAY,
)  # units whose lines notebook 10 compares


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


def line_counts(lines: pd.DataFrame) -> pd.DataFrame:
    """The number of lines claimed, held, and both, for each recipe and unit of `standing.recipes`.

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


def pairs_apart(judged: Scores) -> int:
    """The number of pairs of systems that were judged on no common document."""
    held = units_by_system(judged, "document").astype(int)
    shared = held.T @ held
    return int((shared[np.triu_indices(len(shared), 1)] == 0).sum())
