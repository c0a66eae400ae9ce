"""`Judgments`: the judgments of one language pair or task, whatever the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

EXCLUDED = ["file", "code", "rows", "detail"]
SCORE_KINDS = (
    "direct_assessment",
    "ratings",
    "mqm",
    "segment_scores",
    "leaderboard",
)
COMPARISON_KINDS = ("relative_ranking", "votes")
KINDS = (*SCORE_KINDS, *COMPARISON_KINDS)
COUNTED_TYPES = ("SYSTEM", "REPEAT")  # item types that are ranked


def no_exclusions() -> pd.DataFrame:
    """Return an empty table of excluded rows."""
    return pd.DataFrame(columns=EXCLUDED)


@dataclass(frozen=True)
class Judgments:
    """Human judgments with a record of how they were read.

    Attributes
    ----------
    table : DataFrame
        One row per judgment. Kinds with scores have the columns ``system``, ``segment`` and
        ``score``, and perhaps ``annotator``, ``hit``, ``document``, ``block``, ``domain``,
        ``criterion``, ``item_type`` (SYSTEM, REPEAT, REF or BAD_REF), ``time`` and ``mark``.
        Kind ``segment_scores`` also has ``z`` and ``judgments`` (how many each score averages).
        Kind ``votes`` has ``left``, ``right``, ``winner`` (``left``, ``right`` or ``tie``), and
        perhaps ``annotator``, ``question``, ``domain``. Kind ``relative_ranking`` has one row per
        output of a ranking block: ``block``, ``system``, ``rank`` (1 is best, -1 not ranked),
        ``annotator``, ``segment``, and perhaps ``document``.
    kind : str
        One of `KINDS`.
    all_rows : DataFrame, optional
        WMT direct assessment only: the rows from which each annotator's mean and standard
        deviation are computed, where they are not those of `table`.
    errors : DataFrame, optional
        MQM only: the marked errors, one row each.
    excluded : DataFrame
        Columns file, code (of `codes.EXCLUSIONS`), rows, detail: the rows that were left out. Each
        row of a file is counted once.
    notes : DataFrame
        The same columns: rows that were kept but are doubtful, and what was assumed.
    scale : (float, float), optional
        The lowest and the highest possible score.
    lower_is_better : bool
        Whether a lower score is better, as for error rates. Scores stay as they were given.
    humans, controls, judge_models : tuple of str
        Systems that are human translations; outputs of known quality that are shown and not
        ranked; annotators that are models.
    order_known : bool
        Votes only: whether ``left`` is the output that was shown first.
    declared : dict
        The words of INPUT with which a table was read, as for ``campaign.yaml``.
    constant_annotators : str
        ``drop``: annotators whose scores never vary have no z-score; ``zero``: it is 0.
    """

    table: pd.DataFrame
    kind: str
    pair: str = ""
    task: str = ""
    campaign: str = ""
    source: str = ""
    protocol: str = ""
    year: int = 0
    all_rows: pd.DataFrame | None = None
    errors: pd.DataFrame | None = None
    excluded: pd.DataFrame = field(default_factory=no_exclusions)
    notes: pd.DataFrame = field(default_factory=no_exclusions)
    scale: tuple[float, float] | None = None
    lower_is_better: bool = False
    humans: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    judge_models: tuple[str, ...] = ()
    order_known: bool = True
    declared: dict[str, Any] = field(default_factory=dict)
    constant_annotators: str = "drop"

    def with_table(self, table: pd.DataFrame, **changes: Any) -> Judgments:
        """Return the same judgments with another table."""
        return replace(self, table=table, **changes)
