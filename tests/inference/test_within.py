"""Means within segments, with every unit really left out."""

from dataclasses import replace

import numpy as np
import pytest

from rankstability.inference.assemble import two_sided_p
from rankstability.inference.leave_out import leave_out
from rankstability.inference.over_strata import compare_within
from rankstability.inference.within import Stratum, fit_stratum
from rating_tables import (
    crossed,
    first_score,
    random_ratings,
    rating_arrays,
    second_score,
    wave_score,
)

KINDS = ["annotator", "document"]


def stratum(arrays, factor=1.0):
    return Stratum(
        arrays.system, arrays.segment, arrays.score, arrays.weights(), arrays.units, factor
    )


def compared(*tables, factors=(1.0,), kinds=KINDS):
    n = len(tables[0].systems)
    fits = [fit_stratum(stratum(t, f), n) for t, f in zip(tables, factors, strict=True)]
    return compare_within(fits, kinds)


def p_of(tests):
    difference = np.subtract.outer(tests.mean, tests.mean)
    return two_sided_p(difference, tests.variance, tests.df)


def check(tests, pair, **expected):
    found = {"V": tests.variance[pair], "df": tests.df[pair], "p": p_of(tests)[pair]}
    found["e_st"] = min(number[pair] for number in tests.pair_effective.values())
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1.5e-6), name


# ------------------------------------------------------------------ oracles


def test_complete_table():
    tests = compared(crossed())
    means = [13.333333, 10.583333, 8.75, 9.666667, 4.166667]
    assert tests.mean == pytest.approx(means, abs=1e-6)
    assert tests.kinds["annotator"].effective == pytest.approx([3.789474] * 5, abs=1e-6)
    check(tests, (0, 1), V=0.408223, p=0.026709)
    check(tests, (0, 2), V=1.223611, p=0.029362)
    check(tests, (0, 4), V=2.694444, p=0.013726)
    check(tests, (3, 4), V=2.066667, p=0.035713)


def test_a_system_that_lacks_documents():
    tests = compared(crossed(keep=lambda s, d: s < 4 or d < 4))
    centred = tests.mean - tests.mean.mean()
    expected = [3.91875, 1.16875, -0.664583, 0.252083, -4.675]
    assert centred == pytest.approx(expected, abs=1e-6)
    check(tests, (0, 1), e_st=3.789474, V=0.408223, p=0.026709)
    check(tests, (0, 4), e_st=3.806160, V=1.944043, p=0.010418)


def test_another_annotator_for_each_output():
    rows = [(s, d, d, (s + 2 * d + s * d) % 4, first_score(s, d, d % 4))
            for s in range(5) for d in range(6)]  # fmt: skip
    tests = compared(rating_arrays(rows))
    check(tests, (0, 1), V=7.656564)
    check(tests, (1, 2), V=4.939083, df=0)
    check(tests, (3, 4), V=2.675203)
    # fewer than 2.5 effective annotators: no degrees of freedom are left
    assert (tests.pair_effective["annotator"][[0, 1, 3], [1, 2, 4]] < 2.5).all()


def test_a_bridge_of_one_document():
    tests = compared(crossed(systems=4, documents=7, keep=lambda s, d: d < 4 if s < 2 else d > 2))
    check(tests, (0, 1), e_st=3.857143, p=0.041515)
    check(tests, (2, 3), e_st=3.857143, p=0.759707)
    check(tests, (0, 2), e_st=1.376936)
    assert tests.separated["document"][0, 2] and not tests.separated["document"][0, 1]


def second_table():
    return crossed(second_score, documents=4, annotators=3, shift=(10, 10))


def test_two_tasks():
    tests = compared(crossed(), second_table(), factors=(0.5, 0.5))
    means = [7.729167, 8.541667, 6.625, 7.395833, 4.208333]
    assert tests.mean == pytest.approx(means, abs=1e-6)
    check(tests, (0, 1), V=0.459115, df=2.904564, p=0.319095)
    check(tests, (1, 2), V=1.096528, df=4.074773, p=0.139853)


def test_changes_on_other_documents():
    tests = compared(crossed(), second_table(), factors=(-1.0, 1.0))
    change = [-11.208333, -4.083333, -4.25, -4.541667, 0.083333]
    assert tests.mean == pytest.approx(change, abs=1e-6)
    check(tests, (0, 1), V=1.836458, df=2.904564, p=0.014531)
    check(tests, (1, 2), V=4.386111, df=4.074773, p=0.940326)


def test_changes_on_the_same_documents():
    second = crossed(wave_score, shift=(0, 4))
    tests = compared(crossed(), second, factors=(-1.0, 1.0))
    assert tests.mean == pytest.approx([-9.25, -4.5, -2.833333, -4.666667, -0.083333], abs=1e-6)
    check(tests, (0, 1), V=0.552951, df=5.0, p=0.001392)
    check(tests, (1, 2), V=2.427778, df=5.0, p=0.333670)


# ------------------------------------------------------------------ properties


def dummies(arrays, keep):
    """Return differences of systems by least squares with dummy variables, of some judgments."""
    system, segment = arrays.system[keep], arrays.segment[keep]
    n = len(arrays.systems)
    x = np.hstack([np.eye(n)[system], np.eye(segment.max() + 1)[segment]])
    root = np.sqrt(arrays.weights()[keep])
    fit = np.linalg.lstsq(x * root[:, None], arrays.score[keep] * root, rcond=None)[0][:n]
    return fit - fit.mean()


@pytest.mark.parametrize("kind", KINDS)
def test_influences_are_those_of_really_leaving_out(kind):
    arrays = random_ratings(3, missing=0.3)
    fit = fit_stratum(stratum(arrays), 5)
    codes = arrays.units[kind]
    left_out = leave_out(fit, codes, int(codes.max()) + 1)
    every = np.ones(arrays.n_judgments, bool)
    whole = dummies(arrays, every)
    assert fit.effect == pytest.approx(whole)
    number = (left_out.share > 0).sum(axis=0)
    for unit in np.unique(codes):
        moved = whole - dummies(arrays, codes != unit)
        expected = moved * np.sqrt((number - 1) / number)
        assert left_out.effect[unit] == pytest.approx(expected, abs=1e-9)


def test_effective_units_of_a_pair_by_brute_force():
    arrays = random_ratings(4, missing=0.4)
    fit = fit_stratum(stratum(arrays), 5)
    codes = arrays.units["document"]
    found = leave_out(fit, codes, int(codes.max()) + 1).pair_effective
    x = np.array([1, 0, -1, 0, 0])
    lost = []
    for unit in np.unique(codes):
        keep = codes != unit
        part = replace(fit.stratum, **{
            name: getattr(fit.stratum, name)[keep]
            for name in ("system", "segment", "score", "weight")
        })  # fmt: skip
        without = fit_stratum(part, 5).normal
        lost.append(x @ fit.inverse @ (fit.normal - without) @ fit.inverse @ x)
    share = np.array(lost) / np.sum(lost)
    assert found[0, 2] == pytest.approx(1 / (share**2).sum())


def test_complete_crossed_table_equals_plain_means():
    arrays = random_ratings(1)
    tests = compared(arrays)
    # each judgment a segment of its own: nothing is shared, so means are plain
    plain = compared(replace(arrays, segment=np.arange(arrays.n_judgments)))
    weighted = np.bincount(arrays.system, arrays.score) / np.bincount(arrays.system)
    assert tests.mean == pytest.approx(weighted)
    difference = np.subtract.outer(tests.mean, tests.mean)
    within = two_sided_p(difference, tests.variance, tests.df)
    assert within == pytest.approx(two_sided_p(difference, plain.variance, plain.df), abs=1e-9)


def test_a_constant_added_to_a_segment_changes_no_difference():
    arrays = random_ratings(2, missing=0.3)
    shift = np.random.default_rng(0).normal(0, 20, len(arrays.segments))
    moved = replace(arrays, score=arrays.score + shift[arrays.segment])
    one, other = compared(arrays), compared(moved)
    assert np.ptp(one.mean - other.mean) < 1e-9
    assert one.variance == pytest.approx(other.variance)


def test_a_constant_added_to_a_task_changes_no_difference():
    moved = replace(second_table(), score=second_table().score + 50)
    one = compared(crossed(), second_table(), factors=(0.5, 0.5))
    other = compared(crossed(), moved, factors=(0.5, 0.5))
    assert np.ptp(one.mean - other.mean) < 1e-9
    assert one.variance == pytest.approx(other.variance)


def test_a_system_that_shares_no_segment_changes_nothing_else():
    arrays = random_ratings(6, missing=0.2)
    rows = [(*row, score) for *row, score in zip(
        arrays.system, arrays.segment, arrays.units["document"], arrays.units["annotator"],
        arrays.score, strict=True)]  # fmt: skip
    more = [(5, 100 + k, 20 + k // 2, k % 6, 50 + 7 * k % 11) for k in range(12)]
    one, other = compared(rating_arrays(rows)), compared(rating_arrays(rows + more))
    assert other.mean[:5] == pytest.approx(one.mean)
    assert other.variance[:5, :5] == pytest.approx(one.variance)
    assert other.df[:5, :5] == pytest.approx(one.df)
    assert not other.joined[5, :5].any() and np.isfinite(other.variance[5, :5]).all()


def test_permuted_rows_change_nothing():
    arrays = random_ratings(7, missing=0.3)
    order = np.random.default_rng(0).permutation(arrays.n_judgments)
    shuffled = replace(
        arrays,
        system=arrays.system[order],
        segment=arrays.segment[order],
        score=arrays.score[order],
        units={kind: codes[order] for kind, codes in arrays.units.items()},
    )
    one, other = compared(arrays), compared(shuffled)
    assert other.mean == pytest.approx(one.mean)
    assert other.variance == pytest.approx(one.variance)
    assert other.df == pytest.approx(one.df)
