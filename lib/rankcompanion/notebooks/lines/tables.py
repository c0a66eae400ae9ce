"""Tables of notebook 10: lines claimed and lines held, and lines between equal systems."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from rankcompanion.notebooks.lines.calibration import false_lines
from rankcompanion.notebooks.lines.held import RANKED, UNTOLD
from rankstability.chance import child_seeds, named_generator
from rankstability.judgments import DirectAssessment
from rankstability.rank.recipes import RECIPES, counted_by, made_by, weak_lines
from rankstability.rank.units import TWO_WAY, unit_table, unit_totals
from rankstability.score.scored import Scores

SHOWN = ("segment", "document", "worker", TWO_WAY)  # units whose lines notebook 10 compares


def judged_by(
    judgments: DirectAssessment | pd.DataFrame, own: str | None = None
) -> dict[str, Scores]:
    """The judgments that each recipe of `rank.recipes.RECIPES` counts, with the score it takes.

    Unless `own` is None, recipes whose tests have nothing to compare are left out, except `own`.
    """
    known: dict[tuple[str, str, bool, bool], Scores] = {}
    made = {}
    for name, recipe in RECIPES.items():
        key = recipe.rows, recipe.score, recipe.apart, recipe.screened
        if key not in known:
            known[key] = counted_by(judgments, recipe)
        if own in (None, name) or _compares(name, known[key]):
            made[name] = known[key]
    return made


def _compares(recipe: str, judged: Scores) -> bool:
    """Whether a recipe's test finds anything to compare in these judgments."""
    if not judged.systems:  # for instance all users screened out
        return False
    if (np.isfinite(judged.matrix()).sum(axis=1) > 1).any():
        return True
    p = made_by(judged, RECIPES[recipe]).p
    return bool((np.nan_to_num(p[np.triu_indices(len(p), 1)], nan=1.0) < 1).any())


def units_shown(judged: Scores) -> list[str]:
    """Those of `SHOWN` that these judgments name; segments are always there, as a contrast."""
    named = set(unit_table(judged)["unit"])
    return [u for u in SHOWN if u == "segment" or u in named]


def units_by_system(judged: Scores, kind: str) -> np.ndarray:
    """Whether each unit of this kind holds a judgment of each system: (units, systems)."""
    n = len(judged.systems)
    return unit_totals(judged.system, judged.unit(kind), judged.score, judged.weights(), n)[1] > 0


def null_units(judged: Scores) -> list[str]:
    """Kinds of unit within which labels can be shuffled: documents, workers with several systems.

    If both are, and blocks hold more than two judgments on average, blocks too.
    """
    out = []
    for unit in filter(judged.has, ("document", "worker")):
        held = units_by_system(judged, unit)
        if held.sum() > 1.5 * len(held):
            out.append(unit)
    if set(out) == {"document", "worker"}:
        blocks = len(np.unique(judged.unit("block")))
        out += ["block"] if len(judged.score) > 2 * blocks else []
    return out


def false_line_table(
    judged: Mapping[str, Scores],
    units: Sequence[str],
    seed: int,
    draws: int = 200,
    alpha: float = 0.05,
    own: str = "",
) -> pd.DataFrame:
    """`calibration.false_lines` for recipes (of drafts only `own`) and units, in one table.

    Blocks are for `own` only: they are slow, and their result is close to that for workers.
    """
    columns = [
        "recipe", "unit", "pairs_significant", "pairs_low", "pairs_high", "campaigns_with_line",
        "campaigns_low", "campaigns_high", "draws",
    ]  # fmt: skip
    parts = []
    for (name, one), unit in product(judged.items(), units):
        if name == own or (RECIPES[name].since and unit != "block"):
            rng = named_generator(seed, f"{name} {unit}")
            parts.append(false_lines(one, RECIPES[name], unit, rng, draws, alpha))
    return pd.concat(parts or [pd.DataFrame(columns=columns)], ignore_index=True)


def random_lines(
    judged: Scores, recipe: str, seed: int, seeds: int = 200, alpha: float = 0.05
) -> pd.DataFrame:
    """How often a recipe whose tests are random draws each line, over `seeds` seeds.

    Columns below (rank above the line), full, weak (shares of the seeds with a full line, or a weak
    one as `weak_lines` defines it), seeds. The order of the systems does not depend on the seed.
    """
    parts = []
    for rng in child_seeds(seed, seeds):
        made = made_by(judged, RECIPES[recipe], alpha, rng)
        parts.append((made.claimed, weak_lines(made, alpha)))
    full, weak = np.mean(parts, axis=0)
    below = np.arange(1, len(judged.systems))
    return pd.DataFrame({"below": below, "full": full, "weak": weak, "seeds": seeds})


def line_counts(lines: pd.DataFrame) -> pd.DataFrame:
    """The number of lines claimed, held, and both, for each recipe and unit of `held.recipes`.

    Columns (pair,) recipe, unit, places (between neighbours), claimed, held (claimed or not),
    claimed_and_held; the last two are empty if it cannot be told.
    """
    keys = [name for name in ("pair", "recipe", "unit") if name in lines]
    frame = lines.assign(
        unit=lines["unit"].fillna(UNTOLD), claimed_and_held=lines["held"] * lines["claimed"]
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


def parts_table(parts: Mapping[str, Scores], recipe: str, alpha: float = 0.05) -> pd.DataFrame:
    """The recipe's ranking of each part of a campaign."""
    frames = []
    for part, judged in parts.items():
        made = made_by(judged, RECIPES[recipe], alpha)
        frames.append(made.table[RANKED])
        frames[-1].insert(0, "part", part)
    return pd.concat(frames, ignore_index=True)
