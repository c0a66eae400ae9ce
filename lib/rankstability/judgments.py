"""`Judgments`: the judgments of one language pair or task, whatever the protocol."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from . import formatting
from .arguments import check_alpha, check_arguments
from .errors import DataError

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


@dataclass(frozen=True, repr=False)
class Judgments:
    """Human judgments, with a record of how they were read.

    Attributes
    ----------
    table : DataFrame
        One row per judgment. Kinds with scores have the columns ``system``, ``segment`` and
        ``score``. Optional columns are ``annotator``, ``hit``, ``document``, ``block``, ``domain``,
        ``criterion``, ``item_type`` (SYSTEM, REPEAT, REF or BAD_REF), ``time`` and ``mark``.
        Kind ``segment_scores`` also has ``z`` and ``judgments`` (the number of judgments that each
        score averages). Kind ``votes`` has ``left``, ``right`` and ``winner`` (``left``, ``right``
        or ``tie``); ``annotator``, ``question`` and ``domain`` are optional. Kind
        ``relative_ranking`` has one row per output of a ranking block: ``block``, ``system``,
        ``rank`` (1 is best, -1 is not ranked), ``annotator`` and ``segment``; ``document`` is
        optional.
    kind : str
        One of `KINDS`.
    all_rows : DataFrame, optional
        WMT direct assessment only: the rows from which each annotator's mean and standard
        deviation are computed, if they differ from the rows of `table`.
    errors : DataFrame, optional
        MQM only: the marked errors, one per row.
    excluded : DataFrame
        Rows that were left out, with the columns file, code (see `codes.EXCLUSIONS`), rows (their
        number) and detail. Each row of a file is counted once.
    notes : DataFrame
        Rows that were kept but are doubtful, and assumptions that were made, with the same columns.
    scale : (float, float), optional
        The lowest and the highest possible score.
    lower_is_better : bool
        Whether a lower score is better, as for error rates. The scores themselves are unchanged.
    humans, controls, judge_models : tuple of str
        Systems that are human translations; outputs of known quality that are shown but not ranked;
        and annotators that are models.
    order_known : bool
        Votes only: whether ``left`` is the output that was shown first.
    declared : dict
        The settings with which a table was read, as in ``campaign.yaml``.
    constant_annotators : str
        What happens to annotators who gave every output the same score: ``drop`` (they have no
        z-score) or ``zero`` (their z-scores are 0).
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

    @property
    def systems(self) -> list[str]:
        """The names of the systems in alphabetical order, without controls and the reference."""
        if self.kind == "votes":
            names = names_in(self.table["left"]) | names_in(self.table["right"])
        elif "item_type" in self.table:
            names = names_in(self.table["system"][self.table["item_type"].isin(COUNTED_TYPES)])
        else:
            names = names_in(self.table["system"])
        return sorted(names - {*self.controls, REFERENCE})

    @property
    def n_judgments(self) -> int:
        """The number of judgments that are ranked; for relative ranking, the number of blocks."""
        if self.kind == "relative_ranking":
            return int(self.table["block"].nunique())
        ranked = ~self.models_beside_people
        if "item_type" in self.table:
            ranked &= self.table["item_type"].isin(COUNTED_TYPES)
        return int(ranked.sum())

    @property
    def models_beside_people(self) -> pd.Series:
        """Whether a row is by a judge model although people judged, too. Such rows are not ranked."""
        if not self.judge_models or "annotator" not in self.table:
            return pd.Series(False, index=self.table.index)
        models = self.table["annotator"].isin(self.judge_models)
        return models & (not models.all())

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @property
    def n_annotators(self) -> int:
        """The number of annotators, or 0 if they are not named."""
        return self._number("annotator")

    @property
    def n_documents(self) -> int:
        """The number of documents, or 0 if they are not named."""
        return self._number("document")

    @property
    def n_segments(self) -> int:
        """The number of segments; for votes, the number of questions."""
        return self._number("question" if self.kind == "votes" else "segment")

    def _number(self, column: str) -> int:
        return int(self.table[column].nunique()) if column in self.table else 0

    @check_arguments
    def has_unit(self, unit: str) -> bool:
        """Return whether every judgment names this sampling unit, such as ``annotator x document``.

        Examples
        --------
        >>> import rankstability as rs
        >>> rs.load("demo-srdc", "de-en").has_unit("annotator x document")
        True
        """
        names = [name.strip() for name in unit.split(" x ")]
        table = self.table
        return all(name in table and bool(table[name].notna().all()) for name in names)

    @check_arguments
    def require(
        self, kinds: Collection[str] = (), columns: Collection[str] = (), alpha: float = 0.05
    ) -> None:
        """Raise DataError unless the judgments have one of these kinds and all of these columns.

        A notebook calls this method first. It then stops with a single sentence if it does not
        apply to the judgments.

        Parameters
        ----------
        kinds : collection of str
            The kinds of judgments to which the notebook applies. If empty, it applies to all.
        columns : collection of str
            The columns that the notebook needs, such as ``annotator``.
        alpha : float
            The significance level to be checked.

        Raises
        ------
        DataError
            ``not_applicable``, ``not_applicable_column`` or ``bad_alpha``.

        Examples
        --------
        >>> import rankstability as rs
        >>> judgments = rs.load("demo-srdc", "de-en")
        >>> judgments.require(kinds=["direct_assessment"], columns=["annotator"])
        """
        if len(kinds) and self.kind not in list(kinds):
            raise DataError("not_applicable", kinds=", ".join(map(str, kinds)), kind=self.kind)
        for column in columns:
            if column not in self.table:
                raise DataError("not_applicable_column", column=column)
        check_alpha(alpha)

    def describe(self) -> pd.DataFrame:
        """Return counts, means and standard deviations of the scores by item type, or by system.

        For votes, return the numbers of judgments, wins and ties of each system. For relative
        rankings, return the number and the mean of the ranks of each system.
        """
        if self.kind == "votes":
            won = self.table["winner"].astype(str)
            left, right = self.table["left"].astype(str), self.table["right"].astype(str)
            winners = left.where(won == "left", right.where(won == "right"))
            ties = pd.concat([left[won == "tie"], right[won == "tie"]])
            both = pd.concat([left, right]).value_counts()
            wins = winners[won != "tie"].value_counts()
            table = pd.DataFrame({"judgments": both, "wins": wins, "ties": ties.value_counts()})
            return table.fillna(0).astype(int).rename_axis("system").sort_index()
        if self.kind == "relative_ranking":
            ranked = self.table[self.table["rank"] > 0]
            return ranked.groupby("system", observed=True)["rank"].agg(["size", "mean"])
        by = "item_type" if "item_type" in self.table else "system"
        return self.table.groupby(by, observed=True)["score"].agg(["size", "mean", "std"])

    def __repr__(self) -> str:
        """Return at most ten lines: kind, counts, scale and direction, and what was left out."""
        return "\n".join(formatting.describe_judgments(self))

    def _repr_html_(self) -> str:
        """Return the same lines for a notebook, with every name escaped."""
        return formatting.lines_as_html(formatting.describe_judgments(self))


REFERENCE = "_ref"  # the reference in relative ranking


def check_judgments(judgments: object, kinds: Collection[str] = ()) -> None:
    """Raise DataError unless the argument is `Judgments`, of one of the kinds if any are given."""
    if not isinstance(judgments, Judgments):
        raise DataError("not_judgments", value=type(judgments).__name__)
    if kinds and judgments.kind not in kinds:
        raise DataError("wrong_kind", kind=judgments.kind)


def names_in(column: pd.Series) -> set[str]:
    """Return the names that occur in a column, as texts."""
    return {str(name) for name in column.dropna().unique()}


def check_names(names: Collection[str], known: Collection[str], code: str) -> None:
    """Raise DataError with this code, and the nearest known name, for a name that is not known."""
    for name in sorted({str(each) for each in names} - set(known)):
        raise DataError(code, value=name, known=sorted(known))
