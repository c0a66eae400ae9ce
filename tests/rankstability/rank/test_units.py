"""Kinds of units, and resampled means against slow, obvious versions."""

import numpy as np
import pandas as pd

from rankstability.rank.units import TWO_WAY, difference_variance, draw_means, nested
from rankstability.score.scored import from_frame


def uneven(seed=1, n=400, systems=4, units=30):
    rng = np.random.default_rng(seed)
    system, unit = rng.integers(systems, size=n), rng.integers(units, size=n)
    return system, unit, rng.normal(size=n) + rng.normal(size=units)[unit], rng.uniform(0.2, 1, n)


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


def test_one_kind_of_unit_lies_within_another_where_each_of_it_meets_one():
    rng = np.random.default_rng(3)
    for _ in range(200):
        inner, outer = rng.integers(rng.integers(1, 7), size=9), rng.integers(3, size=9)
        if rng.random() < 0.5:
            outer = rng.integers(4, size=7)[inner]
        expected = all(len(set(outer[inner == one])) == 1 for one in set(inner))
        assert nested(inner, outer) == expected


def test_no_difference_varies_by_less_than_nothing():
    covariance = np.array([[1.0, 1.5], [1.5, 1.0]])  # of two kinds of units it may be such
    assert (difference_variance(covariance) == 0).all()
    assert (difference_variance(covariance, 0.5) == 0.5).all()
