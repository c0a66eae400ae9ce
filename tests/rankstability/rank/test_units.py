"""Means over units: against a slow version, SciPy, and lines that hold on real campaigns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from conftest import needs
from esa import scored
from rankstability.errors import DataError
from rankstability.rank.redraws import draw_means, two_way_bootstrap
from rankstability.rank.sets import held_lines, rank_sets
from rankstability.rank.systems import rank_systems
from rankstability.rank.unit_kinds import nested
from rankstability.rank.units import TWO_WAY, means, two_way_means, unit_totals
from rankstability.read import campaigns
from rankstability.score.da import judgment_z, segment_scores
from rankstability.score.scored import from_assessment, from_frame


def estimate(judged, unit):
    return means(
        *unit_totals(
            judged.system, judged.unit(unit), judged.score, judged.weights(), len(judged.systems)
        )
    )


def uneven(seed=1, n=400, systems=4, units=30):
    rng = np.random.default_rng(seed)
    system, unit = rng.integers(systems, size=n), rng.integers(units, size=n)
    return system, unit, rng.normal(size=n) + rng.normal(size=units)[unit], rng.uniform(0.2, 1, n)


def test_the_covariance_is_that_of_a_slow_version():
    system, unit, score, weight = uneven()
    got = means(*unit_totals(system, unit, score, weight))
    n, g = 4, len(set(unit))
    mean = np.array([np.average(score[system == s], weights=weight[system == s]) for s in range(n)])
    expected = np.zeros((n, n))
    for u in set(unit):
        part = np.zeros(n)
        for s in range(n):
            rows = (unit == u) & (system == s)
            part[s] = (weight[rows] * (score[rows] - mean[s])).sum() / weight[system == s].sum()
        expected += np.outer(part, part)
    np.testing.assert_allclose(got.mean, mean)
    np.testing.assert_allclose(got.covariance, expected * g / (g - 1))


def test_with_segments_as_units_t_is_the_paired_t():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(80, 3))
    segment, system = np.divmod(np.arange(240), 3)
    got = means(*unit_totals(system, segment, scores.ravel()))
    t = stats.ttest_rel(scores[:, 0], scores[:, 2])
    assert got.t()[0, 2] == pytest.approx(t.statistic)
    assert got.p()[0, 2] == pytest.approx(
        stats.ttest_rel(scores[:, 0], scores[:, 2], alternative="greater").pvalue
    )


def test_two_ways_are_one_where_units_cross_nothing():
    """With every judgment a unit of its own on one side, only the other kind remains."""
    system, unit, score, weight = uneven()
    alone = np.arange(len(system))
    one = means(*unit_totals(system, unit, score, weight))
    two = two_way_means(system, unit, alone, score, weight)
    np.testing.assert_allclose(two.covariance, one.covariance)
    drawn = two_way_bootstrap(system, unit, alone, score, np.random.default_rng(3), 4000, weight)
    assert np.sqrt(drawn.var(axis=0) / np.diag(one.covariance)) == pytest.approx(1.4, abs=0.45)


def test_the_covariance_of_two_ways_is_by_each_less_by_their_cells():
    system, unit, score, weight = uneven(n=900)
    other = np.random.default_rng(5).integers(25, size=900)
    score = score + np.random.default_rng(6).normal(size=(25, 4))[other, system]
    cell = pd.DataFrame({"unit": unit, "other": other}).groupby(["unit", "other"]).ngroup()
    one, two, both = (
        means(*unit_totals(system, u, score, weight)).covariance for u in (unit, other, cell)
    )
    expected = one + two - both
    assert np.linalg.eigvalsh(expected).min() > 0  # nothing to cut off
    made = two_way_means(system, unit, other, score, weight)
    np.testing.assert_allclose(made.covariance, expected, rtol=1e-9)
    assert made.units == 25


def test_what_differs_with_both_drawn_anew_differs_with_each():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        system, first, second = rng.integers(0, [[4], [9], [12]], size=(3, 150))
        score = rng.normal(size=150) + rng.normal(size=(9, 4))[first, system] + 0.6 * system
        both = two_way_means(system, first, second, score).p()
        for unit in (first, second):
            alone = means(*unit_totals(system, unit, score)).p()
            towards = both < 0.5
            assert (both[towards] >= alone[towards] - 1e-12).all()


def test_resampled_means_are_those_of_units_drawn_one_by_one():
    """One kind of unit, and two kinds: each drawn with replacement, judgments as often as drawn."""
    system, unit, score, _ = uneven(n=300)
    other = np.random.default_rng(6).integers(12, size=300)
    names = [[f"{k}{v:02d}" for v in c] for k, c in zip("swd", (system, unit, other), strict=True)]
    frame = pd.DataFrame(dict(zip(("system", "worker", "document"), names, strict=True)))
    judged = from_frame(frame.assign(segment=np.arange(300), score=score))

    def slow(times, rows):
        kept = np.repeat(np.arange(300), times[rows])
        return [score[kept[system[kept] == s]].mean() for s in range(4)]

    units = len(set(unit))
    fast = draw_means(judged, "worker", np.random.default_rng(7), 20)
    times = np.random.default_rng(7).multinomial(units, np.full(units, 1 / units), size=20)
    np.testing.assert_allclose(fast, [slow(t, judged.unit("worker")) for t in times])
    both = draw_means(judged, TWO_WAY, np.random.default_rng(7), 20)
    rng = np.random.default_rng(7)
    workers = rng.multinomial(units, np.full(units, 1 / units), 20)
    documents = rng.multinomial(12, np.full(12, 1 / 12), 20)
    each = [
        slow(w[judged.unit("worker")] * d[judged.unit("document")], np.arange(300))
        for w, d in zip(workers, documents, strict=True)
    ]
    np.testing.assert_allclose(both, each)


def test_one_unit_says_nothing():
    with pytest.raises(DataError, match="only one unit"):
        means(*unit_totals(np.array([0, 1]), np.array([0, 0]), np.array([1.0, 2.0])))
    few = means(*unit_totals(np.tile([0, 1], 5), np.repeat(np.arange(5), 2), np.arange(10.0)))
    with pytest.raises(DataError, match="too few units"):
        rank_sets(few, np.random.default_rng(0))


PAIRS = {  # claimed; held by segments, documents, workers
    "wmt18": {
        "cs-en": (4, 4, 4, 4), "en-cs": (4, 4, 4, 4), "en-de": (7, 6, 6, 6),
        "en-et": (8, 7, 5, 7), "en-fi": (3, 3, 3, 3), "en-ru": (5, 4, 4, 3),
        "en-tr": (2, 1, 1, 1), "en-zh": (3, 3, 2, 3), "et-en": (5, 4, 4, 4),
        "fi-en": (2, 2, 2, 2), "ru-en": (4, 2, 3, 2), "tr-en": (1, 0, 0, 0),
        "zh-en": (4, 2, 2, 1),
    },
    "wmt21": {
        "cs-en": (1, 0, 0, 0), "de-en": (2, 0, 0, 0), "ha-en": (2, 1, 1, 0),
        "is-en": (3, 2, 0, 0), "ja-en": (1, 0, 0, 0), "ru-en": (0, 1, 0, 0),
    },
}  # fmt: skip


@needs("wmt18")
@needs("wmt21")
@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_lines_claimed_and_lines_held(name):
    campaign = campaigns.find(name)
    for pair, expected in PAIRS[name].items():
        da = campaigns.load_da(campaign, pair)
        judged = from_assessment(da, judgment_z(da))
        claimed = len(rank_systems(segment_scores(da)).lines)
        units = ("segment", "document", "worker")
        held = [int(held_lines(estimate(judged, u))["held"].sum()) for u in units]
        assert (claimed, *held) == expected, pair


@needs("wmt24-esa")
def test_lines_held_and_who_may_be_first_on_wmt24():
    judged = scored("jpn", 2, 3)
    by_document = estimate(judged, "document")
    assert not held_lines(by_document)["held"].any()
    by_segment = held_lines(estimate(judged, "segment"))
    assert by_segment.loc[by_segment["held"] == 1, "below"].tolist() == [11, 12]
    assert int(rank_sets(by_document, np.random.default_rng(1))["may_be_first"].sum()) == 11
    hindi = held_lines(estimate(scored("hin", 2), "document"))
    assert hindi.loc[hindi["held"] == 1, "below"].tolist() == [10]


def test_rank_sets_against_a_slow_version_and_their_coverage():
    """Units that hold together (a shared effect each): sets cover, intervals of segments would not.

    300 campaigns of 5 systems, two pairs of them equal; simultaneous coverage at least .93 by a
    binomial test at .01, and marginal sets are never wider than simultaneous ones.
    """
    truth = np.array([0.6, 0.3, 0.3, 0.0, 0.0])
    true_low = np.array([1, 2, 2, 4, 4])
    true_high = np.array([1, 3, 3, 5, 5])
    rng = np.random.default_rng(11)
    covered, campaigns_drawn = 0, 300
    system = np.tile(np.arange(5), 40 * 4)
    unit = np.repeat(np.arange(40), 4 * 5)
    for _ in range(campaigns_drawn):
        shared = rng.normal(0, 0.5, size=(40, 5))
        score = truth[system] + shared[unit, system] + rng.normal(size=len(system))
        sets = rank_sets(means(*unit_totals(system, unit, score)), rng, draws=400)
        low, high = sets["simultaneous_low"].to_numpy(), sets["simultaneous_high"].to_numpy()
        covered += bool((low <= true_low).all() and (high >= true_high).all())
        assert (sets["marginal_low"] >= low).all() and (sets["marginal_high"] <= high).all()
    assert stats.binomtest(covered, campaigns_drawn, 0.95, "less").pvalue > 0.01


def test_true_means_lie_closer_together_by_what_error_adds_to_their_variance():
    rng = np.random.default_rng(4)
    root = rng.normal(size=(5, 5)) / 10
    mean, covariance = rng.normal(size=5), root @ root.T
    got = replace(means(*unit_totals(*uneven(systems=5))), mean=mean, covariance=covariance)
    apart = np.eye(5) - 1 / 5
    spread, error = mean.var(), np.trace(apart @ covariance @ apart) / 5
    assert 0.01 * spread < error < spread
    expected = mean.mean() + (mean - mean.mean()) * np.sqrt(1 - error / spread)
    np.testing.assert_allclose(got.drawn_together(), expected)
    for wide in (covariance * 1000, covariance):
        alike = replace(got, mean=np.full(5, 3.0) + (wide is not covariance) * mean / 100)
        alike = replace(alike, covariance=wide)
        np.testing.assert_allclose(alike.drawn_together(), alike.mean.mean())


def test_one_kind_of_unit_lies_within_another_where_each_of_it_meets_one():
    rng = np.random.default_rng(3)
    for _ in range(200):
        inner, outer = rng.integers(rng.integers(1, 7), size=9), rng.integers(3, size=9)
        if rng.random() < 0.5:
            outer = rng.integers(4, size=7)[inner]
        expected = all(len(set(outer[inner == one])) == 1 for one in set(inner))
        assert nested(inner, outer) == expected


def test_cautious_errors_are_the_larger_of_two():
    got = means(*unit_totals(*uneven()))
    plain, _ = replace(got, jackknife=np.zeros((4, 4))).cautious()
    np.testing.assert_allclose(plain, got.t())
    wider, freedom = replace(got, jackknife=4 * got.error() ** 2, effective=3.5).cautious()
    np.testing.assert_allclose(wider, got.t() / 2)
    assert freedom == 2.5 and replace(got, effective=1e9).cautious()[1] == got.units - 1
