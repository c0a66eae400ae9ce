"""Davidson's model: against direct maximisation, and where no finite fit exists."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankstability.ranking.davidson import (
    MAX_DIFFERENCE,
    fit_davidson,
    largest_group,
    order_is_separable,
)
from rankstability.scores.pairwise import VoteTable, tabulate
from simulated_votes import random_votes, votes_of


def log_likelihood(parameters, votes, with_order):
    """The log-likelihood, vote by vote, as the model is written down."""
    n = len(votes.systems)
    strength = parameters[:n]
    order = parameters[n] if with_order else 0.0
    tie = np.exp(parameters[-1])
    d = strength[votes.first] - strength[votes.second] + order
    weight = np.select(
        [votes.outcome == 1, votes.outcome == 0], [np.exp(d / 2), np.exp(-d / 2)], tie
    )
    return (votes.weight * np.log(weight / (np.exp(d / 2) + np.exp(-d / 2) + tie))).sum()


@pytest.mark.parametrize("with_order", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_fit_maximises_the_likelihood(seed, with_order):
    votes = random_votes(seed)
    fit = fit_davidson(tabulate(votes), with_order)
    found = minimize(
        lambda parameters: -log_likelihood(parameters, votes, with_order),
        np.zeros(7),
        method="BFGS",
        options={"gtol": 1e-8},
    )
    best = found.x
    np.testing.assert_allclose(fit.strength, best[:5] - best[:5].mean(), atol=1e-5)
    np.testing.assert_allclose(fit.order, best[5] if with_order else 0, atol=1e-5)
    np.testing.assert_allclose(np.log(fit.tie), best[6], atol=1e-5)
    assert abs(fit.strength.mean()) < 1e-12


def test_scores_of_votes_sum_to_zero_and_are_derivatives():
    votes = random_votes(4)
    fit = fit_davidson(tabulate(votes), with_order=True)
    lead, tie = fit.residuals(votes)
    by_system = np.bincount(votes.first, lead, 5) - np.bincount(votes.second, lead, 5)
    np.testing.assert_allclose([*by_system, lead.sum(), tie.sum()], 0, atol=1e-8)
    shifted = replace(fit, strength=fit.strength + np.array([0.3, 0, -0.2, 0, -0.1]))
    lead, _ = shifted.residuals(votes)
    gradient = np.bincount(votes.first, lead, 5) - np.bincount(votes.second, lead, 5)
    parameters = np.array([*shifted.strength, fit.order, np.log(fit.tie)])
    for k in range(5):
        step = np.zeros(7)
        step[k] = 1e-5
        up, down = (log_likelihood(parameters + s * step, votes, True) for s in (1, -1))
        assert gradient[k] == pytest.approx((up - down) / 2e-5, abs=1e-5)


def test_the_inverse_information_is_that_of_simulated_fits():
    """Over simulated tables the estimates vary as the inverse information says."""
    strength, order, tie = np.array([0.6, 0.1, -0.7]), 0.4, 0.5
    rng = np.random.default_rng(8)
    number = 4000
    first = np.arange(number) % 3
    second = (first + 1 + (np.arange(number) // 3) % 2) % 3
    d = strength[first] - strength[second] + order
    p = np.stack([np.exp(d / 2), np.exp(-d / 2), np.full(number, tie)])
    p /= p.sum(axis=0)
    estimates, inverse = [], None
    base = replace(random_votes(1, n=3, size=number), first=first, second=second)
    for _ in range(200):
        draw = rng.random(number)
        outcome = np.where(draw < p[0], 1.0, np.where(draw < p[0] + p[1], 0.0, 0.5))
        fit = fit_davidson(tabulate(replace(base, outcome=outcome)), with_order=True)
        estimates.append([*fit.strength, fit.order, np.log(fit.tie)])
        inverse = fit.inverse
    estimates = np.array(estimates)
    np.testing.assert_allclose(estimates.mean(axis=0)[:4], [*strength, order], atol=0.02)
    np.testing.assert_allclose(np.diag(np.cov(estimates.T)), np.diag(inverse), rtol=0.3)


def test_without_ties_the_model_is_that_of_bradley_and_terry():
    wins = np.array([[0, 8, 9], [2, 0, 6], [1, 4, 0]])
    fit = fit_davidson(VoteTable(wins, np.zeros_like(wins), np.zeros_like(wins)), with_order=False)
    assert fit.tie == 0
    p = 1 / (1 + np.exp(-np.subtract.outer(fit.strength, fit.strength)))
    expected = ((wins + wins.T) * p).sum(axis=1)
    np.testing.assert_allclose(expected, wins.sum(axis=1), atol=1e-8)


def test_a_fit_needs_a_finite_maximum():
    votes = votes_of("01 1 ap; 01 1 ap; 01 0 ap; 10 0 ap; 10 0 ap; 10 0 ap")
    table = tabulate(votes)
    assert fit_davidson(table, with_order=True) is None
    without = fit_davidson(table, with_order=False)
    assert without.strength[0] - without.strength[1] == pytest.approx(np.log(5))
    never_lost = VoteTable(np.array([[0, 5], [0, 0]]), np.zeros((2, 2)), np.zeros((2, 2)))
    assert fit_davidson(never_lost, with_order=False) is None
    only_ties = VoteTable(np.zeros((2, 2)), np.zeros((2, 2)), np.array([[0, 5], [3, 0]]))
    assert fit_davidson(only_ties, with_order=False) is None


def test_very_different_systems_still_have_a_fit():
    wins = np.array([[0, 20_000], [1, 0]])
    fit = fit_davidson(VoteTable(wins, 0 * wins, 0 * wins), with_order=False)
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(20_000))
    assert np.log(20_000) < MAX_DIFFERENCE


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_renamed_systems_have_the_same_strengths(seed, n):
    votes = random_votes(seed, n=n, size=60)
    table = tabulate(votes)
    if not largest_group(table).all():
        return
    fit = fit_davidson(table, with_order=False)
    code = np.random.default_rng(seed).permutation(n)
    renamed = replace(votes, first=code[votes.first], second=code[votes.second])
    again = fit_davidson(tabulate(renamed), with_order=False)
    if fit is None:
        assert again is None
        return
    np.testing.assert_allclose(again.strength[code], fit.strength, atol=1e-8)


def test_swapped_sides_reverse_the_order_effect():
    votes = random_votes(6)
    swapped = replace(votes, first=votes.second, second=votes.first, outcome=1 - votes.outcome)
    one, other = (fit_davidson(tabulate(each), with_order=True) for each in (votes, swapped))
    assert one.order == pytest.approx(-other.order, abs=1e-9)
    np.testing.assert_allclose(one.strength, other.strength, atol=1e-9)


def test_the_largest_group_is_connected_by_wins_and_ties():
    wins = np.zeros((6, 6))
    wins[0, 1] = wins[1, 2] = wins[2, 0] = 1  # a cycle
    wins[3, 0] = 5  # beat all it met
    ties = np.zeros((6, 6))
    ties[4, 2] = 1  # tied with the cycle
    table = VoteTable(wins, 0 * wins, ties)
    assert largest_group(table).tolist() == [True, True, True, False, True, False]
    assert not largest_group(VoteTable(wins[3:5, 3:5], ties[3:5, 3:5], 0 * ties[3:5, 3:5])).any()
    two = np.zeros((4, 4))
    two[0, 1] = two[1, 0] = 1
    two[2, 3] = two[3, 2] = 3  # two groups of two: the one with more comparisons
    assert largest_group(VoteTable(two, 0 * two, 0 * two)).tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    ("text", "separable"),
    [
        ("01 1 ap; 01 0 bp", False),
        ("01 1 ap; 10 0 bp", True),
        ("01 1 ap; 01 0 ap; 12 1 bp", False),  # a chain
        ("01 1 ap; 12 0 ap; 02 1 bp", True),
        ("01 1 ap; 21 0 ap; 03 1 bp; 23 0 bp", False),  # c = 1, 0, 1, 0
        ("01 1 ap; 12 1 ap; 20 1 ap", True),  # a circle: 1 + 1 + 1 is not 0
    ],
)
def test_order_and_strength_can_be_separated_unless_levels_exist(text, separable):
    table = tabulate(votes_of(text))
    assert order_is_separable(table) == separable
    met = table.number > 0
    first, second = np.nonzero(met)
    design = np.zeros((len(first), len(met)))
    design[np.arange(len(first)), first] += 1
    design[np.arange(len(first)), second] -= 1
    residual = np.ones(len(first)) - design @ np.linalg.lstsq(design, np.ones(len(first)))[0]
    assert (np.abs(residual).max() > 1e-9) == separable
