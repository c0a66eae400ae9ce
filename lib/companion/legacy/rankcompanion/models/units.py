"""The kinds of unit that judgments name, how they lie within each other, and sums by unit."""

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.battles import Battles
from companion.legacy.rankstability.rank.units import (
    DOCUMENT,
    SEGMENT,
    TWO_WAY,
    WORKER,
    cell_sums,
    default_kinds,
)
from companion.legacy.rankstability.score.scored import Scores

UNITS = ("worker", "hit", "document", "block", TWO_WAY)


def unit_table(scored: Scores) -> pd.DataFrame:
    """The kinds of unit that these judgments name, the number of each, and the default.

    Columns unit, units (their number; for two kinds, the smaller one), inside (kinds of unit in
    which each of these is contained, joined by `` + ``), default (0 or 1, by `default_kinds`; all 0
    if it is empty). Segments are a unit only of a table with nothing but items.
    """
    names = (*UNITS[:-1], *((SEGMENT,) if scored.items else ()))
    codes = {name: scored.unit(name) for name in names if scored.has(name)}
    number = {name: len(np.unique(c)) for name, c in codes.items()}
    inside = {
        name: [o for o in codes if o != name and nested(codes[name], codes[o])]
        for name in codes
    }
    if {WORKER, DOCUMENT} <= codes.keys():
        number[TWO_WAY] = min(number[WORKER], number[DOCUMENT])
        inside[TWO_WAY] = []
    default = " x ".join(default_kinds(scored))
    rows = [
        (u, n, " + ".join(inside[u]), int(u == default))
        for u, n in number.items()
    ]
    return pd.DataFrame(rows, columns=["unit", "units", "inside", "default"])


def nested(inner: np.ndarray, outer: np.ndarray) -> bool:
    """Whether each level of one factor is contained in a level of another."""
    outer_of = np.zeros(
        int(inner.max()) + 1, dtype=outer.dtype
    )  # of each inner level
    outer_of[inner] = outer
    return bool((outer_of[inner] == outer).all())


def unit_totals(
    system: np.ndarray,
    unit: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray,
    systems: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums of scores, and sums of weights: both (units, systems), for units in use.

    `system` and `unit` hold the codes of each judgment; `weight` may be 1 / n for the n judgments
    of one output, so that a segment counts once; `systems` is the number of systems.
    """
    _, unit = np.unique(unit, return_inverse=True)
    shape = int(unit.max()) + 1, systems
    sums = cell_sums(unit, system, weight * score, shape)
    return sums, cell_sums(unit, system, weight, shape)


def loads(data: Scores | Battles, unit: str) -> np.ndarray:
    """The number of judgments of each unit of this kind.

    Of comparisons: of those decided, systems counted one by one.
    """
    if isinstance(data, Battles):
        return data.grouped.decided_by_system()[1].sum(axis=1)
    return np.bincount(data.unit(unit))
