"""Do rank sets and lines keep their promise with few units? By simulation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binom

from rankstability.rank.sets import held_lines, rank_sets
from rankstability.rank.units import Means, means, two_way_means, unit_totals

UNITS = (3, 4, 6, 8, 10, 12, 16, 24, 40)
KINDS = ("one", "two")
SIZES = ("equal", "uneven")
EFFECTS = ("normal", "skewed")
TRUTH = np.array([4.0, 2.0, 2.0, 0.0, 0.0])  # of the campaigns whose systems differ
LEVEL = 0.95  # promised
SURE = 0.01  # chance of calling a promise broken that is kept


def few_units(
    rng: np.random.Generator,
    campaigns: int = 1000,
    units: Sequence[int] = UNITS,
    kinds: Sequence[str] = KINDS,
    sizes: Sequence[str] = SIZES,
    effects: Sequence[str] = EFFECTS,
    *,
    draws: int = 300,
) -> pd.DataFrame:
    """False claims among equal systems, and coverage of sets among others, by number of units.

    Five systems, all judged in the same cells; in `campaigns` they are equal, and in as many others
    have the means `TRUTH`. What a unit does to each system has twice the variance of what is left
    of a judgment. Of two `kinds` of units that cross, `units` is the number of each, and every
    third pair of units meets. `sizes`: the same number of judgments in each unit, or gamma
    distributed. `effects` and rest are normal, or for every other system with the tail of an
    exponential distribution below (rarely bad, but very). `draws` are of the maximum behind a set.

    Columns kinds, sizes, effects, units, lines_of_equals and claims_of_equals (shares of campaigns
    of equal systems with a line that holds; with that, or a set that leaves out a rank),
    covered_marginal (of systems), covered_simultaneous (of campaigns), campaigns (of each truth),
    promise_kept (1: claims not above 1 - `LEVEL`, coverage not below it, by binomial tests at
    `SURE`).
    """
    rows = [
        (*how, number, *_told(rng, campaigns, number, how, draws))
        for *how, number in product(kinds, sizes, effects, units)
    ]
    names = ["kinds", "sizes", "effects", "units", "lines_of_equals", "claims_of_equals",
             "covered_marginal", "covered_simultaneous", "campaigns", "promise_kept"]  # fmt: skip
    return pd.DataFrame(rows, columns=names)


def fewest(table: pd.DataFrame) -> float:
    """The smallest number of units from which on all rows of `few_units` keep the promise."""
    kept = table.groupby("units")["promise_kept"].min().sort_index(ascending=False).cummin()
    return float(kept.index[kept == 1].min())


def _told(
    rng: np.random.Generator, campaigns: int, number: int, how: list[str], draws: int
) -> tuple[float, float, float, float, int, int]:
    lines = claims = together = 0
    each = []
    for _ in range(campaigns):
        for truth in (np.zeros(5), TRUTH):
            sure = _campaign(rng, number, truth, *how)
            sets = rank_sets(sure, rng, LEVEL, draws, fewest=2).to_numpy()
            first = 1 + (truth[:, None] < truth).sum(axis=1)
            last = len(truth) - (truth[:, None] > truth).sum(axis=1)
            held = [(sets[:, k] <= first) & (last <= sets[:, k + 1]) for k in (0, 2)]
            if truth.any():
                each.append(held[0].mean())
                together += held[1].all()
            else:
                line = held_lines(sure, alpha=1 - LEVEL)["held"].any()
                lines, claims = lines + line, claims + (line or not held[1].all())
    marginal = float(np.mean(each))
    kept = binom.sf(claims - 1, campaigns, 1 - LEVEL) > SURE
    for share in (marginal, together / campaigns):
        kept &= binom.cdf(round(share * campaigns), campaigns, LEVEL) > SURE
    shares = (lines / campaigns, claims / campaigns, marginal, together / campaigns)
    return (*shares, campaigns, int(kept))


def _campaign(
    rng: np.random.Generator, number: int, truth: np.ndarray, kinds: str, sizes: str, effects: str
) -> Means:
    """The estimate of one campaign: cells of a unit (or two) by system."""
    systems = len(truth)

    def luck(count: int) -> np.ndarray:
        out = rng.standard_normal((count, systems))
        if effects == "skewed":
            out[:, ::2] = 1 - rng.exponential(size=(count, (systems + 1) // 2))
        return out

    def size() -> np.ndarray:
        return rng.gamma(2.0, 0.5, number) if sizes == "uneven" else np.ones(number)

    if kinds == "one":
        codes = [np.arange(number)]
    else:
        first, second = (c.ravel() for c in np.indices((number, number)))
        meet = (first + second) % 3 == 0
        codes = [first[meet], second[meet]]
    weight = np.prod([size()[c] for c in codes], axis=0)
    score = truth + luck(len(weight)) / np.sqrt(np.maximum(weight, 0.05))[:, None]
    for c in codes:
        score = score + np.sqrt(2) * luck(number)[c]
    system = np.tile(np.arange(systems), len(weight))
    units = [np.repeat(c, systems) for c in codes]
    rest = (score.ravel(), np.repeat(weight, systems), systems)
    if kinds == "one":
        return means(*unit_totals(system, units[0], *rest))
    return two_way_means(system, units[0], units[1], *rest)
