"""Which kinds of unit a campaign's data name, which of them they can tell apart, the default."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..score.scored import Scored
from .units import FEWEST_UNITS, TWO_WAY, UNITS


def unit_table(scored: Scored) -> pd.DataFrame:
    """What of these judgments can be drawn anew, how many there are of each, and the default.

    The default is the outermost unit: worker and document together where they cross, the outer of
    the two where one lies within the other. One with fewer than `FEWEST_UNITS` is no default, then
    the other is.

    Columns unit, units (their number; of two kinds, the fewer), inside (kinds of unit in which each
    of these lies whole, with `` + `` between), default (0 or 1; all 0: cannot be told). Never
    segments.
    """
    codes = {name: scored.unit(name) for name in UNITS[:-1] if scored.has(name)}
    number = {name: len(np.unique(c)) for name, c in codes.items()}
    inside = {
        name: [o for o in codes if o != name and nested(codes[name], codes[o])] for name in codes
    }
    if {"worker", "document"} <= codes.keys():
        crossed = "document" not in inside["worker"] and "worker" not in inside["document"]
        if crossed and number["worker"] > 1 and number["document"] > 1:
            number[TWO_WAY], inside[TWO_WAY] = min(number["worker"], number["document"]), []
    default = _outermost(number, inside)
    rows = [(u, n, " + ".join(inside[u]), int(u == default)) for u, n in number.items()]
    return pd.DataFrame(rows, columns=["unit", "units", "inside", "default"])


def nested(inner: np.ndarray, outer: np.ndarray) -> bool:
    """Whether each level of one factor lies whole within a level of another."""
    pairs = np.unique(inner.astype(np.int64) * (int(outer.max()) + 1) + outer)
    return len(pairs) == len(np.unique(inner))


def _outermost(number: dict[str, int], inside: dict[str, list[str]]) -> str:
    enough = [u for u, n in number.items() if n >= FEWEST_UNITS]
    if TWO_WAY in enough:
        return TWO_WAY
    both = [u for u in ("worker", "document") if u in enough]
    if len(both) == 2:
        return "worker" if "worker" in inside["document"] else "document"
    if not both and "hit" in enough and "worker" not in number:
        return "hit"
    return next(iter(both), "")


def default_unit(scored: Scored) -> str:
    """The default of `unit_table`; empty where nothing can be told apart."""
    table = unit_table(scored)
    return next(iter(table.loc[table["default"] == 1, "unit"]), "")
