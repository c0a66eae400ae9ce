"""Means and what units do to them: printed oracles."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rankstability.rank.certainty import certainty
from rankstability.rank.units import within_domains
from rankstability.score.scored import from_frame


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
