"""Judge models of pairwise comparisons beside human votes.

The raw correlation of votes counts differences of strength as a saving. So each vote (1 for the
left, 0 for the right, 1/2 for a tie) is taken minus its expectation under Davidson's strengths: the
human votes with the strengths by human votes, the judge model's with its own, on the same
comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..errors import DataError
from ..judgments import Judgments
from ..ranking.davidson import fit_finite
from ..scores.arrays import VoteArrays
from ..scores.pairwise import tabulate, vote_arrays
from .judge_scores import (
    LEVEL,
    MIN_SYSTEMS,
    UNKNOWN,
    interval_of_r,
    saving_from_r,
)

MIN_QUESTIONS = 4
COMPARISON = ["question", "left", "right"]
VOTE_VALUES = {"left": 1.0, "right": 0.0, "tie": 0.5}
HUMANS = "human annotators"


@dataclass(frozen=True)
class MatchedVotes:
    """Votes of two sides on the same comparisons, minus their expectation.

    Attributes
    ----------
    both : DataFrame
        From `join_votes`: question, left, right, vote and vote_judge.
    systems : tuple of str
    question : array of int, shape (votes,)
    human_strength, judge_strength : arrays, shape (systems,)
    human, judge : arrays, shape (votes,)
        Votes minus their expectation under the side's own strengths.
    lacking : tuple of str
        Systems that the judge model lacks.
    """

    both: pd.DataFrame
    systems: tuple[str, ...]
    question: np.ndarray
    human_strength: np.ndarray
    judge_strength: np.ndarray
    human: np.ndarray
    judge: np.ndarray
    lacking: tuple[str, ...] = ()

    @property
    def outputs(self) -> int:
        """The number of different comparisons."""
        return len(self.both.drop_duplicates(COMPARISON))

    @property
    def documents(self) -> int:
        """The number of questions."""
        return int(self.question.max()) + 1

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the strengths by both sides."""
        return self.human_strength, self.judge_strength

    @property
    def constant(self) -> bool:
        """Whether all votes of the judge model are the same."""
        return bool(self.both["vote_judge"].nunique() == 1)

    @property
    def equal(self) -> bool:
        """Whether all votes of the judge model are the human votes."""
        return bool((self.both["vote"] == self.both["vote_judge"]).all())

    def saving(self) -> dict[str, float]:
        """Return r and the share saved, by the infinitesimal jackknife over questions."""
        number = self.documents
        if number < MIN_QUESTIONS or len(self.systems) < MIN_SYSTEMS:
            return UNKNOWN
        human, judge = (side - side.mean() for side in (self.human, self.judge))
        both, of_human, of_judge = (
            np.bincount(self.question, part) for part in (human * judge, human**2, judge**2)
        )
        size = np.sqrt(of_human.sum() * of_judge.sum())
        if size == 0:
            return UNKNOWN
        r = float(both.sum() / size)
        spread = of_human / of_human.sum() + of_judge / of_judge.sum()
        influence = both / size - r / 2 * spread
        low, high = interval_of_r(r, float(np.sqrt((influence**2).sum())), number)
        return saving_from_r(r, low, high)


def measure_position(
    judgments: Judgments, judges: Mapping[str, pd.DataFrame | Judgments]
) -> pd.DataFrame:
    """Return the rows of `JudgeModelComparison.position_effects`."""
    human = human_votes(vote_arrays(judgments))
    named = human[human["annotator"] != ""]
    rows = [_position(HUMANS, human, "vote") | _count_changed(named)]
    for name, given in judges.items():
        votes = votes_of(given)
        both = join_votes(human, votes, name).drop_duplicates(COMPARISON)
        rows.append(_position(name, both, "vote_judge") | _count_changed(votes))
    return pd.DataFrame(rows)


def _position(name: str, votes: pd.DataFrame, column: str) -> dict[str, object]:
    vote = votes[column].to_numpy(float)
    matched = match_votes(votes.assign(vote=vote, vote_judge=vote))
    decided = vote[vote != 0.5]
    rest = 2 * matched.human
    totals = np.bincount(matched.question, rest - rest.mean())
    number = len(totals)
    half = np.nan
    if number > 1:
        error = np.sqrt((totals**2).sum() * number / (number - 1)) / len(rest)
        half = stdtrit(number - 1, (1 + LEVEL) / 2) * error
    share = decided.mean() if len(decided) else np.nan
    mean = rest.mean()
    return {
        "annotators": name,
        "votes": len(vote),
        "left_share": share,
        "position": mean,
        "position_low": mean - half,
        "position_high": mean + half,
    }


def _count_changed(votes: pd.DataFrame) -> dict[str, object]:
    """Count the comparisons that one annotator saw in both orders, and the changes of the winner."""
    keys = [name for name in [*COMPARISON, "annotator"] if name in votes]
    mean = votes.groupby(keys, as_index=False)["vote"].mean()
    turned = mean.rename(columns={"left": "right", "right": "left"})
    both = mean.merge(turned, on=keys, suffixes=("", "_turned"))
    both = both[both["left"] < both["right"]]
    same = np.isclose(both["vote"], 1 - both["vote_turned"])
    return {"both_orders": len(both), "changed": int((~same).sum())}


def human_votes(votes: VoteArrays) -> pd.DataFrame:
    """Return one row per vote: question, left, right, vote, annotator (empty if not named).

    Raises
    ------
    DataError
        If the votes do not name their questions.
    """
    if votes.question is None:
        raise DataError("missing_column", column="question")
    systems = np.array(votes.systems, dtype=object)
    table = pd.DataFrame(
        {
            "question": np.array(votes.questions, dtype=object)[votes.question],
            "left": systems[votes.first],
            "right": systems[votes.second],
            "vote": votes.outcome,
        }
    )
    named = votes.annotator is not None
    table["annotator"] = np.array(votes.annotators, dtype=object)[votes.annotator] if named else ""
    return table


def votes_of(given: pd.DataFrame | Judgments) -> pd.DataFrame:
    """Return the votes of a judge model: question, left, right, vote; each comparison once.

    Raises
    ------
    DataError
        ``output_scored_twice`` for two different votes on a comparison.
    """
    if isinstance(given, Judgments):
        return human_votes(vote_arrays(given)).drop_duplicates(COMPARISON)
    table = given.astype(dict.fromkeys(COMPARISON, str))
    if "vote" not in table:
        table["vote"] = table["winner"].astype(str).map(VOTE_VALUES)
    table = table[[*COMPARISON, "vote"]].drop_duplicates()
    twice = table[table.duplicated(COMPARISON)]
    if len(twice):
        raise DataError("output_scored_twice", value=", ".join(twice[COMPARISON].iloc[0]))
    return table


def join_votes(human: pd.DataFrame, judge: pd.DataFrame, name: str) -> pd.DataFrame:
    """Join human votes with the judge model's vote on the same comparison (column vote_judge).

    Raises
    ------
    DataError
        ``no_common_vote``.
    """
    both = human.merge(judge, on=COMPARISON, suffixes=("", "_judge"))
    if both.empty:
        ours, theirs = (
            ", ".join(map(str, side[COMPARISON].iloc[0])) if len(side) else ""
            for side in (judge, human)
        )
        raise DataError("no_common_vote", column=name, value=ours, expected=f"such as {theirs}")
    return both


def match_judge(human: pd.DataFrame, given: pd.DataFrame | Judgments, name: str) -> MatchedVotes:
    """Match human votes with those of a judge model on the same comparisons."""
    both = join_votes(human, votes_of(given), name)
    lacking = {*human["left"], *human["right"]} - {*both["left"], *both["right"]}
    return replace(match_votes(both), lacking=tuple(sorted(lacking)))


def match_votes(both: pd.DataFrame) -> MatchedVotes:
    """Return the votes of both sides minus their expectations."""
    systems = tuple(sorted({*both["left"], *both["right"]}))
    index = pd.Index(systems)
    left, right = (index.get_indexer(both[side]) for side in ("left", "right"))
    question = pd.factorize(both["question"], sort=True)[0]
    sides = []
    for column in ("vote", "vote_judge"):
        vote = both[column].to_numpy(float)
        sides.append(_fit(VoteArrays(systems, left, right, vote, np.ones(len(vote)))))
    (human_strength, human), (judge_strength, judge) = sides
    return MatchedVotes(both, systems, question, human_strength, judge_strength, human, judge)


def _fit(votes: VoteArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return Davidson's strengths, and votes minus their expectation.

    Where strengths are infinite, a win in each direction is added to every pair.
    """
    fit = fit_finite(tabulate(votes))
    assert fit is not None
    lead = fit.strength[votes.first] - fit.strength[votes.second]
    up, down = np.exp(lead / 2), np.exp(-lead / 2)
    expected = (up + fit.tie / 2) / (up + down + fit.tie)
    return fit.strength, votes.outcome - expected


def saving_of_another_annotator(human: pd.DataFrame) -> dict[str, float]:
    """Return what another annotator's vote on the same comparison would save.

    Every two votes on one comparison by different annotators are set beside each other, in both
    orders.
    """
    named = human[human["annotator"] != ""]
    both = named.merge(named, on=COMPARISON, suffixes=("", "_judge"))
    both = both[both["annotator"] != both["annotator_judge"]]
    return match_votes(both).saving() if len(both) else UNKNOWN
