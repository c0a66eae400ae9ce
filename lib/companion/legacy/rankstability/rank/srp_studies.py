"""Simulated studies: their documents, the raters of each item, and scores (Riley et al. 2024)."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..errors import DataError
from ..score.mqm import Ratings, rater_scaling

GROUPINGS = ("pSxS", "system-balanced", "none")
TOLERANCE = 0.03  # by which a study may miss the entropy target
ROUNDS = 12  # attempts per study (in batches of four) before a target counts as infeasible


@dataclass(frozen=True)
class Design:
    """How a simulated study is set up (section 6.1).

    Parameters
    ----------
    grouping : ``pSxS``, ``system-balanced`` or ``none``
    balance : "full", or the target of the normalised entropy over raters (± 0.03)
    normalisation : ``none``, ``mean``, ``error`` or ``z``
    ratings_per_item : int
    documents : int, 0 for all
    studies : int
    per_document_set : int
        Studies on the same documents before others are drawn; SRP compares only these. 1: new
        documents for every study, and SRP over all pairs (section 7.4).
    permutations, alpha : those of the permutation test

    Raises
    ------
    DataError
        For an unknown grouping or balance, or a balance that the grouping does not allow.
    """

    grouping: str = "pSxS"
    balance: float | str = "full"
    normalisation: str = "none"
    ratings_per_item: int = 1
    documents: int = 0
    studies: int = 250
    per_document_set: int = 50
    permutations: int = 500
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.grouping not in GROUPINGS:
            raise DataError(
                "unknown grouping",
                value=self.grouping,
                expected=", ".join(GROUPINGS),
            )
        if self.balance == "full":
            return
        if not isinstance(self.balance, float | int):
            raise DataError(
                "unknown balance",
                value=self.balance,
                expected="full, or a number",
            )
        if self.grouping == "system-balanced":
            problem = "system-balanced studies are fully balanced"
            wanted = "balance = full"
            raise DataError(
                problem,
                value=self.balance,
                expected=f"{wanted} (appendix 10.3)",
            )


def draw_documents(
    data: Ratings, design: Design, rng: np.random.Generator
) -> np.ndarray:
    """The documents of each study, (studies, documents) positions in increasing order.

    Buckets give equal numbers as long as they can; the remainder comes from buckets drawn at
    random. Raises DataError if there are not enough documents.
    """
    buckets = data.buckets
    total = len(data.documents)
    wanted = design.documents or total
    if not 1 <= wanted <= total:
        raise DataError(
            "not that many documents", value=wanted, expected=f"1 to {total}"
        )
    room = np.array([len(b) for b in buckets])
    rows = []
    for _ in range(-(-design.studies // design.per_document_set)):
        take = np.zeros(len(buckets), dtype=int)
        while (left := wanted - take.sum()) > 0:
            open_ = np.flatnonzero(take < room)
            take[
                open_ if left >= len(open_) else rng.permutation(open_)[:left]
            ] += 1
        drawn = [
            rng.permutation(b)[:t] for b, t in zip(buckets, take, strict=True)
        ]
        rows.append(np.sort(np.concatenate(drawn)))
    return np.repeat(np.array(rows), design.per_document_set, axis=0)[
        : design.studies
    ]


def options(depth: int, ratings_per_item: int) -> np.ndarray:
    """Who can rate an item: (options, depth) 0/1. Raises DataError if too few ratings exist."""
    if not 1 <= ratings_per_item <= depth:
        problem = "not that many ratings per item"
        raise DataError(
            problem, value=ratings_per_item, expected=f"1 to {depth}"
        )
    chosen = list(combinations(range(depth), ratings_per_item))
    table = np.zeros((len(chosen), depth), dtype=int)
    np.put_along_axis(table, np.array(chosen), 1, axis=1)
    return table


def assign(
    data: Ratings,
    design: Design,
    documents: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Assign raters to items (appendix 10.3).

    Returns the row of `options` for each item, (n, S, d) for `documents` (n, d) from
    `draw_documents`; and whether the entropy target was met in `ROUNDS` attempts, (n,).
    """
    n = len(documents)
    systems = len(data.systems)
    table = options(data.shape[2], design.ratings_per_item)
    if design.balance == "full":
        return _round_robin(
            data, design.grouping, documents, len(table), rng
        ), np.ones(n, bool)
    size = documents.shape[1]
    copies = systems if design.grouping == "none" else 1
    choice = np.zeros((n, systems, size), dtype=np.int8)
    done = np.zeros(n, dtype=bool)
    for attempt in range(ROUNDS):
        waiting = np.flatnonzero(~done)
        if not len(waiting):
            break
        tried = np.repeat(waiting, 4)
        units = np.tile(documents[tried], copies)
        drawn, reached = _toward(
            data, units, table, float(design.balance), rng
        )
        good = np.abs(reached - float(design.balance)) <= TOLERANCE
        fresh, first = np.unique(tried[good], return_index=True)
        choice[fresh] = drawn[good][first].reshape(len(fresh), copies, size)
        done[fresh] = True
        if attempt == 2 and not done.any():
            break
    return choice, done


def _round_robin(
    data: Ratings,
    grouping: str,
    documents: np.ndarray,
    count: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Fully balanced choices, bucket by bucket: items are shuffled, then dealt to the options."""
    n, d = documents.shape
    systems = len(data.systems)
    bucket_of = np.empty(len(data.documents), dtype=int)
    for b, members in enumerate(data.buckets):
        bucket_of[members] = b
    units = bucket_of[documents][:, None, :]  # (n, 1, d)
    if grouping != "pSxS":
        units = np.repeat(units, systems, axis=1)
    if grouping == "none":
        units = units.reshape(n, 1, systems * d)
    # Ranks of one key deal all buckets: units ordered by bucket, shuffled within; then the
    # position in the bucket.
    key = units + rng.random(units.shape)
    rank = np.argsort(np.argsort(key, axis=-1), axis=-1)
    sizes = np.stack(
        [(units == b).sum(axis=-1) for b in range(len(data.buckets))], axis=-1
    )
    start = np.cumsum(sizes, axis=-1) - sizes
    position = rank - np.take_along_axis(start, units, axis=-1)
    dealt = np.argsort(
        rng.random((*start.shape, count)), axis=-1
    )  # options in random order
    choice = np.take_along_axis(
        dealt.reshape(*units.shape[:2], -1),
        units * count + position % count,
        axis=-1,
    )
    if grouping == "none":
        return choice.reshape(n, systems, d)
    return np.broadcast_to(choice, (n, systems, d))


def _toward(
    data: Ratings,
    units: np.ndarray,
    table: np.ndarray,
    target: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Random choices (n, u) for `units`, moved towards `target`; and the entropies reached."""
    n, u = units.shape
    raters = len(data.raters)
    each = int(table[0].sum())
    choice = rng.integers(0, len(table), size=(n, u)).astype(np.int8)
    counts = np.zeros((n, raters), dtype=np.int64)
    rows = np.arange(n)
    for k in range(data.shape[2]):
        code = rows[:, None] * raters + data.slots[units, k]
        each_rater = np.bincount(
            code.ravel(), table[choice, k].ravel(), minlength=n * raters
        )
        counts += each_rater.astype(np.int64).reshape(n, raters)
    total = u * each
    f = np.arange(total + 1, dtype=float)
    f[1:] *= np.log(f[1:])
    norm = np.log(raters) if raters > 1 else 1.0
    total_f = f[counts].sum(axis=1)
    order = np.argsort(rng.random((n, u)), axis=1)
    for t in range(u):
        at = order[:, t]
        who = data.slots[units[rows, at]]  # (n, K)
        bare = counts[rows[:, None], who] - table[choice[rows, at]]
        rest = total_f - f[bare + table[choice[rows, at]]].sum(axis=1)
        with_ = bare[:, None, :] + table[None, :, :]  # (n, options, K)
        sums = rest[:, None] + f[with_].sum(axis=2)
        gap = np.abs((np.log(total) - sums / total) / norm - target)
        best = np.argmin(
            np.round(gap, 12) + 1e-13 * rng.random(gap.shape), axis=1
        )
        choice[rows, at] = best
        counts[rows[:, None], who] = with_[rows, best]
        total_f = sums[rows, best]
    return choice, (np.log(total) - total_f / total) / norm


def item_scores(
    data: Ratings, design: Design, documents: np.ndarray, choice: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of segment scores, normalised and averaged over an item's ratings; segment counts.

    The sums are by study, system and document (n, S, d), the counts by study and document (n, d).
    """
    table = options(data.shape[2], design.ratings_per_item)
    n = len(documents)
    raters = len(data.raters)
    segments = data.segments[documents].astype(float)
    who = data.slots[documents]  # (n, d, K)
    code = (np.arange(n)[:, None, None] * raters + who).ravel()
    taken = table[choice].astype(float)  # (n, S, d, K)
    score = data.score[:, documents].swapaxes(0, 1)  # (n, S, d, K)

    def per_rater(values: np.ndarray) -> np.ndarray:
        sums = np.bincount(code, values.ravel(), minlength=n * raters)
        return sums.reshape(n, raters)

    def of_taken(part: np.ndarray) -> np.ndarray:
        return per_rater(
            np.einsum("nsdk,sndk->ndk", taken, part[:, documents])
        )

    if design.normalisation == "none":
        return (taken * score).sum(axis=3) / design.ratings_per_item, segments
    weight = taken.sum(axis=1) * segments[:, :, None]
    a, b = rater_scaling(
        design.normalisation,
        per_rater(weight),
        of_taken(data.score),
        of_taken(data.square),
        of_taken(data.errors),
    )
    rows = np.arange(n)[:, None, None]
    scale = a[rows, who]
    shift = b[rows, who] * segments[:, :, None]
    sums = (taken * (scale[:, None] * score + shift[:, None])).sum(axis=3)
    return sums / design.ratings_per_item, segments
