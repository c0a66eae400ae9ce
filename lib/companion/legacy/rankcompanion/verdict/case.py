"""The case of a verdict: the judgments of one language pair or task, and how they are ranked."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from companion.legacy.rankstability.judgments import DirectAssessment
from companion.legacy.rankstability.rank.battles import Battles
from companion.legacy.rankstability.score.scored import Scores


@dataclass(frozen=True)
class Case:
    """The judgments of one language pair, or of one task of relative ranking, for a verdict.

    `name` is that of the pair or task; `protocol` is ``DA``, ``MQM`` or ``RR`` (battles included);
    `recipe` makes the ranking. `judged` maps each recipe to the judgments that it counts, as it
    scores them; it is empty for relative ranking, which has `battles` instead. `extra` says whether
    the pair has a larger task than this one. `humans` are the human translations and references
    among the systems. `why` is the reason for the recipe: ``asked``,
    ``year`` (the campaign's), ``default`` (no year is known) or ``scores`` (these data have none
    for the recipe of the year).
    """

    name: str
    pair: str
    protocol: str
    recipe: str
    judgments: DirectAssessment | pd.DataFrame
    judged: Mapping[str, Scores]
    battles: Battles | None = None
    extra: bool = False
    why: str = ""
    humans: tuple[str, ...] = ()

    @property
    def own(self) -> Scores:
        """The judgments as the chosen recipe scores them."""
        return self.judged[self.recipe]

    @property
    def data(self) -> Scores | Battles:
        """What is ranked: the judgments as the chosen recipe scores them, or comparisons."""
        return self.own if self.battles is None else self.battles

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of their codes."""
        return self.data.systems
