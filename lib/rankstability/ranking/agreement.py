"""How well annotators agree with each other and with themselves, on pairs of systems.

The unit is the comparison of two systems on one source segment (votes: one question), with three
labels: better, equal, worse. Every two annotations of the same comparison are a pair: *intra* by
one annotator, *inter* by two. All measures are (P(A) - P(E)) / (1 - P(E)). They differ in P(E), the
agreement expected by chance (Bojar et al. 2011, equations 1 and 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import COMPARISON_KINDS, REFERENCE, Judgments, check_judgments
from ..scores.build import codes_of
from ..scores.pairwise import expand_blocks, vote_arrays
from .relative import ratio

RANDOM_CLICKS = 0.36  # P(E) of an annotator who clicks at random among five ranks
MEASURES = {
    "p_a": "P(A), the share of pairs of annotations that agree",
    "s": "S (Bennett et al. 1954): each label a third, P(E) = 1/3; the kappa of WMT10",
    "clicks": "P(E) = 0.36, an annotator who clicks at random among five ranks (Bojar et al. 2011)",
    "pi": "Scott's pi: P(E) from the labels given, better and worse taken together",
    "cohen": "Cohen's kappa: P(E) from the labels of each of the two annotators",
    "fleiss": "Fleiss' kappa: agreement averaged over comparisons, P(E) as for pi",
}
"""What each measure of agreement is."""
GROUPS = ("annotator", "system", "segment", "document")
COUNTS = ["annotations", "ties", "pairs", "agreeing_pairs", "segments"]
INTERVAL = (2.5, 97.5)  # percentiles


@dataclass(frozen=True)
class Annotations:
    """All comparisons, and all pairs of annotations of the same comparison.

    Attributes
    ----------
    table : DataFrame
        Columns annotator, segment, document (if named), first and second (systems in order of
        name), label (1: first better, 0: equal, -1: second better).
    left, right : arrays of int
        Rows of `table`: each pair of annotations once.
    annotator, item, segment : arrays of int
        Codes of each row's annotator (-1: not named), comparison (segment and systems), and segment.
    """

    table: pd.DataFrame
    left: np.ndarray
    right: np.ndarray
    annotator: np.ndarray
    item: np.ndarray
    segment: np.ndarray

    @property
    def same_annotator(self) -> np.ndarray:
        """Return which pairs are by one annotator (intra)."""
        same: np.ndarray = self.annotator[self.left] == self.annotator[self.right]
        return same

    @property
    def label(self) -> np.ndarray:
        """Return the label of each annotation."""
        return np.asarray(self.table["label"])

    @property
    def with_reference(self) -> np.ndarray:
        """Return which annotations compare a system with the reference."""
        both = self.table[["first", "second"]] == REFERENCE
        return np.asarray(both.any(axis=1))


def pair_annotations(judgments: Judgments) -> Annotations:
    """Return the comparisons of votes or relative rankings, and the pairs of their annotations.

    A comparison whose annotator is not named is in no pair, since its two annotators could be the
    same person.
    """
    check_judgments(judgments, COMPARISON_KINDS)
    rows = judgments.table
    if judgments.kind == "votes":
        votes = vote_arrays(judgments)
        systems, first, second = votes.systems, votes.first, votes.second
        sign = np.sign(votes.outcome - 0.5).astype(int)
        table = pd.DataFrame({"annotator": "", "segment": ""}, index=np.arange(len(first)))
        if votes.annotator is not None:
            table["annotator"] = np.array(votes.annotators, dtype=object)[votes.annotator]
        if votes.question is None:
            raise DataError("question_needed")
        table["segment"] = np.array(votes.questions, dtype=object)[votes.question]
    else:
        systems, row, first, second, sign = expand_blocks(judgments)
        named = [name for name in ("annotator", "segment", "document") if name in rows]
        table = rows[named].iloc[row].astype(object).reset_index(drop=True)
    names = np.array(systems, dtype=object)
    table["first"] = names[np.minimum(first, second)]
    table["second"] = names[np.maximum(first, second)]
    table["label"] = np.where(first > second, -sign, sign)
    if "annotator" not in table:
        table["annotator"] = ""
    annotator, _ = codes_of(table["annotator"].replace("", None))
    segment, _ = codes_of(table["segment"])
    n = len(systems)
    pair = np.minimum(first, second) * n + np.maximum(first, second)
    item = np.unique(segment.astype(np.int64) * n * n + pair, return_inverse=True)[1]
    left, right = _pairs_within(item, annotator >= 0)
    return Annotations(table, left, right, annotator, item, segment)


def _pairs_within(item: np.ndarray, use: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of rows of the same item, each once, the earlier row first."""
    rows = np.flatnonzero(use)
    rows = rows[np.argsort(item[rows], kind="stable")]
    sorted_item = item[rows]
    left, right = [np.zeros(0, int)], [np.zeros(0, int)]
    for step in range(1, int(np.bincount(sorted_item).max(initial=0))):
        here = np.flatnonzero(sorted_item[:-step] == sorted_item[step:])
        left.append(rows[here])
        right.append(rows[here + step])
    return np.concatenate(left), np.concatenate(right)


def chance_agreement(ties: np.ndarray | float) -> np.ndarray | float:
    """Return P(E) of Scott's pi from the share of equal labels.

    Better and worse are taken as equally frequent, since the order of the two systems is arbitrary.
    """
    return ties**2 + (1 - ties) ** 2 / 2


def correct_for_chance(p_a: np.ndarray, p_e: np.ndarray | float) -> np.ndarray:
    """Return (P(A) - P(E)) / (1 - P(E)); NaN where P(E) is 1."""
    return ratio(*np.broadcast_arrays(p_a - p_e, 1 - np.asarray(p_e)))


@check_arguments
def measure_agreement(
    judgments: Judgments,
    by: str = "",
    *,
    resamples: int = 0,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Measure agreement on comparisons within and between annotators.

    Parameters
    ----------
    judgments : Judgments
        Votes that name questions, or relative rankings.
    by : str
        Measure agreement separately for each ``annotator`` (inter: with all others), ``system``
        (comparisons with that system), ``segment`` or ``document``. If empty, all judgments are
        taken together.
    resamples : int
        The number of bootstrap resamples for 95 % intervals; 0 for no intervals. Source segments
        are resampled, because annotations of the same segment are not independent.
    rng : Generator
        The random generator, which resampling needs.

    Returns
    -------
    DataFrame
        A row per group, kind (``intra``, ``inter``) and reference (``included``, ``excluded``) with
        at least one pair of annotations: `by`, kind, reference, annotations, ties (equal labels),
        pairs, agreeing_pairs, segments, p_e (of pi), the `MEASURES`, and with resamples
        ``<measure>_low`` and ``<measure>_high``.

    Raises
    ------
    DataError
        ``wrong_kind`` for ratings; ``unknown_group``; ``question_needed`` for votes without
        questions; ``rng_needed`` for resamples without a generator.

    Examples
    --------
    >>> import rankstability as rs
    >>> agreement = rs.measure_agreement(rs.load("demo-rr", "cs-en"))
    >>> agreement.loc[0, ["kind", "reference"]].tolist(), int(agreement.loc[0, "pairs"])
    (['intra', 'included'], 289)
    """
    if resamples and rng is None:
        raise DataError("rng_needed", expected="rng=np.random.default_rng(seed)")
    if by and by not in GROUPS:
        raise DataError("unknown_group", value=by, known=GROUPS)
    notes = pair_annotations(judgments)
    if by == "document" and "document" not in notes.table:
        raise DataError("no_documents")
    same = notes.same_annotator
    every = np.ones(len(notes.table), bool)
    without_reference = ~notes.with_reference
    rows = []
    for group, may_pair, members in _groups(notes.table, by):
        for reference, counted in (("included", every), ("excluded", without_reference)):
            keep = members & counted
            paired = may_pair[notes.left] & (keep[notes.left] | keep[notes.right])
            for kind, of_kind in (("intra", same), ("inter", ~same)):
                pairs = np.flatnonzero(paired & of_kind)
                if len(pairs):
                    sums = SegmentSums(notes, pairs, keep, may_pair & counted)
                    row = {**group, "kind": kind, "reference": reference}
                    rows.append(row | sums.measure_all(resamples, rng))
    columns = [*([by] if by else []), "kind", "reference", *COUNTS, "p_e", *MEASURES]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)


def _groups(
    table: pd.DataFrame, by: str
) -> Iterator[tuple[dict[str, object], np.ndarray, np.ndarray]]:
    """Yield for each group its key, which annotations its pairs may hold, and its members."""
    every = np.ones(len(table), dtype=bool)
    if not by:
        yield {}, every, every
        return
    sides = ["first", "second"] if by == "system" else [by]
    names = pd.unique(table[sides].to_numpy().ravel())
    for name in sorted(names[pd.notna(names)]):
        members = np.asarray((table[sides] == name).any(axis=1))
        yield {by: name}, every if by in ("annotator", "system") else members, members


class SegmentSums:
    """Sums per source segment, from which all measures and their bootstrap follow.

    Parameters
    ----------
    notes : Annotations
    pairs : array of int
        The pairs that count.
    counted : array of bool
        The annotations whose labels give P(E).
    group : array of bool
        The annotations whose labels give P(E) of Cohen's kappa, in a pair or not.
    """

    def __init__(
        self, notes: Annotations, pairs: np.ndarray, counted: np.ndarray, group: np.ndarray
    ) -> None:
        left, right = notes.left[pairs], notes.right[pairs]
        label = notes.label
        agree = label[left] == label[right]
        is_tie = label == 0
        used = np.flatnonzero(counted)
        segments, code = np.unique(notes.segment[used], return_inverse=True)
        at = np.searchsorted(segments, notes.segment[left])
        size = len(segments)
        self.counts = {
            "annotations": len(used),
            "ties": int(is_tie[used].sum()),
            "pairs": len(pairs),
            "agreeing_pairs": int(agree.sum()),
            "segments": len(np.unique(at)),
        }
        self.labels = np.bincount(code, minlength=size).astype(float)
        self.ties = np.bincount(code, weights=is_tie[used], minlength=size)
        self.total = np.bincount(at, minlength=size).astype(float)
        self.agree = np.bincount(at, weights=agree, minlength=size)
        _, item, number = np.unique(notes.item[left], return_inverse=True, return_counts=True)
        share = 1 / number[item]  # every comparison has equal weight in Fleiss' mean
        self.items = np.bincount(at, weights=share, minlength=size)
        self.item_agree = np.bincount(at, weights=share * agree, minlength=size)
        both = np.stack([notes.annotator[left], notes.annotator[right]])
        people, both = np.unique(both, return_inverse=True)
        both = np.sort(both.reshape(2, -1), axis=0)
        couples, couple = np.unique(both[0] * len(people) + both[1], return_inverse=True)
        self.first, self.second = np.divmod(couples, len(people))
        known = np.isin(notes.segment, segments) & np.isin(notes.annotator, people)
        labelled = np.flatnonzero(group & known)
        where = (
            np.searchsorted(segments, notes.segment[labelled]),
            np.searchsorted(people, notes.annotator[labelled]),
        )
        shape = size, len(people)
        self.given = csr_array((np.ones(len(labelled)), where), shape=shape)
        self.equal = csr_array((is_tie[labelled].astype(float), where), shape=shape)
        self.met = csr_array((np.ones(len(couple)), (at, couple)), shape=(size, len(couples)))

    def measures(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Return P(E) of pi and the measures, for weights of segments (replicates, segments)."""
        p_a = ratio(weights @ self.agree, weights @ self.total)
        p_e = np.asarray(chance_agreement(ratio(weights @ self.ties, weights @ self.labels)))
        given, equal, met = (weights @ matrix for matrix in (self.given, self.equal, self.met))
        tie_rate = np.nan_to_num(ratio(equal, given))
        one, other = tie_rate[:, self.first], tie_rate[:, self.second]
        by_chance = met * (one * other + (1 - one) * (1 - other) / 2)
        p_cohen = ratio(by_chance.sum(axis=1), met.sum(axis=1))
        item_agreement = ratio(weights @ self.item_agree, weights @ self.items)
        return {
            "p_e": p_e,
            "p_a": p_a,
            "s": correct_for_chance(p_a, 1 / 3),
            "clicks": correct_for_chance(p_a, RANDOM_CLICKS),
            "pi": correct_for_chance(p_a, p_e),
            "cohen": correct_for_chance(p_a, p_cohen),
            "fleiss": correct_for_chance(item_agreement, p_e),
        }

    def measure_all(self, resamples: int, rng: np.random.Generator | None) -> dict[str, float]:
        """Return counts and measures, with intervals if there are `resamples`."""
        size = len(self.total)
        point = self.measures(np.ones((1, size)))
        row = {**self.counts, **{name: float(value[0]) for name, value in point.items()}}
        if not resamples or rng is None:
            return row
        weights = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(float)
        draws = self.measures(weights)
        for name in MEASURES:
            values = draws[name][np.isfinite(draws[name])]
            limits = np.percentile(values, INTERVAL) if len(values) else [np.nan, np.nan]
            row[f"{name}_low"], row[f"{name}_high"] = map(float, limits)
        return row
