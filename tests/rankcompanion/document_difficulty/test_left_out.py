"""Components and luck without groups of units: against refits, and whether intervals hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assessments import assessment
from rankcompanion.document_difficulty import documents
from rankcompanion.models import additive as models
from rankcompanion.models import variance
from rankcompanion.models.variance import error, leave_out
from rankstability.errors import DataError
from rankstability.rank.units import TWO_WAY
from rankstability.score.scored import scored


def campaign(seed: int, workers: int = 24, ease: np.ndarray | None = None) -> pd.DataFrame:
    """Five equal systems on 20 documents of three segments, three blocks of a worker's each."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 6, 20) if ease is None else ease
    worker = np.repeat(np.arange(workers), 36)
    block = np.repeat(rng.integers(20, size=12 * workers), 3)
    frame = pd.DataFrame(
        {
            "worker": [f"w{w:02d}" for w in worker],
            "system": [f"S{s}" for s in np.repeat(rng.integers(5, size=12 * workers), 3)],
            "document": [f"d{d:02d}" for d in block],
            "segment": [f"d{d:02d}_{k % 3}" for k, d in enumerate(block)],
            "type": "SYSTEM",
            "score": 60 + rng.normal(0, 6, workers)[worker] + ease[block],
        }
    )
    together = np.repeat(rng.normal(0, 4, 12 * workers), 3)
    return frame.assign(score=frame["score"] + together + rng.normal(0, 8, len(frame)))


def test_a_step_without_a_group_is_nearly_the_refit_without_it():
    judged = scored(assessment(campaign(1)))
    known = {n: judged.units[n] for n in ("worker", "document")} | {"system": judged.system}
    every = variance.crossed(judged.score, known)
    fits = leave_out(judged, every, "worker", np.random.default_rng(2), groups=24)
    group = np.random.default_rng(2).permutation(24)[judged.units["worker"]]
    for g in range(24):
        rows = group != g
        again = variance.crossed(judged.score[rows], {n: c[rows] for n, c in known.items()})
        for name in ("worker", "document"):
            log = [np.log(f.variance[name] / f.variance["residual"]) for f in (every, again)]
            step = fits.log_ratio[g, fits.factors.index(name)]
            assert step == pytest.approx(log[1] - log[0], abs=0.03)
        effects = again.effects["document"]["effect"]
        assert np.abs(fits.document[g] - effects).max() < 0.3  # of 7 points
    assert error(fits.log_ratio)[fits.factors.index("worker")] == pytest.approx(0.3, abs=0.15)


def test_intervals_hold_the_luck_of_these_documents_with_other_workers():
    """True ease of the documents is known; the interval of each system's luck should hold it."""
    rng = np.random.default_rng(5)
    inside, apart = [], []
    for seed in range(12):
        ease = rng.normal(0, 6, 20)
        da = assessment(campaign(seed, ease=ease))
        frame, parts = documents.segment_frame(da), {"raw": models.components(da)}
        parts["z"] = parts["raw"]
        judged = scored(da)
        fits = {"worker": leave_out(judged, parts["raw"], "worker", rng)}
        table = documents.ease_by_system(
            frame, parts, documents.WithoutUnits("worker", {"raw": fits})
        ).set_index("system")
        of = frame["document"].str[1:].astype(int).map(pd.Series(ease))
        true = of.groupby(frame["system"]).mean()
        true = (true - true.mean()).reindex(table.index)
        inside += list((table["luck_low"] <= true) & (true <= table["luck_high"]))
        apart += list(true.abs() < table["luck_high"] - table["luck_raw"])
    assert np.mean(inside) > 0.85  # 60 systems; .95 but for shrinkage
    assert np.mean(apart) < 0.8  # and it tells luck from none


def test_of_two_kinds_of_units_the_interval_is_the_wider():
    da = assessment(campaign(3))
    parts = documents.variance_components(da)
    without = {
        unit: documents.without_units(da, parts, np.random.default_rng(4), unit)
        for unit in ("worker", "document", TWO_WAY, None)
    }
    assert without[None].unit == TWO_WAY
    tables = {
        unit: documents.component_table(parts, "xx-yy", one).set_index(["score", "component"])
        for unit, one in without.items()
    }
    wide = tables[TWO_WAY]["high"].loc["raw", ["worker", "document", "block"]]
    for unit in ("worker", "document"):
        assert (tables[unit]["high"].reindex(wide.index) <= 1.2 * wide).all()
    # who judged says most of workers, what was judged of documents
    of = {u: t["high"] / t["variance"] for u, t in tables.items()}
    assert of["worker"]["raw", "worker"] > of["document"]["raw", "worker"]
    assert of["document"]["raw", "document"] > of["worker"]["raw", "document"]
    assert (tables["worker"]["model_high"] > tables["worker"]["variance"]).any()


def test_without_a_unit_there_is_no_interval():
    few = assessment(campaign(6).query("document == 'd03'"))
    parts = documents.variance_components(few)
    without = documents.without_units(few, parts, np.random.default_rng(0))
    assert without.unit == ""
    assert documents.component_table(parts, "xx-yy", without)["high"].isna().all()
    ease = documents.ease_by_system(documents.segment_frame(few), parts, without)
    assert ease["luck_low"].isna().all()
    assert ease["luck_raw"].notna().all()
    with pytest.raises(DataError, match="hit"):
        documents.without_units(few, parts, np.random.default_rng(0), "hit")


def test_the_jackknifes_error_of_a_mean_is_its_standard_error():
    x = np.random.default_rng(4).normal(size=(7, 2))
    left = np.array([np.delete(x, k, axis=0).mean(axis=0) for k in range(7)])
    np.testing.assert_allclose(error(left), x.std(axis=0, ddof=1) / np.sqrt(7))
