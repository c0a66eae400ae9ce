import numpy as np
import pytest

from rankstability.inference.family import pair_share, step_down


def p_of_neighbours(values, rest=1e-9):
    n = len(values) + 1
    p = np.full((n, n), rest)
    for k, value in enumerate(values):
        p[k, k + 1] = p[k + 1, k] = value
    np.fill_diagonal(p, 1.0)
    return p


def ranks(better):
    n = len(better)
    return (1 + better.sum(axis=0)).tolist(), (n - better.sum(axis=1)).tolist()


@pytest.mark.parametrize(
    ("groups", "expected"),
    [((2,), 1), ((3,), 3), ((4,), 6), ((5,), 10), ((10,), 45), ((2, 3), 5), ((3, 3), 6),
     ((3, 4), 28 / 3)],
)  # fmt: skip
def test_share_of_open_groups(groups, expected):
    group = np.repeat(np.arange(len(groups)), groups)
    is_open = np.triu(group[:, None] == group, 1)
    assert 1 / pair_share(is_open) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("p", "supported"), [(0.04, []), (0.03, [0])])
def test_boundary_of_three_systems(p, supported):
    matrix = np.array([[1, p, p], [p, 1, 0.9], [p, 0.9, 1]])
    assert np.flatnonzero(step_down(matrix)[1]).tolist() == supported


@pytest.mark.parametrize(
    ("values", "supported", "low", "high"),
    [
        ((0.001, 0.02, 0.03, 0.9), [1, 1, 1, 0], [1, 2, 3, 4, 4], [1, 2, 3, 5, 5]),
        ((0.024, 0.03, 0.024, 0.9), [1, 0, 1, 0], [1, 2, 2, 4, 4], [1, 3, 3, 5, 5]),
    ],
)
def test_boundaries_and_ranks_of_five_systems(values, supported, low, high):
    better, found = step_down(p_of_neighbours(values))
    assert found.astype(int).tolist() == supported
    assert ranks(better) == (low, high)


def test_better_is_transitive_and_agrees_with_boundaries():
    rng = np.random.default_rng(5)
    for _ in range(50):
        n = int(rng.integers(2, 12))
        p = rng.random((n, n)) ** rng.uniform(1, 20)
        p = np.triu(p, 1) + np.triu(p, 1).T
        np.fill_diagonal(p, 1.0)
        better, supported = step_down(p)
        assert not (better & ~np.triu(np.ones((n, n), bool), 1)).any()
        assert not (((better.astype(int) @ better) > 0) & ~better).any()
        for r in range(1, n):
            assert supported[r - 1] == better[:r, r:].all()


def test_order_within_equal_means_has_no_effect():
    p = np.array([[1, 0.9, 0.001, 0.2], [0.9, 1, 0.6, 0.001], [0.001, 0.6, 1, 0.4],
                  [0.2, 0.001, 0.4, 1]])  # fmt: skip
    place = np.array([0, 1, 1, 2])
    swap = np.array([0, 2, 1, 3])
    one = step_down(p, 0.05, place)[0]
    other = step_down(p[np.ix_(swap, swap)], 0.05, place)[0]
    assert (one == other[np.ix_(swap, swap)]).all()


def test_false_statements_of_equal_systems_are_rare():
    rng = np.random.default_rng(11)
    from scipy.stats import norm

    false = 0
    for _ in range(2000):
        mean = np.sort(rng.normal(size=4))[::-1]
        p = 2 * norm.sf(np.abs(np.subtract.outer(mean, mean)) / np.sqrt(2))
        false += step_down(p)[0].any()
    assert false / 2000 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2000)
