"""How precisely the mean scores of a campaign are known, and what a campaign of another size gives.

True means are drawn given the observed ones, shrunk towards each other: gaps estimated from a pilot
are too large, because the system that looks best was probably lucky (winner's curse). Campaigns of
any size are then drawn about these true means, and tested as the ranking is.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from ..errors import DataError
from ..inference.family import pair_share
from ..inference.result import RankInference
from ..inference.units import difference_variance
from ..scores.arrays import ScoreArrays, VoteArrays
from .components import (
    ANNOTATOR,
    ANNOTATOR_SYSTEM,
    BLOCK,
    DOCUMENT,
    DOCUMENT_SYSTEM,
    RESIDUAL,
    SEGMENT,
    factor_codes,
    fit_estimable,
)
from .design import ErrorPart, error_parts

SIZES = {
    DOCUMENT: ("documents",),
    DOCUMENT_SYSTEM: ("documents",),
    SEGMENT: ("documents",),
    ANNOTATOR: ("annotators",),
    ANNOTATOR_SYSTEM: ("annotators",),
    BLOCK: ("documents", "ratings"),
    RESIDUAL: ("documents", "ratings"),
}
"""The sizes of a campaign that divide the persistent part of each component."""
ADDED = ("documents", "annotators", "ratings")
SAMPLED = {"documents": {DOCUMENT, SEGMENT}, "annotators": {ANNOTATOR}}  # by these sampling units
JUDGMENTS = ("documents", "ratings")  # the sizes whose product is the number of judgments
MAX_JUDGMENTS = 10_000  # from which variance components are estimated
MIN_VARIANCE = 1e-18  # of a difference, so that no difference is certain
MIN_DF = 1e-3  # of a system whose judgments all lie in one unit
N_SPREADS = 60  # spreads of the true means that are tried
MAX_DF = 60  # degrees of freedom at which errors are as good as known


@dataclass(frozen=True)
class Precision:
    """How precisely a campaign's means are known, component by component.

    Attributes
    ----------
    systems : tuple of str
    mean : array, shape (systems,)
        Observed means, higher is better.
    df : array, shape (systems, systems)
        Degrees of freedom of each difference.
    parts : mapping of str to ErrorPart
        What each component adds to the covariance of the means.
    units : mapping of str to int
        Numbers of judgments and, where known, of documents and annotators.
    sizes : tuple of str
        Of ``documents``, ``annotators`` and ``ratings`` (of each output), those that are worth
        adding to, because part of the error falls with them. Documents and annotators are named
        only where the inference draws them again.
    caution : float
        The ratio of the variance that tests assume to the one that the components give, at least 1.
    joint : bool
        Whether only the covariance with new units of all kinds is known, so that all kinds can only
        grow together.
    """

    systems: tuple[str, ...]
    mean: np.ndarray
    df: np.ndarray
    parts: Mapping[str, ErrorPart]
    units: Mapping[str, int]
    sizes: tuple[str, ...]
    caution: float = 1.0
    joint: bool = False

    def covariance(
        self, documents: float = 1.0, annotators: float = 1.0, ratings: float = 1.0
    ) -> np.ndarray:
        """Return the covariance of the means if sizes grow by these factors.

        `ratings` are the ratings of each output; the number of judgments grows by the product of
        `documents` and `ratings`.
        """
        times = {"documents": documents, "annotators": annotators, "ratings": ratings}
        total = np.zeros((len(self.systems),) * 2)
        for name, part in self.parts.items():
            total += part.persistent / np.prod([times[size] for size in SIZES[name]])
            total += part.random / (documents * ratings)
        return total

    def standard_errors(self, **times: float) -> np.ndarray:
        """Return the standard error of each difference; `times` as for `covariance`."""
        variance = difference_variance(self.covariance(**times))
        errors: np.ndarray = np.sqrt(np.maximum(variance, MIN_VARIANCE))
        return errors

    def draw_truths(self, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw true means given those observed, and the scale of their errors.

        True means are normal about a level and with a spread that are both unknown beforehand.
        Errors are those of `standard_errors`, as if independent for each system, times a scale:
        degrees of freedom over a chi-square variate.

        Returns
        -------
        truths : array, shape (draws, systems)
        scale : array, shape (draws,)
        """
        n = len(self.mean)
        df = np.median(self.df[np.triu_indices(n, 1)])
        # with hardly any degrees of freedom draws are 0, and errors as good as unbounded
        scale = df / np.maximum(rng.chisquare(df, draws), 1e-99)
        variance = self.standard_errors() ** 2 * (1 - np.eye(n))
        whole = variance.sum() / (2 * (n - 1))
        single = np.full(n, whole / 2)
        if n > 2:
            single = (variance.sum(axis=1) - whole) / (n - 2)
        error = scale[:, None] * np.maximum(single, 0.1 * whole / n)
        largest = 3 * (self.mean.std() + np.sqrt(whole / n))
        spread = np.linspace(largest / N_SPREADS, largest, N_SPREADS)[:, None, None] ** 2
        weight = 1 / (error + spread)
        total = weight.sum(axis=2)
        level = (weight * self.mean).sum(axis=2) / total
        rest = (weight * (self.mean - level[..., None]) ** 2).sum(axis=2)
        log = (np.log(weight).sum(axis=2) - np.log(total) - rest) / 2
        chance = np.exp(log - log.max(axis=0)).cumsum(axis=0)
        drawn = (rng.random(draws) * chance[-1] > chance).sum(axis=0)
        chosen = drawn, np.arange(draws)
        centre = level[chosen] + rng.standard_normal(draws) / np.sqrt(total[chosen])
        kept = spread[drawn, 0] * weight[chosen]
        truths = kept * self.mean + (1 - kept) * centre[:, None]
        truths += np.sqrt(kept * error) * rng.standard_normal(error.shape)
        return truths, scale

    def draw_means(
        self,
        truths: tuple[np.ndarray, np.ndarray],
        rng: np.random.Generator,
        **times: float,
    ) -> np.ndarray:
        """Draw the means of one campaign for each draw of the truth: (campaigns, systems)."""
        truth, scale = truths
        error = normal_draws(self.covariance(**times), len(truth), rng)
        means: np.ndarray = truth + np.sqrt(scale)[:, None] * error
        return means

    def simulate(
        self,
        truths: tuple[np.ndarray, np.ndarray],
        rng: np.random.Generator,
        alpha: float = 0.05,
        **times: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw and test one campaign of this size for each draw of the truth.

        Boundaries are tested as in the ranking, except for the few that follow from pairs.

        Returns
        -------
        boundaries_above : array of int, shape (campaigns, systems)
            Supported boundaries above each system.
        better : array of bool, shape (campaigns, systems, systems)
            Whether the row is significantly better than the column: a boundary separates them, or
            the pair is significant on its own. (Pairs that follow from others are not counted.)
        """
        scale = truths[1]
        n = len(self.systems)
        grown = min(times.get(size, 1.0) for size in ("documents", "annotators"))
        df = np.maximum((self.df + 1) * grown - 1, MIN_DF)
        covariance = self.covariance(**times)
        mean = self.draw_means(truths, rng, **times)
        # the variance of each difference is estimated, too, from this many units
        typical = round(float(np.median(df[np.triu_indices(n, 1)])))
        n_units = min(max(typical, 1), MAX_DF)
        units = normal_draws(covariance, len(mean) * n_units, rng).reshape(len(mean), n_units, n)
        estimated = units.transpose(0, 2, 1) @ units / n_units
        single = np.diagonal(estimated, axis1=1, axis2=2)
        variance = single[:, :, None] + single[:, None] - 2 * estimated
        # with more units less caution is needed
        caution = 1 + (self.caution - 1) / max(grown, 1.0)
        error = np.sqrt(np.maximum(caution * scale[:, None, None] * variance, MIN_VARIANCE))
        gap = np.abs(mean[:, :, None] - mean[:, None])
        p = 2 * stdtr(df, -gap / error)
        p = np.where((variance > MIN_VARIANCE) | (gap == 0), p, 2.0**-df)
        above = _boundaries_above(mean, p, alpha)
        share = pair_share(np.triu(np.ones((n, n), bool), 1))
        leads = mean[:, :, None] > mean[:, None]
        better = (above[:, :, None] < above[:, None]) | (leads & (p <= alpha * share))
        return above, better


def estimate_precision(
    arrays: ScoreArrays, inference: RankInference, by_domain: bool = False
) -> Precision:
    """Estimate the precision from variance components, for the units of an inference.

    A component is kept if each of its levels lies within one unit: with new documents, the
    components of documents change, but not what an annotator adds to all documents. Of the other
    components only the random part is kept. With more than `MAX_JUDGMENTS` judgments, components
    are estimated on every second, third, ... document (segment if none are named). Systems that
    cannot be assessed are left out.

    Parameters
    ----------
    arrays : ScoreArrays
        The scores that were tested.
    inference : RankInference
        Of these scores.
    by_domain : bool
        As for the inference.

    Raises
    ------
    DataError
        If the components cannot be estimated.
    """
    document = arrays.units[DOCUMENT] if arrays.has(DOCUMENT) else arrays.segment
    step = -(-arrays.n_judgments // MAX_JUDGMENTS)
    sample = arrays.take(document % step == 0)
    fitted = fit_estimable(sample.score, factor_codes(sample))
    place = inference.codes[inference.assessable]
    grid = np.ix_(place, place)
    is_new = {RESIDUAL}
    units = [arrays.segment if kind == SEGMENT else arrays.units[kind] for kind in inference.units]
    codes = factor_codes(arrays)
    for name, level in codes.items():
        if name != "system" and any(is_nested(level, unit) for unit in units):
            is_new.add(name)
    parts = {}
    for name, part in error_parts(arrays, by_domain).items():
        variance = fitted.variance[name]
        persistent = variance * part.persistent[grid]
        random = variance * part.random[grid]
        if name in is_new:
            parts[name] = ErrorPart(persistent, random)
        elif random.any():
            parts[name] = ErrorPart(np.zeros_like(persistent), random)
    numbers = {"judgments": arrays.n_judgments, "documents": len(np.unique(document))}
    if ANNOTATOR in codes:
        numbers["annotators"] = len(np.unique(codes[ANNOTATOR]))
    falling = {size for name in is_new & parts.keys() for size in SIZES[name]}
    sampled = {size for size, kinds in SAMPLED.items() if kinds & set(inference.units)}
    m = len(place)
    precision = Precision(
        tuple(np.array(inference.systems, dtype=object)[:m]),
        inference.mean[:m],
        np.maximum(inference.df[:m, :m], MIN_DF),
        parts,
        {size: n for size, n in numbers.items() if size in falling | {"judgments"}},
        tuple(size for size in ADDED if size in falling & (sampled | {"ratings"})),
    )
    pairs = np.triu_indices(m, 1)
    ratio = inference.variance[pairs] / precision.standard_errors()[pairs] ** 2
    ratio = ratio[np.isfinite(ratio)]
    caution = max(1.0, float(np.median(ratio))) if len(ratio) else 1.0
    return replace(precision, caution=caution)


def precision_of_covariance(inference: RankInference, n_judgments: int = 0) -> Precision:
    """Take the precision from the covariance over units, for judgments without components.

    Systems that cannot be assessed are left out. Means are centred, and on the scale of the tests:
    log-odds for relative rankings, whose scores are shares.
    """
    m = int(inference.assessable.sum())
    covariance = inference.covariance[:m, :m]
    part = ErrorPart(covariance, np.zeros_like(covariance))
    return Precision(
        inference.systems[:m],
        inference.difference[:m, :m].mean(axis=1),
        np.maximum(inference.df[:m, :m], MIN_DF),
        {ANNOTATOR: part},
        {"judgments": n_judgments},
        (),
        joint=True,
    )


def known_precision(
    inference: RankInference, data: ScoreArrays | VoteArrays, by_domain: bool = False
) -> Precision:
    """Estimate the precision from components if there are scores and they allow it.

    Otherwise it comes from the covariance over units.

    Raises
    ------
    DataError
        ``no_inference`` if fewer than two systems can be assessed.
    """
    if inference.no_inference or inference.assessable.sum() < 2:
        raise DataError("no_inference", value=inference.no_inference or None)
    if isinstance(data, VoteArrays):
        number = len(data.outcome) if data.block is None else len(np.unique(data.block))
        return precision_of_covariance(inference, number)
    if not data.items:
        with suppress(DataError):
            return estimate_precision(data, inference, by_domain)
    return precision_of_covariance(inference, data.n_judgments)


def is_nested(inner: np.ndarray, outer: np.ndarray) -> bool:
    """Return whether each level of one factor is contained in a level of another."""
    outer_of = np.zeros(int(inner.max()) + 1, dtype=outer.dtype)
    outer_of[inner] = outer
    return bool((outer_of[inner] == outer).all())


def normal_draws(covariance: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw normal vectors with mean 0 and this covariance: (draws, systems).

    They are multiplied by the symmetric square root of the covariance, of which there is only one;
    the signs of eigenvectors differ between processors. Negative eigenvalues count as 0.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    drawn: np.ndarray = rng.standard_normal((draws, len(values))) @ root
    return drawn


def _boundaries_above(mean: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """Return the number of supported boundaries above each system in each campaign."""
    order = np.argsort(-mean, axis=1, kind="stable")
    campaign = np.arange(len(p))[:, None, None]
    p = p[campaign, order[:, :, None], order[:, None, :]]
    n = mean.shape[1]
    largest_p = np.stack([p[:, :r, r:].max(axis=(1, 2)) for r in range(1, n)], axis=1)
    supported = np.zeros_like(largest_p, bool)
    while True:
        before = supported
        supported = supported | (largest_p * _half_of_grouped(supported)[:, None] <= alpha)
        if (supported == before).all():
            break
    number = np.cumsum(np.pad(supported, ((0, 0), (1, 0))), axis=1)
    above = np.empty_like(number)
    np.put_along_axis(above, order, number, axis=1)
    return above


def _half_of_grouped(supported: np.ndarray) -> np.ndarray:
    """Return half the number of systems in groups of two or more, for each campaign."""
    # a system is alone if there is a boundary on either side of it
    edge = np.pad(supported, ((0, 0), (1, 1)), constant_values=True)
    is_alone = edge[:, 1:] & edge[:, :-1]
    half: np.ndarray = (~is_alone).sum(axis=1) / 2
    return half
