"""Annotators: controls by hand, Krippendorff's alpha against its package."""

import krippendorff
import numpy as np
import pandas as pd
import pytest

from rankstability.io.load import load
from rankstability.judgments import Judgments
from rankstability.scores.build import score_arrays
from rankstability.stability.annotators import (
    describe_annotators,
    krippendorff_alpha,
)
from real import real_data


def ratings(seed=0, annotators=5, systems=4, documents=10, missing=0.4):
    rng = np.random.default_rng(seed)
    w, d, s = (code.ravel() for code in np.indices((annotators, documents, systems)))
    score = 3.0 * s + 2 * rng.normal(size=documents)[d] + rng.normal(0, 3, len(w)) - 1.5 * w
    keep = rng.random(len(w)) > missing
    names = {"system": s, "annotator": w, "document": d}
    frame = pd.DataFrame({k: [f"{k}{i}" for i in v[keep]] for k, v in names.items()})
    return frame.assign(segment=frame["document"], score=score[keep])


def judged(frame, **words):
    ids = [name for name in ("system", "segment", "document", "annotator") if name in frame]
    return Judgments(frame.astype(dict.fromkeys(ids, "category")), "ratings", **words)


def arrays_of(frame):
    return score_arrays(judged(frame), "raw")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_alpha_is_that_of_the_package_with_gaps(seed):
    frame = ratings(seed)
    found = krippendorff_alpha(arrays_of(frame)).iloc[0]
    wide = frame.pivot_table(index="annotator", columns=["segment", "system"], values="score")
    wanted = krippendorff.alpha(wide.to_numpy(), level_of_measurement="interval")
    assert found["alpha"] == pytest.approx(wanted)
    twice = wide.notna().sum() >= 2
    assert (found["outputs"], found["judgments"]) == (twice.sum(), wide.notna().sum()[twice].sum())
    assert found["reading"] == "unreliable"


def test_alpha_by_hand_counts_an_annotators_judgments_of_an_output_once():
    """Krippendorff (2011): 1 - observed / expected disagreement, of pairs of judgments."""
    rows = [("A", "s1", "x", 1.0), ("A", "s1", "x", 3.0), ("A", "s1", "y", 4.0)]
    rows += [("A", "s2", "x", 6.0), ("A", "s2", "y", 6.0), ("A", "s2", "z", 9.0)]
    rows += [("B", "s1", "z", 50.0)]  # alone: no part of it
    frame = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    found = krippendorff_alpha(arrays_of(frame)).iloc[0]
    outputs = [[2.0, 4.0], [6.0, 6.0, 9.0]]
    within = sum((a - b) ** 2 / (len(each) - 1) for each in outputs for a in each for b in each)
    pooled = [*outputs[0], *outputs[1]]
    between = sum((a - b) ** 2 for a in pooled for b in pooled) / (len(pooled) - 1)
    assert found["alpha"] == pytest.approx(1 - within / between)
    assert (found["outputs"], found["judgments"]) == (2, 5)


def test_alpha_has_no_origin_and_no_unit():
    """Scores of the order of a million lose no digits, nor do those of a millionth."""
    frame = ratings(missing=0.3)
    plain = krippendorff_alpha(arrays_of(frame))["alpha"].iloc[0]
    for times, more in ((1.0, 1e7), (1.0, -1e7), (-2.0, 0.0), (1e-6, 1.0)):
        moved = arrays_of(frame.assign(score=times * frame["score"] + more))
        assert krippendorff_alpha(moved)["alpha"].iloc[0] == pytest.approx(plain, abs=1e-7)
    assert krippendorff_alpha(arrays_of(frame.drop_duplicates(["segment", "system"]))).empty


@pytest.mark.parametrize(
    ("noise", "reading"), [(0.1, "reliable"), (0.6, "tentative"), (3.0, "unreliable")]
)
def test_alpha_is_read_on_its_usual_scale(noise, reading):
    rng = np.random.default_rng(3)
    frame = ratings(missing=0.0)
    true = frame.groupby(["system", "segment"])["score"].transform("mean")
    frame["score"] = true / true.std() + noise * rng.normal(size=len(frame))
    assert krippendorff_alpha(arrays_of(frame))["reading"].tolist() == [reading]


def test_severity_is_found_on_raw_scores():
    table = describe_annotators(judged(ratings(missing=0.2, documents=30))).set_index("annotator")
    severity = table["severity"].sort_index().to_numpy()
    assert severity == pytest.approx(1.5 * (np.arange(5) - 2), abs=0.8)
    assert table["judgments"].is_monotonic_decreasing
    assert (table[["repeats", "damaged", "references"]] == 0).all(axis=None)
    frame = ratings(missing=0.2, documents=30)
    errors = judged(frame.assign(score=-frame["score"]), lower_is_better=True)
    turned = describe_annotators(errors).set_index("annotator")
    assert turned["severity"][table.index].tolist() == pytest.approx(table["severity"].tolist())
    assert turned["mean"][table.index].tolist() == pytest.approx((-table["mean"]).tolist())


def test_repeats_and_damaged_outputs_by_hand():
    rows = [
        ("x", "A", "1", "SYSTEM", 80.0),
        ("x", "A", "1", "REPEAT", 70.0),
        ("x", "A", "2", "SYSTEM", 60.0),
        ("x", "A", "2", "BAD_REF", 30.0),
        ("x", "B", "3", "SYSTEM", 50.0),
        ("x", "B", "3", "BAD_REF", 55.0),
        ("x", "B", "4", "BAD_REF", 1.0),  # never judged undamaged
        ("y", "B", "1", "SYSTEM", 90.0),
        ("y", "B", "2", "REF", 99.0),
    ]
    names = ["annotator", "system", "segment", "item_type", "score"]
    table = describe_annotators(judged(pd.DataFrame(rows, columns=names))).set_index("annotator")
    x, y = table.loc["x"], table.loc["y"]
    assert (x["judgments"], x["repeats"], x["repeat_difference"]) == (4, 1, 10)
    assert (x["damaged"], x["damaged_below"]) == (2, 0.5)
    assert (y["judgments"], y["repeats"]) == (1, 0) and np.isnan(y["damaged_below"])


def test_a_hidden_reference_below_an_anchor_is_counted():
    rows = []
    for annotator, reference in (("x", 90.0), ("y", 45.0)):
        for segment in "12":
            rows += [(annotator, "A", segment, 60.0), (annotator, "reference", segment, reference)]
            rows += [(annotator, "anchor35", segment, 30.0), (annotator, "anchor70", segment, 50.0)]
    rows.append(("x", "anchor70", "3", 99.0))  # without a reference
    frame = pd.DataFrame(rows, columns=["annotator", "system", "segment", "score"])
    judgments = judged(frame, controls=("reference", "anchor35", "anchor70"))
    table = describe_annotators(judgments).set_index("annotator")
    assert table["references"].tolist() == [2, 2] and table["judgments"].tolist() == [2, 2]
    assert table["references_below"].to_dict() == {"x": 0.0, "y": 1.0}


def test_annotators_of_wmt18_repeat_themselves_and_see_damage():
    real_data("newstest2018-humaneval")
    table = describe_annotators(load("wmt18", "fi-en"))
    assert table["judgments"].sum() == 16589 + 2279
    assert table["repeats"].sum() == 2279
    assert table["damaged"].sum() == 2381
    share = (table["damaged"] * table["damaged_below"]).sum() / 2381
    assert share == pytest.approx(1745 / 2381)
