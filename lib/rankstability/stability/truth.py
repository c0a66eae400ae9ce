"""Simulated campaigns with a known truth: the design of a real campaign, its variance components.

Before conclusions are drawn from simulated campaigns, `check_simulated_truth` shows whether two
halves of their annotators agree as two halves of the real annotators do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..scores.arrays import ScoreArrays
from .components import ANNOTATOR, RESIDUAL, SYSTEM, Components, factor_codes, fit_estimable
from .repeat import split_half_tau

MIN_SIMULATIONS = 100
SPLITS = 20  # of each simulated campaign


def simulate_campaign(
    arrays: ScoreArrays, fitted: Components, rng: np.random.Generator
) -> tuple[ScoreArrays, np.ndarray]:
    """Simulate the scores of a campaign of this design from its variance components.

    Parameters
    ----------
    arrays : ScoreArrays
        The design.
    fitted : Components
        Their variances, as from `components.fit_arrays`.

    Returns
    -------
    simulated : ScoreArrays
        The same judgments with simulated scores.
    truth : array, shape (systems,)
        The true mean of each system.
    """
    codes = factor_codes(arrays)
    scale = {name: np.sqrt(variance) for name, variance in fitted.variance.items()}
    truth = fitted.mean + scale[SYSTEM] * rng.standard_normal(len(arrays.systems))
    score = truth[arrays.system] + scale[RESIDUAL] * rng.standard_normal(arrays.n_judgments)
    for name, level in codes.items():
        if name != SYSTEM:
            effect = rng.standard_normal(int(level.max()) + 1)
            score += scale[name] * effect[level]
    return replace(arrays, score=score), truth


def check_simulated_truth(
    arrays: ScoreArrays,
    rng: np.random.Generator,
    simulations: int = MIN_SIMULATIONS,
    splits: int = 200,
) -> pd.DataFrame:
    """Compare the split-half agreement of simulated campaigns with that of the real one.

    Halves are halves of the annotators; agreement is Kendall's tau, the mean over splits.

    Returns
    -------
    DataFrame
        One row: tau (of the real campaign), tau_simulated (mean over simulations), simulated_low,
        simulated_high (central 95 % of the simulations), consistent (whether tau lies between).

    Raises
    ------
    DataError
        If annotators are not named, or components cannot be estimated.
    """
    if not arrays.has(ANNOTATOR):
        raise DataError("unknown_unit", value=ANNOTATOR)
    fitted = fit_estimable(arrays.score, factor_codes(arrays))
    tau = float(np.nanmean(split_half_tau(arrays, ANNOTATOR, rng, splits)))
    simulated = np.empty(simulations)
    for k in range(simulations):
        campaign = simulate_campaign(arrays, fitted, rng)[0]
        simulated[k] = np.nanmean(split_half_tau(campaign, ANNOTATOR, rng, SPLITS))
    low, high = np.quantile(simulated, [0.025, 0.975])
    row = {
        "tau": tau,
        "tau_simulated": float(simulated.mean()),
        "simulated_low": float(low),
        "simulated_high": float(high),
        "consistent": bool(low <= tau <= high),
    }
    return pd.DataFrame([row])
