"""WMT26's screening of annotators who disagree with all annotators about differences of systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError
from ..scores.arrays import ScoreArrays

MIN_SCORES = 10  # a pair of systems counts if both have more
MIN_PAGES = 3  # annotators with fewer are kept unchecked
MIN_AGREEMENT = 0.75  # annotators below this are left out


def kept_by_screening(scores: ScoreArrays) -> np.ndarray:
    """Return a mask of the judgments of annotators that WMT26's screening keeps.

    All are kept if annotators are not named. Raises DataError ``nobody_passes_screening`` if nobody
    is left.
    """
    if not scores.has("annotator"):
        return np.ones(scores.n_judgments, bool)
    table = screen_annotators(scores)
    kept: np.ndarray = ~np.isin(scores.units["annotator"], table.index[table["removed"]])
    if not kept.any():
        raise DataError("nobody_passes_screening", value=len(table))
    return kept


def screen_annotators(scores: ScoreArrays) -> pd.DataFrame:
    """Measure how far each annotator agrees with all annotators on the differences of systems.

    For each pair of systems that an annotator scored on one segment the agreement is
    2^(-(d - mu)^2 / (2 V)): d is the annotator's difference, mu that of the systems' means over all
    scores, V the sum of the variances of their scores. ``agreement`` is the mean of these values.

    Returns a row per annotator, in order of the codes: annotator, pages (documents of a HIT, or
    segments if neither is named), pairs (compared), agreement (NaN without any), removed.
    """
    codes = scores.units["annotator"].astype(np.int64)
    names = scores.unit_names["annotator"]
    n = len(scores.systems)
    number = np.bincount(scores.system, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(scores.system, scores.score, n) / number
        squares = np.bincount(scores.system, (scores.score - mean[scores.system]) ** 2, n)
        variance = squares / np.maximum(number - 1, 1)
        items, place = np.unique(codes * len(scores.segments) + scores.segment, return_inverse=True)
        cell = place * n + scores.system
        size = len(items) * n
        score = np.bincount(cell, scores.score, size) / np.bincount(cell, minlength=size)
    score = score.reshape(-1, n)
    total = np.zeros(len(items))
    known = np.zeros(len(items))
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        if min(number[i], number[j]) > MIN_SCORES:
            off = score[:, i] - score[:, j] - (mean[i] - mean[j])
            similarity = 2.0 ** (-(off**2) / (2 * (variance[i] + variance[j]) + 1e-6))
            total += np.nan_to_num(similarity)
            known += np.isfinite(similarity)
    annotator = items // len(scores.segments)
    pairs = np.bincount(annotator, known, len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = np.bincount(annotator, total, len(names)) / pairs
    pages = _count_pages(scores, len(names))
    removed = (pages >= MIN_PAGES) & (agreement < MIN_AGREEMENT)
    columns = {"annotator": names, "pages": pages, "pairs": pairs.astype(int)}
    return pd.DataFrame({**columns, "agreement": agreement, "removed": removed})


def _count_pages(scores: ScoreArrays, annotators: int) -> np.ndarray:
    """Count the pages of each annotator: documents of a HIT, or segments if neither is named."""
    codes = scores.units["annotator"]
    page = codes.astype(np.int64)
    named = [scores.units[name] for name in ("hit", "document") if scores.has(name)]
    for code in named or [scores.segment]:
        combined = page * (int(code.max()) + 1) + code
        page = np.unique(combined, return_inverse=True)[1]
    first = np.unique(page, return_index=True)[1]
    return np.bincount(codes[first], minlength=annotators)
