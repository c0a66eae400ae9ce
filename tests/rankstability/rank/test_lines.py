"""Lines that hold and rank sets against slow, obvious versions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankstability.rank.sets import held_lines, rank_sets, wishart_roots
from rankstability.rank.units import means, unit_totals


def judged(seed, systems=5, units=14, each=6, gap=0.5):
    rng = np.random.default_rng(seed)
    system = np.tile(np.arange(systems), units * each)
    unit = np.repeat(np.arange(units), systems * each)
    shared = rng.normal(0, 0.4, size=(units, systems))
    score = gap * rng.permutation(systems)[system] + shared[unit, system]
    return means(*unit_totals(system, unit, score + rng.normal(size=len(system))))


@pytest.mark.parametrize("seed", range(6))
def test_a_line_holds_if_every_pair_across_it_does_holm_over_the_places(seed):
    estimate = judged(seed)
    n, order = 5, np.argsort(-estimate.mean)
    p = []
    for below in range(1, n):
        across = []
        for i in order[:below]:
            for j in order[below:]:
                c = estimate.covariance
                error = np.sqrt(c[i, i] + c[j, j] - 2 * c[i, j])
                t = (estimate.mean[i] - estimate.mean[j]) / error
                across.append(stats.t.sf(t, estimate.units - 1))
        p.append(max(across))
    held = np.zeros(n - 1, int)
    for step, k in enumerate(np.argsort(p, kind="stable")):  # Holm: stop at the first that fails
        if p[k] * (n - 1 - step) >= 0.05:
            break
        held[k] = 1
    table = held_lines(estimate)
    np.testing.assert_allclose(table["p"], p)
    assert table["held"].tolist() == held.tolist()
    assert (table["held"] <= (table["p"] < 0.05)).all()


def test_lines_of_another_order_are_asked_of_that_order():
    estimate = judged(3, gap=2)
    right = estimate.order()
    assert held_lines(estimate, right)["held"].all()
    assert not held_lines(estimate, right[::-1])["held"].any()  # the direction counts


def slow_sets(estimate, rng, level, draws):
    """Step-down by loops over hypotheses, each draw's errors from a covariance of its own."""
    n = len(estimate.mean)
    values, vectors = np.linalg.eigh(estimate.covariance)
    half = vectors * np.sqrt(np.maximum(values, 0))
    z = rng.standard_normal((draws, n)) @ half.T
    drawn = [
        half @ root @ root.T @ half.T
        for root in wishart_roots(n, estimate.effective - 1, draws, rng)
    ]

    def error(c, i, j):
        return np.sqrt(c[i, i] + c[j, j] - 2 * c[i, j])

    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    cautious = np.sqrt(estimate.jackknife)
    t = {
        (i, j): (estimate.mean[i] - estimate.mean[j])
        / max(error(estimate.covariance, i, j), cautious[i, j])
        for i, j in pairs
    }

    def step_down(family, size):
        left, rejected = set(family), set()
        while left:
            most = np.array([
                max(size((d[i] - d[j]) / error(c, i, j)) for i, j in left)
                for d, c in zip(z, drawn, strict=True)
            ])  # fmt: skip
            bar = np.sort(most)[int(np.ceil(level * (draws - 1)))]
            new = {k for k in left if size(t[k]) > bar}
            if not new:
                break
            rejected |= new
            left -= new
        return rejected

    every = step_down([(i, j) for i in range(n) for j in range(n) if i != j], float)
    rows = []
    for j in range(n):
        own = step_down([(j, k) for k in range(n) if k != j], abs)
        worse = sum(t[k] < 0 for k in own)
        better = sum(t[k] > 0 for k in own)
        lost, won = (sum(k[at] == j for k in every) for at in (1, 0))
        rows.append((1 + worse, n - better, 1 + lost, n - won))
    return np.array(rows)


@pytest.mark.parametrize("seed", range(4))
def test_rank_sets_are_those_of_the_slow_step_down(seed):
    estimate = judged(seed, systems=4)
    fast = rank_sets(estimate, np.random.default_rng(9), 0.95, 200)
    slow = slow_sets(estimate, np.random.default_rng(9), 0.95, 200)
    columns = ["marginal_low", "marginal_high", "simultaneous_low", "simultaneous_high"]
    assert fast[columns].to_numpy().tolist() == slow.tolist()
    assert fast["may_be_first"].tolist() == (slow[:, 2] == 1).tolist()


@pytest.mark.parametrize("freedom", [2, 3.7, 9.5])
def test_drawn_covariances_are_wishart(freedom):
    """Mean the identity; the diagonal chi-squared (of whole degrees of freedom where few)."""
    root = wishart_roots(4, freedom, 20_000, np.random.default_rng(8))
    drawn = root @ root.swapaxes(1, 2)
    np.testing.assert_allclose(drawn.mean(axis=0), np.eye(4), atol=0.05)
    f = freedom if freedom >= 4 else int(freedom)
    for k in range(4):
        assert stats.kstest(f * drawn[:, k, k], stats.chi2(f).cdf).pvalue > 0.001
