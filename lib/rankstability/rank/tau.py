"""Kendall's tau of many pairs of rankings at once."""

from __future__ import annotations

import numpy as np


def tau(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of scores along the last axis; pairs with a missing score count as ties."""
    i, j = np.triu_indices(one.shape[-1], 1)
    a, b = (np.nan_to_num(np.sign(x[..., i] - x[..., j])) for x in (one, other))
    with np.errstate(invalid="ignore", divide="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt(np.abs(a).sum(axis=-1) * np.abs(b).sum(axis=-1))
