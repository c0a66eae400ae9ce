"""Variances and degrees of freedom on tables whose answers are known."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from rankstability.errors import DataError
from rankstability.inference.assemble import two_sided_p
from rankstability.inference.over_strata import compare_within
from rankstability.inference.units import default_units, jackknife, units_asked
from rankstability.inference.within import Stratum, fit_stratum
from rating_tables import crossed, rating_arrays


def by_annotator(rows):
    """Compare systems by annotators; rows are annotator, system, score, each its own segment."""
    annotator, system, score = (np.array(column) for column in zip(*rows, strict=True))
    number = int(system.max()) + 1
    stratum = Stratum(
        system,
        np.arange(len(rows)),
        score.astype(float),
        np.ones(len(rows)),
        {"annotator": annotator},
    )
    return compare_within([fit_stratum(stratum, number)], ["annotator"])


def p_of(tests):
    difference = np.subtract.outer(tests.mean, tests.mean)
    return two_sided_p(difference, tests.variance, tests.df)


def test_crossed_equal_units_give_the_paired_t_test():
    table = np.array([[3, 1, 0], [4, 2, 1], [5, 2, 0], [4, 3, 2], [6, 2, 1], [5, 1, 1]], float)
    rows = [(a, s, table[a, s]) for a in range(6) for s in range(3)]
    p = p_of(by_annotator(rows))
    expected = {(0, 1): 0.00295755, (0, 2): 0.00070195, (1, 2): 0.01172481}
    for (a, b), value in expected.items():
        assert p[a, b] == pytest.approx(value, abs=1e-8)
        assert p[a, b] == pytest.approx(ttest_rel(table[:, a], table[:, b]).pvalue)


def test_units_that_share_no_system():
    rows = [(k, 0, y) for k, y in enumerate([3, 5, 4])]
    rows += [(3 + k, 1, y) for k, y in enumerate([1, 2, 0, 2, 1])]
    tests = by_annotator(rows)
    t = (tests.mean[0] - tests.mean[1]) / np.sqrt(tests.variance[0, 1])
    assert (t, tests.df[0, 1]) == pytest.approx((4.069813, 2), abs=1e-6)
    assert p_of(tests)[0, 1] == pytest.approx(0.0554043, abs=1e-7)


def test_units_with_different_numbers_of_judgments():
    unit = [0, 0, 0, 1, 1, 2]
    rows = [(u, 0, y) for u, y in zip(unit, [5, 3, 4, 1, 2, 6], strict=True)]
    rows += [(u, 1, y) for u, y in zip(unit, [2, 2, 1, 0, 3, 4], strict=True)]
    tests = by_annotator(rows)
    assert tests.variance[0, 1] == pytest.approx(0.844630, abs=1e-6)
    assert tests.df[0, 1] == pytest.approx(1.571429, abs=1e-6)
    assert p_of(tests)[0, 1] == pytest.approx(0.276371, abs=1e-6)
    influence = tests.kinds["annotator"].influence[:, 0]
    assert influence == pytest.approx([0.408248, -0.816497, 0.408248], abs=1e-6)


def test_floor_of_a_system_with_few_units():
    rows = [(k, 0, y) for k, y in enumerate([0, 0, 0, 0, 10, 20])] + [(6, 1, 0), (7, 1, 0)]
    tests = by_annotator(rows)
    kind = tests.kinds["annotator"].covariance()
    assert kind[0, 0] + kind[1, 1] - 2 * kind[0, 1] == pytest.approx(11.666667, abs=1e-6)
    assert tests.variance[0, 1] == pytest.approx(23.333333, abs=1e-6)
    assert tests.df[0, 1] == pytest.approx(1)
    assert p_of(tests)[0, 1] == pytest.approx(0.489022, abs=1e-6)


def test_units_that_differ_by_exactly_the_same_give_the_sign_test():
    rows = [(a, s, 10 * a - s) for a in range(6) for s in range(2)]
    assert p_of(by_annotator(rows))[0, 1] == pytest.approx(2.0**-5)
    assert p_of(by_annotator([(a, s, a) for a in range(6) for s in range(2)]))[0, 1] == 1


def test_a_unit_with_all_judgments_of_a_system():
    kind = jackknife(np.array([[1.0, 0.5], [0.0, 0.5]]), np.array([[0.0, 1.0], [0.0, -1.0]]))
    assert kind.effective.tolist() == [1, 2]
    assert kind.influence[:, 0].tolist() == [0, 0]


def test_default_units():
    arrays = crossed()
    assert default_units(arrays) == ("annotator", "document")
    assert units_asked(arrays, "document") == ("document",)
    only = rating_arrays([(0, 0, 0, 0, 1), (1, 0, 0, 0, 2)], averages=True)
    assert default_units(only) == ("document",)
    with pytest.raises(DataError) as error:
        units_asked(arrays, "hit")
    assert error.value.code == "unknown_unit"
