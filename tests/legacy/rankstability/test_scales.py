"""The scale of scores as the data show it, and strays beside it."""

import numpy as np
import pytest

from companion.legacy.rankstability.scales import PENALTIES, PERCENT, SCALES, scale_of, usual

KNOWN = [(0, 1), (1, 5), (0, 6), (1, 7), (0, 10), (0, 100)]


def test_scales_are_tried_from_the_smallest_on():
    assert list(SCALES) == KNOWN
    assert PERCENT == (0, 100) and (-np.inf, 0) == PENALTIES


@pytest.mark.parametrize("scale", KNOWN)
def test_scores_that_use_a_whole_scale_are_on_it(scale):
    assert scale_of(np.arange(scale[0], scale[1] + 1)) == scale


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([0.0, -1.5, -25.0], (-25, 0)),  # penalties
        ([-1.25, 0.5, 1.75], (-1.25, 1.75)),  # standardised
        ([-10.0, -0.5, 0.5], (-10, 10)),  # as wide as standardised scores may be
        ([-9.9, -0.5, 0.5], (-9.9, 0.5)),
        ([-1.5, -0.5, 0.25], (-1.5, 0.25)),  # a fraction below 1 is one
        ([-2.0, -1.5], (-2, 0)),  # no score of 0 among the penalties
        ([1000.0, 2000.0], (0, 100)),  # on no scale
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


def scale_of_all(*parts):
    """The scale of scores given in parts: numbers, or arrays of them."""
    return scale_of(np.concatenate([np.atleast_1d(np.asarray(part, float)) for part in parts]))


ONE_TO_FIVE = np.repeat(np.arange(1, 6), 2)
ANSWERS = np.repeat([0, 1], 100)


@pytest.mark.parametrize(
    ("codes", "scale"),
    [
        ([99], (1, 5)),
        ([99, 77], (1, 5)),  # two codes, each as often as can be
        ([99] * 10, (1, 5)),
        ([99] * 11, (0, 100)),  # the most are not on the smaller scale
        ([99, 77, 55], (0, 100)),  # three are no codes
    ],
)
def test_one_or_two_codes_beside_a_small_scale_are_strays(codes, scale):
    assert scale_of_all(ONE_TO_FIVE, codes) == scale


def test_codes_are_fewer_than_the_values_on_the_scale_and_stand_beside_ten_scores():
    assert scale_of_all(np.repeat([1, 2], 5), 99) == (1, 5)
    assert scale_of_all(np.repeat([1, 2], 5), 99, 98) == (0, 100)
    assert scale_of_all(ONE_TO_FIVE[1:], 99) == (0, 100)


def test_of_many_scores_one_in_a_hundred_may_be_a_slip():
    rated = np.repeat(np.arange(1, 6), 60)
    assert scale_of_all(rated[:297], 99, 77, 55) == (1, 5)
    assert scale_of_all(rated[:296], 99, 77, 55, 33) == (0, 100)


def test_fractions_of_one_stay_on_their_scale_beside_two_values_and_not_beside_three():
    shares = np.arange(1, 21) / 20
    assert scale_of_all(shares, 2, 3) == (0, 1)
    assert scale_of_all(shares, 2, 3, 4) == (0, 6)
    assert scale_of_all([1.5, 2.5, 3, 4, 5] * 4, 6) == (0, 6)  # fractions on another scale


def test_beside_a_scale_of_few_steps_only_many_scores_at_both_ends_make_a_slip():
    hundred = np.repeat(np.arange(1, 6), 20)
    assert scale_of_all(hundred, 6) == (1, 5)
    assert scale_of_all(hundred[1:], 6) == (0, 6)  # not a hundred
    assert scale_of_all(hundred, 6, 6) == (0, 6)  # more than 1 %
    assert scale_of_all(hundred, hundred[:98], 6, 6) == (1, 5)  # 1 %
    assert scale_of_all(np.repeat(np.arange(2, 6), 50), 6) == (0, 6)  # nobody gave a 1
    assert scale_of_all(np.repeat([0, 1], 10), 2) == (0, 6)
    assert scale_of_all(np.repeat([0, 1], 10), 7) == (0, 10)
    assert scale_of_all(ANSWERS, 2, 2) == (0, 1)
    assert scale_of_all(ANSWERS, 2, 2, 2) == (0, 6)


def test_far_from_the_rest_one_in_twenty_may_be_a_code():
    assert scale_of_all(ANSWERS[:190], [7] * 10) == (0, 1)
    assert scale_of_all(ANSWERS, [7] * 11) == (0, 10)
    assert scale_of_all(ANSWERS, [3] * 10) == (0, 1)  # a gap of two steps is wide
    assert scale_of_all(ANSWERS, [2] * 10) == (0, 6)  # one of one step is not
    assert scale_of_all(np.repeat([1, 3, 5], 70), [7] * 10) == (1, 7)  # nor is one like theirs
    assert scale_of_all(np.repeat([4, 4.5, 5], 40), 6.5) == (1, 5)
    assert scale_of_all(ANSWERS, 7, 8) == (0, 10)  # as many codes as values on the scale


def test_a_scale_that_reaches_beyond_the_one_that_holds_all_is_no_smaller_one():
    assert scale_of_all(np.repeat([4, 5, 6], 40), 0) == (0, 6)
    assert scale_of_all(np.repeat([5.2, 5.4, 5.6], 40), 7) == (1, 7)


def test_whole_numbers_on_both_sides_of_nought_are_not_standardised():
    rated = np.arange(1, 6).repeat(4)
    assert scale_of_all(rated, -3) == (1, 5)
    assert scale_of_all(rated, 1.5, -3) == (1, 5)  # fractions on one side alone
    assert scale_of_all(rated, -1.5) == (1, 5)
    assert scale_of_all(-np.arange(20), 3) == (-np.inf, 0)
    assert scale_of_all(-np.arange(20), -999, 1) == (-np.inf, 0)


@pytest.mark.parametrize(
    ("far", "lowest"),
    [
        ([-30.5], -5),
        ([-30], -30),  # a gap of 25 is not wide
        ([-30.5, -30.5, -57], -5),  # two apart, both from most
    ],
)
def test_a_penalty_beyond_a_wide_gap_is_a_stray(far, lowest):
    assert scale_of_all(-np.arange(6), -np.arange(6), far) == (lowest, 0)


def test_a_gap_is_wide_beside_four_times_the_range_of_the_rest():
    ten = -np.arange(11)
    assert scale_of_all(ten, -52) == (-10, 0)
    assert scale_of_all(ten, -50) == (-50, 0)
    assert scale_of_all(ten, -45, -145) == (-45, 0)  # the range is that of the rest at first


def test_of_fewer_than_ten_scores_none_is_far_from_the_rest():
    assert scale_of_all(-np.arange(9), -99) == (-8, 0)
    assert scale_of_all(-np.arange(8), -99) == (-99, 0)
    near = np.linspace(-2, 2, 20)
    assert scale_of_all(near, 99) == (-2, 2)
