"""`Ranking`: systems in order, with boundaries, pairs and what a new campaign would show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .. import formatting
from ..judgments import Judgments

DrawBoundaries = Callable[[np.ndarray, np.ndarray], np.ndarray]
BOUNDARIES = ["rank", "above", "below", "drawn", "supported", "state"]
PAIRS = ["system_a", "system_b", "difference", "standard_error", "result", "better", "reason"]


@dataclass(frozen=True, repr=False)
class Ranking:
    """Systems in order, best first, with tests, cluster boundaries and pairs.

    Attributes
    ----------
    table : DataFrame
        One row per system. A ranking of judgments has the columns rank, system, score (of the
        procedure), cluster, score_adjusted (systems compared on shared segments), score_low and
        score_high (confidence interval of the adjusted score at level 1 - alpha; not meant for
        comparing two systems), rank_low and rank_high (confidence set for the rank),
        could_be_first, assessable and human. A ranking of segment scores has the columns rank,
        system, raw, z, segments, judgments and cluster.
    p_values : DataFrame
        The p-values of the procedure's tests, systems by systems in order; NaN on the diagonal.
    boundaries : DataFrame
        One row per boundary: rank (the rank above the boundary), above and below (the systems next
        to the boundary), drawn (by the procedure), supported (with new sampling units) and state
        (supported, contradicted or inconclusive).
    pairs : DataFrame
        One row per pair: system_a, system_b, difference (score of a minus score of b),
        standard_error, result (better, inconclusive or not_assessable), better (the better system)
        and reason (why a pair cannot be assessed). Empty for segment scores.
    systems : list of str
        Systems in order, best first.
    procedure, title, test, rule : str
        The name of the procedure, and its title, test and boundary rule in words.
    alpha : float
        The level of the procedure's tests, and the family-wise error level of the inference.
    unit : str
        The sampling units, such as ``annotator x document``; empty if no inference is made.
    kind, pair, campaign, score_name : str
        The kind of judgments, the language pair, the campaign and the name of the score.
    lower_is_better : bool
        Whether lower scores are better. The scores themselves are unchanged.
    inference : RankInference, optional
        Which results would hold with new sampling units.
    judgments : Judgments, optional
        The judgments that were ranked.
    lead : array, shape (systems, systems)
        Positive if the system in the row tends to be better than the system in the column.
    draw : function, optional
        Draws boundaries from significant pairs and `lead`; `compare` uses it to redraw
        them among fewer systems.
    """

    table: pd.DataFrame
    p_values: pd.DataFrame
    boundaries: pd.DataFrame
    pairs: pd.DataFrame
    procedure: str = ""
    title: str = ""
    test: str = ""
    rule: str = ""
    alpha: float = 0.05
    unit: str = ""
    kind: str = ""
    pair: str = ""
    campaign: str = ""
    score_name: str = "score"
    lower_is_better: bool = False
    inference: Any = field(default=None)
    judgments: Judgments | None = None
    lead: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    draw: DrawBoundaries | None = None

    @property
    def systems(self) -> list[str]:
        """Systems in order, best first."""
        return [str(name) for name in self.table["system"]]

    @property
    def clusters(self) -> list[frozenset[str]]:
        """The clusters as sets of systems, best first."""
        label = self.table["cluster"].to_numpy()
        names = self.table["system"].to_numpy()
        return [frozenset(names[label == k]) for k in np.unique(label)]

    def to_latex(self) -> str:
        """Return the table in LaTeX, with rules at the boundaries."""
        return formatting.ranking_as_latex(self)

    def __repr__(self) -> str:
        """Return the table as text, with a rule at each boundary."""
        return "\n".join(formatting.ranking_as_text(self))

    def _repr_html_(self) -> str:
        """Return the table as HTML, with a rule at each boundary and a legend."""
        return formatting.ranking_as_html(self)
