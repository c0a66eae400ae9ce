"""How far two orders or scores of the same systems agree: pairs, places, Kendall's tau."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def opposite_pairs(a: pd.Series, b: pd.Series) -> int:
    """Number of pairs of systems (of those in both) that two scores put in opposite order."""
    both = a.index.intersection(b.index)
    x = a[both].to_numpy(float)
    y = b[both].to_numpy(float)
    opposite = np.subtract.outer(x, x) * np.subtract.outer(y, y) < 0
    return int(np.triu(opposite, 1).sum())


def held_places(before: Sequence[str], after: Sequence[str]) -> dict[str, int]:
    """The place of each system of `after` (best first), of those that they had in `before`.

    A system that does not move relative to the others keeps its place, and a system that `after`
    lacks leaves a gap.
    """
    places = [k for k, s in enumerate(before, 1) if s in after]
    return dict(zip(after, places, strict=True))


def tau(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of scores along the last axis; pairs with a missing score count as ties."""
    i, j = np.triu_indices(one.shape[-1], 1)
    a, b = (
        np.nan_to_num(np.sign(x[..., i] - x[..., j])) for x in (one, other)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt(
            np.abs(a).sum(axis=-1) * np.abs(b).sum(axis=-1)
        )
