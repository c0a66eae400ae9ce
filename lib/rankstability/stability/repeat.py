"""Would another campaign of this size agree? Kendall's tau of two campaigns, and of two halves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError
from ..inference.result import RankInference
from ..scores.arrays import ScoreArrays
from .precision import precision_of_covariance

RANGE = 0.95  # share of the repeats that the range holds


def kendall_tau(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Compute Kendall's tau-b of scores along the last axis.

    Pairs with a missing score count as ties; NaN where all scores of a side are equal.

    Examples
    --------
    >>> round(float(kendall_tau(np.array([3.0, 2.0, 1.0]), np.array([9.0, 5.0, 7.0]))), 2)
    0.33
    """
    i, j = np.triu_indices(first.shape[-1], 1)
    signs = [np.nan_to_num(np.sign(side[..., i] - side[..., j])) for side in (first, second)]
    untied = [np.abs(sign).sum(axis=-1) for sign in signs]
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: np.ndarray = (signs[0] * signs[1]).sum(axis=-1) / np.sqrt(untied[0] * untied[1])
    return tau


def expect_repeat(
    inference: RankInference, n_pairs: int, rng: np.random.Generator, draws: int = 1000
) -> dict[str, float]:
    """Predict the agreement of two campaigns of this size, with new annotators and documents.

    Both are drawn about the same draws of the true means (`Precision.draw_truths`), with the
    covariance over units. On halves of real campaigns tau is .03 too low on average; where most
    systems are equal it is too high, by .1 to .4.

    Parameters
    ----------
    inference : RankInference
    n_pairs : int
        How many of the pairs with the smallest p of the first campaign are looked for in the other.

    Returns
    -------
    dict
        tau, tau_low, tau_high (mean, and range of 95 % of repeats), pairs, and, if there are any,
        srp (chance that all these pairs keep their order) and kept (share that keeps it).
    """
    precision = precision_of_covariance(inference)
    n = len(precision.systems)
    truths = precision.draw_truths(draws, rng)
    first, second = (precision.draw_means(truths, rng) for _ in range(2))
    tau = kendall_tau(first, second)
    low, high = np.quantile(tau, [(1 - RANGE) / 2, (1 + RANGE) / 2])
    agreement = {"tau": float(tau.mean()), "tau_low": float(low), "tau_high": float(high)}
    i, j = np.triu_indices(n, 1)
    n_pairs = min(n_pairs, len(i))
    agreement["pairs"] = n_pairs
    if n_pairs:
        gap_first = first[:, i] - first[:, j]
        gap_second = second[:, i] - second[:, j]
        error = np.sqrt(np.maximum(inference.variance[i, j], 1e-24))
        strongest = np.argsort(-np.abs(gap_first) / error, axis=1)[:, :n_pairs]
        same = np.sign(gap_first) == np.sign(gap_second)
        kept = np.take_along_axis(same, strongest, axis=1)
        agreement["srp"] = float(kept.all(axis=1).mean())
        agreement["kept"] = float(kept.mean())
    return agreement


def split_half_agreement(
    arrays: ScoreArrays, unit: str, rng: np.random.Generator, draws: int = 200
) -> pd.DataFrame:
    """Measure Kendall's tau between the rankings by two random halves of the annotators.

    Or of the documents. Means are plain; a split in which a half lacks a system is left out.

    Parameters
    ----------
    arrays : ScoreArrays
    unit : str
        ``annotator`` or ``document``.

    Returns
    -------
    DataFrame
        One row: unit, units, splits, tau (mean), tau_low, tau_high (central 95 % of the splits).

    Raises
    ------
    DataError
        If not all judgments name this unit.
    """
    if not arrays.has(unit):
        raise DataError("unknown_unit", value=unit)
    tau = split_half_tau(arrays, unit, rng, draws)
    known = tau[np.isfinite(tau)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (np.nan, np.nan)
    row = {
        "unit": unit,
        "units": len(np.unique(arrays.units[unit])),
        "splits": len(known),
        "tau": float(known.mean()) if len(known) else np.nan,
        "tau_low": float(low),
        "tau_high": float(high),
    }
    return pd.DataFrame([row])


def split_half_tau(
    arrays: ScoreArrays, unit: str, rng: np.random.Generator, draws: int
) -> np.ndarray:
    """Return Kendall's tau of each random split; NaN where a half lacks a system: (draws,)."""
    code = np.unique(arrays.units[unit], return_inverse=True)[1]
    number = int(code.max()) + 1
    n = len(arrays.systems)
    weight = arrays.weights()
    cell = code * n + arrays.system
    sums = np.bincount(cell, weight * arrays.score, number * n).reshape(number, n)
    weights = np.bincount(cell, weight, number * n).reshape(number, n)
    is_first = np.argsort(rng.random((draws, number)), axis=1) < number // 2
    means = []
    for half in (is_first.astype(float), 1.0 - is_first):
        with np.errstate(invalid="ignore", divide="ignore"):
            means.append((half @ sums) / (half @ weights))
    complete = np.isfinite(means[0]).all(axis=1) & np.isfinite(means[1]).all(axis=1)
    tau: np.ndarray = np.where(complete, kendall_tau(*means), np.nan)
    return tau
