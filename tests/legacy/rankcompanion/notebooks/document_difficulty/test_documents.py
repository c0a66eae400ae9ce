"""Documents: the matrix by hand, difficulty and luck where they are planted, real campaigns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from assessments import assessment, demo
from companion.legacy.rankcompanion.models import variance
from companion.legacy.rankcompanion.notebooks.document_difficulty import documents
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment
from companion.legacy.rankstability.score.scored import segment_scores


def planted(seed: int = 31) -> tuple[pd.DataFrame, np.ndarray]:
    """Six equal systems, 40 documents of known ease; system S0 on the easier half only."""
    rng = np.random.default_rng(seed)
    ease = np.sort(rng.normal(0, 10, 40))
    items = []
    for worker in range(30):
        lenient = rng.normal(0, 8)
        for _ in range(60):
            system, document = int(rng.integers(6)), int(rng.integers(40))
            if system == 0:
                document = 20 + document // 2
            segment = int(rng.integers(8))
            score = 50 + ease[document] + lenient + rng.normal(0, 6)
            items.append((f"w{worker:02d}", f"S{system}", f"d{document:02d}",
                          f"d{document:02d}_{segment}", "SYSTEM", score))  # fmt: skip
    names = ["worker", "system", "document", "segment", "type", "score"]
    return pd.DataFrame(items, columns=names), ease


def test_the_matrix_by_hand():
    rows = [("A", "x", "1", 80.0), ("A", "x", "2", 60.0), ("A", "y", "3", 20.0)]
    rows += [("B", "x", "1", 90.0)]
    frame = pd.DataFrame(rows, columns=["system", "document", "segment", "raw"])
    cells = documents.document_means(frame)
    assert list(cells.index) == ["x", "y"] and list(cells.columns) == ["B", "A"]  # 90, 53.3
    assert cells.loc["x", "A"] == 70 and np.isnan(cells.loc["y", "B"])
    with pytest.raises(DataError, match="without documents"):
        documents.document_means(frame.assign(document=None))


def test_segment_frame_is_what_is_ranked():
    da, _ = demo("SR+DC", 32)
    frame = documents.segment_frame(da)
    scores = segment_scores(da)
    means = frame.groupby("system")["z"].mean()
    theirs = scores.system_means().set_index("system")["mean_z"]
    assert np.allclose(means, theirs[means.index])
    pairs = da.good[["segment", "document"]].astype(str).drop_duplicates()
    of = dict(zip(pairs["segment"], pairs["document"], strict=True))
    assert (frame["document"] == frame["segment"].map(of)).all()


def test_planted_difficulty_is_found_with_intervals_that_cover():
    frame, ease = planted()
    da = assessment(frame)
    parts = documents.variance_components(da)
    table = documents.difficulty(documents.segment_frame(da), parts).set_index("document")
    truth = pd.Series(-(ease - ease.mean()), [f"d{k:02d}" for k in range(40)])
    assert np.corrcoef(table["difficulty"], truth[table.index])[0, 1] > 0.97
    inside = (table["low"] <= truth[table.index]) & (truth[table.index] <= table["high"])
    assert inside.mean() >= 0.85
    sd = np.sqrt(parts["raw"].variance["document"])
    assert sd == pytest.approx(ease.std(ddof=1), rel=0.25)
    assert np.sqrt(parts["raw"].variance["residual"]) == pytest.approx(6, rel=0.1)


def test_segment_scores_without_workers():
    """Judgments that are not released: documents and segments only, means weighted by judgments."""
    frame, ease = planted()
    segments = documents.segment_frame(assessment(frame))
    parts = documents.variance_components(segments)
    assert set(parts["raw"].variance) == {"system", "document", "segment", "residual"}
    sd = np.sqrt(parts["raw"].variance["document"])
    assert sd == pytest.approx(ease.std(ddof=1), rel=0.3)
    ease = documents.ease_by_system(segments, parts)
    row = documents.summary("xx-yy", segments, parts, ease).iloc[0]
    assert row["workers"] == 0 and row["documents"] == 40


def few(workers: int, once: bool) -> DirectAssessment:
    """Four systems on 12 documents of 3 segments; with `once`, each segment is judged once."""
    rng = np.random.default_rng(41)
    items = []
    for k in range(36):
        for s in range(4):
            if not once or k % 4 == s:
                score = 40 + 5 * s + 4 * (k // 3 % 5) + rng.normal(0, 6)
                items.append((f"w{(k + s) % workers}", f"S{s}", f"d{k // 3:02d}", f"{k:02d}",
                              "SYSTEM", score))  # fmt: skip
    names = ["worker", "system", "document", "segment", "type", "score"]
    return assessment(pd.DataFrame(items, columns=names))


@pytest.mark.parametrize(
    ("workers", "once", "left_out"),
    [(1, False, ("worker",)), (5, True, ("segment",)), (1, True, ("worker", "segment"))],
)
def test_a_factor_that_cannot_be_told_is_left_out_and_named(workers, once, left_out):
    da = few(workers, once)
    frame = documents.segment_frame(da)
    parts = documents.variance_components(da)
    table = documents.component_table(parts, "xx-yy").set_index(["score", "component"])
    missing = table.loc["raw"].query("estimated == 0").index
    assert tuple(n for n in missing if n not in variance.TOGETHER) == left_out
    assert "worker:system" in missing or workers > 1  # with one worker it is the system
    assert (table.loc["raw"].loc[list(left_out), "variance"] == 0).all()
    assert table["share"].groupby(level=0).sum().to_numpy() == pytest.approx([1, 1])
    ease = documents.ease_by_system(frame, parts)
    assert np.isfinite(ease[["luck_raw", "segment_luck_z"]].to_numpy()).all()
    assert len(documents.difficulty(frame, parts)) == 12


def test_what_does_not_vary_or_is_too_little_has_no_components():
    da = few(5, False)
    released = documents.segment_frame(few(5, True))
    assert documents.variance_components(released)["raw"].left_out == ("segment",)
    once = da.good.iloc[[0, int((da.good["system"] != da.good["system"].iloc[0]).argmax())]]
    once = once.assign(worker=da.good["worker"].iloc[0], segment=da.good["segment"].iloc[0])
    once = once.astype({"worker": "category", "segment": "category"})
    for judged, words in (
        (released[released["system"] == "S0"], "fewer than two systems"),
        (replace(da, good=da.good.assign(score=50.0)), "no variance that could be divided"),
        (replace(da, good=once), "too few scores to divide"),
        (replace(da, good=da.good[da.good["system"] == "S0"]), r"two systems in xx-yy.*pair="),
    ):
        with pytest.raises(DataError, match=words):
            documents.variance_components(judged)


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


def test_intervals_hold_the_luck_of_these_documents_with_other_workers():
    """True ease of the documents is known; the interval of each system's luck should hold it."""
    rng = np.random.default_rng(5)
    inside, apart = [], []
    for seed in range(8):
        ease = rng.normal(0, 6, 20)
        da = assessment(campaign(seed, ease=ease))
        frame, parts = documents.segment_frame(da), {"raw": variance.components(da)}
        parts["z"] = parts["raw"]
        table = documents.ease_by_system(frame, parts).set_index("system")
        of = frame["document"].str[1:].astype(int).map(pd.Series(ease))
        true = of.groupby(frame["system"]).mean()
        true = (true - true.mean()).reindex(table.index)
        inside += list((table["luck_low"] <= true) & (true <= table["luck_high"]))
        apart += list(true.abs() < table["luck_high"] - table["luck_raw"])
    assert np.mean(inside) > 0.85  # 40 systems; .95 but for shrinkage
    assert np.mean(apart) < 0.8  # and it tells luck from none
