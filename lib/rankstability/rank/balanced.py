"""Systems judged on different segments: what that gives to each, and means that allow for it.

Where systems that look good are judged more (adaptive campaigns), or each system on a sample of its
own, plain means compare systems on different documents.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from ..errors import DataError
from ..score.scored import Scored
from .units import Means, effective_units, unit_totals

COMPLETE = 0.98  # share of the segments that every system was judged on, from which it is complete

UNEVEN = 1.25


def design(scored: Scored) -> pd.DataFrame:
    """What each system was judged on.

    Returns
    -------
    DataFrame
        system, judgments, segments, documents (where named), share (of all segments), luck (the
        part of its plain mean that it owes to its segments: plain mean less the paired one, both
        about their mean over systems), mean, paired.
    """
    n = len(scored.systems)
    judged = np.isfinite(scored.matrix())
    mean = scored.means()
    out = pd.DataFrame(
        {
            "system": scored.systems,
            "judgments": np.bincount(scored.system, minlength=n),
            "segments": judged.sum(axis=0),
            "share": judged.mean(axis=0),
        }
    )
    if scored.has("document"):
        pairs = pd.DataFrame({"system": scored.system, "document": scored.unit("document")})
        pairs = pairs.drop_duplicates()
        out.insert(3, "documents", np.bincount(pairs["system"], minlength=n))
    if connected(scored):
        paired = paired_means(scored, "segment").mean
        out["luck"] = (mean - mean.mean()) - (paired - paired.mean())
        out["paired"] = paired
    return out.assign(mean=mean)


def complete(scored: Scored) -> bool:
    """Whether every system was judged on (nearly) every segment."""
    judged = np.isfinite(scored.matrix())
    return bool(judged.mean(axis=0).min() >= COMPLETE)


def adaptive(scored: Scored) -> float:
    """Correlation of a system's number of segments with its paired mean, where numbers differ.

    Near 1: systems that look good were judged more. NaN where the most judged has less than
    `UNEVEN` times the segments of the least judged.
    """
    table = design(scored)
    spread = table["segments"].max() / table["segments"].min()
    if spread < UNEVEN or "paired" not in table:
        return float("nan")
    return float(table["segments"].corr(table["paired"], method="spearman"))


def connected(scored: Scored) -> bool:
    """Whether shared segments connect all systems, so that they can be compared on them."""
    judged = np.isfinite(scored.matrix()).astype(int)
    return bool(connected_components(judged.T @ judged > 0, directed=False)[0] == 1)


def paired_means(scored: Scored, unit: str) -> Means:
    """Means of systems beside segment effects, by least squares, with covariance over units.

    Every comparison is within segments: what a system owes to easy segments is taken away. Means
    are about the plain mean of all judgments; on complete data they are the plain means.

    Parameters
    ----------
    unit : str
        Of `Scored.unit`.

    Raises
    ------
    DataError
        Where no shared segments connect the systems.
    """
    if not connected(scored):
        raise DataError("systems that share no segments", expected="segments that connect them")
    n, system, segment = len(scored.systems), scored.system, scored.segment
    weight = scored.weights()
    size = len(scored.segments) * n
    held = np.bincount(segment * n + system, weight, size).reshape(-1, n)
    share = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
    normal = np.diag(held.sum(axis=0)) - held.T @ share
    total = np.bincount(segment, weight * scored.score, len(scored.segments))
    right = np.bincount(system, weight * scored.score, n) - share.T @ total
    inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
    effect = inverse @ right
    level = total / np.maximum(held.sum(axis=1), 1e-300) - share @ effect
    rest = weight * (scored.score - level[segment] - effect[system])
    _, code = np.unique(scored.unit(unit), return_inverse=True)
    units = int(code.max()) + 1
    own = np.bincount(code * n + system, rest, units * n).reshape(-1, n)
    key, place = np.unique(code.astype(np.int64) * len(held) + segment, return_inverse=True)
    together = np.bincount(place, rest)
    np.subtract.at(own, key // len(held), together[:, None] * share[key % len(held)])
    influence = own @ inverse
    covariance = influence.T @ influence * units / max(units - 1, 1)
    mean = effect - effect.mean() + np.average(scored.score, weights=weight)
    _, judged = unit_totals(system, code, scored.score, weight, n)
    return Means(mean, covariance, influence, units, effective=effective_units(judged))
