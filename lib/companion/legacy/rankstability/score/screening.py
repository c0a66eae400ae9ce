"""WMT26's screening of users whose differences between systems are far from those of all users."""

import numpy as np
import pandas as pd

from ..errors import DataError
from .da import averages
from .scored import Scores

FEWEST_SCORES = 10  # a pair of systems counts if both have more
FEWEST_LINES = 3  # users with fewer are kept unchecked
LEAST = 0.75  # agreement below which a user is left out


def kept_users(judged: Scores) -> np.ndarray:
    """Mask of the judgments of users that WMT26 keeps; raises DataError if nobody is left."""
    if not judged.has("worker"):
        return np.ones(judged.counted, bool)
    table = screening(judged)
    kept = ~np.isin(judged.unit("worker"), table.index[table["removed"] == 1])
    if not kept.any():
        least = f"a user with an agreement of {LEAST} or more"
        raise DataError(
            "all users are screened out", value=len(table), expected=least
        )
    return kept


def screening(judged: Scores) -> pd.DataFrame:
    """How far each user agrees with all users on the differences of systems, and who is left out.

    For each pair of systems that a user scored on one segment: 2^(-(d - mu)^2 / (2 V)), where d is
    the user's difference, mu that of the systems' means over all scores (the user's included), and
    V the sum of the variances of their scores; `agreement` is the mean of these values.

    A row per worker, in order of the codes: user, lines (pages judged: documents of a HIT, if
    named), pairs (compared), agreement (NaN without any), removed (0 or 1).
    """
    worker = judged.unit("worker")
    n = len(judged.systems)
    users = len(judged.workers)
    mean, number = averages(judged.system, judged.score, n)
    squares = np.bincount(
        judged.system, (judged.score - mean[judged.system]) ** 2, n
    )
    variance = squares / np.maximum(number - 1, 1)
    item = worker.astype(np.int64) * len(judged.segments) + judged.segment
    items, place = np.unique(item, return_inverse=True)
    cell = place * n + judged.system
    score, _ = averages(cell, judged.score, len(items) * n)
    score = score.reshape(-1, n)
    total = np.zeros(len(items))
    known = np.zeros(len(items))
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        if min(number[i], number[j]) > FEWEST_SCORES:
            off = score[:, i] - score[:, j] - (mean[i] - mean[j])
            q = 2.0 ** (-(off**2) / (2 * (variance[i] + variance[j]) + 1e-6))
            total += np.nan_to_num(q)
            known += np.isfinite(q)
    user = items // len(judged.segments)
    pairs = np.bincount(user, known, users)
    with np.errstate(invalid="ignore"):
        agreement = np.bincount(user, total, users) / pairs
    lines = _lines(judged, users)
    removed = (lines >= FEWEST_LINES) & (agreement < LEAST)
    table = pd.DataFrame(
        {"user": judged.workers, "lines": lines, "pairs": pairs.astype(int)}
    )
    return table.assign(agreement=agreement, removed=removed.astype(int))


def _lines(judged: Scores, users: int) -> np.ndarray:
    """How many pages each user judged: documents of a HIT, or segments if neither is named."""
    page = judged.unit("worker").astype(np.int64)
    for name in [u for u in ("hit", "document") if judged.has(u)] or [
        "segment"
    ]:
        code = judged.unit(name)
        page = np.unique(
            page * (int(code.max()) + 1) + code, return_inverse=True
        )[1]
    first = np.unique(page, return_index=True)[1]
    return np.bincount(judged.unit("worker")[first], minlength=users)
