"""Tests of two systems on their segments, for all pairs of systems at once.

The bootstraps of WMT26 reproduce ``scipy.stats.bootstrap`` (BCa) from the same generator, without
its jackknife of n by n cells, which a mean does not need.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr, ndtri

from .tests import pairwise_p

MAX_RANGE_TO_COUNT = 1000  # whole scores in a narrower range are counted
BLOCK = 1 << 18  # differences that are ranked at a time
RESAMPLES = 100  # of WMT26's bootstraps
Draw = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
MAX_EXACT = 50  # up to this many segments, SciPy's signed rank test is exact (no ties, no zeros)
# and with ties or zeros, it enumerates all signs up to this many
MAX_ENUMERATED = 13


def signed_rank(
    scores: np.ndarray,
    sides: str = "two-sided",
    other: np.ndarray | None = None,
) -> np.ndarray:
    """Compute Wilcoxon signed rank tests between all pairs of systems, on the segments both have.

    Zero differences are dropped; p = 1 if all are zero or the two share no segment. Each p equals
    ``scipy.stats.wilcoxon`` with its default method. `scores` have shape (segments, systems), NaN
    where a system was not judged; p has shape (systems, systems), with NaN on the diagonal.
    ``greater``: the row's system is better than the column's. If `other`, of the same shape, is
    given, the second (later) system of a pair takes its scores from there.
    """
    n = scores.shape[1]
    first_scores = np.ascontiguousarray(scores.T)
    second_scores = first_scores if other is None else np.ascontiguousarray(other.T)
    first, second = np.triu_indices(n, 1)
    step = 1 + BLOCK // (1 + len(scores))
    p = np.full((n, n), np.nan)
    for start in range(0, len(first), step):  # blocks stay in the cache
        i = first[start : start + step]
        j = second[start : start + step]
        p[i, j], p[j, i] = _signed(first_scores[i] - second_scores[j], sides)
    return p


def _signed(gap: np.ndarray, sides: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the p that the first system of each pair is better, and that the second is.

    `gap`: the first's lead on each segment, (pairs, segments), NaN on those that they do not share.
    """
    pairs = len(gap)
    pair, segment = np.nonzero(np.isfinite(gap))
    judged = np.bincount(pair, minlength=pairs)
    difference = gap[pair, segment]
    pair = pair[difference != 0]
    difference = difference[difference != 0]
    n = np.bincount(pair, minlength=pairs)
    ranks, ties = rank_within_groups(np.abs(difference), pair, pairs)
    positive = np.bincount(pair, ranks * (difference > 0), pairs)
    better, worse = _normal(n, positive, np.bincount(pair, ranks**2, pairs))
    exact = (judged <= MAX_EXACT) & (judged == n) & (ties == 0)
    for p, sums in ((better, n * (n + 1) // 2 - positive), (worse, positive)):
        p[exact] = _distribution()[n[exact], sums[exact].astype(int)]
    of_pairs = np.split(ranks, np.cumsum(n)[:-1])
    for k in np.flatnonzero((judged <= MAX_ENUMERATED) & ~exact):
        sums = _all_sums(of_pairs[k])
        better[k] = (sums >= positive[k]).mean()
        worse[k] = (sums <= positive[k]).mean()
    if sides == "two-sided":
        better = worse = np.minimum(2 * np.minimum(better, worse), 1.0)
    return better, worse


def _normal(
    n: np.ndarray, positive: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the p that the first system is better, and worse, by the normal approximation.

    1 where there are none.
    `positive` is the sum of the ranks of differences above 0, `squares` that of all ranks squared.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (2 * positive - n * (n + 1) / 2) / np.sqrt(squares)
    return np.where(n > 0, ndtr(-z), 1.0), np.where(n > 0, ndtr(z), 1.0)


def signed_rank_of_all_differences(scores: np.ndarray) -> np.ndarray:
    """Compute one-sided signed rank tests on all differences between judgments of two systems.

    `scores` have shape (judgments, segments, systems), NaN where there is none: each judgment of a
    segment by one system is compared with each of the same segment by another. p is that of
    `signed_rank` on these differences, ``greater``. Many differences of whole scores are counted.
    """
    times, _, systems = scores.shape
    values = scores[np.isfinite(scores)]
    few = times > 1 and len(values) > 0 and np.ptp(values) < MAX_RANGE_TO_COUNT
    if few and (values == np.rint(values)).all():
        counts = _differences(scores - values.min(), int(np.ptp(values)))
        if (counts.sum(axis=1) > MAX_EXACT).all():
            return _square(systems, *_by_counts(counts))
    first = np.repeat(scores, times, axis=0).reshape(-1, systems)
    second = np.tile(scores, (times, 1, 1)).reshape(-1, systems)
    held = np.isfinite(first).any(axis=1) & np.isfinite(second).any(axis=1)
    return signed_rank(first[held], "greater", second[held])


def _differences(scores: np.ndarray, most: int) -> np.ndarray:
    """Count each difference from -most to most between judgments of two systems.

    `scores` are whole, from 0 to `most`, as in `signed_rank_of_all_differences`; the result has a row for each
    pair of systems. In the product of two tables of counts, segments by scores, stands how often
    each two scores meet.
    """
    tables = []
    for of_system in np.moveaxis(scores, -1, 0):
        judgment, segment = np.nonzero(np.isfinite(of_system))
        score = of_system[judgment, segment].astype(int)
        cells = np.ones(len(score)), (segment, score)
        tables.append(csr_array(cells, (scores.shape[1], most + 1)))
    rows = []
    for first, second in combinations(tables, 2):
        met = (first.T @ second).tocoo()
        difference = met.coords[0] - met.coords[1]
        rows.append(np.bincount(difference + most, met.data, 2 * most + 1))
    return np.array(rows).reshape(-1, 2 * most + 1)


def _by_counts(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the p that the first system of each pair is better, and worse, from `_differences`."""
    most = counts.shape[1] // 2
    wins = counts[:, most + 1 :]
    sizes = wins + counts[:, :most][:, ::-1]
    rank = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    positive = (wins * rank).sum(axis=1)
    n = sizes.sum(axis=1)
    return _normal(n, positive, (sizes * rank**2).sum(axis=1))


def rank_within_groups(
    values: np.ndarray, group: np.ndarray, groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rank values within their groups, equal values sharing their mean rank, and measure ties.

    `group` is from 0 to `groups` - 1. Ties are, for each group, the sum of t^3 - t over its sets of
    t equal values; 0 if there are none.
    """
    order = np.argsort(values)
    # short integers are sorted by radix
    small = group[order].astype(np.int16 if groups < 2**15 else np.int64)
    order = order[np.argsort(small, kind="stable")]
    value = values[order]
    of = group[order]
    new = np.ones(len(order), bool)
    new[1:] = (value[1:] != value[:-1]) | (of[1:] != of[:-1])
    start = np.flatnonzero(new)
    length = np.diff(np.append(start, len(order)))
    size = np.bincount(group, minlength=groups)
    before = np.cumsum(size) - size
    mean = start + (length + 1) / 2 - before[of[start]]
    ranks = np.empty(len(order))
    ranks[order] = np.repeat(mean, length)
    return ranks, np.bincount(of[start], length**3.0 - length, groups)


@lru_cache(maxsize=1)
def _distribution() -> np.ndarray:
    """Return P(sum of positive ranks <= w) for n ranks, n from 0 to `MAX_EXACT`: shape (n, w)."""
    size = MAX_EXACT * (MAX_EXACT + 1) // 2 + 1
    ways = np.zeros((MAX_EXACT + 1, size))
    ways[0, 0] = 1.0
    for n in range(1, MAX_EXACT + 1):
        ways[n] = ways[n - 1] / 2
        ways[n, n:] += ways[n - 1, :-n] / 2
    table = np.minimum(np.cumsum(ways, axis=1), 1.0)
    table.setflags(write=False)
    return table


def _all_sums(ranks: np.ndarray) -> np.ndarray:
    """Return the sums of the positive ranks, under each choice of signs."""
    sums = np.zeros(1)
    for rank in ranks:
        sums = np.concatenate([sums, sums + rank])
    return sums


def rank_sum_on_shared_segments(scores: np.ndarray) -> np.ndarray:
    """Compute one-sided Mann-Whitney tests of each pair on the segments both have (WMT23).

    Asymptotic, corrected for ties and continuity, as in ``scipy.stats.mannwhitneyu``. p has shape
    (systems, systems): the row's system is better than the column's. It is NaN on the diagonal, if
    two systems share no segment, and if all their values are equal.
    """
    known = np.isfinite(scores)
    if known.all():
        return pairwise_p(scores, "mann_whitney_greater")
    n = scores.shape[1]
    p = np.full((n, n), np.nan)
    for pair in combinations(range(n), 2):
        shared = scores[known[:, pair].all(axis=1)]
        p[np.ix_(pair, pair)] = pairwise_p(shared[:, pair], "mann_whitney_greater")
    return p


def _square(n: int, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Return the p of all pairs as a matrix: that of each pair, and that of its reverse."""
    p = np.full((n, n), np.nan)
    rows, columns = np.triu_indices(n, 1)
    p[rows, columns] = upper
    p[columns, rows] = lower
    return p


def stouffer(p: np.ndarray) -> np.ndarray:
    """Combine p-values, (domains, ...), by Stouffer's method with equal weights.

    With two-sided p-values it is blind to direction: opposite differences add up. A p of 1 in any
    domain makes the result 1, as in the script of WMT24; NaN stays NaN.
    """
    with np.errstate(invalid="ignore"):
        z = ndtri(1 - p)
        total = z.sum(axis=0) / np.sqrt(len(p))
    combined = 1 - ndtr(total)
    return np.where((p == 1).any(axis=0) & ~np.isnan(p).any(axis=0), 1.0, combined)


def signed_rank_by_domain(scores: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """Compute two-sided signed rank tests within each domain, combined as at WMT24.

    `scores` and p are as for `signed_rank`; `domain` is that of each segment.
    """
    parts = [signed_rank(scores[domain == d]) for d in np.unique(domain)]
    return stouffer(np.array(parts))


def resampled_means(sample: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return means of resamples with replacement, drawn as SciPy draws them."""
    size = len(sample)
    means: np.ndarray = sample[rng.integers(0, size, (resamples, size))].mean(axis=1)
    return means


def paired_or_independent_bootstrap(
    scores: np.ndarray, rng: np.random.Generator, draw: Draw = resampled_means
) -> np.ndarray:
    """Compute the p of a paired or an independent bootstrap that a system beats a later one.

    p < alpha exactly if the lower end of one of the two one-sided intervals of level 1 - alpha is
    above 0. The paired bootstrap is over the segments both have, the independent one over all
    segments of each; one with fewer than two segments, or a paired one without any segment won, has
    p = 1. Each pair has its own draws. Scores are sorted before drawing, so that the order of
    segments does not matter.

    `scores` have shape (segments, systems), NaN where a system was not judged; p has shape
    (systems, systems), with NaN on and below the diagonal.
    """
    n = scores.shape[1]
    p = np.full((n, n), np.nan)
    columns = np.ascontiguousarray(scores.T)
    samples = [_known(column) for column in columns]
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        gap = _known(columns[i] - columns[j])
        paired = len(gap) > 1 and gap[-1] > 0
        both = len(samples[i]) > 1 and len(samples[j]) > 1
        p[i, j] = min(
            bootstrap_p((gap,), rng, draw) if paired else 1.0,
            bootstrap_p((samples[i], samples[j]), rng, draw) if both else 1.0,
        )
    return p


def _known(scores: np.ndarray) -> np.ndarray:
    """Return the scores without NaN, sorted."""
    return np.sort(scores[np.isfinite(scores)])


def bootstrap_p(
    samples: tuple[np.ndarray, ...],
    rng: np.random.Generator,
    draw: Draw = resampled_means,
) -> float:
    """Return the least alpha at which the BCa interval of a mean, or of a difference of two, is above 0.

    The interval is one-sided, of level 1 - alpha. The result is 1 if SciPy gives no interval: all
    resamples are on one side of the mean, or scores never vary.
    """
    estimate = 0.0
    drawn = np.zeros(RESAMPLES)
    third = second = 0.0  # moments of the estimate
    for sample, sign in zip(samples, (1.0, -1.0), strict=False):
        size = len(sample)
        mean = sample.mean()
        drawn += sign * draw(sample, RESAMPLES, rng)
        estimate += sign * mean
        centred = sample - mean
        squares = centred * centred
        third += sign * (squares @ centred) / size**3
        second += squares.sum() / size**2
    acceleration = third / second**1.5 / 6 if second > 0 else np.nan
    drawn.sort()
    under = drawn.searchsorted(estimate, "left")
    under += drawn.searchsorted(estimate, "right")
    middle = ndtri(under / (2 * RESAMPLES))
    # resamples that are not above 0
    lost = drawn.searchsorted(0.0, "right")
    if not np.isfinite(acceleration + middle) or lost == RESAMPLES:
        return 1.0
    if lost == 0:
        return 0.0
    # the quantile at which the resamples pass 0, by linear interpolation between two of them
    share = (lost - 1 - drawn[lost - 1] / (drawn[lost] - drawn[lost - 1])) / (RESAMPLES - 1)
    if share <= 0:
        return 0.0
    lead = ndtri(share) - middle
    bent = 1 + acceleration * lead
    if bent <= 0:
        return float(acceleration < 0)
    return float(ndtr(lead / bent - middle))
