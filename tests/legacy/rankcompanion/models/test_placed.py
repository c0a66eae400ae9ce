"""Certainty of the placed systems only."""

from dataclasses import replace

import numpy as np

from assessments import kind_of_units
from companion.legacy.rankcompanion.models.placed import among_placed
from companion.legacy.rankstability.rank.certainty import of_means
from companion.legacy.rankstability.rank.means import Means


def test_what_is_certain_of_the_placed_systems_is_that_of_a_ranking_without_the_others():
    kind = kind_of_units([6.0, 6.0, 1.0, 6.0], spread=0.05)
    got = of_means(Means([*"abcd"], np.array([9.0, 3, 6, 1]), {"worker": kind}))
    among = among_placed(got)
    assert among.systems == ("a", "b", "d") and among.order.tolist() == [0, 1, 2]
    assert among.low.tolist() == [1, 2, 3] and among.high.tolist() == [1, 2, 3]
    assert got.high.tolist() == [2, 3, 4, 4]  # with one of whom nothing is told
    assert among.held.tolist() == [True, True]
    assert among.may_be_first.tolist() == [True, False, False] and among.placed.all()
    assert among.number["worker"].tolist() == [6, 6, 6] and among.effective["worker"].shape == (3,)


def test_one_placed_system_or_none_has_no_lines():
    kind = kind_of_units([4.0, 1.0, 1.0, 4.0, 1.0])
    mean = np.array([1.0, np.nan, -5.0, np.nan, 8.0])
    outside = np.array([False, True, False, False, False])
    got = of_means(Means([*"abcde"], mean, {"judge": kind}, outside=outside))
    assert among_placed(got).systems == ("a",) and among_placed(got).held.shape == (0,)
    nobody = among_placed(replace(got, placed=np.zeros(4, bool)))
    assert nobody.systems == () and nobody.held.shape == (0,)
