"""The design of a campaign: what each annotator, document or judgment adds to the systems' means.

The error variance of a mean is a sum over variance components: each adds its variance times the
cross product of the shares that its levels have in the means. A campaign of another size has other
shares. Part of the shares persists: if an annotator judges system A twice as often as system B by
the plan of the campaign, this stays so however many documents are added. The other part is random:
where outputs are distributed among annotators at random, an annotator judges some systems more
often than others by chance, and this evens out as the annotator judges more. The first part falls
only with more annotators, the second with more judgments of whatever kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from ..inference.units import combined_codes, difference_variance
from ..inference.within import Stratum, fit_stratum
from ..scores.arrays import ScoreArrays
from .components import (
    ANNOTATOR,
    ANNOTATOR_SYSTEM,
    DOCUMENT,
    DOCUMENT_SYSTEM,
    RESIDUAL,
    SEGMENT,
    factor_codes,
)

CARRIED = {
    ANNOTATOR: ANNOTATOR,
    ANNOTATOR_SYSTEM: ANNOTATOR,
    DOCUMENT: DOCUMENT,
    DOCUMENT_SYSTEM: DOCUMENT,
    SEGMENT: SEGMENT,
}
"""The unit to which the levels of a component belong, where their shares can be random."""


@dataclass(frozen=True)
class ErrorPart:
    """The share of a component in the covariance of the means, for a variance of 1.

    Attributes
    ----------
    persistent : array, shape (systems, systems)
        What falls only with the number of the component's own levels. It is estimated without bias,
        so that it can be slightly negative where shares are random altogether.
    random : array, shape (systems, systems)
        What evens out as each level gets more judgments.
    """

    persistent: np.ndarray
    random: np.ndarray


def judgment_shares(arrays: ScoreArrays, by_domain: bool = False) -> np.ndarray:
    """Return what each judgment's score adds to each system's mean: (judgments, systems).

    Means are those of the inference: within segments, and with `by_domain` the mean over domains.
    """
    n = len(arrays.systems)
    domain = np.zeros(arrays.n_judgments, np.int64)
    if by_domain and arrays.has("domain"):
        domain = np.unique(arrays.units["domain"], return_inverse=True)[1]
    n_domains = int(domain.max(initial=0)) + 1
    weight = arrays.weights()
    shares = np.zeros((arrays.n_judgments, n))
    for stratum in range(n_domains):
        rows = np.flatnonzero(domain == stratum)
        part = Stratum(
            arrays.system[rows], arrays.segment[rows], arrays.score[rows], weight[rows], {}
        )
        shares[rows] = _stratum_shares(part, n) / n_domains
    return shares


def _stratum_shares(stratum: Stratum, n: int) -> np.ndarray:
    fit = fit_stratum(stratum, n)
    of_segment = fit.by_segment / fit.by_segment.sum(axis=1, keepdims=True)
    weight = stratum.weight[:, None]
    within = fit.inverse[stratum.system] - (of_segment @ fit.inverse)[fit.stratum.segment]
    component = fit.component[stratum.system]
    total = np.bincount(component, stratum.weight, n)
    level = (component[:, None] == fit.component) / total[component][:, None]
    shares: np.ndarray = weight * (within + level)
    return shares


def error_parts(arrays: ScoreArrays, by_domain: bool = False) -> dict[str, ErrorPart]:
    """Return the share of every component but the systems in the covariance of the means.

    How far the shares of annotators (or of documents) are random is found from the judgments: the
    shares vary from document to document within an annotator, and from annotator to annotator
    within a document. If the sum over an annotator's documents varies as if documents were
    independent, this variation is random. If it varies less, because the plan of the campaign
    balances the systems, only as much of it as there is counts.
    """
    shares = judgment_shares(arrays, by_domain)
    codes = factor_codes(arrays)
    other = DOCUMENT if DOCUMENT in codes else SEGMENT
    nothing = np.zeros((shares.shape[1],) * 2)
    parts = {RESIDUAL: ErrorPart(shares.T @ shares, nothing)}
    for name, level in codes.items():
        if name == "system":
            continue
        total = _products(_level_sums(level, shares))
        carrier = CARRIED.get(name)
        if carrier is None or ANNOTATOR not in codes:
            parts[name] = ErrorPart(total, nothing)
            continue
        opposite = other if carrier == ANNOTATOR else ANNOTATOR
        ratio = _random_ratio(shares, codes[carrier], codes[opposite])
        of_level = None if level is codes[carrier] else arrays.system
        random = ratio * _random_products(shares, codes[carrier], codes[opposite], of_level)
        parts[name] = ErrorPart(total - random, random)
    return parts


def _level_sums(codes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Sum the shares at each level: (levels, systems)."""
    level = np.unique(codes, return_inverse=True)[1]
    rows = np.arange(len(level))
    table = coo_array((np.ones(len(level)), (level, rows))).tocsr()
    sums: np.ndarray = table @ shares
    return sums


def _products(sums: np.ndarray) -> np.ndarray:
    products: np.ndarray = sums.T @ sums
    return products


def _random_products(
    shares: np.ndarray,
    carrier: np.ndarray,
    opposite: np.ndarray,
    system: np.ndarray | None = None,
) -> np.ndarray:
    """Return what the cross product of shares owes to random variation between cells of a carrier.

    A cell is a combination of a carrier (an annotator) and an opposite unit (a document). Cells of
    one carrier are a sample of c: the sum over them varies by c / (c - 1) times their sum of
    squares about their mean. Carriers with a single cell are taken together. With `system`, the
    levels of the component are combinations of the carrier and a system.
    """
    cell = combined_codes(carrier, opposite)
    first = np.unique(cell, return_index=True)[1]
    cells_of_carrier = np.bincount(carrier[first], minlength=int(carrier.max()) + 1)
    is_single = cells_of_carrier == 1
    group = np.where(is_single, len(is_single), np.arange(len(is_single)))[carrier]
    group = np.unique(group, return_inverse=True)[1]
    number = np.bincount(group[first]).astype(float)
    if system is not None:
        n = shares.shape[1]
        cell = cell * n + system
        within = group * n + system
    else:
        within = group
    with np.errstate(divide="ignore"):
        inverse = np.where(number > 1, 1 / (number - 1), 0.0)
    scale = np.sqrt(np.where(number > 1, number, 0.0) * inverse)
    squares = _products(_level_sums(cell, shares * scale[group][:, None]))
    means = _products(_level_sums(within, shares * np.sqrt(inverse)[group][:, None]))
    random: np.ndarray = squares - means
    return random


def _random_ratio(shares: np.ndarray, carrier: np.ndarray, opposite: np.ndarray) -> float:
    """Return how much of the variation between cells the sums over cells show, between 0 and 1.

    It is 1 unless the sums vary less than chance explains: with C carriers and S systems they have
    (C - 1) (S - 1) degrees of freedom.
    """
    sums = _level_sums(carrier, shares)
    seen = difference_variance(_products(sums))
    expected = difference_variance(_random_products(shares, carrier, opposite))
    pairs = np.triu_indices(len(seen), 1)
    total = float(expected[pairs].sum())
    if total <= 0:
        return 0.0
    ratio = float(seen[pairs].sum()) / total
    df = max((len(sums) - 1) * (len(seen) - 1), 1)
    return 1.0 if ratio >= 1 - 2 * np.sqrt(2 / df) else max(ratio, 0.0)
