"""Judge models (language models, metrics) beside human annotators: order, and judgments saved.

Human judgments decide. The scores of a judge model never enter a mean, a test, a boundary or a rank
set. Two questions are asked: does the judge model put the systems in the order of the human
judgments, and what share of human judgments would unlimited scores of it save?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_arguments, check_columns
from ..errors import DataError, suggest
from ..inference.ratings import infer_ratings
from ..io.judges import load_judge_models
from ..judgments import COMPARISON_KINDS, SCORE_KINDS, Judgments
from ..ranking.procedures import Procedure, scores_for
from ..scores.arrays import ScoreArrays
from .inferred import choose_procedure
from .judge_scores import (
    is_constant,
    is_equal,
    match,
    order_agreement,
    output_means,
    saving,
    saving_of_another_annotator,
    saving_of_perfect,
)
from .judge_votes import (
    ANOTHER_ANNOTATOR,
    PERFECT,
    compare_votes,
    measure_position,
    saved_by_votes,
)

ORDER = [
    "judge_model",
    "outputs",
    "documents",
    "alike",
    "pairs",
    "better_alike",
    "better_pairs",
    "same_annotators_alike",
    "same_annotators_pairs",
    "tau",
    "first",
    "reversed",
    "boundaries_reversed",
    "lacking",
    "constant",
    "equal",
]
SAVED = [
    "judge_model",
    "outputs",
    "documents",
    "r",
    "r_low",
    "r_high",
    "document_share",
    "judgments_saved",
    "saved_low",
    "saved_high",
]
Judge: TypeAlias = pd.DataFrame | Judgments | str


@dataclass(frozen=True)
class JudgeModelComparison:
    """Judge models beside human annotators; see `compare_judge_model`.

    Each table is computed when it is asked for.

    Attributes
    ----------
    judgments : Judgments
        Human judgments.
    judges : dict of str to DataFrame or Judgments
        Scores or votes of the judge models by name.
    procedure, alpha, yardsticks
        As for `compare_judge_model`.
    """

    judgments: Judgments
    judges: dict[str, pd.DataFrame | Judgments]
    procedure: str | None
    alpha: float
    yardsticks: bool

    @cached_property
    def order(self) -> pd.DataFrame:
        """The order of the systems by each judge model, compared with that by human judgments.

        Only outputs that both judged count. There is no interval of tau: agreement of resampled
        documents is always lower than that of the documents themselves.

        A row per judge model: judge_model, outputs, documents (questions, for votes), alike and
        pairs (pairs of systems in the same order, of all), better_alike and better_pairs (of the
        pairs that are significantly better in human judgments), same_annotators_alike and
        same_annotators_pairs (of those that are significant with the same annotators and new
        documents), tau (Kendall's tau-b), first (the judge model's best system), reversed
        (significant pairs in the opposite order), boundaries_reversed (supported boundaries across
        which a pair is reversed, as ranks), lacking (systems that the judge model lacks), constant
        (all its scores are the same), equal (its scores are those of the human judgments).
        """
        if self.judgments.kind not in SCORE_KINDS:
            return compare_votes(self.judgments, self.judges, self.alpha)[ORDER]
        chosen, human = self._chosen, self._human
        inference = infer_ratings(human, None, chosen.by_domain, self.alpha)
        same_annotators = inference
        if human.has("annotator") and human.has("document"):
            same_annotators = infer_ratings(human, "document", chosen.by_domain, self.alpha)
        rows = []
        for name, given in self.judges.items():
            scores = _scores(given, chosen.name)
            matched = match(human, scores, name)
            rows.append(
                {
                    "judge_model": name,
                    "outputs": matched.outputs,
                    "documents": matched.documents,
                    **order_agreement(matched, inference, same_annotators),
                    "lacking": ", ".join(matched.lacking),
                    "constant": is_constant(matched.score),
                    "equal": is_equal(matched),
                }
            )
        return pd.DataFrame(rows, columns=ORDER)

    @cached_property
    def judgments_saved(self) -> pd.DataFrame:
        """The share of human judgments that unlimited scores of each judge model would save.

        A judge model that only knows how good the systems are saves nothing: it must know on which
        documents each system does better or worse than usual, as annotators see it. With the
        influences of documents on the systems' means, of human scores y and of the judge model f,
        summed over documents and over all pairs of systems,

            r = t(C_yf) / sqrt(t(C_yy) t(C_ff)),   t(C) = tr C - 1'C1 / n,
            judgments saved = max(r, 0)^2 V_D / V,

        where V is the variance of the human means with new annotators and documents, and V_D that
        with new documents alone: a judge model cannot save what other annotators would change. With
        n documents judged by annotators and N by the judge model only, N / (n + N) of it is saved.
        For votes, r is the correlation of votes minus their expectation under Davidson's strengths.

        A row per judge model: judge_model, outputs, documents (questions, for votes), r, r_low,
        r_high (95 % interval by the jackknife over documents), document_share (V_D / V, taken as
        known), judgments_saved, saved_low, saved_high. NaN with fewer than three systems or four
        documents.
        """
        if self.judgments.kind not in SCORE_KINDS:
            return saved_by_votes(self.judgments, self.judges, self.yardsticks)[SAVED]
        rows = []
        repeats = []
        for name, given in self.judges.items():
            matched = match(self._human, _scores(given, self._chosen.name), name)
            found = saving(matched)
            if isinstance(given, Judgments):
                repeats.append(found)
            sizes = {"outputs": matched.outputs, "documents": matched.documents}
            rows.append({"judge_model": name, **sizes, **found})
        if self.yardsticks:
            again = saving_of_another_annotator(self._human)
            if np.isfinite(again["r"]):
                rows.append({"judge_model": ANOTHER_ANNOTATOR, **again})
                repeats.append(again)
            if repeats:
                best = max(repeats, key=lambda each: each["r"])
                rows.append({"judge_model": PERFECT, **saving_of_perfect(best)})
        table = pd.DataFrame(rows, columns=SAVED)
        return table.astype({"outputs": "Int64", "documents": "Int64"})

    @cached_property
    def position_effects(self) -> pd.DataFrame:
        """How far votes favour the output on the left, of people and of judge models.

        A row for the human annotators and for each judge model (on the comparisons that people
        judged, too): annotators, votes, left_share (of the decided votes), position (mean of twice
        the vote minus its expectation), position_low, position_high (95 % interval, by t over
        questions), both_orders (comparisons that the same annotator saw in both orders), changed
        (of these, those in which the winner changes with the order). DataError ``wrong_kind`` for
        judgments that are not votes.
        """
        if self.judgments.kind != "votes":
            raise DataError("wrong_kind", kind=self.judgments.kind)
        return measure_position(self.judgments, self.judges)

    @cached_property
    def _chosen(self) -> Procedure:
        return choose_procedure(self.judgments, self.procedure)

    @cached_property
    def _human(self) -> ScoreArrays:
        return scores_for(self.judgments, self._chosen)


@check_arguments
def compare_judge_model(
    judgments: Judgments,
    judge: Judge | Mapping[str, Judge] | None = None,
    *,
    procedure: str | None = None,
    alpha: float = 0.05,
    yardsticks: bool = False,
) -> JudgeModelComparison:
    """Compare judge models with human annotators: order of systems, and human judgments saved.

    Parameters
    ----------
    judgments : Judgments
        Human judgments.
    judge : DataFrame, Judgments, str, or a mapping of names to these, optional
        The scores of a judge model, with the columns system, segment, score (higher is better) and,
        optionally, document; for votes the columns question, left, right and winner. Instead,
        another study of the same outputs, or the name of a judge model of the campaign. By default,
        all judge models of the campaign.
    procedure : str, optional
        The ranking procedure that scores the human judgments; by default that of the campaign's
        year.
    alpha : float
        The error rate of the human ranking.
    yardsticks : bool
        Whether `judgments_saved` also shows two reference values: the savings from another human
        annotator of the same outputs, and from a judge model that knew everything on which two
        annotators (or studies) agree.

    Returns
    -------
    JudgeModelComparison
        With the tables `order`, `judgments_saved` and, for votes, `position_effects`.

    Raises
    ------
    DataError
        If there is no judge model. Also when a table is requested, if people and the judge model
        have no outputs in common or name different documents.

    Examples
    --------
    >>> import rankstability as rs
    >>> comparison = rs.compare_judge_model(rs.load("demo-judges", "en-de"))
    >>> order = comparison.order.set_index("judge_model")
    >>> order.loc["knows-the-order", ["alike", "pairs"]].tolist()
    [21, 21]
    >>> saved = comparison.judgments_saved.set_index("judge_model")["judgments_saved"]
    >>> float(saved["knows-much"].round(2))
    0.44

    For votes:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"left": ["A", "B"] * 6, "right": ["B", "A"] * 6, "question": range(12)})
    >>> frame["winner"] = ["left", "left", "left", "right"] * 3
    >>> people = rs.battles(frame, question="question")
    >>> model = rs.battles(frame.assign(winner="left"), question="question")
    >>> table = rs.compare_judge_model(people, {"model": model}).position_effects
    >>> table[["annotators", "votes", "left_share"]].values.tolist()
    [['human annotators', 12, 0.75], ['model', 12, 1.0]]
    """
    return JudgeModelComparison(judgments, _judges(judgments, judge), procedure, alpha, yardsticks)


# ------------------------------------------------------------------ whose scores


def _judges(
    judgments: Judgments, judge: Judge | Mapping[str, Judge] | None
) -> dict[str, pd.DataFrame | Judgments]:
    """Return the judge models by name, with their scores or votes."""
    if isinstance(judge, Mapping):
        named = {}
        for name, given in judge.items():
            found = _judges(judgments, given)
            named[name] = next(iter(found.values()))
        return named
    if isinstance(judge, Judgments):
        return {judge.task or judge.campaign or "another study": judge}
    if isinstance(judge, pd.DataFrame):
        if judgments.kind not in COMPARISON_KINDS:
            check_columns("judge", judge, ("system", "segment", "score"))
        return {"judge model": judge}
    known = load_judge_models(judgments.campaign, judgments.pair)
    known |= {name: _of_annotator(judgments, name) for name in judgments.judge_models}
    if judge is None:
        if not known:
            raise DataError("no_judge_models")
        return known
    if judge not in known:
        expected = suggest(judge, known) or ", ".join(known) or None
        raise DataError("unknown_judge_model", value=judge, expected=expected)
    return {judge: known[judge]}


def _of_annotator(judgments: Judgments, name: str) -> pd.DataFrame:
    """Return the scores or votes of a judge model among the annotators; higher is better."""
    rows = judgments.table[judgments.table["annotator"].astype(str) == name]
    if judgments.lower_is_better:
        rows = rows.assign(score=-rows["score"])
    return rows.reset_index(drop=True)


def _scores(given: pd.DataFrame | Judgments, procedure: str) -> pd.DataFrame:
    """Return the score of each output: system, segment, document (perhaps empty), score."""
    if isinstance(given, Judgments):
        return output_means(scores_for(given, choose_procedure(given, procedure)))
    check_columns("judge", given, ("system", "segment", "score"))
    table = given.astype({"system": str, "segment": str})
    document = table["document"] if "document" in table else pd.Series("", table.index)
    document = document.astype(object).where(document.notna(), "").astype(str)
    known = table["score"].notna()
    return table.assign(document=document)[known]
