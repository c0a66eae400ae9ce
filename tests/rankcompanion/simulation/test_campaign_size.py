"""The integral that replaces the simulation of campaigns, and advice from it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

from rankcompanion.models.simulate import Model, draw_counts, draw_pairs, draw_qualities
from rankcompanion.simulation.experiments import (
    advice,
    advice_for,
    expected_share,
    fit_spread,
    judgments_needed,
    simulated_shares,
)
from rankstability.rank.significance import significant_share


@pytest.mark.parametrize(("systems", "spread", "sides"), [(15, 10.0, 1), (6, 8.0, 2), (10, 3.2, 1)])
def test_the_integral_is_the_simulations_mean(systems, spread, sides):
    table = simulated_shares(Model(systems, spread), [500, 3000, 20_000], 500, 3, sides=sides)
    z = (table["simulated"] - table["expected"]) / table["simulated_se"]
    assert z.abs().max() < 4


def test_table_4_simulated():
    """At the integral's number of judgments 70 % of pairs come out significant."""
    model = Model(15, 10.0)
    needed = judgments_needed(0.7, model)
    assert needed == pytest.approx(33_570, rel=0.01)
    table = simulated_shares(model, [round(needed)], 150, 1)
    assert abs(table["simulated"][0] - 0.7) < 4 * table["simulated_se"][0] < 0.03


def test_independent_pairs_do_for_the_share():
    """`draw_pairs` gives the share of significant pairs the distribution that blocks give it."""
    model = Model(10, 10.0)
    rng = np.random.default_rng(2)
    quality = draw_qualities(model, 1500, rng)
    blocks = significant_share(draw_counts(model, quality, [8000], rng)[0][:, 0])
    pairs = significant_share(draw_pairs(model, quality, [8000], rng)[:, 0])
    assert abs(blocks.mean() - pairs.mean()) < 0.01
    assert blocks.std() == pytest.approx(pairs.std(), rel=0.1)
    assert kstest(blocks + rng.normal(0, 1e-4, 1500), pairs).pvalue > 1e-4


def test_the_spread_is_found_again():
    model = Model(12, 9.0)
    sizes = [2000, 6000, 20_000]
    assert fit_spread(sizes, expected_share(sizes, model), Model(12)) == (9.0, 0.0)


def test_advice_has_its_band_around_the_number():
    table = advice(Model(8, 10.0), [0.5, 0.8], 1, experiments=300)
    assert (table["fewer"] < table["judgments"]).all()
    assert (table["judgments"] < table["more"]).all()
    # of fresh campaigns with `more` judgments about 90 % have reached the share
    size = int(table["more"][1])
    rng = np.random.default_rng(9)
    quality = draw_qualities(Model(8, 10.0), 300, rng)
    reached = significant_share(draw_counts(Model(8, 10.0), quality, [size], rng)[0][:, 0])
    assert 0.8 < (reached >= 0.8 - 1e-9).mean() < 0.98


def test_section_6_contradicts_table_4():
    """13,000 judgments separate 55 %, not 70 %, of the pairs; 80 % need 80,000, not 40,000."""
    share = expected_share([13_000, 40_000, 80_000], Model(15, 10.0))
    assert share == pytest.approx([0.546, 0.723, 0.800], abs=0.002)


def test_advice_for_several_campaigns_keeps_what_is_known_of_them():
    campaigns = pd.DataFrame(
        {"task": ["x", "y"], "systems": [6, 8], "spread": [8.0, 10.0], "block": [5, 5]}
    )
    table = advice_for(campaigns, [0.5, 0.8], [3, 4], 20)
    assert table["task"].tolist() == ["x", "x", "y", "y"]
    alone = advice(Model(8, 10.0), [0.5, 0.8], 4, experiments=20)
    pd.testing.assert_frame_equal(table.drop(columns="task")[2:].reset_index(drop=True), alone)
