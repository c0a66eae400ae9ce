"""Stable Ranking Probability: simulated studies, their tests, how far they agree (Riley 2024)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from .errors import DataError
from .mqm import Ratings, rater_scaling

GROUPINGS = ("pSxS", "system-balanced", "none")
TOLERANCE = 0.03  # of the entropy target
ROUNDS = 12  # attempts per study (in batches of four) before a target counts as infeasible


@dataclass(frozen=True)
class Design:
    """How a simulated study is set up (section 6.1).

    Parameters
    ----------
    grouping : str
        ``pSxS``, ``system-balanced`` or ``none``.
    balance : "full" or float
        Work spread evenly, or the target of the normalised entropy over raters (± 0.03).
    normalisation : str
        ``none``, ``mean``, ``error`` or ``z``.
    ratings_per_item : int
    documents : int
        0: all.
    studies : int
    per_document_set : int
        Studies on the same documents before they are drawn anew; SRP compares only these. 1:
        new documents for every study, and SRP over all pairs (section 7.4).
    permutations, alpha : int, float
        Of the permutation test.
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
            raise DataError("unknown grouping", value=self.grouping, expected=", ".join(GROUPINGS))
        if self.balance != "full" and not isinstance(self.balance, float | int):
            raise DataError("unknown balance", value=self.balance, expected="full, or a number")
        if self.grouping == "system-balanced" and self.balance != "full":
            raise DataError(
                "system-balanced studies are fully balanced",
                value=self.balance,
                expected="balance = full (appendix 10.3)",
            )


@dataclass(frozen=True)
class Outcome:
    """What n studies found on S systems, P = S(S-1)/2 pairs i < j in order of `pairs`.

    Parameters
    ----------
    systems : tuple of str
    pairs : (P, 2) int array
    means : (n, S) array
        System scores, higher is worse (as MQM).
    p : (n, P) array
        Two-sided p of the permutation test.
    strength : (n, P) array
        |difference| over its standard deviation under the test: orders pairs with equal p.
    sets : (n,) int array
        Which set of documents (or, elsewhere, of units) a study was run on.
    alpha : float
    """

    systems: tuple[str, ...]
    pairs: np.ndarray
    means: np.ndarray
    p: np.ndarray
    strength: np.ndarray
    sets: np.ndarray
    alpha: float

    @property
    def sign(self) -> np.ndarray:
        """(n, P): 1 where the first system of the pair is better, -1 the second, 0 neither."""
        gap = self.means[:, self.pairs[:, 1]] - self.means[:, self.pairs[:, 0]]
        return np.where(np.abs(gap) > 1e-12, np.sign(gap), 0).astype(np.int8)

    @property
    def significant(self) -> np.ndarray:
        """(n, P): p <= alpha."""
        return self.p <= self.alpha + 1e-12


def draw_documents(data: Ratings, design: Design, rng: np.random.Generator) -> np.ndarray:
    """The documents of each study, (studies, documents) positions in increasing order.

    Each bucket gives equally many; what does not divide goes to buckets drawn at random.
    """
    buckets, total = data.buckets, len(data.documents)
    wanted = design.documents or total
    if not 1 <= wanted <= total:
        raise DataError("so many documents are not there", value=wanted, expected=f"1 to {total}")
    count = -(-design.studies // design.per_document_set)
    room = np.array([len(b) for b in buckets])
    rows = []
    for _ in range(count):
        take = np.zeros(len(buckets), dtype=int)
        while (left := wanted - take.sum()) > 0:
            open_ = np.flatnonzero(take < room)
            if left >= len(open_):
                take[open_] += 1
            else:
                take[rng.permutation(open_)[:left]] += 1
        drawn = [rng.permutation(b)[:t] for b, t in zip(buckets, take, strict=True)]
        rows.append(np.sort(np.concatenate(drawn)))
    return np.repeat(np.array(rows), design.per_document_set, axis=0)[: design.studies]


def options(depth: int, ratings_per_item: int) -> np.ndarray:
    """Who can rate an item: (options, depth) 0/1, each row one choice of raters of the bucket."""
    if not 1 <= ratings_per_item <= depth:
        raise DataError(
            "so many ratings per item are not there",
            value=ratings_per_item,
            expected=f"1 to {depth}",
        )
    chosen = list(combinations(range(depth), ratings_per_item))
    table = np.zeros((len(chosen), depth), dtype=int)
    for row, columns in enumerate(chosen):
        table[row, list(columns)] = 1
    return table


def assign(
    data: Ratings, design: Design, documents: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Allot items to raters (appendix 10.3).

    Parameters
    ----------
    documents : (n, d) int array
        From `draw_documents`.

    Returns
    -------
    choice : (n, S, d) int array
        Row of `options` per item.
    done : (n,) bool array
        False: the entropy target was not met in `ROUNDS` attempts.
    """
    n, systems = len(documents), len(data.systems)
    table = options(data.shape[2], design.ratings_per_item)
    if design.balance == "full":
        return _round_robin(data, design.grouping, documents, len(table), rng), np.ones(n, bool)
    shape = (n, systems, documents.shape[1])
    choice, done = np.zeros(shape, dtype=np.int8), np.zeros(n, dtype=bool)
    for attempt in range(ROUNDS):
        waiting = np.flatnonzero(~done)
        if not len(waiting):
            break
        tried = np.repeat(waiting, 4)
        units = documents[tried]
        if design.grouping == "none":
            units = np.repeat(units[:, None, :], systems, axis=1).reshape(len(tried), -1)
        drawn, entropy = _toward(data, units, table, float(design.balance), rng)
        good = np.abs(entropy - float(design.balance)) <= TOLERANCE
        fresh, first = np.unique(tried[good], return_index=True)
        found = drawn[good][first]
        if design.grouping == "none":
            choice[fresh] = found.reshape(len(fresh), *shape[1:])
        else:
            choice[fresh] = found[:, None, :]
        done[fresh] = True
        if attempt == 2 and not done.any():
            break
    return choice, done


def _round_robin(
    data: Ratings, grouping: str, documents: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Fully balanced choices, bucket by bucket: shuffle, then deal to the shuffled options."""
    n, d = documents.shape
    systems = len(data.systems)
    bucket_of = np.empty(len(data.documents), dtype=int)
    for b, members in enumerate(data.buckets):
        bucket_of[members] = b
    bucket = bucket_of[documents]  # (n, d)
    if grouping == "pSxS":
        units = bucket[:, None, :]
    elif grouping == "system-balanced":
        units = np.repeat(bucket[:, None, :], systems, axis=1)
    else:
        units = np.repeat(bucket[:, None, :], systems, axis=1).reshape(n, 1, systems * d)
    # One sort deals all buckets: units ordered by bucket, shuffled within; position in the bucket.
    key = units + rng.random(units.shape)
    order = np.argsort(key, axis=-1)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(units.shape[-1])[None, None, :], axis=-1)
    start = np.zeros((*units.shape[:2], len(data.buckets)), dtype=int)
    sizes = np.stack([(units == b).sum(axis=-1) for b in range(len(data.buckets))], axis=-1)
    start[..., 1:] = np.cumsum(sizes, axis=-1)[..., :-1]
    position = rank - np.take_along_axis(start, units, axis=-1)
    dealt = np.argsort(rng.random((*start.shape, count)), axis=-1)  # options in random order
    choice = np.take_along_axis(
        dealt.reshape(*units.shape[:2], -1), units * count + position % count, axis=-1
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
    """Random choices, then in random order each moved to where the entropy is nearest `target`.

    Parameters
    ----------
    units : (n, u) int array
        The document of each unit.

    Returns
    -------
    choice : (n, u) int array
    entropy : (n,) array
        Normalised by the log of the number of raters of the dataset.
    """
    n, u = units.shape
    raters, each = len(data.raters), int(table[0].sum())
    choice = rng.integers(0, len(table), size=(n, u)).astype(np.int8)
    counts = np.zeros((n, raters), dtype=np.int64)
    rows = np.arange(n)
    for k in range(data.shape[2]):
        code = rows[:, None] * raters + data.slots[units, k]
        counts += (
            np.bincount(code.ravel(), table[choice, k].ravel(), minlength=n * raters)
            .astype(np.int64)
            .reshape(n, raters)
        )
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
        best = np.argmin(np.round(gap, 12) + 1e-13 * rng.random(gap.shape), axis=1)
        choice[rows, at] = best
        counts[rows[:, None], who] = with_[rows, best]
        total_f = sums[rows, best]
    return choice, (np.log(total) - total_f / total) / norm


def entropy(data: Ratings, documents: np.ndarray, choice: np.ndarray, table: np.ndarray) -> Any:
    """Normalised entropy of the work over raters (section 6.1.2), one value per study."""
    n = len(documents)
    raters = len(data.raters)
    counts = np.zeros((n, raters))
    for k in range(data.shape[2]):
        who = np.broadcast_to(data.slots[documents, k][:, None, :], choice.shape)
        for i in range(n):
            counts[i] += np.bincount(who[i].ravel(), table[choice[i], k].ravel(), minlength=raters)
    share = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(share, where=share > 0, out=np.zeros_like(share))
    return -(share * logs).sum(axis=1) / np.log(raters)


def minimum_entropy(data: Ratings, ratings_per_item: int = 1) -> float:
    """The least normalised entropy that can be had with all documents.

    Entropy is concave, so at the minimum each bucket is left to one set of raters; all choices
    are tried up to a million, beyond that the buckets are taken in turn.
    """
    table = options(data.shape[2], ratings_per_item)
    parts = []
    for members in data.buckets:
        block = np.zeros((len(table), len(data.raters)))
        block[:, data.slots[members[0]]] = table * len(members)
        parts.append(block)

    def value(counts: np.ndarray) -> np.ndarray:
        share = counts / counts.sum(axis=-1, keepdims=True)
        logs = np.log(share, where=share > 0, out=np.zeros_like(share))
        return -(share * logs).sum(axis=-1) / np.log(len(data.raters))

    if len(table) ** len(parts) <= 1_000_000:
        half = len(parts) // 2
        right = np.array([np.sum(c, axis=0) for c in product(*parts[half:])])
        left = [np.sum(c, axis=0) if c else 0.0 for c in product(*parts[:half])]
        return float(min(value(a + right).min() for a in left))
    counts = np.zeros(len(data.raters))
    for block in parts:
        counts = counts + block[value(counts + block).argmin()]
    return float(value(counts))


def item_scores(
    data: Ratings, design: Design, documents: np.ndarray, choice: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Normalised sums of segment scores per study, system and document, and the segment counts.

    Returns
    -------
    sums : (n, S, d) array
        Ratings of an item averaged.
    segments : (n, d) array
    """
    table = options(data.shape[2], design.ratings_per_item)
    n, raters = len(documents), len(data.raters)
    segments = data.segments[documents].astype(float)
    who = data.slots[documents]  # (n, d, K)
    code = (np.arange(n)[:, None, None] * raters + who).ravel()
    taken = table[choice].astype(float)  # (n, S, d, K)
    score = data.score[:, documents].swapaxes(0, 1)  # (n, S, d, K)

    def per_rater(values: np.ndarray) -> np.ndarray:
        return np.bincount(code, values.ravel(), minlength=n * raters).reshape(n, raters)

    if design.normalisation == "none":
        return (taken * score).sum(axis=3) / design.ratings_per_item, segments
    weight = taken.sum(axis=1) * segments[:, :, None]
    square = errors = np.zeros((n, raters))
    if design.normalisation == "z":
        square = per_rater(np.einsum("nsdk,sndk->ndk", taken, data.square[:, documents]))
    if design.normalisation == "error":
        errors = per_rater(np.einsum("nsdk,sndk->ndk", taken, data.errors[:, documents]))
    total = per_rater(np.einsum("nsdk,nsdk->ndk", taken, score))
    a, b = rater_scaling(design.normalisation, per_rater(weight), total, square, errors)
    rows = np.arange(n)[:, None, None]
    scale, shift = a[rows, who], b[rows, who] * segments[:, :, None]
    sums = (taken * (scale[:, None] * score + shift[:, None])).sum(axis=3)
    return sums / design.ratings_per_item, segments


def permutation_test(
    sums: np.ndarray, permutations: int, rng: np.random.Generator, block: int = 25
) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided permutation test of every pair of systems, labels swapped unit by unit (section 5).

    Swapping two systems' labels on a document turns the sign of that document's difference, so
    signs drawn once per study serve every pair through one matrix product.

    Parameters
    ----------
    sums : (n, S, d) array
        Sums of segment scores per study, system and document.
    permutations : int
        Random swaps; p = (those at least as extreme) / permutations.

    Returns
    -------
    p, strength : (n, P) arrays
        For pairs i < j in the order of ``np.triu_indices(S, 1)``; see `Outcome`.
    """
    n, systems, d = sums.shape
    i, j = np.triu_indices(systems, 1)
    p, strength = np.empty((n, len(i))), np.empty((n, len(i)))
    for start in range(0, n, block):
        part = sums[start : start + block]
        bits = np.frombuffer(rng.bytes(len(part) * permutations * (-(-d // 8))), dtype=np.uint8)
        signs = np.unpackbits(bits.reshape(len(part), permutations, -1), axis=2)[:, :, :d]
        swapped = (signs * 2.0 - 1.0) @ part.swapaxes(1, 2)  # (block, permutations, S)
        swapped = np.ascontiguousarray(swapped.swapaxes(1, 2))
        gaps = part[:, i] - part[:, j]
        seen = np.abs(gaps.sum(axis=2))
        scale = np.sqrt((gaps**2).sum(axis=2))
        limit = seen - 1e-9 * np.maximum(scale, 1e-12)
        for pair in range(len(i)):
            drawn = np.abs(swapped[:, i[pair]] - swapped[:, j[pair]])
            p[start : start + block, pair] = (drawn >= limit[:, pair, None]).mean(axis=1)
        strength[start : start + block] = np.divide(
            seen, scale, where=scale > 0, out=np.zeros_like(seen)
        )
    return p, strength


def outcome(
    sums: np.ndarray,
    segments: np.ndarray,
    systems: Sequence[str],
    sets: np.ndarray,
    design: Design,
    rng: np.random.Generator,
) -> Outcome:
    """Rank and test each study: `sums` (n, S, d), `segments` (n, d)."""
    p, strength = permutation_test(sums, design.permutations, rng)
    means = sums.sum(axis=2) / segments.sum(axis=1)[:, None]
    pairs = np.stack(np.triu_indices(len(systems), 1), axis=1)
    return Outcome(tuple(systems), pairs, means, p, strength, sets, design.alpha)


def simulate(data: Ratings, design: Design, rng: np.random.Generator) -> Outcome:
    """Run the studies of a design; those whose entropy target cannot be met are left out."""
    documents = draw_documents(data, design, rng)
    choice, done = assign(data, design, documents, rng)
    documents, choice = documents[done], choice[done]
    if design.per_document_set == 1:
        sets = np.zeros(len(documents), dtype=int)
    else:
        _, sets = np.unique(documents, axis=0, return_inverse=True)
        sets = sets.ravel()
    sums, segments = item_scores(data, design, documents, choice)
    return outcome(sums, segments, data.systems, sets, design, rng)


def stability(found: Outcome, claims: int = 0) -> dict[str, float]:
    """How far the studies agree, over ordered pairs of studies of the same set (section 5).

    Parameters
    ----------
    claims : int
        Claimed pairs per study for `srp_equal_claims`; 0: two thirds of all pairs.

    Returns
    -------
    dict
        studies; srp (Eqs. 1 and 2); se, its Monte Carlo standard error (jackknife over studies,
        or over sets of documents where there are several); significant_pairs, the mean number
        per study; empty_share, of studies without any; srp_both (footnote 3: significant in both
        studies); srp_equal_claims (each study claims its `claims` most significant pairs);
        kendall, pearson: mean correlation of system scores. NaN where fewer than two studies
        share a set.
    """
    n = len(found.means)
    sign, significant = found.sign, found.significant
    claims = claims or max(1, 2 * sign.shape[1] // 3)
    rank = np.lexsort((-found.strength, found.p), axis=1)
    top = np.zeros_like(significant)
    np.put_along_axis(top, rank[:, :claims], True, axis=1)
    sums: dict[str, float] = dict.fromkeys(
        ("srp", "srp_both", "srp_equal_claims", "kendall", "pearson"), 0.0
    )
    pairs, jack, per_set = 0, np.full(n, np.nan), []
    for s in np.unique(found.sets):
        rows = np.flatnonzero(found.sets == s)
        m = len(rows)
        if m < 2:
            continue
        pairs += m * (m - 1)
        agrees = _holds(sign[rows], significant[rows], np.ones_like(significant[rows]))
        sums["srp"] += agrees.sum()
        sums["srp_both"] += _holds(sign[rows], significant[rows], significant[rows]).sum()
        every = np.ones_like(top[rows])
        sums["srp_equal_claims"] += _holds(sign[rows], top[rows], every).sum()
        x = sign[rows].astype(float)
        x /= np.maximum(np.sqrt((x**2).sum(axis=1, keepdims=True)), 1e-12)
        sums["kendall"] += (x @ x.T).sum() - (x**2).sum()
        y = found.means[rows] - found.means[rows].mean(axis=1, keepdims=True)
        y /= np.maximum(np.sqrt((y**2).sum(axis=1, keepdims=True)), 1e-12)
        sums["pearson"] += (y @ y.T).sum() - (y**2).sum()
        per_set.append(agrees.sum() / (m * (m - 1)))
        if m > 2:
            without = agrees.sum() - agrees.sum(axis=0) - agrees.sum(axis=1)
            jack[rows] = without / ((m - 1) * (m - 2))
    result: dict[str, float] = {"studies": n}
    result |= {k: v / pairs if pairs else np.nan for k, v in sums.items()}
    if len(per_set) > 2:
        result["se"] = float(np.std(per_set, ddof=1) / np.sqrt(len(per_set)))
    else:
        seen = jack[np.isfinite(jack)]
        result["se"] = float(np.sqrt((len(seen) - 1) * seen.var())) if len(seen) else np.nan
    each = significant.sum(axis=1)
    result["significant_pairs"] = float(each.mean()) if n else np.nan
    result["empty_share"] = float((each == 0).mean()) if n else np.nan
    return result


def _holds(sign: np.ndarray, claimed: np.ndarray, granted: np.ndarray) -> np.ndarray:
    """(m, m) 0/1: every pair claimed in e1 has the same sign, `granted`, in e2; diagonal 0."""
    claim = np.concatenate([claimed & (sign > 0), claimed & (sign < 0)], axis=1)
    fails = ~np.concatenate([granted & (sign > 0), granted & (sign < 0)], axis=1)
    holds = (claim.astype(np.float32) @ fails.astype(np.float32).T) < 0.5
    # a claim whose observed difference is exactly 0 has no direction and cannot be reflected
    holds &= ~(claimed & (sign == 0)).any(axis=1)[:, None]
    np.fill_diagonal(holds, False)
    return holds.astype(float)


def run(data: Ratings, design: Design, seed: int, claims: int = 0) -> dict[str, Any]:
    """One configuration: the row of `srp.csv` (without `pair`), reproducible from `seed`.

    The generator depends on the seed and the design, not on what was run before.
    """
    key = repr(sorted(design.__dict__.items())).encode()
    rng = np.random.default_rng([seed, *np.frombuffer(key, dtype=np.uint8).tolist()])
    found = simulate(data, design, rng)
    row: dict[str, Any] = {
        "grouping": design.grouping,
        "balance": design.balance,
        "normalisation": design.normalisation,
        "ratings_per_item": design.ratings_per_item,
        "documents": design.documents or len(data.documents),
        "document_sets": "every study" if design.per_document_set == 1 else "shared",
    }
    return row | stability(found, claims)


COLUMNS = [
    "grouping",
    "balance",
    "normalisation",
    "ratings_per_item",
    "documents",
    "studies",
    "srp",
    "significant_pairs",
    "empty_share",
    "se",
    "srp_both",
    "srp_equal_claims",
    "kendall",
    "pearson",
    "document_sets",
]


def table(
    data: Ratings, designs: Sequence[Design], seed: int, jobs: int = 1, claims: int = 0
) -> pd.DataFrame:
    """`run` for every design (each once), in order; the same for any number of jobs."""
    unique = list(
        dict.fromkeys(replace(d, documents=d.documents or len(data.documents)) for d in designs)
    )
    if jobs == 1:
        rows = [run(data, d, seed, claims) for d in unique]
    else:
        from joblib import Parallel, delayed

        rows = Parallel(n_jobs=jobs)(delayed(run)(data, d, seed, claims) for d in unique)
    return pd.DataFrame(rows)[COLUMNS]
