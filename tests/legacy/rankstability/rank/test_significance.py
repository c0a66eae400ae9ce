"""Rank-sum tests against SciPy, pair by pair; corrections against a slow version."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm, rankdata, tiecorrect
from statsmodels.stats.multitest import multipletests

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.significance import (
    adjusted,
    check_level,
    correct,
    draw_signs,
    permutation_test,
    rank_sum,
    sign_test,
)


def before_scipy_17(x, y):
    """What ``scipy.stats.mannwhitneyu(x, y)`` returned before SciPy 1.7, written out."""
    n1, n2 = len(x), len(y)
    ranked = rankdata(np.concatenate([x, y]))
    u1 = n1 * n2 + n1 * (n1 + 1) / 2 - ranked[:n1].sum()
    spread = np.sqrt(tiecorrect(ranked) * n1 * n2 * (n1 + n2 + 1) / 12)
    z = (max(u1, n1 * n2 - u1) - (n1 * n2 / 2 + 0.5)) / spread
    return norm.sf(z)


@st.composite
def samples(draw):
    size = draw(st.integers(2, 5))
    values = draw(
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(-4, 4).map(lambda v: v / 4)),
            min_size=2 * size,
            max_size=40,
        )
    )
    groups = np.array([g for g, _ in values] + list(range(size)))
    return np.array([v for _, v in values] + [9.0 + g for g in range(size)]), groups, size


@settings(max_examples=25, deadline=None)
@given(samples())
def test_all_pairs_at_once_equal_scipy_pair_by_pair(sample):
    values, groups, size = sample
    halved, lead = rank_sum(values, groups, size, "scipy<1.7")
    two, _ = rank_sum(values, groups, size, "two-sided")
    greater, _ = rank_sum(values, groups, size, "greater")
    for i in range(size):
        for j in range(size):
            if i == j:
                assert np.isnan(halved[i, j])
                continue
            x, y = values[groups == i], values[groups == j]
            theirs = mannwhitneyu(x, y, alternative="two-sided", method="asymptotic")
            assert two[i, j] == pytest.approx(theirs.pvalue, abs=1e-12)
            one = mannwhitneyu(x, y, alternative="greater", method="asymptotic").pvalue
            assert greater[i, j] == pytest.approx(one, abs=1e-12)
            assert halved[i, j] == pytest.approx(before_scipy_17(x, y), abs=1e-12)
            assert lead[i, j] == pytest.approx(theirs.statistic - len(x) * len(y) / 2)


def test_systems_whose_scores_are_all_equal_have_no_p_value():
    p, _ = rank_sum(np.zeros(6), np.array([0, 0, 0, 1, 1, 1]), 2)
    assert np.isnan(p[0, 1])


def test_an_unknown_test_or_correction_is_refused_by_name():
    with pytest.raises(DataError, match=r"t-test.*scipy<1\.7"):
        rank_sum(np.zeros(2), np.array([0, 1]), 2, "t-test")
    with pytest.raises(DataError, match="bonferoni"):
        correct(np.zeros((2, 2)), "bonferoni")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_corrections_are_over_unordered_pairs(values):
    p = np.full((4, 4), np.nan)
    upper = np.triu_indices(4, 1)
    p[upper] = p.T[upper] = values
    for method in ("holm", "benjamini-hochberg"):
        corrected = correct(p, method)
        np.testing.assert_array_equal(corrected, corrected.T)
        np.testing.assert_array_equal(corrected[upper], adjusted(values, method))
    assert np.array_equal(correct(p, "none"), p, equal_nan=True)


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg"])
def test_adjusted_p_values_are_those_of_statsmodels(method):
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 40):
        p = np.round(rng.random(n) ** 3, 2)  # with ties
        wanted = multipletests(p, method={"holm": "holm"}.get(method, "fdr_bh"))[1]
        assert adjusted(p, method) == pytest.approx(wanted)
    assert adjusted(np.array([]), method).shape == (0,)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 999), st.integers(2, 4), st.integers(1, 9), st.integers(1, 3))
def test_permutations_swap_two_systems_labels_by_whole_documents(seed, systems, documents, block):
    """Studies in blocks, in each of which one set of signs serves all pairs."""
    sums = np.random.default_rng(seed).integers(-3, 4, (4, systems, documents)).astype(float)
    p, strength = permutation_test(sums, 40, np.random.default_rng(1), block)
    rng = np.random.default_rng(1)
    signs = [draw_signs(min(block, 4 - at), 40, documents, rng) for at in range(0, 4, block)]
    signs = np.concatenate(signs)
    assert set(np.unique(signs)) <= {-1.0, 1.0}
    pairs = list(zip(*np.triu_indices(systems, 1), strict=True))
    for study, (k, (i, j)) in product(range(4), enumerate(pairs)):
        gap = sums[study, i] - sums[study, j]
        extreme = [abs(sign @ gap) >= abs(gap.sum()) for sign in signs[study]]
        assert p[study, k] == pytest.approx(np.mean(extreme))
        spread = np.sqrt((gap**2).sum())
        assert strength[study, k] == pytest.approx(abs(gap.sum()) / spread if spread else 0)


@pytest.mark.parametrize("alpha", [0, 1, 1.5, -0.1, float("nan"), "0.05", None])
def test_a_level_is_a_number_between_0_and_1(alpha):
    with pytest.raises(DataError, match="alpha out of range") as error:
        check_level(alpha)
    assert error.value.expected == "a number between 0 and 1"
    for level in (1e-9, 0.05, np.float32(0.5), 0.999):
        check_level(level)


def test_one_sided_p_of_a_pair_add_up_to_one_and_two_sided_ones_never_pass_it():
    values, groups = np.array([1.0, 2, 2, 3, 2, 2, 1, 3]), np.repeat([0, 1], 4)
    two, lead = rank_sum(values, groups, 2, "two-sided")
    assert two[0, 1] == two[1, 0] == 1.0 and lead.tolist() == [[0, 0], [0, 0]]
    halved = rank_sum(values, groups, 2)[0]
    assert 0.5 < halved[0, 1] == before_scipy_17(values[:4], values[4:])
    p = rank_sum(values, np.array([0, 1, 1, 0, 1, 1, 1, 0]), 2, "greater")[0]
    assert p[0, 1] + p[1, 0] > 1  # each is corrected for continuity by half a rank


def test_systems_without_values_have_no_p():
    p, lead = rank_sum(np.arange(4.0), np.array([0, 0, 2, 2]), 3)
    assert np.isnan(p[1]).all() and np.isnan(p[:, 1]).all() and np.isfinite(p[0, 2])
    assert lead[2, 0] == 2 == -lead[0, 2] and (np.diag(lead) == 0).all()


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e6])
def test_permutations_do_not_depend_on_the_unit_of_scores(unit):
    sums = np.random.default_rng(3).integers(-3, 4, (2, 3, 6)).astype(float)
    sums[1, 2] = sums[1, 1]  # two systems alike
    p, strength = permutation_test(sums, 60, np.random.default_rng(1))
    again, alike = permutation_test(sums * unit, 60, np.random.default_rng(1))
    np.testing.assert_array_equal(again, p)
    np.testing.assert_allclose(alike, strength)
    assert p[1, 2] == 1 and strength[1, 2] == 0


@pytest.mark.parametrize("documents", [1, 7, 8, 9, 16, 17])
def test_signs_are_drawn_for_every_document(documents):
    signs = draw_signs(2, 300, documents, np.random.default_rng(1))
    assert signs.shape == (2, 300, documents) and set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=(0, 1))).max() < 5 / np.sqrt(600)


def test_the_sign_test_by_hand():
    assert sign_test(np.array([9, 5, 0, 1, 3]), np.array([1, 5, 0, 0, 2])) == pytest.approx(
        [22 / 1024, 1, 1, 1, 1]
    )
