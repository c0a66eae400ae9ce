"""One family of tests: printed oracles, and a slow version pair by pair."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from companion.legacy.rankstability.rank.family import family, pair_share


def symmetric(n, upper):
    p = np.ones((n, n))
    i, j = np.triu_indices(n, 1)
    p[i, j] = p[j, i] = upper
    return p


def neighbours(*line, far=1e-9):
    """p of neighbours as given, of all other pairs `far`."""
    p = symmetric(len(line) + 1, far)
    for k, value in enumerate(line):
        p[k, k + 1] = p[k + 1, k] = value
    return p


def sets(declared):
    return 1 + declared.sum(axis=0), len(declared) - declared.sum(axis=1)


@pytest.mark.parametrize(
    ("line", "held", "low", "high"),
    [
        ((0.001, 0.02, 0.03, 0.9), (1, 1, 1, 0), (1, 2, 3, 4, 4), (1, 2, 3, 5, 5)),
        ((0.024, 0.03, 0.024, 0.9), (1, 0, 1, 0), (1, 2, 2, 4, 4), (1, 3, 3, 5, 5)),
    ],
)
def test_lines_and_sets_of_two_families(line, held, low, high):
    declared, lines = family(neighbours(*line))
    assert tuple(lines) == held
    assert [tuple(x) for x in sets(declared)] == [low, high]


@pytest.mark.parametrize(
    ("blocks", "tests"),
    [((2,), 1), ((3,), 3), ((4,), 6), ((5,), 10), ((10,), 45), ((2, 3), 5), ((3, 3), 6),
     ((3, 4), 9.333333)],
)  # fmt: skip
def test_the_share_of_a_pair(blocks, tests):
    block = np.repeat(np.arange(len(blocks)), blocks)
    assert 1 / pair_share(np.triu(block[:, None] == block, 1)) == pytest.approx(tests)


def test_three_systems_of_whom_two_may_be_equal_share_the_level_with_the_third():
    for line, held in ((0.04, [False, False]), (0.03, [True, False])):
        p = symmetric(3, 0.9)
        p[0, 1:] = p[1:, 0] = line
        assert family(p)[1].tolist() == held


def test_two_systems_are_tested_at_the_level_itself():
    assert family(neighbours(0.0499))[1].tolist() == [True]
    assert family(neighbours(0.0501))[1].tolist() == [False]
    assert family(neighbours(0.02), alpha=0.01)[1].tolist() == [False]


def share_of_all_partitions(undeclared):
    """`pair_share` from every partition of the order, one by one."""
    n, least = len(undeclared), 1.0
    for cuts in (c for k in range(n) for c in combinations(range(1, n), k)):
        ends = [0, *cuts, n]
        runs = [(i, j - 1) for i, j in pairwise(ends) if j - i > 1]
        if not all(undeclared[: i + 1, j:].any() for i, j in runs):
            continue
        sizes = [j - i + 1 for i, j in runs]
        number, held = len(sizes), sum(sizes)
        pairs = sum((b - 1) * (b - 2) / 2 for b in sizes)
        if number:
            least = min(least, (1 - 2 * number / held) / pairs if pairs else 2 / held)
    return least


def slow_family(p, alpha=0.05):
    """`family` as the definition reads, pair by pair."""
    n = len(p)
    declared, held = set(), set()
    while True:
        before = len(declared)
        ends = [0, *sorted(held), n]
        m = sum((j - i) / 2 for i, j in pairwise(ends) if j - i > 1)
        for k in range(1, n):
            pairs = {(a, b) for a in range(k) for b in range(k, n)}
            if max(p[a, b] for a, b in pairs) * m <= alpha:
                declared |= pairs
        matrix = np.triu(np.ones((n, n), bool), 1)
        for a, b in declared:
            matrix[a, b] = False
        share = share_of_all_partitions(matrix)
        declared |= {(a, b) for a, b in combinations(range(n), 2) if p[a, b] <= alpha * share}
        for b in range(n):
            declared |= {(a, c) for a in range(b) for c in range(b, n)
                         if (a, b) in declared and (b, c) in declared}  # fmt: skip
        held = {k for k in range(1, n)
                if all((a, b) in declared for a in range(k) for b in range(k, n))}  # fmt: skip
        if len(declared) == before:
            return declared, held


LEVELS = st.sampled_from([1e-9, 0.001, 0.0015, 0.003, 0.006, 0.011, 0.014, 0.02, 0.03, 0.06, 0.7])


def ps(most=7):
    def of(n):
        return st.lists(LEVELS, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2).map(
            lambda upper: symmetric(n, upper)
        )

    return st.integers(2, most).flatmap(of)


@given(ps(6))
@settings(max_examples=200)
def test_the_family_is_that_of_a_slow_version(p):
    declared, held = family(p)
    pairs, lines = slow_family(p)
    assert set(zip(*np.nonzero(declared), strict=True)) == pairs
    assert set(1 + np.flatnonzero(held)) == lines


@given(ps(9))
def test_a_line_holds_where_no_set_crosses_it_and_only_there(p):
    declared, held = family(p)
    low, high = sets(declared)
    for k in range(1, len(p)):
        apart = high[:k].max() <= k and low[k:].min() > k
        assert held[k - 1] == apart
    assert (low <= np.arange(1, len(p) + 1)).all() and (high >= np.arange(1, len(p) + 1)).all()


@given(ps(8), st.data())
def test_smaller_p_declare_more(p, data):
    i, j = np.triu_indices(len(p), 1)
    factor = data.draw(arrays(float, len(i), elements=st.sampled_from([1.0, 0.9, 0.3, 0.01])))
    more, lines = family(symmetric(len(p), p[i, j] * factor))
    declared, held = family(p)
    assert (more >= declared).all() and (lines >= held).all()


@given(ps(8), st.data())
def test_which_of_equal_means_stands_first_changes_nothing(p, data):
    n = len(p)
    group = np.cumsum([0, *data.draw(st.lists(st.booleans(), min_size=n - 1, max_size=n - 1))])
    p[group[:, None] == group] = 1.0
    chance = data.draw(st.permutations(range(n)))
    new = np.lexsort((chance, group))
    declared, held = family(p, 0.05, group)
    again, lines = family(p[np.ix_(new, new)], 0.05, group)
    assert (again == declared[np.ix_(new, new)]).all() and (lines == held).all()
