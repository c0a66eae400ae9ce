"""How many more: errors against drawn campaigns, power and lines against the tests themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from companion.legacy.rankcompanion.models import reml
from companion.legacy.rankcompanion.verdict import design
from companion.legacy.rankcompanion.verdict.design import normal_draws
from companion.legacy.rankstability.rank.units import difference_variance
from companion.legacy.rankstability.score.scored import from_frame
from verdicts import GIVEN, drawn_scores, known_components, sure


@pytest.fixture(scope="module")
def known():
    return known_components()


def test_the_covariance_is_that_of_drawn_campaigns(known):
    scored, precision = known
    codes = {n: c for n, c in design.factors(scored).items() if n != "system"}
    drawn = drawn_scores(codes, GIVEN, 4000, np.random.default_rng(1))
    n, weight = len(scored.systems), scored.weights()
    means = reml.level_sums(scored.system, weight[:, None] * drawn, n)
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


def test_lines_held_are_those_of_the_lines_themselves(known):
    _, precision = known
    covariance = precision.covariance(200, 200)
    means = np.random.default_rng(3).multivariate_normal(precision.mean, covariance, 20)
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


def test_means_of_a_campaign_are_drawn_about_their_truths(known):
    """With the covariance of a campaign of that size, times the scale of each draw."""
    _, precision = known
    rng = np.random.default_rng(4)
    n = len(precision.systems)
    truth = rng.normal(0, 1, (20_000, n))
    scale = np.repeat([1.0, 4.0], 10_000)
    error = precision.means((truth, scale), rng, documents=2, annotators=2) - truth
    expected = precision.covariance(2, 2)
    assert np.cov(error[:10_000].T) == pytest.approx(expected, abs=0.1 * expected.max())
    assert np.cov(error[10_000:].T) == pytest.approx(4 * expected, abs=0.4 * expected.max())


def test_normal_draws_have_the_covariance_and_no_negative_variance():
    covariance = np.array([[4.0, 1.0], [1.0, 1.0]])
    drawn = normal_draws(covariance, 20_000, np.random.default_rng(1))
    assert drawn.shape == (20_000, 2)
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=0.15)
    assert drawn.mean(axis=0) == pytest.approx([0, 0], abs=0.05)
    flat = normal_draws(np.array([[1.0, 1.5], [1.5, 1.0]]), 50, np.random.default_rng(1))
    assert flat[:, 0] == pytest.approx(flat[:, 1])  # what they differ by would vary by less than 0
