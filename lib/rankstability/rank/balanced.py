"""Systems judged on different segments, as in adaptive campaigns: what each gains by that."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..errors import DataError
from ..score.scored import Scores
from .units import cell_sums

COMPLETE = 0.98  # complete: every system was judged on at least this share of the segments
UNEVEN = 1.25  # ratio of the segments of the most and the least judged system


def design(scored: Scores) -> pd.DataFrame:
    """What each system was judged on.

    Returns
    -------
    DataFrame
        system, judgments, segments, documents (if named), share (of all segments), mean; and if
        shared segments connect all systems, paired (mean by `within_segments`) and luck (what the
        plain mean owes to the system's segments: plain minus paired mean, each centred over
        systems).
    """
    n = len(scored.systems)
    judged = np.isfinite(scored.matrix())
    mean = scored.means()
    out = pd.DataFrame({"system": scored.systems})
    out["judgments"] = np.bincount(scored.system, minlength=n)
    out["segments"] = judged.sum(axis=0)
    if scored.has("document"):
        met = np.unique(scored.unit("document") * n + scored.system)
        out["documents"] = np.bincount(met % n, minlength=n)
    out["share"] = judged.mean(axis=0)
    if connected(scored):
        paired = by_segment(scored, scored.weights())[0]
        out["luck"] = (mean - mean.mean()) - (paired - paired.mean())
        out["paired"] = paired
    return out.assign(mean=mean)


def complete(scored: Scores) -> bool:
    """Whether every system was judged on (nearly) every segment."""
    judged = np.isfinite(scored.matrix())
    return bool(judged.mean(axis=0).min() >= COMPLETE)


def looks_adaptive(
    scored: Scores, rng: np.random.Generator, draws: int = 2000
) -> float:
    """How often chance alone would give the systems that look good so many more segments: a p.

    The systems' numbers of segments are permuted among them; the statistic is their Spearman
    correlation with the paired means of `design`. NaN if the most judged system has less than
    `UNEVEN` times the segments of the least judged, or there are no paired means.
    """
    table = design(scored)
    number = table["segments"].rank().to_numpy()
    spread = table["segments"].max() / table["segments"].min()
    if spread < UNEVEN or "paired" not in table:
        return float("nan")
    mean = table["paired"].rank().to_numpy() - (len(table) + 1) / 2
    seen = number @ mean
    drawn = rng.permuted(np.tile(number, (draws, 1)), axis=1) @ mean
    return float((1 + (drawn >= seen - 1e-9).sum()) / (1 + draws))


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
