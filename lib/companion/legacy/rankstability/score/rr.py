"""Relative ranking: pairwise counts to scores, for every such score that the papers define.

Bojar et al. (2011, Sections 2.1 and 2.3), Lopez (2012, Eqs. 1 to 3) and Koehn (2012, Section 2)
give some scores several names; `METHODS` lists each score.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import REFERENCE
from .pairwise import (
    PairCounts,
    better_or_equal_others,
    better_others,
    expected_win,
    wins_over_decided,
)


@dataclass(frozen=True)
class Method:
    """A score from pairwise counts: its column, and whether the reference counts."""

    name: str
    score: Callable[[PairCounts], np.ndarray]
    reference: bool = True

    def __call__(self, counts: PairCounts) -> pd.Series:
        """Scores by system; NaN for the reference if it does not count."""
        used = counts if self.reference else counts.without(REFERENCE)
        scores = pd.Series(self.score(used), list(used.systems))
        return scores.reindex(list(counts.systems))


METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        Method("better_or_equal_others", better_or_equal_others),
        Method("better_others", better_others),
        Method("wins_over_decided", wins_over_decided),
        Method("heuristic2", better_others, reference=False),
        Method("bojar", wins_over_decided, reference=False),
        Method("expected_win", expected_win, reference=False),
    )
}


def method_of(name: str) -> Method:
    """The score of this name in `METHODS`. Raises DataError for any other name."""
    if name not in METHODS:
        raise DataError(
            "unknown score", value=name, expected=", ".join(METHODS)
        )
    return METHODS[name]
