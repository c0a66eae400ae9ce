"""How many more: errors against drawn campaigns, power and lines against the tests themselves."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, foldnorm
from scipy.stats import t as student

from rankcompanion.models import variance
from rankcompanion.models.truth import draw_parts
from rankcompanion.verdict import design, predicted
from rankstability.rank.comparing import tau
from rankstability.rank.units import difference_variance
from rankstability.score.scored import from_frame
from verdicts import GIVEN, known_components, sure


@pytest.fixture(scope="module")
def known():
    return known_components()


def test_the_covariance_is_that_of_drawn_campaigns(known):
    scored, precision = known
    codes = {n: c for n, c in design.factors(scored).items() if n != "system"}
    drawn = draw_parts(codes, GIVEN, 4000, np.random.default_rng(1))
    n, weight = len(scored.systems), scored.weights()
    means = variance.level_sums(scored.system, weight[:, None] * drawn, n)
    means /= np.bincount(scored.system, weight, n)[:, None]
    found, expected = np.cov(means), precision.covariance()
    assert np.allclose(np.diag(found), np.diag(expected), rtol=0.12)
    error = np.sqrt(difference_variance(found)), np.sqrt(difference_variance(expected))
    i, j = np.triu_indices(n, 1)
    assert np.allclose(error[0][i, j], error[1][i, j], rtol=0.08)


def test_a_campaign_twice_over_has_half_the_variance(known):
    """New workers, documents and judgments of the same kind beside the old: all shares halve."""
    scored, precision = known
    units = {name: scored.units[name] for name in ("worker", "document")}
    rows = pd.DataFrame(
        {"system": scored.system, "segment": scored.segment, "score": scored.score} | units
    )
    again = rows.assign(**{c: rows[c] + 10_000 for c in ("segment", "worker", "document")})
    both = from_frame(pd.concat([rows, again], ignore_index=True).astype({"system": str}))
    double = design.precision(both, precision.components)
    order = [int(s) for s in both.systems]
    expected = precision.covariance(documents=2, annotators=2)[np.ix_(order, order)]
    assert np.allclose(double.covariance(), expected)
    assert (precision.covariance(4, 4, 1) <= precision.covariance() / 4 + 1e-12).all()


def test_a_campaign_so_many_times_as_large_finds_the_difference(known):
    """With errors that the campaign itself estimates: a t test, of as few units as it has."""
    _, precision = known
    assert 2 < precision.freedom.min() < precision.freedom.max() < 14
    i, j = np.triu_indices(len(precision.systems), 1)
    gap = np.abs(precision.quality[i] - precision.quality[j])
    error, freedom = precision.errors()[i, j], precision.freedom[i, j]
    needed = design.size_needed(gap, error, freedom)
    for k in np.argsort(needed)[::7]:
        times = {"documents": needed[k], "annotators": needed[k]}
        at, df = precision.errors(**times)[i, j][k], precision.freed(**times)[i, j][k]
        assert found(gap[k] / at, df) == pytest.approx(0.8, abs=0.01)


def found(gap, df, alpha=0.05):
    """Share of draws in which a two-sided t test finds a gap of so many standard errors."""
    rng = np.random.default_rng(0)
    t = (gap + rng.standard_normal(100_000)) / np.sqrt(rng.chisquare(df, 100_000) / df)
    return (t > student.isf(alpha / 2, df)).mean()


@pytest.mark.parametrize(("df", "alpha"), [(1, 0.05), (2, 0.05), (5, 0.05), (11, 0.01), (60, 0.05)])
def test_the_smallest_gap_is_found_in_four_of_five_campaigns(known, df, alpha):
    assert found(design.errors_needed(df, alpha), df, alpha) == pytest.approx(0.8, abs=0.01)
    few = replace(known[1], freedom=np.full_like(known[1].freedom, df))
    i, j = np.triu_indices(len(few.systems), 1)
    gap = design.errors_needed(df, alpha) * np.median(few.errors()[i, j])
    assert design.smallest_gap(few, alpha=alpha) == pytest.approx(gap)
    larger = design.smallest_gap(few, alpha=alpha, documents=4, annotators=4)
    assert larger < gap / 2  # smaller errors, and more degrees of freedom


def test_of_many_units_the_smallest_gap_is_that_of_a_normal_test(known):
    assert design.errors_needed(np.array([1e8, np.inf])) == pytest.approx(2.8016, abs=1e-4)
    needed = design.size_needed(np.array([1.0, 0.0, -1.0]), np.ones(3), np.full(3, 1e8))
    assert needed[0] == pytest.approx(2.8016**2, rel=1e-4) and np.isinf(needed[1:]).all()
    assert design.errors_needed(1e-3) == design.errors_needed(design.FEWEST)


def test_lines_held_are_those_of_the_lines_themselves(known):
    _, precision = known
    covariance = precision.covariance(200, 200)
    means = np.random.default_rng(3).multivariate_normal(precision.quality, covariance, 20)
    error = np.sqrt(difference_variance(covariance, design.LEAST))
    p = 2 * student.sf(np.abs(means[:, :, None] - means[:, None]) / error, 11)
    ours = design._above(means, p, 0.05)
    given = [sure(m, covariance, 12) for m in means]
    # what pairs declared one by one add to the lines is left out, and is little
    lines = np.array([one.held.sum() for one in given])
    assert (ours.max(axis=1) <= lines).all() and ours.max(axis=1).sum() > 0.9 * lines.sum() > 0
    whole = np.flatnonzero(ours.max(axis=1) == lines)
    for k in whole:
        above = np.append(0, np.cumsum(given[k].held))[np.argsort(given[k].order)]
        assert ours[k].tolist() == above.tolist()


LIE = {"outlier": [15.0] + [0.0] * 11, "even": np.arange(12.0), "groups": [5.0] * 6 + [0.0] * 6,
       "equal": [0.0] * 12}  # fmt: skip


@pytest.mark.parametrize(
    ("lie", "off"), [("outlier", 0.2), ("even", 0.05), ("groups", 0.11), ("equal", 0.2)]
)
def test_a_repeat_agrees_as_expected_however_systems_lie(lie, off):
    """One spread for all systems, by which means were shrunk, foretold .28 too much (outlier)."""
    rng, truth, df = np.random.default_rng(7), np.array(LIE[lie]), 30
    i, j = np.triu_indices(12, 1)
    realised = design.agreement(np.abs(truth[i] - truth[j]) / np.sqrt(2)).mean()
    expected = []
    for _ in range(40):
        errors = rng.standard_normal((df, 12))
        covariance = errors.T @ errors / df
        seen = truth + rng.standard_normal(12)
        about = design.drawn_together(seen, covariance, np.full((12, 12), df))
        assert about.mean() == pytest.approx(seen.mean()) and np.ptp(about) <= np.ptp(seen) * (
            1 + 1e-9
        )
        gap = np.abs(about[i] - about[j]) / np.sqrt(difference_variance(covariance)[i, j])
        expected.append(design.agreement(gap).mean())
    assert abs(np.mean(expected) - realised) < off


def test_gaps_are_weighted_by_their_most_likely_distribution():
    """Against SciPy's folded normal, step by step, and a search of the share on a grid."""
    seen, error, df = np.array([0.0, 0.3, 0.5, 0.7, 3.0]), 0.5, 20
    covariance, (i, j) = np.eye(5) * error**2 / 2, np.triu_indices(5, 1)
    gap = np.abs(seen[i] - seen[j]) / error
    at = np.linspace(0, 12, 61)
    of = foldnorm.pdf((gap * np.sqrt(chi2.median(df) / df))[:, None], at)
    weight = np.full(61, 1 / 61)
    for _ in range(100):
        each = weight * of
        weight = (each.T / each.sum(axis=1)).mean(axis=1)
    share = np.linspace(0, 1, 10_001)
    off = design.agreement(share[:, None] * gap).mean(axis=1) - weight @ design.agreement(at)
    about = design.drawn_together(seen, covariance, np.full((5, 5), df))
    best = share[np.abs(off).argmin()]
    assert 0.3 < best < 0.99
    assert about == pytest.approx(seen.mean() + best * (seen - seen.mean()), abs=1e-3)


def test_agreement_is_that_of_drawn_campaigns():
    means = np.array([0.0, 1.2]) + np.random.default_rng(0).standard_normal((2, 100_000, 2))
    gap = 1.2 / np.sqrt(2)
    assert tau(*means).mean() == pytest.approx(design.agreement(gap), abs=0.01)


def test_a_repeat_is_about_the_means_drawn_together(known):
    _, precision = known
    i, j = np.triu_indices(len(precision.systems), 1)
    gap = np.abs(precision.quality[i] - precision.quality[j])
    for times in ({}, {"documents": 4.0, "annotators": 2.0}):
        got = design.repeats(precision, np.random.default_rng(1), 1000, **times)
        expected = design.agreement(gap / precision.errors(**times)[i, j]).mean()
        assert got["tau"] == pytest.approx(expected, abs=0.02)
        assert got["tau_low"] < expected < got["tau_high"]


def test_halves_are_foretold_to_agree_as_those_of_drawn_campaigns_do(known):
    """Halves of the annotators share documents, segments: what these add is common to both."""
    scored, precision = known
    odd = scored.unit("worker") % 2 == 1
    parts = scored.take(odd), scored.take(~odd)
    codes = {n: c for n, c in design.factors(scored).items() if n != "system"}
    drawn = draw_parts(codes, GIVEN, 400, np.random.default_rng(1))
    drawn += precision.quality[scored.system][:, None]
    means = [
        [replace(part, score=score).means() for score in drawn[rows].T]
        for part, rows in zip(parts, (odd, ~odd), strict=True)
    ]
    expected = predicted._expected_tau(precision, *parts)
    assert expected == pytest.approx(tau(*map(np.array, means)).mean(), abs=0.03)
    one = replace(scored, score=drawn[:, 0])
    [row] = predicted.twin_agreement(
        one, precision, "worker", 0.5, np.random.default_rng(2), 20
    ).to_dict("records")
    assert (row["unit"], row["share"], row["units"]) == ("worker", 0.5, 6)
    assert row["predicted"] == pytest.approx(expected, abs=0.1) and -1 <= row["realised"] <= 1


def test_the_error_of_a_prediction_is_over_pairs():
    rows = pd.DataFrame({"unit": "worker", "share": [0.5, 0.5, 0.5, 0.25], "units": 6})
    rows["realised"], rows["predicted"] = [0.9, 0.5, 0.7, 0.4], [0.8, 0.5, 0.5, 0.5]
    half, quarter = predicted.prediction_error(rows).to_dict("records")
    assert (half["pairs"], quarter["pairs"]) == (3, 1) and np.isnan(quarter["low"])
    assert (half["realised"], half["predicted"]) == pytest.approx((0.7, 0.6))
    wide = student.isf(0.025, 2) * 0.1 / np.sqrt(3)
    assert (half["low"], half["error"], half["high"]) == pytest.approx(
        (0.1 - wide, 0.1, 0.1 + wide)
    )
    assert quarter["error"] == pytest.approx(-0.1)
