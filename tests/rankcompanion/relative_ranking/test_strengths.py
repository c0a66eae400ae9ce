"""Strengths beside win ratios, on the demo campaign whose truth is known."""

from __future__ import annotations

import demo_rr
import numpy as np
import pytest

from rankcompanion.lines import held, held_rr
from rankcompanion.relative_ranking.methods import strengths
from rankstability.rank import bradley_terry, ranges
from rankstability.read import campaigns


def test_strengths_order_the_demo_as_its_truth_and_stand_beside_their_means():
    frame = campaigns.load("demo-rr", "cs-en")
    table = strengths(frame)
    truth = {s: q for s, q in demo_rr.QUALITY.items() if s in set(table["system"])}
    assert len(truth) == len(table)
    best = table.set_index("system")["strength"]
    assert np.corrcoef(best, [truth[s] for s in best.index])[0, 1] > 0.9
    data = ranges.units(frame).without("_ref")
    strength, tie = bradley_terry.davidson(data.counts)
    assert (
        best[list(data.systems)].tolist() == pytest.approx(strength.tolist())
        and (table["tie"] == tie).all()
    )
    assert (table["low"] < table["strength"]).all() and (table["high"] > table["strength"]).all()
    sets = table[["rank_low", "rank", "rank_high"]].to_numpy()
    assert (np.diff(sets, axis=1) >= 0).all() and set(table["unit"]) == {"judge"}
    battles = held_rr.battles(frame)
    ratio = held.standing(battles, held_rr.METHOD, np.random.default_rng(0)).ranking
    scores = ratio.set_index("system")["score"]
    assert (table.set_index("system")["bojar"] - scores).abs().max() < 1e-12
