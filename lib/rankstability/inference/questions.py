"""Answers to questions about one ranking, each with an error rate of its own.

An answer is asked for, by names that are given before the scores are seen. At most `alpha` of such
answers are wrong. An answer can say more than the ranking, or less; it never says the opposite.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..arguments import check_alpha, check_arguments
from ..errors import DataError, suggest
from ..judgments import Judgments
from ..scores.arrays import ScoreArrays
from .assemble import PairTests, assemble, two_sided_p
from .from_judgments import infer_judgments, ranked_ratings
from .ratings import pair_tests
from .result import RankInference

# ------------------------------------------------------------------ a chosen pair or a baseline


class _Answer:
    """Shown as its table, with its level and sampling units."""

    table: pd.DataFrame
    alpha: float
    unit: str

    def __repr__(self) -> str:
        return f"{self._heading()}\n{self.table.to_string(index=False)}"

    def _repr_html_(self) -> str:
        shown = self.table.to_html(index=False, escape=True, border=0)
        return f"<p>{html.escape(self._heading())}</p>{shown}"

    def _heading(self) -> str:
        units = f"sampling units: {self.unit}" if self.unit else "no inference is made"
        return f"{type(self).__name__}, level {self.alpha:g}, {units}"


@dataclass(frozen=True, repr=False)
class PairComparison(_Answer):
    """Whether system A is better than system B, asked before the scores were seen.

    Attributes
    ----------
    result : str
        ``better``, ``worse``, ``inconclusive`` or ``not_assessable``; A compared with B.
    difference, difference_low, difference_high : float
        Score of A minus score of B, in the direction in which scores were given, and its interval;
        NaN where the pair cannot be assessed.
    at_most_worse : float
        A is at most so much worse than B (at least 0).
    standard_error, df : float
        Of the difference.
    p : float
        The p that counts. It can be larger than that of `standard_error` and `df`, where a second
        estimate of the difference or a lower limit of p is larger.
    reason : str
        Code of the reason why the pair cannot be assessed.
    """

    system_a: str
    system_b: str
    result: str
    difference: float
    difference_low: float
    difference_high: float
    at_most_worse: float
    standard_error: float
    df: float
    p: float
    reason: str
    alpha: float
    unit: str

    @property
    def table(self) -> pd.DataFrame:
        """The answer as a frame of one row."""
        return pd.DataFrame([vars(self)])


@dataclass(frozen=True, repr=False)
class BaselineComparison(_Answer):
    """Which systems differ from a baseline, asked before the scores were seen.

    Attributes
    ----------
    table : DataFrame
        One row per other system: system, difference (system minus baseline, in the direction in
        which scores were given), difference_low, difference_high, standard_error, result
        (``better``, ``worse``, ``inconclusive`` or ``not_assessable``; compared with the baseline),
        at_most_worse, reason. All intervals, directions and margins are jointly valid.
    """

    baseline: str
    table: pd.DataFrame
    alpha: float
    unit: str


@check_arguments
def compare_pair(
    judgments: Judgments,
    a: str,
    b: str,
    *,
    unit: str | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
) -> PairComparison:
    """Answer "Is system A better than system B?", asked before the scores were seen.

    The interval is D ± t(1 - alpha/2, df*) · sqrt(V*), with df in place of df* if moderation did
    not raise the variance. The interval is not valid for a pair that was chosen because of its
    scores, such as the leader and the runner-up. For such pairs, use the ranking itself.

    Parameters
    ----------
    judgments : Judgments
        Ratings, votes or relative rankings.
    a, b : str
        Names of two systems.
    unit, procedure : str, optional
        See `rank_systems`.
    alpha : float
        The error rate of this answer.

    Raises
    ------
    DataError
        ``unknown_system``; ``same_system`` if `a` and `b` are equal; ``bad_alpha``.

    Examples
    --------
    >>> import rankstability as rs
    >>> answer = rs.compare_pair(rs.load("demo-srdc", "de-en"), "HUMAN.0", "Maple.109")
    >>> answer.result, round(answer.difference, 2)
    ('better', 0.75)
    """
    inference = infer_judgments(judgments, procedure, unit, alpha)
    return answer_pair(inference, a, b, alpha, sign_of(judgments))


@check_arguments
def compare_with_baseline(
    judgments: Judgments,
    baseline: str,
    *,
    unit: str | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
) -> BaselineComparison:
    """Answer "Which systems differ from this baseline?", asked before the scores were seen.

    The intervals D ± t(1 - alpha/(2k), df*) · sqrt(V*) are jointly valid for all k other systems
    that can be assessed. For the parameters and errors, see `compare_pair`.

    Examples
    --------
    >>> import rankstability as rs
    >>> answer = rs.compare_with_baseline(rs.load("demo-srdc", "de-en"), "Maple.109")
    >>> answer.table.columns.tolist()[:4]
    ['system', 'difference', 'difference_low', 'difference_high']
    """
    inference = infer_judgments(judgments, procedure, unit, alpha)
    return answer_baseline(inference, baseline, alpha, sign_of(judgments))


def answer_pair(
    inference: RankInference, a: str, b: str, alpha: float = 0.05, sign: int = 1
) -> PairComparison:
    """Return the comparison of two systems of an inference; `sign` is -1 if lower is better."""
    check_alpha(alpha)
    first, second = place_of(inference, a), place_of(inference, b)
    if first == second:
        raise DataError("same_system", value=a)
    row = _difference(without_gain(inference), first, second, alpha, sign)
    return PairComparison(system_a=a, system_b=b, alpha=alpha, unit=inference.unit, **row)


def without_gain(inference: RankInference) -> RankInference:
    """Return the inference with df before moderation for pairs whose variance was not raised.

    Moderation adds degrees of freedom to every pair. If a system is unlike all others, the others
    say nothing about the variance of its differences. Simulated single pairs with such a system
    were wrong in up to 10 % of campaigns; with this rule, in at most 4 %.
    """
    if inference.variance_raw is None or inference.df_raw is None:
        return inference
    raised = inference.variance > inference.variance_raw * (1 + 1e-9)
    df = np.where(raised, inference.df, inference.df_raw)
    p = two_sided_p(inference.difference, inference.variance, df)
    return replace(inference, df=df, p=np.maximum(p, inference.p))


def answer_baseline(
    inference: RankInference, baseline: str, alpha: float = 0.05, sign: int = 1
) -> BaselineComparison:
    """Return the comparison of all other systems with a baseline."""
    check_alpha(alpha)
    base = place_of(inference, baseline)
    others = [k for k in range(len(inference.systems)) if k != base]
    number = max(int(inference.assessable[others].sum()), 1)
    rows = [
        {"system": inference.systems[k], **_difference(inference, k, base, alpha / number, sign)}
        for k in others
    ]
    columns = ["system", "difference", "difference_low", "difference_high", "standard_error"]
    table = pd.DataFrame(rows)[[*columns, "result", "at_most_worse", "reason"]]
    return BaselineComparison(baseline, table, alpha, inference.unit)


def _difference(
    inference: RankInference, first: int, second: int, alpha: float, sign: int
) -> dict[str, Any]:
    """Return the interval of a difference at level 1 - alpha, and its direction.

    If p is above alpha, for whatever reason, the end of the interval next to 0 moves to 0.
    """
    difference = float(inference.difference[first, second])
    p = float(inference.p[first, second])
    error = float(np.sqrt(inference.variance[first, second]))
    df = float(inference.df[first, second])
    row: dict[str, Any] = {"difference": sign * difference, "p": p, "df": df}
    if not known_pairs(inference)[first, second]:
        reason = str(inference.pair_reasons[first, second]) or "estimates_disagree"
        nothing = dict.fromkeys(
            ("difference_low", "difference_high", "at_most_worse", "standard_error"), np.nan
        )
        return {**row, **nothing, "result": "not_assessable", "reason": reason}
    half = float(stdtrit(df, 1 - alpha / 2)) * error
    low, high = difference - half, difference + half
    if p > alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    result = "better" if low > 0 else "worse" if high < 0 else "inconclusive"
    if p > alpha:
        result = "inconclusive"
    ends = sorted((sign * low, sign * high))
    return {
        **row,
        "difference_low": ends[0],
        "difference_high": ends[1],
        "standard_error": error,
        "at_most_worse": max(0.0, -low),
        "result": result,
        "reason": "",
    }


def known_pairs(inference: RankInference) -> np.ndarray:
    """Return which pairs can be assessed: (n, n).

    p is 1 where nothing can be said about a difference, and also where the means are equal.
    """
    known = (inference.pair_reasons == "") & (inference.df > 0)
    return np.asarray(known & ((inference.p < 1) | (inference.difference == 0)), bool)


# ------------------------------------------------------------------ which system to choose


@dataclass(frozen=True, repr=False)
class Candidates(_Answer):
    """Which systems could be chosen as the best, and what the choice of a system costs at most.

    Attributes
    ----------
    table : DataFrame
        One row per assessable system, in order of the means: system, score, candidate,
        cost_at_most (in points; NaN if it cannot be assessed, or for a sole candidate), and
        could_be_first (by the ranking, which makes more statements at once).
    """

    table: pd.DataFrame
    alpha: float
    unit: str

    @property
    def systems(self) -> list[str]:
        """The candidates: the best system is one of them."""
        return list(self.table.loc[self.table["candidate"], "system"])


@check_arguments
def find_candidates(
    judgments: Judgments,
    *,
    unit: str | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
) -> Candidates:
    """Answer "Which system should be chosen, and how much could the choice cost?".

    The best system is one of the candidates (Hsu 1984). If several systems are equally good and
    best, some of them can be missing. A system outside the candidates is therefore not shown to be
    worse. For the parameters and errors, see `compare_pair`.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.find_candidates(rs.load("demo-srdc", "de-en")).systems[0]
    'HUMAN.0'
    """
    inference = infer_judgments(judgments, procedure, unit, alpha)
    return answer_candidates(inference, alpha, sign_of(judgments))


def answer_candidates(inference: RankInference, alpha: float = 0.05, sign: int = 1) -> Candidates:
    """Return the candidates of an inference.

    With n assessable systems, a = min(alpha/2, alpha/(n - 1)) and h = t(1 - a, df*) · sqrt(V*)::

        S0     = all i for which no j has m_j - m_i >= h_ij      the same as two-sided p <= 2a
        S      = S0 without the systems that the ranking puts below another
        cost_i = max(0, max over j in S0, j != i, of m_j - m_i + h_ij)
    """
    check_alpha(alpha)
    n = int(inference.assessable.sum())
    possible, cost = candidates_before_removal(inference, alpha)
    candidate = possible & ~inference.better[:n, :n].any(axis=0)
    if candidate.sum() == 1:
        cost[candidate] = np.nan
    table = pd.DataFrame(
        {
            "system": list(inference.systems[:n]),
            "score": sign * inference.mean[:n],
            "candidate": candidate,
            "cost_at_most": cost,
            "could_be_first": inference.could_be_first[:n],
        }
    )
    return Candidates(table, alpha, inference.unit)


def candidates_before_removal(
    inference: RankInference, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return S0 and the costs, among the assessable systems."""
    n = int(inference.assessable.sum())
    here = np.s_[:n, :n]
    level = min(alpha / 2, alpha / max(n - 1, 1))
    lead = -inference.difference[here]  # column less row: how much better j is than i
    known = known_pairs(inference)[here] & ~np.eye(n, dtype=bool)
    df = np.where(known, inference.df[here], np.nan)
    half = stdtrit(df, 1 - level) * np.sqrt(inference.variance[here])
    behind = (lead > 0) & (inference.p[here] <= 2 * level)
    possible = np.asarray(~behind.any(axis=1))
    cost = np.where(np.eye(n, dtype=bool), 0.0, lead + half)[:, possible]
    return possible, np.asarray(np.maximum(cost.max(axis=1, initial=0.0), 0.0))


# ------------------------------------------------------------------ the leader in each category


@dataclass(frozen=True)
class Leaders:
    """The best system in each category.

    Attributes
    ----------
    table : DataFrame
        One row per category: category, leader (empty if the best system is one of several),
        candidates (a tuple), documents (or other units of the last kind), assessable.
    """

    table: pd.DataFrame
    alpha: float
    unit: str


@check_arguments
def find_leaders(
    judgments: Judgments,
    by: str = "domain",
    *,
    unit: str | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
) -> Leaders:
    """Answer "Which system leads in each category?", with answers that are jointly valid.

    Each of the C categories that can be assessed is ranked separately at level alpha / C. A system
    leads if it is the only candidate. Different leaders in two categories do not show that the
    difference between two systems varies with the category.

    Parameters
    ----------
    judgments : Judgments
        Ratings.
    by : str
        A column of ``judgments.table``, such as ``domain``.
    unit, procedure, alpha
        As for `compare_pair`.

    Raises
    ------
    DataError
        ``wrong_kind`` for votes; ``no_such_column`` if the judgments lack the column.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> blog = judgments.table["document"].astype(str).str[-1] < "5"
    >>> table = judgments.table.assign(genre=blog.map({True: "blog", False: "news"}))
    >>> rs.find_leaders(judgments.with_table(table), by="genre").table["category"].tolist()
    ['blog', 'news']
    """
    arrays = ranked_ratings(judgments, procedure)[0]
    if by in arrays.units and by in arrays.unit_names:
        codes, names = arrays.units[by], arrays.unit_names[by]
        parts = {names[k]: arrays.take(codes == k) for k in range(len(names))}
    elif by in judgments.table:
        table = judgments.table
        parts = {
            str(value): ranked_ratings(judgments.with_table(rows), procedure)[0]
            for value, rows in table.groupby(by, observed=True)
        }
    else:
        raise DataError("no_such_column", column=by, expected=", ".join(judgments.table))
    return answer_leaders(
        {name: part for name, part in parts.items() if part.n_judgments}, unit, alpha
    )


def answer_leaders(
    parts: Mapping[str, ScoreArrays], unit: str | None = None, alpha: float = 0.05
) -> Leaders:
    """Return the leaders from the judgments of each category."""
    check_alpha(alpha)
    tests = {name: pair_tests(part, unit) for name, part in parts.items()}
    assessed = [name for name, made in tests.items() if _can_be_assessed(made)]
    level = alpha / max(len(assessed), 1)
    rows = []
    for name, made in tests.items():
        found: tuple[str, ...] = ()
        if name in assessed:
            found = tuple(answer_candidates(assemble(made, level), level).systems)
        leader = found[0] if len(found) == 1 else ""
        number = [*made.units.values()][-1] if made.units else 0
        rows.append((name, leader, found, number, name in assessed))
    kinds = next(iter(tests.values())).units if tests else {}
    last = f"{[*kinds][-1]}s" if kinds else "units"
    table = pd.DataFrame(rows, columns=["category", "leader", "candidates", last, "assessable"])
    return Leaders(table, alpha, " x ".join(kinds))


def _can_be_assessed(tests: PairTests) -> bool:
    """Return whether at least two systems have enough effective units."""
    return int(tests.assessable.sum()) >= 2


# ------------------------------------------------------------------ looks during a campaign


def look_alpha(look: int, looks: int, alpha: float = 0.05) -> float:
    """Return the level of one of several planned looks during a campaign.

    Error rates of looks add, so every statement of every look is made at alpha / looks.

    Parameters
    ----------
    look, looks : int
        This look, from 1; and the number that was set before the first look.

    Raises
    ------
    DataError
        ``more_looks_than_planned``.

    Examples
    --------
    >>> look_alpha(2, looks=5)
    0.01
    """
    check_alpha(alpha)
    if not 1 <= look <= looks:
        raise DataError("more_looks_than_planned", value=look, expected=f"1 to {looks}")
    return alpha / looks


def sign_of(judgments: Judgments) -> int:
    """Return -1 if lower scores are better, otherwise 1."""
    return -1 if judgments.lower_is_better else 1


def place_of(inference: RankInference, name: str) -> int:
    """Return the place of a system in an inference; raise DataError if there is none."""
    if name not in inference.systems:
        raise DataError(
            "unknown_system", value=name, expected=suggest(name, inference.systems) or None
        )
    return inference.systems.index(name)
