"""What each system was judged on, and whether that favours some of them."""

import math

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.balanced import by_segment, connected
from companion.legacy.rankstability.score.scored import Scores

COMPLETE = 0.98  # complete: every system was judged on at least this share of the segments
UNEVEN = 1.25  # ratio of the segments of the most and the least judged system


def design(scored: Scores) -> pd.DataFrame:
    """What each system was judged on.

    Returns
    -------
    DataFrame
        system, judgments, segments, documents (if named), share (of all segments), mean; and if
        shared segments connect all systems, paired (mean by `balanced.by_segment`) and luck (what
        the plain mean owes to the system's segments: plain minus paired mean, each centred over
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


def items_needed(systems: int) -> int:
    """The fewest items from which any of so many systems could be told apart, at level .05.

    On fewer, no pair can differ by enough items, whatever they say: `items.item_p` and
    `certainty.family`.

    >>> [items_needed(n) for n in (2, 10, 90, 200)]
    [6, 8, 11, 12]
    """
    return math.ceil(1 + math.log2(10 * systems))


def lacking(scored: Scores) -> dict[str, int]:
    """The systems that were not judged on all items, and how many they lack; most first."""
    missing = np.isnan(scored.matrix()).sum(axis=0)
    order = np.argsort(-missing, kind="stable")
    return {scored.systems[k]: int(missing[k]) for k in order if missing[k]}
