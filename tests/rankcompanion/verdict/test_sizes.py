"""What to do next: sizes that give the power promised, in all units alike or one alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assessments import demo
from conftest import needs
from rankcompanion.models import variance
from rankcompanion.verdict import cases as verdict
from rankcompanion.verdict import design, sizes
from rankstability.rank.certainty import certainty
from rankstability.read import campaigns
from rankstability.score.scored import from_assessment, from_frame
from verdicts import sure

GIVEN = {"system": 9.0, "worker": 30.0, "document": 10.0, "segment": 8.0, "worker:system": 6.0,
         "block": 20.0, "document:system": 5.0, "residual": 100.0}  # fmt: skip
SIZES = ("documents", "annotators", "ratings")


@pytest.fixture(scope="module")
def known():
    scored = from_assessment(demo("SR+DC", 31, workers=12, documents=15)[0])
    return design.precision(
        scored, variance.Components(GIVEN, 0.0, {}, 0.0, 0, log_error={"worker": 0.4})
    )


def ranked(known):
    return [known.systems[k] for k in np.argsort(-known.quality, kind="stable")]


def test_so_many_units_find_the_gap_in_four_of_five_campaigns(known):
    table = sizes.needed(known, ranked(known))
    assert table["below"].tolist() == list(range(1, len(known.systems)))
    for row in table.itertuples():
        at = [known.systems.index(s) for s in (row.system, row.other)]
        grown = [{"documents": row.times, "annotators": row.times}]
        grown += [{s: getattr(row, s) / known.units.get(s, 1)} for s in SIZES]
        for times in grown:
            size = next(iter(times.values()))
            if not np.isfinite(size):  # no number is enough: nor are a million times as many
                far = known.errors(**dict.fromkeys(times, 1e6))[tuple(at)]
                assert row.gap / far < 2.8016
            elif size > 1:
                error = known.errors(**times)[tuple(at)]
                assert 2.8015 < row.gap / error < 2.8016 * 1.05  # rounded up to whole units
        assert row.gap == pytest.approx(known.quality[at[0]] - known.quality[at[1]])
        assert row.smallest_gap == pytest.approx(2.8016 * row.error, rel=1e-4)
        assert row.times_low <= row.times <= row.times_high
        assert np.isinf(row.times_high) == (row.low <= 0)


def test_a_size_that_the_error_does_not_know_is_not_asked_for():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"system": list("abc") * 200, "segment": np.repeat(range(200), 3)})
    frame["document"] = np.repeat(range(20), 30)
    frame["score"] = rng.normal(0, 1, 600)
    frame["worker"] = rng.integers(0, 12, 600)
    alone = from_frame(frame.drop(columns="worker"))
    of = sizes.precision(alone, certainty(alone, "document"))
    assert sizes.sizes(of) == ["documents", "ratings"] and "annotators" not in of.units
    both = from_frame(frame)
    of = sizes.precision(both, certainty(both, "worker"))  # the documents stay the same
    assert not {"document", "document:system", "segment"} & set(of.parts)
    assert {"worker", "worker:system", "block", "residual"} == set(of.parts)
    of = sizes.precision(both, certainty(both, "document"))
    assert {"document", "document:system", "segment", "block", "residual"} == set(of.parts)


def test_what_is_worth_most_is_what_its_components_say(known):
    table = sizes.additions(known, np.random.default_rng(0)).set_index("addition")
    i, j = np.triu_indices(len(known.systems), 1)
    now = np.median(known.errors()[i, j] ** 2)
    for size in SIZES:
        then = np.median(known.errors(**{size: 2.0})[i, j] ** 2)
        assert table.loc[size, "gain"] == pytest.approx(1 - then / now)
        assert table.loc[size, "error"] == pytest.approx(np.sqrt(then))
    assert table.loc["all", "gain"] == pytest.approx(0.5)
    assert table.loc["none", "gain"] == 0 and table["gain"].is_monotonic_decreasing
    row = table.loc["annotators"]  # only the workers' own component is uncertain here
    assert row["gain_low"] < row["gain"] < row["gain_high"]
    assert table.loc["all", "lines_held"] >= table.loc["none", "lines_held"]
    alone = GIVEN | {"worker": 0.0, "worker:system": 0.0}
    none = {n: p * (alone[n] > 0) for n, p in known.parts.items()}
    without = design.Precision(known.systems, known.quality, none, known.units, known.components)
    table = sizes.additions(without, np.random.default_rng(0), 20).set_index("addition")
    assert table.loc["annotators", "gain"] == 0


def test_comparisons_need_as_many_judges_as_their_covariance_says():
    of = sizes.of_means(sure([0.6, 0.4], np.eye(2) * 0.0004, 50), 1000)
    assert of.quality[0] - of.quality[1] == pytest.approx(0.2 * np.sqrt(1 - 0.0002 / 0.01))
    row = sizes.needed(of, ["a", "b"]).iloc[0]
    assert row["error"] == pytest.approx(np.sqrt(0.0008)) and row["judgments"] == 1000
    table = sizes.additions(of, np.random.default_rng(1), 50)
    assert table["addition"].tolist() == ["annotators", "none"]
    assert table["gain"].tolist() == pytest.approx([0.5, 0.0])
    same = sizes.of_means(sure(np.zeros(2), np.eye(2), 50), 9)
    assert np.isinf(sizes.needed(same, ["a", "b"])["times"]).all()


@needs("wmt24-esa")
def test_components_of_a_part_give_the_errors_over_units(monkeypatch):
    [one] = verdict.cases((f := campaigns.find("wmt24-esa")), "en-ja", campaigns.load(f, "en-ja"))
    got = certainty(one.own, by_domain=True)
    place = np.argsort(got.order)
    error = np.sqrt(got.variance)[np.ix_(place, place)]
    i, j = np.triu_indices(len(one.systems), 1)
    for most in (10_000, 3000):
        monkeypatch.setattr(sizes, "MOST", most)
        known = sizes.precision(one.own, got, True)
        ratio = np.median(known.errors()[i, j] / error[i, j])
        assert 0.8 < ratio < 1.25
        assert known.units == {"judgments": 8242, "documents": 170, "annotators": 106}
