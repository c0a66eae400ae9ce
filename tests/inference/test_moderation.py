import numpy as np
import pytest
from scipy.special import polygamma

from rankstability.inference.assemble import two_sided_p
from rankstability.inference.moderation import inverse_trigamma, moderate_variances, prior_df
from rankstability.inference.over_strata import compare_within
from rankstability.inference.within import Stratum, fit_stratum
from rating_tables import crossed

PAIRS = [(0, 1), (0, 2), (0, 4), (3, 4)]


@pytest.fixture
def tests():
    table = crossed()
    stratum = Stratum(table.system, table.segment, table.score, table.weights(), table.units)
    return compare_within([fit_stratum(stratum, 5)], ["annotator", "document"])


def least(numbers):
    return np.min([*numbers], axis=0)


def moderated(tests, df):
    effective = least(kind.effective for kind in tests.kinds.values())
    return moderate_variances(tests.variance, df, effective, least(tests.pair_effective.values()))


def test_few_units(tests):
    variance, df = moderated(tests, tests.df)
    assert df[0, 1] == pytest.approx(5.578947, abs=1e-6)
    expected = [0.969592, 1.377286, 2.694444, 2.066667]
    assert [variance[pair] for pair in PAIRS] == pytest.approx(expected, abs=1e-6)
    p = two_sided_p(np.subtract.outer(tests.mean, tests.mean), variance, df)
    expected = [0.034007, 0.009155, 0.001782, 0.009992]
    assert [p[pair] for pair in PAIRS] == pytest.approx(expected, abs=1e-6)


def test_the_effect_fades_with_many_units(tests):
    variance, df = moderated(tests, tests.df * 30 / tests.df[0, 1])
    assert df[0, 1] == pytest.approx(33.266279, abs=1e-6)
    expected = [0.508604, 1.251090, 2.694444, 2.066667]
    assert [variance[pair] for pair in PAIRS] == pytest.approx(expected, abs=1e-6)
    variance, df = moderated(tests, tests.df * 40 / tests.df[0, 1])
    assert variance == pytest.approx(tests.variance) and df[0, 1] == pytest.approx(40)


def test_unlike_variances():
    u = np.array([1.0, 2, 4, 8, 400])
    variance = u[:, None] + u - 2 * np.diag(u)
    effective = np.array([6.0, 6, 6, 6, 12])
    size = (1 / effective) / np.mean(1 / effective)
    assert prior_df(variance, size, 5.0) == pytest.approx(1.190589, abs=1e-6)
    found, df = moderate_variances(variance, np.full((5, 5), 5.0), effective)
    assert df[0, 1] == pytest.approx(6.190589, abs=1e-6)
    expected = [44.701921, 46.317276, 401.0, 408.0]
    assert [found[pair] for pair in PAIRS] == pytest.approx(expected, abs=1e-6)


def test_never_below_the_variance_and_at_most_twice_the_df():
    rng = np.random.default_rng(1)
    for _ in range(30):
        u = rng.exponential(size=6)
        variance = u[:, None] + u
        df = rng.uniform(0, 30, (6, 6))
        df = np.minimum(df, df.T)
        found, found_df = moderate_variances(variance, df, rng.uniform(3, 20, 6))
        assert (found >= variance).all() and (found_df <= 2 * df + 1e-9).all()
        assert (found[df == 0] == variance[df == 0]).all()


def test_three_systems_are_not_moderated():
    variance = np.ones((3, 3))
    assert moderate_variances(variance, np.full((3, 3), 5.0), np.ones(3))[0] is variance


def test_inverse_trigamma():
    for x in (1e-3, 0.1, 1.0, 7.0, 1e4):
        assert inverse_trigamma(float(polygamma(1, x))) == pytest.approx(x, rel=1e-9)
