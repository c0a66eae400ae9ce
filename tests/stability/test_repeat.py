"""Agreement of a repeat: Kendall's tau against SciPy, and halves that share no unit."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from rankstability.errors import DataError
from rankstability.inference.ratings import infer_ratings
from rankstability.stability.precision import precision_of_covariance
from rankstability.stability.repeat import (
    expect_repeat,
    kendall_tau,
    split_half_agreement,
    split_half_tau,
)
from simulated import simulate


def test_tau_is_that_of_scipy_with_ties():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 4, (2, 50, 7)).astype(float)
    ours = kendall_tau(first, second)
    theirs = [kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert ours == pytest.approx(theirs, nan_ok=True)


def test_the_strongest_pairs_of_a_campaign_are_looked_for_in_the_other():
    arrays = simulate("crossed", 10, 30, 4, np.random.default_rng(3), truth=[0.0, 0.2, 0.5, 1.2])
    inference = infer_ratings(arrays)
    found = expect_repeat(inference, 2, np.random.default_rng(5), 400)
    rng = np.random.default_rng(5)
    precision = precision_of_covariance(inference)
    truths = precision.draw_truths(400, rng)
    first, second = (precision.draw_means(truths, rng) for _ in range(2))
    kept = []
    for a, b in zip(first, second, strict=True):
        pairs = sorted(
            combinations(range(4), 2),
            key=lambda pair: -abs(a[pair[0]] - a[pair[1]]) / inference.variance[pair] ** 0.5,
        )
        kept.append([(a[i] > a[j]) == (b[i] > b[j]) for i, j in pairs[:2]])
    assert found["srp"] == np.mean([all(pair) for pair in kept])
    assert found["kept"] == np.mean(kept) >= found["srp"]
    assert found["pairs"] == 2 and found["tau_low"] <= found["tau"] <= found["tau_high"]
    nothing = expect_repeat(inference, 0, rng, 50)
    assert set(nothing) == {"tau", "tau_low", "tau_high", "pairs"}
    assert expect_repeat(inference, 99, rng, 50)["pairs"] == 6


def test_a_repeat_agrees_as_predicted_where_systems_differ():
    """Predicted from a pilot, and realised by two further campaigns."""
    rng = np.random.default_rng(8)
    predicted, realised = [], []
    for _ in range(40):
        truth = 0.6 * rng.standard_normal(6)
        pilot = simulate("crossed", 12, 30, 6, rng, truth=truth)
        predicted.append(expect_repeat(infer_ratings(pilot), 0, rng, 100)["tau"])
        means = [simulate("crossed", 12, 30, 6, rng, truth=truth).means() for _ in range(2)]
        realised.append(kendall_tau(*means))
    assert np.mean(predicted) == pytest.approx(np.mean(realised), abs=0.1)


def test_halves_share_no_annotator():
    arrays = simulate("crossed", 8, 24, 5, np.random.default_rng(4), truth=np.arange(5.0))
    row = split_half_agreement(arrays, "annotator", np.random.default_rng(1)).iloc[0]
    assert row["units"] == 8 and row["splits"] == 200 and row["tau"] > 0.9
    tau = split_half_tau(arrays, "document", np.random.default_rng(2), 50)
    order = np.argsort(np.random.default_rng(2).random((50, 24)), axis=1)
    for k in range(3):  # against plain means of the two halves
        first = order[k][arrays.units["document"]] < 12
        means = [arrays.take(half).means() for half in (first, ~first)]
        assert tau[k] == pytest.approx(kendall_tau(*means))
    with pytest.raises(DataError) as caught:
        split_half_agreement(arrays, "hit", np.random.default_rng(1))
    assert caught.value.code == "unknown_unit"
