"""Would another study rank the systems alike? Protocols, test sets and domains.

A protocol that is run again does not agree with itself perfectly, and no two protocols can be
expected to agree better than that. So agreement between protocols stands beside agreement within
one. Documents are resampled, and the annotators of each study that names them: a ranking rests on
few annotators, and another study would have others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..inference.ratings import infer_ratings
from ..inference.units import sums_by
from ..judgments import Judgments
from ..ranking.procedures import Procedure, default_procedure, draw_ranking, procedure_named
from ..ranking.procedures import scores_for as scores_of_procedure
from ..scores.arrays import ScoreArrays
from .repeat import kendall_tau

UNITS = ("document", "segment")
MIN_DOCUMENTS = 8  # that can be resampled: intervals from fewer are too narrow
SEED = 20220712
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
SETS = [
    "domain",
    "documents",
    "segments",
    "tau",
    "tau_low",
    "tau_high",
    "random",
    "random_low",
    "random_high",
    "p",
    "without",
    "without_random",
    "without_p",
    "p_holm",
]
Study: TypeAlias = Judgments | pd.DataFrame


@dataclass(frozen=True)
class StudyComparison:
    """Whether another study ranks the systems alike; see `compare_studies`.

    Each table is computed when it is asked for.

    Attributes
    ----------
    studies : dict of str to Judgments or DataFrame
        The studies by name.
    unit, procedure, alpha, resamples, seed
        As for `compare_studies`.
    """

    studies: dict[str, Study]
    unit: str
    procedure: str | None
    alpha: float
    resamples: int
    seed: int

    @cached_property
    def halves(self) -> pd.DataFrame:
        """How far two random halves of the documents agree in each study.

        Columns systems, documents, tau (mean over splits), tau_low, tau_high (central 95 % of the
        splits), study. Tau is missing if documents are not named, or are fewer than sixteen.
        """
        halves = [measure_halves(each, self._rng(), self.resamples) for each in self._scores]
        return pd.concat(halves, ignore_index=True).assign(study=list(self.studies))

    @property
    def pairs(self) -> pd.DataFrame:
        """The agreement of every two studies, on the segments that both judged for all systems.

        Columns first, second, kind (``within`` one protocol or ``between`` two), segments (judged
        completely in both), units, annotators (of the study with fewer; 0 if not named), tau
        (Kendall's tau of the systems' means), tau_low, tau_high (central 95 % of the resamples;
        resampling adds noise, so the ends are rather too low).
        """
        return self._agreement[0]

    @property
    def protocols(self) -> pd.DataFrame:
        """The agreement of every two protocols, of which at least one was run twice.

        Columns first, second, repeated (those that were), between and within (mean tau), difference
        (between minus within) with the central 95 % of its resamples, annotators.
        """
        return self._agreement[1]

    @cached_property
    def conclusions(self) -> pd.DataFrame:
        """Which conclusions of one study another study repeats, on the segments that they share.

        A row for every two studies, in both orders: first, second, better_pairs (pairs of systems
        that differ in the first by a two-sided t test over units), same_order, better_again,
        opposite (shares of these that are in the same order in the second, that differ there in the
        same order, and in the opposite order), boundaries (drawn in the first by the procedure),
        boundaries_kept (those with the same systems above them in the second).
        """
        known = [each for each in self.studies.values() if isinstance(each, Judgments)]
        default = default_procedure(known[0]) if known else "plain"
        return count_kept(self._shared, procedure_named(self.procedure or default), self.alpha)

    @cached_property
    def test_sets(self) -> pd.DataFrame:
        """How far each test set, or each domain of a single study, agrees with all other documents.

        A set that agrees less with the rest than nearly all random sets of documents is another
        kind of text, not merely other documents. Columns domain, documents, segments, tau (between
        the set and all other documents), tau_low, tau_high (documents resampled within both),
        random, random_low, random_high (mean and central 95 % of tau between random sets of
        documents with as many segments and the rest), p (share of random sets that agree no
        better), without (tau between all documents and those outside the set), without_random,
        without_p (the same for random sets), p_holm (p corrected over the sets). With fewer than
        eight documents in the set or the rest, only tau and without are given.
        """
        if len(self.studies) > 1:
            arrays, sets = pool(dict(zip(self.studies, self._scores, strict=True)))
        else:
            arrays = self._scores[0]
            if not arrays.has("domain"):
                raise DataError("one_domain", column="domain")
            names = np.array(arrays.unit_names["domain"], dtype=object)
            sets = names[arrays.segment_unit("domain")]
        return measure_sets(arrays, sets, self._rng(), self.resamples)

    @cached_property
    def _scores(self) -> list[ScoreArrays]:
        return [_arrays(study, self.procedure) for study in self.studies.values()]

    @cached_property
    def _shared(self) -> CommonGround:
        return common_ground(dict(zip(self.studies, self._scores, strict=True)), self.unit)

    @cached_property
    def _agreement(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return measure_protocols(self._shared, self._rng(), self.resamples)

    def _rng(self) -> np.random.Generator:
        """Return the generator of one table, so that tables do not depend on each other."""
        return np.random.default_rng(self.seed)


@check_arguments
def compare_studies(
    studies: Judgments | Mapping[str, Study],
    *,
    unit: str = "document",
    procedure: str | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = SEED,
) -> StudyComparison:
    """Compare studies of the same systems: protocols, test sets, domains, or halves of one study.

    Parameters
    ----------
    studies : Judgments, or a mapping of str to Judgments or DataFrame
        Studies of the same systems by name. Two studies have the same protocol if their names
        differ only in a number or in parentheses, such as ``ESA-1`` and ``ESA-2``. A frame needs
        the columns system, segment and score (higher is better).
    unit : {"document", "segment"}
        The unit that is resampled to compare protocols. Annotators are resampled as well if a study
        names them.
    procedure : str, optional
        The ranking procedure whose score is used; by default that of each study's year.
    alpha : float
        The level of the tests that find conclusions.
    resamples : int
        The number of resamples, of random halves and of random sets of documents.
    seed : int

    Returns
    -------
    StudyComparison
        With the tables `halves`, `pairs`, `protocols`, `conclusions` and `test_sets`.

    Raises
    ------
    DataError
        When a table is requested, if there are fewer than two studies, or the studies have too
        little in common. For test sets, also if documents or domains are not named, if there is
        only one domain, or if a document has two domains.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> rows = [(name, k, score + k % 3) for k in range(12) for name, score in (("A", 70), ("B", 60), ("C", 50))]
    >>> first = pd.DataFrame(rows, columns=["system", "segment", "score"])
    >>> second = first.assign(score=first["score"] / 20)
    >>> both = rs.compare_studies({"DA": first, "ESA": second}, unit="segment", resamples=20)
    >>> both.pairs[["first", "second", "segments", "tau"]].values.tolist()
    [['DA', 'ESA', 12, 1.0]]
    >>> both.conclusions[["first", "better_pairs", "better_again"]].values.tolist()
    [['DA', 3, 1.0], ['ESA', 3, 1.0]]
    >>> judgments = rs.load("demo-srpdc", "de-en")
    >>> rs.compare_studies(judgments, resamples=20).halves[["systems", "documents"]].values.tolist()
    [[10, 30]]
    >>> names = sorted(judgments.table["document"].unique())
    >>> sets = {"one": rs.keep(judgments, documents=names[:15]), "two": rs.keep(judgments, documents=names[15:])}
    >>> rs.compare_studies(sets, resamples=20).test_sets[["domain", "documents"]].values.tolist()
    [['one', 15], ['two', 15]]
    """
    if isinstance(studies, Judgments):
        studies = {studies.campaign or "study": studies}
    if not studies:
        raise DataError("too_few_studies", value=0)
    return StudyComparison(dict(studies), unit, procedure, alpha, resamples, seed)


# ------------------------------------------------------------------ studies of the same segments


def _arrays(study: Study, procedure: str | None) -> ScoreArrays:
    if isinstance(study, Judgments):
        return scores_of_procedure(study, procedure_named(procedure or default_procedure(study)))
    system, systems = pd.factorize(study["system"].astype(str), sort=True)
    segment, segments = pd.factorize(study["segment"].astype(str), sort=True)
    score = study["score"].to_numpy(float)
    units, names = {}, {}
    for unit in ("annotator", "document"):
        if unit in study:
            units[unit], known = pd.factorize(study[unit].astype(str), sort=True)
            names[unit] = tuple(known)
    return ScoreArrays(tuple(systems), tuple(segments), system, segment, score, units, names)


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


# ------------------------------------------------------------------ test sets and domains


def pool(parts: Mapping[str, ScoreArrays]) -> tuple[ScoreArrays, np.ndarray]:
    """Pool test sets of the same systems; also return the test set of each segment.

    Systems that not all parts judged are left out.

    Raises
    ------
    DataError
        For fewer than three common systems, and for a part that does not name its documents.
    """
    systems = sorted(set.intersection(*(set(part.systems) for part in parts.values())))
    if len(systems) < 3:
        raise DataError("no_common_ground", value=", ".join(systems) or None)
    frames = []
    for name, part in parts.items():
        if not part.has("document"):
            raise DataError("no_documents", value=name)
        frame = pd.DataFrame(
            {
                "system": np.array(part.systems, dtype=object)[part.system],
                "segment": [f"{name} {part.segments[code]}" for code in part.segment],
                "document": [f"{name} {code}" for code in part.units["document"]],
                "score": part.score,
                "set": name,
            }
        )
        frames.append(frame[frame["system"].isin(systems)])
    every = pd.concat(frames, ignore_index=True)
    arrays = _arrays(every, None)
    set_of = every.drop_duplicates("segment").set_index("segment")["set"]
    return arrays, set_of.reindex(list(arrays.segments)).to_numpy(object)


class _DocumentSums:
    """Sums and numbers of segment scores by document and system."""

    def __init__(self, arrays: ScoreArrays) -> None:
        if len(arrays.systems) < 3:
            raise DataError("too_few_systems", value=", ".join(arrays.systems))
        if not arrays.has("document"):
            raise DataError("no_documents", column="document")
        table = arrays.matrix()
        self.document = np.unique(arrays.segment_unit("document"), return_inverse=True)[1]
        self.segments = np.bincount(self.document)
        self.number = len(self.segments)
        known = np.isfinite(table)
        self.sums = np.zeros((self.number, table.shape[1]))
        self.counts = np.zeros_like(self.sums)
        np.add.at(self.sums, self.document, np.where(known, table, 0.0))
        np.add.at(self.counts, self.document, known)

    def means(self, weight: np.ndarray) -> np.ndarray:
        """Return system means with documents weighted: (..., documents) to (..., systems)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means: np.ndarray = (weight @ self.sums) / (weight @ self.counts)
        return means

    def random_sets(self, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
        """Draw sets of documents with about `size` segments: (draws, documents), 0 and 1."""
        order = np.argsort(rng.random((draws, self.number)), axis=1)
        length = self.segments[order]
        # the number of documents that comes nearest to `size`
        taken = np.cumsum(length, axis=1) - length / 2 < size
        sets = np.empty((draws, self.number))
        np.put_along_axis(sets, order, taken.astype(float), axis=1)
        return sets


def measure_halves(
    arrays: ScoreArrays, rng: np.random.Generator, draws: int = 1000
) -> pd.DataFrame:
    """Measure how far two halves of the documents agree: see `StudyComparison.halves`."""
    row: dict[str, float] = {"systems": len(arrays.systems), "documents": 0}
    row |= dict.fromkeys(("tau", "tau_low", "tau_high"), np.nan)
    if arrays.has("document") and len(arrays.systems) > 2:
        data = _DocumentSums(arrays)
        row["documents"] = data.number
        if data.number >= 2 * MIN_DOCUMENTS:
            half = data.random_sets(int(data.segments.sum()) // 2, draws, rng)
            tau = kendall_tau(data.means(half), data.means(1 - half))
            low, high = np.nanpercentile(tau, [2.5, 97.5])
            row |= {"tau": np.nanmean(tau), "tau_low": low, "tau_high": high}
    return pd.DataFrame([row])


def measure_sets(
    arrays: ScoreArrays,
    domains: np.ndarray,
    rng: np.random.Generator,
    draws: int = 1000,
) -> pd.DataFrame:
    """Measure how far each domain ranks the systems as all other documents do.

    Parameters
    ----------
    arrays : ScoreArrays
    domains : array of str, shape (segments,)
        The domain of each segment.
    """
    data = _DocumentSums(arrays)
    table = pd.DataFrame({"document": data.document, "domain": domains.astype(str)})
    table = table.drop_duplicates()
    if table["document"].duplicated().any():
        raise DataError("document_of_two_domains")
    of_document = table.sort_values("document")["domain"].to_numpy(str)
    known = sorted(set(of_document))
    if len(known) < 2:
        raise DataError("one_domain", value=", ".join(known))
    rows = [_measure_set(data, of_document == name, rng, draws) for name in known]
    result = pd.DataFrame(rows).assign(domain=known, p_holm=np.nan)
    tested = result["p"].notna()
    if tested.any():
        result.loc[tested, "p_holm"] = holm_p(result.loc[tested, "p"].to_numpy())
    return result[SETS]


def _measure_set(
    data: _DocumentSums, inside: np.ndarray, rng: np.random.Generator, draws: int
) -> dict[str, float]:
    mask = inside.astype(float)
    rest = 1 - mask
    size = int(inside.sum())
    segments = int(data.segments[inside].sum())
    outside = data.means(rest)
    everything = data.means(np.ones(data.number))
    row: dict[str, float] = dict.fromkeys(SETS[1:-1], np.nan)
    row |= {"documents": size, "segments": segments}
    row["tau"] = float(kendall_tau(data.means(mask), outside))
    row["without"] = float(kendall_tau(everything, outside))
    if min(size, data.number - size) < MIN_DOCUMENTS:
        return row
    counts = np.zeros((draws, data.number))
    for part in (inside, ~inside):
        number = int(part.sum())
        counts[:, part] = rng.multinomial(number, np.full(number, 1 / number), size=draws)
    resampled = kendall_tau(data.means(counts * mask), data.means(counts * rest))
    random = data.random_sets(segments, draws, rng)
    between = kendall_tau(data.means(random), data.means(1 - random))
    left_out = kendall_tau(everything, data.means(1 - random))
    row["tau_low"], row["tau_high"] = np.nanpercentile(resampled, [2.5, 97.5])
    row["random_low"], row["random_high"] = np.nanpercentile(between, [2.5, 97.5])
    for prefix, drawn, observed in (
        ("", between, "tau"),
        ("without_", left_out, "without"),
    ):
        row[f"{prefix}random"] = float(np.nanmean(drawn))
        no_better = (drawn <= row[observed] + 1e-12).sum()  # the observed set counts, too
        row[f"{prefix}p"] = float((1 + no_better) / (1 + len(drawn)))
    return row


def holm_p(p: np.ndarray) -> np.ndarray:
    """Return p-values corrected by Holm's method.

    Examples
    --------
    >>> holm_p(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    stepped = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
