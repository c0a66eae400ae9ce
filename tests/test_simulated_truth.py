"""Simulated truth: the variances of its parts, and halves that share no unit."""

import numpy as np
import pytest
from simulated_truth import simulate_campaign, split_half_tau

from rankstability.stability.components import Components, fit_arrays
from rankstability.stability.repeat import kendall_tau
from simulated import VARIANCE, simulate


def test_a_simulated_campaign_has_the_variances_that_were_given():
    rng = np.random.default_rng(1)
    arrays = simulate("SR+DC", 30, 120, 6, rng)
    given = Components({"system": 4.0, **VARIANCE}, 50.0, {}, 0.0)
    campaign, truth = simulate_campaign(arrays, given, rng)
    assert (campaign.system == arrays.system).all() and truth.shape == (6,)
    found = fit_arrays(campaign).variance
    for name in ("annotator", "residual", "block", "document"):
        assert found[name] == pytest.approx(VARIANCE[name], rel=0.5), name
    means = campaign.means()
    assert np.corrcoef(means, truth)[0, 1] > 0.95


def test_halves_share_no_document():
    arrays = simulate("crossed", 8, 24, 5, np.random.default_rng(4), truth=np.arange(5.0))
    tau = split_half_tau(arrays, "document", np.random.default_rng(2), 50)
    order = np.argsort(np.random.default_rng(2).random((50, 24)), axis=1)
    for k in range(3):  # against plain means of the two halves
        first = order[k][arrays.units["document"]] < 12
        means = [arrays.take(half).means() for half in (first, ~first)]
        assert tau[k] == pytest.approx(kendall_tau(*means))
