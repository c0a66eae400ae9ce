"""How often a procedure draws a cluster boundary between systems that are equal.

Campaigns of equal systems are made from a campaign's judgments in two steps. Every system gets the
same distribution of scores; then the labels of the systems are shuffled, whole documents at a time
(INFERENCE, section 6.2). The rate is a lower bound: ties broken at random and the preferences of new
annotators would only add boundaries.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ..arguments import check_alpha, check_arguments, check_count
from ..judgments import COMPARISON_KINDS, Judgments, check_judgments
from ..ranking.paired import paired_or_independent_bootstrap
from ..ranking.procedures import (
    Procedure,
    choose_procedure,
    draw_ranking,
    scores_for,
)
from ..scores.arrays import ScoreArrays

DEFAULT_SEED = 20240717
MIN_SYSTEMS_PER_UNIT = 1.5  # on average; otherwise there is nothing to shuffle
COLUMNS = [
    "procedure",
    "unit",
    "pairs_significant",
    "pairs_low",
    "pairs_high",
    "campaigns_with_boundary",
    "campaigns_low",
    "campaigns_high",
    "draws",
]


@check_arguments
def false_boundaries(
    judgments: Judgments,
    procedure: str | None = None,
    draws: int = 200,
    rng: np.random.Generator | None = None,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Measure how often a procedure draws a boundary in campaigns of equal systems.

    Parameters
    ----------
    judgments : Judgments
    procedure : str, optional
        A name in `PROCEDURES`; by default the procedure of the campaign's year.
    draws : int
        The number of simulated campaigns of equal systems.
    rng : Generator, optional
        By default, a generator with a fixed seed.
    alpha : float
        The level of each test of the procedure.

    Returns
    -------
    DataFrame
        One row: procedure; unit (``document``, or ``annotator`` if no documents are named), within
        which system labels are shuffled; pairs_significant, the mean share of pairs that the
        procedure finds significant, with a 95 % interval (pairs_low, pairs_high);
        campaigns_with_boundary, the share of campaigns with a boundary, with a 95 % interval
        (campaigns_low, campaigns_high); draws. The table is empty for votes and relative rankings,
        and if each document or annotator has a single system.

    Raises
    ------
    DataError
        ``unknown_procedure``, ``bad_alpha``, or ``bad_number`` for draws below 2.

    References
    ----------
    See docs/inference.md.

    Examples
    --------
    >>> import rankstability as rs
    >>> rate = rs.false_boundaries(rs.load("demo-srpdc", "de-en"), "wmt17", draws=20)
    >>> rate["unit"].item()
    'document'
    """
    check_judgments(judgments)
    check_alpha(alpha)
    check_count("draws", draws, least=2)
    if judgments.kind in COMPARISON_KINDS:
        return pd.DataFrame(columns=COLUMNS)
    chosen = choose_procedure(judgments, procedure)
    scores = scores_for(judgments, chosen)
    unit = shuffled_unit(scores)
    if not unit:
        return pd.DataFrame(columns=COLUMNS)
    rng = np.random.default_rng(DEFAULT_SEED) if rng is None else rng
    fast = with_fast_test(chosen)
    n_systems = len(scores.systems)
    upper = np.triu_indices(n_systems, 1)
    pairs = np.zeros(draws)
    drawn = np.zeros(draws, bool)
    for k in range(draws):
        equal = equalise_systems(scores, chosen.by_domain, rng)
        campaign = replace(equal, system=shuffle_labels(equal.system, equal.units[unit], rng))
        ranking = draw_ranking(campaign, fast, alpha, rng)
        pairs[k] = (np.nan_to_num(ranking.p[upper], nan=1.0) < alpha).mean()
        drawn[k] = ranking.boundaries.any()
    return _summarise(chosen.name, unit, pairs, drawn)


def shuffled_unit(scores: ScoreArrays) -> str:
    """Return the unit within which labels are shuffled: documents, otherwise annotators.

    Empty if neither is named, or if its units hold a single system each as a rule.
    """
    for unit in ("document", "annotator"):
        if scores.has(unit):
            codes = scores.units[unit].astype(np.int64)
            held = np.unique(codes * len(scores.systems) + scores.system)
            enough = len(held) > MIN_SYSTEMS_PER_UNIT * (codes.max() + 1)
            return unit if enough else ""
    return ""


def equalise_systems(scores: ScoreArrays, by_domain: bool, rng: np.random.Generator) -> ScoreArrays:
    """Give every system the pooled distribution of scores, within each domain if `by_domain`.

    A score is replaced by the quantile of all scores at its rank within its system, without
    interpolation. Ties are broken at random. A system keeps which of its scores are high.
    """
    domain = np.zeros_like(scores.system)
    if by_domain and scores.has("domain"):
        domain = scores.units["domain"]
    equal = np.empty_like(scores.score)
    for each in np.unique(domain):
        rows = np.flatnonzero(domain == each)
        equal[rows] = _pooled_quantiles(scores.score[rows], scores.system[rows], rng)
    return replace(scores, score=equal)


def _pooled_quantiles(
    score: np.ndarray, system: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return the quantile of all scores at the rank of each among those of its system."""
    order = np.lexsort((rng.random(len(score)), score, system))
    number = np.bincount(system)
    first = np.cumsum(number) - number
    sorted_system = system[order]
    rank = np.arange(len(score)) - first[sorted_system]
    share = (rank + 0.5) / number[sorted_system]
    quantiles = np.empty_like(score)
    quantiles[order] = np.sort(score)[(share * len(score)).astype(int)]
    return quantiles


def shuffle_labels(system: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Permute the labels of the systems within each unit; scores of one system stay together.

    `system`, `unit` and the result are codes of each judgment, from 0.
    """
    n_systems = int(system.max()) + 1
    n_units = int(unit.max()) + 1
    cell = unit.astype(np.int64) * n_systems + system
    held = np.bincount(cell, minlength=n_units * n_systems).reshape(n_units, n_systems) > 0
    # the systems of a unit, in order, are mapped to the same systems in random order
    random_order = np.argsort(np.where(held, rng.random((n_units, n_systems)), np.inf), axis=1)
    number = np.arange(n_systems)
    plain_order = np.argsort(np.where(held, number, n_systems + number), axis=1)
    new = np.empty((n_units, n_systems), dtype=np.int64)
    np.put_along_axis(new, plain_order, random_order, axis=1)
    shuffled: np.ndarray = new[unit, system]
    return shuffled


def with_fast_test(procedure: Procedure) -> Procedure:
    """Return the procedure for many campaigns: WMT26's bootstrap is approximated, others stay."""
    if procedure.name != "wmt26":
        return procedure
    return replace(
        procedure,
        test=lambda scores, domain, rng: paired_or_independent_bootstrap(
            scores, rng, approximate_means
        ),
    )


def approximate_means(sample: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw means of resamples approximately, from three moments (Cornish and Fisher)."""
    size = len(sample)
    mean = sample.mean()
    centred = sample - mean
    squares = centred * centred
    variance = squares.mean() / size
    skew = (squares @ centred) / size**3 / (6 * variance or 1.0)
    z = rng.standard_normal(resamples)
    means: np.ndarray = mean + np.sqrt(variance) * z + skew * (z * z - 1)
    return means


def _wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson (1927) for a share of `n` campaigns."""
    z = float(ndtri(0.975))
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return middle - half, middle + half


def _summarise(procedure: str, unit: str, pairs: np.ndarray, drawn: np.ndarray) -> pd.DataFrame:
    """Return the row of `false_boundaries`; the interval of the campaigns is Wilson's."""
    n = len(pairs)
    half_width = 1.96 * pairs.std(ddof=1) / np.sqrt(n)
    low, high = _wilson_interval(drawn.mean(), n)
    mean = pairs.mean()
    values = (
        procedure,
        unit,
        mean,
        max(mean - half_width, 0.0),
        min(mean + half_width, 1.0),
        drawn.mean(),
        low,
        high,
        n,
    )
    return pd.DataFrame([values], columns=COLUMNS)
