"""Simulated studies: which documents they take, who rates each item, and what the items score.

An item is the output of one system on one document. A bucket is a set of documents that were all
rated by the same annotators (Riley et al. 2024, sections 2, 6 and appendix 10.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from ..arguments import check_alpha, check_count
from ..errors import DataError
from ..judgments import Judgments
from ..perturb import keep

GROUPINGS = ("pSxS", "system-balanced", "none")
NORMALISATIONS = ("none", "mean", "error", "z")
FULL = "full"
ENTROPY_TOLERANCE = 0.03  # by which a study may miss its entropy target
MAX_ATTEMPTS = 12  # batches of attempts for each study
HOPELESS_ATTEMPTS = 3  # batches after which a target that no study has met is given up
ATTEMPTS_PER_BATCH = 4
MQM_WEIGHTS = (25.0, 5.0, 1.0, 0.1)  # each divides the one before


@dataclass(frozen=True)
class Design:
    """The design of a simulated study.

    Attributes
    ----------
    grouping : str
        ``pSxS``: one annotator rates all systems on a document. ``system-balanced``: each annotator
        rates equally many outputs of each system. ``none``: no constraint.
    load_balance : str or float
        ``full``: equal workloads; a number: the target of the normalised entropy of the workloads.
    normalisation : str
        ``none``, ``mean``, ``error`` or ``z``.
    ratings_per_item : int
    documents : int
        Documents in each study.
    studies : int
        How many studies are simulated.
    studies_per_document_set : int
        Studies on the same documents. With 1, every study has its own documents.
    permutations : int
        Permutations of each test.
    alpha : float
        Level of each test.
    """

    grouping: str = "pSxS"
    load_balance: str | float = FULL
    normalisation: str = "none"
    ratings_per_item: int = 1
    documents: int = 0
    studies: int = 250
    studies_per_document_set: int = 50
    permutations: int = 500
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for code, value, known in (
            ("unknown_grouping", self.grouping, GROUPINGS),
            ("unknown_normalisation", self.normalisation, NORMALISATIONS),
        ):
            if value not in known:
                raise DataError(code, value=value, known=known)
        check_alpha(self.alpha)
        for name in ("studies", "studies_per_document_set", "permutations"):
            check_count(name, getattr(self, name))
        if self.load_balance == FULL:
            return
        if not isinstance(self.load_balance, float | int):
            expected = "full, or an entropy between 0 and 1"
            raise DataError("bad_load_balance", value=self.load_balance, expected=expected)
        if self.grouping == "system-balanced":
            raise DataError("system_balanced_entropy", value=self.load_balance, expected=FULL)

    def random_key(self) -> list[int]:
        """Return numbers that seed the generator of this design, whatever was run before it."""
        named = [
            ("alpha", self.alpha),
            ("balance", self.load_balance),
            ("documents", self.documents),
            ("grouping", self.grouping),
            ("normalisation", self.normalisation),
            ("per_document_set", self.studies_per_document_set),
            ("permutations", self.permutations),
            ("ratings_per_item", self.ratings_per_item),
            ("studies", self.studies),
        ]
        return list(repr(named).encode())


@dataclass(frozen=True)
class RatedItems:
    """All ratings as sums per item and annotator, which suffice for every normalisation.

    With S systems, D documents and K ratings per item:

    Attributes
    ----------
    systems, documents, annotators : tuple of str
    segments : array of int, shape (D,)
        Segments of each document.
    annotator_of : array of int, shape (D, K)
        The annotators of each document.
    penalty, squared_penalty, errors : arrays, shape (S, D, K)
        Sums over the segments of an item: penalties (lower is better), their squares, and numbers
        of errors.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    segments: np.ndarray
    annotator_of: np.ndarray
    penalty: np.ndarray
    squared_penalty: np.ndarray
    errors: np.ndarray

    @property
    def ratings_per_item(self) -> int:
        """The number of ratings of each item."""
        return int(self.annotator_of.shape[1])

    @property
    def bucket_of(self) -> np.ndarray:
        """The bucket of each document, (D,): documents with the same annotators."""
        codes: np.ndarray = np.unique(self.annotator_of, axis=0, return_inverse=True)[1].ravel()
        return codes

    @property
    def buckets(self) -> list[np.ndarray]:
        """The positions of the documents of each bucket."""
        codes = self.bucket_of
        return [np.flatnonzero(codes == bucket) for bucket in range(codes.max() + 1)]


def rated_items(judgments: Judgments) -> RatedItems:
    """Sum the ratings of complete items; raises DataError as `keep` does."""
    table = keep(judgments, complete_items=True).table
    system, systems = pd.factorize(table["system"].astype(str), sort=True)
    document, documents = pd.factorize(table["document"].astype(str), sort=True)
    annotator_name = table["annotator"].astype(str)
    annotators = sorted(annotator_name.unique(), key=_natural_order)
    annotator = annotator_name.map({name: k for k, name in enumerate(annotators)}).to_numpy()
    pairs = np.unique(document * len(annotators) + annotator)
    annotator_of = (pairs % len(annotators)).reshape(len(documents), -1)
    place = (annotator_of[document] == annotator[:, None]).argmax(axis=1)
    shape = (len(systems), *annotator_of.shape)
    cell = np.ravel_multi_index((system, document, place), shape)

    def total(values: np.ndarray) -> np.ndarray:
        sums: np.ndarray = np.bincount(cell, values, minlength=int(np.prod(shape)))
        return sums.reshape(shape)

    score = table["score"].to_numpy(float)
    penalty = score if judgments.lower_is_better else 0.0 - score
    segments = table.groupby(document)["segment"].nunique().to_numpy()
    return RatedItems(
        systems=tuple(systems),
        documents=tuple(documents),
        annotators=tuple(annotators),
        segments=segments,
        annotator_of=annotator_of,
        penalty=total(penalty),
        squared_penalty=total(penalty**2),
        errors=total(_error_counts(table, penalty)),
    )


def _natural_order(name: str) -> tuple[str, int, str]:
    head = name.rstrip("0123456789")
    return (head, int(name[len(head) :] or -1), name)


def _error_counts(table: pd.DataFrame, penalty: np.ndarray) -> np.ndarray:
    """Return the errors of each rating; where unknown, the fewest that give the MQM penalty."""
    if "n_errors" in table:
        given: np.ndarray = table["n_errors"].to_numpy(float)
        return given
    rest: np.ndarray = np.round(np.maximum(penalty, 0.0), 6)
    count: np.ndarray = np.zeros_like(rest)
    for weight in MQM_WEIGHTS:
        number = np.floor(rest / weight + 1e-6)
        count += number
        rest = np.round(rest - number * weight, 6)
    return count


def draw_documents(items: RatedItems, design: Design, rng: np.random.Generator) -> np.ndarray:
    """Draw the documents of each study: (studies, documents) positions in increasing order.

    Buckets give equal numbers as long as they can; the remainder comes from buckets drawn at
    random. Raises DataError (``too_many_documents``) if there are not enough.
    """
    available = np.array([len(bucket) for bucket in items.buckets])
    wanted = design.documents
    if not 1 <= wanted <= available.sum():
        expected = f"1 to {available.sum()}"
        raise DataError("too_many_documents", value=wanted, expected=expected)
    rows = []
    for _ in range(-(-design.studies // design.studies_per_document_set)):
        taken = np.zeros(len(available), dtype=int)
        while (left := wanted - taken.sum()) > 0:
            open_buckets = np.flatnonzero(taken < available)
            if left < len(open_buckets):
                open_buckets = rng.permutation(open_buckets)[:left]
            taken[open_buckets] += 1
        drawn = [
            rng.permutation(bucket)[:number]
            for bucket, number in zip(items.buckets, taken, strict=True)
        ]
        rows.append(np.sort(np.concatenate(drawn)))
    repeated = np.repeat(np.array(rows), design.studies_per_document_set, axis=0)
    return repeated[: design.studies]


def annotator_choices(depth: int, ratings_per_item: int) -> np.ndarray:
    """Return who can rate an item, as a 0/1 table of shape (choices, depth).

    Raises DataError (``too_many_ratings_per_item``) if an item has too few ratings.
    """
    if not 1 <= ratings_per_item <= depth:
        expected = f"1 to {depth}"
        raise DataError("too_many_ratings_per_item", value=ratings_per_item, expected=expected)
    chosen = list(combinations(range(depth), ratings_per_item))
    table = np.zeros((len(chosen), depth), dtype=int)
    np.put_along_axis(table, np.array(chosen), 1, axis=1)
    return table


def assign_annotators(
    items: RatedItems, design: Design, documents: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Assign annotators to the items of each study (appendix 10.3).

    Parameters
    ----------
    documents : array of int, shape (n, d)
        From `draw_documents`.

    Returns
    -------
    choice : array of int, shape (n, S, d)
        The row of `annotator_choices` for each item.
    met : array of bool, shape (n,)
        Whether the study met its entropy target within `MAX_ATTEMPTS`.
    """
    n = len(documents)
    table = annotator_choices(items.ratings_per_item, design.ratings_per_item)
    if design.load_balance == FULL:
        choice = _assign_in_turn(items, design.grouping, documents, len(table), rng)
        return choice, np.ones(n, bool)
    target = float(design.load_balance)
    n_systems = len(items.systems)
    size = documents.shape[1]
    copies = n_systems if design.grouping == "none" else 1
    choice = np.zeros((n, n_systems, size), dtype=np.int8)
    met = np.zeros(n, dtype=bool)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        waiting = np.flatnonzero(~met)
        if not len(waiting):
            break
        tried = np.repeat(waiting, ATTEMPTS_PER_BATCH)
        units = np.tile(documents[tried], copies)
        drawn, entropy = _assign_towards(items, units, table, target, rng)
        good = np.abs(entropy - target) <= ENTROPY_TOLERANCE
        newly_met, first = np.unique(tried[good], return_index=True)
        choice[newly_met] = drawn[good][first].reshape(len(newly_met), copies, size)
        met[newly_met] = True
        if attempt == HOPELESS_ATTEMPTS and not met.any():
            break
    return choice, met


def _assign_in_turn(
    items: RatedItems,
    grouping: str,
    documents: np.ndarray,
    n_choices: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Shuffle the items of each bucket, then deal them to the annotators in turn."""
    n, d = documents.shape
    n_systems = len(items.systems)
    n_buckets = len(items.buckets)
    bucket = items.bucket_of[documents][:, None, :]  # (n, 1, d)
    if grouping != "pSxS":
        bucket = np.repeat(bucket, n_systems, axis=1)
    if grouping == "none":
        bucket = bucket.reshape(n, 1, n_systems * d)
    # One sort deals all buckets: it orders units by bucket, at random within each.
    order = np.argsort(np.argsort(bucket + rng.random(bucket.shape), axis=-1), axis=-1)
    sizes = np.stack([(bucket == b).sum(axis=-1) for b in range(n_buckets)], axis=-1)
    start = np.cumsum(sizes, axis=-1) - sizes
    position = order - np.take_along_axis(start, bucket, axis=-1)
    shuffled = np.argsort(rng.random((*start.shape, n_choices)), axis=-1)
    choice = np.take_along_axis(
        shuffled.reshape(*bucket.shape[:2], -1), bucket * n_choices + position % n_choices, axis=-1
    )
    if grouping == "none":
        return choice.reshape(n, n_systems, d)
    return np.broadcast_to(choice, (n, n_systems, d))


def _assign_towards(
    items: RatedItems,
    units: np.ndarray,
    table: np.ndarray,
    target: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Assign at random, then move each unit towards the target of the entropy, in random order.

    `units` (n, u) are documents, or items by their document. Returns the choices (n, u) and the
    normalised entropy of the workloads of each study, (n,).
    """
    n, n_units = units.shape
    n_annotators = len(items.annotators)
    choice = rng.integers(0, len(table), size=(n, n_units)).astype(np.int8)
    load = np.zeros((n, n_annotators), dtype=np.int64)
    rows = np.arange(n)
    for k in range(items.ratings_per_item):
        code = rows[:, None] * n_annotators + items.annotator_of[units, k]
        counts = np.bincount(code.ravel(), table[choice, k].ravel(), minlength=n * n_annotators)
        load += counts.astype(np.int64).reshape(n, n_annotators)
    total = n_units * int(table[0].sum())
    xlogx = np.arange(total + 1, dtype=float)
    xlogx[1:] *= np.log(xlogx[1:])
    most = np.log(n_annotators) if n_annotators > 1 else 1.0
    sum_xlogx = xlogx[load].sum(axis=1)
    order = np.argsort(rng.random((n, n_units)), axis=1)
    for turn in range(n_units):
        at = order[:, turn]
        who = items.annotator_of[units[rows, at]]  # (n, K)
        current = table[choice[rows, at]]
        without = load[rows[:, None], who] - current
        rest = sum_xlogx - xlogx[without + current].sum(axis=1)
        load_if = without[:, None, :] + table[None, :, :]  # (n, choices, K)
        sum_if = rest[:, None] + xlogx[load_if].sum(axis=2)
        gap = np.abs((np.log(total) - sum_if / total) / most - target)
        # a random number far below the rounding decides between equally good choices
        best = np.argmin(np.round(gap, 12) + 1e-13 * rng.random(gap.shape), axis=1)
        choice[rows, at] = best
        load[rows[:, None], who] = load_if[rows, best]
        sum_xlogx = sum_if[rows, best]
    return choice, (np.log(total) - sum_xlogx / total) / most


def score_items(
    items: RatedItems, design: Design, documents: np.ndarray, choice: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sum normalised penalties over each item's segments, averaged over its ratings.

    Parameters
    ----------
    documents : array of int, shape (n, d)
    choice : array of int, shape (n, S, d)
        From `assign_annotators`.

    Returns
    -------
    sums : array of float, shape (n, S, d)
    segments : array of float, shape (n, d)
        The number of segments of each document.
    """
    table = annotator_choices(items.ratings_per_item, design.ratings_per_item)
    n = len(documents)
    n_annotators = len(items.annotators)
    segments = items.segments[documents].astype(float)
    who = items.annotator_of[documents]  # (n, d, K)
    taken = table[choice].astype(float)  # (n, S, d, K)
    penalty = items.penalty[:, documents].swapaxes(0, 1)  # (n, S, d, K)
    if design.normalisation == "none":
        return (taken * penalty).sum(axis=3) / design.ratings_per_item, segments
    code = (np.arange(n)[:, None, None] * n_annotators + who).ravel()

    def per_annotator(values: np.ndarray) -> np.ndarray:
        total: np.ndarray = np.bincount(code, values.ravel(), minlength=n * n_annotators)
        return total.reshape(n, n_annotators)

    def total_of(part: np.ndarray) -> np.ndarray:
        return per_annotator(np.einsum("nsdk,sndk->ndk", taken, part[:, documents]))

    scale, shift = annotator_scaling(
        design.normalisation,
        per_annotator(taken.sum(axis=1) * segments[:, :, None]),
        total_of(items.penalty),
        total_of(items.squared_penalty),
        total_of(items.errors),
    )
    rows = np.arange(n)[:, None, None]
    item_shift = shift[rows, who] * segments[:, :, None]
    scaled = scale[rows, who][:, None] * penalty + item_shift[:, None]
    return (taken * scaled).sum(axis=3) / design.ratings_per_item, segments


def annotator_scaling(
    normalisation: str,
    count: np.ndarray,
    total: np.ndarray,
    squares: np.ndarray,
    errors: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the scale and shift by which a normalisation changes each annotator's scores.

    ``mean``: every annotator gets the study's mean. ``error``: the same, then multiplied by a value
    proportional to the annotator's number of errors, so that the study's mean is kept. ``z``:
    standardised by annotator (ddof = 1). Annotators whose mean is 0 keep their scores under
    ``mean`` and ``error``; those whose scores do not vary are only centred under ``z`` (Riley et
    al. 2024, section 6.1.3).

    Parameters
    ----------
    count, total, squares, errors : arrays, shape (..., annotators)
        Segments that each annotator rated in a study; sums of the scores, of their squares, and of
        the numbers of errors.
    """
    zero = np.zeros_like(total, dtype=float)
    if normalisation == "none":
        return np.ones_like(zero), zero
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(count > 0, total / count, 0.0)
        if normalisation == "z":
            variance = (squares - count * mean**2) / (count - 1)
            mean_square = squares / np.maximum(count, 1)
            varies = (variance > 1e-9 * np.maximum(mean_square, 1e-300)) & (count > 1)
            scale = np.where(varies, 1 / np.sqrt(variance), 1.0)
            return scale, -scale * mean
        overall = total.sum(axis=-1, keepdims=True) / count.sum(axis=-1, keepdims=True)
        scale = np.where(mean != 0, overall / mean, 1.0)
        if normalisation == "mean":
            return scale, zero
        weighted = np.where(mean != 0, count * errors, 0.0)
        factor = count.sum(axis=-1, keepdims=True) / weighted.sum(axis=-1, keepdims=True)
        return np.where(mean != 0, scale * factor * errors, 1.0), zero
