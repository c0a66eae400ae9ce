"""Means and what units do to them: printed oracles."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.rank.means import Means, alike_p
from companion.legacy.rankstability.rank.units import Kind, difference_variance, within_domains
from companion.legacy.rankstability.score.scored import from_frame


def by_unit(*systems):
    """Certainty by document of systems given as (unit, score) of each judgment."""
    rows = [(f"s{s}", f"{k}", f"d{u}", v) for s, of in enumerate(systems)
            for k, (u, v) in enumerate(of)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["system", "segment", "document", "score"])
    return certainty(from_frame(frame))


def test_uneven_units_are_left_out_one_by_one():
    units = [0, 0, 0, 1, 1, 2]
    first, second = [5, 3, 4, 1, 2, 6], [2, 2, 1, 0, 3, 4]
    got = by_unit(list(zip(units, first, strict=True)), list(zip(units, second, strict=True)))
    deviations = []
    for unit in range(3):
        kept = np.array(units) != unit
        deviations.append(np.array(first)[kept].mean() - np.array(second)[kept].mean())
    gap = np.mean(first) - np.mean(second)
    by_hand = 2 / 3 * ((np.array(deviations) - gap) ** 2).sum()
    assert got.variance[0, 1] == pytest.approx(0.844630, abs=5e-7) == by_hand
    assert got.df[0, 1] == pytest.approx(1.571429, abs=5e-7)
    assert got.p[0, 1] == pytest.approx(0.276371, abs=5e-7)
    none, unit = np.zeros(6, int), np.array(units)
    kind = within_domains(np.array(first, float), np.full(6, 1 / 6), np.array([3.5]),
                          unit=unit, system=none, domain=none)  # fmt: skip
    assert kind.influence[:, 0] == pytest.approx([0.408248, -0.816497, 0.408248], abs=5e-7)


def test_a_system_of_few_units_is_no_surer_than_one_of_many_would_be_with_as_few():
    many = list(enumerate([0, 0, 0, 0, 10, 20]))
    got = by_unit(many, [(7, 0), (8, 0)])
    assert got.variance[0, 1] == pytest.approx(23.333333, abs=5e-7)
    assert (got.df[0, 1], got.p[0, 1]) == pytest.approx((1, 0.489022), abs=5e-7)
    assert got.placed.tolist() == [True, False] and not got.told


def test_a_unit_alone_in_several_domains_is_left_out_of_all_of_them():
    """Three annotators with two domains each are a paired t test of three, not of six domains."""
    scores = np.random.default_rng(8).normal(size=(2, 6))
    system, domain = np.indices(scores.shape).reshape(2, -1)
    frame = pd.DataFrame({"system": system, "segment": domain, "worker": domain // 2})
    frame = frame.assign(domain=domain).astype(str).assign(score=scores.ravel())
    got = certainty(from_frame(frame), by_domain=True)
    gap = (scores[0] - scores[1]).reshape(3, 2).mean(axis=1)
    assert got.df[0, 1] == pytest.approx(2)
    assert got.p[0, 1] == pytest.approx(stats.ttest_1samp(gap, 0).pvalue)


def random_kind(rng, units, systems, effective):
    share = rng.random((units, systems))
    return Kind(share / share.sum(axis=0), rng.normal(size=share.shape), np.array(effective, float))


def two_ways(rng):
    """Means of three systems with units of two kinds, and their combinations."""
    kinds = {"worker": random_kind(rng, 5, 3, [4.0, 2.5, 3.0]),
             "document": random_kind(rng, 6, 3, [3.5, 6.0, 2.0])}  # fmt: skip
    return Means(
        ["a", "b", "c"], np.array([3.0, 1.0, 2.5]), kinds, random_kind(rng, 9, 3, [8, 9, 4])
    )


def floor_of(own, size, i, j):
    """Of a system with many units, what its mean varies with as few as another has."""
    if size[i] == size[j]:
        return 0.0
    many, few = (i, j) if size[i] > size[j] else (j, i)
    return own[many] * (size[many] / size[few] - 1)


@pytest.mark.parametrize("seed", range(5))
def test_two_kinds_vary_as_their_sum_less_what_their_combinations_count_twice(seed):
    means = two_ways(np.random.default_rng(seed))
    kinds = [*means.kinds.values(), means.cell]
    one, two, both = (kind.influence.T @ kind.influence for kind in kinds)
    together, variance, own = means.variances()
    np.testing.assert_allclose(together, one + two - both)
    np.testing.assert_allclose(own, np.max([np.diag(x) for x in (one, two, together)], axis=0))
    for i in range(3):
        for j in range(3):
            least = [c[i, i] + c[j, j] - 2 * c[i, j] for c in (one, two, together)]
            least += [floor_of(np.diag(c), kind.effective, i, j)
                      for c, kind in zip((one, two, both), kinds, strict=True)]  # fmt: skip
            assert variance[i, j] == pytest.approx(max(0.0, *least))
    assert means.freedom().tolist() == [2.5, 1.5, 1.0]
    p, df = means.tests()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        gap = abs(means.mean[i] - means.mean[j])
        assert df[i, j] == df[j, i] == min(means.freedom()[[i, j]])
        assert (
            p[i, j]
            == p[j, i]
            == pytest.approx(2 * stats.t.sf(gap / np.sqrt(variance[i, j]), df[i, j]))
        )
    assert np.diag(p).tolist() == [1, 1, 1]


def test_some_systems_in_another_order_keep_all_that_is_known_of_them():
    rng = np.random.default_rng(3)
    more = {"decisions": np.array([9.0, 5.0, 7.0]), "outside": np.array([False, True, False])}
    means = replace(two_ways(rng), **more)
    taken = means.take(np.array([2, 0]))
    assert taken.systems == ["c", "a"] and taken.mean.tolist() == [2.5, 3.0]
    assert taken.decisions.tolist() == [7, 9] and taken.outside.tolist() == [False, False]
    np.testing.assert_array_equal(taken.cell.influence, means.cell.influence[:, [2, 0]])
    grid = np.ix_([2, 0], [2, 0])
    for part, whole in zip(taken.variances()[:2], means.variances()[:2], strict=True):
        np.testing.assert_allclose(part, whole[grid])
    np.testing.assert_allclose(taken.tests()[0], means.tests()[0][grid])
    plain = Means(["a"], np.array([1.0]), {}).take(np.array([0]))
    assert plain.cell is None and plain.decisions is None and plain.outside is None


def test_of_comparisons_the_number_of_decisions_says_who_has_few():
    rng = np.random.default_rng(4)
    kind = random_kind(rng, 5, 2, [5, 5])
    decisions = np.array([40.0, 4.0])
    variance = Means("ab", np.zeros(2), {"judge": kind}, decisions=decisions).variances()[1]
    own = np.diag(kind.covariance())
    plain = Means("ab", np.zeros(2), {"judge": kind}).variances()[1]
    assert plain[0, 1] < variance[0, 1] == pytest.approx(own[0] * 9)  # 40 decisions to 4


def test_means_seen_through_weights_are_sums_of_means_and_so_are_their_errors():
    means = two_ways(np.random.default_rng(5))
    weights = np.array([[1.0, -1, 0], [0, 1, -1], [0.5, 0.5, -1]])
    seen = means.seen_through(weights)
    assert seen.mean == pytest.approx([2.0, -1.5, -0.5])
    for name in means.kinds:
        got, before = seen.kinds[name].covariance(), means.kinds[name].covariance()
        np.testing.assert_allclose(got, weights @ before @ weights.T)
    np.testing.assert_allclose(seen.cell.influence, means.cell.influence @ weights.T)
    assert replace(means, cell=None).seen_through(weights).cell is None


def still(gap, span, error=0.0, effective=(4.0, 4.0)):
    """p of two systems between which units differ by `error` only."""
    influence = np.array([[0.0, error], [0.0, 0.0]])
    kind = Kind(np.full((2, 2), 0.5), influence, np.array(effective))
    return Means("ab", np.array([gap, 0.0]), {"worker": kind}, span=span).tests()[0][0, 1]


def test_what_is_a_rounding_error_in_the_range_of_scores_is_none_of_units():
    assert still(1.0, 1.0) == 2.0**-3  # all alike: the sign test of four
    assert still(0.0, 1.0) == still(0.0, 0.0) == 1.0
    assert still(1e3, 1e6, 0.7) == 2.0**-3  # a variance of 0.49 where scores range over a million
    assert still(1e3, 1e6, 2.0) == pytest.approx(2 * stats.t.sf(500, 3))
    assert still(1e-7, 1e6) == 1.0 and still(1e-5, 1e6) == 2.0**-3
    assert still(1e-6, 1e-3, 1e-8) == pytest.approx(2 * stats.t.sf(100, 3))
    assert still(1.0, 1.0, 0.5, (1.0, 4.0)) == 1.0  # one unit tells nothing
    assert still(np.nan, 1.0, 0.5) == 1.0


def test_without_kinds_of_units_there_is_no_freedom_and_no_scale_means_no_bounds():
    none = Means("ab", np.array([1.0, 0.0]), {})
    assert none.freedom().tolist() == [0, 0] and none.tests()[0].tolist() == [[1, 1], [1, 1]]
    assert none.scale == (-np.inf, np.inf) and none.span == 1.0
    one = Kind(np.ones((1, 2)), np.zeros((1, 2)), np.array([1.0, 1.5]))
    assert Means("ab", np.zeros(2), {"worker": one}).freedom().tolist() == [0.0, 0.5]
    with pytest.raises(FrozenInstanceError):
        none.span = 2.0


def test_the_p_of_units_all_alike_is_that_of_a_sign_test():
    assert alike_p(np.array([0.0, 1.0, 5.0])).tolist() == [1, 0.5, stats.binomtest(0, 6).pvalue]


def test_variances_have_the_unit_of_scores_and_a_system_without_units_no_floor():
    means = two_ways(np.random.default_rng(6))
    small = means.seen_through(np.eye(3) / 1000)
    for part, whole in zip(small.variances(), means.variances(), strict=True):
        np.testing.assert_allclose(part * 1e6, whole, atol=1e-9)
    kind = replace(means.kinds["worker"], effective=np.array([4.0, 0.0, 4.0]))
    variance = Means("abc", np.zeros(3), {"worker": kind}).variances()[1]
    np.testing.assert_allclose(variance, difference_variance(kind.covariance()), atol=1e-12)
