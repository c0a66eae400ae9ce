"""`RankInference`: what one family of tests says about systems, pairs, boundaries and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class OrderEffect:
    """The order of presentation: the log-odds `effect` of being shown first, with its interval."""

    effect: float
    low: float
    high: float
    p: float
    df: float
    first_wins: float  # share of decided votes between equally good systems


@dataclass(frozen=True, repr=False)
class RankInference:
    """The joint statements about a ranking at level `alpha`; arrays are in the order of `systems`.

    Systems stand in order of their means, best first; those that cannot be assessed come last.

    Attributes
    ----------
    systems : tuple of str
        Names in that order.
    codes : array of int, shape (n,)
        The code of each in the arrays that were tested.
    assessable : array of bool, shape (n,)
        Whether anything can be said about a system.
    reasons : mapping of str to str
        For each system that cannot be assessed, a code: ``few_annotators``, ``few_documents``,
        ``few_questions``, ``few_hits``, ``not_connected``.
    mean, score_low, score_high : arrays, shape (n,)
        Oriented so that higher is better. Intervals are for one system alone.
    difference, variance, df, p : arrays, shape (n, n)
        Row minus column; moderated variance V* and df*; two-sided p (1 on the diagonal).
    pair_reasons : array of object, shape (n, n)
        Empty, or why a pair cannot be assessed: ``few_in_common_annotator``,
        ``few_in_common_document``, ``not_joined``, or a code of `reasons`.
    better : array of bool, shape (n, n)
        Row significantly better than column, jointly.
    supported : array of bool, shape (n - 1,)
        True at r - 1 if the boundary below rank r is supported, among the assessable systems.
    rank_low, rank_high : arrays of int, shape (n,)
        Confidence set for the rank.
    units : mapping of str to int
        Sampling units and their numbers; empty if no inference is made.
    effective : mapping of str to array of shape (n,)
        Effective units of each system by kind.
    n_units : mapping of str to array of shape (n,)
        Units that judged, or contain, each system.
    no_inference : str
        Empty, or the code of the reason why no inference is made: ``no_units``,
        ``order_and_strength``, ``no_finite_fit``, ``unnamed_averages``.
    notes : tuple of str
        Codes of cautions: regimes in which the promise is not met, and facts of the design.
    order_effect : OrderEffect, optional
        Votes only.
    df_systems : array, shape (n,)
        Degrees of freedom of single systems.
    covariance : array, shape (n, n)
        Covariance of the means with new units.
    """

    systems: tuple[str, ...]
    codes: np.ndarray
    assessable: np.ndarray
    reasons: Mapping[str, str]
    mean: np.ndarray
    score_low: np.ndarray
    score_high: np.ndarray
    difference: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    p: np.ndarray
    pair_reasons: np.ndarray
    better: np.ndarray
    supported: np.ndarray
    rank_low: np.ndarray
    rank_high: np.ndarray
    units: Mapping[str, int]
    effective: Mapping[str, np.ndarray]
    n_units: Mapping[str, np.ndarray]
    alpha: float
    covariance: np.ndarray
    df_systems: np.ndarray
    variance_raw: np.ndarray | None = None
    df_raw: np.ndarray | None = None
    no_inference: str = ""
    notes: tuple[str, ...] = ()
    order_effect: OrderEffect | None = None
    extra: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return one line: systems, units, boundaries and pairs."""
        said = self.no_inference or (
            f"{int(self.supported.sum())} boundaries, {int(self.better.sum())} pairs"
        )
        return f"<RankInference: {len(self.systems)} systems, {self.unit or 'no units'}, {said}>"

    @property
    def unit(self) -> str:
        """The kinds of sampling unit, joined by `` x ``; empty if no inference is made."""
        return " x ".join(self.units)

    @property
    def could_be_first(self) -> np.ndarray:
        """Whether an assessable system's rank set starts at 1: (n,)."""
        first: np.ndarray = self.assessable & (self.rank_low == 1)
        return first

    def pairs(self) -> pd.DataFrame:
        """Return the table of all pairs: system_a, system_b, difference, standard_error, result, better, reason.

        `system_a` stands above `system_b` in the order of the means. `result` is ``better``,
        ``inconclusive`` or ``not_assessable``; `better` names the better system or is empty.
        """
        n = len(self.systems)
        names = np.array(self.systems, dtype=object)
        above, below = np.triu_indices(n, 1)
        better = self.better[above, below]
        worse = self.better[below, above]
        reason = self.pair_reasons[above, below].astype(object)
        reason[better | worse] = ""
        result = np.select(
            [better | worse, reason != ""],
            ["better", "not_assessable"],
            "inconclusive",
        )
        with np.errstate(invalid="ignore"):
            error = np.sqrt(self.variance[above, below])
        return pd.DataFrame(
            {
                "system_a": names[above],
                "system_b": names[below],
                "difference": self.difference[above, below],
                "standard_error": error,
                "result": result,
                "better": np.select([better, worse], [names[above], names[below]], ""),
                "reason": reason,
            }
        )
