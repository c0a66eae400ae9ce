"""Annotations of comparisons, and the sums from which every measure of agreement follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

MEASURES = {
    "p_a": "P(A), the share of pairs of annotations that agree",
    "s": "S (Bennett et al. 1954): the three labels equally likely, P(E) = 1/3; the κ of WMT10",
    "clicker": "P(E) = 0.36, a judge who clicks at random among five ranks (Bojar et al. 2011)",
    "pi": "Scott's π: P(E) from the labels given, better and worse taken together",
    "cohen": "Cohen's κ: P(E) from the labels of each of the two judges",
    "fleiss": "Fleiss' κ: agreement averaged over comparisons, P(E) as for π",
}
RANDOM_CLICKER = 0.36


def chance_of_labels(labels: np.ndarray) -> float:
    """P(E) of Scott's π from labels -1, 0, 1: P(=)² + 2 ((1 - P(=)) / 2)².

    Better and worse share their frequency equally: which system is named first means nothing.
    """
    ties = float(np.mean(labels == 0)) if len(labels) else np.nan
    return ties**2 + (1 - ties) ** 2 / 2


def corrected(p_a: np.ndarray, p_e: np.ndarray | float) -> np.ndarray:
    """(P(A) - P(E)) / (1 - P(E)); NaN where P(E) = 1."""
    p_a, p_e = np.broadcast_arrays(p_a, p_e)
    return np.divide(p_a - p_e, 1 - p_e, out=np.full(p_a.shape, np.nan), where=p_e < 1)


@dataclass(frozen=True)
class Annotations:
    """All comparisons of a campaign, and all pairs of annotations of one comparison.

    `table` has one row per annotation: task, track, source, target, segment, document, judge,
    block, first and second (systems, in alphabetical order), label (1: first better, 0: equal,
    -1: second better), reference (it is one of the two), and the columns asked for.
    """

    table: pd.DataFrame
    left: np.ndarray  # rows of `table`: with `right`, each pair of annotations once
    right: np.ndarray
    judge: np.ndarray  # codes of each row's judge
    item: np.ndarray  # of its comparison (task, segment, systems)
    unit: np.ndarray  # of its source segment

    @property
    def same_judge(self) -> np.ndarray:
        """Which pairs are by one judge (intra)."""
        return self.judge[self.left] == self.judge[self.right]

    @property
    def agree(self) -> np.ndarray:
        """Which pairs carry the same label."""
        label = self.table["label"].to_numpy()
        return label[self.left] == label[self.right]


class Sums:
    """Sums per source segment, from which every measure and its bootstrap follow.

    Of the `pairs` that count; labels of `counted` annotations give P(E), and a judge's habits come
    from all of the `group`, in a pair or not.
    """

    def __init__(
        self, notes: Annotations, pairs: np.ndarray, counted: np.ndarray, group: np.ndarray
    ) -> None:
        left, right = notes.left[pairs], notes.right[pairs]
        agree, tie = notes.agree[pairs], notes.table["label"].to_numpy() == 0
        used = np.flatnonzero(counted)
        units, code = np.unique(notes.unit[used], return_inverse=True)
        at = np.searchsorted(units, notes.unit[left])
        size = len(units)
        segments = len(np.unique(at))
        self.counts = {"annotations": len(used), "pairs": len(pairs), "segments": segments}
        self.labels = np.bincount(code, minlength=size).astype(float)
        self.ties = np.bincount(code, weights=tie[used], minlength=size)
        self.total = np.bincount(at, minlength=size).astype(float)
        self.agree = np.bincount(at, weights=agree, minlength=size)
        _, item, number = np.unique(notes.item[left], return_inverse=True, return_counts=True)
        share = 1 / number[item]  # every comparison weighs the same in Fleiss' mean
        self.items = np.bincount(at, weights=share, minlength=size)
        self.item_agree = np.bincount(at, weights=share * agree, minlength=size)
        judges, both = np.unique(notes.judge[np.stack([left, right])], return_inverse=True)
        both = np.sort(both.reshape(2, -1), axis=0)
        couples, which = np.unique(both[0] * len(judges) + both[1], return_inverse=True)
        self.first, self.second = np.divmod(couples, len(judges))
        labelled = np.flatnonzero(group & np.isin(notes.unit, units) & np.isin(notes.judge, judges))
        coded = (units, notes.unit), (judges, notes.judge)
        where = tuple(np.searchsorted(known, codes[labelled]) for known, codes in coded)
        self.given = csr_array((np.ones(len(labelled)), where), shape=(size, len(judges)))
        self.equal = csr_array((tie[labelled].astype(float), where), shape=(size, len(judges)))
        self.met = csr_array((np.ones(len(which)), (at, which)), shape=(size, len(couples)))

    def measures(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """P(E) of π and the measures under weights of segments, replicates x segments."""

        def over(part: np.ndarray, every: np.ndarray) -> np.ndarray:
            part, every = weights @ part, weights @ every
            return np.divide(part, every, out=np.full(part.shape, np.nan), where=every > 0)

        p_a, ties = over(self.agree, self.total), over(self.ties, self.labels)
        p_e = ties**2 + (1 - ties) ** 2 / 2
        given, equal, met = (weights @ m for m in (self.given, self.equal, self.met))
        rate = np.divide(equal, given, out=np.zeros(given.shape), where=given > 0)
        a, b = rate[:, self.first], rate[:, self.second]
        chance, times = a * b + (1 - a) * (1 - b) / 2, met.sum(axis=1)
        p_cohen = np.full(times.shape, np.nan)
        np.divide((met * chance).sum(axis=1), times, out=p_cohen, where=times > 0)
        return {
            "p_e": p_e,
            "p_a": p_a,
            "s": corrected(p_a, 1 / 3),
            "clicker": corrected(p_a, RANDOM_CLICKER),
            "pi": corrected(p_a, p_e),
            "cohen": corrected(p_a, p_cohen),
            "fleiss": corrected(over(self.item_agree, self.items), p_e),
        }

    def row(self, resamples: int, rng: np.random.Generator | None) -> dict:
        """Counts, measures, and intervals where asked for."""
        size = len(self.total)
        point = self.measures(np.ones((1, size)))
        out = {**self.counts, **{name: float(value[0]) for name, value in point.items()}}
        if resamples and rng is not None:
            weights = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(float)
            draws = self.measures(weights)
            for name in MEASURES:
                values = draws[name][np.isfinite(draws[name])]
                limits = np.percentile(values, [2.5, 97.5]) if len(values) else [np.nan] * 2
                out[f"{name}_low"], out[f"{name}_high"] = map(float, limits)
        return out
