"""Compare simulated campaigns of a known truth with the real campaigns whose design they have.

Conclusions from a simulated truth need this first: does it reproduce what the real judgments show?
Writes ``results/simulated_truth.csv``, one row per language pair (or task) and statistic:

- real: of the real judgments; simulated_5, simulated_95: quantiles of 100 simulated campaigns;
- inside: whether the real value lies between them. By chance one in ten does not.
- reason: why nothing can be compared. The other columns are then empty.

Ratings are simulated with `simulate_campaign` from the variance components of their raw scores. The
statistics are Kendall's tau between two halves of the
annotators, or of the documents (mean over splits), the standard deviation of the systems' means, and
the median standard error of a difference with the sampling units of the verdict.

Relative rankings keep their blocks and their ties. Every output is drawn from the quality of its
system, on Koehn's (2012) scale, independently of annotators and segments. Qualities are uniform. Their
spread is that of the strengths, less the variance that new annotators and segments cause.

Arguments: campaigns. ``CAMPAIGNS=20`` sets the number of simulated campaigns, ``SEED`` the seed.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import rankstability as rs
from rankstability.errors import DataError
from rankstability.inference.ratings import infer_ratings
from rankstability.inference.votes import infer_votes
from rankstability.scores.arrays import ScoreArrays, VoteArrays
from rankstability.scores.build import score_arrays
from rankstability.scores.pairwise import vote_arrays
from rankstability.stability.components import (
    RESIDUAL,
    SYSTEM,
    Components,
    factor_codes,
    fit_estimable,
)
from rankstability.stability.repeat import kendall_tau

RESULTS = Path(__file__).parent / "results" / "simulated_truth.csv"
CAMPAIGNS = int(os.environ.get("CAMPAIGNS", "100"))
SEED = int(os.environ.get("SEED", "30414"))
SPLITS = 200  # of the real campaign
SPLITS_SIMULATED = 20  # of each simulated one
RATED = ("wmt18", "wmt20", "wmt21", "wmt22-appraise-liv", "wmt22-mqm", "wmt23-mqm", "wmt24-esa")
COMPARED = ("wmt10", "wmt11", "wmt12")

Statistics = dict[str, float]


# ------------------------------------------------------------------ ratings


def statistics_of_ratings(arrays: ScoreArrays, rng: np.random.Generator, splits: int) -> Statistics:
    """Return the statistics of one campaign of ratings."""
    found = {}
    for unit in ("annotator", "document"):
        if arrays.has(unit):
            tau = split_half_tau(arrays, unit, rng, splits)
            known = tau[np.isfinite(tau)]
            if len(known):
                found[f"tau of halves of the {unit}s"] = float(known.mean())
    found["standard deviation of the means"] = float(np.std(arrays.means(), ddof=1))
    found["median standard error"] = median_error(infer_ratings(arrays).variance)
    return found


def median_error(variance: np.ndarray) -> float:
    """Return the median standard error over pairs."""
    pairs = np.triu_indices(len(variance), 1)
    return float(np.nanmedian(np.sqrt(variance[pairs])))


def compare_ratings(
    judgments: rs.Judgments, rng: np.random.Generator
) -> tuple[Statistics, pd.DataFrame]:
    """Return the statistics of real ratings, and those of simulated campaigns (one row each)."""
    arrays = score_arrays(judgments, "raw")
    if not arrays.has("annotator") and not arrays.has("document"):
        raise DataError("unknown_unit", value="annotator or document")
    real = statistics_of_ratings(arrays, rng, SPLITS)
    fitted = fit_estimable(arrays.score, factor_codes(arrays))
    simulated = []
    for _ in range(CAMPAIGNS):
        campaign = simulate_campaign(arrays, fitted, rng)[0]
        campaign = replace(campaign, scale=(-np.inf, np.inf))
        simulated.append(statistics_of_ratings(campaign, rng, SPLITS_SIMULATED))
    return real, pd.DataFrame(simulated)


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


# ------------------------------------------------------------------ relative rankings


def statistics_of_comparisons(
    votes: VoteArrays, rng: np.random.Generator, splits: int
) -> Statistics:
    """Return the statistics of one relative ranking."""
    found = {}
    for name, unit in (("annotator", votes.annotator), ("segment", votes.question)):
        assert unit is not None
        tau = tau_of_halves(votes, unit, rng, splits)
        known = tau[np.isfinite(tau)]
        if len(known):
            found[f"tau of halves of the {name}s"] = float(known.mean())
    inference = infer_votes(votes)
    found["standard deviation of the shares of wins"] = float(np.nanstd(inference.mean, ddof=1))
    found["median standard error"] = median_error(inference.variance)
    return found


def tau_of_halves(
    votes: VoteArrays, unit: np.ndarray, rng: np.random.Generator, splits: int
) -> np.ndarray:
    """Return Kendall's tau between shares of wins by two halves of the units: (splits,)."""
    code = np.unique(unit, return_inverse=True)[1]
    n, number = len(votes.systems), int(code.max()) + 1
    wins, decided = np.zeros((number, n)), np.zeros((number, n))
    is_decided = votes.outcome != 0.5
    for system, won in ((votes.first, votes.outcome), (votes.second, 1 - votes.outcome)):
        np.add.at(decided, (code[is_decided], system[is_decided]), 1.0)
        np.add.at(wins, (code[is_decided], system[is_decided]), won[is_decided])
    is_first = np.argsort(rng.random((splits, number)), axis=1) < number // 2
    shares = []
    for half in (is_first.astype(float), 1.0 - is_first):
        with np.errstate(invalid="ignore", divide="ignore"):
            shares.append((half @ wins) / (half @ decided))
    complete = np.isfinite(shares[0]).all(axis=1) & np.isfinite(shares[1]).all(axis=1)
    tau: np.ndarray = np.where(complete, kendall_tau(*shares), np.nan)
    return tau


def compare_comparisons(
    judgments: rs.Judgments, rng: np.random.Generator
) -> tuple[Statistics, pd.DataFrame]:
    """Return the statistics of a real relative ranking, and those of simulated ones."""
    votes = vote_arrays(judgments)
    real = statistics_of_comparisons(votes, rng, SPLITS)
    width = width_of_qualities(votes)
    simulated = []
    for _ in range(CAMPAIGNS):
        campaign = simulate_comparisons(votes, width, rng)
        simulated.append(statistics_of_comparisons(campaign, rng, SPLITS_SIMULATED))
    return real, pd.DataFrame(simulated)


def width_of_qualities(votes: VoteArrays) -> float:
    """Return the width of uniform qualities whose outputs vary with standard deviation 1.

    The variance of strengths, less half the mean variance of a difference, is that of true
    strengths. A logit of 1 is a difference of sqrt(2) / 1.702 in quality.
    """
    inference = infer_votes(votes)
    known = np.isfinite(inference.mean)
    pairs = np.triu_indices(len(inference.mean), 1)
    noise = float(np.nanmean(inference.variance[pairs])) / 2
    log_odds = np.log(inference.mean[known] / (1 - inference.mean[known]))
    true_variance = max(float(np.var(log_odds, ddof=1)) - noise, 1e-4)
    return float(np.sqrt(12 * true_variance) * np.sqrt(2) / 1.702)


def simulate_comparisons(votes: VoteArrays, width: float, rng: np.random.Generator) -> VoteArrays:
    """Return the same blocks and ties, with wins by the drawn quality of each output."""
    assert votes.block is not None
    quality = rng.uniform(0.0, width, len(votes.systems))
    n = len(votes.systems)
    block = np.unique(votes.block, return_inverse=True)[1]
    outputs = np.unique(np.append(block * n + votes.first, block * n + votes.second))
    seen = quality[outputs % n] + rng.standard_normal(len(outputs))
    first = seen[np.searchsorted(outputs, block * n + votes.first)]
    second = seen[np.searchsorted(outputs, block * n + votes.second)]
    won = (first > second).astype(float)
    return replace(votes, outcome=np.where(votes.outcome == 0.5, 0.5, won))


# ------------------------------------------------------------------ the table


def rows_of(campaign: str, pair: str, task: str) -> list[dict[str, object]]:
    """Return the rows of one language pair or task."""
    start = {"campaign": campaign, "pair": pair, "task": task}
    rng = np.random.default_rng([SEED, *f"{campaign} {pair} {task}".encode()])
    compare = compare_comparisons if campaign in COMPARED else compare_ratings
    try:
        real, simulated = compare(rs.load(campaign, pair, task), rng)
    except DataError as error:
        return [{**start, "statistic": "", "reason": error.code}]
    return [{**start, **row} for row in compared_rows(real, simulated)]


def compared_rows(real: Mapping[str, float], simulated: pd.DataFrame) -> list[dict[str, object]]:
    """Return a row per statistic."""
    rows = []
    for name, value in real.items():
        low, high = simulated[name].quantile([0.05, 0.95])
        rows.append(
            {
                "statistic": name,
                "real": value,
                "simulated_5": low,
                "simulated_95": high,
                "inside": bool(low <= value <= high),
                "reason": "",
            }
        )
    return rows


def main() -> None:
    here = set(rs.campaigns().query("here")["campaign"])
    chosen = sys.argv[1:] or [*RATED, *COMPARED]
    rows: list[dict[str, object]] = []
    for campaign in chosen:
        if campaign not in here:
            continue
        for each in rs.pairs(campaign).itertuples():
            rows += rows_of(campaign, each.pair, getattr(each, "task", ""))
            print(campaign, each.pair, rows[-1], flush=True)
    table = pd.DataFrame(rows)
    if sys.argv[1:] and RESULTS.exists():
        known = pd.read_csv(RESULTS)
        table = pd.concat([known[~known["campaign"].isin(chosen)], table], ignore_index=True)
    number = table.select_dtypes("number").columns
    table[number] = table[number].round(4)
    table.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
