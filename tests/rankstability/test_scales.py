"""The scale of scores as the data show it, and strays beside it."""

import numpy as np
import pytest

from rankstability.scales import SCALES, scale_of, usual


@pytest.mark.parametrize("scale", SCALES)
def test_scores_that_use_a_whole_scale_are_on_it(scale):
    assert scale_of(np.arange(scale[0], scale[1] + 1)) == scale


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([0.0, -1.5, -25.0], (-25, 0)),  # penalties
        ([-1.25, 0.5, 1.75], (-1.25, 1.75)),  # standardised
        ([-10.0, -0.5, 0.5], (-10, 10)),  # as wide as standardised scores may be
        ([0.5, 0.25, 1.0], (0, 1)),
        ([55.0], (0, 100)),
    ],
)
def test_other_scores_show_their_scale(scores, scale):
    assert scale_of(np.array(scores)) == scale


def test_a_stray_is_beside_the_scale_of_the_others():
    scores = np.append(np.arange(0, 101), 999.0)
    assert scale_of(scores) == (0, 100)
    assert usual(scores, (0, 100)) == "0 to 100, as 101 of 102 scores are"
    assert usual(np.array([500.0]), (0, 100)) == "0 to 100"
    assert usual(np.array([-1.0, 2.0]), (-np.inf, 0.0)) == "at most 0, as 1 of 2 scores are"
