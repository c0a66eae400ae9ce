"""Stable ranking probability: simulated studies, their tests and agreement (Riley et al. 2024)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..score.mqm import Ratings, ratings
from .significance import permutation_test
from .srp_studies import Design, assign, draw_documents, item_scores

DEFAULT = Design()
DESIGNED = ["grouping", "balance", "normalisation", "ratings_per_item"]


@dataclass(frozen=True)
class Outcome:
    """System means and tests of n studies of S systems, P = S(S-1)/2 pairs i < j."""

    systems: tuple[str, ...]
    means: np.ndarray  # (n, S) system scores, higher is worse (as MQM)
    p: np.ndarray  # (n, P) two-sided p of the permutation test
    # (n, P) |difference| in standard deviations: orders pairs of equal p
    strength: np.ndarray
    # (n,) the set of documents (elsewhere: of units) of each study
    sets: np.ndarray
    alpha: float

    @property
    def pairs(self) -> np.ndarray:
        """(P, 2): positions of the two systems of each pair."""
        return np.stack(np.triu_indices(len(self.systems), 1), axis=1)

    @property
    def sign(self) -> np.ndarray:
        """(n, P): 1 where the first system of the pair is better, -1 the second, 0 neither."""
        gap = self.means[:, self.pairs[:, 1]] - self.means[:, self.pairs[:, 0]]
        return np.where(np.abs(gap) > 1e-12, np.sign(gap), 0).astype(np.int8)

    @property
    def significant(self) -> np.ndarray:
        """(n, P): p <= alpha."""
        return self.p <= self.alpha + 1e-12


def rank_and_test(
    sums: np.ndarray,
    segments: np.ndarray,
    systems: Sequence[str],
    sets: np.ndarray,
    design: Design,
    rng: np.random.Generator,
) -> Outcome:
    """System means and permutation tests of each study: `sums` (n, S, d), `segments` (n, d)."""
    p, strength = permutation_test(sums, design.permutations, rng)
    means = sums.sum(axis=2) / segments.sum(axis=1)[:, None]
    return Outcome(tuple(systems), means, p, strength, sets, design.alpha)


def simulate(
    data: Ratings,
    design: Design,
    rng: np.random.Generator,
    documents: np.ndarray | None = None,
) -> Outcome:
    """System means and tests of the studies of a design, simulated from a campaign's ratings.

    Studies whose entropy target cannot be met are left out; `documents` (from `draw_documents`)
    fixes the documents of the studies.
    """
    if documents is None:
        documents = draw_documents(data, design, rng)
    choice, done = assign(data, design, documents, rng)
    documents = documents[done]
    choice = choice[done]
    if design.per_document_set == 1:
        sets = np.zeros(len(documents), dtype=int)
    else:
        _, sets = np.unique(documents, axis=0, return_inverse=True)
        sets = sets.ravel()
    sums, segments = item_scores(data, design, documents, choice)
    return rank_and_test(sums, segments, data.systems, sets, design, rng)


def stability(outcome: Outcome) -> dict[str, float]:
    """Stable ranking probability, and other measures of how far studies agree (section 5).

    They are over ordered pairs of studies of the same set; NaN if no two studies share one. Keys:
    studies; srp (Eqs. 1 and 2); se, its Monte Carlo standard error (between sets if there are more
    than two, otherwise by a jackknife over studies); significant_pairs, the mean number per study;
    empty_share, the share of studies without any; srp_both (footnote 3: significant in both
    studies); srp_equal_claims (each study claims two thirds of all pairs, the most significant) and
    se_equal_claims; kendall, pearson: mean correlation of system scores, and se_kendall.
    """
    n = len(outcome.means)
    sign = outcome.sign
    significant = outcome.significant
    claims = max(1, 2 * sign.shape[1] // 3)
    rank = np.lexsort((-outcome.strength, outcome.p), axis=1)
    top = np.zeros_like(significant)
    every = np.ones_like(significant)
    np.put_along_axis(top, rank[:, :claims], True, axis=1)
    claimed = {  # what one study claims, and what the other must show besides the sign
        "srp": (significant, every),
        "srp_both": (significant, significant),
        "srp_equal_claims": (top, every),
    }
    measures = {name: _Mean(n) for name in (*claimed, "kendall", "pearson")}
    for s in np.unique(outcome.sets):
        rows = np.flatnonzero(outcome.sets == s)
        if len(rows) < 2:
            continue
        for name, (claim, granted) in claimed.items():
            measures[name].add(
                rows, _holds(sign[rows], claim[rows], granted[rows])
            )
        gaps = outcome.means[rows] - np.nanmean(
            outcome.means[rows], axis=1, keepdims=True
        )
        # a system without a judgment in a study is taken to be at its mean
        for name, x in (
            ("kendall", sign[rows].astype(float)),
            ("pearson", np.nan_to_num(gaps)),
        ):
            x = x / np.maximum(
                np.sqrt((x**2).sum(axis=1, keepdims=True)), 1e-12
            )
            measures[name].add(rows, x @ x.T)
    each = significant.sum(axis=1)
    return {
        "studies": n,
        **{name: measure.value for name, measure in measures.items()},
        "se": measures["srp"].error,
        "se_equal_claims": measures["srp_equal_claims"].error,
        "se_kendall": measures["kendall"].error,
        "significant_pairs": float(each.mean()) if n else np.nan,
        "empty_share": float((each == 0).mean()) if n else np.nan,
    }


class _Mean:
    """The mean of a measure over ordered pairs of studies of a set, and its standard error."""

    def __init__(self, studies: int) -> None:
        self.total = 0.0
        self.pairs = 0
        self.per_set: list[float] = []
        self.jack = np.full(studies, np.nan)

    def add(self, rows: np.ndarray, matrix: np.ndarray) -> None:
        """One set: its studies and their (m, m) values; the diagonal does not count."""
        m = len(rows)
        matrix = matrix - np.diag(np.diag(matrix))
        total = matrix.sum()
        self.total += total
        self.pairs += m * (m - 1)
        self.per_set.append(total / (m * (m - 1)))
        if m > 2:
            without = total - matrix.sum(axis=0) - matrix.sum(axis=1)
            self.jack[rows] = without / ((m - 1) * (m - 2))

    @property
    def value(self) -> float:
        return float(self.total / self.pairs) if self.pairs else np.nan

    @property
    def error(self) -> float:
        """Between sets if there are more than two, else by the jackknife over studies."""
        if len(self.per_set) > 2:
            return float(
                np.std(self.per_set, ddof=1) / np.sqrt(len(self.per_set))
            )
        seen = self.jack[np.isfinite(self.jack)]
        return (
            float(np.sqrt((len(seen) - 1) * seen.var()))
            if len(seen)
            else np.nan
        )


def _holds(
    sign: np.ndarray, claimed: np.ndarray, granted: np.ndarray
) -> np.ndarray:
    """(m, m) 0/1: whether all pairs claimed in study e1 are `granted` in e2, with the same sign."""
    seen = np.concatenate([sign > 0, sign < 0], axis=1)
    claim = np.tile(claimed, 2) & seen
    fails = ~(np.tile(granted, 2) & seen)
    holds = (claim.astype(np.float32) @ fails.astype(np.float32).T) < 0.5
    # a claim whose observed difference is exactly 0 has no direction and cannot be reflected
    holds &= ~(claimed & (sign == 0)).any(axis=1)[:, None]
    return holds.astype(float)


def srp(
    data: Ratings | pd.DataFrame,
    design: Design = DEFAULT,
    seed: int = 20240601,
    **settings: Any,
) -> dict[str, Any]:
    """Stable ranking probability of one study design, by simulated studies of a campaign's ratings.

    The generator depends on the seed and the design, not on what was run before; the documents only
    on the seed and the numbers of documents, of studies and of studies per document set, so that
    designs are compared on the same ones.

    Parameters
    ----------
    data : Ratings or DataFrame
        From `mqm.ratings`, or MQM judgments; with at least two ratings per item.
    **settings
        Fields of `design` to change, such as ``grouping="none"`` or ``studies=100``.

    Returns
    -------
    dict
        The design (grouping, balance, normalisation, ratings_per_item, documents, document_sets)
        and the measures of `stability`, above all ``srp``.

    Raises
    ------
    DataError
        For a design that the ratings do not allow.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, srp
    >>> judgments = load("demo-mqm", "en-de")
    >>> grouped, free = (srp(judgments, grouping=g, studies=50) for g in ("pSxS", "none"))
    >>> grouped["srp_equal_claims"] > free["srp_equal_claims"]
    True
    """
    if not isinstance(data, Ratings):
        data = ratings(data)
    design = replace(design, **settings)
    size = design.documents or len(data.documents)
    key = repr(sorted(design.__dict__.items())).encode()
    rng = np.random.default_rng(
        [seed, *np.frombuffer(key, dtype=np.uint8).tolist()]
    )
    same = np.random.default_rng(
        [seed, size, design.studies, design.per_document_set]
    )
    outcome = simulate(data, design, rng, draw_documents(data, design, same))
    sets = "every study" if design.per_document_set == 1 else "shared"
    row: dict[str, Any] = {name: getattr(design, name) for name in DESIGNED}
    return (
        row | {"documents": size, "document_sets": sets} | stability(outcome)
    )
