"""Simulated truth: the variances of its parts, and halves that agree as the real ones do."""

import numpy as np
import pytest

from rankstability.errors import DataError
from rankstability.stability.components import Components, fit_arrays
from rankstability.stability.truth import check_simulated_truth, simulate_campaign
from simulated import VARIANCE, simulate


def test_a_simulated_campaign_has_the_variances_that_were_given():
    rng = np.random.default_rng(1)
    arrays = simulate("SR+DC", 30, 120, 6, rng)
    given = Components({"system": 4.0, **VARIANCE}, 50.0, {}, 0.0, arrays.n_judgments)
    campaign, truth = simulate_campaign(arrays, given, rng)
    assert (campaign.system == arrays.system).all() and truth.shape == (6,)
    found = fit_arrays(campaign).variance
    for name in ("annotator", "residual", "block", "document"):
        assert found[name] == pytest.approx(VARIANCE[name], rel=0.5), name
    means = campaign.means()
    assert np.corrcoef(means, truth)[0, 1] > 0.95


def test_halves_of_simulated_campaigns_agree_as_the_real_ones():
    rng = np.random.default_rng(2)
    truth = 0.5 * rng.standard_normal(8)
    arrays = simulate("random", 30, 40, 8, rng, per_annotator=25, truth=truth)
    row = check_simulated_truth(arrays, rng, simulations=30, splits=50).iloc[0]
    assert row["consistent"] and row["simulated_low"] < row["tau"] < row["simulated_high"]
    with pytest.raises(DataError) as caught:
        check_simulated_truth(arrays.__class__(**{**vars(arrays), "units": {}}), rng)
    assert caught.value.code == "unknown_unit"
