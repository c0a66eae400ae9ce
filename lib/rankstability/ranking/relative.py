"""Scores of comparisons from counts of wins and ties, and from blocks, as the papers define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import REFERENCE, Judgments
from ..scores.pairwise import PairCounts, VoteTable, count_pairs, rank_matrix
from .davidson import fit_finite
from .result import PAIRS, Ranking
from .rules import BOUNDARY_RULES, clusters
from .scored import drawn_boundaries
from .tests import correct, sign_test

BLOCK_SCORES = {
    "better_or_equal_all_in_block": "no other ranked output of the block is better (Bojar 2011, 2.1)",
    "better_all_in_block": "every other ranked output of the block is worse (Bojar 2011, 2.1)",
    "sole_winner": "the only best output of the block, perhaps ranked alone (Bojar 2011, Table 4)",
}
"""Shares of the blocks in which a system was ranked."""
RULE = "knowles2021"  # by which boundaries are drawn
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
    table = VoteTable(counts.wins, np.zeros_like(counts.wins), counts.ties / 2)
    fit = fit_finite(table)
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
            "better_or_equal_others",
            share_better_or_equal,
            True,
            "Bojar 2011, 2.1; Lopez 2012, eq. 1",
        ),
        Method("better_others", share_better, True, "Bojar 2011, 2.1"),
        Method("wins_over_decided", share_of_decided, True, "Bojar 2011, 2.3"),
        Method(
            "better_others_without_reference",
            share_better,
            False,
            "Lopez 2012, eq. 2 (heuristic 2)",
        ),
        Method(
            "wins_over_decided_without_reference",
            share_of_decided,
            False,
            "Lopez 2012, eq. 3 (Bojar)",
        ),
        Method("expected_win", expected_win, False, "Koehn 2012, section 2"),
        Method("strength", strength, False, "Davidson 1970"),
    )
}
"""The scores of relative ranking by name, each with the papers that define it."""


def method_named(name: str) -> Method:
    """Return the method of this name; DataError ``unknown_method`` if there is none."""
    if name not in METHODS:
        raise DataError("unknown_method", value=name, known=METHODS)
    return METHODS[name]


def rank_counts(
    counts: PairCounts,
    method: str = "wins_over_decided_without_reference",
    alpha: float = 0.05,
) -> Ranking:
    """Order systems by a score of `METHODS`; boundaries come from sign tests of all pairs.

    The reference is not ranked. A system without a comparison that counts comes last.

    Raises
    ------
    DataError
        ``unknown_method``; ``groups_not_compared`` if no comparisons connect groups of systems.
    """
    chosen = method_named(method)
    require_connected(counts.without(REFERENCE))
    score = chosen(counts)
    ranked = counts.without(REFERENCE)
    names = list(ranked.systems)
    values = score.reindex(names).to_numpy(float)
    order = np.lexsort((np.array(names), -np.where(np.isfinite(values), values, NO_SCORE)))
    p = sign_test(ranked.wins, ranked.wins.T)
    np.fill_diagonal(p, np.nan)
    p = p[np.ix_(order, order)]
    lead = (ranked.wins - ranked.wins.T)[np.ix_(order, order)]

    def draw(significant: np.ndarray, lead: np.ndarray) -> np.ndarray:
        return BOUNDARY_RULES[RULE](significant, significant & (lead > 0))

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
        rule=RULE,
        alpha=alpha,
        score_name=method,
        lead=lead,
        draw=draw,
    )


def require_connected(counts: PairCounts) -> None:
    """Raise DataError if groups of systems were never compared with each other.

    No score can then order systems of different groups.
    """
    groups = counts.groups()
    if len(groups) > 1:
        raise DataError("groups_not_compared", value="; ".join(map(", ".join, groups)))


@check_arguments
def score_comparisons(judgments: Judgments) -> pd.DataFrame:
    """Compute every score in `METHODS`, and count how often each system was shown and ranked.

    Parameters
    ----------
    judgments : Judgments
        Votes or relative rankings.

    Returns
    -------
    DataFrame
        One row per system, the reference included, in order of `better_or_equal_others`: system,
        comparisons, a column per method (shares between 0 and 1). Relative rankings also have
        blocks_shown, blocks_ranked, reference_share (the share of the blocks shown that also show
        the reference), the scores of `BLOCK_SCORES` (shares of blocks_ranked) and
        sole_winner_blocks.

    Examples
    --------
    >>> import rankstability as rs
    >>> scores = rs.score_comparisons(rs.load("demo-rr", "cs-en"))
    >>> scores.loc[0, "system"], round(float(scores.loc[0, "better_or_equal_others"]), 3)
    ('_ref', 0.929)
    """
    counts = count_pairs(judgments)
    total = counts.wins.sum(axis=1) + counts.wins.sum(axis=0) + counts.ties.sum(axis=1)
    table = pd.DataFrame({"system": list(counts.systems), "comparisons": total})
    for name, method in METHODS.items():
        table[name] = method(counts).to_numpy()
    if judgments.kind == "relative_ranking":
        table = table.join(_count_blocks(judgments, counts.systems))
    order = ["better_or_equal_others", "system"]
    return table.sort_values(order, ascending=[False, True], ignore_index=True)


def _count_blocks(judgments: Judgments, systems: tuple[str, ...]) -> pd.DataFrame:
    """Return how often each system was shown, ranked, and best in a block."""
    codes, ranks = rank_matrix(judgments)
    n = len(systems)
    ranked = ranks > 0
    rank = np.where(ranked, ranks, np.inf)
    best = ranked & (rank == rank.min(axis=1, keepdims=True))
    sole = best & (best.sum(axis=1, keepdims=True) == 1)
    better = sole & (ranked.sum(axis=1, keepdims=True) > 1)

    def count(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(codes[chosen], minlength=n)

    shown, times_ranked = count(codes >= 0), count(ranked)
    table = pd.DataFrame({"blocks_shown": shown, "blocks_ranked": times_ranked})
    if REFERENCE in systems:
        beside = (codes == systems.index(REFERENCE)).any(axis=1, keepdims=True)
        table["reference_share"] = ratio(count((codes >= 0) & beside), shown)
    for name, chosen in zip(BLOCK_SCORES, (best, better, sole), strict=True):
        table[name] = ratio(count(chosen), times_ranked)
    table["sole_winner_blocks"] = count(sole)
    return table


@check_arguments
def pair_counts(
    judgments: Judgments, reference: bool = True, *, tests: bool = False
) -> pd.DataFrame:
    """Count the wins and ties of each pair of systems.

    Parameters
    ----------
    judgments : Judgments
        Votes or relative rankings.
    reference : bool
        Whether to include comparisons with the reference in relative rankings.
    tests : bool
        Whether to test each pair by a two-sided sign test, which ignores ties.

    Returns
    -------
    DataFrame
        One row per pair: system_a, system_b (in order of name), wins_a, wins_b, ties, comparisons.
        With tests also p (1 without wins), p_holm and p_benjamini_hochberg (corrected for the
        number of pairs, as Lopez 2012, section 6, recommends).

    Examples
    --------
    >>> import rankstability as rs
    >>> counts = rs.pair_counts(rs.load("demo-rr", "cs-en"), tests=True)
    >>> counts.loc[0, "system_a"], int(counts["comparisons"].sum())
    ('_ref', 3932)
    >>> len(counts), bool((counts["p"] <= counts["p_holm"]).all())
    (36, True)
    """
    counts = count_pairs(judgments, reference)
    table = counts.table()
    if not tests:
        return table
    p = sign_test(counts.wins, counts.wins.T)
    np.fill_diagonal(p, np.nan)
    pairs = np.triu_indices(len(counts.systems), 1)
    return table.assign(
        p=p[pairs],
        p_holm=correct(p, "holm")[pairs],
        p_benjamini_hochberg=correct(p, "benjamini-hochberg")[pairs],
    )
