"""A judge model of battles beside people: its votes less what the models' strengths make expected.

The raw correlation of votes counts differences of strength as a saving. So each vote (1 for the
left, 0 for the right, 1/2 for a tie) is taken less its expectation under Davidson's strengths,
people's from people's votes and the judge's from its own, of the same battles; worth is the square
of what these have in common.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.stats import t as student

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import bradley_terry
from companion.legacy.rankstability.score.pairwise import PairCounts

from ...models.comparing import tau
from .worth import FEWEST_SYSTEMS, LEVEL, UNKNOWN, around, ordered, worth

FEWEST_QUESTIONS = 4
BATTLE = ["question", "left", "right"]
POSITION = ["who", "votes", "left_share", "position", "low", "high"]


@dataclass(frozen=True)
class Votes:
    """Votes of two sides on the same battles: codes of the models, and votes less expectation."""

    systems: tuple[str, ...]
    question: np.ndarray
    strength: np.ndarray  # of the models, by people's votes
    judge_strength: np.ndarray
    people: np.ndarray  # people's votes less their expectation
    judge: np.ndarray
    battles: int  # distinct ones


def joined(people: pd.DataFrame, judge: pd.DataFrame) -> pd.DataFrame:
    """People's votes with the judge's vote on the same battle (columns ``vote``, ``vote_judge``).

    Both have question, left, right, vote; the judge has each battle once. Raises DataError if no
    battle is in both, with a battle of each.
    """
    both = people.merge(
        judge[[*BATTLE, "vote"]], on=BATTLE, suffixes=("", "_judge")
    )
    if both.empty:
        value, expected = (
            ", ".join(map(str, side[BATTLE].iloc[0]))
            for side in (judge, people)
        )
        problem = "no battle of people has a vote of the judge"
        expected = (
            f"people's battles (question, left, right), such as {expected}"
        )
        column = str(judge["judge"].iloc[0])
        raise DataError(problem, column=column, value=value, expected=expected)
    return both


def compared(both: pd.DataFrame) -> Votes:
    """The votes of both sides less their expectations; `both` is from `joined`."""
    systems = tuple(sorted({*both["left"], *both["right"]}))
    index = pd.Index(systems)
    left, right = (index.get_indexer(both[side]) for side in ("left", "right"))
    questions = pd.factorize(both["question"], sort=True)[0]
    sides = []
    for name in ("vote", "vote_judge"):
        vote = both[name].to_numpy(float)
        strength, tie = _fitted(systems, left, right, vote)
        sides.append(
            (strength, vote - _expected(strength[left] - strength[right], tie))
        )
    battles = len(both.drop_duplicates(BATTLE))
    (strength, rest), (own, judge) = sides
    return Votes(systems, questions, strength, own, rest, judge, battles)


def _fitted(
    systems: tuple[str, ...],
    left: np.ndarray,
    right: np.ndarray,
    vote: np.ndarray,
) -> tuple[np.ndarray, float]:
    """Davidson's strengths and tie parameter; where infinite, with a win added each way."""
    n = len(systems)
    wins = np.zeros((n, n), int)
    ties = np.zeros((n, n), int)
    winner = np.where(vote > 0.5, left, right)
    loser = np.where(vote > 0.5, right, left)
    decided = vote != 0.5
    np.add.at(wins, (winner[decided], loser[decided]), 1)
    np.add.at(ties, (left[~decided], right[~decided]), 1)
    counts = PairCounts(systems, wins, ties + ties.T)
    if not bradley_terry.finite(counts):
        counts = replace(counts, wins=wins + 1 - np.eye(n, dtype=int))
    return bradley_terry.davidson(counts)


def _expected(lead: np.ndarray, tie: float) -> np.ndarray:
    """The expected vote for the left, whose strength is higher by `lead`."""
    up = np.exp(lead / 2)
    down = np.exp(-lead / 2)
    return (up + tie / 2) / (up + down + tie)


def order(votes: Votes) -> dict[str, object]:
    """How far the strengths of people and judge agree: alike, pairs, tau, first (the judge's)."""
    upper = np.triu_indices(len(votes.systems), 1)
    agree = (ordered(votes.strength) == ordered(votes.judge_strength))[upper]
    first = votes.systems[int(np.argmax(votes.judge_strength))]
    together = float(tau(votes.strength, votes.judge_strength))
    return {
        "alike": int(agree.sum()),
        "pairs": len(agree),
        "tau": together,
        "first": first,
    }


def judged(votes: Votes) -> dict[str, float]:
    """The judge's correlation and worth, as `worth.worth` has them, jackknifed over questions.

    The interval is by the infinitesimal jackknife with the fitted strengths. NaN for fewer than
    `FEWEST_QUESTIONS` questions or three models.
    """
    number = int(votes.question.max()) + 1
    if number < FEWEST_QUESTIONS or len(votes.systems) < FEWEST_SYSTEMS:
        return UNKNOWN
    people, judge = (
        side - side.mean() for side in (votes.people, votes.judge)
    )
    parts = (people * judge, people**2, judge**2)
    both, own, other = (np.bincount(votes.question, part) for part in parts)
    size = np.sqrt(own.sum() * other.sum())
    if size == 0:
        return UNKNOWN
    r = float(both.sum() / size)
    influence = both / size - r / 2 * (own / own.sum() + other / other.sum())
    return worth(r, *around(r, float(np.sqrt((influence**2).sum())), number))


def another_person(people: pd.DataFrame) -> dict[str, float]:
    """What another person's vote on the same battle is worth, as `judged` has it.

    Every two votes on one battle by different judges are set beside each other, in both orders. NaN
    if judges are not named, or no battle has two.
    """
    named = people[people["judge"] != ""]
    both = named.merge(named, on=BATTLE, suffixes=("", "_judge"))
    both = both[both["judge"] != both["judge_judge"]]
    return judged(compared(both)) if len(both) else UNKNOWN


def position(
    who: str, both: pd.DataFrame, name: str = "vote"
) -> dict[str, object]:
    """How far votes favour the left: votes, left_share (of decided), position, low, high.

    ``position`` is the mean of twice the vote less its expectation, with its interval by t over
    questions. `name` is the column of votes in `both`, from `joined`.
    """
    made = compared(both.assign(vote=both[name], vote_judge=both[name]))
    vote = both[name].to_numpy(float)
    decided = vote[vote != 0.5]
    rest = 2 * made.people
    totals = np.bincount(made.question, rest - rest.mean())
    number = len(totals)
    error = np.sqrt((totals**2).sum() * number / max(number - 1, 1)) / len(
        rest
    )
    half = (
        student.ppf((1 + LEVEL) / 2, number - 1) * error
        if number > 1
        else np.nan
    )
    ends = rest.mean() + np.array([0, -half, half])
    share = decided.mean() if len(decided) else np.nan
    return dict(zip(POSITION, (who, len(vote), share, *ends), strict=True))
