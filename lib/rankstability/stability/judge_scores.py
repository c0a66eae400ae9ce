"""Scores of a judge model matched with human judgments: order, correlation, judgments saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..errors import DataError
from ..inference.result import RankInference
from ..inference.units import combined_codes, sums_by
from ..scores.arrays import ScoreArrays
from .repeat import kendall_tau

MIN_SYSTEMS, MIN_DOCUMENTS = 3, 4  # that both must have, for a share of judgments saved
EQUAL = 1e-9  # share of the range of scores below which a difference is a rounding error
LEVEL = 0.95  # of intervals
MAX_CELLS = 4_000_000  # units x systems without a document that are held at once


@dataclass(frozen=True)
class Matched:
    """Human judgments of the outputs that a judge model scored, and its score of each.

    Attributes
    ----------
    human : ScoreArrays
        With the systems that both have.
    score : array, shape (judgments,)
        The judge model's score of the output of each judgment.
    lacking : tuple of str
        Systems that the judge model lacks.
    outputs : int
        Outputs of both.
    """

    human: ScoreArrays
    score: np.ndarray
    lacking: tuple[str, ...]
    outputs: int

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that both have."""
        return self.human.systems

    @property
    def documents(self) -> int:
        """The number of documents; 0 if the human judgments name none."""
        named = self.human.has("document")
        return len(np.unique(self.human.units["document"])) if named else 0

    @property
    def share(self) -> np.ndarray:
        """Each judgment's share of its system's mean, in which outputs count equally."""
        weight = self.human.weights()
        share: np.ndarray = weight / np.bincount(self.human.system, weight)[self.human.system]
        return share

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the human mean and the judge model's mean of each system."""
        share = self.share
        system = self.human.system
        return (
            np.bincount(system, share * self.human.score),
            np.bincount(system, share * self.score),
        )

    @property
    def constant(self) -> bool:
        """Whether all scores of the judge model are the same."""
        largest = float(np.abs(self.score).max())
        return bool(np.ptp(self.score) <= EQUAL * max(1.0, largest))

    @property
    def equal(self) -> bool:
        """Whether the judge model has the human mean of each output, or one annotator's scores."""
        human = self.human
        place = np.unique(human.cells(), return_inverse=True)[1]
        mean = np.bincount(place, human.score) / np.bincount(place)
        if np.allclose(mean[place], self.score, rtol=0, atol=EQUAL):
            return True
        if not human.has("annotator"):
            return False
        annotator = human.units["annotator"]
        differs = ~np.isclose(human.score, self.score, rtol=0, atol=EQUAL)
        number = np.bincount(annotator)
        return bool(((np.bincount(annotator, differs) == 0) & (number >= self.outputs)).any())

    def saving(self) -> dict[str, float]:
        """Return r, its interval, V_D / V and the share of judgments saved."""
        human = self.human
        n = len(human.systems)
        if self.documents < MIN_DOCUMENTS or n < MIN_SYSTEMS:
            return UNKNOWN
        document = np.unique(human.units["document"], return_inverse=True)[1]
        shape = int(document.max()) + 1, n
        share = self.share
        weights = sums_by(document, human.system, share, shape)
        human_sums = sums_by(document, human.system, share * human.score, shape)
        judge_sums = sums_by(document, human.system, share * self.score, shape)
        r, low, high = correlate(human_sums, judge_sums, weights)
        return saving_from_r(r, low, high, document_share(human))


def match(human: ScoreArrays, scores: pd.DataFrame, name: str = "judge model") -> Matched:
    """Match human judgments with the outputs that a judge model scored.

    Segments may be numbered within documents on the judge model's side
    (``document:segment`` here).

    Raises
    ------
    DataError
        ``no_common_output``, or ``documents_disagree``.
    """
    outputs = pd.MultiIndex.from_arrays(
        [
            np.array(human.systems, dtype=object)[human.system],
            np.array(human.segments, dtype=object)[human.segment],
        ]
    )
    known = set(human.segments)
    if not scores["segment"].isin(known).any():
        joined = scores["document"] + ":" + scores["segment"]
        if joined.isin(known).any():
            scores = scores.assign(segment=joined)
    keys = pd.MultiIndex.from_frame(scores[["system", "segment"]])
    if keys.has_duplicates:
        twice = keys[keys.duplicated()][0]
        raise DataError("output_scored_twice", column=name, value=", ".join(twice))
    place = keys.get_indexer(outputs)
    found = place >= 0
    if not found.any():
        theirs = ", ".join(map(str, outputs[0]))
        ours = ", ".join(scores[["system", "segment"]].iloc[0]) if len(scores) else None
        raise DataError("no_common_output", column=name, value=ours, expected=f"such as {theirs}")
    _check_documents(human, scores.iloc[np.unique(place[found])], name)
    kept = human.take(found)
    used = np.unique(kept.system)
    systems = tuple(human.systems[k] for k in used)
    kept = replace(kept, systems=systems, system=np.searchsorted(used, kept.system))
    return Matched(
        kept,
        scores["score"].to_numpy(float)[place[found]],
        tuple(system for system in human.systems if system not in systems),
        len(np.unique(place[found])),
    )


def _check_documents(human: ScoreArrays, scores: pd.DataFrame, name: str) -> None:
    """Raise DataError if both sides name a segment's document, and differ."""
    if not human.has("document"):
        return
    names = np.array(human.unit_names["document"], dtype=object)
    document_of = dict(zip(human.segments, names[human.segment_unit("document")], strict=True))
    here = scores["segment"].map(document_of)
    differs = scores[(scores["document"] != "") & here.notna() & (here != scores["document"])]
    if len(differs):
        first = differs.iloc[0]
        raise DataError(
            "documents_disagree",
            column=name,
            value=f"segment {first['segment']}: {first['document']} ({len(differs)} outputs)",
            expected=str(document_of[first["segment"]]),
        )


# ------------------------------------------------------------------ the order of the systems


def order_agreement(
    systems: tuple[str, ...],
    human: np.ndarray,
    judge: np.ndarray,
    inference: RankInference,
    same_annotators: RankInference,
) -> dict[str, object]:
    """Return how far two scores of the systems order them alike."""
    upper = np.triu_indices(len(systems), 1)
    alike = (order_signs(human) == order_signs(judge))[upper]
    means = dict(zip(systems, judge, strict=True))
    counted = _significant_pairs(inference, means)
    same = _significant_pairs(same_annotators, means)
    sign = order_signs(np.array([means[name] for name in systems]))
    code = {name: k for k, name in enumerate(systems)}
    boundaries = []
    for rank in np.flatnonzero(inference.supported) + 1:
        above = [code[name] for name in inference.systems[:rank] if name in code]
        below = [code[name] for name in inference.systems[rank:] if name in code]
        if (sign[np.ix_(above, below)] < 0).any():
            boundaries.append(str(rank))
    return {
        "alike": int(alike.sum()),
        "pairs": len(alike),
        "better_alike": int((counted["sign"] > 0).sum()),
        "better_pairs": len(counted),
        "same_annotators_alike": int((same["sign"] > 0).sum()),
        "same_annotators_pairs": len(same),
        "tau": float(kendall_tau(human, judge)) if len(alike) else np.nan,
        "first": systems[int(np.argmax(judge))],
        "reversed": "; ".join(counted.loc[counted["sign"] < 0, "name"]),
        "boundaries_reversed": ", ".join(boundaries),
    }


def _significant_pairs(inference: RankInference, means: Mapping[str, float]) -> pd.DataFrame:
    """Return the significant pairs of systems that the judge model has, with its sign of each."""
    names = inference.systems
    known = np.array([name in means for name in names])
    pairs = np.argwhere(inference.better & known[:, None] & known)
    every = np.array([means[name] for name in means])
    place = {name: k for k, name in enumerate(means)}
    signs = order_signs(every)
    rows = []
    for i, j in pairs:
        a, b = names[i], names[j]
        rows.append((f"{b} above {a}", signs[place[a], place[b]]))
    return pd.DataFrame(rows, columns=["name", "sign"]).astype({"sign": float})


def order_signs(means: np.ndarray) -> np.ndarray:
    """Return 1 where the row's mean is higher, -1 where lower, 0 where both are equal: (n, n)."""
    gap = means[:, None] - means
    signs: np.ndarray = np.where(np.abs(gap) > EQUAL * np.ptp(means), np.sign(gap), 0.0)
    return signs


# ------------------------------------------------------------------ judgments saved


def saving_of_another_annotator(human: ScoreArrays) -> dict[str, float]:
    """Return what another annotator of the same outputs would save.

    Every two judgments of one output by different annotators are set beside each other; what two
    annotators judged of a document is a unit, and an output counts once.
    """
    if not (human.has("annotator") and human.has("document")):
        return UNKNOWN
    frame = pd.DataFrame(
        {
            "output": human.cells(),
            "system": human.system,
            "document": human.units["document"],
            "annotator": human.units["annotator"],
            "score": human.score,
        }
    )
    both = frame.merge(frame, on=["output", "system", "document"], suffixes=("", "_other"))
    both = both[both["annotator"] < both["annotator_other"]]
    if both["document"].nunique() < MIN_DOCUMENTS or both["system"].nunique() < MIN_SYSTEMS:
        return UNKNOWN
    system = np.unique(both["system"], return_inverse=True)[1]
    grouped = both.groupby(["document", "annotator", "annotator_other"])
    unit = grouped.ngroup().to_numpy()
    document = both.groupby(unit)["document"].first().to_numpy()
    weight = 1 / both.groupby("output")["score"].transform("size").to_numpy()
    shape = int(unit.max()) + 1, int(system.max()) + 1
    weights = sums_by(unit, system, weight, shape)
    first, second = (
        sums_by(unit, system, weight * both[name].to_numpy(float), shape)
        for name in ("score", "score_other")
    )
    r, low, high = correlate(first, second, weights, document)
    return saving_from_r(r, low, high, document_share(human))


def saving_of_perfect(repeat: Mapping[str, float]) -> dict[str, float]:
    """Return what a judge model would save that knew all that two annotators agree on."""
    roots = [float(np.sqrt(np.maximum(repeat[name], 0.0))) for name in ("r", "r_low", "r_high")]
    return saving_from_r(roots[0], roots[1], roots[2], repeat["document_share"])


def saving_from_r(
    r: float, low: float, high: float, document_share: float = 1.0
) -> dict[str, float]:
    """Return the share of judgments saved, max(r, 0)^2 V_D / V, with that of the ends of r."""
    shares = {
        name: float(np.maximum(end, 0.0) ** 2 * document_share)
        for name, end in (("judgments_saved", r), ("saved_low", low), ("saved_high", high))
    }
    return {"r": r, "r_low": low, "r_high": high, "document_share": document_share, **shares}


UNKNOWN = saving_from_r(np.nan, np.nan, np.nan, np.nan)


def influences(sums: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return each unit's influence on the systems' means, over sqrt(1 - its share).

    `sums` are sums of weighted scores, `weights` sums of weights, which need not add up to 1; the
    last two axes are units and systems. A unit without weight has no influence.
    """
    total = weights.sum(axis=-2, keepdims=True)
    total = np.where(total > 0, total, 1.0)
    share = weights / total
    mean = sums.sum(axis=-2, keepdims=True) / total
    rest = np.maximum(1 - share, 1e-12)
    influence: np.ndarray = (sums / total - share * mean) / np.sqrt(rest)
    return influence


def sum_over_pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return t(C) = tr C - 1'C1 / n of the cross products C of two influences.

    It is the sum over all pairs of systems of the covariance of their differences, over n. The last
    two axes are units and systems.
    """
    n = first.shape[-1]
    trace = (first * second).sum(axis=(-2, -1))
    common = (first.sum(axis=-1) * second.sum(axis=-1)).sum(axis=-1)
    return np.asarray(trace - common / n)


def _correlation(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the correlation of two influences over units and pairs of systems."""
    product = sum_over_pairs(first, first) * sum_over_pairs(second, second)
    varies = product > 0
    root = np.sqrt(np.where(varies, product, 1.0))
    return np.where(varies, sum_over_pairs(first, second) / root, np.nan)


def correlate(
    human: np.ndarray,
    judge: np.ndarray,
    weights: np.ndarray,
    document: np.ndarray | None = None,
) -> tuple[float, float, float]:
    """Return r over documents, and its interval.

    The interval is that of arctanh r by t with documents - 1 degrees of freedom; the standard error
    of r comes from the jackknife over documents, which computes the means again each time. NaN if
    the differences between systems do not vary.

    Parameters
    ----------
    human, judge : arrays, shape (units, systems)
        Sums of weighted scores.
    weights : array, shape (units, systems)
    document : array of int, shape (units,), optional
        The document of each unit; by default each unit is a document.
    """
    if not (_varies(human, weights) and _varies(judge, weights)):
        return np.nan, np.nan, np.nan
    r = float(_correlation(influences(human, weights), influences(judge, weights)))
    document = np.arange(len(weights)) if document is None else document
    every = np.unique(document)
    step = max(1, MAX_CELLS // weights.size)
    without = []
    for start in range(0, len(every), step):
        kept = (document != every[start : start + step, None])[..., None]
        sides = [influences(side * kept, weights * kept) for side in (human, judge)]
        without.append(_correlation(*sides))
    left_out = np.concatenate(without)
    n = len(left_out)
    error = float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))
    return r, *interval_of_r(r, error, n)


def _varies(sums: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether influences are more than rounding errors of the means."""
    influence = influences(sums, weights)
    size = np.abs(sums).sum() / weights.sum()
    return bool(np.sqrt(max(float(sum_over_pairs(influence, influence)), 0.0)) > EQUAL * size)


def interval_of_r(r: float, error: float, units: int) -> tuple[float, float]:
    """Return the interval of r from its standard error, on the scale of arctanh r."""
    if not (np.isfinite(r) and np.isfinite(error)):
        return np.nan, np.nan
    if abs(r) >= 1 - EQUAL:
        return r, r
    half = stdtrit(units - 1, (1 + LEVEL) / 2) * error / (1 - r**2)
    low, high = np.tanh(np.arctanh(r) + np.array([-half, half]))
    return float(low), float(high)


def document_share(human: ScoreArrays) -> float:
    """Return V_D / V: the share of the variance of the human means that documents cause.

    V is the largest of the variances by documents, by annotators, and by both together (annotators
    + documents - cells). The share is 1 if annotators are not named: nothing is then said about
    other annotators.
    """
    if not human.has("annotator"):
        return 1.0
    weight = human.weights()
    n = len(human.systems)
    share = weight / np.bincount(human.system, weight, n)[human.system]
    units = {name: human.units[name] for name in ("document", "annotator")}
    units["cell"] = combined_codes(units["annotator"], units["document"])
    variance = {}
    for name, codes in units.items():
        unit = np.unique(codes, return_inverse=True)[1]
        shape = int(unit.max()) + 1, n
        weights = sums_by(unit, human.system, share, shape)
        sums = sums_by(unit, human.system, share * human.score, shape)
        influence = influences(sums, weights)
        variance[name] = float(sum_over_pairs(influence, influence))
    together = variance["document"] + variance["annotator"] - variance["cell"]
    whole = max(variance["document"], variance["annotator"], together)
    return variance["document"] / whole if whole > 0 else np.nan
