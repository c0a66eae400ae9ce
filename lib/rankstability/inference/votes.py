"""Inference for votes and relative rankings: annotators and questions as sampling units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import expit, logit, stdtr, stdtrit

from ..errors import DataError
from ..ranking.davidson import Fit, fit_davidson, largest_group, order_is_separable
from ..scores.arrays import VoteArrays
from ..scores.pairwise import VoteTable, tabulate
from .assemble import PairTests, assemble, means_without_tests, too_few_units, two_sided_p
from .regimes import FEW_EFFECTIVE, add_note, share_notes
from .result import OrderEffect, RankInference
from .units import (
    ANNOTATOR,
    QUESTION,
    difference_variance,
    least_df,
)
from .vote_sums import (
    KindSums,
    UnitSums,
    decided_votes,
    sum_units,
    sums_of_shares,
    sums_of_strengths,
)

VOTE = "vote"


def infer_votes(votes: VoteArrays, unit: str | None = None, alpha: float = 0.05) -> RankInference:
    """Return what new annotators and new questions would show again of pairwise comparisons.

    Votes are ranked by Davidson's strength, adjusted for the order of presentation where it is
    known. Relative rankings are ranked by the share of decided comparisons won, and tested by this
    share and by strength; the larger p counts.

    Parameters
    ----------
    votes : VoteArrays
        The comparisons.
    unit : str, optional
        ``annotator x question``, ``annotator``, ``question``; or ``vote``, as if every vote had a
        question of its own. By default all that the votes name; a kind with a single unit in the
        whole table is not sampled.
    alpha : float
        Error rate of all statements together.

    Raises
    ------
    DataError
        ``unknown_unit`` if the votes do not name the unit.
    """
    kinds = units_of_votes(votes, unit)
    if votes.relative_ranking:
        return _infer_shares(votes, kinds, alpha)
    return _infer_strengths(votes, kinds, alpha)


def units_of_votes(votes: VoteArrays, unit: str | None = None) -> dict[str, np.ndarray]:
    """Return the codes of the sampling units by kind; empty if no inference can be made."""
    named = {ANNOTATOR: votes.annotator, QUESTION: votes.question}
    known = {kind: codes for kind, codes in named.items() if codes is not None}
    if unit is not None:
        if unit == VOTE:
            return {VOTE: np.arange(len(votes.first))}
        asked = unit.split(" x ")
        if not set(asked) <= set(known):
            expected = " or ".join([*known, VOTE])
            raise DataError("unknown_unit", value=unit, expected=expected)
        return {kind: known[kind] for kind in asked}
    return {kind: codes for kind, codes in known.items() if len(np.unique(codes)) > 1}


def second_answers(votes: VoteArrays, alpha: float = 0.05) -> dict[str, RankInference]:
    """Return the inference by each kind alone, where both are sampled; each is its own family.

    ``question``: with these same annotators and new questions. ``annotator``: on these same
    questions, with new annotators.
    """
    if len(units_of_votes(votes)) < 2:
        return {}
    return {kind: infer_votes(votes, kind, alpha) for kind in (QUESTION, ANNOTATOR)}


def _without_inference(
    votes: VoteArrays, score: np.ndarray, code: str, reasons: Mapping[str, str], alpha: float
) -> RankInference:
    """Return an inference that says nothing, with the code of the reason."""
    return assemble(means_without_tests(votes.systems, score, code, reasons=reasons), alpha)


def _infer_strengths(
    votes: VoteArrays, kinds: dict[str, np.ndarray], alpha: float
) -> RankInference:
    """Return the inference for Davidson's strengths."""
    table = tabulate(votes)
    with_order = estimates_order(votes, table)
    inside = largest_group(table)
    names = np.array(votes.systems, dtype=object)
    reasons = {str(name): "not_connected" for name in names[~inside]}
    score = np.full(len(names), np.nan)
    if not inside.any():
        return _without_inference(votes, score, "no_finite_fit", reasons, alpha)
    group = table.among(np.flatnonzero(inside))
    if with_order and not order_is_separable(group):
        plain = fit_davidson(group, with_order=False)
        if plain is not None:
            score[inside] = plain.strength
        return _without_inference(votes, score, "order_and_strength", reasons, alpha)
    fit = fit_davidson(group, with_order)
    if fit is None:
        return _without_inference(votes, score, "no_finite_fit", reasons, alpha)
    score[inside] = fit.strength
    if not kinds:
        return _without_inference(votes, score, "unnamed_votes", reasons, alpha)
    tests, effect = strength_tests(votes, kinds, inside, fit, with_order, alpha)
    if not with_order:
        tests = add_note(tests, "order_unknown")
    return assemble(tests, alpha, effect)


def estimates_order(votes: VoteArrays, table: VoteTable) -> bool:
    """Return whether the order of presentation is known, so that its effect is estimated.

    A first column that wins all decided votes is a column of winners, and gives no order.
    """
    return votes.order_known and not votes.relative_ranking and bool(table.second_won.any())


def strength_tests(
    votes: VoteArrays,
    kinds: dict[str, np.ndarray],
    inside: np.ndarray,
    fit: Fit,
    with_order: bool,
    alpha: float = 0.05,
) -> tuple[PairTests, OrderEffect | None]:
    """Return the tests of all pairs by Davidson's strengths, and the order effect if estimated.

    Systems outside the largest group (`inside` is False) cannot be assessed.
    """
    group = votes.among(inside)
    keep = inside[votes.first] & inside[votes.second]
    lead, tie = fit.residuals(group)

    def sums_of(unit: np.ndarray) -> KindSums:
        return sums_of_strengths(group, unit, lead, tie, fit)

    sums = sum_units({kind: code[keep] for kind, code in kinds.items()}, sums_of)
    tests = _pair_tests(votes, inside, fit.strength, sums, decided_votes(group))
    outside = [name for name, here in zip(votes.systems, inside, strict=True) if not here]
    reasons = {**tests.reasons, **dict.fromkeys(outside, "not_connected")}
    effect = _order_effect(fit, sums, alpha) if with_order else None
    return _add_notes(votes, kinds, replace(tests, reasons=reasons), sums), effect


def _pair_tests(
    votes: VoteArrays,
    inside: np.ndarray,
    score: np.ndarray,
    sums: UnitSums,
    decided: np.ndarray,
) -> PairTests:
    """Return the tests for all systems of the table, of which only those inside have a score."""
    size, n = len(votes.systems), len(score)
    effective = sums.effective(n)
    variance = sums.of_differences(decided)
    df_systems = least_df(effective)
    df = np.minimum(df_systems[:, None], df_systems)
    p = two_sided_p(np.subtract.outer(score, score), variance, df)
    p = np.maximum(p, least_p(decided))
    np.fill_diagonal(p, 1.0)
    grid = np.ix_(inside, inside)

    def square(values: np.ndarray, fill: float) -> np.ndarray:
        out = np.full((size, size), fill)
        out[grid] = values
        return out

    def row(values: np.ndarray, fill: float) -> np.ndarray:
        out = np.full(size, fill)
        out[inside] = values
        return out

    effective = {kind: row(number, 0.0) for kind, number in effective.items()}
    return PairTests(
        systems=votes.systems,
        mean=row(score, np.nan),
        variance=square(variance, np.nan),
        df=square(df, 0.0),
        p=square(p, 1.0),
        covariance=square(sums.covariance()[:n, :n], np.nan),
        variance_systems=row(sums.of_scores()[:n], np.nan),
        df_systems=row(df_systems, 0.0),
        effective=effective,
        n_units={kind: row(each.number[:n], 0).astype(int) for kind, each in sums.kinds.items()},
        units={kind: _n_units(votes, kind) for kind in sums.kinds},
        reasons=too_few_units(votes.systems, effective),
    )


def _add_notes(
    votes: VoteArrays, kinds: Mapping[str, np.ndarray], tests: PairTests, sums: UnitSums
) -> PairTests:
    """Return the tests with notes on designs in which little can be said, or the promise not met."""
    for kind, effective in tests.effective.items():
        if effective[tests.assessable].min(initial=np.inf) < FEW_EFFECTIVE:
            tests = add_note(tests, "few_effective_units", unit=kind)
            break
    decided = votes.weight * (votes.outcome != 0.5)
    total = float(decided.sum()) or 1.0
    shares = {kind: np.bincount(codes, decided) / total for kind, codes in kinds.items()}
    for note, slots in share_notes(shares).items():
        tests = add_note(tests, note, **slots)
    if _questions_are_few(sums, tests):
        number, systems = tests.units[QUESTION], len(tests.systems)
        tests = add_note(tests, "few_questions", number=number, systems=systems)
    return tests


def _questions_are_few(sums: UnitSums, tests: PairTests) -> bool:
    """Return whether there are fewer questions than systems, and they decide the variances."""
    if QUESTION not in sums.kinds or tests.units[QUESTION] >= len(tests.systems):
        return False
    if ANNOTATOR not in sums.kinds:
        return True
    question, annotator = (
        np.median(difference_variance(sums.kinds[kind].covariance))
        for kind in (QUESTION, ANNOTATOR)
    )
    return bool(question > annotator)


def _n_units(votes: VoteArrays, kind: str) -> int:
    """Return the number of units of a kind in the table."""
    codes = {ANNOTATOR: votes.annotator, QUESTION: votes.question}.get(kind)
    return len(votes.first) if codes is None else len(np.unique(codes))


def least_p(decided: np.ndarray) -> np.ndarray:
    """Return the least p of each pair, 2^(1 - min(N_s, N_t)), at most 1."""
    fewer = np.minimum(decided[:, None], decided)
    least: np.ndarray = np.minimum(2.0 ** (1 - fewer), 1.0)
    return least


def _order_effect(fit: Fit, sums: UnitSums, alpha: float) -> OrderEffect:
    """Return the order effect with its interval; one test at alpha, outside the family."""
    error = float(np.sqrt(sums.of_scores()[-1]))
    df = float(min(each.effective[-1] for each in sums.kinds.values()) - 1)
    share = float(expit(fit.order))
    if df <= 0 or not error > 0:
        return OrderEffect(fit.order, np.nan, np.nan, 1.0, max(df, 0.0), share)
    half = float(stdtrit(df, 1 - alpha / 2)) * error
    p = float(2 * stdtr(df, -abs(fit.order) / error))
    return OrderEffect(fit.order, fit.order - half, fit.order + half, p, df, share)


def _infer_shares(votes: VoteArrays, kinds: dict[str, np.ndarray], alpha: float) -> RankInference:
    """Return the inference for shares of decided comparisons won (relative ranking)."""
    n = len(votes.systems)
    decided = decided_votes(votes)
    won = np.bincount(votes.first, votes.weight * (votes.outcome == 1), n)
    won = won + np.bincount(votes.second, votes.weight * (votes.outcome == 0), n)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = won / decided
        near = (won + 0.5) / (decided + 1)
        score = np.where(decided > 0, logit(near), np.nan)
    if not kinds:
        result = _without_inference(votes, score, "unnamed_votes", {}, alpha)
        return _as_shares(result, share, near)
    tests = share_tests(votes, kinds, share, near, decided)
    return _as_shares(assemble(tests, alpha), share, near)


def share_tests(
    votes: VoteArrays,
    kinds: dict[str, np.ndarray],
    share: np.ndarray,
    near: np.ndarray,
    decided: np.ndarray,
) -> PairTests:
    """Return the tests of all pairs by log-odds of shares, and by strengths as a second score."""

    def sums_of(unit: np.ndarray) -> KindSums:
        return sums_of_shares(votes, unit, share, near, decided)

    sums = sum_units(kinds, sums_of)
    score = np.where(decided > 0, logit(near), np.nan)
    tests = _pair_tests(votes, np.ones(len(score), bool), score, sums, decided)
    p = np.maximum(tests.p, _second_score(votes, kinds, score))
    np.fill_diagonal(p, 1.0)
    return _add_notes(votes, kinds, replace(tests, p=p), sums)


def _second_score(votes: VoteArrays, kinds: dict[str, np.ndarray], score: np.ndarray) -> np.ndarray:
    """Return the p of each pair by strengths without order; 1 where the two scores disagree."""
    n = len(votes.systems)
    p = np.ones((n, n))
    table = tabulate(votes)
    inside = largest_group(table)
    fit = fit_davidson(table.among(np.flatnonzero(inside)), False) if inside.any() else None
    if fit is None:
        return p
    tests, _ = strength_tests(votes, kinds, inside, fit, False)
    grid = np.ix_(inside, inside)
    by_strength = np.subtract.outer(fit.strength, fit.strength)
    by_share = np.subtract.outer(score[inside], score[inside])
    p[grid] = np.where(by_strength * by_share >= 0, tests.p[grid], 1.0)
    return p


def _as_shares(result: RankInference, share: np.ndarray, near: np.ndarray) -> RankInference:
    """Return the inference with scores and intervals as shares; differences stay log-odds."""
    ratio = share[result.codes]
    return replace(
        result,
        mean=ratio,
        score_low=np.minimum(expit(result.score_low), ratio),
        score_high=np.maximum(expit(result.score_high), ratio),
    )
