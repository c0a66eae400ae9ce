"""Lines between clusters that hold: every pair across them differs, for the family of lines."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .significance import adjusted
from .units import Means


def held_lines(
    estimate: Means, order: np.ndarray | None = None, alpha: float = 0.05
) -> pd.DataFrame:
    """For each place between two neighbours: does a line there hold when units are drawn anew?

    A line is the intersection of the tests of all pairs across it, so its p is the largest of
    theirs (one-sided, cluster-robust t with units - 1 degrees of freedom); the n - 1 lines are
    corrected by Holm.

    Parameters
    ----------
    order : array of int, optional
        The systems, best first, of the ranking whose lines are asked about; by default by mean.
    alpha : float
        Chance of one false line or more in the campaign.

    Returns
    -------
    DataFrame
        below (rank above the line, 1 ... n - 1), p (of the line alone), p_holm, held (0 or 1).
    """
    order = estimate.order() if order is None else np.asarray(order)
    p = estimate.p()[np.ix_(order, order)]
    n = len(order)
    line = np.array([p[:k, k:].max() for k in range(1, n)])
    corrected = adjusted(line, "holm")
    held = (corrected < alpha).astype(int)
    return pd.DataFrame({"below": np.arange(1, n), "p": line, "p_holm": corrected, "held": held})
