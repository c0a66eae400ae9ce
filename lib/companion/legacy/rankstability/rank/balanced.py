"""Systems judged on different segments, as in adaptive campaigns: means by what they share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..errors import DataError
from ..score.scored import Scores
from .units import cell_sums


def connected(scored: Scores) -> bool:
    """Whether shared segments connect all systems, so that they can be compared on them."""
    return not groups(np.isfinite(scored.matrix()).astype(np.float32)).any()


def groups(judged: np.ndarray) -> np.ndarray:
    """The group of each system, from 0: those that chains of rows join, of (rows, systems)."""
    return connected_components(judged.T @ judged > 0, directed=False)[1]


def segment_sums(
    scored: Scores, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The weight, and the weighted sum of scores, of each segment and system."""
    shape = len(scored.segments), len(scored.systems)
    total = cell_sums(
        scored.segment, scored.system, weight * scored.score, shape
    )
    return cell_sums(scored.segment, scored.system, weight, shape), total


def _equations(
    scored: Scores, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Systems' shares of each segment's weight; the inverse of the equations of least squares.

    `held`, (segments, systems), as from `segment_sums`. Raises DataError if shared segments do not
    connect all systems.
    """
    if not connected(scored):
        raise DataError(
            "systems that share no segments",
            expected="segments that connect them",
        )
    share = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
    normal = np.diag(held.sum(axis=0)) - held.T @ share
    return share, np.linalg.pinv(normal, rcond=1e-10, hermitian=True)


def by_segment(
    scored: Scores, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `within_segments`, with judgments summed by segment: means, influences and shares.

    Shapes (systems,), (segments, systems), (segments, systems); of little memory for many systems.
    """
    held, total = segment_sums(scored, weight)
    of_segment, inverse = _equations(scored, held)
    score = np.divide(total, held, out=np.zeros_like(total), where=held > 0)
    level = (of_segment * score).sum(axis=1, keepdims=True)
    effect = inverse @ (held * (score - level)).sum(axis=0)
    rest = score - effect
    rest = held * (rest - (of_segment * rest).sum(axis=1, keepdims=True))
    own = held * (
        1 - of_segment
    )  # a segment that one system alone has tells nothing
    means = effect - effect.mean() + np.average(scored.score, weights=weight)
    return means, rest @ inverse, own / own.sum(axis=0)


@dataclass(frozen=True)
class Within:
    """Means of systems by differences within segments, and what each judgment does to them.

    `mean`, (systems,); `share`, each judgment's share of its system's weight, where a system alone
    in a segment has none. `influence`, a function of the coded units of judgments: what each unit
    adds to the errors of the means, (units, systems).
    """

    mean: np.ndarray
    share: np.ndarray
    influence: Callable[[np.ndarray], np.ndarray]


def within_segments(scored: Scores, weight: np.ndarray) -> Within:
    """Least-squares means of systems, adjusted for segments, and the influence of judgments.

    Judgments count by `weight`; no system gains by easy segments. Means are centred on the weighted
    mean of all judgments; on complete data they are the plain means. Raises DataError if shared
    segments do not connect all systems.
    """
    n = len(scored.systems)
    system = scored.system
    segment = scored.segment
    held = segment_sums(scored, weight)[0]
    share, inverse = _equations(scored, held)
    sums = np.bincount(segment, weight * scored.score, len(share))
    gains = np.bincount(system, weight * scored.score, n) - share.T @ sums
    effect = inverse @ gains
    rest = scored.score - effect[system]
    level = np.bincount(segment, weight * rest, len(share))
    level = level / np.maximum(held.sum(axis=1), 1e-300)
    # what is left of each judgment, times its weight
    rest = weight * (rest - level[segment])
    own = weight * (1 - share[segment, system])
    own = own / np.bincount(system, own, n)[system]
    mean = effect - effect.mean() + np.average(scored.score, weights=weight)

    def influence(unit: np.ndarray) -> np.ndarray:
        units = int(unit.max()) + 1
        of_system = cell_sums(unit, system, rest, (units, n))
        of_segment = coo_array(
            (rest, (unit, segment)), shape=(units, len(share))
        ).tocsr()
        return (of_system - of_segment @ share) @ inverse

    return Within(mean, own, influence)
