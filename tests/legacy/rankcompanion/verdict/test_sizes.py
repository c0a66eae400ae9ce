"""What to do next: sizes that give the power promised, in all units alike or one alone."""

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcompanion.verdict import sizes
from companion.legacy.rankcompanion.verdict.design import normal_draws
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.score.scored import from_frame
from verdicts import known_components, sure

SIZES = ("documents", "annotators", "ratings")


@pytest.fixture(scope="module")
def known():
    return known_components(log_error={"worker": 0.4})[1]


def ranked(known):
    return [known.systems[k] for k in np.argsort(-known.mean, kind="stable")]


def test_so_many_units_give_a_line_in_four_of_five_campaigns(known):
    known = replace(known, parts={name: 0.02 * part for name, part in known.parts.items()})
    table = sizes.needed(known, ranked(known), np.random.default_rng(0))
    assert table["below"].tolist() == list(range(1, len(known.systems)))
    truths = known.truths(800, np.random.default_rng(1))
    promised = table[np.isfinite(table["times"])]
    assert len(promised) and (promised["times"] >= 1).all()
    for row in promised.itertuples():
        i, j = (known.systems.index(s) for s in (row.system, row.other))
        grown = {"documents": row.times, "annotators": row.times}
        above = known.again(truths, np.random.default_rng(2), **grown)[2]
        found = (above[:, i] < above[:, j]).mean()
        assert found > 0.75 if row.times == 1 else abs(found - 0.8) < 0.06
        for size in SIZES:  # one size alone: the same error of the difference
            alone = getattr(row, size) / known.units.get(size, 1)
            target = row.error / np.sqrt(row.times)
            if np.isfinite(alone) and alone > 1:
                assert known.errors(**{size: alone})[i, j] <= target * (1 + 1e-9)
            elif not np.isfinite(alone):  # nor are a million times as many
                assert known.errors(**{size: 1e6})[i, j] > target
    at = {name: k for k, name in enumerate(known.systems)}
    place = [at[name] for name in ranked(known)]
    gaps = truths[0][:, place[:-1]] - truths[0][:, place[1:]]
    assert table["gap"].to_numpy() == pytest.approx(gaps.mean(axis=0), abs=0.5)


def test_true_means_are_drawn_towards_each_other_as_their_errors_say():
    """Against the normal posterior where spread and errors are as good as known."""
    rng = np.random.default_rng(2)
    true = rng.normal(0, 2, 120)
    error = np.diag(rng.uniform(0.5, 3, 120))
    seen = true + rng.normal(0, np.sqrt(np.diag(error)))
    of = sizes.of_means(sure(seen, error, 10_000), 1000)
    drawn, scale = of.truths(1500, rng)
    true = true[np.argsort(-seen, kind="stable")]
    own = np.diag(of.covariance())
    kept = 4 / (4 + own)
    expected = of.mean.mean() + kept * (of.mean - of.mean.mean())
    assert np.corrcoef(drawn.mean(axis=0), expected)[0, 1] > 0.99
    assert np.abs(drawn.mean(axis=0) - expected).max() < 0.8
    assert drawn.std(axis=0) == pytest.approx(np.sqrt(kept * own), rel=0.25)
    inside = np.abs(drawn.mean(axis=0) - true) < 1.96 * drawn.std(axis=0)
    assert 0.9 < inside.mean() < 0.99 and abs(scale.mean() - 1) < 0.01


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


def test_what_twice_the_judgments_are_worth_is_what_their_components_say(known):
    pair = ranked(known)[:2]
    table = sizes.additions(known, pair, np.random.default_rng(0), 400).set_index("addition")
    assert table["judgments"].to_dict() == {"none": 1, "documents": 2, "annotators": 2, "all": 2}
    i, j = np.triu_indices(len(known.systems), 1)
    now = np.median(known.errors()[i, j] ** 2)
    doubled = {"documents": {"documents": 2.0}, "annotators": {"annotators": 2.0, "ratings": 2.0}}
    for name, times in doubled.items():
        then = np.median(known.errors(**times)[i, j] ** 2)
        assert table.loc[name, "gain"] == pytest.approx(1 - then / now)
    assert table.loc["all", "gain"] == pytest.approx(0.5)
    assert table.loc["none", "gain"] == 0 and table.index[-1] == "none"
    assert table["gain"][:-1].is_monotonic_decreasing
    assert table.loc["all", "lines_held"] >= table.loc["none", "lines_held"]
    assert table.loc["all", "chance"] >= table.loc["none", "chance"]
    needs = sizes.needed(known, ranked(known), np.random.default_rng(0), draws=400)
    assert table.loc["none", "chance"] == pytest.approx(needs["power"][0], abs=0.08)
    same = {n: p for n, p in known.parts.items() if not n.startswith("worker")}
    fixed = sizes.additions(replace(known, parts=same), pair, np.random.default_rng(0), 20)
    assert fixed["addition"].tolist() == ["documents", "ratings", "none"]
    still = replace(known, parts={n: 0 * p for n, p in known.parts.items()})
    with warnings.catch_warnings():  # where nothing errs nothing is gained
        warnings.simplefilter("error")
        table = sizes.additions(still, pair, np.random.default_rng(0), 20)
    assert (table["gain"] == 0).all()


def test_comparisons_need_as_many_judges_as_their_covariance_says():
    certain = sure([0.6, 0.4], np.eye(2) * 0.0004, 50)  # seven errors apart
    of = sizes.of_means(certain, 1000)
    truths, _ = of.truths(400, np.random.default_rng(2))
    assert (truths[:, 0] - truths[:, 1]).mean() == pytest.approx(0.2, rel=0.03)
    row = sizes.needed(of, ["a", "b"], np.random.default_rng(0)).iloc[0]
    assert row["error"] == pytest.approx(np.sqrt(0.0008)) and row["judgments"] == 1000
    table = sizes.additions(of, ["a", "b"], np.random.default_rng(1), 50)
    assert table["addition"].tolist() == ["annotators", "none"]
    assert table["gain"].tolist() == pytest.approx([0.5, 0.0])
    same = sizes.of_means(sure(np.zeros(2), np.eye(2), 50), 9)
    assert np.isinf(sizes.needed(same, ["a", "b"], np.random.default_rng(0))["times"]).all()


def test_the_surest_claims_of_a_campaign_are_looked_for_in_the_other():
    rng = np.random.default_rng(3)
    errors = rng.standard_normal((30, 4)) * [1.0, 1.5, 2.0, 1.0]
    covariance = errors.T @ errors / 30
    of = sure(np.array([4.0, 3.0, 1.5, 0.0]), covariance, 31)
    got = sizes.repeat(of, 2, np.random.default_rng(5), 400)
    rng = np.random.default_rng(5)
    truth, scale = sizes.of_means(of, 0).truths(400, rng)
    wide = np.sqrt(scale)[:, None]
    one, two = (truth + wide * normal_draws(of.covariance, 400, rng) for _ in range(2))
    kept = []
    for a, b in zip(one, two, strict=True):
        surest = sorted(
            combinations(range(4), 2), key=lambda p: -abs(a[p[0]] - a[p[1]]) / of.variance[p] ** 0.5
        )
        kept.append([(a[i] > a[j]) == (b[i] > b[j]) for i, j in surest[:2]])
    assert got["srp"] == np.mean([all(pair) for pair in kept]) < got["kept"] == np.mean(kept) < 1
    assert got["claims"] == 2 and got["low"] < got["tau"] < got["high"]
    assert set(sizes.repeat(of, 0, rng, 50)) == {"tau", "low", "high", "claims"}
    assert sizes.repeat(of, 99, rng, 50)["claims"] == 6


def kept_promises(file, weight):
    """By promise, from a benchmark: predicted, realised, error of the difference, number."""
    table = pd.read_csv(paths.ROOT / "benchmarks" / "results" / file)
    table = table[table[weight] > 1].assign(number=lambda t: t[weight])
    parts = table[["predicted", "realised"]].mul(table["number"], axis=0)
    parts["error"] = (table["error"] * table["number"]) ** 2
    out = parts.join(table[["promise", "number"]]).groupby("promise").sum()
    return out.assign(
        predicted=out["predicted"] / out["number"],
        realised=out["realised"] / out["number"],
        error=np.sqrt(out["error"]) / out["number"],
    )


@pytest.mark.parametrize(
    ("file", "weight"), [("planning.csv", "pilots"), ("halves.csv", "pairs")], ids=["drawn", "real"]
)
def test_the_plans_that_were_followed_kept_their_promise(file, weight):
    """As `benchmarks/bench_planning.py` and `bench_halves.py` measured it, over all cells."""
    by = kept_promises(file, weight)
    promised = by.loc["line, as many as needed"]
    assert promised["predicted"] == pytest.approx(0.8)
    assert promised["realised"] > 0.8 - 2 * np.sqrt(0.16 / promised["number"])
    for promise in ("line, same size", "lines held", "tau"):
        of = by.loc[promise]
        near = 2 * of["error"] + 0.03 * max(1, of["predicted"])
        assert abs(of["realised"] - of["predicted"]) < near, promise


def test_agreement_is_foretold_where_systems_differ_and_too_high_where_most_are_equal():
    """By `benchmarks/bench_planning.py`, as the page and its explanation say."""
    table = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "agreement.csv")
    off = table["predicted"] - table["realised"]
    differ = table["shape"].isin(["normal", "evenly spread", "evenly spread and an outlier"])
    assert (off[differ].abs() < 0.1 + 2 * table["error"][differ]).all()
    many = table["systems"] >= 5
    equal = many & table["shape"].isin(["all equal", "one outlier", "two outliers"])
    assert off[equal].between(0.1, 0.4).all() and off[equal].mean() > 0.2
