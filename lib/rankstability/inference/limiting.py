"""A domain that leaves so few degrees of freedom that almost nothing can be said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..scores.arrays import ScoreArrays
from .assemble import PairTests
from .ratings import infer_ratings, pair_tests
from .result import RankInference

LIMITING_DF = 5.0  # a median df below this is limited by a domain if leaving one out doubles it
RISE = 2.0


@dataclass(frozen=True)
class LimitingDomain:
    """A domain that leaves so few degrees of freedom that almost nothing can be said.

    Attributes
    ----------
    domain : str
        Its name.
    units : mapping of str to int
        Units of each kind in the domain.
    df, df_without : float
        Median degrees of freedom over pairs, with all domains and without this one.
    inference : RankInference
        The ranking over the other domains: a second answer, which is a family of its own.
    """

    domain: str
    units: Mapping[str, int]
    df: float
    df_without: float
    inference: RankInference
    domains: tuple[str, ...] = field(default=())


def find_limiting_domain(
    arrays: ScoreArrays, unit: str | None = None, alpha: float = 0.05
) -> LimitingDomain | None:
    """Find the domain that decides the degrees of freedom of means over domains, if there is one.

    It is named if the median df over pairs is below 5 and leaving this domain out at least doubles
    it. Returns None otherwise.

    The part of domain k in the df of a pair is (lambda^2 V_k)^2 / df_k, over the sum over domains.
    The domain with the largest median part is named.
    """
    domains = np.unique(arrays.units.get("domain", np.zeros(0, int)))
    tests = pair_tests(arrays, unit, True)
    strata = tests.extra.get("strata", ())
    assert isinstance(strata, tuple)
    if len(strata) < 2 or len(strata) != len(domains):
        return None
    df = median_df(tests)
    if not df < LIMITING_DF:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.array([variance**2 / number for variance, number in strata])
        parts = np.where(np.isinf(squares), 1.0, squares / squares.sum(axis=0))
    pairs = np.triu_indices(squares.shape[1], 1)
    worst = domains[int(np.argmax([np.median(part[pairs]) for part in parts]))]
    inside = arrays.units["domain"] == worst
    others = arrays.take(~inside)
    df_without = median_df(pair_tests(others, unit, True))
    if not df_without >= RISE * df:
        return None
    names = arrays.unit_names.get("domain", tuple(map(str, range(int(domains.max()) + 1))))
    units = {kind: len(np.unique(arrays.units[kind][inside])) for kind in tests.units}
    rest = tuple(names[k] for k in domains if k != worst)
    inference = infer_ratings(others, unit, True, alpha)
    return LimitingDomain(names[int(worst)], units, df, df_without, inference, rest)


def median_df(tests: PairTests) -> float:
    """Return the median over pairs of the degrees of freedom before moderation."""
    df = tests.extra.get("df_unlimited", tests.df_raw)
    assert isinstance(df, np.ndarray)
    return float(np.median(df[np.triu_indices(len(df), 1)]))
