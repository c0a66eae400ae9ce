"""Paired tests: each p is SciPy's, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankstability.errors import DataError
from rankstability.rank import paired


def scores(segments, systems, seed, kind):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(segments, systems)) + np.linspace(0.6, 0, systems)
    if kind == "integers":
        x = np.round(x * 2)
    if kind == "holes":
        x = np.round(x * 20)
        x[rng.random(x.shape) < 0.2] = np.nan
    if kind == "equal":
        x[:, 1] = x[:, 0]
    return x


def each(x, one):
    n = x.shape[1]
    p = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            if i != j:
                shared = np.isfinite(x[:, i]) & np.isfinite(x[:, j])
                p[i, j] = one(x[shared, i], x[shared, j])
    return p


KINDS = ["plain", "integers", "holes", "equal"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("segments", [9, 13, 14, 50, 51, 200])
@pytest.mark.parametrize("sides", paired.SIDES)
def test_signed_rank_is_scipys(segments, kind, sides):
    x = scores(segments, 3, segments, kind)

    def one(a, b):
        return 1.0 if (a == b).all() else stats.wilcoxon(a, b, alternative=sides).pvalue

    np.testing.assert_allclose(paired.signed_rank(x, sides), each(x, one), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", paired.SIDES)
def test_t_tests_are_scipys(kind, sides):
    x = scores(60, 5, 3, kind)

    def one(a, b):
        return 1.0 if (a == b).all() else stats.ttest_rel(a, b, alternative=sides).pvalue

    np.testing.assert_allclose(paired.paired_t(x, sides), each(x, one), rtol=1e-8)
    own = [x[np.isfinite(x[:, k]), k] for k in range(5)]
    expected = np.array(
        [
            [np.nan if i == j else stats.ttest_ind(a, b, alternative=sides).pvalue
             for j, b in enumerate(own)]
            for i, a in enumerate(own)
        ]
    )  # fmt: skip
    np.testing.assert_allclose(paired.independent_t(x, sides), expected, rtol=1e-8)


def test_stouffer_is_scipys_and_one_certain_domain_decides():
    p = np.array([[0.01, 0.5, 0.2], [0.3, 0.4, 1.0]])
    expected = [stats.combine_pvalues(p[:, k], "stouffer").pvalue for k in range(2)]
    np.testing.assert_allclose(paired.stouffer(p)[:2], expected)
    assert paired.stouffer(p)[2] == 1.0


def test_stouffer_over_two_sided_p_is_blind_to_direction():
    """What WMT24's script does: two domains with opposite differences make a tiny p."""
    gap = np.arange(1.0, 61.0)
    x = np.column_stack([np.concatenate([gap, -gap]), np.zeros(120)])
    domain = np.repeat([0, 1], 60)
    assert paired.signed_rank_by_domain(x, domain)[0, 1] < 1e-10
    assert paired.signed_rank(x)[0, 1] > 0.05


def test_an_unknown_alternative_is_refused():
    with pytest.raises(DataError, match="two-sided, greater"):
        paired.signed_rank(np.zeros((3, 2)), "less")
