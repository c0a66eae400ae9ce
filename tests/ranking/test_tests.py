"""Rank sum tests equal SciPy, pair by pair; corrections equal statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from rankstability import DataError
from rankstability.arguments import check_alpha
from rankstability.ranking.tests import (
    TESTS,
    apply_test,
    correct,
    rank_sum_tests,
    sign_test,
)


def before_scipy_17(x, y):
    """Compute what ``scipy.stats.mannwhitneyu(x, y)`` returned before SciPy 1.7."""
    n1, n2 = len(x), len(y)
    ranked = stats.rankdata(np.concatenate([x, y]))
    u1 = n1 * n2 + n1 * (n1 + 1) / 2 - ranked[:n1].sum()
    spread = np.sqrt(stats.tiecorrect(ranked) * n1 * n2 * (n1 + n2 + 1) / 12)
    z = (max(u1, n1 * n2 - u1) - (n1 * n2 / 2 + 0.5)) / spread
    return stats.norm.sf(z)


@st.composite
def samples(draw):
    size = draw(st.integers(2, 5))
    score = st.tuples(st.integers(0, size - 1), st.integers(-4, 4).map(lambda v: v / 4))
    scores = draw(st.lists(score, min_size=2 * size, max_size=40))
    groups = np.array([group for group, _ in scores] + list(range(size)))
    return np.array([v for _, v in scores] + [9.0 + k for k in range(size)]), groups, size


@settings(max_examples=25, deadline=None)
@given(samples())
def test_all_pairs_at_once_equal_scipy_pair_by_pair(sample):
    values, groups, size = sample
    halved, lead = rank_sum_tests(values, groups, size, "mann_whitney_halved")
    two_sided, _ = rank_sum_tests(values, groups, size, "mann_whitney")
    greater, _ = rank_sum_tests(values, groups, size, "mann_whitney_greater")
    assert np.isnan([np.diag(p) for p in (halved, two_sided, greater)]).all()
    for i in range(size):
        for j in set(range(size)) - {i}:
            x, y = values[groups == i], values[groups == j]
            scipy = stats.mannwhitneyu(x, y, alternative="two-sided", method="asymptotic")
            assert two_sided[i, j] == pytest.approx(scipy.pvalue, abs=1e-12)
            p = stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic").pvalue
            assert greater[i, j] == pytest.approx(p, abs=1e-12)
            assert halved[i, j] == pytest.approx(before_scipy_17(x, y), abs=1e-12)
            assert lead[i, j] == pytest.approx(scipy.statistic - len(x) * len(y) / 2)


def test_systems_without_values_or_with_equal_values_have_no_p():
    p, _ = rank_sum_tests(np.zeros(6), np.array([0, 0, 0, 1, 1, 1]), 2)
    assert np.isnan(p[0, 1])
    p, lead = rank_sum_tests(np.arange(4.0), np.array([0, 0, 2, 2]), 3)
    assert np.isnan(p[1]).all() and np.isnan(p[:, 1]).all() and np.isfinite(p[0, 2])
    assert lead[2, 0] == 2 == -lead[0, 2] and (np.diag(lead) == 0).all()


def test_a_name_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(DataError) as caught:
        rank_sum_tests(np.zeros(2), np.array([0, 1]), 2, "mann_whitny")
    assert (caught.value.code, caught.value.expected) == ("unknown_test", "mann_whitney")
    with pytest.raises(DataError) as caught:
        correct(np.zeros((2, 2)), "bonferoni")
    assert caught.value.code == "unknown_correction"
    assert all(name == name.lower() for name in TESTS)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_corrections_are_over_unordered_pairs(values):
    p = np.full((4, 4), np.nan)
    upper = np.triu_indices(4, 1)
    p[upper] = p.T[upper] = values
    for method, name in (("holm", "holm"), ("benjamini-hochberg", "fdr_bh")):
        corrected = correct(p, method)
        np.testing.assert_array_equal(corrected, corrected.T)
        np.testing.assert_allclose(corrected[upper], multipletests(values, method=name)[1])
    assert np.array_equal(correct(p, "none"), p, equal_nan=True)


def test_pairs_without_p_are_left_out_of_a_correction():
    p = np.array([[np.nan, 0.01, np.nan], [0.01, np.nan, 0.04], [np.nan, 0.04, np.nan]])
    corrected = correct(p, "holm")
    assert corrected[0, 1] == 0.02 and corrected[1, 2] == 0.04 and np.isnan(corrected[0, 2])
    assert np.isnan(correct(np.full((2, 2), np.nan), "holm")).all()


@pytest.mark.parametrize("alpha", [0, 1, 1.5, -0.1, float("nan"), "0.05", None])
def test_a_level_is_a_number_between_0_and_1(alpha):
    with pytest.raises(DataError) as caught:
        check_alpha(alpha)
    assert caught.value.code == "bad_alpha"
    for level in (1e-9, 0.05, np.float32(0.5), 0.999):
        check_alpha(level)


def test_the_sign_test_by_hand():
    p = sign_test(np.array([9, 5, 0, 1, 3]), np.array([1, 5, 0, 0, 2]))
    assert p == pytest.approx([22 / 1024, 1, 1, 1, 1])


def test_the_p_of_a_function_stands_on_both_sides_of_the_diagonal():
    p = apply_test([np.arange(5.0) + 3, np.arange(4.0)], stats.ttest_ind)  # a result of SciPy
    assert p[0, 1] == p[1, 0] == stats.ttest_ind(np.arange(5.0) + 3, np.arange(4.0)).pvalue
    assert np.isnan(apply_test([np.zeros(3)] * 2, lambda a, b: np.nan)[0, 1])


@pytest.mark.parametrize("value", [1.5, -0.1, "0.01", None, np.array([0.1, 0.2])])
def test_a_function_must_return_a_p_between_0_and_1(value):
    with pytest.raises(DataError) as caught:
        apply_test([np.zeros(3)] * 2, lambda a, b: value)
    assert caught.value.code == "bad_p_value"
