"""Scores of relative ranking from counts of wins and ties, as the papers define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from ..judgments import REFERENCE, Judgments
from ..scores.pairwise import PairCounts, count_pairs
from .davidson import VoteTable, fit_davidson, largest_group
from .result import PAIRS, Ranking
from .rules import BOUNDARY_RULES, clusters
from .scored import drawn_boundaries
from .tests import correct, sign_test

NO_SCORE = -1.0  # of a system without a comparison that counts: it comes last


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return part / whole; NaN where whole is 0."""
    out: np.ndarray = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
    return out


def share_better_or_equal(counts: PairCounts) -> np.ndarray:
    """Return (wins + ties) / all comparisons: "≥ others" of Bojar et al. (2011, section 2.1)."""
    not_lost = counts.wins.sum(-1) + counts.ties.sum(-1)
    return ratio(not_lost, not_lost + counts.wins.sum(-2))


def share_better(counts: PairCounts) -> np.ndarray:
    """Return wins / all comparisons: "> others" of Bojar et al. (2011, section 2.1)."""
    wins = counts.wins.sum(-1)
    return ratio(wins, wins + counts.ties.sum(-1) + counts.wins.sum(-2))


def share_of_decided(counts: PairCounts) -> np.ndarray:
    """Return wins / (wins + losses) (Bojar et al. 2011, section 2.3)."""
    wins = counts.wins.sum(-1)
    return ratio(wins, wins + counts.wins.sum(-2))


def expected_win(counts: PairCounts) -> np.ndarray:
    """Return the mean over opponents of wins / (wins + losses) (Koehn 2012, section 2)."""
    share = ratio(counts.wins, counts.wins + np.swapaxes(counts.wins, -1, -2))
    met = np.isfinite(share)
    return ratio(np.where(met, share, 0).sum(-1), met.sum(-1))


def strength(counts: PairCounts) -> np.ndarray:
    """Return Davidson's strengths; if infinite, after adding one win in each direction per pair."""
    zero = np.zeros_like(counts.wins)
    table = VoteTable(counts.wins, zero, counts.ties / 2)
    fit = fit_davidson(table, with_order=False) if largest_group(table).all() else None
    if fit is None:
        added = counts.wins + 1 - np.eye(len(counts.systems))
        fit = fit_davidson(VoteTable(added, zero, counts.ties / 2), with_order=False)
    return np.full(len(counts.systems), np.nan) if fit is None else fit.strength


@dataclass(frozen=True)
class Method:
    """A score from pairwise counts: its formula, and whether comparisons with the reference count."""

    name: str
    score: Callable[[PairCounts], np.ndarray]
    reference: bool
    source: str

    def __call__(self, counts: PairCounts) -> pd.Series:
        """Return scores by system; NaN for the reference if it does not count."""
        used = counts if self.reference else counts.without(REFERENCE)
        return pd.Series(self.score(used), list(used.systems)).reindex(list(counts.systems))


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "better_or_equal", share_better_or_equal, True, "Bojar 2011, 2.1; Lopez 2012, eq. 1"
        ),
        Method("better", share_better, True, "Bojar 2011, 2.1"),
        Method("better_of_decided", share_of_decided, True, "Bojar 2011, 2.3"),
        Method("better_no_reference", share_better, False, "Lopez 2012, eq. 2 (heuristic 2)"),
        Method(
            "better_of_decided_no_reference", share_of_decided, False, "Lopez 2012, eq. 3 (Bojar)"
        ),
        Method("expected_win", expected_win, False, "Koehn 2012, section 2"),
        Method("strength", strength, False, "Davidson 1970"),
    )
}
"""The scores of relative ranking by name, each with the papers that define it."""


def method_named(name: str) -> Method:
    """Return the method of this name; DataError ``unknown_method`` if there is none."""
    if name not in METHODS:
        raise DataError(
            "unknown_method", value=name, expected=suggest(name, METHODS) or ", ".join(METHODS)
        )
    return METHODS[name]


def rank_counts(
    counts: PairCounts,
    method: str = "better_of_decided_no_reference",
    alpha: float = 0.05,
    rule: str = "knowles2021",
    correction: str = "none",
) -> Ranking:
    """Order systems by a score of `METHODS`; boundaries come from sign tests of all pairs.

    The reference is not ranked. A system without a comparison that counts comes last.
    """
    score = method_named(method)(counts)
    ranked = counts.without(REFERENCE)
    names = list(ranked.systems)
    values = score.reindex(names).to_numpy(float)
    order = np.lexsort((np.array(names), -np.where(np.isfinite(values), values, NO_SCORE)))
    p = sign_test(ranked.wins, ranked.wins.T)
    np.fill_diagonal(p, np.nan)
    p = correct(p, correction)[np.ix_(order, order)]
    lead = (ranked.wins - ranked.wins.T)[np.ix_(order, order)]

    def draw(significant: np.ndarray, lead: np.ndarray) -> np.ndarray:
        return BOUNDARY_RULES[rule](significant, significant & (lead > 0))

    boundaries = draw(p < alpha, lead)
    systems = [names[k] for k in order]
    table = pd.DataFrame({"rank": np.arange(1, len(order) + 1), "system": systems})
    table[method] = values[order]
    table["cluster"] = clusters(boundaries)
    return Ranking(
        table=table,
        p_values=pd.DataFrame(p, index=systems, columns=systems),
        boundaries=drawn_boundaries(systems, boundaries),
        pairs=pd.DataFrame(columns=PAIRS),
        procedure=method,
        title=method,
        test="sign test",
        rule=rule,
        alpha=alpha,
        score_name=method,
        lead=lead,
        draw=draw,
    )


def rank_by_method(judgments: Judgments, method: str, alpha: float = 0.05) -> Ranking:
    """Rank comparisons by a score of `METHODS`, without inference."""
    return rank_counts(count_pairs(judgments), method, alpha)
