"""How fragile a ranking is, and what more judgments would buy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inference.limiting import find_limiting_domain
from ..inference.ratings import second_answer
from ..inference.result import RankInference
from ..inference.votes import second_answers
from ..judgments import COMPARISON_KINDS, Judgments
from ..ranking.result import Ranking
from ..scores.arrays import ScoreArrays, VoteArrays
from ..stability.fewest import fewest_removals
from ..stability.plan import compare_plans, judgments_needed
from ..stability.precision import Precision, known_precision
from ..stability.repeat import expect_repeat
from .answers import without
from .plain import first_row, records, value_or_none

SEED = 20240101
MAX_SYSTEMS = 100  # above, neither plans nor removals are computed
MAX_ROWS = 200_000  # judgments; of more, no variance components are estimated
MAX_WORK = 8_000_000  # judgments times units; above, removals that erase boundaries are not sought
Data = ScoreArrays | VoteArrays


def find_fewest(
    judgments: Judgments, ranking: Ranking, procedure: str | None
) -> list[dict[str, Any]]:
    """Return the fewest removals that change first place or a boundary."""
    if len(ranking.systems) > MAX_SYSTEMS:
        return []
    name = None if judgments.kind in COMPARISON_KINDS else procedure
    work = judgments.n_judgments * (judgments.n_annotators + judgments.n_documents)
    few = work <= MAX_WORK
    return records(value_or_none(fewest_removals, judgments, name, ranking.alpha, few))


def predict_repeat(ranking: Ranking) -> dict[str, float] | None:
    """Return Kendall's tau of two campaigns of this size."""
    inference: RankInference = ranking.inference
    if not ranking.unit or int(inference.assessable.sum()) < 3:
        return None
    found: dict[str, float] | None = value_or_none(
        expect_repeat, inference, np.random.default_rng(SEED)
    )
    return found


def find_second_answers(
    judgments: Judgments,
    ranking: Ranking,
    data: Data,
    by_domain: bool,
    unit: str | None,
) -> list[dict[str, Any]]:
    """Return answers with one kind of sampling unit only.

    For ratings, where annotators are too few for some systems; for votes always.
    """
    inference: RankInference = ranking.inference
    found: dict[str, RankInference | None] = {}
    if unit is not None or not inference.units:
        return []
    if isinstance(data, VoteArrays):
        found = dict(second_answers(data, ranking.alpha))
    elif "few_annotators" in inference.reasons.values():
        found["document"] = second_answer(data, "document", by_domain, ranking.alpha)
    rows = []
    for kind, each in found.items():
        if each is None or not each.assessable.any():
            continue
        fixed = next(name for name in inference.units if name != kind)
        rest = without(each, judgments.humans)
        could = np.flatnonzero(rest.assessable & ~rest.better.any(axis=0))
        rows.append(
            {
                "unit": kind,
                "fixed": fixed,
                "number": inference.units[fixed],
                "better": int(each.better.sum()),
                "boundaries": int(each.supported.sum()),
                "could_be_first": [rest.systems[k] for k in could],
            }
        )
    return rows


def describe_limiting_domain(
    arrays: ScoreArrays | None, by_domain: bool, unit: str | None, alpha: float
) -> dict[str, Any] | None:
    """Return the domain that decides the degrees of freedom, and the answer without it."""
    if arrays is None or not by_domain:
        return None
    found = value_or_none(find_limiting_domain, arrays, unit, alpha)
    if found is None:
        return None
    rest: RankInference = found.inference
    return {
        "domain": found.domain,
        "domains": list(found.domains),
        "units": dict(found.units),
        "df": found.df,
        "df_without": found.df_without,
        "better": int(rest.better.sum()),
        "boundaries": int(rest.supported.sum()),
        "could_be_first": [n for n, c in zip(rest.systems, rest.could_be_first, strict=True) if c],
    }


def plan_more(
    ranking: Ranking, data: Data, by_domain: bool, machines: Sequence[str]
) -> dict[str, Any]:
    """Return what twice the judgments would buy, and how many would separate the next pair."""
    nothing: dict[str, Any] = {"next_pair": [], "plan": [], "needed": None}
    inference: RankInference = ranking.inference
    known = ranking.table.loc[ranking.table["assessable"], "system"]
    order = [name for name in inference.systems if name in set(known) & set(machines)]
    pair = _next_pair(inference, order)
    many = isinstance(data, ScoreArrays) and data.n_judgments > MAX_ROWS
    if not inference.units or not pair or many or len(ranking.systems) > MAX_SYSTEMS:
        return nothing
    precision: Precision | None = value_or_none(known_precision, inference, data, by_domain)
    if precision is None or not set(pair) <= set(precision.systems):
        return nothing
    rng = np.random.default_rng(SEED)
    plans = value_or_none(compare_plans, precision, pair, rng, ranking.alpha)
    needed = value_or_none(judgments_needed, precision, pair, rng, ranking.alpha, 100)
    row = None if needed is None else first_row(needed)
    return {"next_pair": list(pair), "plan": records(plans), "needed": row}


def _next_pair(inference: RankInference, order: Sequence[str]) -> tuple[str, str] | None:
    """Return the two best neighbours that are not separated; the first two if all are."""
    place = {name: k for k, name in enumerate(inference.systems)}
    neighbours = list(itertools.pairwise(order))
    for a, b in neighbours:
        if not inference.better[place[a], place[b]]:
            return a, b
    return neighbours[0] if neighbours else None
