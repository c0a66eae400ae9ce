"""Scores from counts of pairs: of many campaigns at once, with and without the reference."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from assessments import frame_of
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score import pairwise, rr


@pytest.mark.parametrize("name", rr.METHODS)
def test_scores_of_many_campaigns_at_once_are_those_of_each(name):
    rng = np.random.default_rng(3)
    wins, ties = rng.integers(0, 6, (2, 3, 2, 5, 5))
    wins[0, 0, 0, 1:3] = wins[0, 0, 1:3, 0] = 0  # some never meet
    ties[0, 0, 0] = 0
    ties = np.triu(ties, 1) + np.swapaxes(np.triu(ties, 1), -1, -2)
    wins[..., range(5), range(5)] = 0
    made = rr.METHODS[name].score(pairwise.PairCounts(tuple("abcde"), wins, ties))
    for e, s in np.ndindex(3, 2):
        alone = rr.METHODS[name].score(pairwise.PairCounts(tuple("abcde"), wins[e, s], ties[e, s]))
        np.testing.assert_allclose(made[e, s], alone)


def test_three_scores_leave_the_reference_out():
    with pytest.raises(FrozenInstanceError):
        rr.METHODS["bojar"].reference = True
    without = [name for name, method in rr.METHODS.items() if not method.reference]
    assert without == ["heuristic2", "bojar", "expected_win"]
    counts = pairwise.pair_counts(frame_of([{"_ref": 1, "a": 2, "b": 3}]))
    for method in rr.METHODS.values():
        values = method(counts)
        assert values.index.tolist() == ["_ref", "a", "b"]
        assert np.isnan(values["_ref"]) == (not method.reference)
        assert values["a"] == (1.0 if not method.reference else 0.5)


def test_rules_and_scores_that_are_not_known_are_refused():
    with pytest.raises(DataError, match="unknown rule"):
        pairwise.pair_counts(frame_of([{"a": 1, "b": 2}]), unranked="guess")
    with pytest.raises(DataError, match="unknown score"):
        rr.method_of("magic")
