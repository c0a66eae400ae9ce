"""Stable ranking probability: would a second study of this design agree? (Riley et al. 2024)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_arguments, check_columns
from ..judgments import Judgments
from ..perturb import keep
from .studies import (
    FULL,
    Design,
    RatedItems,
    assign_annotators,
    draw_documents,
    rated_items,
    score_items,
)

DEFAULT_SEED = 20240601
DOCUMENT_SETS = 5  # sets of documents that the studies of one design share by default
MAX_WORKLOADS = 1_000_000  # combinations that `least_entropy` tries before it goes step by step
EQUAL = 1e-12  # means that differ by less are equal


@dataclass(frozen=True)
class StudyResults:
    """Means and tests of n studies of S systems, with P = S(S - 1)/2 pairs of systems i < j.

    Attributes
    ----------
    systems : tuple of str
    means : array, shape (n, S)
        Mean penalty of each system; lower is better. NaN for a system without a rating.
    p : array, shape (n, P)
        Two-sided p of the permutation test.
    strength : array, shape (n, P)
        |difference| in standard deviations, which orders pairs of equal p.
    document_set : array of int, shape (n,)
        Studies with the same number are compared with each other.
    alpha : float
        A pair is significant if p is at most this.
    """

    systems: tuple[str, ...]
    means: np.ndarray
    p: np.ndarray
    strength: np.ndarray
    document_set: np.ndarray
    alpha: float

    @property
    def pairs(self) -> np.ndarray:
        """The positions of the two systems of each pair, (P, 2)."""
        return np.stack(np.triu_indices(len(self.systems), 1), axis=1)

    @property
    def sign(self) -> np.ndarray:
        """1 where the first system of a pair is better, -1 the second, 0 neither: (n, P)."""
        gap = self.means[:, self.pairs[:, 1]] - self.means[:, self.pairs[:, 0]]
        return np.where(np.abs(gap) > EQUAL, np.sign(gap), 0).astype(np.int8)

    @property
    def significant(self) -> np.ndarray:
        """Whether p is at most alpha, (n, P)."""
        return self.p <= self.alpha + EQUAL


@check_arguments
def srp(
    judgments: Judgments | RatedItems,
    *,
    documents: int | None = None,
    studies: int = 250,
    permutations: int = 500,
    grouping: str = "pSxS",
    load_balance: str | float = FULL,
    normalisation: str = "none",
    ratings_per_item: int = 1,
    studies_per_document_set: int | None = None,
    alpha: float = 0.05,
    seed: int = DEFAULT_SEED,
) -> dict[str, Any]:
    """Estimate the stable ranking probability of a study design.

    Studies are simulated from judgments in which several annotators rated each item. The stable
    ranking probability (SRP) is the share of ordered pairs of studies in which all differences that
    are significant in the first study have the same sign in the second. A study without significant
    differences agrees with every other study, so read `srp` together with `significant_pairs`.

    The documents depend only on the seed and on the numbers of documents and studies. Different
    designs are therefore compared on the same documents.

    Parameters
    ----------
    judgments : Judgments
        Scores with at least two annotators for each item, such as MQM. Only complete items count
        (see `keep`).
    documents : int, optional
        The number of documents in each study; by default all.
    studies : int
        The number of simulated studies.
    permutations : int
        The number of permutations in the test of each pair. The test swaps the labels of the two
        systems within documents.
    grouping : {"pSxS", "system-balanced", "none"}
        Which items must have the same annotator.
    load_balance : "full" or float
        ``full`` for equal workloads, or a target for the normalised entropy of the workloads.
        Studies that miss the target by more than 0.03 are left out.
    normalisation : {"none", "mean", "error", "z"}
        How scores are normalised by annotator.
    ratings_per_item : int
    studies_per_document_set : int, optional
        The number of studies on the same documents, which are compared with each other; by default
        a fifth of the studies. With 1, each study has its own documents, and all studies are
        compared.
    alpha : float
        The level of each test.
    seed : int

    Returns
    -------
    dict
        The design: ``grouping``, ``load_balance``, ``normalisation``, ``ratings_per_item``,
        ``documents``, ``studies_per_document_set``, ``permutations``, ``seed``. The result:

        - ``studies``: studies that met the design
        - ``srp`` and its Monte Carlo ``standard_error``
        - ``significant_pairs``: mean number in a study
        - ``empty_studies``: share of studies without a significant pair
        - ``srp_both_significant``: the other study must find the same pairs significant
        - ``srp_equal_claims``: each study claims two thirds of all pairs, those with the lowest p;
          with ``standard_error_equal_claims``
        - ``kendall`` and ``pearson``: mean correlation of the means of two studies; with
          ``standard_error_kendall``

    Raises
    ------
    DataError
        For an unknown design, or if the judgments do not allow it.

    References
    ----------
    Riley et al. (2024), equations 1 and 2, sections 5 to 7.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-mqm", "en-de")
    >>> grouped = rs.srp(judgments, studies=50)
    >>> free = rs.srp(judgments, studies=50, grouping="none")
    >>> grouped["srp_equal_claims"] > free["srp_equal_claims"]
    True
    """
    items = judgments if isinstance(judgments, RatedItems) else rated_items(judgments)
    if studies_per_document_set is None:
        studies_per_document_set = max(2, studies // DOCUMENT_SETS)
    design = Design(
        grouping=str(grouping),
        load_balance=FULL if load_balance == FULL else _number(load_balance),
        normalisation=str(normalisation),
        ratings_per_item=int(ratings_per_item),
        documents=len(items.documents) if documents is None else int(documents),
        studies=int(studies),
        studies_per_document_set=int(studies_per_document_set),
        permutations=int(permutations),
        alpha=float(alpha),
    )
    for_documents = [seed, design.documents, design.studies, design.studies_per_document_set]
    drawn = draw_documents(items, design, np.random.default_rng(for_documents))
    rng = np.random.default_rng([seed, *design.random_key()])
    results = simulate_studies(items, design, drawn, rng)
    return {
        "grouping": design.grouping,
        "load_balance": design.load_balance,
        "normalisation": design.normalisation,
        "ratings_per_item": design.ratings_per_item,
        "documents": design.documents,
        "studies_per_document_set": design.studies_per_document_set,
        "permutations": design.permutations,
        "seed": seed,
        **measure_stability(results),
    }


def _number(load_balance: object) -> Any:
    """Return a number as float; anything else as it is, for `Design` to refuse."""
    return (
        float(load_balance) if isinstance(load_balance, int | float | np.number) else load_balance
    )


def simulate_studies(
    items: RatedItems, design: Design, documents: np.ndarray, rng: np.random.Generator
) -> StudyResults:
    """Simulate the studies of a design on these documents (from `draw_documents`); test them.

    Studies whose entropy target cannot be met are left out.
    """
    choice, met = assign_annotators(items, design, documents, rng)
    documents = documents[met]
    if design.studies_per_document_set == 1:
        document_set = np.zeros(len(documents), dtype=int)
    else:
        document_set = np.unique(documents, axis=0, return_inverse=True)[1].ravel()
    sums, segments = score_items(items, design, documents, choice[met])
    return rank_and_test(sums, segments, items.systems, document_set, design, rng)


def rank_and_test(
    sums: np.ndarray,
    segments: np.ndarray,
    systems: Sequence[str],
    document_set: np.ndarray,
    design: Design,
    rng: np.random.Generator,
) -> StudyResults:
    """Compute system means and permutation tests of each study.

    `sums` (n, S, d) are summed penalties and `segments` (n, d) numbers of segments.
    """
    p, strength = permutation_test(sums, design.permutations, rng)
    means = sums.sum(axis=2) / segments.sum(axis=1)[:, None]
    return StudyResults(tuple(systems), means, p, strength, document_set, design.alpha)


def permutation_test(
    sums: np.ndarray, permutations: int, rng: np.random.Generator, block: int = 25
) -> tuple[np.ndarray, np.ndarray]:
    """Test every pair of systems by permuting their labels, whole documents at a time.

    Swapping two labels on a document reverses the sign of that document's difference, so signs that
    are drawn once per study serve all pairs in one matrix product.

    Parameters
    ----------
    sums : array, shape (n, S, d)
        Summed scores by study, system and document.
    block : int
        Studies that are tested together; limits the memory.

    Returns
    -------
    p : array, shape (n, P)
        The share of permutations that are at least as extreme; pairs as from ``triu_indices``.
    strength : array, shape (n, P)
        |difference| over its standard deviation under the test.
    """
    n, n_systems, d = sums.shape
    first, second = np.triu_indices(n_systems, 1)
    p = np.empty((n, len(first)))
    strength = np.empty((n, len(first)))
    for start in range(0, n, block):
        part = sums[start : start + block]
        signs = draw_signs(len(part), permutations, d, rng)
        swapped = signs @ part.swapaxes(1, 2)  # (block, permutations, S)
        swapped = np.ascontiguousarray(swapped.swapaxes(1, 2))
        gaps = part[:, first] - part[:, second]
        observed = np.abs(gaps.sum(axis=2))
        scale = np.sqrt((gaps**2).sum(axis=2))
        limit = observed - 1e-9 * np.maximum(scale, 1e-12)
        for pair in range(len(first)):
            permuted = np.abs(swapped[:, first[pair]] - swapped[:, second[pair]])
            p[start : start + block, pair] = (permuted >= limit[:, pair, None]).mean(axis=1)
        strength[start : start + block] = np.divide(
            observed, scale, where=scale > 0, out=np.zeros_like(observed)
        )
    return p, strength


def draw_signs(n: int, permutations: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Draw (n, permutations, d) signs, -1 or 1 with probability 1/2."""
    random_bytes = rng.bytes(n * permutations * (-(-d // 8)))
    bits = np.frombuffer(random_bytes, dtype=np.uint8).reshape(n, permutations, -1)
    return np.unpackbits(bits, axis=2)[:, :, :d] * 2.0 - 1.0


def measure_stability(results: StudyResults) -> dict[str, float]:
    """Measure how far studies of the same document set agree; the keys are those of `srp`.

    Measures are NaN if no two studies share a document set.
    """
    n = len(results.means)
    sign = results.sign
    significant = results.significant
    strongest = _strongest(results)
    all_pairs = np.ones_like(significant)
    claims = {  # pairs that the first study reports, and what the second must show besides the sign
        "srp": (significant, all_pairs),
        "srp_both_significant": (significant, significant),
        "srp_equal_claims": (strongest, all_pairs),
    }
    measures = {name: _MeanOverPairs(n) for name in (*claims, "kendall", "pearson")}
    for each in np.unique(results.document_set):
        rows = np.flatnonzero(results.document_set == each)
        if len(rows) < 2:
            continue
        for name, (reported, confirmed) in claims.items():
            measures[name].add(rows, _is_stable(sign[rows], reported[rows], confirmed[rows]))
        centred = results.means[rows] - np.nanmean(results.means[rows], axis=1, keepdims=True)
        # a system without a rating in a study is taken to be at its mean
        for name, values in (
            ("kendall", sign[rows].astype(float)),
            ("pearson", np.nan_to_num(centred)),
        ):
            length = np.sqrt((values**2).sum(axis=1, keepdims=True))
            unit_vectors = values / np.maximum(length, 1e-12)
            measures[name].add(rows, unit_vectors @ unit_vectors.T)
    n_significant = significant.sum(axis=1)
    return {
        "studies": n,
        "srp": measures["srp"].value,
        "standard_error": measures["srp"].standard_error,
        "significant_pairs": float(n_significant.mean()) if n else np.nan,
        "empty_studies": float((n_significant == 0).mean()) if n else np.nan,
        "srp_both_significant": measures["srp_both_significant"].value,
        "srp_equal_claims": measures["srp_equal_claims"].value,
        "standard_error_equal_claims": measures["srp_equal_claims"].standard_error,
        "kendall": measures["kendall"].value,
        "standard_error_kendall": measures["kendall"].standard_error,
        "pearson": measures["pearson"].value,
    }


def _strongest(results: StudyResults) -> np.ndarray:
    """Return whether each pair is among the two thirds with the lowest p, (n, P)."""
    n_pairs = results.p.shape[1]
    order = np.lexsort((-results.strength, results.p), axis=1)
    strongest = np.zeros(results.p.shape, dtype=bool)
    np.put_along_axis(strongest, order[:, : max(1, 2 * n_pairs // 3)], True, axis=1)
    return strongest


def _is_stable(sign: np.ndarray, reported: np.ndarray, confirmed: np.ndarray) -> np.ndarray:
    """Return 1 where study e2 confirms, with the same sign, all pairs that e1 reports, (m, m)."""
    direction = np.concatenate([sign > 0, sign < 0], axis=1)
    report = np.tile(reported, 2) & direction
    missing = ~(np.tile(confirmed, 2) & direction)
    stable: np.ndarray = (report.astype(np.float32) @ missing.astype(np.float32).T) < 0.5
    # a difference of exactly 0 has no direction, so no study can agree with it
    stable &= ~(reported & (sign == 0)).any(axis=1)[:, None]
    return stable.astype(float)


class _MeanOverPairs:
    """The mean of a measure over ordered pairs of studies, and its standard error."""

    def __init__(self, n_studies: int) -> None:
        self.total = 0.0
        self.n_pairs = 0
        self.set_means: list[float] = []
        self.without_study = np.full(n_studies, np.nan)

    def add(self, rows: np.ndarray, matrix: np.ndarray) -> None:
        """Add the studies of one document set and their values, (m, m), without the diagonal."""
        m = len(rows)
        matrix = matrix - np.diag(np.diag(matrix))
        total = matrix.sum()
        self.total += total
        self.n_pairs += m * (m - 1)
        self.set_means.append(total / (m * (m - 1)))
        if m > 2:
            without = total - matrix.sum(axis=0) - matrix.sum(axis=1)
            self.without_study[rows] = without / ((m - 1) * (m - 2))

    @property
    def value(self) -> float:
        return float(self.total / self.n_pairs) if self.n_pairs else np.nan

    @property
    def standard_error(self) -> float:
        """The error between sets if there are more than two; else by the jackknife over studies."""
        n_sets = len(self.set_means)
        if n_sets > 2:
            return float(np.std(self.set_means, ddof=1) / np.sqrt(n_sets))
        known = self.without_study[np.isfinite(self.without_study)]
        return float(np.sqrt((len(known) - 1) * known.var())) if len(known) else np.nan


@check_arguments
def least_entropy(judgments: Judgments | pd.DataFrame) -> float:
    """Compute the lowest normalised entropy of annotator workloads in a study of all documents.

    Each bucket (documents rated by the same annotators) is assigned to one annotator. If there are
    at most a million assignments, all are tried; otherwise, the best annotator is chosen bucket by
    bucket.

    Parameters
    ----------
    judgments : Judgments or DataFrame
        As for `srp`; or a table with the columns document and annotator, one row for each annotator
        of a document.

    Returns
    -------
    float
        Between 0 (one annotator does everything) and 1 (equal workloads).

    References
    ----------
    Riley et al. (2024), section 6.1.2.

    Examples
    --------
    >>> import rankstability as rs
    >>> round(rs.least_entropy(rs.load("demo-mqm", "en-de")), 3)
    0.387
    """
    if isinstance(judgments, pd.DataFrame):
        table = judgments
        check_columns("judgments", table, ("document", "annotator"))
    else:
        table = keep(judgments, complete_items=True).table
    held = pd.crosstab(table["document"].astype(str), table["annotator"].astype(str)) > 0
    buckets, n_documents = np.unique(held.to_numpy(), axis=0, return_counts=True)
    n_annotators = buckets.shape[1]
    if n_annotators == 1:
        return 0.0
    loads = np.zeros((1, n_annotators))
    n_choices = np.prod(buckets.sum(axis=1), dtype=float)
    for bucket, size in zip(buckets, n_documents, strict=True):
        added = size * np.eye(n_annotators)[bucket]
        loads = (loads[:, None] + added).reshape(-1, n_annotators)
        if n_choices > MAX_WORKLOADS:
            loads = loads[[np.argmin(_entropy(loads))]]
    return float(_entropy(loads).min() / np.log(n_annotators))


def _entropy(loads: np.ndarray) -> np.ndarray:
    """Return the entropy of the shares in each row."""
    share = loads / loads.sum(axis=1, keepdims=True)
    entropy: np.ndarray = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
    return entropy
