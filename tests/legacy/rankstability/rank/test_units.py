"""Kinds of units."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankstability.rank.units import default_kinds, difference_variance, jackknifed, within_domains
from companion.legacy.rankstability.score.scored import from_frame


def test_no_difference_varies_by_less_than_nothing():
    covariance = np.array([[1.0, 1.5], [1.5, 1.0]])  # of two kinds of units it may be such
    assert (difference_variance(covariance) == 0).all()
    assert (difference_variance(covariance, 0.5) == 0.5).all()


def judged_of_one_system(seed):
    """Scores with shares of the mean that add up to 1, units from 0, two to four domains."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(9), rng.integers(1, 5, size=9))
    share = rng.uniform(0.5, 2, size=len(unit))
    return rng.normal(50, 9, size=len(unit)), share / share.sum(), unit


@pytest.mark.parametrize("seed", range(3))
def test_without_domains_an_influence_is_that_of_leaving_the_unit_out(seed):
    """Variance: (G - 1) / G times the squared changes of the mean; units: Kish's number."""
    score, share, unit = judged_of_one_system(seed)
    mean, none = (share * score).sum(), np.zeros(len(unit), int)
    kind = within_domains(score, share, np.array([mean]), unit=unit, system=none, domain=none)
    left = [unit != one for one in range(9)]
    changes = np.array([np.average(score[rest], weights=share[rest]) - mean for rest in left])
    assert kind.covariance()[0, 0] == pytest.approx(8 / 9 * (changes**2).sum())
    assert kind.influence[:, 0] == pytest.approx(-np.sqrt(8 / 9) * changes)
    held = np.array([share[unit == one].sum() for one in range(9)])
    assert kind.share[:, 0] == pytest.approx(held)
    assert kind.effective[0] == pytest.approx(1 / (held**2).sum())
    part = np.bincount(unit, share * (score - mean))
    same = jackknifed(held[:, None], part[:, None])
    for one, other in ((kind.influence, same.influence), (kind.effective, same.effective)):
        assert one == pytest.approx(other)


@pytest.mark.parametrize(("seed", "second"), [(0, 3), (1, 3), (2, 3), (3, 2)])
def test_influences_within_domains_are_about_the_mean_of_each(seed, second):
    """Documents 0 to 3 form a domain, `second` more another; the rest are alone, and pooled."""
    score, share, unit = judged_of_one_system(seed)
    mean, domain = (share * score).sum(), np.array([0, 0, 0, 0, 1, 1, 1, 2, 3])[unit]
    domain[unit == 6] = 1 if second == 3 else 4
    kind = within_domains(
        score, share, np.array([mean]), unit=unit, system=np.zeros(len(unit), int), domain=domain
    )
    held = np.bincount(unit, share)
    expected, variances, squares = [], [], []
    rest_alone = range(4 + second, 9)
    for units in ([0, 1, 2, 3], [*range(4, 4 + second)]):
        number, whole = len(units), held[units].sum()
        own = np.isin(unit, units)
        centre = np.average(score[own], weights=share[own])
        for one in units:
            rest = own & (unit != one)
            moved = whole * (centre - np.average(score[rest], weights=share[rest]))
            expected.append(np.sqrt((number - 1) / number) * moved)
        kish = whole**2 / (held[units] ** 2).sum()
        variances.append(whole**2 / kish)
        squares.append(variances[-1] ** 2 / (kish - 1))
    for one in rest_alone:
        part = (share * (score - mean))[unit == one].sum()
        expected.append(np.sqrt(8 / 9) * part / (1 - held[one]))
    pooled = (held[rest_alone] ** 2).sum()  # two domains have one degree of freedom, three two
    few = pooled**2 / (len(rest_alone) - 1)
    freedom = (sum(variances) + pooled) ** 2 / (sum(squares) + few)
    assert kind.influence[:, 0] == pytest.approx(np.array(expected))
    assert kind.effective[0] == pytest.approx(min(1 / (held**2).sum(), 1 + freedom))


def test_systems_are_apart_and_may_be_taken_by_code():
    """Each system's column is what it would be alone, with domains of different sizes."""
    rng = np.random.default_rng(8)
    unit, system = (a.ravel() for a in np.indices((6, 2)))
    unit, system = unit[:-1], system[:-1]  # of the second system, five units
    score, domain = rng.normal(size=11), unit // 3
    share = 1 / np.bincount(system)[system]
    means = np.bincount(system, share * score)
    kind = within_domains(score, share, means, unit=unit, system=system, domain=domain)
    for one in (0, 1):
        own = system == one
        alone = within_domains(
            score[own], share[own], means[[one]],
            unit=unit[own], system=np.zeros(own.sum(), int), domain=domain[own],
        )  # fmt: skip
        taken = kind.take(np.array([one]))
        used = len(alone.share)
        assert taken.share[:used] == pytest.approx(alone.share) and not taken.share[used:].any()
        assert taken.influence[:used] == pytest.approx(alone.influence)
        assert taken.effective == pytest.approx(alone.effective)


def test_combinations_of_units_are_kept_sparse_and_are_the_same():
    rng = np.random.default_rng(4)
    unit, system, domain = rng.integers([900, 12, 3], size=(600, 3)).T
    score, share = rng.normal(size=600), (1 / np.bincount(system))[system]
    given = {"unit": unit, "system": system, "domain": domain}
    means = np.bincount(system, share * score)
    dense = within_domains(score, share, means, **given)
    sparse = within_domains(score, share, means, **given, cells=True)
    assert isinstance(dense.influence, np.ndarray) and not isinstance(sparse.influence, np.ndarray)
    taken = np.array([5, 2, 7])
    for one, other in ((dense, sparse), (dense.take(taken), sparse.take(taken))):
        assert one.covariance() == pytest.approx(other.covariance())
        assert one.effective == pytest.approx(other.effective)


def test_parts_of_units_by_hand_with_a_unit_that_one_system_lacks():
    """Shares of a half each, and of one and two thirds; the second system lacks the first unit."""
    share = np.array([[0.5, 0.0], [0.5, 1 / 3], [0.0, 2 / 3]])
    part = np.array([[1.0, 0.0], [-1.0, 3.0], [0.0, -3.0]])
    kind = jackknifed(share, part)
    half = np.sqrt(1 / 2)  # of two units each
    expected = [[2 * half, 0], [-2 * half, 4.5 * half], [0, -9 * half]]
    np.testing.assert_allclose(kind.influence, expected)
    assert kind.effective == pytest.approx([2, 9 / 5]) and kind.share is share
    with pytest.raises(FrozenInstanceError):
        kind.share = part


def test_a_system_of_one_unit_has_one_and_no_influence():
    alone = jackknifed(np.array([[1.0]]), np.array([[0.0]]))
    assert alone.influence.tolist() == [[0.0]] and alone.effective.tolist() == [1.0]


@pytest.mark.parametrize(("systems", "size", "sparse"), [(1, 9, True), (1, 8, False), (2, 9, True)])
def test_few_combinations_are_sparse_and_many_are_not(systems, size, sparse):
    """Of a tenth of all cells or more, a matrix is whole: here one unit of 10, 9, and 20 cells."""
    unit = np.array([size + 1 if sparse else size])
    kind = within_domains(
        np.ones(1), np.ones(1), np.ones(systems), unit=unit, system=np.zeros(1, int),
        domain=np.zeros(1, int), cells=True,
    )  # fmt: skip
    assert isinstance(kind.share, np.ndarray) is not sparse
    assert kind.share.shape == (unit[0] + 1, systems)


def test_units_are_people_and_documents_else_hits_and_items_of_a_table_of_nothing_else():
    frame = pd.DataFrame({"system": list("ABA"), "segment": list("xxy"), "score": [1.0, 2, 3]})
    assert default_kinds(replace(from_frame(frame), items=True)) == ("segment",)
    assert default_kinds(from_frame(frame)) == ()
    hits = frame.assign(hit=["1", "2", "3"])
    assert default_kinds(from_frame(hits)) == ("hit",)
    one = from_frame(hits.assign(worker=["u", "v", "v"]))
    assert default_kinds(one) == ("worker",)
