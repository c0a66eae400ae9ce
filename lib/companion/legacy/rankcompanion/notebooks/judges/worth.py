"""A judge beside people: what its scores agree on, and the judgments that they would save.

A judge has one score for each output (system, segment). It is compared with people on the outputs
that both have, and never enters a mean, a test or a line. Its worth is the share of people's
judgments that unlimited scores of it would save: the squared correlation, over documents, of its
influences on the systems' means with people's, times the share of people's variance that documents
make (a judge cannot save what other annotators would change).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as student

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.scored import Scores

from ...models.comparing import tau
from ...models.units import unit_totals

FEWEST_SYSTEMS, FEWEST_DOCUMENTS = (
    3,
    4,
)  # that both have, for a worth to be told
SAME = 1e-9  # share of the range of scores below which a difference is a rounding error
LEVEL = 0.95  # of intervals
MOST_CELLS = 4_000_000  # units x systems of campaigns without a document that are held at once


@dataclass(frozen=True)
class Beside:
    """People's judgments of the outputs that a judge has, and the judge's score of each output.

    `people` has only the systems that are shared, in order of name; `score` has a value for each
    judgment; `lacking` names the systems of people that the judge lacks; `outputs` counts the
    outputs of both.
    """

    people: Scores
    score: np.ndarray
    lacking: tuple[str, ...]
    outputs: int

    @property
    def documents(self) -> int:
        """The number of documents of both; 0 if people's judgments name none."""
        named = self.people.has("document")
        return len(np.unique(self.people.unit("document"))) if named else 0

    @property
    def share(self) -> np.ndarray:
        """Each judgment's share of its system's mean, in which outputs count equally."""
        weight = self.people.weights()
        return (
            weight
            / np.bincount(self.people.system, weight)[self.people.system]
        )

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """People's mean of each system, and the judge's."""
        system = self.people.system
        share = self.share
        people = np.bincount(system, share * self.people.score)
        return people, np.bincount(system, share * self.score)


def beside(
    people: Scores, judge: pd.DataFrame, documents: pd.Series
) -> Beside:
    """People's judgments of the outputs that the judge has.

    `judge` has the columns judge (one), system, segment, document (empty where none is named) and
    score, each output once; `documents` names people's document of each segment (empty if they
    name none). Raises DataError if no output of people is found, and if documents disagree.
    """
    cells = pd.MultiIndex.from_arrays(
        [
            np.array(people.systems)[people.system],
            np.array(people.segments)[people.segment],
        ]
    )
    table = _as_people_name(judge, cells)
    keys = pd.MultiIndex.from_frame(table[["system", "segment"]])
    place = keys.get_indexer(cells)
    found = place >= 0
    if not found.any():
        raise _not_found(judge, cells)
    _same_documents(table.iloc[np.unique(place[found])], documents)
    held = people.take(found)
    used = np.unique(held.system)
    system = np.searchsorted(used, held.system)
    names = tuple(people.systems[k] for k in used)
    lacking = tuple(name for name in people.systems if name not in names)
    kept = Scores(
        names,
        held.segments,
        system,
        held.segment,
        held.score,
        held.units,
        held.workers,
    )
    outputs = len(np.unique(place[found]))
    return Beside(
        kept, table["score"].to_numpy(float)[place[found]], lacking, outputs
    )


def _as_people_name(judge: pd.DataFrame, cells: pd.MultiIndex) -> pd.DataFrame:
    """The judge's scores with segments named as people's are, ``document:segment`` if need be."""
    known = set(cells.get_level_values(1))
    if judge["segment"].isin(known).any():
        return judge
    joined = judge["document"] + ":" + judge["segment"]
    return judge.assign(segment=joined) if joined.isin(known).any() else judge


def _not_found(judge: pd.DataFrame, cells: pd.MultiIndex) -> DataError:
    """The error for a judge of other outputs, with ids of both kinds."""
    theirs = ", ".join(map(str, cells[0]))
    ours = ", ".join(judge[["system", "segment"]].iloc[0])
    expected = f"people's systems and segments, such as {theirs}"
    problem = "no output of people has a score of the judge"
    return DataError(
        problem, column=_name(judge), value=ours, expected=expected
    )


def _name(judge: pd.DataFrame) -> str:
    return str(judge["judge"].iloc[0])


def _same_documents(table: pd.DataFrame, documents: pd.Series) -> None:
    """Raises DataError if people and judge name different documents for a segment."""
    theirs = table["segment"].map(documents)
    both = theirs.notna() & (table["document"] != "")
    other = table[both & (theirs != table["document"])]
    if len(other):
        first = other.iloc[0]
        value = f"segment {first['segment']}: {first['document']} ({len(other)} outputs)"
        expected = (
            f"{documents[first['segment']]}, as people's judgments have it"
        )
        problem = "documents of judge and people disagree"
        raise DataError(
            problem, column=_name(table), value=value, expected=expected
        )


def order(one: Beside) -> dict[str, object]:
    """How far people and judge order the systems alike: alike, pairs, tau, first (the judge's)."""
    people, judge = one.means()
    upper = np.triu_indices(len(people), 1)
    agree = (ordered(people) == ordered(judge))[upper]
    first = one.people.systems[int(np.argmax(judge))]
    together = float(tau(people, judge)) if len(agree) else np.nan
    return {
        "alike": int(agree.sum()),
        "pairs": len(agree),
        "tau": together,
        "first": first,
    }


def ordered(means: np.ndarray) -> np.ndarray:
    """1 where the row's mean is higher, -1 where it is lower, 0 where they are equal: (n, n)."""
    gap = means[:, None] - means
    return np.where(np.abs(gap) > SAME * np.ptp(means), np.sign(gap), 0.0)


def influences(
    score: np.ndarray, share: np.ndarray, system: np.ndarray, unit: np.ndarray
) -> np.ndarray:
    """Each unit's influence on the systems' means, over sqrt(1 - its share): (units, systems)."""
    sums, held = unit_totals(system, unit, score, share, int(system.max()) + 1)
    return about_means(sums, held)


def about_means(sums: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Influences from sums of weighted scores and of weights, which need not add up to 1.

    The last two axes are units and systems; a unit without weight has no influence.
    """
    total = held.sum(axis=-2, keepdims=True)
    total = np.where(total > 0, total, 1.0)
    share = held / total
    mean = sums.sum(axis=-2, keepdims=True) / total
    rest = np.maximum(1 - share, 1e-12)
    return (sums / total - share * mean) / np.sqrt(rest)


def over_pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Sum over all pairs of systems of the covariance of their differences, over their number.

    That is tr C - 1'C1 / n for the cross products C of influences, (..., units, systems) both.
    """
    n = first.shape[-1]
    whole = (first * second).sum(axis=(-2, -1))
    common = (first.sum(axis=-1) * second.sum(axis=-1)).sum(axis=-1)
    return np.asarray(whole - common / n)


def correlation(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Correlation of two influences over units and pairs of systems; NaN if one never varies."""
    own = over_pairs(first, first) * over_pairs(second, second)
    known = own > 0
    return np.where(
        known,
        over_pairs(first, second) / np.sqrt(np.where(known, own, 1.0)),
        np.nan,
    )


def correlated(
    people: np.ndarray,
    judge: np.ndarray,
    held: np.ndarray,
    document: np.ndarray | None = None,
) -> tuple[float, float, float]:
    """r over documents with its interval: r, low, high.

    `people` and `judge` are weighted sums of scores, `held` the weights, (units, systems) all;
    `document` has the code of each unit's document, by default each is one. The interval is that of
    arctanh r by t with documents - 1 degrees of freedom; the standard error of r comes from the
    jackknife over documents, which computes the means again each time. NaN if either side differs
    between systems by the same in all units.
    """
    if not (_varies(people, held) and _varies(judge, held)):
        return np.nan, np.nan, np.nan
    r = float(correlation(about_means(people, held), about_means(judge, held)))
    of = np.arange(len(held)) if document is None else document
    every = np.unique(of)
    step = max(1, MOST_CELLS // held.size)
    left = []
    for start in range(0, len(every), step):
        kept = (of != every[start : start + step, None])[..., None]
        weight = held * kept
        without = [
            about_means(part * kept, weight) for part in (people, judge)
        ]
        left.append(correlation(*without))
    return r, *interval(r, np.concatenate(left))


def _varies(sums: np.ndarray, held: np.ndarray) -> bool:
    """Whether influences are more than rounding errors of the means."""
    influence = about_means(sums, held)
    size = np.abs(sums).sum() / held.sum()
    return bool(
        np.sqrt(max(float(over_pairs(influence, influence)), 0.0))
        > SAME * size
    )


def interval(r: float, left: np.ndarray) -> tuple[float, float]:
    """The interval of a correlation from its values with one unit left out."""
    n = len(left)
    error = np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    return around(r, error, n)


def around(r: float, error: float, units: int) -> tuple[float, float]:
    """The interval of r from its standard error, on the scale of arctanh r; r alone if it is 1."""
    if not (np.isfinite(r) and np.isfinite(error)):
        return np.nan, np.nan
    if abs(r) >= 1 - SAME:
        return r, r
    half = student.ppf((1 + LEVEL) / 2, units - 1) * error / (1 - r**2)
    low, high = np.tanh(np.arctanh(r) + np.array([-half, half]))
    return float(low), float(high)


def document_share(people: Scores) -> float:
    """The share of the variance of people's means that documents make: V_D / V.

    V is the largest of documents, annotators, and both less their cells (annotator x document). 1
    if annotators are not all named: then nothing is said of other annotators.
    """
    if not people.has("worker"):
        return 1.0
    weight = people.weights()
    share = weight / np.bincount(people.system, weight)[people.system]
    document, worker = (
        people.unit(name).astype(np.int64) for name in ("document", "worker")
    )
    cell = worker * (int(document.max()) + 1) + document
    of = [
        influences(people.score, share, people.system, one)
        for one in (document, worker, cell)
    ]
    documents, annotators, both = (over_pairs(one, one) for one in of)
    whole = max(documents, annotators, documents + annotators - both)
    return documents / whole if whole > 0 else np.nan


def worth(
    r: float, low: float, high: float, documents: float = 1.0
) -> dict[str, float]:
    """A judge's correlation and worth: r, r_low, r_high, vd_share, worth, worth_low, worth_high.

    `documents` is `document_share`, taken as known; the worth of r is max(r, 0) squared times it.
    """
    named = {"r": r, "r_low": low, "r_high": high, "vd_share": documents}
    ends = {"worth": r, "worth_low": low, "worth_high": high}
    return named | {
        name: float(np.maximum(end, 0.0) ** 2 * documents)
        for name, end in ends.items()
    }


UNKNOWN = worth(np.nan, np.nan, np.nan, np.nan)


def judged(one: Beside) -> dict[str, float]:
    """The judge's correlation and worth, as `worth` has them.

    NaN where people name no documents, and for fewer systems or documents than can tell.
    """
    people = one.people
    if (
        one.documents < FEWEST_DOCUMENTS
        or len(people.systems) < FEWEST_SYSTEMS
    ):
        return UNKNOWN
    unit = people.unit("document")
    n = len(people.systems)
    sums, held = unit_totals(people.system, unit, people.score, one.share, n)
    theirs = unit_totals(people.system, unit, one.score, one.share, n)[0]
    r, low, high = correlated(sums, theirs, held)
    return worth(r, low, high, document_share(people))


def another_person(people: Scores) -> dict[str, float]:
    """What another annotator of the same outputs is worth, as `worth` has it.

    Every two judgments of one output by different annotators are set beside each other; what two
    annotators judged of a document is a unit, and an output counts once. NaN if there are too few
    documents with such outputs.
    """
    if not (people.has("worker") and people.has("document")):
        return UNKNOWN
    frame = pd.DataFrame({"system": people.system, "segment": people.segment})
    frame = frame.assign(worker=people.unit("worker"), score=people.score)
    frame["document"] = people.unit("document")
    both = frame.merge(
        frame, on=["system", "segment", "document"], suffixes=("", "_other")
    )
    both = both[both["worker"] < both["worker_other"]]
    if (
        both["document"].nunique() < FEWEST_DOCUMENTS
        or both["system"].nunique() < FEWEST_SYSTEMS
    ):
        return UNKNOWN
    system = np.unique(both["system"], return_inverse=True)[1]
    unit = (
        both.groupby(["document", "worker", "worker_other"])
        .ngroup()
        .to_numpy()
    )
    document = both.groupby(unit)["document"].first().to_numpy()
    times = (
        both.groupby(["system", "segment"])["score"]
        .transform("size")
        .to_numpy()
    )
    weight = 1 / times
    n = int(system.max()) + 1
    own, other = (
        both[name].to_numpy(float) for name in ("score", "score_other")
    )
    sums, held = unit_totals(system, unit, own, weight, n)
    theirs = unit_totals(system, unit, other, weight, n)[0]
    r, low, high = correlated(sums, theirs, held, document)
    return worth(r, low, high, document_share(people))


def perfect(person: dict[str, float]) -> dict[str, float]:
    """What a judge would be worth that knew what people agree on, from `another_person`."""
    known = {
        name: float(np.sqrt(np.maximum(person[name], 0.0)))
        for name in ("r", "r_low", "r_high")
    }
    return worth(
        known["r"], known["r_low"], known["r_high"], person["vd_share"]
    )
