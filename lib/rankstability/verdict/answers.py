"""Answers of a verdict to the questions that were asked, and the leaders of several rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DataError
from ..inference.questions import (
    Leaders,
    answer_baseline,
    answer_candidates,
    answer_pair,
    find_leaders,
)
from ..inference.rank import rank_systems
from ..inference.result import RankInference
from ..inference.tasks import compare_rankings
from ..judgments import Judgments
from ..ranking.procedures import PROCEDURES
from ..ranking.result import Ranking
from .plain import records

_BY_SYSTEM = ("codes", "assessable", "mean", "score_low", "score_high", "df_systems")
_BY_PAIR = ("difference", "variance", "df", "p", "pair_reasons", "better", "covariance")


@dataclass(frozen=True)
class Questions:
    """What was asked before the scores were seen; see `verdict`."""

    pairs: tuple[tuple[str, str], ...] = ()
    baseline: str | None = None
    candidates: bool = False
    leaders: str | None = None
    look: int = 1
    looks: int | None = None
    earlier: Judgments | None = None


def answer_questions(
    judgments: Judgments,
    ranking: Ranking,
    asked: Questions,
    procedure: str | None,
    unit: str | None,
) -> dict[str, Any]:
    """Return the answers to what was asked, each with an error rate of its own."""
    inference: RankInference = ranking.inference
    alpha = ranking.alpha
    sign = -1 if ranking.lower_is_better else 1
    found: dict[str, Any] = {}
    if asked.pairs:
        found["pairs"] = [vars(answer_pair(inference, a, b, alpha, sign)) for a, b in asked.pairs]
    if asked.baseline is not None:
        table = answer_baseline(inference, asked.baseline, alpha, sign).table
        found["baseline"] = {"baseline": asked.baseline, "rows": records(table)}
    if asked.candidates:
        if not inference.units:
            raise DataError("no_inference", column="candidates")
        found["candidates"] = _candidates(judgments, inference, alpha, sign)
    if asked.leaders is not None:
        leaders: Leaders = find_leaders(
            judgments, asked.leaders, unit=unit, procedure=procedure, alpha=alpha
        )
        found["leaders"] = {"by": asked.leaders, "rows": records(leaders.table)}
    if asked.looks:
        found["looks"] = {"look": asked.look, "looks": asked.looks, "alpha": alpha}
    if asked.earlier is not None:
        found["earlier"] = _changes(asked.earlier, judgments, procedure, unit, alpha)
    return found


def _candidates(
    judgments: Judgments, inference: RankInference, alpha: float, sign: int
) -> dict[str, Any]:
    """Return which systems could be chosen; human translations cannot."""
    answer = answer_candidates(without(inference, judgments.humans), alpha, sign)
    return {"systems": answer.systems, "rows": records(answer.table)}


def without(inference: RankInference, names: Sequence[str]) -> RankInference:
    """Return an inference among the other systems, from the same tests."""
    keep = np.array([name not in names for name in inference.systems])
    if keep.all() or not keep.any():
        return inference
    better = inference.better[np.ix_(keep, keep)]
    n = int(keep.sum())
    kept: dict[str, Any] = {field: getattr(inference, field)[keep] for field in _BY_SYSTEM} | {
        field: getattr(inference, field)[np.ix_(keep, keep)] for field in _BY_PAIR
    }
    return replace(
        inference,
        systems=tuple(name for name, here in zip(inference.systems, keep, strict=True) if here),
        rank_low=1 + better.sum(axis=0),
        rank_high=n - better.sum(axis=1),
        **kept,
    )


def _changes(
    earlier: Judgments,
    judgments: Judgments,
    procedure: str | None,
    unit: str | None,
    alpha: float,
) -> dict[str, Any]:
    """Return what changed since an earlier ranking of the same systems."""
    change = compare_rankings(earlier, judgments, unit=unit, procedure=procedure, alpha=alpha)
    shown = change.changes
    if len(shown):
        shown = shown[shown["gained"] != ""]
    return {
        "differences": change.differences,
        "rows": records(shown),
        "reversed": records(change.reversed),
        "shared_units": change.shared_units,
        "left_out": list(change.left_out),
        "same_scale": change.inference is not None,
    }


def leaders_of(
    rankings: Mapping[str, Ranking], humans: Mapping[str, Sequence[str]], alpha: float = 0.05
) -> dict[str, list[str]]:
    """Return the candidates for the best system of each ranking; all answers share `alpha`.

    Rankings in which fewer than two systems can be assessed have none, and do not count.
    """
    known = {
        name: each.inference
        for name, each in rankings.items()
        if int(each.inference.assessable.sum()) > 1 and not each.inference.no_inference
    }
    level = alpha / max(len(known), 1)
    found: dict[str, list[str]] = {name: [] for name in rankings}
    for name in known:
        remade = rank_again(rankings[name], level)
        found[name] = answer_candidates(without(remade.inference, humans[name]), level).systems
    return found


def rank_again(ranking: Ranking, alpha: float) -> Ranking:
    """Return the same ranking with its joint statements at another level."""
    judgments = ranking.judgments
    assert judgments is not None
    named = ranking.procedure in PROCEDURES
    unit = ranking.unit or None
    return rank_systems(
        judgments, procedure=ranking.procedure if named else None, unit=unit, alpha=alpha
    )
