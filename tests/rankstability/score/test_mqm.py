"""MQM weights, sums and normalisations."""

from __future__ import annotations

import io
import json
import tarfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import needs, real
from rankstability.errors import DataError
from rankstability.read.mqm import read_mqm
from rankstability.score import mqm


def judgments(rows):
    """Rows of (system, document, segment, rater, category, severity)."""
    columns = ["system", "document", "segment", "rater", "category", "severity"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("name", "major"), [("freitag2021", 5.0), ("major1", 1.0), ("major10", 10.0)]
)
def test_weight_tables_differ_in_what_a_major_error_weighs_and_in_nothing_else(name, major):
    weights = {
        ("Accuracy/Mistranslation", "Major"): major, ("Fluency/Punctuation", "Major"): major,
        ("Fluency/Punctuation", "Minor"): 0.1, ("Fluency/Grammar", "Minor"): 1.0,
        ("Non-translation", "Major"): 25.0, ("Accuracy/Mistranslation", "Neutral"): 0.0,
        ("Source issue", "Major"): 0.0, ("No-error", "No-error"): 0.0,
    }  # fmt: skip
    errors = judgments([("A", "d", 1, "r", *kind) for kind in weights])
    assert mqm.weigh(errors, name).tolist() == [*weights.values()]


def test_other_tables_and_what_has_no_weight():
    row = judgments([("A", "d", 1, "r", "Accuracy/Creative Reinterpretation", "Major")])
    assert mqm.weigh(row)[0] == 5 and mqm.weigh(row, "marot2023")[0] == 0
    own = pd.DataFrame({"severity": ["Major"], "category": [""], "weight": [7.0]})
    assert mqm.weigh(row, own)[0] == 7
    critical = judgments([("A", "d", 1, "r", "Other", "Critical")])
    with pytest.raises(DataError, match="no weight for Critical Other"):
        mqm.weigh(critical)
    assert mqm.weigh(critical, "critical25")[0] == 25
    with pytest.raises(DataError, match="unknown weight table"):
        mqm.weigh(row, "freitag")


def test_sums_per_item_and_rater():
    rows = []
    for system, extra in (("A", 0), ("B", 2)):
        for rater in ("r2", "r10"):
            rows += [(system, "d", 1, rater, "Other", "Minor")] * (1 + extra)
            rows += [(system, "d", 2, rater, "No-error", "No-error")]
            rows += [(system, "d", 2, rater, "Source issue", "Major")]
    rows += [("A", "e", 3, r, "Other", "Major") for r in ("r2", "r10")]  # B never did document e
    data = mqm.ratings(judgments(rows))
    assert data.raters == ("r2", "r10")  # in natural order
    assert data.documents == ("d",)
    assert data.excluded == {
        "documents not rated whole for every system": 1,
    }
    assert data.segments.tolist() == [2]
    assert data.score[:, 0].tolist() == [[1, 1], [3, 3]]
    assert data.square[:, 0].tolist() == [[1, 1], [9, 9]]
    assert data.errors[:, 0].tolist() == [[1, 1], [3, 3]]  # source issues are no errors


def test_a_system_with_few_documents_does_not_take_the_others_along():
    rows = [(s, d, d, "r", "Other", "Minor") for s in "AB" for d in range(4)]
    rows += [("C", 0, 0, "r", "Other", "Major")]
    data = mqm.ratings(judgments(rows).astype({"document": str}))
    assert data.systems == ("A", "B") and len(data.documents) == 4
    assert data.excluded == {"system C (under 50\u00a0% of documents)": 1}


counts = st.lists(
    st.lists(st.sampled_from([0, 0.1, 1, 5, 6, 25]), min_size=2, max_size=9), min_size=2, max_size=4
)


def _sums(scores):
    """Per rater: ratings, sum, squares, and a made-up error count."""
    n = np.array([len(s) for s in scores], dtype=float)
    total = np.array([np.sum(s) for s in scores])
    square = np.array([np.sum(np.square(s)) for s in scores])
    errors = np.array([float(np.count_nonzero(s)) for s in scores])
    return n, total, square, errors


@given(counts)
@settings(max_examples=60, deadline=None)
def test_normalisations_do_what_their_definition_says(scores):
    n, total, square, errors = _sums(scores)
    overall = total.sum() / n.sum()
    done = {}
    for how in mqm.NORMALISATIONS:
        a, b = mqm.rater_scaling(how, n, total, square, errors)
        done[how] = [a[r] * np.array(s) + b[r] for r, s in enumerate(scores)]
    for r, s in enumerate(scores):
        assert np.allclose(done["none"][r], s)
        if np.sum(s) > 0:
            assert np.isclose(done["mean"][r].mean(), overall)
        else:
            assert not np.any(done["mean"][r]) and not np.any(done["error"][r])
        assert np.isclose(done["z"][r].mean(), 0, atol=1e-9)
        if np.std(s) > 1e-6:
            assert np.isclose(done["z"][r].std(ddof=1), 1)
        else:
            assert np.allclose(done["z"][r], 0)
    live = [r for r, s in enumerate(scores) if np.sum(s) > 0]
    if live:  # error: the study's mean stays, the raters' means are as their error counts
        assert np.isclose(np.concatenate(done["error"]).mean(), overall)
        ratio = [done["error"][r].mean() / errors[r] for r in live]
        assert np.allclose(ratio, ratio[0])


def test_unknown_normalisation():
    with pytest.raises(DataError, match="none, mean, error, z"):
        mqm.rater_scaling("rank", *_sums([[1, 2], [3, 4]]))


def test_same_system_by_name():
    assert mqm.same_system(("X_with_A", "X_with_refA", "Y", "Z_with_A")) == [
        ("X_with_A", "X_with_refA")
    ]
    assert mqm.same_system(("X", "X_with_refA")) == [("X", "X_with_refA")]


@needs("wmt23-mqm")
def test_the_sums_of_2023_are_those_of_a_group_by():
    file = real("wmt23-mqm") / "sxs_mqm_generalMT2023_zhen.3ratingsPerSegment.tsv.tar.gz"
    frame = read_mqm(file, "zh-en")
    data = mqm.ratings(frame)
    assert data.shape == (10, 38, 3) and not data.excluded
    assert data.segments.sum() == 377 and len(data.buckets) == 8
    scores = mqm.mqm_scores(frame)
    for s, d, k in ((0, 0, 0), (3, 17, 2), (9, 37, 1)):
        rows = scores[
            (scores["system"] == data.systems[s])
            & (scores["document"] == data.documents[d])
            & (scores["rater"] == data.raters[data.slots[d, k]])
        ]
        assert len(rows) == data.segments[d]
        assert np.isclose(rows["score"].sum(), data.score[s, d, k])
        assert np.isclose((rows["score"] ** 2).sum(), data.square[s, d, k])
    means = mqm.system_means(data).set_index("system")["score"]
    assert np.allclose(means.sort_index(), scores.groupby("system")["score"].mean().sort_index())


@needs("wmt23-mqm")
def test_all_scores_embedded_in_the_release_of_zh_en_come_out():
    """metadata.segment.metrics.MQM: the mean over raters, creative reinterpretation as nothing."""
    file = real("wmt23-mqm") / "sxs_mqm_generalMT2023_zhen.3ratingsPerSegment.tsv.tar.gz"
    frame = read_mqm(file, "zh-en")
    embedded = {}
    with tarfile.open(file, "r:gz") as archive:
        for line in io.TextIOWrapper(archive.extractfile(archive.getmembers()[0]), "utf-8"):
            if '"metrics"' in line:
                cells = line.split("\t", 9)
                value = json.loads(cells[9]).get("segment", {}).get("metrics", {}).get("MQM")
                if value is not None:
                    embedded[cells[0], int(cells[3])] = value
    agree = {}
    for weights in ("freitag2021", "marot2023"):
        scores = mqm.mqm_scores(frame, weights)
        means = scores.groupby(["system", "segment"])["score"].sum() / 3
        agree[weights] = [abs(means[key] - value) < 1e-6 for key, value in embedded.items()]
    assert len(embedded) == 3770
    assert all(agree["marot2023"])
    assert 0.98 < np.mean(agree["freitag2021"]) < 1


@pytest.mark.parametrize("how", mqm.NORMALISATIONS)
def test_normalised_ratings_are_single_segments_normalised_by_their_raters(how):
    rng = np.random.default_rng(2)
    segments, slots = np.array([2, 3, 4]), np.array([[0, 1], [1, 2], [0, 2]])
    single = [rng.gamma(1.0, 3.0, (2, n, 2)) for n in segments]  # system, segment, rating
    errors = rng.integers(1, 5, (2, 3, 2)).astype(float)
    sums = [np.stack([(x**power).sum(axis=1) for x in single], axis=1) for power in (1, 2)]
    names = ("A", "B"), tuple("def"), tuple("xyz")
    data = mqm.Ratings(*names, segments, slots, *sums, errors, {})
    held = [np.argwhere(slots == rater) for rater in range(3)]
    own = [np.concatenate([single[d][:, :, k].ravel() for d, k in one]) for one in held]
    overall, many = np.concatenate(own).mean(), [errors[:, slots == r].sum() for r in range(3)]
    weight = sum(map(len, own)) / np.dot(list(map(len, own)), many)
    maps = {
        "none": lambda x, r: x,
        "mean": lambda x, r: x * overall / own[r].mean(),
        "error": lambda x, r: x * overall / own[r].mean() * many[r] * weight,
        "z": lambda x, r: (x - own[r].mean()) / own[r].std(ddof=1),
    }
    expected = [
        sum(maps[how](single[d][:, :, k], slots[d, k]).sum(axis=1) for k in (0, 1)) / 2
        for d in range(3)
    ]
    np.testing.assert_allclose(mqm.normalised(data, how), np.transpose(expected), rtol=1e-10)
