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
from ..inference.from_judgments import infer_scores, ranked_scores
from ..io.judges import load_judge_models
from ..judgments import COMPARISON_KINDS, Judgments
from ..ranking.procedures import Procedure, choose_procedure, scores_for
from ..scores.arrays import ScoreArrays, VoteArrays
from ..scores.build import output_means
from . import judge_votes
from .judge_scores import (
    Matched,
    match,
    order_agreement,
    saving_of_another_annotator,
    saving_of_perfect,
)
from .judge_votes import MatchedVotes, measure_position

ANOTHER_ANNOTATOR = "another annotator"
PERFECT = "perfect judge model"
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
        data, by_domain = self._human
        inference = infer_scores(data, by_domain, None, self.alpha)
        same_annotators = inference
        item = item_of_both(data)
        if item:
            same_annotators = infer_scores(data, by_domain, item, self.alpha)
        rows = []
        for name, matched in self._matched.items():
            human, judge = matched.means()
            rows.append(
                {
                    "judge_model": name,
                    "outputs": matched.outputs,
                    "documents": matched.documents,
                    **order_agreement(matched.systems, human, judge, inference, same_annotators),
                    "lacking": ", ".join(matched.lacking),
                    "constant": matched.constant,
                    "equal": matched.equal,
                }
            )
        return pd.DataFrame(rows)

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
        rows = []
        repeats = []
        for name, matched in self._matched.items():
            found = matched.saving()
            if isinstance(matched, Matched) and isinstance(self.judges[name], Judgments):
                repeats.append(found)
            sizes = {"outputs": matched.outputs, "documents": matched.documents}
            rows.append({"judge_model": name, **sizes, **found})
        if self.yardsticks:
            data = self._human[0]
            if isinstance(data, VoteArrays):
                again = judge_votes.saving_of_another_annotator(judge_votes.human_votes(data))
            else:
                again = saving_of_another_annotator(data)
            if np.isfinite(again["r"]):
                rows.append({"judge_model": ANOTHER_ANNOTATOR, **again})
                repeats.append(again)
            if repeats:
                best = max(repeats, key=lambda each: each["r"])
                rows.append({"judge_model": PERFECT, **saving_of_perfect(best)})
        table = pd.DataFrame(rows)
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
    def _human(self) -> tuple[ScoreArrays | VoteArrays, bool]:
        return ranked_scores(self.judgments, self.procedure)

    @cached_property
    def _matched(self) -> dict[str, Matched | MatchedVotes]:
        """Each judge model beside the human judgments of the same outputs or comparisons."""
        data = self._human[0]
        if isinstance(data, VoteArrays):
            votes = judge_votes.human_votes(data)
            return {n: judge_votes.match_judge(votes, each, n) for n, each in self.judges.items()}
        procedure = choose_procedure(self.judgments, self.procedure)
        return {n: match(data, _scores(each, procedure), n) for n, each in self.judges.items()}


def item_of_both(data: ScoreArrays | VoteArrays) -> str:
    """Return the unit besides annotators, where both are named: document, or question of votes."""
    if isinstance(data, VoteArrays):
        named = data.annotator is not None and data.question is not None
        return "question" if named else ""
    return "document" if data.has("annotator") and data.has("document") else ""


@check_arguments
def compare_judge_model(
    judgments: Judgments,
    judge: Judge | Mapping[str, Judge] | None = None,
    *,
    procedure: str | None = None,
    alpha: float = 0.05,
    yardsticks: bool = False,
) -> JudgeModelComparison:
    """Compare judge models with human annotators: the order of systems and the judgments saved.

    Parameters
    ----------
    judgments : Judgments
        Human judgments.
    judge : DataFrame, Judgments, str, or a mapping of names to these, optional
        The scores of a judge model, with the columns system, segment, score (higher is better) and,
        optionally, document (for votes: question, left, right and winner). Other possibilities are
        another study of the same outputs, or the name of a judge model of the campaign. By default,
        all judge models of the campaign are compared.
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
        if not judge:
            raise DataError("no_judge_models")
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


def _scores(given: pd.DataFrame | Judgments, procedure: Procedure) -> pd.DataFrame:
    """Return the score of each output: system, segment, document (perhaps empty), score."""
    if isinstance(given, Judgments):
        return output_means(scores_for(given, procedure)).assign(document="")
    check_columns("judge", given, ("system", "segment", "score"))
    table = given.astype({"system": str, "segment": str})
    document = table["document"] if "document" in table else pd.Series("", table.index)
    document = document.astype(object).where(document.notna(), "").astype(str)
    known = table["score"].notna()
    return table.assign(document=document)[known]
