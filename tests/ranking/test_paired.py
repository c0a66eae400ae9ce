"""Paired tests and the bootstraps of WMT26 equal SciPy, from the same random draws."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rankstability.ranking import paired


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


def of_each_pair(x, test):
    n = x.shape[1]
    p = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            if i != j:
                shared = np.isfinite(x[:, i]) & np.isfinite(x[:, j])
                p[i, j] = test(x[shared, i], x[shared, j])
    return p


KINDS = ["plain", "integers", "holes", "equal"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("segments", [9, 14, 50, 51, 200])
@pytest.mark.parametrize("sides", ["two-sided", "greater"])
def test_signed_rank_equals_scipy(segments, kind, sides):
    x = scores(segments, 3 if segments > 9 else 2, segments, kind)

    def test(a, b):
        return 1.0 if (a == b).all() else stats.wilcoxon(a, b, alternative=sides).pvalue

    np.testing.assert_allclose(
        paired.signed_rank(x, sides), of_each_pair(x, test), rtol=1e-9, atol=1e-15
    )


def test_signed_rank_enumerates_signs_where_scipy_does():
    x = scores(paired.MAX_ENUMERATED, 2, 13, "integers")
    p = stats.wilcoxon(x[:, 0], x[:, 1], alternative="greater").pvalue
    assert paired.signed_rank(x, "greater")[0, 1] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("segments", [1, 9, 60])
def test_rank_sums_on_shared_segments_equal_scipy(segments, kind):
    x = scores(segments, 4, 7, kind)

    def test(a, b):
        if not len(a) or len(set(a) | set(b)) == 1:
            return np.nan
        return stats.mannwhitneyu(a, b, alternative="greater", method="asymptotic").pvalue

    np.testing.assert_allclose(
        paired.rank_sum_on_shared_segments(x), of_each_pair(x, test), rtol=1e-9
    )


def test_systems_without_a_common_segment_are_not_significant():
    x = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 9.0], [np.nan, 8.0]])
    assert paired.signed_rank(x)[0, 1] == 1.0
    assert np.isnan(paired.rank_sum_on_shared_segments(x)).all()


def test_stouffer_equals_scipy_and_a_p_of_1_decides():
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


@pytest.mark.parametrize(("kind", "unit"), [(float, 0.5), (float, 1), (np.int16, 1), (int, 1)])
def test_equal_values_share_their_mean_rank(kind, unit):
    rng = np.random.default_rng(6)
    values, group = (rng.integers(5, size=400) * unit).astype(kind), rng.integers(3, size=400)
    ranks, ties = paired.rank_within_groups(values, group, 4)
    for k in range(3):
        members = values[group == k]
        assert ranks[group == k].tolist() == stats.rankdata(members).tolist()
        number = np.unique(members, return_counts=True)[1]
        assert ties[k] == (number**3 - number).sum()
    assert ties[3] == 0  # of a group without values


@pytest.mark.parametrize("kind", [float, np.int16])
@pytest.mark.parametrize("groups", [3, 2**15 - 1, 2**15, 2**15 + 9])
def test_rank_within_groups_groups_are_those_of_a_group_by_however_many_groups(groups, kind):
    rng = np.random.default_rng(9)
    group = np.append(np.arange(groups), rng.integers(groups, size=6 * groups))
    values = rng.integers(4, size=len(group)).astype(kind)
    ranks, ties = paired.rank_within_groups(values, group, groups)
    np.testing.assert_array_equal(ranks, pd.Series(values).groupby(group).rank().to_numpy())
    sizes = pd.Series(values).groupby([group, values]).size()
    np.testing.assert_array_equal(ties, (sizes**3 - sizes).groupby(level=0).sum())


@pytest.mark.parametrize(("segments", "step"), [(40, 1.0), (40, 0.5), (3, 1.0)])
def test_tests_of_all_differences_equal_scipy(segments, step):
    """Whole scores are counted, other ones and few differences are written out."""
    rng = np.random.default_rng(segments)
    x = rng.normal(60 - 2 * np.arange(3), 9, (4, segments, 3)).round() * step
    x[rng.random(x.shape) < 0.2] = np.nan
    x[:, 0, 1] = np.nan  # a segment that one system lacks
    p = paired.signed_rank_of_all_differences(x)
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 0)]:
        gap = (x[:, None, :, i] - x[None, :, :, j]).ravel()
        gap = gap[np.isfinite(gap)]
        expected = stats.wilcoxon(gap, alternative="greater").pvalue
        assert p[i, j] == pytest.approx(expected, rel=1e-9)


def test_all_differences_of_systems_without_a_common_segment_are_not_significant():
    x = np.full((2, 60, 2), np.nan)
    x[:, :30, 0] = 1.0
    x[:, 30:, 1] = 2.0
    assert paired.signed_rank_of_all_differences(x)[0, 1] == 1.0
    assert np.isnan(paired.signed_rank_of_all_differences(x[:, :30, :1])).all()  # one system alone


def ratings(segments, systems, seed, kind="plain"):
    rng = np.random.default_rng(seed)
    x = rng.normal(60, 9, (segments, systems)).round() + np.linspace(4, 0, systems)
    if kind == "skewed":
        x = 100 - rng.exponential(12, x.shape).round() + np.linspace(4, 0, systems)
    if kind == "holes":
        x[rng.random(x.shape) < 0.3] = np.nan
    return x


def interval(samples, rng, alpha):
    """SciPy's lower end, with its defaults and 100 resamples."""

    def gap(*data, axis=-1):
        return data[0].mean(axis=axis) - (data[1].mean(axis=axis) if len(data) > 1 else 0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = stats.bootstrap(
            samples, gap, n_resamples=100, confidence_level=1 - alpha, alternative="greater",
            vectorized=True, rng=rng,
        )  # fmt: skip
    return result.confidence_interval.low


def literal(x, rng, alpha):
    """Pair by pair as the organisers' script asks, scores sorted before."""
    n = x.shape[1]
    out = np.zeros((n, n), bool)
    for i in range(n):
        for j in range(i + 1, n):
            gap = np.sort((x[:, i] - x[:, j])[np.isfinite(x[:, i] - x[:, j])])
            samples = tuple(np.sort(x[np.isfinite(x[:, k]), k]) for k in (i, j))
            if len(gap) > 1 and (gap > 0).any():
                out[i, j] |= interval((gap,), rng, alpha) > 0
            if min(map(len, samples)) > 1:
                out[i, j] |= interval(samples, rng, alpha) > 0
    return out


@pytest.mark.parametrize("kind", ["plain", "skewed", "holes"])
@pytest.mark.parametrize("segments", [5, 40, 150])
def test_bootstraps_equal_scipy_from_the_same_draws(segments, kind):
    x = ratings(segments, 4, segments, kind)
    for alpha in (0.01, 0.05, 0.2):
        p = paired.paired_or_independent_bootstrap(x, np.random.default_rng(8))
        expected = literal(x, np.random.default_rng(8), alpha)
        np.testing.assert_array_equal(np.nan_to_num(p, nan=1.0) < alpha, expected)


@pytest.mark.parametrize("two", [False, True])
def test_p_is_the_level_at_which_the_interval_of_scipy_passes_zero(two):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        samples = tuple(rng.exponential(1, 30) - 0.7 for _ in range(1 + two))
        p = paired.bootstrap_p(samples, np.random.default_rng(seed))
        if 1e-4 < p < 0.9:
            for alpha, above in ((p * 0.999, False), (p * 1.001, True)):
                low = interval(samples, np.random.default_rng(seed), alpha)
                assert (low > 0) == above, (seed, p)


def test_where_scipy_gives_no_interval_nothing_is_significant():
    for constant in (np.full(9, 3.0), np.zeros(9)):
        assert paired.bootstrap_p((constant,), np.random.default_rng(0)) == 1.0
    x = np.array([[5.0, 4.0], [5.0, 4.0]])
    assert paired.paired_or_independent_bootstrap(x, np.random.default_rng(0))[0, 1] == 1.0
    alone = np.array([[5.0, np.nan], [np.nan, 4.0]])
    assert paired.paired_or_independent_bootstrap(alone, np.random.default_rng(0))[0, 1] == 1.0


def test_two_sided_p_is_at_most_1():
    """As many wins as losses of one size: each side has more than half of all signs."""
    gap = np.array([1.0, -1, 2, -2, 3, -3])
    x = np.column_stack([gap, np.zeros(6)])
    assert paired.signed_rank(x)[0, 1] == 1.0
    one_sided = paired.signed_rank(x, "greater")
    assert one_sided[0, 1] == one_sided[1, 0] > 0.5
    assert paired.signed_rank(np.zeros((5, 2)), "greater")[1, 0] == 1.0


def test_blocks_of_pairs_change_nothing(monkeypatch):
    x = scores(60, 6, 3, "integers")
    whole = paired.signed_rank(x, "greater")
    monkeypatch.setattr(paired, "BLOCK", 130)  # two pairs at a time
    np.testing.assert_array_equal(paired.signed_rank(x, "greater"), whole)
    monkeypatch.setattr(paired, "BLOCK", 1)
    np.testing.assert_array_equal(paired.signed_rank(x, "greater"), whole)


def test_the_second_system_can_have_other_scores():
    x, y = scores(20, 3, 4, "plain"), scores(20, 3, 5, "plain")
    p = paired.signed_rank(x, "greater", y)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = stats.wilcoxon(x[:, i], y[:, j], alternative="greater").pvalue
        assert p[i, j] == pytest.approx(expected)


def test_the_exact_distribution_is_that_of_all_signs_and_read_only():
    table = paired._distribution()
    assert table.shape == (51, 1276)
    assert table[3, :7].tolist() == [1 / 8, 2 / 8, 3 / 8, 5 / 8, 6 / 8, 7 / 8, 1]
    assert table[0, 0] == 1 and table[50, 1274] <= table[50, 1275] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        table[3, 0] = 0.0


@pytest.mark.parametrize("segments", [49, 50, 51])
def test_differences_of_few_judgments_are_tested_exactly_and_of_many_counted(segments):
    """Of one judgment a segment, crossed is paired; whole scores and others alike."""
    x = np.random.default_rng(segments).permutation(np.arange(3 * segments)).reshape(1, segments, 3)
    p = paired.signed_rank_of_all_differences(x.astype(float))
    np.testing.assert_allclose(p, paired.signed_rank(x[0].astype(float), "greater"))
    two = np.concatenate([x, x + 1]).astype(float)
    np.testing.assert_allclose(
        paired.signed_rank_of_all_differences(two),
        paired.signed_rank_of_all_differences(two + 0.5),
        rtol=1e-9,
    )


def test_differences_are_counted_by_size_from_the_lowest_to_the_highest():
    first = np.array([[0.0, 2], [np.nan, 1]])  # (segments, systems): a lacks the second
    second = np.array([[3.0, 2], [np.nan, np.nan]])
    counts = paired._differences(np.stack([first, second]), 3)
    # 0 - 2 and 0 - 2, 3 - 2 and 3 - 2: each of two judgments with each of two
    assert counts.tolist() == [[0, 2, 0, 0, 2, 0, 0]]
    better, worse = paired._by_counts(counts)
    # ranks 1.5, 1.5 (won) and 3.5, 3.5 (lost): 3 of 10
    z = (2 * 3 - 10) / np.sqrt(2 * 1.5**2 + 2 * 3.5**2)
    assert (better[0], worse[0]) == pytest.approx((stats.norm.sf(z), stats.norm.cdf(z)))
    none = paired._by_counts(np.zeros((1, 7), int))
    assert none[0].tolist() == none[1].tolist() == [1.0]


def test_stouffer_gives_no_p_to_a_pair_without_p():
    p = np.array([[np.nan, 1.0, 0.02], [1.0, np.nan, 0.02]])
    combined = paired.stouffer(p)
    assert np.isnan(combined[:2]).all() and 0 < combined[2] < 0.02
    assert paired.stouffer(p[1:, 2:])[0] == pytest.approx(0.02)  # one domain is itself


def test_p_is_0_if_every_draw_is_won():
    rng = np.random.default_rng(0)
    assert paired.bootstrap_p((np.linspace(5, 6, 30),), rng) == 0.0
    assert paired.bootstrap_p((np.linspace(-6, -5, 30),), rng) == 1.0


def drawn(means):
    """Draws of a bootstrap that are what they are told, whatever the sample."""
    return lambda sample, resamples, rng: np.array(means, float)


def test_p_by_hand_is_the_share_at_which_the_draws_pass_zero():
    """Of a symmetric sample with half the draws below its mean, BCa is the plain quantile."""
    sample, rng = np.array([0.0, 1.0, 2.0]), np.random.default_rng(0)
    above = np.linspace(1.1, 1.5, 50)
    for low, share in (
        ([-0.5, -0.25], 1 + 0.25 / 1.0),  # the third lowest is 0.75
        ([-0.5, -0.75 / 3], 1 + 0.25),
        ([-0.25, -0.125, -0.0625], 2 + 0.0625 / 0.8125),
        (np.full(50, -1.0), 49 + 1 / 2.1),
    ):
        draws = [*low, *np.full(50 - len(low), 0.75), *above]
        got = paired.bootstrap_p((sample,), rng, drawn(draws))
        assert got == pytest.approx(share / 99), low
    first = [-0.25, *np.full(49, 0.75), *above]
    assert paired.bootstrap_p((sample,), rng, drawn(first)) == pytest.approx(0.25 / 99)
    assert paired.bootstrap_p((sample,), rng, drawn([0.0, *first[1:]])) == 0.0


def test_a_bootstrap_needs_two_segments_and_a_win():
    rng = np.random.default_rng(0)
    one = np.array([[9.0, 1.0], [np.nan, 2.0], [8.0, np.nan]])  # shared: the first alone
    assert paired.paired_or_independent_bootstrap(one, rng)[0, 1] == 0.0  # apart, two of each
    lost = np.array([[1.0, 1.0], [2.0, 3.0], [np.nan, 0.0]])
    p = paired.paired_or_independent_bootstrap(lost, rng)
    assert 0 < p[0, 1] <= 1 and np.isnan(p[1, 0]) and np.isnan(np.diag(p)).all()
    alone = np.array([[5.0, 4.0]])
    assert paired.paired_or_independent_bootstrap(alone, rng)[0, 1] == 1.0
    three = paired.paired_or_independent_bootstrap(np.array([[5.0, np.nan], [6.0, 1.0]]), rng)
    assert three[0, 1] == 1.0  # one segment of the second: neither paired nor apart


def test_rank_within_groups_groups_sorted_one_by_one_are_those_of_all_at_once():
    rng = np.random.default_rng(3)
    group = np.sort(rng.integers(3, size=4000))
    values = rng.integers(900, size=4000) / 2
    shuffled = rng.permutation(4000)
    ranks, ties = paired.rank_within_groups(values, group, 3)
    again, alike = paired.rank_within_groups(values[shuffled], group[shuffled], 3)
    np.testing.assert_array_equal(again, ranks[shuffled])
    np.testing.assert_array_equal(alike, ties)
    for k in range(3):
        expected = stats.rankdata(values[group == k])
        np.testing.assert_array_equal(ranks[group == k], expected)
    none = paired.rank_within_groups(np.zeros(0), np.zeros(0, int), 2)
    assert none[0].shape == (0,) and none[1].tolist() == [0, 0]
