"""The model of Koehn (2012) and the integral that replaces its simulation."""

from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from assessments import ranked
from companion.legacy.rankcompanion.models import simulate as simulation
from companion.legacy.rankcompanion.models.simulate import Model, draw_blocks, draw_counts, draw_qualities
from companion.legacy.rankcompanion.notebooks.relative_ranking import counting
from companion.legacy.rankstability.judgments import Blocks, blocks
from companion.legacy.rankstability.score import pairwise


def slow_counts(data: Blocks) -> tuple[np.ndarray, np.ndarray]:
    """Wins and ties of a campaign by three plain loops."""
    n = len(data.systems)
    wins, ties = np.zeros((n, n), int), np.zeros((n, n), int)
    for codes, ranks in zip(data.codes, data.ranks, strict=True):
        for a, ra in zip(codes, ranks, strict=True):
            for b, rb in zip(codes, ranks, strict=True):
                if a != b:
                    wins[a, b] += ra < rb
                    ties[a, b] += ra == rb
    return wins, ties


@settings(max_examples=30, deadline=None)
@given(
    systems=st.integers(3, 9),
    block=st.integers(2, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_counts_add_up_to_the_judgments(systems, block, seed):
    """Nested sizes: every block gives C(k, 2) judgments, none is lost."""
    block = min(block, systems)
    model = Model(systems, 8.0, block)
    rng = np.random.default_rng(seed)
    quality = draw_qualities(model, 3, rng)
    assert quality.shape == (3, systems)
    wins = draw_counts(model, quality, [10, 55, 200], rng)
    total = wins.sum(axis=(2, 3))
    assert (total == [comb(block, 2) * -(-j // comb(block, 2)) for j in (10, 55, 200)]).all()
    assert (np.diff(wins, axis=1) >= 0).all()
    assert (np.diagonal(wins, axis1=2, axis2=3) == 0).all()


def test_counts_and_blocks_are_one_model():
    """The fast counts and the block by block campaign agree in distribution."""
    model = Model(6, 4.0)
    quality = draw_qualities(model, 1, np.random.default_rng(5))
    rng = np.random.default_rng(6)
    fast = draw_counts(model, quality, [400_000], rng)[0, 0]
    slow = pairwise.pair_counts(draw_blocks(model, quality[0], 400_000, rng)).wins
    assert np.abs(fast - slow).max() < 6 * np.sqrt(2 * fast.max())
    assert fast.sum() == slow.sum() == 400_000


@pytest.mark.parametrize("draw", [draw_counts, simulation.draw_pairs])
def test_a_win_has_the_models_probability(draw):
    """P(j above k) = Phi((mu_j - mu_k) / (sd sqrt 2)), and all pairs are compared equally often."""
    model = Model(7, 5.0)
    quality = draw_qualities(model, 1, np.random.default_rng(1))
    wins = draw(model, quality, [500_000], np.random.default_rng(2))[0, 0]
    met = wins + wins.T
    chance = norm.cdf((quality[0][:, None] - quality[0][None, :]) / (5.0 * np.sqrt(2)))
    off = ~np.eye(7, dtype=bool)
    z = (wins - met * chance)[off] / np.sqrt(met * chance * (1 - chance))[off]
    assert np.abs(z).max() < 4.5
    share = met[off] / 50_000  # of blocks of five of seven: each pair in 20 of 42
    assert np.abs(share - 20 / 42).max() < 0.012 and not np.diagonal(wins).any()


def test_many_systems_are_drawn_without_listing_their_sets():
    """60 systems have 5.5 million sets of five; each block still holds five different systems."""
    model = Model(60, 10.0)
    rng = np.random.default_rng(1)
    assert comb(60, 5) > simulation.SUBSETS_LISTED
    data = draw_blocks(model, draw_qualities(model, 1, rng)[0], 30_000, rng)
    assert (np.diff(np.sort(data.codes, axis=1), axis=1) > 0).all()
    share = np.bincount(data.codes.ravel(), minlength=60) / data.codes.size
    assert np.abs(share - 1 / 60).max() < 0.005


def test_every_score_of_blocks_ranks_systems_by_their_quality():
    model = Model(5, 3.0, block=4)
    rng = np.random.default_rng(8)
    quality = draw_qualities(model, 1, rng)[0]
    drawn = draw_blocks(model, quality, 3000, rng, judges=7)
    frame = ranked(replace(drawn, ranks=1 + drawn.ranks // 2))
    assert frame["judge"].nunique() == 7
    wins, ties = slow_counts(blocks(frame))
    counts = pairwise.pair_counts(frame)
    assert (counts.wins == wins).all() and (counts.ties == ties).all() and ties.any()
    table = counting.scores(frame).set_index("system")
    order = [counts.systems[i] for i in np.argsort(-quality)]
    assert list(table.index) == order
    assert table["expected_win"].sort_values(ascending=False).index.tolist() == order


def test_blocks_of_many_systems_are_those_of_the_smallest_of_uniform_draws():
    model = Model(40, 10.0, block=6)
    assert comb(40, 6) > simulation.SUBSETS_LISTED
    quality = draw_qualities(model, 1, np.random.default_rng(1))
    wins = draw_counts(model, quality, [15 * 50], np.random.default_rng(7))[0, 0]
    met = np.zeros((40, 40), int)
    for uniform in np.random.default_rng(7).random((50, 40), dtype=np.float32):
        block = np.argsort(uniform)[:6]
        met[np.ix_(block, block)] += 1
    np.fill_diagonal(met, 0)
    np.testing.assert_array_equal(wins + wins.T, met)


def test_judges_differ_as_much_as_their_spread_says():
    # with equal qualities a judge prefers the first output with chance Phi(X), X ~ N(0, t^2),
    # t = judge_spread / spread; the variance of Phi(X) is arcsin(t^2 / (1 + t^2)) / (2 pi)
    model = simulation.Model(systems=2, block=2, spread=4.0)
    for judge_spread in (0.0, 2.0, 8.0):
        rng = np.random.default_rng(11)
        data = simulation.draw_blocks(
            model, np.zeros(2), 400_000, rng, judges=400, judge_spread=judge_spread
        )
        first = np.where(data.codes[:, 0] == 0, data.ranks[:, 0], data.ranks[:, 1]) == 1
        share = pd.Series(first).groupby(data.judge).mean()
        ratio = (judge_spread / 4.0) ** 2
        expected = np.arcsin(ratio / (1 + ratio)) / (2 * np.pi)
        noise = (0.25 - expected) / 1000  # binomial, about 1,000 blocks a judge
        assert share.var() == pytest.approx(expected + noise, rel=0.25)
        assert share.mean() == pytest.approx(0.5, abs=0.06)
