"""Inference for votes and relative rankings: annotators and questions as sampling units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit, stdtr, stdtrit

from ..errors import DataError
from ..ranking.davidson import (
    Fit,
    VoteTable,
    fit_davidson,
    largest_group,
    order_is_separable,
    tabulate,
)
from ..scores.arrays import VoteArrays
from .assemble import PairTests, assemble, two_sided_p
from .result import OrderEffect, RankInference
from .units import (
    ANNOTATOR,
    MIN_EFFECTIVE_UNITS,
    combined_codes,
    difference_variance,
    join_kinds,
    least_df,
    uneven_floor,
)

QUESTION, VOTE = "question", "vote"
CHUNK = 20_000  # units whose influences are held at once
ROUNDING = 1e-12


@dataclass(frozen=True)
class KindSums:
    """What one kind of unit contributes to the variances of n scores (and of the order effect)."""

    covariance: np.ndarray
    effective: np.ndarray
    number: np.ndarray


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
    n = len(votes.systems)
    nothing = np.full((n, n), np.nan)
    return assemble(
        PairTests(
            systems=votes.systems,
            mean=score,
            variance=nothing,
            df=np.zeros((n, n)),
            p=np.ones((n, n)),
            covariance=nothing,
            variance_systems=np.full(n, np.nan),
            df_systems=np.zeros(n),
            effective={},
            n_units={},
            units={},
            reasons=reasons,
            no_inference=code,
        ),
        alpha,
    )


def _select(votes: VoteArrays, inside: np.ndarray) -> tuple[VoteArrays, np.ndarray]:
    """Return the votes among the systems inside, recoded, and the mask of these votes."""
    keep = inside[votes.first] & inside[votes.second]
    code = np.cumsum(inside) - 1
    names = tuple(name for name, here in zip(votes.systems, inside, strict=True) if here)
    return (
        replace(
            votes,
            systems=names,
            first=code[votes.first[keep]],
            second=code[votes.second[keep]],
            outcome=votes.outcome[keep],
            weight=votes.weight[keep],
            annotator=None,
            question=None,
            block=None,
        ),
        keep,
    )


def _infer_strengths(
    votes: VoteArrays, kinds: dict[str, np.ndarray], alpha: float
) -> RankInference:
    """Return the inference for Davidson's strengths."""
    table = tabulate(votes)
    with_order, order_note = uses_order(votes, table)
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
        return _without_inference(votes, score, "no_units", reasons, alpha)
    tests, effect = test_strengths(votes, kinds, inside, fit, with_order, alpha)
    tests = replace(tests, notes=(*tests.notes, *order_note))
    return assemble(tests, alpha, effect)


def uses_order(votes: VoteArrays, table: VoteTable) -> tuple[bool, tuple[str, ...]]:
    """Return whether the order of presentation is estimated, and a note if it is not known."""
    if votes.relative_ranking:
        return False, ()
    if not votes.order_known or not table.second_won.any():
        return False, ("order_unknown",)
    return True, ()


def test_strengths(
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
    group, keep = _select(votes, inside)
    n = len(group.systems)
    lead, tie = fit.residuals(group)
    decided = decided_votes(group)
    codes = {kind: np.unique(code[keep], return_inverse=True)[1] for kind, code in kinds.items()}
    sums = {kind: _sums_of_kind(group, code, lead, tie, fit) for kind, code in codes.items()}
    cells = None
    if len(codes) == 2:
        first, second = codes.values()
        cells = _sums_of_kind(group, combined_codes(first, second), lead, tie, fit)
    variance = _variance(sums, cells, decided, n)
    effective = {kind: each.effective[:n] for kind, each in sums.items()}
    df_systems = least_df(effective)
    df = np.minimum(df_systems[:, None], df_systems)
    p = two_sided_p(np.subtract.outer(fit.strength, fit.strength), variance, df)
    p = np.maximum(p, least_p(decided))
    np.fill_diagonal(p, 1.0)
    joint = _joint(sums, cells)
    tests = _spread(
        votes, inside, fit.strength, variance, df, p, joint[:n, :n], sums, cells, df_systems
    )
    effect = _order_effect(fit, sums, cells, alpha) if with_order else None
    return tests, effect


def decided_votes(votes: VoteArrays) -> np.ndarray:
    """Return the number of decided votes of each system: (n,)."""
    weight = votes.weight * (votes.outcome != 0.5)
    n = len(votes.systems)
    number: np.ndarray = np.bincount(votes.first, weight, n) + np.bincount(votes.second, weight, n)
    return number


def least_p(decided: np.ndarray) -> np.ndarray:
    """Return the least p of each pair, 2^(1 - min(N_s, N_t)), at most 1."""
    fewer = np.minimum(decided[:, None], decided)
    least: np.ndarray = np.minimum(2.0 ** (1 - fewer), 1.0)
    return least


def _sums_of_kind(
    votes: VoteArrays, unit: np.ndarray, lead: np.ndarray, tie: np.ndarray, fit: Fit
) -> KindSums:
    """Return the covariance of the strengths and of the order effect with new units of one kind.

    Scores of votes are summed by unit, for some thousand units at a time, and multiplied by the
    inverse information once; no array of votes by systems is built.
    """
    n = len(votes.systems)
    order = np.argsort(unit, kind="stable")
    unit = unit[order]
    first, second = votes.first[order], votes.second[order]
    weight = votes.weight[order]
    score, tie = weight * lead[order], weight * tie[order]
    decided = weight * (votes.outcome[order] != 0.5)
    units = int(unit[-1]) + 1
    total = np.append(decided_votes(votes), decided.sum())
    covariance = np.zeros((n + 1, n + 1))
    squares = np.zeros(n + 1)
    number = np.zeros(n + 1, int)
    bounds = np.searchsorted(unit, np.arange(0, units + CHUNK, CHUNK))
    shares, parts = [], []
    for chunk, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        if low == high:
            continue
        here = slice(low, high)
        size = int(min(CHUNK, units - chunk * CHUNK))
        local = unit[here] - chunk * CHUNK
        sums = _by_unit(local, first[here], score[here], size, n)
        sums -= _by_unit(local, second[here], score[here], size, n)
        rest = [np.bincount(local, value[here], size) for value in (score, tie)]
        part = np.column_stack([sums, *rest]) @ fit.inverse[:, : n + 1]
        held = _by_unit(local, first[here], decided[here], size, n)
        held += _by_unit(local, second[here], decided[here], size, n)
        held = np.column_stack([held, np.bincount(local, decided[here], size)])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = held / total
        share = np.nan_to_num(share)
        squares += (share**2).sum(axis=0)
        number += (share > 0).sum(axis=0)
        shares.append(share)
        parts.append(part)
        if len(shares) * CHUNK * (n + 1) > 20_000_000:  # keep memory small
            covariance += _influence_product(shares, parts)
            shares, parts = [], []
    covariance += _influence_product(shares, parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(np.maximum(number - 1, 0) / np.maximum(number, 1))
        effective = np.where(squares > 0, 1 / squares, 0.0)
    return KindSums(covariance * np.outer(scale, scale), effective, number)


def _by_unit(
    unit: np.ndarray, system: np.ndarray, weight: np.ndarray, size: int, n: int
) -> np.ndarray:
    """Return sums by unit and system: (size, n)."""
    return np.bincount(unit * n + system, weight, size * n).reshape(size, n)


def _influence_product(shares: list[np.ndarray], parts: list[np.ndarray]) -> np.ndarray:
    """Return the sum over units of the outer products of part / (1 - h)."""
    total: np.ndarray = np.zeros(())
    for share, part in zip(shares, parts, strict=True):
        influence = part / np.maximum(1 - share, 1e-12)
        influence[share >= 1 - ROUNDING] = 0.0  # has everything: cannot be assessed anyway
        total = total + influence.T @ influence
    return total


def _joint(sums: Mapping[str, KindSums], cells: KindSums | None) -> np.ndarray:
    """Return the covariance with new units of all kinds: A + Q - cell."""
    by_kind = [each.covariance for each in sums.values()]
    return join_kinds(by_kind, None if cells is None else cells.covariance)[-1]


def _variance(
    sums: Mapping[str, KindSums], cells: KindSums | None, decided: np.ndarray, n: int
) -> np.ndarray:
    """Return V of every difference, with its one-way variances and floors by decided votes."""
    by_kind = [difference_variance(each.covariance[:n, :n]) for each in sums.values()]
    by_cell = None if cells is None else difference_variance(cells.covariance[:n, :n])
    every = [*sums.values(), *([] if cells is None else [cells])]
    floors = [uneven_floor(np.diag(each.covariance)[:n], decided) for each in every]
    largest: np.ndarray = np.max([*join_kinds(by_kind, by_cell), *floors, 0 * by_kind[0]], axis=0)
    return largest


def _variance_of_scores(sums: Mapping[str, KindSums], cells: KindSums | None) -> np.ndarray:
    """Return the variance of each score (and of the order effect)."""
    by_kind = [np.diag(each.covariance) for each in sums.values()]
    by_cell = None if cells is None else np.diag(cells.covariance)
    largest: np.ndarray = np.max(join_kinds(by_kind, by_cell), axis=0)
    return largest


def _order_effect(
    fit: Fit, sums: Mapping[str, KindSums], cells: KindSums | None, alpha: float
) -> OrderEffect:
    """Return the order effect with its interval; one test at alpha, outside the family."""
    variance = float(_variance_of_scores(sums, cells)[-1])
    df = float(min(each.effective[-1] for each in sums.values()) - 1)
    error = np.sqrt(variance)
    share = float(expit(fit.order))
    if df <= 0 or not error > 0:
        return OrderEffect(fit.order, np.nan, np.nan, 1.0, max(df, 0.0), share)
    half = float(stdtrit(df, 1 - alpha / 2)) * error
    p = float(2 * stdtr(df, -abs(fit.order) / error))
    return OrderEffect(fit.order, fit.order - half, fit.order + half, p, df, share)


def _spread(
    votes: VoteArrays,
    inside: np.ndarray,
    score: np.ndarray,
    variance: np.ndarray,
    df: np.ndarray,
    p: np.ndarray,
    covariance: np.ndarray,
    sums: Mapping[str, KindSums],
    cells: KindSums | None,
    df_systems: np.ndarray,
) -> PairTests:
    """Return the tests for all systems of the table, of which only those inside were fitted."""
    size = len(votes.systems)
    n = int(inside.sum())
    grid = np.ix_(inside, inside)

    def square(values: np.ndarray, fill: float) -> np.ndarray:
        out = np.full((size, size), fill)
        out[grid] = values
        return out

    def row(values: np.ndarray, fill: float) -> np.ndarray:
        out = np.full(size, fill)
        out[inside] = values
        return out

    names = np.array(votes.systems, dtype=object)
    reasons = {str(name): "not_connected" for name in names[~inside]}
    effective = {kind: each.effective[:n] for kind, each in sums.items()}
    reasons |= few_units(tuple(map(str, names[inside])), effective)
    return PairTests(
        systems=votes.systems,
        mean=row(score, np.nan),
        variance=square(variance, np.nan),
        df=square(df, 0.0),
        p=square(p, 1.0),
        covariance=square(covariance, np.nan),
        variance_systems=row(_variance_of_scores(sums, cells)[:n], np.nan),
        df_systems=row(df_systems, 0.0),
        effective={kind: row(number, 0.0) for kind, number in effective.items()},
        n_units={kind: row(each.number[:n], 0.0).astype(int) for kind, each in sums.items()},
        units={kind: int(_n_units(votes, kind)) for kind in sums},
        reasons=reasons,
    )


def _n_units(votes: VoteArrays, kind: str) -> int:
    """Return the number of units of a kind in the table."""
    codes = {ANNOTATOR: votes.annotator, QUESTION: votes.question}.get(kind)
    return len(votes.first) if codes is None else len(np.unique(codes))


def few_units(systems: tuple[str, ...], effective: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Return the systems with too few effective units of a kind, with the code of the reason."""
    reasons = {}
    for code, name in enumerate(systems):
        fewest = min(effective, key=lambda kind: effective[kind][code])
        if not effective[fewest][code] >= MIN_EFFECTIVE_UNITS:
            reasons[name] = f"few_{fewest}s"
    return reasons


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
        result = _without_inference(votes, score, "no_units", {}, alpha)
        return _as_shares(result, share, near)
    tests = test_shares(votes, kinds, share, near, decided)
    return _as_shares(assemble(tests, alpha), share, near)


def test_shares(
    votes: VoteArrays,
    kinds: dict[str, np.ndarray],
    share: np.ndarray,
    near: np.ndarray,
    decided: np.ndarray,
) -> PairTests:
    """Return the tests of all pairs by log-odds of shares, and by strengths as a second score."""
    n = len(votes.systems)
    codes = {kind: np.unique(code, return_inverse=True)[1] for kind, code in kinds.items()}
    sums = {kind: _share_sums(votes, code, share, near, decided) for kind, code in codes.items()}
    cells = None
    if len(codes) == 2:
        first, second = codes.values()
        cells = _share_sums(votes, combined_codes(first, second), share, near, decided)
    variance = _variance(sums, cells, decided, n)
    effective = {kind: each.effective for kind, each in sums.items()}
    df_systems = least_df(effective)
    df = np.minimum(df_systems[:, None], df_systems)
    score = np.where(decided > 0, logit(near), np.nan)
    p = two_sided_p(np.subtract.outer(score, score), variance, df)
    p = np.maximum(p, least_p(decided))
    p = np.maximum(p, _second_score(votes, kinds, score))
    np.fill_diagonal(p, 1.0)
    return PairTests(
        systems=votes.systems,
        mean=score,
        variance=variance,
        df=df,
        p=p,
        covariance=_joint(sums, cells),
        variance_systems=_variance_of_scores(sums, cells),
        df_systems=df_systems,
        effective=effective,
        n_units={kind: each.number for kind, each in sums.items()},
        units={kind: int(code.max()) + 1 for kind, code in codes.items()},
        reasons=few_units(votes.systems, effective),
    )


def _share_sums(
    votes: VoteArrays, unit: np.ndarray, share: np.ndarray, near: np.ndarray, decided: np.ndarray
) -> KindSums:
    """Return the covariance of log-odds of shares with new units of one kind."""
    n = len(votes.systems)
    units = int(unit.max()) + 1
    is_decided = votes.weight * (votes.outcome != 0.5)
    first_won = votes.weight * (votes.outcome == 1)
    second_won = votes.weight * (votes.outcome == 0)
    won = _by_unit(unit, votes.first, first_won, units, n)
    won += _by_unit(unit, votes.second, second_won, units, n)
    held = _by_unit(unit, votes.first, is_decided, units, n)
    held += _by_unit(unit, votes.second, is_decided, units, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.nan_to_num((won - share * held) / (decided * near * (1 - near)))
        h = np.nan_to_num(held / decided)
        effective = np.where(decided > 0, 1 / (h**2).sum(axis=0), 0.0)
    number = (h > 0).sum(axis=0)
    scale = np.sqrt(np.maximum(number - 1, 0) / np.maximum(number, 1))
    product = _influence_product([h], [part])
    return KindSums(product * np.outer(scale, scale), effective, number)


def _second_score(votes: VoteArrays, kinds: dict[str, np.ndarray], score: np.ndarray) -> np.ndarray:
    """Return the p of each pair by strengths without order; 1 where the two scores disagree."""
    n = len(votes.systems)
    p = np.ones((n, n))
    table = tabulate(votes)
    inside = largest_group(table)
    fit = fit_davidson(table.among(np.flatnonzero(inside)), False) if inside.any() else None
    if fit is None:
        return p
    tests, _ = test_strengths(votes, kinds, inside, fit, False)
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
        extra={**result.extra, "difference_scale": "log-odds"},
    )
