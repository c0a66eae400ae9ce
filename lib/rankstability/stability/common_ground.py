"""Several studies of the same systems on the segments that they share: agreement and conclusions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from ..errors import DataError
from ..inference.ratings import infer_ratings
from ..inference.units import sums_by
from ..ranking.procedures import (
    Procedure,
    draw_ranking,
)
from ..scores.arrays import ScoreArrays
from .repeat import kendall_tau

UNITS = ("document", "segment")
MIN_DOCUMENTS = 8  # that can be resampled: intervals from fewer are too narrow
PAIRS = [
    "first",
    "second",
    "kind",
    "segments",
    "units",
    "annotators",
    "tau",
    "tau_low",
    "tau_high",
]
PROTOCOLS = [
    "first",
    "second",
    "repeated",
    "between",
    "within",
    "difference",
    "difference_low",
    "difference_high",
    "annotators",
]
KEPT = [
    "first",
    "second",
    "better_pairs",
    "same_order",
    "better_again",
    "opposite",
    "boundaries",
    "boundaries_kept",
]


def protocol_of(study: str) -> str:
    """Return the protocol in a study's name.

    Examples
    --------
    >>> protocol_of("ESA-2"), protocol_of("MQM (WMT23)")
    ('ESA', 'MQM')
    """
    return re.sub(r"(-\d+| \(.*\))$", "", study)


@dataclass(frozen=True)
class AnnotatorCells:
    """The scores of each annotator on each segment, one cell for each combination.

    Attributes
    ----------
    segment, annotator : arrays of int, shape (cells,)
    sums, weights : arrays, shape (cells, systems)
        Weighted sums of scores, and sums of weights.
    n_annotators : int
        0 if annotators are not named; they then count as one.
    """

    segment: np.ndarray
    annotator: np.ndarray
    sums: np.ndarray
    weights: np.ndarray
    n_annotators: int


@dataclass(frozen=True)
class CommonGround:
    """Several studies of the same systems, on the segments that at least two judged completely.

    Attributes
    ----------
    names, systems, segments : tuple of str
    unit : array of int, shape (segments,)
        The resampling unit of each segment.
    scores : array, shape (studies, segments, systems)
        Means; NaN where a study lacks any system.
    cells : tuple of AnnotatorCells
        Each study's scores by annotator.
    """

    names: tuple[str, ...]
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    unit: np.ndarray
    scores: np.ndarray
    cells: tuple[AnnotatorCells, ...]

    @property
    def n_units(self) -> int:
        """The number of resampling units."""
        return int(self.unit.max()) + 1

    def shared(self, *names: str) -> np.ndarray:
        """Return the segments (a mask) on which all these studies judged every system."""
        which = [self.names.index(name) for name in names]
        mask: np.ndarray = np.isfinite(self.scores[which]).all(axis=(0, 2))
        return mask

    def study(self, name: str, segments: np.ndarray) -> ScoreArrays:
        """Return one study's scores on some segments (a mask), with the unit as document."""
        table = self.scores[self.names.index(name)][segments]
        segment, system = (code.ravel() for code in np.indices(table.shape))
        document = np.unique(self.unit[segments], return_inverse=True)[1]
        names = tuple(np.array(self.segments, dtype=object)[segments])
        units = {"document": document[segment]}
        return ScoreArrays(self.systems, names, system, segment, table.ravel(), units)


def common_ground(studies: Mapping[str, ScoreArrays], unit: str = "document") -> CommonGround:
    """Limit studies to the systems of all, and to segments that two judged completely.

    The documents of segments are those of the first study that names them.

    Raises
    ------
    DataError
        For fewer than two studies, three common systems or two common segments, and if documents
        are to be resampled but no study names them.
    """
    if unit not in UNITS:
        raise DataError("unknown_unit", value=unit, expected=" or ".join(UNITS))
    if len(studies) < 2:
        raise DataError("too_few_studies", value=", ".join(studies) or None)
    every = list(studies.values())
    systems = sorted(set.intersection(*(set(study.systems) for study in every)))
    tables = []
    for study in every:
        table = pd.DataFrame(study.matrix(), index=list(study.segments), columns=study.systems)
        tables.append(table[systems].dropna())
    number = pd.concat([pd.Series(1, table.index) for table in tables]).groupby(level=0).size()
    if unit == "segment":
        unit_of = pd.Series(range(len(number)), number.index)
    else:
        unit_of = _documents(every)
    segments = sorted(number.index[number > 1].intersection(unit_of.index))
    if len(systems) < 3 or len(segments) < 2:
        found = f"{len(systems)} systems, {len(segments)} segments"
        raise DataError("no_common_ground", value=found, expected="three systems, two segments")
    return CommonGround(
        tuple(studies),
        tuple(systems),
        tuple(segments),
        pd.factorize(unit_of.loc[segments])[0],
        np.array([table.reindex(segments).to_numpy() for table in tables]),
        tuple(_annotator_cells(study, systems, segments) for study in every),
    )


def _documents(studies: list[ScoreArrays]) -> pd.Series:
    """Return the document of each segment in the first study that names documents."""
    for study in studies:
        if study.has("document"):
            return pd.Series(study.segment_unit("document"), index=list(study.segments))
    raise DataError("no_documents", expected="documents, or unit='segment'")


def _annotator_cells(study: ScoreArrays, systems: list[str], segments: list[str]) -> AnnotatorCells:
    system = pd.Index(systems).get_indexer(pd.Index(study.systems))[study.system]
    segment = pd.Index(segments).get_indexer(pd.Index(study.segments))[study.segment]
    kept = (system >= 0) & (segment >= 0)
    annotator = np.zeros(int(kept.sum()), np.int64)
    n_annotators = 0
    if study.has("annotator"):
        known, annotator = np.unique(study.units["annotator"][kept], return_inverse=True)
        n_annotators = len(known)
    cell, place = np.unique(annotator * len(segments) + segment[kept], return_inverse=True)
    shape = len(cell), len(systems)
    weight = study.weights()[kept]
    of_annotator, of_segment = np.divmod(cell, len(segments))
    return AnnotatorCells(
        of_segment,
        of_annotator,
        sums_by(place, system[kept], weight * study.score[kept], shape),
        sums_by(place, system[kept], weight, shape),
        n_annotators,
    )


def _draw_counts(number: int, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """Return how often each unit counts: once in the first row, then as in each resample."""
    ones = np.ones((1, max(number, 1)), int)
    if not number:
        return np.repeat(ones, resamples + 1, axis=0)
    drawn = rng.multinomial(number, np.full(number, 1 / number), resamples)
    return np.vstack([ones, drawn])


def _resampled_tau(
    shared: CommonGround, rng: np.random.Generator, resamples: int
) -> dict[tuple[str, str], np.ndarray]:
    """Return tau of every two studies: observed, then for each resample.

    A resample takes the same units in all studies, and annotators in each study separately. NaN if
    a resample has no judgment of some system.
    """
    of_unit = _draw_counts(shared.n_units, rng, resamples)
    times = []
    for cells in shared.cells:
        of_annotator = _draw_counts(cells.n_annotators, rng, resamples)
        times.append(of_unit[:, shared.unit[cells.segment]] * of_annotator[:, cells.annotator])
    taus = {}
    for (i, first), (j, second) in combinations(enumerate(shared.names), 2):
        here = shared.shared(first, second)
        if here.sum() < 2:
            raise DataError("no_common_ground", value=f"{first}, {second}")
        means = []
        for k in (i, j):
            kept = here[shared.cells[k].segment]
            with np.errstate(invalid="ignore"):
                sums = times[k][:, kept] @ shared.cells[k].sums[kept]
                means.append(sums / (times[k][:, kept] @ shared.cells[k].weights[kept]))
        known = np.isfinite(means).all(axis=(0, 2))
        taus[first, second] = np.where(known, kendall_tau(*means), np.nan)
    return taus


def _interval(draws: np.ndarray, units: int, annotators: int) -> tuple[float, float, float]:
    """Return the observed value (the first of `draws`), and the central 95 % of the others.

    There is no interval with fewer than `MIN_DOCUMENTS` units, or one annotator, who says nothing
    about others.
    """
    if units < MIN_DOCUMENTS or annotators == 1 or len(draws) < 2:
        return float(draws[0]), np.nan, np.nan
    low, high = np.nanpercentile(draws[1:], [2.5, 97.5])
    return float(draws[0]), float(low), float(high)


def measure_protocols(
    shared: CommonGround, rng: np.random.Generator, resamples: int = 1000
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure agreement between studies and between protocols: see `StudyComparison`."""
    taus = _resampled_tau(shared, rng, resamples)
    annotators = {
        name: cells.n_annotators for name, cells in zip(shared.names, shared.cells, strict=True)
    }
    protocols = {name: protocol_of(name) for name in shared.names}
    pairs = []
    for (first, second), draws in taus.items():
        here = shared.shared(first, second)
        units = len(np.unique(shared.unit[here]))
        kind = "within" if protocols[first] == protocols[second] else "between"
        fewest = min(annotators[first], annotators[second])
        interval = _interval(draws, units, fewest)
        pairs.append((first, second, kind, int(here.sum()), units, fewest, *interval))
    rows = []
    for first, second in combinations(dict.fromkeys(protocols.values()), 2):
        between = []
        within: dict[str, list[np.ndarray]] = {first: [], second: []}
        for (i, j), draws in taus.items():
            if {protocols[i], protocols[j]} == {first, second}:
                between.append(draws)
            elif protocols[i] == protocols[j] and protocols[i] in within:
                within[protocols[i]].append(draws)
        repeated = [name for name, draws in within.items() if draws]
        if not repeated:
            continue
        inside = np.mean([np.mean(within[name], axis=0) for name in repeated], axis=0)
        across = np.mean(between, axis=0)
        involved = [name for name, protocol in protocols.items() if protocol in (first, second)]
        fewest = min(annotators[name] for name in involved)
        interval = _interval(across - inside, shared.n_units, fewest)
        means = float(across[0]), float(inside[0])
        rows.append((first, second, " + ".join(repeated), *means, *interval, fewest))
    return pd.DataFrame(pairs, columns=PAIRS), pd.DataFrame(rows, columns=PROTOCOLS)


def count_kept(shared: CommonGround, procedure: Procedure, alpha: float = 0.05) -> pd.DataFrame:
    """Count which conclusions of one study another repeats: see `StudyComparison.conclusions`."""
    rows = []
    upper = np.triu_indices(len(shared.systems), 1)
    for first, second in combinations(shared.names, 2):
        here = shared.shared(first, second)
        found = {
            name: _conclusions(shared.study(name, here), procedure, alpha)
            for name in (first, second)
        }
        for name, other in ((first, second), (second, first)):
            gap, p, above = found[name]
            gap_again, p_again, above_again = found[other]
            differs = p[upper] < alpha
            same = np.sign(gap) == np.sign(gap_again)
            also = p_again < alpha
            shares = [
                float(mask[upper][differs].mean()) if differs.any() else np.nan
                for mask in (same, same & also, ~same & also)
            ]
            kept = len(above & above_again)
            rows.append((name, other, int(differs.sum()), *shares, len(above), kept))
    return pd.DataFrame(rows, columns=KEPT)


def _conclusions(
    study: ScoreArrays, procedure: Procedure, alpha: float
) -> tuple[np.ndarray, np.ndarray, set[frozenset[int]]]:
    """Return difference and two-sided p of each pair, and the systems above each drawn boundary."""
    inference = infer_ratings(study, "document", alpha=alpha)
    place = np.argsort(inference.codes)
    grid = np.ix_(place, place)
    drawn = draw_ranking(study, procedure, alpha)
    above = {frozenset(drawn.order[: k + 1].tolist()) for k in np.flatnonzero(drawn.boundaries)}
    return inference.difference[grid], inference.p[grid], above
