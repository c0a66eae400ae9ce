"""The simulated truth: halves against a slow obvious version, components that come back, WMT21."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assessments import demo
from conftest import needs
from rankcampaigns.campaigns import find, load_da
from rankcompanion.models import additive as models
from rankcompanion.models import truth, variance
from rankcompanion.models.truth import draw_parts, shuffle_blocks, shuffle_labels
from rankstability.judgments import counted
from rankstability.score.da import judgment_z
from rankstability.score.scored import segment_scores


def test_drawn_parts_have_the_variances_they_are_drawn_with():
    codes = {"worker": np.repeat(np.arange(40), 30), "document": np.tile(np.arange(30), 40)}
    codes["document"][:30] = -1
    drawn = draw_parts(codes, {"worker": 4.0, "document": 9.0, "residual": 1.0}, 200,
                       np.random.default_rng(1))  # fmt: skip
    assert drawn.shape == (1200, 200)
    assert drawn[:30].var() == pytest.approx(5.0, rel=0.2)  # without a document
    assert drawn[30:].var() == pytest.approx(14.0, rel=0.05)
    one = drawn[30:60] - drawn[60:90]  # two workers, the same documents
    assert one.var(axis=0).mean() == pytest.approx(2.0, rel=0.1)


def test_halves_by_hand():
    """One column: rank by the segment means of each half, and SciPy's tau."""
    da, _ = demo("SR+DC", 21, workers=10, documents=12)
    z = judgment_z(da)
    ours = truth.half_taus(da, z[:, None], np.random.default_rng(4))[0]
    worker = da.good["worker"].cat.codes.to_numpy()
    seen = np.unique(worker[counted(da.good)])
    order = np.argsort(np.random.default_rng(4).random((len(seen), 1)), axis=0)[:, 0]
    first = np.isin(worker, seen[order < len(seen) // 2])
    means = [
        segment_scores(da, np.where(m, z, np.nan)).system_means()["mean_z"] for m in (first, ~first)
    ]
    assert ours == pytest.approx(stats.kendalltau(*means).statistic)


GIVEN = {"worker": 60.0, "document": 20.0, "segment": 25.0, "worker:system": 0.0,
         "document:system": 0.0}  # fmt: skip


def planted(seed: int, size: int, spreads: float = 0.0, **given: float):
    """A demo's truth with the components `GIVEN` and `given`, and the demo with scores from it."""
    da, _ = demo("SR+DC", seed, workers=size, documents=size)
    fit = models.additive(da)
    spread = np.exp(np.random.default_rng(5).normal(0, spreads, len(fit.spread)))
    fit = replace(fit, spread=spread / np.median(spread))
    known = truth.known_truth(da, variance.Components(GIVEN | given, 0.0, {}, 0.0, 0), fit)
    scores = known.draw(1, np.random.default_rng(seed - 20))[:, 0]
    return known, replace(da, good=da.good.assign(score=scores))


def test_the_truths_components_come_back():
    """Fitted to a campaign drawn from it, no spreads: about the components it was drawn with."""
    known, judged = planted(22, 40, system=30.0, block=50.0, residual=120.0)
    assert known.quality.var() == pytest.approx(30.0)
    controls = ~counted(judged.good)
    assert controls.any()  # of no system: what holds together adds nothing to them
    assert all((known.codes[name][controls] == -1).all() for name in variance.TOGETHER)
    found = models.components(judged).variance
    together = sum(found[n] for n in variance.TOGETHER)
    assert together == pytest.approx(50, rel=0.4)
    assert found["residual"] == pytest.approx(120, rel=0.15)
    assert found["worker"] == pytest.approx(60, rel=0.6)


def test_discernment_comes_back_and_does_not_pass_for_whims():
    """Workers who keep systems 0 to 2.5 times as far apart: the order stands, halves agree."""
    slopes = {models.DISCERNMENT: 25.0}
    _, judged = planted(25, 40, system=60.0, block=20.0, residual=150.0, **slopes)
    plain = models.components(judged).variance
    quality = models.additive(judged).system
    found = models.components(judged, quality=quality).variance
    assert found[models.DISCERNMENT] / quality.var() == pytest.approx(25 / 60, rel=0.5)
    assert found["worker:system"] < 4 < plain["worker:system"] + plain["block"] - 20
    assert found["residual"] == pytest.approx(150, rel=0.1)


def test_a_workers_spread_is_counted_once():
    """Scores drawn with spreads, fitted again: the components of the scores before stretching."""
    _, judged = planted(26, 60, 0.4, system=40.0, block=0.0, residual=120.0)
    again, plain = truth.known_truth(judged).variance, models.components(judged).variance
    median = 120 + 25 + 20  # residuals beside which spreads are measured hold documents' rest, too
    assert 0.8 * 120 < again["residual"] < 1.1 * median
    together = sum(again[n] for n in models.TOGETHER) + again[models.DISCERNMENT]
    assert together < 0.5 * sum(plain[n] for n in models.TOGETHER) + 2.0


def test_a_worker_whose_spread_is_unknown_has_the_usual_one():
    da, _ = demo("SR+DC", 21, workers=10, documents=12)
    fit = models.additive(da)
    usual = np.ones_like(fit.spread)
    unknown = np.where(np.arange(len(usual)) % 2, np.nan, usual)
    one, other = (truth.known_truth(da, fit=replace(fit, spread=s)) for s in (usual, unknown))
    assert other.variance == pytest.approx(one.variance)
    assert other.quality.to_dict() == pytest.approx(one.quality.to_dict())


def test_a_real_agreement_outside_the_simulated_range_is_said():
    taus = {"real": 0.5, "near": np.linspace(0.3, 0.7, 101), "far": 0.8, "low": 0.2}
    rows = pd.concat(
        pd.DataFrame({"pair": "xx-yy", "scores": s, "draw": range(101), "tau": t})
        for s, t in taus.items()
    )
    table = truth.agreement_check(rows)
    assert truth.bears_out(table[table["scores"] != "far"])
    assert not truth.bears_out(table.replace({"scores": {"far": "simulated"}}))
    table = table.set_index(["pair", "scores"])
    assert table["as_real"].to_dict() == {
        (p, s): int(s in ("real", "near")) for p in ("xx-yy", "campaign") for s in taus
    }
    assert table.loc[("xx-yy", "near"), ["low", "high"]].tolist() == pytest.approx([0.31, 0.69])


@needs("wmt21")
def test_wmt21_agrees_with_itself_as_the_simulation_does_with_all_components():
    """Halves of is-en's workers: tau about .4; simulated without what holds together, far above."""
    da = load_da(find("wmt21"), "is-en")
    truths = {
        name: truth.known_truth(da, together=together)
        for name, together in (("all", True), ("independent", False))
    }
    rows = truth.split_halves(da, truths, np.random.default_rng(1), 60, 60)
    table = truth.agreement_check(rows).set_index(["pair", "scores"]).loc["campaign"]
    assert table.loc["real", "tau"] == pytest.approx(0.39, abs=0.03)
    assert table.loc["all", "as_real"] == 1 and table.loc["independent", "as_real"] == 0
    assert table.loc["independent", "tau"] > table.loc["all", "tau"] + 0.1


def test_labels_are_shuffled_whole_within_units_and_every_way_is_as_likely():
    system, unit = np.array([0, 1, 2, 0, 1, 2, 1, 2]), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    seen = Counter(tuple(map(int, shuffle_labels(system, unit, rng))) for _ in range(6000))
    assert len(seen) == 12  # 3! x 2!
    assert all(way[:3] == way[3:6] and set(way[6:]) == {1, 2} for way in seen)
    assert min(seen.values()) > 380


def test_blocks_change_places_within_their_worker():
    system, block = np.array([0, 0, 1, 2, 1, 0]), np.array([0, 0, 1, 2, 3, 4])
    worker = np.array([0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    seen = Counter(tuple(map(int, shuffle_blocks(system, block, worker, rng))) for _ in range(6000))
    assert len(seen) == 12
    for way in seen:
        assert way[0] == way[1] and sorted(way[1:4]) == [0, 1, 2] and sorted(way[4:]) == [0, 1]
