"""Agreement of a repeat: Kendall's tau against SciPy, and of two drawn campaigns."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from rankstability.inference.ratings import infer_ratings
from rankstability.stability.precision import precision_of_covariance
from rankstability.stability.repeat import expect_repeat, kendall_tau
from simulated import simulate


def test_tau_is_that_of_scipy_with_ties():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 4, (2, 50, 7)).astype(float)
    ours = kendall_tau(first, second)
    theirs = [kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert ours == pytest.approx(theirs, nan_ok=True)


def test_a_repeat_is_two_campaigns_about_the_same_truth():
    arrays = simulate("crossed", 10, 30, 4, np.random.default_rng(3), truth=[0.0, 0.2, 0.5, 1.2])
    inference = infer_ratings(arrays)
    found = expect_repeat(inference, np.random.default_rng(5), 400)
    rng = np.random.default_rng(5)
    precision = precision_of_covariance(inference)
    truths = precision.draw_truths(400, rng)
    first, second = (precision.draw_means(truths, rng) for _ in range(2))
    assert found["tau"] == kendall_tau(first, second).mean()
    assert found["tau_low"] < found["tau"] < found["tau_high"]


def test_a_repeat_agrees_as_predicted_where_systems_differ():
    """Predicted from a pilot, and realised by two further campaigns."""
    rng = np.random.default_rng(8)
    predicted, realised = [], []
    for _ in range(40):
        truth = 0.6 * rng.standard_normal(6)
        pilot = simulate("crossed", 12, 30, 6, rng, truth=truth)
        predicted.append(expect_repeat(infer_ratings(pilot), rng, 100)["tau"])
        means = [simulate("crossed", 12, 30, 6, rng, truth=truth).means() for _ in range(2)]
        realised.append(kendall_tau(*means))
    assert np.mean(predicted) == pytest.approx(np.mean(realised), abs=0.1)
