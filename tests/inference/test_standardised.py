"""Scores standardised by annotator."""

import numpy as np
import pytest

from rankstability.inference import ratings
from rankstability.inference.ratings import infer_ratings, pair_tests
from rating_tables import rating_arrays

JUDGED = [(a, s) for a in range(3) for s in (0, 1)]
JUDGED += [(a, s) for a in (3, 4, 5) for s in (2, 3)] + [(6, s) for s in range(4)]
ERRORS = [0.1, -0.2, 0.3, 0, 0.2, -0.1, 0.1, 0.3, -0.3, 0.2, 0, -0.2, 0.1, -0.1, 0.2, 0]


def table(annotators=7, standardised=True):
    """Return scores of systems with levels 3, 2, 2, 1, less each annotator's mean."""
    judged = [(a, s, (3, 2, 2, 1)[s] + e) for (a, s), e in zip(JUDGED, ERRORS, strict=True)]
    judged = [row for row in judged if row[0] < annotators]
    mean = [np.mean([y for a, _, y in judged if a == k]) for k in range(annotators)]
    rows = [(s, k, 0, a, y - mean[a]) for k, (a, s, y) in enumerate(judged)]
    return rating_arrays(rows, standardised=standardised)


@pytest.fixture
def unmoderated(monkeypatch):
    """The values are those before moderation, without a limit on effective units."""
    monkeypatch.setattr(ratings, "moderate_variances", lambda variance, df, *_: (variance, df))
    monkeypatch.setattr(ratings, "MIN_EFFECTIVE_UNITS", 0)


def test_adjusted_for_the_systems_that_annotators_judged(unmoderated):
    plain = pair_tests(table(standardised=False), "annotator")
    assert plain.mean == pytest.approx([0.75, -0.525, 0.35, -0.575])
    assert plain.p[1, 2] == pytest.approx(0.020417, abs=1e-6)
    assert plain.p[0, 2] == pytest.approx(0.102558, abs=1e-6)
    adjusted = pair_tests(table(), "annotator")
    assert adjusted.p[1, 2] == pytest.approx(0.821789, abs=1e-6)
    assert adjusted.p[0, 2] == pytest.approx(0.267112, abs=1e-6)


def test_systems_that_no_chain_of_annotators_joins(unmoderated):
    tests = pair_tests(table(annotators=6), "annotator")
    assert (tests.p[:2, 2:] == 1).all()
    assert (tests.pair_reasons[:2, 2:] == "no_common_annotators").all()
    assert (tests.p[[0, 2], [1, 3]] < 1).all()


def test_adjustment_changes_little_if_all_annotators_judge_all_systems():
    rng = np.random.default_rng(3)
    rows = []
    for a in range(8):
        score = rng.normal([1.0, 0.5, 0.2, 0], 1, (12, 4))
        score = (score - score.mean()) / score.std()
        rows += [(s, d, d, a, score[d, s]) for d in range(12) for s in range(4)]
    plain = infer_ratings(rating_arrays(rows))
    adjusted = infer_ratings(rating_arrays(rows, standardised=True))
    assert adjusted.p == pytest.approx(plain.p, abs=1e-9)
