"""Lines that hold and rank sets against slow, obvious versions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankstability.rank.lines import held_lines
from rankstability.rank.sets import rank_sets
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
    """Step-down by loops over hypotheses, on the same draws of the maximum."""
    n = len(estimate.mean)
    values, vectors = np.linalg.eigh(estimate.covariance)
    z = rng.standard_normal((draws, n)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    z /= np.sqrt(rng.chisquare(estimate.units - 1, size=(draws, 1)) / (estimate.units - 1))
    c = estimate.covariance
    error = {(i, j): np.sqrt(c[i, i] + c[j, j] - 2 * c[i, j]) for i in range(n) for j in range(n)}
    t = {k: (estimate.mean[k[0]] - estimate.mean[k[1]]) / e for k, e in error.items() if e > 0}

    def step_down(family, size):
        left, rejected = set(family), set()
        while left:
            most = np.array([max(size((d[i] - d[j]) / error[i, j]) for i, j in left) for d in z])
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
