"""Intervals of components and of document luck by what would be drawn anew (notebook 05)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.stats import t as student

from rankstability.judgments import DirectAssessment
from rankstability.rank.units import default_kinds
from rankstability.score.scored import scored

from ..lines.held import UNTOLD
from ..models.jackknife import LeftOut, error, leave_out
from ..models.variance import Components

VAGUE = 100.0  # an interval that divides and multiplies by more says nothing


@dataclass(frozen=True)
class WithoutUnits:
    """What components and document effects are without groups of units.

    `unit` is empty where none is named, or only one of a kind: then no intervals. `fits` maps
    the score (raw, z) to each kind of unit and its fits.
    """

    unit: str = UNTOLD
    fits: Mapping[str, Mapping[str, LeftOut]] = field(default_factory=dict)

    def component_factor(self, score: str, component: str) -> float:
        """By how much the 95 % interval of a component's ratio to the rest divides and multiplies.

        Variances by two kinds of units are added. NaN for a variance of 0, without a unit, and
        above `VAGUE`.
        """
        fits = list(self.fits.get(score, {}).values())
        if not fits or component not in fits[0].factors:
            return float("nan")
        at = fits[0].factors.index(component)
        se = np.sqrt(sum(error(f.log_ratio)[at] ** 2 for f in fits))
        factor = float(np.exp(self._times(fits) * se))
        return factor if factor <= VAGUE else float("nan")

    def luck_half(self, share: pd.DataFrame, model: pd.Series) -> pd.Series:
        """Half the 95 % interval of each system's luck in points, its documents being those it had.

        `share` (systems by documents) is that of a system's scores on a document, less the mean
        system's; `model` half the interval by the model's errors of the documents' effects: what
        documents can say. Of two kinds of units the wider counts.
        """
        half = pd.Series(np.nan, share.index)
        for kind, fit in self.fits.get("raw", {}).items():
            if kind == "document":
                own = model
            else:
                own = self._times([fit]) * error(fit.document @ share.to_numpy().T)
                own = pd.Series(own, share.index)
            half = np.fmax(half, own)
        return half

    @staticmethod
    def _times(fits: list[LeftOut]) -> float:
        return float(student.isf(0.025, min(len(f.log_ratio) for f in fits) - 1))


UNTOLD_UNITS = WithoutUnits()


def without_units(
    data: DirectAssessment | pd.DataFrame,
    parts: Mapping[str, Components],
    rng: np.random.Generator,
    unit: str | None = None,
) -> WithoutUnits:
    """The components of raw and z-scores without groups of units.

    `data` and `parts` are as for and from `documents.variance_components`; `unit` by default that
    of `rank.units.default_kinds`; one that the data do not name is refused.
    """
    raw = scored(data)
    kinds = default_kinds(raw) if unit is None else tuple(unit.split(" x "))
    number = [len(np.unique(raw.unit(kind))) for kind in kinds]
    if min(number, default=0) < 2:
        return UNTOLD_UNITS
    fits: dict[str, dict[str, LeftOut]] = {}
    for score in ("raw", "z"):
        weights = None
        if not isinstance(data, DirectAssessment):
            weights = data.loc[data[score].notna(), "n"].to_numpy(float)
        judged = scored(data, score)
        fits[score] = {k: leave_out(judged, parts[score], k, rng, weights) for k in kinds}
    return WithoutUnits(" x ".join(kinds), fits)
