"""Items as units: tables that name neither annotators nor documents, such as leaderboards.

All that another campaign could have others of are items (segments). Systems are compared on the
items that both have, so that none gains by lacking hard ones. What is certain of the means is in
`rank.certainty`.
"""

import numpy as np
from scipy.special import bdtr

from ..score.scored import Scores
from .balanced import by_segment, segment_sums


def item_parts(
    scored: Scores, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The means of systems, each item's part of their errors, and its share of their weight.

    `weight`, (judgments,), as from `Scores.weights`. If every system has every item, means are
    plain, and a part is the share times the item's distance from the mean. Else means, centred on
    that of all judgments, and parts come from differences within items (`balanced.by_segment`).
    Shapes (systems,), (items, systems), (items, systems). Raises DataError if shared items do not
    connect all systems.
    """
    held, total = segment_sums(scored, weight)
    if not (held > 0).all():
        return by_segment(scored, weight)
    share = held / held.sum(axis=0)
    means = (share * total / held).sum(axis=0)
    return means, share * (total / held - means), share


def item_p(
    scored: Scores, means: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """The lowest p that each pair of systems may have, and its p if there are but two scores.

    z items on which a pair differs cannot give a p below 2^(1 - z), that of a sign test in which
    all agree. Where the table holds only two different scores (right and wrong), p is that of the
    sign test (McNemar's, exact), and 1 where the pair's items contradict the order of `means`; else
    None. Both (systems, systems), in the order of codes, with 1 on the diagonal.
    """
    matrix = scored.matrix()
    values = scores_of(scored)
    if len(values) <= 2:
        best = matrix == values[-1]
        worst = matrix == values[0]
        won = best.T.astype(float) @ (worst & ~best)
        differ = won + won.T
        tail = 2 * bdtr(np.minimum(won, won.T), np.maximum(differ, 1), 0.5)
        p = np.where(differ > 0, np.minimum(tail, 1.0), 1.0)
        against = np.sign(won - won.T) != np.sign(
            np.subtract.outer(means, means)
        )
        p[against] = 1.0
    else:
        p = None
        differ = np.zeros((len(means),) * 2)
        for k in range(len(means)):
            other = matrix != matrix[:, [k]]
            both = np.isfinite(matrix) & np.isfinite(matrix[:, [k]])
            differ[k] = (other & both).sum(axis=0)
    return np.minimum(2.0 ** (1 - differ), 1.0), p


def scores_of(scored: Scores) -> np.ndarray:
    """The different scores that systems have on items (the mean, where one has several), sorted."""
    matrix = scored.matrix()
    return np.unique(matrix[np.isfinite(matrix)])
