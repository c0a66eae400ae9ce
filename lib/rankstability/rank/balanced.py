"""Systems judged on different segments, as in adaptive campaigns: what each gains by that."""

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from ..errors import DataError
from ..score.scored import Scores

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
        pairs = np.unique(np.stack([scored.system, scored.unit("document")]), axis=1)
        out["documents"] = np.bincount(pairs[0], minlength=n)
    out["share"] = judged.mean(axis=0)
    if connected(scored):
        paired = within_segments(scored, scored.weights())[0]
        out["luck"] = (mean - mean.mean()) - (paired - paired.mean())
        out["paired"] = paired
    return out.assign(mean=mean)


def complete(scored: Scores) -> bool:
    """Whether every system was judged on (nearly) every segment."""
    judged = np.isfinite(scored.matrix())
    return bool(judged.mean(axis=0).min() >= COMPLETE)


def adaptive(scored: Scores) -> float:
    """Spearman correlation of systems' numbers of segments with their paired means.

    Near 1, systems that look good were judged more. NaN if the most judged system has less than
    `UNEVEN` times the segments of the least judged, or there are no paired means (see `design`).
    """
    table = design(scored)
    spread = table["segments"].max() / table["segments"].min()
    if spread < UNEVEN or "paired" not in table:
        return float("nan")
    return float(table["segments"].corr(table["paired"], method="spearman"))


def connected(scored: Scores) -> bool:
    """Whether shared segments connect all systems, so that they can be compared on them."""
    judged = np.isfinite(scored.matrix()).astype(int)
    return bool(connected_components(judged.T @ judged > 0, directed=False)[0] == 1)


def within_segments(
    scored: Scores, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Least-squares means of systems, adjusted for segments, and the influence of judgments.

    Judgments count by `weight`; no system gains by easy segments. Means are centred on the weighted
    mean of all judgments; on complete data they are the plain means. Returns the means; the
    influence of each judgment on each mean, (judgments, systems); and each judgment's share of its
    system's weight, where a system alone in a segment has none. Raises DataError if shared segments
    do not connect all systems.
    """
    if not connected(scored):
        raise DataError("systems that share no segments", expected="segments that connect them")
    n, system, segment = len(scored.systems), scored.system, scored.segment
    size = len(scored.segments) * n
    held = np.bincount(segment * n + system, weight, size).reshape(-1, n)
    share = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
    apart = weight[:, None] * (np.eye(n)[system] - share[segment])
    inverse = np.linalg.pinv(
        np.diag(held.sum(axis=0)) - held.T @ share, rcond=1e-10, hermitian=True
    )
    effect = inverse @ (apart.T @ scored.score)
    rest = scored.score - effect[system]
    level = np.bincount(segment, weight * rest, len(share)) / np.maximum(held.sum(axis=1), 1e-300)
    influence = (rest - level[segment])[:, None] * (apart @ inverse)
    own = apart[np.arange(len(system)), system]
    own = own / np.bincount(system, own, n)[system]
    mean: np.ndarray = effect - effect.mean() + np.average(scored.score, weights=weight)
    return mean, influence, own
