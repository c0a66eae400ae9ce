"""Normalisation of MQM raters: each rater's scores made comparable by an affine map."""

from __future__ import annotations

import numpy as np

from ..errors import DataError
from .mqm import NORMALISATIONS, Ratings


def rater_scaling(
    how: str, count: np.ndarray, total: np.ndarray, square: np.ndarray, errors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rater's affine map ``a·score + b`` of a normalisation (Riley et al. 2024, section 6.1.3).

    `how` is ``none``; ``mean``: every rater gets the study's mean; ``error``: mean-normalised, then
    times a value proportional to the rater's total number of errors, the study's mean kept; ``z``:
    minus the rater's mean, divided by the rater's standard deviation (ddof = 1). Raters whose mean
    is 0 stay at 0 under ``mean`` and ``error``; those whose scores do not vary are centred only
    under ``z``; those without ratings get 1, 0. Per rater in the study, (..., R): the `count` of
    rated segments, `total` of scores, of squared scores (`square`), of `errors`.
    """
    one, zero = np.ones_like(total, dtype=float), np.zeros_like(total, dtype=float)
    if how == "none":
        return one, zero
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(count > 0, total / count, 0.0)
        if how == "z":
            variance = (square - count * mean**2) / (count - 1)
            flat = ~(variance > 1e-9 * np.maximum(square / np.maximum(count, 1), 1e-300))
            a = np.where(flat | (count < 2), 1.0, 1 / np.sqrt(variance))
            return a, -a * mean
        if how in ("mean", "error"):
            overall = total.sum(axis=-1, keepdims=True) / count.sum(axis=-1, keepdims=True)
            a = np.where(mean > 0, overall / mean, 1.0)
            if how == "mean":
                return a, zero
            live = np.where(mean > 0, count * errors, 0.0)
            scale = count.sum(axis=-1, keepdims=True) / live.sum(axis=-1, keepdims=True)
            return np.where(mean > 0, a * scale * errors, 1.0), zero
    raise DataError("unknown normalisation", value=how, expected=", ".join(NORMALISATIONS))


def normalised(data: Ratings, how: str = "none") -> np.ndarray:
    """Sums of segment scores per system and document, raters normalised, ratings averaged: (S, D).

    Raters are normalised by all their ratings in `data` (see `rater_scaling`).
    """
    size = len(data.raters)

    def per_rater(values: np.ndarray) -> np.ndarray:
        return np.bincount(data.slots.ravel(), values.ravel(), minlength=size)

    segments = np.broadcast_to(data.segments[:, None].astype(float), data.slots.shape)
    sums = (per_rater(x.sum(axis=0)) for x in (data.score, data.square, data.errors))
    a, b = rater_scaling(how, per_rater(len(data.systems) * segments), *sums)
    scaled = a[data.slots] * data.score + b[data.slots] * segments
    return scaled.sum(axis=2) / data.shape[2]
